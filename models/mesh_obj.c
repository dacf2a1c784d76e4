// SPDX-License-Identifier: Apache-2.0
//
// Wavefront OBJ: `v x y z` adds a vertex, `f a b c ...` a polygon whose corners are a, a/t, a//n or
// a/t/n; numbers count from 1, or from the end backwards where they are negative.
#include <limits.h>
#include <string.h>

#include "engine/base/vec3.h"
#include "models/mesh_soup.h"

// Statements that say nothing about where the surface is.
static bool is_skipped(const char* word) {
  static const char* const kSkipped[] = {
      "vt",     "vn",       "vp",       "o",          "g",         "s",     "mg",
      "usemtl", "mtllib",   "usemap",   "maplib",     "lod",       "bevel", "l",
      "p",      "c_interp", "d_interp", "shadow_obj", "trace_obj",
  };
  for (size_t i = 0; i < sizeof kSkipped / sizeof *kSkipped; ++i) {
    if (strcmp(word, kSkipped[i]) == 0) return true;
  }
  return false;
}

static bool is_free_form(const char* word) {
  static const char* const kFreeForm[] = {"cstype", "deg",  "bmat",  "step", "curv", "curv2",
                                          "surf",   "parm", "trim",  "hole", "scrv", "sp",
                                          "con",    "end",  "ctech", "stech"};
  for (size_t i = 0; i < sizeof kFreeForm / sizeof *kFreeForm; ++i) {
    if (strcmp(word, kFreeForm[i]) == 0) return true;
  }
  return false;
}

// The vertex that a corner such as "7/1/3" or "-2" names, 0-based; false where it names none.
static bool read_corner(const char* word, int vertex_count, int* vertex) {
  const bool backwards = *word == '-';
  if (backwards) ++word;
  long long value = 0;
  if (*word < '0' || *word > '9') return false;
  for (; *word >= '0' && *word <= '9'; ++word) {
    value = 10 * value + (*word - '0');
    if (value > INT_MAX) return false;
  }
  if (*word != '\0' && *word != '/') return false;
  const long long index = backwards ? vertex_count - value : value - 1;
  if (index < 0 || index >= vertex_count || value == 0) return false;
  *vertex = (int)index;
  return true;
}

static TriboStatus read_face(TriboMeshText* text, TriboMeshSoup* soup) {
  int first = -1, previous = -1, count = 0;
  while (tribo_mesh_text_word(text)) {
    if (text->word[0] == '#') break;
    int vertex;
    if (!read_corner(text->word, soup->vertex_count, &vertex)) {
      return tribo_mesh_soup_fail(soup, TRIBO_ERROR_PARSE, text->line,
                                  "the face's corner '%s' names no vertex; %d stand before it",
                                  text->word, soup->vertex_count);
    }
    ++count;
    if (count >= 3) {
      TriboStatus status = tribo_mesh_soup_add_triangle(soup, first, previous, vertex, text->line);
      if (status != TRIBO_OK) return status;
    }
    if (count == 1) first = vertex;
    previous = vertex;
  }
  if (count >= 3) return TRIBO_OK;
  return tribo_mesh_soup_fail(soup, TRIBO_ERROR_PARSE, text->line,
                              "a face has %d corners; it needs at least 3", count);
}

TriboStatus tribo_mesh_read_obj(const unsigned char* bytes, size_t size, TriboMeshSoup* soup) {
  TriboMeshText text = {.next = (const char*)bytes, .end = (const char*)bytes + size, .line = 1};
  do {
    TriboStatus status = TRIBO_OK;
    if (!tribo_mesh_text_word(&text) || text.word[0] == '#' || is_skipped(text.word)) {
      // a blank line, a comment, or nothing that collides
    } else if (strcmp(text.word, "v") == 0) {
      double x[3];
      if (!tribo_mesh_text_numbers(&text, 3, x)) {
        return tribo_mesh_soup_fail(soup, TRIBO_ERROR_PARSE, text.line,
                                    "'%s' is no finite decimal number; a vertex has three",
                                    text.word);
      }
      status = tribo_mesh_soup_add_vertex(soup, tribo_vec3_from(x), text.line);
    } else if (strcmp(text.word, "f") == 0 || strcmp(text.word, "fo") == 0) {
      status = read_face(&text, soup);
    } else if (is_free_form(text.word)) {
      status = tribo_mesh_soup_fail(soup, TRIBO_ERROR_UNSUPPORTED, text.line,
                                    "free-form curves and surfaces ('%s') are not read; export the "
                                    "model as polygons",
                                    text.word);
    } else {
      status = tribo_mesh_soup_fail(soup, TRIBO_ERROR_PARSE, text.line,
                                    "'%s' is no statement of OBJ", text.word);
    }
    if (status != TRIBO_OK) return status;
  } while (tribo_mesh_text_line(&text));
  return TRIBO_OK;
}
