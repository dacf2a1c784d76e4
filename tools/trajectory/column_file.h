// SPDX-License-Identifier: Apache-2.0
//
// An array that grows in a .npy file of its own, through a buffer. Internal.
//
// A flush writes the buffer first and the number of rows into the header after it, so that at every
// instant the file holds at least the rows that its header claims. What was not flushed at the end
// need not pass through the file: the whole array is a new header, the file's elements and the
// buffer.
#ifndef TRIBO_TOOLS_TRAJECTORY_COLUMN_FILE_H_
#define TRIBO_TOOLS_TRAJECTORY_COLUMN_FILE_H_

#include "tools/trajectory/npy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboColumnFile {
  int file;             // -1: there is none
  TriboNpyShape shape;  // rows: those in the buffer too
  size_t row;           // bytes of a row
  size_t used, capacity;
  char* buffer;     // the caller's
  int64_t flushed;  // rows that the header claims
  uint64_t size;    // bytes of elements in the file
  uint32_t crc;     // of them
  bool failed;      // the disk is full
} TriboColumnFile;

// Bytes of a row.
size_t tribo_column_file_row(TriboNpyShape shape);

// Makes the file and its header, of no rows. The buffer, of at least a row, must live as long.
// FALSE: errno says why.
bool tribo_column_file_create(TriboColumnFile* column, TriboNpyShape shape, const char* path,
                              void* buffer, size_t capacity);
// Fine for one that was never created.
void tribo_column_file_close(TriboColumnFile* column);

void tribo_column_file_empty(TriboColumnFile* column);

// Room for a row at the end, which the caller fills before the next call. Its alignment is that of
// its elements.
static inline void* tribo_column_file_add(TriboColumnFile* column) {
  if (column->used + column->row > column->capacity) tribo_column_file_empty(column);
  void* room = column->buffer + column->used;
  column->used += column->row;
  ++column->shape.rows;
  return room;
}

// The whole of an array that does not grow.
void tribo_column_file_write(TriboColumnFile* column, TriboNpyShape shape, const void* elements,
                             size_t size);

// Writes what the buffer holds, and after all columns have, the headers: two calls.
void tribo_column_file_flush_rows(TriboColumnFile* column);
void tribo_column_file_flush_header(TriboColumnFile* column);

// Checksum of the whole array: of `header`, the file's elements and the buffer.
uint32_t tribo_column_file_crc(const TriboColumnFile* column, const char header[TRIBO_NPY_HEADER]);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_TRAJECTORY_COLUMN_FILE_H_
