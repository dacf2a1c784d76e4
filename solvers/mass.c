// SPDX-License-Identifier: Apache-2.0
//
// M = L D L^T in minimum degree order. With G^-1 = D^-1/2 L^-1, the rows J = (G^-1 H)^T are rows in
// mass coordinates (problem.h), W = J J^T and q = b + J G^-1 f. Zeros stay zeros: a row of H^T
// reaches the coordinates that its bodies do.
#include "solvers/mass.h"

#include <math.h>
#include <string.h>

#include "engine/base/arena.h"
#include "solvers/block_lu.h"

enum { MOST_VELOCITIES = 8000, BLOCKS = 3 };

struct TriboMass {
  const TriboAllocator* allocator;
  const TriboGlobalProblem* problem;
  int n, nv;
  TriboBlockLu* lu;
  double *x, *y, *rest;  // vectors              (nv)
  double* q;             //                      (n)
  double* sums;          // one row of W         (n)
  TriboRows M;           // symmetric, both triangles
  TriboRows Mt;          // as given, by columns
  TriboRows Ht;          // H by columns
  TriboRows J;           // rows in mass coordinates
  TriboRows Jt;          // J by coordinates
  TriboRows W;
  void* block[BLOCKS];
  size_t bytes[BLOCKS];
};

// ---- Views ----

static int row_begin(const TriboMatrixView* m, int i) { return m->start ? m->start[i] : 0; }
static int row_end(const TriboMatrixView* m, int i) {
  return m->start ? m->start[i + 1] : m->columns;
}
static int entry_column(const TriboMatrixView* m, int e) { return m->start ? m->index[e] : e; }
static double entry_value(const TriboMatrixView* m, int i, int e) {
  return m->start ? m->value[e] : m->value[(size_t)i * (size_t)m->columns + (size_t)e];
}

static size_t count_entries(const TriboMatrixView* m) {
  size_t count = 0;
  for (int i = 0; i < m->rows; ++i) {
    for (int e = row_begin(m, i); e < row_end(m, i); ++e) count += entry_value(m, i, e) != 0;
  }
  return count;
}

// ---- Rows ----

static void rows_layout(TriboRows* rows, TriboArena* arena, int count, size_t entries) {
  rows->count = count;
  rows->start = tribo_arena_ints(arena, count + 1);
  rows->index = tribo_arena_take(arena, entries, sizeof(int));
  rows->value = tribo_arena_take(arena, entries, sizeof(double));
}

// Turns counts at start[i + 1] into starts.
static void add_up(TriboRows* rows) {
  rows->start[0] = 0;
  for (int i = 0; i < rows->count; ++i) rows->start[i + 1] += rows->start[i];
}

// Puts the starts, each moved on to its row's end by filling, back.
static void move_back(TriboRows* rows) {
  for (int i = rows->count; i > 0; --i) rows->start[i] = rows->start[i - 1];
  rows->start[0] = 0;
}

static void gather_columns(const TriboMatrixView* m, TriboRows* rows) {
  memset(rows->start, 0, sizeof(int) * (size_t)(rows->count + 1));
  for (int i = 0; i < m->rows; ++i) {
    for (int e = row_begin(m, i); e < row_end(m, i); ++e) {
      if (entry_value(m, i, e) != 0) ++rows->start[entry_column(m, e) + 1];
    }
  }
  add_up(rows);
  for (int i = 0; i < m->rows; ++i) {
    for (int e = row_begin(m, i); e < row_end(m, i); ++e) {
      if (entry_value(m, i, e) == 0) continue;
      const int at = rows->start[entry_column(m, e)]++;
      rows->index[at] = i;
      rows->value[at] = entry_value(m, i, e);
    }
  }
  move_back(rows);
}

static void transpose(const TriboRows* from, TriboRows* to) {
  memset(to->start, 0, sizeof(int) * (size_t)(to->count + 1));
  for (int e = 0; e < from->start[from->count]; ++e) ++to->start[from->index[e] + 1];
  add_up(to);
  for (int i = 0; i < from->count; ++i) {
    for (int e = from->start[i]; e < from->start[i + 1]; ++e) {
      const int at = to->start[from->index[e]]++;
      to->index[at] = i;
      to->value[at] = from->value[e];
    }
  }
  move_back(to);
}

// ---- The factor ----

// Whether M has entries on one side of its diagonal only.
static bool is_triangle(const TriboMatrixView* M) {
  bool above = false, below = false;
  for (int i = 0; i < M->rows; ++i) {
    for (int e = row_begin(M, i); e < row_end(M, i); ++e) {
      if (entry_value(M, i, e) == 0) continue;
      above |= entry_column(M, e) > i;
      below |= entry_column(M, e) < i;
    }
  }
  return above != below;
}

