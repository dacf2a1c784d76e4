// SPDX-License-Identifier: Apache-2.0
//
// Rays and distances through the public API.
#include <cmath>
#include <limits>
#include <vector>

#include "engine/base/random.h"
#include "tests/engine/scene.h"

namespace {

const double kInfinity = std::numeric_limits<double>::infinity();

TriboRayHit Cast(Scene* scene, TriboRay ray, const TriboRayOptions* options = nullptr) {
  TriboRayHit hit = {};
  EXPECT_EQ(
      tribo_ray_cast(scene->model(), scene->state(), scene->workspace(), &ray, 1, options, &hit),
      TRIBO_OK);
  return hit;
}

TEST(Queries, ARayMeetsWhatIsNearestWhereTheStatePutsIt) {
  Scene scene;
  const int floor = scene.Plane();
  const int box = scene.Box({0.1, 0.2, 0.3}, 1, At(1, 0, 2));
  scene.Build();
  const TriboRay down = {{1, 0, 5}, {0, 0, -3}, kInfinity};
  TriboRayHit hit = Cast(&scene, down);
  EXPECT_EQ(hit.shape, 1);
  EXPECT_EQ(hit.link, box);
  EXPECT_NEAR(hit.distance, 2.7, 1e-12);
  EXPECT_NEAR(hit.point.z, 2.3, 1e-12);
  EXPECT_NEAR(hit.normal.z, 1, 1e-12);
  // The box moves away, and the floor is seen.
  scene.SetPose(box, At(3, 0, 2));
  hit = Cast(&scene, down);
  EXPECT_EQ(hit.shape, floor);
  EXPECT_EQ(hit.link, TRIBO_WORLD);
  EXPECT_NEAR(hit.distance, 5, 1e-12);
  // Out of reach, and upwards.
  hit = Cast(&scene, {{1, 0, 5}, {0, 0, -1}, 4.9});
  EXPECT_EQ(hit.shape, -1);
  EXPECT_EQ(Cast(&scene, {{1, 0, 5}, {0, 0, 1}, kInfinity}).shape, -1);
}

TEST(Queries, RaysPassThroughWhatTheOptionsHide) {
  Scene scene;
  scene.Plane();
  const int ball = scene.Sphere(0.1, 1, {0, 0, 1});
  scene.Build();
  const TriboRay down = {{0, 0, 5}, {0, 0, -1}, kInfinity};
  TriboRayOptions options = tribo_ray_options_default();
  EXPECT_EQ(Cast(&scene, down, &options).link, ball);
  options.transparent = ball;
  EXPECT_EQ(Cast(&scene, down, &options).shape, 0);
  options.see_world = false;
  EXPECT_EQ(Cast(&scene, down, &options).shape, -1);
  options = tribo_ray_options_default();
  options.mask = 2;
  EXPECT_EQ(Cast(&scene, down, &options).shape, -1);
}

// With many shapes and rays a tree is used; it must give what one ray at a time gives.
TEST(Queries, ManyRaysAtOnceAreTheSameAsOneByOne) {
  TriboRandom random = tribo_random(3);
  Scene scene;
  scene.Plane();
  for (int i = 0; i < 150; ++i) {
    const TriboVec3 at = {tribo_random_in(&random, -2, 2), tribo_random_in(&random, -2, 2),
                          tribo_random_in(&random, 0, 3)};
    if (i % 2 == 0) {
      scene.Sphere(tribo_random_in(&random, 0.05, 0.3), 1, at);
    } else {
      scene.Box({0.1, 0.2, 0.3}, 1, {at, tribo_quat_exp(at)});
    }
  }
  scene.Build();
  std::vector<TriboRay> rays;
  for (int i = 0; i < 500; ++i) {
    rays.push_back({{tribo_random_in(&random, -3, 3), tribo_random_in(&random, -3, 3), 4},
                    {tribo_random_in(&random, -1, 1), tribo_random_in(&random, -1, 1), -1},
                    i % 3 == 0 ? 2 : kInfinity});
  }
  std::vector<TriboRayHit> hits(rays.size());
  ASSERT_EQ(tribo_ray_cast(scene.model(), scene.state(), scene.workspace(), rays.data(),
                           (int)rays.size(), nullptr, hits.data()),
            TRIBO_OK);
  int loose = 0;
  for (size_t i = 0; i < rays.size(); ++i) {
    const TriboRayHit one = Cast(&scene, rays[i]);
    EXPECT_EQ(hits[i].shape, one.shape);
    EXPECT_EQ(hits[i].distance, one.distance);
    EXPECT_EQ(hits[i].normal.x, one.normal.x);
    loose += one.shape > 0;
  }
  EXPECT_GT(loose, 100);
}

TEST(Queries, RaysWithoutADirectionAreRefused) {
  Scene scene;
  scene.Plane();
  scene.Build();
  TriboRayHit hit;
  auto status = [&](TriboRay ray) {
    return tribo_ray_cast(scene.model(), scene.state(), scene.workspace(), &ray, 1, nullptr, &hit);
  };
  EXPECT_EQ(status({{0, 0, 1}, {0, 0, 0}, 1}), TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(status({{0, 0, 1}, {0, 0, 1}, -1}), TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(status({{0, 0, std::nan("")}, {0, 0, 1}, 1}), TRIBO_ERROR_NOT_FINITE);
  EXPECT_EQ(status({{0, 0, 1}, {0, 0, 1}, std::nan("")}), TRIBO_ERROR_NOT_FINITE);
  EXPECT_EQ(
      tribo_ray_cast(scene.model(), scene.state(), scene.workspace(), nullptr, 1, nullptr, &hit),
      TRIBO_ERROR_ARGUMENT);
}

TEST(Queries, DistancesOfShapesAreByHand) {
  Scene scene;
  scene.Plane();
  scene.Sphere(0.1, 1, {0, 0, 1});
  scene.Box({0.2, 0.2, 0.2}, 1, At(1, 0, 1));
  std::vector<double> heights(9, -0.5);
  TriboShapeDesc field = tribo_shape_default();
  field.type = TRIBO_SHAPE_HEIGHT_FIELD;
  field.size[0] = field.size[1] = 5;
  field.rows = field.columns = 3;
  field.heights = heights.data();
  int ground = -1;
  ASSERT_EQ(tribo_builder_add_shape(scene.builder(), &field, &ground), TRIBO_OK);
  scene.Build();
  auto distance = [&](int a, int b, TriboShapeDistance* result) {
    return tribo_shape_distance(scene.model(), scene.state(), scene.workspace(), a, b, result);
  };
  TriboShapeDistance d;
  ASSERT_EQ(distance(0, 1, &d), TRIBO_OK);
  EXPECT_NEAR(d.distance, 0.9, 1e-12);
  EXPECT_NEAR(d.normal.z, 1, 1e-12);
  ASSERT_EQ(distance(1, 2, &d), TRIBO_OK);
  EXPECT_NEAR(d.distance, 0.7, 1e-12);
  EXPECT_NEAR(d.point0.x, 0.1, 1e-12);
  EXPECT_NEAR(d.point1.x, 0.8, 1e-12);
  ASSERT_EQ(distance(2, 1, &d), TRIBO_OK);
  EXPECT_NEAR(d.normal.x, -1, 1e-12);
  ASSERT_EQ(distance(ground, 1, &d), TRIBO_OK);
  EXPECT_NEAR(d.distance, 1.4, 1e-12);
  ASSERT_EQ(distance(2, ground, &d), TRIBO_OK);
  EXPECT_NEAR(d.distance, 1.3, 1e-12);
  EXPECT_NEAR(d.normal.z, -1, 1e-12);
  EXPECT_EQ(distance(0, ground, &d), TRIBO_ERROR_UNSUPPORTED);
  EXPECT_EQ(distance(1, 1, &d), TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(distance(1, 9, &d), TRIBO_ERROR_ARGUMENT);
}

}  // namespace
