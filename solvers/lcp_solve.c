// SPDX-License-Identifier: Apache-2.0
//
// tribo_lcp_solve: Lemke, and for small problems the search through all complementary choices.
//
// Where Lemke ends on a ray, a solution may still exist. For each set A of unknowns, z_A solves
// M_AA z_A = -q_A and the certificate judges; least squares where M_AA is singular, which may miss
// a solution, so only a search without such a set proves that there is none.
//
// A ray that proves nothing leaves open whether some z >= 0 has M z + q >= 0 at all. The point of
// that polyhedron nearest to 0 decides (psd.h): rows z >= 0 and M z >= -q. Where it is empty, the
// multipliers f of the contradiction have f_z + M^T f_w = 0 and q.f_w < 0, and v = f_w is the
// proof.
#include <math.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/dense.h"
#include "solvers/lemke_standard.h"
#include "solvers/psd.h"

enum { MOST_ENUMERATED = 14, MOST_PROVED = 500 };
static const double kTolerance = 1e-9, kSingular = 1e-13;

typedef struct Search {
  TriboLemkeStandard* lemke;
  double *a, *tau, *rhs, *x, *z, *scratch;
  int *permutation, *member;
} Search;

static void layout(Search* s, TriboArena* arena, int n) {
  s->lemke = tribo_lemke_standard_init(arena, n);
  const int m = n <= MOST_ENUMERATED ? n : 0;
  s->a = tribo_arena_doubles(arena, m * m);
  s->tau = tribo_arena_doubles(arena, m);
  s->rhs = tribo_arena_doubles(arena, m);
  s->x = tribo_arena_doubles(arena, m);
  s->z = tribo_arena_doubles(arena, m);
  s->scratch = tribo_arena_doubles(arena, 2 * m);
  s->permutation = tribo_arena_ints(arena, m);
  s->member = tribo_arena_ints(arena, m);
}

// The z of set A, given by its bits. False where M_AA is singular; z is then a least-squares one.
static bool solve_set(Search* s, const TriboLcp* lcp, unsigned set) {
  const int n = lcp->n;
  int m = 0;
  for (int i = 0; i < n; ++i) {
    s->z[i] = 0;
    if (set >> i & 1u) s->member[m++] = i;
  }
  for (int i = 0; i < m; ++i) {
    s->rhs[i] = -lcp->q[s->member[i]];
    for (int j = 0; j < m; ++j) s->a[i * m + j] = lcp->M[s->member[i] * n + s->member[j]];
  }
  const int rank = tribo_qr_factor(m, m, s->a, m, s->tau, s->permutation, kSingular, s->scratch);
  tribo_qr_solve(m, m, rank, s->a, m, s->tau, s->permutation, s->rhs, s->x);
  for (int i = 0; i < m; ++i) s->z[s->member[i]] = s->x[i];
  return rank == m;
}

// TRIBO_OK with a solution in z, or TRIBO_ERROR_RAY; info->enumerated says that this is certain.
static TriboStatus enumerate(Search* s, const TriboLcp* lcp, double* z, TriboLcpInfo* info) {
  bool regular = true;
  for (unsigned set = 0; set < 1u << lcp->n; ++set) {
    regular &= solve_set(s, lcp, set);
    const TriboLcpCertificate certificate = tribo_lcp_certify(lcp, s->z, s->scratch);
    if (certificate.worst > kTolerance) continue;
    memcpy(z, s->z, sizeof(double) * (size_t)lcp->n);
    info->certificate = certificate;
    info->enumerated = true;
    return TRIBO_OK;
  }
  info->enumerated = regular;
  return TRIBO_ERROR_RAY;
}

// ---- The proof that nothing is feasible ----

typedef struct Polyhedron {
  TriboContactProblem problem;
  TriboContactSolution solution;
  TriboPsdSolver* psd;
} Polyhedron;

static void polyhedron_layout(Polyhedron* p, TriboArena* arena, int n) {
  TriboFactor* factor = tribo_factor_init_dense(arena, n, 2 * n);
  p->psd = tribo_psd_init(arena, factor, n, 0, 2 * n);
  p->problem.k = tribo_arena_doubles(arena, n);
  p->problem.b_N = tribo_arena_doubles(arena, 2 * n);
  p->problem.X.start = tribo_arena_ints(arena, 1);
  p->problem.N.start = tribo_arena_ints(arena, 2 * n + 1);
  p->problem.N.index = tribo_arena_ints(arena, n * (n + 1));
  p->problem.N.value = tribo_arena_doubles(arena, n * (n + 1));
  p->solution.y = tribo_arena_doubles(arena, n);
  p->solution.x = tribo_arena_doubles(arena, 1);
  p->solution.f = tribo_arena_doubles(arena, 2 * n);
  p->solution.mode_N = tribo_arena_take(arena, (size_t)(2 * n), sizeof(TriboMode));
}

