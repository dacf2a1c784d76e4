// SPDX-License-Identifier: Apache-2.0
#include "solvers/psd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "engine/base/dense.h"
#include "engine/base/random.h"
#include "solvers/certificate.h"
#include "solvers/noslip.h"
#include "tests/scale.h"

namespace {

// ---- Problems ----

struct Rows {
  std::vector<int> start = {0}, index;
  std::vector<double> value;

  int count() const { return static_cast<int>(start.size()) - 1; }
  void Add(const std::vector<double>& dense) {
    for (size_t c = 0; c < dense.size(); ++c) {
      if (dense[c] == 0) continue;
      index.push_back(static_cast<int>(c));
      value.push_back(dense[c]);
    }
    start.push_back(static_cast<int>(index.size()));
  }
  TriboRows View() { return {count(), start.data(), index.data(), value.data()}; }
  double Dot(int i, const std::vector<double>& y) const {
    double sum = 0;
    for (int e = start[i]; e < start[i + 1]; ++e) sum += value[e] * y[index[e]];
    return sum;
  }
};

struct Problem {
  int ny = 0;
  std::vector<double> k, b_X, b_N, b_T;
  Rows X, N, T;
  std::vector<TriboFrictionGroup> groups;

  TriboContactProblem View() {
    TriboContactProblem p = {};
    p.ny = ny;
    p.k = k.data();
    p.X = X.View();
    p.b_X = b_X.data();
    p.N = N.View();
    p.b_N = b_N.data();
    p.T = T.View();
    p.b_T = b_T.data();
    p.ng = static_cast<int>(groups.size());
    p.group = groups.data();
    return p;
  }
};

std::vector<double> RandomVector(TriboRandom* random, int n) {
  std::vector<double> v(n);
  for (double& x : v) x = tribo_random_in(random, -1, 1);
  return v;
}

// A stack of unit cubes of mass 1: four contacts at the corners of every face, each with its normal
// and two tangents, all redundant. Mass coordinates: velocity, and angular velocity over sqrt(6).
Problem MakeStack(TriboRandom* random, int cubes, bool gaps) {
  Problem p;
  p.ny = 6 * cubes;
  p.k = RandomVector(random, p.ny);
  for (int b = 0; b < cubes; ++b) {
    for (int corner = 0; corner < 4; ++corner) {
      double x = corner & 1 ? 0.5 : -0.5, y = corner & 2 ? 0.5 : -0.5;
      for (int axis : {2, 0, 1}) {
        std::vector<double> row(p.ny, 0.0);
        for (int side = 0; side < 2; ++side) {
          int body = b - side;
          if (body < 0) continue;
          double sign = side == 0 ? 1 : -1, z = side == 0 ? -0.5 : 0.5, a = std::sqrt(6.0);
          double spin[3][3] = {{0, z, -y}, {-z, 0, x}, {y, -x, 0}};  // (r x e_axis)
          row[6 * body + axis] = sign;
          for (int c = 0; c < 3; ++c) row[6 * body + 3 + c] = sign * a * spin[axis][c];
        }
        (axis == 2 ? p.N : p.T).Add(row);
        (axis == 2 ? p.b_N : p.b_T).push_back(0);
      }
      if (gaps && tribo_random_index(random, 2)) p.b_N.back() = -tribo_random_in(random, 0, 1);
      p.groups.push_back({p.N.count() - 1, p.T.count() - 2, 2, 8, 0.5, 0.0});
    }
  }
  return p;
}

// Random rows of rank `rank` at most: equality rows consistent, unilateral rows feasible at a
// common point.
Problem MakeRandom(TriboRandom* random, int ny, int rank, int n_X, int n_N) {
  Problem p;
  p.ny = ny;
  p.k = RandomVector(random, ny);
  std::vector<std::vector<double>> basis;
  for (int i = 0; i < rank; ++i) basis.push_back(RandomVector(random, ny));
  std::vector<double> feasible = RandomVector(random, ny);
  for (int i = 0; i < n_X + n_N; ++i) {
    std::vector<double> row(ny, 0.0);
    for (const auto& direction : basis) {
      double c = tribo_random_in(random, -1, 1);
      for (int j = 0; j < ny; ++j) row[j] += c * direction[j];
    }
    double b = tribo_dot(ny, row.data(), feasible.data());
    if (i < n_X) {
      p.X.Add(row);
      p.b_X.push_back(b);
    } else {
      p.N.Add(row);
      p.b_N.push_back(b - (tribo_random_index(random, 2) ? tribo_random_unit(random) : 0));
    }
  }
  return p;
}

// ---- Solving ----

struct Release {
  void operator()(void* memory) const { std::free(memory); }
};

struct Result {
  TriboStatus status;
  TriboPsdInfo info;
  TriboNoslipInfo noslip;
  std::vector<double> y, x, f, t;
  std::vector<TriboMode> mode_N, mode_g;

