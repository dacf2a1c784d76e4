// SPDX-License-Identifier: Apache-2.0
//
// Reading: the file is mapped into memory, its arrays are used where they lie; what is deflated or
// lies at an odd place is copied. Nothing in the file is trusted.
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/message.h"
#include "tools/trajectory/columns.h"
#include "tools/trajectory/tribo_trajectory.h"
#include "tools/trajectory/zip.h"

enum { PATH_SIZE = 4096 };

typedef struct Mapping {
  void* data;
  size_t size;
} Mapping;

// Where an array's elements are, and how many.
typedef struct Found {
  bool there;
  TriboNpyShape shape;
  const void* elements;
} Found;

typedef struct Opened {
  TriboTrajectory view;  // first: the user's pointer is this one
  int mappings;
  Mapping mapping[TRIBO_COLUMN_COUNT];
  int copies;
  void* copy[2 * TRIBO_COLUMN_COUNT];
  Found found[TRIBO_COLUMN_COUNT];
  char* meta;
} Opened;

void tribo_trajectory_close(TriboTrajectory* trajectory) {
  if (trajectory == NULL) return;
  Opened* o = (Opened*)trajectory;
  for (int i = 0; i < o->mappings; ++i) munmap(o->mapping[i].data, o->mapping[i].size);
  for (int i = 0; i < o->copies; ++i) free(o->copy[i]);
  free(o->meta);
  free(o);
}

// Maps a whole file. An empty one cannot be mapped and is nothing to us.
static TriboStatus map_file(Opened* o, const char* path, Mapping* mapping, TriboMessage* message) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return tribo_message_set(message, TRIBO_ERROR_FILE, "it cannot be opened: %s", strerror(errno));
  struct stat info;
  TriboStatus status = TRIBO_OK;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) {
    status = tribo_message_set(message, TRIBO_ERROR_PARSE, "it is empty or no file");
  } else {
    mapping->size = (size_t)info.st_size;
    mapping->data = mmap(NULL, mapping->size, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapping->data == MAP_FAILED)
      status = tribo_message_set(message, TRIBO_ERROR_MEMORY, "it cannot be mapped into memory");
    else
      o->mapping[o->mappings++] = *mapping;
  }
  close(file);
  return status;
}

// Enters an array in .npy form, `size` bytes at `data`.
static TriboStatus enter(Opened* o, int column, const void* data, size_t size,
                         TriboMessage* message) {
  const TriboColumnInfo* info = &tribo_columns[column];
  Found* f = &o->found[column];
  size_t offset;
  bool fine = tribo_npy_read_header(data, size, &f->shape, &offset) && f->shape.type == info->type;
  if (info->scope == TRIBO_SCOPE_TEXT)
    fine = fine && f->shape.rows == -1;
  else
    fine = fine && f->shape.rows >= 0 && f->shape.size == info->size &&
           (f->shape.columns >= 0) == (info->width != 0) &&
           (info->width <= 0 || f->shape.columns == info->width);
  if (!fine)
    return tribo_message_set(message, TRIBO_ERROR_PARSE,
                             "the array '%s' is damaged or not what a trajectory has", info->name);
  f->there = true;
  f->elements = (const char*)data + offset;
  if ((uintptr_t)f->elements % 8 == 0) return TRIBO_OK;
  // Numbers that another program has put at an odd place.
  size_t bytes = size - offset;
  void* copy = malloc(bytes + 1);
  if (copy == NULL) return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory");
  memcpy(copy, f->elements, bytes);
  o->copy[o->copies++] = copy;
  f->elements = copy;
  return TRIBO_OK;
}

static int column_named(const char* name) {
  for (int i = 0; i < TRIBO_COLUMN_COUNT; ++i) {
    size_t length = strlen(tribo_columns[i].name);
    if (strncmp(name, tribo_columns[i].name, length) == 0 && strcmp(name + length, ".npy") == 0)
      return i;
  }
  return -1;
}

static TriboStatus read_npz(Opened* o, const char* path, TriboMessage* message) {
  Mapping file;
  TriboStatus status = map_file(o, path, &file, message);
  if (status != TRIBO_OK) return status;
  TriboZipDirectory directory;
  status = tribo_zip_read_directory(file.data, file.size, &directory, message);
  for (int i = 0; status == TRIBO_OK && i < directory.count; ++i) {
    const TriboZipMember* m = &directory.member[i];
    int column = column_named(m->name);
    // Arrays that somebody added are theirs; the first of two of one name counts.
    if (column < 0 || o->found[column].there) continue;
    const void* data = (const char*)file.data + m->offset;
    void* copy = NULL;
    if (m->deflated) {
      copy = malloc(m->size + 1);
      if (copy == NULL) return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory");
      o->copy[o->copies++] = copy;
      data = copy;
    }
    if (!tribo_zip_read_member(file.data, m, copy))
      return tribo_message_set(message, TRIBO_ERROR_PARSE, "'%s' is damaged: its checksum is wrong",
                               m->name);
    status = enter(o, column, data, m->size, message);
  }
  return status;
}

