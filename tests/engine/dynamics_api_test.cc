// SPDX-License-Identifier: Apache-2.0
//
// The public questions about a tree, against differences of poses, and their contracts. Counts
// allocations, too.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "engine/tribo.h"
#include "tests/allocations.h"
#include "tests/engine/tree/random_tree.h"
#include "tests/scale.h"
#include "tools/tribo/bench_robots.h"

namespace {

// A random tree with frames on its links, a state and a workspace.
class Robot {
 public:
  Robot(TriboRandom* random, int links) {
    RandomTreeOptions options;
    options.links = links;
    TriboBuilder* builder = RandomTreeBuilder(random, options);
    for (int i = 0; i < links; ++i) {
      TriboFrameDesc d = tribo_frame_default();
      d.link = i;
      d.pose = RandomPose(random, 0.3);
      EXPECT_EQ(tribo_builder_add_frame(builder, &d, nullptr), TRIBO_OK);
    }
    tree = new TreeModel(builder);
    model = tree->model();
    EXPECT_EQ(tribo_state_create(model, nullptr, &state), TRIBO_OK);
    EXPECT_EQ(tribo_workspace_create(model, nullptr, nullptr, &workspace), TRIBO_OK);
    q = tree->RandomQ(random);
    v = tree->RandomV(random);
    Set(q, v);
  }
  ~Robot() {
    tribo_workspace_destroy(workspace);
    tribo_state_destroy(state);
    delete tree;
  }
  void Set(const std::vector<double>& new_q, const std::vector<double>& new_v) {
    EXPECT_EQ(tribo_state_set_q(model, state, new_q.data()), TRIBO_OK);
    EXPECT_EQ(tribo_state_set_v(model, state, new_v.data()), TRIBO_OK);
  }
  // The state after t at constant rates a of v.
  void MoveTo(double t, const std::vector<double>& a) {
    std::vector<double> moved(q), dv(v), w(v);
    for (size_t k = 0; k < v.size(); ++k) {
      dv[k] = t * v[k] + 0.5 * t * t * a[k];
      w[k] = v[k] + t * a[k];
    }
    tribo_q_add(model, q.data(), dv.data(), moved.data());
    Set(moved, w);
  }
  TriboPose FramePose(int frame) {
    TriboPose pose;
    EXPECT_EQ(tribo_frame_pose(model, state, workspace, frame, &pose), TRIBO_OK);
    return pose;
  }
  void FrameVelocity(int frame, TriboVec3* linear, TriboVec3* angular) {
    EXPECT_EQ(tribo_frame_velocity(model, state, workspace, frame, linear, angular), TRIBO_OK);
  }

