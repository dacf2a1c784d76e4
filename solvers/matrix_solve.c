// SPDX-License-Identifier: Apache-2.0
//
// Problem: tribo_solvers.h, u = W r + q. Two ways lead to an answer of Coulomb's law:
//
// - rows J with W = J J^T (expand.h) and the ladder of pivoting solvers on them (solve.h), exact
//   but for what J J^T misses of W, which Newton on W itself then takes in;
// - Newton along a proximal path on W (proximal.h), which is far quicker where W is large and
//   sparse.
//
// AUTO takes the first for small problems and the second for large ones, each the other's fallback.
// The other models are in matrix_psd.c. Every answer is judged by W and q as given.
#include <math.h>
#include <string.h>

#include "solvers/dantzig_coulomb.h"
#include "solvers/energy.h"
#include "solvers/expand.h"
#include "solvers/matrix_state.h"
#include "solvers/proximal.h"
#include "solvers/solve.h"

// Rows up to which AUTO pivots first, and up to which it pivots at all.
enum { PIVOT_FIRST = 300, PIVOT_LAST = 1000 };
enum { LARGE_TURNS = 2, LARGE_SWEEPS = 1000 };

TriboMatrixOptions tribo_matrix_options_default(void) {
  const TriboMatrixOptions options = {
      TRIBO_MODEL_COULOMB, TRIBO_SOLVER_AUTO, TRIBO_CONE_ROUND, 8, 1, 1e-8};
  return options;
}

TriboStatus tribo_matrix_options_validate(const TriboMatrixOptions* o) {
  const bool coulomb = o->model == TRIBO_MODEL_COULOMB;
  const bool frictionless = o->model == TRIBO_MODEL_FRICTIONLESS;
  if (o->facets < 4 || o->facets > 64 || o->facets % 2 != 0) return TRIBO_ERROR_ARGUMENT;
  if (!(o->tolerance > 0) || !(o->viscosity >= 0)) return TRIBO_ERROR_ARGUMENT;
  if (o->cone != TRIBO_CONE_ROUND && o->cone != TRIBO_CONE_POLYGON) return TRIBO_ERROR_ARGUMENT;
  switch (o->solver) {
    case TRIBO_SOLVER_AUTO:
      return TRIBO_OK;
    case TRIBO_SOLVER_LEMKE:
    case TRIBO_SOLVER_PGS:
    case TRIBO_SOLVER_NEWTON:
    case TRIBO_SOLVER_ENERGY:
      return coulomb ? TRIBO_OK : TRIBO_ERROR_ARGUMENT;
    case TRIBO_SOLVER_PPM:
    case TRIBO_SOLVER_DUAL:
      return coulomb ? TRIBO_ERROR_ARGUMENT : TRIBO_OK;
    case TRIBO_SOLVER_DANTZIG:
      return coulomb || frictionless ? TRIBO_OK : TRIBO_ERROR_ARGUMENT;
    default:
      return TRIBO_ERROR_ARGUMENT;
  }
}

// ---- Newton and Gauss-Seidel on W ----

// From the best answer so far. The tolerance decides how long it goes on.
static TriboStatus run_proximal(TriboMatrixTask* task, const TriboDelassus* problem,
                                double tolerance, int sweeps, int iterations, TriboSolver solver) {
  const int n = problem->W.count;
  TriboArena measure = tribo_arena_measure();
  tribo_proximal_init(&measure, problem->contacts, problem->size, problem->W.start[n]);
  void* memory = tribo_allocate(task->allocator, measure.used);
  if (memory == NULL) return TRIBO_ERROR_MEMORY;
  TriboArena arena = tribo_arena_over(memory, measure.used);
  TriboProximal* proximal =
      tribo_proximal_init(&arena, problem->contacts, problem->size, problem->W.start[n]);
  const TriboProximalOptions options = {tolerance, sweeps, iterations};
  TriboProximalInfo info;
  memcpy(task->trial, task->r, sizeof(double) * (size_t)n);
  const TriboStatus status = tribo_proximal_solve(proximal, problem, &options, task->trial, &info);
  tribo_release(task->allocator, memory, measure.used);
  task->info->iterations += info.iterations;
  task->info->sweeps += info.sweeps;
  if (status == TRIBO_ERROR_CAPACITY) return status;
  const TriboCertificate certificate =
      tribo_delassus_certify(task->problem, task->trial, task->scratch);
  if (!tribo_matrix_consider(task, task->trial, certificate, solver, TRIBO_RUNG_COLD))
    ++task->info->fallbacks;
  return TRIBO_OK;
}

