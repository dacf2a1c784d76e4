// SPDX-License-Identifier: Apache-2.0
//
// Problem: the conditions of problem.h with the round cone.
//
// Unknowns: all impulses z = (x, f, t), with y = k + J^T z and u = J y - b. They are the zero of
// the natural map, rho = 3/|row|^2:
//
//   equality     u
//   unilateral   f - max(0, f - rho u)
//   friction     t - P(a),  a = t - rho u_t,  P the nearest point of the disc of radius R
//
// Algorithm: semismooth Newton [AlartCurnier1991]. The modes say which piece of the map
// holds: a unilateral row separates (f = 0) or is active (u = 0); a group sticks (u_t = 0),
// separates (t = 0), or slides. Sliding along e = a/|a| with p across it, Newton's equations are
//
//   t.e = mu f + bound             which leaves with the normal's column, N + mu e.T
//   p.u_t + (|a| - R)/(rho R) t.p = 0        a compliant row: friction turns with the velocity
//
// so that a step has one unknown for every active, sticking or across row, and a matrix that is
// symmetric but for the friction in the columns of sliding normals. The term delta |row|^2 (dz)
// keeps redundant contacts regular and vanishes at the solution: the answer is then the one
// nearest to the start, as each row's square weighs it.
//
// The first step may hold given modes; later modes are those of the map, and a step is halved while
// the residual does not fall. There is no guarantee; the certificate judges.
#include "solvers/newton.h"

#include <math.h>
#include <string.h>

#include "solvers/newton_state.h"

enum { MAX_HALVINGS = 10, WINDOW = 5 };
static const double kRho = 3;

TriboNewtonOptions tribo_newton_options_default(void) {
  const TriboNewtonOptions options = {false, 50, 1e-4, 1e-14};
  return options;
}

TriboNewton* tribo_newton_init(TriboArena* arena, TriboSolverCapacity capacity,
                               TriboCoordinateLu* lu) {
  TriboNewton measuring = {0};
  TriboNewton* newton = (TriboNewton*)tribo_arena_take(arena, 1, sizeof(TriboNewton));
  TriboNewton* c = newton != NULL ? newton : &measuring;
  const int m = capacity.x + capacity.n + capacity.t;
  c->capacity = capacity;
  c->first_group = tribo_arena_ints(arena, capacity.n);
  c->next_group = tribo_arena_ints(arena, capacity.groups);
  double** by_row[] = {&c->square, &c->z, &c->u, &c->zp, &c->up, &c->zt, &c->ut, &c->zb, &c->step};
  for (int v = 0; v < (int)(sizeof by_row / sizeof by_row[0]); ++v) {
    *by_row[v] = tribo_arena_doubles(arena, m);
  }
  c->y = tribo_arena_doubles(arena, capacity.ny);
  c->yp = tribo_arena_doubles(arena, capacity.ny);
  c->yt = tribo_arena_doubles(arena, capacity.ny);
  c->mode_N = (TriboMode*)tribo_arena_take(arena, (size_t)capacity.n, sizeof(TriboMode));
  c->mode_g = (TriboMode*)tribo_arena_take(arena, (size_t)capacity.groups, sizeof(TriboMode));
  c->slide = tribo_arena_doubles(arena, 2 * capacity.groups);
  c->row = (NewtonRow*)tribo_arena_take(arena, (size_t)m, sizeof(NewtonRow));
  c->cross_index = tribo_arena_ints(arena, capacity.entries);
  c->cross_value = tribo_arena_doubles(arena, capacity.entries);
  c->dense = m < NEWTON_DENSE ? m : NEWTON_DENSE;
  c->a = tribo_arena_doubles(arena, c->dense * c->dense);
  c->rhs = tribo_arena_doubles(arena, m);
  c->permutation = tribo_arena_ints(arena, c->dense);
  c->bundle = tribo_arena_ints(arena, m);
  c->panel = tribo_arena_doubles(arena, NEWTON_LANES * capacity.ny);
  c->lu = lu;
  c->list_start = tribo_arena_ints(arena, capacity.x + capacity.n + capacity.groups + 1);
  c->list_index = tribo_arena_ints(arena, capacity.entries);
  c->stamp = tribo_arena_ints(arena, capacity.ny);
  c->dy = tribo_arena_doubles(arena, capacity.ny);
  c->stiff = tribo_arena_doubles(arena, m);
  return arena->overflowed ? NULL : newton;
}

