// SPDX-License-Identifier: Apache-2.0
//
// Problem: problem.h, with the round cone or the polygon. Algorithm: the rungs of solve.h in their
// order until the certificate holds. A Lemke rung with the round cone solves the polygon, polishes
// by Newton, and where that does not certify turns the facets against the sliding velocity and
// solves again; the second half of the turns goes half of the way only, which ends oscillations.
// A sticking answer of a turned polygon is one of the circle, since the polygon lies inside it.
//
// Every answer is made in `trial`; the best one so far is in the caller's solution.
#include "solvers/solve.h"

#include <math.h>
#include <string.h>

#include "solvers/cone.h"
#include "solvers/lemke.h"
#include "solvers/newton.h"
#include "solvers/pgs.h"

struct TriboContactSolver {
  TriboScaled scaled;
  TriboLemke* lemke;
  TriboNewton* newton;
  TriboContactSolution trial;
  double* turn;     // (cos, sin) per group
  double* scratch;  // ny
};

// One call.
typedef struct Run {
  TriboContactSolver* solver;
  const TriboContactProblem* problem;
  const TriboContactOptions* options;
  TriboContactSolution* solution;
  TriboContactInfo* info;
} Run;

TriboContactOptions tribo_contact_options_default(void) {
  const TriboContactOptions options = {TRIBO_CONE_ROUND, 1e-9, 30, 10000, false};
  return options;
}

TriboContactSolver* tribo_contact_solver_init(TriboArena* arena, TriboSolverCapacity capacity) {
  TriboContactSolver measuring = {0};
  TriboContactSolver* solver =
      (TriboContactSolver*)tribo_arena_take(arena, 1, sizeof(TriboContactSolver));
  TriboContactSolver* s = solver != NULL ? solver : &measuring;
  tribo_scaled_init(&s->scaled, arena, capacity);
  s->lemke = tribo_lemke_init(arena, capacity);
  s->newton = tribo_newton_init(arena, capacity);
  s->trial.y = tribo_arena_doubles(arena, capacity.ny);
  s->trial.x = tribo_arena_doubles(arena, capacity.x);
  s->trial.f = tribo_arena_doubles(arena, capacity.n);
  s->trial.t = tribo_arena_doubles(arena, capacity.t);
  s->trial.mode_N = (TriboMode*)tribo_arena_take(arena, (size_t)capacity.n, sizeof(TriboMode));
  s->trial.mode_g = (TriboMode*)tribo_arena_take(arena, (size_t)capacity.groups, sizeof(TriboMode));
  s->turn = tribo_arena_doubles(arena, 2 * capacity.groups);
  s->scratch = tribo_arena_doubles(arena, capacity.ny);
  return arena->overflowed ? NULL : solver;
}

static void copy(void* to, const void* from, int count, size_t size) {
  if (count > 0) memcpy(to, from, (size_t)count * size);
}

static void copy_impulses(const TriboContactProblem* problem, const TriboContactSolution* from,
                          TriboContactSolution* to) {
  copy(to->x, from->x, problem->X.count, sizeof(double));
  copy(to->f, from->f, problem->N.count, sizeof(double));
  copy(to->t, from->t, problem->T.count, sizeof(double));
}

// Judges the trial, keeps it when it is the best, and says whether it certifies.
static bool judge(const Run* run, TriboRung rung) {
  const TriboContactProblem* problem = run->problem;
  TriboContactSolution* trial = &run->solver->trial;
  const TriboCertificate certificate =
      tribo_certify(problem, run->options->cone, trial, run->solver->scratch);
  if (certificate.worst < run->info->certificate.worst) {
    copy_impulses(problem, trial, run->solution);
    copy(run->solution->y, trial->y, problem->ny, sizeof(double));
    copy(run->solution->mode_N, trial->mode_N, problem->N.count, sizeof(TriboMode));
    copy(run->solution->mode_g, trial->mode_g, problem->ng, sizeof(TriboMode));
    run->info->certificate = certificate;
    run->info->rung = rung;
  }
  return certificate.worst <= run->options->tolerance;
}

// Newton from the trial; once more with hardly any proximal term, which large mass ratios want and
// redundant contacts do not bear.
static bool polish(const Run* run, TriboRung rung) {
  if (run->options->cone != TRIBO_CONE_ROUND) return false;
  static const double proximal[] = {1e-4, 1e-9};
  for (int e = 0; e < 2; ++e) {
    TriboNewtonOptions options = tribo_newton_options_default();
    options.proximal = proximal[e];
    int iterations;
    const TriboStatus status = tribo_newton_solve(run->solver->newton, run->problem, &options,
                                                  &run->solver->trial, &iterations);
    run->info->iterations += iterations;
    if (status == TRIBO_ERROR_CAPACITY) return false;
    // Every other status leaves an iterate, for the certificate to judge.
    if (judge(run, rung)) return true;
  }
  return false;
}

// Whether some group slides.
static bool any_sliding(const TriboContactProblem* problem, const TriboContactSolution* warm) {
  for (int g = 0; g < problem->ng; ++g) {
    if (warm->mode_g[g] == TRIBO_MODE_SLIDE) return true;
  }
  return false;
}

