// SPDX-License-Identifier: Apache-2.0
//
// The mass matrix by composite rigid bodies [Featherstone2008, sec. 6.2].
#include <string.h>

#include "engine/tree/tree.h"

// Adds B, about a point that lies d from A's, to A.
static inline void add_shifted(TriboInertia* A, const TriboInertia* B, TriboVec3 d) {
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

// Momentum of a composite when an axis moves it at unit speed.
static inline TriboSpatial slide_momentum(const TriboInertia* A, TriboVec3 axis) {
  return tribo_spatial(tribo_vec3_cross(A->h, axis), tribo_vec3_scale(A->m, axis));
}
static inline TriboSpatial turn_momentum(const TriboInertia* A, TriboVec3 axis) {
  return tribo_spatial(tribo_symmetric_mul(A->I, axis), tribo_vec3_cross(axis, A->h));
}

// Writes the entries of all dofs above body b, from `end` down; F is a momentum about b's origin.
static inline void write_above(const TriboModel* model, const TriboTree* tree, int b,
                               TriboSpatial F, double* end) {
  for (int parent; (parent = model->body[b].parent) >= 0; b = parent) {
    const TriboBody* above = &model->body[parent];
    const TriboVec3* axis = tree->axis + above->v;
    F.w = tribo_vec3_add(F.w, tribo_vec3_cross(tree->offset[b], F.v));
    if (above->type == TRIBO_JOINT_HINGE) {
      *--end = tribo_vec3_dot(*axis, F.w);
      continue;
    }
    if (above->type == TRIBO_JOINT_FREE) {
      end -= 6;
      for (int k = 0; k < 3; ++k) end[k] = tribo_vec3_dot(axis[k], F.v);
      for (int k = 3; k < 6; ++k) end[k] = tribo_vec3_dot(axis[k], F.w);
      continue;
    }
    int n = above->nv, slides = above->turns - above->v;
    end -= n;
    for (int k = 0; k < slides; ++k) end[k] = tribo_vec3_dot(axis[k], F.v);
    for (int k = slides; k < n; ++k) end[k] = tribo_vec3_dot(axis[k], F.w);
  }
}

// The rows of one body's dofs.
static void write_rows(const TriboModel* model, TriboTree* tree, int i) {
  const TriboBody* body = &model->body[i];
  const TriboInertia* A = &tree->composite[i];
  const TriboVec3* axis = tree->axis + body->v;
  int slides = body->turns - body->v;
  for (int k = 0; k < body->nv; ++k) {
    TriboSpatial F = k < slides ? slide_momentum(A, axis[k]) : turn_momentum(A, axis[k]);
    double* own = tree->M + model->dof_row[body->v + k + 1] - 1 - k;
    int straight = k < slides ? k + 1 : slides;
    for (int j = 0; j < straight; ++j) own[j] = tribo_vec3_dot(axis[j], F.v);
    for (int j = straight; j <= k; ++j) own[j] = tribo_vec3_dot(axis[j], F.w);
    own[k] += body->armature;
    write_above(model, tree, i, F, own);
  }
}

// Each dof carries all that hangs on it.
static inline void write_weight(const TriboBody* body, const TriboInertia* A, TriboVec3 gravity,
                                const TriboVec3* axis, double* weight) {
  TriboVec3 moment = tribo_vec3_cross(A->h, gravity);
  int k = body->v;
  for (; k < body->turns; ++k) weight[k] = A->m * tribo_vec3_dot(axis[k], gravity);
  for (; k < body->v + body->nv; ++k) weight[k] = tribo_vec3_dot(axis[k], moment);
}

void tribo_tree_mass(const TriboModel* model, TriboTree* tree) {
  if (tree->stage >= TRIBO_TREE_MASS) return;
  memcpy(tree->composite, tree->inertia, (size_t)model->nb * sizeof *tree->composite);
  for (int i = model->nb - 1; i >= 0; --i) {
    const TriboBody* body = &model->body[i];
    if (body->type == TRIBO_JOINT_HINGE) {
      TriboSpatial F = turn_momentum(&tree->composite[i], tree->axis[body->v]);
      double* own = tree->M + model->dof_row[body->v + 1] - 1;
      *own = tribo_vec3_dot(tree->axis[body->v], F.w) + body->armature;
      write_above(model, tree, i, F, own);
    } else {
      write_rows(model, tree, i);
    }
    write_weight(body, &tree->composite[i], model->gravity, tree->axis, tree->weight);
    if (body->parent >= 0)
      add_shifted(&tree->composite[body->parent], &tree->composite[i], tree->offset[i]);
  }
  tree->stage = TRIBO_TREE_MASS;
}
