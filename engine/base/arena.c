// SPDX-License-Identifier: Apache-2.0
#include "engine/base/arena.h"

#include <stdint.h>
#include <stdlib.h>

#include "engine/base/message.h"

static size_t round_up(size_t size) {
  return (size + TRIBO_ARENA_ALIGNMENT - 1) / TRIBO_ARENA_ALIGNMENT * TRIBO_ARENA_ALIGNMENT;
}

TriboArena tribo_arena_measure(void) {
  return (TriboArena){
      .memory = NULL, .capacity = SIZE_MAX, .used = 0, .peak = 0, .overflowed = false};
}

TriboArena tribo_arena_over(void* memory, size_t capacity) {
  TRIBO_ASSERT((uintptr_t)memory % TRIBO_ARENA_ALIGNMENT == 0);
  return (TriboArena){
      .memory = memory, .capacity = capacity, .used = 0, .peak = 0, .overflowed = false};
}

void* tribo_arena_take(TriboArena* arena, size_t count, size_t size) {
  // A product that wraps around would hand out too little: treat it as a request that never fits.
  if (size != 0 && count > (SIZE_MAX / 2) / size) {
    arena->overflowed = true;
    return NULL;
  }
  size_t bytes = round_up(count * size);
  size_t start = arena->used;
  if (bytes > SIZE_MAX / 2 - start) {
    arena->overflowed = true;
    return NULL;
  }
  // `used` goes on counting past the end, so that the peak tells what would have been enough.
  arena->used = start + bytes;
  if (arena->used > arena->peak) arena->peak = arena->used;
  if (arena->memory == NULL) return NULL;
  if (arena->used > arena->capacity) {
    arena->overflowed = true;
    return NULL;
  }
  return arena->memory + start;
}

double* tribo_arena_doubles(TriboArena* arena, int count) {
  return tribo_arena_take(arena, (size_t)count, sizeof(double));
}

int* tribo_arena_ints(TriboArena* arena, int count) {
  return tribo_arena_take(arena, (size_t)count, sizeof(int));
}

size_t tribo_arena_mark(const TriboArena* arena) { return arena->used; }

void tribo_arena_reset(TriboArena* arena, size_t mark) {
  TRIBO_ASSERT(mark <= arena->used);
  arena->used = mark;
  arena->overflowed = arena->used > arena->capacity;
}

void* tribo_allocate(const TriboAllocator* allocator, size_t size) {
  size_t bytes = round_up(size > 0 ? size : 1);
  if (bytes < size) return NULL;
  if (allocator != NULL) return allocator->allocate(bytes, TRIBO_ARENA_ALIGNMENT, allocator->user);
  return aligned_alloc(TRIBO_ARENA_ALIGNMENT, bytes);
}

void tribo_release(const TriboAllocator* allocator, void* memory, size_t size) {
  if (memory == NULL) return;
  if (allocator != NULL) {
    allocator->release(memory, round_up(size > 0 ? size : 1), allocator->user);
  } else {
    free(memory);
  }
}
