// SPDX-License-Identifier: Apache-2.0
//
// Restitution: bouncing balls, chains of balls, breaks, and what they may not gain.
#include <cmath>

#include "tests/engine/scene.h"

namespace {

constexpr double kG = 9.81;
constexpr double kCertificate = 1e-9;

// A ball above the floor as the step moves it, by hand. Falling it is on the parabola, near the
// floor (where there is a contact without force) it moves with the velocity at the step's end. In
// the step whose free velocity would pass the floor it ends on it, and leaves it with e times the
// speed of touching: v + g times the part of the step until then, which takes the gap over the free
// speed.
struct DiscreteBall {
  double gap, v, e, h;  // v is upwards
  void Step(bool near) {
    const double free = -v + kG * h;
    if (gap >= h * free) {
      gap += h * v - (near ? 1 : 0.5) * kG * h * h;
      v -= kG * h;
    } else {
      v = e * (-v + kG * gap / free);
      gap = 0;
    }
  }
};

TEST(Impact, BouncesFollowTheDiscreteLawToRounding) {
  for (double e : {0.5, 0.8, 1.0}) {
    for (TriboRestitution law : {TRIBO_RESTITUTION_POISSON, TRIBO_RESTITUTION_NEWTON}) {
      Scene scene;
      const int material = scene.Material(0.5, e);
      scene.options.restitution = law;
      scene.Plane(tribo_pose_identity(), material);
      const int ball = scene.Sphere(0.1, 1, {0, 0, 1.1}, material);
      scene.Build();
      DiscreteBall by_hand = {1, 0, e, scene.options.h};
      int bounces = 0;
      double energy = scene.TotalEnergy();
      for (int i = 0; i < 3000 && bounces < 4; ++i) {
        const bool falls = by_hand.v < 0;
        scene.Step();
        by_hand.Step(scene.info.contacts > 0);
        bounces += falls && by_hand.v > 0;
        // Some thousand roundings of numbers near 1, passed on by every bounce.
        ASSERT_NEAR(scene.Position(ball).z - 0.1, by_hand.gap, 1e-11) << "e " << e << " step " << i;
        ASSERT_NEAR(scene.Velocity(ball).z, by_hand.v, 1e-11) << "e " << e << " step " << i;
        const double now = scene.TotalEnergy();
        // Rounding of the sum of two energies of 10 J.
        ASSERT_LE(now, energy + 1e-12) << "step " << i << ", e = " << e;
        energy = now;
      }
      EXPECT_EQ(bounces, e > 0.9 ? 3 : 4);
      EXPECT_LE(scene.worst, kCertificate);
    }
  }
}

// Against the law itself. Taken from the free speed, the moment of touching is off by a part of
// h^2: the speed of touching, w, is too small by at most (g h)^2 / (2 w), which is g h^2 / 2 of
// height. Every other step with a contact, near the floor, loses the same against the parabola.
// Nothing is gained.
TEST(Impact, BallBouncesToTheSquareOfRestitution) {
  for (double e : {0.5, 0.8, 1.0}) {
    for (double h : {1e-3, 5e-4, 1e-4}) {
      Scene scene;
      scene.options.h = h;
      const int material = scene.Material(0.5, e);
      scene.Plane(tribo_pose_identity(), material);
      const int ball = scene.Sphere(0.1, 1, {0, 0, 1.1}, material);
      scene.Build();
      double height = 1, last = 0;
      int bounces = 0, near = 0;
      for (int i = 0; i < 3 / h && bounces < 3; ++i) {
        scene.Step();
        near += scene.info.contacts > 0;
        const double v = scene.Velocity(ball).z;
        if (last < 0 && v > 0) {
          ++bounces;
          const double top = scene.Position(ball).z - 0.1 + v * v / (2 * kG);
          const double lost = height - top / (e * e);
          EXPECT_GE(lost, -1e-12) << "e " << e << ", h " << h << ", bounce " << bounces;
          EXPECT_LE(lost, near * 0.5 * kG * h * h) << "e " << e << ", h " << h;
          height = top;
          near = 0;
        }
        last = v;
      }
      EXPECT_EQ(bounces, 3);
      EXPECT_NEAR(height / std::pow(e, 6), 1, h) << "e " << e;
      EXPECT_LE(scene.worst, kCertificate);
    }
  }
}

TEST(Impact, SlowContactsDoNotBounce) {
  Scene scene;
  const int material = scene.Material(0.5, 0.9);
  scene.Plane(tribo_pose_identity(), material);
  const int box = scene.Box({0.1, 0.1, 0.1}, 1, At(0, 0, 0.1), material);
  scene.Run(500);
  EXPECT_NEAR(scene.Position(box).z, 0.1, 1e-12);
}

TEST(Impact, NewtonsCradlePassesTheBlowOn) {
  for (int moving : {1, 2, 3}) {
    Scene scene;
    scene.Gravity({0, 0, 0});
    const int material = scene.Material(0, 1);
    std::vector<int> balls;
    for (int i = 0; i < 5; ++i) {
      const double gap = i >= moving ? 0.05 : 0;  // the resting ones touch each other
      balls.push_back(scene.Sphere(0.1, 1, {0.2 * i + gap, 0, 0}, material));
    }
    scene.Build();
    for (int i = 0; i < moving; ++i) scene.SetVelocity(balls[i], {1, 0, 0});
    scene.Run(100);
    for (int i = 0; i < 5; ++i) {
      EXPECT_NEAR(scene.Velocity(balls[i]).x, i >= 5 - moving ? 1 : 0, 1e-12)
          << moving << " moving, ball " << i;
    }
    EXPECT_LE(scene.worst, kCertificate);
  }
}

TEST(Impact, BilliardBreakKeepsMomentumAndGainsNoEnergy) {
  Scene scene;
  scene.Gravity({0, 0, 0});
  const int material = scene.Material(0.1, 0.95);
  const int cue = scene.Sphere(0.03, 0.17, {-0.5, 0.004, 0}, material);
  for (int row = 0; row < 4; ++row) {
    for (int i = 0; i <= row; ++i) {
      scene.Sphere(0.03, 0.17, {row * 0.06 * std::sqrt(0.75), 0.06 * (i - 0.5 * row), 0}, material);
    }
  }
  scene.Build();
  scene.SetVelocity(cue, {8, 0, 0});
  const TriboEnergy before = scene.Energy();
  double kinetic = before.kinetic;
  for (int i = 0; i < 200; ++i) {
    scene.Step();
    const TriboEnergy now = scene.Energy();
    ASSERT_LE(now.kinetic, kinetic + 1e-12) << "step " << i;
    kinetic = now.kinetic;
    EXPECT_NEAR(now.linear_momentum.x, before.linear_momentum.x, 1e-12);
    EXPECT_NEAR(now.linear_momentum.y, before.linear_momentum.y, 1e-12);
  }
  EXPECT_LT(kinetic, 0.999 * before.kinetic);  // something was hit
  EXPECT_LE(scene.worst, kCertificate);
}

TEST(Impact, BallInACornerComesBackAndPegInItsHoleIsAnswered) {
  Scene scene;
  scene.Gravity({0, 0, 0});
  scene.options.restitution = TRIBO_RESTITUTION_NEWTON;
  const int material = scene.Material(0, 0.5);
  // Two walls 0.2 apart and a ball of that diameter: Newton's law has no answer for a ball that
  // moves into both, Poisson's has.
  const double angle = 1.5;
  const TriboQuat left = tribo_quat_from_axis_angle({0, 1, 0}, angle);
  const TriboQuat right = tribo_quat_from_axis_angle({0, 1, 0}, -angle);
  scene.Plane({{-0.1, 0, 0}, left}, material);
  scene.Plane({{0.1, 0, 0}, right}, material);
  const int ball = scene.Sphere(0.1, 1, {0, 0, 0.05}, material);
  scene.Build();
  scene.SetVelocity(ball, {0, 0, -1});
  scene.Run(300);
  EXPECT_GE(scene.Velocity(ball).z, -1e-9);
  EXPECT_LE(scene.worst, kCertificate);
}

}  // namespace
