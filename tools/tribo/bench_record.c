// SPDX-License-Identifier: Apache-2.0
//
//   bench record     what recording adds to the quadruped's run, opening and closing included
//
// Processor time, user and system, of the same run with a file and without one, in turns: a share
// of it means the same on a busy machine. The file lies where temporary files do.
#define _DEFAULT_SOURCE  // getrusage, P_tmpdir
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/tribo/bench.h"
#include "tools/tribo/output.h"
#include "tools/tribo/run.h"

enum { PAIRS = 15 };

// Of one run, creation of the model not counted.
typedef struct Run {
  double seconds;
  long steps;
} Run;

static double processor_time(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static TriboStatus run_once(double duration, const char* out, Run* m, TriboMessage* message) {
  TriboRunSpec spec = tribo_run_spec_default();
  spec.model = "quadruped";
  spec.controller = "quadruped";
  spec.duration = duration;
  spec.progress = false;
  spec.out = out;
  TriboRun run;
  TriboRunSummary summary;
  TriboStatus status = tribo_run_create(&spec, &run, message);
  if (status != TRIBO_OK) return status;
  const double begin = processor_time();
  status = tribo_run_simulate(&spec, &run, &summary, message);
  *m = (Run){processor_time() - begin, summary.steps};
  if (status == TRIBO_OK && (summary.interrupted || summary.status != TRIBO_OK)) {
    snprintf(message->text, sizeof message->text, "the run ended early");
    status = TRIBO_ERROR_LIMIT;
  }
  tribo_run_destroy(&run);
  return status;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_size);
  return values[count / 2];
}

static TriboStatus measure(double duration, int pairs, const char* path, TriboBenchReport* report,
                           TriboMessage* message) {
  double plain[PAIRS] = {0}, added[PAIRS] = {0}, share[PAIRS] = {0};
  Run without = {0}, with = {0};
  struct stat file = {0};
  for (int i = 0; i < pairs; ++i) {
    TriboStatus status = run_once(duration, NULL, &without, message);
    if (status == TRIBO_OK) status = run_once(duration, path, &with, message);
    (void)stat(path, &file);
    (void)remove(path);
    if (status != TRIBO_OK) return status;
    plain[i] = without.seconds;
    added[i] = with.seconds - without.seconds;
    share[i] = with.seconds / without.seconds - 1;
  }
  const double steps = with.steps > 0 ? (double)with.steps : 1;
  tribo_bench_row(report, "quadruped, %g s", duration);
  tribo_bench_figure(report, "step_us", 1e6 * median(plain, pairs) / steps);
  tribo_bench_figure(report, "recording_us", 1e6 * median(added, pairs) / steps);
  tribo_bench_figure(report, "recording_percent", 100 * median(share, pairs));
  tribo_bench_figure(report, "bytes_per_step", (double)file.st_size / steps);
  return TRIBO_OK;
}

static TriboExit run_record(const TriboBenchOptions* options, TriboBenchReport* report) {
  static const double durations[] = {20, 100};  // s
  char path[256];
  snprintf(path, sizeof path, "%s/tribo-bench-%ld.npz", P_tmpdir, (long)getpid());
  for (int i = 0; i < (options->quick ? 1 : 2); ++i) {
    TriboMessage message = {0};
    const double duration = options->quick ? 0.2 : durations[i];
    if (measure(duration, options->quick ? 1 : PAIRS, path, report, &message) == TRIBO_OK) continue;
    tribo_complain("bench", "%s", message.text);
    return TRIBO_EXIT_NO;
  }
  return TRIBO_EXIT_FINE;
}

const TriboBenchmark tribo_benchmark_record = {
    "record", "what recording adds to the quadruped's run, in processor time", run_record};
