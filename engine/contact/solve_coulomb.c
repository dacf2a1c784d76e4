// SPDX-License-Identifier: Apache-2.0
//
// Coulomb's law: the ladder of solvers/solve.h; on request Gauss-Seidel, Dantzig [Baraff1994] (the
// ladder where it does not certify) or the energy method [Faure1996].
#include <math.h>
#include <string.h>

#include "engine/contact/island_solvers.h"
#include "solvers/certificate.h"
#include "solvers/dantzig_coulomb.h"
#include "solvers/energy.h"
#include "solvers/pgs.h"

TriboStatus tribo_island_ladder(const TriboStepOptions* options, const TriboContactProblem* problem,
                                bool softened, const TriboContactSolution* warm,
                                TriboContactSolution* solution, TriboArena* scratch,
                                TriboIslandInfo* info) {
  TriboContactSolver* solver =
      tribo_contact_solver_init_warm(scratch, tribo_solver_capacity_of(problem));
  if (solver == NULL) return TRIBO_ERROR_CAPACITY;
  TriboContactOptions choice = tribo_contact_options_default();
  choice.cone = options->cone;
  choice.tolerance = options->tolerance;
  choice.validated = true;
  choice.pivoting = options->solver == TRIBO_SOLVER_LEMKE;
  choice.softened = softened;
  choice.canonical = options->canonical;
  choice.budget = options->budget;
  TriboContactInfo result;
  const TriboStatus status = tribo_contact_solve(solver, problem, &choice, warm, solution, &result);
  info->rung = result.rung;
  info->pivots = result.pivots;
  info->iterations = result.iterations + result.sweeps;
  info->row = result.row;
  info->certificate = result.certificate;
  return status;
}

void tribo_island_start(const TriboContactProblem* problem, const TriboContactSolution* warm,
                        TriboContactSolution* solution) {
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
}

TriboStatus tribo_island_sweep(const TriboStepOptions* options, const TriboContactProblem* problem,
                               int sweeps, TriboContactSolution* solution, TriboArena* scratch,
                               TriboIslandInfo* info) {
  double* y = tribo_arena_doubles(scratch, problem->ny);
  if (y == NULL && problem->ny > 0) return TRIBO_ERROR_CAPACITY;
  TriboPgsOptions choice = tribo_pgs_options_default();
  choice.cone = options->cone;
  if (sweeps > 0) choice.sweeps = sweeps;
  TriboPgsStats stats;
  const TriboStatus status = tribo_pgs_solve(problem, &choice, solution, &stats);
  if (status != TRIBO_OK && status != TRIBO_ERROR_LIMIT) return status;
  info->rung = TRIBO_RUNG_PGS;
  info->iterations += stats.sweeps;
  info->certificate = tribo_certify(problem, options->cone, solution, y);
  return info->certificate.worst <= options->tolerance ? TRIBO_OK : TRIBO_ERROR_LIMIT;
}

// From the last step's impulses, or from none.
static TriboStatus solve_pgs(const TriboStepOptions* options, const TriboContactProblem* problem,
                             const TriboContactSolution* warm, TriboContactSolution* solution,
                             TriboArena* scratch, TriboIslandInfo* info) {
  tribo_island_start(problem, warm, solution);
  return tribo_island_sweep(options, problem, options->budget, solution, scratch, info);
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
  status = tribo_island_ladder(options, problem, false, from, solution, scratch, info);
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
  return info->certificate.worst <= options->tolerance ? TRIBO_OK : TRIBO_ERROR_LIMIT;
}

TriboStatus tribo_island_coulomb(const TriboStepOptions* options,
                                 const TriboContactProblem* problem,
                                 const TriboContactSolution* warm, TriboContactSolution* solution,
                                 TriboArena* scratch, TriboIslandInfo* info) {
  switch (options->solver) {
    case TRIBO_SOLVER_ENERGY:
      return solve_energy(options, problem, solution, scratch, info);
    case TRIBO_SOLVER_PGS:
      return solve_pgs(options, problem, warm, solution, scratch, info);
    case TRIBO_SOLVER_DANTZIG:
      return solve_dantzig(options, problem, solution, scratch, info);
    default:
      return tribo_island_ladder(options, problem, false, warm, solution, scratch, info);
  }
}
