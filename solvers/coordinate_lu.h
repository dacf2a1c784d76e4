// SPDX-License-Identifier: Apache-2.0
//
// A sparse linear system whose matrix is the identity plus products of sparse vectors, factored by
// blocks: coordinates that always occur together, such as the six of a loose body, are one block,
// and the blocks are eliminated in the order of least degree. Works over an arena, never allocates.
// Systems over contacts, with blocks given, are block_lu.h's, which says why there are two.
// Internal.
#ifndef TRIBO_SOLVERS_COORDINATE_LU_H_
#define TRIBO_SOLVERS_COORDINATE_LU_H_

#include <stdbool.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboCoordinateLu TriboCoordinateLu;

// For up to n coordinates; room for the factor of every matrix of up to 256 of them, and beyond
// that for 512 entries a coordinate. NULL while measuring or when the arena is full.
TriboCoordinateLu* tribo_coordinate_lu_init(TriboArena* arena, int n);

// Fixes the pattern: `lists` lists of coordinates, list i at index[start[i] .. start[i + 1] - 1];
// all coordinates of one list couple. The matrix is the identity then. TRIBO_ERROR_CAPACITY when
// the factor does not fit.
TriboStatus tribo_coordinate_lu_analyze(TriboCoordinateLu* lu, int n, int lists, const int* start,
                                        const int* index, bool symmetric) TRIBO_CHECKED;

// The identity again, in the pattern that was analyzed.
void tribo_coordinate_lu_clear(TriboCoordinateLu* lu);

// A sparse vector.
typedef struct TriboCoordinateVector {
  int count;
  const int* index;
  const double* value;
} TriboCoordinateVector;

// A += s c r^T; the coordinates of c and r are within one list. A symmetric matrix must get
// symmetric sums: only entries at or below the diagonal of the order of elimination are kept.
void tribo_coordinate_lu_add(TriboCoordinateLu* lu, double s, TriboCoordinateVector c,
                             TriboCoordinateVector r);

// Factors; pivots are looked for within blocks only. TRIBO_ERROR_SINGULAR when a block has none.
TriboStatus tribo_coordinate_lu_factor(TriboCoordinateLu* lu) TRIBO_CHECKED;

// x <- A^-1 x, n entries.
void tribo_coordinate_lu_solve(TriboCoordinateLu* lu, double* x);

// Entries of the factor.
int tribo_coordinate_lu_entries(const TriboCoordinateLu* lu);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_COORDINATE_LU_H_