  explicit Result(const Problem& p)
      : y(p.ny),
        x(p.X.count()),
        f(p.N.count()),
        t(p.T.count()),
        mode_N(p.N.count()),
        mode_g(p.groups.size()) {}
  TriboContactSolution View() {
    return {y.data(), x.data(), f.data(), t.data(), mode_N.data(), mode_g.data()};
  }
};

// Everything that a solve needs, in one block.
struct Solvers {
  std::unique_ptr<void, Release> memory;
  TriboPsdSolver* psd = nullptr;
  TriboNoslipSolver* noslip = nullptr;

  explicit Solvers(const Problem& p) {
    TriboArena measure = tribo_arena_measure();
    Layout(&measure, p);
    memory.reset(std::aligned_alloc(TRIBO_ARENA_ALIGNMENT, measure.used));
    TriboArena arena = tribo_arena_over(memory.get(), measure.used);
    Layout(&arena, p);
    EXPECT_NE(noslip, nullptr);
  }
  void Layout(TriboArena* arena, const Problem& p) {
    int X = p.X.count(), N = p.N.count(), T = p.T.count();
    TriboFactor* factor = tribo_factor_init_dense(arena, p.ny + T, X + T + N);
    psd = tribo_psd_init(arena, factor, p.ny + T, X + T, N);
    int entries = static_cast<int>(p.X.value.size() + p.T.value.size());
    noslip =
        tribo_noslip_init(arena, psd, {p.ny, X, N, T, static_cast<int>(p.groups.size()), entries});
  }
};

Result Solve(Problem* p, TriboPsdMethod method, const std::vector<TriboMode>* warm = nullptr) {
  Solvers solvers(*p);
  Result result(*p);
  TriboPsdOptions options = tribo_psd_options_default();
  options.method = method;
  TriboContactProblem view = p->View();
  TriboContactSolution solution = result.View();
  result.status =
      tribo_psd_solve(solvers.psd, &view, &options, warm == nullptr ? nullptr : warm->data(),
                      &solution, &result.info);
  return result;
}

Result SolveNoslip(Problem* p, double compliance, TriboPsdMethod method = TRIBO_PSD_DUAL,
                   double touching = 1e-9) {
  Solvers solvers(*p);
  Result result(*p);
  TriboPsdOptions options = tribo_psd_options_default();
  options.method = method;
  std::vector<double> c(p->groups.size(), compliance);
  TriboContactProblem view = p->View();
  TriboContactSolution solution = result.View();
  const TriboNoslipLaw law = {c.data(), touching, 2, nullptr};
  result.status =
      tribo_noslip_solve(solvers.noslip, &view, &law, &options, nullptr, &solution, &result.noslip);
  return result;
}

double Norm(const std::vector<double>& v) {
  return std::sqrt(tribo_dot(static_cast<int>(v.size()), v.data(), v.data()));
}

double Distance(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::fabs(a[i] - b[i]));
  return worst;
}

// The largest violation of the conditions of optimality, from the original rows.
double KktResidual(const Problem& p, const Result& r) {
  std::vector<double> y = p.k;
  for (int i = 0; i < p.X.count(); ++i) {
    for (int e = p.X.start[i]; e < p.X.start[i + 1]; ++e) y[p.X.index[e]] += r.x[i] * p.X.value[e];
  }
  double worst = 0;
  for (int i = 0; i < p.N.count(); ++i) {
    for (int e = p.N.start[i]; e < p.N.start[i + 1]; ++e) y[p.N.index[e]] += r.f[i] * p.N.value[e];
    worst = std::max(worst, -r.f[i]);
  }
  worst = std::max(worst, Distance(y, r.y));
  for (int i = 0; i < p.X.count(); ++i)
    worst = std::max(worst, std::fabs(p.X.Dot(i, y) - p.b_X[i]));
  for (int i = 0; i < p.N.count(); ++i) {
    double w = p.N.Dot(i, y) - p.b_N[i];
    worst = std::max({worst, -w, std::min(r.f[i], std::fabs(w))});
  }
  return worst / (1 + Norm(p.k));
}

