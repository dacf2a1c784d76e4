// SPDX-License-Identifier: Apache-2.0
//
// Distance, normal and closest points of every pair of convex shapes against an independent judge.
// An answer is right when its own normal shows its distance, when no direction shows more, and when
// the two points lie on the surfaces that far apart. The first and the last are exact proofs; the
// middle one is exact for polyhedra and a sweep for curved bodies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

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

// All pairs of convex shapes but two planes.
std::vector<std::pair<int, int>> AllPairs() {
  std::vector<std::pair<int, int>> pairs;
  for (int b = TRIBO_SHAPE_SPHERE; b <= TRIBO_SHAPE_HULL; ++b) {
    for (int a = TRIBO_SHAPE_PLANE; a <= b; ++a) pairs.push_back({a, b});
  }
  return pairs;
}

class Pairs : public testing::TestWithParam<std::pair<int, int>> {
 protected:
  TriboShapeType TypeA() const { return static_cast<TriboShapeType>(GetParam().first); }
  TriboShapeType TypeB() const { return static_cast<TriboShapeType>(GetParam().second); }
  bool HasPlane() const { return TypeA() == TRIBO_SHAPE_PLANE; }
  uint64_t Seed(int test) const { return 1000 * test + 10 * TypeA() + TypeB(); }

  // Two bodies at random, and the accuracy that is promised for them.
  double Sample(reference::Sampler* sampler, Body* a, Body* b) const {
    *a = {sampler->Shape(TypeA(), 1), {}};
    *b = {sampler->Shape(TypeB(), 1), {}};
    a->X.R = sampler->Rotation();
    a->X.p = {sampler->In(-1, 1), sampler->In(-1, 1), sampler->In(-1, 1)};
    if (HasPlane()) {
      b->X.R = sampler->Rotation();
      b->X.p = tribo_vec3_madd(a->X.p, sampler->In(-2, 2), sampler->Direction());
    } else {
      sampler->Place(*a, b);
    }
    return (HasFormula(TypeA(), TypeB()) ? 1e-9 : 1e-6) * Size(*a, *b);
  }
};

TEST_P(Pairs, DistanceIsWhatNoDirectionBeats) {
  reference::Sampler sampler(Seed(1));
  for (int trial = 0, count = tribo_test_count(200); trial < count && !HasFailure(); ++trial) {
    Body a, b;
    const double tolerance = Sample(&sampler, &a, &b);
    const TriboClosestPoints c = Distance(a, b);
    SCOPED_TRACE(testing::Message() << "trial " << trial << " distance " << c.distance);
    ExpectRight(a, b, c, tolerance);
    if (!HasPlane()) {
      EXPECT_LE(reference::BestDistance(a, b), c.distance + tolerance);
    }
    // Seen the other way around: the same.
    const TriboClosestPoints swapped = Distance(b, a);
    EXPECT_NEAR(swapped.distance, c.distance, tolerance);
    ExpectRight(b, a, swapped, tolerance);
  }
}

TEST_P(Pairs, RigidMotionMovesTheAnswerAlong) {
  reference::Sampler sampler(Seed(2));
  for (int trial = 0, count = tribo_test_count(50); trial < count && !HasFailure(); ++trial) {
    Body a, b;
    const double tolerance = Sample(&sampler, &a, &b);
    const TriboClosestPoints before = Distance(a, b);
    const TriboTransform move = {sampler.Rotation(),
                                 {sampler.In(-9, 9), sampler.In(-9, 9), sampler.In(-9, 9)}};
    a.X = tribo_transform_mul(move, a.X);
    b.X = tribo_transform_mul(move, b.X);
    const TriboClosestPoints after = Distance(a, b);
    SCOPED_TRACE(trial);
    EXPECT_NEAR(after.distance, before.distance, tolerance);
    // The old normal, moved along, is as good as the new one: the same, or another of equals.
    if (HasPlane()) continue;
    const TriboVec3 moved = tribo_mat3_mul_vec(move.R, before.normal);
    EXPECT_NEAR(reference::DistanceAlong(a, b, moved), after.distance, tolerance);
  }
}

TEST_P(Pairs, DistanceIsContinuousWhereBodiesTouch) {
  reference::Sampler sampler(Seed(3));
  for (int trial = 0, count = tribo_test_count(50); trial < count && !HasFailure(); ++trial) {
    Body a, b;
    const double tolerance = Sample(&sampler, &a, &b);
    const TriboClosestPoints start = Distance(a, b);
    if (start.distance < 0) continue;
    // Moved along the normal: it stays the best while they are apart, and shows the overlap after.
    // Two points that touched are then |gap| apart, though sharp corners may just miss each other.
    for (double gap : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 0.0, -1e-12, -1e-10, -1e-8, -1e-6, -1e-4}) {
      Body moved = b;
      moved.X.p = tribo_vec3_madd(b.X.p, gap - start.distance, start.normal);
      const TriboClosestPoints c = Distance(a, moved);
      SCOPED_TRACE(testing::Message() << "trial " << trial << " gap " << gap);
      EXPECT_GE(c.distance, gap - tolerance);
      EXPECT_LE(c.distance, std::fabs(gap) + tolerance);
      ExpectRight(a, moved, c, tolerance);
    }
  }
}

