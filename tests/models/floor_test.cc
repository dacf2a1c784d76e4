// SPDX-License-Identifier: Apache-2.0
//
// A floor under a model: TriboLoadOptions.floor.
#include <cmath>

#include "tests/models/load.h"

namespace {

TriboLoadOptions with_floor(double gap) {
  TriboLoadOptions options = tribo_load_options_default();
  options.floor = true;
  options.floor_gap = gap;
  return options;
}

// Where the floor is: its shape is the last.
double height_of_floor(Compiled& c) {
  TriboShapeDesc d;
  EXPECT_TRUE(tribo_model_shape(c.model, tribo_model_count(c.model, TRIBO_KIND_SHAPE) - 1, &d));
  EXPECT_EQ(d.type, TRIBO_SHAPE_PLANE);
  EXPECT_EQ(d.link, TRIBO_WORLD);
  return d.pose.p.z;
}

// The least signed distance of the floor from the other shapes.
double least_distance(Compiled& c) {
  const int count = tribo_model_count(c.model, TRIBO_KIND_SHAPE);
  double least = INFINITY;
  for (int i = 0; i + 1 < count; ++i) {
    TriboShapeDistance d;
    EXPECT_EQ(tribo_shape_distance(c.model, c.state, c.workspace, i, count - 1, &d), TRIBO_OK);
    least = std::fmin(least, d.distance);
  }
  return least;
}

// Turned every way, so that no shape's own axis is vertical; the tetrahedron is a hull of four
// points.
const char* const kTurned[] = {
    "type='sphere' size='0.1'",
    "type='capsule' size='0.05 0.2'",
    "type='box' size='0.1 0.2 0.3'",
    "type='cylinder' size='0.1 0.2'",
    "type='ellipsoid' size='0.1 0.2 0.3'",
    "type='mesh' mesh='tetrahedron'",
};

TEST(Floor, LiesTheGapBelowTheLowestPointOfEveryKindOfShape) {
  for (const char* shape : kTurned) {
    Load load(
        std::string("<mujoco><asset><mesh name='tetrahedron' vertex='0 0 0 0.3 0 0 0 0.2 0 0 "
                    "0 0.4'/></asset><worldbody><body pos='1 2 3' euler='20 30 40'><freejoint/>"
                    "<geom pos='0.1 0.2 -0.3' euler='-70 15 50' mass='1' ") +
            shape + "/></body></worldbody></mujoco>",
        with_floor(0.25));
    ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
    Compiled c(load.builder);
    EXPECT_NEAR(least_distance(c), 0.25, 1e-12) << shape;
  }
}

// A ball of 0.1 m at the end of an arm of 1 m, which hangs in the file and points up in the key.
TEST(Floor, LooksAtTheFirstKeyframe) {
  const std::string model =
      "<mujoco><worldbody><body pos='0 0 5'><joint name='j' type='hinge' axis='0 1 0'/>"
      "<geom type='sphere' size='0.1' pos='0 0 -1'/></body></worldbody>";
  Load hanging(model + "</mujoco>", with_floor(0.5));
  Compiled a(hanging.builder);
  EXPECT_NEAR(height_of_floor(a), 5 - 1 - 0.1 - 0.5, 1e-12);
  Load standing(model + "<keyframe><key qpos='3.141592653589793'/></keyframe></mujoco>",
                with_floor(0.5));
  Compiled b(standing.builder);
  EXPECT_NEAR(height_of_floor(b), 5 + 1 - 0.1 - 0.5, 1e-12);
}

// A box dropped on it comes to rest on it.
TEST(Floor, HoldsWhatFallsOnIt) {
  Load load(
      "<robot name='box'><link name='b'><inertial><mass value='2'/><inertia ixx='0.1' iyy='0.1' "
      "izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><box size='0.2 0.4 "
      "0.6'/></geometry></collision></link></robot>",
      with_floor(0.1));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  Compiled c(load.builder);
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(tribo_step(c.model, nullptr, nullptr, c.state, c.workspace), TRIBO_OK);
  EXPECT_NEAR(c.Pose("b").p.z, -0.1, 1e-9);
}

// A keel of two points below a wide ring of many, thrown with a turn: the ring is near in every
// step and farther out, but the keel is what comes down. Its points once were no contacts in some
// steps (a hand of many corners sank by 8 mm, was lifted out again, and flew off).
TEST(Floor, CornersOfAHullThatComeDownFirstAreNotLostAmongThoseFartherOut) {
  std::string vertex = "0 0.08 0 0 -0.08 0 0 0 0.1";
  for (int i = 0; i < 24; ++i) {
    const double angle = 6.283185307179586 * i / 24;
    vertex += " " + std::to_string(0.1 * std::cos(angle)) + " " +
              std::to_string(0.1 * std::sin(angle)) + " 0.004";
  }
  for (double turn : {-6.0, -2.0, 0.5, 3.0, 8.0}) {
    Load load("<mujoco><option timestep='0.002'/><asset><mesh name='boat' vertex='" + vertex +
                  "'/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='boat' mass='1'/>"
                  "</body></worldbody></mujoco>",
              with_floor(0.02));
    ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
    Compiled c(load.builder);
    const double v[] = {0, 0, 0, turn, 0.3 * turn, 0};
    ASSERT_EQ(tribo_state_set_v(c.model, c.state, v), TRIBO_OK);
    TriboStepOptions options = tribo_step_options_default();
    options.h = 0.002;
    double deepest = 0;
    for (int i = 0; i < 500; ++i) {
      ASSERT_EQ(tribo_step(c.model, &options, nullptr, c.state, c.workspace), TRIBO_OK);
      deepest = std::fmin(deepest, tribo_step_info(c.workspace).deepest);
    }
    EXPECT_GE(deepest, -1.5e-4) << turn;  // of order (turn h)^2 times 0.1 m
  }
}

TEST(Floor, NothingToStandOnItIsAnError) {
  Load nothing(
      "<robot name='ghost'><link name='a'><inertial><mass value='1'/><inertia ixx='1' "
      "iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>",
      with_floor(0));
  EXPECT_EQ(nothing.status, TRIBO_ERROR_MODEL);
  EXPECT_NE(std::string(nothing.message.text).find("floor"), std::string::npos);
  Load far("<robot name='r'><link name='a'/></robot>", with_floor(NAN));
  EXPECT_NE(far.status, TRIBO_OK);
}

}  // namespace
