// SPDX-License-Identifier: Apache-2.0
//
// `tribo simulate`: runs a model, ends with a table of how it went.
#define _DEFAULT_SOURCE  // argp, isatty
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/trajectory/options.h"
#include "tools/trajectory/report.h"
#include "tools/tribo/command.h"
#include "tools/tribo/output.h"
#include "tools/tribo/run.h"
#include "tools/tribo/run_options.h"

typedef struct Arguments {
  TriboRunSpec spec;
  TriboRunOptions options;
  const char* report;
  bool json;
} Arguments;

static error_t parse(int key, char* text, struct argp_state* state) {
  Arguments* arguments = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      arguments->options.spec = &arguments->spec;
      state->child_inputs[0] = &arguments->options;
      state->child_inputs[1] = &arguments->spec.load;
      return 0;
    case 'j':
      arguments->json = true;
      return 0;
    case 'R':
      arguments->report = text;
      return 0;
    case ARGP_KEY_ARG:
      if (arguments->spec.model != NULL)
        argp_error(state, "one MODEL is enough, not also '%s'", text);
      arguments->spec.model = text;
      return 0;
    case ARGP_KEY_END:
      if (arguments->spec.model == NULL)
        argp_error(state, "which MODEL? A file, or a scene of `tribo scene`");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

// What the reader of the model had to say.
static void print_warnings(const TriboRun* run) {
  const TriboReport* report = tribo_scene_report(run->scene);
  for (int i = 0; i < tribo_report_count(report) && i < 10; ++i)
    tribo_report_print(stderr, report, i);
  if (run->warnings > 10) fprintf(stderr, "warning: and %d more\n", run->warnings - 10);
}

static TriboExit finish(const Arguments* arguments, const TriboRun* run,
                        const TriboRunSummary* summary, const TriboMessage* message) {
  if (arguments->json) {
    json_t* object = tribo_json_begin("simulate");
    json_object_set_new(object, "model", json_string(arguments->spec.model));
    json_object_set_new(object, "summary", tribo_run_summary_json(run, summary));
    (void)tribo_json_print(stdout, object);
  } else {
    tribo_run_summary_print(run, summary);
  }
  if (summary->status != TRIBO_OK) {
    tribo_complain("simulate", "%s", message->text);
    return TRIBO_EXIT_NO;
  }
  return summary->interrupted ? (TriboExit)(128 + summary->signal) : TRIBO_EXIT_FINE;
}

static bool is_table(const char* path) {
  const size_t length = strlen(path);
  return length >= 4 && strcmp(path + length - 4, ".csv") == 0;
}

// The report is drawn from a trajectory, which is a passing one where none was asked for, or only a
// table: that is written from it too.
static TriboExit write_report(const Arguments* arguments, const char* trajectory,
                              const char* table) {
  TriboMessage message;
  TriboTrajectory* t;
  TriboStatus status = tribo_trajectory_open(trajectory, &t, &message);
  if (status == TRIBO_OK) {
    status = tribo_report_write_run(t, arguments->spec.model, arguments->report, &message);
    if (status == TRIBO_OK && table != NULL)
      status = tribo_trajectory_write_csv(t, table, &message);
    tribo_trajectory_close(t);
  }
  if (status == TRIBO_OK) return TRIBO_EXIT_FINE;
  tribo_complain("simulate", "the report: %s", message.text);
  return TRIBO_EXIT_USAGE;
}

// The options that a step refuses: those without which it would not, or all that are not usual. The
// run is over, so that its state may be used for trying.
static void complain_options(const TriboRun* run) {
  const TriboStepOptions defaults = tribo_step_options_default();
  char culprits[512] = "", unusual[512] = "";
  for (int i = 0; i < tribo_option_count(); ++i) {
    TriboStepOptions without = run->options;
    char own[64], usual[64];
    int option;
    tribo_option_show(i, &run->options, own);
    tribo_option_show(i, &defaults, usual);
    const char* name = tribo_option_name(i);
    if (strcmp(own, usual) == 0 || !tribo_option_set(name, usual, &without, &option)) continue;
    size_t used = strlen(unusual);
    snprintf(unusual + used, sizeof unusual - used, "%s%s %s", used > 0 ? ", " : "", name, own);
    if (tribo_step(run->model, &without, NULL, run->state, run->workspace) == TRIBO_ERROR_ARGUMENT)
      continue;
    used = strlen(culprits);
    snprintf(culprits + used, sizeof culprits - used, "%s%s %s", used > 0 ? " with " : "", name,
             own);
  }
  if (culprits[0] != '\0')
    tribo_complain("simulate", "a step does not take %s", culprits);
  else
    tribo_complain("simulate", "a step does not take these options together: %s", unusual);
}

static TriboExit simulate(Arguments* arguments) {
  char passing[4096];
  const char* out = arguments->spec.out;
  const bool is_passing = arguments->report != NULL && (out == NULL || is_table(out));
  if (is_passing) {
    snprintf(passing, sizeof passing, "%s.npz", arguments->report);
    arguments->spec.out = passing;
  }
  if (arguments->report != NULL) arguments->spec.energy = true;
  TriboMessage message = {0};
  TriboRun run;
  if (tribo_run_create(&arguments->spec, &run, &message) != TRIBO_OK) {
    tribo_complain_at("simulate", &message);
    return TRIBO_EXIT_USAGE;
  }
  print_warnings(&run);
  TriboRunSummary summary;
  TriboExit result = TRIBO_EXIT_USAGE;
  TriboStatus status = tribo_run_simulate(&arguments->spec, &run, &summary, &message);
  if (status == TRIBO_OK && summary.status == TRIBO_ERROR_ARGUMENT && summary.steps == 0)
    complain_options(&run);
  else if (status == TRIBO_OK)
    result = finish(arguments, &run, &summary, &message);
  else
    tribo_complain("simulate", "%s", message.text);
  if (arguments->report != NULL && status == TRIBO_OK && result != TRIBO_EXIT_USAGE) {
    TriboExit drawn = write_report(arguments, arguments->spec.out, is_passing ? out : NULL);
    if (drawn != TRIBO_EXIT_FINE) result = drawn;
  }
  if (is_passing) (void)remove(passing);
  tribo_run_destroy(&run);
  return result;
}

static TriboExit run(int argc, char** argv) {
  static const struct argp_option options[] = {
      {"report", 'R', "FILE.html", 0, "Write a report with plots, one file that needs no network",
       0},
      {"json", 'j', NULL, 0, "Print one JSON object instead of a table", 0},
      {0},
  };
  static const struct argp_child children[] = {
      {&tribo_run_argp, 0, NULL, 0}, {&tribo_load_argp, 0, "How MODEL is read:", 1}, {0}};
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "MODEL",
      .doc =
          "Simulates MODEL: a URDF or MJCF file, or a scene of the library, SCENE or "
          "SCENE:KEY=VALUE,... (tribo scene lists them)."
          "\v"
          "Ctrl-C ends a run early and leaves a complete trajectory. A run that is killed leaves "
          "the folder FILE.part, which every command reads like a trajectory.\n"
          "Exit code: 0 fine, 1 a step failed, 2 bad input or usage, 130 interrupted.",
      .children = children,
  };
  Arguments arguments = {.spec = tribo_run_spec_default()};
  arguments.spec.progress = isatty(STDERR_FILENO);
  if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0) return TRIBO_EXIT_USAGE;
  TriboExit result = simulate(&arguments);
  tribo_run_options_free(&arguments.options);
  return result;
}

const TriboCommand tribo_command_simulate = {
    .name = "simulate",
    .summary = "run a model, record its trajectory, draw a report",
    .run = run,
};
