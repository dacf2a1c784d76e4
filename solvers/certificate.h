// SPDX-License-Identifier: Apache-2.0
//
// The judge of all solvers: how well a solution meets the conditions of problem.h, from the
// original rows and not from any solver's own state. Internal.
//
// Scales are those of TriboCertificate. Why the velocity scale looks at the impulses: a row's
// velocity is N_i . (k + sum row_j f_j), and however exact the f_j were, as doubles each is off by
// up to u |f_j|, u = 2^-53, which moves N_i . y+ by up to
//
//   |N_i| sum_j u |row_j| |f_j|  <=  n u |N_i| S
//
// for n pushing rows; adding them up rounds as much again. With walls that are parallel but for
// 1e-8 the exact impulses are 1e8 times the load, and no set of doubles need exist that moves a row
// by less than 1e-9 |k|. So a velocity below 4 u S is not told from zero: with the tolerance 1e-9
// the scale is at least (4 u/1e-9) S = 4.4e-7 S. Nothing changes for impulses up to 2e6 times the
// largest velocity, and beyond the figure still refuses what is wrong by more than the rounding of
// its own impulses. For the same reason a slip s, which may be wrong by 4 u |row| S, has a
// direction within 4 u |row| S/|s|: friction may be that far, times R, from where this s wants it.
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
