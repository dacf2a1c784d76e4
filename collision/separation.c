// SPDX-License-Identifier: Apache-2.0
//
// Which method serves which pair of cores:
//
//   a formula             point against all but hulls, segment-segment
//   separating axes       segment, triangle and box among each other: exact where they overlap
//   GJK                   everything that is apart
//   expanding polytope    the others where they overlap, from libccd's guess if one is curved
//
// Where cores are apart, an axis that shows the whole distance is taken in place of GJK's closest
// points: it is as exact as the shape itself, while the way between points that nearly touch has
// few digits left.
#include "collision/separation.h"

#include <math.h>

#include "collision/axis.h"
#include "collision/box_box.h"
#include "collision/closed_form.h"
#include "collision/epa.h"
#include "collision/feature.h"
#include "collision/gjk.h"
#include "collision/hull.h"
#include "collision/libccd.h"
#include "collision/polish.h"
#include "collision/witness.h"
#include "engine/base/rotation.h"

// Edges more parallel than this span no axis.
static const double kParallel = 1e-12;
// Below this sine the plain product of two edges has lost digits.
static const double kBlunt = 1e-3;
// Faces beyond this cosine are tried in place of a direction.
static const double kNearlyFlat = 0.999;
// The points of a settled direction lie along it up to this part of the size.
static const double kSettled = 1e-7;

// What libccd is asked for: a guess to this part of the size, from as many support points.
static const double kGuess = 1e-2;
enum { GUESS_SUPPORTS_MAX = 64 };

enum { REFINEMENTS_MAX = 8 };

static double pair_tolerance(const TriboConvex* a, const TriboConvex* b) {
  return tribo_axis_none(a, b).prefer;
}

// Whether the direction n, which shows `distance`, may stand for the separation that was found: it
// shows as much, and the closest points do not move sideways by turning to it.
static bool can_replace(const TriboConvex* a, const TriboConvex* b, const TriboSeparation* found,
                        TriboVec3 n, double distance) {
  const double tolerance = pair_tolerance(a, b);
  if (distance < found->distance - tolerance) return false;
  return tribo_vec3_distance(n, found->normal) * fabs(distance) <= tolerance;
}

// ---- separating axes of segment, triangle and box

typedef struct Axes {
  int normals, edges;
  TriboVec3 normal[3], edge[3];
} Axes;

static Axes axes_of(const TriboConvex* c) {
  Axes axes = {0, 0, {{0, 0, 0}}, {{0, 0, 0}}};
  if (c->kind == TRIBO_CONVEX_SEGMENT) {
    axes.edge[axes.edges++] = tribo_mat3_column(c->X.R, 2);
  } else if (c->kind == TRIBO_CONVEX_BOX) {
    axes.normals = axes.edges = 3;
    for (int i = 0; i < 3; ++i) axes.normal[i] = axes.edge[i] = tribo_mat3_column(c->X.R, i);
  } else {
    axes.edges = 3;
    for (int i = 0; i < 3; ++i) {
      const TriboVec3 e = tribo_vec3_sub(c->triangle[(i + 1) % 3], c->triangle[i]);
      axes.edge[i] = tribo_mat3_mul_vec(c->X.R, tribo_vec3_normalize_or(e, tribo_vec3_zero()));
    }
    axes.normal[axes.normals++] = tribo_convex_triangle_normal(c);
  }
  return axes;
}

// The stretch that a core covers along the unit vector d.
static void project(const TriboConvex* c, TriboVec3 d, double* low, double* high) {
  const double middle = tribo_vec3_dot(d, c->X.p);
  if (c->kind == TRIBO_CONVEX_TRIANGLE) {
    const TriboVec3 l = tribo_mat3_tmul_vec(c->X.R, d);
    double h[3];
    for (int k = 0; k < 3; ++k) h[k] = middle + tribo_vec3_dot(l, c->triangle[k]);
    *low = fmin(h[0], fmin(h[1], h[2]));
    *high = fmax(h[0], fmax(h[1], h[2]));
    return;
  }
  double reach = c->half.z * fabs(tribo_vec3_dot(d, tribo_mat3_column(c->X.R, 2)));
  if (c->kind == TRIBO_CONVEX_BOX) {
    reach += c->half.x * fabs(tribo_vec3_dot(d, tribo_mat3_column(c->X.R, 0))) +
             c->half.y * fabs(tribo_vec3_dot(d, tribo_mat3_column(c->X.R, 1)));
  }
  *low = middle - reach;
  *high = middle + reach;
}

