// SPDX-License-Identifier: Apache-2.0
//
// Problem: the polygonal conditions of problem.h as an LCP, per contact i with friction group g:
//
//   nu     = N_i y - b + c z0           >= 0  _|_  theta >= 0
//   sigma_k = D_k y - b + lam + c_k z0  >= 0  _|_  phi_k >= 0         k = 1 .. d
//   gamma  = mu theta + s - sum phi_k   >= 0  _|_  lam   >= 0
//   X y = b                                                            always basic
//
// with y = k + X^T x + N^T theta + D^T phi. Equality impulses and rows are unknowns and equations
// of every basis. lemke_basis.c solves a basis for its values q' and its driving column m'.
//
// Algorithm: Lemke with the covering vector c in [1,2] on nu, hashed from the contact's id, and c_k
// ten times that on sigma: a covered contact sticks unless it slips by more than c_k z0. So
// contacts mostly begin by sticking and need pivots only where they slide at last (two thirds of
// what c_k = 0 takes, over all of sweep_test), and contacts that stick do not tie, lam with all
// sigma at zero, which would let a path come back to where it was. In the reduced form a contact
// has no friction variables until nu leaves the basis; then, if D_x y + c_x z0 < 0, x its argmin,
// phi_x and lam enter with it, otherwise it sticks with gamma alone; they go when theta leaves.
// That is exact because gamma is not covered. Groups with a constant bound always have theirs. The
// ratio test is Harris'. theta leaves before its group's only phi and before gamma.
//
// From a similar problem's answer it goes by a homotopy: lemke_warm.c.
//
// Stops when z0 leaves; the final basis is then solved for the true right-hand side.
#include "solvers/lemke.h"

#include <math.h>
#include <string.h>

#include "engine/base/random.h"
#include "solvers/lemke_state.h"

// A violation below this share of the velocity scale is none.
static double least_violation(const TriboLemke* l) {
  return (l->options.fine ? 1e-20 : 1e-13) * l->scaled->velocity;
}

static Point point_init(TriboArena* arena, TriboSolverCapacity capacity) {
  Point point = {0};
  point.y = tribo_arena_doubles(arena, capacity.ny);
  point.x = tribo_arena_doubles(arena, capacity.x);
  point.theta = tribo_arena_doubles(arena, capacity.n);
  point.phi = tribo_arena_doubles(arena, capacity.groups * capacity.facets);
  point.lam = tribo_arena_doubles(arena, capacity.groups);
  return point;
}

TriboLemke* tribo_lemke_init(TriboArena* arena, TriboSolverCapacity capacity) {
  TriboLemke measuring = {0};
  TriboLemke* lemke = (TriboLemke*)tribo_arena_take(arena, 1, sizeof(TriboLemke));
  TriboLemke* l = lemke != NULL ? lemke : &measuring;
  // Columns of a basis are independent but for one, which z0 makes up for.
  int largest = capacity.ny + 2;
  if (largest > capacity.x + capacity.n + 3 * capacity.groups + 1) {
    largest = capacity.x + capacity.n + 3 * capacity.groups + 1;
  }
  if (largest > MAX_BASIS) largest = MAX_BASIS;
  capacity.facets += TRIBO_LEMKE_EXTRA;
  const int variables = capacity.n + capacity.groups * (capacity.facets + 1) + 1;
  const int nx = capacity.x < capacity.ny ? capacity.x : capacity.ny;
  l->capacity = capacity;
  l->largest = largest;
  l->theta_basic = (bool*)tribo_arena_take(arena, (size_t)capacity.n, sizeof(bool));
  l->group = (GroupState*)tribo_arena_take(arena, (size_t)capacity.groups, sizeof(GroupState));
  l->facet = tribo_arena_doubles(arena, 2 * capacity.groups * capacity.facets);
  l->c_nu = tribo_arena_doubles(arena, capacity.n);
  l->c_sg = tribo_arena_doubles(arena, capacity.groups * capacity.facets);
  l->x_row = tribo_arena_ints(arena, capacity.x);
  l->basis_X = tribo_arena_doubles(arena, nx * (capacity.ny + 1));
  l->unknown = (Unknown*)tribo_arena_take(arena, (size_t)largest, sizeof(Unknown));
  const int order = largest + (capacity.ny < MAX_WHOLE ? capacity.ny : MAX_WHOLE);
  l->lu = tribo_arena_doubles(arena, order * order);
  l->swap = tribo_arena_ints(arena, order);
  l->right = tribo_arena_doubles(arena, order);
  l->left = tribo_arena_doubles(arena, order);
  l->rhs = tribo_arena_doubles(arena, largest);
  l->push = tribo_arena_doubles(arena, capacity.ny);
  l->q = point_init(arena, capacity);
  l->m = point_init(arena, capacity);
  tribo_lemke_fine_init(l, arena);
  l->var = (Var*)tribo_arena_take(arena, (size_t)variables, sizeof(Var));
  l->var_q = tribo_arena_doubles(arena, variables);
  l->var_m = tribo_arena_doubles(arena, variables);
  return arena->overflowed ? NULL : lemke;
}

