// SPDX-License-Identifier: Apache-2.0
#include "tools/tribo/bench_robots.h"

#include "engine/base/rotation.h"

// Ignores what comes after the first failure, so that a robot is a list of calls.
typedef struct Robot {
  TriboBuilder* builder;
  TriboStatus status;
} Robot;

static Robot begin(void) {
  Robot r = {NULL, TRIBO_OK};
  r.status = tribo_builder_create(NULL, &r.builder);
  return r;
}

static TriboStatus finish(Robot* r, TriboBuilder** builder) {
  if (r->status == TRIBO_OK)
    r->status = tribo_builder_set_gravity(r->builder, tribo_vec3(0, 0, -9.81));
  if (r->status != TRIBO_OK) {
    tribo_builder_destroy(r->builder);
    return r->status;
  }
  *builder = r->builder;
  return TRIBO_OK;
}

// A link of this mass and diagonal inertia, its centre of mass at `com`.
static int add_link(Robot* r, const char* name, double mass, TriboVec3 com, TriboVec3 inertia) {
  TriboLinkDesc d = tribo_link_default();
  int link = -1;
  d.name = name;
  d.mass = mass;
  d.com = com;
  const double diagonal[6] = {inertia.x, inertia.y, inertia.z, 0, 0, 0};
  for (int i = 0; i < 6; ++i) d.inertia[i] = diagonal[i];
  if (r->status == TRIBO_OK) r->status = tribo_builder_add_link(r->builder, &d, &link);
  return link;
}

static void add_joint(Robot* r, const char* name, TriboJointType type, int parent, int child,
                      TriboVec3 at, TriboQuat turned, TriboVec3 axis) {
  TriboJointDesc d = tribo_joint_default();
  d.name = name;
  d.type = type;
  d.parent = parent;
  d.child = child;
  d.pose_parent.p = at;
  d.pose_parent.q = turned;
  d.axis = axis;
  if (r->status == TRIBO_OK) r->status = tribo_builder_add_joint(r->builder, &d, NULL);
}

static void add_shape(Robot* r, TriboShapeType type, int link, TriboVec3 at, TriboVec3 size,
                      uint32_t group, uint32_t mask) {
  TriboShapeDesc d = tribo_shape_default();
  d.type = type;
  d.link = link;
  d.pose.p = at;
  d.size[0] = size.x, d.size[1] = size.y, d.size[2] = size.z;
  d.group = group;
  d.mask = mask;
  if (r->status == TRIBO_OK) r->status = tribo_builder_add_shape(r->builder, &d, NULL);
}

// Of a uniform box with these sides.
static TriboVec3 box_inertia(double mass, double x, double y, double z) {
  return tribo_vec3(mass * (y * y + z * z) / 12, mass * (x * x + z * z) / 12,
                    mass * (x * x + y * y) / 12);
}

