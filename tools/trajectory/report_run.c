// SPDX-License-Identifier: Apache-2.0
//
// The report of one run.
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/message.h"
#include "tools/trajectory/report.h"
#include "tools/trajectory/svg.h"

enum { PAIRS = 12 };  // that are drawn one by one

// Two shapes that touched, and what they did.
typedef struct Pair {
  int32_t shapes[2];
  double peak;    // largest force, N
  double* force;  // per row                                                           (rows)
  int8_t* mode;   // the liveliest mode of its contacts; 0: no force                   (rows)
} Pair;

static const char* shape_name(const json_t* meta, int32_t shape) {
  const json_t* shapes = json_object_get(meta, "shapes");
  const char* name = shape >= 0 ? json_string_value(json_array_get(shapes, (size_t)shape)) : NULL;
  return name != NULL ? name : "?";
}

static void write_number(FILE* out, const char* id, const char* what, double value,
                         const char* unit) {
  fprintf(out, "<tr><td>%s</td><td class=\"n\" id=\"%s\">%.9g</td><td>%s</td></tr>\n", what, id,
          value, unit);
}

static void write_summary(const TriboTrajectory* t, const json_t* meta, FILE* out) {
  double worst = 0, deepest = 0, slip = 0;
  int most = 0;
  for (int64_t i = 0; i < t->rows; ++i) {
    worst = fmax(worst, t->certificate[TRIBO_TRAJECTORY_CERTIFICATE * i + 8]);
    deepest = fmin(deepest, t->deepest[i]);
    if (t->solver[TRIBO_TRAJECTORY_SOLVER * i + 1] > most)
      most = t->solver[TRIBO_TRAJECTORY_SOLVER * i + 1];
  }
  for (int64_t i = 0; i < t->contacts; ++i) {
    if (t->contact_mode[i] == TRIBO_MODE_STICK) slip = fmax(slip, t->contact_slip[i]);
  }
  fputs("<table id=\"summary\">\n", out);
  write_number(out, "rows", "rows recorded", (double)t->rows, "");
  write_number(out, "duration", "duration", t->time[t->rows - 1] - t->time[0], "s");
  write_number(out, "most_contacts_with_force", "most contacts with force", most, "");
  write_number(out, "events", "contact events", (double)t->events, "");
  write_number(out, "worst_certificate", "worst certificate", worst, "relative");
  write_number(out, "deepest", "deepest penetration", -deepest, "m");
  write_number(out, "stick_slip", "slip of sticking contacts", slip, "m/s");
  if (t->energy != NULL) {
    write_number(out, "energy_start", "energy at the start", t->energy[0], "J");
    write_number(out, "energy_end", "energy at the end", t->energy[t->rows - 1], "J");
  }
  fputs("</table>\n<p>Tribo ", out);
  const char* const keys[] = {"tribo", "model_hash", "controller"};
  const char* const words[] = {"", ", model ", ", controller "};
  for (int i = 0; i < 3; ++i) {
    const char* text = json_string_value(json_object_get(meta, keys[i]));
    fputs(words[i], out);
    tribo_html_text(text != NULL ? text : "?", out);
  }
  const char* key;
  json_t* value;
  const char* comma = "; ";
  json_object_foreach(json_object_get(meta, "step_options"), key, value) {
    const char* text = json_string_value(value);
    fprintf(out, "%s%s ", comma, key);
    tribo_html_text(text != NULL ? text : "?", out);
    comma = ", ";
  }
  fputs(".</p>\n", out);
}

// One plot for all coordinates of one unit.
static void plot_coordinates(const TriboTrajectory* t, const json_t* meta, const char* names,
                             const char* units, const char* unit, const char* title,
                             const double* values, int width, FILE* out) {
  TriboPlot plot = {.title = title, .unit = unit[0] == '1' ? "quaternions w x y z" : unit};
  for (int i = 0; i < width; ++i) {
    const char* own = json_string_value(json_array_get(json_object_get(meta, units), (size_t)i));
    const char* name = json_string_value(json_array_get(json_object_get(meta, names), (size_t)i));
    if (own == NULL || name == NULL || strcmp(own, unit) != 0) continue;
    tribo_plot_add(&plot, (TriboCurve){name, t->rows, t->time, values + i, 1, width, false});
  }
  if (plot.count > 0) tribo_plot_write(&plot, out);
}

static void plot_controls(const TriboTrajectory* t, const json_t* meta, FILE* out) {
  TriboPlot plot = {.title = "Controls", .unit = "each actuator's own unit"};
  for (int i = 0; i < t->nu; ++i) {
    const char* name =
        json_string_value(json_array_get(json_object_get(meta, "controls"), (size_t)i));
    tribo_plot_add(&plot, (TriboCurve){name != NULL ? name : "?", t->rows, t->time, t->control + i,
                                       1, t->nu, false});
  }
  if (plot.count > 0) tribo_plot_write(&plot, out);
}

static int find_pair(const Pair* pairs, int count, const int32_t* shapes) {
  for (int i = 0; i < count; ++i) {
    if (memcmp(pairs[i].shapes, shapes, sizeof pairs[i].shapes) == 0) return i;
  }
  return -1;
}

