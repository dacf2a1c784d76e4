// SPDX-License-Identifier: Apache-2.0
//
// A subcommand of `tribo`: one .c file with one TriboCommand, listed in commands.c.
//
// Conventions that all of them keep: options by argp, so that --help is complete; results on
// stdout, as a table for people or with --json as one JSON object; everything else on stderr; exit
// codes below.
#ifndef TRIBO_TOOLS_TRIBO_COMMAND_H_
#define TRIBO_TOOLS_TRIBO_COMMAND_H_

// Exit codes of the program.
typedef enum TriboExit {
  TRIBO_EXIT_FINE = 0,  // done; where the command asks a question, the answer is yes
  TRIBO_EXIT_NO =
      1,  // done, and the answer is no: a difference, a failed check, an unsolved problem
  TRIBO_EXIT_USAGE = 2,          // bad input or usage: nothing was answered
  TRIBO_EXIT_INTERRUPTED = 130,  // Ctrl-C; what was done so far is safe
} TriboExit;

typedef struct TriboCommand {
  const char* name;
  const char* summary;  // one line, for `tribo --help`

  // argv[0] is "tribo NAME", which argp shows in messages; the arguments follow.
  TriboExit (*run)(int argc, char** argv);
} TriboCommand;

// All subcommands in the order of `tribo --help`; the last entry has the name NULL. In commands.c.
extern const TriboCommand* const tribo_commands[];

// The subcommand called `name`, or NULL.
const TriboCommand* tribo_command_find(const char* name);

#endif  // TRIBO_TOOLS_TRIBO_COMMAND_H_
