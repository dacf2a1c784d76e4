// SPDX-License-Identifier: Apache-2.0
//
// bench factor: the dense and the CHOLMOD backend of the shared factor over problem size. A pile is
// a cubic lattice of bodies of six coordinates, all of its rows active. Per size: a fresh
// factorization with a solve, and a row that leaves and comes back with a solve after each. Then
// whole solves of contact problems without friction: bodies of that lattice fall on each other and
// on the ground, pushed at random. Both backends must give the same answer.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/random.h"
#include "solvers/factor.h"
#include "solvers/factor_cholmod.h"
#include "solvers/psd.h"
#include "tools/tribo/bench.h"

enum { ENTRIES = 12 };  // of a row: two bodies

typedef struct Pile {
  int bodies, contacts, ny, rows;
  int* index;     // (rows x ENTRIES)
  double* value;  // (rows x ENTRIES)
  TriboFactorRow* row;
  int* slots;
  int* refused;
  double* rhs;
  double* z;
  TriboFactor* factor;  // the one being timed
  int next;             // row to take out next
} Pile;

// A contact with `rows` rows between two bodies.
static void add_contact(Pile* pile, TriboRandom* random, int a, int b, int rows) {
  for (int k = 0; k < rows; ++k, ++pile->rows) {
    int* index = pile->index + ENTRIES * pile->rows;
    double* value = pile->value + ENTRIES * pile->rows;
    for (int c = 0; c < ENTRIES; ++c) {
      index[c] = c < 6 ? 6 * a + c : 6 * b + c - 6;
      value[c] = tribo_random_in(random, -1, 1);
    }
    pile->row[pile->rows] = (TriboFactorRow){ENTRIES, index, value};
    pile->slots[pile->rows] = pile->rows;
  }
  ++pile->contacts;
}

// Neighbours touch. Contacts along z carry three rows, the others one: five rows to six
// coordinates, which are independent.
static void fill_pile(Pile* pile, int side) {
  TriboRandom random = tribo_random(1);
  int step[3] = {1, side, side * side};
  for (int body = 0; body < pile->bodies; ++body) {
    int at[3] = {body % side, body / side % side, body / (side * side)};
    for (int axis = 0; axis < 3; ++axis) {
      if (at[axis] + 1 == side) continue;
      add_contact(pile, &random, body, body + step[axis], axis == 2 ? 3 : 1);
    }
  }
  for (int i = 0; i < pile->rows; ++i) pile->rhs[i] = tribo_random_in(&random, -1, 1);
}

static void free_pile(Pile* pile) {
  free(pile->index);
  free(pile->value);
  free(pile->row);
  free(pile->slots);
  free(pile->refused);
  free(pile->rhs);
  free(pile->z);
}

static bool make_pile(Pile* pile, int side) {
  memset(pile, 0, sizeof *pile);
  pile->bodies = side * side * side;
  pile->ny = 6 * pile->bodies;
  size_t most = (size_t)(5 * pile->bodies);
  pile->index = malloc(sizeof(int) * most * ENTRIES);
  pile->value = malloc(sizeof(double) * most * ENTRIES);
  pile->row = malloc(sizeof(TriboFactorRow) * most);
  pile->slots = malloc(sizeof(int) * most);
  pile->refused = malloc(sizeof(int) * most);
  pile->rhs = malloc(sizeof(double) * most);
  pile->z = calloc(most, sizeof(double));
  if (!pile->index || !pile->value || !pile->row || !pile->slots || !pile->refused || !pile->rhs ||
      !pile->z) {
    return false;
  }
  fill_pile(pile, side);
  return true;
}

static void factor_and_solve(void* data) {
  Pile* pile = data;
  tribo_factor_clear(pile->factor);
  (void)tribo_factor_add_all(pile->factor, pile->rows, pile->slots, pile->row, 1e-11,
                             pile->refused);
  tribo_factor_solve(pile->factor, pile->rhs, pile->z);
}

