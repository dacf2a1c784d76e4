// SPDX-License-Identifier: Apache-2.0
#include "engine/state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/engine/tree/random_tree.h"
#include "tests/scale.h"

namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

// A state of a model with every joint type, with a warm start in it.
class State : public ::testing::Test {
 protected:
  void SetUp() override {
    TriboRandom random = tribo_random(5);
    RandomTreeOptions options;
    options.links = 12;
    tree_ = new TreeModel(RandomTreeBuilder(&random, options));
    model_ = tree_->model();
    ASSERT_EQ(tribo_state_create(model_, nullptr, &state_), TRIBO_OK);
    ASSERT_EQ(tribo_state_create(model_, nullptr, &other_), TRIBO_OK);
    q_ = tree_->RandomQ(&random);
    v_ = tree_->RandomV(&random);
    ASSERT_EQ(tribo_state_set_q(model_, state_, q_.data()), TRIBO_OK);
    ASSERT_EQ(tribo_state_set_v(model_, state_, v_.data()), TRIBO_OK);
    ASSERT_EQ(tribo_state_set_time(state_, 1.25), TRIBO_OK);
    AddWarmStart();
  }
  void TearDown() override {
    tribo_state_destroy(state_);
    tribo_state_destroy(other_);
    delete tree_;
  }
  void AddWarmStart() {
    ASSERT_GE(state_->warm_capacity, 3);
    state_->warm_count = 3;
    for (int i = 0; i < 3; ++i) {
      std::memset(&state_->warm[i], 0, sizeof state_->warm[i]);
      state_->warm[i].id = 0x123456789abcdefu * (i + 1);
      for (int k = 0; k < 6; ++k) state_->warm[i].impulse[k] = 0.1 * k - i;
      state_->warm[i].mode = i;
    }
  }
  std::vector<unsigned char> Save() {
    std::vector<unsigned char> bytes(tribo_state_saved_size(state_));
    EXPECT_EQ(tribo_state_save(state_, bytes.data(), bytes.size()), TRIBO_OK);
    return bytes;
  }

  TreeModel* tree_ = nullptr;
  const TriboModel* model_ = nullptr;
  TriboState* state_ = nullptr;
  TriboState* other_ = nullptr;
  std::vector<double> q_, v_;
};

TEST_F(State, StartsAtTheInitialPositionsAtRest) {
  for (int i = 0; i < model_->nq; ++i) EXPECT_EQ(tribo_state_q(other_)[i], model_->q_initial[i]);
  for (int i = 0; i < model_->nv; ++i) EXPECT_EQ(tribo_state_v(other_)[i], 0);
  EXPECT_EQ(tribo_state_time(other_), 0);
  tribo_state_reset(model_, state_);
  EXPECT_TRUE(tribo_state_equal(state_, other_));
}

TEST_F(State, SettingKeepsUnitQuaternionsBitForBitAndForgetsTheWarmStart) {
  for (int i = 0; i < model_->nq; ++i) EXPECT_NEAR(tribo_state_q(state_)[i], q_[i], 1e-15);
  const std::vector<double> once(tribo_state_q(state_), tribo_state_q(state_) + model_->nq);
  ASSERT_EQ(tribo_state_set_q(model_, state_, once.data()), TRIBO_OK);
  for (int i = 0; i < model_->nq; ++i) EXPECT_EQ(tribo_state_q(state_)[i], once[i]);
  EXPECT_EQ(state_->warm_count, 0);
}

TEST_F(State, QuaternionsOfAnyLengthAreNormalized) {
  for (int b = 0; b < model_->nb; ++b) {
    const TriboBody& body = model_->body[b];
    if (body.type != TRIBO_JOINT_BALL && body.type != TRIBO_JOINT_FREE) continue;
    const int at = body.q + (body.type == TRIBO_JOINT_FREE ? 3 : 0);
    for (double scale : {1e-200, 1e-3, 7.0, 1e200}) {
      std::vector<double> q = q_;
      for (int k = 0; k < 4; ++k) q[at + k] *= scale;
      ASSERT_EQ(tribo_state_set_q(model_, other_, q.data()), TRIBO_OK);
      for (int k = 0; k < 4; ++k) EXPECT_NEAR(tribo_state_q(other_)[at + k], q_[at + k], 1e-15);
    }
    std::vector<double> q = q_;
    for (int k = 0; k < 4; ++k) q[at + k] = 0;
    EXPECT_EQ(tribo_state_set_q(model_, other_, q.data()), TRIBO_ERROR_ARGUMENT);
  }
}

