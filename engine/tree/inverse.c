// SPDX-License-Identifier: Apache-2.0
//
// Recursive Newton-Euler in world axes with classical accelerations of the bodies' origins. Only
// angular velocities enter, so that the forces do not depend on how fast the whole moves.
#include <string.h>

#include "engine/tree/tree.h"

// Angular velocity and acceleration of body i from its parent's.
static void move_body(const TriboModel* model, TriboTree* tree, int i, const double* v,
                      const double* a, TriboVec3 gravity) {
  const TriboBody* body = &model->body[i];
  TriboVec3 omega = tribo_vec3_zero();
  TriboSpatial A = tribo_spatial(omega, tribo_vec3_neg(gravity));
  if (body->parent >= 0) {
    TriboVec3 d = tree->offset[i];
    omega = tree->omega[body->parent];
    A = tree->A[body->parent];
    A.v = tribo_vec3_add(A.v, tribo_vec3_add(tribo_vec3_cross(A.w, d),
                                             tribo_vec3_cross(omega, tribo_vec3_cross(omega, d))));
  }
  // The joint's own motion: translations along axes of the parent, rotations about axes of the
  // body.
  TriboVec3 slide = tribo_vec3_zero(), turn = tribo_vec3_zero();
  int k = body->v, turns = body->turns, end = k + body->nv;
  for (; k < turns; ++k) {
    slide = tribo_vec3_madd(slide, v[k], tree->axis[k]);
    if (a) A.v = tribo_vec3_madd(A.v, a[k], tree->axis[k]);
  }
  for (; k < end; ++k) {
    turn = tribo_vec3_madd(turn, v[k], tree->axis[k]);
    if (a) A.w = tribo_vec3_madd(A.w, a[k], tree->axis[k]);
  }
  A.v = tribo_vec3_madd(A.v, 2, tribo_vec3_cross(omega, slide));
  A.w = tribo_vec3_add(A.w, tribo_vec3_cross(omega, turn));
  tree->omega[i] = tribo_vec3_add(omega, turn);
  tree->A[i] = A;
}

// Force and moment about its origin that give a body its acceleration.
static TriboSpatial needed_force(const TriboInertia* I, TriboVec3 omega, TriboSpatial A) {
  TriboVec3 spin = tribo_vec3_cross(omega, tribo_vec3_cross(omega, I->h));
  TriboVec3 gyro = tribo_vec3_cross(omega, tribo_symmetric_mul(I->I, omega));
  TriboVec3 force = tribo_vec3_madd(tribo_vec3_add(tribo_vec3_cross(A.w, I->h), spin), I->m, A.v);
  TriboVec3 moment = tribo_vec3_add(tribo_vec3_add(tribo_symmetric_mul(I->I, A.w), gyro),
                                    tribo_vec3_cross(I->h, A.v));
  return tribo_spatial(moment, force);
}

void tribo_tree_subtract_wrenches(const TriboModel* model, TriboTree* tree, const double* wrench) {
  int links = model->source->count[TRIBO_KIND_LINK];
  for (int link = 0; link < links; ++link, wrench += 6) {
    int b = model->link_body[link];
    if (b < 0) continue;
    TriboVec3 force = tribo_vec3_from(wrench), torque = tribo_vec3_from(wrench + 3);
    TriboVec3 arm = tribo_mat3_mul_vec(tree->X_WB[b].R, model->link_pose[link].p);
    torque = tribo_vec3_add(torque, tribo_vec3_cross(arm, force));
    tree->F[b] = tribo_spatial_sub(tree->F[b], tribo_spatial(torque, force));
  }
}

void tribo_tree_inverse(const TriboModel* model, TriboTree* tree, const double* v, const double* a,
                        const double* wrench, TriboVec3 gravity, double* tau) {
  for (int i = 0; i < model->nb; ++i) {
    move_body(model, tree, i, v, a, gravity);
    tree->F[i] = needed_force(&tree->inertia[i], tree->omega[i], tree->A[i]);
  }
  if (wrench) tribo_tree_subtract_wrenches(model, tree, wrench);
  for (int i = model->nb - 1; i >= 0; --i) {
    const TriboBody* body = &model->body[i];
    TriboSpatial F = tree->F[i];
    int k = body->v, turns = body->turns, end = k + body->nv;
    for (; k < turns; ++k) tau[k] = tribo_vec3_dot(tree->axis[k], F.v);
    for (; k < end; ++k) tau[k] = tribo_vec3_dot(tree->axis[k], F.w);
    if (a) {
      for (k = body->v; k < end; ++k) tau[k] += body->armature * a[k];
    }
    if (body->parent >= 0) {
      TriboSpatial* P = &tree->F[body->parent];
      P->v = tribo_vec3_add(P->v, F.v);
      P->w = tribo_vec3_add(P->w, tribo_vec3_add(F.w, tribo_vec3_cross(tree->offset[i], F.v)));
    }
  }
}
