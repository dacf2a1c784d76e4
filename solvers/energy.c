// SPDX-License-Identifier: Apache-2.0
//
// Unknowns: forces f and accelerations a = A f + b of all rows (gram.h). For every row either the
// acceleration is imposed (0) and the force computed, or the force is imposed and the acceleration
// computed [Faure1996] 3.1. An iteration (figure 3):
//
//   inconsistent values are compensated and change sides:
//     normal, force imposed:  a < 0   impose a = 0, compute f
//     normal, force computed: f < 0   impose f = 0 and t = 0, compute their accelerations
//     friction computed:      |t| > R impose t on the disc, compute its acceleration
//     dynamic friction goes along with its normal, t = R d
//   the computed forces are corrected by the smallest change (in the sense of their norm) that
//   brings the imposed accelerations to 0: what was compensated is redistributed.
//
// The paper's rule leaves friction that was once imposed where it is. Here, at every iteration,
// imposed friction moves to the nearest point of the disc from t - a, and is computed again when
// that lies inside: a fixed point is then Coulomb's law, which the certificate confirms.
//
// Stops when a correction is at most the precision and nothing changes sides, or after the
// iterations allowed; what is returned is consistent after the last compensation.
#include "solvers/energy.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "engine/base/dense.h"
#include "solvers/disc.h"
#include "solvers/gram.h"

struct TriboEnergySolver {
  TriboGram gram;
  int m, first_N, first_T;
  double *f, *a;   // forces and accelerations
  bool* computed;  // the force is computed, the acceleration imposed
  bool* dynamic;   // groups
  double* d;       // direction of dynamic friction, 2 per group
  int* member;     // rows with computed force, friction tied to a normal left out
  double *matrix, *transposed, *tau, *rhs, *x, *scratch;
  int *permutation, *permutation2;
  double force;
};

TriboEnergyOptions tribo_energy_options_default(void) {
  const TriboEnergyOptions options = {1e-11, 1000};
  return options;
}

TriboEnergySolver* tribo_energy_init(TriboArena* arena, int rows, int groups) {
  TriboEnergySolver made = {.m = 0};
  TriboEnergySolver* energy = tribo_arena_take(arena, 1, sizeof *energy);
  const size_t square = (size_t)rows * (size_t)rows;
  tribo_gram_init(&made.gram, arena, rows, groups);
  made.matrix = tribo_arena_take(arena, square, sizeof(double));
  made.transposed = tribo_arena_take(arena, square, sizeof(double));
  double** vectors[] = {&made.f, &made.a, &made.tau, &made.rhs, &made.x, &made.scratch};
  for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; ++v) {
    *vectors[v] = tribo_arena_doubles(arena, rows);
  }
  made.d = tribo_arena_doubles(arena, 2 * groups);
  made.computed = tribo_arena_take(arena, (size_t)rows, sizeof(bool));
  made.dynamic = tribo_arena_take(arena, (size_t)groups, sizeof(bool));
  made.member = tribo_arena_ints(arena, rows);
  made.permutation = tribo_arena_ints(arena, rows);
  made.permutation2 = tribo_arena_ints(arena, rows);
  if (energy == NULL || arena->overflowed) return NULL;
  *energy = made;
  return energy;
}

// ---- Start ----

// Everything at rest: all accelerations imposed, those of dynamic friction apart.
static void start(TriboEnergySolver* s, const double* slip, double still) {
  const TriboContactProblem* p = s->gram.problem;
  s->m = s->gram.m;
  s->first_N = s->gram.first_N;
  s->first_T = s->gram.first_T;
  s->force = s->gram.velocity;
  for (int i = 0; i < s->m; ++i) {
    s->f[i] = 0;
    s->computed[i] = true;
  }
  for (int g = 0; g < p->ng; ++g) {
    const TriboFrictionGroup* group = &p->group[g];
    double speed = 0;
    for (int r = 0; slip != NULL && r < group->rows; ++r) {
      speed += slip[group->tangent + r] * slip[group->tangent + r];
    }
    speed = sqrt(speed);
    s->dynamic[g] = slip != NULL && speed > still;
    for (int r = 0; r < group->rows; ++r) {
      s->d[2 * g + r] = s->dynamic[g] ? -slip[group->tangent + r] / speed : 0;
      if (s->dynamic[g]) s->computed[tribo_gram_tangent(&s->gram, g) + r] = false;
    }
  }
}

