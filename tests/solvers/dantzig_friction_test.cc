// SPDX-License-Identifier: Apache-2.0
#include "solvers/dantzig_friction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "engine/base/random.h"
#include "solvers/certificate.h"
#include "solvers/dantzig_coulomb.h"
#include "solvers/solve.h"
#include "tests/scale.h"
#include "tests/solvers/contact_scenes.h"

namespace {

using tribo_scenes::Answer;
using Numbers = std::vector<double>;

struct Solver {
  void* memory;
  TriboDantzig* dantzig;
  explicit Solver(const TriboContactProblem& p) {
    const int rows = p.X.count + p.N.count + p.T.count;
    TriboArena measure = tribo_arena_measure();
    tribo_dantzig_init(&measure, rows, p.ng);
    memory = tribo_allocate(nullptr, measure.used);
    TriboArena arena = tribo_arena_over(memory, measure.used);
    dantzig = tribo_dantzig_init(&arena, rows, p.ng);
    EXPECT_NE(dantzig, nullptr);
    size = measure.used;
  }
  ~Solver() { tribo_release(nullptr, memory, size); }
  Solver(const Solver&) = delete;
  size_t size = 0;
};

TriboStatus solve(const TriboContactProblem& p, const double* slip, Answer* answer,
                  TriboDantzigResult* result) {
  Solver solver(p);
  const TriboDantzigOptions options = tribo_dantzig_options_default();
  return tribo_dantzig_solve(solver.dantzig, &p, slip, 1e-6, &options, &answer->solution, result);
}

// Planar bodies: 3 coordinates each (unit mass and inertia), contacts with one tangent.
struct Plane {
  int bodies;
  Numbers k, n_value, t_value, x_value, b_N, b_T, b_X;
  std::vector<int> n_start{0}, n_index, x_start{0}, x_index;
  std::vector<uint64_t> id;
  std::vector<TriboFrictionGroup> group;

  explicit Plane(int count) : bodies(count), k(3 * static_cast<size_t>(count), 0.0) {}

