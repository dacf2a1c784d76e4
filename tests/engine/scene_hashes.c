// SPDX-License-Identifier: Apache-2.0
//
// scene_hashes STEPS SCENE...: steps scenes of the library with every contact model and prints the
// hashes of their last states.
// scene_hashes --compiler: who compiled it, gcc or clang.
// Built at several optimization levels and by both compilers; same_bits_test compares what they
// print.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tribo/run.h"

static const char* const models[] = {"model=coulomb", "model=noslip", "model=viscous",
                                     "model=frictionless"};
enum { MODELS = sizeof models / sizeof *models };

static TriboStatus print_hash(const char* scene, const char* model, long steps,
                              TriboMessage* message) {
  TriboRun run;
  TriboRunSpec spec = tribo_run_spec_default();
  spec.model = scene;
  spec.setting[spec.setting_count++] = model;
  TriboStatus status = tribo_run_create(&spec, &run, message);
  if (status != TRIBO_OK) return status;
  TriboInput input = tribo_input_default();
  input.control = run.control;
  for (long i = 0; i < steps && status == TRIBO_OK; ++i)
    status = tribo_step(run.model, &run.options, &input, run.state, run.workspace);
  printf("%s %s %016" PRIx64 "\n", scene, model, tribo_state_hash(run.state));
  if (status != TRIBO_OK) snprintf(message->text, sizeof message->text, "a step failed");
  tribo_run_destroy(&run);
  return status;
}

#ifdef __clang__
static const char compiler[] = "clang";
#else
static const char compiler[] = "gcc";
#endif

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--compiler") == 0) {
    puts(compiler);
    return 0;
  }
  if (argc < 3) {
    fprintf(stderr, "usage: scene_hashes STEPS SCENE... | --compiler\n");
    return 2;
  }
  for (int i = 0; i < (argc - 2) * MODELS; ++i) {
    const char* scene = argv[2 + i / MODELS];
    TriboMessage message = {0};
    TriboStatus status = print_hash(scene, models[i % MODELS], strtol(argv[1], NULL, 10), &message);
    if (status == TRIBO_OK) continue;
    fprintf(stderr, "%s: %s (%s)\n", scene, message.text, tribo_status_text(status));
    return 1;
  }
  return 0;
}
