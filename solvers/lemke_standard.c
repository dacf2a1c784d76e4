// SPDX-License-Identifier: Apache-2.0
//
// Lemke's complementary pivoting [Lemke1965], in revised form. Unknowns w, z and z0 with
//
//   w - M z - c z0 = q,   c > 0
//
// Start: z0 just large enough for w >= 0; then each time the complement of what left the basis
// enters, until z0 leaves (a solution) or nothing blocks (a ray). What makes it dependable:
//
// - rows and columns are scaled by powers of two (lcp.h), q by its largest entry;
// - c is hashed in [1, 2], so that ties along the path do not occur by construction of the problem;
// - the inverse of the basis is kept and updated, each driving column is refined once against the
//   true columns, and the inverse is computed afresh when that residual or the count says so;
// - Harris' two-pass ratio test takes the largest pivot among the nearly blocking rows, z0 first;
// - the basis at the end is solved again with the true q, refined, and judged by the certificate; a
//   rejected answer or a ray that proves nothing tries again with another c, a tighter test, and
//   last with the lexicographic rule, which cannot cycle ([CottlePangStone1992] 4.9).
//
// A ray (z~, z0~): z~ >= 0 and M z~ = -c z0~ where z~ > 0. For copositive-plus M it proves that the
// problem is infeasible, by M^T z~ <= 0 and q.z~ < 0, which is checked and not assumed.
#include "solvers/lemke_standard.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "engine/base/dense.h"
#include "engine/base/random.h"

struct TriboLemkeStandard {
  int n;
  double* M;         // scaled, by columns              (n x n)
  double* inverse;   // of the basis, row-major         (n x n)
  double* lu;        // factor of the basis             (n x n)
  double* row;       // scales                          (n)
  double* column;    //                                 (n)
  double* q;         // scaled                          (n)
  double* c;         // covering vector                 (n)
  double* x;         // basic variables                 (n)
  double* d;         // driving column, B^-1 a          (n)
  double* a;         // entering column                 (n)
  double* r;         // residual                        (n)
  double* ray;       // first ray met, true units       (n)
  double* judge;     // scratch of the certificate      (2 n)
  int* basis;        // w_i is i, z_i is n + i, z0 2 n  (n)
  int* active;       // z of the final basis            (n)
  int* permutation;  // of the factor                   (n)
};

typedef struct Attempt {
  double harris;  // how far below 0 a basic variable may fall, scaled; 0: lexicographic rule
} Attempt;

static const Attempt kAttempts[] = {{1e-10}, {1e-10}, {1e-12}, {1e-8}, {0}};
enum { kAttemptCount = (int)(sizeof kAttempts / sizeof kAttempts[0]) };

TriboLemkeStandardOptions tribo_lemke_standard_options_default(void) {
  const TriboLemkeStandardOptions options = {0, 1e-9};
  return options;
}

TriboLemkeStandard* tribo_lemke_standard_init(TriboArena* arena, int n) {
  TriboLemkeStandard* solver = tribo_arena_take(arena, 1, sizeof *solver);
  TriboLemkeStandard s = {0};
  s.n = n;
  s.M = tribo_arena_take(arena, (size_t)n * (size_t)n, sizeof(double));
  s.inverse = tribo_arena_take(arena, (size_t)n * (size_t)n, sizeof(double));
  s.lu = tribo_arena_take(arena, (size_t)n * (size_t)n, sizeof(double));
  double** vectors[] = {&s.row, &s.column, &s.q, &s.c, &s.x, &s.d, &s.a, &s.r, &s.ray};
  for (int i = 0; i < (int)(sizeof vectors / sizeof vectors[0]); ++i) {
    *vectors[i] = tribo_arena_doubles(arena, n);
  }
  s.judge = tribo_arena_doubles(arena, 2 * n);
  s.basis = tribo_arena_ints(arena, n);
  s.active = tribo_arena_ints(arena, n);
  s.permutation = tribo_arena_ints(arena, n);
  if (solver == NULL || arena->overflowed) return NULL;
  *solver = s;
  return solver;
}

