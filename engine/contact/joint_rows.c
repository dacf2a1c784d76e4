// SPDX-License-Identifier: Apache-2.0
#include "engine/contact/joint_rows.h"

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

void tribo_joint_rows_find(TriboJointRows* rows, const TriboModel* model, const double* q,
                           const double* v, const double* u, double h, double margin) {
  rows->count = 0;
  if (rows->capacity == 0) return;
  for (int b = 0; b < model->nb; ++b) {
    const TriboBody* body = &model->body[b];
    if (body->limited) {
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
