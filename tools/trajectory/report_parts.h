// SPDX-License-Identifier: Apache-2.0
//
// The parts of a run's report. Internal.
#ifndef TRIBO_TOOLS_TRAJECTORY_REPORT_PARTS_H_
#define TRIBO_TOOLS_TRAJECTORY_REPORT_PARTS_H_

#include <jansson.h>
#include <stdio.h>

#include "tools/trajectory/tribo_trajectory.h"

// Positions, velocities and controls. FALSE: memory is out.
bool tribo_report_coordinates(const TriboTrajectory* trajectory, const json_t* meta, FILE* out);

// Normal forces by pair of shapes, and modes as a timeline. FALSE: memory is out.
bool tribo_report_contacts(const TriboTrajectory* trajectory, const json_t* meta, FILE* out);

#endif  // TRIBO_TOOLS_TRAJECTORY_REPORT_PARTS_H_
