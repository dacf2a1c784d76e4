// SPDX-License-Identifier: Apache-2.0
//
// Height fields and meshes against convex bodies. The reference of a flat floor is the plane; the
// reference of a rough one is every triangle, tried one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collision/convex.h"
#include "collision/height_field.h"
#include "collision/hull.h"
#include "collision/mesh.h"
#include "collision/narrow.h"
#include "collision/separation.h"
#include "engine/base/random.h"
#include "engine/base/rotation.h"
#include "tests/scale.h"

namespace {

using Height = std::function<double(double, double)>;
using MeshPtr = std::unique_ptr<TriboMesh, void (*)(TriboMesh*)>;
using FieldPtr = std::unique_ptr<TriboHeightField, void (*)(TriboHeightField*)>;
using HullPtr = std::unique_ptr<TriboHull, void (*)(TriboHull*)>;

TriboVec3 RandomVector(TriboRandom* random, double scale) {
  return tribo_vec3(tribo_random_in(random, -scale, scale), tribo_random_in(random, -scale, scale),
                    tribo_random_in(random, -scale, scale));
}

TriboTransform At(TriboVec3 p, TriboQuat q = tribo_quat_identity()) {
  return TriboTransform{tribo_quat_to_mat3(q), p};
}

MeshPtr MakeMesh(const std::vector<TriboVec3>& vertices, const std::vector<int>& triangles) {
  TriboMesh* mesh = nullptr;
  TriboMessage message = {};
  EXPECT_EQ(tribo_mesh_create(vertices.data(), (int)vertices.size(), triangles.data(),
                              (int)triangles.size() / 3, nullptr, &mesh, &message),
            TRIBO_OK)
      << message.text;
  return MeshPtr(mesh, tribo_mesh_destroy);
}

// A grid of n x n cells over |x|, |y| <= half, its inner vertices moved about at random in the
// plane and its diagonals at random; mapped by `map`.
MeshPtr IrregularMesh(TriboRandom* random, int n, double half,
                      const std::function<TriboVec3(double, double)>& map) {
  std::vector<TriboVec3> vertices;
  const double cell = 2 * half / n;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) {
      const bool border = i == 0 || j == 0 || i == n || j == n;
      const double dx = border ? 0 : tribo_random_in(random, -0.3, 0.3) * cell;
      const double dy = border ? 0 : tribo_random_in(random, -0.3, 0.3) * cell;
      vertices.push_back(map(-half + cell * j + dx, -half + cell * i + dy));
    }
  }
  std::vector<int> triangles;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j, b = a + 1, c = a + n + 2, d = a + n + 1;
      const bool turn = tribo_random_index(random, 2) == 0;
      for (int v : turn ? std::vector<int>{a, b, c, a, c, d} : std::vector<int>{a, b, d, b, c, d}) {
        triangles.push_back(v);
      }
    }
  }
  return MakeMesh(vertices, triangles);
}

FieldPtr MakeField(int rows, int columns, double x, double y, const Height& height) {
  std::vector<double> heights;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      heights.push_back(height(-x + 2 * x * c / (columns - 1), -y + 2 * y * r / (rows - 1)));
    }
  }
  TriboHeightField* field = nullptr;
  EXPECT_EQ(
      tribo_height_field_create(heights.data(), rows, columns, x, y, nullptr, &field, nullptr),
      TRIBO_OK);
  return FieldPtr(field, tribo_height_field_destroy);
}

HullPtr MakeHull(const std::vector<TriboVec3>& points) {
  TriboHull* hull = nullptr;
  EXPECT_EQ(tribo_hull_create(points.data(), (int)points.size(), nullptr, &hull, nullptr),
            TRIBO_OK);
  return HullPtr(hull, tribo_hull_destroy);
}

std::vector<TriboContact> Collide(const TriboShape& a, const TriboTransform& X_WA,
                                  const TriboShape& b, const TriboTransform& X_WB, double margin) {
  std::vector<TriboContact> contacts(512);
  int count = 0;
  EXPECT_EQ(tribo_collide(&a, &X_WA, &b, &X_WB, margin, contacts.data(), 512, &count), TRIBO_OK);
  contacts.resize(count);
  return contacts;
}

double Deepest(const std::vector<TriboContact>& contacts) {
  double gap = INFINITY;
  for (const TriboContact& c : contacts) gap = std::fmin(gap, c.gap);
  return gap;
}

