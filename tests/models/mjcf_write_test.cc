// SPDX-License-Identifier: Apache-2.0
//
// Writing MJCF and reading it back: the same coordinates, masses and kinematics.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "models/library/library.h"
#include "tests/models/mjcf_text.h"

namespace {

std::string Write(const TriboModel* model, const TriboScene* scene, TriboReport* report = nullptr) {
  char* text = nullptr;
  size_t size = 0;
  FILE* out = open_memstream(&text, &size);
  TriboMessage message;
  EXPECT_EQ(tribo_mjcf_write(model, scene, out, report, &message), TRIBO_OK) << message.text;
  fclose(out);
  std::string result(text, size);
  free(text);
  return result;
}

// Quaternions made unit, as tribo_state_set_q does, so that both models get the same bits.
void SetBoth(Compiled* a, Compiled* b, int sample) {
  const size_t nq = (size_t)tribo_model_nq(a->model), nv = (size_t)tribo_model_nv(a->model);
  std::vector<double> q(nq), v(nv);
  for (size_t i = 0; i < nq; ++i) q[i] = std::sin(1 + 3.7 * (double)i + sample);
  for (size_t i = 0; i < nv; ++i) v[i] = std::cos(2 + 2.3 * (double)i + sample);
  a->Set(q, v);
  b->Set(q, v);
}

void ExpectSame(const std::string& text) {
  Load first(text);
  ASSERT_EQ(first.status, TRIBO_OK) << first.message.text;
  Compiled a(first.builder);
  ASSERT_EQ(a.status, TRIBO_OK);
  const std::string written = Write(a.model, first.scene);
  TriboLoadOptions strict = tribo_load_options_default();
  strict.strict = true;
  Load second(written, strict);
  ASSERT_EQ(second.status, TRIBO_OK) << second.message.text << "\n" << written;
  Compiled b(second.builder);
  ASSERT_EQ(b.status, TRIBO_OK) << written;
  ASSERT_EQ(tribo_model_nq(a.model), tribo_model_nq(b.model)) << written;
  ASSERT_EQ(tribo_model_nv(a.model), tribo_model_nv(b.model));
  EXPECT_EQ(tribo_model_nu(a.model), tribo_model_nu(b.model));
  EXPECT_EQ(tribo_model_total_mass(a.model), tribo_model_total_mass(b.model));
  EXPECT_EQ(tribo_model_count(a.model, TRIBO_KIND_SHAPE),
            tribo_model_count(b.model, TRIBO_KIND_SHAPE));
  EXPECT_EQ(tribo_model_count(a.model, TRIBO_KIND_LOOP),
            tribo_model_count(b.model, TRIBO_KIND_LOOP));
  EXPECT_EQ(tribo_scene_visual_count(first.scene), tribo_scene_visual_count(second.scene));
  for (int i = 0; i < tribo_model_nq(a.model); ++i) {
    EXPECT_NEAR(tribo_state_q(a.state)[i], tribo_state_q(b.state)[i], 1e-15) << i;
  }
  for (int sample = 0; sample < 5; ++sample) {
    SetBoth(&a, &b, sample);
    const std::vector<double> Ma = a.Mass(), Mb = b.Mass(), ba = a.Bias(), bb = b.Bias();
    double scale = 1;
    for (double x : Ma) scale = std::fmax(scale, std::fabs(x));
    for (size_t i = 0; i < Ma.size(); ++i) EXPECT_NEAR(Ma[i], Mb[i], 1e-12 * scale) << i;
    // Gravity and velocities of a few m/s on top of the masses.
    for (size_t i = 0; i < ba.size(); ++i) EXPECT_NEAR(ba[i], bb[i], 1e-12 * 100 * scale) << i;
    TriboLinkDesc link;
    for (int i = 0; tribo_model_link(a.model, i, &link); ++i) {
      if (!link.name[0] || b.Link(link.name) < 0) continue;
      const TriboPose pa = a.Pose(link.name), pb = b.Pose(link.name);
      EXPECT_NEAR(pa.p.x, pb.p.x, 1e-12) << link.name;
      EXPECT_NEAR(pa.p.y, pb.p.y, 1e-12) << link.name;
      EXPECT_NEAR(pa.p.z, pb.p.z, 1e-12) << link.name;
      EXPECT_NEAR(std::fabs(pa.q.w * pb.q.w + pa.q.x * pb.q.x + pa.q.y * pb.q.y + pa.q.z * pb.q.z),
                  1, 1e-12)
          << link.name;
    }
  }
  for (int i = 0; i < tribo_model_nu(a.model); ++i) {
    TriboActuatorDesc ua, ub;
    ASSERT_TRUE(tribo_model_actuator(a.model, i, &ua) && tribo_model_actuator(b.model, i, &ub));
    EXPECT_EQ(ua.type, ub.type);
    EXPECT_DOUBLE_EQ(ua.gear * ua.scale, ub.gear * ub.scale);
    EXPECT_EQ(ua.kp, ub.kp);
    EXPECT_EQ(ua.kd, ub.kd);
    EXPECT_EQ(ua.control_lower, ub.control_lower);
    EXPECT_DOUBLE_EQ(ua.effort_limit, ub.effort_limit);
  }
}

std::string Link(const std::string& name, double mass, const std::string& more = "") {
  return "<link name='" + name +
         "'><inertial><origin xyz='0.1 -0.2 0.3' rpy='0.3 -0.2 0.1'/><mass value='" +
         std::to_string(mass) +
         "'/><inertia ixx='0.5' iyy='0.6' izz='0.7' ixy='0.01' ixz='-0.02' "
         "iyz='0.03'/></inertial>" +
         more + "</link>";
}
std::string Joint(const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& more = "") {
  return "<joint name='" + parent + "_" + child + "' type='" + type + "'><parent link='" + parent +
         "'/><child link='" + child +
         "'/><origin xyz='0.4 0.1 -0.3' rpy='-0.5 0.7 0.2'/><axis xyz='1 2 -2'/>" + more +
         "</joint>";
}

TEST(MjcfWrite, EveryJointTypeOfUrdfComesBackTheSame) {
  ExpectSame("<robot name='all &amp; &lt;more&gt;'>" +
             Link("root", 3,
                  "<collision><geometry><box size='1 2 3'/></geometry></collision>"
                  "<collision><origin xyz='0 0 1' rpy='1 0 0'/><geometry><cylinder radius='0.2' "
                  "length='0.6'/></geometry></collision><visual><geometry><sphere radius='0.3'/>"
                  "</geometry></visual>") +
             Link("hinge", 1) + Link("slide", 2) + Link("fixed", 1.5) + Link("loose", 0.5) +
             Link("flat", 0.75) + Link("ball", 0.25) + "<link name='frame'/>" +
             Joint("revolute", "root", "hinge",
                   "<limit lower='-1' upper='2' effort='7' velocity='3'/>"
                   "<dynamics damping='0.1' friction='0.2'/>") +
             Joint("prismatic", "hinge", "slide",
                   "<limit lower='-1' upper='2' effort='7' velocity='3'/>"
                   "<mimic joint='root_hinge' multiplier='0.5' offset='0.1'/>") +
             Joint("fixed", "slide", "fixed") + Joint("floating", "fixed", "loose") +
             Joint("planar", "root", "flat") + Joint("spherical", "flat", "ball") +
             Joint("fixed", "ball", "frame") +
             "<transmission name='t'><joint name='root_hinge'/><actuator name='motor'>"
             "<mechanicalReduction>50</mechanicalReduction></actuator></transmission></robot>");
}

TEST(MjcfWrite, LimitsComeBackTheSame) {
  Load first(
      World(Simple("a", "<joint name='turn' range='-20 45'/>",
                   Simple("b", "<joint name='ball' type='ball' range='0 70'/>",
                          Simple("c", "<joint name='move' type='slide' range='-1 0.5'/>")))));
  ASSERT_EQ(first.status, TRIBO_OK) << first.message.text;
  Compiled a(first.builder);
  Load second(Write(a.model, first.scene));
  ASSERT_EQ(second.status, TRIBO_OK) << second.message.text;
  Compiled b(second.builder);
  for (const char* name : {"turn", "ball", "move"}) {
    TriboJointDesc from, to;
    ASSERT_TRUE(
        tribo_model_joint(a.model, tribo_model_find(a.model, TRIBO_KIND_JOINT, name), &from));
    ASSERT_TRUE(tribo_model_joint(b.model, tribo_model_find(b.model, TRIBO_KIND_JOINT, name), &to));
    EXPECT_TRUE(from.limited && to.limited) << name;
    EXPECT_EQ(from.type, to.type) << name;
    EXPECT_EQ(from.lower, to.lower) << name;
    EXPECT_EQ(from.upper, to.upper) << name;
  }
}

TEST(MjcfWrite, ScenesOfTheLibraryComeBackTheSame) {
  for (const char* name : {"quadruped-urdf", "quadruped", "grasp", "gripper", "hand", "four-bar"}) {
    SCOPED_TRACE(name);
    char* text = nullptr;
    size_t size = 0;
    FILE* out = open_memstream(&text, &size);
    ASSERT_EQ(tribo_library_write(name, 0, nullptr, out, nullptr), TRIBO_OK);
    fclose(out);
    ExpectSame(std::string(text, size));
    free(text);
  }
}

TEST(MjcfWrite, ActuatorsRefsAndMeshesComeBackTheSame) {
  ExpectSame(
      "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' "
      "face='0 2 1 0 1 3 0 3 2 1 2 3'/></asset>"
      "<worldbody><geom type='plane' size='1 1 1'/><body name='a' pos='1 2 3' euler='10 20 30'>"
      "<joint name='j' axis='1 1 0' pos='0.1 0 0' ref='20' springref='5' stiffness='3'/>"
      "<geom type='mesh' mesh='m'/><geom type='mesh' mesh='m' contype='0' conaffinity='0'/>"
      "<body name='b'><joint name='k' type='slide' ref='0.5'/><geom size='0.1'/></body></body>"
      "</worldbody><actuator><motor joint='j' gear='3' ctrlrange='-1 2' forcerange='-4 4'/>"
      "<position joint='k' kp='5' kv='2' gear='3'/><velocity joint='j' kv='3'/></actuator>"
      "</mujoco>");
}

TEST(MjcfWrite, LinksWithoutMassBetweenJointsBecomeOneBodyWithSeveralJoints) {
  const std::string text =
      "<robot name='r'>" + Link("a", 1) + "<link name='m1'/><link name='m2'/>" + Link("b", 2) +
      Joint("continuous", "a", "m1") + Joint("prismatic", "m1", "m2") +
      "<joint name='last' type='continuous'><parent link='m2'/><child link='b'/>"
      "<origin xyz='0 1 0' rpy='0 0 1'/><axis xyz='0 1 0'/></joint></robot>";
  ExpectSame(text);
  Load load(text);
  Compiled a(load.builder);
  const std::string written = Write(a.model, load.scene);
  EXPECT_EQ(written.find("m1\""), written.find("a_m1\"") + 2) << written;  // no body of that name
}

// Three corners at height 1 and one at 3, 2 m above the origin.
TEST(MjcfWrite, HeightFieldsKeepTheirHeights) {
  Load first(
      "<mujoco><asset><hfield name='h' nrow='2' ncol='2' size='1 1 2 1' "
      "elevation='1 1 3 1'/></asset><worldbody><geom type='hfield' hfield='h' pos='0 0 2'/>"
      "</worldbody></mujoco>");
  ASSERT_EQ(first.status, TRIBO_OK) << first.message.text;
  Compiled a(first.builder);
  Load second(Write(a.model, first.scene));
  ASSERT_EQ(second.status, TRIBO_OK) << second.message.text;
  const TriboShapeDesc &s = first.builder->shape[0], &t = second.builder->shape[0];
  ASSERT_EQ(t.rows, 2);
  EXPECT_EQ(t.pose.p.z, 2);
  for (int i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(s.heights[i], t.heights[i]) << i;
}

TEST(MjcfWrite, WhatMjcfCannotSayIsReported) {
  Load load(
      "<mujoco><worldbody><geom size='1' friction='0.1'/><geom size='1' friction='0.2'/>"
      "</worldbody></mujoco>");
  Compiled a(load.builder);
  TriboReport* report;
  ASSERT_EQ(tribo_report_create(8, nullptr, &report), TRIBO_OK);
  Write(a.model, nullptr, report);
  EXPECT_EQ(tribo_report_count(report), 1);
  tribo_report_destroy(report);
}

}  // namespace
