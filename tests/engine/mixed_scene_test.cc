// SPDX-License-Identifier: Apache-2.0
//
// Shapes of every kind dropped into a box of planes: no step fails, every step certifies, and no
// step gains energy but for what the position projection lifts, which is told to the last digit.
// `TRIBO_TEST_SCALE` drops more of such heaps.
#include <cmath>
#include <set>
#include <vector>

#include "engine/base/random.h"
#include "tests/engine/scene.h"
#include "tests/scale.h"

namespace {

constexpr int kBodies = 12;
constexpr int kSteps = 500;  // each of the four models: 2000 steps a heap

TriboQuat AnyTurn(TriboRandom* random) {
  const double w = tribo_random_normal(random), x = tribo_random_normal(random);
  const double y = tribo_random_normal(random), z = tribo_random_normal(random);
  return tribo_quat_normalize({w, x, y, z});
}

// Floor and four walls, 0.5 m apart.
void AddBox(Scene* scene, int material) {
  const double wall = 0.25, half = std::sqrt(0.5);
  scene->Plane(At(0, 0, 0), material);
  scene->Plane({{-wall, 0, 0}, {half, 0, half, 0}}, material);
  scene->Plane({{wall, 0, 0}, {half, 0, -half, 0}}, material);
  scene->Plane({{0, -wall, 0}, {half, -half, 0, 0}}, material);
  scene->Plane({{0, wall, 0}, {half, half, 0, 0}}, material);
}

// A convex body of ten points on an ellipsoid.
void AddHull(Scene* scene, int link, TriboVec3 size, int material, TriboRandom* random) {
  std::vector<double> points;
  for (int i = 0; i < 10; ++i) {
    const TriboVec3 p = tribo_quat_rotate(AnyTurn(random), {0, 0, 1});
    points.insert(points.end(), {size.x * p.x, size.y * p.y, size.z * p.z});
  }
  TriboShapeDesc desc = tribo_shape_default();
  desc.type = TRIBO_SHAPE_HULL;
  desc.link = link;
  desc.material = material;
  desc.vertex_count = 10;
  desc.vertices = points.data();
  ASSERT_EQ(tribo_builder_add_shape(scene->builder(), &desc, nullptr), TRIBO_OK);
}

struct Body {
  double mass;
  TriboPose start;
};

// One above the other, each of the next kind.
std::vector<Body> AddBodies(Scene* scene, int material, TriboRandom* random) {
  static const TriboShapeType kinds[] = {TRIBO_SHAPE_SPHERE,    TRIBO_SHAPE_CAPSULE,
                                         TRIBO_SHAPE_BOX,       TRIBO_SHAPE_CYLINDER,
                                         TRIBO_SHAPE_ELLIPSOID, TRIBO_SHAPE_HULL};
  std::vector<Body> bodies;
  for (int i = 0; i < kBodies; ++i) {
    const double a = tribo_random_in(random, 0.03, 0.07), b = tribo_random_in(random, 0.03, 0.07);
    const double c = tribo_random_in(random, 0.03, 0.07), m = tribo_random_in(random, 0.3, 3);
    const double x = tribo_random_in(random, -0.1, 0.1), y = tribo_random_in(random, -0.1, 0.1);
    // The inertia of an ellipsoid, whatever the shape.
    const int link =
        scene->Link(m, {m * (b * b + c * c) / 5, m * (a * a + c * c) / 5, m * (a * a + b * b) / 5});
    const TriboShapeType kind = kinds[i % 6];
    if (kind == TRIBO_SHAPE_HULL) {
      AddHull(scene, link, {a, b, c}, material, random);
    } else {
      scene->Shape(link, kind, {a, b, c}, tribo_pose_identity(), material);
    }
    bodies.push_back({m, {{x, y, 0.12 + 0.15 * i}, AnyTurn(random)}});
  }
  return bodies;
}

std::vector<double> Heights(Scene* scene) {
  std::vector<double> z;
  for (int i = 0; i < kBodies; ++i) z.push_back(scene->Position(i).z);
  return z;
}

// What the last step lifted, from outside: a body that may touch something moves by h times its new
// velocity, and by what the projection adds. (What is free of all others falls the parabola.)
double EnergyLifted(Scene* scene, const std::vector<Body>& bodies,
                    const std::vector<double>& before) {
  std::set<int> near;
  TriboContactResult contact;
  for (int c = 0; tribo_contact_get(scene->workspace(), c, &contact); ++c) {
    near.insert(contact.link0);
    near.insert(contact.link1);
  }
  double energy = 0;
  for (int i = 0; i < kBodies; ++i) {
    if (near.count(i) == 0) continue;
    const double moved = scene->Position(i).z - before[i];
    energy += 9.81 * bodies[i].mass * (moved - scene->options.h * scene->Velocity(i).z);
  }
  return energy;
}

TEST(MixedScene, EveryKindOfShapeDroppedIntoABoxCertifiesAndGainsOnlyWhatIsLifted) {
  const int heaps = tribo_test_count(1);
  for (int heap = 0; heap < heaps; ++heap) {
    for (TriboContactModel model :
         {TRIBO_MODEL_COULOMB, TRIBO_MODEL_NOSLIP, TRIBO_MODEL_VISCOUS, TRIBO_MODEL_FRICTIONLESS}) {
      Scene scene;
      TriboRandom random = tribo_random(100 + (uint64_t)heap);
      const double mu = tribo_random_in(&random, 0.1, 1);
      const int material =
          scene.Material(mu, 0, [](TriboMaterialDesc* desc) { desc->viscosity = 10; });
      AddBox(&scene, material);
      const std::vector<Body> bodies = AddBodies(&scene, material, &random);
      scene.options.model = model;
      scene.options.h = 0.002;
      scene.options.energy = true;
      scene.Build();
      for (int i = 0; i < kBodies; ++i) scene.SetPose(i, bodies[i].start);
      const double first = scene.TotalEnergy(), rounding = 1e-12 * first;
      for (int step = 0; step < kSteps; ++step) {
        SCOPED_TRACE("heap " + std::to_string(heap) + " model " + std::to_string(model) + " step " +
                     std::to_string(step));
        const std::vector<double> before = Heights(&scene);
        scene.Step();
        ASSERT_FALSE(HasFailure());
        const TriboStepInfo& info = scene.info;
        ASSERT_LE(info.certificate.worst, 1e-9);
        ASSERT_LE(info.energy_after, info.energy_before + info.energy_lifted + rounding);
        ASSERT_NEAR(info.energy_lifted, EnergyLifted(&scene, bodies, before), rounding);
      }
      EXPECT_EQ(scene.relaxed_steps, 0) << "heap " << heap << " model " << model;
      EXPECT_LT(scene.info.energy_after, 0.8 * first);  // they did fall
      EXPECT_GT(scene.info.touching, kBodies / 2);
    }
  }
}

}  // namespace
