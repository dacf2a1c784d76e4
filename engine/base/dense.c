// SPDX-License-Identifier: Apache-2.0
//
// References: [GolubVanLoan2013] 3.4 (LU), 4.2 (Cholesky), 5.1-5.4 (Givens, Householder, column
// pivoting), 6.5 (updating). Every inner loop runs along contiguous memory; this file is compiled
// with -O3, which vectorizes them without changing a bit (no sum is reordered).
#include "engine/base/dense.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double* row_of(const double* a, int ld, int i) { return a + (ptrdiff_t)i * ld; }
static double* row_at(double* a, int ld, int i) { return a + (ptrdiff_t)i * ld; }

static void subtract_scaled(int n, double s, const double* restrict x, double* restrict y) {
  for (int i = 0; i < n; ++i) y[i] -= s * x[i];
}

void tribo_axpy(int n, double s, const double* restrict x, double* restrict y) {
  for (int i = 0; i < n; ++i) y[i] += s * x[i];
}

// Two numbers side by side, each treated as it would be alone.
typedef double Pair __attribute__((vector_size(16)));

static inline Pair pair_at(const double* x) {
  Pair p;
  memcpy(&p, x, sizeof p);
  return p;
}

// Subtracts c[0..3] times four rows from y[0..n), one after the other: y is read and written once.
static inline void subtract_four(int n, const double c[4], const double* restrict rows, int ld,
                                 double* restrict y) {
  const double *r0 = rows, *r1 = r0 + ld, *r2 = r1 + ld, *r3 = r2 + ld;
  const double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
  const Pair p0 = {c0, c0}, p1 = {c1, c1}, p2 = {c2, c2}, p3 = {c3, c3};
  int i = 0;
  for (; i + 1 < n; i += 2) {
    Pair p = pair_at(y + i) - p0 * pair_at(r0 + i);
    p -= p1 * pair_at(r1 + i);
    p -= p2 * pair_at(r2 + i);
    p -= p3 * pair_at(r3 + i);
    memcpy(y + i, &p, sizeof p);
  }
  if (i < n) y[i] = (((y[i] - c0 * r0[i]) - c1 * r1[i]) - c2 * r2[i]) - c3 * r3[i];
}

// ---- Cholesky ----

TriboStatus tribo_cholesky_factor(int n, double* a, int ld, double refuse) {
  for (int i = 0; i < n; ++i) {
    double* ri = row_at(a, ld, i);
    double diagonal = ri[i];
    // Left-looking along rows: row i of the Schur complement, from one finished row after the
    // other. The pivot is compared with the entry it started from.
    int k = 0;
    for (; k + 4 <= i; k += 4) {
      const double* rk = row_of(a, ld, k) + i;
      const double c[4] = {rk[0], rk[ld], rk[2 * (ptrdiff_t)ld], rk[3 * (ptrdiff_t)ld]};
      subtract_four(n - i, c, rk, ld, ri + i);
    }
    for (; k < i; ++k) {
      const double* rk = row_of(a, ld, k);
      subtract_scaled(n - i, rk[i], rk + i, ri + i);
    }
    if (!(ri[i] > refuse * diagonal) || !(ri[i] > 0)) return TRIBO_ERROR_SINGULAR;
    double root = sqrt(ri[i]);
    double inverse = 1 / root;
    ri[i] = root;
    for (int j = i + 1; j < n; ++j) ri[j] *= inverse;
  }
  return TRIBO_OK;
}

void tribo_cholesky_forward(int n, const double* r, int ld, double* x) {
  int i = 0;
  // Four rows at a time: their own triangle first, then what they take from all later entries.
  for (; i + 4 <= n; i += 4) {
    const double* rows = row_of(r, ld, i) + i;
    for (int k = 0; k < 4; ++k) {
      const double* rk = row_of(rows, ld, k);
      x[i + k] /= rk[k];
      for (int j = k + 1; j < 4; ++j) x[i + j] -= x[i + k] * rk[j];
    }
    subtract_four(n - i - 4, x + i, rows + 4, ld, x + i + 4);
  }
  for (; i < n; ++i) {
    const double* ri = row_of(r, ld, i);
    x[i] /= ri[i];
    subtract_scaled(n - i - 1, x[i], ri + i + 1, x + i + 1);
  }
}

void tribo_cholesky_backward(int n, const double* r, int ld, double* x) {
  for (int i = n - 1; i >= 0; --i) {
    const double* ri = row_of(r, ld, i);
    x[i] = (x[i] - tribo_dot(n - i - 1, ri + i + 1, x + i + 1)) / ri[i];
  }
}

void tribo_cholesky_solve(int n, const double* r, int ld, double* x) {
  tribo_cholesky_forward(n, r, ld, x);
  tribo_cholesky_backward(n, r, ld, x);
}

