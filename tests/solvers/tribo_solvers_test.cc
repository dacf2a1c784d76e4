// SPDX-License-Identifier: Apache-2.0
#include "solvers/tribo_solvers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "engine/base/random.h"
#include "tests/failing_allocator.h"
#include "tests/scale.h"

namespace {

using Numbers = std::vector<double>;

TriboStatus lcp(int n, const Numbers& M, const Numbers& q, Numbers* z, TriboLcpInfo* info) {
  const TriboLcp problem = {n, M.data(), q.data()};
  z->assign(n, 0.0);
  return tribo_lcp_solve(&problem, nullptr, z->data(), info);
}

TEST(PublicLcp, ASolutionThatLemkeMissesIsFoundByLookingAtAllChoices) {
  // [CottlePangStone1992] example 4.4.7 has a ray next to a solution for many coverings; this one
  // of its kind: M is not even semimonotone, z = (0, 1, 0, 1) solves it.
  Numbers z;
  TriboLcpInfo info;
  const Numbers M = {-1, 2, 0, 0, 1, -1, 0, 2, 0, 0, -1, 1, 0, 1, 1, -1}, q = {-1, -1, -1, 0};
  const TriboStatus status = lcp(4, M, q, &z, &info);
  if (status == TRIBO_OK) {
    EXPECT_LE(info.certificate.worst, 1e-9);
  } else {
    EXPECT_EQ(status, TRIBO_ERROR_RAY);
    EXPECT_TRUE(info.enumerated);
  }
}

TEST(PublicLcp, ARayIsTurnedIntoAProofWhereNothingIsFeasible) {
  // w1 = -z2 - z3 - 1e-4 is never positive, but no ray of Lemke's says so.
  Numbers v;
  TriboLcpInfo info;
  ASSERT_EQ(lcp(3, {0, -1, -1, 1, 0, 0, -1, 0, 0}, {-1e-4, -1, 1}, &v, &info),
            TRIBO_ERROR_INFEASIBLE);
  EXPECT_GT(v[0], 0);
  EXPECT_LE(v[1] - v[2], 0);
  EXPECT_LT(-1e-4 * v[0] - v[1] + v[2], 0);
}

TEST(PublicLcp, BadInputIsRefused) {
  Numbers z;
  TriboLcpInfo info;
  EXPECT_EQ(lcp(1, {NAN}, {1}, &z, &info), TRIBO_ERROR_NOT_FINITE);
  EXPECT_EQ(tribo_lcp_solve(nullptr, nullptr, z.data(), &info), TRIBO_ERROR_ARGUMENT);
}

// A box of mass 2 on four corners of its bottom, W of rank 6, in both forms.
struct Box {
  Numbers M = Numbers(36, 0.0), H = Numbers(6 * 12, 0.0), f, b = Numbers(12, 0.0),
          mu = Numbers(4, 0.5), W = Numbers(144, 0.0), q = Numbers(12, 0.0);
  Numbers inertia;

