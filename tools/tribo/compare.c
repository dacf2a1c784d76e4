// SPDX-License-Identifier: Apache-2.0
//
// `tribo compare`: are two trajectories the same, and where do they part?
#define _DEFAULT_SOURCE  // argp
#include "tools/tribo/compare.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "tools/trajectory/report.h"
#include "tools/tribo/command.h"
#include "tools/tribo/output.h"

typedef struct Arguments {
  const char* path[2];
  int count;
  TriboCompareOptions options;
  bool json;
  const char* report;
} Arguments;

static error_t parse(int key, char* text, struct argp_state* state) {
  Arguments* arguments = state->input;
  const char* bad;
  switch (key) {
    case 't':
      if (!tribo_tolerances_parse(text, &arguments->options, &bad))
        argp_error(
            state,
            "--tol wants QUANTITY=ABSOLUTE[:RELATIVE],... with q, v, control, force, energy, "
            "momentum, time, events; this makes no sense: %s",
            bad);
      return 0;
    case 'a':
      if (strcmp(text, "time") == 0)
        arguments->options.align = TRIBO_ALIGN_TIME;
      else if (strcmp(text, "contact-events") == 0)
        arguments->options.align = TRIBO_ALIGN_EVENTS;
      else
        argp_error(state, "--align wants time or contact-events, not '%s'", text);
      return 0;
    case 'b':
      if (strcmp(text, "points") == 0)
        arguments->options.by = TRIBO_BY_POINTS;
      else if (strcmp(text, "invariants") == 0)
        arguments->options.by = TRIBO_BY_INVARIANTS;
      else
        argp_error(state, "--by wants points or invariants, not '%s'", text);
      return 0;
    case 'j':
      arguments->json = true;
      return 0;
    case 'R':
      arguments->report = text;
      return 0;
    case ARGP_KEY_ARG:
      if (arguments->count == 2) argp_error(state, "two trajectories are enough");
      arguments->path[arguments->count++] = text;
      return 0;
    case ARGP_KEY_END:
      if (arguments->count < 2) argp_error(state, "which two trajectories?");
      if (arguments->options.align == TRIBO_ALIGN_EVENTS &&
          arguments->options.by == TRIBO_BY_INVARIANTS)
        argp_error(state, "--align contact-events compares points; invariants need no alignment");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static TriboExit show(const Arguments* arguments, const TriboTrajectory* a,
                      const TriboTrajectory* b, const TriboComparison* c) {
  if (arguments->json) {
    json_t* object = tribo_json_begin("compare");
    json_t* result = tribo_comparison_json(a, b, &arguments->options, c);
    json_object_update(object, result);
    json_decref(result);
    if (tribo_json_print(stdout, object) != 0) return TRIBO_EXIT_USAGE;
  } else {
    tribo_comparison_print(a, b, &arguments->options, c);
  }
  TriboMessage message;
  if (arguments->report != NULL &&
      tribo_report_write_comparison(a, arguments->path[0], b, arguments->path[1],
                                    &arguments->options, c, arguments->report,
                                    &message) != TRIBO_OK) {
    tribo_complain("compare", "%s", message.text);
    return TRIBO_EXIT_USAGE;
  }
  return c->same ? TRIBO_EXIT_FINE : TRIBO_EXIT_NO;
}

static TriboExit compare(const Arguments* arguments) {
  TriboTrajectory* t[2] = {NULL, NULL};
  TriboMessage message;
  TriboExit result = TRIBO_EXIT_USAGE;
  for (int i = 0; i < 2; ++i) {
    if (tribo_trajectory_open(arguments->path[i], &t[i], &message) != TRIBO_OK) {
      tribo_complain_at("compare", &message);
      tribo_trajectory_close(t[0]);
      return TRIBO_EXIT_USAGE;
    }
  }
  TriboComparison* c = NULL;
  if (tribo_trajectory_compare(t[0], t[1], &arguments->options, &c, &message) == TRIBO_OK)
    result = show(arguments, t[0], t[1], c);
  else
    tribo_complain_at("compare", &message);
  tribo_comparison_destroy(c);
  tribo_trajectory_close(t[0]), tribo_trajectory_close(t[1]);
  return result;
}

static TriboExit run(int argc, char** argv) {
  static const struct argp_option options[] = {
      {"tol", 't', "LIST", 0,
       "Tolerances: q=1e-9,v=1e-6,force=1e-3:1e-6,... each absolute or absolute:relative. What is "
       "not named must be the same number",
       0},
      {"align", 'a', "HOW", 0, "Compare rows of the same time, or those at the same contact-events",
       0},
      {"by", 'b', "WHAT", 0,
       "points: every number. invariants: energy and momentum, how many contact events, and the "
       "end "
       "pose, for motions that are chaotic",
       0},
      {"json", 'j', NULL, 0, "Print one JSON object instead of tables", 0},
      {"report", 'R', "FILE.html", 0, "Write a report with plots", 0},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "A B",
      .doc =
          "Compares two trajectories of one model: positions on the manifold, velocities, "
          "controls, "
          "contact forces by pair of shapes, energy, and the sequence of contact events."
          "\v"
          "Quantities: q (m, rad), v, control, force (N), energy (J), momentum; time (s, shift of "
          "an "
          "event), events (how many may be in one file only).\n"
          "Exit code: 0 the same, 1 different, 2 bad input or usage.",
  };
  Arguments arguments = {0};
  if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0) return TRIBO_EXIT_USAGE;
  return compare(&arguments);
}

const TriboCommand tribo_command_compare = {
    .name = "compare",
    .summary = "are two trajectories the same, and where do they part?",
    .run = run,
};
