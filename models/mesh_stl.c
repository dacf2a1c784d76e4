// SPDX-License-Identifier: Apache-2.0
//
// STL. Binary: 80 bytes of anything, a count, then per triangle a normal, three vertices (all
// little- endian 32-bit floats) and two bytes of anything. ASCII: `solid`, then `facet normal`,
// `outer loop`, three times `vertex`, `endloop`, `endfacet`, at last `endsolid`. A binary file may
// begin with the word "solid" as well, so the content decides.
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/vec3.h"
#include "models/mesh_soup.h"
#include "models/number.h"

enum { HEADER_BYTES = 84, TRIANGLE_BYTES = 50 };

static uint32_t read_u32(const unsigned char* p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static double read_float(const unsigned char* p) {
  const uint32_t bits = read_u32(p);
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

static TriboStatus read_binary(const unsigned char* bytes, size_t size, TriboMeshSoup* soup) {
  if (size < HEADER_BYTES) {
    return tribo_mesh_soup_fail(soup, TRIBO_ERROR_PARSE, 0,
                                "%zu bytes are too few for an STL file; is it cut off?", size);
  }
  const uint64_t count = read_u32(bytes + 80);
  const uint64_t expected = HEADER_BYTES + TRIANGLE_BYTES * count;
  if (expected != size) {
    return tribo_mesh_soup_fail(
        soup, TRIBO_ERROR_PARSE, 0,
        "the binary STL says at byte 80 that it has %llu triangles, which take %llu bytes, but it "
        "has %zu; is it cut off, or of another format?",
        (unsigned long long)count, (unsigned long long)expected, size);
  }
  for (uint64_t i = 0; i < count; ++i) {
    const size_t offset = (size_t)(HEADER_BYTES + TRIANGLE_BYTES * i);
    const int first = soup->vertex_count;
    for (int k = 0; k < 3; ++k) {
      const unsigned char* p = bytes + offset + 12 + 12 * k;
      const TriboVec3 v = tribo_vec3(read_float(p), read_float(p + 4), read_float(p + 8));
      if (!tribo_vec3_is_finite(v)) {
        return tribo_mesh_soup_fail(
            soup, TRIBO_ERROR_NOT_FINITE, 0,
            "vertex %d of triangle %llu, at byte %zu, is not finite; export the file again", k,
            (unsigned long long)i, offset + 12 + 12 * (size_t)k);
      }
      TriboStatus status = tribo_mesh_soup_add_vertex(soup, v, 0);
      if (status != TRIBO_OK) return status;
    }
    TriboStatus status = tribo_mesh_soup_add_triangle(soup, first, first + 1, first + 2, 0);
    if (status != TRIBO_OK) return status;
  }
  return TRIBO_OK;
}

static bool is_word(const char* word, const char* keyword) {
  for (; *word != '\0' && tolower((unsigned char)*word) == *keyword; ++word, ++keyword) {
  }
  return *word == *keyword;
}

// The next word, over ends of lines; false at the end of the text.
static bool next_word(TriboMeshText* text) {
  while (!tribo_mesh_text_word(text)) {
    if (!tribo_mesh_text_line(text)) return false;
  }
  return true;
}

static TriboStatus expect(TriboMeshText* text, const char* keyword, TriboMeshSoup* soup) {
  if (next_word(text) && is_word(text->word, keyword)) return TRIBO_OK;
  return tribo_mesh_soup_fail(soup, TRIBO_ERROR_PARSE, text->line,
                              "'%s' stands where the STL needs '%s'", text->word, keyword);
}

// Three numbers, over ends of lines.
static TriboStatus read_vertex(TriboMeshText* text, TriboMeshSoup* soup, TriboVec3* v) {
  double x[3] = {0, 0, 0};
  for (int i = 0; i < 3; ++i) {
    if (!next_word(text) || !tribo_number_parse(text->word, &x[i])) {
      return tribo_mesh_soup_fail(soup, TRIBO_ERROR_PARSE, text->line,
                                  "'%s' is no finite decimal number; three are needed", text->word);
    }
  }
  *v = tribo_vec3(x[0], x[1], x[2]);
  return TRIBO_OK;
}

// After the word "facet".
static TriboStatus read_facet(TriboMeshText* text, TriboMeshSoup* soup) {
  const int first = soup->vertex_count;
  TriboStatus s = expect(text, "normal", soup);
  // Some writers put "nan" for the normal of a degenerate triangle: it is not used, and skipped.
  for (int i = 0; s == TRIBO_OK && i < 3; ++i) {
    if (!next_word(text)) {
      return tribo_mesh_soup_fail(soup, TRIBO_ERROR_PARSE, text->line, "the file ends in a facet");
    }
  }
  if (s == TRIBO_OK) s = expect(text, "outer", soup);
  if (s == TRIBO_OK) s = expect(text, "loop", soup);
  for (int i = 0; s == TRIBO_OK && i < 3; ++i) {
    TriboVec3 v = tribo_vec3_zero();
    s = expect(text, "vertex", soup);
    if (s == TRIBO_OK) s = read_vertex(text, soup, &v);
    if (s == TRIBO_OK) s = tribo_mesh_soup_add_vertex(soup, v, text->line);
  }
  if (s == TRIBO_OK) s = expect(text, "endloop", soup);
  if (s == TRIBO_OK) s = expect(text, "endfacet", soup);
  if (s != TRIBO_OK) return s;
  return tribo_mesh_soup_add_triangle(soup, first, first + 1, first + 2, text->line);
}

static TriboStatus read_ascii(const unsigned char* bytes, size_t size, TriboMeshSoup* soup) {
  TriboMeshText text = {.next = (const char*)bytes, .end = (const char*)bytes + size, .line = 1};
  while (next_word(&text)) {
    if (!is_word(text.word, "solid")) {
      return tribo_mesh_soup_fail(soup, TRIBO_ERROR_PARSE, text.line,
                                  "'%s' stands where the STL needs 'solid'", text.word);
    }
    // The name is the rest of the line.
    if (!tribo_mesh_text_line(&text)) text.next = text.end;
    for (bool open = true; open;) {
      if (!next_word(&text)) {
        return tribo_mesh_soup_fail(soup, TRIBO_ERROR_PARSE, text.line,
                                    "the file ends before 'endsolid'; is it cut off?");
      }
      if (is_word(text.word, "endsolid")) {
        if (!tribo_mesh_text_line(&text)) text.next = text.end;
        open = false;
      } else if (is_word(text.word, "facet")) {
        TriboStatus status = read_facet(&text, soup);
        if (status != TRIBO_OK) return status;
      } else {
        return tribo_mesh_soup_fail(soup, TRIBO_ERROR_PARSE, text.line,
                                    "'%s' stands where the STL needs 'facet' or 'endsolid'",
                                    text.word);
      }
    }
  }
  return TRIBO_OK;
}

TriboStatus tribo_mesh_read_stl(const unsigned char* bytes, size_t size, TriboMeshSoup* soup) {
  const bool fits_binary = size >= HEADER_BYTES &&
                           HEADER_BYTES + TRIANGLE_BYTES * (uint64_t)read_u32(bytes + 80) == size;
  TriboMeshText text = {.next = (const char*)bytes, .end = (const char*)bytes + size, .line = 1};
  const bool says_solid = next_word(&text) && is_word(text.word, "solid");
  return says_solid && !fits_binary ? read_ascii(bytes, size, soup)
                                    : read_binary(bytes, size, soup);
}
