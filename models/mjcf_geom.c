// SPDX-License-Identifier: Apache-2.0
//
// Geoms: what they are, what they weigh, and how their surface is. Meshes collide as their convex
// hulls, as in MuJoCo.
#include <math.h>
#include <string.h>

#include "collision/hull.h"
#include "engine/base/rotation.h"
#include "engine/base/spatial.h"
#include "models/mesh_inertia.h"
#include "models/mjcf.h"

// The words of `type`, in an order of their own.
static const char* const TYPES[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                    "cylinder", "box",    "mesh",   "sdf",     NULL};
static const TriboShapeType SHAPES[] = {
    TRIBO_SHAPE_PLANE,   TRIBO_SHAPE_HEIGHT_FIELD, TRIBO_SHAPE_SPHERE,
    TRIBO_SHAPE_CAPSULE, TRIBO_SHAPE_ELLIPSOID,    TRIBO_SHAPE_CYLINDER,
    TRIBO_SHAPE_BOX,     TRIBO_SHAPE_HULL,         TRIBO_SHAPE_HULL};

// The centre line from one point to another takes the place of pose and length.
static void read_ends(TriboMjcf* r, TriboMjcfItem* item, TriboShapeDesc* d) {
  double ends[6];
  if (!tribo_mjcf_numbers(r, item, "fromto", 6, 6, ends)) return;
  bool line = d->type == TRIBO_SHAPE_CAPSULE || d->type == TRIBO_SHAPE_CYLINDER;
  bool solid = d->type == TRIBO_SHAPE_BOX || d->type == TRIBO_SHAPE_ELLIPSOID;
  if (!line && !solid) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, item->element,
                    "fromto is for capsules, cylinders, boxes and ellipsoids");
    return;
  }
  TriboVec3 a = tribo_vec3(ends[0], ends[1], ends[2]), b = tribo_vec3(ends[3], ends[4], ends[5]);
  TriboVec3 along = tribo_vec3_sub(a, b);
  double half = tribo_vec3_norm(along) / 2;
  if (!(half > 1e-10)) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, item->element, "fromto names the same point twice");
    return;
  }
  d->pose.p = tribo_vec3_scale(0.5, tribo_vec3_add(a, b));
  d->pose.q = tribo_mjcf_quat_from_z(along);
  if (solid) d->size[1] = d->size[0];
  d->size[line ? 1 : 2] = half;
}

static void use_mesh(TriboMjcf* r, TriboMjcfItem* item, TriboMjcfGeom* geom, int* mesh_index) {
  const char* name = tribo_mjcf_text(item, "mesh");
  *mesh_index = name ? tribo_names_find(&r->mesh_names, name) : -1;
  if (*mesh_index < 0) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, item->element, "there is no mesh '%.80s'",
                    name ? name : "");
    return;
  }
  TriboMjcfMesh* mesh = &r->meshes[*mesh_index];
  tribo_mjcf_load_mesh(r, mesh, item->element);
  geom->desc.vertex_count = mesh->vertex_count;
  geom->desc.vertices = mesh->vertices;
  geom->desc.triangle_count = mesh->triangle_count;
  geom->desc.triangles = mesh->triangles;
}

static void use_height_field(TriboMjcf* r, TriboMjcfItem* item, TriboMjcfGeom* geom) {
  const char* name = tribo_mjcf_text(item, "hfield");
  int index = name ? tribo_names_find(&r->height_field_names, name) : -1;
  if (index < 0) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, item->element, "there is no hfield '%.80s'",
                    name ? name : "");
    return;
  }
  const TriboMjcfHeightField* field = &r->height_fields[index];
  geom->desc.rows = field->rows;
  geom->desc.columns = field->columns;
  geom->desc.heights = field->heights;
  geom->desc.size[0] = field->size[0];
  geom->desc.size[1] = field->size[1];
}

static void check_size(TriboMjcf* r, TriboMjcfItem* item, const TriboShapeDesc* d) {
  int needed = d->type == TRIBO_SHAPE_SPHERE                                       ? 1
               : d->type == TRIBO_SHAPE_CAPSULE || d->type == TRIBO_SHAPE_CYLINDER ? 2
               : d->type == TRIBO_SHAPE_BOX || d->type == TRIBO_SHAPE_ELLIPSOID    ? 3
                                                                                   : 0;
  for (int i = 0; i < needed; ++i) {
    if (d->size[i] > 0) continue;
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, item->element, "needs %d positive numbers in 'size'",
                    needed);
  }
}

