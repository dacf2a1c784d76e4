// SPDX-License-Identifier: Apache-2.0
//
// Whole steps on the scenes that ship.
//
//   bench step       stacks, piles, grasps and the quadruped: what a step costs, warm and cold, and
//                    how exact it is
//   bench grasp      the tables of [Drumwright]: Coulomb friction by Lemke's algorithm against the
//   bench quadruped  no-slip model by the Principal Pivoting Method (PPM), and the viscous model by
//                    both, all cold; the paper's figures stand beside ours. The paper's Lemke is
//                    the standard one on the explicit matrix, which is run beside Tribo's for the
//                    grasp
//
// Times are of control law and step; instructions are of one step at the end of the run. `bench
// step` has the stages of a step (engine/stages.h) too, each as its share of the time of all steps,
// and what steps from cold starts cost where the run has ended.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/stages.h"
#include "engine/workspace.h"
#include "solvers/lemke_standard.h"
#include "tools/tribo/bench.h"
#include "tools/tribo/contact_lcp.h"
#include "tools/tribo/output.h"
#include "tools/tribo/run.h"

enum { MAX_SETTINGS = 8 };

typedef struct Case {
  const char* label;
  const char* model;
  const char* controller;
  double duration;  // s
  const char* setting[MAX_SETTINGS];
} Case;

typedef struct Measured {
  long steps;
  double seconds, instructions;
  double stage[TRIBO_STAGE_COUNT];                    // share of the steps' time
  double cold_seconds, cold_pivots, cold_iterations;  // per step
  double contacts, pivots, iterations;                // per step
  int most_pivots, most_contacts;
  double certificate, deepest, slip;  // worst of all steps
  long fallbacks;
} Measured;

static TriboStatus step(TriboRun* run) {
  const TriboInput input = {run->control, NULL, NULL};
  TriboStatus status = TRIBO_OK;
  if (run->controller != NULL) {
    status =
        run->controller->update(run->self, run->state, run->workspace, run->scratch, run->control);
  }
  if (status != TRIBO_OK) return status;
  return tribo_step(run->model, &run->options, &input, run->state, run->workspace);
}

// The same step again and again, from a state that is put back.
typedef struct Again {
  TriboRun* run;
  TriboState* state;
} Again;

static void step_again(void* data) {
  Again* again = data;
  const TriboInput input = {again->run->control, NULL, NULL};
  TriboRun* run = again->run;
  if (tribo_step(run->model, &run->options, &input, again->state, run->workspace) != TRIBO_OK) {
    memset(run->control, 0, sizeof *run->control);  // nothing to report: the run has counted it
  }
}

static double count_instructions(TriboRun* run, long most) {
  Again again = {run, NULL};
  if (tribo_state_create(run->model, NULL, &again.state) != TRIBO_OK) return NAN;
  double count = NAN;
  if (tribo_state_copy(run->state, again.state) == TRIBO_OK) {
    count = tribo_bench_instructions(step_again, &again, most);
  }
  tribo_state_destroy(again.state);
  return count;
}

static void take_note(const TriboRun* run, Measured* m) {
  const TriboStepInfo info = tribo_step_info(run->workspace);
  m->contacts += info.touching;
  m->pivots += info.pivots;
  m->iterations += info.iterations;
  if (info.pivots > m->most_pivots) m->most_pivots = info.pivots;
  if (info.contacts > m->most_contacts) m->most_contacts = info.contacts;
  m->certificate = fmax(m->certificate, info.certificate.worst);
  // The scenes begin with bodies that overlap a little.
  if (m->steps > 0) m->deepest = fmax(m->deepest, -info.deepest);
  m->fallbacks += info.rung > TRIBO_RUNG_COLD;
  TriboContactResult contact;
  for (int i = 0; tribo_contact_get(run->workspace, i, &contact); ++i) {
    if (contact.mode != TRIBO_MODE_STICK) continue;
    m->slip = fmax(m->slip, hypot(contact.slip[0], contact.slip[1]));
  }
}

static void take_shares(const TriboStageTimes* times, Measured* m) {
  double all = 0;
  for (int i = 0; i < TRIBO_STAGE_COUNT; ++i) all += times->seconds[i];
  for (int i = 0; i < TRIBO_STAGE_COUNT; ++i) m->stage[i] = times->seconds[i] / all;
}

