// SPDX-License-Identifier: Apache-2.0
//
// Reports: one HTML file each, with everything in it. Numbers that a program may want to read back
// are in elements with an id.
#ifndef TRIBO_TOOLS_TRAJECTORY_REPORT_H_
#define TRIBO_TOOLS_TRAJECTORY_REPORT_H_

#include "tools/trajectory/compare.h"
#include "tools/trajectory/tribo_trajectory.h"

#ifdef __cplusplus
extern "C" {
#endif

// A run: coordinates, contact forces, modes as a timeline, certificate, energy.
TriboStatus tribo_report_write_run(const TriboTrajectory* trajectory, const char* title,
                                   const char* path, TriboMessage* message) TRIBO_CHECKED;

// Two runs: the verdict, error curves, the coordinate that parts first drawn over each other.
TriboStatus tribo_report_write_comparison(const TriboTrajectory* a, const char* name_a,
                                          const TriboTrajectory* b, const char* name_b,
                                          const TriboCompareOptions* options,
                                          const TriboComparison* comparison, const char* path,
                                          TriboMessage* message) TRIBO_CHECKED;

// The name of what a difference is about, from a trajectory's header: a coordinate, an actuator, a
// pair of shapes.
void tribo_difference_label(const TriboTrajectory* trajectory, TriboQuantity quantity, int index,
                            int index2, char text[160]);
// The position coordinate that velocity coordinate v moves, by the header; -1 for a rotation.
int tribo_position_of(const TriboTrajectory* trajectory, int v);
// "begin cube / ground".
void tribo_event_label(const TriboTrajectory* trajectory, int64_t event, char text[160]);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_TRAJECTORY_REPORT_H_
