// SPDX-License-Identifier: Apache-2.0
//
// The no-slip and viscous contact models as one family: the tangents of a contact become equality
// rows with a compliance c, T y+ + c t = b_T. c = 0 is no-slip, c = 1/(h mu_v) is viscous friction
// taken implicitly (t = -h mu_v s), c = infinity is frictionless. What comes out is a problem of
// psd.h. Internal.
//
// An equality row pulls even where nothing presses. So only contacts that touch get tangents; after
// a solve, contacts that separate (and so have f_n = 0) lose theirs, contacts that touch and do not
// separate but had none get theirs, and the problem is solved again. Contacts that close again
// without their tangents get them back a few times; after that they are gone for good, and such a
// contact slides without friction (pulling its body by the tangents would separate it).
#ifndef TRIBO_SOLVERS_NOSLIP_H_
#define TRIBO_SOLVERS_NOSLIP_H_

#include "engine/base/arena.h"
#include "engine/base/status.h"
#include "solvers/problem.h"
#include "solvers/psd.h"

#ifdef __cplusplus
extern "C" {
#endif

// Sizes that a solver is made for.
typedef struct TriboNoslipSizes {
  int ny;       // mass coordinates of the contact problem
  int X, N, T;  // rows
  int ng;       // friction groups
  int entries;  // entries of X and T together
} TriboNoslipSizes;

typedef struct TriboNoslipLaw {
  const double* compliance;  // c per group, in place of mu; NULL: 0, no-slip
  double touching;           // a normal touches where b_N >= -touching (a velocity: gap / h)
  int returns;       // times that a contact gets tangents back that it lost by separating; 2
  const bool* kept;  // groups whose tangents take part whatever their contact does, or NULL
} TriboNoslipLaw;

typedef struct TriboNoslipInfo {
  TriboPsdInfo psd;  // of the last solve; pivots summed over all
  int rounds;        // solves
  int left_out;  // groups without a normal (dry joint friction, motors): not part of these models
} TriboNoslipInfo;

typedef struct TriboNoslipSolver TriboNoslipSolver;

// Over an arena, with a psd solver for ny + T coordinates, X + T equality and N unilateral rows.
// NULL while measuring or when the arena is full.
TriboNoslipSolver* tribo_noslip_init(TriboArena* arena, TriboPsdSolver* psd,
                                     TriboNoslipSizes sizes);

// Solves the contact problem by that law. `warm` as in psd.h. Fills all of the solution: a group is
// STICK (c = 0) or SLIDE (c > 0) where its tangents took part and SEPARATE elsewhere. Statuses of
// tribo_psd_solve; TRIBO_ERROR_CAPACITY also when this solver is too small.
TriboStatus tribo_noslip_solve(TriboNoslipSolver* solver, const TriboContactProblem* problem,
                               const TriboNoslipLaw* law, const TriboPsdOptions* options,
                               const TriboMode* warm, TriboContactSolution* solution,
                               TriboNoslipInfo* info) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_NOSLIP_H_
