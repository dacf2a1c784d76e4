// SPDX-License-Identifier: Apache-2.0
//
// Union-find with path halving. The smaller root stays a root, so the numbering does not depend on
// the order in which rows are joined.
#include "engine/contact/islands.h"

void tribo_islands_layout(TriboIslands* islands, TriboArena* arena, int trees) {
  islands->trees = trees;
  islands->parent = tribo_arena_ints(arena, trees);
  islands->of_tree = tribo_arena_ints(arena, trees);
  islands->first = tribo_arena_ints(arena, trees + 1);
  islands->tree = tribo_arena_ints(arena, trees);
}

void tribo_islands_clear(TriboIslands* islands) {
  islands->count = 0;
  for (int t = 0; t < islands->trees; ++t) islands->parent[t] = -1;
}

static int find(int* parent, int tree) {
  if (parent[tree] < 0) parent[tree] = tree;
  while (parent[tree] != tree) {
    parent[tree] = parent[parent[tree]];
    tree = parent[tree];
  }
  return tree;
}

void tribo_islands_join(TriboIslands* islands, int a, int b) {
  if (a < 0) a = b;
  if (b < 0) b = a;
  if (a < 0) return;
  const int root_a = find(islands->parent, a), root_b = find(islands->parent, b);
  if (root_a < root_b) islands->parent[root_b] = root_a;
  if (root_b < root_a) islands->parent[root_a] = root_b;
}

void tribo_islands_number(TriboIslands* islands) {
  // A root is the smallest tree of its island, so it is met before the others.
  int count = 0;
  for (int t = 0; t < islands->trees; ++t) {
    islands->of_tree[t] = -1;
    if (islands->parent[t] < 0) continue;
    const int root = find(islands->parent, t);
    if (root == t) {
      islands->first[count] = 0;
      islands->of_tree[t] = count++;
    } else {
      islands->of_tree[t] = islands->of_tree[root];
    }
    ++islands->first[islands->of_tree[t]];
  }
  // Counts to starts, then the trees in ascending order.
  int total = 0;
  for (int i = 0; i < count; ++i) {
    total += islands->first[i];
    islands->first[i] = total;
  }
  islands->first[count] = total;
  for (int t = islands->trees - 1; t >= 0; --t) {
    if (islands->of_tree[t] >= 0) islands->tree[--islands->first[islands->of_tree[t]]] = t;
  }
  islands->count = count;
}
