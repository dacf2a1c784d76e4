// SPDX-License-Identifier: Apache-2.0
//
// The judge of all solvers: how well a solution meets the conditions of problem.h, from the
// original rows and not from any solver's own state. Internal.
#ifndef TRIBO_SOLVERS_CERTIFICATE_H_
#define TRIBO_SOLVERS_CERTIFICATE_H_

#include "engine/base/contact_types.h"
#include "solvers/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

// y of the solution is recomputed from the impulses for every residual but `dynamics`.
// `scratch` holds ny doubles.
TriboCertificate tribo_certify(const TriboContactProblem* problem, TriboCone cone,
                               const TriboContactSolution* solution, double* scratch);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_CERTIFICATE_H_
