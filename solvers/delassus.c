// SPDX-License-Identifier: Apache-2.0
//
// Validation and the judge. No solver's state is read here.
#include "solvers/delassus.h"

#include <math.h>
#include <string.h>

TriboStatus tribo_delassus_validate(const TriboDelassus* p) {
  const int n = p->contacts * p->size;
  if (p->contacts < 0 || (p->size != 2 && p->size != 3) || p->W.count != n) {
    return TRIBO_ERROR_ARGUMENT;
  }
  if (p->size == 3 && p->cone == TRIBO_CONE_POLYGON && (p->facets < 4 || p->facets % 2 != 0)) {
    return TRIBO_ERROR_ARGUMENT;
  }
  for (int i = 0; i < n; ++i) {
    if (!isfinite(p->q[i])) return TRIBO_ERROR_NOT_FINITE;
    for (int e = p->W.start[i]; e < p->W.start[i + 1]; ++e) {
      const int j = p->W.index[e];
      if (j < 0 || j >= n || (e > p->W.start[i] && j <= p->W.index[e - 1])) {
        return TRIBO_ERROR_ARGUMENT;
      }
      if (!isfinite(p->W.value[e])) return TRIBO_ERROR_NOT_FINITE;
      if (j == i && p->W.value[e] < 0) return TRIBO_ERROR_ARGUMENT;
    }
  }
  for (int c = 0; c < p->contacts; ++c) {
    if (!isfinite(p->mu[c])) return TRIBO_ERROR_NOT_FINITE;
    if (p->mu[c] < 0) return TRIBO_ERROR_ARGUMENT;
  }
  return TRIBO_OK;
}

double tribo_delassus_diagonal(const TriboRows* W, int i) {
  for (int e = W->start[i]; e < W->start[i + 1]; ++e) {
    if (W->index[e] == i) return W->value[e];
  }
  return 0;
}

// Radius of the smallest disc or polygon that holds t; how fast s slides; how far t is from where
// the law wants it for s.
typedef struct Law {
  double length, speed, off;
} Law;

static Law law_of(const TriboDelassus* p, double radius, const double* t, const double* s) {
  const double t1 = p->size == 3 ? t[1] : 0, s1 = p->size == 3 ? s[1] : 0;
  const double tt[2] = {t[0], t1}, ss[2] = {s[0], s1};
  Law law;
  if (p->size == 3 && p->cone == TRIBO_CONE_POLYGON) {
    law.length = tribo_polygon_gauge(p->facets, tt);
    law.speed = tribo_polygon_support(p->facets, ss);
    law.off = law.speed > 0 ? radius + (tt[0] * ss[0] + tt[1] * ss[1]) / law.speed : 0;
  } else {
    law.length = sqrt(t[0] * t[0] + t1 * t1);
    law.speed = sqrt(s[0] * s[0] + s1 * s1);
    const double turn = law.speed > 0 ? radius / law.speed : 0;
    const double e[2] = {t[0] + turn * s[0], t1 + turn * s1};
    law.off = law.speed > 0 ? sqrt(e[0] * e[0] + e[1] * e[1]) : 0;
  }
  return law;
}

TriboCertificate tribo_delassus_certify(const TriboDelassus* p, const double* r, double* scratch) {
  TriboCertificate result = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  const int n = p->contacts * p->size;
  double *u = scratch, work = 0, V = 0, S = 0;
  for (int i = 0; i < n; ++i) {
    const double moved = tribo_row_dot(&p->W, i, r), size = sqrt(tribo_delassus_diagonal(&p->W, i));
    u[i] = moved + p->q[i];
    work += r[i] * moved;
    V = fmax(V, fabs(p->q[i]) / (size > 0 ? size : 1));
    S = fmax(S, size * fabs(r[i]));
    if (!isfinite(u[i])) V = INFINITY;
  }
  V = fmax(V, sqrt(fmax(work, 0)));
  S = fmax(S, V);
  if (!isfinite(S)) {
    const TriboCertificate bad = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY,
                                  INFINITY, INFINITY, INFINITY, INFINITY};
    return bad;
  }
  if (S == 0) return result;
  if (V == 0) V = S;
  for (int c = 0; c < p->contacts; ++c) {
    const int i = c * p->size;
    const double normal = sqrt(tribo_delassus_diagonal(&p->W, i));
    const double gap = u[i] / ((normal > 0 ? normal : 1) * V), push = r[i] * normal / S;
    result.penetration = fmax(result.penetration, -gap);
    result.sign = fmax(result.sign, -push);
    result.complementarity = fmax(result.complementarity, fmin(push, gap));
    double size = sqrt(tribo_delassus_diagonal(&p->W, i + 1));
    if (p->size == 3) size = fmax(size, sqrt(tribo_delassus_diagonal(&p->W, i + 2)));
    const double radius = p->mu[c] * fmax(r[i], 0);
    const Law law = law_of(p, radius, r + i + 1, u + i + 1);
    const double moving = law.speed / ((size > 0 ? size : 1) * V);
    result.cone = fmax(result.cone, (law.length - radius) * size / S);
    result.stick = fmax(result.stick, fmin(moving, (radius - law.length) * size / S));
    result.direction = fmax(result.direction, fmin(moving, law.off * size / S));
  }
  const double figures[] = {result.penetration, result.sign,  result.complementarity,
                            result.cone,        result.stick, result.direction};
  for (size_t k = 0; k < sizeof figures / sizeof figures[0]; ++k) {
    result.worst = fmax(result.worst, figures[k]);
  }
  return result;
}
