// SPDX-License-Identifier: Apache-2.0
//
// The contact models, assemblies, cones and solvers on the same scenes.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "tests/engine/scene.h"

namespace {

constexpr double kG = 9.81;
constexpr double kPi = 3.14159265358979323846;
constexpr double kCertificate = 1e-9;

TriboVec3 Tilted(double angle, double direction) {
  return {kG * std::sin(angle) * std::cos(direction), kG * std::sin(angle) * std::sin(direction),
          -kG * std::cos(angle)};
}

// A box of 2 kg on a plane under tilted gravity.
int BoxOnSlope(Scene* scene, double angle, double mu, double viscosity = 0) {
  const int material =
      scene->Material(mu, 0, [&](TriboMaterialDesc* m) { m->viscosity = viscosity; });
  scene->Gravity(Tilted(angle, 0));
  scene->Plane(tribo_pose_identity(), material);
  return scene->Box({0.1, 0.1, 0.05}, 2, At(0, 0, 0.05), material);
}

TEST(Models, NoSlipHoldsBeyondTheFrictionAngle) {
  for (TriboSolver solver : {TRIBO_SOLVER_AUTO, TRIBO_SOLVER_PPM, TRIBO_SOLVER_DUAL}) {
    Scene scene;
    scene.options.model = TRIBO_MODEL_NOSLIP;
    scene.options.solver = solver;
    // At 25 degrees: it would slide under mu = 0.1, and does not tip.
    const int box = BoxOnSlope(&scene, 25 * kPi / 180, 0.1);
    scene.Run(2000);
    EXPECT_NEAR(scene.Position(box).x, 0, 1e-12);
    EXPECT_NEAR(scene.Position(box).z, 0.05, 1e-12);
    EXPECT_LE(scene.worst, kCertificate);
  }
}

TEST(Models, NoSlipDoesNotHoldWhatLeaves) {
  Scene scene;
  scene.options.model = TRIBO_MODEL_NOSLIP;
  scene.Gravity({0, 0, 0});
  scene.Plane();
  const int box = scene.Box({0.1, 0.1, 0.1}, 1, At(0, 0, 0.1));
  scene.Build();
  scene.SetVelocity(box, {1, 0, 1});
  scene.Run(100);
  EXPECT_NEAR(scene.Velocity(box).x, 1, 1e-12);
  EXPECT_NEAR(scene.Velocity(box).z, 1, 1e-12);
  EXPECT_NEAR(tribo_vec3_norm(scene.Spin(box)), 0, 1e-12);
}

TEST(Models, FrictionlessSlidesFreely) {
  for (TriboSolver solver : {TRIBO_SOLVER_AUTO, TRIBO_SOLVER_PPM, TRIBO_SOLVER_DANTZIG}) {
    Scene scene;
    scene.options.model = TRIBO_MODEL_FRICTIONLESS;
    scene.options.solver = solver;
    const double angle = 20 * kPi / 180;
    const int box = BoxOnSlope(&scene, angle, 0.5);
    scene.Run(1000);
    EXPECT_NEAR(scene.Velocity(box).x, kG * std::sin(angle), 1e-9);
    EXPECT_LE(scene.worst, kCertificate);
  }
}

TEST(Models, ViscousReachesItsTerminalSpeed) {
  Scene scene;
  scene.options.model = TRIBO_MODEL_VISCOUS;
  const double angle = 10 * kPi / 180, viscosity = 3;
  const int box = BoxOnSlope(&scene, angle, 0.5, viscosity);
  scene.Run(10000);
  // Every contact that presses drags with mu_v: their number is the solver's choice, 3 or 4.
  const double v = scene.Velocity(box).x, drive = 2 * kG * std::sin(angle);
  const double contacts = drive / (viscosity * v);
  EXPECT_NEAR(contacts, std::round(contacts), 1e-3);
  EXPECT_GE(contacts, 2.5);
  EXPECT_LE(scene.worst, kCertificate);
}

TEST(Models, AnitescuPotraAndStewartTrinkleAgreeOnTheGround) {
  for (TriboAssembly assembly : {TRIBO_ASSEMBLY_STEWART_TRINKLE, TRIBO_ASSEMBLY_ANITESCU_POTRA}) {
    Scene scene;
    scene.options.assembly = assembly;
    const double mu = 0.5, angle = 30 * kPi / 180;
    const int box = BoxOnSlope(&scene, angle, mu);
    scene.Run(1000);
    EXPECT_NEAR(scene.Velocity(box).x, kG * (std::sin(angle) - mu * std::cos(angle)), 1e-6);
    EXPECT_LE(scene.worst, kCertificate);
  }
}

TEST(Models, PolygonSlidesWithinItsFacetError) {
  for (int facets : {4, 8, 16}) {
    Scene scene;
    scene.options.cone = TRIBO_CONE_POLYGON;
    scene.options.facets = facets;
    const int material = scene.Material(0.5);
    scene.Plane(tribo_pose_identity(), material);
    const int box = scene.Box({0.1, 0.1, 0.05}, 2, At(0, 0, 0.05), material);
    scene.Build();
    const double a = 30 * kPi / 180;
    scene.SetVelocity(box, {2 * std::cos(a), 2 * std::sin(a), 0});
    scene.Run(100);
    const TriboVec3 v = scene.Velocity(box);
    // The impulse is at a corner of the polygon: at most pi/facets off the sliding direction.
    const double lost = 2 - std::hypot(v.x, v.y), full = 0.5 * kG * 0.1;
    EXPECT_LE(lost, full * 1.0001);
    EXPECT_GE(lost, full * std::cos(kPi / facets) * 0.9);
    // So is the push aside.
    const double aside = full * std::sin(kPi / facets);
    EXPECT_LE(std::fabs(std::atan2(v.y, v.x) - a), std::atan(aside / (2 - full)));
    EXPECT_LE(scene.worst, kCertificate);
  }
}

// Five boxes thrown at a floor with a dry hinge beside them, so that every model has work to do.
void BuildThrownBoxes(Scene* scene) {
  scene->options.h = 0.005;
  const int material = scene->Material(0.5, 0, [](TriboMaterialDesc* d) { d->viscosity = 10; });
  scene->Plane(tribo_pose_identity(), material);
  std::vector<int> boxes;
  for (int i = 0; i < 5; ++i) {
    const TriboQuat turn = tribo_quat_from_axis_angle({0.6, 0.8, 0}, 0.3 * i);
    boxes.push_back(
        scene->Box({0.05, 0.05, 0.05}, 1, {{0.01 * i, 0, 0.05 + 0.12 * i}, turn}, material));
  }
  scene->Build();
  for (int box : boxes) scene->SetVelocity(box, {1, 0.5, 0});
}

const TriboContactModel kAllModels[] = {TRIBO_MODEL_COULOMB, TRIBO_MODEL_NOSLIP,
                                        TRIBO_MODEL_VISCOUS, TRIBO_MODEL_FRICTIONLESS};

TEST(Models, ASmallBudgetGivesFeasibleImpulsesLabelledByTheirCertificate) {
  for (TriboContactModel model : kAllModels) {
    Scene scene;
    scene.options.model = model;
    scene.options.budget = 1;
    BuildThrownBoxes(&scene);
    int stopped = 0;
    for (int i = 0; i < 200; ++i) {
      ASSERT_EQ(scene.TryStep(), TRIBO_OK) << "model " << model << " step " << i;
      const TriboStepInfo info = tribo_step_info(scene.workspace());
      stopped += info.stopped_by_budget;
      EXPECT_EQ(info.stopped_by_budget, info.certificate.worst > kCertificate);
      // One pivot or iteration and one sweep for each island.
      EXPECT_LE(info.pivots + info.iterations, 2 * info.islands);
      EXPECT_LE(info.certificate.cone, 1e-12);
      EXPECT_LE(info.certificate.sign, 0);
      EXPECT_LE(info.certificate.dynamics, 1e-12);
    }
    EXPECT_GT(stopped, 10) << "model " << model;
  }
}

TEST(Models, ALargeBudgetGivesTheSameBitsAsNone) {
  for (TriboContactModel model : kAllModels) {
    uint64_t hash[2];
    for (int budget : {0, 1000000}) {
      Scene scene;
      scene.options.model = model;
      scene.options.budget = budget;
      BuildThrownBoxes(&scene);
      scene.Run(200);
      EXPECT_FALSE(scene.info.stopped_by_budget);
      hash[budget > 0] = tribo_state_hash(scene.state());
    }
    EXPECT_EQ(hash[0], hash[1]) << "model " << model;
  }
}

// The modes of the last step hold, and one factorization answers.
TEST(Models, ABudgetOfOneIsEnoughForAStackAtRest) {
  uint64_t hash[2];
  for (int budget : {0, 1}) {
    Scene scene;
    scene.Plane();
    for (int i = 0; i < 5; ++i) scene.Box({0.05, 0.05, 0.05}, 1, At(0, 0, 0.05 + 0.1 * i));
    scene.Run(10);
    scene.options.budget = budget;
    scene.Run(100);
    EXPECT_FALSE(scene.info.stopped_by_budget);
    EXPECT_LE(scene.info.iterations, 1);
    hash[budget] = tribo_state_hash(scene.state());
  }
  EXPECT_EQ(hash[0], hash[1]);
}

TEST(Models, EverySolverOfCoulombHoldsTheBlockOnTheSlope) {
  for (TriboSolver solver : {TRIBO_SOLVER_AUTO, TRIBO_SOLVER_LEMKE, TRIBO_SOLVER_DANTZIG,
                             TRIBO_SOLVER_PGS, TRIBO_SOLVER_ENERGY}) {
    Scene scene;
    scene.options.solver = solver;
    const int box = BoxOnSlope(&scene, 20 * kPi / 180, 0.5);
    scene.Run(100);
    EXPECT_NEAR(scene.Position(box).x, 0, 1e-9) << "solver " << solver;
    EXPECT_LE(scene.worst, kCertificate) << "solver " << solver;
  }
}

// Redundant contacts that stick and slide: rigid steps, certified, and none by another solver.
TEST(Models, DantzigSlidesABoxAndHoldsAStackWithoutRelaxing) {
  for (double angle : {0.0, 35.0}) {
    Scene scene;
    scene.options.solver = TRIBO_SOLVER_DANTZIG;
    const int material = scene.Material(0.5);
    scene.Gravity(Tilted(angle * kPi / 180, 0.3));
    scene.Plane(tribo_pose_identity(), material);
    const int boxes = angle > 0 ? 1 : 4;
    for (int i = 0; i < boxes; ++i)
      scene.Box({0.1, 0.1, 0.05}, 1, At(0, 0, 0.05 + 0.1 * i), material);
    scene.Build();
    for (int step = 0; step < 100; ++step) {
      ASSERT_EQ(scene.TryStep(), TRIBO_OK) << angle;
      const TriboStepInfo info = tribo_step_info(scene.workspace());
      EXPECT_LE(info.certificate.worst, kCertificate) << step;
      EXPECT_FALSE(info.relaxed) << angle << " " << step;
      EXPECT_EQ(info.rung, TRIBO_RUNG_COLD) << angle << " " << step;
    }
  }
}

TEST(Models, DantzigRollsABallDownTheSlope) {
  Scene scene;
  scene.options.solver = TRIBO_SOLVER_DANTZIG;
  const double angle = 20 * kPi / 180;
  const int material = scene.Material(0.5);
  scene.Gravity(Tilted(angle, 0));
  scene.Plane(tribo_pose_identity(), material);
  const int ball = scene.Sphere(0.1, 1, {0, 0, 0.1}, material);
  scene.Run(100);
  EXPECT_NEAR(scene.Velocity(ball).x, 5.0 / 7 * kG * std::sin(angle) * 0.1, 1e-9);
  EXPECT_LE(scene.worst, kCertificate);
}

TEST(Models, CanonicalForcesOfABoxAreEqualAtItsCorners) {
  Scene scene;
  scene.options.canonical = true;
  BoxOnSlope(&scene, 0, 0.5);
  scene.Run(5);
  TriboContactResult contact;
  for (int c = 0; tribo_contact_get(scene.workspace(), c, &contact); ++c) {
    EXPECT_NEAR(contact.impulse[0], 2 * kG * 1e-3 / 4, 1e-12);
  }
}

// The same tower, its blocks described from below or from above: contacts come in another order,
// and each block's are the same.
TEST(Models, CanonicalForcesDoNotDependOnTheOrderOfContacts) {
  constexpr int kBlocks = 4;
  std::vector<std::vector<TriboVec3>> force(2);
  for (int reversed = 0; reversed < 2; ++reversed) {
    Scene scene;
    scene.options.canonical = true;
    scene.Plane();
    for (int i = 0; i < kBlocks; ++i) {
      const int level = reversed ? kBlocks - 1 - i : i;
      scene.Box({0.1, 0.08, 0.05}, 1, At(0.01 * level, -0.005 * level, 0.05 + 0.1 * level));
    }
    scene.Run(20);
    // Contacts by the height and place of their points.
    std::vector<std::pair<TriboVec3, TriboVec3>> found;
    TriboContactResult contact;
    for (int c = 0; tribo_contact_get(scene.workspace(), c, &contact); ++c) {
      const double up = contact.force_W.z < 0 ? -1 : 1;
      found.push_back({contact.point, tribo_vec3_scale(up, contact.force_W)});
    }
    const auto key = [](const TriboVec3& p) {
      return std::make_tuple(std::round(1e6 * p.z), std::round(1e6 * p.x), std::round(1e6 * p.y));
    };
    std::sort(found.begin(), found.end(),
              [&](const auto& a, const auto& b) { return key(a.first) < key(b.first); });
    for (const auto& one : found) force[reversed].push_back(one.second);
    EXPECT_LE(scene.worst, kCertificate);
  }
  ASSERT_EQ(force[0].size(), 4u * kBlocks);
  ASSERT_EQ(force[1].size(), 4u * kBlocks);
  for (size_t c = 0; c < force[0].size(); ++c) {
    // Forces of up to 40 N from impulses that are certified to 1e-9 of theirs.
    EXPECT_LT(tribo_vec3_distance(force[0][c], force[1][c]), 1e-7) << "contact " << c;
  }
}

// What is set for a pair of materials counts for it, and the rule for all others.
TEST(Models, TheTableOfMaterialPairsIsWhatContactsUse) {
  Scene scene;
  const int ice = scene.Material(0.04), steel = scene.Material(0.25), rubber = scene.Material(1);
  TriboMaterialDesc pair = tribo_material_default();
  pair.friction = 0.3;
  ASSERT_EQ(tribo_builder_set_material_pair(scene.builder(), rubber, ice, &pair), TRIBO_OK);
  scene.Plane(tribo_pose_identity(), ice);
  const int box[2] = {scene.Box({0.1, 0.1, 0.02}, 1, At(0, 0, 0.02), steel),
                      scene.Box({0.1, 0.1, 0.02}, 1, At(0, 1, 0.02), rubber)};
  const double mu[2] = {0.1, 0.3};  // sqrt(0.04 0.25), and the table
  scene.Build();
  for (int b : box) scene.SetVelocity(b, {1, 0, 0});
  scene.Run(100);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(scene.Velocity(box[i]).x, 1 - mu[i] * kG * 0.1, 1e-9) << i;
  }
}

