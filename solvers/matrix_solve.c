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
// The other models are positive semidefinite problems on J's rows, solved again with corrected
// targets while W's own certificate improves. Every answer is judged by W and q as given.
#include "solvers/matrix_solve.h"

#include <math.h>
#include <string.h>

#include "solvers/dantzig_coulomb.h"
#include "solvers/energy.h"
#include "solvers/expand.h"
#include "solvers/noslip.h"
#include "solvers/proximal.h"
#include "solvers/solve.h"

// Rows up to which AUTO pivots first, and up to which it pivots at all.
enum { PIVOT_FIRST = 300, PIVOT_LAST = 1000, CORRECTIONS = 6, SOFT_CORRECTIONS = 30 };
enum { LARGE_TURNS = 2, LARGE_SWEEPS = 1000 };

typedef struct Task {
  const TriboDelassus* problem;
  const TriboMatrixOptions* options;
  const TriboAllocator* allocator;
  double* r;  // the best answer
  TriboMatrixInfo* info;
  double *trial, *scratch;
  bool rays;  // pivoting ended on a ray every time it was tried
} Task;

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

// Keeps an answer that is better than the best so far; says whether it is good enough.
static bool consider(Task* task, const double* r, TriboCertificate certificate, TriboSolver solver,
                     TriboRung rung) {
  if (certificate.worst < task->info->certificate.worst) {
    memcpy(task->r, r, sizeof(double) * (size_t)task->problem->W.count);
    task->info->certificate = certificate;
    task->info->solver = solver;
    task->info->rung = rung;
  }
  return certificate.worst <= task->options->tolerance;
}

static bool solved(const Task* task) {
  return task->info->certificate.worst <= task->options->tolerance;
}

// ---- Newton and Gauss-Seidel on W ----

// From the best answer so far. The tolerance decides how long it goes on.
static TriboStatus run_proximal(Task* task, const TriboDelassus* problem, double tolerance,
                                int sweeps, int iterations, TriboSolver solver) {
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
  if (!consider(task, task->trial, certificate, solver, TRIBO_RUNG_COLD)) ++task->info->fallbacks;
  return TRIBO_OK;
}

