// SPDX-License-Identifier: Apache-2.0
#include "solvers/disc.h"

#include <math.h>

#include "solvers/problem.h"

static TriboDiscPoint stay(const double a[2]) {
  const TriboDiscPoint p = {{a[0], a[1]}, {{1, 0}, {0, 1}}, {0, 0}, true};
  return p;
}

static TriboDiscPoint project_disc(double radius, const double a[2]) {
  const double length = sqrt(a[0] * a[0] + a[1] * a[1]);
  if (length <= radius) return stay(a);
  const double e[2] = {a[0] / length, a[1] / length}, part = radius / length;
  const TriboDiscPoint p = {{radius * e[0], radius * e[1]},
                            {{part * (1 - e[0] * e[0]), -part * e[0] * e[1]},
                             {-part * e[0] * e[1], part * (1 - e[1] * e[1])}},
                            {e[0], e[1]},
                            false};
  return p;
}

// The nearest side decides; its nearest point may be one of its corners.
static TriboDiscPoint project_polygon(int facets, double radius, const double a[2]) {
  if (tribo_polygon_gauge(facets, a) <= radius) return stay(a);
  double best = INFINITY;
  TriboDiscPoint p = {{0, 0}, {{0, 0}, {0, 0}}, {0, 0}, false};
  for (int k = 0; k < facets; ++k) {
    double d[2], next[2];
    tribo_facet_direction(facets, k, d);
    tribo_facet_direction(facets, (k + 1) % facets, next);
    const double side[2] = {next[0] - d[0], next[1] - d[1]};
    const double from[2] = {a[0] - radius * d[0], a[1] - radius * d[1]};
    const double square = side[0] * side[0] + side[1] * side[1];
    const double along = (from[0] * side[0] + from[1] * side[1]) / square;
    const bool inside = along > 0 && along < radius;
    const double at = fmin(fmax(along, 0), radius);
    const double t[2] = {radius * d[0] + at * side[0], radius * d[1] + at * side[1]};
    const double distance = (a[0] - t[0]) * (a[0] - t[0]) + (a[1] - t[1]) * (a[1] - t[1]);
    if (distance >= best) continue;
    best = distance;
    // Along the side P moves with a; across it with the radius: the side's point next to 0 per R.
    const double s2 = inside ? 1 / square : 0;
    const double middle = 0.5 * inside;
    const double* corner = at > 0 ? next : d;
    p = (TriboDiscPoint){{t[0], t[1]},
                         {{s2 * side[0] * side[0], s2 * side[0] * side[1]},
                          {s2 * side[0] * side[1], s2 * side[1] * side[1]}},
                         {middle * (d[0] + next[0]) + !inside * corner[0],
                          middle * (d[1] + next[1]) + !inside * corner[1]},
                         false};
  }
  return p;
}

TriboDiscPoint tribo_disc_project(TriboCone cone, int facets, double radius, const double a[2]) {
  if (cone == TRIBO_CONE_POLYGON && facets >= 4 && radius > 0) {
    return project_polygon(facets, radius, a);
  }
  return project_disc(radius, a);
}
