// SPDX-License-Identifier: Apache-2.0
//
// ZIP as APPNOTE.TXT (PKWARE) has it: local headers with data, the central directory, its end. All
// numbers are little-endian. Members always carry the ZIP64 sizes, so that one layout serves all.
#define _DEFAULT_SOURCE  // fseeko, MAP_POPULATE
#define _FILE_OFFSET_BITS 64
#include "tools/trajectory/zip.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "engine/base/message.h"
#include "tools/trajectory/crc.h"
#include "tools/trajectory/reserve.h"

// All pages of a mapping at once cost less than one by one.
#ifdef MAP_POPULATE
enum { MAPPED = MAP_SHARED | MAP_POPULATE };
#else
enum { MAPPED = MAP_SHARED };
#endif

enum {
  LOCAL = 0x04034b50,
  CENTRAL = 0x02014b50,
  END = 0x06054b50,
  END64 = 0x06064b50,
  LOCATOR64 = 0x07064b50,
  LOCAL_SIZE = 30,
  CENTRAL_SIZE = 46,
  END_SIZE = 22,
  END64_SIZE = 56,
  LOCATOR64_SIZE = 20,
  ZIP64_FIELD = 0x0001,
  ALIGN_FIELD = 0xd935,  // zipalign's: zeros
  CHUNK = 1 << 18,
  WINDOW = 1 << 20,  // of a file that is copied; a multiple of the page
};

static const char kTruncated[] =
    "%s: it was truncated or is no .npz file. Where a run died, the folder beside it that ends in "
    ".part holds what was recorded";

struct TriboZipWriter {
  FILE* file;
  char* path;
  bool deflate;
  TriboZipDirectory directory;
  unsigned char out[CHUNK];
};

static void put(unsigned char** at, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) *(*at)++ = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char* at, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value |= (uint64_t)at[i] << (8 * i);
  return value;
}

TriboStatus tribo_zip_create(const char* path, bool deflate, TriboZipWriter** writer,
                             TriboMessage* message) {
  TriboZipWriter* w = calloc(1, sizeof *w);
  char* copy = malloc(strlen(path) + 1);
  if (w == NULL || copy == NULL) {
    free(w), free(copy);
    return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory");
  }
  w->path = strcpy(copy, path);
  w->deflate = deflate;
  w->file = fopen(path, "wb");
  if (w->file == NULL) {
    free(copy), free(w);
    return tribo_message_set(message, TRIBO_ERROR_FILE, "%s cannot be written", path);
  }
  *writer = w;
  return TRIBO_OK;
}

// The local header, whose sizes are only known after the data when that is deflated: it is written
// twice. Returns where the data begins.
static uint64_t write_local(TriboZipWriter* w, const TriboZipMember* m, uint64_t start) {
  unsigned char header[256] = {0}, *at = header;
  size_t name = strlen(m->name);
  // The data begins at a multiple of 64, so that a file mapped into memory has aligned numbers.
  uint64_t end = start + LOCAL_SIZE + name + 20 + 4;
  unsigned padding = (unsigned)((64 - end % 64) % 64);
  put(&at, LOCAL, 4), put(&at, 45, 2), put(&at, 0, 2);
  put(&at, m->deflated ? 8 : 0, 2);
  put(&at, 0, 2), put(&at, 0x21, 2);  // midnight, 1 January 1980: the same bytes every day
  put(&at, m->crc, 4), put(&at, 0xffffffff, 4), put(&at, 0xffffffff, 4);
  put(&at, name, 2), put(&at, 20 + 4 + padding, 2);
  memcpy(at, m->name, name), at += name;
  put(&at, ZIP64_FIELD, 2), put(&at, 16, 2), put(&at, m->size, 8), put(&at, m->packed, 8);
  put(&at, ALIGN_FIELD, 2), put(&at, padding, 2), at += padding;
  fwrite(header, 1, (size_t)(at - header), w->file);
  return start + (uint64_t)(at - header);
}

