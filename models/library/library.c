// SPDX-License-Identifier: Apache-2.0
#include "models/library/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/message.h"
#include "models/library/scenes.h"

static const TriboLibraryScene scenes[] = {
    {"quadruped",
     "a trotting robot of 18 degrees of freedom, on flat ground or on a terrain map",
     {{"terrain", "0: flat, 1: a height field of gentle hills", 0, 0, 1, true},
      {"roughness", "height of the hills, m", 0.05, 0, 0.3, false},
      {"mu", "friction", 0.8, 0, 100, false},
      {"dt", "time step, s", 0.001, 1e-6, 0.1, false},
      {"viscosity", "of the viscous contact model, N s/m", 1e4, 0, 1e12, false}},
     tribo_write_quadruped},
    {"quadruped-urdf",
     "the same robot alone, as URDF",
     {{NULL, NULL, 0, 0, 0, false}},
     tribo_write_quadruped_urdf},
    {"grasp",
     "a row of cubes held in the air between two plates that press inward",
     {{"n", "cubes", 2, 1, 10, true},
      {"mu", "friction", 0.8, 0, 1000, false},
      {"force", "of each plate, N; 0: 50 up to two cubes, 400 for more", 0, 0, 1e5, false},
      {"dt", "time step, s", 0.01, 1e-6, 0.1, false},
      {"viscosity", "of the viscous contact model, N s/m", 1e6, 0, 1e12, false},
      {"strips", "of every second body: four contacts a pair each", 1, 1, 8, true}},
     tribo_write_grasp},
    {"gripper",
     "a parallel gripper on a slide closes on a cube and lifts it from the table",
     {{"mu", "friction", 0.8, 0, 100, false}, {"dt", "time step, s", 0.002, 1e-6, 0.1, false}},
     tribo_write_gripper},
    {"hand",
     "a hand of three fingers, two joints each, around a ball",
     {{"mu", "friction", 0.8, 0, 100, false}, {"dt", "time step, s", 0.002, 1e-6, 0.1, false}},
     tribo_write_hand},
    {"pinch",
     "a capsule of 45 g pinched between two fingertips",
     {{"ratio", "friction at hand over friction needed", 20, 0.1, 1000, false},
      {"dt", "time step, s", 0.002, 1e-6, 0.1, false}},
     tribo_write_pinch},
    {"peg-in-hole",
     "a round peg of n spheres per ring in a hole of four walls, pressed in askew",
     {{"n", "spheres on each of the two rings", 8, 3, 64, true},
      {"clearance", "between peg and hole, m", 1e-4, 0, 0.01, false},
      {"mu", "friction", 0.3, 0, 100, false},
      {"dt", "time step, s", 0.002, 1e-6, 0.1, false}},
     tribo_write_peg},
    {"stack",
     "a tower of cubes with small offsets",
     {{"n", "cubes", 10, 1, 200, true},
      {"mu", "friction", 0.8, 0, 100, false},
      {"dt", "time step, s", 0.005, 1e-6, 0.1, false}},
     tribo_write_stack},
    {"incline",
     "a box on a slope, by tilted gravity",
     {{"angle", "of the slope, degrees", 20, 0, 89, false},
      {"direction", "of the slope in the plane, degrees", 0, -360, 360, false},
      {"mu", "friction", 0.5, 0, 100, false},
      {"dt", "time step, s", 0.001, 1e-6, 0.1, false}},
     tribo_write_incline},
    {"billiards",
     "the break: a cue ball meets fifteen balls",
     {{"speed", "of the cue ball, m/s", 5, 0.1, 20, false},
      {"e", "restitution", 0.9, 0, 1, false},
      {"mu", "friction", 0.2, 0, 100, false},
      {"dt", "time step, s", 0.001, 1e-6, 0.1, false}},
     tribo_write_billiards},
    {"newton-cradle",
     "balls on rods, one drawn aside",
     {{"n", "balls", 5, 2, 20, true},
      {"angle", "of the first ball, degrees", 30, 0, 80, false},
      {"gap", "between the balls at rest, m", 1e-6, 0, 0.01, false},
      {"dt", "time step, s", 0.0005, 1e-6, 0.1, false}},
     tribo_write_cradle},
    {"four-bar",
     "a linkage closed by a loop, driven by gravity",
     {{"dt", "time step, s", 0.001, 1e-6, 0.1, false}},
     tribo_write_four_bar},
    {"pile",
     "spheres dropped between four walls",
     {{"n", "spheres, in layers of k x k with k the nearest to n^(1/3)", 216, 1, 4096, true},
      {"mu", "friction", 0.5, 0, 100, false},
      {"dt", "time step, s", 0.005, 1e-6, 0.1, false}},
     tribo_write_pile},
};

