// SPDX-License-Identifier: Apache-2.0
//
// The dense backend: R of H = R^T R, row-major and upper, positions in the order of adding. A row
// is appended by a forward solve and deleted by Givens rotations (engine/base/dense.h), O(n^2)
// each.
//
// Adding many rows works in panels of four: the four rows are scattered side by side, so that one
// pass over an earlier row yields its four Gram entries at once. Where many more rows than
// coordinates come at once, most are dependent: they are tested against an orthonormal basis of the
// span's complement, which is small then, and only independent ones meet the factor.
#include <math.h>
#include <string.h>

#include "engine/base/dense.h"
#include "solvers/factor_backend.h"

typedef struct DenseFactor {
  TriboFactor base;
  int ld;
  double* r;           // (most x ld)
  double* panel;       // Gram columns of a panel, by position  (PANEL x ld)
  double* scratch;     // (ld)
  double* complement;  // (FEW x FEW)
} DenseFactor;

// Coordinates up to which a basis of the complement is kept, and columns of it read together.
enum { FEW = 32, LANES = 8 };

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

static int add_in_panels(TriboFactor* factor, int count, const int* slots,
                         const TriboFactorRow* rows, double refuse, int* refused) {
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

// An orthonormal basis Z of what is orthogonal to the active rows.
typedef struct Complement {
  int ny, columns;
  int ld;         // a multiple of LANES; columns that went are 0
  double* basis;  // (ny x ld) by coordinate
} Complement;

static Complement complement_start(double* basis, int ny) {
  const Complement start = {
      .ny = ny, .columns = ny, .ld = (ny + LANES - 1) / LANES * LANES, .basis = basis};
  memset(basis, 0, sizeof(double) * (size_t)(ny * start.ld));
  for (int j = 0; j < ny; ++j) basis[j * start.ld + j] = 1;
  return start;
}

// z = Z^T w: what w has outside the span of the active rows. Returns |z|^2.
static double complement_part(const Complement* rest, TriboFactorRow w, double* z) {
  double square = 0;
  for (int c = 0; c < rest->columns; c += LANES) {
    double z0 = 0, z1 = 0, z2 = 0, z3 = 0, z4 = 0, z5 = 0, z6 = 0, z7 = 0;
    for (int e = 0; e < w.count; ++e) {
      const double* b = rest->basis + w.index[e] * rest->ld + c;
      const double v = w.value[e];
      z0 += v * b[0];
      z1 += v * b[1];
      z2 += v * b[2];
      z3 += v * b[3];
      z4 += v * b[4];
      z5 += v * b[5];
      z6 += v * b[6];
      z7 += v * b[7];
    }
    z[c] = z0, z[c + 1] = z1, z[c + 2] = z2, z[c + 3] = z3;
    z[c + 4] = z4, z[c + 5] = z5, z[c + 6] = z6, z[c + 7] = z7;
    square += tribo_dot(LANES, z + c, z + c);
  }
  return square;
}

// Takes the direction Z z out: a reflection turns the last column onto it, which then goes.
static void complement_reduce(Complement* rest, double* z, double square) {
  const int last = --rest->columns, padded = last / 4 * 4 + 4;
  const double length = sqrt(square), scale = 1 / (length * (length + fabs(z[last])));
  z[last] += copysign(length, z[last]);
  for (int j = 0; j < rest->ny; ++j) {
    double* restrict b = rest->basis + j * rest->ld;
    const double along = scale * tribo_dot(padded, b, z);
    for (int c = 0; c < padded; ++c) b[c] -= along * z[c];
    b[last] = 0;
  }
}

// add_all to an empty factor, for many rows over the first ny <= FEW coordinates.
static int add_by_complement(TriboFactor* factor, int ny, int count, const int* slots,
                             const TriboFactorRow* rows, double refuse, int* refused) {
  Complement rest = complement_start(((DenseFactor*)factor)->complement, ny);
  double z[FEW];
  int n_refused = 0;
  for (int i = 0; i < count; ++i) {
    const TriboFactorRow row = rows[i];
    const double square = complement_part(&rest, row, z);
    double length2 = 0;
    for (int e = 0; e < row.count; ++e) length2 += row.value[e] * row.value[e];
    if (square > refuse * length2 && add(factor, slots[i], row, refuse) == TRIBO_OK) {
      complement_reduce(&rest, z, square);
    } else {
      refused[n_refused++] = slots[i];
    }
  }
  return n_refused;
}

// Coordinates from the first to the last that the rows touch.
static int count_coordinates(int count, const TriboFactorRow* rows) {
  int ny = 0;
  for (int i = 0; i < count; ++i) {
    const int end = rows[i].count > 0 ? rows[i].index[rows[i].count - 1] + 1 : 0;
    if (end > ny) ny = end;
  }
  return ny;
}

static int add_all(TriboFactor* factor, int count, const int* slots, const TriboFactorRow* rows,
                   double refuse, int* refused) {
  const int ny = factor->count == 0 ? count_coordinates(count, rows) : FEW + 1;
  return ny <= FEW && count >= 2 * ny
             ? add_by_complement(factor, ny, count, slots, rows, refuse, refused)
             : add_in_panels(factor, count, slots, rows, refuse, refused);
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
  dense->complement = tribo_arena_doubles(arena, FEW * FEW);
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
