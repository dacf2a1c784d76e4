// SPDX-License-Identifier: Apache-2.0
#include "solvers/coping.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/base/random.h"
#include "tests/scale.h"

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
  double y[3], x[1], f[1], tangential[1];
  TriboMode mode_N[1], mode_g[1];
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
    solution = {y, x, f, tangential, mode_N, mode_g};
    TriboArena measure = tribo_arena_measure();
    tribo_coping_init(&measure, 1, 1, 3);
    void* memory = tribo_allocate(nullptr, measure.used);
    TriboArena arena = tribo_arena_over(memory, measure.used);
    TriboCoping* coping = tribo_coping_init(&arena, 1, 1, 3);
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

TEST(Coping, AHeldRodHasNoParadox) {
  // A bilateral row keeps the rod from turning: then the normal force lifts it as usual.
  Rod rod;
  int start[2] = {0, 1}, index[1] = {2};
  double value[1] = {1}, target[1] = {0};
  rod.problem.X = {1, start, index, value};
  rod.problem.b_X = target;
  ASSERT_EQ(rod.solve(-9.81, 1e-6), TRIBO_OK);
  EXPECT_EQ(rod.result.kind, TRIBO_COPING_FORCE);
  EXPECT_NEAR(rod.f[0], 9.81, 1e-9);
  EXPECT_NEAR(rod.y[2], 0, 1e-12);
  EXPECT_NEAR(rod.x[0], -(rod.n[2] + rod.mu * rod.t[2]) * rod.f[0], 1e-9);
}

// Figures 5, 6 and 10: a body B that moves along x only (coordinate 0), rods R_i on top of it, each
// with f = 0 or f = m_i, and rods E_1, E_2 at its left and right side that are inconsistent as soon
// as B accelerates towards them.
struct Gadget {
  static constexpr double kAngle = 1.0471975511965976;
  double mu = Rod().mu, mass_B = 1000;
  std::vector<double> mass;
  bool left, right;
  std::vector<double> k, b_N, b_T, n_value, t_value, slip, y, f, t;
  std::vector<int> n_start{0}, n_index, t_start{0}, t_index;
  std::vector<uint64_t> id;
  std::vector<TriboFrictionGroup> group;
  std::vector<TriboMode> mode_N, mode_g;
  TriboContactProblem problem = {};
  TriboContactSolution solution = {};
  TriboCopingResult result = {};

  // `push`: the external force on B along x.
  Gadget(const std::vector<double>& rods, double push, bool e1, bool e2)
      : mass(rods), left(e1), right(e2) {
    k.push_back(push / std::sqrt(mass_B));
    // Free normal acceleration 1 for the R (|omega|^2 sin(theta) - g), 0 for the E.
    for (double m : mass) Add(m, 1, 0, -1);
    if (left) Add(1, 0, 1, 0);
    if (right) Add(1, 0, -1, 0);
    problem.ny = static_cast<int>(k.size());
    problem.k = k.data();
    problem.N = {static_cast<int>(b_N.size()), n_start.data(), n_index.data(), n_value.data()};
    problem.T = {static_cast<int>(b_T.size()), t_start.data(), t_index.data(), t_value.data()};
    problem.b_N = b_N.data();
    problem.b_T = b_T.data();
    problem.id_N = id.data();
    problem.ng = static_cast<int>(group.size());
    problem.group = group.data();
    y.resize(k.size());
    f.resize(b_N.size());
    t.resize(b_T.size());
    mode_N.resize(b_N.size());
    mode_g.resize(group.size());
    solution = {y.data(), nullptr, f.data(), t.data(), mode_N.data(), mode_g.data()};
  }

  // A rod in its own frame (normal (0, 1), tangent (1, 0)); B's share of normal and tangent.
  void Add(double m, double free, double B_normal, double B_tangent) {
    const double root = std::sqrt(m), c = 4 * std::cos(kAngle), s = 4 * std::sin(kAngle);
    const int at = static_cast<int>(k.size());
    const double n[3] = {0, 1 / root, -c / root}, tangent[3] = {1 / root, 0, s / root};
    if (B_normal != 0) n_index.push_back(0), n_value.push_back(B_normal / std::sqrt(mass_B));
    if (B_tangent != 0) t_index.push_back(0), t_value.push_back(B_tangent / std::sqrt(mass_B));
    for (int e = 0; e < 3; ++e) {
      k.push_back(0);
      n_index.push_back(at + e);
      t_index.push_back(at + e);
      n_value.push_back(n[e]);
      t_value.push_back(tangent[e]);
    }
    n_start.push_back(static_cast<int>(n_index.size()));
    t_start.push_back(static_cast<int>(t_index.size()));
    const int i = static_cast<int>(b_N.size());
    b_N.push_back(-free);
    b_T.push_back(0);
    slip.push_back(-1);
    id.push_back(static_cast<uint64_t>(i));
    group.push_back({i, i, 1, 2, mu, 0});
  }

