// SPDX-License-Identifier: Apache-2.0
//
// The two experiments of [Drumwright] for real: a row of cubes held by two plates, and a quadruped
// that stands and trots, each from the scene that ships, with every contact model.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/scale.h"
#include "tests/tools/library_scene.h"
#include "tools/controllers/quadruped.h"

namespace {

using Scene = LibraryScene;

// ---- the grasp

// By statics two cubes between plates of 50 N hold with any friction above 0.2: then nothing moves.
void expect_held(const char* mu, const char* dt, TriboContactModel contact, int steps) {
  Scene scene("grasp", {"n=2", mu, dt});
  scene.options.model = contact;
  double start = scene.height("cube0");
  for (int i = 0; i < steps; ++i) ASSERT_TRUE(scene.step()) << "step " << i;
  EXPECT_NEAR(scene.height("cube0"), start, 1e-9) << mu << " " << dt;
  EXPECT_NEAR(scene.height("cube1"), start, 1e-9) << mu << " " << dt;
}

TEST(Grasp, TwoCubesAreHeldForEverInTheNoSlipModel) {
  expect_held("mu=0.8", "dt=0.001", TRIBO_MODEL_NOSLIP, tribo_test_count(100000));
  expect_held("mu=0.8", "dt=0.01", TRIBO_MODEL_NOSLIP, tribo_test_count(10000));
}

TEST(Grasp, TwoCubesAreHeldForEverWithOrdinaryFriction) {
  expect_held("mu=0.8", "dt=0.001", TRIBO_MODEL_COULOMB, tribo_test_count(100000));
  expect_held("mu=0.8", "dt=0.01", TRIBO_MODEL_COULOMB, tribo_test_count(10000));
}

// The friction at which the Stewart-Trinkle run of [Drumwright] dropped its cubes after ten steps.
TEST(Grasp, TwoCubesAreHeldForEverWithTheFrictionOfThePaper) {
  expect_held("mu=100", "dt=0.001", TRIBO_MODEL_COULOMB, tribo_test_count(100000));
  expect_held("mu=100", "dt=0.01", TRIBO_MODEL_COULOMB, tribo_test_count(10000));
}

// 2 mu F < n m g: the row slides down with a = g - 2 mu F/(n m), as one body, since all have the
// same acceleration. Semi-implicit Euler falls a h^2 n (n + 1)/2 in n steps.
TEST(Grasp, CubesSlipAsStaticsSaysWhenFrictionIsTooSmall) {
  Scene scene("grasp", {"n=2", "mu=0.15", "dt=0.001"});
  double start = scene.height("cube0");
  const int steps = 150;
  for (int i = 0; i < steps; ++i) ASSERT_TRUE(scene.step());
  const double a = 9.81 - 2 * 0.15 * 50 / 2, h = 0.001;
  EXPECT_NEAR(scene.height("cube0"), start - a * h * h * steps * (steps + 1) / 2, 1e-9);
  EXPECT_NEAR(scene.height("cube1"), start - a * h * h * steps * (steps + 1) / 2, 1e-9);
}

// With four contacts a pair and with the paper's twelve, with ordinary friction and the paper's.
TEST(Grasp, RowsOfEveryLengthAreHeld) {
  for (int n = 1; n <= 10; ++n) {
    for (const char* strips : {"strips=1", "strips=3"}) {
      for (const char* mu : {"mu=0.8", "mu=100"}) {
        for (TriboContactModel contact : {TRIBO_MODEL_COULOMB, TRIBO_MODEL_NOSLIP}) {
          const std::string cubes = "n=" + std::to_string(n);
          SCOPED_TRACE(cubes + " " + strips + " " + mu + " model " + std::to_string(contact));
          Scene scene("grasp", {cubes.c_str(), strips, mu, "dt=0.01"});
          scene.options.model = contact;
          const std::string middle = "cube" + std::to_string(n / 2);
          const double start = scene.height(middle.c_str());
          for (int i = 0; i < tribo_test_count(100); ++i) ASSERT_TRUE(scene.step());
          EXPECT_NEAR(scene.height(middle.c_str()), start, 1e-9);
          const int contacts = strips[7] == '3' ? 12 : 4;
          EXPECT_EQ(tribo_step_info(scene.workspace).contacts, contacts * (n + 1));
        }
      }
    }
  }
}

TEST(Grasp, EightCubesAreHeld) {
  for (TriboContactModel contact : {TRIBO_MODEL_COULOMB, TRIBO_MODEL_NOSLIP}) {
    Scene scene("grasp", {"n=8", "dt=0.01"});
    scene.options.model = contact;
    double start = scene.height("cube4");
    for (int i = 0; i < tribo_test_count(500); ++i) ASSERT_TRUE(scene.step());
    EXPECT_NEAR(scene.height("cube4"), start, 1e-9);
  }
}

// ---- the quadruped

struct Walk {
  double x, y, lowest, upright;  // end position, lowest trunk, least z of the trunk's z axis
  double slip;                   // of sticking contacts
};

class Robot : public Scene {
 public:
  Robot(std::vector<const char*> settings, TriboQuadrupedOptions gait)
      : Scene("quadruped", settings), memory_(tribo_quadruped_memory(model)) {
    TriboMessage message;
    EXPECT_EQ(tribo_quadruped_init(&robot_, &gait, model, state, scratch, memory_.data(), &message),
              TRIBO_OK)
        << message.text;
  }
  bool update_and_step() {
    TriboStatus status = tribo_quadruped_update(&robot_, state, workspace, scratch, control.data());
    EXPECT_EQ(status, TRIBO_OK);
    return status == TRIBO_OK && step();
  }
  // Walks; a sideways shove of `push` N for 0.1 s after 4 s.
  Walk walk(double duration, double push = 0) {
    Walk walk = {0, 0, 10, 1, 0};
    int trunk = tribo_model_find(model, TRIBO_KIND_LINK, "trunk");
    while (tribo_state_time(state) < duration) {
      double t = tribo_state_time(state);
      wrench[6 * (size_t)trunk + 1] = t > 4 && t < 4.1 ? push : 0;
      if (!update_and_step()) break;
      const double* q = tribo_state_q(state);
      walk.x = q[0];
      walk.y = q[1];
      walk.lowest = std::min(walk.lowest, q[2]);
      walk.upright = std::min(walk.upright, 1 - 2 * (q[4] * q[4] + q[5] * q[5]));
      walk.slip = std::max(walk.slip, slip_of_sticking());
    }
    EXPECT_GE(tribo_state_time(state), duration);
    return walk;
  }

