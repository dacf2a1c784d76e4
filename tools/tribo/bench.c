// SPDX-License-Identifier: Apache-2.0
//
// `tribo bench`: runs benchmarks, prints their figures, compares them with an earlier run.
//
// A run's JSON is {"tribo", "command", "compiler", "benchmarks": [{"name", "rows": [{"row": LABEL,
// FIGURE: number, ...}]}]}; --against reads such a file back.
#define _DEFAULT_SOURCE  // argp, isatty
#include "tools/tribo/bench.h"

#include <argp.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/tribo/output.h"

struct TriboBenchReport {
  const char* name;   // of the benchmark that runs
  int number, count;  // which one it is of those that were asked for
  json_t* rows;
};

// "[2/11] step, 3 rows, stack of 20", on a terminal only.
static void show_progress(const TriboBenchReport* report, const char* row) {
  if (!isatty(STDERR_FILENO)) return;
  fprintf(stderr, "\r\033[K[%d/%d] %s, %d rows %s", report->number, report->count, report->name,
          (int)json_array_size(report->rows), row);
  fflush(stderr);
}

static void clear_progress(void) {
  if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}

void tribo_bench_row(TriboBenchReport* report, const char* label, ...) {
  char text[128];
  va_list arguments;
  va_start(arguments, label);
  vsnprintf(text, sizeof text, label, arguments);
  va_end(arguments);
  json_array_append_new(report->rows, json_pack("{s:s}", "row", text));
  show_progress(report, text);
}

void tribo_bench_figure(TriboBenchReport* report, const char* name, double value) {
  json_t* row = json_array_get(report->rows, json_array_size(report->rows) - 1);
  // JSON has no NaN or infinity: null says that there is no number.
  json_object_set_new(row, name, isfinite(value) ? json_real(value) : json_null());
}

typedef struct Arguments {
  TriboBenchOptions options;
  bool json;
  const char* against;
  const char* report;
  int count;
  const TriboBenchmark* chosen[64];
} Arguments;

static const TriboBenchmark* find_benchmark(const char* name) {
  for (int i = 0; tribo_benchmarks[i] != NULL; ++i) {
    if (strcmp(tribo_benchmarks[i]->name, name) == 0) return tribo_benchmarks[i];
  }
  return NULL;
}

// A benchmark that is named twice runs once.
static void choose(Arguments* arguments, const TriboBenchmark* benchmark) {
  for (int i = 0; i < arguments->count; ++i) {
    if (arguments->chosen[i] == benchmark) return;
  }
  arguments->chosen[arguments->count++] = benchmark;
}

