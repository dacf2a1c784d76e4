// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/tree/random_tree.h"

#include <cstdlib>

#include <gtest/gtest.h>

TriboVec3 RandomVec3(TriboRandom* random, double size) {
  double x = tribo_random_in(random, -size, size), y = tribo_random_in(random, -size, size);
  return tribo_vec3(x, y, tribo_random_in(random, -size, size));
}

TriboQuat RandomQuat(TriboRandom* random) {
  double x[4];
  for (double& c : x) c = tribo_random_normal(random);
  return tribo_quat_normalize(tribo_quat(x[0], x[1], x[2], x[3]));
}

TriboPose RandomPose(TriboRandom* random, double size) {
  TriboVec3 p = RandomVec3(random, size);
  return TriboPose{p, RandomQuat(random)};
}

int AddRandomLink(TriboBuilder* builder, TriboRandom* random) {
  TriboLinkDesc d = tribo_link_default();
  d.mass = tribo_random_in(random, 0.2, 2);
  d.com = RandomVec3(random, 0.2);
  // Second moments a, b, c along the principal axes give moments of inertia that a body can have.
  double a = tribo_random_in(random, 0.001, 0.02), b = tribo_random_in(random, 0.001, 0.02);
  double c = tribo_random_in(random, 0.001, 0.02);
  const double principal[6] = {b + c, a + c, a + b, 0, 0, 0};
  tribo_symmetric_rotate(tribo_quat_to_mat3(RandomQuat(random)), principal, d.inertia);
  int link = -1;
  EXPECT_EQ(tribo_builder_add_link(builder, &d, &link), TRIBO_OK);
  return link;
}

// Two chains of as many hinges on one of the first `links` links.
static void AddLimbs(TriboBuilder* builder, TriboRandom* random, int links,
                     const RandomTreeOptions& options) {
  const int from = tribo_random_index(random, links), length = 1 + tribo_random_index(random, 4);
  for (int limb = 0; limb < 2; ++limb) {
    int parent = from;
    for (int i = 0; i < length; ++i) {
      TriboJointDesc d = tribo_joint_default();
      d.parent = parent;
      d.child = parent = AddRandomLink(builder, random);
      d.pose_parent = RandomPose(random, options.length);
      d.pose_child = RandomPose(random, options.length);
      d.axis = tribo_vec3_normalize_or(RandomVec3(random, 1), tribo_vec3(0, 0, 1));
      EXPECT_EQ(tribo_builder_add_joint(builder, &d, nullptr), TRIBO_OK);
    }
  }
}

TriboBuilder* RandomTreeBuilder(TriboRandom* random, const RandomTreeOptions& options) {
  TriboBuilder* builder = nullptr;
  EXPECT_EQ(tribo_builder_create(nullptr, &builder), TRIBO_OK);
  EXPECT_EQ(tribo_builder_set_gravity(builder, tribo_vec3(0, 0, -options.gravity)), TRIBO_OK);
  for (int i = 0; i < options.links; ++i) {
    const int link = AddRandomLink(builder, random);
    TriboJointDesc d = tribo_joint_default();
    d.child = link;
    d.parent = link - 1;
    if (link == 0 || tribo_random_unit(random) < options.roots) {
      d.parent = TRIBO_WORLD;
    } else if (tribo_random_unit(random) >= options.chain) {
      d.parent = tribo_random_index(random, link);
    }
    d.type = options.all_types ? static_cast<TriboJointType>(tribo_random_index(random, 6))
                               : TRIBO_JOINT_HINGE;
    // Something must move.
    if (link == 0 && d.type == TRIBO_JOINT_FIXED) d.type = TRIBO_JOINT_FREE;
    d.pose_parent = RandomPose(random, options.length);
    d.pose_child = RandomPose(random, options.length);
    d.axis = tribo_vec3_normalize_or(RandomVec3(random, 1), tribo_vec3(0, 0, 1));
    if (options.armature && tribo_random_unit(random) < 0.3 && d.type != TRIBO_JOINT_FIXED)
      d.armature = tribo_random_in(random, 0, 0.1);
    EXPECT_EQ(tribo_builder_add_joint(builder, &d, nullptr), TRIBO_OK);
  }
  for (int i = 0; i < options.limbs; ++i) AddLimbs(builder, random, options.links, options);
  return builder;
}

TreeModel::TreeModel(TriboBuilder* builder) {
  TriboMessage message;
  EXPECT_EQ(tribo_model_create(builder, nullptr, &model_, &message), TRIBO_OK) << message.text;
  tribo_builder_destroy(builder);
  if (model_ == nullptr) abort();  // no test can go on
  TriboArena arena = tribo_arena_measure();
  tribo_tree_layout(&tree_, &arena, model_);
  const size_t size = arena.used;
  memory_ = std::aligned_alloc(TRIBO_ARENA_ALIGNMENT, (size + 63) / 64 * 64);
  arena = tribo_arena_over(memory_, size);
  tribo_tree_layout(&tree_, &arena, model_);
}

TreeModel::~TreeModel() {
  std::free(memory_);
  tribo_model_destroy(model_);
}

std::vector<double> TreeModel::RandomQ(TriboRandom* random) const {
  std::vector<double> q(nq()), dv(nv());
  for (double& x : dv) x = tribo_random_in(random, -2, 2);
  tribo_tree_integrate(model_, model_->q_initial, dv.data(), 1, q.data());
  return q;
}

std::vector<double> TreeModel::RandomV(TriboRandom* random, double size) const {
  std::vector<double> v(nv());
  for (double& x : v) x = tribo_random_in(random, -size, size);
  return v;
}

std::vector<double> TreeModel::DenseM() const {
  const int n = nv();
  std::vector<double> dense(n * n);
  for (int k = 0; k < n; ++k) {
    for (int e = model_->dof_row[k]; e < model_->dof_row[k + 1]; ++e) {
      dense[k * n + model_->column[e]] = dense[model_->column[e] * n + k] = tree_.M[e];
    }
  }
  return dense;
}