static void exchange_and_solve(void* data) {
  Pile* pile = data;
  int slot = pile->next = (pile->next + 7) % pile->rows;
  tribo_factor_delete(pile->factor, slot);
  tribo_factor_solve(pile->factor, pile->rhs, pile->z);
  if (tribo_factor_add(pile->factor, slot, pile->row[slot], 0) != TRIBO_OK) pile->z[slot] = NAN;
  tribo_factor_solve(pile->factor, pile->rhs, pile->z);
}

// Times one backend; the answer of the fresh factorization stays in z.
static void measure(const TriboBenchOptions* options, Pile* pile, double seconds[2]) {
  factor_and_solve(pile);
  seconds[0] = tribo_bench_time(options, factor_and_solve, pile);
  seconds[1] = tribo_bench_time(options, exchange_and_solve, pile);
  factor_and_solve(pile);
}

static double distance(int n, const double* a, const double* b) {
  double worst = 0, size = 0;
  for (int i = 0; i < n; ++i) {
    worst = fmax(worst, fabs(a[i] - b[i]));
    size = fmax(size, fabs(b[i]));
  }
  return worst / size;
}

static TriboExit compare(const TriboBenchOptions* options, TriboBenchReport* report, int side) {
  Pile pile;
  TriboExit exit = TRIBO_EXIT_NO;
  TriboFactor* cholmod = NULL;
  void* memory = NULL;
  double* truth = NULL;
  TriboArena size = tribo_arena_measure();
  if (!make_pile(&pile, side)) goto done;
  (void)tribo_factor_init_dense(&size, pile.ny, pile.rows);
  memory = tribo_allocate(NULL, size.used);
  truth = malloc(sizeof(double) * (size_t)pile.rows);
  if (memory == NULL || truth == NULL) goto done;
  TriboArena arena = tribo_arena_over(memory, size.used);
  double dense[2], sparse[2];
  pile.factor = tribo_factor_init_dense(&arena, pile.ny, pile.rows);
  measure(options, &pile, dense);
  memcpy(truth, pile.z, sizeof(double) * (size_t)pile.rows);

  tribo_bench_row(report, "%d contacts", pile.contacts);
  tribo_bench_figure(report, "rows", pile.rows);
  tribo_bench_figure(report, "dense_factor_us", 1e6 * dense[0]);
  tribo_bench_figure(report, "dense_exchange_us", 1e6 * dense[1]);
  cholmod = tribo_factor_cholmod_create(pile.ny, pile.rows);
  if (cholmod == NULL) {  // built without it
    exit = TRIBO_EXIT_FINE;
    goto done;
  }
  double begin = tribo_bench_clock();
  if (tribo_factor_cholmod_analyze(cholmod, pile.row) != TRIBO_OK) goto done;
  double analysis = tribo_bench_clock() - begin;
  pile.factor = cholmod;
  measure(options, &pile, sparse);
  double difference = distance(pile.rows, pile.z, truth);
  tribo_bench_figure(report, "cholmod_analyze_us", 1e6 * analysis);
  tribo_bench_figure(report, "cholmod_factor_us", 1e6 * sparse[0]);
  tribo_bench_figure(report, "cholmod_exchange_us", 1e6 * sparse[1]);
  tribo_bench_figure(report, "factor_speedup", dense[0] / sparse[0]);
  tribo_bench_figure(report, "exchange_speedup", dense[1] / sparse[1]);
  tribo_bench_figure(report, "entries", (double)tribo_factor_cholmod_entries(cholmod));
  tribo_bench_figure(report, "difference", difference);
  if (difference <= 1e-8) exit = TRIBO_EXIT_FINE;
done:
  tribo_factor_cholmod_destroy(cholmod);
  tribo_release(NULL, memory, size.used);
  free(truth);
  free_pile(&pile);
  return exit;
}

// ---- Whole solves ----

typedef struct Fall {
  TriboContactProblem problem;
  TriboContactSolution solution;
  TriboPsdSolver* psd;
  TriboPsdInfo info;
  TriboStatus status;
  bool warm;  // from the modes of the solution
} Fall;

