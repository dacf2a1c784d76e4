// SPDX-License-Identifier: Apache-2.0
#include "collision/feature.h"

#include <math.h>

#include "collision/hull.h"
#include "engine/base/rotation.h"

// An edge or face counts as being at right angles to a direction up to this sine.
static const double kRight = 1e-6;
// A face must look along the direction by more than this to replace one with a smaller number, so
// that rounding does not choose between equals.
static const double kPreferFirst = 1e-9;
// The cap of a cylinder turns its octagon with the tilt beyond this sine of the tilt.
static const double kStraight = 1e-9;
// Beyond this cosine between its axis and the direction, a cylinder shows a cap and not its side.
static const double kCap = 0.70710678118654757;
// Below this sine between its axis and the direction, a capsule shows a round end alone.
static const double kFlank = 0.3;

enum { CAP_CORNERS = 8, SIDE_NAME = 0 };

static void set_point(TriboSupportFeature* f, TriboVec3 p, uint32_t name) {
  f->count = 1;
  f->point[0] = p;
  f->vertex[0] = name;
  f->name = name;
}

static void set_edge(TriboSupportFeature* f, TriboVec3 p, uint32_t p_name, TriboVec3 q,
                     uint32_t q_name, uint32_t name) {
  f->count = 2;
  f->point[0] = p;
  f->vertex[0] = p_name;
  f->point[1] = q;
  f->vertex[1] = q_name;
  f->edge[0] = f->edge[1] = f->name = name;
}

static TriboVec3 rotate(const TriboConvex* c, TriboVec3 v) { return tribo_mat3_mul_vec(c->X.R, v); }

// ---- segment

static void segment_edge(const TriboConvex* c, TriboSupportFeature* f) {
  const TriboVec3 axis = tribo_vec3_scale(c->half.z, tribo_mat3_column(c->X.R, 2));
  set_edge(f, tribo_vec3_sub(c->X.p, axis), tribo_feature(TRIBO_FEATURE_VERTEX, 0),
           tribo_vec3_add(c->X.p, axis), tribo_feature(TRIBO_FEATURE_VERTEX, 1),
           tribo_feature(TRIBO_FEATURE_EDGE, 0));
}

// The line of the surface that faces d, or one round end where the segment stands up along d.
static void segment_flank(const TriboConvex* c, TriboVec3 d, double lz, TriboSupportFeature* f) {
  segment_edge(c, f);
  f->alignment = sqrt(fmax(0, 1 - lz * lz));
  const int end = lz > 0;
  if (c->radius == 0) return;
  if (f->alignment < kFlank) {
    set_point(f, f->point[end], f->vertex[end]);
    return;
  }
  const TriboVec3 out = tribo_vec3_madd(d, -lz, tribo_mat3_column(c->X.R, 2));
  const TriboVec3 shift = tribo_vec3_scale(c->radius / f->alignment, out);
  f->round_end = end;
  f->round_point = tribo_vec3_madd(f->point[end], c->radius, d);
  f->point[0] = tribo_vec3_add(f->point[0], shift);
  f->point[1] = tribo_vec3_add(f->point[1], shift);
  f->radius = 0;
}

static void segment_sharp(const TriboConvex* c, double lz, TriboSupportFeature* f) {
  segment_edge(c, f);
  if (fabs(lz) <= kRight) return;
  const int end = lz > 0;
  set_point(f, f->point[end], f->vertex[end]);
}

// ---- box

static uint32_t box_vertex_name(const int sign[3]) {
  return tribo_feature(TRIBO_FEATURE_VERTEX, sign[0] + 2 * sign[1] + 4 * sign[2]);
}

static TriboVec3 box_vertex(const TriboConvex* c, const int sign[3]) {
  return tribo_transform_point(
      c->X, tribo_vec3(sign[0] ? c->half.x : -c->half.x, sign[1] ? c->half.y : -c->half.y,
                       sign[2] ? c->half.z : -c->half.z));
}

// The edge along `axis`, with the signs of the other two axes.
static uint32_t box_edge_name(int axis, const int sign[3]) {
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  return tribo_feature(TRIBO_FEATURE_EDGE, 4 * axis + sign[j] + 2 * sign[k]);
}

