// SPDX-License-Identifier: Apache-2.0
//
// Problem:   among n boxes, the pairs that overlap and that the filter allows, in ascending order.
// Algorithm: a balanced tree over the boxes, built anew at each call, O(n log n); descended against
//            itself, so that each pair of boxes is met at most once; the pairs found are put in
//            order by two passes of a counting sort, O(n + pairs).
//            A tree kept and repaired from step to step would do less where little moves, but would
//            make the workspace part of the state.
// Few shapes: the filter's list of allowed pairs is walked through instead.
#include "collision/broad_phase.h"

#include <string.h>

#include "engine/base/message.h"

void tribo_broad_phase_layout(TriboBroadPhase* broad, TriboArena* arena,
                              const TriboPairFilter* filter, int pair_capacity) {
  bool uses_tree = filter->listed == NULL;
  broad->pair_capacity = pair_capacity;
  broad->pair_count = 0;
  broad->comparisons = 0;
  broad->pairs = tribo_arena_take(arena, (size_t)pair_capacity, sizeof(TriboShapePair));
  broad->unsorted =
      tribo_arena_take(arena, uses_tree ? (size_t)pair_capacity : 0, sizeof(TriboShapePair));
  broad->bucket = tribo_arena_ints(arena, uses_tree ? filter->shape_count + 1 : 0);
  tribo_box_tree_layout(&broad->tree, arena, uses_tree ? filter->bounded_count : 0);
}

// Counts a pair, and keeps it while there is room.
static void add_pair(TriboBroadPhase* broad, TriboShapePair* out, int i, int j) {
  if (broad->pair_count < broad->pair_capacity) {
    out[broad->pair_count].shape[0] = i < j ? i : j;
    out[broad->pair_count].shape[1] = i < j ? j : i;
  }
  ++broad->pair_count;
}

static bool reaches_half_space(TriboAabb box, TriboHalfSpace half_space) {
  // The corner that lies farthest against the normal.
  TriboVec3 n = half_space.normal;
  double lowest = n.x * (n.x > 0 ? box.min.x : box.max.x) +
                  n.y * (n.y > 0 ? box.min.y : box.max.y) + n.z * (n.z > 0 ? box.min.z : box.max.z);
  return lowest <= half_space.offset;
}

static void walk_list(TriboBroadPhase* broad, const TriboPairFilter* filter, const TriboAabb* boxes,
                      const TriboHalfSpace* half_spaces) {
  for (int k = 0; k < filter->listed_count; ++k) {
    int i = filter->listed[k].shape[0], j = filter->listed[k].shape[1];
    int plane_i = filter->unbounded_rank[i], plane_j = filter->unbounded_rank[j];
    bool overlap = plane_i >= 0   ? reaches_half_space(boxes[j], half_spaces[plane_i])
                   : plane_j >= 0 ? reaches_half_space(boxes[i], half_spaces[plane_j])
                                  : tribo_aabb_overlaps(boxes[i], boxes[j]);
    if (overlap) add_pair(broad, broad->pairs, i, j);
  }
}

static void test_items(TriboBroadPhase* broad, const TriboPairFilter* filter, int a, int b) {
  const TriboBoxTree* tree = &broad->tree;
  ++broad->comparisons;
  if (!tribo_aabb_overlaps(tree->boxes[a], tree->boxes[b])) return;
  int i = tree->order[a], j = tree->order[b];
  if (tribo_pair_filter_allows(filter, i, j)) add_pair(broad, broad->unsorted, i, j);
}

static void test_leaves(TriboBroadPhase* broad, const TriboPairFilter* filter,
                        const TriboBoxTreeNode* a, const TriboBoxTreeNode* b) {
  for (int k = a->first; k < a->first + a->count; ++k) {
    for (int l = b->first; l < b->first + b->count; ++l) test_items(broad, filter, k, l);
  }
}

static void test_leaf(TriboBroadPhase* broad, const TriboPairFilter* filter,
                      const TriboBoxTreeNode* a) {
  for (int k = a->first; k < a->first + a->count; ++k) {
    for (int l = k + 1; l < a->first + a->count; ++l) test_items(broad, filter, k, l);
  }
}

