// SPDX-License-Identifier: Apache-2.0
//
// Newton's method on the function of convex_state.h. The length of a step comes from the function's
// slope along it, which is exact near the minimum where the values themselves are rounding.
#include <math.h>
#include <string.h>

#include "solvers/convex_state.h"

TriboConvex* tribo_convex_init(TriboArena* arena, TriboSolverCapacity capacity,
                               TriboCoordinateLu* lu) {
  TriboConvex measuring = {0};
  TriboConvex* made = (TriboConvex*)tribo_arena_take(arena, 1, sizeof(TriboConvex));
  TriboConvex* c = made != NULL ? made : &measuring;
  const int m = capacity.x + capacity.n + capacity.t;
  c->capacity = capacity;
  c->lu = lu;
  c->piece = (Piece*)tribo_arena_take(arena, (size_t)(capacity.x + capacity.n + capacity.groups),
                                      sizeof(Piece));
  double** by_row[] = {&c->z, &c->z0, &c->u, &c->du, &c->v};
  for (int a = 0; a < (int)(sizeof by_row / sizeof by_row[0]); ++a) {
    *by_row[a] = tribo_arena_doubles(arena, m);
  }
  c->y = tribo_arena_doubles(arena, capacity.ny);
  c->yt = tribo_arena_doubles(arena, capacity.ny);
  c->gradient = tribo_arena_doubles(arena, capacity.ny);
  c->w = tribo_arena_doubles(arena, capacity.ny);
  c->list_start = tribo_arena_ints(arena, capacity.x + capacity.n + capacity.groups + 1);
  c->list_index = tribo_arena_ints(arena, capacity.entries);
  c->stamp = tribo_arena_ints(arena, capacity.ny);
  c->index = tribo_arena_ints(arena, capacity.ny);
  c->value = tribo_arena_doubles(arena, capacity.ny);
  return arena->overflowed ? NULL : made;
}

bool tribo_convex_load(TriboConvex* c, const TriboContactProblem* problem) {
  const TriboSolverCapacity* room = &c->capacity;
  if (problem->ny > room->ny || problem->X.count > room->x || problem->N.count > room->n ||
      problem->T.count > room->t || problem->ng > room->groups) {
    return false;
  }
  c->problem = problem;
  c->first_N = problem->X.count;
  c->first_T = c->first_N + problem->N.count;
  c->m = c->first_T + problem->T.count;
  c->pieces = 0;
  return true;
}

TriboCoordinateVector tribo_convex_row(const TriboConvex* c, int i) {
  const TriboContactProblem* problem = c->problem;
  const TriboRows* rows = i < c->first_N ? &problem->X : i < c->first_T ? &problem->N : &problem->T;
  const int r = i < c->first_N ? i : i < c->first_T ? i - c->first_N : i - c->first_T;
  const TriboCoordinateVector vector = {rows->start[r + 1] - rows->start[r],
                                        rows->index + rows->start[r], rows->value + rows->start[r]};
  return vector;
}

static double square_of(TriboCoordinateVector row) {
  double sum = 0;
  for (int e = 0; e < row.count; ++e) sum += row.value[e] * row.value[e];
  return sum;
}

Piece tribo_convex_piece(const TriboConvex* c, Kind kind, int first, int group) {
  Piece piece = {.kind = kind, .first = first, .group = group};
  if (kind != DISC) piece.square = square_of(tribo_convex_row(c, first));
  if (group >= 0) {
    const TriboFrictionGroup* g = &c->problem->group[group];
    piece.tangent = c->first_T + g->tangent;
    piece.rows = g->rows;
    piece.mu = g->mu;
    for (int r = 0; r < g->rows; ++r) {
      piece.square = fmax(piece.square, square_of(tribo_convex_row(c, piece.tangent + r)));
    }
  }
  return piece;
}

// P_K of the tangential part of a piece; sets what the Hessian needs. Returns the new length.
static void project_cone(Piece* piece, double* f, double* t) {
  double length = 0;
  for (int r = 0; r < piece->rows; ++r) length = hypot(length, t[r]);
  const double mu = piece->mu;
  piece->inside = length <= mu * *f;
  piece->outside = !piece->inside && mu * length <= -*f;
  if (piece->inside) return;
  if (piece->outside) {
    *f = 0;
    for (int r = 0; r < piece->rows; ++r) t[r] = 0;
    return;
  }
  const double n = (*f + mu * length) / (1 + mu * mu);
  piece->along[0] = t[0] / length;
  piece->along[1] = piece->rows == 2 ? t[1] / length : 0;
  piece->weight[0] = 1 / (1 + mu * mu);
  piece->weight[1] = mu * n / length;
  *f = n;
  for (int r = 0; r < piece->rows; ++r) t[r] = mu * n * piece->along[r];
}

