// SPDX-License-Identifier: Apache-2.0
//
// One block of memory, handed out from the front. An object's layout function runs twice over an
// arena: first over one with no memory, to measure, then over the block, to carve; so the size and
// the layout cannot disagree. Internal.
#ifndef TRIBO_ENGINE_BASE_ARENA_H_
#define TRIBO_ENGINE_BASE_ARENA_H_

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TRIBO_ARENA_ALIGNMENT = 64 };

typedef struct TriboArena {
  char* memory;     // NULL while measuring
  size_t capacity;  // bytes at memory
  size_t used;      // bytes handed out, alignment included; beyond capacity after an overflow
  size_t peak;      // largest `used` ever, over all resets to a mark
  bool overflowed;  // a request did not fit since the arena was made or marked back
} TriboArena;

// An arena that only counts: every request returns NULL.
TriboArena tribo_arena_measure(void);

// An arena over memory given by the caller, aligned to TRIBO_ARENA_ALIGNMENT.
TriboArena tribo_arena_over(void* memory, size_t capacity);

// `count` elements of `size` bytes, aligned to TRIBO_ARENA_ALIGNMENT, not initialized. NULL while
// measuring, and NULL with `overflowed` set when the block is full; count 0 is fine.
void* tribo_arena_take(TriboArena* arena, size_t count, size_t size);

// The same for the types that arrays are made of.
double* tribo_arena_doubles(TriboArena* arena, int count);
int* tribo_arena_ints(TriboArena* arena, int count);

// Marks: what was taken after tribo_arena_mark is given back by tribo_arena_reset to that mark.
size_t tribo_arena_mark(const TriboArena* arena);
void tribo_arena_reset(TriboArena* arena, size_t mark);

// Allocates through `allocator` (NULL: the C library), aligned to TRIBO_ARENA_ALIGNMENT. NULL on
// failure.
void* tribo_allocate(const TriboAllocator* allocator, size_t size);
void tribo_release(const TriboAllocator* allocator, void* memory, size_t size);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_BASE_ARENA_H_
