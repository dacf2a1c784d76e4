// SPDX-License-Identifier: Apache-2.0
#include "tools/trajectory/svg.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 920, HEIGHT = 260, LEFT = 78, RIGHT = 14, TOP = 30, BOTTOM = 36, LINE = 18 };

static const double kPlotWidth = WIDTH - LEFT - RIGHT, kPlotHeight = HEIGHT - TOP - BOTTOM;

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
} Axes;

static double x_of(const Axes* a, double x) {
  return LEFT + kPlotWidth * (x - a->x0) / (a->x1 - a->x0);
}

static double y_of(const Axes* a, double y) {
  if (a->logarithmic) y = y > 0 ? log10(y) : a->y0;
  if (y < a->y0) y = a->y0;
  return TOP + kPlotHeight * (1 - (y - a->y0) / (a->y1 - a->y0));
}

static Axes measure(const TriboPlot* plot) {
  Axes a = {INFINITY, -INFINITY, INFINITY, -INFINITY, plot->logarithmic};
  for (int c = 0; c < plot->count; ++c) {
    const TriboCurve* curve = &plot->curve[c];
    for (int64_t i = 0; i < curve->count; ++i) {
      double x = curve->x[i * curve->x_stride], y = curve->y[i * curve->y_stride];
      if (isfinite(x)) a.x0 = fmin(a.x0, x), a.x1 = fmax(a.x1, x);
      if (plot->logarithmic) y = y > 0 ? log10(y) : NAN;
      if (isfinite(y)) a.y0 = fmin(a.y0, y), a.y1 = fmax(a.y1, y);
    }
  }
  if (!(a.x1 > a.x0)) a.x0 = isfinite(a.x0) ? a.x0 : 0, a.x1 = a.x0 + 1;
  if (!(a.y1 >= a.y0)) a.y0 = plot->logarithmic ? -16 : 0, a.y1 = a.y0 + 1;
  if (plot->logarithmic) {
    a.y0 = floor(a.y0), a.y1 = ceil(a.y1);
    if (a.y1 - a.y0 < 2) a.y1 = a.y0 + 2;
    return a;
  }
  // A curve that is flat but for rounding is drawn flat.
  double size = fmax(fabs(a.y0), fabs(a.y1)), span = a.y1 - a.y0;
  double margin = span > 1e-9 * size ? 0.06 * span : fmax(0.1 * size, 1e-12);
  a.y0 -= margin, a.y1 += margin;
  return a;
}

// 1, 2 or 5 times a power of ten, for about five lines.
static double tick_step(double span) {
  double step = pow(10, floor(log10(span / 5)));
  if (span / step > 25) return 5 * step;
  return span / step > 10 ? 2 * step : step;
}

static void write_axes(const TriboPlot* plot, const Axes* a, FILE* out) {
  fprintf(out, "<text x=\"%d\" y=\"18\" font-weight=\"600\">", LEFT);
  tribo_html_text(plot->title, out);
  fputs(" (", out);
  tribo_html_text(plot->unit, out);
  fputs(")</text>\n", out);
  double step = a->logarithmic ? ceil((a->y1 - a->y0) / 6) : tick_step(a->y1 - a->y0);
  for (double y = ceil(a->y0 / step) * step; y <= a->y1 + 1e-9 * step; y += step) {
    double at = TOP + kPlotHeight * (1 - (y - a->y0) / (a->y1 - a->y0));
    fprintf(out,
            "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#e4e4e4\"/>"
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
            LEFT, WIDTH - RIGHT, at, at, LEFT - 6, at + 4);
    if (a->logarithmic)
      fprintf(out, "1e%d</text>\n", (int)y);
    else
      fprintf(out, "%.4g</text>\n", fabs(y) < 1e-9 * step ? 0 : y);
  }
  step = tick_step(a->x1 - a->x0);
  for (double x = ceil(a->x0 / step) * step; x <= a->x1 + 1e-9 * step; x += step) {
    fprintf(out,
            "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#f0f0f0\"/>"
            "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.4g</text>\n",
            x_of(a, x), x_of(a, x), TOP, HEIGHT - BOTTOM, x_of(a, x), HEIGHT - BOTTOM + 15,
            fabs(x) < 1e-9 * step ? 0 : x);
  }
  fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">time (s)</text>\n", WIDTH - RIGHT,
          HEIGHT - 6);
}

