// SPDX-License-Identifier: Apache-2.0
//
// The best of several directions between two cores. Many agree where bodies are flush or parallel:
// those that are offered first win, so that rounding cannot choose. Internal.
#ifndef TRIBO_COLLISION_AXIS_H_
#define TRIBO_COLLISION_AXIS_H_

#include <math.h>

#include "collision/convex.h"
#include "engine/base/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a later direction must win by, as part of the size, where it lies across the best. Three of
// them add up to less than 1e-9, to which the depth is promised.
static const double kTriboAxisPrefer = 3e-10;
// What is rounding, as part of the size.
static const double kTriboAxisRounding = 4e-15;

typedef struct TriboAxis {
  double distance;  // that the direction shows (m)
  TriboVec3 d;      // unit
  double prefer;    // what another must show more (m) at right angles to this one,
  double rounding;  // and at any angle
} TriboAxis;

// No direction yet.
static inline TriboAxis tribo_axis_none(const TriboConvex* a, const TriboConvex* b) {
  const double larger = fmax(a->size, b->size), smaller = fmin(a->size, b->size);
  TriboAxis axis;
  axis.distance = -INFINITY;
  axis.d = tribo_vec3(0, 0, 1);
  axis.rounding = kTriboAxisRounding * larger;
  // A point has no size; the other's rounding is what counts.
  axis.prefer = kTriboAxisPrefer * (smaller > 0 ? smaller : larger) + axis.rounding;
  return axis;
}

// Takes the unit vector d, which shows `distance`, where it wins. The best direction shows d . w
// with w a point of B - A; a worse one, d0, that shows less by e leaves points that miss each other
// sideways by up to e / |d - d0|. So what a later one must win by shrinks with the angle.
static inline void tribo_axis_offer(TriboAxis* best, double distance, TriboVec3 d) {
  const double lead = distance - best->distance;
  if (lead <= best->rounding) return;
  if (lead <= best->prefer && lead <= best->prefer * tribo_vec3_distance(d, best->d)) return;
  best->distance = distance;
  best->d = d;
}

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_AXIS_H_
