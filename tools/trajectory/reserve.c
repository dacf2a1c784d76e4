// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE  // fallocate
#define _FILE_OFFSET_BITS 64
#include "tools/trajectory/reserve.h"

#include <fcntl.h>

enum { LITTLE = 1 << 18 };

void tribo_reserve(int file, uint64_t start, uint64_t size) {
#ifdef FALLOC_FL_KEEP_SIZE
  // A full disk is found by the write.
  if (size > LITTLE) (void)fallocate(file, FALLOC_FL_KEEP_SIZE, (off_t)start, (off_t)size);
#else
  (void)file, (void)start, (void)size;
#endif
}
