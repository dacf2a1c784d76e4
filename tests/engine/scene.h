// SPDX-License-Identifier: Apache-2.0
//
// A model, a state and a workspace for tests of the step, built in a few lines. Everything that
// fails is a test failure.
#ifndef TRIBO_TESTS_ENGINE_SCENE_H_
#define TRIBO_TESTS_ENGINE_SCENE_H_

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "engine/base/rotation.h"
#include "engine/tribo.h"

class Scene {
 public:
  Scene();
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  // ---- describing
  TriboBuilder* builder() { return builder_; }
  void Gravity(TriboVec3 g);
  int Material(double mu, double restitution = 0,
               const std::function<void(TriboMaterialDesc*)>& change = {});
  int Plane(TriboPose pose = tribo_pose_identity(), int material = -1);
  // A loose body of a shape with the inertia of a uniform solid; returns the link.
  int Sphere(double radius, double mass, TriboVec3 at, int material = -1);
  int Box(TriboVec3 half, double mass, TriboPose pose, int material = -1);
  int Capsule(double radius, double half_length, double mass, TriboPose pose, int material = -1);
  // A link without a shape, and a shape on a link.
  int Link(double mass, TriboVec3 inertia);
  int Shape(int link, TriboShapeType type, TriboVec3 size, TriboPose pose = tribo_pose_identity(),
            int material = -1);
  int Joint(TriboJointType type, int parent, int child,
            const std::function<void(TriboJointDesc*)>& change = {});
  int Loop(TriboLoopType type, const std::function<void(TriboLoopDesc*)>& change);
  int Actuator(TriboActuatorType type, int joint,
               const std::function<void(TriboActuatorDesc*)>& change = {});

  // ---- running
  TriboStepOptions options = tribo_step_options_default();
  TriboInput input = tribo_input_default();

  // Compiles; called by the first use of what follows.
  void Build(int max_contacts = 0);
  // The workspace is made for options.threads.
  const TriboModel* model();
  TriboState* state();
  TriboWorkspace* workspace();

  // One step, which must succeed and certify. Keeps the worst certificate and the last info.
  void Step();
  void Run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) Step();
  }
  TriboStatus TryStep() { return tribo_step(model(), &options, &input, state(), workspace()); }

  TriboPose Pose(int link);
  TriboVec3 Position(int link) { return Pose(link).p; }
  TriboVec3 Velocity(int link);
  TriboVec3 Spin(int link);
  void SetVelocity(int link, TriboVec3 linear, TriboVec3 angular = {0, 0, 0});  // of a free link
  void SetPose(int link, TriboPose pose);
  double Q(int joint);
  double V(int joint);
  TriboEnergy Energy();
  double TotalEnergy() {
    TriboEnergy e = Energy();
    return e.kinetic + e.potential;
  }

  TriboStepInfo info = {};
  double worst = 0;  // certificate of all steps so far
  TriboRung worst_rung = TRIBO_RUNG_WARM;
  int cold_steps = 0;      // steps that needed more than the warm start
  int fallback_steps = 0;  // steps that needed more than a cold start
  int relaxed_steps = 0;   // steps that answered a relaxed problem

 private:
  TriboBuilder* builder_ = nullptr;
  TriboModel* model_ = nullptr;
  TriboState* state_ = nullptr;
  TriboWorkspace* workspace_ = nullptr;
  std::vector<std::pair<int, TriboPose>> initial_;
};

inline TriboPose At(double x, double y, double z) {
  TriboPose pose = {{x, y, z}, {1, 0, 0, 0}};
  return pose;
}

#endif  // TRIBO_TESTS_ENGINE_SCENE_H_
