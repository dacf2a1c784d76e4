// SPDX-License-Identifier: Apache-2.0
//
// Motion on the manifold of configurations.
#include "engine/tree/tree.h"

// q0 exp(r): exactly q0 at r = 0. The product of unit quaternions is one to rounding; what rounding
// adds up to over many steps is taken off as soon as it shows.
static void turn(const double* q0, TriboVec3 r, double* q1) {
  TriboQuat q = tribo_quat_mul(tribo_quat(q0[0], q0[1], q0[2], q0[3]), tribo_quat_exp(r));
  double excess = tribo_quat_norm2(q) - 1;
  if (fabs(excess) > 1e-15) {
    double s = 1 - 0.5 * excess;
    q = tribo_quat(s * q.w, s * q.x, s * q.y, s * q.z);
  }
  q1[0] = q.w, q1[1] = q.x, q1[2] = q.y, q1[3] = q.z;
}

void tribo_tree_integrate(const TriboModel* model, const double* q0, const double* v, double h,
                          double* q1) {
  for (int i = 0; i < model->nb; ++i) {
    const TriboBody* body = &model->body[i];
    const double *a = q0 + body->q, *speed = v + body->v;
    double* b = q1 + body->q;
    if (body->nv == 1) {
      *b = *a + h * *speed;
      continue;
    }
    if (body->type == TRIBO_JOINT_BALL) {
      turn(a, tribo_vec3_scale(h, tribo_vec3_from(speed)), b);
      continue;
    }
    int straight = body->type == TRIBO_JOINT_FREE ? 3 : body->nv;
    for (int k = 0; k < straight; ++k) b[k] = a[k] + h * speed[k];
    if (body->type == TRIBO_JOINT_FREE)
      turn(a + 3, tribo_vec3_scale(h, tribo_vec3_from(speed + 3)), b + 3);
  }
}

static void rotation_difference(const double* q0, const double* q1, double* dv) {
  TriboQuat a = tribo_quat(q0[0], q0[1], q0[2], q0[3]), b = tribo_quat(q1[0], q1[1], q1[2], q1[3]);
  tribo_vec3_store(tribo_quat_log(tribo_quat_mul(tribo_quat_conjugate(a), b)), dv);
}

void tribo_tree_difference(const TriboModel* model, const double* q0, const double* q1,
                           double* dv) {
  for (int i = 0; i < model->nb; ++i) {
    const TriboBody* body = &model->body[i];
    const double *a = q0 + body->q, *b = q1 + body->q;
    double* d = dv + body->v;
    if (body->type == TRIBO_JOINT_BALL) {
      rotation_difference(a, b, d);
      continue;
    }
    int straight = body->type == TRIBO_JOINT_FREE ? 3 : body->nv;
    for (int k = 0; k < straight; ++k) d[k] = b[k] - a[k];
    if (body->type == TRIBO_JOINT_FREE) rotation_difference(a + 3, b + 3, d + 3);
  }
}
