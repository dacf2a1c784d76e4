// SPDX-License-Identifier: Apache-2.0
//
// The solvers of one island, as solve_island.c chooses among them: each fills `solution` and judges
// it. TRIBO_OK means that the certificate holds. Internal to the contact folder.
#ifndef TRIBO_ENGINE_CONTACT_ISLAND_SOLVERS_H_
#define TRIBO_ENGINE_CONTACT_ISLAND_SOLVERS_H_

#include "engine/contact/solve_island.h"
#include "solvers/psd.h"
#include "solvers/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

// Pivots and iterations after which one softened problem is given up for another, and the ladder
// for these: work over normals, since an iteration costs as much as there are contacts. Nearly all
// islands need fewer than 100; on small ones there is room for all ways of the interior point
// method.
enum {
  TRIBO_ISLAND_WORK = 1000,
  TRIBO_LADDER_WORK = 384000,
  TRIBO_LADDER_LEAST = 2000,
  TRIBO_LADDER_MOST = 12000
};

// ---- solve_coulomb.c: Coulomb's law, by the solver that the options name

TriboStatus tribo_island_coulomb(const TriboStepOptions* options,
                                 const TriboContactProblem* problem,
                                 const TriboContactSolution* warm, TriboContactSolution* solution,
                                 TriboArena* scratch, TriboIslandInfo* info) TRIBO_CHECKED;

// By the ladder of solvers/solve.h; of a softened problem, whose answers are easy to find, without
// the interior point method.
TriboStatus tribo_island_ladder(const TriboStepOptions* options, const TriboContactProblem* problem,
                                bool softened, const TriboContactSolution* warm,
                                TriboContactSolution* solution, TriboArena* scratch,
                                TriboIslandInfo* info) TRIBO_CHECKED;

// Anytime: at most `sweeps` passes of Gauss-Seidel from the impulses in `solution`.
// TRIBO_ERROR_LIMIT: the certificate does not hold; impulses are within their bounds all the same.
TriboStatus tribo_island_sweep(const TriboStepOptions* options, const TriboContactProblem* problem,
                               int sweeps, TriboContactSolution* solution, TriboArena* scratch,
                               TriboIslandInfo* info) TRIBO_CHECKED;

// Impulses to start from: the last step's, or none.
void tribo_island_start(const TriboContactProblem* problem, const TriboContactSolution* warm,
                        TriboContactSolution* solution);

// ---- solve_held.c: what is positive semidefinite

TriboStatus tribo_island_frictionless(const TriboStepOptions* options,
                                      const TriboContactProblem* problem,
                                      const TriboContactSolution* warm,
                                      TriboContactSolution* solution, TriboArena* scratch,
                                      TriboIslandInfo* info) TRIBO_CHECKED;

// Tangents of touching contacts as equality rows. refuse > 0: these enter by what is left of them,
// down to this share (psd.h); 0: in their order.
TriboStatus tribo_island_held(const TriboStepOptions* options, const TriboContactProblem* problem,
                              double refuse, const TriboContactSolution* warm,
                              TriboContactSolution* solution, TriboArena* scratch,
                              TriboIslandInfo* info) TRIBO_CHECKED;

// The problem as its certificate must see it: tangents that took part hold (a bound beyond all
// impulses), others carry nothing. group: memory for the groups.
TriboContactProblem tribo_island_as_held(const TriboContactProblem* problem,
                                         const TriboContactSolution* solution,
                                         TriboFrictionGroup* group);

// How many groups belong to joints; they come before those of contacts.
int tribo_island_joint_groups(const TriboContactProblem* problem);

// Scratch memory of tribo_island_held for problems of that size.
void tribo_island_measure_held(TriboArena* arena, TriboSolverCapacity size);

// ---- soften.c: problems with a compliance

typedef enum TriboSoftRows {
  TRIBO_SOFT_NORMALS = 1,
  TRIBO_SOFT_TANGENTS = 2,
  TRIBO_SOFT_BOTH = 3,
} TriboSoftRows;

typedef struct TriboSoftness {
  double compliance;  // relative to the square of each row
  TriboSoftRows rows;
} TriboSoftness;

// Solves the softened problem, warm: from what is in `solution`. An answer that certifies as one of
// the rigid problem counts as that; any other is relaxed.
TriboStatus tribo_island_softened(const TriboStepOptions* options,
                                  const TriboContactProblem* problem, TriboSoftness softness,
                                  bool warm, TriboContactSolution* solution, TriboArena* scratch,
                                  TriboIslandInfo* info) TRIBO_CHECKED;

// Coulomb's law, from softened problems to the rigid one: TRIBO_OK only for an answer of that.
TriboStatus tribo_island_follow(const TriboStepOptions* options, const TriboContactProblem* problem,
                                TriboContactSolution* solution, TriboArena* scratch,
                                TriboIslandInfo* info) TRIBO_CHECKED;

TriboSolverCapacity tribo_island_softened_size(TriboSolverCapacity size);
// Bytes for whatever solves a softened problem of that size, and so for the rigid one too.
size_t tribo_island_softened_scratch(TriboSolverCapacity size);

// ---- solve_island.c

// Whether Coulomb's law is asked for: by the model, or because all groups are of joints.
bool tribo_island_is_coulomb(const TriboStepOptions* options, const TriboContactProblem* problem);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_CONTACT_ISLAND_SOLVERS_H_
