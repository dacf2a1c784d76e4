// SPDX-License-Identifier: Apache-2.0
//
// The report of one run.
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/message.h"
#include "tools/trajectory/report.h"
#include "tools/trajectory/report_parts.h"
#include "tools/trajectory/svg.h"

static void write_number(FILE* out, const char* id, const char* what, double value,
                         const char* unit) {
  fprintf(out, "<tr><td>%s</td><td class=\"n\" id=\"%s\">%.9g</td><td>%s</td></tr>\n", what, id,
          value, unit);
}

// What the rows say of the whole run.
typedef struct Figures {
  double certificate, deepest_start, deepest, slip;
  int found, touching;
  int64_t fallbacks, stopped;
} Figures;

static Figures figures_of(const TriboTrajectory* t, bool every_step) {
  Figures f = {0};
  for (int64_t i = 0; i < t->rows; ++i) {
    const int32_t* solver = t->solver + TRIBO_TRAJECTORY_SOLVER * i;
    f.certificate = fmax(f.certificate, t->certificate[TRIBO_TRAJECTORY_CERTIFICATE * i + 8]);
    // The gaps before the first step are the scene's own.
    if (i == 1 && every_step)
      f.deepest_start = fmin(0, t->deepest[i]);
    else
      f.deepest = fmin(f.deepest, t->deepest[i]);
    if (solver[0] > f.found) f.found = solver[0];
    if (solver[1] > f.touching) f.touching = solver[1];
    f.fallbacks += solver[6] > TRIBO_RUNG_COLD;
    f.stopped += solver[7] != 0;
  }
  for (int64_t i = 0; i < t->contacts; ++i) {
    if (t->contact_mode[i] == TRIBO_MODE_STICK) f.slip = fmax(f.slip, t->contact_slip[i]);
  }
  return f;
}

static void write_summary(const TriboTrajectory* t, const json_t* meta, FILE* out) {
  const bool every_step = json_integer_value(json_object_get(meta, "every")) == 1;
  const Figures f = figures_of(t, every_step);
  fputs("<table id=\"summary\">\n", out);
  write_number(out, "rows", "rows recorded", (double)t->rows, "");
  write_number(out, "duration", "duration", t->time[t->rows - 1] - t->time[0], "s");
  write_number(out, "most_contacts_found", "most contacts found near", f.found, "");
  write_number(out, "most_contacts_with_force", "most contacts with force", f.touching, "");
  write_number(out, "events", "contact events", (double)t->events, "");
  write_number(out, "worst_certificate", "worst certificate", f.certificate, "relative");
  if (every_step)
    write_number(out, "penetration_at_start", "penetration in the scene at the start",
                 fabs(f.deepest_start), "m");
  write_number(out, "deepest", "deepest penetration after a step", fabs(f.deepest), "m");
  write_number(out, "stick_slip", "fastest slip of a contact that sticks", f.slip, "m/s");
  if (t->energy != NULL) {
    write_number(out, "energy_start", "energy at the start", t->energy[0], "J");
    write_number(out, "energy_end", "energy at the end", t->energy[t->rows - 1], "J");
  }
  write_number(out, "fallbacks", "rows that needed more than a warm or cold solve",
               (double)f.fallbacks, "");
  write_number(out, "stopped", "rows stopped by the budget", (double)f.stopped, "");
  fputs("</table>\n", out);
}

static const char* text_at(const json_t* object, const char* key) {
  const char* text = json_string_value(json_object_get(object, key));
  return text != NULL ? text : "?";
}

// Who made the file, from which model, with which options.
static void write_origin(const json_t* meta, FILE* out) {
  fputs("<p class=\"small\">Tribo <span id=\"tribo\">", out);
  tribo_html_text(text_at(meta, "tribo"), out);
  fputs("</span>, model hash <span id=\"model_hash\">", out);
  tribo_html_text(text_at(meta, "model_hash"), out);
  fputs("</span>, controller <span id=\"controller\">", out);
  tribo_html_text(text_at(meta, "controller"), out);
  fputs("</span>", out);
  size_t i;
  json_t* setting;
  json_array_foreach(json_object_get(json_object_get(meta, "settings"), "set"), i, setting) {
    fputs(i == 0 ? ", set to " : " ", out);
    tribo_html_text(json_is_string(setting) ? json_string_value(setting) : "?", out);
  }
  fputs(".<br>Step options: <span id=\"step_options\">", out);
  const char* key;
  json_t* value;
  const char* comma = "";
  json_object_foreach(json_object_get(meta, "step_options"), key, value) {
    fprintf(out, "%s%s ", comma, key);
    tribo_html_text(json_is_string(value) ? json_string_value(value) : "?", out);
    comma = ", ";
  }
  fputs("</span>.</p>\n", out);
}

static void write_exactness(const TriboTrajectory* t, const json_t* meta, FILE* out) {
  fputs("<h2>How exact</h2>\n", out);
  TriboPlot certificate = {
      .title = "Certificate, worst condition", .unit = "relative", .logarithmic = true};
  tribo_plot_add(&certificate, (TriboCurve){.name = "worst",
                                            .count = t->rows,
                                            .x = t->time,
                                            .y = t->certificate + 8,
                                            .x_stride = 1,
                                            .y_stride = TRIBO_TRAJECTORY_CERTIFICATE});
  const char* tolerance =
      json_string_value(json_object_get(json_object_get(meta, "step_options"), "tolerance"));
  if (tolerance != NULL && strtod(tolerance, NULL) > 0) {
    certificate.levels = 1;
    certificate.level[0] = strtod(tolerance, NULL);
    certificate.level_text = "dotted: the tolerance";
  }
  tribo_plot_write(&certificate, out);
  TriboPlot energy = {.title = "Energy, kinetic and potential", .unit = "J"};
  if (t->energy == NULL) return;
  tribo_plot_add(&energy, (TriboCurve){.name = "energy",
                                       .count = t->rows,
                                       .x = t->time,
                                       .y = t->energy,
                                       .x_stride = 1,
                                       .y_stride = 1});
  tribo_plot_write(&energy, out);
}

static bool write_page(const TriboTrajectory* t, const char* title, const json_t* meta, FILE* out) {
  char heading[300];
  snprintf(heading, sizeof heading, "Simulation of %.250s", title);
  tribo_html_begin(heading, out);
  write_summary(t, meta, out);
  write_origin(meta, out);
  fputs("<h2>Coordinates</h2>\n", out);
  bool fine = tribo_report_coordinates(t, meta, out) && tribo_report_contacts(t, meta, out);
  write_exactness(t, meta, out);
  tribo_html_end(out);
  return fine;
}

TriboStatus tribo_report_write_run(const TriboTrajectory* trajectory, const char* title,
                                   const char* path, TriboMessage* message) {
  tribo_message_clear(message);
  if (trajectory->rows == 0)
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT, "the trajectory has no rows");
  FILE* out = fopen(path, "w");
  if (out == NULL)
    return tribo_message_set(message, TRIBO_ERROR_FILE, "%.400s cannot be written", path);
  json_t* meta = json_loads(trajectory->meta, 0, NULL);
  bool drawn = write_page(trajectory, title, meta, out);
  json_decref(meta);
  bool fine = !ferror(out);
  fine = fclose(out) == 0 && fine;
  if (!drawn) return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory");
  if (!fine)
    return tribo_message_set(message, TRIBO_ERROR_FILE, "%.400s: writing failed; is the disk full?",
                             path);
  return TRIBO_OK;
}
