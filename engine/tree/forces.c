// SPDX-License-Identifier: Apache-2.0
//
// What acts along the dofs. Damping d, springs k and the gains of servos are taken at the end of
// the step, which a diagonal added to M does: with v+ = v + dv,
//
//   (M + h d + h^2 k) dv = h (effort - bias - d v - k (q + h v - rest))
#include <string.h>

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

// A force stiffness (target - position) - damping (v - speed) on dof k, ends of the step taken.
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

// One actuator. A servo at its effort limit gives the limit and nothing implicit.
static void add_actuator(const TriboModel* model, TriboTree* tree, int actuator, double control,
                         const double* q, const double* v, double h) {
  const TriboActuatorDesc* d = &model->source->actuator[actuator];
  int k = model->body[model->joint_body[d->joint]].v + d->axis;
  control = d->scale * clamp(control, d->control_lower, d->control_upper) + d->offset;
  if (d->type == TRIBO_ACTUATOR_EFFORT) {
    tree->force[k] += clamp(d->gear * control, -d->effort_limit, d->effort_limit);
    return;
  }
  double kp = 0, stretch = 0, kd = d->gear * d->kd, constant = 0;
  if (d->type == TRIBO_ACTUATOR_POSITION) {
    kp = d->gear * d->kp;
    stretch = control - tribo_tree_position(model, q, k);
  } else {
    constant = kd * control;
  }
  double effort = kp * stretch - kd * v[k] + constant;
  if (effort > d->effort_limit || effort < -d->effort_limit) {
    tree->force[k] += clamp(effort, -d->effort_limit, d->effort_limit);
  } else {
    tree->force[k] += constant;
    add_servo(tree, k, kp, stretch, kd, v[k], h);
  }
}

// Weight, from the composites: each dof carries all that hangs on it.
static void set_weight(const TriboModel* model, TriboTree* tree) {
  TriboVec3 g = model->gravity;
  for (int i = 0; i < model->nb; ++i) {
    const TriboBody* body = &model->body[i];
    const TriboInertia* A = &tree->composite[i];
    TriboVec3 moment = tribo_vec3_cross(A->h, g);
    int k = body->v;
    for (; k < body->turns; ++k) tree->force[k] = A->m * tribo_vec3_dot(tree->axis[k], g);
    for (; k < body->v + body->nv; ++k) tree->force[k] = tribo_vec3_dot(tree->axis[k], moment);
  }
}

void tribo_tree_forces(const TriboModel* model, TriboTree* tree, const TriboInput* input,
                       const double* q, const double* v, double h) {
  memset(tree->implicit, 0, (size_t)model->nv * sizeof(double));
  set_weight(model, tree);
  for (int i = 0; i < model->nu; ++i)
    add_actuator(model, tree, i, input && input->control ? input->control[i] : 0, q, v, h);
  add_joint_forces(model, tree, q, v, h);
  if (input && input->effort) {
    for (int k = 0; k < model->nv; ++k) tree->force[k] += input->effort[k];
  }
  if (input && input->wrench) tribo_tree_wrench_forces(model, tree, input->wrench, tree->force);
}

void tribo_tree_free_velocity(const TriboModel* model, TriboTree* tree, const TriboInput* input,
                              const double* q, const double* v, double h, double* u) {
  tribo_tree_kinematics(model, tree, q);
  tribo_tree_mass(model, tree);
  tribo_tree_forces(model, tree, input, q, v, h);
  tribo_tree_factor(model, tree, tree->implicit);
  tribo_tree_bias(model, tree, 0, model->nb, v, tree->bias);
  double* change = tree->scratch;
  for (int k = 0; k < model->nv; ++k) change[k] = h * (tree->force[k] - tree->bias[k]);
  tribo_tree_solve(model, tree, change);
  for (int k = 0; k < model->nv; ++k) u[k] = v[k] + change[k];
}
