// SPDX-License-Identifier: Apache-2.0
//
// Scenes of loose bodies and small mechanisms. Lengths in m, masses in kg, angles in radians.
#include <math.h>

#include "models/library/scenes.h"

static const double pi = 3.14159265358979323846;

// Bodies that touch at the start overlap by this, so that contact is there in the first step.
static const double overlap = 1e-6;

void tribo_write_mjcf_begin(FILE* out, const char* name, double dt, double mu) {
  fprintf(out,
          "<mujoco model=\"%s\">\n"
          "  <compiler angle=\"radian\"/>\n"
          "  <option timestep=\"%.9g\"/>\n"
          "  <default>\n"
          "    <geom friction=\"%.9g 0 0\" condim=\"3\"/>\n"
          "  </default>\n",
          name, dt, mu);
}

void tribo_write_mjcf_end(FILE* out) { fprintf(out, "</mujoco>\n"); }

void tribo_write_custom(FILE* out, const char* name, double value) {
  fprintf(out, "  <custom>\n    <numeric name=\"%s\" data=\"%.9g\"/>\n  </custom>\n", name, value);
}

static void write_floor(FILE* out) {
  fprintf(out, "    <geom name=\"floor\" type=\"plane\" size=\"5 5 0.1\"/>\n");
}

// A loose box of half lengths x y z.
static void write_box(FILE* out, const char* name, int number, double mass, const double half[3],
                      const double at[3]) {
  fprintf(out,
          "    <body name=\"%s%d\" pos=\"%.17g %.17g %.17g\">\n"
          "      <freejoint/>\n"
          "      <geom type=\"box\" size=\"%.9g %.9g %.9g\" mass=\"%.9g\"/>\n"
          "    </body>\n",
          name, number, at[0], at[1], at[2], half[0], half[1], half[2], mass);
}

static void write_ball(FILE* out, const char* name, int number, double mass, double radius,
                       const double at[3]) {
  fprintf(out,
          "    <body name=\"%s%d\" pos=\"%.17g %.17g %.17g\">\n"
          "      <freejoint/>\n"
          "      <geom type=\"sphere\" size=\"%.9g\" mass=\"%.9g\"/>\n"
          "    </body>\n",
          name, number, at[0], at[1], at[2], radius, mass);
}

// A box of half lengths x y z in `strips` strips along y, a tenth of each left free between them.
static void write_strips(FILE* out, const double half[3], double mass, int strips,
                         const char* rgba) {
  const double width = strips > 1 ? 2 * half[1] / (strips - 0.1) : 2 * half[1];
  const double solid = strips > 1 ? 0.9 * width : width;
  for (int i = 0; i < strips; ++i) {
    const double y = -half[1] + 0.5 * solid + i * width;
    fprintf(
        out,
        "      <geom type=\"box\" size=\"%.9g %.17g %.9g\" pos=\"0 %.17g 0\" mass=\"%.17g\"%s/>\n",
        half[0], 0.5 * solid, half[2], y, mass / strips, rgba);
  }
}

// The same box, whatever it is made of for contact.
static void write_uniform_inertia(FILE* out, const double half[3], double mass) {
  const double x = half[0] * half[0], y = half[1] * half[1], z = half[2] * half[2];
  fprintf(out, "      <inertial pos=\"0 0 0\" mass=\"%.9g\" diaginertia=\"%.17g %.17g %.17g\"/>\n",
          mass, mass * (y + z) / 3, mass * (x + z) / 3, mass * (x + y) / 3);
}

// A plate on a slide, on the left (-1) or the right, `away` from the middle at height z.
static void write_jaw(FILE* out, int side, const double half[3], double mass, int strips,
                      const char* rgba, double away, double z) {
  const char* name = side < 0 ? "left" : "right";
  fprintf(out,
          "    <body name=\"%s\" pos=\"%.17g 0 %.9g\">\n"
          "      <joint name=\"%s_slide\" type=\"slide\" axis=\"%d 0 0\"/>\n",
          name, side * away, z, name, -side);
  write_strips(out, half, mass, strips, rgba);
  fprintf(out, "    </body>\n");
}

// Ends a world with two jaws: motors press them inward with `force`.
static void write_jaw_motors(FILE* out, double force) {
  fprintf(out,
          "  </worldbody>\n"
          "  <actuator>\n"
          "    <motor name=\"left\" joint=\"left_slide\"/>\n"
          "    <motor name=\"right\" joint=\"right_slide\"/>\n"
          "  </actuator>\n"
          "  <keyframe>\n"
          "    <key name=\"hold\" ctrl=\"%.9g %.9g\"/>\n"
          "  </keyframe>\n",
          force, force);
}

