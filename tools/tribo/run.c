// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L  // open_memstream, sigaction
#include "tools/tribo/run.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "models/library/library.h"
#include "tools/trajectory/options.h"
#include "tools/trajectory/tribo_trajectory.h"

TriboRunSpec tribo_run_spec_default(void) {
  TriboRunSpec spec = {.controller = "none",
                       .load = tribo_load_arguments_default(),
                       .duration = 1,
                       .every = 1,
                       .progress = false};
  return spec;
}

static TriboStatus fail(TriboMessage* message, TriboStatus status, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

static TriboStatus fail(TriboMessage* message, TriboStatus status, const char* format, ...) {
  message->status = status;
  message->file[0] = '\0';
  message->line = 0;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message->text, sizeof message->text, format, arguments);
  va_end(arguments);
  return status;
}

// A scene of the library, SCENE or SCENE:KEY=VALUE,KEY=VALUE.
static TriboStatus load_library_scene(const char* text, const TriboLoadOptions* options,
                                      TriboScene** scene, TriboMessage* message) {
  char copy[512];
  const char* setting[TRIBO_RUN_SETTINGS];
  int count = 0;
  if (strlen(text) >= sizeof copy)
    return fail(message, TRIBO_ERROR_ARGUMENT, "the scene's settings are too long");
  strcpy(copy, text);
  char* rest = strchr(copy, ':');
  if (rest != NULL) *rest++ = '\0';
  while (rest != NULL && *rest != '\0' && count < TRIBO_RUN_SETTINGS) {
    setting[count++] = rest;
    rest = strchr(rest, ',');
    if (rest != NULL) *rest++ = '\0';
  }
  if (tribo_library_find(copy) == NULL)
    return fail(message, TRIBO_ERROR_FILE,
                "'%.200s' is neither a file nor a scene (tribo scene lists those)", copy);
  char* buffer = NULL;
  size_t size = 0;
  FILE* memory = open_memstream(&buffer, &size);
  if (memory == NULL) return fail(message, TRIBO_ERROR_MEMORY, "out of memory");
  TriboStatus status = tribo_library_write(copy, count, setting, memory, message);
  if (fclose(memory) != 0 && status == TRIBO_OK)
    status = fail(message, TRIBO_ERROR_MEMORY, "out of memory");
  if (status == TRIBO_OK)
    status = tribo_scene_load_string(buffer, size, NULL, options, scene, message);
  free(buffer);
  return status;
}

static TriboStatus load(const TriboRunSpec* spec, TriboScene** scene, TriboMessage* message) {
  TriboLoadOptions options = tribo_load_arguments_options(&spec->load);
  if (access(spec->model, F_OK) == 0)
    return tribo_scene_load(spec->model, &options, scene, message);
  return load_library_scene(spec->model, &options, scene, message);
}

// Step options go to the step; what is none is left for the controller.
static TriboStatus apply_settings(const TriboRunSpec* spec, TriboRun* run, const char** left,
                                  TriboMessage* message) {
  int count = 0;
  for (int i = 0; i < spec->setting_count; ++i) {
    char name[128];
    const char* equals = strchr(spec->setting[i], '=');
    if (equals == NULL || (size_t)(equals - spec->setting[i]) >= sizeof name)
      return fail(message, TRIBO_ERROR_ARGUMENT, "'%.200s' is not of the form KEY=VALUE",
                  spec->setting[i]);
    snprintf(name, sizeof name, "%.*s", (int)(equals - spec->setting[i]), spec->setting[i]);
    int option;
    if (tribo_option_set(name, equals + 1, &run->options, &option)) continue;
    if (option >= 0) {
      const char* choices = tribo_option_choices(option);
      return fail(message, TRIBO_ERROR_ARGUMENT, "%s wants %s%s, not '%.100s'", name,
                  choices != NULL ? "one of " : "a number", choices != NULL ? choices : "",
                  equals + 1);
    }
    if (run->controller == NULL)
      return fail(message, TRIBO_ERROR_ARGUMENT,
                  "there is no step option '%.100s', and no controller that might know it", name);
    left[count++] = spec->setting[i];
  }
  left[count] = NULL;
  return TRIBO_OK;
}