// Offers d and -d.
static void try_axis(const TriboConvex* a, const TriboConvex* b, TriboVec3 d, TriboAxis* best) {
  double a_low, a_high, b_low, b_high;
  project(a, d, &a_low, &a_high);
  project(b, d, &b_low, &b_high);
  tribo_axis_offer(best, b_low - a_high, d);
  tribo_axis_offer(best, a_low - b_high, tribo_vec3_neg(d));
}

// The unit vector at right angles to two unit vectors; false where they are parallel.
static bool across(TriboVec3 e, TriboVec3 g, TriboVec3* d) {
  TriboVec3 n = tribo_vec3_cross(e, g);
  double sine = tribo_vec3_norm(n);
  if (!(sine > kParallel)) return false;
  if (sine < kBlunt) {
    // Nearly parallel: rounding has tilted n. The part of g across e, made so twice, has not.
    g = tribo_vec3_scale(1 / sine, tribo_vec3_madd(g, -tribo_vec3_dot(e, g), e));
    n = tribo_vec3_cross(e, tribo_vec3_madd(g, -tribo_vec3_dot(e, g), e));
    sine = tribo_vec3_norm(n);
  }
  *d = tribo_vec3_scale(1 / sine, n);
  return true;
}

// The best axis: a's faces, then b's, then pairs of edges.
static void best_axis(const TriboConvex* a, const TriboConvex* b, TriboSeparation* s) {
  const Axes axes_a = axes_of(a), axes_b = axes_of(b);
  TriboAxis best = tribo_axis_none(a, b);
  for (int i = 0; i < axes_a.normals; ++i) try_axis(a, b, axes_a.normal[i], &best);
  for (int j = 0; j < axes_b.normals; ++j) try_axis(a, b, axes_b.normal[j], &best);
  for (int i = 0; i < axes_a.edges; ++i) {
    for (int j = 0; j < axes_b.edges; ++j) {
      TriboVec3 d;
      if (across(axes_a.edge[i], axes_b.edge[j], &d)) try_axis(a, b, d, &best);
    }
  }
  s->normal = best.d;
  s->distance = best.distance;
}

static void from_simplex(const TriboSimplex* simplex, TriboVec3 v, TriboSeparation* s) {
  const double norm = tribo_vec3_norm(v);
  s->normal = tribo_vec3_scale(1 / norm, v);
  s->distance = norm;
  s->has_points = true;
  s->point_a = s->point_b = tribo_vec3_zero();
  for (int i = 0; i < simplex->count; ++i) {
    s->point_a = tribo_vec3_madd(s->point_a, simplex->weight[i], simplex->point[i].a);
    s->point_b = tribo_vec3_madd(s->point_b, simplex->weight[i], simplex->point[i].b);
  }
}

// Whether the points lie along the normal, `distance` apart. As no points are closer than the
// distance that a direction shows, this proves both the points and the normal.
static bool points_fit(const TriboSeparation* s, double tolerance) {
  const TriboVec3 way = tribo_vec3_sub(s->point_b, s->point_a);
  return tribo_vec3_norm(tribo_vec3_madd(way, -s->distance, s->normal)) <= tolerance;
}

// Where polyhedra nearly touch, GJK's way between them has few digits left. Better: the closest
// points of the features that face each other, and the direction between them at right angles to
// the edges that they are on.
static void refine(const TriboConvex* a, const TriboConvex* b, TriboSeparation* s) {
  for (int pass = 0; pass < REFINEMENTS_MAX && !s->has_points; ++pass) {
    TriboSupportFeature fa, fb;
    tribo_convex_sharp(a, s->normal, &fa);
    tribo_convex_sharp(b, tribo_vec3_neg(s->normal), &fb);
    TriboDifferencePoint ends[3];
    TriboSeparation next = *s;
    tribo_witness_closest(&fa, &fb, ends, &next.point_a, &next.point_b);
    next.normal = tribo_vec3_normalize_or(ends[0].w, s->normal);
    next.distance = tribo_direction_polish(a, b, ends, 3, &next.normal);
    if (!(next.distance > s->distance)) return;
    next.has_points = points_fit(&next, pair_tolerance(a, b));
    *s = next;
  }
}

