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

// Judges a mix. Dynamic friction by hand: at its bound, against the slip. What is left, the normals
// and the static contacts, by the certificate, with the dynamic friction as a force like any other.
double CertifyMix(const TriboContactProblem& given, const Numbers& slip, const Answer& answer) {
  TriboContactProblem p = given;
  Numbers k(p.k, p.k + p.ny), t = answer.t;
  std::vector<TriboFrictionGroup> fixed;
  for (int g = 0; g < p.ng; ++g) {
    const TriboFrictionGroup& group = p.group[g];
    double speed = 0;
    for (int r = 0; r < group.rows; ++r) speed = std::hypot(speed, slip[group.tangent + r]);
    if (speed == 0) {
      fixed.push_back(group);
      continue;
    }
    const double bound = group.mu * answer.f[group.normal];
    for (int row = group.tangent; row < group.tangent + group.rows; ++row) {
      EXPECT_NEAR(t[row], -bound * slip[row] / speed, 1e-9 * (1 + bound)) << row;
      tribo_row_axpy(&p.T, row, t[row], k.data());
      t[row] = 0;
    }
  }
  p.k = k.data();
  p.group = fixed.data();
  p.ng = static_cast<int>(fixed.size());
  TriboContactSolution solution = answer.solution;
  solution.t = t.data();
  Numbers scratch(answer.scratch.size());
  return tribo_certify(&p, TRIBO_CONE_ROUND, &solution, scratch.data()).worst;
}

TEST(DantzigFriction, DynamicAndStaticContactsMixInThePlane) {
  // Two disks' centres over each other, the lower one slides to the right on the ground: its
  // friction turns it, and the upper one rests on it by static friction.
  Plane plane(2);
  const double up[2] = {0, 1}, low[2] = {0, -0.5}, high[2] = {0, 0.5};
  plane.contact(-1, 0, low, low, up, 0.5);
  plane.contact(0, 1, high, low, up, 0.5);
  plane.k = {0, -9.81, 0, 0, -9.81, 0};
  const Numbers slip = {-2, 0};  // along the tangent (-1, 0)
  const TriboContactProblem p = plane.problem();
  Answer answer(p);
  TriboDantzigResult result;
  ASSERT_EQ(solve(p, slip.data(), &answer, &result), TRIBO_OK);
  EXPECT_EQ(result.kind, TRIBO_DANTZIG_FORCE);
  EXPECT_LE(result.residual, 1e-10);
  EXPECT_LE(CertifyMix(p, slip, answer), 1e-10);
  // Friction F = 0.5 * 2 g on the ground and T between the disks, both along the tangent. Lower:
  // a = F - T, alpha = 0.5 (F + T); upper: a = T, alpha = 0.5 T. Rolling on each other:
  // F - T - 0.25 (F + T) = T + 0.25 T, so T = 0.3 F, inside the cone of 0.5 F.
  const double F = 9.81;
  EXPECT_NEAR(answer.f[0], 2 * 9.81, 1e-10);
  EXPECT_NEAR(answer.t[0], F, 1e-10);
  EXPECT_NEAR(answer.t[1], 0.3 * F, 1e-10);
}

// In space: a ball (mass 2, radius 0.5, inertia 0.2) slides over the ground along (cos, sin) of an
// angle, and two balls (mass 1, radius 0.5, inertia 0.1) lie on it and on each other, held upright.
struct Balls {
  tribo_scenes::Scene scene;
  std::vector<TriboFrictionGroup> group;
  Numbers k, slip;
  TriboContactProblem p;

  Balls(double angle, double mu_ground, double mu) {
    const double up[3] = {0, 0, 1};
    for (int body = 0; body < 3; ++body) {
      const double centre[3] = {0, 0, 0.5 + body}, below[3] = {0, 0, 1.0 * body};
      scene.AddBody(body == 0 ? 2 : 1, body == 0 ? 0.2 : 0.1, centre);
      scene.AddContact(body - 1, body, below, up);
    }
    scene.Finish(tribo_scenes::Options());
    p = scene.problem();
    group.assign(p.group, p.group + p.ng);
    for (int g = 0; g < p.ng; ++g) group[g].mu = g == 0 ? mu_ground : mu;
    p.group = group.data();
    k.assign(p.ny, 0.0);
    for (int body = 0; body < 3; ++body) k[6 * body + 2] = -9.81 * std::sqrt(body == 0 ? 2.0 : 1);
    p.k = k.data();
    Numbers y(p.ny, 0.0);
    y[0] = std::cos(angle);
    y[1] = std::sin(angle);
    slip.assign(p.T.count, 0.0);
    for (int r = 0; r < 2; ++r) slip[r] = tribo_row_dot(&p.T, r, y.data());
  }
};

