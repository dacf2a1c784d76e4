// SPDX-License-Identifier: Apache-2.0
//
// Problem:   contacts of a convex body with a surface made of triangles, without ghosts: contacts
// that
//            one triangle would give alone, but that the surface as a whole does not.
// Spheres:   exactly the points of the surface that are nearest to the centre among all points
// around
//            them. A point on an edge or at a corner counts only if no triangle there comes nearer.
// Others:    each triangle gives the direction m of least overlap, or of the distance, to the body.
// m
//            must be a normal of the surface where the triangle lies highest along m: no triangle
//            that shares that edge or corner may lie higher. If one does,
//              - it falls away from the plane of this triangle: it gives the contact, and this one
//              none;
//              - it lies in the plane or rises above it: the edge is a seam or a valley, m is a
//              ghost,
//                and the body is held by the face: the direction is the triangle's own normal, and
//                a point counts only if it has no shorter way out of the surface than along it.
//            Contact points on seams within a flat region are dropped: the triangles on both sides
//            give the corners of the whole overlap between them.
// Behind:    a triangle does not touch a body whose centre is behind its plane. A centre that is
// below a
//            height field, or on the inner side of the nearest triangle of a mesh while nothing
//            else touches, has sunk in deeply and is pushed out along that one normal.
#include "collision/terrain.h"

#include <math.h>

#include "collision/feature.h"
#include "collision/manifold.h"
#include "collision/mesh.h"
#include "collision/separation.h"
#include "collision/triangle_source.h"
#include "engine/base/rotation.h"

// Directions closer than this (rad) are one: above rounding, below what moves a contact.
static const double kSameDirection = 1e-9;
// Contacts with one normal closer than this part of the body's size are one.
static const double kSamePoint = 1e-9;
// Corners of a triangle count as equally high along a direction up to this slope, and a neighbour
// as higher only beyond it: as in feature.c.
static const double kLevel = 1e-6;
// Of two ways out of the surface, the other one is shorter only below this part of the first.
static const double kShorter = 0.99;

typedef struct Query {
  const TriboShape* terrain;
  const TriboConvex* body;  // relative to `origin`
  TriboVec3 origin;         // near the body, in the surface's frame
  TriboVec3 center;         // of the body, in the surface's frame
  double margin;
  double size;           // of the body: scale of tolerances
  bool is_nearest_only;  // of all contacts keep the one with the smallest gap
  TriboContact* contacts;
  int capacity, count;
} Query;

// ---- collecting

// A contact with one name is kept once: the deeper one.
static void add_contact(Query* q, TriboContact contact) {
  if (q->is_nearest_only) {
    if (q->count == 0 || contact.gap < q->contacts[0].gap) q->contacts[0] = contact;
    q->count = 1;
    return;
  }
  const int stored = q->count < q->capacity ? q->count : q->capacity;
  for (int i = 0; i < stored; ++i) {
    if (q->contacts[i].feature != contact.feature) continue;
    if (contact.gap < q->contacts[i].gap) q->contacts[i] = contact;
    return;
  }
  if (q->count < q->capacity) q->contacts[q->count] = contact;
  ++q->count;
}

static void sort_contacts(TriboContact* contacts, int count) {
  for (int i = 1; i < count; ++i) {
    const TriboContact moved = contacts[i];
    int j = i;
    for (; j > 0 && contacts[j - 1].feature > moved.feature; --j) contacts[j] = contacts[j - 1];
    contacts[j] = moved;
  }
}

// Whether two contacts say the same, as two triangles do of an edge or corner that they share.
static bool coincide(const TriboContact* c, const TriboContact* d, double tolerance) {
  if (fabs(c->point.x - d->point.x) > tolerance) return false;
  return tribo_vec3_distance(c->point, d->point) <= tolerance &&
         tribo_vec3_distance(c->normal, d->normal) <= kSameDirection;
}

// Of sorted contacts that coincide the first is kept: that of a corner or an edge, before a face.
static int drop_coincident(TriboContact* contacts, int count, double tolerance) {
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    bool again = false;
    for (int j = 0; j < kept && !again; ++j)
      again = coincide(&contacts[j], &contacts[i], tolerance);
    if (!again) contacts[kept++] = contacts[i];
  }
  return kept;
}

