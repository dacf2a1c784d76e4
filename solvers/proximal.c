// SPDX-License-Identifier: Apache-2.0
//
// Unknown: r. In units that make W's diagonal 1 (both tangents of a contact share theirs), the
// solution is the zero of the natural map, rho = 3 [AlartCurnier1991]:
//
//   normal     f - max(0, f - rho u_n)
//   tangents   t - P(t - rho u_t),   P the nearest point of the disc or polygon of radius mu f
//
// Redundant and nearly equal contacts make its derivative singular. So it is solved along a path of
// proximal problems, u = W r + q + delta (r - r_0) with r_0 the answer of the one before; at a
// solution of the path's end the added term vanishes whatever delta is. delta starts at 1e-2 and
// goes down tenfold with each success; a failure quadruples it, and from then on it goes down
// slowly.
//
// Each of them by semismooth Newton. With A = dP/da and e = dP/dR (disc.h),
//
//   (I - A) dt - mu e df + rho A du_t = P - t,    du = (W + delta I) dr
//
// for contacts that push, and dr = -r for the others. Steps that reduce the sum of squares come
// first; where those stop, whole steps are tried without looking at the residual, which finds the
// modes of nearly equal contacts where a descent is caught. Where the whole path fails,
// Gauss-Seidel sweeps over contacts find another start.
#include "solvers/proximal.h"

#include <math.h>
#include <string.h>

#include "solvers/block_lu.h"
#include "solvers/disc.h"

enum { HALVINGS = 6, INNER = 25, FIRST_SWEEPS = 25, LOCAL_PASSES = 4, FAILURES = 4, FINISHING = 4 };
static const double kRho = 3, kFirst = 1e-2, kLast = 1e-10, kMost = 1, kCareful = 0.8;

// A proximal problem is solved well enough when its residual fell by this factor, or to rounding.
static const double kFall = 1e-3, kRounding = 1e-15;

struct TriboProximal {
  int contacts, size, entries;
  const TriboDelassus* problem;
  TriboBlockLu* lu;
  double delta;

  double* value;  // W in units of its diagonal        (entries)
  double* scale;  // r = scale r'                      (n)
  double *q, *mu;
  double *r, *u;      // iterate
  double* r_0;        // centre of the proximal term
  double *r_t, *u_t;  // trial
  double *dr, *du;
  double *rhs, *x, *rest;  // Newton system, by block
  double *original, *scratch;
  int* block;    // block of a contact, or -1          (contacts)
  int* contact;  // of a block                         (contacts)
};

TriboProximalOptions tribo_proximal_options_default(void) {
  const TriboProximalOptions options = {1e-9, 3000, 5000};
  return options;
}

TriboProximal* tribo_proximal_init(TriboArena* arena, int contacts, int size, int entries) {
  TriboProximal made = {.contacts = contacts, .size = size, .entries = entries};
  TriboProximal* solver = tribo_arena_take(arena, 1, sizeof *solver);
  const int n = contacts * size;
  made.value = tribo_arena_doubles(arena, entries);
  double** vectors[] = {&made.scale, &made.q,    &made.r,        &made.u,      &made.r_0,
                        &made.r_t,   &made.u_t,  &made.dr,       &made.du,     &made.rhs,
                        &made.x,     &made.rest, &made.original, &made.scratch};
  for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; ++v) {
    *vectors[v] = tribo_arena_doubles(arena, n);
  }
  made.mu = tribo_arena_doubles(arena, contacts);
  made.block = tribo_arena_ints(arena, contacts);
  made.contact = tribo_arena_ints(arena, contacts);
  made.lu = tribo_block_lu_init(arena, contacts, size);
  if (solver == NULL || arena->overflowed) return NULL;
  *solver = made;
  return solver;
}

// ---- The scaled problem ----

static TriboRows scaled_rows(const TriboProximal* s) {
  TriboRows rows = s->problem->W;
  rows.value = s->value;
  return rows;
}

static void copy(const TriboProximal* s, const double* from, double* to) {
  memcpy(to, from, sizeof(double) * (size_t)s->problem->W.count);
}

