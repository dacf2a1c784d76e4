// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <sys/stat.h>

#include "tests/models/load.h"

namespace {

std::string Body(const std::string& name, const std::string& more = "") {
  return "<link name='" + name +
         "'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
         "iyz='0'/></inertial>" +
         more + "</link>\n";
}

std::string Joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& more = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent +
         "'/><child link='" + child + "'/>" + more + "</joint>\n";
}

std::string Robot(const std::string& inside) { return "<robot name='r'>\n" + inside + "</robot>"; }

TEST(Urdf, InertialFrameTurnsTheInertiaAndMovesTheCentre) {
  Load load(Robot(
      "<link name='a'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
      "<inertia ixx='1' iyy='2' izz='2.5' ixy='0.1' ixz='0.2' iyz='0.3'/></inertial></link>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboLinkDesc& link = load.builder->link[0];
  EXPECT_STREQ(link.name, "a");
  EXPECT_EQ(link.mass, 2);
  EXPECT_EQ(link.com.x, 1);
  EXPECT_EQ(link.com.y, 2);
  EXPECT_EQ(link.com.z, 3);
  double expected[6] = {2, 1, 2.5, -0.1, -0.3, 0.2};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(link.inertia[i], expected[i], 1e-15) << i;
  EXPECT_EQ(load.builder->joint[0].type, TRIBO_JOINT_FREE);
  EXPECT_EQ(tribo_report_count(load.report), 0);
}

TEST(Urdf, EveryJointTypeBecomesItsOwn) {
  const char* types[] = {"revolute", "continuous", "prismatic", "fixed",
                         "floating", "planar",     "spherical"};
  TriboJointType expected[] = {TRIBO_JOINT_HINGE, TRIBO_JOINT_HINGE, TRIBO_JOINT_SLIDE,
                               TRIBO_JOINT_FIXED, TRIBO_JOINT_FREE,  TRIBO_JOINT_PLANAR,
                               TRIBO_JOINT_BALL};
  for (int i = 0; i < 7; ++i) {
    bool limited = i == 0 || i == 2;
    Load load(
        Robot(Body("a") + Body("b") +
              Joint("j", types[i], "a", "b",
                    "<origin xyz='0.1 0.2 0.3' rpy='0 0 3.141592653589793'/><axis xyz='0 3 4'/>"
                    "<limit lower='-1' upper='2' effort='5' velocity='6'/>"
                    "<dynamics damping='0.7' friction='0.8'/>")));
    ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
    ASSERT_EQ(tribo_builder_count(load.builder, TRIBO_KIND_JOINT), 2);
    const TriboJointDesc& d = load.builder->joint[1];
    EXPECT_EQ(d.type, expected[i]) << types[i];
    EXPECT_EQ(d.parent, 0);
    EXPECT_EQ(d.child, 1);
    EXPECT_EQ(d.pose_parent.p.z, 0.3);
    EXPECT_NEAR(std::fabs(d.pose_parent.q.z), 1, 1e-15);
    EXPECT_EQ(d.limited, limited);
    if (limited) {
      EXPECT_EQ(d.lower, -1);
      EXPECT_EQ(d.upper, 2);
    }
    if (i != 3 && i != 4 && i != 6) {
      EXPECT_NEAR(d.axis.y, 0.6, 1e-15);
      EXPECT_NEAR(d.axis.z, 0.8, 1e-15);
    }
    EXPECT_EQ(d.effort_limit, 5);
    EXPECT_EQ(d.velocity_limit, 6);
    EXPECT_EQ(d.damping, 0.7);
    EXPECT_EQ(d.friction, 0.8);
  }
}

TEST(Urdf, TheDefaultAxisIsX) {
  Load load(Robot(Body("a") + Body("b") + Joint("j", "continuous", "a", "b")));
  ASSERT_EQ(load.status, TRIBO_OK);
  EXPECT_EQ(load.builder->joint[1].axis.x, 1);
  EXPECT_EQ(load.builder->joint[1].axis.z, 0);
}

TEST(Urdf, CollisionSizesBecomeHalfLengths) {
  Load load(Robot(
      Body("a",
           "<collision><origin xyz='0 0 1'/><geometry><box size='2 4 6'/></geometry></collision>"
           "<collision><geometry><cylinder radius='0.5' length='3'/></geometry></collision>"
           "<collision><geometry><sphere radius='0.25'/></geometry></collision>"
           "<collision><geometry><capsule radius='0.5' length='3'/></geometry></collision>")));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  ASSERT_EQ(tribo_builder_count(load.builder, TRIBO_KIND_SHAPE), 4);
  const TriboShapeDesc* s = load.builder->shape;
  EXPECT_EQ(s[0].type, TRIBO_SHAPE_BOX);
  EXPECT_EQ(s[0].size[0], 1);
  EXPECT_EQ(s[0].size[1], 2);
  EXPECT_EQ(s[0].size[2], 3);
  EXPECT_EQ(s[0].pose.p.z, 1);
  EXPECT_EQ(s[1].type, TRIBO_SHAPE_CYLINDER);
  EXPECT_EQ(s[1].size[0], 0.5);
  EXPECT_EQ(s[1].size[1], 1.5);
  EXPECT_EQ(s[2].type, TRIBO_SHAPE_SPHERE);
  EXPECT_EQ(s[2].size[0], 0.25);
  EXPECT_EQ(s[3].type, TRIBO_SHAPE_CAPSULE);
  EXPECT_EQ(s[3].size[0], 0.5);
  EXPECT_EQ(s[3].size[1], 1.5);
  EXPECT_EQ(tribo_report_count(load.report), 0);
}

TEST(Urdf, MimicIsAGearAndATransmissionAnActuator) {
  Load load(Robot(Body("a") + Body("b") + Body("c") +
                  Joint("follower", "continuous", "a", "c",
                        "<mimic joint='leader' multiplier='-2' offset='0.5'/>") +
                  Joint("leader", "prismatic", "a", "b",
                        "<limit lower='0' upper='1' effort='9' velocity='1'/>") +
                  "<transmission name='t'><joint name='leader'/><actuator name='motor'>"
                  "<mechanicalReduction>50</mechanicalReduction></actuator></transmission>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  ASSERT_EQ(tribo_builder_count(load.builder, TRIBO_KIND_LOOP), 1);
  const TriboLoopDesc& loop = load.builder->loop[0];
  EXPECT_EQ(loop.type, TRIBO_LOOP_GEAR);
  EXPECT_STREQ(load.builder->joint[loop.joint0].name, "leader");
  EXPECT_STREQ(load.builder->joint[loop.joint1].name, "follower");
  EXPECT_EQ(loop.ratio, -2);
  EXPECT_EQ(loop.offset, 0.5);
  ASSERT_EQ(tribo_builder_count(load.builder, TRIBO_KIND_ACTUATOR), 1);
  const TriboActuatorDesc& motor = load.builder->actuator[0];
  EXPECT_STREQ(motor.name, "motor");
  EXPECT_STREQ(load.builder->joint[motor.joint].name, "leader");
  EXPECT_EQ(motor.gear, 50);
  EXPECT_EQ(motor.effort_limit, 9);
}

TEST(Urdf, ARootNamedWorldIsTheWorld) {
  Load load(Robot("<link name='world'/>" + Body("a") + Joint("j", "fixed", "world", "a")));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  ASSERT_EQ(tribo_builder_count(load.builder, TRIBO_KIND_LINK), 1);
  ASSERT_EQ(tribo_builder_count(load.builder, TRIBO_KIND_JOINT), 1);
  EXPECT_EQ(load.builder->joint[0].parent, TRIBO_WORLD);
  EXPECT_EQ(load.Count(TRIBO_REPORT_WARNING), 0);
}

TEST(Urdf, WrongButCommonThingsWarnAndLoad) {
  // A moving link without mass, a broken inertia, no limits, a zero effort limit.
  Load load(Robot(
      Body("a") + "<link name='empty'/>" +
      "<link name='bad'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='3'/></inertial></link>" +
      Joint("j", "revolute", "a", "empty") +
      Joint("k", "revolute", "a", "bad", "<limit lower='0' upper='1' effort='0' velocity='1'/>")));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(load.Count(TRIBO_REPORT_WARNING), 4);
  EXPECT_EQ(load.builder->link[1].mass, 1e-3);
  EXPECT_NEAR(load.builder->link[2].inertia[0], 1.5, 1e-15);
  EXPECT_FALSE(load.builder->joint[1].limited);
  EXPECT_EQ(load.builder->joint[2].effort_limit, INFINITY);
}

TEST(Urdf, AFrameWeldedToAMassNeedsNone) {
  Load load(Robot("<link name='footprint'/>" + Body("a") + Joint("j", "fixed", "footprint", "a")));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(load.Count(TRIBO_REPORT_WARNING), 0);
  EXPECT_EQ(load.builder->link[0].mass, 0);
  EXPECT_EQ(load.builder->joint[0].type, TRIBO_JOINT_FREE);
  TriboModel* model = nullptr;
  ASSERT_EQ(tribo_model_create(load.builder, nullptr, &model, &load.message), TRIBO_OK)
      << load.message.text;
  EXPECT_EQ(tribo_model_nv(model), 6);
  EXPECT_EQ(tribo_model_total_mass(model), 2);
  tribo_model_destroy(model);
}

TEST(Urdf, StrictTurnsALossIntoAnError) {
  std::string text = Robot(Body("a", "\n<visual/>") + "<gazebo/>");
  Load lax(text);
  EXPECT_EQ(lax.status, TRIBO_OK);
  EXPECT_EQ(tribo_report_count(lax.report), 2);
  TriboLoadOptions options = tribo_load_options_default();
  options.strict = true;
  Load strict(text, options);
  EXPECT_EQ(strict.status, TRIBO_ERROR_UNSUPPORTED);
  EXPECT_EQ(strict.message.line, 3);
  EXPECT_EQ(strict.scene, nullptr);
}

TEST(Urdf, HostileFilesAreErrorsWithALine) {
  struct {
    const char* what;
    std::string text;
    TriboStatus status;
  } cases[] = {
      {"not a robot", "<sdf/>", TRIBO_ERROR_PARSE},
      {"no links", Robot(""), TRIBO_ERROR_MODEL},
      {"nameless link", Robot("<link/>"), TRIBO_ERROR_PARSE},
      {"duplicate links", Robot(Body("a") + Body("a")), TRIBO_ERROR_MODEL},
      {"duplicate joints",
       Robot(Body("a") + Body("b") + Body("c") + Joint("j", "fixed", "a", "b") +
             Joint("j", "fixed", "a", "c")),
       TRIBO_ERROR_MODEL},
      {"NaN mass", Robot("<link name='a'><inertial><mass value='nan'/></inertial></link>"),
       TRIBO_ERROR_PARSE},
      {"negative mass", Robot("<link name='a'><inertial><mass value='-1'/></inertial></link>"),
       TRIBO_ERROR_MODEL},
      {"two numbers", Robot("<link name='a'><inertial><origin xyz='1 2'/></inertial></link>"),
       TRIBO_ERROR_PARSE},
      {"unknown parent", Robot(Body("a") + Joint("j", "fixed", "x", "a")), TRIBO_ERROR_MODEL},
      {"no child", Robot(Body("a") + "<joint name='j' type='fixed'><parent link='a'/></joint>"),
       TRIBO_ERROR_PARSE},
      {"unknown type", Robot(Body("a") + Body("b") + Joint("j", "screw", "a", "b")),
       TRIBO_ERROR_PARSE},
      {"own parent", Robot(Body("a") + Joint("j", "fixed", "a", "a")), TRIBO_ERROR_MODEL},
      {"cycle beside the root",
       Robot(Body("r") + Body("a") + Body("b") + Joint("j", "fixed", "a", "b") +
             Joint("k", "fixed", "b", "a")),
       TRIBO_ERROR_MODEL},
      {"two parents",
       Robot(Body("a") + Body("b") + Body("c") + Joint("j", "fixed", "a", "c") +
             Joint("k", "fixed", "b", "c")),
       TRIBO_ERROR_MODEL},
      {"two roots", Robot(Body("a") + Body("b")), TRIBO_ERROR_MODEL},
      {"zero axis",
       Robot(Body("a") + Body("b") + Joint("j", "continuous", "a", "b", "<axis xyz='0 0 0'/>")),
       TRIBO_ERROR_MODEL},
      {"crossed limits",
       Robot(Body("a") + Body("b") +
             Joint("j", "revolute", "a", "b", "<limit lower='1' upper='0'/>")),
       TRIBO_ERROR_MODEL},
      {"negative size",
       Robot(Body("a", "<collision><geometry><sphere radius='-1'/></geometry></collision>")),
       TRIBO_ERROR_MODEL},
      {"truncated", "<robot name='r'><link name='a'>", TRIBO_ERROR_PARSE},
  };
  for (const auto& c : cases) {
    Load load(c.text);
    EXPECT_EQ(load.status, c.status) << c.what << ": " << load.message.text;
    EXPECT_GE(load.message.line, 1) << c.what;
    EXPECT_NE(load.message.text[0], '\0') << c.what;
    EXPECT_EQ(load.scene, nullptr) << c.what;
  }
}

TEST(Urdf, AMissingFileIsAFileError) {
  TriboScene* scene = nullptr;
  TriboMessage message;
  EXPECT_EQ(tribo_scene_load("no/such.urdf", nullptr, &scene, &message), TRIBO_ERROR_FILE);
  EXPECT_STREQ(message.file, "no/such.urdf");
  EXPECT_EQ(scene, nullptr);
}

TEST(Urdf, AnEmptyLinkBetweenTwoJointsStaysWithoutMass) {
  Load load(Robot(Body("a") + "<link name='cross'/>" + Body("b") +
                  Joint("first", "continuous", "a", "cross") +
                  Joint("second", "continuous", "cross", "b", "<axis xyz='0 1 0'/>")));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(load.Count(TRIBO_REPORT_WARNING), 0);
  EXPECT_EQ(load.builder->link[1].mass, 0);
  EXPECT_EQ(tribo_model_nv(Compiled(load.builder).model), 8);
}

TEST(Urdf, RevoluteWithoutLowerAndUpperIsUnlimitedWithAWarning) {
  Load load(Robot(Body("a") + Body("b") +
                  Joint("j", "revolute", "a", "b", "<limit effort='5' velocity='6'/>")));
  ASSERT_EQ(load.status, TRIBO_OK);
  EXPECT_FALSE(load.builder->joint[1].limited);
  EXPECT_EQ(load.Count(TRIBO_REPORT_WARNING), 1);
}

// Bullet's extension: of a link's surface. Its rolling and spinning friction are torques per normal
// force, 0.01 = mu 0.5 times 0.02.
TEST(Urdf, ContactGivesTheLinkItsMaterial) {
  Load load(Robot(Body("a",
                       "<contact><lateral_friction value='0.5'/><rolling_friction value='0.01'/>"
                       "<spinning_friction value='0.005'/><restitution value='0.25'/>"
                       "<stiffness value='1e4'/><damping value='10'/><friction_anchor/></contact>"
                       "<collision><geometry><sphere radius='2'/></geometry></collision>")));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  Compiled c(load.builder);
  TriboShapeDesc shape;
  TriboMaterialDesc d;
  ASSERT_TRUE(tribo_model_shape(c.model, 0, &shape));
  ASSERT_TRUE(tribo_model_material(c.model, shape.material, &d));
  EXPECT_EQ(d.friction, 0.5);
  EXPECT_EQ(d.rolling, 0.02);
  EXPECT_EQ(d.torsional, 0.01);
  EXPECT_EQ(d.restitution, 0.25);
  EXPECT_EQ(load.Count(TRIBO_REPORT_UNUSED), 3) << load.Report();
  EXPECT_EQ(load.Count(TRIBO_REPORT_UNSUPPORTED), 0) << load.Report();
  Load bad(Robot(Body("a", "<contact><restitution value='1.5'/></contact>")));
  EXPECT_EQ(bad.status, TRIBO_ERROR_MODEL);
  EXPECT_NE(std::string(bad.message.text).find("restitution"), std::string::npos);
}

TEST(Urdf, VisualsAreKeptWithTheirColours) {
  Load load(
      Robot("<material name='red'><color rgba='1 0 0 0.5'/></material><material name='unused'/>" +
            Body("a",
                 "<visual><origin xyz='1 2 3'/><geometry><sphere radius='2'/></geometry>"
                 "<material name='red'/></visual>"
                 "<visual><geometry><box size='1 1 1'/></geometry>"
                 "<material name='own'><color rgba='0 1 0 1'/></material></visual>")));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(tribo_builder_count(load.builder, TRIBO_KIND_SHAPE), 0);
  ASSERT_EQ(tribo_scene_visual_count(load.scene), 2);
  const TriboVisual* ball = tribo_scene_visual(load.scene, 0);
  EXPECT_EQ(ball->shape.type, TRIBO_SHAPE_SPHERE);
  EXPECT_EQ(ball->shape.pose.p.y, 2);
  EXPECT_EQ(ball->rgba[0], 1);
  EXPECT_EQ(ball->rgba[3], 0.5);
  EXPECT_EQ(tribo_scene_visual(load.scene, 1)->rgba[1], 1);
  EXPECT_EQ(tribo_scene_visual(load.scene, 2), nullptr);
  EXPECT_EQ(tribo_report_count(load.report), 0) << load.Report();
}

// --- mesh files
// ------------------------------------------------------------------------------------

const char kTetrahedron[] =
    "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

std::string MeshRobot(const std::string& file, const std::string& as = "collision") {
  return Robot(Body("a", "<" + as + "><geometry><mesh filename='" + file +
                             "' scale='2 2 2'/></geometry></" + as + ">"));
}

class UrdfMesh : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = TestFolder();
    for (const char* name : {"/pkg", "/pkg/urdf", "/pkg/meshes", "/other"}) {
      ASSERT_EQ(mkdir((folder_ + name).c_str(), 0700), 0);
    }
    WriteFile(folder_ + "/pkg/meshes/t.obj", kTetrahedron);
    WriteFile(folder_ + "/pkg/urdf/t.obj", kTetrahedron);
    WriteFile(folder_ + "/other/o.obj", kTetrahedron);
  }
  Load At(const std::string& file, TriboLoadOptions options = tribo_load_options_default()) {
    WriteFile(folder_ + "/pkg/urdf/r.urdf", MeshRobot(file));
    return Load::File(folder_ + "/pkg/urdf/r.urdf", options);
  }
  std::string folder_;
};

TEST_F(UrdfMesh, BesideTheFileIsAScaledHull) {
  Load load = At("t.obj");
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboShapeDesc& shape = load.builder->shape[0];
  EXPECT_EQ(shape.type, TRIBO_SHAPE_HULL);
  ASSERT_EQ(shape.vertex_count, 4);
  double most = 0;
  for (int i = 0; i < 12; ++i) most = std::fmax(most, shape.vertices[i]);
  EXPECT_EQ(most, 6);
}

TEST_F(UrdfMesh, PackagesAreFoundAboveTheFileAndOnTheSearchPath) {
  EXPECT_EQ(At("package://pkg/meshes/t.obj").status, TRIBO_OK);
  EXPECT_EQ(At("package://other/o.obj").status, TRIBO_ERROR_FILE);
  TriboLoadOptions options = tribo_load_options_default();
  const std::string inside = folder_ + "/other";
  const char* paths[] = {folder_.c_str()};
  options.search_paths = paths;
  options.search_path_count = 1;
  EXPECT_EQ(At("package://other/o.obj", options).status, TRIBO_OK);
  paths[0] = inside.c_str();
  EXPECT_EQ(At("package://other/o.obj", options).status, TRIBO_OK);
  EXPECT_EQ(At("o.obj", options).status, TRIBO_OK);
}

TEST_F(UrdfMesh, EscapesNeedThePermission) {
  TriboLoadOptions allow = tribo_load_options_default();
  allow.allow_path_escape = true;
  for (const std::string& name :
       {std::string("../meshes/t.obj"), folder_ + "/pkg/meshes/t.obj",
        "file://" + folder_ + "/pkg/meshes/t.obj", std::string("x/../../meshes/t.obj"),
        std::string("package://pkg/../other/../../etc/passwd")}) {
    Load load = At(name);
    EXPECT_EQ(load.status, TRIBO_ERROR_FILE) << name;
  }
  EXPECT_EQ(At("../meshes/t.obj", allow).status, TRIBO_OK);
  EXPECT_EQ(At(folder_ + "/pkg/meshes/t.obj", allow).status, TRIBO_OK);
  EXPECT_EQ(At("file://" + folder_ + "/pkg/meshes/t.obj", allow).status, TRIBO_OK);
}

TEST_F(UrdfMesh, MissingIsAnErrorWhereItCollidesAndALossWhereItIsSeen) {
  Load collides = At("none.obj");
  EXPECT_EQ(collides.status, TRIBO_ERROR_FILE);
  EXPECT_GE(collides.message.line, 1);
  WriteFile(folder_ + "/pkg/urdf/v.urdf", MeshRobot("none.obj", "visual"));
  Load seen = Load::File(folder_ + "/pkg/urdf/v.urdf");
  ASSERT_EQ(seen.status, TRIBO_OK) << seen.message.text;
  EXPECT_EQ(seen.Count(TRIBO_REPORT_UNUSED), 1);
  EXPECT_EQ(tribo_scene_visual_count(seen.scene), 0);
}

TEST_F(UrdfMesh, AFormatThatIsNotReadIsAnErrorUnlessLossesAreAllowed) {
  WriteFile(folder_ + "/pkg/urdf/x.dae", "<COLLADA/>");
  EXPECT_EQ(At("x.dae").status, TRIBO_ERROR_UNSUPPORTED);
  TriboLoadOptions options = tribo_load_options_default();
  options.allow_unsupported = true;
  Load load = At("x.dae", options);
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(load.Count(TRIBO_REPORT_UNSUPPORTED), 1);
}

}  // namespace
