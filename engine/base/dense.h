// SPDX-License-Identifier: Apache-2.0
//
// Small dense linear algebra without BLAS: Cholesky with row updates, LU, QR. Matrices are
// row-major, A(i, j) = a[i * ld + j], with a leading dimension ld >= the number of columns. Nothing
// allocates. Every sum has one fixed order, so that results are the same bits everywhere. Internal.
//
// Cholesky is kept as the upper triangle R with A = R^T R: then factoring, forward solves and
// deleting a row all run along rows of R, which are contiguous. What stands below the diagonal is
// never read or written.
#ifndef TRIBO_ENGINE_BASE_DENSE_H_
#define TRIBO_ENGINE_BASE_DENSE_H_

#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// x . y, in four interleaved partial sums that are added pairwise.
static inline double tribo_dot(int n, const double* x, const double* y) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += x[i] * y[i];
    s1 += x[i + 1] * y[i + 1];
    s2 += x[i + 2] * y[i + 2];
    s3 += x[i + 3] * y[i + 3];
  }
  for (; i < n; ++i) s0 += x[i] * y[i];
  return (s0 + s2) + (s1 + s3);
}

// y += s x. The two do not overlap.
void tribo_axpy(int n, double s, const double* x, double* y);

// Factors the symmetric positive definite A, of which the upper triangle is read, in place.
// TRIBO_ERROR_SINGULAR when a pivot is at most `refuse` times its diagonal entry of A; A is lost
// then.
TriboStatus tribo_cholesky_factor(int n, double* a, int ld, double refuse) TRIBO_CHECKED;

// x <- R^-T x, x <- R^-1 x, and both: x <- A^-1 x.
void tribo_cholesky_forward(int n, const double* r, int ld, double* x);
void tribo_cholesky_backward(int n, const double* r, int ld, double* x);
void tribo_cholesky_solve(int n, const double* r, int ld, double* x);

// Appends a row and column to A: `column` holds A(0 .. n - 1, n) and is replaced by the new column
// of R, `diagonal` is A(n, n). ld > n. TRIBO_ERROR_SINGULAR, R unchanged, when the pivot, the
// diagonal less |new column|^2, is at most refuse * diagonal.
TriboStatus tribo_cholesky_append(int n, double* r, int ld, double* column, double diagonal,
                                  double refuse) TRIBO_CHECKED;

// The same with half = R^-T column solved already.
TriboStatus tribo_cholesky_append_half(int n, double* r, int ld, const double* half,
                                       double diagonal, double refuse) TRIBO_CHECKED;

// Deletes row and column k of A by Givens rotations; R becomes (n - 1) square. scratch: n doubles.
void tribo_cholesky_delete(int n, double* r, int ld, int k, double* scratch);

// A <- A + v v^T. v is lost.
void tribo_cholesky_update(int n, double* r, int ld, double* v);

// A <- A - v v^T. TRIBO_ERROR_SINGULAR, R unchanged, when 1 - |R^-T v|^2 <= refuse, the factor by
// which the determinant would shrink. v is lost. scratch: n doubles.
TriboStatus tribo_cholesky_downdate(int n, double* r, int ld, double* v, double refuse,
                                    double* scratch) TRIBO_CHECKED;

// P A = L U with partial pivoting, in place; L has a unit diagonal. permutation (n): row i of P A
// is row permutation[i] of A. TRIBO_ERROR_SINGULAR when a column has no pivot above `refuse` times
// the largest entry of A; A is lost then.
TriboStatus tribo_lu_factor(int n, double* a, int ld, int* permutation,
                            double refuse) TRIBO_CHECKED;

// x = A^-1 b. b and x do not overlap.
void tribo_lu_solve(int n, const double* lu, int ld, const int* permutation, const double* b,
                    double* x);

// A P = Q R by Householder reflections with column pivoting, for m x n. R replaces the upper
// triangle, the reflections the rest and tau (min(m, n)). permutation (n): column j of A P is
// column permutation[j] of A. Returns the numerical rank: the steps until the largest remaining
// column is at most `refuse` times the longest column of A. scratch: n doubles.
int tribo_qr_factor(int m, int n, double* a, int ld, double* tau, int* permutation, double refuse,
                    double* scratch);

// b <- Q^T b and b <- Q b, with the first `rank` reflections; b has m entries.
void tribo_qr_apply_transposed(int m, int rank, const double* qr, int ld, const double* tau,
                               double* b);
void tribo_qr_apply(int m, int rank, const double* qr, int ld, const double* tau, double* b);

// A least-squares solution of A x = b, the basic one: entries of x beyond the rank are 0. b (m) is
// lost; x (n).
void tribo_qr_solve(int m, int n, int rank, const double* qr, int ld, const double* tau,
                    const int* permutation, double* b, double* x);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_BASE_DENSE_H_
