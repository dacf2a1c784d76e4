// SPDX-License-Identifier: Apache-2.0
//
// The report of `tribo bench`: its tables as one HTML page, ratios to an earlier run as bars.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/tribo.h"
#include "tools/trajectory/svg.h"
#include "tools/tribo/bench.h"

static bool is_ratio(const char* key) {
  size_t length = strlen(key);
  return length > 5 && strcmp(key + length - 5, "/then") == 0;
}

// Columns in the order in which they first appear.
static json_t* columns_of(const json_t* rows) {
  json_t* columns = json_object();
  size_t i;
  json_t* row;
  json_array_foreach(rows, i, row) {
    const char* key;
    json_t* value;
    json_object_foreach(row, key, value) { json_object_set_new(columns, key, json_true()); }
  }
  return columns;
}

// 1: more is worse (times, instructions); -1: more is better (rates); 0: neither.
static int sense_of(const char* key) {
  if (strstr(key, "_per_s/") != NULL || strstr(key, "speedup") != NULL) return -1;
  static const char* const worse[] = {"_s/", "_ms/", "_us/", "_ns/", "instructions"};
  for (size_t i = 0; i < sizeof worse / sizeof worse[0]; ++i) {
    if (strstr(key, worse[i]) != NULL) return 1;
  }
  return 0;
}

// A number; a ratio gets a bar that is as long as it is large, up to four.
static void write_cell(const char* key, const json_t* value, FILE* out) {
  if (json_is_string(value)) {
    fputs("<td>", out);
    tribo_html_text(json_string_value(value), out);
    fputs("</td>", out);
  } else if (!json_is_number(value)) {
    fputs("<td class=\"n\">-</td>", out);
  } else if (is_ratio(key)) {
    const double ratio = json_number_value(value);
    // Timings differ by a tenth between two runs of one program.
    const int change = (ratio > 1.1) - (ratio < 0.9);
    const int worse = change * sense_of(key);
    const char* color = worse > 0 ? tribo_color(1) : worse < 0 ? tribo_color(2) : "#bbbbbb";
    fprintf(out,
            "<td class=\"n\">%.3g <span style=\"display:inline-block;height:.6em;width:%.0fpx;"
            "background:%s\"></span></td>",
            ratio, 20 * fmin(4, fmax(0, ratio)), color);
  } else {
    fprintf(out, "<td class=\"n\">%.4g</td>", json_number_value(value));
  }
}

static void write_rows(const json_t* rows, FILE* out) {
  json_t* columns = columns_of(rows);
  const char* key;
  json_t* unused;
  fputs("<div class=\"wide\"><table><tr>", out);
  json_object_foreach(columns, key, unused) {
    fputs("<th>", out);
    tribo_html_text(key, out);
    fputs("</th>", out);
  }
  fputs("</tr>\n", out);
  size_t i;
  json_t* row;
  json_array_foreach(rows, i, row) {
    fputs("<tr>", out);
    json_object_foreach(columns, key, unused) { write_cell(key, json_object_get(row, key), out); }
    fputs("</tr>\n", out);
  }
  fputs("</table></div>\n", out);
  json_decref(columns);
}

static void write_text(const json_t* text, FILE* out) {
  tribo_html_text(json_is_string(text) ? json_string_value(text) : "?", out);
}

static void write_head(const char* against, const json_t* earlier, FILE* out) {
  fputs("<p>Tribo ", out);
  tribo_html_text(tribo_version(), out);
  fputs(", compiler ", out);
  tribo_html_text(__VERSION__, out);
  fputs(
      ". Times are the best of several samples; names of figures end in their unit (_s, _us, _ns: "
      "seconds, microseconds, nanoseconds).</p>\n",
      out);
  if (earlier == NULL) return;
  fputs("<p>FIGURE/then is the ratio to ", out);
  tribo_html_text(against, out);
  fputs(", of Tribo ", out);
  write_text(json_object_get(earlier, "tribo"), out);
  fputs(" and compiler ", out);
  write_text(json_object_get(earlier, "compiler"), out);
  fputs(
      ". A bar is red where time, instructions or rate got worse by more than a tenth, "
      "green where they got better.</p>\n",
      out);
}

void tribo_bench_write_report(const json_t* benchmarks, const char* against, const json_t* earlier,
                              FILE* out) {
  tribo_html_begin("Tribo: benchmarks", out);
  write_head(against, earlier, out);
  size_t i;
  json_t* benchmark;
  json_array_foreach(benchmarks, i, benchmark) {
    fputs("<h2>", out);
    write_text(json_object_get(benchmark, "name"), out);
    fputs("</h2>\n<p>", out);
    write_text(json_object_get(benchmark, "summary"), out);
    fputs("</p>\n", out);
    write_rows(json_object_get(benchmark, "rows"), out);
  }
  tribo_html_end(out);
}
