// SPDX-License-Identifier: Apache-2.0
#include "collision/mass_properties.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "collision/hull.h"
#include "collision/mesh.h"
#include "engine/base/random.h"
#include "engine/base/rotation.h"
#include "engine/base/spatial.h"

namespace {

const double kPi = std::acos(-1.0);

// Whether a point is in a convex shape, written from the shape's definition.
bool Inside(const TriboShape& s, TriboVec3 p) {
  const double x = p.x, y = p.y, z = p.z;
  switch (s.type) {
    case TRIBO_SHAPE_SPHERE:
      return x * x + y * y + z * z <= s.radius * s.radius;
    case TRIBO_SHAPE_CAPSULE: {
      const double over = std::fmax(0, std::fabs(z) - s.half_length);
      return x * x + y * y + over * over <= s.radius * s.radius;
    }
    case TRIBO_SHAPE_BOX:
      return true;
    case TRIBO_SHAPE_CYLINDER:
      return x * x + y * y <= s.radius * s.radius;
    case TRIBO_SHAPE_ELLIPSOID:
      return std::pow(x / s.half.x, 2) + std::pow(y / s.half.y, 2) + std::pow(z / s.half.z, 2) <= 1;
    default:
      for (int f = 0; f < s.hull->nf; ++f) {
        if (tribo_vec3_dot(s.hull->face_normals[f], p) > s.hull->face_offsets[f]) return false;
      }
      return true;
  }
}

// The integrals over a fine grid of the bounding box.
TriboMassProperties ByCounting(const TriboShape& shape, double density, int n) {
  double count = 0, second[6] = {};
  TriboVec3 moment = tribo_vec3_zero();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        const TriboVec3 p = tribo_vec3(shape.center.x + shape.half.x * (2 * (i + 0.5) / n - 1),
                                       shape.center.y + shape.half.y * (2 * (j + 0.5) / n - 1),
                                       shape.center.z + shape.half.z * (2 * (k + 0.5) / n - 1));
        if (!Inside(shape, p)) continue;
        count += 1;
        moment = tribo_vec3_add(moment, p);
        tribo_symmetric_add_point(second, 1, p);
      }
    }
  }
  const double cell = 8 * shape.half.x * shape.half.y * shape.half.z / n / n / n;
  TriboMassProperties out = {};
  out.volume = count * cell;
  out.mass = density * out.volume;
  out.com = tribo_vec3_scale(1 / count, moment);
  tribo_symmetric_add_point(second, -count, out.com);
  for (int i = 0; i < 6; ++i) out.inertia[i] = density * cell * second[i];
  return out;
}

void ExpectNear(const TriboMassProperties& a, const TriboMassProperties& b, double relative) {
  EXPECT_NEAR(a.volume, b.volume, relative * b.volume);
  EXPECT_NEAR(a.mass, b.mass, relative * b.mass);
  const double trace = b.inertia[0] + b.inertia[1] + b.inertia[2];
  const double length = std::sqrt(trace / b.mass);
  EXPECT_NEAR(a.com.x, b.com.x, relative * length);
  EXPECT_NEAR(a.com.y, b.com.y, relative * length);
  EXPECT_NEAR(a.com.z, b.com.z, relative * length);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(a.inertia[i], b.inertia[i], relative * trace) << i;
}

TriboMassProperties Of(const TriboShape& shape, double density) {
  TriboMassProperties out = {};
  TriboMessage message = {};
  EXPECT_EQ(tribo_mass_properties(&shape, density, &out, &message), TRIBO_OK) << message.text;
  return out;
}

std::vector<TriboVec3> RandomPoints(TriboRandom* random, int n) {
  std::vector<TriboVec3> points;
  for (int i = 0; i < n; ++i) {
    points.push_back(tribo_vec3(tribo_random_in(random, 1, 2), tribo_random_in(random, -0.5, 0.4),
                                tribo_random_in(random, 0, 0.7)));
  }
  return points;
}

TEST(MassProperties, EveryConvexShapeAgreesWithCountingItsCells) {
  TriboRandom random = tribo_random(1);
  TriboHull* hull = nullptr;
  const std::vector<TriboVec3> points = RandomPoints(&random, 20);
  ASSERT_EQ(tribo_hull_create(points.data(), 20, nullptr, &hull, nullptr), TRIBO_OK);
  const TriboShape shapes[] = {tribo_shape_sphere(0.3),
                               tribo_shape_capsule(0.2, 0.5),
                               tribo_shape_box(tribo_vec3(0.1, 0.2, 0.4)),
                               tribo_shape_cylinder(0.3, 0.2),
                               tribo_shape_ellipsoid(tribo_vec3(0.1, 0.3, 0.2)),
                               tribo_shape_hull(hull)};
  for (const TriboShape& shape : shapes) {
    SCOPED_TRACE(tribo_shape_type_name(shape.type));
    // A grid of 200^3 cells misplaces the surface by a small part of a cell: 1e-3 in all.
    ExpectNear(Of(shape, 700), ByCounting(shape, 700, 200), 1e-3);
  }
  tribo_hull_destroy(hull);
}

TEST(MassProperties, TextbookFiguresToRounding) {
  const TriboMassProperties sphere = Of(tribo_shape_sphere(2), 3);
  EXPECT_DOUBLE_EQ(sphere.volume, 32 * kPi / 3);
  EXPECT_DOUBLE_EQ(sphere.inertia[1], 0.4 * sphere.mass * 4);
  const TriboMassProperties box = Of(tribo_shape_box(tribo_vec3(0.5, 1, 1.5)), 2);
  EXPECT_DOUBLE_EQ(box.mass, 12);
  EXPECT_DOUBLE_EQ(box.inertia[0], 12.0 * (4 + 9) / 12);
  EXPECT_DOUBLE_EQ(box.inertia[2], 12.0 * (1 + 4) / 12);
  // A capsule of length 0 is its sphere.
  ExpectNear(Of(tribo_shape_capsule(2, 0), 3), sphere, 1e-15);
}

