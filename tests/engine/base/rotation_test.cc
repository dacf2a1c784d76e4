// SPDX-License-Identifier: Apache-2.0
#include "engine/base/rotation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/random.h"
#include "tests/scale.h"

namespace {

// A few roundings of numbers of size 1.
const double kRounding = 1e-15;
const double kPi = 3.14159265358979323846;

void ExpectNear(TriboVec3 a, TriboVec3 b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

void ExpectSameRotation(TriboQuat a, TriboQuat b, double tolerance) {
  double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
  double sign = dot < 0 ? -1 : 1;
  EXPECT_NEAR(a.w, sign * b.w, tolerance);
  EXPECT_NEAR(a.x, sign * b.x, tolerance);
  EXPECT_NEAR(a.y, sign * b.y, tolerance);
  EXPECT_NEAR(a.z, sign * b.z, tolerance);
}

TriboVec3 RandomDirection(TriboRandom* random) {
  double x = tribo_random_normal(random), y = tribo_random_normal(random);
  return tribo_vec3_normalize_or(tribo_vec3(x, y, tribo_random_normal(random)),
                                 tribo_vec3(1, 0, 0));
}

TriboQuat RandomRotation(TriboRandom* random) {
  TriboVec3 axis = RandomDirection(random);
  return tribo_quat_from_axis_angle(axis, tribo_random_in(random, -kPi, kPi));
}

TEST(Rotation, ExponentialMatchesLongDoubleForEveryAngle) {
  TriboRandom random = tribo_random(1);
  for (int i = 0; i < tribo_test_count(20000); ++i) {
    double angle = std::pow(10.0, tribo_random_in(&random, -12, 1));
    TriboVec3 r = tribo_vec3_scale(angle, RandomDirection(&random));
    long double a = sqrtl((long double)r.x * r.x + (long double)r.y * r.y + (long double)r.z * r.z);
    long double s = sinl(a / 2) / a;
    TriboQuat q = tribo_quat_exp(r);
    EXPECT_NEAR(q.w, (double)cosl(a / 2), kRounding) << angle;
    // The vector part keeps its relative accuracy however small the angle is; up to 10 radians the
    // rounding of the angle itself costs 10 ulp.
    double tolerance = kRounding * std::fmin(angle, 10.0);
    ExpectNear(tribo_vec3(q.x, q.y, q.z),
               tribo_vec3((double)(s * r.x), (double)(s * r.y), (double)(s * r.z)), tolerance);
  }
}

TEST(Rotation, ExponentialIsContinuousWhereTheSeriesEnds) {
  // The two formulas meet at |r| = 0.01: neighbours on either side differ by no more than rounding.
  TriboQuat below = tribo_quat_exp(tribo_vec3(0.01 * (1 - 1e-12), 0, 0));
  TriboQuat above = tribo_quat_exp(tribo_vec3(0.01 * (1 + 1e-12), 0, 0));
  EXPECT_NEAR(below.x, above.x, 1.1e-14);
  EXPECT_NEAR(below.w, above.w, 4e-16);
}

TEST(Rotation, ExponentialOfZeroIsTheIdentity) {
  TriboQuat q = tribo_quat_exp(tribo_vec3_zero());
  EXPECT_EQ(q.w, 1);
  EXPECT_EQ(q.x, 0);
}

TEST(Rotation, LogarithmUndoesTheExponentialUpToHalfATurn) {
  TriboRandom random = tribo_random(2);
  for (int i = 0; i < tribo_test_count(20000); ++i) {
    double angle = std::fmin(std::pow(10.0, tribo_random_in(&random, -12, 0.5)), kPi - 1e-9);
    TriboVec3 r = tribo_vec3_scale(angle, RandomDirection(&random));
    TriboQuat q = tribo_quat_exp(r);
    ExpectNear(tribo_quat_log(q), r, 2 * kRounding * std::fmax(angle, 1e-300));
    ExpectNear(tribo_quat_log(tribo_quat(-q.w, -q.x, -q.y, -q.z)), r, 2 * kRounding * angle);
  }
}

TEST(Rotation, LogarithmOfHalfATurnHasLengthPi) {
  EXPECT_NEAR(tribo_vec3_norm(tribo_quat_log(tribo_quat(0, 0.6, 0, 0.8))), kPi, kRounding);
  EXPECT_NEAR(tribo_vec3_norm(tribo_quat_log(tribo_quat(-0.0, 0, -1, 0))), kPi, kRounding);
}

TEST(Rotation, MatrixAndQuaternionRotateAlike) {
  TriboRandom random = tribo_random(3);
  for (int i = 0; i < 1000; ++i) {
    TriboQuat q = RandomRotation(&random);
    TriboVec3 v = RandomDirection(&random);
    ExpectNear(tribo_mat3_mul_vec(tribo_quat_to_mat3(q), v), tribo_quat_rotate(q, v),
               2 * kRounding);
  }
}

TEST(Rotation, ProductIsTheRightFactorFirst) {
  TriboQuat x = tribo_quat_from_axis_angle(tribo_vec3(1, 0, 0), kPi / 2);
  TriboQuat z = tribo_quat_from_axis_angle(tribo_vec3(0, 0, 1), kPi / 2);
  // y turns about x to z, and about z stays there.
  ExpectNear(tribo_quat_rotate(tribo_quat_mul(z, x), tribo_vec3(0, 1, 0)), tribo_vec3(0, 0, 1),
             kRounding);
}

TEST(Rotation, QuaternionComesBackFromItsMatrix) {
  TriboRandom random = tribo_random(4);
  for (int i = 0; i < tribo_test_count(20000); ++i) {
    TriboQuat q = RandomRotation(&random);
    TriboQuat back = tribo_quat_from_mat3(tribo_quat_to_mat3(q));
    EXPECT_GE(back.w, 0);
    ExpectSameRotation(back, q, 2 * kRounding);
  }
}

TEST(Rotation, QuaternionComesBackFromHalfTurnsAboutAndNextToEveryAxis) {
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {
      for (int z = -1; z <= 1; ++z) {
        if (x == 0 && y == 0 && z == 0) continue;
        TriboVec3 axis = tribo_vec3_normalize_or(tribo_vec3(x, y, z), tribo_vec3_zero());
        for (double away : {0.0, 1e-15, 1e-12, 1e-8, 1e-4, -1e-15, -1e-8}) {
          TriboQuat q = tribo_quat_from_axis_angle(axis, kPi + away);
          ExpectSameRotation(tribo_quat_from_mat3(tribo_quat_to_mat3(q)), q, 2 * kRounding);
        }
      }
    }
  }
}

TEST(Rotation, RollPitchYawTurnsAboutTheFixedAxesInThatOrder) {
  // Roll by 90 takes y to z; pitch by 90 then takes z to x; yaw by 90 then takes x to y.
  TriboQuat q = tribo_quat_from_rpy(kPi / 2, kPi / 2, kPi / 2);
  ExpectNear(tribo_quat_rotate(q, tribo_vec3(0, 1, 0)), tribo_vec3(0, 1, 0), kRounding);
  TriboQuat yaw = tribo_quat_from_rpy(0, 0, 0.3);
  ExpectNear(tribo_quat_rotate(yaw, tribo_vec3(1, 0, 0)),
             tribo_vec3(std::cos(0.3), std::sin(0.3), 0), kRounding);
}

TEST(Rotation, NormalizeOfZeroIsTheIdentity) {
  EXPECT_EQ(tribo_quat_normalize(tribo_quat(0, 0, 0, 0)).w, 1);
  EXPECT_NEAR(tribo_quat_norm2(tribo_quat_normalize(tribo_quat(3, -4, 12, 84))), 1, kRounding);
}

TEST(Transform, InverseAndRelativeTransformUndoTheProduct) {
  TriboRandom random = tribo_random(5);
  for (int i = 0; i < 1000; ++i) {
    TriboPose a = {RandomDirection(&random), RandomRotation(&random)};
    TriboPose b = {RandomDirection(&random), RandomRotation(&random)};
    TriboTransform A = tribo_transform_from_pose(a), B = tribo_transform_from_pose(b);
    TriboTransform AB = tribo_transform_mul(A, B);
    TriboVec3 p = RandomDirection(&random);
    ExpectNear(tribo_transform_point(AB, p), tribo_transform_point(A, tribo_transform_point(B, p)),
               4 * kRounding);
    ExpectNear(tribo_transform_point(tribo_transform_imul(A, AB), p), tribo_transform_point(B, p),
               4 * kRounding);
    ExpectNear(tribo_transform_point(tribo_transform_inverse(A), tribo_transform_point(A, p)), p,
               4 * kRounding);
    ExpectNear(tribo_transform_inverse_point(A, tribo_transform_point(A, p)), p, 4 * kRounding);
    TriboPose ab = tribo_pose_mul(a, b);
    ExpectNear(ab.p, AB.p, 4 * kRounding);
    ExpectSameRotation(ab.q, tribo_pose_from_transform(AB).q, 4 * kRounding);
  }
}

}  // namespace
