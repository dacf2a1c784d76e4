// SPDX-License-Identifier: Apache-2.0
//
// The warm start: a homotopy from the problem that old impulses solve to the new one. The old
// answer's active variables are the first basis. With its velocity v (where X v = b) and
// k~ = v - X^T x - N^T theta - T^T t, the free velocity from which its impulses lead there, the
// covering vector is
//
//   c_nu = N (k~ - k) + e,   e = -(N v - b) where theta is basic, otherwise max(0, -(N v - b))
//   c_sg = D (k~ - k) + e,   the same with D v - b + lam and phi                           c_ga = 0
//
// At z0 = 1 the old impulses solve the covered problem, at z0 = 0 it is the new one, and every
// problem between is a contact problem: radii are not covered, so contacts may come and go. The
// velocity of the covered problem is y + z0 (k~ - k). c is divided by its largest entry, which
// makes z0 a velocity as it is when started cold.
#include <math.h>
#include <string.h>

#include "solvers/lemke_state.h"

// Phi smaller than this share of its radius is not basic.
static const double kLeastPhi = 1e-9;

// t = sum of at most two neighbouring facets' phi.
static void split(const TriboLemke* l, int g, const double t[2], int facet[2], double phi[2]) {
  const TriboScaledGroup* group = &l->scaled->group[g];
  facet[0] = 0, facet[1] = 1;
  phi[0] = fmax(t[0], 0), phi[1] = fmax(-t[0], 0);
  if (group->rows == 1) return;
  double best = -INFINITY;
  for (int k = 0; k < group->facets; ++k) {
    const int next = k + 1 < group->facets ? k + 1 : 0;
    const double *a = tribo_lemke_facet(l, g, k), *b = tribo_lemke_facet(l, g, next);
    const double area = a[0] * b[1] - a[1] * b[0];
    const double first = (t[0] * b[1] - t[1] * b[0]) / area;
    const double second = (a[0] * t[1] - a[1] * t[0]) / area;
    if (fmin(first, second) <= best) continue;
    best = fmin(first, second);
    facet[0] = k, facet[1] = next;
    phi[0] = first, phi[1] = second;
  }
}

// The basic variables of a group, and its push. False when it slides without an impulse.
static bool start_group(TriboLemke* l, int g, const TriboContactSolution* warm, double* push) {
  const TriboScaled* p = l->scaled;
  const TriboScaledGroup* group = &p->group[g];
  GroupState* state = &l->group[g];
  const bool pushes = group->normal >= 0 && group->mu > 0 && l->theta_basic[group->normal];
  if (!pushes && !state->always) return true;
  const int first = p->problem->group[g].tangent;
  double t[2] = {0, 0}, phi[2];
  int facet[2];
  for (int r = 0; r < group->rows; ++r) t[r] = warm->t[first + r] * group->scale;
  tribo_scaled_push(group, t[0], t[1], push);
  split(l, g, t, facet, phi);
  const double sum = phi[0] + phi[1], least = kLeastPhi * sum;
  const double theta = group->normal >= 0 ? warm->f[group->normal] * p->scale_N[group->normal] : 0;
  // Of redundant contacts some stick at their radius: there lam is basic at 0.
  const bool at_radius = sum > 0 && sum >= (1 - kLeastPhi) * (group->mu * theta + group->bound);
  state->open = true;
  state->lam = at_radius || warm->mode_g[g] == TRIBO_MODE_SLIDE;
  state->count = 0;
  for (int e = 0; e < 2; ++e) {
    if (phi[e] > least) state->phi[state->count++] = facet[e];
  }
  return !state->lam || state->count > 0;
}

// v moved along the equality rows to where `share` of their targets holds.
static void meet_equalities(const TriboLemke* l, double share, double* v) {
  const int ny = l->scaled->problem->ny;
  for (int j = 0; j < l->nx; ++j) {
    const double* base = l->basis_X + (size_t)j * (size_t)(ny + 1);
    double rest = share * base[ny];
    for (int e = 0; e < ny; ++e) rest -= base[e] * v[e];
    for (int e = 0; e < ny; ++e) v[e] += rest * base[e];
  }
}

// c_sg of a group; returns its largest entry.
static double cover_group(TriboLemke* l, int g, const double* v, const double* change) {
  const TriboScaledGroup* group = &l->scaled->group[g];
  const GroupState* state = &l->group[g];
  double* c = l->c_sg + g * l->capacity.facets;
  double slip[2], turn[2], lam = 0, largest = 0;
  tribo_scaled_slip(group, v, slip);
  tribo_scaled_slip(group, change, turn);
  for (int r = 0; r < 2; ++r) turn[r] += group->target[r];
  for (int k = 0; k < group->facets; ++k) {
    const double* d = tribo_lemke_facet(l, g, k);
    c[k] = -(d[0] * slip[0] + d[1] * slip[1]);
    if (state->lam) lam = fmax(lam, c[k]);
  }
  for (int k = 0; k < group->facets; ++k) {
    const double* d = tribo_lemke_facet(l, g, k);
    c[k] = state->open ? c[k] - lam : 0;
    if (!state->open || !tribo_lemke_has_phi(state, k)) c[k] = fmax(c[k], 0);
    c[k] += d[0] * turn[0] + d[1] * turn[1];
    largest = fmax(largest, fabs(c[k]));
  }
  return largest;
}

bool tribo_lemke_start_warm(TriboLemke* l, const TriboContactSolution* warm) {
  const TriboScaled* p = l->scaled;
  const int ny = p->problem->ny, facets = l->capacity.facets;
  double *v = l->q.y, *change = l->m.y;
  memcpy(change, p->problem->k, sizeof(double) * (size_t)ny);
  for (int i = 0; i < p->N.count; ++i) {
    l->theta_basic[i] = warm->f[i] > 0;
    if (l->theta_basic[i]) tribo_row_axpy(&p->N, i, warm->f[i] * p->scale_N[i], change);
  }
  for (int g = 0; g < p->problem->ng; ++g) {
    if (!start_group(l, g, warm, change)) return false;
  }
  memcpy(v, warm->y != NULL ? warm->y : change, sizeof(double) * (size_t)ny);
  meet_equalities(l, 1, v);
  // k~ - k, less what the equality impulses make of it.
  double square = 0;
  for (int e = 0; e < ny; ++e) {
    change[e] = v[e] - change[e];
    square += change[e] * change[e] + v[e] * v[e];
  }
  if (!isfinite(square)) return false;
  meet_equalities(l, 0, change);

  double largest = 0;
  for (int i = 0; i < p->N.count; ++i) {
    const double c = p->b_N[i] - tribo_row_dot(&p->N, i, v);
    l->c_nu[i] = (l->theta_basic[i] ? c : fmax(c, 0)) + tribo_row_dot(&p->N, i, change);
    largest = fmax(largest, fabs(l->c_nu[i]));
  }
  for (int g = 0; g < p->problem->ng; ++g) largest = fmax(largest, cover_group(l, g, v, change));
  if (largest == 0) return true;
  for (int i = 0; i < p->N.count; ++i) l->c_nu[i] /= largest;
  for (int g = 0; g < p->problem->ng; ++g) {
    for (int k = 0; k < facets; ++k) l->c_sg[g * facets + k] /= largest;
  }
  return true;
}
