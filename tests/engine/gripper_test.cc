// SPDX-License-Identifier: Apache-2.0
//
// A gripper: two fingers, each a parallelogram of crank, follower and the pad between them, closed
// by a loop of 5 rows where the plane needs 2; a gear makes the left crank mirror the right one,
// which alone is driven. It holds a block against gravity, which is across the linkage's plane.
//
//        pad  |###|  pad      the pads keep their direction; where the cranks stand at angle q
//       --+---|###|---+--     from +y, the pads are r sin(q) nearer the middle than the pivots
//       |     |###|     |     followers and cranks turn about o
//       o  o         o  o
#include <cmath>

#include "tests/engine/scene.h"

namespace {

constexpr double kG = 9.81;
constexpr double kCertificate = 1e-9;

struct Gripper {
  static constexpr double kCrank = 0.1, kPad = 0.01, kBlock = 0.05, kMass = 0.3;
  static constexpr double kTouch = 0.4;  // angle of the cranks where the pads touch the block
  static constexpr double kTorque = 4;

  Scene scene;
  int crank[2], pad[2], block;  // right, left
  int joint[2], gear;           // of the cranks
  std::vector<double> effort;

  Gripper(double mu, double start, double limit, double gravity, TriboContactModel model) {
    scene.options.model = model;
    scene.Gravity({0, 0, -gravity});
    const int material = scene.Material(mu);
    const double pivot = kBlock + kPad + kCrank * std::sin(kTouch);
    for (int i = 0; i < 2; ++i) {
      const double side = i == 0 ? 1 : -1;
      auto hinge = [&](int parent, int child, TriboVec3 at, double angle, bool limited) {
        return scene.Joint(TRIBO_JOINT_HINGE, parent, child, [&](TriboJointDesc* d) {
          d->pose_parent.p = at;
          d->initial[0] = side * angle;
          d->limited = limited;
          d->lower = -1;
          d->upper = limit;
        });
      };
      crank[i] = scene.Link(0.1, {1e-4, 1e-4, 1e-4});
      pad[i] = scene.Link(0.2, {1e-4, 1e-4, 1e-4});
      const int follower = scene.Link(0.1, {1e-4, 1e-4, 1e-4});
      joint[i] = hinge(TRIBO_WORLD, crank[i], {side * pivot, 0, 0}, start, i == 0);
      hinge(crank[i], pad[i], {0, kCrank, 0}, -start, false);
      hinge(TRIBO_WORLD, follower, {side * pivot, -0.04, 0}, start, false);
      scene.Shape(pad[i], TRIBO_SHAPE_BOX, {kPad, 0.03, 0.03}, tribo_pose_identity(), material);
      scene.Loop(TRIBO_LOOP_HINGE, [&](TriboLoopDesc* l) {
        l->link0 = pad[i];
        l->link1 = follower;
        l->pose0 = At(0, -0.04, 0);
        l->pose1 = At(0, kCrank, 0);
      });
    }
    gear = scene.Loop(TRIBO_LOOP_GEAR, [&](TriboLoopDesc* l) {
      l->joint0 = joint[0];
      l->joint1 = joint[1];
      l->ratio = -1;
    });
    block = scene.Box({kBlock, 0.04, 0.05}, kMass, At(0, kCrank * std::cos(kTouch), 0), material);
    scene.Build();
    effort.assign(tribo_model_nv(scene.model()), 0.0);
    effort[tribo_model_joint_v(scene.model(), joint[0])] = kTorque;
    scene.input.effort = effort.data();
  }