  TriboStatus Solve() {
    const int n = problem.N.count;
    TriboArena measure = tribo_arena_measure();
    tribo_coping_init(&measure, 0, n, problem.ny);
    void* memory = tribo_allocate(nullptr, measure.used);
    TriboArena arena = tribo_arena_over(memory, measure.used);
    TriboCoping* coping = tribo_coping_init(&arena, 0, n, problem.ny);
    const TriboStatus status =
        tribo_coping_solve(coping, &problem, slip.data(), 1e-6, &solution, &result);
    tribo_release(nullptr, memory, measure.used);
    return status;
  }

  // Forces: the three conditions of section 4. Impulses: the two of section 7.1.
  void ExpectValid() {
    for (int i = 0; i < problem.N.count; ++i) {
      EXPECT_GE(f[i], 0);
      const double normal = tribo_row_dot(&problem.N, i, y.data());
      if (result.kind == TRIBO_COPING_FORCE) {
        EXPECT_GE(normal - b_N[i], -1e-9);
        EXPECT_NEAR(f[i] * (normal - b_N[i]), 0, 1e-7);
      } else if (f[i] > 0) {
        EXPECT_LE(normal, 1e-9);
      }
      EXPECT_NEAR(t[i], mu * f[i], 1e-9 * (1 + f[i]));
    }
    if (result.kind == TRIBO_COPING_FORCE) return;
    ASSERT_GE(result.stopped, 0);
    bool others_slide_on = true;
    for (int g = 0; g < problem.ng; ++g) {
      const double now = slip[g] + tribo_row_dot(&problem.T, g, y.data());
      if (g == result.stopped) {
        EXPECT_NEAR(now, 0, 1e-9);
      }
      others_slide_on &= now <= 1e-9;  // none has turned around
    }
    EXPECT_TRUE(others_slide_on);
  }
};

TEST(Coping, TheBodyOfFigureFiveIsConsistentOnlyWithoutANetForce) {
  for (double push : {0.0, 1.0, -1.0}) {
    Gadget gadget({}, push, true, true);
    ASSERT_EQ(gadget.Solve(), TRIBO_OK);
    EXPECT_EQ(gadget.result.kind, push == 0 ? TRIBO_COPING_FORCE : TRIBO_COPING_IMPULSE);
    gadget.ExpectValid();
  }
}

TEST(Coping, TheConfigurationOfFigureTenHasForcesOrValidImpulses) {
  Gadget gadget({1}, 0, true, false);
  ASSERT_EQ(gadget.Solve(), TRIBO_OK);
  gadget.ExpectValid();
  // The only valid forces are none.
  if (gadget.result.kind == TRIBO_COPING_FORCE) {
    EXPECT_NEAR(gadget.f[0], 0, 1e-9);
  }
}

TEST(Coping, SubsetSumsEndWithForcesThatSolveThemOrWithValidImpulses) {
  int forces = 0, impulses = 0;
  for (int n = 1; n <= 12; ++n) {
    for (int test = 0; test < tribo_test_count(10); ++test) {
      TriboRandom random = tribo_random(static_cast<uint64_t>(100 * n + test));
      std::vector<double> mass;
      double target = 0;
      for (int i = 0; i < n; ++i) {
        mass.push_back(1 + std::floor(tribo_random_in(&random, 0, 20)));
        if (tribo_random_in(&random, 0, 1) < 0.5) target += mass.back();
      }
      if (test % 3 == 0) target += 0.5;  // no subset has this sum
      const double mu = Rod().mu;
      Gadget gadget(mass, mu * target, true, true);
      ASSERT_EQ(gadget.Solve(), TRIBO_OK) << n << " " << test;
      gadget.ExpectValid();
      if (gadget.result.kind == TRIBO_COPING_IMPULSE) {
        ++impulses;
        continue;
      }
      ++forces;
      double sum = 0;
      for (int i = 0; i < n; ++i) {
        EXPECT_TRUE(std::fabs(gadget.f[i]) < 1e-7 || std::fabs(gadget.f[i] - mass[i]) < 1e-7);
        sum += gadget.f[i];
      }
      EXPECT_NEAR(sum, target, 1e-6);
      EXPECT_NE(test % 3, 0);
    }
  }
  printf("coping: subset sums, %d ended with forces and %d with impulses\n", forces, impulses);
}

}  // namespace