static void load(TriboLemkeStandard* s, const TriboLcp* lcp) {
  const int n = s->n;
  tribo_lcp_scale(lcp, s->row, s->column);
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    s->q[i] = s->row[i] * lcp->q[i];
    largest = fmax(largest, fabs(s->q[i]));
    for (int j = 0; j < n; ++j) {
      s->M[j * n + i] = s->row[i] * lcp->M[i * n + j] * s->column[j];
    }
  }
  for (int i = 0; i < n; ++i) s->q[i] /= largest > 0 ? largest : 1;
}

// r += s * column of a variable.
static void add_column(const TriboLemkeStandard* s, int variable, double scale, double* r) {
  const int n = s->n;
  if (variable < n) {
    r[variable] += scale;
  } else if (variable < 2 * n) {
    tribo_axpy(n, -scale, s->M + (variable - n) * n, r);
  } else {
    tribo_axpy(n, -scale, s->c, r);
  }
}

// The inverse of the basis and the basic variables from the true columns.
static bool refactor(TriboLemkeStandard* s) {
  const int n = s->n;
  for (int p = 0; p < n; ++p) {
    memset(s->r, 0, sizeof(double) * (size_t)n);
    add_column(s, s->basis[p], 1, s->r);
    for (int i = 0; i < n; ++i) s->lu[i * n + p] = s->r[i];
  }
  if (tribo_lu_factor(n, s->lu, n, s->permutation, 1e-15) != TRIBO_OK) return false;
  for (int j = 0; j < n; ++j) {
    memset(s->r, 0, sizeof(double) * (size_t)n);
    s->r[j] = 1;
    tribo_lu_solve(n, s->lu, n, s->permutation, s->r, s->a);
    for (int i = 0; i < n; ++i) s->inverse[i * n + j] = s->a[i];
  }
  for (int i = 0; i < n; ++i) s->x[i] = tribo_dot(n, s->inverse + i * n, s->q);
  return true;
}

// d = B^-1 a for an entering variable, refined once. Returns what the refinement had to correct,
// relative.
static double drive(TriboLemkeStandard* s, int entering) {
  const int n = s->n;
  memset(s->r, 0, sizeof(double) * (size_t)n);
  add_column(s, entering, 1, s->r);
  for (int i = 0; i < n; ++i) s->d[i] = tribo_dot(n, s->inverse + i * n, s->r);
  for (int i = 0; i < n; ++i) add_column(s, s->basis[i], -s->d[i], s->r);
  double largest = 0, corrected = 0;
  for (int i = 0; i < n; ++i) {
    const double correction = tribo_dot(n, s->inverse + i * n, s->r);
    s->d[i] += correction;
    largest = fmax(largest, fabs(s->d[i]));
    corrected = fmax(corrected, fabs(correction));
  }
  return largest > 0 ? corrected / largest : 0;
}

// Whether row i of (x, B^-1)/d comes before row l.
static bool before(const TriboLemkeStandard* s, int i, int l) {
  const int n = s->n;
  const double ratio_i = s->x[i] / s->d[i], ratio_l = s->x[l] / s->d[l];
  if (fabs(ratio_i - ratio_l) > 1e-13 * (fabs(ratio_i) + fabs(ratio_l))) return ratio_i < ratio_l;
  if (s->basis[i] == 2 * n || s->basis[l] == 2 * n) return s->basis[i] == 2 * n;
  for (int j = 0; j < n; ++j) {
    const double a = s->inverse[i * n + j] / s->d[i], b = s->inverse[l * n + j] / s->d[l];
    if (fabs(a - b) > 1e-13 * (fabs(a) + fabs(b))) return a < b;
  }
  return false;
}

