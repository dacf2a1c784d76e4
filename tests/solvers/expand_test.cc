// SPDX-License-Identifier: Apache-2.0
#include "solvers/expand.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using Numbers = std::vector<double>;

// An expansion with its memory.
class Expansion {
 public:
  Expansion(int contacts, int size) {
    TriboArena arena = tribo_arena_measure();
    tribo_expansion_init(&it, &arena, contacts, size);
    size_ = arena.used;
    memory_ = tribo_allocate(nullptr, size_);
    arena = tribo_arena_over(memory_, size_);
    tribo_expansion_init(&it, &arena, contacts, size);
    EXPECT_FALSE(arena.overflowed);
  }
  ~Expansion() { tribo_release(nullptr, memory_, size_); }

  TriboExpansion it;

 private:
  void* memory_;
  size_t size_;
};

// W = A A^T of a random n x rank matrix whose rows differ in length by up to 1e6.
Numbers random_delassus(int n, int rank, uint64_t seed) {
  Numbers A(n * rank), W(n * n);
  for (int i = 0; i < n; ++i) {
    const double length = std::pow(10.0, i % 7 - 3);
    for (int k = 0; k < rank; ++k) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      A[i * rank + k] = length * ((double)(seed >> 11) * 0x1p-53 - 0.5);
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < rank; ++k) W[i * n + j] += A[i * rank + k] * A[j * rank + k];
    }
  }
  return W;
}

TEST(Expand, RowsReproduceTheMatrixAndItsRank) {
  for (int size : {2, 3}) {
    for (int rank : {1, 4, 6, 12}) {
      const int contacts = 12 / size, n = 12;
      const Numbers W = random_delassus(n, rank, (uint64_t)(10 * size + rank));
      const Numbers q(n, 1.0), mu(contacts, 0.5);
      Expansion expansion(contacts, size);
      ASSERT_EQ(tribo_expansion_load(&expansion.it, W.data(), q.data(), mu.data(), 8), TRIBO_OK);
      EXPECT_EQ(expansion.it.rank, rank);
      const TriboContactProblem& problem = expansion.it.problem;
      auto row = [&](int i, int* at) {
        const int contact = i / size, part = i % size;
        *at = part == 0 ? contact : contact * (size - 1) + part - 1;
        return part == 0 ? &problem.N : &problem.T;
      };
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          int a, b;
          const TriboRows *first = row(i, &a), *second = row(j, &b);
          const double scale = std::sqrt(W[i * n + i] * W[j * n + j]);
          EXPECT_NEAR(tribo_rows_dot(first, a, second, b) / scale, W[i * n + j] / scale, 1e-12);
        }
      }
    }
  }
}

TEST(Expand, CertificateJudgesTheMatrixAsGivenAndNotItsFactor) {
  // The factor knows only the symmetric part of W. A planar contact that sticks: u = 0 with r from
  // the unsymmetric W itself.
  const Numbers W = {2, 0.1, 0.3, 1}, q = {-1, -0.1}, mu = {1};
  Expansion expansion(1, 2);
  ASSERT_EQ(tribo_expansion_load(&expansion.it, W.data(), q.data(), mu.data(), 2), TRIBO_OK);
  const double det = W[0] * W[3] - W[1] * W[2];
  const double f = (-q[0] * W[3] + q[1] * W[1]) / det, t = (-q[1] * W[0] + q[0] * W[2]) / det;
  expansion.it.solution.f[0] = f;
  expansion.it.solution.t[0] = t;
  EXPECT_LE(tribo_expansion_certify(&expansion.it, TRIBO_CONE_ROUND).worst, 1e-15);
  expansion.it.solution.f[0] = 1.01 * f;
  EXPECT_GE(tribo_expansion_certify(&expansion.it, TRIBO_CONE_ROUND).worst, 1e-3);
  double r[2];
  tribo_expansion_impulse(&expansion.it, r);
  EXPECT_EQ(r[0], 1.01 * f);
  EXPECT_EQ(r[1], t);
}

TEST(Expand, ARowOfZerosIsARowWithoutEntries) {
  const Numbers W = {1, 0, 0, 0}, q = {-1, 0}, mu = {1};
  Expansion expansion(1, 2);
  ASSERT_EQ(tribo_expansion_load(&expansion.it, W.data(), q.data(), mu.data(), 2), TRIBO_OK);
  EXPECT_EQ(expansion.it.rank, 1);
  EXPECT_EQ(expansion.it.problem.T.start[0], expansion.it.problem.T.start[1]);
}

TEST(Expand, NumbersThatMakeNoSenseAreRefused) {
  const Numbers good = {1, 0, 0, 1}, q = {-1, 0}, mu = {1};
  Expansion expansion(1, 2);
  const Numbers negative = {1, 0, 0, -1}, nan = {1, NAN, 0, 1}, bad_mu = {-1}, bad_q = {NAN, 0};
  auto load = [&](const Numbers& W, const Numbers& free, const Numbers& friction) {
    return tribo_expansion_load(&expansion.it, W.data(), free.data(), friction.data(), 2);
  };
  EXPECT_EQ(load(good, q, mu), TRIBO_OK);
  EXPECT_EQ(load(negative, q, mu), TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(load(nan, q, mu), TRIBO_ERROR_NOT_FINITE);
  EXPECT_EQ(load(good, bad_q, mu), TRIBO_ERROR_NOT_FINITE);
  EXPECT_EQ(load(good, q, bad_mu), TRIBO_ERROR_ARGUMENT);
}

}  // namespace
