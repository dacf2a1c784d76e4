// SPDX-License-Identifier: Apache-2.0
//
// Which trees must be solved together: two trees are in one island when a contact or a loop joins
// them, and a tree that has no row at all is in none. The world joins nothing. Internal.
#ifndef TRIBO_ENGINE_CONTACT_ISLANDS_H_
#define TRIBO_ENGINE_CONTACT_ISLANDS_H_

#include <stdbool.h>

#include "engine/base/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

// Islands are numbered by their smallest tree.
typedef struct TriboIslands {
  int trees;
  int count;     // islands, computed by tribo_islands_number
  int* parent;   // union-find; the smallest tree is the root, -1: the tree has no row  (trees)
  int* of_tree;  // island or -1                                                        (trees)
  int* first;    // trees of island i: tree[first[i] .. first[i + 1] - 1], ascending    (trees + 1)
  int* tree;     // (trees)
} TriboIslands;

void tribo_islands_layout(TriboIslands* islands, TriboArena* arena, int trees);

// Starts over: no tree has a row.
void tribo_islands_clear(TriboIslands* islands);
// A row that touches the trees a and b, either of which may be -1 (the world).
void tribo_islands_join(TriboIslands* islands, int a, int b);
// Numbers the islands.
void tribo_islands_number(TriboIslands* islands);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_CONTACT_ISLANDS_H_
