// SPDX-License-Identifier: Apache-2.0
//
// ZIP's checksum, CRC-32, many times as fast as zlib's where the processor multiplies polynomials.
// Internal.
#ifndef TRIBO_TOOLS_TRAJECTORY_CRC_H_
#define TRIBO_TOOLS_TRAJECTORY_CRC_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The checksum of what `crc` (0: nothing) is of, followed by `size` bytes.
uint32_t tribo_crc32(uint32_t crc, const void* bytes, size_t size);

// The checksum of two pieces one after the other, of which the second is `size` bytes long.
uint32_t tribo_crc32_join(uint32_t first, uint32_t second, uint64_t size);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_TRAJECTORY_CRC_H_
