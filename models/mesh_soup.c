// SPDX-License-Identifier: Apache-2.0
#include "models/mesh_soup.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/message.h"
#include "engine/base/vec3.h"
#include "models/mesh_file.h"
#include "models/number.h"

TriboStatus tribo_mesh_soup_fail(TriboMeshSoup* soup, TriboStatus status, int line,
                                 const char* format, ...) {
  char text[TRIBO_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  (void)tribo_message_set(soup->message, status, "%s", text);
  tribo_message_set_place(soup->message, soup->name, line);
  return status;
}

// Room for one more element of `size` bytes, by doubling.
static bool grow(const TriboAllocator* allocator, void** array, int count, int* capacity,
                 size_t size) {
  if (count < *capacity) return true;
  const int larger = *capacity > 0 ? 2 * *capacity : 256;
  void* memory = tribo_allocate(allocator, (size_t)larger * size);
  if (memory == NULL) return false;
  if (count > 0) memcpy(memory, *array, (size_t)count * size);
  if (*array != NULL) tribo_release(allocator, *array, (size_t)*capacity * size);
  *array = memory;
  *capacity = larger;
  return true;
}

TriboStatus tribo_mesh_soup_add_vertex(TriboMeshSoup* soup, TriboVec3 p, int line) {
  if (soup->vertex_count == 3 * TRIBO_MESH_FILE_MAX_TRIANGLES) {
    return tribo_mesh_soup_fail(soup, TRIBO_ERROR_CAPACITY, line,
                                "more than %d vertices; simplify the mesh", soup->vertex_count);
  }
  if (!tribo_vec3_is_finite(p)) {
    return tribo_mesh_soup_fail(soup, TRIBO_ERROR_NOT_FINITE, line,
                                "vertex %d is not finite; export the file again",
                                soup->vertex_count);
  }
  void* array = soup->vertices;
  if (!grow(soup->allocator, &array, soup->vertex_count, &soup->vertex_capacity, sizeof p)) {
    return tribo_mesh_soup_fail(soup, TRIBO_ERROR_MEMORY, line, "out of memory");
  }
  soup->vertices = array;
  soup->vertices[soup->vertex_count++] = p;
  return TRIBO_OK;
}

TriboStatus tribo_mesh_soup_add_triangle(TriboMeshSoup* soup, int a, int b, int c, int line) {
  if (soup->triangle_count == TRIBO_MESH_FILE_MAX_TRIANGLES) {
    return tribo_mesh_soup_fail(soup, TRIBO_ERROR_CAPACITY, line,
                                "more than %d triangles; simplify the mesh", soup->triangle_count);
  }
  void* array = soup->triangles;
  if (!grow(soup->allocator, &array, soup->triangle_count, &soup->triangle_capacity,
            3 * sizeof(int))) {
    return tribo_mesh_soup_fail(soup, TRIBO_ERROR_MEMORY, line, "out of memory");
  }
  soup->triangles = array;
  int* corner = soup->triangles + 3 * (size_t)soup->triangle_count++;
  corner[0] = a, corner[1] = b, corner[2] = c;
  return TRIBO_OK;
}

void tribo_mesh_soup_release(TriboMeshSoup* soup) {
  if (soup->vertices != NULL) {
    tribo_release(soup->allocator, soup->vertices,
                  (size_t)soup->vertex_capacity * sizeof *soup->vertices);
  }
  if (soup->triangles != NULL) {
    tribo_release(soup->allocator, soup->triangles,
                  (size_t)soup->triangle_capacity * 3 * sizeof *soup->triangles);
  }
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == '\0';
}

bool tribo_mesh_text_word(TriboMeshText* text) {
  // A backslash at the end of a line joins it with the next one (OBJ).
  for (;;) {
    while (text->next < text->end && is_blank(*text->next)) ++text->next;
    const char* p = text->next;
    if (p == text->end || *p != '\\') break;
    ++p;
    while (p < text->end && *p == '\r') ++p;
    if (p == text->end || *p != '\n') break;
    text->next = p + 1;
    ++text->line;
  }
  size_t length = 0;
  while (text->next < text->end && !is_blank(*text->next) && *text->next != '\n') {
    if (length + 1 < sizeof text->word) text->word[length++] = *text->next;
    ++text->next;
  }
  text->word[length] = '\0';
  return length > 0;
}

bool tribo_mesh_text_line(TriboMeshText* text) {
  while (text->next < text->end && *text->next != '\n') ++text->next;
  if (text->next == text->end) return false;
  ++text->next;
  ++text->line;
  return text->next < text->end;
}

bool tribo_mesh_text_numbers(TriboMeshText* text, int count, double* values) {
  for (int i = 0; i < count; ++i) {
    if (!tribo_mesh_text_word(text) || !tribo_number_parse(text->word, &values[i])) return false;
  }
  return true;
}
