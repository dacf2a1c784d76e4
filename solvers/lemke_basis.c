// SPDX-License-Identifier: Apache-2.0
//
// Unknowns of a basis ([Lloyd2005] eq. 17-21): phi_x, the first basic phi of a group whose lam is
// basic, is eliminated by the gamma row, lam by the sigma_x row. What is left, at most one per
// degree of freedom and z0, is a small system: columns N_i + sum mu D_x, D_k - D_x (D_k where lam
// is non-basic), rows N_i, D_k - D_x (D_k). It is factored once for every pivot by LU with partial
// pivoting and solved for the values q' and the driving column m'. On few coordinates the velocity
// stays an unknown, so that rows and columns are not multiplied and no digits are lost twice.
//
// Where that is not enough (l->fine): lemke_fine.c.
#include <math.h>
#include <string.h>

#include "engine/base/dense.h"
#include "solvers/lemke_state.h"

// Adds `s` times the velocity column of an unknown.
static void add_column(const TriboLemke* l, const Unknown* u, double s, double* y) {
  const TriboScaled* p = l->scaled;
  if (u->kind == NONE) {
    tribo_row_axpy(&p->X, u->i, s, y);
  } else if (u->kind == THETA) {
    tribo_row_axpy(&p->N, u->i, s, y);
    for (int e = p->first_group[u->i]; e < p->first_group[u->i + 1]; ++e) {
      const int g = p->group_of[e];
      const GroupState* state = &l->group[g];
      if (!state->open || !state->lam) continue;
      const double* d = tribo_lemke_facet(l, g, state->phi[0]);
      const double mu = s * p->group[g].mu;
      tribo_scaled_push(&p->group[g], mu * d[0], mu * d[1], y);
    }
  } else if (u->kind == PHI) {
    const double* d = tribo_lemke_facet(l, u->i, u->k);
    double a = d[0], b = d[1];
    if (u->x >= 0) {
      const double* dx = tribo_lemke_facet(l, u->i, u->x);
      a -= dx[0], b -= dx[1];
    }
    tribo_scaled_push(&p->group[u->i], s * a, s * b, y);
  }
}

// The row's velocity part at y. (D y includes no target here: targets are constants.)
static double row_velocity(const TriboLemke* l, const Unknown* row, const double* y) {
  const TriboScaled* p = l->scaled;
  if (row->kind == NONE) return tribo_row_dot(&p->X, row->i, y);
  if (row->kind == THETA) return tribo_row_dot(&p->N, row->i, y);
  if (row->kind != PHI) return 0;
  const TriboScaledGroup* group = &p->group[row->i];
  double slip[2];
  tribo_scaled_slip(group, y, slip);
  slip[0] += group->target[0], slip[1] += group->target[1];
  const double* d = tribo_lemke_facet(l, row->i, row->k);
  double sum = d[0] * slip[0] + d[1] * slip[1];
  if (row->x >= 0) {
    const double* dx = tribo_lemke_facet(l, row->i, row->x);
    sum -= dx[0] * slip[0] + dx[1] * slip[1];
  }
  return sum;
}

// The row's coefficients, added to `to` (ny, zero before).
static void row_entries(const TriboLemke* l, const Unknown* row, double* to) {
  const TriboScaled* p = l->scaled;
  if (row->kind == NONE) tribo_row_axpy(&p->X, row->i, 1, to);
  if (row->kind == THETA) tribo_row_axpy(&p->N, row->i, 1, to);
  if (row->kind != PHI) return;
  const double* d = tribo_lemke_facet(l, row->i, row->k);
  double a = d[0], b = d[1];
  if (row->x >= 0) {
    const double* dx = tribo_lemke_facet(l, row->i, row->x);
    a -= dx[0], b -= dx[1];
  }
  tribo_scaled_push(&p->group[row->i], a, b, to);
}

