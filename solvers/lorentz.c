// SPDX-License-Identifier: Apache-2.0
#include "solvers/lorentz.h"

#include <math.h>

// Length of the part after the first.
static double tail_length(const double* x, int n) {
  double square = 0;
  for (int i = 1; i < n; ++i) square += x[i] * x[i];
  return sqrt(square);
}

double tribo_lorentz_determinant(const double* x, int n) {
  const double tail = tail_length(x, n);
  return (x[0] - tail) * (x[0] + tail);
}

void tribo_lorentz_product(const double* a, const double* b, int n, double* product) {
  const double a0 = a[0], b0 = b[0];
  double dot = a0 * b0;
  for (int i = 1; i < n; ++i) {
    dot += a[i] * b[i];
    product[i] = a0 * b[i] + b0 * a[i];
  }
  product[0] = dot;
}

void tribo_lorentz_divide(const double* l, const double* r, int n, double* x) {
  double tail = 0;
  for (int i = 1; i < n; ++i) tail += l[i] * r[i];
  const double head = (l[0] * r[0] - tail) / tribo_lorentz_determinant(l, n);
  for (int i = 1; i < n; ++i) x[i] = (r[i] - head * l[i]) / l[0];
  x[0] = head;
}

TriboLorentzScaling tribo_lorentz_scaling(const double* u, const double* z, int n) {
  TriboLorentzScaling made = {{1, 0, 0}, 1};
  const double size_u = sqrt(tribo_lorentz_determinant(u, n));
  const double size_z = sqrt(tribo_lorentz_determinant(z, n));
  made.beta = sqrt(size_u / size_z);
  if (n == 1) return made;
  double dot = 0;
  for (int i = 0; i < n; ++i) dot += u[i] / size_u * (z[i] / size_z);
  const double half = 1 / sqrt(2 * (1 + dot));
  made.w[0] = half * (u[0] / size_u + z[0] / size_z);
  for (int i = 1; i < n; ++i) made.w[i] = half * (u[i] / size_u - z[i] / size_z);
  return made;
}

// beta^sign times the root of (2 w w^T - J)^sign.
static void apply(const TriboLorentzScaling* scaling, double sign, const double* x, int n,
                  double* y) {
  const double* w = scaling->w;
  const double size = sign > 0 ? scaling->beta : 1 / scaling->beta, x0 = x[0];
  double tail = 0;
  for (int i = 1; i < n; ++i) tail += sign * w[i] * x[i];
  const double along = x0 + tail / (1 + w[0]);
  for (int i = 1; i < n; ++i) y[i] = size * (x[i] + sign * w[i] * along);
  y[0] = size * (w[0] * x0 + tail);
}

void tribo_lorentz_scale(const TriboLorentzScaling* scaling, const double* x, int n, double* y) {
  apply(scaling, 1, x, n, y);
}

void tribo_lorentz_unscale(const TriboLorentzScaling* scaling, const double* x, int n, double* y) {
  apply(scaling, -1, x, n, y);
}

// W^2 has the values (w_0 + |w|)^2, (w_0 - |w|)^2 and 1 times beta^2 along (1, e), (1, -e) and
// across e; the first two are inverse to each other.
void tribo_lorentz_inverse(const TriboLorentzScaling* scaling, double shift, int n,
                           double inverse[9]) {
  const double square = scaling->beta * scaling->beta, tail = tail_length(scaling->w, n);
  const double root = scaling->w[0] + tail;
  const double along = 1 / (square * root * root + shift);
  const double against = 1 / (square / (root * root) + shift), across = 1 / (square + shift);
  for (int i = 0; i < 9; ++i) inverse[i] = 0;
  inverse[0] = n == 1 ? across : 0.5 * (along + against);
  double e[3] = {0, 1, 0};
  for (int i = 1; i < n && tail > 0; ++i) e[i] = scaling->w[i] / tail;
  for (int i = 1; i < n; ++i) {
    inverse[i] = inverse[3 * i] = 0.5 * (along - against) * e[i];
    for (int j = 1; j < n; ++j) {
      inverse[3 * i + j] = (0.5 * (along + against) - across) * e[i] * e[j] + (i == j ? across : 0);
    }
  }
}

double tribo_lorentz_reach(const double* x, const double* step, int n) {
  double reach = step[0] < 0 ? -x[0] / step[0] : 1e30;
  if (n == 1) return reach;
  // The determinant of x + a step: p a^2 + 2 q a + r.
  double p = step[0] * step[0], q = x[0] * step[0];
  const double r = tribo_lorentz_determinant(x, n);
  for (int i = 1; i < n; ++i) p -= step[i] * step[i], q -= x[i] * step[i];
  const double square = q * q - p * r;
  if (square < 0) return reach;
  const double sum = -(q + (q >= 0 ? sqrt(square) : -sqrt(square)));
  const double root[2] = {p != 0 ? sum / p : 1e30, sum != 0 ? r / sum : 1e30};
  for (int i = 0; i < 2; ++i) {
    if (root[i] > 0 && root[i] < reach) reach = root[i];
  }
  return reach;
}
