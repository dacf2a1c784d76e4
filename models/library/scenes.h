// SPDX-License-Identifier: Apache-2.0
//
// The writers behind library.h: each prints one scene, its parameters in the order of the list in
// library.c. Internal.
#ifndef TRIBO_MODELS_LIBRARY_SCENES_H_
#define TRIBO_MODELS_LIBRARY_SCENES_H_

#include <stdio.h>

// robots.c
void tribo_write_quadruped(FILE* out, const double* parameter);
void tribo_write_quadruped_urdf(FILE* out, const double* parameter);
void tribo_write_gripper(FILE* out, const double* parameter);
void tribo_write_hand(FILE* out, const double* parameter);

// bodies.c
void tribo_write_grasp(FILE* out, const double* parameter);
void tribo_write_pinch(FILE* out, const double* parameter);
void tribo_write_peg(FILE* out, const double* parameter);
void tribo_write_stack(FILE* out, const double* parameter);
void tribo_write_incline(FILE* out, const double* parameter);
void tribo_write_billiards(FILE* out, const double* parameter);
void tribo_write_cradle(FILE* out, const double* parameter);
void tribo_write_four_bar(FILE* out, const double* parameter);
void tribo_write_pile(FILE* out, const double* parameter);

// The opening and closing of an MJCF file: angles in radians, gravity along -z, one friction for
// all.
void tribo_write_mjcf_begin(FILE* out, const char* name, double dt, double mu);
void tribo_write_mjcf_end(FILE* out);
// What MJCF has no word for and Tribo reads from custom numbers (docs/mjcf.md).
void tribo_write_custom(FILE* out, const char* name, double value);

#endif  // TRIBO_MODELS_LIBRARY_SCENES_H_
