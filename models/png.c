// SPDX-License-Identifier: Apache-2.0
//
// PNG (ISO/IEC 15948): chunks of length, type, data and checksum; the image data together are one
// zlib stream of rows, each with a filter that tells how its bytes were predicted.
#include "models/png.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "engine/base/message.h"

typedef struct Header {
  unsigned width, height;
  int depth, color;     // color: 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGB and alpha
  int channels, pixel;  // bytes of a pixel
} Header;

static unsigned read_word(const unsigned char* b) {
  return (unsigned)b[0] << 24 | (unsigned)b[1] << 16 | (unsigned)b[2] << 8 | b[3];
}

static TriboStatus fail(TriboMessage* message, const char* text) {
  return tribo_message_set(message, TRIBO_ERROR_PARSE, "the PNG image is damaged: %s", text);
}

static TriboStatus read_header(const unsigned char* data, unsigned length, Header* header,
                               TriboMessage* message) {
  static const int CHANNELS[] = {1, 0, 3, 1, 2, 0, 4};
  if (length != 13) return fail(message, "its header is too short");
  header->width = read_word(data);
  header->height = read_word(data + 4);
  header->depth = data[8];
  header->color = data[9];
  bool kind = header->color <= 6 && CHANNELS[header->color] > 0;
  bool deep = header->depth == 8 || (header->depth == 16 && header->color != 3);
  if (!kind || !deep || data[10] != 0 || data[11] != 0 || data[12] != 0) {
    return tribo_message_set(message, TRIBO_ERROR_UNSUPPORTED,
                             "only PNG images of 8 or 16 bits that are not interlaced are read");
  }
  if (header->width == 0 || header->height == 0 || header->width > TRIBO_PNG_MAX_PIXELS ||
      header->height > TRIBO_PNG_MAX_PIXELS / header->width) {
    return tribo_message_set(message, TRIBO_ERROR_CAPACITY,
                             "a PNG image of %u x %u pixels; at most 2^22 are read", header->width,
                             header->height);
  }
  header->channels = CHANNELS[header->color];
  header->pixel = header->channels * header->depth / 8;
  return TRIBO_OK;
}

static unsigned char paeth(int a, int b, int c) {
  int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
  return (unsigned char)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
}

// Undoes the filters in place; a row is its filter and then its bytes.
static bool unfilter(unsigned char* rows, const Header* header) {
  size_t stride = (size_t)header->width * (size_t)header->pixel, pixel = (size_t)header->pixel;
  for (unsigned y = 0; y < header->height; ++y) {
    unsigned char* row = rows + y * (stride + 1) + 1;
    const unsigned char* above = y > 0 ? row - (stride + 1) : NULL;
    int filter = row[-1];
    if (filter > 4) return false;
    for (size_t i = 0; i < stride; ++i) {
      int left = i >= pixel ? row[i - pixel] : 0, up = above ? above[i] : 0;
      int corner = above && i >= pixel ? above[i - pixel] : 0;
      int guess = filter == 1   ? left
                  : filter == 2 ? up
                  : filter == 3 ? (left + up) / 2
                  : filter == 4 ? paeth(left, up, corner)
                                : 0;
      row[i] = (unsigned char)(row[i] + guess);
    }
  }
  return true;
}

static TriboStatus take_values(const unsigned char* rows, const Header* header,
                               const unsigned char* palette, TriboPool* pool, TriboPng* png,
                               TriboMessage* message) {
  size_t stride = (size_t)header->width * (size_t)header->pixel;
  png->rows = (int)header->height;
  png->columns = (int)header->width;
  png->values = tribo_pool_take(pool, (size_t)header->width * header->height, sizeof(double));
  if (!png->values) return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory");
  double* out = png->values;
  for (unsigned y = 0; y < header->height; ++y) {
    const unsigned char* row = rows + y * (stride + 1) + 1;
    for (unsigned x = 0; x < header->width; ++x, row += header->pixel) {
      *out++ = header->color == 3 ? palette[3 * row[0]] : row[0];
    }
  }
  return TRIBO_OK;
}

// The chunks: the header, the palette, and the image data into a stream.
typedef struct Chunks {
  Header header;
  bool has_header, ended;
  unsigned char palette[768];
  z_stream stream;
  bool finished;
  unsigned char* rows;
  size_t rows_size;
} Chunks;

static TriboStatus begin_image(Chunks* c, TriboPool* pool, TriboMessage* message) {
  c->rows_size = ((size_t)c->header.width * (size_t)c->header.pixel + 1) * c->header.height;
  c->rows = tribo_pool_take(pool, c->rows_size, 1);
  if (!c->rows || inflateInit(&c->stream) != Z_OK) {
    return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory for a PNG image");
  }
  c->stream.next_out = c->rows;
  c->stream.avail_out = (unsigned)c->rows_size;
  return TRIBO_OK;
}

static TriboStatus read_chunk(Chunks* c, const unsigned char* type, const unsigned char* data,
                              unsigned length, TriboPool* pool, TriboMessage* message) {
  if (!c->has_header) {
    if (memcmp(type, "IHDR", 4) != 0) return fail(message, "it has no header");
    c->has_header = true;
    TriboStatus status = read_header(data, length, &c->header, message);
    return status == TRIBO_OK ? begin_image(c, pool, message) : status;
  }
  if (memcmp(type, "PLTE", 4) == 0) {
    memcpy(c->palette, data, length < sizeof c->palette ? length : sizeof c->palette);
  } else if (memcmp(type, "IEND", 4) == 0) {
    c->ended = true;
  } else if (memcmp(type, "IDAT", 4) == 0 && !c->finished) {
    c->stream.next_in = (unsigned char*)data;  // zlib does not write there
    c->stream.avail_in = length;
    int result = inflate(&c->stream, Z_NO_FLUSH);
    c->finished = result == Z_STREAM_END || c->stream.avail_out == 0;
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      return fail(message, "its data cannot be unpacked");
    }
  }
  return TRIBO_OK;
}

static TriboStatus read_chunks(Chunks* c, const unsigned char* bytes, size_t size, TriboPool* pool,
                               TriboMessage* message) {
  static const unsigned char SIGNATURE[8] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10};
  if (size < 8 || memcmp(bytes, SIGNATURE, 8) != 0) return fail(message, "no PNG signature");
  for (size_t at = 8; !c->ended;) {
    if (size - at < 12) return fail(message, "it is cut off");
    unsigned length = read_word(bytes + at);
    if (length > size - at - 12) return fail(message, "it is cut off");
    const unsigned char* type = bytes + at + 4;
    if (crc32(0, type, length + 4) != read_word(type + 4 + length)) {
      return fail(message, "a checksum is wrong");
    }
    TriboStatus status = read_chunk(c, type, type + 4, length, pool, message);
    if (status != TRIBO_OK) return status;
    at += 12 + (size_t)length;
  }
  return TRIBO_OK;
}

TriboStatus tribo_png_read(const unsigned char* bytes, size_t size, TriboPool* pool, TriboPng* png,
                           TriboMessage* message) {
  Chunks chunks;
  memset(&chunks, 0, sizeof chunks);
  memset(png, 0, sizeof *png);
  TriboStatus status = read_chunks(&chunks, bytes, size, pool, message);
  if (chunks.rows) inflateEnd(&chunks.stream);
  if (status != TRIBO_OK) return status;
  if (!chunks.rows || chunks.stream.avail_out != 0) return fail(message, "it has too few rows");
  if (!unfilter(chunks.rows, &chunks.header)) return fail(message, "an unknown filter");
  return take_values(chunks.rows, &chunks.header, chunks.palette, pool, png, message);
}
