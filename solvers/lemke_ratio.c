// SPDX-License-Identifier: Apache-2.0
//
// Who leaves the basis: the basic variables with their values, Harris' ratio test, and the thetas
// that leave in place of what ties with them.
#include <math.h>

#include "solvers/lemke_state.h"

static bool is_pair_of_drive(const TriboLemke* l, Kind kind, int i, int k) {
  if (!l->z0_basic || l->drive.i != i) return false;
  if (l->drive.kind != kind && tribo_lemke_complement(l->drive.kind) != kind) return false;
  return (kind != SIGMA && kind != PHI) || l->drive.k == k;
}

// All basic variables with their value and their derivative by `drive`.
int tribo_lemke_list_basic(TriboLemke* l, Var drive) {
  const TriboScaled* p = l->scaled;
  const Var none = {NONE, 0, 0}, z0 = {Z0, 0, 0};
  const int facets = l->capacity.facets;
  const Point *q = &l->q, *m = &l->m;
  int n = 0;
#define LIST(kind_, i_, k_, q_, m_)   \
  do {                                \
    l->var[n] = (Var){kind_, i_, k_}; \
    l->var_q[n] = (q_);               \
    l->var_m[n] = (m_);               \
    ++n;                              \
  } while (0)
  if (l->z0_basic) LIST(Z0, 0, 0, q->z0, m->z0);
  for (int i = 0; i < p->N.count; ++i) {
    if (l->theta_basic[i]) {
      LIST(THETA, i, 0, q->theta[i], m->theta[i]);
    } else if (!is_pair_of_drive(l, NU, i, 0)) {
      LIST(NU, i, 0,
           tribo_row_dot(&p->N, i, q->y) + tribo_lemke_const_nu(l, none, i) + l->c_nu[i] * q->z0,
           tribo_row_dot(&p->N, i, m->y) + tribo_lemke_const_nu(l, drive, i) + l->c_nu[i] * m->z0);
    }
  }
  for (int g = 0; g < p->problem->ng; ++g) {
    const GroupState* state = &l->group[g];
    if (!state->open) continue;
    const TriboScaledGroup* group = &p->group[g];
    double sum_q = 0, sum_m = 0, sq[2], sm[2];
    for (int e = 0; e < state->count; ++e) {
      const int at = g * facets + state->phi[e];
      LIST(PHI, g, state->phi[e], q->phi[at], m->phi[at]);
      sum_q += q->phi[at], sum_m += m->phi[at];
    }
    if (state->lam) {
      LIST(LAM, g, 0, q->lam[g], m->lam[g]);
    } else if (!is_pair_of_drive(l, GAMMA, g, 0)) {
      const double tq = group->normal >= 0 ? group->mu * q->theta[group->normal] : 0;
      const double tm = group->normal >= 0 ? group->mu * m->theta[group->normal] : 0;
      LIST(GAMMA, g, 0, tribo_lemke_const_gamma(l, none, g) + tq - sum_q,
           tribo_lemke_const_gamma(l, drive, g) + tm - sum_m);
    }
    tribo_scaled_slip(group, q->y, sq);
    tribo_scaled_slip(group, m->y, sm);
    sm[0] += group->target[0], sm[1] += group->target[1];
    for (int k = 0; k < state->facets; ++k) {
      if (tribo_lemke_has_phi(state, k) || is_pair_of_drive(l, SIGMA, g, k)) continue;
      const double* d = tribo_lemke_facet(l, g, k);
      const double c = tribo_lemke_const_sigma(l, z0, g, k);
      LIST(SIGMA, g, k, d[0] * sq[0] + d[1] * sq[1] + q->lam[g] + c * q->z0,
           d[0] * sm[0] + d[1] * sm[1] + tribo_lemke_const_sigma(l, drive, g, k) + m->lam[g] +
               c * m->z0);
    }
  }
#undef LIST
  if (l->fine) {
    for (int j = 0; j < n; ++j) {
      l->var_q[j] = tribo_lemke_fine_value(l, none, q, l->var[j]);
      l->var_m[j] = tribo_lemke_fine_value(l, drive, m, l->var[j]);
    }
  }
  return n;
}

// Harris' test: the longest step that lets nothing fall below -d, then the largest pivot within it;
// z0 before all others. -1 on a ray.
int tribo_lemke_ratio_test(const TriboLemke* l, int count, double slack, double* longest) {
  double largest = 0, limit = INFINITY;
  for (int j = 0; j < count; ++j) largest = fmax(largest, fabs(l->var_m[j]));
  // What compliance alone makes is no pivot: a ray stays a ray.
  const double ignore = fmax(l->noise, 10 * FRICTION_COVER * l->options.compliance) * largest;
  for (int j = 0; j < count; ++j) {
    if (l->var_m[j] >= -ignore) continue;
    limit = fmin(limit, (fmax(l->var_q[j], 0) + slack) / -l->var_m[j]);
  }
  // Without rounding the one that makes the limit is within it.
  limit *= 1 + 0x1p-50;
  int best = -1;
  for (int j = 0; j < count; ++j) {
    if (l->var_m[j] >= -ignore || l->var_q[j] > -l->var_m[j] * limit) continue;
    if (l->var[j].kind == Z0) {
      best = j;
      break;
    }
    if (best < 0 || l->var_m[j] < l->var_m[best]) best = j;
  }
  *longest = limit;
  return best;
}

// theta leaves in place of its group's last phi and of gamma, whose zero is its own (never for
// groups that exist without it).
Var tribo_lemke_leaving(const TriboLemke* l, int count, int leaving, double limit) {
  const Var var = l->var[leaving];
  if (var.kind != PHI && var.kind != GAMMA) return var;
  const GroupState* state = &l->group[var.i];
  const int normal = l->scaled->group[var.i].normal;
  if (l->scaled->group[var.i].bound > 0 || normal < 0 || !l->theta_basic[normal]) return var;
  const Var theta = {THETA, normal, 0};
  const bool enters_phi = l->drive.kind == PHI && l->drive.i == var.i;
  if (var.kind == PHI) {
    const bool lam = state->lam || (l->drive.kind == LAM && l->drive.i == var.i);
    return state->count == 1 && lam && !enters_phi ? theta : var;
  }
  if (state->count == 0 && !enters_phi) return theta;
  for (int j = 0; j < count; ++j) {
    if (l->var[j].kind == THETA && l->var[j].i == normal) {
      return l->var_m[j] < 0 && l->var_q[j] <= -l->var_m[j] * limit ? theta : var;
    }
  }
  return var;
}
