// SPDX-License-Identifier: Apache-2.0
//
// bench load: reading model files from memory, and compiling what they describe.
#define _POSIX_C_SOURCE 200809L  // open_memstream
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/library/library.h"
#include "models/tribo_models.h"
#include "tools/tribo/bench.h"

typedef struct Work {
  char* text;
  size_t size;
  bool failed;
} Work;

static void load_file(void* data) {
  Work* work = data;
  TriboScene* scene = NULL;
  work->failed |=
      tribo_scene_load_string(work->text, work->size, NULL, NULL, &scene, NULL) != TRIBO_OK;
  tribo_scene_destroy(scene);
}

static void load_and_compile(void* data) {
  Work* work = data;
  TriboScene* scene = NULL;
  TriboModel* model = NULL;
  TriboStatus status = tribo_scene_load_string(work->text, work->size, NULL, NULL, &scene, NULL);
  if (status == TRIBO_OK) {
    status = tribo_model_create(tribo_scene_builder(scene), NULL, &model, NULL);
  }
  work->failed |= status != TRIBO_OK;
  tribo_model_destroy(model);
  tribo_scene_destroy(scene);
}

// An arm of revolute joints with inertias, collision and visual shapes, limits and transmissions.
static void write_arm(FILE* out, int links) {
  fprintf(out,
          "<robot name=\"arm\">\n  <material name=\"grey\"><color rgba=\".5 .5 .5 1\"/>"
          "</material>\n  <link name=\"world\"/>\n");
  for (int i = 0; i < links; ++i) {
    fprintf(out,
            "  <link name=\"link%d\">\n    <inertial>\n      <origin xyz=\"0 0 0.1\" rpy=\"0 0 "
            "0.1\"/>\n      <mass value=\"1.5\"/>\n      <inertia ixx=\"0.01\" iyy=\"0.011\" "
            "izz=\"0.012\" ixy=\"0.001\" ixz=\"0\" iyz=\"0\"/>\n    </inertial>\n"
            "    <visual>\n      <geometry><cylinder radius=\"0.05\" length=\"0.2\"/></geometry>\n"
            "      <material name=\"grey\"/>\n    </visual>\n    <collision>\n      <origin "
            "xyz=\"0 0 0.1\"/>\n      <geometry><cylinder radius=\"0.05\" length=\"0.2\"/>"
            "</geometry>\n    </collision>\n  </link>\n",
            i);
    fprintf(out, "  <joint name=\"joint%d\" type=\"revolute\">\n    <parent link=\"", i);
    if (i == 0) {
      fprintf(out, "world");
    } else {
      fprintf(out, "link%d", i - 1);
    }
    fprintf(out,
            "\"/>\n    <child link=\"link%d\"/>\n    <origin xyz=\"0 0 0.25\" rpy=\"0.1 0 0\"/>\n"
            "    <axis xyz=\"0 %d %d\"/>\n    <limit lower=\"-2\" upper=\"2\" effort=\"50\" "
            "velocity=\"3\"/>\n    <dynamics damping=\"0.1\" friction=\"0.01\"/>\n  </joint>\n"
            "  <transmission name=\"drive%d\">\n    <joint name=\"joint%d\"/>\n    <actuator "
            "name=\"motor%d\"><mechanicalReduction>1</mechanicalReduction></actuator>\n"
            "  </transmission>\n",
            i, i % 2, 1 - i % 2, i, i, i);
  }
  fprintf(out, "</robot>\n");
}

static TriboExit measure(const TriboBenchOptions* options, TriboBenchReport* report,
                         const char* label, Work* work) {
  double load = tribo_bench_time(options, load_file, work);
  double both = tribo_bench_time(options, load_and_compile, work);
  tribo_bench_row(report, "%s", label);
  tribo_bench_figure(report, "bytes", (double)work->size);
  tribo_bench_figure(report, "load_ms", 1e3 * load);
  tribo_bench_figure(report, "load_and_compile_ms", 1e3 * both);
  free(work->text);
  return work->failed ? TRIBO_EXIT_NO : TRIBO_EXIT_FINE;
}

static TriboExit run(const TriboBenchOptions* options, TriboBenchReport* report) {
  static const char* const SCENES[] = {"quadruped", "pile"};
  TriboExit result = TRIBO_EXIT_FINE;
  for (int links = 30; links <= (options->quick ? 30 : 120); links *= 4) {
    Work work = {NULL, 0, false};
    FILE* out = open_memstream(&work.text, &work.size);
    if (out == NULL) return TRIBO_EXIT_NO;
    write_arm(out, links);
    fclose(out);
    char label[32];
    snprintf(label, sizeof label, "urdf, %d links", links);
    TriboExit one = measure(options, report, label, &work);
    if (one != TRIBO_EXIT_FINE) result = one;
  }
  for (int i = 0; i < (options->quick ? 1 : 2); ++i) {
    Work work = {NULL, 0, false};
    FILE* out = open_memstream(&work.text, &work.size);
    if (out == NULL) return TRIBO_EXIT_NO;
    TriboStatus status = tribo_library_write(SCENES[i], 0, NULL, out, NULL);
    fclose(out);
    char label[32];
    snprintf(label, sizeof label, "mjcf, %s", SCENES[i]);
    TriboExit one = measure(options, report, label, &work);
    if (one != TRIBO_EXIT_FINE || status != TRIBO_OK) result = TRIBO_EXIT_NO;
  }
  return result;
}

const TriboBenchmark tribo_benchmark_load = {
    .name = "load",
    .summary = "reading URDF and MJCF files, and compiling them",
    .run = run,
};