static void fill_polyhedron(Polyhedron* p, const TriboLcp* lcp) {
  const int n = lcp->n;
  TriboRows* N = &p->problem.N;
  p->problem.ny = n;
  p->problem.X.start[0] = 0;
  N->count = 2 * n;
  int at = 0;
  for (int i = 0; i < 2 * n; ++i) {
    N->start[i] = at;
    for (int j = 0; j < n; ++j) {
      const double value = i < n ? (double)(i == j) : lcp->M[(i - n) * n + j];
      if (value == 0) continue;
      N->index[at] = j;
      N->value[at++] = value;
    }
    ((double*)p->problem.b_N)[i] = i < n ? 0 : -lcp->q[i - n];
  }
  N->start[2 * n] = at;
  for (int j = 0; j < n; ++j) ((double*)p->problem.k)[j] = 0;
}

// Whether v proves it, relative to the numbers that make the sums.
static bool proves(const TriboLcp* lcp, const double* v) {
  double down = 0, size = 0;
  for (int i = 0; i < lcp->n; ++i) {
    if (!(v[i] >= 0)) return false;
    down += lcp->q[i] * v[i];
    size += fabs(lcp->q[i] * v[i]);
  }
  if (!(down < -1e-9 * size)) return false;
  for (int j = 0; j < lcp->n; ++j) {
    double sum = 0, parts = 0;
    for (int i = 0; i < lcp->n; ++i) {
      sum += lcp->M[i * lcp->n + j] * v[i];
      parts += fabs(lcp->M[i * lcp->n + j] * v[i]);
    }
    if (sum > 1e-12 * parts) return false;
  }
  return true;
}

// Writes the proof to z where there is one. Without memory nothing is proved.
static bool prove_infeasible(const TriboLcp* lcp, const TriboAllocator* allocator, double* z) {
  Polyhedron polyhedron = {.psd = NULL};
  TriboArena measure = tribo_arena_measure();
  polyhedron_layout(&polyhedron, &measure, lcp->n);
  void* memory = tribo_allocate(allocator, measure.used);
  if (memory == NULL) return false;
  TriboArena arena = tribo_arena_over(memory, measure.used);
  polyhedron_layout(&polyhedron, &arena, lcp->n);
  fill_polyhedron(&polyhedron, lcp);
  const TriboPsdOptions options = tribo_psd_options_default();
  TriboPsdInfo info;
  const TriboStatus status = tribo_psd_solve(polyhedron.psd, &polyhedron.problem, &options, NULL,
                                             &polyhedron.solution, &info);
  const double* v = polyhedron.solution.f + lcp->n;
  const bool proved = status == TRIBO_ERROR_INFEASIBLE && proves(lcp, v);
  if (proved) memcpy(z, v, sizeof(double) * (size_t)lcp->n);
  tribo_release(allocator, memory, measure.used);
  return proved;
}

static TriboStatus validate(const TriboLcp* lcp, const double* z) {
  if (lcp == NULL || lcp->n < 1 || lcp->M == NULL || lcp->q == NULL || z == NULL) {
    return TRIBO_ERROR_ARGUMENT;
  }
  for (size_t i = 0; i < (size_t)lcp->n * (size_t)lcp->n; ++i) {
    if (!isfinite(lcp->M[i])) return TRIBO_ERROR_NOT_FINITE;
  }
  for (int i = 0; i < lcp->n; ++i) {
    if (!isfinite(lcp->q[i])) return TRIBO_ERROR_NOT_FINITE;
  }
  return TRIBO_OK;
}

TriboStatus tribo_lcp_solve(const TriboLcp* lcp, const TriboAllocator* allocator, double* z,
                            TriboLcpInfo* info) {
  *info = (TriboLcpInfo){0};
  TriboStatus status = validate(lcp, z);
  if (status != TRIBO_OK) return status;
  Search search;
  TriboArena measure = tribo_arena_measure();
  layout(&search, &measure, lcp->n);
  void* memory = tribo_allocate(allocator, measure.used);
  if (memory == NULL) return TRIBO_ERROR_MEMORY;
  TriboArena arena = tribo_arena_over(memory, measure.used);
  layout(&search, &arena, lcp->n);

  const TriboLemkeStandardOptions options = tribo_lemke_standard_options_default();
  TriboLemkeStandardStats stats;
  status = tribo_lemke_standard_solve(search.lemke, lcp, &options, z, &stats);
  info->attempts = stats.attempts;
  info->pivots = stats.pivots;
  if (status == TRIBO_OK) info->certificate = stats.certificate;
  const bool open = status == TRIBO_ERROR_RAY || status == TRIBO_ERROR_LIMIT;
  if (open && lcp->n <= MOST_ENUMERATED) {
    const TriboStatus found = enumerate(&search, lcp, z, info);
    if (found == TRIBO_OK) status = found;
  }
  if ((status == TRIBO_ERROR_RAY || status == TRIBO_ERROR_LIMIT) && lcp->n <= MOST_PROVED &&
      prove_infeasible(lcp, allocator, z)) {
    status = TRIBO_ERROR_INFEASIBLE;
  }
  tribo_release(allocator, memory, measure.used);
  return status;
}
