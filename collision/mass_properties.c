// SPDX-License-Identifier: Apache-2.0
//
// Closed forms for the round shapes. A polyhedron is the signed sum of the tetrahedra between its
// triangles (a, b, c) and a point near it, the origin o of the sums. With v = a . (b x c) / 6 and
// s = a + b + c, measured from o:
//
//   volume   sum of v
//   moment   sum of v s / 4
//   second   sum of v (a a^T + b b^T + c c^T + s s^T) / 20
//
// and inertia = trace(C) 1 - C of the second moment C about the centre of mass.
#include "collision/mass_properties.h"

#include <math.h>

#include "collision/hull.h"
#include "collision/mesh.h"
#include "engine/base/message.h"
#include "engine/base/vec3.h"

static const double kPi = 3.14159265358979323846;

// What is left when the areas of all triangles, as vectors, are added, as part of the area: more
// than this is a hole. Triangles of a closed mesh whose vertices were rounded to floats stay far
// below.
static const double kHole = 1e-4;

typedef struct Sums {
  TriboVec3 origin;
  double volume;
  TriboVec3 moment;
  double second[6];  // xx yy zz xy xz yz
  TriboVec3 area_vector;
  double area;
} Sums;

static void add_outer(double second[6], double weight, TriboVec3 a) {
  second[0] += weight * a.x * a.x;
  second[1] += weight * a.y * a.y;
  second[2] += weight * a.z * a.z;
  second[3] += weight * a.x * a.y;
  second[4] += weight * a.x * a.z;
  second[5] += weight * a.y * a.z;
}

static void add_triangle(Sums* sums, TriboVec3 a, TriboVec3 b, TriboVec3 c) {
  a = tribo_vec3_sub(a, sums->origin);
  b = tribo_vec3_sub(b, sums->origin);
  c = tribo_vec3_sub(c, sums->origin);
  const double v = tribo_vec3_dot(a, tribo_vec3_cross(b, c)) / 6;
  const TriboVec3 s = tribo_vec3_add(a, tribo_vec3_add(b, c));
  sums->volume += v;
  sums->moment = tribo_vec3_madd(sums->moment, v / 4, s);
  add_outer(sums->second, v / 20, a);
  add_outer(sums->second, v / 20, b);
  add_outer(sums->second, v / 20, c);
  add_outer(sums->second, v / 20, s);
  const TriboVec3 cross = tribo_vec3_cross(tribo_vec3_sub(b, a), tribo_vec3_sub(c, a));
  sums->area_vector = tribo_vec3_add(sums->area_vector, cross);
  sums->area += tribo_vec3_norm(cross);
}

static TriboStatus finish_sums(const Sums* sums, double density, TriboMassProperties* out,
                               TriboMessage* message) {
  if (!(tribo_vec3_norm(sums->area_vector) <= kHole * sums->area)) {
    return tribo_message_set(
        message, TRIBO_ERROR_MODEL,
        "The triangles have a hole, so there is no inside; close the mesh, use "
        "its convex hull, or give mass and inertia.");
  }
  const double size = sqrt(sums->area);
  if (!(sums->volume > 1e-12 * size * size * size)) {
    return tribo_message_set(message, TRIBO_ERROR_MODEL,
                             "The volume within the triangles is %g m^3; they are flat or look "
                             "inwards. Turn them round, or give mass and inertia.",
                             sums->volume);
  }
  const TriboVec3 c = tribo_vec3_scale(1 / sums->volume, sums->moment);
  double second[6];
  for (int i = 0; i < 6; ++i) second[i] = sums->second[i];
  add_outer(second, -sums->volume, c);
  out->volume = sums->volume;
  out->mass = density * sums->volume;
  out->com = tribo_vec3_add(sums->origin, c);
  const double trace = second[0] + second[1] + second[2];
  for (int i = 0; i < 3; ++i) {
    out->inertia[i] = density * (trace - second[i]);
    out->inertia[3 + i] = -density * second[3 + i];
  }
  return TRIBO_OK;
}

static TriboStatus hull_properties(const TriboHull* hull, double density, TriboMassProperties* out,
                                   TriboMessage* message) {
  Sums sums = {.origin = hull->center};
  for (int f = 0; f < hull->nf; ++f) {
    const int* corner = hull->face_vertices + hull->face_start[f];
    const int count = hull->face_start[f + 1] - hull->face_start[f];
    for (int k = 2; k < count; ++k) {
      add_triangle(&sums, hull->vertices[corner[0]], hull->vertices[corner[k - 1]],
                   hull->vertices[corner[k]]);
    }
  }
  return finish_sums(&sums, density, out, message);
}

