// SPDX-License-Identifier: Apache-2.0
//
// Collision and visual geometry. Meshes collide as their convex hulls, since a link moves.
#include <math.h>
#include <string.h>

#include "engine/base/message.h"
#include "engine/base/rotation.h"
#include "models/mesh_file.h"
#include "models/path.h"
#include "models/report.h"
#include "models/urdf.h"

static TriboStatus first(TriboStatus a, TriboStatus b) { return a != TRIBO_OK ? a : b; }

static TriboStatus require_numbers(TriboUrdf* r, TriboXmlElement* e, const char* name, int count,
                                   double* values) {
  if (!tribo_xml_attribute(e, name)) {
    return tribo_urdf_fail(r, TRIBO_ERROR_PARSE, e, "missing attribute", name);
  }
  return tribo_urdf_numbers(r, e, name, count, values);
}

// ---------------------------------------------------------------------------------------------------
// Meshes
// ---------------------------------------------------------------------------------------------------

static TriboStatus copy_mesh(TriboUrdf* r, const TriboMeshData* data, TriboShapeDesc* d) {
  size_t numbers = 3 * (size_t)data->vertex_count, corners = 3 * (size_t)data->triangle_count;
  double* vertices = tribo_pool_take(r->pool, numbers, sizeof *vertices);
  int* triangles = tribo_pool_take(r->pool, corners, sizeof *triangles);
  if (!vertices || !triangles) {
    return tribo_message_set(r->message, TRIBO_ERROR_MEMORY, "out of memory for a mesh");
  }
  memcpy(vertices, data->vertices, numbers * sizeof *vertices);
  memcpy(triangles, data->triangles, corners * sizeof *triangles);
  d->vertex_count = data->vertex_count;
  d->vertices = vertices;
  d->triangle_count = data->triangle_count;
  d->triangles = triangles;
  return TRIBO_OK;
}

static TriboStatus read_mesh_file(TriboUrdf* r, const char* file, const double scale[3],
                                  TriboShapeDesc* d) {
  const char* path;
  TriboStatus status =
      tribo_path_find(&r->options, r->pool, tribo_xml_file(r->xml), NULL, file, &path, r->message);
  if (status != TRIBO_OK) return status;
  TriboMeshFileOptions options = tribo_mesh_file_options_default();
  options.scale = tribo_vec3(scale[0], scale[1], scale[2]);
  options.allocator = r->options.allocator;
  TriboMeshData* data;
  status = tribo_mesh_file_read(path, &options, &data, r->message);
  if (status != TRIBO_OK) return status;
  status = copy_mesh(r, data, d);
  tribo_mesh_data_destroy(data);
  return status;
}

// A mesh that cannot be read is an error where it collides (in a format that Tribo does not read,
// unless the caller allows losses) and a warning where it is only seen.
static TriboStatus read_mesh(TriboUrdf* r, TriboXmlElement* e, bool seen, TriboShapeDesc* d,
                             bool* known) {
  const char* file = tribo_xml_attribute(e, "filename");
  double scale[3] = {1, 1, 1};
  if (!file) return tribo_urdf_fail(r, TRIBO_ERROR_PARSE, e, "missing attribute", "filename");
  TriboStatus status = tribo_urdf_numbers(r, e, "scale", 3, scale);
  if (status != TRIBO_OK) return status;
  d->type = seen ? TRIBO_SHAPE_MESH : TRIBO_SHAPE_HULL;
  status = read_mesh_file(r, file, scale, d);
  if (status == TRIBO_OK) return TRIBO_OK;
  bool lost = status == TRIBO_ERROR_UNSUPPORTED && r->options.allow_unsupported;
  if (status == TRIBO_ERROR_MEMORY || (!seen && !lost)) {
    if (r->message && r->message->file[0] == '\0') {
      tribo_message_set_place(r->message, e->file, e->line);
    }
    return status;
  }
  const char* why = r->message ? r->message->text : "the mesh cannot be read";
  tribo_report_add(r->scene->report, seen ? TRIBO_REPORT_UNUSED : TRIBO_REPORT_UNSUPPORTED, e->file,
                   e->line, seen ? "visual/mesh" : "collision/mesh", "left out: %.200s", why);
  tribo_message_clear(r->message);
  *known = false;
  return TRIBO_OK;
}

