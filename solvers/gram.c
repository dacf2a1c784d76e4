// SPDX-License-Identifier: Apache-2.0
#include "solvers/gram.h"

#include "engine/base/dense.h"

void tribo_gram_init(TriboGram* gram, TriboArena* arena, int rows, int groups) {
  *gram = (TriboGram){.rows = rows, .groups = groups};
  gram->A = tribo_arena_take(arena, (size_t)rows * (size_t)rows, sizeof(double));
  gram->b = tribo_arena_doubles(arena, rows);
  gram->scale = tribo_arena_doubles(arena, rows);
  gram->mu = tribo_arena_doubles(arena, groups);
  gram->bound = tribo_arena_doubles(arena, groups);
}

static const TriboRows* block_of(const TriboGram* s, int i, int* row) {
  const TriboContactProblem* p = s->problem;
  *row = i < s->first_N ? i : i < s->first_T ? i - s->first_N : i - s->first_T;
  return i < s->first_N ? &p->X : i < s->first_T ? &p->N : &p->T;
}

static double target_of(const TriboGram* s, int i) {
  const TriboContactProblem* p = s->problem;
  return i < s->first_N   ? p->b_X[i]
         : i < s->first_T ? p->b_N[i - s->first_N]
                          : p->b_T[i - s->first_T];
}

// Lengths of rows; the two rows of a group share the longer one.
static void measure(TriboGram* s) {
  const TriboContactProblem* p = s->problem;
  for (int i = 0; i < s->m; ++i) {
    int row;
    const TriboRows* rows = block_of(s, i, &row);
    s->scale[i] = sqrt(tribo_rows_dot(rows, row, rows, row));
  }
  for (int g = 0; g < p->ng; ++g) {
    const int t = tribo_gram_tangent(s, g);
    if (p->group[g].rows == 2) s->scale[t] = s->scale[t + 1] = fmax(s->scale[t], s->scale[t + 1]);
  }
  for (int i = 0; i < s->m; ++i) s->scale[i] = s->scale[i] > 0 ? s->scale[i] : 1;
  for (int g = 0; g < p->ng; ++g) {
    const double c = s->scale[tribo_gram_tangent(s, g)];
    const int n = p->group[g].normal;
    s->mu[g] = n >= 0 ? p->group[g].mu * c / s->scale[s->first_N + n] : 0;
    s->bound[g] = p->group[g].bound * c;
  }
}

TriboStatus tribo_gram_load(TriboGram* s, const TriboContactProblem* p) {
  const int rows = p->X.count + p->N.count + p->T.count;
  if (rows > s->rows || p->ng > s->groups) return TRIBO_ERROR_CAPACITY;
  s->problem = p;
  s->first_N = p->X.count;
  s->first_T = s->first_N + p->N.count;
  s->m = rows;
  measure(s);
  s->velocity = 0;
  for (int i = 0; i < s->m; ++i) {
    int row_i, row_j;
    const TriboRows* a = block_of(s, i, &row_i);
    s->b[i] = (tribo_row_dot(a, row_i, p->k) - target_of(s, i)) / s->scale[i];
    s->velocity = fmax(s->velocity, fabs(s->b[i]));
    for (int j = 0; j <= i; ++j) {
      const TriboRows* b = block_of(s, j, &row_j);
      const double w = tribo_rows_dot(a, row_i, b, row_j) / (s->scale[i] * s->scale[j]);
      s->A[(size_t)i * (size_t)s->m + (size_t)j] = w;
      s->A[(size_t)j * (size_t)s->m + (size_t)i] = w;
    }
  }
  return TRIBO_OK;
}

void tribo_gram_multiply(const TriboGram* s, const double* f, double* a) {
  for (int i = 0; i < s->m; ++i) a[i] = tribo_dot(s->m, tribo_gram_row(s, i), f);
}

void tribo_gram_accelerations(const TriboGram* s, const double* f, double* a) {
  tribo_gram_multiply(s, f, a);
  for (int i = 0; i < s->m; ++i) a[i] += s->b[i];
}

void tribo_gram_write(const TriboGram* s, const double* f, TriboContactSolution* solution) {
  const TriboContactProblem* p = s->problem;
  for (int i = 0; i < p->X.count; ++i) solution->x[i] = f[i] / s->scale[i];
  for (int i = 0; i < p->N.count; ++i) {
    solution->f[i] = fmax(f[s->first_N + i], 0) / s->scale[s->first_N + i];
  }
  for (int i = 0; i < p->T.count; ++i) {
    solution->t[i] = f[s->first_T + i] / s->scale[s->first_T + i];
  }
}