TriboStatus tribo_cholesky_append(int n, double* r, int ld, double* column, double diagonal,
                                  double refuse) {
  tribo_cholesky_forward(n, r, ld, column);
  return tribo_cholesky_append_half(n, r, ld, column, diagonal, refuse);
}

TriboStatus tribo_cholesky_append_half(int n, double* r, int ld, const double* half,
                                       double diagonal, double refuse) {
  double pivot = diagonal - tribo_dot(n, half, half);
  if (!(pivot > refuse * diagonal) || !(pivot > 0)) return TRIBO_ERROR_SINGULAR;
  for (int i = 0; i < n; ++i) r[(ptrdiff_t)i * ld + n] = half[i];
  r[(ptrdiff_t)n * ld + n] = sqrt(pivot);
  return TRIBO_OK;
}

// R^T R <- R^T R + v v^T for rows and columns first .. n - 1 of r; the rotated row i is stored
// `shift` rows up and columns to the left. Rotation i turns v[i] into the diagonal.
static void rotate_in(int first, int n, double* r, int ld, double* restrict v, int shift) {
  for (int i = first; i < n; ++i) {
    const double* from = row_of(r, ld, i);
    double* to = row_at(r, ld, i - shift) - shift;
    double length = sqrt(from[i] * from[i] + v[i] * v[i]);
    double c = from[i] / length, s = v[i] / length;
    to[i] = length;
    for (int j = i + 1; j < n; ++j) {
      double a = from[j], b = v[j];
      to[j] = c * a + s * b;
      v[j] = c * b - s * a;
    }
  }
}

void tribo_cholesky_delete(int n, double* r, int ld, int k, double* scratch) {
  // Without column k, what row k has to the right of its diagonal is a rank-1 update of the rows
  // below.
  const double* rk = row_of(r, ld, k);
  memcpy(scratch + k + 1, rk + k + 1, sizeof(double) * (size_t)(n - k - 1));
  for (int i = 0; i < k; ++i) {
    double* ri = row_at(r, ld, i);
    memmove(ri + k, ri + k + 1, sizeof(double) * (size_t)(n - k - 1));
  }
  rotate_in(k + 1, n, r, ld, scratch, 1);
}

void tribo_cholesky_update(int n, double* r, int ld, double* v) { rotate_in(0, n, r, ld, v, 0); }

TriboStatus tribo_cholesky_downdate(int n, double* r, int ld, double* v, double refuse,
                                    double* scratch) {
  // LINPACK's way: rotations that carry (p, alpha), p = R^-T v, into (0, 1) carry (R, 0) into (R',
  // v).
  tribo_cholesky_forward(n, r, ld, v);
  double alpha2 = 1 - tribo_dot(n, v, v);
  if (!(alpha2 > refuse) || !(alpha2 > 0)) return TRIBO_ERROR_SINGULAR;
  double alpha = sqrt(alpha2);
  memset(scratch, 0, sizeof(double) * (size_t)n);
  for (int i = n - 1; i >= 0; --i) {
    double length = sqrt(alpha * alpha + v[i] * v[i]);
    double c = alpha / length, s = v[i] / length;
    alpha = length;
    double* restrict ri = row_at(r, ld, i);
    for (int j = i; j < n; ++j) {
      double a = ri[j], b = scratch[j];
      ri[j] = c * a - s * b;
      scratch[j] = c * b + s * a;
    }
  }
  return TRIBO_OK;
}

// ---- LU ----

static void swap_rows(int n, double* restrict a, double* restrict b) {
  for (int j = 0; j < n; ++j) {
    double t = a[j];
    a[j] = b[j];
    b[j] = t;
  }
}

TriboStatus tribo_lu_factor(int n, double* a, int ld, int* permutation, double refuse) {
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    permutation[i] = i;
    for (int j = 0; j < n; ++j) {
      const double size = fabs(row_of(a, ld, i)[j]);
      if (size > largest) largest = size;
    }
  }
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (fabs(row_of(a, ld, i)[k]) > fabs(row_of(a, ld, pivot)[k])) pivot = i;
    }
    double best = fabs(row_of(a, ld, pivot)[k]);
    if (!(best > refuse * largest) || !(best > 0)) return TRIBO_ERROR_SINGULAR;
    if (pivot != k) {
      swap_rows(n, row_at(a, ld, k), row_at(a, ld, pivot));
      int t = permutation[k];
      permutation[k] = permutation[pivot];
      permutation[pivot] = t;
    }
    const double* ak = row_of(a, ld, k);
    for (int i = k + 1; i < n; ++i) {
      double* ai = row_at(a, ld, i);
      if (ai[k] == 0) continue;  // systems of many bodies are sparse
      ai[k] /= ak[k];
      subtract_scaled(n - k - 1, ai[k], ak + k + 1, ai + k + 1);
    }
  }
  return TRIBO_OK;
}

