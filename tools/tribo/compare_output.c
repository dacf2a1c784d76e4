// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "tools/trajectory/report.h"
#include "tools/tribo/compare.h"
#include "tools/tribo/output.h"

// JSON has no infinity: null says that there is no number.
static json_t* number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t* quantities_json(const TriboTrajectory* a, const TriboCompareOptions* options,
                               const TriboComparison* c) {
  json_t* rows = json_array();
  for (int i = 0; i < TRIBO_QUANTITY_COUNT; ++i) {
    const TriboDifference* d = &c->quantity[i];
    if (!d->compared) continue;
    char where[160] = "";
    if (d->worst > 0)
      tribo_difference_label(a, (TriboQuantity)i, d->worst_index, d->worst_index2, where);
    json_t* row = json_pack("{s:s, s:o}", "quantity", tribo_quantity_name((TriboQuantity)i),
                            "worst", number(d->worst));
    json_object_set_new(row, "absolute", json_real(options->tolerance[i].absolute));
    json_object_set_new(row, "relative", json_real(options->tolerance[i].relative));
    json_object_set_new(row, "where", json_string(where));
    json_object_set_new(row, "time", json_real(d->worst_time));
    json_object_set_new(row, "within", json_boolean(!d->exceeded));
    json_array_append_new(rows, row);
  }
  return rows;
}

static json_t* events_json(const TriboTrajectory* a, const TriboTrajectory* b,
                           const TriboComparison* c) {
  json_t* only = json_array();
  for (int64_t i = 0; i < c->edits && i < TRIBO_COMPARE_EDITS; ++i) {
    const TriboTrajectory* t = c->edit[i].in_a ? a : b;
    char text[160];
    tribo_event_label(t, c->edit[i].index, text);
    json_array_append_new(only, json_pack("{s:s, s:f, s:s}", "only_in", c->edit[i].in_a ? "A" : "B",
                                          "time", t->event_time[c->edit[i].index], "event", text));
  }
  return json_pack("{s:I, s:I, s:I, s:o}", "a", (json_int_t)a->events, "b", (json_int_t)b->events,
                   "different", (json_int_t)c->edits, "only", only);
}

// Coordinates that differ, the worst of each.
static json_t* coordinates_json(const TriboTrajectory* a, const TriboComparison* c) {
  json_t* rows = json_array();
  for (int i = 0; i < a->nv; ++i) {
    if (c->q_worst[i] == 0 && c->v_worst[i] == 0) continue;
    char name[160];
    tribo_difference_label(a, TRIBO_QUANTITY_Q, i, -1, name);
    json_array_append_new(rows, json_pack("{s:s, s:o, s:o}", "coordinate", name, "q",
                                          number(c->q_worst[i]), "v", number(c->v_worst[i])));
  }
  return rows;
}

json_t* tribo_comparison_json(const TriboTrajectory* a, const TriboTrajectory* b,
                              const TriboCompareOptions* options, const TriboComparison* c) {
  json_t* object = json_pack("{s:b, s:I}", "same", c->same, "rows", (json_int_t)c->rows);
  int first = tribo_comparison_first(c);
  if (first >= 0) {
    const TriboDifference* d = &c->quantity[first];
    char where[160];
    tribo_difference_label(a, (TriboQuantity)first, d->first_index, d->first_index2, where);
    json_object_set_new(
        object, "first",
        json_pack("{s:s, s:s, s:f, s:o}", "quantity", tribo_quantity_name((TriboQuantity)first),
                  "where", where, "time", d->first_time, "error", number(d->first_error)));
  }
  if (c->reason[0] != '\0') json_object_set_new(object, "reason", json_string(c->reason));
  json_object_set_new(object, "quantities", quantities_json(a, options, c));
  json_object_set_new(object, "coordinates", coordinates_json(a, c));
  json_object_set_new(object, "events", events_json(a, b, c));
  return object;
}

void tribo_comparison_print(const TriboTrajectory* a, const TriboTrajectory* b,
                            const TriboCompareOptions* options, const TriboComparison* c) {
  json_t* rows = quantities_json(a, options, c);
  tribo_table_print(stdout, rows);
  json_decref(rows);
  rows = coordinates_json(a, c);
  // Many coordinates differ where one does: the first lines say enough.
  while (json_array_size(rows) > 12) json_array_remove(rows, json_array_size(rows) - 1);
  if (json_array_size(rows) > 0) tribo_table_print(stdout, rows);
  json_decref(rows);
  for (int64_t i = 0; i < c->edits && i < 8; ++i) {
    const TriboTrajectory* t = c->edit[i].in_a ? a : b;
    char text[160];
    tribo_event_label(t, c->edit[i].index, text);
    printf("event only in %s: %s at %.9g s\n", c->edit[i].in_a ? "A" : "B", text,
           t->event_time[c->edit[i].index]);
  }
  if (c->edits > 8) printf("and %lld more events\n", (long long)c->edits - 8);
  int first = tribo_comparison_first(c);
  if (first >= 0) {
    const TriboDifference* d = &c->quantity[first];
    char where[160];
    tribo_difference_label(a, (TriboQuantity)first, d->first_index, d->first_index2, where);
    printf("different: %s of %s, first beyond its tolerance at %.9g s, by %.6g\n",
           tribo_quantity_name((TriboQuantity)first), where, d->first_time, d->first_error);
  } else {
    printf("%s%s%s (%lld rows)\n", c->same ? "the same" : "different",
           c->reason[0] != '\0' ? ": " : "", c->reason, (long long)c->rows);
  }
}
