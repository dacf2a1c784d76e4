// SPDX-License-Identifier: Apache-2.0
//
// What a step tells of its contacts, against statics.
#include <cmath>

#include "tests/engine/scene.h"

namespace {

constexpr double kG = 9.81;

TEST(Results, ForcesOfABoxAtRestCarryItsWeight) {
  Scene scene;
  const int plane = scene.Plane();
  const int box = scene.Box({0.1, 0.2, 0.05}, 3, At(0.3, -0.2, 0.05));
  scene.Run(10);
  const TriboWorkspace* ws = scene.workspace();
  ASSERT_EQ(tribo_contact_count(ws), 4);
  TriboVec3 sum = {0, 0, 0};
  for (int c = 0; c < 4; ++c) {
    TriboContactResult contact;
    ASSERT_TRUE(tribo_contact_get(ws, c, &contact));
    EXPECT_EQ(contact.shape0, plane);
    EXPECT_EQ(contact.link0, TRIBO_WORLD);
    EXPECT_EQ(contact.link1, box);
    EXPECT_NEAR(contact.frame.m[6], 1, 1e-15);  // the normal points up, from the plane to the box
    EXPECT_NEAR(contact.force_W.z, contact.impulse[0] / 1e-3, 1e-9);
    EXPECT_NEAR(
        contact.margin,
        contact.mu * contact.impulse[0] - std::hypot(contact.impulse[1], contact.impulse[2]),
        1e-15);
    sum = tribo_vec3_add(sum, contact.force_W);
  }
  EXPECT_NEAR(sum.z, 3 * kG, 1e-9);
  EXPECT_NEAR(sum.x, 0, 1e-9);
  EXPECT_NEAR(sum.y, 0, 1e-9);

  ASSERT_EQ(tribo_contact_pair_count(ws), 1);
  TriboPairResult pair;
  ASSERT_TRUE(tribo_contact_pair_get(ws, 0, &pair));
  EXPECT_NEAR(pair.force_W.z, 3 * kG, 1e-9);
  EXPECT_NEAR(pair.center.x, 0.3, 1e-9);
  EXPECT_NEAR(pair.center.y, -0.2, 1e-9);
  EXPECT_NEAR(tribo_vec3_norm(pair.torque_W), 0, 1e-9);

  TriboVec3 force, torque;
  ASSERT_EQ(tribo_contact_wrench(ws, box, &force, &torque), TRIBO_OK);
  EXPECT_NEAR(force.z, 3 * kG, 1e-9);
  EXPECT_NEAR(tribo_vec3_norm(torque), 0, 1e-9);
  EXPECT_EQ(tribo_contact_wrench(ws, 7, &force, &torque), TRIBO_ERROR_ARGUMENT);
  EXPECT_FALSE(tribo_contact_pair_get(ws, 1, &pair));
}

// A plate of weight W pushed down by F at an offset, and turned by a torque about the vertical: the
// resultant acts where statics says, and the torque about that point is the friction's.
TEST(Results, CentreOfPressureOfAPlateWithALoadBesideItsMiddle) {
  for (TriboContactModel model : {TRIBO_MODEL_COULOMB, TRIBO_MODEL_NOSLIP}) {
    Scene scene;
    scene.options.model = model;
    const int material = scene.Material(0.5);
    scene.Plane(tribo_pose_identity(), material);
    scene.Box({0.3, 0.2, 0.02}, 2, At(1, -1, 0.02), material);
    scene.Build();
    const double weight = 2 * kG, load = 50, x = 0.2, y = -0.15, side = 3, twist = 0.5;
    // (x, y, 0) x (0, 0, -load), and a push along y at the height of the floor that the plate's
    // middle stands 0.02 above: without a moment about the x axis there.
    const double wrench[6] = {0, side, -load, -y * load + 0.02 * side, x * load, twist};
    scene.input.wrench = wrench;
    scene.Run(20);
    ASSERT_EQ(tribo_contact_pair_count(scene.workspace()), 1);
    TriboPairResult pair;
    ASSERT_TRUE(tribo_contact_pair_get(scene.workspace(), 0, &pair));
    EXPECT_NEAR(pair.force_W.x, 0, 1e-9);
    EXPECT_NEAR(pair.force_W.y, -side, 1e-9);
    EXPECT_NEAR(pair.force_W.z, weight + load, 1e-9);
    const double cx = x * load / (weight + load), cy = y * load / (weight + load);
    EXPECT_NEAR(pair.center.x, 1 + cx, 1e-9) << "model " << model;
    EXPECT_NEAR(pair.center.y, -1 + cy, 1e-9);
    EXPECT_NEAR(pair.center.z, 0, 1e-9);
    EXPECT_NEAR(pair.torque_W.x, 0, 1e-9);
    EXPECT_NEAR(pair.torque_W.y, 0, 1e-9);
    // About the centre the push along y, at the plate's middle, has the lever -cx.
    EXPECT_NEAR(pair.torque_W.z, -(twist - cx * side), 1e-9);
  }
}

// A beam on two blocks with a load on it: each pair of shapes has its own resultant, by the lever.
TEST(Results, TwoPairsShareTheLoadByTheLever) {
  Scene scene;
  scene.Plane();
  const int left = scene.Box({0.05, 0.1, 0.1}, 1, At(-0.5, 0, 0.1));
  const int right = scene.Box({0.05, 0.1, 0.1}, 1, At(0.5, 0, 0.1));
  const int beam = scene.Box({0.56, 0.1, 0.02}, 4, At(0, 0, 0.22));
  scene.Build();
  const double load = 30, x = 0.2;
  std::vector<double> wrench(6 * 3, 0.0);
  wrench[6 * beam + 2] = -load;
  wrench[6 * beam + 4] = x * load;
  scene.input.wrench = wrench.data();
  scene.Run(20);
  int found = 0;
  double sum = 0, moment = 0;
  for (int i = 0; i < tribo_contact_pair_count(scene.workspace()); ++i) {
    TriboPairResult pair;
    ASSERT_TRUE(tribo_contact_pair_get(scene.workspace(), i, &pair));
    if (pair.link0 != beam && pair.link1 != beam) continue;
    const int block = pair.link0 == beam ? pair.link1 : pair.link0;
    const double up = pair.link1 == beam ? pair.force_W.z : -pair.force_W.z;
    // Somewhere on the block: the beam does not say where, as long as the moments are right.
    EXPECT_NEAR(pair.center.x, block == left ? -0.5 : 0.5, 0.05 + 1e-9);
    EXPECT_NEAR(pair.center.z, 0.2, 1e-9);
    sum += up;
    moment += up * pair.center.x;
    ++found;
    TriboVec3 force, torque;
    ASSERT_EQ(tribo_contact_wrench(scene.workspace(), block, &force, &torque), TRIBO_OK);
    EXPECT_NEAR(force.z, kG, 1e-9) << "the floor carries the block and what lies on it";
  }
  EXPECT_EQ(found, 2);
  EXPECT_NE(left, right);
  EXPECT_NEAR(sum, 4 * kG + load, 1e-9);
  EXPECT_NEAR(moment, load * x, 1e-9);
}

// A joint limit presses too, and is no contact.
TEST(Results, TouchingCountsContactsAndNoLimits) {
  Scene scene;
  scene.Plane();
  scene.Box({0.1, 0.1, 0.05}, 1, At(0, 0, 0.05));
  const int weight = scene.Link(1, {0.1, 0.1, 0.1});
  scene.Joint(TRIBO_JOINT_SLIDE, TRIBO_WORLD, weight, [](TriboJointDesc* joint) {
    joint->axis = {0, 0, 1};
    joint->limited = true;
    joint->lower = 0;
    joint->upper = 1;
  });
  scene.Run(10);
  EXPECT_GT(scene.info.rows, 3 * 4) << "the limit has a row";
  EXPECT_EQ(scene.info.contacts, 4);
  int carry = 0;
  for (int c = 0; c < 4; ++c) {
    TriboContactResult contact;
    ASSERT_TRUE(tribo_contact_get(scene.workspace(), c, &contact));
    carry += contact.impulse[0] > 0;
  }
  EXPECT_EQ(scene.info.touching, carry);
}

TEST(Results, ModesFollowTheMotion) {
  Scene scene;
  const int material = scene.Material(0.5);
  scene.Plane(tribo_pose_identity(), material);
  const int box = scene.Box({0.1, 0.1, 0.05}, 2, At(0, 0, 0.05), material);
  scene.Build();
  scene.SetVelocity(box, {0.1, 0, 0});
  int slips = 0, sticks = 0, begins = 0, ends = 0;
  for (int i = 0; i < 100; ++i) {
    scene.Step();
    for (int e = 0; e < tribo_event_count(scene.workspace()); ++e) {
      TriboEvent event;
      ASSERT_TRUE(tribo_event_get(scene.workspace(), e, &event));
      begins += event.type == TRIBO_EVENT_BEGIN;
      ends += event.type == TRIBO_EVENT_END;
      sticks += event.type == TRIBO_EVENT_STICK;
      slips += event.type == TRIBO_EVENT_SLIP;
    }
    TriboContactResult contact;
    ASSERT_TRUE(tribo_contact_get(scene.workspace(), 0, &contact));
    if (i < 10 && contact.impulse[0] > 0) {
      EXPECT_EQ(contact.mode, TRIBO_MODE_SLIDE);
      EXPECT_NEAR(contact.margin, 0, 1e-12);
      EXPECT_NEAR(std::hypot(contact.slip[0], contact.slip[1]), 0.1 - (i + 1) * 0.5 * kG * 1e-3,
                  1e-9);
    }
    if (i > 90 && contact.impulse[0] > 0) {
      EXPECT_EQ(contact.mode, TRIBO_MODE_STICK);
    }
  }
  EXPECT_GE(begins - ends, 1);  // contacts that carry force now
  EXPECT_GE(sticks, 1);
  EXPECT_EQ(slips, 0);
  // Pulled off the ground: everything ends.
  scene.SetPose(box, At(0, 0, 1));
  scene.Step();
  EXPECT_EQ(tribo_contact_count(scene.workspace()), 0);
}

// Pushed beyond its friction a box that sticks slides; thrown up, its contacts end.
TEST(Results, EventsOfABoxThatIsPushedAndThrownUp) {
  Scene scene;
  const int material = scene.Material(0.5);
  const int plane = scene.Plane(tribo_pose_identity(), material);
  const int box = scene.Box({0.1, 0.1, 0.05}, 2, At(0, 0, 0.05), material);
  scene.Run(10);
  TriboContactResult contact;
  for (int c = 0; tribo_contact_get(scene.workspace(), c, &contact); ++c) {
    EXPECT_EQ(contact.mode, contact.impulse[0] > 0 ? TRIBO_MODE_STICK : TRIBO_MODE_SEPARATE);
  }
  const double push[6] = {2 * kG, 0, 0, 0, 0, 0};
  scene.input.wrench = push;
  const auto count = [&](TriboEventType type) {
    int found = 0;
    TriboEvent event;
    for (int e = 0; tribo_event_get(scene.workspace(), e, &event); ++e) {
      found += event.type == type;
      EXPECT_EQ(event.shape0, plane);
    }
    return found;
  };
  scene.Step();
  EXPECT_GE(count(TRIBO_EVENT_SLIP), 1);
  EXPECT_EQ(count(TRIBO_EVENT_STICK), 0);
  scene.input.wrench = nullptr;
  scene.SetVelocity(box, {0, 0, 1});
  scene.Step();
  EXPECT_EQ(scene.info.touching, 0);
  // Setting a velocity forgets the warm start, and with it what there was before.
  EXPECT_EQ(tribo_event_count(scene.workspace()), 0);
  // Falling down again it begins, and pulled up it ends.
  while (scene.info.touching == 0) scene.Step();
  EXPECT_GE(count(TRIBO_EVENT_BEGIN), scene.info.touching);
  scene.Run(5);
  const int carry = scene.info.touching;
  const double pull[6] = {0, 0, 100, 0, 0, 0};
  scene.input.wrench = pull;
  scene.Step();
  EXPECT_EQ(count(TRIBO_EVENT_END), carry);
  EXPECT_EQ(scene.info.touching, 0);
}

TEST(Results, AFailedStepHasNoContactsAndKeepsTheState) {
  Scene scene;
  scene.Plane();
  scene.Box({0.1, 0.1, 0.05}, 2, At(0, 0, 0.05));
  scene.Run(3);
  const uint64_t before = tribo_state_hash(scene.state());
  const double bad[6] = {NAN, 0, 0, 0, 0, 0};
  scene.input.effort = bad;
  EXPECT_EQ(scene.TryStep(), TRIBO_ERROR_NOT_FINITE);
  EXPECT_EQ(tribo_state_hash(scene.state()), before);
  EXPECT_EQ(tribo_contact_count(scene.workspace()), 0);
  scene.input.effort = nullptr;
  scene.Step();
  EXPECT_EQ(tribo_contact_count(scene.workspace()), 4);
}

TEST(Results, FullWorkspaceSaysHowMuchItNeedsAndKeepsTheState) {
  Scene scene;
  scene.Plane();
  for (int i = 0; i < 3; ++i) scene.Box({0.1, 0.1, 0.05}, 2, At(i, 0, 0.05));
  scene.Build(7);
  const uint64_t before = tribo_state_hash(scene.state());
  EXPECT_EQ(scene.TryStep(), TRIBO_ERROR_CAPACITY);
  EXPECT_EQ(tribo_state_hash(scene.state()), before);
  EXPECT_EQ(tribo_step_info(scene.workspace()).contacts, 12);
  EXPECT_EQ(tribo_step_info(scene.workspace()).status, TRIBO_ERROR_CAPACITY);
  // The four contacts of the first box fit, of the second's three. Shape 0 is the plane.
  EXPECT_EQ(tribo_step_info(scene.workspace()).kind, TRIBO_KIND_SHAPE);
  EXPECT_EQ(tribo_step_info(scene.workspace()).element, 2);
}

// So many boxes overlap that there is no room even for the pairs to look at.
TEST(Results, FullListOfPairsNamesAShape) {
  Scene scene;
  const int plane = scene.Plane();
  for (int i = 0; i < 20; ++i) scene.Sphere(0.1, 1, {1e-3 * i, 0, 0.1});
  scene.Build(1);
  const uint64_t before = tribo_state_hash(scene.state());
  EXPECT_EQ(scene.TryStep(), TRIBO_ERROR_CAPACITY);
  EXPECT_EQ(tribo_state_hash(scene.state()), before);
  EXPECT_EQ(tribo_step_info(scene.workspace()).kind, TRIBO_KIND_SHAPE);
  EXPECT_GT(tribo_step_info(scene.workspace()).element, plane);
}

}  // namespace
