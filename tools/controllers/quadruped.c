// SPDX-License-Identifier: Apache-2.0
//
// The order of an update:
//   1. the gait's clock says which feet stand and which swing; a swing that meets the ground
//   stands;
//   2. the standing feet share the wrench that the trunk needs (height, speed, attitude, weight),
//   by
//      damped least squares, each force kept in its friction cone;
//   3. a swinging foot follows a curve to where the body will be in balance,
//        p = hip + v T_stance/2 + k (v - v_command)                         [Raibert1986, ch. 2]
//   4. torques: J^T of those forces, what gravity and motion demand of the legs, and while the
//   robot
//      stands at the start a spring in every joint.
#include "tools/controllers/quadruped.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* const leg_name[TRIBO_QUADRUPED_LEGS] = {"FL", "FR", "RL", "RR"};
static const char* const joint_name[TRIBO_QUADRUPED_LEG_JOINTS] = {"hip", "thigh", "knee"};

static TriboVec3 vec(double x, double y, double z) {
  TriboVec3 v = {x, y, z};
  return v;
}
static TriboVec3 add(TriboVec3 a, TriboVec3 b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static TriboVec3 sub(TriboVec3 a, TriboVec3 b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
static TriboVec3 scale(double s, TriboVec3 a) { return vec(s * a.x, s * a.y, s * a.z); }
static TriboVec3 cross(TriboVec3 a, TriboVec3 b) {
  return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static TriboVec3 rotate(TriboQuat q, TriboVec3 v) {
  TriboVec3 u = vec(q.x, q.y, q.z), t = scale(2, cross(u, v));
  return add(v, add(scale(q.w, t), cross(u, t)));
}
static TriboVec3 turn(double yaw, TriboVec3 v) {
  double c = cos(yaw), s = sin(yaw);
  return vec(c * v.x - s * v.y, s * v.x + c * v.y, v.z);
}

// Heading of a trunk: of its x axis, seen from above.
static double heading(TriboQuat q) {
  TriboVec3 x = rotate(q, vec(1, 0, 0));
  return atan2(x.y, x.x);
}

TriboQuadrupedOptions tribo_quadruped_options_default(void) {
  TriboQuadrupedOptions options = {
      .velocity = {0.4, 0},
      .height = 0.40,
      .period = 0.4,
      .duty = 0.55,
      .lift = 0.06,
      .start = 0.3,
      .ramp = 0.5,
      .stand_stiffness = 300,
      .stand_damping = 4,
      .swing_stiffness = 1200,
      .swing_damping = 30,
      .height_stiffness = 100,
      .height_damping = 16,
      .attitude_stiffness = 300,
      .attitude_damping = 30,
      .speed_gain = 20,
      .speed_integral = 1.5,
      .placement_gain = 0.06,
      .friction = 0.5,
  };
  return options;
}

size_t tribo_quadruped_memory(const TriboModel* model) { return 8 * (size_t)tribo_model_nv(model); }

static TriboStatus missing(TriboMessage* message, const char* kind, const char* name) {
  if (message) {
    memset(message, 0, sizeof *message);
    message->status = TRIBO_ERROR_MODEL;
    snprintf(message->text, sizeof message->text,
             "the quadruped controller needs %s '%s'; name it so in the model", kind, name);
  }
  return TRIBO_ERROR_MODEL;
}

static int effort_actuator(const TriboModel* model, int joint) {
  TriboActuatorDesc desc;
  for (int i = 0; tribo_model_actuator(model, i, &desc); ++i)
    if (desc.joint == joint && desc.type == TRIBO_ACTUATOR_EFFORT) return i;
  return -1;
}

static TriboStatus init_leg(TriboQuadruped* robot, int i, const TriboState* state,
                            TriboMessage* message) {
  TriboQuadrupedLeg* leg = &robot->leg[i];
  memset(leg, 0, sizeof *leg);
  char name[32];
  for (int j = 0; j < TRIBO_QUADRUPED_LEG_JOINTS; ++j) {
    snprintf(name, sizeof name, "%s_%s", leg_name[i], joint_name[j]);
    int joint = tribo_model_find(robot->model, TRIBO_KIND_JOINT, name);
    if (joint < 0) return missing(message, "a joint", name);
    leg->coordinate[j] = tribo_model_joint_q(robot->model, joint);
    leg->posture[j] = tribo_state_q(state)[leg->coordinate[j]];
    leg->dof[j] = tribo_model_joint_v(robot->model, joint);
    leg->actuator[j] = effort_actuator(robot->model, joint);
    if (leg->actuator[j] < 0) return missing(message, "an effort actuator on the joint", name);
    TriboActuatorDesc actuator;
    tribo_model_actuator(robot->model, leg->actuator[j], &actuator);
    leg->limit[j] = actuator.effort_limit;
  }
  snprintf(name, sizeof name, "%s_foot", leg_name[i]);
  int frame = tribo_model_find(robot->model, TRIBO_KIND_FRAME, name);
  TriboFrameDesc foot = tribo_frame_default();
  if (!tribo_model_frame(robot->model, frame, &foot))
    foot.link = tribo_model_find(robot->model, TRIBO_KIND_LINK, name);
  if (foot.link < 0) return missing(message, "a frame or a link", name);
  leg->foot_link = foot.link;
  leg->foot_point = foot.pose.p;
  leg->phase = i == 0 || i == 3 ? 0 : 0.5;  // diagonal pairs
  leg->stands = true;
  return TRIBO_OK;
}

// Position and velocity of a foot's centre in the world.
static TriboStatus foot_motion(const TriboQuadruped* robot, const TriboQuadrupedLeg* leg,
                               const TriboState* state, TriboWorkspace* scratch, TriboVec3* p,
                               TriboVec3* v) {
  TriboPose pose;
  TriboVec3 linear, angular;
  TriboStatus status = tribo_link_pose(robot->model, state, scratch, leg->foot_link, &pose);
  if (status == TRIBO_OK)
    status = tribo_link_velocity(robot->model, state, scratch, leg->foot_link, &linear, &angular);
  if (status != TRIBO_OK) return status;
  TriboVec3 r = rotate(pose.q, leg->foot_point);
  *p = add(pose.p, r);
  *v = add(linear, cross(angular, r));
  return TRIBO_OK;
}

// Mass and centre of mass of the links that hang on the trunk, which may not be the whole scene.
// The centre is kept in the trunk's frame as it is at the start: feedback takes what the legs
// change.
static TriboStatus weigh(TriboQuadruped* robot, const TriboState* state, TriboWorkspace* workspace,
                         TriboPose trunk) {
  const TriboModel* model = robot->model;
  TriboVec3 moment = vec(0, 0, 0);
  for (int link = 0; link < tribo_model_count(model, TRIBO_KIND_LINK); ++link) {
    TriboLinkDesc desc;
    TriboJointDesc joint;
    TriboPose pose;
    int root = link;
    while (root != robot->trunk && root != TRIBO_WORLD &&
           tribo_model_joint(model, tribo_model_link_joint(model, root), &joint))
      root = joint.parent;
    if (root != robot->trunk || !tribo_model_link(model, link, &desc)) continue;
    TriboStatus status = tribo_link_pose(model, state, workspace, link, &pose);
    if (status != TRIBO_OK) return status;
    robot->mass += desc.mass;
    TriboVec3 com = sub(add(pose.p, rotate(pose.q, desc.com)), trunk.p);
    moment = add(moment, scale(desc.mass, com));
  }
  TriboQuat back = {trunk.q.w, -trunk.q.x, -trunk.q.y, -trunk.q.z};
  robot->com = rotate(back, scale(1 / robot->mass, moment));
  return TRIBO_OK;
}

TriboStatus tribo_quadruped_init(TriboQuadruped* robot, const TriboQuadrupedOptions* options,
                                 const TriboModel* model, const TriboState* state,
                                 TriboWorkspace* workspace, double* memory, TriboMessage* message) {
  memset(robot, 0, sizeof *robot);
  robot->options = options ? *options : tribo_quadruped_options_default();
  robot->model = model;
  robot->trunk = tribo_model_find(model, TRIBO_KIND_LINK, "trunk");
  if (robot->trunk < 0) return missing(message, "a link", "trunk");
  int nv = tribo_model_nv(model);
  robot->jacobian = memory;
  robot->bias = memory + 6 * nv;
  robot->zero = memory + 7 * nv;
  memset(robot->zero, 0, (size_t)nv * sizeof *robot->zero);
  robot->start_time = robot->last_time = tribo_state_time(state);

  TriboPose trunk;
  TriboStatus status = tribo_link_pose(model, state, workspace, robot->trunk, &trunk);
  if (status != TRIBO_OK) return status;
  robot->yaw = robot->start_yaw = heading(trunk.q);
  for (int i = 0; i < TRIBO_QUADRUPED_LEGS; ++i) {
    status = init_leg(robot, i, state, message);
    TriboVec3 p, v;
    if (status == TRIBO_OK) status = foot_motion(robot, &robot->leg[i], state, workspace, &p, &v);
    if (status != TRIBO_OK) return status;
    robot->leg[i].home = turn(-robot->yaw, sub(p, trunk.p));
    robot->leg[i].lifted_at = p;
    robot->leg[i].ground = p.z;
    robot->start_height += (trunk.p.z - p.z) / TRIBO_QUADRUPED_LEGS;
  }

  return weigh(robot, state, workspace, trunk);
}

// ---------------------------------------------------------------------------------------------------
// The gait
// ---------------------------------------------------------------------------------------------------

// What is wanted now: standing as at the start, then within `ramp` the command.
static void update_command(TriboQuadruped* robot, double time) {
  const TriboQuadrupedOptions* o = &robot->options;
  double walked = fmax(0, time - robot->start_time - o->start);
  double share = o->ramp > 0 ? fmin(1, walked / o->ramp) : walked > 0;
  robot->yaw = robot->start_yaw + o->yaw_rate * walked;
  robot->height = robot->start_height + share * (o->height - robot->start_height);
  robot->command = scale(share, turn(robot->yaw, vec(o->velocity[0], o->velocity[1], 0)));
}

// Collects what the body is slower than it should be: legs that swing hold it back.
static void update_lack(TriboQuadruped* robot, double time, TriboVec3 velocity) {
  const double most = 0.3;
  double h = time - robot->last_time, gain = robot->options.speed_integral * h;
  robot->last_time = time;
  if (time - robot->start_time < robot->options.start) return;
  robot->lack.x += gain * (robot->command.x - velocity.x);
  robot->lack.y += gain * (robot->command.y - velocity.y);
  robot->lack.x = fmax(-most, fmin(most, robot->lack.x));
  robot->lack.y = fmax(-most, fmin(most, robot->lack.y));
}

// Where a leg is in its cycle: [0, duty) standing, [duty, 1) swinging.
static double leg_phase(const TriboQuadruped* robot, const TriboQuadrupedLeg* leg, double time) {
  double t = time - robot->start_time - robot->options.start;
  if (t < 0) return 0;
  double phase = t / robot->options.period + leg->phase;
  return phase - floor(phase);
}

// Decides whether a leg stands; remembers where a swing begins and the ground it met.
static TriboStatus update_gait(TriboQuadrupedLeg* leg, double phase, double duty, TriboVec3 foot,
                               const TriboWorkspace* workspace) {
  bool swings = phase >= duty;
  TriboVec3 force, torque;
  TriboStatus status = tribo_contact_wrench(workspace, leg->foot_link, &force, &torque);
  if (status != TRIBO_OK) return status;
  if (swings && leg->stands && !leg->touched) {
    leg->stands = false;
    leg->lifted_at = foot;
  }
  // In the second half of a swing a load means ground.
  if (swings && !leg->stands && phase > 0.5 * (1 + duty) && force.z > 5) {
    leg->touched = true;
    leg->stands = true;
  }
  if (!swings) {
    leg->stands = true;
    leg->touched = false;
  }
  if (leg->stands && force.z > 5) leg->ground = foot.z;
  return TRIBO_OK;
}

// ---------------------------------------------------------------------------------------------------
// Standing feet
// ---------------------------------------------------------------------------------------------------

// Solves the symmetric positive definite A x = b of size n <= 12 in place (b becomes x).
static void solve_spd(int n, double A[12][12], double* b) {
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k)
      for (int i = j; i < n; ++i) A[i][j] -= A[i][k] * A[j][k];
    double pivot = sqrt(A[j][j]);
    for (int i = j; i < n; ++i) A[i][j] /= pivot;
  }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) b[i] -= A[i][k] * b[k];
    b[i] /= A[i][i];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) b[i] -= A[k][i] * b[k];
    b[i] /= A[i][i];
  }
}

