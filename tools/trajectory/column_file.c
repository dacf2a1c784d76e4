// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L  // pwrite
#define _FILE_OFFSET_BITS 64
#include "tools/trajectory/column_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "tools/trajectory/crc.h"
#include "tools/trajectory/reserve.h"

// At once. Of more, Linux looks for long runs of free memory, which can take longer than the copy.
enum { PIECE = 1 << 18 };

static bool write_all(int file, const char* bytes, size_t size) {
  while (size > 0) {
    ssize_t written = write(file, bytes, size < PIECE ? size : PIECE);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written, size -= (size_t)written;
  }
  return true;
}

size_t tribo_column_file_row(TriboNpyShape shape) {
  return (size_t)shape.size * (size_t)(shape.columns >= 0 ? shape.columns : 1);
}

bool tribo_column_file_create(TriboColumnFile* c, TriboNpyShape shape, const char* path,
                              void* buffer, size_t capacity) {
  *c = (TriboColumnFile){.file = -1, .shape = shape, .buffer = buffer, .capacity = capacity};
  c->row = tribo_column_file_row(shape);
  c->file = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  if (c->file < 0) return false;
  // The first header is part of the stream; flushes write over it.
  char header[TRIBO_NPY_HEADER];
  tribo_npy_write_header(c->shape, header);
  return write_all(c->file, header, sizeof header);
}

void tribo_column_file_close(TriboColumnFile* c) {
  if (c->file >= 0) close(c->file);
  c->file = -1;
}

// The checksum is taken here, where the bytes are still in the processor's cache.
static void write_elements(TriboColumnFile* c, const void* bytes, size_t size) {
  tribo_reserve(c->file, TRIBO_NPY_HEADER + c->size, size);
  if (!write_all(c->file, bytes, size)) c->failed = true;
  c->crc = tribo_crc32(c->crc, bytes, size);
  c->size += size;
}

void tribo_column_file_empty(TriboColumnFile* c) {
  write_elements(c, c->buffer, c->used);
  c->used = 0;
}

void tribo_column_file_write(TriboColumnFile* c, TriboNpyShape shape, const void* elements,
                             size_t size) {
  c->shape = shape;
  write_elements(c, elements, size);
  tribo_column_file_flush_header(c);
}

void tribo_column_file_flush_rows(TriboColumnFile* c) {
  if (c->used > 0) tribo_column_file_empty(c);
}

void tribo_column_file_flush_header(TriboColumnFile* c) {
  char header[TRIBO_NPY_HEADER];
  if (c->flushed == c->shape.rows) return;
  tribo_npy_write_header(c->shape, header);
  if (pwrite(c->file, header, sizeof header, 0) != (ssize_t)sizeof header) c->failed = true;
  c->flushed = c->shape.rows;
}

uint32_t tribo_column_file_crc(const TriboColumnFile* c, const char header[TRIBO_NPY_HEADER]) {
  const uint32_t elements = tribo_crc32(c->crc, c->buffer, c->used);
  return tribo_crc32_join(tribo_crc32(0, header, TRIBO_NPY_HEADER), elements, c->size + c->used);
}
