// SPDX-License-Identifier: Apache-2.0
//
// With the direction of sliding known, friction is a multiple of the normal force, and the unknowns
// are the normal forces alone [Baraff1991] section 7.2. With w = min(1, |s|/slow) s/|s|:
//
//   J_i = N_i - mu w T_i,   A_ij = N_i . P J_j,   q = N P (k - bound w T) + ... - b_N
//   0 <= f  _|_  A f + q >= 0
//
// P removes what the equality rows hold: P = 1 - X^T (X X^T)^-1 X on the shared factor, which
// leaves redundant rows out, and k is moved to where X y = b first.
//
// A is neither symmetric nor definite, so there may be no solution, and deciding that is NP-hard.
// Lemke's algorithm answers with forces or with a ray z, where (A z)_i <= 0 wherever z_i > 0:
// impulses along z leave no contact separating where they act, which is the second validity
// condition of section 7.1. Scaled up from 0 to the first contact whose velocity along its old
// direction of sliding vanishes, they meet the first. Finite forces (bounds, gravity) count for
// nothing in an impulse.
#include "solvers/coping.h"

#include <math.h>
#include <string.h>

#include "solvers/factor.h"
#include "solvers/lemke_standard.h"

struct TriboCoping {
  TriboArena arena;  // for Lemke's memory, which depends on the number of rows
  TriboFactor* factor;
  int x, n, ny;
  double* A;     // (n x n)
  double* q;     // (n)
  double* J;     // one column of J, or the free acceleration  (ny)
  double* hold;  // impulses of the equality rows               (x)
  bool* active;  // equality rows that are not redundant        (x)
};

TriboCoping* tribo_coping_init(TriboArena* arena, int x, int n, int ny) {
  TriboCoping* coping = tribo_arena_take(arena, 1, sizeof *coping);
  TriboCoping c = {.x = x, .n = n, .ny = ny};
  c.factor = tribo_factor_init_dense(arena, ny, x);
  c.A = tribo_arena_take(arena, (size_t)n * (size_t)n, sizeof(double));
  c.q = tribo_arena_doubles(arena, n);
  c.J = tribo_arena_doubles(arena, ny);
  c.hold = tribo_arena_doubles(arena, x);
  c.active = tribo_arena_take(arena, (size_t)x, sizeof(bool));
  TriboArena measure = tribo_arena_measure();
  tribo_lemke_standard_init(&measure, n);
  void* block = tribo_arena_take(arena, measure.used, 1);
  if (coping == NULL || arena->overflowed) return NULL;
  c.arena = tribo_arena_over(block, measure.used);
  *coping = c;
  return coping;
}

// ---- Equality rows ----

static TriboFactorRow factor_row(const TriboRows* rows, int i) {
  return (TriboFactorRow){.count = rows->start[i + 1] - rows->start[i],
                          .index = rows->index + rows->start[i],
                          .value = rows->value + rows->start[i]};
}

static void factor_equalities(TriboCoping* coping, const TriboContactProblem* problem) {
  tribo_factor_clear(coping->factor);
  for (int i = 0; i < problem->X.count; ++i) {
    coping->active[i] =
        tribo_factor_add(coping->factor, i, factor_row(&problem->X, i), 1e-11) == TRIBO_OK;
  }
}

// Moves y to where X y = target (NULL: 0) along X^T; the impulses that do it go to coping->hold.
static void hold(TriboCoping* coping, const TriboContactProblem* problem, const double* target,
                 double* y) {
  for (int i = 0; i < problem->X.count; ++i) {
    const double want = target != NULL ? target[i] : 0;
    coping->hold[i] = coping->active[i] ? want - tribo_row_dot(&problem->X, i, y) : 0;
  }
  if (tribo_factor_count(coping->factor) > 0) {
    tribo_factor_solve(coping->factor, coping->hold, coping->hold);
  }
  for (int i = 0; i < problem->X.count; ++i) {
    if (coping->active[i]) tribo_row_axpy(&problem->X, i, coping->hold[i], y);
  }
}

// Whether y meets all of them, redundant ones included.
static bool holds(const TriboContactProblem* problem, const double* y) {
  for (int i = 0; i < problem->X.count; ++i) {
    double parts = fabs(problem->b_X[i]);
    for (int e = problem->X.start[i]; e < problem->X.start[i + 1]; ++e) {
      parts += fabs(problem->X.value[e] * y[problem->X.index[e]]);
    }
    const double off = tribo_row_dot(&problem->X, i, y) - problem->b_X[i];
    if (fabs(off) > 1e-9 * parts) return false;
  }
  return true;
}

// ---- Friction that follows the normal forces ----

static double slip_speed(const TriboFrictionGroup* group, const double* slip) {
  double square = 0;
  for (int r = 0; r < group->rows; ++r) {
    square += slip[group->tangent + r] * slip[group->tangent + r];
  }
  return sqrt(square);
}

// Tangential forces that go with the normal ones; constant bounds count `bounds` times.
static void follow(const TriboContactProblem* problem, const double* slip, double slow,
                   const double* f, double bounds, double* t) {
  for (int i = 0; i < problem->T.count; ++i) t[i] = 0;
  for (int g = 0; g < problem->ng; ++g) {
    const TriboFrictionGroup* group = &problem->group[g];
    const double normal = group->normal >= 0 ? group->mu * f[group->normal] : 0;
    const double scale = -(normal + bounds * group->bound) / fmax(slip_speed(group, slip), slow);
    for (int r = 0; r < group->rows; ++r) {
      t[group->tangent + r] = scale * slip[group->tangent + r];
    }
  }
}

