// SPDX-License-Identifier: Apache-2.0
#include "solvers/energy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/base/random.h"
#include "solvers/certificate.h"
#include "tests/scale.h"
#include "tests/solvers/contact_scenes.h"

namespace {

using tribo_scenes::Answer;

TriboStatus solve(const TriboContactProblem& p, const double* slip, TriboEnergyOptions options,
                  Answer* answer, TriboEnergyResult* result) {
  const int rows = p.X.count + p.N.count + p.T.count;
  TriboArena measure = tribo_arena_measure();
  tribo_energy_init(&measure, rows, p.ng);
  void* memory = tribo_allocate(nullptr, measure.used);
  TriboArena arena = tribo_arena_over(memory, measure.used);
  TriboEnergySolver* energy = tribo_energy_init(&arena, rows, p.ng);
  const TriboStatus status =
      tribo_energy_solve(energy, &p, slip, 1e-6, &options, &answer->solution, result);
  tribo_release(nullptr, memory, measure.used);
  return status;
}

// Figure 4: a bar on four contacts at -3, -1, 1, 3, without friction; a force beyond the right end
// makes it pivot around the rightmost contact.
struct Bar {
  int start[5] = {0, 2, 4, 6, 8}, index[8] = {0, 1, 0, 1, 0, 1, 0, 1};
  double value[8], k[2], b[4] = {0, 0, 0, 0};
  uint64_t id[4] = {0, 1, 2, 3};
  TriboContactProblem problem = {};