static TriboStatus read_folder(Opened* o, const char* folder, TriboMessage* message) {
  for (int i = 0; i < TRIBO_COLUMN_COUNT; ++i) {
    char path[PATH_SIZE + 64];
    snprintf(path, sizeof path, "%s/%s.npy", folder, tribo_columns[i].name);
    if (tribo_columns[i].optional && access(path, F_OK) != 0) continue;
    Mapping file;
    if (access(path, F_OK) != 0)
      return tribo_message_set(message, TRIBO_ERROR_PARSE,
                               "there is no %s.npy in it: it is no folder of a run that died",
                               tribo_columns[i].name);
    TriboStatus status = map_file(o, path, &file, message);
    if (status == TRIBO_OK) status = enter(o, i, file.data, file.size, message);
    if (status != TRIBO_OK) return status;
  }
  return TRIBO_OK;
}

// Rows that all arrays of a scope have. In a complete file they agree; while a run goes on or after
// it died the files of a folder may differ by the last rows.
static int64_t rows_of(const Opened* o, TriboColumnScope scope, bool* agree) {
  int64_t least = -1;
  for (int i = 0; i < TRIBO_COLUMN_COUNT; ++i) {
    if (tribo_columns[i].scope != scope || !o->found[i].there) continue;
    int64_t rows = o->found[i].shape.rows;
    if (least >= 0 && rows != least) *agree = false;
    if (least < 0 || rows < least) least = rows;
  }
  return least;
}

static TriboStatus check_meta(Opened* o, TriboMessage* message) {
  const Found* f = &o->found[TRIBO_COLUMN_META];
  o->meta = malloc((size_t)f->shape.size + 1);
  if (o->meta == NULL) return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory");
  memcpy(o->meta, f->elements, (size_t)f->shape.size);
  o->meta[f->shape.size] = '\0';
  o->view.meta = o->meta;
  json_error_t error;
  json_t* meta = json_loads(o->meta, 0, &error);
  json_int_t format = json_integer_value(json_object_get(meta, "format"));
  bool damaged = !json_is_object(meta) || format < 1;
  json_decref(meta);
  if (damaged)
    return tribo_message_set(message, TRIBO_ERROR_PARSE, "the header is damaged: %.200s",
                             error.text);
  if (format > TRIBO_TRAJECTORY_FORMAT)
    return tribo_message_set(message, TRIBO_ERROR_VERSION,
                             "it has format %lld, and this Tribo reads up to %d: use a newer one",
                             (long long)format, TRIBO_TRAJECTORY_FORMAT);
  return TRIBO_OK;
}

// contact_end must never fall nor pass the contacts that there are. In a folder, rows whose
// contacts did not make it are left out.
static bool check_contacts(TriboTrajectory* t, bool cut) {
  int64_t last = 0;
  for (int64_t i = 0; i < t->rows; ++i) {
    if (t->contact_end[i] < last) return false;
    if (t->contact_end[i] > t->contacts) {
      if (cut) t->rows = i;
      return cut;
    }
    last = t->contact_end[i];
  }
  return true;
}

static bool check_wrenches(const TriboTrajectory* t, bool cut) {
  int64_t last = 0;
  for (int64_t i = 0; i < t->wrenches; ++i) {
    if (t->wrench_row[i] < last || t->wrench_link[i] < 0) return false;
    if (t->wrench_row[i] >= t->rows && !cut) return false;
    last = t->wrench_row[i];
  }
  return true;
}

// Contacts, events and wrenches of rows that a folder does not claim.
static void cut_tail(TriboTrajectory* t) {
  t->contacts = t->rows > 0 ? t->contact_end[t->rows - 1] : 0;
  const double end = t->rows > 0 ? t->time[t->rows - 1] : -INFINITY;
  while (t->events > 0 && t->event_time[t->events - 1] > end) --t->events;
  while (t->wrenches > 0 && t->wrench_row[t->wrenches - 1] >= t->rows) --t->wrenches;
}

