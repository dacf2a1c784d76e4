// SPDX-License-Identifier: Apache-2.0
//
// The report of a comparison.
#include <jansson.h>
#include <math.h>

#include "engine/base/message.h"
#include "tools/trajectory/report.h"
#include "tools/trajectory/svg.h"

static const char* const kUnits[TRIBO_QUANTITY_COUNT] = {
    "m, rad", "m/s, rad/s", "of each actuator", "N", "J", "N s, N m s", "s", "events"};

static void write_quantities(const TriboTrajectory* a, const TriboCompareOptions* options,
                             const TriboComparison* c, FILE* out) {
  fputs(
      "<table id=\"quantities\"><tr><th>quantity</th><th>largest difference</th><th>unit</th>"
      "<th>allowed</th>"
      "<th>where</th><th>when, s</th><th>verdict</th></tr>\n",
      out);
  for (int i = 0; i < TRIBO_QUANTITY_COUNT; ++i) {
    const TriboDifference* d = &c->quantity[i];
    const char* name = tribo_quantity_name((TriboQuantity)i);
    if (!d->compared) continue;
    char where[160] = "";
    if (d->worst > 0)
      tribo_difference_label(a, (TriboQuantity)i, d->worst_index, d->worst_index2, where);
    fprintf(out, "<tr><td>%s</td><td class=\"n\" id=\"worst_%s\">%.9g</td><td>%s</td><td>%g", name,
            name, d->worst, kUnits[i], options->tolerance[i].absolute);
    if (options->tolerance[i].relative > 0)
      fprintf(out, " + %g relative", options->tolerance[i].relative);
    fputs("</td><td>", out);
    tribo_html_text(where, out);
    fprintf(out, "</td><td class=\"n\">%.9g</td><td class=\"%s\">%s</td></tr>\n", d->worst_time,
            d->exceeded ? "different" : "same", d->exceeded ? "beyond" : "within");
  }
  fputs("</table>\n", out);
}

// Times in the middle of the parts that differences are gathered in.
typedef struct Middles {
  double time[TRIBO_COMPARE_BINS];
} Middles;

static Middles middles_of(const TriboComparison* c) {
  Middles m;
  for (int i = 0; i < TRIBO_COMPARE_BINS; ++i)
    m.time[i] = c->start + (c->end - c->start) * (i + 0.5) / TRIBO_COMPARE_BINS;
  return m;
}

static TriboCurve error_curve(const char* name, const Middles* middles, const double* errors) {
  return (TriboCurve){.name = name,
                      .count = TRIBO_COMPARE_BINS,
                      .x = middles->time,
                      .y = errors,
                      .x_stride = 1,
                      .y_stride = 1};
}

static void mark_first(TriboPlot* plot, const TriboDifference* d) {
  plot->marked = true;
  plot->mark = d->exceeded ? d->first_time : d->worst_time;
  plot->mark_text = d->exceeded ? "first beyond tolerance" : "largest difference";
}

static void write_errors(const TriboCompareOptions* options, const TriboComparison* c,
                         const Middles* middles, FILE* out) {
  TriboPlot plot = {.title = "Largest differences",
                    .unit = "m, rad; m/s, rad/s; N; J",
                    .logarithmic = true,
                    .level_text = "dotted: what the tolerances allow"};
  for (int i = 0; i < TRIBO_QUANTITY_TIME; ++i) {
    if (!c->quantity[i].compared || c->quantity[i].worst == 0) continue;
    tribo_plot_add(&plot,
                   error_curve(tribo_quantity_name((TriboQuantity)i), middles, c->quantity[i].bin));
    // A line of height 0, where nothing is allowed, is not drawn.
    plot.level[plot.levels++] = options->tolerance[i].absolute;
  }
  const int first = tribo_comparison_first(c);
  if (first >= 0) mark_first(&plot, &c->quantity[first]);
  if (plot.count > 0) tribo_plot_write(&plot, out);
}

// Position errors on the manifold, of each coordinate; those that err most have a name.
static void write_coordinate_errors(const TriboTrajectory* a, const TriboComparison* c,
                                    const Middles* middles, FILE* out) {
  enum { NAMED = 6 };
  char name[TRIBO_PLOT_CURVES][160];
  TriboPlot plot = {
      .title = "Position differences by coordinate", .unit = "m, rad", .logarithmic = true};
  for (int i = 0; i < a->nv; ++i) {
    if (!(c->q_worst[i] > 0)) continue;
    int larger = 0;
    for (int k = 0; k < a->nv; ++k)
      larger += c->q_worst[k] > c->q_worst[i] || (k < i && c->q_worst[k] == c->q_worst[i]);
    char* text = name[plot.count < TRIBO_PLOT_CURVES ? plot.count : 0];
    if (plot.count < TRIBO_PLOT_CURVES) tribo_difference_label(a, TRIBO_QUANTITY_Q, i, -1, text);
    TriboCurve curve = error_curve(text, middles, c->q_curve + (size_t)i * TRIBO_COMPARE_BINS);
    curve.faint = larger >= NAMED;
    tribo_plot_add(&plot, curve);
  }
  if (plot.count == 0) return;
  if (c->quantity[TRIBO_QUANTITY_Q].exceeded) mark_first(&plot, &c->quantity[TRIBO_QUANTITY_Q]);
  tribo_plot_write(&plot, out);
}

