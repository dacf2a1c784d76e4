// SPDX-License-Identifier: Apache-2.0
//
// Joints that need a row beside the tree in this step: limits within reach, dry friction, and
// servos at their effort limit. Internal.
//
// A servo gives effort - (kd + h kp) v+ within +-limit. Below the limit it is part of M (implicit
// gains). At the limit it is a friction group of constant bound whose compliance is the gains':
// with c = 1/(h (kd + h kp)) and the target b = effort/(kd + h kp), v+ + c t = b wherever |t| < h
// limit.
//
// A ball joint turned by the angle theta <= upper about the unit axis a, which is the same in both
// of its frames, turns further at theta' = a . w. So its limit is one row, -a on its three dofs, as
// long as the axis does not turn: like a contact's normal it is that of the start of the step, and
// what turning adds, |w across a|^2 cot(theta/2)/2 a second squared, the projection takes back.
#ifndef TRIBO_ENGINE_CONTACT_JOINT_ROWS_H_
#define TRIBO_ENGINE_CONTACT_JOINT_ROWS_H_

#include "engine/model/model.h"
#include "engine/tree/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TriboJointRowKind {
  TRIBO_JOINT_ROW_LOWER = 0,  // v >= -gap/h                    a row of N
  TRIBO_JOINT_ROW_UPPER,      // -v >= -gap/h; of a ball -a . v >= -gap/h          a row of N
  TRIBO_JOINT_ROW_FRICTION,   // impulse within +-bound         a row and a group of T
  TRIBO_JOINT_ROW_MOTOR,      // v + c t = b within +-bound     a row and a group of T
} TriboJointRowKind;

typedef struct TriboJointRow {
  TriboJointRowKind kind;
  int dof, dofs, tree;        // it acts on so many dofs, of which `dof` is the last,
  TriboVec3 direction;        // with these entries
  int row;                    // of the island's N or T, once assembled
  int group;                  // friction: the island's group
  double gap;                 // limits: how far away
  double bound;               // friction and motors: largest impulse
  double target, compliance;  // motors
  int actuator;               // motors
  uint64_t id;
} TriboJointRow;

typedef struct TriboJointRows {
  int count;           // computed by tribo_joint_rows_find
  TriboJointRow* row;  // by dof, then kind; motors last
  int capacity;
} TriboJointRows;

void tribo_joint_rows_layout(TriboJointRows* rows, TriboArena* arena, const TriboModel* model);

// Adds the motor row of an actuator.
void tribo_joint_rows_add_motor(TriboJointRows* rows, const TriboModel* model,
                                const TriboServo* servo, int actuator, double h);
uint64_t tribo_motor_id(int actuator);

// Limits nearer than `margin` plus 2 h times the larger of the speeds v and u, and dry friction.
void tribo_joint_rows_find(TriboJointRows* rows, const TriboModel* model, const double* q,
                           const double* v, const double* u, double h, double margin);

// Second derivative of a limit's gap along the velocity v where v itself does not change.
double tribo_joint_row_curvature(const TriboJointRow* row, const TriboModel* model, const double* q,
                                 const double* v);

// Leaves out the limits that v moves away from faster than `still`.
void tribo_joint_rows_drop_leaving(TriboJointRows* rows, const double* v, double still);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_CONTACT_JOINT_ROWS_H_
