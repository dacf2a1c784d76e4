// SPDX-License-Identifier: Apache-2.0
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/message.h"
#include "tools/trajectory/tribo_trajectory.h"

// Text in quotes, quotes in it doubled (RFC 4180).
static void put_quoted(FILE* file, const char* text) {
  for (; *text != '\0'; ++text) {
    if (*text == '"') fputc('"', file);
    fputc(*text, file);
  }
}

static void put_text(FILE* file, const char* text) {
  fputs(",\"", file);
  put_quoted(file, text);
  fputc('"', file);
}

static const char* text_at(const json_t* meta, const char* key, int64_t i) {
  const char* text =
      i >= 0 ? json_string_value(json_array_get(json_object_get(meta, key), (size_t)i)) : NULL;
  return text != NULL ? text : "";
}

// "q box.z (m)", for each of n numbers.
static void put_names(FILE* file, const json_t* meta, const char* prefix, const char* names,
                      const char* units, int n) {
  for (int i = 0; i < n; ++i) {
    const char* unit = text_at(meta, units, i);
    fprintf(file, ",\"%s ", prefix);
    put_quoted(file, text_at(meta, names, i));
    if (unit[0] != '\0' && strcmp(unit, "1") != 0) fprintf(file, " (%s)", unit);
    fputc('"', file);
  }
}

static void put_numbers(FILE* file, const double* x, int n) {
  for (int i = 0; i < n; ++i) fprintf(file, ",%.17g", x[i]);
}

static void write_row_names(const TriboTrajectory* t, const json_t* meta, FILE* file) {
  fputs("\"time (s)\"", file);
  put_names(file, meta, "q", "q", "q_units", t->nq);
  put_names(file, meta, "v", "v", "v_units", t->nv);
  put_names(file, meta, "control", "controls", "control_units", t->nu);
  if (t->effort != NULL) put_names(file, meta, "effort", "v", "", t->nv);
  if (t->energy != NULL) fputs(",\"energy (J)\"", file);
  if (t->momentum != NULL)
    fputs(
        ",\"momentum x (N s)\",\"momentum y (N s)\",\"momentum z (N s)\",\"angular momentum x (N m "
        "s)\",\"angular momentum y (N m s)\",\"angular momentum z (N m s)\"",
        file);
  fputs(",\"certificate\",\"deepest gap (m)\",\"contacts\",\"touching\",\"pivots\"\r\n", file);
}

static void write_rows(const TriboTrajectory* t, const json_t* meta, FILE* file) {
  write_row_names(t, meta, file);
  for (int64_t i = 0; i < t->rows; ++i) {
    fprintf(file, "%.17g", t->time[i]);
    put_numbers(file, t->q + i * t->nq, t->nq);
    put_numbers(file, t->v + i * t->nv, t->nv);
    put_numbers(file, t->control + i * t->nu, t->nu);
    if (t->effort != NULL) put_numbers(file, t->effort + i * t->nv, t->nv);
    if (t->energy != NULL) put_numbers(file, t->energy + i, 1);
    if (t->momentum != NULL) put_numbers(file, t->momentum + 6 * i, 6);
    const int32_t* solver = t->solver + TRIBO_TRAJECTORY_SOLVER * i;
    fprintf(file, ",%.17g,%.17g,%d,%d,%d\r\n", t->certificate[TRIBO_TRAJECTORY_CERTIFICATE * i + 8],
            t->deepest[i], (int)solver[0], (int)solver[1], (int)solver[4]);
  }
}

static void put_shapes(FILE* file, const json_t* meta, const int32_t shapes[2]) {
  for (int k = 0; k < 2; ++k) put_text(file, text_at(meta, "shapes", shapes[k]));
}