// Where a quantity's coordinate lies in the arrays of a file.
typedef struct Place {
  const double *a, *b;
  int width;
  const char *what, *names, *units;
  int index;
} Place;

// A rotation has no position coordinate that differs as it does: its velocity stands for it.
static bool find_place(const TriboTrajectory* a, const TriboTrajectory* b, TriboQuantity quantity,
                       int index, Place* place) {
  if (index < 0) return false;
  const int q = quantity == TRIBO_QUANTITY_Q ? tribo_position_of(a, index) : -1;
  if (q >= 0)
    *place = (Place){a->q, b->q, a->nq, "Position", "q", "q_units", q};
  else if (quantity == TRIBO_QUANTITY_Q || quantity == TRIBO_QUANTITY_V)
    *place = (Place){a->v, b->v, a->nv, "Velocity", "v", "v_units", index};
  else if (quantity == TRIBO_QUANTITY_CONTROL)
    *place = (Place){a->control, b->control, a->nu, "Control", "controls", "control_units", index};
  else
    return false;
  return true;
}

static void write_overlay(const TriboTrajectory* a, const TriboTrajectory* b, const json_t* meta,
                          const TriboComparison* c, TriboQuantity quantity, FILE* out) {
  const TriboDifference* d = &c->quantity[quantity];
  Place p;
  const int index = d->exceeded ? d->first_index : d->worst_index;
  if (!d->compared || d->worst == 0 || !find_place(a, b, quantity, index, &p)) return;
  const json_t* list = json_object_get(meta, p.names);
  const char* name = json_string_value(json_array_get(list, (size_t)p.index));
  list = json_object_get(meta, p.units);
  const char* unit = json_string_value(json_array_get(list, (size_t)p.index));
  char title[200];
  snprintf(title, sizeof title, "%s of %.150s", p.what, name != NULL ? name : "?");
  TriboPlot plot = {.title = title, .unit = unit != NULL ? unit : "SI"};
  mark_first(&plot, d);
  tribo_plot_add(&plot, (TriboCurve){.name = "A",
                                     .count = a->rows,
                                     .x = a->time,
                                     .y = p.a + p.index,
                                     .x_stride = 1,
                                     .y_stride = p.width});
  tribo_plot_add(&plot, (TriboCurve){.name = "B",
                                     .count = b->rows,
                                     .x = b->time,
                                     .y = p.b + p.index,
                                     .x_stride = 1,
                                     .y_stride = p.width,
                                     .dashed = true});
  tribo_plot_write(&plot, out);
}

static void write_events(const TriboTrajectory* a, const TriboTrajectory* b,
                         const TriboComparison* c, FILE* out) {
  fprintf(out,
          "<h2>Contact events</h2>\n<p><span id=\"events_a\">%lld</span> and <span "
          "id=\"events_b\">%lld</span>; <span id=\"edits\">%lld</span> are in one run only.</p>\n",
          (long long)a->events, (long long)b->events, (long long)c->edits);
  if (c->edits == 0) return;
  fputs("<table><tr><th>only in</th><th>time, s</th><th>event</th></tr>\n", out);
  for (int64_t i = 0; i < c->edits && i < TRIBO_COMPARE_EDITS; ++i) {
    const TriboTrajectory* t = c->edit[i].in_a ? a : b;
    char text[160];
    tribo_event_label(t, c->edit[i].index, text);
    fprintf(out, "<tr><td>%s</td><td class=\"n\">%.9g</td><td>", c->edit[i].in_a ? "A" : "B",
            t->event_time[c->edit[i].index]);
    tribo_html_text(text, out);
    fputs("</td></tr>\n", out);
  }
  fputs("</table>\n", out);
}

static const char* text_at(const json_t* object, const char* key) {
  const char* text = json_string_value(json_object_get(object, key));
  return text != NULL ? text : "?";
}

static void write_cell(const char* text, FILE* out) {
  fputs("<td>", out);
  tribo_html_text(text, out);
  fputs("</td>", out);
}

