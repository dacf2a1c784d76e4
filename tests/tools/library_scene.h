// SPDX-License-Identifier: Apache-2.0
//
// A scene that ships, ready to step, for tests of controllers.
#ifndef TRIBO_TESTS_TOOLS_LIBRARY_SCENE_H_
#define TRIBO_TESTS_TOOLS_LIBRARY_SCENE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "models/library/library.h"
#include "models/tribo_models.h"

// A scene of the library, at its first keyframe.
class LibraryScene {
 public:
  LibraryScene(const char* name, std::vector<const char*> settings) {
    char* text = nullptr;
    size_t size = 0;
    FILE* out = open_memstream(&text, &size);
    TriboMessage message;
    EXPECT_EQ(tribo_library_write(name, (int)settings.size(), settings.data(), out, &message),
              TRIBO_OK)
        << message.text;
    fclose(out);
    EXPECT_EQ(tribo_scene_load_string(text, size, name, nullptr, &scene_, &message), TRIBO_OK)
        << message.text;
    free(text);
    EXPECT_EQ(tribo_report_count(tribo_scene_report(scene_)), 0);
    EXPECT_EQ(tribo_model_create(tribo_scene_builder(scene_), nullptr, &model, &message), TRIBO_OK)
        << message.text;
    EXPECT_EQ(tribo_state_create(model, nullptr, &state), TRIBO_OK);
    TriboWorkspaceOptions room = tribo_workspace_options_default();
    EXPECT_EQ(tribo_workspace_create(model, &room, nullptr, &workspace), TRIBO_OK);
    EXPECT_EQ(tribo_workspace_create(model, &room, nullptr, &scratch), TRIBO_OK);
    control.assign((size_t)tribo_model_nu(model), 0);
    wrench.assign(6 * (size_t)tribo_model_count(model, TRIBO_KIND_LINK), 0);
    options = tribo_step_options_default();
    options.h = tribo_scene_timestep(scene_);
    const TriboKeyframe* key = tribo_scene_key(scene_, 0);
    EXPECT_EQ(tribo_state_set_q(model, state, key->q), TRIBO_OK);
    for (size_t i = 0; i < control.size(); ++i) control[i] = key->control[i];
  }
  ~LibraryScene() {
    tribo_workspace_destroy(workspace);
    tribo_workspace_destroy(scratch);
    tribo_state_destroy(state);
    tribo_model_destroy(model);
    tribo_scene_destroy(scene_);
  }

  // One step; the certificate holds at every one.
  bool step() {
    TriboInput input = tribo_input_default();
    input.control = control.data();
    input.wrench = wrench.data();
    TriboStatus status = tribo_step(model, &options, &input, state, workspace);
    TriboStepInfo info = tribo_step_info(workspace);
    EXPECT_EQ(status, TRIBO_OK) << "at " << tribo_state_time(state) << " s";
    EXPECT_LE(info.certificate.worst, 1e-9) << "at " << tribo_state_time(state) << " s";
    EXPECT_FALSE(info.relaxed) << "at " << tribo_state_time(state) << " s";
    return status == TRIBO_OK && info.certificate.worst <= 1e-9 && !info.relaxed;
  }
  double height(const char* link) {
    TriboPose pose;
    int index = tribo_model_find(model, TRIBO_KIND_LINK, link);
    EXPECT_EQ(tribo_link_pose(model, state, scratch, index, &pose), TRIBO_OK);
    return pose.p.z;
  }
  // Largest tangential speed of a contact that carries force and does not slide at its cone.
  double slip_of_sticking() {
    double worst = 0;
    TriboContactResult c;
    for (int i = 0; tribo_contact_get(workspace, i, &c); ++i) {
      if (c.mode == TRIBO_MODE_STICK) worst = std::max(worst, std::hypot(c.slip[0], c.slip[1]));
    }
    return worst;
  }

  TriboModel* model = nullptr;
  TriboState* state = nullptr;
  TriboWorkspace *workspace = nullptr, *scratch = nullptr;
  TriboStepOptions options;
  std::vector<double> control, wrench;

 private:
  TriboScene* scene_ = nullptr;
};

#endif  // TRIBO_TESTS_TOOLS_LIBRARY_SCENE_H_
