// SPDX-License-Identifier: Apache-2.0
//
// Polygons that come up to the round cone where Newton's method does not arrive: each turn adds to
// the polygon of every sliding group the direction against its sliding. Where the answer lies on an
// edge, that is the edge's middle, so that the polygon grows towards the circle just there; where
// it goes to and fro between directions, both stay. Internal; tribo_contact_solve (solve.h) is what
// the engine calls.
#ifndef TRIBO_SOLVERS_CONE_H_
#define TRIBO_SOLVERS_CONE_H_

#include "solvers/lemke.h"

#ifdef __cplusplus
extern "C" {
#endif

// Lays the arrays out; they are NULL while measuring.
void tribo_cone_init(TriboPolygons* polygons, TriboArena* arena, TriboSolverCapacity capacity);

// The regular polygons of a problem.
void tribo_cone_start(const TriboContactProblem* problem, TriboPolygons* polygons);

// Adds the direction against the sliding at velocity y to every group that slides. Where there is
// no room the oldest one that was added goes; `turn` counts the calls.
void tribo_cone_refine(const TriboScaled* scaled, const double* y, int turn,
                       TriboPolygons* polygons);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_CONE_H_
