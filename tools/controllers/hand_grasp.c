// SPDX-License-Identifier: Apache-2.0
//
// A finger of two hinges moves in a plane, and its two efforts make any force in that plane at the
// point where it touches: J^T f, with J of that point. The force asked for is along the contact's
// normal, so that friction is left for what disturbs the object. Its size is integrated from what
// is measured,
//   press' = integral (force - measured),
// for each finger by itself: three fingers and the palm leave a convex object no motion in which
// pressing could drift, unlike the two jaws of a parallel gripper. The fingers' own weight is taken
// up by inverse dynamics.
#include "tools/controllers/hand_grasp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BASE = 0, TIP = 1 };

TriboHandGraspOptions tribo_hand_grasp_options_default(void) {
  TriboHandGraspOptions options = {
      .force = 2,
      .integral = 30,
      .closing_speed = 1,
      .damping = 0.02,
      .shape_stiffness = 0.1,
      .shape_damping = 0.002,
      .shape = 0,
  };
  return options;
}

size_t tribo_hand_grasp_memory(const TriboModel* model) {
  return 8 * (size_t)tribo_model_nv(model);
}

static TriboStatus refuse(TriboMessage* message, TriboStatus status, const char* what,
                          const char* name) {
  if (message) {
    memset(message, 0, sizeof *message);
    message->status = status;
    snprintf(message->text, sizeof message->text, "the hand-grasp controller needs %s '%s'", what,
             name);
  }
  return status;
}

// Finds an actuator and its hinge, and says which links that joins.
static TriboStatus init_joint(TriboHandFinger* finger, int which, const TriboModel* model,
                              const char* name, int* parent, int* child, TriboMessage* message) {
  TriboActuatorDesc* desc = &finger->desc[which];
  finger->actuator[which] = tribo_model_find(model, TRIBO_KIND_ACTUATOR, name);
  if (!tribo_model_actuator(model, finger->actuator[which], desc) ||
      desc->type != TRIBO_ACTUATOR_EFFORT || desc->gear * desc->scale == 0)
    return refuse(message, TRIBO_ERROR_MODEL, "an effort actuator with a gear", name);
  TriboJointDesc joint;
  if (!tribo_model_joint(model, desc->joint, &joint) || joint.type != TRIBO_JOINT_HINGE)
    return refuse(message, TRIBO_ERROR_MODEL, "a hinge under the actuator", name);
  finger->coordinate[which] = tribo_model_joint_q(model, desc->joint);
  finger->dof[which] = tribo_model_joint_v(model, desc->joint);
  *parent = joint.parent;
  *child = joint.child;
  return TRIBO_OK;
}

static TriboStatus init_finger(TriboHandFinger* finger, int number, const TriboModel* model,
                               TriboMessage* message) {
  char base[16], tip[16];
  snprintf(base, sizeof base, "base%d", number);
  snprintf(tip, sizeof tip, "tip%d", number);
  int palm, parent;
  TriboStatus status = init_joint(finger, BASE, model, base, &palm, &finger->base, message);
  if (status == TRIBO_OK)
    status = init_joint(finger, TIP, model, tip, &parent, &finger->tip, message);
  if (status == TRIBO_OK && parent != finger->base)
    status = refuse(message, TRIBO_ERROR_MODEL, "the base's link under the joint of", tip);
  return status;
}

TriboStatus tribo_hand_grasp_init(TriboHandGrasp* grasp, const TriboHandGraspOptions* options,
                                  const TriboModel* model, const TriboState* state, double* memory,
                                  TriboMessage* message) {
  memset(grasp, 0, sizeof *grasp);
  grasp->options = options ? *options : tribo_hand_grasp_options_default();
  grasp->model = model;
  if (!(grasp->options.force > 0))
    return refuse(message, TRIBO_ERROR_ARGUMENT, "a positive", "force");
  for (int i = 0; i < TRIBO_HAND_FINGERS; ++i) {
    TriboStatus status = init_finger(&grasp->finger[i], i, model, message);
    if (status != TRIBO_OK) return status;
  }
  const size_t nv = (size_t)tribo_model_nv(model);
  grasp->jacobian = memory;
  grasp->bias = memory + 6 * nv;
  grasp->zero = memory + 7 * nv;
  memset(grasp->zero, 0, nv * sizeof *grasp->zero);
  grasp->last_time = tribo_state_time(state);
  return TRIBO_OK;
}

// Whether a finger's contact is with the object: not with the world or another finger.
static bool is_object(const TriboHandGrasp* grasp, int link) {
  if (link == TRIBO_WORLD) return false;
  for (int i = 0; i < TRIBO_HAND_FINGERS; ++i) {
    if (link == grasp->finger[i].base || link == grasp->finger[i].tip) return false;
  }
  return true;
}

// A world point in a link's frame: R^T (x - p), R of the unit quaternion.
static TriboVec3 into_frame(const TriboPose* pose, TriboVec3 x) {
  const TriboVec3 d = {x.x - pose->p.x, x.y - pose->p.y, x.z - pose->p.z};
  const TriboVec3 u = {-pose->q.x, -pose->q.y, -pose->q.z};
  const TriboVec3 t = {2 * (u.y * d.z - u.z * d.y), 2 * (u.z * d.x - u.x * d.z),
                       2 * (u.x * d.y - u.y * d.x)};
  const double w = pose->q.w;
  return (TriboVec3){d.x + w * t.x + u.y * t.z - u.z * t.y, d.y + w * t.y + u.z * t.x - u.x * t.z,
                     d.z + w * t.z + u.x * t.y - u.y * t.x};
}

