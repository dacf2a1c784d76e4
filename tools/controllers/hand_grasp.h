// SPDX-License-Identifier: Apache-2.0
//
// A hand of three fingers that grasps with a force: the fingers close on an object, and each one
// presses it, at the place and in the direction in which it touches, with the force that is asked
// for, measured there. It needs the public API only; copy it for a hand of your own.
#ifndef TRIBO_TOOLS_CONTROLLERS_HAND_GRASP_H_
#define TRIBO_TOOLS_CONTROLLERS_HAND_GRASP_H_

#include "engine/tribo.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TRIBO_HAND_FINGERS = 3, TRIBO_HAND_FINGER_JOINTS = 2 };

typedef struct TriboHandGraspOptions {
  double force;                           // normal force of each finger on the object, N; 2
  double integral;                        // of a force's error, 1/s; 30
  double closing_speed;                   // of a base joint that meets nothing, rad/s; 1
  double damping;                         // of the joints, N m s/rad; 0.02
  double shape_stiffness, shape_damping;  // of the tips' joints while the hand closes, N m/rad,
                                          // N m s/rad; 0.1, 0.002
  double shape;                           // angle of the tips' joints then, rad; 0
} TriboHandGraspOptions;

typedef struct TriboHandFinger {
  int base, tip;                             // links
  int actuator[TRIBO_HAND_FINGER_JOINTS];    // of base and tip
  int coordinate[TRIBO_HAND_FINGER_JOINTS];  // their joints in q
  int dof[TRIBO_HAND_FINGER_JOINTS];         // and in v
  TriboActuatorDesc desc[TRIBO_HAND_FINGER_JOINTS];
  double measured;   // normal force on the object in the last step, N
  TriboVec3 point;   // where the finger last touched, in the tip's frame, m
  TriboVec3 normal;  // into the object there, world axes
  double press;      // force that the joints make, integrated, N
} TriboHandFinger;

// The controller. Owned by the caller; options may be changed between updates, the other fields
// are private but for looking.
typedef struct TriboHandGrasp {
  TriboHandGraspOptions options;
  const TriboModel* model;
  TriboHandFinger finger[TRIBO_HAND_FINGERS];
  bool pressing;     // all fingers have touched; until then, and when none does, they close
  double last_time;  // of the last update, s
  double* jacobian;  // 6 nv
  double* bias;      // nv
  double* zero;      // nv
} TriboHandGrasp;

TriboHandGraspOptions tribo_hand_grasp_options_default(void);

// Number of doubles that tribo_hand_grasp_init needs as memory.
size_t tribo_hand_grasp_memory(const TriboModel* model);

// For a model with effort actuators "base0", "tip0" to "base2", "tip2" on hinges, each tip's link
// on its base's, whose positive direction closes. `memory` stays in use. TRIBO_ERROR_MODEL with a
// message that names what is missing, TRIBO_ERROR_ARGUMENT for options out of range.
TriboStatus tribo_hand_grasp_init(TriboHandGrasp* grasp, const TriboHandGraspOptions* options,
                                  const TriboModel* model, const TriboState* state, double* memory,
                                  TriboMessage* message) TRIBO_CHECKED;

// Controls (nu) for the next step, from the present state and the contact forces of the last step
// in `workspace`; `scratch` is another workspace, for kinematics. Those of other actuators stay.
TriboStatus tribo_hand_grasp_update(TriboHandGrasp* grasp, const TriboState* state,
                                    const TriboWorkspace* workspace, TriboWorkspace* scratch,
                                    double* control) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_CONTROLLERS_HAND_GRASP_H_
