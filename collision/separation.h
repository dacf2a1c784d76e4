// SPDX-License-Identifier: Apache-2.0
//
// Signed distance and normal of two convex cores: the method that is right for each pair. Internal.
#ifndef TRIBO_COLLISION_SEPARATION_H_
#define TRIBO_COLLISION_SEPARATION_H_

#include <stdbool.h>

#include "collision/convex.h"
#include "collision/manifold.h"
#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Fills `separation` of the cores, without their radii. Where the distance is more than `limit` it
// may be only some distance > limit that a direction proves. TRIBO_ERROR_LIMIT: no direction was
// found, which only numbers that are no longer finite can bring about.
TRIBO_CHECKED TriboStatus tribo_convex_separation(const TriboConvex* a, const TriboConvex* b,
                                                  double limit, TriboSeparation* separation);

// For segments, triangles and boxes (not two segments) only: the direction, among faces and pairs
// of edges, that shows most distance. Where the cores overlap it is the separation. False, with no
// separation, where some direction shows more than `limit`.
bool tribo_polyhedra_axis(const TriboConvex* a, const TriboConvex* b, double limit,
                          TriboSeparation* separation);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_SEPARATION_H_