// The nearest point by trying every set of unilateral rows as equalities: least squares on each by
// QR, the feasible one of least distance wins. Knows nothing of active sets or Gram matrices.
std::vector<double> Enumerate(const Problem& p) {
  int n_X = p.X.count(), n_N = p.N.count(), ny = p.ny;
  std::vector<double> best;
  double least = INFINITY;
  for (int mask = 0; mask < 1 << n_N; ++mask) {
    std::vector<int> rows;
    for (int i = 0; i < n_N; ++i) {
      if (mask >> i & 1) rows.push_back(i);
    }
    int m = n_X + static_cast<int>(rows.size());
    // A^T = Q R P^T: the nearest point is k + Q z with R^T z = P^T (b - A k).
    std::vector<double> at(ny * std::max(m, 1), 0.0), tau(std::max(m, ny)), scratch(m + 1),
        d(m + 1);
    std::vector<int> permutation(m + 1);
    for (int c = 0; c < m; ++c) {
      const Rows& source = c < n_X ? p.X : p.N;
      int i = c < n_X ? c : rows[c - n_X];
      for (int e = source.start[i]; e < source.start[i + 1]; ++e) {
        at[source.index[e] * m + c] = source.value[e];
      }
      d[c] = (c < n_X ? p.b_X[i] : p.b_N[i]) - source.Dot(i, p.k);
    }
    int rank =
        tribo_qr_factor(ny, m, at.data(), m, tau.data(), permutation.data(), 1e-10, scratch.data());
    std::vector<double> y(ny, 0.0);
    for (int i = 0; i < rank; ++i) {
      double sum = d[permutation[i]];
      for (int j = 0; j < i; ++j) sum -= at[j * m + i] * y[j];
      y[i] = sum / at[i * m + i];
    }
    tribo_qr_apply(ny, rank, at.data(), m, tau.data(), y.data());
    double distance = Norm(y);
    for (int j = 0; j < ny; ++j) y[j] += p.k[j];
    bool feasible = true;
    for (int i = 0; i < n_X; ++i) feasible &= std::fabs(p.X.Dot(i, y) - p.b_X[i]) < 1e-9;
    for (int i = 0; i < n_N; ++i) feasible &= p.N.Dot(i, y) - p.b_N[i] > -1e-9;
    if (feasible && distance < least) {
      least = distance;
      best = y;
    }
  }
  return best;
}

// ---- The nearest point ----

TEST(Psd, SmallProblemsMatchTheEnumerationOfAllActiveSets) {
  TriboRandom random = tribo_random(1);
  for (int c = 0; c < tribo_test_count(300); ++c) {
    int ny = 1 + tribo_random_index(&random, 5), rank = 1 + tribo_random_index(&random, ny);
    Problem p = MakeRandom(&random, ny, rank, tribo_random_index(&random, 3),
                           tribo_random_index(&random, 7));
    std::vector<double> truth = Enumerate(p);
    ASSERT_FALSE(truth.empty());
    for (TriboPsdMethod method : {TRIBO_PSD_DUAL, TRIBO_PSD_PPM}) {
      Result r = Solve(&p, method);
      ASSERT_EQ(r.status, TRIBO_OK) << c;
      EXPECT_LE(Distance(r.y, truth), 1e-8) << c;
    }
  }
}

