// SPDX-License-Identifier: Apache-2.0
//
// From a file's bytes to a mesh: the reader of the format fills a soup, which is then scaled,
// welded and packed into one block.
#include "models/mesh_file.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "collision/hull.h"
#include "engine/base/arena.h"
#include "engine/base/message.h"
#include "engine/base/random.h"
#include "engine/base/vec3.h"
#include "models/mesh_soup.h"

TriboMeshFileOptions tribo_mesh_file_options_default(void) {
  TriboMeshFileOptions options = {.format = TRIBO_MESH_FORMAT_AUTO, .scale = {1, 1, 1}};
  return options;
}

static TriboMeshFormat format_by_name(const char* name) {
  const char* dot = name != NULL ? strrchr(name, '.') : NULL;
  if (dot == NULL || strlen(dot) != 4) return TRIBO_MESH_FORMAT_AUTO;
  char ending[4];
  for (int i = 0; i < 3; ++i) ending[i] = (char)tolower((unsigned char)dot[1 + i]);
  if (memcmp(ending, "stl", 3) == 0) return TRIBO_MESH_FORMAT_STL;
  if (memcmp(ending, "obj", 3) == 0) return TRIBO_MESH_FORMAT_OBJ;
  return TRIBO_MESH_FORMAT_AUTO;
}

static TriboStatus scale_soup(TriboMeshSoup* soup, TriboVec3 scale) {
  for (int i = 0; i < soup->vertex_count; ++i) {
    TriboVec3* p = &soup->vertices[i];
    // Adding 0 makes -0 a 0, so that equal coordinates have equal bits.
    *p = tribo_vec3(p->x * scale.x + 0.0, p->y * scale.y + 0.0, p->z * scale.z + 0.0);
    if (!tribo_vec3_is_finite(*p)) {
      return tribo_mesh_soup_fail(soup, TRIBO_ERROR_NOT_FINITE, 0,
                                  "vertex %d leaves the range of numbers by scaling", i);
    }
  }
  const bool mirrors = (scale.x < 0) != ((scale.y < 0) != (scale.z < 0));
  if (!mirrors) return TRIBO_OK;
  for (int t = 0; t < soup->triangle_count; ++t) {
    int* corner = soup->triangles + 3 * (size_t)t;
    const int second = corner[1];
    corner[1] = corner[2];
    corner[2] = second;
  }
  return TRIBO_OK;
}

// --- Welding: a hash table of cells, each with a chain of the vertices kept in it.
// -----------------

typedef struct Welder {
  int mask;         // slots - 1
  int* slot;        // first kept vertex of the cells that fall on a slot, -1: none
  int* next;        // per vertex: the next one on its slot, -1: none
  int* kept_as;     // per vertex of the soup: its number among the kept ones
  double distance;  // 0: only equal vertices are one
} Welder;

static void lay_out_welder(Welder* w, TriboArena* arena, int vertex_count) {
  int slots = 16;
  while (slots < vertex_count) slots *= 2;
  w->mask = slots - 1;
  w->slot = tribo_arena_ints(arena, slots);
  w->next = tribo_arena_ints(arena, vertex_count);
  w->kept_as = tribo_arena_ints(arena, vertex_count);
}

// A coordinate's cell, `offset` cells aside; the coordinate itself where only equal ones weld, or
// where the distance is nothing beside it.
static uint64_t cell_of(const Welder* w, double x, int offset) {
  double cell = w->distance > 0 ? floor(x / w->distance) + offset : x;
  if (!isfinite(cell)) cell = x;
  uint64_t bits;
  memcpy(&bits, &cell, sizeof bits);
  return bits;
}

static int slot_of(const Welder* w, TriboVec3 p, int dx, int dy, int dz) {
  uint64_t hash = tribo_hash64(cell_of(w, p.x, dx));
  hash = tribo_hash64_combine(hash, cell_of(w, p.y, dy));
  hash = tribo_hash64_combine(hash, cell_of(w, p.z, dz));
  return (int)(hash & (uint64_t)w->mask);
}

