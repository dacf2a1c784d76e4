// SPDX-License-Identifier: Apache-2.0
//
// Whole steps on the scenes that ship.
//
//   bench step       stacks, piles, grasps and the quadruped: what a step costs, warm and cold, and
//                    how exact it is
//   bench grasp      the tables of [Drumwright]: Coulomb friction by Lemke's algorithm against the
//   bench quadruped  no-slip and viscous models by the Principal Pivoting Method, all cold
//
// Times are of control law and step; instructions are of one step at the end of the run.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/tribo/bench.h"
#include "tools/tribo/output.h"
#include "tools/tribo/run.h"

enum { MAX_SETTINGS = 8 };

typedef struct Case {
  const char* label;
  const char* model;
  const char* controller;
  double duration;  // s
  bool small;       // its instructions can be counted one by one
  const char* setting[MAX_SETTINGS];
} Case;

typedef struct Measured {
  long steps;
  double seconds, instructions;
  double contacts, pivots, iterations;  // per step
  int most_pivots, most_rows;
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

static double count_instructions(TriboRun* run) {
  Again again = {run, NULL};
  if (tribo_state_create(run->model, NULL, &again.state) != TRIBO_OK) return NAN;
  double count = NAN;
  if (tribo_state_copy(run->state, again.state) == TRIBO_OK) {
    count = tribo_bench_instructions(step_again, &again);
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
  if (info.rows > m->most_rows) m->most_rows = info.rows;
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

// Runs a case twice: once with a look at every step, once against the clock.
static TriboStatus measure(const Case* c, bool cold, bool instructions, double share, Measured* m,
                           TriboMessage* message) {
  TriboRunSpec spec = tribo_run_spec_default();
  spec.model = c->model;
  spec.controller = c->controller;
  while (spec.setting_count < MAX_SETTINGS && c->setting[spec.setting_count] != NULL) {
    spec.setting[spec.setting_count] = c->setting[spec.setting_count];
    ++spec.setting_count;
  }
  *m = (Measured){0};
  TriboStatus status = TRIBO_OK;
  for (int timed = 0; timed < 2 && status == TRIBO_OK; ++timed) {
    TriboRun run;
    status = tribo_run_create(&spec, &run, message);
    if (status != TRIBO_OK) return status;
    run.options.cold = run.options.cold || cold;
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
    if (timed == 1) m->seconds = tribo_bench_clock() - begin;
    if (timed == 0 && instructions && status == TRIBO_OK)
      m->instructions = count_instructions(&run);
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
    {"stack of 5", "stack:n=5", "none", 5, true, {NULL}},
    {"stack of 10", "stack:n=10", "none", 5, false, {NULL}},
    {"stack of 20", "stack:n=20", "none", 5, false, {NULL}},
    {"stack of 50", "stack:n=50", "none", 5, false, {NULL}},
    {"grasp of 2", "grasp:n=2", "none", 10, true, {NULL}},
    {"grasp of 8", "grasp:n=8", "none", 10, false, {NULL}},
    {"grasp of 8, no-slip", "grasp:n=8", "none", 10, false, {"model=noslip", NULL}},
    {"quadruped stands", "quadruped", "quadruped", 10, true, {"start=1000", NULL}},
    {"quadruped trots", "quadruped", "quadruped", 10, true, {NULL}},
    {"quadruped on terrain", "quadruped:terrain=1", "quadruped", 10, true, {NULL}},
    {"pile of 216", "pile:n=216", "none", 3, false, {NULL}},
    {"pile of 512", "pile:n=512", "none", 3, false, {NULL}},
};

static TriboExit run_step(const TriboBenchOptions* options, TriboBenchReport* report) {
  const int count = (int)(sizeof scenes / sizeof *scenes);
  for (int i = 0; i < count; ++i) {
    const bool pile = strncmp(scenes[i].model, "pile", 4) == 0;
    if (pile && options->quick) continue;
    const double share = options->quick ? 0.02 : 1;
    Measured warm, cold;
    TriboMessage message = {0};
    const bool counted = scenes[i].small && !options->quick;
    if (measure(&scenes[i], false, counted, share, &warm, &message) != TRIBO_OK) {
      return complain(&message);
    }
    tribo_bench_row(report, "%s", scenes[i].label);
    tribo_bench_figure(report, "steps_per_s", (double)warm.steps / warm.seconds);
    tribo_bench_figure(report, "step_us", 1e6 * warm.seconds / (double)warm.steps);
    if (counted) tribo_bench_figure(report, "instructions", warm.instructions);
    tribo_bench_figure(report, "contacts", warm.contacts);
    tribo_bench_figure(report, "pivots_warm", warm.pivots);
    // A cold step is no cheaper on a small scene than on a large one is affordable.
    if (!pile &&
        measure(&scenes[i], true, false, 0.02 * share + 0.005, &cold, &message) == TRIBO_OK) {
      tribo_bench_figure(report, "pivots_cold", cold.pivots);
      tribo_bench_figure(report, "cold_us", 1e6 * cold.seconds / (double)cold.steps);
    }
    tribo_bench_figure(report, "certificate", warm.certificate);
    tribo_bench_figure(report, "penetration_m", warm.deepest);
    tribo_bench_figure(report, "slip_m_per_s", warm.slip);
    tribo_bench_figure(report, "fallbacks", (double)warm.fallbacks);
  }
  return TRIBO_EXIT_FINE;
}

const TriboBenchmark tribo_benchmark_step = {
    "step", "whole steps on the scenes that ship: cost, exactness, pivots warm and cold", run_step};

// ---- bench grasp, bench quadruped

// Rows of a table of [Drumwright]: the first is what the others are compared with.
static TriboExit compare(const Case* cases, int count, const TriboBenchOptions* options,
                         TriboBenchReport* report) {
  double baseline = 0;
  for (int i = 0; i < count; ++i) {
    Measured m;
    TriboMessage message = {0};
    if (measure(&cases[i], true, false, options->quick ? 0.05 : 1, &m, &message) != TRIBO_OK) {
      return complain(&message);
    }
    const double us = 1e6 * m.seconds / (double)m.steps;
    if (i == 0) baseline = us;
    tribo_bench_row(report, "%s", cases[i].label);
    tribo_bench_figure(report, "step_us", us);
    tribo_bench_figure(report, "times_faster", baseline / us);
    tribo_bench_figure(report, "contacts", m.contacts);
    tribo_bench_figure(report, "rows", m.most_rows);
    tribo_bench_figure(report, "mean_pivots", m.pivots);
    tribo_bench_figure(report, "most_pivots", m.most_pivots);
    tribo_bench_figure(report, "certificate", m.certificate);
  }
  return TRIBO_EXIT_FINE;
}

static TriboExit run_grasp(const TriboBenchOptions* options, TriboBenchReport* report) {
  static const Case cases[] = {
      {"coulomb, Lemke", "grasp:n=8", "none", 1, false, {"solver=lemke", NULL}},
      {"coulomb, octagon, Lemke",
       "grasp:n=8",
       "none",
       1,
       false,
       {"solver=lemke", "cone=polygon", NULL}},
      {"coulomb, ladder", "grasp:n=8", "none", 1, false, {NULL}},
      {"no-slip, PPM", "grasp:n=8", "none", 1, false, {"model=noslip", "solver=ppm", NULL}},
      {"no-slip, dual active set", "grasp:n=8", "none", 1, false, {"model=noslip", NULL}},
      {"viscous, PPM", "grasp:n=8", "none", 1, false, {"model=viscous", "solver=ppm", NULL}},
  };
  return compare(cases, (int)(sizeof cases / sizeof *cases), options, report);
}

static TriboExit run_quadruped(const TriboBenchOptions* options, TriboBenchReport* report) {
  static const Case cases[] = {
      {"coulomb, Lemke", "quadruped", "quadruped", 2, false, {"solver=lemke", NULL}},
      {"coulomb, octagon, Lemke",
       "quadruped",
       "quadruped",
       2,
       false,
       {"solver=lemke", "cone=polygon", NULL}},
      {"coulomb, ladder", "quadruped", "quadruped", 2, false, {NULL}},
      {"no-slip, PPM", "quadruped", "quadruped", 2, false, {"model=noslip", "solver=ppm", NULL}},
      {"no-slip, dual active set", "quadruped", "quadruped", 2, false, {"model=noslip", NULL}},
      {"viscous, PPM", "quadruped", "quadruped", 2, false, {"model=viscous", "solver=ppm", NULL}},
  };
  return compare(cases, (int)(sizeof cases / sizeof *cases), options, report);
}

const TriboBenchmark tribo_benchmark_grasp = {
    "grasp", "eight cubes in a grasp, cold: Coulomb by Lemke against no-slip and viscous by PPM",
    run_grasp};
const TriboBenchmark tribo_benchmark_quadruped = {
    "quadruped", "a trotting quadruped, cold: Coulomb by Lemke against no-slip and viscous by PPM",
    run_quadruped};