// ---- Redistribution ----

// da at `row` for a unit of force i with the dynamic friction that goes along.
static double response(const TriboEnergySolver* s, int row, int i) {
  const double* A = tribo_gram_row(&s->gram, row);
  double sum = A[i];
  if (i < s->first_N || i >= s->first_T) return sum;
  for (int g = 0; g < s->gram.problem->ng; ++g) {
    const TriboFrictionGroup* group = &s->gram.problem->group[g];
    if (!s->dynamic[g] || group->normal != i - s->first_N) continue;
    for (int r = 0; r < group->rows; ++r) {
      sum += s->gram.mu[g] * s->d[2 * g + r] * A[tribo_gram_tangent(&s->gram, g) + r];
    }
  }
  return sum;
}

// The smallest x with matrix x = rhs in the sense of least squares, n unknowns: A P = Q (B; 0), and
// of B's solutions the one in the span of its rows, B^T P' = Q' R'.
static void solve_smallest(TriboEnergySolver* s, int n) {
  const int rank = tribo_qr_factor(n, n, s->matrix, n, s->tau, s->permutation, 1e-11, s->scratch);
  tribo_qr_apply_transposed(n, rank, s->matrix, n, s->tau, s->rhs);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < rank; ++k) {
      s->transposed[i * rank + k] = i >= k ? s->matrix[(size_t)k * (size_t)n + (size_t)i] : 0;
    }
  }
  const int full =
      tribo_qr_factor(n, rank, s->transposed, rank, s->tau, s->permutation2, 1e-15, s->scratch);
  // R'^T z = P'^T rhs, forwards.
  for (int k = 0; k < n; ++k) s->x[k] = 0;
  for (int k = 0; k < full; ++k) {
    double sum = s->rhs[s->permutation2[k]];
    for (int j = 0; j < k; ++j) sum -= s->transposed[j * rank + k] * s->x[j];
    s->x[k] = sum / s->transposed[k * rank + k];
  }
  tribo_qr_apply(n, full, s->transposed, rank, s->tau, s->x);
  for (int i = 0; i < n; ++i) s->rhs[s->permutation[i]] = s->x[i];
  memcpy(s->x, s->rhs, sizeof(double) * (size_t)n);
}

// Dynamic friction from its normal forces.
static void follow(TriboEnergySolver* s) {
  for (int g = 0; g < s->gram.problem->ng; ++g) {
    if (!s->dynamic[g]) continue;
    const double R = tribo_gram_radius(&s->gram, g, s->f);
    for (int r = 0; r < s->gram.problem->group[g].rows; ++r) {
      s->f[tribo_gram_tangent(&s->gram, g) + r] = R * s->d[2 * g + r];
    }
  }
}

// Corrects the computed forces; returns the largest correction.
static double redistribute(TriboEnergySolver* s) {
  int n = 0;
  for (int i = 0; i < s->m; ++i) {
    if (s->computed[i]) s->member[n++] = i;
  }
  tribo_gram_accelerations(&s->gram, s->f, s->a);
  for (int i = 0; i < n; ++i) {
    s->rhs[i] = -s->a[s->member[i]];
    for (int j = 0; j < n; ++j) {
      s->matrix[(size_t)i * (size_t)n + (size_t)j] = response(s, s->member[i], s->member[j]);
    }
  }
  if (n > 0) solve_smallest(s, n);
  double most = 0;
  for (int i = 0; i < n; ++i) {
    s->f[s->member[i]] += s->x[i];
    most = fmax(most, fabs(s->x[i]));
  }
  for (int i = 0; i < s->m; ++i) s->force = fmax(s->force, fabs(s->f[i]));
  return most;
}

// ---- Compensation ----

static void set_friction(TriboEnergySolver* s, int g, const double* t, bool computed) {
  for (int r = 0; r < s->gram.problem->group[g].rows; ++r) {
    const int row = tribo_gram_tangent(&s->gram, g) + r;
    s->f[row] = t[r];
    s->computed[row] = computed;
  }
}

