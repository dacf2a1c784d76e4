// SPDX-License-Identifier: Apache-2.0
#include "tests/allocations.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

namespace {

// Through a volatile pointer, so that the compiler leaves no allocation out.
void* volatile sink;

template <typename Allocate>
long Counted(Allocate allocate) {
  const long before = tribo_test_allocations();
  sink = allocate();
  const long after = tribo_test_allocations();
  std::free(sink);
  return after - before;
}

TEST(Allocations, EveryWayToAllocateCounts) {
  EXPECT_GE(Counted([] { return std::malloc(10); }), 1);
  EXPECT_GE(Counted([] { return std::calloc(10, 10); }), 1);
  EXPECT_GE(Counted([] { return std::realloc(nullptr, 10); }), 1);
#ifndef __SANITIZE_THREAD__  // which calls no hook there
  EXPECT_GE(Counted([] { return std::aligned_alloc(64, 64); }), 1);
#endif
  // What a shared library, the C library itself, allocates.
  EXPECT_GE(Counted([] { return static_cast<void*>(strdup("text")); }), 1);
}

TEST(Allocations, NothingElseCounts) {
  EXPECT_EQ(Counted([]() -> void* { return nullptr; }), 0);
}

}  // namespace
