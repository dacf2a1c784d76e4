// SPDX-License-Identifier: Apache-2.0
//
// Problem: problem.h with the round cone, in De Saxce's form [AcaryCadoux2011]: with the head
// u_0 = (N y - b)/mu + |u_t| and z = (mu f, t) a contact's law is
//
//   z in L,   u in L,   z . u = 0,       L = { x_0 >= |(x_1, x_2)| }
//
// Algorithm: the primal-dual interior point method with the scaling of Nesterov and Todd and
// Mehrotra's corrector [AndersenRoosTerlaky2003], as [Acary2024] have it for friction. A step
// solves
//
//   W^2 dz + du = c,   du = J' dy + residual + delta dz,   dy = J^T dz
//
// for dy, a system over coordinates:  I + J^T (W^2 + delta)^-1 J'.  J' has the derivative of the
// shift |u_t| in its head row. delta dz is a proximal term: walls that jam a body have impulses
// without bound, and large ones lose digits.
//
// A group that makes no cone with its normal (a dry joint, a motor, torsion) is a cone whose z_0
// follows the radius and whose u_0 is free.
#include "solvers/interior.h"

#include <math.h>
#include <string.h>

#include "engine/base/random.h"
#include "solvers/convex_state.h"
#include "solvers/lorentz.h"

static const double kShortest = 1e-8, kBoundary = 0.995;
// Of the free velocity's square, and of the free velocity.
static const double kComplementarity = 1e-15, kResidual = 1e-9, kMiddle = 1e-6;

// A piece as a cone of n coordinates, in units of velocity: rows of length 1.
typedef struct Cone {
  int n;
  double head, tail;  // factors of the rows; head 0: the head has no row
  double z[3], u[3];
  double dz[3], du[3];
  double residual[3];  // J y - b + shift - u
  double slope[2];     // of the shift by u_t
  double slip;         // |u_t|
  double shift;        // the same, or what is held of it
  double kept[6];      // z and u where rounds begin
  double lambda[3];    // W z = W^-1 u
  double wanted[3];    // c
  double gain[9];      // (W^2 + delta)^-1
  TriboLorentzScaling scaling;
} Cone;

struct TriboInterior {
  TriboConvex* convex;
  Cone* cone;  // by piece
  double* dy;
  // of the solve
  double unit;  // |k|, or the largest target
  int count;    // cones
  double proximal;
  bool fade, held;
};

TriboInteriorOptions tribo_interior_options_default(void) {
  const TriboInteriorOptions options = {60, 1e-6, 0.3, 0, 0, 0, false, false};
  return options;
}

TriboInterior* tribo_interior_init(TriboArena* arena, TriboSolverCapacity capacity,
                                   TriboConvex* convex) {
  TriboInterior measuring = {0};
  TriboInterior* made = (TriboInterior*)tribo_arena_take(arena, 1, sizeof(TriboInterior));
  TriboInterior* s = made != NULL ? made : &measuring;
  s->convex = convex;
  s->cone = (Cone*)tribo_arena_take(arena, (size_t)(capacity.x + capacity.n + capacity.groups),
                                    sizeof(Cone));
  s->dy = tribo_arena_doubles(arena, capacity.ny);
  return arena->overflowed ? NULL : made;
}

