// SPDX-License-Identifier: Apache-2.0
//
// The broad phase: all pairs of shapes whose boxes overlap and that the filter allows. It keeps
// nothing from step to step: the pairs are a function of the boxes alone, in ascending order, so a
// step is the same bits whatever happened before. Internal.
#ifndef TRIBO_COLLISION_BROAD_PHASE_H_
#define TRIBO_COLLISION_BROAD_PHASE_H_

#include "collision/aabb.h"
#include "collision/box_tree.h"
#include "collision/pair_filter.h"
#include "engine/base/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

// All points with normal . p <= offset, in the world; the normal is a unit vector. A plane is given
// to the broad phase as the half-space it fills, grown by its margin: it needs no box.
typedef struct TriboHalfSpace {
  TriboVec3 normal;
  double offset;
} TriboHalfSpace;

// Workspace of the broad phase, for one filter. Lives in the caller's block.
typedef struct TriboBroadPhase {
  int pair_capacity;
  int pair_count;         // computed by tribo_broad_phase_find: pairs found
  TriboShapePair* pairs;  // ascending by shape[0], then shape[1] (pair_capacity)
  long comparisons;       // of two boxes, until they were found: what the tree costs

  TriboShapePair* unsorted;  // scratch (pair_capacity)
  int* bucket;               // scratch of the sort (shape_count + 1)
  TriboBoxTree tree;         // over the shapes that have a box
} TriboBroadPhase;

// Takes the arrays from the arena: room for pair_capacity pairs of the filter's shapes.
void tribo_broad_phase_layout(TriboBroadPhase* broad, TriboArena* arena,
                              const TriboPairFilter* filter, int pair_capacity);

// Finds the pairs. boxes: one per shape in the world, already grown by margin and motion; those of
// unbounded shapes are not looked at. half_spaces: one per unbounded shape in index order; may be
// NULL where there are none. The k-th result is broad->pairs[k], k < broad->pair_count. NOT_FINITE:
// a box or half-space. CAPACITY: pair_count says how many pairs there are in all, and the pairs are
// not to be used.
TRIBO_CHECKED TriboStatus tribo_broad_phase_find(TriboBroadPhase* broad,
                                                 const TriboPairFilter* filter,
                                                 const TriboAabb* boxes,
                                                 const TriboHalfSpace* half_spaces);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_BROAD_PHASE_H_
