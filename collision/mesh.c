// SPDX-License-Identifier: Apache-2.0
#include "collision/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/message.h"

// Two triangles are one flat region up to this angle between their normals (rad), and while no
// corner leaves the plane of the region's first triangle by more than this part of the mesh's size.
// Treating such a fold as flat misplaces a contact by less than the second figure.
static const double kFlatAngle = 1e-7;
static const double kFlatHeight = 1e-10;
// A triangle lower than this part of its longest side has no area that doubles could tell.
static const double kNeedle = 1e-10;
static const double kSmallest = 1e-9, kLargest = 1e9;

// A side of a triangle, sorted to find the other one at the same edge.
typedef struct Side {
  int low, high;  // vertices
  int half;       // 3 t + k
} Side;

// What is needed only while a mesh is made.
typedef struct Scratch {
  int* order;          // vertices sorted by place (vertex_count)
  int* vertex_of;      // vertex as given -> number in the mesh, -1 (vertex_count)
  int* triangle_from;  // triangles that are kept (triangle_count)
  Side* sides;         // (3 triangle_count)
  TriboAabb* boxes;    // (triangle_count)
  int* queue;          // (triangle_count)
} Scratch;

static void lay_out_scratch(Scratch* s, TriboArena* arena, int nv, int nt) {
  s->order = tribo_arena_ints(arena, nv);
  s->vertex_of = tribo_arena_ints(arena, nv);
  s->triangle_from = tribo_arena_ints(arena, nt);
  s->sides = tribo_arena_take(arena, 3 * (size_t)nt, sizeof(Side));
  s->boxes = tribo_arena_take(arena, (size_t)nt, sizeof(TriboAabb));
  s->queue = tribo_arena_ints(arena, nt);
}

static void lay_out_mesh(TriboMesh* m, TriboArena* arena, int nv, int nt) {
  m->nv = nv;
  m->nt = nt;
  m->vertices = tribo_arena_take(arena, (size_t)nv, sizeof(TriboVec3));
  m->triangles = tribo_arena_take(arena, 3 * (size_t)nt, sizeof(int));
  m->normals = tribo_arena_take(arena, (size_t)nt, sizeof(TriboVec3));
  m->neighbors = tribo_arena_take(arena, 3 * (size_t)nt, sizeof(int));
  m->patches = tribo_arena_ints(arena, nt);
  m->is_inner = tribo_arena_take(arena, (size_t)nv, sizeof(bool));
  m->vertex_start = tribo_arena_ints(arena, nv + 1);
  m->vertex_corners = tribo_arena_take(arena, 3 * (size_t)nt, sizeof(int));
  tribo_box_tree_layout(&m->tree, arena, nt);
}

// ---- one vertex for each place

static int compare_places(TriboVec3 a, TriboVec3 b) {
  if (a.x != b.x) return a.x < b.x ? -1 : 1;
  if (a.y != b.y) return a.y < b.y ? -1 : 1;
  if (a.z != b.z) return a.z < b.z ? -1 : 1;
  return 0;
}

// Sinks entry i of a heap over `order` by place, then number: heap sort, because qsort takes no
// context. The order is total, so that the result depends on nothing but the places.
static bool place_before(const TriboVec3* p, int a, int b) {
  const int c = compare_places(p[a], p[b]);
  return c != 0 ? c < 0 : a < b;
}
static void sink(int* order, int count, int i, const TriboVec3* p) {
  for (int child = 2 * i + 1; child < count; child = 2 * i + 1) {
    if (child + 1 < count && place_before(p, order[child], order[child + 1])) ++child;
    if (!place_before(p, order[i], order[child])) return;
    const int swapped = order[i];
    order[i] = order[child];
    order[child] = swapped;
    i = child;
  }
}
static void sort_by_place(int* order, int count, const TriboVec3* p) {
  for (int i = 0; i < count; ++i) order[i] = i;
  for (int i = count / 2 - 1; i >= 0; --i) sink(order, count, i, p);
  for (int last = count - 1; last > 0; --last) {
    const int swapped = order[0];
    order[0] = order[last];
    order[last] = swapped;
    sink(order, last, 0, p);
  }
}

