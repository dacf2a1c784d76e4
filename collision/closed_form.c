// SPDX-License-Identifier: Apache-2.0
//
// Each formula works in the frame of the second core and treats three cases: the point is outside,
// it is inside, or it lies where all directions are alike (on an axis, at a centre), where a fixed
// one is taken.
#include "collision/closed_form.h"

#include <math.h>

#include "engine/base/rotation.h"

// Two points closer than this part of the size have no direction.
static const double kCoincident = 1e-15;
// Segments closer than this part of their size nearly touch.
static const double kNear = 1e-3;
// What a later face must win by, as part of the size, when a point is inside.
static const double kPrefer = 3e-10;
// Bisection halves a double's range of exponents and digits in fewer steps.
enum { ROOT_STEPS = 200 };

// From two points that are closest, with `fallback` where they coincide.
static void from_points(TriboVec3 pa, TriboVec3 pb, double size, TriboVec3 fallback,
                        TriboSeparation* s) {
  const TriboVec3 v = tribo_vec3_sub(pb, pa);
  const double norm = tribo_vec3_norm(v);
  const bool apart = norm > kCoincident * size && norm > 1e-150;
  s->normal = apart ? tribo_vec3_scale(1 / norm, v) : fallback;
  s->distance = apart ? norm : 0;
  s->has_points = true;
  s->point_a = pa;
  s->point_b = pb;
}

// A point inside b at p, in b's frame, with the closest point of b's surface at q, a way `depth`
// along the outward normal.
static void from_inside(const TriboConvex* a, const TriboConvex* b, TriboVec3 outward, double depth,
                        TriboVec3 q, TriboSeparation* s) {
  s->normal = tribo_vec3_neg(tribo_mat3_mul_vec(b->X.R, outward));
  s->distance = -depth;
  s->has_points = true;
  s->point_a = a->X.p;
  s->point_b = tribo_transform_point(b->X, q);
}

static double clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

static void point_segment(const TriboConvex* a, const TriboConvex* b, TriboSeparation* s) {
  // In the segment's frame, where the way to its inside has no part along it to the last digit.
  const TriboVec3 p = tribo_transform_inverse_point(b->X, a->X.p);
  const TriboVec3 q = tribo_vec3(0, 0, clamp(p.z, -b->half.z, b->half.z));
  from_points(p, q, b->size, tribo_vec3(1, 0, 0), s);
  s->normal = tribo_mat3_mul_vec(b->X.R, s->normal);
  s->point_a = a->X.p;
  s->point_b = tribo_transform_point(b->X, q);
}

// The distance that the unit vector n shows between segments of directions u and v, r apart.
static double segments_along(TriboVec3 u, double ha, TriboVec3 v, double hb, TriboVec3 r,
                             TriboVec3 n) {
  return tribo_vec3_dot(r, n) - ha * fabs(tribo_vec3_dot(u, n)) - hb * fabs(tribo_vec3_dot(v, n));
}

