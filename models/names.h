// SPDX-License-Identifier: Apache-2.0
//
// Names of a kind of element and their numbers: a hash table that grows. Internal.
#ifndef TRIBO_MODELS_NAMES_H_
#define TRIBO_MODELS_NAMES_H_

#include "models/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboNames {
  int count, capacity;  // capacity: 0 or a power of two
  struct TriboNamesSlot {
    const char* text;  // NULL: empty
    int number;
  } * slots;
} TriboNames;

typedef enum TriboNamesResult {
  TRIBO_NAMES_ADDED = 0,
  TRIBO_NAMES_TWICE,  // the name is there already; nothing changed
  TRIBO_NAMES_NO_MEMORY,
} TriboNamesResult;

// Adds a name, which must live as long as the table; the table's memory comes from `pool`.
TriboNamesResult tribo_names_add(TriboNames* names, TriboPool* pool, const char* text, int number);

// The number of a name, or -1.
int tribo_names_find(const TriboNames* names, const char* text);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_MODELS_NAMES_H_