// The convex bodies that are slid about, all about as large as a hand.
struct Bodies {
  HullPtr wedge = MakeHull({{-0.1, -0.1, -0.05},
                            {0.1, -0.1, -0.05},
                            {0.1, 0.12, -0.05},
                            {-0.1, 0.1, -0.05},
                            {0, 0, 0.1},
                            {0.05, 0.02, 0.1}});
  std::vector<TriboShape> shapes = {tribo_shape_sphere(0.07), tribo_shape_capsule(0.04, 0.15),
                                    tribo_shape_box(tribo_vec3(0.1, 0.2, 0.05)),
                                    tribo_shape_cylinder(0.08, 0.1), tribo_shape_hull(wedge.get())};
};

// Every contact with the floor is one with the plane: same normal, a gap that the plane has there,
// and every corner that the plane sees is there.
void ExpectAsPlane(const TriboShape& floor, const TriboTransform& X_WF, const TriboShape& body,
                   const TriboTransform& X_WB, double margin, double tolerance) {
  const TriboShape plane = tribo_shape_plane();
  const std::vector<TriboContact> expected = Collide(plane, X_WF, body, X_WB, margin);
  const std::vector<TriboContact> found = Collide(floor, X_WF, body, X_WB, margin);
  const TriboVec3 n = tribo_mat3_column(X_WF.R, 2);
  for (const TriboContact& c : found) {
    ASSERT_NEAR(tribo_vec3_norm(tribo_vec3_sub(c.normal, n)), 0, tolerance);
    // The point lies midway between the body and the plane.
    const double height = tribo_vec3_dot(n, tribo_vec3_sub(c.point, X_WF.p));
    ASSERT_NEAR(height, 0.5 * c.gap, tolerance);
  }
  ASSERT_EQ(found.empty(), expected.empty()) << tribo_shape_type_name(body.type);
  if (found.empty()) return;
  ASSERT_NEAR(Deepest(found), Deepest(expected), tolerance);
  // The face that looks down (curved bodies: the lowest points) is seen whole.
  for (const TriboContact& e : expected) {
    if (e.gap > Deepest(expected) + 1e-9) continue;
    double nearest = INFINITY;
    for (const TriboContact& f : found) {
      nearest = std::fmin(nearest, tribo_vec3_distance(e.point, f.point));
    }
    ASSERT_LT(nearest, 1e-9) << tribo_shape_type_name(body.type);
  }
}

