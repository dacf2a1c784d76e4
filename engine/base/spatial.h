// SPDX-License-Identifier: Apache-2.0
//
// Spatial (6-D) vectors and rigid-body inertias [Featherstone2008], in world axes about one common
// point of each tree, so that they add without being transformed. Internal.
#ifndef TRIBO_ENGINE_BASE_SPATIAL_H_
#define TRIBO_ENGINE_BASE_SPATIAL_H_

#include "engine/base/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

// A motion (angular velocity w, velocity v of the body's point at the origin) or a force (torque w
// about the origin, force v).
typedef struct TriboSpatial {
  TriboVec3 w, v;
} TriboSpatial;

// Mass, first moment m c and inertia about the origin: xx yy zz xy xz yz.
typedef struct TriboInertia {
  double m;
  TriboVec3 h;
  double I[6];
} TriboInertia;

static inline TriboSpatial tribo_spatial(TriboVec3 w, TriboVec3 v) {
  TriboSpatial s = {w, v};
  return s;
}
static inline TriboSpatial tribo_spatial_zero(void) {
  return tribo_spatial(tribo_vec3_zero(), tribo_vec3_zero());
}
static inline TriboSpatial tribo_spatial_add(TriboSpatial a, TriboSpatial b) {
  return tribo_spatial(tribo_vec3_add(a.w, b.w), tribo_vec3_add(a.v, b.v));
}
static inline TriboSpatial tribo_spatial_sub(TriboSpatial a, TriboSpatial b) {
  return tribo_spatial(tribo_vec3_sub(a.w, b.w), tribo_vec3_sub(a.v, b.v));
}
// a + s b
static inline TriboSpatial tribo_spatial_madd(TriboSpatial a, double s, TriboSpatial b) {
  return tribo_spatial(tribo_vec3_madd(a.w, s, b.w), tribo_vec3_madd(a.v, s, b.v));
}
// Power of a force on a motion.
static inline double tribo_spatial_dot(TriboSpatial a, TriboSpatial b) {
  return tribo_vec3_dot(a.w, b.w) + tribo_vec3_dot(a.v, b.v);
}
// Rate of the motion m carried along by the motion V: V x m.
static inline TriboSpatial tribo_spatial_cross(TriboSpatial V, TriboSpatial m) {
  return tribo_spatial(tribo_vec3_cross(V.w, m.w),
                       tribo_vec3_add(tribo_vec3_cross(V.w, m.v), tribo_vec3_cross(V.v, m.w)));
}
// Rate of the force f carried along by the motion V: V x* f.
static inline TriboSpatial tribo_spatial_cross_force(TriboSpatial V, TriboSpatial f) {
  return tribo_spatial(tribo_vec3_add(tribo_vec3_cross(V.w, f.w), tribo_vec3_cross(V.v, f.v)),
                       tribo_vec3_cross(V.w, f.v));
}

// A v for the symmetric A = xx yy zz xy xz yz.
static inline TriboVec3 tribo_symmetric_mul(const double A[6], TriboVec3 v) {
  return tribo_vec3(A[0] * v.x + A[3] * v.y + A[4] * v.z, A[3] * v.x + A[1] * v.y + A[5] * v.z,
                    A[4] * v.x + A[5] * v.y + A[2] * v.z);
}
// x = A^-1 b for the symmetric positive definite A = xx yy zz xy xz yz.
static inline TriboVec3 tribo_symmetric_solve(const double A[6], TriboVec3 b) {
  double l10 = A[3] / A[0], l20 = A[4] / A[0];
  double d1 = A[1] - l10 * A[3], s = A[5] - l20 * A[3];
  double l21 = s / d1, d2 = A[2] - l20 * A[4] - l21 * s;
  double y1 = b.y - l10 * b.x, z = (b.z - l20 * b.x - l21 * y1) / d2;
  double y = y1 / d1 - l21 * z;
  return tribo_vec3(b.x / A[0] - l10 * y - l20 * z, y, z);
}
// R A R^T for the symmetric A.
static inline void tribo_symmetric_rotate(TriboMat3 R, const double A[6], double out[6]) {
  TriboVec3 x = tribo_mat3_row(R, 0), y = tribo_mat3_row(R, 1), z = tribo_mat3_row(R, 2);
  TriboVec3 ax = tribo_symmetric_mul(A, x), ay = tribo_symmetric_mul(A, y);
  out[0] = tribo_vec3_dot(x, ax);
  out[1] = tribo_vec3_dot(y, ay);
  out[2] = tribo_vec3_dot(z, tribo_symmetric_mul(A, z));
  out[3] = tribo_vec3_dot(y, ax);
  out[4] = tribo_vec3_dot(z, ax);
  out[5] = tribo_vec3_dot(z, ay);
}
// Adds m (|c|^2 1 - c c^T): the inertia of a point mass at c.
static inline void tribo_symmetric_add_point(double I[6], double m, TriboVec3 c) {
  TriboVec3 h = tribo_vec3_scale(m, c);
  I[0] += h.y * c.y + h.z * c.z;
  I[1] += h.x * c.x + h.z * c.z;
  I[2] += h.x * c.x + h.y * c.y;
  I[3] -= h.x * c.y;
  I[4] -= h.x * c.z;
  I[5] -= h.y * c.z;
}

// Momentum of a body that moves with V.
static inline TriboSpatial tribo_inertia_mul(const TriboInertia* A, TriboSpatial V) {
  return tribo_spatial(tribo_vec3_add(tribo_symmetric_mul(A->I, V.w), tribo_vec3_cross(A->h, V.v)),
                       tribo_vec3_madd(tribo_vec3_cross(V.w, A->h), A->m, V.v));
}
static inline void tribo_inertia_add(TriboInertia* A, const TriboInertia* B) {
  A->m += B->m;
  A->h = tribo_vec3_add(A->h, B->h);
  for (int i = 0; i < 6; ++i) A->I[i] += B->I[i];
}

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_BASE_SPATIAL_H_