// A polygon that is not solved from nothing may be from the disc's answer.
static TriboStatus newton(TriboMatrixTask* task) {
  const TriboProximalOptions o = tribo_proximal_options_default();
  const double tolerance = fmin(task->options->tolerance, o.tolerance);
  TriboStatus status = run_proximal(task, task->problem, tolerance, o.max_sweeps, o.max_iterations,
                                    TRIBO_SOLVER_NEWTON);
  if (status != TRIBO_OK || tribo_matrix_solved(task) || task->problem->cone == TRIBO_CONE_ROUND)
    return status;
  TriboDelassus disc = *task->problem;
  disc.cone = TRIBO_CONE_ROUND;
  status =
      run_proximal(task, &disc, tolerance, o.max_sweeps, o.max_iterations, TRIBO_SOLVER_NEWTON);
  if (status != TRIBO_OK || tribo_matrix_solved(task)) return status;
  memcpy(task->r, task->trial, sizeof(double) * (size_t)disc.W.count);
  task->info->certificate = tribo_delassus_certify(task->problem, task->r, task->scratch);
  return run_proximal(task, task->problem, tolerance, o.max_sweeps, o.max_iterations,
                      TRIBO_SOLVER_NEWTON);
}

// ---- Rows of W and what works on them ----

typedef struct Rows {
  TriboExpansion expansion;
  double* W;  // dense
  void* memory;
  size_t size;
} Rows;

static void rows_layout(Rows* rows, TriboArena* arena, const TriboDelassus* p) {
  tribo_expansion_init(&rows->expansion, arena, p->contacts, p->size);
  rows->W = tribo_arena_take(arena, (size_t)p->W.count * (size_t)p->W.count, sizeof(double));
}

static TriboStatus make_rows(const TriboMatrixTask* task, Rows* rows) {
  const TriboDelassus* p = task->problem;
  const size_t n = (size_t)p->W.count;
  TriboArena measure = tribo_arena_measure();
  rows_layout(rows, &measure, p);
  rows->size = measure.used;
  rows->memory = tribo_allocate(task->allocator, rows->size);
  if (rows->memory == NULL) return TRIBO_ERROR_MEMORY;
  TriboArena arena = tribo_arena_over(rows->memory, rows->size);
  rows_layout(rows, &arena, p);
  memset(rows->W, 0, n * n * sizeof(double));
  for (size_t i = 0; i < n; ++i) {
    for (int e = p->W.start[i]; e < p->W.start[i + 1]; ++e) {
      rows->W[i * n + (size_t)p->W.index[e]] = p->W.value[e];
    }
  }
  return tribo_expansion_load(&rows->expansion, rows->W, p->q, p->mu, p->facets);
}

static void free_rows(const TriboMatrixTask* task, Rows* rows) {
  tribo_release(task->allocator, rows->memory, rows->size);
}

// Judges expansion.solution by W.
static bool consider_rows(TriboMatrixTask* task, Rows* rows, TriboSolver solver, TriboRung rung) {
  tribo_expansion_impulse(&rows->expansion, task->trial);
  const TriboCertificate certificate =
      tribo_delassus_certify(task->problem, task->trial, task->scratch);
  return tribo_matrix_consider(task, task->trial, certificate, solver, rung);
}

