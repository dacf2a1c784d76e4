// SPDX-License-Identifier: Apache-2.0
//
// Convex bodies against a half-space: closed forms. Internal.
#ifndef TRIBO_COLLISION_PLANE_H_
#define TRIBO_COLLISION_PLANE_H_

#include "collision/contact.h"
#include "collision/convex.h"

#ifdef __cplusplus
extern "C" {
#endif

// The half-space normal . x <= offset.
typedef struct TriboHalfSpace {
  TriboVec3 normal;  // unit
  double offset;     // m
} TriboHalfSpace;

// Contacts with gap <= margin between the half-space (shape 0) and a convex body, at most
// TRIBO_CONTACTS_PER_PAIR: corners of boxes and hulls, ends of capsules, the lowest points of
// curved bodies, the rim of a cylinder. Returns their number.
int tribo_plane_contacts(const TriboHalfSpace* plane, const TriboConvex* body, double margin,
                         TriboContact contacts[TRIBO_CONTACTS_PER_PAIR]);

// The same for a sphere: 0 or 1.
int tribo_plane_sphere(const TriboHalfSpace* plane, TriboVec3 center, double radius, double margin,
                       TriboContact* contact);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_PLANE_H_
