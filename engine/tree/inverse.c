// SPDX-License-Identifier: Apache-2.0
//
// Recursive Newton-Euler in world axes with classical accelerations of the bodies' origins. Only
// angular velocities enter, so that the forces do not depend on how fast the whole moves.
#include "engine/tree/tree.h"

// Velocity field of the accelerations within a body: x -> alpha x x + omega x (omega x x).
static inline TriboMat3 acceleration_field(TriboVec3 omega, TriboVec3 alpha) {
  double xx = omega.x * omega.x, yy = omega.y * omega.y, zz = omega.z * omega.z;
  double xy = omega.x * omega.y, xz = omega.x * omega.z, yz = omega.y * omega.z;
  TriboMat3 B = {{-(yy + zz), xy - alpha.z, xz + alpha.y,  //
                  xy + alpha.z, -(xx + zz), yz - alpha.x,  //
                  xz - alpha.y, yz + alpha.x, -(xx + yy)}};
  return B;
}

// Notes the motion of body i, and the force and moment about its origin that it needs.
static inline __attribute__((always_inline)) void set_motion(TriboTree* tree, int i,
                                                             TriboVec3 omega, TriboVec3 alpha,
                                                             TriboVec3 origin) {
  TriboMat3 field = acceleration_field(omega, alpha);
  tree->omega[i] = omega;
  tree->A[i] = tribo_spatial(alpha, origin);
  tree->field[i] = field;
  const TriboInertia* I = &tree->inertia[i];
  TriboVec3 spin = tribo_vec3_cross(omega, tribo_symmetric_mul(I->I, omega));
  TriboVec3 moment = tribo_vec3_add(tribo_symmetric_mul(I->I, alpha), spin);
  tree->F[i] = tribo_spatial(tribo_vec3_add(moment, tribo_vec3_cross(I->h, origin)),
                             tribo_vec3_madd(tribo_mat3_mul_vec(field, I->h), I->m, origin));
}

// Motion of body i from its parent's, and the force and moment about its origin that it needs.
static void move_body(const TriboModel* model, TriboTree* tree, int i, const double* v,
                      const double* a, TriboVec3 gravity) {
  const TriboBody* body = &model->body[i];
  const TriboVec3* axis = tree->axis + body->v;
  TriboVec3 omega = tribo_vec3_zero(), alpha = omega, origin = tribo_vec3_neg(gravity);
  v += body->v;
  int slides = body->turns - body->v;
  if (body->parent >= 0) {
    omega = tree->omega[body->parent];
    alpha = tree->A[body->parent].w;
    origin = tribo_vec3_add(tree->A[body->parent].v,
                            tribo_mat3_mul_vec(tree->field[body->parent], tree->offset[i]));
    TriboVec3 slide = tribo_vec3_zero();
    for (int k = 0; k < slides; ++k) slide = tribo_vec3_madd(slide, v[k], axis[k]);
    if (slides > 0) origin = tribo_vec3_madd(origin, 2, tribo_vec3_cross(omega, slide));
  }
  // Translations are along axes of the parent, rotations about axes of the body.
  TriboVec3 turn = tribo_vec3_zero();
  if (body->nv == 1 && slides == 0) {
    turn = tribo_vec3_scale(*v, *axis);
  } else {
    for (int k = slides; k < body->nv; ++k) turn = tribo_vec3_madd(turn, v[k], axis[k]);
  }
  alpha = tribo_vec3_add(alpha, tribo_vec3_cross(omega, turn));
  omega = tribo_vec3_add(omega, turn);
  if (a) {
    a += body->v;
    for (int k = 0; k < slides; ++k) origin = tribo_vec3_madd(origin, a[k], axis[k]);
    for (int k = slides; k < body->nv; ++k) alpha = tribo_vec3_madd(alpha, a[k], axis[k]);
  }
  set_motion(tree, i, omega, alpha, origin);
}

// Hands the force of body i down; tau is its part along the dofs.
static inline void hand_down(const TriboModel* model, TriboTree* tree, int i, double* tau) {
  const TriboBody* body = &model->body[i];
  TriboSpatial F = tree->F[i];
  if (body->type == TRIBO_JOINT_HINGE) {
    tau[body->v] = tribo_vec3_dot(tree->axis[body->v], F.w);
  } else {
    int k = body->v;
    for (; k < body->turns; ++k) tau[k] = tribo_vec3_dot(tree->axis[k], F.v);
    for (; k < body->v + body->nv; ++k) tau[k] = tribo_vec3_dot(tree->axis[k], F.w);
  }
  if (body->parent < 0) return;
  TriboSpatial* P = &tree->F[body->parent];
  P->v = tribo_vec3_add(P->v, F.v);
  P->w = tribo_vec3_add(P->w, tribo_vec3_add(F.w, tribo_vec3_cross(tree->offset[i], F.v)));
}

static void gather(const TriboModel* model, TriboTree* tree, double* tau) {
  for (int i = model->nb - 1; i >= 0; --i) hand_down(model, tree, i, tau);
}

// ---- the bias alone