static error_t parse(int key, char* text, struct argp_state* state) {
  Arguments* arguments = state->input;
  char* end = NULL;
  switch (key) {
    case 'j':
      arguments->json = true;
      return 0;
    case 'q':
      arguments->options.quick = true;
      arguments->options.repeats = 1;
      arguments->options.min_seconds = 0;
      return 0;
    case 'r': {
      long repeats = strtol(text, &end, 10);
      if (*text == '\0' || *end != '\0' || repeats < 1 || repeats > 1000000) {
        argp_error(state, "--repeats wants a number from 1 to 1000000, not '%s'", text);
      }
      arguments->options.repeats = (int)repeats;
      return 0;
    }
    case 'a':
      arguments->against = text;
      return 0;
    case 'R':
      arguments->report = text;
      return 0;
    case ARGP_KEY_ARG:
      if (strcmp(text, "all") == 0) {
        for (int i = 0; tribo_benchmarks[i] != NULL; ++i) {
          choose(arguments, tribo_benchmarks[i]);
        }
      } else if (find_benchmark(text) != NULL) {
        choose(arguments, find_benchmark(text));
      } else {
        argp_error(state, "no such benchmark: %s", text);
      }
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

// The rows of benchmark `name` in a report read from a file, or NULL.
static const json_t* rows_of(const json_t* report, const char* name) {
  size_t i;
  json_t* benchmark;
  json_array_foreach(json_object_get(report, "benchmarks"), i, benchmark) {
    const char* other = json_string_value(json_object_get(benchmark, "name"));
    if (other != NULL && strcmp(other, name) == 0) return json_object_get(benchmark, "rows");
  }
  return NULL;
}

static const json_t* row_labelled(const json_t* rows, const char* label) {
  size_t i;
  json_t* row;
  json_array_foreach(rows, i, row) {
    const char* other = json_string_value(json_object_get(row, "row"));
    if (other != NULL && strcmp(other, label) == 0) return row;
  }
  return NULL;
}

// Adds now / then to every figure that the earlier run has too, under the figure's name and
// "/then".
static json_t* with_ratios(const json_t* rows, const json_t* then_rows) {
  json_t* result = json_array();
  size_t i;
  json_t* row;
  json_array_foreach(rows, i, row) {
    const json_t* then = row_labelled(then_rows, json_string_value(json_object_get(row, "row")));
    json_t* wide = json_object();
    const char* key;
    json_t* value;
    json_object_foreach(row, key, value) {
      json_object_set(wide, key, value);
      double before = json_number_value(json_object_get(then, key));
      if (!json_is_number(value) || before == 0) continue;
      char name[128];
      snprintf(name, sizeof name, "%s/then", key);
      json_object_set_new(wide, name, json_real(json_number_value(value) / before));
    }
    json_array_append_new(result, wide);
  }
  return result;
}

static void list_benchmarks(bool json) {
  json_t* list = json_array();
  for (int i = 0; tribo_benchmarks[i] != NULL; ++i) {
    const TriboBenchmark* b = tribo_benchmarks[i];
    if (!json) printf("%-12s %s\n", b->name, b->summary);
    json_array_append_new(list, json_pack("{s:s, s:s}", "name", b->name, "summary", b->summary));
  }
  json_t* object = tribo_json_begin("bench");
  json_object_set_new(object, "benchmarks", list);
  if (json)
    (void)tribo_json_print(stdout, object);
  else
    json_decref(object);
}

// Runs one benchmark and prints it; returns {"name", "summary", "rows"}.
static json_t* run_one(const Arguments* arguments, int number, const json_t* earlier,
                       TriboExit* result) {
  const TriboBenchmark* benchmark = arguments->chosen[number];
  TriboBenchReport report = {benchmark->name, number + 1, arguments->count, json_array()};
  show_progress(&report, "");
  const TriboExit outcome = benchmark->run(&arguments->options, &report);
  if (outcome > *result) *result = outcome;
  json_t* rows = report.rows;
  if (earlier != NULL) {
    const json_t* then = rows_of(earlier, benchmark->name);
    if (then == NULL)
      tribo_complain("bench", "%s is not in %s", benchmark->name, arguments->against);
    rows = with_ratios(report.rows, then);
    json_decref(report.rows);
  }
  clear_progress();
  if (!arguments->json) {
    printf("%s: %s\n", benchmark->name, benchmark->summary);
    tribo_table_print(stdout, rows);
    fflush(stdout);
  }
  return json_pack("{s:s, s:s, s:o}", "name", benchmark->name, "summary", benchmark->summary,
                   "rows", rows);
}

static TriboExit run_chosen(const Arguments* arguments, const json_t* earlier, FILE* report) {
  TriboExit result = TRIBO_EXIT_FINE;
  json_t* benchmarks = json_array();
  for (int i = 0; i < arguments->count; ++i)
    json_array_append_new(benchmarks, run_one(arguments, i, earlier, &result));
  if (arguments->json) {
    json_t* object = tribo_json_begin("bench");
    json_object_set_new(object, "compiler", json_string(__VERSION__));
    json_object_set(object, "benchmarks", benchmarks);
    if (tribo_json_print(stdout, object) != 0) result = TRIBO_EXIT_USAGE;
  }
  if (report != NULL) tribo_bench_write_report(benchmarks, arguments->against, earlier, report);
  json_decref(benchmarks);
  return result;
}

// An earlier run's output; NULL with a complaint.
static json_t* read_earlier(const char* path) {
  json_error_t error;
  json_t* earlier = json_load_file(path, 0, &error);
  if (earlier == NULL && error.line > 0)
    tribo_complain("bench", "%s:%d: %s", path, error.line, error.text);
  else if (earlier == NULL)
    tribo_complain("bench", "%s", error.text);
  else if (!json_is_array(json_object_get(earlier, "benchmarks"))) {
    tribo_complain("bench", "%s is not what tribo bench --json prints", path);
    json_decref(earlier);
    earlier = NULL;
  }
  return earlier;
}

static TriboExit run(int argc, char** argv) {
  static const struct argp_option options[] = {
      {"json", 'j', NULL, 0, "Print one JSON object instead of tables", 0},
      {"quick", 'q', NULL, 0, "Smallest sizes, one sample: shows that it runs, measures little", 0},
      {"repeats", 'r', "N", 0, "Samples per figure, of which the best counts (default 5)", 0},
      {"against", 'a', "FILE", 0, "Add the ratio to an earlier run's --json output in FILE", 0},
      {"report", 'R', "FILE.html", 0, "Write the tables as a page, one file that needs no network",
       0},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "[BENCHMARK...|all]",
      .doc =
          "Measures speed. Without a BENCHMARK, lists them."
          "\v"
          "Times are the best of several samples by the monotonic clock; figures that end in _s, "
          "_us, "
          "_ns are seconds, microseconds, nanoseconds.\n"
          "Exit code: 0 fine, 1 a benchmark found a wrong answer, 2 bad input or usage.",
  };
  Arguments arguments = {.options = {.repeats = 5, .min_seconds = 0.02, .quick = false}};
  if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0) return TRIBO_EXIT_USAGE;
  if (arguments.count == 0) {
    list_benchmarks(arguments.json);
    return TRIBO_EXIT_FINE;
  }
  json_t* earlier = NULL;
  if (arguments.against != NULL && (earlier = read_earlier(arguments.against)) == NULL)
    return TRIBO_EXIT_USAGE;
  // Opened first: who has waited for the figures should not lose them.
  FILE* report = arguments.report != NULL ? fopen(arguments.report, "w") : NULL;
  TriboExit result = TRIBO_EXIT_USAGE;
  if (arguments.report == NULL || report != NULL) result = run_chosen(&arguments, earlier, report);
  bool written = arguments.report == NULL || (report != NULL && !ferror(report));
  if (report != NULL && fclose(report) != 0) written = false;
  if (!written) {
    tribo_complain("bench", "%s cannot be written", arguments.report);
    result = TRIBO_EXIT_USAGE;
  }
  json_decref(earlier);
  return result;
}

const TriboCommand tribo_command_bench = {
    .name = "bench",
    .summary = "measure speed, print a table or JSON, compare with an earlier run",
    .run = run,
};
