// SPDX-License-Identifier: Apache-2.0
#include "collision/narrow.h"

#include <math.h>
#include <stdbool.h>

#include "collision/convex.h"
#include "collision/convex_pair.h"
#include "collision/plane.h"
#include "collision/terrain.h"
#include "engine/base/rotation.h"

// Places beyond this (m) are as good as infinite: squares of products of them must not overflow,
// and no digit of a shape would be left there.
static const double kFarthest = 1e15;

static bool transform_is_finite(const TriboTransform* X) {
  // A sum is finite only if all its terms are, up to an overflow that no rotation has.
  double sum = 0;
  for (int k = 0; k < 9; ++k) sum += X->R.m[k];
  return isfinite(sum) && fabs(X->p.x) + fabs(X->p.y) + fabs(X->p.z) <= kFarthest;
}

static TriboHalfSpace half_space_near(const TriboTransform* X_WP, TriboVec3 origin) {
  TriboHalfSpace plane;
  plane.normal = tribo_mat3_column(X_WP->R, 2);
  plane.offset = tribo_vec3_dot(plane.normal, tribo_vec3_sub(X_WP->p, origin));
  return plane;
}

// At most TRIBO_CONTACTS_PER_PAIR contacts of two convex shapes, relative to `origin`: distances
// keep their digits far from the world's origin.
static TriboStatus collide_convex(const TriboShape* a, const TriboTransform* X_WA,
                                  const TriboShape* b, const TriboTransform* X_WB, double margin,
                                  TriboVec3 origin, TriboContact* contacts, int* count) {
  TriboConvex ca, cb;
  if (a->type != TRIBO_SHAPE_PLANE && b->type != TRIBO_SHAPE_PLANE) {
    tribo_convex_set(&ca, a, X_WA, origin);
    tribo_convex_set(&cb, b, X_WB, origin);
    return tribo_convex_contacts(&ca, &cb, margin, contacts, count);
  }
  const bool swapped = a->type != TRIBO_SHAPE_PLANE;
  const TriboHalfSpace plane = half_space_near(swapped ? X_WB : X_WA, origin);
  const TriboShape* body = swapped ? a : b;
  if (body->type == TRIBO_SHAPE_SPHERE) {
    // The origin is the sphere's centre.
    *count = tribo_plane_sphere(&plane, tribo_vec3_zero(), body->radius, margin, contacts);
  } else {
    tribo_convex_set(&ca, body, swapped ? X_WA : X_WB, origin);
    *count = tribo_plane_contacts(&plane, &ca, margin, contacts);
  }
  for (int i = 0; swapped && i < *count; ++i) contacts[i] = tribo_contact_swap(contacts[i]);
  return TRIBO_OK;
}

// The origin near a pair of convex shapes: the body, where the other is a plane.
static TriboVec3 pair_origin(const TriboShape* a, const TriboTransform* X_WA,
                             const TriboTransform* X_WB) {
  return a->type == TRIBO_SHAPE_PLANE ? X_WB->p : X_WA->p;
}

// A height field or mesh and a convex body: in the surface's frame, then turned into the world.
static TriboStatus collide_terrain(const TriboShape* terrain, const TriboTransform* X_WT,
                                   const TriboShape* b, const TriboTransform* X_WB, double margin,
                                   TriboContact* contacts, int capacity, int* count) {
  if (b->type == TRIBO_SHAPE_PLANE || !tribo_shape_is_convex(b)) return TRIBO_ERROR_UNSUPPORTED;
  const TriboTransform X_TB = tribo_transform_imul(*X_WT, *X_WB);
  const TriboConvex body = tribo_convex_from_shape(b, &X_TB);
  const TriboStatus status =
      tribo_terrain_contacts(terrain, &body, margin, contacts, capacity, count);
  for (int i = 0; status == TRIBO_OK && i < *count; ++i) {
    contacts[i].point = tribo_transform_point(*X_WT, contacts[i].point);
    contacts[i].normal = tribo_mat3_mul_vec(X_WT->R, contacts[i].normal);
  }
  return status;
}

