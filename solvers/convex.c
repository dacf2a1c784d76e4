// SPDX-License-Identifier: Apache-2.0
//
// Problem: problem.h with the round cone. De Saxce's form of the law: with K = { |t| <= mu f },
//
//   z = P_K(z - (u_n + s, u_t)/d)   for any d > 0,   s = mu |u_t|.
//
// Rounds [AcaryCadoux2011]: s and the impulses z0 of the last round are held, and y is the minimum
// of
//
//   1/2 |y - k|^2 + sum d_c/2 |P_K(v_c)|^2,     v_c = z0_c - (u_n + s, u_t)_c/d_c,    u = J y - b
//
// which is convex and once differentiable, with the gradient y - k - J^T P_K(v) and the Hessian
// I + J^T (DP_K/d) J, sparse as the graph of bodies. Newton's method with Armijo's rule reaches it.
// Then z0 <- z = P_K(v) and s <- mu |u_t|. A fixed point is an answer; d only sets the pace, and is
// lowered from round to round.
//
// Equality rows have K = all numbers; a group that does not make a cone with its normal (it has a
// constant bound, or is not the first of its normal) is a disc whose radius is held for a round.
#include "solvers/convex.h"

#include <math.h>
#include <string.h>

#include "solvers/convex_state.h"

TriboConvexOptions tribo_convex_options_default(void) {
  const TriboConvexOptions options = {8, 100, 1e-3, 1e-6, 1e-3};
  return options;
}

void tribo_convex_list_pieces(TriboConvex* c) {
  const TriboContactProblem* problem = c->problem;
  int* cone_of = c->list_start;  // first group of every normal that makes a cone
  for (int i = 0; i < problem->N.count; ++i) cone_of[i] = -1;
  for (int g = problem->ng - 1; g >= 0; --g) {
    const TriboFrictionGroup* group = &problem->group[g];
    if (group->normal >= 0 && group->mu > 0 && group->bound == 0) cone_of[group->normal] = g;
  }
  c->pieces = 0;
  for (int i = 0; i < problem->X.count; ++i)
    c->piece[c->pieces++] = tribo_convex_piece(c, FREE, i, -1);
  for (int i = 0; i < problem->N.count; ++i) {
    c->piece[c->pieces++] =
        tribo_convex_piece(c, cone_of[i] >= 0 ? CONE : HALF, c->first_N + i, cone_of[i]);
  }
  for (int g = 0; g < problem->ng; ++g) {
    const TriboFrictionGroup* group = &problem->group[g];
    if (group->mu == 0 && group->bound == 0) continue;
    if (group->normal >= 0 && cone_of[group->normal] == g) continue;
    c->piece[c->pieces++] = tribo_convex_piece(c, DISC, c->first_T + group->tangent, g);
  }
}

// What is held for a round: multipliers, shifts, radii, and d.
static void begin_round(TriboConvex* c, double proximal) {
  memcpy(c->z0, c->z, sizeof(double) * (size_t)c->m);
  for (int i = 0; i < c->pieces; ++i) {
    Piece* piece = &c->piece[i];
    piece->stiff = piece->square > 0 ? 1 / (proximal * piece->square) : 0;
    if (piece->kind == CONE) {
      double speed = 0;
      for (int r = 0; r < piece->rows; ++r) speed = hypot(speed, c->u[piece->tangent + r]);
      piece->shift = piece->mu * speed;
    } else if (piece->kind == DISC) {
      const TriboFrictionGroup* group = &c->problem->group[piece->group];
      piece->radius = group->bound;
      if (group->normal >= 0)
        piece->radius += group->mu * fmax(c->z[c->first_N + group->normal], 0);
    }
  }
}

static void write_solution(const TriboConvex* c, TriboContactSolution* solution) {
  const TriboContactProblem* problem = c->problem;
  memcpy(solution->y, c->y, sizeof(double) * (size_t)problem->ny);
  for (int i = 0; i < problem->X.count; ++i) solution->x[i] = c->z[i];
  for (int i = 0; i < problem->N.count; ++i) {
    solution->f[i] = c->z[c->first_N + i];
    solution->mode_N[i] = solution->f[i] > 0 ? TRIBO_MODE_STICK : TRIBO_MODE_SEPARATE;
  }
  for (int i = 0; i < problem->T.count; ++i) solution->t[i] = c->z[c->first_T + i];
  for (int g = 0; g < problem->ng; ++g) solution->mode_g[g] = TRIBO_MODE_SEPARATE;
  for (int i = 0; i < c->pieces; ++i) {
    const Piece* piece = &c->piece[i];
    if (piece->group < 0 || piece->outside) continue;
    solution->mode_g[piece->group] = piece->inside ? TRIBO_MODE_STICK : TRIBO_MODE_SLIDE;
  }
}

// Largest change of an impulse from z0 to z, and the largest impulse, both as velocities.
static void measure_change(const TriboConvex* c, double* change, double* largest) {
  *change = *largest = 0;
  for (int i = 0; i < c->pieces; ++i) {
    const Piece* piece = &c->piece[i];
    const double size = sqrt(piece->square);
    for (int part = piece->kind == DISC ? 1 : 0; part < 1 + piece->rows; ++part) {
      const int p = part == 0 ? piece->first : piece->tangent + part - 1;
      *change = fmax(*change, size * fabs(c->z[p] - c->z0[p]));
      *largest = fmax(*largest, size * fabs(c->z[p]));
    }
  }
}

TriboStatus tribo_convex_solve(TriboConvex* convex, const TriboContactProblem* problem,
                               const TriboConvexOptions* options, TriboContactSolution* solution,
                               int* iterations) {
  TriboConvex* c = convex;
  *iterations = 0;
  if (!tribo_convex_load(c, problem)) return TRIBO_ERROR_CAPACITY;
  c->k = problem->k;
  for (int i = 0; i < c->m; ++i) {
    c->z[i] = i < c->first_N   ? solution->x[i]
              : i < c->first_T ? solution->f[i - c->first_N]
                               : solution->t[i - c->first_T];
  }
  double scale = 0;
  for (int i = 0; i < problem->ny; ++i) scale += problem->k[i] * problem->k[i];
  scale = sqrt(scale);
  tribo_convex_list_pieces(c);
  memcpy(c->y, problem->k, sizeof(double) * (size_t)problem->ny);
  memset(c->gradient, 0, sizeof(double) * (size_t)problem->ny);
  (void)tribo_convex_gradient(c);
  for (int i = 0; i < problem->ny; ++i) c->y[i] += c->gradient[i];  // k + J^T z
  tribo_convex_velocities(c, c->y, true, c->u);

  double proximal = options->first;
  TriboStatus status = TRIBO_ERROR_LIMIT;
  for (int round = 0; round < options->max_rounds && status == TRIBO_ERROR_LIMIT; ++round) {
    begin_round(c, proximal);
    status = tribo_convex_minimize(c, 1e-10 * scale, options->max_iterations, iterations);
    if (status == TRIBO_ERROR_CAPACITY || status == TRIBO_ERROR_SINGULAR) return status;
    if (status == TRIBO_ERROR_LIMIT) break;
    double change, largest;
    measure_change(c, &change, &largest);
    const bool last = proximal <= options->last;
    status =
        last && change <= options->tolerance * fmax(largest, scale) ? TRIBO_OK : TRIBO_ERROR_LIMIT;
    proximal = fmax(0.1 * proximal, options->last);
  }
  write_solution(c, solution);
  return status;
}
