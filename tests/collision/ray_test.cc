// SPDX-License-Identifier: Apache-2.0
#include "collision/ray.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "collision/height_field.h"
#include "collision/hull.h"
#include "collision/mesh.h"
#include "collision/narrow.h"
#include "engine/base/random.h"
#include "engine/base/rotation.h"
#include "tests/scale.h"

namespace {

TriboVec3 RandomVector(TriboRandom* random, double scale) {
  return tribo_vec3(tribo_random_in(random, -scale, scale), tribo_random_in(random, -scale, scale),
                    tribo_random_in(random, -scale, scale));
}

TriboVec3 RandomUnit(TriboRandom* random) {
  return tribo_vec3_normalize_or(RandomVector(random, 1), tribo_vec3(1, 0, 0));
}

struct Shapes {
  Shapes() {
    TriboRandom random = tribo_random(77);
    std::vector<TriboVec3> points;
    for (int i = 0; i < 30; ++i) points.push_back(RandomVector(&random, 0.4));
    EXPECT_EQ(tribo_hull_create(points.data(), 30, nullptr, &hull, nullptr), TRIBO_OK);
    list = {tribo_shape_plane(),
            tribo_shape_sphere(0.3),
            tribo_shape_capsule(0.2, 0.3),
            tribo_shape_box(tribo_vec3(0.2, 0.3, 0.4)),
            tribo_shape_cylinder(0.3, 0.2),
            tribo_shape_ellipsoid(tribo_vec3(0.2, 0.4, 0.3)),
            tribo_shape_hull(hull)};
  }
  ~Shapes() { tribo_hull_destroy(hull); }
  TriboHull* hull = nullptr;
  std::vector<TriboShape> list;
};

double DistanceTo(const TriboShape& shape, const TriboTransform& X, TriboVec3 p) {
  const TriboShape probe = tribo_shape_sphere(1e-3);
  const TriboTransform at = {tribo_mat3_identity(), p};
  TriboClosestPoints closest;
  EXPECT_EQ(tribo_distance(&shape, &X, &probe, &at, &closest), TRIBO_OK);
  return closest.distance + 1e-3;
}

// The judge is the signed distance: the ray is outside all the way, and on the surface at the hit;
// marching by the distance finds a hit if and only if there is one.
TEST(Ray, MeetsEveryConvexShapeWhereTheDistanceVanishes) {
  TriboRandom random = tribo_random(1);
  const Shapes shapes;
  for (const TriboShape& shape : shapes.list) {
    int hits = 0;
    for (int trial = 0; trial < tribo_test_count(1000); ++trial) {
      TriboTransform X = {tribo_quat_to_mat3(tribo_quat_exp(RandomVector(&random, 3))),
                          RandomVector(&random, 1)};
      const TriboVec3 target = tribo_vec3_add(X.p, RandomVector(&random, 0.4));
      const TriboVec3 origin = tribo_vec3_add(X.p, RandomVector(&random, 2));
      TriboRaySegment ray = {
          origin, tribo_vec3_normalize_or(tribo_vec3_sub(target, origin), tribo_vec3(0, 0, 1)), 5};
      double distance = -1;
      TriboVec3 normal;
      const bool hit = tribo_ray_shape(&shape, &X, &ray, &distance, &normal);
      // Sphere tracing: steps by the distance to the surface never jump over it.
      double t = 0, d = DistanceTo(shape, X, origin);
      const bool inside = d < 0;
      while (!inside && t < 5 && d > 1e-7) {
        t += d;
        d = DistanceTo(shape, X, tribo_vec3_madd(origin, t, ray.direction));
      }
      const bool met = inside || t < 5;
      if (inside) {
        ASSERT_TRUE(hit);
        EXPECT_EQ(distance, 0);
        EXPECT_LT(tribo_vec3_distance(normal, tribo_vec3_neg(ray.direction)), 1e-12);
        continue;
      }
      // A ray that grazes the surface within 1e-7 may be judged either way.
      if (hit != met) {
        ASSERT_TRUE(met && !hit) << tribo_shape_type_name(shape.type);
        continue;
      }
      if (!hit) continue;
      ++hits;
      const TriboVec3 p = tribo_vec3_madd(origin, distance, ray.direction);
      EXPECT_NEAR(DistanceTo(shape, X, p), 0, 1e-9) << tribo_shape_type_name(shape.type);
      EXPECT_NEAR(tribo_vec3_norm(normal), 1, 1e-12);
      EXPECT_LT(tribo_vec3_dot(normal, ray.direction), 1e-6);
      // The marching stops 1e-7 before the surface: along a ray that meets a face at a small slope
      // that is 1e-7 / slope, and along one that grazes a curve of radius R sqrt(2 R 1e-7) < 1e-3.
      const double slope = std::fabs(tribo_vec3_dot(normal, ray.direction));
      EXPECT_LE(distance, t + 1e-3 + 2e-7 / slope);
      // A step along the normal leaves the shape by that step.
      EXPECT_NEAR(DistanceTo(shape, X, tribo_vec3_madd(p, 1e-4, normal)), 1e-4, 1e-6)
          << tribo_shape_type_name(shape.type);
      // Just too short a ray does not reach.
      ray.reach = distance * (1 - 1e-9);
      EXPECT_FALSE(tribo_ray_shape(&shape, &X, &ray, &distance, &normal));
    }
    EXPECT_GT(hits, tribo_test_count(200)) << tribo_shape_type_name(shape.type);
  }
}

class Field : public ::testing::Test {
 protected:
  Field() {
    TriboRandom random = tribo_random(3);
    std::vector<double> heights;
    for (int i = 0; i < rows_ * columns_; ++i) heights.push_back(tribo_random_in(&random, 0, 0.3));
    EXPECT_EQ(tribo_height_field_create(heights.data(), rows_, columns_, 1, 1.5, nullptr, &field_,
                                        nullptr),
              TRIBO_OK);
    std::vector<TriboVec3> vertices;
    std::vector<int> triangles;
    for (int t = 0; t < 2 * (rows_ - 1) * (columns_ - 1); ++t) {
      TriboTriangle triangle;
      tribo_height_field_triangle(field_, t, &triangle);
      for (int k = 0; k < 3; ++k) {
        triangles.push_back((int)vertices.size());
        vertices.push_back(triangle.corner[k]);
      }
    }
    EXPECT_EQ(tribo_mesh_create(vertices.data(), (int)vertices.size(), triangles.data(),
                                (int)triangles.size() / 3, nullptr, &mesh_, nullptr),
              TRIBO_OK);
  }
  ~Field() override {
    tribo_height_field_destroy(field_);
    tribo_mesh_destroy(mesh_);
  }
  // Every triangle, by Cramer's rule.
  double BruteForce(const TriboRaySegment& ray) const {
    double best = INFINITY;
    for (int t = 0; t < mesh_->nt; ++t) {
      const TriboVec3 a = mesh_->vertices[mesh_->triangles[3 * t]];
      const TriboVec3 u = tribo_vec3_sub(mesh_->vertices[mesh_->triangles[3 * t + 1]], a);
      const TriboVec3 v = tribo_vec3_sub(mesh_->vertices[mesh_->triangles[3 * t + 2]], a);
      const TriboVec3 w = tribo_vec3_sub(ray.origin, a), n = tribo_vec3_cross(u, v);
      const double det = -tribo_vec3_dot(n, ray.direction);
      if (!(det > 0)) continue;
      const double s = tribo_vec3_dot(n, w) / det;
      const TriboVec3 p = tribo_vec3_madd(w, s, ray.direction);
      const double nn = tribo_vec3_norm2(n);
      const double b = tribo_vec3_dot(tribo_vec3_cross(p, v), n) / nn;
      const double c = tribo_vec3_dot(tribo_vec3_cross(u, p), n) / nn;
      if (s >= 0 && s <= ray.reach && b >= 0 && c >= 0 && b + c <= 1) best = std::fmin(best, s);
    }
    return best;
  }
  const int rows_ = 17, columns_ = 12;
  TriboHeightField* field_ = nullptr;
  TriboMesh* mesh_ = nullptr;
};

TEST_F(Field, RaysMeetHeightFieldsAndMeshesWhereTheyMeetTheFirstOfAllTriangles) {
  TriboRandom random = tribo_random(4);
  const TriboShape shapes[] = {tribo_shape_height_field(field_), tribo_shape_mesh(mesh_)};
  const TriboTransform X = tribo_transform_identity();
  int hits = 0;
  for (int trial = 0; trial < tribo_test_count(5000); ++trial) {
    TriboRaySegment ray = {
        tribo_vec3(tribo_random_in(&random, -2, 2), tribo_random_in(&random, -2, 2),
                   tribo_random_in(&random, 0.3, 1)),
        RandomUnit(&random), trial % 3 == 0 ? 0.5 : INFINITY};
    if (trial % 7 == 0) ray.direction = tribo_vec3(0, 0, -1);
    if (trial % 11 == 0) {
      ray.direction = tribo_vec3_normalize_or(tribo_vec3(1, 0, -0.1), ray.direction);
    }
    const double expected = BruteForce(ray);
    for (const TriboShape& shape : shapes) {
      double distance = INFINITY;
      TriboVec3 normal;
      const bool hit = tribo_ray_shape(&shape, &X, &ray, &distance, &normal);
      ASSERT_EQ(hit, expected < INFINITY) << shape.type << " trial " << trial;
      if (hit) {
        ASSERT_NEAR(distance, expected, 1e-12);
        EXPECT_LT(tribo_vec3_dot(normal, ray.direction), 0);
      }
    }
    hits += expected < INFINITY;
  }
  EXPECT_GT(hits, tribo_test_count(5000) / 10);
}

TEST_F(Field, RaysThroughVerticesAndSeamsDoNotSlipThrough) {
  const TriboShape shapes[] = {tribo_shape_height_field(field_), tribo_shape_mesh(mesh_)};
  const TriboTransform X = tribo_transform_identity();
  TriboRandom random = tribo_random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    const int t = tribo_random_index(&random, mesh_->nt), k = tribo_random_index(&random, 3);
    TriboTriangle triangle;
    tribo_mesh_triangle(mesh_, t, &triangle);
    if (triangle.neighbor[k] < 0) continue;
    const double s = trial % 2 == 0 ? 0.5 : tribo_random_in(&random, 0.01, 0.99);
    const TriboVec3 p = tribo_vec3_madd(
        triangle.corner[k], s, tribo_vec3_sub(triangle.corner[(k + 1) % 3], triangle.corner[k]));
    const TriboRaySegment ray = {tribo_vec3(p.x, p.y, 2), tribo_vec3(0, 0, -1), 10};
    for (const TriboShape& shape : shapes) {
      double distance;
      TriboVec3 normal;
      ASSERT_TRUE(tribo_ray_shape(&shape, &X, &ray, &distance, &normal));
      EXPECT_NEAR(distance, 2 - p.z, 1e-9);
    }
  }
}

TEST_F(Field, BelowTheGroundARayIsInsideAndTheBackOfAMeshIsNotMet) {
  const TriboShape field = tribo_shape_height_field(field_), mesh = tribo_shape_mesh(mesh_);
  const TriboTransform X = tribo_transform_identity();
  const TriboRaySegment up = {tribo_vec3(0.1, 0.2, -0.5), tribo_vec3(0, 0, 1), 10};
  double distance = -1;
  TriboVec3 normal;
  EXPECT_TRUE(tribo_ray_shape(&field, &X, &up, &distance, &normal));
  EXPECT_EQ(distance, 0);
  EXPECT_FALSE(tribo_ray_shape(&mesh, &X, &up, &distance, &normal));
}

}  // namespace
