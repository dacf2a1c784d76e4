// SPDX-License-Identifier: Apache-2.0
#include "solvers/lcp.h"

#include <math.h>

enum { kScalingPasses = 12 };

// The power of two next to 1/sqrt(largest): half of the way to 1, as Ruiz does it, because rows and
// columns are scaled at the same time.
static double half_way(double largest) {
  if (!(largest > 0) || !isfinite(largest)) return 1;
  int exponent;
  frexp(largest, &exponent);
  return ldexp(1, -(exponent / 2));
}

void tribo_lcp_scale(const TriboLcp* lcp, double* row, double* column) {
  const int n = lcp->n;
  for (int i = 0; i < n; ++i) row[i] = column[i] = 1;
  for (int pass = 0; pass < kScalingPasses; ++pass) {
    for (int i = 0; i < n; ++i) {
      double largest = 0;
      for (int j = 0; j < n; ++j) {
        largest = fmax(largest, fabs(lcp->M[i * n + j]) * row[i] * column[j]);
      }
      row[i] *= half_way(largest);
    }
    for (int j = 0; j < n; ++j) {
      double largest = 0;
      for (int i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(lcp->M[i * n + j]) * row[i] * column[j]);
      }
      column[j] *= half_way(largest);
    }
  }
}

TriboLcpCertificate tribo_lcp_certify(const TriboLcp* lcp, const double* z, double* scratch) {
  const int n = lcp->n;
  double *row = scratch, *column = scratch + n;
  tribo_lcp_scale(lcp, row, column);

  // The two scales.
  double size_w = 0, size_z = 0;
  TriboLcpCertificate result = {0, 0, 0, 0};
  for (int i = 0; i < n; ++i) {
    double sum = fabs(lcp->q[i]);
    for (int j = 0; j < n; ++j) sum += fabs(lcp->M[i * n + j] * z[j]);
    size_w = fmax(size_w, row[i] * sum);
    size_z = fmax(size_z, fabs(z[i]) / column[i]);
    if (!isfinite(sum)) {
      result.sign_z = result.sign_w = result.complementarity = result.worst = INFINITY;
      return result;
    }
  }
  if (size_w == 0) size_w = 1;
  if (size_z == 0) size_z = 1;

  for (int i = 0; i < n; ++i) {
    double w = lcp->q[i];
    for (int j = 0; j < n; ++j) w += lcp->M[i * n + j] * z[j];
    const double relative_w = row[i] * w / size_w;
    const double relative_z = z[i] / (column[i] * size_z);
    result.sign_z = fmax(result.sign_z, -relative_z);
    result.sign_w = fmax(result.sign_w, -relative_w);
    result.complementarity = fmax(result.complementarity, fmin(relative_w, relative_z));
  }
  result.worst = fmax(fmax(result.sign_z, result.sign_w), result.complementarity);
  return result;
}
