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

// The points of the two cores that are closest to each other once b is pulled away along n, to
// where GJK has no trouble, put back to where they came from; where n is the direction in which the
// cores are farthest apart or overlap least, they lie `distance` n apart. Returns by how much they
// miss that (m), infinity where there are none. `simplex` and *v are what GJK found.
double tribo_witness_pulled(const TriboConvex* a, const TriboConvex* b, TriboVec3 n,
                            double distance, TriboSimplex* simplex, TriboVec3* v,
                            TriboVec3* point_a, TriboVec3* point_b);

// The closest points on the corners and sides of two features that are apart. `ends` tells, for
// tribo_direction_polish, the sides that they are on.
void tribo_witness_closest(const TriboSupportFeature* fa, const TriboSupportFeature* fb,
                           TriboDifferencePoint ends[3], TriboVec3* point_a, TriboVec3* point_b);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_WITNESS_H_