// Edges parallel up to 1e-6 .. 1e-12 and almost touching: rounding tilts the way between them, and
// of several directions that show nearly the same distance only one goes with the points.
TEST(NearlyParallelEdges, TouchInPointsOfBothBoxes) {
  reference::Sampler sampler(79);
  for (int trial = 0, count = tribo_test_count(2000); trial < count && !HasFailure(); ++trial) {
    Body a = {sampler.Shape(TRIBO_SHAPE_BOX, 1), {sampler.Rotation(), {0, 0, 0}}};
    Body b = {sampler.Shape(TRIBO_SHAPE_BOX, 1), {}};
    const TriboVec3 tilt = tribo_vec3_scale(std::pow(10, -sampler.In(6, 12)), sampler.Direction());
    b.X.R = tribo_mat3_mul(tribo_quat_to_mat3(tribo_quat_exp({sampler.In(-3, 3), 0, 0})),
                           tribo_quat_to_mat3(tribo_quat_exp(tilt)));
    b.X.R = tribo_mat3_mul(a.X.R, b.X.R);
    b.X.p = tribo_vec3_scale(4, sampler.Direction());
    const TriboClosestPoints start = Distance(a, b);
    const double sign = sampler.Index(3) ? 1 : -1, gap = sign * std::pow(10, -sampler.In(7, 13));
    b.X.p = tribo_vec3_madd(b.X.p, gap - start.distance, start.normal);
    SCOPED_TRACE(testing::Message() << "trial " << trial << " gap " << gap);
    ExpectRight(a, b, Distance(a, b), 1e-9 * Size(a, b));
  }
}

// The axis of the roundest part of b just beside an edge of a box or hull: its normal is not quite
// the normal of the face, though that shows almost the same depth.
TEST(BesideAnEdge, WhatIsRoundTouchesThere) {
  reference::Sampler sampler(83);
  for (int trial = 0, count = tribo_test_count(2000); trial < count && !HasFailure(); ++trial) {
    const bool ellipsoid = sampler.Index(2);
    Body a = {sampler.Shape(TRIBO_SHAPE_BOX, 1), {sampler.Rotation(), {0, 0, 0}}};
    Body b = {sampler.Shape(ellipsoid ? TRIBO_SHAPE_ELLIPSOID : TRIBO_SHAPE_CYLINDER, 1), {}};
    // Lowest right above the edge of the top that is parallel to y, a little outside.
    const TriboVec3 turn = ellipsoid ? tribo_vec3_zero() : tribo_vec3(M_PI / 2, 0, 0);
    const double height = ellipsoid ? b.shape.half.z : b.shape.radius;
    const double beside = std::pow(10, -sampler.In(3, 9));
    const double deep = std::pow(10, -sampler.In(3, 12)) * (sampler.Index(2) ? 1 : -1);
    b.X.R = tribo_mat3_mul(a.X.R, tribo_quat_to_mat3(tribo_quat_exp(turn)));
    b.X.p =
        tribo_mat3_mul_vec(a.X.R, {a.shape.half.x + beside, sampler.In(-0.9, 0.9) * a.shape.half.y,
                                   a.shape.half.z + height - deep});
    SCOPED_TRACE(testing::Message()
                 << "trial " << trial << " beside " << beside << " deep " << deep);
    ExpectRight(a, b, Distance(a, b), 1e-6 * Size(a, b));
    ExpectRight(b, a, Distance(b, a), 1e-6 * Size(a, b));
  }
}

