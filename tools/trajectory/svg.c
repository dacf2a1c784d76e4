// SPDX-License-Identifier: Apache-2.0
#include "tools/trajectory/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 920, HEIGHT = 260, LEFT = 78, RIGHT = 14, TOP = 30, BOTTOM = 36, LINE = 18 };

static const double kPlotWidth = TRIBO_PLOT_PIXELS, kPlotHeight = HEIGHT - TOP - BOTTOM;

const char* tribo_color(int index) {
  static const char* const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9",
                                       "#e69f00", "#000000", "#999933", "#882255"};
  return colors[index % (int)(sizeof colors / sizeof colors[0])];
}

void tribo_html_text(const char* text, FILE* out) {
  for (; *text != '\0'; ++text) {
    switch (*text) {
      case '<':
        fputs("&lt;", out);
        break;
      case '>':
        fputs("&gt;", out);
        break;
      case '&':
        fputs("&amp;", out);
        break;
      case '"':
        fputs("&quot;", out);
        break;
      default:
        fputc(*text, out);
    }
  }
}

void tribo_html_begin(const char* title, FILE* out) {
  fputs(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
      out);
  tribo_html_text(title, out);
  fputs(
      "</title>\n<style>\n"
      "body{font:15px/1.45 system-ui,sans-serif;max-width:960px;margin:1.5em auto;padding:0 1em;"
      "color:#222;background:#fff}\n"
      "h1{font-size:1.4em}h2{font-size:1.1em;margin:1.6em 0 .4em}\n"
      "table{border-collapse:collapse;margin:.6em 0}td,th{padding:.15em .9em .15em 0;"
      "text-align:left;vertical-align:top;border-bottom:1px solid #e4e4e4}\n"
      "td.n{text-align:right;font-variant-numeric:tabular-nums}\n"
      ".wide{overflow-x:auto}.wide td,.wide th{white-space:nowrap}"
      "p.small{font-size:13px;color:#444}"
      "svg{display:block;width:100%;height:auto;margin:.8em 0}svg text{font:12px system-ui,"
      "sans-serif;fill:#333}\n"
      ".same{color:#00735c;font-weight:600}.different{color:#b34000;font-weight:600}\n"
      ".legend{font-size:13px;margin:-.4em 0 1em}.legend "
      "span{margin-right:1.1em;white-space:nowrap}"
      "\n</style></head>\n<body>\n<h1>",
      out);
  tribo_html_text(title, out);
  fputs("</h1>\n", out);
}

void tribo_html_end(FILE* out) { fputs("</body></html>\n", out); }

void tribo_plot_add(TriboPlot* plot, TriboCurve curve) {
  if (plot->count < TRIBO_PLOT_CURVES)
    plot->curve[plot->count++] = curve;
  else
    ++plot->left_out;
}

// The visible range of both axes.
typedef struct Axes {
  double x0, x1, y0, y1;
  bool logarithmic;
  double peak;  // a clipped plot's highest point; NAN: all of it is seen
} Axes;

static double x_of(const Axes* a, double x) {
  return LEFT + kPlotWidth * (x - a->x0) / (a->x1 - a->x0);
}

static double y_of(const Axes* a, double y) {
  if (a->logarithmic) y = log10(y);
  if (y < a->y0) y = a->y0;
  if (y > a->y1) y = a->y1;
  return TOP + kPlotHeight * (1 - (y - a->y0) / (a->y1 - a->y0));
}

