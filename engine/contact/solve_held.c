// SPDX-License-Identifier: Apache-2.0
//
// Models whose problem is positive semidefinite. Frictionless: the dual active set, PPM or Dantzig
// (solvers/psd.h). No-slip and viscous: tangents of touching contacts as equality rows
// (solvers/noslip.h); where joints have dry friction or saturated motors as well, or Lemke's
// algorithm is asked for, the ladder solves what noslip.h leaves, equality rows and joint groups.
#include <string.h>

#include "engine/contact/island_solvers.h"
#include "solvers/certificate.h"
#include "solvers/factor.h"
#include "solvers/noslip.h"

// The solvers of positive semidefinite problems. Tangents may be equality rows, without compliance
// and so without coordinates of their own.
typedef struct Psd {
  TriboPsdSolver* psd;
  TriboNoslipSolver* noslip;
  TriboFrictionGroup* group;  // as the certificate must see them         (ng)
  double* scratch;            // (ny)
} Psd;

static Psd psd_init(TriboArena* arena, TriboSolverCapacity size, bool tangents) {
  const int more = tangents ? size.t : 0;
  TriboFactor* factor = tribo_factor_init_dense(arena, size.ny, size.x + more + size.n);
  Psd solver = {NULL, NULL, NULL, NULL};
  solver.psd = tribo_psd_init(arena, factor, size.ny, size.x + more, size.n);
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

void tribo_island_measure_held(TriboArena* arena, TriboSolverCapacity size) {
  TriboArena psd = *arena, ladder = *arena;
  (void)psd_init(&psd, size, true);
  size.x += size.t;
  (void)equalities_init(&ladder, size);
  (void)tribo_contact_solver_init(&ladder, size);
  *arena = psd.used > ladder.used ? psd : ladder;
}

static TriboPsdOptions psd_options(const TriboStepOptions* options) {
  TriboPsdOptions choice = tribo_psd_options_default();
  choice.pivots = options->budget;
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

TriboStatus tribo_island_frictionless(const TriboStepOptions* options,
                                      const TriboContactProblem* problem,
                                      const TriboContactSolution* warm,
                                      TriboContactSolution* solution, TriboArena* scratch,
                                      TriboIslandInfo* info) {
  if (options->solver == TRIBO_SOLVER_LEMKE)
    return tribo_island_ladder(options, problem, false, warm, solution, scratch, info);
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
int tribo_island_joint_groups(const TriboContactProblem* problem) {
  int count = 0;
  while (count < problem->ng && problem->group[count].normal < 0) ++count;
  return count;
}

// For the certificate: tangents that took part hold (a bound beyond all impulses), others carry
// nothing.
TriboContactProblem tribo_island_as_held(const TriboContactProblem* problem,
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
                                  const TriboContactProblem* problem, double refuse,
                                  const TriboContactSolution* warm, TriboContactSolution* solution,
                                  TriboArena* scratch, TriboIslandInfo* info) {
  const Psd solver = psd_init(scratch, tribo_solver_capacity_of(problem), true);
  if (solver.noslip == NULL || scratch->overflowed) return TRIBO_ERROR_CAPACITY;
  TriboPsdOptions choice = psd_options(options);
  choice.by_share = refuse > 0;
  if (refuse > 0) choice.refuse = refuse;
  const TriboNoslipLaw law = {NULL, options->touching / options->h, 2, NULL};
  TriboNoslipInfo result;
  const TriboStatus status = tribo_noslip_solve(
      solver.noslip, problem, &law, &choice, warm != NULL ? warm->mode_N : NULL, solution, &result);
  info->rung = warm != NULL ? TRIBO_RUNG_WARM : TRIBO_RUNG_COLD;
  info->pivots = result.psd.pivots;
  info->row = result.psd.equality && result.psd.row < problem->X.count ? result.psd.row : -1;
  if (status != TRIBO_OK) return status;
  const TriboContactProblem held = tribo_island_as_held(problem, solution, solver.group);
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

// Tangents as equality rows for the ladder, which knows joint groups and Lemke's algorithm; a few
// rounds.
static TriboStatus solve_by_ladder(const TriboStepOptions* options,
                                   const TriboContactProblem* problem,
                                   TriboContactSolution* solution, TriboArena* scratch,
                                   TriboIslandInfo* info) {
  const int joints = tribo_island_joint_groups(problem);
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
  int pivots = 0;
  for (int round = 0; again && round < 5; ++round) {
    const TriboContactProblem built = build_round(&rows, problem, solution->mode_g, joints);
    const size_t mark = tribo_arena_mark(scratch);
    const TriboStatus status =
        tribo_island_ladder(options, &built, false, NULL, &trial, scratch, info);
    tribo_arena_reset(scratch, mark);
    pivots += info->pivots;
    info->pivots = pivots;
    if (status != TRIBO_OK) return status;
    again = read_round(&rows, problem, joints, solution);
  }
  const TriboContactProblem held = tribo_island_as_held(problem, solution, rows.group);
  return judge(options, &held, solution, rows.y, info);
}

TriboStatus tribo_island_held(const TriboStepOptions* options, const TriboContactProblem* problem,
                              double refuse, const TriboContactSolution* warm,
                              TriboContactSolution* solution, TriboArena* scratch,
                              TriboIslandInfo* info) {
  const bool by_ladder =
      options->solver == TRIBO_SOLVER_LEMKE || tribo_island_joint_groups(problem) > 0;
  return by_ladder ? solve_by_ladder(options, problem, solution, scratch, info)
                   : solve_tangents(options, problem, refuse, warm, solution, scratch, info);
}