static void write_contacts(const TriboTrajectory* t, const json_t* meta, FILE* file) {
  static const char* const modes[] = {"separate", "stick", "slide"};
  fputs(
      "\"time (s)\",\"id\",\"shape 0\",\"shape 1\",\"mode\",\"x (m)\",\"y (m)\",\"z (m)\",\"normal "
      "x\",\"normal y\",\"normal z\",\"force x (N)\",\"force y (N)\",\"force z (N)\",\"gap "
      "(m)\",\"slip (m/s)\"\r\n",
      file);
  int64_t c = 0;
  for (int64_t i = 0; i < t->rows; ++i) {
    for (; c < t->contact_end[i]; ++c) {
      fprintf(file, "%.17g,\"%016llx\"", t->time[i], (unsigned long long)t->contact_id[c]);
      put_shapes(file, meta, t->contact_shapes + 2 * c);
      put_text(file, modes[t->contact_mode[c]]);
      put_numbers(file, t->contact_point + 3 * c, 3);
      put_numbers(file, t->contact_normal + 3 * c, 3);
      put_numbers(file, t->contact_force + 3 * c, 3);
      fprintf(file, ",%.17g,%.17g\r\n", t->contact_gap[c], t->contact_slip[c]);
    }
  }
}

static void write_events(const TriboTrajectory* t, const json_t* meta, FILE* file) {
  static const char* const types[] = {"begin", "end", "stick", "slip"};
  fputs("\"time (s)\",\"id\",\"shape 0\",\"shape 1\",\"event\"\r\n", file);
  for (int64_t i = 0; i < t->events; ++i) {
    fprintf(file, "%.17g,\"%016llx\"", t->event_time[i], (unsigned long long)t->event_id[i]);
    put_shapes(file, meta, t->event_shapes + 2 * i);
    put_text(file, types[t->event_type[i]]);
    fputs("\r\n", file);
  }
}

static void write_wrenches(const TriboTrajectory* t, const json_t* meta, FILE* file) {
  fputs(
      "\"time (s)\",\"link\",\"force x (N)\",\"force y (N)\",\"force z (N)\",\"torque x (N "
      "m)\",\"torque y (N m)\",\"torque z (N m)\"\r\n",
      file);
  for (int64_t i = 0; i < t->wrenches; ++i) {
    fprintf(file, "%.17g", t->time[t->wrench_row[i]]);
    put_text(file, text_at(meta, "links", t->wrench_link[i]));
    put_numbers(file, t->wrench + 6 * i, 6);
    fputs("\r\n", file);
  }
}

static TriboStatus write_file(const TriboTrajectory* t, const json_t* meta, const char* path,
                              void (*write)(const TriboTrajectory*, const json_t*, FILE*),
                              TriboMessage* message) {
  FILE* file = fopen(path, "wb");
  if (file == NULL)
    return tribo_message_set(message, TRIBO_ERROR_FILE, "%.400s cannot be written", path);
  write(t, meta, file);
  bool fine = !ferror(file);
  if (fclose(file) == 0 && fine) return TRIBO_OK;
  return tribo_message_set(message, TRIBO_ERROR_FILE, "%.400s: writing failed; is the disk full?",
                           path);
}

TriboStatus tribo_trajectory_write_csv(const TriboTrajectory* trajectory, const char* path,
                                       TriboMessage* message) {
  static const struct {
    const char* name;
    void (*write)(const TriboTrajectory*, const json_t*, FILE*);
  } files[] = {{"", write_rows},
               {"-contacts", write_contacts},
               {"-events", write_events},
               {"-wrenches", write_wrenches}};
  tribo_message_clear(message);
  const size_t length = strlen(path);
  char other[4096];
  if (length > sizeof other - 16)
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT, "the path is too long");
  const char* ending = strrchr(path, '.');
  if (ending == NULL || strchr(ending, '/') != NULL) ending = path + length;
  json_t* meta = json_loads(trajectory->meta, 0, NULL);
  TriboStatus status = TRIBO_OK;
  for (size_t i = 0; status == TRIBO_OK && i < sizeof files / sizeof files[0]; ++i) {
    snprintf(other, sizeof other, "%.*s%s%s", (int)(ending - path), path, files[i].name, ending);
    status = write_file(trajectory, meta, other, files[i].write, message);
  }
  json_decref(meta);
  return status;
}
