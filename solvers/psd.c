// SPDX-License-Identifier: Apache-2.0
//
// What the dual active set, PPM and Dantzig share: the equality rows, the warm start, the solve of
// an active set, and the result.
//
// Equality rows enter first, in their order, through the rank-revealing factor: FIND-INDICES,
// Algorithm 2 of [Drumwright], with O(n^2) updates. A row that the factor refuses is redundant
// when the others already meet it and contradicts them otherwise. They never leave.
//
// For an active set A of independent rows, y = k + W_A^T u with H u = b_A - W_A k, H = W_A W_A^T.
// One step of refinement with the residual b_A - W_A y makes the active rows hold to rounding.
#include "solvers/psd.h"

#include <math.h>
#include <string.h>

#include "engine/base/message.h"
#include "solvers/factor_cholmod.h"
#include "solvers/psd_state.h"

static const double kStrictRefuse = 1e-14;

// An answer found with hardly any row refused is one when its rows hold up to this, relative.
static const double kBelieved = 1e-6;

TriboPsdOptions tribo_psd_options_default(void) {
  return (TriboPsdOptions){.method = TRIBO_PSD_DUAL,
                           .refuse = 1e-11,
                           .tolerance = 1e-12,
                           .contradiction = 1e-10,
                           .pivots = 0,
                           .zero_steps = 100};
}

static void layout(TriboPsdSolver* s, TriboArena* arena) {
  int rows = s->max_X + s->max_N;
  s->u = tribo_arena_doubles(arena, rows);
  s->r = tribo_arena_doubles(arena, rows);
  s->y = tribo_arena_doubles(arena, s->max_ny);
  s->length = tribo_arena_doubles(arena, s->max_N);
  s->slack = tribo_arena_doubles(arena, s->max_N);
  s->settled = tribo_arena_take(arena, (size_t)s->max_N, sizeof *s->settled);
  s->held = tribo_arena_take(arena, (size_t)s->max_N, sizeof *s->held);
  s->along = tribo_arena_doubles(arena, s->max_ny);
  s->slots = tribo_arena_ints(arena, rows);
  s->refused = tribo_arena_ints(arena, rows);
  s->rows = tribo_arena_take(arena, (size_t)rows, sizeof *s->rows);
}

TriboPsdSolver* tribo_psd_init(TriboArena* arena, TriboFactor* factor, int ny, int max_X,
                               int max_N) {
  TriboPsdSolver made = {.max_ny = ny, .max_X = max_X, .max_N = max_N, .factor = factor};
  TriboPsdSolver* solver = tribo_arena_take(arena, 1, sizeof *solver);
  layout(&made, arena);
  if (solver == NULL || arena->overflowed) return NULL;
  *solver = made;
  return solver;
}

// ---- Rows by slot ----

static double row_dot(TriboFactorRow row, const double* y) {
  double sum = 0;
  for (int e = 0; e < row.count; ++e) sum += row.value[e] * y[row.index[e]];
  return sum;
}

static void row_axpy(TriboFactorRow row, double scale, double* y) {
  for (int e = 0; e < row.count; ++e) y[row.index[e]] += scale * row.value[e];
}

// ---- The active set ----

// Adds H^-1 (b - W y) to u, and its effect to y.
static void correct_active(TriboPsdSolver* s) {
  int n = tribo_factor_count(s->factor);
  const int* slots = tribo_factor_slots(s->factor);
  for (int i = 0; i < n; ++i) {
    int slot = slots[i];
    s->r[slot] = psd_target(s, slot) - row_dot(psd_factor_row(s, slot), s->y);
  }
  tribo_factor_solve(s->factor, s->r, s->r);
  for (int i = 0; i < n; ++i) {
    int slot = slots[i];
    s->u[slot] += s->r[slot];
    row_axpy(psd_factor_row(s, slot), s->r[slot], s->y);
  }
}

void tribo_psd_solve_active(TriboPsdSolver* s) {
  int n = tribo_factor_count(s->factor);
  const int* slots = tribo_factor_slots(s->factor);
  memcpy(s->y, s->problem->k, sizeof(double) * (size_t)s->problem->ny);
  for (int i = 0; i < n; ++i) s->u[slots[i]] = 0;
  correct_active(s);
  correct_active(s);
}

