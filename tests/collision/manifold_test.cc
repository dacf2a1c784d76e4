// SPDX-License-Identifier: Apache-2.0
//
// Contact manifolds of every pair of convex shapes: what holds of all of them, and the ones that
// must carry a moment.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collision/convex_pair.h"
#include "collision/narrow.h"
#include "engine/base/rotation.h"
#include "tests/collision/reference.h"
#include "tests/scale.h"

namespace {

using reference::Body;

TriboTransform At(double x, double y, double z, TriboVec3 turn = {0, 0, 0}) {
  TriboTransform X = {tribo_quat_to_mat3(tribo_quat_exp(turn)), {x, y, z}};
  return X;
}

std::vector<TriboContact> Collide(const Body& a, const Body& b, double margin) {
  TriboContact contacts[TRIBO_CONTACTS_PER_PAIR];
  int count = -1;
  EXPECT_EQ(tribo_collide(&a.shape, &a.X, &b.shape, &b.X, margin, contacts, TRIBO_CONTACTS_PER_PAIR,
                          &count),
            TRIBO_OK);
  return std::vector<TriboContact>(contacts, contacts + std::max(count, 0));
}

double Size(const Body& a, const Body& b) {
  const double sa = tribo_vec3_norm(a.shape.half), sb = tribo_vec3_norm(b.shape.half);
  return (std::isfinite(sa) ? sa : 0) + (std::isfinite(sb) ? sb : 0);
}

std::set<uint64_t> Features(const std::vector<TriboContact>& contacts) {
  std::set<uint64_t> features;
  for (const TriboContact& c : contacts) features.insert(c.feature);
  return features;
}

double Area(const std::vector<TriboContact>& contacts) {
  std::vector<TriboVec3> points;
  for (const TriboContact& c : contacts) points.push_back({c.point.x, c.point.y, 0});
  return reference::HullArea(points);
}

// ---- all pairs

std::vector<std::pair<int, int>> AllPairs() {
  std::vector<std::pair<int, int>> pairs;
  for (int b = TRIBO_SHAPE_SPHERE; b <= TRIBO_SHAPE_HULL; ++b) {
    for (int a = TRIBO_SHAPE_PLANE; a <= b; ++a) pairs.push_back({a, b});
  }
  return pairs;
}

class Manifolds : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(Manifolds, PointsLieOnBothSurfacesAndNoneIsDeeperThanTheDistance) {
  const auto type_a = static_cast<TriboShapeType>(GetParam().first);
  const auto type_b = static_cast<TriboShapeType>(GetParam().second);
  reference::Sampler sampler(5000 + 10 * type_a + type_b);
  for (int trial = 0, count = tribo_test_count(400); trial < count && !HasFailure(); ++trial) {
    Body a = {sampler.Shape(type_a, 1), {}}, b = {sampler.Shape(type_b, 1), {}};
    a.X.R = sampler.Rotation();
    if (type_a == TRIBO_SHAPE_PLANE) {
      b.X = {sampler.Rotation(), tribo_vec3_scale(sampler.In(0, 1.5), sampler.Direction())};
    } else {
      sampler.Place(a, &b);
    }
    if (trial % 2) std::swap(a, b);
    const double tolerance = 1e-6 * Size(a, b), margin = sampler.Index(2) ? 0.01 : 0.3;
    SCOPED_TRACE(testing::Message() << "trial " << trial << " margin " << margin);
    TriboClosestPoints closest;
    ASSERT_EQ(tribo_distance(&a.shape, &a.X, &b.shape, &b.X, &closest), TRIBO_OK);
    const auto contacts = Collide(a, b, margin);
    EXPECT_EQ(contacts.empty(), closest.distance > margin);
    EXPECT_EQ(Features(contacts).size(), contacts.size()) << "two contacts of one name";
    double deepest = INFINITY;
    for (const TriboContact& c : contacts) {
      deepest = std::min(deepest, c.gap);
      EXPECT_LE(c.gap, margin);
      EXPECT_EQ(tribo_vec3_distance(c.normal, contacts[0].normal), 0);
      const TriboVec3 p0 = tribo_vec3_madd(c.point, -0.5 * c.gap, c.normal);
      const TriboVec3 p1 = tribo_vec3_madd(c.point, 0.5 * c.gap, c.normal);
      EXPECT_NEAR(reference::Level(a, p0), 0, tolerance);
      EXPECT_NEAR(reference::Level(b, p1), 0, tolerance);
    }
    if (!contacts.empty()) {
      EXPECT_NEAR(deepest, closest.distance, tolerance);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Manifolds, testing::ValuesIn(AllPairs()), [](const auto& pair) {
  return std::string(tribo_shape_type_name(static_cast<TriboShapeType>(pair.param.first))) + "_" +
         tribo_shape_type_name(static_cast<TriboShapeType>(pair.param.second));
});

// ---- what must carry a moment

struct Hulls {
  Hulls() {
    for (int sides : {4, 6, 12, 40}) prisms.push_back(Prism(sides));
  }
  ~Hulls() {
    for (TriboHull* hull : prisms) tribo_hull_destroy(hull);
  }
  // Radius 1, height 1.
  static TriboHull* Prism(int sides) {
    std::vector<TriboVec3> points;
    for (int k = 0; k < sides; ++k) {
      const double t = 2 * M_PI * (k + 0.5) / sides;
      for (double z : {-0.5, 0.5}) points.push_back({std::cos(t), std::sin(t), z});
    }
    TriboHull* hull = nullptr;
    EXPECT_EQ(tribo_hull_create(points.data(), 2 * sides, nullptr, &hull, nullptr), TRIBO_OK);
    return hull;
  }
  std::vector<TriboHull*> prisms;
};

TEST(Manifold, FacesOfHullsOverlapExactlyUpToEightCorners) {
  Hulls hulls;
  const Body floor = {tribo_shape_box({3, 3, 0.5}), At(0, 0, -0.5)};
  const Body plane = {tribo_shape_plane(), At(0, 0, 0)};
  // A face of at most 8 corners is kept whole; of more corners, the best 8 keep most of the area.
  const double expected[4] = {2, 6 * std::sin(M_PI / 3) / 2, 12 * std::sin(M_PI / 6) / 2,
                              40 * std::sin(M_PI / 20) / 2};
  for (int k = 0; k < 4; ++k) {
    for (double gap : {-1e-3, 0.0, 1e-3}) {
      const Body prism = {tribo_shape_hull(hulls.prisms[k]), At(0.1, 0.2, 0.5 + gap, {0, 0, 0.4})};
      for (const Body& ground : {floor, plane}) {
        const auto contacts = Collide(ground, prism, 0.01);
        SCOPED_TRACE(testing::Message() << k << " " << gap);
        if (k < 2) {
          EXPECT_NEAR(Area(contacts), expected[k], 1e-12);
        } else {
          EXPECT_EQ(contacts.size(), 8u);
          EXPECT_GE(Area(contacts), 0.85 * expected[k]);
        }
        for (const TriboContact& c : contacts) EXPECT_NEAR(c.gap, gap, 1e-12);
      }
    }
  }
}

TEST(Manifold, HullOfACubeIsACube) {
  TriboHull* hull = Hulls::Prism(4);
  const double h = std::sqrt(0.5);
  reference::Sampler sampler(61);
  const Body box_a = {tribo_shape_box({h, h, 0.5}), At(0, 0, 0)};
  const Body hull_a = {tribo_shape_hull(hull), At(0, 0, 0)};
  for (int trial = 0, count = tribo_test_count(300); trial < count; ++trial) {
    const TriboTransform X = At(sampler.In(-1, 1), sampler.In(-1, 1), 1 + sampler.In(-0.01, 0.01),
                                {0, 0, sampler.In(-3, 3)});
    const auto boxes = Collide(box_a, {box_a.shape, X}, 0.02);
    const auto hulls = Collide(hull_a, {hull_a.shape, X}, 0.02);
    EXPECT_EQ(boxes.size(), hulls.size()) << trial;
    EXPECT_NEAR(Area(boxes), Area(hulls), 1e-9) << trial;
  }
  tribo_hull_destroy(hull);
}

TEST(Manifold, CylinderStandsOnItsRimAndLiesOnItsFlank) {
  const Body floor = {tribo_shape_box({2, 2, 0.5}), At(0, 0, -0.5)};
  const TriboShape cylinder = tribo_shape_cylinder(0.5, 1);
  const auto standing = Collide(floor, {cylinder, At(0, 0, 1)}, 0.01);
  EXPECT_EQ(standing.size(), 8u);
  EXPECT_NEAR(Area(standing), 8 * 0.25 * std::sin(M_PI / 4) / 2, 1e-12);
  const auto lying = Collide(floor, {cylinder, At(0, 0, 0.5, {M_PI / 2, 0, 0})}, 0.01);
  ASSERT_EQ(lying.size(), 2u);
  EXPECT_NEAR(std::fabs(lying[0].point.y - lying[1].point.y), 2, 1e-9);
  // Tilted a little: the lowest point of the rim is exact, and the far side is still seen.
  const double tilt = 1e-3, lowest = std::cos(tilt) * 1 + std::sin(tilt) * 0.5;
  const auto tilted = Collide(floor, {cylinder, At(0, 0, lowest, {tilt, 0, 0})}, 0.01);
  ASSERT_EQ(tilted.size(), 8u);
  double deepest = INFINITY, highest = -INFINITY;
  for (const TriboContact& c : tilted) {
    deepest = std::min(deepest, c.gap);
    highest = std::max(highest, c.gap);
  }
  EXPECT_NEAR(deepest, 0, 1e-12);
  EXPECT_NEAR(highest, 2 * 0.5 * std::sin(tilt), 1e-12);
  // On a smaller box and on another cylinder.
  const auto stacked = Collide({cylinder, At(0, 0, 0)}, {cylinder, At(0.1, 0, 2)}, 0.01);
  EXPECT_GE(stacked.size(), 6u);
  EXPECT_GE(Area(stacked), 0.5);
  const auto side = Collide({cylinder, At(0, 0, 0)}, {cylinder, At(1, 0, 0.5)}, 0.01);
  ASSERT_EQ(side.size(), 2u);
  EXPECT_NEAR(std::fabs(side[0].point.z - side[1].point.z), 1.5, 1e-9);
}

TEST(Manifold, CapsulesSideBySideTouchAtTwoPoints) {
  const TriboShape capsule = tribo_shape_capsule(0.25, 1);
  const auto parallel = Collide({capsule, At(0, 0, 0)}, {capsule, At(0.5, 0, 0.5)}, 0.01);
  ASSERT_EQ(parallel.size(), 2u);
  EXPECT_NEAR(std::fabs(parallel[0].point.z - parallel[1].point.z), 1.5, 1e-12);
  const auto crossed =
      Collide({capsule, At(0, 0, 0)}, {capsule, At(0.49, 0, 0, {M_PI / 2, 0, 0})}, 0.01);
  ASSERT_EQ(crossed.size(), 1u);
  EXPECT_NEAR(crossed[0].gap, -0.01, 1e-12);
  // Beyond the edge of a box, tilted a little: the edge of the box and the far end.
  const Body box = {tribo_shape_box({1, 1, 0.5}), At(0, 0, 0)};
  const auto over = Collide(box, {capsule, At(0, 0.5, 0.75, {M_PI / 2 - 1e-3, 0, 0})}, 0.01);
  EXPECT_EQ(over.size(), 2u);
}

// Crossed beams that rock in both directions: the normal goes through all that lies between their
// faces, but the four crossings of their edges stay what they are.
TEST(Manifold, CrossedBeamsKeepTheirFourPoints) {
  const Body a = {tribo_shape_box({2, 0.2, 0.2}), At(0, 0, 0)};
  std::set<uint64_t> expected;
  for (int k = 0; k < 400; ++k) {
    const double t = 0.05 * k;
    const Body b = {tribo_shape_box({0.2, 2, 0.2}),
                    At(0, 0, 0.4, {1e-3 * std::sin(t), 7e-4 * std::cos(1.3 * t), 0})};
    const auto contacts = Collide(a, b, 0.02);
    ASSERT_EQ(contacts.size(), 4u) << k;
    if (k == 0) expected = Features(contacts);
    ASSERT_EQ(Features(contacts), expected) << k;
    ASSERT_LE(tribo_vec3_distance(contacts[0].normal, {0, 0, 1}), 2e-3);
  }
}

TEST(Manifold, TrianglesTouchLikeFaces) {
  const TriboConvex triangle = tribo_convex_triangle({-2, -2, 0}, {2, -2, 0}, {0, 3, 0}, 30);
  const TriboTransform X = At(0, 0, 0.51);
  const TriboShape box = tribo_shape_box({0.5, 0.5, 0.5});
  const TriboConvex body = tribo_convex_from_shape(&box, &X);
  TriboContact contacts[TRIBO_CONTACTS_PER_PAIR];
  int count = 0;
  ASSERT_EQ(tribo_convex_contacts(&triangle, &body, 0.02, contacts, &count), TRIBO_OK);
  ASSERT_EQ(count, 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(contacts[i].gap, 0.01, 1e-15);
    EXPECT_NEAR(contacts[i].normal.z, 1, 1e-15);
    EXPECT_EQ(tribo_feature_pair_first(contacts[i].feature), tribo_feature(TRIBO_FEATURE_FACE, 30));
  }
}

// ---- reduction

TEST(Manifold, ReductionKeepsTheDeepestAndTheOutline) {
  reference::Sampler sampler(67);
  for (int trial = 0, count = tribo_test_count(300); trial < count; ++trial) {
    const int n = 9 + sampler.Index(40);
    std::vector<TriboContact> around(n);
    std::vector<double> angle;
    for (int i = 0; i < n; ++i) angle.push_back(sampler.In(0, 2 * M_PI));
    std::sort(angle.begin(), angle.end());
    double deepest = INFINITY;
    for (int i = 0; i < n; ++i) {
      around[i].point = {std::cos(angle[i]), std::sin(angle[i]), 0};
      around[i].normal = {0, 0, 1};
      around[i].gap = sampler.In(-1, 1);
      around[i].feature = i;
      deepest = std::min(deepest, around[i].gap);
    }
    const double whole = Area(around);
    const int left = tribo_manifold_reduce(around.data(), n);
    ASSERT_EQ(left, 8);
    around.resize(left);
    EXPECT_GE(Area(around), 0.7 * whole);
    double kept = INFINITY;
    for (int i = 0; i < left; ++i) {
      kept = std::min(kept, around[i].gap);
      if (i > 0) {
        EXPECT_LT(around[i - 1].feature, around[i].feature);
      }
    }
    EXPECT_EQ(kept, deepest);
  }
}

}  // namespace
