// SPDX-License-Identifier: Apache-2.0
#include "engine/contact/impact.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 60 };

// One impact.
typedef struct Impact {
  TriboProblemSet* set;
  const TriboStepOptions* options;
  TriboIslandProblem* island;
  TriboArena* scratch;
  TriboIslandInfo* info;

  TriboContactProblem problem;    // the island's rows with other targets
  TriboContactSolution solution;  // of one solve
  double* k;                      // velocity that a solve starts from                 (ny)
  double* b_N;                    // (N)
  TriboFrictionGroup* group;      // (ng)
  double* size;                   // |N_i|                                             (N)
  double* bounce;                 // share of a row's impulse that comes back          (N)
  bool* closed;                   // rows that touch at the end of the step            (N)
} Impact;

static void layout(Impact* m, TriboArena* arena, int ny, int x, int n, int t, int ng) {
  m->solution.y = tribo_arena_doubles(arena, ny);
  m->solution.x = tribo_arena_doubles(arena, x);
  m->solution.f = tribo_arena_doubles(arena, n);
  m->solution.t = tribo_arena_doubles(arena, t);
  m->solution.mode_N = (TriboMode*)tribo_arena_take(arena, (size_t)n, sizeof(TriboMode));
  m->solution.mode_g = (TriboMode*)tribo_arena_take(arena, (size_t)ng, sizeof(TriboMode));
  m->k = tribo_arena_doubles(arena, ny);
  m->b_N = tribo_arena_doubles(arena, n);
  m->group = (TriboFrictionGroup*)tribo_arena_take(arena, (size_t)ng, sizeof(TriboFrictionGroup));
  m->size = tribo_arena_doubles(arena, n);
  m->bounce = tribo_arena_doubles(arena, n);
  m->closed = (bool*)tribo_arena_take(arena, (size_t)n, sizeof(bool));
}

size_t tribo_impact_scratch(const TriboProblemSet* set) {
  TriboArena arena = tribo_arena_measure();
  Impact measured;
  layout(&measured, &arena, set->max_y, set->X.capacity, set->N.capacity, set->T.capacity,
         set->max_groups);
  (void)tribo_arena_doubles(&arena, set->N.capacity);
  return arena.used;
}

static double norm(const double* values, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i] * values[i];
  return sqrt(sum);
}

// ---- what bounces

// Row times a velocity given by dof of the whole model.
static double dot_global(const TriboProblemSet* set, const TriboIslandProblem* island, int row,
                         const double* y) {
  const TriboRows* N = &island->problem.N;
  const int i = (int)(island - set->island);
  double sum = 0;
  for (int e = N->start[row]; e < N->start[row + 1]; ++e) {
    // The tree whose coordinates hold this entry; an island has few, a row at most two.
    for (int t = set->islands.first[i + 1] - 1; t >= set->islands.first[i]; --t) {
      const int tree = set->islands.tree[t], dof = N->index[e] - set->tree_shift[tree];
      if (dof < set->tree_dof[tree] || dof >= set->tree_dof[tree + 1]) continue;
      sum += N->value[e] * y[dof];
      break;
    }
  }
  return sum;
}

// Whether a row touches where the step's own solve ends. One that ends short of it bounces in the
// next step: from above the floor a ball would come back too high.
static bool closes(const TriboContactProblem* problem, int row, const double* y, double h) {
  return h * (tribo_row_dot(&problem->N, row, y) - problem->b_N[row]) <= kTriboClosedGap;
}

// Share of a contact's compression impulse that it gives back: e, times the speed at the moment of
// touching over the free one; 0 where it does not close in this step or too slowly.
static double bounce_of(const TriboProblemSet* set, const TriboDetection* detection,
                        const TriboStepOptions* options, const TriboIslandProblem* island,
                        int contact, const double* y_before) {
  const TriboContactRows* rows = &set->contact[contact];
  const double e = rows->surface->restitution;
  if (!(e > 0)) return 0;
  const double gap = fmax(detection->contact[contact].gap, 0);
  if (!closes(&island->problem, rows->normal, island->solution.y, options->h)) return 0;
  const double free = -tribo_row_dot(&island->problem.N, rows->normal, island->problem.k);
  if (!(free > options->impact_speed)) return 0;
  const double late = fmin(1, gap / (free * options->h));  // part of the step before they touch
  const double start = -dot_global(set, island, rows->normal, y_before);
  const double speed = (1 - late) * start + late * free;
  return speed > options->impact_speed ? e * fmin(1, speed / free) : 0;
}

