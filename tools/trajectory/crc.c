// SPDX-License-Identifier: Apache-2.0
//
// A CRC is the remainder of the message, as a polynomial over GF(2), by P of degree 32. Where
// x86-64 has a carry-less multiplication, 64 bytes at a time are folded onto the next 64: a half H
// of 64 bits that lies n bits before the end is worth H (x^n mod P), which is a short polynomial
// again. What is left at the end, 16 bytes with the same remainder, goes to zlib with the rest of
// the message. V. Gopal et al., Fast CRC Computation for Generic Polynomials Using PCLMULQDQ, Intel
// 2009.
#include "tools/trajectory/crc.h"

#include <zlib.h>

// zlib counts in 32 bits.
static uint32_t crc_by_zlib(uint32_t crc, const unsigned char* bytes, size_t size) {
  const size_t most = 1 << 30;
  uLong sum = crc;
  for (; size > most; bytes += most, size -= most) sum = crc32(sum, bytes, (uInt)most);
  return (uint32_t)crc32(sum, bytes, (uInt)size);
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define FOLDING __attribute__((target("pclmul,sse4.1")))

// CRC-32 is bit-reflected: the lower half of a register has the higher powers. The factors are
// x^(n + 32) and x^(n - 32) mod P for n bits of distance, reflected, shifted by one because a
// product of reflected polynomials is.
FOLDING static __m128i fold(__m128i value, __m128i factors, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(value, factors, 0x00);
  const __m128i high = _mm_clmulepi64_si128(value, factors, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// At least 64 bytes, up to a multiple of 16; the remainder goes to `rest`.
FOLDING static void fold_all(uint32_t crc, const unsigned char* bytes, size_t size,
                             unsigned char rest[16]) {
  const __m128i* at = (const __m128i*)bytes;
  const __m128i by_512 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
  const __m128i by_128 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
  __m128i x[4];
  for (int i = 0; i < 4; ++i) x[i] = _mm_loadu_si128(at++);
  x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128((int)~crc));
  for (size -= 64; size >= 64; size -= 64) {
    for (int i = 0; i < 4; ++i) x[i] = fold(x[i], by_512, _mm_loadu_si128(at++));
  }
  for (int i = 1; i < 4; ++i) x[i] = fold(x[i - 1], by_128, x[i]);
  for (; size >= 16; size -= 16) x[3] = fold(x[3], by_128, _mm_loadu_si128(at++));
  _mm_storeu_si128((__m128i*)rest, x[3]);
}

uint32_t tribo_crc32(uint32_t crc, const void* bytes, size_t size) {
  const unsigned char* at = bytes;
  if (size >= 64 && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1")) {
    unsigned char rest[16];
    fold_all(crc, at, size, rest);
    at += size & ~(size_t)15, size &= 15;
    // The message so far is as good as these bytes after nothing: no start value is left to add.
    crc = crc_by_zlib(0xffffffff, rest, sizeof rest);
  }
  return crc_by_zlib(crc, at, size);
}

#else

uint32_t tribo_crc32(uint32_t crc, const void* bytes, size_t size) {
  return crc_by_zlib(crc, bytes, size);
}

#endif

uint32_t tribo_crc32_join(uint32_t first, uint32_t second, uint64_t size) {
  return (uint32_t)crc32_combine(first, second, (z_off_t)size);
}
