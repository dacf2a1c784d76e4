// SPDX-License-Identifier: Apache-2.0
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/message.h"
#include "tools/trajectory/tribo_trajectory.h"

// A cell of text: quotes around it, quotes in it doubled (RFC 4180).
static void put_text(FILE* file, const char* prefix, const char* text) {
  fprintf(file, ",\"%s", prefix);
  for (; *text != '\0'; ++text) {
    if (*text == '"') fputc('"', file);
    fputc(*text, file);
  }
  fputc('"', file);
}

static void put_names(FILE* file, const json_t* meta, const char* key, const char* prefix, int n) {
  const json_t* names = json_object_get(meta, key);
  for (int i = 0; i < n; ++i) {
    const char* name = json_string_value(json_array_get(names, (size_t)i));
    put_text(file, prefix, name != NULL ? name : "");
  }
}

static void put_numbers(FILE* file, const double* x, int n) {
  for (int i = 0; i < n; ++i) fprintf(file, ",%.17g", x[i]);
}

static void write_rows(const TriboTrajectory* t, const json_t* meta, FILE* file) {
  fputs("\"time\"", file);
  put_names(file, meta, "q", "q ", t->nq);
  put_names(file, meta, "v", "v ", t->nv);
  put_names(file, meta, "controls", "control ", t->nu);
  fputs(",\"certificate\",\"energy\",\"deepest\",\"contacts\",\"touching\",\"pivots\"\r\n", file);
  for (int64_t i = 0; i < t->rows; ++i) {
    fprintf(file, "%.17g", t->time[i]);
    put_numbers(file, t->q + i * t->nq, t->nq);
    put_numbers(file, t->v + i * t->nv, t->nv);
    put_numbers(file, t->control + i * t->nu, t->nu);
    const int32_t* solver = t->solver + TRIBO_TRAJECTORY_SOLVER * i;
    fprintf(file, ",%.17g,%.17g,%.17g,%d,%d,%d\r\n",
            t->certificate[TRIBO_TRAJECTORY_CERTIFICATE * i + 8],
            t->energy != NULL ? t->energy[i] : NAN, t->deepest[i], (int)solver[0], (int)solver[1],
            (int)solver[4]);
  }
}

static void write_contacts(const TriboTrajectory* t, const json_t* meta, FILE* file) {
  static const char* const modes[] = {"separate", "stick", "slide"};
  const json_t* shapes = json_object_get(meta, "shapes");
  fputs(
      "\"time\",\"id\",\"shape 0\",\"shape 1\",\"mode\",\"x\",\"y\",\"z\",\"normal x\",\"normal "
      "y\",\"normal z\",\"force x\",\"force y\",\"force z\",\"gap\",\"slip\"\r\n",
      file);
  int64_t c = 0;
  for (int64_t i = 0; i < t->rows; ++i) {
    for (; c < t->contact_end[i]; ++c) {
      fprintf(file, "%.17g,\"%016llx\"", t->time[i], (unsigned long long)t->contact_id[c]);
      for (int k = 0; k < 2; ++k) {
        int32_t shape = t->contact_shapes[2 * c + k];
        const char* name =
            shape >= 0 ? json_string_value(json_array_get(shapes, (size_t)shape)) : NULL;
        put_text(file, "", name != NULL ? name : "");
      }
      fprintf(file, ",\"%s\"", modes[t->contact_mode[c]]);
      put_numbers(file, t->contact_point + 3 * c, 3);
      put_numbers(file, t->contact_normal + 3 * c, 3);
      put_numbers(file, t->contact_force + 3 * c, 3);
      fprintf(file, ",%.17g,%.17g\r\n", t->contact_gap[c], t->contact_slip[c]);
    }
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
  tribo_message_clear(message);
  char second[4096];
  size_t length = strlen(path);
  if (length > sizeof second - 16)
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT, "the path is too long");
  const char* ending = strrchr(path, '.');
  if (ending == NULL || strchr(ending, '/') != NULL) ending = path + length;
  snprintf(second, sizeof second, "%.*s-contacts%s", (int)(ending - path), path, ending);
  json_t* meta = json_loads(trajectory->meta, 0, NULL);
  TriboStatus status = write_file(trajectory, meta, path, write_rows, message);
  if (status == TRIBO_OK) status = write_file(trajectory, meta, second, write_contacts, message);
  json_decref(meta);
  return status;
}
