// SPDX-License-Identifier: Apache-2.0
//
// What benchmarks measure with: the clock, and a count of instructions.
#define _GNU_SOURCE  // clock_gettime, ptrace, syscall, sched_setaffinity
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/syscall.h>
#endif

#include "tools/tribo/bench.h"

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

// A counter of this thread's instructions, -1 where the kernel gives none.
static int open_counter(void) {
#ifdef __linux__
  struct perf_event_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.type = PERF_TYPE_HARDWARE;
  attr.size = sizeof attr;
  attr.config = PERF_COUNT_HW_INSTRUCTIONS;
  attr.exclude_kernel = attr.exclude_hv = 1;
  return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
#else
  return -1;
#endif
}

// Instructions around work(data) by the kernel's counter; negative where it fails.
static long read_around(int counter, void (*work)(void* data), void* data) {
  long long before = 0, after = 0;
  if (read(counter, &before, sizeof before) != sizeof before) return -1;
  work(data);
  return read(counter, &after, sizeof after) == sizeof after ? (long)(after - before) : -1;
}

// Instructions of a child from one stop to the next, around work(data); negative where it fails or
// they are too many.
static long count_steps(void (*work)(void* data), void* data, long most) {
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
  } while (count < most && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
  if (count > 0 && !WIFSTOPPED(status)) return -1;  // it ended before its second stop
  if (count == most) count = -1;
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return count;
}

// The same with parent and child on one processor: they take turns, and waking the other one on a
// processor of its own takes several times as long as the step.
static long step_through(void (*work)(void* data), void* data, long most) {
#ifdef __linux__
  cpu_set_t allowed, one;
  const int here = sched_getcpu();
  bool pinned = here >= 0 && sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  if (pinned) {
    CPU_ZERO(&one);
    CPU_SET((size_t)here, &one);
    pinned = sched_setaffinity(0, sizeof one, &one) == 0;
  }
#endif
  const long count = count_steps(work, data, most);
#ifdef __linux__
  if (pinned) sched_setaffinity(0, sizeof allowed, &allowed);
#endif
  return count;
}

double tribo_bench_instructions(void (*work)(void* data), void* data, long most) {
  work(data);  // caches and the dynamic linker
  const int counter = open_counter();
  if (counter >= 0) {
    const long around = read_around(counter, nothing, data);
    const long all = read_around(counter, work, data);
    close(counter);
    if (around >= 0 && all >= 0) return (double)(all - around);
  }
  const long around = step_through(nothing, data, most), all = step_through(work, data, most);
  return around < 0 || all < 0 ? NAN : (double)(all - around);
}