static void project_ray(Piece* piece, double* f, double* t) {
  const double mu = piece->mu;
  double along = *f;
  for (int r = 0; r < piece->rows; ++r) along += mu * piece->along[r] * t[r];
  piece->outside = !(along > 0);
  piece->inside = false;
  piece->weight[0] = 1 / (1 + mu * mu);
  piece->weight[1] = 0;
  *f = piece->outside ? 0 : along * piece->weight[0];
  for (int r = 0; r < piece->rows; ++r) t[r] = mu * *f * piece->along[r];
}

static void project_disc(Piece* piece, double* t) {
  double length = 0;
  for (int r = 0; r < piece->rows; ++r) length = hypot(length, t[r]);
  piece->inside = length <= piece->radius;
  piece->outside = !piece->inside && piece->radius == 0;
  if (piece->inside) return;
  piece->along[0] = t[0] / length;
  piece->along[1] = piece->rows == 2 ? t[1] / length : 0;
  piece->weight[0] = 0;
  piece->weight[1] = piece->radius / length;
  for (int r = 0; r < piece->rows; ++r) t[r] = piece->radius * piece->along[r];
}

// z = P_K(v) at row velocities u + a du. Returns the derivative of the function along the step, but
// for the inertia's part.
static double project(TriboConvex* c, double a) {
  double sum = 0;
  for (int i = 0; i < c->pieces; ++i) {
    Piece* piece = &c->piece[i];
    const double s = piece->stiff;
    if (s == 0) continue;
    double* z = c->z;
    const int n = piece->first;
    if (piece->kind != DISC) z[n] = c->z0[n] - s * (c->u[n] + a * c->du[n] + piece->shift);
    for (int p = piece->tangent; p < piece->tangent + piece->rows; ++p) {
      z[p] = c->z0[p] - s * (c->u[p] + a * c->du[p]);
    }
    if (piece->kind == HALF) {
      piece->outside = !(z[n] > 0);
      piece->inside = !piece->outside;
      if (piece->outside) z[n] = 0;
    } else if (piece->kind == CONE) {
      project_cone(piece, &z[n], &z[piece->tangent]);
    } else if (piece->kind == RAY) {
      project_ray(piece, &z[n], &z[piece->tangent]);
    } else if (piece->kind == DISC) {
      project_disc(piece, &z[piece->tangent]);
    }
    if (piece->kind != DISC) sum -= z[n] * c->du[n];
    for (int p = piece->tangent; p < piece->tangent + piece->rows; ++p) sum -= z[p] * c->du[p];
  }
  return sum;
}

void tribo_convex_velocities(const TriboConvex* c, const double* y, bool targets, double* u) {
  const TriboContactProblem* p = c->problem;
  for (int i = 0; i < c->m; ++i) {
    const TriboCoordinateVector row = tribo_convex_row(c, i);
    const double* b = i < c->first_N ? p->b_X : i < c->first_T ? p->b_N : p->b_T;
    const int r = i < c->first_N ? i : i < c->first_T ? i - c->first_N : i - c->first_T;
    double sum = targets ? -b[r] : 0;
    for (int e = 0; e < row.count; ++e) sum += row.value[e] * y[row.index[e]];
    u[i] = sum;
  }
}

double tribo_convex_gradient(TriboConvex* c) {
  const int ny = c->problem->ny;
  double square = 0;
  for (int i = 0; i < ny; ++i) c->gradient[i] = c->k[i] - c->y[i];
  for (int i = 0; i < c->m; ++i) {
    if (c->z[i] == 0) continue;
    const TriboCoordinateVector row = tribo_convex_row(c, i);
    for (int e = 0; e < row.count; ++e) c->gradient[row.index[e]] += c->z[i] * row.value[e];
  }
  for (int i = 0; i < ny; ++i) square += c->gradient[i] * c->gradient[i];
  return sqrt(square);
}

TriboCoordinateVector tribo_convex_combine(TriboConvex* c, const Piece* piece, double a, double b0,
                                           double b1) {
  int count = 0;
  const double by[3] = {a, b0, b1};
  const int rows[3] = {piece->first, piece->tangent, piece->tangent + 1};
  for (int part = a == 0 ? 1 : 0; part < 1 + piece->rows; ++part) {
    const TriboCoordinateVector row = tribo_convex_row(c, rows[part]);
    for (int e = 0; e < row.count; ++e) {
      const int at = row.index[e];
      // stamp: place in the combined row.
      if (c->stamp[at] < 0) {
        c->stamp[at] = count;
        c->index[count] = at;
        c->value[count++] = 0;
      }
      c->value[c->stamp[at]] += by[part] * row.value[e];
    }
  }
  for (int e = 0; e < count; ++e) c->stamp[c->index[e]] = -1;
  const TriboCoordinateVector vector = {count, c->index, c->value};
  return vector;
}

static bool in_hessian(const Piece* piece) {
  return piece->stiff > 0 && (piece->kind == FREE || !piece->outside);
}