// A contact at a point of the surface.
static TriboContact make_contact(TriboVec3 normal, TriboVec3 on_surface, double gap,
                                 uint32_t surface_name, uint32_t body_name) {
  TriboContact contact;
  contact.shape0 = contact.shape1 = -1;
  contact.normal = normal;
  contact.gap = gap;
  contact.point = tribo_vec3_madd(on_surface, 0.5 * gap, normal);
  contact.feature = tribo_feature_pair(surface_name, body_name);
  return contact;
}

// ---- spheres

// The vertex or edge of a region that is not the face.
static uint32_t region_name(const TriboTriangle* t, int region) {
  return region >= TRIBO_TRIANGLE_CORNER
             ? tribo_feature(TRIBO_FEATURE_VERTEX, t->vertex[region - TRIBO_TRIANGLE_CORNER])
             : tribo_feature(TRIBO_FEATURE_EDGE, t->edge[region - TRIBO_TRIANGLE_EDGE]);
}

static bool comes_nearer(const Query* q, int t, TriboVec3 center, double distance) {
  TriboVec3 corner[3], normal;
  tribo_source_corners(q->terrain, t, corner, &normal);
  int region;
  const TriboVec3 p = tribo_triangle_closest(corner, center, &region);
  return tribo_vec3_norm2(tribo_vec3_sub(center, p)) < distance * distance;
}

// Whether some triangle at the region's edge or corner has a point nearer to the sphere's centre.
static bool is_beaten(const Query* q, int t, const TriboTriangle* triangle, int region,
                      double distance) {
  const double less = distance - 1e-12 * (distance + q->size);
  if (region < TRIBO_TRIANGLE_CORNER) {
    const int u = triangle->neighbor[region - TRIBO_TRIANGLE_EDGE];
    return u >= 0 && comes_nearer(q, u, q->center, less);
  }
  const int vertex = triangle->vertex[region - TRIBO_TRIANGLE_CORNER];
  const int degree = tribo_source_degree(q->terrain, vertex);
  for (int k = 0; k < degree; ++k) {
    const int u = tribo_source_at_vertex(q->terrain, vertex, k);
    if (u >= 0 && u != t && comes_nearer(q, u, q->center, less)) return true;
  }
  return false;
}

static void sphere_triangle(Query* q, int t, const TriboVec3 corner[3], TriboVec3 n) {
  const double radius = q->body->radius;
  const double height = tribo_vec3_dot(n, tribo_vec3_sub(q->center, corner[0]));
  if (height < 0 || height > radius + q->margin) return;
  int region;
  const TriboVec3 p = tribo_triangle_closest(corner, q->center, &region);
  const TriboVec3 d = tribo_vec3_sub(q->center, p);
  const double distance = tribo_vec3_norm(d);
  if (distance > radius + q->margin) return;
  TriboTriangle triangle;
  tribo_source_triangle(q->terrain, t, &triangle);
  const uint32_t patch = tribo_feature(TRIBO_FEATURE_FACE, triangle.patch);
  const uint32_t smooth = tribo_feature(TRIBO_FEATURE_SMOOTH, 0);
  if (region == TRIBO_TRIANGLE_FACE) {
    add_contact(q, make_contact(n, p, height - radius, patch, smooth));
    return;
  }
  if (is_beaten(q, t, &triangle, region, distance)) return;
  // A centre on the surface itself has no direction but the triangle's.
  const TriboVec3 normal =
      distance > kSameDirection * q->size ? tribo_vec3_scale(1 / distance, d) : n;
  const bool is_face = tribo_vec3_norm(tribo_vec3_sub(normal, n)) <= kSameDirection;
  add_contact(q, make_contact(is_face ? n : normal, p, distance - radius,
                              is_face ? patch : region_name(&triangle, region), smooth));
}

// ---- other bodies

// The triangle as a convex body relative to the query's origin, with names 0, 1, 2.
static TriboConvex convex_of(const Query* q, const TriboTriangle* t) {
  return tribo_convex_triangle(tribo_vec3_sub(t->corner[0], q->origin),
                               tribo_vec3_sub(t->corner[1], q->origin),
                               tribo_vec3_sub(t->corner[2], q->origin), 0);
}

