// SPDX-License-Identifier: Apache-2.0
//
// bench ppm: n contacts on a system of m coordinates, m fixed: PPM and the dual active set on the
// normals, PPM on the no-slip problem, and reduced Lemke on the Coulomb problem of the same
// contacts (four sides, mu 0.3). Bodies of six coordinates (m = 6, 18, 60) lie on contacts spread
// over them, gravity and a random push in the free velocity. Cold and warm; the growth of the time
// from n = 64 to the row's n is given as an exponent of n.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/random.h"
#include "solvers/certificate.h"
#include "solvers/lemke.h"
#include "solvers/psd.h"
#include "tools/tribo/bench.h"

enum { ENTRIES = 6, FACETS = 4, PROBLEMS = 8 };
static const double kFriction = 0.3;

typedef enum Way { DUAL = 0, PPM, LEMKE, WAYS } Way;
static const char* const kWay[] = {"dual", "ppm", "coulomb lemke"};

typedef struct Bed {
  TriboContactProblem problem;
  TriboContactSolution solution, last;  // last: where a warm start begins
  double* scratch;
  TriboPsdSolver* psd;
  TriboScaled scaled;
  TriboLemke* lemke;
  Way way;
  bool warm;
  // of the last solve
  TriboStatus status;
  int pivots, active;
} Bed;

static TriboContactSolution make_solution(TriboArena* arena, int m, int n) {
  TriboContactSolution solution;
  solution.y = tribo_arena_doubles(arena, m);
  solution.x = tribo_arena_doubles(arena, 1);
  solution.f = tribo_arena_doubles(arena, n);
  solution.t = tribo_arena_doubles(arena, 2 * n);
  solution.mode_N = tribo_arena_take(arena, (size_t)n, sizeof(TriboMode));
  solution.mode_g = tribo_arena_take(arena, (size_t)n, sizeof(TriboMode));
  return solution;
}

static TriboRows make_rows(TriboArena* arena, int count) {
  const TriboRows rows = {count, tribo_arena_ints(arena, count + 1),
                          tribo_arena_ints(arena, ENTRIES * count),
                          tribo_arena_doubles(arena, ENTRIES * count)};
  return rows;
}

// Everything of one size, in one block. The targets are all 0.
static void layout(Bed* bed, TriboArena* arena, int m, int n) {
  TriboFactor* factor = tribo_factor_init_dense(arena, m, n);
  bed->psd = tribo_psd_init(arena, factor, m, 0, n);
  TriboContactProblem* p = &bed->problem;
  p->ny = m;
  p->X.start = tribo_arena_ints(arena, 1);
  p->N = make_rows(arena, n);
  p->T = make_rows(arena, 2 * n);
  p->k = tribo_arena_doubles(arena, m);
  p->b_N = p->b_T = tribo_arena_doubles(arena, 2 * n);
  p->id_N = tribo_arena_take(arena, (size_t)n, sizeof(uint64_t));
  p->ng = n;
  p->group = tribo_arena_take(arena, (size_t)n, sizeof(TriboFrictionGroup));
  bed->solution = make_solution(arena, m, n);
  bed->last = make_solution(arena, m, n);
  bed->scratch = tribo_arena_doubles(arena, m);
  if (bed->way != LEMKE) return;
  const TriboSolverCapacity capacity = {
      .ny = m, .n = n, .t = 2 * n, .groups = n, .facets = FACETS, .entries = 3 * n * ENTRIES};
  tribo_scaled_init(&bed->scaled, arena, capacity);
  bed->lemke = tribo_lemke_init(arena, capacity);
}

static void put_row(TriboRows* rows, int i, int body, const double row[ENTRIES]) {
  for (int e = 0; e < ENTRIES; ++e) {
    rows->index[ENTRIES * i + e] = 6 * body + e;
    rows->value[ENTRIES * i + e] = row[e];
  }
  rows->start[i + 1] = ENTRIES * (i + 1);
}

// A body's contacts lie in its bottom face, normals upwards and tilted a little.
static void fill(Bed* bed, uint64_t seed) {
  TriboRandom random = tribo_random(seed);
  TriboContactProblem* p = &bed->problem;
  double *k = (double*)p->k, *b = (double*)p->b_T;
  uint64_t* id = (uint64_t*)p->id_N;
  TriboFrictionGroup* group = (TriboFrictionGroup*)p->group;
  const int n = p->N.count;
  p->X.start[0] = p->N.start[0] = p->T.start[0] = 0;
  for (int i = 0; i < n; ++i) {
    double x = tribo_random_in(&random, -1, 1), y = tribo_random_in(&random, -1, 1);
    double a = tribo_random_in(&random, -0.2, 0.2), c = tribo_random_in(&random, -0.2, 0.2);
    const double normal[ENTRIES] = {a, c, 1, y + 0.5 * c, -x - 0.5 * a, x * c - y * a};
    // Across the normal at (x, y, -0.5), nearly of unit length and at right angles.
    const double first[ENTRIES] = {1, 0, -a, -y * a, x * a - 0.5, -y};
    const double second[ENTRIES] = {0, 1, -c, 0.5 - y * c, x * c, x};
    const int body = i % (p->ny / 6);
    put_row(&p->N, i, body, normal);
    put_row(&p->T, 2 * i, body, first);
    put_row(&p->T, 2 * i + 1, body, second);
    group[i] = (TriboFrictionGroup){i, 2 * i, 2, FACETS, kFriction, 0};
    id[i] = (uint64_t)i + 1;
    b[2 * i] = b[2 * i + 1] = 0;
  }
  for (int j = 0; j < p->ny; ++j) {
    k[j] = tribo_random_in(&random, -0.3, 0.3) - (j % 6 == 2 ? 1 : 0);
  }
}

