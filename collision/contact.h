// SPDX-License-Identifier: Apache-2.0
//
// A contact: where two shapes touch or nearly touch, and a name for it that lasts.
#ifndef TRIBO_COLLISION_CONTACT_H_
#define TRIBO_COLLISION_CONTACT_H_

#include <stdint.h>

#include "engine/base/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// The most contacts that one pair of convex shapes gives. Height fields and meshes give up to this
// many for each of their triangles.
enum { TRIBO_CONTACTS_PER_PAIR = 8 };

// One point of a contact manifold, in the world frame. The contacts of one pair of convex shapes
// share one normal.
typedef struct TriboContact {
  int shape0,
      shape1;        // indices of the two shapes; tribo_collide leaves -1, the caller numbers them
  TriboVec3 point;   // midway between the two surfaces (m)
  TriboVec3 normal;  // unit, from shape 0 to shape 1
  double gap;        // distance of the surfaces along the normal (m); < 0 is penetration
  uint64_t feature;  // which features touch: the same from step to step while the same ones do
} TriboContact;

// What a contact point is made of. A box or a hull has vertices, edges and faces; a curved surface
// is one smooth feature.
typedef enum TriboFeatureKind {
  TRIBO_FEATURE_SMOOTH = 0,
  TRIBO_FEATURE_VERTEX = 1,
  TRIBO_FEATURE_EDGE = 2,
  TRIBO_FEATURE_FACE = 3,
} TriboFeatureKind;

// The name of feature `index` (0 .. 2^30 - 1) of one shape.
static inline uint32_t tribo_feature(TriboFeatureKind kind, int index) {
  return (uint32_t)kind << 30 | ((uint32_t)index & 0x3fffffffu);
}
// The name of a contact between a feature of shape 0 and one of shape 1, and its halves.
static inline uint64_t tribo_feature_pair(uint32_t feature0, uint32_t feature1) {
  return (uint64_t)feature0 << 32 | feature1;
}
static inline uint32_t tribo_feature_pair_first(uint64_t feature) {
  return (uint32_t)(feature >> 32);
}
static inline uint32_t tribo_feature_pair_second(uint64_t feature) { return (uint32_t)feature; }

// The same contact seen with the two shapes exchanged.
static inline TriboContact tribo_contact_swap(TriboContact contact) {
  TriboContact swapped = contact;
  swapped.shape0 = contact.shape1;
  swapped.shape1 = contact.shape0;
  swapped.normal.x = -contact.normal.x;
  swapped.normal.y = -contact.normal.y;
  swapped.normal.z = -contact.normal.z;
  swapped.feature = contact.feature << 32 | contact.feature >> 32;
  return swapped;
}

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_CONTACT_H_
