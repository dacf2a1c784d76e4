// SPDX-License-Identifier: Apache-2.0
//
// `tribo solve --capsule`: a saved contact problem on every solver, each alone, judged alike.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/capsule.h"
#include "solvers/dantzig_friction.h"
#include "solvers/energy.h"
#include "solvers/lemke.h"
#include "solvers/pgs.h"
#include "tools/tribo/bench.h"
#include "tools/tribo/output.h"
#include "tools/tribo/solve.h"

// One capsule and the arrays of an answer.
typedef struct Replay {
  const TriboCapsuleContent* content;
  TriboContactSolution solution;
  double* scratch;
  json_t* rows;
  bool ladder_solved;
} Replay;

static void layout(Replay* replay, TriboArena* arena) {
  const TriboContactProblem* p = replay->content->problem;
  replay->solution.y = tribo_arena_doubles(arena, p->ny);
  replay->solution.x = tribo_arena_doubles(arena, p->X.count);
  replay->solution.f = tribo_arena_doubles(arena, p->N.count);
  replay->solution.t = tribo_arena_doubles(arena, p->T.count);
  replay->solution.mode_N =
      tribo_arena_take(arena, (size_t)p->N.count, sizeof *replay->solution.mode_N);
  replay->solution.mode_g = tribo_arena_take(arena, (size_t)p->ng, sizeof *replay->solution.mode_g);
  replay->scratch = tribo_arena_doubles(arena, p->ny);
}

// What a solver says of its run.
typedef struct Outcome {
  TriboStatus status;
  TriboRung rung;
  int pivots, iterations, sweeps;
  bool answered;
} Outcome;

static void add_row(Replay* replay, const char* name, Outcome outcome, double seconds) {
  const TriboContactOptions* options = &replay->content->options;
  TriboCertificate certificate = {.worst = INFINITY};
  if (outcome.answered) {
    certificate =
        tribo_certify(replay->content->problem, options->cone, &replay->solution, replay->scratch);
  }
  const bool certified = certificate.worst <= options->tolerance;
  const TriboStatus status = certified                    ? TRIBO_OK
                             : outcome.status == TRIBO_OK ? TRIBO_ERROR_LIMIT
                                                          : outcome.status;
  json_t* row = json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:f, s:o}", "solver", name, "status",
                          tribo_solve_status_name(status), "rung", tribo_rung_name(outcome.rung),
                          "pivots", outcome.pivots, "iterations", outcome.iterations, "sweeps",
                          outcome.sweeps, "seconds", seconds, "certificate",
                          isfinite(certificate.worst) ? json_real(certificate.worst) : json_null());
  json_array_append_new(replay->rows, row);
}

static void clear(Replay* replay) {
  const TriboContactProblem* p = replay->content->problem;
  for (int i = 0; i < p->X.count; ++i) replay->solution.x[i] = 0;
  for (int i = 0; i < p->N.count; ++i) replay->solution.f[i] = 0;
  for (int i = 0; i < p->T.count; ++i) replay->solution.t[i] = 0;
}

// The ladder as the engine calls it, from the saved warm start or from nothing.
static Outcome run_ladder(Replay* replay, const TriboContactSolution* warm) {
  const TriboContactProblem* p = replay->content->problem;
  Outcome outcome = {TRIBO_ERROR_MEMORY, TRIBO_RUNG_COUNT, 0, 0, 0, false};
  const TriboSolverCapacity capacity = tribo_solver_capacity_of(p);
  TriboArena measure = tribo_arena_measure();
  tribo_contact_solver_init(&measure, capacity);
  void* memory = tribo_allocate(NULL, measure.used);
  if (memory == NULL) return outcome;
  TriboArena arena = tribo_arena_over(memory, measure.used);
  TriboContactSolver* solver = tribo_contact_solver_init(&arena, capacity);
  TriboContactInfo info;
  outcome.status =
      tribo_contact_solve(solver, p, &replay->content->options, warm, &replay->solution, &info);
  tribo_release(NULL, memory, measure.used);
  outcome.rung = info.rung;
  outcome.pivots = info.pivots;
  outcome.iterations = info.iterations;
  outcome.sweeps = info.sweeps;
  outcome.answered = isfinite(info.certificate.worst);
  return outcome;
}