// M + M^T by rows, x being free: halved, or with the diagonal halved where M is a triangle.
// False when M is neither symmetric nor a triangle.
static bool mirror(TriboMass* mass) {
  const TriboMatrixView* view = &mass->problem->M;
  const double half = is_triangle(view) ? 1 : 0.5;
  double most = 0, apart = 0;
  TriboRows* M = &mass->M;
  M->start[0] = 0;
  for (int i = 0; i < mass->nv; ++i) {
    memset(mass->x, 0, sizeof(double) * (size_t)mass->nv);
    memset(mass->y, 0, sizeof(double) * (size_t)mass->nv);
    for (int e = row_begin(view, i); e < row_end(view, i); ++e) {
      mass->x[entry_column(view, e)] = entry_value(view, i, e);
    }
    tribo_row_axpy(&mass->Mt, i, 1, mass->y);
    int at = M->start[i];
    for (int j = 0; j < mass->nv; ++j) {
      most = fmax(most, fabs(mass->x[j]));
      if (half < 1) apart = fmax(apart, fabs(mass->x[j] - mass->y[j]));
      const double value = i == j ? mass->x[j] : half * (mass->x[j] + mass->y[j]);
      if (value == 0) continue;
      M->index[at] = j;
      M->value[at++] = value;
    }
    M->start[i + 1] = at;
  }
  return apart <= 1e-9 * most;
}

static TriboStatus factor_mass(TriboMass* mass) {
  const TriboRows* M = &mass->M;
  tribo_block_lu_begin(mass->lu, mass->nv);
  for (int i = 0; i < mass->nv; ++i) {
    for (int e = M->start[i]; e < M->start[i + 1]; ++e) {
      tribo_block_lu_join(mass->lu, i, M->index[e]);
    }
  }
  tribo_block_lu_analyze(mass->lu);
  for (int i = 0; i < mass->nv; ++i) {
    for (int e = M->start[i]; e < M->start[i + 1]; ++e) {
      *tribo_block_lu_at(mass->lu, i, M->index[e]) = M->value[e];
    }
  }
  const TriboStatus status = tribo_block_lu_factor(mass->lu);
  for (int i = 0; i < mass->nv && status == TRIBO_OK; ++i) {
    if (!(tribo_block_lu_pivot(mass->lu, i) > 0)) return TRIBO_ERROR_SINGULAR;
  }
  return status;
}

// x <- G^-1 x
static void half_solve(const TriboMass* mass, double* x) {
  tribo_block_lu_forward(mass->lu, x);
  for (int i = 0; i < mass->nv; ++i) x[i] /= sqrt(tribo_block_lu_pivot(mass->lu, i));
}

// Row i of J into mass->x; returns how many entries are not zero.
static int mass_row(TriboMass* mass, int i) {
  memset(mass->x, 0, sizeof(double) * (size_t)mass->nv);
  tribo_row_axpy(&mass->Ht, i, 1, mass->x);
  half_solve(mass, mass->x);
  int count = 0;
  for (int j = 0; j < mass->nv; ++j) count += mass->x[j] != 0;
  return count;
}

// Row i of W into mass->sums, through the coordinates that it shares with others; returns how many
// entries are not zero.
static int delassus_row(TriboMass* mass, int i) {
  memset(mass->sums, 0, sizeof(double) * (size_t)mass->n);
  for (int e = mass->J.start[i]; e < mass->J.start[i + 1]; ++e) {
    tribo_row_axpy(&mass->Jt, mass->J.index[e], mass->J.value[e], mass->sums);
  }
  int count = 0;
  for (int j = 0; j < mass->n; ++j) count += mass->sums[j] != 0;
  return count;
}

static void append(TriboRows* rows, int i, const double* values, int columns) {
  int at = rows->start[i];
  for (int j = 0; j < columns; ++j) {
    if (values[j] == 0) continue;
    rows->index[at] = j;
    rows->value[at++] = values[j];
  }
  rows->start[i + 1] = at;
}

// ---- Creation, in three blocks as their sizes become known ----

static void first_layout(TriboMass* mass, TriboArena* arena, size_t entries) {
  mass->lu = tribo_block_lu_init(arena, mass->nv, 1);
  mass->x = tribo_arena_doubles(arena, mass->nv);
  mass->y = tribo_arena_doubles(arena, mass->nv);
  mass->rest = tribo_arena_doubles(arena, mass->nv);
  mass->q = tribo_arena_doubles(arena, mass->n);
  mass->sums = tribo_arena_doubles(arena, mass->n);
  rows_layout(&mass->Ht, arena, mass->n, entries);
  const size_t given = count_entries(&mass->problem->M);
  rows_layout(&mass->Mt, arena, mass->nv, given);
  rows_layout(&mass->M, arena, mass->nv, 2 * given);
}

static void second_layout(TriboMass* mass, TriboArena* arena, size_t entries) {
  rows_layout(&mass->J, arena, mass->n, entries);
  rows_layout(&mass->Jt, arena, mass->nv, entries);
}

static void third_layout(TriboMass* mass, TriboArena* arena, size_t entries) {
  rows_layout(&mass->W, arena, mass->n, entries);
}

