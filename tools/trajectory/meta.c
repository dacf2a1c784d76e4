// SPDX-License-Identifier: Apache-2.0
#include "tools/trajectory/meta.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/message.h"
#include "tools/trajectory/options.h"

static const char* const kJointTypes[] = {"free", "ball", "hinge", "slide", "planar", "fixed"};

// Coordinates of each joint type: suffixes of their names, units.
static const char* const kQNames[][7] = {{".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"},
                                         {".qw", ".qx", ".qy", ".qz"},
                                         {""},
                                         {""},
                                         {".x", ".y", ".angle"}};
static const char* const kQUnits[][7] = {
    {"m", "m", "m", "1", "1", "1", "1"}, {"1", "1", "1", "1"}, {"rad"}, {"m"}, {"m", "m", "rad"}};
static const char* const kVNames[][6] = {{".vx", ".vy", ".vz", ".wx", ".wy", ".wz"},
                                         {".wx", ".wy", ".wz"},
                                         {""},
                                         {""},
                                         {".vx", ".vy", ".rate"}};
static const char* const kVUnits[][6] = {{"m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s"},
                                         {"rad/s", "rad/s", "rad/s"},
                                         {"rad/s"},
                                         {"m/s"},
                                         {"m/s", "m/s", "rad/s"}};
static const int kNq[] = {7, 4, 1, 1, 3, 0}, kNv[] = {6, 3, 1, 1, 3, 0};

// The name of an element, or its kind and number.
static void label(const TriboModel* model, TriboKind kind, int i, const char* word, char text[96]) {
  const char* name = tribo_model_name(model, kind, i);
  if (name[0] != '\0')
    snprintf(text, 96, "%s", name);
  else
    snprintf(text, 96, "%s%d", word, i);
}

// A joint without a name of its own goes by the link that it carries.
static void label_joint(const TriboModel* model, const TriboJointDesc* d, char text[96]) {
  if (d->name != NULL && d->name[0] != '\0')
    snprintf(text, 96, "%s", d->name);
  else
    label(model, TRIBO_KIND_LINK, d->child, "link", text);
}

static void set_names(json_t* names, json_t* units, int at, int n, const char* joint,
                      const char* const* suffix, const char* const* unit) {
  for (int k = 0; k < n; ++k) {
    char text[128];
    snprintf(text, sizeof text, "%s%s", joint, suffix[k]);
    json_array_set_new(names, (size_t)(at + k), json_string(text));
    json_array_set_new(units, (size_t)(at + k), json_string(unit[k]));
  }
}

static json_t* blanks(int n) {
  json_t* array = json_array();
  for (int i = 0; i < n; ++i) json_array_append_new(array, json_string(""));
  return array;
}

static json_t* names_of(const TriboModel* model, TriboKind kind, const char* word) {
  json_t* names = json_array();
  for (int i = 0; i < tribo_model_count(model, kind); ++i) {
    char text[96];
    label(model, kind, i, word, text);
    json_array_append_new(names, json_string(text));
  }
  return names;
}

// A shape without a name goes by its link, and its number where it is not the only one there.
static json_t* shape_names(const TriboModel* model) {
  const int count = tribo_model_count(model, TRIBO_KIND_SHAPE);
  int* shapes_of = calloc((size_t)tribo_model_count(model, TRIBO_KIND_LINK) + 1, sizeof(int));
  json_t* names = json_array();
  TriboShapeDesc d;
  for (int i = 0; shapes_of != NULL && i < count; ++i) {
    if (tribo_model_shape(model, i, &d) && d.link >= 0) ++shapes_of[d.link];
  }
  for (int i = 0; shapes_of != NULL && i < count; ++i) {
    char text[128], link[96];
    const bool named = tribo_model_name(model, TRIBO_KIND_SHAPE, i)[0] != '\0';
    label(model, TRIBO_KIND_SHAPE, i, "shape", text);
    if (!named && tribo_model_shape(model, i, &d) && d.link >= 0) {
      label(model, TRIBO_KIND_LINK, d.link, "link", link);
      if (shapes_of[d.link] == 1)
        snprintf(text, sizeof text, "%s", link);
      else
        snprintf(text, sizeof text, "%s.shape%d", link, i);
    }
    json_array_append_new(names, json_string(text));
  }
  free(shapes_of);
  return names;
}

