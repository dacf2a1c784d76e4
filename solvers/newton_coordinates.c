// SPDX-License-Identifier: Apache-2.0
//
// A Newton step over the coordinates, for many rows. With the stiffness s = 1/(soft + delta |w|^2)
// of every row its unknown is d = -s (residual + w.dy), and dy = sum w' d gives
//
//   (I + sum s w' w^T) dy = -sum s w' residual
//
// a matrix as sparse as the graph of bodies, whatever the number of contacts; w' = N + mu e.T for a
// sliding normal. The large stiffness loses digits, about as many as delta has; the next step, from
// the impulses' own residual, brings them back.
#include <math.h>

#include "solvers/newton_state.h"

// Softer than this the digits that are left do not bring the next step forward.
static const double kLeastProximal = 1e-8;

static bool is_normal(const TriboNewton* c, const NewtonRow* row) {
  return row->at >= c->first_N && row->at < c->first_T;
}

// Tangential row r of the problem as a vector.
static TriboCoordinateVector tangent_of(const TriboNewton* c, int r) {
  const TriboRows* T = &c->problem->T;
  const TriboCoordinateVector vector = {T->start[r + 1] - T->start[r], T->index + T->start[r],
                                        T->value + T->start[r]};
  return vector;
}

static void append(TriboNewton* c, int list, TriboCoordinateVector vector, int* used) {
  for (int e = 0; e < vector.count; ++e) {
    if (c->stamp[vector.index[e]] == list) continue;
    c->stamp[vector.index[e]] = list;
    c->list_index[(*used)++] = vector.index[e];
  }
}

// The coordinates of every contact, equality row and group without a normal: one list each.
static TriboStatus analyze(TriboNewton* c) {
  int lists = 0, used = 0;
  for (int i = 0; i < c->problem->ny; ++i) c->stamp[i] = -1;
  for (int i = 0; i < c->n;) {
    c->list_start[lists] = used;
    const NewtonRow* head = &c->row[i];
    const bool normal = is_normal(c, head);
    // A normal's groups follow it.
    do {
      const NewtonRow* row = &c->row[i];
      const TriboCoordinateVector vector = {row->count, row->index, row->value};
      append(c, lists, vector, &used);
      ++i;
    } while (normal && i < c->n && c->row[i].at >= c->first_T);
    for (int g = normal ? c->first_group[head->at - c->first_N] : -1; g >= 0;
         g = c->next_group[g]) {
      if (c->mode_g[g] != TRIBO_MODE_SLIDE) continue;
      for (int r = 0; r < c->problem->group[g].rows; ++r) {
        append(c, lists, tangent_of(c, c->problem->group[g].tangent + r), &used);
      }
    }
    ++lists;
  }
  c->list_start[lists] = used;
  return tribo_coordinate_lu_analyze(c->lu, c->problem->ny, lists, c->list_start, c->list_index,
                                     !c->slides);
}

// Adds s w' times `with` (a vector, by which the matrix gets w' w^T) or to the right-hand side.
static void add_friction(TriboNewton* c, const NewtonRow* row, double s, double residual) {
  const TriboCoordinateVector w = {row->count, row->index, row->value};
  for (int g = c->first_group[row->at - c->first_N]; g >= 0; g = c->next_group[g]) {
    if (c->mode_g[g] != TRIBO_MODE_SLIDE) continue;
    const TriboFrictionGroup* group = &c->problem->group[g];
    for (int r = 0; r < group->rows; ++r) {
      const double f = s * group->mu * c->slide[2 * g + r];
      const TriboCoordinateVector t = tangent_of(c, group->tangent + r);
      tribo_coordinate_lu_add(c->lu, f, t, w);
      for (int e = 0; e < t.count; ++e) c->dy[t.index[e]] -= f * residual * t.value[e];
    }
  }
}

static void assemble(TriboNewton* c, double proximal) {
  for (int i = 0; i < c->problem->ny; ++i) c->dy[i] = 0;
  for (int i = 0; i < c->n; ++i) {
    const NewtonRow* row = &c->row[i];
    const TriboCoordinateVector w = {row->count, row->index, row->value};
    double square = 0;
    for (int e = 0; e < row->count; ++e) square += row->value[e] * row->value[e];
    const double s = square > 0 ? 1 / (row->soft + proximal * square) : 0;
    c->stiff[i] = s;
    if (s == 0) continue;
    tribo_coordinate_lu_add(c->lu, s, w, w);
    for (int e = 0; e < row->count; ++e) c->dy[row->index[e]] -= s * row->residual * row->value[e];
    if (c->slides && is_normal(c, row)) add_friction(c, row, s, row->residual);
  }
}

TriboStatus tribo_newton_coordinates_step(TriboNewton* c, double proximal) {
  TriboStatus status = analyze(c);
  if (status != TRIBO_OK) return status;
  assemble(c, fmax(proximal, kLeastProximal));
  status = tribo_coordinate_lu_factor(c->lu);
  if (status != TRIBO_OK) return status;
  tribo_coordinate_lu_solve(c->lu, c->dy);
  for (int i = 0; i < c->n; ++i) {
    const NewtonRow* row = &c->row[i];
    double sum = row->residual;
    for (int e = 0; e < row->count; ++e) sum += row->value[e] * c->dy[row->index[e]];
    c->step[i] = -c->stiff[i] * sum;
  }
  return TRIBO_OK;
}
