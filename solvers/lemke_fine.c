// SPDX-License-Identifier: Apache-2.0
//
// The small system of a basis in twice the precision. Faces that are parallel but for 1e-6 take
// impulses of 1e6 times the load and more, on a path whose driving columns span 16 digits; with
// mass ratios of 1e5 ties that friction makes are lost to rounding, and the path with them. In
// twofold numbers a path is what it is in exact arithmetic: columns, products, the solution and the
// values of all basic variables are formed without rounding to doubles in between, so that the
// problem is the same one, to 1e-30, in every basis.
#include <string.h>

#include "engine/base/twofold.h"
#include "solvers/lemke_state.h"

static FinePoint point_init(TriboArena* arena, TriboSolverCapacity capacity) {
  FinePoint point = {0};
  point.y = tribo_arena_take(arena, (size_t)capacity.ny, sizeof(TriboTwofold));
  point.theta = tribo_arena_take(arena, (size_t)capacity.n, sizeof(TriboTwofold));
  point.phi =
      tribo_arena_take(arena, (size_t)(capacity.groups * capacity.facets), sizeof(TriboTwofold));
  point.lam = tribo_arena_take(arena, (size_t)capacity.groups, sizeof(TriboTwofold));
  return point;
}

void tribo_lemke_fine_init(TriboLemke* l, TriboArena* arena) {
  const int ny = l->capacity.ny;
  const int order = l->largest + (ny < MAX_WHOLE ? ny : MAX_WHOLE);
  const int n = order < MAX_FINE ? order : MAX_FINE;
  l->largest_fine = n;
  l->fine_matrix = tribo_arena_take(arena, (size_t)(n * n), sizeof(TriboTwofold));
  l->fine_answer = tribo_arena_take(arena, (size_t)n, sizeof(TriboTwofold));
  l->fine_push = tribo_arena_take(arena, (size_t)l->capacity.ny, sizeof(TriboTwofold));
  l->q.fine = point_init(arena, l->capacity);
  l->m.fine = point_init(arena, l->capacity);
}

// ---- rows and columns

static TriboTwofold twofold(double value) {
  const TriboTwofold number = {value, 0};
  return number;
}

// y += s row
static void add_row(const TriboRows* rows, int i, TriboTwofold s, TriboTwofold* y) {
  for (int e = rows->start[i]; e < rows->start[i + 1]; ++e) {
    TriboTwofold* to = &y[rows->index[e]];
    *to = tribo_twofold_more(*to, s, rows->value[e]);
  }
}

// y += s (d_1 T_1 + d_2 T_2)
static void add_facet(const TriboScaledGroup* group, const double* d, TriboTwofold s,
                      TriboTwofold* y) {
  for (int r = 0; r < group->rows; ++r) {
    const TriboTwofold by = tribo_twofold_more(twofold(0), s, d[r]);
    for (int e = 0; e < group->count; ++e) {
      TriboTwofold* to = &y[group->index[e]];
      *to = tribo_twofold_more(*to, by, group->row[r][e]);
    }
  }
}

// Adds `s` times the velocity column of an unknown.
static void add_column(const TriboLemke* l, const Unknown* u, TriboTwofold s, TriboTwofold* y) {
  const TriboScaled* p = l->scaled;
  if (u->kind == NONE) {
    add_row(&p->X, u->i, s, y);
  } else if (u->kind == THETA) {
    add_row(&p->N, u->i, s, y);
    for (int e = p->first_group[u->i]; e < p->first_group[u->i + 1]; ++e) {
      const int g = p->group_of[e];
      const GroupState* state = &l->group[g];
      if (!state->open || !state->lam) continue;
      const TriboTwofold by = tribo_twofold_more(twofold(0), s, p->group[g].mu);
      add_facet(&p->group[g], tribo_lemke_facet(l, g, state->phi[0]), by, y);
    }
  } else if (u->kind == PHI) {
    const TriboTwofold less = {-s.high, -s.low};
    add_facet(&p->group[u->i], tribo_lemke_facet(l, u->i, u->k), s, y);
    if (u->x >= 0) add_facet(&p->group[u->i], tribo_lemke_facet(l, u->i, u->x), less, y);
  }
}

static TriboTwofold row_dot(int count, const int* index, const double* value,
                            const TriboTwofold* y) {
  TriboTwofold sum = {0, 0};
  for (int e = 0; e < count; ++e) sum = tribo_twofold_more(sum, y[index[e]], value[e]);
  return sum;
}

static TriboTwofold rows_dot(const TriboRows* rows, int i, const TriboTwofold* y) {
  const int start = rows->start[i];
  return row_dot(rows->start[i + 1] - start, rows->index + start, rows->value + start, y);
}

// D y of one facet less that of another (x, or -1), targets left out.
static TriboTwofold facet_dot(const TriboLemke* l, int g, int k, int x, const TriboTwofold* y) {
  const TriboScaledGroup* group = &l->scaled->group[g];
  const double* d = tribo_lemke_facet(l, g, k);
  const double* dx = x >= 0 ? tribo_lemke_facet(l, g, x) : NULL;
  TriboTwofold sum = {0, 0};
  for (int r = 0; r < group->rows; ++r) {
    const TriboTwofold along = row_dot(group->count, group->index, group->row[r], y);
    sum = tribo_twofold_more(sum, along, d[r]);
    if (dx != NULL) sum = tribo_twofold_more(sum, along, -dx[r]);
  }
  return sum;
}

