// SPDX-License-Identifier: Apache-2.0
//
// Names out of a trajectory's header.
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "tools/trajectory/report.h"

static const char* text_at(const json_t* meta, const char* key, int index) {
  const char* text =
      index >= 0 ? json_string_value(json_array_get(json_object_get(meta, key), (size_t)index))
                 : NULL;
  return text != NULL ? text : "?";
}

static int position_of(const json_t* meta, int v) {
  size_t i;
  json_t* joint;
  json_array_foreach(json_object_get(meta, "joints"), i, joint) {
    const char* type = json_string_value(json_object_get(joint, "type"));
    int at = (int)json_integer_value(json_object_get(joint, "v"));
    int q = (int)json_integer_value(json_object_get(joint, "q"));
    if (type == NULL || at < 0 || q < 0) continue;
    int straight = strcmp(type, "free") == 0 || strcmp(type, "planar") == 0   ? 3
                   : strcmp(type, "hinge") == 0 || strcmp(type, "slide") == 0 ? 1
                                                                              : 0;
    if (v >= at && v < at + straight) return q + v - at;
  }
  return -1;
}

static void label(const json_t* meta, TriboQuantity quantity, int index, int index2,
                  char text[160]) {
  static const char* const momentum[] = {"linear x",  "linear y",  "linear z",
                                         "angular x", "angular y", "angular z"};
  text[0] = '\0';
  if (index < 0) return;
  switch (quantity) {
    case TRIBO_QUANTITY_Q: {
      // By velocity coordinate: the direction in which the positions differ.
      int q = position_of(meta, index);
      snprintf(text, 160, "%.150s", q >= 0 ? text_at(meta, "q", q) : text_at(meta, "v", index));
      return;
    }
    case TRIBO_QUANTITY_V:
      snprintf(text, 160, "%.150s", text_at(meta, "v", index));
      return;
    case TRIBO_QUANTITY_CONTROL:
      snprintf(text, 160, "%.150s", text_at(meta, "controls", index));
      return;
    case TRIBO_QUANTITY_MOMENTUM:
      snprintf(text, 160, "%s", index < 6 ? momentum[index] : "");
      return;
    case TRIBO_QUANTITY_FORCE:
    case TRIBO_QUANTITY_TIME:
    case TRIBO_QUANTITY_EVENTS:
      snprintf(text, 160, "%.70s / %.70s", text_at(meta, "shapes", index),
               text_at(meta, "shapes", index2));
      return;
    default:
      return;
  }
}

void tribo_difference_label(const TriboTrajectory* trajectory, TriboQuantity quantity, int index,
                            int index2, char text[160]) {
  json_t* meta = json_loads(trajectory->meta, 0, NULL);
  label(meta, quantity, index, index2, text);
  json_decref(meta);
}

int tribo_position_of(const TriboTrajectory* trajectory, int v) {
  json_t* meta = json_loads(trajectory->meta, 0, NULL);
  int q = position_of(meta, v);
  json_decref(meta);
  return q;
}

void tribo_event_label(const TriboTrajectory* t, int64_t event, char text[160]) {
  static const char* const types[] = {"begin", "end", "stick", "slip"};
  json_t* meta = json_loads(t->meta, 0, NULL);
  snprintf(text, 160, "%s %.60s / %.60s", types[t->event_type[event]],
           text_at(meta, "shapes", t->event_shapes[2 * event]),
           text_at(meta, "shapes", t->event_shapes[2 * event + 1]));
  json_decref(meta);
}
