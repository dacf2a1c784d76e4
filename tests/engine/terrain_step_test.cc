// SPDX-License-Identifier: Apache-2.0
//
// Steps on height fields and meshes: what slides and rolls over their seams must not feel them.
#include <cmath>
#include <vector>

#include "engine/base/random.h"
#include "tests/engine/scene.h"
#include "tests/scale.h"

namespace {

enum class Ground { kPlane, kField, kMesh };

// A flat floor of 8 m x 8 m at z = 0.
void AddGround(Scene* scene, Ground ground, int material) {
  TriboShapeDesc desc = tribo_shape_default();
  desc.material = material;
  std::vector<double> heights(81 * 81, 0.0), vertices;
  std::vector<int> triangles;
  if (ground == Ground::kPlane) {
    desc.type = TRIBO_SHAPE_PLANE;
  } else if (ground == Ground::kField) {
    desc.type = TRIBO_SHAPE_HEIGHT_FIELD;
    desc.size[0] = desc.size[1] = 4;
    desc.rows = desc.columns = 81;
    desc.heights = heights.data();
  } else {
    // Cells of 0.1 m, their inner corners moved about at random.
    TriboRandom random = tribo_random(5);
    const int n = 80;
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; j <= n; ++j) {
        const bool border = i == 0 || j == 0 || i == n || j == n;
        vertices.push_back(-4 + 0.1 * j + (border ? 0 : tribo_random_in(&random, -0.03, 0.03)));
        vertices.push_back(-4 + 0.1 * i + (border ? 0 : tribo_random_in(&random, -0.03, 0.03)));
        vertices.push_back(0);
      }
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const int a = i * (n + 1) + j;
        for (int v : {a, a + 1, a + n + 2, a, a + n + 2, a + n + 1}) triangles.push_back(v);
      }
    }
    desc.type = TRIBO_SHAPE_MESH;
    desc.vertex_count = (int)vertices.size() / 3;
    desc.vertices = vertices.data();
    desc.triangle_count = (int)triangles.size() / 3;
    desc.triangles = triangles.data();
  }
  ASSERT_EQ(tribo_builder_add_shape(scene->builder(), &desc, nullptr), TRIBO_OK);
}

std::vector<TriboContactResult> Contacts(Scene* scene) {
  std::vector<TriboContactResult> contacts(tribo_contact_count(scene->workspace()));
  for (size_t i = 0; i < contacts.size(); ++i) {
    EXPECT_TRUE(tribo_contact_get(scene->workspace(), static_cast<int>(i), &contacts[i]));
  }
  return contacts;
}

TEST(TerrainStep, ABoxSlidingOverSeamsMovesAsOnAPlane) {
  std::vector<TriboPose> path[3];
  std::vector<std::vector<TriboContactResult>> contacts[3];
  const Ground grounds[] = {Ground::kPlane, Ground::kField, Ground::kMesh};
  for (int g = 0; g < 3; ++g) {
    Scene scene;
    const int material = scene.Material(0.3);
    AddGround(&scene, grounds[g], material);
    const int box = scene.Box({0.15, 0.1, 0.05}, 2, At(-2, -1, 0.05), material);
    scene.Build();
    scene.SetVelocity(box, {3, 1.5, 0}, {0, 0, 4});
    for (int step = 0; step < 1500; ++step) {
      scene.Step();
      path[g].push_back(scene.Pose(box));
      contacts[g].push_back(Contacts(&scene));
    }
    EXPECT_NEAR(scene.Velocity(box).x, 0, 1e-12);  // it has come to rest
  }
  for (int g = 1; g < 3; ++g) {
    for (size_t i = 0; i < path[0].size(); ++i) {
      // The same four contacts under the same names, whatever seams the corners cross.
      ASSERT_EQ(contacts[g][i].size(), 4u) << g << " step " << i;
      for (size_t k = 0; k < 4; ++k) {
        ASSERT_EQ(contacts[g][i][k].id, contacts[0][i][k].id) << g << " step " << i;
        ASSERT_NEAR(contacts[g][i][k].gap, contacts[0][i][k].gap, 1e-15) << g << " step " << i;
      }
      // The split of the load over four corners is not unique while the box slides and turns, and
      // with it the friction torque: the solver takes one that fits to its precision, and rounding
      // decides which.
      ASSERT_NEAR(path[g][i].p.x, path[0][i].p.x, 1e-8) << g << " step " << i;
      ASSERT_NEAR(path[g][i].p.y, path[0][i].p.y, 1e-8) << g << " step " << i;
      ASSERT_NEAR(path[g][i].p.z, 0.05, 1e-9) << g << " step " << i;
      ASSERT_NEAR(path[g][i].q.z, path[0][i].q.z, 1e-6) << g << " step " << i;
    }
  }
}