static Outcome run_lemke(Replay* replay, TriboLemkeForm form) {
  const TriboContactProblem* p = replay->content->problem;
  Outcome outcome = {TRIBO_ERROR_MEMORY, TRIBO_RUNG_COLD, 0, 0, 0, false};
  const TriboSolverCapacity capacity = tribo_solver_capacity_of(p);
  TriboScaled scaled;
  TriboArena measure = tribo_arena_measure();
  tribo_scaled_init(&scaled, &measure, capacity);
  tribo_lemke_init(&measure, capacity);
  void* memory = tribo_allocate(NULL, measure.used);
  if (memory == NULL) return outcome;
  TriboArena arena = tribo_arena_over(memory, measure.used);
  tribo_scaled_init(&scaled, &arena, capacity);
  TriboLemke* lemke = tribo_lemke_init(&arena, capacity);
  const TriboLemkeOptions options = {.form = form, .harris = 1e-10};
  TriboLemkeResult result = {0, 0, 0};
  outcome.status = tribo_scaled_load(&scaled, p);
  if (outcome.status == TRIBO_OK) {
    outcome.status = tribo_lemke_solve(lemke, &scaled, &options, &replay->solution, &result);
  }
  tribo_release(NULL, memory, measure.used);
  outcome.pivots = result.pivots;
  outcome.answered = outcome.status == TRIBO_OK;
  return outcome;
}

static Outcome run_pgs(Replay* replay) {
  Outcome outcome = {TRIBO_OK, TRIBO_RUNG_COLD, 0, 0, 0, true};
  TriboPgsOptions options = tribo_pgs_options_default();
  options.cone = replay->content->options.cone;
  options.sweeps = replay->content->options.max_sweeps;
  TriboPgsStats stats;
  clear(replay);
  outcome.status = tribo_pgs_solve(replay->content->problem, &options, &replay->solution, &stats);
  outcome.sweeps = stats.sweeps;
  return outcome;
}

static Outcome run_dantzig(Replay* replay) {
  const TriboContactProblem* p = replay->content->problem;
  Outcome outcome = {TRIBO_ERROR_MEMORY, TRIBO_RUNG_COLD, 0, 0, 0, false};
  const int rows = p->X.count + p->N.count + p->T.count;
  TriboArena measure = tribo_arena_measure();
  tribo_dantzig_init(&measure, rows, p->ng);
  void* memory = tribo_allocate(NULL, measure.used);
  if (memory == NULL) return outcome;
  TriboArena arena = tribo_arena_over(memory, measure.used);
  TriboDantzig* dantzig = tribo_dantzig_init(&arena, rows, p->ng);
  const TriboDantzigOptions options = tribo_dantzig_options_default();
  TriboDantzigResult result;
  outcome.status = tribo_dantzig_solve(dantzig, p, NULL, 0, &options, &replay->solution, &result);
  tribo_release(NULL, memory, measure.used);
  outcome.pivots = result.steps;
  outcome.answered = outcome.status == TRIBO_OK || outcome.status == TRIBO_ERROR_LIMIT;
  return outcome;
}