// The kept vertex of the smallest number within the distance in one slot, or `best`.
static int search_slot(const Welder* w, const TriboVec3* kept, TriboVec3 p, int slot, int best) {
  for (int k = w->slot[slot]; k >= 0; k = w->next[k]) {
    if ((best < 0 || k < best) && tribo_vec3_distance(kept[k], p) <= w->distance) best = k;
  }
  return best;
}

// Packs the kept vertices to the front of the soup and renumbers the triangles.
static void weld(Welder* w, TriboMeshSoup* soup) {
  for (int i = 0; i <= w->mask; ++i) w->slot[i] = -1;
  const int reach = w->distance > 0 ? 1 : 0;
  int kept = 0;
  for (int i = 0; i < soup->vertex_count; ++i) {
    const TriboVec3 p = soup->vertices[i];
    int found = -1;
    for (int dx = -reach; dx <= reach; ++dx) {
      for (int dy = -reach; dy <= reach; ++dy) {
        for (int dz = -reach; dz <= reach; ++dz) {
          found = search_slot(w, soup->vertices, p, slot_of(w, p, dx, dy, dz), found);
        }
      }
    }
    if (found < 0) {
      const int slot = slot_of(w, p, 0, 0, 0);
      w->next[kept] = w->slot[slot];
      w->slot[slot] = kept;
      soup->vertices[kept] = p;
      found = kept++;
    }
    w->kept_as[i] = found;
  }
  for (size_t k = 0; k < 3 * (size_t)soup->triangle_count; ++k) {
    soup->triangles[k] = w->kept_as[soup->triangles[k]];
  }
  soup->vertex_count = kept;
}

static TriboStatus weld_soup(TriboMeshSoup* soup, double distance) {
  Welder welder = {.distance = distance};
  TriboArena arena = tribo_arena_measure();
  lay_out_welder(&welder, &arena, soup->vertex_count);
  const size_t size = arena.used;
  void* memory = tribo_allocate(soup->allocator, size);
  if (memory == NULL) return tribo_mesh_soup_fail(soup, TRIBO_ERROR_MEMORY, 0, "out of memory");
  arena = tribo_arena_over(memory, size);
  lay_out_welder(&welder, &arena, soup->vertex_count);
  weld(&welder, soup);
  tribo_release(soup->allocator, memory, size);
  return TRIBO_OK;
}

// Drops the triangles that welding made flat; returns how many.
static int drop_collapsed(TriboMeshSoup* soup) {
  int kept = 0;
  for (int t = 0; t < soup->triangle_count; ++t) {
    const int* from = soup->triangles + 3 * (size_t)t;
    if (from[0] == from[1] || from[1] == from[2] || from[2] == from[0]) continue;
    memmove(soup->triangles + 3 * (size_t)kept++, from, 3 * sizeof(int));
  }
  const int dropped = soup->triangle_count - kept;
  soup->triangle_count = kept;
  return dropped;
}

// Replaces the soup by the convex hull of its vertices.
static TriboStatus make_hull(TriboMeshSoup* soup) {
  TriboHull* hull;
  TriboMessage why;
  TriboStatus status =
      tribo_hull_create(soup->vertices, soup->vertex_count, soup->allocator, &hull, &why);
  if (status == TRIBO_ERROR_ARGUMENT) status = TRIBO_ERROR_MODEL;  // too few points
  if (status != TRIBO_OK) return tribo_mesh_soup_fail(soup, status, 0, "%s", why.text);
  soup->vertex_count = soup->triangle_count = 0;
  for (int i = 0; status == TRIBO_OK && i < hull->nv; ++i) {
    status = tribo_mesh_soup_add_vertex(soup, hull->vertices[i], 0);
  }
  for (int f = 0; f < hull->nf; ++f) {
    const int* corner = hull->face_vertices + hull->face_start[f];
    const int count = hull->face_start[f + 1] - hull->face_start[f];
    for (int k = 2; status == TRIBO_OK && k < count; ++k) {
      status = tribo_mesh_soup_add_triangle(soup, corner[0], corner[k - 1], corner[k], 0);
    }
  }
  tribo_hull_destroy(hull);
  return status;
}

