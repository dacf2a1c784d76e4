// SPDX-License-Identifier: Apache-2.0
//
// Just enough of ZIP for NumPy's .npz: members that are stored or deflated, ZIP64 where sizes ask
// for it. Internal.
#ifndef TRIBO_TOOLS_TRAJECTORY_ZIP_H_
#define TRIBO_TOOLS_TRAJECTORY_ZIP_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TRIBO_ZIP_NAME_SIZE = 64, TRIBO_ZIP_MEMBERS = 64 };

// Writing: a file at `path`, to which members are copied one after the other in constant memory.
typedef struct TriboZipWriter TriboZipWriter;

TriboStatus tribo_zip_create(const char* path, bool deflate, TriboZipWriter** writer,
                             TriboMessage* message) TRIBO_CHECKED;
// What a member is made of: `head`, the bytes of a file from head_size to file_size, and `tail`.
typedef struct TriboZipSource {
  const void* head;
  size_t head_size;
  const char* path;
  uint64_t file_size;  // at least head_size
  const void* tail;
  size_t tail_size;
  uint32_t crc;  // of all of it
} TriboZipSource;

// Its bytes begin at a multiple of 64 in a stored member.
TriboStatus tribo_zip_add(TriboZipWriter* writer, const char* name, const TriboZipSource* source,
                          TriboMessage* message) TRIBO_CHECKED;
// Writes the directory and gives the writer up, also on failure; `keep` false gives up the file
// too.
TriboStatus tribo_zip_close(TriboZipWriter* writer, bool keep, TriboMessage* message) TRIBO_CHECKED;

// Reading: the directory of a file in memory that may hold anything.
typedef struct TriboZipMember {
  char name[TRIBO_ZIP_NAME_SIZE];
  bool deflated;
  uint32_t crc;
  uint64_t offset, packed, size;  // bytes of data: where in the file, how many, how many unpacked
} TriboZipMember;

typedef struct TriboZipDirectory {
  int count;
  TriboZipMember member[TRIBO_ZIP_MEMBERS];
} TriboZipDirectory;

// TRIBO_ERROR_PARSE: truncated, damaged, or no such file; every member lies within `size`.
TriboStatus tribo_zip_read_directory(const void* data, uint64_t size, TriboZipDirectory* directory,
                                     TriboMessage* message) TRIBO_CHECKED;
// Unpacks a member into `to` (member->size bytes), or only checks it where it is stored and `to` is
// NULL. FALSE: its bytes are not the ones that were written.
bool tribo_zip_read_member(const void* data, const TriboZipMember* member, void* to);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_TRAJECTORY_ZIP_H_
