// SPDX-License-Identifier: Apache-2.0
//
// Who solves what:
//
//   Coulomb                      the ladder of solvers/solve.h; on request PGS, Dantzig
//                                [Baraff1994] (the ladder where it does not certify) or the
//                                energy method [Faure1996]; PGS with a budget
//   no-slip, viscous             tangents of touching contacts as equality rows (solvers/noslip.h);
//                                where joints have dry friction or saturated motors as well, the
//                                ladder solves what noslip.h leaves: equality rows and joint groups
//   frictionless                 the dual active set, PPM or Dantzig (solvers/psd.h)
#include "engine/contact/solve_island.h"

#include <math.h>
#include <string.h>

#include "solvers/certificate.h"
#include "solvers/dantzig_coulomb.h"
#include "solvers/energy.h"
#include "solvers/factor.h"
#include "solvers/noslip.h"
#include "solvers/pgs.h"
#include "solvers/psd.h"
#include "solvers/solve.h"

void tribo_certificate_worsen(TriboCertificate* all, const TriboCertificate* one) {
  all->dynamics = fmax(all->dynamics, one->dynamics);
  all->equality = fmax(all->equality, one->equality);
  all->penetration = fmax(all->penetration, one->penetration);
  all->sign = fmax(all->sign, one->sign);
  all->complementarity = fmax(all->complementarity, one->complementarity);
  all->cone = fmax(all->cone, one->cone);
  all->stick = fmax(all->stick, one->stick);
  all->direction = fmax(all->direction, one->direction);
  all->worst = fmax(all->worst, one->worst);
}

void tribo_island_info_add(TriboIslandInfo* sum, const TriboIslandInfo* one) {
  sum->pivots += one->pivots;
  sum->iterations += one->iterations;
  if (one->rung > sum->rung) sum->rung = one->rung;
  sum->stopped = sum->stopped || one->stopped;
  sum->relaxed = sum->relaxed || one->relaxed;
  tribo_certificate_worsen(&sum->certificate, &one->certificate);
}

bool tribo_solver_fits(TriboSolver solver, TriboContactModel model) {
  switch (solver) {
    case TRIBO_SOLVER_AUTO:
      return true;
    case TRIBO_SOLVER_LEMKE:
    case TRIBO_SOLVER_ENERGY:
    case TRIBO_SOLVER_PGS:
      return model == TRIBO_MODEL_COULOMB;
    case TRIBO_SOLVER_DANTZIG:
      return model == TRIBO_MODEL_COULOMB || model == TRIBO_MODEL_FRICTIONLESS;
    default:
      return model != TRIBO_MODEL_COULOMB;
  }
}

// ---- memory

// Largest problem that an island of the set can be, with every tangent as an equality row.
static TriboSolverCapacity largest_problem(const TriboProblemSet* set) {
  TriboSolverCapacity capacity = {.ny = set->max_y,
                                  .x = set->X.capacity,
                                  .n = set->N.capacity,
                                  .t = set->T.capacity,
                                  .groups = set->max_groups,
                                  .facets = 32};
  capacity.entries = (capacity.x + capacity.n + capacity.t) * (set->max_path + 1);
  return capacity;
}

// The solvers of positive semidefinite problems. Tangents may be equality rows.
typedef struct Psd {
  TriboPsdSolver* psd;
  TriboNoslipSolver* noslip;
  TriboFrictionGroup* group;  // as the certificate must see them         (ng)
  double* scratch;            // (ny)
} Psd;

static Psd psd_init(TriboArena* arena, TriboSolverCapacity size, bool tangents) {
  const int more = tangents ? size.t : 0;
  TriboFactor* factor = tribo_factor_init_dense(arena, size.ny + more, size.x + more + size.n);
  Psd solver = {NULL, NULL, NULL, NULL};
  solver.psd = tribo_psd_init(arena, factor, size.ny + more, size.x + more, size.n);
  if (tangents) {
    const TriboNoslipSizes sizes = {size.ny, size.x, size.n, size.t, size.groups, size.entries};
    solver.noslip = tribo_noslip_init(arena, solver.psd, sizes);
    solver.group = (TriboFrictionGroup*)tribo_arena_take(arena, (size_t)size.groups,
                                                         sizeof(TriboFrictionGroup));
  }
  solver.scratch = tribo_arena_doubles(arena, size.ny);
  return solver;
}