// Force closure of a row of cubes ([Drumwright], figure 1). It holds where friction carries the
// weight, 2 mu F > n m g, and the plates' faces carry the bending, F 0.05 > n^2 m g 0.1/8. Of two
// neighbours one is in strips, so each pair has four contacts a strip.
void tribo_write_grasp(FILE* out, const double* parameter) {
  const int n = (int)parameter[0], strips = (int)parameter[5];
  const double force = parameter[2] > 0 ? parameter[2] : n <= 2 ? 50 : 400;
  const double cube[3] = {0.05, 0.05, 0.05}, plate[3] = {0.02, 0.06, 0.06};
  const char* red = " rgba=\"0.8 0.1 0.1 1\"";
  tribo_write_mjcf_begin(out, "grasp", parameter[3], parameter[1]);
  tribo_write_custom(out, "tribo_viscosity", parameter[4]);
  fprintf(out, "  <worldbody>\n");
  for (int i = 0; i < n; ++i) {
    fprintf(out, "    <body name=\"cube%d\" pos=\"%.17g 0 1\">\n      <freejoint/>\n", i,
            (0.1 - overlap) * (i - 0.5 * (n - 1)));
    if (strips > 1) write_uniform_inertia(out, cube, 1);
    write_strips(out, cube, 1, i % 2 == 0 ? strips : 1, "");
    fprintf(out, "    </body>\n");
  }
  const double away = 0.07 - overlap + (0.1 - overlap) * 0.5 * (n - 1);
  write_jaw(out, -1, plate, 1, 1, red, away, 1);
  write_jaw(out, 1, plate, 1, n % 2 == 0 ? strips : 1, red, away, 1);
  write_jaw_motors(out, force);
  tribo_write_mjcf_end(out);
}

// Two fingertips press a capsule of 45 g: each carries half the weight, so it needs m g/(2 F).
void tribo_write_pinch(FILE* out, const double* parameter) {
  const double force = 5, mass = 0.045, needed = mass * 9.81 / (2 * force);
  const double tip[3] = {0.01, 0.015, 0.02};
  tribo_write_mjcf_begin(out, "pinch", parameter[1], parameter[0] * needed);
  fprintf(out,
          "  <worldbody>\n"
          "    <body name=\"capsule\" pos=\"0 0 0.5\">\n"
          "      <freejoint/>\n"
          "      <geom type=\"capsule\" size=\"0.01 0.03\" mass=\"%.9g\"/>\n"
          "    </body>\n",
          mass);
  for (int side = -1; side <= 1; side += 2)
    write_jaw(out, side, tip, 0.1, 1, "", 0.02 - overlap, 0.5);
  write_jaw_motors(out, force);
  tribo_write_mjcf_end(out);
}

// A peg whose surface is two rings of spheres, in a square hole; gravity presses it in and to the
// side ([Lloyd2005], section VII).
void tribo_write_peg(FILE* out, const double* parameter) {
  const int n = (int)parameter[0];
  const double clearance = parameter[1], ring = 0.03, sphere = 0.005, wall = 0.01;
  const double inner = ring + sphere + clearance;
  tribo_write_mjcf_begin(out, "peg-in-hole", parameter[3], parameter[2]);
  fprintf(out, "  <option gravity=\"1 0.5 -9.81\"/>\n  <worldbody>\n");
  write_floor(out);
  for (int k = 0; k < 4; ++k) {
    const double x = k < 2 ? (k == 0 ? 1 : -1) * (inner + wall) : 0;
    const double y = k < 2 ? 0 : (k == 2 ? 1 : -1) * (inner + wall);
    fprintf(out,
            "    <geom name=\"wall%d\" type=\"box\" pos=\"%.17g %.17g 0.04\" size=\"%.9g %.9g "
            "0.04\"/>\n",
            k, x, y, k < 2 ? wall : inner + 2 * wall, k < 2 ? inner + 2 * wall : wall);
  }
  fprintf(out,
          "    <body name=\"peg\" pos=\"0 0 %.17g\">\n"
          "      <freejoint/>\n"
          "      <inertial pos=\"0 0 0.03\" mass=\"0.5\" diaginertia=\"4e-4 4e-4 2e-4\"/>\n",
          sphere - overlap);
  for (int level = 0; level < 2; ++level) {
    for (int i = 0; i < n; ++i) {
      const double angle = 2 * pi * i / n;
      fprintf(out, "      <geom type=\"sphere\" size=\"%.9g\" pos=\"%.17g %.17g %.9g\"/>\n", sphere,
              ring * cos(angle), ring * sin(angle), level * 0.06);
    }
  }
  fprintf(out, "    </body>\n  </worldbody>\n");
  tribo_write_mjcf_end(out);
}

