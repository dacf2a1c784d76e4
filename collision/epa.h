// SPDX-License-Identifier: Apache-2.0
//
// How deep two cores overlap: a polytope inside B - A that grows towards the part of the boundary
// that is closest to the origin [VanDenBergen2001]. Fixed buffers, bounded iterations. Internal.
#ifndef TRIBO_COLLISION_EPA_H_
#define TRIBO_COLLISION_EPA_H_

#include <stdbool.h>

#include "collision/gjk.h"
#include "collision/manifold.h"

#ifdef __cplusplus
extern "C" {
#endif

// Direction and depth of two cores that overlap or nearly touch; the points are left alone.
// `simplex` is where GJK ended. False where B - A has no volume that numbers can tell.
//
// `guess` (may be NULL): a direction, of any length and quality. A good one saves the search for a
// bound of its own; a bad one, or NaN, costs time and changes nothing that is promised here.
//
// The answer is the best direction that was met. It is the global one to 1e-9 of the size unless
// the budget ended first, which takes bodies for which a whole region of directions is nearly
// equally good; then it is the best of the local maxima that are uphill from 32 directions of that
// region.
bool tribo_epa(const TriboConvex* a, const TriboConvex* b, const TriboSimplex* simplex,
               const TriboVec3* guess, TriboSeparation* separation);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_EPA_H_