// One static group at accelerations a; true when it changes sides.
static bool compensate_friction(TriboEnergySolver* s, int g) {
  const TriboFrictionGroup* group = &s->gram.problem->group[g];
  const int row = tribo_gram_tangent(&s->gram, g);
  const double R = tribo_gram_radius(&s->gram, g, s->f);
  const bool computed = s->computed[row];
  double t[2] = {0, 0};
  for (int r = 0; r < group->rows; ++r) t[r] = s->f[row + r] - (computed ? 0 : s->a[row + r]);
  const TriboDiscPoint p = tribo_disc_project(TRIBO_CONE_ROUND, 2, R, t);
  // Without a load there is nothing to compute.
  const bool stays = p.inside && R > 0;
  if (computed && stays) return false;
  double old[2] = {0, 0};
  for (int r = 0; r < group->rows; ++r) old[r] = s->f[row + r];
  set_friction(s, g, stays ? old : p.t, stays);
  return computed != stays;
}

// True when a value changed sides.
static bool compensate(TriboEnergySolver* s, double noise) {
  const TriboContactProblem* p = s->gram.problem;
  bool changed = false;
  for (int i = 0; i < p->N.count; ++i) {
    const int row = s->first_N + i;
    if (!s->computed[row] && s->a[row] < -noise) {
      s->computed[row] = changed = true;
    } else if (s->computed[row] && s->a[row] > 1e3 * noise) {
      // Redundant contacts whose targets differ (gaps) cannot all be held: this one opens.
      s->computed[row] = false;
      s->f[row] = 0;
      changed = true;
    } else if (s->computed[row] && s->f[row] < 0) {
      // Below 0 by rounding it stays computed, at 0.
      s->computed[row] = s->f[row] >= -noise;
      changed |= !s->computed[row];
      s->f[row] = 0;
    }
  }
  for (int g = 0; g < p->ng; ++g) {
    if (!s->dynamic[g]) changed |= compensate_friction(s, g);
  }
  follow(s);
  return changed;
}

// ---- The result ----

static void write_solution(const TriboEnergySolver* s, TriboContactSolution* solution) {
  const TriboContactProblem* p = s->gram.problem;
  tribo_gram_write(&s->gram, s->f, solution);
  for (int i = 0; i < p->N.count; ++i) {
    solution->mode_N[i] = solution->f[i] > 0 ? TRIBO_MODE_STICK : TRIBO_MODE_SEPARATE;
  }
  for (int g = 0; g < p->ng; ++g) {
    const bool sticks = s->computed[tribo_gram_tangent(&s->gram, g)];
    solution->mode_g[g] = tribo_gram_radius(&s->gram, g, s->f) == 0 ? TRIBO_MODE_SEPARATE
                          : sticks                                  ? TRIBO_MODE_STICK
                                                                    : TRIBO_MODE_SLIDE;
  }
  tribo_problem_velocity(p, solution);
}

TriboStatus tribo_energy_solve(TriboEnergySolver* s, const TriboContactProblem* problem,
                               const double* slip, double still, const TriboEnergyOptions* options,
                               TriboContactSolution* solution, TriboEnergyResult* result) {
  *result = (TriboEnergyResult){.stop = TRIBO_ENERGY_ITERATIONS};
  const TriboStatus status = tribo_gram_load(&s->gram, problem);
  if (status != TRIBO_OK) return status;
  start(s, slip, still);
  const double noise = 1e-13 * s->gram.velocity;
  bool changed = true;
  while (result->iterations < options->iterations) {
    ++result->iterations;
    const double most = redistribute(s);
    follow(s);
    tribo_gram_accelerations(&s->gram, s->f, s->a);
    result->correction = s->force > 0 ? most / s->force : 0;
    changed = compensate(s, noise);
    if (!changed && (result->correction <= options->precision)) {
      result->stop = TRIBO_ENERGY_PRECISION;
      break;
    }
  }
  write_solution(s, solution);
  return result->stop == TRIBO_ENERGY_PRECISION ? TRIBO_OK : TRIBO_ERROR_LIMIT;
}