// The keyframe called `name`, or the first one; a file without any starts where its joints say.
static TriboStatus go_to_key(const char* name, TriboRun* run, TriboMessage* message) {
  int keys = tribo_scene_key_count(run->scene);
  const TriboKeyframe* key = NULL;
  for (int i = 0; i < keys && key == NULL; ++i) {
    const TriboKeyframe* k = tribo_scene_key(run->scene, i);
    if (name == NULL || strcmp(k->name, name) == 0) key = k;
  }
  if (key == NULL && name != NULL)
    return fail(message, TRIBO_ERROR_ARGUMENT, "there is no keyframe '%.100s'; the model has %d",
                name, keys);
  if (key == NULL) return TRIBO_OK;
  TriboStatus status = tribo_state_set_q(run->model, run->state, key->q);
  if (status == TRIBO_OK) status = tribo_state_set_v(run->model, run->state, key->v);
  if (status == TRIBO_OK) status = tribo_state_set_time(run->state, key->time);
  if (status == TRIBO_OK && key->nu > 0)
    memcpy(run->control, key->control, (size_t)key->nu * sizeof(double));
  if (status == TRIBO_OK) return TRIBO_OK;
  return fail(message, status, "the keyframe '%.100s' holds no state: %s", key->name,
              tribo_status_text(status));
}

static TriboStatus create_objects(TriboRun* run, TriboMessage* message) {
  TriboStatus status =
      tribo_model_create(tribo_scene_builder(run->scene), NULL, &run->model, message);
  if (status != TRIBO_OK) return status;
  run->control = calloc((size_t)tribo_model_nu(run->model) + 1, sizeof(double));
  status = run->control == NULL ? TRIBO_ERROR_MEMORY : TRIBO_OK;
  if (status == TRIBO_OK) status = tribo_state_create(run->model, NULL, &run->state);
  if (status == TRIBO_OK) status = tribo_workspace_create(run->model, NULL, NULL, &run->workspace);
  if (status == TRIBO_OK) status = tribo_workspace_create(run->model, NULL, NULL, &run->scratch);
  if (status != TRIBO_OK) return fail(message, status, "%s", tribo_status_text(status));
  return TRIBO_OK;
}

static TriboStatus create(const TriboRunSpec* spec, TriboRun* run, TriboMessage* message) {
  const char* left[TRIBO_RUN_SETTINGS + 1];
  if (!(spec->duration > 0) || !isfinite(spec->duration))
    return fail(message, TRIBO_ERROR_ARGUMENT, "the duration must be positive, not %g",
                spec->duration);
  if (strcmp(spec->controller, "none") != 0) {
    run->controller = tribo_controller_find(spec->controller);
    if (run->controller == NULL)
      return fail(message, TRIBO_ERROR_ARGUMENT,
                  "there is no controller '%.100s' (tribo simulate --help lists them)",
                  spec->controller);
  }
  TriboStatus status = load(spec, &run->scene, message);
  if (status != TRIBO_OK) return status;
  double timestep = tribo_scene_timestep(run->scene);
  if (timestep > 0) run->options.h = timestep;
  status = apply_settings(spec, run, left, message);
  if (status == TRIBO_OK) status = create_objects(run, message);
  if (status == TRIBO_OK) status = go_to_key(spec->key, run, message);
  if (status != TRIBO_OK || run->controller == NULL) return status;
  message->text[0] = '\0';
  status = run->controller->create(run->model, run->state, run->scratch, left, &run->self, message);
  if (status == TRIBO_OK || message->text[0] != '\0') return status;
  return fail(message, status, "the controller: %s", tribo_status_text(status));
}

TriboStatus tribo_run_create(const TriboRunSpec* spec, TriboRun* run, TriboMessage* message) {
  memset(run, 0, sizeof *run);
  run->options = tribo_step_options_default();
  TriboStatus status = create(spec, run, message);
  if (status != TRIBO_OK) {
    tribo_run_destroy(run);
    return status;
  }
  run->warnings = tribo_report_count(tribo_scene_report(run->scene)) +
                  tribo_report_dropped(tribo_scene_report(run->scene));
  return TRIBO_OK;
}

