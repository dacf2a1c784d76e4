// SPDX-License-Identifier: Apache-2.0
#include "solvers/lemke_standard.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/base/random.h"
#include "tests/scale.h"

namespace {

struct Problem {
  int n;
  std::vector<double> M, q, z;
  explicit Problem(int size) : n(size), M(size * size), q(size), z(size) {}
  double& at(int i, int j) { return M[i * n + j]; }
  TriboLcp lcp() const { return {n, M.data(), q.data()}; }

  // q such that z with a random half of its entries is a solution.
  void plant(TriboRandom* random, double tie) {
    std::vector<double> w(n);
    for (int i = 0; i < n; ++i) {
      const double value = tribo_random_unit(random) < tie ? 0 : tribo_random_in(random, 0.1, 1);
      (tribo_random_unit(random) < 0.5 ? z[i] : w[i]) = value;
    }
    for (int i = 0; i < n; ++i) {
      q[i] = w[i];
      for (int j = 0; j < n; ++j) q[i] -= at(i, j) * z[j];
    }
  }
};

struct Answer {
  TriboStatus status;
  TriboLemkeStandardStats stats;
  std::vector<double> z;
};

Answer solve(const Problem& problem) {
  TriboArena measure = tribo_arena_measure();
  tribo_lemke_standard_init(&measure, problem.n);
  void* memory = tribo_allocate(nullptr, measure.used);
  TriboArena arena = tribo_arena_over(memory, measure.used);
  TriboLemkeStandard* solver = tribo_lemke_standard_init(&arena, problem.n);
  Answer answer;
  answer.z.resize(problem.n);
  const TriboLcp lcp = problem.lcp();
  const TriboLemkeStandardOptions options = tribo_lemke_standard_options_default();
  answer.status =
      tribo_lemke_standard_solve(solver, &lcp, &options, answer.z.data(), &answer.stats);
  tribo_release(nullptr, memory, measure.used);
  return answer;
}

// M = B B^T over `rank` columns, plus `shift` on the diagonal, plus a skew part.
Problem gram(TriboRandom* random, int n, int rank, double shift, double skew, bool integers) {
  Problem p(n);
  std::vector<double> b(n * rank);
  for (double& v : b) {
    v = integers ? tribo_random_index(random, 3) - 1 : tribo_random_normal(random);
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < rank; ++k) p.at(i, j) += b[i * rank + k] * b[j * rank + k];
    }
    p.at(i, i) += shift;
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      const double s = skew * tribo_random_normal(random);
      p.at(i, j) += s;
      p.at(j, i) -= s;
    }
  }
  return p;
}

// A Stewart-Trinkle problem of nc contacts, d = 4, on one body: unknowns normal impulses, facet
// impulses, lambda. Gaps >= 0, so that rest is feasible.
Problem contacts(TriboRandom* random, int nc, double mu) {
  enum { kDirections = 4 };
  Problem p(nc * (kDirections + 2));
  const int beta = nc, lambda = nc * (1 + kDirections);
  std::vector<double> rows(lambda * 6), k(6);
  for (double& v : k) v = tribo_random_normal(random);
  for (int i = 0; i < nc; ++i) {
    for (int c = 0; c < 6; ++c) {
      rows[i * 6 + c] = tribo_random_normal(random);
      const double s = tribo_random_normal(random), t = tribo_random_normal(random);
      const double directions[kDirections] = {s, t, -s, -t};
      for (int f = 0; f < kDirections; ++f) {
        rows[(beta + kDirections * i + f) * 6 + c] = directions[f];
      }
    }
  }
  for (int i = 0; i < lambda; ++i) {
    for (int c = 0; c < 6; ++c) {
      p.q[i] += rows[i * 6 + c] * k[c];
      for (int j = 0; j < lambda; ++j) p.at(i, j) += rows[i * 6 + c] * rows[j * 6 + c];
    }
  }
  for (int i = 0; i < nc; ++i) {
    if (tribo_random_unit(random) < 0.5) p.q[i] += tribo_random_unit(random);
    p.at(lambda + i, i) = mu;
    for (int f = 0; f < kDirections; ++f) {
      p.at(beta + kDirections * i + f, lambda + i) = 1;
      p.at(lambda + i, beta + kDirections * i + f) = -1;
    }
  }
  return p;
}

void expect_solved(const Problem& problem, int run) {
  const Answer answer = solve(problem);
  EXPECT_EQ(answer.status, TRIBO_OK) << "run " << run << ", n " << problem.n;
  EXPECT_LE(answer.stats.certificate.worst, 1e-9) << "run " << run;
}

constexpr int kCount = 400;  // 20,000 at TRIBO_TEST_SCALE=50

TEST(LemkeStandard, SolvesPMatrices) {
  TriboRandom random = tribo_random(1);
  for (int run = 0, count = tribo_test_count(kCount); run < count; ++run) {
    const int n = 1 + tribo_random_index(&random, 20);
    Problem p = gram(&random, n, n, 0.1, 1, false);
    p.plant(&random, 0);
    expect_solved(p, run);
  }
}

TEST(LemkeStandard, SolvesSemidefiniteMatricesOfFullAndDeficientRank) {
  TriboRandom random = tribo_random(2);
  for (int run = 0, count = tribo_test_count(kCount); run < count; ++run) {
    const int n = 2 + tribo_random_index(&random, 20);
    Problem p =
        gram(&random, n, run % 2 == 0 ? n : 1 + tribo_random_index(&random, n), 0, 0, false);
    p.plant(&random, 0);
    expect_solved(p, run);
  }
}