// Joints with all that decides how q is laid out, and the names of coordinates.
static void add_joints(const TriboModel* model, json_t* meta) {
  json_t *joints = json_array(), *q = blanks(tribo_model_nq(model)), *q_unit = json_deep_copy(q);
  json_t *v = blanks(tribo_model_nv(model)), *v_unit = json_deep_copy(v);
  for (int i = 0; i < tribo_model_count(model, TRIBO_KIND_JOINT); ++i) {
    TriboJointDesc d;
    if (!tribo_model_joint(model, i, &d)) continue;
    char text[96];
    label_joint(model, &d, text);
    int at_q = tribo_model_joint_q(model, i), at_v = tribo_model_joint_v(model, i);
    json_array_append_new(joints, json_pack("{s:s, s:s, s:i, s:i, s:i, s:i}", "name", text, "type",
                                            kJointTypes[d.type], "q", at_q, "v", at_v, "parent",
                                            d.parent, "child", d.child));
    if (d.type == TRIBO_JOINT_FIXED) continue;
    set_names(q, q_unit, at_q, kNq[d.type], text, kQNames[d.type], kQUnits[d.type]);
    set_names(v, v_unit, at_v, kNv[d.type], text, kVNames[d.type], kVUnits[d.type]);
  }
  json_object_set_new(meta, "joints", joints);
  json_object_set_new(meta, "q", q);
  json_object_set_new(meta, "q_units", q_unit);
  json_object_set_new(meta, "v", v);
  json_object_set_new(meta, "v_units", v_unit);
}

// What a control is measured in. A gear or scale turns any unit into any other: then it has none.
static const char* control_unit(const TriboModel* model, int actuator) {
  TriboActuatorDesc d;
  TriboJointDesc joint;
  if (!tribo_model_actuator(model, actuator, &d) || d.scale != 1 || d.gear != 1 ||
      !tribo_model_joint(model, d.joint, &joint))
    return "1";
  const bool turns = strcmp(kVUnits[joint.type][d.axis], "rad/s") == 0;
  switch (d.type) {
    case TRIBO_ACTUATOR_EFFORT:
      return turns ? "N m" : "N";
    case TRIBO_ACTUATOR_POSITION:
      return turns ? "rad" : "m";
    default:
      return kVUnits[joint.type][d.axis];
  }
}

static json_t* control_units(const TriboModel* model) {
  json_t* units = json_array();
  for (int i = 0; i < tribo_model_nu(model); ++i)
    json_array_append_new(units, json_string(control_unit(model, i)));
  return units;
}

json_t* tribo_meta_step_options(const TriboStepOptions* step) {
  json_t* object = json_object();
  for (int i = 0; i < tribo_option_count(); ++i) {
    char text[64];
    tribo_option_show(i, step, text);
    json_object_set_new(object, tribo_option_name(i), json_string(text));
  }
  return object;
}

TriboStatus tribo_meta_read_step_options(const json_t* object, TriboStepOptions* step,
                                         TriboMessage* message) {
  *step = tribo_step_options_default();
  if (!json_is_object(object))
    return tribo_message_set(message, TRIBO_ERROR_PARSE, "the header has no step options");
  const char* key;
  json_t* value;
  json_object_foreach((json_t*)object, key, value) {
    const char* text = json_string_value(value);
    int option;
    if (text == NULL || !tribo_option_set(key, text, step, &option))
      return tribo_message_set(message, TRIBO_ERROR_PARSE, "the step option %.60s makes no sense",
                               key);
  }
  return TRIBO_OK;
}

