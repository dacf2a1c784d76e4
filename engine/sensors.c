// SPDX-License-Identifier: Apache-2.0
//
// Sensors of the last step: joint reactions and inertial measurement units. Both follow from the
// accelerations (v+ - v)/h at the configuration where the step's forces acted.
#include <string.h>

#include "engine/state.h"
#include "engine/workspace.h"

static bool has_results(const TriboModel* model, const TriboState* state,
                        const TriboWorkspace* ws) {
  return model != NULL && state != NULL && ws != NULL && ws->results.model == model &&
         state->model_hash == model->hash;
}

// Poses, angular velocities and accelerations (less gravity) of the bodies during the step.
static void place_bodies(const TriboModel* model, TriboWorkspace* ws) {
  const TriboResults* results = &ws->results;
  tribo_tree_kinematics(model, &ws->tree, results->q);
  tribo_tree_inverse(model, &ws->tree, results->v, results->a, NULL, model->gravity, ws->shift);
}

// A point fixed to a body (-1: the world) and its acceleration less gravity.
static TriboVec3 acceleration_at(const TriboModel* model, const TriboTree* tree, int body,
                                 TriboVec3 point) {
  if (body < 0) return tribo_vec3_neg(model->gravity);
  const TriboVec3 arm = tribo_vec3_sub(point, tree->X_WB[body].p), w = tree->omega[body];
  const TriboVec3 turning = tribo_vec3_add(tribo_vec3_cross(tree->A[body].w, arm),
                                           tribo_vec3_cross(w, tribo_vec3_cross(w, arm)));
  return tribo_vec3_add(tree->A[body].v, turning);
}

static TriboTransform link_transform(const TriboModel* model, const TriboTree* tree, int link) {
  const int body = model->link_body[link];
  return body < 0 ? model->link_pose[link]
                  : tribo_transform_mul(tree->X_WB[body], model->link_pose[link]);
}

// ---- joint reactions

// A force system about a point.
typedef struct Wrench {
  TriboVec3 force, torque, point;
} Wrench;

static void add_force(Wrench* wrench, double sign, TriboVec3 force, TriboVec3 torque,
                      TriboVec3 at) {
  const TriboVec3 arm = tribo_vec3_sub(at, wrench->point);
  wrench->force = tribo_vec3_madd(wrench->force, sign, force);
  wrench->torque = tribo_vec3_madd(wrench->torque, sign, torque);
  wrench->torque = tribo_vec3_madd(wrench->torque, sign, tribo_vec3_cross(arm, force));
}

// Whether a link is `top` or hangs on it.
static bool hangs_on(const TriboModel* model, int link, int top) {
  while (link >= 0 && link != top) link = model->source->joint[model->link_joint[link]].parent;
  return link == top && link >= 0;
}

// What gives a link its acceleration against gravity.
static void add_motion(const TriboModel* model, const TriboTree* tree, int link, Wrench* wrench) {
  const TriboLinkDesc* desc = &model->source->link[link];
  const int body = model->link_body[link];
  const TriboTransform X = link_transform(model, tree, link);
  const TriboVec3 com = tribo_transform_point(X, desc->com), zero = tribo_vec3_zero();
  const TriboVec3 w = body < 0 ? zero : tree->omega[body], a = body < 0 ? zero : tree->A[body].w;
  double I[6];
  tribo_symmetric_rotate(X.R, desc->inertia, I);
  const TriboVec3 moment =
      tribo_vec3_add(tribo_symmetric_mul(I, a), tribo_vec3_cross(w, tribo_symmetric_mul(I, w)));
  const TriboVec3 force = tribo_vec3_scale(desc->mass, acceleration_at(model, tree, body, com));
  add_force(wrench, 1, force, moment, com);
}

