// SPDX-License-Identifier: Apache-2.0
#include "engine/base/arena.h"

#include <gtest/gtest.h>

#include <climits>
#include <cstdint>
#include <cstring>

namespace {

struct Thing {
  double* a;
  int* b;
  double* c;
};

void layout(Thing* thing, TriboArena* arena, int n) {
  thing->a = tribo_arena_doubles(arena, n);
  thing->b = tribo_arena_ints(arena, 3);
  thing->c = tribo_arena_doubles(arena, 2 * n);
}

bool is_aligned(const void* p) {
  return reinterpret_cast<uintptr_t>(p) % TRIBO_ARENA_ALIGNMENT == 0;
}

TEST(Arena, MeasuredSizeIsExactlyWhatCarvingUses) {
  for (int n : {0, 1, 7, 8, 9, 1000}) {
    Thing thing;
    TriboArena measure = tribo_arena_measure();
    layout(&thing, &measure, n);
    EXPECT_EQ(thing.a, nullptr);
    void* memory = tribo_allocate(nullptr, measure.used);
    TriboArena arena = tribo_arena_over(memory, measure.used);
    layout(&thing, &arena, n);
    EXPECT_FALSE(arena.overflowed);
    EXPECT_EQ(arena.used, measure.used);
    tribo_release(nullptr, memory, measure.used);
  }
}

TEST(Arena, PiecesAreAlignedAndDoNotOverlap) {
  alignas(TRIBO_ARENA_ALIGNMENT) char memory[1024];
  TriboArena arena = tribo_arena_over(memory, sizeof memory);
  Thing thing;
  layout(&thing, &arena, 9);
  ASSERT_FALSE(arena.overflowed);
  EXPECT_TRUE(is_aligned(thing.a) && is_aligned(thing.b) && is_aligned(thing.c));
  EXPECT_GE(reinterpret_cast<char*>(thing.b), reinterpret_cast<char*>(thing.a + 9));
  EXPECT_GE(reinterpret_cast<char*>(thing.c), reinterpret_cast<char*>(thing.b + 3));
  EXPECT_LE(reinterpret_cast<char*>(thing.c + 18), memory + sizeof memory);
}

TEST(Arena, FullBlockReturnsNullAndThePeakSaysWhatWouldHaveFitted) {
  alignas(TRIBO_ARENA_ALIGNMENT) char memory[128];
  TriboArena arena = tribo_arena_over(memory, sizeof memory);
  EXPECT_NE(tribo_arena_doubles(&arena, 16), nullptr);
  EXPECT_FALSE(arena.overflowed);
  EXPECT_EQ(tribo_arena_doubles(&arena, 1), nullptr);
  EXPECT_EQ(tribo_arena_doubles(&arena, 8), nullptr);
  EXPECT_TRUE(arena.overflowed);
  EXPECT_EQ(arena.peak, 128u + 64u + 64u);
}

TEST(Arena, GoingBackToAMarkFreesWhatCameLaterAndKeepsThePeak) {
  alignas(TRIBO_ARENA_ALIGNMENT) char memory[128];
  TriboArena arena = tribo_arena_over(memory, sizeof memory);
  tribo_arena_doubles(&arena, 8);
  size_t mark = tribo_arena_mark(&arena);
  double* first = tribo_arena_doubles(&arena, 8);
  EXPECT_EQ(tribo_arena_doubles(&arena, 8), nullptr);
  tribo_arena_reset(&arena, mark);
  EXPECT_FALSE(arena.overflowed);
  EXPECT_EQ(tribo_arena_doubles(&arena, 8), first);
  EXPECT_EQ(arena.peak, 192u);
}

TEST(Arena, SizesThatWrapAroundNeverFit) {
  alignas(TRIBO_ARENA_ALIGNMENT) char memory[128];
  const size_t counts[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 8 + 2};
  for (size_t count : counts) {
    TriboArena arena = tribo_arena_over(memory, sizeof memory);
    EXPECT_EQ(tribo_arena_take(&arena, count, 8), nullptr) << count;
    EXPECT_TRUE(arena.overflowed) << count;
    TriboArena measure = tribo_arena_measure();
    tribo_arena_take(&measure, count, 8);
    EXPECT_TRUE(measure.overflowed) << count;
  }
}

TEST(Arena, NegativeCountsNeverFit) {
  alignas(TRIBO_ARENA_ALIGNMENT) char memory[128];
  for (int count : {-1, INT_MIN}) {
    TriboArena arena = tribo_arena_over(memory, sizeof memory);
    EXPECT_EQ(tribo_arena_doubles(&arena, count), nullptr);
    EXPECT_TRUE(arena.overflowed);
  }
}

TEST(Allocate, DefaultMemoryIsAlignedAndWritable) {
  for (size_t size : {size_t{0}, size_t{1}, size_t{63}, size_t{65}, size_t{100000}}) {
    void* memory = tribo_allocate(nullptr, size);
    ASSERT_NE(memory, nullptr);
    EXPECT_TRUE(is_aligned(memory));
    memset(memory, 1, size);
    tribo_release(nullptr, memory, size);
  }
}

TEST(Allocate, ImpossibleSizesGiveNull) {
  EXPECT_EQ(tribo_allocate(nullptr, SIZE_MAX), nullptr);
  EXPECT_EQ(tribo_allocate(nullptr, SIZE_MAX - 62), nullptr);
}

struct Log {
  size_t allocated = 0, released = 0;
  bool fail = false;
};

TriboAllocator logging_allocator(Log* log) {
  TriboAllocator allocator;
  allocator.user = log;
  allocator.allocate = [](size_t size, size_t alignment, void* user) -> void* {
    Log* into = static_cast<Log*>(user);
    if (into->fail) return nullptr;
    into->allocated += size;
    return aligned_alloc(alignment, size);
  };
  allocator.release = [](void* memory, size_t size, void* user) {
    static_cast<Log*>(user)->released += size;
    free(memory);
  };
  return allocator;
}

TEST(Allocate, CallersAllocatorGetsBackTheSizeItGave) {
  Log log;
  TriboAllocator allocator = logging_allocator(&log);
  for (size_t size : {size_t{0}, size_t{1}, size_t{64}, size_t{1000}}) {
    tribo_release(&allocator, tribo_allocate(&allocator, size), size);
  }
  EXPECT_GT(log.allocated, 0u);
  EXPECT_EQ(log.allocated, log.released);
}

TEST(Allocate, FailingAllocatorGivesNullAndNullIsNeverReleased) {
  Log log;
  log.fail = true;
  TriboAllocator allocator = logging_allocator(&log);
  void* memory = tribo_allocate(&allocator, 100);
  EXPECT_EQ(memory, nullptr);
  tribo_release(&allocator, memory, 100);
  EXPECT_EQ(log.released, 0u);
}

}  // namespace
