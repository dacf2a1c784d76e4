// SPDX-License-Identifier: Apache-2.0
//
// Contact problems without Coulomb friction (frictionless, no-slip, viscous, position projection):
// the equality and unilateral rows of problem.h, whose friction groups are ignored. The answer is
// the point nearest to k,
//
//   minimize 1/2 |y - k|^2   subject to   X y = b_X,  N y >= b_N,
//
// with the impulses x and f >= 0 as multipliers; in f alone it is the positive semidefinite LCP
// of [Drumwright]. y is unique; x and f are one choice among those that give y, with
// independent rows. Three pivoting methods on the shared factor, all warm-started. Internal.
#ifndef TRIBO_SOLVERS_PSD_H_
#define TRIBO_SOLVERS_PSD_H_

#include <stdbool.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"
#include "solvers/factor.h"
#include "solvers/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TriboPsdMethod {
  TRIBO_PSD_DUAL = 0,  // dual active set (dual.c); solves everything of this form
  TRIBO_PSD_PPM,  // modified Principal Pivoting Method I (ppm.c), as the paper has it; goes over
                  // to the dual active set where it meets a singular set
  TRIBO_PSD_DANTZIG,  // Dantzig's algorithm as [Baraff1994] has it (dantzig.c): contacts driven one
                      // at a time, those already driven never violated again
} TriboPsdMethod;

typedef struct TriboPsdOptions {
  TriboPsdMethod method;
  // A row whose part outside the span of the active rows is at most this share of its squared
  // length depends on them. 1e-11.
  double refuse;
  // A unilateral row is met when N y - b >= -tolerance (|N| V + |b|), V the larger of |k| and
  // |b_i|/|row_i|. 1e-13 to 1e-10; 1e-12.
  double tolerance;
  // Contradicting rows are infeasible beyond this, on the same scale; below it they are accepted as
  // rounding, and the certificate shows it. 1e-10.
  double contradiction;
  // Equality rows enter by what is left of them beside the others, the largest share first, in
  // place of their order: slower, and for rows that nearly depend on each other more exact.
  bool by_share;
  // Equality rows known to depend on those before them, at this `refuse`: they are refused without
  // a test in their order (X.count), or NULL.
  const bool* dependent;
  int pivots;  // most before TRIBO_ERROR_LIMIT, at most 50 + 10 (rows); 0: that many
  // Dantzig: after this many steps of length 0 in a row it goes over to the dual active set. 100.
  int zero_steps;
} TriboPsdOptions;

TriboPsdOptions tribo_psd_options_default(void);

typedef struct TriboPsdInfo {
  int pivots;       // rows that entered or left the active set after the start
  int active;       // active unilateral rows at the end
  int most_active;  // the largest number on the way; never more than ny less the rank of X
  int redundant;    // equality rows left out because they depend on the others, consistently
  bool fallback;    // PPM or Dantzig went over to the dual active set, or a contradiction
                    // or the limit of pivots was looked at again with `refuse` 1e-14
  int drives;       // Dantzig: contacts driven to zero
  int row;          // infeasible: the row where it showed, in X (equality) or N, otherwise -1
  bool equality;    // infeasible: that row is in X
} TriboPsdInfo;

typedef struct TriboPsdSolver TriboPsdSolver;

// A solver over an arena, for up to ny coordinates, max_X equality and max_N unilateral rows. The
// factor is the caller's and needs max_X + max_N slots: slot i is equality row i, slot X.count + i
// is unilateral row i of the problem being solved. A solve with CHOLMOD's analyzes the rows first,
// which allocates. NULL while measuring or when the arena is full.
TriboPsdSolver* tribo_psd_init(TriboArena* arena, TriboFactor* factor, int ny, int max_X,
                               int max_N);

// Solves. `warm` (N.count, or NULL: cold) holds the modes of a similar problem's solution: rows
// that do not SEPARATE make the first active set; it may be solution->mode_N itself. Fills y, x, f
// and mode_N of the solution, and t, mode_g are not touched. Statuses:
//   TRIBO_ERROR_CAPACITY    the problem is larger than the solver
//   TRIBO_ERROR_MEMORY      CHOLMOD's analysis; nothing is written
//   TRIBO_ERROR_INFEASIBLE  no y exists; x and f are the proof: X^T x + N^T f = 0 with f >= 0 and
//                           b_X . x + b_N . f > 0; info names the row
//   TRIBO_ERROR_LIMIT       too many pivots, or a contradiction that its own proof does not bear
//   out
//                           (rows dependent up to 1e-8); the solution is the last point
TriboStatus tribo_psd_solve(TriboPsdSolver* solver, const TriboContactProblem* problem,
                            const TriboPsdOptions* options, const TriboMode* warm,
                            TriboContactSolution* solution, TriboPsdInfo* info) TRIBO_CHECKED;

// Whether the last solve took this equality row for independent of the others.
bool tribo_psd_took(const TriboPsdSolver* solver, int row);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_PSD_H_
