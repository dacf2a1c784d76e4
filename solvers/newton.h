// SPDX-License-Identifier: Apache-2.0
//
// Newton's method on the law of problem.h with the round cone: from the modes of a similar
// problem's answer, which mostly still hold, or from a nearby answer such as the polygon's.
// Internal; tribo_contact_solve (solve.h) is what the engine calls.
#ifndef TRIBO_SOLVERS_NEWTON_H_
#define TRIBO_SOLVERS_NEWTON_H_

#include "solvers/coordinate_lu.h"
#include "solvers/scaled.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboNewton TriboNewton;

typedef struct TriboNewtonOptions {
  bool modes;          // the first step holds the modes of the solution given; otherwise modes are
                       // read from its impulses
  int max_iterations;  // 50
  double proximal;     // delta, relative to each row's square; 1e-4
  double tolerance;  // of the natural residual, relative to the largest velocity and impulse; 1e-14
} TriboNewtonOptions;

// No modes, 50, 1e-4, 1e-14.
TriboNewtonOptions tribo_newton_options_default(void);

// Up to this many rows a step is solved over the rows, and no factor over coordinates is used.
enum { TRIBO_NEWTON_FEW_ROWS = 16 };

// The factor is the caller's, for as many coordinates; it may be NULL for few rows (X, N and T
// together). NULL while measuring or when the arena is full.
TriboNewton* tribo_newton_init(TriboArena* arena, TriboSolverCapacity capacity,
                               TriboCoordinateLu* lu);

// Improves the impulses in `solution`, which must be finite, and leaves the iterate with the least
// residual there, y and modes included. TRIBO_OK: the tolerance was met, or the modes given were
// solved exactly (then nothing was looked at that they do not say: the certificate judges);
// TRIBO_ERROR_LIMIT: the iterations ran out, or no step helped any more; TRIBO_ERROR_SINGULAR;
// TRIBO_ERROR_CAPACITY: more rows than it has room for, nothing changed.
TriboStatus tribo_newton_solve(TriboNewton* newton, const TriboContactProblem* problem,
                               const TriboNewtonOptions* options, TriboContactSolution* solution,
                               int* iterations) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_NEWTON_H_