static bool carve(TriboMass* mass, int b, size_t entries,
                  void (*layout)(TriboMass*, TriboArena*, size_t)) {
  TriboArena arena = tribo_arena_measure();
  layout(mass, &arena, entries);
  mass->bytes[b] = arena.used;
  mass->block[b] = tribo_allocate(mass->allocator, arena.used);
  if (mass->block[b] == NULL) return false;
  arena = tribo_arena_over(mass->block[b], mass->bytes[b]);
  layout(mass, &arena, entries);
  return true;
}

static TriboStatus fill(TriboMass* mass) {
  const TriboGlobalProblem* p = mass->problem;
  if (!carve(mass, 0, count_entries(&p->H), first_layout)) return TRIBO_ERROR_MEMORY;
  gather_columns(&p->H, &mass->Ht);
  gather_columns(&p->M, &mass->Mt);
  if (!mirror(mass)) return TRIBO_ERROR_ARGUMENT;
  const TriboStatus status = factor_mass(mass);
  if (status != TRIBO_OK) return status;

  size_t entries = 0;
  for (int i = 0; i < mass->n; ++i) entries += (size_t)mass_row(mass, i);
  if (!carve(mass, 1, entries, second_layout)) return TRIBO_ERROR_MEMORY;
  mass->J.start[0] = 0;
  for (int i = 0; i < mass->n; ++i) {
    (void)mass_row(mass, i);
    append(&mass->J, i, mass->x, mass->nv);
  }
  transpose(&mass->J, &mass->Jt);

  entries = 0;
  for (int i = 0; i < mass->n; ++i) entries += (size_t)delassus_row(mass, i);
  if (!carve(mass, 2, entries, third_layout)) return TRIBO_ERROR_MEMORY;
  mass->W.start[0] = 0;
  for (int i = 0; i < mass->n; ++i) {
    (void)delassus_row(mass, i);
    append(&mass->W, i, mass->sums, mass->n);
  }
  memcpy(mass->x, p->f, sizeof(double) * (size_t)mass->nv);
  half_solve(mass, mass->x);
  for (int i = 0; i < mass->n; ++i) mass->q[i] = p->b[i] + tribo_row_dot(&mass->J, i, mass->x);
  return TRIBO_OK;
}

TriboStatus tribo_mass_create(const TriboAllocator* allocator, const TriboGlobalProblem* problem,
                              TriboMass** result) {
  *result = NULL;
  if (problem->M.rows > MOST_VELOCITIES) return TRIBO_ERROR_CAPACITY;
  TriboMass* mass = tribo_allocate(allocator, sizeof *mass);
  if (mass == NULL) return TRIBO_ERROR_MEMORY;
  memset(mass, 0, sizeof *mass);
  mass->allocator = allocator;
  mass->problem = problem;
  mass->nv = problem->M.rows;
  mass->n = problem->contacts * problem->size;
  const TriboStatus status = fill(mass);
  if (status != TRIBO_OK) {
    tribo_mass_destroy(mass);
    return status;
  }
  *result = mass;
  return TRIBO_OK;
}

void tribo_mass_destroy(TriboMass* mass) {
  if (mass == NULL) return;
  for (int b = 0; b < BLOCKS; ++b) {
    if (mass->block[b] != NULL) tribo_release(mass->allocator, mass->block[b], mass->bytes[b]);
  }
  tribo_release(mass->allocator, mass, sizeof *mass);
}

const TriboRows* tribo_mass_delassus(const TriboMass* mass) { return &mass->W; }
const double* tribo_mass_free(const TriboMass* mass) { return mass->q; }
const TriboRows* tribo_mass_rows(const TriboMass* mass) { return &mass->J; }

// Largest entry.
static double largest(const double* x, int count) {
  double most = 0;
  for (int i = 0; i < count; ++i) most = fmax(most, fabs(x[i]));
  return most;
}

double tribo_mass_velocity(TriboMass* mass, const double* r, double* v) {
  const TriboGlobalProblem* p = mass->problem;
  const size_t bytes = sizeof(double) * (size_t)mass->nv;
  double *force = mass->y, *rest = mass->rest, *x = mass->x;
  memcpy(force, p->f, bytes);
  for (int i = 0; i < mass->n; ++i) tribo_row_axpy(&mass->Ht, i, r[i], force);
  memset(x, 0, bytes);
  memcpy(rest, force, bytes);
  // The solve and one refinement.
  for (int pass = 0; pass < 2; ++pass) {
    tribo_block_lu_solve(mass->lu, rest);
    for (int i = 0; i < mass->nv; ++i) x[i] += rest[i];
    memcpy(rest, force, bytes);
    for (int i = 0; i < mass->nv; ++i) rest[i] -= tribo_row_dot(&mass->M, i, x);
  }
  if (v != NULL) memcpy(v, x, bytes);
  // Forces may cancel: their parts set the scale.
  double scale = largest(p->f, mass->nv);
  for (int i = 0; i < mass->n; ++i) {
    for (int e = mass->Ht.start[i]; e < mass->Ht.start[i + 1]; ++e) {
      scale = fmax(scale, fabs(mass->Ht.value[e] * r[i]));
    }
  }
  return scale > 0 ? largest(rest, mass->nv) / scale : 0;
}
