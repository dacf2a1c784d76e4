// SPDX-License-Identifier: Apache-2.0
//
// The distance shown by a unit vector d is f(d) = d . w(d), w the lowest point of B - A along d.
// On the sphere, with tangents T at d,
//
//   gradient  T' w          Hessian  -T' (Ha + Hb) T - f
//
// where H holds the radii of curvature of a core at its support point: zero at a corner, one radius
// along the rim of a cylinder, two for an ellipsoid. Newton's method on that converges in a few
// steps. Kinks of f are edges and faces of polyhedra, and the flanks of cylinders: there d stays at
// right angles to them, so that one or no degree of freedom is left.
#include "collision/polish.h"

#include <math.h>
#include <stdbool.h>

#include "collision/hull.h"
#include "engine/base/rotation.h"

enum { NEWTON_STEPS = 20, HALVINGS = 8 };
// A step of this angle changes nothing any more.
static const double kConverged = 1e-13;
// Edges within this sine of being at right angles to the direction are tried as if they were.
static const double kLoose = 1e-4;
// Directions of edges are independent beyond this sine.
static const double kIndependent = 1e-9;

double tribo_distance_along(const TriboConvex* a, const TriboConvex* b, TriboVec3 d) {
  return tribo_vec3_dot(d, tribo_difference_support(a, b, d).w);
}

// What d must stay at right angles to: an orthonormal basis.
typedef struct Edges {
  int count;  // 3: contradictory, nothing is free
  TriboVec3 e[3];
} Edges;

static void add_edge(Edges* edges, TriboVec3 v, double size) {
  const double length = tribo_vec3_norm(v);
  if (edges->count == 3 || !(length > 1e-12 * size)) return;
  TriboVec3 u = tribo_vec3_scale(1 / length, v);
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < edges->count; ++i) {
      u = tribo_vec3_madd(u, -tribo_vec3_dot(u, edges->e[i]), edges->e[i]);
    }
    const double left = tribo_vec3_norm(u);
    if (!(left > kIndependent)) return;
    u = tribo_vec3_scale(1 / left, u);
  }
  edges->e[edges->count++] = u;
}

// p and q are support points of the core for nearly the same direction.
static void add_core_edge(const TriboConvex* c, TriboVec3 p, TriboVec3 q, Edges* edges) {
  if (c->kind == TRIBO_CONVEX_ELLIPSOID || c->kind == TRIBO_CONVEX_POINT) return;
  const TriboVec3 v = tribo_vec3_sub(q, p);
  if (c->kind == TRIBO_CONVEX_CYLINDER) {
    // From cap to cap: along the flank. On one rim: no edge, it is round.
    const TriboVec3 axis = tribo_mat3_column(c->X.R, 2);
    if (fabs(tribo_vec3_dot(v, axis)) > c->half.z) add_edge(edges, axis, 0);
    return;
  }
  add_edge(edges, v, c->size);
}

// Adds the radii of curvature of a core at the support point p of d to the quadratic form on the
// tangents t: H += T' R T.
static void add_curvature(const TriboConvex* c, TriboVec3 d, TriboVec3 p, const TriboVec3 t[2],
                          double H[3]) {
  if (c->kind == TRIBO_CONVEX_CYLINDER) {
    const TriboVec3 axis = tribo_mat3_column(c->X.R, 2);
    const TriboVec3 around = tribo_vec3_cross(axis, d);
    const double sine = tribo_vec3_norm(around);
    if (!(sine > 1e-9)) return;
    const double x = tribo_vec3_dot(around, t[0]) / sine, y = tribo_vec3_dot(around, t[1]) / sine;
    const double radius = c->half.x / sine;
    H[0] += radius * x * x;
    H[1] += radius * x * y;
    H[2] += radius * y * y;
  } else if (c->kind == TRIBO_CONVEX_ELLIPSOID) {
    // (A - p p') / h with A = R S^2 R', p relative to the centre, h = d . p.
    const TriboVec3 r = tribo_vec3_sub(p, c->X.p);
    const double h = fabs(tribo_vec3_dot(d, r));
    TriboVec3 s[2];
    double along[2];
    for (int i = 0; i < 2; ++i) {
      const TriboVec3 l = tribo_mat3_tmul_vec(c->X.R, t[i]);
      s[i] = tribo_vec3(c->half.x * l.x, c->half.y * l.y, c->half.z * l.z);
      along[i] = tribo_vec3_dot(t[i], r);
    }
    H[0] += (tribo_vec3_dot(s[0], s[0]) - along[0] * along[0]) / h;
    H[1] += (tribo_vec3_dot(s[0], s[1]) - along[0] * along[1]) / h;
    H[2] += (tribo_vec3_dot(s[1], s[1]) - along[1] * along[1]) / h;
  }
}

