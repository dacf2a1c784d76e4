// SPDX-License-Identifier: Apache-2.0
//
// A trotting quadruped, controlled as legged robots are: foot placement after Raibert, body
// attitude and height by the forces of the feet that stand, legs moved by torques. It needs the
// public API only; copy it for a robot of your own.
#ifndef TRIBO_TOOLS_CONTROLLERS_QUADRUPED_H_
#define TRIBO_TOOLS_CONTROLLERS_QUADRUPED_H_

#include "engine/tribo.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TRIBO_QUADRUPED_LEGS = 4, TRIBO_QUADRUPED_LEG_JOINTS = 3 };

// What the robot is asked to do, and how. Lengths in m, times in s.
typedef struct TriboQuadrupedOptions {
  double velocity[2];                           // commanded, forward and to the left, m/s; 0.4, 0
  double yaw_rate;                              // commanded, rad/s; 0
  double height;                                // of the trunk above the standing feet; 0.40
  double period;                                // of the gait; 0.4
  double duty;                                  // share of the period that a foot stands; 0.55
  double lift;                                  // of a swinging foot; 0.06
  double swing_stiffness, swing_damping;        // of a swinging foot, N/m, N s/m; 1200, 30
  double height_stiffness, height_damping;      // of the trunk per mass, 1/s^2, 1/s; 100, 16
  double attitude_stiffness, attitude_damping;  // of the trunk, N m/rad, N m s/rad; 300, 30
  double speed_gain;                            // of the trunk's horizontal velocity, 1/s; 20
  double speed_integral;                        // takes up what that leaves, 1/s; 1.5
  double placement_gain;                        // Raibert's, s; 0.06
  double start;  // it stands until then, and takes up the command within ramp; 0.3
  double ramp;   // s; 0.5
  double stand_stiffness, stand_damping;  // of the joints while it stands, N m/rad; 300, 4
  double friction;                        // the feet's forces stay in a cone of this; 0.5
} TriboQuadrupedOptions;

typedef struct TriboQuadrupedLeg {
  int foot_link;                               // the link that carries the foot
  TriboVec3 foot_point;                        // its centre, in that link
  int coordinate[TRIBO_QUADRUPED_LEG_JOINTS];  // positions of hip, thigh, knee
  double posture[TRIBO_QUADRUPED_LEG_JOINTS];  // their values at the start, rad
  int dof[TRIBO_QUADRUPED_LEG_JOINTS];         // velocity coordinates of hip, thigh, knee
  int actuator[TRIBO_QUADRUPED_LEG_JOINTS];
  double limit[TRIBO_QUADRUPED_LEG_JOINTS];  // torque, N m
  TriboVec3 home;       // of the foot at the start, in the trunk's horizontal frame, m
  double phase;         // offset in the gait, share of a period
  bool stands;          // it carried the body at the last update
  bool touched;         // a swing that met the ground early
  TriboVec3 lifted_at;  // where the swing began, world
  double ground;        // height of the foot when it last stood
} TriboQuadrupedLeg;

// The controller. Owned by the caller; fields are private but for looking.
typedef struct TriboQuadruped {
  TriboQuadrupedOptions options;
  const TriboModel* model;
  int trunk;
  double mass;
  double start_time;
  double start_yaw, yaw;        // headings at the start and wanted now, rad
  double start_height, height;  // of the trunk above its feet at the start and wanted now, m
  TriboVec3 command;            // velocity wanted now, world axes, m/s
  TriboVec3 lack;               // what the body has long been slower than that, m/s
  double last_time;             // of the last update, s
  TriboVec3 com;                // of the robot, in the trunk's frame
  TriboQuadrupedLeg leg[TRIBO_QUADRUPED_LEGS];
  double* jacobian;  // 6 nv
  double* bias;      // nv
  double* zero;      // nv
} TriboQuadruped;

TriboQuadrupedOptions tribo_quadruped_options_default(void);

// Number of doubles that tribo_quadruped_init needs as memory.
size_t tribo_quadruped_memory(const TriboModel* model);

// For a model with a link "trunk" on a free joint and per leg (FL, FR, RL, RR) the joints "FL_hip",
// "FL_thigh", "FL_knee" with effort actuators and the frame or link "FL_foot". The state is where
// the robot stands at the start. TRIBO_ERROR_MODEL with a message that names what is missing.
TriboStatus tribo_quadruped_init(TriboQuadruped* robot, const TriboQuadrupedOptions* options,
                                 const TriboModel* model, const TriboState* state,
                                 TriboWorkspace* workspace, double* memory,
                                 TriboMessage* message) TRIBO_CHECKED;

// Controls (nu) for the next step, from the present state and the contact forces of the last step
// in `workspace`; `scratch` is another workspace, for kinematics.
TriboStatus tribo_quadruped_update(TriboQuadruped* robot, const TriboState* state,
                                   const TriboWorkspace* workspace, TriboWorkspace* scratch,
                                   double* control) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_CONTROLLERS_QUADRUPED_H_
