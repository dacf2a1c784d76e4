// SPDX-License-Identifier: Apache-2.0
//
// Default classes and attributes. A class's element of a kind gives the attributes that elements of
// that kind leave out; nested classes inherit. A list of numbers that is shorter than its full
// length leaves the rest to the class below it.
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/message.h"
#include "engine/base/rotation.h"
#include "models/mjcf.h"
#include "models/number.h"

// ---------------------------------------------------------------------------------------------------
// Failures, reports, tables
// ---------------------------------------------------------------------------------------------------

// "<geom> 'name'", for messages.
static void label(const TriboXmlElement* e, char* text, size_t size) {
  const char* name = NULL;
  for (int i = 0; i < e->attribute_count; ++i) {
    if (strcmp(e->attributes[i].name, "name") == 0) name = e->attributes[i].value;
  }
  snprintf(text, size, name ? "%.40s '%.40s'" : "%.40s", e->name, name);
}

void tribo_mjcf_fail(TriboMjcf* r, TriboStatus status, const TriboXmlElement* e, const char* format,
                     ...) {
  if (r->status != TRIBO_OK) return;
  char element[96], text[300];
  label(e, element, sizeof element);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  r->status = tribo_message_set(r->message, status, "%s: %s", element, text);
  tribo_message_set_place(r->message, e->file, e->line);
}

static void report(TriboMjcf* r, TriboReportKind kind, const TriboXmlElement* e, const char* format,
                   va_list arguments) {
  char element[96], text[300];
  label(e, element, sizeof element);
  vsnprintf(text, sizeof text, format, arguments);
  tribo_report_add(r->scene->report, kind, e->file, e->line, element, "%s", text);
}

void tribo_mjcf_warn(TriboMjcf* r, const TriboXmlElement* e, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  report(r, TRIBO_REPORT_WARNING, e, format, arguments);
  va_end(arguments);
}

void tribo_mjcf_skip(TriboMjcf* r, const TriboXmlElement* e, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  report(r, TRIBO_REPORT_UNUSED, e, format, arguments);
  va_end(arguments);
}

void tribo_mjcf_refuse(TriboMjcf* r, const TriboXmlElement* e, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (r->options->allow_unsupported) {
    report(r, TRIBO_REPORT_UNSUPPORTED, e, format, arguments);
  } else {
    char text[300];
    vsnprintf(text, sizeof text, format, arguments);
    tribo_mjcf_fail(r, TRIBO_ERROR_UNSUPPORTED, e,
                    "%s. It would change the motion: load with allow_unsupported to leave it out",
                    text);
  }
  va_end(arguments);
}

bool tribo_mjcf_check(TriboMjcf* r, TriboStatus status, const TriboXmlElement* e) {
  if (status == TRIBO_OK) return true;
  if (r->status == TRIBO_OK) {
    r->status = status;
    if (r->message && r->message->file[0] == '\0') {
      tribo_message_set_place(r->message, e->file, e->line);
    }
  }
  return false;
}

bool tribo_mjcf_built(TriboMjcf* r, TriboStatus status, const TriboXmlElement* e) {
  if (status == TRIBO_OK) return true;
  tribo_mjcf_fail(r, status, e, "%.280s", tribo_builder_message(r->scene->builder)->text);
  return false;
}

void* tribo_mjcf_append(TriboMjcf* r, void** array, int* count, int* capacity, size_t size) {
  if (r->status != TRIBO_OK) return NULL;
  void* memory = tribo_pool_grow(r->pool, *array, *count, capacity, size);
  if (!memory) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MEMORY, r->root, "out of memory");
    return NULL;
  }
  *array = memory;
  void* element = (char*)memory + (size_t)(*count)++ * size;
  memset(element, 0, size);
  return element;
}

const char* tribo_mjcf_name(TriboMjcf* r, TriboXmlElement* e, TriboNames* names, int number) {
  const char* name = tribo_xml_attribute(e, "name");
  if (!name || !name[0]) return NULL;
  TriboNamesResult result = tribo_names_add(names, r->pool, name, number);
  if (result == TRIBO_NAMES_TWICE) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, e, "the name is taken; names of a kind must differ");
  } else if (result == TRIBO_NAMES_NO_MEMORY) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MEMORY, e, "out of memory");
  }
  return name;
}

