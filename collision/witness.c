// SPDX-License-Identifier: Apache-2.0
#include "collision/witness.h"

#include <math.h>
#include <stdbool.h>

#include "engine/base/vec3.h"

// Points that should lie along n of each other do so up to this part of the size.
static const double kMismatch = 1e-9;

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
  const double length2 = tribo_vec3_norm2(flat);
  return length2 > 0 ? tribo_vec3_dot(tribo_vec3_sub(p, f->point[0]), flat) / length2 : 0;
}

// Points found so far, and by how much they miss lying `distance` n apart.
typedef struct Witness {
  TriboVec3 n;
  double distance, miss;
  TriboVec3 a, b;
} Witness;

static void propose(Witness* w, TriboVec3 a, TriboVec3 b) {
  const TriboVec3 error = tribo_vec3_madd(tribo_vec3_sub(b, a), -w->distance, w->n);
  const double miss = tribo_vec3_norm(error);
  if (!(miss < w->miss)) return;
  w->miss = miss;
  w->a = a;
  w->b = b;
}

// Corners and edges: each end against the other edge, and where two edges cross.
static void propose_sharp(Witness* w, const TriboSupportFeature* fa,
                          const TriboSupportFeature* fb) {
  for (int i = 0; i < fa->count; ++i) {
    const double y = place_on_edge(fb, fa->point[i], w->n);
    propose(w, fa->point[i], along_edge(fb, y));
  }
  for (int j = 0; j < fb->count; ++j) {
    const double x = place_on_edge(fa, fb->point[j], w->n);
    propose(w, along_edge(fa, x), fb->point[j]);
  }
  if (fa->count != 2 || fb->count != 2) return;
  const TriboVec3 u = tribo_vec3_sub(fa->point[1], fa->point[0]);
  const TriboVec3 v = tribo_vec3_sub(fb->point[1], fb->point[0]);
  const TriboVec3 r = tribo_vec3_sub(fb->point[0], fa->point[0]), cross = tribo_vec3_cross(u, v);
  const double c2 = tribo_vec3_norm2(cross);
  if (!(c2 > 1e-24 * tribo_vec3_norm2(u) * tribo_vec3_norm2(v))) return;
  propose(w, along_edge(fa, tribo_vec3_dot(tribo_vec3_cross(r, v), cross) / c2),
          along_edge(fb, tribo_vec3_dot(tribo_vec3_cross(r, u), cross) / c2));
}

// A corner over a face.
static void propose_on_face(Witness* w, const TriboSupportFeature* fa,
                            const TriboSupportFeature* fb, double tolerance) {
  if (fa->count == 1 && fb->count > 2) {
    const TriboVec3 p = fa->point[0];
    if (!tribo_feature_holds(fb, p, w->n, tolerance)) return;
    propose(w, p, tribo_vec3_madd(p, w->distance, w->n));
  } else if (fb->count == 1 && fa->count > 2) {
    const TriboVec3 p = fb->point[0];
    if (!tribo_feature_holds(fa, p, w->n, tolerance)) return;
    propose(w, tribo_vec3_madd(p, -w->distance, w->n), p);
  }
}

// Pulls the bodies apart along n, to where GJK has no trouble: the same points are closest.
static void propose_by_gjk(Witness* w, const TriboConvex* a, const TriboConvex* b) {
  const TriboVec3 shift = tribo_vec3_scale(0.1 * (a->size + b->size) - w->distance, w->n);
  TriboConvex moved = *b;
  moved.X.p = tribo_vec3_add(b->X.p, shift);
  TriboSimplex simplex;
  TriboVec3 v;
  if (tribo_gjk(a, &moved, INFINITY, &simplex, &v) != TRIBO_GJK_APART) return;
  TriboVec3 pa = tribo_vec3_zero(), pb = tribo_vec3_neg(shift);
  for (int i = 0; i < simplex.count; ++i) {
    pa = tribo_vec3_madd(pa, simplex.weight[i], simplex.point[i].a);
    pb = tribo_vec3_madd(pb, simplex.weight[i], simplex.point[i].b);
  }
  propose(w, pa, pb);
}

// How far one may go sideways from a point of the feature and still be near the surface: nothing at
// a corner or edge, the radius of what is round, all of a face.
static double sideways(const TriboConvex* c, const TriboSupportFeature* f) {
  if (f->count > 2) return c->size;
  if (c->kind == TRIBO_CONVEX_CYLINDER) return c->half.x;
  if (c->kind == TRIBO_CONVEX_ELLIPSOID) return fmin(c->half.x, fmin(c->half.y, c->half.z));
  return 0;
}

void tribo_witness(const TriboConvex* a, const TriboConvex* b, const TriboSupportFeature* fa,
                   const TriboSupportFeature* fb, TriboVec3 n, double distance, TriboVec3* point_a,
                   TriboVec3* point_b) {
  const double tolerance = kMismatch * (a->size + b->size);
  const TriboVec3 top = tribo_convex_support(a, n);
  Witness w = {n, distance, INFINITY, top, tribo_vec3_madd(top, distance, n)};
  if (fa->count <= 2 && fb->count <= 2) propose_sharp(&w, fa, fb);
  if (w.miss > tolerance) propose_on_face(&w, fa, fb, tolerance);
  if (w.miss > tolerance) propose_by_gjk(&w, a, b);
  // Both on one line along n, nearer to the point of the sharper one, each on its supporting plane.
  const double ra = sideways(a, fa), rb = sideways(b, fb);
  const double share = ra + rb > 0 ? ra / (ra + rb) : 0.5;
  const TriboVec3 middle = tribo_vec3_madd(w.a, share, tribo_vec3_sub(w.b, w.a));
  const double height = tribo_vec3_dot(n, top) - tribo_vec3_dot(n, middle);
  *point_a = tribo_vec3_madd(middle, height, n);
  *point_b = tribo_vec3_madd(*point_a, distance, n);
}
