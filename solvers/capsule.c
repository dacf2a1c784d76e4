// SPDX-License-Identifier: Apache-2.0
//
// Writing goes through one function that counts every byte into the hash. Reading loads the whole
// file, checks the hash first, so that a damaged file is called that and not something stranger,
// and then goes over the words once.
#include "solvers/capsule.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/message.h"

// Largest file, and largest count in one: what is read is allocated, so it is bounded first.
enum { MOST_BYTES = 1 << 30, MOST_COUNT = 1 << 26 };

static const uint64_t kHashStart = 0xcbf29ce484222325u;

static uint64_t hash_bytes(uint64_t hash, const char* text, size_t length) {
  for (size_t i = 0; i < length; ++i) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
  return hash;
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// ---- Writing ----

typedef struct Writer {
  FILE* file;
  uint64_t hash;
} Writer;

static void emit(Writer* writer, const char* format, ...) __attribute__((format(printf, 2, 3)));
static void emit(Writer* writer, const char* format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  writer->hash = hash_bytes(writer->hash, text, (size_t)length);
  fwrite(text, 1, (size_t)length, writer->file);
}

static void emit_double(Writer* writer, double value) {
  emit(writer, " %016" PRIx64, bits_of(value));
}

static void emit_rows(Writer* writer, const char* name, const TriboRows* rows, const double* target,
                      const uint64_t* id) {
  const int entries = rows->count > 0 ? rows->start[rows->count] - rows->start[0] : 0;
  emit(writer, "%s %d %d\n", name, rows->count, entries);
  for (int i = 0; i < rows->count; ++i) {
    emit(writer, "%016" PRIx64, bits_of(target[i]));
    if (id != NULL) emit(writer, " %016" PRIx64, id[i]);
    emit(writer, " %d", rows->start[i + 1] - rows->start[i]);
    for (int e = rows->start[i]; e < rows->start[i + 1]; ++e) {
      emit(writer, " %d", rows->index[e]);
      emit_double(writer, rows->value[e]);
    }
    emit(writer, "\n");
  }
}

static void emit_warm(Writer* writer, const TriboContactProblem* problem,
                      const TriboContactSolution* warm) {
  emit(writer, "warm %d\n", warm != NULL);
  if (warm == NULL) return;
  for (int i = 0; i < problem->X.count; ++i) emit(writer, "%016" PRIx64 "\n", bits_of(warm->x[i]));
  for (int i = 0; i < problem->N.count; ++i) {
    emit(writer, "%016" PRIx64 " %d\n", bits_of(warm->f[i]), (int)warm->mode_N[i]);
  }
  for (int i = 0; i < problem->T.count; ++i) emit(writer, "%016" PRIx64 "\n", bits_of(warm->t[i]));
  for (int g = 0; g < problem->ng; ++g) emit(writer, "%d\n", (int)warm->mode_g[g]);
}

static void emit_capsule(Writer* writer, const TriboCapsuleContent* content) {
  const TriboContactProblem* p = content->problem;
  const TriboContactOptions* o = &content->options;
  emit(writer, "tribo-capsule %d\nlibrary %.60s\n", TRIBO_CAPSULE_VERSION, content->library);
  emit(writer, "options %s", o->cone == TRIBO_CONE_ROUND ? "round" : "polygon");
  emit_double(writer, o->tolerance);
  emit(writer, " %d %d\nk %d\n", o->max_turns, o->max_sweeps, p->ny);
  for (int i = 0; i < p->ny; ++i) emit(writer, "%016" PRIx64 "\n", bits_of(p->k[i]));
  emit_rows(writer, "X", &p->X, p->b_X, NULL);
  emit_rows(writer, "N", &p->N, p->b_N, p->id_N);
  emit_rows(writer, "T", &p->T, p->b_T, NULL);
  emit(writer, "groups %d\n", p->ng);
  for (int g = 0; g < p->ng; ++g) {
    const TriboFrictionGroup* group = &p->group[g];
    emit(writer, "%d %d %d %d", group->normal, group->tangent, group->rows, group->facets);
    emit_double(writer, group->mu);
    emit_double(writer, group->bound);
    emit(writer, "\n");
  }
  emit_warm(writer, p, content->warm);
  const uint64_t hash = writer->hash;
  emit(writer, "end %016" PRIx64 "\n", hash);
}

static TriboStatus file_error(TriboMessage* message, const char* path, const char* what) {
  tribo_message_set(message, TRIBO_ERROR_FILE, "cannot be %s: %s", what, strerror(errno));
  tribo_message_set_place(message, path, 0);
  return TRIBO_ERROR_FILE;
}

TriboStatus tribo_capsule_save(const char* path, const TriboCapsuleContent* content,
                               TriboMessage* message) {
  tribo_message_clear(message);
  const TriboStatus status = tribo_problem_validate(content->problem);
  if (status != TRIBO_OK) {
    return tribo_message_set(message, status, "the contact problem is not valid");
  }
  Writer writer = {fopen(path, "wb"), kHashStart};
  if (writer.file == NULL) return file_error(message, path, "opened");
  emit_capsule(&writer, content);
  const bool failed = ferror(writer.file) != 0;
  if (fclose(writer.file) != 0 || failed) {
    const TriboStatus result = file_error(message, path, "written");
    remove(path);
    return result;
  }
  return TRIBO_OK;
}

// ---- Reading ----

struct TriboCapsule {
  const TriboAllocator* allocator;
  size_t bytes;  // of this block
  TriboCapsuleContent content;
  TriboContactProblem problem;
  TriboContactSolution warm;
  char library[TRIBO_CAPSULE_NAME_SIZE];
};

typedef struct Reader {
  const char *text, *end;  // what is left
  int line;                // of the next character
  int word_line;
  const char* path;
  TriboMessage* message;
  char word[TRIBO_CAPSULE_NAME_SIZE];
} Reader;

#define FAIL(reader, status, ...)                               \
  (tribo_message_set((reader)->message, (status), __VA_ARGS__), \
   tribo_message_set_place((reader)->message, (reader)->path, (reader)->word_line), (status))

static TriboStatus next_word(Reader* r) {
  while (r->text < r->end && (*r->text == ' ' || *r->text == '\n')) r->line += *r->text++ == '\n';
  r->word_line = r->line;
  int length = 0;
  while (r->text < r->end && *r->text != ' ' && *r->text != '\n') {
    if (length == TRIBO_CAPSULE_NAME_SIZE - 1) {
      return FAIL(r, TRIBO_ERROR_PARSE, "a word of more than %d characters",
                  TRIBO_CAPSULE_NAME_SIZE - 1);
    }
    r->word[length++] = *r->text++;
  }
  r->word[length] = '\0';
  return length > 0 ? TRIBO_OK : FAIL(r, TRIBO_ERROR_PARSE, "the file ends too early");
}

static TriboStatus expect(Reader* r, const char* word) {
  const TriboStatus status = next_word(r);
  if (status != TRIBO_OK || strcmp(r->word, word) == 0) return status;
  return FAIL(r, TRIBO_ERROR_PARSE, "'%s' where '%s' is expected", r->word, word);
}

static TriboStatus next_int(Reader* r, int least, int most, int* value) {
  const TriboStatus status = next_word(r);
  if (status != TRIBO_OK) return status;
  char* end;
  errno = 0;
  const long number = strtol(r->word, &end, 10);
  if (*end != '\0' || errno != 0 || number < least || number > most) {
    return FAIL(r, TRIBO_ERROR_PARSE, "'%s' is not a whole number from %d to %d", r->word, least,
                most);
  }
  *value = (int)number;
  return TRIBO_OK;
}

static TriboStatus next_bits(Reader* r, uint64_t* bits) {
  const TriboStatus status = next_word(r);
  if (status != TRIBO_OK) return status;
  if (strlen(r->word) != 16 || strspn(r->word, "0123456789abcdef") != 16) {
    return FAIL(r, TRIBO_ERROR_PARSE, "'%s' is not 16 hexadecimal digits", r->word);
  }
  *bits = strtoull(r->word, NULL, 16);
  return TRIBO_OK;
}

static TriboStatus next_double(Reader* r, double* value) {
  uint64_t bits;
  const TriboStatus status = next_bits(r, &bits);
  if (status != TRIBO_OK) return status;
  memcpy(value, &bits, sizeof *value);
  return isfinite(*value) ? TRIBO_OK
                          : FAIL(r, TRIBO_ERROR_NOT_FINITE, "%s is not a finite number", r->word);
}

// The counts of all parts, found in a first pass; the second one fills.
typedef struct Counts {
  int ny, x, x_entries, n, n_entries, t, t_entries, ng;
  int warm;
} Counts;

static void layout(TriboCapsule* c, TriboArena* arena, const Counts* n) {
  TriboContactProblem* p = &c->problem;
  p->k = tribo_arena_doubles(arena, n->ny);
  TriboRows* rows[] = {&p->X, &p->N, &p->T};
  const double** targets[] = {&p->b_X, &p->b_N, &p->b_T};
  const int count[] = {n->x, n->n, n->t};
  const int entries[] = {n->x_entries, n->n_entries, n->t_entries};
  for (int b = 0; b < 3; ++b) {
    rows[b]->start = tribo_arena_ints(arena, count[b] + 1);
    rows[b]->index = tribo_arena_ints(arena, entries[b]);
    rows[b]->value = tribo_arena_doubles(arena, entries[b]);
    *targets[b] = tribo_arena_doubles(arena, count[b]);
  }
  p->id_N = tribo_arena_take(arena, (size_t)n->n, sizeof(uint64_t));
  p->group = tribo_arena_take(arena, (size_t)n->ng, sizeof(TriboFrictionGroup));
  c->warm.y = tribo_arena_doubles(arena, n->ny);
  c->warm.x = tribo_arena_doubles(arena, n->x);
  c->warm.f = tribo_arena_doubles(arena, n->n);
  c->warm.t = tribo_arena_doubles(arena, n->t);
  c->warm.mode_N = tribo_arena_take(arena, (size_t)n->n, sizeof(TriboMode));
  c->warm.mode_g = tribo_arena_take(arena, (size_t)n->ng, sizeof(TriboMode));
}

// `rows` NULL: only looked over.
static TriboStatus read_rows(Reader* r, const char* name, int* count, int* entries, TriboRows* rows,
                             double* target, uint64_t* id, bool has_id) {
  TriboStatus status = expect(r, name);
  if (status == TRIBO_OK) status = next_int(r, 0, MOST_COUNT, count);
  if (status == TRIBO_OK) status = next_int(r, 0, MOST_COUNT, entries);
  int at = 0;
  if (rows != NULL) rows->count = *count;
  for (int i = 0; i < *count && status == TRIBO_OK; ++i) {
    double b = 0;
    uint64_t name_bits = 0;
    int row_entries = 0;
    status = next_double(r, &b);
    if (status == TRIBO_OK && has_id) status = next_bits(r, &name_bits);
    if (status == TRIBO_OK) status = next_int(r, 0, *entries - at, &row_entries);
    if (rows != NULL) {
      target[i] = b;
      if (has_id) id[i] = name_bits;
      rows->start[i] = at;
    }
    for (int e = 0; e < row_entries && status == TRIBO_OK; ++e, ++at) {
      int index = 0;
      double value = 0;
      status = next_int(r, 0, INT_MAX, &index);
      if (status == TRIBO_OK) status = next_double(r, &value);
      if (rows == NULL) continue;
      rows->index[at] = index;
      rows->value[at] = value;
    }
  }
  if (status != TRIBO_OK) return status;
  if (rows != NULL) rows->start[*count] = at;
  return at == *entries
             ? TRIBO_OK
             : FAIL(r, TRIBO_ERROR_PARSE, "%s has %d entries and not %d", name, at, *entries);
}

static TriboStatus read_groups(Reader* r, int* count, TriboFrictionGroup* groups) {
  TriboStatus status = expect(r, "groups");
  if (status == TRIBO_OK) status = next_int(r, 0, MOST_COUNT, count);
  for (int g = 0; g < *count && status == TRIBO_OK; ++g) {
    TriboFrictionGroup group = {0, 0, 0, 0, 0, 0};
    status = next_int(r, -1, INT_MAX, &group.normal);
    if (status == TRIBO_OK) status = next_int(r, 0, INT_MAX / 2, &group.tangent);
    if (status == TRIBO_OK) status = next_int(r, 1, 2, &group.rows);
    if (status == TRIBO_OK) status = next_int(r, 2, INT_MAX, &group.facets);
    if (status == TRIBO_OK) status = next_double(r, &group.mu);
    if (status == TRIBO_OK) status = next_double(r, &group.bound);
    if (groups != NULL) groups[g] = group;
  }
  return status;
}

static TriboStatus read_numbers(Reader* r, int count, double* value, TriboMode* mode) {
  TriboStatus status = TRIBO_OK;
  for (int i = 0; i < count && status == TRIBO_OK; ++i) {
    int m = 0;
    double number = 0;
    if (value != NULL) status = next_double(r, &number);
    if (status == TRIBO_OK && mode != NULL) status = next_int(r, 0, TRIBO_MODE_SLIDE, &m);
    if (value != NULL) value[i] = number;
    if (mode != NULL) mode[i] = (TriboMode)m;
  }
  return status;
}

static TriboStatus read_options(Reader* r, TriboContactOptions* options) {
  *options = tribo_contact_options_default();
  TriboStatus status = expect(r, "options");
  if (status == TRIBO_OK) status = next_word(r);
  if (status != TRIBO_OK) return status;
  const bool round = strcmp(r->word, "round") == 0;
  if (!round && strcmp(r->word, "polygon") != 0) {
    return FAIL(r, TRIBO_ERROR_PARSE, "the cone is round or polygon, not '%s'", r->word);
  }
  options->cone = round ? TRIBO_CONE_ROUND : TRIBO_CONE_POLYGON;
  status = next_double(r, &options->tolerance);
  if (status == TRIBO_OK) status = next_int(r, 0, INT_MAX, &options->max_turns);
  if (status == TRIBO_OK) status = next_int(r, 0, INT_MAX, &options->max_sweeps);
  return status;
}

// Header and problem; with c's arrays NULL only the counts are found.
static TriboStatus read_content(Reader* r, TriboCapsule* c, Counts* n, bool fill) {
  TriboContactProblem* p = &c->problem;
  int version = 0;
  TriboStatus status = expect(r, "tribo-capsule");
  if (status == TRIBO_OK) status = next_int(r, 1, INT_MAX, &version);
  if (status == TRIBO_OK && version != TRIBO_CAPSULE_VERSION) {
    status = FAIL(r, TRIBO_ERROR_VERSION, "format %d; this program reads format %d", version,
                  TRIBO_CAPSULE_VERSION);
  }
  if (status == TRIBO_OK) status = expect(r, "library");
  if (status == TRIBO_OK) status = next_word(r);
  if (status == TRIBO_OK) memcpy(c->library, r->word, sizeof c->library);
  if (status == TRIBO_OK) status = read_options(r, &c->content.options);
  if (status == TRIBO_OK) status = expect(r, "k");
  if (status == TRIBO_OK) status = next_int(r, 0, MOST_COUNT, &n->ny);
  for (int i = 0; i < n->ny && status == TRIBO_OK; ++i) {
    double value = 0;
    status = next_double(r, &value);
    if (fill) ((double*)p->k)[i] = value;
  }
  p->ny = n->ny;
  if (status == TRIBO_OK) {
    status =
        read_rows(r, "X", &n->x, &n->x_entries, fill ? &p->X : NULL, (double*)p->b_X, NULL, false);
  }
  if (status == TRIBO_OK) {
    status = read_rows(r, "N", &n->n, &n->n_entries, fill ? &p->N : NULL, (double*)p->b_N,
                       (uint64_t*)p->id_N, true);
  }
  if (status == TRIBO_OK) {
    status =
        read_rows(r, "T", &n->t, &n->t_entries, fill ? &p->T : NULL, (double*)p->b_T, NULL, false);
  }
  if (status == TRIBO_OK) status = read_groups(r, &n->ng, (TriboFrictionGroup*)p->group);
  p->ng = n->ng;
  if (status == TRIBO_OK) status = expect(r, "warm");
  return status == TRIBO_OK ? next_int(r, 0, 1, &n->warm) : status;
}

static TriboStatus read_warm(Reader* r, TriboCapsule* c, const Counts* n) {
  TriboStatus status = read_numbers(r, n->x, c->warm.x, NULL);
  if (status == TRIBO_OK) status = read_numbers(r, n->n, c->warm.f, c->warm.mode_N);
  if (status == TRIBO_OK) status = read_numbers(r, n->t, c->warm.t, NULL);
  if (status == TRIBO_OK) status = read_numbers(r, n->ng, NULL, c->warm.mode_g);
  return status;
}

// The last line is "end HASH" of everything before it.
static TriboStatus check_hash(Reader* r) {
  static const size_t kLast = sizeof "end 0123456789abcdef\n" - 1;
  const size_t size = (size_t)(r->end - r->text);
  r->word_line = 0;
  if (size < kLast || memcmp(r->end - kLast, "end ", 4) != 0) {
    return FAIL(r, TRIBO_ERROR_PARSE, "not a whole capsule: it does not end with its hash");
  }
  char expected[32];
  snprintf(expected, sizeof expected, "end %016" PRIx64 "\n",
           hash_bytes(kHashStart, r->text, size - kLast));
  if (memcmp(r->end - kLast, expected, kLast) != 0) {
    return FAIL(r, TRIBO_ERROR_PARSE, "damaged: its hash does not fit its content");
  }
  r->end -= kLast;
  return TRIBO_OK;
}

static TriboStatus build(const Reader* start, const TriboAllocator* allocator,
                         TriboCapsule** result) {
  Counts counts;
  memset(&counts, 0, sizeof counts);
  TriboCapsule looked;
  memset(&looked, 0, sizeof looked);
  Reader reader = *start;
  TriboStatus status = read_content(&reader, &looked, &counts, false);
  if (status != TRIBO_OK) return status;

  TriboArena measure = tribo_arena_measure();
  tribo_arena_take(&measure, 1, sizeof(TriboCapsule));
  layout(&looked, &measure, &counts);
  void* memory = tribo_allocate(allocator, measure.used);
  if (memory == NULL) return FAIL(&reader, TRIBO_ERROR_MEMORY, "no memory for the problem");
  TriboArena arena = tribo_arena_over(memory, measure.used);
  TriboCapsule* capsule = tribo_arena_take(&arena, 1, sizeof(TriboCapsule));
  memset(capsule, 0, sizeof *capsule);
  capsule->allocator = allocator;
  capsule->bytes = measure.used;
  layout(capsule, &arena, &counts);
  reader = *start;
  status = read_content(&reader, capsule, &counts, true);
  if (status == TRIBO_OK && counts.warm) status = read_warm(&reader, capsule, &counts);
  if (status == TRIBO_OK && reader.text + 1 < reader.end) {
    status = FAIL(&reader, TRIBO_ERROR_PARSE, "more lines than the counts say");
  }
  if (status == TRIBO_OK) {
    status = tribo_problem_validate(&capsule->problem);
    if (status != TRIBO_OK) status = FAIL(&reader, status, "the problem in it is not valid");
  }
  if (status != TRIBO_OK) {
    tribo_capsule_destroy(capsule);
    return status;
  }
  capsule->content.problem = &capsule->problem;
  capsule->content.warm = counts.warm ? &capsule->warm : NULL;
  capsule->content.library = capsule->library;
  *result = capsule;
  return TRIBO_OK;
}

// Reads the whole file. Release *text with *size.
static TriboStatus slurp(Reader* reader, const TriboAllocator* allocator, char** text,
                         size_t* size) {
  FILE* file = fopen(reader->path, "rb");
  if (file == NULL) return file_error(reader->message, reader->path, "opened");
  TriboStatus status = TRIBO_OK;
  long length = -1;
  if (fseek(file, 0, SEEK_END) == 0) length = ftell(file);
  if (length < 0 || length > MOST_BYTES || fseek(file, 0, SEEK_SET) != 0) {
    status = FAIL(reader, TRIBO_ERROR_FILE, "cannot be read: no file, or larger than %d bytes",
                  MOST_BYTES);
  }
  *size = length > 0 ? (size_t)length : 1;
  *text = status == TRIBO_OK ? tribo_allocate(allocator, *size) : NULL;
  if (status == TRIBO_OK && *text == NULL) {
    status = FAIL(reader, TRIBO_ERROR_MEMORY, "no memory for %ld bytes", length);
  }
  if (status == TRIBO_OK && fread(*text, 1, (size_t)length, file) != (size_t)length) {
    status = file_error(reader->message, reader->path, "read");
  }
  fclose(file);
  reader->text = *text;
  reader->end = status == TRIBO_OK ? *text + length : *text;
  return status;
}

TriboStatus tribo_capsule_load(const char* path, const TriboAllocator* allocator,
                               TriboCapsule** capsule, TriboMessage* message) {
  *capsule = NULL;
  tribo_message_clear(message);
  Reader reader = {.line = 1, .path = path, .message = message};
  char* text = NULL;
  size_t size = 0;
  TriboStatus status = slurp(&reader, allocator, &text, &size);
  if (status == TRIBO_OK) status = check_hash(&reader);
  if (status == TRIBO_OK) status = build(&reader, allocator, capsule);
  if (text != NULL) tribo_release(allocator, text, size);
  return status;
}

const TriboCapsuleContent* tribo_capsule_content(const TriboCapsule* capsule) {
  return &capsule->content;
}

void tribo_capsule_destroy(TriboCapsule* capsule) {
  if (capsule != NULL) tribo_release(capsule->allocator, capsule, capsule->bytes);
}
