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
#include "collision/ray.h"
#include "collision/separation.h"
#include "engine/base/random.h"
#include "engine/base/rotation.h"
#include "tests/allocations.h"
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
      }
    }
  }
}

// Two triangles that share an edge or corner see the same contact there: it is handed over once.
TEST(Terrain, RoughGroundGivesNoContactTwice) {
  TriboRandom random = tribo_random(14);
  const Height rough = [&](double, double) { return tribo_random_in(&random, 0, 0.04); };
  const FieldPtr field = MakeField(21, 21, 1, 1, rough);
  const TriboShape terrain = tribo_shape_height_field(field.get());
  const Bodies bodies;
  for (const TriboShape& body : bodies.shapes) {
    for (int trial = 0; trial < tribo_test_count(200); ++trial) {
      const TriboTransform X =
          At(tribo_vec3(tribo_random_in(&random, -0.7, 0.7), tribo_random_in(&random, -0.7, 0.7),
                        tribo_random_in(&random, 0.05, 0.2)),
             tribo_quat_exp(RandomVector(&random, 3)));
      const std::vector<TriboContact> contacts =
          Collide(terrain, tribo_transform_identity(), body, X, 0.01);
      for (size_t i = 0; i < contacts.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
          ASSERT_GT(tribo_vec3_distance(contacts[i].point, contacts[j].point) +
                        tribo_vec3_distance(contacts[i].normal, contacts[j].normal),
                    1e-10)
              << tribo_shape_type_name(body.type) << " trial " << trial;
        }
      }
    }
  }
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
  EXPECT_GT(several, tribo_test_count(200) / 20);  // valleys are met
}

// ---- edges, valleys, steps

// Two slopes that meet in the line x = 0 at height 0: a ridge for a negative slope, a valley for a
// positive one, cut into many triangles.
MeshPtr Fold(TriboRandom* random, double slope) {
  // An even number of cells puts vertices on the fold; they must not move off it.
  std::vector<TriboVec3> vertices;
  std::vector<int> triangles;
  const int n = 20;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) {
      const double dx = j == n / 2 || j == 0 || j == n ? 0 : tribo_random_in(random, -0.02, 0.02);
      const double x = -1 + 2.0 * j / n + dx, y = -1 + 2.0 * i / n;
      vertices.push_back(tribo_vec3(x, y, slope * std::fabs(x)));
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j;
      for (int v : {a, a + 1, a + n + 2, a, a + n + 2, a + n + 1}) triangles.push_back(v);
    }
  }
  return MakeMesh(vertices, triangles);
}

TEST(Terrain, ASphereOnARidgeAndInAValleyTouchesAsByHand) {
  TriboRandom random = tribo_random(6);
  const TriboTransform identity = tribo_transform_identity();
  const TriboShape sphere = tribo_shape_sphere(0.1);
  const MeshPtr ridge = Fold(&random, -0.5), valley = Fold(&random, 0.5);
  for (int trial = 0; trial < 300; ++trial) {
    const double y = tribo_random_in(&random, -0.8, 0.8);
    // Above the ridge within the wedge of the two normals there is one contact, towards the edge.
    const double x = tribo_random_in(&random, -0.04, 0.04);
    const TriboVec3 c = tribo_vec3(x, y, 0.0995);
    const std::vector<TriboContact> on_ridge =
        Collide(tribo_shape_mesh(ridge.get()), identity, sphere, At(c), 0.01);
    ASSERT_EQ(on_ridge.size(), 1u);
    EXPECT_NEAR(on_ridge[0].gap, std::hypot(c.x, c.z) - 0.1, 1e-12);
    EXPECT_NEAR(on_ridge[0].normal.x, c.x / std::hypot(c.x, c.z), 1e-12);
    EXPECT_NEAR(on_ridge[0].normal.y, 0, 1e-12);
    // In the valley it touches both sides, each along its normal.
    const double height = 0.1 * std::sqrt(1.25) - 1e-3;
    const std::vector<TriboContact> in_valley = Collide(
        tribo_shape_mesh(valley.get()), identity, sphere, At(tribo_vec3(0, y, height)), 0.005);
    ASSERT_EQ(in_valley.size(), 2u);
    for (const TriboContact& k : in_valley) {
      EXPECT_NEAR(std::fabs(k.normal.x), 0.5 / std::sqrt(1.25), 1e-12);
      EXPECT_NEAR(k.gap, height / std::sqrt(1.25) - 0.1, 1e-12);
    }
    EXPECT_LT(in_valley[0].normal.x * in_valley[1].normal.x, 0);
  }
}

