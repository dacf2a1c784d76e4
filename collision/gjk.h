// SPDX-License-Identifier: Apache-2.0
//
// Distance of two convex cores that are apart, by the algorithm of Gilbert, Johnson and Keerthi
// [GilbertJohnsonKeerthi1988] on the difference B - A = { b - a }. Internal.
#ifndef TRIBO_COLLISION_GJK_H_
#define TRIBO_COLLISION_GJK_H_

#include "collision/convex.h"
#include "engine/base/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// A support point of B - A, and the points of the cores that it is made of: w = b - a.
typedef struct TriboDifferencePoint {
  TriboVec3 w, a, b;
} TriboDifferencePoint;

typedef struct TriboSimplex {
  int count;
  TriboDifferencePoint point[4];
  double weight[4];  // of the point closest to the origin, sum 1
} TriboSimplex;

typedef enum TriboGjkResult {
  TRIBO_GJK_APART,    // the simplex holds the closest points
  TRIBO_GJK_OVERLAP,  // the origin is in B - A, or too close to it to have a direction
  TRIBO_GJK_BEYOND,   // a direction shows that the distance is more than `limit`
} TriboGjkResult;

// The point of B - A that is lowest along d: b lowest, a highest.
TriboDifferencePoint tribo_difference_support(const TriboConvex* a, const TriboConvex* b,
                                              TriboVec3 d);

// *v is the point of B - A closest to the origin, with the simplex that carries it. Bounded to a
// fixed number of iterations; of what they reach, the point whose direction shows its distance
// best is returned.
TriboGjkResult tribo_gjk(const TriboConvex* a, const TriboConvex* b, double limit,
                         TriboSimplex* simplex, TriboVec3* v);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_GJK_H_