// ---------------------------------------------------------------------------------------------------
// Shapes
// ---------------------------------------------------------------------------------------------------

// Fills what depends on the geometry. A shape that Tribo does not read stays unmarked for the
// report, and *known is false.
static TriboStatus read_shape(TriboUrdf* r, TriboXmlElement* geometry, bool seen, TriboShapeDesc* d,
                              bool* known) {
  TriboXmlElement* e;
  *known = true;
  TriboStatus status = TRIBO_OK;
  if ((e = tribo_xml_child(geometry, "box"))) {
    d->type = TRIBO_SHAPE_BOX;
    status = require_numbers(r, e, "size", 3, d->size);
    for (int i = 0; i < 3; ++i) d->size[i] /= 2;
  } else if ((e = tribo_xml_child(geometry, "sphere"))) {
    d->type = TRIBO_SHAPE_SPHERE;
    status = require_numbers(r, e, "radius", 1, &d->size[0]);
  } else if ((e = tribo_xml_child(geometry, "cylinder")) ||
             (e = tribo_xml_child(geometry, "capsule"))) {
    d->type = e->name[1] == 'y' ? TRIBO_SHAPE_CYLINDER : TRIBO_SHAPE_CAPSULE;
    status = first(require_numbers(r, e, "radius", 1, &d->size[0]),
                   require_numbers(r, e, "length", 1, &d->size[1]));
    d->size[1] /= 2;
  } else if ((e = tribo_xml_child(geometry, "mesh"))) {
    return read_mesh(r, e, seen, d, known);
  } else {
    *known = false;
    return TRIBO_OK;
  }
  int used = d->type == TRIBO_SHAPE_BOX ? 3 : d->type == TRIBO_SHAPE_SPHERE ? 1 : 2;
  for (int i = 0; i < used && status == TRIBO_OK; ++i) {
    if (!(d->size[i] > 0))
      status = tribo_urdf_fail(r, TRIBO_ERROR_MODEL, e, "sizes must be positive", NULL);
  }
  return status;
}

// What collision and visual have in common.
static TriboStatus read_placed(TriboUrdf* r, TriboXmlElement* e, int link, bool seen,
                               TriboShapeDesc* d, bool* known) {
  TriboXmlElement* geometry = tribo_xml_child(e, "geometry");
  *d = tribo_shape_default();
  *known = false;
  if (!geometry && !seen) {
    return tribo_urdf_fail(r, TRIBO_ERROR_PARSE, e, "missing element", "geometry");
  }
  if (!geometry) {
    tribo_report_add(r->scene->report, TRIBO_REPORT_UNUSED, e->file, e->line, "link/visual",
                     "without geometry; left out");
    return TRIBO_OK;
  }
  d->link = link;
  // Names repeat in many files and nothing refers to them; the builder wants them unique.
  tribo_xml_attribute(e, "name");
  return first(tribo_urdf_origin(r, e, &d->pose), read_shape(r, geometry, seen, d, known));
}

static TriboStatus read_color(TriboUrdf* r, TriboXmlElement* material, double rgba[4],
                              bool* given) {
  TriboXmlElement* color = tribo_xml_child(material, "color");
  *given = color != NULL;
  return color ? tribo_urdf_numbers(r, color, "rgba", 4, rgba) : TRIBO_OK;
}

