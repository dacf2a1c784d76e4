// SPDX-License-Identifier: Apache-2.0
#include "models/mesh_inertia.h"

#include <math.h>
#include <string.h>

#include "engine/base/message.h"
#include "engine/base/vec3.h"

typedef struct Triangle {
  TriboVec3 a, b, c, center, normal;  // normal: twice the area long
} Triangle;

static Triangle get_triangle(const double* vertices, const int* t) {
  Triangle out;
  const double *a = vertices + 3 * (size_t)t[0], *b = vertices + 3 * (size_t)t[1];
  const double* c = vertices + 3 * (size_t)t[2];
  out.a = tribo_vec3(a[0], a[1], a[2]);
  out.b = tribo_vec3(b[0], b[1], b[2]);
  out.c = tribo_vec3(c[0], c[1], c[2]);
  out.center = tribo_vec3_scale(1.0 / 3, tribo_vec3_add(out.a, tribo_vec3_add(out.b, out.c)));
  out.normal = tribo_vec3_cross(tribo_vec3_sub(out.b, out.a), tribo_vec3_sub(out.c, out.a));
  return out;
}

// Second moment of a pyramid with its tip at the origin, for coordinates x and y of its corners.
static double second_moment(double volume, const double x[3], const double y[3]) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) sum += (i == j ? 2 : 1) * x[i] * y[j];
  }
  return volume / 20 * sum;
}

TriboStatus tribo_mesh_inertia_pyramids(const double* vertices, const int* triangles, int count,
                                        double density, TriboMassProperties* properties,
                                        TriboMessage* message) {
  memset(properties, 0, sizeof *properties);
  // The mean of the surface.
  TriboVec3 tip = tribo_vec3_zero();
  double area = 0;
  for (int i = 0; i < count; ++i) {
    Triangle t = get_triangle(vertices, triangles + 3 * (size_t)i);
    double weight = tribo_vec3_norm(t.normal) / 2;
    area += weight;
    tip = tribo_vec3_madd(tip, weight, t.center);
  }
  if (area > 0) tip = tribo_vec3_scale(1 / area, tip);

  // Volume and centre of mass: a pyramid's is a quarter of the way from its base to its tip.
  TriboVec3 moment = tribo_vec3_zero();
  double volume = 0;
  for (int i = 0; i < count; ++i) {
    Triangle t = get_triangle(vertices, triangles + 3 * (size_t)i);
    double v = fabs(tribo_vec3_dot(tribo_vec3_sub(t.center, tip), t.normal)) / 6;
    volume += v;
    moment =
        tribo_vec3_madd(moment, v, tribo_vec3_madd(tribo_vec3_scale(0.75, t.center), 0.25, tip));
  }
  if (!(volume > 1e-15)) {
    return tribo_message_set(message, TRIBO_ERROR_MODEL,
                             "the mesh is flat: it has no volume; give the body an inertial");
  }
  TriboVec3 com = tribo_vec3_scale(1 / volume, moment);

  // Volume once more and second moments, of pyramids whose tips are the centre of mass.
  double P[6] = {0};
  volume = 0;
  static const int AXES[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int i = 0; i < count; ++i) {
    Triangle t = get_triangle(vertices, triangles + 3 * (size_t)i);
    TriboVec3 a = tribo_vec3_sub(t.a, com), b = tribo_vec3_sub(t.b, com);
    TriboVec3 c = tribo_vec3_sub(t.c, com);
    double v = fabs(tribo_vec3_dot(tribo_vec3_sub(t.center, com), t.normal)) / 6;
    volume += v;
    const double x[3][3] = {{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}};
    for (int k = 0; k < 6; ++k) P[k] += second_moment(v, x[AXES[k][0]], x[AXES[k][1]]);
  }
  properties->volume = volume;
  properties->mass = density * volume;
  properties->com = com;
  const double inertia[6] = {P[1] + P[2], P[0] + P[2], P[0] + P[1], -P[3], -P[4], -P[5]};
  for (int k = 0; k < 6; ++k) properties->inertia[k] = density * inertia[k];
  return TRIBO_OK;
}
