// SPDX-License-Identifier: Apache-2.0
//
// The dense backend: R of H = R^T R, row-major and upper, positions in the order of adding. A row
// is appended by a forward solve and deleted by Givens rotations (engine/base/dense.h), O(n^2)
// each.
//
// Adding many rows works in panels of four: the four rows are scattered side by side, so that one
// pass over an earlier row yields its four Gram entries at once.
#include <math.h>
#include <string.h>

#include "engine/base/dense.h"
#include "solvers/factor_backend.h"

typedef struct DenseFactor {
  TriboFactor base;
  int ld;
  double* r;        // (most x ld)
  double* panel;    // Gram columns of a panel, by position  (PANEL x ld)
  double* scratch;  // (ld)
} DenseFactor;

static void clear(TriboFactor* factor) { (void)factor; }

// Takes the row into the table of active rows, at the end.
static void append_row(TriboFactor* factor, int slot, TriboFactorRow row) {
  int n = factor->count++;
  factor->slot[n] = slot;
  factor->position[slot] = n;
  factor->row[n] = row;
}

static TriboStatus add(TriboFactor* factor, int slot, TriboFactorRow row, double refuse) {
  DenseFactor* dense = (DenseFactor*)factor;
  double* column = dense->scratch;
  double length2 = tribo_factor_gram(factor, row, column);
  TriboStatus status =
      tribo_cholesky_append(factor->count, dense->r, dense->ld, column, length2, refuse);
  if (status == TRIBO_OK) append_row(factor, slot, row);
  return status;
}

static TriboStatus add_projected(TriboFactor* factor, int slot, TriboFactorRow row, double refuse) {
  DenseFactor* dense = (DenseFactor*)factor;
  TriboStatus status = tribo_cholesky_append_half(factor->count, dense->r, dense->ld, factor->half,
                                                  factor->length2, refuse);
  if (status == TRIBO_OK) append_row(factor, slot, row);
  return status;
}

static void scatter(double* work, TriboFactorRow row, int lane) {
  for (int e = 0; e < row.count; ++e) {
    work[TRIBO_FACTOR_PANEL * row.index[e] + lane] = row.value[e];
  }
}

// The scattered rows' dot products with `row`.
static void panel_dots(const double* restrict work, TriboFactorRow row,
                       double out[TRIBO_FACTOR_PANEL]) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (int e = 0; e < row.count; ++e) {
    const double* w = work + TRIBO_FACTOR_PANEL * row.index[e];
    double v = row.value[e];
    s0 += v * w[0];
    s1 += v * w[1];
    s2 += v * w[2];
    s3 += v * w[3];
  }
  out[0] = s0;
  out[1] = s1;
  out[2] = s2;
  out[3] = s3;
}

// Gram entries of the panel's rows with all active rows into the panel's columns, and among
// themselves into own: own[p][q] = rows[p] . rows[q].
static void panel_gram(DenseFactor* dense, const TriboFactorRow* rows, int width,
                       double own[TRIBO_FACTOR_PANEL][TRIBO_FACTOR_PANEL]) {
  TriboFactor* factor = &dense->base;
  double* work = factor->work;
  for (int p = 0; p < width; ++p) scatter(work, rows[p], p);
  for (int i = 0; i < factor->count; ++i) {
    double dots[TRIBO_FACTOR_PANEL];
    panel_dots(work, factor->row[i], dots);
    for (int p = 0; p < width; ++p) dense->panel[p * dense->ld + i] = dots[p];
  }
  for (int p = 0; p < width; ++p) panel_dots(work, rows[p], own[p]);
  for (int p = 0; p < width; ++p) {
    for (int e = 0; e < rows[p].count; ++e) work[TRIBO_FACTOR_PANEL * rows[p].index[e] + p] = 0;
  }
}

