// SPDX-License-Identifier: Apache-2.0
//
// From qhull's facets to the tables of a TriboHull. qhull merges facets that are coplanar within
// rounding, so a cube has six faces; what it hands over is an unordered set of facets, which are
// ordered here by their smallest vertices, so that the tables depend on the points alone.
#include "collision/hull.h"

// qhull's C API wants its own include order, and its headers are not warning-clean.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <libqhull_r/qhull_ra.h>
#pragma GCC diagnostic pop

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/base/message.h"
#include "engine/base/vec3.h"

// One facet as qhull gives it: a loop of point numbers and the plane.
typedef struct Facet {
  TriboVec3 normal;
  double offset;
  int start, count;  // in the list of corners; the loop starts at its smallest point number
} Facet;

typedef struct Facets {
  int nf, corner_count;
  Facet* facet;  // (nf)
  int* corner;   // (corner_count) point numbers
} Facets;

// One side of an edge, as a face walks along it.
typedef struct Side {
  int low, high, face, entry;  // entry: index into face_vertices
} Side;

static int compare_sides(const void* a, const void* b) {
  const Side *s = a, *t = b;
  if (s->low != t->low) return s->low < t->low ? -1 : 1;
  if (s->high != t->high) return s->high < t->high ? -1 : 1;
  return s->face < t->face ? -1 : s->face > t->face;
}

static void layout(TriboHull* hull, TriboArena* arena, int nv, int nf, int ne) {
  hull->nv = nv;
  hull->nf = nf;
  hull->ne = ne;
  hull->vertices = tribo_arena_take(arena, (size_t)nv, sizeof(TriboVec3));
  hull->face_normals = tribo_arena_take(arena, (size_t)nf, sizeof(TriboVec3));
  hull->face_offsets = tribo_arena_doubles(arena, nf);
  hull->face_start = tribo_arena_ints(arena, nf + 1);
  hull->face_vertices = tribo_arena_ints(arena, 2 * ne);
  hull->face_edges = tribo_arena_ints(arena, 2 * ne);
  hull->edge_vertices = tribo_arena_ints(arena, 2 * ne);
  hull->edge_faces = tribo_arena_ints(arena, 2 * ne);
  hull->vertex_start = tribo_arena_ints(arena, nv + 1);
  hull->vertex_neighbors = tribo_arena_ints(arena, 2 * ne);
  hull->vertex_edges = tribo_arena_ints(arena, 2 * ne);
}

// Turns a loop of points around where it runs clockwise seen from outside: qhull's own orientation
// bit follows neither the facet's merged shape nor one fixed sense.
static void orient_outwards(const TriboVec3* points, TriboVec3 normal, int* corner, int count) {
  TriboVec3 sum = tribo_vec3_zero();
  for (int k = 0; k < count; ++k) {
    const TriboVec3 a = tribo_vec3_sub(points[corner[k]], points[corner[0]]);
    const TriboVec3 b = tribo_vec3_sub(points[corner[(k + 1) % count]], points[corner[0]]);
    sum = tribo_vec3_add(sum, tribo_vec3_cross(a, b));
  }
  if (tribo_vec3_dot(sum, normal) >= 0) return;
  for (int i = 0, j = count - 1; i < j; ++i, --j) {
    const int swapped = corner[i];
    corner[i] = corner[j];
    corner[j] = swapped;
  }
}