// The run goes on for a fortieth of its length, from cold starts.
static TriboStatus go_on_cold(TriboRun* run, Measured* m) {
  const long steps = (m->steps + 39) / 40;
  run->options.cold = true;
  TriboStatus status = TRIBO_OK;
  const double begin = tribo_bench_clock();
  for (long k = 0; k < steps && status == TRIBO_OK; ++k) {
    status = step(run);
    const TriboStepInfo info = tribo_step_info(run->workspace);
    m->cold_pivots += (double)info.pivots / (double)steps;
    m->cold_iterations += (double)info.iterations / (double)steps;
  }
  m->cold_seconds = (tribo_bench_clock() - begin) / (double)steps;
  return status;
}

static TriboRunSpec spec_of(const Case* c) {
  TriboRunSpec spec = tribo_run_spec_default();
  spec.model = c->model;
  spec.controller = c->controller;
  while (spec.setting_count < MAX_SETTINGS && c->setting[spec.setting_count] != NULL) {
    spec.setting[spec.setting_count] = c->setting[spec.setting_count];
    ++spec.setting_count;
  }
  return spec;
}

// Runs a case with a look at every step, its stages and what comes after, then against the clock:
// once, or where that is quick three times, of which the quickest counts. Up to `most` instructions
// are worth stepping through where the kernel has no counter; negative: none are counted.
static TriboStatus measure(const Case* c, bool cold, long most, double share, Measured* m,
                           TriboMessage* message) {
  const TriboRunSpec spec = spec_of(c);
  *m = (Measured){0};
  TriboStatus status = TRIBO_OK;
  for (int timed = 0; timed < 4 && status == TRIBO_OK && !(m->seconds > 1); ++timed) {
    TriboRun run;
    status = tribo_run_create(&spec, &run, message);
    if (status != TRIBO_OK) return status;
    run.options.cold = run.options.cold || cold;
    TriboStageTimes times = {.clock = tribo_bench_clock};
    if (timed == 0) run.workspace->stages = &times;
    const long steps = (long)ceil(share * c->duration / run.options.h);
    const double begin = tribo_bench_clock();
    for (long k = 0; k < steps && status == TRIBO_OK; ++k) {
      status = step(&run);
      if (status != TRIBO_OK) {
        snprintf(message->text, sizeof message->text, "%s: step %ld: %s", c->label, k,
                 tribo_status_text(status));
      }
      if (timed == 0 && status == TRIBO_OK) take_note(&run, m), ++m->steps;
    }
    const double seconds = tribo_bench_clock() - begin;
    if (timed == 1 || (timed > 1 && seconds < m->seconds)) m->seconds = seconds;
    run.workspace->stages = NULL;
    if (timed == 0) take_shares(&times, m);
    if (timed == 0 && most >= 0 && status == TRIBO_OK)
      m->instructions = count_instructions(&run, most);
    if (timed == 0 && !cold && status == TRIBO_OK) status = go_on_cold(&run, m);
    tribo_run_destroy(&run);
  }
  const double steps = m->steps > 0 ? (double)m->steps : 1;
  m->contacts /= steps, m->pivots /= steps, m->iterations /= steps;
  return status;
}

static TriboExit complain(const TriboMessage* message) {
  tribo_complain("bench", "%s", message->text);
  return TRIBO_EXIT_NO;
}

// ---- bench step

static const Case scenes[] = {
    {"stack of 5", "stack:n=5", "none", 5, {NULL}},
    {"stack of 10", "stack:n=10", "none", 5, {NULL}},
    {"stack of 20", "stack:n=20", "none", 5, {NULL}},
    {"stack of 50", "stack:n=50", "none", 5, {NULL}},
    {"grasp of 2", "grasp:n=2", "none", 10, {NULL}},
    {"grasp of 8", "grasp:n=8", "none", 10, {NULL}},
    {"grasp of 8, no-slip", "grasp:n=8", "none", 10, {"model=noslip", NULL}},
    {"quadruped stands", "quadruped", "quadruped", 10, {"start=1000", NULL}},
    {"quadruped trots", "quadruped", "quadruped", 10, {NULL}},
    {"quadruped on terrain", "quadruped:terrain=1", "quadruped", 10, {NULL}},
    {"pile of 216, 1 s", "pile:n=216", "none", 1, {NULL}},
    {"pile of 512, 0.3 s", "pile:n=512", "none", 0.3, {NULL}},
};

