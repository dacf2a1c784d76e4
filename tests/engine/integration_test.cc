// SPDX-License-Identifier: Apache-2.0
//
// Smooth motion through tribo_step: closed forms, orders in the step size, what is conserved.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/base/rotation.h"
#include "engine/tribo.h"
#include "tests/scale.h"
#include "tools/tribo/bench_robots.h"

namespace {

class World {
 public:
  explicit World(TriboBuilder* builder) {
    TriboMessage message;
    EXPECT_EQ(tribo_model_create(builder, nullptr, &model_, &message), TRIBO_OK) << message.text;
    tribo_builder_destroy(builder);
    EXPECT_EQ(tribo_state_create(model_, nullptr, &state_), TRIBO_OK);
    EXPECT_EQ(tribo_workspace_create(model_, nullptr, nullptr, &workspace_), TRIBO_OK);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    tribo_workspace_destroy(workspace_);
    tribo_state_destroy(state_);
    tribo_model_destroy(model_);
  }
  void Step(const TriboStepOptions& options) {
    ASSERT_EQ(tribo_step(model_, &options, nullptr, state_, workspace_), TRIBO_OK);
  }
  TriboEnergy Energy() {
    TriboEnergy e = {};
    EXPECT_EQ(tribo_energy(model_, state_, workspace_, &e), TRIBO_OK);
    return e;
  }
  void SetQ(const std::vector<double>& q) {
    ASSERT_EQ(tribo_state_set_q(model_, state_, q.data()), TRIBO_OK);
  }
  void SetV(const std::vector<double>& v) {
    ASSERT_EQ(tribo_state_set_v(model_, state_, v.data()), TRIBO_OK);
  }
  const double* q() const { return tribo_state_q(state_); }
  const double* v() const { return tribo_state_v(state_); }
  int nv() const { return tribo_model_nv(model_); }
  int nq() const { return tribo_model_nq(model_); }
  TriboModel* model() { return model_; }
  TriboState* state() { return state_; }
  TriboWorkspace* workspace() { return workspace_; }

