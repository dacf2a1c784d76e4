// SPDX-License-Identifier: Apache-2.0
//
// Problem: problem.h, with the round cone or the polygon. Algorithm: the rungs of solve.h in their
// order until the certificate holds. A Lemke rung with the round cone solves the polygon, polishes
// by Newton, and where that does not certify adds facets against the sliding (cone.h) and solves
// again. A sticking answer of a polygon is one of the circle, since the polygon lies inside it.
//
// Every answer is made in `trial`; the best one so far is in the caller's solution.
#include "solvers/solve.h"

#include <math.h>
#include <string.h>

#include "solvers/canonical.h"
#include "solvers/cone.h"
#include "solvers/convex.h"
#include "solvers/coordinate_lu.h"
#include "solvers/interior.h"
#include "solvers/lemke.h"
#include "solvers/newton.h"
#include "solvers/pgs.h"

// Normals from which the convex rounds are worth more than one attempt.
enum { LARGE = 48 };

struct TriboContactSolver {
  TriboCoordinateLu* lu;
  TriboNewton* newton;
  TriboContactSolution trial;
  double* scratch;  // ny

  // of the rungs after the warm start; arena: where to take them from, NULL when they are there
  TriboArena* arena;
  TriboSolverCapacity capacity;
  TriboScaled scaled;
  TriboLemke* lemke;
  TriboConvex* convex;
  TriboInterior* interior;
  TriboPolygons polygons;
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
  const TriboContactOptions options = {
      TRIBO_CONE_ROUND, 1e-9, 30, 10000, false, false, false, false, 0};
  return options;
}

bool tribo_solution_init(TriboContactSolution* solution, TriboArena* arena,
                         TriboSolverCapacity capacity) {
  solution->y = tribo_arena_doubles(arena, capacity.ny);
  solution->x = tribo_arena_doubles(arena, capacity.x);
  solution->f = tribo_arena_doubles(arena, capacity.n);
  solution->t = tribo_arena_doubles(arena, capacity.t);
  solution->mode_N = (TriboMode*)tribo_arena_take(arena, (size_t)capacity.n, sizeof(TriboMode));
  solution->mode_g =
      (TriboMode*)tribo_arena_take(arena, (size_t)capacity.groups, sizeof(TriboMode));
  return !arena->overflowed;
}

// Whether the warm start does without a factor over coordinates.
static bool has_few_rows(TriboSolverCapacity capacity) {
  return capacity.x + capacity.n + capacity.t <= TRIBO_NEWTON_FEW_ROWS;
}

// What the warm start needs.
static void layout_warm(TriboContactSolver* s, TriboArena* arena, TriboSolverCapacity capacity) {
  s->lu = has_few_rows(capacity) ? NULL : tribo_coordinate_lu_init(arena, capacity.ny);
  s->newton = tribo_newton_init(arena, capacity, s->lu);
  (void)tribo_solution_init(&s->trial, arena, capacity);
  s->scratch = tribo_arena_doubles(arena, capacity.ny);
}

// What the other rungs need beside it.
static void layout_rest(TriboContactSolver* s, TriboArena* arena, TriboSolverCapacity capacity) {
  if (has_few_rows(capacity)) s->lu = tribo_coordinate_lu_init(arena, capacity.ny);
  tribo_scaled_init(&s->scaled, arena, capacity);
  s->lemke = tribo_lemke_init(arena, capacity);
  s->convex = tribo_convex_init(arena, capacity, s->lu);
  s->interior = tribo_interior_init(arena, capacity, s->convex);
  tribo_cone_init(&s->polygons, arena, capacity);
  s->arena = NULL;
}

TriboContactSolver* tribo_contact_solver_init_warm(TriboArena* arena,
                                                   TriboSolverCapacity capacity) {
  TriboContactSolver measuring = {0};
  TriboContactSolver* solver =
      (TriboContactSolver*)tribo_arena_take(arena, 1, sizeof(TriboContactSolver));
  TriboContactSolver* s = solver != NULL ? solver : &measuring;
  s->arena = arena;
  s->capacity = capacity;
  layout_warm(s, arena, capacity);
  return arena->overflowed ? NULL : solver;
}