// Copies qhull's facets out of its own memory. False: out of memory.
static bool read_facets(qhT* qh, const TriboVec3* points, Facets* facets) {
  facetT* facet;
  int nf = 0, corner_count = 0;
  FORALLfacets {
    ++nf;
    corner_count += qh_setsize(qh, facet->vertices);
  }
  facets->facet = malloc((size_t)nf * sizeof(Facet));
  facets->corner = malloc((size_t)corner_count * sizeof(int));
  if (facets->facet == NULL || facets->corner == NULL) return false;

  FORALLfacets {
    // Ordered around the facet, one way or the other.
    setT* loop = qh_facet3vertex(qh, facet);
    const int count = qh_setsize(qh, loop);
    Facet* f = &facets->facet[facets->nf++];
    *f = (Facet){tribo_vec3_from(facet->normal), -facet->offset, facets->corner_count, count};
    int* corner = facets->corner + facets->corner_count;
    for (int k = 0; k < count; ++k) {
      corner[k] = qh_pointid(qh, SETelemt_(loop, k, vertexT)->point);
    }
    qh_settempfree(qh, &loop);
    orient_outwards(points, f->normal, corner, count);
    int first = 0;
    for (int k = 1; k < count; ++k) {
      if (corner[k] < corner[first]) first = k;
    }
    // Rotate the loop so that it starts at its smallest point.
    for (int turn = 0; turn < first; ++turn) {
      const int front = corner[0];
      for (int k = 0; k + 1 < count; ++k) corner[k] = corner[k + 1];
      corner[count - 1] = front;
    }
    facets->corner_count += count;
  }
  return true;
}

// Runs qhull. TRIBO_ERROR_MODEL: the points span no volume, or qhull gave up.
static TriboStatus run_qhull(const TriboVec3* points, int count, Facets* facets) {
  double* coordinates = malloc((size_t)count * 3 * sizeof(double));
  if (coordinates == NULL) return TRIBO_ERROR_MEMORY;
  for (int i = 0; i < count; ++i) tribo_vec3_store(points[i], coordinates + 3 * i);
  FILE* silent = fopen("/dev/null", "w");
  if (silent == NULL) {
    free(coordinates);
    return TRIBO_ERROR_FILE;
  }

  qhT qh_memory, *qh = &qh_memory;
  qh_zero(qh, silent);
  char options[] = "qhull Qs Pp";
  TriboStatus status = TRIBO_ERROR_MODEL;
  if (qh_new_qhull(qh, 3, count, coordinates, False, options, silent, silent) == 0) {
    status = read_facets(qh, points, facets) ? TRIBO_OK : TRIBO_ERROR_MEMORY;
  }
  qh_freeqhull(qh, !qh_ALL);
  int left_long, left_total;
  qh_memfreeshort(qh, &left_long, &left_total);
  fclose(silent);
  free(coordinates);
  return status;
}

// Orders faces by their loops, so that their numbers do not depend on qhull's inner order.
static bool facet_before(const Facets* facets, const Facet* a, const Facet* b) {
  for (int k = 0; k < a->count && k < b->count; ++k) {
    const int p = facets->corner[a->start + k], q = facets->corner[b->start + k];
    if (p != q) return p < q;
  }
  return a->count < b->count;
}

static void sort_facets(Facets* facets) {
  for (int i = 1; i < facets->nf; ++i) {
    const Facet moving = facets->facet[i];
    int j = i;
    for (; j > 0 && facet_before(facets, &moving, &facets->facet[j - 1]); --j) {
      facets->facet[j] = facets->facet[j - 1];
    }
    facets->facet[j] = moving;
  }
}

// Corners and faces, and the faces' exact planes: the normal by Newell's sum over the loop, which
// uses all corners alike, and the offset that leaves no corner of the face outside.
static void fill_faces(TriboHull* hull, const Facets* facets, const TriboVec3* points,
                       const int* vertex_of_point) {
  int entry = 0;
  for (int f = 0; f < hull->nf; ++f) {
    const Facet* facet = &facets->facet[f];
    hull->face_start[f] = entry;
    TriboVec3 normal = tribo_vec3_zero();
    const TriboVec3 origin = points[facets->corner[facet->start]];
    for (int k = 0; k < facet->count; ++k) {
      const int point = facets->corner[facet->start + k];
      const int next = facets->corner[facet->start + (k + 1) % facet->count];
      normal = tribo_vec3_add(normal, tribo_vec3_cross(tribo_vec3_sub(points[point], origin),
                                                       tribo_vec3_sub(points[next], origin)));
      hull->face_vertices[entry++] = vertex_of_point[point];
    }
    hull->face_normals[f] = tribo_vec3_normalize_or(normal, facet->normal);
    double offset = -INFINITY;
    for (int k = 0; k < facet->count; ++k) {
      const TriboVec3 p = points[facets->corner[facet->start + k]];
      offset = fmax(offset, tribo_vec3_dot(hull->face_normals[f], p));
    }
    hull->face_offsets[f] = offset;
  }
  hull->face_start[hull->nf] = entry;
}

