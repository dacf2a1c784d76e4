// SPDX-License-Identifier: Apache-2.0
//
// One block of memory for the buffers of all columns of a recording. Internal.
#ifndef TRIBO_TOOLS_TRAJECTORY_COLUMN_MEMORY_H_
#define TRIBO_TOOLS_TRAJECTORY_COLUMN_MEMORY_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Room for as many rows of the trajectory as 32 MB hold, one at least. per_row: bytes of each
// column that come with a row; share: the bytes that it gets, in the order of the columns, each
// share a multiple of 64. To be freed. NULL: memory is out.
char* tribo_column_memory_create(const size_t per_row[], int count, size_t share[]);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_TRAJECTORY_COLUMN_MEMORY_H_