static TriboMeshData* lay_out_mesh(TriboArena* arena, const TriboMeshSoup* soup) {
  TriboMeshData* mesh = tribo_arena_take(arena, 1, sizeof *mesh);
  double* vertices = tribo_arena_take(arena, 3 * (size_t)soup->vertex_count, sizeof(double));
  int* triangles = tribo_arena_take(arena, 3 * (size_t)soup->triangle_count, sizeof(int));
  if (mesh == NULL) return NULL;
  memset(mesh, 0, sizeof *mesh);
  mesh->vertices = vertices;
  mesh->triangles = triangles;
  return mesh;
}

static TriboStatus pack(TriboMeshSoup* soup, int dropped, TriboMeshData** out) {
  TriboArena arena = tribo_arena_measure();
  (void)lay_out_mesh(&arena, soup);
  const size_t size = arena.used;
  void* memory = tribo_allocate(soup->allocator, size);
  if (memory == NULL) return tribo_mesh_soup_fail(soup, TRIBO_ERROR_MEMORY, 0, "out of memory");
  arena = tribo_arena_over(memory, size);
  TriboMeshData* mesh = lay_out_mesh(&arena, soup);
  mesh->vertex_count = soup->vertex_count;
  mesh->triangle_count = soup->triangle_count;
  mesh->dropped = dropped;
  for (int i = 0; i < soup->vertex_count; ++i) {
    tribo_vec3_store(soup->vertices[i], mesh->vertices + 3 * (size_t)i);
  }
  memcpy(mesh->triangles, soup->triangles, 3 * (size_t)soup->triangle_count * sizeof(int));
  mesh->has_allocator = soup->allocator != NULL;
  if (soup->allocator != NULL) mesh->allocator = *soup->allocator;
  mesh->size = size;
  *out = mesh;
  return TRIBO_OK;
}

static TriboStatus parse(const unsigned char* bytes, size_t size, TriboMeshFormat format,
                         const TriboMeshFileOptions* options, TriboMeshSoup* soup,
                         TriboMeshData** mesh) {
  TriboStatus status = format == TRIBO_MESH_FORMAT_STL ? tribo_mesh_read_stl(bytes, size, soup)
                                                       : tribo_mesh_read_obj(bytes, size, soup);
  int dropped = 0;
  if (status == TRIBO_OK) status = scale_soup(soup, options->scale);
  if (status == TRIBO_OK) status = weld_soup(soup, options->weld);
  if (status == TRIBO_OK) dropped = drop_collapsed(soup);
  if (status == TRIBO_OK && options->hull) status = make_hull(soup);
  if (status == TRIBO_OK && soup->triangle_count == 0) {
    return tribo_mesh_soup_fail(soup, TRIBO_ERROR_MODEL, 0,
                                "the file holds no triangle that is not degenerate (%d are)",
                                dropped);
  }
  if (status == TRIBO_OK && soup->vertex_count > TRIBO_MESH_FILE_MAX_VERTICES) {
    return tribo_mesh_soup_fail(soup, TRIBO_ERROR_CAPACITY, 0, "%d vertices are more than %d",
                                soup->vertex_count, TRIBO_MESH_FILE_MAX_VERTICES);
  }
  return status != TRIBO_OK ? status : pack(soup, dropped, mesh);
}

static TriboStatus check_options(const TriboMeshFileOptions* options, TriboMeshSoup* soup) {
  const TriboVec3 scale = options->scale;
  if (!tribo_vec3_is_finite(scale) || scale.x == 0 || scale.y == 0 || scale.z == 0) {
    return tribo_mesh_soup_fail(soup, TRIBO_ERROR_ARGUMENT, 0,
                                "the mesh's scale %g %g %g is 0 or not finite", scale.x, scale.y,
                                scale.z);
  }
  if (!(options->weld >= 0) || !isfinite(options->weld)) {
    return tribo_mesh_soup_fail(soup, TRIBO_ERROR_ARGUMENT, 0,
                                "the mesh's welding distance %g is negative or not finite",
                                options->weld);
  }
  return TRIBO_OK;
}

