// SPDX-License-Identifier: Apache-2.0
//
// Heights from a PNG image. Internal.
#ifndef TRIBO_MODELS_PNG_H_
#define TRIBO_MODELS_PNG_H_

#include "engine/base/status.h"
#include "models/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TRIBO_PNG_MAX_PIXELS = 1 << 22 };

// An image of `rows` x `columns` numbers from 0 to 255, the top row first: gray, or the red of a
// coloured one, of 16 bits the upper 8.
typedef struct TriboPng {
  int rows, columns;
  double* values;  // in the pool
} TriboPng;

// Decodes `size` bytes: depth 8 or 16, gray, colour or palette, with or without alpha, not
// interlaced. TRIBO_ERROR_PARSE: damaged or cut off; TRIBO_ERROR_UNSUPPORTED: another kind of PNG;
// TRIBO_ERROR_CAPACITY: more than TRIBO_PNG_MAX_PIXELS; TRIBO_ERROR_MEMORY.
TriboStatus tribo_png_read(const unsigned char* bytes, size_t size, TriboPool* pool, TriboPng* png,
                           TriboMessage* message) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_MODELS_PNG_H_
