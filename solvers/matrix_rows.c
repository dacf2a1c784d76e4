// SPDX-License-Identifier: Apache-2.0
//
// Rows J with W = J J^T for matrix_psd.c: as the global form has them, or by a factorization of W
// (expand.h); and the memory of everything that works on them.
#include <string.h>

#include "solvers/factor_cholmod.h"
#include "solvers/matrix_psd_state.h"

// ---- Rows ----

static void known_layout(Psd* psd, TriboArena* arena, const TriboDelassus* p) {
  const int n = p->W.count, contacts = p->contacts, tangents = n - contacts;
  const int entries = p->J->start[n];
  TriboContactProblem* problem = &psd->problem;
  *problem = (TriboContactProblem){.ny = p->ny, .ng = contacts};
  problem->k = tribo_arena_doubles(arena, p->ny);
  problem->X.start = tribo_arena_ints(arena, 1);
  int* index = tribo_arena_ints(arena, entries);
  double* value = tribo_arena_doubles(arena, entries);
  problem->N = (TriboRows){contacts, tribo_arena_ints(arena, contacts + 1), index, value};
  problem->T = (TriboRows){tangents, tribo_arena_ints(arena, tangents + 1), index, value};
  psd->targets = tribo_arena_doubles(arena, n);
  problem->id_N = tribo_arena_take(arena, (size_t)contacts, sizeof(uint64_t));
  problem->group = tribo_arena_take(arena, (size_t)contacts, sizeof(TriboFrictionGroup));
  psd->solution.y = tribo_arena_doubles(arena, p->ny);
  psd->solution.x = tribo_arena_doubles(arena, 1);
  psd->solution.f = tribo_arena_doubles(arena, contacts);
  psd->solution.t = tribo_arena_doubles(arena, tangents);
  psd->solution.mode_N = tribo_arena_take(arena, (size_t)contacts, sizeof(TriboMode));
  psd->solution.mode_g = tribo_arena_take(arena, (size_t)contacts, sizeof(TriboMode));
}

// The rows of J that are `first` of their contact and those after it, up to `count`.
static int copy_rows(const TriboDelassus* p, TriboRows* rows, int first, int count, int at) {
  int row = 0;
  for (int i = 0; i < p->W.count; ++i) {
    if (i % p->size < first || i % p->size >= first + count) continue;
    rows->start[row++] = at;
    for (int e = p->J->start[i]; e < p->J->start[i + 1]; ++e, ++at) {
      rows->index[at] = p->J->index[e];
      rows->value[at] = p->J->value[e];
    }
  }
  rows->start[row] = at;
  return at;
}

static void load_known(Psd* psd, const TriboDelassus* p) {
  TriboContactProblem* problem = &psd->problem;
  const int tangents = p->size - 1;
  memset((double*)problem->k, 0, sizeof(double) * (size_t)p->ny);
  problem->X.start[0] = 0;
  problem->b_X = problem->b_N = psd->targets;
  problem->b_T = psd->targets + p->contacts;
  copy_rows(p, &problem->T, 1, tangents, copy_rows(p, &problem->N, 0, 1, 0));
  for (int c = 0; c < p->contacts; ++c) {
    ((uint64_t*)problem->id_N)[c] = (uint64_t)c;
    ((TriboFrictionGroup*)problem->group)[c] =
        (TriboFrictionGroup){c, c * tangents, tangents, tangents == 1 ? 2 : 4, 0, 0};
  }
}

static void dense_layout(Psd* psd, TriboArena* arena, const TriboDelassus* p) {
  tribo_expansion_init(&psd->expansion, arena, p->contacts, p->size);
  psd->W = tribo_arena_take(arena, (size_t)p->W.count * (size_t)p->W.count, sizeof(double));
}