// move_body for what most bodies are: on a hinge on another, without accelerations of the joint.
static inline void move_hinge(TriboTree* tree, int i, int parent, TriboVec3 axis, double rate) {
  TriboVec3 turn = tribo_vec3_scale(rate, axis), omega = tree->omega[parent];
  TriboVec3 alpha = tribo_vec3_add(tree->A[parent].w, tribo_vec3_cross(omega, turn));
  TriboVec3 origin =
      tribo_vec3_add(tree->A[parent].v, tribo_mat3_mul_vec(tree->field[parent], tree->offset[i]));
  omega = tribo_vec3_add(omega, turn);
  set_motion(tree, i, omega, alpha, origin);
}

// move_hinge and set_motion for twins: the same operations on both.
static void move_twins(const TriboModel* model, TriboTree* tree, int i, int j, const double* v) {
  const TriboBody *bi = &model->body[i], *bj = &model->body[j];
  TriboTwins *twins = &tree->twins[i], above;
  int parent = bi->parent;
  const TriboTwins* up = &tree->twins[parent];
  if (parent == bj->parent) {
    above.w = tribo_lanes3_fill(tree->omega[parent]);
    above.alpha = tribo_lanes3_fill(tree->A[parent].w);
    above.a = tribo_lanes3_fill(tree->A[parent].v);
    for (int k = 0; k < 9; ++k) above.field[k] = tribo_lanes_fill(tree->field[parent].m[k]);
    up = &above;
  }
  TriboLanes3 axis = tribo_lanes3(&tree->axis[bi->v], &tree->axis[bj->v]);
  TriboLanes3 turn = tribo_lanes3_scale(tribo_lanes(v[bi->v], v[bj->v]), axis), w = up->w;
  TriboLanes3 alpha = tribo_lanes3_add(up->alpha, tribo_lanes3_cross(w, turn));
  TriboLanes3 offset = tribo_lanes3(&tree->offset[i], &tree->offset[j]);
  TriboLanes3 a = tribo_lanes3_add(up->a, tribo_lanes3_mat_mul(up->field, offset));
  w = tribo_lanes3_add(w, turn);
  TriboLanes xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  TriboLanes xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  TriboLanes field[9] = {-(yy + zz),   xy - alpha.z, xz + alpha.y, xy + alpha.z, -(xx + zz),
                         yz - alpha.x, xz - alpha.y, yz + alpha.x, -(xx + yy)};
  const TriboInertia *ei = &tree->inertia[i], *ej = &tree->inertia[j];
  TriboLanes3 h = tribo_lanes3(&ei->h, &ej->h);
  TriboLanes I[6];
  for (int k = 0; k < 6; ++k) I[k] = tribo_lanes(ei->I[k], ej->I[k]);
  TriboLanes3 spin = tribo_lanes3_cross(w, tribo_lanes3_symmetric_mul(I, w));
  TriboLanes3 moment = tribo_lanes3_add(tribo_lanes3_symmetric_mul(I, alpha), spin);
  twins->L = tribo_lanes3_add(moment, tribo_lanes3_cross(h, a));
  twins->P = tribo_lanes3_madd(tribo_lanes3_mat_mul(field, h), tribo_lanes(ei->m, ej->m), a);
  twins->w = w, twins->alpha = alpha, twins->a = a;
  for (int k = 0; k < 9; ++k) twins->field[k] = field[k];
  twins->axis = axis, twins->offset = offset;
}

static void hand_down_twins(const TriboModel* model, TriboTree* tree, int i, int j, double* tau) {
  const TriboTwins* twins = &tree->twins[i];
  TriboLanes along = tribo_lanes3_dot(twins->axis, twins->L);
  tau[model->body[i].v] = along[0], tau[model->body[j].v] = along[1];
  tribo_twins_hand_down(model, tree, i, 0);
}

void tribo_tree_bias(const TriboModel* model, TriboTree* tree, int begin, int end, const double* v,
                     double* bias) {
  for (int i = begin; i < end; ++i) {
    const TriboBody* body = &model->body[i];
    if (body->twin > i) {
      move_twins(model, tree, i, body->twin, v);
    } else if (body->twin >= 0) {
      continue;
    } else if (body->type == TRIBO_JOINT_HINGE && body->parent >= 0) {
      move_hinge(tree, i, body->parent, tree->axis[body->v], v[body->v]);
    } else {
      move_body(model, tree, i, v, NULL, tribo_vec3_zero());
    }
  }
  for (int i = end - 1; i >= begin; --i) {
    int twin = model->body[i].twin;
    if (twin > i) {
      hand_down_twins(model, tree, i, twin, bias);
    } else if (twin < 0) {
      hand_down(model, tree, i, bias);
    }
  }
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
  for (int i = 0; i < model->nb; ++i) move_body(model, tree, i, v, a, gravity);
  if (wrench) tribo_tree_subtract_wrenches(model, tree, wrench);
  gather(model, tree, tau);
  for (int i = 0; a && i < model->nb; ++i) {
    const TriboBody* body = &model->body[i];
    for (int k = body->v; k < body->v + body->nv; ++k) tau[k] += body->armature * a[k];
  }
}

void tribo_tree_wrench_forces(const TriboModel* model, TriboTree* tree, const double* wrench,
                              double* force) {
  for (int i = 0; i < model->nb; ++i) tree->F[i] = tribo_spatial_zero();
  tribo_tree_subtract_wrenches(model, tree, wrench);
  gather(model, tree, tree->scratch);
  for (int k = 0; k < model->nv; ++k) force[k] -= tree->scratch[k];
}
