// SPDX-License-Identifier: Apache-2.0
//
// Problem: the conditions of problem.h with the round cone, on rows of length 1 (scaled.h).
//
// Unknowns: all impulses z = (x, f, t). With W = J J^T and u = W z + J k - b they are the zero of
// the natural map, rho = 3:
//
//   equality     rho u
//   unilateral   f - max(0, f - rho u)
//   friction     t - P(a),  a = t - rho u_t,  P the nearest point of the disc of radius R
//
// Algorithm: semismooth Newton (Alart and Curnier 1991). A unilateral row with f - rho u <= 0 gets
// f = 0, otherwise u = 0. A group with |a| <= R gets u_t = 0, otherwise, with e = a/|a| and
// K = (R/|a|)(I - e e^T),
//
//   (I - K) dt - mu e df + rho K du_t = R e - t.
//
// du = (W + delta I) dz: the proximal term delta keeps redundant contacts regular and vanishes at
// the solution. The step is halved while the residual does not fall. There is no guarantee; it
// stops at the tolerance, at the limit, or when no step helps, and the certificate judges.
#include "solvers/cone.h"

#include <math.h>
#include <string.h>

#include "engine/base/dense.h"

enum { MAX_ROWS = 1200, MAX_HALVINGS = 10 };
static const double kRho = 3;

struct TriboConeSolver {
  int largest;  // rows at most
  const TriboScaled* scaled;
  int m, first_N, first_T;  // rows: X, N, T in this order

  double* W;        // m x m
  double* free;     // u at z = 0
  double *z, *u;    // iterate
  double *zt, *ut;  // trial
  double* dz;
  double* du;    // part of du that the known components of dz make
  bool* active;  // dz is an unknown
  int* place;    // rows of the unknowns
  double* a;     // system
  int* permutation;
  double *rhs, *step;
};

TriboConeOptions tribo_cone_options_default(void) {
  const TriboConeOptions options = {50, 1e-4, 1e-14};
  return options;
}

TriboConeSolver* tribo_cone_init(TriboArena* arena, TriboSolverCapacity capacity) {
  TriboConeSolver measuring = {0};
  TriboConeSolver* cone = (TriboConeSolver*)tribo_arena_take(arena, 1, sizeof(TriboConeSolver));
  TriboConeSolver* c = cone != NULL ? cone : &measuring;
  int m = capacity.x + capacity.n + capacity.t;
  if (m > MAX_ROWS) m = MAX_ROWS;
  c->largest = m;
  c->W = tribo_arena_doubles(arena, m * m);
  c->a = tribo_arena_doubles(arena, m * m);
  double** vectors[] = {&c->free, &c->z, &c->u, &c->zt, &c->ut, &c->dz, &c->du, &c->rhs, &c->step};
  for (int v = 0; v < (int)(sizeof vectors / sizeof vectors[0]); ++v) {
    *vectors[v] = tribo_arena_doubles(arena, m);
  }
  c->active = (bool*)tribo_arena_take(arena, (size_t)m, sizeof(bool));
  c->place = tribo_arena_ints(arena, m);
  c->permutation = tribo_arena_ints(arena, m);
  return arena->overflowed ? NULL : cone;
}

// Row i of all rows: its block and its place there.
static const TriboRows* block_of(const TriboConeSolver* c, int i, int* row) {
  const TriboContactProblem* problem = c->scaled->problem;
  *row = i < c->first_N ? i : i < c->first_T ? i - c->first_N : i - c->first_T;
  return i < c->first_N ? &problem->X : i < c->first_T ? &problem->N : &problem->T;
}

static int tangent_of(const TriboConeSolver* c, int g) {
  return c->first_T + c->scaled->problem->group[g].tangent;
}

