// SPDX-License-Identifier: Apache-2.0
//
// Coulomb's law by an interior point method: towards an answer from nothing, where redundant
// contacts jam and Newton's method and pivoting lose their way. The number of iterations hardly
// depends on how many contacts there are; newton.h finishes what comes out. Internal.
#ifndef TRIBO_SOLVERS_INTERIOR_H_
#define TRIBO_SOLVERS_INTERIOR_H_

#include "solvers/convex.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboInterior TriboInterior;

typedef struct TriboInteriorOptions {
  int max_iterations;  // 60
  double proximal;     // delta, with rows of length 1; 1e-6
  double centering;    // least share of the complementarity that a step keeps; 0.3
  double balance;      // complementarity is not brought below this share of the residual; 0
  int rounds;          // 0; above, the shift is held while a step is made, for so many rounds
  int scatter;  // 0; above, the seed of random shifts to be held, or of a random point to start
                // from
  bool resume;  // rounds go on from the shifts of the last solve
  bool fade;    // the shift moves less with the slip the farther friction is from its bound
} TriboInteriorOptions;

TriboInteriorOptions tribo_interior_options_default(void);

// Where contacts jam one way gets stuck and another does not: shifts that move with the slip,
// shifts held from none on and followed round by round, paths closer to the centre, and at last
// shifts held at random and random points to start from. A way may go on from the one before.
enum { TRIBO_INTERIOR_WAYS = 53 };
TriboInteriorOptions tribo_interior_way(int way);

// Rows, pieces and factor are those of `convex`. NULL while measuring or when the arena is full.
TriboInterior* tribo_interior_init(TriboArena* arena, TriboSolverCapacity capacity,
                                   TriboConvex* convex);

// Impulses and modes near an answer, whatever is in `solution`. TRIBO_OK: complementarity and
// residual are small; TRIBO_ERROR_LIMIT: iterations ran out or steps became too short, the last
// point is written all the same; TRIBO_ERROR_CAPACITY: nothing is.
TriboStatus tribo_interior_solve(TriboInterior* interior, const TriboContactProblem* problem,
                                 const TriboInteriorOptions* options,
                                 TriboContactSolution* solution, int* iterations) TRIBO_CHECKED;

// The point where the last solve ended, once more.
void tribo_interior_point(TriboInterior* interior, TriboContactSolution* solution);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_INTERIOR_H_
