// SPDX-License-Identifier: Apache-2.0
//
// Forces and modes by pair of shapes: of the pairs that pressed most, at the width of the page.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/trajectory/report_parts.h"
#include "tools/trajectory/svg.h"

enum { SHOWN = 16, NAMED = 6 };

// Two shapes that touched. A bin is a few rows that one place in the plot stands for.
typedef struct Pair {
  int32_t shapes[2];
  bool used;
  double sum;       // of normal forces over all rows, N
  double* extreme;  // least and largest force of each bin                          (2 bins)
  int8_t* mode;     // the liveliest mode of its contacts; 0: no force              (bins)
} Pair;

// Pairs by their shapes, with open addressing.
typedef struct Table {
  size_t capacity, count;  // a power of two; pairs in it
  Pair* slot;
} Table;

static Pair* find_slot(Table* table, const int32_t shapes[2]) {
  const uint32_t mixed = (uint32_t)shapes[0] * 0x9e3779b1u + (uint32_t)shapes[1] * 0x85ebca6bu;
  size_t at = (mixed >> 7) & (table->capacity - 1);
  while (table->slot[at].used && memcmp(table->slot[at].shapes, shapes, 2 * sizeof *shapes) != 0)
    at = (at + 1) & (table->capacity - 1);
  return &table->slot[at];
}

static bool grow(Table* table) {
  Table larger = {.capacity = table->capacity == 0 ? 64 : 2 * table->capacity};
  larger.slot = calloc(larger.capacity, sizeof *larger.slot);
  if (larger.slot == NULL) return false;
  for (size_t i = 0; i < table->capacity; ++i) {
    if (table->slot[i].used) *find_slot(&larger, table->slot[i].shapes) = table->slot[i];
  }
  larger.count = table->count;
  free(table->slot);
  *table = larger;
  return true;
}

static double normal_force(const TriboTrajectory* t, int64_t c) {
  const double *f = t->contact_force + 3 * c, *n = t->contact_normal + 3 * c;
  return f[0] * n[0] + f[1] * n[1] + f[2] * n[2];
}

static bool gather_pairs(const TriboTrajectory* t, Table* table) {
  for (int64_t c = 0; c < t->contacts; ++c) {
    if (2 * table->count >= table->capacity && !grow(table)) return false;
    Pair* pair = find_slot(table, t->contact_shapes + 2 * c);
    if (!pair->used) {
      memcpy(pair->shapes, t->contact_shapes + 2 * c, sizeof pair->shapes);
      pair->used = true;
      ++table->count;
    }
    pair->sum += normal_force(t, c);
  }
  return true;
}

static int compare_shapes(const void* a, const void* b) {
  const Pair *x = *(Pair*const*)a, *y = *(Pair*const*)b;
  if (x->shapes[0] != y->shapes[0]) return x->shapes[0] < y->shapes[0] ? -1 : 1;
  return x->shapes[1] < y->shapes[1] ? -1 : x->shapes[1] > y->shapes[1];
}

static int compare_sums(const void* a, const void* b) {
  const Pair *x = *(Pair*const*)a, *y = *(Pair*const*)b;
  if (x->sum != y->sum) return x->sum > y->sum ? -1 : 1;
  return compare_shapes(a, b);
}

// The pairs that pressed most, in the order of their shapes; returns how many, -1: memory is out.
static int choose_pairs(Table* table, Pair* chosen[SHOWN]) {
  Pair** all = malloc((table->count + 1) * sizeof(Pair*));
  if (all == NULL) return -1;
  size_t count = 0;
  for (size_t i = 0; i < table->capacity; ++i) {
    if (table->slot[i].used) all[count++] = &table->slot[i];
  }
  qsort(all, count, sizeof(Pair*), compare_sums);
  const int shown = count < SHOWN ? (int)count : SHOWN;
  memcpy(chosen, all, (size_t)shown * sizeof(Pair*));
  free(all);
  qsort(chosen, (size_t)shown, sizeof(Pair*), compare_shapes);
  return shown;
}

// Rows, each of which lies in one bin.
typedef struct Bins {
  int64_t count, rows;  // rows of a bin
  double* x;            // time of each, twice                                       (2 count)
} Bins;

static bool make_bins(const TriboTrajectory* t, Bins* bins, Pair* const* chosen, int count) {
  bins->rows = t->rows / TRIBO_PLOT_PIXELS + 1;
  bins->count = (t->rows + bins->rows - 1) / bins->rows;
  bins->x = calloc((size_t)(2 * bins->count), sizeof(double));
  bool fine = bins->x != NULL;
  for (int64_t i = 0; fine && i < 2 * bins->count; ++i) bins->x[i] = t->time[i / 2 * bins->rows];
  for (int p = 0; p < count; ++p) {
    chosen[p]->extreme = calloc((size_t)(2 * bins->count), sizeof(double));
    chosen[p]->mode = calloc((size_t)bins->count, 1);
    fine = fine && chosen[p]->extreme != NULL && chosen[p]->mode != NULL;
  }
  return fine;
}

