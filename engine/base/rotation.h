// SPDX-License-Identifier: Apache-2.0
//
// Rotations: quaternions (w x y z), rotation vectors, rigid transforms, inline where they are hot.
// Internal.
#ifndef TRIBO_ENGINE_BASE_ROTATION_H_
#define TRIBO_ENGINE_BASE_ROTATION_H_

#include "engine/base/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline TriboQuat tribo_quat(double w, double x, double y, double z) {
  TriboQuat q = {w, x, y, z};
  return q;
}
static inline TriboQuat tribo_quat_identity(void) { return tribo_quat(1, 0, 0, 0); }
static inline TriboQuat tribo_quat_conjugate(TriboQuat q) {
  return tribo_quat(q.w, -q.x, -q.y, -q.z);
}
// The rotation b followed by a.
static inline TriboQuat tribo_quat_mul(TriboQuat a, TriboQuat b) {
  return tribo_quat(
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}
static inline double tribo_quat_norm2(TriboQuat q) {
  return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
}
// Unit quaternion along q; the identity where q is 0.
static inline TriboQuat tribo_quat_normalize(TriboQuat q) {
  double n2 = tribo_quat_norm2(q);
  if (!(n2 > 0)) return tribo_quat_identity();
  double s = 1 / sqrt(n2);
  return tribo_quat(s * q.w, s * q.x, s * q.y, s * q.z);
}
// q v q*, for unit q.
static inline TriboVec3 tribo_quat_rotate(TriboQuat q, TriboVec3 v) {
  TriboVec3 u = tribo_vec3(q.x, q.y, q.z);
  TriboVec3 t = tribo_vec3_scale(2, tribo_vec3_cross(u, v));
  return tribo_vec3_add(tribo_vec3_madd(v, q.w, t), tribo_vec3_cross(u, t));
}
static inline TriboMat3 tribo_quat_to_mat3(TriboQuat q) {
  double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  TriboMat3 R = {{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy),  //
                  2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx),  //
                  2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}};
  return R;
}

// The unit quaternion of a rotation matrix, w >= 0.
TriboQuat tribo_quat_from_mat3(TriboMat3 R);

// Exponential: the rotation by |r| radians about r. Accurate for every |r|, exactly unit to
// rounding.
TriboQuat tribo_quat_exp(TriboVec3 r);

// Logarithm: the shortest rotation vector of q, |result| <= pi. Inverse of tribo_quat_exp.
TriboVec3 tribo_quat_log(TriboQuat q);

// Rotation by `angle` about the unit vector `axis`.
TriboQuat tribo_quat_from_axis_angle(TriboVec3 axis, double angle);

// Fixed-axis roll, pitch, yaw as URDF has them: about x, then y, then z of the fixed frame.
TriboQuat tribo_quat_from_rpy(double roll, double pitch, double yaw);

static inline TriboTransform tribo_transform_identity(void) {
  TriboTransform X = {tribo_mat3_identity(), tribo_vec3_zero()};
  return X;
}
static inline TriboTransform tribo_transform_from_pose(TriboPose pose) {
  TriboTransform X = {tribo_quat_to_mat3(pose.q), pose.p};
  return X;
}
static inline TriboPose tribo_pose_identity(void) {
  TriboPose pose = {tribo_vec3_zero(), tribo_quat_identity()};
  return pose;
}
static inline TriboPose tribo_pose_from_transform(TriboTransform X) {
  TriboPose pose = {X.p, tribo_quat_from_mat3(X.R)};
  return pose;
}
// X_AC = X_AB X_BC
static inline TriboTransform tribo_transform_mul(TriboTransform X_AB, TriboTransform X_BC) {
  TriboTransform X = {tribo_mat3_mul(X_AB.R, X_BC.R),
                      tribo_vec3_add(X_AB.p, tribo_mat3_mul_vec(X_AB.R, X_BC.p))};
  return X;
}
// X_AB^-1 X_AC
static inline TriboTransform tribo_transform_imul(TriboTransform X_AB, TriboTransform X_AC) {
  TriboTransform X = {tribo_mat3_tmul(X_AB.R, X_AC.R),
                      tribo_mat3_tmul_vec(X_AB.R, tribo_vec3_sub(X_AC.p, X_AB.p))};
  return X;
}
static inline TriboTransform tribo_transform_inverse(TriboTransform X) {
  TriboTransform Y = {tribo_mat3_transpose(X.R), tribo_vec3_neg(tribo_mat3_tmul_vec(X.R, X.p))};
  return Y;
}
static inline TriboVec3 tribo_transform_point(TriboTransform X, TriboVec3 p) {
  return tribo_vec3_add(X.p, tribo_mat3_mul_vec(X.R, p));
}
static inline TriboVec3 tribo_transform_inverse_point(TriboTransform X, TriboVec3 p) {
  return tribo_mat3_tmul_vec(X.R, tribo_vec3_sub(p, X.p));
}
static inline TriboPose tribo_pose_mul(TriboPose a, TriboPose b) {
  TriboPose c = {tribo_vec3_add(a.p, tribo_quat_rotate(a.q, b.p)), tribo_quat_mul(a.q, b.q)};
  return c;
}

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_BASE_ROTATION_H_
