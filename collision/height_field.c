// SPDX-License-Identifier: Apache-2.0
#include "collision/height_field.h"

#include <math.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/message.h"

// As for meshes (mesh.c): one flat region up to this angle and this part of the field's size.
static const double kFlatAngle = 1e-7;
static const double kFlatHeight = 1e-10;
static const double kSmallest = 1e-9, kLargest = 1e9;

static int triangle_count(const TriboHeightField* f) {
  return 2 * (f->rows - 1) * (f->columns - 1);
}

static void layout(TriboHeightField* f, TriboArena* arena, int rows, int columns) {
  f->rows = rows;
  f->columns = columns;
  const size_t heights = (size_t)rows * (size_t)columns;
  f->heights = tribo_arena_take(arena, heights, sizeof(double));
  f->patches = tribo_arena_ints(arena, triangle_count(f));
  f->is_inner = tribo_arena_take(arena, heights, sizeof(bool));
}

static TriboVec3 vertex(const TriboHeightField* f, int row, int column) {
  // The last row and column are exactly on the border of the rectangle.
  const double x = column == f->columns - 1 ? f->half_x : -f->half_x + f->dx * column;
  const double y = row == f->rows - 1 ? f->half_y : -f->half_y + f->dy * row;
  return tribo_vec3(x, y, f->heights[(size_t)row * (size_t)f->columns + (size_t)column]);
}

// The triangle `upper` (0 or 1) of a cell, -1 where there is no such cell.
static int triangle_at(const TriboHeightField* f, int row, int column, int upper) {
  if (row < 0 || row >= f->rows - 1 || column < 0 || column >= f->columns - 1) return -1;
  return 2 * (row * (f->columns - 1) + column) + upper;
}

static int smaller_side(int own, int neighbor, int side) {
  const int other = 3 * neighbor + side;
  return neighbor >= 0 && other < own ? other : own;
}

void tribo_height_field_corners(const TriboHeightField* f, int t, TriboVec3 corner[3],
                                TriboVec3* normal) {
  const int cell = t / 2, row = cell / (f->columns - 1), column = cell % (f->columns - 1);
  corner[0] = vertex(f, row, column);
  // The heights rise by u along x and by v along y; the other corner is across the diagonal.
  const TriboVec3 across = vertex(f, row + 1, column + 1);
  double u, v;
  if (t % 2 == 0) {
    corner[1] = vertex(f, row, column + 1);
    corner[2] = across;
    u = (corner[1].z - corner[0].z) / f->dx;
    v = (across.z - corner[1].z) / f->dy;
  } else {
    corner[1] = across;
    corner[2] = vertex(f, row + 1, column);
    u = (across.z - corner[2].z) / f->dx;
    v = (corner[2].z - corner[0].z) / f->dy;
  }
  const double z = 1 / sqrt(1 + u * u + v * v);
  *normal = tribo_vec3(-u * z, -v * z, z);
}

int tribo_height_field_at_vertex(const TriboHeightField* f, int v, int k) {
  const int r = v / f->columns, c = v % f->columns;
  switch (k) {
    case 0:
      return triangle_at(f, r, c, 0);
    case 1:
      return triangle_at(f, r, c, 1);
    case 2:
      return triangle_at(f, r, c - 1, 0);
    case 3:
      return triangle_at(f, r - 1, c - 1, 1);
    case 4:
      return triangle_at(f, r - 1, c - 1, 0);
    default:
      return triangle_at(f, r - 1, c, 1);
  }
}

void tribo_height_field_triangle(const TriboHeightField* f, int t, TriboTriangle* out) {
  const int cell = t / 2, row = cell / (f->columns - 1), column = cell % (f->columns - 1);
  const int v = row * f->columns + column;  // the corner of smallest row and column
  tribo_height_field_corners(f, t, out->corner, &out->normal);
  out->patch = f->patches[t];
  out->vertex[0] = v;
  if (t % 2 == 0) {
    // Below the diagonal: the other corners are right, and right and up.
    out->vertex[1] = v + 1;
    out->vertex[2] = v + f->columns + 1;
    out->neighbor[0] = triangle_at(f, row - 1, column, 1);
    out->neighbor[1] = triangle_at(f, row, column + 1, 1);
    out->neighbor[2] = t + 1;
    out->edge[0] = smaller_side(3 * t, out->neighbor[0], 1);
    out->edge[1] = smaller_side(3 * t + 1, out->neighbor[1], 2);
    out->edge[2] = 3 * t + 2;
  } else {
    out->vertex[1] = v + f->columns + 1;
    out->vertex[2] = v + f->columns;
    out->neighbor[0] = t - 1;
    out->neighbor[1] = triangle_at(f, row + 1, column, 0);
    out->neighbor[2] = triangle_at(f, row, column - 1, 0);
    out->edge[0] = 3 * (t - 1) + 2;
    out->edge[1] = smaller_side(3 * t + 1, out->neighbor[1], 0);
    out->edge[2] = smaller_side(3 * t + 2, out->neighbor[2], 1);
  }
}