TEST(Psd, RandomProblemsOfAnyRankMeetTheConditionsAndBothMethodsAgree) {
  TriboRandom random = tribo_random(2);
  for (int c = 0; c < tribo_test_count(1000); ++c) {
    int ny = 1 + tribo_random_index(&random, 20), rank = 1 + tribo_random_index(&random, ny);
    Problem p = MakeRandom(&random, ny, rank, tribo_random_index(&random, 6),
                           tribo_random_index(&random, 40));
    Result dual = Solve(&p, TRIBO_PSD_DUAL), ppm = Solve(&p, TRIBO_PSD_PPM);
    ASSERT_EQ(dual.status, TRIBO_OK) << c;
    ASSERT_EQ(ppm.status, TRIBO_OK) << c;
    EXPECT_LE(KktResidual(p, dual), 1e-9) << c;
    EXPECT_LE(KktResidual(p, ppm), 1e-9) << c;
    EXPECT_LE(Distance(dual.y, ppm.y), 1e-8) << c;
    EXPECT_LE(dual.info.most_active, ny);
    EXPECT_LE(ppm.info.most_active, ny);
  }
}

// Rows and data of small whole numbers, so that ratios tie and rows repeat; then every row in units
// of its own, over twelve orders of magnitude, which changes no velocity.
TEST(Psd, TiesAndRowsScaledOverTwelveOrdersOfMagnitudeAreSolvedByEveryMethod) {
  TriboRandom random = tribo_random(12);
  for (int c = 0; c < tribo_test_count(200); ++c) {
    Problem p;
    p.ny = 1 + tribo_random_index(&random, 6);
    for (int j = 0; j < p.ny; ++j) p.k.push_back(tribo_random_index(&random, 5) - 2.0);
    const int rows = 1 + tribo_random_index(&random, 12);
    for (int i = 0; i < rows; ++i) {
      std::vector<double> row(p.ny);
      for (double& x : row) x = tribo_random_index(&random, 3) - 1.0;
      p.N.Add(row);
      p.b_N.push_back(-tribo_random_index(&random, 3));
    }
    const Result plain = Solve(&p, TRIBO_PSD_DUAL);
    for (int i = 0; i < rows; ++i) {
      const double unit = std::pow(10.0, tribo_random_in(&random, -6, 6));
      for (int e = p.N.start[i]; e < p.N.start[i + 1]; ++e) p.N.value[e] *= unit;
      p.b_N[i] *= unit;
    }
    const TriboContactProblem view = p.View();
    for (TriboPsdMethod method : {TRIBO_PSD_DUAL, TRIBO_PSD_PPM, TRIBO_PSD_DANTZIG}) {
      Result scaled = Solve(&p, method);
      ASSERT_EQ(scaled.status, TRIBO_OK) << c << " " << method;
      EXPECT_LE(Distance(plain.y, scaled.y), 1e-8) << c << " " << method;
      std::vector<double> scratch(p.ny);
      const TriboContactSolution solution = scaled.View();
      EXPECT_LE(tribo_certify(&view, TRIBO_CONE_ROUND, &solution, scratch.data()).worst, 1e-9)
          << c << " " << method;
    }
  }
}

TEST(Psd, RedundantStacksAreSolvedWithAndWithoutGaps) {
  TriboRandom random = tribo_random(3);
  int fallbacks = 0;
  for (int c = 0; c < tribo_test_count(300); ++c) {
    Problem p = MakeStack(&random, 1 + c % 6, c % 2 == 1);
    if (c % 3 == 0) {
      for (double& x : p.k) x = 0;
      for (int b = 0; b < p.ny / 6; ++b) p.k[6 * b + 2] = -1;  // gravity only
    }
    Result dual = Solve(&p, TRIBO_PSD_DUAL), ppm = Solve(&p, TRIBO_PSD_PPM);
    ASSERT_EQ(dual.status, TRIBO_OK) << c;
    ASSERT_EQ(ppm.status, TRIBO_OK) << c;
    EXPECT_LE(KktResidual(p, dual), 1e-11) << c;
    EXPECT_LE(KktResidual(p, ppm), 1e-11) << c;
    EXPECT_LE(Distance(dual.y, ppm.y), 1e-10) << c;
    EXPECT_LE(ppm.info.most_active, p.ny);
    fallbacks += ppm.info.fallback;
  }
  RecordProperty("ppm_fallbacks", fallbacks);
}

