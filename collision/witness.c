// SPDX-License-Identifier: Apache-2.0
#include "collision/witness.h"

#include <math.h>
#include <stdbool.h>

#include "engine/base/vec3.h"

// Points that should lie along n of each other do so up to this part of the size.
static const double kMismatch = 1e-9;

// The parameters of the closest points of two edges; false where they are parallel.
static bool cross_edges(const TriboSupportFeature* fa, const TriboSupportFeature* fb, double* x,
                        double* y) {
  const TriboVec3 u = tribo_vec3_sub(fa->point[1], fa->point[0]);
  const TriboVec3 v = tribo_vec3_sub(fb->point[1], fb->point[0]);
  const TriboVec3 r = tribo_vec3_sub(fb->point[0], fa->point[0]), cross = tribo_vec3_cross(u, v);
  const double c2 = tribo_vec3_norm2(cross);
  if (!(c2 > 1e-24 * tribo_vec3_norm2(u) * tribo_vec3_norm2(v))) return false;
  *x = tribo_vec3_dot(tribo_vec3_cross(r, v), cross) / c2;
  *y = tribo_vec3_dot(tribo_vec3_cross(r, u), cross) / c2;
  return true;
}

static TriboVec3 along_edge(const TriboSupportFeature* f, double t) {
  if (f->count == 1) return f->point[0];
  return tribo_vec3_madd(f->point[0], fmin(1, fmax(0, t)),
                         tribo_vec3_sub(f->point[1], f->point[0]));
}

// Where the point p is along the edge f, seen along n.
static double place_on_edge(const TriboSupportFeature* f, TriboVec3 p, TriboVec3 n) {
  if (f->count == 1) return 0;
  const TriboVec3 e = tribo_vec3_sub(f->point[1], f->point[0]);
  const TriboVec3 flat = tribo_vec3_madd(e, -tribo_vec3_dot(e, n), n);
  return tribo_vec3_dot(tribo_vec3_sub(p, f->point[0]), flat) / tribo_vec3_norm2(flat);
}

// Corners and edges: by formula. False where the formula's points do not lie along n of each other.
static bool sharp_points(const TriboSupportFeature* fa, const TriboSupportFeature* fb, TriboVec3 n,
                         double distance, double tolerance, TriboVec3* pa, TriboVec3* pb) {
  if (fa->count > 2 || fb->count > 2) return false;
  double x = 0, y = 0;
  if (fa->count == 1) {
    y = place_on_edge(fb, fa->point[0], n);
  } else if (fb->count == 1) {
    x = place_on_edge(fa, fb->point[0], n);
  } else if (!cross_edges(fa, fb, &x, &y)) {
    return false;
  }
  *pa = along_edge(fa, x);
  *pb = along_edge(fb, y);
  const TriboVec3 error = tribo_vec3_madd(tribo_vec3_sub(*pb, *pa), -distance, n);
  return tribo_vec3_norm(error) <= tolerance;
}

void tribo_witness(const TriboConvex* a, const TriboConvex* b, const TriboSupportFeature* fa,
                   const TriboSupportFeature* fb, TriboVec3 n, double distance, TriboVec3* point_a,
                   TriboVec3* point_b) {
  const double size = a->size + b->size;
  if (sharp_points(fa, fb, n, distance, kMismatch * size, point_a, point_b)) return;
  if (fa->count == 1 && fb->count > 2 &&
      tribo_feature_holds(fb, fa->point[0], n, kMismatch * size)) {
    *point_a = fa->point[0];
    *point_b = tribo_vec3_madd(*point_a, distance, n);
    return;
  }
  if (fb->count == 1 && fa->count > 2 &&
      tribo_feature_holds(fa, fb->point[0], n, kMismatch * size)) {
    *point_b = fb->point[0];
    *point_a = tribo_vec3_madd(*point_b, -distance, n);
    return;
  }
  // Pull the bodies apart along n, to where GJK has no trouble: the same points are closest.
  const TriboVec3 shift = tribo_vec3_scale(0.1 * size - distance, n);
  TriboConvex moved = *b;
  moved.X.p = tribo_vec3_add(b->X.p, shift);
  TriboSimplex simplex;
  TriboVec3 v;
  TriboVec3 pa = tribo_convex_support(a, n), pb = tribo_vec3_madd(pa, distance, n);
  if (tribo_gjk(a, &moved, INFINITY, &simplex, &v) == TRIBO_GJK_APART) {
    pa = pb = tribo_vec3_zero();
    for (int i = 0; i < simplex.count; ++i) {
      pa = tribo_vec3_madd(pa, simplex.weight[i], simplex.point[i].a);
      pb = tribo_vec3_madd(pb, simplex.weight[i], simplex.point[i].b);
    }
    pb = tribo_vec3_sub(pb, shift);
  }
  // Both on one line along n, midway between where they were found, each on its supporting plane.
  const TriboVec3 middle = tribo_vec3_scale(0.5, tribo_vec3_add(pa, pb));
  const double height = tribo_vec3_dot(n, tribo_convex_support(a, n));
  *point_a = tribo_vec3_madd(middle, height - tribo_vec3_dot(n, middle), n);
  *point_b = tribo_vec3_madd(*point_a, distance, n);
}