static TriboStatus run_ladder(TriboMatrixTask* task, Rows* rows) {
  const TriboContactProblem* problem = &rows->expansion.problem;
  const TriboSolverCapacity capacity = tribo_solver_capacity_of(problem);
  TriboArena measure = tribo_arena_measure();
  tribo_contact_solver_init(&measure, capacity);
  void* memory = tribo_allocate(task->allocator, measure.used);
  if (memory == NULL) return TRIBO_ERROR_MEMORY;
  TriboArena arena = tribo_arena_over(memory, measure.used);
  TriboContactSolver* solver = tribo_contact_solver_init(&arena, capacity);
  TriboContactOptions options = tribo_contact_options_default();
  options.cone = task->problem->cone;
  // Large problems get each rung once and not thirty turns of it.
  if (task->problem->W.count > PIVOT_FIRST) {
    options.max_turns = LARGE_TURNS;
    options.max_sweeps = LARGE_SWEEPS;
  }
  TriboContactInfo info;
  const TriboStatus status =
      tribo_contact_solve(solver, problem, &options, NULL, &rows->expansion.solution, &info);
  tribo_release(task->allocator, memory, measure.used);
  task->info->pivots += info.pivots;
  task->info->iterations += info.iterations;
  task->info->sweeps += info.sweeps;
  task->rays = status == TRIBO_ERROR_RAY;
  if (status == TRIBO_OK) task->info->fallbacks += (int)info.rung - (int)TRIBO_RUNG_COLD;
  if (isfinite(info.certificate.worst)) {
    // The ladder may answer by its own Newton before it pivots at all.
    const bool pivoted = info.pivots > 0 || info.iterations == 0;
    (void)consider_rows(task, rows, pivoted ? TRIBO_SOLVER_LEMKE : TRIBO_SOLVER_NEWTON, info.rung);
  }
  return TRIBO_OK;
}

// The ladder, and Newton on W from its answer where that is not yet as good as rounding allows.
static TriboStatus pivot(TriboMatrixTask* task) {
  Rows rows;
  TriboStatus status = make_rows(task, &rows);
  if (status == TRIBO_OK) status = run_ladder(task, &rows);
  free_rows(task, &rows);
  if (status != TRIBO_OK || task->info->certificate.worst <= 1e-12) return status;
  const TriboSolver by = task->info->solver;
  const bool enough = tribo_matrix_solved(task);
  const int fallbacks = task->info->fallbacks;
  status = run_proximal(task, task->problem, 1e-12, 0, 60, TRIBO_SOLVER_NEWTON);
  task->info->fallbacks = fallbacks + !enough;
  if (enough) task->info->solver = by;
  return status;
}

// Baraff's and Faure's methods on the rows.
static TriboStatus run_dantzig(TriboMatrixTask* task, Rows* rows, TriboArena* arena) {
  const TriboContactProblem* p = &rows->expansion.problem;
  TriboDantzigCoulomb* dantzig =
      tribo_dantzig_coulomb_init(arena, p->ny, 0, p->N.count, p->T.count, p->ng);
  if (dantzig == NULL) return TRIBO_ERROR_CAPACITY;
  TriboDantzigCoulombInfo result;
  const TriboStatus status =
      tribo_dantzig_coulomb_solve(dantzig, p, task->problem->cone, task->options->tolerance,
                                  &rows->expansion.solution, &result);
  task->info->pivots += result.pivots;
  return status == TRIBO_ERROR_LIMIT && isinf(result.certificate.worst) ? TRIBO_ERROR_RAY : status;
}

static TriboStatus run_energy(TriboMatrixTask* task, Rows* rows, TriboArena* arena) {
  const TriboContactProblem* p = &rows->expansion.problem;
  TriboEnergySolver* energy = tribo_energy_init(arena, p->N.count + p->T.count, p->ng);
  if (energy == NULL) return TRIBO_ERROR_CAPACITY;
  const TriboEnergyOptions options = tribo_energy_options_default();
  TriboEnergyResult result;
  const TriboStatus status =
      tribo_energy_solve(energy, p, NULL, 0, &options, &rows->expansion.solution, &result);
  task->info->iterations += result.iterations;
  return status;
}

static TriboStatus run_dense(TriboMatrixTask* task, Rows* rows) {
  TriboStatus (*const run)(TriboMatrixTask*, Rows*, TriboArena*) =
      task->options->solver == TRIBO_SOLVER_DANTZIG ? run_dantzig : run_energy;
  TriboArena measure = tribo_arena_measure();
  const TriboContactProblem* p = &rows->expansion.problem;
  if (run == run_dantzig) {
    tribo_dantzig_coulomb_init(&measure, p->ny, 0, p->N.count, p->T.count, p->ng);
  } else {
    tribo_energy_init(&measure, p->N.count + p->T.count, p->ng);
  }
  void* memory = tribo_allocate(task->allocator, measure.used);
  if (memory == NULL) return TRIBO_ERROR_MEMORY;
  TriboArena arena = tribo_arena_over(memory, measure.used);
  const TriboStatus status = run(task, rows, &arena);
  tribo_release(task->allocator, memory, measure.used);
  if (status == TRIBO_ERROR_RAY) return TRIBO_OK;  // nothing to judge
  if (status != TRIBO_OK && status != TRIBO_ERROR_LIMIT) return status;
  (void)consider_rows(task, rows, task->options->solver, TRIBO_RUNG_COLD);
  return TRIBO_OK;
}