TEST(Psd, AWarmStartFromTheSolutionTakesNoPivot) {
  TriboRandom random = tribo_random(4);
  for (int c = 0; c < tribo_test_count(100); ++c) {
    Problem p = MakeStack(&random, 1 + c % 5, c % 2 == 1);
    for (TriboPsdMethod method : {TRIBO_PSD_DUAL, TRIBO_PSD_PPM}) {
      Result cold = Solve(&p, method);
      Result warm = Solve(&p, method, &cold.mode_N);
      ASSERT_EQ(warm.status, TRIBO_OK);
      EXPECT_EQ(warm.info.pivots, 0) << c;
      EXPECT_LE(Distance(warm.y, cold.y), 1e-12);
    }
  }
}

TEST(Psd, AnyWarmStartLeadsToTheSameVelocity) {
  TriboRandom random = tribo_random(5);
  for (int c = 0; c < tribo_test_count(200); ++c) {
    Problem p = MakeStack(&random, 1 + c % 4, c % 2 == 1);
    std::vector<TriboMode> warm(p.N.count());
    for (TriboMode& mode : warm) {
      mode = tribo_random_index(&random, 2) ? TRIBO_MODE_STICK : TRIBO_MODE_SEPARATE;
    }
    Result cold = Solve(&p, TRIBO_PSD_DUAL);
    for (TriboPsdMethod method : {TRIBO_PSD_DUAL, TRIBO_PSD_PPM}) {
      Result r = Solve(&p, method, &warm);
      ASSERT_EQ(r.status, TRIBO_OK);
      EXPECT_LE(Distance(r.y, cold.y), 1e-10);
    }
  }
}

TEST(Psd, AFallingPointRestsOnTheFloorWithItsWeight) {
  Problem p;
  p.ny = 1;
  p.k = {-3};
  p.N.Add({2});
  p.b_N = {0};
  Result r = Solve(&p, TRIBO_PSD_PPM);
  ASSERT_EQ(r.status, TRIBO_OK);
  EXPECT_NEAR(r.y[0], 0, 1e-15);
  EXPECT_NEAR(r.f[0], 1.5, 1e-15);
}

// ---- Equality rows ----

TEST(Psd, RedundantEqualityRowsAreLeftOut) {
  Problem p;
  p.ny = 3;
  p.k = {1, 2, 3};
  p.X.Add({1, 0, 0});
  p.X.Add({2, 0, 0});
  p.X.Add({0, 1, 0});
  p.X.Add({1, 1, 0});
  p.b_X = {5, 10, 1, 6};
  Result r = Solve(&p, TRIBO_PSD_DUAL);
  ASSERT_EQ(r.status, TRIBO_OK);
  EXPECT_EQ(r.info.redundant, 2);
  EXPECT_LE(Distance(r.y, {5, 1, 3}), 1e-14);
}

TEST(Psd, InconsistentEqualityRowsAreNamedAndProved) {
  Problem p;
  p.ny = 3;
  p.k = {1, 2, 3};
  p.X.Add({1, 0, 0});
  p.X.Add({0, 1, 0});
  p.X.Add({1, 1, 0});
  p.b_X = {5, 1, 6.001};
  Result r = Solve(&p, TRIBO_PSD_DUAL);
  ASSERT_EQ(r.status, TRIBO_ERROR_INFEASIBLE);
  EXPECT_EQ(r.info.row, 2);
  EXPECT_TRUE(r.info.equality);
  // X^T x = 0 and b . x > 0.
  EXPECT_NEAR(r.x[0] + r.x[2], 0, 1e-14);
  EXPECT_NEAR(r.x[1] + r.x[2], 0, 1e-14);
  EXPECT_GT(5 * r.x[0] + 1 * r.x[1] + 6.001 * r.x[2], 0);
}

TEST(Psd, TwoJawsOnARigidBlockAreInfeasibleWithAProof) {
  // Two opposite walls, each driven inwards, on one coordinate; and an equality row that is not to
  // blame.
  for (TriboPsdMethod method : {TRIBO_PSD_DUAL, TRIBO_PSD_PPM}) {
    Problem p;
    p.ny = 2;
    p.k = {0.3, 0};
    p.X.Add({0, 1});
    p.b_X = {1};
    p.N.Add({1, 0});
    p.N.Add({-1, 0});
    p.b_N = {1, 1};
    Result r = Solve(&p, method);
    ASSERT_EQ(r.status, TRIBO_ERROR_INFEASIBLE);
    EXPECT_FALSE(r.info.equality);
    EXPECT_GE(r.info.row, 0);
    EXPECT_NEAR(r.f[0] - r.f[1], 0, 1e-14);
    EXPECT_NEAR(r.x[0], 0, 1e-14);
    EXPECT_GT(r.f[0] + r.f[1], 0.5);
  }
}

