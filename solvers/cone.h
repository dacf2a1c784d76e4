// SPDX-License-Identifier: Apache-2.0
//
// The round friction cone: Newton's method from a nearby answer, usually the polygon's, and the
// turning of the polygon's facets for where Newton does not arrive. Internal; tribo_contact_solve
// (solve.h) is what the engine calls.
#ifndef TRIBO_SOLVERS_CONE_H_
#define TRIBO_SOLVERS_CONE_H_

#include "solvers/scaled.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboConeSolver TriboConeSolver;

typedef struct TriboConeOptions {
  int max_iterations;  // 50
  double proximal;     // delta, on unit rows; 1e-4
  double tolerance;    // of the natural residual, relative to the velocity scale; 1e-14
} TriboConeOptions;

TriboConeOptions tribo_cone_options_default(void);

// NULL while measuring or when the arena is full.
TriboConeSolver* tribo_cone_init(TriboArena* arena, TriboSolverCapacity capacity);

// Improves the impulses in `solution`, which must be finite, and leaves the iterate with the least
// residual there, y and modes included. TRIBO_OK: the tolerance was met; TRIBO_ERROR_LIMIT: the
// iterations ran out, or no step helped any more (rounding does that just above the tolerance: only
// the certificate says whether the answer is good); TRIBO_ERROR_SINGULAR; TRIBO_ERROR_CAPACITY:
// more rows than a dense system is for, nothing changed.
TriboStatus tribo_cone_newton(TriboConeSolver* cone, const TriboScaled* scaled,
                              const TriboConeOptions* options, TriboContactSolution* solution,
                              int* iterations) TRIBO_CHECKED;

// Turns the polygon of every group that slides at velocity y, so that one of its facets opposes the
// sliding; `damped` goes half of the way. turn: (cos, sin) per group, in and out (2 ng), as
// TriboLemkeOptions has it.
void tribo_cone_turn(const TriboScaled* scaled, const double* y, bool damped, double* turn);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_CONE_H_