void tribo_write_stack(FILE* out, const double* parameter) {
  const int n = (int)parameter[0];
  const double half[3] = {0.05, 0.05, 0.05};
  tribo_write_mjcf_begin(out, "stack", parameter[2], parameter[1]);
  fprintf(out, "  <worldbody>\n");
  write_floor(out);
  for (int i = 0; i < n; ++i) {
    const double at[3] = {0.001 * sin(2.1 * i), 0.001 * cos(1.3 * i),
                          0.05 - overlap + (0.1 - overlap) * i};
    write_box(out, "cube", i, 1, half, at);
  }
  fprintf(out, "  </worldbody>\n");
  tribo_write_mjcf_end(out);
}

void tribo_write_incline(FILE* out, const double* parameter) {
  const double angle = parameter[0] * pi / 180, direction = parameter[1] * pi / 180;
  const double half[3] = {0.1, 0.1, 0.05}, at[3] = {0, 0, 0.05 - overlap};
  tribo_write_mjcf_begin(out, "incline", parameter[3], parameter[2]);
  fprintf(out, "  <option gravity=\"%.17g %.17g %.17g\"/>\n  <worldbody>\n",
          9.81 * sin(angle) * cos(direction), 9.81 * sin(angle) * sin(direction),
          -9.81 * cos(angle));
  write_floor(out);
  write_box(out, "box", 0, 2, half, at);
  fprintf(out, "  </worldbody>\n");
  tribo_write_mjcf_end(out);
}

void tribo_write_billiards(FILE* out, const double* parameter) {
  const double radius = 0.028575, mass = 0.17, row = sqrt(3.0) * (radius + 1e-5);
  tribo_write_mjcf_begin(out, "billiards", parameter[3], parameter[2]);
  tribo_write_custom(out, "tribo_restitution", parameter[1]);
  fprintf(out, "  <worldbody>\n");
  write_floor(out);
  const double cue[3] = {-0.5, 0, radius};
  write_ball(out, "ball", 0, mass, radius, cue);
  int number = 1;
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k <= i; ++k, ++number) {
      const double at[3] = {row * i, (2 * k - i) * (radius + 1e-5), radius};
      write_ball(out, "ball", number, mass, radius, at);
    }
  }
  // A keyframe gives the cue ball its speed; the first six velocities are its own.
  fprintf(out, "  </worldbody>\n  <keyframe>\n    <key name=\"break\" qvel=\"%.9g 0 0 0 0 0",
          parameter[0]);
  for (int i = 0; i < 15; ++i) fprintf(out, "  0 0 0 0 0 0");
  fprintf(out, "\"/>\n  </keyframe>\n");
  tribo_write_mjcf_end(out);
}

void tribo_write_cradle(FILE* out, const double* parameter) {
  const int n = (int)parameter[0];
  const double radius = 0.02, length = 0.3, spacing = 2 * radius + parameter[2];
  tribo_write_mjcf_begin(out, "newton-cradle", parameter[3], 0);
  tribo_write_custom(out, "tribo_restitution", 1);
  fprintf(out, "  <worldbody>\n");
  for (int i = 0; i < n; ++i) {
    fprintf(out,
            "    <body name=\"ball%d\" pos=\"%.17g 0 %.9g\">\n"
            "      <joint name=\"rod%d\" type=\"hinge\" axis=\"0 1 0\"/>\n"
            "      <geom type=\"sphere\" size=\"%.9g\" pos=\"0 0 %.9g\" mass=\"0.2\"/>\n"
            "    </body>\n",
            i, i * spacing, length + 0.1, i, radius, -length);
  }
  fprintf(out, "  </worldbody>\n  <keyframe>\n    <key name=\"drawn\" qpos=\"%.17g",
          parameter[1] * pi / 180);
  for (int i = 1; i < n; ++i) fprintf(out, " 0");
  fprintf(out, "\"/>\n  </keyframe>\n");
  tribo_write_mjcf_end(out);
}

