// SPDX-License-Identifier: Apache-2.0
//
// What acts along the dofs. Damping d, springs k and the gains of servos are taken at the end of
// the step, which a diagonal added to M does: with v+ = v + dv,
//
//   (M + h d + h^2 k) dv = h (effort - bias - d v - k (q + h v - rest))
#include <string.h>

#include "engine/tree/lanes.h"
#include "engine/tree/tree.h"

double tribo_tree_position(const TriboModel* model, const double* q, int dof) {
  const TriboBody* body = &model->body[model->dof_body[dof]];
  int i = dof - body->v;
  q += body->q;
  if (body->type == TRIBO_JOINT_FREE && i >= 3)
    q += 3, i -= 3;
  else if (body->type != TRIBO_JOINT_BALL)
    return q[i];
  return tribo_vec3_get(tribo_quat_log(tribo_quat(q[0], q[1], q[2], q[3])), i);
}

// A force stiffness (stretch - h v+) - damping v+ on dof k.
static void add_servo(TriboTree* tree, int k, double stiffness, double stretch, double damping,
                      double v, double h) {
  tree->force[k] += stiffness * (stretch - h * v) - damping * v;
  tree->implicit[k] += h * damping + h * h * stiffness;
}

static void add_joint_forces(const TriboModel* model, TriboTree* tree, const double* q,
                             const double* v, double h) {
  for (int i = 0; i < model->nb; ++i) {
    const TriboBody* body = &model->body[i];
    if (body->damping == 0 && body->stiffness == 0) continue;
    for (int k = body->v; k < body->v + body->nv; ++k) {
      double stretch = body->stiffness != 0 ? body->rest - tribo_tree_position(model, q, k) : 0;
      add_servo(tree, k, body->stiffness, stretch, body->damping, v[k], h);
    }
  }
}

static double clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

// What an actuator does: constant + kp (stretch - h v+) - kd v+ on dof k.
typedef struct Servo {
  int k;
  double constant, kp, stretch, kd, limit;
} Servo;

static Servo servo_of(const TriboModel* model, const TriboInput* input, int actuator,
                      const double* q) {
  const TriboActuatorDesc* d = &model->source->actuator[actuator];
  double control = input && input->control ? input->control[actuator] : 0;
  control = d->scale * clamp(control, d->control_lower, d->control_upper) + d->offset;
  Servo s = {model->body[model->joint_body[d->joint]].v + d->axis, 0, 0, 0, 0, d->effort_limit};
  if (d->type == TRIBO_ACTUATOR_EFFORT) {
    s.constant = d->gear * control;
  } else if (d->type == TRIBO_ACTUATOR_POSITION) {
    s.kp = d->gear * d->kp;
    s.kd = d->gear * d->kd;
    s.stretch = control - tribo_tree_position(model, q, s.k);
  } else {
    s.kd = d->gear * d->kd;
    s.constant = s.kd * control;
  }
  return s;
}

// Effort at the end of the step if nothing else acted on the dof, within the actuator's limit.
static double effort_of(const TriboModel* model, const TriboTree* tree, const Servo* s,
                        const double* v, double h) {
  double now = s->constant + s->kp * (s->stretch - h * v[s->k]) - s->kd * v[s->k];
  double added = h * s->kd + h * h * s->kp;
  if (added > 0) now /= 1 + added / tree->M[model->dof_row[s->k + 1] - 1];
  return clamp(now, -s->limit, s->limit);
}

TriboServo tribo_tree_servo(const TriboModel* model, const TriboInput* input, const double* q,
                            int actuator) {
  Servo s = servo_of(model, input, actuator, q);
  double joint = model->source->joint[model->source->actuator[actuator].joint].effort_limit;
  TriboServo servo = {s.k, s.constant + s.kp * s.stretch, s.kp, s.kd, fmin(s.limit, joint)};
  if (s.kp == 0 && s.kd == 0) servo.effort = clamp(servo.effort, -servo.limit, servo.limit);
  return servo;
}

// Servos without their limits, which the caller watches over.
static void add_servos(const TriboModel* model, TriboTree* tree, const TriboInput* input,
                       const double* q, const double* v, double h, const bool* left_out) {
  for (int i = 0; i < model->nu; ++i) {
    if (left_out[i]) continue;
    TriboServo servo = tribo_tree_servo(model, input, q, i);
    tree->force[servo.dof] += servo.effort;
    add_servo(tree, servo.dof, servo.kp, 0, servo.kd, v[servo.dof], h);
  }
}

// An actuator at its limit, or on a joint whose actuators together are at the joint's, gives that
// and nothing implicit.
static void add_actuators(const TriboModel* model, TriboTree* tree, const TriboInput* input,
                          const double* q, const double* v, double h) {
  double* total = tree->scratch;
  memset(total, 0, (size_t)model->nv * sizeof *total);
  for (int i = 0; i < model->nu; ++i) {
    Servo s = servo_of(model, input, i, q);
    total[s.k] += effort_of(model, tree, &s, v, h);
  }
  for (int i = 0; i < model->nu; ++i) {
    Servo s = servo_of(model, input, i, q);
    double effort = effort_of(model, tree, &s, v, h);
    double limit = model->source->joint[model->source->actuator[i].joint].effort_limit;
    if (fabs(total[s.k]) > limit) {
      tree->force[s.k] += effort * (limit / fabs(total[s.k]));
    } else if (fabs(effort) >= s.limit) {
      tree->force[s.k] += effort;
    } else {
      tree->force[s.k] += s.constant;
      add_servo(tree, s.k, s.kp, s.stretch, s.kd, v[s.k], h);
    }
  }
}

void tribo_tree_efforts(const TriboModel* model, TriboTree* tree, const TriboInput* input,
                        const double* q, const double* v, double h, const bool* left_out) {
  if (left_out) {
    add_servos(model, tree, input, q, v, h, left_out);
  } else if (model->nu > 0) {
    add_actuators(model, tree, input, q, v, h);
  }
  add_joint_forces(model, tree, q, v, h);
  if (input && input->effort) {
    double* force = tree->force;
    const double* effort = input->effort;
    TRIBO_SIMD for (int k = 0; k < model->nv; ++k) force[k] += effort[k];
  }
}

void tribo_tree_forces(const TriboModel* model, TriboTree* tree, const TriboInput* input,
                       const double* q, const double* v, double h, const bool* left_out) {
  size_t size = (size_t)model->nv * sizeof(double);
  memset(tree->implicit, 0, size);
  memcpy(tree->force, tree->weight, size);
  tribo_tree_efforts(model, tree, input, q, v, h, left_out);
  if (input && input->wrench) tribo_tree_wrench_forces(model, tree, input->wrench, tree->force);
}

void tribo_tree_free_velocity(const TriboModel* model, TriboTree* tree, const TriboInput* input,
                              const double* q, const double* v, double h, const bool* left_out,
                              double* u) {
  tribo_tree_kinematics(model, tree, q);
  tribo_tree_mass(model, tree);
  tribo_tree_forces(model, tree, input, q, v, h, left_out);
  tribo_tree_factor(model, tree, tree->implicit);
  tribo_tree_bias(model, tree, 0, model->nb, v, tree->bias);
  double* change = tree->scratch;
  const double *force = tree->force, *bias = tree->bias;
  const int nv = model->nv;
  TRIBO_SIMD for (int k = 0; k < nv; ++k) change[k] = h * (force[k] - bias[k]);
  tribo_tree_solve(model, tree, change);
  TRIBO_SIMD for (int k = 0; k < nv; ++k) u[k] = v[k] + change[k];
}
