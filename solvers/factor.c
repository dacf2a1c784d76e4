// SPDX-License-Identifier: Apache-2.0
//
// What all backends share: the table of active rows, Gram entries, and the solves around a
// backend's triangular solves. A Gram entry is a dot product of two sparse rows: one of them is
// scattered into a dense vector, the other runs over its entries.
#include "solvers/factor.h"

#include <string.h>

#include "engine/base/message.h"
#include "solvers/factor_backend.h"

void tribo_factor_layout(TriboFactor* factor, TriboArena* arena) {
  int ny = factor->ny, most = factor->most;
  factor->slot = tribo_arena_ints(arena, most);
  factor->position = tribo_arena_ints(arena, factor->capacity);
  factor->row = tribo_arena_take(arena, (size_t)most, sizeof *factor->row);
  factor->work = tribo_arena_doubles(arena, TRIBO_FACTOR_PANEL * ny);
  factor->vector = tribo_arena_doubles(arena, most + 1);
  factor->half = tribo_arena_doubles(arena, most + 1);
}

void tribo_factor_reset(TriboFactor* factor) {
  factor->count = 0;
  for (int i = 0; i < factor->capacity; ++i) factor->position[i] = -1;
  memset(factor->work, 0, sizeof(double) * (size_t)(TRIBO_FACTOR_PANEL * factor->ny));
}

static double sparse_dot(TriboFactorRow row, const double* dense) {
  double s0 = 0, s1 = 0;
  int e = 0;
  for (; e + 2 <= row.count; e += 2) {
    s0 += row.value[e] * dense[row.index[e]];
    s1 += row.value[e + 1] * dense[row.index[e + 1]];
  }
  if (e < row.count) s0 += row.value[e] * dense[row.index[e]];
  return s0 + s1;
}

double tribo_factor_gram(TriboFactor* factor, TriboFactorRow w, double* out) {
  double* work = factor->work;
  double length2 = 0;
  for (int e = 0; e < w.count; ++e) {
    work[w.index[e]] = w.value[e];
    length2 += w.value[e] * w.value[e];
  }
  for (int i = 0; i < factor->count; ++i) out[i] = sparse_dot(factor->row[i], work);
  for (int e = 0; e < w.count; ++e) work[w.index[e]] = 0;
  return length2;
}

TriboFactorBackend tribo_factor_backend(const TriboFactor* factor) { return factor->backend; }
int tribo_factor_count(const TriboFactor* factor) { return factor->count; }
const int* tribo_factor_slots(const TriboFactor* factor) { return factor->slot; }
bool tribo_factor_has(const TriboFactor* factor, int slot) { return factor->position[slot] >= 0; }

void tribo_factor_clear(TriboFactor* factor) {
  tribo_factor_reset(factor);
  factor->operations->clear(factor);
}

TriboStatus tribo_factor_add(TriboFactor* factor, int slot, TriboFactorRow row, double refuse) {
  TRIBO_ASSERT(slot >= 0 && slot < factor->capacity && factor->position[slot] < 0);
  // More rows than coordinates are always dependent.
  if (factor->count == factor->most || factor->count == factor->ny) return TRIBO_ERROR_SINGULAR;
  return factor->operations->add(factor, slot, row, refuse);
}

TriboStatus tribo_factor_add_projected(TriboFactor* factor, int slot, TriboFactorRow row,
                                       double refuse) {
  TRIBO_ASSERT(slot >= 0 && slot < factor->capacity && factor->position[slot] < 0);
  if (factor->count == factor->most || factor->count == factor->ny) return TRIBO_ERROR_SINGULAR;
  return factor->operations->add_projected(factor, slot, row, refuse);
}

int tribo_factor_add_all(TriboFactor* factor, int count, const int* slots,
                         const TriboFactorRow* rows, double refuse, int* refused) {
  return factor->operations->add_all(factor, count, slots, rows, refuse, refused);
}

void tribo_factor_delete(TriboFactor* factor, int slot) {
  TRIBO_ASSERT(factor->position[slot] >= 0);
  factor->operations->remove(factor, slot);
}

TriboStatus tribo_factor_update(TriboFactor* factor, const double* v, int sign, double refuse) {
  return factor->operations->update(factor, v, sign, refuse);
}

void tribo_factor_half_solve(TriboFactor* factor, const double* rhs, double* half) {
  for (int i = 0; i < factor->count; ++i) half[i] = rhs[factor->slot[i]];
  factor->operations->forward(factor, half);
}

void tribo_factor_half_solve_transposed(TriboFactor* factor, const double* half, double* z) {
  double* x = factor->vector;
  memcpy(x, half, sizeof(double) * (size_t)factor->count);
  factor->operations->backward(factor, x);
  for (int i = 0; i < factor->count; ++i) z[factor->slot[i]] = x[i];
}

void tribo_factor_solve(TriboFactor* factor, const double* rhs, double* z) {
  double* x = factor->vector;
  for (int i = 0; i < factor->count; ++i) x[i] = rhs[factor->slot[i]];
  factor->operations->forward(factor, x);
  factor->operations->backward(factor, x);
  for (int i = 0; i < factor->count; ++i) z[factor->slot[i]] = x[i];
}

double tribo_factor_project(TriboFactor* factor, TriboFactorRow row, double* r, double* along) {
  double* x = factor->vector;
  double* rest = factor->work;
  factor->length2 = tribo_factor_gram(factor, row, x);
  factor->operations->forward(factor, x);
  memcpy(factor->half, x, sizeof(double) * (size_t)factor->count);
  factor->operations->backward(factor, x);
  // rest = w - W^T r
  for (int e = 0; e < row.count; ++e) rest[row.index[e]] = row.value[e];
  for (int i = 0; i < factor->count; ++i) {
    TriboFactorRow active = factor->row[i];
    r[factor->slot[i]] = x[i];
    for (int e = 0; e < active.count; ++e) rest[active.index[e]] -= x[i] * active.value[e];
  }
  if (along != NULL) memcpy(along, rest, sizeof(double) * (size_t)factor->ny);
  // Taking the square and zeroing the work vector again, in one pass over its coordinates.
  double length2 = 0;
  for (int i = 0; i < factor->ny; ++i) {
    length2 += rest[i] * rest[i];
    rest[i] = 0;
  }
  return length2;
}

double tribo_factor_condition(const TriboFactor* factor) {
  return factor->count == 0 ? 1 : factor->operations->condition(factor);
}
