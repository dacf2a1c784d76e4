// SPDX-License-Identifier: Apache-2.0
#include "engine/base/dense.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/base/random.h"
#include "tests/scale.h"

namespace {

using Matrix = std::vector<double>;

Matrix RandomMatrix(TriboRandom* random, int m, int n) {
  Matrix a(m * n);
  for (double& x : a) x = tribo_random_in(random, -1, 1);
  return a;
}

// B B^T + I, row-major n x n inside a leading dimension ld, NaN elsewhere so that stray reads show.
Matrix RandomDefinite(TriboRandom* random, int n, int ld) {
  Matrix b = RandomMatrix(random, n, n), a(ld * ld, NAN);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      a[i * ld + j] = tribo_dot(n, &b[i * n], &b[j * n]) + (i == j ? 1.0 : 0.0);
    }
  }
  return a;
}

// Largest |R^T R - A| over the n x n part.
double FactorError(int n, const Matrix& r, const Matrix& a, int ld) {
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = i; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k <= i; ++k) sum += r[k * ld + i] * r[k * ld + j];
      worst = std::max(worst, std::fabs(sum - a[i * ld + j]));
    }
  }
  return worst;
}

TEST(Cholesky, FactorsAndSolvesRandomDefiniteMatrices) {
  TriboRandom random = tribo_random(1);
  for (int c = 0; c < tribo_test_count(200); ++c) {
    int n = 1 + tribo_random_index(&random, 40), ld = n + tribo_random_index(&random, 3);
    Matrix a = RandomDefinite(&random, n, ld), r = a;
    ASSERT_EQ(tribo_cholesky_factor(n, r.data(), ld, 1e-12), TRIBO_OK);
    EXPECT_LE(FactorError(n, r, a, ld), 1e-13 * n);
    Matrix truth = RandomMatrix(&random, n, 1), x(n);
    for (int i = 0; i < n; ++i) x[i] = tribo_dot(n, &a[i * ld], truth.data());
    tribo_cholesky_solve(n, r.data(), ld, x.data());
    for (int i = 0; i < n; ++i) EXPECT_NEAR(x[i], truth[i], 1e-11);
  }
}

TEST(Cholesky, RefusesAMatrixOfLowerRank) {
  TriboRandom random = tribo_random(2);
  int n = 6;
  Matrix b = RandomMatrix(&random, n, n - 1), a(n * n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) a[i * n + j] = tribo_dot(n - 1, &b[i * (n - 1)], &b[j * (n - 1)]);
  }
  EXPECT_EQ(tribo_cholesky_factor(n, a.data(), n, 1e-12), TRIBO_ERROR_SINGULAR);
  Matrix nan(4, NAN);
  EXPECT_EQ(tribo_cholesky_factor(2, nan.data(), 2, 0), TRIBO_ERROR_SINGULAR);
}

TEST(Cholesky, AppendDeleteUpdateAndDowndateMatchTheMatrixTheyStandFor) {
  TriboRandom random = tribo_random(3);
  const int most = 16, ld = most + 1;
  for (int c = 0; c < tribo_test_count(50); ++c) {
    Matrix pool = RandomDefinite(&random, most, ld);
    std::vector<int> rows;
    Matrix a(ld * ld), r(ld * ld, NAN), v(ld), scratch(ld);
    int n = 0;
    for (int step = 0; step < 40; ++step) {
      int what = tribo_random_index(&random, 4);
      if (n == 0 || (what == 0 && n < most)) {
        // A row of its own: coupled to what is there, and heavy enough to stay definite.
        for (int i = 0; i < n; ++i) a[i * ld + n] = v[i] = tribo_random_in(&random, -0.3, 0.3);
        a[n * ld + n] = 5;
        ASSERT_EQ(tribo_cholesky_append(n, r.data(), ld, v.data(), 5, 1e-12), TRIBO_OK);
        ++n;
      } else if (what == 1) {
        int k = tribo_random_index(&random, n);
        tribo_cholesky_delete(n, r.data(), ld, k, scratch.data());
        Matrix kept = a;
        for (int i = 0; i < n - 1; ++i) {
          for (int j = i; j < n - 1; ++j) {
            a[i * ld + j] = kept[(i + (i >= k)) * ld + j + (j >= k)];
          }
        }
        --n;
      } else {
        for (int i = 0; i < n; ++i) v[i] = tribo_random_in(&random, -0.3, 0.3);
        Matrix w = v;
        int sign = what == 2 ? 1 : -1;
        if (sign > 0) tribo_cholesky_update(n, r.data(), ld, w.data());
        TriboStatus status =
            sign > 0 ? TRIBO_OK
                     : tribo_cholesky_downdate(n, r.data(), ld, w.data(), 0.1, scratch.data());
        if (status != TRIBO_OK) continue;
        for (int i = 0; i < n; ++i) {
          for (int j = i; j < n; ++j) a[i * ld + j] += sign * v[i] * v[j];
        }
      }
      ASSERT_LE(FactorError(n, r, a, ld), 1e-12);
    }
  }
}