// Opposed walls that are parallel up to 1e-8 all around a body: their rows depend on each other up
// to rounding, and seemed to contradict each other, though rest meets all of them.
TEST(Psd, AlmostParallelWallsAreNeverInfeasibleWhereRestIsFeasible) {
  TriboRandom random = tribo_random(77);
  int seemed = 0;
  for (int trial = 0; trial < tribo_test_count(2000); ++trial) {
    Problem p;
    p.ny = 6;
    p.k = RandomVector(&random, p.ny);
    for (int wall = 0; wall < 4; ++wall) {
      std::vector<double> row = RandomVector(&random, p.ny), opposed = row;
      for (double& x : opposed) x = -x + tribo_random_in(&random, -1e-8, 1e-8);
      p.N.Add(row);
      p.N.Add(opposed);
    }
    p.b_N.assign(p.N.count(), 0.0);
    const Result r = Solve(&p, TRIBO_PSD_DUAL);
    ASSERT_TRUE(r.status == TRIBO_OK || r.status == TRIBO_ERROR_LIMIT) << trial;
    seemed += r.status == TRIBO_ERROR_LIMIT;
  }
  EXPECT_GT(seemed, 0);  // the case is met
}

TEST(Psd, RandomInfeasibleProblemsAreCalledSoWithAProof) {
  TriboRandom random = tribo_random(6);
  for (int c = 0; c < tribo_test_count(4000); ++c) {
    int ny = 1 + tribo_random_index(&random, 8);
    Problem p = MakeRandom(&random, ny, ny, tribo_random_index(&random, 2),
                           2 + tribo_random_index(&random, 12));
    // The opposite of a sum of rows with positive weights, asked for a little more than they leave.
    std::vector<double> row(ny, 0.0);
    double b = 0.1;
    for (int i = 0; i < std::min(p.N.count(), 3); ++i) {
      double weight = 0.2 + tribo_random_unit(&random);
      for (int e = p.N.start[i]; e < p.N.start[i + 1]; ++e) {
        row[p.N.index[e]] -= weight * p.N.value[e];
      }
      b -= weight * p.b_N[i];
    }
    p.N.Add(row);
    p.b_N.push_back(b);
    for (TriboPsdMethod method : {TRIBO_PSD_DUAL, TRIBO_PSD_PPM}) {
      Result r = Solve(&p, method);
      ASSERT_EQ(r.status, TRIBO_ERROR_INFEASIBLE) << c;
      std::vector<double> sum(ny, 0.0);
      double gain = 0;
      for (int i = 0; i < p.X.count(); ++i) {
        for (int e = p.X.start[i]; e < p.X.start[i + 1]; ++e) {
          sum[p.X.index[e]] += r.x[i] * p.X.value[e];
        }
        gain += r.x[i] * p.b_X[i];
      }
      for (int i = 0; i < p.N.count(); ++i) {
        EXPECT_GE(r.f[i], 0);
        for (int e = p.N.start[i]; e < p.N.start[i + 1]; ++e) {
          sum[p.N.index[e]] += r.f[i] * p.N.value[e];
        }
        gain += r.f[i] * p.b_N[i];
      }
      EXPECT_GT(gain, 0);
      EXPECT_LE(Norm(sum), 1e-5 * gain);
    }
  }
}

TEST(Psd, AProblemLargerThanTheSolverIsACapacityError) {
  TriboRandom random = tribo_random(7);
  Problem small = MakeStack(&random, 1, false), large = MakeStack(&random, 2, false);
  Solvers solvers(small);
  Result result(large);
  TriboPsdOptions options = tribo_psd_options_default();
  TriboContactProblem view = large.View();
  TriboContactSolution solution = result.View();
  EXPECT_EQ(tribo_psd_solve(solvers.psd, &view, &options, nullptr, &solution, &result.info),
            TRIBO_ERROR_CAPACITY);
  const TriboNoslipLaw law = {nullptr, 0, 2, nullptr};
  EXPECT_EQ(
      tribo_noslip_solve(solvers.noslip, &view, &law, &options, nullptr, &solution, &result.noslip),
      TRIBO_ERROR_CAPACITY);
}

