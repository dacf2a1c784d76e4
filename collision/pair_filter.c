// SPDX-License-Identifier: Apache-2.0
#include "collision/pair_filter.h"

#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/message.h"

// The arrays of a filter while they are filled; TriboPairFilter shows them as const.
typedef struct Parts {
  TriboPairFilter* filter;
  TriboFilterShape* shapes;
  int* bounded;
  int* unbounded;
  int* unbounded_rank;
  int* excluded_start;
  int* excluded;
  TriboShapePair* listed;
} Parts;

static int listed_capacity(int shape_count) {
  return shape_count <= TRIBO_PAIR_FILTER_LISTED_SHAPES ? shape_count * (shape_count - 1) / 2 : 0;
}

static void layout(Parts* parts, TriboArena* arena, int shape_count, int link_count,
                   int excluded_count) {
  parts->filter = tribo_arena_take(arena, 1, sizeof(TriboPairFilter));
  parts->shapes = tribo_arena_take(arena, (size_t)shape_count, sizeof(TriboFilterShape));
  parts->bounded = tribo_arena_ints(arena, shape_count);
  parts->unbounded = tribo_arena_ints(arena, shape_count);
  parts->unbounded_rank = tribo_arena_ints(arena, shape_count);
  parts->excluded_start = tribo_arena_ints(arena, link_count + 2);
  parts->excluded = tribo_arena_take(arena, 2 * (size_t)excluded_count, sizeof(int));
  parts->listed =
      tribo_arena_take(arena, (size_t)listed_capacity(shape_count), sizeof(TriboShapePair));
}

static TriboStatus check(const TriboFilterShape* shapes, int shape_count, int link_count,
                         const TriboLinkPair* excluded, int excluded_count, TriboMessage* message) {
  if (shape_count < 0 || link_count < 0 || excluded_count < 0 ||
      (shapes == NULL && shape_count > 0) || (excluded == NULL && excluded_count > 0)) {
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT,
                             "a pair filter was given a negative count or no array");
  }
  for (int i = 0; i < shape_count; ++i) {
    if (shapes[i].body < -1) {
      return tribo_message_set(message, TRIBO_ERROR_ARGUMENT,
                               "shape %d belongs to body %d; bodies are -1 and up", i,
                               shapes[i].body);
    }
    if (shapes[i].link < -1 || shapes[i].link >= link_count) {
      return tribo_message_set(message, TRIBO_ERROR_ARGUMENT,
                               "shape %d belongs to link %d; links are -1 to %d", i, shapes[i].link,
                               link_count - 1);
    }
  }
  for (int k = 0; k < excluded_count; ++k) {
    for (int side = 0; side < 2; ++side) {
      int link = excluded[k].link[side];
      if (link < -1 || link >= link_count) {
        return tribo_message_set(message, TRIBO_ERROR_ARGUMENT,
                                 "excluded pair %d names link %d; links are -1 to %d", k, link,
                                 link_count - 1);
      }
    }
  }
  return TRIBO_OK;
}

// Row of a link in the table of exclusions: the world, -1, comes first.
static int row_of(int link) { return link + 1; }

// Insertion sort: the lists are short, a link excludes its neighbours.
static void sort_ints(int* a, int count) {
  for (int i = 1; i < count; ++i) {
    int value = a[i], j = i;
    for (; j > 0 && a[j - 1] > value; --j) a[j] = a[j - 1];
    a[j] = value;
  }
}

// Compressed rows, both directions of every excluded pair.
static void fill_exclusions(Parts* parts, int link_count, const TriboLinkPair* excluded,
                            int excluded_count) {
  int rows = link_count + 1;
  int* start = parts->excluded_start;
  memset(start, 0, (size_t)(rows + 1) * sizeof(int));
  for (int k = 0; k < excluded_count; ++k) {
    for (int side = 0; side < 2; ++side) ++start[row_of(excluded[k].link[side]) + 1];
  }
  for (int r = 0; r < rows; ++r) start[r + 1] += start[r];
  // start[r] serves as the cursor of row r and ends up at the start of row r + 1; shifted back
  // after.
  for (int k = 0; k < excluded_count; ++k) {
    for (int side = 0; side < 2; ++side) {
      parts->excluded[start[row_of(excluded[k].link[side])]++] = excluded[k].link[1 - side];
    }
  }
  for (int r = rows; r > 0; --r) start[r] = start[r - 1];
  start[0] = 0;
  for (int r = 0; r < rows; ++r) sort_ints(parts->excluded + start[r], start[r + 1] - start[r]);
}

