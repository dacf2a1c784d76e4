// SPDX-License-Identifier: Apache-2.0
//
// With the direction of sliding known, friction is a multiple of the normal force, and the unknowns
// are the normal forces alone [Baraff1991] section 7.2:
//
//   J_i = N_i - mu min(1, |s|/slow) (s/|s|) T_i,   A_ij = N_i . J_j,   q = N k - b_N
//   0 <= f  _|_  A f + q >= 0
//
// A is neither symmetric nor definite, so there may be no solution, and deciding that is NP-hard.
// Lemke's algorithm answers with forces or with a ray z, where (A z)_i <= 0 wherever z_i > 0:
// impulses along z leave no contact separating where they act, which is the second validity
// condition of section 7.1. Scaled up from 0 to the first contact whose velocity along its old
// direction of sliding vanishes, they meet the first.
#include "solvers/coping.h"

#include <math.h>
#include <string.h>

#include "solvers/lemke_standard.h"

struct TriboCoping {
  TriboArena arena;  // for Lemke's memory, which depends on the number of rows
  int n, ny;
  double* A;  // (n x n)
  double* q;  // (n)
  double* J;  // one column of J    (ny)
};

TriboCoping* tribo_coping_init(TriboArena* arena, int n, int ny) {
  TriboCoping* coping = tribo_arena_take(arena, 1, sizeof *coping);
  TriboCoping c;
  c.n = n;
  c.ny = ny;
  c.A = tribo_arena_take(arena, (size_t)n * (size_t)n, sizeof(double));
  c.q = tribo_arena_doubles(arena, n);
  c.J = tribo_arena_doubles(arena, ny);
  TriboArena measure = tribo_arena_measure();
  tribo_lemke_standard_init(&measure, n);
  void* block = tribo_arena_take(arena, measure.used, 1);
  if (coping == NULL || arena->overflowed) return NULL;
  c.arena = tribo_arena_over(block, measure.used);
  *coping = c;
  return coping;
}

static double slip_speed(const TriboFrictionGroup* group, const double* slip) {
  double square = 0;
  for (int r = 0; r < group->rows; ++r) {
    square += slip[group->tangent + r] * slip[group->tangent + r];
  }
  return sqrt(square);
}

// Tangential impulses that go with the normal ones.
static void follow(const TriboContactProblem* problem, const double* slip, double slow,
                   const double* f, double* t) {
  for (int i = 0; i < problem->T.count; ++i) t[i] = 0;
  for (int g = 0; g < problem->ng; ++g) {
    const TriboFrictionGroup* group = &problem->group[g];
    const double scale = -group->mu * f[group->normal] / fmax(slip_speed(group, slip), slow);
    for (int r = 0; r < group->rows; ++r) {
      t[group->tangent + r] = scale * slip[group->tangent + r];
    }
  }
}

// y = N^T f + T^T t
static void push(const TriboContactProblem* problem, const double* f, const double* t, double* y) {
  for (int i = 0; i < problem->ny; ++i) y[i] = 0;
  for (int i = 0; i < problem->N.count; ++i) tribo_row_axpy(&problem->N, i, f[i], y);
  for (int i = 0; i < problem->T.count; ++i) tribo_row_axpy(&problem->T, i, t[i], y);
}

static void assemble(TriboCoping* coping, const TriboContactProblem* problem, const double* slip,
                     double slow, TriboContactSolution* solution) {
  const int n = problem->N.count;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) solution->f[i] = i == j;
    follow(problem, slip, slow, solution->f, solution->t);
    push(problem, solution->f, solution->t, coping->J);
    for (int i = 0; i < n; ++i) coping->A[i * n + j] = tribo_row_dot(&problem->N, i, coping->J);
  }
  for (int i = 0; i < n; ++i) {
    coping->q[i] = tribo_row_dot(&problem->N, i, problem->k) - problem->b_N[i];
  }
}

// The smallest scale at which a sliding group stops, and that group.
static double first_stop(const TriboContactProblem* problem, const double* slip, const double* y,
                         int* stopped) {
  double least = INFINITY;
  *stopped = -1;
  for (int g = 0; g < problem->ng; ++g) {
    const TriboFrictionGroup* group = &problem->group[g];
    double along = 0, square = 0;
    for (int r = 0; r < group->rows; ++r) {
      const int row = group->tangent + r;
      along += slip[row] * tribo_row_dot(&problem->T, row, y);
      square += slip[row] * slip[row];
    }
    if (along < 0 && square > 0 && -square / along < least) {
      least = -square / along;
      *stopped = g;
    }
  }
  return least;
}

TriboStatus tribo_coping_solve(TriboCoping* coping, const TriboContactProblem* problem,
                               const double* slip, double slow, TriboContactSolution* solution,
                               TriboCopingResult* result) {
  const int n = problem->N.count;
  if (problem->X.count > 0) return TRIBO_ERROR_UNSUPPORTED;
  for (int g = 0; g < problem->ng; ++g) {
    if (problem->group[g].normal < 0 || problem->group[g].bound > 0) return TRIBO_ERROR_UNSUPPORTED;
  }
  if (n > coping->n || problem->ny > coping->ny) return TRIBO_ERROR_CAPACITY;
  assemble(coping, problem, slip, slow, solution);

  tribo_arena_reset(&coping->arena, 0);
  TriboLemkeStandard* lemke = tribo_lemke_standard_init(&coping->arena, n);
  if (lemke == NULL) return TRIBO_ERROR_CAPACITY;
  const TriboLcp lcp = {n, coping->A, coping->q};
  const TriboLemkeStandardOptions options = tribo_lemke_standard_options_default();
  TriboLemkeStandardStats stats;
  const TriboStatus status = tribo_lemke_standard_solve(lemke, &lcp, &options, solution->f, &stats);
  result->pivots = stats.pivots;
  result->stopped = -1;
  if (status == TRIBO_ERROR_LIMIT) return status;

  follow(problem, slip, slow, solution->f, solution->t);
  push(problem, solution->f, solution->t, solution->y);
  if (status == TRIBO_OK) {
    result->kind = TRIBO_COPING_FORCE;
    for (int i = 0; i < problem->ny; ++i) solution->y[i] += problem->k[i];
    return TRIBO_OK;
  }
  // A ray, proof of infeasibility or not, is a direction of impulses.
  result->kind = TRIBO_COPING_IMPULSE;
  const double scale = first_stop(problem, slip, solution->y, &result->stopped);
  if (result->stopped < 0) return TRIBO_ERROR_RAY;
  for (int i = 0; i < n; ++i) solution->f[i] *= scale;
  for (int i = 0; i < problem->T.count; ++i) solution->t[i] *= scale;
  for (int i = 0; i < problem->ny; ++i) solution->y[i] *= scale;
  return TRIBO_OK;
}
