// SPDX-License-Identifier: Apache-2.0
//
// The step options by name, for headers of files and for command lines. Internal.
#ifndef TRIBO_TOOLS_TRAJECTORY_OPTIONS_H_
#define TRIBO_TOOLS_TRAJECTORY_OPTIONS_H_

#include <stdbool.h>

#include "engine/tribo.h"

#ifdef __cplusplus
extern "C" {
#endif

// Number of options; each has a name and is set and shown as text.
int tribo_option_count(void);
const char* tribo_option_name(int option);
// The words that an option may be, separated by |; NULL for a number.
const char* tribo_option_choices(int option);
// Writes the value into `text`.
void tribo_option_show(int option, const TriboStepOptions* step, char text[64]);
// FALSE with *option -1: no such name; with *option >= 0: not a value of it.
bool tribo_option_set(const char* name, const char* value, TriboStepOptions* step, int* option);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_TRAJECTORY_OPTIONS_H_
