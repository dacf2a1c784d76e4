// SPDX-License-Identifier: Apache-2.0
//
// An MJCF file: includes first, then settings and classes, then the model in the order in which
// things refer to each other, then into the builder.
#include "models/mjcf.h"

#include <string.h>

#include "engine/base/message.h"
#include "engine/base/vec3.h"
#include "models/path.h"

enum { MAX_INCLUDES = 256 };

// ---------------------------------------------------------------------------------------------------
// Includes
// ---------------------------------------------------------------------------------------------------

static TriboXmlElement* find_include(TriboXmlElement* root) {
  for (TriboXmlElement* e = root; e;) {
    if (strcmp(e->name, "include") == 0) return e;
    if (e->first_child) {
      e = e->first_child;
      continue;
    }
    while (e && !e->next) e = e->parent;
    if (e) e = e->next;
  }
  return NULL;
}

static void include(TriboMjcf* r, TriboXmlElement* e, TriboNames* seen) {
  const char* file = tribo_xml_attribute(e, "file");
  const char* path;
  if (!file || !e->parent) {
    tribo_mjcf_fail(r, TRIBO_ERROR_PARSE, e, "missing attribute 'file'");
    return;
  }
  TriboStatus status =
      tribo_path_find(r->options, r->pool, tribo_xml_file(r->xml), NULL, file, &path, r->message);
  if (!tribo_mjcf_check(r, status, e)) return;
  // MuJoCo refuses a file that is included twice; that also ends cycles.
  if (seen->count >= MAX_INCLUDES || tribo_names_add(seen, r->pool, path, 0) != TRIBO_NAMES_ADDED) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, e, "'%.100s' is included twice, or too many files are",
                    file);
    return;
  }
  TriboXml* other;
  status = tribo_xml_create_from_file(path, r->options->allocator, &other, r->message);
  if (!tribo_mjcf_check(r, status, e)) return;
  status = tribo_xml_splice(r->xml, e, other);
  if (status != TRIBO_OK) {
    tribo_xml_destroy(other);
    tribo_mjcf_fail(r, status, e, "the file with all its includes is too large");
  }
}

static void read_includes(TriboMjcf* r) {
  TriboNames seen = {0};
  if (tribo_xml_file(r->xml)[0]) {
    (void)tribo_names_add(&seen, r->pool, tribo_xml_file(r->xml), 0);
  }
  TriboXmlElement* e;
  while (r->status == TRIBO_OK && (e = find_include(r->root)) != NULL) include(r, e, &seen);
}

// ---------------------------------------------------------------------------------------------------
// Settings
// ---------------------------------------------------------------------------------------------------

static void read_euler(TriboMjcf* r, TriboMjcfItem* item) {
  const char* text = tribo_mjcf_text(item, "eulerseq");
  if (!text) return;
  if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3) {
    tribo_mjcf_fail(r, TRIBO_ERROR_PARSE, item->element,
                    "eulerseq must be three of x y z (turning axes) or X Y Z (fixed ones)");
    return;
  }
  memcpy(r->euler, text, 4);
}