// W, the free velocity, and the start, all scaled.
static void load(TriboConeSolver* c, const TriboContactSolution* solution) {
  const TriboScaled* p = c->scaled;
  const TriboContactProblem* problem = p->problem;
  double* scale = c->rhs;
  for (int i = 0; i < c->first_N; ++i) scale[i] = p->scale_X[i];
  for (int i = c->first_N; i < c->first_T; ++i) scale[i] = p->scale_N[i - c->first_N];
  for (int i = c->first_T; i < c->m; ++i) scale[i] = 1;
  for (int g = 0; g < problem->ng; ++g) {
    for (int r = 0; r < p->group[g].rows; ++r) scale[tangent_of(c, g) + r] = p->group[g].scale;
  }
  for (int i = 0; i < c->m; ++i) {
    int row_i, row_j;
    const TriboRows* rows_i = block_of(c, i, &row_i);
    for (int j = 0; j <= i; ++j) {
      const TriboRows* rows_j = block_of(c, j, &row_j);
      const double w = tribo_rows_dot(rows_i, row_i, rows_j, row_j) / (scale[i] * scale[j]);
      c->W[i * c->m + j] = c->W[j * c->m + i] = w;
    }
    const double* b = i < c->first_N ? problem->b_X : i < c->first_T ? problem->b_N : problem->b_T;
    const double* impulse = i < c->first_N   ? solution->x
                            : i < c->first_T ? solution->f
                                             : solution->t;
    c->free[i] = (tribo_row_dot(rows_i, row_i, problem->k) - b[row_i]) / scale[i];
    c->z[i] = impulse[row_i] * scale[i];
  }
}

static void velocity(const TriboConeSolver* c, const double* z, double* u) {
  for (int i = 0; i < c->m; ++i) {
    double sum = c->free[i];
    for (int j = 0; j < c->m; ++j) sum += c->W[i * c->m + j] * z[j];
    u[i] = sum;
  }
}

// A group at (z, u): its radius, a = t - rho u_t, and |a|.
typedef struct Disc {
  double radius, length, a[2];
} Disc;

static Disc disc_of(const TriboConeSolver* c, int g, const double* z, const double* u) {
  const TriboScaledGroup* group = &c->scaled->group[g];
  const int first = tangent_of(c, g);
  Disc disc = {group->bound, 0, {0, 0}};
  if (group->normal >= 0) disc.radius += group->mu * fmax(z[c->first_N + group->normal], 0);
  for (int r = 0; r < group->rows; ++r) disc.a[r] = z[first + r] - kRho * u[first + r];
  disc.length = sqrt(disc.a[0] * disc.a[0] + disc.a[1] * disc.a[1]);
  return disc;
}

// Largest entry of the natural map.
static double residual(const TriboConeSolver* c, const double* z, const double* u) {
  double worst = 0;
  for (int i = 0; i < c->first_N; ++i) worst = fmax(worst, kRho * fabs(u[i]));
  for (int i = c->first_N; i < c->first_T; ++i) {
    worst = fmax(worst, fabs(z[i] - fmax(0, z[i] - kRho * u[i])));
  }
  for (int g = 0; g < c->scaled->problem->ng; ++g) {
    const Disc disc = disc_of(c, g, z, u);
    const double shrink = disc.length > disc.radius ? disc.radius / disc.length : 1;
    for (int r = 0; r < c->scaled->group[g].rows; ++r) {
      worst = fmax(worst, fabs(z[tangent_of(c, g) + r] - shrink * disc.a[r]));
    }
  }
  return worst;
}

// Which components of dz are unknown; the others go to zero impulse, and what they move is du.
static int choose_unknowns(TriboConeSolver* c) {
  for (int i = 0; i < c->m; ++i) {
    c->active[i] = i < c->first_N || (i < c->first_T && c->z[i] - kRho * c->u[i] > 0);
  }
  for (int g = 0; g < c->scaled->problem->ng; ++g) {
    const TriboScaledGroup* group = &c->scaled->group[g];
    const bool pushes =
        group->normal >= 0 && group->mu > 0 && c->active[c->first_N + group->normal];
    for (int r = 0; r < group->rows; ++r) {
      c->active[tangent_of(c, g) + r] = pushes || group->bound > 0;
    }
  }
  int n = 0;
  for (int i = 0; i < c->m; ++i) {
    c->dz[i] = c->active[i] ? 0 : -c->z[i];
    if (c->active[i]) c->place[n++] = i;
  }
  for (int i = 0; i < c->m; ++i) {
    c->du[i] = 0;
    for (int j = 0; j < c->m; ++j) c->du[i] += c->W[i * c->m + j] * c->dz[j];
  }
  return n;
}

