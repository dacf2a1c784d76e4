// SPDX-License-Identifier: Apache-2.0
//
// Recording: every array grows in a .npy file of its own, through a buffer; closing packs them. A
// byte written costs more than anything else here: so pieces are large, and what is in the buffers
// at the end goes into the packed file only.
#define _POSIX_C_SOURCE 200809L  // mkdir, clock_gettime
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/message.h"
#include "tools/trajectory/column_file.h"
#include "tools/trajectory/column_memory.h"
#include "tools/trajectory/columns.h"
#include "tools/trajectory/meta.h"
#include "tools/trajectory/tribo_trajectory.h"
#include "tools/trajectory/zip.h"

enum { PATH_SIZE = 4096 };

// Of flushes; milliseconds are fine enough, and cheap.
#ifdef CLOCK_MONOTONIC_COARSE
enum { CLOCK = CLOCK_MONOTONIC_COARSE };
#else
enum { CLOCK = CLOCK_MONOTONIC };
#endif

struct TriboRecorder {
  const TriboModel* model;
  TriboRecordOptions options;
  int nq, nv, nu, links;
  bool csv, failed;
  int64_t steps;
  int since_flush;
  struct timespec flushed;
  char* memory;
  char path[PATH_SIZE], folder[PATH_SIZE + 8];
  TriboColumnFile column[TRIBO_COLUMN_COUNT];
  TriboWorkspace* scratch;  // for energy
};

TriboRecordOptions tribo_record_options_default(void) {
  return (TriboRecordOptions){.every = 1, .flush = 0};
}

static void name_file(const char* folder, int column, char path[PATH_SIZE + 64]) {
  snprintf(path, PATH_SIZE + 64, "%s/%s.npy", folder, tribo_columns[column].name);
}

// Room for a row at the end of an array.
static inline void* add(TriboRecorder* r, TriboColumn column) {
  return tribo_column_file_add(&r->column[column]);
}

// Elements NULL: zeros.
static void add_doubles(TriboRecorder* r, TriboColumn column, const double* elements, int count) {
  void* room = add(r, column);
  if (elements != NULL)
    memcpy(room, elements, (size_t)count * sizeof *elements);
  else
    memset(room, 0, (size_t)count * sizeof *elements);
}

// Rows are claimed after what belongs to them: the columns of rows come first.
static void write_rows(TriboRecorder* r) {
  for (int i = 0; i < TRIBO_COLUMN_COUNT; ++i) {
    if (r->column[i].file < 0) continue;
    tribo_column_file_flush_rows(&r->column[i]);
    r->failed = r->failed || r->column[i].failed;
  }
  for (int i = TRIBO_COLUMN_COUNT - 1; i >= 0 && !r->failed; --i) {
    if (r->column[i].file < 0) continue;
    tribo_column_file_flush_header(&r->column[i]);
    r->failed = r->column[i].failed;
  }
  r->since_flush = 0;
  clock_gettime(CLOCK, &r->flushed);
}

TriboStatus tribo_recorder_flush(TriboRecorder* r) {
  write_rows(r);
  return r->failed ? TRIBO_ERROR_FILE : TRIBO_OK;
}

static int width_of(const TriboRecorder* r, int width) {
  switch (width) {
    case TRIBO_WIDTH_NQ:
      return r->nq;
    case TRIBO_WIDTH_NV:
      return r->nv;
    case TRIBO_WIDTH_NU:
      return r->nu;
    default:
      return width > 0 ? width : -1;
  }
}

static bool is_recorded(const TriboRecorder* r, int column) {
  if (column == TRIBO_COLUMN_EFFORT) return r->options.effort;
  return (column != TRIBO_COLUMN_ENERGY && column != TRIBO_COLUMN_MOMENTUM) || r->options.energy;
}

static TriboNpyShape shape_of(const TriboRecorder* r, int column) {
  const TriboColumnInfo* info = &tribo_columns[column];
  return (TriboNpyShape){info->type, info->size, 0, width_of(r, info->width)};
}

// Buffers for four contacts a row; no event or wrench comes as often as a row, as a rule.
static bool create_columns(TriboRecorder* r, const char* folder) {
  size_t per_row[TRIBO_COLUMN_COUNT] = {0}, share[TRIBO_COLUMN_COUNT];
  for (int i = 0; i < TRIBO_COLUMN_COUNT; ++i) {
    const size_t times = tribo_columns[i].scope == TRIBO_SCOPE_CONTACT ? 4 : 1;
    if (is_recorded(r, i)) per_row[i] = times * tribo_column_file_row(shape_of(r, i));
  }
  char* at = r->memory = tribo_column_memory_create(per_row, TRIBO_COLUMN_COUNT, share);
  if (at == NULL) return false;
  for (int i = 0; i < TRIBO_COLUMN_COUNT; at += share[i++]) {
    if (!is_recorded(r, i)) continue;
    char path[PATH_SIZE + 64];
    name_file(folder, i, path);
    if (!tribo_column_file_create(&r->column[i], shape_of(r, i), path, at, share[i])) return false;
  }
  return true;
}