// ---- pairs

bool tribo_polyhedra_axis(const TriboConvex* a, const TriboConvex* b, double limit,
                          TriboSeparation* s) {
  if (a->kind == TRIBO_CONVEX_BOX && b->kind == TRIBO_CONVEX_BOX) {
    return tribo_box_box(a, b, limit, s);
  }
  best_axis(a, b, s);
  s->has_points = false;
  return s->distance <= limit;
}

static void polyhedra(const TriboConvex* a, const TriboConvex* b, double limit,
                      TriboSeparation* s) {
  (void)tribo_polyhedra_axis(a, b, INFINITY, s);
  if (s->distance > 0 && s->distance <= limit) {
    TriboSimplex simplex;
    TriboVec3 v;
    if (tribo_gjk(a, b, INFINITY, &simplex, &v) == TRIBO_GJK_APART) {
      const TriboSeparation axis = *s;
      from_simplex(&simplex, v, s);
      s->distance = tribo_direction_polish(a, b, simplex.point, simplex.count, &s->normal);
      // The axis shows all of the distance: its normal is exact.
      if (can_replace(a, b, s, axis.normal, axis.distance)) {
        s->normal = axis.normal;
        s->distance = axis.distance;
      }
      s->has_points = points_fit(s, pair_tolerance(a, b));
      if (!s->has_points) refine(a, b, s);
      return;
    }
  }
  s->has_points = false;
}

// A point inside a hull is closest to the nearest face.
static void point_hull(const TriboConvex* a, const TriboConvex* b, TriboSeparation* s) {
  const TriboHull* hull = b->hull;
  const TriboVec3 p = tribo_transform_inverse_point(b->X, a->X.p);
  int face = 0;
  double height = -INFINITY;
  for (int f = 0; f < hull->nf; ++f) {
    const double h = tribo_vec3_dot(hull->face_normals[f], p) - hull->face_offsets[f];
    if (h > height + pair_tolerance(a, b)) {
      height = h;
      face = f;
    }
  }
  s->normal = tribo_vec3_neg(tribo_mat3_mul_vec(b->X.R, hull->face_normals[face]));
  s->distance = height;
  s->has_points = true;
  s->point_a = a->X.p;
  s->point_b = tribo_vec3_madd(a->X.p, height, s->normal);
  if (height <= 0) return;
  TriboSimplex simplex;
  TriboVec3 v;
  if (tribo_gjk(a, b, INFINITY, &simplex, &v) != TRIBO_GJK_APART) return;
  const TriboSeparation flat = *s;
  from_simplex(&simplex, v, s);
  s->distance = tribo_direction_polish(a, b, simplex.point, simplex.count, &s->normal);
  s->point_b = tribo_vec3_madd(s->point_a, s->distance, s->normal);
  if (can_replace(a, b, s, flat.normal, flat.distance)) *s = flat;
}

// Whether the bodies, pulled apart along n, are closest in points that do not lie along it.
static bool points_miss(const TriboConvex* a, const TriboConvex* b, TriboVec3 n, double distance) {
  TriboSimplex simplex;
  TriboVec3 v, pa, pb;
  return tribo_witness_pulled(a, b, n, distance, &simplex, &v, &pa, &pb) >
         kSettled * (a->size + b->size);
}