int tribo_mjcf_find(TriboMjcf* r, TriboXmlElement* e, const char* attribute,
                    const TriboNames* names) {
  const char* name = tribo_xml_attribute(e, attribute);
  if (!name) {
    tribo_mjcf_fail(r, TRIBO_ERROR_PARSE, e, "missing attribute '%s'", attribute);
    return -1;
  }
  int number = tribo_names_find(names, name);
  if (number < 0) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, e, "%s: nothing has the name '%.80s'", attribute, name);
  }
  return number;
}

// ---------------------------------------------------------------------------------------------------
// Classes
// ---------------------------------------------------------------------------------------------------

static void read_class(TriboMjcf* r, TriboXmlElement* e, int parent) {
  e->used = true;
  const char* name = tribo_xml_attribute(e, "class");
  int index = r->class_count;
  if (parent < 0) {
    index = 0;
    if (name && strcmp(name, "main") != 0 && strcmp(r->classes[0].name, "main") == 0) {
      r->classes[0].name = name;
      (void)tribo_names_add(&r->class_names, r->pool, name, 0);
    }
  } else {
    if (!name) {
      tribo_mjcf_fail(r, TRIBO_ERROR_PARSE, e, "a nested default needs the attribute 'class'");
      return;
    }
    if (tribo_names_add(&r->class_names, r->pool, name, index) != TRIBO_NAMES_ADDED) {
      tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, e, "there is a class '%.80s' already", name);
      return;
    }
    TriboMjcfClass* made = tribo_mjcf_append(r, (void**)&r->classes, &r->class_count,
                                             &r->class_capacity, sizeof *made);
    if (!made) return;
    *made = (TriboMjcfClass){name, parent, e};
  }
  for (TriboXmlElement* c = e->first_child; c && r->status == TRIBO_OK; c = c->next) {
    if (strcmp(c->name, "default") == 0) read_class(r, c, index);
  }
}

void tribo_mjcf_read_defaults(TriboMjcf* r) {
  TriboMjcfClass* main_class = tribo_mjcf_append(r, (void**)&r->classes, &r->class_count,
                                                 &r->class_capacity, sizeof *main_class);
  if (!main_class) return;
  *main_class = (TriboMjcfClass){"main", -1, NULL};
  (void)tribo_names_add(&r->class_names, r->pool, "main", 0);
  for (TriboXmlElement* e = tribo_xml_child(r->root, "default"); e && r->status == TRIBO_OK;
       e = tribo_xml_sibling(e, "default")) {
    TriboXmlElement** section = tribo_mjcf_append(r, (void**)&r->sections, &r->section_count,
                                                  &r->section_capacity, sizeof *section);
    if (!section) return;
    *section = e;
    read_class(r, e, -1);
  }
}

int tribo_mjcf_class(TriboMjcf* r, const TriboXmlElement* e, const char* name) {
  int index = tribo_names_find(&r->class_names, name);
  if (index < 0) tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, e, "there is no class '%.80s'", name);
  return index;
}

static bool is_kind(const char* name, const char* kind) {
  if (kind) return strcmp(name, kind) == 0;
  static const char* const ACTUATORS[] = {"general",     "motor",    "position", "velocity",
                                          "intvelocity", "damper",   "cylinder", "muscle",
                                          "adhesion",    "actuator", NULL};
  for (int i = 0; ACTUATORS[i]; ++i) {
    if (strcmp(name, ACTUATORS[i]) == 0) return true;
  }
  return false;
}

// Pushes the elements of a kind in a default element, the last one first.
static void push_sources(TriboMjcf* r, TriboMjcfItem* item, TriboXmlElement* defaults,
                         const char* kind) {
  int start = item->count;
  for (TriboXmlElement* c = defaults->first_child; c; c = c->next) {
    if (!is_kind(c->name, kind)) continue;
    if (item->count == TRIBO_MJCF_MAX_SOURCES) {
      tribo_mjcf_fail(r, TRIBO_ERROR_CAPACITY, c, "default classes are nested too deep");
      return;
    }
    c->used = true;
    item->source[item->count++] = c;
  }
  for (int i = start, j = item->count - 1; i < j; ++i, --j) {
    TriboXmlElement* swap = item->source[i];
    item->source[i] = item->source[j];
    item->source[j] = swap;
  }
}

TriboMjcfItem tribo_mjcf_plain_item(TriboXmlElement* e) {
  TriboMjcfItem item;
  item.element = item.source[0] = e;
  item.count = 1;
  return item;
}