// Whether the memory of all rungs is there.
static bool complete(TriboContactSolver* s) {
  TriboArena* arena = s->arena;
  if (arena == NULL) return true;
  layout_rest(s, arena, s->capacity);
  return !arena->overflowed;
}

TriboContactSolver* tribo_contact_solver_init(TriboArena* arena, TriboSolverCapacity capacity) {
  TriboContactSolver measuring = {0};
  TriboContactSolver* solver = tribo_contact_solver_init_warm(arena, capacity);
  layout_rest(solver != NULL ? solver : &measuring, arena, capacity);
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

void tribo_solution_copy(const TriboContactProblem* problem, const TriboContactSolution* from,
                         TriboContactSolution* to) {
  copy_impulses(problem, from, to);
  copy(to->y, from->y, problem->ny, sizeof(double));
  copy(to->mode_N, from->mode_N, problem->N.count, sizeof(TriboMode));
  copy(to->mode_g, from->mode_g, problem->ng, sizeof(TriboMode));
}

static void clear_impulses(const TriboContactProblem* problem, TriboContactSolution* to) {
  for (int i = 0; i < problem->X.count; ++i) to->x[i] = 0;
  for (int i = 0; i < problem->N.count; ++i) to->f[i] = 0;
  for (int i = 0; i < problem->T.count; ++i) to->t[i] = 0;
}

// The smaller of a bound of its own and what is left of the budget.
static int within_budget(const Run* run, int own) {
  if (run->options->budget <= 0) return own;
  const TriboContactInfo* info = run->info;
  const int left = run->options->budget - info->pivots - info->iterations - info->sweeps;
  return left < own ? left : own;
}

// Judges the trial, keeps it when it is the best, and says whether it certifies.
static bool judge(const Run* run, TriboRung rung) {
  const TriboContactProblem* problem = run->problem;
  TriboContactSolution* trial = &run->solver->trial;
  const TriboCertificate certificate =
      tribo_certify(problem, run->options->cone, trial, run->solver->scratch);
  if (certificate.worst < run->info->certificate.worst) {
    tribo_solution_copy(problem, trial, run->solution);
    run->info->certificate = certificate;
    run->info->rung = rung;
  }
  return certificate.worst <= run->options->tolerance;
}

// Newton from the trial, with several proximal terms: large mass ratios want hardly any, and
// redundant contacts do not bear that.
static bool polish(const Run* run, TriboRung rung) {
  if (run->options->cone != TRIBO_CONE_ROUND) return false;
  static const double proximal[] = {1e-4, 1e-9, 1e-6};
  for (int e = 0; e < (int)(sizeof proximal / sizeof proximal[0]); ++e) {
    TriboNewtonOptions options = tribo_newton_options_default();
    options.proximal = proximal[e];
    options.max_iterations = within_budget(run, options.max_iterations);
    if (options.max_iterations <= 0) return false;
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

// Towards an answer through convex problems, and from there by Newton's method. Worth trying before
// Lemke's algorithm, because its steps are as cheap as Newton's.
static bool convex_rung(const Run* run, TriboRung rung) {
  if (run->options->cone != TRIBO_CONE_ROUND) return false;
  static const double first[] = {1e-3, 1e-2, 1e-1, 1e-4};
  const int attempts = run->problem->N.count >= LARGE ? 8 : 4;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    TriboConvexOptions options = tribo_convex_options_default();
    options.first = first[attempt % 4];
    options.max_iterations = within_budget(run, options.max_iterations);
    if (options.max_iterations <= 0) return false;
    int iterations;
    const TriboStatus status = tribo_convex_solve(run->solver->convex, run->problem, &options,
                                                  &run->solver->trial, &iterations);
    run->info->iterations += iterations;
    if (status == TRIBO_ERROR_CAPACITY || status == TRIBO_ERROR_SINGULAR) return false;
    if (polish(run, rung)) return true;
  }
  return false;
}

// Newton from where the interior point method ended, with its modes and from its impulses alone.
static bool finish_interior(const Run* run, TriboRung rung) {
  static const double proximal[] = {1e-9, 1e-4, 1e-6};
  TriboContactSolver* solver = run->solver;
  for (int attempt = 0; attempt < 6; ++attempt) {
    TriboNewtonOptions options = tribo_newton_options_default();
    options.modes = attempt < 3;
    options.proximal = proximal[attempt % 3];
    options.max_iterations = within_budget(run, options.modes ? 20 : options.max_iterations);
    if (options.max_iterations <= 0) return false;
    tribo_interior_point(solver->interior, &solver->trial);
    int iterations;
    const TriboStatus status =
        tribo_newton_solve(solver->newton, run->problem, &options, &solver->trial, &iterations);
    run->info->iterations += iterations;
    if (status == TRIBO_ERROR_CAPACITY) return false;
    if (judge(run, rung)) return true;
  }
  return false;
}

// Whether no velocity but rest is asked of what cannot slip: then there is an answer. Targets that
// contradict each other would drive impulses up without end, until rounding hides what they miss.
static bool rest_is_feasible(const TriboContactProblem* problem) {
  for (int i = 0; i < problem->X.count; ++i) {
    if (problem->b_X[i] != 0) return false;
  }
  for (int i = 0; i < problem->N.count; ++i) {
    if (problem->b_N[i] > 0) return false;
  }
  return true;
}

// From nothing by the interior point method, all its ways; Newton looks at where each of them ends.
static bool interior_rung(const Run* run, TriboRung rung) {
  if (run->options->cone != TRIBO_CONE_ROUND || run->options->softened ||
      !rest_is_feasible(run->problem)) {
    return false;
  }
  for (int way = 0; way < TRIBO_INTERIOR_WAYS; ++way) {
    TriboInteriorOptions options = tribo_interior_way(way);
    options.max_iterations = within_budget(run, options.max_iterations);
    if (options.max_iterations <= 0) return false;
    int iterations;
    const TriboStatus status = tribo_interior_solve(run->solver->interior, run->problem, &options,
                                                    &run->solver->trial, &iterations);
    run->info->iterations += iterations;
    if (status == TRIBO_ERROR_CAPACITY) return false;
    if (finish_interior(run, rung)) return true;
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
// *loose: it certifies, but Newton did not come down to rounding, because modes are on the edge.
static bool warm_rung(const Run* run, const TriboContactSolution* warm, bool* loose) {
  const TriboContactProblem* problem = run->problem;
  TriboContactSolution* trial = &run->solver->trial;
  if (run->options->cone != TRIBO_CONE_ROUND && any_sliding(problem, warm)) return false;
  copy_impulses(problem, warm, trial);
  copy(trial->mode_N, warm->mode_N, problem->N.count, sizeof(TriboMode));
  copy(trial->mode_g, warm->mode_g, problem->ng, sizeof(TriboMode));
  TriboNewtonOptions options = tribo_newton_options_default();
  options.modes = true;
  options.proximal = 1e-9;
  options.max_iterations = within_budget(run, 8);
  int iterations;
  const TriboStatus status =
      tribo_newton_solve(run->solver->newton, problem, &options, trial, &iterations);
  run->info->iterations += iterations;
  if (status == TRIBO_ERROR_CAPACITY) return false;
  *loose = status != TRIBO_OK;
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
  if (round) tribo_cone_start(run->problem, &solver->polygons);
  options.polygons = round ? &solver->polygons : NULL;
  for (int turn = 0;; ++turn) {
    TriboLemkeResult result;
    if (run->options->budget > 0) {
      options.max_pivots = within_budget(run, run->options->budget);
      if (options.max_pivots <= 0) return TRIBO_ERROR_LIMIT;
    }
    const TriboStatus status =
        tribo_lemke_solve(solver->lemke, &solver->scaled, &options, &solver->trial, &result);
    run->info->pivots += result.pivots;
    run->info->row = result.row;
    if (status != TRIBO_OK) return turn == 0 ? status : TRIBO_ERROR_LIMIT;
    if (judge(run, rung)) return TRIBO_OK;
    if (turn >= turns) return TRIBO_ERROR_LIMIT;
    // By the polygon's own velocity; Newton may have left far from any answer.
    tribo_cone_refine(&solver->scaled, solver->trial.y, turn, &solver->polygons);
    if (polish(run, rung)) return TRIBO_OK;
    ++run->info->turns;
  }
}

// The polygon's warm start by pivoting: where its modes no longer hold, or slide.
static bool homotopy_rung(const Run* run, const TriboContactSolution* warm) {
  if (run->options->cone != TRIBO_CONE_POLYGON) return false;
  TriboContactSolution start = *warm;
  start.y = NULL;  // the caller's may be of other coordinates
  // A path that is longer than this is longer than a cold one.
  const TriboLemkeOptions lemke = {.form = TRIBO_LEMKE_REDUCED,
                                   .harris = 1e-10,
                                   .max_pivots = 20 + run->problem->N.count,
                                   .warm = &start};
  return lemke_rung(run, TRIBO_RUNG_WARM, lemke) == TRIBO_OK;
}

static bool pgs_rung(const Run* run) {
  TriboContactSolution* trial = &run->solver->trial;
  const TriboContactProblem* problem = run->problem;
  if (isfinite(run->info->certificate.worst)) {
    copy_impulses(problem, run->solution, trial);
  } else {
    clear_impulses(problem, trial);
  }
  TriboPgsOptions options = tribo_pgs_options_default();
  options.cone = run->options->cone;
  options.sweeps = within_budget(run, run->options->max_sweeps);
  if (options.sweeps <= 0) return false;
  TriboPgsStats stats;
  const TriboStatus status = tribo_pgs_solve(problem, &options, trial, &stats);
  run->info->sweeps = stats.sweeps;
  if (status != TRIBO_OK && status != TRIBO_ERROR_LIMIT) return false;
  return judge(run, TRIBO_RUNG_PGS) || polish(run, TRIBO_RUNG_PGS);
}

// Down the ladder. *fresh: the answer does not go on from the warm start, or only just.
static TriboStatus climb(const Run* run, const TriboContactSolution* warm, bool* fresh) {
  TriboContactSolver* solver = run->solver;
  const TriboContactProblem* problem = run->problem;
  TriboContactInfo* info = run->info;
  static const struct {
    TriboRung rung;
    uint64_t hash;
    double harris, compliance;
    bool fine;
  } rungs[] = {
      {TRIBO_RUNG_COLD, 0, 1e-10, 0, false},
      {TRIBO_RUNG_COLD, 0, 1e-20, 0, true},
      {TRIBO_RUNG_COMPLIANCE, 0, 1e-10, 1e-12, false},
      {TRIBO_RUNG_COMPLIANCE, 1, 1e-10, 1e-12, false},
      {TRIBO_RUNG_HASH, 1, 1e-10, 0, false},
      {TRIBO_RUNG_HARRIS, 0, 1e-12, 0, false},
      {TRIBO_RUNG_HARRIS, 0, 1e-8, 0, false},
  };
  *fresh = false;
  if (warm != NULL && warm_rung(run, warm, fresh)) return TRIBO_OK;
  *fresh = true;
  if (!complete(solver)) return TRIBO_ERROR_CAPACITY;
  const bool large = problem->N.count >= LARGE && !run->options->pivoting;
  if (large && interior_rung(run, TRIBO_RUNG_COLD)) return TRIBO_OK;
  if (warm != NULL && isfinite(info->certificate.worst)) {
    if (large) copy_impulses(problem, warm, &solver->trial);
    if (convex_rung(run, TRIBO_RUNG_WARM)) return TRIBO_OK;
  }
  if (!large && !run->options->pivoting && warm != NULL && interior_rung(run, TRIBO_RUNG_COLD)) {
    return TRIBO_OK;
  }
  TriboStatus status = tribo_scaled_load(&solver->scaled, problem);
  if (status != TRIBO_OK) return status;

  // Lemke's algorithm has the guarantee, but its path grows with the number of contacts.
  if (large) {
    clear_impulses(problem, &solver->trial);
    if (convex_rung(run, TRIBO_RUNG_COLD)) return TRIBO_OK;
  } else if (warm == NULL && !run->options->pivoting) {
    // Where the split between redundant contacts decides the motion (a block that slides between
    // two walls), it ends at a corner, and the block begins to turn. The convex rounds keep the
    // symmetry of the problem: theirs is the answer wherever they come down to rounding.
    TriboContactOptions exact = *run->options;
    exact.tolerance = fmin(1e-13, exact.tolerance);
    const Run strict = {solver, problem, &exact, run->solution, info};
    clear_impulses(problem, &solver->trial);
    if (convex_rung(&strict, TRIBO_RUNG_COLD)) return TRIBO_OK;
  }
  if (warm != NULL && homotopy_rung(run, warm)) return TRIBO_OK;
  bool rays = true;
  for (int r = 0; r < (int)(sizeof rungs / sizeof rungs[0]); ++r) {
    const TriboLemkeOptions lemke = {.form = TRIBO_LEMKE_REDUCED,
                                     .hash = rungs[r].hash,
                                     .harris = rungs[r].harris,
                                     .compliance = rungs[r].compliance,
                                     .fine = rungs[r].fine};
    status = lemke_rung(run, rungs[r].rung, lemke);
    if (r == 0 && status != TRIBO_OK && warm == NULL && !large && !run->options->pivoting &&
        interior_rung(run, TRIBO_RUNG_COLD)) {
      return TRIBO_OK;
    }
    // From where the polygon led, which for large mass ratios is not near enough for Newton.
    if (status == TRIBO_OK || (status == TRIBO_ERROR_LIMIT && convex_rung(run, rungs[r].rung))) {
      info->fine = rungs[r].fine;
      return TRIBO_OK;
    }
    if (status == TRIBO_ERROR_INFEASIBLE) {
      info->rung = TRIBO_RUNG_COUNT;
      return status;
    }
    rays = rays && status == TRIBO_ERROR_RAY;
  }
  if (pgs_rung(run)) return TRIBO_OK;
  return rays ? TRIBO_ERROR_RAY : TRIBO_ERROR_LIMIT;
}

// Replaces a certified answer by the canonical one where that certifies too.
static void make_canonical(const Run* run) {
  const TriboContactProblem* problem = run->problem;
  TriboContactSolution* trial = &run->solver->trial;
  if (within_budget(run, 1) <= 0 || !complete(run->solver)) return;
  tribo_solution_copy(problem, run->solution, trial);
  int iterations;
  TriboStatus status =
      tribo_canonical_impulses(run->solver->convex, problem, 1e-9, trial, &iterations);
  run->info->iterations += iterations;
  if (status != TRIBO_OK) return;
  // Its velocity to rounding: the change is the least that does it.
  TriboNewtonOptions options = tribo_newton_options_default();
  options.modes = true;
  options.proximal = 1e-9;
  options.max_iterations = 8;
  status = tribo_newton_solve(run->solver->newton, problem, &options, trial, &iterations);
  run->info->iterations += iterations;
  if (status == TRIBO_ERROR_CAPACITY) return;
  const TriboCertificate certificate =
      tribo_certify(problem, run->options->cone, trial, run->solver->scratch);
  if (!(certificate.worst <= run->options->tolerance)) return;
  tribo_solution_copy(problem, trial, run->solution);
  run->info->certificate = certificate;
  run->info->canonical = true;
}

TriboStatus tribo_contact_solve(TriboContactSolver* solver, const TriboContactProblem* problem,
                                const TriboContactOptions* options,
                                const TriboContactSolution* warm, TriboContactSolution* solution,
                                TriboContactInfo* info) {
  *info = (TriboContactInfo){.rung = TRIBO_RUNG_COUNT, .row = -1};
  info->certificate.worst = INFINITY;
  const Run run = {solver, problem, options, solution, info};
  TriboStatus status = options->validated ? TRIBO_OK : tribo_problem_validate(problem);
  if (status != TRIBO_OK) return status;
  bool fresh;
  status = climb(&run, warm, &fresh);
  // An answer found by pivoting leaves some of the redundant contacts without load, and the next
  // step would begin at the edge of their modes.
  if (status == TRIBO_OK && options->cone == TRIBO_CONE_ROUND && (fresh || options->canonical)) {
    make_canonical(&run);
  }
  return status;
}
