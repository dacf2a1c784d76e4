// SPDX-License-Identifier: Apache-2.0
//
// Turning the facets of the friction polygons, by which a sequence of polygons meets the round cone
// where Newton's method does not arrive. Internal; tribo_contact_solve (solve.h) is what the engine
// calls.
#ifndef TRIBO_SOLVERS_CONE_H_
#define TRIBO_SOLVERS_CONE_H_

#include "solvers/scaled.h"

#ifdef __cplusplus
extern "C" {
#endif

// Turns the polygon of every group that slides at velocity y, so that one of its facets opposes the
// sliding; `damped` goes half of the way. turn: (cos, sin) per group, in and out (2 ng), as
// TriboLemkeOptions has it.
void tribo_cone_turn(const TriboScaled* scaled, const double* y, bool damped, double* turn);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_CONE_H_
