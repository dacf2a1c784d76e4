// SPDX-License-Identifier: Apache-2.0
//
// Threads that wait for work: a loop over indices that do not depend on each other, shared between
// the caller and a few workers. Which thread takes which index is left to chance, so what an index
// computes must depend on the index alone. Internal.
#ifndef TRIBO_ENGINE_BASE_POOL_H_
#define TRIBO_ENGINE_BASE_POOL_H_

#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboPool TriboPool;

// One index. worker: which thread runs it, 0 (the caller) .. threads - 1; a worker runs one index
// at a time, so memory may belong to it.
typedef void TriboPoolTask(void* context, int index, int worker);

// threads >= 2, the caller's included. allocator NULL: the C library. TRIBO_ERROR_MEMORY where
// memory or threads run out.
TriboStatus tribo_pool_create(int threads, const TriboAllocator* allocator,
                              TriboPool** pool) TRIBO_CHECKED;
// Ends the threads. pool may be NULL.
void tribo_pool_destroy(TriboPool* pool);

// Runs task(context, 0 .. count - 1, worker) on at most `threads` threads of the pool and returns
// when all are done. Without a pool (NULL), with one thread or one index the caller runs them in
// order. One thread at a time may call it for one pool. Allocates nothing.
void tribo_pool_run(TriboPool* pool, int threads, int count, TriboPoolTask* task, void* context);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_BASE_POOL_H_