// vertex_of[i] becomes the first vertex at the same place as vertex i.
static void merge_places(Scratch* s, const TriboVec3* vertices, int count) {
  sort_by_place(s->order, count, vertices);
  for (int k = 0; k < count; ++k) {
    const bool same =
        k > 0 && compare_places(vertices[s->order[k]], vertices[s->order[k - 1]]) == 0;
    s->vertex_of[s->order[k]] = same ? s->vertex_of[s->order[k - 1]] : s->order[k];
  }
}

static bool has_area(TriboVec3 a, TriboVec3 b, TriboVec3 c) {
  const TriboVec3 ab = tribo_vec3_sub(b, a), ac = tribo_vec3_sub(c, a), bc = tribo_vec3_sub(c, b);
  const double longest =
      fmax(tribo_vec3_norm2(ab), fmax(tribo_vec3_norm2(ac), tribo_vec3_norm2(bc)));
  return tribo_vec3_norm(tribo_vec3_cross(ab, ac)) > kNeedle * longest;
}

// Lists the triangles that have an area and numbers the vertices that they use, in the order given.
static int keep_triangles(Scratch* s, const TriboVec3* v, int vertex_count, const int* triangles,
                          int triangle_count, int* used_vertices) {
  merge_places(s, v, vertex_count);
  int kept = 0;
  for (int i = 0; i < vertex_count; ++i) s->order[i] = -1;
  for (int t = 0; t < triangle_count; ++t) {
    const int* c = triangles + 3 * (size_t)t;
    if (!has_area(v[c[0]], v[c[1]], v[c[2]])) continue;
    s->triangle_from[kept++] = t;
    for (int k = 0; k < 3; ++k) s->order[s->vertex_of[c[k]]] = 0;
  }
  int used = 0;
  for (int i = 0; i < vertex_count; ++i) {
    if (s->order[i] == 0) s->order[i] = used++;
  }
  for (int i = 0; i < vertex_count; ++i) s->vertex_of[i] = s->order[s->vertex_of[i]];
  *used_vertices = used;
  return kept;
}

// ---- who is next to whom

static int compare_sides(const void* a, const void* b) {
  const Side *s = a, *t = b;
  if (s->low != t->low) return s->low < t->low ? -1 : 1;
  if (s->high != t->high) return s->high < t->high ? -1 : 1;
  return s->half < t->half ? -1 : s->half > t->half;
}

static void find_neighbors(TriboMesh* m, Side* sides) {
  const int count = 3 * m->nt;
  for (int half = 0; half < count; ++half) {
    const int t = half / 3, k = half % 3;
    const int a = m->triangles[half], b = m->triangles[3 * t + (k + 1) % 3];
    sides[half] = (Side){a < b ? a : b, a < b ? b : a, half};
    m->neighbors[half] = -1;
  }
  qsort(sides, (size_t)count, sizeof(Side), compare_sides);
  m->is_closed = true;
  for (int first = 0; first < count;) {
    int end = first + 1;
    while (end < count && sides[end].low == sides[first].low &&
           sides[end].high == sides[first].high)
      ++end;
    const int h = sides[first].half, g = sides[end - 1].half;
    const bool pair = end - first == 2 && m->triangles[h] != m->triangles[g];
    if (pair) m->neighbors[h] = g / 3, m->neighbors[g] = h / 3;
    m->is_closed = m->is_closed && pair;
    first = end;
  }
}

static void list_corners(TriboMesh* m) {
  int* start = m->vertex_start;
  for (int v = 0; v <= m->nv; ++v) start[v] = 0;
  for (int k = 0; k < 3 * m->nt; ++k) ++start[m->triangles[k] + 1];
  for (int v = 0; v < m->nv; ++v) start[v + 1] += start[v];
  for (int k = 0; k < 3 * m->nt; ++k) m->vertex_corners[start[m->triangles[k]]++] = k;
  // Placing moved every start to its end, which is the next one's start.
  for (int v = m->nv; v > 0; --v) start[v] = start[v - 1];
  start[0] = 0;
}

