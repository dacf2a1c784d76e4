// SPDX-License-Identifier: Apache-2.0
//
// The spin of loose bodies without an energy from nowhere.
//
// The gyroscopic torque w x I w does no work, but one explicit step along it does: from w to
//
//   w* = w - h I^-1 (w x I w),   w* . I w* = w . I w + h^2 |I^-1 (w x I w)|^2_I.
//
// Bodies that contacts hold go on from this velocity, and a cylinder that rolls about gained energy
// by it. So its length is set back: w* sqrt(w . I w / w* . I w*), of the same order. The centre of
// mass keeps its velocity. Trees that nothing holds coast (coast.c), from w* itself.
#include <math.h>

#include "engine/tree/tree.h"

bool tribo_tree_is_loose(const TriboModel* model, int t) {
  const TriboBody* root = &model->body[model->tree_body[t]];
  return model->tree_body[t + 1] == model->tree_body[t] + 1 && root->type == TRIBO_JOINT_FREE &&
         root->armature == 0 && root->damping == 0 && root->stiffness == 0;
}

static TriboVec3 spin_change(const TriboInertia* A, TriboVec3 w, double h, TriboVec3 c) {
  double I[6];
  for (int i = 0; i < 6; ++i) I[i] = A->I[i];
  tribo_symmetric_add_point(I, -A->m, c);
  const TriboVec3 L = tribo_symmetric_mul(I, w);
  const TriboVec3 d = tribo_symmetric_solve(I, tribo_vec3_scale(-h, tribo_vec3_cross(w, L)));
  const double before = tribo_vec3_dot(w, L), gain = tribo_vec3_dot(d, tribo_symmetric_mul(I, d));
  if (!(gain > 0)) return tribo_vec3_zero();
  return tribo_vec3_scale(1 / sqrt(1 + gain / before) - 1, tribo_vec3_add(w, d));
}

void tribo_tree_keep_spin(const TriboModel* model, const TriboTree* tree, double h, double* u,
                          double* spin) {
  for (int t = 0; t < model->ntree; ++t) {
    if (!tribo_tree_is_loose(model, t)) continue;
    const int dof = model->tree_dof[t], root = model->tree_body[t];
    const TriboInertia* A = &tree->inertia[root];
    const TriboVec3 c = tribo_vec3_scale(1 / A->m, A->h);
    const TriboVec3 turn = spin_change(A, tree->omega[root], h, c);
    const TriboVec3 move = tribo_vec3_cross(c, turn);
    for (int i = 0; i < 3; ++i) {
      spin[dof + i] = tribo_vec3_dot(tree->axis[dof + i], move);
      spin[dof + 3 + i] = tribo_vec3_dot(tree->axis[dof + 3 + i], turn);
    }
    for (int k = dof; k < dof + 6; ++k) u[k] += spin[k];
  }
}
