// SPDX-License-Identifier: Apache-2.0
//
// bench dynamics: what trees cost when nothing touches, robot by robot: kinematics, mass matrix
// with factor, inverse and forward dynamics, a step of semi-implicit Euler alone (euler), the same
// with second order and momentum kept (coast), and a whole tribo_step. Microseconds; instructions
// (_ki, thousands; of a thousand bodies from those of five and of ten); coast_per_euler is the
// ratio of these. Then how far ten seconds of the floating quadruped drift in energy and momenta,
// relative, at steps of 1 ms.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/tree/tree.h"
#include "tools/tribo/bench.h"
#include "tools/tribo/bench_robots.h"

typedef struct Robot {
  TriboModel* model;
  TriboState* state;
  TriboWorkspace* workspace;
  TriboTree tree;
  void* memory;
  size_t size;
  double *q, *v, *q_start, *v_start, *x, *displacement;
  TriboTreeHold* hold;
  TriboStepOptions options;
  int turn;   // which of two configurations comes next, so that nothing is found done
  int calls;  // of the work that is timed
  void (*work)(void* data);
  TriboStatus status;
} Robot;

// ---- making and destroying

static void destroy(Robot* r) {
  tribo_workspace_destroy(r->workspace);
  tribo_state_destroy(r->state);
  tribo_model_destroy(r->model);
  if (r->memory) tribo_release(NULL, r->memory, r->size);
  free(r->q), free(r->v), free(r->q_start), free(r->v_start), free(r->x);
  free(r->displacement), free(r->hold);
}

static bool allocate(Robot* r) {
  size_t nq = (size_t)r->model->nq, nv = (size_t)r->model->nv;
  TriboArena arena = tribo_arena_measure();
  tribo_tree_layout(&r->tree, &arena, r->model);
  r->size = arena.used;
  r->memory = tribo_allocate(NULL, r->size);
  r->q = malloc(2 * nq * sizeof(double)), r->q_start = malloc(nq * sizeof(double));
  r->v = malloc(nv * sizeof(double)), r->v_start = malloc(nv * sizeof(double));
  r->x = malloc(nv * sizeof(double)), r->displacement = malloc(nv * sizeof(double));
  r->hold = calloc((size_t)r->model->ntree, sizeof *r->hold);
  if (!r->memory || !r->q || !r->q_start || !r->v || !r->v_start || !r->x || !r->displacement ||
      !r->hold) {
    return false;
  }
  arena = tribo_arena_over(r->memory, r->size);
  tribo_tree_layout(&r->tree, &arena, r->model);
  return true;
}

// Takes the builder over.
static bool create(Robot* r, TriboStatus status, TriboBuilder* builder) {
  memset(r, 0, sizeof *r);
  if (status != TRIBO_OK) return false;
  status = tribo_model_create(builder, NULL, &r->model, NULL);
  tribo_builder_destroy(builder);
  if (status == TRIBO_OK) status = tribo_state_create(r->model, NULL, &r->state);
  if (status == TRIBO_OK) status = tribo_workspace_create(r->model, NULL, NULL, &r->workspace);
  if (status != TRIBO_OK || !allocate(r)) return false;
  memcpy(r->q_start, tribo_state_q(r->state), (size_t)r->model->nq * sizeof(double));
  for (int k = 0; k < r->model->nv; ++k) r->v_start[k] = 0.1 * ((k * 7) % 5 - 2);
  r->options = tribo_step_options_default();
  return true;
}

static void restart(Robot* r) {
  size_t nq = (size_t)r->model->nq;
  memcpy(r->v, r->v_start, (size_t)r->model->nv * sizeof(double));
  memcpy(r->q, r->q_start, nq * sizeof(double));
  tribo_tree_integrate(r->model, r->q, r->v, 0.1, r->q + nq);
  tribo_state_reset(r->model, r->state);
  r->status = tribo_state_set_v(r->model, r->state, r->v);
}

// ---- what is timed

static void kinematics(void* data) {
  Robot* r = data;
  r->turn = !r->turn;
  tribo_tree_kinematics(r->model, &r->tree, r->q + r->turn * r->model->nq);
}

static void mass_and_factor(void* data) {
  Robot* r = data;
  r->tree.stage = TRIBO_TREE_KINEMATICS;
  tribo_tree_mass(r->model, &r->tree);
  tribo_tree_factor(r->model, &r->tree, NULL);
}