// A problem whose tangents are equality rows.
typedef struct Equalities {
  TriboRows X;
  double *b_X, *x;  // (X)
  double* y;        // (ny)
  TriboFrictionGroup* group;
} Equalities;

static Equalities equalities_init(TriboArena* arena, TriboSolverCapacity size) {
  Equalities made;
  made.X.count = 0;
  made.X.start = tribo_arena_ints(arena, size.x + 1);
  made.X.index = tribo_arena_ints(arena, size.entries);
  made.X.value = tribo_arena_doubles(arena, size.entries);
  made.b_X = tribo_arena_doubles(arena, size.x);
  made.x = tribo_arena_doubles(arena, size.x);
  made.y = tribo_arena_doubles(arena, size.ny);
  made.group =
      (TriboFrictionGroup*)tribo_arena_take(arena, (size_t)size.groups, sizeof(TriboFrictionGroup));
  return made;
}

static TriboSolverCapacity softened_size(TriboSolverCapacity size);
static size_t softened_scratch(TriboSolverCapacity size, bool joints);

size_t tribo_island_scratch(const TriboProblemSet* set) {
  const TriboSolverCapacity capacity = largest_problem(set);
  TriboArena coulomb = tribo_arena_measure(), psd = tribo_arena_measure();
  (void)tribo_contact_solver_init(&coulomb, capacity);
  (void)psd_init(&psd, capacity, true);
  size_t most = coulomb.used > psd.used ? coulomb.used : psd.used;
  const size_t soft = softened_scratch(softened_size(capacity), set->joint.capacity > 0);
  return soft > most ? soft : most;
}

// ---- Coulomb

static TriboStatus solve_ladder(const TriboStepOptions* options, const TriboContactProblem* problem,
                                const TriboContactSolution* warm, TriboContactSolution* solution,
                                TriboArena* scratch, TriboIslandInfo* info) {
  TriboContactSolver* solver =
      tribo_contact_solver_init_warm(scratch, tribo_solver_capacity_of(problem));
  if (solver == NULL) return TRIBO_ERROR_CAPACITY;
  TriboContactOptions choice = tribo_contact_options_default();
  choice.cone = options->cone;
  choice.tolerance = options->tolerance;
  choice.validated = true;
  choice.pivoting = options->solver == TRIBO_SOLVER_LEMKE;
  choice.canonical = options->canonical;
  TriboContactInfo result;
  const TriboStatus status = tribo_contact_solve(solver, problem, &choice, warm, solution, &result);
  info->rung = result.rung;
  info->pivots = result.pivots;
  info->iterations = result.iterations + result.sweeps;
  info->row = result.row;
  info->certificate = result.certificate;
  return status;
}

// ---- softened: where faces are misaligned by rounding, sticking and pushing contacts can
// contradict each other by 1e-9, and rigid answers hold stresses that no solver finds. A compliance
// of all normals and tangents, so small that it gives way by the same 1e-9, removes the
// contradiction. A compliant row has one more coordinate (problem.h), so the certificate covers it.

typedef struct Softened {
  TriboRows N, T;
  double *k, *y;
} Softened;

static TriboSolverCapacity softened_size(TriboSolverCapacity size) {
  size.ny += size.n + size.t;
  size.entries += size.n + size.t;
  return size;
}

// `size` is that of the softened problem.
static Softened softened_init(TriboArena* arena, TriboSolverCapacity size) {
  Softened made;
  TriboRows* rows[] = {&made.N, &made.T};
  const int count[] = {size.n, size.t};
  for (int b = 0; b < 2; ++b) {
    rows[b]->count = 0;
    rows[b]->start = tribo_arena_ints(arena, count[b] + 1);
    rows[b]->index = tribo_arena_ints(arena, size.entries);
    rows[b]->value = tribo_arena_doubles(arena, size.entries);
  }
  made.k = tribo_arena_doubles(arena, size.ny);
  made.y = tribo_arena_doubles(arena, size.ny);
  return made;
}