// The modes of a similar problem's answer, solved for this one: without sliding one symmetric
// system, which is the same for both cones, otherwise a few steps of Newton's method on the circle.
static bool warm_rung(const Run* run, const TriboContactSolution* warm) {
  const TriboContactProblem* problem = run->problem;
  TriboContactSolution* trial = &run->solver->trial;
  if (run->options->cone != TRIBO_CONE_ROUND && any_sliding(problem, warm)) return false;
  copy_impulses(problem, warm, trial);
  copy(trial->mode_N, warm->mode_N, problem->N.count, sizeof(TriboMode));
  copy(trial->mode_g, warm->mode_g, problem->ng, sizeof(TriboMode));
  TriboNewtonOptions options = tribo_newton_options_default();
  options.modes = true;
  options.proximal = 1e-9;
  options.max_iterations = 8;
  int iterations;
  const TriboStatus status =
      tribo_newton_solve(run->solver->newton, problem, &options, trial, &iterations);
  run->info->iterations += iterations;
  if (status == TRIBO_ERROR_CAPACITY) return false;
  if (judge(run, TRIBO_RUNG_WARM)) return true;
  // Infinite: impulses that are not finite, from which nothing can start.
  if (!isfinite(run->info->certificate.worst)) return false;
  copy_impulses(problem, warm, trial);
  return polish(run, TRIBO_RUNG_WARM);
}

// TRIBO_OK: certified. TRIBO_ERROR_LIMIT: an answer that does not certify. Others: as Lemke.
static TriboStatus lemke_rung(const Run* run, TriboRung rung, TriboLemkeOptions options) {
  TriboContactSolver* solver = run->solver;
  const bool round = run->options->cone == TRIBO_CONE_ROUND;
  const int turns = round ? run->options->max_turns : 0;
  for (int g = 0; g < run->problem->ng; ++g) {
    solver->turn[2 * g] = 1;
    solver->turn[2 * g + 1] = 0;
  }
  options.turn = round ? solver->turn : NULL;
  for (int turn = 0;; ++turn) {
    TriboLemkeResult result;
    const TriboStatus status =
        tribo_lemke_solve(solver->lemke, &solver->scaled, &options, &solver->trial, &result);
    run->info->pivots += result.pivots;
    run->info->row = result.row;
    if (status != TRIBO_OK) return turn == 0 ? status : TRIBO_ERROR_LIMIT;
    if (judge(run, rung)) return TRIBO_OK;
    if (turn >= turns) return TRIBO_ERROR_LIMIT;
    // Turned by the polygon's own velocity; Newton may have left far from any answer.
    tribo_cone_turn(&solver->scaled, solver->trial.y, 2 * turn >= turns, solver->turn);
    if (polish(run, rung)) return TRIBO_OK;
    ++run->info->turns;
  }
}

static bool pgs_rung(const Run* run) {
  TriboContactSolution* trial = &run->solver->trial;
  const TriboContactProblem* problem = run->problem;
  if (isfinite(run->info->certificate.worst)) {
    copy_impulses(problem, run->solution, trial);
  } else {
    for (int i = 0; i < problem->X.count; ++i) trial->x[i] = 0;
    for (int i = 0; i < problem->N.count; ++i) trial->f[i] = 0;
    for (int i = 0; i < problem->T.count; ++i) trial->t[i] = 0;
  }
  TriboPgsOptions options = tribo_pgs_options_default();
  options.cone = run->options->cone;
  options.sweeps = run->options->max_sweeps;
  TriboPgsStats stats;
  const TriboStatus status = tribo_pgs_solve(problem, &options, trial, &stats);
  run->info->sweeps = stats.sweeps;
  if (status != TRIBO_OK && status != TRIBO_ERROR_LIMIT) return false;
  return judge(run, TRIBO_RUNG_PGS) || polish(run, TRIBO_RUNG_PGS);
}

TriboStatus tribo_contact_solve(TriboContactSolver* solver, const TriboContactProblem* problem,
                                const TriboContactOptions* options,
                                const TriboContactSolution* warm, TriboContactSolution* solution,
                                TriboContactInfo* info) {
  static const struct {
    TriboRung rung;
    uint64_t hash;
    double harris, compliance;
  } rungs[] = {
      {TRIBO_RUNG_COLD, 0, 1e-10, 0},           {TRIBO_RUNG_COMPLIANCE, 0, 1e-10, 1e-12},
      {TRIBO_RUNG_COMPLIANCE, 1, 1e-10, 1e-12}, {TRIBO_RUNG_HASH, 1, 1e-10, 0},
      {TRIBO_RUNG_HARRIS, 0, 1e-12, 0},         {TRIBO_RUNG_HARRIS, 0, 1e-8, 0},
  };
  *info = (TriboContactInfo){.rung = TRIBO_RUNG_COUNT, .row = -1};
  info->certificate.worst = INFINITY;
  const Run run = {solver, problem, options, solution, info};

  TriboStatus status = options->validated ? TRIBO_OK : tribo_problem_validate(problem);
  if (status != TRIBO_OK) return status;
  if (warm != NULL && warm_rung(&run, warm)) return TRIBO_OK;
  status = tribo_scaled_load(&solver->scaled, problem);
  if (status != TRIBO_OK) return status;

  bool rays = true;
  for (int r = 0; r < (int)(sizeof rungs / sizeof rungs[0]); ++r) {
    const TriboLemkeOptions lemke = {.form = TRIBO_LEMKE_REDUCED,
                                     .hash = rungs[r].hash,
                                     .harris = rungs[r].harris,
                                     .compliance = rungs[r].compliance};
    status = lemke_rung(&run, rungs[r].rung, lemke);
    if (status == TRIBO_OK) return TRIBO_OK;
    if (status == TRIBO_ERROR_INFEASIBLE) {
      info->rung = TRIBO_RUNG_COUNT;
      return status;
    }
    rays = rays && status == TRIBO_ERROR_RAY;
  }
  if (pgs_rung(&run)) return TRIBO_OK;
  return rays ? TRIBO_ERROR_RAY : TRIBO_ERROR_LIMIT;
}
