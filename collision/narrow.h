// SPDX-License-Identifier: Apache-2.0
//
// The narrow phase: contacts and distances of one pair of shapes. Pure functions of their
// arguments: they allocate nothing, keep nothing, and the same arguments give the same bits.
#ifndef TRIBO_COLLISION_NARROW_H_
#define TRIBO_COLLISION_NARROW_H_

#include "collision/contact.h"
#include "collision/shape.h"
#include "engine/base/status.h"
#include "engine/base/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// All contacts with gap <= margin (m, >= 0) between shape a (shape 0 of the contacts) and shape b,
// in the world frame. X_WA, X_WB are the poses of the shapes' frames; their rotations must be
// orthonormal.
//
// Convex pairs share one normal: the direction along which the two are farthest apart, or overlap
// least. At most TRIBO_CONTACTS_PER_PAIR points: the corners of the region where the two facing
// features overlap, seen along the normal, without those beyond the margin. Order and features
// depend on the shapes only, not on rounding: a jitter of the poses far below 1e-9 of the size
// changes neither.
//
// TRIBO_ERROR_NOT_FINITE: NaN or infinity in a pose or the margin, or a place beyond 1e15 m.
// TRIBO_ERROR_CAPACITY: the contacts do not fit; *count is what they would need.
// TRIBO_ERROR_UNSUPPORTED: a pair that has no meaning (two of plane, height field, mesh). In all
// these cases no contact is to be used.
TRIBO_CHECKED TriboStatus tribo_collide(const TriboShape* a, const TriboTransform* X_WA,
                                        const TriboShape* b, const TriboTransform* X_WB,
                                        double margin, TriboContact* contacts, int capacity,
                                        int* count);

// Where two convex shapes are closest, or overlap least.
typedef struct TriboClosestPoints {
  double distance;  // between the surfaces (m); < 0: how far b must move along normal to just touch
  TriboVec3 normal;  // unit, from a to b: point1 - point0 = distance * normal
  TriboVec3 point0;  // on the surface of a, in the world
  TriboVec3 point1;  // on the surface of b, in the world
} TriboClosestPoints;

// Signed distance and closest points, however far apart, of two shapes of which at least one is
// convex (a plane is convex, but not against another plane, height field or mesh:
// TRIBO_ERROR_UNSUPPORTED). TRIBO_ERROR_NOT_FINITE as above. TRIBO_ERROR_INFEASIBLE: no triangle of
// a height field or mesh looks at the other shape.
TRIBO_CHECKED TriboStatus tribo_distance(const TriboShape* a, const TriboTransform* X_WA,
                                         const TriboShape* b, const TriboTransform* X_WB,
                                         TriboClosestPoints* closest);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_NARROW_H_
