// SPDX-License-Identifier: Apache-2.0
//
// Arms whose equations of motion are written out by hand here, against inverse dynamics and M.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/engine/tree/random_tree.h"
#include "tests/scale.h"

namespace {

const double kGravity = 9.81;

int AddLink(TriboBuilder* builder, double mass, TriboVec3 com, TriboVec3 inertia) {
  TriboLinkDesc d = tribo_link_default();
  d.mass = mass;
  d.com = com;
  const double diagonal[6] = {inertia.x, inertia.y, inertia.z, 0, 0, 0};
  for (int i = 0; i < 6; ++i) d.inertia[i] = diagonal[i];
  int link = -1;
  EXPECT_EQ(tribo_builder_add_link(builder, &d, &link), TRIBO_OK);
  return link;
}

void AddHinge(TriboBuilder* builder, int parent, int child, TriboVec3 at, TriboVec3 axis) {
  TriboJointDesc d = tribo_joint_default();
  d.parent = parent;
  d.child = child;
  d.pose_parent.p = at;
  d.axis = axis;
  EXPECT_EQ(tribo_builder_add_joint(builder, &d, nullptr), TRIBO_OK);
}

std::vector<double> Inverse(TreeModel* m, const std::vector<double>& q,
                            const std::vector<double>& v, const std::vector<double>& a) {
  std::vector<double> tau(m->nv());
  tribo_tree_kinematics(m->model(), m->tree(), q.data());
  tribo_tree_inverse(m->model(), m->tree(), v.data(), a.data(), nullptr, m->model()->gravity,
                     tau.data());
  return tau;
}

// Random q, v, a; tau of the tree against tau of the closed form, relative to the largest.
template <typename ClosedForm>
void Compare(TriboBuilder* builder, uint64_t seed, ClosedForm closed_form) {
  EXPECT_EQ(tribo_builder_set_gravity(builder, tribo_vec3(0, 0, -kGravity)), TRIBO_OK);
  TreeModel m(builder);
  for (int i = 0; i < tribo_test_count(200); ++i) {
    TriboRandom random = tribo_random(seed + i);
    const std::vector<double> q = m.RandomV(&random, 3), v = m.RandomV(&random, 5),
                              a = m.RandomV(&random, 10);
    const std::vector<double> tau = Inverse(&m, q, v, a), expected = closed_form(q, v, a);
    double scale = 0;
    for (double x : expected) scale = std::fmax(scale, std::fabs(x));
    for (int k = 0; k < m.nv(); ++k) ASSERT_NEAR(tau[k], expected[k], 1e-12 * scale);
  }
}

// A column that turns about z (f), an upper arm l long that leans t from the vertical about y, and
// a forearm that leans p = t + the elbow's angle:
//
//   2 T = J f'^2 + a t'^2 + b p'^2 + 2 e cos(p - t) t' p',      V = g (u cos t + w cos p)
//   J = Iz1 + X2 sin^2 t + Z2 cos^2 t + X3 sin^2 p + Z3 cos^2 p + m2 c^2 sin^2 t
//       + m3 (l sin t + d sin p)^2
TEST(ThreeDofArm, EffortsAreLagranges) {
  const double m2 = 2, c = 0.3, l = 0.5, m3 = 1.2, d = 0.25;
  const TriboVec3 I1 = {0.05, 0.06, 0.02}, I2 = {0.04, 0.045, 0.01}, I3 = {0.02, 0.022, 0.004};
  TriboBuilder* builder = nullptr;
  ASSERT_EQ(tribo_builder_create(nullptr, &builder), TRIBO_OK);
  const TriboVec3 y = {0, 1, 0}, z = {0, 0, 1};
  const int column = AddLink(builder, 5, tribo_vec3(0, 0, 0.1), I1);
  const int upper = AddLink(builder, m2, tribo_vec3(0, 0, c), I2);
  const int fore = AddLink(builder, m3, tribo_vec3(0, 0, d), I3);
  AddHinge(builder, TRIBO_WORLD, column, tribo_vec3(0, 0, 0), z);
  AddHinge(builder, column, upper, tribo_vec3(0, 0, 0.4), y);
  AddHinge(builder, upper, fore, tribo_vec3(0, 0, l), y);
  Compare(builder, 100,
          [=](const std::vector<double>& q, const std::vector<double>& v,
              const std::vector<double>& acc) {
            const double t = q[1], p = q[1] + q[2], ft = v[0], tt = v[1], pt = v[1] + v[2];
            const double fa = acc[0], ta = acc[1], pa = acc[1] + acc[2];
            const double st = std::sin(t), ct = std::cos(t), sp = std::sin(p), cp = std::cos(p);
            const double reach = l * st + d * sp;
            const double J = I1.z + I2.x * st * st + I2.z * ct * ct + I3.x * sp * sp +
                             I3.z * cp * cp + m2 * c * c * st * st + m3 * reach * reach;
            const double J_t = 2 * (I2.x - I2.z + m2 * c * c) * st * ct + 2 * m3 * reach * l * ct;
            const double J_p = 2 * (I3.x - I3.z) * sp * cp + 2 * m3 * reach * d * cp;
            const double a = I2.y + m2 * c * c + m3 * l * l, b = I3.y + m3 * d * d, e = m3 * l * d;
            const double sd = std::sin(p - t), cd = std::cos(p - t);
            const double V_t = -kGravity * (m2 * c + m3 * l) * st, V_p = -kGravity * m3 * d * sp;
            const double Q_f = J * fa + (J_t * tt + J_p * pt) * ft;
            const double Q_t = a * ta + e * cd * pa - e * sd * pt * pt - 0.5 * J_t * ft * ft + V_t;
            const double Q_p = b * pa + e * cd * ta + e * sd * tt * tt - 0.5 * J_p * ft * ft + V_p;
            return std::vector<double>{Q_f, Q_t + Q_p, Q_p};
          });
}

// Seven links in a plane, in absolute angles t_i from the vertical: with the masses beyond i,
//
//   sum_j A_ij (cos(t_i - t_j) t_j'' + sin(t_i - t_j) t_j'^2) - G_i sin t_i = Q_i
//
// and the effort of joint i is the sum of Q_j over j >= i.
TEST(SevenDofArm, EffortsOfAPlanarChainAreLagranges) {
  const int n = 7;
  double mass[n], length[n], center[n], inertia[n], A[n][n], G[n];
  TriboBuilder* builder = nullptr;
  ASSERT_EQ(tribo_builder_create(nullptr, &builder), TRIBO_OK);
  int parent = TRIBO_WORLD;
  for (int i = 0; i < n; ++i) {
    mass[i] = 2 - 0.2 * i, length[i] = 0.3 - 0.01 * i, center[i] = 0.1 + 0.01 * i;
    inertia[i] = 0.02 + 0.003 * i;
    const int link = AddLink(builder, mass[i], tribo_vec3(0, 0, center[i]),
                             tribo_vec3(inertia[i], inertia[i], 0.01));
    AddHinge(builder, parent, link, tribo_vec3(0, 0, i == 0 ? 0 : length[i - 1]),
             tribo_vec3(0, 1, 0));
    parent = link;
  }
  // How far along link i the mass of link k hangs.
  auto lever = [&](int i, int k) { return i < k ? length[i] : i == k ? center[i] : 0; };
  for (int i = 0; i < n; ++i) {
    G[i] = 0;
    for (int j = 0; j < n; ++j) {
      A[i][j] = i == j ? inertia[i] : 0;
      for (int k = 0; k < n; ++k) A[i][j] += mass[k] * lever(i, k) * lever(j, k);
    }
    for (int k = 0; k < n; ++k) G[i] += kGravity * mass[k] * lever(i, k);
  }
  Compare(builder, 200,
          [&](const std::vector<double>& q, const std::vector<double>& v,
              const std::vector<double>& a) {
            std::vector<double> t(q), w(v), b(a), tau(n);
            for (int i = 1; i < n; ++i) t[i] += t[i - 1], w[i] += w[i - 1], b[i] += b[i - 1];
            for (int i = 0; i < n; ++i) {
              double Q = -G[i] * std::sin(t[i]);
              for (int j = 0; j < n; ++j) {
                Q += A[i][j] * (std::cos(t[i] - t[j]) * b[j] + std::sin(t[i] - t[j]) * w[j] * w[j]);
              }
              for (int j = 0; j <= i; ++j) tau[j] += Q;
            }
            return tau;
          });
}

// Seven hinges in space, alternately about z and y. With unit axes z_i and Jacobians of the
// centres of mass, M = sum (m Jv^T Jv + Jw^T I Jw); the velocity products are those of Christoffel,
// c_i = sum_jk (dM_ij/dq_k - dM_jk/dq_i / 2) v_j v_k, with dM/dq written out from
// dz_j/dq_k = z_k x z_j for k < j. Gravity is -sum m g . Jv.
TEST(SevenDofArm, EffortsOfASpatialArmAreChristoffels) {
  const int n = 7;
  double mass[n];
  TriboVec3 com[n], inertia[n];
  TriboBuilder* builder = nullptr;
  ASSERT_EQ(tribo_builder_create(nullptr, &builder), TRIBO_OK);
  int parent = TRIBO_WORLD;
  for (int i = 0; i < n; ++i) {
    mass[i] = 3 - 0.3 * i;
    com[i] = tribo_vec3(0.02 * i, 0.03, 0.1);
    inertia[i] = tribo_vec3(0.02 + 0.001 * i, 0.03, 0.015);
    const int link = AddLink(builder, mass[i], com[i], inertia[i]);
    AddHinge(builder, parent, link, tribo_vec3(i == 0 ? 0 : 0.05, 0, i == 0 ? 0 : 0.2),
             i % 2 == 0 ? tribo_vec3(0, 0, 1) : tribo_vec3(0, 1, 0));
    parent = link;
  }
  Compare(
      builder, 300,
      [&](const std::vector<double>& q, const std::vector<double>& v,
          const std::vector<double>& acc) {
        // Forward kinematics by products of elementary rotations.
        TriboMat3 R[n];
        TriboVec3 p[n], z[n], c[n];
        TriboMat3 turned = tribo_mat3_identity();
        TriboVec3 at = tribo_vec3_zero();
        for (int i = 0; i < n; ++i) {
          if (i > 0) at = tribo_vec3_add(at, tribo_mat3_mul_vec(turned, tribo_vec3(0.05, 0, 0.2)));
          const double s = std::sin(q[i]), k = std::cos(q[i]);
          const TriboMat3 about_z = {{k, -s, 0, s, k, 0, 0, 0, 1}},
                          about_y = {{k, 0, s, 0, 1, 0, -s, 0, k}};
          z[i] = tribo_mat3_column(turned, i % 2 == 0 ? 2 : 1);
          turned = tribo_mat3_mul(turned, i % 2 == 0 ? about_z : about_y);
          R[i] = turned;
          p[i] = at;
          c[i] = tribo_vec3_add(at, tribo_mat3_mul_vec(turned, com[i]));
        }
        // Of body b: Jv_j = z_j x (c_b - p_j), and their derivatives by q_k. The vectors z_j and
        // c_b - p_j, of things that dof k moves, turn with it; c_b - p_j of k > j moves at its end
        // c_b.
        auto Jv = [&](int b, int j) { return tribo_vec3_cross(z[j], tribo_vec3_sub(c[b], p[j])); };
        auto dJv = [&](int b, int j, int k) {
          return k < j ? tribo_vec3_cross(z[k], Jv(b, j)) : tribo_vec3_cross(z[j], Jv(b, k));
        };
        auto dz = [&](int j, int k) {
          return k < j ? tribo_vec3_cross(z[k], z[j]) : tribo_vec3_zero();
        };
        std::vector<double> tau(n);
        std::vector<std::vector<std::vector<double>>> dM(
            n, std::vector<std::vector<double>>(n, std::vector<double>(n)));
        for (int b = 0; b < n; ++b) {
          const TriboMat3 I = tribo_mat3_mul(
              R[b],
              tribo_mat3_mult(tribo_mat3_diagonal(inertia[b].x, inertia[b].y, inertia[b].z), R[b]));
          for (int i = 0; i <= b; ++i) {
            tau[i] += kGravity * mass[b] * Jv(b, i).z;
            for (int j = 0; j <= b; ++j) {
              tau[i] += acc[j] * (mass[b] * tribo_vec3_dot(Jv(b, i), Jv(b, j)) +
                                  tribo_vec3_dot(z[i], tribo_mat3_mul_vec(I, z[j])));
              for (int k = 0; k <= b; ++k) {
                // The inertia turns with dof k: dI = [z_k] I - I [z_k].
                const TriboVec3 Iz = tribo_mat3_mul_vec(I, z[j]);
                const TriboVec3 dIz =
                    tribo_vec3_sub(tribo_vec3_cross(z[k], Iz),
                                   tribo_mat3_mul_vec(I, tribo_vec3_cross(z[k], z[j])));
                dM[i][j][k] += mass[b] * (tribo_vec3_dot(dJv(b, i, k), Jv(b, j)) +
                                          tribo_vec3_dot(Jv(b, i), dJv(b, j, k))) +
                               tribo_vec3_dot(dz(i, k), Iz) + tribo_vec3_dot(z[i], dIz) +
                               tribo_vec3_dot(z[i], tribo_mat3_mul_vec(I, dz(j, k)));
              }
            }
          }
        }
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) {
            for (int k = 0; k < n; ++k) tau[i] += (dM[i][j][k] - 0.5 * dM[j][k][i]) * v[j] * v[k];
          }
        }
        return tau;
      });
}

}  // namespace