// Equation of row i that says u + du = 0.
static void rest_equation(TriboConeSolver* c, int n, int at, double proximal) {
  const int i = c->place[at];
  for (int e = 0; e < n; ++e) c->a[at * n + e] = c->W[i * c->m + c->place[e]];
  c->a[at * n + at] += proximal;
  c->rhs[at] = -c->u[i] - c->du[i];
}

// The equations of a sliding group; its rows are unknowns at, at + 1.
static void slide_equations(TriboConeSolver* c, int n, int at, int g, Disc disc, double proximal) {
  const TriboScaledGroup* group = &c->scaled->group[g];
  const int first = c->place[at];
  const double e[2] = {disc.a[0] / disc.length, disc.a[1] / disc.length};
  for (int r = 0; r < group->rows; ++r) {
    double* row = c->a + (at + r) * n;
    memset(row, 0, sizeof(double) * (size_t)n);
    row[at + r] = 1;
    c->rhs[at + r] = disc.radius * e[r] - c->z[first + r];
    for (int s = 0; s < group->rows; ++s) {
      const double K = disc.radius / disc.length * ((r == s) - e[r] * e[s]);
      for (int j = 0; j < n; ++j) row[j] += kRho * K * c->W[(first + s) * c->m + c->place[j]];
      row[at + s] += kRho * K * proximal - K;
      c->rhs[at + r] -= kRho * K * c->du[first + s];
    }
    if (group->normal < 0) continue;
    const int normal = c->first_N + group->normal;
    if (!c->active[normal]) {
      c->rhs[at + r] += group->mu * e[r] * c->dz[normal];
      continue;
    }
    for (int j = 0; j < n; ++j) {
      if (c->place[j] == normal) row[j] -= group->mu * e[r];
    }
  }
}

// dz of one Newton step.
static TriboStatus newton_step(TriboConeSolver* c, double proximal) {
  const int n = choose_unknowns(c);
  if (n == 0) return TRIBO_OK;
  int at = 0;
  for (; at < n && c->place[at] < c->first_T; ++at) rest_equation(c, n, at, proximal);
  // Rows of T stand in the order of `place`, groups need not: find each group's place.
  for (int g = 0; g < c->scaled->problem->ng; ++g) {
    const int first = tangent_of(c, g), rows = c->scaled->group[g].rows;
    if (!c->active[first]) continue;
    int where = at;
    while (c->place[where] != first) ++where;
    const Disc disc = disc_of(c, g, c->z, c->u);
    if (disc.length > disc.radius) {
      slide_equations(c, n, where, g, disc, proximal);
    } else {
      for (int r = 0; r < rows; ++r) rest_equation(c, n, where + r, proximal);
    }
  }
  const TriboStatus status = tribo_lu_factor(n, c->a, n, c->permutation, 1e-15);
  if (status != TRIBO_OK) return status;
  tribo_lu_solve(n, c->a, n, c->permutation, c->rhs, c->step);
  for (int e = 0; e < n; ++e) c->dz[c->place[e]] = c->step[e];
  return TRIBO_OK;
}

static void write_solution(const TriboConeSolver* c, TriboContactSolution* solution) {
  const TriboScaled* p = c->scaled;
  const TriboContactProblem* problem = p->problem;
  for (int i = 0; i < problem->X.count; ++i) solution->x[i] = c->z[i] / p->scale_X[i];
  for (int i = 0; i < problem->N.count; ++i) {
    const double f = c->z[c->first_N + i];
    solution->f[i] = f > 0 ? f / p->scale_N[i] : 0;
    solution->mode_N[i] = f > 0 ? TRIBO_MODE_STICK : TRIBO_MODE_SEPARATE;
  }
  for (int i = 0; i < problem->T.count; ++i) solution->t[i] = 0;
  for (int g = 0; g < problem->ng; ++g) {
    // The impulse as the law has it, so that rounding leaves nothing outside the cone.
    const Disc disc = disc_of(c, g, c->z, c->u);
    const bool slides = disc.length > disc.radius;
    for (int r = 0; r < p->group[g].rows; ++r) {
      const double t = slides ? disc.radius / disc.length * disc.a[r] : c->z[tangent_of(c, g) + r];
      solution->t[problem->group[g].tangent + r] = t / p->group[g].scale;
    }
    solution->mode_g[g] = disc.radius == 0 ? TRIBO_MODE_SEPARATE
                          : slides         ? TRIBO_MODE_SLIDE
                                           : TRIBO_MODE_STICK;
  }
  tribo_problem_velocity(problem, solution);
}

