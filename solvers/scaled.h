// SPDX-License-Identifier: Apache-2.0
//
// A contact problem with rows of length 1, as the solvers work on it: mass ratios of 1e5 make the
// rows of problem.h differ as much, and pivots and tolerances mean nothing across such a
// difference. Internal.
//
//   X' = X/|X|   N' = N/|N|   T' = T/c_g, c_g the longer row of the group      (targets likewise)
//   x' = |X| x   f' = |N| f   t' = c_g t      mu' = mu c_g/|N|   bound' = c_g bound
//
// Both rows of a group share one list of coordinates here, so that any direction of its plane is a
// row.
#ifndef TRIBO_SOLVERS_SCALED_H_
#define TRIBO_SOLVERS_SCALED_H_

#include "solvers/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

// Largest problem that a solver's memory holds.
typedef struct TriboSolverCapacity {
  int ny;       // mass coordinates
  int x, n, t;  // rows of X, N, T
  int groups;
  int entries;  // of X, N and T together
  int facets;   // of any group
} TriboSolverCapacity;

// What holds a given problem.
TriboSolverCapacity tribo_solver_capacity_of(const TriboContactProblem* problem);

typedef struct TriboScaledGroup {
  int normal, rows, facets;
  int count;             // entries of each of its rows
  const int* index;      // coordinates, increasing
  const double* row[2];  // values; the second is NULL for one row
  double target[2];
  double mu, bound;
  double scale;  // c_g
} TriboScaledGroup;

typedef struct TriboScaled {
  TriboSolverCapacity capacity;
  const TriboContactProblem* problem;
  TriboRows X, N;  // start and index are the problem's own
  double *b_X, *b_N;
  double *scale_X, *scale_N;  // |X_i|, |N_i|; 1 for a row without entries
  TriboScaledGroup* group;
  int* first_group;  // groups of normal i: group_of[first_group[i] .. first_group[i + 1] - 1]
  int* group_of;     // groups ordered by normal, those without a normal left out
  double velocity;   // velocity scale |k| + max|b|
  int* T_index;      // private
  double* T_value;   // private
} TriboScaled;

// Lays the arrays out; they are NULL while measuring.
void tribo_scaled_init(TriboScaled* scaled, TriboArena* arena, TriboSolverCapacity capacity);

// Scales a problem, which must outlive the use. TRIBO_ERROR_CAPACITY when it does not fit.
TriboStatus tribo_scaled_load(TriboScaled* scaled,
                              const TriboContactProblem* problem) TRIBO_CHECKED;

// T_g . y - target, for both rows; the second is 0 for one row.
void tribo_scaled_slip(const TriboScaledGroup* group, const double* y, double slip[2]);
// y += direction of the group's plane.
void tribo_scaled_push(const TriboScaledGroup* group, double a, double b, double* y);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_SCALED_H_
