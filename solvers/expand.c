// SPDX-License-Identifier: Apache-2.0
//
// The factorization works on the symmetric part of W scaled to a unit diagonal, so that units and
// mass ratios do not decide about the rank; the largest diagonal left, the smallest index among
// equals, is the next pivot (Higham 2002, section 10.3). It stops where no diagonal left exceeds
// kRankTolerance. Zeros of J are exact where W's pattern makes them, and are left out of the rows.
#include "solvers/expand.h"

#include <math.h>
#include <string.h>

static const double kRankTolerance = 1e-13;

void tribo_expansion_init(TriboExpansion* expansion, TriboArena* arena, int contacts, int size) {
  const int n = contacts * size, tangents = n - contacts;
  memset(expansion, 0, sizeof *expansion);
  expansion->contacts = contacts;
  expansion->size = size;
  const size_t entries = (size_t)n * (size_t)(n + 1) / 2;
  TriboContactProblem* problem = &expansion->problem;
  problem->N.start = tribo_arena_ints(arena, contacts + 1);
  problem->T.start = tribo_arena_ints(arena, tangents + 1);
  problem->X.start = tribo_arena_ints(arena, 1);
  problem->N.index = problem->T.index = tribo_arena_take(arena, entries, sizeof(int));
  problem->N.value = problem->T.value = tribo_arena_take(arena, entries, sizeof(double));
  problem->k = tribo_arena_doubles(arena, n);
  problem->id_N = tribo_arena_take(arena, (size_t)contacts, sizeof(uint64_t));
  problem->group = tribo_arena_take(arena, (size_t)contacts, sizeof(TriboFrictionGroup));
  TriboContactSolution* solution = &expansion->solution;
  solution->y = tribo_arena_doubles(arena, n);
  solution->f = tribo_arena_doubles(arena, contacts);
  solution->t = tribo_arena_doubles(arena, tangents);
  solution->mode_N = tribo_arena_take(arena, (size_t)contacts, sizeof(TriboMode));
  solution->mode_g = tribo_arena_take(arena, (size_t)contacts, sizeof(TriboMode));
  expansion->b = tribo_arena_doubles(arena, n);
  expansion->r = tribo_arena_doubles(arena, n);
  expansion->u = tribo_arena_doubles(arena, n);
  expansion->J = tribo_arena_take(arena, (size_t)n * (size_t)n, sizeof(double));
  expansion->diagonal = tribo_arena_doubles(arena, n);
  expansion->scale = tribo_arena_doubles(arena, n);
  expansion->position = tribo_arena_ints(arena, n);
  expansion->scratch = tribo_arena_doubles(arena, n);
}

// Row of W of row i of the problem, the normals counted first.
static int row_of(const TriboExpansion* expansion, int i) {
  const int tangents = expansion->size - 1;
  if (i < expansion->contacts) return i * expansion->size;
  i -= expansion->contacts;
  return i / tangents * expansion->size + 1 + i % tangents;
}

// J with column k from pivot k: J_ik = (W_ip - sum_j J_ij J_pj)/J_pk in scaled units. Columns are
// stored one after another.
static void factor(TriboExpansion* expansion) {
  const int n = expansion->contacts * expansion->size;
  const double *W = expansion->W, *scale = expansion->scale;
  double *J = expansion->J, *diagonal = expansion->diagonal;
  for (int i = 0; i < n; ++i) {
    diagonal[i] = scale[i] > 0 ? 1 : 0;
    expansion->position[i] = -1;
  }
  int rank = 0;
  for (; rank < n; ++rank) {
    int pivot = -1;
    double largest = kRankTolerance;
    for (int i = 0; i < n; ++i) {
      if (expansion->position[i] < 0 && diagonal[i] > largest) largest = diagonal[pivot = i];
    }
    if (pivot < 0) break;
    expansion->position[pivot] = rank;
    double* column = J + (size_t)rank * (size_t)n;
    for (int i = 0; i < n; ++i) {
      const size_t ip = (size_t)i * (size_t)n + (size_t)pivot;
      const size_t pi = (size_t)pivot * (size_t)n + (size_t)i;
      const bool open = expansion->position[i] < 0 && scale[i] > 0;
      column[i] = open ? 0.5 * (W[ip] + W[pi]) / (scale[i] * scale[pivot]) : 0;
    }
    for (int j = 0; j < rank; ++j) {
      const double* earlier = J + (size_t)j * (size_t)n;
      const double factor_pj = earlier[pivot];
      if (factor_pj == 0) continue;
      for (int i = 0; i < n; ++i) column[i] -= factor_pj * earlier[i];
    }
    const double root = sqrt(largest);
    for (int i = 0; i < n; ++i) {
      column[i] = expansion->position[i] < 0 ? column[i] / root : 0;
      diagonal[i] -= column[i] * column[i];
    }
    column[pivot] = root;
  }
  expansion->rank = rank;
}

