// SPDX-License-Identifier: Apache-2.0
#include "tools/trajectory/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kMagic[8] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0};

void tribo_npy_write_header(TriboNpyShape shape, char header[TRIBO_NPY_HEADER]) {
  char dimensions[64] = "()";
  if (shape.rows >= 0 && shape.columns >= 0)
    snprintf(dimensions, sizeof dimensions, "(%lld, %d)", (long long)shape.rows, shape.columns);
  else if (shape.rows >= 0)
    snprintf(dimensions, sizeof dimensions, "(%lld,)", (long long)shape.rows);
  char text[TRIBO_NPY_HEADER];
  bool ordered = shape.type != 'S' && shape.size > 1;
  int length =
      snprintf(text, sizeof text, "{'descr': '%c%c%d', 'fortran_order': False, 'shape': %s, }",
               ordered ? '<' : '|', shape.type, shape.size, dimensions);
  memset(header, ' ', TRIBO_NPY_HEADER);
  memcpy(header, kMagic, sizeof kMagic);
  header[8] = TRIBO_NPY_HEADER - 10;  // the length of the rest, little-endian
  header[9] = 0;
  memcpy(header + 10, text, (size_t)length);
  header[TRIBO_NPY_HEADER - 1] = '\n';
}

// What follows `key` in the header's text, blanks skipped; NULL where it is not there.
static const char* value_of(const char* text, const char* key) {
  const char* at = strstr(text, key);
  if (at == NULL) return NULL;
  at += strlen(key);
  while (*at == ' ' || *at == ':') ++at;
  return at;
}

static bool read_type(const char* descr, TriboNpyShape* shape) {
  if (descr == NULL || descr[0] != '\'' || (descr[1] != '<' && descr[1] != '|')) return false;
  shape->type = descr[2];
  if (shape->type == '\0' || strchr("fiuS", shape->type) == NULL) return false;
  char* end;
  long size = strtol(descr + 3, &end, 10);
  if (end == descr + 3 || *end != '\'' || size < 1 || size > (1L << 30)) return false;
  if (shape->type != 'S' && size != 1 && size != 2 && size != 4 && size != 8) return false;
  shape->size = (int)size;
  return true;
}

static bool read_dimensions(const char* at, TriboNpyShape* shape) {
  if (at == NULL || *at++ != '(') return false;
  shape->rows = -1;
  shape->columns = -1;
  if (*at == ')') return true;
  char* end;
  long long rows = strtoll(at, &end, 10);
  if (end == at || *end != ',' || rows < 0) return false;
  shape->rows = rows;
  at = end + 1;
  while (*at == ' ') ++at;
  if (*at == ')') return true;
  long columns = strtol(at, &end, 10);
  if (end == at || *end != ')' || columns < 0 || columns > (1L << 30)) return false;
  shape->columns = (int)columns;
  // Rows of no elements have no size that would bound their number.
  return columns > 0 || rows <= ((int64_t)1 << 40);
}

bool tribo_npy_read_header(const void* data, size_t size, TriboNpyShape* shape, size_t* offset) {
  const unsigned char* bytes = data;
  char text[512];
  if (size < 10 || memcmp(bytes, kMagic, sizeof kMagic) != 0) return false;
  size_t length = (size_t)bytes[8] + 256 * (size_t)bytes[9];
  if (length > size - 10 || length >= sizeof text) return false;
  memcpy(text, bytes + 10, length);
  text[length] = '\0';
  const char* order = value_of(text, "'fortran_order'");
  if (order == NULL || strncmp(order, "False", 5) != 0) return false;
  if (!read_type(value_of(text, "'descr'"), shape)) return false;
  if (!read_dimensions(value_of(text, "'shape'"), shape)) return false;
  *offset = 10 + length;
  uint64_t left = size - *offset;
  uint64_t row = (uint64_t)shape->size * (uint64_t)(shape->columns >= 0 ? shape->columns : 1);
  if (shape->rows > 0 && row > 0 && (uint64_t)shape->rows > left / row) return false;
  return shape->rows >= 0 || row <= left;
}
