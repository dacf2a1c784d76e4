// SPDX-License-Identifier: Apache-2.0
//
// Curves of coordinates, grouped by what they are and by unit. A few to a plot; of very many, those
// that move most have a colour and a name.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/trajectory/report_parts.h"
#include "tools/trajectory/svg.h"

enum { TO_A_PLOT = 6, PLOTS = 4 };

// Numbers per row, with names and units from the header.
typedef struct Numbers {
  const TriboTrajectory* t;
  const json_t *names, *units;
  const double* values;
  int width;
  const bool* alone;  // per number: of a joint with one coordinate
} Numbers;

static const char* text_of(const json_t* list, int i) {
  const char* text = json_string_value(json_array_get(list, (size_t)i));
  return text != NULL ? text : "?";
}

static TriboCurve curve_of(const Numbers* n, int i) {
  return (TriboCurve){.name = text_of(n->names, i),
                      .count = n->t->rows,
                      .x = n->t->time,
                      .y = n->values + i,
                      .x_stride = 1,
                      .y_stride = n->width};
}

static double range_of(const Numbers* n, int i) {
  double low = INFINITY, high = -INFINITY;
  for (int64_t row = 0; row < n->t->rows; ++row) {
    const double y = n->values[row * n->width + i];
    low = fmin(low, y), high = fmax(high, y);
  }
  return high - low;
}

// All in one plot: the liveliest in colour, the others faint.
static void plot_many(const Numbers* n, const int* chosen, int count, TriboPlot* plot, FILE* out) {
  bool named[TRIBO_PLOT_CURVES] = {false};
  double range[TRIBO_PLOT_CURVES];
  const int shown = count < TRIBO_PLOT_CURVES ? count : TRIBO_PLOT_CURVES;
  for (int k = 0; k < shown; ++k) range[k] = range_of(n, chosen[k]);
  for (int i = 0; i < TO_A_PLOT; ++i) {
    int best = -1;
    for (int k = 0; k < shown; ++k) {
      if (!named[k] && (best < 0 || range[k] > range[best])) best = k;
    }
    if (best >= 0) named[best] = true;
  }
  for (int k = 0; k < shown; ++k) {
    TriboCurve curve = curve_of(n, chosen[k]);
    curve.faint = !named[k];
    tribo_plot_add(plot, curve);
  }
  plot->left_out = count - shown;
  tribo_plot_write(plot, out);
}

static void plot_few(const Numbers* n, const int* chosen, int count, const char* title,
                     const char* unit, FILE* out) {
  const int plots = (count + TO_A_PLOT - 1) / TO_A_PLOT;
  for (int p = 0, k = 0; p < plots; ++p) {
    char text[96];
    snprintf(text, sizeof text, plots > 1 ? "%s, part %d of %d" : "%s", title, p + 1, plots);
    TriboPlot plot = {.title = text, .unit = unit};
    // As even as can be: 15 are 5, 5 and 5.
    for (const int end = count * (p + 1) / plots; k < end; ++k)
      tribo_plot_add(&plot, curve_of(n, chosen[k]));
    tribo_plot_write(&plot, out);
  }
}

// Those of one unit, of joints with one coordinate or of all others.
static bool plot_group(const Numbers* n, const char* unit, bool alone, const char* title,
                       FILE* out) {
  int* chosen = calloc((size_t)n->width + 1, sizeof *chosen);
  if (chosen == NULL) return false;
  int count = 0;
  for (int i = 0; i < n->width; ++i) {
    if (n->alone[i] == alone && strcmp(text_of(n->units, i), unit) == 0) chosen[count++] = i;
  }
  const char* shown = strcmp(unit, "1") == 0 ? "no unit" : unit;
  TriboPlot plot = {.title = title, .unit = shown};
  if (count > TO_A_PLOT * PLOTS)
    plot_many(n, chosen, count, &plot, out);
  else
    plot_few(n, chosen, count, title, shown, out);
  free(chosen);
  return true;
}

// Marks the coordinates of hinges and slides.
static void find_alone(const json_t* meta, const char* key, bool* alone, int width) {
  size_t i;
  json_t* joint;
  json_array_foreach(json_object_get(meta, "joints"), i, joint) {
    const char* type = json_string_value(json_object_get(joint, "type"));
    const json_int_t at = json_integer_value(json_object_get(joint, key));
    if (type == NULL || at < 0 || at >= width) continue;
    alone[at] = strcmp(type, "hinge") == 0 || strcmp(type, "slide") == 0;
  }
}

// Controls of recordings without units, which older versions made, have one plot too.
static bool plot_controls(Numbers* n, const json_t* meta, FILE* out) {
  static const char* const units[] = {"N m", "N", "rad", "m", "rad/s", "m/s", "1"};
  n->names = json_object_get(meta, "controls");
  n->units = json_object_get(meta, "control_units");
  n->values = n->t->control;
  n->width = n->t->nu;
  bool fine = true;
  if (n->units == NULL) return plot_group(n, "?", false, "Controls", out);
  for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i)
    fine = fine && plot_group(n, units[i], false, "Controls", out);
  return fine;
}

bool tribo_report_coordinates(const TriboTrajectory* t, const json_t* meta, FILE* out) {
  bool* alone = calloc((size_t)(t->nq + t->nv + t->nu) + 1, sizeof *alone);
  if (alone == NULL) return false;
  Numbers q = {t, json_object_get(meta, "q"), json_object_get(meta, "q_units"), t->q, t->nq, alone};
  find_alone(meta, "q", alone, t->nq);
  bool fine = plot_group(&q, "m", false, "Positions of bodies", out) &&
              plot_group(&q, "rad", false, "Angles of bodies", out) &&
              plot_group(&q, "1", false, "Orientations of bodies, quaternions w x y z", out) &&
              plot_group(&q, "m", true, "Joint positions", out) &&
              plot_group(&q, "rad", true, "Joint angles", out);
  bool* next = alone + t->nq;
  Numbers v = {t, json_object_get(meta, "v"), json_object_get(meta, "v_units"), t->v, t->nv, next};
  find_alone(meta, "v", next, t->nv);
  fine = fine && plot_group(&v, "m/s", false, "Velocities of bodies", out) &&
         plot_group(&v, "rad/s", false, "Angular velocities of bodies", out) &&
         plot_group(&v, "m/s", true, "Joint speeds", out) &&
         plot_group(&v, "rad/s", true, "Joint rates", out);
  Numbers control = {.t = t, .alone = next + t->nv};
  fine = fine && plot_controls(&control, meta, out);
  free(alone);
  return fine;
}
