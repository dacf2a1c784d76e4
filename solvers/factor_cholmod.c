// SPDX-License-Identifier: Apache-2.0
//
// LDL^T over all slots in CHOLMOD's fill-reducing order; inactive slots are identity rows, so that
// the pattern never changes while rows come and go.
//
// analyze    orders W W^T of all candidates (AMD) and factors it once, shifted by the identity so
//            that it is definite, which lays out every entry that any active set can fill.
// add_all    an up-looking factorization over that pattern, row by row [Davis2005]: a row whose
//            pivot is too small is refused on the spot and stays an identity row. (CHOLMOD's own
//            factorization cannot leave out dependent rows.)
// add        cholmod_rowadd, after a forward solve has shown that the pivot is large enough
// delete     cholmod_rowdel
// update     cholmod_updown
//
// Everything is simplicial: no BLAS, no threads, one order of summation. Row and column numbers
// below are permuted ones ("places"); place[slot] and L->Perm translate.
#include "solvers/factor_cholmod.h"

#include <cholmod.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/dense.h"
#include "engine/base/message.h"
#include "solvers/factor_backend.h"

typedef struct CholmodFactor {
  TriboFactor base;
  cholmod_common common;
  TriboArena arena;
  size_t arena_size;

  cholmod_sparse* pattern;  // W^T of all candidates: coordinates are columns of the n x ny W
  cholmod_factor* L;
  cholmod_sparse* column;  // the column that rowadd and updown read   (n x 1)
  int* place;              // place of each slot                       (capacity)
  double* full;            // by place, 0 between calls                (capacity)
  double* half;            // by position                              (capacity)
  bool* active;            // by place                                 (capacity)

  // The full pattern of L, as analyze left it.
  size_t entries;
  int* start;      // columns                                          (capacity + 1)
  int* count;      // entries of each column, the diagonal included    (capacity)
  int* index;      // rows, increasing                                 (entries)
  int* row_start;  // entries of row i left of the diagonal            (capacity + 1)
  int* row_place;  // their columns, increasing                        (entries)
  int* row_entry;  // where they stand in L->x                         (entries)
} CholmodFactor;

static CholmodFactor* self(TriboFactor* factor) { return (CholmodFactor*)factor; }
static double* values_of(const CholmodFactor* f) { return f->L->x; }

// ---- The pattern ----

static void free_pattern(CholmodFactor* f) {
  cholmod_free_sparse(&f->pattern, &f->common);
  cholmod_free_factor(&f->L, &f->common);
  free(f->start);
  free(f->count);
  free(f->index);
  free(f->row_start);
  free(f->row_place);
  free(f->row_entry);
  f->start = f->count = f->index = f->row_start = f->row_place = f->row_entry = NULL;
  f->entries = 0;
}

// W of all candidates by columns, all values 1.
static bool build_pattern(CholmodFactor* f, const TriboFactorRow* rows) {
  int n = f->base.capacity, ny = f->base.ny;
  size_t total = 0;
  for (int s = 0; s < n; ++s) total += (size_t)rows[s].count;
  f->pattern = cholmod_allocate_sparse((size_t)n, (size_t)ny, total > 0 ? total : 1, 1, 1, 0,
                                       CHOLMOD_REAL, &f->common);
  if (f->pattern == NULL) return false;
  int* p = f->pattern->p;
  int* i = f->pattern->i;
  double* x = f->pattern->x;
  memset(p, 0, sizeof(int) * (size_t)(ny + 1));
  for (int s = 0; s < n; ++s) {
    for (int e = 0; e < rows[s].count; ++e) ++p[rows[s].index[e] + 1];
  }
  for (int c = 0; c < ny; ++c) p[c + 1] += p[c];
  // Filling moves every start to the next column's; they are moved back afterwards.
  for (int s = 0; s < n; ++s) {
    for (int e = 0; e < rows[s].count; ++e) {
      int at = p[rows[s].index[e]]++;
      i[at] = s;
      x[at] = 1;
    }
  }
  for (int c = ny; c > 0; --c) p[c] = p[c - 1];
  p[0] = 0;
  return true;
}