static int compare_doubles(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

// Below this lie 98 of 100 points that are not zero, by a sample of them.
static double usual_height(const TriboPlot* plot) {
  enum { SAMPLE = 4096 };
  double sample[SAMPLE];
  int64_t all = 0;
  int count = 0;
  for (int c = 0; c < plot->count; ++c) all += plot->curve[c].count;
  const int64_t stride = all / SAMPLE + 1;
  for (int c = 0; c < plot->count; ++c) {
    const TriboCurve* curve = &plot->curve[c];
    for (int64_t i = 0; i < curve->count && count < SAMPLE; i += stride) {
      const double y = curve->y[i * curve->y_stride];
      if (isfinite(y) && y > 0) sample[count++] = y;
    }
  }
  if (count == 0) return 0;
  qsort(sample, (size_t)count, sizeof *sample, compare_doubles);
  return sample[(int)(0.98 * (count - 1))];
}

// The range of all points; y of a logarithmic plot by its logarithm.
static Axes measure_points(const TriboPlot* plot) {
  Axes a = {INFINITY, -INFINITY, INFINITY, -INFINITY, plot->logarithmic, NAN};
  for (int c = 0; c < plot->count; ++c) {
    const TriboCurve* curve = &plot->curve[c];
    for (int64_t i = 0; i < curve->count; ++i) {
      double x = curve->x[i * curve->x_stride], y = curve->y[i * curve->y_stride];
      if (isfinite(x)) a.x0 = fmin(a.x0, x), a.x1 = fmax(a.x1, x);
      if (plot->logarithmic) y = y > 0 ? log10(y) : NAN;
      if (isfinite(y)) a.y0 = fmin(a.y0, y), a.y1 = fmax(a.y1, y);
    }
  }
  for (int i = 0; i < plot->levels; ++i) {
    const double y = plot->logarithmic ? log10(plot->level[i]) : plot->level[i];
    if (isfinite(y)) a.y0 = fmin(a.y0, y), a.y1 = fmax(a.y1, y);
  }
  return a;
}

static Axes measure(const TriboPlot* plot) {
  Axes a = measure_points(plot);
  if (!(a.x1 > a.x0)) a.x0 = isfinite(a.x0) ? a.x0 : 0, a.x1 = a.x0 + 1;
  if (!(a.y1 >= a.y0)) a.y0 = plot->logarithmic ? -16 : 0, a.y1 = a.y0 + 1;
  if (plot->logarithmic) {
    a.y0 = floor(a.y0), a.y1 = ceil(a.y1);
    if (a.y1 - a.y0 < 2) a.y1 = a.y0 + 2;
    return a;
  }
  const double usual = plot->clipped ? usual_height(plot) : INFINITY;
  if (usual > 0 && a.y1 > 3 * usual) a.peak = a.y1, a.y1 = 1.5 * usual;
  // A curve that is flat but for rounding is drawn flat.
  double size = fmax(fabs(a.y0), fabs(a.y1)), span = a.y1 - a.y0;
  double margin = span > 1e-9 * size ? 0.06 * span : fmax(0.1 * size, 1e-12);
  a.y0 -= margin;
  if (isnan(a.peak)) a.y1 += margin;
  return a;
}

// 1, 2 or 5 times a power of ten, for at most six lines.
static double tick_step(double span) {
  const double power = pow(10, floor(log10(span / 6)));
  for (int i = 0; i < 3; ++i) {
    static const int digit[] = {1, 2, 5};
    if (span / (digit[i] * power) <= 6) return digit[i] * power;
  }
  return 10 * power;
}

enum { TICKS = 8 };

// Multiples of `step` from `low` to `high`; returns how many.
static int find_ticks(double low, double high, double step, double at[TICKS]) {
  const double first = ceil(low / step);
  int count = 0;
  for (int k = 0; k < TICKS; ++k) {
    const double tick = (first + k) * step;
    if (tick <= high + 1e-9 * step) at[count++] = fabs(tick) < 1e-9 * step ? 0 : tick;
  }
  return count;
}

static void write_text(double x, double y, const char* anchor, const char* text, FILE* out) {
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
  tribo_html_text(text, out);
  fputs("</text>\n", out);
}

static void write_y_axis(const TriboPlot* plot, const Axes* a, FILE* out) {
  const double step = a->logarithmic ? ceil((a->y1 - a->y0) / 6) : tick_step(a->y1 - a->y0);
  double tick[TICKS];
  const int ticks = find_ticks(a->y0, a->y1, step, tick);
  for (int i = 0; i < ticks; ++i) {
    const double at = TOP + kPlotHeight * (1 - (tick[i] - a->y0) / (a->y1 - a->y0));
    char number[32];
    snprintf(number, sizeof number, a->logarithmic ? "1e%.0f" : "%.4g", tick[i]);
    fprintf(out, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#e4e4e4\"/>", LEFT,
            WIDTH - RIGHT, at, at);
    write_text(LEFT - 6, at + 4, "end", number, out);
  }
  if (isnan(a->peak)) return;
  char text[96];
  snprintf(text, sizeof text, "peaks leave the plot: up to %.4g %s", a->peak, plot->unit);
  write_text(WIDTH - RIGHT, 18, "end", text, out);
}

static void write_x_axis(const Axes* a, FILE* out) {
  double tick[TICKS];
  const int ticks = find_ticks(a->x0, a->x1, tick_step(a->x1 - a->x0), tick);
  for (int i = 0; i < ticks; ++i) {
    const double x = tick[i];
    char number[32];
    snprintf(number, sizeof number, "%.6g", x);
    fprintf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#f0f0f0\"/>",
            x_of(a, x), x_of(a, x), TOP, HEIGHT - BOTTOM);
    write_text(x_of(a, x), HEIGHT - BOTTOM + 15, "middle", number, out);
  }
  write_text(WIDTH - RIGHT, HEIGHT - 6, "end", "time (s)", out);
}