  TreeModel* tree;
  const TriboModel* model;
  TriboState* state = nullptr;
  TriboWorkspace* workspace = nullptr;
  std::vector<double> q, v;
};

TriboVec3 Slope(TriboVec3 ahead, TriboVec3 behind, double h) {
  return tribo_vec3_scale(1 / (2 * h), tribo_vec3_sub(ahead, behind));
}

TEST(Frames, VelocitiesAreDifferencesOfPoses) {
  for (int i = 0; i < tribo_test_count(100); ++i) {
    SCOPED_TRACE(i);
    TriboRandom random = tribo_random(i);
    const int links = 1 + tribo_random_index(&random, 12);
    Robot robot(&random, links);
    const int frame = tribo_random_index(&random, links);
    const std::vector<double> still(robot.v.size());
    const double h = 1e-5;
    TriboVec3 linear, angular;
    robot.FrameVelocity(frame, &linear, &angular);
    robot.MoveTo(h, still);
    const TriboPose ahead = robot.FramePose(frame);
    robot.MoveTo(-h, still);
    const TriboPose behind = robot.FramePose(frame);
    // Central differences: h^2 times third derivatives of about v^3, and rounding / h.
    EXPECT_LE(tribo_vec3_distance(Slope(ahead.p, behind.p, h), linear), 1e-7);
    const TriboQuat turn = tribo_quat_mul(ahead.q, tribo_quat_conjugate(behind.q));
    const TriboVec3 spin = tribo_vec3_scale(1 / (2 * h), tribo_quat_log(turn));
    EXPECT_LE(tribo_vec3_distance(spin, angular), 1e-7);
  }
}

TEST(Frames, AccelerationsAreDifferencesOfVelocities) {
  for (int i = 0; i < tribo_test_count(100); ++i) {
    SCOPED_TRACE(i);
    TriboRandom random = tribo_random(1000 + i);
    const int links = 1 + tribo_random_index(&random, 12);
    Robot robot(&random, links);
    const int frame = tribo_random_index(&random, links);
    const std::vector<double> a = robot.tree->RandomV(&random);
    const double h = 1e-5;
    TriboVec3 linear, angular, v[2], w[2];
    ASSERT_EQ(tribo_frame_acceleration(robot.model, robot.state, robot.workspace, frame, a.data(),
                                       &linear, &angular),
              TRIBO_OK);
    robot.MoveTo(h, a);
    robot.FrameVelocity(frame, &v[1], &w[1]);
    robot.MoveTo(-h, a);
    robot.FrameVelocity(frame, &v[0], &w[0]);
    EXPECT_LE(tribo_vec3_distance(Slope(v[1], v[0], h), linear), 1e-6);
    EXPECT_LE(tribo_vec3_distance(Slope(w[1], w[0], h), angular), 1e-6);
  }
}

TEST(Frames, JacobiansTimesVelocitiesAreVelocities) {
  for (int i = 0; i < tribo_test_count(200); ++i) {
    SCOPED_TRACE(i);
    TriboRandom random = tribo_random(2000 + i);
    const int links = 1 + tribo_random_index(&random, 30);
    Robot robot(&random, links);
    const int frame = tribo_random_index(&random, links);
    const int nv = tribo_model_nv(robot.model);
    std::vector<double> J(6 * nv);
    ASSERT_EQ(tribo_frame_jacobian(robot.model, robot.state, robot.workspace, frame, J.data()),
              TRIBO_OK);
    TriboVec3 linear, angular;
    robot.FrameVelocity(frame, &linear, &angular);
    const double expected[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int r = 0; r < 6; ++r) {
      double sum = 0, scale = 1;
      for (int k = 0; k < nv; ++k) {
        sum += J[r * nv + k] * robot.v[k];
        scale += std::fabs(J[r * nv + k] * robot.v[k]);
      }
      EXPECT_NEAR(sum, expected[r], 1e-13 * scale);
    }
  }
}

TEST(Links, AJacobianOfAPointIsTheDifferenceOfItsPositions) {
  for (int i = 0; i < tribo_test_count(1000); ++i) {
    SCOPED_TRACE(i);
    TriboRandom random = tribo_random(77000 + i);
    const int links = 1 + tribo_random_index(&random, 20);
    Robot robot(&random, links);
    const TriboVec3 point = RandomVec3(&random, 0.5);
    const int link = tribo_random_index(&random, links), nv = tribo_model_nv(robot.model);
    std::vector<double> J(6 * nv), e(nv), moved(robot.q.size());
    ASSERT_EQ(tribo_link_jacobian(robot.model, robot.state, robot.workspace, link, point, J.data()),
              TRIBO_OK);
    // Central differences over 2 h of positions up to 20 m: 1e-10 from h^2, 1e-9 from rounding.
    const double h = 1e-5;
    for (int k = 0; k < nv; ++k) {
      TriboPose pose[2];
      for (int side = 0; side < 2; ++side) {
        e.assign(nv, 0);
        e[k] = side ? h : -h;
        tribo_q_add(robot.model, robot.q.data(), e.data(), moved.data());
        robot.Set(moved, robot.v);
        ASSERT_EQ(tribo_link_pose(robot.model, robot.state, robot.workspace, link, &pose[side]),
                  TRIBO_OK);
      }
      const TriboVec3 slope =
          Slope(tribo_vec3_add(pose[1].p, tribo_quat_rotate(pose[1].q, point)),
                tribo_vec3_add(pose[0].p, tribo_quat_rotate(pose[0].q, point)), h);
      const TriboVec3 turn = tribo_vec3_scale(
          1 / (2 * h), tribo_quat_log(tribo_quat_mul(pose[1].q, tribo_quat_conjugate(pose[0].q))));
      const double expected[6] = {slope.x, slope.y, slope.z, turn.x, turn.y, turn.z};
      for (int r = 0; r < 6; ++r) ASSERT_NEAR(J[r * nv + k], expected[r], 1e-8);
    }
  }
}

TEST(Dynamics, TheMassMatrixGivesTheKineticEnergyAndForwardInvertsInverse) {
  for (int i = 0; i < tribo_test_count(50); ++i) {
    SCOPED_TRACE(i);
    TriboRandom random = tribo_random(3000 + i);
    Robot robot(&random, 1 + tribo_random_index(&random, 20));
    const int nv = tribo_model_nv(robot.model);
    std::vector<double> M(nv * nv), tau(nv), a(nv), back(nv);
    ASSERT_EQ(tribo_mass_matrix(robot.model, robot.state, robot.workspace, M.data()), TRIBO_OK);
    TriboEnergy energy;
    ASSERT_EQ(tribo_energy(robot.model, robot.state, robot.workspace, &energy), TRIBO_OK);
    double twice = 0;
    for (int r = 0; r < nv; ++r) {
      for (int c = 0; c < nv; ++c) {
        EXPECT_EQ(M[r * nv + c], M[c * nv + r]);
        twice += robot.v[r] * M[r * nv + c] * robot.v[c];
      }
    }
    EXPECT_NEAR(energy.kinetic, 0.5 * twice, 1e-12 * (1 + energy.kinetic) * nv);
    a = robot.tree->RandomV(&random);
    ASSERT_EQ(tribo_inverse_dynamics(robot.model, robot.state, robot.workspace, a.data(), nullptr,
                                     tau.data()),
              TRIBO_OK);
    ASSERT_EQ(tribo_forward_dynamics(robot.model, robot.state, robot.workspace, tau.data(), nullptr,
                                     back.data()),
              TRIBO_OK);
    // Accelerations lose what the condition of M takes; these trees' is below 1e5.
    for (int k = 0; k < nv; ++k) EXPECT_NEAR(back[k], a[k], 1e-9);
  }
}

TEST(Dynamics, MomentaAreThoseOfTheLinks) {
  // A free link that carries another welded to it: one rigid body by hand.
  TriboRandom random = tribo_random(12);
  Robot robot(&random, 6);
  TriboEnergy energy;
  ASSERT_EQ(tribo_energy(robot.model, robot.state, robot.workspace, &energy), TRIBO_OK);
  TriboVec3 P = tribo_vec3_zero(), L = P, moment = P;
  double mass = 0;
  for (int pass = 0; pass < 2; ++pass) {
    const TriboVec3 com = pass == 0 ? P : tribo_vec3_scale(1 / mass, moment);
    for (int link = 0; link < 6; ++link) {
      TriboLinkDesc d;
      ASSERT_TRUE(tribo_model_link(robot.model, link, &d));
      TriboPose pose;
      TriboVec3 v, w;
      ASSERT_EQ(tribo_link_pose(robot.model, robot.state, robot.workspace, link, &pose), TRIBO_OK);
      ASSERT_EQ(tribo_link_velocity(robot.model, robot.state, robot.workspace, link, &v, &w),
                TRIBO_OK);
      const TriboVec3 arm = tribo_quat_rotate(pose.q, d.com), c = tribo_vec3_add(pose.p, arm);
      if (robot.model->link_body[link] < 0) continue;  // welded to the world
      if (pass == 0) {
        mass += d.mass;
        moment = tribo_vec3_madd(moment, d.mass, c);
        continue;
      }
      const TriboVec3 p = tribo_vec3_scale(d.mass, tribo_vec3_add(v, tribo_vec3_cross(w, arm)));
      double I[6];
      tribo_symmetric_rotate(tribo_quat_to_mat3(pose.q), d.inertia, I);
      P = tribo_vec3_add(P, p);
      L = tribo_vec3_add(L, tribo_vec3_add(tribo_symmetric_mul(I, w),
                                           tribo_vec3_cross(tribo_vec3_sub(c, com), p)));
    }
  }
  EXPECT_LE(tribo_vec3_distance(energy.linear_momentum, P), 1e-12);
  EXPECT_LE(tribo_vec3_distance(energy.angular_momentum, L), 1e-12);
  EXPECT_LE(tribo_vec3_distance(energy.com, tribo_vec3_scale(1 / mass, moment)), 1e-13);
}

TEST(Dynamics, DistanceFromTheOriginCostsNothing) {
  // The same robot here and a thousand kilometres away has the same M and the same bias.
  TriboBuilder* builder = nullptr;
  ASSERT_EQ(tribo_bench_quadruped(false, &builder), TRIBO_OK);
  TreeModel m(builder);
  TriboRandom random = tribo_random(4);
  std::vector<double> q = m.RandomQ(&random), v = m.RandomV(&random);
  std::vector<double> bias[2], M[2];
  for (int far = 0; far < 2; ++far) {
    if (far) q[0] += 1e6, q[1] -= 1e6, v[0] += 1e3;
    tribo_tree_kinematics(m.model(), m.tree(), q.data());
    tribo_tree_mass(m.model(), m.tree());
    M[far] = m.DenseM();
    bias[far].resize(m.nv());
    tribo_tree_inverse(m.model(), m.tree(), v.data(), nullptr, nullptr, m.model()->gravity,
                       bias[far].data());
  }
  EXPECT_EQ(M[0], M[1]);
  EXPECT_EQ(bias[0], bias[1]);
}

TEST(Contracts, WhatMakesNoSenseIsRefused) {
  TriboRandom random = tribo_random(1);
  Robot robot(&random, 3), other(&random, 3);
  TriboPose pose;
  TriboVec3 v, w;
  std::vector<double> x(6 * tribo_model_nv(robot.model)), nan(x);
  nan[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(tribo_link_pose(robot.model, robot.state, robot.workspace, 3, &pose),
            TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(tribo_link_pose(robot.model, robot.state, robot.workspace, -2, &pose),
            TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(tribo_link_pose(robot.model, robot.state, robot.workspace, TRIBO_WORLD, &pose),
            TRIBO_OK);
  EXPECT_EQ(tribo_link_pose(robot.model, robot.state, robot.workspace, 0, nullptr),
            TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(tribo_frame_pose(robot.model, robot.state, robot.workspace, 9, &pose),
            TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(tribo_link_velocity(robot.model, other.state, robot.workspace, 0, &v, &w),
            TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(tribo_link_velocity(robot.model, robot.state, other.workspace, 0, &v, &w),
            TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(tribo_inverse_dynamics(robot.model, robot.state, robot.workspace, nan.data(), nullptr,
                                   x.data()),
            TRIBO_ERROR_NOT_FINITE);
  EXPECT_EQ(tribo_forward_dynamics(robot.model, robot.state, robot.workspace, nan.data(), nullptr,
                                   x.data()),
            TRIBO_ERROR_NOT_FINITE);
}

TEST(Contracts, NothingIsAllocatedAfterCreation) {
  TriboRandom random = tribo_random(2);
  Robot robot(&random, 20);
  const int nv = tribo_model_nv(robot.model);
  std::vector<double> x(6 * nv), M(nv * nv);
  std::vector<unsigned char> bytes(tribo_state_saved_size(robot.state) + (1 << 16));
  TriboPose pose;
  TriboVec3 v, w;
  TriboEnergy energy;
  TriboStepOptions rk4 = tribo_step_options_default();
  rk4.integrator = TRIBO_INTEGRATOR_RK4;
  int failures = 0;
  const long before = tribo_test_allocations();
  for (int i = 0; i < 10; ++i) {
    TriboWorkspace* ws = robot.workspace;
    failures += tribo_step(robot.model, nullptr, nullptr, robot.state, ws) != TRIBO_OK;
    failures += tribo_step(robot.model, &rk4, nullptr, robot.state, ws) != TRIBO_OK;
    failures += tribo_link_pose(robot.model, robot.state, ws, 3, &pose) != TRIBO_OK;
    failures += tribo_frame_velocity(robot.model, robot.state, ws, 3, &v, &w) != TRIBO_OK;
    failures += tribo_frame_jacobian(robot.model, robot.state, ws, 3, x.data()) != TRIBO_OK;
    failures += tribo_mass_matrix(robot.model, robot.state, ws, M.data()) != TRIBO_OK;
    failures += tribo_forward_dynamics(robot.model, robot.state, ws, nullptr, nullptr, x.data()) !=
                TRIBO_OK;
    failures += tribo_energy(robot.model, robot.state, ws, &energy) != TRIBO_OK;
    failures += tribo_state_save(robot.state, bytes.data(), bytes.size()) != TRIBO_OK;
    failures += tribo_state_restore(robot.model, bytes.data(), tribo_state_saved_size(robot.state),
                                    robot.state) != TRIBO_OK;
  }
  EXPECT_EQ(tribo_test_allocations() - before, 0);
  EXPECT_EQ(failures, 0);
}

}  // namespace