  static void put(std::vector<int>* index, Numbers* value, int body, double sign, const double p[2],
                  const double axis[2]) {
    if (body < 0) return;
    const double row[3] = {axis[0], axis[1], p[0] * axis[1] - p[1] * axis[0]};
    for (int e = 0; e < 3; ++e) {
      index->push_back(3 * body + e);
      value->push_back(sign * row[e]);
    }
  }
  // pa, pb: the point from the centres of a (may be -1: ground; a < b) and b; normal from a to b.
  void contact(int a, int b, const double pa[2], const double pb[2], const double normal[2],
               double mu) {
    const double tangent[2] = {-normal[1], normal[0]};
    std::vector<int> unused;
    put(&n_index, &n_value, a, -1, pa, normal);
    put(&unused, &t_value, a, -1, pa, tangent);
    put(&n_index, &n_value, b, 1, pb, normal);
    put(&unused, &t_value, b, 1, pb, tangent);
    n_start.push_back(static_cast<int>(n_index.size()));
    const int i = static_cast<int>(b_N.size());
    b_N.push_back(0);
    b_T.push_back(0);
    id.push_back(static_cast<uint64_t>(i));
    group.push_back({i, i, 1, 2, mu, 0});
  }
  void hold(int body, const double axis[2], double target) {
    const double centre[2] = {0, 0};
    put(&x_index, &x_value, body, 1, centre, axis);
    x_start.push_back(static_cast<int>(x_index.size()));
    b_X.push_back(target);
  }
  TriboContactProblem problem() {
    TriboContactProblem p = {};
    p.ny = 3 * bodies;
    p.k = k.data();
    p.X = {static_cast<int>(b_X.size()), x_start.data(), x_index.data(), x_value.data()};
    p.b_X = b_X.data();
    p.N = {static_cast<int>(b_N.size()), n_start.data(), n_index.data(), n_value.data()};
    p.b_N = b_N.data();
    p.id_N = id.data();
    p.T = {p.N.count, n_start.data(), n_index.data(), t_value.data()};
    p.b_T = b_T.data();
    p.ng = p.N.count;
    p.group = group.data();
    return p;
  }
};

// A tower of blocks, two corners on each, tilted a little, pushed at random.
Plane Tower(int blocks, TriboRandom* random, double mu) {
  Plane plane(blocks);
  for (int b = 0; b < blocks; ++b) {
    const double shift = tribo_random_in(random, -0.2, 0.2);
    const double normal[2] = {std::sin(shift), std::cos(shift)};
    for (double side : {-0.5, 0.5}) {
      const double pa[2] = {side + tribo_random_in(random, -0.1, 0.1), 0.5}, pb[2] = {side, -0.5};
      plane.contact(b - 1, b, pa, pb, normal, mu);
    }
    plane.k[3 * b] = tribo_random_in(random, -1, 1);
    plane.k[3 * b + 1] = -1;
    plane.k[3 * b + 2] = tribo_random_in(random, -0.5, 0.5);
  }
  return plane;
}

TEST(DantzigFriction, ABlockOnAPlaneSticksBelowMuAndSlidesAboveIt) {
  for (double push : {0.3, 0.49, 0.51, 2.0}) {
    Plane plane(1);
    const double left[2] = {-0.5, -0.1}, right[2] = {0.5, -0.1}, up[2] = {0, 1};
    plane.contact(-1, 0, left, left, up, 0.5);
    plane.contact(-1, 0, right, right, up, 0.5);
    plane.k = {push, -1, 0};
    const TriboContactProblem p = plane.problem();
    Answer answer(p);
    TriboDantzigResult result;
    ASSERT_EQ(solve(p, nullptr, &answer, &result), TRIBO_OK);
    EXPECT_NEAR(answer.f[0] + answer.f[1], 1, 1e-12);
    EXPECT_NEAR(answer.y[0], std::max(push - 0.5, 0.0), 1e-12);
    EXPECT_LE(tribo_certify(&p, TRIBO_CONE_ROUND, &answer.solution, answer.scratch.data()).worst,
              1e-12);
  }
}

TEST(DantzigFriction, PlanarTowersMeetCoulombsLawExactly) {
  const int count = tribo_test_count(400);
  int open = 0, given_up = 0;
  for (int test = 0; test < count; ++test) {
    TriboRandom random = tribo_random(static_cast<uint64_t>(test));
    Plane plane = Tower(1 + test % 6, &random, test % 3 == 0 ? 0.2 : 0.8);
    const TriboContactProblem p = plane.problem();
    Answer answer(p);
    TriboDantzigResult result;
    const TriboStatus status = solve(p, nullptr, &answer, &result);
    given_up += result.given_up;
    const double worst =
        tribo_certify(&p, TRIBO_CONE_ROUND, &answer.solution, answer.scratch.data()).worst;
    if (status == TRIBO_OK) {
      EXPECT_LE(worst, 1e-9) << test;
    }
    open += status != TRIBO_OK;
  }
  printf("dantzig: %d of %d planar towers not ended, %d conditions given up on the way\n", open,
         count, given_up);
  // Termination is not proved [Baraff1994] 5.4.
  EXPECT_LE(open, count / 50);
}

TEST(DantzigFriction, BilateralRowsStayClamped) {
  Plane plane(2);
  const double at[2] = {0, -0.5}, top[2] = {0, 0.5}, up[2] = {0, 1}, along[2] = {1, 0};
  plane.contact(-1, 0, at, at, up, 0.3);
  plane.contact(0, 1, top, at, up, 0.3);
  plane.hold(0, along, 0.25);
  plane.k = {0, -1, 0, 0, -1, 0};
  const TriboContactProblem p = plane.problem();
  Answer answer(p);
  TriboDantzigResult result;
  ASSERT_EQ(solve(p, nullptr, &answer, &result), TRIBO_OK);
  EXPECT_NEAR(answer.y[0], 0.25, 1e-12);
  EXPECT_LE(tribo_certify(&p, TRIBO_CONE_ROUND, &answer.solution, answer.scratch.data()).worst,
            1e-10);
  // Rows that contradict each other.
  plane.hold(0, along, 0.5);
  const TriboContactProblem q = plane.problem();
  Answer none(q);
  EXPECT_EQ(solve(q, nullptr, &none, &result), TRIBO_ERROR_INFEASIBLE);
}

// Stacks of one to three blocks, pegs and grasps under a random load.
tribo_scenes::Scene SpatialScene(int test) {
  tribo_scenes::Options options;
  options.mu = test % 2 == 0 ? 0.3 : 0.8;
  options.seed = static_cast<uint64_t>(test);
  tribo_scenes::Scene scene = test % 3 == 0   ? tribo_scenes::Stack(1 + test / 3 % 3, 4, options)
                              : test % 3 == 1 ? tribo_scenes::PegInHole(8, options)
                                              : tribo_scenes::Grasp(1, 4, options);
  TriboRandom random = tribo_random(static_cast<uint64_t>(test));
  scene.Load(&random);
  return scene;
}

TEST(DantzigFriction, SpatialScenesMeetBaraffsConditionsAndCoulombsWhereNothingSlides) {
  int open = 0, count = 0, sticking = 0;
  for (int test = 0; test < tribo_test_count(60); ++test) {
    tribo_scenes::Scene scene = SpatialScene(test);
    const TriboContactProblem p = scene.problem();
    Answer answer(p);
    TriboDantzigResult result;
    ++count;
    if (solve(p, nullptr, &answer, &result) != TRIBO_OK) {
      ++open;
      continue;
    }
    EXPECT_LE(result.residual, 1e-8) << test;
    bool slides = false;
    for (int g = 0; g < p.ng; ++g) slides |= answer.mode_g[g] == TRIBO_MODE_SLIDE;
    if (slides) continue;
    ++sticking;
    EXPECT_LE(tribo_certify(&p, TRIBO_CONE_ROUND, &answer.solution, answer.scratch.data()).worst,
              1e-8)
        << test;
  }
  printf("dantzig: %d of %d spatial scenes not ended, %d stick altogether\n", open, count,
         sticking);
  EXPECT_LE(open, count / 10);
  EXPECT_GT(sticking, 0);
}

// Spatial scenes by recorded directions, and Newton's method from where they lead.
struct Recorded {
  TriboStatus status;
  TriboDantzigCoulombInfo info;
  bool polished;  // what the directions left, the warm rung of the ladder took in
};

Recorded solve_recorded(const TriboContactProblem& p, Answer* answer) {
  Recorded result = {};
  TriboArena measure = tribo_arena_measure();
  const auto init = [&p](TriboArena* arena) {
    return tribo_dantzig_coulomb_init(arena, p.ny, p.X.count, p.N.count, p.T.count, p.ng);
  };
  init(&measure);
  const TriboSolverCapacity capacity = tribo_solver_capacity_of(&p);
  tribo_contact_solver_init(&measure, capacity);
  void* memory = tribo_allocate(nullptr, measure.used);
  TriboArena arena = tribo_arena_over(memory, measure.used);
  TriboDantzigCoulomb* dantzig = init(&arena);
  TriboContactSolver* ladder = tribo_contact_solver_init(&arena, capacity);
  result.status = tribo_dantzig_coulomb_solve(dantzig, &p, TRIBO_CONE_ROUND, 1e-9,
                                              &answer->solution, &result.info);
  if (result.status == TRIBO_ERROR_LIMIT && std::isfinite(result.info.certificate.worst)) {
    const TriboContactOptions options = tribo_contact_options_default();
    TriboContactInfo info;
    const TriboStatus status =
        tribo_contact_solve(ladder, &p, &options, &answer->solution, &answer->solution, &info);
    result.polished = status == TRIBO_OK && info.rung == TRIBO_RUNG_WARM;
  }
  tribo_release(nullptr, memory, measure.used);
  return result;
}

TEST(DantzigFriction, SpatialScenesMeetCoulombsLawByRecordedDirections) {
  int first = 0, turned = 0, polished = 0;
  const int count = tribo_test_count(120);
  for (int test = 0; test < count; ++test) {
    tribo_scenes::Scene scene = SpatialScene(test);
    const TriboContactProblem p = scene.problem();
    Answer answer(p);
    const Recorded result = solve_recorded(p, &answer);
    EXPECT_TRUE(result.status == TRIBO_OK || result.polished) << test;
    EXPECT_LE(tribo_certify(&p, TRIBO_CONE_ROUND, &answer.solution, answer.scratch.data()).worst,
              1e-9)
        << test;
    first += result.status == TRIBO_OK && result.info.rounds == 1;
    turned += result.status == TRIBO_OK && result.info.rounds > 1;
    polished += result.polished;
  }
  printf(
      "dantzig: of %d spatial scenes %d certify at once, %d by recorded directions, %d by Newton "
      "from there\n",
      count, first, turned, polished);
  EXPECT_GT(turned, 0);
}

TEST(DantzigFriction, DynamicAndStaticContactsMix) {
  // A block that slides on its left contact and rests on its right one: 2-D, at the level of
  // accelerations.
  Plane plane(2);
  const double up[2] = {0, 1}, low[2] = {0, -0.5}, high[2] = {0, 0.5};
  plane.contact(-1, 0, low, low, up, 0.5);
  plane.contact(0, 1, high, low, up, 0.5);
  plane.k = {0, -9.81, 0, 0, -9.81, 0};
  const Numbers slip = {-2, 0};  // the lower body slides along its tangent (-1, 0): to the right
  const TriboContactProblem p = plane.problem();
  Answer answer(p);
  TriboDantzigResult result;
  ASSERT_EQ(solve(p, slip.data(), &answer, &result), TRIBO_OK);
  EXPECT_EQ(result.kind, TRIBO_DANTZIG_FORCE);
  EXPECT_LE(result.residual, 1e-10);
  // Dynamic friction is at its bound, against the slip.
  EXPECT_NEAR(answer.t[0], 0.5 * answer.f[0], 1e-10);
  EXPECT_LE(std::fabs(answer.t[1]), 0.5 * answer.f[1] + 1e-10);
}

// Figure 1 of [Baraff1991], as in coping_test.
TEST(DantzigFriction, TheInconsistentRodEndsInAnInfiniteStepAndValidImpulses) {
  const double angle = 1.0471975511965976, c = std::cos(angle), s = std::sin(angle);
  const double mu = (c * c + 0.125) / (c * s);
  int start[] = {0, 3}, index[] = {0, 1, 2};
  double n[] = {0, 1, -4 * c}, t[] = {1, 0, 4 * s};
  const double k[] = {0, -9.81, 0}, zero[] = {0}, slip[] = {-1};
  const uint64_t id[] = {0};
  const TriboFrictionGroup group[] = {{0, 0, 1, 2, mu, 0}};
  TriboContactProblem p = {};
  p.ny = 3;
  p.k = k;
  p.N = {1, start, index, n};
  p.T = {1, start, index, t};
  p.b_N = p.b_T = zero;
  p.id_N = id;
  p.ng = 1;
  p.group = group;
  Answer answer(p);
  TriboDantzigResult result;
  ASSERT_EQ(solve(p, slip, &answer, &result), TRIBO_OK);
  EXPECT_EQ(result.kind, TRIBO_DANTZIG_IMPULSE);
  EXPECT_EQ(result.stopped, 0);
  EXPECT_GT(answer.f[0], 0);
  // Section 7.1: sliding turns to sticking, and nothing separates where an impulse acts.
  EXPECT_NEAR(slip[0] + tribo_row_dot(&p.T, 0, answer.y.data()), 0, 1e-12);
  EXPECT_LE(tribo_row_dot(&p.N, 0, answer.y.data()), 1e-12);
}

}  // namespace
