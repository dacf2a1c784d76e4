// SPDX-License-Identifier: Apache-2.0
//
// Boxes on boxes: flush, parallel and nearly parallel above all, because there many directions are
// equally good and one wrong choice throws a stack apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "collision/narrow.h"
#include "engine/base/rotation.h"
#include "tests/collision/reference.h"
#include "tests/scale.h"

namespace {

using reference::Body;

std::vector<TriboContact> Collide(const Body& a, const Body& b, double margin) {
  TriboContact contacts[TRIBO_CONTACTS_PER_PAIR];
  int count = -1;
  EXPECT_EQ(tribo_collide(&a.shape, &a.X, &b.shape, &b.X, margin, contacts, TRIBO_CONTACTS_PER_PAIR,
                          &count),
            TRIBO_OK);
  return std::vector<TriboContact>(contacts, contacts + std::max(count, 0));
}

std::vector<uint64_t> Features(const std::vector<TriboContact>& contacts) {
  std::vector<uint64_t> features;
  for (const TriboContact& c : contacts) features.push_back(c.feature);
  return features;
}

double Size(const Body& a, const Body& b) {
  return tribo_vec3_norm(a.shape.half) + tribo_vec3_norm(b.shape.half);
}

TriboMat3 Turn(TriboVec3 r) { return tribo_quat_to_mat3(tribo_quat_exp(r)); }

// b on top of a, flush or not, turned about the vertical, and all of it turned by R.
void Stack(reference::Sampler* sampler, double gap, double yaw, double tilt, TriboMat3 R, Body* a,
           Body* b) {
  auto size = [&] { return sampler->Index(2) ? 0.5 : sampler->In(0.2, 1); };
  a->shape = tribo_shape_box({size(), size(), size()});
  b->shape = tribo_shape_box({size(), size(), size()});
  const double x = sampler->Index(3) ? sampler->In(-0.5, 0.5) * a->shape.half.x : 0;
  const double y = sampler->Index(3) ? sampler->In(-0.5, 0.5) * a->shape.half.y : 0;
  a->X = {tribo_mat3_identity(), {0, 0, 0}};
  b->X.R = tribo_mat3_mul(Turn(tribo_vec3_scale(tilt, sampler->Direction())), Turn({0, 0, yaw}));
  b->X.p = {x, y, a->shape.half.z + b->shape.half.z + gap};
  const TriboTransform world = {R, {sampler->In(-3, 3), sampler->In(-3, 3), sampler->In(-3, 3)}};
  a->X = tribo_transform_mul(world, a->X);
  b->X = tribo_transform_mul(world, b->X);
}

// Everything that must hold of the contacts of one pair, whatever the pair.
void ExpectSound(const Body& a, const Body& b, double margin, double best, double tolerance) {
  const auto contacts = Collide(a, b, margin);
  if (best < margin - tolerance) {
    ASSERT_FALSE(contacts.empty());
    double deepest = INFINITY;
    for (const TriboContact& c : contacts) deepest = std::min(deepest, c.gap);
    EXPECT_NEAR(deepest, best, tolerance);
  }
  ASSERT_LE(contacts.size(), 8u);
  std::set<uint64_t> features;
  for (const TriboContact& c : contacts) {
    EXPECT_EQ(c.normal.x, contacts[0].normal.x);
    EXPECT_EQ(c.normal.y, contacts[0].normal.y);
    EXPECT_EQ(c.normal.z, contacts[0].normal.z);
    EXPECT_GE(c.gap, best - tolerance) << "deeper than the truth";
    EXPECT_LE(c.gap, margin);
    const TriboVec3 p0 = tribo_vec3_madd(c.point, -0.5 * c.gap, c.normal);
    const TriboVec3 p1 = tribo_vec3_madd(c.point, 0.5 * c.gap, c.normal);
    EXPECT_NEAR(reference::Level(a, p0), 0, tolerance);
    EXPECT_NEAR(reference::Level(b, p1), 0, tolerance);
    EXPECT_TRUE(features.insert(c.feature).second) << "two contacts of one name";
  }
}

TEST(BoxBox, IsNeverDeeperThanTheTruthAndOfOneNormal) {
  reference::Sampler sampler(41);
  for (int trial = 0, count = tribo_test_count(4000); trial < count; ++trial) {
    Body a, b;
    if (sampler.Index(3) == 0) {
      a = {sampler.Shape(TRIBO_SHAPE_BOX, 1), {sampler.Rotation(), {0, 0, 0}}};
      b.shape = sampler.Shape(TRIBO_SHAPE_BOX, 1);
      sampler.Place(a, &b);
    } else {
      // Flush, parallel and nearly parallel.
      static const double kGaps[] = {0, 1e-15, -1e-13, 1e-10, -1e-8, 1e-6, -1e-4, -0.01, 0.01};
      const double yaw = sampler.Index(2) ? 0 : std::pow(10, -sampler.In(0, 14));
      const double tilt = sampler.Index(3) ? 0 : std::pow(10, -sampler.In(1, 16));
      Stack(&sampler, kGaps[sampler.Index(9)], yaw, tilt, sampler.Rotation(), &a, &b);
    }
    SCOPED_TRACE(testing::Message() << "trial " << trial);
    const double tolerance = 1e-9 * Size(a, b);
    TriboClosestPoints closest;
    ASSERT_EQ(tribo_distance(&a.shape, &a.X, &b.shape, &b.X, &closest), TRIBO_OK);
    // No direction of the sweep, no face and no pair of edges shows more.
    EXPECT_LE(reference::SweepDistance(a, b), closest.distance + tolerance);
    const double axes = reference::FeatureDistance(a, b);
    EXPECT_LE(axes, closest.distance + tolerance);
    if (axes < 0) {
      EXPECT_NEAR(closest.distance, axes, tolerance);
    }
    EXPECT_NEAR(reference::DistanceAlong(a, b, closest.normal), closest.distance, tolerance);
    ExpectSound(a, b, 0.02, closest.distance, tolerance);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

TEST(BoxBox, TinyTurnsTurnTheNormalNoMoreThanTheBox) {
  reference::Sampler sampler(43);
  for (int trial = 0, count = tribo_test_count(4000); trial < count; ++trial) {
    Body a, b;
    const double yaw = sampler.Index(2) ? 0 : sampler.In(-3, 3);
    Stack(&sampler, sampler.Index(2) ? 0 : -1e-3, yaw, 0, sampler.Rotation(), &a, &b);
    const TriboVec3 up = tribo_mat3_column(a.X.R, 2);
    const double tiny = std::pow(10, -sampler.In(3, 16));
    b.X.R = tribo_mat3_mul(Turn(tribo_vec3_scale(tiny, sampler.Direction())), b.X.R);
    for (const TriboContact& c : Collide(a, b, 0.01)) {
      ASSERT_LE(tribo_vec3_distance(c.normal, up), 2 * tiny + 1e-14) << trial;
      // No phantom: not deeper than the tilt and the overlap make it.
      ASSERT_GE(c.gap, -1e-3 - 4 * tiny * Size(a, b) - 1e-14) << trial;
    }
  }
}

// Corners of each rectangle in the other and crossings of their sides: the area of their hull.
double OverlapArea(const Body& a, const Body& b) {
  const double h[2][2] = {{a.shape.half.x, a.shape.half.y}, {b.shape.half.x, b.shape.half.y}};
  std::vector<TriboVec3> corners[2], points;
  const TriboTransform X = tribo_transform_imul(a.X, b.X);
  for (int k = 0; k < 4; ++k) {
    const double x = k == 1 || k == 2 ? 1 : -1, y = k >= 2 ? 1 : -1;
    corners[0].push_back({x * h[0][0], y * h[0][1], 0});
    TriboVec3 p = tribo_transform_point(X, {x * h[1][0], y * h[1][1], -b.shape.half.z});
    p.z = 0;
    corners[1].push_back(p);
  }
  auto inside = [](const std::vector<TriboVec3>& polygon, TriboVec3 p) {
    for (int k = 0; k < 4; ++k) {
      const TriboVec3 e = tribo_vec3_sub(polygon[(k + 1) % 4], polygon[k]);
      if (tribo_vec3_cross(e, tribo_vec3_sub(p, polygon[k])).z < -1e-12) return false;
    }
    return true;
  };
  for (int side = 0; side < 2; ++side) {
    for (TriboVec3 p : corners[side]) {
      if (inside(corners[1 - side], p)) points.push_back(p);
    }
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const TriboVec3 p = corners[0][i], e = tribo_vec3_sub(corners[0][(i + 1) % 4], p);
      const TriboVec3 q = corners[1][j], g = tribo_vec3_sub(corners[1][(j + 1) % 4], q);
      const double det = e.x * g.y - e.y * g.x;
      if (std::fabs(det) < 1e-12) continue;
      const TriboVec3 r = tribo_vec3_sub(q, p);
      const double s = (r.x * g.y - r.y * g.x) / det, t = (r.x * e.y - r.y * e.x) / det;
      if (s >= 0 && s <= 1 && t >= 0 && t <= 1) points.push_back(tribo_vec3_madd(p, s, e));
    }
  }
  return reference::HullArea(points);
}

TEST(BoxBox, SupportPolygonIsTheExactOverlapOfTheFaces) {
  reference::Sampler sampler(47);
  for (int trial = 0, count = tribo_test_count(2000); trial < count; ++trial) {
    Body a, b;
    const double yaw = sampler.Index(2) ? 0 : sampler.In(-3, 3);
    const TriboMat3 world = sampler.Rotation();
    Stack(&sampler, sampler.In(-1e-3, 1e-3), yaw, 0, world, &a, &b);
    std::vector<TriboVec3> points;
    for (const TriboContact& c : Collide(a, b, 0.01)) {
      const TriboVec3 p = tribo_transform_inverse_point(a.X, c.point);
      points.push_back({p.x, p.y, 0});
    }
    EXPECT_NEAR(reference::HullArea(points), OverlapArea(a, b), 1e-8) << trial;
  }
}

TEST(BoxBox, NamesAndOrderStayUnderJitter) {
  reference::Sampler sampler(53);
  for (int trial = 0, count = tribo_test_count(200); trial < count; ++trial) {
    Body a, b;
    Stack(&sampler, 0, sampler.Index(2) ? 0 : sampler.In(-3, 3), 0, tribo_mat3_identity(), &a, &b);
    const auto expected = Features(Collide(a, b, 0.01));
    ASSERT_GE(expected.size(), 4u);
    for (int k = 0; k < 20; ++k) {
      Body moved = b;
      moved.X.p = tribo_vec3_madd(b.X.p, 1e-12, sampler.Direction());
      moved.X.R = tribo_mat3_mul(Turn(tribo_vec3_scale(1e-12, sampler.Direction())), b.X.R);
      ASSERT_EQ(Features(Collide(a, moved, 0.01)), expected) << trial;
    }
  }
}

TEST(BoxBox, NamesStayWhileABoxSlidesOverAnother) {
  const Body a = {tribo_shape_box({2, 2, 0.5}), {tribo_mat3_identity(), {0, 0, 0}}};
  Body b = {tribo_shape_box({0.5, 0.5, 0.5}), {Turn({0, 0, 0.3}), {0, 0, 1}}};
  // Inside the face: four corners of the small box, always the same.
  const auto inside = Features(Collide(a, b, 0.01));
  ASSERT_EQ(inside.size(), 4u);
  for (int k = 0; k < 1000; ++k) {
    b.X.p = {-1 + 0.002 * k, 0.3 * std::sin(0.01 * k), 1};
    ASSERT_EQ(Features(Collide(a, b, 0.01)), inside);
  }
  // Over the edge: the names change only when a corner crosses it, four times until it is gone, and
  // those of the corners that stay inside never do.
  int changes = 0;
  auto last = inside;
  for (int k = 0; k < 4000; ++k) {
    b.X.p = {1 + 0.0005 * k, 0, 1};
    const auto now = Features(Collide(a, b, 0.01));
    changes +=
        std::set<uint64_t>(now.begin(), now.end()) != std::set<uint64_t>(last.begin(), last.end());
    last = now;
  }
  EXPECT_TRUE(last.empty());
  EXPECT_LE(changes, 5);
}

TEST(BoxBox, NamesStayWhileABoxRocks) {
  const Body a = {tribo_shape_box({0.5, 0.5, 0.5}), {tribo_mat3_identity(), {0, 0, 0}}};
  for (double shift : {0.0, 0.1}) {
    std::set<uint64_t> expected;
    for (int k = -500; k <= 500; ++k) {
      // About its lower edges, to one side and then to the other: equal boxes, flush.
      const double angle = 1e-5 * k, half = 0.5;
      const double side = angle > 0 ? -1 : 1;
      const TriboMat3 R = Turn({0, angle, 0});
      const TriboVec3 pivot = {side * half, 0, -half};
      Body b = {a.shape, {R, {0, 0, 0}}};
      b.X.p = tribo_vec3_sub({side * half + shift, 0, half}, tribo_mat3_mul_vec(R, pivot));
      const auto contacts = Collide(a, b, 0.02);
      const auto features = Features(contacts);
      const std::set<uint64_t> now(features.begin(), features.end());
      ASSERT_EQ(now.size(), 4u) << k;
      if (expected.empty()) expected = now;
      ASSERT_EQ(now, expected) << k << " " << shift;
      ASSERT_LE(tribo_vec3_distance(contacts[0].normal, {0, 0, 1}), 1.1 * std::fabs(angle) + 1e-15);
    }
  }
}

TEST(BoxBox, BlocksOfAWallAreHeldUpByTheirNeighboursEdges) {
  // Equal boxes that share only an edge: the normal could be any between x and z.
  const Body a = {tribo_shape_box({0.5, 0.5, 0.5}), {tribo_mat3_identity(), {0, 0, 0}}};
  for (double jitter : {0.0, 1e-13, -1e-13}) {
    const Body b = {a.shape, {tribo_mat3_identity(), {1 + jitter, 0, 1 - jitter}}};
    const auto contacts = Collide(a, b, 0.001);
    ASSERT_EQ(contacts.size(), 2u);
    for (const TriboContact& c : contacts) {
      EXPECT_EQ(c.normal.z, 1);
      EXPECT_NEAR(c.gap, 0, 1e-12);
    }
  }
}

// Two cards that lean on each other, each by `lean` from the vertical, whose inner upper edges lie
// on one line, pulled apart by `gap`. In the cards' plane the normals that separate them reach from
// the inner face of one to that of the other.
TEST(BoxBox, EdgesOnOneLineTouchAlongTheMiddleOfTheirNormals) {
  reference::Sampler sampler(47);
  for (int trial = 0, count = tribo_test_count(3000); trial < count; ++trial) {
    static const double kGaps[] = {0, 1e-16, -1e-16, 1e-13, -1e-13, 1e-11, -1e-11};
    const double lean = sampler.In(0.02, 0.75), gap = kGaps[sampler.Index(7)];
    const double s = std::sin(lean), c = std::cos(lean);
    const double t = sampler.In(0.01, 0.1), l = sampler.In(0.3, 1), width = sampler.In(0.1, 0.5);
    const TriboTransform world = {sampler.Rotation(), {sampler.In(-1, 1), sampler.In(-1, 1), 0}};
    Body card[2];
    for (int i = 0; i < 2; ++i) {
      const double side = i == 0 ? -1 : 1;
      card[i].shape = tribo_shape_box({t, width, l});
      card[i].X = tribo_transform_mul(
          world, {Turn({0, -side * lean, 0}), {side * (l * s + t * c + 0.5 * gap), 0, l * c}});
    }
    const auto contacts = Collide(card[0], card[1], 1e-3);
    ASSERT_EQ(contacts.size(), 2u) << "trial " << trial;
    const TriboVec3 x = tribo_mat3_column(world.R, 0);
    for (const TriboContact& contact : contacts) {
      // The boxes' own axes are rounded.
      ASSERT_LT(tribo_vec3_distance(contact.normal, x), 1e-12)
          << "trial " << trial << " lean " << lean << " gap " << gap;
      ASSERT_NEAR(contact.gap, gap, 1e-14);
    }
    EXPECT_NEAR(tribo_vec3_distance(contacts[0].point, contacts[1].point), 2 * width, 1e-12);
  }
}

}  // namespace