// ---- changing the basis

static void enter(TriboLemke* l, Var var) {
  if (var.kind == THETA) l->theta_basic[var.i] = true;
  if (var.kind == LAM) l->group[var.i].lam = true;
  if (var.kind == PHI) {
    GroupState* state = &l->group[var.i];
    if (state->count < MAX_PHI) state->phi[state->count++] = var.k;
  }
  if (var.kind == Z0) l->z0_basic = true;
}

// Friction begins at the facet that opposes the motion at the pivot point y + t dy, or by sticking
// where the motion is covered.
static void open_group(TriboLemke* l, int g, double t) {
  GroupState* state = &l->group[g];
  if (state->open) return;
  const TriboScaledGroup* group = &l->scaled->group[g];
  double a[2], b[2];
  tribo_scaled_slip(group, l->q.y, a);
  tribo_scaled_slip(group, l->m.y, b);
  for (int r = 0; r < 2; ++r) a[r] += t * (b[r] + group->target[r]);
  const double z0 = l->drive.kind == Z0 ? t : l->q.z0 + t * l->m.z0;
  int best = 0;
  double least = INFINITY;
  for (int k = 0; k < state->facets; ++k) {
    const double* d = tribo_lemke_facet(l, g, k);
    const double along = d[0] * a[0] + d[1] * a[1] + l->c_sg[g * l->capacity.facets + k] * z0;
    if (along < least) least = along, best = k;
  }
  state->open = true;
  state->lam = least < 0;
  state->count = state->lam ? 1 : 0;
  state->phi[0] = best;
}

// Takes `var` out at step t; its complement drives next.
static void leave(TriboLemke* l, Var var, double t) {
  const TriboScaled* p = l->scaled;
  if (var.kind == THETA || var.kind == NU) {
    for (int e = p->first_group[var.i]; e < p->first_group[var.i + 1]; ++e) {
      const int g = p->group_of[e];
      if (l->group[g].always || p->group[g].mu == 0) continue;
      if (var.kind == NU) {
        open_group(l, g, t);
      } else {
        l->group[g].open = false;
      }
    }
  }
  if (var.kind == THETA) l->theta_basic[var.i] = false;
  if (var.kind == LAM) l->group[var.i].lam = false;
  if (var.kind == PHI) {
    GroupState* state = &l->group[var.i];
    int n = 0;
    for (int e = 0; e < state->count; ++e) {
      if (state->phi[e] != var.k) state->phi[n++] = state->phi[e];
    }
    state->count = n;
  }
  if (var.kind == Z0) l->z0_basic = false;
  l->drive = (Var){tribo_lemke_complement(var.kind), var.i, var.k};
}

// ---- the run

// Keeps the independent equality rows (Gram-Schmidt, twice); a dependent one must agree with them.
static TriboStatus select_equalities(TriboLemke* l, int* bad_row) {
  const TriboScaled* p = l->scaled;
  const int ny = p->problem->ny;
  l->nx = 0;
  for (int i = 0; i < p->X.count; ++i) {
    double target = p->b_X[i];
    memset(l->push, 0, sizeof(double) * (size_t)ny);
    tribo_row_axpy(&p->X, i, 1, l->push);
    for (int pass = 0; pass < 2; ++pass) {
      for (int j = 0; j < l->nx; ++j) {
        const double* base = l->basis_X + (size_t)j * (size_t)(ny + 1);
        double along = 0;
        for (int e = 0; e < ny; ++e) along += base[e] * l->push[e];
        for (int e = 0; e < ny; ++e) l->push[e] -= along * base[e];
        target -= along * base[ny];
      }
    }
    double length = 0;
    for (int e = 0; e < ny; ++e) length += l->push[e] * l->push[e];
    length = sqrt(length);
    if (length > 1e-9 && l->nx < ny) {
      double* base = l->basis_X + (size_t)l->nx * (size_t)(ny + 1);
      for (int e = 0; e < ny; ++e) base[e] = l->push[e] / length;
      base[ny] = target / length;
      l->x_row[l->nx++] = i;
    } else if (fabs(target) > 1e-9 * p->velocity) {
      *bad_row = i;
      memset(l->push, 0, sizeof(double) * (size_t)ny);
      return TRIBO_ERROR_INFEASIBLE;
    }
  }
  memset(l->push, 0, sizeof(double) * (size_t)ny);
  return TRIBO_OK;
}

