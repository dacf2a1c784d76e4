// SPDX-License-Identifier: Apache-2.0
//
// The table of subcommands. To add one: write its file with a TriboCommand, name it here twice.
#include <stddef.h>
#include <string.h>

#include "tools/tribo/command.h"

extern const TriboCommand tribo_command_bench;
extern const TriboCommand tribo_command_check;
extern const TriboCommand tribo_command_compare;
extern const TriboCommand tribo_command_convert;
extern const TriboCommand tribo_command_record;
extern const TriboCommand tribo_command_replay;
extern const TriboCommand tribo_command_scene;
extern const TriboCommand tribo_command_simulate;
extern const TriboCommand tribo_command_solve;
extern const TriboCommand tribo_command_verify;

// One a line.
// clang-format off
const TriboCommand* const tribo_commands[] = {
    &tribo_command_bench,
    &tribo_command_check,
    &tribo_command_compare,
    &tribo_command_convert,
    &tribo_command_record,
    &tribo_command_replay,
    &tribo_command_scene,
    &tribo_command_simulate,
    &tribo_command_solve,
    &tribo_command_verify,
    NULL,
};
// clang-format on

const TriboCommand* tribo_command_find(const char* name) {
  for (int i = 0; tribo_commands[i] != NULL; ++i) {
    if (strcmp(tribo_commands[i]->name, name) == 0) return tribo_commands[i];
  }
  return NULL;
}
