// SPDX-License-Identifier: Apache-2.0
//
// The public forms of contact problems by matrices, checked and brought to sparse W and q.
//
// The global form: M = L L^T by sparse Cholesky, rows J = (L^-1 H)^T, and W = J J^T,
// q = b + J L^-1 f. In mass coordinates a tree's or a pile's rows are short, and so W is sparse.
#include "solvers/tribo_solvers.h"

#include <math.h>
#include <string.h>

#include "engine/base/arena.h"
#include "solvers/mass.h"
#include "solvers/matrix_solve.h"

// Sizes and finiteness of a matrix.
static TriboStatus check_view(const TriboMatrixView* m, int rows, int columns) {
  if (m->rows != rows || m->columns != columns || m->value == NULL) return TRIBO_ERROR_ARGUMENT;
  if (m->start == NULL) {
    for (size_t i = 0; i < (size_t)rows * (size_t)columns; ++i) {
      if (!isfinite(m->value[i])) return TRIBO_ERROR_NOT_FINITE;
    }
    return TRIBO_OK;
  }
  if (m->index == NULL || m->start[0] < 0) return TRIBO_ERROR_ARGUMENT;
  for (int i = 0; i < rows; ++i) {
    if (m->start[i + 1] < m->start[i]) return TRIBO_ERROR_ARGUMENT;
    for (int e = m->start[i]; e < m->start[i + 1]; ++e) {
      if (m->index[e] < 0 || m->index[e] >= columns) return TRIBO_ERROR_ARGUMENT;
      if (e > m->start[i] && m->index[e] <= m->index[e - 1]) return TRIBO_ERROR_ARGUMENT;
      if (!isfinite(m->value[e])) return TRIBO_ERROR_NOT_FINITE;
    }
  }
  return TRIBO_OK;
}

static TriboStatus check_sizes(int contacts, int size) {
  const bool fits = contacts >= 1 && contacts <= (1 << 20) && (size == 2 || size == 3);
  return fits ? TRIBO_OK : TRIBO_ERROR_ARGUMENT;
}

static size_t view_entries(const TriboMatrixView* m) {
  if (m->start != NULL) return (size_t)m->start[m->rows];
  size_t count = 0;
  for (size_t i = 0; i < (size_t)m->rows * (size_t)m->columns; ++i) count += m->value[i] != 0;
  return count;
}

// Compressed rows of a view, zeros of a dense one left out.
static void gather_view(const TriboMatrixView* m, TriboRows* rows) {
  int at = 0;
  rows->count = m->rows;
  for (int i = 0; i < m->rows; ++i) {
    rows->start[i] = at;
    const int begin = m->start != NULL ? m->start[i] : 0;
    const int end = m->start != NULL ? m->start[i + 1] : m->columns;
    for (int e = begin; e < end; ++e) {
      const double value =
          m->start != NULL ? m->value[e] : m->value[(size_t)i * (size_t)m->columns + (size_t)e];
      if (m->start == NULL && value == 0) continue;
      rows->index[at] = m->start != NULL ? m->index[e] : e;
      rows->value[at++] = value;
    }
  }
  rows->start[m->rows] = at;
}

static void rows_layout(TriboRows* rows, TriboArena* arena, int count, size_t entries) {
  rows->start = tribo_arena_ints(arena, count + 1);
  rows->index = tribo_arena_take(arena, entries, sizeof(int));
  rows->value = tribo_arena_take(arena, entries, sizeof(double));
}

TriboStatus tribo_delassus_solve(const TriboDelassusProblem* problem,
                                 const TriboMatrixOptions* options, const TriboAllocator* allocator,
                                 double* r, TriboMatrixInfo* info) {
  if (problem == NULL || options == NULL || r == NULL || info == NULL || problem->q == NULL ||
      problem->mu == NULL) {
    return TRIBO_ERROR_ARGUMENT;
  }
  *info = (TriboMatrixInfo){.rung = TRIBO_RUNG_COUNT};
  TriboStatus status = check_sizes(problem->contacts, problem->size);
  if (status != TRIBO_OK) return status;
  const int n = problem->contacts * problem->size;
  status = check_view(&problem->W, n, n);
  if (status == TRIBO_OK) status = tribo_matrix_options_validate(options);
  if (status != TRIBO_OK) return status;
  TriboDelassus delassus = {problem->contacts, problem->size, {0, NULL, NULL, NULL},
                            problem->q,        problem->mu,   options->cone,
                            options->facets,   NULL,          0};
  const size_t entries = view_entries(&problem->W);
  TriboArena measure = tribo_arena_measure();
  rows_layout(&delassus.W, &measure, n, entries);
  void* memory = tribo_allocate(allocator, measure.used);
  if (memory == NULL) return TRIBO_ERROR_MEMORY;
  TriboArena arena = tribo_arena_over(memory, measure.used);
  rows_layout(&delassus.W, &arena, n, entries);
  gather_view(&problem->W, &delassus.W);
  status = tribo_delassus_validate(&delassus);
  if (status == TRIBO_OK) status = tribo_matrix_solve(&delassus, options, allocator, r, info);
  tribo_release(allocator, memory, measure.used);
  return status;
}

// ---- The global form ----

TriboStatus tribo_global_solve(const TriboGlobalProblem* problem, const TriboMatrixOptions* options,
                               const TriboAllocator* allocator, double* r, double* v,
                               TriboMatrixInfo* info) {
  if (problem == NULL || options == NULL || r == NULL || info == NULL || problem->f == NULL ||
      problem->b == NULL || problem->mu == NULL) {
    return TRIBO_ERROR_ARGUMENT;
  }
  *info = (TriboMatrixInfo){.rung = TRIBO_RUNG_COUNT};
  TriboStatus status = check_sizes(problem->contacts, problem->size);
  if (status != TRIBO_OK || problem->M.rows < 1) return TRIBO_ERROR_ARGUMENT;
  const int n = problem->contacts * problem->size, nv = problem->M.rows;
  status = check_view(&problem->M, nv, nv);
  if (status == TRIBO_OK) status = check_view(&problem->H, nv, n);
  if (status == TRIBO_OK) status = tribo_matrix_options_validate(options);
  for (int i = 0; i < nv && status == TRIBO_OK; ++i) {
    if (!isfinite(problem->f[i])) status = TRIBO_ERROR_NOT_FINITE;
  }
  if (status != TRIBO_OK) return status;
  TriboMass* mass = NULL;
  status = tribo_mass_create(allocator, problem, &mass);
  if (status != TRIBO_OK) return status;
  TriboDelassus delassus = {
      problem->contacts,     problem->size,         *tribo_mass_delassus(mass),
      tribo_mass_free(mass), problem->mu,           options->cone,
      options->facets,       tribo_mass_rows(mass), nv};
  status = tribo_delassus_validate(&delassus);
  if (status == TRIBO_OK) status = tribo_matrix_solve(&delassus, options, allocator, r, info);
  const bool answered = isfinite(info->certificate.worst) && info->rung != TRIBO_RUNG_COUNT;
  if (answered) info->certificate.dynamics = tribo_mass_velocity(mass, r, v);
  info->certificate.worst = fmax(info->certificate.worst, info->certificate.dynamics);
  if (status == TRIBO_OK && info->certificate.worst > options->tolerance) {
    status = TRIBO_ERROR_LIMIT;
  }
  tribo_mass_destroy(mass);
  return status;
}