static double covering(uint64_t seed, uint64_t id) {
  return 1 + (double)(tribo_hash64_combine(seed, id) >> 11) * 0x1p-53;
}

// The slack basis: every nu basic, friction only where it does not need a normal.
static void start_basis(TriboLemke* l) {
  const TriboScaled* p = l->scaled;
  const int facets = l->capacity.facets;
  l->z0_basic = false;
  l->drive = (Var){NONE, 0, 0};
  for (int i = 0; i < p->N.count; ++i) {
    l->theta_basic[i] = false;
    l->c_nu[i] = covering(l->options.hash, p->problem->id_N[i]);
  }
  for (int g = 0; g < p->problem->ng; ++g) {
    const TriboScaledGroup* group = &p->group[g];
    GroupState* state = &l->group[g];
    const bool any = group->mu > 0 || group->bound > 0;
    state->always = any && (group->bound > 0 || l->options.form == TRIBO_LEMKE_STRUCTURAL);
    state->open = state->always;
    state->lam = false;
    state->count = 0;
    const TriboPolygons* polygons = group->rows == 2 ? l->options.polygons : NULL;
    state->facets = polygons != NULL ? polygons->count[g] : group->facets;
    for (int k = 0; k < state->facets; ++k) {
      double* to = l->facet + 2 * (g * facets + k);
      if (polygons != NULL) {
        memcpy(to, polygons->direction + 2 * (g * polygons->room + k), 2 * sizeof(double));
      } else {
        tribo_facet_direction(group->facets, k, to);
      }
      l->c_sg[g * facets + k] =
          FRICTION_COVER * covering(l->options.hash + 1, (uint64_t)(g * facets + k));
    }
  }
}

// z0 enters at the largest violation; false when there is none and the basis is the answer.
static bool enter_z0(TriboLemke* l, double* violation) {
  const Var none = {NONE, 0, 0}, z0 = {Z0, 0, 0};
  tribo_lemke_solve_basis(l, none, &l->q);
  tribo_lemke_solve_basis(l, z0, &l->m);
  const int count = tribo_lemke_list_basic(l, z0);
  const double floor = least_violation(l);
  int worst = -1;
  double largest = 0;
  for (int j = 0; j < count; ++j) {
    if (l->var_q[j] >= -floor || l->var_m[j] <= 0) continue;
    const double ratio = -l->var_q[j] / l->var_m[j];
    if (ratio > largest) largest = ratio, worst = j;
  }
  if (worst < 0) return false;
  const Var leaving = l->var[worst];
  enter(l, z0);
  l->drive = z0;
  leave(l, leaving, largest);
  *violation = largest;
  return true;
}

// Impulses in the problem's units; what rounding left below zero is zero.
static void write_solution(const TriboLemke* l, TriboContactSolution* solution) {
  const TriboScaled* p = l->scaled;
  const TriboContactProblem* problem = p->problem;
  for (int i = 0; i < p->X.count; ++i) solution->x[i] = l->q.x[i] / p->scale_X[i];
  for (int i = 0; i < p->N.count; ++i) {
    const bool pushes = l->theta_basic[i] && l->q.theta[i] > 0;
    solution->f[i] = pushes ? l->q.theta[i] / p->scale_N[i] : 0;
    solution->mode_N[i] = pushes ? TRIBO_MODE_STICK : TRIBO_MODE_SEPARATE;
  }
  for (int i = 0; i < problem->T.count; ++i) solution->t[i] = 0;
  for (int g = 0; g < problem->ng; ++g) {
    const GroupState* state = &l->group[g];
    const TriboScaledGroup* group = &p->group[g];
    const bool dead = !state->open || (group->normal >= 0 && !state->always &&
                                       solution->mode_N[group->normal] == TRIBO_MODE_SEPARATE);
    solution->mode_g[g] = dead                                              ? TRIBO_MODE_SEPARATE
                          : state->lam && l->q.lam[g] > 1e-12 * p->velocity ? TRIBO_MODE_SLIDE
                                                                            : TRIBO_MODE_STICK;
    if (dead) continue;
    for (int e = 0; e < state->count; ++e) {
      const double* d = tribo_lemke_facet(l, g, state->phi[e]);
      const double phi = fmax(l->q.phi[g * l->capacity.facets + state->phi[e]], 0) / group->scale;
      for (int r = 0; r < group->rows; ++r)
        solution->t[problem->group[g].tangent + r] += phi * d[r];
    }
  }
  tribo_problem_velocity(problem, solution);
}

