// SPDX-License-Identifier: Apache-2.0
//
// Poses from the root outwards, one body after the other: parents come before children.
#include <string.h>

#include "engine/base/trig.h"
#include "engine/tree/lanes.h"
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

// What most bodies are, on a hinge on another: the rows of R_P F, turned about F's z axis.
static inline void place_hinge(const TriboTransform* X_P, const TriboTransform* F, double angle,
                               TriboTransform* X, TriboVec3* offset, TriboVec3* axis) {
  double s, c, d[3], z[3];
  tribo_sincos(angle, &s, &c);
  const double* f = F->R.m;
  // x and y together, and z with the offset.
  const TriboLanes cosine = tribo_lanes_fill(c), sine = tribo_lanes(s, -s);
  const TriboLanes f0 = tribo_lanes_load(f), g0 = tribo_lanes(f[2], F->p.x);
  const TriboLanes f1 = tribo_lanes_load(f + 3), g1 = tribo_lanes(f[5], F->p.y);
  const TriboLanes f2 = tribo_lanes_load(f + 6), g2 = tribo_lanes(f[8], F->p.z);
  for (int i = 0; i < 3; ++i) {
    const double* p = X_P->R.m + 3 * i;
    const TriboLanes p0 = tribo_lanes_fill(p[0]), p1 = tribo_lanes_fill(p[1]);
    const TriboLanes p2 = tribo_lanes_fill(p[2]);
    const TriboLanes xy = p0 * f0 + p1 * f1 + p2 * f2, yx = {xy[1], xy[0]};
    const TriboLanes zd = p0 * g0 + p1 * g1 + p2 * g2;
    z[i] = zd[0];
    d[i] = zd[1];
    tribo_lanes_store(X->R.m + 3 * i, cosine * xy + sine * yx);
    X->R.m[3 * i + 2] = z[i];
  }
  *axis = tribo_vec3_from(z);
  *offset = tribo_vec3_from(d);
  X->p = tribo_vec3_add(X_P->p, *offset);
}

// Any other body.
static void place_body(const TriboBody* body, const TriboTransform* X_P, const double* q,
                       TriboTransform* X, TriboVec3* offset, TriboVec3* axis) {
  TriboMat3 R = body->X_PF.R;
  TriboVec3 d = body->X_PF.p, p = tribo_vec3_zero();
  if (X_P) {
    R = tribo_mat3_mul(X_P->R, R);
    d = tribo_mat3_mul_vec(X_P->R, d);
    p = X_P->p;
  }
  move_joint(body->type, q, &R, &d, axis);
  X->R = R;
  X->p = tribo_vec3_add(p, d);
  *offset = d;
}

// A body's inertia in world axes, as tribo_symmetric_rotate has it: the first two rows of R
// together.
static inline void turn_inertia(TriboMat3 R, const TriboInertia* own, TriboInertia* out) {
  const TriboVec3 x = tribo_mat3_row(R, 0), y = tribo_mat3_row(R, 1), z = tribo_mat3_row(R, 2);
  const TriboLanes3 xy = tribo_lanes3(&x, &y), zz = tribo_lanes3_fill(z);
  TriboLanes A[6];
  for (int i = 0; i < 6; ++i) A[i] = tribo_lanes_fill(own->I[i]);
  const TriboLanes3 a = tribo_lanes3_symmetric_mul(A, xy);
  const TriboVec3 ax = tribo_vec3(a.x[0], a.y[0], a.z[0]);
  tribo_lanes_store(out->I, tribo_lanes3_dot(xy, a));
  out->I[2] = tribo_vec3_dot(z, tribo_symmetric_mul(own->I, z));
  out->I[3] = tribo_vec3_dot(y, ax);
  tribo_lanes_store(out->I + 4, tribo_lanes3_dot(zz, a));
  const TriboLanes h = tribo_lanes3_dot(xy, tribo_lanes3_fill(own->h));
  out->h = tribo_vec3(h[0], h[1], tribo_vec3_dot(z, own->h));
  out->m = own->m;
}

void tribo_tree_kinematics(const TriboModel* model, TriboTree* tree, const double* q) {
  size_t size = (size_t)model->nq * sizeof *q;
  if (tree->stage >= TRIBO_TREE_KINEMATICS && memcmp(tree->q, q, size) == 0) return;
  memcpy(tree->q, q, size);
  tree->stage = TRIBO_TREE_KINEMATICS;
  for (int i = 0; i < model->nb; ++i) {
    const TriboBody* body = &model->body[i];
    TriboTransform* X = &tree->X_WB[i];
    const TriboTransform* X_P = body->parent >= 0 ? &tree->X_WB[body->parent] : NULL;
    TriboVec3 *offset = &tree->offset[i], *axis = tree->axis + body->v;
    if (body->type == TRIBO_JOINT_HINGE && X_P) {
      place_hinge(X_P, &body->X_PF, q[body->q], X, offset, axis);
    } else {
      place_body(body, X_P, q + body->q, X, offset, axis);
    }
    turn_inertia(X->R, &body->inertia, &tree->inertia[i]);
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
