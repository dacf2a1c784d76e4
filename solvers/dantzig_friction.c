// SPDX-License-Identifier: Apache-2.0
//
// Unknowns: the forces f of all rows (X, N, T in this order, scaled to unit length), accelerations
// a = A f + b, A = J J^T. Conditions are established one at a time by driving one force, all others
// held where they are established [Baraff1994] 5.2 to 5.5. The index sets:
//
//   normals   CLAMPED (C: a = 0, f >= 0), FREE (NC: f = 0, a >= 0), IGNORED (not established)
//   groups    CLAMPED (C_F: a = 0), CONE (NC+, NC-, NC_F: t = R d, d recorded when the force
//   reached
//             the cone), DYNAMIC (t = R d, d against the sliding velocity, always), IGNORED (t
//             stays as it is)
//   bilateral rows are always clamped.
//
// fdirection: a unit change of the driven force changes the clamped forces so that the clamped
// accelerations stay 0. The force of a normal whose group is on the cone takes mu d of friction
// along, so the matrix is not symmetric; redundant rows make it singular, but consistently so, and
// a basic least-squares solution serves (section 4.4). maxstep: the first change of any set.
//
// Where it does not end, it is tried once more with the contacts in the opposite order.
//
// A set that changes back right after a step of length 0 is given up (IGNORED) and established
// again later; a friction force that was given up is first driven back to 0.
//
// In three dimensions the x force is established first and then y (section 5.6). A contact that
// leaves the cone with an acceleration across d cannot be clamped, since that would need a = 0: it
// is given up too.
//
// An infinite step is a ray, and its direction is one of impulses (section 6): scaled up from 0 to
// the first contact that stops sliding.
#include "solvers/dantzig_friction.h"

#include <math.h>
#include <string.h>

#include "solvers/dantzig_state.h"

TriboDantzigOptions tribo_dantzig_options_default(void) {
  const TriboDantzigOptions options = {1e-11, 0};
  return options;
}

TriboDantzig* tribo_dantzig_init(TriboArena* arena, int rows, int groups) {
  TriboDantzig made = {.problem = NULL};
  TriboDantzig* dantzig = tribo_arena_take(arena, 1, sizeof *dantzig);
  tribo_gram_init(&made.gram, arena, rows, groups);
  made.matrix = tribo_arena_take(arena, (size_t)rows * (size_t)rows, sizeof(double));
  double** vectors[] = {&made.f,   &made.a,   &made.df, &made.da,
                        &made.tau, &made.rhs, &made.x,  &made.scratch};
  for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; ++v) {
    *vectors[v] = tribo_arena_doubles(arena, rows);
  }
  made.d = tribo_arena_doubles(arena, 2 * groups);
  made.clamped = tribo_arena_take(arena, (size_t)rows, sizeof(bool));
  made.normal = tribo_arena_take(arena, (size_t)rows, sizeof(State));
  made.group = tribo_arena_take(arena, (size_t)groups, sizeof(State));
  made.last = tribo_arena_ints(arena, rows + groups);
  made.member = tribo_arena_ints(arena, rows);
  made.permutation = tribo_arena_ints(arena, rows);
  if (dantzig == NULL || arena->overflowed) return NULL;
  *dantzig = made;
  return dantzig;
}

// ---- The start ----

static void start(TriboDantzig* s, const double* slip, double still) {
  const TriboContactProblem* p = s->problem;
  for (int i = 0; i < s->m; ++i) {
    s->f[i] = 0;
    s->a[i] = s->gram.b[i];
    s->clamped[i] = i < s->first_N;
  }
  s->force = s->velocity;
  for (int i = 0; i < p->N.count; ++i) s->normal[i] = IGNORED;
  for (int g = 0; g < p->ng; ++g) {
    const TriboFrictionGroup* group = &p->group[g];
    double speed = 0;
    for (int r = 0; slip != NULL && r < group->rows; ++r) {
      speed += slip[group->tangent + r] * slip[group->tangent + r];
    }
    speed = sqrt(speed);
    s->group[g] = slip != NULL && speed > still ? DYNAMIC : IGNORED;
    for (int r = 0; r < 2; ++r) {
      const bool there = s->group[g] == DYNAMIC && r < group->rows;
      s->d[2 * g + r] = there ? -slip[group->tangent + r] / speed : 0;
    }
  }
}

// ---- Changes of the sets ----

static void set_group(TriboDantzig* s, int g, State state) {
  const TriboFrictionGroup* group = &s->problem->group[g];
  s->group[g] = state;
  for (int r = 0; r < group->rows; ++r) s->clamped[tangent_of(s, g) + r] = state == CLAMPED;
}

