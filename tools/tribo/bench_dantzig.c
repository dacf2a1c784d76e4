// SPDX-License-Identifier: Apache-2.0
//
// Dantzig's algorithm on frictionless piles [Baraff1994] section 7: against
// Gaussian elimination with partial pivoting of the same matrix A = N N^T, and
// against projected Gauss-Seidel to the same certificate.
#include <math.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/dense.h"
#include "engine/base/random.h"
#include "solvers/certificate.h"
#include "solvers/pgs.h"
#include "solvers/psd.h"
#include "tools/tribo/bench.h"

enum { ENTRIES = 12, MOST_SWEEPS = 1 << 16 };

// What Gauss-Seidel has to reach: Dantzig's is rounding, which it never does.
static const double kCertificate = 1e-9;

typedef struct Bed {
  int n, ny;
  TriboContactProblem problem;
  TriboContactSolution solution;
  TriboPsdSolver* solver;
  TriboPsdOptions options;
  TriboPsdInfo info;
  TriboStatus status;
  double *A, *lu, *x, *scratch;
  int* permutation;
  TriboPgsOptions pgs;
} Bed;

static void layout(Bed* bed, TriboArena* arena) {
  const int n = bed->n, ny = bed->ny;
  TriboContactProblem* p = &bed->problem;
  TriboFactor* factor = tribo_factor_init_dense(arena, ny, n);
  bed->solver = tribo_psd_init(arena, factor, ny, 0, n);
  p->N.start = tribo_arena_ints(arena, n + 1);
  p->N.index = tribo_arena_ints(arena, ENTRIES * n);
  p->N.value = tribo_arena_doubles(arena, ENTRIES * n);
  p->X.start = tribo_arena_ints(arena, 1);
  p->T.start = tribo_arena_ints(arena, 1);
  p->k = tribo_arena_doubles(arena, ny);
  p->b_N = tribo_arena_doubles(arena, n);
  bed->solution.y = tribo_arena_doubles(arena, ny);
  bed->solution.x = tribo_arena_doubles(arena, 1);
  bed->solution.f = tribo_arena_doubles(arena, n);
  bed->solution.t = tribo_arena_doubles(arena, 1);
  bed->solution.mode_N = tribo_arena_take(arena, (size_t)n, sizeof(TriboMode));
  bed->solution.mode_g = tribo_arena_take(arena, 1, sizeof(TriboMode));
  bed->A = tribo_arena_doubles(arena, n * n);
  bed->lu = tribo_arena_doubles(arena, n * n);
  bed->x = tribo_arena_doubles(arena, n);
  bed->scratch = tribo_arena_doubles(arena, ny);
  bed->permutation = tribo_arena_ints(arena, n);
}

// A pile: each body stands on earlier ones or on the ground (three contacts a
// body, so A is regular), normals tilted at random; everything falls.
static void fill(Bed* bed, uint64_t seed) {
  TriboRandom random = tribo_random(seed);
  TriboContactProblem* p = &bed->problem;
  const int bodies = bed->ny / 6;
  int at = 0;
  p->ny = bed->ny;
  p->N.count = bed->n;
  p->X.start[0] = p->T.start[0] = 0;
  for (int i = 0; i < bed->n; ++i) {
    const int upper = i % bodies;
    const int lower = (int)tribo_random_in(&random, 0, upper + 0.999) - 1;
    const double a = tribo_random_in(&random, -0.3, 0.3), c = tribo_random_in(&random, -0.3, 0.3);
    p->N.start[i] = at;
    for (int side = lower >= 0 ? 0 : 1; side < 2; ++side) {
      const double x = tribo_random_in(&random, -1, 1), y = tribo_random_in(&random, -1, 1);
      const double z = side == 0 ? 0.5 : -0.5, sign = side == 0 ? -1 : 1;
      const double row[6] = {a, c, 1, y - z * c, z * a - x, x * c - y * a};
      for (int e = 0; e < 6; ++e) {
        p->N.index[at] = 6 * (side == 0 ? lower : upper) + e;
        p->N.value[at++] = sign * row[e];
      }
    }
    ((double*)p->b_N)[i] = 0;
  }
  p->N.start[bed->n] = at;
  for (int j = 0; j < bed->ny; ++j) {
    ((double*)p->k)[j] = tribo_random_in(&random, -0.3, 0.3) - (j % 6 == 2 ? 1 : 0);
  }
  for (int i = 0; i < bed->n; ++i) {
    for (int j = 0; j < bed->n; ++j) bed->A[i * bed->n + j] = tribo_rows_dot(&p->N, i, &p->N, j);
  }
}

