// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700  // mkdtemp, nftw
#include "tools/tribo/golden.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/message.h"

bool tribo_scratch_create(char path[4096]) {
  const char* base = getenv("TEST_TMPDIR");
  if (base == NULL) base = getenv("TMPDIR");
  if (base == NULL) base = "/tmp";
  snprintf(path, 4096, "%.4000s/tribo-XXXXXX", base);
  return mkdtemp(path) != NULL;
}

static int remove_one(const char* path, const struct stat* info, int flag, struct FTW* place) {
  (void)info, (void)flag, (void)place;
  return remove(path);
}

void tribo_scratch_destroy(const char* path) {
  (void)nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

// Settings of an array of texts KEY=VALUE.
static bool read_settings(const json_t* list, TriboRunSpec* spec) {
  size_t i;
  json_t* item;
  json_array_foreach(list, i, item) {
    if (!json_is_string(item) || spec->setting_count == TRIBO_RUN_SETTINGS) return false;
    spec->setting[spec->setting_count++] = json_string_value(item);
  }
  return list == NULL || json_is_array(list);
}

static bool read_value(const char* key, const json_t* value, TriboCase* c) {
  const char* text = json_string_value(value);
  const char* bad;
  if (strcmp(key, "name") == 0) return (c->name = text) != NULL && strchr(text, '/') == NULL;
  if (strcmp(key, "model") == 0) return (c->spec.model = text) != NULL;
  if (strcmp(key, "controller") == 0) return (c->spec.controller = text) != NULL;
  if (strcmp(key, "key") == 0) return (c->spec.key = text) != NULL;
  if (strcmp(key, "load") == 0) return tribo_load_arguments_read(value, &c->spec.load);
  if (strcmp(key, "duration") == 0)
    return (c->spec.duration = json_number_value(value)) > 0 && json_is_number(value);
  if (strcmp(key, "every") == 0)
    return json_integer_value(value) > 0 && (c->spec.every = (int)json_integer_value(value)) > 0;
  if (strcmp(key, "energy") == 0) {
    c->spec.energy = json_is_true(value);
    return json_is_boolean(value);
  }
  if (strcmp(key, "set") == 0) return read_settings(value, &c->spec);
  if (strcmp(key, "tolerances") == 0)
    return text != NULL && tribo_tolerances_parse(text, &c->options, &bad);
  if (strcmp(key, "by") == 0) {
    c->options.by =
        text != NULL && strcmp(text, "invariants") == 0 ? TRIBO_BY_INVARIANTS : TRIBO_BY_POINTS;
    return text != NULL && (strcmp(text, "points") == 0 || strcmp(text, "invariants") == 0);
  }
  return strcmp(key, "reason") == 0 && text != NULL;  // why the tolerances are what they are
}

TriboStatus tribo_case_read(const json_t* entry, const char* folder, TriboCase* result,
                            TriboMessage* message) {
  TriboCase c = {.spec = tribo_run_spec_default()};
  c.spec.compress = true;
  const char* key;
  json_t* value;
  json_object_foreach((json_t*)entry, key, value) {
    if (!read_value(key, value, &c))
      return tribo_message_set(
          message, TRIBO_ERROR_PARSE,
          "case '%.60s': the key '%.60s' is unknown or its value makes no sense",
          c.name != NULL ? c.name : "?", key);
  }
  if (c.name == NULL || c.spec.model == NULL)
    return tribo_message_set(message, TRIBO_ERROR_PARSE, "a case needs a name and a model");
  snprintf(c.golden, sizeof c.golden, "%.3000s/%.500s.npz", folder, c.name);
  *result = c;
  return TRIBO_OK;
}

TriboStatus tribo_case_of_file(const char* path, const json_t* meta, TriboCase* result,
                               TriboMessage* message) {
  TriboCase c = {.spec = tribo_run_spec_default()};
  *result = c;
  const json_t* settings = json_object_get(meta, "settings");
  const char* slash = strrchr(path, '/');
  c.name = slash != NULL ? slash + 1 : path;
  c.spec.model = json_string_value(json_object_get(meta, "source"));
  c.spec.controller = json_string_value(json_object_get(meta, "controller"));
  c.spec.key = json_string_value(json_object_get(settings, "key"));
  c.spec.every = (int)json_integer_value(json_object_get(meta, "every"));
  c.spec.duration = json_number_value(json_object_get(settings, "duration"));
  if (c.spec.model == NULL || c.spec.model[0] == '\0' || c.spec.controller == NULL ||
      c.spec.every < 1 || !read_settings(json_object_get(settings, "set"), &c.spec) ||
      !tribo_load_arguments_read(json_object_get(settings, "load"), &c.spec.load))
    return tribo_message_set(message, TRIBO_ERROR_PARSE,
                             "%.200s does not say how it was simulated: record it with tribo "
                             "simulate or tribo record",
                             path);
  snprintf(c.golden, sizeof c.golden, "%.4000s", path);
  *result = c;
  return TRIBO_OK;
}

void tribo_verdict_destroy(TriboVerdict* verdict) {
  tribo_comparison_destroy(verdict->comparison);
  tribo_trajectory_close(verdict->golden);
  tribo_trajectory_close(verdict->now);
  memset(verdict, 0, sizeof *verdict);
}

static TriboStatus simulate(const TriboCase* c, const char* now, TriboMessage* message) {
  TriboRunSpec spec = c->spec;
  spec.out = now;
  TriboRun run;
  TriboStatus status = tribo_run_create(&spec, &run, message);
  if (status != TRIBO_OK) return status;
  TriboRunSummary summary;
  status = tribo_run_simulate(&spec, &run, &summary, message);
  tribo_run_destroy(&run);
  if (status == TRIBO_OK && summary.interrupted)
    return tribo_message_set(message, TRIBO_ERROR_LIMIT, "interrupted");
  return status != TRIBO_OK ? status : summary.status;
}

TriboStatus tribo_case_verify(const TriboCase* c, const char* now, TriboVerdict* verdict,
                              TriboMessage* message) {
  memset(verdict, 0, sizeof *verdict);
  TriboStatus status = tribo_trajectory_open(c->golden, &verdict->golden, message);
  if (status == TRIBO_OK) status = simulate(c, now, message);
  if (status == TRIBO_OK) status = tribo_trajectory_open(now, &verdict->now, message);
  if (status == TRIBO_OK)
    status = tribo_trajectory_compare(verdict->golden, verdict->now, &c->options,
                                      &verdict->comparison, message);
  if (status != TRIBO_OK) {
    tribo_verdict_destroy(verdict);
    return status;
  }
  verdict->same = verdict->comparison->same;
  return TRIBO_OK;
}