  // Mass 1, inertia 3 (length 6); a downward force of 1 at `at`.
  explicit Bar(double at) {
    const double root = std::sqrt(3.0);
    for (int c = 0; c < 4; ++c) {
      value[2 * c] = 1;
      value[2 * c + 1] = (2 * c - 3) / root;
    }
    k[0] = -1;
    k[1] = -at / root;
    problem.ny = 2;
    problem.k = k;
    problem.N = {4, start, index, value};
    problem.b_N = b;
    problem.id_N = id;
  }
};

TEST(Energy, TheBarOfFigureFourPivotsAroundItsLastContactAfterFewIterations) {
  Bar bar(4);
  Answer answer(bar.problem);
  TriboEnergyResult result;
  ASSERT_EQ(solve(bar.problem, nullptr, tribo_energy_options_default(), &answer, &result),
            TRIBO_OK);
  EXPECT_EQ(result.stop, TRIBO_ENERGY_PRECISION);
  printf("energy: bar of figure 4, %d iterations\n", result.iterations);
  EXPECT_LE(result.iterations, 6);
  EXPECT_EQ(answer.f[0], 0);
  EXPECT_EQ(answer.f[1], 0);
  EXPECT_EQ(answer.f[2], 0);
  // About the contact at 3: inertia 3 + 9 = 12, torque 1, so the left end rises with 6/12 and the
  // centre with 3/12.
  EXPECT_NEAR(answer.f[3], 1 + 3.0 / 12, 1e-12);
  EXPECT_NEAR(tribo_row_dot(&bar.problem.N, 0, answer.y.data()), 0.5, 1e-12);
}

TEST(Energy, RedundantContactsShareTheLoadWithTheSmallestForces) {
  Bar bar(0);
  Answer answer(bar.problem);
  TriboEnergyResult result;
  ASSERT_EQ(solve(bar.problem, nullptr, tribo_energy_options_default(), &answer, &result),
            TRIBO_OK);
  // In units of row length the four forces are the minimum-norm ones: by symmetry equal in pairs.
  EXPECT_NEAR(answer.f[0], answer.f[3], 1e-12);
  EXPECT_NEAR(answer.f[1], answer.f[2], 1e-12);
  EXPECT_NEAR(answer.f[0] + answer.f[1], 0.5, 1e-12);
  const double outer = std::sqrt(1 + 9.0 / 3), inner = std::sqrt(1 + 1.0 / 3);
  EXPECT_NEAR(answer.f[0] * outer * outer, answer.f[1] * inner * inner, 1e-12);
}

TEST(Energy, FrictionlessScenesConvergeToTheExactAnswer) {
  int most = 0, open = 0;
  const int count = tribo_test_count(100);
  for (int test = 0; test < count; ++test) {
    tribo_scenes::Options options;
    options.seed = static_cast<uint64_t>(test);
    options.gaps = test % 2 == 1;
    tribo_scenes::Scene scene = tribo_scenes::Stack(1 + test % 4, 4, options);
    TriboRandom random = tribo_random(static_cast<uint64_t>(test));
    scene.Load(&random);
    TriboContactProblem p = scene.problem();
    p.ng = 0;
    p.T.count = 0;
    Answer answer(p);
    TriboEnergyResult result;
    if (solve(p, nullptr, tribo_energy_options_default(), &answer, &result) != TRIBO_OK) {
      ++open;
      continue;
    }
    most = std::max(most, result.iterations);
    EXPECT_LE(tribo_certify(&p, TRIBO_CONE_ROUND, &answer.solution, answer.scratch.data()).worst,
              1e-9)
        << test;
  }
  printf("energy: frictionless stacks, at most %d iterations, %d of %d not converged\n", most, open,
         count);
  EXPECT_LE(open, count / 20);
}

// Figure 5: four balls joined to one body on a rotating plane; mu 0.7 at the first, 0.2 at the
// others. Forces for one instant: the body turns with the plane, and slides where friction is low.
TEST(Energy, TheFourBallSolidConvergesWithStaticAndSlidingContacts) {
  tribo_scenes::Options options;
  tribo_scenes::Scene scene;
  const double centre[3] = {0, 0, 0.2}, up[3] = {0, 0, 1};
  const int body = scene.AddBody(1, 0.2, centre);
  const double foot[4][3] = {{0.5, 0, 0}, {0, 0.5, 0}, {-0.5, 0, 0}, {0, -0.5, 0}};
  for (int c = 0; c < 4; ++c) scene.AddContact(-1, body, foot[c], up);
  scene.Finish(options);
  TriboRandom random = tribo_random(5);
  scene.Load(&random);
  TriboContactProblem p = scene.problem();
  std::vector<TriboFrictionGroup> group(p.group, p.group + p.ng);
  for (int g = 0; g < 4; ++g) group[g].mu = g == 0 ? 0.7 : 0.2;
  p.group = group.data();
  // Gravity and a push along x: `push` times g.
  for (double push : {0.1, 0.5, 1.0}) {
    std::vector<double> k(p.ny, 0.0);
    k[0] = push;
    k[2] = -1;
    p.k = k.data();
    for (bool sliding : {false, true}) {
      // Three contacts slide (the plane turns about the first), one rests.
      std::vector<double> slip(p.T.count, 0.0);
      for (int g = 1; g < 4; ++g)
        slip[group[g].tangent] = 0.3 * g, slip[group[g].tangent + 1] = -0.2;
      Answer answer(p);
      TriboEnergyResult result;
      const TriboStatus status = solve(p, sliding ? slip.data() : nullptr,
                                       tribo_energy_options_default(), &answer, &result);
      printf("energy: four-ball solid, push %.1f, %s: %d iterations\n", push,
             sliding ? "1 static and 3 sliding" : "4 static", result.iterations);
      ASSERT_EQ(status, TRIBO_OK);
      double total = 0;
      for (double f : answer.f) total += f;
      EXPECT_NEAR(total, 1, 1e-9);
      if (sliding) {
        for (int g = 1; g < 4; ++g) {
          const int t = group[g].tangent;
          EXPECT_NEAR(std::hypot(answer.t[t], answer.t[t + 1]), 0.2 * answer.f[g], 1e-9);
        }
      } else {
        EXPECT_LE(
            tribo_certify(&p, TRIBO_CONE_ROUND, &answer.solution, answer.scratch.data()).worst,
            1e-8);
      }
    }
  }
}

TEST(Energy, WhatStopsItIsReportedAndAnEarlyAnswerIsConsistent) {
  Bar bar(4);
  Answer answer(bar.problem);
  TriboEnergyResult result;
  TriboEnergyOptions options = tribo_energy_options_default();
  options.iterations = 1;
  ASSERT_EQ(solve(bar.problem, nullptr, options, &answer, &result), TRIBO_ERROR_LIMIT);
  EXPECT_EQ(result.stop, TRIBO_ENERGY_ITERATIONS);
  EXPECT_EQ(result.iterations, 1);
  for (double f : answer.f) EXPECT_GE(f, 0);
  const TriboCertificate certificate =
      tribo_certify(&bar.problem, TRIBO_CONE_ROUND, &answer.solution, answer.scratch.data());
  EXPECT_EQ(certificate.sign, 0);
  EXPECT_GT(certificate.worst, 0);
}

}  // namespace
