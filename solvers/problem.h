// SPDX-License-Identifier: Apache-2.0
//
// The contact problem: rows and numbers, never a body. Internal to the library; tribo_solvers.h
// shows users what they need of it.
//
// Everything is in mass coordinates. With the mass matrix M = G G^T, a row r over velocities is
// kept as G^-1 r^T and the velocity as y = G^T v, so that M is the identity here, every entry of
// the Delassus matrix J M^-1 J^T is a dot product of two sparse rows, and M^-1 never appears
// [Lloyd2005]:
//
//   y+ = k + X^T x + N^T f + T^T t
//
//   equality     X_i y+ - b = 0                                                 x_i free
//   unilateral   0 <= f_i  _|_  N_i y+ - b >= 0
//   friction     group g: tangential velocity s = T_g y+ - b (1 or 2 rows), impulse t_g,
//                radius  R = mu f_n + bound        (f_n = 0 where the group has no normal)
//                |t_g| <= R,  and t_g = -R s/|s| where s != 0                   (round cone)
//                or its d-sided polygon: D_k = cos(a_k) T_1 + sin(a_k) T_2, a_k = 2 pi k/d, paired
//                0 <= beta _|_ D s + E lambda >= 0,  0 <= lambda _|_ R - E^T beta >= 0,
//                t = sum_k beta_k (cos a_k, sin a_k)         ([StewartTrinkle1996], [Lloyd2005] eq.
//                3-5) A group of one row has the two directions +T_1 and -T_1.
//
// Dry joint friction and torque-limited motors are groups with mu = 0 and a constant bound;
// torsional and rolling friction are further groups on the same normal.
//
// Compliance is geometry. A row with compliance c (J y+ + c f = b) is the rigid row with one more
// entry sqrt(c) in a coordinate that no other row has and where k = 0: there y+ = sqrt(c) f. So no
// solver knows of compliance, and the certificate covers it.
#ifndef TRIBO_SOLVERS_PROBLEM_H_
#define TRIBO_SOLVERS_PROBLEM_H_

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/contact_types.h"
#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Sparse rows, compressed: row i has entries start[i] .. start[i + 1] - 1, indices increasing.
typedef struct TriboRows {
  int count;
  int* start;     // count + 1
  int* index;     // coordinate of each entry
  double* value;  // its value
} TriboRows;

// Friction on one or two tangential rows.
typedef struct TriboFrictionGroup {
  int normal;    // unilateral row whose impulse scales the radius; -1: constant bound only
  int tangent;   // first of its rows in T
  int rows;      // 1 or 2
  int facets;    // directions d of the polygon, even, >= 4 for two rows; 2 for one row
  double mu;     // >= 0
  double bound;  // >= 0, impulse
} TriboFrictionGroup;

// All arrays are owned by whoever filled the problem (the engine's workspace, a file reader, a
// test).
typedef struct TriboContactProblem {
  int ny;           // mass coordinates, the private ones of compliant rows included
  const double* k;  // free velocity in mass coordinates                                   (ny)

  TriboRows X;        // equality rows
  const double* b_X;  // targets                                                           (X.count)

  TriboRows N;           // unilateral rows
  const double* b_N;     // targets; all <= 0 keeps y+ = 0 feasible and Lemke's guarantee  (N.count)
  const uint64_t* id_N;  // stable identity from step to step, distinct                   (N.count)

  TriboRows T;        // tangential rows
  const double* b_T;  // targets: the surface velocity of a conveyor, a motor's speed      (T.count)

  int ng;
  const TriboFrictionGroup* group;  // by increasing normal, then tangent                  (ng)
} TriboContactProblem;

// Impulses and velocity. Arrays owned by the caller.
typedef struct TriboContactSolution {
  double* y;          // velocity after, mass coordinates      (ny)
  double* x;          // equality impulses                     (X.count)
  double* f;          // unilateral impulses, >= 0             (N.count)
  double* t;          // tangential impulses                   (T.count)
  TriboMode* mode_N;  // SEPARATE or STICK (= active)          (N.count)
  TriboMode* mode_g;  // per group                             (ng)
} TriboContactSolution;

// y+ = k + X^T x + N^T f + T^T t from the impulses.
void tribo_problem_velocity(const TriboContactProblem* problem, TriboContactSolution* solution);

// row . y
static inline double tribo_row_dot(const TriboRows* rows, int i, const double* y) {
  double sum = 0;
  for (int e = rows->start[i]; e < rows->start[i + 1]; ++e)
    sum += rows->value[e] * y[rows->index[e]];
  return sum;
}
// y += s row
static inline void tribo_row_axpy(const TriboRows* rows, int i, double s, double* y) {
  for (int e = rows->start[i]; e < rows->start[i + 1]; ++e) y[rows->index[e]] += s * rows->value[e];
}
// row_i of a . row_j of b, by merging the two sorted index lists.
double tribo_rows_dot(const TriboRows* a, int i, const TriboRows* b, int j);

// Direction k of a polygon of `facets` directions: (cos a, sin a), a = 2 pi k/facets. Directions k
// and k + facets/2 are opposite to the bit. A group of one row has facets 2: +1 and -1.
void tribo_facet_direction(int facets, int k, double direction[2]);

// Least sum of beta with sum_k beta_k d_k = t, beta >= 0: the radius of the smallest polygon that
// holds t; and the largest of -d_k . s: what lambda is at the solution. For one row both are
// absolute values.
double tribo_polygon_gauge(int facets, const double t[2]);
double tribo_polygon_support(int facets, const double s[2]);

// Checks sizes, indices (increasing, within ny), finiteness, and mu, bound, facets against their
// ranges: TRIBO_ERROR_ARGUMENT or TRIBO_ERROR_NOT_FINITE.
TriboStatus tribo_problem_validate(const TriboContactProblem* problem) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_PROBLEM_H_
