// SPDX-License-Identifier: Apache-2.0
//
// The first guess: impulses of the last step, found again by the stable ids of contacts, limits,
// dry joints and loops. Internal.
#ifndef TRIBO_ENGINE_CONTACT_WARM_H_
#define TRIBO_ENGINE_CONTACT_WARM_H_

#include "engine/contact/assemble.h"
#include "engine/state.h"

#ifdef __cplusplus
extern "C" {
#endif

// Finds the entries of a state's warm start by id.
typedef struct TriboWarmIndex {
  int capacity;  // power of two, at least twice the entries
  int* slot;     // entry or -1                                    (capacity)
} TriboWarmIndex;

void tribo_warm_layout(TriboWarmIndex* index, TriboArena* arena, const TriboModel* model);

// Writes the impulses and modes that `warm` (count entries) remembers to the islands' warm starts,
// 0 for what is new, and every contact's entry to its `before`. Returns how many were found.
int tribo_warm_load(TriboWarmIndex* index, TriboProblemSet* set, const TriboWarm* warm, int count);

// Writes what the islands' solutions leave behind, in the order joints, loops, contacts; at most
// `capacity` entries. Returns how many. Rows that separate are not remembered. shown: by
// contact, the mode that the results show.
int tribo_warm_store(const TriboProblemSet* set, const TriboDetection* detection,
                     const TriboMode* shown, TriboWarm* warm, int capacity);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_CONTACT_WARM_H_