// Edges from the faces' sides, which come in pairs. False where they do not.
static bool fill_edges(TriboHull* hull, Side* sides) {
  int count = 0;
  for (int f = 0; f < hull->nf; ++f) {
    const int start = hull->face_start[f], end = hull->face_start[f + 1];
    for (int k = start; k < end; ++k) {
      const int a = hull->face_vertices[k];
      const int b = hull->face_vertices[k + 1 < end ? k + 1 : start];
      sides[count++] = (Side){a < b ? a : b, a < b ? b : a, f, k};
    }
  }
  qsort(sides, (size_t)count, sizeof(Side), compare_sides);
  for (int e = 0; e < hull->ne; ++e) {
    const Side *s = &sides[2 * e], *t = &sides[2 * e + 1];
    if (s->low != t->low || s->high != t->high || s->face == t->face) return false;
    hull->edge_vertices[2 * e] = s->low;
    hull->edge_vertices[2 * e + 1] = s->high;
    hull->edge_faces[2 * e] = s->face;
    hull->edge_faces[2 * e + 1] = t->face;
    hull->face_edges[s->entry] = e;
    hull->face_edges[t->entry] = e;
  }
  return true;
}

static void fill_neighbors(TriboHull* hull) {
  // Count, then place. Edges are sorted by (low, high): placing all smaller neighbours before all
  // larger ones keeps every vertex's list ascending.
  int* start = hull->vertex_start;
  for (int v = 0; v <= hull->nv; ++v) start[v] = 0;
  for (int k = 0; k < 2 * hull->ne; ++k) ++start[hull->edge_vertices[k] + 1];
  for (int v = 0; v < hull->nv; ++v) start[v + 1] += start[v];
  for (int end = 1; end >= 0; --end) {
    for (int e = 0; e < hull->ne; ++e) {
      const int entry = start[hull->edge_vertices[2 * e + end]]++;
      hull->vertex_neighbors[entry] = hull->edge_vertices[2 * e + 1 - end];
      hull->vertex_edges[entry] = e;
    }
  }
  // Placing moved every start to its end, which is the next one's start.
  for (int v = hull->nv; v > 0; --v) start[v] = start[v - 1];
  start[0] = 0;
}

static TriboStatus build(const TriboVec3* points, int count, Facets* facets, int* vertex_of_point,
                         Side* sides, const TriboAllocator* allocator, TriboHull** result) {
  // Corners are the points that a face uses, numbered in the order of the points.
  for (int i = 0; i < count; ++i) vertex_of_point[i] = -1;
  for (int k = 0; k < facets->corner_count; ++k) vertex_of_point[facets->corner[k]] = 0;
  int nv = 0;
  for (int i = 0; i < count; ++i) {
    if (vertex_of_point[i] == 0) vertex_of_point[i] = nv++;
  }
  const int nf = facets->nf, ne = facets->corner_count / 2;
  if (facets->corner_count % 2 != 0 || nv - ne + nf != 2) return TRIBO_ERROR_MODEL;

  TriboHull measured;
  TriboArena arena = tribo_arena_measure();
  (void)tribo_arena_take(&arena, 1, sizeof(TriboHull));
  layout(&measured, &arena, nv, nf, ne);
  const size_t size = arena.used;
  void* memory = tribo_allocate(allocator, size);
  if (memory == NULL) return TRIBO_ERROR_MEMORY;
  arena = tribo_arena_over(memory, size);
  TriboHull* hull = tribo_arena_take(&arena, 1, sizeof(TriboHull));
  *hull = (TriboHull){.memory_size = size};
  if (allocator != NULL) hull->allocator = *allocator;
  layout(hull, &arena, nv, nf, ne);

  hull->bounds = tribo_aabb_empty();
  for (int i = 0; i < count; ++i) {
    if (vertex_of_point[i] < 0) continue;
    hull->vertices[vertex_of_point[i]] = points[i];
    hull->bounds = tribo_aabb_with_point(hull->bounds, points[i]);
    hull->center = tribo_vec3_madd(hull->center, 1.0 / nv, points[i]);
  }
  fill_faces(hull, facets, points, vertex_of_point);
  if (!fill_edges(hull, sides)) {
    tribo_hull_destroy(hull);
    return TRIBO_ERROR_MODEL;
  }
  fill_neighbors(hull);
  *result = hull;
  return TRIBO_OK;
}

