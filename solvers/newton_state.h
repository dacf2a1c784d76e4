// SPDX-License-Identifier: Apache-2.0
//
// What the parts of Newton's method share. Internal to newton.
#ifndef TRIBO_SOLVERS_NEWTON_STATE_H_
#define TRIBO_SOLVERS_NEWTON_STATE_H_

#include "solvers/coordinate_lu.h"
#include "solvers/newton.h"

// An equation of a Newton step together with its unknown, the change d of one impulse:
//   w . dy + (soft + delta |w|^2) d = -residual
// w is a row of the problem, or for a sliding group the direction across its sliding.
typedef struct NewtonRow {
  int count;
  const int* index;
  const double* value;
  int at;               // row of the problem, in the order X, N, T; of a group its first
  int group;            // the group whose direction across it is, or -1
  double direction[2];  // that direction
  double soft;          // compliance: |slip|/radius across the sliding
  double residual;
} NewtonRow;

enum { NEWTON_LANES = 4 };

// Rows solved together as one dense matrix, at most.
enum { NEWTON_DENSE = 160 };

struct TriboNewton {
  TriboSolverCapacity capacity;
  const TriboContactProblem* problem;
  int m, first_N, first_T;  // rows: X, N, T in this order
  int* first_group;         // first group of every normal, -1; then next_group      (n)
  int* next_group;          //                                                       (groups)

  bool measured;
  double* square;  // |row|^2; for both rows of a group the larger                   (rows)

  double *z, *u, *y;     // impulses, velocities less targets, y = k + J^T z
  double *zp, *up, *yp;  // the same where the modes' own conditions on impulses hold
  double *zt, *ut, *yt;  // the same after a step
  double* zb;            // the best impulses so far
  TriboMode* mode_N;
  TriboMode* mode_g;
  double* slide;  // unit impulse direction of every sliding group                   (2 groups)

  NewtonRow* row;  // equations of the step
  int n;
  bool slides;       // some column of a normal carries friction
  bool linear;       // nothing slides: one step solves the modes
  double* step;      // their unknowns
  int* cross_index;  // rows across the sliding
  double* cross_value;

  // newton_rows.c
  int dense;  // rows that fit the matrix
  double* a;  // dense x dense
  double* rhs;
  int* permutation;
  int* bundle;    // rows from here on with the same coordinates
  double* panel;  // LANES scattered columns, interleaved, 0 between uses            (LANES ny)

  // newton_coordinates.c
  TriboCoordinateLu* lu;
  int* list_start;  // coordinates that couple, contact by contact
  int* list_index;
  int* stamp;     //                                                                    (ny)
  double* dy;     //                                                                    (ny)
  double* stiff;  // 1/(soft + delta |w|^2) by row
};

// Solves for the step over rows: (W W'^T + D) d = -residual, dense. `exact` is set when nothing had
// to be softened by delta.
TriboStatus tribo_newton_rows_step(TriboNewton* newton, double proximal, bool* exact);

// The same over coordinates, sparse.
TriboStatus tribo_newton_coordinates_step(TriboNewton* newton, double proximal);

#endif  // TRIBO_SOLVERS_NEWTON_STATE_H_
