// SPDX-License-Identifier: Apache-2.0
#include "collision/witness.h"

#include <math.h>
#include <stdbool.h>

#include "engine/base/vec3.h"

// Points that should lie along n of each other do so up to this part of the size.
static const double kMismatch = 1e-9;

// A side of a face, or an edge: from p to p + e. A point of it: p, with e zero where it is an end.
typedef struct Side {
  TriboVec3 p, e;
} Side;

static int side_count(const TriboSupportFeature* f) {
  return f->count > 2 ? f->count : f->count - 1;
}

static Side side_of(const TriboSupportFeature* f, int k) {
  const TriboVec3 p = f->point[k];
  return (Side){p, tribo_vec3_sub(f->point[k + 1 < f->count ? k + 1 : 0], p)};
}

static Side corner_of(const TriboSupportFeature* f, int k) {
  return (Side){f->point[k], tribo_vec3_zero()};
}

static Side along(Side side, double t) {
  if (!(t > 0)) return (Side){side.p, tribo_vec3_zero()};
  if (!(t < 1)) return (Side){tribo_vec3_add(side.p, side.e), tribo_vec3_zero()};
  return (Side){tribo_vec3_madd(side.p, t, side.e), side.e};
}

// The point of the side that is nearest to p, seen along n; n may be zero.
static Side foot(Side side, TriboVec3 p, TriboVec3 n) {
  const TriboVec3 flat = tribo_vec3_madd(side.e, -tribo_vec3_dot(side.e, n), n);
  const double length2 = tribo_vec3_norm2(flat);
  const double t = tribo_vec3_dot(tribo_vec3_sub(p, side.p), flat);
  return along(side, length2 > 0 ? t / length2 : 0);
}

// Where u crosses v, or comes nearest to its line.
static Side crossing(Side u, Side v) {
  const TriboVec3 cross = tribo_vec3_cross(u.e, v.e), r = tribo_vec3_sub(v.p, u.p);
  const double c2 = tribo_vec3_norm2(cross);
  if (!(c2 > 1e-24 * tribo_vec3_norm2(u.e) * tribo_vec3_norm2(v.e))) return along(u, 0);
  return along(u, tribo_vec3_dot(tribo_vec3_cross(r, v.e), cross) / c2);
}

// Points found so far, and by how much they miss lying `distance` n apart. Where both are zero, it
// is the closest points that are looked for.
typedef struct Witness {
  TriboVec3 n;
  double distance, miss;
  Side a, b;
} Witness;

static void propose(Witness* w, Side a, Side b) {
  const TriboVec3 error = tribo_vec3_madd(tribo_vec3_sub(b.p, a.p), -w->distance, w->n);
  const double miss = tribo_vec3_norm(error);
  if (!(miss < w->miss)) return;
  w->miss = miss;
  w->a = a;
  w->b = b;
}

// Corners against corners and sides of the other, and where two sides cross.
static void propose_on_sides(Witness* w, const TriboSupportFeature* fa,
                             const TriboSupportFeature* fb) {
  for (int i = 0; i < fa->count; ++i) {
    const Side p = corner_of(fa, i);
    for (int j = 0; j < fb->count; ++j) propose(w, p, corner_of(fb, j));
    for (int j = 0; j < side_count(fb); ++j) propose(w, p, foot(side_of(fb, j), p.p, w->n));
  }
  for (int i = 0; i < side_count(fa); ++i) {
    const Side u = side_of(fa, i);
    for (int j = 0; j < fb->count; ++j) propose(w, foot(u, fb->point[j], w->n), corner_of(fb, j));
    for (int j = 0; j < side_count(fb); ++j) {
      // Where they are nearly parallel the crossing has few digits; its foot makes up for that.
      const Side v = side_of(fb, j), p = crossing(u, v);
      propose(w, p, foot(v, p.p, w->n));
    }
  }
}

