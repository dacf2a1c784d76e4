// SPDX-License-Identifier: Apache-2.0
//
// Static triangle meshes: any triangles, concave or open, with a tree of boxes over them and what
// contacts without ghosts need to know about edges and flat regions. In one block that never
// changes after creation. A triangle has its outside where it is seen counterclockwise; contacts
// push there.
#ifndef TRIBO_COLLISION_MESH_H_
#define TRIBO_COLLISION_MESH_H_

#include <stdbool.h>

#include "collision/aabb.h"
#include "collision/box_tree.h"
#include "collision/shape.h"
#include "collision/triangle.h"
#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Most triangles of a mesh: names of features have 30 bits, and there are three edges to each.
enum { TRIBO_MESH_MAX_TRIANGLES = 1 << 24 };

struct TriboMesh {
  int nv, nt;
  TriboAabb bounds;
  bool is_closed;  // every edge has two triangles that run along it in opposite ways

  TriboVec3* vertices;  // (nv)
  int* triangles;       // (3 nt) corners
  TriboVec3* normals;   // (nt) unit, outwards
  // (3 nt) the triangle beyond edge k of triangle t at 3 t + k; -1 where there is none, or not
  // exactly one that runs along the edge the other way
  int* neighbors;
  // (nt) the smallest triangle that is reached from t over edges without a fold: flat regions,
  // whose inner seams nobody may feel
  int* patches;
  bool* is_inner;       // (nv) all triangles at the vertex are one patch all around it
  int* vertex_start;    // (nv + 1) vertex v belongs to the triangles
  int* vertex_corners;  // (3 nt) vertex_corners[k] / 3, vertex_start[v] <= k < vertex_start[v + 1]
  TriboBoxTree tree;    // over the triangles

  TriboAllocator allocator;  // where the block came from; all NULL: the C library
  size_t memory_size;
};

// Triangles over vertices, all copied. Vertices that are equal bit for bit count as one when
// neighbours are looked for, so that unwelded meshes have no seams either. Triangles without area
// are left out. TRIBO_ERROR_ARGUMENT: a count or an index out of range; TRIBO_ERROR_NOT_FINITE;
// TRIBO_ERROR_MODEL: no triangle has an area, or the sizes are beyond 1e-9 to 1e9 m;
// TRIBO_ERROR_MEMORY. *mesh is NULL then.
TRIBO_CHECKED TriboStatus tribo_mesh_create(const TriboVec3* vertices, int vertex_count,
                                            const int* triangles, int triangle_count,
                                            const TriboAllocator* allocator, TriboMesh** mesh,
                                            TriboMessage* message);
// NULL is fine.
void tribo_mesh_destroy(TriboMesh* mesh);

// A shape over the mesh, which must outlive it.
TriboShape tribo_shape_mesh(const TriboMesh* mesh);

// Triangle t with everything around it.
void tribo_mesh_triangle(const TriboMesh* mesh, int t, TriboTriangle* triangle);

// The triangle nearest to p within `reach` (m), among equals the one that p looks at most squarely,
// then the first; -1 where there is none. *point is the nearest point on it.
int tribo_mesh_nearest(const TriboMesh* mesh, TriboVec3 p, double reach, TriboVec3* point);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_MESH_H_
