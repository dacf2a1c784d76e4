// SPDX-License-Identifier: Apache-2.0
//
// The part of a convex core that faces a direction: a corner, an edge or a face, with the names
// that contacts carry. Internal.
//
//   core        vertices          edges                      faces
//   segment     0 at -z, 1 at +z  0
//   triangle    as given          i: from corner i to i + 1  0       (all + feature_base)
//   box         x + 2 y + 4 z     4 axis + the signs of      2 axis + sign
//                                 the other two
//   cylinder    8 cap + k         2 + 8 cap + k              0 bottom, 1 top; rims are edges 0, 1
//   hull        as the hull has them
//
// A sign is 1 on the positive side. The cap of a cylinder is seen as an octagon whose corner 0 is
// the exact support; while the axis stands straight on the direction, corner 0 is on the x axis.
// The sides of a cylinder and all of an ellipsoid are smooth.
#ifndef TRIBO_COLLISION_FEATURE_H_
#define TRIBO_COLLISION_FEATURE_H_

#include <stdbool.h>

#include "collision/contact.h"
#include "collision/convex.h"
#include "engine/base/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Faces of hulls with more corners than this are seen as polygons of this many of them.
enum { TRIBO_FEATURE_POINTS = 64 };

typedef struct TriboSupportFeature {
  int count;         // 1 corner, 2 ends of an edge, 3 or more corners of a face
  TriboVec3 normal;  // of a face: unit, outwards
  // How much the feature is at right angles to the direction asked for: the cosine between that and
  // the normal of a face, the sine between it and an edge.
  double alignment;
  double radius;  // rounding around the points (m); 0 where they lie on the surface themselves
  // The flank of a rounded segment is given on the surface, as the line that faces the direction.
  // Where it is tilted, the lowest point of the round end is beyond that line's end number
  // `round_end` (-1: none): here.
  int round_end;
  TriboVec3 round_point;
  uint32_t name;                          // of the corner, edge or face
  TriboVec3 point[TRIBO_FEATURE_POINTS];  // faces: counterclockwise seen from outside
  uint32_t vertex[TRIBO_FEATURE_POINTS];  // names of the points
  uint32_t edge[TRIBO_FEATURE_POINTS];    // names of the edges from each point to the next
} TriboSupportFeature;

// The face that looks most along the unit vector d among those that hold a support point of d; for
// cores without such a face, an edge (segment, side of a cylinder) or a point (ellipsoid).
void tribo_convex_face(const TriboConvex* convex, TriboVec3 d, TriboSupportFeature* feature);

// The smallest feature that holds all support points of the unit vector d, up to an angle of
// 1e-6: where an edge or face is at right angles to d it is that one, else a corner.
void tribo_convex_sharp(const TriboConvex* convex, TriboVec3 d, TriboSupportFeature* feature);

// Whether p lies over a face (3 or more points), seen along n, or no farther than `tolerance` (m)
// beside it.
bool tribo_feature_holds(const TriboSupportFeature* face, TriboVec3 p, TriboVec3 n,
                         double tolerance);

// The name of that feature alone.
uint32_t tribo_convex_sharp_name(const TriboConvex* convex, TriboVec3 d);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_FEATURE_H_
