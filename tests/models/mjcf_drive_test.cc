// SPDX-License-Identifier: Apache-2.0
//
// MJCF, with values computed by hand: equality constraints, actuators, tendons.
#include <cmath>
#include <string>

#include "tests/models/mjcf_text.h"

namespace {

// --- equality
// ---------------------------------------------------------------------------------------

TEST(Mjcf, EqualitiesBecomeLoops) {
  Load load(Mujoco(
      "<compiler angle='radian'/><worldbody><body name='a' pos='1 0 0'><joint name='ja' ref='0.5'/>"
      "<geom size='1'/></body><body name='b' pos='0 2 0'><joint name='jb' ref='0.25'/>"
      "<geom size='1'/></body></worldbody><equality>"
      "<weld name='w' body1='a' body2='b'/><connect body1='a' body2='b' anchor='0 0 3'/>"
      "<joint joint1='ja' joint2='jb' polycoef='0.1 2'/><joint joint1='jb' polycoef='0.2'/>"
      "<connect body1='a' anchor='0 0 1'/><weld body1='a' body2='b' active='false'/></equality>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  ASSERT_EQ(tribo_builder_count(load.builder, TRIBO_KIND_LOOP), 5);
  const TriboLoopDesc* l = load.builder->loop;
  EXPECT_EQ(l[0].type, TRIBO_LOOP_WELD);
  EXPECT_EQ(l[0].pose0.p.x, -1);  // b in a, as the file places them
  EXPECT_EQ(l[0].pose0.p.y, 2);
  EXPECT_EQ(l[0].pose1.p.x, 0);
  EXPECT_EQ(l[1].type, TRIBO_LOOP_CONNECT);
  EXPECT_EQ(l[1].pose0.p.z, 3);
  EXPECT_EQ(l[1].pose1.p.x, 1);
  EXPECT_EQ(l[1].pose1.p.y, -2);
  EXPECT_EQ(l[1].pose1.p.z, 3);
  // qa - 0.5 = 0.1 + 2 (qb - 0.25)
  EXPECT_EQ(l[2].type, TRIBO_LOOP_GEAR);
  EXPECT_EQ(l[2].joint0, 1);
  EXPECT_EQ(l[2].joint1, 0);
  EXPECT_EQ(l[2].ratio, 2);
  EXPECT_NEAR(l[2].offset, 0.1, 1e-16);
  EXPECT_EQ(l[3].joint0, -1);
  EXPECT_DOUBLE_EQ(l[3].offset, 0.45);
  EXPECT_EQ(l[4].link1, TRIBO_WORLD);
  EXPECT_EQ(l[4].pose1.p.x, 1);
  EXPECT_EQ(load.Count(TRIBO_REPORT_UNUSED), 1);
}

TEST(Mjcf, PolynomialsOfHigherDegreeAreRefused) {
  const std::string text =
      Mujoco("<worldbody>" + Simple("a", "<joint name='j'/>") + Simple("b", "<joint name='k'/>") +
             "</worldbody><equality><joint joint1='j' joint2='k' polycoef='0 1 1'/></equality>");
  EXPECT_EQ(Load(text).status, TRIBO_ERROR_UNSUPPORTED);
  Load load(text, Allowing());
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(load.Count(TRIBO_REPORT_UNSUPPORTED), 1);
}

// --- actuators
// --------------------------------------------------------------------------------------

std::string Driven(const std::string& actuators, const std::string& more = "") {
  return Mujoco("<worldbody>" + Simple("a", "<joint name='j'/>") +
                Simple("b", "<joint name='k' type='slide'/>") + "</worldbody><actuator>" +
                actuators + "</actuator>" + more);
}

TEST(Mjcf, MotorsPositionsAndVelocitiesWithGearRangesAndLimits) {
  Load load(
      Driven("<motor name='m' joint='j' gear='3' ctrlrange='-1 2' forcerange='-5 5'/>"
             "<position joint='j' kp='4' kv='0.5'/><velocity joint='k' kv='7'/>"
             "<position joint='j' kp='4' gear='2'/>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboActuatorDesc* u = load.builder->actuator;
  EXPECT_STREQ(u[0].name, "m");
  EXPECT_EQ(u[0].type, TRIBO_ACTUATOR_EFFORT);
  EXPECT_EQ(u[0].gear * u[0].scale, 3);
  EXPECT_EQ(u[0].control_lower, -1);
  EXPECT_EQ(u[0].control_upper, 2);
  EXPECT_EQ(u[0].effort_limit, 15);  // forcerange is before the gear
  EXPECT_EQ(u[1].type, TRIBO_ACTUATOR_POSITION);
  EXPECT_EQ(u[1].kp, 4);
  EXPECT_EQ(u[1].kd, 0.5);
  EXPECT_EQ(u[1].scale, 1);
  EXPECT_EQ(u[2].type, TRIBO_ACTUATOR_VELOCITY);
  EXPECT_EQ(u[2].kd, 7);
  EXPECT_EQ(u[2].joint, 1);
  // Gear 2: f = 4 (u - 2 q), effort 2 f = 16 (u / 2 - q).
  EXPECT_EQ(u[3].kp, 16);
  EXPECT_EQ(u[3].scale, 0.5);
}

TEST(Mjcf, InheritrangeTakesTheJointsRange) {
  Load load(Mujoco("<compiler angle='radian'/><worldbody>" +
                   Simple("a", "<joint name='j' range='-1 3'/>") +
                   "</worldbody><actuator><position joint='j' kp='1' inheritrange='0.5'/>"
                   "</actuator>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(load.builder->actuator[0].control_lower, 0);
  EXPECT_EQ(load.builder->actuator[0].control_upper, 2);
}

TEST(Mjcf, GeneralActuatorsInAffineForm) {
  Load load(
      Driven("<general joint='j' gainprm='2'/>"
             "<general joint='j' gainprm='100' biastype='affine' biasprm='5 -50 -3'/>"
             "<general joint='j' gainprm='6' biastype='affine' biasprm='0 0 -3'/>"
             "<general joint='j' gainprm='2' biasprm='1 -1 -1'/>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboActuatorDesc* u = load.builder->actuator;
  EXPECT_EQ(u[0].type, TRIBO_ACTUATOR_EFFORT);
  EXPECT_EQ(u[0].gear * u[0].scale, 2);
  EXPECT_EQ(u[1].type, TRIBO_ACTUATOR_POSITION);  // 50 (2 u + 0.1 - q) - 3 v
  EXPECT_EQ(u[1].kp, 50);
  EXPECT_EQ(u[1].kd, 3);
  EXPECT_EQ(u[1].scale, 2);
  EXPECT_DOUBLE_EQ(u[1].offset, 0.1);
  EXPECT_EQ(u[2].type, TRIBO_ACTUATOR_VELOCITY);  // 3 (2 u - v)
  EXPECT_EQ(u[2].scale, 2);
  EXPECT_EQ(u[3].type, TRIBO_ACTUATOR_EFFORT);  // biastype is none by default
  EXPECT_EQ(u[3].offset, 0);
}

TEST(Mjcf, ActuatorDefaultsAreSharedByTheShortcuts) {
  Load load(
      "<mujoco><default><motor ctrlrange='-2 2'/><default class='p'>"
      "<position kp='9' forcerange='-4 4'/></default></default><worldbody>" +
      Simple("a", "<joint name='j'/>") +
      "</worldbody><actuator><position class='p' joint='j'/><motor joint='j'/></actuator>"
      "</mujoco>");
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboActuatorDesc* u = load.builder->actuator;
  EXPECT_EQ(u[0].kp, 9);
  EXPECT_EQ(u[0].effort_limit, 4);
  EXPECT_EQ(u[0].control_upper, 2);
  EXPECT_EQ(u[1].control_lower, -2);
  EXPECT_EQ(u[1].effort_limit, INFINITY);
}

// Fingers coupled by qk = qj: a tendon 0.5 qj + 0.5 qk is qj, and its force acts on qj alone.
TEST(Mjcf, AFixedTendonOverCoupledJointsIsOneJoint) {
  Load load(
      Driven("<general tendon='t' gainprm='0.5' biastype='affine' biasprm='0 -100 -10' "
             "forcerange='-8 8'/>",
             "<tendon><fixed name='t'><joint joint='j' coef='0.5'/>"
             "<joint joint='k' coef='0.5'/></fixed></tendon>"
             "<equality><joint joint1='k' joint2='j'/></equality>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboActuatorDesc& u = load.builder->actuator[0];
  EXPECT_EQ(u.joint, 0);
  EXPECT_EQ(u.kp, 100);
  EXPECT_EQ(u.kd, 10);
  EXPECT_DOUBLE_EQ(u.scale, 0.005);
  EXPECT_EQ(u.effort_limit, 8);
  EXPECT_EQ(tribo_report_count(load.report), 0) << load.Report();
}

TEST(Mjcf, WhatChangesTheMotionIsAnErrorUnlessAllowed) {
  const std::string tendon =
      "<tendon><fixed name='t'><joint joint='j' coef='1'/>"
      "<joint joint='k' coef='1'/></fixed></tendon>";
  const std::string cases[] = {
      Driven("<muscle joint='j'/>"),
      Driven("<general joint='j' dyntype='filter'/>"),
      Driven("<general joint='j' biastype='muscle'/>"),
      Driven("<cylinder joint='j'/>"),
      Driven("<motor tendon='t'/>", tendon),
      Driven("<motor site='s'/>"),
      Driven("<position joint='j' kp='-1'/>"),
      Driven("<motor joint='j' forcerange='-1 2'/>"),
      Driven("", "<tendon><spatial name='s' stiffness='5'/></tendon>"),
      Driven("",
             "<tendon><fixed name='t' range='0 1'><joint joint='j' coef='1'/></fixed></tendon>"),
      Mujoco("<worldbody><body><freejoint/><geom name='a' size='1'/><body><joint/>"
             "<geom name='b' size='1'/></body></body></worldbody><contact><pair geom1='a' "
             "geom2='b'/></contact>"),
      World("<body mocap='true'/>"),
      World("<body gravcomp='1'/>"),
      World("<composite/>"),
      World("<flexcomp/>"),
      World("<replicate count='2'/>"),
      Mujoco("<option density='1.2'/>"),
      Mujoco("<option><flag contact='disable'/></option>"),
      Mujoco("<deformable><flex/></deformable>"),
      World("<geom size='1' type='box' mesh='m'/>"),
      World(Simple("a", "<joint springdamper='1 1'/>")),
      World(Simple("a", "<joint type='free' stiffness='1'/>")),
  };
  for (const std::string& text : cases) {
    Load refused(text);
    EXPECT_TRUE(refused.status == TRIBO_ERROR_UNSUPPORTED || refused.status == TRIBO_ERROR_MODEL)
        << text << "\n"
        << refused.message.text;
    if (refused.status != TRIBO_ERROR_UNSUPPORTED) continue;
    EXPECT_GE(refused.message.line, 1) << text;
    Load allowed(text, Allowing());
    if (allowed.status == TRIBO_OK) {
      EXPECT_GE(allowed.Count(TRIBO_REPORT_UNSUPPORTED), 1) << text;
    }
  }
}

}  // namespace
