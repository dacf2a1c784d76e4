// SPDX-License-Identifier: Apache-2.0
//
// Solving a contact problem given by matrices, without a simulator (solvers/tribo_solvers.h).
//
// A box of mass 2 and side 1 stands on its four bottom corners and is hit sideways, along the
// diagonal. Its velocity v after the hit follows from M v = H r + f and Coulomb's law between the
// impulses r and the contact velocities u = H^T v.
#include <math.h>
#include <stdio.h>

#include "solvers/tribo_solvers.h"

enum { CONTACTS = 4, ROWS = 3 * CONTACTS, VELOCITIES = 6 };

int main(void) {
  // Velocities: x y z of the centre, then the angular velocity.
  const double inertia[VELOCITIES] = {2, 2, 2, 1.0 / 3, 1.0 / 3, 1.0 / 3};
  double M[VELOCITIES * VELOCITIES] = {0}, H[VELOCITIES * ROWS] = {0}, b[ROWS] = {0};
  for (int e = 0; e < VELOCITIES; ++e) M[e * VELOCITIES + e] = inertia[e];

  // Three rows per contact: the normal z, then the tangents x and y, at a corner p.
  static const double axis[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  for (int row = 0; row < ROWS; ++row) {
    const int corner = row / 3;
    const double p[3] = {corner % 2 == 0 ? 0.5 : -0.5, corner < 2 ? 0.5 : -0.5, -0.5};
    const double* a = axis[row % 3];
    const double column[VELOCITIES] = {a[0],
                                       a[1],
                                       a[2],
                                       p[1] * a[2] - p[2] * a[1],
                                       p[2] * a[0] - p[0] * a[2],
                                       p[0] * a[1] - p[1] * a[0]};
    for (int e = 0; e < VELOCITIES; ++e) H[e * ROWS + row] = column[e];
  }
  // The impulse of the hit and of gravity.
  const double f[VELOCITIES] = {0.9, 0.9, -2, 0, 0, 0};
  const double mu[CONTACTS] = {0.5, 0.5, 0.5, 0.5};

  const TriboGlobalProblem problem = {
      .contacts = CONTACTS,
      .size = 3,
      .M = {.rows = VELOCITIES, .columns = VELOCITIES, .value = M},
      .H = {.rows = VELOCITIES, .columns = ROWS, .value = H},
      .f = f,
      .b = b,
      .mu = mu,
  };
  const TriboMatrixOptions options = tribo_matrix_options_default();
  double r[ROWS], v[VELOCITIES];
  TriboMatrixInfo info;
  const TriboStatus status = tribo_global_solve(&problem, &options, NULL, r, v, &info);
  if (status != TRIBO_OK) {
    fprintf(stderr, "not solved: %s\n", tribo_status_text(status));
    return 1;
  }
  double load = 0;
  for (int c = 0; c < CONTACTS; ++c) {
    printf("corner %d: normal %.6f, friction (%.6f, %.6f)\n", c, r[3 * c], r[3 * c + 1],
           r[3 * c + 2]);
    load += r[3 * c];
  }
  printf("velocity (%.6f, %.6f, %.6f), certificate %.1e\n", v[0], v[1], v[2],
         info.certificate.worst);

  // By hand: friction takes mu times the load off the hit's impulse.
  const double expected = (hypot(0.9, 0.9) - 0.5 * 2) / 2;
  return fabs(load - 2) < 1e-9 && fabs(hypot(v[0], v[1]) - expected) < 1e-9 ? 0 : 1;
}
