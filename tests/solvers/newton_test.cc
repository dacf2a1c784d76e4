// SPDX-License-Identifier: Apache-2.0
#include "solvers/newton.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "solvers/certificate.h"
#include "solvers/solve.h"
#include "tests/scale.h"
#include "tests/solvers/contact_scenes.h"
#include "tests/solvers/ladder.h"

namespace {

using namespace tribo_scenes;

// Spheres on a disturbed lattice in a box, all that touch.
Scene Pile(int side, const Options& options) {
  Scene scene;
  TriboRandom random = tribo_random(options.seed);
  std::vector<double> c;
  for (int i = 0; i < side * side * side; ++i) {
    const int x = i % side, y = i / side % side, z = i / side / side;
    const double centre[3] = {x + 0.05 * tribo_random_in(&random, -1, 1) + 0.4 * (z % 2),
                              y + 0.05 * tribo_random_in(&random, -1, 1) + 0.3 * (z % 2),
                              0.5 + 0.75 * z + 0.05 * tribo_random_in(&random, -1, 1)};
    c.insert(c.end(), centre, centre + 3);
    scene.AddBody(1, 0.1, centre);
  }
  for (int i = 0; i < scene.bodies(); ++i) {
    const double up[3] = {0, 0, 1}, below[3] = {c[3 * i], c[3 * i + 1], 0};
    if (c[3 * i + 2] < 0.6) scene.AddContact(-1, i, below, up);
    for (int j = 0; j < i; ++j) {
      double d[3], middle[3], square = 0;
      for (int e = 0; e < 3; ++e) {
        d[e] = c[3 * i + e] - c[3 * j + e];
        middle[e] = (c[3 * i + e] + c[3 * j + e]) / 2;
        square += d[e] * d[e];
      }
      if (square < 1) scene.AddContact(j, i, middle, d);
    }
  }
  scene.Finish(options);
  return scene;
}

// A body held by friction on redundant contacts, under a load that changes at every step: no slip
// builds up, and no step takes a pivot.
TEST(WarmStart, StickingContactsDoNotCreep) {
  for (int per_face : {4, 8}) {
    Options options;
    options.mu = 0.8;
    Scene scene = Stack(1, per_face, options);
    Ladder solver(scene.problem());
    Answer answer(scene.problem());
    std::vector<double> k(6, 0);
    k[2] = -0.1, k[0] = 0.03;
    scene.set_free_velocity(k);
    ASSERT_EQ(solver.Solve(scene.problem(), nullptr, &answer), TRIBO_OK);
    double travelled = 0;
    const int steps = tribo_test_count(10000);
    for (int i = 0; i < steps; ++i) {
      k[0] = 0.03 + 0.01 * std::sin(0.01 * i);
      k[4] = 0.002 * std::cos(0.013 * i);
      scene.set_free_velocity(k);
      ASSERT_EQ(solver.Solve(scene.problem(), &answer.solution, &answer), TRIBO_OK) << i;
      ASSERT_EQ(solver.info.pivots, 0) << i;
      travelled += answer.y[0];
      // Newton stops at 1e-14 of the impulses, which are 0.1; lengths of rows reach 3.
      for (double y : answer.y) ASSERT_LE(std::fabs(y), 5e-15) << i;
    }
    EXPECT_LE(std::fabs(travelled), 1e-15 * steps);  // and what is left does not add up
  }
}

// Loads that change slowly: nine solves of ten take no pivot.
TEST(WarmStart, SlowlyChangingLoadsTakeNoPivot) {
  struct Case {
    const char* name;
    Scene scene;
  };
  Options options;
  Case cases[] = {{"corner", SingleBody("block in corner", options)},
                  {"peg", PegInHole(32, options)},
                  {"stack 1x8", Stack(1, 8, options)},
                  {"stack 3x8", Stack(3, 8, options)},
                  {"grasp", Grasp(2, 4, options)}};
  for (Case& c : cases) {
    TriboRandom random = tribo_random(5);
    Ladder solver(c.scene.problem());
    Answer answer(c.scene.problem());
    int without = 0, all = 0;
    const int loads = tribo_test_count(10);
    for (int l = 0; l < loads; ++l) {
      c.scene.Load(&random);
      ASSERT_EQ(solver.Solve(c.scene.problem(), nullptr, &answer), TRIBO_OK);
      for (int i = 0; i < 20; ++i) {
        c.scene.Nudge(&random, 1e-3);
        ASSERT_EQ(solver.Solve(c.scene.problem(), &answer.solution, &answer), TRIBO_OK) << c.name;
        without += solver.info.pivots == 0;
        ++all;
      }
    }
    RecordProperty(c.name, std::to_string(without) + " of " + std::to_string(all));
    EXPECT_GE(without, 0.9 * all) << c.name;
  }
}

// Islands too large for a path of pivots: convex problems and Newton answer, from nothing.
TEST(ColdStart, LargeIslandsAreAnswered) {
  Options options;
  options.mu = 0.5;
  for (bool gaps : {false, true}) {
    options.gaps = gaps;
    Scene scenes[] = {Stack(10, 8, options), Grasp(8, 8, options), Pile(3, options)};
    for (Scene& scene : scenes) {
      TriboRandom random = tribo_random(9);
      Ladder solver(scene.problem());
      Answer answer(scene.problem());
      const int loads = tribo_test_count(3);
      for (int i = 0; i < loads; ++i) {
        scene.Load(&random);
        EXPECT_EQ(solver.Solve(scene.problem(), nullptr, &answer), TRIBO_OK)
            << scene.contacts() << " contacts, load " << i;
      }
    }
  }
}

// Modes that are wrong altogether cost time, not the answer.
TEST(WarmStart, WrongModesStillLeadToAnAnswer) {
  Options options;
  Scene scene = SingleBody("block in corner", options);
  TriboRandom random = tribo_random(6);
  Ladder solver(scene.problem());
  Answer answer(scene.problem());
  const int count = tribo_test_count(200);
  for (int i = 0; i < count; ++i) {
    scene.Load(&random);
    for (size_t e = 0; e < answer.f.size(); ++e) {
      answer.mode_N[e] = static_cast<TriboMode>(tribo_random_index(&random, 2));
      answer.mode_g[e] = static_cast<TriboMode>(tribo_random_index(&random, 3));
      answer.f[e] = tribo_random_in(&random, -1, 1);
      answer.t[2 * e] = tribo_random_in(&random, -1, 1);
      answer.t[2 * e + 1] = tribo_random_in(&random, -1, 1);
    }
    ASSERT_EQ(solver.Solve(scene.problem(), &answer.solution, &answer), TRIBO_OK) << i;
  }
}

}  // namespace
