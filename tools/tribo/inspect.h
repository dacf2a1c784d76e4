// SPDX-License-Identifier: Apache-2.0
//
// A model as JSON rows, for `tribo check`.
#ifndef TRIBO_TOOLS_TRIBO_INSPECT_H_
#define TRIBO_TOOLS_TRIBO_INSPECT_H_

#include <jansson.h>

#include "models/tribo_models.h"

// One object: name, counts, total mass, time step.
json_t* tribo_inspect_summary(const TriboScene* scene, const TriboModel* model);

// Arrays of objects, one per element.
json_t* tribo_inspect_links(const TriboModel* model);
json_t* tribo_inspect_joints(const TriboModel* model);
json_t* tribo_inspect_shapes(const TriboModel* model);
json_t* tribo_inspect_actuators(const TriboModel* model);

// What is allowed but looks physically wrong: objects with element and what.
json_t* tribo_inspect_suspicions(const TriboScene* scene, const TriboModel* model);

#endif  // TRIBO_TOOLS_TRIBO_INSPECT_H_