static const char* const shares[TRIBO_STAGE_COUNT] = {
    [TRIBO_STAGE_TREE] = "share_tree",
    [TRIBO_STAGE_COLLISION] = "share_collision",
    [TRIBO_STAGE_ASSEMBLY] = "share_assembly",
    [TRIBO_STAGE_SOLVE] = "share_solve",
    [TRIBO_STAGE_PROJECTION] = "share_projection",
    [TRIBO_STAGE_REST] = "share_rest",
};

static TriboExit run_step(const TriboBenchOptions* options, TriboBenchReport* report) {
  const int count = (int)(sizeof scenes / sizeof *scenes);
  for (int i = 0; i < count; ++i) {
    const bool pile = strncmp(scenes[i].model, "pile", 4) == 0;
    if (pile && options->quick) continue;
    const double share = options->quick ? 0.02 : 1;
    Measured warm;
    TriboMessage message = {0};
    const long most = options->quick ? -1 : pile ? 0 : 10000000;
    if (measure(&scenes[i], false, most, share, &warm, &message) != TRIBO_OK) {
      return complain(&message);
    }
    tribo_bench_row(report, "%s", scenes[i].label);
    tribo_bench_figure(report, "steps_per_s", (double)warm.steps / warm.seconds);
    tribo_bench_figure(report, "step_us", 1e6 * warm.seconds / (double)warm.steps);
    if (!options->quick) tribo_bench_figure(report, "instructions", warm.instructions);
    tribo_bench_figure(report, "contacts", warm.contacts);
    tribo_bench_figure(report, "pivots_warm", warm.pivots);
    tribo_bench_figure(report, "pivots_cold", warm.cold_pivots);
    tribo_bench_figure(report, "iterations_warm", warm.iterations);
    tribo_bench_figure(report, "iterations_cold", warm.cold_iterations);
    tribo_bench_figure(report, "cold_us", 1e6 * warm.cold_seconds);
    tribo_bench_figure(report, "certificate", warm.certificate);
    tribo_bench_figure(report, "penetration_m", warm.deepest);
    tribo_bench_figure(report, "slip_m_per_s", warm.slip);
    tribo_bench_figure(report, "fallbacks", (double)warm.fallbacks);
    for (int stage = 0; stage < TRIBO_STAGE_COUNT; ++stage) {
      tribo_bench_figure(report, shares[stage], warm.stage[stage]);
    }
  }
  return TRIBO_EXIT_FINE;
}

const TriboBenchmark tribo_benchmark_step = {
    "step", "whole steps on the scenes that ship: cost, exactness, pivots warm and cold", run_step};

// ---- bench grasp, bench quadruped

// A row of a table of [Drumwright] as it is run here.
typedef struct Row {
  Case c;
  int against;      // the row that it is compared with
  int per_contact;  // variables of the LCP for each contact, as the paper counts them; 0: no LCP
  bool standard;    // by Lemke's algorithm on the explicit matrix, as in the paper
  // What the paper has; 0: nothing.
  double paper_seconds, paper_faster, paper_mean_pivots, paper_most_pivots;
} Row;

// One island's problem as the explicit matrix of the papers, which knows nothing of contacts, by
// the standard algorithm; making the matrix is part of the work.
static TriboStatus solve_explicitly(const TriboContactProblem* problem, Measured* m) {
  if (problem->X.count > 0) return TRIBO_ERROR_UNSUPPORTED;
  const int order = tribo_contact_lcp_order(problem);
  TriboArena arena = tribo_arena_measure();
  void* memory = NULL;
  size_t size = 0;
  for (;;) {
    TriboLemkeStandard* lemke = tribo_lemke_standard_init(&arena, order);
    double* M = tribo_arena_doubles(&arena, order * order);
    double* q = tribo_arena_doubles(&arena, order);
    double* z = tribo_arena_doubles(&arena, order);
    double* row = tribo_arena_doubles(&arena, problem->ny);
    if (memory == NULL) {
      size = arena.used;
      memory = tribo_allocate(NULL, size);
      if (memory == NULL) return TRIBO_ERROR_MEMORY;
      arena = tribo_arena_over(memory, size);
      continue;
    }
    const TriboLemkeStandardOptions options = tribo_lemke_standard_options_default();
    TriboLemkeStandardStats stats;
    const double begin = tribo_bench_clock();
    tribo_contact_lcp_fill(problem, row, M, q);
    const TriboLcp lcp = {order, M, q};
    const TriboStatus status = tribo_lemke_standard_solve(lemke, &lcp, &options, z, &stats);
    m->seconds += tribo_bench_clock() - begin;
    m->pivots += stats.pivots;
    if (stats.pivots > m->most_pivots) m->most_pivots = stats.pivots;
    m->certificate = fmax(m->certificate, stats.certificate.worst);
    tribo_release(NULL, memory, size);
    return status;
  }
}

