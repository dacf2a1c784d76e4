// SPDX-License-Identifier: Apache-2.0
//
// The two jaws have two motions. What they do against each other squeezes the object: there the
// integral of the force's error acts,
//   press' = integral (force - measured),   measured: the mean of the two jaws' normal forces,
// which for rigid contact is a first-order lag, since measured = press up to what the joints lose.
// What they do together carries the object sideways and leaves the squeeze alone: there a spring
// and a damper hold the place at which both touched. An integral for each jaw alone would leave
// that place free, and the grasp would drift.
#include "tools/controllers/grasp_force.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* const jaw_name[TRIBO_GRASP_JAWS] = {"left", "right"};

TriboGraspForceOptions tribo_grasp_force_options_default(void) {
  TriboGraspForceOptions options = {
      .force = 10,
      .integral = 30,
      .closing_speed = 0.05,
      .damping = 5,
      .centring_stiffness = 500,
      .centring_damping = 15,
      .lift = 0.1,
      .lift_duration = 1,
      .settled = 0.01,
  };
  return options;
}

static TriboStatus refuse(TriboMessage* message, TriboStatus status, const char* what,
                          const char* name) {
  if (message) {
    memset(message, 0, sizeof *message);
    message->status = status;
    snprintf(message->text, sizeof message->text, "the grasp-force controller needs %s '%s'", what,
             name);
  }
  return status;
}

static TriboStatus init_jaw(TriboGraspJaw* jaw, const TriboModel* model, const char* name,
                            TriboMessage* message) {
  jaw->actuator = tribo_model_find(model, TRIBO_KIND_ACTUATOR, name);
  if (!tribo_model_actuator(model, jaw->actuator, &jaw->desc) ||
      jaw->desc.type != TRIBO_ACTUATOR_EFFORT || jaw->desc.gear * jaw->desc.scale == 0)
    return refuse(message, TRIBO_ERROR_MODEL, "an effort actuator with a gear", name);
  TriboJointDesc joint;
  if (!tribo_model_joint(model, jaw->desc.joint, &joint) || joint.type != TRIBO_JOINT_SLIDE)
    return refuse(message, TRIBO_ERROR_MODEL, "a slide under the actuator", name);
  jaw->link = joint.child;
  jaw->coordinate = tribo_model_joint_q(model, jaw->desc.joint);
  jaw->dof = tribo_model_joint_v(model, jaw->desc.joint);
  return TRIBO_OK;
}

TriboStatus tribo_grasp_force_init(TriboGraspForce* grasp, const TriboGraspForceOptions* options,
                                   const TriboModel* model, const TriboState* state,
                                   TriboMessage* message) {
  memset(grasp, 0, sizeof *grasp);
  grasp->options = options ? *options : tribo_grasp_force_options_default();
  grasp->model = model;
  if (!(grasp->options.force > 0))
    return refuse(message, TRIBO_ERROR_ARGUMENT, "a positive", "force");
  if (!(grasp->options.lift_duration > 0))
    return refuse(message, TRIBO_ERROR_ARGUMENT, "a positive", "lift_duration");
  for (int i = 0; i < TRIBO_GRASP_JAWS; ++i) {
    TriboStatus status = init_jaw(&grasp->jaw[i], model, jaw_name[i], message);
    if (status != TRIBO_OK) return status;
  }
  TriboActuatorDesc lift;
  grasp->lift_actuator = tribo_model_find(model, TRIBO_KIND_ACTUATOR, "lift");
  if (tribo_model_actuator(model, grasp->lift_actuator, &lift)) {
    if (lift.type != TRIBO_ACTUATOR_POSITION)
      return refuse(message, TRIBO_ERROR_MODEL, "a position actuator", "lift");
    grasp->lift_from = tribo_state_q(state)[tribo_model_joint_q(model, lift.joint)];
  }
  grasp->last_time = tribo_state_time(state);
  return TRIBO_OK;
}

// Whether a jaw's contact is with the object: not with the world, the palm or the other jaw.
static bool is_object(const TriboGraspForce* grasp, int link) {
  if (link == TRIBO_WORLD) return false;
  for (int i = 0; i < TRIBO_GRASP_JAWS; ++i) {
    TriboJointDesc joint;
    if (link == grasp->jaw[i].link) return false;
    if (tribo_model_joint(grasp->model, grasp->jaw[i].desc.joint, &joint) && link == joint.parent)
      return false;
  }
  return true;
}

