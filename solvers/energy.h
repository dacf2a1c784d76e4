// SPDX-License-Identifier: Apache-2.0
//
// Contact forces by redistribution [Faure1996]: every iteration gives values to all forces, so that
// it may stop at any time, and says what stopped it. Internal.
//
// The forces returned are always statically consistent: f >= 0 and friction within its disc; what
// is left over shows in the accelerations, and in the certificate. Converges without friction;
// inconsistent configurations alternate without end.
#ifndef TRIBO_SOLVERS_ENERGY_H_
#define TRIBO_SOLVERS_ENERGY_H_

#include "engine/base/arena.h"
#include "solvers/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboEnergyOptions {
  double precision;  // largest correction of any force that remains, relative; 1e-11
  int iterations;    // at most; >= 1; 1000
} TriboEnergyOptions;

typedef enum TriboEnergyStop {
  TRIBO_ENERGY_PRECISION = 0,  // the precision was reached
  TRIBO_ENERGY_ITERATIONS,     // the iterations were used up
} TriboEnergyStop;

typedef struct TriboEnergyResult {
  TriboEnergyStop stop;
  int iterations;     // solutions of a linear system
  double correction;  // the last one, relative
} TriboEnergyResult;

typedef struct TriboEnergySolver TriboEnergySolver;

// 1e-11, 1000.
TriboEnergyOptions tribo_energy_options_default(void);

// For problems of up to that many rows of X, N and T together. NULL while measuring or when the
// arena is full.
TriboEnergySolver* tribo_energy_init(TriboArena* arena, int rows, int groups);

// slip and still as in tribo_dantzig_solve: groups that slide have dynamic friction, NULL: none
// does. Fills all of the solution. TRIBO_OK: the precision stopped it; TRIBO_ERROR_LIMIT: the
// iterations did; TRIBO_ERROR_CAPACITY: nothing is written.
TriboStatus tribo_energy_solve(TriboEnergySolver* energy, const TriboContactProblem* problem,
                               const double* slip, double still, const TriboEnergyOptions* options,
                               TriboContactSolution* solution,
                               TriboEnergyResult* result) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_ENERGY_H_
