// SPDX-License-Identifier: Apache-2.0
//
// Collecting descriptions. Each add copies its strings and arrays into chunks that live as long as
// the builder, and refuses what is meaningless by itself; model/validate.c has the other rules.
#include "engine/model/builder.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/message.h"
#include "engine/base/rotation.h"

static const TriboAllocator* allocator_of(const TriboBuilder* b) {
  return b->has_allocator ? &b->allocator : NULL;
}

// Memory owned by the builder, or NULL.
static void* take(TriboBuilder* b, size_t size) {
  size_t total = TRIBO_ARENA_ALIGNMENT + size;
  TriboBuilderChunk* chunk = tribo_allocate(allocator_of(b), total);
  if (!chunk) return NULL;
  chunk->next = b->chunks;
  chunk->size = total;
  b->chunks = chunk;
  return (char*)chunk + TRIBO_ARENA_ALIGNMENT;
}

TriboStatus tribo_builder_create(const TriboAllocator* allocator, TriboBuilder** builder) {
  if (!builder) return TRIBO_ERROR_ARGUMENT;
  TriboBuilder* b = tribo_allocate(allocator, sizeof *b);
  if (!b) return TRIBO_ERROR_MEMORY;
  memset(b, 0, sizeof *b);
  b->has_allocator = allocator != NULL;
  if (allocator) b->allocator = *allocator;
  b->gravity = tribo_vec3(0, 0, -9.81);
  *builder = b;
  return TRIBO_OK;
}

void tribo_builder_destroy(TriboBuilder* builder) {
  if (!builder) return;
  TriboAllocator copy = builder->allocator;
  const TriboAllocator* allocator = builder->has_allocator ? &copy : NULL;
  for (TriboBuilderChunk* chunk = builder->chunks; chunk;) {
    TriboBuilderChunk* next = chunk->next;
    tribo_release(allocator, chunk, chunk->size);
    chunk = next;
  }
  tribo_release(allocator, builder, sizeof *builder);
}

// A copy of bytes, or NULL; nothing to copy gives NULL too and is no failure.
static bool copy_bytes(TriboBuilder* b, const void* from, size_t size, const void** to) {
  *to = NULL;
  if (!from || size == 0) return true;
  void* memory = take(b, size);
  if (!memory) return false;
  memcpy(memory, from, size);
  *to = memory;
  return true;
}

static bool copy_name(TriboBuilder* b, const char** name) {
  const void* copy;
  if (!copy_bytes(b, *name, *name ? strlen(*name) + 1 : 0, &copy)) return false;
  *name = copy ? copy : "";
  return true;
}

// Room for one more element; the old array stays in the chain until the builder goes.
static bool grow(TriboBuilder* b, void** array, int count, int* capacity, size_t size) {
  if (count < *capacity) return true;
  if (*capacity > INT_MAX / 2) return false;
  int larger = *capacity > 0 ? 2 * *capacity : 8;
  void* memory = take(b, (size_t)larger * size);
  if (!memory) return false;
  if (count > 0) memcpy(memory, *array, (size_t)count * size);
  *array = memory;
  *capacity = larger;
  return true;
}

// Appends to b->ARRAY of KIND the local `desc`, whose strings are already copied.
#define APPEND(b, KIND, ARRAY, desc, index)                                              \
  do {                                                                                   \
    void* array_ = (b)->ARRAY;                                                           \
    if (!grow((b), &array_, (b)->count[KIND], &(b)->capacity[KIND], sizeof *(b)->ARRAY)) \
      return TRIBO_ERROR_MEMORY;                                                         \
    (b)->ARRAY = array_;                                                                 \
    if (index) *(index) = (b)->count[KIND];                                              \
    (b)->ARRAY[(b)->count[KIND]++] = (desc);                                             \
    return TRIBO_OK;                                                                     \
  } while (0)

// Keeps why an element that was to be added is refused, for tribo_builder_message.
static TriboStatus refuse(TriboBuilder* b, TriboStatus status, TriboKind kind, const char* name,
                          const char* why) {
  static const char* const kinds[] = {"link",     "joint", "shape", "material",
                                      "actuator", "loop",  "frame"};
  return tribo_message_set(&b->message, status, "%s number %d%s%.60s%s: %s", kinds[kind],
                           b->count[kind], name && name[0] ? " '" : "", name ? name : "",
                           name && name[0] ? "'" : "", why);
}

