// SPDX-License-Identifier: Apache-2.0
#include "solvers/interior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "solvers/certificate.h"
#include "solvers/lorentz.h"
#include "solvers/newton.h"
#include "tests/scale.h"
#include "tests/solvers/contact_scenes.h"

namespace {

using namespace tribo_scenes;

// A point well inside the cone, or close to its boundary.
void DrawInside(TriboRandom* random, int n, double x[3]) {
  double tail = 0;
  for (int i = 1; i < n; ++i) {
    x[i] = tribo_random_in(random, -1, 1);
    tail += x[i] * x[i];
  }
  x[0] = std::sqrt(tail) + std::pow(10, tribo_random_in(random, -6, 0));
}

TEST(Lorentz, TheScalingTakesOnePointToTheOther) {
  TriboRandom random = tribo_random(3);
  for (int i = 0; i < tribo_test_count(3000); ++i) {
    const int n = 1 + i % 3;
    double u[3], z[3], a[3], b[3], back[3];
    DrawInside(&random, n, u);
    DrawInside(&random, n, z);
    const TriboLorentzScaling scaling = tribo_lorentz_scaling(u, z, n);
    tribo_lorentz_scale(&scaling, z, n, a);
    tribo_lorentz_unscale(&scaling, u, n, b);
    for (int e = 0; e < n; ++e) EXPECT_NEAR(a[e], b[e], 1e-8 * (1 + std::fabs(a[0])));
    // W^-1 undoes W, and division the product.
    tribo_lorentz_unscale(&scaling, a, n, back);
    for (int e = 0; e < n; ++e) EXPECT_NEAR(back[e], z[e], 1e-8 * (1 + z[0]));
    double product[3], quotient[3];
    tribo_lorentz_product(u, z, n, product);
    tribo_lorentz_divide(u, product, n, quotient);
    for (int e = 0; e < n; ++e) EXPECT_NEAR(quotient[e], z[e], 1e-7 * (1 + z[0]));
  }
}

TEST(Lorentz, TheInverseUndoesTheSquaredScalingAndTheShift) {
  TriboRandom random = tribo_random(4);
  for (int i = 0; i < tribo_test_count(3000); ++i) {
    const int n = 1 + i % 3;
    double u[3], z[3], x[3], once[3], twice[3], inverse[9];
    DrawInside(&random, n, u);
    DrawInside(&random, n, z);
    const TriboLorentzScaling scaling = tribo_lorentz_scaling(u, z, n);
    const double shift = i % 2 == 0 ? 0 : 0.1;
    tribo_lorentz_inverse(&scaling, shift, n, inverse);
    for (int e = 0; e < n; ++e) x[e] = tribo_random_in(&random, -1, 1);
    tribo_lorentz_scale(&scaling, x, n, once);
    tribo_lorentz_scale(&scaling, once, n, twice);
    double size = 0;
    for (int e = 0; e < n; ++e) size = std::fmax(size, std::fabs(twice[e]));
    for (int e = 0; e < n; ++e) {
      double sum = 0, rounding = 1e-13;
      for (int q = 0; q < n; ++q) {
        sum += inverse[3 * e + q] * (twice[q] + shift * x[q]);
        rounding += 1e-8 * std::fabs(inverse[3 * e + q]) * size;
      }
      EXPECT_NEAR(sum, x[e], rounding);
    }
  }
}

TEST(Lorentz, AStepReachesTheBoundary) {
  TriboRandom random = tribo_random(5);
  int bounded = 0;
  for (int i = 0; i < tribo_test_count(3000); ++i) {
    const int n = 1 + i % 3;
    double x[3], step[3], at[3];
    DrawInside(&random, n, x);
    for (int e = 0; e < n; ++e) step[e] = tribo_random_in(&random, -1, 1);
    const double reach = tribo_lorentz_reach(x, step, n);
    ASSERT_GT(reach, 0);
    if (reach >= 1e30) continue;
    ++bounded;
    for (int e = 0; e < n; ++e) at[e] = x[e] + 0.999 * reach * step[e];
    EXPECT_GT(tribo_lorentz_determinant(at, n), 0);
    EXPECT_GT(at[0], 0);
    for (int e = 0; e < n; ++e) at[e] = x[e] + reach * step[e];
    const double size = std::fabs(at[0]) + std::fabs(at[n - 1]) + x[0];
    EXPECT_NEAR(n == 1 ? at[0] : tribo_lorentz_determinant(at, n), 0, 1e-9 * size * size);
  }
  EXPECT_GT(bounded, 1000);
}

// The method from nothing, and Newton's from where it ends.
class Interior {
 public:
  explicit Interior(const TriboContactProblem& problem) : problem_(problem) {
    const TriboSolverCapacity size = tribo_solver_capacity_of(&problem);
    TriboArena arena = tribo_arena_measure();
    Make(&arena, size);
    memory_.resize(arena.used + 64);
    char* begin = memory_.data() + 64 - reinterpret_cast<uintptr_t>(memory_.data()) % 64;
    arena = tribo_arena_over(begin, arena.used);
    Make(&arena, size);
    EXPECT_NE(interior_, nullptr);
  }

