// SPDX-License-Identifier: Apache-2.0
//
// bench ppm: n contacts on a system of m coordinates, m fixed: PPM and the dual active set, cold
// and warm. Bodies of six coordinates (m = 6, 18, 60) lie on contacts spread over them, gravity and
// a random push in the free velocity. The growth of the time from n = 64 to 4096 is given as an
// exponent of n.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/random.h"
#include "solvers/psd.h"
#include "tools/tribo/bench.h"

enum { ENTRIES = 6 };

typedef struct Bed {
  TriboContactProblem problem;
  TriboContactSolution solution;
  TriboPsdSolver* solver;
  TriboPsdOptions options;
  TriboPsdInfo info;
  TriboMode* warm;  // the modes of the solution, for the warm start
  bool is_warm;
  TriboStatus status;
} Bed;

// Everything of one size, in one block.
static void layout(Bed* bed, TriboArena* arena, int m, int n) {
  TriboFactor* factor = tribo_factor_init_dense(arena, m, n);
  bed->solver = tribo_psd_init(arena, factor, m, 0, n);
  TriboContactProblem* p = &bed->problem;
  p->ny = m;
  p->N.count = n;
  p->N.start = tribo_arena_ints(arena, n + 1);
  p->N.index = tribo_arena_ints(arena, ENTRIES * n);
  p->N.value = tribo_arena_doubles(arena, ENTRIES * n);
  p->X.start = tribo_arena_ints(arena, 1);
  p->k = tribo_arena_doubles(arena, m);
  p->b_N = tribo_arena_doubles(arena, n);
  bed->solution.y = tribo_arena_doubles(arena, m);
  bed->solution.f = tribo_arena_doubles(arena, n);
  bed->solution.x = tribo_arena_doubles(arena, 1);
  bed->solution.mode_N = tribo_arena_take(arena, (size_t)n, sizeof(TriboMode));
  bed->warm = tribo_arena_take(arena, (size_t)n, sizeof(TriboMode));
}

// A body's contacts lie in its bottom face, normals upwards and tilted a little.
static void fill(Bed* bed, double* k, double* b, int m, int n, uint64_t seed) {
  TriboRandom random = tribo_random(seed);
  TriboRows* N = &bed->problem.N;
  bed->problem.X.start[0] = 0;
  N->start[0] = 0;
  for (int i = 0; i < n; ++i) {
    double x = tribo_random_in(&random, -1, 1), y = tribo_random_in(&random, -1, 1);
    double a = tribo_random_in(&random, -0.2, 0.2), c = tribo_random_in(&random, -0.2, 0.2);
    double row[ENTRIES] = {a, c, 1, y + 0.5 * c, -x - 0.5 * a, x * c - y * a};
    for (int e = 0; e < ENTRIES; ++e) {
      N->index[ENTRIES * i + e] = 6 * (i % (m / 6)) + e;
      N->value[ENTRIES * i + e] = row[e];
    }
    N->start[i + 1] = ENTRIES * (i + 1);
    b[i] = 0;
  }
  for (int j = 0; j < m; ++j) k[j] = tribo_random_in(&random, -0.3, 0.3) - (j % 6 == 2 ? 1 : 0);
}

static void solve(void* data) {
  Bed* bed = data;
  bed->status = tribo_psd_solve(bed->solver, &bed->problem, &bed->options,
                                bed->is_warm ? bed->warm : NULL, &bed->solution, &bed->info);
}

// Seconds, averaged over a few problems of the size; pivots likewise.
static bool measure(const TriboBenchOptions* options, TriboPsdMethod method, bool warm, int m,
                    int n, double* seconds, double* pivots, double* active) {
  Bed bed = {.options = tribo_psd_options_default()};
  bed.options.method = method;
  TriboArena size = tribo_arena_measure();
  layout(&bed, &size, m, n);
  void* memory = tribo_allocate(NULL, size.used);
  if (memory == NULL) return false;
  TriboArena arena = tribo_arena_over(memory, size.used);
  layout(&bed, &arena, m, n);
  enum { PROBLEMS = 8 };
  bool fine = true;
  *seconds = *pivots = *active = 0;
  for (int c = 0; c < PROBLEMS; ++c) {
    fill(&bed, (double*)bed.problem.k, (double*)bed.problem.b_N, m, n, (uint64_t)c);
    bed.is_warm = false;
    solve(&bed);
    fine &= bed.status == TRIBO_OK;
    memcpy(bed.warm, bed.solution.mode_N, sizeof(TriboMode) * (size_t)n);
    bed.is_warm = warm;
    *seconds += tribo_bench_time(options, solve, &bed) / PROBLEMS;
    *pivots += (double)bed.info.pivots / PROBLEMS;
    *active += (double)bed.info.active / PROBLEMS;
    fine &= bed.status == TRIBO_OK && bed.info.most_active <= m;
  }
  tribo_release(NULL, memory, size.used);
  return fine;
}

static TriboExit run(const TriboBenchOptions* options, TriboBenchReport* report) {
  static const int kCoordinates[] = {6, 18, 60};
  static const char* const kMethod[] = {"dual", "ppm"};
  int largest = options->quick ? 128 : 4096;
  for (int c = 0; c < 3; ++c) {
    for (int method = 0; method < 2; ++method) {
      double first = 0, last = 0;
      for (int n = 64; n <= largest; n *= 2) {
        int m = kCoordinates[c];
        double cold, warm, pivots, warm_pivots, active;
        if (!measure(options, (TriboPsdMethod)method, false, m, n, &cold, &pivots, &active) ||
            !measure(options, (TriboPsdMethod)method, true, m, n, &warm, &warm_pivots, &active)) {
          return TRIBO_EXIT_NO;
        }
        if (n == 64) first = cold;
        last = cold;
        tribo_bench_row(report, "%s m=%d n=%d", kMethod[method], m, n);
        tribo_bench_figure(report, "cold_us", 1e6 * cold);
        tribo_bench_figure(report, "warm_us", 1e6 * warm);
        tribo_bench_figure(report, "pivots", pivots);
        tribo_bench_figure(report, "warm_pivots", warm_pivots);
        tribo_bench_figure(report, "active", active);
        tribo_bench_figure(report, "growth", n == 64 ? 0 : log(last / first) / log(n / 64.0));
      }
    }
  }
  return TRIBO_EXIT_FINE;
}

const TriboBenchmark tribo_benchmark_ppm = {
    .name = "ppm",
    .summary = "PPM and the dual active set at fixed m over the number of contacts, cold and warm",
    .run = run,
};
