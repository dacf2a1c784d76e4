// SPDX-License-Identifier: Apache-2.0
//
// scene_hashes STEPS SCENE...: steps scenes of the library and prints the hash of each last state.
// scene_hashes --compiler: who compiled it, gcc or clang.
// Built at several optimization levels and by both compilers; same_bits_test compares what they
// print.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tribo/run.h"

static TriboStatus print_hash(const char* scene, long steps, TriboMessage* message) {
  TriboRun run;
  TriboRunSpec spec = tribo_run_spec_default();
  spec.model = scene;
  TriboStatus status = tribo_run_create(&spec, &run, message);
  if (status != TRIBO_OK) return status;
  TriboInput input = tribo_input_default();
  input.control = run.control;
  for (long i = 0; i < steps && status == TRIBO_OK; ++i)
    status = tribo_step(run.model, &run.options, &input, run.state, run.workspace);
  printf("%s %016" PRIx64 "\n", scene, tribo_state_hash(run.state));
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
  for (int i = 2; i < argc; ++i) {
    TriboMessage message = {0};
    TriboStatus status = print_hash(argv[i], strtol(argv[1], NULL, 10), &message);
    if (status == TRIBO_OK) continue;
    fprintf(stderr, "%s: %s (%s)\n", argv[i], message.text, tribo_status_text(status));
    return 1;
  }
  return 0;
}
