// SPDX-License-Identifier: Apache-2.0
#include "engine/contact/detect.h"

#include "collision/narrow.h"

void tribo_detection_layout(TriboDetection* detection, TriboArena* arena, const TriboModel* model,
                            int max_contacts) {
  const TriboPairFilter* filter = model->pair_filter;
  const size_t shapes = (size_t)filter->shape_count;
  detection->capacity = max_contacts;
  detection->contact =
      (TriboContact*)tribo_arena_take(arena, (size_t)max_contacts, sizeof(TriboContact));
  detection->X_WS = (TriboTransform*)tribo_arena_take(arena, shapes, sizeof(TriboTransform));
  detection->reach = tribo_arena_doubles(arena, filter->shape_count);
  detection->box = (TriboAabb*)tribo_arena_take(arena, shapes, sizeof(TriboAabb));
  detection->half_space = (TriboHalfSpace*)tribo_arena_take(arena, (size_t)filter->unbounded_count,
                                                            sizeof(TriboHalfSpace));
  // A pair that touches has a contact; boxes that overlap without touching need room beside that.
  int pairs = 4 * max_contacts + 64;
  if (filter->listed != NULL && pairs > filter->listed_count) pairs = filter->listed_count;
  tribo_broad_phase_layout(&detection->broad, arena, filter, pairs);
}

// Poses of the moving shapes, how far each may come, and the boxes of all.
static void place_shapes(TriboDetection* d, const TriboModel* model, TriboMotion motion, double h,
                         double margin) {
  const TriboPairFilter* filter = model->pair_filter;
  const double fall = h * tribo_vec3_norm(model->gravity);
  for (int s = 0; s < filter->shape_count; ++s) {
    const TriboShape* shape = &model->shape[s];
    const int body = model->shape_body[s];
    const TriboTransform* X_WS = &model->shape_pose[s];
    d->reach[s] = 0;
    if (body >= 0) {
      d->X_WS[s] = tribo_transform_mul(motion.X_WB[body], model->shape_pose[s]);
      X_WS = &d->X_WS[s];
      // The fastest point of the shape: its centre's speed and the rotation about it.
      const TriboVec3 arm =
          tribo_vec3_sub(tribo_transform_point(*X_WS, shape->center), motion.X_WB[body].p);
      const TriboSpatial V = motion.V[body];
      const double speed = tribo_vec3_norm(tribo_vec3_add(V.v, tribo_vec3_cross(V.w, arm))) +
                           tribo_vec3_norm(V.w) * tribo_vec3_norm(shape->half);
      d->reach[s] = 2 * h * (speed + fall);
    }
    const int rank = filter->unbounded_rank[s];
    if (rank >= 0) {
      const TriboVec3 normal = tribo_mat3_column(X_WS->R, 2);
      d->half_space[rank].normal = normal;
      d->half_space[rank].offset = tribo_vec3_dot(normal, X_WS->p) + d->reach[s] + 0.5 * margin;
    } else {
      d->box[s] = tribo_aabb_inflate(tribo_shape_bounds(shape, X_WS), d->reach[s] + 0.5 * margin);
    }
  }
}

// Of a pair that fails, the shape to name it by.
static int moving_shape(const TriboModel* model, int a, int b) {
  return model->shape_body[a] >= 0 ? a : b;
}

// Appends the contacts of one pair, or only counts them when there is no more room.
static TriboStatus collide_pair(TriboDetection* d, const TriboModel* model, int a, int b,
                                double margin) {
  const int first = d->count < d->capacity ? d->count : d->capacity;
  int found = 0;
  const TriboStatus status =
      tribo_collide(&model->shape[a], tribo_detection_pose(d, model, a), &model->shape[b],
                    tribo_detection_pose(d, model, b), d->reach[a] + d->reach[b] + margin,
                    d->contact + first, d->capacity - first, &found);
  d->count += found;
  if (status == TRIBO_ERROR_CAPACITY) {
    // No later pair may fill the place of contacts that did not fit.
    if (d->count <= d->capacity) d->count = d->capacity + 1;
    if (d->failed_shape < 0) d->failed_shape = moving_shape(model, a, b);
    return TRIBO_OK;
  }
  if (status != TRIBO_OK) {
    d->failed_shape = moving_shape(model, a, b);
    return status;
  }
  for (int i = first; i < first + found; ++i) {
    d->contact[i].shape0 = a;
    d->contact[i].shape1 = b;
    if (d->contact[i].gap < d->deepest) d->deepest = d->contact[i].gap;
  }
  return TRIBO_OK;
}

TriboStatus tribo_detect(TriboDetection* d, const TriboModel* model, TriboMotion motion, double h,
                         double margin) {
  d->count = 0;
  d->deepest = 0;
  d->failed_shape = -1;
  d->broad.pair_count = 0;
  if (model->pair_filter->shape_count == 0) return TRIBO_OK;
  place_shapes(d, model, motion, h, margin);
  TriboStatus status = tribo_broad_phase_find(&d->broad, model->pair_filter, d->box, d->half_space);
  if (status == TRIBO_ERROR_CAPACITY) {
    // The last pair that had room.
    const bool listed = model->pair_filter->listed != NULL;
    const TriboShapePair* last = listed ? d->broad.pairs : d->broad.unsorted;
    last += d->broad.pair_capacity - 1;
    d->failed_shape = moving_shape(model, last->shape[0], last->shape[1]);
  }
  if (status != TRIBO_OK) return status;
  for (int p = 0; p < d->broad.pair_count; ++p) {
    const TriboShapePair* pair = &d->broad.pairs[p];
    status = collide_pair(d, model, pair->shape[0], pair->shape[1], margin);
    if (status != TRIBO_OK) return status;
  }
  return d->count > d->capacity ? TRIBO_ERROR_CAPACITY : TRIBO_OK;
}