static void load(TriboProximal* s, const TriboDelassus* p, const double* r) {
  s->problem = p;
  s->delta = 0;
  for (int c = 0; c < p->contacts; ++c) {
    const int i = c * p->size;
    const double normal = tribo_delassus_diagonal(&p->W, i);
    double tangent = tribo_delassus_diagonal(&p->W, i + 1);
    if (p->size == 3) tangent = fmax(tangent, tribo_delassus_diagonal(&p->W, i + 2));
    s->scale[i] = normal > 0 ? 1 / sqrt(normal) : 1;
    for (int k = 1; k < p->size; ++k) s->scale[i + k] = tangent > 0 ? 1 / sqrt(tangent) : 1;
    s->mu[c] = p->mu[c] * s->scale[i] / s->scale[i + 1];
  }
  for (int i = 0; i < p->W.count; ++i) {
    for (int e = p->W.start[i]; e < p->W.start[i + 1]; ++e) {
      s->value[e] = s->scale[i] * p->W.value[e] * s->scale[p->W.index[e]];
    }
    s->q[i] = s->scale[i] * p->q[i];
    s->r[i] = r[i] / s->scale[i];
  }
}

// u = W r + q + delta (r - r_0)
static void velocity(const TriboProximal* s, const double* r, double* u) {
  const TriboRows W = scaled_rows(s);
  for (int i = 0; i < W.count; ++i) {
    u[i] = s->q[i] + tribo_row_dot(&W, i, r);
    if (s->delta > 0) u[i] += s->delta * (r[i] - s->r_0[i]);
  }
}

// Where the law wants the tangential impulse of contact c: P(t - rho u_t).
static TriboDiscPoint wanted(const TriboProximal* s, int c, const double* r, const double* u) {
  const TriboDelassus* p = s->problem;
  const int i = c * p->size;
  double a[2] = {r[i + 1] - kRho * u[i + 1], 0};
  if (p->size == 3) a[1] = r[i + 2] - kRho * u[i + 2];
  const int facets = p->size == 3 ? p->facets : 2;
  return tribo_disc_project(p->cone, facets, s->mu[c] * fmax(r[i], 0), a);
}

// Length of the natural map.
static double residual(const TriboProximal* s, const double* r, const double* u) {
  const TriboDelassus* p = s->problem;
  double sum = 0;
  for (int c = 0; c < p->contacts; ++c) {
    const int i = c * p->size;
    const double off = r[i] - fmax(0, r[i] - kRho * u[i]);
    sum += off * off;
    const TriboDiscPoint to = wanted(s, c, r, u);
    for (int k = 0; k < p->size - 1; ++k) {
      sum += (r[i + 1 + k] - to.t[k]) * (r[i + 1 + k] - to.t[k]);
    }
  }
  return sqrt(sum);
}

// ---- Gauss-Seidel ----

// The block of W of the contact whose rows start at i.
static void local_block(int size, const TriboRows* W, int i, double B[3][3]) {
  memset(B, 0, 9 * sizeof(double));
  for (int a = 0; a < size; ++a) {
    for (int e = W->start[i + a]; e < W->start[i + a + 1]; ++e) {
      const int b = W->index[e] - i;
      if (b >= 0 && b < size) B[a][b] = W->value[e];
    }
  }
}

// The larger eigenvalue of the tangential block's symmetric part.
static double stiffness(double B[3][3]) {
  const double a = B[1][1], d = B[2][2], b = 0.5 * (B[1][2] + B[2][1]);
  return 0.5 * (a + d) + sqrt(0.25 * (a - d) * (a - d) + b * b);
}

