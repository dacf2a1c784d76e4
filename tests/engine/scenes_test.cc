// SPDX-License-Identifier: Apache-2.0
//
// Scenes where soft or iterative contact creeps, sinks or falls: grasps, pinches, ladders, towers,
// mass ratios, and Painleve's rod. The numbers of grasp and stack are those of tools/peers.
#include <cmath>

#include "engine/base/random.h"
#include "tests/engine/scene.h"
#include "tests/scale.h"

namespace {

constexpr double kG = 9.81;
constexpr double kPi = 3.14159265358979323846;
constexpr double kCertificate = 1e-9;

// A plate or fingertip that slides along x only, pushed by an effort.
int Finger(Scene* scene, TriboShapeType type, TriboVec3 size, TriboVec3 at, int material,
           int* joint) {
  const int link = scene->Link(1, {0.01, 0.01, 0.01});
  scene->Shape(link, type, size, tribo_pose_identity(), material);
  *joint = scene->Joint(TRIBO_JOINT_SLIDE, TRIBO_WORLD, link, [&](TriboJointDesc* d) {
    d->pose_parent.p = at;
    d->axis = {1, 0, 0};
  });
  return link;
}

// Pushes both fingers together with `force`.
void Squeeze(Scene* scene, int left, int right, double force, std::vector<double>* effort) {
  effort->assign(tribo_model_nv(scene->model()), 0.0);
  (*effort)[tribo_model_joint_v(scene->model(), left)] = force;
  (*effort)[tribo_model_joint_v(scene->model(), right)] = -force;
  scene->input.effort = effort->data();
}

TEST(Scenes, RowOfCubesBetweenTwoPlatesDoesNotMove) {
  for (TriboContactModel model : {TRIBO_MODEL_COULOMB, TRIBO_MODEL_NOSLIP}) {
    for (int n : {2, 8}) {
      Scene scene;
      scene.options.h = 0.01;
      scene.options.model = model;
      const int material = scene.Material(0.8);
      std::vector<int> cubes;
      for (int i = 0; i < n; ++i) {
        cubes.push_back(
            scene.Box({0.05, 0.05, 0.05}, 1, At(0.1 * (i - 0.5 * (n - 1)), 0, 1), material));
      }
      const double x = 0.07 + 0.05 * (n - 1);
      int left, right;
      Finger(&scene, TRIBO_SHAPE_BOX, {0.02, 0.06, 0.06}, {-x, 0, 1}, material, &left);
      Finger(&scene, TRIBO_SHAPE_BOX, {0.02, 0.06, 0.06}, {x, 0, 1}, material, &right);
      scene.Build();
      std::vector<double> effort;
      Squeeze(&scene, left, right, n <= 2 ? 50 : 400, &effort);
      std::vector<TriboVec3> start;
      for (int c : cubes) start.push_back(scene.Position(c));
      scene.Run(tribo_test_count(300));
      for (int i = 0; i < n; ++i) {
        EXPECT_LT(tribo_vec3_distance(scene.Position(cubes[i]), start[i]), 1e-9)
            << n << " cubes, cube " << i << ", model " << model;
      }
      EXPECT_LE(scene.worst, kCertificate);
    }
  }
}

TEST(Scenes, PinchedCapsuleDoesNotCreep) {
  for (TriboContactModel model : {TRIBO_MODEL_COULOMB, TRIBO_MODEL_NOSLIP}) {
    for (double excess : {20.0, 95.0}) {
      Scene scene;
      scene.options.model = model;
      const int material = scene.Material(0.8);
      const TriboQuat along_y = tribo_quat_from_axis_angle({1, 0, 0}, kPi / 2);
      const int capsule = scene.Capsule(0.01, 0.03, 0.045, {{0, 0, 1}, along_y}, material);
      int left, right;
      Finger(&scene, TRIBO_SHAPE_SPHERE, {0.008, 0, 0}, {-0.018, 0, 1}, material, &left);
      Finger(&scene, TRIBO_SHAPE_SPHERE, {0.008, 0, 0}, {0.018, 0, 1}, material, &right);
      scene.Build();
      std::vector<double> effort;
      Squeeze(&scene, left, right, excess * 0.045 * kG / (2 * 0.8), &effort);
      scene.Run(1000);
      const TriboVec3 before = scene.Position(capsule);
      const int steps = tribo_test_count(9000);
      scene.Run(steps);
      const double seconds = 1e-3 * steps;
      EXPECT_LT(tribo_vec3_distance(scene.Position(capsule), before) / seconds, 1e-12)
          << excess << " times the friction, model " << model;
      EXPECT_LE(scene.worst, kCertificate);
    }
  }
}

TEST(Scenes, CubePressedToAWallDoesNotCreep) {
  for (TriboContactModel model : {TRIBO_MODEL_COULOMB, TRIBO_MODEL_NOSLIP}) {
    Scene scene;
    scene.options.model = model;
    const int material = scene.Material(0.5);
    // A wall whose normal is -x.
    scene.Plane({{0, 0, 0}, tribo_quat_from_axis_angle({0, 1, 0}, -kPi / 2)}, material);
    const int cube = scene.Box({0.05, 0.05, 0.05}, 1, At(-0.05, 0, 1), material);
    scene.Build();
    const double wrench[6] = {2 * kG / 0.5, 0, 0, 0, 0, 0};
    scene.input.wrench = wrench;
    scene.Run(1000);
    const TriboVec3 before = scene.Position(cube);
    scene.Run(9000);
    EXPECT_LT(tribo_vec3_distance(scene.Position(cube), before) / 9, 1e-12) << "model " << model;
    EXPECT_LE(scene.worst, kCertificate);
  }
}

// A uniform ladder holds while tan(angle) >= (1 - mu_f mu_w)/(2 mu_f).
TEST(Scenes, LadderSlipsAtTheAnalyticAngle) {
  const double mu = 0.5, critical = std::atan((1 - mu * mu) / (2 * mu));
  for (double off : {0.1, -0.1}) {
    Scene scene;
    const int material = scene.Material(mu);
    const double angle = critical + off * kPi / 180, l = 1, r = 1e-4;
    scene.Plane(tribo_pose_identity(), material);
    scene.Plane({{0, 0, 0}, tribo_quat_from_axis_angle({0, 1, 0}, kPi / 2)}, material);  // x >= 0
    // Its axis runs from the floor at (2 l cos, r) up to the wall at (r, 2 l sin).
    const TriboQuat lean = tribo_quat_from_axis_angle({0, 1, 0}, angle - kPi / 2);
    const int ladder = scene.Capsule(
        r, l, 3, {{l * std::cos(angle) + r, 0, l * std::sin(angle) + r}, lean}, material);
    scene.Build();
    const TriboVec3 start = scene.Position(ladder);
    scene.Run(1000);
    const double moved = tribo_vec3_distance(scene.Position(ladder), start);
    if (off > 0) {
      EXPECT_LT(moved, 1e-9);
    } else {
      EXPECT_GT(moved, 1e-4);
    }
    EXPECT_LE(scene.worst, kCertificate);
  }
}

TEST(Scenes, PyramidStands) {
  Scene scene;
  scene.options.h = 0.005;
  scene.Plane();
  std::vector<int> boxes;
  for (int row = 0; row < 4; ++row) {
    for (int i = 0; i < 4 - row; ++i) {
      boxes.push_back(
          scene.Box({0.05, 0.05, 0.05}, 1, At(0.11 * (i + 0.5 * row), 0, 0.05 + 0.1 * row)));
    }
  }
  scene.Build();
  std::vector<TriboVec3> start;
  for (int b : boxes) start.push_back(scene.Position(b));
  scene.Run(2000);  // 10 s
  for (size_t i = 0; i < boxes.size(); ++i) {
    EXPECT_LT(tribo_vec3_distance(scene.Position(boxes[i]), start[i]), 1e-9) << "box " << i;
  }
  EXPECT_LE(scene.worst, kCertificate);
}

// Three logs, one on two that touch without pressing each other. Where the upper one presses a
// lower one, the normal stands 30 degrees off the vertical. A lower log turns about neither contact
// only if the force there goes through the line on which it stands: 15 degrees off the vertical,
// and so 15 degrees off the normal. The logs hold while mu >= tan(15 degrees); the floor needs a
// third.
TEST(Scenes, APyramidOfLogsHoldsAboveTheStaticLimitOnly) {
  for (double share : {1.01, 0.99}) {
    Scene scene;
    const double r = 0.1, limit = std::tan(15 * kPi / 180);
    const int material = scene.Material(share * limit);
    scene.Plane(tribo_pose_identity(), material);
    std::vector<int> logs;
    const double height[3] = {r, r, r + r * std::sqrt(3.0)}, x[3] = {-r, r, 0};
    for (int i = 0; i < 3; ++i) {
      const int log = scene.Link(1, {0.005, 0.035, 0.035});
      scene.Shape(log, TRIBO_SHAPE_CYLINDER, {r, 0.3, 0},
                  {{0, 0, 0}, tribo_quat_from_axis_angle({0, 1, 0}, kPi / 2)}, material);
      logs.push_back(log);
    }
    scene.Build();
    for (int i = 0; i < 3; ++i) {
      scene.SetPose(logs[i],
                    {{x[i], 0, height[i]}, tribo_quat_from_axis_angle({0, 0, 1}, kPi / 2)});
    }
    scene.Run(2000);
    for (int i = 0; i < 3; ++i) {
      const TriboVec3 start = {x[i], 0, height[i]};
      const double moved = tribo_vec3_distance(scene.Position(logs[i]), start);
      if (share > 1) {
        EXPECT_LT(moved, 1e-9) << "log " << i;
      } else {
        EXPECT_GT(moved, 1e-2) << "log " << i;
      }
    }
    EXPECT_LE(scene.worst, kCertificate);
  }
}

// A plank leans on a smooth wall: it holds while mu >= tan(lean)/2.
TEST(Scenes, LeaningPlankHoldsAboveTheStaticLimitOnly) {
  for (double mu : {0.31, 0.27}) {
    Scene scene;
    const int material = scene.Material(mu), smooth = scene.Material(0);
    scene.Plane(tribo_pose_identity(), material);
    scene.Plane({{0, 0, 0}, tribo_quat_from_axis_angle({0, 1, 0}, kPi / 2)}, smooth);  // x >= 0
    // Half height 0.5, turned so that it leans towards the wall; tan(30 degrees)/2 = 0.2887.
    const double lean = 30 * kPi / 180, half = 0.5, thick = 1e-4;
    const double x = half * std::sin(lean) + thick * std::cos(lean);
    const double z = half * std::cos(lean) + thick * std::sin(lean);
    const int plank = scene.Box(
        {thick, 0.2, half}, 1, {{x, 0, z}, tribo_quat_from_axis_angle({0, 1, 0}, -lean)}, material);
    scene.Run(1000);
    if (mu > 0.29) {
      EXPECT_NEAR(scene.Position(plank).z, z, 1e-9);
    } else {
      EXPECT_LT(scene.Position(plank).z, z - 1e-3);
    }
    EXPECT_LE(scene.worst, kCertificate);
  }
}

// Two planks of half length l and half thickness t that lean against each other by `lean`, at x,
// upper inner edge against upper inner edge: these lie on one line, 2 l cos(lean) above the floor.
struct Frame {
  double l, t, width, lean;
  double Width() const { return l * std::sin(lean) + t * std::cos(lean); }  // of one plank's centre
  double Height() const { return 2 * (l * std::cos(lean) + t * std::sin(lean)); }

