// SPDX-License-Identifier: Apache-2.0
//
// Who solves what: Coulomb's law in solve_coulomb.c, what is positive semidefinite in solve_held.c.
// What to do where that does not certify is here, in this order:
//
//   Coulomb             from softened problems to the rigid one (soften.c); the ladder again, whose
//                       first run was given up early
//   no-slip, viscous    tangents by what is left of them, not in their order; then softened
//                       by 1e-12 to 1e-10 whose answer is judged as the rigid one's; at last the
//                       answer of a problem softened by 1e-10 or 1e-8: relaxed
//   with a budget       Gauss-Seidel from the best answer so far
#include "engine/contact/solve_island.h"

#include <math.h>
#include <string.h>

#include "engine/contact/island_solvers.h"
#include "solvers/certificate.h"

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
    case TRIBO_SOLVER_LEMKE:
      return true;
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

size_t tribo_island_scratch(const TriboProblemSet* set) {
  return tribo_island_softened_scratch(tribo_island_softened_size(largest_problem(set)));
}

// ---- what is solved, and how it is judged

bool tribo_island_is_coulomb(const TriboStepOptions* options, const TriboContactProblem* problem) {
  return options->model == TRIBO_MODEL_COULOMB || tribo_island_joint_groups(problem) == problem->ng;
}

static TriboStatus solve_plainly(const TriboStepOptions* options,
                                 const TriboContactProblem* problem,
                                 const TriboContactSolution* warm, TriboContactSolution* solution,
                                 TriboArena* scratch, TriboIslandInfo* info) {
  if (problem->ng == 0) {
    return tribo_island_frictionless(options, problem, warm, solution, scratch, info);
  }
  return tribo_island_is_coulomb(options, problem)
             ? tribo_island_coulomb(options, problem, warm, solution, scratch, info)
             : tribo_island_held(options, problem, 0, warm, solution, scratch, info);
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

static TriboIslandInfo no_info(void) {
  TriboIslandInfo info;
  memset(&info, 0, sizeof info);
  info.row = -1;
  info.certificate.worst = INFINITY;
  return info;
}

static bool fell_short(TriboStatus status) {
  return status == TRIBO_ERROR_LIMIT || status == TRIBO_ERROR_RAY;
}

// ---- where the plain solve fell short

// One more attempt at an island.
typedef struct Attempt {
  TriboStepOptions options;  // with what is left of the budget
  TriboIslandInfo before;
  size_t mark;
} Attempt;

// Clears the info for an attempt; false: the budget is spent.
static bool begin_attempt(Attempt* attempt, const TriboStepOptions* options, TriboArena* scratch,
                          TriboIslandInfo* info) {
  attempt->options = *options;
  if (options->budget > 0) {
    attempt->options.budget = options->budget - info->pivots - info->iterations;
    if (attempt->options.budget <= 0) return false;
  }
  attempt->mark = tribo_arena_mark(scratch);
  attempt->before = *info;
  *info = no_info();
  return true;
}

static void end_attempt(const Attempt* attempt, TriboArena* scratch, TriboIslandInfo* info) {
  tribo_arena_reset(scratch, attempt->mark);
  info->pivots += attempt->before.pivots;
  info->iterations += attempt->before.iterations;
}

// No-slip and viscous tangents that hold a body in several points nearly depend on each other: two
// points along the line between them, or contacts that almost coincide. Taken in their order they
// hold the body by huge stresses, or contradict each other in double precision. What is tried here
// changes how they are solved, and not what is asked of the answer. relax: with more compliance an
// answer of the softened problem will do.
static TriboStatus hold_with_care(const TriboStepOptions* options,
                                  const TriboContactProblem* problem,
                                  const TriboContactSolution* warm, bool relax,
                                  TriboContactSolution* solution, TriboArena* scratch,
                                  TriboIslandInfo* info) {
  static const double refuse[] = {1e-12, 1e-14}, compliance[] = {1e-12, 1e-11, 1e-10, 1e-10, 1e-8};
  TriboStatus status = TRIBO_ERROR_LIMIT;
  Attempt attempt;
  for (int i = 0; i < 2 && fell_short(status); ++i) {
    if (!begin_attempt(&attempt, options, scratch, info)) return status;
    status = tribo_island_held(&attempt.options, problem, refuse[i], warm, solution, scratch, info);
    end_attempt(&attempt, scratch, info);
  }
  for (int i = 0; i < (relax ? 5 : 3) && fell_short(status); ++i) {
    if (!begin_attempt(&attempt, options, scratch, info)) return status;
    const TriboSoftness softness = {compliance[i], TRIBO_SOFT_TANGENTS};
    status =
        tribo_island_softened(&attempt.options, problem, softness, false, solution, scratch, info);
    if (i < 3 && status == TRIBO_OK && info->relaxed) status = TRIBO_ERROR_LIMIT;
    end_attempt(&attempt, scratch, info);
  }
  return status;
}

// ---- anytime

static double square_of(const double* values, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i] * values[i];
  return sum;
}

// Whether impulses are within their bounds and the velocity has no more energy than the free one,
// as no answer has where rest is feasible.
static bool is_harmless(const TriboContactProblem* problem, const TriboContactSolution* solution,
                        const TriboCertificate* certificate) {
  const double before = square_of(problem->k, problem->ny);
  return certificate->cone <= 1e-12 && certificate->sign <= 1e-12 &&
         square_of(solution->y, problem->ny) <= before * (1 + 1e-12);
}