static void solve_lemke(Bed* bed) {
  TriboLemkeOptions options = {.harris = 1e-10, .warm = bed->warm ? &bed->last : NULL};
  TriboLemkeResult result = {0};
  bed->status = tribo_scaled_load(&bed->scaled, &bed->problem);
  if (bed->status != TRIBO_OK) return;
  bed->status = tribo_lemke_solve(bed->lemke, &bed->scaled, &options, &bed->solution, &result);
  bed->pivots = result.pivots;
}

static void solve(void* data) {
  Bed* bed = data;
  if (bed->way == LEMKE) {
    solve_lemke(bed);
    return;
  }
  TriboPsdOptions options = tribo_psd_options_default();
  options.method = bed->way == DUAL ? TRIBO_PSD_DUAL : TRIBO_PSD_PPM;
  const TriboMode* warm = bed->warm ? bed->last.mode_N : NULL;
  TriboPsdInfo info;
  bed->status = tribo_psd_solve(bed->psd, &bed->problem, &options, warm, &bed->solution, &info);
  bed->pivots = info.pivots;
  bed->active = info.most_active;
}

// Never more active normals than coordinates; Lemke's answers by the certificate.
static bool is_right(Bed* bed) {
  if (bed->status != TRIBO_OK) return false;
  if (bed->way != LEMKE) return bed->active <= bed->problem.ny;
  bed->active = 0;
  for (int i = 0; i < bed->problem.N.count; ++i) bed->active += bed->solution.f[i] > 0;
  return tribo_certify(&bed->problem, TRIBO_CONE_POLYGON, &bed->solution, bed->scratch).worst <=
         1e-8;
}

static void keep_last(Bed* bed) {
  const size_t m = (size_t)bed->problem.ny, n = (size_t)bed->problem.N.count;
  memcpy(bed->last.y, bed->solution.y, sizeof(double) * m);
  memcpy(bed->last.f, bed->solution.f, sizeof(double) * n);
  memcpy(bed->last.t, bed->solution.t, sizeof(double) * 2 * n);
  memcpy(bed->last.mode_N, bed->solution.mode_N, sizeof(TriboMode) * n);
  memcpy(bed->last.mode_g, bed->solution.mode_g, sizeof(TriboMode) * n);
}

typedef struct Figures {
  double seconds[2], pivots[2], active;  // cold, warm
} Figures;

// Averages over a few problems of the size.
static bool measure(const TriboBenchOptions* options, Way way, int m, int n, Figures* figures) {
  Bed bed = {.way = way};
  TriboArena size = tribo_arena_measure();
  layout(&bed, &size, m, n);
  void* memory = tribo_allocate(NULL, size.used);
  if (memory == NULL) return false;
  TriboArena arena = tribo_arena_over(memory, size.used);
  layout(&bed, &arena, m, n);
  bool fine = true;
  *figures = (Figures){.active = 0};
  for (int c = 0; c < PROBLEMS; ++c) {
    fill(&bed, (uint64_t)c);
    for (int warm = 0; warm < 2; ++warm) {
      bed.warm = warm == 1;
      solve(&bed);
      fine = fine && is_right(&bed);
      figures->seconds[warm] += tribo_bench_time(options, solve, &bed) / PROBLEMS;
      figures->pivots[warm] += (double)bed.pivots / PROBLEMS;
      if (warm == 0) figures->active += (double)bed.active / PROBLEMS;
      if (warm == 0) keep_last(&bed);
    }
  }
  tribo_release(NULL, memory, size.used);
  return fine;
}

static double growth(double first, double last, int n) {
  return n == 64 ? 0 : log(last / first) / log(n / 64.0);
}

static TriboExit run(const TriboBenchOptions* options, TriboBenchReport* report) {
  static const int kCoordinates[] = {6, 18, 60};
  const int largest = options->quick ? 128 : 4096;
  for (int c = 0; c < 3; ++c) {
    for (int n = 64; n <= largest; n *= 2) {
      static Figures first[WAYS];
      const int m = kCoordinates[c];
      double ppm = 0;
      for (int way = 0; way < WAYS; ++way) {
        Figures now;
        if (!measure(options, (Way)way, m, n, &now)) return TRIBO_EXIT_NO;
        if (n == 64) first[way] = now;
        if (way == PPM) ppm = now.seconds[0];
        tribo_bench_row(report, "%s m=%d n=%d", kWay[way], m, n);
        tribo_bench_figure(report, "cold_us", 1e6 * now.seconds[0]);
        tribo_bench_figure(report, "warm_us", 1e6 * now.seconds[1]);
        tribo_bench_figure(report, "pivots", now.pivots[0]);
        tribo_bench_figure(report, "warm_pivots", now.pivots[1]);
        tribo_bench_figure(report, "active", now.active);
        tribo_bench_figure(report, "growth", growth(first[way].seconds[0], now.seconds[0], n));
        tribo_bench_figure(report, "warm_growth", growth(first[way].seconds[1], now.seconds[1], n));
        if (way == LEMKE) tribo_bench_figure(report, "over_ppm", now.seconds[0] / ppm);
      }
    }
  }
  return TRIBO_EXIT_FINE;
}

const TriboBenchmark tribo_benchmark_ppm = {
    .name = "ppm",
    .summary =
        "PPM and the dual active set at fixed m over the number of contacts, cold and warm, "
        "against Lemke on the Coulomb problem",
    .run = run,
};
