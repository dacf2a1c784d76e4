// SPDX-License-Identifier: Apache-2.0
//
// `tribo replay` of recordings whose inputs no controller of ours can give.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "engine/tribo.h"
#include "models/tribo_models.h"
#include "tests/command.h"
#include "tests/tools/library_scene.h"
#include "tools/controllers/controllers.h"
#include "tools/trajectory/tribo_trajectory.h"

namespace {

CommandResult tribo(const std::string& arguments) {
  return run_command("tools/tribo/tribo " + arguments);
}

std::string path_of(const std::string& name) { return testing::TempDir() + "/" + name; }

// A box that slides and tumbles over the ground, and a driven pendulum beside it.
std::string write_model(const std::string& name, const std::string& mass) {
  const std::string path = path_of(name);
  std::ofstream(path) << "<mujoco><option timestep='0.002'/><worldbody>"
                         "<geom type='plane' size='5 5 1' friction='0.4'/>"
                         "<body pos='0 0 0.15'><freejoint/>"
                         "<geom type='box' size='0.1 0.1 0.1' mass='"
                      << mass
                      << "' friction='0.4'/></body>"
                         "<body pos='2 0 1'><joint name='pivot' type='hinge' axis='0 1 0'/>"
                         "<geom type='capsule' fromto='0 0 0 0 0 -0.5' size='0.03' mass='1'/>"
                         "</body></worldbody>"
                         "<actuator><motor joint='pivot'/></actuator></mujoco>";
  return path;
}

// A program of somebody's: it loads a model, decides on controls, efforts and wrenches, and
// records.
void record(const std::string& model_path, const std::string& out, bool efforts,
            bool wrenches = false) {
  TriboMessage message;
  TriboScene* scene = nullptr;
  ASSERT_EQ(tribo_scene_load(model_path.c_str(), nullptr, &scene, &message), TRIBO_OK)
      << message.text;
  TriboModel* model = nullptr;
  ASSERT_EQ(tribo_model_create(tribo_scene_builder(scene), nullptr, &model, &message), TRIBO_OK);
  TriboState* state = nullptr;
  TriboWorkspace* workspace = nullptr;
  ASSERT_EQ(tribo_state_create(model, nullptr, &state), TRIBO_OK);
  ASSERT_EQ(tribo_workspace_create(model, nullptr, nullptr, &workspace), TRIBO_OK);
  TriboStepOptions options = tribo_step_options_default();
  options.h = 0.004;
  options.model = TRIBO_MODEL_COULOMB;
  options.cone = TRIBO_CONE_POLYGON;
  std::vector<double> control(tribo_model_nu(model)), effort(tribo_model_nv(model));
  ASSERT_EQ(control.size(), 1u);
  TriboInput input = tribo_input_default();
  input.control = control.data();
  std::vector<double> wrench(6 * tribo_model_count(model, TRIBO_KIND_LINK));
  if (efforts) input.effort = effort.data();
  if (wrenches) input.wrench = wrench.data();
  TriboRecordOptions keep = tribo_record_options_default();
  keep.effort = efforts;
  TriboRecorder* recorder = nullptr;
  ASSERT_EQ(tribo_recorder_create(out.c_str(), model, state, &options, &keep, &recorder, &message),
            TRIBO_OK)
      << message.text;
  for (int k = 0; k < 200; ++k) {
    control[0] = 2 * std::sin(0.05 * k);
    for (size_t i = 0; i < effort.size(); ++i) effort[i] = 6 * std::sin(0.1 * k + (double)i);
    // Each link is pushed now and then, sometimes both, mostly none.
    for (size_t i = 0; i < wrench.size(); ++i)
      wrench[i] = k % 7 < 2 && (i < 6) == (k % 2 == 0) ? 3 * std::cos(0.3 * k + (double)i) : 0;
    ASSERT_EQ(tribo_step(model, &options, &input, state, workspace), TRIBO_OK);
    ASSERT_EQ(tribo_recorder_step(recorder, &input, state, workspace), TRIBO_OK);
  }
  ASSERT_EQ(tribo_recorder_close(recorder, &message), TRIBO_OK) << message.text;
  tribo_workspace_destroy(workspace);
  tribo_state_destroy(state);
  tribo_model_destroy(model);
  tribo_scene_destroy(scene);
}

TEST(TriboReplay, InputsOfAnotherProgramAreRepeatedBitByBit) {
  const std::string model = write_model("robot.xml", "1"), out = path_of("foreign.npz");
  for (int given = 0; given < 4; ++given) {
    record(model, out, (given & 1) != 0, (given & 2) != 0);
    CommandResult same = tribo("replay " + out + " --model " + model);
    EXPECT_EQ(same.exit_code, 0) << given << "\n" << same.out << same.err;
  }
  CommandResult nameless = tribo("replay " + out);
  EXPECT_EQ(nameless.exit_code, 2);
  EXPECT_NE(nameless.err.find("--model"), std::string::npos) << nameless.err;
}

// A trotting quadruped is shoved for 20 ms; only the recording knows.
void record_push(const std::string& out, double force) {
  LibraryScene robot("quadruped", {});
  const TriboController* controller = tribo_controller_find("quadruped");
  const char* const settings[] = {nullptr};
  void* self = nullptr;
  TriboMessage message;
  ASSERT_EQ(controller->create(robot.model, robot.state, robot.scratch, settings, &self, &message),
            TRIBO_OK)
      << message.text;
  TriboRecordOptions options = tribo_record_options_default();
  options.source = "quadruped";
  options.controller = "quadruped";
  TriboRecorder* recorder = nullptr;
  ASSERT_EQ(tribo_recorder_create(out.c_str(), robot.model, robot.state, &robot.options, &options,
                                  &recorder, &message),
            TRIBO_OK)
      << message.text;
  const int trunk = tribo_model_find(robot.model, TRIBO_KIND_LINK, "trunk");
  TriboInput input = tribo_input_default();
  input.control = robot.control.data();
  input.wrench = robot.wrench.data();
  for (int k = 0; k < 300; ++k) {
    ASSERT_EQ(
        controller->update(self, robot.state, robot.workspace, robot.scratch, robot.control.data()),
        TRIBO_OK);
    robot.wrench[6 * trunk + 1] = k >= 100 && k < 120 ? force : 0;
    ASSERT_TRUE(robot.step());
    ASSERT_EQ(tribo_recorder_step(recorder, &input, robot.state, robot.workspace), TRIBO_OK);
  }
  ASSERT_EQ(tribo_recorder_close(recorder, &message), TRIBO_OK) << message.text;
  controller->destroy(self);
}

TEST(TriboReplay, APushedRobotIsPushedAgain) {
  const std::string pushed = path_of("pushed.npz"), alone = path_of("alone.npz");
  record_push(pushed, 200);
  record_push(alone, 0);
  EXPECT_EQ(tribo("compare " + pushed + " " + alone).exit_code, 1);
  for (const std::string& out : {pushed, alone}) {
    CommandResult same = tribo("replay " + out);
    EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  }
  TriboTrajectory* t = nullptr;
  TriboMessage message;
  ASSERT_EQ(tribo_trajectory_open(pushed.c_str(), &t, &message), TRIBO_OK) << message.text;
  ASSERT_EQ(t->wrenches, 20);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(t->wrench_row[i], 101 + i);  // step k leads to row k + 1
    EXPECT_EQ(t->wrench[6 * i], 0);
    EXPECT_EQ(t->wrench[6 * i + 1], 200);
  }
  tribo_trajectory_close(t);
}