static void dantzig(void* data) {
  Bed* bed = data;
  bed->status =
      tribo_psd_solve(bed->solver, &bed->problem, &bed->options, NULL, &bed->solution, &bed->info);
}

static void eliminate(void* data) {
  Bed* bed = data;
  memcpy(bed->lu, bed->A, sizeof(double) * (size_t)bed->n * (size_t)bed->n);
  bed->status = tribo_lu_factor(bed->n, bed->lu, bed->n, bed->permutation, 0);
  if (bed->status == TRIBO_OK) {
    tribo_lu_solve(bed->n, bed->lu, bed->n, bed->permutation, bed->problem.b_N, bed->x);
  }
}

static void sweep(void* data) {
  Bed* bed = data;
  TriboPgsStats stats;
  for (int i = 0; i < bed->n; ++i) bed->solution.f[i] = 0;
  bed->status = tribo_pgs_solve(&bed->problem, &bed->pgs, &bed->solution, &stats);
}

static double certificate(Bed* bed) {
  return tribo_certify(&bed->problem, TRIBO_CONE_ROUND, &bed->solution, bed->scratch).worst;
}

// Sweeps that reach the certificate, by doubling; 0 when none of them do.
static int enough_sweeps(Bed* bed) {
  bed->pgs = tribo_pgs_options_default();
  bed->pgs.tolerance = 0;
  for (int sweeps = 16; sweeps <= MOST_SWEEPS; sweeps *= 2) {
    bed->pgs.sweeps = sweeps;
    sweep(bed);
    if (certificate(bed) <= kCertificate) return sweeps;
  }
  return 0;
}

static bool measure(const TriboBenchOptions* options, Bed* bed, TriboBenchReport* report) {
  enum { PROBLEMS = 4 };
  double by_dantzig = 0, by_elimination = 0, by_sweeps = 0, pivots = 0, sweeps = 0, worst = 0;
  bool reached = true;
  for (int c = 0; c < PROBLEMS; ++c) {
    fill(bed, (uint64_t)(1000 * bed->n + c));
    by_dantzig += tribo_bench_time(options, dantzig, bed) / PROBLEMS;
    pivots += (double)bed->info.pivots / PROBLEMS;
    if (bed->status != TRIBO_OK) return false;
    worst = fmax(worst, certificate(bed));
    by_elimination += tribo_bench_time(options, eliminate, bed) / PROBLEMS;
    if (bed->status != TRIBO_OK) return false;
    const int needed = enough_sweeps(bed);
    reached = reached && needed > 0;
    if (!reached) continue;
    sweeps += (double)needed / PROBLEMS;
    by_sweeps += tribo_bench_time(options, sweep, bed) / PROBLEMS;
  }
  tribo_bench_row(report, "n=%d", bed->n);
  tribo_bench_figure(report, "dantzig_us", 1e6 * by_dantzig);
  tribo_bench_figure(report, "elimination_us", 1e6 * by_elimination);
  tribo_bench_figure(report, "ratio", by_dantzig / by_elimination);
  tribo_bench_figure(report, "pivots", pivots);
  tribo_bench_figure(report, "certificate", worst);
  if (reached) {
    tribo_bench_figure(report, "pgs_us", 1e6 * by_sweeps);
    tribo_bench_figure(report, "pgs_sweeps", sweeps);
    tribo_bench_figure(report, "pgs_over_dantzig", by_sweeps / by_dantzig);
  }
  return worst <= kCertificate;
}

static TriboExit run(const TriboBenchOptions* options, TriboBenchReport* report) {
  static const int kSizes[] = {10, 20, 50, 100, 150, 200, 300};
  const int sizes = options->quick ? 2 : (int)(sizeof kSizes / sizeof kSizes[0]);
  for (int s = 0; s < sizes; ++s) {
    Bed bed = {.n = kSizes[s], .options = tribo_psd_options_default()};
    bed.ny = 6 * ((bed.n + 2) / 3);
    bed.options.method = TRIBO_PSD_DANTZIG;
    TriboArena size = tribo_arena_measure();
    layout(&bed, &size);
    void* memory = tribo_allocate(NULL, size.used);
    if (memory == NULL) return TRIBO_EXIT_NO;
    TriboArena arena = tribo_arena_over(memory, size.used);
    layout(&bed, &arena);
    const bool fine = measure(options, &bed, report);
    tribo_release(NULL, memory, size.used);
    if (!fine) return TRIBO_EXIT_NO;
  }
  return TRIBO_EXIT_FINE;
}

const TriboBenchmark tribo_benchmark_dantzig = {
    .name = "dantzig",
    .summary =
        "frictionless Dantzig against Gaussian elimination and "
        "Gauss-Seidel, n = 10 to 300",
    .run = run,
};