// ---- The iterate ----

static const TriboRows* block_of(const TriboNewton* c, int i, int* row) {
  const TriboContactProblem* problem = c->problem;
  *row = i < c->first_N ? i : i < c->first_T ? i - c->first_N : i - c->first_T;
  return i < c->first_N ? &problem->X : i < c->first_T ? &problem->N : &problem->T;
}

static void copy(double* to, const double* from, int count) {
  if (count > 0) memcpy(to, from, sizeof(double) * (size_t)count);
}

// Sizes, groups by normal, and the impulses to start from.
static bool load(TriboNewton* c, const TriboContactProblem* problem,
                 const TriboContactSolution* solution) {
  const TriboSolverCapacity* room = &c->capacity;
  if (problem->ny > room->ny || problem->X.count > room->x || problem->N.count > room->n ||
      problem->T.count > room->t || problem->ng > room->groups) {
    return false;
  }
  c->problem = problem;
  c->measured = false;
  c->first_N = problem->X.count;
  c->first_T = c->first_N + problem->N.count;
  c->m = c->first_T + problem->T.count;
  for (int i = 0; i < problem->N.count; ++i) c->first_group[i] = -1;
  for (int g = problem->ng - 1; g >= 0; --g) {
    const int normal = problem->group[g].normal;
    if (normal < 0) continue;
    c->next_group[g] = c->first_group[normal];
    c->first_group[normal] = g;
  }
  copy(c->z, solution->x, problem->X.count);
  copy(c->z + c->first_N, solution->f, problem->N.count);
  copy(c->z + c->first_T, solution->t, problem->T.count);
  memset(c->panel, 0, sizeof(double) * (size_t)(NEWTON_LANES * problem->ny));
  return true;
}

static double square_of(const TriboRows* rows, int i) {
  double sum = 0;
  for (int e = rows->start[i]; e < rows->start[i + 1]; ++e) sum += rows->value[e] * rows->value[e];
  return sum;
}

// The squares of all rows, 1 for a row without entries.
static void measure(TriboNewton* c) {
  if (c->measured) return;
  c->measured = true;
  for (int i = 0; i < c->m; ++i) {
    int row;
    const TriboRows* rows = block_of(c, i, &row);
    c->square[i] = square_of(rows, row);
  }
  for (int g = 0; g < c->problem->ng; ++g) {
    const TriboFrictionGroup* group = &c->problem->group[g];
    double* square = c->square + c->first_T + group->tangent;
    if (group->rows == 2) square[0] = square[1] = fmax(square[0], square[1]);
  }
  for (int i = 0; i < c->m; ++i) {
    if (!(c->square[i] > 0)) c->square[i] = 1;
  }
}

static void push_rows(const TriboRows* rows, const double* z, double* y) {
  for (int i = 0; i < rows->count; ++i) {
    if (z[i] != 0) tribo_row_axpy(rows, i, z[i], y);
  }
}

static void row_velocities(const TriboRows* rows, const double* b, const double* y, double* u) {
  for (int i = 0; i < rows->count; ++i) u[i] = tribo_row_dot(rows, i, y) - b[i];
}

// y and u of impulses z.
static void velocity(const TriboNewton* c, const double* z, double* y, double* u) {
  const TriboContactProblem* problem = c->problem;
  copy(y, problem->k, problem->ny);
  push_rows(&problem->X, z, y);
  push_rows(&problem->N, z + c->first_N, y);
  push_rows(&problem->T, z + c->first_T, y);
  row_velocities(&problem->X, problem->b_X, y, u);
  row_velocities(&problem->N, problem->b_N, y, u + c->first_N);
  row_velocities(&problem->T, problem->b_T, y, u + c->first_T);
}

// ---- The law ----

// A group at (z, u): its radius, a = t - rho u_t, and |a|.
typedef struct Disc {
  double radius, length, a[2];
} Disc;

static Disc disc_of(const TriboNewton* c, int g, const double* z, const double* u) {
  const TriboFrictionGroup* group = &c->problem->group[g];
  const int first = c->first_T + group->tangent;
  const double rho = kRho / c->square[first];
  Disc disc = {group->bound, 0, {0, 0}};
  if (group->normal >= 0) disc.radius += group->mu * fmax(z[c->first_N + group->normal], 0);
  for (int r = 0; r < group->rows; ++r) disc.a[r] = z[first + r] - rho * u[first + r];
  disc.length = sqrt(disc.a[0] * disc.a[0] + disc.a[1] * disc.a[1]);
  return disc;
}