// L with the full pattern: the factor of W W^T + I.
static bool factor_shifted(CholmodFactor* f) {
  double beta[2] = {1, 0};
  if (f->L == NULL) f->L = cholmod_analyze(f->pattern, &f->common);
  return f->L != NULL && cholmod_factorize_p(f->pattern, beta, NULL, 0, f->L, &f->common) &&
         f->common.status == CHOLMOD_OK;
}

static bool take_ints(int** array, size_t count) {
  *array = malloc(sizeof(int) * (count > 0 ? count : 1));
  return *array != NULL;
}

// Copies the pattern of L and its transpose.
static bool copy_pattern(CholmodFactor* f) {
  int n = f->base.capacity;
  const int* p = f->L->p;
  const int* nz = f->L->nz;
  f->entries = (size_t)p[n];
  if (!take_ints(&f->start, (size_t)n + 1) || !take_ints(&f->count, (size_t)n) ||
      !take_ints(&f->index, f->entries) || !take_ints(&f->row_start, (size_t)n + 1) ||
      !take_ints(&f->row_place, f->entries) || !take_ints(&f->row_entry, f->entries)) {
    return false;
  }
  memcpy(f->start, p, sizeof(int) * (size_t)(n + 1));
  memcpy(f->count, nz, sizeof(int) * (size_t)n);
  memcpy(f->index, f->L->i, sizeof(int) * f->entries);
  memset(f->row_start, 0, sizeof(int) * (size_t)(n + 1));
  for (int j = 0; j < n; ++j) {
    for (int e = p[j] + 1; e < p[j] + nz[j]; ++e) ++f->row_start[f->index[e] + 1];
  }
  for (int i = 0; i < n; ++i) f->row_start[i + 1] += f->row_start[i];
  for (int j = 0; j < n; ++j) {
    for (int e = p[j] + 1; e < p[j] + nz[j]; ++e) {
      int at = f->row_start[f->index[e]]++;
      f->row_place[at] = j;
      f->row_entry[at] = e;
    }
  }
  for (int i = n; i > 0; --i) f->row_start[i] = f->row_start[i - 1];
  f->row_start[0] = 0;
  return true;
}

// Makes L the identity with the full pattern. CHOLMOD moves columns only when they outgrow their
// room, which a rank-1 update can do; then the pattern is laid out again.
static void make_identity(CholmodFactor* f) {
  int n = f->base.capacity;
  if (f->L == NULL) return;
  if (memcmp(f->L->p, f->start, sizeof(int) * (size_t)n) != 0) {
    cholmod_free_factor(&f->L, &f->common);
    if (!factor_shifted(f)) return;
  }
  memcpy(f->L->nz, f->count, sizeof(int) * (size_t)n);
  memcpy(f->L->i, f->index, sizeof(int) * f->entries);
  double* x = values_of(f);
  memset(x, 0, sizeof(double) * f->entries);
  for (int j = 0; j < n; ++j) x[f->start[j]] = 1;
  memset(f->active, 0, sizeof(bool) * (size_t)n);
  memset(f->full, 0, sizeof(double) * (size_t)n);
}

TriboStatus tribo_factor_cholmod_analyze(TriboFactor* factor, const TriboFactorRow* rows) {
  CholmodFactor* f = self(factor);
  free_pattern(f);
  if (!build_pattern(f, rows) || !factor_shifted(f) || !copy_pattern(f)) {
    free_pattern(f);
    return TRIBO_ERROR_MEMORY;
  }
  const int* perm = f->L->Perm;
  for (int i = 0; i < factor->capacity; ++i) f->place[perm[i]] = i;
  tribo_factor_clear(factor);
  return TRIBO_OK;
}

long tribo_factor_cholmod_entries(const TriboFactor* factor) {
  return (long)((const CholmodFactor*)factor)->entries;
}

// ---- Triangular solves, by place in f->full ----

static void forward_full(const CholmodFactor* f) {
  const int* p = f->L->p;
  const int* nz = f->L->nz;
  const int* index = f->L->i;
  const double* x = values_of(f);
  for (int j = 0; j < f->base.capacity; ++j) {
    double y = f->full[j];
    if (y == 0) continue;
    for (int e = p[j] + 1; e < p[j] + nz[j]; ++e) f->full[index[e]] -= x[e] * y;
  }
}

