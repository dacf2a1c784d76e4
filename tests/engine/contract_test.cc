// SPDX-License-Identifier: Apache-2.0
//
// What a step promises whatever the scene: no allocation, no memory in the workspace, saved states,
// the same bits, statuses that change nothing, and no energy from nowhere.
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "engine/base/random.h"
#include "engine/workspace.h"
#include "tests/allocations.h"
#include "tests/command.h"
#include "tests/engine/scene.h"
#include "tests/scale.h"

namespace {

constexpr double kCertificate = 1e-9;

// A bit of everything: boxes, balls and capsules that fall on each other, bounce a little, and an
// arm with a limit, dry friction and a servo.
void Build(Scene* scene, TriboContactModel model = TRIBO_MODEL_COULOMB) {
  scene->options.model = model;
  const int material =
      scene->Material(0.6, 0.3, [](TriboMaterialDesc* m) { m->viscosity = 2, m->rolling = 1e-3; });
  scene->Plane(tribo_pose_identity(), material);
  for (int i = 0; i < 3; ++i) {
    scene->Box({0.05, 0.06, 0.04}, 1, At(0.02 * i, 0.01 * i, 0.05 + 0.13 * i), material);
    scene->Sphere(0.05, 0.5, {0.3 + 0.01 * i, 0.02 * i, 0.06 + 0.12 * i}, material);
    scene->Capsule(
        0.03, 0.05, 0.3,
        {{-0.3 + 0.01 * i, 0, 0.1 + 0.17 * i}, tribo_quat_from_axis_angle({1, 0, 0}, 0.4 * i)},
        material);
  }
  const int arm = scene->Link(1, {0.02, 0.02, 0.02});
  const int joint = scene->Joint(TRIBO_JOINT_HINGE, TRIBO_WORLD, arm, [](TriboJointDesc* d) {
    d->pose_parent = {{0, 1, 1}, tribo_quat_from_axis_angle({1, 0, 0}, -1.5)};
    d->pose_child.p = {-0.3, 0, 0};
    d->limited = true;
    d->lower = -0.5;
    d->upper = 0.5;
    d->friction = 0.1;
  });
  scene->Actuator(TRIBO_ACTUATOR_POSITION, joint, [](TriboActuatorDesc* d) {
    d->kp = 20;
    d->kd = 1;
    d->effort_limit = 0.5;
  });
  scene->Build();
}

const TriboContactModel kAllModels[] = {TRIBO_MODEL_COULOMB, TRIBO_MODEL_NOSLIP,
                                        TRIBO_MODEL_VISCOUS, TRIBO_MODEL_FRICTIONLESS};

uint64_t HashAfter(int steps, const std::function<void(Scene*, int)>& between = {},
                   TriboContactModel model = TRIBO_MODEL_COULOMB) {
  Scene scene;
  Build(&scene, model);
  for (int i = 0; i < steps; ++i) {
    scene.Step();
    if (between) between(&scene, i);
  }
  EXPECT_LE(scene.worst, kCertificate);
  return tribo_state_hash(scene.state());
}

TEST(Contract, AStepAllocatesNothing) {
  for (TriboContactModel model : kAllModels) {
    Scene scene;
    Build(&scene, model);
    long allocations = 0;
    for (int i = 0; i < 200; ++i) {
      const long before = tribo_test_allocations();
      const TriboStatus status = scene.TryStep();
      allocations += tribo_test_allocations() - before;
      ASSERT_EQ(status, TRIBO_OK) << "model " << model;
    }
    EXPECT_EQ(allocations, 0) << "model " << model;
  }
}

TEST(Contract, TheWorkspaceRemembersNothing) {
  for (TriboContactModel model : kAllModels) {
    const uint64_t plain = HashAfter(300, {}, model);
    const uint64_t spoilt = HashAfter(
        300,
        [](Scene* scene, int) {
          // Every array of the block: NaN as a double, -1 as an int.
          TriboWorkspace* ws = scene->workspace();
          std::memset(reinterpret_cast<char*>(ws) + sizeof *ws, 0xff, ws->block_size - sizeof *ws);
        },
        model);
    EXPECT_EQ(plain, spoilt) << "model " << model;
  }
}

// A clock that ticks whenever it is read.
double Tick() {
  static double ticks = 0;
  return ++ticks;
}

// Every piece of the step belongs to a stage, one that fails too; a clock changes no bit.
TEST(Contract, TheStagesOfAStepShareItsTime) {
  TriboStageTimes times = {};
  times.clock = Tick;
  const double begin = Tick();
  long steps = 0;
  const uint64_t timed = HashAfter(50, [&](Scene* scene, int) {
    scene->workspace()->stages = &times;
    ++steps;
  });
  const double readings = Tick() - begin - 1;
  EXPECT_EQ(timed, HashAfter(50));
  double sum = 0;
  for (double seconds : times.seconds) {
    EXPECT_GE(seconds, steps - 1);
    sum += seconds;
  }
  // The reading that begins a step ends no stage; the first step had no clock.
  EXPECT_EQ(sum, readings - (steps - 1.0));

  Scene scene;
  scene.Link(1, {0.1, 0.1, 0.1});
  scene.Build();
  scene.workspace()->stages = &times;
  scene.options.speed_limit = 1e-9;
  EXPECT_EQ(scene.TryStep(), TRIBO_ERROR_DIVERGED);
  EXPECT_EQ(times.stage, TRIBO_STAGE_REST);
}

TEST(Contract, QueriesBetweenStepsChangeNothing) {
  const uint64_t plain = HashAfter(200);
  const uint64_t asked = HashAfter(200, [](Scene* scene, int i) {
    (void)scene->Energy();
    (void)scene->Velocity(i % 9);
    TriboVec3 force, torque;
    EXPECT_EQ(tribo_joint_reaction(scene->model(), scene->state(), scene->workspace(), 0, &force,
                                   &torque),
              TRIBO_OK);
    std::vector<double> a(tribo_model_nv(scene->model()));
    TriboForwardInfo info;
    EXPECT_EQ(tribo_forward(scene->model(), nullptr, nullptr, scene->state(), scene->workspace(),
                            a.data(), &info),
              TRIBO_OK);
  });
  EXPECT_EQ(plain, asked);
}

TEST(Contract, ASavedStateContinuesWithTheSameBits) {
  for (TriboContactModel model : kAllModels) {
    Scene first;
    Build(&first, model);
    first.Run(137);
    std::vector<char> bytes(tribo_state_saved_size(first.state()));
    ASSERT_EQ(tribo_state_save(first.state(), bytes.data(), bytes.size()), TRIBO_OK);
    first.Run(150);
    Scene second;
    Build(&second, model);
    second.Run(20);  // whatever it did before
    ASSERT_EQ(tribo_state_restore(second.model(), bytes.data(), bytes.size(), second.state()),
              TRIBO_OK);
    second.Run(150);
    EXPECT_EQ(tribo_state_hash(first.state()), tribo_state_hash(second.state()))
        << "model " << model;
  }
}

// Two heaps that never meet, of which one or the other is described first.
TEST(Contract, TheOrderOfIslandsChangesNoBitOfThem) {
  for (TriboContactModel model : kAllModels) {
    std::vector<TriboPose> pose[2][2];  // by order and heap
    for (int order = 0; order < 2; ++order) {
      Scene scene;
      scene.options.model = model;
      const int material = scene.Material(0.6, 0.3, [](TriboMaterialDesc* m) { m->viscosity = 2; });
      scene.Plane(tribo_pose_identity(), material);
      std::vector<int> links[2];
      for (int turn = 0; turn < 2; ++turn) {
        const int heap = turn ^ order;
        for (int i = 0; i < 3; ++i) {
          const TriboQuat q = tribo_quat_from_axis_angle({0.6, 0.8, 0}, 0.3 * i + 0.1 * heap);
          const TriboPose at = {{3.0 * heap + 0.02 * i, 0.01 * i, 0.06 + 0.13 * i}, q};
          links[heap].push_back(i == 1 ? scene.Sphere(0.05, 0.5, at.p, material)
                                       : scene.Box({0.05, 0.06, 0.04}, 1, at, material));
        }
      }
      scene.Run(300);
      for (int heap = 0; heap < 2; ++heap) {
        for (int link : links[heap]) pose[order][heap].push_back(scene.Pose(link));
      }
    }
    for (int heap = 0; heap < 2; ++heap) {
      EXPECT_EQ(std::memcmp(pose[0][heap].data(), pose[1][heap].data(), 3 * sizeof(TriboPose)), 0)
          << "model " << model << " heap " << heap;
    }
  }
}

TEST(Contract, PassiveScenesOfEveryModelGainNoEnergy) {
  for (TriboContactModel model : kAllModels) {
    Scene scene;
    scene.options.model = model;
    scene.options.energy = true;
    const int material = scene.Material(0.4, 0, [](TriboMaterialDesc* m) { m->viscosity = 2; });
    scene.Plane(tribo_pose_identity(), material);
    const int box = scene.Box({0.1, 0.1, 0.05}, 2, At(0, 0, 0.05), material);
    const int ball = scene.Sphere(0.1, 1, {1, 0, 0.3}, material);
    scene.Build();
    scene.SetVelocity(box, {1, 0.5, 0});
    scene.SetVelocity(ball, {0.5, 0, 0});
    double last = scene.TotalEnergy();
    for (int i = 0; i < 500; ++i) {
      scene.Step();
      // Rounding of energies of 10 J.
      ASSERT_NEAR(scene.info.energy_before, last, 1e-12);
      ASSERT_LE(scene.info.energy_after, scene.info.energy_before + 1e-12)
          << "model " << model << ", step " << i;
      last = scene.info.energy_after;
    }
    EXPECT_NEAR(last, scene.TotalEnergy(), 1e-12);
  }
}

// A ball with three different moments of inertia that spins on a floor. The floor pushes through
// its centre of mass, so that nothing but the gyroscopic torque changes its spin, and that does no
// work.
TEST(Contract, ATumblingBallOnTheFloorKeepsItsEnergy) {
  Scene scene;
  scene.options.energy = true;
  scene.options.model = TRIBO_MODEL_FRICTIONLESS;
  scene.Plane();
  const int ball = scene.Link(1, {0.001, 0.002, 0.003 - 1e-6});
  scene.Shape(ball, TRIBO_SHAPE_SPHERE, {0.1, 0, 0}, tribo_pose_identity());
  scene.Build();
  scene.SetPose(ball, At(0, 0, 0.1));
  scene.SetVelocity(ball, {0, 0, 0}, {1, 30, 2});
  const double first = scene.TotalEnergy();
  for (int i = 0; i < 2000; ++i) {
    scene.Step();
    ASSERT_EQ(scene.info.touching, 1);
    ASSERT_LE(scene.info.energy_after, scene.info.energy_before + 1e-14) << i;
  }
  EXPECT_NEAR(scene.TotalEnergy(), first, 1e-11);
}

// A flat ellipsoid rocks on the floor. A step moves it along the tangent at its contact, and what
// the curved side then penetrates is lifted: single steps gain that much, and lose more to rows
// that turn. Over a swing it only loses, of the order of h.
TEST(Contract, ARockingEllipsoidOnlyLosesEnergyAndHalfAsMuchWithHalfTheStep) {
  const double a = 0.1, c = 0.05, tilt = 0.5;
  const double height = std::hypot(a * std::sin(tilt), c * std::cos(tilt));
  double lost[2];
  for (int half = 0; half < 2; ++half) {
    Scene scene;
    scene.options.h = half ? 0.0005 : 0.001;
    scene.options.energy = true;
    scene.Plane();
    const int body = scene.Link(1, {(a * a + c * c) / 5, (a * a + c * c) / 5, 2 * a * a / 5});
    scene.Shape(body, TRIBO_SHAPE_ELLIPSOID, {a, a, c});
    scene.Build();
    scene.SetPose(body, {{0, 0, height}, tribo_quat_from_axis_angle({0, 1, 0}, tilt)});
    const double first = scene.TotalEnergy();
    double second = first;
    for (int t = 0; t < 4; ++t) {
      for (double end = t + 1; tribo_state_time(scene.state()) < end - 1e-9;) {
        scene.Step();
        ASSERT_LE(scene.info.energy_after,
                  scene.info.energy_before + scene.info.energy_lifted + 1e-14);
        ASSERT_LE(scene.info.energy_after, first);
      }
      EXPECT_LT(scene.info.energy_after, second) << "after second " << t;
      second = scene.info.energy_after;
    }
    lost[half] = first - second;
  }
  EXPECT_NEAR(lost[0] / lost[1], 2, 0.2);
}

TEST(Contract, OptionsThatMakeNoSenseAreRefused) {
  Scene scene;
  Build(&scene);
  const uint64_t before = tribo_state_hash(scene.state());
  const std::function<void(TriboStepOptions*)> bad[] = {
      [](TriboStepOptions* o) { o->h = 0; },           [](TriboStepOptions* o) { o->h = NAN; },
      [](TriboStepOptions* o) { o->h = -1; },          [](TriboStepOptions* o) { o->facets = 7; },
      [](TriboStepOptions* o) { o->facets = 2; },      [](TriboStepOptions* o) { o->margin = -1; },
      [](TriboStepOptions* o) { o->tolerance = NAN; }, [](TriboStepOptions* o) { o->threads = 0; },
      [](TriboStepOptions* o) { o->budget = -1; },     [](TriboStepOptions* o) { o->slop = -1; },
      [](TriboStepOptions* o) { o->speed_limit = 0; },
  };
  for (const auto& change : bad) {
    scene.options = tribo_step_options_default();
    change(&scene.options);
    EXPECT_EQ(scene.TryStep(), TRIBO_ERROR_ARGUMENT);
    EXPECT_EQ(tribo_state_hash(scene.state()), before);
  }
  EXPECT_EQ(tribo_step(nullptr, nullptr, nullptr, nullptr, nullptr), TRIBO_ERROR_ARGUMENT);
}

TEST(Contract, DivergingVelocityNamesTheJoint) {
  Scene scene;
  const int link = scene.Link(1, {0.1, 0.1, 0.1});
  const int joint = scene.Joint(TRIBO_JOINT_SLIDE, TRIBO_WORLD, link);
  const double push[] = {1e12};
  scene.input.effort = push;
  scene.Build();
  const uint64_t before = tribo_state_hash(scene.state());
  EXPECT_EQ(scene.TryStep(), TRIBO_ERROR_DIVERGED);
  const TriboStepInfo info = tribo_step_info(scene.workspace());
  EXPECT_EQ(info.kind, TRIBO_KIND_JOINT);
  EXPECT_EQ(info.element, joint);
  EXPECT_EQ(tribo_state_hash(scene.state()), before);
}

TEST(Contract, ACapsuleOfTheStepIsWritten) {
  Scene scene;
  Build(&scene);
  EXPECT_EQ(tribo_capsule_write(scene.workspace(), "none"), TRIBO_ERROR_ARGUMENT);
  scene.Run(60);
  const std::string path = testing::TempDir() + "/step.capsule";
  ASSERT_EQ(tribo_capsule_write(scene.workspace(), path.c_str()), TRIBO_OK);
  EXPECT_EQ(tribo_capsule_write(scene.workspace(), "/nowhere/at/all"), TRIBO_ERROR_FILE);
  const CommandResult replayed = run_command("tools/tribo/tribo solve --capsule " + path);
  EXPECT_EQ(replayed.exit_code, 0) << replayed.out << replayed.err;
}

// Shapes of all simple kinds dropped in a box; TRIBO_TEST_SCALE makes the million steps of a soak.
TEST(Contract, RandomShapesInABoxNeverFail) {
  Scene scene;
  scene.options.h = 0.002;
  const int material = scene.Material(0.5);
  scene.Plane(tribo_pose_identity(), material);
  const double pi = 3.14159265358979323846;
  for (int side = 0; side < 4; ++side) {
    // Walls at 0.4 m, normals inwards.
    const TriboQuat turn = tribo_quat_mul(tribo_quat_from_axis_angle({0, 0, 1}, side * pi / 2),
                                          tribo_quat_from_axis_angle({0, 1, 0}, -pi / 2));
    scene.Plane({tribo_quat_rotate(turn, {0, 0, -0.4}), turn}, material);
  }
  TriboRandom random = tribo_random(7);
  auto any = [&random]() { return tribo_random_in(&random, -1, 1); };
  std::vector<int> bodies;
  for (int i = 0; i < 12; ++i) {
    const double x = 0.25 * any(), y = 0.25 * any();
    const TriboPose pose = {{x, y, 0.1 + 0.17 * i},
                            tribo_quat_from_axis_angle({0.6, 0.8, 0}, 0.7 * i)};
    if (i % 3 == 0) bodies.push_back(scene.Box({0.05, 0.07, 0.04}, 1, pose, material));
    if (i % 3 == 1) bodies.push_back(scene.Sphere(0.06, 0.7, pose.p, material));
    if (i % 3 == 2) bodies.push_back(scene.Capsule(0.04, 0.06, 0.5, pose, material));
  }
  scene.Build();
  const int steps = tribo_test_count(2000);
  for (int i = 0; i < steps; ++i) {
    scene.Step();
    if (::testing::Test::HasFatalFailure()) {
      EXPECT_EQ(
          tribo_capsule_write(scene.workspace(), (testing::TempDir() + "/random.capsule").c_str()),
          TRIBO_OK);
      return;
    }
    if (i % 4000 == 3999) {  // stir
      for (int b : bodies) {
        scene.SetVelocity(b, {any(), any(), 2}, {5 * any(), 5 * any(), 5 * any()});
      }
    }
  }
  EXPECT_LE(scene.worst, kCertificate);
  RecordProperty("fallback_steps", scene.fallback_steps);
  RecordProperty("relaxed_steps", scene.relaxed_steps);
  EXPECT_EQ(scene.relaxed_steps, 0);
  EXPECT_EQ(scene.fallback_steps, 0);
  for (int b : bodies) {
    const TriboVec3 p = scene.Position(b);
    EXPECT_GT(p.z, 0) << "body " << b;
    EXPECT_LT(std::fmax(std::fabs(p.x), std::fabs(p.y)), 0.41) << "body " << b;
  }
}

}  // namespace
