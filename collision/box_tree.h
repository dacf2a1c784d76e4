// SPDX-License-Identifier: Apache-2.0
//
// A tree of boxes over n items, built from scratch by splitting at the median: balanced whatever
// the sizes and places of the items, so that a depth and the room it needs are known beforehand.
// The broad phase builds one per step, a triangle mesh one when it is created. Internal.
#ifndef TRIBO_COLLISION_BOX_TREE_H_
#define TRIBO_COLLISION_BOX_TREE_H_

#include "collision/aabb.h"
#include "engine/base/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TRIBO_BOX_TREE_LEAF_ITEMS = 4,  // a leaf holds 1 to 4 items
  TRIBO_BOX_TREE_DEPTH = 32,      // n < 2^31 items halved at each level
};

typedef struct TriboBoxTreeNode {
  TriboAabb box;  // of all items below
  int first;      // the items below are order[first .. first + count)
  int count;
  int right;  // the right child; -1 in a leaf. The left child is the next node
} TriboBoxTreeNode;

typedef struct TriboBoxTree {
  int capacity;             // items that fit
  int item_count;           // items of the last build
  int node_count;           // nodes[0] is the root; 0 when there are no items
  TriboBoxTreeNode* nodes;  // (capacity)
  int* order;               // item indices, grouped by leaf (capacity)
  TriboAabb* boxes;         // the items' boxes in that order (capacity)
  TriboVec3* centers;       // scratch of the build (capacity)
} TriboBoxTree;

// Takes the tree's arrays for up to `capacity` items from the arena.
void tribo_box_tree_layout(TriboBoxTree* tree, TriboArena* arena, int capacity);

// Builds the tree over boxes[items[k]], k = 0 .. count - 1; items NULL means 0 .. count - 1. Boxes
// must be finite and not empty, count <= capacity. The result depends on nothing but the arguments.
void tribo_box_tree_build(TriboBoxTree* tree, const TriboAabb* boxes, const int* items, int count);

// The items whose boxes overlap `box`, in the order of the tree, at most `capacity` of them.
// Returns how many there are in all.
int tribo_box_tree_query(const TriboBoxTree* tree, TriboAabb box, int* items, int capacity);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_BOX_TREE_H_
