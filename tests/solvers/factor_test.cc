// SPDX-License-Identifier: Apache-2.0
#include "solvers/factor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "engine/base/dense.h"
#include "engine/base/random.h"
#include "solvers/factor_cholmod.h"
#include "tests/scale.h"

namespace {

// Candidate rows: contacts between neighbouring bodies of six coordinates each, as in a chain,
// three rows a contact; some rows of the same pair are dependent on each other by design (more than
// twelve).
struct Scene {
  int ny;
  std::vector<int> index;
  std::vector<double> value;
  std::vector<int> start;

  int count() const { return static_cast<int>(start.size()) - 1; }
  TriboFactorRow row(int i) const {
    return {start[i + 1] - start[i], &index[start[i]], &value[start[i]]};
  }
};

Scene MakeChain(TriboRandom* random, int bodies, int rows_a_face) {
  Scene scene = {6 * bodies, {}, {}, {0}};
  for (int face = 0; face < bodies; ++face) {
    for (int k = 0; k < rows_a_face; ++k) {
      for (int c = face == 0 ? 0 : 6 * (face - 1); c < 6 * (face + 1); ++c) {
        scene.index.push_back(c);
        scene.value.push_back(tribo_random_in(random, -1, 1));
      }
      scene.start.push_back(static_cast<int>(scene.index.size()));
    }
  }
  return scene;
}

struct Release {
  void operator()(void* memory) const { std::free(memory); }
};
struct Destroy {
  void operator()(TriboFactor* factor) const { tribo_factor_cholmod_destroy(factor); }
};

// A factor and the memory it lives in.
struct Holder {
  std::unique_ptr<void, Release> memory;
  std::unique_ptr<TriboFactor, Destroy> cholmod;
  TriboFactor* factor = nullptr;
};

Holder MakeDense(const Scene& scene) {
  TriboArena measure = tribo_arena_measure();
  EXPECT_EQ(tribo_factor_init_dense(&measure, scene.ny, scene.count()), nullptr);
  Holder holder;
  holder.memory.reset(std::aligned_alloc(TRIBO_ARENA_ALIGNMENT, measure.used));
  TriboArena arena = tribo_arena_over(holder.memory.get(), measure.used);
  holder.factor = tribo_factor_init_dense(&arena, scene.ny, scene.count());
  EXPECT_NE(holder.factor, nullptr);
  EXPECT_EQ(arena.used, measure.used);
  return holder;
}

Holder MakeCholmod(const Scene& scene) {
  Holder holder;
  holder.cholmod.reset(tribo_factor_cholmod_create(scene.ny, scene.count()));
  holder.factor = holder.cholmod.get();
  std::vector<TriboFactorRow> rows;
  for (int i = 0; i < scene.count(); ++i) rows.push_back(scene.row(i));
  EXPECT_EQ(tribo_factor_cholmod_analyze(holder.factor, rows.data()), TRIBO_OK);
  return holder;
}

// Every test runs on every backend that is built in.
class Factor : public testing::TestWithParam<TriboFactorBackend> {
 protected:
  Holder Make(const Scene& scene) const {
    return GetParam() == TRIBO_FACTOR_DENSE ? MakeDense(scene) : MakeCholmod(scene);
  }
};

std::vector<TriboFactorBackend> Backends() {
  std::vector<TriboFactorBackend> backends = {TRIBO_FACTOR_DENSE};
  TriboFactor* cholmod = tribo_factor_cholmod_create(1, 1);
  if (cholmod != nullptr) backends.push_back(TRIBO_FACTOR_CHOLMOD);
  tribo_factor_cholmod_destroy(cholmod);
  return backends;
}

INSTANTIATE_TEST_SUITE_P(Backend, Factor, testing::ValuesIn(Backends()),
                         [](const testing::TestParamInfo<TriboFactorBackend>& which) {
                           return which.param == TRIBO_FACTOR_DENSE ? "Dense" : "Cholmod";
                         });

double Dot(TriboFactorRow a, TriboFactorRow b) {
  double sum = 0;
  for (int i = 0, j = 0; i < a.count && j < b.count;) {
    if (a.index[i] == b.index[j]) {
      sum += a.value[i++] * b.value[j++];
    } else if (a.index[i] < b.index[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return sum;
}

// The Gram matrix of the active rows in the order of their slots, with what updates added.
struct Reference {
  const Scene& scene;
  std::vector<double> extra;  // by slot x slot

  explicit Reference(const Scene& s) : scene(s), extra(s.count() * s.count(), 0.0) {}
  double H(int i, int j) const {
    return Dot(scene.row(i), scene.row(j)) + extra[i * scene.count() + j];
  }
  // Largest error of the factor's solve against a fresh dense factorization, relative.
  double SolveError(TriboFactor* factor, TriboRandom* random) const {
    std::vector<int> active;
    for (int s = 0; s < scene.count(); ++s) {
      if (tribo_factor_has(factor, s)) active.push_back(s);
    }
    int n = static_cast<int>(active.size());
    EXPECT_EQ(n, tribo_factor_count(factor));
    std::vector<double> a(n * n), x(n), rhs(scene.count(), NAN), z(scene.count(), NAN);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) a[i * n + j] = H(active[i], active[j]);
      x[i] = rhs[active[i]] = tribo_random_in(random, -1, 1);
    }
    EXPECT_EQ(tribo_cholesky_factor(n, a.data(), n, 0), TRIBO_OK);
    tribo_cholesky_solve(n, a.data(), n, x.data());
    tribo_factor_solve(factor, rhs.data(), z.data());
    double size = 0, error = 0;
    for (int i = 0; i < n; ++i) {
      size = std::max(size, std::fabs(x[i]));
      error = std::max(error, std::fabs(z[active[i]] - x[i]));
    }
    return n == 0 ? 0 : error / size;
  }
  // Largest |H z - rhs| over |H| |z|: the backward error, free of the condition.
  double Residual(TriboFactor* factor, TriboRandom* random) const {
    int n = tribo_factor_count(factor);
    std::vector<int> active(tribo_factor_slots(factor), tribo_factor_slots(factor) + n);
    std::vector<double> rhs(scene.count(), NAN), z(rhs);
    for (int s : active) rhs[s] = tribo_random_in(random, -1, 1);
    tribo_factor_solve(factor, rhs.data(), z.data());
    double worst = 0, size_h = 0, size_z = 0;
    for (int i : active) {
      double sum = -rhs[i];
      for (int j : active) {
        sum += H(i, j) * z[j];
        size_h = std::max(size_h, std::fabs(H(i, j)));
      }
      worst = std::max(worst, std::fabs(sum));
      size_z = std::max(size_z, std::fabs(z[i]));
    }
    return n == 0 ? 0 : worst / (n * size_h * size_z);
  }
};

// Rows whose pivot is below this share of their length are refused here. It bounds the condition,
// to about 1e4, so that a solve can be compared with that of a fresh factorization to 1e-10 after
// thousands of updates; the backward error, which the condition does not touch, must be near
// rounding.
const double kRefuse = 0.05;

TEST_P(Factor, LongRandomSequencesAgreeWithFreshFactorizations) {
  TriboRandom random = tribo_random(1);
  int left = tribo_test_count(20000);
  while (left > 0) {
    Scene scene = MakeChain(&random, 1 + tribo_random_index(&random, 5), 9);
    Holder holder = Make(scene);
    TriboFactor* factor = holder.factor;
    Reference reference(scene);
    for (int step = 0; step < 1000 && left > 0; ++step, --left) {
      int slot = tribo_random_index(&random, scene.count());
      if (tribo_random_index(&random, 8) == 0) {
        // Rank-1 update, and the downdate that takes it back.
        std::vector<double> v(scene.count());
        for (double& x : v) x = tribo_random_in(&random, -1, 1);
        ASSERT_EQ(tribo_factor_update(factor, v.data(), 1, 0), TRIBO_OK);
        Reference changed = reference;
        for (int i = 0; i < scene.count(); ++i) {
          for (int j = 0; j < scene.count(); ++j)
            changed.extra[i * scene.count() + j] += v[i] * v[j];
        }
        if (step % 50 == 0) {
          ASSERT_LE(changed.SolveError(factor, &random), 1e-10);
        }
        ASSERT_EQ(tribo_factor_update(factor, v.data(), -1, 1e-13), TRIBO_OK);
      } else if (tribo_factor_has(factor, slot)) {
        tribo_factor_delete(factor, slot);
      } else {
        const bool projected = tribo_random_index(&random, 2) == 0;
        std::vector<double> r(scene.count());
        if (projected) (void)tribo_factor_project(factor, scene.row(slot), r.data(), nullptr);
        TriboStatus status =
            projected ? tribo_factor_add_projected(factor, slot, scene.row(slot), kRefuse)
                      : tribo_factor_add(factor, slot, scene.row(slot), kRefuse);
        ASSERT_TRUE(status == TRIBO_OK || status == TRIBO_ERROR_SINGULAR);
      }
      if (step % 50 == 0) {
        ASSERT_LE(reference.SolveError(factor, &random), 1e-10);
        ASSERT_LE(reference.Residual(factor, &random), 1e-12);
      }
    }
  }
}

TEST_P(Factor, AddingAllRowsAtOnceIsAddingThemOneByOne) {
  TriboRandom random = tribo_random(2);
  const int count = tribo_test_count(100);
  int judged = 0;
  for (int c = 0; c < count; ++c) {
    Scene scene =
        MakeChain(&random, 1 + tribo_random_index(&random, 4), 1 + tribo_random_index(&random, 18));
    Holder one = Make(scene), all = Make(scene);
    std::vector<int> slots, refused(scene.count()), refused_one;
    std::vector<TriboFactorRow> rows;
    for (int s = 0; s < scene.count(); ++s) {
      slots.push_back(s);
      rows.push_back(scene.row(s));
      if (tribo_factor_add(one.factor, s, scene.row(s), 1e-9) != TRIBO_OK) {
        refused_one.push_back(s);
      }
    }
    // The rank is only clear where no accepted row is nearly dependent.
    if (tribo_factor_condition(one.factor) < 1e-6) continue;
    ++judged;
    int n = tribo_factor_add_all(all.factor, scene.count(), slots.data(), rows.data(), 1e-9,
                                 refused.data());
    refused.resize(n);
    EXPECT_EQ(refused.size(), refused_one.size());
    // The dense backend keeps the order; CHOLMOD eliminates in its own and may refuse others.
    if (GetParam() == TRIBO_FACTOR_DENSE) {
      EXPECT_EQ(refused, refused_one);
    }
    EXPECT_LE(Reference(scene).Residual(all.factor, &random), 1e-14);
  }
  EXPECT_GT(judged, count / 2);
}

// As the tangents of many contacts between two faces: the test of rows against what is orthogonal
// to the span must take the same rows as one test after another.
TEST_P(Factor, OfManyRowsInASmallSpanThoseOutsideItEnter) {
  TriboRandom random = tribo_random(7);
  const int cases = tribo_test_count(100);
  int judged = 0, outside = 0;
  for (int c = 0; c < cases; ++c) {
    const int ny = 2 + tribo_random_index(&random, 34), rank = tribo_random_index(&random, ny);
    const int count = 3 * ny;
    std::vector<double> basis(ny * (rank + 1));
    for (double& x : basis) x = tribo_random_in(&random, -1, 1);
    Scene scene = {ny, {}, {}, {0}};
    for (int i = 0; i < count; ++i) {
      // Every third row is 0; one lies outside by a share of about 1e-3 of its length.
      std::vector<double> row(ny);
      for (int k = 0; k < rank && i % 3 != 2; ++k) {
        const double x = tribo_random_in(&random, -1, 1);
        for (int j = 0; j < ny; ++j) row[j] += x * basis[k * ny + j];
      }
      if (i == count - 2 && rank > 0) {
        for (int j = 0; j < ny; ++j) row[j] += 1e-3 * basis[rank * ny + j];
      }
      for (int j = 0; j < ny; ++j) {
        scene.index.push_back(j);
        scene.value.push_back(row[j]);
      }
      scene.start.push_back(static_cast<int>(scene.index.size()));
    }
    Holder one = Make(scene), all = Make(scene);
    std::vector<int> slots, refused(count), refused_one;
    std::vector<TriboFactorRow> rows;
    for (int s = 0; s < count; ++s) {
      slots.push_back(s);
      rows.push_back(scene.row(s));
      if (tribo_factor_add(one.factor, s, scene.row(s), 1e-11) != TRIBO_OK) {
        refused_one.push_back(s);
      }
    }
    if (tribo_factor_condition(one.factor) < 1e-9) continue;
    ++judged;
    refused.resize(
        tribo_factor_add_all(all.factor, count, slots.data(), rows.data(), 1e-11, refused.data()));
    EXPECT_EQ(tribo_factor_count(all.factor), tribo_factor_count(one.factor));
    outside += tribo_factor_count(all.factor) == (rank > 0 ? rank + 1 : 0);
    EXPECT_EQ(refused.size(), refused_one.size());
    if (GetParam() == TRIBO_FACTOR_DENSE) {
      EXPECT_EQ(refused, refused_one);
    }
    EXPECT_LE(Reference(scene).Residual(all.factor, &random), 1e-14);
  }
  // The row outside is found but where the others leave it next to nothing.
  EXPECT_GT(outside, judged * 9 / 10);
  EXPECT_GT(judged, cases / 2);
}

TEST_P(Factor, DependentAndNearlyDependentRowsAreRefusedAndChangeNothing) {
  TriboRandom random = tribo_random(3);
  Scene scene = MakeChain(&random, 1, 6);
  // Row 6 = row 0 - 2 row 3, row 7 the same but for 1e-7 of its length: a pivot of about 1e-14
  // |w|^2.
  for (int copy = 0; copy < 2; ++copy) {
    for (int c = 0; c < 6; ++c) {
      double tilt = copy == 0 ? 0 : 1e-7 * tribo_random_in(&random, -1, 1);
      scene.index.push_back(c);
      scene.value.push_back(scene.value[c] - 2 * scene.value[18 + c] + tilt);
    }
    scene.start.push_back(static_cast<int>(scene.index.size()));
  }
  Holder holder = Make(scene);
  for (int s : {0, 3, 1}) {
    ASSERT_EQ(tribo_factor_add(holder.factor, s, scene.row(s), 1e-11), TRIBO_OK);
  }
  for (int s : {6, 7}) {
    EXPECT_EQ(tribo_factor_add(holder.factor, s, scene.row(s), 1e-11), TRIBO_ERROR_SINGULAR);
    EXPECT_FALSE(tribo_factor_has(holder.factor, s));
    std::vector<double> r(scene.count());
    double rest = tribo_factor_project(holder.factor, scene.row(s), r.data(), nullptr);
    EXPECT_LE(rest, 1e-12);
    EXPECT_NEAR(r[0], 1, 1e-5);
    EXPECT_NEAR(r[3], -2, 1e-5);
  }
  EXPECT_EQ(tribo_factor_count(holder.factor), 3);
  EXPECT_LE(Reference(scene).SolveError(holder.factor, &random), 1e-12);
}

TEST_P(Factor, ZeroRowsAndRowsBeyondTheCoordinatesAreRefused) {
  TriboRandom random = tribo_random(4);
  Scene scene = MakeChain(&random, 1, 12);
  Holder holder = Make(scene);
  const int index[] = {0};
  const double zero[] = {0};
  EXPECT_EQ(tribo_factor_add(holder.factor, 0, {1, index, zero}, 1e-11), TRIBO_ERROR_SINGULAR);
  EXPECT_EQ(tribo_factor_add(holder.factor, 0, {0, index, zero}, 1e-11), TRIBO_ERROR_SINGULAR);
  int accepted = 0;
  for (int s = 0; s < 12; ++s) {
    accepted += tribo_factor_add(holder.factor, s, scene.row(s), 0) == TRIBO_OK;
  }
  EXPECT_EQ(accepted, 6);
}

TEST_P(Factor, IsAsGoodAsNewAfterAClear) {
  TriboRandom random = tribo_random(6);
  Scene scene = MakeChain(&random, 4, 5);
  Holder used = Make(scene), fresh = Make(scene);
  std::vector<double> v(scene.count(), 0.5), rhs(scene.count()), a(scene.count()), b(scene.count());
  for (int round = 0; round < 3; ++round) {
    for (int s = 0; s < scene.count(); s += 1 + round) {
      (void)!tribo_factor_add(used.factor, s, scene.row(s), kRefuse);
    }
    ASSERT_EQ(tribo_factor_update(used.factor, v.data(), 1, 0), TRIBO_OK);
    tribo_factor_clear(used.factor);
    EXPECT_EQ(tribo_factor_count(used.factor), 0);
  }
  for (int s = 0; s < scene.count(); s += 2) {
    rhs[s] = tribo_random_in(&random, -1, 1);
    ASSERT_EQ(tribo_factor_add(used.factor, s, scene.row(s), kRefuse), TRIBO_OK);
    ASSERT_EQ(tribo_factor_add(fresh.factor, s, scene.row(s), kRefuse), TRIBO_OK);
  }
  tribo_factor_solve(used.factor, rhs.data(), a.data());
  tribo_factor_solve(fresh.factor, rhs.data(), b.data());
  EXPECT_EQ(a, b);
}

TEST_P(Factor, HalfSolvesComposeToTheSolve) {
  TriboRandom random = tribo_random(5);
  Scene scene = MakeChain(&random, 3, 4);
  Holder holder = Make(scene);
  for (int s = 0; s < scene.count(); ++s) {
    ASSERT_EQ(tribo_factor_add(holder.factor, s, scene.row(s), 1e-9), TRIBO_OK);
  }
  std::vector<double> rhs(scene.count()), z(rhs), half(rhs), back(rhs);
  for (double& x : rhs) x = tribo_random_in(&random, -1, 1);
  tribo_factor_solve(holder.factor, rhs.data(), z.data());
  tribo_factor_half_solve(holder.factor, rhs.data(), half.data());
  tribo_factor_half_solve_transposed(holder.factor, half.data(), back.data());
  int n = scene.count();
  EXPECT_NEAR(tribo_dot(n, half.data(), half.data()), tribo_dot(n, rhs.data(), z.data()), 1e-10);
  for (int i = 0; i < n; ++i) EXPECT_NEAR(back[i], z[i], 1e-12);
}

TEST_P(Factor, ConditionEstimateSeesNearlyDependentRows) {
  const int index[] = {0, 1};
  const double a[] = {1, 0}, b[] = {1, 1e-3}, c[] = {0, 1};
  for (const double* second : {b, c}) {
    Scene scene = {2, {0, 1, 0, 1}, {0, 0, 0, 0}, {0, 2, 4}};
    Holder holder = Make(scene);
    EXPECT_EQ(tribo_factor_condition(holder.factor), 1);
    ASSERT_EQ(tribo_factor_add(holder.factor, 0, {2, index, a}, 0), TRIBO_OK);
    ASSERT_EQ(tribo_factor_add(holder.factor, 1, {2, index, second}, 0), TRIBO_OK);
    EXPECT_NEAR(tribo_factor_condition(holder.factor), second == b ? 1e-6 : 1, 1e-9);
  }
}

}  // namespace
