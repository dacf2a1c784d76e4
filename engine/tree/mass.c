// SPDX-License-Identifier: Apache-2.0
//
// The mass matrix by composite rigid bodies [Featherstone2008, sec. 6.2] and its factor M = L^T D
// L, which has no fill because rows go along paths to the root [Featherstone2008, sec. 6.5]: the
// path of an ancestor is a prefix of its descendants', so every update is on contiguous numbers.
#include <string.h>

#include "engine/tree/tree.h"

// Adds B, about a point that lies d from A's, to A.
static void add_shifted(TriboInertia* A, const TriboInertia* B, TriboVec3 d) {
  // With the first moment h about B's point, sum m (d + x)(d + x)^T = ... + d g^T + g d^T where
  // g = h + m d / 2.
  TriboVec3 g = tribo_vec3_madd(B->h, 0.5 * B->m, d);
  double xx = d.x * g.x, yy = d.y * g.y, zz = d.z * g.z;
  A->m += B->m;
  A->h = tribo_vec3_add(A->h, tribo_vec3_madd(B->h, B->m, d));
  A->I[0] += B->I[0] + 2 * (yy + zz);
  A->I[1] += B->I[1] + 2 * (xx + zz);
  A->I[2] += B->I[2] + 2 * (xx + yy);
  A->I[3] += B->I[3] - (d.x * g.y + g.x * d.y);
  A->I[4] += B->I[4] - (d.x * g.z + g.x * d.z);
  A->I[5] += B->I[5] - (d.y * g.z + g.y * d.z);
}

// Momentum of the composite when dof k moves at unit speed.
static TriboSpatial unit_momentum(const TriboInertia* A, TriboVec3 axis, bool translates) {
  return translates ? tribo_spatial(tribo_vec3_cross(A->h, axis), tribo_vec3_scale(A->m, axis))
                    : tribo_spatial(tribo_symmetric_mul(A->I, axis), tribo_vec3_cross(axis, A->h));
}

// Entries of one body's dofs from `first` to before `end` with a momentum about its origin.
static double* write_entries(const TriboTree* tree, const TriboBody* body, int end, TriboSpatial F,
                             double* out) {
  int k = body->v, turns = body->turns;
  for (; k < turns && k < end; ++k) *out++ = tribo_vec3_dot(tree->axis[k], F.v);
  for (; k < end; ++k) *out++ = tribo_vec3_dot(tree->axis[k], F.w);
  return out;
}

void tribo_tree_mass(const TriboModel* model, TriboTree* tree) {
  memcpy(tree->composite, tree->inertia, (size_t)model->nb * sizeof *tree->composite);
  for (int i = model->nb - 1; i >= 0; --i) {
    const TriboBody* body = &model->body[i];
    int turns = body->turns;
    for (int k = body->v; k < body->v + body->nv; ++k) {
      TriboSpatial F = unit_momentum(&tree->composite[i], tree->axis[k], k < turns);
      // Own dofs up to k, then every ancestor's, from here to the front of the row.
      double* row = tree->M + model->dof_row[k];
      int at = model->dof_depth[k] - 1 - (k - body->v);
      write_entries(tree, body, k + 1, F, row + at);
      row[at + k - body->v] += body->armature;
      for (int b = i; model->body[b].parent >= 0;) {
        F.w = tribo_vec3_add(F.w, tribo_vec3_cross(tree->offset[b], F.v));
        b = model->body[b].parent;
        const TriboBody* above = &model->body[b];
        at -= above->nv;
        write_entries(tree, above, above->v + above->nv, F, row + at);
      }
    }
    if (body->parent >= 0)
      add_shifted(&tree->composite[body->parent], &tree->composite[i], tree->offset[i]);
  }
}

// y -= a x
static inline void subtract(int n, double a, const double* restrict x, double* restrict y) {
  for (int i = 0; i < n; ++i) y[i] -= a * x[i];
}

void tribo_tree_factor(const TriboModel* model, TriboTree* tree, const double* diagonal) {
  const int* start = model->dof_row;
  memcpy(tree->L, tree->M, (size_t)start[model->nv] * sizeof *tree->L);
  if (diagonal) {
    for (int k = 0; k < model->nv; ++k) tree->L[start[k + 1] - 1] += diagonal[k];
  }
  for (int k = model->nv - 1; k >= 0; --k) {
    double* row = tree->L + start[k];
    const int* column = model->column + start[k];
    int above = model->dof_depth[k] - 1;
    double inverse = 1 / row[above], root = sqrt(row[above]);
    tree->D_inverse[k] = inverse;
    tree->D_sqrt[k] = root;
    tree->D_sqrt_inverse[k] = root * inverse;
    for (int t = above - 1; t >= 0; --t) {
      double a = row[t] * inverse;
      subtract(t + 1, a, row, tree->L + start[column[t]]);
      row[t] = a;
    }
  }
}

// x <- L^-T x
static void solve_transposed(const TriboModel* model, const TriboTree* tree, double* x) {
  for (int k = model->nv - 1; k >= 0; --k) {
    const double* row = tree->L + model->dof_row[k];
    const int* column = model->column + model->dof_row[k];
    int above = model->dof_depth[k] - 1;
    double a = x[k];
    for (int t = 0; t < above; ++t) x[column[t]] -= row[t] * a;
  }
}

// The part of (L x)_k that lies above k on its path.
static inline double dot_above(const TriboModel* model, const TriboTree* tree, int k,
                               const double* x) {
  const double* row = tree->L + model->dof_row[k];
  const int* column = model->column + model->dof_row[k];
  int above = model->dof_depth[k] - 1;
  double sum = 0;
  for (int t = 0; t < above; ++t) sum += row[t] * x[column[t]];
  return sum;
}

void tribo_tree_solve(const TriboModel* model, const TriboTree* tree, double* x) {
  solve_transposed(model, tree, x);
  for (int k = 0; k < model->nv; ++k)
    x[k] = x[k] * tree->D_inverse[k] - dot_above(model, tree, k, x);
}

void tribo_tree_to_mass(const TriboModel* model, const TriboTree* tree, double* v) {
  for (int k = model->nv - 1; k >= 0; --k)
    v[k] = tree->D_sqrt[k] * (v[k] + dot_above(model, tree, k, v));
}

void tribo_tree_from_mass(const TriboModel* model, const TriboTree* tree, double* y) {
  for (int k = 0; k < model->nv; ++k)
    y[k] = y[k] * tree->D_sqrt_inverse[k] - dot_above(model, tree, k, y);
}

void tribo_tree_multiply(const TriboModel* model, const TriboTree* tree, const double* v,
                         double* out) {
  for (int k = 0; k < model->nv; ++k) {
    const double* row = tree->M + model->dof_row[k];
    const int* column = model->column + model->dof_row[k];
    int above = model->dof_depth[k] - 1;
    double sum = row[above] * v[k];
    for (int t = 0; t < above; ++t) {
      sum += row[t] * v[column[t]];
      out[column[t]] += row[t] * v[k];
    }
    out[k] = sum;
  }
}