// Closest points of two segments, after the sign of the 2x2 system's determinant: parallel ones
// take the middle of the stretch that they share.
static void segment_segment(const TriboConvex* a, const TriboConvex* b, TriboSeparation* s) {
  const TriboVec3 u = tribo_mat3_column(a->X.R, 2), v = tribo_mat3_column(b->X.R, 2);
  const TriboVec3 r = tribo_vec3_sub(b->X.p, a->X.p), cross = tribo_vec3_cross(u, v);
  const double ha = a->half.z, hb = b->half.z, uv = tribo_vec3_dot(u, v);
  const double ru = tribo_vec3_dot(r, u), rv = tribo_vec3_dot(r, v);
  const double sine2 = tribo_vec3_norm2(cross);
  double x, y;
  if (sine2 > 1e-20) {
    // x u - y v = r, by Cramer's rule on the cross product: no cancellation when nearly parallel.
    x = clamp(tribo_vec3_dot(tribo_vec3_cross(r, v), cross) / sine2, -ha, ha);
  } else {
    const double reach = hb * fabs(uv);
    x = clamp(0.5 * (fmax(-ha, ru - reach) + fmin(ha, ru + reach)), -ha, ha);
  }
  y = clamp(uv * x - rv, -hb, hb);
  x = clamp(uv * y + ru, -ha, ha);
  from_points(tribo_vec3_madd(a->X.p, x, u), tribo_vec3_madd(b->X.p, y, v), ha + hb,
              tribo_mat3_column(a->X.R, 0), s);
  if (s->distance > kNear * (ha + hb) || !(sine2 > 1e-24)) return;
  // Nearly touching: the way between the points has few digits. The direction at right angles to
  // both, made so to the last digit, shows the whole distance where they cross.
  TriboVec3 n = tribo_vec3_madd(cross, -tribo_vec3_dot(cross, u), u);
  n = tribo_vec3_normalize_or(n, s->normal);
  if (tribo_vec3_dot(n, r) < 0) n = tribo_vec3_neg(n);
  const double along = segments_along(u, ha, v, hb, r, n);
  if (along < segments_along(u, ha, v, hb, r, s->normal)) return;
  s->normal = n;
  s->distance = along;
}

static void point_triangle(const TriboConvex* a, const TriboConvex* b, TriboSeparation* s) {
  const TriboVec3 p = tribo_transform_inverse_point(b->X, a->X.p);
  const TriboVec3* t = b->triangle;
  const TriboVec3 cross = tribo_vec3_cross(tribo_vec3_sub(t[1], t[0]), tribo_vec3_sub(t[2], t[0]));
  const TriboVec3 n = tribo_vec3_normalize_or(cross, tribo_vec3(0, 0, 1));
  // Above the inside of all three edges, the foot of the point; else the best point of an edge.
  bool above = true;
  TriboVec3 q = t[0], edge = tribo_vec3_zero();
  double best = INFINITY;
  for (int k = 0; k < 3; ++k) {
    const TriboVec3 e = tribo_vec3_sub(t[(k + 1) % 3], t[k]), r = tribo_vec3_sub(p, t[k]);
    above = above && tribo_vec3_dot(tribo_vec3_cross(e, r), n) >= 0;
    const double length2 = tribo_vec3_norm2(e);
    const double u = length2 > 0 ? clamp(tribo_vec3_dot(r, e) / length2, 0, 1) : 0;
    const TriboVec3 candidate = tribo_vec3_madd(t[k], u, e);
    const double distance2 = tribo_vec3_norm2(tribo_vec3_sub(p, candidate));
    if (distance2 < best) {
      best = distance2;
      q = candidate;
      edge = u > 0 && u < 1 ? tribo_vec3_scale(1 / sqrt(length2), e) : tribo_vec3_zero();
    }
  }
  if (above) q = tribo_vec3_madd(p, -tribo_vec3_dot(n, tribo_vec3_sub(p, t[0])), n);
  from_points(a->X.p, tribo_transform_point(b->X, q), b->size,
              tribo_vec3_neg(tribo_mat3_mul_vec(b->X.R, n)), s);
  if (!above) {
    // At right angles to the edge also where the way to it has few digits.
    const TriboVec3 along = tribo_mat3_mul_vec(b->X.R, edge);
    const TriboVec3 way = tribo_vec3_madd(s->normal, -tribo_vec3_dot(s->normal, along), along);
    s->normal = tribo_vec3_normalize_or(way, s->normal);
    return;
  }
  // Close to the face its own normal has more digits than the way to it.
  const double height = tribo_vec3_dot(n, tribo_vec3_sub(p, t[0]));
  s->normal = tribo_mat3_mul_vec(b->X.R, tribo_vec3_scale(height >= 0 ? -1 : 1, n));
  s->distance = fabs(height);
}