// Adds the coefficients of a row.
static void add_entries(const TriboLemke* l, const Unknown* row, TriboTwofold* to) {
  const TriboScaled* p = l->scaled;
  if (row->kind == NONE) add_row(&p->X, row->i, twofold(1), to);
  if (row->kind == THETA) add_row(&p->N, row->i, twofold(1), to);
  if (row->kind != PHI) return;
  add_facet(&p->group[row->i], tribo_lemke_facet(l, row->i, row->k), twofold(1), to);
  if (row->x < 0) return;
  add_facet(&p->group[row->i], tribo_lemke_facet(l, row->i, row->x), twofold(-1), to);
}

static TriboTwofold row_velocity(const TriboLemke* l, const Unknown* row, const TriboTwofold* y) {
  if (row->kind == NONE) return rows_dot(&l->scaled->X, row->i, y);
  if (row->kind == THETA) return rows_dot(&l->scaled->N, row->i, y);
  return row->kind == PHI ? facet_dot(l, row->i, row->k, row->x, y) : twofold(0);
}

// ---- a basis

static int order_of(const TriboLemke* l) {
  return l->size + (l->whole ? l->scaled->problem->ny : 0);
}

// Column c of the matrix as lemke_basis.c has it, from the unknown's velocity column.
static void fill_column(TriboLemke* l, int c, const TriboTwofold* column) {
  const int n = l->size, ny = l->whole ? l->scaled->problem->ny : 0, order = n + ny;
  const Unknown* u = &l->unknown[c];
  for (int e = 0; e < ny; ++e) {
    l->fine_matrix[e * order + c] = (TriboTwofold){-column[e].high, -column[e].low};
  }
  for (int r = 0; r < n; ++r) {
    const Unknown row = tribo_lemke_row_of(l, &l->unknown[r]);
    const bool apart = l->whole || l->unknown[r].to < u->from || u->to < l->unknown[r].from;
    TriboTwofold entry = apart ? twofold(0) : row_velocity(l, &row, column);
    tribo_twofold_add(&entry, tribo_lemke_row_extra(l, &row, u));
    l->fine_matrix[(ny + r) * order + c] = tribo_twofold_normal(entry.high, entry.low);
  }
}

// The columns of the velocity where that is an unknown.
static void fill_velocity(TriboLemke* l) {
  const int n = l->size, ny = l->scaled->problem->ny, order = n + ny;
  for (int e = 0; e < ny; ++e) {
    for (int r = 0; r < ny; ++r) l->fine_matrix[r * order + n + e] = twofold(r == e);
  }
  for (int r = 0; r < n; ++r) {
    const Unknown row = tribo_lemke_row_of(l, &l->unknown[r]);
    TriboTwofold* to = l->fine_matrix + (ny + r) * order + n;
    for (int e = 0; e < ny; ++e) to[e] = twofold(0);
    add_entries(l, &row, to);
  }
}

bool tribo_lemke_factor_fine(TriboLemke* l) {
  const int n = l->size, ny = l->scaled->problem->ny, order = order_of(l);
  if (order > l->largest_fine) return false;
  tribo_lemke_find_spans(l);
  for (int c = 0; c < n; ++c) {
    for (int e = 0; e < ny; ++e) l->fine_push[e] = twofold(0);
    add_column(l, &l->unknown[c], twofold(1), l->fine_push);
    fill_column(l, c, l->fine_push);
  }
  if (l->whole) fill_velocity(l);
  return tribo_twofold_factor(order, l->fine_matrix, l->swap, 1e-28) == TRIBO_OK;
}

// Velocity of the constants, as in lemke_basis.c.
static void start_velocity(const TriboLemke* l, Var drive, TriboTwofold* y) {
  const TriboScaled* p = l->scaled;
  for (int e = 0; e < p->problem->ny; ++e) {
    y[e] = twofold(drive.kind == NONE ? p->problem->k[e] : 0);
  }
  if (drive.kind == THETA) add_row(&p->N, drive.i, twofold(1), y);
  if (drive.kind == PHI) {
    add_facet(&p->group[drive.i], tribo_lemke_facet(l, drive.i, drive.k), twofold(1), y);
  }
  for (int g = 0; g < p->problem->ng; ++g) {
    const GroupState* state = &l->group[g];
    if (!state->open || !state->lam) continue;
    const double s = tribo_lemke_const_gamma(l, drive, g);
    if (s != 0) add_facet(&p->group[g], tribo_lemke_facet(l, g, state->phi[0]), twofold(s), y);
  }
}