static void relax(TriboProximal* s, const TriboRows* W, int c) {
  const int size = s->problem->size, i = c * size;
  double B[3][3], u[3] = {0, 0, 0}, r[3] = {0, 0, 0};
  local_block(size, W, i, B);
  for (int a = 0; a < size; ++a) {
    u[a] = s->q[i + a] + tribo_row_dot(W, i + a, s->r);
    r[a] = s->r[i + a];
  }
  const double rho = stiffness(B);
  for (int pass = 0; pass < LOCAL_PASSES; ++pass) {
    double d[3] = {0, 0, 0};
    if (B[0][0] > 0) d[0] = fmax(0, r[0] - u[0] / B[0][0]) - r[0];
    r[0] += d[0];
    for (int a = 0; a < size; ++a) u[a] += B[a][0] * d[0];
    if (rho > 0) {
      const double to[2] = {r[1] - u[1] / rho, r[2] - u[2] / rho};
      const int facets = size == 3 ? s->problem->facets : 2;
      const TriboDiscPoint p = tribo_disc_project(s->problem->cone, facets, s->mu[c] * r[0], to);
      d[1] = p.t[0] - r[1];
      d[2] = p.t[1] - r[2];
    }
    r[1] += d[1];
    r[2] += d[2];
    for (int a = 0; a < size; ++a) u[a] += B[a][1] * d[1] + B[a][2] * d[2];
  }
  for (int a = 0; a < size; ++a) s->r[i + a] = r[a];
}

static void sweep(TriboProximal* s, int count) {
  const TriboRows W = scaled_rows(s);
  for (int k = 0; k < count; ++k) {
    for (int c = 0; c < s->problem->contacts; ++c) relax(s, &W, c);
  }
}

// ---- One Newton step ----

// Contacts that let go are known, dr = -r, and make du; the others become blocks.
static int choose_blocks(TriboProximal* s) {
  const TriboDelassus* p = s->problem;
  const TriboRows W = scaled_rows(s);
  int m = 0;
  for (int c = 0; c < p->contacts; ++c) {
    const int i = c * p->size;
    const bool active = s->r[i] - kRho * s->u[i] > 0;
    for (int k = 0; k < p->size; ++k) s->dr[i + k] = active ? 0 : -s->r[i + k];
    s->block[c] = active ? m : -1;
    if (active) s->contact[m++] = c;
  }
  for (int i = 0; i < W.count; ++i) {
    s->du[i] = tribo_row_dot(&W, i, s->dr) + s->delta * s->dr[i];
  }
  return m;
}

// The equations of contact c as G (dr_c) + H (du_c) = g: rows of normal and tangents.
typedef struct Equations {
  double G[3][3], H[3][3], g[3];
} Equations;

static Equations equations_of(const TriboProximal* s, int c) {
  const int size = s->problem->size, i = c * size;
  Equations eq;
  memset(&eq, 0, sizeof eq);
  eq.H[0][0] = 1;
  eq.g[0] = -s->u[i];
  const TriboDiscPoint to = wanted(s, c, s->r, s->u);
  for (int k = 0; k < size - 1; ++k) {
    if (to.inside) {
      eq.H[1 + k][1 + k] = 1;
      eq.g[1 + k] = -s->u[i + 1 + k];
      continue;
    }
    eq.g[1 + k] = to.t[k] - s->r[i + 1 + k];
    eq.G[1 + k][0] = -s->mu[c] * to.e[k];
    for (int l = 0; l < size - 1; ++l) {
      eq.G[1 + k][1 + l] = (k == l) - to.A[k][l];
      eq.H[1 + k][1 + l] = kRho * to.A[k][l];
    }
  }
  return eq;
}

static void join_blocks(TriboProximal* s, int m) {
  const TriboRows* W = &s->problem->W;
  const int size = s->problem->size;
  tribo_block_lu_begin(s->lu, m);
  for (int b = 0; b < m; ++b) {
    const int i = s->contact[b] * size;
    for (int e = W->start[i]; e < W->start[i + size]; ++e) {
      const int other = s->block[W->index[e] / size];
      if (other >= 0) tribo_block_lu_join(s->lu, b, other);
    }
  }
  tribo_block_lu_analyze(s->lu);
}