// Whether triangle t lies in the plane of `seed`.
static bool is_in_plane(const TriboTriangle* seed, const TriboTriangle* t, double height) {
  if (tribo_vec3_norm(tribo_vec3_sub(t->normal, seed->normal)) > kFlatAngle) return false;
  for (int k = 0; k < 3; ++k) {
    const TriboVec3 d = tribo_vec3_sub(t->corner[k], seed->corner[0]);
    if (fabs(tribo_vec3_dot(seed->normal, d)) > height) return false;
  }
  return true;
}

// Grows every flat region from its smallest triangle; `queue` has room for all triangles.
static void find_patches(TriboHeightField* f, int* queue) {
  const int count = triangle_count(f);
  const double height =
      kFlatHeight * tribo_vec3_norm(tribo_vec3(f->half_x, f->half_y, f->highest - f->lowest));
  for (int t = 0; t < count; ++t) f->patches[t] = -1;
  for (int start = 0; start < count; ++start) {
    if (f->patches[start] >= 0) continue;
    TriboTriangle seed, triangle, other;
    tribo_height_field_triangle(f, start, &seed);
    int head = 0, tail = 0;
    queue[tail++] = start;
    f->patches[start] = start;
    while (head < tail) {
      tribo_height_field_triangle(f, queue[head++], &triangle);
      for (int k = 0; k < 3; ++k) {
        const int u = triangle.neighbor[k];
        if (u < 0 || f->patches[u] >= 0) continue;
        tribo_height_field_triangle(f, u, &other);
        if (!is_in_plane(&seed, &other, height)) continue;
        f->patches[u] = start;
        queue[tail++] = u;
      }
    }
  }
}

static void find_inner_vertices(TriboHeightField* f) {
  for (int r = 0; r < f->rows; ++r) {
    for (int c = 0; c < f->columns; ++c) {
      const int v = r * f->columns + c;
      const int first = tribo_height_field_at_vertex(f, v, 0);
      bool inner = first >= 0;
      for (int k = 1; k < 6 && inner; ++k) {
        const int t = tribo_height_field_at_vertex(f, v, k);
        inner = t >= 0 && f->patches[t] == f->patches[first];
      }
      f->is_inner[v] = inner;
    }
  }
}

static void fill(TriboHeightField* f, const double* heights, double half_x, double half_y) {
  const size_t count = (size_t)f->rows * (size_t)f->columns;
  f->half_x = half_x;
  f->half_y = half_y;
  f->dx = 2 * half_x / (f->columns - 1);
  f->dy = 2 * half_y / (f->rows - 1);
  memcpy(f->heights, heights, count * sizeof(double));
  f->lowest = f->highest = heights[0];
  for (size_t i = 1; i < count; ++i) {
    f->lowest = fmin(f->lowest, heights[i]);
    f->highest = fmax(f->highest, heights[i]);
  }
  const double depth = fmax(fmax(2 * half_x, 2 * half_y), f->highest - f->lowest);
  f->bounds.min = tribo_vec3(-half_x, -half_y, f->lowest - depth);
  f->bounds.max = tribo_vec3(half_x, half_y, f->highest);
}

static TriboStatus check(const double* heights, int rows, int columns, double half_x, double half_y,
                         TriboMessage* message) {
  if (heights == NULL || rows < 2 || columns < 2 ||
      rows > TRIBO_HEIGHT_FIELD_MAX_HEIGHTS / columns) {
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT,
                             "A height field has at least 2 rows and 2 columns and at most %d "
                             "heights; %d x %d are given.",
                             TRIBO_HEIGHT_FIELD_MAX_HEIGHTS, rows, columns);
  }
  const double size[2] = {half_x, half_y};
  for (int i = 0; i < 2; ++i) {
    if (!isfinite(size[i])) {
      return tribo_message_set(message, TRIBO_ERROR_NOT_FINITE,
                               "The half length of a height field along %c is not finite.",
                               "xy"[i]);
    }
    if (!(size[i] >= kSmallest && size[i] <= kLargest)) {
      return tribo_message_set(message, TRIBO_ERROR_MODEL,
                               "The half length of a height field along %c is %g m; it must lie "
                               "between %g and %g m.",
                               "xy"[i], size[i], kSmallest, kLargest);
    }
  }
  for (int i = 0; i < rows * columns; ++i) {
    if (!isfinite(heights[i])) {
      return tribo_message_set(message, TRIBO_ERROR_NOT_FINITE,
                               "The height at row %d, column %d of a height field is not finite.",
                               i / columns, i % columns);
    }
    if (fabs(heights[i]) > kLargest) {
      return tribo_message_set(message, TRIBO_ERROR_MODEL,
                               "The height at row %d, column %d of a height field is %g m, beyond "
                               "%g m.",
                               i / columns, i % columns, heights[i], kLargest);
    }
  }
  return TRIBO_OK;
}

