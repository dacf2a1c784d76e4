// SPDX-License-Identifier: Apache-2.0
#include "tools/tribo/load_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Above those of the commands, whose keys start at 256.
enum { KEY_STRICT = 512, KEY_ALLOW, KEY_ESCAPE, KEY_ROOT, KEY_FLOOR };

static const char* const kRoots[] = {
    [TRIBO_ROOT_AUTO] = NULL, [TRIBO_ROOT_FREE] = "free", [TRIBO_ROOT_FIXED] = "fixed"};

TriboLoadArguments tribo_load_arguments_default(void) {
  return (TriboLoadArguments){.options = tribo_load_options_default()};
}

TriboLoadOptions tribo_load_arguments_options(const TriboLoadArguments* arguments) {
  TriboLoadOptions options = arguments->options;
  options.search_path_count = arguments->path_count;
  options.search_paths = arguments->path;
  return options;
}

static bool set_root(const char* text, TriboLoadOptions* options) {
  for (TriboRootType root = TRIBO_ROOT_FREE; root <= TRIBO_ROOT_FIXED; ++root) {
    if (strcmp(text, kRoots[root]) != 0) continue;
    options->root = root;
    return true;
  }
  return false;
}

static bool set_floor(const char* text, TriboLoadOptions* options) {
  char* end;
  options->floor_gap = strtod(text, &end);
  options->floor = *text != '\0' && *end == '\0' && isfinite(options->floor_gap);
  return options->floor;
}

static error_t parse(int key, char* text, struct argp_state* state) {
  TriboLoadArguments* arguments = state->input;
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
      if (!set_root(text, &arguments->options))
        argp_error(state, "--root wants free or fixed, not '%s'", text);
      return 0;
    case KEY_FLOOR:
      if (!set_floor(text, &arguments->options))
        argp_error(state, "--floor wants a height in metres, not '%s'", text);
      return 0;
    case 'p':
      if (arguments->path_count == TRIBO_LOAD_PATHS) argp_error(state, "too many paths");
      arguments->path[arguments->path_count++] = text;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option kOptions[] = {
    {"strict", KEY_STRICT, NULL, 0, "Anything that was read but not used is an error", 0},
    {"allow-unsupported", KEY_ALLOW, NULL, 0,
     "What would change the motion and is not supported is left out, and no error", 0},
    {"search-path", 'p', "DIR", 0, "Look for meshes and packages in DIR too; may be repeated", 0},
    {"allow-escape", KEY_ESCAPE, NULL, 0, "Files that the model names may lie anywhere", 0},
    {"root", KEY_ROOT, "HOW", 0,
     "The root is free, or of a URDF fixed (default: by its mass, or as MJCF says)", 0},
    {"floor", KEY_FLOOR, "H", 0, "Put a floor H metres below the model's lowest point", 0},
    {0},
};

const struct argp tribo_load_argp = {.options = kOptions, .parser = parse};

json_t* tribo_load_arguments_write(const TriboLoadArguments* arguments) {
  const TriboLoadOptions* options = &arguments->options;
  json_t* object = json_object();
  if (options->strict) json_object_set_new(object, "strict", json_true());
  if (options->allow_unsupported) json_object_set_new(object, "allow_unsupported", json_true());
  if (options->allow_path_escape) json_object_set_new(object, "allow_path_escape", json_true());
  if (kRoots[options->root] != NULL)
    json_object_set_new(object, "root", json_string(kRoots[options->root]));
  if (options->floor) json_object_set_new(object, "floor", json_real(options->floor_gap));
  if (arguments->path_count > 0) {
    json_t* paths = json_array();
    for (int i = 0; i < arguments->path_count; ++i)
      json_array_append_new(paths, json_string(arguments->path[i]));
    json_object_set_new(object, "search_paths", paths);
  }
  if (json_object_size(object) > 0) return object;
  json_decref(object);
  return NULL;
}

bool tribo_load_arguments_read(const json_t* object, TriboLoadArguments* arguments) {
  *arguments = tribo_load_arguments_default();
  if (object == NULL) return true;
  if (!json_is_object(object)) return false;
  arguments->options.strict = json_is_true(json_object_get(object, "strict"));
  arguments->options.allow_unsupported = json_is_true(json_object_get(object, "allow_unsupported"));
  arguments->options.allow_path_escape = json_is_true(json_object_get(object, "allow_path_escape"));
  const json_t* root = json_object_get(object, "root");
  if (root != NULL &&
      (!json_is_string(root) || !set_root(json_string_value(root), &arguments->options)))
    return false;
  const json_t* floor = json_object_get(object, "floor");
  if (floor != NULL && !json_is_number(floor)) return false;
  arguments->options.floor = floor != NULL;
  arguments->options.floor_gap = json_number_value(floor);
  size_t i;
  json_t* path;
  json_array_foreach(json_object_get(object, "search_paths"), i, path) {
    if (!json_is_string(path) || arguments->path_count == TRIBO_LOAD_PATHS) return false;
    arguments->path[arguments->path_count++] = json_string_value(path);
  }
  return true;
}

// The first places' elements, each once, and how many more occurrences there are.
static void print_elements(FILE* out, const TriboReport* report, int index) {
  enum { SHOWN = 3 };
  const TriboReportEntry* entry = tribo_report_entry(report, index);
  const char* shown[SHOWN] = {entry->element};
  TriboReportPlace place;
  int count = 1, more = 0;
  fputs(entry->element, out);
  for (int i = 1; tribo_report_place(report, index, i, &place); ++i) {
    bool known = false;
    for (int k = 0; k < count; ++k) known = known || strcmp(shown[k], place.element) == 0;
    if (known) continue;
    if (count == SHOWN) {
      ++more;
      continue;
    }
    fprintf(out, ", %s", place.element);
    shown[count++] = place.element;
  }
  if (more > 0) fprintf(out, " and %d more", more);
}

void tribo_report_print(FILE* out, const TriboReport* report, int index) {
  static const char* const kinds[] = {"warning", "unused", "unsupported"};
  const TriboReportEntry* entry = tribo_report_entry(report, index);
  if (entry->line > 0) fprintf(out, "%s:%d: ", entry->file, entry->line);
  fprintf(out, "%s: ", kinds[entry->kind]);
  print_elements(out, report, index);
  fprintf(out, ": %s", entry->text);
  if (entry->occurrences > 1)
    fprintf(out, " (%d times, first at line %d)", entry->occurrences, entry->line);
  fputc('\n', out);
}
