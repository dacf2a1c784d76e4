// SPDX-License-Identifier: Apache-2.0
#include "collision/height_field.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "engine/base/random.h"

namespace {

TriboHeightField* Create(const std::vector<double>& heights, int rows, int columns, double x,
                         double y) {
  TriboHeightField* field = nullptr;
  TriboMessage message = {};
  EXPECT_EQ(
      tribo_height_field_create(heights.data(), rows, columns, x, y, nullptr, &field, &message),
      TRIBO_OK)
      << message.text;
  return field;
}

std::vector<double> Random(TriboRandom* random, int n) {
  std::vector<double> heights;
  for (int i = 0; i < n; ++i) heights.push_back(tribo_random_in(random, -0.2, 0.3));
  return heights;
}

TEST(HeightField, TrianglesCoverTheGridAndAgreeWithTheirNeighbours) {
  TriboRandom random = tribo_random(1);
  const int rows = 5, columns = 7;
  TriboHeightField* field = Create(Random(&random, rows * columns), rows, columns, 3, 2);
  double area = 0;
  int borders = 0;
  std::set<int> edges;
  for (int t = 0; t < 2 * (rows - 1) * (columns - 1); ++t) {
    TriboTriangle a, b;
    tribo_height_field_triangle(field, t, &a);
    EXPECT_GT(a.normal.z, 0);
    const TriboVec3 cross = tribo_vec3_cross(tribo_vec3_sub(a.corner[1], a.corner[0]),
                                             tribo_vec3_sub(a.corner[2], a.corner[0]));
    area += cross.z / 2;
    for (int k = 0; k < 3; ++k) {
      // Corner k is the vertex that its number says.
      EXPECT_NEAR(a.corner[k].x, -3 + 1.0 * (a.vertex[k] % columns), 1e-15);
      EXPECT_NEAR(a.corner[k].y, -2 + 1.0 * (a.vertex[k] / columns), 1e-15);
      EXPECT_EQ(a.corner[k].z, field->heights[a.vertex[k]]);
      edges.insert(a.edge[k]);
      borders += a.neighbor[k] < 0;
      if (a.neighbor[k] < 0) continue;
      tribo_height_field_triangle(field, a.neighbor[k], &b);
      int found = 0;
      for (int l = 0; l < 3; ++l) {
        if (b.edge[l] != a.edge[k]) continue;
        ++found;
        EXPECT_EQ(b.neighbor[l], t);
        EXPECT_EQ(b.vertex[l], a.vertex[(k + 1) % 3]);
        EXPECT_EQ(b.vertex[(l + 1) % 3], a.vertex[k]);
      }
      EXPECT_EQ(found, 1);
    }
  }
  EXPECT_NEAR(area, 24, 1e-12);
  EXPECT_EQ(borders, 2 * (rows - 1) + 2 * (columns - 1));
  EXPECT_EQ((int)edges.size(),
            (rows - 1) * (columns - 1) + rows * (columns - 1) + columns * (rows - 1));
  tribo_height_field_destroy(field);
}

TEST(HeightField, AFlatFieldIsOnePatchAndAStepParts) {
  const int n = 6;
  std::vector<double> heights;
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) heights.push_back(0.1 * c + 0.3 * r);
  }
  TriboHeightField* field = Create(heights, n, n, 1, 1);
  for (int t = 0; t < 2 * (n - 1) * (n - 1); ++t) EXPECT_EQ(field->patches[t], 0);
  int inner = 0;
  for (int v = 0; v < n * n; ++v) inner += field->is_inner[v];
  EXPECT_EQ(inner, (n - 2) * (n - 2));
  tribo_height_field_destroy(field);
  heights[3 * n + 3] += 1e-3;
  field = Create(heights, n, n, 1, 1);
  std::set<int> patches(field->patches, field->patches + 2 * (n - 1) * (n - 1));
  EXPECT_EQ(patches.size(), 7u);  // the plane and the six triangles at the bump
  tribo_height_field_destroy(field);
}

TEST(HeightField, ColumnsAreTheTrianglesAboveTheirPoints) {
  TriboRandom random = tribo_random(2);
  TriboHeightField* field = Create(Random(&random, 9 * 4), 9, 4, 0.7, 1.9);
  for (int trial = 0; trial < 5000; ++trial) {
    const double x = tribo_random_in(&random, -0.7, 0.7), y = tribo_random_in(&random, -1.9, 1.9);
    const int t = tribo_height_field_column(field, x, y);
    ASSERT_GE(t, 0);
    TriboTriangle a;
    tribo_height_field_triangle(field, t, &a);
    for (int k = 0; k < 3; ++k) {
      const TriboVec3 p = a.corner[k], q = a.corner[(k + 1) % 3];
      EXPECT_GE((q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x), -1e-12);
    }
  }
  EXPECT_GE(tribo_height_field_column(field, 0.7, 1.9), 0);
  EXPECT_GE(tribo_height_field_column(field, -0.7, -1.9), 0);
  EXPECT_EQ(tribo_height_field_column(field, 0.71, 0), -1);
  EXPECT_EQ(tribo_height_field_column(field, NAN, 0), -1);
  tribo_height_field_destroy(field);
}

TEST(HeightField, CellsOfABoxAreThoseItOverlaps) {
  TriboRandom random = tribo_random(3);
  TriboHeightField* field = Create(std::vector<double>(8 * 6, 0.0), 8, 6, 2.5, 3.5);
  for (int trial = 0; trial < 2000; ++trial) {
    const TriboVec3 center =
        tribo_vec3(tribo_random_in(&random, -4, 4), tribo_random_in(&random, -5, 5), 0);
    const double half = tribo_random_in(&random, 0, 2);
    const TriboAabb box = {tribo_vec3(center.x - half, center.y - half, -1),
                           tribo_vec3(center.x + half, center.y + half, 1)};
    TriboHeightFieldCells cells;
    const bool any = tribo_height_field_cells(field, box, &cells);
    for (int r = 0; r < 7; ++r) {
      for (int c = 0; c < 5; ++c) {
        const double x = -2.5 + c, y = -3.5 + r;
        const bool overlaps =
            box.min.x < x + 1 && box.max.x > x && box.min.y < y + 1 && box.max.y > y;
        const bool listed = any && r >= cells.first_row && r <= cells.last_row &&
                            c >= cells.first_column && c <= cells.last_column;
        EXPECT_TRUE(listed || !overlaps);
      }
    }
  }
  TriboHeightFieldCells cells;
  const TriboAabb above = {tribo_vec3(-1, -1, 0.1), tribo_vec3(1, 1, 1)};
  EXPECT_FALSE(tribo_height_field_cells(field, above, &cells));
  tribo_height_field_destroy(field);
}

TEST(HeightField, BadInputIsRefused) {
  std::vector<double> heights(4, 0.0);
  TriboHeightField* field = nullptr;
  TriboMessage message = {};
  auto create = [&](int rows, int columns, double x) {
    return tribo_height_field_create(heights.data(), rows, columns, x, 1, nullptr, &field,
                                     &message);
  };
  EXPECT_EQ(create(1, 4, 1), TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(create(1 << 20, 1 << 20, 1), TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(create(2, 2, 0), TRIBO_ERROR_MODEL);
  EXPECT_EQ(create(2, 2, INFINITY), TRIBO_ERROR_NOT_FINITE);
  heights[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(create(2, 2, 1), TRIBO_ERROR_NOT_FINITE);
  EXPECT_NE(std::string(message.text).find("row 1, column 1"), std::string::npos);
  EXPECT_EQ(field, nullptr);
}

}  // namespace