// Lists the unknowns of the basis; false when they do not fit, or a lam is basic without a phi.
static bool list_unknowns(TriboLemke* l) {
  const TriboScaled* p = l->scaled;
  int n = 0;
  for (int j = 0; j < l->nx; ++j) {
    if (n >= l->largest) return false;
    l->unknown[n++] = (Unknown){.kind = NONE, .i = l->x_row[j], .x = -1};
  }
  for (int i = 0; i < p->N.count; ++i) {
    if (!l->theta_basic[i]) continue;
    if (n >= l->largest) return false;
    l->unknown[n++] = (Unknown){.kind = THETA, .i = i, .x = -1};
  }
  for (int g = 0; g < p->problem->ng; ++g) {
    const GroupState* state = &l->group[g];
    if (!state->open) continue;
    if (state->lam && state->count == 0) return false;
    const int x = state->lam ? state->phi[0] : -1;
    for (int e = state->lam ? 1 : 0; e < state->count; ++e) {
      if (n >= l->largest) return false;
      l->unknown[n++] = (Unknown){.kind = PHI, .i = g, .k = state->phi[e], .x = x};
    }
  }
  if (l->z0_basic) {
    if (n >= l->largest) return false;
    l->unknown[n++] = (Unknown){.kind = Z0, .x = -1};
  }
  l->size = n;
  return true;
}

static void widen(int count, const int* index, Unknown* u) {
  if (count == 0) return;
  if (index[0] < u->from) u->from = index[0];
  if (index[count - 1] > u->to) u->to = index[count - 1];
}

static void widen_by_row(const TriboRows* rows, int i, Unknown* u) {
  widen(rows->start[i + 1] - rows->start[i], rows->index + rows->start[i], u);
}

// Where rows and columns have entries: those of bodies far apart have no product.
void tribo_lemke_find_spans(TriboLemke* l) {
  const TriboScaled* p = l->scaled;
  for (int c = 0; c < l->size; ++c) {
    Unknown* u = &l->unknown[c];
    const Unknown row = tribo_lemke_row_of(l, u);
    u->from = p->problem->ny, u->to = -1;
    if (row.kind == NONE) widen_by_row(&p->X, row.i, u);
    if (row.kind == PHI) widen(p->group[row.i].count, p->group[row.i].index, u);
    if (row.kind != THETA) continue;
    widen_by_row(&p->N, row.i, u);
    for (int e = p->first_group[row.i]; e < p->first_group[row.i + 1]; ++e) {
      const TriboScaledGroup* group = &p->group[p->group_of[e]];
      widen(group->count, group->index, u);
    }
  }
}

// The products of rows and columns, row by row of the small system.
static void fill_products(TriboLemke* l) {
  const int n = l->size;
  tribo_lemke_find_spans(l);
  for (int c = 0; c < n; ++c) {
    const Unknown* u = &l->unknown[c];
    add_column(l, u, 1, l->push);
    for (int r = 0; r < n; ++r) {
      const Unknown row = tribo_lemke_row_of(l, &l->unknown[r]);
      const bool apart = l->unknown[r].to < u->from || u->to < l->unknown[r].from;
      l->lu[r * n + c] =
          (apart ? 0 : row_velocity(l, &row, l->push)) + tribo_lemke_row_extra(l, &row, u);
    }
    // Clear only what was touched: subtracting the column again would leave rounding behind.
    memset(l->push, 0, sizeof(double) * (size_t)l->scaled->problem->ny);
  }
}

// The system with the velocity as a further unknown, z first:
//   -C z + y = 0,   E z + R y = right-hand side
// Eliminating z first, no product R C is formed: faces that are nearly parallel keep twice the
// digits.
static void fill_whole(TriboLemke* l) {
  const int n = l->size, ny = l->scaled->problem->ny, order = n + ny;
  memset(l->lu, 0, sizeof(double) * (size_t)order * (size_t)order);
  for (int c = 0; c < n; ++c) {
    add_column(l, &l->unknown[c], -1, l->push);
    for (int e = 0; e < ny; ++e) l->lu[e * order + c] = l->push[e];
    memset(l->push, 0, sizeof(double) * (size_t)ny);
  }
  for (int e = 0; e < ny; ++e) l->lu[e * order + n + e] = 1;
  for (int r = 0; r < n; ++r) {
    const Unknown row = tribo_lemke_row_of(l, &l->unknown[r]);
    double* to = l->lu + (ny + r) * order;
    for (int c = 0; c < n; ++c) to[c] = tribo_lemke_row_extra(l, &row, &l->unknown[c]);
    row_entries(l, &row, to + n);
  }
}

// Whether the factor has lost digits that the path needs.
static bool is_loose(const double* lu, int order) {
  double least = INFINITY, most = 0;
  for (int i = 0; i < order; ++i) {
    const double pivot = fabs(lu[(size_t)i * (size_t)(order + 1)]);
    least = fmin(least, pivot);
    most = fmax(most, pivot);
  }
  return order > 0 && least < 1e-5 * most;
}