  explicit Box(const Numbers& impulse, const Numbers& masses = {2, 2, 2, 0.5, 0.5, 0.8})
      : f(impulse), inertia(masses) {
    for (int e = 0; e < 6; ++e) M[7 * e] = inertia[e];
    for (int c = 0; c < 4; ++c) {
      const double p[3] = {c % 2 == 0 ? 0.5 : -0.5, c < 2 ? 0.5 : -0.5, -0.5};
      const double axis[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
      for (int r = 0; r < 3; ++r) {
        const double* a = axis[r];
        const double row[6] = {a[0],
                               a[1],
                               a[2],
                               p[1] * a[2] - p[2] * a[1],
                               p[2] * a[0] - p[0] * a[2],
                               p[0] * a[1] - p[1] * a[0]};
        for (int e = 0; e < 6; ++e) H[e * 12 + 3 * c + r] = row[e];
      }
    }
    for (int i = 0; i < 12; ++i) {
      for (int e = 0; e < 6; ++e) {
        q[i] += H[e * 12 + i] * f[e] / inertia[e];
        for (int j = 0; j < 12; ++j) W[12 * i + j] += H[e * 12 + i] * H[e * 12 + j] / inertia[e];
      }
    }
  }

  TriboStatus delassus(TriboMatrixOptions options, Numbers* r, TriboMatrixInfo* info) {
    const TriboDelassusProblem problem = {
        4, 3, {12, 12, nullptr, nullptr, W.data()}, q.data(), mu.data()};
    r->assign(12, 0.0);
    return tribo_delassus_solve(&problem, &options, nullptr, r->data(), info);
  }
  TriboStatus global(TriboMatrixOptions options, Numbers* r, Numbers* v, TriboMatrixInfo* info) {
    const TriboGlobalProblem problem = {4,
                                        3,
                                        {6, 6, nullptr, nullptr, M.data()},
                                        {6, 12, nullptr, nullptr, H.data()},
                                        f.data(),
                                        b.data(),
                                        mu.data()};
    r->assign(12, 0.0);
    v->assign(6, 0.0);
    return tribo_global_solve(&problem, &options, nullptr, r->data(), v->data(), info);
  }
};

TEST(PublicContact, BothFormsAndAllSolversGiveTheBoxTheSameVelocity) {
  // Pushed down by 2 and sideways by 1.5 along the diagonal: it slides, friction 0.5 of the load.
  Box box({1.5 * M_SQRT1_2, 1.5 * M_SQRT1_2, -2, 0, 0, 0});
  for (TriboSolver solver : {TRIBO_SOLVER_AUTO, TRIBO_SOLVER_LEMKE, TRIBO_SOLVER_NEWTON,
                             TRIBO_SOLVER_ENERGY, TRIBO_SOLVER_DANTZIG}) {
    TriboMatrixOptions options = tribo_matrix_options_default();
    options.solver = solver;
    Numbers r, v;
    TriboMatrixInfo info;
    ASSERT_EQ(box.global(options, &r, &v, &info), TRIBO_OK) << solver;
    EXPECT_LE(info.certificate.worst, 1e-9);
    EXPECT_NEAR(std::hypot(v[0], v[1]), 0.25, 1e-9) << solver;
    EXPECT_NEAR(v[0], v[1], 1e-9);
    EXPECT_NEAR(v[2], 0, 1e-9);
    ASSERT_EQ(box.delassus(options, &r, &info), TRIBO_OK) << solver;
    EXPECT_NEAR(r[0] + r[3] + r[6] + r[9], 2, 1e-9);
    EXPECT_NEAR(r[1] + r[4] + r[7] + r[10], -M_SQRT1_2, 1e-9);
  }
}

// Baraff's friction is along x first: alone it would be a quarter off the sliding's direction.
TEST(PublicContact, DantzigsDirectionsBecomeCoulombsWithoutTheLadder) {
  TriboMatrixOptions options = tribo_matrix_options_default();
  options.solver = TRIBO_SOLVER_DANTZIG;
  Numbers r, v;
  TriboMatrixInfo info;
  Box rests({0.4, 0.3, -2, 0, 0, 0});
  EXPECT_EQ(rests.global(options, &r, &v, &info), TRIBO_OK);
  EXPECT_NEAR(v[0], 0, 1e-10);
  Box slides({1.5 * M_SQRT1_2, 1.5 * M_SQRT1_2, -2, 0, 0, 0});
  EXPECT_EQ(slides.global(options, &r, &v, &info), TRIBO_OK);
  EXPECT_NE(info.rung, TRIBO_RUNG_LADDER);
  EXPECT_EQ(info.fallbacks > 0, info.solver == TRIBO_SOLVER_NEWTON);
  EXPECT_LE(info.certificate.worst, 1e-9);
  EXPECT_NEAR(v[0], v[1], 1e-9);
}

TEST(PublicContact, ModelsOrderTheSlidingSpeed) {
  Box box({1.5, 0, -2, 0, 0, 0});
  Numbers r, v;
  TriboMatrixInfo info;
  TriboMatrixOptions options = tribo_matrix_options_default();
  options.model = TRIBO_MODEL_FRICTIONLESS;
  for (TriboSolver solver :
       {TRIBO_SOLVER_AUTO, TRIBO_SOLVER_DUAL, TRIBO_SOLVER_PPM, TRIBO_SOLVER_DANTZIG}) {
    options.solver = solver;
    ASSERT_EQ(box.global(options, &r, &v, &info), TRIBO_OK) << solver;
    EXPECT_NEAR(v[0], 0.75, 1e-12);
  }
  options.solver = TRIBO_SOLVER_AUTO;
  options.model = TRIBO_MODEL_NOSLIP;
  ASSERT_EQ(box.global(options, &r, &v, &info), TRIBO_OK);
  EXPECT_NEAR(v[0], 0, 1e-12);
  options.model = TRIBO_MODEL_VISCOUS;
  options.viscosity = 0.5;
  ASSERT_EQ(box.global(options, &r, &v, &info), TRIBO_OK);
  // 2 dv = -4 (0.5 v): 1.5 = (2 + 2) v.
  EXPECT_NEAR(v[0], 0.375, 1e-9);
}

// The free velocity closes all four corners, but the push tips the box over one of them. Before
// that is known all tangents are rows, and their targets, a belt's under one corner, contradict
// each other.
TEST(PublicContact, TangentsThatContradictEachOtherHoldWhereTheBoxStaysInContact) {
  for (double unsymmetric : {0.0, 1e-6, 1e-4, 1e-3}) {
    Box box({0.1, 0.2, -2, 1.1, 1.1, 0}, {2, 2, 2, 4, 4, 0.8});
    // The corner that the box tips over: the one that the push closes most.
    int corner = 0;
    for (int c = 1; c < 4; ++c) corner = box.q[3 * c] < box.q[3 * corner] ? c : corner;
    for (int c = 0; c < 4; ++c) EXPECT_LT(box.q[3 * c], 0);
    box.q[3 * corner + 1] += 0.3;
    // As a mass matrix inverted in few digits leaves it.
    TriboRandom random = tribo_random(5);
    for (int i = 0; i < 12; ++i) {
      for (int j = 0; j < 12; ++j) {
        box.W[12 * i + j] *= 1 + unsymmetric * tribo_random_in(&random, -1, 1);
      }
    }
    TriboMatrixOptions options = tribo_matrix_options_default();
    options.model = TRIBO_MODEL_NOSLIP;
    Numbers r;
    TriboMatrixInfo info;
    ASSERT_EQ(box.delassus(options, &r, &info), TRIBO_OK) << unsymmetric;
    EXPECT_LE(info.certificate.worst, 1e-8);
    EXPECT_EQ(info.fallbacks > 0, info.rung == TRIBO_RUNG_COMPLIANCE);
    EXPECT_TRUE(info.fallbacks > 0 || unsymmetric > 0);
    // By the numbers as they were given, and not by the certificate.
    for (int i = 0; i < 12; ++i) {
      double u = box.q[i];
      for (int j = 0; j < 12; ++j) u += box.W[12 * i + j] * r[j];
      if (i / 3 == corner) {
        EXPECT_NEAR(u, 0, 1e-8) << unsymmetric << " " << i;
      } else {
        EXPECT_EQ(r[i], 0) << i;
        EXPECT_TRUE(i % 3 != 0 || u > 1e-3) << i << ": " << u;
      }
    }
  }
}

// With its tangents the contact separates and pulls, without them it presses and slips. In between
// u_n = 0 at f = 0: 0.5 t = 0.2, and u_t = t - 1 = -0.6 against it.
TEST(PublicContact, AContactThatNeitherSticksNorSeparatesGrazes) {
  const Numbers W = {1, 0.5, 0, 0.5, 1, 0, 0, 0, 1}, q = {-0.2, -1, 0}, mu = {0.5};
  const TriboDelassusProblem problem = {
      1, 3, {3, 3, nullptr, nullptr, W.data()}, q.data(), mu.data()};
  TriboMatrixOptions options = tribo_matrix_options_default();
  TriboMatrixInfo info;
  Numbers r(3);
  options.model = TRIBO_MODEL_NOSLIP;
  ASSERT_EQ(tribo_delassus_solve(&problem, &options, nullptr, r.data(), &info), TRIBO_OK);
  EXPECT_NEAR(r[0], 0, 1e-7);
  EXPECT_NEAR(r[1], 0.4, 1e-7);
  EXPECT_NEAR(r[2], 0, 1e-12);
  // Viscous: grazing where the drag 1/c = 0.6/0.4 or more would separate it, c t = -u_t below.
  options.model = TRIBO_MODEL_VISCOUS;
  for (double viscosity : {0.3, 0.6, 0.7, 5.0}) {
    options.viscosity = viscosity;
    ASSERT_EQ(tribo_delassus_solve(&problem, &options, nullptr, r.data(), &info), TRIBO_OK);
    if (viscosity > 0.4 / 0.6) {
      EXPECT_NEAR(r[1], 0.4, 1e-6) << viscosity;
    } else {
      // f + 0.5 t = 0.2 and 0.5 f + t - 1 = -t/mu_v.
      const double t = 0.9 / (0.75 + 1 / viscosity);
      EXPECT_NEAR(r[1], t, 1e-9) << viscosity;
      EXPECT_NEAR(r[0], 0.2 - 0.5 * t, 1e-9);
    }
  }
}

// How far r is from the law of no-slip (compliance 0), viscous and frictionless (infinite) contact,
// written from the law: what presses does not slip, what separates is not pulled, and at neither
// friction is against the slip and no more than the drag.
double LawResidual(int n, const Numbers& W, const Numbers& q, const Numbers& r, double compliance) {
  double worst = 0;
  for (int c = 0; c < n; c += 3) {
    double u[3];
    for (int i = 0; i < 3; ++i) {
      u[i] = q[c + i];
      for (int j = 0; j < n; ++j) u[i] += W[(c + i) * n + j] * r[j];
    }
    const double f = r[c], pull = std::hypot(r[c + 1], r[c + 2]), speed = std::hypot(u[1], u[2]);
    worst = std::max({worst, -f, -u[0], std::min(f, u[0])});
    if (std::isinf(compliance)) {
      worst = std::max(worst, pull);
      continue;
    }
    const double slip = std::hypot(u[1] + compliance * r[c + 1], u[2] + compliance * r[c + 2]);
    const double along = u[1] * r[c + 1] + u[2] * r[c + 2];
    worst = std::max({worst, std::min(f, slip), std::min(u[0], pull)});
    worst = std::max(worst, std::min(speed, pull + (speed > 0 ? along / speed : 0)));
    worst = std::max(worst, compliance * pull - speed);
  }
  return worst;
}

// Bodies of 6 coordinates with 2 to 6 contacts: W has rank 6 at most, its tangents S, T less.
TEST(PublicContact, NoslipAndViscousContactsMeetTheirLawAndItsLimits) {
  TriboRandom random = tribo_random(9);
  const int count = tribo_test_count(150);
  int open = 0, grazing = 0;
  for (int test = 0; test < count; ++test) {
    const int contacts = 2 + test % 5, n = 3 * contacts;
    Numbers J(n * 6), W(n * n, 0.0), q(n, 0.0), mu(contacts, 0.5), k(6);
    for (double& x : k) x = tribo_random_in(&random, -1, 1);
    for (double& x : J) x = tribo_random_in(&random, -1, 1);
    for (int i = 0; i < n; ++i) {
      for (int e = 0; e < 6; ++e) q[i] += J[6 * i + e] * k[e];
      for (int j = 0; j < n; ++j) {
        for (int e = 0; e < 6; ++e) W[n * i + j] += J[6 * i + e] * J[6 * j + e];
      }
    }
    const TriboDelassusProblem problem = {
        contacts, 3, {n, n, nullptr, nullptr, W.data()}, q.data(), mu.data()};
    TriboMatrixOptions options = tribo_matrix_options_default();
    TriboMatrixInfo info;
    const auto solve = [&](TriboContactModel model, double viscosity, double compliance) {
      Numbers r(n);
      options.model = model;
      options.viscosity = viscosity;
      if (tribo_delassus_solve(&problem, &options, nullptr, r.data(), &info) != TRIBO_OK) {
        ++open;
        r.clear();
        return r;
      }
      EXPECT_LE(LawResidual(n, W, q, r, compliance), 1e-6) << test << " " << viscosity;
      return r;
    };
    const Numbers noslip = solve(TRIBO_MODEL_NOSLIP, 1, 0);
    const Numbers frictionless = solve(TRIBO_MODEL_FRICTIONLESS, 1, INFINITY);
    solve(TRIBO_MODEL_VISCOUS, 1, 1);
    const Numbers hardly = solve(TRIBO_MODEL_VISCOUS, 1e-9, 1e9);
    for (int i = 0; i < n && !noslip.empty(); i += 3) {
      grazing += noslip[i] < 1e-8 && std::hypot(noslip[i + 1], noslip[i + 2]) > 1e-6;
    }
    if (frictionless.empty() || hardly.empty()) continue;
    for (int i = 0; i < n; ++i) {
      double u = 0;
      for (int j = 0; j < n; ++j) u += W[n * i + j] * (hardly[j] - frictionless[j]);
      EXPECT_NEAR(u, 0, 1e-6) << test;
    }
  }
  printf(
      "matrices: of %d no-slip, viscous and frictionless solves %d are open; %d contacts graze\n",
      4 * count, open, grazing);
  EXPECT_LE(open, 4 * count / 100);
  EXPECT_GT(grazing, 0);
}

TEST(PublicContact, OneTriangleOfTheMassMatrixStandsForBoth) {
  Box whole({1.5, 0.2, -2, 0.1, 0, 0.3});
  whole.M[1] = whole.M[6] = 0.4;
  Box half = whole;
  half.M[6] = 0;
  Numbers r, v, v_half;
  TriboMatrixInfo info;
  ASSERT_EQ(whole.global(tribo_matrix_options_default(), &r, &v, &info), TRIBO_OK);
  ASSERT_EQ(half.global(tribo_matrix_options_default(), &r, &v_half, &info), TRIBO_OK);
  for (int e = 0; e < 6; ++e) EXPECT_NEAR(v[e], v_half[e], 1e-10);
  half.M[6] = 0.1;
  EXPECT_EQ(half.global(tribo_matrix_options_default(), &r, &v, &info), TRIBO_ERROR_ARGUMENT);
}

// A tower of mass points, each on the one below, 3 rows a contact: few rows take the dense factor,
// many CHOLMOD's. Weights add up downwards; a push of the topmost reaches the ground by friction.
TEST(PublicContact, TowersOfAnySizeRestOnTheirWeight) {
  for (int bodies : {5, 60, 250}) {
    const int n = 3 * bodies;
    std::vector<int> start{0}, diagonal, entries{0}, columns;
    Numbers mass, value, f(n, 0.0), b(n, 0.0), mu(bodies, 0.5);
    for (int i = 0; i < n; ++i) {
      diagonal.push_back(i);
      mass.push_back(1 + i / 3 % 3);
      start.push_back(i + 1);
      // Row i of H: velocity i is the contact's own (component z, x, y), and less it the next
      // one's.
      columns.push_back(i);
      value.push_back(1);
      if (i + 3 < n) {
        columns.push_back(i + 3);
        value.push_back(-1);
      }
      entries.push_back(static_cast<int>(columns.size()));
      if (i % 3 == 0) f[i] = -mass[i];
    }
    f[n - 2] = 0.25;
    const TriboGlobalProblem problem = {bodies,
                                        3,
                                        {n, n, start.data(), diagonal.data(), mass.data()},
                                        {n, n, entries.data(), columns.data(), value.data()},
                                        f.data(),
                                        b.data(),
                                        mu.data()};
    for (TriboContactModel model : {TRIBO_MODEL_NOSLIP, TRIBO_MODEL_FRICTIONLESS}) {
      TriboMatrixOptions options = tribo_matrix_options_default();
      options.model = model;
      Numbers r(n), v(n);
      TriboMatrixInfo info;
      ASSERT_EQ(tribo_global_solve(&problem, &options, nullptr, r.data(), v.data(), &info),
                TRIBO_OK)
          << bodies;
      const bool sticks = model == TRIBO_MODEL_NOSLIP;
      double weight = 0;
      for (int c = bodies - 1; c >= 0; --c) {
        weight += mass[3 * c];
        EXPECT_NEAR(r[3 * c], weight, 1e-8 * weight) << c;
        EXPECT_NEAR(r[3 * c + 1], sticks ? -0.25 : 0, 1e-8) << c;
        EXPECT_NEAR(v[3 * c], 0, 1e-9) << c;
        const bool pushed = c == bodies - 1 && !sticks;
        EXPECT_NEAR(v[3 * c + 1], pushed ? 0.25 / mass[3 * c] : 0, 1e-9) << c;
      }
    }
  }
}

TEST(PublicContact, WhatMakesNoSenseIsRefusedWithoutAnAnswer) {
  Box box({0, 0, -1, 0, 0, 0});
  Numbers r, v;
  TriboMatrixInfo info;
  TriboMatrixOptions options = tribo_matrix_options_default();
  options.solver = TRIBO_SOLVER_PPM;  // not for Coulomb
  EXPECT_EQ(box.delassus(options, &r, &info), TRIBO_ERROR_ARGUMENT);
  options = tribo_matrix_options_default();
  options.facets = 5;
  EXPECT_EQ(box.delassus(options, &r, &info), TRIBO_ERROR_ARGUMENT);
  options = tribo_matrix_options_default();
  box.M[0] = -1;
  EXPECT_EQ(box.global(options, &r, &v, &info), TRIBO_ERROR_SINGULAR);
  box.W[0] = NAN;
  EXPECT_EQ(box.delassus(options, &r, &info), TRIBO_ERROR_NOT_FINITE);
}

TEST(PublicContact, EveryFailingAllocationIsReported) {
  Box box({1, 0, -2, 0, 0, 0});
  const TriboGlobalProblem problem = {4,
                                      3,
                                      {6, 6, nullptr, nullptr, box.M.data()},
                                      {6, 12, nullptr, nullptr, box.H.data()},
                                      box.f.data(),
                                      box.b.data(),
                                      box.mu.data()};
  const TriboMatrixOptions options = tribo_matrix_options_default();
  Numbers r(12);
  TriboMatrixInfo info;
  int n = 0;
  for (;; ++n) {
    ASSERT_LT(n, 100);
    FailingAllocator failing(n);
    const TriboStatus status =
        tribo_global_solve(&problem, &options, &failing.allocator, r.data(), nullptr, &info);
    EXPECT_EQ(failing.live, 0) << n;
    if (status == TRIBO_OK) break;
    EXPECT_EQ(status, TRIBO_ERROR_MEMORY) << n;
  }
  EXPECT_GE(n, 4);
}

}  // namespace