// The leaving row, -1 on a ray.
static int ratio_test(const TriboLemkeStandard* s, double harris) {
  const int n = s->n;
  double largest = 0, size = 1;
  for (int i = 0; i < n; ++i) {
    largest = fmax(largest, fabs(s->d[i]));
    size = fmax(size, fabs(s->x[i]));
  }
  const double noise = 1e-11 * largest;
  int leaving = -1;
  if (harris == 0) {
    for (int i = 0; i < n; ++i) {
      if (s->d[i] > noise && (leaving < 0 || before(s, i, leaving))) leaving = i;
    }
    return leaving;
  }
  double most = INFINITY;
  for (int i = 0; i < n; ++i) {
    if (s->d[i] > noise) most = fmin(most, (fmax(s->x[i], 0) + harris * size) / s->d[i]);
  }
  for (int i = 0; i < n; ++i) {
    if (s->d[i] <= noise || s->x[i] > most * s->d[i]) continue;
    if (s->basis[i] == 2 * n) return i;
    if (leaving < 0 || s->d[i] > s->d[leaving]) leaving = i;
  }
  return leaving;
}

static void pivot(TriboLemkeStandard* s, int leaving, int entering) {
  const int n = s->n;
  double* pivot_row = s->inverse + leaving * n;
  const double scale = 1 / s->d[leaving];
  for (int j = 0; j < n; ++j) pivot_row[j] *= scale;
  s->x[leaving] *= scale;
  for (int i = 0; i < n; ++i) {
    if (i == leaving || s->d[i] == 0) continue;
    tribo_axpy(n, -s->d[i], pivot_row, s->inverse + i * n);
    s->x[i] -= s->d[i] * s->x[leaving];
  }
  s->basis[leaving] = entering;
}

// The ray in true units: how z moves while `entering` grows.
static void keep_ray(const TriboLemkeStandard* s, int entering, double* z) {
  const int n = s->n;
  for (int i = 0; i < n; ++i) z[i] = entering == n + i ? s->column[i] : 0;
  for (int p = 0; p < n; ++p) {
    const int i = s->basis[p] - n;
    if (i >= 0 && i < n) z[i] = s->column[i] * fmax(0, -s->d[p]);
  }
}

// Whether v >= 0 proves that no z >= 0 has M z + q >= 0: v.(M z + q) = (M^T v).z + q.v < 0.
static bool proves_infeasible(const TriboLcp* lcp, const double* v) {
  const int n = lcp->n;
  double along = 0, size = 0;
  for (int i = 0; i < n; ++i) {
    along += lcp->q[i] * v[i];
    size += fabs(lcp->q[i]) * v[i];
  }
  if (along >= -1e-9 * size) return false;
  for (int j = 0; j < n; ++j) {
    double sum = 0, total = 0;
    for (int i = 0; i < n; ++i) {
      sum += lcp->M[i * n + j] * v[i];
      total += fabs(lcp->M[i * n + j]) * v[i];
    }
    if (sum > 1e-9 * total) return false;
  }
  return true;
}

// The z of the final basis from M_aa z_a = -q_a, refined, in true units.
static bool finish(TriboLemkeStandard* s, const TriboLcp* lcp, double* z) {
  const int n = s->n;
  int k = 0;
  for (int i = 0; i < n; ++i) z[i] = 0;
  for (int p = 0; p < n; ++p) {
    if (s->basis[p] >= n && s->basis[p] < 2 * n) s->active[k++] = s->basis[p] - n;
  }
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < k; ++j) s->lu[i * k + j] = s->M[s->active[j] * n + s->active[i]];
  }
  if (tribo_lu_factor(k, s->lu, k, s->permutation, 1e-15) != TRIBO_OK) return false;
  memset(s->x, 0, sizeof(double) * (size_t)n);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < k; ++i) {
      const int row = s->active[i];
      s->r[i] = -s->row[row] * lcp->q[row];
      for (int j = 0; j < k; ++j) s->r[i] -= s->M[s->active[j] * n + row] * s->x[j];
    }
    tribo_lu_solve(k, s->lu, k, s->permutation, s->r, s->a);
    for (int i = 0; i < k; ++i) s->x[i] += s->a[i];
  }
  for (int i = 0; i < k; ++i) z[s->active[i]] = s->column[s->active[i]] * fmax(0, s->x[i]);
  return true;
}

