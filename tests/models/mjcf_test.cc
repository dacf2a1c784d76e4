// SPDX-License-Identifier: Apache-2.0
//
// Every construct of MJCF that is read, with values computed by hand.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include <sys/stat.h>

#include "tests/models/load.h"

namespace {

const double kPi = 3.14159265358979323846;

std::string Mujoco(const std::string& inside) {
  return "<mujoco model='m'>\n" + inside + "</mujoco>";
}
std::string World(const std::string& inside) {
  return Mujoco("<worldbody>" + inside + "</worldbody>");
}
// A body of one kilogram with a joint.
std::string Simple(const std::string& name, const std::string& joint,
                   const std::string& more = "") {
  return "<body name='" + name + "'><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>" + joint +
         more + "</body>";
}
TriboLoadOptions Allowing() {
  TriboLoadOptions options = tribo_load_options_default();
  options.allow_unsupported = true;
  return options;
}
void ExpectQuat(TriboQuat q, double w, double x, double y, double z) {
  const double sign = q.w * w + q.x * x + q.y * y + q.z * z < 0 ? -1 : 1;
  EXPECT_NEAR(q.w, sign * w, 1e-15);
  EXPECT_NEAR(q.x, sign * x, 1e-15);
  EXPECT_NEAR(q.y, sign * y, 1e-15);
  EXPECT_NEAR(q.z, sign * z, 1e-15);
}

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

TEST(Mjcf, WrongJointsAreRefused) {
  EXPECT_EQ(Load(World(Simple("a", "<joint axis='0 0 0'/>"))).status, TRIBO_ERROR_MODEL);
  EXPECT_EQ(Load(World(Simple("a", "<joint range='2 1'/>"))).status, TRIBO_ERROR_MODEL);
  EXPECT_EQ(Load(World(Simple("a", "<joint damping='-1'/>"))).status, TRIBO_ERROR_MODEL);
  EXPECT_EQ(Load(World(Simple("a", "<joint type='screw'/>"))).status, TRIBO_ERROR_PARSE);
  EXPECT_EQ(Load(World(Simple("a", "<freejoint/><joint/>"))).status, TRIBO_ERROR_MODEL);
  EXPECT_EQ(Load(World(Simple("a", "<joint/>", Simple("b", "<freejoint/>")))).status,
            TRIBO_ERROR_MODEL);
  EXPECT_EQ(Load(World(Simple("a", "<joint type='ball' range='0 30'/>"))).status,
            TRIBO_ERROR_UNSUPPORTED);
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

// --- geoms
// ------------------------------------------------------------------------------------------

TEST(Mjcf, EveryPrimitiveBecomesItsShape) {
  Load load(
      World("<geom type='plane' size='0 0 1' pos='0 0 -1'/><geom type='sphere' size='1'/>"
            "<geom type='capsule' size='1 2'/><geom type='box' size='1 2 3'/>"
            "<geom type='cylinder' size='1 2'/><geom type='ellipsoid' size='1 2 3'/>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboShapeType types[] = {TRIBO_SHAPE_PLANE, TRIBO_SHAPE_SPHERE,   TRIBO_SHAPE_CAPSULE,
                                  TRIBO_SHAPE_BOX,   TRIBO_SHAPE_CYLINDER, TRIBO_SHAPE_ELLIPSOID};
  for (int i = 0; i < 6; ++i) {
    const TriboShapeDesc& s = load.builder->shape[i];
    EXPECT_EQ(s.type, types[i]);
    EXPECT_EQ(s.link, TRIBO_WORLD);
    if (i > 1) {
      EXPECT_EQ(s.size[1], 2);
    }
  }
  EXPECT_EQ(load.builder->shape[0].pose.p.z, -1);
}

TEST(Mjcf, FromToGivesPoseAndLength) {
  Load load(
      World("<geom type='capsule' size='0.1' fromto='0 0 0 0 0 2'/>"
            "<geom type='box' size='0.1' fromto='1 0 0 5 0 0'/>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboShapeDesc* s = load.builder->shape;
  EXPECT_EQ(s[0].size[0], 0.1);
  EXPECT_EQ(s[0].size[1], 1);
  EXPECT_EQ(s[0].pose.p.z, 1);
  EXPECT_EQ(s[1].size[0], 0.1);
  EXPECT_EQ(s[1].size[1], 0.1);
  EXPECT_EQ(s[1].size[2], 2);
  EXPECT_EQ(s[1].pose.p.x, 3);
  EXPECT_EQ(Load(World("<geom type='sphere' size='1' fromto='0 0 0 1 0 0'/>")).status,
            TRIBO_ERROR_MODEL);
  EXPECT_EQ(Load(World("<geom type='capsule' size='1' fromto='1 0 0 1 0 0'/>")).status,
            TRIBO_ERROR_MODEL);
}

TEST(Mjcf, ContypeAndConaffinityAreGroupAndMaskAndNeitherIsForViewing) {
  Load load(
      World("<geom size='1' contype='2' conaffinity='4'/>"
            "<geom size='1' contype='0' conaffinity='0' rgba='1 0 0 1'/>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  ASSERT_EQ(tribo_builder_count(load.builder, TRIBO_KIND_SHAPE), 1);
  EXPECT_EQ(load.builder->shape[0].group, 2u);
  EXPECT_EQ(load.builder->shape[0].mask, 4u);
  ASSERT_EQ(tribo_scene_visual_count(load.scene), 1);
  EXPECT_EQ(tribo_scene_visual(load.scene, 0)->rgba[0], 1);
}

// The friction of the pair of materials that two shapes have, as the builder was told.
double PairFriction(const TriboBuilder* b, int s0, int s1) {
  const int m0 = b->shape[s0].material, m1 = b->shape[s1].material;
  double friction = m0 == m1 ? b->material[m0].friction : -1;
  for (int i = 0; i < b->pair_count; ++i) {
    const TriboMaterialPair& p = b->pair[i];
    if ((p.material0 == m0 && p.material1 == m1) || (p.material0 == m1 && p.material1 == m0)) {
      friction = p.desc.friction;
    }
  }
  return friction;
}

TEST(Mjcf, FrictionCombinesByTheLargerOrByPriority) {
  Load load(
      World("<geom size='1' friction='0.2'/><geom size='1' friction='0.7'/>"
            "<geom size='1' friction='0.1' priority='1'/><geom size='1' condim='1'/>"
            "<geom size='1' friction='0.2'/>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(PairFriction(load.builder, 0, 1), 0.7);
  EXPECT_EQ(PairFriction(load.builder, 1, 2), 0.1);
  EXPECT_EQ(PairFriction(load.builder, 0, 3), 1);  // condim 3 of the two, friction 1 by default
  EXPECT_EQ(PairFriction(load.builder, 3, 3), 0);
  EXPECT_EQ(load.builder->shape[0].material, load.builder->shape[4].material);
}

TEST(Mjcf, PlanesOnStaticBodiesStandInTheWorldAndOthersAreRefused) {
  Load load(
      World("<body pos='0 0 1'><body pos='0 0 2'><geom type='plane' size='1 1 1'/></body></body>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(load.builder->shape[0].link, TRIBO_WORLD);
  EXPECT_EQ(load.builder->shape[0].pose.p.z, 3);
  EXPECT_EQ(Load(World("<body><joint/><geom type='plane' size='1 1 1'/></body>")).status,
            TRIBO_ERROR_MODEL);
}

// --- assets
// -----------------------------------------------------------------------------------------

// A right tetrahedron with legs 1 in the XML: hull of 4 points, volume 1/6, centre (1/4, 1/4, 1/4),
// scaled by 2.
TEST(Mjcf, MeshesInTheXmlAreHullsAndWeigh) {
  Load load(
      Mujoco("<asset><mesh name='t' vertex='0 0 0 1 0 0 0 1 0 0 0 1' "
             "face='0 2 1 0 1 3 0 3 2 1 2 3' scale='2 2 2'/></asset>"
             "<worldbody><body><freejoint/><geom type='mesh' mesh='t' density='6'/></body>"
             "</worldbody>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(load.builder->shape[0].type, TRIBO_SHAPE_HULL);
  ASSERT_EQ(load.builder->shape[0].vertex_count, 4);
  EXPECT_EQ(load.builder->shape[0].vertices[3], 2);
  const TriboLinkDesc& link = load.builder->link[0];
  EXPECT_NEAR(link.mass, 8, 1e-14);  // 6 * 2^3 / 6
  EXPECT_NEAR(link.com.x, 0.5, 1e-15);
  // About the corner: integral of x^2 = V a^2 / 10, so I_xx = m a^2 / 5; less m (0.5^2 + 0.5^2).
  EXPECT_NEAR(link.inertia[0], 8 * 4 / 5.0 - 8 * 0.5, 1e-13);
  // Integral of x y = V a^2 / 20; about the centre of mass it is -I_xy.
  EXPECT_NEAR(link.inertia[3], -(8 * 4 / 20.0 - 8 * 0.25), 1e-14);
}

class MjcfFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = TestFolder();
    ASSERT_EQ(mkdir((folder_ + "/assets").c_str(), 0700), 0);
  }
  Load At(const std::string& text, TriboLoadOptions options = tribo_load_options_default()) {
    WriteFile(folder_ + "/m.xml", text);
    return Load::File(folder_ + "/m.xml", options);
  }
  std::string folder_;
};

TEST_F(MjcfFiles, MeshFilesAreFoundInMeshdirAndNamedByTheirFile) {
  WriteFile(folder_ + "/assets/thing.obj",
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const std::string rest =
      "<asset><mesh file='thing.obj' refpos='0 0 1'/></asset>"
      "<worldbody><geom type='mesh' mesh='thing'/></worldbody>";
  Load load = At(Mujoco("<compiler meshdir='assets'/>" + rest));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  double least = 1;
  for (int i = 0; i < 4; ++i) least = std::fmin(least, load.builder->shape[0].vertices[3 * i + 2]);
  EXPECT_EQ(least, -1);
  EXPECT_EQ(At(Mujoco("<compiler assetdir='assets'/>" + rest)).status, TRIBO_OK);
  Load missing = At(Mujoco(rest));
  EXPECT_EQ(missing.status, TRIBO_ERROR_FILE);
  EXPECT_EQ(missing.message.line, 2);
  EXPECT_EQ(At(Mujoco("<compiler meshdir='../x'/>" + rest)).status, TRIBO_ERROR_FILE);
}

// Rows in the XML go from far (greatest y) to near; heights are normalized to the elevation.
TEST(Mjcf, HeightFieldsInTheXmlAreNormalizedAndTurnedRound) {
  Load load(
      Mujoco("<asset><hfield name='h' nrow='2' ncol='3' size='3 2 5 1' "
             "elevation='1 2 3  -1 0 1'/></asset>"
             "<worldbody><geom type='hfield' hfield='h' pos='0 0 7'/></worldbody>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboShapeDesc& s = load.builder->shape[0];
  EXPECT_EQ(s.type, TRIBO_SHAPE_HEIGHT_FIELD);
  EXPECT_EQ(s.rows, 2);
  EXPECT_EQ(s.columns, 3);
  EXPECT_EQ(s.size[0], 3);
  EXPECT_EQ(s.size[1], 2);
  EXPECT_EQ(s.pose.p.z, 7);
  const double expected[] = {0, 1.25, 2.5, 2.5, 3.75, 5};
  for (int i = 0; i < 6; ++i) EXPECT_DOUBLE_EQ(s.heights[i], expected[i]) << i;
}

TEST_F(MjcfFiles, HeightFieldsInBinaryFilesHaveRowZeroNear) {
  std::string bytes;
  auto put = [&bytes](const void* p) { bytes.append((const char*)p, 4); };
  const int32_t size[2] = {2, 2};
  const float heights[4] = {0, 1, 2, 4};
  put(&size[0]), put(&size[1]);
  for (float h : heights) put(&h);
  WriteFile(folder_ + "/h.bin", bytes);
  const std::string text = Mujoco(
      "<asset><hfield name='h' file='h.bin' size='1 1 1 1'/></asset>"
      "<worldbody><geom type='hfield' hfield='h'/></worldbody>");
  {
    Load load = At(text);
    ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
    EXPECT_DOUBLE_EQ(load.builder->shape[0].heights[1], 0.25);
    EXPECT_DOUBLE_EQ(load.builder->shape[0].heights[2], 0.5);
  }
  WriteFile(folder_ + "/h.bin", bytes.substr(0, 20));
  EXPECT_EQ(At(text).status, TRIBO_ERROR_PARSE);
  WriteFile(folder_ + "/h.bin", "\x89PNG....");
  EXPECT_EQ(At(text).status, TRIBO_ERROR_PARSE);
}

// Reds 1 2 on top, 3 4 below: the top row is the far one.
TEST_F(MjcfFiles, HeightFieldsInImagesHaveTheFarRowOnTop) {
  const char image[] =
      "\211\120\116\107\015\012\032\012\000\000\000\015\111\110\104\122\000\000\000\002\000\000\000"
      "\002"
      "\010\002\000\000\000\375\324\232\163\000\000\000\007\111\104\101\124\170\234\143\141\144\140"
      "\000"
      "\213\136\006\360\000\000\000\007\111\104\101\124\042\026\046\116\116\040\005\156\133\227\132"
      "\000"
      "\000\000\005\111\104\101\124\000\000\331\000\040\365\272\167\276\000\000\000\000\111\105\116"
      "\104"
      "\256\102\140\202";
  WriteFile(folder_ + "/h.png", std::string(image, sizeof image - 1));
  Load load =
      At(Mujoco("<asset><hfield name='h' file='h.png' size='1 1 3 1'/></asset>"
                "<worldbody><geom type='hfield' hfield='h'/></worldbody>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const double expected[] = {2, 3, 0, 1};
  for (int i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(load.builder->shape[0].heights[i], expected[i]);
}

TEST_F(MjcfFiles, IncludesStandInTheirPlaceOnceAndWithTheirOwnLines) {
  WriteFile(folder_ + "/part.xml",
            "<mujocoinclude>\n<body name='b'><geom size='1'/></body>\n"
            "<geom size='1' wrong='1'/></mujocoinclude>");
  const std::string twice = "<include file='part.xml'/>";
  {
    Load load = At(World(twice + "<geom name='after' size='1'/>"));
    ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
    EXPECT_STREQ(load.builder->link[0].name, "b");
    EXPECT_STREQ(load.builder->shape[2].name, "after");
    const TriboReportEntry* entry = load.Entry("geom@wrong");
    ASSERT_NE(entry, nullptr) << load.Report();
    EXPECT_EQ(entry->line, 3);
    EXPECT_NE(std::string(entry->file).find("part.xml"), std::string::npos);
  }
  EXPECT_EQ(At(World(twice + twice)).status, TRIBO_ERROR_MODEL);
  EXPECT_EQ(At(World("<include file='m.xml'/>")).status, TRIBO_ERROR_MODEL);  // a cycle
  EXPECT_EQ(At(World("<include file='none.xml'/>")).status, TRIBO_ERROR_FILE);
  EXPECT_EQ(At(World("<include file='../../etc/passwd'/>")).status, TRIBO_ERROR_FILE);
  EXPECT_EQ(At(World("<include/>")).status, TRIBO_ERROR_PARSE);
}

// --- contact
// ----------------------------------------------------------------------------------------

TEST(Mjcf, ExclusionsNameBodies) {
  Load load(Mujoco("<worldbody>" + Simple("a", "<freejoint/>") + Simple("b", "<freejoint/>") +
                   "</worldbody><contact><exclude body1='a' body2='b'/>"
                   "<exclude body1='world' body2='b'/></contact>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  ASSERT_EQ(load.builder->exclusion_count, 2);
  EXPECT_EQ(load.builder->exclusion[0].link1, 1);
  EXPECT_EQ(load.builder->exclusion[1].link0, TRIBO_WORLD);
}

TEST(Mjcf, NamedPairsTouchWithTheirOwnFrictionAndNobodyElseDoes) {
  Load load(
      Mujoco("<worldbody><geom name='a' size='1' contype='0' conaffinity='0'/><body><freejoint/>"
             "<geom name='b' size='1' contype='0' conaffinity='0'/></body>"
             "<body><freejoint/><geom name='c' size='1'/></body></worldbody>"
             "<contact><pair geom1='a' geom2='b' friction='0.3' condim='3'/></contact>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboShapeDesc* s = load.builder->shape;
  ASSERT_EQ(tribo_builder_count(load.builder, TRIBO_KIND_SHAPE), 3);
  auto touch = [s](int i, int j) { return (s[i].group & s[j].mask) || (s[j].group & s[i].mask); };
  EXPECT_TRUE(touch(0, 1));
  EXPECT_FALSE(touch(0, 2));
  EXPECT_FALSE(touch(1, 2));
  EXPECT_EQ(PairFriction(load.builder, 0, 1), 0.3);
}

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

// --- sensors, keyframes, losses
// ----------------------------------------------------------------------

TEST(Mjcf, SensorsThatTriboHasAreListed) {
  Load load(Mujoco("<worldbody>" +
                   Simple("a", "<joint name='j'/>", "<site name='s' pos='0 0 1'/>") +
                   "</worldbody><sensor><jointpos name='p' joint='j'/><gyro site='s'/>"
                   "<framepos objtype='xbody' objname='a'/><touch site='s'/>"
                   "<framequat objtype='site' objname='s' reftype='site' refname='s'/></sensor>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  ASSERT_EQ(tribo_scene_sensor_count(load.scene), 3);
  EXPECT_STREQ(tribo_scene_sensor(load.scene, 0)->name, "p");
  EXPECT_EQ(tribo_scene_sensor(load.scene, 0)->joint, 0);
  EXPECT_EQ(tribo_scene_sensor(load.scene, 1)->type, TRIBO_SENSOR_GYRO);
  EXPECT_EQ(tribo_scene_sensor(load.scene, 1)->frame, 0);
  EXPECT_EQ(tribo_scene_sensor(load.scene, 2)->frame, 1);
  EXPECT_EQ(load.builder->frame[1].link, 0);
  EXPECT_EQ(load.Count(TRIBO_REPORT_UNUSED), 2);
}

// A hinge about z at the origin, turned by 90 degrees at 2 rad/s; the site is at x = 1 of the body:
// at (0, 1, 0) of the world, moving along -x at 2 m/s, which is its own y.
TEST(Mjcf, SensorsSayWhatTheStateIs) {
  Load load(Mujoco("<compiler angle='radian'/><worldbody>" +
                   Simple("a", "<joint name='j' axis='0 0 1'/>", "<site name='s' pos='1 0 0'/>") +
                   Simple("b", "<joint name='k' type='ball'/>") +
                   "</worldbody><sensor><jointpos joint='j'/><jointvel joint='j'/>"
                   "<ballquat joint='k'/><ballangvel joint='k'/><gyro site='s'/>"
                   "<velocimeter site='s'/><framepos objtype='site' objname='s'/>"
                   "<framequat objtype='site' objname='s'/>"
                   "<framelinvel objtype='site' objname='s'/>"
                   "<frameangvel objtype='site' objname='s'/><accelerometer site='s'/></sensor>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  Compiled c(load.builder);
  c.Set({kPi / 2, 0, 1, 0, 0}, {2, 0.5, 0.25, 0});
  const double h = std::sqrt(0.5);
  const std::vector<std::vector<double>> expected = {
      {kPi / 2}, {2},       {0, 1, 0, 0}, {0.5, 0.25, 0}, {0, 0, 2},
      {0, 2, 0}, {0, 1, 0}, {h, 0, 0, h}, {-2, 0, 0},     {0, 0, 2}};
  ASSERT_EQ(tribo_scene_sensor_count(load.scene), 11);
  for (int i = 0; i < 10; ++i) {
    double values[4];
    int count = 0;
    ASSERT_EQ(tribo_sensor_read(tribo_scene_sensor(load.scene, i), c.model, c.state, c.workspace,
                                values, &count),
              TRIBO_OK)
        << i;
    ASSERT_EQ(count, (int)expected[(size_t)i].size()) << i;
    for (int k = 0; k < count; ++k) {
      EXPECT_NEAR(values[k], expected[(size_t)i][(size_t)k], 1e-15) << i << " " << k;
    }
  }
  double values[4];
  int count;
  // No step has been made whose acceleration it could tell.
  EXPECT_EQ(tribo_sensor_read(tribo_scene_sensor(load.scene, 10), c.model, c.state, c.workspace,
                              values, &count),
            TRIBO_ERROR_ARGUMENT);
  TriboSensor wrong = {"", TRIBO_SENSOR_JOINT_POSITION, 7, -1};
  EXPECT_EQ(tribo_sensor_read(&wrong, c.model, c.state, c.workspace, values, &count),
            TRIBO_ERROR_ARGUMENT);
}

// A hand that the file fixes to the world can fall; a table, which carries no joint, stays, and
// keys are the file's.
TEST(Mjcf, ARootThatIsFixedInTheFileCanBeFreed) {
  const std::string text = Mujoco(
      "<worldbody><body name='table'><geom size='1'/></body>"
      "<body name='palm' pos='1 2 3' quat='0 0 0 1'><geom size='0.1' mass='2'/>"
      "<body name='finger'><joint name='j'/><geom size='0.1' mass='1'/></body></body></worldbody>"
      "<keyframe><key qpos='0.5' qvel='0.25'/></keyframe>");
  TriboLoadOptions options = tribo_load_options_default();
  Load fixed(text, options);
  EXPECT_EQ(Compiled(fixed.builder).Mass().size(), 1u);
  options.root = TRIBO_ROOT_FREE;
  Load load(text, options);
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  Compiled c(load.builder);
  ASSERT_EQ(tribo_model_nq(c.model), 8);
  const TriboKeyframe* key = tribo_scene_key(load.scene, 0);
  const double q[] = {1, 2, 3, 0, 0, 0, 1, 0.5}, v[] = {0, 0, 0, 0, 0, 0, 0.25};
  ASSERT_EQ(key->nq, 8);
  ASSERT_EQ(key->nv, 7);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(key->q[i], q[i]) << i;
  for (int i = 0; i < 7; ++i) EXPECT_EQ(key->v[i], v[i]) << i;
  EXPECT_NEAR(c.Mass()[0], 3, 1e-12);  // palm and finger, but not the table
}

// The same hinge: its site is held on a circle of 1 m by -w^2 along its own x, and against gravity.
// The other body rests on its joint.
TEST(Mjcf, AccelerometersSayTheSpecificForceOfTheLastStep) {
  Load load(Mujoco("<worldbody>" +
                   Simple("a", "<joint name='j' axis='0 0 1'/>", "<site name='s' pos='1 0 0'/>") +
                   Simple("b", "<joint name='k' axis='0 0 1'/>", "<site name='r'/>") +
                   "</worldbody><sensor><accelerometer site='s'/><accelerometer site='r'/>"
                   "</sensor>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  Compiled c(load.builder);
  c.Set({kPi / 2, 0}, {2, 0});
  ASSERT_EQ(tribo_step(c.model, nullptr, nullptr, c.state, c.workspace), TRIBO_OK);
  const double expected[2][3] = {{-4, 0, 9.81}, {0, 0, 9.81}};
  for (int i = 0; i < 2; ++i) {
    double values[4];
    int count = 0;
    ASSERT_EQ(tribo_sensor_read(tribo_scene_sensor(load.scene, i), c.model, c.state, c.workspace,
                                values, &count),
              TRIBO_OK);
    ASSERT_EQ(count, 3);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(values[k], expected[i][k], 1e-12) << i << " " << k;
  }
}

TEST(Mjcf, KeyframesAreInTheModelsOrder) {
  const std::string model =
      "<compiler angle='radian'/><worldbody><body pos='0 0 1'><freejoint/><geom size='1'/>"
      "<body><joint name='j' ref='0.5'/><geom size='1'/></body></body></worldbody>"
      "<actuator><motor joint='j'/></actuator>";
  Load load(Mujoco(model + "<keyframe><key name='up' time='2' qpos='1 2 3 0 1 0 0 4' ctrl='5'/>"
                           "<key qvel='1 2 3 4 5 6 7'/></keyframe>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  ASSERT_EQ(tribo_scene_key_count(load.scene), 2);
  const TriboKeyframe* key = tribo_scene_key(load.scene, 0);
  EXPECT_STREQ(key->name, "up");
  EXPECT_EQ(key->time, 2);
  EXPECT_EQ(key->nq, 8);
  EXPECT_EQ(key->q[4], 1);
  EXPECT_EQ(key->q[7], 4);
  EXPECT_EQ(key->v[6], 0);
  EXPECT_EQ(key->control[0], 5);
  // What is left out is as the file places it.
  const TriboKeyframe* rest = tribo_scene_key(load.scene, 1);
  EXPECT_EQ(rest->q[2], 1);
  EXPECT_EQ(rest->q[3], 1);
  EXPECT_EQ(rest->q[7], 0.5);
  EXPECT_EQ(rest->v[6], 7);
  EXPECT_EQ(Load(Mujoco(model + "<keyframe><key qpos='1 2'/></keyframe>")).status,
            TRIBO_ERROR_MODEL);
}

TEST(Mjcf, EveryLossIsListedWithItsLineAndWhy) {
  const std::string text = Mujoco(
      "<visual/>\n<asset><material name='m'/></asset>\n"
      "<worldbody><light/>\n<geom size='1' solref='0.1 1' margin='0.1' whatever='1'/>"
      "</worldbody><custom><text name='x'/></custom><nonsense/>");
  Load load(text);
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(tribo_report_count(load.report), 8) << load.Report();
  const TriboReportEntry* soft = load.Entry("geom@solref");
  ASSERT_NE(soft, nullptr);
  EXPECT_EQ(soft->line, 5);
  EXPECT_NE(std::string(soft->text).find("rigid"), std::string::npos);
  ASSERT_NE(load.Entry("mujoco/nonsense"), nullptr);
  TriboLoadOptions strict = tribo_load_options_default();
  strict.strict = true;
  EXPECT_EQ(Load(text, strict).status, TRIBO_ERROR_UNSUPPORTED);
  EXPECT_EQ(Load(World("<geom size='1'/>"), strict).status, TRIBO_OK);
}

TEST(Mjcf, HostileFilesAreErrorsWithALine) {
  const struct {
    const char* what;
    std::string text;
    TriboStatus status;
  } cases[] = {
      {"truncated", "<mujoco><worldbody><body>", TRIBO_ERROR_PARSE},
      {"duplicate bodies", World("<body name='a'/><body name='a'/>"), TRIBO_ERROR_MODEL},
      {"duplicate geoms", World("<geom name='a' size='1'/><geom name='a' size='1'/>"),
       TRIBO_ERROR_MODEL},
      {"duplicate joints",
       World(Simple("a", "<joint name='j'/>") + Simple("b", "<joint name='j'/>")),
       TRIBO_ERROR_MODEL},
      {"NaN", World("<body pos='0 nan 0'/>"), TRIBO_ERROR_PARSE},
      {"infinity", World("<geom size='inf'/>"), TRIBO_ERROR_PARSE},
      {"text for a number", World("<geom size='big'/>"), TRIBO_ERROR_PARSE},
      {"two numbers for three", World("<body pos='0 1'/>"), TRIBO_ERROR_PARSE},
      {"four numbers for three", World("<body pos='0 1 2 3'/>"), TRIBO_ERROR_PARSE},
      {"no size", World("<geom type='box' size='1 1'/>"), TRIBO_ERROR_MODEL},
      {"negative size", World("<geom size='-1'/>"), TRIBO_ERROR_MODEL},
      {"negative mass", World("<body><inertial mass='-1' pos='0 0 0'/></body>"), TRIBO_ERROR_MODEL},
      {"negative density", World("<body><geom size='1' density='-1'/></body>"), TRIBO_ERROR_MODEL},
      {"negative friction", World("<geom size='1' friction='-1'/>"), TRIBO_ERROR_MODEL},
      {"condim", World("<geom size='1' condim='2'/>"), TRIBO_ERROR_MODEL},
      {"half a condim", World("<geom size='1' condim='3.5'/>"), TRIBO_ERROR_PARSE},
      {"no mesh", World("<geom type='mesh' mesh='m'/>"), TRIBO_ERROR_MODEL},
      {"flat mesh",
       Mujoco("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0' face='0 1 2'/></asset>"
              "<worldbody><body><freejoint/><geom type='mesh' mesh='m'/></body></worldbody>"),
       TRIBO_ERROR_MODEL},
      {"face beyond the vertices",
       Mujoco("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 9'/></asset>"
              "<worldbody><geom type='mesh' mesh='m'/></worldbody>"),
       TRIBO_ERROR_MODEL},
      {"huge height field",
       Mujoco("<asset><hfield name='h' nrow='100000' ncol='100000' size='1 1 1 1'/></asset>"),
       TRIBO_ERROR_PARSE},
      {"time step", Mujoco("<option timestep='0'/>"), TRIBO_ERROR_MODEL},
      {"unknown word", Mujoco("<compiler angle='gon'/>"), TRIBO_ERROR_PARSE},
      {"global coordinates", Mujoco("<compiler coordinate='global'/>"), TRIBO_ERROR_PARSE},
      {"unknown body", Mujoco("<contact><exclude body1='a' body2='b'/></contact>"),
       TRIBO_ERROR_MODEL},
      {"unknown geom", Mujoco("<contact><pair geom1='a' geom2='b'/></contact>"), TRIBO_ERROR_MODEL},
      {"unknown joint", Mujoco("<actuator><motor joint='j'/></actuator>"), TRIBO_ERROR_MODEL},
      {"unknown site", Mujoco("<sensor><gyro site='s'/></sensor>"), TRIBO_ERROR_MODEL},
      {"entity bomb", "<!DOCTYPE m [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><mujoco model='&b;'/>",
       TRIBO_ERROR_PARSE},
      {"external entity", "<!DOCTYPE m [<!ENTITY a SYSTEM '/etc/passwd'>]><mujoco model='&a;'/>",
       TRIBO_ERROR_PARSE},
  };
  for (const auto& c : cases) {
    Load load(c.text);
    EXPECT_EQ(load.status, c.status) << c.what << ": " << load.message.text;
    EXPECT_GE(load.message.line, 1) << c.what;
    EXPECT_NE(load.message.text[0], '\0') << c.what;
  }
}

TEST(Mjcf, BodiesNestedToTheBoundLoadAndBeyondAreRefused) {
  auto chain = [](int depth) {
    std::string open, close;
    for (int i = 0; i < depth; ++i) {
      open += "<body pos='0 0 1'><joint/><geom size='0.1'/>", close += "</body>";
    }
    return World(open + close);
  };
  Load load(chain(250));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(tribo_builder_count(load.builder, TRIBO_KIND_LINK), 250);
  EXPECT_EQ(Load(chain(1000)).status, TRIBO_ERROR_PARSE);
}

}  // namespace