// Shrinks all impulses to the share of least energy, which keeps them within their bounds.
static void shrink(const TriboContactProblem* problem, TriboContactSolution* solution) {
  double along = 0, square = 0;
  for (int i = 0; i < problem->ny; ++i) {
    const double change = solution->y[i] - problem->k[i];
    along -= problem->k[i] * change;
    square += change * change;
  }
  const double share = square > 0 ? fmin(1, fmax(0, along / square)) : 0;
  for (int i = 0; i < problem->X.count; ++i) solution->x[i] *= share;
  for (int i = 0; i < problem->N.count; ++i) solution->f[i] *= share;
  for (int i = 0; i < problem->T.count; ++i) solution->t[i] *= share;
  tribo_problem_velocity(problem, solution);
}

// The answer when the budget is spent: Gauss-Seidel from the best so far or from the last step's
// impulses; or the best so far where that is better.
static TriboStatus answer_anyway(const TriboStepOptions* options,
                                 const TriboContactProblem* problem,
                                 const TriboContactSolution* warm, TriboContactSolution* solution,
                                 TriboArena* scratch, TriboIslandInfo* info) {
  TriboFrictionGroup* group = (TriboFrictionGroup*)tribo_arena_take(scratch, (size_t)problem->ng,
                                                                    sizeof(TriboFrictionGroup));
  double* y = tribo_arena_doubles(scratch, problem->ny);
  TriboContactSolution best;
  if (!tribo_solution_init(&best, scratch, tribo_solver_capacity_of(problem))) {
    return TRIBO_ERROR_CAPACITY;
  }
  const TriboContactProblem judged = tribo_island_is_coulomb(options, problem)
                                         ? *problem
                                         : tribo_island_as_held(problem, solution, group);
  const TriboIslandInfo before = *info;
  const bool passive = rest_is_feasible(problem);
  const bool use = isfinite(before.certificate.worst) &&
                   (!passive || is_harmless(problem, solution, &before.certificate));
  if (use) {
    tribo_solution_copy(problem, solution, &best);
  } else {
    tribo_island_start(problem, warm, solution);
  }
  const TriboStatus status =
      tribo_island_sweep(options, &judged, options->budget, solution, scratch, info);
  if (status == TRIBO_OK || !isfinite(info->certificate.worst)) return status;
  if (passive && !is_harmless(problem, solution, &info->certificate)) {
    shrink(problem, solution);
    info->certificate = tribo_certify(&judged, options->cone, solution, y);
  }
  if (use && before.certificate.worst < info->certificate.worst) {
    tribo_solution_copy(problem, &best, solution);
    info->certificate = before.certificate;
    info->rung = before.rung;
  }
  info->stopped = true;
  return TRIBO_OK;
}

// ---- the choice

// Solvers of Coulomb's law that end in the ladder.
static bool uses_ladder(const TriboStepOptions* options) {
  return options->solver != TRIBO_SOLVER_PGS && options->solver != TRIBO_SOLVER_ENERGY;
}

TriboStatus tribo_island_solve(const TriboStepOptions* options, const TriboContactProblem* problem,
                               const TriboContactSolution* warm, TriboContactSolution* solution,
                               TriboArena* scratch, TriboIslandInfo* info) {
  *info = no_info();
  const size_t mark = tribo_arena_mark(scratch);
  const bool coulomb = tribo_island_is_coulomb(options, problem);
  const bool ladder = coulomb && problem->ng > 0 && uses_ladder(options);
  TriboStepOptions first = *options;
  int work = TRIBO_LADDER_WORK / (problem->N.count > 0 ? problem->N.count : 1);
  if (work < TRIBO_LADDER_LEAST) work = TRIBO_LADDER_LEAST;
  if (work > TRIBO_LADDER_MOST) work = TRIBO_LADDER_MOST;
  if (ladder && (first.budget <= 0 || first.budget > work)) first.budget = work;
  TriboStatus status = solve_plainly(&first, problem, warm, solution, scratch, info);
  tribo_arena_reset(scratch, mark);
  if (fell_short(status)) {
    if (!coulomb) {
      status = hold_with_care(options, problem, warm, rest_is_feasible(problem), solution, scratch,
                              info);
    } else if (ladder) {
      status = tribo_island_follow(options, problem, solution, scratch, info);
      tribo_arena_reset(scratch, mark);
      Attempt attempt;
      if (fell_short(status) && begin_attempt(&attempt, options, scratch, info)) {
        status = solve_plainly(&attempt.options, problem, warm, solution, scratch, info);
        end_attempt(&attempt, scratch, info);
      }
    }
    if (fell_short(status) && options->budget > 0) {
      status = answer_anyway(options, problem, warm, solution, scratch, info);
    }
    tribo_arena_reset(scratch, mark);
  }
  info->status = status;
  return status;
}

TriboStatus tribo_island_solve_softened(const TriboStepOptions* options,
                                        const TriboContactProblem* problem, double compliance,
                                        TriboContactSolution* solution, TriboArena* scratch,
                                        TriboIslandInfo* info) {
  *info = no_info();
  const size_t mark = tribo_arena_mark(scratch);
  const TriboSoftness softness = {compliance, TRIBO_SOFT_BOTH};
  info->status = tribo_island_softened(options, problem, softness, false, solution, scratch, info);
  tribo_arena_reset(scratch, mark);
  return info->status;
}