// Points of a curve; where they are denser than pixels, the lowest and highest of each pixel.
static void write_curve(const TriboCurve* curve, const Axes* a, int index, FILE* out) {
  fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\"%s points=\"",
          tribo_color(index), curve->dashed ? " stroke-dasharray=\"5 4\"" : "");
  int64_t bin = curve->count / (2 * (int64_t)kPlotWidth) + 1;
  for (int64_t i = 0; i < curve->count; i += bin) {
    int64_t low = i, high = i;
    for (int64_t k = i; k < i + bin && k < curve->count; ++k) {
      if (curve->y[k * curve->y_stride] < curve->y[low * curve->y_stride]) low = k;
      if (curve->y[k * curve->y_stride] > curve->y[high * curve->y_stride]) high = k;
    }
    const int64_t both[2] = {low < high ? low : high, low < high ? high : low};
    for (int k = 0; k < (low != high ? 2 : 1); ++k) {
      double x = curve->x[both[k] * curve->x_stride], y = curve->y[both[k] * curve->y_stride];
      if (!isfinite(x) || !isfinite(y)) continue;
      fprintf(out, "%.2f,%.2f ", x_of(a, x), y_of(a, y));
    }
  }
  fputs("\"/>\n", out);
}

void tribo_plot_write(const TriboPlot* plot, FILE* out) {
  Axes a = measure(plot);
  fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", WIDTH, HEIGHT);
  write_axes(plot, &a, out);
  for (int i = 0; i < plot->count; ++i) write_curve(&plot->curve[i], &a, i, out);
  if (plot->marked && plot->mark >= a.x0 && plot->mark <= a.x1) {
    double x = x_of(&a, plot->mark);
    bool right = x > LEFT + 0.75 * kPlotWidth;
    fprintf(out,
            "<line class=\"mark\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#b34000\" "
            "stroke-dasharray=\"3 3\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">",
            x, x, TOP, HEIGHT - BOTTOM, right ? x - 5 : x + 5, TOP + 12, right ? "end" : "start");
    tribo_html_text(plot->mark_text, out);
    fputs("</text>\n", out);
  }
  fputs("</svg>\n<div class=\"legend\">", out);
  for (int i = 0; i < plot->count; ++i) {
    fprintf(out, "<span><b style=\"color:%s\">%s</b> ", tribo_color(i),
            plot->curve[i].dashed ? "- -" : "&#9473;");
    tribo_html_text(plot->curve[i].name, out);
    fputs("</span> ", out);
  }
  if (plot->left_out > 0) fprintf(out, "<span>and %d more, not drawn</span>", plot->left_out);
  fputs("</div>\n", out);
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
  fprintf(t->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", 2 * LEFT - 6,
          TOP + LINE * line + 13);
  char shortened[32];
  snprintf(shortened, sizeof shortened, "%.24s", name);
  tribo_html_text(shortened, t->out);
  fputs("</text>\n", t->out);
}

void tribo_timeline_bar(const TriboTimeline* t, int line, double from, double to, int color) {
  double x = timeline_x(t, from), width = timeline_x(t, to) - x;
  fprintf(t->out, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>\n", x,
          TOP + LINE * line + 2, width > 0.5 ? width : 0.5, LINE - 5, tribo_color(color));
}

void tribo_timeline_end(const TriboTimeline* t) {
  double step = tick_step(t->end - t->start);
  int bottom = TOP + LINE * t->lines;
  for (double x = ceil(t->start / step) * step; x <= t->end + 1e-9 * step; x += step) {
    fprintf(t->out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.4g</text>\n",
            timeline_x(t, x), bottom + 16, fabs(x) < 1e-9 * step ? 0 : x);
  }
  fprintf(t->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">time (s)</text>\n</svg>\n",
          WIDTH - RIGHT, bottom + 32);
}
