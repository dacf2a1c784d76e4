// SPDX-License-Identifier: Apache-2.0
//
// The rows of a contact problem as the papers that work on a dense matrix have them: forces f of
// all rows X, N, T in this order, accelerations (or velocities) a = A f + b with A = J J^T, rows
// scaled to length 1, both rows of a friction group alike. Internal.
#ifndef TRIBO_SOLVERS_GRAM_H_
#define TRIBO_SOLVERS_GRAM_H_

#include <math.h>
#include <stddef.h>

#include "engine/base/arena.h"
#include "solvers/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboGram {
  int rows, groups;  // capacity
  const TriboContactProblem* problem;
  int m, first_N, first_T;  // rows in use; where those of N and T begin
  double* A;                //                                     (m x m, row-major)
  double* b;                // J k - target                        (m)
  double* scale;            // length of each row: force = f/scale (m)
  double* mu;               // per group, for scaled forces
  double* bound;
  double velocity;  // largest |b|
} TriboGram;

// Lays the arrays out for that many rows of X, N and T together; they are NULL while measuring.
void tribo_gram_init(TriboGram* gram, TriboArena* arena, int rows, int groups);

// The problem must outlive the use. TRIBO_ERROR_CAPACITY when it does not fit.
TriboStatus tribo_gram_load(TriboGram* gram, const TriboContactProblem* problem) TRIBO_CHECKED;

// a = A f + b, or without b.
void tribo_gram_accelerations(const TriboGram* gram, const double* f, double* a);
void tribo_gram_multiply(const TriboGram* gram, const double* f, double* a);

// Impulses of the scaled forces, negative normal ones as 0; y, modes untouched.
void tribo_gram_write(const TriboGram* gram, const double* f, TriboContactSolution* solution);

// First row of group g, and the radius of its disc at forces f.
static inline int tribo_gram_tangent(const TriboGram* gram, int g) {
  return gram->first_T + gram->problem->group[g].tangent;
}
static inline double tribo_gram_radius(const TriboGram* gram, int g, const double* f) {
  const int n = gram->problem->group[g].normal;
  return gram->bound[g] + (n >= 0 ? gram->mu[g] * fmax(f[gram->first_N + n], 0) : 0);
}
static inline const double* tribo_gram_row(const TriboGram* gram, int i) {
  return gram->A + (size_t)i * (size_t)gram->m;
}

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_GRAM_H_