// The natural map at (z, u) in units of velocity.
typedef struct Residual {
  double worst;   // largest entry
  double square;  // sum of squares
  double scale;   // the largest impulse, or the free velocity
} Residual;

static void count_entry(double entry, Residual* residual) {
  residual->worst = fmax(residual->worst, fabs(entry));
  residual->square += entry * entry;
}

static Residual residual_at(const TriboNewton* c, const double* z, const double* u) {
  const TriboContactProblem* problem = c->problem;
  Residual result = {0, 0, 0};
  for (int i = 0; i < c->first_N; ++i) count_entry(kRho * u[i] / sqrt(c->square[i]), &result);
  for (int i = c->first_N; i < c->first_T; ++i) {
    const double size = sqrt(c->square[i]);
    count_entry(size * (z[i] - fmax(0, z[i] - kRho / c->square[i] * u[i])), &result);
    result.scale = fmax(result.scale, size * fabs(z[i]));
  }
  for (int g = 0; g < problem->ng; ++g) {
    const int first = c->first_T + problem->group[g].tangent;
    const double size = sqrt(c->square[first]);
    const Disc disc = disc_of(c, g, z, u);
    const double shrink = disc.length > disc.radius ? disc.radius / disc.length : 1;
    for (int r = 0; r < problem->group[g].rows; ++r) {
      count_entry(size * (z[first + r] - shrink * disc.a[r]), &result);
      result.scale = fmax(result.scale, size * fabs(z[first + r]));
    }
  }
  double square = 0;
  for (int i = 0; i < problem->ny; ++i) square += problem->k[i] * problem->k[i];
  result.scale = fmax(result.scale, sqrt(square));
  if (!isfinite(result.square)) result.worst = result.square = INFINITY;
  return result;
}

static bool has_friction(const TriboNewton* c, int g) {
  const TriboFrictionGroup* group = &c->problem->group[g];
  const bool pushed =
      group->normal >= 0 && group->mu > 0 && c->mode_N[group->normal] != TRIBO_MODE_SEPARATE;
  return pushed || group->bound > 0;
}

// The modes given, where they make sense.
static void take_modes(TriboNewton* c, const TriboContactSolution* solution) {
  for (int i = 0; i < c->problem->N.count; ++i) {
    c->mode_N[i] =
        solution->mode_N[i] == TRIBO_MODE_SEPARATE ? TRIBO_MODE_SEPARATE : TRIBO_MODE_STICK;
  }
  for (int g = 0; g < c->problem->ng; ++g) {
    c->mode_g[g] = !has_friction(c, g)                          ? TRIBO_MODE_SEPARATE
                   : solution->mode_g[g] == TRIBO_MODE_SEPARATE ? TRIBO_MODE_STICK
                                                                : solution->mode_g[g];
  }
}

// The modes of the natural map.
static void read_modes(TriboNewton* c) {
  for (int i = 0; i < c->problem->N.count; ++i) {
    const int at = c->first_N + i;
    const bool active = c->z[at] - kRho / c->square[at] * c->u[at] > 0;
    c->mode_N[i] = active ? TRIBO_MODE_STICK : TRIBO_MODE_SEPARATE;
  }
  for (int g = 0; g < c->problem->ng; ++g) {
    c->mode_g[g] = TRIBO_MODE_SEPARATE;
    if (!has_friction(c, g)) continue;
    const Disc disc = disc_of(c, g, c->z, c->u);
    c->mode_g[g] = disc.length > disc.radius ? TRIBO_MODE_SLIDE : TRIBO_MODE_STICK;
  }
}

// ---- One step ----

static void add_row(TriboNewton* c, int at) {
  int i;
  const TriboRows* rows = block_of(c, at, &i);
  NewtonRow* row = &c->row[c->n++];
  row->count = rows->start[i + 1] - rows->start[i];
  row->index = rows->index + rows->start[i];
  row->value = rows->value + rows->start[i];
  row->at = at;
  row->group = -1;
  row->soft = 0;
}

