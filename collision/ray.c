// SPDX-License-Identifier: Apache-2.0
//
// All in the shape's own frame. A convex solid is an intersection of simpler ones (slabs, a ball,
// an endless cylinder, half-spaces); the ray is in it from the last entry to the first exit.
#include "collision/ray.h"

#include <math.h>

#include "collision/height_field.h"
#include "collision/hull.h"
#include "collision/mesh.h"
#include "engine/base/rotation.h"

// The stretch of the ray within a solid, and the normal where it begins.
typedef struct Stretch {
  double enter, leave;
  TriboVec3 normal;
} Stretch;

static Stretch whole(const TriboRaySegment* ray) {
  return (Stretch){-INFINITY, ray->reach, tribo_vec3_zero()};
}

// Cuts the stretch by the half-space n . x <= offset. False where nothing is left.
static bool cut_half_space(Stretch* s, const TriboRaySegment* ray, TriboVec3 n, double offset) {
  const double height = tribo_vec3_dot(n, ray->origin) - offset;
  const double slope = tribo_vec3_dot(n, ray->direction);
  if (slope == 0) return height <= 0;
  const double t = -height / slope;
  if (slope < 0 && t > s->enter) {
    s->enter = t;
    s->normal = n;
  }
  if (slope > 0 && t < s->leave) s->leave = t;
  return s->enter <= s->leave;
}

// The roots of a t^2 + 2 b t + c = 0, a > 0, in ascending order, without cancellation.
static bool roots(double a, double b, double c, double t[2]) {
  const double d = b * b - a * c;
  if (d < 0) return false;
  const double q = b >= 0 ? -(b + sqrt(d)) : -b + sqrt(d);
  const double r = q / a, s = q != 0 ? c / q : r;
  t[0] = fmin(r, s);
  t[1] = fmax(r, s);
  return true;
}

// A ball about `center`.
static bool cut_ball(Stretch* s, const TriboRaySegment* ray, TriboVec3 center, double radius) {
  // From the foot of the centre on the ray: no digits are lost far away.
  const TriboVec3 o = tribo_vec3_sub(ray->origin, center);
  const double foot = -tribo_vec3_dot(o, ray->direction);
  const TriboVec3 w = tribo_vec3_madd(o, foot, ray->direction);
  const double h2 = radius * radius - tribo_vec3_norm2(w);
  if (h2 < 0) return false;
  const double h = sqrt(h2);
  if (foot - h > s->enter) {
    s->enter = foot - h;
    // Not divided by the radius: far away, rounding makes the difference longer or shorter than
    // that.
    s->normal = tribo_vec3_normalize_or(tribo_vec3_madd(w, -h, ray->direction),
                                        tribo_vec3_neg(ray->direction));
  }
  s->leave = fmin(s->leave, foot + h);
  return s->enter <= s->leave;
}

// The endless cylinder about z.
static bool cut_tube(Stretch* s, const TriboRaySegment* ray, double radius) {
  const TriboVec3 o = ray->origin, d = ray->direction;
  const double a = d.x * d.x + d.y * d.y;
  if (a == 0) return o.x * o.x + o.y * o.y <= radius * radius;
  double t[2];
  if (!roots(a, o.x * d.x + o.y * d.y, o.x * o.x + o.y * o.y - radius * radius, t)) return false;
  if (t[0] > s->enter) {
    s->enter = t[0];
    s->normal = tribo_vec3_normalize_or(tribo_vec3(o.x + t[0] * d.x, o.y + t[0] * d.y, 0),
                                        tribo_vec3(1, 0, 0));
  }
  s->leave = fmin(s->leave, t[1]);
  return s->enter <= s->leave;
}

static bool cut_slab(Stretch* s, const TriboRaySegment* ray, TriboVec3 axis, double half) {
  return cut_half_space(s, ray, axis, half) && cut_half_space(s, ray, tribo_vec3_neg(axis), half);
}

