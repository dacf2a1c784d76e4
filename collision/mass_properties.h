// SPDX-License-Identifier: Apache-2.0
//
// Volume, centre of mass and inertia of solid shapes of even density.
#ifndef TRIBO_COLLISION_MASS_PROPERTIES_H_
#define TRIBO_COLLISION_MASS_PROPERTIES_H_

#include "collision/shape.h"
#include "engine/base/status.h"
#include "engine/base/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboMassProperties {
  double volume;      // m^3
  double mass;        // kg
  TriboVec3 com;      // centre of mass, in the shape's frame, m
  double inertia[6];  // about the centre of mass, in the shape's axes: xx yy zz xy xz yz, kg m^2
} TriboMassProperties;

// Of a shape filled with `density` (kg/m^3, > 0). Exact up to rounding. TRIBO_ERROR_UNSUPPORTED:
// planes and height fields, which have no volume; TRIBO_ERROR_MODEL: a mesh that is not closed, or
// whose triangles look inwards; TRIBO_ERROR_ARGUMENT, TRIBO_ERROR_NOT_FINITE: the density. The
// shape must be one that tribo_shape_check accepts.
TRIBO_CHECKED TriboStatus tribo_mass_properties(const TriboShape* shape, double density,
                                                TriboMassProperties* properties,
                                                TriboMessage* message);

// Of the solid within `triangle_count` triangles, counterclockwise seen from outside, over vertices
// x y z. The triangles must enclose it: TRIBO_ERROR_MODEL where their areas do not cancel to 1e-4
// (there is a hole) or the volume is not positive (they look inwards, or the solid is flat).
TRIBO_CHECKED TriboStatus tribo_mass_properties_triangles(const double* vertices,
                                                          const int* triangles, int triangle_count,
                                                          double density,
                                                          TriboMassProperties* properties,
                                                          TriboMessage* message);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_MASS_PROPERTIES_H_
