// SPDX-License-Identifier: Apache-2.0
//
// The parallel gripper that ships, under the force that its controller is asked for. By statics two
// jaws hold the cube of 0.2 kg where 2 mu F > m g: with mu = 0.8, above 1.22625 N.
#include "tools/controllers/grasp_force.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/tools/library_scene.h"

namespace {

const double kLimit = 0.2 * 9.81 / (2 * 0.8);

class Gripper : public LibraryScene {
 public:
  explicit Gripper(double force, std::vector<const char*> settings = {})
      : LibraryScene("gripper", settings) {
    TriboGraspForceOptions wanted = tribo_grasp_force_options_default();
    wanted.force = force;
    TriboMessage message;
    EXPECT_EQ(tribo_grasp_force_init(&grasp, &wanted, model, state, &message), TRIBO_OK)
        << message.text;
  }
  // Until the time; every step with its certificate.
  void run(double until) {
    while (tribo_state_time(state) < until) {
      tribo_grasp_force_update(&grasp, state, workspace, control.data());
      ASSERT_TRUE(step());
    }
  }
  // Where the cube is in the palm.
  TriboVec3 place() {
    TriboPose cube, palm;
    EXPECT_EQ(tribo_link_pose(model, state, scratch,
                              tribo_model_find(model, TRIBO_KIND_LINK, "cube"), &cube),
              TRIBO_OK);
    EXPECT_EQ(tribo_link_pose(model, state, scratch,
                              tribo_model_find(model, TRIBO_KIND_LINK, "palm"), &palm),
              TRIBO_OK);
    return {cube.p.x - palm.p.x, cube.p.y - palm.p.y, cube.p.z - palm.p.z};
  }
  void expect_force(double force) {
    for (const TriboGraspJaw& jaw : grasp.jaw) EXPECT_NEAR(jaw.measured, force, 0.01 * force);
  }

  TriboGraspForce grasp;
};

void expect_lifted(double force, std::vector<const char*> settings) {
  SCOPED_TRACE("force " + std::to_string(force));
  Gripper gripper(force, settings);
  const double start = gripper.height("cube");
  gripper.run(3);
  if (::testing::Test::HasFatalFailure()) return;
  gripper.expect_force(force);
  const TriboVec3 before = gripper.place();
  const double height = gripper.height("cube");
  gripper.run(4);
  gripper.expect_force(force);
  const TriboVec3 after = gripper.place();
  EXPECT_LT(std::hypot(after.x - before.x, after.y - before.y, after.z - before.z), 1e-9);
  EXPECT_NEAR(gripper.height("cube"), height, 1e-9);
  EXPECT_NEAR(height - start, gripper.grasp.options.lift, 0.002);
}

TEST(GraspForce, HoldsWhatStaticsHolds) {
  expect_lifted(1.2 * kLimit, {});
  expect_lifted(10, {});
  expect_lifted(40, {});
  expect_lifted(10, {"dt=0.001"});
}

TEST(GraspForce, LeavesOnTheTableWhatStaticsDoesNotHold) {
  Gripper gripper(0.9 * kLimit);
  const double start = gripper.height("cube");
  gripper.run(3);
  EXPECT_TRUE(gripper.grasp.lifting);
  EXPECT_LT(gripper.height("cube"), start + 1e-6);
  EXPECT_GT(gripper.height("palm"), 0.2);
}

// Held, then the command falls below the limit: the cube slides out, down to the table.
TEST(GraspForce, DropsWhenTheCommandFallsBelowTheStaticLimit) {
  Gripper gripper(1.2 * kLimit);
  const double start = gripper.height("cube");
  gripper.run(3);
  EXPECT_GT(gripper.height("cube"), start + 0.09);
  gripper.grasp.options.force = 0.9 * kLimit;
  gripper.run(4.5);
  EXPECT_NEAR(gripper.height("cube"), start, 1e-3);
}

TEST(GraspForce, FollowsTheCommandWhileItHolds) {
  Gripper gripper(10);
  gripper.run(3);
  for (double force : {20.0, 5.0, 10.0}) {
    const TriboVec3 before = gripper.place();
    gripper.grasp.options.force = force;
    gripper.run(tribo_state_time(gripper.state) + 0.5);
    gripper.expect_force(force);
    EXPECT_NEAR(gripper.place().z, before.z, 1e-9);
  }
}

// What pushes on the jaws and is unknown to the controller: the integral takes it up. 3 N opening
// each jaw, as a spring or a cable would.
TEST(GraspForce, TheIntegralTakesUpWhatTheJawsLose) {
  Gripper gripper(10);
  const int left = tribo_model_find(gripper.model, TRIBO_KIND_LINK, "left");
  const int right = tribo_model_find(gripper.model, TRIBO_KIND_LINK, "right");
  gripper.run(3);
  gripper.wrench[6 * (size_t)left] = -3;
  gripper.wrench[6 * (size_t)right] = 3;
  gripper.run(4);
  gripper.expect_force(10);
  EXPECT_NEAR(gripper.grasp.press, 13, 0.1);
}

TEST(GraspForce, SaysWhatAModelLacks) {
  LibraryScene scene("hand", {});
  TriboGraspForce grasp;
  TriboMessage message;
  EXPECT_EQ(tribo_grasp_force_init(&grasp, nullptr, scene.model, scene.state, &message),
            TRIBO_ERROR_MODEL);
  EXPECT_NE(std::string(message.text).find("left"), std::string::npos) << message.text;
}

}  // namespace