static void fill_block_row(TriboProximal* s, int b) {
  const TriboRows* W = &s->problem->W;
  const int size = s->problem->size, c = s->contact[b], i = c * size;
  const Equations eq = equations_of(s, c);
  double* own = tribo_block_lu_at(s->lu, b, b);
  for (int k = 0; k < size; ++k) {
    s->rhs[b * size + k] = eq.g[k];
    for (int l = 0; l < size; ++l) {
      own[k * size + l] += eq.G[k][l] + s->delta * eq.H[k][l];
      s->rhs[b * size + k] -= eq.H[k][l] * s->du[i + l];
    }
  }
  for (int l = 0; l < size; ++l) {
    for (int e = W->start[i + l]; e < W->start[i + l + 1]; ++e) {
      const int j = W->index[e], other = s->block[j / size];
      if (other < 0) continue;
      double* at = tribo_block_lu_at(s->lu, b, other);
      for (int k = 0; k < size; ++k) at[k * size + j % size] += eq.H[k][l] * s->value[e];
    }
  }
}

// rest = rhs - (system) x, from W. Returns its length.
static double linear_rest(TriboProximal* s, int m) {
  const int size = s->problem->size;
  const TriboRows W = scaled_rows(s);
  for (int i = 0; i < W.count; ++i) s->r_t[i] = 0;
  for (int e = 0; e < m * size; ++e) s->r_t[s->contact[e / size] * size + e % size] = s->x[e];
  double sum = 0;
  for (int b = 0; b < m; ++b) {
    const int c = s->contact[b], i = c * size;
    const Equations eq = equations_of(s, c);
    double du[3] = {0, 0, 0};
    for (int l = 0; l < size; ++l) {
      du[l] = tribo_row_dot(&W, i + l, s->r_t) + s->delta * s->r_t[i + l];
    }
    for (int k = 0; k < size; ++k) {
      double rest = s->rhs[b * size + k];
      for (int l = 0; l < size; ++l) rest -= eq.G[k][l] * s->r_t[i + l] + eq.H[k][l] * du[l];
      s->rest[b * size + k] = rest;
      sum += rest * rest;
    }
  }
  return sqrt(sum);
}

// dr of one Newton step, with one refinement. False when the system could not be solved.
static bool newton_step(TriboProximal* s) {
  const int size = s->problem->size, m = choose_blocks(s);
  if (m == 0) return true;
  join_blocks(s, m);
  for (int b = 0; b < m; ++b) fill_block_row(s, b);
  if (tribo_block_lu_factor(s->lu) != TRIBO_OK) return false;
  double before = 0;
  for (int e = 0; e < m * size; ++e) {
    s->x[e] = s->rhs[e];
    before += s->rhs[e] * s->rhs[e];
  }
  tribo_block_lu_solve(s->lu, s->x);
  double rest = linear_rest(s, m);
  tribo_block_lu_solve(s->lu, s->rest);
  for (int e = 0; e < m * size; ++e) s->x[e] += s->rest[e];
  rest = linear_rest(s, m);
  // Elimination without pivoting lost it: a larger delta helps.
  if (!(rest <= 1e-3 * sqrt(before))) return false;
  for (int e = 0; e < m * size; ++e) s->dr[s->contact[e / size] * size + e % size] = s->x[e];
  return true;
}

// ---- A proximal problem ----

// Goes along dr: the whole way, or halving until the residual falls.
static bool advance(TriboProximal* s, bool whole, double* value) {
  const int n = s->problem->W.count;
  double length = 1;
  for (int h = 0; h <= HALVINGS; ++h, length *= 0.5) {
    for (int i = 0; i < n; ++i) s->r_t[i] = s->r[i] + length * s->dr[i];
    velocity(s, s->r_t, s->u_t);
    const double next = residual(s, s->r_t, s->u_t);
    if (!isfinite(next)) return false;
    if (whole || next < (1 - 1e-3 * length) * *value) {
      copy(s, s->r_t, s->r);
      copy(s, s->u_t, s->u);
      *value = next;
      return true;
    }
  }
  return false;
}