TEST_P(Pairs, CoincidentBodiesHaveAnAnswer) {
  reference::Sampler sampler(Seed(4));
  for (int trial = 0, count = tribo_test_count(20); trial < count && !HasFailure(); ++trial) {
    Body a, b;
    const double tolerance = Sample(&sampler, &a, &b);
    // The same place; the same orientation too; the same shape too.
    b.X.p = a.X.p;
    if (trial % 2) b.X.R = a.X.R;
    if (trial % 4 == 3 && !HasPlane()) b.shape = a.shape;
    SCOPED_TRACE(trial);
    const TriboClosestPoints c = Distance(a, b);
    ExpectRight(a, b, c, tolerance);
    if (!HasPlane()) {
      EXPECT_LE(reference::BestDistance(a, b), c.distance + tolerance);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Pairs, testing::ValuesIn(AllPairs()), [](const auto& pair) {
  std::string name =
      std::string(tribo_shape_type_name(static_cast<TriboShapeType>(pair.param.first))) + "_" +
      tribo_shape_type_name(static_cast<TriboShapeType>(pair.param.second));
  return name;
});

// Hulls of 2000 corners deep in each other: thousands of faces are nearly as near as the nearest,
// more than any fixed buffer holds.
TEST(Sizes, HullsOfThousandsOfCornersDeepInEachOther) {
  reference::Sampler sampler(89);
  const TriboShape hulls[] = {sampler.ManyCorners(2000, {1, 1, 1}),
                              sampler.ManyCorners(2000, {0.3, 1, 2}),
                              sampler.ManyCorners(2000, {1, 1, 0.2})};
  for (int trial = 0, count = tribo_test_count(200); trial < count && !HasFailure(); ++trial) {
    Body a = {hulls[sampler.Index(3)], {sampler.Rotation(), {0, 0, 0}}};
    Body b = {hulls[sampler.Index(3)], {sampler.Rotation(), {0, 0, 0}}};
    b.X.p = tribo_vec3_scale(sampler.Index(2) ? 0 : 0.1, sampler.Direction());
    SCOPED_TRACE(testing::Message() << "trial " << trial);
    const TriboClosestPoints c = Distance(a, b);
    ExpectRight(a, b, c, 1e-6 * Size(a, b));
    EXPECT_LE(reference::SweepDistance(a, b), c.distance + 1e-6 * Size(a, b));
  }
}

// One scene may hold grains and mountains: sizes from 1e-6 to 1e6 against each other.
TEST(Sizes, FromMicrometresToThousandsOfKilometres) {
  reference::Sampler sampler(71);
  std::vector<TriboHull*> hulls;
  for (int e = -6; e <= 6; e += 3) {
    std::vector<TriboVec3> points;
    const double s = std::pow(10, e);
    for (int k = 0; k < 12; ++k) {
      points.push_back({s * sampler.In(-1, 1), s * sampler.In(-1, 1), s * sampler.In(-1, 1)});
    }
    hulls.push_back(nullptr);
    ASSERT_EQ(tribo_hull_create(points.data(), 12, nullptr, &hulls.back(), nullptr), TRIBO_OK);
  }
  for (int trial = 0, count = tribo_test_count(4000); trial < count && !HasFailure(); ++trial) {
    Body body[2];
    for (Body& b : body) {
      const auto type = static_cast<TriboShapeType>(1 + sampler.Index(TRIBO_SHAPE_HULL));
      b.shape = type == TRIBO_SHAPE_HULL ? tribo_shape_hull(hulls[sampler.Index(5)])
                                         : sampler.Shape(type, std::pow(10, sampler.In(-6, 6)));
    }
    body[0].X = {sampler.Rotation(), {0, 0, 0}};
    sampler.Place(body[0], &body[1]);
    SCOPED_TRACE(testing::Message()
                 << "trial " << trial << " " << tribo_shape_type_name(body[0].shape.type) << " "
                 << tribo_shape_type_name(body[1].shape.type));
    ExpectRight(body[0], body[1], Distance(body[0], body[1]), 1e-6 * Size(body[0], body[1]));
  }
  for (TriboHull* hull : hulls) tribo_hull_destroy(hull);
}

// Thin by nearly as much as a shape may be.
TEST(Sizes, PlatesAndNeedles) {
  reference::Sampler sampler(73);
  for (int trial = 0, count = tribo_test_count(4000); trial < count && !HasFailure(); ++trial) {
    Body body[2];
    for (Body& b : body) {
      const double thin = std::pow(10, -sampler.In(3, 8.5)), other = sampler.Index(2) ? 1 : thin;
      switch (sampler.Index(4)) {
        case 0:
          b.shape = tribo_shape_box({1, other, thin});
          break;
        case 1:
          b.shape = tribo_shape_cylinder(other, other == thin ? 1 : thin);
          break;
        case 2:
          b.shape = tribo_shape_ellipsoid({thin, 1, other});
          break;
        default:
          b.shape = tribo_shape_capsule(thin, 1);
      }
    }
    body[0].X = {sampler.Rotation(), {0, 0, 0}};
    sampler.Place(body[0], &body[1]);
    SCOPED_TRACE(testing::Message()
                 << "trial " << trial << " " << tribo_shape_type_name(body[0].shape.type) << " "
                 << tribo_shape_type_name(body[1].shape.type));
    ExpectRight(body[0], body[1], Distance(body[0], body[1]), 1e-6 * Size(body[0], body[1]));
  }
}

}  // namespace
