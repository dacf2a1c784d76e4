// SPDX-License-Identifier: Apache-2.0
//
// Mass of a triangle mesh the way MuJoCo has it by default. Internal.
#ifndef TRIBO_MODELS_MESH_INERTIA_H_
#define TRIBO_MODELS_MESH_INERTIA_H_

#include "collision/mass_properties.h"

#ifdef __cplusplus
extern "C" {
#endif

// The centre of mass from the pyramids between the triangles and the mean of the surface, volume
// and inertia from those between the triangles and the centre of mass, all counted as solid: exact
// for meshes that are star-shaped about both points (convex ones are), too much for others, and
// defined for open or wrongly turned ones. TRIBO_ERROR_MODEL: the mesh is flat.
TriboStatus tribo_mesh_inertia_pyramids(const double* vertices, const int* triangles,
                                        int triangle_count, double density,
                                        TriboMassProperties* properties,
                                        TriboMessage* message) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_MODELS_MESH_INERTIA_H_
