// SPDX-License-Identifier: Apache-2.0
//
// The configurations of [Baraff1991], figure by figure: 1 and 2 (a rod that slides on its tip), 3
// (indeterminate), 4 (inconsistent, skimming), 5 (a body between two such rods), 6 (subset sums)
// and 10 (forces and impulses both valid). Every answer is judged by the paper's conditions
// (section 4 for forces, 7.1 for impulses) on the motion that its forces give by the rows
// themselves.
#include "solvers/coping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/base/random.h"
#include "tests/scale.h"

namespace {

using Numbers = std::vector<double>;

// The rods have the length 2, the inertia m/16 and this angle. With this mu the normal acceleration
// of the tip falls by f/m when the normal force f acts with its friction (equation 2).
constexpr double kAngle = 1.0471975511965976;
const double kMu =
    (std::cos(kAngle) * std::cos(kAngle) + 0.125) / (std::cos(kAngle) * std::sin(kAngle));

// A body B that moves along x only (coordinate 0), rods R_i on top of it and rods E_1, E_2 at its
// sides, all planar, in mass coordinates. A base that is fixed is a B without coordinates in the
// rods' rows.
struct Configuration {
  double mass_B = 1000;
  Numbers k, b_N, b_T, b_X, n_value, t_value, x_value, slip, y, x, f, t;
  std::vector<int> n_start{0}, n_index, t_start{0}, t_index, x_start{0}, x_index;
  std::vector<uint64_t> id;
  std::vector<TriboFrictionGroup> group;
  std::vector<TriboMode> mode_N, mode_g;
  TriboContactProblem problem = {};
  TriboCopingResult result = {};

  // `push`: the external force on B along x.
  explicit Configuration(double push = 0) { k.push_back(push / std::sqrt(mass_B)); }

  // A rod of mass m in its own frame (normal (0, 1), tangent (1, 0), sliding along (-1, 0)).
  // free: its tip's normal acceleration without contact, |omega|^2 sin(theta) - g. Then B's share
  // of the normal and of the tangent.
  Configuration& Rod(double m, double free, double B_normal, double B_tangent) {
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
    group.push_back({i, i, 1, 2, kMu, 0});
    return *this;
  }
  Configuration& OnTheBase(double m, double free) { return Rod(m, free, 0, 0); }
  Configuration& OnTop(double m) { return Rod(m, 1, 0, -1); }
  Configuration& AtTheLeft() { return Rod(1, 0, 1, 0); }
  Configuration& AtTheRight() { return Rod(1, 0, -1, 0); }

  // The last rod does not turn.
  Configuration& Held() {
    x_index.push_back(static_cast<int>(k.size()) - 1);
    x_value.push_back(1);
    x_start.push_back(static_cast<int>(x_index.size()));
    b_X.push_back(0);
    return *this;
  }

  TriboStatus Solve(double slow = 1e-6) {
    const int n = static_cast<int>(b_N.size()), ny = static_cast<int>(k.size()),
              held = static_cast<int>(b_X.size());
    problem.ny = ny;
    problem.k = k.data();
    problem.X = {held, x_start.data(), x_index.data(), x_value.data()};
    problem.N = {n, n_start.data(), n_index.data(), n_value.data()};
    problem.T = {n, t_start.data(), t_index.data(), t_value.data()};
    problem.b_X = b_X.data();
    problem.b_N = b_N.data();
    problem.b_T = b_T.data();
    problem.id_N = id.data();
    problem.ng = n;
    problem.group = group.data();
    y.assign(ny, NAN);
    x.assign(held, NAN);
    f.assign(n, NAN);
    t.assign(n, NAN);
    mode_N.resize(n);
    mode_g.resize(n);
    TriboContactSolution solution = {y.data(), x.data(),      f.data(),
                                     t.data(), mode_N.data(), mode_g.data()};
    TriboArena measure = tribo_arena_measure();
    tribo_coping_init(&measure, held, n, ny);
    void* memory = tribo_allocate(nullptr, measure.used);
    TriboArena arena = tribo_arena_over(memory, measure.used);
    TriboCoping* coping = tribo_coping_init(&arena, held, n, ny);
    const TriboStatus status =
        tribo_coping_solve(coping, &problem, slip.data(), slow, &solution, &result);
    tribo_release(nullptr, memory, measure.used);
    return status;
  }

  static double Dot(const Numbers& value, const std::vector<int>& index,
                    const std::vector<int>& start, int i, const Numbers& v) {
    double sum = 0;
    for (int e = start[i]; e < start[i + 1]; ++e) sum += value[e] * v[index[e]];
    return sum;
  }
  double Normal(int i, const Numbers& v) const { return Dot(n_value, n_index, n_start, i, v); }
  double Tangent(int i, const Numbers& v) const { return Dot(t_value, t_index, t_start, i, v); }