// Enters one row's resultant of a pair.
static void enter(Pair* pair, const Bins* bins, int64_t row, double force, int8_t mode) {
  const int64_t bin = row / bins->rows;
  double* extreme = pair->extreme + 2 * bin;
  const bool first = row % bins->rows == 0;
  extreme[0] = first ? force : fmin(extreme[0], force);
  extreme[1] = first ? force : fmax(extreme[1], force);
  if (mode > pair->mode[bin]) pair->mode[bin] = mode;
}

static void fill_bins(const TriboTrajectory* t, const Bins* bins, Pair* const* chosen, int count) {
  int64_t c = 0;
  for (int64_t row = 0; row < t->rows; ++row) {
    double force[SHOWN] = {0};
    int8_t mode[SHOWN] = {0};
    for (; c < t->contact_end[row]; ++c) {
      for (int p = 0; p < count; ++p) {
        if (memcmp(chosen[p]->shapes, t->contact_shapes + 2 * c, sizeof chosen[p]->shapes) != 0)
          continue;
        force[p] += normal_force(t, c);
        if (t->contact_mode[c] > mode[p]) mode[p] = t->contact_mode[c];
      }
    }
    for (int p = 0; p < count; ++p) enter(chosen[p], bins, row, force[p], mode[p]);
  }
}

static const char* shape_name(const json_t* meta, int32_t shape) {
  const json_t* shapes = json_object_get(meta, "shapes");
  const char* name = shape >= 0 ? json_string_value(json_array_get(shapes, (size_t)shape)) : NULL;
  return name != NULL ? name : "?";
}

// Bars of one mode each, as long as it lasts.
static void draw_modes(const TriboTrajectory* t, const Bins* bins, const TriboTimeline* line,
                       int index, const Pair* pair) {
  for (int64_t from = 0, to; from < bins->count; from = to) {
    to = from;
    while (to < bins->count && pair->mode[to] == pair->mode[from]) ++to;
    if (pair->mode[from] == TRIBO_MODE_SEPARATE) continue;
    // A row tells what held in the step that led to it.
    const int64_t first = from * bins->rows, end = to * bins->rows;
    const double start = t->time[first > 0 ? first - 1 : 0];
    const bool slides = pair->mode[from] == TRIBO_MODE_SLIDE;
    tribo_timeline_bar(line, index, start, t->time[(end < t->rows ? end : t->rows) - 1],
                       slides ? 1 : 2, slides);
  }
}

static void draw(const TriboTrajectory* t, const json_t* meta, const Bins* bins,
                 Pair* const* chosen, int count, int left_out, FILE* out) {
  char name[SHOWN][128];
  TriboPlot plot = {.title = "Normal forces by pair of shapes", .unit = "N", .clipped = true};
  for (int p = 0; p < count; ++p) {
    int before = 0;
    for (int k = 0; k < count; ++k) before += compare_sums(&chosen[k], &chosen[p]) < 0;
    snprintf(name[p], sizeof name[p], "%.60s / %.60s", shape_name(meta, chosen[p]->shapes[0]),
             shape_name(meta, chosen[p]->shapes[1]));
    tribo_plot_add(&plot, (TriboCurve){.name = name[p],
                                       .count = 2 * bins->count,
                                       .x = bins->x,
                                       .y = chosen[p]->extreme,
                                       .x_stride = 1,
                                       .y_stride = 1,
                                       .faint = before >= NAMED});
  }
  plot.left_out = left_out;
  tribo_plot_write(&plot, out);
  char title[160];
  snprintf(title, sizeof title, "Modes%s", left_out > 0 ? " of the pairs that press most" : "");
  TriboTimeline line;
  tribo_timeline_begin(&line, title, t->time[0], t->time[t->rows - 1], count, out);
  for (int p = 0; p < count; ++p) {
    tribo_timeline_name(&line, p, name[p]);
    draw_modes(t, bins, &line, p, chosen[p]);
  }
  tribo_timeline_end(&line);
  fprintf(
      out,
      "<div class=\"legend\" id=\"modes\"><span><b style=\"color:%s\">&#9608;</b> sticks</span> "
      "<span><b style=\"color:%s\">&#9604;</b> slides</span> <span>empty: no force</span>",
      tribo_color(2), tribo_color(1));
  if (left_out > 0) fprintf(out, " <span>%d more pairs, not drawn</span>", left_out);
  fputs("</div>\n", out);
}

bool tribo_report_contacts(const TriboTrajectory* t, const json_t* meta, FILE* out) {
  Table table = {0};
  Pair* chosen[SHOWN] = {NULL};
  Bins bins = {0};
  bool fine = gather_pairs(t, &table);
  int count = fine ? choose_pairs(&table, chosen) : -1;
  fine = count >= 0 && (count == 0 || make_bins(t, &bins, chosen, count));
  if (fine && count > 0) {
    fputs("<h2>Contacts</h2>\n", out);
    fill_bins(t, &bins, chosen, count);
    draw(t, meta, &bins, chosen, count, (int)table.count - count, out);
  }
  for (int p = 0; p < count; ++p) free(chosen[p]->extreme), free(chosen[p]->mode);
  free(bins.x), free(table.slot);
  return fine;
}
