// SPDX-License-Identifier: Apache-2.0
#include "solvers/pgs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/random.h"
#include "tests/scale.h"

namespace {

// Up to 4 contacts of 3 rows each over 6 coordinates, all entries stored.
struct Scene {
  static constexpr int kMost = 4, kNy = 6;
  int nc = 1;
  int start[2 * kMost + 1];
  int index[2 * kMost * kNy];
  double n[kMost * kNy] = {}, t[2 * kMost * kNy] = {}, k[kNy] = {}, zero[2 * kMost] = {};
  uint64_t id[kMost];
  TriboFrictionGroup group[kMost];
  double y[kNy] = {}, f[kMost] = {}, tt[2 * kMost] = {}, scratch[kNy];
  TriboMode mode_n[kMost] = {}, mode_g[kMost] = {};
  TriboContactProblem problem = {};
  TriboContactSolution solution = {};

  void finish(double mu, int facets) {
    for (int i = 0; i <= 2 * kMost; ++i) start[i] = i * kNy;
    for (int i = 0; i < 2 * kMost * kNy; ++i) index[i] = i % kNy;
    for (int i = 0; i < nc; ++i) {
      group[i] = {i, 2 * i, 2, facets, mu, 0};
      id[i] = static_cast<uint64_t>(i);
    }
    problem.ny = kNy;
    problem.k = k;
    problem.N = {nc, start, index, n};
    problem.T = {2 * nc, start, index, t};
    problem.b_N = zero;
    problem.b_T = zero;
    problem.id_N = id;
    problem.ng = nc;
    problem.group = group;
    solution = {y, nullptr, f, tt, mode_n, mode_g};
  }
};

// A point of mass 1 on a plane. The caller finishes it where it stays: it points into itself.
Scene point(double vx, double vy) {
  Scene s;
  s.n[2] = s.t[0] = s.t[Scene::kNy + 1] = 1;
  s.k[0] = vx, s.k[1] = vy, s.k[2] = -1;
  return s;
}

TEST(Pgs, SlidingPointLosesMuTimesItsNormalImpulse) {
  Scene s = point(0.6, 0.8);
  s.finish(0.5, 8);
  TriboPgsOptions options = tribo_pgs_options_default();
  TriboPgsStats stats;
  ASSERT_EQ(tribo_pgs_solve(&s.problem, &options, &s.solution, &stats), TRIBO_OK);
  EXPECT_NEAR(s.y[0], 0.3, 1e-12);
  EXPECT_NEAR(s.y[1], 0.4, 1e-12);
  EXPECT_NEAR(s.f[0], 1, 1e-12);
  EXPECT_EQ(s.mode_g[0], TRIBO_MODE_SLIDE);
}

TEST(Pgs, StickingPointStops) {
  Scene s = point(0.6, 0.8);
  s.finish(2, 8);
  TriboPgsOptions options = tribo_pgs_options_default();
  TriboPgsStats stats;
  ASSERT_EQ(tribo_pgs_solve(&s.problem, &options, &s.solution, &stats), TRIBO_OK);
  EXPECT_NEAR(std::hypot(s.y[0], s.y[1]), 0, 1e-12);
  EXPECT_EQ(s.mode_g[0], TRIBO_MODE_STICK);
}

TEST(Pgs, TheSweepLimitIsReportedAndAWarmStartGoesOn) {
  Scene s = point(0.6, 0.8);
  s.finish(0.5, 8);
  TriboPgsOptions options = tribo_pgs_options_default();
  options.sweeps = 1;
  TriboPgsStats stats;
  EXPECT_EQ(tribo_pgs_solve(&s.problem, &options, &s.solution, &stats), TRIBO_ERROR_LIMIT);
  EXPECT_EQ(stats.sweeps, 1);
  EXPECT_EQ(tribo_pgs_solve(&s.problem, &options, &s.solution, &stats), TRIBO_OK);
}

TEST(Pgs, WhatItCallsSolvedIsCertifiedOnBothCones) {
  TriboRandom random = tribo_random(1);
  int solved = 0;
  const int count = tribo_test_count(300);
  for (int run = 0; run < count; ++run) {
    Scene s;
    s.nc = 1 + tribo_random_index(&random, 3);
    for (int i = 0; i < s.nc * Scene::kNy; ++i) s.n[i] = tribo_random_normal(&random);
    for (int i = 0; i < 2 * s.nc * Scene::kNy; ++i) s.t[i] = tribo_random_normal(&random);
    for (double& k : s.k) k = tribo_random_normal(&random);
    s.finish(tribo_random_in(&random, 0, 0.7), 4 + 2 * tribo_random_index(&random, 3));
    TriboPgsOptions options = tribo_pgs_options_default();
    options.cone = run % 2 == 0 ? TRIBO_CONE_ROUND : TRIBO_CONE_POLYGON;
    TriboPgsStats stats;
    if (tribo_pgs_solve(&s.problem, &options, &s.solution, &stats) != TRIBO_OK) continue;
    ++solved;
    const TriboCertificate c = tribo_certify(&s.problem, options.cone, &s.solution, s.scratch);
    // A slow linear rate makes the distance to the solution larger than the last change.
    EXPECT_LE(c.worst, 1e-9) << "run " << run;
  }
  EXPECT_GE(solved, count * 9 / 10);
}

}  // namespace
