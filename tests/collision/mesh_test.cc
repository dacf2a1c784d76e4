// SPDX-License-Identifier: Apache-2.0
#include "collision/mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "engine/base/random.h"
#include "engine/base/rotation.h"

namespace {

struct Soup {
  std::vector<TriboVec3> vertices;
  std::vector<int> triangles;
};

// A grid of n x n squares of side 1 at height(x, y), two triangles each, vertices not shared.
template <class Height>
Soup Grid(int n, Height height) {
  Soup soup;
  auto add = [&](double x, double y) {
    soup.triangles.push_back((int)soup.vertices.size());
    soup.vertices.push_back(tribo_vec3(x, y, height(x, y)));
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      add(i, j), add(i + 1, j), add(i + 1, j + 1);
      add(i, j), add(i + 1, j + 1), add(i, j + 1);
    }
  }
  return soup;
}

TriboMesh* Create(const Soup& soup) {
  TriboMesh* mesh = nullptr;
  TriboMessage message = {};
  EXPECT_EQ(
      tribo_mesh_create(soup.vertices.data(), (int)soup.vertices.size(), soup.triangles.data(),
                        (int)soup.triangles.size() / 3, nullptr, &mesh, &message),
      TRIBO_OK)
      << message.text;
  return mesh;
}

TEST(Mesh, AFlatUnweldedGridIsOnePatchWithNeighboursOverEverySeam) {
  const int n = 5;
  TriboMesh* mesh = Create(Grid(n, [](double, double) { return 0.25; }));
  EXPECT_EQ(mesh->nv, (n + 1) * (n + 1));
  EXPECT_EQ(mesh->nt, 2 * n * n);
  EXPECT_FALSE(mesh->is_closed);
  int borders = 0, inner = 0;
  std::set<int> edges;
  for (int t = 0; t < mesh->nt; ++t) {
    TriboTriangle triangle;
    tribo_mesh_triangle(mesh, t, &triangle);
    EXPECT_EQ(triangle.patch, 0);
    EXPECT_EQ(triangle.normal.z, 1);
    for (int k = 0; k < 3; ++k) {
      borders += triangle.neighbor[k] < 0;
      edges.insert(triangle.edge[k]);
      if (triangle.neighbor[k] < 0) continue;
      // The neighbour sees the same edge, under the same number, from the other side.
      TriboTriangle other;
      tribo_mesh_triangle(mesh, triangle.neighbor[k], &other);
      int found = 0;
      for (int l = 0; l < 3; ++l) {
        if (other.edge[l] != triangle.edge[k]) continue;
        ++found;
        EXPECT_EQ(other.neighbor[l], t);
        EXPECT_EQ(other.vertex[l], triangle.vertex[(k + 1) % 3]);
        EXPECT_EQ(other.vertex[(l + 1) % 3], triangle.vertex[k]);
      }
      EXPECT_EQ(found, 1);
    }
  }
  for (int v = 0; v < mesh->nv; ++v) inner += mesh->is_inner[v];
  EXPECT_EQ(borders, 4 * n);
  EXPECT_EQ(inner, (n - 1) * (n - 1));
  EXPECT_EQ((int)edges.size(), n * n + 2 * n * (n + 1));  // diagonals and sides of squares
  tribo_mesh_destroy(mesh);
}

TEST(Mesh, AFoldSeparatesPatches) {
  TriboMesh* mesh = Create(Grid(4, [](double x, double) { return std::fabs(x - 2); }));
  std::set<int> patches(mesh->patches, mesh->patches + mesh->nt);
  EXPECT_EQ(patches.size(), 2u);
  tribo_mesh_destroy(mesh);
  // Gentle curvature must not add up to one flat region.
  mesh = Create(Grid(40, [](double x, double) { return 3e-8 * x * x; }));
  patches = std::set<int>(mesh->patches, mesh->patches + mesh->nt);
  EXPECT_GT(patches.size(), 3u);
  tribo_mesh_destroy(mesh);
}

TEST(Mesh, ThreeTrianglesAtOneEdgeAreNobodysNeighbours) {
  const Soup soup = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}},
                     {0, 1, 2, 1, 0, 3, 0, 1, 4}};
  TriboMesh* mesh = Create(soup);
  for (int k = 0; k < 9; ++k) EXPECT_EQ(mesh->neighbors[k], -1);
  tribo_mesh_destroy(mesh);
}

TEST(Mesh, TrianglesWithoutAreaAreLeftOut) {
  const Soup soup = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}}, {0, 1, 2, 0, 1, 3, 1, 1, 2}};
  TriboMesh* mesh = Create(soup);
  EXPECT_EQ(mesh->nt, 1);
  EXPECT_EQ(mesh->nv, 3);
  tribo_mesh_destroy(mesh);
}

