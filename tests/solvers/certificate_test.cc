// SPDX-License-Identifier: Apache-2.0
//
// A point of mass 1 on a plane: y = (x, y, z velocity), one normal row (0 0 1), two tangents. Every
// condition is broken on purpose, one at a time, by an amount that the certificate must report.
#include "solvers/certificate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

struct Point {
  double k[3] = {1, 0, -1};
  int start_N[2] = {0, 1}, index_N[1] = {2};
  double value_N[1] = {1};
  int start_T[3] = {0, 1, 2}, index_T[2] = {0, 1};
  double value_T[2] = {1, 1};
  double zero[2] = {0, 0};
  uint64_t id[1] = {1};
  TriboFrictionGroup group{0, 0, 2, 8, 0.5, 0};
  TriboContactProblem problem{};
  double y[3], f[1] = {0}, t[2] = {0, 0}, scratch[3];
  TriboContactSolution solution{};

  Point() {
    problem.ny = 3;
    problem.k = k;
    problem.N = {1, start_N, index_N, value_N};
    problem.b_N = zero;
    problem.id_N = id;
    problem.T = {2, start_T, index_T, value_T};
    problem.b_T = zero;
    problem.ng = 1;
    problem.group = &group;
    solution.y = y;
    solution.f = f;
    solution.t = t;
  }
  TriboCertificate Judge(double fn, double t1, double t2, TriboCone cone = TRIBO_CONE_ROUND) {
    f[0] = fn, t[0] = t1, t[1] = t2;
    tribo_problem_velocity(&problem, &solution);
    return tribo_certify(&problem, cone, &solution, scratch);
  }
};

const double kSpeed = std::sqrt(2.0);  // |k|, the velocity scale here

TEST(Certificate, IsZeroForTheExactSlidingSolution) {
  Point point;
  EXPECT_EQ(point.Judge(1, -0.5, 0).worst, 0);
  EXPECT_NEAR(point.Judge(1, -0.5, 0, TRIBO_CONE_POLYGON).worst, 0, 1e-16);
}

// Two links that cannot approach each other have a contact row of rounding's length. Its gap must
// not count as a speed that everything else is small beside: it did, and contacts were passed over.
TEST(Certificate, AGapAcrossARowOfNoLengthHidesNothing) {
  Point point;
  int start[] = {0, 1, 2}, index[] = {2, 0};
  double value[] = {1, 1e-17}, target[] = {0, -2.5}, f[] = {0, 0};
  uint64_t id[] = {1, 2};
  point.problem.N = {2, start, index, value};
  point.problem.b_N = target;
  point.problem.id_N = id;
  point.solution.f = f;
  tribo_problem_velocity(&point.problem, &point.solution);
  EXPECT_NEAR(
      tribo_certify(&point.problem, TRIBO_CONE_ROUND, &point.solution, point.scratch).penetration,
      1 / kSpeed, 1e-15);
  f[0] = 1;
  tribo_problem_velocity(&point.problem, &point.solution);
  EXPECT_EQ(
      tribo_certify(&point.problem, TRIBO_CONE_ROUND, &point.solution, point.scratch).penetration,
      0);
}

TEST(Certificate, IsZeroForTheExactStickingSolution) {
  Point point;
  point.group.mu = 2;
  EXPECT_EQ(point.Judge(1, -1, 0).worst, 0);
}

TEST(Certificate, ReportsPenetration) {
  Point point;
  TriboCertificate c = point.Judge(0.9, -0.45, 0);
  EXPECT_NEAR(c.penetration, 0.1 / kSpeed, 1e-15);
}

TEST(Certificate, ReportsPullingAndComplementarity) {
  Point point;
  point.k[2] = 0.5;
  EXPECT_NEAR(point.Judge(-0.1, 0, 0).sign, 0.1 / std::sqrt(1.25), 1e-15);
  point.group.mu = 0;
  EXPECT_GT(point.Judge(0.1, 0, 0).complementarity, 0.05);
}

TEST(Certificate, ReportsAnImpulseOutsideTheCone) {
  Point point;
  EXPECT_NEAR(point.Judge(1, -0.6, 0).cone, 0.1 / kSpeed, 1e-15);
}

TEST(Certificate, ReportsSlidingInsideTheCone) {
  Point point;
  EXPECT_NEAR(point.Judge(1, -0.4, 0).stick, 0.1 / kSpeed, 1e-15);
}