TEST(Terrain, ABoxInAValleyTouchesBothSidesAndNothingElse) {
  TriboRandom random = tribo_random(7);
  const MeshPtr valley = Fold(&random, 1);
  const TriboShape terrain = tribo_shape_mesh(valley.get());
  const TriboShape box = tribo_shape_box(tribo_vec3(0.1, 0.15, 0.1));
  const TriboTransform identity = tribo_transform_identity();
  const double quarter = std::atan(1.0);
  for (int trial = 0; trial < 300; ++trial) {
    const double depth = tribo_random_in(&random, -5e-4, 5e-4);
    const double y = tribo_random_in(&random, -0.7, 0.7);
    // Standing on an edge, its faces lie on the slopes.
    const TriboTransform X = At(tribo_vec3(0, y, 0.1 * std::sqrt(2) - depth),
                                tribo_quat_from_axis_angle(tribo_vec3(0, 1, 0), quarter));
    const std::vector<TriboContact> contacts = Collide(terrain, identity, box, X, 1e-3);
    int side[2] = {0, 0};
    for (const TriboContact& k : contacts) {
      EXPECT_NEAR(std::fabs(k.normal.x), std::sqrt(0.5), 1e-9);
      EXPECT_NEAR(k.normal.z, std::sqrt(0.5), 1e-9);
      EXPECT_NEAR(k.gap, -depth * std::sqrt(0.5), 1e-9);
      ++side[k.normal.x > 0];
    }
    EXPECT_GE(side[0], 3);
    EXPECT_GE(side[1], 3);
  }
}

// A step of height 0.1 along x = 0, the high ground at x > 0; treads and riser cut into triangles.
MeshPtr Step() {
  std::vector<TriboVec3> vertices;
  std::vector<int> triangles;
  auto strip = [&](TriboVec3 origin, TriboVec3 u, TriboVec3 v, int nu, int nv) {
    const int base = (int)vertices.size();
    for (int i = 0; i <= nu; ++i) {
      for (int j = 0; j <= nv; ++j) {
        // From whole numbers of one grid, so that shared places are the same bits.
        vertices.push_back(tribo_vec3(origin.x + u.x * i / nu + v.x * j / nv,
                                      origin.y + u.y * i / nu + v.y * j / nv,
                                      origin.z + u.z * i / nu + v.z * j / nv));
      }
    }
    for (int i = 0; i < nu; ++i) {
      for (int j = 0; j < nv; ++j) {
        const int a = base + i * (nv + 1) + j, b = a + nv + 1;
        for (int k : {a, b, b + 1, a, b + 1, a + 1}) triangles.push_back(k);
      }
    }
  };
  strip({-1, -1, 0}, {1, 0, 0}, {0, 2, 0}, 10, 20);   // low ground
  strip({0, -1, 0}, {0, 0, 0.1}, {0, 2, 0}, 2, 20);   // riser, facing -x
  strip({0, -1, 0.1}, {1, 0, 0}, {0, 2, 0}, 40, 20);  // high ground in strips of 25 mm
  return MakeMesh(vertices, triangles);
}

TEST(Terrain, ATallBoxPushedAgainstAStepIsNeverLiftedByTheTread) {
  TriboRandom random = tribo_random(8);
  const MeshPtr mesh = Step();
  const TriboShape terrain = tribo_shape_mesh(mesh.get());
  const TriboTransform identity = tribo_transform_identity();
  const Bodies bodies;
  for (int trial = 0; trial < tribo_test_count(2000); ++trial) {
    const TriboShape box =
        tribo_shape_box(tribo_vec3(0.1, 0.12, tribo_random_in(&random, 0.08, 0.3)));
    const double yaw = tribo_random_in(&random, -0.3, 0.3) * (trial % 3);
    const double reach = 0.1 * std::cos(yaw) + 0.12 * std::fabs(std::sin(yaw));
    const double into = tribo_random_in(&random, -1e-3, 4e-3);
    const double down = tribo_random_in(&random, -1e-3, 1e-3);
    const TriboTransform X =
        At(tribo_vec3(-reach + into, tribo_random_in(&random, -0.6, 0.6), box.half.z - down),
           tribo_quat_from_axis_angle(tribo_vec3(0, 0, 1), yaw));
    const std::vector<TriboContact> contacts = Collide(terrain, identity, box, X, 1e-3);
    for (const TriboContact& k : contacts) {
      // Either held by the low ground, or pushed back by the riser.
      const bool ground = k.normal.z > 1 - 1e-9;
      const bool riser = k.normal.x < -0.8 && std::fabs(k.normal.z) < 1e-6;
      ASSERT_TRUE(ground || riser) << k.normal.x << " " << k.normal.y << " " << k.normal.z;
      ASSERT_NEAR(k.gap, ground ? -down : k.gap, 1e-9);
      ASSERT_GE(k.gap, -4.1e-3);
    }
    ASSERT_FALSE(contacts.empty());
  }
}