// Adds the contacts that one triangle gave, under the surface's names, without those on seams.
static void add_named(Query* q, const TriboTriangle* t, const TriboContact* contacts, int count) {
  for (int i = 0; i < count; ++i) {
    const uint32_t own = tribo_feature_pair_first(contacts[i].feature);
    const int index = (int)(own & 3u);
    uint32_t name = tribo_feature(TRIBO_FEATURE_FACE, t->patch);
    if (own >> 30 == TRIBO_FEATURE_EDGE) {
      const int u = t->neighbor[index];
      if (u >= 0) {
        TriboTriangle other;
        tribo_source_triangle(q->terrain, u, &other);
        if (other.patch == t->patch) continue;
      }
      name = tribo_feature(TRIBO_FEATURE_EDGE, t->edge[index]);
    } else if (own >> 30 == TRIBO_FEATURE_VERTEX) {
      if (tribo_source_is_inner(q->terrain, t->vertex[index])) continue;
      name = tribo_feature(TRIBO_FEATURE_VERTEX, t->vertex[index]);
    }
    TriboContact contact = contacts[i];
    contact.point = tribo_vec3_add(contact.point, q->origin);
    contact.feature = tribo_feature_pair(name, tribo_feature_pair_second(contacts[i].feature));
    add_contact(q, contact);
  }
}

typedef enum Verdict {
  VERDICT_NORMAL,   // the direction is a normal of the surface
  VERDICT_GHOST,    // the triangle's own normal counts
  VERDICT_NOTHING,  // another triangle gives the contact
} Verdict;

// What a triangle at a corner or edge of t, with another corner at x, says about the direction m,
// from the point p that they share.
static Verdict judge_corner(const TriboTriangle* t, TriboVec3 p, TriboVec3 x, TriboVec3 m) {
  const TriboVec3 way = tribo_vec3_sub(x, p);
  const double level = kLevel * tribo_vec3_norm(way);
  if (tribo_vec3_dot(m, way) <= level) return VERDICT_NORMAL;
  return tribo_vec3_dot(t->normal, way) >= -level ? VERDICT_GHOST : VERDICT_NOTHING;
}

// Ghosts are stronger than nothing: the face may still hold the body.
static Verdict worse(Verdict a, Verdict b) {
  if (a == VERDICT_GHOST || b == VERDICT_GHOST) return VERDICT_GHOST;
  return a == VERDICT_NOTHING ? a : b;
}

static Verdict judge_triangle(const Query* q, const TriboTriangle* t, int other, TriboVec3 p,
                              TriboVec3 m) {
  Verdict verdict = VERDICT_NORMAL;
  TriboVec3 corner[3], normal;
  tribo_source_corners(q->terrain, other, corner, &normal);
  for (int k = 0; k < 3; ++k) verdict = worse(verdict, judge_corner(t, p, corner[k], m));
  return verdict;
}

static Verdict judge_vertex(const Query* q, int t, const TriboTriangle* triangle, int corner,
                            TriboVec3 m) {
  const int vertex = triangle->vertex[corner];
  const int degree = tribo_source_degree(q->terrain, vertex);
  Verdict verdict = VERDICT_NORMAL;
  for (int k = 0; k < degree; ++k) {
    const int u = tribo_source_at_vertex(q->terrain, vertex, k);
    if (u < 0 || u == t) continue;
    verdict = worse(verdict, judge_triangle(q, triangle, u, triangle->corner[corner], m));
  }
  return verdict;
}

// Whether m is a normal of the surface where the triangle is highest along it.
static Verdict judge_direction(const Query* q, int t, const TriboTriangle* triangle, TriboVec3 m) {
  int top = 0;
  double h[3];
  for (int k = 0; k < 3; ++k) {
    h[k] = tribo_vec3_dot(m, tribo_vec3_sub(triangle->corner[k], triangle->corner[0]));
    if (h[k] > h[top]) top = k;
  }
  bool level[3];
  int count = 0;
  for (int k = 0; k < 3; ++k) {
    const double side = tribo_vec3_distance(triangle->corner[k], triangle->corner[top]);
    level[k] = h[top] - h[k] <= kLevel * side;
    count += level[k];
  }
  if (count == 3) {
    return tribo_vec3_dot(m, triangle->normal) > 0 ? VERDICT_NORMAL : VERDICT_NOTHING;
  }
  if (count == 2) {
    const int edge = !level[2] ? 0 : !level[0] ? 1 : 2;
    const int u = triangle->neighbor[edge];
    return u < 0 ? VERDICT_NORMAL : judge_triangle(q, triangle, u, triangle->corner[edge], m);
  }
  return judge_vertex(q, t, triangle, top, m);
}