const TriboLibraryScene* tribo_library_scene(int index) {
  return index >= 0 && index < (int)(sizeof scenes / sizeof *scenes) ? &scenes[index] : NULL;
}

const TriboLibraryScene* tribo_library_find(const char* name) {
  for (int i = 0; tribo_library_scene(i); ++i)
    if (strcmp(scenes[i].name, name) == 0) return &scenes[i];
  return NULL;
}

// Appends ", name" for every name that there is.
static void list_names(char* text, size_t size, const TriboLibraryScene* scene) {
  size_t used = 0;
  text[0] = 0;
  for (int i = 0;; ++i) {
    const char* name = scene ? (i < TRIBO_LIBRARY_PARAMETERS ? scene->parameter[i].name : NULL)
                       : tribo_library_scene(i) ? scenes[i].name
                                                : NULL;
    if (!name || used >= size) return;
    used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", name);
  }
}

// Takes one "name=value" into the values.
static TriboStatus set_parameter(const TriboLibraryScene* scene, const char* setting, double* value,
                                 TriboMessage* message) {
  char names[256], *end = NULL;
  const char* equals = strchr(setting, '=');
  int found = -1;
  for (int i = 0; equals && i < TRIBO_LIBRARY_PARAMETERS && scene->parameter[i].name; ++i) {
    const size_t length = strlen(scene->parameter[i].name);
    if (length == (size_t)(equals - setting) &&
        memcmp(setting, scene->parameter[i].name, length) == 0)
      found = i;
  }
  if (found < 0) {
    list_names(names, sizeof names, scene);
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT,
                             "scene '%s' has no setting '%s'; there are: %s (as name=value)",
                             scene->name, setting, names);
  }
  const TriboLibraryParameter* parameter = &scene->parameter[found];
  value[found] = strtod(equals + 1, &end);
  if (end == equals + 1 || *end ||
      !(value[found] >= parameter->low && value[found] <= parameter->high) ||
      (parameter->whole && value[found] != floor(value[found]))) {
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT,
                             "'%s': %s (%s) is a %snumber from %g to %g", setting, parameter->name,
                             parameter->meaning, parameter->whole ? "whole " : "", parameter->low,
                             parameter->high);
  }
  return TRIBO_OK;
}

TriboStatus tribo_library_write(const char* name, int count, const char* const* settings, FILE* out,
                                TriboMessage* message) {
  const TriboLibraryScene* scene = tribo_library_find(name);
  if (!scene) {
    char names[256];
    list_names(names, sizeof names, NULL);
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT,
                             "no scene is called '%s'; there are: %s", name, names);
  }
  double value[TRIBO_LIBRARY_PARAMETERS] = {0};
  for (int i = 0; i < TRIBO_LIBRARY_PARAMETERS; ++i) value[i] = scene->parameter[i].value;
  for (int i = 0; i < count; ++i) {
    const TriboStatus status = set_parameter(scene, settings[i], value, message);
    if (status != TRIBO_OK) return status;
  }
  scene->write(out, value);
  if (ferror(out)) {
    return tribo_message_set(message, TRIBO_ERROR_FILE,
                             "the scene could not be written; is the disk full?");
  }
  return TRIBO_OK;
}
