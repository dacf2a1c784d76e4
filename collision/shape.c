// SPDX-License-Identifier: Apache-2.0
#include "collision/shape.h"

#include <math.h>

#include "collision/hull.h"
#include "engine/base/message.h"
#include "engine/base/rotation.h"

// Sizes beyond these lose all digits when they meet a world of metres.
static const double kSmallest = 1e-9;
static const double kLargest = 1e9;
// A solid thinner than this part of its length cannot be told from a flat one.
static const double kThinnest = 1e-9;

static TriboShape make(TriboShapeType type, TriboVec3 half) {
  return (TriboShape){.type = type, .half = half};
}

TriboShape tribo_shape_plane(void) {
  return make(TRIBO_SHAPE_PLANE, tribo_vec3(INFINITY, INFINITY, INFINITY));
}

TriboShape tribo_shape_sphere(double radius) {
  TriboShape shape = make(TRIBO_SHAPE_SPHERE, tribo_vec3(radius, radius, radius));
  shape.radius = radius;
  return shape;
}

TriboShape tribo_shape_capsule(double radius, double half_length) {
  TriboShape shape = make(TRIBO_SHAPE_CAPSULE, tribo_vec3(radius, radius, half_length + radius));
  shape.radius = radius;
  shape.half_length = half_length;
  return shape;
}

TriboShape tribo_shape_box(TriboVec3 half) { return make(TRIBO_SHAPE_BOX, half); }

TriboShape tribo_shape_cylinder(double radius, double half_length) {
  TriboShape shape = make(TRIBO_SHAPE_CYLINDER, tribo_vec3(radius, radius, half_length));
  shape.radius = radius;
  shape.half_length = half_length;
  return shape;
}

TriboShape tribo_shape_ellipsoid(TriboVec3 half) { return make(TRIBO_SHAPE_ELLIPSOID, half); }

TriboShape tribo_shape_hull(const TriboHull* hull) {
  TriboShape shape = tribo_shape_with_bounds(TRIBO_SHAPE_HULL, hull->bounds);
  shape.hull = hull;
  return shape;
}

TriboShape tribo_shape_with_bounds(TriboShapeType type, TriboAabb bounds) {
  TriboShape shape = make(type, tribo_vec3_scale(0.5, tribo_vec3_sub(bounds.max, bounds.min)));
  shape.center = tribo_aabb_center(bounds);
  return shape;
}

const char* tribo_shape_type_name(TriboShapeType type) {
  static const char* const kNames[TRIBO_SHAPE_MESH + 1] = {
      "plane", "sphere", "capsule", "box", "cylinder", "ellipsoid", "hull", "height field", "mesh"};
  return (unsigned)type <= TRIBO_SHAPE_MESH ? kNames[type] : "unknown shape";
}

// One size of a solid: finite, positive, and of a magnitude that doubles can carry.
static TriboStatus check_size(const TriboShape* shape, const char* what, double size,
                              TriboMessage* message) {
  const char* name = tribo_shape_type_name(shape->type);
  if (!isfinite(size)) {
    return tribo_message_set(message, TRIBO_ERROR_NOT_FINITE,
                             "The %s of a %s is not a finite number; give a length in metres.",
                             what, name);
  }
  if (size < kSmallest || size > kLargest) {
    return tribo_message_set(message, TRIBO_ERROR_MODEL,
                             "The %s of a %s is %g m; it must lie between %g and %g m. Check the "
                             "size, its unit and its scale.",
                             what, name, size, kSmallest, kLargest);
  }
  return TRIBO_OK;
}

// The three half sizes of the bounding box, and that none vanishes beside the others.
static TriboStatus check_half_sizes(const TriboShape* shape, TriboMessage* message) {
  const double half[3] = {shape->half.x, shape->half.y, shape->half.z};
  const char* const names[3] = {"half size along x", "half size along y", "half size along z"};
  double longest = 0;
  for (int i = 0; i < 3; ++i) {
    TriboStatus status = check_size(shape, names[i], half[i], message);
    if (status != TRIBO_OK) return status;
    longest = fmax(longest, half[i]);
  }
  for (int i = 0; i < 3; ++i) {
    if (half[i] < kThinnest * longest) {
      return tribo_message_set(message, TRIBO_ERROR_MODEL,
                               "A %s is flat: its %s is %g m beside %g m. Give it a thickness.",
                               tribo_shape_type_name(shape->type), names[i], half[i], longest);
    }
  }
  return TRIBO_OK;
}

