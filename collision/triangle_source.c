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

void tribo_source_corners(const TriboShape* terrain, int t, TriboVec3 corner[3],
                          TriboVec3* normal) {
  if (terrain->type == TRIBO_SHAPE_HEIGHT_FIELD) {
    tribo_height_field_corners(terrain->height_field, t, corner, normal);
    return;
  }
  const TriboMesh* mesh = terrain->mesh;
  for (int k = 0; k < 3; ++k) corner[k] = mesh->vertices[mesh->triangles[3 * t + k]];
  *normal = mesh->normals[t];
}

int tribo_source_degree(const TriboShape* terrain, int vertex) {
  if (terrain->type == TRIBO_SHAPE_HEIGHT_FIELD) return 6;
  return terrain->mesh->vertex_start[vertex + 1] - terrain->mesh->vertex_start[vertex];
}

int tribo_source_at_vertex(const TriboShape* terrain, int vertex, int k) {
  if (terrain->type == TRIBO_SHAPE_HEIGHT_FIELD) {
    return tribo_height_field_at_vertex(terrain->height_field, vertex, k);
  }
  return terrain->mesh->vertex_corners[terrain->mesh->vertex_start[vertex] + k] / 3;
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
