// SPDX-License-Identifier: Apache-2.0
//
// The scenes that ship with Tribo, written as MJCF (and the quadruped as URDF) from their
// parameters. `tribo scene` prints them; tests, benchmarks and the demo load them.
#ifndef TRIBO_MODELS_LIBRARY_LIBRARY_H_
#define TRIBO_MODELS_LIBRARY_LIBRARY_H_

#include <stdbool.h>
#include <stdio.h>

#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TRIBO_LIBRARY_PARAMETERS = 8 };

// A number that a scene depends on.
typedef struct TriboLibraryParameter {
  const char* name;  // NULL after the last one
  const char* meaning;
  double value, low, high;  // default, and the range that makes sense
  bool whole;               // whole numbers only
} TriboLibraryParameter;

typedef struct TriboLibraryScene {
  const char* name;
  const char* summary;
  TriboLibraryParameter parameter[TRIBO_LIBRARY_PARAMETERS];
  // Writes the file, parameters in the order above.
  void (*write)(FILE* out, const double* parameter);
} TriboLibraryScene;

// Scene number `index` in the order of the list, or NULL.
TRIBO_API const TriboLibraryScene* tribo_library_scene(int index);
TRIBO_API const TriboLibraryScene* tribo_library_find(const char* name);

// Writes a scene with `count` settings "name=value". TRIBO_ERROR_ARGUMENT: an unknown scene,
// parameter or value out of range, with a message (which may be NULL) that lists what there is;
// TRIBO_ERROR_FILE: out does not take the text.
TRIBO_API TriboStatus tribo_library_write(const char* name, int count, const char* const* settings,
                                          FILE* out, TriboMessage* message) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_MODELS_LIBRARY_LIBRARY_H_