const TriboMessage* tribo_builder_message(const TriboBuilder* builder) { return &builder->message; }

static bool finite_all(const double* x, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (!isfinite(x[i])) return false;
  }
  return true;
}

static bool finite_pose(TriboPose pose) {
  return tribo_vec3_is_finite(pose.p) && isfinite(tribo_quat_norm2(pose.q));
}

// A pose whose quaternion is not about unit is a mistake; one that nearly is gets normalized.
static bool accept_pose(TriboPose* pose) {
  if (fabs(tribo_quat_norm2(pose->q) - 1) > 1e-6) return false;
  pose->q = tribo_quat_normalize(pose->q);
  return true;
}

TriboLinkDesc tribo_link_default(void) {
  TriboLinkDesc d = {0};
  d.mass = 1;
  d.inertia[0] = d.inertia[1] = d.inertia[2] = 0.4 * 0.1 * 0.1;
  return d;
}

TriboStatus tribo_builder_add_link(TriboBuilder* builder, const TriboLinkDesc* desc, int* link) {
  if (!builder || !desc) return TRIBO_ERROR_ARGUMENT;
  TriboLinkDesc d = *desc;
  if (!isfinite(d.mass) || !tribo_vec3_is_finite(d.com) || !finite_all(d.inertia, 6))
    return refuse(builder, TRIBO_ERROR_NOT_FINITE, TRIBO_KIND_LINK, d.name,
                  "its mass, com or inertia is NaN or infinite");
  if (!copy_name(builder, &d.name)) return TRIBO_ERROR_MEMORY;
  APPEND(builder, TRIBO_KIND_LINK, link, d, link);
}

TriboJointDesc tribo_joint_default(void) {
  TriboJointDesc d = {0};
  d.type = TRIBO_JOINT_HINGE;
  d.parent = TRIBO_WORLD;
  d.pose_parent = d.pose_child = tribo_pose_identity();
  d.axis = tribo_vec3(0, 0, 1);
  d.velocity_limit = d.effort_limit = INFINITY;
  return d;
}

TriboStatus tribo_builder_add_joint(TriboBuilder* builder, const TriboJointDesc* desc, int* joint) {
  if (!builder || !desc) return TRIBO_ERROR_ARGUMENT;
  TriboJointDesc d = *desc;
  const double numbers[] = {d.damping, d.friction, d.armature, d.stiffness, d.rest};
  if (!finite_pose(d.pose_parent) || !finite_pose(d.pose_child) || !tribo_vec3_is_finite(d.axis) ||
      !finite_all(numbers, 5) || !finite_all(d.initial, 7) || isnan(d.velocity_limit) ||
      isnan(d.effort_limit) || (d.limited && (isnan(d.lower) || isnan(d.upper))))
    return refuse(builder, TRIBO_ERROR_NOT_FINITE, TRIBO_KIND_JOINT, d.name,
                  "a pose, its axis or a number is NaN or infinite");
  if (d.type < TRIBO_JOINT_FREE || d.type > TRIBO_JOINT_FIXED || !accept_pose(&d.pose_parent) ||
      !accept_pose(&d.pose_child))
    return refuse(builder, TRIBO_ERROR_ARGUMENT, TRIBO_KIND_JOINT, d.name,
                  "its type is none, or a pose's quaternion is not of unit length (w x y z)");
  if (!copy_name(builder, &d.name)) return TRIBO_ERROR_MEMORY;
  APPEND(builder, TRIBO_KIND_JOINT, joint, d, joint);
}

TriboMaterialDesc tribo_material_default(void) {
  TriboMaterialDesc d = {0};
  d.friction = 0.8;
  return d;
}

static TriboStatus check_material(TriboBuilder* b, const TriboMaterialDesc* d) {
  const double numbers[] = {d->friction, d->restitution, d->viscosity, d->torsional, d->rolling};
  if (!finite_all(numbers, 5))
    return refuse(b, TRIBO_ERROR_NOT_FINITE, TRIBO_KIND_MATERIAL, d->name,
                  "a coefficient is NaN or infinite");
  for (int i = 0; i < 5; ++i) {
    if (numbers[i] < 0)
      return refuse(b, TRIBO_ERROR_ARGUMENT, TRIBO_KIND_MATERIAL, d->name,
                    "a coefficient is negative: make it 0 or more");
  }
  if (d->restitution > 1)
    return refuse(b, TRIBO_ERROR_ARGUMENT, TRIBO_KIND_MATERIAL, d->name,
                  "its restitution is above 1, which would create energy");
  return TRIBO_OK;
}

