// SPDX-License-Identifier: Apache-2.0
//
// The problem of problem.h, one row or friction group at a time, y always up to date:
//
//   equality     x_i <- x_i - (X_i y - b)/|X_i|^2
//   unilateral   f_i <- max(0, f_i - (N_i y - b)/|N_i|^2)
//   friction     t_g <- P(t_g - s/rho),  P the nearest point of the disc or polygon of radius R,
//                rho the larger eigenvalue of T_g T_g^T, so that the step is never too long
//
// A fixed point meets the conditions exactly: t = P(t - s/rho) says that s is in minus the normal
// cone of the set at t, which is the friction law. There is no proof of convergence with friction,
// and redundant contacts or large mass ratios make it slow; that is why it is the last rung. Stops
// when a sweep hardly changes y.
#include "solvers/pgs.h"

#include <math.h>

#include "solvers/disc.h"

TriboPgsOptions tribo_pgs_options_default(void) {
  const TriboPgsOptions options = {TRIBO_CONE_ROUND, 10000, 1e-13};
  return options;
}

static double row_square(const TriboRows* rows, int i) {
  double sum = 0;
  for (int e = rows->start[i]; e < rows->start[i + 1]; ++e) sum += rows->value[e] * rows->value[e];
  return sum;
}

// Sets an impulse and carries the difference into y. Returns the square of the change of y.
static double set_impulse(const TriboRows* rows, int i, double value, double* impulse, double* y) {
  const double difference = value - *impulse;
  if (difference == 0) return 0;
  *impulse = value;
  tribo_row_axpy(rows, i, difference, y);
  return difference * difference * row_square(rows, i);
}

// The larger eigenvalue of T_g T_g^T.
static double group_stiffness(const TriboContactProblem* problem, const TriboFrictionGroup* group) {
  const double a = row_square(&problem->T, group->tangent);
  if (group->rows == 1) return a;
  const double d = row_square(&problem->T, group->tangent + 1);
  const double b = tribo_rows_dot(&problem->T, group->tangent, &problem->T, group->tangent + 1);
  return 0.5 * (a + d) + sqrt(0.25 * (a - d) * (a - d) + b * b);
}

static double relax_group(const TriboContactProblem* problem, TriboCone cone, int g,
                          TriboContactSolution* solution) {
  const TriboFrictionGroup* group = &problem->group[g];
  const double stiffness = group_stiffness(problem, group);
  const double f = group->normal < 0 ? 0 : solution->f[group->normal];
  const double radius = group->mu * f + group->bound;
  double t[2] = {0, 0};
  for (int r = 0; r < group->rows; ++r) {
    const int row = group->tangent + r;
    const double s = tribo_row_dot(&problem->T, row, solution->y) - problem->b_T[row];
    t[r] = solution->t[row] - (stiffness > 0 ? s / stiffness : 0);
  }
  const TriboDiscPoint to = tribo_disc_project(cone, group->facets, radius, t);
  t[0] = to.t[0];
  t[1] = to.t[1];
  double change = 0;
  for (int r = 0; r < group->rows; ++r) {
    const int row = group->tangent + r;
    change += set_impulse(&problem->T, row, t[r], &solution->t[row], solution->y);
  }
  solution->mode_g[g] = TRIBO_MODE_SEPARATE;
  if (t[0] != 0 || t[1] != 0) {
    const double length = cone == TRIBO_CONE_POLYGON && group->rows == 2
                              ? tribo_polygon_gauge(group->facets, t)
                              : sqrt(t[0] * t[0] + t[1] * t[1]);
    // One part in 1e12: what the projection itself rounds.
    const bool inside = length < (1 - 1e-12) * radius;
    solution->mode_g[g] = inside ? TRIBO_MODE_STICK : TRIBO_MODE_SLIDE;
  }
  return change;
}

// One pass over everything. Returns the square of the change of y.
static double sweep(const TriboContactProblem* problem, TriboCone cone,
                    TriboContactSolution* solution) {
  double change = 0;
  for (int i = 0; i < problem->X.count; ++i) {
    const double square = row_square(&problem->X, i);
    if (square == 0) continue;
    const double gap = tribo_row_dot(&problem->X, i, solution->y) - problem->b_X[i];
    const double x = solution->x[i] - gap / square;
    change += set_impulse(&problem->X, i, x, &solution->x[i], solution->y);
  }
  for (int i = 0; i < problem->N.count; ++i) {
    const double square = row_square(&problem->N, i);
    const double gap = tribo_row_dot(&problem->N, i, solution->y) - problem->b_N[i];
    const double f = square > 0 ? fmax(0, solution->f[i] - gap / square) : 0;
    change += set_impulse(&problem->N, i, f, &solution->f[i], solution->y);
    solution->mode_N[i] = f > 0 ? TRIBO_MODE_STICK : TRIBO_MODE_SEPARATE;
  }
  for (int g = 0; g < problem->ng; ++g) change += relax_group(problem, cone, g, solution);
  return change;
}

TriboStatus tribo_pgs_solve(const TriboContactProblem* problem, const TriboPgsOptions* options,
                            TriboContactSolution* solution, TriboPgsStats* stats) {
  tribo_problem_velocity(problem, solution);
  stats->sweeps = 0;
  stats->change = INFINITY;
  TriboStatus status = TRIBO_ERROR_LIMIT;
  while (status != TRIBO_OK && stats->sweeps < options->sweeps) {
    const double change = sqrt(sweep(problem, options->cone, solution));
    double square = 0;
    for (int i = 0; i < problem->ny; ++i) {
      square += fmax(problem->k[i] * problem->k[i], solution->y[i] * solution->y[i]);
    }
    stats->change = change > 0 ? change / sqrt(square) : 0;
    ++stats->sweeps;
    if (stats->change <= options->tolerance) status = TRIBO_OK;
  }
  tribo_problem_velocity(problem, solution);
  return status;
}
