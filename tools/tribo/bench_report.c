// SPDX-License-Identifier: Apache-2.0
//
// The report of `tribo bench`: its tables as one HTML page, ratios to an earlier run as bars.
#include <math.h>
#include <stdio.h>
#include <string.h>

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

// A number; a ratio gets a bar that is as long as it is large, up to four.
static void write_cell(const char* key, const json_t* value, FILE* out) {
  if (json_is_string(value)) {
    fputs("<td>", out);
    tribo_html_text(json_string_value(value), out);
    fputs("</td>", out);
  } else if (!json_is_number(value)) {
    fputs("<td class=\"n\">-</td>", out);
  } else if (is_ratio(key)) {
    double ratio = json_number_value(value);
    // Timings differ by a tenth between two runs of one program.
    const char* color = ratio > 1.1 ? tribo_color(1) : ratio < 0.9 ? tribo_color(2) : "#bbbbbb";
    fprintf(out,
            "<td class=\"n\">%.3g <span style=\"display:inline-block;height:.6em;width:%.0fpx;"
            "background:%s\"></span></td>",
            ratio, 20 * fmin(4, fmax(0, ratio)), color);
  } else {
    fprintf(out, "<td class=\"n\">%.6g</td>", json_number_value(value));
  }
}

static void write_rows(const json_t* rows, FILE* out) {
  json_t* columns = columns_of(rows);
  const char* key;
  json_t* unused;
  fputs("<table><tr>", out);
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
  fputs("</table>\n", out);
  json_decref(columns);
}

bool tribo_bench_write_report(const json_t* benchmarks, const char* path) {
  FILE* out = fopen(path, "w");
  if (out == NULL) return false;
  tribo_html_begin("Tribo: benchmarks", out);
  fputs("<p>", out);
  tribo_html_text("Compiler " __VERSION__, out);
  fputs(
      ". Times are the best of several samples; FIGURE/then is the ratio to the earlier run.</p>\n",
      out);
  size_t i;
  json_t* benchmark;
  json_array_foreach(benchmarks, i, benchmark) {
    const char* name = json_string_value(json_object_get(benchmark, "name"));
    fputs("<h2>", out);
    tribo_html_text(name != NULL ? name : "?", out);
    fputs("</h2>\n", out);
    write_rows(json_object_get(benchmark, "rows"), out);
  }
  tribo_html_end(out);
  bool fine = !ferror(out);
  return fclose(out) == 0 && fine;
}
