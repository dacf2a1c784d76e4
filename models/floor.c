// SPDX-License-Identifier: Apache-2.0
//
// A horizontal plane under what a file describes, for dropping or standing it on.
#include "models/floor.h"

#include <math.h>

#include "engine/base/message.h"
#include "engine/base/rotation.h"

// How far a shape reaches below its origin where its z axis and the others stand as R says.
static double reach_down(const TriboShapeDesc* d, TriboMat3 R) {
  const double x = R.m[6], y = R.m[7], z = R.m[8];  // the world's z in the shape's axes
  const double* s = d->size;
  double lowest = INFINITY;
  switch (d->type) {
    case TRIBO_SHAPE_SPHERE:
      return s[0];
    case TRIBO_SHAPE_CAPSULE:
      return s[0] + s[1] * fabs(z);
    case TRIBO_SHAPE_BOX:
      return s[0] * fabs(x) + s[1] * fabs(y) + s[2] * fabs(z);
    case TRIBO_SHAPE_CYLINDER:
      return s[0] * hypot(x, y) + s[1] * fabs(z);
    case TRIBO_SHAPE_ELLIPSOID:
      return hypot(hypot(s[0] * x, s[1] * y), s[2] * z);
    default:
      for (int i = 0; i < d->vertex_count; ++i) {
        const double* p = d->vertices + 3 * (size_t)i;
        lowest = fmin(lowest, x * p[0] + y * p[1] + z * p[2]);
      }
      return -lowest;
  }
}

// The lowest point of all shapes on links; infinity where there is none.
static TriboStatus find_lowest(const TriboModel* model, const TriboState* state,
                               TriboWorkspace* workspace, double* lowest) {
  TriboShapeDesc d;
  *lowest = INFINITY;
  for (int i = 0; tribo_model_shape(model, i, &d); ++i) {
    if (d.link == TRIBO_WORLD) continue;
    TriboPose pose;
    TriboStatus status = tribo_link_pose(model, state, workspace, d.link, &pose);
    if (status != TRIBO_OK) return status;
    pose = tribo_pose_mul(pose, d.pose);
    *lowest = fmin(*lowest, pose.p.z - reach_down(&d, tribo_quat_to_mat3(pose.q)));
  }
  return TRIBO_OK;
}

// The same where the scene starts: in its first keyframe, if there is one.
static TriboStatus find_start(const TriboScene* scene, double* lowest, TriboMessage* message) {
  const TriboKeyframe* key = tribo_scene_key(scene, 0);
  TriboModel* model = NULL;
  TriboState* state = NULL;
  TriboWorkspace* workspace = NULL;
  TriboStatus status = tribo_model_create(scene->builder, NULL, &model, message);
  if (status != TRIBO_OK) return status;
  status = tribo_state_create(model, NULL, &state);
  if (status == TRIBO_OK) status = tribo_workspace_create(model, NULL, NULL, &workspace);
  if (status == TRIBO_OK && key != NULL) status = tribo_state_set_q(model, state, key->q);
  if (status == TRIBO_OK) status = find_lowest(model, state, workspace, lowest);
  tribo_workspace_destroy(workspace);
  tribo_state_destroy(state);
  tribo_model_destroy(model);
  return status == TRIBO_OK ? status
                            : tribo_message_set(message, status, "the floor: the start: %s",
                                                tribo_status_text(status));
}

TriboStatus tribo_scene_add_floor(TriboScene* scene, double gap, TriboMessage* message) {
  if (!isfinite(gap))
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT, "the floor's gap must be finite");
  double lowest = INFINITY;
  TriboStatus status = find_start(scene, &lowest, message);
  if (status != TRIBO_OK) return status;
  if (!isfinite(lowest))
    return tribo_message_set(message, TRIBO_ERROR_MODEL,
                             "a floor goes under the shapes that collide, and there are none");
  TriboShapeDesc plane = tribo_shape_default();
  plane.type = TRIBO_SHAPE_PLANE;
  plane.link = TRIBO_WORLD;
  plane.pose.p.z = lowest - gap;
  status = tribo_builder_add_shape(scene->builder, &plane, NULL);
  return status == TRIBO_OK
             ? status
             : tribo_message_set(message, status, "the floor: %s", tribo_status_text(status));
}
