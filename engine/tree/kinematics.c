// SPDX-License-Identifier: Apache-2.0
//
// Poses from the root outwards, one body after the other: parents come before children.
#include <string.h>

#include "engine/base/trig.h"
#include "engine/tree/tree.h"

// R turned by `angle` about its own z axis.
static TriboMat3 turn_about_z(TriboMat3 R, double angle) {
  double s, c;
  tribo_sincos(angle, &s, &c);
  for (int i = 0; i < 9; i += 3) {
    double x = R.m[i], y = R.m[i + 1];
    R.m[i] = c * x + s * y;
    R.m[i + 1] = c * y - s * x;
  }
  return R;
}

static TriboQuat quat_at(const double* q) { return tribo_quat(q[0], q[1], q[2], q[3]); }

static void columns(TriboMat3 R, TriboVec3* axis) {
  for (int i = 0; i < 3; ++i) axis[i] = tribo_mat3_column(R, i);
}

// The joint's motion from the frame F on the parent: turns R (given as that of F), lengthens d, and
// tells the axes of its dofs.
static void move_joint(TriboJointType type, const double* q, TriboMat3* R, TriboVec3* d,
                       TriboVec3* axis) {
  switch (type) {
    case TRIBO_JOINT_FREE:
      columns(*R, axis);
      *d = tribo_vec3_add(*d, tribo_mat3_mul_vec(*R, tribo_vec3_from(q)));
      *R = tribo_mat3_mul(*R, tribo_quat_to_mat3(quat_at(q + 3)));
      columns(*R, axis + 3);
      break;
    case TRIBO_JOINT_BALL:
      *R = tribo_mat3_mul(*R, tribo_quat_to_mat3(quat_at(q)));
      columns(*R, axis);
      break;
    case TRIBO_JOINT_HINGE:
      axis[0] = tribo_mat3_column(*R, 2);
      *R = turn_about_z(*R, q[0]);
      break;
    case TRIBO_JOINT_SLIDE:
      axis[0] = tribo_mat3_column(*R, 2);
      *d = tribo_vec3_madd(*d, q[0], axis[0]);
      break;
    case TRIBO_JOINT_PLANAR:
      columns(*R, axis);
      *d = tribo_vec3_madd(tribo_vec3_madd(*d, q[0], axis[0]), q[1], axis[1]);
      *R = turn_about_z(*R, q[2]);
      break;
    case TRIBO_JOINT_FIXED:  // folded away
      break;
  }
}

void tribo_tree_kinematics(const TriboModel* model, TriboTree* tree, const double* q) {
  size_t size = (size_t)model->nq * sizeof *q;
  if (tree->stage >= TRIBO_TREE_KINEMATICS && memcmp(tree->q, q, size) == 0) return;
  memcpy(tree->q, q, size);
  tree->stage = TRIBO_TREE_KINEMATICS;
  for (int i = 0; i < model->nb; ++i) {
    const TriboBody* body = &model->body[i];
    TriboTransform* X = &tree->X_WB[i];
    TriboMat3 R = body->X_PF.R;
    TriboVec3 d = body->X_PF.p, p = tribo_vec3_zero();
    if (body->parent >= 0) {
      const TriboTransform* X_P = &tree->X_WB[body->parent];
      R = tribo_mat3_mul(X_P->R, R);
      d = tribo_mat3_mul_vec(X_P->R, d);
      p = X_P->p;
    }
    move_joint(body->type, q + body->q, &R, &d, tree->axis + body->v);
    X->R = R;
    X->p = tribo_vec3_add(p, d);
    tree->offset[i] = d;
    TriboInertia* inertia = &tree->inertia[i];
    inertia->m = body->inertia.m;
    inertia->h = tribo_mat3_mul_vec(R, body->inertia.h);
    tribo_symmetric_rotate(R, body->inertia.I, inertia->I);
  }
}

void tribo_tree_velocities(const TriboModel* model, TriboTree* tree, const double* v) {
  for (int i = 0; i < model->nb; ++i) {
    const TriboBody* body = &model->body[i];
    TriboSpatial V = tribo_spatial_zero();
    if (body->parent >= 0) {
      V = tree->V[body->parent];
      V.v = tribo_vec3_add(V.v, tribo_vec3_cross(V.w, tree->offset[i]));
    }
    int k = body->v, turns = body->turns, end = k + body->nv;
    for (; k < turns; ++k) V.v = tribo_vec3_madd(V.v, v[k], tree->axis[k]);
    for (; k < end; ++k) V.w = tribo_vec3_madd(V.w, v[k], tree->axis[k]);
    tree->V[i] = V;
  }
}
