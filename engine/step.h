// SPDX-License-Identifier: Apache-2.0
//
// What the files of a step share. Internal.
#ifndef TRIBO_ENGINE_STEP_H_
#define TRIBO_ENGINE_STEP_H_

#include "engine/state.h"
#include "engine/workspace.h"

#ifdef __cplusplus
extern "C" {
#endif

// One call of tribo_step.
typedef struct TriboStepCall {
  const TriboModel* model;
  const TriboStepOptions* options;
  const TriboInput* input;
  TriboState* state;
  TriboWorkspace* ws;
} TriboStepCall;

// A failure about one element of the model: names it in the step info and returns the status.
TriboStatus tribo_step_fail(const TriboStepCall* step, TriboStatus status, TriboKind kind,
                            int element);

// ---- step_options.c

// Whether options make sense: TRIBO_ERROR_ARGUMENT.
TriboStatus tribo_step_check_options(const TriboStepOptions* options) TRIBO_CHECKED;

// ---- step_islands.c: stages that work on every island alone, on the threads that the workspace
// has

// Impulses and v+, from the rows.
TriboStatus tribo_step_solve_islands(const TriboStepCall* step) TRIBO_CHECKED;
// Restitution: v+ after the impacts at the end of the step. Positions have moved with the velocity
// before them.
TriboStatus tribo_step_bounce(const TriboStepCall* step) TRIBO_CHECKED;
// Adds the shortest way out of what is wrong at the end of the step to the displacement. False:
// nothing was.
bool tribo_step_repair(const TriboStepCall* step);
// Loops that still contradict each other where the rounds of the projection end.
TriboStatus tribo_step_check_loops(const TriboStepCall* step) TRIBO_CHECKED;
// Whether some contact of an island carries force, or a loop may.
bool tribo_step_carries_force(const TriboProblemSet* set, int island);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_STEP_H_
