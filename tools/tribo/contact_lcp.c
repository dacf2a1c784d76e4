// SPDX-License-Identifier: Apache-2.0
//
// With B the facets' directions D T and e the sums over a group's facets ([Lloyd2005] section III):
//
//   [ N N^T  N B^T  0 ] [f]      [ N k - b_N ]
//   [ B N^T  B B^T  e ] [beta] + [ B k - D b_T ]  >= 0, complementary to (f, beta, lambda) >= 0
//   [ mu     -e^T   0 ] [lambda] [ bound ]
#include "tools/tribo/contact_lcp.h"

#include <string.h>

// What one facet adds to a tangential row.
static void add_facet(const TriboContactProblem* p, const TriboFrictionGroup* group, int k,
                      double* row, double* target) {
  double d[2];
  tribo_facet_direction(group->facets, k, d);
  for (int r = 0; r < group->rows; ++r) {
    tribo_row_axpy(&p->T, group->tangent + r, d[r], row);
    *target += d[r] * p->b_T[group->tangent + r];
  }
}

// What all rows give along `row`, into one row of M.
static void multiply(const TriboContactProblem* p, const double* row, double* out) {
  for (int i = 0; i < p->N.count; ++i) *out++ = tribo_row_dot(&p->N, i, row);
  for (int g = 0; g < p->ng; ++g) {
    const TriboFrictionGroup* group = &p->group[g];
    double along[2] = {0, 0}, d[2];
    for (int r = 0; r < group->rows; ++r) {
      along[r] = tribo_row_dot(&p->T, group->tangent + r, row);
    }
    for (int k = 0; k < group->facets; ++k) {
      tribo_facet_direction(group->facets, k, d);
      *out++ = d[0] * along[0] + d[1] * along[1];
    }
  }
}

static double dot(const double* a, const double* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

int tribo_contact_lcp_order(const TriboContactProblem* problem) {
  int order = problem->N.count + problem->ng;
  for (int g = 0; g < problem->ng; ++g) order += problem->group[g].facets;
  return order;
}

void tribo_contact_lcp_fill(const TriboContactProblem* problem, double* row, double* M, double* q) {
  const TriboContactProblem* p = problem;
  const int order = tribo_contact_lcp_order(p), ny = p->ny;
  const size_t width = (size_t)order;
  memset(M, 0, sizeof(double) * width * width);
  int v = 0;
  for (; v < p->N.count; ++v) {
    memset(row, 0, sizeof(double) * (size_t)ny);
    tribo_row_axpy(&p->N, v, 1, row);
    multiply(p, row, M + width * (size_t)v);
    q[v] = dot(row, p->k, ny) - p->b_N[v];
  }
  for (int g = 0; g < p->ng; ++g) {
    const TriboFrictionGroup* group = &p->group[g];
    const int lambda = order - p->ng + g;
    double* bound = M + width * (size_t)lambda;
    for (int k = 0; k < group->facets; ++k, ++v) {
      double target = 0;
      memset(row, 0, sizeof(double) * (size_t)ny);
      add_facet(p, group, k, row, &target);
      multiply(p, row, M + width * (size_t)v);
      q[v] = dot(row, p->k, ny) - target;
      M[width * (size_t)v + (size_t)lambda] = 1;
      bound[v] = -1;
    }
    if (group->normal >= 0) bound[group->normal] = group->mu;
    q[lambda] = group->bound;
  }
}