bool tribo_lemke_factor_basis(TriboLemke* l) {
  if (!list_unknowns(l)) return false;
  if (l->fine) return tribo_lemke_factor_fine(l);
  if (!l->whole) {
    fill_products(l);
    return tribo_lu_factor(l->size, l->lu, l->size, l->swap, 1e-14) == TRIBO_OK;
  }
  const int order = l->size + l->scaled->problem->ny;
  fill_whole(l);
  const TriboStatus status = tribo_lu_factor(order, l->lu, order, l->swap, 1e-14);
  l->fine = status != TRIBO_OK || is_loose(l->lu, order);
  return !l->fine || tribo_lemke_factor_fine(l);
}

// The unknowns from right-hand sides in l->rhs, in place.
static void solve_factored(TriboLemke* l) {
  const int n = l->size, ny = l->whole ? l->scaled->problem->ny : 0;
  for (int e = 0; e < ny; ++e) l->right[e] = 0;
  memcpy(l->right + ny, l->rhs, sizeof(double) * (size_t)n);
  tribo_lu_solve(n + ny, l->lu, n + ny, l->swap, l->right, l->left);
  memcpy(l->rhs, l->left, sizeof(double) * (size_t)n);
}

// Velocity of the constants: k or the driving column, and D_x times the constant of its gamma row.
static void start_velocity(const TriboLemke* l, Var drive, double* y) {
  const TriboScaled* p = l->scaled;
  const size_t bytes = sizeof(double) * (size_t)p->problem->ny;
  if (drive.kind == NONE) {
    memcpy(y, p->problem->k, bytes);
  } else {
    memset(y, 0, bytes);
  }
  if (drive.kind == THETA) tribo_row_axpy(&p->N, drive.i, 1, y);
  if (drive.kind == PHI) {
    const double* d = tribo_lemke_facet(l, drive.i, drive.k);
    tribo_scaled_push(&p->group[drive.i], d[0], d[1], y);
  }
  for (int g = 0; g < p->problem->ng; ++g) {
    const GroupState* state = &l->group[g];
    if (!state->open || !state->lam) continue;
    const double s = tribo_lemke_const_gamma(l, drive, g);
    if (s == 0) continue;
    const double* d = tribo_lemke_facet(l, g, state->phi[0]);
    tribo_scaled_push(&p->group[g], s * d[0], s * d[1], y);
  }
}

void tribo_lemke_solve_basis(TriboLemke* l, Var drive, Point* point) {
  if (l->fine) {
    tribo_lemke_solve_fine(l, drive, point);
    return;
  }
  const TriboScaled* p = l->scaled;
  start_velocity(l, drive, point->y);
  for (int r = 0; r < l->size; ++r) {
    const Unknown row = tribo_lemke_row_of(l, &l->unknown[r]);
    l->rhs[r] = -(row_velocity(l, &row, point->y) + tribo_lemke_row_constant(l, &row, drive));
  }
  l->noise = l->whole ? 1e-14 : 1e-11;
  solve_factored(l);

  const int facets = l->capacity.facets;
  memset(point->x, 0, sizeof(double) * (size_t)p->X.count);
  memset(point->theta, 0, sizeof(double) * (size_t)p->N.count);
  point->z0 = 0;
  for (int c = 0; c < l->size; ++c) {
    const Unknown* u = &l->unknown[c];
    const double value = l->rhs[c];
    add_column(l, u, value, point->y);
    if (u->kind == NONE) point->x[u->i] = value;
    if (u->kind == THETA) point->theta[u->i] = value;
    if (u->kind == PHI) point->phi[u->i * facets + u->k] = value;
    if (u->kind == Z0) point->z0 = value;
  }
  for (int g = 0; g < p->problem->ng; ++g) {
    const GroupState* state = &l->group[g];
    point->lam[g] = 0;
    if (!state->open || !state->lam) continue;
    const int x = state->phi[0];
    const TriboScaledGroup* group = &p->group[g];
    double first = tribo_lemke_const_gamma(l, drive, g);
    if (group->normal >= 0) first += group->mu * point->theta[group->normal];
    for (int e = 1; e < state->count; ++e) first -= point->phi[g * facets + state->phi[e]];
    point->phi[g * facets + x] = first;
    const Unknown row = {.kind = PHI, .i = g, .k = x, .x = -1};
    const Var z0 = {Z0, 0, 0};
    point->lam[g] = -(row_velocity(l, &row, point->y) + tribo_lemke_const_sigma(l, drive, g, x) +
                      tribo_lemke_const_sigma(l, z0, g, x) * point->z0);
  }
}
