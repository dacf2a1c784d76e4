// SPDX-License-Identifier: Apache-2.0
#include "solvers/coordinate_lu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/base/dense.h"
#include "engine/base/random.h"
#include "tests/scale.h"

namespace {

class Factor {
 public:
  explicit Factor(int n) {
    TriboArena measure = tribo_arena_measure();
    EXPECT_EQ(tribo_coordinate_lu_init(&measure, n), nullptr);
    size_ = measure.used;
    memory_ = tribo_allocate(nullptr, size_);
    TriboArena arena = tribo_arena_over(memory_, size_);
    lu = tribo_coordinate_lu_init(&arena, n);
    EXPECT_EQ(arena.used, size_);
  }
  ~Factor() { tribo_release(nullptr, memory_, size_); }
  Factor(const Factor&) = delete;
  TriboCoordinateLu* lu;

 private:
  size_t size_;
  void* memory_;
};

// Lists over bodies of 1 to 7 coordinates, some listed in full and some in part, and coordinates in
// no list.
struct Pattern {
  int n = 0;
  std::vector<int> start{0}, index;
};

Pattern RandomPattern(TriboRandom* random) {
  Pattern p;
  std::vector<int> first{0};
  const int bodies = 1 + tribo_random_index(random, 12);
  for (int b = 0; b < bodies; ++b) {
    const int wide = tribo_random_index(random, 8) == 0 ? 25 : 7;
    p.n += 1 + tribo_random_index(random, wide);
    first.push_back(p.n);
  }
  const int lists = tribo_random_index(random, 3 * bodies);
  for (int l = 0; l < lists; ++l) {
    std::vector<bool> in(p.n, false);
    for (int e = 0; e < 2; ++e) {
      const int b = tribo_random_index(random, bodies);
      const bool partly = tribo_random_index(random, 4) == 0;
      for (int i = first[b]; i < first[b + 1]; ++i) {
        if (!partly || tribo_random_index(random, 2) == 0) in[i] = true;
      }
    }
    for (int i = 0; i < p.n; ++i) {
      if (in[i]) p.index.push_back(i);
    }
    p.start.push_back(static_cast<int>(p.index.size()));
  }
  return p;
}

// The error of a solve against dense LU, relative to the solution.
double ErrorOf(const Pattern& p, bool symmetric, TriboRandom* random) {
  Factor factor(p.n);
  const int lists = static_cast<int>(p.start.size()) - 1;
  EXPECT_EQ(
      tribo_coordinate_lu_analyze(factor.lu, p.n, lists, p.start.data(), p.index.data(), symmetric),
      TRIBO_OK);
  std::vector<double> dense(p.n * p.n, 0), x(p.n), want(p.n), b(p.n);
  for (int i = 0; i < p.n; ++i) dense[i * p.n + i] = 1;
  for (int l = 0; l < lists; ++l) {
    const int count = p.start[l + 1] - p.start[l];
    const int* index = p.index.data() + p.start[l];
    std::vector<double> r(count), c(count);
    for (int i = 0; i < count; ++i) r[i] = tribo_random_in(random, -1, 1);
    for (int i = 0; i < count; ++i) {
      c[i] = symmetric ? r[i] : r[i] + 0.3 * tribo_random_in(random, -1, 1);
    }
    const double s = tribo_random_in(random, 0, 3);
    tribo_coordinate_lu_add(factor.lu, s, {count, index, c.data()}, {count, index, r.data()});
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < count; ++j) dense[index[i] * p.n + index[j]] += s * c[i] * r[j];
    }
  }
  for (int i = 0; i < p.n; ++i) b[i] = x[i] = tribo_random_in(random, -1, 1);
  EXPECT_EQ(tribo_coordinate_lu_factor(factor.lu), TRIBO_OK);
  tribo_coordinate_lu_solve(factor.lu, x.data());
  std::vector<int> permutation(p.n);
  EXPECT_EQ(tribo_lu_factor(p.n, dense.data(), p.n, permutation.data(), 0), TRIBO_OK);
  tribo_lu_solve(p.n, dense.data(), p.n, permutation.data(), b.data(), want.data());
  double error = 0, size = 1;
  for (int i = 0; i < p.n; ++i) {
    error = std::fmax(error, std::fabs(x[i] - want[i]));
    size = std::fmax(size, std::fabs(want[i]));
  }
  return error / size;
}

// 1e-10: conditions of these matrices reach some 1e4.
TEST(CoordinateLu, AgreesWithDenseLuOnRandomPatterns) {
  TriboRandom random = tribo_random(1);
  const int count = tribo_test_count(500);
  for (int i = 0; i < count; ++i) {
    const Pattern p = RandomPattern(&random);
    ASSERT_LE(ErrorOf(p, true, &random), 1e-10) << "case " << i;
    ASSERT_LE(ErrorOf(p, false, &random), 1e-10) << "case " << i;
  }
}

// A chain of bodies keeps one neighbour a column: no fill, whatever the length.
TEST(CoordinateLu, ChainDoesNotFill) {
  const int bodies = 40;
  std::vector<int> start{0}, index;
  for (int b = 0; b + 1 < bodies; ++b) {
    for (int i = 0; i < 12; ++i) index.push_back(6 * b + i);
    start.push_back(static_cast<int>(index.size()));
  }
  Factor factor(6 * bodies);
  ASSERT_EQ(tribo_coordinate_lu_analyze(factor.lu, 6 * bodies, bodies - 1, start.data(),
                                        index.data(), false),
            TRIBO_OK);
  EXPECT_EQ(tribo_coordinate_lu_entries(factor.lu), 36 * bodies + 2 * 36 * (bodies - 1));
}

TEST(CoordinateLu, MoreCoordinatesThanItHoldsAreACapacityError) {
  Factor factor(6);
  const int start[] = {0, 1}, index[] = {6};
  EXPECT_EQ(tribo_coordinate_lu_analyze(factor.lu, 7, 1, start, index, true), TRIBO_ERROR_CAPACITY);
}

TEST(CoordinateLu, SingularMatrixIsReported) {
  Factor factor(2);
  const int start[] = {0, 2}, index[] = {0, 1};
  const double c[] = {-1, 0}, r[] = {1, 0};
  ASSERT_EQ(tribo_coordinate_lu_analyze(factor.lu, 2, 1, start, index, false), TRIBO_OK);
  tribo_coordinate_lu_add(factor.lu, 1, {2, index, c}, {2, index, r});
  EXPECT_EQ(tribo_coordinate_lu_factor(factor.lu), TRIBO_ERROR_SINGULAR);
}

}  // namespace
