// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE  // madvise
#include "tools/trajectory/column_memory.h"

#include <stdlib.h>
#include <sys/mman.h>

// Rows that are in memory at the end are written once, others twice: 20 s of the quadruped at 1 ms
// are 15 MB.
enum { MEMORY = 32 << 20, HUGE_PAGE = 2 << 20, ALIGNED = 64 };

static size_t round_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

char* tribo_column_memory_create(const size_t per_row[], int count, size_t share[]) {
  size_t row = 0, size = 0;
  for (int i = 0; i < count; ++i) row += per_row[i];
  const size_t rows = row > 0 && row < MEMORY ? MEMORY / row : 1;
  for (int i = 0; i < count; ++i) {
    share[i] = round_up(rows * per_row[i], ALIGNED);
    size += share[i];
  }
  size = round_up(size > 0 ? size : 1, HUGE_PAGE);
  // To touch small pages for the first time costs more than to write them to a file; huge ones cost
  // a fraction of it.
  char* memory = aligned_alloc(HUGE_PAGE, size);
#ifdef MADV_HUGEPAGE
  if (memory != NULL) (void)madvise(memory, size, MADV_HUGEPAGE);
#endif
  return memory;
}