static void fill(Parts* parts, const TriboFilterShape* shapes, int shape_count, int link_count,
                 const TriboLinkPair* excluded, int excluded_count) {
  TriboPairFilter* filter = parts->filter;
  memset(filter, 0, sizeof(*filter));
  filter->shape_count = shape_count;
  filter->link_count = link_count;
  filter->shapes = parts->shapes;
  filter->bounded = parts->bounded;
  filter->unbounded = parts->unbounded;
  filter->unbounded_rank = parts->unbounded_rank;
  filter->excluded_start = parts->excluded_start;
  filter->excluded = parts->excluded;

  if (shape_count > 0) memcpy(parts->shapes, shapes, (size_t)shape_count * sizeof(*shapes));
  for (int i = 0; i < shape_count; ++i) {
    parts->unbounded_rank[i] = -1;
    if (shapes[i].is_unbounded) {
      parts->unbounded_rank[i] = filter->unbounded_count;
      parts->unbounded[filter->unbounded_count++] = i;
    } else {
      parts->bounded[filter->bounded_count++] = i;
    }
  }
  fill_exclusions(parts, link_count, excluded, excluded_count);

  if (shape_count > TRIBO_PAIR_FILTER_LISTED_SHAPES) return;
  filter->listed = parts->listed;
  for (int i = 0; i < shape_count; ++i) {
    for (int j = i + 1; j < shape_count; ++j) {
      if (!tribo_pair_filter_allows(filter, i, j)) continue;
      TriboShapePair pair = {{i, j}};
      parts->listed[filter->listed_count++] = pair;
    }
  }
}

TriboStatus tribo_pair_filter_create(const TriboFilterShape* shapes, int shape_count,
                                     int link_count, const TriboLinkPair* excluded,
                                     int excluded_count, const TriboAllocator* allocator,
                                     TriboPairFilter** out, TriboMessage* message) {
  *out = NULL;
  tribo_message_clear(message);
  TriboStatus status = check(shapes, shape_count, link_count, excluded, excluded_count, message);
  if (status != TRIBO_OK) return status;

  Parts parts;
  TriboArena arena = tribo_arena_measure();
  layout(&parts, &arena, shape_count, link_count, excluded_count);
  size_t size = arena.used;
  void* memory = tribo_allocate(allocator, size);
  if (memory == NULL) {
    return tribo_message_set(message, TRIBO_ERROR_MEMORY, "no memory for a filter of %d shapes",
                             shape_count);
  }
  arena = tribo_arena_over(memory, size);
  layout(&parts, &arena, shape_count, link_count, excluded_count);
  fill(&parts, shapes, shape_count, link_count, excluded, excluded_count);
  parts.filter->size = size;
  parts.filter->has_allocator = allocator != NULL;
  if (allocator != NULL) parts.filter->allocator = *allocator;
  *out = parts.filter;
  return TRIBO_OK;
}

void tribo_pair_filter_destroy(TriboPairFilter* filter) {
  if (filter == NULL) return;
  TriboAllocator allocator = filter->allocator;
  tribo_release(filter->has_allocator ? &allocator : NULL, filter, filter->size);
}

static bool is_excluded(const TriboPairFilter* filter, int link, int other) {
  const int* start = filter->excluded_start + row_of(link);
  for (int k = start[0]; k < start[1]; ++k) {
    if (filter->excluded[k] >= other) return filter->excluded[k] == other;
  }
  return false;
}

bool tribo_pair_filter_allows(const TriboPairFilter* filter, int i, int j) {
  const TriboFilterShape* a = &filter->shapes[i];
  const TriboFilterShape* b = &filter->shapes[j];
  // Two shapes of the fixed world share the body -1, so that they are caught here too.
  if (a->body == b->body) return false;
  if (a->parent >= 0 && a->parent == b->body) return false;
  if (b->parent >= 0 && b->parent == a->body) return false;
  if ((a->group & b->mask) == 0 && (b->group & a->mask) == 0) return false;
  if (a->is_unbounded && b->is_unbounded) return false;
  return !is_excluded(filter, a->link, b->link);
}
