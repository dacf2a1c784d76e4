// SPDX-License-Identifier: Apache-2.0
//
// Which pairs of shapes may touch at all. Decided once, when a model is compiled, and never
// changed: the broad phase asks it for every pair of boxes that overlap. Internal.
#ifndef TRIBO_COLLISION_PAIR_FILTER_H_
#define TRIBO_COLLISION_PAIR_FILTER_H_

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// What the filter knows of one shape.
typedef struct TriboFilterShape {
  int body;           // shapes of one body never touch each other; -1: fixed in the world
  int parent;         // the body that a joint hangs it on, which it does not touch; -1: none
  int link;           // what exclusions name; a body is one link or several welded ones; -1: world
  uint32_t group;     // bits: what the shape is
  uint32_t mask;      // bits: what the shape touches; a pair needs group & mask in one direction
  bool is_unbounded;  // a plane: it has no box, the broad phase takes its half-space instead
} TriboFilterShape;

// Two links whose shapes never touch.
typedef struct TriboLinkPair {
  int link[2];
} TriboLinkPair;

// Two shapes, shape[0] < shape[1].
typedef struct TriboShapePair {
  int shape[2];
} TriboShapePair;

// Up to this many shapes the filter lists every allowed pair beforehand, and the broad phase walks
// through that list: a walking robot then needs no tree.
enum { TRIBO_PAIR_FILTER_LISTED_SHAPES = 48 };

typedef struct TriboPairFilter {
  int shape_count;
  int link_count;                  // links are -1 .. link_count - 1
  const TriboFilterShape* shapes;  // (shape_count)
  int bounded_count;               // shapes with a box, in index order
  const int* bounded;              // (bounded_count)
  int unbounded_count;             // planes, in index order
  const int* unbounded;            // (unbounded_count)
  const int* unbounded_rank;       // rank of a shape among the planes, -1 for others (shape_count)

  // Excluded partners of link l: excluded[excluded_start[l] .. excluded_start[l + 1]), ascending.
  const int* excluded_start;  // (link_count + 1)
  const int* excluded;

  // All allowed pairs in ascending order; NULL when there are too many shapes to list them.
  int listed_count;
  const TriboShapePair* listed;

  TriboAllocator allocator;
  bool has_allocator;
  size_t size;
} TriboPairFilter;

// Creates a filter that copies everything it is given. excluded may be NULL when excluded_count is
// 0; pairs may stand in it twice and in both orders. allocator NULL: the C library. message may be
// NULL. ARGUMENT: a negative count, a body or link below -1, an excluded pair that names no link of
// a shape (links without shapes are fine up to link_count - 1). MEMORY.
TRIBO_CHECKED TriboStatus tribo_pair_filter_create(const TriboFilterShape* shapes, int shape_count,
                                                   int link_count, const TriboLinkPair* excluded,
                                                   int excluded_count,
                                                   const TriboAllocator* allocator,
                                                   TriboPairFilter** out, TriboMessage* message);
void tribo_pair_filter_destroy(TriboPairFilter* filter);

// Whether shapes i and j may touch. Symmetric; false for i = j.
bool tribo_pair_filter_allows(const TriboPairFilter* filter, int i, int j);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_PAIR_FILTER_H_