static void backward_full(const CholmodFactor* f) {
  const int* p = f->L->p;
  const int* nz = f->L->nz;
  const int* index = f->L->i;
  const double* x = values_of(f);
  for (int j = f->base.capacity - 1; j >= 0; --j) {
    if (!f->active[j]) continue;
    double sum = f->full[j];
    for (int e = p[j] + 1; e < p[j] + nz[j]; ++e) sum -= x[e] * f->full[index[e]];
    f->full[j] = sum;
  }
}

static void scatter_positions(CholmodFactor* f, const double* x) {
  for (int i = 0; i < f->base.count; ++i) f->full[f->place[f->base.slot[i]]] = x[i];
}

// Reads the result and zeroes the full vector again.
static void gather_positions(CholmodFactor* f, double* x) {
  for (int i = 0; i < f->base.count; ++i) x[i] = f->full[f->place[f->base.slot[i]]];
  memset(f->full, 0, sizeof(double) * (size_t)f->base.capacity);
}

static double pivot_at(const CholmodFactor* f, int position) {
  return values_of(f)[((const int*)f->L->p)[f->place[f->base.slot[position]]]];
}

static void forward(TriboFactor* factor, double* x) {
  CholmodFactor* f = self(factor);
  scatter_positions(f, x);
  forward_full(f);
  gather_positions(f, x);
  for (int i = 0; i < factor->count; ++i) x[i] /= sqrt(pivot_at(f, i));
}

static void backward(TriboFactor* factor, double* x) {
  CholmodFactor* f = self(factor);
  for (int i = 0; i < factor->count; ++i) x[i] /= sqrt(pivot_at(f, i));
  scatter_positions(f, x);
  backward_full(f);
  gather_positions(f, x);
}

// ---- Rows ----

static void append_row(CholmodFactor* f, int slot, TriboFactorRow row) {
  TriboFactor* factor = &f->base;
  int n = factor->count++;
  factor->slot[n] = slot;
  factor->position[slot] = n;
  factor->row[n] = row;
  f->active[f->place[slot]] = true;
}

static void clear(TriboFactor* factor) { make_identity(self(factor)); }

// The row's couplings with the active rows, by position, and its column in CHOLMOD's order.
// Returns |row|^2.
static double make_column(CholmodFactor* f, int k, TriboFactorRow row, double* gram) {
  const double length2 = tribo_factor_gram(&f->base, row, gram);
  int* index = f->column->i;
  double* value = f->column->x;
  int entries = 0;
  for (int i = 0; i < f->base.count; ++i) {
    if (gram[i] == 0) continue;
    index[entries] = f->place[f->base.slot[i]];
    value[entries++] = gram[i];
  }
  index[entries] = k;
  value[entries++] = length2;
  ((int*)f->column->p)[1] = entries;
  return length2;
}

// half: L^-1 of the couplings.
static TriboStatus add_column(CholmodFactor* f, int slot, TriboFactorRow row, double length2,
                              const double* half, double refuse) {
  const double pivot = length2 - tribo_dot(f->base.count, half, half);
  if (!(pivot > refuse * length2) || !(pivot > 0)) return TRIBO_ERROR_SINGULAR;
  if (!cholmod_rowadd((size_t)f->place[slot], f->column, f->L, &f->common)) {
    return TRIBO_ERROR_MEMORY;
  }
  append_row(f, slot, row);
  return TRIBO_OK;
}

static TriboStatus add(TriboFactor* factor, int slot, TriboFactorRow row, double refuse) {
  CholmodFactor* f = self(factor);
  const double length2 = make_column(f, f->place[slot], row, f->half);
  forward(factor, f->half);
  return add_column(f, slot, row, length2, f->half, refuse);
}

static TriboStatus add_projected(TriboFactor* factor, int slot, TriboFactorRow row, double refuse) {
  CholmodFactor* f = self(factor);
  const double length2 = make_column(f, f->place[slot], row, f->half);
  return add_column(f, slot, row, length2, factor->half, refuse);
}

