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
      work(6);                                                       \
    } else {                                                         \
      work(0);                                                       \
    }                                                                \
  }

// The dofs of a tree in their order and back; those of a floating base, whose rows are a triangle,
// have no head.
#define UPWARDS(head, work)                                 \
  for (int k = to - 1; k >= from + (head); --k) work(head); \
  for (int k = from + (head)-1; k >= from; --k) work(0)
#define DOWNWARDS(head, work)                         \
  for (int k = from; k < from + (head); ++k) work(0); \
  for (int k = from + (head); k < to; ++k) work(head)

// ---- the factor

// Takes dof k, whose row and pivot are final, out of the rows of its ancestors.
TRIBO_LANES void eliminate(const TriboModel* model, TriboTree* tree, int head, int k) {
  const int* start = model->dof_row;
  double* row = tree->L + start[k];
  const int* column = model->column + start[k];
  int above = model->dof_depth[k] - 1;
  double inverse = 1 / row[above], root = sqrt(row[above]);
  tree->D_inverse[k] = inverse;
  tree->D_sqrt[k] = root;
  tree->D_sqrt_inverse[k] = root * inverse;
  int t = above - 1;
  for (; t >= head; --t) {
    double a = row[t] * inverse;
    tribo_lanes_subtract(head, t + 1, a, row, tree->L + start[column[t]]);
    row[t] = a;
  }
  if (head == 6 && above >= 6) {
    // The base's own rows, a packed triangle.
    double* base = tree->L + start[column[0]];
    for (t = 5; t >= 0; --t) {
      double a = row[t] * inverse;
      tribo_lanes_subtract(0, t + 1, a, row, base + t * (t + 1) / 2);
      row[t] = a;
    }
  }
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
#define ELIMINATE(head) eliminate(model, tree, head, k)
#define FACTOR(head) UPWARDS(head, ELIMINATE)
  FOR_TREES(model, 0, model->nv, FACTOR)
#undef FACTOR
#undef ELIMINATE
  tree->stage = TRIBO_TREE_FACTOR;
}

// ---- solves

// The stretches of the path above dof k, from k upwards: dofs `first` to before `first` + `count`,
// their entries in row k from `at`.
#define FOR_STRETCHES_ABOVE(model, k)                                                           \
  for (int last = (model)->dof_parent[k], at = (model)->dof_depth[k] - 1, first, count;         \
       last >= 0 && (first = (model)->dof_run[last], count = last - first + 1, at -= count, 1); \
       last = (model)->dof_parent[first])

// The part of (L x)_k that lies above k on its path. With a head, the path begins with the six dofs
// at `base` and is short after them.
TRIBO_LANES double dot_above(const TriboModel* model, const TriboTree* tree, int head, int base,
                             int k, const double* x) {
  const double* row = tree->L + model->dof_row[k];
  if (head == 0) {
    double sum = 0;
    FOR_STRETCHES_ABOVE(model, k) sum += tribo_lanes_dot(0, count, row + at, x + first);
    return sum;
  }
  const int* column = model->column + model->dof_row[k];
  double sum = tribo_lanes_dot(6, 6, row, x + base);
  for (int t = 6; t < model->dof_depth[k] - 1; ++t) sum += row[t] * x[column[t]];
  return sum;
}

// x -= a times the part of row k above it.
TRIBO_LANES void subtract_above(const TriboModel* model, const TriboTree* tree, int head, int base,
                                int k, double a, double* x) {
  const double* row = tree->L + model->dof_row[k];
  if (head == 0) {
    FOR_STRETCHES_ABOVE(model, k) tribo_lanes_subtract(0, count, a, row + at, x + first);
    return;
  }
  const int* column = model->column + model->dof_row[k];
  for (int t = 6; t < model->dof_depth[k] - 1; ++t) x[column[t]] -= row[t] * a;
  tribo_lanes_subtract(6, 6, a, row, x + base);
}

void tribo_tree_solve_range(const TriboModel* model, const TriboTree* tree, int begin, int end,
                            double* x) {
#define FORTH(head) subtract_above(model, tree, head, from, k, x[k], x)
#define BACK(head) x[k] = x[k] * tree->D_inverse[k] - dot_above(model, tree, head, from, k, x)
#define SOLVE(head)     \
  UPWARDS(head, FORTH); \
  DOWNWARDS(head, BACK)
  FOR_TREES(model, begin, end, SOLVE)
#undef SOLVE
#undef BACK
#undef FORTH
}

void tribo_tree_solve(const TriboModel* model, const TriboTree* tree, double* x) {
  tribo_tree_solve_range(model, tree, 0, model->nv, x);
}

void tribo_tree_to_mass(const TriboModel* model, const TriboTree* tree, double* v) {
#define TO(head) v[k] = tree->D_sqrt[k] * (v[k] + dot_above(model, tree, head, from, k, v))
#define TO_MASS(head) UPWARDS(head, TO)
  FOR_TREES(model, 0, model->nv, TO_MASS)
#undef TO_MASS
#undef TO
}

void tribo_tree_from_mass(const TriboModel* model, const TriboTree* tree, double* y) {
#define FROM(head) y[k] = y[k] * tree->D_sqrt_inverse[k] - dot_above(model, tree, head, from, k, y)
#define FROM_MASS(head) DOWNWARDS(head, FROM)
  FOR_TREES(model, 0, model->nv, FROM_MASS)
#undef FROM_MASS
#undef FROM
}