// Crank 0.1, coupler 0.3, rocker 0.2, ground 0.3: the crank hangs from the world, the coupler from
// the crank, and the rocker from the world; a loop joins coupler and rocker.
void tribo_write_four_bar(FILE* out, const double* parameter) {
  const double crank = 0.1, coupler = 0.3, rocker = 0.2, ground = 0.3;
  // Crank upright; where the circles of coupler and rocker meet, above the ground.
  const double x = ground, z = -crank, d2 = x * x + z * z, d = sqrt(d2);
  const double along = (d2 + coupler * coupler - rocker * rocker) / (2 * d);
  const double across = sqrt(coupler * coupler - along * along);
  const double jx = (x * along - z * across) / d, jz = crank + (z * along + x * across) / d;
  // Bars lie along their own x axis at rotation 0; a turn by a about y takes x to (cos a, -sin a).
  const double up = -0.5 * pi, coupler_angle = -atan2(jz - crank, jx),
               rocker_angle = -atan2(jz, jx - ground);
  tribo_write_mjcf_begin(out, "four-bar", parameter[0], 0.5);
  fprintf(out, "  <worldbody>\n");
  fprintf(out,
          "    <body name=\"crank\" pos=\"0 0 1\" euler=\"0 %.17g 0\">\n"
          "      <joint name=\"crank\" type=\"hinge\" axis=\"0 1 0\"/>\n"
          "      <geom type=\"capsule\" fromto=\"0 0 0 %.9g 0 0\" size=\"0.01\" mass=\"0.2\" "
          "contype=\"0\" "
          "conaffinity=\"0\"/>\n"
          "      <body name=\"coupler\" pos=\"%.9g 0 0\" euler=\"0 %.17g 0\">\n"
          "        <joint name=\"coupler\" type=\"hinge\" axis=\"0 1 0\"/>\n"
          "        <geom type=\"capsule\" fromto=\"0 0 0 %.9g 0 0\" size=\"0.01\" mass=\"0.4\" "
          "contype=\"0\" "
          "conaffinity=\"0\"/>\n"
          "      </body>\n"
          "    </body>\n",
          up, crank, crank, coupler_angle - up, coupler);
  fprintf(out,
          "    <body name=\"rocker\" pos=\"%.9g 0 1\" euler=\"0 %.17g 0\">\n"
          "      <joint name=\"rocker\" type=\"hinge\" axis=\"0 1 0\"/>\n"
          "      <geom type=\"capsule\" fromto=\"0 0 0 %.9g 0 0\" size=\"0.01\" mass=\"0.3\" "
          "contype=\"0\" "
          "conaffinity=\"0\"/>\n"
          "    </body>\n"
          "  </worldbody>\n"
          "  <equality>\n"
          "    <connect name=\"closure\" body1=\"coupler\" body2=\"rocker\" anchor=\"%.9g 0 0\"/>\n"
          "  </equality>\n",
          ground, rocker_angle, rocker, coupler);
  tribo_write_mjcf_end(out);
}

void tribo_write_pile(FILE* out, const double* parameter) {
  const int n = (int)parameter[0], k = (int)lround(cbrt(n));
  const double radius = 0.05, mass = 0.5236, spacing = 0.11, wall = 0.5 * k * spacing + 0.02;
  tribo_write_mjcf_begin(out, "pile", parameter[2], parameter[1]);
  fprintf(out, "  <worldbody>\n");
  write_floor(out);
  // A plane's normal is its z axis; these four look inward.
  static const char* const quat[4] = {"0.70710678118654752 0 0.70710678118654752 0",
                                      "0.70710678118654752 0 -0.70710678118654752 0",
                                      "0.70710678118654752 -0.70710678118654752 0 0",
                                      "0.70710678118654752 0.70710678118654752 0 0"};
  for (int i = 0; i < 4; ++i) {
    const double at = i % 2 == 0 ? -wall : wall;
    fprintf(out,
            "    <geom name=\"wall%d\" type=\"plane\" size=\"5 5 0.1\" pos=\"%.17g %.17g 0\" "
            "quat=\"%s\"/>\n",
            i, i < 2 ? at : 0, i < 2 ? 0 : at, quat[i]);
  }
  for (int i = 0; i < n; ++i) {
    const double at[3] = {(i % k - 0.5 * (k - 1)) * spacing + 0.004 * sin(3.7 * i),
                          (i / k % k - 0.5 * (k - 1)) * spacing + 0.004 * cos(2.3 * i),
                          0.06 + spacing * (i / (k * k))};
    write_ball(out, "ball", i, mass, radius, at);
  }
  fprintf(out, "  </worldbody>\n");
  tribo_write_mjcf_end(out);
}
