// SPDX-License-Identifier: Apache-2.0
//
// The round cone's answers against Coulomb's law as a nonlinear complementarity problem, written
// here from the law and from the rows, in long double, and not from the certificate. Per contact,
// with normal impulse f, friction t, normal velocity w and sliding velocity s, two forms of it:
//
//   [Drumwright] eq. 20 to 22   0 <= f _|_ w >= 0,  0 <= mu^2 f^2 - t.t _|_ |s| >= 0,
//                               mu f s + |s| t = 0
//   De Saxce's                  r = P(r - (w + mu |s|, s)),  P the projection on the cone
//                               |t| <= mu f,  r = (f, t)
//
// in units in which every row has length 1, relative to the free velocity |k| and to the largest
// impulse.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "solvers/solve.h"
#include "tests/scale.h"
#include "tests/solvers/contact_scenes.h"
#include "tests/solvers/ladder.h"

namespace {

using namespace tribo_scenes;
using Real = long double;

struct Residuals {
  Real complementarity = 0, natural = 0;
  int sliding = 0, sticking = 0;  // contacts that carry load
};

// The point of the cone |t| <= mu f nearest to p.
std::array<Real, 3> ProjectOnCone(Real mu, const std::array<Real, 3>& p) {
  const Real s = std::hypot(p[1], p[2]);
  if (s <= mu * p[0]) return p;
  if (mu * s <= -p[0]) return {0, 0, 0};
  const Real n = (p[0] + mu * s) / (1 + mu * mu);
  return {n, mu * n * p[1] / s, mu * n * p[2] / s};
}

Real Dot(const TriboRows& rows, int i, const std::vector<Real>& y) {
  Real sum = 0;
  for (int e = rows.start[i]; e < rows.start[i + 1]; ++e) sum += rows.value[e] * y[rows.index[e]];
  return sum;
}

Real Length(const TriboRows& rows, int i) {
  Real square = 0;
  for (int e = rows.start[i]; e < rows.start[i + 1]; ++e) {
    square += static_cast<Real>(rows.value[e]) * rows.value[e];
  }
  return std::sqrt(square);
}

void Add(const TriboRows& rows, const std::vector<double>& impulse, std::vector<Real>* y) {
  for (int i = 0; i < rows.count; ++i) {
    for (int e = rows.start[i]; e < rows.start[i + 1]; ++e) {
      (*y)[rows.index[e]] += static_cast<Real>(impulse[i]) * rows.value[e];
    }
  }
}

// Of groups of two rows with targets 0 on a normal.
Residuals Judge(const TriboContactProblem& p, const Answer& answer) {
  std::vector<Real> y(p.k, p.k + p.ny);
  Real velocity = 0, impulse = 0;
  for (Real v : y) velocity = std::hypot(velocity, v);
  Add(p.X, answer.x, &y);
  Add(p.N, answer.f, &y);
  Add(p.T, answer.t, &y);
  for (int i = 0; i < p.N.count; ++i) impulse = std::max(impulse, answer.f[i] * Length(p.N, i));
  impulse = std::max(impulse, velocity);
  Residuals result;
  for (int i = 0; i < p.X.count; ++i) {
    const Real off = std::fabs(Dot(p.X, i, y) - p.b_X[i]) / (Length(p.X, i) * velocity);
    result.complementarity = std::max(result.complementarity, off);
  }
  for (int g = 0; g < p.ng; ++g) {
    const int n = p.group[g].normal, t1 = p.group[g].tangent, t2 = t1 + 1;
    const Real mu = p.group[g].mu,
               size = std::max({Length(p.N, n), Length(p.T, t1), Length(p.T, t2)});
    const Real f = answer.f[n] * size / impulse,
               t[2] = {answer.t[t1] * size / impulse, answer.t[t2] * size / impulse};
    const Real w = (Dot(p.N, n, y) - p.b_N[n]) / (size * velocity),
               s[2] = {Dot(p.T, t1, y) / (size * velocity), Dot(p.T, t2, y) / (size * velocity)};
    const Real speed = std::hypot(s[0], s[1]), friction = std::hypot(t[0], t[1]);
    result.complementarity = std::max(
        {result.complementarity, -f, -w, std::fabs(f * w), friction - mu * f,
         std::fabs((mu * mu * f * f - friction * friction) * speed),
         std::fabs(mu * f * s[0] + speed * t[0]), std::fabs(mu * f * s[1] + speed * t[1])});
    const std::array<Real, 3> r = {f, t[0], t[1]},
                              moved =
                                  ProjectOnCone(mu, {f - w - mu * speed, t[0] - s[0], t[1] - s[1]});
    for (int e = 0; e < 3; ++e) {
      result.natural = std::max(result.natural, std::fabs(r[e] - moved[e]));
    }
    if (f > 1e-6L) ++(speed > 1e-6L ? result.sliding : result.sticking);
  }
  return result;
}

// Solves `count` loads of a scene and judges every answer.
void ExpectLaw(const char* name, Scene* scene, uint64_t seed, int count, Residuals* all) {
  Ladder ladder(scene->problem());
  TriboRandom random = tribo_random(seed);
  for (int test = 0; test < count; ++test) {
    scene->Load(&random);
    const TriboContactProblem p = scene->problem();
    Answer answer(p);
    ASSERT_EQ(ladder.Solve(p, nullptr, &answer), TRIBO_OK) << name << " " << test;
    const Residuals one = Judge(p, answer);
    EXPECT_LE(one.complementarity, 1e-9L) << name << " " << test;
    EXPECT_LE(one.natural, 1e-9L) << name << " " << test;
    all->complementarity = std::max(all->complementarity, one.complementarity);
    all->natural = std::max(all->natural, one.natural);
    all->sliding += one.sliding;
    all->sticking += one.sticking;
  }
}

void Print(const char* what, const Residuals& all) {
  printf(
      "round cone: %s, %d sliding and %d sticking contacts, complementarity %.1Le, natural map "
      "%.1Le\n",
      what, all.sliding, all.sticking, all.complementarity, all.natural);
}

// A mass point that moves along (cos, sin) and falls on the plane, to see that the judge knows
// right from wrong: friction mu f against the sliding, and the same turned by a thousandth.
TEST(RoundCone, TheJudgeIsZeroForTheExactAnswerAndSeesATurnedFriction) {
  const double centre[3] = {0, 0, 0}, up[3] = {0, 0, 1};
  Scene scene;
  scene.AddBody(1, 1, centre);
  scene.AddContact(-1, 0, centre, up);
  Options options;
  options.mu = 0.3;
  scene.Finish(options);
  for (double angle : {0.0, 0.7, 2.0}) {
    scene.set_free_velocity({2 * std::cos(angle), 2 * std::sin(angle), -1, 0, 0, 0});
    const TriboContactProblem p = scene.problem();
    Answer answer(p);
    for (double turn : {0.0, 1e-3}) {
      std::fill(answer.y.begin(), answer.y.end(), 0.0);
      answer.y[0] = std::cos(angle + turn);
      answer.y[1] = std::sin(angle + turn);
      answer.f[0] = 1;
      for (int r = 0; r < 2; ++r) answer.t[r] = -0.3 * tribo_row_dot(&p.T, r, answer.y.data());
      const Residuals one = Judge(p, answer);
      if (turn == 0) {
        EXPECT_LE(std::max(one.complementarity, one.natural), 1e-15L);
      } else {
        EXPECT_GE(std::min(one.complementarity, one.natural), 1e-5L);
      }
    }
  }
}

TEST(RoundCone, SingleContactsMeetTheComplementarityProblem) {
  Residuals all;
  for (double mu : {0.0, 0.1, 0.3, 1.0, 10.0}) {
    for (double tilt : {0.0, 0.4}) {
      const double centre[3] = {0, 0, 0.5}, point[3] = {0.2 * tilt, 0, 0},
                   normal[3] = {tilt, 0.1, 1};
      Scene scene;
      scene.AddBody(1, 0.1, centre);
      scene.AddContact(-1, 0, point, normal);
      Options options;
      options.mu = mu;
      scene.Finish(options);
      ExpectLaw("single", &scene, 1, tribo_test_count(200), &all);
    }
  }
  Print("single contacts", all);
  EXPECT_GT(all.sliding, 100);
  EXPECT_GT(all.sticking, 100);
}

TEST(RoundCone, ManyContactsMeetTheComplementarityProblem) {
  Residuals all;
  uint64_t seed = 0;
  for (double mu : {0.2, 0.5, 1.0}) {
    Options options;
    options.mu = mu;
    for (const std::string& name : kSingleBody) {
      Scene scene = SingleBody(name, options);
      ExpectLaw(name.c_str(), &scene, ++seed, tribo_test_count(30), &all);
    }
    for (int contacts : {8, 16, 32}) {
      Scene scene = PegInHole(contacts, options);
      ExpectLaw("peg", &scene, ++seed, tribo_test_count(30), &all);
    }
    for (int blocks : {1, 2, 3, 5}) {
      options.seed = seed;
      Scene stack = Stack(blocks, 4, options), grasp = Grasp(std::min(blocks, 3), 4, options);
      ExpectLaw("stack", &stack, ++seed, tribo_test_count(20), &all);
      ExpectLaw("grasp", &grasp, ++seed, tribo_test_count(20), &all);
    }
  }
  Print("many contacts", all);
  EXPECT_GT(all.sliding, 1000);
  EXPECT_GT(all.sticking, 1000);
}

}  // namespace
