// SPDX-License-Identifier: Apache-2.0
//
// The contact solver that the engine calls: a ladder of solvers, every answer judged by the
// certificate, so that no bad answer goes unlabelled. Internal.
#ifndef TRIBO_SOLVERS_SOLVE_H_
#define TRIBO_SOLVERS_SOLVE_H_

#include "solvers/certificate.h"
#include "solvers/scaled.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboContactSolver TriboContactSolver;

typedef struct TriboContactOptions {
  TriboCone cone;
  double tolerance;  // of the certificate's `worst`; 1e-9
  int max_turns;     // times that facets are added, per rung; 30
  int max_sweeps;    // of the last rung; 10000
  bool validated;    // tribo_problem_validate holds by construction and is not repeated; false
  bool pivoting;     // from nothing by Lemke's algorithm alone, without the convex rounds that keep
                     // a symmetric problem's answer symmetric; false
  bool softened;     // answers are easy to find: without the interior point method; false
  bool canonical;    // answers with the canonical impulses (canonical.h); round cone only; false
  int budget;        // most pivots, Newton iterations and sweeps together, 0: no limit; 0
} TriboContactOptions;

typedef struct TriboContactInfo {
  TriboRung rung;                // which gave the answer; TRIBO_RUNG_COUNT when none did
  bool fine;                     // by Lemke in twice the precision, the second try of COLD
  int pivots;                    // of all Lemke solves
  int iterations;                // of Newton, all together
  int turns;                     // times that facets were added
  int sweeps;                    // of Gauss-Seidel
  bool canonical;                // the impulses are the canonical ones
  int row;                       // equality row in contradiction, or -1
  TriboCertificate certificate;  // of the answer; worst infinite when there is none
} TriboContactInfo;

// Round cone, 1e-9, 30, 10000, not validated, not canonical, no budget.
TriboContactOptions tribo_contact_options_default(void);

// NULL while measuring or when the arena is full.
TriboContactSolver* tribo_contact_solver_init(TriboArena* arena, TriboSolverCapacity capacity);

// The same for one solve that will most likely need the warm start only: the other rungs take their
// memory from the arena, which must stay, when they are reached. In all it is as much.
TriboContactSolver* tribo_contact_solver_init_warm(TriboArena* arena, TriboSolverCapacity capacity);

// Solves a problem. warm: impulses and modes of a similar problem's answer, row by row (y is not
// read; may be `solution`), or NULL. Where the modes still hold they are solved directly, without a
// pivot, and the impulses decide only how redundant contacts share the load: the answer is the one
// nearest to them.
// TRIBO_OK: the certificate holds. TRIBO_ERROR_LIMIT: no rung certified, or the budget ended.
// TRIBO_ERROR_RAY: nor did any, and Lemke ended on a ray every time. After both the best answer
// found is written with its certificate; where there is none, worst is infinite and the solution is
// as it was. TRIBO_ERROR_INFEASIBLE: equality row info->row contradicts those before it; nothing is
// written. TRIBO_ERROR_CAPACITY, TRIBO_ERROR_ARGUMENT, TRIBO_ERROR_NOT_FINITE: the problem does not
// fit or makes no sense; nothing is written.
TriboStatus tribo_contact_solve(TriboContactSolver* solver, const TriboContactProblem* problem,
                                const TriboContactOptions* options,
                                const TriboContactSolution* warm, TriboContactSolution* solution,
                                TriboContactInfo* info) TRIBO_CHECKED;

// Memory for a solution of that size; false: the arena is full, or measured. And a copy.
bool tribo_solution_init(TriboContactSolution* solution, TriboArena* arena,
                         TriboSolverCapacity capacity);
void tribo_solution_copy(const TriboContactProblem* problem, const TriboContactSolution* from,
                         TriboContactSolution* to);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_SOLVE_H_
