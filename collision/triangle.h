// SPDX-License-Identifier: Apache-2.0
//
// A triangle of a height field or mesh, with what lies around it, and its point nearest to another.
// Internal.
#ifndef TRIBO_COLLISION_TRIANGLE_H_
#define TRIBO_COLLISION_TRIANGLE_H_

#include "engine/base/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

// One triangle of a surface, in the surface's frame. Its outside is where the normal points; edge k
// runs from corner k to the next one.
typedef struct TriboTriangle {
  TriboVec3 corner[3];  // counterclockwise seen from outside
  TriboVec3 normal;     // unit
  int vertex[3];        // numbers of the corners in the surface
  int neighbor[3];      // the triangle beyond edge k; -1: none, the edge is a border
  int edge[3];          // numbers of the edges, the same from both sides
  int patch;            // the smallest triangle of the flat region that it is part of
} TriboTriangle;

// Where on a triangle a point is.
typedef enum TriboTriangleRegion {
  TRIBO_TRIANGLE_FACE = 0,
  TRIBO_TRIANGLE_EDGE = 1,    // + k: on edge k, not at its ends
  TRIBO_TRIANGLE_CORNER = 4,  // + k: at corner k
} TriboTriangleRegion;

// The point of the triangle a b c nearest to p, and its region (one of the enum plus k).
TriboVec3 tribo_triangle_closest(const TriboVec3 corner[3], TriboVec3 p, int* region);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_TRIANGLE_H_
