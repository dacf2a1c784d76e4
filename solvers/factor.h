// SPDX-License-Identifier: Apache-2.0
//
// The one factor that all solvers share: Cholesky of the Gram matrix H = W W^T of a changing set of
// sparse rows W in mass coordinates, with add-row, delete-row, rank-1 update and solve. Two
// backends behind one interface: dense (small, no allocation) and CHOLMOD's simplicial LDL^T (large
// islands). Internal.
//
// Rows are named by slots 0 .. capacity - 1 which the caller chooses (for instance the row's number
// in the problem); the order of the factor is its own business.
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

// Dense backend over an arena, for at most `capacity` active rows over ny coordinates. NULL while
// measuring or when the arena is full.
TriboFactor* tribo_factor_init_dense(TriboArena* arena, int ny, int capacity);

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

// Deletes an active row.
void tribo_factor_delete(TriboFactor* factor, int slot);

// H z = rhs over the active rows. rhs and z are indexed by slot; entries of inactive slots are not
// touched. In place is allowed.
void tribo_factor_solve(TriboFactor* factor, const double* rhs, double* z);

// Smallest over largest pivot squared: a cheap estimate of 1/cond(H).
double tribo_factor_condition(const TriboFactor* factor);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_FACTOR_H_