// Descends the tree against itself from the pair (root, root).
static void walk_tree(TriboBroadPhase* broad, const TriboPairFilter* filter) {
  const TriboBoxTreeNode* nodes = broad->tree.nodes;
  if (broad->tree.node_count == 0) return;
  // Each descent goes down one level of one side, takes one entry and leaves at most three.
  struct {
    int a, b;
  } stack[4 * TRIBO_BOX_TREE_DEPTH + 2];
  int top = 0;
  stack[top].a = stack[top].b = 0;
  ++top;
  while (top > 0) {
    --top;
    int a = stack[top].a, b = stack[top].b;
    const TriboBoxTreeNode* node_a = &nodes[a];
    const TriboBoxTreeNode* node_b = &nodes[b];
    if (a == b) {
      // Pairs within one subtree: within its left, within its right, across.
      if (node_a->right < 0) {
        test_leaf(broad, filter, node_a);
        continue;
      }
      stack[top].a = a + 1;
      stack[top++].b = node_a->right;
      stack[top].a = stack[top].b = node_a->right;
      ++top;
      stack[top].a = stack[top].b = a + 1;
      ++top;
      continue;
    }
    ++broad->comparisons;
    if (!tribo_aabb_overlaps(node_a->box, node_b->box)) continue;
    if (node_a->right < 0 && node_b->right < 0) {
      test_leaves(broad, filter, node_a, node_b);
      continue;
    }
    // Open the side with more items below it; it is not a leaf, because the other one is not
    // smaller.
    if (node_b->right < 0 || (node_a->right >= 0 && node_a->count >= node_b->count)) {
      stack[top].a = node_a->right;
      stack[top++].b = b;
      stack[top].a = a + 1;
      stack[top++].b = b;
    } else {
      stack[top].a = a;
      stack[top++].b = node_b->right;
      stack[top].a = a;
      stack[top++].b = b + 1;
    }
  }
}

static void walk_half_spaces(TriboBroadPhase* broad, const TriboPairFilter* filter,
                             const TriboAabb* boxes, const TriboHalfSpace* half_spaces) {
  for (int p = 0; p < filter->unbounded_count; ++p) {
    for (int k = 0; k < filter->bounded_count; ++k) {
      int i = filter->bounded[k], plane = filter->unbounded[p];
      if (!reaches_half_space(boxes[i], half_spaces[p])) continue;
      if (tribo_pair_filter_allows(filter, i, plane)) add_pair(broad, broad->unsorted, i, plane);
    }
  }
}

// One stable counting pass: orders `from` by shape[side] into `to`.
static void sort_pass(const TriboShapePair* from, TriboShapePair* to, int count, int side,
                      int* bucket, int shape_count) {
  memset(bucket, 0, (size_t)(shape_count + 1) * sizeof(int));
  for (int k = 0; k < count; ++k) ++bucket[from[k].shape[side] + 1];
  for (int i = 0; i < shape_count; ++i) bucket[i + 1] += bucket[i];
  for (int k = 0; k < count; ++k) to[bucket[from[k].shape[side]]++] = from[k];
}

static TriboStatus check_finite(const TriboPairFilter* filter, const TriboAabb* boxes,
                                const TriboHalfSpace* half_spaces) {
  for (int k = 0; k < filter->bounded_count; ++k) {
    if (!tribo_aabb_is_finite(boxes[filter->bounded[k]])) return TRIBO_ERROR_NOT_FINITE;
  }
  for (int p = 0; p < filter->unbounded_count; ++p) {
    if (!tribo_vec3_is_finite(half_spaces[p].normal) || !isfinite(half_spaces[p].offset)) {
      return TRIBO_ERROR_NOT_FINITE;
    }
  }
  return TRIBO_OK;
}

TriboStatus tribo_broad_phase_find(TriboBroadPhase* broad, const TriboPairFilter* filter,
                                   const TriboAabb* boxes, const TriboHalfSpace* half_spaces) {
  broad->pair_count = 0;
  broad->comparisons = 0;
  TriboStatus status = check_finite(filter, boxes, half_spaces);
  if (status != TRIBO_OK) return status;

  if (filter->listed != NULL) {
    walk_list(broad, filter, boxes, half_spaces);
    return broad->pair_count > broad->pair_capacity ? TRIBO_ERROR_CAPACITY : TRIBO_OK;
  }
  tribo_box_tree_build(&broad->tree, boxes, filter->bounded, filter->bounded_count);
  walk_tree(broad, filter);
  walk_half_spaces(broad, filter, boxes, half_spaces);
  if (broad->pair_count > broad->pair_capacity) return TRIBO_ERROR_CAPACITY;

  // Least significant first: by the second shape, then, stably, by the first.
  sort_pass(broad->unsorted, broad->pairs, broad->pair_count, 1, broad->bucket,
            filter->shape_count);
  sort_pass(broad->pairs, broad->unsorted, broad->pair_count, 0, broad->bucket,
            filter->shape_count);
  TriboShapePair* sorted = broad->unsorted;
  broad->unsorted = broad->pairs;
  broad->pairs = sorted;
  return TRIBO_OK;
}
