// SPDX-License-Identifier: Apache-2.0
//
// Axis-aligned boxes in the world frame, in metres: what the broad phase and the trees of meshes
// sort by. Internal.
#ifndef TRIBO_COLLISION_AABB_H_
#define TRIBO_COLLISION_AABB_H_

#include <math.h>
#include <stdbool.h>

#include "engine/base/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

// All points with min <= p <= max in each coordinate. Empty when min > max in some coordinate.
typedef struct TriboAabb {
  TriboVec3 min, max;
} TriboAabb;

// The box that holds nothing: the start of a union.
static inline TriboAabb tribo_aabb_empty(void) {
  TriboAabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  return box;
}
static inline TriboVec3 tribo_vec3_min(TriboVec3 a, TriboVec3 b) {
  return tribo_vec3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}
static inline TriboVec3 tribo_vec3_max(TriboVec3 a, TriboVec3 b) {
  return tribo_vec3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}
static inline TriboAabb tribo_aabb_union(TriboAabb a, TriboAabb b) {
  TriboAabb box = {tribo_vec3_min(a.min, b.min), tribo_vec3_max(a.max, b.max)};
  return box;
}
static inline TriboAabb tribo_aabb_with_point(TriboAabb a, TriboVec3 p) {
  TriboAabb box = {tribo_vec3_min(a.min, p), tribo_vec3_max(a.max, p)};
  return box;
}
// The box grown by `margin` (>= 0) on every side.
static inline TriboAabb tribo_aabb_inflate(TriboAabb a, double margin) {
  TriboAabb box = {tribo_vec3(a.min.x - margin, a.min.y - margin, a.min.z - margin),
                   tribo_vec3(a.max.x + margin, a.max.y + margin, a.max.z + margin)};
  return box;
}
// The box of everything that the box sweeps over while it moves by `displacement`.
static inline TriboAabb tribo_aabb_sweep(TriboAabb a, TriboVec3 displacement) {
  TriboAabb moved = {tribo_vec3_add(a.min, displacement), tribo_vec3_add(a.max, displacement)};
  return tribo_aabb_union(a, moved);
}
// Boxes that only touch overlap. All six comparisons at once: in a crowd each of them goes either
// way, and six branches that no processor can foresee cost more than comparing.
static inline bool tribo_aabb_overlaps(TriboAabb a, TriboAabb b) {
  return (a.min.x <= b.max.x) & (b.min.x <= a.max.x) & (a.min.y <= b.max.y) & (b.min.y <= a.max.y) &
         (a.min.z <= b.max.z) & (b.min.z <= a.max.z);
}
static inline TriboVec3 tribo_aabb_center(TriboAabb a) {
  return tribo_vec3(0.5 * a.min.x + 0.5 * a.max.x, 0.5 * a.min.y + 0.5 * a.max.y,
                    0.5 * a.min.z + 0.5 * a.max.z);
}
static inline bool tribo_aabb_is_finite(TriboAabb a) {
  return tribo_vec3_is_finite(a.min) && tribo_vec3_is_finite(a.max);
}

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_AABB_H_
