// SPDX-License-Identifier: Apache-2.0
//
// The options of a simulation on the command line, which simulate and record share.
#ifndef TRIBO_TOOLS_TRIBO_RUN_OPTIONS_H_
#define TRIBO_TOOLS_TRIBO_RUN_OPTIONS_H_

#include <argp.h>

#include "tools/tribo/run.h"

// Input of the parser: fills *spec, and owns the texts that it makes for it.
typedef struct TriboRunOptions {
  TriboRunSpec* spec;
  int count;
  char* owned[TRIBO_RUN_SETTINGS];
} TriboRunOptions;

extern const struct argp tribo_run_argp;

void tribo_run_options_free(TriboRunOptions* options);

#endif  // TRIBO_TOOLS_TRIBO_RUN_OPTIONS_H_
