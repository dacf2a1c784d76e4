// SPDX-License-Identifier: Apache-2.0
#include "solvers/cone.h"

#include <math.h>

void tribo_cone_turn(const TriboScaled* scaled, const double* y, bool damped, double* turn) {
  for (int g = 0; g < scaled->problem->ng; ++g) {
    const TriboScaledGroup* group = &scaled->group[g];
    if (group->rows != 2) continue;
    double slip[2];
    tribo_scaled_slip(group, y, slip);
    const double speed = sqrt(slip[0] * slip[0] + slip[1] * slip[1]);
    if (speed <= 1e-12 * scaled->velocity) continue;
    double to[2] = {-slip[0] / speed, -slip[1] / speed};
    if (damped) {
      // Half of the way from the nearest facet.
      double nearest[2] = {0, 0}, most = -2;
      for (int k = 0; k < group->facets; ++k) {
        double d[2];
        tribo_facet_direction(group->facets, k, d);
        const double e[2] = {turn[2 * g] * d[0] - turn[2 * g + 1] * d[1],
                             turn[2 * g + 1] * d[0] + turn[2 * g] * d[1]};
        const double along = e[0] * to[0] + e[1] * to[1];
        if (along > most) most = along, nearest[0] = e[0], nearest[1] = e[1];
      }
      for (int r = 0; r < 2; ++r) to[r] += nearest[r];
      const double length = sqrt(to[0] * to[0] + to[1] * to[1]);
      for (int r = 0; r < 2; ++r) to[r] /= length;
    }
    turn[2 * g] = to[0];
    turn[2 * g + 1] = to[1];
  }
}
