// SPDX-License-Identifier: Apache-2.0
//
// Height fields and meshes as one kind of thing: triangles by number, and those near a box.
// Internal.
#ifndef TRIBO_COLLISION_TRIANGLE_SOURCE_H_
#define TRIBO_COLLISION_TRIANGLE_SOURCE_H_

#include <stdbool.h>

#include "collision/aabb.h"
#include "collision/box_tree.h"
#include "collision/height_field.h"
#include "collision/shape.h"
#include "collision/triangle.h"

#ifdef __cplusplus
extern "C" {
#endif

void tribo_source_triangle(const TriboShape* terrain, int t, TriboTriangle* triangle);

// Whether all triangles at a vertex are one flat region around it.
bool tribo_source_is_inner(const TriboShape* terrain, int vertex);

// A walk over the triangles whose boxes overlap a box, in an order that depends on the terrain
// only.
typedef struct TriboTriangleWalk {
  const TriboShape* terrain;
  TriboAabb box;
  // mesh: nodes still to open, and what is left of the leaf
  int stack[TRIBO_BOX_TREE_DEPTH + 1];
  int top, next, end;
  // height field: the cells, the next one and its next triangle
  TriboHeightFieldCells cells;
  int row, column, upper;
  bool is_done;
} TriboTriangleWalk;

void tribo_triangle_walk_init(TriboTriangleWalk* walk, const TriboShape* terrain, TriboAabb box);

// The next triangle, -1 at the end.
int tribo_triangle_walk_next(TriboTriangleWalk* walk);

// The walk around a vertex: `t` is a triangle with the vertex at its corner; returns the next one
// counterclockwise, or clockwise where `back`, and -1 at a border.
int tribo_source_turn(const TriboShape* terrain, int t, int vertex, bool back,
                      TriboTriangle* triangle);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_TRIANGLE_SOURCE_H_