// One piece of a member's bytes, deflated or as it is. A deflated one ends with a piece of none.
static void write_piece(TriboZipWriter* w, TriboZipMember* m, z_stream* z, const void* bytes,
                        size_t size) {
  if (!m->deflated) {
    // In chunks, for the same reason as in column_file.c.
    const char* at = bytes;
    for (; size > CHUNK; at += CHUNK, size -= CHUNK) m->packed += fwrite(at, 1, CHUNK, w->file);
    m->packed += fwrite(at, 1, size, w->file);
    return;
  }
  z->next_in = (Bytef*)bytes, z->avail_in = (uInt)size;
  do {
    z->next_out = w->out, z->avail_out = CHUNK;
    deflate(z, size == 0 ? Z_FINISH : Z_NO_FLUSH);
    m->packed += fwrite(w->out, 1, CHUNK - z->avail_out, w->file);
  } while (z->avail_out == 0);
}

// A file is mapped piece by piece, and so copied only once.
static bool write_file(TriboZipWriter* w, TriboZipMember* m, z_stream* z, int file,
                       const TriboZipSource* s) {
  struct stat info;
  if (fstat(file, &info) != 0 || info.st_size < (off_t)s->file_size) return false;
  size_t skip = s->head_size;
  for (uint64_t at = 0; at < s->file_size; at += WINDOW, skip = 0) {
    const size_t size = s->file_size - at < WINDOW ? (size_t)(s->file_size - at) : WINDOW;
    char* bytes = mmap(NULL, size, PROT_READ, MAPPED, file, (off_t)at);
    if (bytes == MAP_FAILED) return false;
    if (size > skip) write_piece(w, m, z, bytes + skip, size - skip);
    munmap(bytes, size);
  }
  return true;
}