TriboMjcfItem tribo_mjcf_item(TriboMjcf* r, TriboXmlElement* e, const char* kind, int inherited) {
  TriboMjcfItem item = tribo_mjcf_plain_item(e);
  const char* name = tribo_xml_attribute(e, "class");
  int index = name ? tribo_mjcf_class(r, e, name) : inherited;
  for (; index > 0; index = r->classes[index].parent) {
    push_sources(r, &item, r->classes[index].element, kind);
  }
  if (index < 0) return item;
  // Class 0 may stand in several sections; the last one counts first.
  for (int i = r->section_count - 1; i >= 0; --i) push_sources(r, &item, r->sections[i], kind);
  return item;
}

// ---------------------------------------------------------------------------------------------------
// Values
// ---------------------------------------------------------------------------------------------------

const char* tribo_mjcf_text(TriboMjcfItem* item, const char* name) {
  const char* found = NULL;
  for (int i = 0; i < item->count; ++i) {
    const char* value = tribo_xml_attribute(item->source[i], name);
    if (value && !found) found = value;
  }
  return found;
}

int tribo_mjcf_numbers(TriboMjcf* r, TriboMjcfItem* item, const char* name, int least, int count,
                       double* values) {
  double parsed[16];
  int last = 0;
  for (int i = item->count - 1; i >= 0; --i) {
    const char* text = tribo_xml_attribute(item->source[i], name);
    if (!text) continue;
    int given = tribo_numbers_parse(text, count, parsed);
    if (given < least || given < 1) {
      tribo_mjcf_fail(r, TRIBO_ERROR_PARSE, item->source[i],
                      "attribute '%s' must be %s%d numbers, not '%.60s'", name,
                      least < count ? "up to " : "", count, text);
      return 0;
    }
    memcpy(values, parsed, (size_t)given * sizeof *values);
    last = given;
  }
  return last;
}

double tribo_mjcf_number(TriboMjcf* r, TriboMjcfItem* item, const char* name, double otherwise) {
  tribo_mjcf_numbers(r, item, name, 1, 1, &otherwise);
  return otherwise;
}

int tribo_mjcf_integer(TriboMjcf* r, TriboMjcfItem* item, const char* name, int otherwise) {
  double value = otherwise;
  tribo_mjcf_numbers(r, item, name, 1, 1, &value);
  if (value != floor(value) || fabs(value) > INT_MAX) {
    tribo_mjcf_fail(r, TRIBO_ERROR_PARSE, item->element, "attribute '%s' must be a whole number",
                    name);
    return otherwise;
  }
  return (int)value;
}

int tribo_mjcf_word(TriboMjcf* r, TriboMjcfItem* item, const char* name, const char* const* words,
                    int otherwise) {
  const char* text = tribo_mjcf_text(item, name);
  if (!text) return otherwise;
  for (int i = 0; words[i]; ++i) {
    if (strcmp(text, words[i]) == 0) return i;
  }
  tribo_mjcf_fail(r, TRIBO_ERROR_PARSE, item->element, "attribute '%s' cannot be '%.60s'", name,
                  text);
  return otherwise;
}

bool tribo_mjcf_bool(TriboMjcf* r, TriboMjcfItem* item, const char* name, bool otherwise) {
  static const char* const WORDS[] = {"false", "true", NULL};
  return tribo_mjcf_word(r, item, name, WORDS, otherwise) != 0;
}

double* tribo_mjcf_number_list(TriboMjcf* r, TriboXmlElement* e, const char* name, int* count) {
  *count = 0;
  const char* text = tribo_xml_attribute(e, name);
  if (!text) return NULL;
  size_t most = strlen(text) / 2 + 1;
  double* values = most < INT_MAX ? tribo_pool_take(r->pool, most, sizeof *values) : NULL;
  if (!values) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MEMORY, e, "out of memory");
    return NULL;
  }
  *count = tribo_numbers_parse(text, (int)most, values);
  if (*count >= 0) return values;
  *count = 0;
  tribo_mjcf_fail(r, TRIBO_ERROR_PARSE, e, "attribute '%s' holds something that is no number",
                  name);
  return NULL;
}

bool tribo_mjcf_limited(TriboMjcf* r, TriboMjcfItem* item, const char* limited, const char* range,
                        double values[2]) {
  static const char* const WORDS[] = {"false", "true", "auto", NULL};
  bool given = tribo_mjcf_numbers(r, item, range, 2, 2, values) > 0;
  int word = tribo_mjcf_word(r, item, limited, WORDS, 2);
  if (word != 2) return word == 1;
  if (given && !r->autolimits) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, item->element,
                    "%s without %s, and autolimits is false: say %s", range, limited, limited);
  }
  return given;
}