TEST(Terrain, BodiesSlidOverAFlatMeshFeelAPlane) {
  TriboRandom random = tribo_random(1);
  const MeshPtr mesh =
      IrregularMesh(&random, 24, 1, [](double x, double y) { return tribo_vec3(x, y, 0); });
  const TriboShape floor = tribo_shape_mesh(mesh.get());
  const Bodies bodies;
  const int steps = tribo_test_count(300);
  for (const TriboShape& body : bodies.shapes) {
    for (int step = 0; step < steps; ++step) {
      const TriboTransform X_WF =
          At(RandomVector(&random, 2), tribo_quat_exp(RandomVector(&random, 3)));
      // Lying flat at any yaw, a little in or a little above the floor.
      const double lift = tribo_random_in(&random, -1e-3, 1e-3) * (step % 3);
      const double bottom = body.type == TRIBO_SHAPE_SPHERE    ? body.radius
                            : body.type == TRIBO_SHAPE_CAPSULE ? body.radius
                                                               : body.half.z;
      TriboQuat q = tribo_quat_from_axis_angle(tribo_vec3(0, 0, 1), tribo_random_in(&random, 0, 7));
      const double center = body.type == TRIBO_SHAPE_HULL ? 0.05 : bottom;
      if (body.type == TRIBO_SHAPE_CAPSULE) {
        q = tribo_quat_mul(q, tribo_quat_from_axis_angle(tribo_vec3(0, 1, 0), std::acos(0.0)));
      }
      const TriboVec3 place = tribo_vec3(tribo_random_in(&random, -0.7, 0.7),
                                         tribo_random_in(&random, -0.7, 0.7), center + lift);
      const TriboTransform X_WB = tribo_transform_mul(X_WF, At(place, q));
      // Poses are rounded at a few metres: 1e-14 of them on a body of 0.1 m.
      ExpectAsPlane(floor, X_WF, body, X_WB, 2e-3, 1e-11);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Terrain, BodiesInAnyPoseOverAFlatHeightFieldFeelAPlane) {
  TriboRandom random = tribo_random(2);
  const FieldPtr field = MakeField(23, 31, 1, 1, [](double, double) { return 0.0; });
  const TriboShape floor = tribo_shape_height_field(field.get());
  const Bodies bodies;
  const TriboShape plane = tribo_shape_plane();
  const int steps = tribo_test_count(400);
  for (const TriboShape& body : bodies.shapes) {
    for (int step = 0; step < steps; ++step) {
      const TriboTransform X_WF =
          At(RandomVector(&random, 2), tribo_quat_exp(RandomVector(&random, 3)));
      const TriboQuat q = tribo_quat_exp(RandomVector(&random, 3));
      TriboTransform X_FB = At(
          tribo_vec3(tribo_random_in(&random, -0.6, 0.6), tribo_random_in(&random, -0.6, 0.6), 0.5),
          q);
      // Lowered until it is at a small random gap or depth.
      TriboClosestPoints closest;
      const TriboTransform identity = tribo_transform_identity();
      ASSERT_EQ(tribo_distance(&plane, &identity, &body, &X_FB, &closest), TRIBO_OK);
      X_FB.p.z -= closest.distance + tribo_random_in(&random, -1e-3, 1e-3);
      ExpectAsPlane(floor, X_WF, body, tribo_transform_mul(X_WF, X_FB), 2e-3, 1e-11);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Terrain, ABoxSlidAndRockedInSmallStepsKeepsItsNames) {
  TriboRandom random = tribo_random(3);
  const MeshPtr mesh =
      IrregularMesh(&random, 40, 1, [](double x, double y) { return tribo_vec3(x, y, 0); });
  const FieldPtr field = MakeField(41, 41, 1, 1, [](double, double) { return 0.0; });
  const TriboShape box = tribo_shape_box(tribo_vec3(0.1, 0.1, 0.1));
  const TriboTransform identity = tribo_transform_identity();
  for (const TriboShape& floor :
       {tribo_shape_mesh(mesh.get()), tribo_shape_height_field(field.get())}) {
    std::vector<uint64_t> names;
    for (int step = 0; step < 2000; ++step) {
      const double s = step / 2000.0;
      const TriboTransform X =
          At(tribo_vec3(-0.7 + 1.4 * s, 0.3 * std::sin(9 * s), 0.1 - 1e-4),
             tribo_quat_exp(tribo_vec3(1e-4 * std::sin(200 * s), 1e-4 * std::cos(170 * s), 2 * s)));
      std::vector<uint64_t> now;
      for (const TriboContact& c : Collide(floor, identity, box, X, 2e-3)) now.push_back(c.feature);
      ASSERT_EQ(now.size(), 4u) << step;
      if (step > 0) {
        ASSERT_EQ(now, names) << step;
      }
      names = now;
    }
  }
}

// ---- rough ground

double BruteForceDistance(const TriboShape& terrain, const TriboConvex& body) {
  const int count = terrain.type == TRIBO_SHAPE_MESH ? terrain.mesh->nt
                                                     : 2 * (terrain.height_field->rows - 1) *
                                                           (terrain.height_field->columns - 1);
  double best = INFINITY;
  for (int t = 0; t < count; ++t) {
    TriboTriangle triangle;
    if (terrain.type == TRIBO_SHAPE_MESH) {
      tribo_mesh_triangle(terrain.mesh, t, &triangle);
    } else {
      tribo_height_field_triangle(terrain.height_field, t, &triangle);
    }
    const TriboConvex convex =
        tribo_convex_triangle(triangle.corner[0], triangle.corner[1], triangle.corner[2], 0);
    TriboSeparation separation;
    EXPECT_EQ(tribo_convex_separation(&convex, &body, INFINITY, &separation), TRIBO_OK);
    best = std::fmin(best, separation.distance - body.radius);
  }
  return best;
}

TEST(Terrain, TheNearestContactAboveRoughGroundIsTheDistanceToAllTriangles) {
  TriboRandom random = tribo_random(4);
  const Height rough = [&](double, double) { return tribo_random_in(&random, 0, 0.08); };
  const FieldPtr field = MakeField(11, 9, 0.5, 0.6, rough);
  const MeshPtr mesh = IrregularMesh(&random, 9, 0.5, [&](double x, double y) {
    return tribo_vec3(x, y, tribo_random_in(&random, 0, 0.08));
  });
  const Bodies bodies;
  const TriboTransform identity = tribo_transform_identity();
  int compared = 0;
  for (const TriboShape& terrain :
       {tribo_shape_mesh(mesh.get()), tribo_shape_height_field(field.get())}) {
    for (const TriboShape& body : bodies.shapes) {
      for (int trial = 0; trial < tribo_test_count(60); ++trial) {
        TriboTransform X = At(tribo_vec3(tribo_random_in(&random, -0.5, 0.5),
                                         tribo_random_in(&random, -0.5, 0.5), 0.4),
                              tribo_quat_exp(RandomVector(&random, 3)));
        // Twice down by the distance: near, but apart.
        double distance = 0;
        for (int k = 0; k < 6; ++k) {
          const TriboConvex convex = tribo_convex_from_shape(&body, &X);
          distance = BruteForceDistance(terrain, convex);
          if (k < 5) X.p.z -= 0.9 * distance;
        }
        ASSERT_GT(distance, 0);
        const std::vector<TriboContact> contacts =
            Collide(terrain, identity, body, X, distance + 0.003);
        ASSERT_FALSE(contacts.empty()) << tribo_shape_type_name(body.type);
        EXPECT_NEAR(Deepest(contacts), distance, 1e-9) << tribo_shape_type_name(body.type);
        EXPECT_TRUE(Collide(terrain, identity, body, X, 0.99 * distance).empty());
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 600);
}

// The point of the field above or below (x, y).
TriboVec3 OnField(const TriboHeightField* field, double x, double y) {
  const int t = tribo_height_field_column(field, x, y);
  EXPECT_GE(t, 0);
  TriboTriangle triangle;
  tribo_height_field_triangle(field, t, &triangle);
  const TriboVec3 n = triangle.normal, a = triangle.corner[0];
  return tribo_vec3(x, y, a.z - (n.x * (x - a.x) + n.y * (y - a.y)) / n.z);
}

// Every contact of a sphere is a point of the surface that is nearest among those around it, and
// the nearest of all is there: by a dense sampling of the ground.
TEST(Terrain, SphereContactsAreTheLocalMinimaOfTheDistance) {
  TriboRandom random = tribo_random(5);
  const FieldPtr field = MakeField(
      13, 13, 0.6, 0.6, [&](double, double) { return tribo_random_in(&random, 0, 0.05); });
  const TriboShape terrain = tribo_shape_height_field(field.get());
  const TriboShape sphere = tribo_shape_sphere(0.05);
  const TriboTransform identity = tribo_transform_identity();
  int several = 0;
  for (int trial = 0; trial < tribo_test_count(200); ++trial) {
    const double x = tribo_random_in(&random, -0.4, 0.4), y = tribo_random_in(&random, -0.4, 0.4);
    TriboVec3 c = OnField(field.get(), x, y);
    c.z += tribo_random_in(&random, 0.03, 0.08);
    const std::vector<TriboContact> contacts = Collide(terrain, identity, sphere, At(c), 0.02);
    several += contacts.size() > 1;
    for (const TriboContact& k : contacts) {
      const TriboVec3 foot = tribo_vec3_madd(k.point, -0.5 * k.gap, k.normal);
      EXPECT_NEAR(OnField(field.get(), foot.x, foot.y).z, foot.z, 1e-12);
      for (int i = 0; i < 64; ++i) {
        const double angle = 2 * std::acos(-1.0) * i / 64;
        const TriboVec3 p =
            OnField(field.get(), foot.x + 1e-6 * std::cos(angle), foot.y + 1e-6 * std::sin(angle));
        EXPECT_GE(tribo_vec3_distance(p, c), k.gap + 0.05 - 1e-12);
      }
    }
    double least = INFINITY;
    for (double u = x - 0.08; u <= x + 0.08; u += 0.001) {
      for (double v = y - 0.08; v <= y + 0.08; v += 0.001) {
        least = std::fmin(least, tribo_vec3_distance(OnField(field.get(), u, v), c));
      }
    }
    if (contacts.empty()) {
      EXPECT_GT(least, 0.07 - 1e-12);
    } else {
      // The nearest sample is within 1 mm of the foot, on a surface at least 1 cm away: farther by
      // at most 1 mm^2 / 2 cm, unless the foot is at an edge, where it adds a slope of that length.
      EXPECT_GE(least, Deepest(contacts) + 0.05 - 1e-12);
      EXPECT_LE(least, Deepest(contacts) + 0.05 + 1e-3);
    }
  }
  EXPECT_GT(several, 10);
}

}  // namespace