bool tribo_impact_happens(const TriboProblemSet* set, const TriboDetection* detection,
                          const TriboStepOptions* options, int island, const double* y_before) {
  const TriboIslandProblem* p = &set->island[island];
  for (int c = 0; c < p->contacts; ++c) {
    const int contact = set->contact_order[p->first_contact + c];
    if (set->contact[contact].surface->restitution > 0 &&
        bounce_of(set, detection, options, p, contact, y_before) > 0) {
      return true;
    }
  }
  return false;
}

// ---- solves

// A target that no velocity of the island's energy reaches: the row is out.
static double out_of_reach(const Impact* m, int row) {
  return -2 * m->size[row] * norm(m->k, m->problem.ny);
}

static TriboStatus solve(Impact* m) {
  TriboIslandInfo one;
  const TriboStatus status =
      tribo_island_solve(m->options, &m->problem, NULL, &m->solution, m->scratch, &one);
  tribo_island_info_add(m->info, &one);
  return status;
}

// Adds the impulses of the last solve to the totals and goes on from its velocity.
static void take_up(Impact* m) {
  const TriboContactProblem* problem = &m->problem;
  TriboContactSolution* total = &m->island->reported;
  for (int i = 0; i < problem->X.count; ++i) total->x[i] += m->solution.x[i];
  for (int i = 0; i < problem->N.count; ++i) total->f[i] += m->solution.f[i];
  for (int i = 0; i < problem->T.count; ++i) total->t[i] += m->solution.t[i];
  memcpy(m->k, m->solution.y, (size_t)problem->ny * sizeof *m->k);
}

// Friction in a solve: within mu times the impulse that the solve finds and `given`, the one that
// is put in; dry joints and motors have no time to act unless `slow`.
static void set_friction(Impact* m, const double* given, bool slow) {
  for (int g = 0; g < m->problem.ng; ++g) {
    const TriboFrictionGroup* from = &m->island->problem.group[g];
    m->group[g] = *from;
    if (from->normal < 0) {
      m->group[g].bound = slow ? from->bound : 0;
    } else if (given != NULL) {
      m->group[g].bound += from->mu * given[from->normal];
    }
  }
}

// The rows that approach take part in a round.
static bool choose_rows(Impact* m) {
  const double noise = 1e-10 * norm(m->k, m->problem.ny);
  bool any = false;
  for (int i = 0; i < m->problem.N.count; ++i) {
    const bool in = m->closed[i] && tribo_row_dot(&m->problem.N, i, m->k) < -noise * m->size[i];
    m->b_N[i] = in ? 0 : out_of_reach(m, i);
    any = any || in;
  }
  return any;
}

// Impulses that the rows give back after a compression, pushed onto the velocity.
static bool give_back(Impact* m, double* given) {
  const TriboContactProblem* problem = &m->problem;
  bool any = false;
  for (int i = 0; i < problem->N.count; ++i) {
    given[i] = m->bounce[i] * m->solution.f[i];
    if (!(given[i] > 0)) continue;
    any = true;
    m->island->reported.f[i] += given[i];
    tribo_row_axpy(&problem->N, i, given[i], m->k);
  }
  return any;
}

// From the second round on, contacts that bounce do so by the speed that the round finds.
static void set_bounce(Impact* m) {
  const TriboIslandProblem* island = m->island;
  for (int c = 0; c < island->contacts; ++c) {
    const TriboContactRows* rows =
        &m->set->contact[m->set->contact_order[island->first_contact + c]];
    const double speed = -tribo_row_dot(&m->problem.N, rows->normal, m->k);
    m->bounce[rows->normal] = speed > m->options->impact_speed ? rows->surface->restitution : 0;
  }
}