// A closed box as a mesh, its faces cut into n x n squares.
MeshPtr ClosedBox(TriboVec3 half, int n) {
  std::vector<TriboVec3> vertices;
  std::vector<int> triangles;
  for (int axis = 0; axis < 3; ++axis) {
    for (int sign = -1; sign <= 1; sign += 2) {
      const int base = (int)vertices.size();
      for (int i = 0; i <= n; ++i) {
        for (int j = 0; j <= n; ++j) {
          double x[3];
          x[axis] = sign;
          x[(axis + 1) % 3] = -1 + 2.0 * i / n;
          x[(axis + 2) % 3] = -1 + 2.0 * j / n;
          vertices.push_back(tribo_vec3(x[0] * half.x, x[1] * half.y, x[2] * half.z));
        }
      }
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          const int a = base + i * (n + 1) + j, b = a + n + 1;
          std::vector<int> square = {a, b, b + 1, a, b + 1, a + 1};
          if (sign < 0) square = {a, b + 1, b, a, a + 1, b + 1};
          for (int k : square) triangles.push_back(k);
        }
      }
    }
  }
  return MakeMesh(vertices, triangles);
}

TEST(Terrain, AThinClosedSlabPushesOnlyUpwards) {
  TriboRandom random = tribo_random(9);
  const MeshPtr slab = ClosedBox(tribo_vec3(0.5, 0.5, 0.002), 10);
  ASSERT_TRUE(slab->is_closed);
  const TriboShape terrain = tribo_shape_mesh(slab.get());
  const TriboTransform identity = tribo_transform_identity();
  const Bodies bodies;
  for (const TriboShape& body : bodies.shapes) {
    for (int trial = 0; trial < 200; ++trial) {
      TriboTransform X = At(tribo_vec3(tribo_random_in(&random, -0.25, 0.25),
                                       tribo_random_in(&random, -0.25, 0.25), 0.5),
                            tribo_quat_exp(RandomVector(&random, 3)));
      const TriboAabb bounds = tribo_shape_bounds(&body, &X);
      X.p.z -= bounds.min.z - 0.002 + tribo_random_in(&random, 0, 1e-3);
      const std::vector<TriboContact> contacts = Collide(terrain, identity, body, X, 5e-3);
      ASSERT_FALSE(contacts.empty());
      for (const TriboContact& k : contacts) {
        EXPECT_GT(k.normal.z, 1 - 1e-9) << tribo_shape_type_name(body.type);
        EXPECT_GT(k.gap, -1.0001e-3);
      }
    }
  }
}

// A closed box of triangles is the box: distances and depths of spheres against the closed form.
TEST(Terrain, ASphereAgainstAClosedBoxMeshIsASphereAgainstTheBox) {
  TriboRandom random = tribo_random(10);
  const TriboVec3 half = tribo_vec3(0.3, 0.2, 0.25);
  const MeshPtr mesh = ClosedBox(half, 7);
  const TriboShape terrain = tribo_shape_mesh(mesh.get()), box = tribo_shape_box(half);
  const TriboShape sphere = tribo_shape_sphere(0.04);
  int deep = 0;
  for (int trial = 0; trial < tribo_test_count(3000); ++trial) {
    const TriboTransform X_WM =
        At(RandomVector(&random, 1), tribo_quat_exp(RandomVector(&random, 3)));
    const TriboTransform X = tribo_transform_mul(X_WM, At(RandomVector(&random, 0.35)));
    TriboClosestPoints closest;
    ASSERT_EQ(tribo_distance(&box, &X_WM, &sphere, &X, &closest), TRIBO_OK);
    const std::vector<TriboContact> contacts = Collide(terrain, X_WM, sphere, X, 0.01);
    ASSERT_EQ(contacts.empty(), closest.distance > 0.01);
    if (contacts.empty()) continue;
    deep += closest.distance < -0.04;
    ASSERT_EQ(contacts.size(), 1u);
    EXPECT_NEAR(contacts[0].gap, closest.distance, 1e-12);
    // Inside, two faces may be equally near: the way out is then the same length.
    if (closest.distance > -0.04) {
      EXPECT_LT(tribo_vec3_distance(contacts[0].normal, closest.normal), 1e-9);
    }
  }
  EXPECT_GT(deep, tribo_test_count(3000) / 60);
}

