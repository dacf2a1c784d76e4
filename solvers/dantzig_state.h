// SPDX-License-Identifier: Apache-2.0
//
// The state of dantzig_friction.c, and what it does between two changes of the index sets
// (dantzig_direction.c). Internal.
#ifndef TRIBO_SOLVERS_DANTZIG_STATE_H_
#define TRIBO_SOLVERS_DANTZIG_STATE_H_

#include <stdbool.h>

#include "solvers/dantzig_friction.h"
#include "solvers/gram.h"

typedef enum State { IGNORED = 0, FREE, CLAMPED, CONE, DYNAMIC } State;

struct TriboDantzig {
  TriboGram gram;
  const TriboContactProblem* problem;
  TriboDantzigResult* result;
  double tolerance;
  int limit;
  bool backwards;  // conditions are established from the last contact on
  int m, first_N, first_T;

  double *f, *a;    // forces and accelerations
  double *df, *da;  // direction
  bool* clamped;    // rows whose acceleration is held at 0
  State* normal;    // of unilateral rows
  State* group;     //
  double* d;        // recorded direction, 2 per group
  int* last;        // zero-step rule: the set a row or group came from in the last step, or -1
  int* member;      // clamped rows, in order
  double *matrix, *tau, *rhs, *x, *scratch;
  int* permutation;
  double velocity, force;  // scales
};

static inline int tangent_of(const TriboDantzig* s, int g) {
  return tribo_gram_tangent(&s->gram, g);
}

static inline double radius_of(const TriboDantzig* s, int g, const double* f) {
  return tribo_gram_radius(&s->gram, g, f);
}

static inline bool is_tied(const TriboDantzig* s, int g) {
  return s->group[g] == CONE || s->group[g] == DYNAMIC;
}

// df, da for a change `sign` of force i.
void tribo_dantzig_direction(TriboDantzig* s, int i, double sign);

// Clamped accelerations are 0 but for rounding, which adds up over the steps: forces that make them
// so, from where they are.
void tribo_dantzig_correct(TriboDantzig* s);

typedef struct Step {
  double length;  // infinite: a ray
  int what;       // row of N, or rows + g for a group; -1 for what is driven
  bool cone;      // the driven friction reached its cone
} Step;

// The step at which |t| = R, from inside.
double tribo_dantzig_reach_cone(const TriboDantzig* s, int g);

// Rates that are rounding must not become steps.
double tribo_dantzig_least_rate(const TriboDantzig* s);

// maxstep: the first change of any set along the direction.
Step tribo_dantzig_max_step(const TriboDantzig* s, int driven_group);

#endif  // TRIBO_SOLVERS_DANTZIG_STATE_H_