// Draws a curve as polylines, to a tenth of a pixel. Where it stays level only both ends are
// written.
typedef struct Pen {
  FILE* out;
  const TriboCurve* curve;
  const char* color;
  bool down, held;
  long x, y, held_x;
} Pen;

static void pen_write(Pen* pen, long x, long y) {
  fprintf(pen->out, "%.1f,%.1f ", 0.1 * (double)x, 0.1 * (double)y);
}

static void pen_begin(Pen* pen) {
  fprintf(pen->out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"%s points=\"",
          pen->color, pen->curve->faint ? "0.7" : "1.5",
          pen->curve->dashed ? " stroke-dasharray=\"5 4\"" : "");
}

// Ends the polyline, if there is one.
static void pen_lift(Pen* pen) {
  if (pen->held) pen_write(pen, pen->held_x, pen->y);
  if (pen->down) {
    fputs("\"><title>", pen->out);
    tribo_html_text(pen->curve->name, pen->out);
    fputs("</title></polyline>\n", pen->out);
  }
  pen->held = pen->down = false;
}

static void pen_move(Pen* pen, double x, double y) {
  const long to_x = lround(10 * x), to_y = lround(10 * y);
  if (pen->down && to_y == pen->y) {
    pen->held = to_x != pen->x;
    pen->held_x = to_x;
    return;
  }
  if (pen->held) pen_write(pen, pen->held_x, pen->y);
  if (!pen->down) pen_begin(pen);
  pen_write(pen, to_x, to_y);
  pen->down = true;
  pen->held = false;
  pen->x = to_x, pen->y = to_y;
}

// Points of a curve; where they are denser than pixels, the lowest and highest of each pixel. It
// has a gap where there is no number, or none with a logarithm.
static void write_curve(const TriboCurve* curve, const Axes* a, const char* color, FILE* out) {
  int64_t bin = curve->count / TRIBO_PLOT_PIXELS + 1;
  Pen pen = {.out = out, .curve = curve, .color = color};
  for (int64_t i = 0; i < curve->count; i += bin) {
    int64_t low = i, high = i;
    for (int64_t k = i; k < i + bin && k < curve->count; ++k) {
      if (curve->y[k * curve->y_stride] < curve->y[low * curve->y_stride]) low = k;
      if (curve->y[k * curve->y_stride] > curve->y[high * curve->y_stride]) high = k;
    }
    const int64_t both[2] = {low < high ? low : high, low < high ? high : low};
    for (int k = 0; k < (low != high ? 2 : 1); ++k) {
      double x = curve->x[both[k] * curve->x_stride], y = curve->y[both[k] * curve->y_stride];
      if (isfinite(x) && isfinite(y) && (!a->logarithmic || y > 0))
        pen_move(&pen, x_of(a, x), y_of(a, y));
      else
        pen_lift(&pen);
    }
  }
  pen_lift(&pen);
}

static void write_curves(const TriboPlot* plot, const Axes* a, FILE* out) {
  for (int i = 0; i < plot->count; ++i) {
    if (plot->curve[i].faint) write_curve(&plot->curve[i], a, "#bbbbbb", out);
  }
  for (int i = 0, named = 0; i < plot->count; ++i) {
    if (!plot->curve[i].faint) write_curve(&plot->curve[i], a, tribo_color(named++), out);
  }
}

static void write_levels(const TriboPlot* plot, const Axes* a, FILE* out) {
  for (int i = 0; i < plot->levels; ++i) {
    if (plot->logarithmic && !(plot->level[i] > 0)) continue;
    const double y = y_of(a, plot->level[i]);
    fprintf(out,
            "<line class=\"level\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
            "stroke-dasharray=\"2 5\"/>\n",
            LEFT, WIDTH - RIGHT, y, y, tribo_color(i));
  }
  if (plot->levels > 0 && plot->level_text != NULL)
    write_text(WIDTH - RIGHT, 18, "end", plot->level_text, out);
}

