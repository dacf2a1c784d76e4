// SPDX-License-Identifier: Apache-2.0
#include "collision/convex.h"

#include <math.h>

#include "collision/hull.h"
#include "engine/base/rotation.h"

void tribo_convex_set(TriboConvex* convex, const TriboShape* shape, const TriboTransform* X_WS,
                      TriboVec3 origin) {
  convex->kind = TRIBO_CONVEX_BOX;
  convex->X.R = X_WS->R;
  convex->X.p = tribo_vec3_sub(X_WS->p, origin);
  convex->half = shape->half;
  convex->radius = 0;
  convex->hull = NULL;
  convex->feature_base = 0;
  switch (shape->type) {
    case TRIBO_SHAPE_SPHERE:
      convex->kind = TRIBO_CONVEX_POINT;
      convex->half = tribo_vec3_zero();
      convex->radius = shape->radius;
      break;
    case TRIBO_SHAPE_CAPSULE:
      convex->kind = shape->half_length > 0 ? TRIBO_CONVEX_SEGMENT : TRIBO_CONVEX_POINT;
      convex->half = tribo_vec3(0, 0, shape->half_length);
      convex->radius = shape->radius;
      break;
    case TRIBO_SHAPE_CYLINDER:
      convex->kind = TRIBO_CONVEX_CYLINDER;
      break;
    case TRIBO_SHAPE_ELLIPSOID:
      convex->kind = TRIBO_CONVEX_ELLIPSOID;
      break;
    case TRIBO_SHAPE_HULL:
      convex->kind = TRIBO_CONVEX_HULL;
      convex->hull = shape->hull;
      break;
    default:
      break;
  }
  convex->size = tribo_vec3_norm(convex->half);
}

TriboConvex tribo_convex_from_shape(const TriboShape* shape, const TriboTransform* X_WS) {
  TriboConvex convex = {0};
  tribo_convex_set(&convex, shape, X_WS, tribo_vec3_zero());
  return convex;
}

TriboConvex tribo_convex_triangle(TriboVec3 a, TriboVec3 b, TriboVec3 c, int feature_base) {
  TriboConvex convex = {.kind = TRIBO_CONVEX_TRIANGLE, .X = tribo_transform_identity()};
  convex.triangle[0] = a;
  convex.triangle[1] = b;
  convex.triangle[2] = c;
  convex.size = 0.5 * sqrt(fmax(fmax(tribo_vec3_norm2(tribo_vec3_sub(b, a)),
                                     tribo_vec3_norm2(tribo_vec3_sub(c, b))),
                                tribo_vec3_norm2(tribo_vec3_sub(a, c))));
  convex.feature_base = feature_base;
  return convex;
}

TriboVec3 tribo_convex_triangle_normal(const TriboConvex* c) {
  const TriboVec3* t = c->triangle;
  const TriboVec3 n = tribo_vec3_cross(tribo_vec3_sub(t[1], t[0]), tribo_vec3_sub(t[2], t[0]));
  return tribo_mat3_mul_vec(c->X.R, tribo_vec3_normalize_or(n, tribo_vec3(0, 0, 1)));
}

// The corner of a hull farthest along d, by walking uphill along edges: on a convex polyhedron a
// corner that no neighbour beats is the farthest. Each step gains height, so the walk ends.
int tribo_hull_support(const TriboHull* hull, TriboVec3 d) {
  // Few corners: looking at all of them is quicker than walking.
  if (hull->nv <= 32) {
    int best = 0;
    double height = tribo_vec3_dot(d, hull->vertices[0]);
    for (int i = 1; i < hull->nv; ++i) {
      const double h = tribo_vec3_dot(d, hull->vertices[i]);
      if (h > height) {
        height = h;
        best = i;
      }
    }
    return best;
  }
  int best = 0;
  double height = tribo_vec3_dot(d, hull->vertices[0]);
  for (bool climbed = true; climbed;) {
    climbed = false;
    const int from = best;
    for (int k = hull->vertex_start[from]; k < hull->vertex_start[from + 1]; ++k) {
      const double h = tribo_vec3_dot(d, hull->vertices[hull->vertex_neighbors[k]]);
      if (h > height) {
        height = h;
        best = hull->vertex_neighbors[k];
        climbed = true;
      }
    }
  }
  return best;
}

static TriboVec3 triangle_support(const TriboVec3 corner[3], TriboVec3 d) {
  const double h0 = tribo_vec3_dot(d, corner[0]);
  const double h1 = tribo_vec3_dot(d, corner[1]);
  const double h2 = tribo_vec3_dot(d, corner[2]);
  return corner[h0 >= h1 ? (h0 >= h2 ? 0 : 2) : (h1 >= h2 ? 1 : 2)];
}

TriboVec3 tribo_convex_support(const TriboConvex* convex, TriboVec3 d) {
  const TriboVec3 l = tribo_mat3_tmul_vec(convex->X.R, d);
  const TriboVec3 h = convex->half;
  TriboVec3 p = tribo_vec3_zero();
  switch (convex->kind) {
    case TRIBO_CONVEX_POINT:
      return convex->X.p;
    case TRIBO_CONVEX_SEGMENT:
      p.z = l.z >= 0 ? h.z : -h.z;
      break;
    case TRIBO_CONVEX_TRIANGLE:
      p = triangle_support(convex->triangle, l);
      break;
    case TRIBO_CONVEX_BOX:
      p = tribo_vec3(l.x >= 0 ? h.x : -h.x, l.y >= 0 ? h.y : -h.y, l.z >= 0 ? h.z : -h.z);
      break;
    case TRIBO_CONVEX_CYLINDER: {
      const double r = sqrt(l.x * l.x + l.y * l.y);
      p = r > 0 ? tribo_vec3(h.x * l.x / r, h.x * l.y / r, 0) : tribo_vec3(h.x, 0, 0);
      p.z = l.z >= 0 ? h.z : -h.z;
      break;
    }
    case TRIBO_CONVEX_ELLIPSOID: {
      const TriboVec3 scaled = tribo_vec3(h.x * l.x, h.y * l.y, h.z * l.z);
      const double r = tribo_vec3_norm(scaled);
      p = r > 0 ? tribo_vec3(h.x * scaled.x / r, h.y * scaled.y / r, h.z * scaled.z / r)
                : tribo_vec3(0, 0, h.z);
      break;
    }
    case TRIBO_CONVEX_HULL:
      p = convex->hull->vertices[tribo_hull_support(convex->hull, l)];
      break;
  }
  return tribo_transform_point(convex->X, p);
}

TriboVec3 tribo_convex_center(const TriboConvex* convex) {
  if (convex->kind == TRIBO_CONVEX_HULL) {
    return tribo_transform_point(convex->X, convex->hull->center);
  }
  if (convex->kind == TRIBO_CONVEX_TRIANGLE) {
    const TriboVec3* t = convex->triangle;
    return tribo_transform_point(
        convex->X, tribo_vec3_scale(1.0 / 3, tribo_vec3_add(t[0], tribo_vec3_add(t[1], t[2]))));
  }
  return convex->X.p;
}
