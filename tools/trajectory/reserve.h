// SPDX-License-Identifier: Apache-2.0
//
// Room for what will be written to a file. Internal.
#ifndef TRIBO_TOOLS_TRAJECTORY_RESERVE_H_
#define TRIBO_TOOLS_TRAJECTORY_RESERVE_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Blocks for `size` bytes at `start`; the file is no longer for it. To write costs less where they
// are there already. Does nothing for little, or where the file system has no such thing.
void tribo_reserve(int file, uint64_t start, uint64_t size);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_TRAJECTORY_RESERVE_H_
