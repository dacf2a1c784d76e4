// SPDX-License-Identifier: Apache-2.0
//
// MJCF, with values computed by hand: settings, classes, bodies, joints, inertia.
#include <cmath>
#include <string>

#include "tests/models/mjcf_text.h"

namespace {

// --- settings
// ---------------------------------------------------------------------------------------

TEST(Mjcf, OptionsSetTheTimeStepAndGravity) {
  Load load(Mujoco("<option timestep='0.005' gravity='1 2 -3'/>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(tribo_scene_timestep(load.scene), 0.005);
  EXPECT_EQ(load.builder->gravity.x, 1);
  EXPECT_EQ(load.builder->gravity.z, -3);
  EXPECT_STREQ(tribo_scene_name(load.scene), "m");
  EXPECT_EQ(tribo_scene_format(load.scene), TRIBO_FORMAT_MJCF);
  EXPECT_EQ(tribo_scene_timestep(Load(Mujoco("")).scene), 0.002);
  EXPECT_EQ(Load(Mujoco("<option><flag gravity='disable'/></option>")).builder->gravity.z, 0);
}

TEST(Mjcf, AnglesAreDegreesUnlessTheCompilerSaysRadians) {
  const std::string body =
      "<worldbody>" + Simple("a", "<joint name='j' range='-90 45' springref='30' ref='10'/>") +
      Simple("s", "<joint name='k' type='slide' range='-9 4' ref='1'/>") + "</worldbody>";
  Load degrees(Mujoco(body)), radians(Mujoco("<compiler angle='radian'/>" + body));
  ASSERT_EQ(degrees.status, TRIBO_OK) << degrees.message.text;
  const TriboJointDesc* d = degrees.builder->joint;
  EXPECT_DOUBLE_EQ(d[0].lower, -kPi / 2);
  EXPECT_DOUBLE_EQ(d[0].upper, kPi / 4);
  EXPECT_DOUBLE_EQ(d[0].rest, kPi / 6);
  EXPECT_DOUBLE_EQ(d[0].initial[0], kPi / 18);
  EXPECT_EQ(d[1].lower, -9);  // lengths are lengths
  EXPECT_EQ(radians.builder->joint[0].lower, -90);
}

TEST(Mjcf, EulerSequencesTurnAboutMovingOrFixedAxes) {
  auto quat = [](const char* sequence) {
    Load load(Mujoco(std::string("<compiler eulerseq='") + sequence +
                     "'/><worldbody><site name='s' euler='90 90 0'/></worldbody>"));
    EXPECT_EQ(load.status, TRIBO_OK) << load.message.text;
    return load.builder->frame[0].pose.q;
  };
  // About x, then about the new y: qx qy; about fixed axes: qy qx.
  ExpectQuat(quat("xyz"), 0.5, 0.5, 0.5, 0.5);
  ExpectQuat(quat("XYZ"), 0.5, 0.5, 0.5, -0.5);
  EXPECT_EQ(Load(Mujoco("<compiler eulerseq='xyw'/>")).status, TRIBO_ERROR_PARSE);
}

TEST(Mjcf, EveryFormOfOrientationIsRead) {
  Load load(
      World("<site name='q' quat='2 0 0 0'/><site name='a' axisangle='0 0 3 90'/>"
            "<site name='xy' xyaxes='0 2 0 -1 1 0'/><site name='z' zaxis='1 0 0'/>"
            "<site name='down' zaxis='0 0 -1'/><site name='ft' fromto='0 0 0 0 2 0'/>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const double h = std::sqrt(0.5);
  const TriboFrameDesc* f = load.builder->frame;
  ExpectQuat(f[0].pose.q, 1, 0, 0, 0);
  ExpectQuat(f[1].pose.q, h, 0, 0, h);
  ExpectQuat(f[2].pose.q, h, 0, 0, h);  // y made perpendicular to x
  ExpectQuat(f[3].pose.q, h, 0, h, 0);
  ExpectQuat(f[4].pose.q, 0, 1, 0, 0);
  ExpectQuat(f[5].pose.q, h, h, 0, 0);  // z from the second point to the first
  EXPECT_EQ(f[5].pose.p.y, 1);
  EXPECT_EQ(Load(World("<site quat='0 0 0 0'/>")).status, TRIBO_ERROR_MODEL);
  EXPECT_EQ(Load(World("<site xyaxes='1 0 0 2 0 0'/>")).status, TRIBO_ERROR_MODEL);
}

TEST(Mjcf, AutolimitsFalseWantsLimited) {
  const std::string joint = Simple("a", "<joint range='-1 1'/>");
  EXPECT_TRUE(Load(World(joint)).builder->joint[0].limited);
  EXPECT_EQ(
      Load(Mujoco("<compiler autolimits='false'/><worldbody>" + joint + "</worldbody>")).status,
      TRIBO_ERROR_MODEL);
  Load off(World(Simple("a", "<joint range='-1 1' limited='false'/>")));
  EXPECT_FALSE(off.builder->joint[0].limited);
}

// --- default classes
// --------------------------------------------------------------------------------

TEST(Mjcf, ClassesInheritAndNumbersThatAreLeftOutComeFromBelow) {
  Load load(Mujoco(
      "<default><geom friction='0.1 0.2 0.3' condim='6' size='1'/>"
      "<default class='a'><geom friction='0.5'/><joint damping='3'/>"
      "<default class='b'><joint armature='4'/></default></default></default>"
      "<worldbody><geom name='plain'/><body childclass='b'><joint name='j' axis='0 1 0'/>"
      "<geom name='inner'/><geom name='own' class='main' friction='0.9'/></body></worldbody>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboBuilder* b = load.builder;
  auto material = [b](int shape) { return b->material[b->shape[shape].material]; };
  EXPECT_EQ(b->joint[0].damping, 3);
  EXPECT_EQ(b->joint[0].armature, 4);
  EXPECT_EQ(material(0).friction, 0.1);
  EXPECT_EQ(material(1).friction, 0.5);
  // Torsion is a torque per normal force in MuJoCo, a length times mu in Tribo.
  EXPECT_DOUBLE_EQ(material(1).torsional * 0.5, 0.2);
  EXPECT_DOUBLE_EQ(material(1).rolling * 0.5, 0.3);
  EXPECT_EQ(material(2).friction, 0.9);
  EXPECT_EQ(tribo_report_count(load.report), 0) << load.Report();
}

TEST(Mjcf, AnOrientationOnTheElementReplacesTheClasssInAnyForm) {
  Load load(
      Mujoco("<default><site euler='90 0 0'/></default>"
             "<worldbody><site/><site quat='1 0 0 0'/></worldbody>"));
  ASSERT_EQ(load.status, TRIBO_OK);
  ExpectQuat(load.builder->frame[0].pose.q, std::sqrt(0.5), std::sqrt(0.5), 0, 0);
  ExpectQuat(load.builder->frame[1].pose.q, 1, 0, 0, 0);
}

TEST(Mjcf, UnknownAndDuplicateClassesAreErrors) {
  EXPECT_EQ(Load(World("<geom class='none' size='1'/>")).status, TRIBO_ERROR_MODEL);
  EXPECT_EQ(Load(World("<body childclass='none'/>")).status, TRIBO_ERROR_MODEL);
  EXPECT_EQ(Load(Mujoco("<default><default class='a'/><default class='a'/></default>")).status,
            TRIBO_ERROR_MODEL);
  EXPECT_EQ(Load(Mujoco("<default><default/></default>")).status, TRIBO_ERROR_PARSE);
}

// --- bodies and joints
// ------------------------------------------------------------------------------

TEST(Mjcf, NestedBodiesFramesAndFixedOnesMakeTheTree) {
  Load load(
      World("<frame pos='0 0 1'><body name='a' pos='1 0 0'>"
            "<inertial mass='2' pos='0.1 0 0' diaginertia='1 1 1'/><freejoint name='root'/>"
            "<body name='b' pos='0 2 0' euler='0 0 90'><inertial mass='1' pos='0 0 0' "
            "diaginertia='1 1 1'/>"
            "</body></body></frame>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboJointDesc* j = load.builder->joint;
  EXPECT_EQ(j[0].type, TRIBO_JOINT_FREE);
  EXPECT_EQ(j[0].initial[0], 1);
  EXPECT_EQ(j[0].initial[2], 1);
  EXPECT_EQ(j[0].initial[3], 1);
  EXPECT_EQ(j[1].type, TRIBO_JOINT_FIXED);
  EXPECT_EQ(j[1].pose_parent.p.y, 2);
  Compiled compiled(load.builder);
  EXPECT_EQ(tribo_model_nv(compiled.model), 6);
  EXPECT_EQ(tribo_model_total_mass(compiled.model), 3);
  const TriboPose b = compiled.Pose("b");
  EXPECT_NEAR(b.p.x, 1, 1e-15);
  EXPECT_NEAR(b.p.y, 2, 1e-15);
  EXPECT_NEAR(b.p.z, 1, 1e-15);
}

TEST(Mjcf, EveryJointAttributeArrives) {
  Load load(World(
      Simple("a",
             "<joint name='j' type='slide' axis='0 3 4' pos='1 2 3' damping='0.1' armature='0.2' "
             "frictionloss='0.3' stiffness='0.4' springref='0.5' range='-1 2' "
             "actuatorfrcrange='-7 7'/>")));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboJointDesc& d = load.builder->joint[0];
  EXPECT_STREQ(d.name, "j");
  EXPECT_EQ(d.type, TRIBO_JOINT_SLIDE);
  EXPECT_NEAR(d.axis.z, 0.8, 1e-15);
  EXPECT_EQ(d.pose_child.p.y, 2);
  EXPECT_EQ(d.damping, 0.1);
  EXPECT_EQ(d.armature, 0.2);
  EXPECT_EQ(d.friction, 0.3);
  EXPECT_EQ(d.stiffness, 0.4);
  EXPECT_EQ(d.rest, 0.5);
  EXPECT_EQ(d.lower, -1);
  EXPECT_EQ(d.upper, 2);
  EXPECT_EQ(d.effort_limit, 7);
}

// A hinge at (0, 1, 0) of a body at (1, 0, 0), ref 90 degrees about z: at q = 90 degrees the body
// stands where the file puts it; at q = 0 it is turned back about the anchor (1, 1, 0).
TEST(Mjcf, RefIsThePositionInWhichTheFilePlacesTheBody) {
  Load load(
      World("<body name='a' pos='1 0 0'><joint pos='0 1 0' ref='90'/>"
            "<geom size='0.1'/></body>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  Compiled c(load.builder);
  EXPECT_DOUBLE_EQ(tribo_state_q(c.state)[0], kPi / 2);
  EXPECT_NEAR(c.Pose("a").p.x, 1, 1e-15);
  EXPECT_NEAR(c.Pose("a").p.y, 0, 1e-15);
  c.Set({0}, {0});
  // From the anchor to the body: (0, -1) turned by -90 degrees is (-1, 0).
  EXPECT_NEAR(c.Pose("a").p.x, 0, 1e-15);
  EXPECT_NEAR(c.Pose("a").p.y, 1, 1e-15);
}

// Slide x, slide y, hinge z of a 2 kg body whose centre of mass is the body's origin:
// M = diag(2, 2, I_zz).
TEST(Mjcf, SeveralJointsOnABodyAreAChainWithoutMass) {
  Load load(
      World("<body name='p' pos='0 0 3'><inertial mass='2' pos='0 0 0' diaginertia='4 5 6'/>"
            "<joint name='x' type='slide' axis='1 0 0'/>"
            "<joint name='y' type='slide' axis='0 1 0'/><joint name='t' axis='0 0 1'/></body>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  Compiled c(load.builder);
  ASSERT_EQ(tribo_model_nv(c.model), 3);
  c.Set({0.5, 0.25, kPi / 2}, {0, 0, 0});
  const double expected[] = {2, 0, 0, 0, 2, 0, 0, 0, 6};
  const std::vector<double> M = c.Mass();
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(M[(size_t)i], expected[i], 1e-14) << i;
  const TriboPose pose = c.Pose("p");
  EXPECT_NEAR(pose.p.x, 0.5, 1e-15);
  EXPECT_NEAR(pose.p.y, 0.25, 1e-15);
  EXPECT_NEAR(pose.p.z, 3, 1e-15);
  ExpectQuat(pose.q, std::sqrt(0.5), 0, 0, std::sqrt(0.5));
}

// The first joint turns the axis of the second: x then y, both by 90 degrees, is qx qy.
TEST(Mjcf, JointsOfABodyActInTheirOrder) {
  Load load(
      World("<body name='p'><joint axis='1 0 0'/><joint axis='0 1 0'/><geom size='0.1'/></body>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  Compiled c(load.builder);
  c.Set({kPi / 2, kPi / 2}, {0, 0});
  ExpectQuat(c.Pose("p").q, 0.5, 0.5, 0.5, 0.5);
}

TEST(Mjcf, BallAndFreeJointsKeepMujocosCoordinates) {
  Load load(World(
      "<body name='f' pos='1 2 3' quat='0 1 0 0'><joint type='free' damping='2'/>"
      "<geom size='0.1'/></body><body name='b'><joint type='ball'/><geom size='0.1'/></body>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  Compiled c(load.builder);
  const double expected[] = {1, 2, 3, 0, 1, 0, 0, 1, 0, 0, 0};
  for (int i = 0; i < 11; ++i) EXPECT_EQ(tribo_state_q(c.state)[i], expected[i]) << i;
  EXPECT_EQ(load.builder->joint[0].damping, 2);
}

TEST(Mjcf, TheRangeOfABallIsItsLargestAngle) {
  Load load(World(Simple("a", "<joint type='ball' range='0 30'/>")));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_TRUE(load.builder->joint[0].limited);
  EXPECT_EQ(load.builder->joint[0].lower, 0);
  EXPECT_NEAR(load.builder->joint[0].upper, M_PI / 6, 1e-15);
}

TEST(Mjcf, WrongJointsAreRefused) {
  EXPECT_EQ(Load(World(Simple("a", "<joint axis='0 0 0'/>"))).status, TRIBO_ERROR_MODEL);
  EXPECT_EQ(Load(World(Simple("a", "<joint range='2 1'/>"))).status, TRIBO_ERROR_MODEL);
  EXPECT_EQ(Load(World(Simple("a", "<joint damping='-1'/>"))).status, TRIBO_ERROR_MODEL);
  EXPECT_EQ(Load(World(Simple("a", "<joint type='screw'/>"))).status, TRIBO_ERROR_PARSE);
  EXPECT_EQ(Load(World(Simple("a", "<freejoint/><joint/>"))).status, TRIBO_ERROR_MODEL);
  EXPECT_EQ(Load(World(Simple("a", "<joint/>", Simple("b", "<freejoint/>")))).status,
            TRIBO_ERROR_MODEL);
  EXPECT_EQ(Load(World(Simple("a", "<joint type='ball' range='-30 30'/>"))).status,
            TRIBO_ERROR_MODEL);
  EXPECT_EQ(Load(World(Simple("a", "<joint type='ball' range='0 0'/>"))).status, TRIBO_ERROR_MODEL);
}

// --- inertia
// ----------------------------------------------------------------------------------------

TEST(Mjcf, InertialsAreTurnedIntoTheBodysAxes) {
  Load load(
      World("<body><freejoint/><inertial mass='2' pos='1 2 3' euler='0 0 90' "
            "diaginertia='1 2 2.5'/></body>"
            "<body><freejoint/><inertial mass='3' pos='0 0 0' "
            "fullinertia='5 6 7 0.1 0.2 0.3'/></body>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboLinkDesc* links = load.builder->link;
  EXPECT_EQ(links[0].com.z, 3);
  EXPECT_NEAR(links[0].inertia[0], 2, 1e-15);
  EXPECT_NEAR(links[0].inertia[1], 1, 1e-15);
  EXPECT_NEAR(links[0].inertia[2], 2.5, 1e-15);
  const double full[] = {5, 6, 7, 0.1, 0.2, 0.3};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(links[1].inertia[i], full[i], 1e-15) << i;
}

// A box of 2 x 4 x 6 m of density 0.5: 24 kg, I_xx = m (4^2 + 6^2) / 12; a 3 kg sphere of 1 m at
// x = 10. Centre of mass at x = 30/27.
TEST(Mjcf, InertiaComesFromTheGeomsWhereNoneIsGiven) {
  Load load(
      World("<body><freejoint/><geom type='box' size='1 2 3' density='0.5'/>"
            "<geom size='1' mass='3' pos='10 0 0'/></body>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboLinkDesc& link = load.builder->link[0];
  EXPECT_NEAR(link.mass, 27, 1e-13);
  EXPECT_NEAR(link.com.x, 30.0 / 27, 1e-14);
  const double xx = 24 * (16 + 36) / 12.0 + 0.4 * 3;
  const double d0 = 30.0 / 27, d1 = 10 - d0;
  const double yy = 24 * (4 + 36) / 12.0 + 24 * d0 * d0 + 0.4 * 3 + 3 * d1 * d1;
  EXPECT_NEAR(link.inertia[0], xx, 1e-12);
  EXPECT_NEAR(link.inertia[1], yy, 1e-12);
}

TEST(Mjcf, GeomsCountOrNotAsTheCompilerSays) {
  const std::string body =
      "<worldbody><body><freejoint/><inertial mass='9' pos='0 0 0' diaginertia='1 1 1'/>"
      "<geom size='1' mass='3' group='1'/><geom size='1' mass='4' group='2'/></body></worldbody>";
  auto mass = [&body](const char* compiler) {
    Load load(Mujoco(std::string("<compiler ") + compiler + "/>" + body));
    EXPECT_EQ(load.status, TRIBO_OK) << load.message.text;
    return load.builder->link[0].mass;
  };
  EXPECT_EQ(mass(""), 9);
  EXPECT_EQ(mass("inertiafromgeom='false'"), 9);
  EXPECT_EQ(mass("inertiafromgeom='true'"), 7);
  EXPECT_EQ(mass("inertiafromgeom='true' inertiagrouprange='2 5'"), 4);
  EXPECT_EQ(mass("boundmass='10'"), 10);
  EXPECT_DOUBLE_EQ(mass("settotalmass='36'"), 36);
}

TEST(Mjcf, BalanceAndBoundsOfInertia) {
  auto inertia = [](const char* compiler, const char* diagonal, int index) {
    Load load(Mujoco(std::string("<compiler ") + compiler +
                     "/><worldbody><body><freejoint/><inertial mass='1' pos='0 0 0' "
                     "diaginertia='" +
                     diagonal + "'/></body></worldbody>"));
    EXPECT_EQ(load.status, TRIBO_OK) << load.message.text;
    return load.builder->link[0].inertia[index];
  };
  EXPECT_DOUBLE_EQ(inertia("balanceinertia='true'", "1 1 4", 0), 2);
  EXPECT_DOUBLE_EQ(inertia("balanceinertia='true'", "1 1 4", 2), 2);
  EXPECT_DOUBLE_EQ(inertia("boundinertia='0.5'", "0.1 1 1", 0), 0.5);
  // Otherwise the second moments are clipped: S = (2, 2, -1) becomes (2, 2, 0).
  EXPECT_DOUBLE_EQ(inertia("", "1 1 4", 0), 2);
  EXPECT_DOUBLE_EQ(inertia("", "1 1 4", 2), 4);
}

}  // namespace
