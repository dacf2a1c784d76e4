// SPDX-License-Identifier: Apache-2.0
//
// libccd's portal refinement (MPR) [Snethen2008] on our support functions: a quick guess of how two
// bodies overlap. Internal.
#ifndef TRIBO_COLLISION_LIBCCD_H_
#define TRIBO_COLLISION_LIBCCD_H_

#include <stdbool.h>

#include "collision/convex.h"
#include "engine/base/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// A unit direction d, from a to b, along which the bodies (cores with their radii) overlap, and by
// how much libccd thinks they do (m; `depth` may be NULL). Neither is to be relied on: in about
// half of the overlaps d is not the direction of least overlap. False where libccd finds no overlap
// or no direction, and *d is left alone or is no unit vector.
//
// `tolerance`: how far the portal may be from the surface, as part of the size. `supports`: how
// many support points of the two bodies it may ask for (>= 0); what it has by then is the answer.
// Allocates nothing.
bool tribo_libccd_overlap(const TriboConvex* a, const TriboConvex* b, double tolerance,
                          int supports, double* depth, TriboVec3* d);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_LIBCCD_H_
