// SPDX-License-Identifier: Apache-2.0
//
// Questions about the shapes: rays and distances. Each places the bodies at the state's q and asks
// collision/.
#include <math.h>

#include "collision/box_tree.h"
#include "collision/narrow.h"
#include "collision/ray.h"
#include "engine/base/rotation.h"
#include "engine/state.h"
#include "engine/workspace.h"

// A tree over the shapes pays for itself from this many rays on.
enum { RAYS_FOR_A_TREE = 4 };

static bool fits(const TriboModel* model, const TriboState* state, const TriboWorkspace* ws) {
  return model && state && ws && state->model_hash == model->hash && ws->model_hash == model->hash;
}

// Where shape s is, after kinematics.
static TriboTransform shape_pose(const TriboModel* model, const TriboWorkspace* ws, int s) {
  const int body = model->shape_body[s];
  return body < 0 ? model->shape_pose[s]
                  : tribo_transform_mul(ws->tree.X_WB[body], model->shape_pose[s]);
}

// ---- rays

TriboRayOptions tribo_ray_options_default(void) {
  TriboRayOptions options = {.mask = UINT32_MAX, .see_world = true, .transparent = -1};
  return options;
}

static bool is_seen(const TriboModel* model, const TriboRayOptions* options, int s) {
  const TriboFilterShape* shape = &model->pair_filter->shapes[s];
  if ((shape->group & options->mask) == 0) return false;
  if (shape->body < 0 && !options->see_world) return false;
  return options->transparent < 0 || shape->link != options->transparent;
}

// The ray against one shape; a hit shortens it.
static void try_shape(const TriboModel* model, const TriboWorkspace* ws,
                      const TriboRayOptions* options, int s, TriboRaySegment* ray,
                      TriboRayHit* hit) {
  if (!is_seen(model, options, s)) return;
  double distance;
  TriboVec3 normal;
  if (!tribo_ray_shape(&model->shape[s], &ws->detection.X_WS[s], ray, &distance, &normal)) return;
  if (hit->shape >= 0 &&
      (distance > hit->distance || (distance == hit->distance && s > hit->shape)))
    return;
  ray->reach = distance;
  hit->shape = s;
  hit->distance = distance;
  hit->normal = normal;
}

static void walk_tree(const TriboModel* model, const TriboWorkspace* ws,
                      const TriboRayOptions* options, TriboRaySegment* ray, TriboRayHit* hit) {
  const TriboBoxTree* tree = &ws->detection.broad.tree;
  int stack[TRIBO_BOX_TREE_DEPTH + 1], top = 0;
  if (tree->node_count > 0) stack[top++] = 0;
  while (top > 0) {
    const int index = stack[--top];
    const TriboBoxTreeNode* node = &tree->nodes[index];
    double entry;
    if (!tribo_ray_box(node->box, ray, &entry)) continue;
    if (node->right >= 0) {
      stack[top++] = node->right;
      stack[top++] = index + 1;
      continue;
    }
    for (int k = node->first; k < node->first + node->count; ++k) {
      if (tribo_ray_box(tree->boxes[k], ray, &entry))
        try_shape(model, ws, options, tree->order[k], ray, hit);
    }
  }
}

static void cast_ray(const TriboModel* model, const TriboWorkspace* ws,
                     const TriboRayOptions* options, bool use_tree, const TriboRay* ray,
                     TriboRayHit* hit) {
  const TriboPairFilter* filter = model->pair_filter;
  TriboRaySegment segment = {
      ray->origin, tribo_vec3_normalize_or(ray->direction, tribo_vec3(0, 0, 1)), ray->reach};
  *hit = (TriboRayHit){.shape = -1};
  for (int k = 0; k < filter->unbounded_count; ++k)
    try_shape(model, ws, options, filter->unbounded[k], &segment, hit);
  if (use_tree) {
    walk_tree(model, ws, options, &segment, hit);
  } else {
    for (int k = 0; k < filter->bounded_count; ++k) {
      const int s = filter->bounded[k];
      double entry;
      if (tribo_ray_box(ws->detection.box[s], &segment, &entry))
        try_shape(model, ws, options, s, &segment, hit);
    }
  }
  if (hit->shape < 0) {
    *hit = (TriboRayHit){.shape = -1};
    return;
  }
  hit->link = filter->shapes[hit->shape].link;
  hit->point = tribo_vec3_madd(ray->origin, hit->distance, segment.direction);
}

static TriboStatus check_rays(const TriboRay* rays, int count) {
  for (int i = 0; i < count; ++i) {
    const TriboRay* ray = &rays[i];
    if (!tribo_vec3_is_finite(ray->origin) || !tribo_vec3_is_finite(ray->direction) ||
        isnan(ray->reach))
      return TRIBO_ERROR_NOT_FINITE;
    if (!(tribo_vec3_norm(ray->direction) > 1e-150) || ray->reach < 0) return TRIBO_ERROR_ARGUMENT;
  }
  return TRIBO_OK;
}

TriboStatus tribo_ray_cast(const TriboModel* model, const TriboState* state,
                           TriboWorkspace* workspace, const TriboRay* rays, int count,
                           const TriboRayOptions* options, TriboRayHit* hits) {
  const TriboRayOptions defaults = tribo_ray_options_default();
  if (!options) options = &defaults;
  if (!fits(model, state, workspace) || count < 0 || (count > 0 && (!rays || !hits)))
    return TRIBO_ERROR_ARGUMENT;
  const TriboStatus status = check_rays(rays, count);
  if (status != TRIBO_OK) return status;

  // Poses and boxes of all shapes, once for all rays.
  const TriboPairFilter* filter = model->pair_filter;
  TriboDetection* d = &workspace->detection;
  tribo_tree_kinematics(model, &workspace->tree, state->q);
  for (int s = 0; s < filter->shape_count; ++s) {
    d->X_WS[s] = shape_pose(model, workspace, s);
    d->box[s] = tribo_shape_bounds(&model->shape[s], &d->X_WS[s]);
  }
  const bool use_tree = filter->listed == NULL && count >= RAYS_FOR_A_TREE;
  if (use_tree) {
    tribo_box_tree_build(&d->broad.tree, d->box, filter->bounded, filter->bounded_count);
  }
  for (int i = 0; i < count; ++i) {
    cast_ray(model, workspace, options, use_tree, &rays[i], &hits[i]);
  }
  return TRIBO_OK;
}

// ---- distances

TriboStatus tribo_shape_distance(const TriboModel* model, const TriboState* state,
                                 TriboWorkspace* workspace, int shape0, int shape1,
                                 TriboShapeDistance* result) {
  if (!fits(model, state, workspace) || !result) return TRIBO_ERROR_ARGUMENT;
  const int count = model->pair_filter->shape_count;
  if (shape0 < 0 || shape0 >= count || shape1 < 0 || shape1 >= count || shape0 == shape1)
    return TRIBO_ERROR_ARGUMENT;
  tribo_tree_kinematics(model, &workspace->tree, state->q);
  const TriboTransform X0 = shape_pose(model, workspace, shape0);
  const TriboTransform X1 = shape_pose(model, workspace, shape1);
  TriboClosestPoints closest;
  const TriboStatus status =
      tribo_distance(&model->shape[shape0], &X0, &model->shape[shape1], &X1, &closest);
  if (status != TRIBO_OK) return status;
  *result = (TriboShapeDistance){closest.distance, closest.normal, closest.point0, closest.point1};
  return TRIBO_OK;
}
