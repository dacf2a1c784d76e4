// SPDX-License-Identifier: Apache-2.0
//
// `tribo check`: reads a model and says what is in it, what was lost, and what looks wrong.
#include <argp.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "models/tribo_models.h"
#include "tools/tribo/command.h"
#include "tools/tribo/inspect.h"
#include "tools/tribo/load_options.h"
#include "tools/tribo/output.h"

typedef struct Arguments {
  const char* file;
  bool json;
  TriboLoadArguments load;
} Arguments;

static const char* const kReportKinds[] = {"warning", "unused", "unsupported"};

static error_t parse(int key, char* text, struct argp_state* state) {
  Arguments* arguments = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = &arguments->load;
      return 0;
    case 'j':
      arguments->json = true;
      return 0;
    case ARGP_KEY_ARG:
      if (arguments->file != NULL) argp_error(state, "one file at a time");
      arguments->file = text;
      return 0;
    case ARGP_KEY_END:
      if (arguments->file == NULL) argp_error(state, "FILE is missing");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static json_t* list_places(const TriboReport* report, int entry) {
  json_t* places = json_array();
  TriboReportPlace place;
  for (int i = 0; tribo_report_place(report, entry, i, &place); ++i) {
    json_array_append_new(places,
                          json_pack("{s:i, s:s}", "line", place.line, "element", place.element));
  }
  return places;
}

static json_t* list_report(const TriboReport* report) {
  json_t* rows = json_array();
  for (int i = 0; i < tribo_report_count(report); ++i) {
    const TriboReportEntry* e = tribo_report_entry(report, i);
    json_array_append_new(
        rows, json_pack("{s:s, s:s, s:i, s:i, s:s, s:s, s:o}", "kind", kReportKinds[e->kind],
                        "file", e->file, "line", e->line, "times", e->occurrences, "element",
                        e->element, "why", e->text, "places", list_places(report, i)));
  }
  return rows;
}

// Whether the report holds what the user asked to be told by the exit code.
static bool has_losses(const Arguments* arguments, const TriboReport* report) {
  for (int i = 0; i < tribo_report_count(report); ++i) {
    TriboReportKind kind = tribo_report_entry(report, i)->kind;
    if (kind == TRIBO_REPORT_UNSUPPORTED && !arguments->load.options.allow_unsupported) return true;
    if (kind != TRIBO_REPORT_WARNING && arguments->load.options.strict) return true;
  }
  return tribo_report_dropped(report) > 0 && arguments->load.options.strict;
}

static void print_section(const char* title, const json_t* rows) {
  if (json_array_size(rows) == 0) return;
  printf("\n%s\n", title);
  tribo_table_print(stdout, rows);
}

static void print_report(const TriboReport* report) {
  if (tribo_report_count(report) == 0) return;
  printf("\nnot as written, or not used\n");
  for (int i = 0; i < tribo_report_count(report); ++i) {
    fputs("  ", stdout);
    tribo_report_print(stdout, report, i);
  }
  if (tribo_report_dropped(report) > 0)
    printf("  and %d more, for which the list has no room\n", tribo_report_dropped(report));
}

// The first of each kind, and how many like them there are.
static void print_suspicions(const json_t* suspicions) {
  enum { SHOWN = 3 };
  json_t *rows = json_array(), *row, *seen = json_object();
  size_t i;
  json_array_foreach(suspicions, i, row) {
    const char* kind = json_string_value(json_object_get(row, "kind"));
    const json_int_t count = json_integer_value(json_object_get(seen, kind)) + 1;
    json_object_set_new(seen, kind, json_integer(count));
    if (count <= SHOWN)
      json_array_append_new(
          rows, json_pack("{s:O, s:O}", "element", json_object_get(row, "element"), "what",
                          json_object_get(row, "what")));
  }
  const char* kind;
  json_object_foreach(seen, kind, row) {
    const int more = (int)json_integer_value(row) - SHOWN;
    char what[128];
    snprintf(what, sizeof what, "%s: %d more, which --json lists", kind, more);
    if (more > 0)
      json_array_append_new(rows, json_pack("{s:s, s:s}", "element", "..", "what", what));
  }
  print_section("what looks wrong", rows);
  json_decref(seen);
  json_decref(rows);
}

static void print_text(json_t* all, const TriboReport* report) {
  json_t* summary = json_pack("[O]", json_object_get(all, "summary"));
  tribo_table_print(stdout, summary);
  json_decref(summary);
  print_section("links", json_object_get(all, "links"));
  print_section("joints", json_object_get(all, "joints"));
  print_section("shapes", json_object_get(all, "shapes"));
  print_section("actuators", json_object_get(all, "actuators"));
  print_report(report);
  print_suspicions(json_object_get(all, "suspicions"));
}

static TriboExit show(const Arguments* arguments, TriboScene* scene, const TriboModel* model) {
  const TriboReport* report = tribo_scene_report(scene);
  json_t* all = tribo_json_begin("check");
  json_object_set_new(all, "file", json_string(arguments->file));
  json_object_set_new(all, "summary", tribo_inspect_summary(scene, model));
  json_object_set_new(all, "links", tribo_inspect_links(model));
  json_object_set_new(all, "joints", tribo_inspect_joints(model));
  json_object_set_new(all, "shapes", tribo_inspect_shapes(model));
  json_object_set_new(all, "actuators", tribo_inspect_actuators(model));
  json_object_set_new(all, "report", list_report(report));
  json_object_set_new(all, "dropped", json_integer(tribo_report_dropped(report)));
  json_object_set_new(all, "suspicions", tribo_inspect_suspicions(scene, model));
  TriboExit result = has_losses(arguments, report) ? TRIBO_EXIT_USAGE : TRIBO_EXIT_FINE;
  if (arguments->json) return tribo_json_print(stdout, all) == 0 ? result : TRIBO_EXIT_USAGE;
  print_text(all, report);
  json_decref(all);
  return result;
}

static TriboExit run(int argc, char** argv) {
  static const struct argp_option options[] = {
      {"json", 'j', NULL, 0, "Print one JSON object instead of tables", 0},
      {0},
  };
  static const struct argp_child children[] = {{&tribo_load_argp, 0, NULL, 0}, {0}};
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "FILE",
      .doc =
          "Reads a URDF or MJCF model and prints links, joints, masses, shapes, what was lost on "
          "the way, and what looks physically wrong."
          "\v"
          "Quaternions are in the order w x y z.\n"
          "Exit code: 0 the model can be used; 2 it cannot, or with --strict not without loss.",
      .children = children,
  };
  Arguments arguments = {.load = tribo_load_arguments_default()};
  if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0) return TRIBO_EXIT_USAGE;
  // Everything is listed; what counts is decided afterwards.
  TriboLoadOptions load = tribo_load_arguments_options(&arguments.load);
  load.allow_unsupported = true;
  load.strict = false;
  TriboScene* scene = NULL;
  TriboModel* model = NULL;
  TriboMessage message = {0};
  TriboStatus status = tribo_scene_load(arguments.file, &load, &scene, &message);
  if (status == TRIBO_OK) {
    status = tribo_model_create(tribo_scene_builder(scene), NULL, &model, &message);
  }
  TriboExit result = TRIBO_EXIT_USAGE;
  if (status == TRIBO_OK)
    result = show(&arguments, scene, model);
  else
    tribo_complain_at("check", &message);
  tribo_model_destroy(model);
  tribo_scene_destroy(scene);
  return result;
}

const TriboCommand tribo_command_check = {
    .name = "check",
    .summary = "read a URDF or MJCF model and say what is in it, lost, and wrong",
    .run = run,
};
