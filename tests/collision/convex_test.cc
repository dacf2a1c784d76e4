// SPDX-License-Identifier: Apache-2.0
#include "collision/convex.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/random.h"
#include "engine/base/rotation.h"

namespace {

TriboVec3 RandomVector(TriboRandom* random, double scale) {
  return tribo_vec3(tribo_random_in(random, -scale, scale), tribo_random_in(random, -scale, scale),
                    tribo_random_in(random, -scale, scale));
}

// The support function h(d) = max d . x over the core, in the core's own frame, by hand.
double SupportByHand(TriboConvexKind kind, TriboVec3 half, TriboVec3 d) {
  switch (kind) {
    case TRIBO_CONVEX_SEGMENT:
      return std::fabs(d.z) * half.z;
    case TRIBO_CONVEX_BOX:
      return std::fabs(d.x) * half.x + std::fabs(d.y) * half.y + std::fabs(d.z) * half.z;
    case TRIBO_CONVEX_CYLINDER:
      return std::hypot(d.x, d.y) * half.x + std::fabs(d.z) * half.z;
    case TRIBO_CONVEX_ELLIPSOID:
      return std::sqrt(std::pow(d.x * half.x, 2) + std::pow(d.y * half.y, 2) +
                       std::pow(d.z * half.z, 2));
    default:
      return 0;
  }
}

TEST(Convex, SupportMatchesTheClosedFormOfEveryKind) {
  TriboRandom random = tribo_random(5);
  for (TriboConvexKind kind : {TRIBO_CONVEX_POINT, TRIBO_CONVEX_SEGMENT, TRIBO_CONVEX_BOX,
                               TRIBO_CONVEX_CYLINDER, TRIBO_CONVEX_ELLIPSOID}) {
    for (int trial = 0; trial < 1000; ++trial) {
      TriboConvex convex = {};
      convex.kind = kind;
      convex.X.R = tribo_quat_to_mat3(tribo_quat_exp(RandomVector(&random, 2)));
      convex.X.p = RandomVector(&random, 3);
      convex.half = tribo_vec3(tribo_random_in(&random, 0.1, 2), tribo_random_in(&random, 0.1, 2),
                               tribo_random_in(&random, 0.1, 2));
      const TriboVec3 d = RandomVector(&random, 1);
      const TriboVec3 point = tribo_convex_support(&convex, d);
      const double expected = tribo_vec3_dot(d, convex.X.p) +
                              SupportByHand(kind, convex.half, tribo_mat3_tmul_vec(convex.X.R, d));
      EXPECT_NEAR(tribo_vec3_dot(d, point), expected, 1e-13) << kind;
    }
  }
}

TEST(Convex, SupportOfATriangleIsItsFarthestCorner) {
  TriboRandom random = tribo_random(6);
  for (int trial = 0; trial < 1000; ++trial) {
    const TriboVec3 corner[3] = {RandomVector(&random, 1), RandomVector(&random, 1),
                                 RandomVector(&random, 1)};
    const TriboConvex convex = tribo_convex_triangle(corner[0], corner[1], corner[2], 0);
    const TriboVec3 d = RandomVector(&random, 1);
    double expected = -INFINITY;
    for (const TriboVec3& c : corner) expected = std::fmax(expected, tribo_vec3_dot(d, c));
    EXPECT_NEAR(tribo_vec3_dot(d, tribo_convex_support(&convex, d)), expected, 1e-14);
  }
}

}  // namespace