// Whether triangle t lies in the plane of triangle `seed`.
static bool is_in_plane(const TriboMesh* m, int seed, int t, double height) {
  const TriboVec3 n = m->normals[seed], p = m->vertices[m->triangles[3 * seed]];
  if (tribo_vec3_norm(tribo_vec3_sub(m->normals[t], n)) > kFlatAngle) return false;
  for (int k = 0; k < 3; ++k) {
    const TriboVec3 q = m->vertices[m->triangles[3 * t + k]];
    if (fabs(tribo_vec3_dot(n, tribo_vec3_sub(q, p))) > height) return false;
  }
  return true;
}

// Grows every flat region from its smallest triangle. Triangles are compared with that one, not
// with their neighbours: a gently curved surface does not become flat by many small steps.
static void find_patches(TriboMesh* m, int* queue) {
  const double height = kFlatHeight * tribo_vec3_distance(m->bounds.min, m->bounds.max);
  for (int t = 0; t < m->nt; ++t) m->patches[t] = -1;
  for (int seed = 0; seed < m->nt; ++seed) {
    if (m->patches[seed] >= 0) continue;
    int head = 0, tail = 0;
    queue[tail++] = seed;
    m->patches[seed] = seed;
    while (head < tail) {
      const int t = queue[head++];
      for (int k = 0; k < 3; ++k) {
        const int u = m->neighbors[3 * t + k];
        if (u < 0 || m->patches[u] >= 0 || !is_in_plane(m, seed, u, height)) continue;
        m->patches[u] = seed;
        queue[tail++] = u;
      }
    }
  }
}

// A vertex is inside its patch when every side at it leads to a triangle of the same patch.
static void find_inner_vertices(TriboMesh* m) {
  for (int v = 0; v < m->nv; ++v) m->is_inner[v] = true;
  for (int half = 0; half < 3 * m->nt; ++half) {
    const int t = half / 3, k = half % 3, u = m->neighbors[half];
    if (u >= 0 && m->patches[u] == m->patches[t]) continue;
    m->is_inner[m->triangles[half]] = false;
    m->is_inner[m->triangles[3 * t + (k + 1) % 3]] = false;
  }
}

static void fill(TriboMesh* m, Scratch* s, const TriboVec3* vertices, int vertex_count,
                 const int* triangles) {
  m->bounds = tribo_aabb_empty();
  for (int i = 0; i < vertex_count; ++i) {
    if (s->vertex_of[i] < 0) continue;
    m->vertices[s->vertex_of[i]] = vertices[i];
    m->bounds = tribo_aabb_with_point(m->bounds, vertices[i]);
  }
  for (int t = 0; t < m->nt; ++t) {
    const int* from = triangles + 3 * (size_t)s->triangle_from[t];
    TriboVec3 p[3];
    s->boxes[t] = tribo_aabb_empty();
    for (int k = 0; k < 3; ++k) {
      p[k] = vertices[from[k]];
      m->triangles[3 * t + k] = s->vertex_of[from[k]];
      s->boxes[t] = tribo_aabb_with_point(s->boxes[t], p[k]);
    }
    const TriboVec3 cross =
        tribo_vec3_cross(tribo_vec3_sub(p[1], p[0]), tribo_vec3_sub(p[2], p[0]));
    m->normals[t] = tribo_vec3_normalize_or(cross, tribo_vec3(0, 0, 1));
  }
  find_neighbors(m, s->sides);
  list_corners(m);
  find_patches(m, s->queue);
  find_inner_vertices(m);
  tribo_box_tree_build(&m->tree, s->boxes, NULL, m->nt);
}

