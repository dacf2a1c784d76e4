// SPDX-License-Identifier: Apache-2.0
#include "collision/gjk.h"

#include <math.h>
#include <stdbool.h>

#include "engine/base/vec3.h"

// Polyhedra end after a few dozen steps, smooth bodies gain about a digit in two steps.
enum { ITERATIONS_MAX = 100, IDLE_MAX = 5 };
// Below this part of the size the closest point of the difference has no direction left.
static const double kTouching = 1e-10;
// What the next support point must promise, as part of the size.
static const double kGain = 1e-14;
// A tetrahedron flatter than this holds nothing: rounding would decide.
static const double kFlat = 1e-8;

TriboDifferencePoint tribo_difference_support(const TriboConvex* a, const TriboConvex* b,
                                              TriboVec3 d) {
  TriboDifferencePoint p;
  p.a = tribo_convex_support(a, d);
  p.b = tribo_convex_support(b, tribo_vec3_neg(d));
  p.w = tribo_vec3_sub(p.b, p.a);
  return p;
}

// Part of a simplex: which points, with which weights, and how far from the origin.
typedef struct Part {
  int count, index[3];
  double weight[3];
  TriboVec3 v;
  double norm2;
} Part;

static Part vertex_part(const TriboSimplex* s, int i) {
  Part part = {1, {i, 0, 0}, {1, 0, 0}, s->point[i].w, tribo_vec3_norm2(s->point[i].w)};
  return part;
}

static Part segment_part(const TriboSimplex* s, int i, int j) {
  const TriboVec3 p = s->point[i].w, e = tribo_vec3_sub(s->point[j].w, p);
  const double t = -tribo_vec3_dot(p, e), length2 = tribo_vec3_norm2(e);
  if (!(t > 0)) return vertex_part(s, i);
  if (!(t < length2)) return vertex_part(s, j);
  const double u = t / length2;
  Part part = {2, {i, j, 0}, {1 - u, u, 0}, tribo_vec3_madd(p, u, e), 0};
  // Once more at right angles to the edge: where the origin is near, rounding has tilted v.
  part.v = tribo_vec3_madd(part.v, -tribo_vec3_dot(part.v, e) / length2, e);
  part.norm2 = tribo_vec3_norm2(part.v);
  return part;
}

static Part closer(Part p, Part q) { return q.norm2 < p.norm2 ? q : p; }

static Part triangle_part(const TriboSimplex* s, int i, int j, int k) {
  const TriboVec3 a = s->point[i].w, b = s->point[j].w, c = s->point[k].w;
  const TriboVec3 n = tribo_vec3_cross(tribo_vec3_sub(b, a), tribo_vec3_sub(c, a));
  const double n2 = tribo_vec3_norm2(n);
  if (n2 > 0) {
    // Weights from the foot of the origin on the plane: differences of points near each other, so
    // that a far triangle loses few digits.
    const TriboVec3 foot = tribo_vec3_scale(tribo_vec3_dot(a, n) / n2, n);
    const TriboVec3 pa = tribo_vec3_sub(a, foot), pb = tribo_vec3_sub(b, foot);
    const TriboVec3 pc = tribo_vec3_sub(c, foot);
    const double wa = tribo_vec3_dot(tribo_vec3_cross(pb, pc), n) / n2;
    const double wb = tribo_vec3_dot(tribo_vec3_cross(pc, pa), n) / n2;
    const double wc = tribo_vec3_dot(tribo_vec3_cross(pa, pb), n) / n2;
    const double sum = wa + wb + wc;
    if (wa > 0 && wb > 0 && wc > 0 && isfinite(1 / sum)) {
      Part part = {3, {i, j, k}, {wa / sum, wb / sum, wc / sum}, foot, tribo_vec3_norm2(foot)};
      return part;
    }
  }
  return closer(closer(segment_part(s, i, j), segment_part(s, j, k)), segment_part(s, k, i));
}

