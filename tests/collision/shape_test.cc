// SPDX-License-Identifier: Apache-2.0
#include "collision/shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "collision/hull.h"
#include "tests/collision/reference.h"
#include "tests/scale.h"

namespace {

TriboStatus Check(const TriboShape& shape, std::string* text) {
  TriboMessage message = {};
  const TriboStatus status = tribo_shape_check(&shape, &message);
  *text = message.text;
  EXPECT_EQ(tribo_shape_check(&shape, nullptr), status);
  return status;
}

// Every size of every solid that has sizes, by its name in the messages.
struct Size {
  const char* name;
  std::function<TriboShape(double)> make;
};

std::vector<Size> Sizes() {
  return {
      {"radius of a sphere", [](double s) { return tribo_shape_sphere(s); }},
      {"radius of a capsule", [](double s) { return tribo_shape_capsule(s, 1); }},
      {"half length of a capsule", [](double s) { return tribo_shape_capsule(1, s); }},
      {"radius of a cylinder", [](double s) { return tribo_shape_cylinder(s, 1); }},
      {"half length of a cylinder", [](double s) { return tribo_shape_cylinder(1, s); }},
      {"half size along x of a box",
       [](double s) {
         return tribo_shape_box({s, 1, 1});
       }},
      {"half size along y of a box",
       [](double s) {
         return tribo_shape_box({1, s, 1});
       }},
      {"half size along z of a box",
       [](double s) {
         return tribo_shape_box({1, 1, s});
       }},
      {"half size along z of a ellipsoid",
       [](double s) {
         return tribo_shape_ellipsoid({1, 1, s});
       }},
  };
}

TEST(Shape, SizesThatVanishOrExplodeAreRefusedByName) {
  std::string text;
  for (const Size& size : Sizes()) {
    for (double bad : {0.0, -1.0, 1e-10, 2e9}) {
      // A capsule without length is a sphere.
      if (bad == 0 && std::string(size.name) == "half length of a capsule") continue;
      EXPECT_EQ(Check(size.make(bad), &text), TRIBO_ERROR_MODEL) << size.name << " " << bad;
      EXPECT_NE(text.find(size.name), std::string::npos) << text;
    }
    for (double bad : {std::nan(""), double{INFINITY}, -double{INFINITY}}) {
      EXPECT_EQ(Check(size.make(bad), &text), TRIBO_ERROR_NOT_FINITE) << size.name << " " << bad;
      EXPECT_NE(text.find(size.name), std::string::npos) << text;
    }
    EXPECT_EQ(Check(size.make(1), &text), TRIBO_OK) << text;
  }
  EXPECT_EQ(Check(tribo_shape_capsule(1, 0), &text), TRIBO_OK) << text;
}

TEST(Shape, GrainsAndMountainsAreFine) {
  std::string text;
  for (int exponent = -6; exponent <= 6; ++exponent) {
    const double s = std::pow(10, exponent);
    EXPECT_EQ(Check(tribo_shape_sphere(s), &text), TRIBO_OK) << text;
    EXPECT_EQ(Check(tribo_shape_box({s, 2 * s, 3 * s}), &text), TRIBO_OK) << text;
    EXPECT_EQ(Check(tribo_shape_cylinder(s, s), &text), TRIBO_OK) << text;
    EXPECT_EQ(Check(tribo_shape_ellipsoid({s, 2 * s, 3 * s}), &text), TRIBO_OK) << text;
  }
}

TEST(Shape, WhatAScaleHasMadeFlatIsRefused) {
  std::string text;
  for (double thin : {1e-8, 1e-3}) {
    // A thickness that is a size by itself, and none beside the rest.
    const double wide = 2e9 * thin;
    for (const TriboShape& shape :
         {tribo_shape_box({wide, wide, thin}), tribo_shape_ellipsoid({wide, thin, wide}),
          tribo_shape_cylinder(wide, thin), tribo_shape_cylinder(thin, wide)}) {
      EXPECT_EQ(Check(shape, &text), TRIBO_ERROR_MODEL) << thin;
      EXPECT_NE(text.find("flat"), std::string::npos) << text;
    }
  }
  // Points of a cube, scaled along z: no hull, or one that no query takes.
  for (double scale : {0.0, 1e-300, 1e-17, 1e-12, 1e-10}) {
    std::vector<TriboVec3> points;
    for (int k = 0; k < 8; ++k) {
      points.push_back({k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, scale * (k & 4 ? 1.0 : -1.0)});
    }
    TriboHull* hull = nullptr;
    TriboMessage message = {};
    const TriboStatus status = tribo_hull_create(points.data(), 8, nullptr, &hull, &message);
    if (status == TRIBO_OK) {
      EXPECT_EQ(Check(tribo_shape_hull(hull), &text), TRIBO_ERROR_MODEL) << scale;
    } else {
      EXPECT_NE(std::string(message.text), "") << scale;
    }
    tribo_hull_destroy(hull);
  }
}

TEST(Shape, ShapesWithoutTheirDataAreRefused) {
  std::string text;
  const TriboAabb bounds = {{-1, -1, -1}, {1, 1, 1}};
  for (TriboShapeType type : {TRIBO_SHAPE_HULL, TRIBO_SHAPE_HEIGHT_FIELD, TRIBO_SHAPE_MESH}) {
    EXPECT_EQ(Check(tribo_shape_with_bounds(type, bounds), &text), TRIBO_ERROR_MODEL);
    EXPECT_NE(text.find(tribo_shape_type_name(type)), std::string::npos) << text;
  }
  EXPECT_EQ(tribo_shape_check(nullptr, nullptr), TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(Check(tribo_shape_with_bounds(static_cast<TriboShapeType>(99), bounds), &text),
            TRIBO_ERROR_ARGUMENT);
}

TEST(Shape, BoundsTouchTheShapeOnAllSides) {
  reference::Sampler sampler(61);
  for (int trial = 0, count = tribo_test_count(2000); trial < count; ++trial) {
    const auto type = static_cast<TriboShapeType>(1 + sampler.Index(TRIBO_SHAPE_HULL));
    const TriboVec3 place = {sampler.In(-2, 2), sampler.In(-2, 2), sampler.In(-2, 2)};
    const reference::Body body = {sampler.Shape(type, 1), {sampler.Rotation(), place}};
    const TriboAabb box = tribo_shape_bounds(&body.shape, &body.X);
    const double low[3] = {box.min.x, box.min.y, box.min.z};
    const double high[3] = {box.max.x, box.max.y, box.max.z};
    for (int k = 0; k < 3; ++k) {
      const TriboVec3 d = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
      EXPECT_NEAR(high[k], reference::Reach(body, d), 1e-14) << trial;
      EXPECT_NEAR(low[k], -reference::Reach(body, tribo_vec3_neg(d)), 1e-14) << trial;
    }
  }
}

}  // namespace
