// SPDX-License-Identifier: Apache-2.0
//
// `tribo replay`: simulates a trajectory again from its recorded start and inputs.
#define _DEFAULT_SOURCE  // argp
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/message.h"
#include "tools/trajectory/meta.h"
#include "tools/tribo/command.h"
#include "tools/tribo/compare.h"
#include "tools/tribo/golden.h"
#include "tools/tribo/output.h"

typedef struct Arguments {
  const char *path, *model;
  TriboCompareOptions options;
  bool json;
} Arguments;

// A controller that repeats recorded inputs, whoever gave them. The arrays are the run's.
typedef struct Player {
  const TriboTrajectory* t;
  int64_t row;
  double* effort;  // nv; NULL where none were recorded
  double* wrench;  // 6 links, likewise
  int links;
  int64_t next_wrench;
} Player;

static void forget(void* self) { (void)self; }

// FALSE: one is on a link that the model does not have.
static bool play_wrenches(Player* player) {
  const TriboTrajectory* t = player->t;
  memset(player->wrench, 0, 6 * (size_t)player->links * sizeof(double));
  for (; player->next_wrench < t->wrenches; ++player->next_wrench) {
    const int64_t i = player->next_wrench;
    if (t->wrench_row[i] > player->row) break;
    if (t->wrench_link[i] >= player->links) return false;
    memcpy(player->wrench + 6 * t->wrench_link[i], t->wrench + 6 * i, 6 * sizeof(double));
  }
  return true;
}

static TriboStatus play(void* self, const TriboState* state, const TriboWorkspace* workspace,
                        TriboWorkspace* scratch, double* control) {
  (void)state, (void)workspace, (void)scratch;
  Player* player = self;
  if (++player->row >= player->t->rows) return TRIBO_ERROR_LIMIT;
  const TriboTrajectory* t = player->t;
  memcpy(control, t->control + player->row * t->nu, (size_t)t->nu * sizeof(double));
  if (player->effort != NULL)
    memcpy(player->effort, t->effort + player->row * t->nv, (size_t)t->nv * sizeof(double));
  if (player->wrench != NULL && !play_wrenches(player)) return TRIBO_ERROR_ARGUMENT;
  return TRIBO_OK;
}

// Memory for the inputs besides the controls. FALSE: there is none.
static bool allocate_inputs(Player* player, TriboRun* run) {
  const TriboTrajectory* t = player->t;
  player->links = tribo_model_count(run->model, TRIBO_KIND_LINK);
  if (t->effort != NULL) player->effort = calloc((size_t)t->nv + 1, sizeof(double));
  if (t->wrenches > 0) player->wrench = calloc(6 * (size_t)player->links + 1, sizeof(double));
  run->effort = player->effort;
  run->wrench = player->wrench;
  return (t->effort == NULL || run->effort != NULL) && (t->wrenches == 0 || run->wrench != NULL);
}

static const TriboController kPlayer = {
    .name = "replay", .summary = "", .destroy = forget, .update = play};

// Puts the run where the recording started: the saved state, or where the model has changed since,
// its first row.
static TriboStatus restore(const TriboTrajectory* t, TriboRun* run) {
  if (tribo_state_restore(run->model, t->initial_state, (size_t)t->initial_size, run->state) ==
      TRIBO_OK)
    return TRIBO_OK;
  fprintf(stderr, "warning: the model has changed since it was recorded\n");
  TriboStatus status = tribo_state_set_q(run->model, run->state, t->q);
  if (status == TRIBO_OK) status = tribo_state_set_v(run->model, run->state, t->v);
  if (status == TRIBO_OK) status = tribo_state_set_time(run->state, t->time[0]);
  return status;
}

// Only the header's model, step options and number of steps between rows are asked for: who gave
// the inputs, and with which settings, does not matter once they are recorded.
static bool prepare(const Arguments* arguments, const TriboTrajectory* t, TriboRunSpec* spec,
                    const json_t* meta, Player* player, TriboRun* run, TriboMessage* message) {
  const char* source = json_string_value(json_object_get(meta, "source"));
  json_int_t every = json_integer_value(json_object_get(meta, "every"));
  *spec = tribo_run_spec_default();
  spec->model = arguments->model != NULL ? arguments->model : source;
  spec->energy = t->energy != NULL;
  if (every != 1) {
    (void)tribo_message_set(message, TRIBO_ERROR_ARGUMENT,
                            "%.300s has only every %lld-th step: the inputs between are not known",
                            arguments->path, (long long)every);
    return false;
  }
  if (spec->model == NULL || spec->model[0] == '\0') {
    (void)tribo_message_set(message, TRIBO_ERROR_ARGUMENT,
                            "%.300s does not say which model it is of: name it with --model",
                            arguments->path);
    return false;
  }
  if (!tribo_load_arguments_read(json_object_get(json_object_get(meta, "settings"), "load"),
                                 &spec->load)) {
    (void)tribo_message_set(message, TRIBO_ERROR_PARSE,
                            "%.300s: the header's settings.load makes no sense", arguments->path);
    return false;
  }
  if (tribo_run_create(spec, run, message) != TRIBO_OK) return false;
  run->controller = &kPlayer;
  run->self = player;
  if (!allocate_inputs(player, run)) {
    (void)tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory");
    return false;
  }
  if (tribo_meta_read_step_options(json_object_get(meta, "step_options"), &run->options, message) !=
      TRIBO_OK)
    return false;
  spec->duration = (double)(t->rows - 1) * run->options.h;
  if (tribo_model_nq(run->model) != t->nq || tribo_model_nv(run->model) != t->nv ||
      tribo_model_nu(run->model) != t->nu || t->rows < 2 || restore(t, run) != TRIBO_OK) {
    (void)tribo_message_set(
        message, TRIBO_ERROR_ARGUMENT,
        "the model has other coordinates than the recording, or the recording is empty");
    return false;
  }
  return true;
}