TEST(DantzigFriction, DynamicAndStaticContactsMixInSpace) {
  for (double angle : {0.0, 0.3, 1.2, 2.5}) {
    Balls balls(angle, 0.3, 0.8);
    Answer answer(balls.p);
    TriboDantzigResult result;
    ASSERT_EQ(solve(balls.p, balls.slip.data(), &answer, &result), TRIBO_OK);
    EXPECT_EQ(result.kind, TRIBO_DANTZIG_FORCE);
    EXPECT_LE(CertifyMix(balls.p, balls.slip, answer), 1e-10) << angle;
    // Against the slip: F = 0.3 * 4 g on the ground, T and U between the balls, each pulling the
    // upper one along. At a contact both balls' surfaces are half a radius times their turning
    // away: with m r^2/I = 2.5 everywhere,
    //   (F - T)/2 - 2.5 (F + T)/2 = (T - U) + 2.5 (T + U),  (T - U) - 2.5 (T + U) = U + 2.5 U.
    // From the second U = -1.5 T/7, from the first -0.75 F = 5.25 T + 1.5 U.
    const double F = 0.3 * 4 * 9.81, T = -0.75 * F / (5.25 - 1.5 * 1.5 / 7), U = -1.5 * T / 7;
    const double along[2] = {std::cos(angle), std::sin(angle)};
    const double pull[3] = {(F - T) / 2 * std::sqrt(2.0), T - U, U};
    for (int body = 0; body < 3; ++body) {
      const double* a = &answer.y[6 * body];
      EXPECT_NEAR(a[0], -pull[body] * along[0], 1e-10) << body;
      EXPECT_NEAR(a[1], -pull[body] * along[1], 1e-10) << body;
      EXPECT_NEAR(a[2], 0, 1e-10);
    }
    EXPECT_NEAR(std::hypot(answer.t[2], answer.t[3]), std::fabs(T), 1e-10);
    EXPECT_NEAR(std::hypot(answer.t[4], answer.t[5]), std::fabs(U), 1e-10);
  }
}

// Stacks whose lowest block slides on all of its feet or turns about one; everything else is
// static. Random loads, at the level of accelerations. Where a static contact begins to slide,
// Baraff's conditions are weaker than Coulomb's.
TEST(DantzigFriction, RandomStacksSlideBelowAndRestAbove) {
  const int count = tribo_test_count(150);
  int rest = 0, begin = 0, open = 0;
  for (int test = 0; test < count; ++test) {
    tribo_scenes::Options options;
    options.mu = test % 2 == 0 ? 0.3 : 0.6;
    options.seed = static_cast<uint64_t>(test);
    tribo_scenes::Scene scene = tribo_scenes::Stack(1 + test % 3, 4, options);
    TriboRandom random = tribo_random(static_cast<uint64_t>(test));
    scene.Load(&random);
    const TriboContactProblem p = scene.problem();
    // The lowest block moves along x and y and turns about z.
    Numbers y(p.ny, 0.0), slip(p.T.count, 0.0);
    for (int e : {0, 1, 5}) y[e] = tribo_random_in(&random, -1, 1);
    for (int r = test % 4 < 2 ? 0 : 2; r < 8; ++r) slip[r] = tribo_row_dot(&p.T, r, y.data());
    Answer answer(p);
    TriboDantzigResult result;
    if (solve(p, slip.data(), &answer, &result) != TRIBO_OK) {
      ++open;
      continue;
    }
    EXPECT_EQ(result.kind, TRIBO_DANTZIG_FORCE);
    EXPECT_LE(result.residual, 1e-8) << test;
    bool begins = false;
    for (int g = 0; g < p.ng; ++g) {
      const bool fixed = slip[2 * g] == 0 && slip[2 * g + 1] == 0;
      begins |= fixed && answer.mode_g[g] == TRIBO_MODE_SLIDE;
    }
    ++(begins ? begin : rest);
    const double worst = CertifyMix(p, slip, answer);
    if (!begins) {
      EXPECT_LE(worst, 1e-9) << test;
    }
  }
  printf(
      "dantzig: of %d spatial mixes %d keep their static contacts, in %d sliding begins, %d do not "
      "end\n",
      count, rest, begin, open);
  EXPECT_GT(rest, count / 10);
  EXPECT_LE(open, count / 20);
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