char* tribo_meta_write(const TriboModel* model, const TriboStepOptions* step,
                       const TriboRecordOptions* options) {
  char hash[32];
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)tribo_model_hash(model));
  json_t* settings = options->settings != NULL ? json_loads(options->settings, 0, NULL) : NULL;
  if (options->settings != NULL && !json_is_object(settings)) {
    json_decref(settings);
    return NULL;
  }
  json_t* meta =
      json_pack("{s:i, s:s, s:s, s:s, s:s, s:i}", "format", TRIBO_TRAJECTORY_FORMAT, "tribo",
                tribo_version(), "source", options->source != NULL ? options->source : "",
                "controller", options->controller != NULL ? options->controller : "none",
                "model_hash", hash, "every", options->every);
  json_object_set_new(meta, "units", json_string("SI; quaternions w x y z"));
  json_object_set_new(meta, "step_options", tribo_meta_step_options(step));
  if (settings != NULL) json_object_set_new(meta, "settings", settings);
  add_joints(model, meta);
  json_object_set_new(meta, "links", names_of(model, TRIBO_KIND_LINK, "link"));
  json_object_set_new(meta, "shapes", shape_names(model));
  json_object_set_new(meta, "controls", names_of(model, TRIBO_KIND_ACTUATOR, "actuator"));
  json_object_set_new(meta, "control_units", control_units(model));
  char* text = json_dumps(meta, JSON_COMPACT | JSON_ENSURE_ASCII);
  json_decref(meta);
  return text;
}

// Adds the joints and, before them, as many links as they name.
static TriboStatus add_to_builder(const json_t* joints, TriboBuilder* builder) {
  int links = 0;
  size_t i;
  json_t* joint;
  json_array_foreach(joints, i, joint) {
    json_int_t child = json_integer_value(json_object_get(joint, "child"));
    if (child < 0 || child > 1000000) return TRIBO_ERROR_PARSE;
    if (child >= links) links = (int)child + 1;
  }
  TriboStatus status = TRIBO_OK;
  for (int k = 0; status == TRIBO_OK && k < links; ++k) {
    TriboLinkDesc link = tribo_link_default();
    status = tribo_builder_add_link(builder, &link, NULL);
  }
  json_array_foreach(joints, i, joint) {
    const char* type = json_string_value(json_object_get(joint, "type"));
    TriboJointDesc d = tribo_joint_default();
    int found = -1;
    for (int k = 0; type != NULL && k < 6; ++k) {
      if (strcmp(type, kJointTypes[k]) == 0) found = k;
    }
    if (found < 0) return TRIBO_ERROR_PARSE;
    d.type = (TriboJointType)found;
    d.child = (int)json_integer_value(json_object_get(joint, "child"));
    json_int_t parent = json_integer_value(json_object_get(joint, "parent"));
    if (parent < TRIBO_WORLD || parent >= links) return TRIBO_ERROR_PARSE;
    d.parent = (int)parent;
    if (status == TRIBO_OK) status = tribo_builder_add_joint(builder, &d, NULL);
  }
  return status;
}

// The rebuilt model must lay q and v out as the file does.
static bool same_layout(const json_t* joints, const TriboModel* model) {
  size_t i;
  json_t* joint;
  json_array_foreach(joints, i, joint) {
    if (json_integer_value(json_object_get(joint, "q")) != tribo_model_joint_q(model, (int)i) ||
        json_integer_value(json_object_get(joint, "v")) != tribo_model_joint_v(model, (int)i))
      return false;
  }
  return true;
}

TriboStatus tribo_meta_joints_model(const json_t* meta, TriboModel** model, TriboMessage* message) {
  const json_t* joints = json_object_get(meta, "joints");
  TriboBuilder* builder;
  TriboModel* m = NULL;
  TriboStatus status = tribo_builder_create(NULL, &builder);
  if (status != TRIBO_OK) return tribo_message_set(message, status, "out of memory");
  status = add_to_builder(joints, builder);
  if (status == TRIBO_OK) status = tribo_model_create(builder, NULL, &m, message);
  tribo_builder_destroy(builder);
  if (status == TRIBO_OK && !same_layout(joints, m)) {
    tribo_model_destroy(m);
    status = TRIBO_ERROR_PARSE;
  }
  if (status != TRIBO_OK)
    return tribo_message_set(message, TRIBO_ERROR_PARSE, "the header's list of joints is damaged");
  *model = m;
  return TRIBO_OK;
}
