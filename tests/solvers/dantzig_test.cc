// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/arena.h"
#include "engine/base/random.h"
#include "solvers/certificate.h"
#include "solvers/factor.h"
#include "solvers/psd.h"
#include "tests/scale.h"
#include "tests/solvers/contact_scenes.h"

namespace {

using tribo_scenes::Answer;

struct Release {
  void operator()(void* memory) const { std::free(memory); }
};

// A solver with its memory.
struct Solver {
  std::unique_ptr<void, Release> memory;
  TriboPsdSolver* psd = nullptr;

  explicit Solver(const TriboContactProblem& p) {
    TriboArena measure = tribo_arena_measure();
    Layout(&measure, p);
    memory.reset(std::aligned_alloc(TRIBO_ARENA_ALIGNMENT, (measure.used + 63) / 64 * 64));
    TriboArena arena = tribo_arena_over(memory.get(), measure.used);
    Layout(&arena, p);
    EXPECT_NE(psd, nullptr);
  }
  void Layout(TriboArena* arena, const TriboContactProblem& p) {
    TriboFactor* factor = tribo_factor_init_dense(arena, p.ny, p.X.count + p.N.count);
    psd = tribo_psd_init(arena, factor, p.ny, p.X.count, p.N.count);
  }
};

TriboPsdOptions Options(TriboPsdMethod method) {
  TriboPsdOptions options = tribo_psd_options_default();
  options.method = method;
  return options;
}

// Solves with Dantzig, and checks the certificate and the velocity against the dual active set's.
TriboPsdInfo ExpectSameVelocity(TriboContactProblem p, const TriboPsdOptions& options,
                                double tolerance = 1e-8) {
  p.ng = 0;
  p.T.count = 0;
  Solver solver(p);
  Answer dantzig(p), dual(p);
  TriboPsdInfo info, dual_info;
  const TriboPsdOptions dual_options = Options(TRIBO_PSD_DUAL);
  EXPECT_EQ(tribo_psd_solve(solver.psd, &p, &dual_options, nullptr, &dual.solution, &dual_info),
            TRIBO_OK);
  EXPECT_EQ(tribo_psd_solve(solver.psd, &p, &options, nullptr, &dantzig.solution, &info), TRIBO_OK);
  TriboCertificate certificate =
      tribo_certify(&p, TRIBO_CONE_ROUND, &dantzig.solution, dantzig.scratch.data());
  EXPECT_LE(certificate.worst, 1e-9);
  double scale = 1, worst = 0;
  for (int i = 0; i < p.ny; ++i) scale = std::max(scale, std::fabs(p.k[i]));
  for (int i = 0; i < p.ny; ++i) worst = std::max(worst, std::fabs(dantzig.y[i] - dual.y[i]));
  EXPECT_LE(worst, tolerance * scale);
  return info;
}

// Dense rows that own their arrays.
struct Dense {
  int ny;
  std::vector<int> start{0}, index;
  std::vector<double> value, b;

  explicit Dense(int coordinates) : ny(coordinates) {}
  void Add(const std::vector<double>& row, double target) {
    for (int c = 0; c < ny; ++c) index.push_back(c);
    value.insert(value.end(), row.begin(), row.end());
    start.push_back(static_cast<int>(index.size()));
    b.push_back(target);
  }
  TriboRows View() {
    return {static_cast<int>(b.size()), start.data(), index.data(), value.data()};
  }
};

struct Problem {
  std::vector<double> k;
  Dense X, N;