// The tangents at d along which it may turn: 2, 1 or 0.
static int free_tangents(const Edges* edges, TriboVec3 d, TriboVec3 t[2]) {
  t[1] = tribo_vec3_zero();
  if (edges->count == 0) {
    tribo_vec3_tangents(d, &t[0], &t[1]);
    return 2;
  }
  if (edges->count > 1) return 0;
  t[0] = tribo_vec3_normalize_or(tribo_vec3_cross(edges->e[0], d), tribo_vec3_zero());
  return 1;
}

// Newton's step in the free tangents; false where f has no maximum nearby or d is there.
static bool newton_step(const TriboConvex* a, const TriboConvex* b, const Edges* edges, TriboVec3 d,
                        TriboVec3* step) {
  TriboVec3 t[2];
  const int n = free_tangents(edges, d, t);
  if (n == 0) return false;
  const TriboDifferencePoint p = tribo_difference_support(a, b, d);
  const double f = tribo_vec3_dot(d, p.w);
  const double g[2] = {tribo_vec3_dot(t[0], p.w), tribo_vec3_dot(t[1], p.w)};
  double H[3] = {f, 0, f};
  add_curvature(a, d, p.a, t, H);
  add_curvature(b, d, p.b, t, H);
  if (n == 1) {
    if (!(H[0] > 0)) return false;
    *step = tribo_vec3_scale(g[0] / H[0], t[0]);
    return true;
  }
  const double det = H[0] * H[2] - H[1] * H[1];
  if (!(H[0] > 0 && det > 0)) return false;
  const double x = (g[0] * H[2] - g[1] * H[1]) / det, y = (H[0] * g[1] - H[1] * g[0]) / det;
  *step = tribo_vec3_add(tribo_vec3_scale(x, t[0]), tribo_vec3_scale(y, t[1]));
  return true;
}

// d made orthogonal to the edges.
static bool align(const Edges* edges, TriboVec3* d) {
  TriboVec3 u = *d;
  if (edges->count == 2) {
    u = tribo_vec3_cross(edges->e[0], edges->e[1]);
    if (tribo_vec3_dot(u, *d) < 0) u = tribo_vec3_neg(u);
  } else if (edges->count == 1) {
    u = tribo_vec3_madd(u, -tribo_vec3_dot(u, edges->e[0]), edges->e[0]);
  }
  const double norm = tribo_vec3_norm(u);
  if (!(norm > 0.1)) return false;
  *d = tribo_vec3_scale(1 / norm, u);
  return true;
}

