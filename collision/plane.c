// SPDX-License-Identifier: Apache-2.0
#include "collision/plane.h"

#include <math.h>

#include "collision/feature.h"
#include "collision/hull.h"
#include "collision/manifold.h"
#include "engine/base/rotation.h"

// How many directions around the normal the extreme corners of a large hull are looked for in.
enum { HULL_DIRECTIONS = 32 };

// A point p of the core, `height` above the plane.
static TriboContact make_contact(const TriboHalfSpace* plane, double radius, TriboVec3 p,
                                 double height, uint32_t name) {
  TriboContact contact;
  contact.shape0 = contact.shape1 = -1;
  contact.normal = plane->normal;
  contact.gap = height - radius;
  // Midway between the plane and the lowest point of the rounding.
  contact.point = tribo_vec3_madd(p, -0.5 * (height + radius), plane->normal);
  contact.feature = tribo_feature_pair(tribo_feature(TRIBO_FEATURE_FACE, 0), name);
  return contact;
}

static double height_of(const TriboHalfSpace* plane, TriboVec3 p) {
  return tribo_vec3_dot(plane->normal, p) - plane->offset;
}

// The points of a feature that are near enough.
static int feature_contacts(const TriboHalfSpace* plane, const TriboSupportFeature* feature,
                            double margin, TriboContact* contacts) {
  int count = 0;
  for (int i = 0; i < feature->count && count < TRIBO_CONTACTS_PER_PAIR; ++i) {
    const TriboVec3 p = i == feature->round_end ? feature->round_point : feature->point[i];
    const double height = height_of(plane, p);
    if (height - feature->radius > margin) continue;
    contacts[count++] = make_contact(plane, feature->radius, p, height, feature->vertex[i]);
  }
  return count;
}

// All corners of a box may be near, so there are never too many.
static int box_contacts(const TriboHalfSpace* plane, const TriboConvex* box, double margin,
                        TriboContact* contacts) {
  const TriboVec3 x = tribo_vec3_scale(box->half.x, tribo_mat3_column(box->X.R, 0));
  const TriboVec3 y = tribo_vec3_scale(box->half.y, tribo_mat3_column(box->X.R, 1));
  const TriboVec3 z = tribo_vec3_scale(box->half.z, tribo_mat3_column(box->X.R, 2));
  const double hx = tribo_vec3_dot(plane->normal, x), hy = tribo_vec3_dot(plane->normal, y);
  const double hz = tribo_vec3_dot(plane->normal, z), h0 = height_of(plane, box->X.p);
  if (h0 - (fabs(hx) + fabs(hy) + fabs(hz)) - box->radius > margin) return 0;
  int count = 0;
  for (int v = 0; v < 8; ++v) {
    const double sx = v & 1 ? 1 : -1, sy = v & 2 ? 1 : -1, sz = v & 4 ? 1 : -1;
    const double height = h0 + sx * hx + sy * hy + sz * hz;
    if (height - box->radius > margin) continue;
    const TriboVec3 p =
        tribo_vec3_madd(tribo_vec3_madd(tribo_vec3_madd(box->X.p, sx, x), sy, y), sz, z);
    contacts[count++] =
        make_contact(plane, box->radius, p, height, tribo_feature(TRIBO_FEATURE_VERTEX, v));
  }
  return count;
}

static TriboContact hull_corner(const TriboHalfSpace* plane, const TriboConvex* body, int v) {
  const TriboVec3 p = tribo_transform_point(body->X, body->hull->vertices[v]);
  return make_contact(plane, body->radius, p, height_of(plane, p),
                      tribo_feature(TRIBO_FEATURE_VERTEX, v));
}

