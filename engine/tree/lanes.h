// SPDX-License-Identifier: Apache-2.0
//
// Two doubles at a time, which every 64-bit machine has: the same operations on the same numbers as
// one at a time, so the same bits with half the instructions. Internal.
//
// Rows of trees with a floating base begin with its six dofs. The functions take `head`, 6 or 0, as
// a constant: the first `head` entries are done without a loop.
#ifndef TRIBO_ENGINE_TREE_LANES_H_
#define TRIBO_ENGINE_TREE_LANES_H_

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef double TriboLanes __attribute__((vector_size(16)));

#define TRIBO_LANES static inline __attribute__((always_inline))

TRIBO_LANES TriboLanes tribo_lanes_load(const double* x) {
  TriboLanes v;
  memcpy(&v, x, sizeof v);
  return v;
}
TRIBO_LANES void tribo_lanes_store(double* x, TriboLanes v) { memcpy(x, &v, sizeof v); }
TRIBO_LANES TriboLanes tribo_lanes_fill(double a) {
  TriboLanes v = {a, a};
  return v;
}

// y[0..1] -= a x[0..1]
TRIBO_LANES void tribo_lanes_subtract2(TriboLanes a, const double* x, double* y) {
  tribo_lanes_store(y, tribo_lanes_load(y) - a * tribo_lanes_load(x));
}

// y -= a x. The two do not overlap.
TRIBO_LANES void tribo_lanes_subtract(int head, int n, double a, const double* x, double* y) {
  TriboLanes aa = tribo_lanes_fill(a);
  int i = 0;
  if (head == 6) {
    tribo_lanes_subtract2(aa, x, y);
    tribo_lanes_subtract2(aa, x + 2, y + 2);
    tribo_lanes_subtract2(aa, x + 4, y + 4);
    i = 6;
  }
  for (; i + 1 < n; i += 2) tribo_lanes_subtract2(aa, x + i, y + i);
  if (i < n) y[i] -= a * x[i];
}

// x . y, the even and the odd terms summed apart.
TRIBO_LANES double tribo_lanes_dot(int head, int n, const double* x, const double* y) {
  TriboLanes sum = tribo_lanes_fill(0);
  int i = 0;
  if (head == 6) {
    sum = tribo_lanes_load(x) * tribo_lanes_load(y);
    sum += tribo_lanes_load(x + 2) * tribo_lanes_load(y + 2);
    sum += tribo_lanes_load(x + 4) * tribo_lanes_load(y + 4);
    i = 6;
  }
  for (; i + 1 < n; i += 2) sum += tribo_lanes_load(x + i) * tribo_lanes_load(y + i);
  double s = sum[0] + sum[1];
  return i < n ? s + x[i] * y[i] : s;
}

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_TREE_LANES_H_