// The row across the sliding of a group; the entries it takes are counted in `used`.
static void add_cross_row(TriboNewton* c, int g, double soft, int* used) {
  const TriboFrictionGroup* group = &c->problem->group[g];
  const TriboRows* T = &c->problem->T;
  NewtonRow* row = &c->row[c->n++];
  row->at = c->first_T + group->tangent;
  row->group = g;
  row->direction[0] = -c->slide[2 * g + 1];
  row->direction[1] = c->slide[2 * g];
  row->soft = soft;
  int* index = c->cross_index + *used;
  double* value = c->cross_value + *used;
  int p = T->start[group->tangent], q = T->start[group->tangent + 1], count = 0;
  const int p_end = q, q_end = T->start[group->tangent + 2];
  while (p < p_end || q < q_end) {
    const int a = p < p_end ? T->index[p] : T->index[q], b = q < q_end ? T->index[q] : a;
    const int at = a < b ? a : b;
    double sum = 0;
    if (p < p_end && T->index[p] == at) sum += row->direction[0] * T->value[p++];
    if (q < q_end && T->index[q] == at) sum += row->direction[1] * T->value[q++];
    index[count] = at;
    value[count++] = sum;
  }
  row->count = count;
  row->index = index;
  row->value = value;
  *used += count;
}

// A sliding group: its direction, its impulse along it, and its row across.
static void add_sliding(TriboNewton* c, int g, int* used, bool* moved) {
  const TriboFrictionGroup* group = &c->problem->group[g];
  const int first = c->first_T + group->tangent;
  measure(c);
  const Disc disc = disc_of(c, g, c->z, c->u);
  double* e = c->slide + 2 * g;
  e[0] = disc.length > 0 ? disc.a[0] / disc.length : 1;
  e[1] = disc.length > 0 ? disc.a[1] / disc.length : 0;
  double* t = c->zp + first;
  *moved = true;
  c->linear = false;
  if (group->normal >= 0 && group->mu > 0) c->slides = true;
  if (group->rows == 1) {
    t[0] = disc.radius * e[0];
    return;
  }
  const bool across = disc.radius > 1e-12 * disc.length;
  const double aside = across ? -e[1] * t[0] + e[0] * t[1] : 0;
  t[0] = disc.radius * e[0] - aside * e[1];
  t[1] = disc.radius * e[1] + aside * e[0];
  if (!across) return;
  const double excess = fmax(disc.length - disc.radius, 0);
  add_cross_row(c, g, excess * c->square[first] / (kRho * disc.radius), used);
}

static void add_group(TriboNewton* c, int g, int* used, bool* moved) {
  const TriboFrictionGroup* group = &c->problem->group[g];
  const int first = c->first_T + group->tangent;
  if (c->mode_g[g] == TRIBO_MODE_SLIDE) {
    add_sliding(c, g, used, moved);
    return;
  }
  for (int r = 0; r < group->rows; ++r) {
    if (c->mode_g[g] == TRIBO_MODE_STICK) {
      add_row(c, first + r);
    } else if (c->zp[first + r] != 0) {
      c->zp[first + r] = 0;
      *moved = true;
    }
  }
}

// The equations of the step from (z, u), contact by contact, and the point zp it starts from, where
// separating impulses are 0 and sliding ones at their radius.
static void list_rows(TriboNewton* c) {
  const TriboContactProblem* problem = c->problem;
  bool moved = false;
  int used = 0;
  c->n = 0;
  c->slides = false;
  c->linear = true;
  copy(c->zp, c->z, c->m);
  for (int i = 0; i < c->first_N; ++i) add_row(c, i);
  for (int i = 0; i < problem->N.count; ++i) {
    if (c->mode_N[i] != TRIBO_MODE_SEPARATE) {
      add_row(c, c->first_N + i);
    } else if (c->zp[c->first_N + i] != 0) {
      c->zp[c->first_N + i] = 0;
      moved = true;
    }
    for (int g = c->first_group[i]; g >= 0; g = c->next_group[g]) add_group(c, g, &used, &moved);
  }
  for (int g = 0; g < problem->ng; ++g) {
    if (problem->group[g].normal < 0) add_group(c, g, &used, &moved);
  }
  const double* u = c->u;
  if (moved) {
    velocity(c, c->zp, c->yp, c->up);
    u = c->up;
  }
  for (int i = 0; i < c->n; ++i) {
    NewtonRow* row = &c->row[i];
    row->residual = u[row->at];
    if (row->group < 0) continue;
    const double *p = row->direction, *t = c->zp + row->at;
    row->residual =
        p[0] * u[row->at] + p[1] * u[row->at + 1] + row->soft * (p[0] * t[0] + p[1] * t[1]);
  }
}

