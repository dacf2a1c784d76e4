// SPDX-License-Identifier: Apache-2.0
//
// Links without mass between joints, as a body on several joints is made of: slide, slide, hinge.
// The mass matrix is positive definite where the joints from such a link down to the next one with
// mass move that one in independent directions. Their motion vectors (angular, linear) are
// collected at a configuration in general position, so that a model is refused only if its mass
// matrix is singular everywhere.
#include <string.h>

#include "engine/model/model.h"

enum { MAX_DOFS = 6 };

// Directions in an orthonormal basis; more than six cannot be independent.
typedef struct Span {
  double basis[MAX_DOFS][6];
  int count;
} Span;

// Adds a direction; false where it lies in the span already. Twice is enough.
static bool add_direction(Span* span, TriboVec3 angular, TriboVec3 linear) {
  if (span->count == MAX_DOFS) return false;
  double x[6] = {angular.x, angular.y, angular.z, linear.x, linear.y, linear.z};
  double length2 = 0, left2 = 0;
  for (int k = 0; k < 6; ++k) length2 += x[k] * x[k];
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < span->count; ++i) {
      double along = 0;
      for (int k = 0; k < 6; ++k) along += span->basis[i][k] * x[k];
      for (int k = 0; k < 6; ++k) x[k] -= along * span->basis[i][k];
    }
  }
  for (int k = 0; k < 6; ++k) left2 += x[k] * x[k];
  if (!(left2 > 1e-16 * length2)) return false;
  for (int k = 0; k < 6; ++k) span->basis[span->count][k] = x[k] / sqrt(left2);
  ++span->count;
  return true;
}

// The moving link at the top of a weld group, -1 for the world.
static int group_of(const TriboBuilder* b, const int* joint_of, int link) {
  while (link >= 0 && b->joint[joint_of[link]].type == TRIBO_JOINT_FIXED)
    link = b->joint[joint_of[link]].parent;
  return link;
}

static bool has_mass(const TriboBuilder* b, const int* joint_of, int group) {
  for (int i = 0; i < b->count[TRIBO_KIND_LINK]; ++i) {
    if (b->link[i].mass > 0 && group_of(b, joint_of, i) == group) return true;
  }
  return false;
}

// The joint that moves on a weld group, -1: none, -2: several.
static int joint_below(const TriboBuilder* b, const int* joint_of, int group) {
  int found = -1;
  for (int j = 0; j < b->count[TRIBO_KIND_JOINT]; ++j) {
    if (b->joint[j].type == TRIBO_JOINT_FIXED || b->joint[j].parent < 0 ||
        group_of(b, joint_of, b->joint[j].parent) != group)
      continue;
    if (found >= 0) return -2;
    found = j;
  }
  return found;
}

// Pose of a link in the frame of its weld group's moving link.
static TriboPose pose_in_group(const TriboBuilder* b, const int* joint_of, int link) {
  TriboPose X = tribo_pose_identity();
  while (b->joint[joint_of[link]].type == TRIBO_JOINT_FIXED) {
    const TriboJointDesc* d = &b->joint[joint_of[link]];
    TriboPose back = tribo_pose_from_transform(
        tribo_transform_inverse(tribo_transform_from_pose(d->pose_child)));
    X = tribo_pose_mul(tribo_pose_mul(d->pose_parent, back), X);
    link = d->parent;
  }
  return X;
}

// Adds the directions of a joint whose frame (parent's side) is X_J; moves X_J on to the child's
// side, at a position that depends on `step` only.
static bool add_joint(Span* span, const TriboJointDesc* d, int step, TriboPose* X_J) {
  if (d->armature > 0) return true;
  TriboVec3 axis = tribo_vec3_normalize_or(d->axis, tribo_vec3(0, 0, 1)), x, y;
  tribo_vec3_tangents(axis, &x, &y);
  const TriboVec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, across[2] = {x, y};
  const TriboVec3 zero = tribo_vec3_zero();
  bool ball = d->type == TRIBO_JOINT_BALL || d->type == TRIBO_JOINT_FREE;
  bool planar = d->type == TRIBO_JOINT_PLANAR;
  int turns = ball ? 3 : d->type == TRIBO_JOINT_HINGE || planar ? 1 : 0;
  int slides = d->type == TRIBO_JOINT_FREE ? 3 : planar ? 2 : d->type == TRIBO_JOINT_SLIDE ? 1 : 0;
  bool independent = true;
  for (int k = 0; k < turns; ++k) {
    TriboVec3 w = tribo_quat_rotate(X_J->q, ball ? unit[k] : axis);
    independent = independent && add_direction(span, w, tribo_vec3_cross(X_J->p, w));
  }
  for (int k = 0; k < slides; ++k) {
    TriboVec3 v = slides == 3 ? unit[k] : slides == 2 ? across[k] : axis;
    independent = independent && add_direction(span, zero, tribo_quat_rotate(X_J->q, v));
  }
  TriboPose moved = tribo_pose_identity();
  if (turns > 0) moved.q = tribo_quat_from_axis_angle(axis, 0.7 + 0.37 * step);
  if (slides > 0) moved.p = tribo_vec3_scale(0.1 + 0.07 * step, planar ? x : axis);
  *X_J = tribo_pose_mul(*X_J, moved);
  return independent;
}

const char* tribo_massless_fault(const TriboBuilder* b, const int* joint_of, int link) {
  // The top of the run of massless links speaks for all of it.
  int above = b->joint[joint_of[link]].parent;
  above = above >= 0 ? group_of(b, joint_of, above) : -1;
  if (above >= 0 && !has_mass(b, joint_of, above)) return NULL;

  Span span;
  memset(&span, 0, sizeof span);
  int joint = joint_of[link];
  TriboPose X_J = tribo_pose_identity();
  for (int step = 0;; ++step) {
    if (!add_joint(&span, &b->joint[joint], step, &X_J))
      return "the joints around it move the same way";
    int group = b->joint[joint].child;
    if (has_mass(b, joint_of, group)) return NULL;
    TriboTransform X_CJ = tribo_transform_from_pose(b->joint[joint].pose_child);
    int next = joint_below(b, joint_of, group);
    if (next < 0 && b->joint[joint].armature > 0) return NULL;
    if (next < 0) return next == -1 ? "carries nothing that has" : "carries several links";
    TriboPose X_G = tribo_pose_mul(X_J, tribo_pose_from_transform(tribo_transform_inverse(X_CJ)));
    TriboPose X_P = pose_in_group(b, joint_of, b->joint[next].parent);
    X_J = tribo_pose_mul(tribo_pose_mul(X_G, X_P), b->joint[next].pose_parent);
    joint = next;
  }
}
