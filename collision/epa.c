// SPDX-License-Identifier: Apache-2.0
//
// The polytope is the hull of support points of B - A. A face with outward normal m at distance
// delta from the origin bounds the depth from below where it is the nearest; the support along m
// bounds it from above. The nearest face is split by that support point until both agree. Upper
// bounds of curved bodies are made tight at once by Newton's method (polish.h), from a guess where
// there is one, so that the polytope only has to rule out better directions elsewhere, not to
// become smooth itself. From then on only a face that shows more than the best is worth Newton's
// method. Polyhedra need it once, for the last digits of the face that ends the search.
//
// The origin need not be inside: where bodies just touch, distances are signed, and the face that
// excludes the origin most is the one to be split.
#include "collision/epa.h"

#include <math.h>

#include "collision/polish.h"
#include "collision/witness.h"
#include "engine/base/vec3.h"

enum { POINTS_MAX = 260, FACES_MAX = 2 * POINTS_MAX, EDGES_MAX = 128 };
// Where the polytope is full: from how many of its faces, and how many steps each.
enum { STARTS_MAX = 32, CLIMB_MAX = 8 };
// The bounds agree up to this part of the size: flat pieces, and curved ones after the polish.
static const double kAgree = 1e-12, kAgreeCurved = 1e-9;
// Newton's method starts from faces this near to the surface, as part of the size.
static const double kNear = 0.05;
// A point is outside a face beyond this part of the size.
static const double kVisible = 1e-13;

typedef struct Face {
  int v[3];
  bool alive;
  bool stuck;    // cannot be split any further
  TriboVec3 m;   // outward unit normal
  double delta;  // m . x on the face; infinite for a face without area
} Face;

typedef struct Polytope {
  int points, faces;
  TriboDifferencePoint point[POINTS_MAX];
  Face face[FACES_MAX];
} Polytope;

typedef struct Edge {
  int from, to;
} Edge;

// A face counterclockwise seen from outside, in a free slot at or after *slot.
static void add_face(Polytope* p, int i, int j, int k, int* slot) {
  while (*slot < p->faces && p->face[*slot].alive) ++*slot;
  if (*slot == p->faces) ++p->faces;
  Face* f = &p->face[*slot];
  const TriboVec3 a = p->point[i].w;
  const TriboVec3 e = tribo_vec3_sub(p->point[j].w, a), g = tribo_vec3_sub(p->point[k].w, a);
  const TriboVec3 n = tribo_vec3_cross(e, g);
  const double area = tribo_vec3_norm(n);
  const bool solid = area > 1e-14 * tribo_vec3_norm(e) * tribo_vec3_norm(g) && area > 1e-200;
  *f = (Face){{i, j, k}, true, false, tribo_vec3_zero(), INFINITY};
  if (solid) {
    f->m = tribo_vec3_scale(1 / area, n);
    f->delta = tribo_vec3_dot(f->m, a);
  }
}

// ---- the first tetrahedron

static double volume(const Polytope* p) {
  const TriboVec3 a = p->point[0].w;
  const TriboVec3 n =
      tribo_vec3_cross(tribo_vec3_sub(p->point[1].w, a), tribo_vec3_sub(p->point[2].w, a));
  return tribo_vec3_dot(n, tribo_vec3_sub(p->point[3].w, a));
}

// Of the supports along d and -d, the one that is farther from the first point along d.
static TriboDifferencePoint farther(const TriboConvex* a, const TriboConvex* b, TriboVec3 d,
                                    TriboVec3 from) {
  const TriboDifferencePoint p = tribo_difference_support(a, b, d);
  const TriboDifferencePoint q = tribo_difference_support(a, b, tribo_vec3_neg(d));
  const double hp = fabs(tribo_vec3_dot(d, tribo_vec3_sub(p.w, from)));
  const double hq = fabs(tribo_vec3_dot(d, tribo_vec3_sub(q.w, from)));
  return hq > hp ? q : p;
}