// Onto the cone in the direction that the force has now.
static void put_on_cone(TriboDantzig* s, int g) {
  const TriboFrictionGroup* group = &s->problem->group[g];
  const int t = tangent_of(s, g);
  double length = 0;
  for (int r = 0; r < group->rows; ++r) length += s->f[t + r] * s->f[t + r];
  length = sqrt(length);
  // No force yet: against the acceleration.
  const double* v = length > 1e-12 * s->force ? s->f + t : s->a + t;
  const double sign = length > 1e-12 * s->force ? 1 : -1;
  length = 0;
  for (int r = 0; r < group->rows; ++r) length += v[r] * v[r];
  length = sqrt(length);
  for (int r = 0; r < group->rows; ++r) s->d[2 * g + r] = length > 0 ? sign * v[r] / length : 0;
  set_group(s, g, CONE);
}

// Static friction of a normal that lets go carries nothing from now on; it is established again
// when the contact pushes again.
static void let_friction_go(TriboDantzig* s, int normal) {
  for (int g = 0; g < s->problem->ng; ++g) {
    if (s->problem->group[g].normal != normal || s->group[g] == DYNAMIC) continue;
    if (s->gram.bound[g] > 0) continue;
    set_group(s, g, IGNORED);
    for (int r = 0; r < s->problem->group[g].rows; ++r) s->f[tangent_of(s, g) + r] = 0;
  }
}

static bool across_is_still(const TriboDantzig* s, int g) {
  for (int r = 0; r < s->problem->group[g].rows; ++r) {
    if (fabs(s->a[tangent_of(s, g) + r]) > 1e-9 * s->velocity) return false;
  }
  return true;
}

// Moves what bounded the step to its other set, or gives it up when it came from there by a step of
// length 0.
static void change(TriboDantzig* s, int what, double length) {
  int* last = &s->last[what];
  const bool back = length <= 0 && *last >= 0;
  if (what < s->m) {
    const int i = what - s->first_N;
    const State from = s->normal[i];
    State to = from == CLAMPED ? FREE : CLAMPED;
    if (back && *last == (int)to) {
      to = IGNORED;
      ++s->result->given_up;
    }
    s->normal[i] = to;
    s->clamped[what] = to == CLAMPED;
    if (to != CLAMPED) {
      s->f[what] = 0;
      let_friction_go(s, i);
    }
    *last = (int)from;
    return;
  }
  const int g = what - s->m;
  const State from = s->group[g];
  const State to = from == CLAMPED ? CONE : CLAMPED;
  if (back && *last == (int)to) {
    set_group(s, g, IGNORED);
    ++s->result->given_up;
  } else if (to == CONE) {
    put_on_cone(s, g);
  } else if (across_is_still(s, g)) {
    set_group(s, g, CLAMPED);
  } else {
    set_group(s, g, IGNORED);
    ++s->result->given_up;
  }
  *last = (int)from;
}

static void advance(TriboDantzig* s, double length) {
  for (int i = 0; i < s->m; ++i) {
    s->f[i] += length * s->df[i];
    s->a[i] += length * s->da[i];
  }
}

static void forget_last(TriboDantzig* s) {
  for (int i = 0; i < s->m + s->problem->ng; ++i) s->last[i] = -1;
}

// ---- Driving ----

// What ends a drive of force i, besides changes: its acceleration at 0, or the force itself.
typedef enum Goal { GOAL_STILL, GOAL_NO_FORCE } Goal;

// TRIBO_OK: the goal, or (friction) the cone, is reached. TRIBO_ERROR_RAY: df is a ray.
static TriboStatus drive(TriboDantzig* s, int i, double sign, int g, Goal goal) {
  ++s->result->drives;
  forget_last(s);
  for (;;) {
    if (++s->result->steps > s->limit) return TRIBO_ERROR_LIMIT;
    tribo_dantzig_direction(s, i, sign);
    Step step = tribo_dantzig_max_step(s, g);
    const double rate = goal == GOAL_STILL ? s->da[i] : s->df[i];
    const double value = goal == GOAL_STILL ? s->a[i] : s->f[i];
    // The goal goes first among equals.
    if (rate * sign > tribo_dantzig_least_rate(s) && -value / rate <= step.length) {
      step = (Step){fmax(-value / rate, 0), -1, false};
    }
    if (g >= 0 && goal == GOAL_STILL) {
      const double cone = tribo_dantzig_reach_cone(s, g);
      if (cone < step.length) step = (Step){cone, -1, true};
    }
    if (isinf(step.length)) return TRIBO_ERROR_RAY;
    advance(s, step.length);
    if (step.what >= 0) {
      change(s, step.what, step.length);
      continue;
    }
    if (step.cone) put_on_cone(s, g);
    return TRIBO_OK;
  }
}