// A box as a hull and as a mesh of triangles, moved away from the origin.
TEST(MassProperties, PolyhedraOfABoxHaveItsFigures) {
  std::vector<TriboVec3> corners;
  const TriboVec3 center = tribo_vec3(10, -20, 5);
  for (int i = 0; i < 8; ++i) {
    corners.push_back(tribo_vec3(center.x + (i & 1 ? 0.5 : -0.5), center.y + (i & 2 ? 1 : -1),
                                 center.z + (i & 4 ? 1.5 : -1.5)));
  }
  const int triangles[] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
  TriboMassProperties box = Of(tribo_shape_box(tribo_vec3(0.5, 1, 1.5)), 7);
  box.com = center;
  TriboHull* hull = nullptr;
  ASSERT_EQ(tribo_hull_create(corners.data(), 8, nullptr, &hull, nullptr), TRIBO_OK);
  ExpectNear(Of(tribo_shape_hull(hull), 7), box, 1e-13);
  tribo_hull_destroy(hull);
  TriboMesh* mesh = nullptr;
  ASSERT_EQ(tribo_mesh_create(corners.data(), 8, triangles, 12, nullptr, &mesh, nullptr), TRIBO_OK);
  EXPECT_TRUE(mesh->is_closed);
  ExpectNear(Of(tribo_shape_mesh(mesh), 7), box, 1e-13);
  tribo_mesh_destroy(mesh);
  TriboMassProperties out;
  ASSERT_EQ(tribo_mass_properties_triangles(&corners[0].x, triangles, 12, 7, &out, nullptr),
            TRIBO_OK);
  ExpectNear(out, box, 1e-12);
}

TEST(MassProperties, AnOpenOrInsideOutMeshIsRefusedWithARemedy) {
  std::vector<TriboVec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  std::vector<int> triangles = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
  TriboMassProperties out;
  TriboMessage message = {};
  ASSERT_EQ(tribo_mass_properties_triangles(&corners[0].x, triangles.data(), 4, 1, &out, nullptr),
            TRIBO_OK);
  EXPECT_NEAR(out.volume, 1.0 / 6, 1e-15);
  EXPECT_EQ(tribo_mass_properties_triangles(&corners[0].x, triangles.data(), 3, 1, &out, &message),
            TRIBO_ERROR_MODEL);
  EXPECT_NE(std::string(message.text).find("hole"), std::string::npos);
  TriboMesh* mesh = nullptr;
  ASSERT_EQ(tribo_mesh_create(corners.data(), 4, triangles.data(), 3, nullptr, &mesh, nullptr),
            TRIBO_OK);
  const TriboShape open = tribo_shape_mesh(mesh);
  EXPECT_EQ(tribo_mass_properties(&open, 1, &out, &message), TRIBO_ERROR_MODEL);
  EXPECT_NE(std::string(message.text).find("not closed"), std::string::npos);
  tribo_mesh_destroy(mesh);
  for (size_t t = 0; t < 4; ++t) std::swap(triangles[3 * t], triangles[3 * t + 1]);
  EXPECT_EQ(tribo_mass_properties_triangles(&corners[0].x, triangles.data(), 4, 1, &out, &message),
            TRIBO_ERROR_MODEL);
  EXPECT_NE(std::string(message.text).find("inwards"), std::string::npos);
}

TEST(MassProperties, BadDensitiesAndShapesWithoutVolumeAreRefused) {
  const TriboShape sphere = tribo_shape_sphere(1), plane = tribo_shape_plane();
  TriboMassProperties out;
  EXPECT_EQ(tribo_mass_properties(&sphere, 0, &out, nullptr), TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(tribo_mass_properties(&sphere, -1, &out, nullptr), TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(tribo_mass_properties(&sphere, NAN, &out, nullptr), TRIBO_ERROR_NOT_FINITE);
  EXPECT_EQ(tribo_mass_properties(&plane, 1, &out, nullptr), TRIBO_ERROR_UNSUPPORTED);
}

// Fine tessellations of a sphere come near the closed form as their faces shrink: the error of a
// polyhedron with edges of length a is of order (a / r)^2.
TEST(MassProperties, TessellatedSpheresConverge) {
  double last = 0;
  for (int n : {8, 16, 32}) {
    std::vector<TriboVec3> points;
    for (int i = 1; i < n; ++i) {
      for (int j = 0; j < 2 * n; ++j) {
        const double theta = kPi * i / n, phi = kPi * j / n;
        points.push_back(tribo_vec3(std::sin(theta) * std::cos(phi),
                                    std::sin(theta) * std::sin(phi), std::cos(theta)));
      }
    }
    points.push_back(tribo_vec3(0, 0, 1));
    points.push_back(tribo_vec3(0, 0, -1));
    TriboHull* hull = nullptr;
    ASSERT_EQ(tribo_hull_create(points.data(), (int)points.size(), nullptr, &hull, nullptr),
              TRIBO_OK);
    const double error = 1 - Of(tribo_shape_hull(hull), 1).volume / (4 * kPi / 3);
    EXPECT_GT(error, 0);
    if (last > 0) {
      EXPECT_NEAR(last / error, 4, 0.5);
    }
    last = error;
    tribo_hull_destroy(hull);
  }
}

}  // namespace