// The face on side `side` of `axis`, its corners in the order (-,-) (+,-) (+,+) (-,+) of (u, v),
// where u and v are the next two axes, u turned around on the negative side so that they go
// counterclockwise. Edge k leaves corner k: u, v, u, v.
static void box_face(const TriboConvex* c, int axis, int side, TriboSupportFeature* f) {
  const int u = axis == 2 ? 0 : axis + 1, v = u == 2 ? 0 : u + 1;
  const double s = side ? 1 : -1;
  const double half[3] = {c->half.x, c->half.y, c->half.z};
  f->count = 4;
  f->normal = tribo_vec3_scale(s, tribo_mat3_column(c->X.R, axis));
  f->name = tribo_feature(TRIBO_FEATURE_FACE, 2 * axis + side);
  const TriboVec3 center = tribo_vec3_madd(c->X.p, half[axis], f->normal);
  const TriboVec3 du = tribo_vec3_scale(s * half[u], tribo_mat3_column(c->X.R, u));
  const TriboVec3 dv = tribo_vec3_scale(half[v], tribo_mat3_column(c->X.R, v));
  const TriboVec3 low = tribo_vec3_sub(center, dv), high = tribo_vec3_add(center, dv);
  f->point[0] = tribo_vec3_sub(low, du);
  f->point[1] = tribo_vec3_add(low, du);
  f->point[2] = tribo_vec3_add(high, du);
  f->point[3] = tribo_vec3_sub(high, du);
  // Bits of the corner numbers, and the numbers of the edges as feature.h has them.
  const int on_axis = side << axis, u_first = (!side) << u, u_last = side << u, v_last = 1 << v;
  f->vertex[0] = tribo_feature(TRIBO_FEATURE_VERTEX, on_axis + u_first);
  f->vertex[1] = tribo_feature(TRIBO_FEATURE_VERTEX, on_axis + u_last);
  f->vertex[2] = tribo_feature(TRIBO_FEATURE_VERTEX, on_axis + u_last + v_last);
  f->vertex[3] = tribo_feature(TRIBO_FEATURE_VERTEX, on_axis + u_first + v_last);
  f->edge[0] = tribo_feature(TRIBO_FEATURE_EDGE, 4 * u + 2 * side);
  f->edge[1] = tribo_feature(TRIBO_FEATURE_EDGE, 4 * v + side + 2 * side);
  f->edge[2] = tribo_feature(TRIBO_FEATURE_EDGE, 4 * u + 1 + 2 * side);
  f->edge[3] = tribo_feature(TRIBO_FEATURE_EDGE, 4 * v + side + 2 * !side);
}

static void box_best_face(const TriboConvex* c, TriboVec3 l, TriboSupportFeature* f) {
  const double a[3] = {fabs(l.x), fabs(l.y), fabs(l.z)};
  int axis = 0;
  if (a[1] > a[axis] + kPreferFirst) axis = 1;
  if (a[2] > a[axis] + kPreferFirst) axis = 2;
  box_face(c, axis, tribo_vec3_get(l, axis) >= 0, f);
  f->alignment = a[axis];
}

static void box_sharp(const TriboConvex* c, TriboVec3 l, TriboSupportFeature* f) {
  const double d[3] = {l.x, l.y, l.z};
  int sign[3], free_axes = 0, axis = -1;
  for (int i = 0; i < 3; ++i) {
    sign[i] = d[i] >= 0;
    if (fabs(d[i]) <= kRight) {
      ++free_axes;
      axis = i;
    }
  }
  if (free_axes >= 2) {
    box_best_face(c, l, f);
  } else if (free_axes == 1) {
    sign[axis] = 0;
    const TriboVec3 p = box_vertex(c, sign);
    const uint32_t p_name = box_vertex_name(sign), name = box_edge_name(axis, sign);
    sign[axis] = 1;
    set_edge(f, p, p_name, box_vertex(c, sign), box_vertex_name(sign), name);
  } else {
    set_point(f, box_vertex(c, sign), box_vertex_name(sign));
  }
}

