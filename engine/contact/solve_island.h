// SPDX-License-Identifier: Apache-2.0
//
// One island's contact problem to the solver that the options choose, judged by the certificate.
// Internal.
#ifndef TRIBO_ENGINE_CONTACT_SOLVE_ISLAND_H_
#define TRIBO_ENGINE_CONTACT_SOLVE_ISLAND_H_

#include "engine/contact/assemble.h"
#include "engine/tribo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboIslandInfo {
  TriboStatus status;
  TriboRung rung;
  int pivots, iterations;
  bool stopped;  // by the budget
  bool relaxed;  // the answer, and its certificate, are of a problem with compliance or other
                 // targets
  int row;       // with TRIBO_ERROR_INFEASIBLE: the equality row, or -1
  TriboCertificate certificate;
} TriboIslandInfo;

// The sum of what several solves took and the worst of how well they went.
void tribo_island_info_add(TriboIslandInfo* sum, const TriboIslandInfo* one);
void tribo_certificate_worsen(TriboCertificate* all, const TriboCertificate* one);

// Bytes of scratch memory that the largest island of a set can need.
size_t tribo_island_scratch(const TriboProblemSet* set);

// Whether a solver fits a contact model.
bool tribo_solver_fits(TriboSolver solver, TriboContactModel model);

// Solves `problem` (an island's own, or one with other targets) into `solution`. warm: impulses and
// modes to start from, or NULL. Without a budget TRIBO_OK means that the certificate holds; with
// one, that there is an answer, and info tells how good it is. Statuses as info->status.
TriboStatus tribo_island_solve(const TriboStepOptions* options, const TriboContactProblem* problem,
                               const TriboContactSolution* warm, TriboContactSolution* solution,
                               TriboArena* scratch, TriboIslandInfo* info) TRIBO_CHECKED;

// The same for Coulomb's law with a compliance of all normals and tangents, relative to the square
// of each row: the last resort where no rigid answer certifies. The certificate is that of the
// compliant problem.
TriboStatus tribo_island_solve_softened(const TriboStepOptions* options,
                                        const TriboContactProblem* problem, double compliance,
                                        TriboContactSolution* solution, TriboArena* scratch,
                                        TriboIslandInfo* info) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_CONTACT_SOLVE_ISLAND_H_