// The edges of a core that are at right angles to d up to the sine `loose`.
static void add_loose_edges(const TriboConvex* c, TriboVec3 d, double loose, Edges* edges) {
  const TriboVec3 l = tribo_mat3_tmul_vec(c->X.R, d);
  if (c->kind == TRIBO_CONVEX_SEGMENT || c->kind == TRIBO_CONVEX_CYLINDER) {
    if (fabs(l.z) < loose) add_edge(edges, tribo_mat3_column(c->X.R, 2), 0);
  } else if (c->kind == TRIBO_CONVEX_BOX) {
    for (int i = 0; i < 3; ++i) {
      if (fabs(tribo_vec3_get(l, i)) < loose) add_edge(edges, tribo_mat3_column(c->X.R, i), 0);
    }
  } else if (c->kind == TRIBO_CONVEX_HULL) {
    const TriboHull* hull = c->hull;
    const int v = tribo_hull_support(hull, l);
    for (int k = hull->vertex_start[v]; k < hull->vertex_start[v + 1]; ++k) {
      const TriboVec3 e =
          tribo_vec3_sub(hull->vertices[hull->vertex_neighbors[k]], hull->vertices[v]);
      if (fabs(tribo_vec3_dot(l, e)) >= loose * tribo_vec3_norm(e)) continue;
      add_edge(edges, tribo_mat3_mul_vec(c->X.R, e), 0);
    }
  } else if (c->kind == TRIBO_CONVEX_TRIANGLE) {
    for (int k = 0; k < 3; ++k) {
      const TriboVec3 e = tribo_vec3_sub(c->triangle[(k + 1) % 3], c->triangle[k]);
      if (fabs(tribo_vec3_dot(l, e)) >= loose * tribo_vec3_norm(e)) continue;
      add_edge(edges, tribo_mat3_mul_vec(c->X.R, e), 0);
    }
  }
}

// Newton's method with d at right angles to the edges. *d changes where the answer is better than
// `start` by `gain`.
static double ascend(const TriboConvex* a, const TriboConvex* b, const Edges* edges, double start,
                     double gain, TriboVec3* d) {
  TriboVec3 u = *d;
  if (edges->count == 3 || !align(edges, &u)) return start;
  double f = tribo_distance_along(a, b, u);
  const double noise = 1e-15 * (a->size + b->size);
  for (int k = 0; k < NEWTON_STEPS; ++k) {
    TriboVec3 step;
    if (!newton_step(a, b, edges, u, &step)) break;
    const double angle = tribo_vec3_norm(step);
    // Far steps leave the region where the model holds.
    double scale = angle > 0.5 ? 0.5 / angle : 1;
    bool better = false;
    for (int h = 0; h < HALVINGS && !better; ++h, scale *= 0.5) {
      const TriboVec3 next =
          tribo_vec3_normalize_or(tribo_vec3_madd(u, scale, step), tribo_vec3(0, 0, 1));
      const double value = tribo_distance_along(a, b, next);
      better = value >= f - noise;
      if (!better) continue;
      u = next;
      f = value;
    }
    if (!better || angle < kConverged) break;
  }
  if (f < start + gain) return start;
  *d = u;
  return f;
}

double tribo_direction_polish(const TriboConvex* a, const TriboConvex* b,
                              const TriboDifferencePoint* points, int count, TriboVec3* d) {
  Edges edges = {0, {{0, 0, 0}}};
  for (int i = 1; i < count; ++i) {
    add_core_edge(a, points[0].a, points[i].a, &edges);
    add_core_edge(b, points[0].b, points[i].b, &edges);
  }
  // Rounding may cost a little; but edges that are only guessed must show what they are good for.
  const double noise = 1e-15 * (a->size + b->size);
  const double f = ascend(a, b, &edges, tribo_distance_along(a, b, *d), -noise, d);
  // Edges that the points missed, or that a small body shows and that do not matter: where many
  // directions are nearly alike, the points say little. Of both cores together, and of each alone.
  const TriboVec3 u = *d;
  Edges of_a = {0, {{0, 0, 0}}}, of_b = of_a;
  add_loose_edges(a, u, kLoose, &of_a);
  add_loose_edges(b, u, kLoose, &of_b);
  Edges both = of_a;
  add_loose_edges(b, u, kLoose, &both);
  double best = f;
  if (both.count != edges.count) best = ascend(a, b, &both, best, noise, d);
  if (of_a.count > 0 && of_b.count > 0) {
    best = ascend(a, b, &of_a, best, noise, d);
    best = ascend(a, b, &of_b, best, noise, d);
  }
  return best;
}