// ---------------------------------------------------------------------------------------------------
// Mass
// ---------------------------------------------------------------------------------------------------

static TriboStatus mesh_properties(TriboMjcf* r, TriboMjcfMesh* mesh, TriboMassProperties* p) {
  static const char* const WORDS[] = {"legacy", "exact", "convex", "shell", NULL};
  TriboMjcfItem item = tribo_mjcf_item(r, mesh->element, "mesh", 0);
  int how = tribo_mjcf_word(r, &item, "inertia", WORDS, r->exact_mesh_inertia ? 1 : 0);
  if (how == 3) {
    tribo_mjcf_refuse(r, mesh->element, "shell inertia is not supported; the mesh is solid");
    how = 0;
  }
  if (how == 2 || mesh->triangle_count == 0) {
    TriboHull* hull;
    const TriboVec3* points = (const TriboVec3*)(const void*)mesh->vertices;
    TriboStatus status =
        tribo_hull_create(points, mesh->vertex_count, r->options->allocator, &hull, r->message);
    if (status != TRIBO_OK) return status;
    TriboShape shape = tribo_shape_hull(hull);
    status = tribo_mass_properties(&shape, 1, p, r->message);
    tribo_hull_destroy(hull);
    return status;
  }
  if (how == 1) {
    return tribo_mass_properties_triangles(mesh->vertices, mesh->triangles, mesh->triangle_count, 1,
                                           p, r->message);
  }
  return tribo_mesh_inertia_pyramids(mesh->vertices, mesh->triangles, mesh->triangle_count, 1, p,
                                     r->message);
}

static TriboStatus primitive_properties(const TriboShapeDesc* d, TriboMassProperties* p,
                                        TriboMessage* message) {
  TriboVec3 half = tribo_vec3(d->size[0], d->size[1], d->size[2]);
  TriboShape shape = d->type == TRIBO_SHAPE_SPHERE     ? tribo_shape_sphere(d->size[0])
                     : d->type == TRIBO_SHAPE_CAPSULE  ? tribo_shape_capsule(half.x, half.y)
                     : d->type == TRIBO_SHAPE_CYLINDER ? tribo_shape_cylinder(half.x, half.y)
                     : d->type == TRIBO_SHAPE_BOX      ? tribo_shape_box(half)
                                                       : tribo_shape_ellipsoid(half);
  return tribo_mass_properties(&shape, 1, p, message);
}

// Adds what a geom weighs to its body. `mass` < 0: by density.
static void add_mass(TriboMjcf* r, TriboMjcfItem* item, const TriboMjcfGeom* geom, int mesh,
                     double mass, double density) {
  const TriboShapeDesc* d = &geom->desc;
  bool flat = d->type == TRIBO_SHAPE_PLANE || d->type == TRIBO_SHAPE_HEIGHT_FIELD;
  if (flat || mass == 0 || (mass < 0 && density == 0)) return;
  if (density < 0) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, item->element, "negative density");
    return;
  }
  TriboMassProperties p;
  TriboStatus status = mesh >= 0 ? mesh_properties(r, &r->meshes[mesh], &p)
                                 : primitive_properties(d, &p, r->message);
  if (!tribo_mjcf_check(r, status, item->element)) return;
  double scale = mass > 0 ? mass / p.mass : density;
  TriboMjcfBody* body = &r->bodies[geom->body];
  TriboVec3 com = tribo_vec3_add(d->pose.p, tribo_quat_rotate(d->pose.q, p.com));
  double inertia[6];
  tribo_symmetric_rotate(tribo_quat_to_mat3(d->pose.q), p.inertia, inertia);
  body->mass += scale * p.mass;
  body->moment[0] += scale * p.mass * com.x;
  body->moment[1] += scale * p.mass * com.y;
  body->moment[2] += scale * p.mass * com.z;
  for (int k = 0; k < 6; ++k) body->inertia[k] += scale * inertia[k];
  tribo_symmetric_add_point(body->inertia, scale * p.mass, com);
}

// Whether the body's inertia comes from its geoms, and this geom's group counts.
static bool counts_for_mass(const TriboMjcf* r, const TriboMjcfGeom* geom, int group) {
  const TriboMjcfBody* body = &r->bodies[geom->body];
  if (body->link < 0 || r->inertia == TRIBO_MJCF_INERTIA_GIVEN) return false;
  bool given = false;
  for (const TriboXmlElement* c = body->element->first_child; c; c = c->next) {
    given = given || strcmp(c->name, "inertial") == 0;
  }
  if (given && r->inertia != TRIBO_MJCF_INERTIA_GEOMS) return false;
  return group >= r->inertia_group[0] && group <= r->inertia_group[1];
}

