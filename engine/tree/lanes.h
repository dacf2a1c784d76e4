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

#include "engine/base/spatial.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef double TriboLanes __attribute__((vector_size(16)));

#define TRIBO_LANES static inline __attribute__((always_inline))

// Before a loop over arrays that do not overlap: it is done in lanes.
#define TRIBO_SIMD _Pragma("omp simd")

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

// Six numbers in registers, over many rows.
typedef struct TriboLanesHead {
  TriboLanes x[3];
} TriboLanesHead;

TRIBO_LANES TriboLanesHead tribo_lanes_head_load(const double* x) {
  TriboLanesHead head = {{tribo_lanes_load(x), tribo_lanes_load(x + 2), tribo_lanes_load(x + 4)}};
  return head;
}
TRIBO_LANES void tribo_lanes_head_store(double* x, TriboLanesHead head) {
  for (int i = 0; i < 3; ++i) tribo_lanes_store(x + 2 * i, head.x[i]);
}
// y -= a x
TRIBO_LANES void tribo_lanes_head_subtract(double a, const double* x, TriboLanesHead* y) {
  TriboLanes aa = tribo_lanes_fill(a);
  for (int i = 0; i < 3; ++i) y->x[i] -= aa * tribo_lanes_load(x + 2 * i);
}
// x . y, summed as tribo_lanes_dot does.
TRIBO_LANES double tribo_lanes_head_dot(const double* x, TriboLanesHead y) {
  TriboLanes sum = tribo_lanes_load(x) * y.x[0];
  sum += tribo_lanes_load(x + 2) * y.x[1];
  sum += tribo_lanes_load(x + 4) * y.x[2];
  return sum[0] + sum[1];
}

// The vectors of two bodies, to be worked on together.
typedef struct TriboLanes3 {
  TriboLanes x, y, z;
} TriboLanes3;

TRIBO_LANES TriboLanes tribo_lanes(double a, double b) {
  TriboLanes v = {a, b};
  return v;
}
TRIBO_LANES TriboLanes3 tribo_lanes3(const TriboVec3* a, const TriboVec3* b) {
  TriboLanes3 v = {tribo_lanes(a->x, b->x), tribo_lanes(a->y, b->y), tribo_lanes(a->z, b->z)};
  return v;
}
TRIBO_LANES TriboVec3 tribo_lanes3_sum(TriboLanes3 v) {
  TriboVec3 sum = {v.x[0] + v.x[1], v.y[0] + v.y[1], v.z[0] + v.z[1]};
  return sum;
}
TRIBO_LANES TriboLanes3 tribo_lanes3_add(TriboLanes3 a, TriboLanes3 b) {
  TriboLanes3 v = {a.x + b.x, a.y + b.y, a.z + b.z};
  return v;
}
TRIBO_LANES TriboLanes3 tribo_lanes3_scale(TriboLanes s, TriboLanes3 a) {
  TriboLanes3 v = {s * a.x, s * a.y, s * a.z};
  return v;
}
TRIBO_LANES TriboLanes3 tribo_lanes3_madd(TriboLanes3 a, TriboLanes s, TriboLanes3 b) {
  TriboLanes3 v = {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
  return v;
}
TRIBO_LANES TriboLanes tribo_lanes3_dot(TriboLanes3 a, TriboLanes3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
TRIBO_LANES TriboLanes3 tribo_lanes3_cross(TriboLanes3 a, TriboLanes3 b) {
  TriboLanes3 v = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  return v;
}
TRIBO_LANES TriboLanes3 tribo_lanes3_fill(TriboVec3 a) {
  TriboLanes3 v = {tribo_lanes_fill(a.x), tribo_lanes_fill(a.y), tribo_lanes_fill(a.z)};
  return v;
}
// A v for the matrix A, row-major.
TRIBO_LANES TriboLanes3 tribo_lanes3_mat_mul(const TriboLanes A[9], TriboLanes3 v) {
  TriboLanes3 u = {A[0] * v.x + A[1] * v.y + A[2] * v.z, A[3] * v.x + A[4] * v.y + A[5] * v.z,
                   A[6] * v.x + A[7] * v.y + A[8] * v.z};
  return u;
}
// A v for the symmetric A = xx yy zz xy xz yz.
TRIBO_LANES TriboLanes3 tribo_lanes3_symmetric_mul(const TriboLanes A[6], TriboLanes3 v) {
  TriboLanes3 u = {A[0] * v.x + A[3] * v.y + A[4] * v.z, A[3] * v.x + A[1] * v.y + A[5] * v.z,
                   A[4] * v.x + A[5] * v.y + A[2] * v.z};
  return u;
}

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_TREE_LANES_H_
