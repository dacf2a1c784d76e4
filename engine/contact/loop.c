// SPDX-License-Identifier: Apache-2.0
#include "engine/contact/loop.h"

#include <string.h>

int tribo_loop_rows(TriboLoopType type) {
  static const int rows[] = {6, 3, 5, 1};
  return rows[type];
}

static const TriboLoopDesc* loop_of(const TriboModel* model, int loop) {
  return &model->source->loop[loop];
}

static int body_of_link(const TriboModel* model, int link) {
  return link < 0 ? -1 : model->link_body[link];
}

// The dof of a gear's joint, -1: none.
static int dof_of_joint(const TriboModel* model, int joint) {
  const int body = joint < 0 ? -1 : model->joint_body[joint];
  return body < 0 ? -1 : model->body[body].v;
}

static void ends_of(const TriboModel* model, int loop, int end[2]) {
  const TriboLoopDesc* desc = loop_of(model, loop);
  if (desc->type == TRIBO_LOOP_GEAR) {
    end[0] = dof_of_joint(model, desc->joint0);
    end[1] = dof_of_joint(model, desc->joint1);
  } else {
    end[0] = tribo_tree_body_dof(model, body_of_link(model, desc->link0));
    end[1] = tribo_tree_body_dof(model, body_of_link(model, desc->link1));
  }
}

void tribo_loop_trees(const TriboModel* model, int loop, int tree[2]) {
  int end[2];
  ends_of(model, loop, end);
  for (int i = 0; i < 2; ++i) {
    tree[i] = end[i] < 0 ? -1 : model->body[model->dof_body[end[i]]].tree;
  }
}

// A loop's frame in the world.
static TriboTransform place(const TriboModel* model, const TriboTree* tree, int link,
                            TriboPose pose) {
  TriboTransform X = tribo_transform_from_pose(pose);
  if (link < 0) return X;
  X = tribo_transform_mul(model->link_pose[link], X);
  const int body = model->link_body[link];
  return body < 0 ? X : tribo_transform_mul(tree->X_WB[body], X);
}

static void set_row(TriboLoopFrame* frame, TriboSpatial force, double error) {
  frame->error[frame->rows] = error;
  frame->force[frame->rows++] = force;
}

TriboLoopFrame tribo_loop_evaluate(const TriboModel* model, const TriboTree* tree, const double* q,
                                   int loop) {
  const TriboLoopDesc* desc = loop_of(model, loop);
  TriboLoopFrame frame;
  memset(&frame, 0, sizeof frame);
  if (desc->type == TRIBO_LOOP_GEAR) {
    const int dof0 = dof_of_joint(model, desc->joint0), dof1 = dof_of_joint(model, desc->joint1);
    frame.rows = 1;
    frame.error[0] = tribo_tree_position(model, q, dof1) - desc->offset;
    if (dof0 >= 0) frame.error[0] -= desc->ratio * tribo_tree_position(model, q, dof0);
    return frame;
  }
  const TriboTransform X0 = place(model, tree, desc->link0, desc->pose0);
  const TriboTransform X1 = place(model, tree, desc->link1, desc->pose1);
  const TriboVec3 zero = tribo_vec3_zero(), apart = tribo_vec3_sub(X1.p, X0.p);
  frame.point = tribo_vec3_madd(X0.p, 0.5, apart);
  for (int i = 0; i < 3; ++i) {
    const TriboVec3 axis = tribo_mat3_column(X0.R, i);
    set_row(&frame, tribo_spatial(zero, axis), tribo_vec3_dot(axis, apart));
  }
  if (desc->type == TRIBO_LOOP_WELD) {
    const TriboVec3 turn = tribo_quat_log(tribo_quat_from_mat3(tribo_mat3_tmul(X0.R, X1.R)));
    for (int i = 0; i < 3; ++i) {
      set_row(&frame, tribo_spatial(tribo_mat3_column(X0.R, i), zero), tribo_vec3_get(turn, i));
    }
  } else if (desc->type == TRIBO_LOOP_HINGE) {
    const TriboVec3 turn = tribo_vec3_cross(tribo_mat3_column(X0.R, 2), tribo_mat3_column(X1.R, 2));
    for (int i = 0; i < 2; ++i) {
      const TriboVec3 axis = tribo_mat3_column(X0.R, i);
      set_row(&frame, tribo_spatial(axis, zero), tribo_vec3_dot(axis, turn));
    }
  }
  return frame;
}

TriboTreePath tribo_loop_path(const TriboModel* model, int loop) {
  int end[2];
  ends_of(model, loop, end);
  return tribo_tree_path(model, end[0], end[1]);
}

// Rows that only rounding keeps from being zero (the direction across the plane of a linkage) are
// made zero: scaled to length 1 they would be noise that the solver takes for a direction.
static void clear_noise(int rows, int count, int stride, double* values) {
  double square[TRIBO_LOOP_ROWS], largest = 0;
  for (int r = 0; r < rows; ++r) {
    square[r] = 0;
    for (int e = 0; e < count; ++e) square[r] += values[r * stride + e] * values[r * stride + e];
    if (square[r] > largest) largest = square[r];
  }
  for (int r = 0; r < rows; ++r) {
    if (square[r] > 1e-20 * largest) continue;
    memset(values + r * stride, 0, (size_t)count * sizeof *values);
  }
}

void tribo_loop_write(const TriboModel* model, const TriboTree* tree, const TriboTreePath* path,
                      int loop, const TriboLoopFrame* frame, int stride, double* values) {
  const TriboLoopDesc* desc = loop_of(model, loop);
  if (desc->type == TRIBO_LOOP_GEAR) {
    const int dof0 = dof_of_joint(model, desc->joint0), dof1 = dof_of_joint(model, desc->joint1);
    memset(values, 0, (size_t)path->count * sizeof *values);
    values[tribo_tree_path_find(model, path, dof1)] += 1;
    if (dof0 >= 0) values[tribo_tree_path_find(model, path, dof0)] -= desc->ratio;
  } else {
    tribo_tree_path_rows(model, tree, path, frame->point, frame->rows, frame->force, stride,
                         values);
  }
  tribo_tree_half_solve(model, tree, path, frame->rows, stride, values);
  clear_noise(frame->rows, path->count, stride, values);
}
