// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as two shapes at two poses and a margin: contacts, distances and rays must keep their
// promises and end, whatever the sizes, the poses and how the shapes lie to each other.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "collision/height_field.h"
#include "collision/hull.h"
#include "collision/mesh.h"
#include "collision/narrow.h"
#include "collision/ray.h"
#include "engine/base/rotation.h"

namespace {

void Check(bool promise) {
  if (!promise) std::abort();
}

class Reader {
 public:
  Reader(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  int Byte() { return at_ < size_ ? data_[at_++] : 0; }
  // Small numbers that often coincide, so that things touch, line up and vanish; sometimes any
  // bits.
  double Number() {
    const int kind = Byte();
    if (kind < 160) return (Byte() - 128) / 64.0;
    if (kind < 220) return ((Byte() << 8 | Byte()) - 32768) / 16384.0;
    if (kind < 240) return std::ldexp(1.0, Byte() % 64 - 32);
    uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8 | (uint64_t)Byte();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  TriboVec3 Vector() {
    const double x = Number(), y = Number(), z = Number();
    return tribo_vec3(x, y, z);
  }

 private:
  const uint8_t* data_;
  size_t size_, at_ = 0;
};

// A shape and what it owns.
struct Body {
  TriboShape shape = {};
  TriboHull* hull = nullptr;
  TriboMesh* mesh = nullptr;
  TriboHeightField* field = nullptr;
  TriboTransform X = tribo_transform_identity();
  ~Body() {
    tribo_hull_destroy(hull);
    tribo_mesh_destroy(mesh);
    tribo_height_field_destroy(field);
  }
};

bool ReadHull(Reader* reader, Body* body) {
  std::vector<TriboVec3> points(4 + reader->Byte() % 12);
  for (TriboVec3& p : points) p = reader->Vector();
  if (tribo_hull_create(points.data(), (int)points.size(), nullptr, &body->hull, nullptr) !=
      TRIBO_OK) {
    return false;
  }
  body->shape = tribo_shape_hull(body->hull);
  return true;
}

bool ReadMesh(Reader* reader, Body* body) {
  std::vector<TriboVec3> vertices(3 + reader->Byte() % 12);
  for (TriboVec3& p : vertices) p = reader->Vector();
  std::vector<int> triangles(3 * (1 + reader->Byte() % 12));
  for (int& v : triangles) v = reader->Byte() % (int)vertices.size();
  if (tribo_mesh_create(vertices.data(), (int)vertices.size(), triangles.data(),
                        (int)triangles.size() / 3, nullptr, &body->mesh, nullptr) != TRIBO_OK) {
    return false;
  }
  body->shape = tribo_shape_mesh(body->mesh);
  return true;
}

bool ReadField(Reader* reader, Body* body) {
  const int rows = 2 + reader->Byte() % 4, columns = 2 + reader->Byte() % 4;
  std::vector<double> heights(rows * columns);
  for (double& h : heights) h = reader->Number();
  const double x = std::fabs(reader->Number()), y = std::fabs(reader->Number());
  if (tribo_height_field_create(heights.data(), rows, columns, x, y, nullptr, &body->field,
                                nullptr) != TRIBO_OK) {
    return false;
  }
  body->shape = tribo_shape_height_field(body->field);
  return true;
}

bool ReadShape(Reader* reader, Body* body) {
  const int type = reader->Byte() % (TRIBO_SHAPE_MESH + 1);
  if (type == TRIBO_SHAPE_HULL) return ReadHull(reader, body);
  if (type == TRIBO_SHAPE_MESH) return ReadMesh(reader, body);
  if (type == TRIBO_SHAPE_HEIGHT_FIELD) return ReadField(reader, body);
  const TriboVec3 v = reader->Vector();
  const TriboVec3 size = tribo_vec3(std::fabs(v.x), std::fabs(v.y), std::fabs(v.z));
  body->shape = type == TRIBO_SHAPE_PLANE      ? tribo_shape_plane()
                : type == TRIBO_SHAPE_SPHERE   ? tribo_shape_sphere(size.x)
                : type == TRIBO_SHAPE_CAPSULE  ? tribo_shape_capsule(size.x, size.y)
                : type == TRIBO_SHAPE_BOX      ? tribo_shape_box(size)
                : type == TRIBO_SHAPE_CYLINDER ? tribo_shape_cylinder(size.x, size.y)
                                               : tribo_shape_ellipsoid(size);
  return tribo_shape_check(&body->shape, nullptr) == TRIBO_OK;
}

// A pose: aligned with the axes, turned by a quarter about one, or any.
bool ReadPose(Reader* reader, Body* body) {
  const int kind = reader->Byte() % 6;
  body->X.p = reader->Vector();
  if (kind == 5) {
    const TriboVec3 r = reader->Vector();
    if (!tribo_vec3_is_finite(r) || tribo_vec3_norm(r) > 100) return false;
    body->X.R = tribo_quat_to_mat3(tribo_quat_exp(r));
  } else if (kind > 1) {
    static const TriboMat3 kQuarter[3] = {{{1, 0, 0, 0, 0, -1, 0, 1, 0}},
                                          {{0, 0, 1, 0, 1, 0, -1, 0, 0}},
                                          {{0, -1, 0, 1, 0, 0, 0, 0, 1}}};
    body->X.R = kQuarter[kind - 2];
  }
  return true;
}

// What narrow.h accepts as a place.
bool IsPlace(TriboVec3 p) { return std::fabs(p.x) + std::fabs(p.y) + std::fabs(p.z) <= 1e15; }

void CheckContacts(const Body& a, const Body& b, double margin) {
  enum { CAPACITY = 4096 };
  static TriboContact contacts[CAPACITY];
  int count = -1;
  const TriboStatus status =
      tribo_collide(&a.shape, &a.X, &b.shape, &b.X, margin, contacts, CAPACITY, &count);
  if (!IsPlace(a.X.p) || !IsPlace(b.X.p)) {
    Check(status == TRIBO_ERROR_NOT_FINITE);
    return;
  }
  Check(status == TRIBO_OK || status == TRIBO_ERROR_UNSUPPORTED || status == TRIBO_ERROR_LIMIT);
  if (status != TRIBO_OK) return;
  Check(count >= 0 && count <= CAPACITY);
  for (int i = 0; i < count; ++i) {
    Check(tribo_vec3_is_finite(contacts[i].point) && std::isfinite(contacts[i].gap));
    Check(contacts[i].gap <= margin);
    Check(std::fabs(tribo_vec3_norm(contacts[i].normal) - 1) < 1e-9);
  }
}

void CheckDistance(const Body& a, const Body& b) {
  TriboClosestPoints closest;
  if (tribo_distance(&a.shape, &a.X, &b.shape, &b.X, &closest) != TRIBO_OK) return;
  Check(std::isfinite(closest.distance));
  Check(std::fabs(tribo_vec3_norm(closest.normal) - 1) < 1e-9);
  Check(tribo_vec3_is_finite(closest.point0) && tribo_vec3_is_finite(closest.point1));
}

void CheckRay(const Body& a, TriboVec3 origin, TriboVec3 through) {
  const TriboVec3 way = tribo_vec3_sub(through, origin);
  if (!IsPlace(origin) || !IsPlace(a.X.p) || !IsPlace(through)) return;
  if (!(tribo_vec3_norm(way) > 1e-6)) return;
  const TriboRaySegment ray = {origin, tribo_vec3_normalize_or(way, tribo_vec3(0, 0, 1)), 100};
  double distance;
  TriboVec3 normal;
  if (!tribo_ray_shape(&a.shape, &a.X, &ray, &distance, &normal)) return;
  Check(distance >= 0 && distance <= 100);
  Check(std::fabs(tribo_vec3_norm(normal) - 1) < 1e-6);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Reader reader(data, size);
  Body a, b;
  const double margin = reader.Byte() / 256.0;
  if (!ReadPose(&reader, &a) || !ReadPose(&reader, &b)) return 0;
  if (!ReadShape(&reader, &a) || !ReadShape(&reader, &b)) return 0;
  CheckContacts(a, b, margin);
  CheckContacts(b, a, margin);
  CheckDistance(a, b);
  CheckRay(a, b.X.p, a.X.p);
  CheckRay(b, a.X.p, reader.Vector());
  return 0;
}
