// SPDX-License-Identifier: Apache-2.0
#include "collision/convex_pair.h"

#include "collision/separation.h"
#include "engine/base/vec3.h"

// Balls around the centres, the cheapest proof that bodies are too far apart.
static bool far_apart(const TriboConvex* a, const TriboConvex* b, double margin) {
  if (a->kind == TRIBO_CONVEX_HULL || b->kind == TRIBO_CONVEX_HULL) return false;
  if (a->kind == TRIBO_CONVEX_TRIANGLE || b->kind == TRIBO_CONVEX_TRIANGLE) return false;
  const double reach = a->size + a->radius + b->size + b->radius + margin;
  return tribo_vec3_norm2(tribo_vec3_sub(b->X.p, a->X.p)) > reach * reach;
}

// Segments, triangles and boxes, of which one has a face.
static bool have_axes(const TriboConvex* a, const TriboConvex* b) {
  if (a->kind == TRIBO_CONVEX_POINT || a->kind > TRIBO_CONVEX_BOX) return false;
  if (b->kind == TRIBO_CONVEX_POINT || b->kind > TRIBO_CONVEX_BOX) return false;
  return a->kind != TRIBO_CONVEX_SEGMENT || b->kind != TRIBO_CONVEX_SEGMENT;
}

TriboStatus tribo_convex_contacts(const TriboConvex* a, const TriboConvex* b, double margin,
                                  TriboContact contacts[TRIBO_CONTACTS_PER_PAIR], int* count) {
  *count = 0;
  if (far_apart(a, b, margin)) return TRIBO_OK;
  const double limit = margin + a->radius + b->radius;
  TriboSeparation separation;
  // A face or pair of edges that shows points at its own distance needs no further search.
  if (have_axes(a, b)) {
    if (!tribo_polyhedra_axis(a, b, limit, &separation)) return TRIBO_OK;
    bool exact;
    *count = tribo_manifold(a, b, &separation, margin, &exact, contacts);
    if (exact || separation.distance <= 0) return TRIBO_OK;
  }
  const TriboStatus status = tribo_convex_separation(a, b, limit, &separation);
  *count = 0;
  if (status != TRIBO_OK || separation.distance > limit) return status;
  if (a->kind == TRIBO_CONVEX_POINT || b->kind == TRIBO_CONVEX_POINT) {
    *count = tribo_manifold_point(a, b, &separation, margin, contacts);
  } else {
    *count = tribo_manifold(a, b, &separation, margin, NULL, contacts);
  }
  return TRIBO_OK;
}