static void inverse(void* data) {
  Robot* r = data;
  tribo_tree_inverse(r->model, &r->tree, r->v, r->v, NULL, r->model->gravity, r->x);
}

static void forward(void* data) {
  Robot* r = data;
  r->status = tribo_tree_forward(r->model, &r->tree, r->v, NULL, NULL, r->x);
}

static void euler(void* data) {
  Robot* r = data;
  double h = r->options.h;
  tribo_tree_free_velocity(r->model, &r->tree, NULL, r->q, r->v, h, NULL, r->x);
  memcpy(r->v, r->x, (size_t)r->model->nv * sizeof(double));
  tribo_tree_integrate(r->model, r->q, r->v, h, r->q);
}

static void coast(void* data) {
  Robot* r = data;
  double h = r->options.h;
  tribo_tree_free_velocity(r->model, &r->tree, NULL, r->q, r->v, h, NULL, r->x);
  (void)tribo_tree_coast(r->model, &r->tree, r->hold, h, r->v, r->x, r->displacement);
  tribo_tree_integrate(r->model, r->q, r->displacement, 1, r->q);
  tribo_tree_settle(r->model, &r->tree, r->hold, h, r->q, r->displacement, r->x);
  memcpy(r->v, r->x, (size_t)r->model->nv * sizeof(double));
}

static void step(void* data) {
  Robot* r = data;
  TriboStatus status = tribo_step(r->model, &r->options, NULL, r->state, r->workspace);
  if (status != TRIBO_OK) r->status = status;
}

static const struct {
  const char* name;
  void (*work)(void* data);
} kWork[] = {
    {"kinematics", kinematics},
    {"mass_factor", mass_and_factor},
    {"inverse", inverse},
    {"forward", forward},
    {"euler", euler},
    {"coast", coast},
    {"step", step},
};
enum { WORKS = sizeof kWork / sizeof kWork[0] };

// Back to the start after a second of motion: an arm without damping, left to itself, whips about
// faster and faster, and after 40 s at 1 ms its velocities have grown beyond all bounds.
static void timed(void* data) {
  Robot* r = data;
  if (++r->calls % 1000 == 0 && r->status == TRIBO_OK) {
    restart(r);
    kinematics(r);
  }
  r->work(r);
}

// ---- instructions

static void count_all(Robot* r, double* counts) {
  for (int i = 0; i < WORKS; ++i) {
    restart(r);
    kinematics(r);
    counts[i] = tribo_bench_instructions(kWork[i].work, r, 10000000);
  }
}

// Of many loose bodies, where stepping through a call would take minutes: five, and what ten take
// beyond five for each five more, as nothing is there but loops over bodies. So few, because long
// stretches of memory are copied by one instruction, and stepping stops at each byte of it.
static bool count_loose(int bodies, double* counts) {
  double five[WORKS] = {0}, ten[WORKS] = {0};
  bool fine = true;
  for (int n = 5; n <= 10 && fine; n += 5) {
    TriboBuilder* builder = NULL;
    const TriboStatus made = tribo_bench_loose(n, &builder);
    Robot r;
    fine = create(&r, made, builder);
    if (fine) count_all(&r, n == 5 ? five : ten);
    destroy(&r);
  }
  for (int i = 0; i < WORKS && fine; ++i)
    counts[i] = five[i] + (bodies - 5) / 5.0 * (ten[i] - five[i]);
  return fine;
}

// ---- rows

static void add_figure(TriboBenchReport* report, const char* name, const char* unit, double value) {
  char both[32];
  if (isnan(value)) return;
  snprintf(both, sizeof both, "%s%s", name, unit);
  tribo_bench_figure(report, both, value);
}