// y += N^T f + T^T t
static void push(const TriboContactProblem* problem, const double* f, const double* t, double* y) {
  for (int i = 0; i < problem->N.count; ++i) tribo_row_axpy(&problem->N, i, f[i], y);
  for (int i = 0; i < problem->T.count; ++i) tribo_row_axpy(&problem->T, i, t[i], y);
}

static void assemble(TriboCoping* coping, const TriboContactProblem* problem, const double* slip,
                     double slow, TriboContactSolution* solution) {
  const int n = problem->N.count;
  const size_t bytes = sizeof(double) * (size_t)problem->ny;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) solution->f[i] = i == j;
    follow(problem, slip, slow, solution->f, 0, solution->t);
    memset(coping->J, 0, bytes);
    push(problem, solution->f, solution->t, coping->J);
    hold(coping, problem, NULL, coping->J);
    for (int i = 0; i < n; ++i) coping->A[i * n + j] = tribo_row_dot(&problem->N, i, coping->J);
  }
  // The acceleration without normal forces.
  for (int i = 0; i < n; ++i) solution->f[i] = 0;
  follow(problem, slip, slow, solution->f, 1, solution->t);
  memcpy(coping->J, problem->k, bytes);
  push(problem, solution->f, solution->t, coping->J);
  hold(coping, problem, problem->b_X, coping->J);
  for (int i = 0; i < n; ++i) {
    coping->q[i] = tribo_row_dot(&problem->N, i, coping->J) - problem->b_N[i];
  }
}

// ---- The result ----

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

static void write_modes(const TriboContactProblem* problem, TriboContactSolution* solution) {
  for (int i = 0; i < problem->N.count; ++i) {
    solution->mode_N[i] = solution->f[i] > 0 ? TRIBO_MODE_STICK : TRIBO_MODE_SEPARATE;
  }
  for (int g = 0; g < problem->ng; ++g) {
    bool acts = false;
    for (int r = 0; r < problem->group[g].rows; ++r) {
      acts |= solution->t[problem->group[g].tangent + r] != 0;
    }
    solution->mode_g[g] = acts ? TRIBO_MODE_SLIDE : TRIBO_MODE_SEPARATE;
  }
}

// y and x of the forces or impulses f.
static void write_motion(TriboCoping* coping, const TriboContactProblem* problem,
                         const double* slip, double slow, bool forces,
                         TriboContactSolution* solution) {
  follow(problem, slip, slow, solution->f, forces, solution->t);
  const size_t bytes = sizeof(double) * (size_t)problem->ny;
  if (forces) memcpy(solution->y, problem->k, bytes);
  if (!forces) memset(solution->y, 0, bytes);
  push(problem, solution->f, solution->t, solution->y);
  hold(coping, problem, forces ? problem->b_X : NULL, solution->y);
  for (int i = 0; i < problem->X.count; ++i) {
    solution->x[i] = coping->active[i] ? coping->hold[i] : 0;
  }
  write_modes(problem, solution);
}

TriboStatus tribo_coping_solve(TriboCoping* coping, const TriboContactProblem* problem,
                               const double* slip, double slow, TriboContactSolution* solution,
                               TriboCopingResult* result) {
  const int n = problem->N.count;
  *result = (TriboCopingResult){.kind = TRIBO_COPING_FORCE, .stopped = -1};
  if (n > coping->n || problem->ny > coping->ny || problem->X.count > coping->x) {
    return TRIBO_ERROR_CAPACITY;
  }
  factor_equalities(coping, problem);
  assemble(coping, problem, slip, slow, solution);
  if (!holds(problem, coping->J)) return TRIBO_ERROR_INFEASIBLE;

  TriboStatus status = TRIBO_OK;
  if (n > 0) {
    tribo_arena_reset(&coping->arena, 0);
    TriboLemkeStandard* lemke = tribo_lemke_standard_init(&coping->arena, n);
    if (lemke == NULL) return TRIBO_ERROR_CAPACITY;
    const TriboLcp lcp = {n, coping->A, coping->q};
    const TriboLemkeStandardOptions options = tribo_lemke_standard_options_default();
    TriboLemkeStandardStats stats;
    status = tribo_lemke_standard_solve(lemke, &lcp, &options, solution->f, &stats);
    result->pivots = stats.pivots;
    if (status == TRIBO_ERROR_LIMIT) return status;
  }
  write_motion(coping, problem, slip, slow, status == TRIBO_OK, solution);
  if (status == TRIBO_OK) return TRIBO_OK;
  // A ray, proof of infeasibility or not, is a direction of impulses.
  result->kind = TRIBO_COPING_IMPULSE;
  const double scale = first_stop(problem, slip, solution->y, &result->stopped);
  if (result->stopped < 0) return TRIBO_ERROR_RAY;
  for (int i = 0; i < n; ++i) solution->f[i] *= scale;
  for (int i = 0; i < problem->T.count; ++i) solution->t[i] *= scale;
  for (int i = 0; i < problem->X.count; ++i) solution->x[i] *= scale;
  for (int i = 0; i < problem->ny; ++i) solution->y[i] *= scale;
  return TRIBO_OK;
}
