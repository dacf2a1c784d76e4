// SPDX-License-Identifier: Apache-2.0
//
// A benchmark of `tribo bench`: one .c file with one TriboBenchmark, listed in benchmarks.c. It
// fills rows of named figures; the umbrella prints them and compares them with an earlier run.
#ifndef TRIBO_TOOLS_TRIBO_BENCH_H_
#define TRIBO_TOOLS_TRIBO_BENCH_H_

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "tools/tribo/command.h"

typedef struct TriboBenchOptions {
  int repeats;         // samples of which the best counts, >= 1
  double min_seconds;  // a sample repeats short work until it lasts this long, s
  bool quick;          // the smallest sizes only: for tests and first looks
} TriboBenchOptions;

typedef struct TriboBenchReport TriboBenchReport;

typedef struct TriboBenchmark {
  const char* name;
  const char* summary;  // one line, for `tribo bench`

  // Fills the report. TRIBO_EXIT_NO when an answer that was checked on the way is wrong.
  TriboExit (*run)(const TriboBenchOptions* options, TriboBenchReport* report);
} TriboBenchmark;

// All benchmarks in the order of `tribo bench`; the last entry is NULL. In benchmarks.c.
extern const TriboBenchmark* const tribo_benchmarks[];

// Begins a row. Its label (printf rules) is unique in the benchmark: comparisons go by it.
void tribo_bench_row(TriboBenchReport* report, const char* label, ...)
    __attribute__((format(printf, 2, 3)));

// Adds a figure to the row begun last. The name ends with the unit (step_us, setup_s) or says what
// is counted (pivots, speedup).
void tribo_bench_figure(TriboBenchReport* report, const char* name, double value);

// Seconds that one call of work(data) takes: the best of options->repeats samples.
double tribo_bench_time(const TriboBenchOptions* options, void (*work)(void* data), void* data);

// Instructions that one call of work(data) takes, after one that warms up: by the kernel's counter,
// or where it has none counted one by one in a child process under ptrace, up to `most` of them,
// which takes 2 to 20 us each. NaN where there are more, or the system allows neither.
double tribo_bench_instructions(void (*work)(void* data), void* data, long most);

// The monotonic clock, s, for benchmarks that time pieces of a run themselves.
double tribo_bench_clock(void);

// Writes benchmarks, [{"name", "summary", "rows"}], as an HTML page. With the output of an earlier
// run, read from `against`, their rows have ratios to it.
void tribo_bench_write_report(const json_t* benchmarks, const char* against, const json_t* earlier,
                              FILE* out);

#endif  // TRIBO_TOOLS_TRIBO_BENCH_H_
