// SPDX-License-Identifier: Apache-2.0
//
// Distance, normal and closest points of every pair of convex shapes against an independent judge.
// An answer is right when its own normal shows its distance, when no direction shows more, and when
// the two points lie on the surfaces that far apart. The first and the last are exact proofs; the
// middle one is exact for polyhedra and a sweep for curved bodies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "collision/narrow.h"
#include "engine/base/rotation.h"
#include "tests/collision/reference.h"
#include "tests/scale.h"

namespace {

using reference::Body;

double Size(const Body& a, const Body& b) {
  const double sa = tribo_vec3_norm(a.shape.half), sb = tribo_vec3_norm(b.shape.half);
  return (std::isfinite(sa) ? sa : 0) + (std::isfinite(sb) ? sb : 0);
}

// Whether the pair has a formula, and is promised to 1e-9.
bool HasFormula(TriboShapeType a, TriboShapeType b) {
  if (a > b) std::swap(a, b);
  if (a == TRIBO_SHAPE_PLANE || a == TRIBO_SHAPE_SPHERE) return true;
  if (a == TRIBO_SHAPE_CAPSULE && b <= TRIBO_SHAPE_BOX) return true;
  return a == TRIBO_SHAPE_BOX && b == TRIBO_SHAPE_BOX;
}

TriboClosestPoints Distance(const Body& a, const Body& b) {
  TriboClosestPoints closest = {};
  EXPECT_EQ(tribo_distance(&a.shape, &a.X, &b.shape, &b.X, &closest), TRIBO_OK);
  return closest;
}

void ExpectRight(const Body& a, const Body& b, const TriboClosestPoints& c, double tolerance) {
  ASSERT_TRUE(std::isfinite(c.distance));
  EXPECT_NEAR(tribo_vec3_norm(c.normal), 1, 1e-14);
  EXPECT_NEAR(reference::DistanceAlong(a, b, c.normal), c.distance, tolerance);
  EXPECT_NEAR(reference::Level(a, c.point0), 0, tolerance);
  EXPECT_NEAR(reference::Level(b, c.point1), 0, tolerance);
  const TriboVec3 way = tribo_vec3_sub(c.point1, c.point0);
  EXPECT_LE(tribo_vec3_norm(tribo_vec3_madd(way, -c.distance, c.normal)), tolerance);
}

class Pairs : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(Pairs, DistanceIsWhatNoDirectionBeats) {
  const auto type_a = static_cast<TriboShapeType>(std::get<0>(GetParam()));
  const auto type_b = static_cast<TriboShapeType>(std::get<1>(GetParam()));
  if (type_a > type_b || type_b == TRIBO_SHAPE_PLANE) GTEST_SKIP();
  reference::Sampler sampler(1000 + 10 * type_a + type_b);
  double worst = 0;
  for (int trial = 0, count = tribo_test_count(200); trial < count; ++trial) {
    Body a = {sampler.Shape(type_a, 1), {}}, b = {sampler.Shape(type_b, 1), {}};
    a.X.R = sampler.Rotation();
    a.X.p = {sampler.In(-1, 1), sampler.In(-1, 1), sampler.In(-1, 1)};
    if (type_a == TRIBO_SHAPE_PLANE) {
      b.X.R = sampler.Rotation();
      b.X.p = tribo_vec3_madd(a.X.p, sampler.In(-2, 2), sampler.Direction());
    } else {
      sampler.Place(a, &b);
    }
    const double tolerance = (HasFormula(type_a, type_b) ? 1e-9 : 1e-6) * Size(a, b);
    const TriboClosestPoints c = Distance(a, b);
    SCOPED_TRACE(testing::Message()
                 << tribo_shape_type_name(type_a) << " " << tribo_shape_type_name(type_b)
                 << " trial " << trial << " distance " << c.distance);
    ExpectRight(a, b, c, tolerance);
    if (type_a != TRIBO_SHAPE_PLANE) {
      const double best = reference::BestDistance(a, b);
      worst = std::max(worst, (best - c.distance) / Size(a, b));
      EXPECT_LE(best, c.distance + tolerance);
    }
    // Seen the other way around: the same.
    const TriboClosestPoints swapped = Distance(b, a);
    EXPECT_NEAR(swapped.distance, c.distance, tolerance);
    ExpectRight(b, a, swapped, tolerance);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
  RecordProperty("worst", std::to_string(worst));
}

INSTANTIATE_TEST_SUITE_P(
    All, Pairs,
    testing::Combine(testing::Range<int>(TRIBO_SHAPE_PLANE, TRIBO_SHAPE_HULL + 1),
                     testing::Range<int>(TRIBO_SHAPE_PLANE, TRIBO_SHAPE_HULL + 1)));

}  // namespace
