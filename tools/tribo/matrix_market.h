// SPDX-License-Identifier: Apache-2.0
//
// Matrices in files, in the Matrix Market exchange format (NIST): "array" and "coordinate",
// "real" and "integer", "general" and "symmetric".
//
// Files are not trusted: sizes are bounded before anything is allocated, and what is not exactly a
// matrix (not enough numbers, too many, NaN, infinity, indices out of range, words) is refused.
// Lenient in three ways that files out there need: a banner with a single %, numbers laid out over
// lines in any way, and coordinates given several times, which add up.
#ifndef TRIBO_TOOLS_TRIBO_MATRIX_MARKET_H_
#define TRIBO_TOOLS_TRIBO_MATRIX_MARKET_H_

#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Most numbers that a matrix may have, zeros included (256 MB).
enum { TRIBO_MATRIX_LIMIT = 1 << 25 };

typedef struct TriboMatrix {
  int rows, columns;  // at least 1
  double* value;      // row-major, all of them, finite
} TriboMatrix;

// Reads a file. Give the matrix back with tribo_matrix_free; nothing is to be given back after a
// failure. TRIBO_ERROR_FILE, TRIBO_ERROR_PARSE, TRIBO_ERROR_NOT_FINITE, TRIBO_ERROR_UNSUPPORTED
// (complex, pattern, skew-symmetric, Hermitian, larger than the limit), TRIBO_ERROR_MEMORY;
// `message` then has file and line.
TriboStatus tribo_matrix_read(const char* path, TriboMatrix* matrix,
                              TriboMessage* message) TRIBO_CHECKED;

// A matrix by rows, as solvers/tribo_solvers.h wants it: columns increase within a row.
typedef struct TriboSparseMatrix {
  int rows, columns;
  int* start;  // rows + 1
  int* index;
  double* value;
} TriboSparseMatrix;

// The same for large matrices with few entries: no more is allocated than the file has, and the
// limit counts entries. Entries that add up to zero stay.
TriboStatus tribo_sparse_read(const char* path, TriboSparseMatrix* matrix,
                              TriboMessage* message) TRIBO_CHECKED;
void tribo_sparse_free(TriboSparseMatrix* matrix);

// Writes an array file with all digits, so that reading it gives the same bits. TRIBO_ERROR_FILE.
TriboStatus tribo_matrix_write(const char* path, const TriboMatrix* matrix,
                               TriboMessage* message) TRIBO_CHECKED;

// NULL and a matrix of zeros are fine.
void tribo_matrix_free(TriboMatrix* matrix);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_TRIBO_MATRIX_MARKET_H_