// What a stretch says about the ray from its origin on.
static bool finish(const Stretch* s, const TriboRaySegment* ray, double* distance,
                   TriboVec3* normal) {
  if (!(s->enter <= s->leave) || s->leave < 0 || s->enter > ray->reach) return false;
  *distance = s->enter > 0 ? s->enter : 0;
  *normal = s->enter >= 0 ? s->normal : tribo_vec3_neg(ray->direction);
  return true;
}

// The first of several solids that overlap: the union of a tube and two balls.
static bool hit_capsule(const TriboShape* shape, const TriboRaySegment* ray, double* distance,
                        TriboVec3* normal) {
  bool found = false;
  for (int part = 0; part < 3; ++part) {
    Stretch s = whole(ray);
    double t;
    TriboVec3 n;
    const bool met =
        part == 0 ? cut_tube(&s, ray, shape->radius) &&
                        cut_slab(&s, ray, tribo_vec3(0, 0, 1), shape->half_length)
                  : cut_ball(&s, ray,
                             tribo_vec3(0, 0, part == 1 ? shape->half_length : -shape->half_length),
                             shape->radius);
    if (!met || !finish(&s, ray, &t, &n) || (found && t >= *distance)) continue;
    found = true;
    *distance = t;
    *normal = n;
  }
  return found;
}

// In coordinates where the ellipsoid is the unit ball; t is the same in both.
static bool cut_ellipsoid(Stretch* s, const TriboRaySegment* ray, TriboVec3 half) {
  const TriboVec3 o =
      tribo_vec3(ray->origin.x / half.x, ray->origin.y / half.y, ray->origin.z / half.z);
  const TriboVec3 d =
      tribo_vec3(ray->direction.x / half.x, ray->direction.y / half.y, ray->direction.z / half.z);
  const double a = tribo_vec3_norm2(d), foot = -tribo_vec3_dot(o, d) / a;
  const TriboVec3 w = tribo_vec3_madd(o, foot, d);
  const double h2 = 1 - tribo_vec3_norm2(w);
  if (h2 < 0) return false;
  const double h = sqrt(h2 / a);
  s->enter = foot - h;
  s->leave = fmin(s->leave, foot + h);
  const TriboVec3 p = tribo_vec3_madd(w, -h, d);
  s->normal = tribo_vec3_normalize_or(tribo_vec3(p.x / half.x, p.y / half.y, p.z / half.z),
                                      tribo_vec3(0, 0, 1));
  return s->enter <= s->leave;
}

static bool hit_convex(const TriboShape* shape, const TriboRaySegment* ray, double* distance,
                       TriboVec3* normal) {
  static const TriboVec3 kAxes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  Stretch s = whole(ray);
  bool met = true;
  switch (shape->type) {
    case TRIBO_SHAPE_PLANE:
      met = cut_half_space(&s, ray, kAxes[2], 0);
      break;
    case TRIBO_SHAPE_SPHERE:
      met = cut_ball(&s, ray, tribo_vec3_zero(), shape->radius);
      break;
    case TRIBO_SHAPE_BOX:
      for (int i = 0; i < 3 && met; ++i) {
        met = cut_slab(&s, ray, kAxes[i], tribo_vec3_get(shape->half, i));
      }
      break;
    case TRIBO_SHAPE_CYLINDER:
      met = cut_tube(&s, ray, shape->radius) && cut_slab(&s, ray, kAxes[2], shape->half_length);
      break;
    case TRIBO_SHAPE_ELLIPSOID:
      met = cut_ellipsoid(&s, ray, shape->half);
      break;
    default:
      for (int f = 0; f < shape->hull->nf && met; ++f) {
        met = cut_half_space(&s, ray, shape->hull->face_normals[f], shape->hull->face_offsets[f]);
      }
      break;
  }
  return met && finish(&s, ray, distance, normal);
}

// ---- surfaces

