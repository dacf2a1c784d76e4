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

// Only where triangle t is: a part of the work, for those that may be too far away to matter.
void tribo_source_corners(const TriboShape* terrain, int t, TriboVec3 corner[3], TriboVec3* normal);

// The triangles at a vertex: number k of tribo_source_degree, in a fixed order; -1 beyond a border.
int tribo_source_degree(const TriboShape* terrain, int vertex);
int tribo_source_at_vertex(const TriboShape* terrain, int vertex, int k);

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

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_TRIANGLE_SOURCE_H_
