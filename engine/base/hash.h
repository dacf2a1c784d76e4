// SPDX-License-Identifier: Apache-2.0
//
// A 64-bit hash of content, the same on every machine: for state hashes and the hash of a model. It
// tells trajectories apart; it is no protection against somebody who wants a collision. Internal.
#ifndef TRIBO_ENGINE_BASE_HASH_H_
#define TRIBO_ENGINE_BASE_HASH_H_

#include <stdint.h>
#include <string.h>

#include "engine/base/random.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where a hash starts; each call below returns the hash of what it was given so far and one thing
// more.
static inline uint64_t tribo_hash_begin(void) { return 0x7472696261u; }

static inline uint64_t tribo_hash_u64(uint64_t hash, uint64_t value) {
  return tribo_hash64_combine(hash, value);
}
static inline uint64_t tribo_hash_int(uint64_t hash, int value) {
  return tribo_hash_u64(hash, (uint64_t)(int64_t)value);
}
// The bits count, not the value: 0 and -0 differ, as they may lead to different bits later.
static inline uint64_t tribo_hash_double(uint64_t hash, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return tribo_hash_u64(hash, bits);
}
// The count is hashed too, so that moving a number from one array to the next is seen.
static inline uint64_t tribo_hash_doubles(uint64_t hash, const double* values, int count) {
  hash = tribo_hash_int(hash, count);
  for (int i = 0; i < count; ++i) hash = tribo_hash_double(hash, values[i]);
  return hash;
}
static inline uint64_t tribo_hash_ints(uint64_t hash, const int* values, int count) {
  hash = tribo_hash_int(hash, count);
  for (int i = 0; i < count; ++i) hash = tribo_hash_int(hash, values[i]);
  return hash;
}
// A text without its final zero.
static inline uint64_t tribo_hash_text(uint64_t hash, const char* text) {
  uint64_t length = 0;
  for (; text[length] != '\0'; ++length) {
    hash = tribo_hash_u64(hash, (uint64_t)(unsigned char)text[length]);
  }
  return tribo_hash_u64(hash, length);
}

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_BASE_HASH_H_