void tribo_run_destroy(TriboRun* run) {
  if (run->controller != NULL) run->controller->destroy(run->self);
  free(run->control);
  tribo_workspace_destroy(run->workspace);
  tribo_workspace_destroy(run->scratch);
  tribo_state_destroy(run->state);
  tribo_model_destroy(run->model);
  tribo_scene_destroy(run->scene);
  memset(run, 0, sizeof *run);
}

// Ctrl-C ends the loop, not the process.
static volatile sig_atomic_t caught_signal;
static void catch_signal(int number) { caught_signal = number; }

typedef struct Handlers {
  struct sigaction interrupt, terminate;
} Handlers;

static void set_handlers(Handlers* old) {
  struct sigaction action = {.sa_handler = catch_signal};
  caught_signal = 0;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &old->interrupt);
  sigaction(SIGTERM, &action, &old->terminate);
}

static void restore_handlers(const Handlers* old) {
  sigaction(SIGINT, &old->interrupt, NULL);
  sigaction(SIGTERM, &old->terminate, NULL);
}

static double clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void show_progress(double time, double duration, double wall) {
  enum { WIDTH = 30 };
  int filled = (int)(WIDTH * (time / duration));
  fprintf(stderr, "\r\033[K[%.*s%*s] %.2f / %.2f s, %.2f times real time",
          filled > WIDTH ? WIDTH : filled, "##############################",
          WIDTH - (filled > WIDTH ? WIDTH : filled), "", time, duration,
          wall > 0 ? time / wall : 0);
  fflush(stderr);
}

static double energy_now(const TriboRun* run) {
  TriboEnergy e;
  bool fine = tribo_energy(run->model, run->state, run->scratch, &e) == TRIBO_OK;
  return fine ? e.kinetic + e.potential : NAN;
}

static void take_note(const TriboRun* run, TriboRunSummary* s) {
  TriboStepInfo info = tribo_step_info(run->workspace);
  ++s->steps;
  if (info.contacts > s->most_found) s->most_found = info.contacts;
  if (info.touching > s->most_touching) s->most_touching = info.touching;
  s->worst_certificate = fmax(s->worst_certificate, info.certificate.worst);
  // Gaps are those before the step: the first step's are the scene's own.
  if (s->steps == 1)
    s->deepest_start = info.deepest;
  else
    s->deepest = fmin(s->deepest, info.deepest);
  s->fallbacks += info.rung > TRIBO_RUNG_COLD;
  s->budget_stops += info.stopped_by_budget;
  s->relaxed += info.relaxed;
  TriboContactResult c;
  for (int i = 0; tribo_contact_get(run->workspace, i, &c); ++i) {
    double speed = sqrt(c.slip[0] * c.slip[0] + c.slip[1] * c.slip[1]);
    if (c.mode == TRIBO_MODE_STICK) s->stick_slip = fmax(s->stick_slip, speed);
    if (c.mode == TRIBO_MODE_SLIDE) s->slide_speed = fmax(s->slide_speed, speed);
  }
}

// What a failed step is about, in words.
static void explain(const TriboRun* run, TriboStatus status, TriboMessage* message) {
  static const char* const kinds[] = {"link",     "joint", "shape", "material",
                                      "actuator", "loop",  "frame"};
  TriboStepInfo info = tribo_step_info(run->workspace);
  char element[160] = "";
  if (info.element >= 0)
    snprintf(element, sizeof element, " (%s %d '%.60s')", kinds[info.kind], info.element,
             tribo_model_name(run->model, info.kind, info.element));
  (void)fail(message, status, "at %.6g s the step failed: %s%s; %d contacts, certificate %.3g",
             tribo_state_time(run->state), tribo_status_text(status), element, info.contacts,
             info.certificate.worst);
}