// Of whatever solves the softened problem, and so enough for the rigid one too.
static size_t softened_scratch(TriboSolverCapacity size, bool joints) {
  TriboArena coulomb = tribo_arena_measure();
  (void)softened_init(&coulomb, size);
  TriboArena psd = coulomb, both = coulomb;
  (void)tribo_contact_solver_init(&coulomb, size);
  (void)psd_init(&psd, size, true);
  size_t most = coulomb.used > psd.used ? coulomb.used : psd.used;
  if (joints) {
    size.x += size.t;
    (void)equalities_init(&both, size);
    (void)tribo_contact_solver_init(&both, size);
    if (both.used > most) most = both.used;
  }
  return most;
}

static void soften_rows(const TriboRows* from, double compliance, TriboRows* to, int* ny) {
  int at = 0;
  to->count = from->count;
  to->start[0] = 0;
  for (int i = 0; i < from->count; ++i) {
    double square = 0;
    for (int e = from->start[i]; e < from->start[i + 1]; ++e) {
      to->index[at] = from->index[e];
      to->value[at++] = from->value[e];
      square += from->value[e] * from->value[e];
    }
    to->index[at] = (*ny)++;
    to->value[at++] = sqrt(compliance * square);
    to->start[i + 1] = at;
  }
}

// The problem with softened tangents and, for Coulomb friction, normals.
static TriboContactProblem soften(const Softened* made, const TriboContactProblem* problem,
                                  double compliance, bool normals) {
  Softened soft = *made;
  TriboContactProblem built = *problem;
  if (normals) {
    soften_rows(&problem->N, compliance, &soft.N, &built.ny);
    built.N = soft.N;
  }
  soften_rows(&problem->T, compliance, &soft.T, &built.ny);
  built.T = soft.T;
  memcpy(soft.k, problem->k, (size_t)problem->ny * sizeof(double));
  memset(soft.k + problem->ny, 0, (size_t)(built.ny - problem->ny) * sizeof(double));
  built.k = soft.k;
  return built;
}

static TriboStatus solve_held(const TriboStepOptions* options, const TriboContactProblem* problem,
                              const TriboContactSolution* warm, TriboContactSolution* solution,
                              TriboArena* scratch, TriboIslandInfo* info);

static TriboStatus solve_softened(const TriboStepOptions* options,
                                  const TriboContactProblem* problem, double compliance,
                                  TriboContactSolution* solution, TriboArena* scratch,
                                  TriboIslandInfo* info) {
  const bool coulomb = options->model == TRIBO_MODEL_COULOMB;
  const Softened soft = softened_init(scratch, softened_size(tribo_solver_capacity_of(problem)));
  if (scratch->overflowed) return TRIBO_ERROR_CAPACITY;
  const TriboContactProblem built = soften(&soft, problem, compliance, coulomb);
  TriboContactSolution trial = *solution;
  trial.y = soft.y;
  const TriboStatus status = coulomb ? solve_ladder(options, &built, NULL, &trial, scratch, info)
                                     : solve_held(options, &built, NULL, &trial, scratch, info);
  if (status != TRIBO_OK) return status;
  memcpy(solution->y, soft.y, (size_t)problem->ny * sizeof(double));
  if (info->rung < TRIBO_RUNG_COMPLIANCE) info->rung = TRIBO_RUNG_COMPLIANCE;
  info->relaxed = true;
  return TRIBO_OK;
}

TriboStatus tribo_island_solve_softened(const TriboStepOptions* options,
                                        const TriboContactProblem* problem, double compliance,
                                        TriboContactSolution* solution, TriboArena* scratch,
                                        TriboIslandInfo* info) {
  memset(info, 0, sizeof *info);
  info->row = -1;
  info->certificate.worst = INFINITY;
  const size_t mark = tribo_arena_mark(scratch);
  info->status = solve_softened(options, problem, compliance, solution, scratch, info);
  tribo_arena_reset(scratch, mark);
  return info->status;
}