static void point_box(const TriboConvex* a, const TriboConvex* b, TriboSeparation* s) {
  const TriboVec3 p = tribo_transform_inverse_point(b->X, a->X.p), h = b->half;
  const TriboVec3 q =
      tribo_vec3(clamp(p.x, -h.x, h.x), clamp(p.y, -h.y, h.y), clamp(p.z, -h.z, h.z));
  const TriboVec3 v = tribo_vec3_sub(q, p);
  const double norm = tribo_vec3_norm(v);
  if (norm > 1e-150) {
    s->normal = tribo_mat3_mul_vec(b->X.R, tribo_vec3_scale(1 / norm, v));
    s->distance = norm;
    s->has_points = true;
    s->point_a = a->X.p;
    s->point_b = tribo_transform_point(b->X, q);
    return;
  }
  const double room[3] = {h.x - fabs(p.x), h.y - fabs(p.y), h.z - fabs(p.z)};
  // Across z first, as boxes do (box_box.c).
  int axis = 2;
  const double prefer = kPrefer * b->size;
  if (room[0] < room[axis] - prefer) axis = 0;
  if (room[1] < room[axis] - prefer) axis = 1;
  const double x = tribo_vec3_get(p, axis), side = x >= -prefer ? 1 : -1;
  double outward[3] = {0, 0, 0};
  outward[axis] = side;
  const double depth = tribo_vec3_get(h, axis) - side * x;
  const TriboVec3 out = tribo_vec3_from(outward);
  from_inside(a, b, out, depth, tribo_vec3_madd(p, depth, out), s);
}

static void point_cylinder(const TriboConvex* a, const TriboConvex* b, TriboSeparation* s) {
  const TriboVec3 p = tribo_transform_inverse_point(b->X, a->X.p);
  const double r = b->half.x, h = b->half.z, rho = sqrt(p.x * p.x + p.y * p.y);
  const double shrink = rho > r ? r / rho : 1;
  const TriboVec3 q = tribo_vec3(p.x * shrink, p.y * shrink, clamp(p.z, -h, h));
  const TriboVec3 v = tribo_vec3_sub(q, p);
  const double norm = tribo_vec3_norm(v);
  if (norm > kCoincident * b->size) {
    from_points(a->X.p, tribo_transform_point(b->X, q), 0, tribo_vec3(0, 0, 1), s);
    s->normal = tribo_mat3_mul_vec(b->X.R, tribo_vec3_scale(1 / norm, v));
    s->distance = norm;
    return;
  }
  const double prefer = kPrefer * b->size;
  if (r - rho < h - fabs(p.z) - prefer) {
    const TriboVec3 out = rho > prefer ? tribo_vec3(p.x / rho, p.y / rho, 0) : tribo_vec3(1, 0, 0);
    const double depth = r - (out.x * p.x + out.y * p.y);
    from_inside(a, b, out, depth, tribo_vec3_madd(p, depth, out), s);
  } else {
    const double side = p.z >= -prefer ? 1 : -1, depth = h - side * p.z;
    const TriboVec3 out = tribo_vec3(0, 0, side);
    from_inside(a, b, out, depth, tribo_vec3_madd(p, depth, out), s);
  }
}