  explicit Problem(int ny) : k(ny), X(ny), N(ny) {}
  TriboContactProblem View() {
    TriboContactProblem p = {};
    p.ny = N.ny;
    p.k = k.data();
    p.X = X.View();
    p.b_X = X.b.data();
    p.N = N.View();
    p.b_N = N.b.data();
    return p;
  }
};

// Rows of rank `rank` at most that all hold at one point, half of the contacts with a tie there;
// every third contact stands twice.
Problem MakeRandom(TriboRandom* random, int ny, int rank, int n_X, int n_N) {
  Problem p(ny);
  auto draw = [random](int n) {
    std::vector<double> v(n);
    for (double& x : v) x = tribo_random_in(random, -1, 1);
    return v;
  };
  p.k = draw(ny);
  std::vector<std::vector<double>> basis;
  for (int i = 0; i < rank; ++i) basis.push_back(draw(ny));
  const std::vector<double> feasible = draw(ny);
  for (int i = 0; i < n_X + n_N; ++i) {
    std::vector<double> row(ny, 0.0);
    double b = 0;
    for (const auto& direction : basis) {
      const double c = tribo_random_in(random, -1, 1);
      for (int j = 0; j < ny; ++j) row[j] += c * direction[j];
    }
    for (int j = 0; j < ny; ++j) b += row[j] * feasible[j];
    if (i < n_X) {
      p.X.Add(row, b);
      continue;
    }
    if (tribo_random_index(random, 2)) b -= tribo_random_unit(random);
    p.N.Add(row, b);
    if (i % 3 == 0) p.N.Add(row, b);
  }
  return p;
}

TEST(Dantzig, FindsTheVelocityOfTheDualActiveSetOnRandomSemidefiniteProblems) {
  TriboRandom random = tribo_random(1994);
  for (int i = 0; i < tribo_test_count(2000); ++i) {
    const int ny = 1 + tribo_random_index(&random, 12);
    const int rank = 1 + tribo_random_index(&random, ny);
    const int n_X = tribo_random_index(&random, 4), n_N = tribo_random_index(&random, 25);
    Problem p = MakeRandom(&random, ny, rank, n_X, n_N);
    ExpectSameVelocity(p.View(), Options(TRIBO_PSD_DANTZIG));
    ASSERT_FALSE(HasFailure()) << "problem " << i;
  }
}

TEST(Dantzig, SolvesRedundantContactScenes) {
  TriboRandom random = tribo_random(7);
  std::vector<std::string> names = tribo_scenes::kSingleBody;
  for (const char* name : {"peg", "stack", "grasp"}) names.push_back(name);
  int drives = 0, pivots = 0;
  for (const std::string& name : names) {
    for (int i = 0; i < tribo_test_count(20); ++i) {
      tribo_scenes::Options options;
      options.seed = i + 1;
      options.gaps = i % 2 == 1;
      options.misalignment = i % 4 < 2 ? 0 : 1e-4;
      tribo_scenes::Scene scene = name == "peg"     ? tribo_scenes::PegInHole(32, options)
                                  : name == "stack" ? tribo_scenes::Stack(1 + i % 5, 8, options)
                                  : name == "grasp" ? tribo_scenes::Grasp(2, 8, options)
                                                    : tribo_scenes::SingleBody(name, options);
      scene.Load(&random);
      // Rows apart by an angle d leave the velocity free to slack / d^2: 1e-12 / 1e-8.
      const double tolerance = options.misalignment > 0 ? 1e-4 : 1e-8;
      const TriboPsdInfo info =
          ExpectSameVelocity(scene.problem(), Options(TRIBO_PSD_DANTZIG), tolerance);
      ASSERT_FALSE(HasFailure()) << name << " " << i;
      drives += info.drives;
      pivots += info.pivots;
    }
  }
  RecordProperty("drives", drives);
  RecordProperty("pivots", pivots);
}

// With no step of length 0 allowed, ties make it go over to the dual active set on the way.
TEST(Dantzig, GoesOverToTheDualActiveSetWhenItMayTakeNoZeroStep) {
  TriboRandom random = tribo_random(3);
  TriboPsdOptions options = Options(TRIBO_PSD_DANTZIG);
  options.zero_steps = 0;
  int over = 0;
  for (int i = 0; i < tribo_test_count(100); ++i) {
    tribo_scenes::Options scene_options;
    scene_options.seed = i + 1;
    tribo_scenes::Scene scene = tribo_scenes::Stack(4, 8, scene_options);
    scene.Load(&random);
    over += ExpectSameVelocity(scene.problem(), options).fallback;
    ASSERT_FALSE(HasFailure()) << "stack " << i;
  }
  RecordProperty("over", over);
}

TEST(Dantzig, PushesOnlyOneOfTwoEqualContacts) {
  Problem p(1);
  p.k = {-1};
  p.N.Add({1}, 0);
  p.N.Add({1}, 0);
  TriboContactProblem view = p.View();
  Solver solver(view);
  Answer answer(view);
  TriboPsdInfo info;
  const TriboPsdOptions options = Options(TRIBO_PSD_DANTZIG);
  ASSERT_EQ(tribo_psd_solve(solver.psd, &view, &options, nullptr, &answer.solution, &info),
            TRIBO_OK);
  EXPECT_EQ(answer.f[0], 1);
  EXPECT_EQ(answer.f[1], 0);
  EXPECT_EQ(info.drives, 1);
}

TEST(Dantzig, ProvesThatContradictingContactsHaveNoSolution) {
  Problem p(2);
  p.k = {0.5, 1};
  p.N.Add({1, 0}, 1);
  p.N.Add({-2, 0}, -1);
  TriboContactProblem view = p.View();
  Solver solver(view);
  Answer answer(view);
  TriboPsdInfo info;
  const TriboPsdOptions options = Options(TRIBO_PSD_DANTZIG);
  ASSERT_EQ(tribo_psd_solve(solver.psd, &view, &options, nullptr, &answer.solution, &info),
            TRIBO_ERROR_INFEASIBLE);
  EXPECT_NEAR(answer.f[0] - 2 * answer.f[1], 0, 1e-14);
  EXPECT_GT(answer.f[0] - answer.f[1], 0);
}

}  // namespace
