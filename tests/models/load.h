// SPDX-License-Identifier: Apache-2.0
//
// Loading text or files in tests, and looking at what came out.
#ifndef TRIBO_TESTS_MODELS_LOAD_H_
#define TRIBO_TESTS_MODELS_LOAD_H_

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <string>
#include <vector>

#include "engine/model/builder.h"
#include "models/tribo_models.h"

// A scene from text; builder and report are NULL where it failed.
struct Load {
  TriboScene* scene = nullptr;
  TriboBuilder* builder = nullptr;
  const TriboReport* report = nullptr;
  TriboMessage message = {};
  TriboStatus status = TRIBO_OK;

  explicit Load(const std::string& text, TriboLoadOptions options = tribo_load_options_default(),
                const char* name = nullptr) {
    status = tribo_scene_load_string(text.data(), text.size(), name, &options, &scene, &message);
    Look();
  }
  static Load File(const std::string& file,
                   TriboLoadOptions options = tribo_load_options_default()) {
    return Load(file, options, FromFile());
  }
  Load(const Load&) = delete;
  ~Load() { tribo_scene_destroy(scene); }

  int Count(TriboReportKind kind) const {
    int count = 0;
    for (int i = 0; report && i < tribo_report_count(report); ++i) {
      count += tribo_report_entry(report, i)->kind == kind;
    }
    return count;
  }
  // The entry about an element, among others maybe, or NULL.
  const TriboReportEntry* Entry(const std::string& element) const {
    TriboReportPlace place;
    for (int i = 0; report && i < tribo_report_count(report); ++i) {
      for (int k = 0; tribo_report_place(report, i, k, &place); ++k) {
        if (element == place.element) return tribo_report_entry(report, i);
      }
    }
    return nullptr;
  }
  std::string Report() const {
    std::string all;
    for (int i = 0; report && i < tribo_report_count(report); ++i) {
      const TriboReportEntry* e = tribo_report_entry(report, i);
      all += std::string(e->element) + ": " + e->text + "\n";
    }
    return all;
  }

 private:
  struct FromFile {};
  Load(const std::string& file, TriboLoadOptions options, FromFile) {
    status = tribo_scene_load(file.c_str(), &options, &scene, &message);
    Look();
  }
  void Look() {
    if (!scene) return;
    builder = tribo_scene_builder(scene);
    report = tribo_scene_report(scene);
  }
};

// The compiled model of a builder with a state and a workspace, for comparing dynamics.
struct Compiled {
  TriboModel* model = nullptr;
  TriboState* state = nullptr;
  TriboWorkspace* workspace = nullptr;
  TriboMessage message = {};
  TriboStatus status;

  explicit Compiled(const TriboBuilder* builder) {
    status = tribo_model_create(builder, nullptr, &model, &message);
    EXPECT_EQ(status, TRIBO_OK) << message.text;
    if (status != TRIBO_OK) return;
    EXPECT_EQ(tribo_state_create(model, nullptr, &state), TRIBO_OK);
    EXPECT_EQ(tribo_workspace_create(model, nullptr, nullptr, &workspace), TRIBO_OK);
  }
  Compiled(const Compiled&) = delete;
  ~Compiled() {
    tribo_workspace_destroy(workspace);
    tribo_state_destroy(state);
    tribo_model_destroy(model);
  }
  int Link(const char* name) const { return tribo_model_find(model, TRIBO_KIND_LINK, name); }
  TriboPose Pose(const char* link) {
    TriboPose pose;
    EXPECT_EQ(tribo_link_pose(model, state, workspace, Link(link), &pose), TRIBO_OK) << link;
    return pose;
  }
  std::vector<double> Mass() {
    const size_t nv = (size_t)tribo_model_nv(model);
    std::vector<double> M(nv * nv);
    EXPECT_EQ(tribo_mass_matrix(model, state, workspace, M.data()), TRIBO_OK);
    return M;
  }
  // M a + bias for a = 0: gravity, centrifugal and Coriolis forces.
  std::vector<double> Bias() {
    const size_t nv = (size_t)tribo_model_nv(model);
    std::vector<double> a(nv), tau(nv);
    EXPECT_EQ(tribo_inverse_dynamics(model, state, workspace, a.data(), nullptr, tau.data()),
              TRIBO_OK);
    return tau;
  }
  void Set(const std::vector<double>& q, const std::vector<double>& v) {
    ASSERT_EQ(tribo_state_set_q(model, state, q.data()), TRIBO_OK);
    ASSERT_EQ(tribo_state_set_v(model, state, v.data()), TRIBO_OK);
  }
};

// A directory of its own for a test that needs files.
inline std::string TestFolder() {
  const char* base = getenv("TEST_TMPDIR");
  std::string name = std::string(base ? base : "/tmp") + "/tribo_models_XXXXXX";
  EXPECT_NE(mkdtemp(&name[0]), nullptr);
  return name;
}
inline void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

#endif  // TRIBO_TESTS_MODELS_LOAD_H_