static int add_all(TriboFactor* factor, int count, const int* slots, const TriboFactorRow* rows,
                   double refuse, int* refused) {
  DenseFactor* dense = (DenseFactor*)factor;
  int n_refused = 0;
  for (int begin = 0; begin < count; begin += TRIBO_FACTOR_PANEL) {
    int width = count - begin < TRIBO_FACTOR_PANEL ? count - begin : TRIBO_FACTOR_PANEL;
    double own[TRIBO_FACTOR_PANEL][TRIBO_FACTOR_PANEL];
    panel_gram(dense, rows + begin, width, own);
    int before = factor->count;
    int accepted[TRIBO_FACTOR_PANEL];
    for (int p = 0; p < width; ++p) {
      double* column = dense->panel + p * dense->ld;
      for (int i = before; i < factor->count; ++i) column[i] = own[p][accepted[i - before]];
      if (factor->count < factor->most &&
          tribo_cholesky_append(factor->count, dense->r, dense->ld, column, own[p][p], refuse) ==
              TRIBO_OK) {
        accepted[factor->count - before] = p;
        append_row(factor, slots[begin + p], rows[begin + p]);
      } else {
        refused[n_refused++] = slots[begin + p];
      }
    }
  }
  return n_refused;
}

static void delete_row(TriboFactor* factor, int slot) {
  DenseFactor* dense = (DenseFactor*)factor;
  int k = factor->position[slot];
  tribo_cholesky_delete(factor->count, dense->r, dense->ld, k, dense->scratch);
  factor->position[slot] = -1;
  --factor->count;
  for (int i = k; i < factor->count; ++i) {
    factor->slot[i] = factor->slot[i + 1];
    factor->row[i] = factor->row[i + 1];
    factor->position[factor->slot[i]] = i;
  }
}

static TriboStatus update(TriboFactor* factor, const double* v, int sign, double refuse) {
  DenseFactor* dense = (DenseFactor*)factor;
  double* x = factor->vector;
  for (int i = 0; i < factor->count; ++i) x[i] = v[factor->slot[i]];
  if (sign < 0) {
    return tribo_cholesky_downdate(factor->count, dense->r, dense->ld, x, refuse, dense->scratch);
  }
  tribo_cholesky_update(factor->count, dense->r, dense->ld, x);
  return TRIBO_OK;
}

static void forward(TriboFactor* factor, double* x) {
  const DenseFactor* dense = (const DenseFactor*)factor;
  tribo_cholesky_forward(factor->count, dense->r, dense->ld, x);
}

static void backward(TriboFactor* factor, double* x) {
  const DenseFactor* dense = (const DenseFactor*)factor;
  tribo_cholesky_backward(factor->count, dense->r, dense->ld, x);
}

static double condition(const TriboFactor* factor) {
  const DenseFactor* dense = (const DenseFactor*)factor;
  double low = INFINITY, high = 0;
  for (int i = 0; i < factor->count; ++i) {
    double pivot = dense->r[(ptrdiff_t)i * dense->ld + i];
    low = fmin(low, pivot);
    high = fmax(high, pivot);
  }
  return (low / high) * (low / high);
}

static const TriboFactorOperations kDense = {
    .clear = clear,
    .add = add,
    .add_projected = add_projected,
    .add_all = add_all,
    .remove = delete_row,
    .update = update,
    .forward = forward,
    .backward = backward,
    .condition = condition,
};

static void layout(DenseFactor* dense, TriboArena* arena) {
  int most = dense->base.most;
  tribo_factor_layout(&dense->base, arena);
  dense->r = tribo_arena_take(arena, (size_t)most * (size_t)dense->ld, sizeof(double));
  dense->panel = tribo_arena_doubles(arena, TRIBO_FACTOR_PANEL * dense->ld);
  dense->scratch = tribo_arena_doubles(arena, dense->ld);
}

TriboFactor* tribo_factor_init_dense(TriboArena* arena, int ny, int capacity) {
  int most = capacity < ny ? capacity : ny;
  DenseFactor made = {.base = {.backend = TRIBO_FACTOR_DENSE,
                               .operations = &kDense,
                               .ny = ny,
                               .capacity = capacity,
                               .most = most},
                      .ld = most + 1};
  DenseFactor* dense = tribo_arena_take(arena, 1, sizeof *dense);
  layout(&made, arena);
  if (dense == NULL || arena->overflowed) return NULL;
  *dense = made;
  tribo_factor_clear(&dense->base);
  return &dense->base;
}