static bool first_tetrahedron(const TriboConvex* a, const TriboConvex* b,
                              const TriboSimplex* simplex, Polytope* p) {
  const double size = a->size + b->size;
  p->points = 4;
  p->faces = 0;
  for (int i = 0; i < simplex->count; ++i) p->point[i] = simplex->point[i];
  if (simplex->count < 4 || fabs(volume(p)) < 1e-6 * size * size * size) {
    // Afresh: along an axis, across that line, across that plane.
    const TriboVec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double longest = -1;
    for (int i = 0; i < 3; ++i) {
      const TriboDifferencePoint low = tribo_difference_support(a, b, axis[i]);
      const TriboDifferencePoint high = tribo_difference_support(a, b, tribo_vec3_neg(axis[i]));
      const double length = tribo_vec3_distance(low.w, high.w);
      if (!(length > longest * (1 + 1e-9))) continue;
      longest = length;
      p->point[0] = low;
      p->point[1] = high;
    }
    const TriboVec3 u = tribo_vec3_sub(p->point[1].w, p->point[0].w);
    if (!(longest > 0)) return false;
    TriboVec3 t1, t2;
    tribo_vec3_tangents(tribo_vec3_scale(1 / longest, u), &t1, &t2);
    const TriboDifferencePoint q1 = farther(a, b, t1, p->point[0].w);
    const TriboDifferencePoint q2 = farther(a, b, t2, p->point[0].w);
    const TriboVec3 n1 = tribo_vec3_cross(u, tribo_vec3_sub(q1.w, p->point[0].w));
    const TriboVec3 n2 = tribo_vec3_cross(u, tribo_vec3_sub(q2.w, p->point[0].w));
    const bool second = tribo_vec3_norm2(n2) > tribo_vec3_norm2(n1);
    p->point[2] = second ? q2 : q1;
    const TriboVec3 n = tribo_vec3_normalize_or(second ? n2 : n1, tribo_vec3_zero());
    p->point[3] = farther(a, b, n, p->point[0].w);
  }
  const double v = volume(p);
  if (!(fabs(v) > 0) || !isfinite(v)) return false;
  // Outward: the fourth point is behind face (0, 1, 2).
  static const int kFaces[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  int slot = 0;
  for (int f = 0; f < 4; ++f) {
    const int* i = kFaces[f];
    add_face(p, i[0], v < 0 ? i[1] : i[2], v < 0 ? i[2] : i[1], &slot);
  }
  return true;
}

// ---- growing

static bool share_edge(const Face* f, const Face* g) {
  int common = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) common += f->v[i] == g->v[j];
  }
  return common >= 2;
}

// The faces that see w and hang together with face `seed`, which does. Returns their number.
static int visible_faces(const Polytope* p, TriboVec3 w, int seed, double visible,
                         int seen[FACES_MAX]) {
  int others[FACES_MAX], other_count = 0, count = 0;
  for (int f = 0; f < p->faces; ++f) {
    const Face* face = &p->face[f];
    if (f == seed || !face->alive) continue;
    if (tribo_vec3_dot(face->m, w) - face->delta > visible) others[other_count++] = f;
  }
  seen[count++] = seed;
  for (int from = 0; from < count; ++from) {
    for (int k = 0; k < other_count;) {
      if (share_edge(&p->face[seen[from]], &p->face[others[k]])) {
        seen[count++] = others[k];
        others[k] = others[--other_count];
      } else {
        ++k;
      }
    }
  }
  return count;
}

// The edges around these faces. -1 where they do not form one loop: rounding.
static int horizon(const Polytope* p, const int* seen, int seen_count, Edge edge[EDGES_MAX]) {
  int count = 0;
  for (int s = 0; s < seen_count; ++s) {
    const Face* face = &p->face[seen[s]];
    for (int k = 0; k < 3; ++k) {
      const Edge e = {face->v[k], face->v[(k + 1) % 3]};
      // An edge seen from both sides goes.
      int twin = 0;
      while (twin < count && !(edge[twin].from == e.to && edge[twin].to == e.from)) ++twin;
      if (twin < count) {
        edge[twin] = edge[--count];
      } else {
        if (count == EDGES_MAX) return -1;
        edge[count++] = e;
      }
    }
  }
  // One loop: following the edges from the first comes back after all of them.
  int at = 0;
  for (int step = 1; step <= count; ++step) {
    int next = -1;
    for (int k = 0; k < count; ++k) {
      if (edge[k].from != edge[at].to) continue;
      if (next >= 0) return -1;
      next = k;
    }
    if (next < 0 || (next == 0) != (step == count)) return -1;
    at = next;
  }
  return count;
}

// Makes w a corner of the polytope, beyond face `seed`. False where rounding forbids it.
static bool grow(Polytope* p, const TriboDifferencePoint* w, int seed, double visible) {
  int seen[FACES_MAX];
  Edge edge[EDGES_MAX];
  const int seen_count = visible_faces(p, w->w, seed, visible, seen);
  const int count = horizon(p, seen, seen_count, edge);
  if (count < 3 || p->faces + count > FACES_MAX) return false;
  for (int k = 0; k < seen_count; ++k) p->face[seen[k]].alive = false;
  p->point[p->points] = *w;
  int slot = 0;
  for (int k = 0; k < count; ++k) {
    add_face(p, edge[k].from, edge[k].to, p->points, &slot);
  }
  ++p->points;
  return true;
}

static int nearest_face(const Polytope* p) {
  int best = -1;
  for (int f = 0; f < p->faces; ++f) {
    if (!p->face[f].alive || p->face[f].stuck) continue;
    if ((best < 0 || p->face[f].delta < p->face[best].delta)) best = f;
  }
  return best;
}

// The best direction so far.
typedef struct Best {
  TriboSeparation* s;
  bool polished;  // it is a local maximum
} Best;

static void offer(Best* best, double distance, TriboVec3 d, bool polished) {
  if (!(distance > best->s->distance)) return;
  best->s->distance = distance;
  best->s->normal = d;
  best->polished = polished;
}

