// SPDX-License-Identifier: Apache-2.0
//
// Convex hulls of points: vertices, faces with their planes, edges and who is next to whom, in one
// block that never changes after creation. Made by qhull (the reentrant library).
#ifndef TRIBO_COLLISION_HULL_H_
#define TRIBO_COLLISION_HULL_H_

#include "collision/aabb.h"
#include "engine/base/status.h"
#include "engine/base/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// A convex polyhedron in its own frame (m). Coplanar triangles are merged into one face. Read only.
typedef struct TriboHull {
  int nv, nf, ne;
  TriboVec3 center;  // the mean of the vertices: strictly inside
  TriboAabb bounds;

  TriboVec3* vertices;      // (nv) corners only, in the order of the points they were made from
  TriboVec3* face_normals;  // (nf) unit, outwards
  double* face_offsets;     // (nf) the inside is normal . x <= offset
  int* face_start;        // (nf + 1) face f owns entries face_start[f] .. face_start[f + 1] - 1 of:
  int* face_vertices;     // (2 ne) vertices, counterclockwise seen from outside
  int* face_edges;        // (2 ne) the edge from that vertex to the next one of the face
  int* edge_vertices;     // (2 ne) the two ends of edge e at 2 e and 2 e + 1, smaller index first
  int* edge_faces;        // (2 ne) the two faces at edge e, smaller index first
  int* vertex_start;      // (nv + 1) vertex v owns vertex_start[v] .. vertex_start[v + 1] - 1 of:
  int* vertex_neighbors;  // (2 ne) the vertices that share an edge with it, ascending
  int* vertex_edges;      // (2 ne) the edge to that neighbour

  TriboAllocator allocator;  // where the block came from; all NULL: the C library
  size_t memory_size;        // bytes of the block
} TriboHull;

// The convex hull of `count` >= 4 points. Points closer together than rounding allows to tell apart
// become one vertex. *hull is owned by the caller, to be destroyed; NULL after a failure. allocator
// NULL is the C library (qhull itself always uses the C library, during this call only).
// TRIBO_ERROR_ARGUMENT: too few points; TRIBO_ERROR_NOT_FINITE; TRIBO_ERROR_MODEL: the points lie
// in one plane, line or point, so there is no solid; TRIBO_ERROR_MEMORY.
TRIBO_CHECKED TriboStatus tribo_hull_create(const TriboVec3* points, int count,
                                            const TriboAllocator* allocator, TriboHull** hull,
                                            TriboMessage* message);

// NULL is fine.
void tribo_hull_destroy(TriboHull* hull);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_HULL_H_