static TriboStatus check(const TriboVec3* vertices, int vertex_count, const int* triangles,
                         int triangle_count, TriboMessage* message) {
  if (vertices == NULL || triangles == NULL || vertex_count < 3 || triangle_count < 1 ||
      triangle_count > TRIBO_MESH_MAX_TRIANGLES || vertex_count > 3 * TRIBO_MESH_MAX_TRIANGLES) {
    return tribo_message_set(
        message, TRIBO_ERROR_ARGUMENT,
        "A mesh has 1 to %d triangles over at least 3 vertices; %d over %d are "
        "given.",
        TRIBO_MESH_MAX_TRIANGLES, triangle_count, vertex_count);
  }
  for (int i = 0; i < vertex_count; ++i) {
    if (!tribo_vec3_is_finite(vertices[i])) {
      return tribo_message_set(message, TRIBO_ERROR_NOT_FINITE,
                               "Vertex %d of a mesh is not finite.", i);
    }
  }
  for (int k = 0; k < 3 * triangle_count; ++k) {
    if (triangles[k] < 0 || triangles[k] >= vertex_count) {
      return tribo_message_set(message, TRIBO_ERROR_ARGUMENT, "Triangle %d names vertex %d of %d.",
                               k / 3, triangles[k], vertex_count);
    }
  }
  return TRIBO_OK;
}

static TriboStatus build(Scratch* scratch, const TriboVec3* vertices, int vertex_count,
                         const int* triangles, int triangle_count, const TriboAllocator* allocator,
                         TriboMesh** mesh, TriboMessage* message) {
  int nv;
  const int nt = keep_triangles(scratch, vertices, vertex_count, triangles, triangle_count, &nv);
  if (nt == 0) {
    return tribo_message_set(message, TRIBO_ERROR_MODEL,
                             "None of the %d triangles of a mesh has an area; check its scale.",
                             triangle_count);
  }
  TriboMesh measured;
  TriboArena arena = tribo_arena_measure();
  (void)tribo_arena_take(&arena, 1, sizeof(TriboMesh));
  lay_out_mesh(&measured, &arena, nv, nt);
  const size_t size = arena.used;
  void* memory = tribo_allocate(allocator, size);
  if (memory == NULL) {
    return tribo_message_set(message, TRIBO_ERROR_MEMORY, "No memory for a mesh of %d triangles.",
                             nt);
  }
  arena = tribo_arena_over(memory, size);
  TriboMesh* m = tribo_arena_take(&arena, 1, sizeof(TriboMesh));
  *m = (TriboMesh){.memory_size = size};
  if (allocator != NULL) m->allocator = *allocator;
  lay_out_mesh(m, &arena, nv, nt);
  fill(m, scratch, vertices, vertex_count, triangles);

  const double longest = tribo_vec3_distance(m->bounds.min, m->bounds.max);
  if (!(longest >= kSmallest && longest <= kLargest)) {
    tribo_mesh_destroy(m);
    return tribo_message_set(message, TRIBO_ERROR_MODEL,
                             "A mesh is %g m large; it must be between %g and %g m. Check its unit "
                             "and scale.",
                             longest, kSmallest, kLargest);
  }
  *mesh = m;
  return TRIBO_OK;
}

TriboStatus tribo_mesh_create(const TriboVec3* vertices, int vertex_count, const int* triangles,
                              int triangle_count, const TriboAllocator* allocator, TriboMesh** mesh,
                              TriboMessage* message) {
  tribo_message_clear(message);
  *mesh = NULL;
  TriboStatus status = check(vertices, vertex_count, triangles, triangle_count, message);
  if (status != TRIBO_OK) return status;

  Scratch scratch;
  TriboArena arena = tribo_arena_measure();
  lay_out_scratch(&scratch, &arena, vertex_count, triangle_count);
  const size_t size = arena.used;
  void* memory = tribo_allocate(allocator, size);
  if (memory == NULL) {
    return tribo_message_set(message, TRIBO_ERROR_MEMORY, "No memory for a mesh of %d triangles.",
                             triangle_count);
  }
  arena = tribo_arena_over(memory, size);
  lay_out_scratch(&scratch, &arena, vertex_count, triangle_count);
  status =
      build(&scratch, vertices, vertex_count, triangles, triangle_count, allocator, mesh, message);
  tribo_release(allocator, memory, size);
  return status;
}

void tribo_mesh_destroy(TriboMesh* mesh) {
  if (mesh == NULL) return;
  const TriboAllocator allocator = mesh->allocator;
  tribo_release(allocator.release != NULL ? &allocator : NULL, mesh, mesh->memory_size);
}