static bool write_data(TriboZipWriter* w, TriboZipMember* m, int file, const TriboZipSource* s) {
  z_stream z = {0};
  if (m->deflated && deflateInit2(&z, 6, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    return false;
  write_piece(w, m, &z, s->head, s->head_size);
  const bool fine = write_file(w, m, &z, file, s);
  if (s->tail_size > 0) write_piece(w, m, &z, s->tail, s->tail_size);
  if (m->deflated) {
    write_piece(w, m, &z, NULL, 0);
    deflateEnd(&z);
  }
  return fine && !ferror(w->file);
}

TriboStatus tribo_zip_add(TriboZipWriter* w, const char* name, const TriboZipSource* source,
                          TriboMessage* message) {
  if (w->directory.count == TRIBO_ZIP_MEMBERS || strlen(name) >= TRIBO_ZIP_NAME_SIZE)
    return tribo_message_set(message, TRIBO_ERROR_CAPACITY, "%s: too many members", w->path);
  int in = open(source->path, O_RDONLY | O_CLOEXEC);
  if (in < 0)
    return tribo_message_set(message, TRIBO_ERROR_FILE, "%s cannot be read", source->path);
  TriboZipMember* m = &w->directory.member[w->directory.count];
  *m = (TriboZipMember){
      .deflated = w->deflate, .crc = source->crc, .size = source->file_size + source->tail_size};
  strcpy(m->name, name);
  uint64_t start = (uint64_t)ftello(w->file);
  (void)write_local(w, m, start);
  if (!m->deflated) tribo_reserve(fileno(w->file), start, m->size);
  bool fine = write_data(w, m, in, source);
  close(in);
  uint64_t end = (uint64_t)ftello(w->file);
  fine = fine && fseeko(w->file, (off_t)start, SEEK_SET) == 0;
  (void)write_local(w, m, start);
  fine = fine && fseeko(w->file, (off_t)end, SEEK_SET) == 0 && !ferror(w->file);
  m->offset = start;
  ++w->directory.count;
  if (fine) return TRIBO_OK;
  return tribo_message_set(message, TRIBO_ERROR_FILE, "%s: writing failed; is the disk full?",
                           w->path);
}

static void write_central(TriboZipWriter* w, const TriboZipMember* m) {
  unsigned char entry[256] = {0}, *at = entry;
  size_t name = strlen(m->name);
  put(&at, CENTRAL, 4), put(&at, 45, 2), put(&at, 45, 2), put(&at, 0, 2);
  put(&at, m->deflated ? 8 : 0, 2), put(&at, 0, 2), put(&at, 0x21, 2), put(&at, m->crc, 4);
  put(&at, 0xffffffff, 4), put(&at, 0xffffffff, 4);
  put(&at, name, 2), put(&at, 28, 2), put(&at, 0, 2), put(&at, 0, 2), put(&at, 0, 2);
  put(&at, 0, 4), put(&at, 0xffffffff, 4);
  memcpy(at, m->name, name), at += name;
  put(&at, ZIP64_FIELD, 2), put(&at, 24, 2);
  put(&at, m->size, 8), put(&at, m->packed, 8), put(&at, m->offset, 8);
  fwrite(entry, 1, (size_t)(at - entry), w->file);
}

static void write_end(TriboZipWriter* w, uint64_t start, uint64_t end) {
  unsigned char tail[END64_SIZE + LOCATOR64_SIZE + END_SIZE], *at = tail;
  uint64_t count = (uint64_t)w->directory.count;
  put(&at, END64, 4), put(&at, END64_SIZE - 12, 8), put(&at, 45, 2), put(&at, 45, 2);
  put(&at, 0, 4), put(&at, 0, 4), put(&at, count, 8), put(&at, count, 8);
  put(&at, end - start, 8), put(&at, start, 8);
  put(&at, LOCATOR64, 4), put(&at, 0, 4), put(&at, end, 8), put(&at, 1, 4);
  put(&at, END, 4), put(&at, 0, 2), put(&at, 0, 2), put(&at, count, 2), put(&at, count, 2);
  put(&at, 0xffffffff, 4), put(&at, 0xffffffff, 4), put(&at, 0, 2);
  fwrite(tail, 1, sizeof tail, w->file);
}

TriboStatus tribo_zip_close(TriboZipWriter* w, bool keep, TriboMessage* message) {
  if (keep) {
    uint64_t start = (uint64_t)ftello(w->file);
    for (int i = 0; i < w->directory.count; ++i) write_central(w, &w->directory.member[i]);
    write_end(w, start, (uint64_t)ftello(w->file));
  }
  bool fine = !ferror(w->file);
  fine = fclose(w->file) == 0 && fine;
  TriboStatus status = TRIBO_OK;
  if (!fine)
    status = tribo_message_set(message, TRIBO_ERROR_FILE, "%s: writing failed; is the disk full?",
                               w->path);
  if (!keep || !fine) remove(w->path);
  free(w->path);
  free(w);
  return status;
}

// The central directory: where it is, how long, how many entries.
typedef struct Extent {
  uint64_t start, size, count;
} Extent;

static bool find_directory(const unsigned char* data, uint64_t size, Extent* extent) {
  if (size < END_SIZE) return false;
  // A comment of up to 65535 bytes may follow the end record.
  uint64_t lowest = size > END_SIZE + 65535 ? size - END_SIZE - 65535 : 0;
  for (uint64_t at = size - END_SIZE + 1; at-- > lowest;) {
    if (get(data + at, 4) != END) continue;
    *extent = (Extent){get(data + at + 16, 4), get(data + at + 12, 4), get(data + at + 10, 2)};
    if (at >= LOCATOR64_SIZE && get(data + at - LOCATOR64_SIZE, 4) == LOCATOR64) {
      uint64_t end64 = get(data + at - LOCATOR64_SIZE + 8, 8);
      if (end64 > at || at - end64 < END64_SIZE || get(data + end64, 4) != END64) return false;
      *extent =
          (Extent){get(data + end64 + 48, 8), get(data + end64 + 40, 8), get(data + end64 + 32, 8)};
    }
    return extent->start <= at && extent->size <= at - extent->start;
  }
  return false;
}

// Takes the sizes that do not fit into 32 bits from the ZIP64 field.
static bool read_zip64(const unsigned char* extra, uint64_t length, uint64_t* values[3]) {
  while (length >= 4) {
    uint64_t id = get(extra, 2), size = get(extra + 2, 2);
    if (size > length - 4) return false;
    const unsigned char* at = extra + 4;
    for (int i = 0; id == ZIP64_FIELD && i < 3; ++i) {
      if (*values[i] != 0xffffffff) continue;
      if (at + 8 > extra + 4 + size) return false;
      *values[i] = get(at, 8), at += 8;
    }
    extra += 4 + size, length -= 4 + size;
  }
  return true;
}

// One entry of the directory; returns its length, 0 where it makes no sense.
static uint64_t read_entry(const unsigned char* data, uint64_t size, uint64_t at, uint64_t end,
                           TriboZipMember* m) {
  if (end - at < CENTRAL_SIZE || get(data + at, 4) != CENTRAL) return 0;
  uint64_t method = get(data + at + 10, 2), name = get(data + at + 28, 2);
  uint64_t extra = get(data + at + 30, 2), comment = get(data + at + 32, 2);
  uint64_t length = CENTRAL_SIZE + name + extra + comment;
  if (length > end - at || name >= TRIBO_ZIP_NAME_SIZE || (method != 0 && method != 8)) return 0;
  *m = (TriboZipMember){.deflated = method == 8,
                        .crc = (uint32_t)get(data + at + 16, 4),
                        .packed = get(data + at + 20, 4),
                        .size = get(data + at + 24, 4),
                        .offset = get(data + at + 42, 4)};
  memcpy(m->name, data + at + CENTRAL_SIZE, name);
  uint64_t* values[3] = {&m->size, &m->packed, &m->offset};
  if (!read_zip64(data + at + CENTRAL_SIZE + name, extra, values)) return 0;
  // The data follows the local header, whose name and extra field have lengths of their own.
  if (m->offset > size || size - m->offset < LOCAL_SIZE) return 0;
  const unsigned char* local = data + m->offset;
  if (get(local, 4) != LOCAL) return 0;
  m->offset += LOCAL_SIZE + get(local + 26, 2) + get(local + 28, 2);
  if (m->offset > size || m->packed > size - m->offset) return 0;
  if (!m->deflated && m->packed != m->size) return 0;
  // Deflate packs at most 1032 to 1: a size beyond that is a trap.
  if (m->deflated && m->size / 1032 > m->packed) return 0;
  return length;
}

TriboStatus tribo_zip_read_directory(const void* data, uint64_t size, TriboZipDirectory* directory,
                                     TriboMessage* message) {
  Extent extent;
  directory->count = 0;
  if (!find_directory(data, size, &extent))
    return tribo_message_set(message, TRIBO_ERROR_PARSE, kTruncated, "there is no directory");
  if (extent.count > TRIBO_ZIP_MEMBERS)
    return tribo_message_set(message, TRIBO_ERROR_PARSE, "it has %llu members: no trajectory",
                             (unsigned long long)extent.count);
  uint64_t at = extent.start, end = extent.start + extent.size;
  for (uint64_t i = 0; i < extent.count; ++i) {
    TriboZipMember* m = &directory->member[directory->count];
    uint64_t length = read_entry(data, size, at, end, m);
    if (length == 0)
      return tribo_message_set(message, TRIBO_ERROR_PARSE, "its directory is damaged at entry %llu",
                               (unsigned long long)i);
    at += length;
    ++directory->count;
  }
  return TRIBO_OK;
}

static bool inflate_member(const unsigned char* data, const TriboZipMember* m, unsigned char* to) {
  z_stream z = {0};
  if (inflateInit2(&z, -15) != Z_OK) return false;
  uint64_t in = 0, out = 0;
  int result = Z_OK;
  // zlib counts in 32 bits: feed it by pieces.
  while (result == Z_OK) {
    uint64_t give = m->packed - in < CHUNK ? m->packed - in : CHUNK;
    uint64_t room = m->size - out < CHUNK ? m->size - out : CHUNK;
    z.next_in = (Bytef*)(data + m->offset + in), z.avail_in = (uInt)give;
    z.next_out = to + out, z.avail_out = (uInt)room;
    result = inflate(&z, Z_NO_FLUSH);
    in += give - z.avail_in, out += room - z.avail_out;
    if (result == Z_OK && give - z.avail_in == 0 && room - z.avail_out == 0) break;
  }
  inflateEnd(&z);
  return result == Z_STREAM_END && out == m->size;
}

bool tribo_zip_read_member(const void* data, const TriboZipMember* member, void* to) {
  const unsigned char* bytes = data;
  if (member->deflated) {
    return inflate_member(bytes, member, to) && tribo_crc32(0, to, member->size) == member->crc;
  }
  if (to != NULL) memcpy(to, bytes + member->offset, member->size);
  return tribo_crc32(0, bytes + member->offset, member->size) == member->crc;
}
