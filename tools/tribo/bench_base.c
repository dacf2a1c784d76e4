// SPDX-License-Identifier: Apache-2.0
//
// bench base: what reproducible sines and arctangents cost beside the C library's.
#include <math.h>

#include "engine/base/random.h"
#include "engine/base/trig.h"
#include "tools/tribo/bench.h"

enum { COUNT = 1000 };

typedef struct Work {
  double x[COUNT];
  double y[COUNT];
  volatile double sum;  // keeps the compiler from dropping the calls
} Work;

static void sincos_ours(void* data) {
  Work* work = data;
  double sum = 0;
  for (int i = 0; i < COUNT; ++i) {
    double s, c;
    tribo_sincos(work->x[i], &s, &c);
    sum += s + c;
  }
  work->sum = sum;
}

static void sincos_libm(void* data) {
  Work* work = data;
  double sum = 0;
  for (int i = 0; i < COUNT; ++i) sum += sin(work->x[i]) + cos(work->x[i]);
  work->sum = sum;
}

static void atan2_ours(void* data) {
  Work* work = data;
  double sum = 0;
  for (int i = 0; i < COUNT; ++i) sum += tribo_atan2(work->y[i], work->x[i]);
  work->sum = sum;
}

static void atan2_libm(void* data) {
  Work* work = data;
  double sum = 0;
  for (int i = 0; i < COUNT; ++i) sum += atan2(work->y[i], work->x[i]);
  work->sum = sum;
}

static void compare(const TriboBenchOptions* options, TriboBenchReport* report, const char* label,
                    void (*ours)(void*), void (*libm)(void*), Work* work) {
  double t_ours = tribo_bench_time(options, ours, work);
  double t_libm = tribo_bench_time(options, libm, work);
  tribo_bench_row(report, "%s", label);
  tribo_bench_figure(report, "tribo_ns", 1e9 * t_ours / COUNT);
  tribo_bench_figure(report, "libm_ns", 1e9 * t_libm / COUNT);
  tribo_bench_figure(report, "ratio", t_ours / t_libm);
}

static TriboExit run(const TriboBenchOptions* options, TriboBenchReport* report) {
  Work work;
  TriboRandom random = tribo_random(1);
  for (int i = 0; i < COUNT; ++i) {
    work.x[i] = tribo_random_in(&random, -10, 10);
    work.y[i] = tribo_random_in(&random, -10, 10);
  }
  compare(options, report, "sincos", sincos_ours, sincos_libm, &work);
  compare(options, report, "atan2", atan2_ours, atan2_libm, &work);
  return TRIBO_EXIT_FINE;
}

const TriboBenchmark tribo_benchmark_base = {
    .name = "base",
    .summary = "reproducible sine, cosine and arctangent beside the C library's",
    .run = run,
};