static TriboStatus poisson(Impact* m, double* given) {
  TriboStatus status = TRIBO_OK;
  for (int round = 0; round < ROUNDS && choose_rows(m); ++round) {
    if (round > 0) set_bounce(m);
    set_friction(m, NULL, false);
    status = solve(m);
    if (status != TRIBO_OK) return status;
    take_up(m);
    if (!give_back(m, given)) continue;
    set_friction(m, given, false);
    status = solve(m);
    if (status != TRIBO_OK) return status;
    take_up(m);
  }
  // What still approaches does so for the last time; now all that acts over the step does.
  for (int i = 0; i < m->problem.N.count; ++i) m->b_N[i] = m->closed[i] ? 0 : out_of_reach(m, i);
  set_friction(m, NULL, true);
  status = solve(m);
  if (status == TRIBO_OK) take_up(m);
  return status;
}

// Newton: the speed of separation is e times that of approach. Not always possible.
static TriboStatus newton(Impact* m) {
  for (int i = 0; i < m->problem.N.count; ++i) {
    const double free = -tribo_row_dot(&m->problem.N, i, m->k);
    m->b_N[i] = !m->closed[i] ? out_of_reach(m, i) : m->bounce[i] > 0 ? m->bounce[i] * free : 0;
  }
  set_friction(m, NULL, true);
  const TriboStatus status = solve(m);
  if (status == TRIBO_OK) take_up(m);
  return status;
}

// ---- one island

static void start(Impact* m, const TriboDetection* detection, const double* y_before) {
  TriboIslandProblem* island = m->island;
  const TriboContactProblem* problem = &island->problem;
  m->problem = *problem;
  m->problem.k = m->k;
  m->problem.b_N = m->b_N;
  m->problem.group = m->group;
  memcpy(m->k, problem->k, (size_t)problem->ny * sizeof *m->k);
  for (int i = 0; i < problem->N.count; ++i) {
    const int first = problem->N.start[i];
    m->size[i] = norm(problem->N.value + first, problem->N.start[i + 1] - first);
    m->bounce[i] = 0;
    m->closed[i] = closes(problem, i, island->solution.y, m->options->h);
  }
  for (int c = 0; c < island->contacts; ++c) {
    const int contact = m->set->contact_order[island->first_contact + c];
    m->bounce[m->set->contact[contact].normal] =
        bounce_of(m->set, detection, m->options, island, contact, y_before);
  }
}

static void clear_totals(TriboIslandProblem* island) {
  const TriboContactProblem* problem = &island->problem;
  memset(island->reported.x, 0, (size_t)problem->X.count * sizeof(double));
  memset(island->reported.f, 0, (size_t)problem->N.count * sizeof(double));
  memset(island->reported.t, 0, (size_t)problem->T.count * sizeof(double));
}

TriboStatus tribo_impact(TriboProblemSet* set, const TriboDetection* detection,
                         const TriboStepOptions* options, int island, const double* y_before,
                         TriboArena* scratch, TriboIslandInfo* info) {
  TriboIslandProblem* p = &set->island[island];
  const TriboContactProblem* problem = &p->problem;
  const size_t mark = tribo_arena_mark(scratch);
  Impact m = {.set = set, .options = options, .island = p, .scratch = scratch, .info = info};
  layout(&m, scratch, problem->ny, problem->X.count, problem->N.count, problem->T.count,
         problem->ng);
  double* given = tribo_arena_doubles(scratch, problem->N.count);
  TriboStatus status = TRIBO_ERROR_CAPACITY;
  if (!scratch->overflowed) {
    p->reported = p->total;
    clear_totals(p);
    start(&m, detection, y_before);
    status = TRIBO_ERROR_LIMIT;
    if (options->restitution == TRIBO_RESTITUTION_NEWTON) {
      status = newton(&m);
      if (status != TRIBO_OK) {
        clear_totals(p);
        start(&m, detection, y_before);
      }
    }
    if (status != TRIBO_OK) status = poisson(&m, given);
    if (status == TRIBO_OK) memcpy(p->reported.y, m.k, (size_t)problem->ny * sizeof(double));
  }
  tribo_arena_reset(scratch, mark);
  return status;
}
