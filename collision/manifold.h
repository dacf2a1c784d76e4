// SPDX-License-Identifier: Apache-2.0
//
// From one direction to all contact points of two convex bodies. Internal.
#ifndef TRIBO_COLLISION_MANIFOLD_H_
#define TRIBO_COLLISION_MANIFOLD_H_

#include <stdbool.h>

#include "collision/contact.h"
#include "collision/convex.h"
#include "engine/base/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// How two cores (without their radii) lie to each other.
typedef struct TriboSeparation {
  TriboVec3 normal;   // unit, from a to b: where they are farthest apart, or overlap least
  double distance;    // along the normal (m); < 0: how deep the cores overlap
  bool has_points;    // whether the two points below are known; else they are found when needed
  TriboVec3 point_a;  // on the core of a, on the core of b: point_b - point_a = distance normal
  TriboVec3 point_b;
} TriboSeparation;

// The contact points with gap <= margin that go with the separation, at most
// TRIBO_CONTACTS_PER_PAIR, and their number; shape0 and shape1 are left -1. One of them is as deep
// as the separation says. `exact`, which may be NULL, tells whether the facing features overlap at
// the depth of the separation, seen along the normal: for a positive distance along a direction
// that was only guessed, the proof that it is the distance.
int tribo_manifold(const TriboConvex* a, const TriboConvex* b, const TriboSeparation* separation,
                   double margin, bool* exact, TriboContact contacts[TRIBO_CONTACTS_PER_PAIR]);

// The one contact of the separation's own points, which must be known: 0 or 1.
int tribo_manifold_point(const TriboConvex* a, const TriboConvex* b,
                         const TriboSeparation* separation, double margin, TriboContact* contact);

// Keeps at most TRIBO_CONTACTS_PER_PAIR of the `count` contacts, which go around a convex polygon:
// the deepest always, and of the others those without which the polygon would lose most area.
// Returns how many are left, in their old order.
int tribo_manifold_reduce(TriboContact* contacts, int count);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_MANIFOLD_H_
