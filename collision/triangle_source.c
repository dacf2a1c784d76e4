// SPDX-License-Identifier: Apache-2.0
#include "collision/triangle_source.h"

#include "collision/mesh.h"

void tribo_source_triangle(const TriboShape* terrain, int t, TriboTriangle* triangle) {
  if (terrain->type == TRIBO_SHAPE_MESH) {
    tribo_mesh_triangle(terrain->mesh, t, triangle);
  } else {
    tribo_height_field_triangle(terrain->height_field, t, triangle);
  }
}

bool tribo_source_is_inner(const TriboShape* terrain, int vertex) {
  return terrain->type == TRIBO_SHAPE_MESH ? terrain->mesh->is_inner[vertex]
                                           : terrain->height_field->is_inner[vertex];
}

void tribo_triangle_walk_init(TriboTriangleWalk* walk, const TriboShape* terrain, TriboAabb box) {
  walk->terrain = terrain;
  walk->box = box;
  walk->top = walk->next = walk->end = 0;
  walk->upper = 0;
  walk->is_done = false;
  if (terrain->type == TRIBO_SHAPE_MESH) {
    walk->stack[walk->top++] = 0;
    return;
  }
  walk->is_done = !tribo_height_field_cells(terrain->height_field, box, &walk->cells);
  walk->row = walk->is_done ? 0 : walk->cells.first_row;
  walk->column = walk->is_done ? 0 : walk->cells.first_column;
}

static int next_of_mesh(TriboTriangleWalk* walk) {
  const TriboBoxTree* tree = &walk->terrain->mesh->tree;
  for (;;) {
    while (walk->next < walk->end) {
      const int k = walk->next++;
      if (tribo_aabb_overlaps(tree->boxes[k], walk->box)) return tree->order[k];
    }
    if (walk->top == 0) return -1;
    const int index = walk->stack[--walk->top];
    const TriboBoxTreeNode* node = &tree->nodes[index];
    if (!tribo_aabb_overlaps(node->box, walk->box)) continue;
    if (node->right >= 0) {
      walk->stack[walk->top++] = node->right;
      walk->stack[walk->top++] = index + 1;
    } else {
      walk->next = node->first;
      walk->end = node->first + node->count;
    }
  }
}

static void next_cell(TriboTriangleWalk* walk) {
  walk->upper = 0;
  if (++walk->column <= walk->cells.last_column) return;
  walk->column = walk->cells.first_column;
  walk->is_done = ++walk->row > walk->cells.last_row;
}

static int next_of_field(TriboTriangleWalk* walk) {
  const TriboHeightField* field = walk->terrain->height_field;
  while (!walk->is_done) {
    const int row = walk->row, column = walk->column, upper = walk->upper;
    if (upper == 0) {
      double low, high;
      tribo_height_field_cell_range(field, row, column, &low, &high);
      if (low > walk->box.max.z || high < walk->box.min.z) {
        next_cell(walk);
        continue;
      }
      walk->upper = 1;
    } else {
      next_cell(walk);
    }
    return 2 * (row * (field->columns - 1) + column) + upper;
  }
  return -1;
}

int tribo_triangle_walk_next(TriboTriangleWalk* walk) {
  return walk->terrain->type == TRIBO_SHAPE_MESH ? next_of_mesh(walk) : next_of_field(walk);
}

int tribo_source_turn(const TriboShape* terrain, int t, int vertex, bool back,
                      TriboTriangle* triangle) {
  TriboTriangle here;
  tribo_source_triangle(terrain, t, &here);
  const int corner = here.vertex[0] == vertex ? 0 : here.vertex[1] == vertex ? 1 : 2;
  // Counterclockwise about the vertex one leaves over the side that ends there.
  const int next = here.neighbor[back ? corner : (corner + 2) % 3];
  if (next >= 0) tribo_source_triangle(terrain, next, triangle);
  return next;
}
