// SPDX-License-Identifier: Apache-2.0
//
// The object that a file becomes, and what all readers share.
#include "models/scene.h"

#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/message.h"

TriboStatus tribo_scene_create(const TriboAllocator* allocator, TriboScene** scene) {
  *scene = NULL;
  TriboScene* made = tribo_allocate(allocator, sizeof *made);
  if (!made) return TRIBO_ERROR_MEMORY;
  memset(made, 0, sizeof *made);
  tribo_pool_init(&made->pool, allocator);
  made->name = "";
  TriboStatus status = tribo_builder_create(allocator, &made->builder);
  if (status == TRIBO_OK) {
    status = tribo_report_create(TRIBO_REPORT_DEFAULT_CAPACITY, allocator, &made->report);
  }
  if (status != TRIBO_OK) {
    tribo_scene_destroy(made);
    return status;
  }
  *scene = made;
  return TRIBO_OK;
}

void tribo_scene_destroy(TriboScene* scene) {
  if (!scene) return;
  TriboAllocator copy = scene->pool.allocator;
  const TriboAllocator* allocator = scene->pool.has_allocator ? &copy : NULL;
  tribo_builder_destroy(scene->builder);
  tribo_report_destroy(scene->report);
  tribo_pool_clear(&scene->pool);
  tribo_release(allocator, scene, sizeof *scene);
}

TriboFormat tribo_scene_format(const TriboScene* scene) { return scene->format; }
const char* tribo_scene_name(const TriboScene* scene) { return scene->name; }
TriboBuilder* tribo_scene_builder(TriboScene* scene) { return scene->builder; }
const TriboReport* tribo_scene_report(const TriboScene* scene) { return scene->report; }
double tribo_scene_timestep(const TriboScene* scene) { return scene->timestep; }

int tribo_scene_key_count(const TriboScene* scene) { return scene->key_count; }
const TriboKeyframe* tribo_scene_key(const TriboScene* scene, int key) {
  return key >= 0 && key < scene->key_count ? &scene->keys[key] : NULL;
}
int tribo_scene_visual_count(const TriboScene* scene) { return scene->visual_count; }
const TriboVisual* tribo_scene_visual(const TriboScene* scene, int visual) {
  return visual >= 0 && visual < scene->visual_count ? &scene->visuals[visual] : NULL;
}
int tribo_scene_sensor_count(const TriboScene* scene) { return scene->sensor_count; }
const TriboSensor* tribo_scene_sensor(const TriboScene* scene, int sensor) {
  return sensor >= 0 && sensor < scene->sensor_count ? &scene->sensors[sensor] : NULL;
}

// ---------------------------------------------------------------------------------------------------
// Filling
// ---------------------------------------------------------------------------------------------------

static bool copy_name(TriboScene* scene, const char** name) {
  *name = *name ? tribo_pool_text(&scene->pool, *name, strlen(*name)) : "";
  return *name != NULL;
}

// A copy of `count` elements; none stays NULL.
static bool copy_array(TriboScene* scene, const void** array, size_t count, size_t size) {
  if (!*array || count == 0) {
    *array = NULL;
    return true;
  }
  void* copy = tribo_pool_take(&scene->pool, count, size);
  if (copy) memcpy(copy, *array, count * size);
  *array = copy;
  return copy != NULL;
}

static bool copy_doubles(TriboScene* scene, const double** array, int count) {
  const void* copy = *array;
  bool fine = copy_array(scene, &copy, (size_t)count, sizeof(double));
  *array = copy;
  return fine;
}

TriboStatus tribo_scene_add_key(TriboScene* scene, const TriboKeyframe* key) {
  TriboKeyframe copy = *key;
  void* keys = tribo_pool_grow(&scene->pool, scene->keys, scene->key_count, &scene->key_capacity,
                               sizeof *scene->keys);
  if (!keys || !copy_name(scene, &copy.name) || !copy_doubles(scene, &copy.q, copy.nq) ||
      !copy_doubles(scene, &copy.v, copy.nv) || !copy_doubles(scene, &copy.control, copy.nu)) {
    return TRIBO_ERROR_MEMORY;
  }
  scene->keys = keys;
  scene->keys[scene->key_count++] = copy;
  return TRIBO_OK;
}

TriboStatus tribo_scene_add_visual(TriboScene* scene, const TriboVisual* visual) {
  TriboVisual copy = *visual;
  TriboShapeDesc* d = &copy.shape;
  const void* triangles = d->triangles;
  void* visuals = tribo_pool_grow(&scene->pool, scene->visuals, scene->visual_count,
                                  &scene->visual_capacity, sizeof *scene->visuals);
  if (!visuals || !copy_name(scene, &d->name) ||
      !copy_doubles(scene, &d->vertices, 3 * d->vertex_count) ||
      !copy_array(scene, &triangles, 3 * (size_t)d->triangle_count, sizeof(int)) ||
      !copy_doubles(scene, &d->heights, d->rows * d->columns)) {
    return TRIBO_ERROR_MEMORY;
  }
  d->triangles = triangles;
  scene->visuals = visuals;
  scene->visuals[scene->visual_count++] = copy;
  return TRIBO_OK;
}

TriboStatus tribo_scene_add_sensor(TriboScene* scene, const TriboSensor* sensor) {
  TriboSensor copy = *sensor;
  void* sensors = tribo_pool_grow(&scene->pool, scene->sensors, scene->sensor_count,
                                  &scene->sensor_capacity, sizeof *scene->sensors);
  if (!sensors || !copy_name(scene, &copy.name)) return TRIBO_ERROR_MEMORY;
  scene->sensors = sensors;
  scene->sensors[scene->sensor_count++] = copy;
  return TRIBO_OK;
}