TEST(TriboReplay, AToleranceAcceptsAModelThatIsNearlyTheSame) {
  const std::string out = path_of("near.npz"), other = write_model("other.xml", "1.0000001");
  record(write_model("robot.xml", "1"), out, true);
  EXPECT_EQ(tribo("replay " + out + " --model " + other).exit_code, 1);
  // A box that tumbles over its edges amplifies a change of 1e-7: to 7e-4 rad within 200 steps.
  CommandResult near =
      tribo("replay " + out + " --model " + other + " --tol q=1e-2,v=1e-1,force=1");
  EXPECT_EQ(near.exit_code, 0) << near.out << near.err;
}

TEST(TriboReplay, RunsWithSettingsOfStepAndControllerAreRepeated) {
  const std::string out = path_of("set.npz");
  for (const char* run :
       {"quadruped -c quadruped -t 0.1 --dt 0.002 --model viscous --set velocity=0.2",
        "quadruped -c quadruped -t 0.1 --cone polygon --set facets=8 --solver lemke",
        "gripper -c constant -t 0.1 --model noslip --solver ppm"}) {
    CommandResult simulated = tribo(std::string("simulate ") + run + " -o " + out);
    ASSERT_EQ(simulated.exit_code, 0) << run << "\n" << simulated.err;
    CommandResult same = tribo("replay " + out);
    EXPECT_EQ(same.exit_code, 0) << run << "\n" << same.out << same.err;
  }
}

// A URDF whose mesh lies in another package, and whose root is on a wall: how it was read is part
// of the recording.
TEST(TriboReplay, TheWayAModelWasReadIsRepeated) {
  const std::string model = path_of("wall.urdf"), out = path_of("wall.npz");
  const std::string packages = path_of("packages");
  ASSERT_EQ(run_command("mkdir -p " + packages + "/parts").exit_code, 0);
  std::ofstream(packages + "/parts/wedge.obj")
      << "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  std::ofstream(model) << "<robot name='wedge'><link name='base'><inertial><mass value='1'/>"
                          "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
                          "<collision><geometry><mesh filename='package://parts/wedge.obj'/>"
                          "</geometry></collision></link></robot>";
  EXPECT_EQ(tribo("simulate " + model + " -t 0.01").exit_code, 2);
  const std::string how = " --search-path " + packages + " --root ";
  for (const char* root : {"free", "fixed"}) {
    CommandResult simulated =
        tribo("simulate " + model + " -t 0.01 -o " + out + how + root + " --json");
    ASSERT_EQ(simulated.exit_code, 0) << simulated.err;
    for (const char* command : {"replay ", "verify "}) {
      CommandResult same = tribo(command + out);
      EXPECT_EQ(same.exit_code, 0) << command << root << "\n" << same.out << same.err;
    }
  }
}

}  // namespace
