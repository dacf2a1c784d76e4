// SPDX-License-Identifier: Apache-2.0
//
// Problem: minimize 1/2 |z|^2 subject to J^T z = y+ - k and z in K, where K is the product of cones
// of sticking contacts, rays of sliding ones, and all numbers for equality rows.
//
// Algorithm: the method of multipliers. With w = k - y+, a round minimizes the function of
// convex_state.h for equal d, no targets and k = w: at its minimum y = w + J^T z, z = P_K(z0 - J
// y/d). Then z0 <- z0 - J y/d, which unlike z stays J times the multiplier lambda of the
// constraint, and y, the constraint's residual, goes to 0 as fast as d is small. z = P_K(J lambda)
// is the minimum.
#include "solvers/canonical.h"

#include <math.h>
#include <string.h>

#include "solvers/convex_state.h"

enum { MAX_ROUNDS = 12, MAX_ITERATIONS = 120 };

static double norm(const double* values, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i] * values[i];
  return sqrt(sum);
}

static double row_size(const TriboConvex* c, int i) {
  const TriboCoordinateVector row = tribo_convex_row(c, i);
  return norm(row.value, row.count);
}

// A touching contact: it sticks (cone), or slides (ray), or has no friction.
static void add_contact(TriboConvex* c, int i, int group, double least) {
  const int at = c->first_N + i;
  if (group < 0) {
    c->piece[c->pieces++] = tribo_convex_piece(c, HALF, at, -1);
    return;
  }
  Piece piece = tribo_convex_piece(c, CONE, at, group);
  double speed = 0;
  for (int r = 0; r < piece.rows; ++r) speed = hypot(speed, c->u[piece.tangent + r]);
  if (speed > least * sqrt(piece.square)) {
    piece.kind = RAY;
    for (int r = 0; r < piece.rows; ++r) piece.along[r] = -c->u[piece.tangent + r] / speed;
  }
  c->piece[c->pieces++] = piece;
}

// The pieces whose impulses are chosen anew; all others are in `fixed`.
static void list_pieces(TriboConvex* c, double least, const TriboContactSolution* solution) {
  const TriboContactProblem* problem = c->problem;
  int* cone_of = c->list_start;
  double* fixed = c->z0;
  for (int i = 0; i < c->m; ++i) fixed[i] = 0;
  for (int i = 0; i < problem->N.count; ++i) cone_of[i] = -1;
  for (int g = problem->ng - 1; g >= 0; --g) {
    const TriboFrictionGroup* group = &problem->group[g];
    if (group->normal >= 0 && group->mu > 0 && group->bound == 0) cone_of[group->normal] = g;
  }
  for (int g = 0; g < problem->ng; ++g) {
    const TriboFrictionGroup* group = &problem->group[g];
    if (group->normal >= 0 && cone_of[group->normal] == g) continue;
    for (int r = 0; r < group->rows; ++r) {
      fixed[c->first_T + group->tangent + r] = solution->t[group->tangent + r];
    }
  }
  for (int i = 0; i < problem->X.count; ++i) {
    c->piece[c->pieces++] = tribo_convex_piece(c, FREE, i, -1);
  }
  for (int i = 0; i < problem->N.count; ++i) {
    const int at = c->first_N + i;
    if (solution->f[i] > 0 || c->u[at] <= least * row_size(c, at)) {
      add_contact(c, i, cone_of[i], least);
    }
  }
}

static void write_solution(const TriboConvex* c, TriboContactSolution* solution) {
  const TriboContactProblem* problem = c->problem;
  for (int i = 0; i < problem->N.count; ++i) {
    solution->f[i] = 0;
    solution->mode_N[i] = TRIBO_MODE_SEPARATE;
  }
  for (int i = 0; i < c->pieces; ++i) {
    const Piece* piece = &c->piece[i];
    if (piece->kind == FREE) {
      solution->x[piece->first] = c->z[piece->first];
      continue;
    }
    const int normal = piece->first - c->first_N;
    const double f = c->z[piece->first];
    solution->f[normal] = f;
    if (f > 0) solution->mode_N[normal] = TRIBO_MODE_STICK;
    if (piece->group < 0) continue;
    for (int r = 0; r < piece->rows; ++r) {
      solution->t[piece->tangent - c->first_T + r] = c->z[piece->tangent + r];
    }
    solution->mode_g[piece->group] = !(f > 0)             ? TRIBO_MODE_SEPARATE
                                     : piece->kind == RAY ? TRIBO_MODE_SLIDE
                                                          : TRIBO_MODE_STICK;
  }
  tribo_problem_velocity(problem, solution);
}

TriboStatus tribo_canonical_impulses(TriboConvex* convex, const TriboContactProblem* problem,
                                     double rest, TriboContactSolution* solution, int* iterations) {
  TriboConvex* c = convex;
  const int ny = problem->ny;
  *iterations = 0;
  if (!tribo_convex_load(c, problem)) return TRIBO_ERROR_CAPACITY;
  const double scale = fmax(norm(problem->k, ny), norm(solution->y, ny));
  tribo_convex_velocities(c, solution->y, true, c->u);
  list_pieces(c, rest * scale, solution);

  // w = k - y+ plus what is fixed pushes.
  double* w = c->w;
  for (int i = 0; i < ny; ++i) w[i] = problem->k[i] - solution->y[i];
  double largest = 0;
  for (int i = 0; i < c->m; ++i) {
    c->z[i] = c->z0[i];
    if (c->z0[i] == 0) continue;
    const TriboCoordinateVector row = tribo_convex_row(c, i);
    for (int e = 0; e < row.count; ++e) w[row.index[e]] += c->z0[i] * row.value[e];
  }
  for (int i = 0; i < c->m; ++i) c->z[i] = c->z0[i] = 0;
  for (int i = 0; i < c->pieces; ++i) largest = fmax(largest, c->piece[i].square);
  if (largest == 0) return TRIBO_OK;
  c->k = w;
  memcpy(c->y, w, sizeof(double) * (size_t)ny);
  double d = 1e-4 * largest;
  for (int round = 0; round < MAX_ROUNDS; ++round, d = fmax(0.1 * d, 1e-9 * largest)) {
    for (int i = 0; i < c->pieces; ++i) c->piece[i].stiff = c->piece[i].square > 0 ? 1 / d : 0;
    tribo_convex_velocities(c, c->y, false, c->u);
    const TriboStatus status = tribo_convex_minimize(c, 1e-15 * scale, MAX_ITERATIONS, iterations);
    if (status == TRIBO_ERROR_CAPACITY || status == TRIBO_ERROR_SINGULAR) return status;
    // At the end of the rounds rounding may have kept more; whoever asked polishes the velocity.
    const bool last = round + 1 == MAX_ROUNDS;
    if (norm(c->y, ny) <= (last ? 1e-9 : 1e-13) * scale) {
      write_solution(c, solution);
      return TRIBO_OK;
    }
    for (int i = 0; i < c->pieces; ++i) {
      const Piece* piece = &c->piece[i];
      c->z0[piece->first] -= piece->stiff * c->u[piece->first];
      for (int p = piece->tangent; p < piece->tangent + piece->rows; ++p) {
        c->z0[p] -= piece->stiff * c->u[p];
      }
    }
  }
  return TRIBO_ERROR_LIMIT;
}
