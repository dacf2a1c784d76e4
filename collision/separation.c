// SPDX-License-Identifier: Apache-2.0
//
// Which method serves which pair of cores:
//
//   a formula             point against all but hulls, segment-segment
//   separating axes       segment, triangle and box among each other: exact where they overlap
//   GJK                   everything that is apart
//   expanding polytope    the others where they overlap
//
// Where cores are apart, an axis that shows the whole distance is taken in place of GJK's closest
// points: it is as exact as the shape itself, while the way between points that nearly touch has
// few digits left.
#include "collision/separation.h"

#include <math.h>

#include "collision/box_box.h"
#include "collision/closed_form.h"
#include "collision/epa.h"
#include "collision/feature.h"
#include "collision/gjk.h"
#include "collision/hull.h"
#include "collision/polish.h"
#include "engine/base/rotation.h"

// What a later axis must win by, as part of the size.
static const double kPrefer = 3e-10;
// Edges more parallel than this span no axis.
static const double kParallel = 1e-12;
// Faces beyond this cosine are tried in place of a direction.
static const double kNearlyFlat = 0.999;

static double pair_tolerance(const TriboConvex* a, const TriboConvex* b) {
  const double larger = fmax(a->size, b->size), smaller = fmin(a->size, b->size);
  // A point has no size; the other's rounding is what counts.
  return kPrefer * (smaller > 0 ? smaller : larger) + 1e-15 * larger;
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

// Takes d or -d where it shows more distance than what was found so far, by a definite amount.
static void try_axis(const TriboConvex* a, const TriboConvex* b, TriboVec3 d, double prefer,
                     TriboSeparation* best) {
  double a_low, a_high, b_low, b_high;
  project(a, d, &a_low, &a_high);
  project(b, d, &b_low, &b_high);
  const double forward = b_low - a_high, backward = a_low - b_high;
  if (forward > best->distance + prefer) {
    best->distance = forward;
    best->normal = d;
  }
  if (backward > best->distance + prefer) {
    best->distance = backward;
    best->normal = tribo_vec3_neg(d);
  }
}

// The best axis: a's faces, then b's, then pairs of edges.
static void best_axis(const TriboConvex* a, const TriboConvex* b, TriboSeparation* best) {
  const Axes axes_a = axes_of(a), axes_b = axes_of(b);
  const double prefer = pair_tolerance(a, b);
  best->distance = -INFINITY;
  for (int i = 0; i < axes_a.normals; ++i) try_axis(a, b, axes_a.normal[i], prefer, best);
  for (int j = 0; j < axes_b.normals; ++j) try_axis(a, b, axes_b.normal[j], prefer, best);
  for (int i = 0; i < axes_a.edges; ++i) {
    for (int j = 0; j < axes_b.edges; ++j) {
      const TriboVec3 d = tribo_vec3_cross(axes_a.edge[i], axes_b.edge[j]);
      const double sine = tribo_vec3_norm(d);
      if (sine > kParallel) try_axis(a, b, tribo_vec3_scale(1 / sine, d), prefer, best);
    }
  }
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

// Turns the direction that GJK found to the best nearby. Its points stay where they show the same
// distance; where GJK stopped short of the closest ones they are found anew when needed.
static void polish_found(const TriboConvex* a, const TriboConvex* b, const TriboSimplex* simplex,
                         TriboSeparation* s) {
  const double between = s->distance;
  s->distance = tribo_direction_polish(a, b, simplex->point, simplex->count, &s->normal);
  s->has_points = between - s->distance <= pair_tolerance(a, b);
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
      polish_found(a, b, &simplex, s);
      // The axis shows all of the distance: its normal is exact.
      if (can_replace(a, b, s, axis.normal, axis.distance)) {
        s->normal = axis.normal;
        s->distance = axis.distance;
      }
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
    if (h > height + kPrefer * b->size) {
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
  polish_found(a, b, &simplex, s);
  s->has_points = true;
  s->point_b = tribo_vec3_madd(s->point_a, s->distance, s->normal);
  if (can_replace(a, b, s, flat.normal, flat.distance)) *s = flat;
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
    s->normal = n;
    s->distance = distance;
    return;
  }
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
  if (!(s->distance > 0) && !tribo_epa(a, b, &simplex, s)) return TRIBO_ERROR_LIMIT;
  snap_to_face(a, b, s);
  s->has_points = false;
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