static TriboStatus dense(TriboMatrixTask* task) {
  Rows rows;
  TriboStatus status = make_rows(task, &rows);
  if (status == TRIBO_OK) status = run_dense(task, &rows);
  free_rows(task, &rows);
  return status;
}

// ---- The ladder of both ----

static TriboStatus pivot_and_newton(TriboMatrixTask* task) {
  const int n = task->problem->W.count;
  TriboStatus status = n <= PIVOT_FIRST ? pivot(task) : newton(task);
  if (status != TRIBO_OK || tribo_matrix_solved(task)) return status;
  if (n <= PIVOT_FIRST) return newton(task);
  return n <= PIVOT_LAST ? pivot(task) : TRIBO_OK;
}

// Dantzig's algorithm on the rows of small problems, Newton on W from its answer, and where that
// does not certify the others.
static TriboStatus dantzig(TriboMatrixTask* task) {
  TriboStatus status = TRIBO_OK;
  if (task->problem->W.count <= PIVOT_FIRST) status = dense(task);
  if (status != TRIBO_OK || tribo_matrix_solved(task)) return status;
  ++task->info->fallbacks;
  if (isfinite(task->info->certificate.worst)) {
    status =
        run_proximal(task, task->problem, task->options->tolerance, 0, 60, TRIBO_SOLVER_NEWTON);
    if (status != TRIBO_OK || tribo_matrix_solved(task)) return status;
  }
  status = pivot_and_newton(task);
  if (tribo_matrix_solved(task)) task->info->rung = TRIBO_RUNG_LADDER;
  return status;
}

static TriboStatus climb(TriboMatrixTask* task) {
  const TriboProximalOptions o = tribo_proximal_options_default();
  switch (task->options->solver) {
    case TRIBO_SOLVER_LEMKE:
      return pivot(task);
    case TRIBO_SOLVER_NEWTON:
      return newton(task);
    case TRIBO_SOLVER_DANTZIG:
      return dantzig(task);
    case TRIBO_SOLVER_ENERGY:
      return dense(task);
    case TRIBO_SOLVER_PGS:
      return run_proximal(task, task->problem, task->options->tolerance, 10 * o.max_sweeps, 0,
                          TRIBO_SOLVER_PGS);
    default:
      return pivot_and_newton(task);
  }
}

static TriboStatus solve_task(TriboMatrixTask* task) {
  if (task->options->model == TRIBO_MODEL_COULOMB) return climb(task);
  const TriboStatus status = tribo_matrix_psd(task);
  const bool open = status == TRIBO_OK && !tribo_matrix_solved(task);
  const bool newton_fits = task->options->model == TRIBO_MODEL_FRICTIONLESS;
  return open && newton_fits ? newton(task) : status;
}

TriboStatus tribo_matrix_solve(const TriboDelassus* problem, const TriboMatrixOptions* options,
                               const TriboAllocator* allocator, double* r, TriboMatrixInfo* info) {
  const size_t n = (size_t)problem->W.count, contacts = (size_t)problem->contacts;
  TriboDelassus given = *problem;
  TriboMatrixTask task = {
      .problem = &given, .options = options, .allocator = allocator, .r = r, .info = info};
  *info = (TriboMatrixInfo){.solver = TRIBO_SOLVER_AUTO, .rung = TRIBO_RUNG_COUNT};
  info->certificate.worst = INFINITY;
  const size_t size = (2 * n + contacts) * sizeof(double);
  double* memory = tribo_allocate(allocator, size);
  if (memory == NULL) return TRIBO_ERROR_MEMORY;
  task.trial = memory;
  task.scratch = memory + n;
  memset(r, 0, sizeof(double) * n);
  if (options->model == TRIBO_MODEL_FRICTIONLESS) {
    memset(memory + 2 * n, 0, sizeof(double) * contacts);
    given.mu = memory + 2 * n;
  }
  const TriboStatus status = solve_task(&task);
  tribo_release(allocator, memory, size);
  if (status != TRIBO_OK) return status;
  if (tribo_matrix_solved(&task)) return TRIBO_OK;
  return task.rays ? TRIBO_ERROR_RAY : TRIBO_ERROR_LIMIT;
}