// On three corners the split of the load is unique, and nothing is left to rounding.
TEST(TerrainStep, AWedgeSlidingOverSeamsMovesAsOnAPlane) {
  std::vector<TriboPose> path[3];
  const Ground grounds[] = {Ground::kPlane, Ground::kField, Ground::kMesh};
  for (int g = 0; g < 3; ++g) {
    Scene scene;
    const int material = scene.Material(0.3);
    AddGround(&scene, grounds[g], material);
    const double corners[] = {0.15, 0, -0.05, -0.1, 0.12, -0.05, -0.1, -0.13, -0.05,
                              0.15, 0, 0.05,  -0.1, 0.12, 0.05,  -0.1, -0.13, 0.05};
    const int wedge = scene.Link(2, {0.01, 0.01, 0.015});
    TriboShapeDesc desc = tribo_shape_default();
    desc.type = TRIBO_SHAPE_HULL;
    desc.link = wedge;
    desc.material = material;
    desc.vertex_count = 6;
    desc.vertices = corners;
    ASSERT_EQ(tribo_builder_add_shape(scene.builder(), &desc, nullptr), TRIBO_OK);
    scene.Build();
    scene.SetPose(wedge, At(-2, -1, 0.05));
    scene.SetVelocity(wedge, {3, 1.5, 0}, {0, 0, 4});
    for (int step = 0; step < 1500; ++step) {
      scene.Step();
      path[g].push_back(scene.Pose(wedge));
    }
    EXPECT_NEAR(scene.Velocity(wedge).x, 0, 1e-12);
  }
  for (int g = 1; g < 3; ++g) {
    for (size_t i = 0; i < path[0].size(); ++i) {
      ASSERT_LE(tribo_vec3_distance(path[g][i].p, path[0][i].p), 1e-12) << g << " step " << i;
      ASSERT_NEAR(path[g][i].q.z, path[0][i].q.z, 1e-12) << g << " step " << i;
    }
  }
}

TEST(TerrainStep, ABallRollsOverSeamsWithoutABump) {
  for (Ground ground : {Ground::kField, Ground::kMesh}) {
    Scene scene;
    const int material = scene.Material(0.5);
    AddGround(&scene, ground, material);
    const int ball = scene.Sphere(0.05, 1, {-3, 0.013, 0.05}, material);
    scene.Build();
    scene.SetVelocity(ball, {2, 0.1, 0}, {-0.1 / 0.05, 2 / 0.05, 0});
    for (int step = 0; step < 2500; ++step) {
      scene.Step();
      ASSERT_NEAR(scene.Velocity(ball).x, 2, 1e-9) << step;
      ASSERT_NEAR(scene.Velocity(ball).y, 0.1, 1e-9) << step;
      ASSERT_NEAR(scene.Position(ball).z, 0.05, 1e-10) << step;
    }
  }
}

TEST(TerrainStep, ACapsuleSlidesOverSeamsInAStraightLine) {
  for (Ground ground : {Ground::kField, Ground::kMesh}) {
    Scene scene;
    const int material = scene.Material(0.2);
    AddGround(&scene, ground, material);
    const double half = std::sqrt(0.5);
    const int capsule =
        scene.Capsule(0.04, 0.2, 1, {{-3, 0.5, 0.04}, {half, 0, half, 0}}, material);
    scene.Build();
    scene.SetVelocity(capsule, {3, 0, 0});
    double v = 3;
    for (int step = 0; step < 1000; ++step) {
      scene.Step();
      v = std::fmax(0, v - 0.2 * 9.81 * 1e-3);
      ASSERT_NEAR(scene.Velocity(capsule).x, v, 1e-9) << step;
      ASSERT_NEAR(scene.Position(capsule).z, 0.04, 1e-9) << step;
    }
  }
}

// Rough ground of 4 m x 4 m: cells of 0.1 m, heights up to 0.04 m.
void AddRoughGround(Scene* scene, TriboRandom* random, int material) {
  std::vector<double> heights;
  for (int i = 0; i < 41 * 41; ++i) heights.push_back(tribo_random_in(random, 0, 0.04));
  TriboShapeDesc desc = tribo_shape_default();
  desc.type = TRIBO_SHAPE_HEIGHT_FIELD;
  desc.material = material;
  desc.size[0] = desc.size[1] = 2;
  desc.rows = desc.columns = 41;
  desc.heights = heights.data();
  ASSERT_EQ(tribo_builder_add_shape(scene->builder(), &desc, nullptr), TRIBO_OK);
}

