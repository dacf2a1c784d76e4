// SPDX-License-Identifier: Apache-2.0
//
// A state as bytes, the format of docs/state_format.md: little-endian whatever the machine, numbers
// as their IEEE 754 bits, a hash at the end that finds damage.
#include <string.h>

#include "engine/base/hash.h"
#include "engine/state.h"

enum {
  VERSION = 1,
  HEADER = 40,  // magic, version, nq, nv, warm count, model hash, time
  WARM = 76,    // id, six impulses, mode, spin, shown, two shapes
  CHECK = 8,
};
static const unsigned char kMagic[8] = {'T', 'r', 'i', 'b', 'o', 'S', 't', 'a'};

static unsigned char* put_u32(unsigned char* at, uint32_t x) {
  for (int i = 0; i < 4; ++i) *at++ = (unsigned char)(x >> (8 * i));
  return at;
}
static unsigned char* put_u64(unsigned char* at, uint64_t x) {
  for (int i = 0; i < 8; ++i) *at++ = (unsigned char)(x >> (8 * i));
  return at;
}
static unsigned char* put_doubles(unsigned char* at, const double* x, int n) {
  for (int i = 0; i < n; ++i) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    at = put_u64(at, bits);
  }
  return at;
}
static uint32_t get_u32(const unsigned char** at) {
  uint32_t x = 0;
  for (int i = 0; i < 4; ++i) x |= (uint32_t) * (*at)++ << (8 * i);
  return x;
}
static uint64_t get_u64(const unsigned char** at) {
  uint64_t x = 0;
  for (int i = 0; i < 8; ++i) x |= (uint64_t) * (*at)++ << (8 * i);
  return x;
}
static void get_doubles(const unsigned char** at, double* x, int n) {
  for (int i = 0; i < n; ++i) {
    uint64_t bits = get_u64(at);
    memcpy(&x[i], &bits, sizeof bits);
  }
}

static uint64_t hash_bytes(const unsigned char* bytes, size_t size) {
  uint64_t hash = tribo_hash_begin();
  for (size_t i = 0; i < size; ++i) hash = tribo_hash_u64(hash, bytes[i]);
  return hash;
}

static size_t size_of(int nq, int nv, int warm) {
  return HEADER + 8 * ((size_t)nq + (size_t)nv) + WARM * (size_t)warm + CHECK;
}

size_t tribo_state_saved_size(const TriboState* state) {
  return size_of(state->nq, state->nv, state->warm_count);
}

TriboStatus tribo_state_save(const TriboState* state, void* bytes, size_t size) {
  if (!state || !bytes) return TRIBO_ERROR_ARGUMENT;
  size_t needed = tribo_state_saved_size(state);
  if (size < needed) return TRIBO_ERROR_CAPACITY;
  unsigned char* at = bytes;
  memcpy(at, kMagic, sizeof kMagic);
  at = put_u32(at + sizeof kMagic, VERSION);
  at = put_u32(at, (uint32_t)state->nq);
  at = put_u32(at, (uint32_t)state->nv);
  at = put_u32(at, (uint32_t)state->warm_count);
  at = put_u64(at, state->model_hash);
  at = put_doubles(at, &state->time, 1);
  at = put_doubles(at, state->q, state->nq);
  at = put_doubles(at, state->v, state->nv);
  for (int i = 0; i < state->warm_count; ++i) {
    const TriboWarm* warm = &state->warm[i];
    at = put_u64(at, warm->id);
    at = put_doubles(at, warm->impulse, 6);
    at = put_u32(at, (uint32_t)warm->mode);
    at = put_u32(at, (uint32_t)warm->spin);
    at = put_u32(at, (uint32_t)warm->shown);
    at = put_u32(at, (uint32_t)warm->shape[0]);
    at = put_u32(at, (uint32_t)warm->shape[1]);
  }
  (void)put_u64(at, hash_bytes(bytes, needed - CHECK));
  return TRIBO_OK;
}

// All that can be wrong, before anything is written.
static TriboStatus check(const TriboModel* model, const unsigned char* bytes, size_t size,
                         const TriboState* state) {
  if (size < HEADER + CHECK || memcmp(bytes, kMagic, sizeof kMagic) != 0) return TRIBO_ERROR_PARSE;
  const unsigned char* at = bytes + sizeof kMagic;
  if (get_u32(&at) != VERSION) return TRIBO_ERROR_VERSION;
  uint32_t nq = get_u32(&at), nv = get_u32(&at), warm = get_u32(&at);
  uint64_t model_hash = get_u64(&at);
  if (model_hash != model->hash || nq != (uint32_t)model->nq || nv != (uint32_t)model->nv)
    return TRIBO_ERROR_VERSION;
  if (warm > (size - HEADER) / WARM || size != size_of(model->nq, model->nv, (int)warm))
    return TRIBO_ERROR_PARSE;
  if (warm > (uint32_t)state->warm_capacity) return TRIBO_ERROR_CAPACITY;
  const unsigned char* end = bytes + size - CHECK;
  if (get_u64(&end) != hash_bytes(bytes, size - CHECK)) return TRIBO_ERROR_PARSE;
  for (uint32_t i = 0; i < 1 + nq + nv; ++i) {
    double x;
    get_doubles(&at, &x, 1);
    if (!isfinite(x)) return TRIBO_ERROR_NOT_FINITE;
  }
  return TRIBO_OK;
}

TriboStatus tribo_state_restore(const TriboModel* model, const void* bytes, size_t size,
                                TriboState* state) {
  if (!model || !bytes || !state || state->model_hash != model->hash) return TRIBO_ERROR_ARGUMENT;
  TriboStatus status = check(model, bytes, size, state);
  if (status != TRIBO_OK) return status;
  const unsigned char* at = (const unsigned char*)bytes + 20;
  state->warm_count = (int)get_u32(&at);
  at = (const unsigned char*)bytes + 32;
  get_doubles(&at, &state->time, 1);
  get_doubles(&at, state->q, state->nq);
  get_doubles(&at, state->v, state->nv);
  for (int i = 0; i < state->warm_count; ++i) {
    TriboWarm* warm = &state->warm[i];
    warm->id = get_u64(&at);
    get_doubles(&at, warm->impulse, 6);
    warm->mode = (int32_t)get_u32(&at);
    warm->spin = (int32_t)get_u32(&at);
    warm->shown = (int32_t)get_u32(&at);
    warm->zero = 0;
    warm->shape[0] = (int32_t)get_u32(&at);
    warm->shape[1] = (int32_t)get_u32(&at);
  }
  return TRIBO_OK;
}
