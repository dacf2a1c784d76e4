// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

// Two rows over four coordinates: (1 0 2 0) and (0 3 4 5).
struct TwoRows {
  std::vector<int> start{0, 2, 5};
  std::vector<int> index{0, 2, 1, 2, 3};
  std::vector<double> value{1, 2, 3, 4, 5};
  TriboRows rows() { return {2, start.data(), index.data(), value.data()}; }
};

TEST(Rows, DotOfTwoRowsMergesTheirIndices) {
  TwoRows two;
  TriboRows rows = two.rows();
  EXPECT_EQ(tribo_rows_dot(&rows, 0, &rows, 1), 8);
  EXPECT_EQ(tribo_rows_dot(&rows, 1, &rows, 0), 8);
  EXPECT_EQ(tribo_rows_dot(&rows, 1, &rows, 1), 50);
}

TEST(Facets, OppositeDirectionsAreOppositeToTheBit) {
  for (int d : {2, 4, 6, 8, 16}) {
    for (int k = 0; k < d / 2; ++k) {
      double a[2], b[2];
      tribo_facet_direction(d, k, a);
      tribo_facet_direction(d, k + d / 2, b);
      EXPECT_EQ(a[0], -b[0]);
      EXPECT_EQ(a[1], -b[1]);
      EXPECT_NEAR(std::hypot(a[0], a[1]), 1, 1e-15);
    }
  }
}

TEST(Facets, GaugeIsTheLeastSumOfFacetImpulses) {
  const double corner[2] = {0, 2};
  EXPECT_NEAR(tribo_polygon_gauge(4, corner), 2, 1e-15);
  const double across[2] = {1, 1};  // halfway between two corners of the square: 1 + 1
  EXPECT_NEAR(tribo_polygon_gauge(4, across), 2, 1e-15);
  const double line[2] = {-3, 0};
  EXPECT_EQ(tribo_polygon_gauge(2, line), 3);
}

TEST(Facets, SupportIsTheFastestSlidingAgainstAFacet) {
  const double s[2] = {1, 1};
  EXPECT_NEAR(tribo_polygon_support(4, s), 1, 1e-15);
  EXPECT_NEAR(tribo_polygon_support(8, s), std::sqrt(2.0), 1e-15);
}

class ProblemValidate : public ::testing::Test {
 protected:
  ProblemValidate() {
    problem.ny = 4;
    problem.k = k.data();
    problem.N = two.rows();
    problem.b_N = b.data();
    problem.id_N = ids.data();
    problem.T = two.rows();
    problem.b_T = b.data();
    problem.ng = 1;
    problem.group = &group;
  }
  TwoRows two;
  std::vector<double> k{1, 1, 1, 1};
  std::vector<double> b{0, 0};
  std::vector<uint64_t> ids{1, 2};
  TriboFrictionGroup group{0, 0, 2, 8, 0.5, 0};
  TriboContactProblem problem{};
};

TEST_F(ProblemValidate, AcceptsAProblemInOrder) {
  EXPECT_EQ(tribo_problem_validate(&problem), TRIBO_OK);
}

TEST_F(ProblemValidate, RefusesNumbersThatAreNotFinite) {
  for (double* number : {&k[2], &b[1], &two.value[3], &group.mu, &group.bound}) {
    const double old = *number;
    for (double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
      *number = bad;
      EXPECT_EQ(tribo_problem_validate(&problem), TRIBO_ERROR_NOT_FINITE);
    }
    *number = old;
  }
}

TEST_F(ProblemValidate, RefusesIndicesOutOfOrderOrRange) {
  two.index[1] = 4;
  EXPECT_EQ(tribo_problem_validate(&problem), TRIBO_ERROR_ARGUMENT);
  two.index[1] = 0;
  EXPECT_EQ(tribo_problem_validate(&problem), TRIBO_ERROR_ARGUMENT);
}

TEST_F(ProblemValidate, RefusesGroupsOutOfRange) {
  const TriboFrictionGroup good = group;
  group.normal = 2;
  EXPECT_EQ(tribo_problem_validate(&problem), TRIBO_ERROR_ARGUMENT);
  group = good;
  group.facets = 7;
  EXPECT_EQ(tribo_problem_validate(&problem), TRIBO_ERROR_ARGUMENT);
  group = good;
  group.mu = -0.1;
  EXPECT_EQ(tribo_problem_validate(&problem), TRIBO_ERROR_ARGUMENT);
  group = good;
  group.tangent = 1;
  EXPECT_EQ(tribo_problem_validate(&problem), TRIBO_ERROR_ARGUMENT);
}

TEST_F(ProblemValidate, VelocityAddsEveryImpulse) {
  std::vector<double> y(4), f{1, 2}, t{0.5, -1};
  TriboContactSolution solution{};
  solution.y = y.data();
  solution.f = f.data();
  solution.t = t.data();
  tribo_problem_velocity(&problem, &solution);
  EXPECT_EQ(y, (std::vector<double>{2.5, 4, 8, 6}));
}

}  // namespace