int tribo_psd_count_active(TriboPsdSolver* s) {
  int n = tribo_factor_count(s->factor), active = 0;
  const int* slots = tribo_factor_slots(s->factor);
  for (int i = 0; i < n; ++i) active += psd_row(s, slots[i]) >= 0;
  if (active > s->info->most_active) s->info->most_active = active;
  return active;
}

int tribo_psd_most_violated(const TriboPsdSolver* s) {
  const TriboRows* N = &s->problem->N;
  int worst = -1;
  double most = 0;
  for (int i = 0; i < N->count; ++i) {
    if (s->settled[i] || tribo_factor_has(s->factor, psd_slot(s, i))) continue;
    double w = tribo_row_dot(N, i, s->y) - s->problem->b_N[i];
    if (w >= -s->slack[i]) continue;
    if (w < most * s->length[i]) {
      most = w / s->length[i];
      worst = i;
    }
  }
  return worst;
}

int tribo_psd_most_negative(const TriboPsdSolver* s, double threshold) {
  int n = tribo_factor_count(s->factor);
  const int* slots = tribo_factor_slots(s->factor);
  int worst = -1;
  double most = -threshold;
  for (int k = 0; k < n; ++k) {
    int i = psd_row(s, slots[k]);
    if (i < 0) continue;
    double impulse = s->u[slots[k]] * s->length[i];
    if (impulse < most || (impulse == most && worst >= 0 && i < worst)) {
      most = impulse;
      worst = i;
    }
  }
  return worst;
}

void tribo_psd_drop_negative(TriboPsdSolver* s) {
  for (;;) {
    int i = tribo_psd_most_negative(s, s->noise);
    if (i < 0 || s->info->pivots >= s->limit) return;
    tribo_factor_delete(s->factor, psd_slot(s, i));
    ++s->info->pivots;
    tribo_psd_solve_active(s);
  }
}

// ---- The start ----

// |row|
static double row_length(const TriboRows* rows, int i) {
  double length2 = 0;
  for (int e = rows->start[i]; e < rows->start[i + 1]; ++e) {
    length2 += rows->value[e] * rows->value[e];
  }
  return sqrt(length2);
}

// Lengths and noise of all unilateral rows. The velocity scale is the certificate's: |k|, or what
// the targets ask for where that is more (problems given by a Delassus matrix have k = 0; gaps ask
// for nothing).
static void measure_rows(TriboPsdSolver* s) {
  const TriboContactProblem* p = s->problem;
  double size2 = 0;
  for (int i = 0; i < p->ny; ++i) size2 += p->k[i] * p->k[i];
  s->size = sqrt(size2);
  for (int i = 0; i < p->X.count; ++i) {
    if (p->b_X[i] == 0) continue;
    const double length = row_length(&p->X, i);
    if (length > 0) s->size = fmax(s->size, fabs(p->b_X[i]) / length);
  }
  for (int i = 0; i < p->N.count; ++i) {
    s->length[i] = row_length(&p->N, i);
    if (s->length[i] > 0) s->size = fmax(s->size, p->b_N[i] / s->length[i]);
  }
  s->noise = 1e-15 * s->size;
  for (int i = 0; i < p->N.count; ++i) {
    s->slack[i] = s->options->tolerance * (s->length[i] * s->size + fabs(p->b_N[i]));
    s->settled[i] = false;
  }
}

// Adds the rows whose slots stand in s->slots; returns how many were refused.
static int add_rows(TriboPsdSolver* s, int count) {
  for (int i = 0; i < count; ++i) s->rows[i] = psd_factor_row(s, s->slots[i]);
  return tribo_factor_add_all(s->factor, count, s->slots, s->rows, s->options->refuse, s->refused);
}

