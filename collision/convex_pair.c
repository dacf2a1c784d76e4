// SPDX-License-Identifier: Apache-2.0
#include "collision/convex_pair.h"

#include "collision/box_box.h"
#include "collision/separation.h"
#include "engine/base/vec3.h"

// Balls around the centres, the cheapest proof that bodies are too far apart.
static bool far_apart(const TriboConvex* a, const TriboConvex* b, double margin) {
  if (a->kind == TRIBO_CONVEX_HULL || b->kind == TRIBO_CONVEX_HULL) return false;
  if (a->kind == TRIBO_CONVEX_TRIANGLE || b->kind == TRIBO_CONVEX_TRIANGLE) return false;
  const double reach = a->size + a->radius + b->size + b->radius + margin;
  return tribo_vec3_norm2(tribo_vec3_sub(b->X.p, a->X.p)) > reach * reach;
}

TriboStatus tribo_convex_contacts(const TriboConvex* a, const TriboConvex* b, double margin,
                                  TriboContact contacts[TRIBO_CONTACTS_PER_PAIR], int* count) {
  *count = 0;
  if (far_apart(a, b, margin)) return TRIBO_OK;
  const double limit = margin + a->radius + b->radius;
  TriboSeparation separation;
  // Boxes: a face or pair of edges that shows points at its own distance needs no further search.
  if (a->kind == TRIBO_CONVEX_BOX && b->kind == TRIBO_CONVEX_BOX) {
    if (!tribo_box_box(a, b, limit, &separation)) return TRIBO_OK;
    bool exact;
    *count = tribo_manifold(a, b, &separation, margin, &exact, contacts);
    if (exact || separation.distance <= 0) return TRIBO_OK;
  }
  const TriboStatus status = tribo_convex_separation(a, b, limit, &separation);
  if (status != TRIBO_OK) return status;
  *count =
      separation.distance > limit ? 0 : tribo_manifold(a, b, &separation, margin, NULL, contacts);
  return TRIBO_OK;
}
