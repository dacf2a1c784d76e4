// SPDX-License-Identifier: Apache-2.0
//
// A floor under a scene. Internal: callers set TriboLoadOptions.floor.
#ifndef TRIBO_MODELS_FLOOR_H_
#define TRIBO_MODELS_FLOOR_H_

#include "models/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// Adds a plane of the default material, `gap` below the lowest point of the shapes on links where
// the scene starts. TRIBO_ERROR_MODEL: there are no such shapes, or the builder makes no model.
TriboStatus tribo_scene_add_floor(TriboScene* scene, double gap,
                                  TriboMessage* message) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_MODELS_FLOOR_H_
