// SPDX-License-Identifier: Apache-2.0
//
// fdirection and maxstep of [Baraff1994] 4.2 and 5.2 to 5.5, as dantzig_friction.c says.
#include <math.h>
#include <string.h>

#include "engine/base/dense.h"
#include "solvers/dantzig_state.h"

// ---- Forces and accelerations ----

// Friction that goes along with the normal forces in v: v_T = mu d v_N for tied groups.
static void tie(const TriboDantzig* s, double* v, bool whole) {
  for (int g = 0; g < s->problem->ng; ++g) {
    if (!is_tied(s, g)) continue;
    const TriboFrictionGroup* group = &s->problem->group[g];
    double length = group->normal >= 0 ? s->gram.mu[g] * v[s->first_N + group->normal] : 0;
    if (whole) length += s->gram.bound[g];
    for (int r = 0; r < group->rows; ++r) v[tangent_of(s, g) + r] = length * s->d[2 * g + r];
  }
}

// Ties made exact, accelerations from the forces.
static void refresh(TriboDantzig* s) {
  tie(s, s->f, true);
  tribo_gram_accelerations(&s->gram, s->f, s->a);
  for (int i = 0; i < s->m; ++i) s->force = fmax(s->force, fabs(s->f[i]));
}

// da of force i with the friction tied to it, at row `row`.
static double response(const TriboDantzig* s, int row, int i) {
  const double* A = tribo_gram_row(&s->gram, row);
  double sum = A[i];
  if (i < s->first_N || i >= s->first_T) return sum;
  for (int g = 0; g < s->problem->ng; ++g) {
    const TriboFrictionGroup* group = &s->problem->group[g];
    if (group->normal != i - s->first_N || !is_tied(s, g)) continue;
    for (int r = 0; r < group->rows; ++r) {
      sum += s->gram.mu[g] * s->d[2 * g + r] * A[tangent_of(s, g) + r];
    }
  }
  return sum;
}

// Forces of the clamped rows for which their accelerations become rhs; into s->x.
static void solve_clamped(TriboDantzig* s, int count) {
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) {
      s->matrix[(size_t)i * (size_t)count + (size_t)j] = response(s, s->member[i], s->member[j]);
    }
  }
  const int rank =
      tribo_qr_factor(count, count, s->matrix, count, s->tau, s->permutation, 1e-11, s->scratch);
  tribo_qr_solve(count, count, rank, s->matrix, count, s->tau, s->permutation, s->rhs, s->x);
}

static int gather_clamped(TriboDantzig* s, int without) {
  int count = 0;
  for (int i = 0; i < s->m; ++i) {
    if (s->clamped[i] && i != without) s->member[count++] = i;
  }
  return count;
}

void tribo_dantzig_direction(TriboDantzig* s, int i, double sign) {
  const int count = gather_clamped(s, i);
  for (int c = 0; c < count; ++c) s->rhs[c] = -sign * response(s, s->member[c], i);
  solve_clamped(s, count);
  memset(s->df, 0, sizeof(double) * (size_t)s->m);
  for (int c = 0; c < count; ++c) s->df[s->member[c]] = s->x[c];
  s->df[i] = sign;
  tie(s, s->df, false);
  tribo_gram_multiply(&s->gram, s->df, s->da);
  for (int c = 0; c < count; ++c) s->da[s->member[c]] = 0;
}

void tribo_dantzig_correct(TriboDantzig* s) {
  refresh(s);
  const int count = gather_clamped(s, -1);
  for (int c = 0; c < count; ++c) s->rhs[c] = -s->a[s->member[c]];
  solve_clamped(s, count);
  for (int c = 0; c < count; ++c) s->f[s->member[c]] += s->x[c];
  refresh(s);
}

// ---- maxstep ----

static void bound_step(Step* step, double length, int what) {
  if (length < step->length) *step = (Step){fmax(length, 0), what, false};
}

double tribo_dantzig_reach_cone(const TriboDantzig* s, int g) {
  const TriboFrictionGroup* group = &s->problem->group[g];
  const int t = tangent_of(s, g);
  const double R = radius_of(s, g, s->f);
  const double dR = group->normal >= 0 ? s->gram.mu[g] * s->df[s->first_N + group->normal] : 0;
  double c2 = -dR * dR, c1 = -R * dR, c0 = -R * R;
  for (int r = 0; r < group->rows; ++r) {
    c2 += s->df[t + r] * s->df[t + r];
    c1 += s->f[t + r] * s->df[t + r];
    c0 += s->f[t + r] * s->f[t + r];
  }
  if (c0 > -1e-14 * (R * R + s->force * s->force * 1e-16)) return c1 > 0 ? 0 : INFINITY;
  const double root2 = c1 * c1 - c2 * c0;
  if (root2 < 0) return INFINITY;
  // The smallest positive root of c2 s^2 + 2 c1 s + c0 with c0 < 0.
  const double root = sqrt(root2), down = c1 + root;
  if (down > 0) return -c0 / down;
  return INFINITY;
}

double tribo_dantzig_least_rate(const TriboDantzig* s) {
  double most = 0;
  for (int i = 0; i < s->m; ++i) most = fmax(most, fabs(s->df[i]));
  return 1e-12 * most;
}

Step tribo_dantzig_max_step(const TriboDantzig* s, int driven_group) {
  const TriboContactProblem* p = s->problem;
  const double tiny = tribo_dantzig_least_rate(s);
  Step step = {INFINITY, -1, false};
  for (int i = 0; i < p->N.count; ++i) {
    const int row = s->first_N + i;
    if (s->normal[i] == CLAMPED && s->df[row] < -tiny) {
      bound_step(&step, s->f[row] / -s->df[row], row);
    } else if (s->normal[i] == FREE && s->da[row] < -tiny) {
      bound_step(&step, s->a[row] / -s->da[row], row);
    }
  }
  for (int g = 0; g < p->ng; ++g) {
    if (s->group[g] == CLAMPED && g != driven_group) {
      bound_step(&step, tribo_dantzig_reach_cone(s, g), s->m + g);
    } else if (s->group[g] == CONE) {
      double along = 0, rate = 0;
      for (int r = 0; r < p->group[g].rows; ++r) {
        along += s->d[2 * g + r] * s->a[tangent_of(s, g) + r];
        rate += s->d[2 * g + r] * s->da[tangent_of(s, g) + r];
      }
      if (rate > tiny) bound_step(&step, fmax(-along, 0) / rate, s->m + g);
    }
  }
  return step;
}