static Outcome run_energy(Replay* replay) {
  const TriboContactProblem* p = replay->content->problem;
  Outcome outcome = {TRIBO_ERROR_MEMORY, TRIBO_RUNG_COLD, 0, 0, 0, false};
  const int rows = p->X.count + p->N.count + p->T.count;
  TriboArena measure = tribo_arena_measure();
  tribo_energy_init(&measure, rows, p->ng);
  void* memory = tribo_allocate(NULL, measure.used);
  if (memory == NULL) return outcome;
  TriboArena arena = tribo_arena_over(memory, measure.used);
  TriboEnergySolver* energy = tribo_energy_init(&arena, rows, p->ng);
  const TriboEnergyOptions options = tribo_energy_options_default();
  TriboEnergyResult result;
  outcome.status = tribo_energy_solve(energy, p, NULL, 0, &options, &replay->solution, &result);
  tribo_release(NULL, memory, measure.used);
  outcome.iterations = result.iterations;
  outcome.answered = outcome.status == TRIBO_OK || outcome.status == TRIBO_ERROR_LIMIT;
  return outcome;
}

static void replay_all(Replay* replay) {
  const TriboContactSolution* warm = replay->content->warm;
  double start = tribo_bench_clock();
  Outcome outcome = run_ladder(replay, warm);
  add_row(replay, warm != NULL ? "ladder, warm" : "ladder", outcome, tribo_bench_clock() - start);
  replay->ladder_solved = outcome.status == TRIBO_OK;
  if (warm != NULL) {
    start = tribo_bench_clock();
    outcome = run_ladder(replay, NULL);
    add_row(replay, "ladder, cold", outcome, tribo_bench_clock() - start);
  }
  // Alone, Lemke knows the polygon only; the certificate is of the capsule's cone.
  static const char* const forms[] = {"lemke reduced", "lemke structural"};
  for (int form = 0; form < 2; ++form) {
    start = tribo_bench_clock();
    outcome = run_lemke(replay, (TriboLemkeForm)form);
    add_row(replay, forms[form], outcome, tribo_bench_clock() - start);
  }
  static const struct {
    const char* name;
    Outcome (*run)(Replay* replay);
  } others[] = {{"dantzig", run_dantzig}, {"energy", run_energy}, {"pgs", run_pgs}};
  for (size_t k = 0; k < sizeof others / sizeof others[0]; ++k) {
    start = tribo_bench_clock();
    outcome = others[k].run(replay);
    add_row(replay, others[k].name, outcome, tribo_bench_clock() - start);
  }
}

static void print(const TriboSolveArguments* arguments, const Replay* replay) {
  if (!arguments->json) {
    tribo_table_print(stdout, replay->rows);
    return;
  }
  const TriboContactProblem* p = replay->content->problem;
  json_t* object = tribo_json_begin("solve");
  json_object_set_new(object, "capsule", json_string(arguments->capsule));
  json_object_set_new(object, "library", json_string(replay->content->library));
  json_object_set_new(object, "coordinates", json_integer(p->ny));
  json_object_set_new(object, "equalities", json_integer(p->X.count));
  json_object_set_new(object, "normals", json_integer(p->N.count));
  json_object_set_new(object, "groups", json_integer(p->ng));
  json_object_set(object, "solvers", replay->rows);
  tribo_json_print(stdout, object);
}

TriboExit tribo_solve_capsule(const TriboSolveArguments* arguments) {
  TriboCapsule* capsule = NULL;
  TriboMessage message;
  if (tribo_capsule_load(arguments->capsule, NULL, &capsule, &message) != TRIBO_OK) {
    tribo_solve_complain(arguments->capsule, &message);
    return TRIBO_EXIT_USAGE;
  }
  Replay replay = {.content = tribo_capsule_content(capsule), .rows = json_array()};
  TriboArena measure = tribo_arena_measure();
  layout(&replay, &measure);
  void* memory = tribo_allocate(NULL, measure.used);
  TriboExit result = TRIBO_EXIT_USAGE;
  if (memory != NULL) {
    TriboArena arena = tribo_arena_over(memory, measure.used);
    layout(&replay, &arena);
    replay_all(&replay);
    print(arguments, &replay);
    result = replay.ladder_solved ? TRIBO_EXIT_FINE : TRIBO_EXIT_NO;
  }
  json_decref(replay.rows);
  tribo_release(NULL, memory, measure.used);
  tribo_capsule_destroy(capsule);
  return result;
}
