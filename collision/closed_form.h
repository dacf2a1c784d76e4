// SPDX-License-Identifier: Apache-2.0
//
// Separations that have a formula: a point against anything but a hull, two segments. Internal.
#ifndef TRIBO_COLLISION_CLOSED_FORM_H_
#define TRIBO_COLLISION_CLOSED_FORM_H_

#include <stdbool.h>

#include "collision/manifold.h"

#ifdef __cplusplus
extern "C" {
#endif

// False, with nothing written, where there is no formula for the pair. a->kind <= b->kind.
bool tribo_closed_form(const TriboConvex* a, const TriboConvex* b, TriboSeparation* separation);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_CLOSED_FORM_H_
