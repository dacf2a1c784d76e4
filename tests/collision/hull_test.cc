// SPDX-License-Identifier: Apache-2.0
#include "collision/hull.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/base/random.h"
#include "engine/base/vec3.h"

namespace {

std::vector<TriboVec3> CubeCorners() {
  std::vector<TriboVec3> points;
  for (int i = 0; i < 8; ++i) {
    points.push_back(tribo_vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
  }
  return points;
}

// Every promise of hull.h that can be checked from the outside, `slack` in metres.
void CheckHull(const TriboHull* hull, const std::vector<TriboVec3>& points, double slack) {
  EXPECT_EQ(hull->nv - hull->ne + hull->nf, 2);
  for (int f = 0; f < hull->nf; ++f) {
    const TriboVec3 n = hull->face_normals[f];
    EXPECT_NEAR(tribo_vec3_norm(n), 1, 1e-14);
    for (const TriboVec3& p : points) {
      EXPECT_LE(tribo_vec3_dot(n, p), hull->face_offsets[f] + slack);
    }
    EXPECT_LT(tribo_vec3_dot(n, hull->center), hull->face_offsets[f]);
    // Counterclockwise seen from outside: every corner turns left about the normal.
    const int start = hull->face_start[f], count = hull->face_start[f + 1] - start;
    ASSERT_GE(count, 3);
    for (int k = 0; k < count; ++k) {
      const TriboVec3 a = hull->vertices[hull->face_vertices[start + k]];
      const TriboVec3 b = hull->vertices[hull->face_vertices[start + (k + 1) % count]];
      const TriboVec3 c = hull->vertices[hull->face_vertices[start + (k + 2) % count]];
      const TriboVec3 turn = tribo_vec3_cross(tribo_vec3_sub(b, a), tribo_vec3_sub(c, b));
      EXPECT_GT(tribo_vec3_dot(turn, n), -slack);
      const int e = hull->face_edges[start + k];
      EXPECT_TRUE(hull->edge_faces[2 * e] == f || hull->edge_faces[2 * e + 1] == f);
    }
  }
  for (int v = 0; v < hull->nv; ++v) {
    for (int k = hull->vertex_start[v]; k < hull->vertex_start[v + 1]; ++k) {
      const int e = hull->vertex_edges[k], w = hull->vertex_neighbors[k];
      EXPECT_EQ(hull->edge_vertices[2 * e], std::min(v, w));
      EXPECT_EQ(hull->edge_vertices[2 * e + 1], std::max(v, w));
      if (k > hull->vertex_start[v]) {
        EXPECT_LT(hull->vertex_neighbors[k - 1], w);
      }
    }
  }
  EXPECT_EQ(hull->vertex_start[hull->nv], 2 * hull->ne);
}

TEST(Hull, CubeHasSixSquareFacesWithOutwardNormals) {
  const std::vector<TriboVec3> points = CubeCorners();
  TriboHull* hull = nullptr;
  ASSERT_EQ(tribo_hull_create(points.data(), 8, nullptr, &hull, nullptr), TRIBO_OK);
  EXPECT_EQ(hull->nv, 8);
  EXPECT_EQ(hull->nf, 6);
  EXPECT_EQ(hull->ne, 12);
  for (int f = 0; f < 6; ++f) EXPECT_EQ(hull->face_offsets[f], 1);
  CheckHull(hull, points, 0);
  tribo_hull_destroy(hull);
}

TEST(Hull, RandomPointsAreInsideEveryFace) {
  TriboRandom random = tribo_random(11);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<TriboVec3> points(4 + tribo_random_index(&random, 200));
    for (TriboVec3& p : points) {
      p = tribo_vec3(tribo_random_in(&random, -1, 1), tribo_random_in(&random, -2, 2),
                     tribo_random_in(&random, -0.1, 0.1));
    }
    TriboHull* hull = nullptr;
    ASSERT_EQ(
        tribo_hull_create(points.data(), static_cast<int>(points.size()), nullptr, &hull, nullptr),
        TRIBO_OK);
    // qhull merges facets that rounding cannot tell apart, so a point may stand out by rounding.
    CheckHull(hull, points, 1e-13);
    tribo_hull_destroy(hull);
  }
}

TEST(Hull, InteriorAndRepeatedPointsAreNoVertices) {
  std::vector<TriboVec3> points = CubeCorners();
  points.push_back(tribo_vec3(0.5, 0, 0));
  points.push_back(points[3]);
  TriboHull* hull = nullptr;
  ASSERT_EQ(tribo_hull_create(points.data(), 10, nullptr, &hull, nullptr), TRIBO_OK);
  EXPECT_EQ(hull->nv, 8);
  CheckHull(hull, points, 0);
  tribo_hull_destroy(hull);
}

TEST(Hull, FlatPointsAreRefusedWithARemedy) {
  std::vector<TriboVec3> points;
  for (int i = 0; i < 10; ++i) points.push_back(tribo_vec3(i, i * i, 0));
  TriboHull* hull = nullptr;
  TriboMessage message;
  EXPECT_EQ(tribo_hull_create(points.data(), 10, nullptr, &hull, &message), TRIBO_ERROR_MODEL);
  EXPECT_EQ(hull, nullptr);
  EXPECT_NE(std::string(message.text).find("thickness"), std::string::npos);
}

TEST(Hull, TooFewAndNonFinitePointsAreRefused) {
  std::vector<TriboVec3> points = CubeCorners();
  TriboHull* hull = nullptr;
  EXPECT_EQ(tribo_hull_create(points.data(), 3, nullptr, &hull, nullptr), TRIBO_ERROR_ARGUMENT);
  points[2].y = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(tribo_hull_create(points.data(), 8, nullptr, &hull, nullptr), TRIBO_ERROR_NOT_FINITE);
}

}  // namespace