TriboStatus tribo_urdf_read_colors(TriboUrdf* r, TriboXmlElement* robot) {
  TriboXmlElement* e = tribo_xml_child(robot, "material");
  for (; e; e = tribo_xml_sibling(e, "material")) {
    const char* name = tribo_xml_attribute(e, "name");
    TriboUrdfColor* color = &r->colors[r->color_count];
    bool given;
    TriboStatus status = read_color(r, e, color->rgba, &given);
    if (status != TRIBO_OK) return status;
    // The first of a name counts; unused and repeated ones are common.
    if (name && given) (void)tribo_names_add(&r->color_names, r->pool, name, r->color_count++);
  }
  return TRIBO_OK;
}

static TriboStatus read_visual(TriboUrdf* r, TriboXmlElement* e, int link) {
  TriboVisual visual = {.rgba = {0.5, 0.5, 0.5, 1}};
  bool known, given = false;
  TriboStatus status = read_placed(r, e, link, true, &visual.shape, &known);
  TriboXmlElement* material = tribo_xml_child(e, "material");
  if (status == TRIBO_OK && material) {
    const char* name = tribo_xml_attribute(material, "name");
    status = read_color(r, material, visual.rgba, &given);
    int color = name && !given ? tribo_names_find(&r->color_names, name) : -1;
    if (color >= 0) memcpy(visual.rgba, r->colors[color].rgba, sizeof visual.rgba);
  }
  if (status == TRIBO_OK && known) r->visuals[r->visual_count++] = visual;
  return status;
}

static TriboStatus read_value(TriboUrdf* r, TriboXmlElement* contact, const char* name,
                              double least, double most, double* value) {
  TriboXmlElement* e = tribo_xml_child(contact, name);
  if (!e) return TRIBO_OK;
  TriboStatus status = require_numbers(r, e, "value", 1, value);
  if (status == TRIBO_OK && !(*value >= least && *value <= most))
    status = tribo_urdf_fail(r, TRIBO_ERROR_MODEL, e, "out of its range:", name);
  return status;
}

// What Bullet's extension says of a link's surface. Its coefficients of rolling and spinning are
// torques per normal force; ours are multiplied by the friction.
static TriboStatus read_contact(TriboUrdf* r, int link, int* material) {
  TriboXmlElement* e = tribo_xml_child(r->links[link].element, "contact");
  *material = -1;
  if (!e) return TRIBO_OK;
  TriboMaterialDesc d = tribo_material_default();
  double rolling = 0, spinning = 0;
  TriboStatus status = read_value(r, e, "lateral_friction", 0, INFINITY, &d.friction);
  status = first(status, read_value(r, e, "rolling_friction", 0, INFINITY, &rolling));
  status = first(status, read_value(r, e, "spinning_friction", 0, INFINITY, &spinning));
  status = first(status, read_value(r, e, "restitution", 0, 1, &d.restitution));
  d.rolling = d.friction > 0 ? rolling / d.friction : 0;
  d.torsional = d.friction > 0 ? spinning / d.friction : 0;
  return first(status, tribo_builder_add_material(r->scene->builder, &d, material));
}

TriboStatus tribo_urdf_read_geometry(TriboUrdf* r, int link) {
  int material;
  TriboStatus surface = read_contact(r, link, &material);
  if (surface != TRIBO_OK) return surface;
  TriboXmlElement* e = tribo_xml_child(r->links[link].element, "collision");
  for (; e; e = tribo_xml_sibling(e, "collision")) {
    TriboShapeDesc d;
    bool known;
    TriboStatus status = read_placed(r, e, link, false, &d, &known);
    if (status != TRIBO_OK) return status;
    d.material = material;
    if (d.type == TRIBO_SHAPE_HULL) d.triangle_count = 0, d.triangles = NULL;
    if (known) r->shapes[r->shape_count++] = d;
  }
  e = tribo_xml_child(r->links[link].element, "visual");
  for (; e; e = tribo_xml_sibling(e, "visual")) {
    TriboStatus status = read_visual(r, e, link);
    if (status != TRIBO_OK) return status;
  }
  return TRIBO_OK;
}