// False where the tetrahedron holds the origin.
static bool tetrahedron_part(const TriboSimplex* s, Part* part) {
  static const int kFace[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  bool outside = false;
  part->norm2 = INFINITY;
  for (int f = 0; f < 4; ++f) {
    const TriboVec3 p = s->point[kFace[f][0]].w;
    const TriboVec3 e = tribo_vec3_sub(s->point[kFace[f][1]].w, p);
    const TriboVec3 g = tribo_vec3_sub(s->point[kFace[f][2]].w, p);
    const TriboVec3 r = tribo_vec3_sub(s->point[kFace[f][3]].w, p);
    const TriboVec3 n = tribo_vec3_cross(e, g);
    const double apex = tribo_vec3_dot(n, r), origin = -tribo_vec3_dot(n, p);
    const bool flat = fabs(apex) <= kFlat * tribo_vec3_norm(n) * tribo_vec3_norm(r);
    if (!flat && apex * origin >= 0) continue;
    outside = true;
    *part = closer(*part, triangle_part(s, kFace[f][0], kFace[f][1], kFace[f][2]));
  }
  return outside;
}

// The point of the simplex that is closest to the origin; the simplex keeps only what carries it.
// False where it holds the origin.
static bool reduce(TriboSimplex* s, TriboVec3* v) {
  Part part;
  if (s->count == 1) {
    part = vertex_part(s, 0);
  } else if (s->count == 2) {
    part = segment_part(s, 0, 1);
  } else if (s->count == 3) {
    part = triangle_part(s, 0, 1, 2);
  } else if (!tetrahedron_part(s, &part)) {
    return false;
  }
  const TriboSimplex old = *s;
  s->count = part.count;
  for (int i = 0; i < part.count; ++i) {
    s->point[i] = old.point[part.index[i]];
    s->weight[i] = part.weight[i];
  }
  *v = part.v;
  return true;
}

static bool holds(const TriboSimplex* s, TriboVec3 w) {
  for (int i = 0; i < s->count; ++i) {
    const TriboVec3 p = s->point[i].w;
    if (p.x == w.x && p.y == w.y && p.z == w.z) return true;
  }
  return false;
}

TriboGjkResult tribo_gjk(const TriboConvex* a, const TriboConvex* b, double limit,
                         TriboSimplex* simplex, TriboVec3* v) {
  const double size = a->size + b->size;
  const TriboVec3 start = tribo_vec3_sub(tribo_convex_center(b), tribo_convex_center(a));
  TriboSimplex current;
  current.count = 1;
  current.point[0] =
      tribo_difference_support(a, b, tribo_vec3_norm2(start) > 0 ? start : tribo_vec3(0, 0, 1));
  current.weight[0] = 1;
  TriboVec3 u = current.point[0].w;
  double norm = tribo_vec3_norm(u), best_lower = -INFINITY, best_gap = INFINITY;
  int idle = 0;
  for (int iteration = 0; iteration < ITERATIONS_MAX && idle < IDLE_MAX; ++iteration, ++idle) {
    if (norm <= kTouching * size) {
      if (best_lower > kTouching * size) break;
      *simplex = current;
      *v = u;
      return TRIBO_GJK_OVERLAP;
    }
    const TriboDifferencePoint p = tribo_difference_support(a, b, u);
    // Everything of B - A lies beyond the plane through w at right angles to u.
    const double lower = tribo_vec3_dot(u, p.w) / norm;
    best_lower = fmax(best_lower, lower);
    if (norm - lower < best_gap) {
      *simplex = current;
      *v = u;
      best_gap = norm - lower;
      idle = 0;
    }
    if (lower > limit) return TRIBO_GJK_BEYOND;
    if (norm - lower <= kGain * (norm + size) || holds(&current, p.w)) break;
    current.point[current.count++] = p;
    TriboVec3 next;
    if (!reduce(&current, &next)) {
      if (best_lower > kTouching * size) break;
      *simplex = current;
      return TRIBO_GJK_OVERLAP;
    }
    // The length hardly changes with the direction, which may still improve: but it must not grow.
    const double next_norm = tribo_vec3_norm(next);
    if (!(next_norm <= norm * (1 + 1e-14))) break;
    if (next_norm < norm * (1 - 1e-12)) idle = 0;
    u = next;
    norm = next_norm;
  }
  return TRIBO_GJK_APART;
}