static void delete_row(TriboFactor* factor, int slot) {
  CholmodFactor* f = self(factor);
  int k = f->place[slot], hole = factor->position[slot], last = factor->count - 1;
  // Only memory can make it fail, and with the pattern laid out it needs none.
  int ok = cholmod_rowdel((size_t)k, NULL, f->L, &f->common);
  TRIBO_ASSERT(ok);
  (void)ok;
  f->active[k] = false;
  factor->slot[hole] = factor->slot[last];
  factor->row[hole] = factor->row[last];
  factor->position[factor->slot[hole]] = hole;
  factor->position[slot] = -1;
  factor->count = last;
}

// One row of the up-looking factorization: row i of L and its pivot from the rows before it. False,
// and an identity row, when the pivot is too small.
static bool factor_row(CholmodFactor* f, int i, double refuse) {
  TriboFactor* factor = &f->base;
  const int* perm = f->L->Perm;
  double* x = values_of(f);
  double* y = f->full;
  double* work = factor->work;
  TriboFactorRow row = factor->row[factor->position[perm[i]]];
  double length2 = 0;
  for (int e = 0; e < row.count; ++e) {
    work[row.index[e]] = row.value[e];
    length2 += row.value[e] * row.value[e];
  }
  for (int t = f->row_start[i]; t < f->row_start[i + 1]; ++t) {
    int j = f->row_place[t];
    if (!f->active[j]) continue;
    TriboFactorRow other = factor->row[factor->position[perm[j]]];
    double sum = 0;
    for (int e = 0; e < other.count; ++e) sum += other.value[e] * work[other.index[e]];
    y[j] = sum;
  }
  for (int e = 0; e < row.count; ++e) work[row.index[e]] = 0;
  double pivot = length2;
  for (int t = f->row_start[i]; t < f->row_start[i + 1]; ++t) {
    int j = f->row_place[t], entry = f->row_entry[t];
    double yj = y[j];
    y[j] = 0;
    x[entry] = 0;
    if (!f->active[j] || yj == 0) continue;
    // Column j down to row i; its entries are rows of this row's pattern too.
    for (int e = f->start[j] + 1; e < entry; ++e) y[f->index[e]] -= x[e] * yj;
    double l = yj / x[f->start[j]];
    pivot -= l * yj;
    x[entry] = l;
  }
  if (pivot > refuse * length2 && pivot > 0) {
    x[f->start[i]] = pivot;
    return true;
  }
  for (int t = f->row_start[i]; t < f->row_start[i + 1]; ++t) x[f->row_entry[t]] = 0;
  x[f->start[i]] = 1;
  return false;
}

// Rows that the table holds but the factor refused leave the table.
static int drop_refused(CholmodFactor* f, int* refused) {
  TriboFactor* factor = &f->base;
  int n_refused = 0, kept = 0;
  for (int i = 0; i < factor->count; ++i) {
    int slot = factor->slot[i];
    if (f->active[f->place[slot]]) {
      factor->slot[kept] = slot;
      factor->row[kept] = factor->row[i];
      factor->position[slot] = kept++;
    } else {
      factor->position[slot] = -1;
      refused[n_refused++] = slot;
    }
  }
  factor->count = kept;
  return n_refused;
}

// Factors the table's rows afresh.
static void factor_table(CholmodFactor* f, double refuse) {
  TriboFactor* factor = &f->base;
  make_identity(f);
  for (int i = 0; i < factor->capacity; ++i) {
    f->active[i] = factor->position[((const int*)f->L->Perm)[i]] >= 0 && factor_row(f, i, refuse);
  }
}

static int add_one_by_one(TriboFactor* factor, int count, const int* slots,
                          const TriboFactorRow* rows, double refuse, int* refused) {
  int n_refused = 0;
  for (int i = 0; i < count; ++i) {
    if (tribo_factor_add(factor, slots[i], rows[i], refuse) != TRIBO_OK) {
      refused[n_refused++] = slots[i];
    }
  }
  return n_refused;
}

