// SPDX-License-Identifier: Apache-2.0
//
// One pass over the rows rebuilds y+ from the impulses and finds the two scales; a second pass
// looks at every row and group once. Nothing here depends on how a solution was found.
#include "solvers/certificate.h"

#include <math.h>
#include <string.h>

// The two scales of certificate.h.
typedef struct Scales {
  double velocity;
  double impulse;
} Scales;

static double norm(const double* values, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i] * values[i];
  return sqrt(sum);
}

// The larger one; unlike fmax, not a number wins.
static double larger(double a, double b) { return b > a || isnan(b) ? b : a; }

static double row_norm(const TriboRows* rows, int i) {
  return norm(rows->value + rows->start[i], rows->start[i + 1] - rows->start[i]);
}

// Adds the impulses of `rows` to y and raises the scales.
static void gather(const TriboRows* rows, const double* target, const double* impulse, double* y,
                   Scales* scales) {
  for (int i = 0; i < rows->count; ++i) {
    const double size = row_norm(rows, i);
    if (impulse[i] != 0) tribo_row_axpy(rows, i, impulse[i], y);
    scales->impulse = larger(scales->impulse, size * fabs(impulse[i]));
    scales->velocity = larger(scales->velocity, fabs(target[i]) / (size > 0 ? size : 1));
  }
}

// A velocity of a row, and an impulse of a row, relative. A row without entries cannot move
// anything.
static double relative_velocity(double velocity, double size, Scales scales) {
  return velocity / ((size > 0 ? size : 1) * scales.velocity);
}
static double relative_impulse(double impulse, double size, Scales scales) {
  return impulse * size / scales.impulse;
}

static void judge_group(const TriboContactProblem* problem, TriboCone cone,
                        const TriboFrictionGroup* group, const TriboContactSolution* solution,
                        const double* y, Scales scales, TriboCertificate* result) {
  const double f = group->normal < 0 ? 0 : fmax(solution->f[group->normal], 0);
  const double radius = group->mu * f + group->bound;
  double t[2] = {0, 0}, s[2] = {0, 0}, size = 0;
  for (int r = 0; r < group->rows; ++r) {
    const int row = group->tangent + r;
    t[r] = solution->t[row];
    s[r] = tribo_row_dot(&problem->T, row, y) - problem->b_T[row];
    size = fmax(size, row_norm(&problem->T, row));
  }
  // Length of the impulse, speed, and the distance of the impulse from where the law wants it at
  // this speed.
  double length, speed, off;
  if (cone == TRIBO_CONE_POLYGON && group->rows == 2) {
    length = tribo_polygon_gauge(group->facets, t);
    speed = tribo_polygon_support(group->facets, s);
    off = speed > 0 ? radius + (t[0] * s[0] + t[1] * s[1]) / speed : 0;
  } else {
    length = sqrt(t[0] * t[0] + t[1] * t[1]);
    speed = sqrt(s[0] * s[0] + s[1] * s[1]);
    const double turn = speed > 0 ? radius / speed : 0;
    const double e[2] = {t[0] + turn * s[0], t[1] + turn * s[1]};
    off = speed > 0 ? sqrt(e[0] * e[0] + e[1] * e[1]) : 0;
  }
  const double moving = relative_velocity(speed, size, scales);
  result->cone = fmax(result->cone, relative_impulse(length - radius, size, scales));
  result->stick =
      fmax(result->stick, fmin(moving, relative_impulse(radius - length, size, scales)));
  result->direction = fmax(result->direction, fmin(moving, relative_impulse(off, size, scales)));
}

TriboCertificate tribo_certify(const TriboContactProblem* problem, TriboCone cone,
                               const TriboContactSolution* solution, double* scratch) {
  TriboCertificate result = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  double* y = scratch;

  // y+ from the impulses, and the scales.
  Scales scales = {norm(problem->k, problem->ny), 0};
  if (problem->ny > 0) memcpy(y, problem->k, sizeof(double) * (size_t)problem->ny);
  gather(&problem->X, problem->b_X, solution->x, y, &scales);
  gather(&problem->N, problem->b_N, solution->f, y, &scales);
  gather(&problem->T, problem->b_T, solution->t, y, &scales);
  scales.velocity = larger(scales.velocity, norm(y, problem->ny));
  scales.impulse = larger(scales.velocity, scales.impulse);
  if (!isfinite(scales.impulse) || !isfinite(norm(solution->y, problem->ny))) {
    const TriboCertificate bad = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY,
                                  INFINITY, INFINITY, INFINITY, INFINITY};
    return bad;
  }
  if (scales.impulse == 0) return result;  // nothing moves and nothing pushes
  if (scales.velocity == 0) scales.velocity = scales.impulse;

  for (int i = 0; i < problem->ny; ++i) {
    result.dynamics = fmax(result.dynamics, fabs(solution->y[i] - y[i]) / scales.impulse);
  }
  for (int i = 0; i < problem->X.count; ++i) {
    const double gap = tribo_row_dot(&problem->X, i, y) - problem->b_X[i];
    const double size = row_norm(&problem->X, i);
    result.equality = fmax(result.equality, relative_velocity(fabs(gap), size, scales));
  }
  for (int i = 0; i < problem->N.count; ++i) {
    const double size = row_norm(&problem->N, i);
    const double gap =
        relative_velocity(tribo_row_dot(&problem->N, i, y) - problem->b_N[i], size, scales);
    const double push = relative_impulse(solution->f[i], size, scales);
    result.penetration = fmax(result.penetration, -gap);
    result.sign = fmax(result.sign, -push);
    result.complementarity = fmax(result.complementarity, fmin(push, gap));
  }
  for (int g = 0; g < problem->ng; ++g) {
    judge_group(problem, cone, &problem->group[g], solution, y, scales, &result);
  }

  const double figures[] = {result.dynamics, result.equality,        result.penetration,
                            result.sign,     result.complementarity, result.cone,
                            result.stick,    result.direction};
  for (int i = 0; i < (int)(sizeof figures / sizeof figures[0]); ++i) {
    result.worst = fmax(result.worst, figures[i]);
  }
  return result;
}
