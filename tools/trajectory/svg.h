// SPDX-License-Identifier: Apache-2.0
//
// Plots as SVG inside an HTML page: no script, no network. Internal.
#ifndef TRIBO_TOOLS_TRAJECTORY_SVG_H_
#define TRIBO_TOOLS_TRAJECTORY_SVG_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// count points (x[i * x_stride], y[i * y_stride]); more of them than pixels are drawn as the lowest
// and highest of each pixel.
typedef struct TriboCurve {
  const char* name;  // in the legend, and shown where the mouse rests on the curve
  int64_t count;
  const double* x;
  const double* y;
  int64_t x_stride, y_stride;
  bool dashed;
  bool faint;  // thin and grey, below the others and not in the legend
} TriboCurve;

enum { TRIBO_PLOT_CURVES = 256, TRIBO_PLOT_LEVELS = 8 };

typedef struct TriboPlot {
  const char* title;
  const char* unit;  // of y
  bool logarithmic;  // y; a curve has gaps where it is not positive
  bool clipped;  // rare peaks far above all else may leave the plot, which says how high they are
  bool marked;   // a vertical line at
  double mark;   // this x
  const char* mark_text;
  int levels;  // horizontal dashed lines, in the colours of the curves of the same index
  double level[TRIBO_PLOT_LEVELS];
  const char* level_text;  // what they are
  int count;
  TriboCurve curve[TRIBO_PLOT_CURVES];
  int left_out;  // curves that found no room, which the plot says
} TriboPlot;

// Adds a curve, or counts it as left out.
void tribo_plot_add(TriboPlot* plot, TriboCurve curve);
void tribo_plot_write(const TriboPlot* plot, FILE* out);

// Places of curves across the width: a curve of more points gains nothing.
enum { TRIBO_PLOT_PIXELS = 828 };

// Bars over time, one line per name. Calls begin, bar..., end.
typedef struct TriboTimeline {
  double start, end;
  int lines;
  FILE* out;
} TriboTimeline;
void tribo_timeline_begin(TriboTimeline* t, const char* title, double start, double end, int lines,
                          FILE* out);
void tribo_timeline_name(const TriboTimeline* t, int line, const char* name);
// A low bar has half the height, so that two kinds differ in more than their colours.
void tribo_timeline_bar(const TriboTimeline* t, int line, double from, double to, int color,
                        bool low);
void tribo_timeline_end(const TriboTimeline* t);

// Colour `index` of the palette, which people with colour blindness tell apart (Okabe and Ito).
const char* tribo_color(int index);

// Text with what HTML takes for markup replaced.
void tribo_html_text(const char* text, FILE* out);

// The page's head up to <body> and a heading; and its end.
void tribo_html_begin(const char* title, FILE* out);
void tribo_html_end(FILE* out);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_TRAJECTORY_SVG_H_
