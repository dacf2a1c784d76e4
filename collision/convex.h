// SPDX-License-Identifier: Apache-2.0
//
// Convex bodies as the narrow phase sees them: a core (point, segment, triangle, box, cylinder,
// ellipsoid or hull) with a pose, and a radius by which it is rounded. A sphere is a point with a
// radius, a capsule a segment with a radius. What two cores do to each other is computed once, and
// the radii come off the distance exactly. Internal.
#ifndef TRIBO_COLLISION_CONVEX_H_
#define TRIBO_COLLISION_CONVEX_H_

#include <stdbool.h>

#include "collision/contact.h"
#include "collision/shape.h"
#include "engine/base/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TriboConvexKind {
  TRIBO_CONVEX_POINT,      // the origin
  TRIBO_CONVEX_SEGMENT,    // |z| <= half.z
  TRIBO_CONVEX_TRIANGLE,   // triangle[0..2], counterclockwise seen from outside
  TRIBO_CONVEX_BOX,        // |x| <= half.x, ...
  TRIBO_CONVEX_CYLINDER,   // radius half.x, |z| <= half.z
  TRIBO_CONVEX_ELLIPSOID,  // semi-axes half
  TRIBO_CONVEX_HULL,
} TriboConvexKind;

typedef struct TriboConvex {
  TriboConvexKind kind;
  TriboTransform X;       // pose of the core's frame in the frame of the query
  TriboVec3 half;         // sizes of the core, in its own frame (m)
  double radius;          // rounding of the core (m, >= 0)
  double size;            // half the diagonal of the core's bounding box (m): scale of tolerances
  const TriboHull* hull;  // TRIBO_CONVEX_HULL
  TriboVec3 triangle[3];  // TRIBO_CONVEX_TRIANGLE, in its own frame
  int feature_base;       // added to every feature index of the triangle; 0 for the others
} TriboConvex;

// Whether the surface of the core itself is curved.
static inline bool tribo_convex_is_curved(const TriboConvex* core) {
  return core->kind == TRIBO_CONVEX_CYLINDER || core->kind == TRIBO_CONVEX_ELLIPSOID;
}

// A convex shape (not a plane, height field or mesh) at a pose. The first works in place, relative
// to a point of the world near the query, which keeps the digits of distances far from the origin.
void tribo_convex_set(TriboConvex* convex, const TriboShape* shape, const TriboTransform* X_WS,
                      TriboVec3 origin);
TriboConvex tribo_convex_from_shape(const TriboShape* shape, const TriboTransform* X_WS);

// A triangle with corners in the frame of the query; its feature ids are vertex, edge (from that
// vertex to the next) and face number feature_base + 0, 1, 2.
TriboConvex tribo_convex_triangle(TriboVec3 a, TriboVec3 b, TriboVec3 c, int feature_base);

// The unit normal of a triangle's front, in the frame of the query.
TriboVec3 tribo_convex_triangle_normal(const TriboConvex* triangle);

// The point of the core (without the radius) that is farthest along d, which need not be a unit
// vector. Ties go to the smallest index.
TriboVec3 tribo_convex_support(const TriboConvex* convex, TriboVec3 d);

// The corner of a hull farthest along d, in the hull's own frame.
int tribo_hull_support(const TriboHull* hull, TriboVec3 d);

// A point of the core well inside it.
TriboVec3 tribo_convex_center(const TriboConvex* convex);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_CONVEX_H_