TEST(Mesh, BadInputIsRefused) {
  std::vector<TriboVec3> vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  int triangle[] = {0, 1, 2};
  TriboMesh* mesh = nullptr;
  TriboMessage message = {};
  auto create = [&](int nv, int nt) {
    return tribo_mesh_create(vertices.data(), nv, triangle, nt, nullptr, &mesh, &message);
  };
  EXPECT_EQ(create(3, 0), TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(create(2, 1), TRIBO_ERROR_ARGUMENT);
  triangle[2] = 3;
  EXPECT_EQ(create(3, 1), TRIBO_ERROR_ARGUMENT);
  EXPECT_NE(std::string(message.text).find("vertex 3"), std::string::npos);
  triangle[2] = 1;
  EXPECT_EQ(create(3, 1), TRIBO_ERROR_MODEL);
  triangle[2] = 2;
  vertices[1].x = 1e12;
  EXPECT_EQ(create(3, 1), TRIBO_ERROR_MODEL);
  vertices[1].x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(create(3, 1), TRIBO_ERROR_NOT_FINITE);
  EXPECT_EQ(mesh, nullptr);
}

TEST(Mesh, NearestTriangleEqualsTryingAll) {
  TriboRandom random = tribo_random(4);
  TriboMesh* mesh =
      Create(Grid(12, [](double x, double y) { return std::sin(x) * std::cos(1.3 * y); }));
  for (int trial = 0; trial < 2000; ++trial) {
    const TriboVec3 p =
        tribo_vec3(tribo_random_in(&random, -3, 15), tribo_random_in(&random, -3, 15),
                   tribo_random_in(&random, -4, 4));
    double best = INFINITY;
    for (int t = 0; t < mesh->nt; ++t) {
      TriboTriangle triangle;
      tribo_mesh_triangle(mesh, t, &triangle);
      int region;
      const TriboVec3 q = tribo_triangle_closest(triangle.corner, p, &region);
      best = std::fmin(best, tribo_vec3_distance(p, q));
    }
    TriboVec3 point;
    const int found = tribo_mesh_nearest(mesh, p, 100, &point);
    ASSERT_GE(found, 0);
    EXPECT_NEAR(tribo_vec3_distance(p, point), best, 1e-12);
    EXPECT_EQ(tribo_mesh_nearest(mesh, p, 0.99 * best, &point), -1);
  }
  tribo_mesh_destroy(mesh);
}

// The nearest point of a triangle against a dense sampling of it.
TEST(Triangle, ClosestPointBeatsEverySampleAndLiesInItsRegion) {
  TriboRandom random = tribo_random(5);
  auto vector = [&](double s) {
    return tribo_vec3(tribo_random_in(&random, -s, s), tribo_random_in(&random, -s, s),
                      tribo_random_in(&random, -s, s));
  };
  for (int trial = 0; trial < 2000; ++trial) {
    const TriboVec3 corner[3] = {vector(1), vector(1), vector(1)};
    const TriboVec3 p = vector(2);
    int region;
    const TriboVec3 q = tribo_triangle_closest(corner, p, &region);
    const double distance = tribo_vec3_distance(p, q);
    const int n = 30;
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; i + j <= n; ++j) {
        const double u = (double)i / n, v = (double)j / n;
        const TriboVec3 s = tribo_vec3_add(
            tribo_vec3_scale(1 - u - v, corner[0]),
            tribo_vec3_add(tribo_vec3_scale(u, corner[1]), tribo_vec3_scale(v, corner[2])));
        ASSERT_LE(distance, tribo_vec3_distance(p, s) + 1e-12);
      }
    }
    // The point is on the triangle, and where the region says.
    const TriboVec3 n_ = tribo_vec3_cross(tribo_vec3_sub(corner[1], corner[0]),
                                          tribo_vec3_sub(corner[2], corner[0]));
    EXPECT_NEAR(tribo_vec3_dot(n_, tribo_vec3_sub(q, corner[0])), 0, 1e-12);
    if (region >= TRIBO_TRIANGLE_CORNER) {
      EXPECT_EQ(tribo_vec3_distance(q, corner[region - TRIBO_TRIANGLE_CORNER]), 0);
    } else if (region >= TRIBO_TRIANGLE_EDGE) {
      const TriboVec3 a = corner[region - 1], b = corner[region % 3];
      EXPECT_NEAR(tribo_vec3_distance(a, q) + tribo_vec3_distance(q, b), tribo_vec3_distance(a, b),
                  1e-12);
    }
  }
}

}  // namespace