static void fall_layout(Fall* fall, TriboArena* arena, TriboFactor* factor, int ny, int n) {
  TriboContactProblem* p = &fall->problem;
  fall->psd = tribo_psd_init(arena, factor, ny, 0, n);
  p->k = tribo_arena_doubles(arena, ny);
  p->b_N = tribo_arena_doubles(arena, n);
  p->N.start = tribo_arena_ints(arena, n + 1);
  p->N.index = tribo_arena_ints(arena, ENTRIES * n);
  p->N.value = tribo_arena_doubles(arena, ENTRIES * n);
  p->X.start = tribo_arena_ints(arena, 1);
  fall->solution.y = tribo_arena_doubles(arena, ny);
  fall->solution.x = tribo_arena_doubles(arena, 1);
  fall->solution.f = tribo_arena_doubles(arena, n);
  fall->solution.mode_N = tribo_arena_take(arena, (size_t)n, sizeof(TriboMode));
}

// A body's share of a row: its velocity at `arm` from its centre along the normal.
static int put_share(TriboRows* N, int at, int body, double sign, const double arm[3],
                     const double normal[3]) {
  for (int c = 0; c < 6; ++c) {
    const int u = (c + 1) % 3, v = (c + 2) % 3;
    const double share = c < 3 ? normal[c] : arm[u] * normal[v] - arm[v] * normal[u];
    N->index[at + c] = 6 * body + c;
    N->value[at + c] = sign * share;
  }
  return at + 6;
}

// The normal row of a contact about halfway from body a (-1: the ground below b) to b.
static void put_normal(Fall* fall, TriboRandom* random, int a, int b, int axis) {
  TriboRows* N = &fall->problem.N;
  double normal[3], from_a[3], from_b[3];
  for (int c = 0; c < 3; ++c) {
    normal[c] = (c == axis) + tribo_random_in(random, -0.2, 0.2);
    from_b[c] = tribo_random_in(random, -0.2, 0.2) - (c == axis ? 0.5 : 0);
    from_a[c] = from_b[c] + (c == axis);
  }
  int at = N->start[N->count];
  if (a >= 0) at = put_share(N, at, a, -1, from_a, normal);
  at = put_share(N, at, b, 1, from_b, normal);
  ((double*)fall->problem.b_N)[N->count] = 0;
  N->start[++N->count] = at;
}

static void fill_fall(Fall* fall, int side) {
  TriboRandom random = tribo_random(2);
  TriboContactProblem* p = &fall->problem;
  const int step[3] = {1, side, side * side}, bodies = side * side * side;
  double* k = (double*)p->k;
  p->ny = 6 * bodies;
  p->X.start[0] = p->N.start[0] = p->N.count = 0;
  for (int body = 0; body < bodies; ++body) {
    const int at[3] = {body % side, body / side % side, body / (side * side)};
    if (at[2] == 0) put_normal(fall, &random, -1, body, 2);
    for (int axis = 0; axis < 3; ++axis) {
      if (at[axis] + 1 < side) put_normal(fall, &random, body, body + step[axis], axis);
    }
    for (int c = 0; c < 6; ++c) {
      k[6 * body + c] = tribo_random_in(&random, -0.3, 0.3) - (c == 2 ? 1 : 0);
    }
  }
}

static void run_fall(void* data) {
  Fall* fall = data;
  const TriboPsdOptions options = tribo_psd_options_default();
  const TriboMode* warm = fall->warm ? fall->solution.mode_N : NULL;
  fall->status =
      tribo_psd_solve(fall->psd, &fall->problem, &options, warm, &fall->solution, &fall->info);
}

