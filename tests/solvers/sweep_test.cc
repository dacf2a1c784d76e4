// SPDX-License-Identifier: Apache-2.0
//
// The ladder over every contact set: pegs, Lloyd's ten single-body scenes, stacks; polygons of 4
// and 8 sides and the round cone; mu 0 to 100; faces aligned, misaligned, with gaps, with mass
// ratios. Nothing may stay open, and less than 1 of 1000 go beyond the cold start. Prints one line
// for each kind of geometry. TRIBO_TEST_SCALE=70 makes it 10,000 loads a kind for pegs, 28 for
// single bodies, 56 for stacks.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/scale.h"
#include "tests/solvers/contact_scenes.h"
#include "tests/solvers/ladder.h"

namespace {

using namespace tribo_scenes;

struct Tally {
  int solves = 0, failures = 0, fine = 0, beyond_cold = 0;
  double worst = 0;
};

enum class Set { kPegs, kSingleBody, kStacks };

std::vector<std::pair<std::string, Scene>> Scenes(Set set, const Options& options) {
  std::vector<std::pair<std::string, Scene>> scenes;
  if (set == Set::kPegs) {
    for (int n : {8, 16, 32, 64}) {
      scenes.emplace_back("peg " + std::to_string(n), PegInHole(n, options));
    }
  } else if (set == Set::kSingleBody) {
    for (const std::string& name : kSingleBody) {
      scenes.emplace_back(name, SingleBody(name, options));
    }
  } else {
    for (int blocks : {1, 2, 3, 5, 10}) {
      const int per_face = blocks % 2 == 0 ? 8 : 4;
      scenes.emplace_back("stack " + std::to_string(blocks), Stack(blocks, per_face, options));
    }
  }
  return scenes;
}

// `count` loads on each scene of a set, for each mu and each cone.
Tally Sweep(Set set, const Options& geometry, int count) {
  const struct {
    TriboCone cone;
    int facets;
    const char* name;
  } cones[] = {{TRIBO_CONE_POLYGON, 4, "d=4"},
               {TRIBO_CONE_POLYGON, 8, "d=8"},
               {TRIBO_CONE_ROUND, 8, "round"}};
  Tally all;
  for (double mu : {0.0, 0.1, 0.5, 1.0, 10.0, 100.0}) {
    for (const auto& cone : cones) {
      Options options = geometry;
      options.mu = mu;
      options.facets = cone.facets;
      for (auto& [name, scene] : Scenes(set, options)) {
        TriboRandom random = tribo_random(41);
        Ladder solver(scene.problem());
        Answer answer(scene.problem());
        TriboContactOptions solve = tribo_contact_options_default();
        solve.cone = cone.cone;
        Tally tally;
        for (int i = 0; i < tribo_test_count(count); ++i) {
          scene.Load(&random);
          const TriboStatus status = solver.Solve(scene.problem(), nullptr, &answer, solve);
          const double worst = solver.info.certificate.worst;
          EXPECT_EQ(status == TRIBO_OK, worst <= solve.tolerance);
          ++tally.solves;
          tally.failures += status != TRIBO_OK;
          tally.fine += solver.info.fine;
          tally.beyond_cold += status == TRIBO_OK && solver.info.rung > TRIBO_RUNG_COLD;
          tally.worst = std::fmax(tally.worst, worst);
        }
        if (tally.failures > 0) {
          std::printf("  open: %s, mu %g, %s: %d of %d, certificate %.1e\n", name.c_str(), mu,
                      cone.name, tally.failures, tally.solves, tally.worst);
        }
        all.solves += tally.solves;
        all.failures += tally.failures;
        all.fine += tally.fine;
        all.beyond_cold += tally.beyond_cold;
        all.worst = std::fmax(all.worst, tally.worst);
      }
    }
  }
  return all;
}

class ContactSweep : public testing::TestWithParam<Set> {
 protected:
  void Run(const char* kind, const Options& geometry) {
    static const char* const names[] = {"pegs", "single body", "stacks"};
    const Tally tally = Sweep(GetParam(), geometry, 2);
    std::printf(
        "%-11s %-18s %6d solves, %d open, %d beyond cold, %d cold in twice the precision, "
        "certificate %.1e\n",
        names[static_cast<int>(GetParam())], kind, tally.solves, tally.failures, tally.beyond_cold,
        tally.fine, tally.worst);
    EXPECT_EQ(tally.failures, 0) << kind;
    EXPECT_LT(1000 * tally.beyond_cold, tally.solves) << kind;
  }
};

TEST_P(ContactSweep, AlignedFacesAreAllSolved) { Run("aligned", Options()); }

TEST_P(ContactSweep, MisalignedFacesAreAllSolved) {
  for (double misalignment : {1e-2, 1e-4, 1e-6, 1e-8}) {
    Options geometry;
    geometry.misalignment = misalignment;
    char kind[32];
    std::snprintf(kind, sizeof kind, "misaligned %.0e", misalignment);
    Run(kind, geometry);
  }
}

TEST_P(ContactSweep, GapsAreAllSolved) {
  Options geometry;
  geometry.gaps = true;
  Run("gaps", geometry);
}

TEST_P(ContactSweep, MassRatiosAreAllSolved) {
  for (double ratio : {1e-5, 1e-3, 1e3, 1e5}) {
    Options geometry;
    geometry.mass_ratio = ratio;
    char kind[32];
    std::snprintf(kind, sizeof kind, "mass ratio %.0e", ratio);
    Run(kind, geometry);
  }
}

std::string SetName(const testing::TestParamInfo<Set>& info) {
  static const char* const names[] = {"Pegs", "SingleBody", "Stacks"};
  return names[static_cast<int>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Sets, ContactSweep,
                         testing::Values(Set::kPegs, Set::kSingleBody, Set::kStacks), SetName);

}  // namespace
