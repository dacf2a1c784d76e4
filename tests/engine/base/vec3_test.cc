// SPDX-License-Identifier: Apache-2.0
#include "engine/base/vec3.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/random.h"
#include "tests/scale.h"

namespace {

// A few roundings of numbers of size 1.
const double kRounding = 1e-15;

void ExpectNear(TriboVec3 a, TriboVec3 b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

TriboVec3 RandomVector(TriboRandom* random) {
  double x = tribo_random_normal(random), y = tribo_random_normal(random);
  return tribo_vec3(x, y, tribo_random_normal(random));
}

TriboMat3 RandomMatrix(TriboRandom* random) {
  TriboVec3 a = RandomVector(random), b = RandomVector(random);
  return tribo_mat3_from_columns(a, b, RandomVector(random));
}

void ExpectRightHandedFrame(TriboVec3 n) {
  TriboVec3 t1, t2;
  tribo_vec3_tangents(n, &t1, &t2);
  EXPECT_NEAR(tribo_vec3_norm(t1), 1, kRounding);
  EXPECT_NEAR(tribo_vec3_norm(t2), 1, kRounding);
  EXPECT_NEAR(tribo_vec3_dot(n, t1), 0, kRounding);
  EXPECT_NEAR(tribo_vec3_dot(n, t2), 0, kRounding);
  EXPECT_NEAR(tribo_vec3_dot(t1, t2), 0, kRounding);
  ExpectNear(tribo_vec3_cross(n, t1), t2, 2 * kRounding);
}

TEST(Tangents, AreARightHandedFrameForEveryRandomDirection) {
  TriboRandom random = tribo_random(1);
  for (int i = 0; i < tribo_test_count(20000); ++i) {
    ExpectRightHandedFrame(tribo_vec3_normalize_or(RandomVector(&random), tribo_vec3(0, 0, 1)));
  }
}

TEST(Tangents, AreARightHandedFrameAlongAndNextToTheAxesAndTheEquator) {
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {
      for (int z = -1; z <= 1; ++z) {
        if (x == 0 && y == 0 && z == 0) continue;
        for (double tilt : {0.0, -0.0, 1e-300, -1e-300, 1e-17, -1e-17, 1e-9, -1e-9, 1e-4, -1e-4}) {
          TriboVec3 n = tribo_vec3(x + tilt, y - tilt, z == 0 ? tilt : z + tilt);
          ExpectRightHandedFrame(tribo_vec3_normalize_or(n, tribo_vec3(0, 0, 1)));
        }
      }
    }
  }
}

TEST(Tangents, OfZAreXAndY) {
  TriboVec3 t1, t2;
  tribo_vec3_tangents(tribo_vec3(0, 0, 1), &t1, &t2);
  ExpectNear(t1, tribo_vec3(1, 0, 0), 0);
  ExpectNear(t2, tribo_vec3(0, 1, 0), 0);
}

TEST(Vec3, CrossProductOfXAndYIsZ) {
  ExpectNear(tribo_vec3_cross(tribo_vec3(1, 0, 0), tribo_vec3(0, 1, 0)), tribo_vec3(0, 0, 1), 0);
}

TEST(Vec3, SkewMatrixIsTheCrossProduct) {
  TriboRandom random = tribo_random(2);
  for (int i = 0; i < 100; ++i) {
    TriboVec3 a = RandomVector(&random), b = RandomVector(&random);
    ExpectNear(tribo_mat3_mul_vec(tribo_mat3_skew(a), b), tribo_vec3_cross(a, b), 0);
  }
}

TEST(Vec3, NormalizeGivesUnitVectorsFromTheShortestToTheLongest) {
  for (double scale : {1e-149, 1e-20, 1.0, 1e20, 1e149}) {
    TriboVec3 n =
        tribo_vec3_normalize_or(tribo_vec3(scale, -2 * scale, 2 * scale), tribo_vec3(1, 0, 0));
    ExpectNear(n, tribo_vec3(1.0 / 3, -2.0 / 3, 2.0 / 3), kRounding);
  }
}

TEST(Vec3, NormalizeOfWhatHasNoDirectionIsTheFallback) {
  TriboVec3 fallback = tribo_vec3(0, 1, 0);
  ExpectNear(tribo_vec3_normalize_or(tribo_vec3_zero(), fallback), fallback, 0);
  ExpectNear(tribo_vec3_normalize_or(tribo_vec3(1e-170, 0, 0), fallback), fallback, 0);
  ExpectNear(tribo_vec3_normalize_or(tribo_vec3(NAN, 0, 0), fallback), fallback, 0);
}

TEST(Vec3, FiniteMeansAllThree) {
  EXPECT_TRUE(tribo_vec3_is_finite(tribo_vec3(1, 2, 3)));
  EXPECT_FALSE(tribo_vec3_is_finite(tribo_vec3(NAN, 2, 3)));
  EXPECT_FALSE(tribo_vec3_is_finite(tribo_vec3(1, HUGE_VAL, 3)));
  EXPECT_FALSE(tribo_vec3_is_finite(tribo_vec3(1, 2, -HUGE_VAL)));
}

TEST(Mat3, TransposedProductsAreProductsOfTheTranspose) {
  TriboRandom random = tribo_random(3);
  for (int i = 0; i < 100; ++i) {
    TriboMat3 A = RandomMatrix(&random), B = RandomMatrix(&random);
    TriboVec3 v = RandomVector(&random);
    TriboMat3 AB = tribo_mat3_mul(A, B);
    // (A B) v = A (B v), sums of 9 products of size 10 or so.
    ExpectNear(tribo_mat3_mul_vec(AB, v), tribo_mat3_mul_vec(A, tribo_mat3_mul_vec(B, v)), 1e-13);
    ExpectNear(tribo_mat3_tmul_vec(A, v), tribo_mat3_mul_vec(tribo_mat3_transpose(A), v), 0);
    ExpectNear(tribo_mat3_mul_vec(tribo_mat3_tmul(A, B), v),
               tribo_mat3_tmul_vec(A, tribo_mat3_mul_vec(B, v)), 1e-13);
    ExpectNear(tribo_mat3_mul_vec(tribo_mat3_mult(A, B), v),
               tribo_mat3_mul_vec(A, tribo_mat3_tmul_vec(B, v)), 1e-13);
  }
}

TEST(Mat3, DeterminantIsTheTripleProductOfTheColumns) {
  TriboRandom random = tribo_random(4);
  for (int i = 0; i < 100; ++i) {
    TriboMat3 A = RandomMatrix(&random);
    TriboVec3 a = tribo_mat3_column(A, 0), b = tribo_mat3_column(A, 1), c = tribo_mat3_column(A, 2);
    EXPECT_NEAR(tribo_mat3_determinant(A), tribo_vec3_dot(a, tribo_vec3_cross(b, c)), 1e-13);
  }
}

}  // namespace