// One run. TRIBO_OK with the final basis; TRIBO_ERROR_RAY with the direction in z.
static TriboStatus run(TriboLemkeStandard* s, int attempt, int limit, double* z, int* pivots) {
  const int n = s->n;
  int leaving = 0;
  for (int i = 0; i < n; ++i) {
    const uint64_t bits = tribo_hash64_combine((uint64_t)attempt, (uint64_t)i);
    s->c[i] = 1 + (double)(bits >> 11) * 0x1p-53;
    s->basis[i] = i;
    s->x[i] = s->q[i];
    if (-s->q[i] / s->c[i] > -s->q[leaving] / s->c[leaving]) leaving = i;
  }
  memset(s->inverse, 0, sizeof(double) * (size_t)n * (size_t)n);
  for (int i = 0; i < n; ++i) s->inverse[i * n + i] = 1;

  // z0 comes in as far as the most negative q needs it.
  int entering = 2 * n;
  for (int i = 0; i < n; ++i) s->d[i] = -s->c[i];
  int since = 0;
  const int often = n > 100 ? n / 2 : 50;
  for (int count = 0; count < limit; ++count) {
    const int left = s->basis[leaving];
    pivot(s, leaving, entering);
    ++*pivots;
    if (left == 2 * n) return TRIBO_OK;
    entering = left < n ? left + n : left - n;
    if (++since >= often) {
      if (!refactor(s)) return TRIBO_ERROR_SINGULAR;
      since = 0;
    }
    if (drive(s, entering) > 1e-9 && since > 0) {
      if (!refactor(s)) return TRIBO_ERROR_SINGULAR;
      since = 0;
      drive(s, entering);
    }
    leaving = ratio_test(s, kAttempts[attempt].harris);
    if (leaving < 0) {
      keep_ray(s, entering, z);
      return TRIBO_ERROR_RAY;
    }
  }
  return TRIBO_ERROR_LIMIT;
}

TriboStatus tribo_lemke_standard_solve(TriboLemkeStandard* solver, const TriboLcp* lcp,
                                       const TriboLemkeStandardOptions* options, double* z,
                                       TriboLemkeStandardStats* stats) {
  const int n = solver->n;
  stats->pivots = stats->attempts = 0;
  load(solver, lcp);

  // Nothing to do when no q is negative beyond its rounding.
  double least = 0;
  for (int i = 0; i < n; ++i) least = fmin(least, solver->q[i]);
  for (int i = 0; i < n; ++i) z[i] = 0;
  stats->certificate = tribo_lcp_certify(lcp, z, solver->judge);
  if (least >= -1e-14) return TRIBO_OK;

  const int limit = options->pivots > 0 ? options->pivots : 50 * (n + 1);
  bool ray = false;
  for (int attempt = 0; attempt < kAttemptCount; ++attempt) {
    ++stats->attempts;
    const TriboStatus status = run(solver, attempt, limit, z, &stats->pivots);
    if (status == TRIBO_OK && finish(solver, lcp, z)) {
      stats->certificate = tribo_lcp_certify(lcp, z, solver->judge);
      if (stats->certificate.worst <= options->tolerance) return TRIBO_OK;
    } else if (status == TRIBO_ERROR_RAY) {
      if (proves_infeasible(lcp, z)) return TRIBO_ERROR_INFEASIBLE;
      if (!ray) memcpy(solver->ray, z, sizeof(double) * (size_t)n);
      ray = true;
    }
  }
  if (!ray) return TRIBO_ERROR_LIMIT;
  memcpy(z, solver->ray, sizeof(double) * (size_t)n);
  return TRIBO_ERROR_RAY;
}