static uint32_t box_sharp_name(TriboVec3 l) {
  const double d[3] = {l.x, l.y, l.z};
  int sign[3], free_axes = 0, axis = 0, fixed = 0;
  for (int i = 0; i < 3; ++i) {
    sign[i] = d[i] >= 0;
    if (fabs(d[i]) <= kRight) {
      ++free_axes;
      axis = i;
    } else {
      fixed = i;
    }
  }
  if (free_axes >= 2) return tribo_feature(TRIBO_FEATURE_FACE, 2 * fixed + sign[fixed]);
  return free_axes == 1 ? box_edge_name(axis, sign) : box_vertex_name(sign);
}

// ---- triangle

static void triangle_face(const TriboConvex* c, TriboVec3 d, TriboSupportFeature* f) {
  const TriboVec3 normal = tribo_convex_triangle_normal(c);
  // Seen from behind, the corners run the other way around.
  const double facing = tribo_vec3_dot(normal, d);
  const int back = facing < 0;
  f->count = 3;
  f->normal = back ? tribo_vec3_neg(normal) : normal;
  f->alignment = fabs(facing);
  f->name = tribo_feature(TRIBO_FEATURE_FACE, c->feature_base);
  for (int k = 0; k < 3; ++k) {
    const int corner = back ? (3 - k) % 3 : k;
    f->point[k] = tribo_transform_point(c->X, c->triangle[corner]);
    f->vertex[k] = tribo_feature(TRIBO_FEATURE_VERTEX, c->feature_base + corner);
    f->edge[k] = tribo_feature(TRIBO_FEATURE_EDGE, c->feature_base + (back ? 2 - k : k));
  }
}

static void triangle_sharp(const TriboConvex* c, TriboVec3 l, TriboSupportFeature* f) {
  const TriboVec3* t = c->triangle;
  double h[3];
  for (int k = 0; k < 3; ++k) h[k] = tribo_vec3_dot(l, t[k]);
  const int top = h[0] >= h[1] ? (h[0] >= h[2] ? 0 : 2) : (h[1] >= h[2] ? 1 : 2);
  const int next = (top + 1) % 3, last = (top + 2) % 3;
  const int with_next = h[top] - h[next] <= kRight * tribo_vec3_distance(t[top], t[next]);
  const int with_last = h[top] - h[last] <= kRight * tribo_vec3_distance(t[top], t[last]);
  if (with_next && with_last) {
    triangle_face(c, rotate(c, l), f);
    return;
  }
  const int i = with_last ? last : top, j = (i + 1) % 3;
  const uint32_t vertex = tribo_feature(TRIBO_FEATURE_VERTEX, c->feature_base + i);
  const TriboVec3 p = tribo_transform_point(c->X, t[i]);
  if (with_next || with_last) {
    set_edge(f, p, vertex, tribo_transform_point(c->X, t[j]),
             tribo_feature(TRIBO_FEATURE_VERTEX, c->feature_base + j),
             tribo_feature(TRIBO_FEATURE_EDGE, c->feature_base + i));
  } else {
    set_point(f, p, vertex);
  }
}

// ---- cylinder

// The unit vector from the axis towards l, or x where l is along the axis.
static void radial(TriboVec3 l, double* x, double* y, double* sine) {
  *sine = sqrt(l.x * l.x + l.y * l.y);
  const int straight = *sine <= kStraight;
  *x = straight ? 1 : l.x / *sine;
  *y = straight ? 0 : l.y / *sine;
}

static void cylinder_cap(const TriboConvex* c, TriboVec3 l, TriboSupportFeature* f) {
  static const double kCos[CAP_CORNERS] = {1,  0.70710678118654757,  0, -0.70710678118654757,
                                           -1, -0.70710678118654757, 0, 0.70710678118654757};
  double x, y, sine;
  radial(l, &x, &y, &sine);
  const int cap = l.z >= 0;
  const double turn = cap ? 1 : -1;
  f->count = CAP_CORNERS;
  f->normal = tribo_vec3_scale(turn, tribo_mat3_column(c->X.R, 2));
  f->alignment = fabs(l.z);
  f->name = tribo_feature(TRIBO_FEATURE_FACE, cap);
  for (int k = 0; k < CAP_CORNERS; ++k) {
    const double cosine = kCos[k], s = turn * kCos[(k + 6) % CAP_CORNERS];
    f->point[k] =
        tribo_transform_point(c->X, tribo_vec3(c->half.x * (cosine * x - s * y),
                                               c->half.x * (s * x + cosine * y), turn * c->half.z));
    f->vertex[k] = tribo_feature(TRIBO_FEATURE_VERTEX, CAP_CORNERS * cap + k);
    f->edge[k] = tribo_feature(TRIBO_FEATURE_EDGE, 2 + CAP_CORNERS * cap + k);
  }
}