static TriboStatus mesh_properties(const TriboMesh* mesh, double density, TriboMassProperties* out,
                                   TriboMessage* message) {
  if (!mesh->is_closed) {
    return tribo_message_set(
        message, TRIBO_ERROR_MODEL,
        "The mesh is not closed: some edge has not exactly two triangles. Weld "
        "it, close it, use its convex hull, or give mass and inertia.");
  }
  Sums sums = {.origin = tribo_aabb_center(mesh->bounds)};
  for (int t = 0; t < mesh->nt; ++t) {
    const int* corner = mesh->triangles + 3 * (size_t)t;
    add_triangle(&sums, mesh->vertices[corner[0]], mesh->vertices[corner[1]],
                 mesh->vertices[corner[2]]);
  }
  return finish_sums(&sums, density, out, message);
}

// A body that is symmetric about the planes of its frame.
static void set_symmetric(TriboMassProperties* out, double volume, double density, double xx,
                          double yy, double zz) {
  *out = (TriboMassProperties){.volume = volume, .mass = density * volume};
  out->inertia[0] = xx;
  out->inertia[1] = yy;
  out->inertia[2] = zz;
}

static void capsule_properties(double r, double l, double density, TriboMassProperties* out) {
  const double cylinder = 2 * kPi * r * r * l, caps = 4.0 / 3 * kPi * r * r * r;
  const double mc = density * cylinder, ms = density * caps;
  const double zz = mc * r * r / 2 + ms * 2 * r * r / 5;
  // A half sphere has its centre 3 r / 8 from its base; with Steiner that gives l^2 + 3 l r / 4.
  const double xx = mc * (r * r / 4 + l * l / 3) + ms * (2 * r * r / 5 + l * l + 3 * l * r / 4);
  set_symmetric(out, cylinder + caps, density, xx, xx, zz);
}

TriboStatus tribo_mass_properties(const TriboShape* shape, double density, TriboMassProperties* out,
                                  TriboMessage* message) {
  tribo_message_clear(message);
  if (!isfinite(density)) {
    return tribo_message_set(message, TRIBO_ERROR_NOT_FINITE, "The density is not finite.");
  }
  if (!(density > 0)) {
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT,
                             "The density is %g kg/m^3; it must be positive.", density);
  }
  const double r = shape->radius, l = shape->half_length;
  const TriboVec3 h = shape->half;
  switch (shape->type) {
    case TRIBO_SHAPE_SPHERE: {
      const double volume = 4.0 / 3 * kPi * r * r * r, i = density * volume * 2 * r * r / 5;
      set_symmetric(out, volume, density, i, i, i);
      return TRIBO_OK;
    }
    case TRIBO_SHAPE_CAPSULE:
      capsule_properties(r, l, density, out);
      return TRIBO_OK;
    case TRIBO_SHAPE_BOX: {
      const double volume = 8 * h.x * h.y * h.z, m = density * volume / 3;
      set_symmetric(out, volume, density, m * (h.y * h.y + h.z * h.z), m * (h.x * h.x + h.z * h.z),
                    m * (h.x * h.x + h.y * h.y));
      return TRIBO_OK;
    }
    case TRIBO_SHAPE_CYLINDER: {
      const double volume = 2 * kPi * r * r * l, m = density * volume;
      const double xx = m * (r * r / 4 + l * l / 3);
      set_symmetric(out, volume, density, xx, xx, m * r * r / 2);
      return TRIBO_OK;
    }
    case TRIBO_SHAPE_ELLIPSOID: {
      const double volume = 4.0 / 3 * kPi * h.x * h.y * h.z, m = density * volume / 5;
      set_symmetric(out, volume, density, m * (h.y * h.y + h.z * h.z), m * (h.x * h.x + h.z * h.z),
                    m * (h.x * h.x + h.y * h.y));
      return TRIBO_OK;
    }
    case TRIBO_SHAPE_HULL:
      return hull_properties(shape->hull, density, out, message);
    case TRIBO_SHAPE_MESH:
      return mesh_properties(shape->mesh, density, out, message);
    case TRIBO_SHAPE_PLANE:
    case TRIBO_SHAPE_HEIGHT_FIELD:
      break;
  }
  return tribo_message_set(message, TRIBO_ERROR_UNSUPPORTED, "A %s has no volume.",
                           tribo_shape_type_name(shape->type));
}

TriboStatus tribo_mass_properties_triangles(const double* vertices, const int* triangles,
                                            int triangle_count, double density,
                                            TriboMassProperties* out, TriboMessage* message) {
  tribo_message_clear(message);
  if (!isfinite(density)) {
    return tribo_message_set(message, TRIBO_ERROR_NOT_FINITE, "The density is not finite.");
  }
  if (!(density > 0) || triangle_count < 1) {
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT,
                             "A density of %g kg/m^3 and %d triangles: both must be positive.",
                             density, triangle_count);
  }
  Sums sums = {.origin = tribo_vec3_from(vertices + 3 * (size_t)triangles[0])};
  for (int t = 0; t < triangle_count; ++t) {
    const int* corner = triangles + 3 * (size_t)t;
    add_triangle(&sums, tribo_vec3_from(vertices + 3 * (size_t)corner[0]),
                 tribo_vec3_from(vertices + 3 * (size_t)corner[1]),
                 tribo_vec3_from(vertices + 3 * (size_t)corner[2]));
  }
  return finish_sums(&sums, density, out, message);
}
