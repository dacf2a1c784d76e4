// SPDX-License-Identifier: Apache-2.0
#include "engine/contact/solve_island.h"

#include <math.h>
#include <string.h>

#include "solvers/certificate.h"
#include "solvers/factor.h"
#include "solvers/psd.h"
#include "solvers/solve.h"

// Largest problem that an island of the set can be.
static TriboSolverCapacity largest_problem(const TriboProblemSet* set, const TriboModel* model) {
  const int joints = set->joint.capacity, contacts = set->max_contacts;
  const int tangents = (set->has_spin ? 5 : 2) * contacts + joints;
  int loops = 0;
  for (int l = 0; l < set->loops; ++l) loops += tribo_loop_rows(model->source->loop[l].type);
  TriboSolverCapacity capacity = {.ny = model->nv + joints + loops,
                                  .x = loops,
                                  .n = contacts + joints,
                                  .t = tangents,
                                  .groups = (set->has_spin ? 3 : 1) * contacts + joints,
                                  .facets = 32};
  capacity.entries = (capacity.x + capacity.n + capacity.t) * (set->max_path + 1);
  return capacity;
}

// Without friction: the dual active set on a dense factor.
typedef struct Frictionless {
  TriboPsdSolver* psd;
  double* scratch;  // ny
} Frictionless;

static Frictionless frictionless_init(TriboArena* arena, int ny, int x, int n) {
  TriboFactor* factor = tribo_factor_init_dense(arena, ny, x + n);
  Frictionless solver;
  solver.psd = tribo_psd_init(arena, factor, ny, x, n);
  solver.scratch = tribo_arena_doubles(arena, ny);
  return solver;
}

size_t tribo_island_scratch(const TriboProblemSet* set, const TriboModel* model) {
  const TriboSolverCapacity capacity = largest_problem(set, model);
  TriboArena coulomb = tribo_arena_measure(), frictionless = tribo_arena_measure();
  (void)tribo_contact_solver_init(&coulomb, capacity);
  (void)frictionless_init(&frictionless, capacity.ny, capacity.x, capacity.n);
  return coulomb.used > frictionless.used ? coulomb.used : frictionless.used;
}

static TriboStatus solve_coulomb(const TriboStepOptions* options,
                                 const TriboContactProblem* problem,
                                 const TriboContactSolution* warm, TriboContactSolution* solution,
                                 TriboArena* scratch, TriboIslandInfo* info) {
  TriboContactSolver* solver =
      tribo_contact_solver_init(scratch, tribo_solver_capacity_of(problem));
  if (solver == NULL) return TRIBO_ERROR_CAPACITY;
  TriboContactOptions choice = tribo_contact_options_default();
  choice.cone = options->cone;
  choice.tolerance = options->tolerance;
  choice.validated = true;
  TriboContactInfo result;
  const TriboStatus status = tribo_contact_solve(solver, problem, &choice, warm, solution, &result);
  info->rung = result.rung;
  info->pivots = result.pivots;
  info->iterations = result.iterations + result.sweeps;
  info->row = result.row;
  info->certificate = result.certificate;
  return status;
}

static TriboStatus solve_frictionless(const TriboStepOptions* options,
                                      const TriboContactProblem* problem,
                                      const TriboContactSolution* warm,
                                      TriboContactSolution* solution, TriboArena* scratch,
                                      TriboIslandInfo* info) {
  Frictionless solver = frictionless_init(scratch, problem->ny, problem->X.count, problem->N.count);
  if (solver.psd == NULL || solver.scratch == NULL) return TRIBO_ERROR_CAPACITY;
  TriboPsdOptions choice = tribo_psd_options_default();
  if (warm != NULL) {
    for (int i = 0; i < problem->N.count; ++i) {
      solution->mode_N[i] = warm->f[i] > 0 ? TRIBO_MODE_STICK : TRIBO_MODE_SEPARATE;
    }
  }
  TriboPsdInfo result;
  const TriboStatus status = tribo_psd_solve(
      solver.psd, problem, &choice, warm != NULL ? solution->mode_N : NULL, solution, &result);
  info->rung = warm != NULL ? TRIBO_RUNG_WARM : TRIBO_RUNG_COLD;
  info->pivots = result.pivots;
  info->row = result.equality ? result.row : -1;
  if (status != TRIBO_OK) return status;
  info->certificate = tribo_certify(problem, TRIBO_CONE_ROUND, solution, solver.scratch);
  return info->certificate.worst <= options->tolerance ? TRIBO_OK : TRIBO_ERROR_LIMIT;
}

TriboStatus tribo_island_solve(const TriboStepOptions* options, const TriboContactProblem* problem,
                               const TriboContactSolution* warm, TriboContactSolution* solution,
                               TriboArena* scratch, TriboIslandInfo* info) {
  memset(info, 0, sizeof *info);
  info->row = -1;
  info->certificate.worst = INFINITY;
  const size_t mark = tribo_arena_mark(scratch);
  info->status = problem->ng > 0
                     ? solve_coulomb(options, problem, warm, solution, scratch, info)
                     : solve_frictionless(options, problem, warm, solution, scratch, info);
  tribo_arena_reset(scratch, mark);
  return info->status;
}
