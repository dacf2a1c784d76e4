// SPDX-License-Identifier: Apache-2.0
#include "solvers/cone.h"

#include <math.h>

// A direction this near to one that is there already is the same.
static const double kSame = 1e-9;

void tribo_cone_init(TriboPolygons* polygons, TriboArena* arena, TriboSolverCapacity capacity) {
  polygons->room = capacity.facets + TRIBO_LEMKE_EXTRA;
  polygons->count = tribo_arena_ints(arena, capacity.groups);
  polygons->direction = tribo_arena_doubles(arena, 2 * capacity.groups * polygons->room);
}

void tribo_cone_start(const TriboContactProblem* problem, TriboPolygons* polygons) {
  for (int g = 0; g < problem->ng; ++g) {
    polygons->count[g] = problem->group[g].facets;
    for (int k = 0; k < polygons->count[g]; ++k) {
      double* to = polygons->direction + 2 * (g * polygons->room + k);
      tribo_facet_direction(problem->group[g].facets, k, to);
    }
  }
}

void tribo_cone_refine(const TriboScaled* scaled, const double* y, int turn,
                       TriboPolygons* polygons) {
  for (int g = 0; g < scaled->problem->ng; ++g) {
    const TriboScaledGroup* group = &scaled->group[g];
    if (group->rows != 2) continue;
    double slip[2];
    tribo_scaled_slip(group, y, slip);
    const double speed = sqrt(slip[0] * slip[0] + slip[1] * slip[1]);
    if (speed <= 1e-12 * scaled->velocity) continue;
    const double to[2] = {-slip[0] / speed, -slip[1] / speed};
    double* all = polygons->direction + 2 * g * polygons->room;
    bool same = false;
    for (int k = 0; k < polygons->count[g]; ++k) {
      same = same || hypot(to[0] - all[2 * k], to[1] - all[2 * k + 1]) < kSame;
    }
    if (same) continue;
    const bool full = polygons->count[g] == polygons->room;
    const int at = full ? group->facets + turn % TRIBO_LEMKE_EXTRA : polygons->count[g]++;
    all[2 * at] = to[0];
    all[2 * at + 1] = to[1];
  }
}