static void fill_view(Opened* o) {
  TriboTrajectory* t = &o->view;
  const Found* f = o->found;
  t->nq = f[TRIBO_COLUMN_Q].shape.columns;
  t->nv = f[TRIBO_COLUMN_V].shape.columns;
  t->nu = f[TRIBO_COLUMN_CONTROL].shape.columns;
  t->time = f[TRIBO_COLUMN_TIME].elements;
  t->q = f[TRIBO_COLUMN_Q].elements;
  t->v = f[TRIBO_COLUMN_V].elements;
  t->control = f[TRIBO_COLUMN_CONTROL].elements;
  t->effort = f[TRIBO_COLUMN_EFFORT].elements;
  t->certificate = f[TRIBO_COLUMN_CERTIFICATE].elements;
  t->energy = f[TRIBO_COLUMN_ENERGY].elements;
  t->momentum = f[TRIBO_COLUMN_MOMENTUM].elements;
  t->deepest = f[TRIBO_COLUMN_DEEPEST].elements;
  t->solver = f[TRIBO_COLUMN_SOLVER].elements;
  t->contact_end = f[TRIBO_COLUMN_CONTACT_END].elements;
  t->contact_id = f[TRIBO_COLUMN_CONTACT_ID].elements;
  t->contact_shapes = f[TRIBO_COLUMN_CONTACT_SHAPES].elements;
  t->contact_mode = f[TRIBO_COLUMN_CONTACT_MODE].elements;
  t->contact_point = f[TRIBO_COLUMN_CONTACT_POINT].elements;
  t->contact_normal = f[TRIBO_COLUMN_CONTACT_NORMAL].elements;
  t->contact_force = f[TRIBO_COLUMN_CONTACT_FORCE].elements;
  t->contact_gap = f[TRIBO_COLUMN_CONTACT_GAP].elements;
  t->contact_slip = f[TRIBO_COLUMN_CONTACT_SLIP].elements;
  t->event_time = f[TRIBO_COLUMN_EVENT_TIME].elements;
  t->event_type = f[TRIBO_COLUMN_EVENT_TYPE].elements;
  t->event_id = f[TRIBO_COLUMN_EVENT_ID].elements;
  t->event_shapes = f[TRIBO_COLUMN_EVENT_SHAPES].elements;
  t->wrench_row = f[TRIBO_COLUMN_WRENCH_ROW].elements;
  t->wrench_link = f[TRIBO_COLUMN_WRENCH_LINK].elements;
  t->wrench = f[TRIBO_COLUMN_WRENCH].elements;
  t->initial_size = f[TRIBO_COLUMN_INITIAL_STATE].shape.rows;
  t->initial_state = f[TRIBO_COLUMN_INITIAL_STATE].elements;
}

// Modes and kinds of events are enums to everyone who reads them.
static bool check_enums(const TriboTrajectory* t) {
  for (int64_t i = 0; i < t->contacts; ++i) {
    if (t->contact_mode[i] < 0 || t->contact_mode[i] > TRIBO_MODE_SLIDE) return false;
  }
  for (int64_t i = 0; i < t->events; ++i) {
    if (t->event_type[i] < 0 || t->event_type[i] > TRIBO_EVENT_SLIP) return false;
  }
  return true;
}

static TriboStatus check(Opened* o, bool folder, TriboMessage* message) {
  for (int i = 0; i < TRIBO_COLUMN_COUNT; ++i) {
    if (!o->found[i].there && !tribo_columns[i].optional)
      return tribo_message_set(message, TRIBO_ERROR_PARSE,
                               "the array '%s' is missing: no trajectory, or a damaged one",
                               tribo_columns[i].name);
  }
  TriboStatus status = check_meta(o, message);
  if (status != TRIBO_OK) return status;
  fill_view(o);
  TriboTrajectory* t = &o->view;
  bool agree = true;
  t->rows = rows_of(o, TRIBO_SCOPE_ROW, &agree);
  t->contacts = rows_of(o, TRIBO_SCOPE_CONTACT, &agree);
  t->events = rows_of(o, TRIBO_SCOPE_EVENT, &agree);
  int64_t wrenches = rows_of(o, TRIBO_SCOPE_WRENCH, &agree);
  bool all = t->wrench_row != NULL && t->wrench_link != NULL && t->wrench != NULL;
  t->wrenches = all ? wrenches : 0;
  bool effort = t->effort == NULL || o->found[TRIBO_COLUMN_EFFORT].shape.columns == t->nv;
  if ((!agree && !folder) || !effort || !check_contacts(t, folder) || !check_wrenches(t, folder) ||
      !check_enums(t))
    return tribo_message_set(message, TRIBO_ERROR_PARSE, "its arrays contradict each other");
  if (folder) cut_tail(t);
  return TRIBO_OK;
}

// The folder in which a recorder prepares the one that is read.
static bool died_early(const char* path) {
  char folder[PATH_SIZE + 16];
  snprintf(folder, sizeof folder, "%s.part.new", path);
  return access(folder, F_OK) == 0;
}

TriboStatus tribo_trajectory_open(const char* path, TriboTrajectory** trajectory,
                                  TriboMessage* message) {
  tribo_message_clear(message);
  if (path == NULL || trajectory == NULL || strlen(path) >= PATH_SIZE - 8)
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT, "an argument makes no sense");
  Opened* o = calloc(1, sizeof *o);
  if (o == NULL) return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory");
  // The folder of a run that goes on or died, where there is no file.
  char folder[PATH_SIZE];
  snprintf(folder, sizeof folder, "%s", path);
  struct stat info;
  bool there = stat(path, &info) == 0;
  if (!there) {
    snprintf(folder, sizeof folder, "%s.part", path);
    there = stat(folder, &info) == 0;
  }
  bool is_folder = there && S_ISDIR(info.st_mode);
  TriboStatus status = TRIBO_OK;
  if (!there && died_early(path))
    status = tribo_message_set(message, TRIBO_ERROR_FILE,
                               "nothing is recorded: the run died before its first row was safe");
  else
    status = is_folder ? read_folder(o, folder, message) : read_npz(o, path, message);
  if (status == TRIBO_OK) status = check(o, is_folder, message);
  if (status != TRIBO_OK) {
    tribo_message_set_place(message, path, 0);
    tribo_trajectory_close(&o->view);
    return status;
  }
  *trajectory = &o->view;
  return TRIBO_OK;
}
