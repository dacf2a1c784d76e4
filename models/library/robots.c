// SPDX-License-Identifier: Apache-2.0
//
// Robots. Lengths in m, masses in kg, angles in radians.
#include <math.h>

#include "models/library/scenes.h"

// ---------------------------------------------------------------------------------------------------
// The quadruped: 26.2 kg; joint angles 0 are straight legs, the keyframe "home" is a crouch.
// ---------------------------------------------------------------------------------------------------

typedef struct Leg {
  const char* name;
  int x, y;  // side: +1 front, left
} Leg;
static const Leg legs[4] = {{"FL", 1, 1}, {"FR", 1, -1}, {"RL", -1, 1}, {"RR", -1, -1}};

static const double link_length = 0.25, foot_radius = 0.025, crouch = 0.7;

typedef struct LegJoint {
  const char* name;
  int axis;  // 0: x, 1: y
  double lower, upper, effort;
} LegJoint;
static const LegJoint leg_joints[3] = {
    {"hip", 0, -0.8, 0.8, 60}, {"thigh", 1, -1.5, 2.5, 60}, {"knee", 1, -2.6, 0, 80}};
static const double joint_speed = 21, joint_damping = 0.1, joint_armature = 0.01;

// Principal moments of a uniform box.
static void box_inertia(double mass, double x, double y, double z, double inertia[3]) {
  inertia[0] = mass * (y * y + z * z) / 12;
  inertia[1] = mass * (x * x + z * z) / 12;
  inertia[2] = mass * (x * x + y * y) / 12;
}

static void write_leg_joint(FILE* out, const Leg* leg, const LegJoint* joint) {
  fprintf(out,
          "<joint name=\"%s_%s\" axis=\"%s\" range=\"%.9g %.9g\" limited=\"true\" damping=\"%.9g\" "
          "armature=\"%.9g\"/>\n",
          leg->name, joint->name, joint->axis == 0 ? "1 0 0" : "0 1 0", joint->lower, joint->upper,
          joint_damping, joint_armature);
}

static void write_leg(FILE* out, const Leg* leg) {
  double rod1[3], rod2[3];
  box_inertia(1.0, 0.05, 0.05, 0.3, rod1);
  box_inertia(0.8, 0.05, 0.05, 0.3, rod2);
  fprintf(out, "      <body name=\"%s_hip\" pos=\"%.9g %.9g 0\">\n        ", leg->name,
          0.25 * leg->x, 0.15 * leg->y);
  write_leg_joint(out, leg, &leg_joints[0]);
  fprintf(out,
          "        <inertial pos=\"0 %.9g 0\" mass=\"1\" diaginertia=\"0.003 0.003 0.003\"/>\n",
          0.04 * leg->y);
  fprintf(out, "        <body name=\"%s_thigh\" pos=\"0 %.9g 0\">\n          ", leg->name,
          0.08 * leg->y);
  write_leg_joint(out, leg, &leg_joints[1]);
  fprintf(out,
          "          <inertial pos=\"0 0 %.9g\" mass=\"1\" diaginertia=\"%.12g %.12g %.12g\"/>\n"
          "          <body name=\"%s_shank\" pos=\"0 0 %.9g\">\n            ",
          -0.5 * link_length, rod1[0], rod1[1], rod1[2], leg->name, -link_length);
  write_leg_joint(out, leg, &leg_joints[2]);
  fprintf(
      out,
      "            <inertial pos=\"0 0 %.9g\" mass=\"0.8\" diaginertia=\"%.12g %.12g %.12g\"/>\n"
      "            <geom name=\"%s_foot\" type=\"sphere\" size=\"%.9g\" pos=\"0 0 %.9g\"/>\n"
      "            <site name=\"%s_foot\" pos=\"0 0 %.9g\"/>\n"
      "          </body>\n"
      "        </body>\n"
      "      </body>\n",
      -0.5 * link_length, rod2[0], rod2[1], rod2[2], leg->name, foot_radius, -link_length,
      leg->name, -link_length);
}

static void write_quadruped_actuators(FILE* out) {
  fprintf(out, "  <actuator>\n");
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 3; ++j) {
      const LegJoint* joint = &leg_joints[j];
      fprintf(out,
              "    <motor name=\"%s_%s\" joint=\"%s_%s\" ctrllimited=\"true\" ctrlrange=\"%.9g "
              "%.9g\"/>\n",
              legs[i].name, joint->name, legs[i].name, joint->name, -joint->effort, joint->effort);
    }
  }
  fprintf(out, "  </actuator>\n");
}