static void cylinder_side(const TriboConvex* c, TriboVec3 l, TriboSupportFeature* f) {
  double x, y, sine;
  radial(l, &x, &y, &sine);
  const TriboVec3 bottom = tribo_vec3(c->half.x * x, c->half.x * y, -c->half.z);
  const TriboVec3 top = tribo_vec3(bottom.x, bottom.y, c->half.z);
  set_edge(f, tribo_transform_point(c->X, bottom), tribo_feature(TRIBO_FEATURE_EDGE, 0),
           tribo_transform_point(c->X, top), tribo_feature(TRIBO_FEATURE_EDGE, 1),
           tribo_feature(TRIBO_FEATURE_SMOOTH, SIDE_NAME));
}

static void cylinder_sharp(const TriboConvex* c, TriboVec3 l, TriboSupportFeature* f) {
  if (sqrt(l.x * l.x + l.y * l.y) <= kRight) {
    cylinder_cap(c, l, f);
    return;
  }
  cylinder_side(c, l, f);
  if (fabs(l.z) > kRight) set_point(f, f->point[l.z > 0], f->vertex[l.z > 0]);
}

// ---- hull

static void hull_face(const TriboConvex* c, int face, TriboSupportFeature* f) {
  const TriboHull* hull = c->hull;
  const int start = hull->face_start[face], corners = hull->face_start[face + 1] - start;
  f->count = corners < TRIBO_FEATURE_POINTS ? corners : TRIBO_FEATURE_POINTS;
  f->normal = rotate(c, hull->face_normals[face]);
  f->name = tribo_feature(TRIBO_FEATURE_FACE, face);
  for (int k = 0; k < f->count; ++k) {
    // All corners, or as many as fit, evenly taken.
    const int entry = start + (int)((long long)k * corners / f->count);
    f->point[k] = tribo_transform_point(c->X, hull->vertices[hull->face_vertices[entry]]);
    f->vertex[k] = tribo_feature(TRIBO_FEATURE_VERTEX, hull->face_vertices[entry]);
    f->edge[k] = tribo_feature(TRIBO_FEATURE_EDGE, hull->face_edges[entry]);
  }
}

// The face that looks most along l among those at vertex v.
static int hull_best_face(const TriboHull* hull, int v, TriboVec3 l, double* alignment) {
  int best = -1;
  *alignment = -2;
  for (int k = hull->vertex_start[v]; k < hull->vertex_start[v + 1]; ++k) {
    for (int side = 0; side < 2; ++side) {
      const int face = hull->edge_faces[2 * hull->vertex_edges[k] + side];
      const double cosine = tribo_vec3_dot(hull->face_normals[face], l);
      const double lead = cosine - *alignment;
      if (lead > kPreferFirst || (lead > -kPreferFirst && face < best)) {
        best = face;
        *alignment = cosine;
      }
    }
  }
  return best;
}

static void hull_most_aligned(const TriboConvex* c, TriboVec3 l, TriboSupportFeature* f) {
  const int v = tribo_hull_support(c->hull, l);
  double alignment;
  hull_face(c, hull_best_face(c->hull, v, l, &alignment), f);
  f->alignment = alignment;
}

static void hull_sharp(const TriboConvex* c, TriboVec3 l, TriboSupportFeature* f) {
  const TriboHull* hull = c->hull;
  const int v = tribo_hull_support(hull, l);
  int level = 0, edge = -1;
  for (int k = hull->vertex_start[v]; k < hull->vertex_start[v + 1]; ++k) {
    const TriboVec3 along =
        tribo_vec3_sub(hull->vertices[v], hull->vertices[hull->vertex_neighbors[k]]);
    if (tribo_vec3_dot(l, along) > kRight * tribo_vec3_norm(along)) continue;
    if (++level == 1) edge = hull->vertex_edges[k];
  }
  if (level >= 2) {
    hull_most_aligned(c, l, f);
  } else if (level == 1) {
    const int p = hull->edge_vertices[2 * edge], q = hull->edge_vertices[2 * edge + 1];
    set_edge(f, tribo_transform_point(c->X, hull->vertices[p]),
             tribo_feature(TRIBO_FEATURE_VERTEX, p), tribo_transform_point(c->X, hull->vertices[q]),
             tribo_feature(TRIBO_FEATURE_VERTEX, q), tribo_feature(TRIBO_FEATURE_EDGE, edge));
  } else {
    set_point(f, tribo_transform_point(c->X, hull->vertices[v]),
              tribo_feature(TRIBO_FEATURE_VERTEX, v));
  }
}

