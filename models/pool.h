// SPDX-License-Identifier: Apache-2.0
//
// Memory that grows in chunks and goes as a whole: what a reader makes of a file. Internal.
#ifndef TRIBO_MODELS_POOL_H_
#define TRIBO_MODELS_POOL_H_

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboPool {
  TriboAllocator allocator;
  bool has_allocator;
  struct TriboPoolChunk* chunks;  // the first one is being filled
} TriboPool;

// An empty pool. allocator NULL: the C library.
void tribo_pool_init(TriboPool* pool, const TriboAllocator* allocator);
// Gives everything back; the pool is empty again.
void tribo_pool_clear(TriboPool* pool);
const TriboAllocator* tribo_pool_allocator(const TriboPool* pool);

// Zeroed memory for `count` elements of `size` bytes, aligned to 16. NULL on failure, or beyond
// 2 GiB.
void* tribo_pool_take(TriboPool* pool, size_t count, size_t size);

// A zero-terminated copy of `length` characters. NULL on failure.
char* tribo_pool_text(TriboPool* pool, const char* text, size_t length);

// Makes room for one more element at array[count], by doubling; the old array stays in the pool.
// Returns the array, or NULL on failure.
void* tribo_pool_grow(TriboPool* pool, void* array, int count, int* capacity, size_t size);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_MODELS_POOL_H_