// Whether p, at `depth` behind the surface, has a shorter way out.
static bool has_shorter_way(const Query* q, TriboVec3 p, double depth) {
  const double shorter = kShorter * depth;
  const TriboAabb point = {p, p};
  TriboTriangleWalk walk;
  tribo_triangle_walk_init(&walk, q->terrain, tribo_aabb_inflate(point, shorter));
  for (int t = tribo_triangle_walk_next(&walk); t >= 0; t = tribo_triangle_walk_next(&walk)) {
    if (comes_nearer(q, t, p, shorter)) return true;
  }
  return false;
}

// Whether the line through p along the triangle's normal meets the triangle.
static bool is_over(const TriboTriangle* t, TriboVec3 p, double tolerance) {
  for (int k = 0; k < 3; ++k) {
    const TriboVec3 along = tribo_vec3_sub(t->corner[(k + 1) % 3], t->corner[k]);
    const TriboVec3 inward = tribo_vec3_cross(t->normal, along);
    const double length = tribo_vec3_norm(inward);
    if (tribo_vec3_dot(inward, tribo_vec3_sub(p, t->corner[k])) < -tolerance * length) return false;
  }
  return true;
}

// The body is held by the face of the triangle: what is over it, along its normal.
static int face_contacts(const Query* q, const TriboTriangle* triangle, const TriboConvex* convex,
                         TriboContact contacts[TRIBO_CONTACTS_PER_PAIR]) {
  TriboSeparation separation = {.normal = triangle->normal, .distance = INFINITY};
  int count = tribo_manifold(convex, q->body, &separation, q->margin, NULL, contacts);
  TriboSupportFeature lowest;
  tribo_convex_sharp(q->body, tribo_vec3_neg(triangle->normal), &lowest);
  if (count == 0 && lowest.count == 1) {
    // A single lowest point is no polygon that could be clipped.
    const TriboVec3 p = tribo_vec3_add(lowest.point[0], q->origin);
    const double height = tribo_vec3_dot(triangle->normal, tribo_vec3_sub(p, triangle->corner[0]));
    const double gap = height - q->body->radius;
    if (gap <= q->margin && is_over(triangle, p, 1e-9 * q->size)) {
      const TriboVec3 foot = tribo_vec3_madd(lowest.point[0], -height, triangle->normal);
      contacts[count++] = make_contact(triangle->normal, foot, gap,
                                       tribo_feature(TRIBO_FEATURE_FACE, 0), lowest.name);
    }
  }
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    const TriboContact c = contacts[i];
    const TriboVec3 p = tribo_vec3_add(tribo_vec3_madd(c.point, 0.5 * c.gap, c.normal), q->origin);
    if (c.gap < -1e-9 * q->size && has_shorter_way(q, p, -c.gap)) continue;
    contacts[kept++] = c;
  }
  return kept;
}

// Whether a triangle is too far away, or looks away: two directions that cost little.
static bool is_out_of_reach(const Query* q, const TriboVec3 corner[3], TriboVec3 n) {
  const double height = tribo_vec3_dot(n, tribo_vec3_sub(q->center, corner[0]));
  if (height < 0) return true;
  const TriboVec3 middle = tribo_vec3_sub(q->center, q->origin);
  const double limit = q->margin + q->body->radius;
  // Along its normal, then along the way to its nearest point: no point of it is nearer along that.
  const TriboVec3 lowest = tribo_convex_support(q->body, tribo_vec3_neg(n));
  if (height + tribo_vec3_dot(n, tribo_vec3_sub(lowest, middle)) > limit) return true;
  int region;
  const TriboVec3 way =
      tribo_vec3_sub(tribo_triangle_closest(corner, q->center, &region), q->center);
  const TriboVec3 toward = tribo_vec3_sub(tribo_convex_support(q->body, way), middle);
  const double distance = tribo_vec3_norm(way);
  return tribo_vec3_norm2(way) - tribo_vec3_dot(way, toward) > limit * distance;
}