// One backend's whole solves, cold and warm. The velocity goes to y.
static bool time_fall(const TriboBenchOptions* options, TriboFactor* cholmod, int side, double* y,
                      Fall* fall, double* seconds) {
  const int bodies = side * side * side, ny = 6 * bodies, n = 3 * bodies - 2 * side * side;
  TriboArena size = tribo_arena_measure(), *arena = &size;
  void* memory = NULL;
  TriboArena over;
  for (int pass = 0; pass < 2; ++pass) {
    TriboFactor* factor = cholmod != NULL ? cholmod : tribo_factor_init_dense(arena, ny, n);
    fall_layout(fall, arena, factor, ny, n);
    if (pass == 1) break;
    memory = tribo_allocate(NULL, size.used);
    if (memory == NULL) return false;
    over = tribo_arena_over(memory, size.used);
    arena = &over;
  }
  fill_fall(fall, side);
  fall->warm = false;
  run_fall(fall);
  seconds[0] = tribo_bench_time(options, run_fall, fall);
  const int pivots = fall->info.pivots;
  fall->warm = true;
  seconds[1] = tribo_bench_time(options, run_fall, fall);
  fall->info.pivots = pivots;
  memcpy(y, fall->solution.y, sizeof(double) * (size_t)ny);
  tribo_release(NULL, memory, size.used);
  return fall->status == TRIBO_OK;
}

// Both, with the speedup; *ahead: CHOLMOD's cold solve, analysis included, was the quicker one.
static TriboExit compare_solves(const TriboBenchOptions* options, TriboBenchReport* report,
                                int side, bool* ahead) {
  const int bodies = side * side * side, ny = 6 * bodies, n = 3 * bodies - 2 * side * side;
  double* y = malloc(sizeof(double) * (size_t)(2 * ny));
  TriboFactor* cholmod = tribo_factor_cholmod_create(ny, n);
  Fall fall = {.status = TRIBO_OK};
  double dense[2] = {0, 0}, sparse[2] = {0, 0};
  bool fine = y != NULL && time_fall(options, NULL, side, y, &fall, dense);
  tribo_bench_row(report, "solve of %d contacts", n);
  tribo_bench_figure(report, "dense_us", 1e6 * dense[0]);
  tribo_bench_figure(report, "dense_warm_us", 1e6 * dense[1]);
  tribo_bench_figure(report, "pivots", fall.info.pivots);
  tribo_bench_figure(report, "active", fall.info.active);
  if (fine && cholmod != NULL) {  // built with it
    fine = time_fall(options, cholmod, side, y + ny, &fall, sparse);
    tribo_bench_figure(report, "cholmod_us", 1e6 * sparse[0]);
    tribo_bench_figure(report, "cholmod_warm_us", 1e6 * sparse[1]);
    tribo_bench_figure(report, "cholmod_pivots", fall.info.pivots);
    tribo_bench_figure(report, "speedup", dense[0] / sparse[0]);
    tribo_bench_figure(report, "warm_speedup", dense[1] / sparse[1]);
    tribo_bench_figure(report, "difference", distance(ny, y + ny, y));
    fine = fine && distance(ny, y + ny, y) <= 1e-8;
    *ahead = sparse[0] < dense[0];
  }
  tribo_factor_cholmod_destroy(cholmod);
  free(y);
  return fine ? TRIBO_EXIT_FINE : TRIBO_EXIT_NO;
}

static TriboExit run(const TriboBenchOptions* options, TriboBenchReport* report) {
  // 9 bodies an edge have 1944 contacts, and with the ground 2025.
  const int largest = options->quick ? 3 : 9;
  int crossover = 0;
  for (int side = 2; side <= largest; ++side) {
    const TriboExit exit = compare(options, report, side);
    if (exit != TRIBO_EXIT_FINE) return exit;
  }
  for (int side = 2; side <= largest; ++side) {
    bool ahead = false;
    const TriboExit exit = compare_solves(options, report, side, &ahead);
    if (exit != TRIBO_EXIT_FINE) return exit;
    if (!ahead) crossover = 0;
    if (ahead && crossover == 0) crossover = side * side * (3 * side - 2);
  }
  tribo_bench_row(report, "crossover");
  tribo_bench_figure(report, "measured", crossover);
  tribo_bench_figure(report, "used", TRIBO_FACTOR_CROSSOVER);
  return TRIBO_EXIT_FINE;
}

const TriboBenchmark tribo_benchmark_factor = {
    .name = "factor",
    .summary =
        "the shared factor's dense and CHOLMOD backends over the size of a pile, and whole solves",
    .run = run,
};
