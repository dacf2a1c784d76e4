// SPDX-License-Identifier: Apache-2.0
#include "engine/base/rotation.h"

#include "engine/base/trig.h"

TriboQuat tribo_quat_from_mat3(TriboMat3 R) {
  // Shepperd: start from the largest of w x y z, so that no component is found by cancellation.
  double w2 = R.m[0] + R.m[4] + R.m[8];
  double x2 = R.m[0] - R.m[4] - R.m[8];
  double y2 = R.m[4] - R.m[0] - R.m[8];
  double z2 = R.m[8] - R.m[0] - R.m[4];
  double wx = R.m[7] - R.m[5], wy = R.m[2] - R.m[6], wz = R.m[3] - R.m[1];
  double xy = R.m[3] + R.m[1], xz = R.m[2] + R.m[6], yz = R.m[7] + R.m[5];
  TriboQuat q;
  if (w2 >= x2 && w2 >= y2 && w2 >= z2) {
    q = tribo_quat(1 + w2, wx, wy, wz);
  } else if (x2 >= y2 && x2 >= z2) {
    q = tribo_quat(wx, 1 + x2, xy, xz);
  } else if (y2 >= z2) {
    q = tribo_quat(wy, xy, 1 + y2, yz);
  } else {
    q = tribo_quat(wz, xz, yz, 1 + z2);
  }
  if (q.w < 0) q = tribo_quat(-q.w, -q.x, -q.y, -q.z);
  return tribo_quat_normalize(q);
}

TriboQuat tribo_quat_exp(TriboVec3 r) {
  double angle2 = tribo_vec3_norm2(r);
  // sin(a/2)/a by its series where the division would lose it: the next term is a^6/645120.
  if (angle2 < 1e-4) {
    double s = 0.5 - angle2 * (1.0 / 48.0 - angle2 * (1.0 / 3840.0));
    double w = 1.0 - angle2 * (0.125 - angle2 * (1.0 / 384.0 - angle2 * (1.0 / 46080.0)));
    return tribo_quat(w, s * r.x, s * r.y, s * r.z);
  }
  double angle = sqrt(angle2);
  double s, c;
  tribo_sincos(0.5 * angle, &s, &c);
  s /= angle;
  return tribo_quat(c, s * r.x, s * r.y, s * r.z);
}

TriboVec3 tribo_quat_log(TriboQuat q) {
  // The shorter way round.
  if (q.w < 0) q = tribo_quat(-q.w, -q.x, -q.y, -q.z);
  TriboVec3 u = tribo_vec3(q.x, q.y, q.z);
  double s2 = tribo_vec3_norm2(u);
  if (s2 < 1e-10) {
    // 2 atan(s/w)/s = (2/w)(1 - s^2/(3 w^2) + ...)
    return tribo_vec3_scale(2.0 / q.w * (1.0 - s2 / (3.0 * q.w * q.w)), u);
  }
  double s = sqrt(s2);
  return tribo_vec3_scale(2.0 * tribo_atan2(s, q.w) / s, u);
}

TriboQuat tribo_quat_from_axis_angle(TriboVec3 axis, double angle) {
  double s, c;
  tribo_sincos(0.5 * angle, &s, &c);
  return tribo_quat(c, s * axis.x, s * axis.y, s * axis.z);
}

TriboQuat tribo_quat_from_rpy(double roll, double pitch, double yaw) {
  TriboQuat x = tribo_quat_from_axis_angle(tribo_vec3(1, 0, 0), roll);
  TriboQuat y = tribo_quat_from_axis_angle(tribo_vec3(0, 1, 0), pitch);
  TriboQuat z = tribo_quat_from_axis_angle(tribo_vec3(0, 0, 1), yaw);
  return tribo_quat_mul(z, tribo_quat_mul(y, x));
}
