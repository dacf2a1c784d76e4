// SPDX-License-Identifier: Apache-2.0
#include "models/pool.h"

#include <limits.h>
#include <string.h>

#include "engine/base/arena.h"

enum { CHUNK_HEADER = TRIBO_ARENA_ALIGNMENT, CHUNK_BYTES = 64 << 10, TAKE_ALIGNMENT = 16 };

typedef struct TriboPoolChunk {
  struct TriboPoolChunk* next;
  size_t size, used;  // bytes, the header included
} TriboPoolChunk;

void tribo_pool_init(TriboPool* pool, const TriboAllocator* allocator) {
  memset(pool, 0, sizeof *pool);
  pool->has_allocator = allocator != NULL;
  if (allocator) pool->allocator = *allocator;
}

const TriboAllocator* tribo_pool_allocator(const TriboPool* pool) {
  return pool->has_allocator ? &pool->allocator : NULL;
}

void tribo_pool_clear(TriboPool* pool) {
  for (TriboPoolChunk* chunk = pool->chunks; chunk;) {
    TriboPoolChunk* next = chunk->next;
    tribo_release(tribo_pool_allocator(pool), chunk, chunk->size);
    chunk = next;
  }
  pool->chunks = NULL;
}

void* tribo_pool_take(TriboPool* pool, size_t count, size_t size) {
  if (size != 0 && count > (size_t)INT_MAX / size) return NULL;
  size_t bytes = (count * size + TAKE_ALIGNMENT - 1) / TAKE_ALIGNMENT * TAKE_ALIGNMENT;
  TriboPoolChunk* chunk = pool->chunks;
  if (!chunk || chunk->size - chunk->used < bytes) {
    size_t total = CHUNK_HEADER + (bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES);
    chunk = tribo_allocate(tribo_pool_allocator(pool), total);
    if (!chunk) return NULL;
    chunk->next = pool->chunks;
    chunk->size = total;
    chunk->used = CHUNK_HEADER;
    pool->chunks = chunk;
  }
  void* memory = (char*)chunk + chunk->used;
  chunk->used += bytes;
  memset(memory, 0, bytes);
  return memory;
}

char* tribo_pool_text(TriboPool* pool, const char* text, size_t length) {
  char* copy = tribo_pool_take(pool, length + 1, 1);
  if (copy && length > 0) memcpy(copy, text, length);
  return copy;
}

void* tribo_pool_grow(TriboPool* pool, void* array, int count, int* capacity, size_t size) {
  if (count < *capacity) return array;
  if (*capacity > INT_MAX / 2) return NULL;
  int larger = *capacity > 0 ? 2 * *capacity : 8;
  void* memory = tribo_pool_take(pool, (size_t)larger, size);
  if (!memory) return NULL;
  if (count > 0) memcpy(memory, array, (size_t)count * size);
  *capacity = larger;
  return memory;
}