// zp plus the step; friction along the sliding follows its normal.
static void apply_step(TriboNewton* c) {
  const TriboContactProblem* problem = c->problem;
  for (int i = 0; i < c->n; ++i) {
    const NewtonRow* row = &c->row[i];
    const double d = c->step[i];
    if (row->group >= 0) {
      c->zp[row->at] += d * row->direction[0];
      c->zp[row->at + 1] += d * row->direction[1];
      continue;
    }
    c->zp[row->at] += d;
    if (!c->slides || row->at < c->first_N || row->at >= c->first_T) continue;
    for (int g = c->first_group[row->at - c->first_N]; g >= 0; g = c->next_group[g]) {
      if (c->mode_g[g] != TRIBO_MODE_SLIDE) continue;
      const TriboFrictionGroup* group = &problem->group[g];
      for (int r = 0; r < group->rows; ++r) {
        c->zp[c->first_T + group->tangent + r] += d * group->mu * c->slide[2 * g + r];
      }
    }
  }
}

// Whether every equation of the step holds already, to rounding.
static bool at_rest(TriboNewton* c) {
  double largest = 0, square = 0;
  for (int i = 0; i < c->n; ++i) largest = fmax(largest, fabs(c->row[i].residual));
  for (int i = 0; i < c->problem->ny; ++i) square += c->problem->k[i] * c->problem->k[i];
  // Mostly there is something to do, and the squares of the rows need not be known for that.
  if (!(largest * largest <= 1e-24 * square)) return largest == 0;
  measure(c);
  for (int i = 0; i < c->n; ++i) {
    const double r = c->row[i].residual;
    if (r * r > 4e-30 * c->square[c->row[i].at] * square) return false;
  }
  return true;
}

// zp <- the full Newton step from z in the modes chosen. `exact`: it solves them, no further step
// would change more than rounding.
static TriboStatus newton_step(TriboNewton* c, double proximal, bool* exact, int* iterations) {
  list_rows(c);
  *exact = at_rest(c);
  if (*exact) return TRIBO_OK;
  ++*iterations;
  // Many rows on few coordinates are solved over the coordinates.
  const bool few = c->n <= TRIBO_NEWTON_FEW_ROWS || (c->n <= c->problem->ny && c->n <= 48);
  TriboStatus status = TRIBO_ERROR_CAPACITY;
  if (!few) status = tribo_newton_coordinates_step(c, proximal);
  if (status == TRIBO_ERROR_CAPACITY) status = tribo_newton_rows_step(c, proximal, exact);
  *exact = *exact && c->linear;
  if (status == TRIBO_OK) apply_step(c);
  return status;
}

static void swap_in_trial(TriboNewton* c) {
  double *z = c->z, *u = c->u, *y = c->y;
  c->z = c->zt, c->u = c->ut, c->y = c->yt;
  c->zt = z, c->ut = u, c->yt = y;
}

// Goes towards zp, halving until the sum of squares is below the largest of the last few: the
// pieces of the map change along the way, and asking for less each time would stop too early. False
// when no length does.
static bool advance(TriboNewton* c, double enough, double bound, Residual* at) {
  double length = 1;
  for (int h = 0; h <= MAX_HALVINGS; ++h, length *= 0.5) {
    for (int i = 0; i < c->m; ++i) c->zt[i] = c->z[i] + length * (c->zp[i] - c->z[i]);
    velocity(c, c->zt, c->yt, c->ut);
    const Residual next = residual_at(c, c->zt, c->ut);
    if (next.square < (1 - 1e-4 * length) * bound) {
      swap_in_trial(c);
      *at = next;
      return true;
    }
    // Close to rounding a shorter step is no better.
    if (at->worst <= 100 * enough) return false;
  }
  return false;
}

// ---- The run ----

