// SPDX-License-Identifier: Apache-2.0
//
// Softened problems: a compliance, relative to the square of each row, of tangents or normals or
// both. Where faces are misaligned by rounding, sticking and pushing contacts contradict each other
// by 1e-9, and rigid answers hold stresses that are hard to find. A little softness removes the
// contradiction, and its answer leads to the rigid one.
//
// A compliant row has one more coordinate (problem.h), so its certificate covers it.
#include <math.h>
#include <string.h>

#include "engine/contact/island_solvers.h"
#include "solvers/certificate.h"

// ---- the problem

typedef struct Softened {
  TriboRows N, T;
  double *k, *y;
} Softened;

TriboSolverCapacity tribo_island_softened_size(TriboSolverCapacity size) {
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
size_t tribo_island_softened_scratch(TriboSolverCapacity size) {
  TriboArena coulomb = tribo_arena_measure();
  TriboContactSolution last;
  (void)tribo_solution_init(&last, &coulomb, size);
  (void)softened_init(&coulomb, size);
  TriboArena held = coulomb;
  (void)tribo_contact_solver_init(&coulomb, size);
  tribo_island_measure_held(&held, size);
  return coulomb.used > held.used ? coulomb.used : held.used;
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

static TriboContactProblem soften(const Softened* made, const TriboContactProblem* problem,
                                  TriboSoftness softness) {
  Softened soft = *made;
  TriboContactProblem built = *problem;
  if ((softness.rows & TRIBO_SOFT_NORMALS) != 0) {
    soften_rows(&problem->N, softness.compliance, &soft.N, &built.ny);
    built.N = soft.N;
  }
  if ((softness.rows & TRIBO_SOFT_TANGENTS) != 0) {
    soften_rows(&problem->T, softness.compliance, &soft.T, &built.ny);
    built.T = soft.T;
  }
  memcpy(soft.k, problem->k, (size_t)problem->ny * sizeof(double));
  memset(soft.k + problem->ny, 0, (size_t)(built.ny - problem->ny) * sizeof(double));
  built.k = soft.k;
  return built;
}

// ---- its answer

// The answer of the softened problem as one of the rigid problem: TRIBO_OK where it certifies.
static TriboStatus judge_as_rigid(const TriboStepOptions* options,
                                  const TriboContactProblem* problem,
                                  TriboContactSolution* solution, TriboArena* scratch,
                                  TriboCertificate* certificate) {
  double* y = tribo_arena_doubles(scratch, problem->ny);
  TriboFrictionGroup* group = (TriboFrictionGroup*)tribo_arena_take(scratch, (size_t)problem->ng,
                                                                    sizeof(TriboFrictionGroup));
  if (scratch->overflowed) return TRIBO_ERROR_CAPACITY;
  const bool coulomb = tribo_island_is_coulomb(options, problem);
  const TriboContactProblem judged =
      coulomb ? *problem : tribo_island_as_held(problem, solution, group);
  tribo_problem_velocity(problem, solution);
  *certificate = tribo_certify(&judged, coulomb ? options->cone : TRIBO_CONE_ROUND, solution, y);
  return certificate->worst <= options->tolerance ? TRIBO_OK : TRIBO_ERROR_LIMIT;
}

TriboStatus tribo_island_softened(const TriboStepOptions* options,
                                  const TriboContactProblem* problem, TriboSoftness softness,
                                  bool warm, TriboContactSolution* solution, TriboArena* scratch,
                                  TriboIslandInfo* info) {
  const TriboSolverCapacity size = tribo_island_softened_size(tribo_solver_capacity_of(problem));
  const Softened soft = softened_init(scratch, size);
  if (scratch->overflowed) return TRIBO_ERROR_CAPACITY;
  const TriboContactProblem built = soften(&soft, problem, softness);
  TriboContactSolution trial = *solution;
  trial.y = soft.y;
  const size_t mark = tribo_arena_mark(scratch);
  TriboStatus status =
      tribo_island_is_coulomb(options, problem)
          ? tribo_island_ladder(options, &built, true, warm ? &trial : NULL, &trial, scratch, info)
          : tribo_island_held(options, &built, 0, NULL, &trial, scratch, info);
  tribo_arena_reset(scratch, mark);
  if (status != TRIBO_OK) return status;
  if (info->rung < TRIBO_RUNG_COMPLIANCE) info->rung = TRIBO_RUNG_COMPLIANCE;
  TriboCertificate certificate;
  status = judge_as_rigid(options, problem, solution, scratch, &certificate);
  info->relaxed = status == TRIBO_ERROR_LIMIT;
  if (status == TRIBO_OK) info->certificate = certificate;
  if (info->relaxed) memcpy(solution->y, soft.y, (size_t)problem->ny * sizeof(double));
  return status == TRIBO_ERROR_CAPACITY ? status : TRIBO_OK;
}

// ---- the way to the rigid one

// What a path does between two solves.
typedef struct Path {
  const TriboStepOptions* options;
  const TriboContactProblem* problem;
  TriboContactSolution *solution, *last;
  TriboArena* scratch;
  TriboIslandInfo* info;  // with the work of all solves
} Path;

// One solve with at most `work` pivots and iterations. True: an answer was found, for info->relaxed
// to tell which; false also when the budget of the step is spent.
static bool solve_on_path(const Path* path, TriboSoftness softness, bool warm, int work) {
  TriboIslandInfo* info = path->info;
  TriboStepOptions options = *path->options;
  if (options.budget > 0) {
    const int left = options.budget - info->pivots - info->iterations;
    if (left <= 0) return false;
    if (left < work) work = left;
  }
  options.budget = work;
  const TriboIslandInfo before = *info;
  const size_t mark = tribo_arena_mark(path->scratch);
  memset(info, 0, sizeof *info);
  info->row = -1;
  info->certificate.worst = INFINITY;
  const TriboStatus status =
      softness.compliance > 0 ? tribo_island_softened(&options, path->problem, softness, warm,
                                                      path->solution, path->scratch, info)
                              : tribo_island_ladder(&options, path->problem, false, path->solution,
                                                    path->solution, path->scratch, info);
  tribo_arena_reset(path->scratch, mark);
  info->pivots += before.pivots;
  info->iterations += before.iterations;
  return status == TRIBO_OK;
}

// From the answer at one compliance down to the rigid problem, each answer from the last. Steps
// that find none are tried again shorter. True: an answer of the rigid problem.
static bool go_down(const Path* path, TriboSoftness softness) {
  double ratio = 4, reached = softness.compliance;
  while (reached > 1e-16 && ratio > 1.02) {
    tribo_solution_copy(path->problem, path->solution, path->last);
    softness.compliance = reached / ratio;
    if (solve_on_path(path, softness, true, 100)) {
      if (!path->info->relaxed) return true;
      reached = softness.compliance;
    } else {
      tribo_solution_copy(path->problem, path->last, path->solution);
      ratio = sqrt(ratio);
    }
  }
  softness.compliance = 0;
  return solve_on_path(path, softness, true, 200);
}

TriboStatus tribo_island_follow(const TriboStepOptions* options, const TriboContactProblem* problem,
                                TriboContactSolution* solution, TriboArena* scratch,
                                TriboIslandInfo* info) {
  static const TriboSoftness starts[] = {{1e-8, TRIBO_SOFT_BOTH},     {1e-7, TRIBO_SOFT_BOTH},
                                         {1e-6, TRIBO_SOFT_BOTH},     {1e-5, TRIBO_SOFT_BOTH},
                                         {1e-8, TRIBO_SOFT_NORMALS},  {1e-7, TRIBO_SOFT_NORMALS},
                                         {1e-6, TRIBO_SOFT_NORMALS},  {1e-5, TRIBO_SOFT_NORMALS},
                                         {1e-7, TRIBO_SOFT_TANGENTS}, {1e-6, TRIBO_SOFT_TANGENTS}};
  TriboContactSolution last;
  if (!tribo_solution_init(&last, scratch, tribo_solver_capacity_of(problem))) {
    return TRIBO_ERROR_CAPACITY;
  }
  const Path path = {options, problem, solution, &last, scratch, info};
  for (int i = 0; i < (int)(sizeof starts / sizeof starts[0]); ++i) {
    if (!solve_on_path(&path, starts[i], false, TRIBO_ISLAND_WORK)) continue;
    if (!info->relaxed || go_down(&path, starts[i])) return TRIBO_OK;
  }
  return TRIBO_ERROR_LIMIT;
}