// Gentle hills, flat where the robot starts; heights from 0 to 1 in rows along y.
enum { TERRAIN_POINTS = 81 };
static const double terrain_half = 5;
static double terrain_height(int row, int column) {
  const double x = terrain_half * (2.0 * column / (TERRAIN_POINTS - 1) - 1);
  const double y = terrain_half * (2.0 * row / (TERRAIN_POINTS - 1) - 1);
  const double r2 = x * x + y * y, rise = r2 < 0.25 ? 0 : 1 - exp(-(r2 - 0.25));
  return rise * (0.5 + 0.25 * sin(2.1 * x + 0.4 * y) + 0.25 * cos(1.3 * y - 0.9 * x));
}

static void write_terrain(FILE* out, double roughness) {
  fprintf(
      out,
      "  <asset>\n"
      "    <hfield name=\"terrain\" nrow=\"%d\" ncol=\"%d\" size=\"%.9g %.9g %.9g 1\" elevation=\"",
      TERRAIN_POINTS, TERRAIN_POINTS, terrain_half, terrain_half, fmax(roughness, 1e-6));
  for (int row = 0; row < TERRAIN_POINTS; ++row)
    for (int column = 0; column < TERRAIN_POINTS; ++column)
      fprintf(out, "%s%.6g", column == 0 ? "\n      " : " ", terrain_height(row, column));
  fprintf(out, "\"/>\n  </asset>\n");
}

void tribo_write_quadruped(FILE* out, const double* parameter) {
  const int terrain = parameter[0] != 0;
  const double height = 2 * link_length * cos(crouch) + foot_radius - 1e-6;
  double trunk[3];
  box_inertia(15, 0.6, 0.3, 0.15, trunk);
  tribo_write_mjcf_begin(out, "quadruped", parameter[3], parameter[2]);
  tribo_write_custom(out, "tribo_viscosity", parameter[4]);
  if (terrain) write_terrain(out, parameter[1]);
  fprintf(out, "  <worldbody>\n");
  // The robot's parts collide with the ground only.
  if (terrain)
    fprintf(out,
            "    <geom name=\"ground\" type=\"hfield\" hfield=\"terrain\" contype=\"2\" "
            "conaffinity=\"1\"/>\n");
  else
    fprintf(out,
            "    <geom name=\"ground\" type=\"plane\" size=\"20 20 0.1\" contype=\"2\" "
            "conaffinity=\"1\"/>\n");
  fprintf(out,
          "    <body name=\"trunk\" pos=\"0 0 %.17g\">\n"
          "      <freejoint name=\"root\"/>\n"
          "      <inertial pos=\"0 0 0\" mass=\"15\" diaginertia=\"%.12g %.12g %.12g\"/>\n"
          "      <geom name=\"trunk\" type=\"box\" size=\"0.3 0.15 0.075\"/>\n"
          "      <site name=\"imu\" pos=\"0 0 0\"/>\n",
          height, trunk[0], trunk[1], trunk[2]);
  for (int i = 0; i < 4; ++i) write_leg(out, &legs[i]);
  fprintf(out, "    </body>\n  </worldbody>\n");
  write_quadruped_actuators(out);
  fprintf(out, "  <keyframe>\n    <key name=\"home\" qpos=\"0 0 %.17g 1 0 0 0", height);
  for (int i = 0; i < 4; ++i) fprintf(out, "  0 %.9g %.9g", crouch, -2 * crouch);
  fprintf(out, "\"/>\n  </keyframe>\n");
  tribo_write_mjcf_end(out);
}

static void write_urdf_inertial(FILE* out, double y, double z, double mass,
                                const double inertia[3]) {
  fprintf(
      out,
      "    <inertial>\n"
      "      <origin xyz=\"0 %.9g %.9g\"/>\n"
      "      <mass value=\"%.9g\"/>\n"
      "      <inertia ixx=\"%.12g\" iyy=\"%.12g\" izz=\"%.12g\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>\n"
      "    </inertial>\n",
      y, z, mass, inertia[0], inertia[1], inertia[2]);
}