 private:
  TriboModel* model_ = nullptr;
  TriboState* state_ = nullptr;
  TriboWorkspace* workspace_ = nullptr;
};

TriboStepOptions Options(double h, TriboIntegrator integrator) {
  TriboStepOptions options = tribo_step_options_default();
  options.h = h;
  options.integrator = integrator;
  return options;
}

TriboBuilder* NewBuilder(TriboVec3 gravity) {
  TriboBuilder* builder = nullptr;
  EXPECT_EQ(tribo_builder_create(nullptr, &builder), TRIBO_OK);
  EXPECT_EQ(tribo_builder_set_gravity(builder, gravity), TRIBO_OK);
  return builder;
}

int AddBody(TriboBuilder* builder, double mass, TriboVec3 com, TriboVec3 inertia) {
  TriboLinkDesc d = tribo_link_default();
  d.mass = mass;
  d.com = com;
  const double diagonal[6] = {inertia.x, inertia.y, inertia.z, 0, 0, 0};
  for (int i = 0; i < 6; ++i) d.inertia[i] = diagonal[i];
  int link = -1;
  EXPECT_EQ(tribo_builder_add_link(builder, &d, &link), TRIBO_OK);
  return link;
}

double Distance(TriboVec3 a, TriboVec3 b) { return tribo_vec3_distance(a, b); }

// ---- a loose body

TEST(LooseBody, FallsAlongTheParabola) {
  // Turning, with its centre of mass off its frame: the centre falls as a point does.
  for (TriboIntegrator integrator : {TRIBO_INTEGRATOR_SEMI_IMPLICIT, TRIBO_INTEGRATOR_RK4}) {
    TriboBuilder* builder = NewBuilder(tribo_vec3(0, 0, -9.81));
    AddBody(builder, 2, tribo_vec3(0.1, 0.2, -0.1), tribo_vec3(0.02, 0.03, 0.04));
    World world(builder);
    world.SetQ({1, 2, 3, 1, 0, 0, 0});
    world.SetV({0.3, -0.2, 1, 1, 2, 3});
    const TriboEnergy start = world.Energy();
    const TriboVec3 v0 = tribo_vec3_scale(0.5, start.linear_momentum);
    const int steps = 2000;
    for (int i = 0; i < steps; ++i) world.Step(Options(1e-3, integrator));
    const double t = 2;
    const TriboEnergy end = world.Energy();
    TriboVec3 expected = tribo_vec3_madd(start.com, t, v0);
    expected.z -= 0.5 * 9.81 * t * t;
    // The frame's origin circles the centre: what is left is its second or fourth order in h.
    const bool rk4 = integrator == TRIBO_INTEGRATOR_RK4;
    EXPECT_LE(Distance(end.com, expected), rk4 ? 1e-10 : 1e-5);
    EXPECT_LE(Distance(end.linear_momentum, tribo_vec3(2 * v0.x, 2 * v0.y, 2 * (v0.z - 9.81 * t))),
              rk4 ? 1e-9 : 1e-11);
  }
}

TEST(LooseBody, FallsExactlyWhenItsFrameIsAtItsCentre) {
  TriboBuilder* builder = NewBuilder(tribo_vec3(0, 0, -9.81));
  AddBody(builder, 2, tribo_vec3(0, 0, 0), tribo_vec3(0.02, 0.03, 0.04));
  World world(builder);
  world.SetQ({1, 2, 3, 1, 0, 0, 0});
  world.SetV({0.3, -0.2, 1, 1, 2, 3});
  const int steps = 5000;
  for (int i = 0; i < steps; ++i) world.Step(Options(1e-3, TRIBO_INTEGRATOR_SEMI_IMPLICIT));
  const double t = 5;
  // 5000 additions of numbers up to 100, each rounded to 1e-14.
  EXPECT_NEAR(world.q()[0], 1 + 0.3 * t, 1e-11);
  EXPECT_NEAR(world.q()[1], 2 - 0.2 * t, 1e-11);
  EXPECT_NEAR(world.q()[2], 3 + t - 0.5 * 9.81 * t * t, 1e-10);
}

TEST(LooseBody, AtRestWithoutGravityNotABitChanges) {
  TriboBuilder* builder = NewBuilder(tribo_vec3_zero());
  AddBody(builder, 2, tribo_vec3(0.1, 0.2, -0.1), tribo_vec3(0.02, 0.03, 0.04));
  World world(builder);
  world.SetQ({1, 2, 3, 0.5, 0.5, -0.1, 0.7});
  const std::vector<double> q(world.q(), world.q() + 7);
  for (int i = 0; i < 100; ++i) world.Step(Options(1e-3, TRIBO_INTEGRATOR_SEMI_IMPLICIT));
  for (int i = 0; i < 7; ++i) EXPECT_EQ(world.q()[i], q[i]);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(world.v()[i], 0);
}

// Complete elliptic integral of the first kind, by the arithmetic-geometric mean; m = k^2.
double EllipticK(double m) {
  double a = 1, b = std::sqrt(1 - m);
  for (int i = 0; i < 60 && std::fabs(a - b) > 1e-16 * a; ++i) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return M_PI / (2 * a);
}

// Spins about the intermediate axis y, a little off it: [LandauLifshitz1976, sec. 37].
const TriboVec3 kMoments = {0.01, 0.02, 0.03};
const TriboVec3 kSpin = {0.02, 10, 0.04};

double FlipPeriod() {
  double I1 = kMoments.x, I2 = kMoments.y, I3 = kMoments.z;
  const double E2 = I1 * kSpin.x * kSpin.x + I2 * kSpin.y * kSpin.y + I3 * kSpin.z * kSpin.z;
  const double M2 =
      I1 * I1 * kSpin.x * kSpin.x + I2 * I2 * kSpin.y * kSpin.y + I3 * I3 * kSpin.z * kSpin.z;
  if (M2 < E2 * I2) std::swap(I1, I3);
  const double k2 = (I2 - I1) * (E2 * I3 - M2) / ((I3 - I2) * (M2 - E2 * I1));
  return 4 * EllipticK(k2) * std::sqrt(I1 * I2 * I3 / ((I3 - I2) * (M2 - E2 * I1)));
}

// Mean time between sign changes of the spin about y, doubled; the largest loss of angular
// momentum and energy on the way.
void Flip(TriboIntegrator integrator, double h, int steps, double* period, double* momentum,
          double* energy) {
  TriboBuilder* builder = NewBuilder(tribo_vec3_zero());
  AddBody(builder, 1, tribo_vec3_zero(), kMoments);
  World world(builder);
  world.SetV({0, 0, 0, kSpin.x, kSpin.y, kSpin.z});
  const TriboEnergy start = world.Energy();
  double first = -1, last = -1;
  int crossings = 0;
  *momentum = *energy = 0;
  for (int i = 0; i < steps; ++i) {
    const double before = world.v()[4];
    world.Step(Options(h, integrator));
    const double after = world.v()[4];
    if (before * after < 0) {
      last = h * (i + before / (before - after));
      if (first < 0) first = last;
      ++crossings;
    }
    const TriboEnergy now = world.Energy();
    *momentum = std::fmax(*momentum, Distance(now.angular_momentum, start.angular_momentum) /
                                         tribo_vec3_norm(start.angular_momentum));
    *energy = std::fmax(*energy, std::fabs(now.kinetic / start.kinetic - 1));
  }
  ASSERT_GE(crossings, 3);
  *period = 2 * (last - first) / (crossings - 1);
}

TEST(LooseBody, TheIntermediateAxisFlipsAtItsPeriod) {
  double period, momentum, energy;
  Flip(TRIBO_INTEGRATOR_RK4, 1e-3, 10000, &period, &momentum, &energy);
  // Linear interpolation of the crossing is good to h^2 times the curvature there.
  EXPECT_NEAR(period, FlipPeriod(), 1e-6 * FlipPeriod());
  EXPECT_LE(momentum, 1e-9);
  EXPECT_LE(energy, 1e-9);
}

TEST(LooseBody, TheDefaultStepKeepsMomentumAndItsEnergyIsOfSecondOrder) {
  double period, momentum, coarse, fine;
  Flip(TRIBO_INTEGRATOR_SEMI_IMPLICIT, 1e-3, 10000, &period, &momentum, &coarse);
  // So near the separatrix the period feels errors of the energy by their logarithm.
  EXPECT_NEAR(period, FlipPeriod(), 5e-3 * FlipPeriod());
  EXPECT_LE(momentum, 1e-12);
  Flip(TRIBO_INTEGRATOR_SEMI_IMPLICIT, 5e-4, 20000, &period, &momentum, &fine);
  EXPECT_NEAR(period, FlipPeriod(), 1.5e-3 * FlipPeriod());
  EXPECT_LE(coarse, 1e-4);
  // Order two, or the third that a free body happens to have.
  EXPECT_GE(coarse / fine, 3.4);
}

// ---- a double pendulum

double PendulumEnergyError(TriboIntegrator integrator, double h, double seconds) {
  TriboBuilder* builder = NewBuilder(tribo_vec3(0, 0, -9.81));
  int parent = TRIBO_WORLD;
  for (int i = 0; i < 2; ++i) {
    const int link = AddBody(builder, 1, tribo_vec3(0, 0, -0.5), tribo_vec3(0.08, 0.08, 0.01));
    TriboJointDesc d = tribo_joint_default();
    d.parent = parent;
    d.child = link;
    d.pose_parent.p.z = i == 0 ? 0 : -1;
    d.axis = tribo_vec3(0, 1, 0);
    EXPECT_EQ(tribo_builder_add_joint(builder, &d, nullptr), TRIBO_OK);
    parent = link;
  }
  World world(builder);
  world.SetQ({1.0, 0.5});
  const TriboEnergy start = world.Energy();
  double worst = 0;
  for (int i = 0; i < std::lround(seconds / h); ++i) {
    world.Step(Options(h, integrator));
    const TriboEnergy e = world.Energy();
    worst = std::fmax(worst, std::fabs(e.kinetic + e.potential - start.kinetic - start.potential));
  }
  return worst;
}

TEST(DoublePendulum, EnergyErrorOfTheDefaultStepStaysSmallAndIsOfSecondOrder) {
  const double coarse = PendulumEnergyError(TRIBO_INTEGRATOR_SEMI_IMPLICIT, 2e-3, 4);
  const double fine = PendulumEnergyError(TRIBO_INTEGRATOR_SEMI_IMPLICIT, 1e-3, 4);
  EXPECT_NEAR(coarse / fine, 4, 0.5);
  // In 40 s of chaotic swinging, of 20 J between its lowest and highest; Euler loses 3 J.
  EXPECT_LE(PendulumEnergyError(TRIBO_INTEGRATOR_SEMI_IMPLICIT, 1e-3, 40), 5e-3);
}

TEST(DoublePendulum, EnergyErrorOfRk4IsOfFourthOrder) {
  const double coarse = PendulumEnergyError(TRIBO_INTEGRATOR_RK4, 8e-3, 4);
  const double fine = PendulumEnergyError(TRIBO_INTEGRATOR_RK4, 4e-3, 4);
  // Energy can be better than the trajectory by one order, never worse.
  EXPECT_GE(coarse / fine, 14);
}

// ---- a floating robot

// The largest relative change in ten seconds of energy, linear and angular momentum.
struct Drift {
  double energy, linear, angular;
};

void SetQuadrupedMotion(World* world) {
  std::vector<double> v = {0.1, 0.2, 0.3, 0.5, 0.3, 0.7};
  for (int i = 0; i < 12; ++i) v.push_back(2 * std::sin(1.0 + i));
  world->SetV(v);
}

Drift QuadrupedDrift(TriboIntegrator integrator, double h) {
  TriboBuilder* builder = nullptr;
  EXPECT_EQ(tribo_bench_quadruped(false, &builder), TRIBO_OK);
  EXPECT_EQ(tribo_builder_set_gravity(builder, tribo_vec3_zero()), TRIBO_OK);
  World world(builder);
  SetQuadrupedMotion(&world);
  const TriboEnergy start = world.Energy();
  EXPECT_NEAR(start.kinetic, 4.72587, 5e-6);
  Drift drift = {0, 0, 0};
  for (int i = 0; i < std::lround(10 / h); ++i) {
    world.Step(Options(h, integrator));
    const TriboEnergy e = world.Energy();
    drift.energy = std::fmax(drift.energy, std::fabs(e.kinetic / start.kinetic - 1));
    drift.linear = std::fmax(drift.linear, Distance(e.linear_momentum, start.linear_momentum) /
                                               tribo_vec3_norm(start.linear_momentum));
    drift.angular = std::fmax(drift.angular, Distance(e.angular_momentum, start.angular_momentum) /
                                                 tribo_vec3_norm(start.angular_momentum));
  }
  return drift;
}

TEST(FloatingQuadruped, TheDefaultStepKeepsMomentumToRounding) {
  // Semi-implicit Euler alone drifts by 1.3e-2, 4.9e-3 and 1.6e-2 here.
  const Drift drift = QuadrupedDrift(TRIBO_INTEGRATOR_SEMI_IMPLICIT, 1e-3);
  EXPECT_LE(drift.linear, 1e-12);
  EXPECT_LE(drift.angular, 1e-12);
  EXPECT_LE(drift.energy, 1e-5);
  // Energy is of second order.
  EXPECT_NEAR(QuadrupedDrift(TRIBO_INTEGRATOR_SEMI_IMPLICIT, 2e-3).energy / drift.energy, 4, 0.6);
}

TEST(FloatingQuadruped, Rk4DriftsLessThanAPartInTenMillion) {
  const Drift drift = QuadrupedDrift(TRIBO_INTEGRATOR_RK4, 1e-3);
  EXPECT_LE(drift.linear, 1e-7);
  EXPECT_LE(drift.angular, 1e-7);
  EXPECT_LE(drift.energy, 1e-7);
}

TEST(FloatingQuadruped, MomentumIsKeptWithMotorsDampersAndGravityAtWork) {
  // Forces inside the robot change no momentum, gravity changes it by m g h a step, whatever their
  // gains and however they are taken.
  TriboBuilder* builder = nullptr;
  ASSERT_EQ(tribo_bench_quadruped(false, &builder), TRIBO_OK);
  for (int joint = 1; joint <= 12; ++joint) {
    TriboActuatorDesc d = tribo_actuator_default();
    d.type = TRIBO_ACTUATOR_POSITION;
    d.joint = joint;
    d.kp = 300;
    d.kd = 4;
    d.effort_limit = joint % 3 == 0 ? 5 : INFINITY;
    ASSERT_EQ(tribo_builder_add_actuator(builder, &d, nullptr), TRIBO_OK);
  }
  World world(builder);
  SetQuadrupedMotion(&world);
  const TriboEnergy start = world.Energy();
  const double h = 1e-3, mass = tribo_model_total_mass(world.model());
  std::vector<double> control(12);
  TriboInput input = tribo_input_default();
  input.control = control.data();
  const TriboStepOptions options = Options(h, TRIBO_INTEGRATOR_SEMI_IMPLICIT);
  const int steps = 2000;
  for (int i = 0; i < steps; ++i) {
    for (int k = 0; k < 12; ++k) control[k] = 0.5 * std::sin(0.01 * i + k);
    ASSERT_EQ(tribo_step(world.model(), &options, &input, world.state(), world.workspace()),
              TRIBO_OK);
  }
  const TriboEnergy end = world.Energy();
  TriboVec3 expected = start.linear_momentum;
  expected.z -= mass * 9.81 * h * steps;
  EXPECT_LE(Distance(end.linear_momentum, expected), 1e-12 * tribo_vec3_norm(expected));
  EXPECT_LE(Distance(end.angular_momentum, start.angular_momentum),
            1e-11 * tribo_vec3_norm(start.angular_momentum));
}

TEST(FloatingQuadruped, WhatTheWorkspaceHoldsChangesNoBit) {
  // The end of a step leaves kinematics and factor behind for the next; a fresh workspace has none.
  TriboBuilder* builder = nullptr;
  ASSERT_EQ(tribo_bench_quadruped(false, &builder), TRIBO_OK);
  World world(builder);
  SetQuadrupedMotion(&world);
  TriboState* twin = nullptr;
  ASSERT_EQ(tribo_state_create(world.model(), nullptr, &twin), TRIBO_OK);
  ASSERT_EQ(tribo_state_copy(world.state(), twin), TRIBO_OK);
  const TriboStepOptions options = Options(1e-3, TRIBO_INTEGRATOR_SEMI_IMPLICIT);
  for (int i = 0; i < 100; ++i) {
    world.Step(options);
    TriboWorkspace* fresh = nullptr;
    ASSERT_EQ(tribo_workspace_create(world.model(), nullptr, nullptr, &fresh), TRIBO_OK);
    ASSERT_EQ(tribo_step(world.model(), &options, nullptr, twin, fresh), TRIBO_OK);
    tribo_workspace_destroy(fresh);
    ASSERT_TRUE(tribo_state_equal(world.state(), twin));
  }
  tribo_state_destroy(twin);
}

}  // namespace