static TriboStatus body_triangle(Query* q, int t, const TriboTriangle* triangle) {
  const double limit = q->margin + q->body->radius;
  const TriboConvex convex = convex_of(q, triangle);
  TriboSeparation separation;
  TriboStatus status = tribo_convex_separation(&convex, q->body, limit, &separation);
  if (status != TRIBO_OK) return status;
  if (separation.distance > limit) return TRIBO_OK;
  TriboContact contacts[TRIBO_CONTACTS_PER_PAIR];
  int count = 0;
  switch (judge_direction(q, t, triangle, separation.normal)) {
    case VERDICT_NORMAL:
      count = tribo_manifold(&convex, q->body, &separation, q->margin, NULL, contacts);
      break;
    case VERDICT_GHOST:
      count = face_contacts(q, triangle, &convex, contacts);
      break;
    case VERDICT_NOTHING:
      break;
  }
  add_named(q, triangle, contacts, count);
  return TRIBO_OK;
}

// ---- bodies that have sunk in

// Height of p over the field, `otherwise` beside it, where there is no ground.
static double height_over(const TriboHeightField* field, TriboVec3 p, double otherwise) {
  const int t = tribo_height_field_column(field, p.x, p.y);
  if (t < 0) return otherwise;
  TriboVec3 corner[3], normal;
  tribo_height_field_corners(field, t, corner, &normal);
  return tribo_vec3_dot(normal, tribo_vec3_sub(p, corner[0])) / normal.z;
}

// Pushes the body out along n, the normal of triangle t at the body's centre: each point of the
// side that looks into the ground by its own depth.
static void push_out_of_field(Query* q, int t) {
  TriboTriangle triangle;
  tribo_height_field_triangle(q->terrain->height_field, t, &triangle);
  const TriboVec3 n = triangle.normal;
  TriboSupportFeature lowest;
  tribo_convex_face(q->body, tribo_vec3_neg(n), &lowest);
  const uint32_t name = tribo_feature(TRIBO_FEATURE_FACE, triangle.patch);
  TriboContact contacts[TRIBO_FEATURE_POINTS];
  int count = 0;
  for (int i = 0; i < lowest.count; ++i) {
    const TriboVec3 low = i == lowest.round_end ? lowest.round_point : lowest.point[i];
    const TriboVec3 p = tribo_vec3_add(low, q->origin);
    const double height = height_over(q->terrain->height_field, p, INFINITY) * n.z;
    const double gap = height - lowest.radius;
    if (!(gap <= q->margin)) continue;
    contacts[count++] =
        make_contact(n, tribo_vec3_madd(p, -height, n), gap, name, lowest.vertex[i]);
  }
  count = tribo_manifold_reduce(contacts, count);
  for (int i = 0; i < count; ++i) add_contact(q, contacts[i]);
}

// Pushes the body out of a mesh, where its centre is inside: along the way to the nearest point.
static void push_out_of_mesh(Query* q, double reach) {
  const TriboMesh* mesh = q->terrain->mesh;
  TriboVec3 point;
  const int t = tribo_mesh_nearest(mesh, q->center, reach, &point);
  if (t < 0) return;
  TriboTriangle triangle;
  tribo_mesh_triangle(mesh, t, &triangle);
  const TriboVec3 out = tribo_vec3_sub(point, q->center);
  if (tribo_vec3_dot(triangle.normal, out) <= 0) return;
  // Beyond the border of an open mesh there is no inside.
  int region;
  (void)tribo_triangle_closest(triangle.corner, q->center, &region);
  const bool is_face = region == TRIBO_TRIANGLE_FACE;
  if (!is_face && !mesh->is_closed) return;
  const TriboVec3 n = is_face ? triangle.normal : tribo_vec3_normalize_or(out, triangle.normal);
  TriboSupportFeature lowest;
  tribo_convex_sharp(q->body, tribo_vec3_neg(n), &lowest);
  const TriboVec3 p = tribo_vec3_add(lowest.point[0], q->origin);
  const double height = tribo_vec3_dot(n, tribo_vec3_sub(p, point));
  add_contact(q, make_contact(n, tribo_vec3_madd(p, -height, n), height - q->body->radius,
                              tribo_feature(TRIBO_FEATURE_FACE, triangle.patch), lowest.vertex[0]));
}

// ---- all of it