TEST(Cholesky, ARefusedAppendOrDowndateLeavesTheFactorAsItWas) {
  TriboRandom random = tribo_random(4);
  int n = 5, ld = 6;
  Matrix a = RandomDefinite(&random, n, ld), r = a;
  ASSERT_EQ(tribo_cholesky_factor(n, r.data(), ld, 0), TRIBO_OK);
  Matrix before = r, column(n), v(n), scratch(n);
  // A copy of row 2, so nothing is left of it.
  for (int i = 0; i < n; ++i) column[i] = a[i * ld + 2];
  EXPECT_EQ(tribo_cholesky_append(n, r.data(), ld, column.data(), a[2 * ld + 2], 1e-11),
            TRIBO_ERROR_SINGULAR);
  for (int i = 0; i < n; ++i) v[i] = 3 * std::sqrt(a[i * ld + i]);
  EXPECT_EQ(tribo_cholesky_downdate(n, r.data(), ld, v.data(), 1e-12, scratch.data()),
            TRIBO_ERROR_SINGULAR);
  for (int i = 0; i < n; ++i) {
    for (int j = i; j < n; ++j) EXPECT_EQ(r[i * ld + j], before[i * ld + j]);
  }
}

TEST(Lu, SolvesRandomSystemsAndNeedsItsRowExchanges) {
  TriboRandom random = tribo_random(5);
  for (int c = 0; c < tribo_test_count(200); ++c) {
    int n = 2 + tribo_random_index(&random, 30), ld = n + 1;
    Matrix a = RandomMatrix(&random, n, ld), lu = a, x(n), b(n),
           truth = RandomMatrix(&random, n, 1);
    a[0] = lu[0] = 0;  // no pivot in the first place
    std::vector<int> permutation(n);
    for (int i = 0; i < n; ++i) b[i] = tribo_dot(n, &a[i * ld], truth.data());
    ASSERT_EQ(tribo_lu_factor(n, lu.data(), ld, permutation.data(), 1e-14), TRIBO_OK);
    tribo_lu_solve(n, lu.data(), ld, permutation.data(), b.data(), x.data());
    // Backward stable: the residual is small whatever the condition is.
    double size = 0;
    for (double v : x) size = std::max(size, std::fabs(v));
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(tribo_dot(n, &a[i * ld], x.data()), b[i], 1e-14 * n * n * (1 + size));
    }
  }
}

TEST(Lu, RefusesASingularMatrix) {
  Matrix a = {1, 2, 3, 2, 4, 6, 1, 0, 1};
  int permutation[3];
  EXPECT_EQ(tribo_lu_factor(3, a.data(), 3, permutation, 1e-14), TRIBO_ERROR_SINGULAR);
}

TEST(Qr, FindsTheRankAndALeastSquaresSolution) {
  TriboRandom random = tribo_random(6);
  for (int c = 0; c < tribo_test_count(200); ++c) {
    int m = 1 + tribo_random_index(&random, 12), n = 1 + tribo_random_index(&random, 12);
    int rank = 1 + tribo_random_index(&random, std::min(m, n)), ld = n + 2;
    Matrix left = RandomMatrix(&random, m, rank), right = RandomMatrix(&random, rank, n);
    Matrix a(m * ld, NAN);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int k = 0; k < rank; ++k) sum += left[i * rank + k] * right[k * n + j];
        a[i * ld + j] = sum;
      }
    }
    Matrix qr = a, tau(std::min(m, n)), scratch(n), b = RandomMatrix(&random, m, 1), x(n);
    std::vector<int> permutation(n);
    // Products of random factors may be ill-conditioned; only clear ranks are judged.
    int found =
        tribo_qr_factor(m, n, qr.data(), ld, tau.data(), permutation.data(), 1e-12, scratch.data());
    ASSERT_LE(found, rank);
    if (found == rank && std::fabs(qr[(rank - 1) * ld + rank - 1]) < 1e-3) continue;
    ASSERT_EQ(found, rank);
    Matrix rest = b;
    tribo_qr_solve(m, n, rank, qr.data(), ld, tau.data(), permutation.data(), rest.data(),
                   x.data());
    // The residual is orthogonal to every column.
    rest = b;
    for (int i = 0; i < m; ++i) rest[i] -= tribo_dot(n, &a[i * ld], x.data());
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int i = 0; i < m; ++i) sum += a[i * ld + j] * rest[i];
      EXPECT_NEAR(sum, 0, 1e-10);
    }
    Matrix there = b;
    tribo_qr_apply_transposed(m, rank, qr.data(), ld, tau.data(), there.data());
    tribo_qr_apply(m, rank, qr.data(), ld, tau.data(), there.data());
    for (int i = 0; i < m; ++i) EXPECT_NEAR(there[i], b[i], 1e-13);
  }
}

}  // namespace
