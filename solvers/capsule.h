// SPDX-License-Identifier: Apache-2.0
//
// A contact problem in a file, with what is needed to solve it again as it was solved: a bug report
// is one file. Internal; the engine's tribo_capsule_write and `tribo solve --capsule` call it.
//
// The format is text, one item a line, words separated by single spaces. Every double is the 16
// hexadecimal digits of its IEEE 754 bits, so that it comes back to the bit in every locale;
// indices count from 0.
//
//   tribo-capsule 1                          the format's version
//   library VERSION                          who wrote it
//   options CONE TOLERANCE TURNS SWEEPS      CONE round or polygon
//   k NY                                     then one line per coordinate: its free velocity
//   X COUNT ENTRIES                          then per row: TARGET N INDEX VALUE INDEX VALUE ...
//   N COUNT ENTRIES                          then per row: TARGET ID N INDEX VALUE ...   (ID hex)
//   T COUNT ENTRIES                          then per row: TARGET N INDEX VALUE ...
//   groups COUNT                             then per group: NORMAL TANGENT ROWS FACETS MU BOUND
//   warm 0, or warm 1                        then per row of X: x; of N: f MODE; of T: t; per
//   group:
//                                            MODE (0 separate, 1 stick, 2 slide)
//   end HASH                                 FNV-1a, 64 bits, of every byte before this line
//
// Files are not trusted: counts are compared with what follows, indices with their ranges, numbers
// must be finite, and the hash must fit.
#ifndef TRIBO_SOLVERS_CAPSULE_H_
#define TRIBO_SOLVERS_CAPSULE_H_

#include "solvers/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TRIBO_CAPSULE_VERSION = 1, TRIBO_CAPSULE_NAME_SIZE = 64 };

typedef struct TriboCapsuleContent {
  const TriboContactProblem* problem;
  TriboContactOptions options;
  const TriboContactSolution* warm;  // its x, f, t and modes, or NULL
  const char* library;               // version that wrote it, without spaces
} TriboCapsuleContent;

// Writes a capsule. TRIBO_ERROR_ARGUMENT or TRIBO_ERROR_NOT_FINITE (the problem is not valid),
// TRIBO_ERROR_FILE; the message says what. A file that could not be finished is removed.
TriboStatus tribo_capsule_save(const char* path, const TriboCapsuleContent* content,
                               TriboMessage* message) TRIBO_CHECKED;

typedef struct TriboCapsule TriboCapsule;

// Reads a capsule; release it with tribo_capsule_destroy. TRIBO_ERROR_FILE, TRIBO_ERROR_VERSION (a
// later format), TRIBO_ERROR_PARSE, TRIBO_ERROR_NOT_FINITE, TRIBO_ERROR_MEMORY; the message has
// file and line.
TriboStatus tribo_capsule_load(const char* path, const TriboAllocator* allocator,
                               TriboCapsule** capsule, TriboMessage* message) TRIBO_CHECKED;
const TriboCapsuleContent* tribo_capsule_content(const TriboCapsule* capsule);
void tribo_capsule_destroy(TriboCapsule* capsule);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_CAPSULE_H_
