// SPDX-License-Identifier: Apache-2.0
//
// The value types that everything speaks: small vectors, rotations, poses. Plain structs of
// doubles, passed by value. SI units, radians, right-handed, quaternions in the order w x y z.
#ifndef TRIBO_ENGINE_BASE_TYPES_H_
#define TRIBO_ENGINE_BASE_TYPES_H_

// A vector or a point of space.
typedef struct TriboVec3 {
  double x, y, z;
} TriboVec3;

// A 3x3 matrix, row-major: m[3 * row + column].
typedef struct TriboMat3 {
  double m[9];
} TriboMat3;

// A unit quaternion in the order w x y z. q and -q are the same rotation.
typedef struct TriboQuat {
  double w, x, y, z;
} TriboQuat;

// A pose as people write it: where the frame's origin is, and its orientation (w x y z).
typedef struct TriboPose {
  TriboVec3 p;
  TriboQuat q;
} TriboPose;

// A pose as the inner loops use it: x_W = R x_B + p.
typedef struct TriboTransform {
  TriboMat3 R;
  TriboVec3 p;
} TriboTransform;

// The shapes that collide; lengths in metres. A description gives them as size[].
typedef enum TriboShapeType {
  TRIBO_SHAPE_PLANE = 0,  // the half-space z <= 0 of its frame; only on the world
  TRIBO_SHAPE_SPHERE,     // size[0] radius
  TRIBO_SHAPE_CAPSULE,    // size[0] radius, size[1] half length of the axis along z, caps excluded
  TRIBO_SHAPE_BOX,        // size[0..2] half lengths
  TRIBO_SHAPE_CYLINDER,   // size[0] radius, size[1] half height along z
  TRIBO_SHAPE_ELLIPSOID,  // size[0..2] semi-axes
  TRIBO_SHAPE_HULL,       // convex hull of vertices
  TRIBO_SHAPE_HEIGHT_FIELD,  // heights over a grid; only on the world
  TRIBO_SHAPE_MESH,          // triangles; only on the world
} TriboShapeType;

#endif  // TRIBO_ENGINE_BASE_TYPES_H_
