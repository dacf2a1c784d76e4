// SPDX-License-Identifier: Apache-2.0
//
// `tribo bench`: runs benchmarks, prints their figures, compares them with an earlier run.
//
// A run's JSON is {"tribo", "command", "compiler", "benchmarks": [{"name", "rows": [{"row": LABEL,
// FIGURE: number, ...}]}]}; --against reads such a file back.
#define _DEFAULT_SOURCE  // clock_gettime, ptrace
#include "tools/tribo/bench.h"

#include <argp.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/tribo/output.h"

struct TriboBenchReport {
  json_t* rows;  // of the benchmark that runs
};

void tribo_bench_row(TriboBenchReport* report, const char* label, ...) {
  char text[128];
  va_list arguments;
  va_start(arguments, label);
  vsnprintf(text, sizeof text, label, arguments);
  va_end(arguments);
  json_array_append_new(report->rows, json_pack("{s:s}", "row", text));
}

void tribo_bench_figure(TriboBenchReport* report, const char* name, double value) {
  json_t* row = json_array_get(report->rows, json_array_size(report->rows) - 1);
  // JSON has no NaN or infinity: null says that there is no number.
  json_object_set_new(row, name, isfinite(value) ? json_real(value) : json_null());
}

double tribo_bench_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double sample(void (*work)(void* data), void* data, long calls) {
  double start = tribo_bench_clock();
  for (long i = 0; i < calls; ++i) work(data);
  return tribo_bench_clock() - start;
}

double tribo_bench_time(const TriboBenchOptions* options, void (*work)(void* data), void* data) {
  // Double the calls per sample until one lasts long enough for the clock; this warms the caches
  // too.
  long calls = 1;
  double best = sample(work, data, calls);
  while (best < options->min_seconds && calls < (1L << 40)) {
    calls *= 2;
    best = sample(work, data, calls);
  }
  for (int i = 1; i < options->repeats; ++i) {
    double seconds = sample(work, data, calls);
    if (seconds < best) best = seconds;
  }
  return best / (double)calls;
}

static void nothing(void* data) { (void)data; }

// Instructions of a child from one stop to the next, around work(data); negative where it fails.
static long step_through(void (*work)(void* data), void* data) {
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(1);
    raise(SIGSTOP);
    work(data);
    raise(SIGSTOP);
    _exit(0);
  }
  int status = 0;
  long count = 0;
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return -1;
  do {
    if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0 || waitpid(child, &status, 0) != child) {
      count = -1;
      break;
    }
    ++count;
  } while (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
  if (count > 0 && !WIFSTOPPED(status)) return -1;  // it ended before its second stop
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return count;
}

double tribo_bench_instructions(void (*work)(void* data), void* data) {
  work(data);  // caches and the dynamic linker
  const long around = step_through(nothing, data), all = step_through(work, data);
  return around < 0 || all < 0 ? NAN : (double)(all - around);
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

static void choose(Arguments* arguments, const TriboBenchmark* benchmark,
                   struct argp_state* state) {
  if (arguments->count == 64) argp_error(state, "too many benchmarks");
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
          choose(arguments, tribo_benchmarks[i], state);
        }
      } else if (find_benchmark(text) != NULL) {
        choose(arguments, find_benchmark(text), state);
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

static void list_benchmarks(void) {
  for (int i = 0; tribo_benchmarks[i] != NULL; ++i) {
    printf("%-12s %s\n", tribo_benchmarks[i]->name, tribo_benchmarks[i]->summary);
  }
}

static TriboExit run_chosen(const Arguments* arguments, const json_t* earlier) {
  TriboExit result = TRIBO_EXIT_FINE;
  json_t* benchmarks = json_array();
  for (int i = 0; i < arguments->count; ++i) {
    const TriboBenchmark* benchmark = arguments->chosen[i];
    tribo_progress(benchmark->name, i, arguments->count);
    TriboBenchReport report = {json_array()};
    TriboExit outcome = benchmark->run(&arguments->options, &report);
    if (outcome > result) result = outcome;
    json_t* rows = report.rows;
    if (earlier != NULL) {
      rows = with_ratios(report.rows, rows_of(earlier, benchmark->name));
      json_decref(report.rows);
    }
    tribo_progress(benchmark->name, arguments->count, arguments->count);
    if (!arguments->json) {
      printf("%s: %s\n", benchmark->name, benchmark->summary);
      tribo_table_print(stdout, rows);
      fflush(stdout);
    }
    json_array_append_new(benchmarks,
                          json_pack("{s:s, s:o}", "name", benchmark->name, "rows", rows));
  }
  if (arguments->json) {
    json_t* object = tribo_json_begin("bench");
    json_object_set_new(object, "compiler", json_string(__VERSION__));
    json_object_set(object, "benchmarks", benchmarks);
    if (tribo_json_print(stdout, object) != 0) result = TRIBO_EXIT_USAGE;
  }
  if (arguments->report != NULL && !tribo_bench_write_report(benchmarks, arguments->report)) {
    tribo_complain("bench", "%s cannot be written", arguments->report);
    result = TRIBO_EXIT_USAGE;
  }
  json_decref(benchmarks);
  return result;
}

static TriboExit run(int argc, char** argv) {
  static const struct argp_option options[] = {
      {"json", 'j', NULL, 0, "Print one JSON object instead of tables", 0},
      {"quick", 'q', NULL, 0, "Smallest sizes, one sample: shows that it runs, measures little", 0},
      {"repeats", 'r', "N", 0, "Samples per figure, of which the best counts (default 5)", 0},
      {"against", 'a', "FILE", 0, "Add the ratio to an earlier run's --json output in FILE", 0},
      {"report", 'R', "FILE.html", 0, "Write the tables as a page", 0},
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
    list_benchmarks();
    return TRIBO_EXIT_FINE;
  }
  json_t* earlier = NULL;
  if (arguments.against != NULL) {
    json_error_t error;
    earlier = json_load_file(arguments.against, 0, &error);
    if (earlier == NULL) {
      tribo_complain("bench", "%s, line %d: %s", arguments.against, error.line, error.text);
      return TRIBO_EXIT_USAGE;
    }
  }
  TriboExit result = run_chosen(&arguments, earlier);
  json_decref(earlier);
  return result;
}

const TriboCommand tribo_command_bench = {
    .name = "bench",
    .summary = "measure speed, print a table or JSON, compare with an earlier run",
    .run = run,
};
