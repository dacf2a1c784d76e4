// SPDX-License-Identifier: Apache-2.0
//
// Reading the sensors that a file names, by the public kinematics and the last step.
#include <string.h>

#include "engine/base/rotation.h"
#include "models/tribo_models.h"

static void put(TriboVec3 v, double values[4], int* count) {
  values[0] = v.x, values[1] = v.y, values[2] = v.z;
  *count = 3;
}

static TriboStatus read_joint(const TriboSensor* sensor, const TriboModel* model,
                              const TriboState* state, double values[4], int* count) {
  TriboJointDesc d;
  if (!tribo_model_joint(model, sensor->joint, &d)) return TRIBO_ERROR_ARGUMENT;
  bool ball =
      sensor->type == TRIBO_SENSOR_BALL_ROTATION || sensor->type == TRIBO_SENSOR_BALL_VELOCITY;
  bool one = d.type == TRIBO_JOINT_HINGE || d.type == TRIBO_JOINT_SLIDE;
  if (ball ? d.type != TRIBO_JOINT_BALL : !one) return TRIBO_ERROR_ARGUMENT;
  bool position =
      sensor->type == TRIBO_SENSOR_JOINT_POSITION || sensor->type == TRIBO_SENSOR_BALL_ROTATION;
  const double* from = position ? tribo_state_q(state) + tribo_model_joint_q(model, sensor->joint)
                                : tribo_state_v(state) + tribo_model_joint_v(model, sensor->joint);
  *count = !ball ? 1 : position ? 4 : 3;
  memcpy(values, from, (size_t)*count * sizeof *values);
  return TRIBO_OK;
}

// Linear velocity of a frame's origin and angular velocity, world axes.
static TriboStatus frame_velocity(const TriboModel* model, const TriboState* state,
                                  TriboWorkspace* workspace, int frame, TriboVec3* linear,
                                  TriboVec3* angular) {
  TriboFrameDesc d;
  TriboPose link;
  *linear = *angular = tribo_vec3_zero();
  if (!tribo_model_frame(model, frame, &d)) return TRIBO_ERROR_ARGUMENT;
  if (d.link == TRIBO_WORLD) return TRIBO_OK;
  TriboStatus status = tribo_link_velocity(model, state, workspace, d.link, linear, angular);
  if (status == TRIBO_OK) status = tribo_link_pose(model, state, workspace, d.link, &link);
  if (status != TRIBO_OK) return status;
  TriboVec3 arm = tribo_quat_rotate(link.q, d.pose.p);
  *linear = tribo_vec3_add(*linear, tribo_vec3_cross(*angular, arm));
  return TRIBO_OK;
}

static TriboStatus read_frame(const TriboSensor* sensor, const TriboModel* model,
                              const TriboState* state, TriboWorkspace* workspace, double values[4],
                              int* count) {
  TriboVec3 linear, angular;
  TriboPose pose;
  TriboStatus status = tribo_frame_pose(model, state, workspace, sensor->frame, &pose);
  if (status == TRIBO_OK) {
    status = frame_velocity(model, state, workspace, sensor->frame, &linear, &angular);
  }
  if (status != TRIBO_OK) return status;
  TriboQuat back = tribo_quat_conjugate(pose.q);
  switch (sensor->type) {
    case TRIBO_SENSOR_GYRO:
      put(tribo_quat_rotate(back, angular), values, count);
      return TRIBO_OK;
    case TRIBO_SENSOR_VELOCIMETER:
      put(tribo_quat_rotate(back, linear), values, count);
      return TRIBO_OK;
    case TRIBO_SENSOR_POSITION:
      put(pose.p, values, count);
      return TRIBO_OK;
    case TRIBO_SENSOR_LINEAR_VELOCITY:
      put(linear, values, count);
      return TRIBO_OK;
    case TRIBO_SENSOR_ANGULAR_VELOCITY:
      put(angular, values, count);
      return TRIBO_OK;
    case TRIBO_SENSOR_ROTATION:
      values[0] = pose.q.w, values[1] = pose.q.x, values[2] = pose.q.y, values[3] = pose.q.z;
      *count = 4;
      return TRIBO_OK;
    default:
      return TRIBO_ERROR_ARGUMENT;
  }
}

static TriboStatus read_accelerometer(const TriboSensor* sensor, const TriboModel* model,
                                      const TriboState* state, TriboWorkspace* workspace,
                                      double values[4], int* count) {
  TriboVec3 specific_force, angular_velocity;
  TriboStatus status =
      tribo_imu(model, state, workspace, sensor->frame, &specific_force, &angular_velocity);
  if (status == TRIBO_OK) put(specific_force, values, count);
  return status;
}

TriboStatus tribo_sensor_read(const TriboSensor* sensor, const TriboModel* model,
                              const TriboState* state, TriboWorkspace* workspace, double values[4],
                              int* count) {
  if (!sensor || !model || !state || !workspace || !values || !count) return TRIBO_ERROR_ARGUMENT;
  *count = 0;
  if (sensor->type <= TRIBO_SENSOR_BALL_VELOCITY) {
    return read_joint(sensor, model, state, values, count);
  }
  if (sensor->type == TRIBO_SENSOR_ACCELEROMETER) {
    return read_accelerometer(sensor, model, state, workspace, values, count);
  }
  return read_frame(sensor, model, state, workspace, values, count);
}