// What the radius has left: constant + mu theta - sum of the listed phi from the first on.
static TriboTwofold radius_left(const TriboLemke* l, Var drive, const Point* point, int g,
                                int first) {
  const GroupState* state = &l->group[g];
  const TriboScaledGroup* group = &l->scaled->group[g];
  TriboTwofold left = twofold(tribo_lemke_const_gamma(l, drive, g));
  if (group->normal >= 0) {
    left = tribo_twofold_more(left, point->fine.theta[group->normal], group->mu);
  }
  for (int e = first; e < state->count; ++e) {
    left = tribo_twofold_more(left, point->fine.phi[g * l->capacity.facets + state->phi[e]], -1);
  }
  return left;
}

static TriboTwofold sigma(const TriboLemke* l, Var drive, const Point* point, int g, int k,
                          TriboTwofold lam) {
  const Var z0 = {Z0, 0, 0};
  TriboTwofold sum = facet_dot(l, g, k, -1, point->fine.y);
  tribo_twofold_add(&sum, tribo_lemke_const_sigma(l, drive, g, k));
  sum = tribo_twofold_more(sum, point->fine.z0, tribo_lemke_const_sigma(l, z0, g, k));
  return tribo_twofold_more(sum, lam, 1);
}

// The doubles of a point.
static void round_point(const TriboLemke* l, Point* point) {
  const TriboContactProblem* problem = l->scaled->problem;
  const int facets = l->capacity.facets;
  for (int e = 0; e < problem->ny; ++e) point->y[e] = tribo_twofold_value(point->fine.y[e]);
  for (int i = 0; i < problem->N.count; ++i) {
    point->theta[i] = tribo_twofold_value(point->fine.theta[i]);
  }
  for (int g = 0; g < problem->ng; ++g) {
    const GroupState* state = &l->group[g];
    point->lam[g] = tribo_twofold_value(point->fine.lam[g]);
    for (int e = 0; state->open && e < state->count; ++e) {
      const int at = g * facets + state->phi[e];
      point->phi[at] = tribo_twofold_value(point->fine.phi[at]);
    }
  }
  point->z0 = tribo_twofold_value(point->fine.z0);
}

void tribo_lemke_solve_fine(TriboLemke* l, Var drive, Point* point) {
  const TriboContactProblem* problem = l->scaled->problem;
  const int facets = l->capacity.facets, ny = l->whole ? problem->ny : 0;
  FinePoint* fine = &point->fine;
  TriboTwofold* b = l->fine_answer;
  l->noise = 1e-24;
  start_velocity(l, drive, fine->y);
  for (int e = 0; e < ny; ++e) b[e] = fine->y[e];
  for (int r = 0; r < l->size; ++r) {
    const Unknown row = tribo_lemke_row_of(l, &l->unknown[r]);
    TriboTwofold sum = l->whole ? twofold(0) : row_velocity(l, &row, fine->y);
    tribo_twofold_add(&sum, tribo_lemke_row_constant(l, &row, drive));
    b[ny + r] = tribo_twofold_normal(-sum.high, -sum.low);
  }
  tribo_twofold_solve(order_of(l), l->fine_matrix, l->swap, b);
  for (int e = 0; e < ny; ++e) fine->y[e] = b[l->size + e];
  memset(point->x, 0, sizeof(double) * (size_t)problem->X.count);
  for (int i = 0; i < problem->N.count; ++i) fine->theta[i] = twofold(0);
  fine->z0 = twofold(0);
  for (int c = 0; c < l->size; ++c) {
    const Unknown* u = &l->unknown[c];
    if (!l->whole) add_column(l, u, b[c], fine->y);
    if (u->kind == NONE) point->x[u->i] = tribo_twofold_value(b[c]);
    if (u->kind == THETA) fine->theta[u->i] = b[c];
    if (u->kind == PHI) fine->phi[u->i * facets + u->k] = b[c];
    if (u->kind == Z0) fine->z0 = b[c];
  }
  for (int g = 0; g < problem->ng; ++g) {
    const GroupState* state = &l->group[g];
    fine->lam[g] = twofold(0);
    if (!state->open || !state->lam) continue;
    fine->phi[g * facets + state->phi[0]] = radius_left(l, drive, point, g, 1);
    const TriboTwofold open = sigma(l, drive, point, g, state->phi[0], twofold(0));
    fine->lam[g] = (TriboTwofold){-open.high, -open.low};
  }
  round_point(l, point);
}

double tribo_lemke_fine_value(const TriboLemke* l, Var drive, const Point* point, Var var) {
  switch (var.kind) {
    case NU: {
      TriboTwofold sum = rows_dot(&l->scaled->N, var.i, point->fine.y);
      tribo_twofold_add(&sum, tribo_lemke_const_nu(l, drive, var.i));
      return tribo_twofold_value(tribo_twofold_more(sum, point->fine.z0, l->c_nu[var.i]));
    }
    case SIGMA:
      return tribo_twofold_value(sigma(l, drive, point, var.i, var.k, point->fine.lam[var.i]));
    case GAMMA:
      return tribo_twofold_value(radius_left(l, drive, point, var.i, 0));
    case THETA:
      return point->theta[var.i];
    case PHI:
      return point->phi[var.i * l->capacity.facets + var.k];
    case LAM:
      return point->lam[var.i];
    default:
      return point->z0;
  }
}