// Anytime: as many sweeps as the budget allows, from the last step's impulses.
static TriboStatus solve_pgs(const TriboStepOptions* options, const TriboContactProblem* problem,
                             const TriboContactSolution* warm, TriboContactSolution* solution,
                             TriboArena* scratch, TriboIslandInfo* info) {
  double* y = tribo_arena_doubles(scratch, problem->ny);
  if (y == NULL && problem->ny > 0) return TRIBO_ERROR_CAPACITY;
  const size_t x = (size_t)problem->X.count, n = (size_t)problem->N.count,
               t = (size_t)problem->T.count;
  if (warm != NULL) {
    memcpy(solution->x, warm->x, x * sizeof(double));
    memcpy(solution->f, warm->f, n * sizeof(double));
    memcpy(solution->t, warm->t, t * sizeof(double));
  } else {
    memset(solution->x, 0, x * sizeof(double));
    memset(solution->f, 0, n * sizeof(double));
    memset(solution->t, 0, t * sizeof(double));
  }
  TriboPgsOptions choice = tribo_pgs_options_default();
  choice.cone = options->cone;
  if (options->budget > 0) choice.sweeps = options->budget;
  TriboPgsStats stats;
  const TriboStatus status = tribo_pgs_solve(problem, &choice, solution, &stats);
  if (status != TRIBO_OK && status != TRIBO_ERROR_LIMIT) return status;
  info->rung = TRIBO_RUNG_PGS;
  info->iterations = stats.sweeps;
  info->certificate = tribo_certify(problem, options->cone, solution, y);
  if (info->certificate.worst <= options->tolerance) return TRIBO_OK;
  info->stopped = options->budget > 0;
  return info->stopped && isfinite(info->certificate.worst) ? TRIBO_OK : TRIBO_ERROR_LIMIT;
}

// Dantzig's answer, or where its recorded directions are not yet Coulomb's, Newton's from there.
// Where neither certifies, the ladder's, and the rung says so.
static TriboStatus solve_dantzig(const TriboStepOptions* options,
                                 const TriboContactProblem* problem, TriboContactSolution* solution,
                                 TriboArena* scratch, TriboIslandInfo* info) {
  const size_t mark = tribo_arena_mark(scratch);
  TriboDantzigCoulomb* solver = tribo_dantzig_coulomb_init(
      scratch, problem->ny, problem->X.count, problem->N.count, problem->T.count, problem->ng);
  TriboDantzigCoulombInfo own = {.certificate.worst = INFINITY};
  TriboStatus status = TRIBO_ERROR_LIMIT;
  if (solver != NULL) {
    status = tribo_dantzig_coulomb_solve(solver, problem, options->cone, options->tolerance,
                                         solution, &own);
  }
  tribo_arena_reset(scratch, mark);
  info->rung = TRIBO_RUNG_COLD;
  info->pivots = own.pivots;
  info->certificate = own.certificate;
  if (status != TRIBO_ERROR_LIMIT) return status;
  const TriboContactSolution* from = isfinite(own.certificate.worst) ? solution : NULL;
  status = solve_ladder(options, problem, from, solution, scratch, info);
  info->pivots += own.pivots;
  const bool polished = from != NULL && info->rung == TRIBO_RUNG_WARM;
  if (status == TRIBO_OK) info->rung = polished ? TRIBO_RUNG_COLD : TRIBO_RUNG_LADDER;
  return status;
}