static TriboStatus load_dense(Psd* psd, const TriboDelassus* p) {
  const size_t n = (size_t)p->W.count;
  memset(psd->W, 0, n * n * sizeof(double));
  for (size_t i = 0; i < n; ++i) {
    for (int e = p->W.start[i]; e < p->W.start[i + 1]; ++e) {
      psd->W[i * n + (size_t)p->W.index[e]] = p->W.value[e];
    }
  }
  const TriboStatus status = tribo_expansion_load(&psd->expansion, psd->W, p->q, p->mu, p->facets);
  psd->problem = psd->expansion.problem;
  psd->solution = psd->expansion.solution;
  psd->targets = psd->expansion.b;
  return status;
}

// ---- Memory ----

static void solver_layout(Psd* psd, TriboArena* arena) {
  const TriboContactProblem* p = &psd->problem;
  const int ny = p->ny + p->T.count, rows = p->N.count + p->T.count;
  psd->factor = psd->cholmod;
  if (psd->factor == NULL) psd->factor = tribo_factor_init_dense(arena, ny, rows);
  psd->solver = tribo_psd_init(arena, psd->factor, ny, p->T.count, p->N.count);
  const TriboNoslipSizes sizes = {p->ny, 0, p->N.count, p->T.count, p->ng, p->T.start[p->T.count]};
  psd->noslip = tribo_noslip_init(arena, psd->solver, sizes);
  psd->compliance = tribo_arena_doubles(arena, p->ng);
  psd->part = tribo_arena_take(arena, (size_t)p->ng, sizeof *psd->part);
  psd->kept = tribo_arena_take(arena, (size_t)p->ng, sizeof *psd->kept);
  psd->grazing = tribo_arena_take(arena, (size_t)p->ng, sizeof *psd->grazing);
  psd->share = tribo_arena_doubles(arena, p->ng);
  psd->balance = tribo_arena_doubles(arena, p->ng);
}

static bool take_block(const TriboMatrixTask* task, Psd* psd, int block, size_t bytes) {
  psd->bytes[block] = bytes;
  psd->memory[block] = tribo_allocate(task->allocator, bytes);
  return psd->memory[block] != NULL;
}

TriboStatus tribo_matrix_open_rows(const TriboMatrixTask* task, Psd* psd) {
  const TriboDelassus* p = task->problem;
  void (*const lay)(Psd*, TriboArena*, const TriboDelassus*) =
      p->J != NULL ? known_layout : dense_layout;
  TriboArena measure = tribo_arena_measure();
  lay(psd, &measure, p);
  if (!take_block(task, psd, 0, measure.used)) return TRIBO_ERROR_MEMORY;
  TriboArena arena = tribo_arena_over(psd->memory[0], psd->bytes[0]);
  lay(psd, &arena, p);
  TriboStatus status = TRIBO_OK;
  if (p->J != NULL) load_known(psd, p);
  if (p->J == NULL) status = load_dense(psd, p);
  if (status != TRIBO_OK) return status;
  const TriboContactProblem* problem = &psd->problem;
  const int rows = problem->N.count + problem->T.count;
  if (p->J != NULL && tribo_factor_choose(rows) == TRIBO_FACTOR_CHOLMOD) {
    psd->cholmod = tribo_factor_cholmod_create(problem->ny + problem->T.count, rows);
  }
  measure = tribo_arena_measure();
  solver_layout(psd, &measure);
  if (!take_block(task, psd, 1, measure.used)) return TRIBO_ERROR_MEMORY;
  arena = tribo_arena_over(psd->memory[1], psd->bytes[1]);
  solver_layout(psd, &arena);
  return TRIBO_OK;
}

void tribo_matrix_close_rows(const TriboMatrixTask* task, Psd* psd) {
  tribo_factor_cholmod_destroy(psd->cholmod);
  for (int block = 0; block < 2; ++block) {
    if (psd->memory[block] != NULL) {
      tribo_release(task->allocator, psd->memory[block], psd->bytes[block]);
    }
  }
}