static TriboStatus establish_normal(TriboDantzig* s, int i) {
  const int row = s->first_N + i;
  s->normal[i] = IGNORED;
  s->clamped[row] = false;
  const TriboStatus status = drive(s, row, 1, -1, GOAL_STILL);
  if (status != TRIBO_OK) return status;
  s->normal[i] = CLAMPED;
  s->clamped[row] = true;
  tribo_dantzig_correct(s);
  return TRIBO_OK;
}

static TriboStatus establish_friction(TriboDantzig* s, int g) {
  const TriboFrictionGroup* group = &s->problem->group[g];
  TriboStatus status = TRIBO_OK;
  set_group(s, g, IGNORED);
  // A force that was given up goes back to 0 first.
  for (int r = 0; r < group->rows && status == TRIBO_OK; ++r) {
    const int row = tangent_of(s, g) + r;
    if (fabs(s->f[row]) > 1e-14 * s->force) {
      // The goal is met where f moves against its sign: df = sign, rate * sign > 0.
      status = drive(s, row, s->f[row] > 0 ? -1 : 1, -1, GOAL_NO_FORCE);
    }
    s->f[row] = status == TRIBO_OK ? 0 : s->f[row];
  }
  if (status == TRIBO_OK) tribo_dantzig_correct(s);
  for (int r = 0; r < group->rows && status == TRIBO_OK; ++r) {
    const int row = tangent_of(s, g) + r;
    if (fabs(s->a[row]) > s->tolerance * s->velocity) {
      status = drive(s, row, s->a[row] > 0 ? -1 : 1, g, GOAL_STILL);
    }
    if (status != TRIBO_OK || s->group[g] == CONE) break;
    s->clamped[row] = true;
    // A drive of another row may have let the normal go.
    if (group->normal >= 0 && s->gram.bound[g] == 0 && s->normal[group->normal] != CLAMPED) {
      set_group(s, g, IGNORED);
      for (int k = 0; k < group->rows; ++k) s->f[tangent_of(s, g) + k] = 0;
      break;
    }
    if (r == group->rows - 1) set_group(s, g, CLAMPED);
  }
  if (status == TRIBO_OK) tribo_dantzig_correct(s);
  return status;
}

// ---- The main loop ----

// How far a group is from Baraff's conditions, relative.
static double friction_violation(const TriboDantzig* s, int g) {
  const TriboFrictionGroup* group = &s->problem->group[g];
  const int t = tangent_of(s, g);
  const double R = radius_of(s, g, s->f);
  double length = 0, speed = 0, power = 0;
  for (int r = 0; r < group->rows; ++r) {
    length += s->f[t + r] * s->f[t + r];
    speed += s->a[t + r] * s->a[t + r];
    power += s->f[t + r] * s->a[t + r];
  }
  length = sqrt(length);
  speed = sqrt(speed);
  const double outside = (length - R) / s->force, moving = speed / s->velocity;
  if (s->group[g] == DYNAMIC) return fmax(outside, 0);
  const double slack = fmin(moving, (R - length) / s->force);
  const double pushing = length > 0 && speed > 0 ? fmin(moving, power / (speed * s->force)) : 0;
  return fmax(fmax(outside, slack), pushing);
}

static double normal_violation(const TriboDantzig* s, int i) {
  const int row = s->first_N + i;
  const double push = s->f[row] / s->force, open = s->a[row] / s->velocity;
  return fmax(fmax(-push, -open), fmin(push, open));
}

static double worst_violation(const TriboDantzig* s) {
  double worst = 0;
  for (int i = 0; i < s->first_N; ++i) worst = fmax(worst, fabs(s->a[i]) / s->velocity);
  for (int i = 0; i < s->problem->N.count; ++i) worst = fmax(worst, normal_violation(s, i));
  for (int g = 0; g < s->problem->ng; ++g) worst = fmax(worst, friction_violation(s, g));
  return worst;
}

// The matrix of clamped rows may be singular without being consistent once friction has made it
// unsymmetric. A clamped normal that pulls or moves then is given up, its force dropped, and what
// that breaks is established again.
static bool drop_broken(TriboDantzig* s) {
  for (int i = 0; i < s->problem->N.count; ++i) {
    const int row = s->first_N + i;
    if (s->normal[i] != CLAMPED) continue;
    const bool pulls = s->f[row] < -10 * s->tolerance * s->force;
    if (!pulls && fabs(s->a[row]) <= 1e-9 * s->velocity) continue;
    s->normal[i] = IGNORED;
    s->clamped[row] = false;
    s->f[row] = 0;
    let_friction_go(s, i);
    ++s->result->given_up;
    tribo_dantzig_correct(s);
    return true;
  }
  return false;
}

