// SPDX-License-Identifier: Apache-2.0
#include "solvers/coping.h"

#include <gtest/gtest.h>

#include <cmath>

namespace {

// Figure 1 of [Baraff1991]: a rod of mass 1 and inertia 1/16, half length 1, sliding on a base with
// its lower end; mu such that the normal acceleration per normal force is exactly -1.
struct Rod {
  static constexpr double kAngle = 1.0471975511965976;
  double mu = (std::cos(kAngle) * std::cos(kAngle) + 0.125) / (std::cos(kAngle) * std::sin(kAngle));
  int start[2] = {0, 3}, index[3] = {0, 1, 2};
  // In mass coordinates: the angular entries are divided by sqrt(1/16).
  double n[3] = {0, 1, -4 * std::cos(kAngle)}, t[3] = {1, 0, 4 * std::sin(kAngle)};
  double k[3] = {0, 0, 0}, b_n[1] = {0}, b_t[1] = {0}, slip[1] = {-1};
  uint64_t id[1] = {0};
  TriboFrictionGroup group[1] = {{0, 0, 1, 2, mu, 0}};
  double y[3], f[1], tangential[1];
  TriboContactProblem problem = {};
  TriboContactSolution solution = {};
  TriboCopingResult result = {};

  // free: the normal acceleration without contact, |omega|^2 sin(theta) - g.
  TriboStatus solve(double free, double slow) {
    b_n[0] = -free;
    problem.ny = 3;
    problem.k = k;
    problem.N = {1, start, index, n};
    problem.T = {1, start, index, t};
    problem.b_N = b_n;
    problem.b_T = b_t;
    problem.id_N = id;
    problem.ng = 1;
    problem.group = group;
    solution = {y, nullptr, f, tangential, nullptr, nullptr};
    TriboArena measure = tribo_arena_measure();
    tribo_coping_init(&measure, 1, 3);
    void* memory = tribo_allocate(nullptr, measure.used);
    TriboArena arena = tribo_arena_over(memory, measure.used);
    TriboCoping* coping = tribo_coping_init(&arena, 1, 3);
    const TriboStatus status = tribo_coping_solve(coping, &problem, slip, slow, &solution, &result);
    tribo_release(nullptr, memory, measure.used);
    return status;
  }
};

TEST(Coping, IndeterminateRodHasNoForceOrItsMass) {
  Rod rod;
  ASSERT_EQ(rod.solve(1, 1e-6), TRIBO_OK);
  EXPECT_EQ(rod.result.kind, TRIBO_COPING_FORCE);
  EXPECT_TRUE(std::fabs(rod.f[0]) < 1e-12 || std::fabs(rod.f[0] - 1) < 1e-12) << rod.f[0];
}

TEST(Coping, SkimmingRodHasNoForce) {
  Rod rod;
  ASSERT_EQ(rod.solve(0, 1e-6), TRIBO_OK);
  EXPECT_EQ(rod.result.kind, TRIBO_COPING_FORCE);
  EXPECT_EQ(rod.f[0], 0);
}

TEST(Coping, InconsistentRodGetsAnImpulseThatStopsItWithoutSeparation) {
  Rod rod;
  ASSERT_EQ(rod.solve(-9.81, 1e-6), TRIBO_OK);
  EXPECT_EQ(rod.result.kind, TRIBO_COPING_IMPULSE);
  EXPECT_EQ(rod.result.stopped, 0);
  EXPECT_GT(rod.f[0], 0);
  // Section 7.1: the contact stops sliding, and does not separate where the impulse acts.
  EXPECT_NEAR(rod.slip[0] + tribo_row_dot(&rod.problem.T, 0, rod.y), 0, 1e-12);
  EXPECT_LE(tribo_row_dot(&rod.problem.N, 0, rod.y), 0);
  EXPECT_NEAR(rod.tangential[0], rod.mu * rod.f[0], 1e-12);
}

TEST(Coping, SlowRodIsConsistentUnderTheApproximationOfStaticFriction) {
  // At a thousandth of the threshold friction is a thousandth of mu f, and the normal force works.
  Rod rod;
  ASSERT_EQ(rod.solve(-9.81, 1000), TRIBO_OK);
  EXPECT_EQ(rod.result.kind, TRIBO_COPING_FORCE);
  EXPECT_NEAR(tribo_row_dot(&rod.problem.N, 0, rod.y) - rod.b_n[0], 0, 1e-9);
  EXPECT_NEAR(rod.tangential[0], rod.mu * rod.f[0] / 1000, 1e-12);
}

TEST(Coping, EqualityRowsAreRefused) {
  Rod rod;
  ASSERT_EQ(rod.solve(1, 1e-6), TRIBO_OK);
  TriboContactProblem problem = rod.problem;
  problem.X = problem.N;
  problem.b_X = problem.b_N;
  TriboArena measure = tribo_arena_measure();
  tribo_coping_init(&measure, 1, 3);
  void* memory = tribo_allocate(nullptr, measure.used);
  TriboArena arena = tribo_arena_over(memory, measure.used);
  TriboCoping* coping = tribo_coping_init(&arena, 1, 3);
  EXPECT_EQ(tribo_coping_solve(coping, &problem, rod.slip, 1, &rod.solution, &rod.result),
            TRIBO_ERROR_UNSUPPORTED);
  tribo_release(nullptr, memory, measure.used);
}

}  // namespace