// Solves the problem of the present delta around s->r; on failure s->r is as it was.
static bool solve_proximal(TriboProximal* s, bool whole, const TriboProximalOptions* options,
                           TriboProximalInfo* info) {
  copy(s, s->r, s->r_0);
  velocity(s, s->r, s->u);
  double value = residual(s, s->r, s->u), largest = 0;
  for (int i = 0; i < s->problem->W.count; ++i) {
    largest = fmax(largest, fmax(fabs(s->q[i]), fabs(s->r[i])));
  }
  const double enough = fmax(kFall * value, kRounding * largest);
  for (int k = 0; k < INNER && info->iterations < options->max_iterations; ++k) {
    if (value <= enough) return true;
    ++info->iterations;
    if (!newton_step(s) || !advance(s, whole, &value)) break;
  }
  if (value <= enough) return true;
  copy(s, s->r_0, s->r);
  return false;
}

// Judges the iterate, its impulses put exactly where the law has them, and keeps it when it is the
// best.
static bool judge(TriboProximal* s, const TriboProximalOptions* options, double* r,
                  TriboProximalInfo* info) {
  const TriboDelassus* p = s->problem;
  s->delta = 0;
  velocity(s, s->r, s->u);
  for (int c = 0; c < p->contacts; ++c) {
    const int i = c * p->size;
    TriboDiscPoint to = wanted(s, c, s->r, s->u);
    const double f = fmax(s->r[i], 0);
    if (to.inside) {
      const double t[2] = {s->r[i + 1], p->size == 3 ? s->r[i + 2] : 0};
      to = tribo_disc_project(p->cone, p->size == 3 ? p->facets : 2, s->mu[c] * f, t);
    }
    s->original[i] = s->scale[i] * f;
    s->original[i + 1] = s->scale[i + 1] * to.t[0];
    if (p->size == 3) s->original[i + 2] = s->scale[i + 2] * to.t[1];
  }
  const TriboCertificate now = tribo_delassus_certify(p, s->original, s->scratch);
  if (now.worst < info->certificate.worst) {
    copy(s, s->original, r);
    info->certificate = now;
  }
  return now.worst <= options->tolerance;
}

// The path from s->r.
static bool follow_path(TriboProximal* s, const TriboProximalOptions* options, double* r,
                        TriboProximalInfo* info) {
  double delta = kFirst, down = 0.1;
  int failures = 0;  // in a row
  while (failures <= FAILURES && info->iterations < options->max_iterations) {
    s->delta = delta;
    const bool solved =
        solve_proximal(s, false, options, info) || solve_proximal(s, true, options, info);
    if (judge(s, options, r, info)) return true;
    failures = solved ? 0 : failures + 1;
    if (!solved) down = kCareful;
    delta = solved ? fmax(down * delta, kLast) : fmin(4 * delta, kMost);
  }
  return false;
}

// A few more steps from a certified answer, while they help: they cost little and reach rounding.
static void finish(TriboProximal* s, const TriboProximalOptions* options, double* r,
                   TriboProximalInfo* info) {
  for (int k = 0; k < FINISHING && info->certificate.worst > kRounding; ++k) {
    const double before = info->certificate.worst;
    s->delta = kLast;
    if (!solve_proximal(s, false, options, info)) return;
    (void)judge(s, options, r, info);
    if (!(info->certificate.worst <= 0.5 * before)) return;
  }
}

TriboStatus tribo_proximal_solve(TriboProximal* s, const TriboDelassus* problem,
                                 const TriboProximalOptions* options, double* r,
                                 TriboProximalInfo* info) {
  *info = (TriboProximalInfo){.sweeps = 0};
  info->certificate.worst = INFINITY;
  const int n = problem->W.count;
  if (problem->contacts > s->contacts || problem->size != s->size ||
      problem->W.start[n] > s->entries) {
    return TRIBO_ERROR_CAPACITY;
  }
  load(s, problem, r);
  bool solved = judge(s, options, r, info) || follow_path(s, options, r, info);
  for (int count = FIRST_SWEEPS; !solved && info->sweeps < options->max_sweeps; count *= 4) {
    if (count > options->max_sweeps - info->sweeps) count = options->max_sweeps - info->sweeps;
    sweep(s, count);
    info->sweeps += count;
    solved = judge(s, options, r, info) || follow_path(s, options, r, info);
  }
  if (solved) finish(s, options, r, info);
  return solved ? TRIBO_OK : TRIBO_ERROR_LIMIT;
}
