// SPDX-License-Identifier: Apache-2.0
//
// The step on scenes whose answer is known by hand.
#include <cmath>

#include "tests/engine/scene.h"

namespace {

constexpr double kG = 9.81;
constexpr double kPi = 3.14159265358979323846;

// The certificate that every step must meet.
constexpr double kCertificate = 1e-9;

TriboVec3 Tilted(double angle, double direction) {
  return {kG * std::sin(angle) * std::cos(direction), kG * std::sin(angle) * std::sin(direction),
          -kG * std::cos(angle)};
}

TEST(Step, FreeFallIsTheParabola) {
  Scene scene;
  const int ball = scene.Sphere(0.1, 1, {0, 0, 10});
  scene.Build();
  for (int i = 0; i < 1000; ++i) scene.Step();
  // 1000 roundings of numbers near 10.
  EXPECT_NEAR(scene.Position(ball).z, 10 - 0.5 * kG, 1e-12);
  EXPECT_NEAR(scene.Velocity(ball).z, -kG, 1e-12);
}

TEST(Step, BallComesToRestOnThePlaneExactly) {
  Scene scene;
  scene.Plane();
  const int ball = scene.Sphere(0.1, 1, {0, 0, 0.3});
  scene.Run(2000);
  EXPECT_NEAR(scene.Position(ball).z, 0.1, 1e-12);
  EXPECT_NEAR(scene.Velocity(ball).z, 0, 1e-12);
  EXPECT_LE(scene.worst, kCertificate);
}

// v -= mu g h; x += v h, until it stops: the discretization's own exact answer.
TEST(Step, SlidingBlockFollowsTheDiscreteCoulombLaw) {
  for (double degrees : {0.0, 30.0, 45.0}) {
    for (double h : {0.001, 0.005}) {
      Scene scene;
      scene.options.h = h;
      const int material = scene.Material(0.5);
      scene.Plane(tribo_pose_identity(), material);
      const int box = scene.Box({0.1, 0.1, 0.05}, 2, At(0, 0, 0.05), material);
      scene.Build();
      const double a = degrees * kPi / 180;
      scene.SetVelocity(box, {2 * std::cos(a), 2 * std::sin(a), 0});
      double v = 2, x = 0;
      for (double t = 0; t < 2; t += h) {
        scene.Step();
        v = std::fmax(0, v - 0.5 * kG * h);
        x += v * h;
      }
      const TriboVec3 p = scene.Position(box);
      EXPECT_NEAR(p.x, x * std::cos(a), 1e-9) << degrees << " degrees, h " << h;
      EXPECT_NEAR(p.y, x * std::sin(a), 1e-9) << degrees << " degrees, h " << h;
      EXPECT_NEAR(p.z, 0.05, 1e-9);
      EXPECT_LE(scene.worst, kCertificate);
    }
  }
}

TEST(Step, StoppingDistanceConvergesAtFirstOrder) {
  const double exact = 2 * 2 / (2 * 0.5 * kG);
  double error[2];
  for (int i = 0; i < 2; ++i) {
    Scene scene;
    scene.options.h = i == 0 ? 0.004 : 0.001;
    const int material = scene.Material(0.5);
    scene.Plane(tribo_pose_identity(), material);
    const int box = scene.Box({0.1, 0.1, 0.05}, 2, At(0, 0, 0.05), material);
    scene.Build();
    scene.SetVelocity(box, {2, 0, 0});
    scene.Run(static_cast<int>(1 / scene.options.h));
    error[i] = std::fabs(scene.Position(box).x - exact);
  }
  EXPECT_LT(error[0], 0.5 * 2 * 0.004 + 1e-4);  // half a step at full speed
  EXPECT_NEAR(error[0] / error[1], 4, 0.1);
}

TEST(Step, BlockBelowTheFrictionAngleDoesNotCreep) {
  for (double direction : {0.0, 45.0}) {
    Scene scene;
    const double mu = 0.5;
    const int material = scene.Material(mu);
    scene.Gravity(Tilted(0.99 * std::atan(mu), direction * kPi / 180));
    scene.Plane(tribo_pose_identity(), material);
    const int box = scene.Box({0.1, 0.1, 0.05}, 2, At(0, 0, 0.05), material);
    scene.Run(1000);
    const TriboVec3 before = scene.Position(box);
    scene.Run(9000);
    const TriboVec3 after = scene.Position(box);
    EXPECT_LT(tribo_vec3_distance(before, after) / 9, 1e-12) << direction;
    EXPECT_LE(scene.worst, kCertificate);
  }
}

TEST(Step, BlockAboveTheFrictionAngleSlidesWithTheRightAcceleration) {
  for (double direction : {0.0, 30.0, 45.0}) {
    Scene scene;
    const double mu = 0.5, angle = 1.01 * std::atan(mu);
    const int material = scene.Material(mu);
    scene.Gravity(Tilted(angle, direction * kPi / 180));
    scene.Plane(tribo_pose_identity(), material);
    const int box = scene.Box({0.1, 0.1, 0.05}, 2, At(0, 0, 0.05), material);
    scene.Run(1000);
    const double a = kG * (std::sin(angle) - mu * std::cos(angle));
    const TriboVec3 v = scene.Velocity(box);
    EXPECT_NEAR(std::hypot(v.x, v.y), a, 1e-6);
    EXPECT_NEAR(std::atan2(v.y, v.x), direction * kPi / 180, 1e-9);
    EXPECT_LE(scene.worst, kCertificate);
  }
}

// 10 s.
TEST(Step, StackStandsStill) {
  for (int n : {2, 5, 10, 20, 50}) {
    Scene scene;
    scene.options.h = 0.005;
    scene.Plane();
    std::vector<int> boxes;
    for (int i = 0; i < n; ++i) {
      boxes.push_back(
          scene.Box({0.05, 0.05, 0.05}, 1,
                    At(0.001 * std::sin(2.1 * i), 0.001 * std::cos(1.3 * i), 0.05 + 0.1 * i)));
    }
    scene.Build();
    std::vector<TriboVec3> start;
    for (int b : boxes) start.push_back(scene.Position(b));
    scene.Run(2000);
    for (int i = 0; i < n; ++i) {
      const TriboVec3 p = scene.Position(boxes[i]);
      EXPECT_NEAR(p.x, start[i].x, 1e-9) << n << " cubes, cube " << i;
      EXPECT_NEAR(p.y, start[i].y, 1e-9);
      EXPECT_NEAR(p.z, start[i].z, 1e-9);
    }
    EXPECT_LE(scene.worst, kCertificate);
  }
}

TEST(Step, SameInputsGiveTheSameBits) {
  uint64_t hash[2];
  for (int run = 0; run < 2; ++run) {
    Scene scene;
    scene.Plane();
    for (int i = 0; i < 4; ++i) {
      scene.Box({0.05, 0.05, 0.05}, 1, At(0.03 * i, 0.02 * i, 0.06 + 0.12 * i));
    }
    scene.Run(500);
    hash[run] = tribo_state_hash(scene.state());
  }
  EXPECT_EQ(hash[0], hash[1]);
}

}  // namespace