TriboStatus tribo_convex_analyze(TriboConvex* c, bool symmetric) {
  int lists = 0, used = 0;
  for (int i = 0; i < c->problem->ny; ++i) c->stamp[i] = -1;
  for (int i = 0; i < c->pieces; ++i) {
    const Piece* piece = &c->piece[i];
    if (!in_hessian(piece)) continue;
    c->list_start[lists] = used;
    for (int part = piece->kind == DISC ? 1 : 0; part < 1 + piece->rows; ++part) {
      const TriboCoordinateVector row =
          tribo_convex_row(c, part == 0 ? piece->first : piece->tangent + part - 1);
      for (int e = 0; e < row.count; ++e) {
        if (c->stamp[row.index[e]] == lists) continue;
        c->stamp[row.index[e]] = lists;
        c->list_index[used++] = row.index[e];
      }
    }
    ++lists;
  }
  c->list_start[lists] = used;
  for (int i = 0; i < c->problem->ny; ++i) c->stamp[i] = -1;
  return tribo_coordinate_lu_analyze(c->lu, c->problem->ny, lists, c->list_start, c->list_index,
                                     symmetric);
}

static void add_piece(TriboConvex* c, const Piece* piece) {
  const double s = piece->stiff;
  if (piece->kind == FREE || piece->kind == HALF) {
    const TriboCoordinateVector row = tribo_convex_row(c, piece->first);
    tribo_coordinate_lu_add(c->lu, s, row, row);
    return;
  }
  if (piece->inside) {
    for (int part = piece->kind == DISC ? 1 : 0; part < 1 + piece->rows; ++part) {
      const TriboCoordinateVector row =
          tribo_convex_row(c, part == 0 ? piece->first : piece->tangent + part - 1);
      tribo_coordinate_lu_add(c->lu, s, row, row);
    }
    return;
  }
  const double* e = piece->along;
  if (piece->kind != DISC) {
    const TriboCoordinateVector row =
        tribo_convex_combine(c, piece, 1, piece->mu * e[0], piece->mu * e[1]);
    tribo_coordinate_lu_add(c->lu, s * piece->weight[0], row, row);
  }
  if (piece->rows == 2 && piece->kind != RAY) {
    const TriboCoordinateVector row = tribo_convex_combine(c, piece, 0, -e[1], e[0]);
    tribo_coordinate_lu_add(c->lu, s * piece->weight[1], row, row);
  }
}

// gradient <- the Newton step.
static TriboStatus newton_step(TriboConvex* c) {
  TriboStatus status = tribo_convex_analyze(c, true);
  if (status != TRIBO_OK) return status;
  for (int i = 0; i < c->pieces; ++i) {
    if (in_hessian(&c->piece[i])) add_piece(c, &c->piece[i]);
  }
  status = tribo_coordinate_lu_factor(c->lu);
  if (status == TRIBO_OK) tribo_coordinate_lu_solve(c->lu, c->gradient);
  return status;
}

// The derivative of the function along the step, at a times the step; it rises with a.
static double slope_at(TriboConvex* c, double a) {
  double sum = project(c, a);
  for (int i = 0; i < c->problem->ny; ++i) {
    sum += c->gradient[i] * (c->y[i] + a * c->gradient[i] - c->k[i]);
  }
  return sum;
}

// How far to go: where the derivative is a tenth of what it was, by false position (Illinois). The
// function's own values would not do: near the minimum they differ by less than rounding.
static double search_line(TriboConvex* c, double start) {
  double low = 0, high = 1, at_low = start, at_high = slope_at(c, 1);
  if (at_high <= 0.1 * fabs(start)) return 1;
  double a = 1;
  for (int i = 0; i < 30; ++i) {
    a = low - at_low * (high - low) / (at_high - at_low);
    const double slope = slope_at(c, a);
    if (fabs(slope) <= 0.1 * fabs(start)) break;
    if (slope < 0) {
      low = a, at_low = slope, at_high *= 0.5;
    } else {
      high = a, at_high = slope, at_low *= 0.5;
    }
  }
  return a;
}

TriboStatus tribo_convex_minimize(TriboConvex* c, double enough, int most, int* iterations) {
  const int ny = c->problem->ny;
  memset(c->du, 0, sizeof(double) * (size_t)c->m);
  (void)project(c, 0);
  double last = INFINITY;
  while (*iterations < most) {
    const double size = tribo_convex_gradient(c);
    if (size <= enough) return TRIBO_OK;
    // Below a millionth rounding may stop it first.
    if (size <= 1e4 * enough && size > 0.5 * last) return TRIBO_OK;
    last = size;
    memcpy(c->yt, c->gradient, sizeof(double) * (size_t)ny);
    const TriboStatus status = newton_step(c);
    if (status != TRIBO_OK) return status;
    ++*iterations;
    double slope = 0;
    for (int i = 0; i < ny; ++i) slope -= c->yt[i] * c->gradient[i];
    tribo_convex_velocities(c, c->gradient, false, c->du);
    const double step = search_line(c, slope);
    for (int i = 0; i < ny; ++i) c->y[i] += step * c->gradient[i];
    for (int i = 0; i < c->m; ++i) c->u[i] += step * c->du[i];
  }
  return TRIBO_ERROR_LIMIT;
}
