// SPDX-License-Identifier: Apache-2.0
//
// The header of NumPy's .npy files, format 1.0: what one array holds. Internal.
//
// Ours are always TRIBO_NPY_HEADER bytes long, so that a growing file's number of rows can be
// written over in place.
#ifndef TRIBO_TOOLS_TRAJECTORY_NPY_H_
#define TRIBO_TOOLS_TRAJECTORY_NPY_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TRIBO_NPY_HEADER = 128 };

// An array of `rows` rows of `columns` elements, C order. columns -1: one-dimensional; rows -1: a
// single element.
typedef struct TriboNpyShape {
  char type;  // NumPy's letter: f, i, u; S for bytes
  int size;   // of an element, bytes
  int64_t rows;
  int columns;
} TriboNpyShape;

void tribo_npy_write_header(TriboNpyShape shape, char header[TRIBO_NPY_HEADER]);

// Reads the header of `size` bytes at `data`, which may be anything. FALSE: no .npy file, or one
// of a kind that trajectories do not have (big-endian, Fortran order, three dimensions). *offset is
// where the elements begin; all of them lie within `size`.
bool tribo_npy_read_header(const void* data, size_t size, TriboNpyShape* shape, size_t* offset);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_TRAJECTORY_NPY_H_
