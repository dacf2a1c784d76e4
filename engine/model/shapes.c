// SPDX-License-Identifier: Apache-2.0
//
// Compiling the shapes of a model: sizes, hulls, meshes and height fields as collision/ has them,
// and the filter that says which of them may touch.
#include <string.h>

#include "collision/height_field.h"
#include "collision/hull.h"
#include "collision/mesh.h"
#include "engine/base/message.h"
#include "engine/model/model.h"

// A description's size, points or heights as a shape; what it refers to is created.
static TriboStatus make_shape(const TriboShapeDesc* d, const TriboAllocator* allocator,
                              TriboShape* shape, TriboMessage* message) {
  // Points are stored as x y z triples of doubles, which is what a TriboVec3 is.
  const TriboVec3* points = (const TriboVec3*)(const void*)d->vertices;
  switch (d->type) {
    case TRIBO_SHAPE_PLANE:
      *shape = tribo_shape_plane();
      return TRIBO_OK;
    case TRIBO_SHAPE_SPHERE:
      *shape = tribo_shape_sphere(d->size[0]);
      return TRIBO_OK;
    case TRIBO_SHAPE_CAPSULE:
      *shape = tribo_shape_capsule(d->size[0], d->size[1]);
      return TRIBO_OK;
    case TRIBO_SHAPE_BOX:
      *shape = tribo_shape_box(tribo_vec3_from(d->size));
      return TRIBO_OK;
    case TRIBO_SHAPE_CYLINDER:
      *shape = tribo_shape_cylinder(d->size[0], d->size[1]);
      return TRIBO_OK;
    case TRIBO_SHAPE_ELLIPSOID:
      *shape = tribo_shape_ellipsoid(tribo_vec3_from(d->size));
      return TRIBO_OK;
    case TRIBO_SHAPE_HULL: {
      TriboHull* hull;
      TriboStatus status = tribo_hull_create(points, d->vertex_count, allocator, &hull, message);
      if (status == TRIBO_OK) *shape = tribo_shape_hull(hull);
      return status;
    }
    case TRIBO_SHAPE_MESH: {
      TriboMesh* mesh;
      TriboStatus status = tribo_mesh_create(points, d->vertex_count, d->triangles,
                                             d->triangle_count, allocator, &mesh, message);
      if (status == TRIBO_OK) *shape = tribo_shape_mesh(mesh);
      return status;
    }
    case TRIBO_SHAPE_HEIGHT_FIELD: {
      TriboHeightField* field;
      TriboStatus status = tribo_height_field_create(d->heights, d->rows, d->columns, d->size[0],
                                                     d->size[1], allocator, &field, message);
      if (status == TRIBO_OK) *shape = tribo_shape_height_field(field);
      return status;
    }
  }
  return tribo_message_set(message, TRIBO_ERROR_ARGUMENT, "shape type %d is unknown", (int)d->type);
}

// Puts the shape's name before the message.
static TriboStatus name_in_message(const TriboModel* m, int i, TriboStatus status,
                                   TriboMessage* message) {
  if (message == NULL) return status;
  const TriboMessage copy = *message;
  return tribo_message_set(message, status, "%s: %s",
                           tribo_model_label(m->source, TRIBO_KIND_SHAPE, i).text, copy.text);
}

static TriboStatus make_shapes(TriboModel* m, TriboMessage* message) {
  const int count = m->source->count[TRIBO_KIND_SHAPE];
  const TriboAllocator* allocator = tribo_model_allocator(m);
  // With pointers NULL everywhere, a failure half way leaves what can be destroyed.
  if (count > 0) memset(m->shape, 0, (size_t)count * sizeof *m->shape);
  for (int i = 0; i < count; ++i) {
    TriboStatus status = make_shape(&m->source->shape[i], allocator, &m->shape[i], message);
    if (status == TRIBO_OK) status = tribo_shape_check(&m->shape[i], message);
    if (status != TRIBO_OK) return name_in_message(m, i, status, message);
  }
  return TRIBO_OK;
}