// Whether the points span a solid that is not thinner than rounding can tell.
static bool spans_volume(const TriboVec3* points, int count) {
  // The farthest point from the first, from the line of those two, and from the plane of those
  // three.
  int far[3] = {0, 0, 0};
  double best[3] = {0, 0, 0};
  TriboVec3 u = tribo_vec3_zero(), n = tribo_vec3_zero();
  for (int stage = 0; stage < 3; ++stage) {
    for (int i = 0; i < count; ++i) {
      const TriboVec3 r = tribo_vec3_sub(points[i], points[0]);
      const double d = stage == 0   ? tribo_vec3_norm(r)
                       : stage == 1 ? tribo_vec3_norm(tribo_vec3_cross(u, r))
                                    : fabs(tribo_vec3_dot(n, r));
      if (d > best[stage]) {
        best[stage] = d;
        far[stage] = i;
      }
    }
    const TriboVec3 r = tribo_vec3_sub(points[far[stage]], points[0]);
    if (stage == 0) u = tribo_vec3_normalize_or(r, u);
    if (stage == 1) n = tribo_vec3_normalize_or(tribo_vec3_cross(u, r), n);
    if (!(best[stage] > 1e-9 * best[0])) return false;
  }
  return true;
}

TriboStatus tribo_hull_create(const TriboVec3* points, int count, const TriboAllocator* allocator,
                              TriboHull** hull, TriboMessage* message) {
  tribo_message_clear(message);
  *hull = NULL;
  if (points == NULL || count < 4 || count > INT_MAX / 8) {
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT,
                             "A convex hull needs at least 4 points; %d are given.", count);
  }
  for (int i = 0; i < count; ++i) {
    if (!tribo_vec3_is_finite(points[i])) {
      return tribo_message_set(
          message, TRIBO_ERROR_NOT_FINITE,
          "Point %d of a convex hull is not finite; check the file it is from.", i);
    }
  }
  if (!spans_volume(points, count)) {
    return tribo_message_set(message, TRIBO_ERROR_MODEL,
                             "The %d points of a convex hull lie in one plane, line or point, or "
                             "their scale is 0; give the hull a thickness.",
                             count);
  }

  Facets facets = {0};
  TriboStatus status = run_qhull(points, count, &facets);
  int* vertex_of_point = malloc((size_t)count * sizeof(int));
  Side* sides = malloc((size_t)(facets.corner_count + 1) * sizeof(Side));
  if (status == TRIBO_OK && (vertex_of_point == NULL || sides == NULL)) status = TRIBO_ERROR_MEMORY;
  if (status == TRIBO_OK) {
    sort_facets(&facets);
    status = build(points, count, &facets, vertex_of_point, sides, allocator, hull);
  }
  free(sides);
  free(vertex_of_point);
  free(facets.corner);
  free(facets.facet);
  if (status == TRIBO_OK) return TRIBO_OK;
  return tribo_message_set(
      message, status,
      status == TRIBO_ERROR_MEMORY
          ? "No memory for a convex hull of %d points."
          : "qhull found no clean convex hull of these %d points; they are too "
            "flat or too close together. Give the hull a thickness.",
      count);
}

void tribo_hull_destroy(TriboHull* hull) {
  if (hull == NULL) return;
  const TriboAllocator allocator = hull->allocator;
  tribo_release(allocator.release != NULL ? &allocator : NULL, hull, hull->memory_size);
}