static void read_compiler(TriboMjcf* r, TriboXmlElement* e) {
  static const char* const ANGLES[] = {"radian", "degree", NULL};
  static const char* const COORDINATES[] = {"local", NULL};
  static const char* const INERTIA[] = {"auto", "true", "false", NULL};
  static const char* const SILENT[] = {"usethread",    "fusestatic", "discardvisual",
                                       "fitaabb",      "texturedir", "alignfree",
                                       "saveinertial", "convexhull", NULL};
  TriboMjcfItem item = tribo_mjcf_plain_item(e);
  r->degrees = tribo_mjcf_word(r, &item, "angle", ANGLES, r->degrees) == 1;
  tribo_mjcf_word(r, &item, "coordinate", COORDINATES, 0);
  r->autolimits = tribo_mjcf_bool(r, &item, "autolimits", r->autolimits);
  r->balance_inertia = tribo_mjcf_bool(r, &item, "balanceinertia", r->balance_inertia);
  r->strip_path = tribo_mjcf_bool(r, &item, "strippath", r->strip_path);
  r->exact_mesh_inertia = tribo_mjcf_bool(r, &item, "exactmeshinertia", r->exact_mesh_inertia);
  r->inertia =
      (TriboMjcfInertia)tribo_mjcf_word(r, &item, "inertiafromgeom", INERTIA, (int)r->inertia);
  r->bound_mass = tribo_mjcf_number(r, &item, "boundmass", r->bound_mass);
  r->bound_inertia = tribo_mjcf_number(r, &item, "boundinertia", r->bound_inertia);
  r->total_mass = tribo_mjcf_number(r, &item, "settotalmass", r->total_mass);
  double group[2] = {r->inertia_group[0], r->inertia_group[1]};
  tribo_mjcf_numbers(r, &item, "inertiagrouprange", 2, 2, group);
  for (int i = 0; i < 2; ++i) {
    if (group[i] >= 0 && group[i] < 1000) r->inertia_group[i] = (int)group[i];
  }
  const char* mesh_folder = tribo_xml_attribute(e, "meshdir");
  const char* asset_folder = tribo_xml_attribute(e, "assetdir");
  if (mesh_folder) r->mesh_folder = mesh_folder;
  if (asset_folder) r->asset_folder = asset_folder;
  read_euler(r, &item);
  for (int i = 0; SILENT[i]; ++i) tribo_xml_attribute(e, SILENT[i]);
}

static void read_flags(TriboMjcf* r, TriboXmlElement* option) {
  static const char* const WORDS[] = {"enable", "disable", NULL};
  static const char* const PHYSICS[] = {"constraint", "equality", "frictionloss", "limit",
                                        "contact",    "passive",  "actuation",    NULL};
  TriboXmlElement* e = tribo_xml_child(option, "flag");
  if (!e) return;
  TriboMjcfItem item = tribo_mjcf_plain_item(e);
  if (tribo_mjcf_word(r, &item, "gravity", WORDS, 0) == 1) {
    tribo_mjcf_built(r, tribo_builder_set_gravity(r->scene->builder, tribo_vec3_zero()), e);
  }
  r->allow_parent_child = tribo_mjcf_word(r, &item, "filterparent", WORDS, 0) == 1;
  for (int i = 0; PHYSICS[i]; ++i) {
    if (tribo_mjcf_word(r, &item, PHYSICS[i], WORDS, 0) == 1) {
      tribo_mjcf_refuse(r, e, "%s cannot be disabled", PHYSICS[i]);
    }
  }
}

static void read_option(TriboMjcf* r, TriboXmlElement* e) {
  TriboMjcfItem item = tribo_mjcf_plain_item(e);
  double gravity[3], wind[3] = {0, 0, 0};
  r->scene->timestep = tribo_mjcf_number(r, &item, "timestep", r->scene->timestep);
  if (!(r->scene->timestep > 0)) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, e, "timestep must be positive");
  }
  if (tribo_mjcf_numbers(r, &item, "gravity", 3, 3, gravity)) {
    TriboVec3 g = tribo_vec3(gravity[0], gravity[1], gravity[2]);
    tribo_mjcf_built(r, tribo_builder_set_gravity(r->scene->builder, g), e);
  }
  tribo_mjcf_numbers(r, &item, "wind", 3, 3, wind);
  bool medium = tribo_mjcf_number(r, &item, "density", 0) != 0;
  medium = tribo_mjcf_number(r, &item, "viscosity", 0) != 0 || medium;
  if (medium) tribo_mjcf_refuse(r, e, "a medium (density, viscosity) is not supported");
  read_flags(r, e);
}

static void read_settings(TriboMjcf* r) {
  r->degrees = r->autolimits = true;
  memcpy(r->euler, "xyz", 4);
  r->inertia_group[1] = 5;
  r->scene->timestep = 0.002;  // MuJoCo's own
  TriboXmlElement* e = tribo_xml_child(r->root, "compiler");
  for (; e; e = tribo_xml_sibling(e, "compiler")) read_compiler(r, e);
  e = tribo_xml_child(r->root, "option");
  for (; e; e = tribo_xml_sibling(e, "option")) read_option(r, e);
}