TriboStatus tribo_builder_add_material(TriboBuilder* builder, const TriboMaterialDesc* desc,
                                       int* material) {
  if (!builder || !desc) return TRIBO_ERROR_ARGUMENT;
  TriboStatus status = check_material(builder, desc);
  if (status != TRIBO_OK) return status;
  TriboMaterialDesc d = *desc;
  if (!copy_name(builder, &d.name)) return TRIBO_ERROR_MEMORY;
  APPEND(builder, TRIBO_KIND_MATERIAL, material, d, material);
}

TriboStatus tribo_builder_set_material_pair(TriboBuilder* builder, int material0, int material1,
                                            const TriboMaterialDesc* desc) {
  if (!builder || !desc) return TRIBO_ERROR_ARGUMENT;
  if (material0 < -1 || material1 < -1)
    return tribo_message_set(&builder->message, TRIBO_ERROR_ARGUMENT,
                             "a pair of materials %d and %d: there are none before -1, the default",
                             material0, material1);
  TriboStatus status = check_material(builder, desc);
  if (status != TRIBO_OK) return status;
  void* array = builder->pair;
  if (!grow(builder, &array, builder->pair_count, &builder->pair_capacity, sizeof *builder->pair))
    return TRIBO_ERROR_MEMORY;
  builder->pair = array;
  TriboMaterialPair pair = {material0, material1, *desc};
  pair.desc.name = "";
  builder->pair[builder->pair_count++] = pair;
  return TRIBO_OK;
}

TriboShapeDesc tribo_shape_default(void) {
  TriboShapeDesc d = {0};
  d.type = TRIBO_SHAPE_SPHERE;
  d.link = TRIBO_WORLD;
  d.pose = tribo_pose_identity();
  d.size[0] = 0.1;
  d.material = -1;
  d.group = 1;
  d.mask = UINT32_MAX;
  return d;
}

TriboStatus tribo_builder_add_shape(TriboBuilder* builder, const TriboShapeDesc* desc, int* shape) {
  if (!builder || !desc) return TRIBO_ERROR_ARGUMENT;
  TriboShapeDesc d = *desc;
  if (d.type < TRIBO_SHAPE_PLANE || d.type > TRIBO_SHAPE_MESH || d.vertex_count < 0 ||
      d.triangle_count < 0 || d.rows < 0 || d.columns < 0 || (d.vertex_count && !d.vertices) ||
      (d.triangle_count && !d.triangles) || (d.rows && d.columns && !d.heights))
    return refuse(builder, TRIBO_ERROR_ARGUMENT, TRIBO_KIND_SHAPE, d.name,
                  "its type is none, a count is negative, or an array is NULL that is counted");
  size_t heights = (size_t)d.rows * (size_t)d.columns;
  if (!finite_pose(d.pose) || !finite_all(d.size, 3) ||
      !finite_all(d.vertices, 3 * (size_t)d.vertex_count) || !finite_all(d.heights, heights))
    return refuse(builder, TRIBO_ERROR_NOT_FINITE, TRIBO_KIND_SHAPE, d.name,
                  "its pose, a size, a vertex or a height is NaN or infinite");
  if (!accept_pose(&d.pose))
    return refuse(builder, TRIBO_ERROR_ARGUMENT, TRIBO_KIND_SHAPE, d.name,
                  "its pose's quaternion is not of unit length (w x y z)");
  const void *vertices, *triangles, *grid;
  if (!copy_name(builder, &d.name) ||
      !copy_bytes(builder, d.vertices, 3 * (size_t)d.vertex_count * sizeof(double), &vertices) ||
      !copy_bytes(builder, d.triangles, 3 * (size_t)d.triangle_count * sizeof(int), &triangles) ||
      !copy_bytes(builder, d.heights, heights * sizeof(double), &grid))
    return TRIBO_ERROR_MEMORY;
  d.vertices = vertices;
  d.triangles = triangles;
  d.heights = grid;
  APPEND(builder, TRIBO_KIND_SHAPE, shape, d, shape);
}

