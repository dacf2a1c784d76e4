// SPDX-License-Identifier: Apache-2.0
//
// Where a ray first meets a shape: closed forms for the round shapes, the faces of hulls, the
// triangles of meshes and height fields along the ray only. Internal.
#ifndef TRIBO_COLLISION_RAY_H_
#define TRIBO_COLLISION_RAY_H_

#include <stdbool.h>

#include "collision/aabb.h"
#include "collision/shape.h"
#include "engine/base/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboRaySegment {
  TriboVec3 origin;
  TriboVec3 direction;  // unit
  double reach;         // m, >= 0; may be infinite
} TriboRaySegment;

// The first point of the shape on the ray: *distance <= ray.reach from the origin, and the unit
// normal there, out of the shape. A ray that begins inside a solid meets it at distance 0, against
// its own direction. The surfaces of meshes are met from outside only, as contacts are; below a
// height field is inside. False where the ray meets nothing.
bool tribo_ray_shape(const TriboShape* shape, const TriboTransform* X_WS,
                     const TriboRaySegment* ray, double* distance, TriboVec3* normal);

// Where the ray enters the box: at most ray.reach; 0 where it begins inside. False where it does
// not.
bool tribo_ray_box(TriboAabb box, const TriboRaySegment* ray, double* distance);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_RAY_H_
