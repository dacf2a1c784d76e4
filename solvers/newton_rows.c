// SPDX-License-Identifier: Apache-2.0
//
// A Newton step over its rows: the dense matrix W W'^T + D, where a row w' of a normal carries the
// friction of its sliding groups with it, w' = N + mu e.T, and D holds compliances. Without sliding
// it is symmetric, and factored as such; first as it is, and only where rows depend on each other
// with the proximal term. Neighbouring rows mostly have the same coordinates (the rows of one
// contact): they are taken together, so that one pass over the coordinates gives all their
// products.
#include <math.h>
#include <string.h>

#include "engine/base/dense.h"
#include "solvers/newton_state.h"

// Rows begin .. begin + width - 1 share one list of coordinates.
static int bundle_width(const TriboNewton* c, int begin) {
  const NewtonRow* first = &c->row[begin];
  int width = 1;
  while (width < NEWTON_LANES && begin + width < c->n) {
    const NewtonRow* other = &c->row[begin + width];
    if (other->count != first->count) break;
    if (other->index != first->index &&
        memcmp(other->index, first->index, sizeof(int) * (size_t)first->count) != 0) {
      break;
    }
    ++width;
  }
  return width;
}

static void scatter(double* panel, int lane, int count, const int* index, const double* value,
                    double s) {
  for (int e = 0; e < count; ++e) panel[NEWTON_LANES * index[e] + lane] += s * value[e];
}

static void clear(double* panel, int count, const int* index) {
  for (int e = 0; e < count; ++e) {
    memset(panel + NEWTON_LANES * index[e], 0, sizeof(double) * NEWTON_LANES);
  }
}

// Adds what the sliding groups of a normal add to its column, or clears where they did.
static void scatter_friction(TriboNewton* c, const NewtonRow* row, int lane, bool erase) {
  const TriboContactProblem* problem = c->problem;
  if (row->at < c->first_N || row->at >= c->first_T) return;
  for (int g = c->first_group[row->at - c->first_N]; g >= 0; g = c->next_group[g]) {
    if (c->mode_g[g] != TRIBO_MODE_SLIDE) continue;
    const TriboFrictionGroup* group = &problem->group[g];
    for (int r = 0; r < group->rows; ++r) {
      const int t = group->tangent + r, start = problem->T.start[t];
      const int count = problem->T.start[t + 1] - start;
      if (erase) {
        clear(c->panel, count, problem->T.index + start);
      } else {
        scatter(c->panel, lane, count, problem->T.index + start, problem->T.value + start,
                group->mu * c->slide[2 * g + r]);
      }
    }
  }
}

// Two numbers side by side; gcc and clang make one instruction of an operation on both.
typedef double Pair __attribute__((vector_size(16)));