// The rows of J, true units, zeros left out; returns where the entries end.
static int gather_rows(const TriboExpansion* expansion, int first, TriboRows* rows, int at) {
  const int n = expansion->contacts * expansion->size;
  for (int i = 0; i < rows->count; ++i) {
    const int row = row_of(expansion, first + i);
    rows->start[i] = at;
    for (int k = 0; k < expansion->rank; ++k) {
      const double value = expansion->J[(size_t)k * (size_t)n + (size_t)row];
      if (value == 0) continue;
      rows->index[at] = k;
      rows->value[at++] = value * expansion->scale[row];
    }
  }
  rows->start[rows->count] = at;
  return at;
}

static TriboStatus check(const TriboExpansion* expansion) {
  const size_t n = (size_t)expansion->contacts * (size_t)expansion->size;
  for (size_t i = 0; i < n; ++i) {
    if (!isfinite(expansion->q[i])) return TRIBO_ERROR_NOT_FINITE;
    for (size_t j = 0; j < n; ++j) {
      if (!isfinite(expansion->W[i * n + j])) return TRIBO_ERROR_NOT_FINITE;
    }
    if (expansion->W[i * n + i] < 0) return TRIBO_ERROR_ARGUMENT;
  }
  return TRIBO_OK;
}

TriboStatus tribo_expansion_load(TriboExpansion* expansion, const double* W, const double* q,
                                 const double* mu, int facets) {
  const int contacts = expansion->contacts, tangents = expansion->size - 1;
  const int n = contacts * expansion->size;
  expansion->W = W;
  expansion->q = q;
  const TriboStatus status = check(expansion);
  if (status != TRIBO_OK) return status;
  for (int i = 0; i < n; ++i) {
    expansion->scale[i] = sqrt(W[(size_t)i * (size_t)n + (size_t)i]);
    expansion->b[i] = -q[row_of(expansion, i)];
  }
  factor(expansion);

  TriboContactProblem* problem = &expansion->problem;
  problem->ny = expansion->rank;
  problem->X.count = 0;
  problem->X.start[0] = 0;
  problem->N.count = contacts;
  problem->T.count = contacts * tangents;
  const int end = gather_rows(expansion, 0, &problem->N, 0);
  gather_rows(expansion, contacts, &problem->T, end);
  memset((double*)problem->k, 0, sizeof(double) * (size_t)n);
  problem->b_X = expansion->b;
  problem->b_N = expansion->b;
  problem->b_T = expansion->b + contacts;
  problem->ng = contacts;
  for (int i = 0; i < contacts; ++i) {
    ((uint64_t*)problem->id_N)[i] = (uint64_t)i;
    ((TriboFrictionGroup*)problem->group)[i] =
        (TriboFrictionGroup){i, i * tangents, tangents, tangents == 1 ? 2 : facets, mu[i], 0};
  }
  return tribo_problem_validate(problem);
}

void tribo_expansion_impulse(const TriboExpansion* expansion, double* r) {
  const int contacts = expansion->contacts, n = contacts * expansion->size;
  const TriboContactSolution* solution = &expansion->solution;
  for (int i = 0; i < n; ++i) {
    r[row_of(expansion, i)] = i < contacts ? solution->f[i] : solution->t[i - contacts];
  }
}

TriboCertificate tribo_expansion_certify(TriboExpansion* expansion, TriboCone cone) {
  const int contacts = expansion->contacts, n = contacts * expansion->size;
  const TriboContactProblem* problem = &expansion->problem;
  tribo_problem_velocity(problem, &expansion->solution);
  tribo_expansion_impulse(expansion, expansion->r);
  for (int i = 0; i < n; ++i) {
    const double* row = expansion->W + (size_t)i * (size_t)n;
    expansion->u[i] = expansion->q[i];
    for (int j = 0; j < n; ++j) expansion->u[i] += row[j] * expansion->r[j];
  }
  for (int i = 0; i < n; ++i) {
    const TriboRows* rows = i < contacts ? &problem->N : &problem->T;
    const double moved =
        tribo_row_dot(rows, i < contacts ? i : i - contacts, expansion->solution.y);
    expansion->b[i] = moved - expansion->u[row_of(expansion, i)];
  }
  return tribo_certify(problem, cone, &expansion->solution, expansion->scratch);
}