// The header's text and the state at the start.
static bool write_fixed(TriboRecorder* r, const TriboState* state, const TriboStepOptions* step) {
  char* meta = tribo_meta_write(r->model, step, &r->options);
  size_t size = tribo_state_saved_size(state);
  unsigned char* saved = malloc(size);
  bool fine = meta != NULL && saved != NULL && tribo_state_save(state, saved, size) == TRIBO_OK;
  if (fine) {
    TriboNpyShape text = {'S', (int)strlen(meta), -1, -1}, bytes = {'u', 1, (int64_t)size, -1};
    tribo_column_file_write(&r->column[TRIBO_COLUMN_META], text, meta, strlen(meta));
    tribo_column_file_write(&r->column[TRIBO_COLUMN_INITIAL_STATE], bytes, saved, size);
  }
  free(meta), free(saved);
  return fine;
}

static void add_energy(TriboRecorder* r, const TriboState* state) {
  TriboEnergy e;
  if (tribo_energy(r->model, state, r->scratch, &e) != TRIBO_OK) r->failed = true;
  const double momentum[6] = {e.linear_momentum.x,  e.linear_momentum.y,  e.linear_momentum.z,
                              e.angular_momentum.x, e.angular_momentum.y, e.angular_momentum.z};
  const double energy = e.kinetic + e.potential;
  add_doubles(r, TRIBO_COLUMN_ENERGY, &energy, 1);
  add_doubles(r, TRIBO_COLUMN_MOMENTUM, momentum, 6);
}

// Wrenches of the step that led to the row that comes next; links without one have no entry.
static void add_wrenches(TriboRecorder* r, const double* wrench) {
  static const double none[6] = {0};
  const int64_t row = r->column[TRIBO_COLUMN_TIME].shape.rows;
  for (int i = 0; i < r->links; ++i) {
    if (memcmp(wrench + 6 * i, none, sizeof none) == 0) continue;
    *(int64_t*)add(r, TRIBO_COLUMN_WRENCH_ROW) = row;
    *(int32_t*)add(r, TRIBO_COLUMN_WRENCH_LINK) = i;
    add_doubles(r, TRIBO_COLUMN_WRENCH, wrench + 6 * i, 6);
  }
}

static void add_state(TriboRecorder* r, const TriboInput* input, const TriboState* state) {
  if (input != NULL && input->wrench != NULL) add_wrenches(r, input->wrench);
  *(double*)add(r, TRIBO_COLUMN_TIME) = tribo_state_time(state);
  add_doubles(r, TRIBO_COLUMN_Q, tribo_state_q(state), r->nq);
  add_doubles(r, TRIBO_COLUMN_V, tribo_state_v(state), r->nv);
  add_doubles(r, TRIBO_COLUMN_CONTROL, input != NULL ? input->control : NULL, r->nu);
  if (r->options.effort)
    add_doubles(r, TRIBO_COLUMN_EFFORT, input != NULL ? input->effort : NULL, r->nv);
  if (r->options.energy) add_energy(r, state);
}

static void add_info(TriboRecorder* r, const TriboStepInfo* info) {
  const TriboCertificate* c = &info->certificate;
  const double figures[TRIBO_TRAJECTORY_CERTIFICATE] = {
      c->dynamics, c->equality, c->penetration, c->sign, c->complementarity,
      c->cone,     c->stick,    c->direction,   c->worst};
  const int32_t counts[TRIBO_TRAJECTORY_SOLVER] = {
      info->contacts, info->touching,   info->rows,      info->islands,
      info->pivots,   info->iterations, (int)info->rung, info->stopped_by_budget};
  memcpy(add(r, TRIBO_COLUMN_CERTIFICATE), figures, sizeof figures);
  *(double*)add(r, TRIBO_COLUMN_DEEPEST) = info->deepest;
  memcpy(add(r, TRIBO_COLUMN_SOLVER), counts, sizeof counts);
  *(int64_t*)add(r, TRIBO_COLUMN_CONTACT_END) = r->column[TRIBO_COLUMN_CONTACT_ID].shape.rows;
}

static inline void add_vec3(TriboRecorder* r, TriboColumn column, double x, double y, double z) {
  double* room = add(r, column);
  room[0] = x, room[1] = y, room[2] = z;
}

static inline void add_shapes(TriboRecorder* r, TriboColumn column, int shape0, int shape1) {
  int32_t* room = add(r, column);
  room[0] = shape0, room[1] = shape1;
}

