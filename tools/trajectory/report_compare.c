// SPDX-License-Identifier: Apache-2.0
//
// The report of a comparison.
#include <math.h>

#include "engine/base/message.h"
#include "tools/trajectory/report.h"
#include "tools/trajectory/svg.h"

static void write_quantities(const TriboTrajectory* a, const TriboCompareOptions* options,
                             const TriboComparison* c, FILE* out) {
  fputs(
      "<table id=\"quantities\"><tr><th>quantity</th><th>largest difference</th><th>allowed</th>"
      "<th>where</th><th>when, s</th><th>verdict</th></tr>\n",
      out);
  for (int i = 0; i < TRIBO_QUANTITY_COUNT; ++i) {
    const TriboDifference* d = &c->quantity[i];
    const char* name = tribo_quantity_name((TriboQuantity)i);
    if (!d->compared) continue;
    char where[160] = "";
    if (d->worst > 0)
      tribo_difference_label(a, (TriboQuantity)i, d->worst_index, d->worst_index2, where);
    fprintf(out, "<tr><td>%s</td><td class=\"n\" id=\"worst_%s\">%.9g</td><td>%g", name, name,
            d->worst, options->tolerance[i].absolute);
    if (options->tolerance[i].relative > 0)
      fprintf(out, " + %g relative", options->tolerance[i].relative);
    fputs("</td><td>", out);
    tribo_html_text(where, out);
    fprintf(out, "</td><td class=\"n\">%.9g</td><td class=\"%s\">%s</td></tr>\n", d->worst_time,
            d->exceeded ? "different" : "same", d->exceeded ? "beyond" : "within");
  }
  fputs("</table>\n", out);
}

// The quantity that is beyond its tolerance first, or -1.
static int first_beyond(const TriboComparison* c) {
  int first = -1;
  for (int i = 0; i < TRIBO_QUANTITY_COUNT; ++i) {
    if (!c->quantity[i].exceeded) continue;
    if (first < 0 || c->quantity[i].first_time < c->quantity[first].first_time) first = i;
  }
  return first;
}

static void write_errors(const TriboComparison* c, int first, FILE* out) {
  double middle[TRIBO_COMPARE_BINS];
  for (int i = 0; i < TRIBO_COMPARE_BINS; ++i)
    middle[i] = c->start + (c->end - c->start) * (i + 0.5) / TRIBO_COMPARE_BINS;
  TriboPlot plot = {.title = "Differences", .unit = "SI units of each", .logarithmic = true};
  for (int i = 0; i < TRIBO_QUANTITY_TIME; ++i) {
    if (c->quantity[i].compared && c->quantity[i].worst > 0)
      tribo_plot_add(&plot, (TriboCurve){tribo_quantity_name((TriboQuantity)i), TRIBO_COMPARE_BINS,
                                         middle, c->quantity[i].bin, 1, 1, false});
  }
  if (plot.count == 0) return;
  if (first >= 0) {
    plot.marked = true;
    plot.mark = c->quantity[first].first_time;
    plot.mark_text = "first beyond tolerance";
  }
  tribo_plot_write(&plot, out);
}

// The curve that parts, of both runs: a position, or the velocity of a rotation.
static void write_overlay(const TriboTrajectory* a, const TriboTrajectory* b, const char* name_a,
                          const char* name_b, const TriboComparison* c, FILE* out) {
  int quantity = c->quantity[TRIBO_QUANTITY_Q].worst > 0 ? TRIBO_QUANTITY_Q : TRIBO_QUANTITY_V;
  const TriboDifference* d = &c->quantity[quantity];
  if (!d->compared || d->worst == 0) return;
  int v = d->exceeded ? d->first_index : d->worst_index;
  int q = quantity == TRIBO_QUANTITY_Q ? tribo_position_of(a, v) : -1;
  char label[160], title[200];
  tribo_difference_label(a, q >= 0 ? TRIBO_QUANTITY_Q : TRIBO_QUANTITY_V, v, -1, label);
  snprintf(title, sizeof title, "%s of %s", q >= 0 ? "Position" : "Velocity", label);
  TriboPlot plot = {.title = title, .unit = "SI", .marked = true};
  plot.mark = d->exceeded ? d->first_time : d->worst_time;
  plot.mark_text = d->exceeded ? "first beyond tolerance" : "largest difference";
  const double* ya = q >= 0 ? a->q + q : a->v + v;
  const double* yb = q >= 0 ? b->q + q : b->v + v;
  int width = q >= 0 ? a->nq : a->nv;
  tribo_plot_add(&plot, (TriboCurve){name_a, a->rows, a->time, ya, 1, width, false});
  tribo_plot_add(&plot, (TriboCurve){name_b, b->rows, b->time, yb, 1, width, true});
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

static void write_page(const TriboTrajectory* a, const char* name_a, const TriboTrajectory* b,
                       const char* name_b, const TriboCompareOptions* options,
                       const TriboComparison* c, FILE* out) {
  int first = first_beyond(c);
  tribo_html_begin("Tribo: comparison of two trajectories", out);
  fputs("<p>A: ", out);
  tribo_html_text(name_a, out);
  fputs("<br>B: ", out);
  tribo_html_text(name_b, out);
  fprintf(out, "</p>\n<p id=\"verdict\" class=\"%s\">%s</p>\n", c->same ? "same" : "different",
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
  write_quantities(a, options, c, out);
  write_errors(c, first, out);
  write_overlay(a, b, name_a, name_b, c, out);
  write_events(a, b, c, out);
  tribo_html_end(out);
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
  write_page(a, name_a, b, name_b, options, comparison, out);
  bool fine = !ferror(out);
  if (fclose(out) == 0 && fine) return TRIBO_OK;
  return tribo_message_set(message, TRIBO_ERROR_FILE, "%.400s: writing failed; is the disk full?",
                           path);
}
