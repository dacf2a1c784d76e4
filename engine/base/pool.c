// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L  // pthread_sigmask
#include "engine/base/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/message.h"

typedef struct Worker {
  TriboPool* pool;
  int number;  // from 1; 0 is the caller
  pthread_t thread;
} Worker;

struct TriboPool {
  TriboAllocator allocator;
  bool has_allocator;
  size_t block_size;

  pthread_mutex_t lock;  // of all below but `next`
  pthread_cond_t opened, left;
  bool quit;
  bool open;       // workers may join
  uint64_t round;  // how often work was handed out: nobody joins twice
  int room;        // workers that may still join
  int inside;      // workers that have joined and not left
  int ready;       // workers that have started

  TriboPoolTask* task;
  void* context;
  int count;
  atomic_int next;  // first index that nobody has taken

  int workers;
  Worker worker[];
};

static void take_indices(TriboPool* pool, int worker) {
  for (;;) {
    const int index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
    if (index >= pool->count) return;
    pool->task(pool->context, index, worker);
  }
}

static void* work(void* argument) {
  const Worker* self = (const Worker*)argument;
  TriboPool* pool = self->pool;
  uint64_t seen = 0;
  pthread_mutex_lock(&pool->lock);
  ++pool->ready;
  pthread_cond_signal(&pool->left);
  for (;;) {
    while (!pool->quit && (!pool->open || pool->round == seen)) {
      pthread_cond_wait(&pool->opened, &pool->lock);
    }
    if (pool->quit) break;
    seen = pool->round;
    if (pool->room == 0) continue;
    --pool->room;
    ++pool->inside;
    pthread_mutex_unlock(&pool->lock);
    take_indices(pool, self->number);
    pthread_mutex_lock(&pool->lock);
    if (--pool->inside == 0) pthread_cond_signal(&pool->left);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

// Signals are the caller's: the new threads have them all blocked.
static bool start_workers(TriboPool* pool, int workers) {
  sigset_t all, before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
  bool started = true;
  for (int i = 0; i < workers && started; ++i) {
    pool->worker[i] = (Worker){.pool = pool, .number = i + 1};
    started = pthread_create(&pool->worker[i].thread, NULL, work, &pool->worker[i]) == 0;
    pool->workers += started;
  }
  return pthread_sigmask(SIG_SETMASK, &before, NULL) == 0 && started;
}

TriboStatus tribo_pool_create(int threads, const TriboAllocator* allocator, TriboPool** pool) {
  TRIBO_ASSERT(threads >= 2);
  const size_t size = sizeof(TriboPool) + (size_t)(threads - 1) * sizeof(Worker);
  TriboPool* made = (TriboPool*)tribo_allocate(allocator, size);
  if (made == NULL) return TRIBO_ERROR_MEMORY;
  memset(made, 0, size);
  made->has_allocator = allocator != NULL;
  if (allocator != NULL) made->allocator = *allocator;
  made->block_size = size;
  // These only fail where the system has no memory for them; on Linux they need none.
  if (pthread_mutex_init(&made->lock, NULL) != 0 || pthread_cond_init(&made->opened, NULL) != 0 ||
      pthread_cond_init(&made->left, NULL) != 0) {
    tribo_release(allocator, made, size);
    return TRIBO_ERROR_MEMORY;
  }
  if (!start_workers(made, threads - 1)) {
    tribo_pool_destroy(made);
    return TRIBO_ERROR_MEMORY;
  }
  // What a new thread allocates for itself, the system's or a sanitizer's, belongs to the creation
  // and not to the first step.
  pthread_mutex_lock(&made->lock);
  while (made->ready < made->workers) pthread_cond_wait(&made->left, &made->lock);
  pthread_mutex_unlock(&made->lock);
  *pool = made;
  return TRIBO_OK;
}

void tribo_pool_destroy(TriboPool* pool) {
  if (pool == NULL) return;
  pthread_mutex_lock(&pool->lock);
  pool->quit = true;
  pthread_cond_broadcast(&pool->opened);
  pthread_mutex_unlock(&pool->lock);
  for (int i = 0; i < pool->workers; ++i) pthread_join(pool->worker[i].thread, NULL);
  pthread_cond_destroy(&pool->left);
  pthread_cond_destroy(&pool->opened);
  pthread_mutex_destroy(&pool->lock);
  const TriboAllocator copy = pool->allocator;
  tribo_release(pool->has_allocator ? &copy : NULL, pool, pool->block_size);
}

void tribo_pool_run(TriboPool* pool, int threads, int count, TriboPoolTask* task, void* context) {
  if (pool == NULL || threads <= 1 || count <= 1) {
    for (int i = 0; i < count; ++i) task(context, i, 0);
    return;
  }
  pthread_mutex_lock(&pool->lock);
  pool->task = task;
  pool->context = context;
  pool->count = count;
  atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
  // No more workers than there are indices for.
  pool->room = threads < count ? threads - 1 : count - 1;
  pool->open = true;
  ++pool->round;
  pthread_cond_broadcast(&pool->opened);
  pthread_mutex_unlock(&pool->lock);
  take_indices(pool, 0);
  // A worker that has not woken up by now finds nothing to do, and nobody waits for it.
  pthread_mutex_lock(&pool->lock);
  pool->open = false;
  while (pool->inside > 0) pthread_cond_wait(&pool->left, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
}