TEST(Terrain, WhatHasSunkIntoAHeightFieldIsPushedUp) {
  TriboRandom random = tribo_random(11);
  const FieldPtr field = MakeField(21, 21, 2, 2, [&](double x, double y) {
    return 0.3 * std::sin(2 * x) * std::cos(3 * y) + tribo_random_in(&random, 0, 0.02);
  });
  const TriboShape terrain = tribo_shape_height_field(field.get());
  const TriboTransform identity = tribo_transform_identity();
  const Bodies bodies;
  for (const TriboShape& body : bodies.shapes) {
    for (int trial = 0; trial < 300; ++trial) {
      const double x = tribo_random_in(&random, -1.5, 1.5), y = tribo_random_in(&random, -1.5, 1.5);
      TriboVec3 p = OnField(field.get(), x, y);
      p.z -= tribo_random_in(&random, 0.2, 1.5);
      const TriboTransform X = At(p, tribo_quat_exp(RandomVector(&random, 3)));
      const std::vector<TriboContact> contacts = Collide(terrain, identity, body, X, 1e-3);
      ASSERT_FALSE(contacts.empty()) << tribo_shape_type_name(body.type);
      double deepest = 0;
      for (const TriboContact& k : contacts) {
        EXPECT_GT(k.normal.z, 0.1);
        deepest = std::fmin(deepest, k.gap);
      }
      EXPECT_LT(deepest, -0.05);
    }
  }
  // Beside the field there is nothing.
  EXPECT_TRUE(
      Collide(terrain, identity, bodies.shapes[0], At(tribo_vec3(2.2, 0, -1)), 1e-3).empty());
}

TEST(Terrain, TheDepthOfASphereIsContinuousThroughTheSurface) {
  const FieldPtr field =
      MakeField(9, 9, 1, 1, [](double x, double y) { return 0.2 * x - 0.1 * y; });
  const TriboShape terrain = tribo_shape_height_field(field.get());
  const TriboShape sphere = tribo_shape_sphere(0.05);
  const TriboTransform identity = tribo_transform_identity();
  double last = 0;
  for (int step = 0; step < 2000; ++step) {
    const TriboVec3 c = tribo_vec3(0.113, 0.271, 0.1 - 2e-4 * step);
    const std::vector<TriboContact> contacts = Collide(terrain, identity, sphere, At(c), 0.2);
    ASSERT_EQ(contacts.size(), 1u);
    if (step > 0) {
      EXPECT_NEAR(last - contacts[0].gap, 2e-4 / std::sqrt(1.05), 1e-12);
    }
    last = contacts[0].gap;
  }
}

TEST(Terrain, SwappingTheShapesTurnsTheContactsRound) {
  TriboRandom random = tribo_random(12);
  const FieldPtr field =
      MakeField(9, 9, 1, 1, [&](double, double) { return tribo_random_in(&random, 0, 0.1); });
  const TriboShape terrain = tribo_shape_height_field(field.get());
  const Bodies bodies;
  for (const TriboShape& body : bodies.shapes) {
    for (int trial = 0; trial < 50; ++trial) {
      const TriboTransform X_WT =
          At(RandomVector(&random, 1), tribo_quat_exp(RandomVector(&random, 2)));
      const TriboTransform X =
          tribo_transform_mul(X_WT, At(tribo_vec3(tribo_random_in(&random, -0.8, 0.8), 0, 0.12),
                                       tribo_quat_exp(RandomVector(&random, 2))));
      const std::vector<TriboContact> one = Collide(terrain, X_WT, body, X, 0.01);
      const std::vector<TriboContact> two = Collide(body, X, terrain, X_WT, 0.01);
      ASSERT_EQ(one.size(), two.size());
      for (size_t i = 0; i < one.size(); ++i) {
        const TriboContact back = tribo_contact_swap(two[i]);
        EXPECT_EQ(back.feature, one[i].feature);
        EXPECT_EQ(back.gap, one[i].gap);
        EXPECT_EQ(tribo_vec3_distance(back.normal, one[i].normal), 0);
        EXPECT_EQ(tribo_vec3_distance(back.point, one[i].point), 0);
      }
    }
  }
}

