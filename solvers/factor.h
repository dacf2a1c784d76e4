// SPDX-License-Identifier: Apache-2.0
//
// The one factor that all solvers share: Cholesky of the Gram matrix H = W W^T of a changing set of
// sparse rows W in mass coordinates, with add-row, delete-row, rank-1 update and solve. Two
// backends behind one interface: dense (small, no allocation) and CHOLMOD's simplicial LDL^T (large
// islands; factor_cholmod.h). Internal.
//
// Rows are named by slots 0 .. capacity - 1 which the caller chooses (for instance the row's number
// in the problem); the order of the factor is its own business. Write H = L L^T in that order.
//
// tribo_factor_clear must be the first call of every use: it makes the factor forget all memory
// that it had before.
#ifndef TRIBO_SOLVERS_FACTOR_H_
#define TRIBO_SOLVERS_FACTOR_H_

#include <stdbool.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboFactor TriboFactor;

typedef enum TriboFactorBackend {
  TRIBO_FACTOR_AUTO = 0,  // by the measured crossover
  TRIBO_FACTOR_DENSE,
  TRIBO_FACTOR_CHOLMOD,
} TriboFactorBackend;

// A sparse row that the factor reads when it is added; the memory must stay while the row is
// active.
typedef struct TriboFactorRow {
  int count;
  const int* index;  // increasing
  const double* value;
} TriboFactorRow;

// Dense backend over an arena, for slots 0 .. capacity - 1 over ny coordinates, so at most
// min(capacity, ny) active rows. NULL while measuring or when the arena is full.
TriboFactor* tribo_factor_init_dense(TriboArena* arena, int ny, int capacity);

// Candidate rows from which CHOLMOD is faster than the dense backend in a whole solve that pivots
// from nothing, its analysis included (`tribo bench factor`: rows are contacts without friction
// there; 325 take 23 ms dense and 33 with CHOLMOD, 576 165 and 107, 2025 9.6 and 2.5 s, on a busy
// machine). In a warm solve, one factorization, it is ahead from 325 on.
enum { TRIBO_FACTOR_CROSSOVER = 500 };

// What TRIBO_FACTOR_AUTO means for an island of that many candidate rows.
static inline TriboFactorBackend tribo_factor_choose(int rows) {
  return rows >= TRIBO_FACTOR_CROSSOVER ? TRIBO_FACTOR_CHOLMOD : TRIBO_FACTOR_DENSE;
}

TriboFactorBackend tribo_factor_backend(const TriboFactor* factor);

// Empties the factor.
void tribo_factor_clear(TriboFactor* factor);

// Number of active rows, and the slot at each position of the factor's own order.
int tribo_factor_count(const TriboFactor* factor);
const int* tribo_factor_slots(const TriboFactor* factor);
bool tribo_factor_has(const TriboFactor* factor, int slot);

// Adds a row. Refused with TRIBO_ERROR_SINGULAR, the factor unchanged, when the new pivot
// d^2 = |w|^2 - |projection on the active rows|^2 is at most `refuse` times |w|^2.
TriboStatus tribo_factor_add(TriboFactor* factor, int slot, TriboFactorRow row,
                             double refuse) TRIBO_CHECKED;

// Adds `count` rows, rows[i] in slot slots[i], at once: much cheaper than one at a time, and a
// fresh factorization when the factor was empty. Slots of rows that depend on the others are
// written to refused (count ints); returns how many. Which of several dependent rows is refused is
// the factor's choice.
int tribo_factor_add_all(TriboFactor* factor, int count, const int* slots,
                         const TriboFactorRow* rows, double refuse, int* refused);

// Deletes an active row.
void tribo_factor_delete(TriboFactor* factor, int slot);

// H <- H + sign v v^T over the active rows, v by slot, sign +1 or -1. Rows added later do not see
// v. A downdate that leaves at most `refuse` of the determinant returns TRIBO_ERROR_SINGULAR, the
// factor unchanged.
TriboStatus tribo_factor_update(TriboFactor* factor, const double* v, int sign,
                                double refuse) TRIBO_CHECKED;

// H z = rhs over the active rows. rhs and z are indexed by slot; entries of inactive slots are not
// touched. In place is allowed.
void tribo_factor_solve(TriboFactor* factor, const double* rhs, double* z);

// The two halves of a solve: half = L^-1 rhs and z = L^-T half. half is indexed by position in
// tribo_factor_slots, so half . half' = rhs . H^-1 rhs'.
void tribo_factor_half_solve(TriboFactor* factor, const double* rhs, double* half);
void tribo_factor_half_solve_transposed(TriboFactor* factor, const double* half, double* z);

// r = H^-1 W w, by slot, for a row that is not active, and rest = w - W^T r (ny, or NULL), what w
// has outside the span of the active rows. Returns |rest|^2, computed from that difference and so
// without cancellation.
double tribo_factor_project(TriboFactor* factor, TriboFactorRow row, double* r, double* rest);

// Adds the row that was projected last, when nothing changed since: at half the cost.
TriboStatus tribo_factor_add_projected(TriboFactor* factor, int slot, TriboFactorRow row,
                                       double refuse) TRIBO_CHECKED;

// The squares of the smallest and largest pivot, divided: a cheap estimate of 1/cond(H). 1 when
// empty.
double tribo_factor_condition(const TriboFactor* factor);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_FACTOR_H_