// ----

void tribo_convex_face(const TriboConvex* c, TriboVec3 d, TriboSupportFeature* f) {
  const TriboVec3 l = tribo_mat3_tmul_vec(c->X.R, d);
  f->alignment = 0;
  f->radius = c->radius;
  f->round_end = -1;
  switch (c->kind) {
    case TRIBO_CONVEX_SEGMENT:
      segment_flank(c, d, l.z, f);
      return;
    case TRIBO_CONVEX_TRIANGLE:
      triangle_face(c, d, f);
      return;
    case TRIBO_CONVEX_BOX:
      box_best_face(c, l, f);
      return;
    case TRIBO_CONVEX_CYLINDER:
      if (fabs(l.z) >= kCap) {
        cylinder_cap(c, l, f);
      } else {
        cylinder_side(c, l, f);
        f->alignment = sqrt(1 - l.z * l.z);
      }
      return;
    case TRIBO_CONVEX_HULL:
      hull_most_aligned(c, l, f);
      return;
    case TRIBO_CONVEX_POINT:
    case TRIBO_CONVEX_ELLIPSOID:
      break;
  }
  set_point(f, tribo_convex_support(c, d), tribo_feature(TRIBO_FEATURE_SMOOTH, 0));
}

void tribo_convex_sharp(const TriboConvex* c, TriboVec3 d, TriboSupportFeature* f) {
  const TriboVec3 l = tribo_mat3_tmul_vec(c->X.R, d);
  f->alignment = 0;
  f->radius = c->radius;
  f->round_end = -1;
  switch (c->kind) {
    case TRIBO_CONVEX_SEGMENT:
      segment_sharp(c, l.z, f);
      return;
    case TRIBO_CONVEX_TRIANGLE:
      triangle_sharp(c, l, f);
      return;
    case TRIBO_CONVEX_BOX:
      box_sharp(c, l, f);
      return;
    case TRIBO_CONVEX_CYLINDER:
      cylinder_sharp(c, l, f);
      return;
    case TRIBO_CONVEX_HULL:
      hull_sharp(c, l, f);
      return;
    case TRIBO_CONVEX_POINT:
    case TRIBO_CONVEX_ELLIPSOID:
      break;
  }
  set_point(f, tribo_convex_support(c, d), tribo_feature(TRIBO_FEATURE_SMOOTH, 0));
}

uint32_t tribo_convex_sharp_name(const TriboConvex* c, TriboVec3 d) {
  if (c->kind == TRIBO_CONVEX_POINT || c->kind == TRIBO_CONVEX_ELLIPSOID) {
    return tribo_feature(TRIBO_FEATURE_SMOOTH, 0);
  }
  if (c->kind == TRIBO_CONVEX_BOX) return box_sharp_name(tribo_mat3_tmul_vec(c->X.R, d));
  TriboSupportFeature feature;
  tribo_convex_sharp(c, d, &feature);
  return feature.name;
}

bool tribo_feature_holds(const TriboSupportFeature* face, TriboVec3 p, TriboVec3 n,
                         double tolerance) {
  const double facing = tribo_vec3_dot(face->normal, n) >= 0 ? 1 : -1;
  for (int k = 0; k < face->count; ++k) {
    const TriboVec3 e =
        tribo_vec3_sub(face->point[k + 1 < face->count ? k + 1 : 0], face->point[k]);
    const TriboVec3 out = tribo_vec3_scale(facing, tribo_vec3_cross(e, n));
    const double height = tribo_vec3_dot(out, tribo_vec3_sub(p, face->point[k]));
    if (height > tolerance * tribo_vec3_norm(out)) return false;
  }
  return true;
}
