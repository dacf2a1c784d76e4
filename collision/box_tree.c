// SPDX-License-Identifier: Apache-2.0
#include "collision/box_tree.h"

#include "engine/base/message.h"

void tribo_box_tree_layout(TriboBoxTree* tree, TriboArena* arena, int capacity) {
  // Leaves come from splitting at least 5 items into halves, so each holds 2 or more, and a binary
  // tree with at most n / 2 leaves has fewer than n nodes; the lone root of n <= 4 items is 1 node.
  tree->capacity = capacity;
  tree->item_count = 0;
  tree->node_count = 0;
  tree->nodes = tribo_arena_take(arena, (size_t)capacity, sizeof(TriboBoxTreeNode));
  tree->order = tribo_arena_ints(arena, capacity);
  tree->boxes = tribo_arena_take(arena, (size_t)capacity, sizeof(TriboAabb));
  tree->centers = tribo_arena_take(arena, (size_t)capacity, sizeof(TriboVec3));
}

static double key_of(const TriboBoxTree* tree, int k, int axis) {
  return tribo_vec3_get(tree->centers[k], axis);
}

static void swap_items(TriboBoxTree* tree, int a, int b) {
  int item = tree->order[a];
  tree->order[a] = tree->order[b];
  tree->order[b] = item;
  TriboVec3 center = tree->centers[a];
  tree->centers[a] = tree->centers[b];
  tree->centers[b] = center;
}

// Hoare's selection: afterwards the item at `middle` has the key it would have if [first, last]
// were sorted along `axis`, nothing greater is left of it and nothing smaller right of it. Equal
// keys are swapped too, which keeps the cost linear when all keys are equal.
static void select_middle(TriboBoxTree* tree, int first, int last, int middle, int axis) {
  while (first < last) {
    double pivot = key_of(tree, first + (last - first) / 2, axis);
    int i = first, j = last;
    while (i <= j) {
      while (key_of(tree, i, axis) < pivot) ++i;
      while (pivot < key_of(tree, j, axis)) --j;
      if (i > j) break;
      swap_items(tree, i, j);
      ++i;
      --j;
    }
    if (middle <= j) {
      last = j;
    } else if (middle >= i) {
      first = i;
    } else {
      return;
    }
  }
}

static int longest_axis(TriboVec3 size) {
  if (size.x >= size.y && size.x >= size.z) return 0;
  return size.y >= size.z ? 1 : 2;
}

// Builds the subtree of the items [first, first + count); returns its node.
static int build_node(TriboBoxTree* tree, const TriboAabb* boxes, int first, int count) {
  int index = tree->node_count++;
  TriboBoxTreeNode* node = &tree->nodes[index];
  node->first = first;
  node->count = count;
  node->right = -1;

  if (count <= TRIBO_BOX_TREE_LEAF_ITEMS) {
    node->box = tribo_aabb_empty();
    for (int k = first; k < first + count; ++k) {
      tree->boxes[k] = boxes[tree->order[k]];
      node->box = tribo_aabb_union(node->box, tree->boxes[k]);
    }
    return index;
  }

  // Halve along the axis over which the centers spread most.
  TriboAabb spread = tribo_aabb_empty();
  for (int k = first; k < first + count; ++k) {
    spread = tribo_aabb_with_point(spread, tree->centers[k]);
  }
  int axis = longest_axis(tribo_vec3_sub(spread.max, spread.min));
  int half = count / 2;
  select_middle(tree, first, first + count - 1, first + half, axis);

  int left = build_node(tree, boxes, first, half);
  int right = build_node(tree, boxes, first + half, count - half);
  node->right = right;
  node->box = tribo_aabb_union(tree->nodes[left].box, tree->nodes[right].box);
  return index;
}

void tribo_box_tree_build(TriboBoxTree* tree, const TriboAabb* boxes, const int* items, int count) {
  TRIBO_ASSERT(count <= tree->capacity);
  tree->item_count = count;
  tree->node_count = 0;
  for (int k = 0; k < count; ++k) {
    tree->order[k] = items != NULL ? items[k] : k;
    tree->centers[k] = tribo_aabb_center(boxes[tree->order[k]]);
  }
  if (count > 0) build_node(tree, boxes, 0, count);
  TRIBO_ASSERT(tree->node_count <= tree->capacity);
}

int tribo_box_tree_query(const TriboBoxTree* tree, TriboAabb box, int* items, int capacity) {
  int found = 0;
  if (tree->node_count == 0) return 0;
  int stack[TRIBO_BOX_TREE_DEPTH + 1];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    int index = stack[--top];
    const TriboBoxTreeNode* node = &tree->nodes[index];
    if (!tribo_aabb_overlaps(node->box, box)) continue;
    if (node->right >= 0) {
      stack[top++] = node->right;
      stack[top++] = index + 1;
      continue;
    }
    for (int k = node->first; k < node->first + node->count; ++k) {
      if (!tribo_aabb_overlaps(tree->boxes[k], box)) continue;
      if (found < capacity) items[found] = tree->order[k];
      ++found;
    }
  }
  return found;
}