static TriboStatus solve_energy(const TriboStepOptions* options, const TriboContactProblem* problem,
                                TriboContactSolution* solution, TriboArena* scratch,
                                TriboIslandInfo* info) {
  const int rows = problem->X.count + problem->N.count + problem->T.count;
  double* y = tribo_arena_doubles(scratch, problem->ny);
  TriboEnergySolver* solver = tribo_energy_init(scratch, rows, problem->ng);
  if (solver == NULL || y == NULL) return TRIBO_ERROR_CAPACITY;
  TriboEnergyOptions choice = tribo_energy_options_default();
  if (options->budget > 0) choice.iterations = options->budget;
  TriboEnergyResult result;
  const TriboStatus status =
      tribo_energy_solve(solver, problem, NULL, 0, &choice, solution, &result);
  if (status != TRIBO_OK && status != TRIBO_ERROR_LIMIT) return status;
  info->rung = TRIBO_RUNG_COLD;
  info->iterations = result.iterations;
  info->certificate = tribo_certify(problem, options->cone, solution, y);
  if (info->certificate.worst <= options->tolerance) return TRIBO_OK;
  info->stopped = options->budget > 0;
  return info->stopped && isfinite(info->certificate.worst) ? TRIBO_OK : TRIBO_ERROR_LIMIT;
}

// By the solver that the options name.
static TriboStatus solve_coulomb(const TriboStepOptions* options,
                                 const TriboContactProblem* problem,
                                 const TriboContactSolution* warm, TriboContactSolution* solution,
                                 TriboArena* scratch, TriboIslandInfo* info) {
  if (options->solver == TRIBO_SOLVER_ENERGY) {
    return solve_energy(options, problem, solution, scratch, info);
  }
  if (options->solver == TRIBO_SOLVER_PGS || options->budget > 0) {
    return solve_pgs(options, problem, warm, solution, scratch, info);
  }
  if (options->solver == TRIBO_SOLVER_DANTZIG) {
    return solve_dantzig(options, problem, solution, scratch, info);
  }
  return solve_ladder(options, problem, warm, solution, scratch, info);
}

// ---- positive semidefinite models

static TriboPsdOptions psd_options(const TriboStepOptions* options) {
  TriboPsdOptions choice = tribo_psd_options_default();
  if (options->solver == TRIBO_SOLVER_PPM) choice.method = TRIBO_PSD_PPM;
  if (options->solver == TRIBO_SOLVER_DANTZIG) choice.method = TRIBO_PSD_DANTZIG;
  return choice;
}

static TriboStatus judge(const TriboStepOptions* options, const TriboContactProblem* problem,
                         const TriboContactSolution* solution, double* scratch,
                         TriboIslandInfo* info) {
  info->certificate = tribo_certify(problem, TRIBO_CONE_ROUND, solution, scratch);
  return info->certificate.worst <= options->tolerance ? TRIBO_OK : TRIBO_ERROR_LIMIT;
}

static TriboStatus solve_frictionless(const TriboStepOptions* options,
                                      const TriboContactProblem* problem,
                                      const TriboContactSolution* warm,
                                      TriboContactSolution* solution, TriboArena* scratch,
                                      TriboIslandInfo* info) {
  const Psd solver = psd_init(scratch, tribo_solver_capacity_of(problem), false);
  if (solver.psd == NULL || scratch->overflowed) return TRIBO_ERROR_CAPACITY;
  const TriboPsdOptions choice = psd_options(options);
  TriboPsdInfo result;
  const TriboStatus status = tribo_psd_solve(solver.psd, problem, &choice,
                                             warm != NULL ? warm->mode_N : NULL, solution, &result);
  info->rung = warm != NULL ? TRIBO_RUNG_WARM : TRIBO_RUNG_COLD;
  info->pivots = result.pivots;
  info->row = result.equality ? result.row : -1;
  return status == TRIBO_OK ? judge(options, problem, solution, solver.scratch, info) : status;
}

// How many groups belong to joints; they come before those of contacts.
static int joint_groups(const TriboContactProblem* problem) {
  int count = 0;
  while (count < problem->ng && problem->group[count].normal < 0) ++count;
  return count;
}

// For the certificate: tangents that took part hold (a bound beyond all impulses), others carry
// nothing.
static TriboContactProblem as_held(const TriboContactProblem* problem,
                                   const TriboContactSolution* solution,
                                   TriboFrictionGroup* group) {
  TriboContactProblem held = *problem;
  for (int g = 0; g < problem->ng; ++g) {
    group[g] = problem->group[g];
    if (group[g].normal < 0) continue;
    group[g].mu = 0;
    group[g].bound = solution->mode_g[g] == TRIBO_MODE_SEPARATE ? 0 : 1e100;
  }
  held.group = group;
  return held;
}