// A triangle met from outside. The sides are counted in, so that no ray slips through a seam: the
// volumes that decide it are the same numbers from both sides of an edge.
static bool hit_triangle(const TriboVec3 corner[3], TriboVec3 n, const TriboRaySegment* ray,
                         double* distance) {
  const double slope = tribo_vec3_dot(n, ray->direction);
  if (!(slope < 0)) return false;
  TriboVec3 p[3];
  for (int k = 0; k < 3; ++k) p[k] = tribo_vec3_sub(corner[k], ray->origin);
  for (int k = 0; k < 3; ++k) {
    const TriboVec3 a = p[k], b = p[(k + 1) % 3];
    // The order of the two ends is the same for both triangles at an edge.
    const bool turned = a.x > b.x || (a.x == b.x && (a.y > b.y || (a.y == b.y && a.z > b.z)));
    const double volume = turned ? -tribo_vec3_dot(ray->direction, tribo_vec3_cross(b, a))
                                 : tribo_vec3_dot(ray->direction, tribo_vec3_cross(a, b));
    if (volume > 0) return false;
  }
  const double t = tribo_vec3_dot(n, p[0]) / slope;
  if (!(t >= 0 && t <= ray->reach)) return false;
  *distance = t;
  return true;
}

bool tribo_ray_box(TriboAabb box, const TriboRaySegment* ray, double* distance) {
  double enter = 0, leave = ray->reach;
  for (int i = 0; i < 3; ++i) {
    const double o = tribo_vec3_get(ray->origin, i), d = tribo_vec3_get(ray->direction, i);
    const double low = tribo_vec3_get(box.min, i), high = tribo_vec3_get(box.max, i);
    if (d == 0) {
      if (o < low || o > high) return false;
      continue;
    }
    const double t0 = (low - o) / d, t1 = (high - o) / d;
    enter = fmax(enter, fmin(t0, t1));
    leave = fmin(leave, fmax(t0, t1));
  }
  // Rounding must not make a flat box thinner than nothing.
  if (enter > leave + 1e-12 * (fabs(enter) + fabs(leave))) return false;
  *distance = enter;
  return true;
}

static bool hit_mesh(const TriboMesh* mesh, TriboRaySegment ray, double* distance,
                     TriboVec3* normal) {
  int stack[2 * TRIBO_BOX_TREE_DEPTH], top = 0, best = -1;
  double entry;
  if (!tribo_ray_box(mesh->bounds, &ray, &entry)) return false;
  stack[top++] = 0;
  while (top > 0) {
    const int index = stack[--top];
    const TriboBoxTreeNode* node = &mesh->tree.nodes[index];
    if (!tribo_ray_box(node->box, &ray, &entry)) continue;
    if (node->right >= 0) {
      // The nearer child first; what is found there shortens the ray.
      double left = INFINITY, right = INFINITY;
      const bool in_left = tribo_ray_box(mesh->tree.nodes[index + 1].box, &ray, &left);
      const bool in_right = tribo_ray_box(mesh->tree.nodes[node->right].box, &ray, &right);
      const bool left_first = left <= right;
      if (left_first ? in_right : in_left) stack[top++] = left_first ? node->right : index + 1;
      if (left_first ? in_left : in_right) stack[top++] = left_first ? index + 1 : node->right;
      continue;
    }
    for (int k = node->first; k < node->first + node->count; ++k) {
      const int t = mesh->tree.order[k];
      TriboVec3 corner[3];
      for (int c = 0; c < 3; ++c) corner[c] = mesh->vertices[mesh->triangles[3 * t + c]];
      double d;
      if (!hit_triangle(corner, mesh->normals[t], &ray, &d)) continue;
      if (best >= 0 && (d > ray.reach || (d == ray.reach && t > best))) continue;
      ray.reach = d;
      best = t;
    }
  }
  if (best < 0) return false;
  *distance = ray.reach;
  *normal = mesh->normals[best];
  return true;
}

// Whether the origin is below the field.
static bool is_under_field(const TriboHeightField* field, TriboVec3 p) {
  const int t = tribo_height_field_column(field, p.x, p.y);
  if (t < 0) return false;
  TriboTriangle triangle;
  tribo_height_field_triangle(field, t, &triangle);
  return tribo_vec3_dot(triangle.normal, tribo_vec3_sub(p, triangle.corner[0])) < 0;
}

