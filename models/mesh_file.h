// SPDX-License-Identifier: Apache-2.0
//
// Triangles from STL (binary and ASCII) and OBJ files: scaled, equal vertices welded to one,
// checked. Nothing that a file says about itself is trusted: counts and indices are held against
// the bytes that are there.
//
//   STL   every triangle from its three vertices; the stored normals are not used. Several solids
//   in
//         one ASCII file are one mesh.
//   OBJ   v and f (polygons are cut into fans from their first vertex; indices may be negative).
//         Texture coordinates, normals, groups, materials, lines and points are skipped: they are
//         not geometry that collides. Free-form surfaces are TRIBO_ERROR_UNSUPPORTED.
#ifndef TRIBO_MODELS_MESH_FILE_H_
#define TRIBO_MODELS_MESH_FILE_H_

#include <stdbool.h>
#include <stddef.h>

#include "engine/tribo.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TRIBO_MESH_FILE_MAX_BYTES = 256 << 20,
  TRIBO_MESH_FILE_MAX_TRIANGLES = 1 << 24,
  TRIBO_MESH_FILE_MAX_VERTICES = 1 << 25,
};

typedef enum TriboMeshFormat {
  TRIBO_MESH_FORMAT_AUTO = 0,  // by the name's ending, .stl or .obj in any case
  TRIBO_MESH_FORMAT_STL,       // binary or ASCII, by the content
  TRIBO_MESH_FORMAT_OBJ,
} TriboMeshFormat;

typedef struct TriboMeshFileOptions {
  TriboMeshFormat format;
  TriboVec3 scale;  // per axis, metres per unit of the file, not 0; 1. A mirroring scale turns the
                    // triangles round, so that their outside stays outside
  double weld;  // vertices within this distance become one, m, after scaling; 0: only equal ones
  bool hull;    // give the convex hull instead: its corners, and its faces as triangles
  const TriboAllocator* allocator;  // NULL: the C library
} TriboMeshFileOptions;
TriboMeshFileOptions tribo_mesh_file_options_default(void);

// What was read; owned by the caller, to be destroyed.
typedef struct TriboMeshData {
  int vertex_count;
  double* vertices;  // x y z per vertex, m                                  (3 vertex_count)
  int triangle_count;
  int* triangles;  // three vertices each, counterclockwise seen from outside (3 triangle_count)
  int dropped;     // triangles left out because two of their corners are one after welding

  TriboAllocator allocator;
  bool has_allocator;
  size_t size;
} TriboMeshData;

// Reads a file. options NULL: the defaults. message (may be NULL) names the file and the line, or
// for a binary file the byte. TRIBO_ERROR_FILE: it cannot be read, or is larger than the limit;
// TRIBO_ERROR_PARSE: it is not what its format says; TRIBO_ERROR_NOT_FINITE: a coordinate is NaN or
// infinite, or becomes so by scaling; TRIBO_ERROR_MODEL: no triangle is left, or a hull is flat;
// TRIBO_ERROR_UNSUPPORTED: a format or an element that is not read; TRIBO_ERROR_CAPACITY: more
// vertices or triangles than the limits; TRIBO_ERROR_ARGUMENT; TRIBO_ERROR_MEMORY. *mesh is NULL
// then.
TriboStatus tribo_mesh_file_read(const char* file, const TriboMeshFileOptions* options,
                                 TriboMeshData** mesh, TriboMessage* message) TRIBO_CHECKED;

// The same from `size` bytes in memory; `name` stands for the file in messages and decides the
// format where that is AUTO.
TriboStatus tribo_mesh_file_parse(const void* bytes, size_t size, const char* name,
                                  const TriboMeshFileOptions* options, TriboMeshData** mesh,
                                  TriboMessage* message) TRIBO_CHECKED;

// NULL is fine.
void tribo_mesh_data_destroy(TriboMeshData* mesh);

// A shape description over the mesh, which must outlive it (adding it to a builder copies): type is
// TRIBO_SHAPE_HULL or TRIBO_SHAPE_MESH, the rest of the description is the default's.
TriboShapeDesc tribo_mesh_data_shape(const TriboMeshData* mesh, TriboShapeType type);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_MODELS_MESH_FILE_H_
