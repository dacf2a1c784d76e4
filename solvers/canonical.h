// SPDX-License-Identifier: Apache-2.0
//
// Canonical impulses: where contacts are redundant the velocity y+ is given but the impulses are
// not. Of all impulses that make this y+ and obey the round law, those with the least
//
//   sum x_i^2 + sum f_i^2 + sum |t_g|^2           (in the problem's own units)
//
// which are unique, and the same for any order of rows. Internal.
#ifndef TRIBO_SOLVERS_CANONICAL_H_
#define TRIBO_SOLVERS_CANONICAL_H_

#include "solvers/convex.h"

#ifdef __cplusplus
extern "C" {
#endif

// `solution` holds an answer to the round law, y included; its impulses and modes are replaced by
// the canonical ones. Contacts that touch (N y - b within `rest`, relative to |N| and the largest
// velocity) may push even where they did not; a group sticks where its slip is within `rest`, and
// otherwise opposes it. Of a normal with several groups the first one with mu > 0 and no bound is
// chosen anew and the others, like groups with a bound, keep their impulses. TRIBO_OK: the impulses
// make y+ to rounding; TRIBO_ERROR_LIMIT: not, and the solution is as it was. TRIBO_ERROR_CAPACITY,
// TRIBO_ERROR_SINGULAR: as it was.
TriboStatus tribo_canonical_impulses(TriboConvex* convex, const TriboContactProblem* problem,
                                     double rest, TriboContactSolution* solution,
                                     int* iterations) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_CANONICAL_H_