  // The certificate of where it ends.
  double Solve(const TriboInteriorOptions& options, Answer* answer) {
    status = tribo_interior_solve(interior_, &problem_, &options, &answer->solution, &iterations);
    return Certificate(answer);
  }
  double Finish(Answer* answer) {
    TriboNewtonOptions options = tribo_newton_options_default();
    int newton;
    EXPECT_NE(tribo_newton_solve(newton_, &problem_, &options, &answer->solution, &newton),
              TRIBO_ERROR_CAPACITY);
    return Certificate(answer);
  }

  TriboStatus status = TRIBO_OK;
  int iterations = 0;

 private:
  void Make(TriboArena* arena, TriboSolverCapacity size) {
    TriboCoordinateLu* lu = tribo_coordinate_lu_init(arena, size.ny);
    newton_ = tribo_newton_init(arena, size, lu);
    interior_ = tribo_interior_init(arena, size, tribo_convex_init(arena, size, lu));
  }
  double Certificate(Answer* answer) {
    std::vector<double> scratch(problem_.ny);
    return tribo_certify(&problem_, TRIBO_CONE_ROUND, &answer->solution, scratch.data()).worst;
  }

  TriboContactProblem problem_;
  TriboNewton* newton_ = nullptr;
  TriboInterior* interior_ = nullptr;
  std::vector<char> memory_;
};

// Pegs, corners, stacks and grasps: near the answer in a number of iterations that does not grow
// with the contacts, whether the shifts move or are held and followed in rounds.
TEST(Interior, ComesNearTheAnswerOfOrdinaryScenes) {
  for (bool rounds : {false, true}) {
    TriboInteriorOptions how = tribo_interior_options_default();
    if (rounds) how.rounds = 12, how.max_iterations = 400;
    for (int seed = 1; seed <= 10; ++seed) {
      Options options;
      options.seed = seed;
      Scene scenes[] = {PegInHole(8, options), PegInHole(64, options), Stack(5, 8, options),
                        Grasp(2, 4, options)};
      for (Scene& scene : scenes) {
        TriboRandom random = tribo_random(seed);
        scene.Load(&random);
        Interior solver(scene.problem());
        Answer answer(scene.problem());
        // Rounds come nearer by a third each.
        EXPECT_LE(solver.Solve(how, &answer), rounds ? 0.2 : 1e-2) << rounds << " " << seed;
        EXPECT_LE(solver.iterations, how.max_iterations);
        EXPECT_LE(solver.Finish(&answer), 1e-9) << rounds << " " << seed;
      }
    }
  }
}

// A body on the ground by a joint row, with dry friction of its own: an equality and a disc of
// constant radius, which slides or holds.
TEST(Interior, KnowsEqualityRowsAndDryFriction) {
  const double axis[3] = {1, 0, 0}, side[3] = {0, 1, 0}, up[3] = {0, 0, 1};
  const double centre[3] = {0, 0, 0.5};
  for (double push : {0.05, 0.5}) {
    Scene scene;
    scene.AddBody(1, 0.1, centre);
    for (int i = 0; i < 4; ++i) {
      const double point[3] = {i % 2 - 0.5, i / 2 - 0.5, 0};
      scene.AddContact(-1, 0, point, up);
    }
    scene.AddJointRow(-1, 0, centre, side, 0);
    scene.AddDryRow(0, axis, 0.2, 0);
    Options options;
    options.mu = 0.1;
    scene.Finish(options);
    std::vector<double> k(6, 0);
    k[0] = push, k[1] = 0.3, k[2] = -1;
    scene.set_free_velocity(k);
    Interior solver(scene.problem());
    Answer answer(scene.problem());
    EXPECT_LE(solver.Solve(tribo_interior_options_default(), &answer), 1e-5) << push;
    EXPECT_LE(solver.Finish(&answer), 1e-12) << push;
    // 0.1 of the weight and 0.2 hold 0.3.
    EXPECT_NEAR(answer.y[0], std::fmax(0, push - 0.3), 1e-12) << push;
    EXPECT_NEAR(answer.y[1], 0, 1e-12);
  }
}

}  // namespace