// Less what acts on the links from outside: inputs, contacts and loops.
static void subtract_contacts(const TriboWorkspace* ws, int top, Wrench* wrench) {
  const TriboModel* model = ws->results.model;
  TriboContactResult contact;
  for (int c = 0; tribo_contact_get(ws, c, &contact); ++c) {
    const double sign = (hangs_on(model, contact.link1, top) ? 1 : 0) -
                        (hangs_on(model, contact.link0, top) ? 1 : 0);
    if (sign == 0) continue;
    const TriboVec3 spin = tribo_mat3_mul_vec(
        contact.frame, tribo_vec3(contact.torsion, contact.rolling[0], contact.rolling[1]));
    add_force(wrench, -sign, contact.force_W, tribo_vec3_scale(1 / ws->results.h, spin),
              contact.point);
  }
}

static void subtract_loops(const TriboWorkspace* ws, int top, Wrench* wrench) {
  const TriboModel* model = ws->results.model;
  for (int l = 0; l < ws->problems.loops; ++l) {
    const TriboLoopDesc* desc = &model->source->loop[l];
    TriboVec3 force, torque;
    if (desc->type == TRIBO_LOOP_GEAR || tribo_loop_reaction(ws, l, &force, &torque) != TRIBO_OK) {
      continue;
    }
    const double sign =
        (hangs_on(model, desc->link1, top) ? 1 : 0) - (hangs_on(model, desc->link0, top) ? 1 : 0);
    if (sign != 0) add_force(wrench, -sign, force, torque, ws->problems.loop[l].frame.point);
  }
}

TriboStatus tribo_joint_reaction(const TriboModel* model, const TriboState* state,
                                 TriboWorkspace* workspace, int joint, TriboVec3* force,
                                 TriboVec3* torque) {
  if (!has_results(model, state, workspace) || force == NULL || torque == NULL || joint < 0 ||
      joint >= model->source->count[TRIBO_KIND_JOINT]) {
    return TRIBO_ERROR_ARGUMENT;
  }
  const TriboTree* tree = &workspace->tree;
  place_bodies(model, workspace);
  const TriboJointDesc* desc = &model->source->joint[joint];
  const TriboTransform X = link_transform(model, tree, desc->child);
  Wrench wrench = {tribo_vec3_zero(), tribo_vec3_zero(),
                   tribo_transform_point(X, desc->pose_child.p)};
  for (int link = 0; link < model->source->count[TRIBO_KIND_LINK]; ++link) {
    if (!hangs_on(model, link, desc->child)) continue;
    add_motion(model, tree, link, &wrench);
    const double* input = workspace->results.wrench + 6 * link;
    add_force(&wrench, -1, tribo_vec3_from(input), tribo_vec3_from(input + 3),
              link_transform(model, tree, link).p);
  }
  subtract_contacts(workspace, desc->child, &wrench);
  subtract_loops(workspace, desc->child, &wrench);
  *force = wrench.force;
  *torque = wrench.torque;
  return TRIBO_OK;
}

// ---- inertial measurement unit

TriboStatus tribo_imu(const TriboModel* model, const TriboState* state, TriboWorkspace* workspace,
                      int frame, TriboVec3* specific_force, TriboVec3* angular_velocity) {
  if (!has_results(model, state, workspace) || specific_force == NULL || angular_velocity == NULL ||
      frame < 0 || frame >= model->source->count[TRIBO_KIND_FRAME]) {
    return TRIBO_ERROR_ARGUMENT;
  }
  TriboTree* tree = &workspace->tree;
  const TriboFrameDesc* desc = &model->source->frame[frame];
  const int body = desc->link < 0 ? -1 : model->link_body[desc->link];
  const TriboTransform X_LF = tribo_transform_from_pose(desc->pose);
  place_bodies(model, workspace);
  const TriboTransform X =
      desc->link < 0 ? X_LF : tribo_transform_mul(link_transform(model, tree, desc->link), X_LF);
  *specific_force = tribo_mat3_tmul_vec(X.R, acceleration_at(model, tree, body, X.p));
  // The spin that the step ended with.
  tribo_tree_velocities(model, tree, state->v);
  *angular_velocity = body < 0 ? tribo_vec3_zero() : tribo_mat3_tmul_vec(X.R, tree->V[body].w);
  return TRIBO_OK;
}
