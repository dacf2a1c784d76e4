// SPDX-License-Identifier: Apache-2.0
//
// Position projection: what penetrates at the end of the step is moved apart by the shortest way in
// the metric of M, without a change of velocity. Internal.
//
//   minimize 1/2 |dy|^2   subject to   N dy >= repair - slack
//
// on the gaps that the step predicts, phi + h N v+. Rows are slightly compliant, so that what
// cannot be repaired (a body squeezed between two walls) is shared and not infeasible.
#ifndef TRIBO_ENGINE_CONTACT_PROJECT_H_
#define TRIBO_ENGINE_CONTACT_PROJECT_H_

#include "engine/contact/assemble.h"
#include "engine/tribo.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bytes of scratch memory that the largest island of a set can need.
size_t tribo_project_scratch(const TriboProblemSet* set, const TriboModel* model);

// Whether an island penetrates at the end of the step by more than the slop; writes the predicted
// gaps (N.count) to `gap`.
bool tribo_project_needed(const TriboProblemSet* set, const TriboDetection* detection, int island,
                          const TriboStepOptions* options, double* gap);

// The displacement of an island in mass coordinates, to dy (ny of the island). The predicted gaps
// are read from `gap`. On failure dy is 0.
TriboStatus tribo_project(const TriboProblemSet* set, int island, const TriboStepOptions* options,
                          const double* gap, TriboArena* scratch, double* dy) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_CONTACT_PROJECT_H_
