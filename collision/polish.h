// SPDX-License-Identifier: Apache-2.0
//
// From a nearly right direction between two cores to the right one. Internal.
#ifndef TRIBO_COLLISION_POLISH_H_
#define TRIBO_COLLISION_POLISH_H_

#include "collision/convex.h"
#include "collision/gjk.h"
#include "engine/base/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// The distance that the unit vector d, from a to b, shows: the lowest point of b along d above the
// highest of a (m); negative where they overlap along d. No direction shows more than the distance
// of the cores, or, where they overlap, more than minus their depth.
double tribo_distance_along(const TriboConvex* a, const TriboConvex* b, TriboVec3 d);

// Turns the unit vector *d to the local maximum of the distance that it shows, and returns that
// distance; never less than at the start. `points` (1 to 3) are support points of B - A around *d:
// where they are different corners of one polyhedron, an edge or face of it is what touches, and d
// stays at right angles to it.
double tribo_direction_polish(const TriboConvex* a, const TriboConvex* b,
                              const TriboDifferencePoint* points, int count, TriboVec3* d);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_POLISH_H_
