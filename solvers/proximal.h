// SPDX-License-Identifier: Apache-2.0
//
// Newton's method along a proximal path, for contact problems given by a sparse Delassus matrix
// (delassus.h), with the round cone or a polygon. No factorization of W is needed, what is
// unsymmetric in W needs no correction, and thousands of rows are in reach. Unlike pivoting
// (solve.h) it has no guarantee; the certificate judges. Internal.
#ifndef TRIBO_SOLVERS_PROXIMAL_H_
#define TRIBO_SOLVERS_PROXIMAL_H_

#include "engine/base/arena.h"
#include "solvers/delassus.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboProximalOptions {
  double tolerance;    // of the certificate; 1e-9
  int max_sweeps;      // of Gauss-Seidel, all together; 3000
  int max_iterations;  // of Newton, all together; 5000
} TriboProximalOptions;

typedef struct TriboProximalInfo {
  int sweeps, iterations;
  TriboCertificate certificate;  // of r, from W and q
} TriboProximalInfo;

typedef struct TriboProximal TriboProximal;

TriboProximalOptions tribo_proximal_options_default(void);

// Over an arena, for problems of up to that many contacts and entries of W. NULL while measuring or
// when the arena is full.
TriboProximal* tribo_proximal_init(TriboArena* arena, int contacts, int size, int entries);

// Improves r (in: where to start, finite; out: the best found). TRIBO_OK: certified.
// TRIBO_ERROR_LIMIT: not. TRIBO_ERROR_CAPACITY: the problem is larger than the solver, nothing
// changed. The problem must be valid.
TriboStatus tribo_proximal_solve(TriboProximal* solver, const TriboDelassus* problem,
                                 const TriboProximalOptions* options, double* r,
                                 TriboProximalInfo* info) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_PROXIMAL_H_
