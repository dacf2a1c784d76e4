// SPDX-License-Identifier: Apache-2.0
//
// Sparse rows along paths to the root, and their half-solve G^-1 row^T.
#include <string.h>

#include "engine/tree/tree.h"

TriboTreePath tribo_tree_path(const TriboModel* model, int minus, int plus) {
  // Ascending indices: the branch with the smaller end goes first. With depth-first numbers every
  // dof of its tail is then below every dof of the other's, but where it is the other's ancestor
  // and its tail is empty.
  bool swap = plus < minus;
  TriboTreePath path = {{minus, plus}, {0, 0}, {-1, 1}, 0, 0};
  if (swap) {
    path.end[0] = plus, path.end[1] = minus;
    path.sign[0] = 1, path.sign[1] = -1;
  }
  for (int i = 0; i < 2; ++i) {
    if (path.end[i] >= 0) path.depth[i] = model->dof_depth[path.end[i]];
  }
  if (path.end[0] >= 0) {
    const int* a = model->column + model->dof_row[path.end[0]];
    const int* b = model->column + model->dof_row[path.end[1]];
    int most = path.depth[0] < path.depth[1] ? path.depth[0] : path.depth[1];
    while (path.shared < most && a[path.shared] == b[path.shared]) ++path.shared;
  }
  path.count = path.depth[0] + path.depth[1] - path.shared;
  return path;
}

// Where entry t of a branch is stored, for t >= shared, less t.
static int shift_of(const TriboTreePath* path, int branch) {
  return branch == 0 ? 0 : path->depth[0] - path->shared;
}

void tribo_tree_path_index(const TriboModel* model, const TriboTreePath* path, int* index) {
  for (int i = 0; i < 2; ++i) {
    if (path->end[i] < 0) continue;
    const int* column = model->column + model->dof_row[path->end[i]];
    int shift = shift_of(path, i);
    for (int t = i == 0 ? 0 : path->shared; t < path->depth[i]; ++t) index[t + shift] = column[t];
  }
}

int tribo_tree_path_find(const TriboModel* model, const TriboTreePath* path, int k) {
  int t = model->dof_depth[k] - 1;
  for (int i = 0; i < 2; ++i) {
    if (path->end[i] >= 0 && t < path->depth[i] &&
        model->column[model->dof_row[path->end[i]] + t] == k) {
      return t < path->shared ? t : t + shift_of(path, i);
    }
  }
  return -1;
}

// Power of a wrench (moment about `point`, force) on a body's dofs, to `values` in their order.
static void body_entries(const TriboTree* tree, const TriboBody* body, TriboVec3 arm, double sign,
                         TriboSpatial wrench, double* values) {
  int k = body->v, turns = body->turns, end = k + body->nv;
  for (; k < turns; ++k) *values++ = sign * tribo_vec3_dot(tree->axis[k], wrench.v);
  if (k == end) return;
  TriboVec3 moment = tribo_vec3_add(wrench.w, tribo_vec3_cross(arm, wrench.v));
  for (; k < end; ++k) *values++ = sign * tribo_vec3_dot(tree->axis[k], moment);
}

void tribo_tree_path_rows(const TriboModel* model, const TriboTree* tree, const TriboTreePath* path,
                          TriboVec3 point, int rows, const TriboSpatial* wrench, int stride,
                          double* values) {
  // On what both branches share, the wrench and its opposite do no work together.
  for (int r = 0; r < rows; ++r)
    memset(values + r * stride, 0, (size_t)path->shared * sizeof *values);
  for (int i = 0; i < 2; ++i) {
    if (path->end[i] < 0) continue;
    int at = path->depth[i], shift = shift_of(path, i);
    for (int b = model->dof_body[path->end[i]]; at > path->shared; b = model->body[b].parent) {
      const TriboBody* body = &model->body[b];
      at -= body->nv;
      TriboVec3 arm = tribo_vec3_sub(point, tree->X_WB[b].p);
      for (int r = 0; r < rows; ++r) {
        body_entries(tree, body, arm, path->sign[i], wrench[r], values + r * stride + shift + at);
      }
    }
  }
}

// y -= a x
static inline void subtract(int n, double a, const double* restrict x, double* restrict y) {
  for (int i = 0; i < n; ++i) y[i] -= a * x[i];
}

// Eliminates the dofs of one branch from `to` down to `from`: L^T z = row, then sqrt(D)^-1.
static void eliminate(const TriboModel* model, const TriboTree* tree, int end, int from, int to,
                      int shared, int shift, double* values) {
  const int* column = model->column + model->dof_row[end];
  for (int t = to - 1; t >= from; --t) {
    int k = column[t];
    const double* row = tree->L + model->dof_row[k];
    double a = values[t + shift];
    int head = t < shared ? t : shared;
    subtract(head, a, row, values);
    subtract(t - head, a, row + head, values + head + shift);
    values[t + shift] = a * tree->D_sqrt_inverse[k];
  }
}

void tribo_tree_half_solve(const TriboModel* model, const TriboTree* tree,
                           const TriboTreePath* path, int rows, int stride, double* values) {
  for (int r = 0; r < rows; ++r, values += stride) {
    int shared = path->shared;
    for (int i = 1; i >= 0; --i) {
      if (path->end[i] < 0) continue;
      eliminate(model, tree, path->end[i], shared, path->depth[i], shared, shift_of(path, i),
                values);
    }
    if (shared > 0) eliminate(model, tree, path->end[0], 0, shared, shared, 0, values);
  }
}