// Force, place and direction in which a finger touches the object; the last two stay while it does
// not. Several contacts count by their normal forces.
static TriboStatus measure(const TriboHandGrasp* grasp, TriboHandFinger* finger,
                           const TriboState* state, const TriboWorkspace* workspace,
                           TriboWorkspace* scratch) {
  TriboVec3 point = {0, 0, 0}, force = {0, 0, 0};
  finger->measured = 0;
  TriboContactResult c;
  for (int k = 0; tribo_contact_get(workspace, k, &c); ++k) {
    const bool first = c.link0 == finger->tip && is_object(grasp, c.link1);
    const bool second = c.link1 == finger->tip && is_object(grasp, c.link0);
    if (!first && !second) continue;
    const TriboVec3 n = {c.frame.m[0], c.frame.m[3], c.frame.m[6]};
    const double f = n.x * c.force_W.x + n.y * c.force_W.y + n.z * c.force_W.z;
    const double push = first ? f : -f;  // impulses act on shape 1
    finger->measured += f;
    force = (TriboVec3){force.x + push * n.x, force.y + push * n.y, force.z + push * n.z};
    point = (TriboVec3){point.x + f * c.point.x, point.y + f * c.point.y, point.z + f * c.point.z};
  }
  const double size = sqrt(force.x * force.x + force.y * force.y + force.z * force.z);
  if (!(finger->measured > 0 && size > 0)) return TRIBO_OK;
  TriboPose tip;
  TriboStatus status = tribo_link_pose(grasp->model, state, scratch, finger->tip, &tip);
  if (status != TRIBO_OK) return status;
  const double s = 1 / finger->measured;
  finger->normal = (TriboVec3){force.x / size, force.y / size, force.z / size};
  finger->point = into_frame(&tip, (TriboVec3){s * point.x, s * point.y, s * point.z});
  return TRIBO_OK;
}

// From what the fingers feel: whether they close or press.
static void next_phase(TriboHandGrasp* grasp) {
  int touching = 0;
  for (int i = 0; i < TRIBO_HAND_FINGERS; ++i) touching += grasp->finger[i].measured > 0;
  if (touching == 0) {
    grasp->pressing = false;
  } else if (touching == TRIBO_HAND_FINGERS && !grasp->pressing) {
    grasp->pressing = true;
    // What they close with, so that no force jumps.
    for (int i = 0; i < TRIBO_HAND_FINGERS; ++i) grasp->finger[i].press = grasp->finger[i].measured;
  }
}

// The efforts of a finger that presses: those of its force, and against its motion.
static TriboStatus press(TriboHandGrasp* grasp, TriboHandFinger* finger, const TriboState* state,
                         TriboWorkspace* scratch, double dt, double* effort) {
  const TriboHandGraspOptions* o = &grasp->options;
  const int nv = tribo_model_nv(grasp->model);
  if (finger->measured > 0)
    finger->press = fmax(0, finger->press + o->integral * dt * (o->force - finger->measured));
  TriboStatus status = tribo_link_jacobian(grasp->model, state, scratch, finger->tip, finger->point,
                                           grasp->jacobian);
  if (status != TRIBO_OK) return status;
  const TriboVec3 n = finger->normal;
  for (int j = 0; j < TRIBO_HAND_FINGER_JOINTS; ++j) {
    const double* J = grasp->jacobian + finger->dof[j];
    effort[j] = finger->press * (J[0] * n.x + J[nv] * n.y + J[2 * nv] * n.z) -
                o->damping * tribo_state_v(state)[finger->dof[j]];
  }
  return TRIBO_OK;
}

// The efforts of a finger that closes: the base at its speed, or at rest where the finger waits for
// the others, the tip in its shape.
static void close_finger(const TriboHandGrasp* grasp, const TriboHandFinger* finger,
                         const TriboState* state, double* effort) {
  const TriboHandGraspOptions* o = &grasp->options;
  const double *q = tribo_state_q(state), *v = tribo_state_v(state);
  effort[BASE] = o->damping * (o->closing_speed - v[finger->dof[BASE]]);
  effort[TIP] = o->shape_stiffness * (o->shape - q[finger->coordinate[TIP]]) -
                o->shape_damping * v[finger->dof[TIP]];
}

TriboStatus tribo_hand_grasp_update(TriboHandGrasp* grasp, const TriboState* state,
                                    const TriboWorkspace* workspace, TriboWorkspace* scratch,
                                    double* control) {
  const double time = tribo_state_time(state), dt = time - grasp->last_time;
  TriboStatus status =
      tribo_inverse_dynamics(grasp->model, state, scratch, grasp->zero, NULL, grasp->bias);
  for (int i = 0; i < TRIBO_HAND_FINGERS && status == TRIBO_OK; ++i)
    status = measure(grasp, &grasp->finger[i], state, workspace, scratch);
  if (status != TRIBO_OK) return status;
  grasp->last_time = time;
  next_phase(grasp);
  for (int i = 0; i < TRIBO_HAND_FINGERS; ++i) {
    TriboHandFinger* finger = &grasp->finger[i];
    double effort[TRIBO_HAND_FINGER_JOINTS];
    if (grasp->pressing) {
      status = press(grasp, finger, state, scratch, dt, effort);
      if (status != TRIBO_OK) return status;
    } else {
      close_finger(grasp, finger, state, effort);
    }
    for (int j = 0; j < TRIBO_HAND_FINGER_JOINTS; ++j) {
      const TriboActuatorDesc* d = &finger->desc[j];
      const double total = effort[j] + grasp->bias[finger->dof[j]];
      control[finger->actuator[j]] = (total / d->gear - d->offset) / d->scale;
    }
  }
  return TRIBO_OK;
}