  // With which each pad presses the block, N: right, left. Zero where there is no contact.
  void Pressing(double force[2]) {
    force[0] = force[1] = 0;
    for (int p = 0; p < tribo_contact_pair_count(scene.workspace()); ++p) {
      TriboPairResult pair;
      ASSERT_TRUE(tribo_contact_pair_get(scene.workspace(), p, &pair));
      const int other = pair.link0 == block ? pair.link1 : pair.link0;
      force[other == pad[1]] = std::fabs(pair.force_W.x);
    }
  }
};

// Virtual work of a turn dq: both pads move r cos(q) dq towards the block, so they press with
// N = torque / (2 r cos(q)) each.
const double kForce = Gripper::kTorque / (2 * Gripper::kCrank * std::cos(Gripper::kTouch));

TEST(Gripper, HoldsABlockWithTheForceThatVirtualWorkGives) {
  for (TriboContactModel model : {TRIBO_MODEL_COULOMB, TRIBO_MODEL_NOSLIP}) {
    Gripper gripper(0.5, Gripper::kTouch, 0.6, kG, model);
    Scene& scene = gripper.scene;
    const TriboVec3 start = scene.Position(gripper.block);
    scene.Run(3000);
    EXPECT_LT(tribo_vec3_distance(scene.Position(gripper.block), start), 1e-9) << "model " << model;
    EXPECT_NEAR(scene.Q(gripper.joint[0]), Gripper::kTouch, 1e-9);
    EXPECT_NEAR(scene.Q(gripper.joint[1]), -Gripper::kTouch, 1e-9);
    double force[2];
    gripper.Pressing(force);
    EXPECT_NEAR(force[0], kForce, 1e-8) << "model " << model;
    EXPECT_NEAR(force[1], kForce, 1e-8) << "model " << model;
    EXPECT_LE(scene.worst, kCertificate);
    EXPECT_EQ(scene.relaxed_steps, 0);
  }
}

TEST(Gripper, LosesABlockThatIsTooSmoothAsCoulombsLawSays) {
  const double mu = 0.05;
  Gripper gripper(mu, Gripper::kTouch, 0.6, kG, TRIBO_MODEL_COULOMB);
  gripper.scene.Run(80);
  // Statics leaves open where on the pads the forces act; micrometres beside the middle they turn
  // the block a little, which costs a ten-millionth of its speed.
  EXPECT_NEAR(gripper.scene.Velocity(gripper.block).z,
              -0.08 * (kG - 2 * mu * kForce / Gripper::kMass), 1e-6);
  EXPECT_LE(gripper.scene.worst, kCertificate);
}

// The limit stops the cranks before the block, and it falls; at the very angle where the pads touch
// it, limit and pads share the torque as they like, and virtual work says what they carry together.
TEST(Gripper, IsStoppedByItsLimit) {
  for (double limit : {0.3, Gripper::kTouch}) {
    Gripper gripper(0.5, 0.2, limit, 0, TRIBO_MODEL_COULOMB);
    Scene& scene = gripper.scene;
    scene.Run(1000);
    EXPECT_NEAR(scene.Q(gripper.joint[0]), limit, 1e-9);
    EXPECT_NEAR(scene.Q(gripper.joint[1]), -limit, 1e-9);
    EXPECT_NEAR(scene.V(gripper.joint[0]), 0, 1e-9);
    double force[2];
    gripper.Pressing(force);
    EXPECT_NEAR(force[0], force[1], 1e-8);
    // The joint passes on the drive, its limit and what the gear takes to the other side. (What
    // each side takes is open: the pads may rub against each other through the block.)
    TriboVec3 unused, moment, gear;
    ASSERT_EQ(tribo_joint_reaction(scene.model(), scene.state(), scene.workspace(),
                                   gripper.joint[0], &unused, &moment),
              TRIBO_OK);
    ASSERT_EQ(tribo_loop_reaction(scene.workspace(), gripper.gear, &gear, &unused), TRIBO_OK);
    const double stop = moment.z - gear.x - Gripper::kTorque;
    EXPECT_LE(stop, 1e-9);
    EXPECT_NEAR(Gripper::kTorque + stop, 2 * Gripper::kCrank * std::cos(limit) * force[0], 1e-8);
    if (limit < Gripper::kTouch) {
      EXPECT_EQ(force[0], 0);
    }
    EXPECT_LE(scene.worst, kCertificate);
    EXPECT_EQ(scene.relaxed_steps, 0);
  }
}

}  // namespace
