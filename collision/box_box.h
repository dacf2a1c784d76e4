// SPDX-License-Identifier: Apache-2.0
//
// The best of the 15 directions of two boxes. Internal.
#ifndef TRIBO_COLLISION_BOX_BOX_H_
#define TRIBO_COLLISION_BOX_BOX_H_

#include <stdbool.h>

#include "collision/manifold.h"

#ifdef __cplusplus
extern "C" {
#endif

// The direction, among the faces of a, the faces of b and the pairs of edges, along which two boxes
// (cores of kind TRIBO_CONVEX_BOX) are farthest apart or overlap least. Where they overlap this is
// the penetration depth. Where they are apart, the distance may be larger, between corners and
// edges: no direction of this kind says so. False, with nothing written, where some direction shows
// a distance of more than `limit`.
bool tribo_box_box(const TriboConvex* a, const TriboConvex* b, double limit,
                   TriboSeparation* separation);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_BOX_BOX_H_