// Takes the normal of a face of a, or else of b, where it shows as much distance as the direction
// that was found: then all that touch the face agree on the normal to the last digit.
static void snap_to_face(const TriboConvex* a, const TriboConvex* b, TriboSeparation* s) {
  TriboSupportFeature face;
  for (int side = 0; side < 2; ++side) {
    const TriboVec3 d = side == 0 ? s->normal : tribo_vec3_neg(s->normal);
    tribo_convex_face(side == 0 ? a : b, d, &face);
    if (face.count < 3 || face.alignment < kNearlyFlat) continue;
    const TriboVec3 n = side == 0 ? face.normal : tribo_vec3_neg(face.normal);
    const double distance = tribo_distance_along(a, b, n);
    if (!can_replace(a, b, s, n, distance)) continue;
    // Beside the edge of the face, turning the normal moves the points of what is round.
    if (tribo_vec3_distance(n, s->normal) > kSettled && points_miss(a, b, n, distance)) continue;
    s->normal = n;
    s->distance = distance;
    return;
  }
}

// The polytope ends when no direction can be better by more than its tolerance, which where bodies
// are round leaves their points anywhere within its square root. Pulled apart along the normal, the
// closest points tell whether it is the best around, and if not, they are on the edges of a better.
// Returns whether there are such points.
static bool settle(const TriboConvex* a, const TriboConvex* b, TriboSeparation* s) {
  for (int pass = 0; pass < REFINEMENTS_MAX; ++pass) {
    TriboSimplex simplex;
    TriboVec3 v;
    const double miss =
        tribo_witness_pulled(a, b, s->normal, s->distance, &simplex, &v, &s->point_a, &s->point_b);
    if (isinf(miss)) return false;
    if (miss <= kSettled * (a->size + b->size)) break;
    TriboVec3 n = tribo_vec3_normalize_or(v, s->normal);
    const double distance = tribo_direction_polish(a, b, simplex.point, simplex.count, &n);
    if (!(distance > s->distance)) break;
    s->normal = n;
    s->distance = distance;
  }
  return true;
}

// Everything else. Points that are apart stay so: the polytope is only for cores that overlap, or
// are so close that no direction proves otherwise.
static TriboStatus general(const TriboConvex* a, const TriboConvex* b, double limit,
                           TriboSeparation* s) {
  TriboSimplex simplex;
  TriboVec3 v;
  const TriboGjkResult result = tribo_gjk(a, b, limit, &simplex, &v);
  if (result == TRIBO_GJK_BEYOND) {
    from_simplex(&simplex, v, s);
    return TRIBO_OK;
  }
  s->distance = -INFINITY;
  if (result == TRIBO_GJK_APART) {
    from_simplex(&simplex, v, s);
    s->distance = tribo_direction_polish(a, b, simplex.point, simplex.count, &s->normal);
  }
  const bool curved = tribo_convex_is_curved(a) || tribo_convex_is_curved(b);
  s->has_points = s->distance > 0;
  if (!s->has_points) {
    TriboVec3 guess;
    const bool guessed =
        curved && tribo_libccd_overlap(a, b, kGuess, GUESS_SUPPORTS_MAX, NULL, &guess);
    if (!tribo_epa(a, b, &simplex, guessed ? &guess : NULL, s)) return TRIBO_ERROR_LIMIT;
    s->has_points = curved && settle(a, b, s);
  }
  snap_to_face(a, b, s);
  const double tolerance = curved ? kSettled * (a->size + b->size) : pair_tolerance(a, b);
  s->has_points = s->has_points && points_fit(s, tolerance);
  return TRIBO_OK;
}

static TriboStatus ordered_separation(const TriboConvex* a, const TriboConvex* b, double limit,
                                      TriboSeparation* s) {
  if (tribo_closed_form(a, b, s)) return TRIBO_OK;
  if (b->kind <= TRIBO_CONVEX_BOX) {
    polyhedra(a, b, limit, s);
    return TRIBO_OK;
  }
  if (a->kind == TRIBO_CONVEX_POINT) {
    point_hull(a, b, s);
    return TRIBO_OK;
  }
  return general(a, b, limit, s);
}

TriboStatus tribo_convex_separation(const TriboConvex* a, const TriboConvex* b, double limit,
                                    TriboSeparation* s) {
  if (a->kind <= b->kind) return ordered_separation(a, b, limit, s);
  const TriboStatus status = ordered_separation(b, a, limit, s);
  const TriboVec3 point = s->point_a;
  s->normal = tribo_vec3_neg(s->normal);
  s->point_a = s->point_b;
  s->point_b = point;
  return status;
}
