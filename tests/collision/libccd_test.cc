// SPDX-License-Identifier: Apache-2.0
//
// libccd as a second opinion on overlapping pairs, and what a query costs in memory: ours nothing,
// libccd's expanding polytope some dozens of blocks each, which is why it is not used in a step.
#include <ccd/ccd.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "collision/narrow.h"
#include "engine/base/rotation.h"
#include "tests/allocations.h"
#include "tests/collision/reference.h"
#include "tests/scale.h"

namespace {

using reference::Body;

// The support point from the independent reach: its gradient, by the shapes' definitions.
void Support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* out) {
  const Body* body = static_cast<const Body*>(object);
  const TriboShape& s = body->shape;
  const TriboVec3 d = {direction->v[0], direction->v[1], direction->v[2]};
  TriboVec3 l = tribo_mat3_tmul_vec(body->X.R, d), p = {0, 0, 0};
  l = tribo_vec3_normalize_or(l, {0, 0, 1});
  const TriboVec3 sign = {std::copysign(1, l.x), std::copysign(1, l.y), std::copysign(1, l.z)};
  switch (s.type) {
    case TRIBO_SHAPE_SPHERE:
      p = tribo_vec3_scale(s.radius, l);
      break;
    case TRIBO_SHAPE_CAPSULE:
      p = tribo_vec3_scale(s.radius, l);
      p.z += sign.z * s.half_length;
      break;
    case TRIBO_SHAPE_BOX:
      p = {sign.x * s.half.x, sign.y * s.half.y, sign.z * s.half.z};
      break;
    case TRIBO_SHAPE_CYLINDER: {
      const double r = std::hypot(l.x, l.y);
      if (r > 0) p = {s.radius * l.x / r, s.radius * l.y / r, 0};
      p.z = sign.z * s.half_length;
      break;
    }
    case TRIBO_SHAPE_ELLIPSOID: {
      const TriboVec3 h = {s.half.x * l.x, s.half.y * l.y, s.half.z * l.z};
      const double r = tribo_vec3_norm(h);
      p = {s.half.x * h.x / r, s.half.y * h.y / r, s.half.z * h.z / r};
      break;
    }
    default: {
      double best = -INFINITY;
      for (int i = 0; i < s.hull->nv; ++i) {
        const double height = tribo_vec3_dot(l, s.hull->vertices[i]);
        if (height > best) best = height, p = s.hull->vertices[i];
      }
    }
  }
  p = tribo_transform_point(body->X, p);
  ccdVec3Set(out, p.x, p.y, p.z);
}

void Center(const void* object, ccd_vec3_t* out) {
  const Body* body = static_cast<const Body*>(object);
  TriboVec3 p = body->X.p;
  if (body->shape.type == TRIBO_SHAPE_HULL) {
    p = tribo_transform_point(body->X, body->shape.hull->center);
  }
  ccdVec3Set(out, p.x, p.y, p.z);
}

ccd_t Settings() {
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = Support;
  ccd.center1 = ccd.center2 = Center;
  ccd.max_iterations = 200;
  ccd.epa_tolerance = ccd.mpr_tolerance = 1e-6;
  return ccd;
}