// ---- No-slip and viscous ----

// Presses all cubes down so that every contact holds.
void PressDown(Problem* p) {
  for (int b = 0; b < p->ny / 6; ++b) p->k[6 * b + 2] = -5;
}

TEST(Noslip, RedundantTangentsStopAPressedStackCompletely) {
  TriboRandom random = tribo_random(8);
  for (int c = 0; c < tribo_test_count(60); ++c) {
    Problem p = MakeStack(&random, 1 + c % 5, false);
    PressDown(&p);
    for (TriboPsdMethod method : {TRIBO_PSD_DUAL, TRIBO_PSD_PPM}) {
      Result r = SolveNoslip(&p, 0, method);
      ASSERT_EQ(r.status, TRIBO_OK);
      EXPECT_GT(r.noslip.psd.redundant, 0);
      for (int i = 0; i < p.T.count(); ++i) {
        if (r.mode_g[i / 2] == TRIBO_MODE_STICK) {
          EXPECT_NEAR(p.T.Dot(i, r.y), 0, 1e-12);
        }
      }
    }
  }
}

// What a round found of dependent tangents is not tested again in the next, which other contacts
// leave and join: the last round must be the problem of its tangents, solved on its own.
TEST(Noslip, RoundsEndAtTheSolutionWithTheirTangentsAsEqualityRows) {
  TriboRandom random = tribo_random(19);
  int several = 0;
  for (int c = 0; c < tribo_test_count(200); ++c) {
    Problem p = MakeStack(&random, 1 + c % 4, c % 2 == 1);
    Result r = SolveNoslip(&p, 0, c % 3 == 0 ? TRIBO_PSD_PPM : TRIBO_PSD_DUAL);
    ASSERT_EQ(r.status, TRIBO_OK);
    several += r.noslip.rounds > 1;
    Problem held = p;
    for (int i = 0; i < p.T.count(); ++i) {
      if (r.mode_g[i / 2] != TRIBO_MODE_STICK) continue;
      std::vector<double> row(p.ny, 0.0);
      for (int e = p.T.start[i]; e < p.T.start[i + 1]; ++e) row[p.T.index[e]] = p.T.value[e];
      held.X.Add(row);
      held.b_X.push_back(0);
    }
    Result alone = Solve(&held, TRIBO_PSD_DUAL);
    ASSERT_EQ(alone.status, TRIBO_OK);
    EXPECT_EQ(r.noslip.psd.redundant, alone.info.redundant) << c;
    EXPECT_LE(Distance(r.y, alone.y), 1e-9) << c;
  }
  EXPECT_GT(several, tribo_test_count(200) / 5);
}

TEST(Noslip, DualAndPpmGiveTheSameVelocity) {
  TriboRandom random = tribo_random(9);
  for (int c = 0; c < tribo_test_count(200); ++c) {
    Problem p = MakeStack(&random, 1 + c % 4, c % 2 == 1);
    for (double compliance : {0.0, 0.1}) {
      Result a = SolveNoslip(&p, compliance, TRIBO_PSD_DUAL);
      Result b = SolveNoslip(&p, compliance, TRIBO_PSD_PPM);
      ASSERT_EQ(a.status, TRIBO_OK);
      ASSERT_EQ(b.status, TRIBO_OK);
      EXPECT_LE(Distance(a.y, b.y), 1e-8) << c;
    }
  }
}

TEST(Noslip, ViscosityGoesToNoSlipAndToFrictionlessInItsLimits) {
  TriboRandom random = tribo_random(10);
  for (int c = 0; c < tribo_test_count(60); ++c) {
    Problem p = MakeStack(&random, 1 + c % 4, false);
    PressDown(&p);
    Result frictionless = Solve(&p, TRIBO_PSD_DUAL), no_slip = SolveNoslip(&p, 0);
    // Compliance 1e-9: first order in it. 1e12: first order in its inverse.
    EXPECT_LE(Distance(SolveNoslip(&p, 1e-9).y, no_slip.y), 1e-6);
    EXPECT_LE(Distance(SolveNoslip(&p, 1e12).y, frictionless.y), 1e-9);
    EXPECT_LE(Distance(SolveNoslip(&p, INFINITY).y, frictionless.y), 1e-12);
  }
}

