// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE  // M_PI
#include "engine/contact/joint_rows.h"

#include <math.h>

#include "engine/base/hash.h"

void tribo_joint_rows_layout(TriboJointRows* rows, TriboArena* arena, const TriboModel* model) {
  int capacity = model->nu;
  for (int b = 0; b < model->nb; ++b) {
    const TriboBody* body = &model->body[b];
    if (body->limited) capacity += 2;
    if (body->friction > 0) capacity += body->nv;
  }
  rows->count = 0;
  rows->capacity = capacity;
  rows->row = (TriboJointRow*)tribo_arena_take(arena, (size_t)capacity, sizeof(TriboJointRow));
}

static TriboJointRow* append(TriboJointRows* rows, const TriboBody* body, TriboJointRowKind kind,
                             int dof, double gap, double bound) {
  TriboJointRow* row = &rows->row[rows->count++];
  row->kind = kind;
  row->dof = dof;
  row->dofs = 1;
  row->direction = tribo_vec3(kind == TRIBO_JOINT_ROW_UPPER ? -1 : 1, 0, 0);
  row->tree = body->tree;
  row->row = row->group = -1;
  row->gap = gap;
  row->bound = bound;
  row->id = tribo_hash64_combine(1 + (uint64_t)kind, (uint64_t)dof);
  row->target = row->compliance = 0;
  row->actuator = -1;
  return row;
}

uint64_t tribo_motor_id(int actuator) {
  return tribo_hash64_combine(1 + TRIBO_JOINT_ROW_MOTOR, (uint64_t)actuator);
}

void tribo_joint_rows_add_motor(TriboJointRows* rows, const TriboModel* model,
                                const TriboServo* servo, int actuator, double h) {
  const TriboBody* body = &model->body[model->dof_body[servo->dof]];
  TriboJointRow* row = append(rows, body, TRIBO_JOINT_ROW_MOTOR, servo->dof, 0, h * servo->limit);
  const double gain = servo->kd + h * servo->kp;
  row->target = servo->effort / gain;
  row->compliance = 1 / (h * gain);
  row->actuator = actuator;
  row->id = tribo_motor_id(actuator);
}

// How far a ball joint is turned, 0 to pi, and about which unit axis; where it is not turned, zero.
static double angle_of_ball(const double* q, TriboVec3* axis) {
  const TriboVec3 turn = tribo_quat_log(tribo_quat(q[0], q[1], q[2], q[3]));
  const double angle = tribo_vec3_norm(turn);
  *axis = tribo_vec3_normalize_or(turn, tribo_vec3_zero());
  return angle;
}

static TriboVec3 spin_of_ball(const TriboBody* body, const double* v) {
  return tribo_vec3(v[body->v], v[body->v + 1], v[body->v + 2]);
}

static void find_ball_limit(TriboJointRows* rows, const TriboBody* body, const double* q,
                            const double* v, const double* u, double h, double margin) {
  TriboVec3 axis;
  const double gap = body->upper - angle_of_ball(q + body->q, &axis);
  const TriboVec3 ahead = spin_of_ball(body, u);
  const double speed = fmax(tribo_vec3_norm(spin_of_ball(body, v)), tribo_vec3_norm(ahead));
  // Half a turn is as far as it gets: a limit beyond is none.
  if (gap > margin + 2 * h * speed || body->upper >= M_PI) return;
  // At rest in the middle every way leads out: the one it is about to take counts.
  if (axis.x == 0 && axis.y == 0 && axis.z == 0)
    axis = tribo_vec3_normalize_or(ahead, tribo_vec3(1, 0, 0));
  TriboJointRow* row = append(rows, body, TRIBO_JOINT_ROW_UPPER, body->v + 2, gap, 0);
  row->dofs = 3;
  row->direction = tribo_vec3_neg(axis);
}

void tribo_joint_rows_find(TriboJointRows* rows, const TriboModel* model, const double* q,
                           const double* v, const double* u, double h, double margin) {
  rows->count = 0;
  if (rows->capacity == 0) return;
  for (int b = 0; b < model->nb; ++b) {
    const TriboBody* body = &model->body[b];
    if (body->limited && body->type == TRIBO_JOINT_BALL) {
      find_ball_limit(rows, body, q, v, u, h, margin);
    } else if (body->limited) {
      const int dof = body->v;
      const double reach = margin + 2 * h * fmax(fabs(v[dof]), fabs(u[dof]));
      const double below = q[body->q] - body->lower, above = body->upper - q[body->q];
      if (below <= reach) append(rows, body, TRIBO_JOINT_ROW_LOWER, dof, below, 0);
      if (above <= reach) append(rows, body, TRIBO_JOINT_ROW_UPPER, dof, above, 0);
    }
    if (body->friction > 0) {
      for (int i = 0; i < body->nv; ++i) {
        append(rows, body, TRIBO_JOINT_ROW_FRICTION, body->v + i, 0, h * body->friction);
      }
    }
  }
}

static TriboVec3 velocity_of(const TriboJointRow* row, const double* v) {
  const double* first = v + row->dof + 1 - row->dofs;
  return row->dofs == 3 ? tribo_vec3(first[0], first[1], first[2]) : tribo_vec3(first[0], 0, 0);
}

double tribo_joint_row_curvature(const TriboJointRow* row, const TriboModel* model, const double* q,
                                 const double* v) {
  if (row->dofs == 1) return 0;
  TriboVec3 axis;
  const double angle = angle_of_ball(q + model->body[model->dof_body[row->dof]].q, &axis);
  const TriboVec3 across = tribo_vec3_cross(axis, velocity_of(row, v));
  return angle > 0 ? -0.5 * tribo_vec3_norm2(across) / tan(angle / 2) : 0;
}

void tribo_joint_rows_drop_leaving(TriboJointRows* rows, const double* v, double still) {
  int kept = 0;
  for (int j = 0; j < rows->count; ++j) {
    const TriboJointRow* row = &rows->row[j];
    const bool leaves = row->kind <= TRIBO_JOINT_ROW_UPPER &&
                        tribo_vec3_dot(row->direction, velocity_of(row, v)) > still;
    if (!leaves) rows->row[kept++] = *row;
  }
  rows->count = kept;
}
