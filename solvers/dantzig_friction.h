// SPDX-License-Identifier: Apache-2.0
//
// Dantzig's algorithm with static and dynamic friction [Baraff1994] sections 5 and 6, at the level
// of accelerations (forces that hold now) or of velocities (problem.h as it stands). Internal.
//
// Static friction as Baraff has it: |t| <= R; where the contact accelerates, |t| = R and t.a <= 0.
// For planar contacts that is Coulomb's law. In three dimensions it only says that friction does
// not push along: its direction, recorded when the force reached the cone, may be off, and then the
// certificate of the round cone says so. Termination is not proved; a limit ends it.
#ifndef TRIBO_SOLVERS_DANTZIG_FRICTION_H_
#define TRIBO_SOLVERS_DANTZIG_FRICTION_H_

#include "engine/base/arena.h"
#include "solvers/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TriboDantzigKind {
  TRIBO_DANTZIG_FORCE = 0,  // the conditions hold: y is the acceleration (or velocity)
  TRIBO_DANTZIG_IMPULSE,    // no finite forces were found: x, f, t are impulses, y is the change of
                            // velocity; dynamic friction only
} TriboDantzigKind;

typedef struct TriboDantzigOptions {
  double tolerance;  // a condition holds up to this, relative; 1e-11
  int max_steps;     // of the index sets, all together; 0: 200 + 50 rows
} TriboDantzigOptions;

typedef struct TriboDantzigResult {
  TriboDantzigKind kind;
  int stopped;      // impulse: the group that turns from sliding to sticking; -1 for forces
  int drives;       // conditions established
  int steps;        // changes of the index sets on the way: pivots
  int given_up;     // times that a condition was let go after steps of length 0
  double residual;  // largest violation of Baraff's conditions, relative
} TriboDantzigResult;

typedef struct TriboDantzig TriboDantzig;

TriboDantzigOptions tribo_dantzig_options_default(void);

// For problems of up to that many rows of X, N and T together. NULL while measuring or when the
// arena is full.
TriboDantzig* tribo_dantzig_init(TriboArena* arena, int rows, int groups);

// slip (T.count): the tangential velocity now; groups that slide faster than `still` have dynamic
// friction against it, the others static friction. NULL: all static, which on a velocity problem is
// the whole law. Fills all of the solution.
//   TRIBO_OK                forces or impulses, by result->kind;
//   TRIBO_ERROR_LIMIT       too many steps, or conditions that do not hold to 1e-8 in the end: the
//                           solution is the last point;
//   TRIBO_ERROR_RAY         no finite forces, and no sliding contact ever stops along the impulses;
//   TRIBO_ERROR_INFEASIBLE  equality rows that contradict each other;
//   TRIBO_ERROR_CAPACITY    the problem is larger than the solver; nothing is written.
TriboStatus tribo_dantzig_solve(TriboDantzig* dantzig, const TriboContactProblem* problem,
                                const double* slip, double still,
                                const TriboDantzigOptions* options, TriboContactSolution* solution,
                                TriboDantzigResult* result) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_DANTZIG_FRICTION_H_
