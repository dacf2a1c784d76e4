// SPDX-License-Identifier: Apache-2.0
//
// What the backends of factor.h have in common: the table of active rows and the operations that
// differ. Internal to the factor.
#ifndef TRIBO_SOLVERS_FACTOR_BACKEND_H_
#define TRIBO_SOLVERS_FACTOR_BACKEND_H_

#include "solvers/factor.h"

#ifdef __cplusplus
extern "C" {
#endif

// The operations of factor.h that differ. The table of active rows is up to the backend, so that it
// can choose the positions.
typedef struct TriboFactorOperations {
  void (*clear)(TriboFactor* factor);
  TriboStatus (*add)(TriboFactor* factor, int slot, TriboFactorRow row, double refuse);
  // The same for the row that was projected last, with its half solve in factor->half; may be NULL.
  TriboStatus (*add_projected)(TriboFactor* factor, int slot, TriboFactorRow row, double refuse);
  int (*add_all)(TriboFactor* factor, int count, const int* slots, const TriboFactorRow* rows,
                 double refuse, int* refused);
  void (*remove)(TriboFactor* factor, int slot);
  TriboStatus (*update)(TriboFactor* factor, const double* v, int sign, double refuse);
  // Both in place on a vector by position.
  void (*forward)(TriboFactor* factor, double* x);
  void (*backward)(TriboFactor* factor, double* x);
  double (*condition)(const TriboFactor* factor);
} TriboFactorOperations;

enum { TRIBO_FACTOR_PANEL = 4 };  // rows whose Gram entries are computed together

// The first member of every backend.
struct TriboFactor {
  TriboFactorBackend backend;
  const TriboFactorOperations* operations;
  int ny;
  int capacity;         // slots
  int most;             // rows that fit the tables
  int count;            // active rows
  int* slot;            // slot at each position                                     (most)
  int* position;        // position of each slot, -1 inactive                        (capacity)
  TriboFactorRow* row;  // by position                                               (most)
  double* work;         // PANEL scattered rows, interleaved; all 0 between calls    (PANEL ny)
  double* vector;       // by position                                               (most + 1)
  double* half;         // L^-1 W w of the row projected last, by position           (most + 1)
  double length2;       // |w|^2 of that row
};

// Carves the common arrays.
void tribo_factor_layout(TriboFactor* factor, TriboArena* arena);

// Forgets all rows and zeroes the work vector.
void tribo_factor_reset(TriboFactor* factor);

// out[i] = row_i . w for the active rows, by position; returns |w|^2.
double tribo_factor_gram(TriboFactor* factor, TriboFactorRow w, double* out);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_FACTOR_BACKEND_H_