void tribo_lu_solve(int n, const double* lu, int ld, const int* permutation, const double* b,
                    double* x) {
  for (int i = 0; i < n; ++i) x[i] = b[permutation[i]] - tribo_dot(i, row_of(lu, ld, i), x);
  for (int i = n - 1; i >= 0; --i) {
    const double* ui = row_of(lu, ld, i);
    x[i] = (x[i] - tribo_dot(n - i - 1, ui + i + 1, x + i + 1)) / ui[i];
  }
}

// ---- QR ----

// Squared length of rows k .. m - 1 of column j.
static double column_length2(int k, int m, const double* a, int ld, int j) {
  double sum = 0;
  for (int i = k; i < m; ++i) sum += row_of(a, ld, i)[j] * row_of(a, ld, i)[j];
  return sum;
}

// Makes the reflection I - tau v v^T, v[k] = 1, that maps column k onto a multiple of e_k.
static double make_reflection(int k, int m, double* a, int ld) {
  double* akk = &row_at(a, ld, k)[k];
  double below = column_length2(k + 1, m, a, ld, k);
  if (below == 0) return 0;
  double length = sqrt(*akk * *akk + below);
  double beta = *akk > 0 ? -length : length;
  double scale = 1 / (*akk - beta);
  for (int i = k + 1; i < m; ++i) row_at(a, ld, i)[k] *= scale;
  double tau = (beta - *akk) / beta;
  *akk = beta;
  return tau;
}

// Applies reflection k to columns k + 1 .. n - 1, row by row. work: n doubles.
static void reflect_columns(int k, int m, int n, double* a, int ld, double tau, double* work) {
  int count = n - k - 1;
  memcpy(work, row_of(a, ld, k) + k + 1, sizeof(double) * (size_t)count);
  for (int i = k + 1; i < m; ++i) {
    const double* ai = row_of(a, ld, i);
    tribo_axpy(count, ai[k], ai + k + 1, work);
  }
  subtract_scaled(count, tau, work, row_at(a, ld, k) + k + 1);
  for (int i = k + 1; i < m; ++i) {
    double* ai = row_at(a, ld, i);
    subtract_scaled(count, tau * ai[k], work, ai + k + 1);
  }
}

static void swap_columns(int m, double* a, int ld, int p, int q) {
  for (int i = 0; i < m; ++i) {
    double* ai = row_at(a, ld, i);
    double t = ai[p];
    ai[p] = ai[q];
    ai[q] = t;
  }
}

int tribo_qr_factor(int m, int n, double* a, int ld, double* tau, int* permutation, double refuse,
                    double* scratch) {
  for (int j = 0; j < n; ++j) permutation[j] = j;
  int steps = m < n ? m : n;
  double longest = 0;
  for (int k = 0; k < steps; ++k) {
    // The remaining lengths are computed afresh: downdating them loses the small ones, which
    // decide.
    int pivot = k;
    double best = -1;
    for (int j = k; j < n; ++j) {
      double length2 = column_length2(k, m, a, ld, j);
      if (length2 > best) {
        best = length2;
        pivot = j;
      }
    }
    if (k == 0) longest = sqrt(best);
    if (!(sqrt(best) > refuse * longest) || !(best > 0)) return k;
    if (pivot != k) {
      swap_columns(m, a, ld, k, pivot);
      int t = permutation[k];
      permutation[k] = permutation[pivot];
      permutation[pivot] = t;
    }
    tau[k] = make_reflection(k, m, a, ld);
    reflect_columns(k, m, n, a, ld, tau[k], scratch);
  }
  return steps;
}

static void reflect_vector(int k, int m, const double* qr, int ld, double tau, double* b) {
  double sum = b[k];
  for (int i = k + 1; i < m; ++i) sum += row_of(qr, ld, i)[k] * b[i];
  b[k] -= tau * sum;
  for (int i = k + 1; i < m; ++i) b[i] -= tau * sum * row_of(qr, ld, i)[k];
}

void tribo_qr_apply_transposed(int m, int rank, const double* qr, int ld, const double* tau,
                               double* b) {
  for (int k = 0; k < rank; ++k) reflect_vector(k, m, qr, ld, tau[k], b);
}

void tribo_qr_apply(int m, int rank, const double* qr, int ld, const double* tau, double* b) {
  for (int k = rank - 1; k >= 0; --k) reflect_vector(k, m, qr, ld, tau[k], b);
}

void tribo_qr_solve(int m, int n, int rank, const double* qr, int ld, const double* tau,
                    const int* permutation, double* b, double* x) {
  tribo_qr_apply_transposed(m, rank, qr, ld, tau, b);
  for (int i = rank - 1; i >= 0; --i) {
    const double* ri = row_of(qr, ld, i);
    b[i] = (b[i] - tribo_dot(rank - i - 1, ri + i + 1, b + i + 1)) / ri[i];
  }
  memset(x, 0, sizeof(double) * (size_t)n);
  for (int i = 0; i < rank; ++i) x[permutation[i]] = b[i];
}