// Who leaves the basis, whose values are known; -1 on a ray.
static int find_leaving(TriboLemke* l, double slack, int* count, double* longest) {
  tribo_lemke_solve_basis(l, l->drive, &l->m);
  *count = tribo_lemke_list_basic(l, l->drive);
  return tribo_lemke_ratio_test(l, *count, slack, longest);
}

// Whether the rounding of the driving column counts: on a ray, and where the step takes something
// so far that what is lost of the others is more than the slack.
static bool needs_precision(const TriboLemke* l, int count, int leaving) {
  if (l->fine || !l->whole) return false;
  if (leaving < 0) return true;
  double largest = 0;
  for (int j = 0; j < count; ++j) largest = fmax(largest, fabs(l->var_m[j]));
  return l->var_q[leaving] * largest > 1e5 * l->scaled->velocity * -l->var_m[leaving];
}

TriboStatus tribo_lemke_solve(TriboLemke* lemke, const TriboScaled* scaled,
                              const TriboLemkeOptions* options, TriboContactSolution* solution,
                              TriboLemkeResult* result) {
  TriboLemke* l = lemke;
  l->scaled = scaled;
  l->options = *options;
  l->whole = scaled->problem->ny <= MAX_WHOLE;
  l->fine = options->fine;
  *result = (TriboLemkeResult){0, 0, -1};
  const Var none = {NONE, 0, 0};
  memset(l->push, 0, sizeof(double) * (size_t)scaled->problem->ny);
  TriboStatus status = select_equalities(l, &result->row);
  if (status != TRIBO_OK) return status;
  start_basis(l);
  if (options->warm != NULL && !tribo_lemke_start_warm(l, options->warm)) {
    return TRIBO_ERROR_SINGULAR;
  }
  int limit = 20 * (scaled->N.count + scaled->problem->ng) + 200;
  if (options->max_pivots > 0 && options->max_pivots < limit) limit = options->max_pivots;

  if (!tribo_lemke_factor_basis(l)) return TRIBO_ERROR_SINGULAR;
  double violation = 0;
  bool open = enter_z0(l, &violation);
  // Where all that is violated is small, so is what counts; products of rows do not bear less.
  const double scale = l->whole ? fmax(violation, 1e-4 * scaled->velocity) : scaled->velocity;
  const double slack = options->harris * scale;
  while (open) {
    if (result->pivots++ >= limit) return TRIBO_ERROR_LIMIT;
    if (!tribo_lemke_factor_basis(l)) return TRIBO_ERROR_SINGULAR;
    if (l->size > result->basis) result->basis = l->size;
    // A tie that z0 lost: it is at zero, and the basis is the answer.
    tribo_lemke_solve_basis(l, none, &l->q);
    if (l->q.z0 <= least_violation(l)) {
      write_solution(l, solution);
      return TRIBO_OK;
    }
    double longest;
    int count, leaving = find_leaving(l, slack, &count, &longest);
    if (needs_precision(l, count, leaving)) {
      l->fine = true;
      if (!tribo_lemke_factor_basis(l)) return TRIBO_ERROR_SINGULAR;
      tribo_lemke_solve_basis(l, none, &l->q);
      leaving = find_leaving(l, slack, &count, &longest);
    }
    if (leaving < 0) return TRIBO_ERROR_RAY;
    const Var out = tribo_lemke_leaving(l, count, leaving, longest);
    const double step = fmax(l->var_q[leaving], 0) / -l->var_m[leaving];
    enter(l, l->drive);
    leave(l, out, step);
    open = out.kind != Z0;
  }
  if (result->pivots > 0) {
    if (!tribo_lemke_factor_basis(l)) return TRIBO_ERROR_SINGULAR;
    tribo_lemke_solve_basis(l, none, &l->q);
  }
  write_solution(l, solution);
  return TRIBO_OK;
}
