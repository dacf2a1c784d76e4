// SPDX-License-Identifier: Apache-2.0
//
// `tribo convert`: a URDF or MJCF model as MJCF.
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "models/tribo_models.h"
#include "tools/tribo/command.h"
#include "tools/tribo/output.h"

enum { MAX_PATHS = 64, KEY_STRICT = 256, KEY_ALLOW, KEY_ESCAPE, KEY_ROOT };

typedef struct Arguments {
  const char *in, *out;
  const char* paths[MAX_PATHS];
  TriboLoadOptions options;
} Arguments;

static error_t parse(int key, char* text, struct argp_state* state) {
  Arguments* arguments = state->input;
  switch (key) {
    case KEY_STRICT:
      arguments->options.strict = true;
      return 0;
    case KEY_ALLOW:
      arguments->options.allow_unsupported = true;
      return 0;
    case KEY_ESCAPE:
      arguments->options.allow_path_escape = true;
      return 0;
    case KEY_ROOT:
      if (strcmp(text, "free") != 0 && strcmp(text, "fixed") != 0) {
        argp_error(state, "--root wants free or fixed, not '%s'", text);
      }
      arguments->options.root = text[1] == 'r' ? TRIBO_ROOT_FREE : TRIBO_ROOT_FIXED;
      return 0;
    case 'p':
      if (arguments->options.search_path_count == MAX_PATHS) argp_error(state, "too many paths");
      arguments->paths[arguments->options.search_path_count++] = text;
      return 0;
    case ARGP_KEY_ARG:
      if (arguments->in == NULL) {
        arguments->in = text;
      } else if (arguments->out == NULL) {
        arguments->out = text;
      } else {
        argp_error(state, "two files: from and to");
      }
      return 0;
    case ARGP_KEY_END:
      if (arguments->out == NULL) argp_error(state, "FROM or TO is missing");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

// What the reader or the writer could not keep, on stderr.
static void tell(const TriboReport* report, const char* file) {
  for (int i = 0; i < tribo_report_count(report); ++i) {
    const TriboReportEntry* e = tribo_report_entry(report, i);
    if (e->line > 0) {
      tribo_complain("convert", "%s:%d: %s: %s", e->file, e->line, e->element, e->text);
    } else {
      tribo_complain("convert", "%s: %s: %s", file, e->element, e->text);
    }
  }
}

static TriboStatus convert(const Arguments* arguments, TriboScene* scene, TriboReport* lost,
                           TriboMessage* message) {
  TriboModel* model = NULL;
  TriboStatus status = tribo_model_create(tribo_scene_builder(scene), NULL, &model, message);
  if (status != TRIBO_OK) return status;
  bool to_stdout = strcmp(arguments->out, "-") == 0;
  FILE* out = to_stdout ? stdout : fopen(arguments->out, "w");
  if (out == NULL) {
    snprintf(message->text, sizeof message->text, "%s cannot be written", arguments->out);
    status = TRIBO_ERROR_FILE;
  } else {
    status = tribo_mjcf_write(model, scene, out, lost, message);
    if ((to_stdout ? fflush(out) : fclose(out)) != 0 && status == TRIBO_OK) {
      snprintf(message->text, sizeof message->text, "%s could not be written", arguments->out);
      status = TRIBO_ERROR_FILE;
    }
  }
  tribo_model_destroy(model);
  return status;
}

static TriboExit run(int argc, char** argv) {
  static const struct argp_option options[] = {
      {"strict", KEY_STRICT, NULL, 0, "Anything that was read but not used is an error", 0},
      {"allow-unsupported", KEY_ALLOW, NULL, 0, "Leave out what Tribo does not do", 0},
      {"search-path", 'p', "DIR", 0, "Look for meshes and packages in DIR too; may be repeated", 0},
      {"allow-escape", KEY_ESCAPE, NULL, 0, "Files that FROM names may lie anywhere", 0},
      {"root", KEY_ROOT, "HOW", 0, "URDF: the root is free or fixed (default: by its mass)", 0},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "FROM TO",
      .doc =
          "Reads a URDF or MJCF model and writes it as MJCF, with the same coordinates, masses "
          "and kinematics. TO may be - for standard output."
          "\v"
          "Losses are told on stderr. Exit code: 0 written, 2 not.",
  };
  Arguments arguments = {.options = tribo_load_options_default()};
  if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0) return TRIBO_EXIT_USAGE;
  arguments.options.search_paths = arguments.paths;
  TriboScene* scene = NULL;
  TriboReport* lost = NULL;
  TriboMessage message;
  TriboStatus status = tribo_report_create(TRIBO_REPORT_DEFAULT_CAPACITY, NULL, &lost);
  if (status == TRIBO_OK) {
    status = tribo_scene_load(arguments.in, &arguments.options, &scene, &message);
  }
  if (status == TRIBO_OK) status = convert(&arguments, scene, lost, &message);
  if (status == TRIBO_OK) {
    tell(tribo_scene_report(scene), arguments.in);
    tell(lost, arguments.out);
  } else {
    tribo_complain("convert", "%s:%d: %s", message.file[0] ? message.file : arguments.in,
                   message.line, message.text);
  }
  tribo_report_destroy(lost);
  tribo_scene_destroy(scene);
  return status == TRIBO_OK ? TRIBO_EXIT_FINE : TRIBO_EXIT_USAGE;
}

const TriboCommand tribo_command_convert = {
    .name = "convert",
    .summary = "write a URDF or MJCF model as MJCF",
    .run = run,
};