static void write_mark(const TriboPlot* plot, const Axes* a, FILE* out) {
  if (!plot->marked || plot->mark < a->x0 || plot->mark > a->x1) return;
  const double x = x_of(a, plot->mark);
  const bool right = x > LEFT + 0.75 * kPlotWidth;
  fprintf(out,
          "<line class=\"mark\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#b34000\" "
          "stroke-dasharray=\"3 3\"/>",
          x, x, TOP, HEIGHT - BOTTOM);
  write_text(right ? x - 5 : x + 5, TOP + 12, right ? "end" : "start", plot->mark_text, out);
}

static void write_legend(const TriboPlot* plot, FILE* out) {
  int named = 0;
  fputs("<div class=\"legend\">", out);
  for (int i = 0; i < plot->count; ++i) {
    if (plot->curve[i].faint) continue;
    fprintf(out, "<span><b style=\"color:%s\">%s</b> ", tribo_color(named++),
            plot->curve[i].dashed ? "- -" : "&#9473;");
    tribo_html_text(plot->curve[i].name, out);
    fputs("</span> ", out);
  }
  if (named < plot->count) fprintf(out, "<span>%d more in grey</span> ", plot->count - named);
  if (plot->left_out > 0) fprintf(out, "<span>and %d more, not drawn</span>", plot->left_out);
  fputs("</div>\n", out);
}

void tribo_plot_write(const TriboPlot* plot, FILE* out) {
  const Axes a = measure(plot);
  fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", WIDTH, HEIGHT);
  fprintf(out, "<text x=\"%d\" y=\"18\" font-weight=\"600\">", LEFT);
  tribo_html_text(plot->title, out);
  fputs(" (", out);
  tribo_html_text(plot->unit, out);
  fputs(")</text>\n", out);
  write_y_axis(plot, &a, out);
  write_x_axis(&a, out);
  write_levels(plot, &a, out);
  write_curves(plot, &a, out);
  write_mark(plot, &a, out);
  fputs("</svg>\n", out);
  write_legend(plot, out);
}

void tribo_timeline_begin(TriboTimeline* t, const char* title, double start, double end, int lines,
                          FILE* out) {
  *t = (TriboTimeline){start, end > start ? end : start + 1, lines, out};
  fprintf(out,
          "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n<text x=\"%d\" y=\"18\" font-weight=\"600\">",
          WIDTH, TOP + LINE * lines + BOTTOM, 2 * LEFT);
  tribo_html_text(title, out);
  fputs("</text>\n", out);
}

static double timeline_x(const TriboTimeline* t, double x) {
  return 2 * LEFT + (WIDTH - 2 * LEFT - RIGHT) * (x - t->start) / (t->end - t->start);
}

void tribo_timeline_name(const TriboTimeline* t, int line, const char* name) {
  enum { SHOWN = 24 };
  char shortened[SHOWN + 4];
  const bool all = strlen(name) <= SHOWN;
  snprintf(shortened, sizeof shortened, "%.*s%s", all ? SHOWN : SHOWN - 2, name, all ? "" : "..");
  write_text(2 * LEFT - 6, TOP + LINE * line + 13, "end", shortened, t->out);
}

void tribo_timeline_bar(const TriboTimeline* t, int line, double from, double to, int color,
                        bool low) {
  const double x = timeline_x(t, from), width = timeline_x(t, to) - x;
  const int height = low ? (LINE - 5) / 2 : LINE - 5;
  fprintf(t->out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", x,
          TOP + LINE * line + 2 + LINE - 5 - height, width > 0.5 ? width : 0.5, height,
          tribo_color(color));
}

void tribo_timeline_end(const TriboTimeline* t) {
  const int bottom = TOP + LINE * t->lines;
  double tick[TICKS];
  const int ticks = find_ticks(t->start, t->end, tick_step(t->end - t->start), tick);
  for (int i = 0; i < ticks; ++i) {
    const double at = timeline_x(t, tick[i]);
    char number[32];
    snprintf(number, sizeof number, "%.6g", tick[i]);
    fprintf(t->out,
            "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#888\" "
            "stroke-opacity=\"0.25\"/>",
            at, at, TOP, bottom);
    write_text(at, bottom + 16, "middle", number, t->out);
  }
  write_text(WIDTH - RIGHT, bottom + 32, "end", "time (s)", t->out);
  fputs("</svg>\n", t->out);
}
