// SPDX-License-Identifier: Apache-2.0
//
// bench lloyd: the three experiments of [Lloyd2005] section VII, d = 8, mu from 0.2 to 0.3, random
// wrenches: a peg in a hole with 8 to 256 contacts, ten single bodies, and stacks of 1 to 10
// blocks; by Lemke's algorithm on the explicit matrix (standard, up to 32 contacts, three
// wrenches), with the structure of the basis used (structural), and with friction only at contacts
// that push (reduced). Answers are judged by the certificate. Last, warm starts of
// tribo_contact_solve under slowly changing loads.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/random.h"
#include "engine/base/trig.h"
#include "solvers/certificate.h"
#include "solvers/lemke.h"
#include "solvers/lemke_standard.h"
#include "solvers/solve.h"
#include "tools/tribo/bench.h"
#include "tools/tribo/contact_lcp.h"

enum { FACETS = 8, LOADS = 20, MAX_BODIES = 10, MAX_CONTACTS = 256, STANDARD = 32 };
static const double kPi = 3.14159265358979323846;

// Bodies of mass 1 and inertia 1/6 with contacts; rows in mass coordinates.
typedef struct Scene {
  int bodies, contacts;
  double centre[MAX_BODIES][3];
  int start_N[MAX_CONTACTS + 1], start_T[2 * MAX_CONTACTS + 1];
  int index_N[12 * MAX_CONTACTS], index_T[24 * MAX_CONTACTS];
  double value_N[12 * MAX_CONTACTS], value_T[24 * MAX_CONTACTS];
  double k[6 * MAX_BODIES], b_N[MAX_CONTACTS], b_T[2 * MAX_CONTACTS];
  uint64_t id[MAX_CONTACTS];
  TriboFrictionGroup group[MAX_CONTACTS];
  TriboRandom random;
} Scene;

