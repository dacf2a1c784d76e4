// SPDX-License-Identifier: Apache-2.0
//
// Sparse LU of a matrix made of small square blocks (one block row per contact) whose block pattern
// is symmetric although its values are not: Newton systems of contact problems. Blocks are
// eliminated in minimum degree order, pivoting only inside a diagonal block. That is not stable for
// any matrix: the caller checks the residual. Internal.
//
// Not coordinate_lu.h, which finds its blocks itself, starts from the identity, knows symmetry and
// lives in a step's arena with memory linear in its size: here blocks are given, values are written
// in place, and a caller that allocates may have more than its 4096 blocks.
#ifndef TRIBO_SOLVERS_BLOCK_LU_H_
#define TRIBO_SOLVERS_BLOCK_LU_H_

#include "engine/base/arena.h"
#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TRIBO_BLOCK_MAX = 3 };

typedef struct TriboBlockLu TriboBlockLu;

// For up to `blocks` block rows of size 1 to TRIBO_BLOCK_MAX; memory grows with the square of
// `blocks` and is touched only where there is fill. NULL while measuring or when the arena is full.
TriboBlockLu* tribo_block_lu_init(TriboArena* arena, int blocks, int size);

// Begins a matrix of `blocks` block rows with an empty pattern; then every pair i, j that may be
// nonzero is joined (the diagonal is there); then the order is chosen and all values are 0.
void tribo_block_lu_begin(TriboBlockLu* lu, int blocks);
void tribo_block_lu_join(TriboBlockLu* lu, int i, int j);
void tribo_block_lu_analyze(TriboBlockLu* lu);

// The size x size values of block (i, j), row-major, to be filled; the pair must be joined.
double* tribo_block_lu_at(TriboBlockLu* lu, int i, int j);

// Factors in place. TRIBO_ERROR_SINGULAR: a diagonal block has no pivot.
TriboStatus tribo_block_lu_factor(TriboBlockLu* lu) TRIBO_CHECKED;

// x <- A^-1 x (blocks * size).
void tribo_block_lu_solve(const TriboBlockLu* lu, double* x);

// The first half of it for blocks of size 1: x <- L^-1 x, L with a unit diagonal. And the pivot of
// row i, whose inverse root is what makes the halves of a symmetric positive definite A equal; at
// most 0 where A is not.
void tribo_block_lu_forward(const TriboBlockLu* lu, double* x);
double tribo_block_lu_pivot(const TriboBlockLu* lu, int i);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_BLOCK_LU_H_
