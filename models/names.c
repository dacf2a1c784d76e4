// SPDX-License-Identifier: Apache-2.0
#include "models/names.h"

#include <stdint.h>
#include <string.h>

#include "engine/base/random.h"

typedef struct TriboNamesSlot Slot;

// The slot that holds a name, or the empty one where it belongs.
static Slot* find_slot(Slot* slots, int capacity, const char* text) {
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char* c = text; *c; ++c) hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
  int mask = capacity - 1, i = (int)(tribo_hash64(hash) & (uint64_t)mask);
  while (slots[i].text && strcmp(slots[i].text, text) != 0) i = (i + 1) & mask;
  return &slots[i];
}

TriboNamesResult tribo_names_add(TriboNames* names, TriboPool* pool, const char* text, int number) {
  if (2 * names->count >= names->capacity) {
    int larger = names->capacity > 0 ? 2 * names->capacity : 64;
    Slot* slots = tribo_pool_take(pool, (size_t)larger, sizeof *slots);
    if (!slots) return TRIBO_NAMES_NO_MEMORY;
    for (int i = 0; i < names->capacity; ++i) {
      const Slot* old = &names->slots[i];
      if (old->text) *find_slot(slots, larger, old->text) = *old;
    }
    names->slots = slots;
    names->capacity = larger;
  }
  Slot* slot = find_slot(names->slots, names->capacity, text);
  if (slot->text) return TRIBO_NAMES_TWICE;
  slot->text = text;
  slot->number = number;
  ++names->count;
  return TRIBO_NAMES_ADDED;
}

int tribo_names_find(const TriboNames* names, const char* text) {
  if (names->capacity == 0) return -1;
  const Slot* slot = find_slot(names->slots, names->capacity, text);
  return slot->text ? slot->number : -1;
}
