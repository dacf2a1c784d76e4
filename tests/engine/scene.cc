// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/scene.h"

#include <cmath>

Scene::Scene() { EXPECT_EQ(tribo_builder_create(nullptr, &builder_), TRIBO_OK); }

Scene::~Scene() {
  tribo_workspace_destroy(workspace_);
  tribo_state_destroy(state_);
  tribo_model_destroy(model_);
  tribo_builder_destroy(builder_);
}

void Scene::Gravity(TriboVec3 g) { EXPECT_EQ(tribo_builder_set_gravity(builder_, g), TRIBO_OK); }

int Scene::Material(double mu, double restitution,
                    const std::function<void(TriboMaterialDesc*)>& change) {
  TriboMaterialDesc desc = tribo_material_default();
  desc.friction = mu;
  desc.restitution = restitution;
  if (change) change(&desc);
  int material = -1;
  EXPECT_EQ(tribo_builder_add_material(builder_, &desc, &material), TRIBO_OK);
  return material;
}

int Scene::Link(double mass, TriboVec3 inertia) {
  TriboLinkDesc desc = tribo_link_default();
  desc.mass = mass;
  desc.inertia[0] = inertia.x;
  desc.inertia[1] = inertia.y;
  desc.inertia[2] = inertia.z;
  desc.inertia[3] = desc.inertia[4] = desc.inertia[5] = 0;
  int link = -1;
  EXPECT_EQ(tribo_builder_add_link(builder_, &desc, &link), TRIBO_OK);
  return link;
}

int Scene::Shape(int link, TriboShapeType type, TriboVec3 size, TriboPose pose, int material) {
  TriboShapeDesc desc = tribo_shape_default();
  desc.type = type;
  desc.link = link;
  desc.pose = pose;
  desc.size[0] = size.x;
  desc.size[1] = size.y;
  desc.size[2] = size.z;
  desc.material = material;
  int shape = -1;
  EXPECT_EQ(tribo_builder_add_shape(builder_, &desc, &shape), TRIBO_OK);
  return shape;
}

int Scene::Plane(TriboPose pose, int material) {
  return Shape(TRIBO_WORLD, TRIBO_SHAPE_PLANE, {0, 0, 0}, pose, material);
}

int Scene::Sphere(double radius, double mass, TriboVec3 at, int material) {
  const double i = 0.4 * mass * radius * radius;
  const int link = Link(mass, {i, i, i});
  Shape(link, TRIBO_SHAPE_SPHERE, {radius, 0, 0}, tribo_pose_identity(), material);
  initial_.push_back({link, {at, {1, 0, 0, 0}}});
  return link;
}

int Scene::Box(TriboVec3 half, double mass, TriboPose pose, int material) {
  const double x = half.x * half.x, y = half.y * half.y, z = half.z * half.z;
  const int link = Link(mass, {mass * (y + z) / 3, mass * (x + z) / 3, mass * (x + y) / 3});
  Shape(link, TRIBO_SHAPE_BOX, half, tribo_pose_identity(), material);
  initial_.push_back({link, pose});
  return link;
}

int Scene::Capsule(double radius, double half_length, double mass, TriboPose pose, int material) {
  const double r2 = radius * radius, l = 2 * half_length;
  const double across = mass * (r2 / 4 + l * l / 12), along = mass * r2 / 2;
  const int link = Link(mass, {across, across, along});
  Shape(link, TRIBO_SHAPE_CAPSULE, {radius, half_length, 0}, tribo_pose_identity(), material);
  initial_.push_back({link, pose});
  return link;
}

int Scene::Joint(TriboJointType type, int parent, int child,
                 const std::function<void(TriboJointDesc*)>& change) {
  TriboJointDesc desc = tribo_joint_default();
  desc.type = type;
  desc.parent = parent;
  desc.child = child;
  if (change) change(&desc);
  int joint = -1;
  EXPECT_EQ(tribo_builder_add_joint(builder_, &desc, &joint), TRIBO_OK);
  return joint;
}

int Scene::Loop(TriboLoopType type, const std::function<void(TriboLoopDesc*)>& change) {
  TriboLoopDesc desc = tribo_loop_default();
  desc.type = type;
  change(&desc);
  int loop = -1;
  EXPECT_EQ(tribo_builder_add_loop(builder_, &desc, &loop), TRIBO_OK);
  return loop;
}

