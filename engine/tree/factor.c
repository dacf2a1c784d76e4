// SPDX-License-Identifier: Apache-2.0
//
// M = L^T D L, which has no fill because rows go along paths to the root [Featherstone2008,
// sec. 6.5], and its solves. The path of an ancestor is a prefix of its descendants', and most of a
// path is stretches of consecutive dofs (model->dof_run), so that the inner loops run over
// contiguous numbers, two at a time (lanes.h).
#include <string.h>

#include "engine/tree/lanes.h"
#include "engine/tree/tree.h"

// Runs `work` over the dofs [from, to) of each tree among [first, end), with the head of its rows
// as a constant.
#define FOR_TREES(model, first, end, work)                           \
  for (int from = (first), to; from < (end); from = to) {            \
    const TriboBody* root = &(model)->body[(model)->dof_body[from]]; \
    to = (model)->tree_dof[root->tree + 1];                          \
    if (root->nv == 6) {                                             \
      enum { head = 6 };                                             \
      work;                                                          \
    } else {                                                         \
      enum { head = 0 };                                             \
      work;                                                          \
    }                                                                \
  }
// The dofs of a floating base, whose rows are a triangle: t is a constant.
#define FOR_HEAD_UP(t, head) _Pragma("GCC unroll 6") for (int t = 0; t < (head); ++t)
#define FOR_HEAD_DOWN(t, head) _Pragma("GCC unroll 6") for (int t = (head)-1; t >= 0; --t)

// ---- the factor

// Takes dof k, whose row and pivot are final, out of the rows of its ancestors. `head` and `own`,
// which is k's place in the base or -1, are constants.
TRIBO_LANES void eliminate(const TriboModel* model, TriboTree* tree, int head, int own, int k) {
  const int* start = model->dof_row;
  double* row = tree->L + start[k];
  const int* column = model->column + start[k];
  int above = own >= 0 ? own : model->dof_depth[k] - 1;
  double inverse = 1 / row[above], root = sqrt(row[above]);
  tree->D_inverse[k] = inverse;
  tree->D_sqrt[k] = root;
  tree->D_sqrt_inverse[k] = root * inverse;
  if (own < 0) {
    for (int t = above - 1; t >= head; --t) {
      double a = row[t] * inverse;
      tribo_lanes_subtract(head, t + 1, a, row, tree->L + start[column[t]]);
      row[t] = a;
    }
    above = head;
  }
  // The base's rows, a packed triangle.
  double* base = above > 0 ? tree->L + start[column[0]] : row;
  for (int t = above - 1; t >= 0; --t) {
    double a = row[t] * inverse;
    tribo_lanes_subtract(0, t + 1, a, row, base + t * (t + 1) / 2);
    row[t] = a;
  }
}

TRIBO_LANES void eliminate_tree(const TriboModel* model, TriboTree* tree, int head, int from,
                                int to) {
  for (int k = to - 1; k >= from + head; --k) eliminate(model, tree, head, -1, k);
  FOR_HEAD_DOWN(t, head) eliminate(model, tree, head, t, from + t);
}

void tribo_tree_factor(const TriboModel* model, TriboTree* tree, const double* diagonal) {
  const int* start = model->dof_row;
  size_t size = (size_t)model->nv * sizeof *diagonal;
  if (!diagonal) {
    memset(tree->scratch, 0, size);
    diagonal = tree->scratch;
  }
  if (tree->stage >= TRIBO_TREE_FACTOR && memcmp(tree->added, diagonal, size) == 0) return;
  memcpy(tree->added, diagonal, size);
  memcpy(tree->L, tree->M, (size_t)start[model->nv] * sizeof *tree->L);
  for (int k = 0; k < model->nv; ++k) tree->L[start[k + 1] - 1] += diagonal[k];
  FOR_TREES(model, 0, model->nv, eliminate_tree(model, tree, head, from, to))
  tree->stage = TRIBO_TREE_FACTOR;
}

// ---- solves

// The stretches of the path above dof k, from k upwards: dofs `first` to before `first` + `count`,
// their entries in row k from `at`.
#define FOR_STRETCHES_ABOVE(model, k)                                                           \
  for (int last = (model)->dof_parent[k], at = (model)->dof_depth[k] - 1, first, count;         \
       last >= 0 && (first = (model)->dof_run[last], count = last - first + 1, at -= count, 1); \
       last = (model)->dof_parent[first])

// The part of (rows x)_k that lies above k on its path. With a head, the path begins with the
// base's six dofs, whose x is in `base`, and is short after them.
TRIBO_LANES double dot_above(const TriboModel* model, const double* rows, int head,
                             TriboLanesHead base, int k, const double* x) {
  const double* row = rows + model->dof_row[k];
  double sum = 0;
  if (head == 0) {
    FOR_STRETCHES_ABOVE(model, k) sum += tribo_lanes_dot(0, count, row + at, x + first);
    return sum;
  }
  const int* column = model->column + model->dof_row[k];
  sum = tribo_lanes_head_dot(row, base);
  for (int t = 6; t < model->dof_depth[k] - 1; ++t) sum += row[t] * x[column[t]];
  return sum;
}

