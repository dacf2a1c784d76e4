// SPDX-License-Identifier: Apache-2.0
//
// Forces or impulses under dynamic friction [Baraff1991]. Internal.
#ifndef TRIBO_SOLVERS_COPING_H_
#define TRIBO_SOLVERS_COPING_H_

#include "engine/base/arena.h"
#include "engine/base/status.h"
#include "solvers/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboCoping TriboCoping;

typedef enum TriboCopingKind {
  TRIBO_COPING_FORCE = 0,  // contact forces exist: f and t are forces, y is the acceleration
  TRIBO_COPING_IMPULSE,    // f and t are impulses, y is the change of velocity
} TriboCopingKind;

typedef struct TriboCopingResult {
  TriboCopingKind kind;
  int stopped;  // impulse: the group that turns from sliding to sticking; -1 for forces
  int pivots;
} TriboCopingResult;

// Memory for at most x equality and n unilateral rows over at most ny coordinates. NULL while
// measuring or when the arena is full.
TriboCoping* tribo_coping_init(TriboArena* arena, int x, int n, int ny);

// `problem` at the level of accelerations (k is the free acceleration). slip (T.count) is the
// tangential velocity now, slow > 0 the speed below which friction is scaled by speed/slow, the
// approximation of static friction of section 8.1: bodies crawl, and no force is ever exactly
// static. Fills y, x, f, t and modes of the solution (SLIDE wherever friction acts).
// TRIBO_ERROR_CAPACITY: more rows than init was told. TRIBO_ERROR_INFEASIBLE: equality rows that
// contradict each other. TRIBO_ERROR_RAY: a ray along which no sliding contact ever stops.
// TRIBO_ERROR_LIMIT: no answer.
TriboStatus tribo_coping_solve(TriboCoping* coping, const TriboContactProblem* problem,
                               const double* slip, double slow, TriboContactSolution* solution,
                               TriboCopingResult* result) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_COPING_H_