TEST(Models, SolverThatDoesNotFitIsAnArgumentError) {
  Scene scene;
  BoxOnSlope(&scene, 0, 0.5);
  scene.options.solver = TRIBO_SOLVER_PPM;
  EXPECT_EQ(scene.TryStep(), TRIBO_ERROR_ARGUMENT);
  scene.options.model = TRIBO_MODEL_NOSLIP;
  scene.options.solver = TRIBO_SOLVER_PGS;
  EXPECT_EQ(scene.TryStep(), TRIBO_ERROR_ARGUMENT);
}

// Lemke's algorithm knows nothing of active sets; the motion is the same.
TEST(Models, LemkeMovesAsTheActiveSetInEveryModelWithoutCoulombFriction) {
  for (TriboContactModel model :
       {TRIBO_MODEL_NOSLIP, TRIBO_MODEL_VISCOUS, TRIBO_MODEL_FRICTIONLESS}) {
    Scene dual, lemke;
    for (Scene* scene : {&dual, &lemke}) {
      scene->options.model = model;
      BoxOnSlope(scene, 0.3, 0.5);
    }
    lemke.options.solver = TRIBO_SOLVER_LEMKE;
    dual.Run(100);
    lemke.Run(100);
    for (int i = 0; i < tribo_model_nv(dual.model()); ++i) {
      EXPECT_NEAR(tribo_state_v(lemke.state())[i], tribo_state_v(dual.state())[i], 1e-9)
          << "model " << model << " coordinate " << i;
    }
  }
}