// Balls dropped on rough ground roll into hollows and come to rest on it, not in it.
TEST(TerrainStep, BallsDroppedOnRoughGroundComeToRestOnIt) {
  Scene scene;
  TriboRandom random = tribo_random(8);
  const int material = scene.Material(0.9, 0, [](TriboMaterialDesc* d) { d->rolling = 0.01; });
  AddRoughGround(&scene, &random, material);
  std::vector<int> links;
  for (int i = 0; i < 9; ++i) {
    const TriboVec3 at = {-1 + 0.9 * (i % 3), -1 + 0.9 * (i / 3), 0.3};
    links.push_back(scene.Sphere(0.03 + 0.01 * (i % 4), 1, at, material));
  }
  scene.Run(3000);
  if (HasFatalFailure()) return;
  for (int step = 0; step < 100; ++step) {
    scene.Step();
    EXPECT_GT(scene.info.deepest, -1e-9);
  }
  for (int link : links) {
    EXPECT_GT(scene.Position(link).z, 0.03);
    EXPECT_LT(tribo_vec3_norm(scene.Velocity(link)), 1e-3) << link;
  }
}

// Balls, boxes and capsules on rough ground: faces and edges that lie on ridges by points whose
// gaps differ by rounding. Every step certifies (Scene::Step), whatever friction is.
TEST(TerrainStep, BallsBoxesAndCapsulesOnRoughGroundCertifyWithEveryModel) {
  for (TriboContactModel model :
       {TRIBO_MODEL_COULOMB, TRIBO_MODEL_NOSLIP, TRIBO_MODEL_VISCOUS, TRIBO_MODEL_FRICTIONLESS}) {
    for (int trial = 0; trial < tribo_test_count(2); ++trial) {
      Scene scene;
      TriboRandom random = tribo_random(8 + trial);
      const int material = scene.Material(0.9, 0, [&](TriboMaterialDesc* d) {
        d->viscosity = 10;
        if (trial % 2 == 0) d->rolling = 0.01;
      });
      AddRoughGround(&scene, &random, material);
      for (int i = 0; i < 9; ++i) {
        const TriboVec3 at = {-1 + 0.9 * (i % 3), -1 + 0.9 * (i / 3), 0.3};
        const double size = 0.03 + 0.01 * (i % 4), turn = 0.3 * i + 0.1 * trial;
        const TriboPose pose = {at, tribo_quat_normalize({1, 0.6 * turn, 0.3, 0.8 * turn})};
        if (i % 3 == 0) scene.Sphere(size, 1, at, material);
        if (i % 3 == 1) scene.Box({size, 1.3 * size, 0.7 * size}, 1, pose, material);
        if (i % 3 == 2) scene.Capsule(size, 1.5 * size, 1, pose, material);
      }
      scene.options.model = model;
      scene.Run(1500);
      ASSERT_FALSE(HasFailure()) << "model " << model << " trial " << trial;
      EXPECT_LE(scene.worst, 1e-9);
      EXPECT_EQ(scene.relaxed_steps, 0) << "model " << model << " trial " << trial;
      EXPECT_GT(scene.info.touching, 0);
    }
  }
}

// A grain of 2 mm shot at a sheet, at the thinnest plate and at the ground, up to 1 m a step: the
// margin grows with the speed, so that the contact is there before the grain could be beyond it.
TEST(TerrainStep, NothingTunnelsAtAnySpeedItComesWith) {
  TriboRandom random = tribo_random(12);
  for (int target = 0; target < 3; ++target) {
    for (double speed : {1.0, 10.0, 100.0, 1000.0}) {
      for (int trial = 0; trial < 20; ++trial) {
        Scene scene;
        const int material = scene.Material(0.3);
        if (target == 0) AddGround(&scene, Ground::kMesh, material);
        if (target == 1) AddGround(&scene, Ground::kField, material);
        if (target == 2) {
          scene.Shape(TRIBO_WORLD, TRIBO_SHAPE_BOX, {4, 4, 0.0005}, At(0, 0, -0.0005), material);
        }
        const int grain =
            scene.Sphere(0.002, 0.001, {0, 0, tribo_random_in(&random, 0.01, 3)}, material);
        scene.Build();
        // Down, at up to 45 degrees.
        const double a = tribo_random_in(&random, -0.7, 0.7);
        scene.SetVelocity(grain, {speed * std::sin(a), 0.1 * speed, -speed * std::cos(a)});
        double lowest = INFINITY;
        for (int step = 0; step < 200; ++step) {
          scene.Step();
          if (HasFatalFailure()) return;
          const TriboVec3 p = scene.Position(grain);
          if (std::fabs(p.x) > 3.9 || std::fabs(p.y) > 3.9) break;  // off the target
          lowest = std::fmin(lowest, p.z);
        }
        EXPECT_GT(lowest, 0.002 - 1e-9) << "target " << target << " speed " << speed;
      }
    }
  }
}

}  // namespace
