// SPDX-License-Identifier: Apache-2.0
//
// All contacts of two convex bodies, of any kinds. Internal.
#ifndef TRIBO_COLLISION_CONVEX_PAIR_H_
#define TRIBO_COLLISION_CONVEX_PAIR_H_

#include "collision/contact.h"
#include "collision/convex.h"
#include "collision/manifold.h"
#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// The contacts with gap <= margin (m) between a (shape 0) and b, in the frame of the query, which
// should have its origin near them: digits are lost with the distance from it. They share one
// normal; *count is at most TRIBO_CONTACTS_PER_PAIR. Triangles have no front here: whether b is
// above or below only shows in the normal. TRIBO_ERROR_LIMIT as in tribo_convex_separation.
TRIBO_CHECKED TriboStatus tribo_convex_contacts(const TriboConvex* a, const TriboConvex* b,
                                                double margin,
                                                TriboContact contacts[TRIBO_CONTACTS_PER_PAIR],
                                                int* count);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_CONVEX_PAIR_H_
