// SPDX-License-Identifier: Apache-2.0
//
// The dynamics of random trees against each other: inverse dynamics, mass matrix, factor and rows
// are four computations of the same thing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/engine/tree/random_tree.h"
#include "tests/scale.h"

namespace {

double MaxAbs(const std::vector<double>& x) {
  double m = 0;
  for (double e : x) m = std::fmax(m, std::fabs(e));
  return m;
}

// Trees of depth 1 to 50, chains and bushes, some with limbs alike.
template <typename Check>
void ForRandomTrees(int seed, int count, int most_links, Check check) {
  for (int i = 0; i < tribo_test_count(count); ++i) {
    SCOPED_TRACE(i);
    TriboRandom random = tribo_random(static_cast<uint64_t>(seed) * 1000003u + i);
    RandomTreeOptions options;
    options.links = 1 + tribo_random_index(&random, most_links);
    options.chain = tribo_random_unit(&random) < 0.3 ? 1.0 : tribo_random_unit(&random);
    options.roots = options.chain == 1.0 ? 0 : 0.1;
    options.limbs = tribo_random_index(&random, 3);
    TreeModel m(RandomTreeBuilder(&random, options));
    check(&random, &m);
    if (::testing::Test::HasFailure()) return;
  }
}

// The scale of a sum that makes a generalized force: rounding is relative to it.
double ForceScale(const std::vector<double>& M, const std::vector<double>& a, double bias) {
  const int n = static_cast<int>(a.size());
  double scale = bias;
  for (int i = 0; i < n; ++i) {
    double row = 0;
    for (int j = 0; j < n; ++j) row += std::fabs(M[i * n + j] * a[j]);
    scale = std::fmax(scale, row);
  }
  return scale;
}

TEST(Dynamics, TheTreesAreOfEveryJointAndOfDepthsUpToFifty) {
  int type[6] = {0}, deepest = 0, flattest = 50;
  ForRandomTrees(1, 2000, 50, [&](TriboRandom*, TreeModel* m) {
    const TriboBuilder* b = m->model()->source;
    std::vector<int> depth(b->count[TRIBO_KIND_LINK], 0);
    int most = 0;
    for (int j = 0; j < b->count[TRIBO_KIND_JOINT]; ++j) {
      const TriboJointDesc& d = b->joint[j];
      ++type[d.type];
      depth[d.child] = 1 + (d.parent < 0 ? 0 : depth[d.parent]);
      most = std::max(most, depth[d.child]);
    }
    deepest = std::max(deepest, most);
    flattest = std::min(flattest, most);
  });
  // Limbs alike add up to four to the longest chain.
  EXPECT_GE(deepest, std::min(50, tribo_test_count(2000)));
  EXPECT_EQ(flattest, 1);
  for (int count : type) EXPECT_GE(count, tribo_test_count(1000));
}

TEST(Dynamics, MassMatrixColumnsAreInverseDynamicsDifferences) {
  ForRandomTrees(1, 2000, 50, [](TriboRandom* random, TreeModel* m) {
    const int n = m->nv();
    const std::vector<double> q = m->RandomQ(random), v = m->RandomV(random);
    tribo_tree_kinematics(m->model(), m->tree(), q.data());
    tribo_tree_mass(m->model(), m->tree());
    const std::vector<double> M = m->DenseM();
    std::vector<double> bias(n), tau(n), a(n);
    tribo_tree_inverse(m->model(), m->tree(), v.data(), nullptr, nullptr, m->model()->gravity,
                       bias.data());
    for (int j = 0; j < n; ++j) {
      a.assign(n, 0);
      a[j] = 1;
      tribo_tree_inverse(m->model(), m->tree(), v.data(), a.data(), nullptr, m->model()->gravity,
                         tau.data());
      const double scale = ForceScale(M, a, MaxAbs(bias));
      for (int i = 0; i < n; ++i) EXPECT_NEAR(tau[i] - bias[i], M[i * n + j], 1e-11 * scale);
    }
  });
}

TEST(Dynamics, InverseOfForwardIsTheEffort) {
  ForRandomTrees(7, 2000, 50, [](TriboRandom* random, TreeModel* m) {
    const int n = m->nv(), links = m->model()->source->count[TRIBO_KIND_LINK];
    const std::vector<double> q = m->RandomQ(random), v = m->RandomV(random);
    const std::vector<double> tau = m->RandomV(random, 10);
    std::vector<double> a(n), back(n), bias(n), b(n), wrench(6 * links);
    for (double& x : wrench) x = tribo_random_in(random, -5, 5);
    tribo_tree_kinematics(m->model(), m->tree(), q.data());
    tribo_tree_mass(m->model(), m->tree());
    ASSERT_EQ(
        tribo_tree_forward(m->model(), m->tree(), v.data(), tau.data(), wrench.data(), a.data()),
        TRIBO_OK);
    tribo_tree_inverse(m->model(), m->tree(), v.data(), nullptr, wrench.data(), m->model()->gravity,
                       bias.data());
    tribo_tree_inverse(m->model(), m->tree(), v.data(), a.data(), wrench.data(),
                       m->model()->gravity, back.data());
    const double scale = ForceScale(m->DenseM(), a, MaxAbs(bias));
    for (int i = 0; i < n; ++i) EXPECT_NEAR(back[i], tau[i], 1e-11 * scale);
    // And the mass matrix's way gives an acceleration that needs the same efforts.
    tribo_tree_factor(m->model(), m->tree(), nullptr);
    for (int i = 0; i < n; ++i) b[i] = tau[i] - bias[i];
    tribo_tree_solve(m->model(), m->tree(), b.data());
    tribo_tree_inverse(m->model(), m->tree(), v.data(), b.data(), wrench.data(),
                       m->model()->gravity, back.data());
    for (int i = 0; i < n; ++i) EXPECT_NEAR(back[i], tau[i], 1e-11 * scale);
  });
}

TEST(Dynamics, FactorReproducesTheMassMatrixAndIsPositive) {
  ForRandomTrees(2, 2000, 50, [](TriboRandom* random, TreeModel* m) {
    const int n = m->nv();
    const std::vector<double> q = m->RandomQ(random);
    std::vector<double> extra(n);
    for (double& x : extra) x = tribo_random_in(random, 0, 0.1);
    tribo_tree_kinematics(m->model(), m->tree(), q.data());
    tribo_tree_mass(m->model(), m->tree());
    tribo_tree_factor(m->model(), m->tree(), extra.data());
    std::vector<double> M = m->DenseM(), LtDL(n * n);
    for (int k = 0; k < n; ++k) {
      M[k * n + k] += extra[k];
      const int *column = m->model()->column + m->model()->dof_row[k],
                depth = m->model()->dof_depth[k];
      const double* row = m->tree()->L + m->model()->dof_row[k];
      const double D = row[depth - 1];
      ASSERT_GT(D, 0);
      for (int i = 0; i < depth; ++i) {
        for (int j = 0; j < depth; ++j) {
          const double Li = i == depth - 1 ? 1 : row[i], Lj = j == depth - 1 ? 1 : row[j];
          LtDL[column[i] * n + column[j]] += Li * D * Lj;
        }
      }
    }
    const double scale = MaxAbs(M);
    for (int i = 0; i < n * n; ++i) EXPECT_NEAR(LtDL[i], M[i], 1e-13 * scale);
  });
}

TEST(Dynamics, SolvesInvertTheMassMatrix) {
  ForRandomTrees(3, 2000, 50, [](TriboRandom* random, TreeModel* m) {
    const int n = m->nv();
    const std::vector<double> q = m->RandomQ(random), v = m->RandomV(random);
    tribo_tree_kinematics(m->model(), m->tree(), q.data());
    tribo_tree_mass(m->model(), m->tree());
    tribo_tree_factor(m->model(), m->tree(), nullptr);
    std::vector<double> b(n), x, y;
    tribo_tree_multiply(m->model(), m->tree(), 0, m->model()->nv, v.data(), b.data());
    x = b;
    tribo_tree_solve(m->model(), m->tree(), x.data());
    // The residual is what a backward stable solve keeps small, whatever the conditioning.
    std::vector<double> back(n);
    tribo_tree_multiply(m->model(), m->tree(), 0, m->model()->nv, x.data(), back.data());
    const double scale = ForceScale(m->DenseM(), x, 0);
    for (int i = 0; i < n; ++i) EXPECT_NEAR(back[i], b[i], 1e-13 * n * scale);
    // G^-T G^T v = v, and |G^T v|^2 = v M v.
    y = v;
    tribo_tree_to_mass(m->model(), m->tree(), y.data());
    double yy = 0, vMv = 0;
    for (int i = 0; i < n; ++i) yy += y[i] * y[i], vMv += v[i] * b[i];
    EXPECT_NEAR(yy, vMv, 1e-12 * (1 + std::fabs(vMv)) * n);
    tribo_tree_from_mass(m->model(), m->tree(), y.data());
    for (int i = 0; i < n; ++i) EXPECT_NEAR(y[i], v[i], 1e-12 * MaxAbs(v) * n);
  });
}

// A row as a full vector.
std::vector<double> Spread(const TreeModel& m, const TriboTreePath& path, const double* values) {
  std::vector<int> index(path.count);
  tribo_tree_path_index(m.model(), &path, index.data());
  std::vector<double> full(m.nv());
  for (int i = 0; i < path.count; ++i) {
    EXPECT_TRUE(i == 0 || index[i - 1] < index[i]);
    full[index[i]] = values[i];
    EXPECT_EQ(tribo_tree_path_find(m.model(), &path, index[i]), i);
  }
  return full;
}

TEST(Dynamics, RowsAreThePowerOfTheirWrench) {
  ForRandomTrees(4, 2000, 50, [](TriboRandom* random, TreeModel* m) {
    const int n = m->nv(), nb = m->model()->nb;
    const std::vector<double> q = m->RandomQ(random), v = m->RandomV(random);
    tribo_tree_kinematics(m->model(), m->tree(), q.data());
    tribo_tree_velocities(m->model(), m->tree(), v.data());
    for (int trial = 0; trial < 10; ++trial) {
      const int a = tribo_random_index(random, nb + 1) - 1;
      const int b = tribo_random_index(random, nb + 1) - 1;
      const TriboVec3 point = RandomVec3(random, 2);
      const TriboSpatial W = {RandomVec3(random, 1), RandomVec3(random, 1)};
      const TriboTreePath path = tribo_tree_path(m->model(), tribo_tree_body_dof(m->model(), a),
                                                 tribo_tree_body_dof(m->model(), b));
      std::vector<double> values(path.count + 1);
      tribo_tree_path_rows(m->model(), m->tree(), &path, point, 1, &W, path.count, values.data());
      const std::vector<double> row = Spread(*m, path, values.data());
      double power = 0, scale = 1;
      for (int i = 0; i < n; ++i) power += row[i] * v[i], scale += std::fabs(row[i] * v[i]);
      double expected = 0;
      for (int side = 0; side < 2; ++side) {
        const int body = side == 0 ? a : b;
        if (body < 0) continue;
        const TriboSpatial V = m->tree()->V[body];
        const TriboVec3 arm = tribo_vec3_sub(point, m->tree()->X_WB[body].p);
        const TriboVec3 at = tribo_vec3_add(V.v, tribo_vec3_cross(V.w, arm));
        expected += (side ? 1 : -1) * (tribo_vec3_dot(V.w, W.w) + tribo_vec3_dot(at, W.v));
      }
      EXPECT_NEAR(power, expected, 1e-12 * scale);
    }
  });
}

TEST(Dynamics, HalfSolvesReproduceTheDelassusMatrix) {
  ForRandomTrees(5, 2000, 50, [](TriboRandom* random, TreeModel* m) {
    const int n = m->nv(), nb = m->model()->nb, rows = 6;
    const std::vector<double> q = m->RandomQ(random);
    tribo_tree_kinematics(m->model(), m->tree(), q.data());
    tribo_tree_mass(m->model(), m->tree());
    tribo_tree_factor(m->model(), m->tree(), nullptr);
    std::vector<std::vector<double>> J, half;
    for (int pair = 0; pair < 3; ++pair) {
      const int a = tribo_random_index(random, nb + 1) - 1;
      const int b = tribo_random_index(random, nb + 1) - 1;
      const TriboTreePath path = tribo_tree_path(m->model(), tribo_tree_body_dof(m->model(), a),
                                                 tribo_tree_body_dof(m->model(), b));
      const TriboSpatial W[2] = {{RandomVec3(random, 1), RandomVec3(random, 1)},
                                 {RandomVec3(random, 1), RandomVec3(random, 1)}};
      const int stride = path.count + 1;
      std::vector<double> values(2 * stride);
      tribo_tree_path_rows(m->model(), m->tree(), &path, RandomVec3(random, 2), 2, W, stride,
                           values.data());
      for (int r = 0; r < 2; ++r) J.push_back(Spread(*m, path, &values[r * stride]));
      tribo_tree_half_solve(m->model(), m->tree(), &path, 2, stride, values.data());
      for (int r = 0; r < 2; ++r) half.push_back(Spread(*m, path, &values[r * stride]));
    }
    for (int r = 0; r < rows; ++r) {
      std::vector<double> x = J[r];
      tribo_tree_solve(m->model(), m->tree(), x.data());
      for (int s = 0; s < rows; ++s) {
        double direct = 0, product = 0, rr = 0, ss = 0;
        for (int i = 0; i < n; ++i) {
          direct += J[s][i] * x[i];
          product += half[r][i] * half[s][i];
          rr += half[r][i] * half[r][i], ss += half[s][i] * half[s][i];
        }
        // An inner product in the metric of M^-1 is accurate relative to the two lengths.
        EXPECT_NEAR(product, direct, 1e-11 * std::sqrt(rr * ss));
      }
    }
  });
}

// Kinetic less potential energy at q moved by t along dq, with the velocity v there, and its
// momenta.
double Lagrangian(TreeModel* m, const std::vector<double>& q, const std::vector<double>& dq,
                  double t, const std::vector<double>& v, std::vector<double>* p) {
  std::vector<double> moved(m->nq());
  tribo_tree_integrate(m->model(), q.data(), dq.data(), t, moved.data());
  tribo_tree_kinematics(m->model(), m->tree(), moved.data());
  tribo_tree_mass(m->model(), m->tree());
  p->resize(m->nv());
  tribo_tree_multiply(m->model(), m->tree(), 0, m->model()->nv, v.data(), p->data());
  double L = 0;
  for (int i = 0; i < m->nv(); ++i) L += 0.5 * v[i] * (*p)[i];
  for (int i = 0; i < m->model()->nb; ++i) {
    const TriboInertia& I = m->tree()->inertia[i];
    L += tribo_vec3_dot(m->model()->gravity, tribo_vec3_madd(I.h, I.m, m->tree()->X_WB[i].p));
  }
  return L;
}

TEST(Dynamics, BiasIsTheDerivativeOfTheLagrangian) {
  // With velocities in axes that turn with the body, Lagrange's equations have the Euler-Poincare
  // term: at constant v, bias = d/dt p - dL/dq - (p x w for the rotations of ball and free joints).
  // Central differences of order four: their error is 1e-12 from h^4 and 1e-12 from rounding,
  // relative to sums over up to 12 links.
  const double h = 2e-3;
  ForRandomTrees(6, 1000, 12, [h](TriboRandom* random, TreeModel* m) {
    const int n = m->nv();
    const std::vector<double> q = m->RandomQ(random), v = m->RandomV(random);
    std::vector<double> bias(n), p(n), expected(n), pa, pb, pc, pd, e(n);
    const double size = std::fabs(Lagrangian(m, q, v, 0, v, &p)) + MaxAbs(p);
    tribo_tree_inverse(m->model(), m->tree(), v.data(), nullptr, nullptr, m->model()->gravity,
                       bias.data());
    Lagrangian(m, q, v, h, v, &pa), Lagrangian(m, q, v, -h, v, &pb);
    Lagrangian(m, q, v, 2 * h, v, &pc), Lagrangian(m, q, v, -2 * h, v, &pd);
    for (int i = 0; i < n; ++i) {
      e.assign(n, 0);
      e[i] = 1;
      std::vector<double> ignore;
      auto L = [&](double t) { return Lagrangian(m, q, e, t, v, &ignore); };
      const double dL = (8 * (L(h) - L(-h)) - (L(2 * h) - L(-2 * h))) / (12 * h);
      expected[i] = (8 * (pa[i] - pb[i]) - (pc[i] - pd[i])) / (12 * h) - dL;
    }
    for (int b = 0; b < m->model()->nb; ++b) {
      const TriboBody& body = m->model()->body[b];
      if (body.type != TRIBO_JOINT_FREE && body.type != TRIBO_JOINT_BALL) continue;
      const int k = body.v + body.nv - 3;
      const TriboVec3 gyro = tribo_vec3_cross(tribo_vec3_from(&p[k]), tribo_vec3_from(&v[k]));
      expected[k] -= gyro.x, expected[k + 1] -= gyro.y, expected[k + 2] -= gyro.z;
    }
    for (int i = 0; i < n; ++i) EXPECT_NEAR(bias[i], expected[i], 1e-9 * (size + MaxAbs(bias)));
  });
}

TEST(Dynamics, TurningOfTheAxesIsTheRateOfMomentumLessTheBias) {
  // M dv/dt + b = forces and d(M v)/dt = forces + c: c = dM/dt v - b, with the same differences as
  // above, and start and end at one q.
  const double h = 2e-3;
  ForRandomTrees(8, 2000, 12, [h](TriboRandom* random, TreeModel* m) {
    const int n = m->nv();
    const std::vector<double> q = m->RandomQ(random), v = m->RandomV(random);
    std::vector<double> bias(n), impulse(n), p, pa, pb, pc, pd, displacement(n);
    Lagrangian(m, q, v, h, v, &pa), Lagrangian(m, q, v, -h, v, &pb);
    Lagrangian(m, q, v, 2 * h, v, &pc), Lagrangian(m, q, v, -2 * h, v, &pd);
    const double size = std::fabs(Lagrangian(m, q, v, 0, v, &p)) + MaxAbs(p);
    tribo_tree_bias(m->model(), m->tree(), 0, m->model()->nb, v.data(), bias.data());
    tribo_tree_keep_start(m->tree());
    tribo_tree_kinematics(m->model(), m->tree(), q.data());
    for (int i = 0; i < n; ++i) displacement[i] = h * v[i];
    for (int t = 0; t < m->model()->ntree; ++t) {
      const int begin = m->model()->tree_body[t], end = m->model()->tree_body[t + 1];
      tribo_tree_add_turning(m->model(), m->tree(), begin, end, begin, h, displacement.data(),
                             impulse.data());
    }
    for (int i = 0; i < n; ++i) {
      const double rate = (8 * (pa[i] - pb[i]) - (pc[i] - pd[i])) / (12 * h);
      EXPECT_NEAR(impulse[i] / h, rate - bias[i], 1e-9 * (size + MaxAbs(bias)));
    }
  });
}

}  // namespace
