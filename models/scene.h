// SPDX-License-Identifier: Apache-2.0
//
// The insides of a TriboScene, as the readers fill it. Internal.
#ifndef TRIBO_MODELS_SCENE_H_
#define TRIBO_MODELS_SCENE_H_

#include "models/pool.h"
#include "models/report.h"
#include "models/tribo_models.h"
#include "models/xml.h"

#ifdef __cplusplus
extern "C" {
#endif

struct TriboScene {
  TriboPool pool;  // everything below that is no object of its own
  TriboFormat format;
  const char* name;
  TriboBuilder* builder;
  TriboReport* report;
  double timestep;
  int key_count, key_capacity;
  TriboKeyframe* keys;
  int visual_count, visual_capacity;
  TriboVisual* visuals;
  int sensor_count, sensor_capacity;
  TriboSensor* sensors;
};

// An empty scene with a builder and a report.
TriboStatus tribo_scene_create(const TriboAllocator* allocator, TriboScene** scene) TRIBO_CHECKED;

// Append copies; strings and arrays are copied too, where they are not NULL.
TriboStatus tribo_scene_add_key(TriboScene* scene, const TriboKeyframe* key) TRIBO_CHECKED;
TriboStatus tribo_scene_add_visual(TriboScene* scene, const TriboVisual* visual) TRIBO_CHECKED;
TriboStatus tribo_scene_add_sensor(TriboScene* scene, const TriboSensor* sensor) TRIBO_CHECKED;

// The readers: fill an empty scene from a document, which may have to take other documents over.
TriboStatus tribo_urdf_read(TriboScene* scene, TriboXml* xml, const TriboLoadOptions* options,
                            TriboMessage* message) TRIBO_CHECKED;
TriboStatus tribo_mjcf_read(TriboScene* scene, TriboXml* xml, const TriboLoadOptions* options,
                            TriboMessage* message) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_MODELS_SCENE_H_