// Products of the panel's columns with `rows` rows of one list of coordinates.
static inline void dots(const double* restrict panel, const NewtonRow* first, int rows,
                        double* restrict out) {
  const int count = first->count;
  const int* restrict index = first->index;
  const double* v[3] = {first->value, rows > 1 ? first[1].value : NULL,
                        rows > 2 ? first[2].value : NULL};
  Pair sum[3][2] = {{{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}};
  for (int e = 0; e < count; ++e) {
    const Pair* w = (const Pair*)(panel + NEWTON_LANES * index[e]);
    const Pair low = w[0], high = w[1];
    for (int r = 0; r < rows; ++r) {
      const Pair by = {v[r][e], v[r][e]};
      sum[r][0] += by * low;
      sum[r][1] += by * high;
    }
  }
  memcpy(out, sum, sizeof(double) * (size_t)(NEWTON_LANES * rows));
}

// `width` rows of one list of coordinates into the empty panel.
static void spread(double* restrict panel, const NewtonRow* first, int width) {
  const int count = first->count;
  const int* restrict index = first->index;
  if (width == 3) {
    // The rows of a contact.
    const double *a = first->value, *b = first[1].value, *c = first[2].value;
    for (int e = 0; e < count; ++e) {
      double* to = panel + NEWTON_LANES * index[e];
      to[0] = a[e];
      to[1] = b[e];
      to[2] = c[e];
    }
    return;
  }
  for (int l = 0; l < width; ++l) {
    const double* value = first[l].value;
    for (int e = 0; e < count; ++e) panel[NEWTON_LANES * index[e] + l] = value[e];
  }
}

// Columns begin .. begin + width - 1 of the matrix, down to the diagonal or all of them.
static void fill_columns(TriboNewton* c, int begin, int width) {
  double* panel = c->panel;
  const int n = c->n;
  spread(panel, &c->row[begin], width);
  for (int l = 0; c->slides && l < width; ++l) scatter_friction(c, &c->row[begin + l], l, false);
  const int end = c->slides ? n : begin + width;
  for (int i = 0; i < end;) {
    const NewtonRow* row = &c->row[i];
    double out[3 * NEWTON_LANES];
    int taken = c->bundle[i];
    if (taken > end - i) taken = end - i;
    if (taken >= 3) {
      taken = 3;
      dots(panel, row, 3, out);
    } else if (taken == 2) {
      dots(panel, row, 2, out);
    } else {
      dots(panel, row, 1, out);
    }
    for (int r = 0; r < taken; ++r) {
      double* to = c->a + (size_t)(i + r) * (size_t)n + begin;
      const double* from = out + NEWTON_LANES * r;
      // A contact's three without a call.
      if (width == 3) {
        to[0] = from[0], to[1] = from[1], to[2] = from[2];
      } else {
        memcpy(to, from, sizeof(double) * (size_t)width);
      }
    }
    i += taken;
  }
  clear(panel, c->row[begin].count, c->row[begin].index);
  for (int l = 0; c->slides && l < width; ++l) scatter_friction(c, &c->row[begin + l], l, true);
}

static void fill(TriboNewton* c) {
  // bundle[i]: rows from i on that share their coordinates.
  for (int begin = 0; begin < c->n;) {
    const int width = bundle_width(c, begin);
    for (int r = 0; r < width; ++r) c->bundle[begin + r] = width - r;
    begin += width;
  }
  for (int begin = 0; begin < c->n; begin += c->bundle[begin]) {
    fill_columns(c, begin, c->bundle[begin]);
  }
}

// Adds compliances and delta times each row's square; returns a vector of the squares in `step`.
static void soften(TriboNewton* c, double proximal) {
  for (int i = 0; i < c->n; ++i) {
    double* diagonal = &c->a[(size_t)i * (size_t)c->n + i];
    const NewtonRow* row = &c->row[i];
    double square = 0;
    for (int e = 0; e < row->count; ++e) square += row->value[e] * row->value[e];
    // A row without entries moves nothing, and keeps its impulse.
    *diagonal += row->soft + (square > 0 ? proximal * square : 1);
  }
}

TriboStatus tribo_newton_rows_step(TriboNewton* c, double proximal, bool* exact) {
  const int n = c->n;
  *exact = false;
  if (n > c->dense) return TRIBO_ERROR_CAPACITY;
  if (n == 0) return TRIBO_OK;
  fill(c);
  for (int i = 0; i < n; ++i) c->rhs[i] = -c->row[i].residual;
  if (!c->slides) {
    if (n <= c->problem->ny) {
      memcpy(c->step, c->rhs, sizeof(double) * (size_t)n);
      for (int i = 0; i < n; ++i) c->a[(size_t)i * (size_t)n + i] += c->row[i].soft;
      if (tribo_cholesky_factor(n, c->a, n, 1e-9) == TRIBO_OK) {
        tribo_cholesky_solve(n, c->a, n, c->step);
        *exact = true;
        return TRIBO_OK;
      }
      fill(c);
    }
    soften(c, proximal);
    if (tribo_cholesky_factor(n, c->a, n, 0) == TRIBO_OK) {
      memcpy(c->step, c->rhs, sizeof(double) * (size_t)n);
      tribo_cholesky_solve(n, c->a, n, c->step);
      return TRIBO_OK;
    }
    return TRIBO_ERROR_SINGULAR;
  }
  soften(c, proximal);
  const TriboStatus status = tribo_lu_factor(n, c->a, n, c->permutation, 1e-15);
  if (status == TRIBO_OK) tribo_lu_solve(n, c->a, n, c->permutation, c->rhs, c->step);
  return status;
}