static double dot(const double* a, const double* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

static double radius_of(const TriboInterior* s, const Piece* piece) {
  const TriboFrictionGroup* group = &s->convex->problem->group[piece->group];
  double radius = group->bound;
  if (group->normal >= 0) radius += group->mu * s->convex->z[s->convex->first_N + group->normal];
  return radius;
}

// ---- the point

// Pieces that can push, as cones, at the same distance from their boundary.
static void begin(TriboInterior* s, const TriboInteriorOptions* options) {
  TriboConvex* c = s->convex;
  tribo_convex_list_pieces(c);
  s->count = 0;
  int kept = 0;
  for (int i = 0; i < c->pieces; ++i) {
    if (c->piece[i].square > 0) c->piece[kept++] = c->piece[i];
  }
  c->pieces = kept;
  s->unit = sqrt(dot(c->k, c->k, c->problem->ny));
  for (int i = 0; i < kept; ++i) {
    Piece* piece = &c->piece[i];
    Cone* cone = &s->cone[i];
    const double shift = options->resume ? cone->slip : 0;
    memset(cone, 0, sizeof *cone);
    cone->shift = shift;
    piece->stiff = 1;
    piece->outside = false;
    cone->n = 1 + piece->rows;
    cone->tail = 1 / sqrt(piece->square);
    cone->head = piece->kind == DISC   ? 0
                 : piece->kind == CONE ? cone->tail / piece->mu
                                       : cone->tail;
    if (piece->kind != FREE) ++s->count;
    if (piece->first >= c->first_N && piece->first < c->first_T && piece->kind != DISC) {
      s->unit = fmax(s->unit, cone->tail * fabs(c->problem->b_N[piece->first - c->first_N]));
    }
  }
  const double start = s->unit / sqrt(fmax(s->count, 1));
  TriboRandom random = tribo_random((uint64_t)options->scatter);
  for (int i = 0; i < kept; ++i) {
    Cone* cone = &s->cone[i];
    if (c->piece[i].kind == FREE) continue;
    cone->u[0] = start;
    cone->z[0] = start;
    if (options->scatter > 0 && options->rounds > 0) {
      cone->shift = tribo_random_in(&random, 0, s->unit);
    } else if (options->scatter > 0) {
      cone->u[0] *= tribo_random_in(&random, 0.1, 3);
      cone->z[0] *= tribo_random_in(&random, 0.1, 3);
    }
    if (c->piece[i].kind == DISC && c->problem->group[c->piece[i].group].normal < 0) {
      cone->z[0] = radius_of(s, &c->piece[i]) / cone->tail;
    }
  }
}

// The impulses of the rows.
static void write_impulses(TriboInterior* s) {
  TriboConvex* c = s->convex;
  memset(c->z, 0, sizeof(double) * (size_t)c->m);
  for (int i = 0; i < c->pieces; ++i) {
    const Piece* piece = &c->piece[i];
    const Cone* cone = &s->cone[i];
    if (piece->kind != DISC) c->z[piece->first] = cone->head * cone->z[0];
    for (int r = 0; r < piece->rows; ++r) c->z[piece->tangent + r] = cone->tail * cone->z[1 + r];
  }
}

// Velocities of a cone's rows, from those of all rows.
static void take_rows(const Piece* piece, const Cone* cone, const double* u, double taken[3]) {
  taken[0] = piece->kind == DISC ? 0 : cone->head * u[piece->first];
  for (int r = 0; r < piece->rows; ++r) taken[1 + r] = cone->tail * u[piece->tangent + r];
}

// Residuals and shifts at the present impulses. Returns the mean of z . u; *worst: the largest
// residual.
static double measure(TriboInterior* s, double* worst) {
  TriboConvex* c = s->convex;
  write_impulses(s);
  memcpy(c->y, c->k, sizeof(double) * (size_t)c->problem->ny);
  (void)tribo_convex_gradient(c);
  for (int i = 0; i < c->problem->ny; ++i) c->y[i] += c->gradient[i];
  tribo_convex_velocities(c, c->y, true, c->u);
  double sum = 0;
  *worst = 0;
  for (int i = 0; i < c->pieces; ++i) {
    const Piece* piece = &c->piece[i];
    Cone* cone = &s->cone[i];
    double u[3];
    take_rows(piece, cone, c->u, u);
    if (piece->kind == CONE) {
      cone->slip = sqrt(dot(u + 1, u + 1, piece->rows));
      double share = cone->slip > 0 && !s->held ? 1 / cone->slip : 0;
      if (!s->held) cone->shift = cone->slip;
      if (s->fade) share *= dot(cone->z + 1, cone->z + 1, piece->rows) / (cone->z[0] * cone->z[0]);
      for (int r = 0; r < piece->rows; ++r) cone->slope[r] = share * u[1 + r];
      u[0] += cone->shift;
    }
    for (int r = 0; r < cone->n; ++r) cone->residual[r] = u[r] - cone->u[r];
    if (piece->kind == DISC) cone->residual[0] = 0;
    for (int r = 0; r < cone->n; ++r) *worst = fmax(*worst, fabs(cone->residual[r]));
    if (piece->kind != FREE) sum += dot(cone->z, cone->u, cone->n);
  }
  return sum / fmax(s->count, 1);
}

// ---- the step

// (W^2 + delta)^-1 of a cone's free part.
static void set_gain(const Piece* piece, double proximal, Cone* cone) {
  if (piece->kind == FREE) {
    cone->gain[0] = 1 / proximal;
    return;
  }
  cone->scaling = tribo_lorentz_scaling(cone->u, cone->z, cone->n);
  tribo_lorentz_scale(&cone->scaling, cone->z, cone->n, cone->lambda);
  if (piece->kind != DISC) {
    tribo_lorentz_inverse(&cone->scaling, proximal, cone->n, cone->gain);
    return;
  }
  double h[2][3] = {{0, 0, 0}, {0, 0, 0}};  // W^2 over the tangents
  for (int r = 0; r < piece->rows; ++r) {
    double unit[3] = {0, 0, 0}, once[3], twice[3];
    unit[1 + r] = 1;
    tribo_lorentz_scale(&cone->scaling, unit, cone->n, once);
    tribo_lorentz_scale(&cone->scaling, once, cone->n, twice);
    for (int q = 0; q < piece->rows; ++q) h[r][q] = twice[1 + q] + (q == r ? proximal : 0);
  }
  memset(cone->gain, 0, sizeof cone->gain);
  if (piece->rows == 1) {
    cone->gain[4] = 1 / h[0][0];
    return;
  }
  const double determinant = h[0][0] * h[1][1] - h[0][1] * h[1][0];
  cone->gain[4] = h[1][1] / determinant;
  cone->gain[8] = h[0][0] / determinant;
  cone->gain[5] = cone->gain[7] = -h[0][1] / determinant;
}

// The matrix I + J^T gain J', piece by piece and row by row.
static TriboStatus factor(TriboInterior* s) {
  TriboConvex* c = s->convex;
  tribo_coordinate_lu_clear(c->lu);
  for (int i = 0; i < c->pieces; ++i) {
    const Piece* piece = &c->piece[i];
    Cone* cone = &s->cone[i];
    set_gain(piece, s->proximal, cone);
    const double* gain = cone->gain;
    for (int j = piece->kind == DISC ? 1 : 0; j < cone->n; ++j) {
      double by[3] = {0, 0, 0};
      for (int p = 0; p < cone->n; ++p) {
        by[p] = gain[3 * p + j] + (j > 0 ? cone->slope[j - 1] * gain[3 * p] : 0);
      }
      const TriboCoordinateVector column = tribo_convex_combine(
          c, piece, cone->head * by[0], cone->tail * by[1], cone->tail * by[2]);
      const TriboCoordinateVector row =
          tribo_convex_row(c, j == 0 ? piece->first : piece->tangent + j - 1);
      tribo_coordinate_lu_add(c->lu, j == 0 ? cone->head : cone->tail, column, row);
    }
  }
  return tribo_coordinate_lu_factor(c->lu);
}

// What a cone wants of its velocities: c less W^2 of the part of dz that is given, which is where
// the radius of a disc goes.
static void subtract_given(const TriboInterior* s, const Piece* piece, Cone* cone,
                           double right[3]) {
  for (int r = 0; r < cone->n; ++r) right[r] = cone->wanted[r] - cone->residual[r];
  if (piece->kind != DISC) return;
  cone->dz[0] = radius_of(s, piece) / cone->tail - cone->z[0];
  const double given[3] = {cone->dz[0], 0, 0};
  double once[3], twice[3];
  tribo_lorentz_scale(&cone->scaling, given, cone->n, once);
  tribo_lorentz_scale(&cone->scaling, once, cone->n, twice);
  for (int r = 0; r < cone->n; ++r) right[r] -= twice[r];
}

static void multiply(const double matrix[9], const double* x, int n, double* y) {
  for (int i = 0; i < n; ++i) y[i] = dot(matrix + 3 * i, x, n);
}

// dz and du of every cone for what they want.
static void solve_direction(TriboInterior* s) {
  TriboConvex* c = s->convex;
  for (int i = 0; i < c->problem->ny; ++i) s->dy[i] = 0;
  for (int i = 0; i < c->pieces; ++i) {
    const Piece* piece = &c->piece[i];
    Cone* cone = &s->cone[i];
    double right[3], push[3] = {0, 0, 0};
    subtract_given(s, piece, cone, right);
    multiply(cone->gain, right, cone->n, push);
    if (piece->kind == DISC) push[0] = 0;
    const TriboCoordinateVector sum = tribo_convex_combine(
        c, piece, cone->head * push[0], cone->tail * push[1], cone->tail * push[2]);
    for (int e = 0; e < sum.count; ++e) s->dy[sum.index[e]] += sum.value[e];
  }
  tribo_coordinate_lu_solve(c->lu, s->dy);
  tribo_convex_velocities(c, s->dy, false, c->du);
  for (int i = 0; i < c->pieces; ++i) {
    const Piece* piece = &c->piece[i];
    Cone* cone = &s->cone[i];
    double du[3], right[3], dz[3];
    take_rows(piece, cone, c->du, du);
    du[0] += dot(cone->slope, du + 1, piece->rows);
    subtract_given(s, piece, cone, right);
    for (int r = 0; r < cone->n; ++r) right[r] -= du[r];
    multiply(cone->gain, right, cone->n, dz);
    for (int r = piece->kind == DISC ? 1 : 0; r < cone->n; ++r) cone->dz[r] = dz[r];
    if (piece->kind == FREE) continue;
    for (int r = 0; r < cone->n; ++r) {
      cone->du[r] = du[r] + cone->residual[r] + s->proximal * cone->dz[r];
    }
    if (piece->kind != DISC) continue;
    double once[3], twice[3];
    tribo_lorentz_scale(&cone->scaling, cone->dz, cone->n, once);
    tribo_lorentz_scale(&cone->scaling, once, cone->n, twice);
    cone->du[0] = cone->wanted[0] - twice[0];
  }
}

// How far all cones can go.
static double reach_of(const TriboInterior* s) {
  double reach = 1e30;
  for (int i = 0; i < s->convex->pieces; ++i) {
    const Cone* cone = &s->cone[i];
    if (s->convex->piece[i].kind == FREE) continue;
    reach = fmin(reach, tribo_lorentz_reach(cone->z, cone->dz, cone->n));
    reach = fmin(reach, tribo_lorentz_reach(cone->u, cone->du, cone->n));
  }
  return reach;
}

// Mean of z . u after a step.
static double complementarity_after(const TriboInterior* s, double length) {
  double sum = 0;
  for (int i = 0; i < s->convex->pieces; ++i) {
    const Cone* cone = &s->cone[i];
    if (s->convex->piece[i].kind == FREE) continue;
    for (int r = 0; r < cone->n; ++r) {
      sum += (cone->z[r] + length * cone->dz[r]) * (cone->u[r] + length * cone->du[r]);
    }
  }
  return sum / fmax(s->count, 1);
}

static void want_nothing_left(TriboInterior* s) {
  for (int i = 0; i < s->convex->pieces; ++i) {
    Cone* cone = &s->cone[i];
    for (int r = 0; r < cone->n; ++r) cone->wanted[r] = -cone->u[r];
  }
}

// Mehrotra's corrector: lambda o (W dz + W^-1 du) = target - lambda o lambda - its own second-order
// part.
static void want_centered(TriboInterior* s, double target) {
  for (int i = 0; i < s->convex->pieces; ++i) {
    Cone* cone = &s->cone[i];
    if (s->convex->piece[i].kind == FREE) continue;
    double dz[3], du[3], second[3], right[3], quotient[3];
    tribo_lorentz_scale(&cone->scaling, cone->dz, cone->n, dz);
    tribo_lorentz_unscale(&cone->scaling, cone->du, cone->n, du);
    tribo_lorentz_product(dz, du, cone->n, second);
    tribo_lorentz_product(cone->lambda, cone->lambda, cone->n, right);
    for (int r = 0; r < cone->n; ++r) right[r] = -right[r] - second[r];
    right[0] += target;
    tribo_lorentz_divide(cone->lambda, right, cone->n, quotient);
    tribo_lorentz_scale(&cone->scaling, quotient, cone->n, cone->wanted);
  }
}

static void go(TriboInterior* s, double length) {
  for (int i = 0; i < s->convex->pieces; ++i) {
    Cone* cone = &s->cone[i];
    for (int r = 0; r < cone->n; ++r) {
      cone->z[r] += length * cone->dz[r];
      cone->u[r] += length * cone->du[r];
    }
  }
}

// One iteration; the length gone, 0 where the factor fails.
static double iterate(TriboInterior* s, const TriboInteriorOptions* options, double now,
                      double worst) {
  if (factor(s) != TRIBO_OK) return 0;
  want_nothing_left(s);
  solve_direction(s);
  const double left = complementarity_after(s, fmin(1, reach_of(s)));
  double share = fmin(1, fmax(0, left / now));
  share = fmax(share * share * share, options->centering);
  share = fmax(share, fmin(1, options->balance * worst * s->unit / now));
  want_centered(s, share * now);
  solve_direction(s);
  const double length = fmin(1, kBoundary * reach_of(s));
  if (!(length > 0)) return 0;
  go(s, length);
  return length;
}

// ---- rounds

// Where complementarity has come down to the middle a round can begin.
static void keep(TriboInterior* s) {
  for (int i = 0; i < s->convex->pieces; ++i) {
    memcpy(s->cone[i].kept, s->cone[i].z, sizeof s->cone[i].z);
    memcpy(s->cone[i].kept + 3, s->cone[i].u, sizeof s->cone[i].u);
  }
}

// The shifts are those of the slip now; back to the middle.
static void next_round(TriboInterior* s) {
  for (int i = 0; i < s->convex->pieces; ++i) {
    Cone* cone = &s->cone[i];
    cone->shift = cone->slip;
    memcpy(cone->z, cone->kept, sizeof cone->z);
    memcpy(cone->u, cone->kept + 3, sizeof cone->u);
  }
}

// ---- the run

void tribo_interior_point(TriboInterior* interior, TriboContactSolution* solution) {
  TriboInterior* s = interior;
  TriboConvex* c = s->convex;
  const TriboContactProblem* problem = c->problem;
  write_impulses(s);
  for (int i = 0; i < problem->X.count; ++i) solution->x[i] = c->z[i];
  for (int i = 0; i < problem->N.count; ++i) {
    solution->f[i] = c->z[c->first_N + i];
    solution->mode_N[i] = TRIBO_MODE_SEPARATE;
  }
  for (int i = 0; i < problem->T.count; ++i) solution->t[i] = c->z[c->first_T + i];
  for (int g = 0; g < problem->ng; ++g) solution->mode_g[g] = TRIBO_MODE_SEPARATE;
  for (int i = 0; i < c->pieces; ++i) {
    const Piece* piece = &c->piece[i];
    const Cone* cone = &s->cone[i];
    const bool pushes = cone->z[0] > cone->u[0];
    if ((piece->kind == CONE || piece->kind == HALF) && pushes) {
      solution->mode_N[piece->first - c->first_N] = TRIBO_MODE_STICK;
    }
    if (piece->group < 0 || !pushes) continue;
    const bool inside = tribo_lorentz_determinant(cone->z, cone->n) > 1e6 * cone->u[0] * cone->u[0];
    solution->mode_g[piece->group] = inside ? TRIBO_MODE_STICK : TRIBO_MODE_SLIDE;
  }
  tribo_problem_velocity(problem, solution);
}

TriboStatus tribo_interior_solve(TriboInterior* interior, const TriboContactProblem* problem,
                                 const TriboInteriorOptions* options,
                                 TriboContactSolution* solution, int* iterations) {
  TriboInterior* s = interior;
  *iterations = 0;
  if (!tribo_convex_load(s->convex, problem)) return TRIBO_ERROR_CAPACITY;
  s->convex->k = problem->k;
  s->proximal = options->proximal;
  s->fade = options->fade;
  s->held = options->rounds > 0;
  begin(s, options);
  const TriboStatus fits = tribo_convex_analyze(s->convex, false);
  if (fits != TRIBO_OK) return fits;
  TriboStatus status = TRIBO_ERROR_LIMIT;
  int round = 0;
  bool kept = false;
  while (true) {
    double worst;
    const double now = measure(s, &worst), scale = s->unit * s->unit;
    if (!kept && s->held && now <= kMiddle * scale) keep(s), kept = true;
    bool ended = now <= kComplementarity * scale && worst <= kResidual * s->unit;
    if (ended) status = TRIBO_OK;
    if (!ended && *iterations < options->max_iterations) {
      ++*iterations;
      ended = !(iterate(s, options, now, worst) > kShortest);
    } else if (!ended) {
      break;
    }
    if (!ended) continue;
    if (!kept || ++round >= options->rounds) break;
    next_round(s);
    status = TRIBO_ERROR_LIMIT;
  }
  tribo_interior_point(s, solution);
  return status;
}
