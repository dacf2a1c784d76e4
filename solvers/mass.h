// SPDX-License-Identifier: Apache-2.0
//
// From the global form M v = H r + f, u = H^T v + b to the Delassus form, sparse. Internal.
#ifndef TRIBO_SOLVERS_MASS_H_
#define TRIBO_SOLVERS_MASS_H_

#include "solvers/problem.h"
#include "solvers/tribo_solvers.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboMass TriboMass;

// Factors M and forms W and q of a checked problem, which must outlive it. TRIBO_ERROR_ARGUMENT: M
// is not symmetric. TRIBO_ERROR_SINGULAR: M is not positive definite. TRIBO_ERROR_CAPACITY: more
// than 8000 velocities. TRIBO_ERROR_MEMORY.
TriboStatus tribo_mass_create(const TriboAllocator* allocator, const TriboGlobalProblem* problem,
                              TriboMass** mass) TRIBO_CHECKED;
void tribo_mass_destroy(TriboMass* mass);

// W = H^T M^-1 H and q = H^T M^-1 f + b.
const TriboRows* tribo_mass_delassus(const TriboMass* mass);
const double* tribo_mass_free(const TriboMass* mass);

// The rows of H^T in mass coordinates, W = J J^T.
const TriboRows* tribo_mass_rows(const TriboMass* mass);

// v = M^-1 (H r + f), into v unless that is NULL. Returns what is left of the equation, relative.
double tribo_mass_velocity(TriboMass* mass, const double* r, double* v);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_MASS_H_
