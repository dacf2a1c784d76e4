// SPDX-License-Identifier: Apache-2.0
//
// `tribo scene`: prints a scene of the library as MJCF or URDF.
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "models/library/library.h"
#include "tools/tribo/command.h"
#include "tools/tribo/output.h"

enum { MAX_SETTINGS = 32 };

typedef struct Arguments {
  const char* name;
  int count;
  const char* setting[MAX_SETTINGS];
  const char* out;
  bool json;
} Arguments;

static error_t parse(int key, char* text, struct argp_state* state) {
  Arguments* arguments = state->input;
  switch (key) {
    case 'o':
      arguments->out = text;
      return 0;
    case 'j':
      arguments->json = true;
      return 0;
    case ARGP_KEY_ARG:
      if (arguments->name == NULL) {
        arguments->name = text;
      } else if (arguments->count < MAX_SETTINGS) {
        arguments->setting[arguments->count++] = text;
      } else {
        argp_error(state, "too many settings");
      }
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

// One row per scene and parameter.
static json_t* list_scenes(void) {
  json_t* rows = json_array();
  const TriboLibraryScene* scene;
  for (int i = 0; (scene = tribo_library_scene(i)) != NULL; ++i) {
    json_array_append_new(rows,
                          json_pack("{s:s, s:s}", "scene", scene->name, "what", scene->summary));
    for (int k = 0; k < TRIBO_LIBRARY_PARAMETERS && scene->parameter[k].name != NULL; ++k) {
      const TriboLibraryParameter* parameter = &scene->parameter[k];
      json_array_append_new(
          rows, json_pack("{s:s, s:s, s:s, s:f, s:f, s:f}", "scene", scene->name, "setting",
                          parameter->name, "what", parameter->meaning, "default", parameter->value,
                          "from", parameter->low, "to", parameter->high));
    }
  }
  return rows;
}

static TriboExit print_list(bool json) {
  json_t* rows = list_scenes();
  if (!json) {
    const TriboLibraryScene* scene;
    for (int i = 0; (scene = tribo_library_scene(i)) != NULL; ++i) {
      printf("%s: %s\n", scene->name, scene->summary);
      for (int k = 0; k < TRIBO_LIBRARY_PARAMETERS && scene->parameter[k].name != NULL; ++k) {
        printf("    %s=%g  %s\n", scene->parameter[k].name, scene->parameter[k].value,
               scene->parameter[k].meaning);
      }
    }
    json_decref(rows);
    return TRIBO_EXIT_FINE;
  }
  json_t* object = tribo_json_begin("scene");
  json_object_set_new(object, "scenes", rows);
  return tribo_json_print(stdout, object) == 0 ? TRIBO_EXIT_FINE : TRIBO_EXIT_USAGE;
}

static TriboExit run(int argc, char** argv) {
  static const struct argp_option options[] = {
      {"out", 'o', "FILE", 0, "Write to FILE instead of standard output", 0},
      {"json", 'j', NULL, 0, "With no NAME: list the scenes as JSON", 0},
      {0},
  };
  static const struct argp argp = {
      options,
      parse,
      "[NAME [SETTING=VALUE...]]",
      "Print a scene that ships with Tribo, as MJCF (quadruped-urdf: URDF). Without NAME: list "
      "the scenes and their settings.\v"
      "Example: tribo scene grasp n=8 > grasp.xml\n"
      "Exit code: 0 fine, 2 no such scene or setting.",
      NULL,
      NULL,
      NULL};
  Arguments arguments = {NULL, 0, {NULL}, NULL, false};
  argp_err_exit_status = TRIBO_EXIT_USAGE;
  argp_parse(&argp, argc, argv, 0, NULL, &arguments);
  if (arguments.name == NULL) return print_list(arguments.json);

  TriboMessage message;
  FILE* out = arguments.out != NULL ? fopen(arguments.out, "w") : stdout;
  if (out == NULL) {
    tribo_complain("scene", "%s cannot be written", arguments.out);
    return TRIBO_EXIT_USAGE;
  }
  TriboStatus status =
      tribo_library_write(arguments.name, arguments.count, arguments.setting, out, &message);
  if (status != TRIBO_OK) tribo_complain("scene", "%s", message.text);
  if ((out == stdout ? fflush(out) : fclose(out)) != 0 && status == TRIBO_OK) {
    tribo_complain("scene", "the scene could not be written; is the disk full?");
    status = TRIBO_ERROR_FILE;
  }
  return status == TRIBO_OK ? TRIBO_EXIT_FINE : TRIBO_EXIT_USAGE;
}

const TriboCommand tribo_command_scene = {
    "scene",
    "print a robot or scene that ships with Tribo",
    run,
};
