// SPDX-License-Identifier: Apache-2.0
//
// Twice the working precision, for systems and residuals whose terms nearly cancel: a number is the
// unevaluated sum of two doubles, and the rounding of every product and sum is kept
// ([OgitaRumpOishi2005], algorithms 3.1 to 3.3 and 5.3). Needs -ffp-contract=off, and numbers below
// 1e300. Internal.
#ifndef TRIBO_ENGINE_BASE_TWOFOLD_H_
#define TRIBO_ENGINE_BASE_TWOFOLD_H_

#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// high + low; low is what rounding took from high, or more after many sums.
typedef struct TriboTwofold {
  double high, low;
} TriboTwofold;

// sum += a
static inline void tribo_twofold_add(TriboTwofold* sum, double a) {
  const double s = sum->high + a, part = s - sum->high;
  sum->low += (sum->high - (s - part)) + (a - part);
  sum->high = s;
}

// The upper half of the digits of a.
static inline double tribo_twofold_upper(double a) {
  const double c = 134217729.0 * a;  // 2^27 + 1
  return c - (c - a);
}

// a b without rounding.
static inline TriboTwofold tribo_twofold_exact(double a, double b) {
  const double p = a * b, au = tribo_twofold_upper(a), bu = tribo_twofold_upper(b);
  const double al = a - au, bl = b - bu;
  const TriboTwofold product = {p, al * bl - (((p - au * bu) - al * bu) - au * bl)};
  return product;
}

// sum += a b
static inline void tribo_twofold_add_product(TriboTwofold* sum, double a, double b) {
  const TriboTwofold product = tribo_twofold_exact(a, b);
  sum->low += product.low;
  tribo_twofold_add(sum, product.high);
}

static inline double tribo_twofold_value(TriboTwofold a) { return a.high + a.low; }

// The same number with low no more than the rounding of high, as the operations below want it.
static inline TriboTwofold tribo_twofold_normal(double high, double low) {
  TriboTwofold sum = {high, 0};
  tribo_twofold_add(&sum, low);
  return sum;
}

// a - b c
static inline TriboTwofold tribo_twofold_less(TriboTwofold a, TriboTwofold b, TriboTwofold c) {
  TriboTwofold sum = a;
  tribo_twofold_add_product(&sum, -b.high, c.high);
  return tribo_twofold_normal(sum.high, sum.low - (b.high * c.low + b.low * c.high));
}

// a + b c
static inline TriboTwofold tribo_twofold_more(TriboTwofold a, TriboTwofold b, double c) {
  TriboTwofold sum = a;
  tribo_twofold_add_product(&sum, b.high, c);
  return tribo_twofold_normal(sum.high, sum.low + b.low * c);
}

// a / b
static inline TriboTwofold tribo_twofold_quotient(TriboTwofold a, TriboTwofold b) {
  const TriboTwofold first = {a.high / b.high, 0};
  const TriboTwofold rest = tribo_twofold_less(a, first, b);
  return tribo_twofold_normal(first.high, (rest.high + rest.low) / b.high);
}

// P A = L U with partial pivoting, in place, for a row-major n x n matrix; row k was swapped with
// row swap[k] before step k. TRIBO_ERROR_SINGULAR when a column has no pivot above `refuse` times
// the largest entry of A; A is lost then.
TriboStatus tribo_twofold_factor(int n, TriboTwofold* a, int* swap, double refuse) TRIBO_CHECKED;

// b <- A^-1 b
void tribo_twofold_solve(int n, const TriboTwofold* a, const int* swap, TriboTwofold* b);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_BASE_TWOFOLD_H_