// Where the line along n through p meets a face's plane.
static Side onto_face(const TriboSupportFeature* face, TriboVec3 p, TriboVec3 n) {
  const double height = tribo_vec3_dot(face->normal, tribo_vec3_sub(face->point[0], p));
  return (Side){tribo_vec3_madd(p, height / tribo_vec3_dot(face->normal, n), n), tribo_vec3_zero()};
}

// The corners of one over the face of the other.
static void propose_on_faces(Witness* w, const TriboSupportFeature* fa,
                             const TriboSupportFeature* fb) {
  for (int i = 0; i < fa->count && fb->count > 2; ++i) {
    const TriboVec3 p = fa->point[i];
    if (tribo_feature_holds(fb, p, w->n, 0)) propose(w, corner_of(fa, i), onto_face(fb, p, w->n));
  }
  for (int j = 0; j < fb->count && fa->count > 2; ++j) {
    const TriboVec3 p = fb->point[j];
    if (tribo_feature_holds(fa, p, w->n, 0)) propose(w, onto_face(fa, p, w->n), corner_of(fb, j));
  }
}

double tribo_witness_pulled(const TriboConvex* a, const TriboConvex* b, TriboVec3 n,
                            double distance, TriboSimplex* simplex, TriboVec3* v,
                            TriboVec3* point_a, TriboVec3* point_b) {
  const TriboVec3 shift = tribo_vec3_scale(0.1 * (a->size + b->size) - distance, n);
  TriboConvex moved = *b;
  moved.X.p = tribo_vec3_add(b->X.p, shift);
  if (tribo_gjk(a, &moved, INFINITY, simplex, v) != TRIBO_GJK_APART) return INFINITY;
  *point_a = tribo_vec3_zero();
  *point_b = tribo_vec3_neg(shift);
  for (int i = 0; i < simplex->count; ++i) {
    *point_a = tribo_vec3_madd(*point_a, simplex->weight[i], simplex->point[i].a);
    *point_b = tribo_vec3_madd(*point_b, simplex->weight[i], simplex->point[i].b);
  }
  return tribo_vec3_norm(tribo_vec3_madd(tribo_vec3_sub(*point_b, *point_a), -distance, n));
}

static void propose_pulled(Witness* w, const TriboConvex* a, const TriboConvex* b) {
  TriboSimplex simplex;
  TriboVec3 v;
  Side pa = {{0, 0, 0}, {0, 0, 0}}, pb = pa;
  if (isinf(tribo_witness_pulled(a, b, w->n, w->distance, &simplex, &v, &pa.p, &pb.p))) return;
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
  Witness w = {.n = n, .distance = distance, .miss = INFINITY};
  w.a.p = top;
  w.b.p = tribo_vec3_madd(top, distance, n);
  propose_on_faces(&w, fa, fb);
  propose_on_sides(&w, fa, fb);
  if (w.miss > tolerance) propose_pulled(&w, a, b);
  // Both on one line along n, nearer to the point of the sharper one, each on its supporting plane.
  const double ra = sideways(a, fa), rb = sideways(b, fb);
  const double share = ra + rb > 0 ? ra / (ra + rb) : 0.5;
  const TriboVec3 middle = tribo_vec3_madd(w.a.p, share, tribo_vec3_sub(w.b.p, w.a.p));
  const double height = tribo_vec3_dot(n, top) - tribo_vec3_dot(n, middle);
  *point_a = tribo_vec3_madd(middle, height, n);
  *point_b = tribo_vec3_madd(*point_a, distance, n);
}

void tribo_witness_closest(const TriboSupportFeature* fa, const TriboSupportFeature* fb,
                           TriboDifferencePoint ends[3], TriboVec3* point_a, TriboVec3* point_b) {
  Witness w = {.miss = INFINITY};
  propose_on_sides(&w, fa, fb);
  *point_a = w.a.p;
  *point_b = w.b.p;
  for (int k = 0; k < 3; ++k) {
    ends[k].a = tribo_vec3_madd(w.a.p, k == 1, w.a.e);
    ends[k].b = tribo_vec3_madd(w.b.p, k == 2, w.b.e);
    ends[k].w = tribo_vec3_sub(ends[k].b, ends[k].a);
  }
}