// Takes the builder over. `counts`: instructions where they are known already, or NULL.
static bool measure(const TriboBenchOptions* options, TriboBenchReport* report,
                    const double* counts, const char* label, TriboStatus made,
                    TriboBuilder* builder) {
  Robot r;
  bool fine = create(&r, made, builder);
  double own[WORKS], of_euler = NAN, of_coast = NAN;
  if (fine) {
    tribo_bench_row(report, "%s", label);
    tribo_bench_figure(report, "dofs", r.model->nv);
    if (counts == NULL) count_all(&r, own);
  }
  if (counts == NULL) counts = own;
  for (int i = 0; fine && i < WORKS; ++i) {
    restart(&r);
    kinematics(&r);
    r.work = kWork[i].work;
    const double seconds = tribo_bench_time(options, timed, &r);
    add_figure(report, kWork[i].name, "_us", 1e6 * seconds);
    add_figure(report, kWork[i].name, "_ki", 1e-3 * counts[i]);
    if (kWork[i].work == euler) of_euler = counts[i];
    if (kWork[i].work == coast) of_coast = counts[i];
    fine = r.status == TRIBO_OK;
  }
  add_figure(report, "coast_per_euler", "", of_coast / of_euler);
  destroy(&r);
  return fine;
}

// ---- drift

static double length(TriboVec3 a) { return tribo_vec3_norm(a); }

// Steps the floating quadruped for ten seconds by `work`, which moves the state or (q, v).
static bool drift(TriboBenchReport* report, const char* label, void (*work)(void* data),
                  TriboIntegrator integrator) {
  TriboBuilder* builder = NULL;
  Robot r;
  TriboStatus made = tribo_bench_quadruped(false, &builder);
  if (made == TRIBO_OK) made = tribo_builder_set_gravity(builder, tribo_vec3_zero());
  bool fine = create(&r, made, builder);
  if (fine) {
    const double base[6] = {0.1, 0.2, 0.3, 0.5, 0.3, 0.7};
    for (int k = 0; k < 18; ++k) r.v_start[k] = k < 6 ? base[k] : 2 * sin(k - 5);
    restart(&r);
    r.options.integrator = integrator;
  }
  TriboEnergy start, now;
  double energy = 0, linear = 0, angular = 0;
  fine = fine && tribo_energy(r.model, r.state, r.workspace, &start) == TRIBO_OK;
  for (int i = 0; fine && i < 10000; ++i) {
    work(&r);
    if (work != step) {
      fine = tribo_state_set_q(r.model, r.state, r.q) == TRIBO_OK &&
             tribo_state_set_v(r.model, r.state, r.v) == TRIBO_OK;
    }
    fine = fine && r.status == TRIBO_OK &&
           tribo_energy(r.model, r.state, r.workspace, &now) == TRIBO_OK;
    if (!fine) break;
    energy = fmax(energy, fabs(now.kinetic / start.kinetic - 1));
    linear = fmax(linear, length(tribo_vec3_sub(now.linear_momentum, start.linear_momentum)));
    angular = fmax(angular, length(tribo_vec3_sub(now.angular_momentum, start.angular_momentum)));
  }
  if (fine) {
    tribo_bench_row(report, "drift, %s", label);
    tribo_bench_figure(report, "energy", energy);
    tribo_bench_figure(report, "linear_momentum", linear / length(start.linear_momentum));
    tribo_bench_figure(report, "angular_momentum", angular / length(start.angular_momentum));
  }
  destroy(&r);
  return fine;
}

static TriboExit run(const TriboBenchOptions* options, TriboBenchReport* report) {
  TriboBuilder* builder = NULL;
  TriboStatus made = tribo_bench_quadruped(false, &builder);
  bool fine = measure(options, report, NULL, "quadruped", made, builder);
  made = tribo_bench_arm(&builder);
  fine = fine && measure(options, report, NULL, "arm of 7", made, builder);
  if (!options->quick) {
    made = tribo_bench_chain(50, &builder);
    fine = fine && measure(options, report, NULL, "chain of 50", made, builder);
    double loose[WORKS];
    fine = fine && count_loose(1000, loose);
    made = tribo_bench_loose(1000, &builder);
    fine = fine && measure(options, report, loose, "1000 loose bodies", made, builder);
  }
  fine = fine && drift(report, "Euler alone", euler, TRIBO_INTEGRATOR_SEMI_IMPLICIT);
  fine = fine && drift(report, "tribo_step", step, TRIBO_INTEGRATOR_SEMI_IMPLICIT);
  fine = fine && drift(report, "tribo_step, RK4", step, TRIBO_INTEGRATOR_RK4);
  return fine ? TRIBO_EXIT_FINE : TRIBO_EXIT_NO;
}

const TriboBenchmark tribo_benchmark_dynamics = {
    .name = "dynamics",
    .summary = "trees when nothing touches: kinematics to a whole step, and what it conserves",
    .run = run,
};