TEST(Certificate, ReportsFrictionInAWrongDirection) {
  Point point;
  TriboCertificate c = point.Judge(1, 0.3, 0.4);
  EXPECT_LT(c.cone, 1e-15);
  EXPECT_GT(c.direction, 0.3);
  // The square is not round: a corner of it is the polygon's answer to sliding near its direction.
  point.group.facets = 4;
  point.k[1] = 0.2;
  EXPECT_LT(point.Judge(1, -0.5, 0, TRIBO_CONE_POLYGON).worst, 1e-15);
  EXPECT_GT(point.Judge(1, -0.5, 0, TRIBO_CONE_ROUND).direction, 0.05);
}

TEST(Certificate, ReportsAVelocityThatIsNotTheImpulses) {
  Point point;
  point.Judge(1, -0.5, 0);
  point.y[1] = 0.25;
  TriboCertificate c =
      tribo_certify(&point.problem, TRIBO_CONE_ROUND, &point.solution, point.scratch);
  EXPECT_NEAR(c.dynamics, 0.25 / kSpeed, 1e-15);
}

TEST(Certificate, IsInfiniteForNumbersThatAreNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Point point;
  EXPECT_EQ(point.Judge(nan, 0, 0).worst, HUGE_VAL);
  EXPECT_EQ(point.Judge(1, nan, 0).worst, HUGE_VAL);
  point.Judge(1, -0.5, 0);
  point.y[0] = nan;
  EXPECT_EQ(tribo_certify(&point.problem, TRIBO_CONE_ROUND, &point.solution, point.scratch).worst,
            HUGE_VAL);
}

// A point between two walls that lean by 1e-8: what holds it are impulses of 3e7 times the load,
// and their rounding alone moves it by more than 1e-9.
TEST(Certificate, RoundingOfHugeImpulsesIsNoViolationAndTwiceThatIs) {
  const double lean = 1e-8;
  double k[2] = {1e-3, -1}, value[4] = {1, lean, -1, lean}, b[2] = {0, 0};
  int start[3] = {0, 2, 4}, index[4] = {0, 1, 0, 1};
  uint64_t id[2] = {1, 2};
  double y[2], f[2], scratch[2];
  TriboContactProblem problem{};
  problem.ny = 2;
  problem.k = k;
  problem.N = {2, start, index, value};
  problem.b_N = b;
  problem.id_N = id;
  TriboContactSolution solution{};
  solution.y = y;
  solution.f = f;
  const auto judge = [&](double off) {
    f[0] = 0.5 / lean + off, f[1] = 0.5 / lean + 1e-3;
    tribo_problem_velocity(&problem, &solution);
    return tribo_certify(&problem, TRIBO_CONE_ROUND, &solution, scratch).worst;
  };
  const double unit = 0x1p-53 * 0.5 / lean;
  EXPECT_LE(judge(0), 1e-9);
  EXPECT_LE(judge(2 * unit), 1e-9);
  EXPECT_GT(judge(8 * unit), 1e-9);
  EXPECT_GT(judge(-8 * unit), 1e-9);
  // With impulses of 1e6 times the load nothing is forgiven.
  value[1] = value[3] = 1e-6;
  f[0] = 0.5e6 + 2e-9, f[1] = 0.5e6 + 1e-3;
  EXPECT_NEAR(tribo_certify(&problem, TRIBO_CONE_ROUND, &solution, scratch).penetration, 2e-9,
              2e-10);
}

// The direction of a slip of 1e-8 is known to 4e-8: friction may be that far off, and no further.
TEST(Certificate, SlowSlipHasADirectionWithinItsRounding) {
  Point point;
  const auto judge = [&](double slip, double angle) {
    point.k[0] = 0.5 + slip;
    point.k[1] = -0.5 * angle;
    return point.Judge(1, -0.5, 0.5 * angle).worst;
  };
  EXPECT_LE(judge(1e-8, 4e-8), 1e-9);
  EXPECT_GT(judge(1e-8, 1e-7), 5e-9);
  EXPECT_GT(judge(1e-6, 4e-8), 1e-8);
}

TEST(Certificate, DoesNotDependOnUnits) {
  Point point;
  const double before = point.Judge(1, -0.55, 0.05).worst;
  // Masses in grams instead of kilograms: k and impulses times sqrt(1000) in mass coordinates, rows
  // over it.
  const double unit = std::sqrt(1000.0);
  for (double& v : point.k) v *= unit;
  point.value_N[0] /= unit;
  for (double& v : point.value_T) v /= unit;
  EXPECT_NEAR(point.Judge(1000, -550, 50).worst, before, 1e-14);
}

}  // namespace