static bool hit_cell(const TriboHeightField* field, int row, int column, const TriboRaySegment* ray,
                     double* distance, TriboVec3* normal) {
  bool found = false;
  for (int upper = 0; upper < 2; ++upper) {
    TriboTriangle triangle;
    double d;
    tribo_height_field_triangle(field, 2 * (row * (field->columns - 1) + column) + upper,
                                &triangle);
    if (!hit_triangle(triangle.corner, triangle.normal, ray, &d)) continue;
    if (found && d >= *distance) continue;
    found = true;
    *distance = d;
    *normal = triangle.normal;
  }
  return found;
}

// The distance at which the ray reaches the next line of the grid along one axis.
static double next_line(double o, double d, double half, double size, int cell) {
  if (d == 0) return INFINITY;
  return (-half + size * (cell + (d > 0)) - o) / d;
}

// Cell by cell along the ray, over the plan of the field.
static bool hit_field(const TriboHeightField* field, const TriboRaySegment* ray, double* distance,
                      TriboVec3* normal) {
  if (is_under_field(field, ray->origin)) {
    *distance = 0;
    *normal = tribo_vec3_neg(ray->direction);
    return true;
  }
  TriboAabb box = field->bounds;
  box.min.z = field->lowest;
  double enter;
  if (!tribo_ray_box(box, ray, &enter)) return false;
  const TriboVec3 p = tribo_vec3_madd(ray->origin, enter, ray->direction);
  const TriboAabb point = {p, p};
  TriboHeightFieldCells cells;
  // Rounding may have put the entry just outside.
  if (!tribo_height_field_cells(
          field, tribo_aabb_inflate(point, 1e-9 * (field->half_x + field->half_y)), &cells)) {
    return false;
  }
  const TriboVec3 d = ray->direction, o = ray->origin;
  int row = d.y >= 0 ? cells.first_row : cells.last_row;
  int column = d.x >= 0 ? cells.first_column : cells.last_column;
  while (row >= 0 && row < field->rows - 1 && column >= 0 && column < field->columns - 1) {
    if (hit_cell(field, row, column, ray, distance, normal)) return true;
    const double tx = next_line(o.x, d.x, field->half_x, field->dx, column);
    const double ty = next_line(o.y, d.y, field->half_y, field->dy, row);
    const double t = fmin(tx, ty);
    if (t > ray->reach || t == INFINITY) return false;
    // Gone below the lowest or above the highest point for good.
    const double z = o.z + t * d.z;
    if ((d.z < 0 && z < field->lowest - 1e-9 * (1 + fabs(z))) ||
        (d.z > 0 && z > field->highest + 1e-9 * (1 + fabs(z)))) {
      return false;
    }
    if (tx <= ty) column += d.x > 0 ? 1 : -1;
    if (ty <= tx) row += d.y > 0 ? 1 : -1;
  }
  return false;
}

bool tribo_ray_shape(const TriboShape* shape, const TriboTransform* X_WS,
                     const TriboRaySegment* ray, double* distance, TriboVec3* normal) {
  const TriboRaySegment local = {tribo_transform_inverse_point(*X_WS, ray->origin),
                                 tribo_mat3_tmul_vec(X_WS->R, ray->direction), ray->reach};
  TriboVec3 n = tribo_vec3_zero();
  const bool met = shape->type == TRIBO_SHAPE_CAPSULE ? hit_capsule(shape, &local, distance, &n)
                   : shape->type == TRIBO_SHAPE_MESH  ? hit_mesh(shape->mesh, local, distance, &n)
                   : shape->type == TRIBO_SHAPE_HEIGHT_FIELD
                       ? hit_field(shape->height_field, &local, distance, &n)
                       : hit_convex(shape, &local, distance, &n);
  if (met) *normal = tribo_mat3_mul_vec(X_WS->R, n);
  return met;
}
