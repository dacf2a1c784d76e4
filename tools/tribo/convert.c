// SPDX-License-Identifier: Apache-2.0
//
// `tribo convert`: a URDF or MJCF model as MJCF.
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "models/tribo_models.h"
#include "tools/tribo/command.h"
#include "tools/tribo/load_options.h"
#include "tools/tribo/output.h"

typedef struct Arguments {
  const char *in, *out;
  TriboLoadArguments load;
} Arguments;

static error_t parse(int key, char* text, struct argp_state* state) {
  Arguments* arguments = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &arguments->load;
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
static void tell(const TriboReport* report) {
  for (int i = 0; i < tribo_report_count(report); ++i) tribo_report_print(stderr, report, i);
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
  static const struct argp_child children[] = {{&tribo_load_argp, 0, NULL, 0}, {0}};
  static const struct argp argp = {
      .parser = parse,
      .args_doc = "FROM TO",
      .doc =
          "Reads a URDF or MJCF model and writes it as MJCF, with the same coordinates, masses "
          "and kinematics. TO may be - for standard output."
          "\v"
          "Losses are told on stderr. Exit code: 0 written, 2 not.",
      .children = children,
  };
  Arguments arguments = {.load = tribo_load_arguments_default()};
  if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0) return TRIBO_EXIT_USAGE;
  TriboLoadOptions options = tribo_load_arguments_options(&arguments.load);
  TriboScene* scene = NULL;
  TriboReport* lost = NULL;
  TriboMessage message = {0};
  TriboStatus status = tribo_report_create(TRIBO_REPORT_DEFAULT_CAPACITY, NULL, &lost);
  if (status == TRIBO_OK) {
    status = tribo_scene_load(arguments.in, &options, &scene, &message);
  }
  if (status == TRIBO_OK) status = convert(&arguments, scene, lost, &message);
  if (status == TRIBO_OK) {
    tell(tribo_scene_report(scene));
    tell(lost);
  } else {
    tribo_complain_at("convert", &message);
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
