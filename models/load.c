// SPDX-License-Identifier: Apache-2.0
//
// From a file or text to a scene: the root element says which reader it is for.
#include <string.h>

#include "engine/base/message.h"
#include "models/floor.h"
#include "models/scene.h"

TriboLoadOptions tribo_load_options_default(void) {
  TriboLoadOptions options = {0};
  return options;
}

// In strict mode the first loss is the error.
static TriboStatus check_strict(const TriboScene* scene, TriboMessage* message) {
  for (int i = 0; i < tribo_report_count(scene->report); ++i) {
    const TriboReportEntry* entry = tribo_report_entry(scene->report, i);
    if (entry->kind == TRIBO_REPORT_WARNING) continue;
    tribo_message_set(message, TRIBO_ERROR_UNSUPPORTED, "%s: %s (strict)", entry->element,
                      entry->text);
    tribo_message_set_place(message, entry->file, entry->line);
    return TRIBO_ERROR_UNSUPPORTED;
  }
  return TRIBO_OK;
}

static TriboStatus read_document(TriboScene* scene, TriboXml* xml, const TriboLoadOptions* options,
                                 TriboMessage* message) {
  const TriboXmlElement* root = tribo_xml_root(xml);
  TriboStatus status;
  if (strcmp(root->name, "robot") == 0) {
    scene->format = TRIBO_FORMAT_URDF;
    status = tribo_urdf_read(scene, xml, options, message);
  } else if (strcmp(root->name, "mujoco") == 0) {
    scene->format = TRIBO_FORMAT_MJCF;
    status = tribo_mjcf_read(scene, xml, options, message);
  } else {
    tribo_message_set(message, TRIBO_ERROR_PARSE,
                      "the root element is <%.80s>; a URDF file has <robot>, an MJCF file <mujoco>",
                      root->name);
    tribo_message_set_place(message, root->file, root->line);
    return TRIBO_ERROR_PARSE;
  }
  if (status == TRIBO_OK && options->strict) status = check_strict(scene, message);
  if (status == TRIBO_OK && options->floor)
    status = tribo_scene_add_floor(scene, options->floor_gap, message);
  return status;
}

// Takes the document over.
static TriboStatus load(TriboXml* xml, const TriboLoadOptions* options, TriboScene** scene,
                        TriboMessage* message) {
  TriboScene* made;
  TriboStatus status = tribo_scene_create(options->allocator, &made);
  if (status != TRIBO_OK) {
    tribo_message_set(message, status, "out of memory for the scene");
  } else {
    status = read_document(made, xml, options, message);
  }
  tribo_xml_destroy(xml);
  if (status != TRIBO_OK) {
    tribo_scene_destroy(made);
    return status;
  }
  *scene = made;
  return TRIBO_OK;
}

TriboStatus tribo_scene_load(const char* file, const TriboLoadOptions* options, TriboScene** scene,
                             TriboMessage* message) {
  TriboLoadOptions o = options ? *options : tribo_load_options_default();
  if (!scene) return tribo_message_set(message, TRIBO_ERROR_ARGUMENT, "no place for the scene");
  *scene = NULL;
  TriboXml* xml;
  TriboStatus status = tribo_xml_create_from_file(file, o.allocator, &xml, message);
  return status == TRIBO_OK ? load(xml, &o, scene, message) : status;
}

TriboStatus tribo_scene_load_string(const char* text, size_t size, const char* name,
                                    const TriboLoadOptions* options, TriboScene** scene,
                                    TriboMessage* message) {
  TriboLoadOptions o = options ? *options : tribo_load_options_default();
  if (!scene) return tribo_message_set(message, TRIBO_ERROR_ARGUMENT, "no place for the scene");
  *scene = NULL;
  TriboXml* xml;
  TriboStatus status = tribo_xml_create(text, size, name, o.allocator, &xml, message);
  return status == TRIBO_OK ? load(xml, &o, scene, message) : status;
}