TriboStatus tribo_shape_check(const TriboShape* shape, TriboMessage* message) {
  tribo_message_clear(message);
  if (shape == NULL) return tribo_message_set(message, TRIBO_ERROR_ARGUMENT, "No shape is given.");
  const bool has_data = shape->type == TRIBO_SHAPE_HULL           ? shape->hull != NULL
                        : shape->type == TRIBO_SHAPE_HEIGHT_FIELD ? shape->height_field != NULL
                        : shape->type == TRIBO_SHAPE_MESH         ? shape->mesh != NULL
                                                                  : true;
  if (!has_data) {
    return tribo_message_set(message, TRIBO_ERROR_MODEL, "A %s shape without its data.",
                             tribo_shape_type_name(shape->type));
  }
  TriboStatus status = TRIBO_OK;
  switch (shape->type) {
    case TRIBO_SHAPE_PLANE:
    case TRIBO_SHAPE_HEIGHT_FIELD:  // checked when they were created; these may be flat
    case TRIBO_SHAPE_MESH:
      return TRIBO_OK;
    case TRIBO_SHAPE_SPHERE:
      return check_size(shape, "radius", shape->radius, message);
    case TRIBO_SHAPE_CAPSULE:
    case TRIBO_SHAPE_CYLINDER:
      status = check_size(shape, "radius", shape->radius, message);
      // A capsule of length 0 is a sphere, and fine.
      if (status == TRIBO_OK && !(shape->type == TRIBO_SHAPE_CAPSULE && shape->half_length == 0)) {
        status = check_size(shape, "half length", shape->half_length, message);
      }
      return status != TRIBO_OK ? status : check_half_sizes(shape, message);
    case TRIBO_SHAPE_BOX:
    case TRIBO_SHAPE_ELLIPSOID:
    case TRIBO_SHAPE_HULL:
      return check_half_sizes(shape, message);
      break;
  }
  return tribo_message_set(message, TRIBO_ERROR_ARGUMENT, "Shape type %d is unknown.",
                           (int)shape->type);
}

// How far the solid reaches from its centre along the unit vector d of its own frame, for the
// shapes that are symmetric about their centre.
static double reach(const TriboShape* shape, TriboVec3 d) {
  const TriboVec3 h = shape->half;
  switch (shape->type) {
    case TRIBO_SHAPE_CAPSULE:
      return shape->radius + shape->half_length * fabs(d.z);
    case TRIBO_SHAPE_CYLINDER:
      return shape->radius * sqrt(d.x * d.x + d.y * d.y) + shape->half_length * fabs(d.z);
    case TRIBO_SHAPE_ELLIPSOID:
      return tribo_vec3_norm(tribo_vec3(h.x * d.x, h.y * d.y, h.z * d.z));
    default:
      return h.x * fabs(d.x) + h.y * fabs(d.y) + h.z * fabs(d.z);
  }
}

static TriboAabb plane_bounds(const TriboTransform* X_WS) {
  const TriboVec3 n = tribo_mat3_column(X_WS->R, 2);
  TriboAabb box = {tribo_vec3(-INFINITY, -INFINITY, -INFINITY),
                   tribo_vec3(INFINITY, INFINITY, INFINITY)};
  if (n.x == 1) box.max.x = X_WS->p.x;
  if (n.y == 1) box.max.y = X_WS->p.y;
  if (n.z == 1) box.max.z = X_WS->p.z;
  if (n.x == -1) box.min.x = X_WS->p.x;
  if (n.y == -1) box.min.y = X_WS->p.y;
  if (n.z == -1) box.min.z = X_WS->p.z;
  return box;
}

TriboAabb tribo_shape_bounds(const TriboShape* shape, const TriboTransform* X_WS) {
  if (shape->type == TRIBO_SHAPE_PLANE) return plane_bounds(X_WS);
  if (shape->type == TRIBO_SHAPE_HULL) {
    TriboAabb box = tribo_aabb_empty();
    for (int i = 0; i < shape->hull->nv; ++i) {
      box = tribo_aabb_with_point(box, tribo_transform_point(*X_WS, shape->hull->vertices[i]));
    }
    return box;
  }
  const TriboVec3 c = tribo_transform_point(*X_WS, shape->center);
  if (shape->type == TRIBO_SHAPE_SPHERE) {
    const TriboVec3 radius = tribo_vec3(shape->radius, shape->radius, shape->radius);
    const TriboAabb round = {tribo_vec3_sub(c, radius), tribo_vec3_add(c, radius)};
    return round;
  }
  const TriboVec3 r =
      tribo_vec3(reach(shape, tribo_mat3_row(X_WS->R, 0)), reach(shape, tribo_mat3_row(X_WS->R, 1)),
                 reach(shape, tribo_mat3_row(X_WS->R, 2)));
  TriboAabb box = {tribo_vec3_sub(c, r), tribo_vec3_add(c, r)};
  return box;
}