// The first PAIRS pairs of shapes that touch, with their resultants; returns how many.
static int gather_pairs(const TriboTrajectory* t, Pair pairs[PAIRS], bool* more) {
  int count = 0;
  int64_t c = 0;
  for (int64_t row = 0; row < t->rows; ++row) {
    for (; c < t->contact_end[row]; ++c) {
      int at = find_pair(pairs, count, t->contact_shapes + 2 * c);
      if (at < 0 && count == PAIRS) *more = true;
      if (at < 0 && count < PAIRS) {
        Pair* p = &pairs[count];
        memcpy(p->shapes, t->contact_shapes + 2 * c, sizeof p->shapes);
        p->force = calloc((size_t)t->rows, sizeof *p->force);
        p->mode = calloc((size_t)t->rows, sizeof *p->mode);
        at = count++;
        if (p->force == NULL || p->mode == NULL) return count;
      }
      if (at < 0) continue;
      const double *f = t->contact_force + 3 * c, *n = t->contact_normal + 3 * c;
      pairs[at].force[row] += f[0] * n[0] + f[1] * n[1] + f[2] * n[2];
      if (t->contact_mode[c] > pairs[at].mode[row]) pairs[at].mode[row] = t->contact_mode[c];
    }
  }
  return count;
}

// Bars of one mode each, as long as it lasts.
static void draw_modes(const TriboTrajectory* t, const TriboTimeline* line, int index,
                       const Pair* pair) {
  for (int64_t from = 0; from < t->rows;) {
    int64_t to = from;
    while (to < t->rows && pair->mode[to] == pair->mode[from]) ++to;
    // A row tells what held in the step that led to it.
    double start = t->time[from > 0 ? from - 1 : 0], end = t->time[to - 1];
    if (pair->mode[from] != 0)
      tribo_timeline_bar(line, index, start, end, pair->mode[from] == TRIBO_MODE_STICK ? 2 : 1);
    from = to;
  }
}

static bool write_contacts(const TriboTrajectory* t, const json_t* meta, FILE* out) {
  Pair pairs[PAIRS] = {0};
  bool more = false, fine = true;
  int count = gather_pairs(t, pairs, &more);
  for (int i = 0; i < count; ++i) fine = fine && pairs[i].force != NULL && pairs[i].mode != NULL;
  if (fine && count > 0) {
    char name[PAIRS][128];
    TriboPlot plot = {.title = "Normal forces by pair of shapes", .unit = "N", .left_out = more};
    fputs("<h2>Contacts</h2>\n", out);
    for (int i = 0; i < count; ++i) {
      snprintf(name[i], sizeof name[i], "%.60s / %.60s", shape_name(meta, pairs[i].shapes[0]),
               shape_name(meta, pairs[i].shapes[1]));
      tribo_plot_add(&plot, (TriboCurve){name[i], t->rows, t->time, pairs[i].force, 1, 1, false});
    }
    tribo_plot_write(&plot, out);
    TriboTimeline line;
    tribo_timeline_begin(&line, "Modes: green sticks, red slides", t->time[0], t->time[t->rows - 1],
                         count, out);
    for (int i = 0; i < count; ++i) {
      tribo_timeline_name(&line, i, name[i]);
      draw_modes(t, &line, i, &pairs[i]);
    }
    tribo_timeline_end(&line);
  }
  for (int i = 0; i < count; ++i) free(pairs[i].force), free(pairs[i].mode);
  return fine;
}

static bool write_page(const TriboTrajectory* t, const char* title, const json_t* meta, FILE* out) {
  tribo_html_begin(title, out);
  write_summary(t, meta, out);
  fputs("<h2>Coordinates</h2>\n", out);
  plot_coordinates(t, meta, "q", "q_units", "m", "Positions", t->q, t->nq, out);
  plot_coordinates(t, meta, "q", "q_units", "rad", "Angles", t->q, t->nq, out);
  plot_coordinates(t, meta, "q", "q_units", "1", "Orientations", t->q, t->nq, out);
  plot_coordinates(t, meta, "v", "v_units", "m/s", "Velocities", t->v, t->nv, out);
  plot_coordinates(t, meta, "v", "v_units", "rad/s", "Angular velocities", t->v, t->nv, out);
  plot_controls(t, meta, out);
  bool fine = write_contacts(t, meta, out);
  fputs("<h2>How exact</h2>\n", out);
  TriboPlot certificate = {
      .title = "Certificate, worst condition", .unit = "relative", .logarithmic = true};
  tribo_plot_add(&certificate, (TriboCurve){"worst", t->rows, t->time, t->certificate + 8, 1,
                                            TRIBO_TRAJECTORY_CERTIFICATE, false});
  tribo_plot_write(&certificate, out);
  TriboPlot energy = {.title = "Energy, kinetic and potential", .unit = "J"};
  if (t->energy != NULL) {
    tribo_plot_add(&energy, (TriboCurve){"energy", t->rows, t->time, t->energy, 1, 1, false});
    tribo_plot_write(&energy, out);
  }
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
