// SPDX-License-Identifier: Apache-2.0
//
// Recording: every array grows in a .npy file of its own, through a buffer. A flush writes the
// buffers first and the numbers of rows into the headers after them, so that at every instant each
// file holds at least the rows that its header claims.
#define _POSIX_C_SOURCE 200809L  // pwrite, mkdir
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/message.h"
#include "tools/trajectory/columns.h"
#include "tools/trajectory/meta.h"
#include "tools/trajectory/tribo_trajectory.h"
#include "tools/trajectory/zip.h"

enum { BUFFER = 1 << 16, PATH_SIZE = 4096 };

typedef struct Array {
  int file;
  TriboNpyShape shape;  // rows: of the buffer too
  size_t row;           // bytes
  size_t used;          // bytes in the buffer
  int64_t flushed;      // rows that the header claims
  char* buffer;         // at least one row
  size_t capacity;
} Array;

struct TriboRecorder {
  const TriboModel* model;
  TriboRecordOptions options;
  bool csv, failed;
  int64_t steps;
  int since_flush;
  char path[PATH_SIZE], folder[PATH_SIZE + 8];
  Array array[TRIBO_COLUMN_COUNT];
  TriboWorkspace* scratch;  // for energy
  double* zeros;            // as many as the widest row has
};

TriboRecordOptions tribo_record_options_default(void) {
  TriboRecordOptions options = {.every = 1, .flush = 1000};
  return options;
}

static void name_file(const TriboRecorder* r, int column, char path[PATH_SIZE + 64]) {
  snprintf(path, PATH_SIZE + 64, "%s/%s.npy", r->folder, tribo_columns[column].name);
}