  // The acceleration under given normal forces with sliding friction (none of the rods is held), or
  // the change of velocity under impulses.
  Numbers Motion(const Numbers& normal, bool forces) const {
    Numbers v = forces ? k : Numbers(k.size(), 0.0);
    for (size_t i = 0; i < b_N.size(); ++i) {
      for (int e = n_start[i]; e < n_start[i + 1]; ++e) v[n_index[e]] += normal[i] * n_value[e];
      for (int e = t_start[i]; e < t_start[i + 1]; ++e) {
        v[t_index[e]] -= kMu * normal[i] * slip[i] / std::fabs(slip[i]) * t_value[e];
      }
    }
    return v;
  }

  // How far normal forces are from the three conditions of section 4.
  double Violation(const Numbers& normal) const {
    const Numbers a = Motion(normal, true);
    double worst = 0;
    for (size_t i = 0; i < b_N.size(); ++i) {
      const double up = Normal(static_cast<int>(i), a) - b_N[i];
      worst = std::max({worst, -normal[i], -up, std::fabs(normal[i] * up)});
    }
    return worst;
  }

  // Forces meet the conditions of section 4, impulses both of section 7.1, friction equation 1; and
  // the solution's velocity is that of its impulses.
  void ExpectValid() const {
    const bool forces = result.kind == TRIBO_COPING_FORCE;
    const Numbers v = Motion(f, forces);
    double largest = 1;
    for (size_t i = 0; i < f.size(); ++i) {
      EXPECT_GE(f[i], 0);
      EXPECT_NEAR(t[i], -kMu * f[i] * slip[i] / std::fabs(slip[i]), 1e-12 * (1 + f[i]));
      largest = std::max(largest, f[i]);
    }
    for (size_t e = 0; e < k.size(); ++e) EXPECT_NEAR(y[e], v[e], 1e-10 * largest);
    if (forces) {
      EXPECT_LE(Violation(f), 1e-9 * largest * largest);
      EXPECT_EQ(result.stopped, -1);
      return;
    }
    // The first condition: sliding turns to sticking at one contact at least, and where the
    // impulses stop growing no other has turned around.
    bool sticks = false;
    for (size_t i = 0; i < f.size(); ++i) {
      const double now = slip[i] + Tangent(static_cast<int>(i), v);
      EXPECT_GE(now * slip[i], -1e-9) << "contact " << i << " slides backwards";
      if (static_cast<int>(i) == result.stopped) {
        EXPECT_NEAR(now, 0, 1e-9);
        sticks = true;
      }
    }
    EXPECT_TRUE(sticks);
    // The second: nothing separates where an impulse acts, and one acts somewhere.
    double total = 0;
    for (size_t i = 0; i < f.size(); ++i) {
      total += f[i];
      if (f[i] > 0) {
        EXPECT_LE(Normal(static_cast<int>(i), v), 1e-9) << i;
      }
    }
    EXPECT_GT(total, 0);
  }
};

TEST(Coping, ANormalForceWithItsFrictionPullsTheTipOfFigureTwoIntoTheBase) {
  for (double m : {0.5, 1.0, 7.0}) {
    Configuration rod;
    rod.OnTheBase(m, 0.25);
    for (double force : {0.0, 1.0, 3.0}) {
      EXPECT_NEAR(rod.Normal(0, rod.Motion({force}, true)) - rod.b_N[0], 0.25 - force / m, 1e-12);
    }
  }
}

TEST(Coping, TheIndeterminateRodOfFigureThreeHasNoForceOrItsMassAndNothingElse) {
  for (double m : {0.1, 1.0, 3.0, 50.0}) {
    Configuration rod;
    ASSERT_EQ(rod.OnTheBase(m, 1).Solve(), TRIBO_OK);
    EXPECT_EQ(rod.result.kind, TRIBO_COPING_FORCE);
    rod.ExpectValid();
    EXPECT_TRUE(std::fabs(rod.f[0]) < 1e-12 * m || std::fabs(rod.f[0] - m) < 1e-12 * m) << rod.f[0];
    // Both are valid, and no other force is.
    for (int i = -20; i <= 40; ++i) {
      const bool valid = rod.Violation({m * i / 20}) < 1e-12 * m;
      EXPECT_EQ(valid, i == 0 || i == 20) << i;
    }
  }
}

TEST(Coping, TheSkimmingRodOfFigureFourHasNoForce) {
  Configuration rod;
  ASSERT_EQ(rod.OnTheBase(1, 0).Solve(), TRIBO_OK);
  EXPECT_EQ(rod.result.kind, TRIBO_COPING_FORCE);
  EXPECT_EQ(rod.f[0], 0);
  rod.ExpectValid();
}

TEST(Coping, TheInconsistentRodOfFigureFourEndsInARayAndAValidImpulse) {
  for (double m : {0.1, 1.0, 50.0}) {
    for (double g : {1e-3, 9.81}) {
      Configuration rod;
      ASSERT_EQ(rod.OnTheBase(m, -g).Solve(), TRIBO_OK);
      EXPECT_EQ(rod.result.kind, TRIBO_COPING_IMPULSE);
      rod.ExpectValid();
      // The tip's tangential velocity changes by (mu (1 + 16 s^2) - 16 c s) f/m: the slip of 1
      // ends.
      const double c = std::cos(kAngle), s = std::sin(kAngle);
      EXPECT_NEAR(rod.f[0], m / (kMu * (1 + 16 * s * s) - 16 * c * s), 1e-12 * m);
      // No force holds it: there is nothing that the ray hides.
      for (int i = 0; i <= 100; ++i) EXPECT_GT(rod.Violation({m * g * i / 10}), 0.9 * g) << i;
    }
  }
}

TEST(Coping, SlowRodIsConsistentUnderTheApproximationOfStaticFriction) {
  // At a thousandth of the threshold friction is a thousandth of mu f, and the normal force works.
  Configuration rod;
  ASSERT_EQ(rod.OnTheBase(1, -9.81).Solve(1000), TRIBO_OK);
  EXPECT_EQ(rod.result.kind, TRIBO_COPING_FORCE);
  EXPECT_NEAR(rod.Normal(0, rod.y) - rod.b_N[0], 0, 1e-9);
  EXPECT_NEAR(rod.t[0], kMu * rod.f[0] / 1000, 1e-12);
}

TEST(Coping, AHeldRodHasNoParadox) {
  // A bilateral row keeps the rod from turning: then the normal force lifts it as usual.
  Configuration rod;
  ASSERT_EQ(rod.OnTheBase(1, -9.81).Held().Solve(), TRIBO_OK);
  EXPECT_EQ(rod.result.kind, TRIBO_COPING_FORCE);
  EXPECT_NEAR(rod.f[0], 9.81, 1e-9);
  EXPECT_NEAR(rod.y[3], 0, 1e-12);
  EXPECT_NEAR(rod.x[0], -(rod.n_value[2] + kMu * rod.t_value[2]) * rod.f[0], 1e-9);
}

TEST(Coping, TheBodyOfFigureFiveIsConsistentOnlyWithoutANetForce) {
  for (double push : {0.0, 1.0, -1.0}) {
    Configuration body(push);
    ASSERT_EQ(body.AtTheLeft().AtTheRight().Solve(), TRIBO_OK);
    EXPECT_EQ(body.result.kind, push == 0 ? TRIBO_COPING_FORCE : TRIBO_COPING_IMPULSE);
    body.ExpectValid();
    // From one rod alone it may go away.
    Configuration one(push);
    ASSERT_EQ(one.AtTheLeft().Solve(), TRIBO_OK);
    EXPECT_EQ(one.result.kind, push < 0 ? TRIBO_COPING_IMPULSE : TRIBO_COPING_FORCE);
    one.ExpectValid();
    EXPECT_EQ(one.f[0] > 0, push < 0);
  }
}

TEST(Coping, TheConfigurationOfFigureTenHasForcesOrValidImpulses) {
  for (double m : {0.1, 1.0, 30.0}) {
    Configuration body;
    ASSERT_EQ(body.OnTop(m).AtTheLeft().Solve(), TRIBO_OK);
    body.ExpectValid();
    // The only valid forces are none: of the two that the rod on top has, its mass pushes B to the
    // left, and then no force of the other rod helps.
    EXPECT_EQ(body.Violation({0, 0}), 0);
    for (int i = 0; i <= 100; ++i) EXPECT_GT(body.Violation({m, m * i / 10}), 1e-6 * m);
    if (body.result.kind == TRIBO_COPING_FORCE) {
      EXPECT_NEAR(body.f[0], 0, 1e-9);
      EXPECT_NEAR(body.f[1], 0, 1e-9);
    }
    // Without the rod at the side both are valid.
    Configuration alone;
    alone.OnTop(m);
    EXPECT_EQ(alone.Violation({0}), 0);
    EXPECT_LE(alone.Violation({m}), 1e-12 * m);
  }
}

TEST(Coping, SubsetSumsEndWithForcesThatSolveThemOrWithValidImpulses) {
  // Figure 6: forces exist where a subset of the masses has the sum that B is pushed with over mu.
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
      Configuration gadget(kMu * target);
      for (double m : mass) gadget.OnTop(m);
      gadget.AtTheLeft().AtTheRight();
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