// A first upper bound from the axes of a core: where bodies lie in each other, symmetry makes these
// the answer, and the polytope would have to see all around to find it.
static void try_axes(const TriboConvex* a, const TriboConvex* b, const TriboConvex* core,
                     Best* best) {
  for (int k = 0; k < 6; ++k) {
    TriboVec3 d = tribo_mat3_column(core->X.R, k / 2);
    if (k % 2) d = tribo_vec3_neg(d);
    offer(best, tribo_distance_along(a, b, d), d, false);
  }
}

// A bound from a guess of the direction.
static void try_guess(const TriboConvex* a, const TriboConvex* b, TriboVec3 guess, Best* best) {
  TriboVec3 d = tribo_vec3_normalize_or(guess, tribo_vec3_zero());
  if (!(tribo_vec3_norm2(d) > 0.5)) return;
  const TriboDifferencePoint w = tribo_difference_support(a, b, d);
  const double distance = tribo_direction_polish(a, b, &w, 1, &d);
  offer(best, distance, d, true);
}

// ---- where the buffers are too small

// From d to a local maximum of the distance that is shown. The closest points of the bodies pulled
// apart along d, to where the shift is p, lie along the e that maximizes f(e) + p d . e; so f(e) is
// at least f(d), and where e is d it is a maximum.
static double climb(const TriboConvex* a, const TriboConvex* b, double f, TriboVec3* d) {
  for (int step = 0; step < CLIMB_MAX; ++step) {
    TriboSimplex simplex;
    TriboVec3 v, pa, pb;
    if (isinf(tribo_witness_pulled(a, b, *d, f, &simplex, &v, &pa, &pb))) break;
    TriboVec3 e = tribo_vec3_normalize_or(v, *d);
    const double g = tribo_direction_polish(a, b, simplex.point, simplex.count, &e);
    if (!(g > f)) break;
    f = g;
    *d = e;
  }
  return f;
}

// The polytope is full, and faces are left that do not rule out a better direction: bodies with
// thousands of corners deep in each other. From there uphill, from the most promising ones.
static void climb_from_open_faces(const TriboConvex* a, const TriboConvex* b, Polytope* p,
                                  double agree, Best* best) {
  if (!best->polished) try_guess(a, b, best->s->normal, best);
  double shown[FACES_MAX];
  for (int f = 0; f < p->faces; ++f) {
    Face* face = &p->face[f];
    face->stuck = !face->alive || face->delta >= -best->s->distance - agree;
    if (!face->stuck) shown[f] = tribo_distance_along(a, b, tribo_vec3_neg(face->m));
  }
  for (int start = 0; start < STARTS_MAX; ++start) {
    int top = -1;
    for (int f = 0; f < p->faces; ++f) {
      if (!p->face[f].stuck && (top < 0 || shown[f] > shown[top])) top = f;
    }
    if (top < 0) return;
    p->face[top].stuck = true;
    TriboVec3 d = tribo_vec3_neg(p->face[top].m);
    const double distance = climb(a, b, shown[top], &d);
    offer(best, distance, d, true);
  }
}

// Whether the direction of a face, which shows `distance`, is worth Newton's method.
static bool worth_polishing(const Best* best, bool curved, double distance, double gap,
                            double size) {
  if (best->polished && distance <= best->s->distance) return false;
  return gap <= (curved ? kNear : kAgree) * size;
}

bool tribo_epa(const TriboConvex* a, const TriboConvex* b, const TriboSimplex* simplex,
               const TriboVec3* guess, TriboSeparation* s) {
  Polytope p;
  if (!first_tetrahedron(a, b, simplex, &p)) return false;
  const double size = a->size + b->size;
  const bool curved = tribo_convex_is_curved(a) || tribo_convex_is_curved(b);
  const double agree = (curved ? kAgreeCurved : kAgree) * size;
  Best best = {s, false};
  s->distance = -INFINITY;
  try_axes(a, b, a, &best);
  try_axes(a, b, b, &best);
  if (guess != NULL) try_guess(a, b, *guess, &best);
  for (;;) {
    const int nearest = nearest_face(&p);
    if (nearest < 0) break;
    Face* face = &p.face[nearest];
    // Nothing elsewhere can be better than what is known.
    if (face->delta >= -s->distance - agree) break;
    TriboVec3 d = tribo_vec3_neg(face->m);
    const TriboDifferencePoint w = tribo_difference_support(a, b, d);
    double distance = tribo_vec3_dot(d, w.w);
    const double gap = -distance - face->delta;
    const bool polish = worth_polishing(&best, curved, distance, gap, size);
    if (polish) {
      const TriboDifferencePoint corner[3] = {p.point[face->v[0]], p.point[face->v[1]],
                                              p.point[face->v[2]]};
      distance = tribo_direction_polish(a, b, corner, 3, &d);
    }
    offer(&best, distance, d, polish);
    // A face of B - A itself: nothing nearer exists.
    if (gap <= kAgree * size) break;
    if (p.points == POINTS_MAX) {
      climb_from_open_faces(a, b, &p, agree, &best);
      break;
    }
    if (!grow(&p, &w, nearest, kVisible * size)) face->stuck = true;
  }
  return isfinite(s->distance);
}