TEST(Noslip, ViscousImpulseIsTheTangentialVelocityOverTheCompliance) {
  TriboRandom random = tribo_random(11);
  Problem p = MakeStack(&random, 3, false);
  PressDown(&p);
  double compliance = 0.25;
  Result r = SolveNoslip(&p, compliance);
  ASSERT_EQ(r.status, TRIBO_OK);
  int sliding = 0;
  for (int i = 0; i < p.T.count(); ++i) {
    if (r.mode_g[i / 2] != TRIBO_MODE_SLIDE) continue;
    ++sliding;
    EXPECT_NEAR(r.t[i], -p.T.Dot(i, r.y) / compliance, 1e-11);
  }
  EXPECT_GT(sliding, 0);
}

TEST(Noslip, ACubeThatLeavesIsNotPulled) {
  TriboRandom random = tribo_random(12);
  Problem p = MakeStack(&random, 1, false);
  p.k = {1, 0, 1, 0, 0, 0};
  Result r = SolveNoslip(&p, 0);
  ASSERT_EQ(r.status, TRIBO_OK);
  EXPECT_LE(Distance(r.y, p.k), 1e-15);
  for (TriboMode mode : r.mode_g) EXPECT_EQ(mode, TRIBO_MODE_SEPARATE);
}

TEST(Noslip, TangentsOfContactsThatDoNotTouchStayOut) {
  TriboRandom random = tribo_random(13);
  Problem p = MakeStack(&random, 1, false);
  p.k = {1, 0, -1, 0, 0, 0};
  for (double& b : p.b_N) b = -0.5;  // a gap of half the way
  Result r = SolveNoslip(&p, 0);
  ASSERT_EQ(r.status, TRIBO_OK);
  EXPECT_NEAR(r.y[0], 1, 1e-14);
  EXPECT_NEAR(r.y[2], -0.5, 1e-14);
}

TEST(Noslip, TangentsOfAContactThatEndsUpSeparatingAreDropped) {
  // A point (x, z) between a slope and a wall that moves down: without slip at the wall it would be
  // driven down, and along the slope away from the wall. So it leaves the wall and meets the slope
  // alone.
  Problem p;
  p.ny = 2;
  p.k = {-0.1, -1};
  p.N.Add({1, 0});      // wall
  p.N.Add({0.6, 0.8});  // slope
  p.b_N = {0, 0};
  p.T.Add({0, 1});
  p.T.Add({0.8, -0.6});
  p.b_T = {-1, 0};
  p.groups = {{0, 0, 1, 2, 1.0, 0.0}, {1, 1, 1, 2, 1.0, 0.0}};
  const double only_wall[] = {0, INFINITY};
  Solvers solvers(p);
  Result r(p);
  TriboPsdOptions options = tribo_psd_options_default();
  TriboContactProblem view = p.View();
  TriboContactSolution solution = r.View();
  const TriboNoslipLaw law = {only_wall, 1e-9, 2, nullptr};
  ASSERT_EQ(
      tribo_noslip_solve(solvers.noslip, &view, &law, &options, nullptr, &solution, &r.noslip),
      TRIBO_OK);
  // k + 0.86 (0.6, 0.8)
  EXPECT_LE(Distance(r.y, {0.416, -0.312}), 1e-14);
  EXPECT_EQ(r.mode_g[0], TRIBO_MODE_SEPARATE);
  EXPECT_EQ(r.t[0], 0);
  EXPECT_EQ(r.noslip.rounds, 2);
}

TEST(Noslip, GroupsWithoutANormalAreCountedAsLeftOut) {
  TriboRandom random = tribo_random(14);
  Problem p = MakeStack(&random, 1, false);
  p.groups.back().normal = -1;
  EXPECT_EQ(SolveNoslip(&p, 0).noslip.left_out, 1);
}

}  // namespace
