// SPDX-License-Identifier: Apache-2.0
#include "solvers/canonical.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "solvers/solve.h"
#include "tests/scale.h"
#include "tests/solvers/contact_scenes.h"
#include "tests/solvers/ladder.h"

namespace {

using namespace tribo_scenes;

TriboContactOptions Canonical() {
  TriboContactOptions options = tribo_contact_options_default();
  options.canonical = true;
  return options;
}

// A block on its corners and side middles, contacts added in the given order.
Scene Block(const std::vector<int>& order, double mu) {
  const double points[8][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5},
                               {0, -0.5},    {0.5, 0},    {0, 0.5},   {-0.5, 0}};
  const double centre[3] = {0, 0, 0}, up[3] = {0, 0, 1};
  Options options;
  options.mu = mu;
  Scene scene;
  scene.AddBody(1, 1.0 / 6, centre);
  for (int i : order) {
    const double point[3] = {points[i][0], points[i][1], -0.5};
    scene.AddContact(-1, 0, point, up);
  }
  scene.Finish(options);
  return scene;
}

// By hand: a block at rest on four corners shares its weight equally.
TEST(Canonical, BlockAtRestSharesItsWeight) {
  Scene scene = Block({0, 1, 2, 3}, 0.5);
  scene.set_free_velocity({0, 0, -0.1, 0, 0, 0});
  Ladder solver(scene.problem());
  Answer answer(scene.problem());
  ASSERT_EQ(solver.Solve(scene.problem(), nullptr, &answer, Canonical()), TRIBO_OK);
  EXPECT_TRUE(solver.info.canonical);
  for (double f : answer.f) EXPECT_NEAR(f, 0.025, 1e-14);
  for (double t : answer.t) EXPECT_NEAR(t, 0, 1e-14);
}

// The same impulses at the same points, whatever the order of contacts: sticking and tipping about
// an edge. (Redundant contacts that slide have several velocities, one for every share of the
// load.)
TEST(Canonical, ImpulsesDoNotDependOnTheOrder) {
  const std::vector<int> first{0, 1, 2, 3, 4, 5, 6, 7}, second{6, 2, 7, 0, 5, 3, 1, 4};
  TriboRandom random = tribo_random(3);
  int canonical = 0;
  const int count = tribo_test_count(300);
  for (int i = 0; i < count; ++i) {
    const double mu = tribo_random_in(&random, 0.6, 1);
    Scene a = Block(first, mu), b = Block(second, mu);
    std::vector<double> k(6);
    for (double& v : k) v = 0.03 * tribo_random_in(&random, -1, 1);
    k[2] = -0.1;
    a.set_free_velocity(k);
    b.set_free_velocity(k);
    Ladder solver_a(a.problem()), solver_b(b.problem());
    Answer answer_a(a.problem()), answer_b(b.problem());
    ASSERT_EQ(solver_a.Solve(a.problem(), nullptr, &answer_a, Canonical()), TRIBO_OK);
    ASSERT_EQ(solver_b.Solve(b.problem(), nullptr, &answer_b, Canonical()), TRIBO_OK);
    if (!solver_a.info.canonical || !solver_b.info.canonical) continue;
    bool same = true;
    for (int e = 0; e < 6; ++e) same = same && std::fabs(answer_a.y[e] - answer_b.y[e]) < 1e-9;
    if (!same) continue;
    ++canonical;
    for (int e = 0; e < 8; ++e) {
      EXPECT_NEAR(answer_b.f[e], answer_a.f[second[e]], 1e-8) << "case " << i;
    }
  }
  EXPECT_GE(canonical, 0.95 * count);
}

// No shorter impulses make the same velocity: any combination that moves nothing is orthogonal to
// them, as long as the cones leave room on both sides.
TEST(Canonical, ImpulsesInsideTheirConesAreTheShortest) {
  Scene scene = Block({0, 1, 2, 3, 4, 5, 6, 7}, 0.8);
  TriboRandom random = tribo_random(4);
  Ladder solver(scene.problem());
  Answer answer(scene.problem());
  const int count = tribo_test_count(100);
  for (int i = 0; i < count; ++i) {
    std::vector<double> k(6);
    for (double& v : k) v = 0.01 * tribo_random_in(&random, -1, 1);
    k[2] = -0.1;
    scene.set_free_velocity(k);
    const TriboContactProblem p = scene.problem();
    ASSERT_EQ(solver.Solve(p, nullptr, &answer, Canonical()), TRIBO_OK);
    ASSERT_TRUE(solver.info.canonical);
    // Diagonal corners against each other: 1 - 2 + 3 - 4 moves nothing.
    const double along = answer.f[0] - answer.f[1] + answer.f[2] - answer.f[3];
    EXPECT_NEAR(along, 0, 1e-12);
    // A pair of tangential impulses along the line between two corners, against each other.
    const double pull = answer.t[0] - answer.t[2];
    const double other = answer.t[1] - answer.t[3];
    // Corners 0 and 1 differ along x, which is one of the two tangents (up to its sign).
    EXPECT_LE(std::fmin(std::fabs(pull), std::fabs(other)), 1e-12);
  }
}

}  // namespace