static bool write_all(int file, const char* bytes, size_t size) {
  while (size > 0) {
    ssize_t written = write(file, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written, size -= (size_t)written;
  }
  return true;
}

static bool empty_buffer(Array* a) {
  bool fine = write_all(a->file, a->buffer, a->used);
  a->used = 0;
  return fine;
}

// A row at the end of an array. Elements may be NULL where the row has none.
static void append(TriboRecorder* r, TriboColumn column, const void* elements) {
  Array* a = &r->array[column];
  if (a->used + a->row > a->capacity && !empty_buffer(a)) r->failed = true;
  if (a->row > 0) memcpy(a->buffer + a->used, elements, a->row);
  a->used += a->row;
  ++a->shape.rows;
}

static bool write_header(Array* a) {
  char header[TRIBO_NPY_HEADER];
  tribo_npy_write_header(a->shape, header);
  a->flushed = a->shape.rows;
  return pwrite(a->file, header, sizeof header, 0) == (ssize_t)sizeof header;
}

TriboStatus tribo_recorder_flush(TriboRecorder* r) {
  for (int i = 0; i < TRIBO_COLUMN_COUNT; ++i) {
    if (r->array[i].file >= 0 && r->array[i].used > 0 && !empty_buffer(&r->array[i]))
      r->failed = true;
  }
  for (int i = 0; i < TRIBO_COLUMN_COUNT && !r->failed; ++i) {
    Array* a = &r->array[i];
    if (a->file >= 0 && a->flushed != a->shape.rows && !write_header(a)) r->failed = true;
  }
  r->since_flush = 0;
  return r->failed ? TRIBO_ERROR_FILE : TRIBO_OK;
}

static int width_of(const TriboModel* model, int width) {
  switch (width) {
    case TRIBO_WIDTH_NQ:
      return tribo_model_nq(model);
    case TRIBO_WIDTH_NV:
      return tribo_model_nv(model);
    case TRIBO_WIDTH_NU:
      return tribo_model_nu(model);
    default:
      return width > 0 ? width : -1;
  }
}

static bool open_array(TriboRecorder* r, int column) {
  const TriboColumnInfo* info = &tribo_columns[column];
  Array* a = &r->array[column];
  if (column == TRIBO_COLUMN_EFFORT && !r->options.effort) return true;
  if ((column == TRIBO_COLUMN_ENERGY || column == TRIBO_COLUMN_MOMENTUM) && !r->options.energy)
    return true;
  a->shape = (TriboNpyShape){info->type, info->size, 0, width_of(r->model, info->width)};
  a->row = (size_t)info->size * (size_t)(a->shape.columns >= 0 ? a->shape.columns : 1);
  a->capacity = a->row > BUFFER ? a->row : BUFFER;
  a->buffer = malloc(a->capacity);
  char path[PATH_SIZE + 64];
  name_file(r, column, path);
  a->file = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  if (a->buffer == NULL || a->file < 0) return false;
  // The first header is part of the stream; flushes write over it.
  char header[TRIBO_NPY_HEADER];
  tribo_npy_write_header(a->shape, header);
  return write_all(a->file, header, sizeof header);
}

// The header's text and the state at the start are arrays of one row.
static bool write_once(TriboRecorder* r, TriboColumn column, TriboNpyShape shape, const void* bytes,
                       size_t size) {
  Array* a = &r->array[column];
  a->shape = shape;
  return write_header(a) && write_all(a->file, bytes, size);
}

static bool write_fixed(TriboRecorder* r, const TriboState* state, const TriboStepOptions* step) {
  char* meta = tribo_meta_write(r->model, step, &r->options);
  size_t size = tribo_state_saved_size(state);
  unsigned char* saved = malloc(size);
  bool fine = meta != NULL && saved != NULL && tribo_state_save(state, saved, size) == TRIBO_OK;
  if (fine) {
    TriboNpyShape text = {'S', (int)strlen(meta), -1, -1}, bytes = {'u', 1, (int64_t)size, -1};
    fine = write_once(r, TRIBO_COLUMN_META, text, meta, strlen(meta)) &&
           write_once(r, TRIBO_COLUMN_INITIAL_STATE, bytes, saved, size);
  }
  free(meta), free(saved);
  return fine;
}

static void append_state(TriboRecorder* r, const TriboInput* input, const TriboState* state) {
  double time = tribo_state_time(state);
  append(r, TRIBO_COLUMN_TIME, &time);
  append(r, TRIBO_COLUMN_Q, tribo_state_q(state));
  append(r, TRIBO_COLUMN_V, tribo_state_v(state));
  const double* control = input != NULL ? input->control : NULL;
  const double* effort = input != NULL ? input->effort : NULL;
  append(r, TRIBO_COLUMN_CONTROL, control != NULL ? control : r->zeros);
  if (r->options.effort) append(r, TRIBO_COLUMN_EFFORT, effort != NULL ? effort : r->zeros);
  if (!r->options.energy) return;
  TriboEnergy e;
  if (tribo_energy(r->model, state, r->scratch, &e) != TRIBO_OK) r->failed = true;
  const double momentum[6] = {e.linear_momentum.x,  e.linear_momentum.y,  e.linear_momentum.z,
                              e.angular_momentum.x, e.angular_momentum.y, e.angular_momentum.z};
  const double energy = e.kinetic + e.potential;
  append(r, TRIBO_COLUMN_ENERGY, &energy);
  append(r, TRIBO_COLUMN_MOMENTUM, momentum);
}

static void append_info(TriboRecorder* r, const TriboStepInfo* info) {
  const TriboCertificate* c = &info->certificate;
  const double figures[TRIBO_TRAJECTORY_CERTIFICATE] = {
      c->dynamics, c->equality, c->penetration, c->sign, c->complementarity,
      c->cone,     c->stick,    c->direction,   c->worst};
  const int32_t counts[TRIBO_TRAJECTORY_SOLVER] = {
      info->contacts, info->touching,   info->rows,      info->islands,
      info->pivots,   info->iterations, (int)info->rung, info->stopped_by_budget};
  append(r, TRIBO_COLUMN_CERTIFICATE, figures);
  append(r, TRIBO_COLUMN_DEEPEST, &info->deepest);
  append(r, TRIBO_COLUMN_SOLVER, counts);
  append(r, TRIBO_COLUMN_CONTACT_END, &r->array[TRIBO_COLUMN_CONTACT_ID].shape.rows);
}

static void append_contacts(TriboRecorder* r, const TriboWorkspace* workspace) {
  int count = tribo_contact_count(workspace);
  for (int i = 0; i < count; ++i) {
    TriboContactResult c;
    if (!tribo_contact_get(workspace, i, &c) || c.mode == TRIBO_MODE_SEPARATE) continue;
    const int32_t shapes[2] = {c.shape0, c.shape1};
    const int8_t mode = (int8_t)c.mode;
    const double normal[3] = {c.frame.m[0], c.frame.m[3], c.frame.m[6]};
    const double slip = sqrt(c.slip[0] * c.slip[0] + c.slip[1] * c.slip[1]);
    append(r, TRIBO_COLUMN_CONTACT_ID, &c.id);
    append(r, TRIBO_COLUMN_CONTACT_SHAPES, shapes);
    append(r, TRIBO_COLUMN_CONTACT_MODE, &mode);
    append(r, TRIBO_COLUMN_CONTACT_POINT, &c.point);
    append(r, TRIBO_COLUMN_CONTACT_NORMAL, normal);
    append(r, TRIBO_COLUMN_CONTACT_FORCE, &c.force_W);
    append(r, TRIBO_COLUMN_CONTACT_GAP, &c.gap);
    append(r, TRIBO_COLUMN_CONTACT_SLIP, &slip);
  }
}

static void append_events(TriboRecorder* r, double time, const TriboWorkspace* workspace) {
  int count = tribo_event_count(workspace);
  for (int i = 0; i < count; ++i) {
    TriboEvent e;
    if (!tribo_event_get(workspace, i, &e)) continue;
    const int32_t shapes[2] = {e.shape0, e.shape1};
    const int8_t type = (int8_t)e.type;
    append(r, TRIBO_COLUMN_EVENT_TIME, &time);
    append(r, TRIBO_COLUMN_EVENT_TYPE, &type);
    append(r, TRIBO_COLUMN_EVENT_ID, &e.id);
    append(r, TRIBO_COLUMN_EVENT_SHAPES, shapes);
  }
}

static void destroy(TriboRecorder* r) {
  for (int i = 0; i < TRIBO_COLUMN_COUNT; ++i) {
    if (r->array[i].file >= 0) close(r->array[i].file);
    free(r->array[i].buffer);
  }
  tribo_workspace_destroy(r->scratch);
  free(r->zeros);
  free(r);
}

static void remove_folder(const TriboRecorder* r) {
  for (int i = 0; i < TRIBO_COLUMN_COUNT; ++i) {
    char path[PATH_SIZE + 64];
    name_file(r, i, path);
    (void)remove(path);
  }
  (void)rmdir(r->folder);
}

static TriboStatus begin(TriboRecorder* r, const TriboState* state, const TriboStepOptions* step,
                         TriboMessage* message) {
  // What a run that died has left here is in the way of a new one.
  remove_folder(r);
  if (mkdir(r->folder, 0777) != 0)
    return tribo_message_set(message, TRIBO_ERROR_FILE, "%.400s cannot be made: %s", r->folder,
                             strerror(errno));
  int nq = tribo_model_nq(r->model), nv = tribo_model_nv(r->model), nu = tribo_model_nu(r->model);
  r->zeros = calloc((size_t)(nq + nv + nu) + 1, sizeof(double));
  const TriboWorkspaceOptions smallest = {.max_contacts = 1};
  if (r->zeros == NULL || (r->options.energy && tribo_workspace_create(r->model, &smallest, NULL,
                                                                       &r->scratch) != TRIBO_OK))
    return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory");
  for (int i = 0; i < TRIBO_COLUMN_COUNT; ++i) {
    if (!open_array(r, i))
      return tribo_message_set(message, TRIBO_ERROR_FILE, "%.400s cannot be written: %s", r->folder,
                               strerror(errno));
  }
  if (!write_fixed(r, state, step))
    return tribo_message_set(
        message, TRIBO_ERROR_FILE,
        "the header cannot be written: is the disk full, or `settings` no JSON?");
  TriboStepInfo info = {0};
  append_state(r, NULL, state);
  append_info(r, &info);
  TriboStatus status = tribo_recorder_flush(r);
  if (status != TRIBO_OK) return tribo_message_set(message, status, "the disk is full");
  return TRIBO_OK;
}

TriboStatus tribo_recorder_create(const char* path, const TriboModel* model,
                                  const TriboState* state, const TriboStepOptions* step,
                                  const TriboRecordOptions* options, TriboRecorder** recorder,
                                  TriboMessage* message) {
  tribo_message_clear(message);
  TriboRecordOptions o = options != NULL ? *options : tribo_record_options_default();
  if (path == NULL || model == NULL || state == NULL || step == NULL || recorder == NULL ||
      o.every < 1 || o.flush < 1 || strlen(path) >= PATH_SIZE)
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT,
                             "recording: an argument makes no sense");
  TriboRecorder* r = calloc(1, sizeof *r);
  if (r == NULL) return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory");
  for (int i = 0; i < TRIBO_COLUMN_COUNT; ++i) r->array[i].file = -1;
  r->model = model;
  r->options = o;
  size_t length = strlen(path);
  r->csv = length >= 4 && strcmp(path + length - 4, ".csv") == 0;
  snprintf(r->path, sizeof r->path, "%s", path);
  snprintf(r->folder, sizeof r->folder, "%s.part", path);
  TriboStatus status = begin(r, state, step, message);
  if (status != TRIBO_OK) {
    remove_folder(r);
    destroy(r);
    return status;
  }
  *recorder = r;
  return TRIBO_OK;
}

