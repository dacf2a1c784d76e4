// SPDX-License-Identifier: Apache-2.0
//
// How a model file is read, on the command line and in a trajectory's header: what check, convert,
// simulate, replay and verify share; and what its reader had to say.
#ifndef TRIBO_TOOLS_TRIBO_LOAD_OPTIONS_H_
#define TRIBO_TOOLS_TRIBO_LOAD_OPTIONS_H_

#include <argp.h>
#include <jansson.h>
#include <stdio.h>

#include "models/tribo_models.h"

enum { TRIBO_LOAD_PATHS = 64 };

// A value: copies are whole. Strings are the caller's.
typedef struct TriboLoadArguments {
  TriboLoadOptions options;  // without the search paths
  int path_count;
  const char* path[TRIBO_LOAD_PATHS];
} TriboLoadArguments;
TriboLoadArguments tribo_load_arguments_default(void);

// Input of the parser: a TriboLoadArguments.
extern const struct argp tribo_load_argp;

// The options with the search paths of *arguments, which must outlive them.
TriboLoadOptions tribo_load_arguments_options(const TriboLoadArguments* arguments);

// As a JSON object of what differs from the default, or NULL where nothing does; and back (false:
// not such an object). Strings stay those of `object`.
json_t* tribo_load_arguments_write(const TriboLoadArguments* arguments);
bool tribo_load_arguments_read(const json_t* object, TriboLoadArguments* arguments);

// One entry of a reader's report as one line: FILE:LINE: KIND: ELEMENTS: WHY (N times, ...).
void tribo_report_print(FILE* out, const TriboReport* report, int index);

#endif  // TRIBO_TOOLS_TRIBO_LOAD_OPTIONS_H_
