// SPDX-License-Identifier: Apache-2.0
//
// [Baraff1994] 5.6 records the direction of friction when its force reaches the cone, which in
// three dimensions need not be against the sliding that comes out. Here the sliding velocity of the
// last answer is recorded instead, and the groups that slide have dynamic friction against it
// (section 6) in the next round: a fixed point is Coulomb's law. The step from direction to
// direction contracts slowly where bodies turn while they slide; the rounds are therefore few, and
// what is left is a matter for Newton's method from here, as with Lemke's polygon.
//
// A group that would slide backwards along the direction recorded for it sticks: it has static
// friction again in the next round.
#include "solvers/dantzig_coulomb.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 8 };

// A step of the index sets costs an elimination over the clamped rows: a solve may take this many
// multiplications, about a second.
static const double kMostWork = 1e9;

// Slower than this share of the velocity scale sqrt(|k|^2 + |y|^2) over a row is no sliding.
static const double kStill = 1e-9;

struct TriboDantzigCoulomb {
  TriboDantzig* dantzig;
  int ny, x, n, t, groups;
  double* slip;                // recorded directions: slip of the groups with dynamic friction  (t)
  TriboContactSolution trial;  // of the round
  double* scratch;             // (ny)
};

TriboDantzigCoulomb* tribo_dantzig_coulomb_init(TriboArena* arena, int ny, int x, int n, int t,
                                                int groups) {
  TriboDantzigCoulomb made = {.ny = ny, .x = x, .n = n, .t = t, .groups = groups};
  TriboDantzigCoulomb* solver = tribo_arena_take(arena, 1, sizeof *solver);
  made.dantzig = tribo_dantzig_init(arena, x + n + t, groups);
  made.slip = tribo_arena_doubles(arena, t);
  made.scratch = tribo_arena_doubles(arena, ny);
  made.trial.y = tribo_arena_doubles(arena, ny);
  made.trial.x = tribo_arena_doubles(arena, x);
  made.trial.f = tribo_arena_doubles(arena, n);
  made.trial.t = tribo_arena_doubles(arena, t);
  made.trial.mode_N = tribo_arena_take(arena, (size_t)n, sizeof(TriboMode));
  made.trial.mode_g = tribo_arena_take(arena, (size_t)groups, sizeof(TriboMode));
  if (solver == NULL || arena->overflowed) return NULL;
  *solver = made;
  return solver;
}

static void copy(void* to, const void* from, int count, size_t size) {
  if (count > 0) memcpy(to, from, (size_t)count * size);
}

static void keep(const TriboContactProblem* p, const TriboContactSolution* from,
                 TriboContactSolution* to) {
  copy(to->y, from->y, p->ny, sizeof(double));
  copy(to->x, from->x, p->X.count, sizeof(double));
  copy(to->f, from->f, p->N.count, sizeof(double));
  copy(to->t, from->t, p->T.count, sizeof(double));
  copy(to->mode_N, from->mode_N, p->N.count, sizeof(TriboMode));
  copy(to->mode_g, from->mode_g, p->ng, sizeof(TriboMode));
}

static double size_of(const double* v, int n) {
  double square = 0;
  for (int i = 0; i < n; ++i) square += v[i] * v[i];
  return sqrt(square);
}

// Sliding slower than this is rounding.
static double still_speed(const TriboContactProblem* p, const double* y) {
  double longest = 0;
  for (int i = 0; i < p->T.count; ++i) {
    const int begin = p->T.start[i], end = p->T.start[i + 1];
    longest = fmax(longest, size_of(p->T.value + begin, end - begin));
  }
  return kStill * longest * fmax(size_of(p->k, p->ny), size_of(y, p->ny));
}

// The slip of the trial's sliding groups; 0 for all others.
static void record(TriboDantzigCoulomb* s, const TriboContactProblem* p) {
  for (int g = 0; g < p->ng; ++g) {
    const TriboFrictionGroup* group = &p->group[g];
    const bool slides = s->trial.mode_g[g] == TRIBO_MODE_SLIDE;
    double power = 0, slip[2] = {0, 0};
    for (int r = 0; r < group->rows; ++r) {
      const int row = group->tangent + r;
      slip[r] = tribo_row_dot(&p->T, row, s->trial.y) - p->b_T[row];
      power += slip[r] * s->trial.t[row];
    }
    for (int r = 0; r < group->rows; ++r) {
      s->slip[group->tangent + r] = slides && power < 0 ? slip[r] : 0;
    }
  }
}

TriboStatus tribo_dantzig_coulomb_solve(TriboDantzigCoulomb* s, const TriboContactProblem* p,
                                        TriboCone cone, double tolerance,
                                        TriboContactSolution* solution,
                                        TriboDantzigCoulombInfo* info) {
  *info = (TriboDantzigCoulombInfo){.rounds = 0};
  info->certificate.worst = INFINITY;
  if (p->ny > s->ny || p->X.count > s->x || p->N.count > s->n || p->T.count > s->t ||
      p->ng > s->groups) {
    return TRIBO_ERROR_CAPACITY;
  }
  TriboDantzigOptions options = tribo_dantzig_options_default();
  const int rows = p->X.count + p->N.count + p->T.count;
  const double most = kMostWork / fmax(pow(rows, 3), 1);
  options.max_steps = (int)fmin(200 + 50 * rows, 1 + most);
  double still = 0;
  while (info->rounds < ROUNDS) {
    TriboDantzigResult result;
    const TriboStatus status = tribo_dantzig_solve(s->dantzig, p, info->rounds > 0 ? s->slip : NULL,
                                                   still, &options, &s->trial, &result);
    ++info->rounds;
    info->pivots += result.steps;
    if (status != TRIBO_OK && status != TRIBO_ERROR_LIMIT && status != TRIBO_ERROR_RAY) {
      return status;
    }
    // Directions for which there are no finite forces lead nowhere.
    if (status == TRIBO_ERROR_RAY || result.kind == TRIBO_DANTZIG_IMPULSE) break;
    const TriboCertificate certificate = tribo_certify(p, cone, &s->trial, s->scratch);
    if (certificate.worst < info->certificate.worst) {
      keep(p, &s->trial, solution);
      info->certificate = certificate;
    }
    if (certificate.worst <= tolerance) return TRIBO_OK;
    if (status != TRIBO_OK || !isfinite(certificate.worst)) break;
    still = still_speed(p, s->trial.y);
    record(s, p);
  }
  return TRIBO_ERROR_LIMIT;
}