static void measure(TriboGraspForce* grasp, const TriboWorkspace* workspace) {
  for (int i = 0; i < TRIBO_GRASP_JAWS; ++i) grasp->jaw[i].measured = 0;
  TriboContactResult c;
  for (int k = 0; tribo_contact_get(workspace, k, &c); ++k) {
    const double normal =
        c.frame.m[0] * c.force_W.x + c.frame.m[3] * c.force_W.y + c.frame.m[6] * c.force_W.z;
    for (int i = 0; i < TRIBO_GRASP_JAWS; ++i) {
      TriboGraspJaw* jaw = &grasp->jaw[i];
      if ((c.link0 == jaw->link && is_object(grasp, c.link1)) ||
          (c.link1 == jaw->link && is_object(grasp, c.link0)))
        jaw->measured += fabs(normal);
    }
  }
}

// The phase that follows from what the jaws feel.
static void next_phase(TriboGraspForce* grasp, double centre, double time) {
  const double left = grasp->jaw[0].measured, right = grasp->jaw[1].measured;
  const TriboGraspForceOptions* o = &grasp->options;
  if (left == 0 && right == 0) {
    grasp->phase = TRIBO_GRASP_CLOSING;
  } else if (grasp->phase == TRIBO_GRASP_CLOSING) {
    if (left == 0 || right == 0) return;
    grasp->phase = TRIBO_GRASP_PRESSING;
    grasp->press = o->damping * o->closing_speed;  // what the jaws close with
    grasp->centre = centre;
  } else if (!grasp->lifting && fabs(0.5 * (left + right) - o->force) <= o->settled * o->force) {
    grasp->lifting = true;
    grasp->lifted_at = time;
  }
}

// The lift's share of its way: at rest at both ends, with finite acceleration.
static double lift_share(const TriboGraspForce* grasp, double time) {
  const double s = (time - grasp->lifted_at) / grasp->options.lift_duration;
  return s >= 1 ? 1 : s * s * s * (10 - 15 * s + 6 * s * s);
}

void tribo_grasp_force_update(TriboGraspForce* grasp, const TriboState* state,
                              const TriboWorkspace* workspace, double* control) {
  const TriboGraspForceOptions* o = &grasp->options;
  const TriboGraspJaw *left = &grasp->jaw[0], *right = &grasp->jaw[1];
  const double *q = tribo_state_q(state), *v = tribo_state_v(state);
  const double time = tribo_state_time(state), dt = time - grasp->last_time;
  const double centre = 0.5 * (q[left->coordinate] - q[right->coordinate]);
  const double drift = 0.5 * (v[left->dof] - v[right->dof]);
  grasp->last_time = time;
  measure(grasp, workspace);
  next_phase(grasp, centre, time);

  double effort[TRIBO_GRASP_JAWS];
  if (grasp->phase == TRIBO_GRASP_CLOSING) {
    for (int i = 0; i < TRIBO_GRASP_JAWS; ++i)
      effort[i] = o->damping * (o->closing_speed - v[grasp->jaw[i].dof]);
  } else {
    const double mean = 0.5 * (left->measured + right->measured);
    const double closing = 0.5 * (v[left->dof] + v[right->dof]);
    const double hold =
        o->centring_stiffness * (centre - grasp->centre) + o->centring_damping * drift;
    grasp->press = fmax(0, grasp->press + o->integral * dt * (o->force - mean));
    effort[0] = grasp->press - o->damping * closing - hold;
    effort[1] = grasp->press - o->damping * closing + hold;
  }
  for (int i = 0; i < TRIBO_GRASP_JAWS; ++i) {
    const TriboActuatorDesc* d = &grasp->jaw[i].desc;
    control[grasp->jaw[i].actuator] = (effort[i] / d->gear - d->offset) / d->scale;
  }
  if (grasp->lift_actuator >= 0)
    control[grasp->lift_actuator] =
        grasp->lift_from + (grasp->lifting ? o->lift * lift_share(grasp, time) : 0);
}