// Rotation vector that leads from the trunk's attitude to upright with the wanted heading.
static TriboVec3 attitude_error(TriboQuat q, double yaw) {
  TriboQuat want = {cos(0.5 * yaw), 0, 0, sin(0.5 * yaw)};
  // want * conj(q), in world axes
  double w = want.w * q.w + want.z * q.z;
  TriboVec3 e =
      vec(-want.w * q.x + want.z * q.y, -want.w * q.y - want.z * q.x, -want.w * q.z + want.z * q.w);
  return scale(w < 0 ? -2 : 2, e);
}

// The wrench about the trunk's origin that brings it to its height, speed and attitude.
static void wanted_wrench(const TriboQuadruped* robot, TriboPose trunk, TriboVec3 linear,
                          TriboVec3 angular, double ground, double wrench[6]) {
  const TriboQuadrupedOptions* o = &robot->options;
  TriboVec3 v = add(robot->command, robot->lack);
  double rise = ground + robot->height - trunk.p.z;
  TriboVec3 force =
      scale(robot->mass, vec(o->speed_gain * (v.x - linear.x), o->speed_gain * (v.y - linear.y),
                             9.81 + o->height_stiffness * rise - o->height_damping * linear.z));
  TriboVec3 spin = sub(vec(0, 0, o->yaw_rate), angular);
  TriboVec3 torque = add(scale(o->attitude_stiffness, attitude_error(trunk.q, robot->yaw)),
                         scale(o->attitude_damping, spin));
  // The weight acts at the centre of mass, the wrench is about the trunk's origin.
  torque = add(torque, cross(rotate(trunk.q, robot->com), vec(0, 0, robot->mass * 9.81)));
  double all[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
  memcpy(wrench, all, sizeof all);
}

// Ground forces on the standing feet: minimize |A f - wrench|_S^2 + a |f|^2, then into the cones.
static void share_wrench(const TriboQuadruped* robot, TriboVec3 origin, const TriboVec3* foot,
                         const double wrench[6], TriboVec3* force) {
  static const double weight[6] = {1, 1, 4, 40, 40, 20};
  const double damping = 1e-3;
  int standing[TRIBO_QUADRUPED_LEGS], n = 0;
  for (int i = 0; i < TRIBO_QUADRUPED_LEGS; ++i)
    if (robot->leg[i].stands) standing[n++] = i;

  double A[6][12];
  for (int k = 0; k < n; ++k) {
    TriboVec3 r = sub(foot[standing[k]], origin);
    double block[6][3] = {{1, 0, 0},      {0, 1, 0},      {0, 0, 1},
                          {0, -r.z, r.y}, {r.z, 0, -r.x}, {-r.y, r.x, 0}};
    for (int i = 0; i < 6; ++i) memcpy(&A[i][3 * k], block[i], sizeof block[i]);
  }
  double H[12][12], f[12];
  for (int i = 0; i < 3 * n; ++i) {
    f[i] = 0;
    for (int r = 0; r < 6; ++r) f[i] += A[r][i] * weight[r] * wrench[r];
    for (int j = 0; j < 3 * n; ++j) {
      H[i][j] = i == j ? damping : 0;
      for (int r = 0; r < 6; ++r) H[i][j] += A[r][i] * weight[r] * A[r][j];
    }
  }
  if (n > 0) solve_spd(3 * n, H, f);

  for (int k = 0; k < n; ++k) {
    double up = fmax(f[3 * k + 2], 5.0);
    double across = sqrt(f[3 * k] * f[3 * k] + f[3 * k + 1] * f[3 * k + 1]);
    double shrink = fmin(1.0, robot->options.friction * up / fmax(across, 1e-9));
    force[standing[k]] = vec(shrink * f[3 * k], shrink * f[3 * k + 1], up);
  }
}

// ---------------------------------------------------------------------------------------------------
// Swinging feet
// ---------------------------------------------------------------------------------------------------

// The force that leads a swinging foot along its curve.
static TriboVec3 swing_force(const TriboQuadruped* robot, const TriboQuadrupedLeg* leg,
                             double phase, TriboPose trunk, TriboVec3 linear, TriboVec3 p,
                             TriboVec3 v) {
  const TriboQuadrupedOptions* o = &robot->options;
  double swing_time = (1 - o->duty) * o->period;
  double s = (phase - o->duty) / (1 - o->duty), left = (1 - s) * swing_time;

  // Where the foot should come down: under the hip as it will be then, and where the body balances.
  TriboVec3 home = turn(heading(trunk.q), leg->home);
  double stance = 0.5 * o->duty * o->period, k = o->placement_gain;
  TriboVec3 target = {
      trunk.p.x + home.x + left * linear.x + stance * linear.x + k * (linear.x - robot->command.x),
      trunk.p.y + home.y + left * linear.y + stance * linear.y + k * (linear.y - robot->command.y),
      leg->ground - 0.01};  // a little below: the ground may be lower here

  // Minimum jerk across, done at 0.9; a sine up and down.
  double u = fmin(1.0, s / 0.9), m = u * u * u * (10 + u * (-15 + 6 * u));
  double rate = u < 1 ? 30 * u * u * (1 - u) * (1 - u) / (0.9 * swing_time) : 0;
  TriboVec3 way = sub(target, leg->lifted_at);
  TriboVec3 want = add(leg->lifted_at, scale(m, way)), speed = scale(rate, way);
  const double pi = 3.14159265358979323846;
  want.z += o->lift * sin(pi * s);
  speed.z += o->lift * pi * cos(pi * s) / swing_time;
  return add(scale(o->swing_stiffness, sub(want, p)), scale(o->swing_damping, sub(speed, v)));
}

// ---------------------------------------------------------------------------------------------------
// The update
// ---------------------------------------------------------------------------------------------------

// Adds the torques of a force at a leg's foot.
static TriboStatus leg_torques(const TriboQuadruped* robot, const TriboQuadrupedLeg* leg,
                               const TriboState* state, TriboWorkspace* scratch, TriboVec3 force,
                               double* control) {
  const TriboQuadrupedOptions* o = &robot->options;
  int nv = tribo_model_nv(robot->model);
  TriboStatus status = tribo_link_jacobian(robot->model, state, scratch, leg->foot_link,
                                           leg->foot_point, robot->jacobian);
  if (status != TRIBO_OK) return status;
  for (int j = 0; j < TRIBO_QUADRUPED_LEG_JOINTS; ++j) {
    const double* J = robot->jacobian + leg->dof[j];
    double torque =
        robot->bias[leg->dof[j]] + J[0] * force.x + J[nv] * force.y + J[2 * nv] * force.z;
    if (tribo_state_time(state) - robot->start_time < o->start) {
      double q = tribo_state_q(state)[leg->coordinate[j]], v = tribo_state_v(state)[leg->dof[j]];
      torque += o->stand_stiffness * (leg->posture[j] - q) - o->stand_damping * v;
    }
    control[leg->actuator[j]] = fmax(-leg->limit[j], fmin(leg->limit[j], torque));
  }
  return TRIBO_OK;
}

TriboStatus tribo_quadruped_update(TriboQuadruped* robot, const TriboState* state,
                                   const TriboWorkspace* workspace, TriboWorkspace* scratch,
                                   double* control) {
  const TriboModel* model = robot->model;
  double time = tribo_state_time(state);
  update_command(robot, time);
  TriboPose trunk;
  TriboVec3 linear, angular, foot[TRIBO_QUADRUPED_LEGS], speed[TRIBO_QUADRUPED_LEGS];
  TriboVec3 force[TRIBO_QUADRUPED_LEGS];
  TriboStatus status = tribo_link_pose(model, state, scratch, robot->trunk, &trunk);
  if (status == TRIBO_OK)
    status = tribo_link_velocity(model, state, scratch, robot->trunk, &linear, &angular);
  if (status == TRIBO_OK)
    status = tribo_inverse_dynamics(model, state, scratch, robot->zero, NULL, robot->bias);
  if (status != TRIBO_OK) return status;
  update_lack(robot, time, linear);

  // Gait, and the ground as the standing feet feel it.
  double phase[TRIBO_QUADRUPED_LEGS], ground = 0;
  for (int i = 0; i < TRIBO_QUADRUPED_LEGS; ++i) {
    TriboQuadrupedLeg* leg = &robot->leg[i];
    status = foot_motion(robot, leg, state, scratch, &foot[i], &speed[i]);
    phase[i] = leg_phase(robot, leg, time);
    if (status == TRIBO_OK)
      status = update_gait(leg, phase[i], robot->options.duty, foot[i], workspace);
    if (status != TRIBO_OK) return status;
    ground += leg->ground / TRIBO_QUADRUPED_LEGS;
  }

  double wrench[6];
  wanted_wrench(robot, trunk, linear, angular, ground, wrench);
  share_wrench(robot, trunk.p, foot, wrench, force);
  for (int i = 0; i < TRIBO_QUADRUPED_LEGS; ++i) {
    TriboQuadrupedLeg* leg = &robot->leg[i];
    // The ground pushes the foot, so the leg pushes the ground.
    TriboVec3 push = leg->stands
                         ? scale(-1, force[i])
                         : swing_force(robot, leg, phase[i], trunk, linear, foot[i], speed[i]);
    status = leg_torques(robot, leg, state, scratch, push, control);
    if (status != TRIBO_OK) return status;
  }
  return TRIBO_OK;
}
