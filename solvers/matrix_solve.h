// SPDX-License-Identifier: Apache-2.0
//
// What the two forms of contact problems by matrices (tribo_solvers.h) share: one checked problem
// with sparse W, and the ladder of solvers on it. Internal.
#ifndef TRIBO_SOLVERS_MATRIX_SOLVE_H_
#define TRIBO_SOLVERS_MATRIX_SOLVE_H_

#include "solvers/delassus.h"
#include "solvers/tribo_solvers.h"

#ifdef __cplusplus
extern "C" {
#endif

// Solves a valid Delassus problem (its cone and facets are those of the options) as
// tribo_delassus_solve says.
TriboStatus tribo_matrix_solve(const TriboDelassus* problem, const TriboMatrixOptions* options,
                               const TriboAllocator* allocator, double* r,
                               TriboMatrixInfo* info) TRIBO_CHECKED;

// Ranges of the options, and whether the solver fits the model: TRIBO_ERROR_ARGUMENT.
TriboStatus tribo_matrix_options_validate(const TriboMatrixOptions* options) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_MATRIX_SOLVE_H_