TriboStatus tribo_height_field_create(const double* heights, int rows, int columns, double half_x,
                                      double half_y, const TriboAllocator* allocator,
                                      TriboHeightField** field, TriboMessage* message) {
  tribo_message_clear(message);
  *field = NULL;
  TriboStatus status = check(heights, rows, columns, half_x, half_y, message);
  if (status != TRIBO_OK) return status;

  TriboHeightField measured;
  TriboArena arena = tribo_arena_measure();
  (void)tribo_arena_take(&arena, 1, sizeof(TriboHeightField));
  layout(&measured, &arena, rows, columns);
  const size_t size = arena.used;
  const size_t queue_size = (size_t)triangle_count(&measured) * sizeof(int);
  void* memory = tribo_allocate(allocator, size);
  int* queue = memory != NULL ? tribo_allocate(allocator, queue_size) : NULL;
  if (queue == NULL) {
    if (memory != NULL) tribo_release(allocator, memory, size);
    return tribo_message_set(message, TRIBO_ERROR_MEMORY,
                             "No memory for a height field of %d x %d.", rows, columns);
  }
  arena = tribo_arena_over(memory, size);
  TriboHeightField* f = tribo_arena_take(&arena, 1, sizeof(TriboHeightField));
  *f = (TriboHeightField){.memory_size = size};
  if (allocator != NULL) f->allocator = *allocator;
  layout(f, &arena, rows, columns);
  fill(f, heights, half_x, half_y);
  find_patches(f, queue);
  find_inner_vertices(f);
  tribo_release(allocator, queue, queue_size);
  *field = f;
  return TRIBO_OK;
}

void tribo_height_field_destroy(TriboHeightField* field) {
  if (field == NULL) return;
  const TriboAllocator allocator = field->allocator;
  tribo_release(allocator.release != NULL ? &allocator : NULL, field, field->memory_size);
}

TriboShape tribo_shape_height_field(const TriboHeightField* field) {
  TriboShape shape = tribo_shape_with_bounds(TRIBO_SHAPE_HEIGHT_FIELD, field->bounds);
  shape.height_field = field;
  return shape;
}

// The cell along one axis that the coordinate falls in, 0 .. cells - 1, for one within the field.
static int cell_along(double x, double half, double size, int cells) {
  const double i = floor((x + half) / size);
  return i < 0 ? 0 : i > cells - 1 ? cells - 1 : (int)i;
}

int tribo_height_field_column(const TriboHeightField* f, double x, double y) {
  if (!(fabs(x) <= f->half_x && fabs(y) <= f->half_y)) return -1;
  const int column = cell_along(x, f->half_x, f->dx, f->columns - 1);
  const int row = cell_along(y, f->half_y, f->dy, f->rows - 1);
  const double u = (x + f->half_x) / f->dx - column, v = (y + f->half_y) / f->dy - row;
  return triangle_at(f, row, column, v > u);
}

bool tribo_height_field_cells(const TriboHeightField* f, TriboAabb box,
                              TriboHeightFieldCells* cells) {
  if (box.max.x < -f->half_x || box.min.x > f->half_x || box.max.y < -f->half_y ||
      box.min.y > f->half_y || box.min.z > f->highest) {
    return false;
  }
  cells->first_column = cell_along(box.min.x, f->half_x, f->dx, f->columns - 1);
  cells->last_column = cell_along(box.max.x, f->half_x, f->dx, f->columns - 1);
  cells->first_row = cell_along(box.min.y, f->half_y, f->dy, f->rows - 1);
  cells->last_row = cell_along(box.max.y, f->half_y, f->dy, f->rows - 1);
  return true;
}

void tribo_height_field_cell_range(const TriboHeightField* f, int row, int column, double* low,
                                   double* high) {
  const double* h = f->heights + (size_t)row * (size_t)f->columns + (size_t)column;
  *low = fmin(fmin(h[0], h[1]), fmin(h[f->columns], h[f->columns + 1]));
  *high = fmax(fmax(h[0], h[1]), fmax(h[f->columns], h[f->columns + 1]));
}
