// SPDX-License-Identifier: Apache-2.0
//
// Contacts by hand: what a body resting on another must give.
#include "collision/narrow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "engine/base/rotation.h"

namespace {

TriboTransform At(double x, double y, double z, TriboVec3 turn = {0, 0, 0}) {
  TriboTransform X = {tribo_quat_to_mat3(tribo_quat_exp(turn)), {x, y, z}};
  return X;
}

std::vector<TriboContact> Collide(const TriboShape& a, const TriboTransform& X_WA,
                                  const TriboShape& b, const TriboTransform& X_WB, double margin) {
  TriboContact contacts[TRIBO_CONTACTS_PER_PAIR];
  int count = -1;
  EXPECT_EQ(tribo_collide(&a, &X_WA, &b, &X_WB, margin, contacts, TRIBO_CONTACTS_PER_PAIR, &count),
            TRIBO_OK);
  return std::vector<TriboContact>(contacts, contacts + std::max(count, 0));
}

std::set<uint64_t> Features(const std::vector<TriboContact>& contacts) {
  std::set<uint64_t> features;
  for (const TriboContact& c : contacts) features.insert(c.feature);
  return features;
}

void ExpectNear(TriboVec3 a, TriboVec3 b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(Narrow, BoxOnAPlaneStandsOnFourNamedCorners) {
  const TriboShape plane = tribo_shape_plane(), box = tribo_shape_box({1, 2, 3});
  const auto contacts = Collide(plane, At(0, 0, 0), box, At(0.5, 0, 3.01), 0.1);
  ASSERT_EQ(contacts.size(), 4u);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(contacts[i].gap, 0.01, 1e-15);
    ExpectNear(contacts[i].normal, {0, 0, 1}, 0);
    ExpectNear(contacts[i].point, {0.5 + (i & 1 ? 1 : -1), i & 2 ? 2.0 : -2.0, 0.005}, 1e-15);
    EXPECT_EQ(tribo_feature_pair_second(contacts[i].feature),
              tribo_feature(TRIBO_FEATURE_VERTEX, i));
  }
  // The same seen from the box.
  const auto swapped = Collide(box, At(0.5, 0, 3.01), plane, At(0, 0, 0), 0.1);
  ASSERT_EQ(swapped.size(), 4u);
  ExpectNear(swapped[0].normal, {0, 0, -1}, 0);
  EXPECT_EQ(tribo_feature_pair_first(swapped[2].feature), tribo_feature(TRIBO_FEATURE_VERTEX, 2));
}

TEST(Narrow, RoundBodiesOnAPlaneTouchWhereTheyAreLowest) {
  const TriboShape plane = tribo_shape_plane();
  const auto sphere = Collide(plane, At(0, 0, 0), tribo_shape_sphere(0.5), At(1, 2, 0.4), 0);
  ASSERT_EQ(sphere.size(), 1u);
  EXPECT_NEAR(sphere[0].gap, -0.1, 1e-15);
  ExpectNear(sphere[0].point, {1, 2, -0.05}, 1e-15);

  const TriboVec3 lie = {M_PI / 2, 0, 0};
  const auto capsule =
      Collide(plane, At(0, 0, 0), tribo_shape_capsule(0.5, 2), At(0, 0, 0.5, lie), 0.01);
  ASSERT_EQ(capsule.size(), 2u);
  EXPECT_NEAR(std::fabs(capsule[0].point.y - capsule[1].point.y), 4, 1e-14);
  EXPECT_NEAR(capsule[0].gap, 0, 1e-15);

  const auto side =
      Collide(plane, At(0, 0, 0), tribo_shape_cylinder(0.5, 2), At(0, 0, 0.5, lie), 0.01);
  ASSERT_EQ(side.size(), 2u);
  EXPECT_NEAR(std::fabs(side[0].point.y - side[1].point.y), 4, 1e-14);

  const auto cap = Collide(plane, At(0, 0, 0), tribo_shape_cylinder(0.5, 2), At(0, 0, 2), 0.01);
  ASSERT_EQ(cap.size(), 8u);
  for (const TriboContact& c : cap) EXPECT_NEAR(std::hypot(c.point.x, c.point.y), 0.5, 1e-15);

  const auto ellipsoid =
      Collide(plane, At(0, 0, 0), tribo_shape_ellipsoid({1, 2, 3}), At(0, 0, 3.5), 1);
  ASSERT_EQ(ellipsoid.size(), 1u);
  EXPECT_NEAR(ellipsoid[0].gap, 0.5, 1e-15);
}

TEST(Narrow, EqualFlushBoxesGiveFourCornersAndOneNormal) {
  const TriboShape box = tribo_shape_box({0.5, 0.5, 0.5});
  for (double gap : {-0.01, -1e-12, 0.0, 1e-12, 0.01}) {
    const auto contacts = Collide(box, At(0, 0, 0), box, At(0, 0, 1 + gap), 0.02);
    ASSERT_EQ(contacts.size(), 4u) << gap;
    for (const TriboContact& c : contacts) {
      ExpectNear(c.normal, {0, 0, 1}, 0);
      EXPECT_NEAR(c.gap, gap, 1e-15);
      EXPECT_NEAR(std::fabs(c.point.x), 0.5, 1e-15);
      EXPECT_NEAR(std::fabs(c.point.y), 0.5, 1e-15);
    }
    EXPECT_EQ(Features(contacts).size(), 4u);
  }
}

TEST(Narrow, TurnedBoxesOverlapInAnOctagon) {
  const TriboShape box = tribo_shape_box({0.5, 0.5, 0.5});
  const auto contacts = Collide(box, At(0, 0, 0), box, At(0, 0, 1, {0, 0, M_PI / 4}), 0.02);
  ASSERT_EQ(contacts.size(), 8u);
  for (const TriboContact& c : contacts) {
    EXPECT_NEAR(c.gap, 0, 1e-15);
    EXPECT_NEAR(std::hypot(c.point.x, c.point.y), 0.5 / std::cos(M_PI / 8), 1e-14);
  }
}

TEST(Narrow, CapsuleLyingOnABoxTouchesAtTwoPoints) {
  const TriboShape box = tribo_shape_box({1, 1, 0.5}), capsule = tribo_shape_capsule(0.25, 3);
  // Longer than the box: cut at its edges.
  const auto contacts = Collide(box, At(0, 0, 0), capsule, At(0, 0, 0.76, {M_PI / 2, 0, 0}), 0.1);
  ASSERT_EQ(contacts.size(), 2u);
  for (const TriboContact& c : contacts) {
    EXPECT_NEAR(c.gap, 0.01, 1e-14);
    EXPECT_NEAR(std::fabs(c.point.y), 1, 1e-14);
    ExpectNear(c.normal, {0, 0, 1}, 1e-14);
  }
}

TEST(Narrow, PosesThatAreNotFiniteAreRejected) {
  const TriboShape box = tribo_shape_box({1, 1, 1});
  TriboTransform good = At(0, 0, 0), bad = At(0, 0, 0);
  TriboContact contacts[TRIBO_CONTACTS_PER_PAIR];
  TriboClosestPoints closest;
  int count;
  for (double value : {std::nan(""), double{INFINITY}}) {
    for (int k = 0; k < 12; ++k) {
      bad = good;
      (k < 9 ? bad.R.m[k] : k == 9 ? bad.p.x : k == 10 ? bad.p.y : bad.p.z) = value;
      EXPECT_EQ(tribo_collide(&box, &good, &box, &bad, 0.1, contacts, 8, &count),
                TRIBO_ERROR_NOT_FINITE);
      EXPECT_EQ(count, 0);
      EXPECT_EQ(tribo_distance(&box, &bad, &box, &good, &closest), TRIBO_ERROR_NOT_FINITE);
    }
    EXPECT_EQ(tribo_collide(&box, &good, &box, &good, value, contacts, 8, &count),
              TRIBO_ERROR_NOT_FINITE);
  }
  const TriboShape plane = tribo_shape_plane();
  EXPECT_EQ(tribo_collide(&plane, &good, &plane, &good, 0.1, contacts, 8, &count),
            TRIBO_ERROR_UNSUPPORTED);
  EXPECT_EQ(tribo_collide(&box, &good, &plane, &good, 0.1, contacts, 3, &count),
            TRIBO_ERROR_CAPACITY);
  EXPECT_EQ(count, 4);
}

}  // namespace
