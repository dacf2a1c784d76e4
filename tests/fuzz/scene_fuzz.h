// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a model file: the first byte chooses options, the rest is the text. What loads is
// compiled, written as MJCF and read again.
#ifndef TRIBO_TESTS_FUZZ_SCENE_FUZZ_H_
#define TRIBO_TESTS_FUZZ_SCENE_FUZZ_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "models/tribo_models.h"

// What the headers promise; a broken promise is a crash that the fuzzer sees.
inline void Promise(bool kept) {
  if (!kept) std::abort();
}

inline void CheckModel(const TriboModel* model, const TriboScene* scene) {
  TriboLinkDesc link;
  for (int i = 0; tribo_model_link(model, i, &link); ++i) {
    Promise(std::isfinite(link.mass) && link.mass >= 0);
  }
  for (int i = 0; i < tribo_scene_key_count(scene); ++i) {
    const TriboKeyframe* key = tribo_scene_key(scene, i);
    Promise(key->nq == tribo_model_nq(model) && key->nv == tribo_model_nv(model) &&
            key->nu == tribo_model_nu(model));
  }
  TriboSensor sensor;
  for (int i = 0; i < tribo_scene_sensor_count(scene); ++i) {
    sensor = *tribo_scene_sensor(scene, i);
    Promise((sensor.joint >= 0) != (sensor.frame >= 0));
    Promise(sensor.joint < tribo_model_count(model, TRIBO_KIND_JOINT) &&
            sensor.frame < tribo_model_count(model, TRIBO_KIND_FRAME));
  }
  char* text = nullptr;
  size_t size = 0;
  FILE* out = open_memstream(&text, &size);
  Promise(tribo_mjcf_write(model, scene, out, nullptr, nullptr) == TRIBO_OK);
  fclose(out);
  TriboScene* again = nullptr;
  TriboMessage message;
  const TriboStatus status =
      tribo_scene_load_string(text, size, nullptr, nullptr, &again, &message);
  Promise((status == TRIBO_OK) == (again != nullptr));
  tribo_scene_destroy(again);
  free(text);
}

inline int FuzzScene(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  TriboLoadOptions options = tribo_load_options_default();
  options.strict = (data[0] & 1) != 0;
  options.allow_unsupported = (data[0] & 2) != 0;
  options.root = (TriboRootType)((data[0] >> 2) % 3);
  options.floor = (data[0] & 64) != 0;
  options.floor_gap = 0.1;
  const char* text = (const char*)data + 1;
  TriboScene* scene = nullptr;
  TriboMessage message = {};
  const TriboStatus status =
      tribo_scene_load_string(text, size - 1, nullptr, &options, &scene, &message);
  Promise((status == TRIBO_OK) == (scene != nullptr));
  Promise((status == TRIBO_OK) == (message.text[0] == '\0'));
  if (scene == nullptr) return 0;
  TriboModel* model = nullptr;
  const TriboStatus made =
      tribo_model_create(tribo_scene_builder(scene), nullptr, &model, &message);
  Promise((made == TRIBO_OK) == (model != nullptr));
  if (model != nullptr) CheckModel(model, scene);
  tribo_model_destroy(model);
  tribo_scene_destroy(scene);
  return 0;
}

#endif  // TRIBO_TESTS_FUZZ_SCENE_FUZZ_H_
