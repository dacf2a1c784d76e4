// SPDX-License-Identifier: Apache-2.0
//
// The scenes that ship: every one loads without a loss, and is what its page says.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "models/library/library.h"
#include "tests/models/load.h"

namespace {

std::string Scene(const char* name, const std::vector<const char*>& settings = {}) {
  char* text = nullptr;
  size_t size = 0;
  FILE* out = open_memstream(&text, &size);
  TriboMessage message;
  EXPECT_EQ(tribo_library_write(name, (int)settings.size(), settings.data(), out, &message),
            TRIBO_OK)
      << message.text;
  fclose(out);
  std::string result(text, size);
  free(text);
  return result;
}

TEST(LibraryScenes, EverySceneLoadsStrictlyAndCompiles) {
  TriboLoadOptions strict = tribo_load_options_default();
  strict.strict = true;
  for (int i = 0; tribo_library_scene(i); ++i) {
    const char* name = tribo_library_scene(i)->name;
    Load load(Scene(name), strict);
    ASSERT_EQ(load.status, TRIBO_OK) << name << ": " << load.message.text;
    EXPECT_EQ(tribo_report_count(load.report), 0) << name << "\n" << load.Report();
    Compiled compiled(load.builder);
    EXPECT_EQ(compiled.status, TRIBO_OK) << name;
  }
}

TEST(LibraryScenes, QuadrupedHasItsMassesAndStandsOnItsFeet) {
  for (const char* terrain : {"terrain=0", "terrain=1"}) {
    Load load(Scene("quadruped", {terrain}));
    ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
    Compiled c(load.builder);
    EXPECT_EQ(tribo_model_nv(c.model), 18);
    EXPECT_EQ(tribo_model_nu(c.model), 12);
    EXPECT_NEAR(tribo_model_total_mass(c.model), 26.2, 1e-12);
    const TriboKeyframe* home = tribo_scene_key(load.scene, 0);
    ASSERT_NE(home, nullptr);
    c.Set(std::vector<double>(home->q, home->q + home->nq), std::vector<double>(18));
    for (const char* foot : {"FL_foot", "FR_foot", "RL_foot", "RR_foot"}) {
      TriboPose pose;
      const int frame = tribo_model_find(c.model, TRIBO_KIND_FRAME, foot);
      ASSERT_EQ(tribo_frame_pose(c.model, c.state, c.workspace, frame, &pose), TRIBO_OK);
      EXPECT_NEAR(pose.p.z, 0.025 - 1e-6, 1e-15) << foot;
      EXPECT_NEAR(std::fabs(pose.p.x), 0.25, 1e-15) << foot;  // under the hips
      EXPECT_NEAR(std::fabs(pose.p.y), 0.23, 1e-15) << foot;
    }
  }
}

// The two files describe one robot; MJCF alone has rotor inertia.
TEST(LibraryScenes, QuadrupedIsTheSameFromUrdfAndMjcf) {
  Load urdf(Scene("quadruped-urdf")), mjcf(Scene("quadruped"));
  ASSERT_EQ(urdf.status, TRIBO_OK) << urdf.message.text;
  ASSERT_EQ(mjcf.status, TRIBO_OK) << mjcf.message.text;
  Compiled a(urdf.builder), b(mjcf.builder);
  ASSERT_EQ(tribo_model_nv(a.model), 18);
  std::vector<double> q(19), v(18);
  for (int sample = 0; sample < 10; ++sample) {
    for (size_t i = 0; i < 19; ++i) q[i] = std::sin(1 + 3.7 * (double)i + sample);
    for (size_t i = 0; i < 18; ++i) v[i] = std::cos(2 + 2.3 * (double)i + sample);
    a.Set(q, v), b.Set(q, v);
    const std::vector<double> Ma = a.Mass(), Mb = b.Mass(), ba = a.Bias(), bb = b.Bias();
    for (size_t i = 0; i < 18; ++i) {
      // Rounding of sums of about 30 kg over 18 joints.
      EXPECT_NEAR(ba[i], bb[i], 1e-12 * 300) << i;
      for (size_t j = 0; j < 18; ++j) {
        const double armature = i == j && i >= 6 ? 0.01 : 0;
        EXPECT_NEAR(Ma[18 * i + j] + armature, Mb[18 * i + j], 1e-12) << i << " " << j;
      }
    }
    for (const char* link : {"trunk", "FL_hip", "FR_thigh", "RR_shank"}) {
      const TriboPose pa = a.Pose(link), pb = b.Pose(link);
      EXPECT_NEAR(pa.p.x, pb.p.x, 1e-14) << link;
      EXPECT_NEAR(pa.p.y, pb.p.y, 1e-14) << link;
      EXPECT_NEAR(pa.p.z, pb.p.z, 1e-14) << link;
      EXPECT_NEAR(pa.q.w, pb.q.w, 1e-14) << link;
    }
  }
  // Limits and effort agree.
  for (int i = 1; i < 13; ++i) {
    const TriboJointDesc& m = mjcf.builder->joint[i];
    TriboJointDesc u;
    ASSERT_TRUE(
        tribo_model_joint(a.model, tribo_model_find(a.model, TRIBO_KIND_JOINT, m.name), &u));
    EXPECT_EQ(u.lower, m.lower) << m.name;
    EXPECT_EQ(u.upper, m.upper) << m.name;
    EXPECT_EQ(u.effort_limit, mjcf.builder->actuator[i - 1].control_upper) << m.name;
  }
}

TEST(LibraryScenes, GraspsHaveAsManyCubesAsAskedAndTheTwoPlatesPress) {
  for (int n = 1; n <= 10; ++n) {
    const std::string setting = "n=" + std::to_string(n);
    Load load(Scene("grasp", {setting.c_str(), "mu=100"}));
    ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
    EXPECT_EQ(tribo_builder_count(load.builder, TRIBO_KIND_LINK), n + 2);
    EXPECT_EQ(load.builder->material[0].friction, 100);
    const TriboKeyframe* hold = tribo_scene_key(load.scene, 0);
    ASSERT_NE(hold, nullptr);
    EXPECT_EQ(hold->control[0], n <= 2 ? 50 : 400);
    EXPECT_NEAR(load.builder->link[0].inertia[0], 0.01 / 6, 1e-15);
  }
}

TEST(LibraryScenes, RestitutionComesFromTheCustomNumber) {
  Load load(Scene("billiards", {"e=0.75"}));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(load.builder->material[0].restitution, 0.75);
  EXPECT_EQ(load.builder->link[0].mass, 0.17);
}

TEST(LibraryScenes, TheFourBarIsClosedAsWritten) {
  Load load(Scene("four-bar"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  Compiled c(load.builder);
  const TriboLoopDesc& loop = load.builder->loop[0];
  EXPECT_NEAR(loop.pose0.p.x, 0.3, 1e-15);
  EXPECT_NEAR(loop.pose1.p.x, 0.2, 1e-14);  // the end of the rocker
  EXPECT_NEAR(loop.pose1.p.z, 0, 1e-14);
}

}  // namespace
