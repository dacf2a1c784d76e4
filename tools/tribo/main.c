// SPDX-License-Identifier: Apache-2.0
//
// The `tribo` command: finds the subcommand and hands over.
#define _DEFAULT_SOURCE  // argp
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "engine/tribo.h"
#include "tools/tribo/command.h"

static void print_help(FILE* out) {
  fputs(
      "Usage: tribo COMMAND [ARGUMENTS]\n"
      "Simulates, checks and measures with the Tribo multibody engine.\n"
      "\n"
      "Commands:\n",
      out);
  for (int i = 0; tribo_commands[i] != NULL; ++i) {
    fprintf(out, "  %-12s %s\n", tribo_commands[i]->name, tribo_commands[i]->summary);
  }
  fputs(
      "\n"
      "  tribo COMMAND --help   everything about one command\n"
      "  tribo --help           this text\n"
      "  tribo --version        the version\n"
      "\n"
      "Results go to stdout, as a table or with --json as one JSON object; progress and complaints "
      "go\n"
      "to stderr, progress only where that is a terminal.\n"
      "Exit code: 0 fine, 1 the answer is no (a difference, a failed check), 2 bad input or "
      "usage.\n",
      out);
}

int main(int argc, char** argv) {
  argp_err_exit_status = TRIBO_EXIT_USAGE;
  if (argc < 2) {
    print_help(stderr);
    return TRIBO_EXIT_USAGE;
  }
  const char* name = argv[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
    print_help(stdout);
    return TRIBO_EXIT_FINE;
  }
  if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
    printf("tribo %s\n", tribo_version());
    return TRIBO_EXIT_FINE;
  }
  const TriboCommand* command = tribo_command_find(name);
  if (command == NULL) {
    fprintf(stderr, "tribo: no such command: %s (tribo --help lists them)\n", name);
    return TRIBO_EXIT_USAGE;
  }
  // argp shows argv[0] in its messages: let it name the subcommand.
  char title[64];
  snprintf(title, sizeof title, "tribo %s", command->name);
  argv[1] = title;
  return (int)command->run(argc - 1, argv + 1);
}