TriboStatus tribo_recorder_step(TriboRecorder* r, const TriboInput* input, const TriboState* state,
                                const TriboWorkspace* workspace) {
  append_events(r, tribo_state_time(state), workspace);
  if (++r->steps % r->options.every != 0) return r->failed ? TRIBO_ERROR_FILE : TRIBO_OK;
  TriboStepInfo info = tribo_step_info(workspace);
  append_contacts(r, workspace);
  append_state(r, input, state);
  append_info(r, &info);
  if (++r->since_flush >= r->options.flush) return tribo_recorder_flush(r);
  return r->failed ? TRIBO_ERROR_FILE : TRIBO_OK;
}

// The folder's arrays in one .npz file, which takes its name only when it is complete.
static TriboStatus pack(const TriboRecorder* r, TriboMessage* message) {
  char unfinished[PATH_SIZE + 16];
  snprintf(unfinished, sizeof unfinished, "%s.tmp", r->path);
  TriboZipWriter* zip;
  TriboStatus status = tribo_zip_create(unfinished, r->options.compress, &zip, message);
  if (status != TRIBO_OK) return status;
  for (int i = TRIBO_COLUMN_COUNT - 1; i >= 0 && status == TRIBO_OK; --i) {
    if (r->array[i].file < 0) continue;
    char path[PATH_SIZE + 64], name[TRIBO_ZIP_NAME_SIZE];
    name_file(r, i, path);
    snprintf(name, sizeof name, "%s.npy", tribo_columns[i].name);
    status = tribo_zip_add_file(zip, name, path, message);
  }
  TriboStatus closed = tribo_zip_close(zip, status == TRIBO_OK, message);
  if (status == TRIBO_OK) status = closed;
  if (status == TRIBO_OK && rename(unfinished, r->path) != 0) {
    (void)remove(unfinished);
    status = tribo_message_set(message, TRIBO_ERROR_FILE, "%.400s cannot be written: %s", r->path,
                               strerror(errno));
  }
  return status;
}

static TriboStatus convert(const TriboRecorder* r, TriboMessage* message) {
  TriboTrajectory* trajectory;
  TriboStatus status = tribo_trajectory_open(r->folder, &trajectory, message);
  if (status != TRIBO_OK) return status;
  status = tribo_trajectory_write_csv(trajectory, r->path, message);
  tribo_trajectory_close(trajectory);
  return status;
}

TriboStatus tribo_recorder_close(TriboRecorder* r, TriboMessage* message) {
  tribo_message_clear(message);
  if (r == NULL) return TRIBO_OK;
  TriboStatus status = tribo_recorder_flush(r);
  if (status != TRIBO_OK)
    (void)tribo_message_set(message, status, "the disk is full; %.400s holds what was safe",
                            r->folder);
  if (status == TRIBO_OK) status = r->csv ? convert(r, message) : pack(r, message);
  if (status == TRIBO_OK) remove_folder(r);
  destroy(r);
  return status;
}