TriboShape tribo_shape_mesh(const TriboMesh* mesh) {
  TriboShape shape = tribo_shape_with_bounds(TRIBO_SHAPE_MESH, mesh->bounds);
  shape.mesh = mesh;
  return shape;
}

// The side of triangle u that begins at vertex v.
static int side_from(const TriboMesh* m, int u, int v) {
  const int* corner = m->triangles + 3 * (size_t)u;
  return corner[0] == v ? 3 * u : corner[1] == v ? 3 * u + 1 : 3 * u + 2;
}

void tribo_mesh_triangle(const TriboMesh* mesh, int t, TriboTriangle* triangle) {
  for (int k = 0; k < 3; ++k) {
    triangle->vertex[k] = mesh->triangles[3 * t + k];
    triangle->corner[k] = mesh->vertices[triangle->vertex[k]];
    triangle->neighbor[k] = mesh->neighbors[3 * t + k];
  }
  for (int k = 0; k < 3; ++k) {
    const int u = triangle->neighbor[k], own = 3 * t + k;
    const int other = u < 0 ? own : side_from(mesh, u, triangle->vertex[(k + 1) % 3]);
    triangle->edge[k] = own < other ? own : other;
  }
  triangle->normal = mesh->normals[t];
  triangle->patch = mesh->patches[t];
}

// ---- the nearest triangle

static double box_distance2(TriboAabb box, TriboVec3 p) {
  const double x = fmax(0, fmax(box.min.x - p.x, p.x - box.max.x));
  const double y = fmax(0, fmax(box.min.y - p.y, p.y - box.max.y));
  const double z = fmax(0, fmax(box.min.z - p.z, p.z - box.max.z));
  return x * x + y * y + z * z;
}

typedef struct Nearest {
  int triangle;
  double distance2;
  double squareness;  // |normal . (p - point)|
  TriboVec3 point;
} Nearest;

static void try_triangle(const TriboMesh* m, int t, TriboVec3 p, Nearest* best) {
  TriboVec3 corner[3];
  for (int k = 0; k < 3; ++k) corner[k] = m->vertices[m->triangles[3 * t + k]];
  int region;
  const TriboVec3 q = tribo_triangle_closest(corner, p, &region);
  const TriboVec3 d = tribo_vec3_sub(p, q);
  const double distance2 = tribo_vec3_norm2(d);
  const double squareness = fabs(tribo_vec3_dot(m->normals[t], d));
  // At a shared edge or corner the triangles are equally far but for rounding; the one that p looks
  // at most squarely tells on which side p is.
  const double tie = 1e-12 * (distance2 + tribo_vec3_norm2(q) * 1e-3);
  bool better =
      best->triangle < 0 ? distance2 <= best->distance2 : distance2 < best->distance2 - tie;
  if (!better && best->triangle >= 0 && distance2 <= best->distance2 + tie) {
    better =
        squareness > best->squareness || (squareness == best->squareness && t < best->triangle);
  }
  if (better) *best = (Nearest){t, distance2, squareness, q};
}

int tribo_mesh_nearest(const TriboMesh* mesh, TriboVec3 p, double reach, TriboVec3* point) {
  Nearest best = {.triangle = -1, .distance2 = reach * reach};
  int stack[2 * TRIBO_BOX_TREE_DEPTH], top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const int index = stack[--top];
    const TriboBoxTreeNode* node = &mesh->tree.nodes[index];
    // A little more than the best, so that ties are seen whatever the order.
    if (box_distance2(node->box, p) > best.distance2 * (1 + 1e-9)) continue;
    if (node->right < 0) {
      for (int k = node->first; k < node->first + node->count; ++k) {
        try_triangle(mesh, mesh->tree.order[k], p, &best);
      }
      continue;
    }
    // The nearer child first.
    const int left = index + 1, right = node->right;
    const bool left_first = box_distance2(mesh->tree.nodes[left].box, p) <=
                            box_distance2(mesh->tree.nodes[right].box, p);
    stack[top++] = left_first ? right : left;
    stack[top++] = left_first ? left : right;
  }
  if (best.triangle >= 0) *point = best.point;
  return best.triangle;
}
