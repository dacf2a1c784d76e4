// SPDX-License-Identifier: Apache-2.0
//
// A contact problem (problem.h) from its Delassus matrix: u = W r + q, per contact the normal
// first, then one tangent (planar) or two. Internal.
//
// W = J J^T by a Cholesky factorization with diagonal pivoting, which stops at the rank; the rows
// of J are the rows of the problem, k = 0, and the targets are -q. What J J^T misses of W (W may be
// a little unsymmetric, indefinite by rounding, or rank-deficient), E = W - J J^T, goes into the
// targets: with an answer r they are made -q - E r, so that J y - b = W r + q for that r, and
// solving again converges for small E. Certificates are of such targets, so they judge W and q
// themselves.
#ifndef TRIBO_SOLVERS_EXPAND_H_
#define TRIBO_SOLVERS_EXPAND_H_

#include "solvers/certificate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboExpansion {
  TriboContactProblem problem;    // filled by load
  TriboContactSolution solution;  // arrays for its solution
  int contacts, size;             // rows per contact: 2 planar, 3 spatial
  int rank;                       // of W, as found
  const double *W, *q;            // as given to load
  double* b;                      // targets, normals first                            (private)
  double *r, *u;                  // impulse and W r + q, contact after contact        (private)
  double *J, *diagonal, *scale;   // factor, what is left of W's diagonal, sqrt(W_ii)  (private)
  int* position;                  // pivot order                                       (private)
  double* scratch;                // for the certificate                               (private)
} TriboExpansion;

// Lays the arrays out for contacts * size rows; they are NULL while measuring.
void tribo_expansion_init(TriboExpansion* expansion, TriboArena* arena, int contacts, int size);

// W (n x n, row-major) and q (n) must outlive the use; mu (contacts) is copied. `facets` as in
// problem.h, ignored for planar problems. TRIBO_ERROR_ARGUMENT: a negative diagonal or a mu or
// facets out of range; TRIBO_ERROR_NOT_FINITE.
TriboStatus tribo_expansion_load(TriboExpansion* expansion, const double* W, const double* q,
                                 const double* mu, int facets) TRIBO_CHECKED;

// expansion->solution judged by W and q as given. The targets become those of this solution.
TriboCertificate tribo_expansion_certify(TriboExpansion* expansion, TriboCone cone);

// The solution's impulse as r, contact after contact (n).
void tribo_expansion_impulse(const TriboExpansion* expansion, double* r);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_EXPAND_H_