  void Add(Scene* scene, double x, double mass, int material, std::vector<int>* planks) const {
    for (double side : {1.0, -1.0}) {
      const TriboVec3 p = {x + side * Width(), 0, 0.5 * Height()};
      planks->push_back(scene->Box(
          {t, width, l}, mass, {p, tribo_quat_from_axis_angle({0, 1, 0}, -side * lean)}, material));
    }
  }
};

// By symmetry the edges push each other horizontally, with H, so the floor carries each plank's own
// weight m g and answers H. The centre of a plank lies l sin(lean) - t cos(lean) inside of the edge
// that it stands on, and moments about that edge are H 2 l cos(lean) = m g (l sin - t cos): H/(m g)
// is the friction that the floor must have; without thickness tan(lean)/2.
TEST(Scenes, TwoLeaningPlanksHoldAboveTheStaticLimitOnly) {
  for (double degrees : {10.0, 30.0, 40.0}) {
    const Frame frame = {0.5, 0.02, 0.2, degrees * kPi / 180};
    const double limit = (0.5 * std::tan(frame.lean) - 0.5 * frame.t / frame.l);
    for (double share : {1.05, 0.95}) {
      Scene scene;
      scene.options.h = 0.005;
      const int material = scene.Material(share * limit);
      scene.Plane(tribo_pose_identity(), material);
      std::vector<int> planks;
      frame.Add(&scene, 0, 1, material, &planks);
      scene.Build();
      const TriboVec3 start[2] = {scene.Position(planks[0]), scene.Position(planks[1])};
      for (int step = 0; step < 2000; ++step) {  // 10 s
        scene.Step();
        if (share > 1) {
          ASSERT_FALSE(scene.info.relaxed) << "step " << step;
        }
      }
      for (int i = 0; i < 2; ++i) {
        if (share > 1) {
          EXPECT_LT(tribo_vec3_distance(scene.Position(planks[i]), start[i]), 1e-9)
              << degrees << " degrees, plank " << i;
        } else {
          EXPECT_LT(scene.Position(planks[i]).z, start[i].z - 0.1) << "plank " << i;
        }
      }
      EXPECT_LE(scene.worst, kCertificate);
    }
  }
}

// A storey of a house of cards: two pairs of cards and one that lies on both. It stands, and on a
// smoother floor it does not.
TEST(Scenes, AHouseOfFiveCardsStands) {
  const Frame frame = {0.05, 0.001, 0.03, 20 * kPi / 180};
  for (double mu : {0.5, 0.1}) {
    Scene scene;
    scene.options.h = 0.002;
    const int material = scene.Material(mu);
    scene.Plane(tribo_pose_identity(), material);
    std::vector<int> cards;
    for (double x : {-0.04, 0.04}) frame.Add(&scene, x, 0.002, material, &cards);
    cards.push_back(
        scene.Box({0.06, 0.03, 0.001}, 0.002, At(0, 0, frame.Height() + 0.001), material));
    scene.Build();
    std::vector<TriboVec3> start;
    for (int card : cards) start.push_back(scene.Position(card));
    scene.Run(5000);  // 10 s
    for (size_t i = 0; i < cards.size(); ++i) {
      const TriboVec3 p = scene.Position(cards[i]);
      if (mu > 0.2) {
        EXPECT_LT(tribo_vec3_distance(p, start[i]), 1e-9) << "card " << i;
      } else {
        EXPECT_LT(p.z, 0.5 * start[i].z) << "card " << i;
      }
    }
    EXPECT_LE(scene.worst, kCertificate);
    EXPECT_TRUE(mu < 0.2 || scene.relaxed_steps == 0);
  }
}

TEST(Scenes, MassRatiosOfAMillionDoNotSink) {
  for (bool heavy_on_top : {false, true}) {
    Scene scene;
    scene.Plane();
    const int low = scene.Box({0.1, 0.1, 0.1}, heavy_on_top ? 1e-3 : 1e3, At(0, 0, 0.1));
    const int high = scene.Box({0.1, 0.1, 0.1}, heavy_on_top ? 1e3 : 1e-3, At(0.01, 0.02, 0.3));
    scene.Run(1000);
    EXPECT_NEAR(scene.Position(low).z, 0.1, 1e-9) << heavy_on_top;
    EXPECT_NEAR(scene.Position(high).z, 0.3, 1e-9) << heavy_on_top;
    EXPECT_NEAR(scene.Position(high).x, 0.01, 1e-9) << heavy_on_top;
    EXPECT_LE(scene.worst, kCertificate);
  }
}

TEST(Scenes, DeepOverlapIsRepairedNoFasterThanTheLimitAndWithoutSpeed) {
  Scene scene;
  scene.Plane();
  const int box = scene.Box({0.1, 0.1, 0.1}, 1, At(0, 0, 0.05));
  scene.Build();
  double last = 0.05;
  for (int i = 0; i < 200; ++i) {
    scene.Step();
    const double z = scene.Position(box).z;
    EXPECT_LE(z - last, 1e-3 * (1 + 1e-6));
    EXPECT_NEAR(scene.Velocity(box).z, 0, 1e-9);
    last = z;
  }
  EXPECT_NEAR(last, 0.1, 1e-9);
}

// A thin rod slides with its tip on the ground, leaning away from where it goes: with mu = 2 no
// finite contact force exists. The step answers with an impulse that jams the tip; the acceleration
// level says that the configuration is inconsistent and gives impulses.
TEST(Scenes, PainlevesRodIsAnswered) {
  Scene scene;
  const int material = scene.Material(2);
  scene.Plane(tribo_pose_identity(), material);
  const double angle = 65 * kPi / 180, l = 0.5, r = 1e-3;
  const TriboQuat lean = tribo_quat_from_axis_angle({0, 1, 0}, kPi / 2 - angle);
  const int rod =
      scene.Capsule(r, l, 1, {{l * std::cos(angle), 0, l * std::sin(angle) + r}, lean}, material);
  scene.Build();
  scene.SetVelocity(rod, {-2, 0, 0});

  TriboForwardOptions options = tribo_forward_options_default();
  options.model = TRIBO_FORWARD_COPING;
  TriboForwardInfo info;
  double a[6];
  ASSERT_EQ(
      tribo_forward(scene.model(), &options, nullptr, scene.state(), scene.workspace(), a, &info),
      TRIBO_OK);
  EXPECT_TRUE(info.inconsistent);

  scene.Step();
  EXPECT_LE(scene.worst, kCertificate);
  TriboContactResult contact;
  ASSERT_TRUE(tribo_contact_get(scene.workspace(), 0, &contact));
  // Far more than the weight's impulse of 0.00981 N s: the tip is stopped.
  EXPECT_GT(contact.impulse[0], 0.1);
  scene.Run(500);
  EXPECT_LE(scene.worst, kCertificate);
}

}  // namespace