static TriboExit judge(const Arguments* arguments, const TriboTrajectory* t, const char* now) {
  TriboMessage message;
  TriboTrajectory* again = NULL;
  TriboComparison* c = NULL;
  TriboExit result = TRIBO_EXIT_USAGE;
  if (tribo_trajectory_open(now, &again, &message) == TRIBO_OK &&
      tribo_trajectory_compare(t, again, &arguments->options, &c, &message) == TRIBO_OK) {
    if (arguments->json) {
      json_t* object = tribo_json_begin("replay");
      json_t* comparison = tribo_comparison_json(t, again, &arguments->options, c);
      json_object_update(object, comparison);
      json_decref(comparison);
      (void)tribo_json_print(stdout, object);
    } else {
      tribo_comparison_print(t, again, &arguments->options, c);
    }
    result = c->same ? TRIBO_EXIT_FINE : TRIBO_EXIT_NO;
  } else {
    tribo_complain_at("replay", &message);
  }
  tribo_comparison_destroy(c);
  tribo_trajectory_close(again);
  return result;
}

static TriboExit replay(const Arguments* arguments, const TriboTrajectory* t, const char* now) {
  TriboMessage message = {0};
  json_t* meta = json_loads(t->meta, 0, NULL);
  TriboRunSpec spec;
  TriboRun run = {0};
  Player player = {.t = t};
  TriboExit result = TRIBO_EXIT_USAGE;
  if (prepare(arguments, t, &spec, meta, &player, &run, &message)) {
    TriboRunSummary summary;
    spec.out = now;
    TriboStatus status = tribo_run_simulate(&spec, &run, &summary, &message);
    if (status == TRIBO_OK && summary.status != TRIBO_OK) {
      tribo_complain("replay", "%s", message.text);
      result = TRIBO_EXIT_NO;
    } else if (status == TRIBO_OK) {
      result = judge(arguments, t, now);
    } else {
      tribo_complain("replay", "%s", message.text);
    }
  } else {
    tribo_complain_at("replay", &message);
  }
  tribo_run_destroy(&run);
  free(player.effort), free(player.wrench);
  json_decref(meta);
  return result;
}

static error_t parse(int key, char* text, struct argp_state* state) {
  Arguments* arguments = state->input;
  const char* bad;
  switch (key) {
    case 'm':
      arguments->model = text;
      return 0;
    case 't':
      if (!tribo_tolerances_parse(text, &arguments->options, &bad))
        argp_error(state, "--tol wants QUANTITY=ABSOLUTE[:RELATIVE],..., not '%s'", bad);
      return 0;
    case 'j':
      arguments->json = true;
      return 0;
    case ARGP_KEY_ARG:
      if (arguments->path != NULL) argp_error(state, "one trajectory is enough");
      arguments->path = text;
      return 0;
    case ARGP_KEY_END:
      if (arguments->path == NULL) argp_error(state, "which trajectory?");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static TriboExit run(int argc, char** argv) {
  static const struct argp_option options[] = {
      {"model", 'm', "MODEL", 0, "The model, where it is not where the recording says", 0},
      {"tol", 't', "LIST", 0, "Tolerances, as for tribo compare (default: bit by bit)", 0},
      {"json", 'j', NULL, 0, "Print one JSON object instead of tables", 0},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "FILE.npz",
      .doc =
          "Simulates a recorded trajectory again, from its start with its controls, efforts, "
          "wrenches and step options, and compares every number."
          "\v"
          "Exit code: 0 the same, 1 different, 2 bad input or usage.",
  };
  Arguments arguments = {0};
  if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0) return TRIBO_EXIT_USAGE;
  TriboMessage message;
  TriboTrajectory* t;
  if (tribo_trajectory_open(arguments.path, &t, &message) != TRIBO_OK) {
    tribo_complain_at("replay", &message);
    return TRIBO_EXIT_USAGE;
  }
  char folder[4096], now[4200];
  TriboExit result = TRIBO_EXIT_USAGE;
  if (tribo_scratch_create(folder)) {
    snprintf(now, sizeof now, "%s/now.npz", folder);
    result = replay(&arguments, t, now);
    tribo_scratch_destroy(folder);
  } else {
    tribo_complain("replay", "no folder for passing files can be made in TMPDIR");
  }
  tribo_trajectory_close(t);
  return result;
}

const TriboCommand tribo_command_replay = {
    .name = "replay",
    .summary = "simulate a recorded trajectory again and compare every bit",
    .run = run,
};