// x -= a times the part of row k above it; of the base's x only what is in `base` changes.
TRIBO_LANES void subtract_above(const TriboModel* model, const double* rows, int head,
                                TriboLanesHead* base, int k, double a, double* x) {
  const double* row = rows + model->dof_row[k];
  if (head == 0) {
    FOR_STRETCHES_ABOVE(model, k) tribo_lanes_subtract(0, count, a, row + at, x + first);
    return;
  }
  const int* column = model->column + model->dof_row[k];
  for (int t = 6; t < model->dof_depth[k] - 1; ++t) x[column[t]] -= row[t] * a;
  tribo_lanes_head_subtract(a, row, base);
}

// The base's own rows.
static inline const double* triangle(const TriboModel* model, const double* rows, int from, int t) {
  return rows + model->dof_row[from] + t * (t + 1) / 2;
}

static inline TriboLanesHead load_head(int head, const double* x) {
  const TriboLanesHead zero = {{{0}}};
  return head == 6 ? tribo_lanes_head_load(x) : zero;
}

// L^T y = x
TRIBO_LANES void solve_upwards(const TriboModel* model, const TriboTree* tree, int head, int from,
                               int to, double* x) {
  TriboLanesHead base = load_head(head, x + from);
  for (int k = to - 1; k >= from + head; --k)
    subtract_above(model, tree->L, head, &base, k, x[k], x);
  if (head == 6) tribo_lanes_head_store(x + from, base);
  x += from;
  FOR_HEAD_DOWN(t, head) tribo_lanes_subtract(0, t, x[t], triangle(model, tree->L, from, t), x);
}

// L y = diag(scale) x
TRIBO_LANES void solve_downwards(const TriboModel* model, const TriboTree* tree, int head, int from,
                                 int to, const double* scale, double* x) {
  double* own = x + from;
  FOR_HEAD_UP(t, head)
  own[t] = own[t] * scale[from + t] - tribo_lanes_dot(0, t, triangle(model, tree->L, from, t), own);
  TriboLanesHead base = load_head(head, own);
  for (int k = from + head; k < to; ++k)
    x[k] = x[k] * scale[k] - dot_above(model, tree->L, head, base, k, x);
}

// y = diag(scale) L x
TRIBO_LANES void multiply_factor(const TriboModel* model, const TriboTree* tree, int head, int from,
                                 int to, const double* scale, double* x) {
  TriboLanesHead base = load_head(head, x + from);
  for (int k = to - 1; k >= from + head; --k)
    x[k] = scale[k] * (x[k] + dot_above(model, tree->L, head, base, k, x));
  double* own = x + from;
  FOR_HEAD_DOWN(t, head)
  own[t] =
      scale[from + t] * (own[t] + tribo_lanes_dot(0, t, triangle(model, tree->L, from, t), own));
}

// y = M x
TRIBO_LANES void multiply_mass(const TriboModel* model, const TriboTree* tree, int head, int from,
                               int to, const double* x, double* y) {
  FOR_HEAD_UP(t, head) {
    const double* row = triangle(model, tree->M, from, t);
    y[from + t] = row[t] * x[from + t] + tribo_lanes_dot(0, t, row, x + from);
    tribo_lanes_subtract(0, t, -x[from + t], row, y + from);
  }
  TriboLanesHead base = load_head(head, x + from), sum = load_head(head, y + from);
  for (int k = from + head; k < to; ++k) {
    const double* row = tree->M + model->dof_row[k];
    const int* column = model->column + model->dof_row[k];
    int above = model->dof_depth[k] - 1;
    double own = row[above] * x[k];
    if (head == 6) {
      own += tribo_lanes_head_dot(row, base);
      tribo_lanes_head_subtract(-x[k], row, &sum);
    }
    for (int t = head; t < above; ++t) {
      own += row[t] * x[column[t]];
      y[column[t]] += row[t] * x[k];
    }
    y[k] = own;
  }
  if (head == 6) tribo_lanes_head_store(y + from, sum);
}

void tribo_tree_solve_range(const TriboModel* model, const TriboTree* tree, int begin, int end,
                            double* x) {
  FOR_TREES(model, begin, end, {
    solve_upwards(model, tree, head, from, to, x);
    solve_downwards(model, tree, head, from, to, tree->D_inverse, x);
  })
}

void tribo_tree_solve(const TriboModel* model, const TriboTree* tree, double* x) {
  tribo_tree_solve_range(model, tree, 0, model->nv, x);
}

void tribo_tree_to_mass(const TriboModel* model, const TriboTree* tree, double* v) {
  FOR_TREES(model, 0, model->nv, multiply_factor(model, tree, head, from, to, tree->D_sqrt, v))
}

void tribo_tree_from_mass(const TriboModel* model, const TriboTree* tree, double* y) {
  FOR_TREES(model, 0, model->nv,
            solve_downwards(model, tree, head, from, to, tree->D_sqrt_inverse, y))
}

void tribo_tree_multiply(const TriboModel* model, const TriboTree* tree, int begin, int end,
                         const double* v, double* out) {
  FOR_TREES(model, begin, end, multiply_mass(model, tree, head, from, to, v, out))
}