int Scene::Actuator(TriboActuatorType type, int joint,
                    const std::function<void(TriboActuatorDesc*)>& change) {
  TriboActuatorDesc desc = tribo_actuator_default();
  desc.type = type;
  desc.joint = joint;
  if (change) change(&desc);
  int actuator = -1;
  EXPECT_EQ(tribo_builder_add_actuator(builder_, &desc, &actuator), TRIBO_OK);
  return actuator;
}

void Scene::Build(int max_contacts) {
  if (model_ != nullptr) return;
  TriboMessage message = {};
  EXPECT_EQ(tribo_model_create(builder_, nullptr, &model_, &message), TRIBO_OK) << message.text;
  ASSERT_NE(model_, nullptr);
  EXPECT_EQ(tribo_state_create(model_, nullptr, &state_), TRIBO_OK);
  TriboWorkspaceOptions size = tribo_workspace_options_default();
  size.max_contacts = max_contacts;
  size.threads = options.threads;
  EXPECT_EQ(tribo_workspace_create(model_, &size, nullptr, &workspace_), TRIBO_OK);
  for (const auto& [link, pose] : initial_) SetPose(link, pose);
}

const TriboModel* Scene::model() {
  Build();
  return model_;
}
TriboState* Scene::state() {
  Build();
  return state_;
}
TriboWorkspace* Scene::workspace() {
  Build();
  return workspace_;
}

void Scene::Step() {
  const TriboStatus status = TryStep();
  info = tribo_step_info(workspace_);
  ASSERT_EQ(status, TRIBO_OK) << tribo_status_text(status) << " at t = " << tribo_state_time(state_)
                              << ", certificate " << info.certificate.worst;
  worst = std::fmax(worst, info.certificate.worst);
  if (info.rung > worst_rung) worst_rung = info.rung;
  if (info.rung > TRIBO_RUNG_WARM) ++cold_steps;
  if (info.rung > TRIBO_RUNG_COLD) ++fallback_steps;
  if (info.relaxed) ++relaxed_steps;
}

TriboPose Scene::Pose(int link) {
  TriboPose pose = {};
  EXPECT_EQ(tribo_link_pose(model(), state(), workspace(), link, &pose), TRIBO_OK);
  return pose;
}
TriboVec3 Scene::Velocity(int link) {
  TriboVec3 linear = {}, angular = {};
  EXPECT_EQ(tribo_link_velocity(model(), state(), workspace(), link, &linear, &angular), TRIBO_OK);
  return linear;
}
TriboVec3 Scene::Spin(int link) {
  TriboVec3 linear = {}, angular = {};
  EXPECT_EQ(tribo_link_velocity(model(), state(), workspace(), link, &linear, &angular), TRIBO_OK);
  return angular;
}

void Scene::SetVelocity(int link, TriboVec3 linear, TriboVec3 angular) {
  std::vector<double> v(tribo_state_v(state()), tribo_state_v(state()) + tribo_model_nv(model()));
  const int at = tribo_model_joint_v(model_, tribo_model_link_joint(model_, link));
  const TriboVec3 spin = tribo_quat_rotate(tribo_quat_conjugate(Pose(link).q), angular);
  const double values[] = {linear.x, linear.y, linear.z, spin.x, spin.y, spin.z};
  std::copy(values, values + 6, v.begin() + at);
  EXPECT_EQ(tribo_state_set_v(model_, state_, v.data()), TRIBO_OK);
}
void Scene::SetPose(int link, TriboPose pose) {
  EXPECT_EQ(tribo_state_set_free_pose(model(), state(), link, pose), TRIBO_OK);
}

double Scene::Q(int joint) { return tribo_state_q(state())[tribo_model_joint_q(model(), joint)]; }
double Scene::V(int joint) { return tribo_state_v(state())[tribo_model_joint_v(model(), joint)]; }

TriboEnergy Scene::Energy() {
  TriboEnergy energy = {};
  EXPECT_EQ(tribo_energy(model(), state(), workspace(), &energy), TRIBO_OK);
  return energy;
}
