// SPDX-License-Identifier: Apache-2.0
//
// libccd's place in the library, a guess that may be wrong in any way; libccd as a second opinion
// on overlapping pairs; and what a query costs in memory: ours and its portals nothing, its
// expanding polytope some dozens of blocks each, which is why that is not used in a step.
#include <ccd/ccd.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "collision/epa.h"
#include "collision/gjk.h"
#include "collision/libccd.h"
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

// ---- its place in the library

// Two random bodies, one of them curved, that overlap so that GJK cannot tell a direction.
struct Overlap {
  TriboConvex a, b;
  TriboSimplex simplex;
  double size;
};

bool SampleOverlap(reference::Sampler* sampler, Overlap* o) {
  Body a = {sampler->Shape(sampler->Index(2) ? TRIBO_SHAPE_CYLINDER : TRIBO_SHAPE_ELLIPSOID, 1),
            {}};
  Body b = {sampler->Shape(static_cast<TriboShapeType>(2 + sampler->Index(5)), 1), {}};
  a.X.R = sampler->Rotation();
  sampler->Place(a, &b);
  o->a = tribo_convex_from_shape(&a.shape, &a.X);
  o->b = tribo_convex_from_shape(&b.shape, &b.X);
  o->size = o->a.size + o->b.size;
  TriboVec3 v;
  return tribo_gjk(&o->a, &o->b, INFINITY, &o->simplex, &v) == TRIBO_GJK_OVERLAP;
}

TEST(LibccdGuess, WhateverItIsTheAnswerIsTheSame) {
  reference::Sampler sampler(101);
  int overlaps = 0, guesses = 0, good = 0;
  for (int trial = 0, count = tribo_test_count(2000); trial < count; ++trial) {
    Overlap o;
    if (!SampleOverlap(&sampler, &o)) continue;
    ++overlaps;
    TriboSeparation truth;
    ASSERT_TRUE(tribo_epa(&o.a, &o.b, &o.simplex, nullptr, &truth)) << trial;
    TriboVec3 found = {NAN, NAN, NAN};
    if (tribo_libccd_overlap(&o.a, &o.b, 1e-2, 64, nullptr, &found)) {
      ++guesses;
      good += tribo_vec3_dot(found, truth.normal) > std::cos(0.2);
    }
    const TriboVec3 any = sampler.Direction();
    const TriboVec3 wrong[] = {found,
                               tribo_vec3_neg(truth.normal),
                               any,
                               tribo_vec3_scale(1e200, any),
                               tribo_vec3_scale(1e-200, any),
                               {0, 0, 0},
                               {NAN, 0, 1},
                               {INFINITY, 1, 0}};
    for (const TriboVec3& guess : wrong) {
      TriboSeparation s;
      ASSERT_TRUE(tribo_epa(&o.a, &o.b, &o.simplex, &guess, &s)) << trial;
      // Both are proved to 1e-9 of the size, and the direction shows what it says.
      EXPECT_NEAR(s.distance, truth.distance, 2e-9 * o.size) << trial;
      EXPECT_NEAR(tribo_vec3_norm(s.normal), 1, 1e-12) << trial;
      const TriboDifferencePoint w = tribo_difference_support(&o.a, &o.b, s.normal);
      EXPECT_NEAR(tribo_vec3_dot(s.normal, w.w), s.distance, 1e-12 * o.size) << trial;
    }
  }
  EXPECT_GT(overlaps, tribo_test_count(2000) / 10);
  // Were it mostly useless, it would have no place.
  EXPECT_GT(guesses, 9 * overlaps / 10);
  EXPECT_GT(good, overlaps / 3);
  std::printf("libccd's guess: given in %d of %d overlaps, within 0.2 rad of the answer in %d\n",
              guesses, overlaps, good);
}

// Two of libccd's loops have no bound of their own.
TEST(LibccdGuess, EndsWithinAnyBudgetAndAllocatesNothing) {
  reference::Sampler sampler(103);
  long answers = 0;
  for (int trial = 0, count = tribo_test_count(200); trial < count; ++trial) {
    Overlap o;
    (void)SampleOverlap(&sampler, &o);  // apart, too
    const long before = tribo_test_allocations();
    for (int supports = 0; supports < 40; ++supports) {
      for (double tolerance : {1e-2, 0.0, -1.0}) {
        double depth = NAN;
        TriboVec3 d;
        if (!tribo_libccd_overlap(&o.a, &o.b, tolerance, supports, &depth, &d)) continue;
        ++answers;
        ASSERT_NEAR(tribo_vec3_norm(d), 1, 1e-6) << trial;
        ASSERT_TRUE(std::isfinite(depth)) << trial;
      }
    }
    ASSERT_EQ(tribo_test_allocations(), before) << trial;
  }
  EXPECT_GT(answers, 0);
}

// libccd compares with absolute numbers; it is shown bodies of size 1 around the origin.
TEST(LibccdGuess, IsTheSameAtEverySize) {
  reference::Sampler sampler(107);
  int guesses = 0;
  for (int trial = 0, count = tribo_test_count(500); trial < count; ++trial) {
    Overlap o;
    if (!SampleOverlap(&sampler, &o) || o.b.kind == TRIBO_CONVEX_HULL) continue;
    double depth;
    TriboVec3 d;
    const bool found = tribo_libccd_overlap(&o.a, &o.b, 1e-2, 64, &depth, &d);
    guesses += found;
    for (int exponent : {-28, 28}) {  // powers of two: no rounding
      TriboConvex body[2] = {o.a, o.b};
      const double scale = std::ldexp(1, exponent);
      for (TriboConvex& c : body) {
        c.X.p = tribo_vec3_scale(scale, c.X.p);
        c.half = tribo_vec3_scale(scale, c.half);
        c.radius *= scale;
        c.size *= scale;
      }
      double scaled_depth;
      TriboVec3 e;
      ASSERT_EQ(tribo_libccd_overlap(&body[0], &body[1], 1e-2, 64, &scaled_depth, &e), found);
      if (!found) continue;
      EXPECT_EQ(scaled_depth, scale * depth) << trial;
      EXPECT_TRUE(e.x == d.x && e.y == d.y && e.z == d.z) << trial;
    }
  }
  EXPECT_GT(guesses, tribo_test_count(500) / 20);
}

}  // namespace