static int add_all(TriboFactor* factor, int count, const int* slots, const TriboFactorRow* rows,
                   double refuse, int* refused) {
  CholmodFactor* f = self(factor);
  int before = factor->count;
  if (count == 0) return 0;
  // Rows that were there may not be refused in favour of new ones, but the order of elimination is
  // not the order of adding: so a fresh factorization only starts from nothing.
  if (before > 0) return add_one_by_one(factor, count, slots, rows, refuse, refused);
  for (int i = 0; i < count; ++i) append_row(f, slots[i], rows[i]);
  factor_table(f, refuse);
  return drop_refused(f, refused);
}

static TriboStatus update(TriboFactor* factor, const double* v, int sign, double refuse) {
  CholmodFactor* f = self(factor);
  int n = factor->count;
  if (sign < 0) {
    double* half = f->half;
    for (int i = 0; i < n; ++i) half[i] = v[factor->slot[i]];
    forward(factor, half);
    double left = 1 - tribo_dot(n, half, half);
    if (!(left > refuse) || !(left > 0)) return TRIBO_ERROR_SINGULAR;
  }
  // updown wants the rows in order.
  const int* perm = f->L->Perm;
  int* index = f->column->i;
  double* value = f->column->x;
  int entries = 0;
  for (int j = 0; j < factor->capacity; ++j) {
    if (!f->active[j]) continue;
    index[entries] = j;
    value[entries++] = v[perm[j]];
  }
  ((int*)f->column->p)[1] = entries;
  f->column->sorted = 1;
  int ok = cholmod_updown(sign > 0, f->column, f->L, &f->common);
  f->column->sorted = 0;
  return ok ? TRIBO_OK : TRIBO_ERROR_MEMORY;
}

static double condition(const TriboFactor* factor) {
  const CholmodFactor* f = (const CholmodFactor*)factor;
  double low = INFINITY, high = 0;
  for (int i = 0; i < factor->count; ++i) {
    low = fmin(low, pivot_at(f, i));
    high = fmax(high, pivot_at(f, i));
  }
  return low / high;
}

static const TriboFactorOperations kCholmod = {
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

// ---- Life ----

static void layout(CholmodFactor* f, TriboArena* arena) {
  int n = f->base.capacity;
  tribo_factor_layout(&f->base, arena);
  f->place = tribo_arena_ints(arena, n);
  f->full = tribo_arena_doubles(arena, n);
  f->half = tribo_arena_doubles(arena, n);
  f->active = tribo_arena_take(arena, (size_t)n, sizeof *f->active);
}

static void start_cholmod(cholmod_common* common) {
  cholmod_start(common);
  common->supernodal = CHOLMOD_SIMPLICIAL;
  common->final_ll = 0;
  common->final_pack = 0;
  common->nmethods = 1;
  common->method[0].ordering = CHOLMOD_AMD;
  common->postorder = 1;
  common->print = 0;
}

TriboFactor* tribo_factor_cholmod_create(int ny, int capacity) {
  CholmodFactor* f = calloc(1, sizeof *f);
  if (f == NULL) return NULL;
  // All slots may be in the table while dependent rows among them are still to be refused.
  f->base = (TriboFactor){.backend = TRIBO_FACTOR_CHOLMOD,
                          .operations = &kCholmod,
                          .ny = ny,
                          .capacity = capacity,
                          .most = capacity};
  TriboArena measure = tribo_arena_measure();
  layout(f, &measure);
  f->arena_size = measure.used;
  void* memory = tribo_allocate(NULL, measure.used);
  start_cholmod(&f->common);
  f->column = cholmod_allocate_sparse((size_t)capacity, 1, (size_t)capacity + 1, 0, 1, 0,
                                      CHOLMOD_REAL, &f->common);
  if (memory != NULL) {
    f->arena = tribo_arena_over(memory, measure.used);
    layout(f, &f->arena);
  }
  if (memory == NULL || f->column == NULL) {
    tribo_factor_cholmod_destroy(&f->base);
    return NULL;
  }
  ((int*)f->column->p)[0] = 0;
  tribo_factor_clear(&f->base);
  return &f->base;
}

void tribo_factor_cholmod_destroy(TriboFactor* factor) {
  if (factor == NULL) return;
  CholmodFactor* f = self(factor);
  free_pattern(f);
  cholmod_free_sparse(&f->column, &f->common);
  cholmod_finish(&f->common);
  tribo_release(NULL, f->arena.memory, f->arena_size);
  free(f);
}