TriboStatus tribo_collide(const TriboShape* a, const TriboTransform* X_WA, const TriboShape* b,
                          const TriboTransform* X_WB, double margin, TriboContact* contacts,
                          int capacity, int* count) {
  *count = 0;
  if (!transform_is_finite(X_WA) || !transform_is_finite(X_WB) || !isfinite(margin)) {
    return TRIBO_ERROR_NOT_FINITE;
  }
  if (!tribo_shape_is_convex(a)) {
    return collide_terrain(a, X_WA, b, X_WB, margin, contacts, capacity, count);
  }
  if (!tribo_shape_is_convex(b)) {
    const TriboStatus swapped =
        collide_terrain(b, X_WB, a, X_WA, margin, contacts, capacity, count);
    for (int i = 0; swapped == TRIBO_OK && i < *count; ++i) {
      contacts[i] = tribo_contact_swap(contacts[i]);
    }
    return swapped;
  }
  if (a->type == TRIBO_SHAPE_PLANE && b->type == TRIBO_SHAPE_PLANE) return TRIBO_ERROR_UNSUPPORTED;
  const TriboVec3 origin = pair_origin(a, X_WA, X_WB);
  // Straight into the caller's memory where all fit whatever happens.
  TriboContact buffer[TRIBO_CONTACTS_PER_PAIR];
  TriboContact* found = capacity >= TRIBO_CONTACTS_PER_PAIR ? contacts : buffer;
  const TriboStatus status = collide_convex(a, X_WA, b, X_WB, margin, origin, found, count);
  if (status != TRIBO_OK) return status;
  if (*count > capacity) return TRIBO_ERROR_CAPACITY;
  for (int i = 0; i < *count; ++i) {
    found[i].point = tribo_vec3_add(found[i].point, origin);
    if (found != contacts) contacts[i] = found[i];
  }
  return TRIBO_OK;
}

// The deepest of the contacts, as closest points.
static void closest_from_contacts(const TriboContact* contacts, int count, TriboVec3 origin,
                                  TriboClosestPoints* closest) {
  int deepest = 0;
  for (int i = 1; i < count; ++i) {
    if (contacts[i].gap < contacts[deepest].gap) deepest = i;
  }
  const TriboContact* c = &contacts[deepest];
  const TriboVec3 point = tribo_vec3_add(c->point, origin);
  closest->distance = c->gap;
  closest->normal = c->normal;
  closest->point0 = tribo_vec3_madd(point, -0.5 * c->gap, c->normal);
  closest->point1 = tribo_vec3_madd(point, 0.5 * c->gap, c->normal);
}

// A height field or mesh and a convex body.
static TriboStatus terrain_distance(const TriboShape* terrain, const TriboTransform* X_WT,
                                    const TriboShape* b, const TriboTransform* X_WB,
                                    TriboContact* contact) {
  if (b->type == TRIBO_SHAPE_PLANE || !tribo_shape_is_convex(b)) return TRIBO_ERROR_UNSUPPORTED;
  const TriboTransform X_TB = tribo_transform_imul(*X_WT, *X_WB);
  const TriboConvex body = tribo_convex_from_shape(b, &X_TB);
  const TriboStatus status = tribo_terrain_nearest(terrain, &body, contact);
  if (status != TRIBO_OK) return status;
  contact->point = tribo_transform_point(*X_WT, contact->point);
  contact->normal = tribo_mat3_mul_vec(X_WT->R, contact->normal);
  return TRIBO_OK;
}

TriboStatus tribo_distance(const TriboShape* a, const TriboTransform* X_WA, const TriboShape* b,
                           const TriboTransform* X_WB, TriboClosestPoints* closest) {
  if (!transform_is_finite(X_WA) || !transform_is_finite(X_WB)) return TRIBO_ERROR_NOT_FINITE;
  TriboContact contacts[TRIBO_CONTACTS_PER_PAIR];
  if (!tribo_shape_is_convex(a) || !tribo_shape_is_convex(b)) {
    const bool swapped = tribo_shape_is_convex(a);
    const TriboStatus found = swapped ? terrain_distance(b, X_WB, a, X_WA, contacts)
                                      : terrain_distance(a, X_WA, b, X_WB, contacts);
    if (found != TRIBO_OK) return found;
    if (swapped) contacts[0] = tribo_contact_swap(contacts[0]);
    closest_from_contacts(contacts, 1, tribo_vec3_zero(), closest);
    return TRIBO_OK;
  }
  if (a->type == TRIBO_SHAPE_PLANE && b->type == TRIBO_SHAPE_PLANE) return TRIBO_ERROR_UNSUPPORTED;
  const TriboVec3 origin = pair_origin(a, X_WA, X_WB);
  int count;
  const TriboStatus status = collide_convex(a, X_WA, b, X_WB, INFINITY, origin, contacts, &count);
  if (status != TRIBO_OK) return status;
  closest_from_contacts(contacts, count, origin, closest);
  return TRIBO_OK;
}