static TriboStatus solve_tangents(const TriboStepOptions* options,
                                  const TriboContactProblem* problem,
                                  const TriboContactSolution* warm, TriboContactSolution* solution,
                                  TriboArena* scratch, TriboIslandInfo* info) {
  const Psd solver = psd_init(scratch, tribo_solver_capacity_of(problem), true);
  if (solver.noslip == NULL || scratch->overflowed) return TRIBO_ERROR_CAPACITY;
  const TriboPsdOptions choice = psd_options(options);
  const TriboNoslipLaw law = {NULL, options->touching / options->h, 2};
  TriboNoslipInfo result;
  const TriboStatus status = tribo_noslip_solve(
      solver.noslip, problem, &law, &choice, warm != NULL ? warm->mode_N : NULL, solution, &result);
  info->rung = warm != NULL ? TRIBO_RUNG_WARM : TRIBO_RUNG_COLD;
  info->pivots = result.psd.pivots;
  info->row = result.psd.equality && result.psd.row < problem->X.count ? result.psd.row : -1;
  if (status != TRIBO_OK) return status;
  const TriboContactProblem held = as_held(problem, solution, solver.group);
  return judge(options, &held, solution, solver.scratch, info);
}

// Appends a row to the equality rows.
static void append_row(Equalities* to, const TriboRows* from, int row, double target) {
  int at = to->X.start[to->X.count];
  for (int e = from->start[row]; e < from->start[row + 1]; ++e, ++at) {
    to->X.index[at] = from->index[e];
    to->X.value[at] = from->value[e];
  }
  to->b_X[to->X.count++] = target;
  to->X.start[to->X.count] = at;
}

// The problem of one round: X, and the tangents of the contacts whose group does not separate.
static TriboContactProblem build_round(Equalities* to, const TriboContactProblem* problem,
                                       const TriboMode* mode_g, int joints) {
  to->X.count = 0;
  to->X.start[0] = 0;
  for (int i = 0; i < problem->X.count; ++i) append_row(to, &problem->X, i, problem->b_X[i]);
  for (int g = joints; g < problem->ng; ++g) {
    if (mode_g[g] == TRIBO_MODE_SEPARATE) continue;
    for (int r = problem->group[g].tangent; r < problem->group[g].tangent + 2; ++r) {
      append_row(to, &problem->T, r, problem->b_T[r]);
    }
  }
  TriboContactProblem built = *problem;
  built.X = to->X;
  built.b_X = to->b_X;
  built.ng = built.T.count = joints;
  return built;
}

// Impulses of the tangents back to their rows; tangents whose contact separates are dropped. True
// when any were.
static bool read_round(const Equalities* from, const TriboContactProblem* problem, int joints,
                       TriboContactSolution* solution) {
  bool changed = false;
  int next = problem->X.count;
  memcpy(solution->x, from->x, (size_t)problem->X.count * sizeof(double));
  for (int g = joints; g < problem->ng; ++g) {
    const int tangent = problem->group[g].tangent, normal = problem->group[g].normal;
    const bool in = solution->mode_g[g] != TRIBO_MODE_SEPARATE;
    for (int r = 0; r < 2; ++r) solution->t[tangent + r] = in ? from->x[next++] : 0;
    if (!in || solution->f[normal] > 0) continue;
    if (tribo_row_dot(&problem->N, normal, solution->y) > problem->b_N[normal] + 1e-9) {
      solution->mode_g[g] = TRIBO_MODE_SEPARATE;
      changed = true;
    }
  }
  return changed;
}