static void cross(const double a[3], const double b[3], double out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static void begin_scene(Scene* scene, uint64_t seed) {
  memset(scene, 0, sizeof *scene);
  scene->random = tribo_random(seed);
}

static int add_body(Scene* scene, double x, double y, double z) {
  double* centre = scene->centre[scene->bodies];
  centre[0] = x, centre[1] = y, centre[2] = z;
  return scene->bodies++;
}

// Velocity of b less that of a along `axis` at `point`; body -1 is the ground. Returns the entries.
static int fill_row(const Scene* scene, int a, int b, const double point[3], const double axis[3],
                    int* index, double* value) {
  int count = 0;
  for (int side = 0; side < 2; ++side) {
    const int body = side == 0 ? a : b;
    if (body < 0) continue;
    double arm[3], moment[3];
    for (int i = 0; i < 3; ++i) arm[i] = point[i] - scene->centre[body][i];
    cross(arm, axis, moment);
    for (int i = 0; i < 6; ++i) {
      index[count] = 6 * body + i;
      value[count++] = (side == 0 ? -1 : 1) * (i < 3 ? axis[i] : sqrt(6) * moment[i - 3]);
    }
  }
  return count;
}

static void add_contact(Scene* scene, int a, int b, const double point[3], double nx, double ny,
                        double nz) {
  const int i = scene->contacts++;
  const double length = sqrt(nx * nx + ny * ny + nz * nz);
  const double n[3] = {nx / length, ny / length, nz / length};
  const double pick[3] = {fabs(n[0]) < 0.6 ? 1 : 0, fabs(n[0]) < 0.6 ? 0 : 1, 0};
  double t[2][3];
  cross(n, pick, t[0]);
  const double size = sqrt(t[0][0] * t[0][0] + t[0][1] * t[0][1] + t[0][2] * t[0][2]);
  for (int e = 0; e < 3; ++e) t[0][e] /= size;
  cross(n, t[0], t[1]);
  int at = scene->start_N[i];
  scene->start_N[i + 1] =
      at + fill_row(scene, a, b, point, n, scene->index_N + at, scene->value_N + at);
  for (int r = 0; r < 2; ++r) {
    at = scene->start_T[2 * i + r];
    scene->start_T[2 * i + r + 1] =
        at + fill_row(scene, a, b, point, t[r], scene->index_T + at, scene->value_T + at);
  }
  scene->id[i] = (uint64_t)i + 1;
  const double mu = tribo_random_in(&scene->random, 0.2, 0.3);
  scene->group[i] = (TriboFrictionGroup){i, 2 * i, 2, FACETS, mu, 0};
}

// Gravity, and a random wrench on the last body.
static void load(Scene* scene) {
  for (int b = 0; b < scene->bodies; ++b) {
    for (int i = 0; i < 6; ++i) scene->k[6 * b + i] = i == 2 ? -0.0981 : 0;
  }
  for (int i = 0; i < 6; ++i) {
    scene->k[6 * (scene->bodies - 1) + i] += tribo_random_in(&scene->random, -1, 1);
  }
}

static TriboContactProblem problem_of(Scene* scene) {
  static int none[1] = {0};
  TriboContactProblem p = {0};
  p.ny = 6 * scene->bodies;
  p.k = scene->k;
  p.X.start = none;
  p.N = (TriboRows){scene->contacts, scene->start_N, scene->index_N, scene->value_N};
  p.T = (TriboRows){2 * scene->contacts, scene->start_T, scene->index_T, scene->value_T};
  p.b_N = scene->b_N;
  p.b_T = scene->b_T;
  p.id_N = scene->id;
  p.ng = scene->contacts;
  p.group = scene->group;
  return p;
}

// ---- Scenes ----

static void make_peg(Scene* scene, int n) {
  begin_scene(scene, 1);
  const int peg = add_body(scene, 0, 0, 0);
  for (int i = 0; i < n; ++i) {
    double s, c;
    tribo_sincos(2 * kPi * (i % (n / 2)) / (n / 2), &s, &c);
    const double point[3] = {0.25 * c, 0.25 * s, i < n / 2 ? 0.5 : -0.5};
    add_contact(scene, -1, peg, point, -c, -s, 0);
  }
}

// n points around the bottom face.
static void add_bottom(Scene* scene, int body, int n) {
  for (int i = 0; i < n; ++i) {
    double s, c;
    tribo_sincos(2 * kPi * (i + 0.5) / n, &s, &c);
    const double point[3] = {0.5 * c, 0.5 * s, -0.5};
    add_contact(scene, -1, body, point, 0, 0, 1);
  }
}

// Four corners of the face whose inward normal is along `axis`.
static void add_side(Scene* scene, int body, int axis, double sign) {
  for (int i = 0; i < 4; ++i) {
    double point[3], n[3] = {0, 0, 0};
    point[axis] = -0.5 * sign;
    point[(axis + 1) % 3] = i & 1 ? 0.5 : -0.5;
    point[(axis + 2) % 3] = i & 2 ? 0.5 : -0.5;
    n[axis] = sign;
    add_contact(scene, -1, body, point, n[0], n[1], n[2]);
  }
}

static const char* const kSingle[] = {"point on surface", "edge on surface", "triangle on surface",
                                      "face on surface",  "face on face",    "block in groove",
                                      "ball in rim",      "block in corner", "wedge in slot",
                                      "block in channel"};

static void make_single(Scene* scene, int which) {
  begin_scene(scene, 2);
  const int body = add_body(scene, 0, 0, 0);
  static const int bottoms[] = {1, 2, 3, 4, 6};
  if (which < 5) {
    add_bottom(scene, body, bottoms[which]);
  } else if (which == 5 || which == 8) {  // two inclined faces; the wedge's are steep
    const double lean = which == 5 ? 1 : 0.3;
    for (int i = 0; i < 8; ++i) {
      const double side = i & 1 ? 1 : -1, depth = i & 2 ? 0.2 : 0.6;
      const double point[3] = {side * depth, i & 4 ? 0.5 : -0.5, depth / lean - 0.7};
      add_contact(scene, -1, body, point, -side, 0, lean);
    }
  } else if (which == 6) {
    for (int i = 0; i < 10; ++i) {
      double s, c;
      tribo_sincos(2 * kPi * i / 10, &s, &c);
      const double point[3] = {0.3 * c, 0.3 * s, -0.4};
      add_contact(scene, -1, body, point, -0.6 * c, -0.6 * s, 0.8);
    }
  } else {  // three faces that meet in a corner; or a floor and two walls, with a stop
    add_side(scene, body, 2, 1);
    add_side(scene, body, 0, 1);
    add_side(scene, body, which == 7 ? 1 : 0, which == 7 ? 1 : -1);
    if (which == 9) add_side(scene, body, 1, 1);
  }
}

static void make_stack(Scene* scene, int blocks) {
  begin_scene(scene, 3);
  double x = 0, y = 0;
  for (int b = 0; b < blocks; ++b) {
    const double dx = b == 0 ? 0 : tribo_random_in(&scene->random, -0.1, 0.1);
    const double dy = b == 0 ? 0 : tribo_random_in(&scene->random, -0.1, 0.1);
    const int body = add_body(scene, x + dx, y + dy, 0.5 + b);
    const double hx = 0.5 - fabs(dx) / 2, hy = 0.5 - fabs(dy) / 2;
    for (int i = 0; i < 4; ++i) {
      const double point[3] = {x + dx / 2 + (i & 1 ? hx : -hx), y + dy / 2 + (i & 2 ? hy : -hy), b};
      add_contact(scene, body - 1, body, point, 0, 0, 1);
    }
    x += dx, y += dy;
  }
}

// ---- The three forms ----

typedef struct Bed {
  Scene scene;
  TriboContactProblem problem;
  TriboContactSolution solution;
  double* scratch;
  TriboScaled scaled;
  TriboLemke* lemke;
  TriboLemkeForm form;
  TriboLemkeStandard* standard;
  TriboLcp lcp;
  double *M, *q, *z;
  int pivots;
  TriboStatus status;
} Bed;

static void layout(Bed* bed, TriboArena* arena) {
  const TriboSolverCapacity capacity = tribo_solver_capacity_of(&bed->problem);
  const int n = bed->problem.N.count, order = n * (2 + FACETS);
  tribo_scaled_init(&bed->scaled, arena, capacity);
  bed->lemke = tribo_lemke_init(arena, capacity);
  bed->solution.y = tribo_arena_doubles(arena, capacity.ny);
  bed->solution.x = tribo_arena_doubles(arena, 1);
  bed->solution.f = tribo_arena_doubles(arena, n);
  bed->solution.t = tribo_arena_doubles(arena, 2 * n);
  bed->solution.mode_N = tribo_arena_take(arena, (size_t)n, sizeof(TriboMode));
  bed->solution.mode_g = tribo_arena_take(arena, (size_t)n, sizeof(TriboMode));
  bed->scratch = tribo_arena_doubles(arena, capacity.ny);
  if (n > STANDARD) return;
  bed->standard = tribo_lemke_standard_init(arena, order);
  bed->M = tribo_arena_doubles(arena, order * order);
  bed->q = tribo_arena_doubles(arena, order);
  bed->z = tribo_arena_doubles(arena, order);
}

static void solve_structured(void* data) {
  Bed* bed = data;
  const TriboLemkeOptions options = {.form = bed->form, .harris = 1e-10};
  TriboLemkeResult result;
  bed->status = tribo_scaled_load(&bed->scaled, &bed->problem);
  if (bed->status != TRIBO_OK) return;
  bed->status = tribo_lemke_solve(bed->lemke, &bed->scaled, &options, &bed->solution, &result);
  bed->pivots = result.pivots;
}

// The explicit matrix and its solution: forming it is part of the work.
static void solve_standard(void* data) {
  Bed* bed = data;
  tribo_contact_lcp_fill(&bed->problem, bed->scratch, bed->M, bed->q);
  bed->lcp = (TriboLcp){tribo_contact_lcp_order(&bed->problem), bed->M, bed->q};
  const TriboLemkeStandardOptions options = tribo_lemke_standard_options_default();
  TriboLemkeStandardStats stats;
  bed->status = tribo_lemke_standard_solve(bed->standard, &bed->lcp, &options, bed->z, &stats);
  bed->pivots = stats.pivots;
}

// Impulses of the explicit solution.
static void take_standard(Bed* bed) {
  const int n = bed->problem.N.count;
  for (int i = 0; i < n; ++i) {
    bed->solution.f[i] = bed->z[i];
    for (int r = 0; r < 2; ++r) bed->solution.t[2 * i + r] = 0;
    for (int k = 0; k < FACETS; ++k) {
      double d[2];
      tribo_facet_direction(FACETS, k, d);
      for (int r = 0; r < 2; ++r) {
        bed->solution.t[2 * i + r] += d[r] * bed->z[n + FACETS * i + k];
      }
    }
  }
  tribo_problem_velocity(&bed->problem, &bed->solution);
}

typedef struct Result {
  double seconds[3], pivots[3];  // standard, structural, reduced
  int unsolved[3];
} Result;

static bool measure(const TriboBenchOptions* options, Bed* bed, Result* result) {
  bed->problem = problem_of(&bed->scene);
  TriboArena size = tribo_arena_measure();
  layout(bed, &size);
  void* memory = tribo_allocate(NULL, size.used);
  if (memory == NULL) return false;
  TriboArena arena = tribo_arena_over(memory, size.used);
  layout(bed, &arena);
  const int loads = options->quick ? 3 : LOADS;
  memset(result, 0, sizeof *result);
  for (int l = 0; l < loads; ++l) {
    load(&bed->scene);
    for (int form = bed->standard != NULL && bed->problem.N.count <= STANDARD ? 0 : 1; form < 3;
         ++form) {
      const int share = form == 0 && loads > 3 ? 3 : loads;
      if (l >= share) continue;
      bed->form = form == 1 ? TRIBO_LEMKE_STRUCTURAL : TRIBO_LEMKE_REDUCED;
      result->seconds[form] +=
          tribo_bench_time(options, form == 0 ? solve_standard : solve_structured, bed) / share;
      result->pivots[form] += (double)bed->pivots / share;
      if (bed->status == TRIBO_OK && form == 0) take_standard(bed);
      const double worst =
          bed->status != TRIBO_OK
              ? INFINITY
              : tribo_certify(&bed->problem, TRIBO_CONE_POLYGON, &bed->solution, bed->scratch)
                    .worst;
      result->unsolved[form] += !(worst <= 1e-9);
    }
  }
  tribo_release(NULL, memory, size.used);
  return true;
}

static void report_row(TriboBenchReport* report, const Bed* bed, const Result* r) {
  static const char* const times[] = {"standard_us", "structural_us", "reduced_us"};
  static const char* const pivots[] = {"standard_pivots", "structural_pivots", "reduced_pivots"};
  static const char* const unsolved[] = {"standard_unsolved", "structural_unsolved",
                                         "reduced_unsolved"};
  tribo_bench_figure(report, "contacts", bed->problem.N.count);
  for (int form = bed->problem.N.count <= STANDARD ? 0 : 1; form < 3; ++form) {
    tribo_bench_figure(report, times[form], 1e6 * r->seconds[form]);
    tribo_bench_figure(report, pivots[form], r->pivots[form]);
    tribo_bench_figure(report, unsolved[form], r->unsolved[form]);
  }
  if (bed->problem.N.count <= STANDARD) {
    tribo_bench_figure(report, "standard_over_reduced", r->seconds[0] / r->seconds[2]);
  }
}

// ---- Warm starts ----

static bool measure_warm(const TriboBenchOptions* options, Bed* bed, TriboBenchReport* report) {
  bed->problem = problem_of(&bed->scene);
  const TriboSolverCapacity capacity = tribo_solver_capacity_of(&bed->problem);
  TriboArena size = tribo_arena_measure();
  layout(bed, &size);
  (void)tribo_contact_solver_init(&size, capacity);
  void* memory = tribo_allocate(NULL, size.used);
  if (memory == NULL) return false;
  TriboArena arena = tribo_arena_over(memory, size.used);
  layout(bed, &arena);
  TriboContactSolver* solver = tribo_contact_solver_init(&arena, capacity);
  const TriboContactOptions contact = tribo_contact_options_default();
  TriboContactInfo info;
  int solves = 0, without = 0, failed = 0;
  double iterations = 0, seconds = 0;
  for (int l = 0; l < (options->quick ? 2 : LOADS); ++l) {
    load(&bed->scene);
    failed += tribo_contact_solve(solver, &bed->problem, &contact, NULL, &bed->solution, &info) !=
              TRIBO_OK;
    for (int step = 0; step < 20; ++step, ++solves) {
      for (int i = 0; i < bed->problem.ny; ++i) {
        bed->scene.k[i] += 1e-4 * tribo_random_in(&bed->scene.random, -1, 1);
      }
      const double start = tribo_bench_clock();
      failed += tribo_contact_solve(solver, &bed->problem, &contact, &bed->solution, &bed->solution,
                                    &info) != TRIBO_OK;
      seconds += tribo_bench_clock() - start;
      without += info.pivots == 0;
      iterations += info.iterations;
    }
  }
  tribo_bench_figure(report, "solves", solves);
  tribo_bench_figure(report, "no_pivot_percent", 100.0 * without / solves);
  tribo_bench_figure(report, "iterations", iterations / solves);
  tribo_bench_figure(report, "warm_us", 1e6 * seconds / solves);
  tribo_bench_figure(report, "failed", failed);
  tribo_release(NULL, memory, size.used);
  return failed == 0;
}

static TriboExit run_all(const TriboBenchOptions* options, TriboBenchReport* report, Bed* bed) {
  double first = 0;
  Result result;
  for (int n = 8; n <= (options->quick ? 16 : 256); n *= 2) {
    make_peg(&bed->scene, n);
    if (!measure(options, bed, &result)) return TRIBO_EXIT_NO;
    if (n == 8) first = result.seconds[2];
    tribo_bench_row(report, "peg n=%d", n);
    report_row(report, bed, &result);
    tribo_bench_figure(report, "reduced_growth",
                       n == 8 ? 0 : log(result.seconds[2] / first) / log(n / 8.0));
  }
  for (int i = 0; i < (int)(sizeof kSingle / sizeof kSingle[0]); ++i) {
    make_single(&bed->scene, i);
    if (!measure(options, bed, &result)) return TRIBO_EXIT_NO;
    tribo_bench_row(report, "%s", kSingle[i]);
    report_row(report, bed, &result);
  }
  for (int m = 1; m <= (options->quick ? 2 : MAX_BODIES); ++m) {
    make_stack(&bed->scene, m);
    if (!measure(options, bed, &result)) return TRIBO_EXIT_NO;
    tribo_bench_row(report, "stack m=%d", m);
    report_row(report, bed, &result);
  }
  make_peg(&bed->scene, 32);
  tribo_bench_row(report, "warm peg n=32");
  if (!measure_warm(options, bed, report)) return TRIBO_EXIT_NO;
  make_stack(&bed->scene, 3);
  tribo_bench_row(report, "warm stack m=3");
  return measure_warm(options, bed, report) ? TRIBO_EXIT_FINE : TRIBO_EXIT_NO;
}

static TriboExit run(const TriboBenchOptions* options, TriboBenchReport* report) {
  Bed* bed = calloc(1, sizeof *bed);
  if (bed == NULL) return TRIBO_EXIT_NO;
  const TriboExit code = run_all(options, report, bed);
  free(bed);
  return code;
}

const TriboBenchmark tribo_benchmark_lloyd = {
    .name = "lloyd",
    .summary = "Lemke's algorithm standard, structural and reduced on Lloyd's three experiments",
    .run = run,
};
