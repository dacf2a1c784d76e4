// SPDX-License-Identifier: Apache-2.0
//
// Coulomb's law through convex problems, for large islands and far starts: with the normal velocity
// shifted by mu times the sliding speed the law is a projection onto the friction cone, and with
// the shift held fixed it is the optimum of a convex function, which Newton's method finds from
// anywhere. Comes close to an answer; newton.h finishes it. Internal.
#ifndef TRIBO_SOLVERS_CONVEX_H_
#define TRIBO_SOLVERS_CONVEX_H_

#include "solvers/coordinate_lu.h"
#include "solvers/scaled.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboConvex TriboConvex;

typedef struct TriboConvexOptions {
  int max_rounds;      // shifts and multipliers updated; 8
  int max_iterations;  // Newton steps in all rounds together; 100
  double first, last;  // proximal term of the first and of the last rounds; 1e-3, 1e-6
  double tolerance;    // change of the impulses in a round, relative; 1e-3
} TriboConvexOptions;

TriboConvexOptions tribo_convex_options_default(void);

// The factor is the caller's, for as many coordinates. NULL while measuring or when the arena is
// full.
TriboConvex* tribo_convex_init(TriboArena* arena, TriboSolverCapacity capacity,
                               TriboCoordinateLu* lu);

// From the impulses in `solution`, which must be finite, to impulses and modes near an answer.
// TRIBO_OK: the last round changed little; TRIBO_ERROR_LIMIT: rounds or iterations ran out, the
// last point is written all the same; TRIBO_ERROR_CAPACITY and TRIBO_ERROR_SINGULAR: nothing is.
TriboStatus tribo_convex_solve(TriboConvex* convex, const TriboContactProblem* problem,
                               const TriboConvexOptions* options, TriboContactSolution* solution,
                               int* iterations) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_CONVEX_H_
