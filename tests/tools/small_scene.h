// SPDX-License-Identifier: Apache-2.0
//
// A small scene for tests of recorded trajectories: a box that lands askew on the ground and
// slides, and a driven pendulum beside it.
#ifndef TRIBO_TESTS_TOOLS_SMALL_SCENE_H_
#define TRIBO_TESTS_TOOLS_SMALL_SCENE_H_

#include <gtest/gtest.h>

#include <vector>

#include "engine/tribo.h"

class SmallScene {
 public:
  explicit SmallScene(double friction = 0.5) {
    TriboBuilder* builder = nullptr;
    EXPECT_EQ(tribo_builder_create(nullptr, &builder), TRIBO_OK);
    TriboMaterialDesc material = tribo_material_default();
    material.friction = friction;
    EXPECT_EQ(tribo_builder_add_material(builder, &material, nullptr), TRIBO_OK);
    TriboShapeDesc ground = tribo_shape_default();
    ground.name = "ground";
    ground.type = TRIBO_SHAPE_PLANE;
    ground.material = 0;
    EXPECT_EQ(tribo_builder_add_shape(builder, &ground, nullptr), TRIBO_OK);
    TriboLinkDesc link = tribo_link_default();
    link.name = "box";
    int box = -1, rod = -1;
    EXPECT_EQ(tribo_builder_add_link(builder, &link, &box), TRIBO_OK);
    TriboShapeDesc cube = tribo_shape_default();
    cube.name = "cube";
    cube.type = TRIBO_SHAPE_BOX;
    cube.link = box;
    cube.material = 0;
    cube.size[0] = cube.size[1] = cube.size[2] = 0.1;
    EXPECT_EQ(tribo_builder_add_shape(builder, &cube, nullptr), TRIBO_OK);
    link.name = "rod";
    link.com = {0, 0, -0.3};
    EXPECT_EQ(tribo_builder_add_link(builder, &link, &rod), TRIBO_OK);
    TriboJointDesc hinge = tribo_joint_default();
    hinge.name = "pivot";
    hinge.child = rod;
    hinge.pose_parent.p = {2, 0, 1};
    hinge.axis = {0, 1, 0};
    int pivot = -1;
    EXPECT_EQ(tribo_builder_add_joint(builder, &hinge, &pivot), TRIBO_OK);
    TriboActuatorDesc motor = tribo_actuator_default();
    motor.name = "motor";
    motor.joint = pivot;
    EXPECT_EQ(tribo_builder_add_actuator(builder, &motor, nullptr), TRIBO_OK);
    TriboMessage message;
    EXPECT_EQ(tribo_model_create(builder, nullptr, &model, &message), TRIBO_OK) << message.text;
    tribo_builder_destroy(builder);
    EXPECT_EQ(tribo_state_create(model, nullptr, &state), TRIBO_OK);
    EXPECT_EQ(tribo_workspace_create(model, nullptr, nullptr, &workspace), TRIBO_OK);
    EXPECT_EQ(tribo_state_set_free_pose(model, state, box,
                                        {{0, 0, 0.2}, {0.9848077530122081, 0.1, 0.1, 0.1}}),
              TRIBO_OK);
    std::vector<double> v(tribo_model_nv(model));
    v[tribo_model_joint_v(model, tribo_model_link_joint(model, box))] = 1;
    EXPECT_EQ(tribo_state_set_v(model, state, v.data()), TRIBO_OK);
    options.h = 0.005;
  }
  SmallScene(const SmallScene&) = delete;
  SmallScene& operator=(const SmallScene&) = delete;
  ~SmallScene() {
    tribo_workspace_destroy(workspace);
    tribo_state_destroy(state);
    tribo_model_destroy(model);
  }

  // The motor's torque in the step after the k-th.
  static double torque(int k) { return k % 50 < 25 ? 0.8 : -0.6; }

  void step(int k) {
    control[0] = torque(k);
    ASSERT_EQ(tribo_step(model, &options, &input, state, workspace), TRIBO_OK)
        << "step " << k << ": status " << tribo_step_info(workspace).status;
  }

  TriboModel* model = nullptr;
  TriboState* state = nullptr;
  TriboWorkspace* workspace = nullptr;
  TriboStepOptions options = tribo_step_options_default();
  double control[1] = {0};
  TriboInput input = [this] {
    TriboInput given = tribo_input_default();
    given.control = control;
    return given;
  }();
};

#endif  // TRIBO_TESTS_TOOLS_SMALL_SCENE_H_
