// SPDX-License-Identifier: Apache-2.0
//
// The header of a trajectory: a JSON object that says what the numbers mean. Internal.
#ifndef TRIBO_TOOLS_TRAJECTORY_META_H_
#define TRIBO_TOOLS_TRAJECTORY_META_H_

#include <jansson.h>

#include "tools/trajectory/tribo_trajectory.h"

#ifdef __cplusplus
extern "C" {
#endif

// The header as JSON text, to be freed; NULL when memory is out or `settings` is no JSON object.
char* tribo_meta_write(const TriboModel* model, const TriboStepOptions* step,
                       const TriboRecordOptions* options);

// {"dt": .., "model": "coulomb", ..} of all step options, and back: a key that is not there keeps
// its default, one that is unknown or has no sense is TRIBO_ERROR_PARSE.
json_t* tribo_meta_step_options(const TriboStepOptions* step);
TriboStatus tribo_meta_read_step_options(const json_t* object, TriboStepOptions* step,
                                         TriboMessage* message) TRIBO_CHECKED;

// A model with the same joints, for tribo_q_difference; nothing else of it is the same.
TriboStatus tribo_meta_joints_model(const json_t* meta, TriboModel** model,
                                    TriboMessage* message) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_TRAJECTORY_META_H_