TEST(LemkeStandard, SolvesDegenerateProblemsWithTies) {
  TriboRandom random = tribo_random(3);
  for (int run = 0, count = tribo_test_count(kCount); run < count; ++run) {
    const int n = 2 + tribo_random_index(&random, 20);
    Problem p = gram(&random, n, 1 + tribo_random_index(&random, n), 0, 0, true);
    p.plant(&random, 0.6);
    expect_solved(p, run);
  }
}

TEST(LemkeStandard, SolvesContactProblems) {
  TriboRandom random = tribo_random(4);
  for (int run = 0, count = tribo_test_count(kCount); run < count; ++run) {
    const double mu = run % 3 == 0 ? 100 : tribo_random_unit(&random);
    expect_solved(contacts(&random, 1 + tribo_random_index(&random, 5), mu), run);
  }
}

TEST(LemkeStandard, SolvesProblemsScaledOverTwelveOrdersOfMagnitude) {
  TriboRandom random = tribo_random(5);
  for (int run = 0, count = tribo_test_count(kCount); run < count; ++run) {
    const int n = 2 + tribo_random_index(&random, 15);
    Problem p = gram(&random, n, n, 0.1, 1, false);
    p.plant(&random, 0);
    std::vector<double> row(n), column(n);
    for (int i = 0; i < n; ++i) {
      row[i] = std::pow(10.0, tribo_random_in(&random, -6, 6));
      column[i] = std::pow(10.0, tribo_random_in(&random, -6, 6));
    }
    for (int i = 0; i < n; ++i) {
      p.q[i] *= row[i];
      for (int j = 0; j < n; ++j) p.at(i, j) *= row[i] * column[j];
    }
    const Answer answer = solve(p);
    ASSERT_EQ(answer.status, TRIBO_OK) << "run " << run;
    // The solution of a P-matrix problem is unique.
    double largest = 0;
    for (int i = 0; i < n; ++i) largest = std::fmax(largest, p.z[i]);
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(answer.z[i] * column[i], p.z[i], 1e-8 * largest) << "run " << run;
    }
  }
}

TEST(LemkeStandard, CallsUnsolvableProblemsInfeasibleWithAProof) {
  TriboRandom random = tribo_random(6);
  for (int run = 0, count = tribo_test_count(kCount); run < count; ++run) {
    // Columns of B sum to 0 with positive weights v, so that v.M = 0, and q.v < 0.
    const int n = 2 + tribo_random_index(&random, 10), rank = n - 1;
    std::vector<double> v(n), b(n * rank);
    for (double& x : v) x = tribo_random_in(&random, 0.5, 2);
    for (int k = 0; k < rank; ++k) {
      double sum = 0;
      for (int i = 0; i + 1 < n; ++i)
        sum += v[i] * (b[i * rank + k] = tribo_random_normal(&random));
      b[(n - 1) * rank + k] = -sum / v[n - 1];
    }
    Problem p(n);
    double along = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        for (int k = 0; k < rank; ++k) p.at(i, j) += b[i * rank + k] * b[j * rank + k];
      }
      along += v[i] * (p.q[i] = tribo_random_normal(&random));
    }
    p.q[0] -= (std::fabs(along) + 1) / v[0];
    const Answer answer = solve(p);
    ASSERT_EQ(answer.status, TRIBO_ERROR_INFEASIBLE) << "run " << run;
    double work = 0;
    for (int i = 0; i < n; ++i) {
      EXPECT_GE(answer.z[i], 0);
      work += p.q[i] * answer.z[i];
    }
    EXPECT_LT(work, 0);
  }
}

TEST(LemkeStandard, SolvesMurtysExponentialExample) {
  // M upper triangular, 1 and 2, q = -1: z = (0, ..., 0, 1) [Murty1988].
  for (int n = 2; n <= 14; ++n) {
    Problem p(n);
    for (int i = 0; i < n; ++i) {
      p.q[i] = -1;
      p.at(i, i) = 1;
      for (int j = i + 1; j < n; ++j) p.at(i, j) = 2;
    }
    const Answer answer = solve(p);
    ASSERT_EQ(answer.status, TRIBO_OK) << n;
    for (int i = 0; i < n; ++i) EXPECT_NEAR(answer.z[i], i == n - 1, 1e-12);
  }
}

TEST(LemkeStandard, CyclicMatrixIsSolved) {
  // Single principal pivots on a negative z, else w, cycle here: the sets 1, 12, 2, 23, 3, 13, 1.
  Problem p(3);
  p.M = {1, 2, 0, 0, 1, 2, 2, 0, 1};
  p.q = {-1, -1, -1};
  const Answer answer = solve(p);
  ASSERT_EQ(answer.status, TRIBO_OK);
  for (double z : answer.z) EXPECT_NEAR(z, 1.0 / 3, 1e-12);
}

TEST(LemkeStandard, CallsANegativeMatrixWithNegativeQInfeasible) {
  // w = -z - 1 has no solution.
  Problem p(1);
  p.M = {-1};
  p.q = {-1};
  const Answer answer = solve(p);
  EXPECT_EQ(answer.status, TRIBO_ERROR_INFEASIBLE);
  EXPECT_GT(answer.z[0], 0);
}

}  // namespace