// Establishes the first condition that does not hold; false when all do.
static bool establish_next(TriboDantzig* s, TriboStatus* status) {
  if (drop_broken(s)) {
    if (++s->result->steps > s->limit) *status = TRIBO_ERROR_LIMIT;
    return true;
  }
  const int normals = s->problem->N.count, groups = s->problem->ng;
  for (int c = 0; c < normals; ++c) {
    const int i = s->backwards ? normals - 1 - c : c;
    if (s->normal[i] == CLAMPED || s->a[s->first_N + i] >= -s->tolerance * s->velocity) continue;
    *status = establish_normal(s, i);
    return true;
  }
  for (int c = 0; c < groups; ++c) {
    const int g = s->backwards ? groups - 1 - c : c;
    const double R = radius_of(s, g, s->f);
    if (s->group[g] == DYNAMIC || R <= 1e-14 * s->force) continue;
    if (friction_violation(s, g) <= 10 * s->tolerance) continue;
    *status = establish_friction(s, g);
    return true;
  }
  return false;
}

static TriboStatus establish_all(TriboDantzig* s) {
  s->result->residual = 0;
  if (s->velocity == 0) return TRIBO_OK;
  tribo_dantzig_correct(s);
  for (int i = 0; i < s->first_N; ++i) {
    if (fabs(s->a[i]) > 1e-9 * s->velocity) return TRIBO_ERROR_INFEASIBLE;
  }
  TriboStatus status = TRIBO_OK;
  while (status == TRIBO_OK && establish_next(s, &status)) {
  }
  s->result->residual = worst_violation(s);
  return status == TRIBO_OK && s->result->residual > 1e-8 ? TRIBO_ERROR_LIMIT : status;
}

// ---- The result ----

static void write_solution(const TriboDantzig* s, const double* f, TriboContactSolution* solution) {
  const TriboContactProblem* p = s->problem;
  tribo_gram_write(&s->gram, f, solution);
  for (int i = 0; i < p->N.count; ++i) {
    solution->mode_N[i] = f[s->first_N + i] > 0 ? TRIBO_MODE_STICK : TRIBO_MODE_SEPARATE;
  }
  for (int g = 0; g < p->ng; ++g) {
    solution->mode_g[g] = radius_of(s, g, f) == 0 ? TRIBO_MODE_SEPARATE
                          : is_tied(s, g)         ? TRIBO_MODE_SLIDE
                                                  : TRIBO_MODE_STICK;
  }
}

// The ray df, scaled up from 0 to the first dynamic group that stops.
static TriboStatus write_impulse(TriboDantzig* s, const double* slip,
                                 TriboContactSolution* solution) {
  const TriboContactProblem* p = s->problem;
  double least = INFINITY;
  s->result->kind = TRIBO_DANTZIG_IMPULSE;
  for (int g = 0; g < p->ng; ++g) {
    if (s->group[g] != DYNAMIC) continue;
    double along = 0, square = 0;
    for (int r = 0; r < p->group[g].rows; ++r) {
      const int row = p->group[g].tangent + r, i = s->first_T + row;
      along += slip[row] * s->da[i] * s->gram.scale[i];
      square += slip[row] * slip[row];
    }
    if (along < 0 && -square / along < least) {
      least = -square / along;
      s->result->stopped = g;
    }
  }
  if (s->result->stopped < 0) return TRIBO_ERROR_RAY;
  for (int i = 0; i < s->m; ++i) s->df[i] *= least;
  write_solution(s, s->df, solution);
  tribo_problem_velocity(p, solution);
  for (int i = 0; i < p->ny; ++i) solution->y[i] -= p->k[i];
  s->result->residual = 0;
  return TRIBO_OK;
}

TriboStatus tribo_dantzig_solve(TriboDantzig* s, const TriboContactProblem* problem,
                                const double* slip, double still,
                                const TriboDantzigOptions* options, TriboContactSolution* solution,
                                TriboDantzigResult* result) {
  *result = (TriboDantzigResult){.stopped = -1};
  TriboStatus status = tribo_gram_load(&s->gram, problem);
  if (status != TRIBO_OK) return status;
  s->problem = problem;
  s->m = s->gram.m;
  s->first_N = s->gram.first_N;
  s->first_T = s->gram.first_T;
  s->velocity = s->gram.velocity;
  s->result = result;
  s->tolerance = options->tolerance;
  const int steps = options->max_steps > 0 ? options->max_steps : 200 + 50 * s->m;
  status = TRIBO_ERROR_LIMIT;
  for (int attempt = 0; attempt < 2 && status == TRIBO_ERROR_LIMIT; ++attempt) {
    s->backwards = attempt == 1;
    s->limit = result->steps + steps;
    start(s, slip, still);
    status = establish_all(s);
  }
  if (status == TRIBO_ERROR_INFEASIBLE) return status;
  if (status == TRIBO_ERROR_RAY && slip != NULL) return write_impulse(s, slip, solution);
  if (status == TRIBO_ERROR_RAY) status = TRIBO_ERROR_LIMIT;
  write_solution(s, s->f, solution);
  tribo_problem_velocity(problem, solution);
  return status;
}