// The closest point q of an ellipsoid with semi-axes h to a point p, both in the octant x, y, z >=
// 0: q_i = h_i^2 p_i / (t + h_i^2) with the root t > -min h^2 of sum (h_i p_i / (t + h_i^2))^2 = 1,
// which falls in t. Where p is so near the middle of the thinnest axis that there is no such root,
// t is at its lower end and q takes up the rest along that axis.
static TriboVec3 ellipsoid_foot(TriboVec3 h, TriboVec3 p) {
  const double e[3] = {h.x, h.y, h.z}, y[3] = {p.x, p.y, p.z};
  const int thin = e[0] <= e[1] ? (e[0] <= e[2] ? 0 : 2) : (e[1] <= e[2] ? 1 : 2);
  const double m = e[thin];
  // In units of the thinnest: t = m^2 (u - 1), u > 0, z_i = p_i / e_i, r_i = (e_i / m)^2 - 1.
  double z[3], r[3], sum = 0;
  for (int i = 0; i < 3; ++i) {
    z[i] = y[i] / e[i];
    r[i] = i == thin ? 0 : (e[i] / m - 1) * (e[i] / m + 1);
    sum += (e[i] / m) * (e[i] / m) * z[i] * z[i];
  }
  // F(u) = sum ((e_i / m)^2 z_i / (u + r_i))^2 - 1 ... written with k_i = (r_i + 1) z_i.
  double low = z[thin], high = sqrt((r[0] + 1) * sum + (r[1] + 1) * sum + (r[2] + 1) * sum);
  double u = low;
  for (int step = 0; step < ROOT_STEPS; ++step) {
    u = 0.5 * (low + high);
    if (u <= low || u >= high) break;
    double f = -1;
    for (int i = 0; i < 3; ++i) {
      const double x = (r[i] + 1) * z[i] / (u + r[i]);
      f += x * x;
    }
    if (f > 0) {
      low = u;
    } else {
      high = u;
    }
  }
  u = high;
  double q[3], rest = 1;
  for (int i = 0; i < 3; ++i) {
    const double x = u + r[i] > 0 ? (r[i] + 1) * z[i] / (u + r[i]) : 0;
    q[i] = e[i] * x;
    if (i != thin) rest -= x * x;
  }
  // The thinnest coordinate from the surface itself: exact also where u is 0.
  q[thin] = e[thin] * sqrt(fmax(0, rest));
  if (z[thin] > 0 && u > 1e-6) q[thin] = e[thin] * z[thin] / u;
  return tribo_vec3_from(q);
}

static void point_ellipsoid(const TriboConvex* a, const TriboConvex* b, TriboSeparation* s) {
  const TriboVec3 p = tribo_transform_inverse_point(b->X, a->X.p), h = b->half;
  TriboVec3 q = ellipsoid_foot(h, tribo_vec3(fabs(p.x), fabs(p.y), fabs(p.z)));
  q = tribo_vec3(copysign(q.x, p.x), copysign(q.y, p.y), copysign(q.z, p.z));
  // The outward normal at q is the gradient of sum (x_i / h_i)^2.
  const TriboVec3 gradient = tribo_vec3(q.x / h.x * (b->size / h.x), q.y / h.y * (b->size / h.y),
                                        q.z / h.z * (b->size / h.z));
  const TriboVec3 out = tribo_vec3_normalize_or(gradient, tribo_vec3(0, 0, 1));
  // p = q + distance out, so that the sign comes for free.
  from_inside(a, b, out, -tribo_vec3_dot(out, tribo_vec3_sub(p, q)), q, s);
}

bool tribo_closed_form(const TriboConvex* a, const TriboConvex* b, TriboSeparation* separation) {
  if (a->kind == TRIBO_CONVEX_SEGMENT && b->kind == TRIBO_CONVEX_SEGMENT) {
    segment_segment(a, b, separation);
    return true;
  }
  if (a->kind != TRIBO_CONVEX_POINT) return false;
  switch (b->kind) {
    case TRIBO_CONVEX_POINT:
      from_points(a->X.p, b->X.p, 0, tribo_vec3(0, 0, 1), separation);
      return true;
    case TRIBO_CONVEX_SEGMENT:
      point_segment(a, b, separation);
      return true;
    case TRIBO_CONVEX_TRIANGLE:
      point_triangle(a, b, separation);
      return true;
    case TRIBO_CONVEX_BOX:
      point_box(a, b, separation);
      return true;
    case TRIBO_CONVEX_CYLINDER:
      point_cylinder(a, b, separation);
      return true;
    case TRIBO_CONVEX_ELLIPSOID:
      point_ellipsoid(a, b, separation);
      return true;
    case TRIBO_CONVEX_HULL:
      break;
  }
  return false;
}
