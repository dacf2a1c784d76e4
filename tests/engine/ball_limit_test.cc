// SPDX-License-Identifier: Apache-2.0
//
// The limit of a ball joint, a cone about its rest orientation: its row against differences of the
// angle, pendulums held by it against statics, and no energy from it.
#include <cmath>

#include "engine/base/random.h"
#include "engine/base/rotation.h"
#include "engine/contact/joint_rows.h"
#include "tests/engine/scene.h"
#include "tests/scale.h"

namespace {

constexpr double kG = 9.81;
constexpr double kLength = 0.5, kMass = 2;

// A pendulum on a ball joint at the origin, hanging down where it is not turned. Its inertia about
// the joint is that of a sphere, kInertia, so that no gyroscopic torque acts.
constexpr double kInertia = 1.2;
struct Pendulum {
  Scene scene;
  int link, joint;
  explicit Pendulum(double cone) {
    const double arm = kMass * kLength * kLength;
    link = scene.Link(kMass, {kInertia - arm, kInertia - arm, kInertia});
    joint = scene.Joint(TRIBO_JOINT_BALL, TRIBO_WORLD, link, [&](TriboJointDesc* d) {
      d->pose_child = At(0, 0, kLength);
      d->limited = true;
      d->upper = cone;
    });
  }
  TriboQuat Turn() {
    const double* q = tribo_state_q(scene.state());
    return tribo_quat(q[0], q[1], q[2], q[3]);
  }
  double Angle() { return tribo_vec3_norm(tribo_quat_log(Turn())); }
  void Set(TriboVec3 turn, TriboVec3 spin) {
    const TriboQuat q = tribo_quat_exp(turn);
    const double numbers[] = {q.w, q.x, q.y, q.z};
    ASSERT_EQ(tribo_state_set_q(scene.model(), scene.state(), numbers), TRIBO_OK);
    ASSERT_EQ(tribo_state_set_v(scene.model(), scene.state(), &spin.x), TRIBO_OK);
  }
};

TriboVec3 Direction(TriboRandom* random) {
  TriboVec3 a;
  do {
    a = {tribo_random_in(random, -1, 1), tribo_random_in(random, -1, 1),
         tribo_random_in(random, -1, 1)};
  } while (tribo_vec3_norm(a) > 1 || tribo_vec3_norm(a) < 0.1);
  return tribo_vec3_scale(1 / tribo_vec3_norm(a), a);
}

double AngleAfter(TriboVec3 turn, TriboVec3 way) {
  return tribo_vec3_norm(tribo_quat_log(tribo_quat_mul(tribo_quat_exp(turn), tribo_quat_exp(way))));
}

TEST(BallLimit, RowIsTheDerivativeOfTheGapAndItsCurvatureTheSecond) {
  Pendulum p(1.5);
  TriboJointRow storage[2];
  TriboJointRows rows = {0, storage, 2};
  TriboRandom random = tribo_random(7);
  for (int i = 0; i < tribo_test_count(1000); ++i) {
    const TriboVec3 turn =
        tribo_vec3_scale(tribo_random_in(&random, 0.05, 3.1), Direction(&random));
    const TriboVec3 spin = Direction(&random);
    p.Set(turn, spin);
    const double *q = tribo_state_q(p.scene.state()), *v = tribo_state_v(p.scene.state());
    tribo_joint_rows_find(&rows, p.scene.model(), q, v, v, 1, 100);
    ASSERT_EQ(rows.count, 1);
    EXPECT_NEAR(rows.row[0].gap, 1.5 - tribo_vec3_norm(turn), 1e-12);
    // Central differences at 1e-4 rad: cut off at 1e-8 times derivatives that grow as 1/angle^2;
    // four roundings of angles up to pi, 4.4e-16 each, over the square of 1e-4 are 2e-7.
    const double e = 1e-4, sharp = 1 + 1 / tribo_vec3_norm2(turn);
    const double ahead = AngleAfter(turn, tribo_vec3_scale(e, spin));
    const double behind = AngleAfter(turn, tribo_vec3_scale(-e, spin));
    // The shorter way round half a turn is another branch.
    if (tribo_vec3_norm(turn) + 2 * e > M_PI) continue;
    EXPECT_NEAR(tribo_vec3_dot(rows.row[0].direction, spin), -(ahead - behind) / (2 * e),
                1e-8 * sharp);
    const double second = -(ahead + behind - 2 * tribo_vec3_norm(turn)) / (e * e);
    EXPECT_NEAR(tribo_joint_row_curvature(&rows.row[0], p.scene.model(), q, v), second,
                4e-7 * sharp * sharp);
  }
}

TEST(BallLimit, PendulumIsHeldAtItsConeAsStaticsSays) {
  // A level force F at the mass pushes it outwards, in any direction: at the cone's angle the limit
  // bears what F has about the joint beyond the weight's moment.
  const double cone = 0.6, push = 30;
  for (double way : {0.0, 0.7, 2.0, 4.5}) {
    Pendulum p(cone);
    const double wrench[] = {push * std::cos(way), push * std::sin(way), 0, 0, 0, 0};
    p.scene.input.wrench = wrench;
    p.scene.Run(1000);
    EXPECT_LE(p.scene.worst, 1e-9);
    EXPECT_EQ(p.scene.relaxed_steps, 0);
    EXPECT_NEAR(p.Angle(), cone, 1e-9);
    EXPECT_NEAR(tribo_vec3_norm(p.scene.Spin(p.link)), 0, 1e-9);
    TriboVec3 force, torque;
    ASSERT_EQ(tribo_joint_reaction(p.scene.model(), p.scene.state(), p.scene.workspace(), p.joint,
                                   &force, &torque),
              TRIBO_OK);
    // The mass moves towards `way`, about z x way.
    const TriboVec3 outwards = {std::sin(way), -std::cos(way), 0};
    const double moment = push * kLength * std::cos(cone) - kMass * kG * kLength * std::sin(cone);
    ASSERT_GT(moment, 1);
    EXPECT_NEAR(tribo_vec3_dot(torque, outwards), -moment, 1e-8);
    EXPECT_NEAR(tribo_vec3_norm(torque), moment, 1e-8);
    EXPECT_NEAR(force.x, -wrench[0], 1e-8);
    EXPECT_NEAR(force.y, -wrench[1], 1e-8);
    EXPECT_NEAR(force.z, kMass * kG, 1e-8);
  }
}

TEST(BallLimit, InsideTheConeItIsNotThere) {
  // Within the cone the motion is to the bit that of a joint with a cone it never reaches.
  Pendulum narrow(0.5), wide(3);
  for (Pendulum* p : {&narrow, &wide}) {
    p->Set({0.3, 0.1, 0}, {0.1, 0.2, 0.05});
    p->scene.Run(500);
  }
  EXPECT_EQ(narrow.Angle(), wide.Angle());
  EXPECT_LT(narrow.Angle(), 0.5);
}

TEST(BallLimit, AngleOfHalfATurnAndMoreIsNoLimit) {
  Pendulum p(4);
  p.scene.Gravity({0, 0, 0});
  p.Set({0, 0, 0}, {3, 0, 0});
  p.scene.Run(3000);
  EXPECT_NEAR(tribo_vec3_norm(p.scene.Spin(p.link)), 3, 1e-9);
}

// Pendulums of random spin pressed on their cones by gravity to the side, or by nothing.
TEST(BallLimit, GivesNoEnergyAndIsPassedByWhatTurningAddsWithinAStep) {
  const double pull = kMass * 10 * kLength;
  for (bool gravity : {false, true}) {
    TriboRandom random = tribo_random(3);
    for (int i = 0; i < tribo_test_count(30); ++i) {
      const double cone = tribo_random_in(&random, 0.2, 2.5);
      Pendulum p(cone);
      p.scene.Gravity({gravity ? 6.0 : 0, 0, gravity ? 8.0 : 0});
      p.scene.options.energy = true;
      const double h = p.scene.options.h;
      p.Set(tribo_vec3_scale(0.9 * cone, Direction(&random)),
            tribo_vec3_scale(6, Direction(&random)));
      int held = 0;
      for (int s = 0; s < 1000; ++s) {
        p.scene.Step();
        const TriboStepInfo& info = p.scene.info;
        const double spin2 = tribo_vec3_norm2(p.scene.Spin(p.link));
        // Without gravity no more than the projection lifts. With it, Euler's own error: with a
        // torque w over a way h v+, h^2/2 of what the weight changes along the way.
        const double gain = info.energy_after - info.energy_before - info.energy_lifted;
        EXPECT_LE(gain, 1e-13 * kInertia * 36 + (gravity ? h * h / 2 * pull * spin2 : 0)) << i;
        // theta'' = |w across|^2 cot(theta/2)/2, over a step; and the second order of that.
        const double passed = h * h / 4 * spin2 / std::tan(cone / 2);
        EXPECT_LE(p.Angle() - cone, 1.01 * passed + 1e-12) << i;
        held += info.rows;
      }
      EXPECT_GT(held, gravity ? 100 : 0) << i;
      EXPECT_LE(p.scene.worst, 1e-9);
      EXPECT_EQ(p.scene.relaxed_steps, 0);
    }
  }
}

TEST(BallLimit, AccelerationsKeepTheAngleWhereItIsPressed) {
  const double cone = 0.8;
  TriboRandom random = tribo_random(5);
  for (int i = 0; i < 100; ++i) {
    Pendulum p(cone);
    p.scene.Gravity({0, 0, 0});
    const TriboVec3 axis = Direction(&random);
    TriboVec3 spin = tribo_vec3_cross(axis, Direction(&random));
    // Across the axis it turns along its cone; a little inwards it leaves.
    const bool leaves = i % 4 == 0;
    if (leaves) spin = tribo_vec3_madd(spin, -0.1, axis);
    p.Set(tribo_vec3_scale(cone, axis), spin);
    const TriboVec3 out = tribo_vec3_scale(5, axis);
    p.scene.input.effort = &out.x;
    TriboVec3 a;
    TriboForwardInfo info;
    ASSERT_EQ(tribo_forward(p.scene.model(), nullptr, &p.scene.input, p.scene.state(),
                            p.scene.workspace(), &a.x, &info),
              TRIBO_OK);
    const double e = 1e-4;  // as above: 1e-8 times fourth derivatives, and 2e-7 of rounding
    double sum = -2 * AngleAfter(tribo_vec3_scale(cone, axis), tribo_vec3_zero());
    for (int side = -1; side <= 1; side += 2) {
      sum += AngleAfter(
          tribo_vec3_scale(cone, axis),
          tribo_vec3_add(tribo_vec3_scale(side * e, spin), tribo_vec3_scale(e * e / 2, a)));
    }
    if (leaves) {
      EXPECT_GT(sum / (e * e), 1) << i;
    } else {
      EXPECT_NEAR(sum / (e * e), 0, 5e-7) << i;
    }
  }
}

}  // namespace
