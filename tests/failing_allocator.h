// SPDX-License-Identifier: Apache-2.0
//
// Memory that runs out at a chosen moment.
#ifndef TRIBO_TESTS_FAILING_ALLOCATOR_H_
#define TRIBO_TESTS_FAILING_ALLOCATOR_H_

#include <cstdlib>

#include "engine/base/status.h"

// Gives memory `left` times and none from then on, and counts the blocks that were not given back.
struct FailingAllocator {
  explicit FailingAllocator(int calls) : left(calls) {}
  FailingAllocator(const FailingAllocator&) = delete;

  int left, live = 0;
  const TriboAllocator allocator = {Allocate, Release, this};

 private:
  static void* Allocate(size_t size, size_t alignment, void* user) {
    auto* self = static_cast<FailingAllocator*>(user);
    if (self->left-- <= 0) return nullptr;
    ++self->live;
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  }
  static void Release(void* memory, size_t, void* user) {
    --static_cast<FailingAllocator*>(user)->live;
    std::free(memory);
  }
};

#endif  // TRIBO_TESTS_FAILING_ALLOCATOR_H_
