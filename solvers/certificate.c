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

// Rounding of y+ as a share of S, 4 u with u = 2^-53, and the tolerance that it is to meet: see
// certificate.h.
static const double kRounding = 4 * 0x1p-53, kTolerance = 1e-9;

static double norm(const double* values, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i] * values[i];
  return sqrt(sum);
}

// The larger one; unlike fmax, not a number wins, and nothing is called.
static double larger(double a, double b) { return b > a || b != b ? b : a; }
static double smaller(double a, double b) { return b < a ? b : a; }

// row . y and |row| in one pass.
static double dot_and_norm(const TriboRows* rows, int i, const double* y, double* size) {
  double sum = 0, square = 0;
  for (int e = rows->start[i]; e < rows->start[i + 1]; ++e) {
    const double v = rows->value[e];
    sum += v * y[rows->index[e]];
    square += v * v;
  }
  *size = sqrt(square);
  return sum;
}

// Adds the impulses of `rows` to y and raises the scales. Of unilateral rows a negative target is
// met at rest and has no part in them: over a row of rounding's length, a contact between links
// that cannot approach each other, it would make every other velocity look like none.
static void gather(const TriboRows* rows, bool unilateral, const double* target,
                   const double* impulse, double* y, Scales* scales) {
  for (int i = 0; i < rows->count; ++i) {
    const double f = impulse[i];
    const double asked = unilateral && target[i] < 0 ? 0 : fabs(target[i]);
    if (f == 0 && asked == 0) continue;
    double square = 0;
    for (int e = rows->start[i]; e < rows->start[i + 1]; ++e) {
      const double v = rows->value[e];
      y[rows->index[e]] += f * v;
      square += v * v;
    }
    const double size = sqrt(square);
    scales->impulse = larger(scales->impulse, size * fabs(f));
    scales->velocity = larger(scales->velocity, asked / (size > 0 ? size : 1));
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
  const double f = group->normal < 0 ? 0 : larger(0, solution->f[group->normal]);
  const double radius = group->mu * f + group->bound;
  double t[2] = {0, 0}, s[2] = {0, 0}, size = 0;
  for (int r = 0; r < group->rows; ++r) {
    const int row = group->tangent + r;
    t[r] = solution->t[row];
    double length;
    s[r] = dot_and_norm(&problem->T, row, y, &length) - problem->b_T[row];
    size = larger(size, length);
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
  // A slow slip's direction is known no better than its rounding lets it.
  if (speed > 0) {
    off = larger(0, off - radius * smaller(1, kRounding * scales.impulse * size / speed));
  }
  result->cone = larger(result->cone, relative_impulse(length - radius, size, scales));
  result->stick =
      larger(result->stick, smaller(moving, relative_impulse(radius - length, size, scales)));
  result->direction =
      larger(result->direction, smaller(moving, relative_impulse(off, size, scales)));
}

TriboCertificate tribo_certify(const TriboContactProblem* problem, TriboCone cone,
                               const TriboContactSolution* solution, double* scratch) {
  TriboCertificate result = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  double* y = scratch;

  // y+ from the impulses, and the scales.
  Scales scales = {norm(problem->k, problem->ny), 0};
  if (problem->ny > 0) memcpy(y, problem->k, sizeof(double) * (size_t)problem->ny);
  gather(&problem->X, false, problem->b_X, solution->x, y, &scales);
  gather(&problem->N, true, problem->b_N, solution->f, y, &scales);
  gather(&problem->T, false, problem->b_T, solution->t, y, &scales);
  scales.velocity = larger(scales.velocity, norm(y, problem->ny));
  scales.impulse = larger(scales.velocity, scales.impulse);
  scales.velocity = larger(scales.velocity, kRounding / kTolerance * scales.impulse);
  if (!isfinite(scales.impulse) || !isfinite(norm(solution->y, problem->ny))) {
    const TriboCertificate bad = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY,
                                  INFINITY, INFINITY, INFINITY, INFINITY};
    return bad;
  }
  if (scales.impulse == 0) return result;  // nothing moves and nothing pushes
  if (scales.velocity == 0) scales.velocity = scales.impulse;

  for (int i = 0; i < problem->ny; ++i) {
    result.dynamics = larger(result.dynamics, fabs(solution->y[i] - y[i]));
  }
  result.dynamics /= scales.impulse;
  for (int i = 0; i < problem->X.count; ++i) {
    double size;
    const double gap = dot_and_norm(&problem->X, i, y, &size) - problem->b_X[i];
    result.equality = larger(result.equality, relative_velocity(fabs(gap), size, scales));
  }
  for (int i = 0; i < problem->N.count; ++i) {
    double size;
    const double approach = dot_and_norm(&problem->N, i, y, &size) - problem->b_N[i];
    const double gap = relative_velocity(approach, size, scales);
    const double push = relative_impulse(solution->f[i], size, scales);
    result.penetration = larger(result.penetration, -gap);
    result.sign = larger(result.sign, -push);
    result.complementarity = larger(result.complementarity, smaller(push, gap));
  }
  for (int g = 0; g < problem->ng; ++g) {
    judge_group(problem, cone, &problem->group[g], solution, y, scales, &result);
  }

  const double figures[] = {result.dynamics, result.equality,        result.penetration,
                            result.sign,     result.complementarity, result.cone,
                            result.stick,    result.direction};
  for (int i = 0; i < (int)(sizeof figures / sizeof figures[0]); ++i) {
    result.worst = larger(result.worst, figures[i]);
  }
  return result;
}
