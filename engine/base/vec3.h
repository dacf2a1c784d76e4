// SPDX-License-Identifier: Apache-2.0
//
// Vectors, 3x3 matrices and tangent frames, inline. Internal.
#ifndef TRIBO_ENGINE_BASE_VEC3_H_
#define TRIBO_ENGINE_BASE_VEC3_H_

#include <math.h>
#include <stdbool.h>

#include "engine/base/types.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline TriboVec3 tribo_vec3(double x, double y, double z) {
  TriboVec3 v = {x, y, z};
  return v;
}
static inline TriboVec3 tribo_vec3_zero(void) { return tribo_vec3(0, 0, 0); }
static inline TriboVec3 tribo_vec3_from(const double a[3]) { return tribo_vec3(a[0], a[1], a[2]); }
static inline void tribo_vec3_store(TriboVec3 v, double a[3]) {
  a[0] = v.x;
  a[1] = v.y;
  a[2] = v.z;
}

static inline TriboVec3 tribo_vec3_add(TriboVec3 a, TriboVec3 b) {
  return tribo_vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline TriboVec3 tribo_vec3_sub(TriboVec3 a, TriboVec3 b) {
  return tribo_vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline TriboVec3 tribo_vec3_neg(TriboVec3 a) { return tribo_vec3(-a.x, -a.y, -a.z); }
static inline TriboVec3 tribo_vec3_scale(double s, TriboVec3 a) {
  return tribo_vec3(s * a.x, s * a.y, s * a.z);
}
// a + s b
static inline TriboVec3 tribo_vec3_madd(TriboVec3 a, double s, TriboVec3 b) {
  return tribo_vec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline double tribo_vec3_dot(TriboVec3 a, TriboVec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline TriboVec3 tribo_vec3_cross(TriboVec3 a, TriboVec3 b) {
  return tribo_vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double tribo_vec3_norm2(TriboVec3 a) { return tribo_vec3_dot(a, a); }
static inline double tribo_vec3_norm(TriboVec3 a) { return sqrt(tribo_vec3_norm2(a)); }
static inline double tribo_vec3_distance(TriboVec3 a, TriboVec3 b) {
  return tribo_vec3_norm(tribo_vec3_sub(a, b));
}
// Unit vector along a, or `fallback` where a is too short to have a direction: below 1e-150 the
// squared length leaves the normal numbers, and the quotient would not be a unit vector.
static inline TriboVec3 tribo_vec3_normalize_or(TriboVec3 a, TriboVec3 fallback) {
  double n = tribo_vec3_norm(a);
  return n > 1e-150 ? tribo_vec3_scale(1 / n, a) : fallback;
}
static inline double tribo_vec3_get(TriboVec3 a, int i) {
  return i == 0 ? a.x : i == 1 ? a.y : a.z;
}
static inline bool tribo_vec3_is_finite(TriboVec3 a) {
  return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline TriboMat3 tribo_mat3_identity(void) {
  TriboMat3 A = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
  return A;
}
static inline TriboMat3 tribo_mat3_zero(void) {
  TriboMat3 A = {{0, 0, 0, 0, 0, 0, 0, 0, 0}};
  return A;
}
static inline TriboMat3 tribo_mat3_diagonal(double a, double b, double c) {
  TriboMat3 A = {{a, 0, 0, 0, b, 0, 0, 0, c}};
  return A;
}
static inline TriboMat3 tribo_mat3_from_columns(TriboVec3 a, TriboVec3 b, TriboVec3 c) {
  TriboMat3 A = {{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
  return A;
}
static inline TriboVec3 tribo_mat3_column(TriboMat3 A, int j) {
  return tribo_vec3(A.m[j], A.m[3 + j], A.m[6 + j]);
}
static inline TriboVec3 tribo_mat3_row(TriboMat3 A, int i) {
  return tribo_vec3(A.m[3 * i], A.m[3 * i + 1], A.m[3 * i + 2]);
}
// A v
static inline TriboVec3 tribo_mat3_mul_vec(TriboMat3 A, TriboVec3 v) {
  return tribo_vec3(A.m[0] * v.x + A.m[1] * v.y + A.m[2] * v.z,
                    A.m[3] * v.x + A.m[4] * v.y + A.m[5] * v.z,
                    A.m[6] * v.x + A.m[7] * v.y + A.m[8] * v.z);
}
// A^T v
static inline TriboVec3 tribo_mat3_tmul_vec(TriboMat3 A, TriboVec3 v) {
  return tribo_vec3(A.m[0] * v.x + A.m[3] * v.y + A.m[6] * v.z,
                    A.m[1] * v.x + A.m[4] * v.y + A.m[7] * v.z,
                    A.m[2] * v.x + A.m[5] * v.y + A.m[8] * v.z);
}
static inline TriboMat3 tribo_mat3_transpose(TriboMat3 A) {
  TriboMat3 B = {{A.m[0], A.m[3], A.m[6], A.m[1], A.m[4], A.m[7], A.m[2], A.m[5], A.m[8]}};
  return B;
}
static inline TriboMat3 tribo_mat3_add(TriboMat3 A, TriboMat3 B) {
  for (int i = 0; i < 9; ++i) A.m[i] += B.m[i];
  return A;
}
static inline TriboMat3 tribo_mat3_sub(TriboMat3 A, TriboMat3 B) {
  for (int i = 0; i < 9; ++i) A.m[i] -= B.m[i];
  return A;
}
static inline TriboMat3 tribo_mat3_scale(double s, TriboMat3 A) {
  for (int i = 0; i < 9; ++i) A.m[i] *= s;
  return A;
}
// A B
static inline TriboMat3 tribo_mat3_mul(TriboMat3 A, TriboMat3 B) {
  TriboMat3 C;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      C.m[3 * i + j] =
          A.m[3 * i] * B.m[j] + A.m[3 * i + 1] * B.m[3 + j] + A.m[3 * i + 2] * B.m[6 + j];
    }
  }
  return C;
}
// A^T B
static inline TriboMat3 tribo_mat3_tmul(TriboMat3 A, TriboMat3 B) {
  return tribo_mat3_mul(tribo_mat3_transpose(A), B);
}
// A B^T
static inline TriboMat3 tribo_mat3_mult(TriboMat3 A, TriboMat3 B) {
  return tribo_mat3_mul(A, tribo_mat3_transpose(B));
}
// The matrix of the cross product: [a] b = a x b.
static inline TriboMat3 tribo_mat3_skew(TriboVec3 a) {
  TriboMat3 A = {{0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0}};
  return A;
}
static inline double tribo_mat3_determinant(TriboMat3 A) {
  return A.m[0] * (A.m[4] * A.m[8] - A.m[5] * A.m[7]) -
         A.m[1] * (A.m[3] * A.m[8] - A.m[5] * A.m[6]) +
         A.m[2] * (A.m[3] * A.m[7] - A.m[4] * A.m[6]);
}

// Two unit tangents that complete the unit vector n to a right-handed frame (n, t1, t2). Continuous
// in n but for one jump at n.z = 0, and accurate everywhere, by Duff et al., "Building an
// Orthonormal Basis, Revisited" (JCGT 2017), eq. 3-5.
static inline void tribo_vec3_tangents(TriboVec3 n, TriboVec3* t1, TriboVec3* t2) {
  double sign = copysign(1.0, n.z);
  double a = -1.0 / (sign + n.z);
  double b = n.x * n.y * a;
  *t1 = tribo_vec3(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x);
  *t2 = tribo_vec3(b, sign + n.y * n.y * a, -n.y);
}

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_BASE_VEC3_H_
