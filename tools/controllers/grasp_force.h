// SPDX-License-Identifier: Apache-2.0
//
// A parallel gripper that grasps with a force: two jaws close on an object, press it with the
// force that is asked for, measured at the contacts, and lift it once they do. It needs the public
// API only; copy it for a gripper of your own.
#ifndef TRIBO_TOOLS_CONTROLLERS_GRASP_FORCE_H_
#define TRIBO_TOOLS_CONTROLLERS_GRASP_FORCE_H_

#include "engine/tribo.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TRIBO_GRASP_JAWS = 2 };

typedef struct TriboGraspForceOptions {
  double force;                                 // normal force of each jaw on the object, N; 10
  double integral;                              // of the force's error, 1/s; 30
  double closing_speed;                         // of a jaw that touches nothing, m/s; 0.05
  double damping;                               // of the jaws, N s/m; 5
  double centring_stiffness, centring_damping;  // of the jaws' common way, N/m, N s/m; 500, 15
  double lift;                                  // how far the object is lifted, m; 0.1
  double lift_duration;                         // s; 1
  double settled;                               // share of the force that may lack then; 0.01
} TriboGraspForceOptions;

typedef struct TriboGraspJaw {
  int link, actuator;
  int coordinate, dof;  // of its joint in q and v
  TriboActuatorDesc desc;
  double measured;  // normal force on the object in the last step, N
} TriboGraspJaw;

typedef enum TriboGraspPhase {
  TRIBO_GRASP_CLOSING = 0,  // until both jaws carry force, and again when neither does
  TRIBO_GRASP_PRESSING,     // the integral brings the force to the command
} TriboGraspPhase;

// The controller. Owned by the caller; options may be changed between updates, the other fields
// are private but for looking.
typedef struct TriboGraspForce {
  TriboGraspForceOptions options;
  const TriboModel* model;
  TriboGraspJaw jaw[TRIBO_GRASP_JAWS];
  int lift_actuator;  // or -1: the gripper does not lift
  double lift_from;   // its joint at the start
  TriboGraspPhase phase;
  double press;      // effort of each jaw, integrated, N
  double centre;     // half the difference of the jaws' ways when they grasped, m
  bool lifting;      // the force was reached once
  double lifted_at;  // when that was, s
  double last_time;  // of the last update, s
} TriboGraspForce;

TriboGraspForceOptions tribo_grasp_force_options_default(void);

// For a model with effort actuators "left" and "right" on slides whose positive direction
// closes, and perhaps a position actuator "lift". TRIBO_ERROR_MODEL with a message that
// names what is missing, TRIBO_ERROR_ARGUMENT for options out of range.
TriboStatus tribo_grasp_force_init(TriboGraspForce* grasp, const TriboGraspForceOptions* options,
                                   const TriboModel* model, const TriboState* state,
                                   TriboMessage* message) TRIBO_CHECKED;

// Controls (nu) for the next step, from the present state and the contact forces of the last step
// in `workspace`; those of other actuators stay.
void tribo_grasp_force_update(TriboGraspForce* grasp, const TriboState* state,
                              const TriboWorkspace* workspace, double* control);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_CONTROLLERS_GRASP_FORCE_H_
