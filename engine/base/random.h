// SPDX-License-Identifier: Apache-2.0
//
// Counter-based random numbers for tests, benchmarks and covering vectors: the n-th number of a
// stream is a hash of (seed, n), so that it is the same on every machine and needs no state but a
// counter. Internal.
#ifndef TRIBO_ENGINE_BASE_RANDOM_H_
#define TRIBO_ENGINE_BASE_RANDOM_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A bijection of 64 bits that spreads every input bit over all output bits (the finalizer of
// SplitMix64: Steele, Lea, Flood, OOPSLA 2014).
static inline uint64_t tribo_hash64(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static inline uint64_t tribo_hash64_combine(uint64_t a, uint64_t b) {
  return tribo_hash64(a ^ tribo_hash64(b));
}

typedef struct TriboRandom {
  uint64_t seed;
  uint64_t counter;
} TriboRandom;

static inline TriboRandom tribo_random(uint64_t seed) {
  TriboRandom random = {tribo_hash64(seed), 0};
  return random;
}
static inline uint64_t tribo_random_u64(TriboRandom* random) {
  return tribo_hash64_combine(random->seed, random->counter++);
}
// Uniform in [0, 1), 53 bits.
static inline double tribo_random_unit(TriboRandom* random) {
  return (double)(tribo_random_u64(random) >> 11) * 0x1p-53;
}
// Uniform in [low, high).
static inline double tribo_random_in(TriboRandom* random, double low, double high) {
  return low + (high - low) * tribo_random_unit(random);
}
// Uniform in 0 .. count - 1.
static inline int tribo_random_index(TriboRandom* random, int count) {
  return (int)(tribo_random_u64(random) % (uint64_t)count);
}
// About normal, mean 0 and variance 1: the sum of twelve uniforms, which needs no libm.
static inline double tribo_random_normal(TriboRandom* random) {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) sum += tribo_random_unit(random);
  return sum;
}

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_BASE_RANDOM_H_