 private:
  TriboQuadruped robot_;
  std::vector<double> memory_;
};

void expect_trot(std::vector<const char*> settings, TriboContactModel contact, double push = 0) {
  SCOPED_TRACE("contact model " + std::to_string(contact));
  TriboQuadrupedOptions gait = tribo_quadruped_options_default();
  Robot robot(settings, gait);
  robot.options.model = contact;
  Walk walk = robot.walk(10, push);
  // 20 percent around the command, which is taken up within the ramp.
  double expected = gait.velocity[0] * (10 - gait.start - 0.5 * gait.ramp);
  EXPECT_NEAR(walk.x, expected, 0.2 * expected);
  EXPECT_NEAR(walk.y, 0, 0.3);
  EXPECT_GT(walk.lowest, 0.3) << "fell";
  EXPECT_GT(walk.upright, 0.95) << "leaned over";
  EXPECT_LT(walk.slip, 1e-9);
}

TEST(Quadruped, TrotsOnFlatGroundWithEveryContactModel) {
  expect_trot({}, TRIBO_MODEL_COULOMB);
  expect_trot({}, TRIBO_MODEL_NOSLIP);
  expect_trot({}, TRIBO_MODEL_VISCOUS);
}

TEST(Quadruped, TrotsOverTheTerrainMapWithEveryContactModel) {
  expect_trot({"terrain=1"}, TRIBO_MODEL_COULOMB);
  expect_trot({"terrain=1"}, TRIBO_MODEL_NOSLIP);
  expect_trot({"terrain=1"}, TRIBO_MODEL_VISCOUS);
}

TEST(Quadruped, RecoversFromAShoveWithEveryContactModel) {
  for (TriboContactModel contact : {TRIBO_MODEL_COULOMB, TRIBO_MODEL_NOSLIP, TRIBO_MODEL_VISCOUS}) {
    expect_trot({}, contact, 150);
    expect_trot({"terrain=1"}, contact, 150);
  }
}

TEST(Quadruped, GoesWhereItIsTold) {
  TriboQuadrupedOptions gait = tribo_quadruped_options_default();
  gait.velocity[0] = 0;
  gait.velocity[1] = 0.2;
  Walk walk = Robot({}, gait).walk(6);
  EXPECT_NEAR(walk.y, 0.2 * (6 - gait.start - 0.5 * gait.ramp), 0.25);
  EXPECT_NEAR(walk.x, 0, 0.1);
}

TriboQuadrupedOptions standing() {
  TriboQuadrupedOptions gait = tribo_quadruped_options_default();
  gait.start = 1000;
  return gait;
}

// How far the positions are from `before` by the coordinate that differs most, m or rad.
double farthest(const Robot& robot, const std::vector<double>& before) {
  double most = 0;
  for (size_t i = 0; i < before.size(); ++i)
    most = std::fmax(most, std::fabs(tribo_state_q(robot.state)[i] - before[i]));
  return most;
}

std::vector<double> positions(const Robot& robot) {
  const double* q = tribo_state_q(robot.state);
  return std::vector<double>(q, q + tribo_model_nq(robot.model));
}

// One second to settle, then not a micrometre for the rest of a minute.
TEST(Quadruped, StandsForAMinuteWithoutDrift) {
  for (const char* terrain : {"terrain=0", "terrain=1"}) {
    for (TriboContactModel contact : {TRIBO_MODEL_COULOMB, TRIBO_MODEL_NOSLIP}) {
      SCOPED_TRACE(std::string(terrain) + " contact model " + std::to_string(contact));
      Robot robot({terrain}, standing());
      robot.options.model = contact;
      robot.walk(1);
      const std::vector<double> before = positions(robot);
      robot.walk(60);
      EXPECT_LT(farthest(robot, before), 1e-6);
    }
  }
}

// Viscous friction does not hold, it resists: a foot that pushes aside with force f creeps at
// f/mu_v until nothing pushes it any more. The robot moves as far as that explains, and comes to
// rest.
TEST(Quadruped, StandsForAMinuteWithoutDriftButForViscositysCreep) {
  const double viscosity = 1e4, leg = 0.2;  // the scene's, N s/m; a shank's length, m
  Robot robot({}, standing());
  robot.options.model = TRIBO_MODEL_VISCOUS;
  robot.walk(1);
  std::vector<double> before = positions(robot);
  double creep[60] = {0};  // by second, of the foot that creeps most, m
  for (int second = 1; second < 60; ++second) {
    std::vector<double> way(TRIBO_QUADRUPED_LEGS);
    while (tribo_state_time(robot.state) < second + 1 && robot.update_and_step()) {
      TriboContactResult foot;
      for (int c = 0; tribo_contact_get(robot.workspace, c, &foot) && c < 4; ++c)
        way[c] += std::hypot(foot.impulse[1], foot.impulse[2]) / viscosity;
    }
    for (double w : way) creep[second] = std::fmax(creep[second], w);
    // A joint turns by a foot's way over a leg's length, and both ends of a leg may move.
    const double moved = farthest(robot, before);
    EXPECT_LE(moved, 2 * creep[second] / leg + 1e-12) << second;
    EXPECT_LT(moved, second < 10 ? 1e-6 : 1e-7) << second;
    before = positions(robot);
  }
  // What is left at last are feet before or behind where thigh and knee want them: the two springs
  // in series, each with its height above the ground for a lever, are softer than the hips
  // sideways. The creep dies down as exp(-t k / mu_v), within what the weight on a leg, 64 N at 0.4
  // m, does to its k of 1400 N/m.
  const double thigh = robot.height("FL_thigh"), knee = robot.height("FL_shank");
  const double softness = (thigh * thigh + knee * knee) / standing().stand_stiffness;
  const double rate = std::log(creep[30] / creep[59]) / 29;
  EXPECT_NEAR(rate * softness * viscosity, 1, 0.1);
  EXPECT_GT(creep[2], 1e-8);
}

TEST(Quadruped, TheControllerSaysWhatAModelLacks) {
  Scene scene("grasp", {});
  TriboQuadruped robot;
  std::vector<double> memory(tribo_quadruped_memory(scene.model));
  TriboMessage message;
  EXPECT_EQ(tribo_quadruped_init(&robot, nullptr, scene.model, scene.state, scene.scratch,
                                 memory.data(), &message),
            TRIBO_ERROR_MODEL);
  EXPECT_NE(std::string(message.text).find("trunk"), std::string::npos);
}

}  // namespace