// More corners are near than a pair may give: those farthest out in evenly spread directions go
// around the polygon of all of them, and the lowest one stays. Height counts against a corner: the
// body may turn by margin / size before the corners are looked for again, and those that come down
// first are then the farthest out less height size / margin. A face that lies flat has no heights.
static int large_hull_contacts(const TriboHalfSpace* plane, const TriboConvex* body, double margin,
                               TriboContact* contacts) {
  const TriboHull* hull = body->hull;
  const TriboVec3 l = tribo_mat3_tmul_vec(body->X.R, plane->normal);
  const double base = height_of(plane, body->X.p) - body->radius;
  TriboVec3 t1, t2;
  tribo_vec3_tangents(l, &t1, &t2);
  // cos and sin of 2 pi / 32, turned step by step.
  const double c = 0.98078528040323043, s = 0.19509032201612825;
  const double against = margin > 0 ? body->size / margin : 0;
  TriboContact around[HULL_DIRECTIONS + 1];
  int chosen[HULL_DIRECTIONS] = {0};
  int count = 0, lowest = -1;
  double lowest_height = INFINITY, x = 1, y = 0;
  for (int k = 0; k < HULL_DIRECTIONS; ++k) {
    const TriboVec3 d = tribo_vec3_add(tribo_vec3_scale(x, t1), tribo_vec3_scale(y, t2));
    int best = -1;
    double reach = -INFINITY;
    for (int v = 0; v < hull->nv; ++v) {
      const double height = base + tribo_vec3_dot(l, hull->vertices[v]);
      if (height > margin) continue;
      if (height < lowest_height) {
        lowest_height = height;
        lowest = v;
      }
      const double out = tribo_vec3_dot(d, hull->vertices[v]) - against * height;
      if (out > reach) {
        reach = out;
        best = v;
      }
    }
    bool known = false;
    for (int i = 0; i < count; ++i) known = known || chosen[i] == best;
    if (!known) {
      chosen[count] = best;
      around[count++] = hull_corner(plane, body, best);
    }
    const double turned = c * x - s * y;
    y = s * x + c * y;
    x = turned;
  }
  count = tribo_manifold_reduce(around, count);
  int highest = 0;
  bool has_lowest = false;
  for (int i = 0; i < count; ++i) {
    has_lowest = has_lowest || around[i].gap <= lowest_height + 1e-9 * body->size;
    if (around[i].gap > around[highest].gap) highest = i;
  }
  if (!has_lowest) {
    around[count < TRIBO_CONTACTS_PER_PAIR ? count++ : highest] = hull_corner(plane, body, lowest);
  }
  for (int i = 0; i < count; ++i) contacts[i] = around[i];
  return count;
}

static int hull_contacts(const TriboHalfSpace* plane, const TriboConvex* body, double margin,
                         TriboContact* contacts) {
  const TriboHull* hull = body->hull;
  const TriboVec3 l = tribo_mat3_tmul_vec(body->X.R, plane->normal);
  const double base = height_of(plane, body->X.p) - body->radius;
  int count = 0;
  for (int v = 0; v < hull->nv; ++v) {
    if (base + tribo_vec3_dot(l, hull->vertices[v]) > margin) continue;
    if (count == TRIBO_CONTACTS_PER_PAIR) {
      return large_hull_contacts(plane, body, margin, contacts);
    }
    contacts[count++] = hull_corner(plane, body, v);
  }
  return count;
}

int tribo_plane_sphere(const TriboHalfSpace* plane, TriboVec3 center, double radius, double margin,
                       TriboContact* contact) {
  const double height = height_of(plane, center);
  if (height - radius > margin) return 0;
  *contact = make_contact(plane, radius, center, height, tribo_feature(TRIBO_FEATURE_SMOOTH, 0));
  return 1;
}

int tribo_plane_contacts(const TriboHalfSpace* plane, const TriboConvex* body, double margin,
                         TriboContact contacts[TRIBO_CONTACTS_PER_PAIR]) {
  if (body->kind == TRIBO_CONVEX_POINT) {
    return tribo_plane_sphere(plane, body->X.p, body->radius, margin, contacts);
  }
  if (body->kind == TRIBO_CONVEX_BOX) return box_contacts(plane, body, margin, contacts);
  if (body->kind == TRIBO_CONVEX_HULL) return hull_contacts(plane, body, margin, contacts);
  TriboSupportFeature feature;
  tribo_convex_face(body, tribo_vec3_neg(plane->normal), &feature);
  return feature_contacts(plane, &feature, margin, contacts);
}
