// SPDX-License-Identifier: Apache-2.0
//
// The acceleration level, forces and accelerations now, and the sensors of the last step.
#include <cmath>

#include "tests/engine/scene.h"

namespace {

constexpr double kG = 9.81;
constexpr double kPi = 3.14159265358979323846;

TEST(Forward, WeightIsCarriedAndInverseGivesNothingToDo) {
  for (TriboForwardModel model :
       {TRIBO_FORWARD_FRICTIONLESS, TRIBO_FORWARD_DANTZIG, TRIBO_FORWARD_COPING,
        TRIBO_FORWARD_ENERGY, TRIBO_FORWARD_VISCOUS}) {
    Scene scene;
    scene.Plane();
    scene.Box({0.1, 0.2, 0.05}, 3, At(0, 0, 0.05));
    scene.Build();
    TriboForwardOptions options = tribo_forward_options_default();
    options.model = model;
    TriboForwardInfo info;
    double a[6], effort[6];
    ASSERT_EQ(
        tribo_forward(scene.model(), &options, nullptr, scene.state(), scene.workspace(), a, &info),
        TRIBO_OK);
    EXPECT_EQ(info.contacts, 4);
    EXPECT_FALSE(info.inconsistent);
    double force = 0;
    TriboContactResult contact;
    for (int c = 0; tribo_contact_get(scene.workspace(), c, &contact); ++c)
      force += contact.impulse[0];
    EXPECT_NEAR(force, 3 * kG, 1e-9);
    ASSERT_EQ(tribo_inverse(scene.model(), scene.state(), scene.workspace(), a, effort), TRIBO_OK);
    for (int k = 0; k < 6; ++k) {
      EXPECT_NEAR(a[k], 0, 1e-9);
      EXPECT_NEAR(effort[k], 0, 1e-9);
    }
  }
}

// A ball on a slope: at rest static friction makes it roll, sliding it is braked with mu N.
TEST(Forward, StaticAndDynamicFrictionOnASlope) {
  const double mu = 0.5, angle = 20 * kPi / 180;
  for (double v : {0.0, 1.0}) {
    Scene scene;
    const int material = scene.Material(mu);
    scene.Gravity({kG * std::sin(angle), 0, -kG * std::cos(angle)});
    scene.Plane(tribo_pose_identity(), material);
    const int ball = scene.Sphere(0.1, 2, {0, 0, 0.1}, material);
    scene.Build();
    scene.SetVelocity(ball, {v, 0, 0});
    TriboForwardOptions options = tribo_forward_options_default();
    options.model = TRIBO_FORWARD_DANTZIG;
    TriboForwardInfo info;
    double a[6];
    ASSERT_EQ(
        tribo_forward(scene.model(), &options, nullptr, scene.state(), scene.workspace(), a, &info),
        TRIBO_OK);
    const double slides = kG * (std::sin(angle) - mu * std::cos(angle));
    EXPECT_NEAR(a[0], v > 0 ? slides : 5.0 / 7 * kG * std::sin(angle), 1e-6);
    EXPECT_NEAR(a[2], 0, 1e-6);
  }
}

TEST(Forward, CurvatureOfThePathCounts) {
  // A ball that rolls on the ground: its centre does not accelerate. A rod whose tip slides while
  // it turns: the tip does not leave the ground.
  Scene scene;
  scene.Gravity({0, 0, -kG});
  scene.Plane();
  const int ball = scene.Sphere(0.1, 1, {0, 0, 0.1});
  scene.Build();
  scene.SetVelocity(ball, {1, 0, 0}, {0, 10, 0});
  TriboForwardOptions options = tribo_forward_options_default();
  TriboForwardInfo info;
  double a[6];
  ASSERT_EQ(
      tribo_forward(scene.model(), &options, nullptr, scene.state(), scene.workspace(), a, &info),
      TRIBO_OK);
  ASSERT_EQ(info.contacts, 1);
  // The second difference of gaps of 1e-16 over a way of 1e-5 m.
  EXPECT_NEAR(a[2], 0, 1e-4);
  TriboContactResult contact;
  ASSERT_TRUE(tribo_contact_get(scene.workspace(), 0, &contact));
  EXPECT_NEAR(contact.impulse[0], kG, 1e-4);
}

// Explicit drag at the present velocity: a ball that slides without turning is braked by mu_v v at
// its lowest point.
TEST(Forward, ViscousFrictionIsThatOfThePresentVelocity) {
  const double mass = 2, viscosity = 3, v = 0.7;
  Scene scene;
  const int material =
      scene.Material(0.5, 0, [&](TriboMaterialDesc* m) { m->viscosity = viscosity; });
  scene.Plane(tribo_pose_identity(), material);
  const int ball = scene.Sphere(0.1, mass, {0, 0, 0.1}, material);
  scene.Build();
  scene.SetVelocity(ball, {v, 0, 0});
  TriboForwardOptions options = tribo_forward_options_default();
  options.model = TRIBO_FORWARD_VISCOUS;
  TriboForwardInfo info;
  double a[6];
  ASSERT_EQ(
      tribo_forward(scene.model(), &options, nullptr, scene.state(), scene.workspace(), a, &info),
      TRIBO_OK);
  EXPECT_NEAR(a[0], -viscosity * v / mass, 1e-9);
  EXPECT_NEAR(a[2], 0, 1e-4);  // as above
  EXPECT_NEAR(a[4], viscosity * v * 0.1 / (0.4 * mass * 0.1 * 0.1), 1e-8);
}

// ---- sensors

TEST(Sensors, ReactionsAndImuOfAnArmAtRestAndInFreeFall) {
  Scene scene;
  const int arm = scene.Link(2, {0.1, 0.1, 0.1});
  const int hand = scene.Link(0.5, {0.01, 0.01, 0.01});
  const int loose = scene.Sphere(0.1, 1, {5, 0, 1});
  const int shoulder = scene.Joint(TRIBO_JOINT_HINGE, TRIBO_WORLD, arm, [](TriboJointDesc* d) {
    const TriboQuat about_y = tribo_quat_from_axis_angle({1, 0, 0}, -kPi / 2);
    d->pose_parent = {{0, 0, 2}, about_y};
    d->pose_child = {{-0.5, 0, 0}, about_y};
    d->limited = true;
    d->lower = 0;
    d->upper = 1;
  });
  const int wrist = scene.Joint(TRIBO_JOINT_FIXED, arm, hand,
                                [](TriboJointDesc* d) { d->pose_parent = At(0.5, 0, 0); });
  TriboFrameDesc frame = tribo_frame_default();
  frame.link = hand;
  frame.pose.q = tribo_quat_from_axis_angle({1, 0, 0}, kPi / 2);
  int imu, falling;
  ASSERT_EQ(tribo_builder_add_frame(scene.builder(), &frame, &imu), TRIBO_OK);
  frame.link = loose;
  ASSERT_EQ(tribo_builder_add_frame(scene.builder(), &frame, &falling), TRIBO_OK);
  // Held up against its weight and, at the start, against the lower limit.
  const double push[7] = {0};
  scene.input.effort = push;
  scene.Build();
  // The hinge turns about y, downwards is positive: the upper limit would stop it at 1 rad; the
  // servo below holds it at 0.
  scene.Run(3);
  TriboVec3 force, torque, spin;
  ASSERT_EQ(tribo_imu(scene.model(), scene.state(), scene.workspace(), falling, &force, &spin),
            TRIBO_OK);
  EXPECT_LT(tribo_vec3_norm(force), 1e-9);  // weightless
  ASSERT_EQ(
      tribo_joint_reaction(scene.model(), scene.state(), scene.workspace(), wrist, &force, &torque),
      TRIBO_OK);
  // The hand accelerates down with the arm: the wrist carries less than its weight.
  EXPECT_LT(force.z, 0.5 * kG);
  // Until the arm rests on its limit.
  scene.Run(5000);
  ASSERT_EQ(tribo_imu(scene.model(), scene.state(), scene.workspace(), imu, &force, &spin),
            TRIBO_OK);
  EXPECT_NEAR(tribo_vec3_norm(force), kG, 1e-6);
  EXPECT_LT(tribo_vec3_norm(spin), 1e-9);
  ASSERT_EQ(tribo_joint_reaction(scene.model(), scene.state(), scene.workspace(), shoulder, &force,
                                 &torque),
            TRIBO_OK);
  EXPECT_NEAR(force.z, 2.5 * kG, 1e-6);
  EXPECT_NEAR(force.x, 0, 1e-6);
  // 2 kg at 0.5 m and 0.5 kg at 1 m, seen from the hinge at 1 rad below the horizontal.
  EXPECT_NEAR(torque.y, -1.5 * kG * std::cos(scene.Q(shoulder)), 1e-6);
  ASSERT_EQ(
      tribo_joint_reaction(scene.model(), scene.state(), scene.workspace(), wrist, &force, &torque),
      TRIBO_OK);
  EXPECT_NEAR(force.z, 0.5 * kG, 1e-6);
}

}  // namespace
