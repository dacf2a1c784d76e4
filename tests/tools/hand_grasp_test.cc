// SPDX-License-Identifier: Apache-2.0
//
// The three-finger hand that ships, with a ball of 0.1 kg between the fingers and the palm, under
// the force that its controller is asked for. The efforts of the fingers decide their forces in
// their planes, so that statics is exact: the fingers press the ball down with f s each, where s is
// the sine of the angle at which they touch it, and it stays on the palm as long as it is pulled up
// with less than 3 f s + m g, with any friction.
#include "tools/controllers/hand_grasp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/tools/library_scene.h"

namespace {

const double kWeight = 0.1 * 9.81;

class Hand : public LibraryScene {
 public:
  explicit Hand(TriboContactModel contact, double force = 2, std::vector<const char*> settings = {})
      : LibraryScene("hand", settings), memory_(tribo_hand_grasp_memory(model)) {
    options.model = contact;
    TriboHandGraspOptions wanted = tribo_hand_grasp_options_default();
    wanted.force = force;
    TriboMessage message;
    EXPECT_EQ(tribo_hand_grasp_init(&grasp, &wanted, model, state, memory_.data(), &message),
              TRIBO_OK)
        << message.text;
    ball_ = tribo_model_find(model, TRIBO_KIND_LINK, "ball");
  }
  // For a time; every step with its certificate.
  void run(double duration) {
    const double until = tribo_state_time(state) + duration;
    while (tribo_state_time(state) < until) {
      ASSERT_EQ(tribo_hand_grasp_update(&grasp, state, workspace, scratch, control.data()),
                TRIBO_OK);
      ASSERT_TRUE(step());
      EXPECT_LT(slip_of_sticking(), 1e-9);
    }
  }
  TriboPose ball() {
    TriboPose pose;
    EXPECT_EQ(tribo_link_pose(model, state, scratch, ball_, &pose), TRIBO_OK);
    return pose;
  }
  void pull(double x, double y, double z) {
    double* w = wrench.data() + 6 * (size_t)ball_;
    w[0] = x, w[1] = y, w[2] = z;
  }
  void twist(double z) { wrench[6 * (size_t)ball_ + 5] = z; }
  // What holds the ball on the palm.
  double hold() {
    double sum = kWeight;
    for (const TriboHandFinger& finger : grasp.finger) sum -= finger.measured * finger.normal.z;
    return sum;
  }
  void expect_force(double force) {
    for (const TriboHandFinger& finger : grasp.finger)
      EXPECT_NEAR(finger.measured, force, 0.01 * force);
  }
  // Nothing has moved since, neither place nor attitude.
  void expect_at(const TriboPose& before) {
    const TriboPose now = ball();
    EXPECT_LT(std::hypot(now.p.x - before.p.x, now.p.y - before.p.y, now.p.z - before.p.z), 1e-9);
    EXPECT_LT(std::hypot(now.q.x - before.q.x, now.q.y - before.q.y, now.q.z - before.q.z), 1e-9);
  }

  TriboHandGrasp grasp;

 private:
  std::vector<double> memory_;
  int ball_;
};

class EveryModel : public ::testing::TestWithParam<TriboContactModel> {};
INSTANTIATE_TEST_SUITE_P(HandGrasp, EveryModel,
                         ::testing::Values(TRIBO_MODEL_COULOMB, TRIBO_MODEL_NOSLIP));

TEST_P(EveryModel, TheBallDoesNotCreep) {
  for (const char* dt : {"dt=0.002", "dt=0.0005"}) {
    for (double force : {0.5, 2.0, 20.0}) {
      SCOPED_TRACE(dt + std::string(" force ") + std::to_string(force));
      Hand hand(GetParam(), force, {dt});
      hand.run(2);
      if (HasFatalFailure()) return;
      EXPECT_TRUE(hand.grasp.pressing);
      hand.expect_force(force);
      const TriboPose before = hand.ball();
      hand.run(2);
      hand.expect_force(force);
      hand.expect_at(before);
    }
  }
}

// Also pulled aside, twisted, and pulled up with twice its weight, as in a hand that is turned
// upside down.
TEST_P(EveryModel, HoldsTheBallAgainstPullsFromEverySide) {
  Hand hand(GetParam(), 2);
  hand.run(2);
  const TriboPose before = hand.ball();
  for (int side = 0; side < 8; ++side) {
    const double angle = side * 0.785398163397448310;
    hand.pull(std::cos(angle), std::sin(angle), 0.5);
    hand.run(0.3);
    if (HasFatalFailure()) return;
    hand.expect_at(before);
  }
  hand.pull(0, 0, 2 * kWeight);
  hand.twist(0.01);
  hand.run(0.5);
  hand.expect_at(before);
}

TEST_P(EveryModel, LetsTheBallOutWhereStaticsSaysSo) {
  Hand hand(GetParam(), 2);
  hand.run(2);
  const TriboPose before = hand.ball();
  const double limit = hand.hold();
  EXPECT_GT(limit, kWeight + 2);  // the fingers reach over the ball
  hand.pull(0, 0, 0.99 * limit);
  hand.run(0.5);
  hand.expect_at(before);
  hand.pull(0, 0, 1.01 * limit);
  hand.run(0.5);
  const double risen = hand.ball().p.z;  // not far, as the damping of the joints is 0.02 N m s/rad
  EXPECT_GT(risen, before.p.z + 5e-5);
  hand.run(0.5);
  EXPECT_GT(hand.ball().p.z, risen + 5e-5);
}

TEST_P(EveryModel, FollowsTheCommandWhileItHolds) {
  Hand hand(GetParam(), 2);
  hand.run(2);
  const TriboPose before = hand.ball();
  for (double force : {5.0, 1.0, 2.0}) {
    hand.grasp.options.force = force;
    hand.run(0.5);
    hand.expect_force(force);
    hand.expect_at(before);
  }
}

// A ball that is not in the middle is brought there or held where it is; the forces are the same.
TEST_P(EveryModel, GraspsABallThatLiesOffTheMiddle) {
  Hand hand(GetParam(), 2);
  std::vector<double> q(tribo_state_q(hand.state),
                        tribo_state_q(hand.state) + tribo_model_nq(hand.model));
  q[0] += 0.004, q[1] -= 0.003;
  ASSERT_EQ(tribo_state_set_q(hand.model, hand.state, q.data()), TRIBO_OK);
  hand.run(2);
  hand.expect_force(2);
  const TriboPose before = hand.ball();
  hand.run(1);
  hand.expect_at(before);
}

TEST(HandGrasp, SaysWhatAModelLacks) {
  LibraryScene scene("gripper", {});
  TriboHandGrasp grasp;
  TriboMessage message;
  std::vector<double> memory(tribo_hand_grasp_memory(scene.model));
  EXPECT_EQ(
      tribo_hand_grasp_init(&grasp, nullptr, scene.model, scene.state, memory.data(), &message),
      TRIBO_ERROR_MODEL);
  EXPECT_NE(std::string(message.text).find("base0"), std::string::npos) << message.text;
}

}  // namespace