TEST(Terrain, AFullBufferSaysHowManyContactsThereAreAtLeast) {
  const FieldPtr field = MakeField(9, 9, 1, 1, [](double, double) { return 0.0; });
  const TriboShape terrain = tribo_shape_height_field(field.get());
  const TriboShape box = tribo_shape_box(tribo_vec3(0.1, 0.1, 0.1));
  const TriboTransform identity = tribo_transform_identity(), X = At(tribo_vec3(0, 0, 0.1));
  TriboContact contacts[4];
  int count = 0;
  EXPECT_EQ(tribo_collide(&terrain, &identity, &box, &X, 1e-3, contacts, 4, &count), TRIBO_OK);
  EXPECT_EQ(count, 4);
  EXPECT_EQ(tribo_collide(&terrain, &identity, &box, &X, 1e-3, contacts, 3, &count),
            TRIBO_ERROR_CAPACITY);
  EXPECT_GE(count, 4);
}

TEST(Terrain, NoQueryAllocates) {
  TriboRandom random = tribo_random(13);
  const MeshPtr mesh = IrregularMesh(&random, 12, 1, [&](double x, double y) {
    return tribo_vec3(x, y, tribo_random_in(&random, 0, 0.05));
  });
  const FieldPtr field =
      MakeField(13, 13, 1, 1, [&](double, double) { return tribo_random_in(&random, 0, 0.05); });
  const Bodies bodies;
  const TriboTransform identity = tribo_transform_identity();
  std::vector<TriboContact> contacts(512);
  int count = 0, touching = 0, hits = 0;
  const long before = tribo_test_allocations();
  for (const TriboShape& floor :
       {tribo_shape_mesh(mesh.get()), tribo_shape_height_field(field.get())}) {
    for (const TriboShape& body : bodies.shapes) {
      for (int trial = 0; trial < 40; ++trial) {
        const TriboVec3 p =
            tribo_vec3(tribo_random_in(&random, -0.8, 0.8), tribo_random_in(&random, -0.8, 0.8),
                       tribo_random_in(&random, -0.1, 0.3));
        const TriboTransform X = At(p, tribo_quat_exp(RandomVector(&random, 3)));
        TriboClosestPoints closest;
        // Of what has sunk below an open mesh, nothing is near.
        const TriboStatus status = tribo_distance(&floor, &identity, &body, &X, &closest);
        ASSERT_TRUE(status == TRIBO_OK || status == TRIBO_ERROR_INFEASIBLE) << status;
        ASSERT_EQ(tribo_collide(&floor, &identity, &body, &X, 0.01, contacts.data(), 512, &count),
                  TRIBO_OK);
        touching += count > 0;
        const TriboRaySegment ray = {tribo_vec3(p.x, p.y, 1), {0, 0, -1}, INFINITY};
        double distance;
        TriboVec3 normal;
        hits += tribo_ray_shape(&floor, &identity, &ray, &distance, &normal);
        hits += tribo_ray_shape(&body, &X, &ray, &distance, &normal);
      }
    }
  }
  EXPECT_EQ(tribo_test_allocations(), before);
  EXPECT_GT(touching, 100);
  EXPECT_GT(hits, 400);
}

TEST(Terrain, PairsWithoutMeaningAreRefused) {
  const FieldPtr field = MakeField(3, 3, 1, 1, [](double, double) { return 0.0; });
  const TriboShape terrain = tribo_shape_height_field(field.get()), plane = tribo_shape_plane();
  const TriboTransform identity = tribo_transform_identity();
  TriboContact contacts[4];
  int count = 0;
  for (const TriboShape* other : {&terrain, &plane}) {
    EXPECT_EQ(tribo_collide(&terrain, &identity, other, &identity, 1e-3, contacts, 4, &count),
              TRIBO_ERROR_UNSUPPORTED);
    EXPECT_EQ(tribo_collide(other, &identity, &terrain, &identity, 1e-3, contacts, 4, &count),
              TRIBO_ERROR_UNSUPPORTED);
  }
}

}  // namespace