static void add_contacts(TriboRecorder* r, const TriboWorkspace* workspace) {
  int count = tribo_contact_count(workspace);
  for (int i = 0; i < count; ++i) {
    TriboContactResult c;
    if (!tribo_contact_get(workspace, i, &c) || c.mode == TRIBO_MODE_SEPARATE) continue;
    *(uint64_t*)add(r, TRIBO_COLUMN_CONTACT_ID) = c.id;
    add_shapes(r, TRIBO_COLUMN_CONTACT_SHAPES, c.shape0, c.shape1);
    *(int8_t*)add(r, TRIBO_COLUMN_CONTACT_MODE) = (int8_t)c.mode;
    add_vec3(r, TRIBO_COLUMN_CONTACT_POINT, c.point.x, c.point.y, c.point.z);
    add_vec3(r, TRIBO_COLUMN_CONTACT_NORMAL, c.frame.m[0], c.frame.m[3], c.frame.m[6]);
    add_vec3(r, TRIBO_COLUMN_CONTACT_FORCE, c.force_W.x, c.force_W.y, c.force_W.z);
    *(double*)add(r, TRIBO_COLUMN_CONTACT_GAP) = c.gap;
    *(double*)add(r, TRIBO_COLUMN_CONTACT_SLIP) =
        sqrt(c.slip[0] * c.slip[0] + c.slip[1] * c.slip[1]);
  }
}

static void add_events(TriboRecorder* r, double time, const TriboWorkspace* workspace) {
  int count = tribo_event_count(workspace);
  for (int i = 0; i < count; ++i) {
    TriboEvent e;
    if (!tribo_event_get(workspace, i, &e)) continue;
    *(double*)add(r, TRIBO_COLUMN_EVENT_TIME) = time;
    *(int8_t*)add(r, TRIBO_COLUMN_EVENT_TYPE) = (int8_t)e.type;
    *(uint64_t*)add(r, TRIBO_COLUMN_EVENT_ID) = e.id;
    add_shapes(r, TRIBO_COLUMN_EVENT_SHAPES, e.shape0, e.shape1);
  }
}

static void destroy(TriboRecorder* r) {
  for (int i = 0; i < TRIBO_COLUMN_COUNT; ++i) tribo_column_file_close(&r->column[i]);
  tribo_workspace_destroy(r->scratch);
  free(r->memory);
  free(r);
}

static void remove_folder(const char* folder) {
  for (int i = 0; i < TRIBO_COLUMN_COUNT; ++i) {
    char path[PATH_SIZE + 64];
    name_file(folder, i, path);
    (void)remove(path);
  }
  (void)rmdir(folder);
}

// The files with their first row, in a folder that nobody takes for a trajectory yet.
static TriboStatus fill_folder(TriboRecorder* r, const char* folder, const TriboState* state,
                               const TriboStepOptions* step, TriboMessage* message) {
  remove_folder(folder);
  if (mkdir(folder, 0777) != 0 || !create_columns(r, folder))
    return tribo_message_set(message, TRIBO_ERROR_FILE,
                             "%.400s cannot be recorded, for lack of a folder beside it: %s",
                             r->path, strerror(errno));
  if (!write_fixed(r, state, step))
    return tribo_message_set(message, TRIBO_ERROR_FILE,
                             "the header cannot be written: memory is out, or `settings` no JSON");
  TriboStepInfo info = {0};
  add_state(r, NULL, state);
  add_info(r, &info);
  TriboStatus status = tribo_recorder_flush(r);
  if (status != TRIBO_OK) return tribo_message_set(message, status, "the disk is full");
  return TRIBO_OK;
}

// The folder takes its name when it holds row 0, and only then takes the place of what a run that
// died has left there: whenever this process is killed, what has the name can be read.
static TriboStatus begin(TriboRecorder* r, const TriboState* state, const TriboStepOptions* step,
                         TriboMessage* message) {
  char unfinished[PATH_SIZE + 16];
  snprintf(unfinished, sizeof unfinished, "%s.new", r->folder);
  // The file will take the place of what has its name: of an older file, but of nothing else.
  struct stat info;
  if (stat(r->path, &info) == 0 && !S_ISREG(info.st_mode))
    return tribo_message_set(message, TRIBO_ERROR_FILE,
                             "%.400s is there already, and is no regular file", r->path);
  const TriboWorkspaceOptions smallest = {.max_contacts = 1};
  if (r->options.energy &&
      tribo_workspace_create(r->model, &smallest, NULL, &r->scratch) != TRIBO_OK)
    return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory");
  TriboStatus status = fill_folder(r, unfinished, state, step, message);
  if (status == TRIBO_OK) {
    remove_folder(r->folder);
    if (rename(unfinished, r->folder) == 0) return TRIBO_OK;
    status = tribo_message_set(message, TRIBO_ERROR_FILE, "%.400s cannot be made: %s", r->folder,
                               strerror(errno));
  }
  remove_folder(unfinished);
  return status;
}

