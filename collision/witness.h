// SPDX-License-Identifier: Apache-2.0
//
// The points that go with a direction. Internal.
#ifndef TRIBO_COLLISION_WITNESS_H_
#define TRIBO_COLLISION_WITNESS_H_

#include "collision/feature.h"
#include "collision/gjk.h"

#ifdef __cplusplus
extern "C" {
#endif

// Points of the two cores with point_b - point_a = distance n, where n is the unit direction in
// which the cores are farthest apart or overlap least, `distance` what it shows, and fa, fb are the
// sharp features that face each other along n.
void tribo_witness(const TriboConvex* a, const TriboConvex* b, const TriboSupportFeature* fa,
                   const TriboSupportFeature* fb, TriboVec3 n, double distance, TriboVec3* point_a,
                   TriboVec3* point_b);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_WITNESS_H_