// The paper's own way: every stage of every step but the solve as it is, and standard Lemke in
// place of that.
static TriboStatus measure_explicit(const Case* c, double share, Measured* m,
                                    TriboMessage* message) {
  const TriboRunSpec spec = spec_of(c);
  TriboRun run;
  *m = (Measured){0};
  TriboStatus status = tribo_run_create(&spec, &run, message);
  if (status != TRIBO_OK) return status;
  TriboStageTimes times = {.clock = tribo_bench_clock};
  run.workspace->stages = &times;
  run.options.cold = true;
  const long steps = (long)ceil(share * c->duration / run.options.h);
  for (; m->steps < steps && status == TRIBO_OK; ++m->steps) {
    status = step(&run);
    if (status != TRIBO_OK) break;
    const TriboStepInfo info = tribo_step_info(run.workspace);
    m->contacts += (double)info.touching / (double)steps;
    if (info.contacts > m->most_contacts) m->most_contacts = info.contacts;
    const TriboProblemSet* set = &run.workspace->problems;
    for (int i = 0; i < set->islands.count && status == TRIBO_OK; ++i) {
      status = solve_explicitly(&set->island[i].problem, m);
    }
  }
  if (status != TRIBO_OK) {
    snprintf(message->text, sizeof message->text, "%s: step %ld: %s", c->label, m->steps,
             tribo_status_text(status));
  }
  for (int i = 0; i < TRIBO_STAGE_COUNT; ++i) {
    if (i != TRIBO_STAGE_SOLVE) m->seconds += times.seconds[i];
  }
  m->pivots /= (double)steps;
  tribo_run_destroy(&run);
  return status;
}

static TriboExit compare(const Row* rows, int count, const TriboBenchOptions* options,
                         TriboBenchReport* report) {
  double seconds[16];
  for (int i = 0; i < count; ++i) {
    Measured m;
    TriboMessage message = {0};
    const Row* row = &rows[i];
    const double share = options->quick ? 0.05 : 1;
    const TriboStatus status = row->standard ? measure_explicit(&row->c, share, &m, &message)
                                             : measure(&row->c, true, -1, share, &m, &message);
    if (status != TRIBO_OK) return complain(&message);
    seconds[i] = m.seconds;
    tribo_bench_row(report, "%s", row->c.label);
    tribo_bench_figure(report, "seconds", m.seconds);
    tribo_bench_figure(report, "step_us", 1e6 * m.seconds / (double)m.steps);
    tribo_bench_figure(report, "times_faster", seconds[row->against] / m.seconds);
    tribo_bench_figure(report, "paper_times_faster", row->paper_faster);
    tribo_bench_figure(report, "paper_seconds", row->paper_seconds);
    tribo_bench_figure(report, "contacts", m.contacts);
    tribo_bench_figure(report, "most_contacts", m.most_contacts);
    tribo_bench_figure(report, "lcp_variables", row->per_contact * m.most_contacts);
    tribo_bench_figure(report, "mean_pivots", m.pivots);
    tribo_bench_figure(report, "paper_mean_pivots", row->paper_mean_pivots);
    tribo_bench_figure(report, "most_pivots", m.most_pivots);
    tribo_bench_figure(report, "paper_most_pivots", row->paper_most_pivots);
    tribo_bench_figure(report, "certificate", m.certificate);
  }
  return TRIBO_EXIT_FINE;
}