static void write_urdf_joint(FILE* out, const Leg* leg, const LegJoint* joint, const char* parent,
                             const char* child, double x, double y, double z) {
  fprintf(out,
          "  <joint name=\"%s_%s\" type=\"revolute\">\n"
          "    <parent link=\"%s%s\"/>\n"
          "    <child link=\"%s%s\"/>\n"
          "    <origin xyz=\"%.9g %.9g %.9g\"/>\n"
          "    <axis xyz=\"%s\"/>\n"
          "    <limit lower=\"%.9g\" upper=\"%.9g\" effort=\"%.9g\" velocity=\"%.9g\"/>\n"
          "    <dynamics damping=\"%.9g\"/>\n"
          "  </joint>\n",
          leg->name, joint->name, joint->axis == 0 ? "" : leg->name, parent, leg->name, child, x, y,
          z, joint->axis == 0 ? "1 0 0" : "0 1 0", joint->lower, joint->upper, joint->effort,
          joint_speed, joint_damping);
}

static void write_urdf_leg(FILE* out, const Leg* leg) {
  const double hip[3] = {0.003, 0.003, 0.003};
  double rod[3];
  fprintf(out, "  <link name=\"%s_hip\">\n", leg->name);
  write_urdf_inertial(out, 0.04 * leg->y, 0, 1, hip);
  fprintf(out, "  </link>\n  <link name=\"%s_thigh\">\n", leg->name);
  box_inertia(1.0, 0.05, 0.05, 0.3, rod);
  write_urdf_inertial(out, 0, -0.5 * link_length, 1, rod);
  fprintf(out, "  </link>\n  <link name=\"%s_shank\">\n", leg->name);
  box_inertia(0.8, 0.05, 0.05, 0.3, rod);
  write_urdf_inertial(out, 0, -0.5 * link_length, 0.8, rod);
  fprintf(out,
          "    <collision name=\"%s_foot\">\n"
          "      <origin xyz=\"0 0 %.9g\"/>\n"
          "      <geometry>\n"
          "        <sphere radius=\"%.9g\"/>\n"
          "      </geometry>\n"
          "    </collision>\n"
          "  </link>\n"
          "  <link name=\"%s_foot\"/>\n",
          leg->name, -link_length, foot_radius, leg->name);
  write_urdf_joint(out, leg, &leg_joints[0], "trunk", "_hip", 0.25 * leg->x, 0.15 * leg->y, 0);
  write_urdf_joint(out, leg, &leg_joints[1], "_hip", "_thigh", 0, 0.08 * leg->y, 0);
  write_urdf_joint(out, leg, &leg_joints[2], "_thigh", "_shank", 0, 0, -link_length);
  fprintf(out,
          "  <joint name=\"%s_foot\" type=\"fixed\">\n"
          "    <parent link=\"%s_shank\"/>\n"
          "    <child link=\"%s_foot\"/>\n"
          "    <origin xyz=\"0 0 %.9g\"/>\n"
          "  </joint>\n",
          leg->name, leg->name, leg->name, -link_length);
}

void tribo_write_quadruped_urdf(FILE* out, const double* parameter) {
  (void)parameter;
  double trunk[3];
  box_inertia(15, 0.6, 0.3, 0.15, trunk);
  fprintf(out, "<?xml version=\"1.0\"?>\n<robot name=\"quadruped\">\n  <link name=\"trunk\">\n");
  write_urdf_inertial(out, 0, 0, 15, trunk);
  fprintf(out,
          "    <collision name=\"trunk\">\n"
          "      <geometry>\n"
          "        <box size=\"0.6 0.3 0.15\"/>\n"
          "      </geometry>\n"
          "    </collision>\n"
          "  </link>\n");
  for (int i = 0; i < 4; ++i) write_urdf_leg(out, &legs[i]);
  fprintf(out, "</robot>\n");
}

// ---------------------------------------------------------------------------------------------------
// Grippers
// ---------------------------------------------------------------------------------------------------