// Impulses as the law has them, so that rounding leaves nothing outside the cone.
static void write_solution(const TriboNewton* c, TriboContactSolution* solution) {
  const TriboContactProblem* problem = c->problem;
  copy(solution->x, c->z, problem->X.count);
  for (int i = 0; i < problem->N.count; ++i) {
    const double f = c->z[c->first_N + i];
    solution->f[i] = f > 0 ? f : 0;
    solution->mode_N[i] = f > 0 ? TRIBO_MODE_STICK : TRIBO_MODE_SEPARATE;
  }
  copy(solution->t, c->z + c->first_T, problem->T.count);
  for (int g = 0; g < problem->ng; ++g) {
    const TriboFrictionGroup* group = &problem->group[g];
    const Disc disc = disc_of(c, g, c->z, c->u);
    const bool slides = disc.length > disc.radius;
    if (slides) {
      for (int r = 0; r < group->rows; ++r) {
        solution->t[group->tangent + r] = disc.radius / disc.length * disc.a[r];
      }
    }
    solution->mode_g[g] = disc.radius == 0 ? TRIBO_MODE_SEPARATE
                          : slides         ? TRIBO_MODE_SLIDE
                                           : TRIBO_MODE_STICK;
  }
  tribo_problem_velocity(problem, solution);
}

// The same after the modes given were solved exactly.
static void write_exact(const TriboNewton* c, TriboContactSolution* solution) {
  const TriboContactProblem* problem = c->problem;
  copy(solution->x, c->zp, problem->X.count);
  copy(solution->t, c->zp + c->first_T, problem->T.count);
  for (int i = 0; i < problem->N.count; ++i) {
    const double f = c->zp[c->first_N + i];
    solution->f[i] = f > 0 ? f : 0;
    solution->mode_N[i] = f > 0 ? TRIBO_MODE_STICK : TRIBO_MODE_SEPARATE;
  }
  for (int g = 0; g < problem->ng; ++g) {
    const int normal = problem->group[g].normal;
    const bool dead = normal >= 0 && problem->group[g].bound == 0 && !(solution->f[normal] > 0);
    solution->mode_g[g] = dead ? TRIBO_MODE_SEPARATE : c->mode_g[g];
  }
  tribo_problem_velocity(problem, solution);
}

// Steps until the tolerance is met or the best point has not changed for long; ends at the best.
static TriboStatus iterate(TriboNewton* c, const TriboNewtonOptions* options, int* iterations) {
  double recent[WINDOW];
  Residual at = residual_at(c, c->z, c->u), best = at;
  bool is_best = true;
  int since = 0;
  TriboStatus status = TRIBO_OK;
  for (int i = 0; i < WINDOW; ++i) recent[i] = at.square;
  for (int turn = 0; best.worst > options->tolerance * best.scale; ++turn) {
    if (*iterations >= options->max_iterations || since > 2 * WINDOW) {
      status = TRIBO_ERROR_LIMIT;
      break;
    }
    if (is_best) copy(c->zb, c->z, c->m);
    read_modes(c);
    bool exact;
    status = newton_step(c, options->proximal, &exact, iterations);
    if (status == TRIBO_ERROR_CAPACITY && *iterations == 1) return status;
    double bound = recent[0];
    for (int i = 1; i < WINDOW; ++i) bound = fmax(bound, recent[i]);
    if (status != TRIBO_OK) break;
    if (!advance(c, options->tolerance * at.scale, bound, &at)) {
      // Just above the tolerance that is rounding.
      if (!(best.worst <= 100 * options->tolerance * best.scale)) status = TRIBO_ERROR_LIMIT;
      break;
    }
    recent[turn % WINDOW] = at.square;
    is_best = at.worst < best.worst;
    since = is_best ? 0 : since + 1;
    if (is_best) best = at;
  }
  if (!is_best) {
    copy(c->z, c->zb, c->m);
    velocity(c, c->z, c->y, c->u);
  }
  return status;
}

TriboStatus tribo_newton_solve(TriboNewton* newton, const TriboContactProblem* problem,
                               const TriboNewtonOptions* options, TriboContactSolution* solution,
                               int* iterations) {
  TriboNewton* c = newton;
  *iterations = 0;
  if (!load(c, problem, solution)) return TRIBO_ERROR_CAPACITY;
  velocity(c, c->z, c->y, c->u);
  bool exact = false;
  if (options->modes) {
    take_modes(c, solution);
    const TriboStatus status = newton_step(c, options->proximal, &exact, iterations);
    if (status == TRIBO_ERROR_CAPACITY) return status;
    if (status == TRIBO_OK && exact) {
      write_exact(c, solution);
      return TRIBO_OK;
    }
    if (status == TRIBO_OK) {
      copy(c->z, c->zp, c->m);
      velocity(c, c->z, c->y, c->u);
    }
  }
  measure(c);
  TriboStatus status = iterate(c, options, iterations);
  if (status == TRIBO_ERROR_CAPACITY) return status;
  write_solution(c, solution);
  return status;
}
