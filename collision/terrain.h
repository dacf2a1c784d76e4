// SPDX-License-Identifier: Apache-2.0
//
// Contacts of convex bodies with the triangles of a height field or mesh, as if the surface were
// one and not made of triangles: nothing is felt at the seams. Internal.
#ifndef TRIBO_COLLISION_TERRAIN_H_
#define TRIBO_COLLISION_TERRAIN_H_

#include "collision/contact.h"
#include "collision/convex.h"
#include "collision/shape.h"
#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// The contacts with gap <= margin (m, >= 0) between a height field or mesh (shape 0) and a convex
// body, in the frame of the surface, ascending by feature. The names on the surface's side are its
// vertices, its edges (the smaller 3 t + k of the two sides) and its flat regions (their smallest
// triangle): a point that slides over a seam inside a flat region keeps its name.
// TRIBO_ERROR_CAPACITY: *count is what is needed, or a little more. TRIBO_ERROR_LIMIT as in
// tribo_convex_separation.
TRIBO_CHECKED TriboStatus tribo_terrain_contacts(const TriboShape* terrain, const TriboConvex* body,
                                                 double margin, TriboContact* contacts,
                                                 int capacity, int* count);

// The contact with the smallest gap, however far away. TRIBO_ERROR_INFEASIBLE: no triangle looks at
// the body, which is behind an open mesh or below and beside a height field. TRIBO_ERROR_LIMIT as
// above.
TRIBO_CHECKED TriboStatus tribo_terrain_nearest(const TriboShape* terrain, const TriboConvex* body,
                                                TriboContact* contact);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_TERRAIN_H_