TriboStatus tribo_mesh_file_parse(const void* bytes, size_t size, const char* name,
                                  const TriboMeshFileOptions* options, TriboMeshData** mesh,
                                  TriboMessage* message) {
  tribo_message_clear(message);
  if (mesh == NULL || (bytes == NULL && size > 0)) return TRIBO_ERROR_ARGUMENT;
  *mesh = NULL;
  const TriboMeshFileOptions defaults = tribo_mesh_file_options_default();
  if (options == NULL) options = &defaults;
  TriboMeshSoup soup = {
      .allocator = options->allocator, .name = name != NULL ? name : "", .message = message};
  TriboStatus status = check_options(options, &soup);
  if (status != TRIBO_OK) return status;
  TriboMeshFormat format = options->format;
  if (format == TRIBO_MESH_FORMAT_AUTO) format = format_by_name(name);
  if (format == TRIBO_MESH_FORMAT_AUTO) {
    return tribo_mesh_soup_fail(&soup, TRIBO_ERROR_UNSUPPORTED, 0,
                                "the mesh's name ends neither in .stl nor in .obj; convert it");
  }
  if (size > TRIBO_MESH_FILE_MAX_BYTES) {
    return tribo_mesh_soup_fail(&soup, TRIBO_ERROR_FILE, 0,
                                "the mesh has %zu bytes, more than %d; simplify it", size,
                                TRIBO_MESH_FILE_MAX_BYTES);
  }
  status = parse(bytes, size, format, options, &soup, mesh);
  tribo_mesh_soup_release(&soup);
  return status;
}

static TriboStatus fail_file(TriboMessage* message, const char* file, TriboStatus status,
                             const char* text) {
  (void)tribo_message_set(message, status, "%s", text);
  tribo_message_set_place(message, file, 0);
  return status;
}

TriboStatus tribo_mesh_file_read(const char* file, const TriboMeshFileOptions* options,
                                 TriboMeshData** mesh, TriboMessage* message) {
  tribo_message_clear(message);
  if (mesh == NULL || file == NULL) return TRIBO_ERROR_ARGUMENT;
  *mesh = NULL;
  const TriboAllocator* allocator = options != NULL ? options->allocator : NULL;
  FILE* stream = fopen(file, "rb");
  if (stream == NULL) {
    return fail_file(message, file, TRIBO_ERROR_FILE, "the mesh file cannot be opened");
  }
  long size = -1;
  if (fseek(stream, 0, SEEK_END) == 0) size = ftell(stream);
  if (size < 0 || size > TRIBO_MESH_FILE_MAX_BYTES || fseek(stream, 0, SEEK_SET) != 0) {
    fclose(stream);
    return fail_file(message, file, TRIBO_ERROR_FILE,
                     "the mesh file is no plain file, or larger than 256 MiB");
  }
  void* bytes = tribo_allocate(allocator, (size_t)size + 1);
  if (bytes == NULL) {
    fclose(stream);
    return fail_file(message, file, TRIBO_ERROR_MEMORY, "out of memory");
  }
  const bool complete = fread(bytes, 1, (size_t)size, stream) == (size_t)size;
  fclose(stream);
  TriboStatus status =
      complete ? tribo_mesh_file_parse(bytes, (size_t)size, file, options, mesh, message)
               : fail_file(message, file, TRIBO_ERROR_FILE, "the mesh file cannot be read");
  tribo_release(allocator, bytes, (size_t)size + 1);
  return status;
}

void tribo_mesh_data_destroy(TriboMeshData* mesh) {
  if (mesh == NULL) return;
  const TriboAllocator allocator = mesh->allocator;
  tribo_release(mesh->has_allocator ? &allocator : NULL, mesh, mesh->size);
}

TriboShapeDesc tribo_mesh_data_shape(const TriboMeshData* mesh, TriboShapeType type) {
  TriboShapeDesc desc = tribo_shape_default();
  desc.type = type;
  desc.vertex_count = mesh->vertex_count;
  desc.vertices = mesh->vertices;
  if (type == TRIBO_SHAPE_MESH) {
    desc.triangle_count = mesh->triangle_count;
    desc.triangles = mesh->triangles;
  }
  return desc;
}
