// SPDX-License-Identifier: Apache-2.0
//
// What the mesh readers share: triangles while they are collected, and text cut into words that
// know their line. Internal to mesh_file.
#ifndef TRIBO_MODELS_MESH_SOUP_H_
#define TRIBO_MODELS_MESH_SOUP_H_

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/status.h"
#include "engine/base/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Vertices and triangles in the order of the file, not yet scaled or welded.
typedef struct TriboMeshSoup {
  const TriboAllocator* allocator;
  const char* name;  // the file, for messages
  TriboMessage* message;
  TriboVec3* vertices;
  int vertex_count, vertex_capacity;
  int* triangles;  // 3 per triangle
  int triangle_count, triangle_capacity;
} TriboMeshSoup;

// CAPACITY, MEMORY; NOT_FINITE for a vertex.
TriboStatus tribo_mesh_soup_add_vertex(TriboMeshSoup* soup, TriboVec3 p, int line) TRIBO_CHECKED;
TriboStatus tribo_mesh_soup_add_triangle(TriboMeshSoup* soup, int a, int b, int c,
                                         int line) TRIBO_CHECKED;
void tribo_mesh_soup_release(TriboMeshSoup* soup);

// A failure at a line of the file (0: none), printf rules.
TriboStatus tribo_mesh_soup_fail(TriboMeshSoup* soup, TriboStatus status, int line,
                                 const char* format, ...) __attribute__((format(printf, 4, 5)));

enum { TRIBO_MESH_WORD_SIZE = 128 };

// Text as words and ends of lines.
typedef struct TriboMeshText {
  const char *next, *end;
  int line;                         // 1-based, of the word read last
  char word[TRIBO_MESH_WORD_SIZE];  // the word read last, cut where it is longer
} TriboMeshText;

// The next word of this line into text->word; false at the end of the line.
bool tribo_mesh_text_word(TriboMeshText* text);
// Goes to the next line; false at the end of the text.
bool tribo_mesh_text_line(TriboMeshText* text);
// The next `count` words of this line as decimal numbers; false where they are none or too few.
bool tribo_mesh_text_numbers(TriboMeshText* text, int count, double* values);

// The readers.
TriboStatus tribo_mesh_read_stl(const unsigned char* bytes, size_t size,
                                TriboMeshSoup* soup) TRIBO_CHECKED;
TriboStatus tribo_mesh_read_obj(const unsigned char* bytes, size_t size,
                                TriboMeshSoup* soup) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_MODELS_MESH_SOUP_H_