TriboStatus tribo_builder_exclude(TriboBuilder* builder, int link0, int link1) {
  if (!builder) return TRIBO_ERROR_ARGUMENT;
  if (link0 < TRIBO_WORLD || link1 < TRIBO_WORLD)
    return tribo_message_set(
        &builder->message, TRIBO_ERROR_ARGUMENT,
        "links %d and %d cannot be excluded: there are none before -1, the world", link0, link1);
  void* array = builder->exclusion;
  if (!grow(builder, &array, builder->exclusion_count, &builder->exclusion_capacity,
            sizeof *builder->exclusion))
    return TRIBO_ERROR_MEMORY;
  builder->exclusion = array;
  TriboExclusion exclusion = {link0, link1};
  builder->exclusion[builder->exclusion_count++] = exclusion;
  return TRIBO_OK;
}

void tribo_builder_allow_parent_child(TriboBuilder* builder, bool allow) {
  builder->allow_parent_child = allow;
}

TriboActuatorDesc tribo_actuator_default(void) {
  TriboActuatorDesc d = {0};
  d.gear = d.scale = 1;
  d.effort_limit = d.control_upper = INFINITY;
  d.control_lower = -INFINITY;
  return d;
}

TriboStatus tribo_builder_add_actuator(TriboBuilder* builder, const TriboActuatorDesc* desc,
                                       int* actuator) {
  if (!builder || !desc) return TRIBO_ERROR_ARGUMENT;
  TriboActuatorDesc d = *desc;
  const double numbers[] = {d.gear, d.kp, d.kd, d.scale, d.offset};
  if (!finite_all(numbers, 5) || isnan(d.effort_limit) || isnan(d.control_lower) ||
      isnan(d.control_upper))
    return refuse(builder, TRIBO_ERROR_NOT_FINITE, TRIBO_KIND_ACTUATOR, d.name,
                  "a gain or limit is NaN, or a gain infinite");
  if (d.type < TRIBO_ACTUATOR_EFFORT || d.type > TRIBO_ACTUATOR_VELOCITY)
    return refuse(builder, TRIBO_ERROR_ARGUMENT, TRIBO_KIND_ACTUATOR, d.name, "its type is none");
  if (!copy_name(builder, &d.name)) return TRIBO_ERROR_MEMORY;
  APPEND(builder, TRIBO_KIND_ACTUATOR, actuator, d, actuator);
}

TriboLoopDesc tribo_loop_default(void) {
  TriboLoopDesc d = {0};
  d.link0 = d.link1 = TRIBO_WORLD;
  d.pose0 = d.pose1 = tribo_pose_identity();
  d.joint0 = d.joint1 = -1;
  d.ratio = 1;
  return d;
}

TriboStatus tribo_builder_add_loop(TriboBuilder* builder, const TriboLoopDesc* desc, int* loop) {
  if (!builder || !desc) return TRIBO_ERROR_ARGUMENT;
  TriboLoopDesc d = *desc;
  const double numbers[] = {d.ratio, d.offset, d.compliance};
  if (!finite_pose(d.pose0) || !finite_pose(d.pose1) || !finite_all(numbers, 3))
    return refuse(builder, TRIBO_ERROR_NOT_FINITE, TRIBO_KIND_LOOP, d.name,
                  "a pose, its ratio, offset or compliance is NaN or infinite");
  if (d.type < TRIBO_LOOP_WELD || d.type > TRIBO_LOOP_GEAR || !accept_pose(&d.pose0) ||
      !accept_pose(&d.pose1))
    return refuse(builder, TRIBO_ERROR_ARGUMENT, TRIBO_KIND_LOOP, d.name,
                  "its type is none, or a pose's quaternion is not of unit length (w x y z)");
  if (!copy_name(builder, &d.name)) return TRIBO_ERROR_MEMORY;
  APPEND(builder, TRIBO_KIND_LOOP, loop, d, loop);
}

TriboFrameDesc tribo_frame_default(void) {
  TriboFrameDesc d = {0};
  d.link = TRIBO_WORLD;
  d.pose = tribo_pose_identity();
  return d;
}