TEST(Models, NoSlipWithDryJointsHoldsBoth) {
  // A leg on a dry slide presses its foot on the ground and pulls sideways.
  Scene scene;
  scene.options.model = TRIBO_MODEL_NOSLIP;
  scene.Plane();
  const int body = scene.Box({0.1, 0.1, 0.05}, 1, At(0, 0, 0.05));
  const int arm = scene.Link(0.5, {0.01, 0.01, 0.01});
  const int joint = scene.Joint(TRIBO_JOINT_SLIDE, body, arm, [](TriboJointDesc* d) {
    d->pose_parent.q = tribo_quat_from_axis_angle({0, 1, 0}, kPi / 2);
    d->friction = 2;
  });
  scene.Build();
  std::vector<double> effort(tribo_model_nv(scene.model()), 0.0);
  effort[tribo_model_joint_v(scene.model(), joint)] = 1.5;
  scene.input.effort = effort.data();
  scene.Run(200);
  EXPECT_NEAR(scene.V(joint), 0, 1e-12);
  effort[tribo_model_joint_v(scene.model(), joint)] = 3;
  scene.Run(100);
  // The ground holds the body, so the arm alone accelerates: (3 - 2)/0.5.
  EXPECT_NEAR(scene.V(joint), 2 * 0.1, 1e-9);
  EXPECT_NEAR(scene.Position(body).x, 0, 1e-9);
  EXPECT_LE(scene.worst, kCertificate);
}