// Equality rows by what is left of them beside those taken before, the largest share first: of rows
// that nearly depend on each other, those that say most. Returns how many are refused.
static int add_by_share(TriboPsdSolver* s) {
  const TriboRows* X = &s->problem->X;
  const int count = X->count;
  double *share = s->r, *q = s->along, *weight = s->u;
  for (int i = 0; i < count; ++i) share[i] = row_length(X, i) > 0 ? 1 : 0;
  int refused = 0;
  for (int taken = 0; taken < count; ++taken) {
    int best = -1;
    for (int i = 0; i < count; ++i) {
      if (share[i] >= 0 && (best < 0 || share[i] > share[best])) best = i;
    }
    share[best] = -1;
    const TriboFactorRow row = psd_factor_row(s, best);
    // What of the row is outside the span of those taken.
    (void)tribo_factor_project(s->factor, row, weight, NULL);
    memset(q, 0, sizeof(double) * (size_t)s->problem->ny);
    row_axpy(row, 1, q);
    const int n = tribo_factor_count(s->factor);
    const int* slots = tribo_factor_slots(s->factor);
    for (int k = 0; k < n; ++k) row_axpy(psd_factor_row(s, slots[k]), -weight[slots[k]], q);
    if (tribo_factor_add(s->factor, best, row, s->options->refuse) != TRIBO_OK) {
      s->refused[refused++] = best;
      continue;
    }
    double square = 0;
    for (int i = 0; i < s->problem->ny; ++i) square += q[i] * q[i];
    for (int i = 0; i < count; ++i) {
      if (share[i] < 0) continue;
      const double along = tribo_row_dot(X, i, q) / row_length(X, i);
      share[i] = fmax(0, share[i] - along * along / square);
    }
  }
  return refused;
}

// The active rows' share in the target of a row that depends on them: their own targets, by its
// coefficients over them, which s->r keeps for a proof.
static double target_size(TriboPsdSolver* s, TriboFactorRow row) {
  (void)tribo_factor_project(s->factor, row, s->r, NULL);
  const int n = tribo_factor_count(s->factor);
  const int* slots = tribo_factor_slots(s->factor);
  double size = 0;
  for (int i = 0; i < n; ++i) size += fabs(s->r[slots[i]] * psd_target(s, slots[i]));
  return size;
}

// Whether an equality row asks for a velocity.
static bool any_target(const TriboContactProblem* problem) {
  for (int i = 0; i < problem->X.count; ++i) {
    if (problem->b_X[i] != 0) return true;
  }
  return false;
}

// Checks the equality rows that the factor refused against the point that the others give. What
// the others' targets contribute to a row's takes a projection and only adds to the scale: it is
// asked for where the rest of the scale does not bear the difference.
static TriboStatus check_redundant(TriboPsdSolver* s, int count, TriboContactSolution* solution) {
  s->info->redundant += count;
  // Rows that ask for no velocity cannot contradict each other.
  if (count == 0 || !any_target(s->problem)) return TRIBO_OK;
  tribo_psd_solve_active(s);
  for (int k = 0; k < count; ++k) {
    const int slot = s->refused[k];
    const TriboFactorRow row = psd_factor_row(s, slot);
    const double target = psd_target(s, slot);
    double speed = 0, size = fabs(target), length2 = 0;
    for (int e = 0; e < row.count; ++e) {
      const double part = row.value[e] * s->y[row.index[e]];
      speed += part;
      size += fabs(part);
      length2 += row.value[e] * row.value[e];
    }
    const double rest = target - speed;
    // y was computed from k: what its rounding leaves is no contradiction, however small y is.
    const double rounding = 1e-13 * sqrt(length2) * s->size;
    if (fabs(rest) <= s->options->contradiction * size + rounding) continue;
    const double others = target_size(s, row);
    if (target == 0 && others == 0) continue;
    if (fabs(rest) > s->options->contradiction * (size + others) + rounding) {
      s->info->row = slot;
      s->info->equality = true;
      tribo_psd_write_proof(s, slot, rest > 0 ? 1 : -1, solution);
      return TRIBO_ERROR_INFEASIBLE;
    }
  }
  return TRIBO_OK;
}

// Equality rows in their order. Returns how many are refused.
static int add_in_order(TriboPsdSolver* s) {
  const bool* dependent = s->options->dependent;
  const int rows = s->problem->X.count;
  int count = 0;
  for (int i = 0; i < rows; ++i) {
    if (dependent == NULL || !dependent[i]) s->slots[count++] = i;
  }
  int refused = add_rows(s, count);
  if (count == rows) return refused;
  refused = 0;
  for (int i = 0; i < rows; ++i) {
    if (!tribo_factor_has(s->factor, i)) s->refused[refused++] = i;
  }
  return refused;
}

