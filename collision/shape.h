// SPDX-License-Identifier: Apache-2.0
//
// The shapes that collide. A TriboShape is a small value: a type and its sizes, in the shape's own
// frame; where the shape is comes with every query, as the pose of that frame in the world.
#ifndef TRIBO_COLLISION_SHAPE_H_
#define TRIBO_COLLISION_SHAPE_H_

#include <stdbool.h>

#include "collision/aabb.h"
#include "engine/base/status.h"
#include "engine/base/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboHull TriboHull;
typedef struct TriboHeightField TriboHeightField;
typedef struct TriboMesh TriboMesh;

// A shape. Made by the functions below, which fill what their type does not use with 0; the fields
// are then only read. What the pointers point to is owned by others and must outlive the shape.
typedef struct TriboShape {
  TriboShapeType type;
  double radius;       // sphere, capsule, cylinder (m, > 0)
  double half_length;  // capsule (m, >= 0, without the round ends), cylinder (m, > 0)
  TriboVec3 center;    // middle of the bounding box, in the shape's frame; 0 but for the last three
  TriboVec3 half;      // half sizes of the bounding box, in the shape's frame; infinite for a plane
  const TriboHull* hull;
  const TriboHeightField* height_field;
  const TriboMesh* mesh;
} TriboShape;

TriboShape tribo_shape_plane(void);
TriboShape tribo_shape_sphere(double radius);
TriboShape tribo_shape_capsule(double radius, double half_length);
TriboShape tribo_shape_box(TriboVec3 half);
TriboShape tribo_shape_cylinder(double radius, double half_length);
TriboShape tribo_shape_ellipsoid(TriboVec3 half);
TriboShape tribo_shape_hull(const TriboHull* hull);
// For shapes whose data live elsewhere (height fields, meshes): type and bounding box, pointers
// NULL.
TriboShape tribo_shape_with_bounds(TriboShapeType type, TriboAabb bounds);

// "sphere", "height field", ...; never NULL.
const char* tribo_shape_type_name(TriboShapeType type);

// Whether the queries can work with this shape: sizes finite, positive, between 1e-9 and 1e9 m,
// thin by no more than 1e-9 of the longest side, pointers present. TRIBO_ERROR_NOT_FINITE or
// TRIBO_ERROR_MODEL with a message (which may be NULL) that says what to change. The queries trust
// this and do not check again.
TRIBO_CHECKED TriboStatus tribo_shape_check(const TriboShape* shape, TriboMessage* message);

// Whether all of the solid is convex: everything but height fields and meshes.
static inline bool tribo_shape_is_convex(const TriboShape* shape) {
  return shape->type <= TRIBO_SHAPE_HULL;
}

// The box around the shape in the world, tight for the convex shapes up to rounding. A plane is
// bounded on one side, where its normal is an axis of the world, and on none otherwise.
TriboAabb tribo_shape_bounds(const TriboShape* shape, const TriboTransform* X_WS);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_SHAPE_H_