// ---------------------------------------------------------------------------------------------------
// Geoms
// ---------------------------------------------------------------------------------------------------

static void read_surface(TriboMjcf* r, TriboMjcfItem* item, TriboMjcfGeom* geom) {
  geom->friction[0] = 1, geom->friction[1] = 0.005, geom->friction[2] = 0.0001;
  tribo_mjcf_numbers(r, item, "friction", 1, 3, geom->friction);
  geom->condim = tribo_mjcf_integer(r, item, "condim", 3);
  geom->priority = tribo_mjcf_integer(r, item, "priority", 0);
  if (geom->condim != 1 && geom->condim != 3 && geom->condim != 4 && geom->condim != 6) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, item->element, "condim must be 1, 3, 4 or 6");
  }
  for (int i = 0; i < 3; ++i) {
    if (geom->friction[i] < 0) {
      tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, item->element, "negative friction");
    }
  }
  geom->desc.group = (uint32_t)tribo_mjcf_integer(r, item, "contype", 1);
  geom->desc.mask = (uint32_t)tribo_mjcf_integer(r, item, "conaffinity", 1);
  geom->rgba[0] = geom->rgba[1] = geom->rgba[2] = 0.5, geom->rgba[3] = 1;
  tribo_mjcf_numbers(r, item, "rgba", 4, 4, geom->rgba);
}

// Planes and height fields stand in the world, where their body is fixed to it.
static void move_to_world(TriboMjcf* r, TriboMjcfItem* item, TriboMjcfGeom* geom) {
  TriboShapeDesc* d = &geom->desc;
  if (d->type != TRIBO_SHAPE_PLANE && d->type != TRIBO_SHAPE_HEIGHT_FIELD) return;
  const TriboMjcfBody* body = &r->bodies[geom->body];
  if (!body->is_static) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, item->element,
                    "planes and height fields cannot be on a body that moves");
    return;
  }
  d->link = TRIBO_WORLD;
  d->pose = tribo_pose_mul(body->X_W, d->pose);
}

void tribo_mjcf_read_geom(TriboMjcf* r, TriboXmlElement* e, int body, int inherited,
                          TriboPose frame) {
  TriboMjcfGeom* geom =
      tribo_mjcf_append(r, (void**)&r->geoms, &r->geom_count, &r->geom_capacity, sizeof *geom);
  if (!geom) return;
  TriboMjcfItem item = tribo_mjcf_item(r, e, "geom", inherited);
  TriboShapeDesc* d = &geom->desc;
  geom->element = e;
  geom->body = body;
  *d = tribo_shape_default();
  d->name = tribo_mjcf_name(r, e, &r->geom_names, r->geom_count - 1);
  d->link = r->bodies[body].link;
  memset(d->size, 0, sizeof d->size);
  int word = tribo_mjcf_word(r, &item, "type", TYPES, 2), mesh = -1;
  d->type = SHAPES[word];
  tribo_mjcf_numbers(r, &item, "size", 1, 3, d->size);
  d->pose = tribo_mjcf_pose(r, &item);
  read_ends(r, &item, d);
  d->pose = tribo_pose_mul(frame, d->pose);
  read_surface(r, &item, geom);
  if (d->type == TRIBO_SHAPE_HULL) {
    use_mesh(r, &item, geom, &mesh);
  } else if (d->type == TRIBO_SHAPE_HEIGHT_FIELD) {
    use_height_field(r, &item, geom);
  } else if (tribo_mjcf_text(&item, "mesh")) {
    // Classes may name a mesh for geoms that are something else after all; then it means a fit.
    tribo_mjcf_refuse(r, e, "fitting a %s to a mesh is not supported: give its size", TYPES[word]);
  }
  if (r->status == TRIBO_OK) check_size(r, &item, d);
  double mass = tribo_mjcf_number(r, &item, "mass", -1);
  double density = tribo_mjcf_number(r, &item, "density", 1000);
  int group = tribo_mjcf_integer(r, &item, "group", 0);
  if (tribo_mjcf_bool(r, &item, "shellinertia", false) && mass != 0) {
    tribo_mjcf_refuse(r, e, "shellinertia is not supported; the geom is solid");
  }
  if (r->status != TRIBO_OK) return;
  if (counts_for_mass(r, geom, group)) add_mass(r, &item, geom, mesh, mass, density);
  move_to_world(r, &item, geom);
}
