// SPDX-License-Identifier: Apache-2.0
//
// Contact problems as other simulators write them down, by their Delassus matrix: u = W r + q, per
// contact the normal first, then one tangent (planar) or two, with Coulomb's law between r and u.
// W is sparse, any square matrix: a little unsymmetric, rank-deficient, indefinite by rounding.
// Internal.
#ifndef TRIBO_SOLVERS_DELASSUS_H_
#define TRIBO_SOLVERS_DELASSUS_H_

#include "solvers/certificate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboDelassus {
  int contacts, size;  // size: rows per contact, 2 planar, 3 spatial
  TriboRows W;         // contacts * size rows and columns
  const double* q;     // free velocity                          (contacts * size)
  const double* mu;    // >= 0                                   (contacts)
  TriboCone cone;
  int facets;  // of the polygon, even, >= 4; not read for the round cone and planar contacts
  const TriboRows* J;  // rows over ny coordinates with W = J J^T where they are known, or NULL
  int ny;
} TriboDelassus;

// Sizes, increasing indices, finite numbers, a diagonal >= 0, mu and facets in range:
// TRIBO_ERROR_ARGUMENT, TRIBO_ERROR_NOT_FINITE.
TriboStatus tribo_delassus_validate(const TriboDelassus* problem) TRIBO_CHECKED;

// The certificate of impulses r from W and q alone. The scales are those of TriboCertificate with
// k = 0: |y+| = sqrt(r.W r), |row_i| = sqrt(W_ii), b = -q. scratch: contacts * size.
TriboCertificate tribo_delassus_certify(const TriboDelassus* problem, const double* r,
                                        double* scratch);

// W_ii; 0 where there is no entry.
double tribo_delassus_diagonal(const TriboRows* W, int i);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_DELASSUS_H_