TEST_F(State, RefusesWhatIsNotFiniteAndStaysAsItWas) {
  const uint64_t hash = tribo_state_hash(state_);
  std::vector<double> q = q_, v = v_;
  q.back() = kNan;
  v[0] = INFINITY;
  EXPECT_EQ(tribo_state_set_q(model_, state_, q.data()), TRIBO_ERROR_NOT_FINITE);
  EXPECT_EQ(tribo_state_set_v(model_, state_, v.data()), TRIBO_ERROR_NOT_FINITE);
  EXPECT_EQ(tribo_state_set_time(state_, kNan), TRIBO_ERROR_NOT_FINITE);
  EXPECT_EQ(tribo_state_set_q(model_, state_, nullptr), TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(tribo_state_set_free_pose(model_, state_, 999, tribo_pose_identity()),
            TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(tribo_state_hash(state_), hash);
}

TEST_F(State, CopiesAreEqualAndAnyBitTellsThemApart) {
  ASSERT_EQ(tribo_state_copy(state_, other_), TRIBO_OK);
  EXPECT_TRUE(tribo_state_equal(state_, other_));
  EXPECT_EQ(tribo_state_hash(state_), tribo_state_hash(other_));
  double* numbers[] = {&other_->time, &other_->q[0], &other_->v[0], &other_->warm[2].impulse[5]};
  for (double* x : numbers) {
    const double before = *x;
    *x = std::nextafter(*x, 1e9);
    EXPECT_FALSE(tribo_state_equal(state_, other_));
    EXPECT_NE(tribo_state_hash(state_), tribo_state_hash(other_));
    *x = before;
  }
  other_->warm[1].mode ^= 1;
  EXPECT_FALSE(tribo_state_equal(state_, other_));
  EXPECT_NE(tribo_state_hash(state_), tribo_state_hash(other_));
}

TEST_F(State, SavedBytesRestoreEveryBit) {
  const std::vector<unsigned char> bytes = Save();
  ASSERT_EQ(tribo_state_restore(model_, bytes.data(), bytes.size(), other_), TRIBO_OK);
  EXPECT_TRUE(tribo_state_equal(state_, other_));
  EXPECT_EQ(Save(), bytes);
}

TEST_F(State, BytesBeginAsTheFormatSays) {
  // docs/state_format.md; little-endian on every machine.
  const std::vector<unsigned char> bytes = Save();
  EXPECT_EQ(std::memcmp(bytes.data(), "TriboSta", 8), 0);
  auto u32 = [&](int at) {
    return bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 | bytes[at + 3] << 24;
  };
  EXPECT_EQ(u32(12), model_->nq);
  EXPECT_EQ(u32(16), model_->nv);
  EXPECT_EQ(u32(20), 3);
  uint64_t time = 0;
  for (int i = 0; i < 8; ++i) time |= static_cast<uint64_t>(bytes[32 + i]) << (8 * i);
  EXPECT_EQ(time, 0x3ff4000000000000u);  // 1.25
}

TEST_F(State, DamagedBytesAreRefusedAndTheStateStaysAsItWas) {
  const std::vector<unsigned char> bytes = Save();
  const uint64_t hash = tribo_state_hash(other_);
  TriboRandom random = tribo_random(9);
  for (int i = 0; i < tribo_test_count(2000); ++i) {
    std::vector<unsigned char> bad = bytes;
    bad[tribo_random_index(&random, static_cast<int>(bad.size()))] ^=
        static_cast<unsigned char>(1 + tribo_random_index(&random, 255));
    EXPECT_NE(tribo_state_restore(model_, bad.data(), bad.size(), other_), TRIBO_OK);
    const size_t size = tribo_random_index(&random, static_cast<int>(bytes.size()));
    EXPECT_EQ(tribo_state_restore(model_, bytes.data(), size, other_), TRIBO_ERROR_PARSE);
    ASSERT_EQ(tribo_state_hash(other_), hash);
  }
  std::vector<unsigned char> small(bytes.size() - 1);
  EXPECT_EQ(tribo_state_save(state_, small.data(), small.size()), TRIBO_ERROR_CAPACITY);
}

TEST_F(State, BytesOfAnotherModelAreRefused) {
  TriboRandom random = tribo_random(6);
  RandomTreeOptions options;
  options.links = 12;
  TreeModel twin(RandomTreeBuilder(&random, options));
  TriboState* state = nullptr;
  ASSERT_EQ(tribo_state_create(twin.model(), nullptr, &state), TRIBO_OK);
  const std::vector<unsigned char> bytes = Save();
  EXPECT_EQ(tribo_state_restore(twin.model(), bytes.data(), bytes.size(), state),
            TRIBO_ERROR_VERSION);
  EXPECT_EQ(tribo_state_copy(state_, state), TRIBO_ERROR_ARGUMENT);
  tribo_state_destroy(state);
}

TEST_F(State, DifferenceUndoesAddition) {
  for (int i = 0; i < tribo_test_count(100); ++i) {
    TriboRandom random = tribo_random(50 + i);
    const std::vector<double> q = tree_->RandomQ(&random), dv = tree_->RandomV(&random, 1.7);
    std::vector<double> moved(model_->nq), back(model_->nv), again(model_->nq);
    tribo_q_add(model_, q.data(), dv.data(), moved.data());
    tribo_q_difference(model_, q.data(), moved.data(), back.data());
    for (int k = 0; k < model_->nv; ++k) EXPECT_NEAR(back[k], dv[k], 1e-13);
    tribo_q_add(model_, q.data(), back.data(), again.data());
    for (int k = 0; k < model_->nq; ++k) EXPECT_NEAR(again[k], moved[k], 1e-13);
  }
}

TEST_F(State, ManyTurnsLeaveQuaternionsUnit) {
  std::vector<double> q(model_->q_initial, model_->q_initial + model_->nq);
  for (int i = 0; i < 100000; ++i)
    tribo_tree_integrate(model_, q.data(), v_.data(), 1e-3, q.data());
  for (int b = 0; b < model_->nb; ++b) {
    const TriboBody& body = model_->body[b];
    if (body.type != TRIBO_JOINT_BALL && body.type != TRIBO_JOINT_FREE) continue;
    const double* x = &q[body.q + (body.type == TRIBO_JOINT_FREE ? 3 : 0)];
    const double n2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
    EXPECT_NEAR(n2, 1, 4e-15);
    // A constant rate for 100 s is one rotation vector: 1e5 roundings of 1e-16 add up to 1e-11.
    TriboVec3 w = tribo_vec3_scale(100, tribo_vec3_from(&v_[body.v + body.nv - 3]));
    const TriboQuat expected = tribo_quat_exp(w);
    const double same =
        std::fabs(expected.w * x[0] + expected.x * x[1] + expected.y * x[2] + expected.z * x[3]);
    EXPECT_NEAR(same, 1, 1e-12);
  }
}

TEST(StateFreePose, PutsTheLinkFrameThereWhateverTheJointFrames) {
  TriboRandom random = tribo_random(3);
  TriboBuilder* builder = nullptr;
  ASSERT_EQ(tribo_builder_create(nullptr, &builder), TRIBO_OK);
  const int link = AddRandomLink(builder, &random);
  TriboJointDesc d = tribo_joint_default();
  d.type = TRIBO_JOINT_FREE;
  d.parent = TRIBO_WORLD;
  d.child = link;
  d.pose_parent = RandomPose(&random, 1);
  d.pose_child = RandomPose(&random, 1);
  ASSERT_EQ(tribo_builder_add_joint(builder, &d, nullptr), TRIBO_OK);
  TreeModel m(builder);
  TriboState* state = nullptr;
  ASSERT_EQ(tribo_state_create(m.model(), nullptr, &state), TRIBO_OK);
  const TriboPose pose = RandomPose(&random, 2);
  ASSERT_EQ(tribo_state_set_free_pose(m.model(), state, link, pose), TRIBO_OK);
  tribo_tree_kinematics(m.model(), m.tree(), tribo_state_q(state));
  const TriboTransform X = tribo_transform_mul(m.tree()->X_WB[0], m.model()->link_pose[link]);
  const TriboMat3 R = tribo_quat_to_mat3(pose.q);
  EXPECT_LE(tribo_vec3_distance(X.p, pose.p), 1e-14);
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(X.R.m[i], R.m[i], 1e-14);
  tribo_state_destroy(state);
}

}  // namespace