TriboStatus tribo_builder_add_frame(TriboBuilder* builder, const TriboFrameDesc* desc, int* frame) {
  if (!builder || !desc) return TRIBO_ERROR_ARGUMENT;
  TriboFrameDesc d = *desc;
  if (!finite_pose(d.pose))
    return refuse(builder, TRIBO_ERROR_NOT_FINITE, TRIBO_KIND_FRAME, d.name,
                  "its pose is NaN or infinite");
  if (!accept_pose(&d.pose))
    return refuse(builder, TRIBO_ERROR_ARGUMENT, TRIBO_KIND_FRAME, d.name,
                  "its pose's quaternion is not of unit length (w x y z)");
  if (!copy_name(builder, &d.name)) return TRIBO_ERROR_MEMORY;
  APPEND(builder, TRIBO_KIND_FRAME, frame, d, frame);
}

TriboStatus tribo_builder_set_gravity(TriboBuilder* builder, TriboVec3 gravity) {
  if (!builder) return TRIBO_ERROR_ARGUMENT;
  if (!tribo_vec3_is_finite(gravity))
    return tribo_message_set(&builder->message, TRIBO_ERROR_NOT_FINITE,
                             "gravity is NaN or infinite");
  builder->gravity = gravity;
  return TRIBO_OK;
}

int tribo_builder_count(const TriboBuilder* builder, TriboKind kind) {
  if (!builder || kind < TRIBO_KIND_LINK || kind > TRIBO_KIND_FRAME) return 0;
  return builder->count[kind];
}

const char* tribo_builder_name(const TriboBuilder* builder, TriboKind kind, int index) {
  if (index < 0 || index >= tribo_builder_count(builder, kind)) return "";
  switch (kind) {
    case TRIBO_KIND_LINK:
      return builder->link[index].name;
    case TRIBO_KIND_JOINT:
      return builder->joint[index].name;
    case TRIBO_KIND_SHAPE:
      return builder->shape[index].name;
    case TRIBO_KIND_MATERIAL:
      return builder->material[index].name;
    case TRIBO_KIND_ACTUATOR:
      return builder->actuator[index].name;
    case TRIBO_KIND_LOOP:
      return builder->loop[index].name;
    case TRIBO_KIND_FRAME:
      return builder->frame[index].name;
  }
  return "";
}

static TriboStatus clone_into(const TriboBuilder* from, TriboBuilder* b) {
  TriboStatus s = TRIBO_OK;
  const int* n = from->count;
  for (int i = 0; !s && i < n[TRIBO_KIND_LINK]; ++i)
    s = tribo_builder_add_link(b, &from->link[i], NULL);
  for (int i = 0; !s && i < n[TRIBO_KIND_JOINT]; ++i)
    s = tribo_builder_add_joint(b, &from->joint[i], NULL);
  for (int i = 0; !s && i < n[TRIBO_KIND_SHAPE]; ++i)
    s = tribo_builder_add_shape(b, &from->shape[i], NULL);
  for (int i = 0; !s && i < n[TRIBO_KIND_MATERIAL]; ++i)
    s = tribo_builder_add_material(b, &from->material[i], NULL);
  for (int i = 0; !s && i < n[TRIBO_KIND_ACTUATOR]; ++i)
    s = tribo_builder_add_actuator(b, &from->actuator[i], NULL);
  for (int i = 0; !s && i < n[TRIBO_KIND_LOOP]; ++i)
    s = tribo_builder_add_loop(b, &from->loop[i], NULL);
  for (int i = 0; !s && i < n[TRIBO_KIND_FRAME]; ++i)
    s = tribo_builder_add_frame(b, &from->frame[i], NULL);
  for (int i = 0; !s && i < from->pair_count; ++i) {
    const TriboMaterialPair* p = &from->pair[i];
    s = tribo_builder_set_material_pair(b, p->material0, p->material1, &p->desc);
  }
  for (int i = 0; !s && i < from->exclusion_count; ++i)
    s = tribo_builder_exclude(b, from->exclusion[i].link0, from->exclusion[i].link1);
  b->allow_parent_child = from->allow_parent_child;
  b->gravity = from->gravity;
  return s;
}

TriboStatus tribo_builder_clone(const TriboBuilder* from, const TriboAllocator* allocator,
                                TriboBuilder** to) {
  TriboBuilder* b;
  TriboStatus status = tribo_builder_create(allocator, &b);
  if (status != TRIBO_OK) return status;
  status = clone_into(from, b);
  if (status != TRIBO_OK) {
    tribo_builder_destroy(b);
    return status;
  }
  *to = b;
  return TRIBO_OK;
}