// A polygon that is not solved from nothing may be from the disc's answer.
static TriboStatus newton(Task* task) {
  const TriboProximalOptions o = tribo_proximal_options_default();
  const double tolerance = fmin(task->options->tolerance, o.tolerance);
  TriboStatus status = run_proximal(task, task->problem, tolerance, o.max_sweeps, o.max_iterations,
                                    TRIBO_SOLVER_NEWTON);
  if (status != TRIBO_OK || solved(task) || task->problem->cone == TRIBO_CONE_ROUND) return status;
  TriboDelassus disc = *task->problem;
  disc.cone = TRIBO_CONE_ROUND;
  status =
      run_proximal(task, &disc, tolerance, o.max_sweeps, o.max_iterations, TRIBO_SOLVER_NEWTON);
  if (status != TRIBO_OK || solved(task)) return status;
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

static TriboStatus make_rows(const Task* task, Rows* rows) {
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

static void free_rows(const Task* task, Rows* rows) {
  tribo_release(task->allocator, rows->memory, rows->size);
}

// Judges expansion.solution by W.
static bool consider_rows(Task* task, Rows* rows, TriboSolver solver, TriboRung rung) {
  tribo_expansion_impulse(&rows->expansion, task->trial);
  const TriboCertificate certificate =
      tribo_delassus_certify(task->problem, task->trial, task->scratch);
  return consider(task, task->trial, certificate, solver, rung);
}

static TriboStatus run_ladder(Task* task, Rows* rows) {
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
static TriboStatus pivot(Task* task) {
  Rows rows;
  TriboStatus status = make_rows(task, &rows);
  if (status == TRIBO_OK) status = run_ladder(task, &rows);
  free_rows(task, &rows);
  if (status != TRIBO_OK || task->info->certificate.worst <= 1e-12) return status;
  const TriboSolver by = task->info->solver;
  const bool enough = solved(task);
  const int fallbacks = task->info->fallbacks;
  status = run_proximal(task, task->problem, 1e-12, 0, 60, TRIBO_SOLVER_NEWTON);
  task->info->fallbacks = fallbacks + !enough;
  if (enough) task->info->solver = by;
  return status;
}

// Baraff's and Faure's methods on the rows.
static TriboStatus run_dantzig(Task* task, Rows* rows, TriboArena* arena) {
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

static TriboStatus run_energy(Task* task, Rows* rows, TriboArena* arena) {
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

static TriboStatus run_dense(Task* task, Rows* rows) {
  TriboStatus (*const run)(Task*, Rows*, TriboArena*) =
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

static TriboStatus dense(Task* task) {
  Rows rows;
  TriboStatus status = make_rows(task, &rows);
  if (status == TRIBO_OK) status = run_dense(task, &rows);
  free_rows(task, &rows);
  return status;
}

// ---- No-slip, viscous, frictionless ----

typedef struct Psd {
  TriboPsdSolver* solver;
  TriboNoslipSolver* noslip;
  double* compliance;
} Psd;

static void psd_layout(Psd* psd, TriboArena* arena, const TriboContactProblem* p) {
  const int ny = p->ny + p->T.count;
  TriboFactor* factor = tribo_factor_init_dense(arena, ny, p->N.count + p->T.count);
  psd->solver = tribo_psd_init(arena, factor, ny, p->T.count, p->N.count);
  const TriboNoslipSizes sizes = {p->ny, 0, p->N.count, p->T.count, p->ng, p->T.start[p->T.count]};
  psd->noslip = tribo_noslip_init(arena, psd->solver, sizes);
  psd->compliance = tribo_arena_doubles(arena, p->ng);
}

// Normal conditions by W with no friction allowed; the tangents by their own law, u_t + c t = 0
// wherever they took part.
static TriboCertificate judge_psd(Task* task, const Rows* rows, double compliance) {
  const TriboDelassus* p = task->problem;
  const TriboMode* mode = rows->expansion.solution.mode_g;
  TriboCertificate result = tribo_delassus_certify(p, task->trial, task->scratch);
  result.cone = result.stick = result.direction = 0;
  double velocity = 0;
  for (int i = 0; i < p->W.count; ++i) {
    const double size = sqrt(tribo_delassus_diagonal(&p->W, i));
    velocity = fmax(velocity, fabs(p->q[i]) / (size > 0 ? size : 1));
  }
  const int tangents = p->size - 1;
  for (int i = 0; i < p->contacts * tangents && velocity > 0; ++i) {
    const int row = i / tangents * p->size + 1 + i % tangents;
    if (mode[i / tangents] == TRIBO_MODE_SEPARATE) continue;
    const double size = sqrt(tribo_delassus_diagonal(&p->W, row));
    const double off = task->scratch[row] + compliance * task->trial[row];
    result.equality = fmax(result.equality, fabs(off) / ((size > 0 ? size : 1) * velocity));
  }
  result.worst =
      fmax(fmax(result.penetration, result.sign), fmax(result.complementarity, result.equality));
  return result;
}

// The model's compliance of tangents: u_t + c t = 0.
static double model_compliance(const TriboMatrixOptions* o) {
  if (o->model == TRIBO_MODEL_FRICTIONLESS) return INFINITY;
  return o->model == TRIBO_MODEL_VISCOUS ? 1 / o->viscosity : 0;
}

// The compliance of a group that is `soft` of its tangents' own.
static double softness(const TriboContactProblem* p, int g, double soft) {
  double square = 0;
  for (int row = p->group[g].tangent; row < p->group[g].tangent + p->group[g].rows; ++row) {
    for (int e = p->T.start[row]; e < p->T.start[row + 1]; ++e) {
      square += p->T.value[e] * p->T.value[e];
    }
  }
  return soft * square / p->group[g].rows;
}

// Solves, judges by W, and again with targets corrected for what J J^T misses of W. With soft > 0
// tangents have that much compliance more, relative, and targets that take it back for the
// impulses so far (a proximal point iteration): redundant tangents whose targets contradict each
// other then have an answer, and those that do not lose the compliance.
static TriboStatus correct_psd(Task* task, Rows* rows, Psd* psd, double soft, int returns) {
  const TriboMatrixOptions* o = task->options;
  const TriboContactProblem* p = &rows->expansion.problem;
  const double compliance = model_compliance(o);
  TriboPsdOptions options = tribo_psd_options_default();
  if (o->solver == TRIBO_SOLVER_PPM) options.method = TRIBO_PSD_PPM;
  if (o->solver == TRIBO_SOLVER_DANTZIG) options.method = TRIBO_PSD_DANTZIG;
  const TriboSolver by = o->solver == TRIBO_SOLVER_AUTO ? TRIBO_SOLVER_DUAL : o->solver;
  const TriboRung rung = soft > 0 ? TRIBO_RUNG_COMPLIANCE : TRIBO_RUNG_COLD;
  for (int g = 0; g < p->ng; ++g) psd->compliance[g] = compliance + softness(p, g, soft);
  const TriboNoslipLaw law = {psd->compliance, INFINITY, returns};
  int idle = 0;
  for (int round = 0; round < (soft > 0 ? SOFT_CORRECTIONS : CORRECTIONS); ++round) {
    TriboNoslipInfo info;
    TriboContactSolution* solution = &rows->expansion.solution;
    const TriboMode* warm = soft > 0 && round > 0 ? solution->mode_N : NULL;
    const TriboStatus status =
        tribo_noslip_solve(psd->noslip, p, &law, &options, warm, solution, &info);
    task->info->pivots += info.psd.pivots;
    // Corrected targets of redundant rows may contradict each other: then the last answer stays.
    if (status == TRIBO_ERROR_INFEASIBLE && round > 0) break;
    if (status != TRIBO_OK && status != TRIBO_ERROR_LIMIT) return status;
    const double before = task->info->certificate.worst;
    (void)tribo_expansion_certify(&rows->expansion, TRIBO_CONE_ROUND);
    for (int g = 0; g < p->ng && soft > 0; ++g) {
      for (int r = p->group[g].tangent; r < p->group[g].tangent + p->group[g].rows; ++r) {
        rows->expansion.b[p->N.count + r] += softness(p, g, soft) * solution->t[r];
      }
    }
    tribo_expansion_impulse(&rows->expansion, task->trial);
    const double c = isinf(compliance) ? 0 : compliance;
    (void)consider(task, task->trial, judge_psd(task, rows, c), by, rung);
    idle = task->info->certificate.worst < 0.5 * before ? 0 : idle + 1;
    if (task->info->certificate.worst <= (soft > 0 ? 1e-2 * o->tolerance : 1e-13)) break;
    if (idle > (soft > 0 ? 3 : 0)) break;
  }
  return TRIBO_OK;
}

// The targets as they were given.
static void reset_targets(const Task* task, Rows* rows) {
  const int contacts = rows->expansion.contacts, size = rows->expansion.size;
  for (int c = 0; c < contacts; ++c) {
    const double* q = task->problem->q + c * size;
    rows->expansion.b[c] = -q[0];
    for (int r = 1; r < size; ++r) rows->expansion.b[contacts + c * (size - 1) + r - 1] = -q[r];
  }
}

// Rigid, and then softer. Where contacts that press again find no answer with their tangents, there
// may be one in which those that separated once slide.
static TriboStatus solve_psd_rows(Task* task, Rows* rows, Psd* psd) {
  static const struct {
    double soft;
    int returns;
  } rungs[] = {{1e-8, 2}, {1e-5, 2}, {1e-8, 0}, {1e-5, 0}};
  const TriboStatus rigid = correct_psd(task, rows, psd, 0, 2);
  const bool tangents = task->options->model != TRIBO_MODEL_FRICTIONLESS;
  if (!tangents || (rigid != TRIBO_OK && rigid != TRIBO_ERROR_INFEASIBLE)) return rigid;
  for (int i = 0; i < (int)(sizeof rungs / sizeof rungs[0]) && !solved(task); ++i) {
    ++task->info->fallbacks;
    reset_targets(task, rows);
    const TriboStatus status = correct_psd(task, rows, psd, rungs[i].soft, rungs[i].returns);
    if (status != TRIBO_OK) return rigid != TRIBO_OK ? rigid : status;
  }
  return TRIBO_OK;
}

static TriboStatus run_psd(Task* task) {
  Rows rows;
  TriboStatus status = make_rows(task, &rows);
  if (status == TRIBO_OK) {
    Psd psd;
    TriboArena measure = tribo_arena_measure();
    psd_layout(&psd, &measure, &rows.expansion.problem);
    void* memory = tribo_allocate(task->allocator, measure.used);
    status = TRIBO_ERROR_MEMORY;
    if (memory != NULL) {
      TriboArena arena = tribo_arena_over(memory, measure.used);
      psd_layout(&psd, &arena, &rows.expansion.problem);
      status = solve_psd_rows(task, &rows, &psd);
    }
    tribo_release(task->allocator, memory, measure.used);
  }
  free_rows(task, &rows);
  return status;
}

// ---- The ladder of both ----

static TriboStatus pivot_and_newton(Task* task) {
  const int n = task->problem->W.count;
  TriboStatus status = n <= PIVOT_FIRST ? pivot(task) : newton(task);
  if (status != TRIBO_OK || solved(task)) return status;
  if (n <= PIVOT_FIRST) return newton(task);
  return n <= PIVOT_LAST ? pivot(task) : TRIBO_OK;
}

// Dantzig's algorithm on the rows of small problems, Newton on W from its answer, and where that
// does not certify the others.
static TriboStatus dantzig(Task* task) {
  TriboStatus status = TRIBO_OK;
  if (task->problem->W.count <= PIVOT_FIRST) status = dense(task);
  if (status != TRIBO_OK || solved(task)) return status;
  ++task->info->fallbacks;
  if (isfinite(task->info->certificate.worst)) {
    status =
        run_proximal(task, task->problem, task->options->tolerance, 0, 60, TRIBO_SOLVER_NEWTON);
    if (status != TRIBO_OK || solved(task)) return status;
  }
  status = pivot_and_newton(task);
  if (solved(task)) task->info->rung = TRIBO_RUNG_LADDER;
  return status;
}

static TriboStatus climb(Task* task) {
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

static TriboStatus solve_task(Task* task) {
  if (task->options->model == TRIBO_MODEL_COULOMB) return climb(task);
  const TriboStatus status = run_psd(task);
  const bool open = status == TRIBO_OK && !solved(task);
  const bool newton_fits = task->options->model == TRIBO_MODEL_FRICTIONLESS;
  return open && newton_fits ? newton(task) : status;
}

TriboStatus tribo_matrix_solve(const TriboDelassus* problem, const TriboMatrixOptions* options,
                               const TriboAllocator* allocator, double* r, TriboMatrixInfo* info) {
  const size_t n = (size_t)problem->W.count, contacts = (size_t)problem->contacts;
  TriboDelassus given = *problem;
  Task task = {.problem = &given, .options = options, .allocator = allocator, .r = r, .info = info};
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
  if (solved(&task)) return TRIBO_OK;
  return task.rays ? TRIBO_ERROR_RAY : TRIBO_ERROR_LIMIT;
}
