// SPDX-License-Identifier: Apache-2.0
//
// Projected Gauss-Seidel on the contact problem: what the field compares against, and the last rung
// of the fallback ladder. Internal.
#ifndef TRIBO_SOLVERS_PGS_H_
#define TRIBO_SOLVERS_PGS_H_

#include "engine/base/status.h"
#include "solvers/certificate.h"
#include "solvers/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboPgsOptions {
  TriboCone cone;
  int sweeps;        // largest number of passes over all rows, >= 0
  double tolerance;  // stop when a sweep changes y by at most this part of its own length
} TriboPgsOptions;

typedef struct TriboPgsStats {
  int sweeps;     // passes done
  double change;  // relative change of y in the last one
} TriboPgsStats;

// Round cone, 10000 sweeps, 1e-13.
TriboPgsOptions tribo_pgs_options_default(void);

// Starts from the impulses in `solution` (set them to 0 for a cold start; what is outside its
// bounds is projected) and leaves the last iterate there, modes and y included. Needs no memory.
// TRIBO_OK: the tolerance stopped it; TRIBO_ERROR_LIMIT: the number of sweeps did.
TriboStatus tribo_pgs_solve(const TriboContactProblem* problem, const TriboPgsOptions* options,
                            TriboContactSolution* solution, TriboPgsStats* stats) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_PGS_H_
