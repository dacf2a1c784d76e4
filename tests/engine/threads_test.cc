// SPDX-License-Identifier: Apache-2.0
//
// Threads over the islands of a step: the same bits, whatever their number.
#include <cstring>

#include "engine/base/random.h"
#include "engine/workspace.h"
#include "tests/allocations.h"
#include "tests/engine/scene.h"
#include "tests/failing_allocator.h"

namespace {

// Many islands of several sizes: little heaps that bounce, rub and penetrate at first.
void Build(Scene* scene, int threads, TriboContactModel model) {
  scene->options.threads = threads;
  scene->options.model = model;
  const int material = scene->Material(0.6, 0.3, [](TriboMaterialDesc* m) { m->viscosity = 1; });
  scene->Plane(tribo_pose_identity(), material);
  TriboRandom random = tribo_random(11);
  auto any = [&random]() { return tribo_random_in(&random, -1, 1); };
  for (int heap = 0; heap < 24; ++heap) {
    const double x = heap % 6, y = heap / 6;
    for (int i = 0; i <= heap % 4; ++i) {
      const TriboPose pose = {{x + 0.02 * any(), y + 0.02 * any(), 0.04 + 0.1 * i},
                              tribo_quat_from_axis_angle({0.6, 0.8, 0}, 0.3 * any())};
      if ((heap + i) % 2 == 0) scene->Box({0.05, 0.06, 0.04}, 1, pose, material);
      if ((heap + i) % 2 == 1) scene->Sphere(0.05, 0.5, pose.p, material);
    }
  }
  scene->Build();
}

struct Outcome {
  uint64_t state;
  int islands = 0, pivots = 0, iterations = 0;
  double worst = 0;
  size_t peak = 0;
};

Outcome After(int steps, int threads, TriboContactModel model,
              const std::function<void(Scene*)>& between = {}) {
  Scene scene;
  Build(&scene, threads, model);
  Outcome out;
  for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) {
    scene.Step();
    out.islands = std::max(out.islands, scene.info.islands);
    out.pivots += scene.info.pivots;
    out.iterations += scene.info.iterations;
    out.peak = scene.info.peak_bytes;
    if (between) between(&scene);
  }
  out.worst = scene.worst;
  out.state = tribo_state_hash(scene.state());
  return out;
}

TEST(Threads, ChangeNoBitOfAnyModel) {
  for (TriboContactModel model :
       {TRIBO_MODEL_COULOMB, TRIBO_MODEL_NOSLIP, TRIBO_MODEL_VISCOUS, TRIBO_MODEL_FRICTIONLESS}) {
    const Outcome one = After(150, 1, model);
    EXPECT_GE(one.islands, 20);
    for (int threads : {2, 4}) {
      const Outcome many = After(150, threads, model);
      EXPECT_EQ(many.state, one.state) << "model " << model << ", threads " << threads;
      EXPECT_EQ(many.pivots, one.pivots);
      EXPECT_EQ(many.iterations, one.iterations);
      EXPECT_EQ(many.worst, one.worst);
      EXPECT_EQ(many.peak, one.peak);
    }
  }
}

TEST(Threads, RememberNothingBetweenSteps) {
  const Outcome plain = After(100, 1, TRIBO_MODEL_COULOMB);
  const Outcome spoilt = After(100, 3, TRIBO_MODEL_COULOMB, [](Scene* scene) {
    TriboWorkspace* ws = scene->workspace();
    std::memset(reinterpret_cast<char*>(ws) + sizeof *ws, 0xff, ws->block_size - sizeof *ws);
  });
  EXPECT_EQ(plain.state, spoilt.state);
}

TEST(Threads, AllocateNothingInAStep) {
  Scene scene;
  Build(&scene, 2, TRIBO_MODEL_COULOMB);
  long allocations = 0;
  for (int i = 0; i < 100; ++i) {
    const long before = tribo_test_allocations();
    const TriboStatus status = scene.TryStep();
    allocations += tribo_test_allocations() - before;
    ASSERT_EQ(status, TRIBO_OK);
  }
  EXPECT_EQ(allocations, 0);
}

// Two ways to use fewer than there are: the step asks for fewer, or for more than the workspace
// has.
TEST(Threads, OfAStepAreAtMostThoseOfTheWorkspace) {
  const uint64_t expected = After(60, 1, TRIBO_MODEL_COULOMB).state;
  Scene fewer, more;
  Build(&fewer, 4, TRIBO_MODEL_COULOMB);
  Build(&more, 1, TRIBO_MODEL_COULOMB);
  for (int i = 0; i < 60; ++i) {
    fewer.options.threads = 1 + i % 4;
    fewer.Step();
    more.options.threads = 8;
    more.Step();
  }
  EXPECT_EQ(tribo_state_hash(fewer.state()), expected);
  EXPECT_EQ(tribo_state_hash(more.state()), expected);
}

// Every island fails under a tolerance that nothing meets: the first one is reported.
TEST(Threads, ReportTheFailureOfTheSmallestIsland) {
  TriboStepInfo info[2];
  for (int t = 0; t < 2; ++t) {
    Scene scene;
    Build(&scene, 1 + 3 * t, TRIBO_MODEL_COULOMB);
    scene.Run(30);
    const uint64_t before = tribo_state_hash(scene.state());
    scene.options.tolerance = 0;
    ASSERT_NE(scene.TryStep(), TRIBO_OK);
    EXPECT_EQ(tribo_state_hash(scene.state()), before);
    info[t] = tribo_step_info(scene.workspace());
  }
  EXPECT_EQ(info[0].status, info[1].status);
  EXPECT_EQ(info[0].pivots, info[1].pivots);
  EXPECT_EQ(info[0].rows, info[1].rows);
  EXPECT_EQ(info[0].certificate.worst, info[1].certificate.worst);
}

TEST(Threads, NeedMemoryForTheirPool) {
  Scene scene;
  Build(&scene, 1, TRIBO_MODEL_COULOMB);
  TriboWorkspaceOptions options = tribo_workspace_options_default();
  options.threads = 3;
  for (int calls = 0; calls <= 2; ++calls) {
    FailingAllocator memory(calls);
    TriboWorkspace* workspace = nullptr;
    const TriboStatus status =
        tribo_workspace_create(scene.model(), &options, &memory.allocator, &workspace);
    EXPECT_EQ(status, calls < 2 ? TRIBO_ERROR_MEMORY : TRIBO_OK) << calls;
    tribo_workspace_destroy(workspace);
    EXPECT_EQ(memory.live, 0);
  }
  for (int bad : {-1, TRIBO_MAX_THREADS + 1}) {
    options.threads = bad;
    TriboWorkspace* workspace = nullptr;
    EXPECT_EQ(tribo_workspace_create(scene.model(), &options, nullptr, &workspace),
              TRIBO_ERROR_ARGUMENT);
  }
}

}  // namespace