// A palm on a vertical slide with two jaws; the keyframe "open" is around the cube.
void tribo_write_gripper(FILE* out, const double* parameter) {
  tribo_write_mjcf_begin(out, "gripper", parameter[1], parameter[0]);
  fprintf(out,
          "  <worldbody>\n"
          "    <geom name=\"table\" type=\"plane\" size=\"2 2 0.1\"/>\n"
          "    <body name=\"cube\" pos=\"0 0 %.17g\">\n"
          "      <freejoint/>\n"
          "      <geom name=\"cube\" type=\"box\" size=\"0.025 0.025 0.025\" mass=\"0.2\"/>\n"
          "    </body>\n"
          "    <body name=\"palm\" pos=\"0 0 0.12\">\n"
          "      <joint name=\"lift\" type=\"slide\" axis=\"0 0 1\" range=\"-0.05 0.5\" "
          "limited=\"true\" damping=\"120\"/>\n"
          "      <geom type=\"box\" size=\"0.08 0.03 0.015\" mass=\"0.6\"/>\n",
          0.025 - 1e-6);
  for (int side = -1; side <= 1; side += 2) {
    const char* name = side < 0 ? "left" : "right";
    fprintf(out,
            "      <body name=\"%s\" pos=\"%.9g 0 -0.06\">\n"
            "        <joint name=\"%s_jaw\" type=\"slide\" axis=\"%d 0 0\" range=\"0 0.04\" "
            "limited=\"true\"/>\n"
            "        <geom name=\"%s_jaw\" type=\"box\" size=\"0.008 0.02 0.045\" mass=\"0.1\"/>\n"
            "      </body>\n",
            name, side * 0.05, name, -side, name);
  }
  fprintf(out,
          "    </body>\n"
          "  </worldbody>\n"
          "  <actuator>\n"
          "    <position name=\"lift\" joint=\"lift\" kp=\"2000\"/>\n"
          "    <motor name=\"left\" joint=\"left_jaw\"/>\n"
          "    <motor name=\"right\" joint=\"right_jaw\"/>\n"
          "  </actuator>\n"
          "  <keyframe>\n"
          "    <key name=\"closed\" ctrl=\"0 10 10\"/>\n"
          "  </keyframe>\n");
  tribo_write_mjcf_end(out);
}

// Three fingers at 120 degrees around a ball that rests on the palm, the tips capsules.
void tribo_write_hand(FILE* out, const double* parameter) {
  const double third = 2.0943951023931954923;
  tribo_write_mjcf_begin(out, "hand", parameter[1], parameter[0]);
  fprintf(out,
          "  <worldbody>\n"
          "    <geom name=\"palm\" type=\"cylinder\" size=\"0.06 0.01\" pos=\"0 0 0.49\"/>\n"
          "    <body name=\"ball\" pos=\"0 0 %.17g\">\n"
          "      <freejoint/>\n"
          "      <geom name=\"ball\" type=\"sphere\" size=\"0.03\" mass=\"0.1\"/>\n"
          "    </body>\n",
          0.53 - 1e-6);
  for (int i = 0; i < 3; ++i) {
    fprintf(out,
            "    <body name=\"finger%d\" pos=\"%.17g %.17g 0.5\" euler=\"0 0 %.17g\">\n"
            "      <joint name=\"base%d\" axis=\"0 -1 0\" range=\"-0.5 1.2\" limited=\"true\" "
            "damping=\"0.01\"/>\n"
            "      <geom type=\"capsule\" fromto=\"0 0 0.012 0.01 0 0.045\" size=\"0.007\" "
            "mass=\"0.04\"/>\n"
            "      <body name=\"tip%d\" pos=\"0.01 0 0.045\">\n"
            "        <joint name=\"tip%d\" axis=\"0 -1 0\" range=\"-0.2 1.5\" limited=\"true\" "
            "damping=\"0.01\"/>\n"
            "        <geom name=\"tip%d\" type=\"capsule\" fromto=\"0 0 0 -0.012 0 0.035\" "
            "size=\"0.006\" "
            "mass=\"0.02\"/>\n"
            "      </body>\n"
            "    </body>\n",
            i, 0.055 * cos(third * i), 0.055 * sin(third * i), third * i, i, i, i, i);
  }
  fprintf(out, "  </worldbody>\n  <actuator>\n");
  for (int i = 0; i < 3; ++i) {
    fprintf(out,
            "    <motor name=\"base%d\" joint=\"base%d\"/>\n"
            "    <motor name=\"tip%d\" joint=\"tip%d\"/>\n",
            i, i, i, i);
  }
  fprintf(out,
          "  </actuator>\n  <keyframe>\n    <key name=\"closed\" ctrl=\"0.15 0.05 0.15 0.05 0.15 "
          "0.05\"/>\n  </keyframe>\n");
  tribo_write_mjcf_end(out);
}