// CHOLMOD's pattern: all rows of this problem.
static TriboStatus analyze(TriboPsdSolver* s) {
  const int rows = s->problem->X.count + s->problem->N.count;
  for (int slot = 0; slot < s->max_X + s->max_N; ++slot) {
    s->rows[slot] = slot < rows ? psd_factor_row(s, slot) : (TriboFactorRow){0, NULL, NULL};
  }
  return tribo_factor_cholmod_analyze(s->factor, s->rows);
}

static TriboStatus start(TriboPsdSolver* s, const TriboMode* warm, TriboContactSolution* solution) {
  tribo_factor_clear(s->factor);
  const int refused = s->options->by_share ? add_by_share(s) : add_in_order(s);
  const TriboStatus status = check_redundant(s, refused, solution);
  if (status != TRIBO_OK) return status;
  int count = 0;
  for (int i = 0; warm != NULL && i < s->problem->N.count; ++i) {
    if (warm[i] != TRIBO_MODE_SEPARATE) s->slots[count++] = psd_slot(s, i);
  }
  if (count > 0) (void)add_rows(s, count);
  tribo_psd_solve_active(s);
  (void)tribo_psd_count_active(s);
  return TRIBO_OK;
}

// ---- The result ----

void tribo_psd_write_proof(TriboPsdSolver* s, int slot, double sign,
                           TriboContactSolution* solution) {
  const TriboContactProblem* p = s->problem;
  int n = tribo_factor_count(s->factor);
  const int* slots = tribo_factor_slots(s->factor);
  memcpy(solution->y, s->y, sizeof(double) * (size_t)p->ny);
  for (int i = 0; i < p->X.count; ++i) solution->x[i] = 0;
  for (int i = 0; i < p->N.count; ++i) {
    solution->f[i] = 0;
    solution->mode_N[i] = TRIBO_MODE_SEPARATE;
  }
  for (int k = 0; k <= n; ++k) {
    int at = k < n ? slots[k] : slot;
    double value = k < n ? -sign * s->r[at] : sign;
    int i = psd_row(s, at);
    if (i < 0) {
      solution->x[at] = value;
    } else {
      solution->f[i] = fmax(value, 0);
    }
  }
}

static void write_solution(TriboPsdSolver* s, TriboContactSolution* solution) {
  const TriboContactProblem* p = s->problem;
  memcpy(solution->y, p->k, sizeof(double) * (size_t)p->ny);
  for (int i = 0; i < p->X.count; ++i) {
    solution->x[i] = tribo_factor_has(s->factor, i) ? s->u[i] : 0;
    if (solution->x[i] != 0) tribo_row_axpy(&p->X, i, solution->x[i], solution->y);
  }
  for (int i = 0; i < p->N.count; ++i) {
    bool active = tribo_factor_has(s->factor, psd_slot(s, i));
    // Multipliers are below 0 by rounding at most.
    solution->f[i] = active ? fmax(s->u[psd_slot(s, i)], 0) : 0;
    solution->mode_N[i] = active ? TRIBO_MODE_STICK : TRIBO_MODE_SEPARATE;
    if (active) tribo_row_axpy(&p->N, i, solution->f[i], solution->y);
  }
  s->info->active = tribo_psd_count_active(s);
}

// One run with solver->options.
static TriboStatus run(TriboPsdSolver* s, const TriboMode* warm, TriboContactSolution* solution) {
  const TriboPsdOptions* options = s->options;
  const int rows = s->problem->X.count + s->problem->N.count;
  int most = 50 + 10 * rows;
  if (options->pivots > 0 && options->pivots < most) most = options->pivots;
  s->limit = s->info->pivots + most;
  measure_rows(s);
  const TriboStatus status = start(s, warm, solution);
  if (status != TRIBO_OK) return status;
  if (options->method == TRIBO_PSD_PPM) return tribo_psd_ppm(s, solution);
  tribo_psd_drop_negative(s);
  return options->method == TRIBO_PSD_DANTZIG ? tribo_psd_dantzig(s, solution)
                                              : tribo_psd_dual(s, solution);
}