#define LEMKE "solver=lemke", "cone=polygon", "facets=4", NULL

// The paper's friction is 100 where it is Coulomb's, with a pyramid of four sides.
static TriboExit run_grasp(const TriboBenchOptions* options, TriboBenchReport* report) {
  static const char paper[] = "grasp:n=2,strips=3,mu=100", long_row[] = "grasp:n=8,mu=100";
  static const Row rows[] = {
      {{"coulomb, pyramid, standard Lemke", paper, "none", 1, {LEMKE}},
       .per_contact = 6,
       .standard = true,
       .paper_seconds = 10.9681},
      {{"coulomb, pyramid, Lemke", paper, "none", 1, {LEMKE}}, .per_contact = 6},
      {{"coulomb, round cone, Lemke", paper, "none", 1, {"solver=lemke", NULL}}, .per_contact = 10},
      {.c = {"coulomb, round cone, ladder", paper, "none", 1, {NULL}}},
      {{"no-slip, PPM", paper, "none", 1, {"model=noslip", "solver=ppm", NULL}},
       .per_contact = 1,
       .paper_seconds = 1.668,
       .paper_faster = 6.58,
       .paper_mean_pivots = 5.5,
       .paper_most_pivots = 7},
      {{"no-slip, dual active set", paper, "none", 1, {"model=noslip", NULL}},
       .per_contact = 1,
       .paper_seconds = 1.9892,
       .paper_faster = 5.51},
      {{"viscous, Lemke", paper, "none", 1, {"model=viscous", "solver=lemke", NULL}},
       .against = 6,
       .per_contact = 1},
      {{"viscous, PPM", paper, "none", 1, {"model=viscous", "solver=ppm", NULL}},
       .against = 6,
       .per_contact = 1},
      {{"eight cubes, coulomb, standard Lemke", long_row, "none", 1, {LEMKE}},
       .against = 8,
       .per_contact = 6,
       .standard = true},
      {{"eight cubes, coulomb, pyramid, Lemke", long_row, "none", 1, {LEMKE}},
       .against = 8,
       .per_contact = 6},
      {{"eight cubes, no-slip, PPM", long_row, "none", 1, {"model=noslip", "solver=ppm", NULL}},
       .against = 8,
       .per_contact = 1},
  };
  return compare(rows, (int)(sizeof rows / sizeof *rows), options, report);
}

// The paper has another law of Coulomb friction here (Drumwright and Shell), not ours: Lemke stands
// for it.
static TriboExit run_quadruped(const TriboBenchOptions* options, TriboBenchReport* report) {
  static const char map[] = "quadruped:terrain=1,mu=100", controller[] = "quadruped";
  static const Row rows[] = {
      {{"coulomb, pyramid, Lemke", map, controller, 10, {LEMKE}},
       .per_contact = 6,
       .paper_seconds = 416.284},
      {{"coulomb, round cone, Lemke", map, controller, 10, {"solver=lemke", NULL}},
       .per_contact = 10},
      {.c = {"coulomb, round cone, ladder", map, controller, 10, {NULL}}},
      {{"no-slip, PPM", map, controller, 10, {"model=noslip", "solver=ppm", NULL}},
       .per_contact = 1,
       .paper_seconds = 301.796,
       .paper_faster = 1.38},
      {{"no-slip, dual active set", map, controller, 10, {"model=noslip", NULL}}, .per_contact = 1},
      {{"viscous, Lemke", map, controller, 10, {"model=viscous", "solver=lemke", NULL}},
       .against = 5,
       .per_contact = 1,
       .paper_seconds = 2936.36},
      {{"viscous, PPM", map, controller, 10, {"model=viscous", "solver=ppm", NULL}},
       .against = 5,
       .per_contact = 1,
       .paper_seconds = 2139.73,
       .paper_faster = 1.37},
  };
  return compare(rows, (int)(sizeof rows / sizeof *rows), options, report);
}

const TriboBenchmark tribo_benchmark_grasp = {
    "grasp",
    "the grasp of [Drumwright], cold: Coulomb by Lemke against no-slip by PPM, viscous by both",
    run_grasp};
const TriboBenchmark tribo_benchmark_quadruped = {
    "quadruped", "the same of a quadruped that trots over a terrain map for ten seconds",
    run_quadruped};