TEST(Models, SphereThatSlidesEndsRollingAtFiveSevenths) {
  Scene scene;
  const int material = scene.Material(0.3);
  scene.Plane(tribo_pose_identity(), material);
  const int ball = scene.Sphere(0.1, 1, {0, 0, 0.1}, material);
  scene.Build();
  scene.SetVelocity(ball, {3, 0, 0});
  scene.Run(2000);
  EXPECT_NEAR(scene.Velocity(ball).x, 3 * 5.0 / 7, 1e-9);
  EXPECT_NEAR(scene.Spin(ball).y, 3 * 5.0 / 7 / 0.1, 1e-8);
}

TEST(Models, TorsionalAndRollingFrictionStopASpinningBall) {
  Scene scene;
  const int material = scene.Material(0.5, 0, [](TriboMaterialDesc* m) {
    m->torsional = 0.02;
    m->rolling = 0.01;
  });
  scene.Plane(tribo_pose_identity(), material);
  const int spinning = scene.Sphere(0.1, 1, {0, 0, 0.1}, material);
  const int rolling = scene.Sphere(0.1, 1, {2, 0, 0.1}, material);
  scene.Build();
  scene.SetVelocity(spinning, {0, 0, 0}, {0, 0, 10});
  scene.SetVelocity(rolling, {1, 0, 0}, {0, 10, 0});
  scene.Run(100);
  // I w' = -torsional mu m g
  const double I = 0.4 * 1 * 0.01;
  EXPECT_NEAR(scene.Spin(spinning).z, 10 - 0.02 * 0.5 * kG / I * 0.1, 1e-9);
  // Rolling: (I + m r^2) w' = -rolling mu m g
  EXPECT_NEAR(scene.Spin(rolling).y, 10 - 0.01 * 0.5 * kG / (I + 0.01) * 0.1, 1e-6);
  scene.Run(3000);
  EXPECT_NEAR(tribo_vec3_norm(scene.Spin(spinning)), 0, 1e-12);
  EXPECT_NEAR(tribo_vec3_norm(scene.Spin(rolling)), 0, 1e-12);
  EXPECT_LE(scene.worst, kCertificate);
}

}  // namespace
