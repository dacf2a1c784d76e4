// SPDX-License-Identifier: Apache-2.0
#include "solvers/lemke.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "solvers/certificate.h"
#include "tests/scale.h"
#include "tests/solvers/contact_scenes.h"

namespace {

using namespace tribo_scenes;

// A solver with its memory, for problems of one shape.
class Solver {
 public:
  explicit Solver(const TriboContactProblem& problem) {
    const TriboSolverCapacity capacity = tribo_solver_capacity_of(&problem);
    TriboArena measure = tribo_arena_measure();
    Lay(&measure, capacity);
    size_ = measure.used;
    memory_ = tribo_allocate(nullptr, size_);
    TriboArena arena = tribo_arena_over(memory_, size_);
    Lay(&arena, capacity);
  }
  ~Solver() { tribo_release(nullptr, memory_, size_); }

  TriboStatus Solve(const TriboContactProblem& problem, const TriboLemkeOptions& options,
                    TriboContactSolution* solution) {
    const TriboStatus status = tribo_scaled_load(&scaled_, &problem);
    if (status != TRIBO_OK) return status;
    return tribo_lemke_solve(lemke_, &scaled_, &options, solution, &result_);
  }
  const TriboLemkeResult& result() const { return result_; }

 private:
  void Lay(TriboArena* arena, TriboSolverCapacity capacity) {
    tribo_scaled_init(&scaled_, arena, capacity);
    lemke_ = tribo_lemke_init(arena, capacity);
  }
  size_t size_;
  void* memory_;
  TriboScaled scaled_;
  TriboLemke* lemke_;
  TriboLemkeResult result_;
};

TriboLemkeOptions Default(TriboLemkeForm form = TRIBO_LEMKE_REDUCED) {
  TriboLemkeOptions options{};
  options.form = form;
  options.harris = 1e-10;
  return options;
}

// Solves `count` loads of a scene; every one must be solved, and certified.
struct Tally {
  int solves = 0, failures = 0, pivots = 0;
  double worst = 0;
};
Tally SolveLoads(Scene scene, int count, uint64_t seed, const TriboLemkeOptions& options) {
  TriboRandom random = tribo_random(seed);
  Solver solver(scene.problem());
  Answer answer(scene.problem());
  Tally tally;
  for (int i = 0; i < count; ++i) {
    scene.Load(&random);
    const TriboContactProblem problem = scene.problem();
    ++tally.solves;
    const TriboStatus status = solver.Solve(problem, options, &answer.solution);
    tally.pivots += solver.result().pivots;
    if (status != TRIBO_OK) {
      ++tally.failures;
      continue;
    }
    const double worst =
        tribo_certify(&problem, TRIBO_CONE_POLYGON, &answer.solution, answer.scratch.data()).worst;
    tally.worst = std::fmax(tally.worst, worst);
    if (worst > 1e-9) ++tally.failures;
  }
  return tally;
}

class LemkeForms : public ::testing::TestWithParam<TriboLemkeForm> {};
INSTANTIATE_TEST_SUITE_P(All, LemkeForms,
                         ::testing::Values(TRIBO_LEMKE_REDUCED, TRIBO_LEMKE_STRUCTURAL));

TEST_P(LemkeForms, SolvesEverySingleBodyScene) {
  for (const std::string& name : kSingleBody) {
    for (int facets : {4, 8}) {
      for (double mu : {0.0, 0.3, 1.0, 100.0}) {
        Options options;
        options.facets = facets;
        options.mu = mu;
        const Tally tally = SolveLoads(SingleBody(name, options), 40, 5, Default(GetParam()));
        EXPECT_EQ(tally.failures, 0)
            << name << " d " << facets << " mu " << mu << " worst " << tally.worst;
      }
    }
  }
}

TEST_P(LemkeForms, SolvesPegsInTheirHoles) {
  for (int n : {8, 16, 32, 64}) {
    for (double mu : {0.2, 0.8}) {
      Options options;
      options.mu = mu;
      const Tally tally = SolveLoads(PegInHole(n, options), 40, 6, Default(GetParam()));
      EXPECT_EQ(tally.failures, 0) << n << " mu " << mu << " worst " << tally.worst;
    }
  }
}

TEST(Lemke, ReducedSolvesStacksAndGrasps) {
  for (double mu : {0.3, 0.8, 100.0}) {
    for (int blocks : {1, 2, 3, 5}) {
      for (int per_face : {4, 8}) {
        Options options;
        options.mu = mu;
        options.facets = 4;
        const Tally tally = SolveLoads(Stack(blocks, per_face, options), 10, 7, Default());
        EXPECT_EQ(tally.failures, 0)
            << blocks << "x" << per_face << " mu " << mu << " " << tally.worst;
      }
    }
    Options options;
    options.mu = mu;
    const Tally tally = SolveLoads(Grasp(2, 8, options), 20, 8, Default());
    EXPECT_EQ(tally.failures, 0) << "grasp mu " << mu << " worst " << tally.worst;
  }
}

TEST(Lemke, ReducedSolvesScenesWithGaps) {
  Options options;
  options.gaps = true;
  EXPECT_EQ(SolveLoads(PegInHole(16, options), 100, 9, Default()).failures, 0);
  EXPECT_EQ(SolveLoads(SingleBody("block in corner", options), 100, 9, Default()).failures, 0);
  EXPECT_EQ(SolveLoads(Stack(3, 8, options), 20, 9, Default()).failures, 0);
}

// Faces parallel but for 1e-8 take impulses of 1e8 times the load without friction, and of 1e16 on
// the way there.
TEST(Lemke, ReducedSolvesFacesThatAreHardlyMisaligned) {
  for (double mu : {0.0, 0.1, 1.0}) {
    for (double misalignment : {1e-4, 1e-6, 1e-8}) {
      Options options;
      options.mu = mu;
      options.misalignment = misalignment;
      for (int n : {8, 32}) {
        EXPECT_EQ(SolveLoads(PegInHole(n, options), 20, 12, Default()).failures, 0)
            << "peg " << n << " mu " << mu << " " << misalignment;
      }
      EXPECT_EQ(SolveLoads(SingleBody("block in channel", options), 20, 12, Default()).failures, 0)
          << "channel mu " << mu << " " << misalignment;
    }
  }
}

TEST(Lemke, ReducedTakesFewerPivotsThanStructural) {
  Options options;
  const Tally reduced = SolveLoads(PegInHole(32, options), 30, 10, Default());
  const Tally structural =
      SolveLoads(PegInHole(32, options), 30, 10, Default(TRIBO_LEMKE_STRUCTURAL));
  EXPECT_LT(5 * reduced.pivots, structural.pivots);
}

// With friction the velocity need not be unique: pressed into its corner, the block's redundant
// normals may share the load in ways that brake it differently. There both answers must hold;
// elsewhere they are one.
TEST(Lemke, ReducedAndStructuralAgreeOnTheVelocityWhereItIsUnique) {
  for (const std::string& name : kSingleBody) {
    Options options;
    options.mu = 0.1;
    Scene scene = SingleBody(name, options);
    TriboRandom random = tribo_random(11);
    Solver solver(scene.problem());
    Answer a(scene.problem()), b(scene.problem());
    for (int i = 0; i < 30; ++i) {
      scene.Load(&random);
      const TriboContactProblem problem = scene.problem();
      ASSERT_EQ(solver.Solve(problem, Default(), &a.solution), TRIBO_OK);
      ASSERT_EQ(solver.Solve(problem, Default(TRIBO_LEMKE_STRUCTURAL), &b.solution), TRIBO_OK);
      for (Answer* answer : {&a, &b}) {
        const TriboCertificate judged =
            tribo_certify(&problem, TRIBO_CONE_POLYGON, &answer->solution, answer->scratch.data());
        EXPECT_LE(judged.worst, 1e-9) << name;
      }
      if (name == "block in corner") continue;
      for (int e = 0; e < problem.ny; ++e) EXPECT_NEAR(a.y[e], b.y[e], 1e-8) << name;
    }
  }
}

TEST(Lemke, DryRowHoldsUpToItsBoundAndThenYields) {
  const double centre[3] = {0, 0, 0}, axis[3] = {1, 0, 0};
  for (TriboLemkeForm form : {TRIBO_LEMKE_REDUCED, TRIBO_LEMKE_STRUCTURAL}) {
    Scene scene;
    scene.AddBody(1, 1, centre);
    scene.AddDryRow(0, axis, 0.4, 0);
    scene.Finish(Options());
    Solver solver(scene.problem());
    Answer answer(scene.problem());
    for (double speed : {0.3, -0.3, 1.0, -1.0}) {
      std::vector<double> k(6, 0);
      k[0] = speed;
      scene.set_free_velocity(k);
      ASSERT_EQ(solver.Solve(scene.problem(), Default(form), &answer.solution), TRIBO_OK);
      const double left = std::fmax(std::fabs(speed) - 0.4, 0);
      EXPECT_NEAR(answer.y[0], std::copysign(left, speed), 1e-14);
    }
  }
}

TEST(Lemke, RedundantEqualityRowsAreLeftOutAndContradictionsNamed) {
  const double centre[3] = {0, 0, 0.5}, axis[3] = {1, 0, 0};
  for (double second : {0.2, 0.3}) {
    Scene scene;
    scene.AddBody(1, 1, centre);
    scene.AddJointRow(-1, 0, centre, axis, 0.2);
    scene.AddJointRow(-1, 0, centre, axis, second);
    scene.Finish(Options());
    Solver solver(scene.problem());
    Answer answer(scene.problem());
    const TriboStatus status = solver.Solve(scene.problem(), Default(), &answer.solution);
    if (second == 0.2) {
      ASSERT_EQ(status, TRIBO_OK);
      EXPECT_NEAR(answer.y[0], 0.2, 1e-15);
    } else {
      EXPECT_EQ(status, TRIBO_ERROR_INFEASIBLE);
      EXPECT_EQ(solver.result().row, 1);
    }
  }
}

// A sequence of problems, each solved warm from the answer before and cold. The pivots of the warm
// start include those of the cold one that comes to its rescue.
struct Sequence {
  int solves = 0, warm = 0, cold = 0, untouched = 0, rescued = 0, failures = 0;
};

// The free velocity changes by `amount`, or the rows do: their points and normals by as much.
Sequence Follow(const std::function<Scene(const Options&)>& make, Options options, double amount,
                bool move_rows, int count) {
  TriboRandom random = tribo_random(13);
  if (move_rows) options.misalignment = amount;
  Scene scene = make(options);
  Solver solver(scene.problem());
  Answer answer(scene.problem()), other(scene.problem());
  Sequence result;
  TriboLemkeOptions warm = Default();
  warm.warm = &answer.solution;
  warm.max_pivots = 20 + scene.contacts();
  const auto solve = [&](const TriboLemkeOptions& how, const TriboContactProblem& problem,
                         Answer* to) {
    return solver.Solve(problem, how, &to->solution) == TRIBO_OK &&
           tribo_certify(&problem, TRIBO_CONE_POLYGON, &to->solution, to->scratch.data()).worst <=
               1e-9;
  };
  for (int load = 0; load < count; ++load) {
    scene.Load(&random);
    const TriboContactProblem first = scene.problem();
    if (!solve(Default(), first, &answer)) ++result.failures;
    for (int i = 0; i < 5; ++i) {
      if (move_rows) {
        const std::vector<double> k(scene.problem().k, scene.problem().k + scene.problem().ny);
        ++options.seed;
        scene = make(options);
        scene.set_free_velocity(k);
      } else {
        scene.Nudge(&random, amount);
      }
      const TriboContactProblem problem = scene.problem();
      ++result.solves;
      const bool cold = solve(Default(), problem, &other);
      const int pivots = solver.result().pivots;
      result.cold += pivots;
      const bool ok = solve(warm, problem, &answer);
      result.warm += solver.result().pivots;
      result.untouched += ok && solver.result().pivots == 0;
      if (ok) continue;
      ++result.rescued;
      result.warm += pivots;
      result.failures += !cold;
      std::copy(other.y.begin(), other.y.end(), answer.y.begin());
      std::copy(other.f.begin(), other.f.end(), answer.f.begin());
      std::copy(other.t.begin(), other.t.end(), answer.t.begin());
      std::copy(other.mode_N.begin(), other.mode_N.end(), answer.mode_N.begin());
      std::copy(other.mode_g.begin(), other.mode_g.end(), answer.mode_g.begin());
    }
  }
  return result;
}

TEST(Lemke, HomotopyFromTheLastAnswerTakesFewerPivotsThanACold) {
  const std::pair<const char*, std::function<Scene(const Options&)>> scenes[] = {
      {"peg 32", [](const Options& o) { return PegInHole(32, o); }},
      {"corner", [](const Options& o) { return SingleBody("block in corner", o); }},
      {"stack 3x8", [](const Options& o) { return Stack(3, 8, o); }},
      {"grasp 2x8", [](const Options& o) { return Grasp(2, 8, o); }}};
  for (double mu : {0.3, 0.8, 100.0}) {
    for (double amount : {1e-4, 1e-2, 1e-1}) {
      for (bool move_rows : {false, true}) {
        const char* what = move_rows ? "rows" : "k";
        int warm = 0, cold = 0;
        for (const auto& [name, make] : scenes) {
          Options options;
          options.mu = mu;
          const Sequence s = Follow(make, options, amount, move_rows, tribo_test_count(4));
          std::printf(
              "%-9s mu %-3g %-4s by %g: %.1f pivots warm, %.1f cold; of %d %d none, %d rescued\n",
              name, mu, what, amount, 1.0 * s.warm / s.solves, 1.0 * s.cold / s.solves, s.solves,
              s.untouched, s.rescued);
          EXPECT_EQ(s.failures, 0) << name;
          warm += s.warm, cold += s.cold;
        }
        // Rows moved by a tenth of the body are another problem.
        if (move_rows && amount > 0.05) continue;
        EXPECT_LT(warm, cold) << "mu " << mu << " " << what << " by " << amount;
      }
    }
  }
}

TEST(Lemke, ProblemBeyondTheCapacityIsRefused) {
  Options options;
  Scene small = PegInHole(8, options), large = PegInHole(16, options);
  Solver solver(small.problem());
  Answer answer(large.problem());
  EXPECT_EQ(solver.Solve(large.problem(), Default(), &answer.solution), TRIBO_ERROR_CAPACITY);
}

}  // namespace
