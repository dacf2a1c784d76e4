// SPDX-License-Identifier: Apache-2.0
//
// The convex function that convex.h and canonical.h minimize, round after round:
//
//   1/2 |y - k|^2 + sum d_c/2 |P_K(v_c)|^2,     v_c = z0_c - (J y - b + shift)_c/d_c
//
// over pieces c: an equality row, a normal, a normal with its friction, or a disc of given radius.
// Its gradient is y - k - J^T P_K(v), and its Hessian I + J^T (DP_K/d) J is as sparse as the graph
// of bodies. Rows and pieces serve interior.h as well. Internal to these.
#ifndef TRIBO_SOLVERS_CONVEX_STATE_H_
#define TRIBO_SOLVERS_CONVEX_STATE_H_

#include "solvers/convex.h"

// What a piece is projected onto: all numbers, the positive ones, the cone |t| <= mu f, one ray of
// that cone's boundary (`along` is given then), or a disc.
typedef enum Kind { FREE, HALF, CONE, RAY, DISC } Kind;

typedef struct Piece {
  Kind kind;
  int first;    // its first row in the order X, N, T
  int tangent;  // first tangential row (CONE, DISC), same order
  int rows;     // tangential rows
  int group;    // or -1
  double mu;
  double radius;  // DISC
  double square;  // the longest row's
  double shift;   // s
  double stiff;   // 1/d
  // at the point
  bool inside, outside;
  double along[2];   // unit tangential direction of v
  double weight[2];  // of the Hessian's vectors along the boundary and across it, times d
} Piece;

struct TriboConvex {
  TriboSolverCapacity capacity;
  TriboCoordinateLu* lu;
  const TriboContactProblem* problem;
  const double* k;
  int m, first_N, first_T;
  Piece* piece;
  int pieces;
  double *y, *yt;    // point and trial
  double* gradient;  // then the step
  double *z, *z0;    // impulses, multipliers
  double *u, *du;    // velocities of the rows and their change along the step
  double* v;
  double* w;  // canonical.c: the free velocity less y+
  int *list_start, *list_index, *stamp;
  int* index;  // a combined row
  double* value;
};

// Room for the problem, and the numbers of its rows.
bool tribo_convex_load(TriboConvex* c, const TriboContactProblem* problem);

// Row i in the order X, N, T.
TriboCoordinateVector tribo_convex_row(const TriboConvex* c, int i);

// A piece with the squares of its rows; group -1: none.
Piece tribo_convex_piece(const TriboConvex* c, Kind kind, int first, int group);

// One piece for every equality row, normal and further group.
void tribo_convex_list_pieces(TriboConvex* c);

// The pattern of all pieces that have a part in the Hessian; ready for tribo_convex_combine.
TriboStatus tribo_convex_analyze(TriboConvex* c, bool symmetric);

// a row_i + b0 t_0 + b1 t_1 of a piece, in c->index and c->value.
TriboCoordinateVector tribo_convex_combine(TriboConvex* c, const Piece* piece, double a, double b0,
                                           double b1);

// u = J y, less the targets if asked.
void tribo_convex_velocities(const TriboConvex* c, const double* y, bool targets, double* u);

// gradient <- k + J^T z - y; returns its length.
double tribo_convex_gradient(TriboConvex* c);

// The minimum from y with row velocities u, to a gradient of `enough`; y, u and z follow. `most`
// bounds the count of iterations, which goes on from its value. TRIBO_ERROR_LIMIT at the bound.
TriboStatus tribo_convex_minimize(TriboConvex* c, double enough, int most, int* iterations);

#endif  // TRIBO_SOLVERS_CONVEX_STATE_H_