// Pairs of links that do not touch beside those of neighbouring bodies, into `pairs` where that is
// not NULL; returns how many. The world is no neighbour: what hangs on it still touches the floor.
// But a link that is fixed to the world does not touch the link that is joined to it.
static int list_excluded(const TriboModel* m, TriboLinkPair* pairs) {
  const TriboBuilder* b = m->source;
  int count = 0;
  for (int k = 0; k < b->exclusion_count; ++k, ++count) {
    if (pairs) pairs[count] = (TriboLinkPair){{b->exclusion[k].link0, b->exclusion[k].link1}};
  }
  for (int j = 0; !b->allow_parent_child && j < b->count[TRIBO_KIND_JOINT]; ++j) {
    const TriboJointDesc* d = &b->joint[j];
    if (d->parent < 0 || m->link_body[d->parent] >= 0) continue;
    if (pairs) pairs[count] = (TriboLinkPair){{d->parent, d->child}};
    ++count;
  }
  return count;
}

// The body that a body hangs on; links without mass between joints do not count.
static int neighbour(const TriboModel* m, int body) {
  int parent = m->body[body].parent;
  while (parent >= 0 && m->body[parent].inertia.m == 0) parent = m->body[parent].parent;
  return parent;
}

static TriboFilterShape filter_shape(const TriboModel* m, int i) {
  const TriboShapeDesc* d = &m->source->shape[i];
  const int body = m->shape_body[i];
  const bool has_parent = body >= 0 && !m->source->allow_parent_child;
  return (TriboFilterShape){.body = body,
                            .parent = has_parent ? neighbour(m, body) : -1,
                            .link = d->link,
                            .group = d->group,
                            .mask = d->mask,
                            .is_unbounded = d->type == TRIBO_SHAPE_PLANE};
}

static TriboStatus make_filter(TriboModel* m, TriboMessage* message) {
  const TriboBuilder* b = m->source;
  const TriboAllocator* allocator = tribo_model_allocator(m);
  const int shapes = b->count[TRIBO_KIND_SHAPE], excluded = list_excluded(m, NULL);
  const size_t shapes_size = (size_t)(shapes + 1) * sizeof(TriboFilterShape);
  const size_t excluded_size = (size_t)(excluded + 1) * sizeof(TriboLinkPair);
  TriboFilterShape* shape = tribo_allocate(allocator, shapes_size);
  TriboLinkPair* pair = tribo_allocate(allocator, excluded_size);
  TriboStatus status = TRIBO_ERROR_MEMORY;
  if (shape == NULL || pair == NULL) {
    status = tribo_message_set(message, status, "out of memory");
  } else {
    for (int i = 0; i < shapes; ++i) shape[i] = filter_shape(m, i);
    (void)list_excluded(m, pair);
    status = tribo_pair_filter_create(shape, shapes, b->count[TRIBO_KIND_LINK], pair, excluded,
                                      allocator, &m->pair_filter, message);
  }
  if (pair) tribo_release(allocator, pair, excluded_size);
  if (shape) tribo_release(allocator, shape, shapes_size);
  return status;
}

TriboStatus tribo_model_compile_shapes(TriboModel* model, TriboMessage* message) {
  TriboStatus status = make_shapes(model, message);
  return status != TRIBO_OK ? status : make_filter(model, message);
}

void tribo_model_destroy_shapes(TriboModel* model) {
  if (model->block == NULL) return;
  for (int i = 0; i < model->source->count[TRIBO_KIND_SHAPE]; ++i) {
    tribo_hull_destroy((TriboHull*)model->shape[i].hull);
    tribo_mesh_destroy((TriboMesh*)model->shape[i].mesh);
    tribo_height_field_destroy((TriboHeightField*)model->shape[i].height_field);
  }
  tribo_pair_filter_destroy(model->pair_filter);
}