// Tangents as equality rows beside joint groups, for the ladder; a few rounds.
static TriboStatus solve_tangents_and_joints(const TriboStepOptions* options,
                                             const TriboContactProblem* problem,
                                             TriboContactSolution* solution, TriboArena* scratch,
                                             TriboIslandInfo* info) {
  const int joints = joint_groups(problem);
  TriboSolverCapacity size = tribo_solver_capacity_of(problem);
  size.x += size.t;
  Equalities rows = equalities_init(scratch, size);
  if (scratch->overflowed) return TRIBO_ERROR_CAPACITY;
  for (int g = joints; g < problem->ng; ++g) {
    const int normal = problem->group[g].normal;
    const bool leaves = tribo_row_dot(&problem->N, normal, problem->k) > problem->b_N[normal];
    solution->mode_g[g] = leaves ? TRIBO_MODE_SEPARATE : TRIBO_MODE_STICK;
  }
  TriboContactSolution trial = *solution;
  trial.x = rows.x;
  bool again = true;
  for (int round = 0; again && round < 5; ++round) {
    const TriboContactProblem built = build_round(&rows, problem, solution->mode_g, joints);
    const size_t mark = tribo_arena_mark(scratch);
    const TriboStatus status = solve_ladder(options, &built, NULL, &trial, scratch, info);
    tribo_arena_reset(scratch, mark);
    if (status != TRIBO_OK) return status;
    again = read_round(&rows, problem, joints, solution);
  }
  const TriboContactProblem held = as_held(problem, solution, rows.group);
  return judge(options, &held, solution, rows.y, info);
}

// Tangents of touching contacts as equality rows.
static TriboStatus solve_held(const TriboStepOptions* options, const TriboContactProblem* problem,
                              const TriboContactSolution* warm, TriboContactSolution* solution,
                              TriboArena* scratch, TriboIslandInfo* info) {
  return joint_groups(problem) == 0
             ? solve_tangents(options, problem, warm, solution, scratch, info)
             : solve_tangents_and_joints(options, problem, solution, scratch, info);
}

// Whether y+ = 0 meets every row.
static bool rest_is_feasible(const TriboContactProblem* problem) {
  for (int i = 0; i < problem->X.count; ++i) {
    if (problem->b_X[i] != 0) return false;
  }
  for (int i = 0; i < problem->N.count; ++i) {
    if (problem->b_N[i] > 0) return false;
  }
  for (int i = 0; i < problem->T.count; ++i) {
    if (problem->b_T[i] != 0) return false;
  }
  return true;
}

// Tangents that hold a body in several points nearly depend on each other: two points along the
// line between them, or contacts that almost coincide. Taken as they are, such rows hold the body
// by huge stresses, or contradict each other in double precision. A compliance of the tangents
// removes what parts below its root would hold; the answer is then of a relaxed problem.
static TriboStatus solve_held_or_softened(const TriboStepOptions* options,
                                          const TriboContactProblem* problem,
                                          const TriboContactSolution* warm,
                                          TriboContactSolution* solution, TriboArena* scratch,
                                          TriboIslandInfo* info) {
  static const double compliance[] = {1e-10, 1e-8};
  const size_t mark = tribo_arena_mark(scratch);
  TriboStatus status = solve_held(options, problem, warm, solution, scratch, info);
  for (int i = 0; i < 2 && status != TRIBO_OK && rest_is_feasible(problem); ++i) {
    if (status != TRIBO_ERROR_INFEASIBLE && status != TRIBO_ERROR_LIMIT) break;
    tribo_arena_reset(scratch, mark);
    status = solve_softened(options, problem, compliance[i], solution, scratch, info);
  }
  return status;
}

// ---- the choice

TriboStatus tribo_island_solve(const TriboStepOptions* options, const TriboContactProblem* problem,
                               const TriboContactSolution* warm, TriboContactSolution* solution,
                               TriboArena* scratch, TriboIslandInfo* info) {
  memset(info, 0, sizeof *info);
  info->row = -1;
  info->certificate.worst = INFINITY;
  const size_t mark = tribo_arena_mark(scratch);
  const int joints = joint_groups(problem);
  if (problem->ng == 0) {
    info->status = solve_frictionless(options, problem, warm, solution, scratch, info);
  } else if (options->model == TRIBO_MODEL_COULOMB || joints == problem->ng) {
    info->status = solve_coulomb(options, problem, warm, solution, scratch, info);
  } else {
    info->status = solve_held_or_softened(options, problem, warm, solution, scratch, info);
  }
  tribo_arena_reset(scratch, mark);
  return info->status;
}
