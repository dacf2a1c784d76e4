// SPDX-License-Identifier: Apache-2.0
//
// Every solver that a problem fits gives the same velocity. Without friction it is unique, whatever
// contacts are redundant: ten ways to it. With the polygon, Lemke's algorithm on the explicit
// matrix of [StewartTrinkle1996], structural and reduced.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "solvers/certificate.h"
#include "solvers/dantzig_friction.h"
#include "solvers/energy.h"
#include "solvers/lemke.h"
#include "solvers/lemke_standard.h"
#include "solvers/pgs.h"
#include "solvers/psd.h"
#include "tests/scale.h"
#include "tests/solvers/contact_scenes.h"
#include "tests/solvers/ladder.h"

namespace {

using namespace tribo_scenes;

// An arena with what `init` puts into it.
class Memory {
 public:
  explicit Memory(const std::function<void(TriboArena*)>& init) {
    TriboArena measure = tribo_arena_measure();
    init(&measure);
    size_ = measure.used;
    memory_ = tribo_allocate(nullptr, size_);
    TriboArena arena = tribo_arena_over(memory_, size_);
    init(&arena);
  }
  ~Memory() { tribo_release(nullptr, memory_, size_); }
  Memory(const Memory&) = delete;

 private:
  size_t size_;
  void* memory_;
};

// ---- The solvers, each from a problem to the impulses of an answer ----

TriboStatus ByPsd(const TriboContactProblem& p, TriboPsdMethod method, Answer* answer) {
  TriboPsdSolver* solver = nullptr;
  const Memory memory([&](TriboArena* arena) {
    TriboFactor* factor = tribo_factor_init_dense(arena, p.ny, p.X.count + p.N.count);
    solver = tribo_psd_init(arena, factor, p.ny, p.X.count, p.N.count);
  });
  TriboPsdOptions options = tribo_psd_options_default();
  options.method = method;
  TriboPsdInfo info;
  return tribo_psd_solve(solver, &p, &options, nullptr, &answer->solution, &info);
}

TriboStatus ByLemke(const TriboContactProblem& p, TriboLemkeForm form, Answer* answer) {
  const TriboSolverCapacity capacity = tribo_solver_capacity_of(&p);
  TriboScaled scaled;
  TriboLemke* lemke = nullptr;
  const Memory memory([&](TriboArena* arena) {
    tribo_scaled_init(&scaled, arena, capacity);
    lemke = tribo_lemke_init(arena, capacity);
  });
  const TriboStatus status = tribo_scaled_load(&scaled, &p);
  if (status != TRIBO_OK) return status;
  TriboLemkeOptions options{};
  options.form = form;
  options.harris = 1e-10;
  TriboLemkeResult result;
  return tribo_lemke_solve(lemke, &scaled, &options, &answer->solution, &result);
}

// Lemke on the explicit matrix: normal impulses, facet impulses, lambda; without friction normal
// impulses alone.
TriboStatus ByStandardLemke(const TriboContactProblem& p, Answer* answer) {
  const int n = p.N.count, d = p.ng > 0 ? p.group[0].facets : 0;
  const int order = n + p.ng * (d + 1), beta = n, lambda = n + p.ng * d;
  // Dense directions: N, then the facets of every group.
  std::vector<double> rows(static_cast<size_t>(lambda) * p.ny), b(lambda);
  for (int i = 0; i < n; ++i) {
    tribo_row_axpy(&p.N, i, 1, &rows[i * p.ny]);
    b[i] = p.b_N[i];
  }
  for (int g = 0; g < p.ng; ++g) {
    for (int f = 0; f < d; ++f) {
      double direction[2];
      tribo_facet_direction(d, f, direction);
      for (int r = 0; r < 2; ++r) {
        tribo_row_axpy(&p.T, p.group[g].tangent + r, direction[r],
                       &rows[(beta + g * d + f) * p.ny]);
        b[beta + g * d + f] += direction[r] * p.b_T[p.group[g].tangent + r];
      }
    }
  }
  std::vector<double> M(static_cast<size_t>(order) * order), q(order), z(order);
  for (int i = 0; i < lambda; ++i) {
    q[i] = -b[i];
    for (int e = 0; e < p.ny; ++e) {
      q[i] += rows[i * p.ny + e] * p.k[e];
      for (int j = 0; j < lambda; ++j) M[i * order + j] += rows[i * p.ny + e] * rows[j * p.ny + e];
    }
  }
  for (int g = 0; g < p.ng; ++g) {
    M[(lambda + g) * order + p.group[g].normal] = p.group[g].mu;
    for (int f = 0; f < d; ++f) {
      M[(beta + g * d + f) * order + lambda + g] = 1;
      M[(lambda + g) * order + beta + g * d + f] = -1;
    }
  }
  TriboLemkeStandard* lemke = nullptr;
  const Memory memory([&](TriboArena* arena) { lemke = tribo_lemke_standard_init(arena, order); });
  const TriboLcp lcp = {order, M.data(), q.data()};
  const TriboLemkeStandardOptions options = tribo_lemke_standard_options_default();
  TriboLemkeStandardStats stats;
  const TriboStatus status = tribo_lemke_standard_solve(lemke, &lcp, &options, z.data(), &stats);
  if (status != TRIBO_OK) return status;
  for (int i = 0; i < n; ++i) answer->f[i] = z[i];
  for (int g = 0; g < p.ng; ++g) {
    double* t = &answer->t[p.group[g].tangent];
    t[0] = t[1] = 0;
    for (int f = 0; f < d; ++f) {
      double direction[2];
      tribo_facet_direction(d, f, direction);
      for (int r = 0; r < 2; ++r) t[r] += z[beta + g * d + f] * direction[r];
    }
  }
  return status;
}

TriboStatus ByDantzig(const TriboContactProblem& p, Answer* answer) {
  const int rows = p.X.count + p.N.count + p.T.count;
  TriboDantzig* dantzig = nullptr;
  const Memory memory([&](TriboArena* arena) { dantzig = tribo_dantzig_init(arena, rows, p.ng); });
  const TriboDantzigOptions options = tribo_dantzig_options_default();
  TriboDantzigResult result;
  return tribo_dantzig_solve(dantzig, &p, nullptr, 0, &options, &answer->solution, &result);
}

TriboStatus ByEnergy(const TriboContactProblem& p, Answer* answer) {
  const int rows = p.X.count + p.N.count + p.T.count;
  TriboEnergySolver* energy = nullptr;
  const Memory memory([&](TriboArena* arena) { energy = tribo_energy_init(arena, rows, p.ng); });
  const TriboEnergyOptions options = tribo_energy_options_default();
  TriboEnergyResult result;
  return tribo_energy_solve(energy, &p, nullptr, 0, &options, &answer->solution, &result);
}

TriboStatus ByPgs(const TriboContactProblem& p, Answer* answer) {
  TriboPgsOptions options = tribo_pgs_options_default();
  options.sweeps = 200000;
  TriboPgsStats stats;
  return tribo_pgs_solve(&p, &options, &answer->solution, &stats);
}

TriboStatus ByLadder(const TriboContactProblem& p, Answer* answer) {
  Ladder ladder(p);
  return ladder.Solve(p, nullptr, answer);
}

// ---- What they agree on ----

double Largest(const std::vector<double>& v) {
  double largest = 0;
  for (double x : v) largest = std::max(largest, std::fabs(x));
  return largest;
}

// Scenes of single bodies, pegs, stacks and grasps by number.
Scene SceneOf(int number, const Options& options) {
  const int singles = static_cast<int>(kSingleBody.size());
  if (number < singles) return SingleBody(kSingleBody[number], options);
  if (number == singles) return PegInHole(8, options);
  if (number == singles + 1) return PegInHole(16, options);
  if (number == singles + 2) return Stack(1, 8, options);
  if (number == singles + 3) return Stack(2, 4, options);
  return Stack(3, 4, options);
}
int Scenes() { return static_cast<int>(kSingleBody.size()) + 5; }

struct Way {
  const char* name;
  std::function<TriboStatus(const TriboContactProblem&, Answer*)> solve;
  bool ends = true;  // always; otherwise it may give up, and says so
  int open = 0, asked = 0;
};

TEST(Agreement, WithoutFrictionEverySolverFindsTheOneVelocity) {
  using P = const TriboContactProblem&;
  std::vector<Way> ways = {
      {"dual", [](P p, Answer* a) { return ByPsd(p, TRIBO_PSD_DUAL, a); }},
      {"ppm", [](P p, Answer* a) { return ByPsd(p, TRIBO_PSD_PPM, a); }},
      {"dantzig", [](P p, Answer* a) { return ByPsd(p, TRIBO_PSD_DANTZIG, a); }},
      {"dantzig with friction", ByDantzig, false},
      {"lemke standard", ByStandardLemke},
      {"lemke structural", [](P p, Answer* a) { return ByLemke(p, TRIBO_LEMKE_STRUCTURAL, a); }},
      {"lemke reduced", [](P p, Answer* a) { return ByLemke(p, TRIBO_LEMKE_REDUCED, a); }},
      {"ladder", ByLadder},
      {"energy", ByEnergy, false},
      {"pgs", ByPgs, false},
  };
  double worst = 0;
  for (int number = 0; number < Scenes(); ++number) {
    for (bool gaps : {false, true}) {
      Options options;
      options.gaps = gaps;
      Scene scene = SceneOf(number, options);
      TriboRandom random = tribo_random(static_cast<uint64_t>(number));
      for (int test = 0; test < tribo_test_count(6); ++test) {
        scene.Load(&random);
        TriboContactProblem p = scene.problem();
        p.ng = p.T.count = 0;
        const double size = 1 + Largest({p.k, p.k + p.ny});
        std::vector<double> first;
        for (Way& way : ways) {
          Answer answer(p);
          ++way.asked;
          if (way.solve(p, &answer) != TRIBO_OK) {
            ++way.open;
            continue;
          }
          // The velocity that its impulses give.
          tribo_problem_velocity(&p, &answer.solution);
          if (first.empty()) first = answer.y;
          for (int e = 0; e < p.ny; ++e) {
            EXPECT_NEAR(answer.y[e], first[e], 1e-8 * size)
                << way.name << ", scene " << number << (gaps ? " with gaps" : "");
            worst = std::max(worst, std::fabs(answer.y[e] - first[e]) / size);
          }
        }
      }
    }
  }
  printf("agreement: without friction within %.1e; not ended:", worst);
  for (const Way& way : ways) {
    printf(" %s %d of %d,", way.name, way.open, way.asked);
    EXPECT_LE(way.open, way.ends ? 0 : way.asked / 10) << way.name;
  }
  printf("\n");
}

// With friction the velocity need not be unique: redundant normals may share the load in ways that
// brake differently. All three forms meet the same conditions, and mostly end at one velocity.
TEST(Agreement, StandardStructuralAndReducedLemkeMeetTheSameConditions) {
  int solves = 0, differ = 0;
  for (int number = 0; number < Scenes(); ++number) {
    for (double mu : {0.1, 0.3, 0.8}) {
      Options options;
      options.mu = mu;
      options.facets = 4;
      Scene scene = SceneOf(number, options);
      TriboRandom random = tribo_random(static_cast<uint64_t>(number));
      for (int test = 0; test < tribo_test_count(4); ++test) {
        scene.Load(&random);
        const TriboContactProblem p = scene.problem();
        Answer answers[3] = {Answer(p), Answer(p), Answer(p)};
        ASSERT_EQ(ByStandardLemke(p, &answers[0]), TRIBO_OK) << number << " " << mu;
        ASSERT_EQ(ByLemke(p, TRIBO_LEMKE_STRUCTURAL, &answers[1]), TRIBO_OK) << number;
        ASSERT_EQ(ByLemke(p, TRIBO_LEMKE_REDUCED, &answers[2]), TRIBO_OK) << number;
        const double size = 1 + Largest({p.k, p.k + p.ny});
        double off = 0;
        for (Answer& answer : answers) {
          tribo_problem_velocity(&p, &answer.solution);
          EXPECT_LE(
              tribo_certify(&p, TRIBO_CONE_POLYGON, &answer.solution, answer.scratch.data()).worst,
              1e-9)
              << number << " " << mu;
          for (int e = 0; e < p.ny; ++e) {
            off = std::max(off, std::fabs(answer.y[e] - answers[0].y[e]) / size);
          }
        }
        ++solves;
        differ += off > 1e-8;
      }
    }
  }
  printf("agreement: of %d polygons the three forms of Lemke end at one velocity in all but %d\n",
         solves, differ);
  EXPECT_LE(differ, solves / 5);
}

}  // namespace
