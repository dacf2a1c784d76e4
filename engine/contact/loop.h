// SPDX-License-Identifier: Apache-2.0
//
// Loops: constraints beside the tree, as equality rows. Internal.
//
//   weld      p1 = p0, R1 = R0        6 rows     error: p1 - p0 and log(R0^T R1), in axes of frame
//   0 connect   p1 = p0                 3 rows hinge     p1 = p0, z1 || z0       5 rows     error
//   of direction: z0 x z1 along x0 and y0 gear      q1 = offset + ratio q0  1 row
//
// A rigid loop keeps X v+ = 0, and the projection removes what is left of its error. A compliant
// one is a spring taken implicitly: with the compliance c the force is -(e + h X v+)/c, so X v+ +
// (c/h^2) x = -e/h.
#ifndef TRIBO_ENGINE_CONTACT_LOOP_H_
#define TRIBO_ENGINE_CONTACT_LOOP_H_

#include "engine/model/model.h"
#include "engine/tree/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TRIBO_LOOP_ROWS = 6 };

int tribo_loop_rows(TriboLoopType type);

// The two trees that a loop joins, -1: the world.
void tribo_loop_trees(const TriboModel* model, int loop, int tree[2]);

// One loop at the tree's present configuration.
typedef struct TriboLoopFrame {
  int rows;
  double error[TRIBO_LOOP_ROWS];
  TriboVec3 point;                      // where its forces act
  TriboSpatial force[TRIBO_LOOP_ROWS];  // unit force of each row on link 1 (not gear)
} TriboLoopFrame;

// Reads the tree's kinematics; q is the configuration (for gears).
TriboLoopFrame tribo_loop_evaluate(const TriboModel* model, const TriboTree* tree, const double* q,
                                   int loop);

// The dofs that its rows touch, and the rows in mass coordinates, row r at values + r * stride.
TriboTreePath tribo_loop_path(const TriboModel* model, int loop);
void tribo_loop_write(const TriboModel* model, const TriboTree* tree, const TriboTreePath* path,
                      int loop, const TriboLoopFrame* frame, int stride, double* values);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_CONTACT_LOOP_H_