// ---------------------------------------------------------------------------------------------------
// Poses
// ---------------------------------------------------------------------------------------------------

TriboQuat tribo_mjcf_quat_from_z(TriboVec3 direction) {
  TriboVec3 u = tribo_vec3_normalize_or(direction, tribo_vec3(0, 0, 1));
  // (1 + z.u, z x u) normalized; downwards a half turn about x.
  if (u.z < -1 + 1e-14) return tribo_quat(0, 1, 0, 0);
  return tribo_quat_normalize(tribo_quat(1 + u.z, -u.y, u.x, 0));
}

static TriboQuat quat_from_euler(const TriboMjcf* r, const double angles[3]) {
  TriboQuat q = tribo_quat_identity();
  for (int i = 0; i < 3; ++i) {
    char axis = r->euler[i];
    bool fixed = axis >= 'A' && axis <= 'Z';  // capitals: about the axes of the parent frame
    int k = (fixed ? axis - 'X' : axis - 'x');
    TriboVec3 a = tribo_vec3(k == 0, k == 1, k == 2);
    double angle = r->degrees ? angles[i] * TRIBO_MJCF_DEGREE : angles[i];
    TriboQuat turn = tribo_quat_from_axis_angle(a, angle);
    q = fixed ? tribo_quat_mul(turn, q) : tribo_quat_mul(q, turn);
  }
  return q;
}

static TriboQuat quat_from_xy(const double v[6]) {
  TriboVec3 x = tribo_vec3_normalize_or(tribo_vec3(v[0], v[1], v[2]), tribo_vec3_zero());
  TriboVec3 y = tribo_vec3(v[3], v[4], v[5]);
  y = tribo_vec3_normalize_or(tribo_vec3_madd(y, -tribo_vec3_dot(x, y), x), tribo_vec3_zero());
  return tribo_quat_from_mat3(tribo_mat3_from_columns(x, y, tribo_vec3_cross(x, y)));
}

bool tribo_mjcf_orientation(TriboMjcf* r, TriboMjcfItem* item, TriboQuat* q) {
  static const struct {
    const char* name;
    int count;
  } FORMS[] = {{"quat", 4}, {"axisangle", 4}, {"euler", 3}, {"xyaxes", 6}, {"zaxis", 3}};
  // All places are asked, so that they are marked; the first one that says anything counts.
  int form = -1;
  double v[6] = {0};
  for (int i = 0; i < item->count; ++i) {
    TriboMjcfItem place = tribo_mjcf_plain_item(item->source[i]);
    for (int k = 0; k < 5; ++k) {
      double values[6];
      if (!tribo_mjcf_numbers(r, &place, FORMS[k].name, FORMS[k].count, FORMS[k].count, values)) {
        continue;
      }
      if (form >= 0) continue;
      form = k;
      memcpy(v, values, sizeof v);
    }
  }
  *q = tribo_quat_identity();
  if (form < 0 || r->status != TRIBO_OK) return false;
  double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + (form == 0 ? v[3] * v[3] : 0));
  if (!(length > 1e-10) && form != 2) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, item->element, "%s has no direction", FORMS[form].name);
    return false;
  }
  TriboVec3 axis = tribo_vec3(v[0], v[1], v[2]);
  switch (form) {
    case 0:
      *q = tribo_quat_normalize(tribo_quat(v[0], v[1], v[2], v[3]));
      break;
    case 1:
      *q = tribo_quat_from_axis_angle(tribo_vec3_scale(1 / length, axis),
                                      r->degrees ? v[3] * TRIBO_MJCF_DEGREE : v[3]);
      break;
    case 2:
      *q = quat_from_euler(r, v);
      break;
    case 3: {
      TriboVec3 z = tribo_vec3_cross(axis, tribo_vec3(v[3], v[4], v[5]));
      if (!(tribo_vec3_norm(z) > 1e-10 * length)) {
        tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, item->element, "xyaxes are parallel");
        return false;
      }
      *q = quat_from_xy(v);
      break;
    }
    default:
      *q = tribo_mjcf_quat_from_z(axis);
  }
  return true;
}

TriboPose tribo_mjcf_pose(TriboMjcf* r, TriboMjcfItem* item) {
  TriboPose pose = tribo_pose_identity();
  double p[3] = {0, 0, 0};
  tribo_mjcf_numbers(r, item, "pos", 3, 3, p);
  pose.p = tribo_vec3(p[0], p[1], p[2]);
  tribo_mjcf_orientation(r, item, &pose.q);
  return pose;
}
