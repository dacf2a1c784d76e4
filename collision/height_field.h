// SPDX-License-Identifier: Apache-2.0
//
// Height fields: heights over a regular grid of a rectangle, the ground of walking robots, solid
// below. Each cell of the grid is two triangles, parted by the diagonal from its corner of smallest
// row and column to the opposite one. In one block that never changes after creation.
#ifndef TRIBO_COLLISION_HEIGHT_FIELD_H_
#define TRIBO_COLLISION_HEIGHT_FIELD_H_

#include <stdbool.h>

#include "collision/aabb.h"
#include "collision/shape.h"
#include "collision/triangle.h"
#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Most heights of a field: there are two triangles and three edges to each, named by 30 bits.
enum { TRIBO_HEIGHT_FIELD_MAX_HEIGHTS = 1 << 24 };

// Vertex r columns + c is at row r (along y), column c (along x). Cell (r, c) lies between the rows
// r, r + 1 and the columns c, c + 1 and holds the triangles 2 (r (columns - 1) + c) + 0 and 1:
// below and above its diagonal.
struct TriboHeightField {
  int rows, columns;      // >= 2
  double half_x, half_y;  // of the rectangle, which lies around the origin (m)
  double dx, dy;          // of a cell (m)
  double lowest, highest;
  TriboAabb bounds;  // reaches below the lowest point by the largest size of the field, so that
                     // what has sunk in is found

  double* heights;  // (rows * columns) row-major (m)
  int* patches;     // (2 (rows - 1) (columns - 1)) smallest triangle of each flat region
  bool* is_inner;   // (rows * columns) all six triangles at the vertex are of one flat region

  TriboAllocator allocator;  // where the block came from; all NULL: the C library
  size_t memory_size;
};

// rows x columns heights, row-major, over |x| <= half_x, |y| <= half_y; copied.
// TRIBO_ERROR_ARGUMENT: fewer than 2 rows or columns, or too many; TRIBO_ERROR_NOT_FINITE;
// TRIBO_ERROR_MODEL: a size that is not positive or beyond 1e-9 to 1e9 m; TRIBO_ERROR_MEMORY.
// *field is NULL then.
TRIBO_CHECKED TriboStatus tribo_height_field_create(const double* heights, int rows, int columns,
                                                    double half_x, double half_y,
                                                    const TriboAllocator* allocator,
                                                    TriboHeightField** field,
                                                    TriboMessage* message);
// NULL is fine.
void tribo_height_field_destroy(TriboHeightField* field);

// A shape over the field, which must outlive it.
TriboShape tribo_shape_height_field(const TriboHeightField* field);

// Triangle t with everything around it.
void tribo_height_field_triangle(const TriboHeightField* field, int t, TriboTriangle* triangle);

// Its corners and normal only.
void tribo_height_field_corners(const TriboHeightField* field, int t, TriboVec3 corner[3],
                                TriboVec3* normal);

// Triangle k = 0 .. 5 of those at a vertex, -1 beyond the border.
int tribo_height_field_at_vertex(const TriboHeightField* field, int vertex, int k);

// The triangle above or below the point (x, y) of the field's frame; -1 outside the rectangle.
int tribo_height_field_column(const TriboHeightField* field, double x, double y);

// The cells that a box of the field's frame reaches: rows first_row .. last_row, columns likewise.
// False where there are none.
typedef struct TriboHeightFieldCells {
  int first_row, last_row, first_column, last_column;
} TriboHeightFieldCells;
bool tribo_height_field_cells(const TriboHeightField* field, TriboAabb box,
                              TriboHeightFieldCells* cells);

// Lowest and highest corner of a cell.
void tribo_height_field_cell_range(const TriboHeightField* field, int row, int column, double* low,
                                   double* high);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_COLLISION_HEIGHT_FIELD_H_
