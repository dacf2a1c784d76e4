// SPDX-License-Identifier: Apache-2.0
//
// Position projection: what penetrates at the end of the step is moved apart, and rigid loops are
// closed, by the shortest way in the metric of M and without a change of velocity. Internal.
//
//   minimize 1/2 |dy|^2   subject to   X dy = -error,  N dy >= repair - gap
//
// on the gaps that the step predicts, phi + h N v+. Rows are slightly compliant, so that what
// cannot be repaired (a body squeezed between two walls, loops that contradict each other) is
// shared and not infeasible.
#ifndef TRIBO_ENGINE_CONTACT_PROJECT_H_
#define TRIBO_ENGINE_CONTACT_PROJECT_H_

#include "engine/contact/assemble.h"
#include "engine/tribo.h"

#ifdef __cplusplus
extern "C" {
#endif

// What is wrong at the end of the step, by row of the set's pools.
typedef struct TriboDefects {
  double* gap;    // rows of N: predicted gap
  double* error;  // rows of X: error of a rigid loop, 0 of others
} TriboDefects;

void tribo_defects_layout(TriboDefects* defects, TriboArena* arena, const TriboProblemSet* set);

// Bytes of scratch memory that the largest island of a set can need.
size_t tribo_project_scratch(const TriboProblemSet* set, const TriboModel* model);

// The gaps that v+ leads to; no loop has an error yet.
void tribo_project_predict(const TriboProblemSet* set, const TriboDetection* detection, double h,
                           TriboDefects* defects);
// The errors of rigid loops at the configuration q, whose kinematics the tree holds.
void tribo_project_loops(const TriboProblemSet* set, const TriboModel* model, const TriboTree* tree,
                         const double* q, TriboDefects* defects);
// Whether the set has rigid loops.
bool tribo_project_has_loops(const TriboProblemSet* set);

// Whether an island penetrates by more than the slop, or one of its loops is open.
bool tribo_project_needed(const TriboProblemSet* set, int island, const TriboStepOptions* options,
                          const TriboDefects* defects);

// The displacement of an island in mass coordinates, to its dofs of shift (nv); its gaps follow.
// TRIBO_ERROR_INFEASIBLE: rigid loops contradict each other, `row` is one of them that stays open
// (a row of X). On any other failure nothing changes.
TriboStatus tribo_project(const TriboProblemSet* set, int island, const TriboStepOptions* options,
                          TriboDefects* defects, TriboArena* scratch, double* shift,
                          int* row) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_CONTACT_PROJECT_H_