static TriboStatus loop(const TriboRunSpec* spec, TriboRun* run, TriboRecorder* recorder,
                        TriboRunSummary* s, TriboMessage* message) {
  TriboInput input = tribo_input_default();
  input.control = run->control;
  input.effort = run->effort;
  input.wrench = run->wrench;
  double start = tribo_state_time(run->state), begin = clock_now(), shown = begin;
  // The number of steps is decided once: adding up times would lose or win one.
  double wanted = ceil(spec->duration / run->options.h - 1e-9);
  TriboStatus status = TRIBO_OK;
  for (long k = 0; (double)k < wanted && status == TRIBO_OK && !caught_signal; ++k) {
    if (run->controller != NULL) {
      status = run->controller->update(run->self, run->state, run->workspace, run->scratch,
                                       run->control);
      if (status != TRIBO_OK)
        return fail(message, status, "the controller failed at %.6g s: %s",
                    tribo_state_time(run->state), tribo_status_text(status));
    }
    s->status = tribo_step(run->model, &run->options, &input, run->state, run->workspace);
    if (s->status != TRIBO_OK) {
      explain(run, s->status, message);
      break;
    }
    take_note(run, s);
    if (recorder != NULL)
      status = tribo_recorder_step(recorder, &input, run->state, run->workspace);
    if (!spec->progress || (k & 15) != 0 || clock_now() - shown < 0.1) continue;
    shown = clock_now();
    show_progress(tribo_state_time(run->state) - start, spec->duration, shown - begin);
  }
  if (spec->progress) fputs("\r\033[K", stderr);
  s->wall = clock_now() - begin;
  s->simulated = tribo_state_time(run->state) - start;
  s->interrupted = caught_signal != 0;
  s->signal = (int)caught_signal;
  if (status != TRIBO_OK) return fail(message, status, "the trajectory cannot be written");
  return TRIBO_OK;
}

// The settings of a run, for the trajectory's header.
static char* settings_text(const TriboRunSpec* spec) {
  json_t* list = json_array();
  for (int i = 0; i < spec->setting_count; ++i)
    json_array_append_new(list, json_string(spec->setting[i]));
  json_t* object = json_pack("{s:o, s:f}", "set", list, "duration", spec->duration);
  if (spec->key != NULL) json_object_set_new(object, "key", json_string(spec->key));
  json_t* how = tribo_load_arguments_write(&spec->load);
  if (how != NULL) json_object_set_new(object, "load", how);
  char* text = json_dumps(object, JSON_COMPACT);
  json_decref(object);
  return text;
}

TriboStatus tribo_run_simulate(const TriboRunSpec* spec, TriboRun* run, TriboRunSummary* summary,
                               TriboMessage* message) {
  memset(summary, 0, sizeof *summary);
  message->text[0] = '\0';
  TriboRecorder* recorder = NULL;
  TriboStatus status = TRIBO_OK;
  if (spec->out != NULL) {
    TriboRecordOptions options = tribo_record_options_default();
    char* settings = settings_text(spec);
    options.every = spec->every;
    options.compress = spec->compress;
    options.energy = spec->energy;
    options.effort = run->effort != NULL;
    options.source = spec->model;
    options.controller = spec->controller;
    options.settings = settings;
    status = tribo_recorder_create(spec->out, run->model, run->state, &run->options, &options,
                                   &recorder, message);
    free(settings);
    if (status != TRIBO_OK) return status;
  }
  Handlers old;
  set_handlers(&old);
  summary->energy_start = energy_now(run);
  status = loop(spec, run, recorder, summary, message);
  summary->energy_end = energy_now(run);
  for (int i = 0; i < tribo_model_nv(run->model); ++i)
    summary->speed_end = fmax(summary->speed_end, fabs(tribo_state_v(run->state)[i]));
  TriboMessage closing;
  TriboStatus closed = tribo_recorder_close(recorder, &closing);
  restore_handlers(&old);
  if (status == TRIBO_OK && closed != TRIBO_OK) {
    *message = closing;
    status = closed;
  }
  return status;
}
