// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem.h"

#include <math.h>
#include <string.h>

#include "engine/base/trig.h"

static const double kPi = 3.14159265358979323846;

void tribo_problem_velocity(const TriboContactProblem* problem, TriboContactSolution* solution) {
  double* y = solution->y;
  memcpy(y, problem->k, sizeof(double) * (size_t)problem->ny);
  for (int i = 0; i < problem->X.count; ++i) tribo_row_axpy(&problem->X, i, solution->x[i], y);
  for (int i = 0; i < problem->N.count; ++i) {
    if (solution->f[i] != 0) tribo_row_axpy(&problem->N, i, solution->f[i], y);
  }
  for (int i = 0; i < problem->T.count; ++i) {
    if (solution->t[i] != 0) tribo_row_axpy(&problem->T, i, solution->t[i], y);
  }
}

double tribo_rows_dot(const TriboRows* a, int i, const TriboRows* b, int j) {
  int p = a->start[i], q = b->start[j];
  const int p_end = a->start[i + 1], q_end = b->start[j + 1];
  double sum = 0;
  while (p < p_end && q < q_end) {
    if (a->index[p] == b->index[q]) {
      sum += a->value[p++] * b->value[q++];
    } else if (a->index[p] < b->index[q]) {
      ++p;
    } else {
      ++q;
    }
  }
  return sum;
}

void tribo_facet_direction(int facets, int k, double direction[2]) {
  const int half = facets / 2;
  const int base = k < half ? k : k - half;
  double c, s;
  if (base == 0) {
    c = 1, s = 0;
  } else if (4 * base == facets) {
    c = 0, s = 1;
  } else {
    tribo_sincos(2 * kPi * base / facets, &s, &c);
  }
  direction[0] = k < half ? c : -c;
  direction[1] = k < half ? s : -s;
}

double tribo_polygon_gauge(int facets, const double t[2]) {
  if (facets < 4) return fabs(t[0]);
  // The polygon of radius 1 is { t : t . m_k <= cos(pi/d) } with m_k the middle directions of its
  // sides.
  double largest = 0;
  for (int k = 0; k < facets; ++k) {
    double s, c;
    tribo_sincos(2 * kPi * (k + 0.5) / facets, &s, &c);
    largest = fmax(largest, c * t[0] + s * t[1]);
  }
  return largest / tribo_cos(kPi / facets);
}

double tribo_polygon_support(int facets, const double s[2]) {
  if (facets < 4) return fabs(s[0]);
  double largest = 0;
  for (int k = 0; k < facets; ++k) {
    double d[2];
    tribo_facet_direction(facets, k, d);
    largest = fmax(largest, -(d[0] * s[0] + d[1] * s[1]));
  }
  return largest;
}

// Whether every number of an array is finite.
static bool all_finite(const double* values, int count) {
  for (int i = 0; i < count; ++i) {
    if (!isfinite(values[i])) return false;
  }
  return true;
}

static TriboStatus check_rows(const TriboRows* rows, const double* target, int ny) {
  if (rows->count < 0) return TRIBO_ERROR_ARGUMENT;
  if (rows->count == 0) return TRIBO_OK;
  if (rows->start == NULL || target == NULL || rows->start[0] < 0) return TRIBO_ERROR_ARGUMENT;
  for (int i = 0; i < rows->count; ++i) {
    if (rows->start[i + 1] < rows->start[i]) return TRIBO_ERROR_ARGUMENT;
    for (int e = rows->start[i]; e < rows->start[i + 1]; ++e) {
      if (rows->index[e] < 0 || rows->index[e] >= ny) return TRIBO_ERROR_ARGUMENT;
      if (e > rows->start[i] && rows->index[e] <= rows->index[e - 1]) return TRIBO_ERROR_ARGUMENT;
      if (!isfinite(rows->value[e])) return TRIBO_ERROR_NOT_FINITE;
    }
  }
  return all_finite(target, rows->count) ? TRIBO_OK : TRIBO_ERROR_NOT_FINITE;
}

static TriboStatus check_group(const TriboContactProblem* problem,
                               const TriboFrictionGroup* group) {
  if (group->normal < -1 || group->normal >= problem->N.count) return TRIBO_ERROR_ARGUMENT;
  if (group->rows != 1 && group->rows != 2) return TRIBO_ERROR_ARGUMENT;
  if (group->tangent < 0 || group->tangent + group->rows > problem->T.count) {
    return TRIBO_ERROR_ARGUMENT;
  }
  const bool polygon =
      group->rows == 2 ? group->facets >= 4 && group->facets % 2 == 0 : group->facets == 2;
  if (!polygon) return TRIBO_ERROR_ARGUMENT;
  if (!isfinite(group->mu) || !isfinite(group->bound)) return TRIBO_ERROR_NOT_FINITE;
  return group->mu >= 0 && group->bound >= 0 ? TRIBO_OK : TRIBO_ERROR_ARGUMENT;
}

TriboStatus tribo_problem_validate(const TriboContactProblem* problem) {
  if (problem == NULL || problem->ny < 0 || problem->ng < 0) return TRIBO_ERROR_ARGUMENT;
  if (problem->ny > 0 && problem->k == NULL) return TRIBO_ERROR_ARGUMENT;
  if (problem->ng > 0 && problem->group == NULL) return TRIBO_ERROR_ARGUMENT;
  if (!all_finite(problem->k, problem->ny)) return TRIBO_ERROR_NOT_FINITE;
  TriboStatus status = check_rows(&problem->X, problem->b_X, problem->ny);
  if (status == TRIBO_OK) status = check_rows(&problem->N, problem->b_N, problem->ny);
  if (status == TRIBO_OK) status = check_rows(&problem->T, problem->b_T, problem->ny);
  for (int g = 0; g < problem->ng && status == TRIBO_OK; ++g) {
    status = check_group(problem, &problem->group[g]);
  }
  return status;
}
