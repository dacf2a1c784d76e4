// SPDX-License-Identifier: Apache-2.0
#include "models/inertia.h"

#include <gtest/gtest.h>

#include "engine/base/rotation.h"

namespace {

TEST(Inertia, AQuarterTurnAboutZSwapsXAndY) {
  double inertia[6] = {1, 2, 2.5, 0.1, 0.2, 0.3};
  tribo_inertia_rotate(tribo_quat_from_rpy(0, 0, 1.5707963267948966), inertia);
  // x' = y, y' = -x: I_xx = old yy, I_xy = -old xy, I_xz = -old yz, I_yz = old xz.
  double expected[6] = {2, 1, 2.5, -0.1, -0.3, 0.2};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(inertia[i], expected[i], 1e-15) << i;
}

TEST(Inertia, WhatABodyCanHaveIsLeftAlone) {
  double rod[6] = {1, 1, 0, 0, 0, 0}, plate[6] = {1, 1, 2, 0, 0, 0}, zero[6] = {0};
  EXPECT_FALSE(tribo_inertia_mend(rod));
  EXPECT_FALSE(tribo_inertia_mend(plate));
  EXPECT_FALSE(tribo_inertia_mend(zero));
  EXPECT_EQ(plate[2], 2);
}

TEST(Inertia, ABrokenTriangleIsMendedToTheNearestBody) {
  // S = diag(1.5, 1.5, -0.5) becomes diag(1.5, 1.5, 0), so I = diag(1.5, 1.5, 3).
  double inertia[6] = {1, 1, 3, 0, 0, 0};
  EXPECT_TRUE(tribo_inertia_mend(inertia));
  double expected[6] = {1.5, 1.5, 3, 0, 0, 0};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(inertia[i], expected[i], 1e-15) << i;
  EXPECT_FALSE(tribo_inertia_mend(inertia));
}

TEST(Inertia, PrincipalAxesGiveItBackToRounding) {
  const TriboQuat turns[] = {tribo_quat_from_rpy(0.3, -0.7, 1.1), tribo_quat_from_rpy(1e-6, 0, 0),
                             tribo_quat_from_rpy(0, 0, 1.5707), tribo_quat_identity()};
  const double bodies[][3] = {{1, 1.2, 2}, {1, 1, 2}, {3, 3, 3}, {1e-7, 2e-3, 2e-3}};
  for (const TriboQuat& turn : turns) {
    for (const double* body : bodies) {
      double inertia[6] = {body[0], body[1], body[2], 0, 0, 0}, moments[3];
      tribo_inertia_rotate(turn, inertia);
      const TriboQuat axes = tribo_inertia_principal(inertia, moments);
      double back[6] = {moments[0], moments[1], moments[2], 0, 0, 0};
      tribo_inertia_rotate(axes, back);
      for (int i = 0; i < 6; ++i) EXPECT_NEAR(back[i], inertia[i], 4e-15 * body[2]) << i;
      EXPECT_NEAR(moments[0] * moments[1] * moments[2], body[0] * body[1] * body[2],
                  1e-14 * body[2] * body[2] * body[2]);
    }
  }
}

TEST(Inertia, MendingCommutesWithTurning) {
  TriboQuat q = tribo_quat_from_rpy(0.3, -0.7, 1.1);
  double a[6] = {1, 1.2, 3, 0, 0, 0}, b[6] = {1, 1.2, 3, 0, 0, 0};
  ASSERT_TRUE(tribo_inertia_mend(a));
  tribo_inertia_rotate(q, a);
  tribo_inertia_rotate(q, b);
  ASSERT_TRUE(tribo_inertia_mend(b));
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(a[i], b[i], 1e-14) << i;
}

}  // namespace