// Whether y, from the impulses of the active set, meets the unilateral rows, roughly.
static bool meets_rows(TriboPsdSolver* s, TriboContactSolution* solution) {
  write_solution(s, solution);
  for (int i = 0; i < s->problem->N.count; ++i) {
    const double b = s->problem->b_N[i];
    const double w = tribo_row_dot(&s->problem->N, i, solution->y) - b;
    if (!(w >= -kBelieved * (s->length[i] * s->size + fabs(b)))) return false;
  }
  return true;
}

// Whether the solution proves that no y exists (Farkas), as far as the targets go: sum . y >=
// excess for every y that meets the rows, and sum is next to nothing. Where rest meets every row,
// nothing can: rows that are dependent up to 1e-8 only seem to contradict each other.
static bool is_proof(TriboPsdSolver* s, const TriboContactSolution* solution) {
  const TriboContactProblem* p = s->problem;
  double* sum = s->along;
  double excess = 0, square = 0;
  for (int j = 0; j < p->ny; ++j) sum[j] = 0;
  for (int i = 0; i < p->X.count; ++i) {
    excess += p->b_X[i] * solution->x[i];
    if (solution->x[i] != 0) tribo_row_axpy(&p->X, i, solution->x[i], sum);
  }
  for (int i = 0; i < p->N.count; ++i) {
    excess += p->b_N[i] * solution->f[i];
    if (solution->f[i] != 0) tribo_row_axpy(&p->N, i, solution->f[i], sum);
  }
  for (int j = 0; j < p->ny; ++j) square += sum[j] * sum[j];
  return excess > 0 && sqrt(square) * s->size <= kBelieved * excess;
}

TriboStatus tribo_psd_solve(TriboPsdSolver* solver, const TriboContactProblem* problem,
                            const TriboPsdOptions* options, const TriboMode* warm,
                            TriboContactSolution* solution, TriboPsdInfo* info) {
  *info = (TriboPsdInfo){.row = -1};
  if (problem->ny > solver->max_ny || problem->X.count > solver->max_X ||
      problem->N.count > solver->max_N) {
    return TRIBO_ERROR_CAPACITY;
  }
  solver->problem = problem;
  solver->options = options;
  solver->info = info;
  TriboStatus status = TRIBO_OK;
  if (tribo_factor_backend(solver->factor) == TRIBO_FACTOR_CHOLMOD) status = analyze(solver);
  if (status != TRIBO_OK) return status;
  status = run(solver, warm, solution);
  // Rows that are almost dependent were taken for dependent: a contradiction between unilateral
  // rows, or a walk in circles, is believed only when it stands with hardly any row refused.
  TriboPsdOptions strict = *options;
  strict.refuse = kStrictRefuse;
  strict.dependent = NULL;
  const bool contradicted = status == TRIBO_ERROR_INFEASIBLE && !info->equality;
  const bool circled = status == TRIBO_ERROR_LIMIT;
  const bool spent = options->pivots > 0 && info->pivots >= options->pivots;
  if (options->pivots > 0) strict.pivots = options->pivots - info->pivots;
  if ((contradicted || circled) && !spent && options->refuse > kStrictRefuse) {
    solver->options = &strict;
    info->row = -1;
    info->redundant = 0;
    info->fallback = true;
    status = run(solver, NULL, solution);
    // A row taken in whose pivot is rounding makes the impulses huge; then no row holds, the proof
    // is none, or the walk does not end: the first run was right.
    const bool astray = status == TRIBO_ERROR_LIMIT ||
                        (status == TRIBO_ERROR_INFEASIBLE && !is_proof(solver, solution)) ||
                        (status == TRIBO_OK && !meets_rows(solver, solution));
    if (contradicted && astray) {
      const bool left = options->pivots == 0 || info->pivots < options->pivots;
      strict = *options;
      if (options->pivots > 0) strict.pivots = options->pivots - info->pivots;
      info->redundant = 0;
      status = left ? run(solver, NULL, solution) : TRIBO_ERROR_LIMIT;
    }
  }
  if (status == TRIBO_ERROR_INFEASIBLE && !is_proof(solver, solution)) status = TRIBO_ERROR_LIMIT;
  if (status != TRIBO_ERROR_INFEASIBLE) write_solution(solver, solution);
  solver->options = options;
  return status;
}

bool tribo_psd_took(const TriboPsdSolver* solver, int row) {
  return tribo_factor_has(solver->factor, row);
}