// What MJCF has no word for: <numeric name="tribo_restitution" data="0.9"/> and tribo_viscosity, of
// all surfaces. Other custom data is the user's.
static void read_custom(TriboMjcf* r) {
  static const char* const NAMES[] = {"tribo_restitution", "tribo_viscosity"};
  TriboXmlElement* section = tribo_xml_child(r->root, "custom");
  for (; section; section = tribo_xml_sibling(section, "custom")) {
    for (TriboXmlElement* e = section->first_child; e; e = e->next) {
      const char* name = tribo_xml_attribute(e, "name");
      for (int i = 0; i < 2; ++i) {
        if (!name || strcmp(e->name, "numeric") != 0 || strcmp(name, NAMES[i]) != 0) continue;
        e->used = true;
        tribo_xml_attribute(e, "size");
        TriboMjcfItem item = tribo_mjcf_plain_item(e);
        double value = tribo_mjcf_number(r, &item, "data", 0);
        if (!(value >= 0) || (i == 0 && value > 1)) {
          tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, e, "restitution is 0 to 1, viscosity 0 or more");
        }
        *(i == 0 ? &r->restitution : &r->viscosity) = value;
      }
    }
  }
}

static void refuse_sections(TriboMjcf* r) {
  static const char* const REFUSED[] = {"deformable", "extension", NULL};
  for (int i = 0; REFUSED[i]; ++i) {
    TriboXmlElement* e = tribo_xml_child(r->root, REFUSED[i]);
    if (e && e->first_child) tribo_mjcf_refuse(r, e, "<%s> is not supported", e->name);
  }
}

// ---------------------------------------------------------------------------------------------------
// Into the builder
// ---------------------------------------------------------------------------------------------------

static void add_tree(TriboMjcf* r) {
  TriboBuilder* builder = r->scene->builder;
  tribo_builder_allow_parent_child(builder, r->allow_parent_child);
  for (int i = 0; i < r->link_count && r->status == TRIBO_OK; ++i) {
    tribo_mjcf_built(r, tribo_builder_add_link(builder, &r->links[i], NULL), r->root);
  }
  for (int i = 0; i < r->joint_count && r->status == TRIBO_OK; ++i) {
    const TriboMjcfJoint* joint = &r->joints[i];
    tribo_mjcf_built(r, tribo_builder_add_joint(builder, &joint->desc, NULL), joint->element);
  }
}

static void add_rest(TriboMjcf* r) {
  TriboBuilder* builder = r->scene->builder;
  for (int i = 0; i < r->frame_count && r->status == TRIBO_OK; ++i) {
    tribo_mjcf_built(r, tribo_builder_add_frame(builder, &r->frames[i], NULL), r->root);
  }
  for (int i = 0; i < r->loop_count && r->status == TRIBO_OK; ++i) {
    tribo_mjcf_built(r, tribo_builder_add_loop(builder, &r->loops[i], NULL), r->root);
  }
}

TriboStatus tribo_mjcf_read(TriboScene* scene, TriboXml* xml, const TriboLoadOptions* options,
                            TriboMessage* message) {
  TriboMjcf reader = {.scene = scene,
                      .xml = xml,
                      .pool = tribo_xml_pool(xml),
                      .options = options,
                      .message = message,
                      .root = tribo_xml_root(xml)};
  TriboMjcf* r = &reader;
  static void (*const SECTIONS[])(TriboMjcf*) = {
      read_includes,
      read_settings,
      read_custom,
      refuse_sections,
      tribo_mjcf_read_defaults,
      tribo_mjcf_read_assets,
      tribo_mjcf_read_bodies,
      tribo_mjcf_read_contacts,
      tribo_mjcf_read_equalities,
      tribo_mjcf_read_tendons,
      add_tree,
      tribo_mjcf_add_geoms,
      tribo_mjcf_read_actuators,
      tribo_mjcf_read_sensors,
      tribo_mjcf_read_keyframes,
      add_rest,
      tribo_mjcf_report_losses,
  };
  const char* name = tribo_xml_attribute(r->root, "model");
  if (name) scene->name = tribo_pool_text(&scene->pool, name, strlen(name));
  if (!scene->name) tribo_mjcf_fail(r, TRIBO_ERROR_MEMORY, r->root, "out of memory");
  for (size_t i = 0; i < sizeof SECTIONS / sizeof *SECTIONS && r->status == TRIBO_OK; ++i) {
    SECTIONS[i](r);
  }
  return r->status;
}
