// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE  // argp
#include "tools/tribo/run_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/trajectory/options.h"

enum {
  OPTION_MODEL = 256,
  OPTION_SOLVER,
  OPTION_CONE,
  OPTION_DT,
  OPTION_EVERY,
  OPTION_COMPRESS,
  OPTION_ENERGY
};

static void add_setting(TriboRunOptions* options, const char* text, struct argp_state* state) {
  if (options->spec->setting_count >= TRIBO_RUN_SETTINGS) argp_error(state, "too many settings");
  options->spec->setting[options->spec->setting_count++] = text;
}

// --NAME VALUE is --set NAME=VALUE.
static void add_named(TriboRunOptions* options, const char* name, const char* value,
                      struct argp_state* state) {
  size_t size = strlen(name) + strlen(value) + 2;
  char* text = malloc(size);
  if (text == NULL || options->count >= TRIBO_RUN_SETTINGS) argp_error(state, "too many settings");
  snprintf(text, size, "%s=%s", name, value);
  options->owned[options->count++] = text;
  add_setting(options, text, state);
}

static double number(const char* option, const char* text, struct argp_state* state) {
  char* end;
  double value = strtod(text, &end);
  if (*text == '\0' || *end != '\0' || !(value > 0) || !isfinite(value))
    argp_error(state, "%s wants a positive number, not '%s'", option, text);
  return value;
}

static error_t parse(int key, char* text, struct argp_state* state) {
  TriboRunOptions* options = state->input;
  TriboRunSpec* spec = options->spec;
  switch (key) {
    case OPTION_MODEL:
      add_named(options, "model", text, state);
      return 0;
    case OPTION_SOLVER:
      add_named(options, "solver", text, state);
      return 0;
    case OPTION_CONE:
      add_named(options, "cone", text, state);
      return 0;
    case OPTION_DT:
      (void)number("--dt", text, state);
      add_named(options, "dt", text, state);
      return 0;
    case 't':
      spec->duration = number("--duration", text, state);
      return 0;
    case 'c':
      spec->controller = text;
      return 0;
    case 'k':
      spec->key = text;
      return 0;
    case 's':
      if (strchr(text, '=') == NULL) argp_error(state, "--set wants KEY=VALUE, not '%s'", text);
      add_setting(options, text, state);
      return 0;
    case 'o':
      spec->out = text;
      return 0;
    case OPTION_EVERY: {
      double every = number("--every", text, state);
      if (every != floor(every) || every > 1e9) argp_error(state, "--every wants a whole number");
      spec->every = (int)every;
      return 0;
    }
    case OPTION_COMPRESS:
      spec->compress = true;
      return 0;
    case OPTION_ENERGY:
      spec->energy = true;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

// The names that --set takes and the controllers, as the last lines of --help.
static char* filter(int key, const char* text, void* input) {
  (void)input;
  if (key != ARGP_KEY_HELP_EXTRA) return (char*)text;
  char* list = NULL;
  size_t size = 0;
  FILE* out = open_memstream(&list, &size);
  if (out == NULL) return NULL;
  fputs("Step options for --set, as tribo.h describes them (dt is its h):\n ", out);
  for (int i = 0; i < tribo_option_count(); ++i)
    fprintf(out, "%s %s", i > 0 ? "," : "", tribo_option_name(i));
  fputs("\n\nControllers:", out);
  for (int i = 0; tribo_controllers[i] != NULL; ++i)
    fprintf(out, "\n  %-12s %s", tribo_controllers[i]->name, tribo_controllers[i]->summary);
  fclose(out);
  return list;
}

static const struct argp_option kOptions[] = {
    {"model", OPTION_MODEL, "NAME", 0, "Contact model: coulomb, noslip, viscous or frictionless",
     0},
    {"solver", OPTION_SOLVER, "NAME", 0,
     "auto, lemke (all models), dantzig, energy, pgs (Coulomb), ppm, dual (the others)", 0},
    {"cone", OPTION_CONE, "NAME", 0, "round or polygon", 0},
    {"dt", OPTION_DT, "H", 0, "Step, s (default: the file's, or 0.001)", 0},
    {"duration", 't', "T", 0, "How long, s (default 1)", 0},
    {"controller", 'c', "NAME", 0, "Who gives the controls, or none (default)", 0},
    {"key", 'k', "NAME", 0, "Keyframe of the file to start from (default: the first, if any)", 0},
    {"set", 's', "KEY=VALUE", 0, "A step option, or one of the controller", 0},
    {"out", 'o', "FILE", 0, "Record the trajectory: .npz for NumPy, .csv for spreadsheets", 0},
    {"every", OPTION_EVERY, "N", 0, "Record every N-th step only (events of all)", 0},
    {"compress", OPTION_COMPRESS, NULL, 0, "Deflate the trajectory", 0},
    {"energy", OPTION_ENERGY, NULL, 0, "Record energy and momentum too", 0},
    {0},
};

const struct argp tribo_run_argp = {
    .options = kOptions,
    .parser = parse,
    .help_filter = filter,
};

void tribo_run_options_free(TriboRunOptions* options) {
  for (int i = 0; i < options->count; ++i) free(options->owned[i]);
  options->count = 0;
}
