// SPDX-License-Identifier: Apache-2.0
//
// Sparse rows along paths to the root, and their half-solve G^-1 row^T.
#include <string.h>

#include "engine/tree/lanes.h"
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

// The entries of a branch's own dofs, from its end up to what it shares. `rows` and `pure` (no
// wrench has a moment about the point) are constants where it matters.
TRIBO_LANES void write_branch(const TriboModel* model, const TriboTree* tree,
                              const TriboTreePath* path, int branch, TriboVec3 point, int rows,
                              bool pure, const TriboSpatial* wrench, int stride, double* values) {
  double sign = path->sign[branch];
  double* end = values + path->depth[branch] + shift_of(path, branch);
  int left = path->depth[branch] - path->shared;
  for (int b = model->dof_body[path->end[branch]]; left > 0; b = model->body[b].parent) {
    const TriboBody* body = &model->body[b];
    TriboVec3 arm = tribo_vec3_scale(sign, tribo_vec3_sub(point, tree->X_WB[b].p));
    int k = body->v + body->nv - 1;
    left -= body->nv;
    for (; k >= body->turns; --k) {
      // Velocity at the point when the dof turns at unit speed.
      TriboVec3 velocity = tribo_vec3_cross(tree->axis[k], arm);
      --end;
      for (int r = 0; r < rows; ++r) end[r * stride] = tribo_vec3_dot(velocity, wrench[r].v);
      if (pure) continue;
      for (int r = 0; r < rows; ++r)
        end[r * stride] += sign * tribo_vec3_dot(tree->axis[k], wrench[r].w);
    }
    for (; k >= body->v; --k) {
      --end;
      for (int r = 0; r < rows; ++r)
        end[r * stride] = sign * tribo_vec3_dot(tree->axis[k], wrench[r].v);
    }
  }
}

static bool is_pure(int rows, const TriboSpatial* wrench) {
  bool pure = true;
  for (int r = 0; r < rows; ++r)
    pure = pure && wrench[r].w.x == 0 && wrench[r].w.y == 0 && wrench[r].w.z == 0;
  return pure;
}

void tribo_tree_path_rows(const TriboModel* model, const TriboTree* tree, const TriboTreePath* path,
                          TriboVec3 point, int rows, const TriboSpatial* wrench, int stride,
                          double* values) {
  // On what both branches share, the wrench and its opposite do no work together.
  for (int r = 0; r < rows && path->shared > 0; ++r)
    memset(values + r * stride, 0, (size_t)path->shared * sizeof *values);
  bool contact = rows == 3 && is_pure(3, wrench);
  for (int i = 0; i < 2; ++i) {
    if (path->end[i] < 0) continue;
    if (contact) {
      write_branch(model, tree, path, i, point, 3, true, wrench, stride, values);
    } else {
      write_branch(model, tree, path, i, point, rows, false, wrench, stride, values);
    }
  }
}

// Eliminates entries [from, to) of the path to dof `end`, stored `shift` further on from entry
// `shared` on: L^T z = row, then sqrt(D)^-1. `rows` and `head` are constants.
TRIBO_LANES void eliminate(const TriboModel* model, const TriboTree* tree, int end, int from,
                           int to, int shared, int shift, int head, int rows, int stride,
                           double* values) {
  const int* column = model->column + model->dof_row[end];
  for (int t = to - 1; t >= from; --t) {
    int k = column[t];
    const double* row = tree->L + model->dof_row[k];
    double scale = tree->D_sqrt_inverse[k];
    for (int r = 0; r < rows; ++r) {
      double *x = values + r * stride, a = x[t + shift];
      if (shift == 0) {
        tribo_lanes_subtract(head, t, a, row, x);
      } else {
        int common = t < shared ? t : shared;
        tribo_lanes_subtract(0, common, a, row, x);
        tribo_lanes_subtract(0, t - common, a, row + common, x + common + shift);
      }
      x[t + shift] = a * scale;
    }
  }
}

// The same for the six dofs of a floating base, whose rows are a packed triangle.
TRIBO_LANES void eliminate_base(const TriboModel* model, const TriboTree* tree, int base, int rows,
                                int stride, double* values) {
  const double* L = tree->L + model->dof_row[base];
  const double* scale = tree->D_sqrt_inverse + base;
  for (int r = 0; r < rows; ++r) {
    double* x = values + r * stride;
    for (int t = 5; t >= 0; --t) {
      double a = x[t];
      tribo_lanes_subtract(0, t, a, L + t * (t + 1) / 2, x);
      x[t] = a * scale[t];
    }
  }
}

// A path of one branch: what most contacts have. The base's dofs come last, in triangles.
TRIBO_LANES void solve_branch(const TriboModel* model, const TriboTree* tree, int end, int depth,
                              int rows, int stride, double* values) {
  int base = model->column[model->dof_row[end]];
  bool floats = model->body[model->dof_body[base]].nv == 6 && depth > 6;
  if (floats) {
    eliminate(model, tree, end, 6, depth, 0, 0, 6, rows, stride, values);
    eliminate_base(model, tree, base, rows, stride, values);
  } else {
    eliminate(model, tree, end, 0, depth, 0, 0, 0, rows, stride, values);
  }
}

void tribo_tree_half_solve(const TriboModel* model, const TriboTree* tree,
                           const TriboTreePath* path, int rows, int stride, double* values) {
  int shared = path->shared, last = path->end[1], depth = path->depth[1];
  if (last < 0) return;
  if (path->end[0] < 0) {
    for (; rows >= 3; rows -= 3, values += 3 * stride)
      solve_branch(model, tree, last, depth, 3, stride, values);
    for (; rows > 0; --rows, values += stride)
      solve_branch(model, tree, last, depth, 1, stride, values);
    return;
  }
  for (int r = 0; r < rows; ++r, values += stride) {
    eliminate(model, tree, last, shared, depth, shared, shift_of(path, 1), 0, 1, 0, values);
    eliminate(model, tree, path->end[0], 0, path->depth[0], 0, 0, 0, 1, 0, values);
  }
}