TEST(Libccd, FindsNoShallowerOverlapAndAgreesOnTouching) {
  const ccd_t ccd = Settings();
  reference::Sampler sampler(83);
  int overlaps = 0, disagreements = 0, total = 0, epa_close = 0, mpr_close = 0;
  long epa_allocations = 0, mpr_allocations = 0, own_allocations = 0;
  for (int trial = 0, count = tribo_test_count(4000); trial < count; ++trial) {
    Body a = {sampler.Shape(static_cast<TriboShapeType>(1 + sampler.Index(6)), 1), {}};
    Body b = {sampler.Shape(static_cast<TriboShapeType>(1 + sampler.Index(6)), 1), {}};
    a.X.R = sampler.Rotation();
    sampler.Place(a, &b);
    const double size = tribo_vec3_norm(a.shape.half) + tribo_vec3_norm(b.shape.half);
    TriboClosestPoints own;
    TriboContact contacts[TRIBO_CONTACTS_PER_PAIR];
    int contact_count;
    long before = tribo_test_allocations();
    ASSERT_EQ(tribo_distance(&a.shape, &a.X, &b.shape, &b.X, &own), TRIBO_OK);
    ASSERT_EQ(tribo_collide(&a.shape, &a.X, &b.shape, &b.X, 0.1, contacts, TRIBO_CONTACTS_PER_PAIR,
                            &contact_count),
              TRIBO_OK);
    own_allocations += tribo_test_allocations() - before;
    if (std::fabs(own.distance) < 1e-3 * size) continue;
    ++total;
    disagreements += (ccdGJKIntersect(&a, &b, &ccd) != 0) != (own.distance < 0);
    if (own.distance > 0) continue;
    ++overlaps;
    ccd_real_t depth = 0;
    ccd_vec3_t direction, position;
    for (bool epa : {true, false}) {
      before = tribo_test_allocations();
      const int result = epa ? ccdGJKPenetration(&a, &b, &ccd, &depth, &direction, &position)
                             : ccdMPRPenetration(&a, &b, &ccd, &depth, &direction, &position);
      (epa ? epa_allocations : mpr_allocations) += tribo_test_allocations() - before;
      const TriboVec3 d = {direction.v[0], direction.v[1], direction.v[2]};
      if (result != 0 || !(std::fabs(tribo_vec3_norm(d) - 1) < 1e-6)) continue;
      // Whatever direction libccd found, moving b along it by no less than our depth parts them.
      EXPECT_LE(reference::DistanceAlong(a, b, d), own.distance + 1e-6 * size) << trial;
      (epa ? epa_close : mpr_close) += std::fabs(depth + own.distance) < 1e-3 * size;
    }
  }
  EXPECT_LE(disagreements, 1 + total / 200);
  // Its polytope gives up early now and then; were it mostly wrong, the above would say little.
  EXPECT_GE(epa_close, 8 * overlaps / 10);
  EXPECT_EQ(own_allocations, 0);
  EXPECT_GT(epa_allocations, overlaps);
  std::printf(
      "libccd over %d pairs, %d of them overlapping: touching judged differently %d times; depth "
      "within 1e-3 of the size: polytope %d, MPR %d; allocations a query: polytope %.0f, MPR %.0f, "
      "ours %.0f\n",
      total, overlaps, disagreements, epa_close, mpr_close, 1.0 * epa_allocations / overlaps,
      1.0 * mpr_allocations / overlaps, 1.0 * own_allocations / total);
}

// Where our polytope's buffers are too small to prove the answer: MPR knows no better.
TEST(Libccd, KnowsNoBetterOfHullsOfThousandsOfCorners) {
  const ccd_t ccd = Settings();
  reference::Sampler sampler(97);
  const TriboShape hulls[] = {sampler.ManyCorners(2000, {1, 1, 1}),
                              sampler.ManyCorners(2000, {0.3, 1, 2})};
  int answers = 0, close = 0;
  const int count = tribo_test_count(100);
  for (int trial = 0; trial < count; ++trial) {
    Body a = {hulls[sampler.Index(2)], {sampler.Rotation(), {0, 0, 0}}};
    Body b = {hulls[sampler.Index(2)], {sampler.Rotation(), {0, 0, 0}}};
    b.X.p = tribo_vec3_scale(0.1, sampler.Direction());
    const double size = tribo_vec3_norm(a.shape.half) + tribo_vec3_norm(b.shape.half);
    TriboClosestPoints own;
    ASSERT_EQ(tribo_distance(&a.shape, &a.X, &b.shape, &b.X, &own), TRIBO_OK);
    ccd_real_t depth = 0;
    ccd_vec3_t direction, position;
    if (ccdMPRPenetration(&a, &b, &ccd, &depth, &direction, &position) != 0) continue;
    ++answers;
    const TriboVec3 d = {direction.v[0], direction.v[1], direction.v[2]};
    const double shown = reference::DistanceAlong(a, b, d);
    EXPECT_LE(shown, own.distance + 1e-9 * size) << trial;
    close += shown > own.distance - 1e-6 * size;
  }
  std::printf("libccd over %d pairs of hulls of 2000 corners: MPR answers %d, as well as ours %d\n",
              count, answers, close);
}

}  // namespace