TriboStatus tribo_recorder_create(const char* path, const TriboModel* model,
                                  const TriboState* state, const TriboStepOptions* step,
                                  const TriboRecordOptions* options, TriboRecorder** recorder,
                                  TriboMessage* message) {
  tribo_message_clear(message);
  TriboRecordOptions o = options != NULL ? *options : tribo_record_options_default();
  if (path == NULL || model == NULL || state == NULL || step == NULL || recorder == NULL ||
      o.every < 1 || o.flush < 0 || strlen(path) >= PATH_SIZE)
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT,
                             "recording: an argument makes no sense");
  TriboRecorder* r = calloc(1, sizeof *r);
  if (r == NULL) return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory");
  for (int i = 0; i < TRIBO_COLUMN_COUNT; ++i) r->column[i].file = -1;
  r->model = model;
  r->options = o;
  r->nq = tribo_model_nq(model), r->nv = tribo_model_nv(model), r->nu = tribo_model_nu(model);
  r->links = tribo_model_count(model, TRIBO_KIND_LINK);
  size_t length = strlen(path);
  r->csv = length >= 4 && strcmp(path + length - 4, ".csv") == 0;
  snprintf(r->path, sizeof r->path, "%s", path);
  snprintf(r->folder, sizeof r->folder, "%s.part", path);
  TriboStatus status = begin(r, state, step, message);
  if (status != TRIBO_OK) {
    destroy(r);
    return status;
  }
  *recorder = r;
  return TRIBO_OK;
}

// By rows, where their number was given, or once a second.
static bool flush_is_due(TriboRecorder* r) {
  ++r->since_flush;
  if (r->options.flush > 0) return r->since_flush >= r->options.flush;
  struct timespec now;
  clock_gettime(CLOCK, &now);
  const long long seconds = now.tv_sec - r->flushed.tv_sec;
  return seconds * 1000000000 + now.tv_nsec - r->flushed.tv_nsec >= 1000000000;
}

TriboStatus tribo_recorder_step(TriboRecorder* r, const TriboInput* input, const TriboState* state,
                                const TriboWorkspace* workspace) {
  add_events(r, tribo_state_time(state), workspace);
  if (++r->steps % r->options.every != 0) return r->failed ? TRIBO_ERROR_FILE : TRIBO_OK;
  TriboStepInfo info = tribo_step_info(workspace);
  add_contacts(r, workspace);
  add_state(r, input, state);
  add_info(r, &info);
  if (flush_is_due(r)) return tribo_recorder_flush(r);
  return r->failed ? TRIBO_ERROR_FILE : TRIBO_OK;
}

static TriboStatus pack_column(const TriboRecorder* r, int column, TriboZipWriter* zip,
                               TriboMessage* message) {
  const TriboColumnFile* c = &r->column[column];
  char path[PATH_SIZE + 64], name[TRIBO_ZIP_NAME_SIZE], header[TRIBO_NPY_HEADER];
  name_file(r->folder, column, path);
  snprintf(name, sizeof name, "%s.npy", tribo_columns[column].name);
  tribo_npy_write_header(c->shape, header);
  const TriboZipSource source = {.head = header,
                                 .head_size = sizeof header,
                                 .path = path,
                                 .file_size = sizeof header + c->size,
                                 .tail = c->buffer,
                                 .tail_size = c->used,
                                 .crc = tribo_column_file_crc(c, header)};
  return tribo_zip_add(zip, name, &source, message);
}

// The arrays, in the folder and in memory, in one .npz file, which takes its name only when it is
// complete.
static TriboStatus pack(const TriboRecorder* r, TriboMessage* message) {
  char unfinished[PATH_SIZE + 16];
  snprintf(unfinished, sizeof unfinished, "%s.tmp", r->path);
  TriboZipWriter* zip;
  TriboStatus status = tribo_zip_create(unfinished, r->options.compress, &zip, message);
  if (status != TRIBO_OK) return status;
  for (int i = TRIBO_COLUMN_COUNT - 1; i >= 0 && status == TRIBO_OK; --i) {
    if (r->column[i].file >= 0) status = pack_column(r, i, zip, message);
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
  if (r->csv) write_rows(r);
  TriboStatus status = r->failed ? TRIBO_ERROR_FILE : TRIBO_OK;
  if (r->failed)
    (void)tribo_message_set(message, status, "the disk is full; %.400s holds what was safe",
                            r->folder);
  else
    status = r->csv ? convert(r, message) : pack(r, message);
  // What could not be packed stays in the folder.
  if (status != TRIBO_OK && !r->failed) write_rows(r);
  if (status == TRIBO_OK) remove_folder(r->folder);
  destroy(r);
  return status;
}