TriboStatus tribo_bench_quadruped(bool feet, TriboBuilder** builder) {
  static const char* const name[4][6] = {
      {"FL_hip", "FL_thigh", "FL_shank", "FL_hip_joint", "FL_thigh_joint", "FL_knee"},
      {"FR_hip", "FR_thigh", "FR_shank", "FR_hip_joint", "FR_thigh_joint", "FR_knee"},
      {"RL_hip", "RL_thigh", "RL_shank", "RL_hip_joint", "RL_thigh_joint", "RL_knee"},
      {"RR_hip", "RR_thigh", "RR_shank", "RR_hip_joint", "RR_thigh_joint", "RR_knee"}};
  const TriboVec3 zero = tribo_vec3_zero(), x = tribo_vec3(1, 0, 0), y = tribo_vec3(0, 1, 0);
  const TriboQuat straight = tribo_quat_identity();
  const double crouch = 0.7, length = 0.25;
  Robot r = begin();
  int trunk = add_link(&r, "trunk", 15, zero, box_inertia(15, 0.6, 0.3, 0.15));
  add_joint(&r, "base", TRIBO_JOINT_FREE, TRIBO_WORLD, trunk, zero, straight, x);
  if (feet) {
    add_shape(&r, TRIBO_SHAPE_PLANE, TRIBO_WORLD, zero, zero, 1, 2);
    add_shape(&r, TRIBO_SHAPE_BOX, trunk, zero, tribo_vec3(0.3, 0.15, 0.075), 2, 1);
  }
  for (int leg = 0; leg < 4; ++leg) {
    double sx = leg < 2 ? 1 : -1, sy = leg % 2 == 0 ? 1 : -1;
    TriboVec3 middle = tribo_vec3(0, 0, -0.5 * length), end = tribo_vec3(0, 0, -length);
    int hip =
        add_link(&r, name[leg][0], 1, tribo_vec3(0, 0.04 * sy, 0), tribo_vec3(0.003, 0.003, 0.003));
    int thigh = add_link(&r, name[leg][1], 1, middle, box_inertia(1, 0.05, 0.05, 0.3));
    int shank = add_link(&r, name[leg][2], 0.8, middle, box_inertia(0.8, 0.05, 0.05, 0.3));
    add_joint(&r, name[leg][3], TRIBO_JOINT_HINGE, trunk, hip, tribo_vec3(0.25 * sx, 0.15 * sy, 0),
              straight, x);
    add_joint(&r, name[leg][4], TRIBO_JOINT_HINGE, hip, thigh, tribo_vec3(0, 0.08 * sy, 0),
              tribo_quat_from_axis_angle(y, crouch), y);
    add_joint(&r, name[leg][5], TRIBO_JOINT_HINGE, thigh, shank, end,
              tribo_quat_from_axis_angle(y, -2 * crouch), y);
    if (feet) add_shape(&r, TRIBO_SHAPE_SPHERE, shank, end, tribo_vec3(0.025, 0, 0), 2, 1);
  }
  return finish(&r, builder);
}

TriboStatus tribo_bench_arm(TriboBuilder** builder) {
  Robot r = begin();
  int parent = TRIBO_WORLD;
  for (int i = 0; i < 7; ++i) {
    int link = add_link(&r, NULL, 3 - 0.4 * i, tribo_vec3(0.01, 0.02, 0.1),
                        box_inertia(3 - 0.4 * i, 0.1, 0.1, 0.2));
    add_joint(&r, NULL, TRIBO_JOINT_HINGE, parent, link, tribo_vec3(0, 0, i == 0 ? 0 : 0.2),
              tribo_quat_identity(), i % 2 == 0 ? tribo_vec3(0, 0, 1) : tribo_vec3(0, 1, 0));
    parent = link;
  }
  return finish(&r, builder);
}

TriboStatus tribo_bench_chain(int links, TriboBuilder** builder) {
  Robot r = begin();
  int parent = TRIBO_WORLD;
  for (int i = 0; i < links; ++i) {
    int link = add_link(&r, NULL, 0.5, tribo_vec3(0, 0, -0.05), box_inertia(0.5, 0.04, 0.04, 0.1));
    add_joint(&r, NULL, TRIBO_JOINT_HINGE, parent, link, tribo_vec3(0, 0, i == 0 ? 0 : -0.1),
              tribo_quat_identity(), i % 2 == 0 ? tribo_vec3(1, 0, 0) : tribo_vec3(0, 1, 0));
    parent = link;
  }
  return finish(&r, builder);
}

TriboStatus tribo_bench_loose(int bodies, TriboBuilder** builder) {
  Robot r = begin();
  for (int i = 0; i < bodies; ++i) {
    int link = add_link(&r, NULL, 1, tribo_vec3_zero(), box_inertia(1, 0.1, 0.2, 0.3));
    TriboVec3 at = tribo_vec3(i % 10, i / 10 % 10, i / 100);
    add_joint(&r, NULL, TRIBO_JOINT_FREE, TRIBO_WORLD, link, at, tribo_quat_identity(),
              tribo_vec3(0, 0, 1));
  }
  return finish(&r, builder);
}