// Goes along dz, halving until the residual falls. False when it never does.
static bool advance(TriboConeSolver* c, double* value) {
  double length = 1;
  for (int h = 0; h <= MAX_HALVINGS; ++h, length *= 0.5) {
    for (int i = 0; i < c->m; ++i) c->zt[i] = c->z[i] + length * c->dz[i];
    velocity(c, c->zt, c->ut);
    const double next = residual(c, c->zt, c->ut);
    if (next < *value) {
      memcpy(c->z, c->zt, sizeof(double) * (size_t)c->m);
      memcpy(c->u, c->ut, sizeof(double) * (size_t)c->m);
      *value = next;
      return true;
    }
  }
  return false;
}

TriboStatus tribo_cone_newton(TriboConeSolver* cone, const TriboScaled* scaled,
                              const TriboConeOptions* options, TriboContactSolution* solution,
                              int* iterations) {
  TriboConeSolver* c = cone;
  const TriboContactProblem* problem = scaled->problem;
  *iterations = 0;
  c->scaled = scaled;
  c->first_N = problem->X.count;
  c->first_T = c->first_N + problem->N.count;
  c->m = c->first_T + problem->T.count;
  if (c->m > c->largest) return TRIBO_ERROR_CAPACITY;
  load(c, solution);
  velocity(c, c->z, c->u);
  double value = residual(c, c->z, c->u);
  const double enough = options->tolerance * scaled->velocity;
  TriboStatus status = TRIBO_OK;
  while (status == TRIBO_OK && value > enough) {
    if (*iterations >= options->max_iterations) {
      status = TRIBO_ERROR_LIMIT;
      break;
    }
    ++*iterations;
    status = newton_step(c, options->proximal);
    if (status == TRIBO_OK && !advance(c, &value)) status = TRIBO_ERROR_LIMIT;
  }
  write_solution(c, solution);
  return status;
}

void tribo_cone_turn(const TriboScaled* scaled, const double* y, bool damped, double* turn) {
  for (int g = 0; g < scaled->problem->ng; ++g) {
    const TriboScaledGroup* group = &scaled->group[g];
    if (group->rows != 2) continue;
    double slip[2];
    tribo_scaled_slip(group, y, slip);
    const double speed = sqrt(slip[0] * slip[0] + slip[1] * slip[1]);
    if (speed <= 1e-12 * scaled->velocity) continue;
    double to[2] = {-slip[0] / speed, -slip[1] / speed};
    if (damped) {
      // Half of the way from the nearest facet.
      double nearest[2] = {0, 0}, most = -2;
      for (int k = 0; k < group->facets; ++k) {
        double d[2];
        tribo_facet_direction(group->facets, k, d);
        const double e[2] = {turn[2 * g] * d[0] - turn[2 * g + 1] * d[1],
                             turn[2 * g + 1] * d[0] + turn[2 * g] * d[1]};
        const double along = e[0] * to[0] + e[1] * to[1];
        if (along > most) most = along, nearest[0] = e[0], nearest[1] = e[1];
      }
      for (int r = 0; r < 2; ++r) to[r] += nearest[r];
      const double length = sqrt(to[0] * to[0] + to[1] * to[1]);
      for (int r = 0; r < 2; ++r) to[r] /= length;
    }
    turn[2 * g] = to[0];
    turn[2 * g + 1] = to[1];
  }
}