// What the two are, and which step options differ.
static void write_runs(const TriboTrajectory* const t[2], const char* const name[2],
                       json_t* const meta[2], FILE* out) {
  fputs(
      "<table id=\"runs\"><tr><th></th><th>file</th><th>model</th><th>hash</th><th>controller</th>"
      "<th>rows</th><th>from, s</th><th>to, s</th><th>Tribo</th></tr>\n",
      out);
  for (int i = 0; i < 2; ++i) {
    fprintf(out, "<tr><td>%c</td>", 'A' + i);
    write_cell(name[i], out);
    write_cell(text_at(meta[i], "source"), out);
    write_cell(text_at(meta[i], "model_hash"), out);
    write_cell(text_at(meta[i], "controller"), out);
    fprintf(out, "<td class=\"n\">%lld</td><td class=\"n\">%.9g</td><td class=\"n\">%.9g</td>",
            (long long)t[i]->rows, t[i]->time[0], t[i]->time[t[i]->rows - 1]);
    write_cell(text_at(meta[i], "tribo"), out);
    fputs("</tr>\n", out);
  }
  fputs("</table>\n<p class=\"small\">Step options: <span id=\"option_differences\">", out);
  const json_t* options[2] = {json_object_get(meta[0], "step_options"),
                              json_object_get(meta[1], "step_options")};
  const char* key;
  json_t* value;
  int differences = 0;
  json_object_foreach((json_t*)options[0], key, value) {
    if (json_equal(value, json_object_get(options[1], key))) continue;
    fprintf(out, "%s%s ", differences++ > 0 ? ", " : "", key);
    tribo_html_text(text_at(options[0], key), out);
    fputs(" in A and ", out);
    tribo_html_text(text_at(options[1], key), out);
    fputs(" in B", out);
  }
  fprintf(out, "%s</span>.</p>\n", differences == 0 ? "the same in both" : "");
}

static void write_verdict(const TriboTrajectory* a, const TriboComparison* c, FILE* out) {
  const int first = tribo_comparison_first(c);
  fprintf(out, "<p id=\"verdict\" class=\"%s\">%s</p>\n", c->same ? "same" : "different",
          c->same ? "the same within tolerances" : "different");
  if (first >= 0) {
    const TriboDifference* d = &c->quantity[first];
    char where[160];
    tribo_difference_label(a, (TriboQuantity)first, d->first_index, d->first_index2, where);
    fprintf(out,
            "<p>First beyond tolerance: <b id=\"first_quantity\">%s</b> of <b id=\"first_where\">",
            tribo_quantity_name((TriboQuantity)first));
    tribo_html_text(where, out);
    fprintf(out,
            "</b> at <b id=\"first_time\">%.9g</b> s, by <b id=\"first_error\">%.9g</b>.</p>\n",
            d->first_time, d->first_error);
  } else if (!c->same) {
    fputs("<p>", out);
    tribo_html_text(c->reason, out);
    fputs(".</p>\n", out);
  }
  fprintf(out, "<p><span id=\"rows\">%lld</span> pairs of rows were compared.</p>\n",
          (long long)c->rows);
}

static void write_page(const TriboTrajectory* const t[2], const char* const name[2],
                       const TriboCompareOptions* options, const TriboComparison* c, FILE* out) {
  json_t* meta[2] = {json_loads(t[0]->meta, 0, NULL), json_loads(t[1]->meta, 0, NULL)};
  const Middles middles = middles_of(c);
  tribo_html_begin("Comparison of two trajectories", out);
  write_runs(t, name, meta, out);
  write_verdict(t[0], c, out);
  write_quantities(t[0], options, c, out);
  write_errors(options, c, &middles, out);
  write_coordinate_errors(t[0], c, &middles, out);
  static const TriboQuantity overlaid[] = {TRIBO_QUANTITY_Q, TRIBO_QUANTITY_V,
                                           TRIBO_QUANTITY_CONTROL};
  for (int i = 0; i < 3; ++i) write_overlay(t[0], t[1], meta[0], c, overlaid[i], out);
  write_events(t[0], t[1], c, out);
  tribo_html_end(out);
  json_decref(meta[0]), json_decref(meta[1]);
}

TriboStatus tribo_report_write_comparison(const TriboTrajectory* a, const char* name_a,
                                          const TriboTrajectory* b, const char* name_b,
                                          const TriboCompareOptions* options,
                                          const TriboComparison* comparison, const char* path,
                                          TriboMessage* message) {
  tribo_message_clear(message);
  FILE* out = fopen(path, "w");
  if (out == NULL)
    return tribo_message_set(message, TRIBO_ERROR_FILE, "%.400s cannot be written", path);
  const TriboTrajectory* const t[2] = {a, b};
  const char* const name[2] = {name_a, name_b};
  write_page(t, name, options, comparison, out);
  bool fine = !ferror(out);
  if (fclose(out) == 0 && fine) return TRIBO_OK;
  return tribo_message_set(message, TRIBO_ERROR_FILE, "%.400s: writing failed; is the disk full?",
                           path);
}