// The box around the body in the surface's frame, grown by the margin.
static TriboAabb body_box(const Query* q) {
  static const TriboVec3 kAxes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double low[3], high[3];
  for (int i = 0; i < 3; ++i) {
    high[i] = tribo_vec3_dot(kAxes[i], tribo_convex_support(q->body, kAxes[i]));
    low[i] = tribo_vec3_dot(kAxes[i], tribo_convex_support(q->body, tribo_vec3_neg(kAxes[i])));
  }
  const TriboAabb box = {tribo_vec3_add(q->origin, tribo_vec3_from(low)),
                         tribo_vec3_add(q->origin, tribo_vec3_from(high))};
  return tribo_aabb_inflate(box, q->body->radius + q->margin);
}

static TriboStatus touch_triangles(Query* q, TriboAabb box) {
  TriboTriangleWalk walk;
  tribo_triangle_walk_init(&walk, q->terrain, box);
  for (int t = tribo_triangle_walk_next(&walk); t >= 0; t = tribo_triangle_walk_next(&walk)) {
    TriboVec3 corner[3], normal;
    tribo_source_corners(q->terrain, t, corner, &normal);
    if (q->body->kind == TRIBO_CONVEX_POINT) {
      sphere_triangle(q, t, corner, normal);
      continue;
    }
    if (is_out_of_reach(q, corner, normal)) continue;
    TriboTriangle triangle;
    tribo_source_triangle(q->terrain, t, &triangle);
    const TriboStatus status = body_triangle(q, t, &triangle);
    if (status != TRIBO_OK) return status;
  }
  return TRIBO_OK;
}

static Query make_query(const TriboShape* terrain, TriboConvex* near, const TriboConvex* body,
                        double margin) {
  *near = *body;
  near->X.p = tribo_vec3_zero();
  return (Query){.terrain = terrain,
                 .body = near,
                 .origin = body->X.p,
                 .center = tribo_convex_center(body),
                 .margin = margin,
                 .size = body->size + body->radius};
}

static TriboStatus find_contacts(Query* q) {
  const TriboShape* terrain = q->terrain;
  const TriboAabb box = body_box(q);
  if (terrain->type == TRIBO_SHAPE_HEIGHT_FIELD) {
    const TriboHeightField* field = terrain->height_field;
    if (height_over(field, q->center, 0) >= 0) return touch_triangles(q, box);
    push_out_of_field(q, tribo_height_field_column(field, q->center.x, q->center.y));
    return TRIBO_OK;
  }
  const TriboStatus status = touch_triangles(q, box);
  if (status != TRIBO_OK || q->count > 0) return status;
  if (tribo_aabb_overlaps(box, terrain->mesh->bounds)) {
    push_out_of_mesh(q, terrain->mesh->is_closed ? INFINITY : q->size + q->margin);
  }
  return TRIBO_OK;
}

TriboStatus tribo_terrain_contacts(const TriboShape* terrain, const TriboConvex* body,
                                   double margin, TriboContact* contacts, int capacity,
                                   int* count) {
  TriboConvex near;
  Query query = make_query(terrain, &near, body, margin);
  query.contacts = contacts;
  query.capacity = capacity;
  const TriboStatus status = find_contacts(&query);
  *count = query.count;
  if (status != TRIBO_OK) return status;
  if (query.count > capacity) return TRIBO_ERROR_CAPACITY;
  sort_contacts(contacts, query.count);
  *count = drop_coincident(contacts, query.count, kSamePoint * query.size);
  return TRIBO_OK;
}

TriboStatus tribo_terrain_nearest(const TriboShape* terrain, const TriboConvex* body,
                                  TriboContact* contact) {
  TriboConvex near;
  Query query = make_query(terrain, &near, body, 0);
  query.is_nearest_only = true;
  query.contacts = contact;
  query.capacity = 1;
  // Growing margins, until the box around the body covers all of the terrain.
  const TriboAabb bounds =
      terrain->type == TRIBO_SHAPE_MESH ? terrain->mesh->bounds : terrain->height_field->bounds;
  const double far = tribo_vec3_distance(bounds.min, bounds.max) +
                     tribo_vec3_distance(tribo_aabb_center(bounds), query.center);
  for (query.margin = 0.1 * query.size;; query.margin *= 4) {
    const TriboStatus status = find_contacts(&query);
    if (status != TRIBO_OK) return status;
    if (query.count > 0) return TRIBO_OK;
    if (query.margin > far) return TRIBO_ERROR_INFEASIBLE;
  }
}
