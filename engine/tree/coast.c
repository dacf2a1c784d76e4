// SPDX-License-Identifier: Apache-2.0
//
// Trees that nothing holds, to second order and with their momentum kept.
//
// Semi-implicit Euler takes weight w and the velocity products b (Coriolis, centrifugal,
// gyroscopic) at the start of the step, and the position at its end's velocity. In generalized
// coordinates that is of order one and not symplectic: a tumbling robot gains or loses percents of
// its energy and momentum in seconds. A tree that no row holds in this step goes on from Euler's
// v* instead, with N = M + implicit and the other forces e (efforts, actuators, springs, damping,
// wrenches), held as they are:
//
//   v*  = v + h N(q)^-1 (e + w(q) - b(q, v))
//   q+  = q (+) h (v + v*) / 2
//   v+  = (v + v*) / 2 + h/2 N(q+)^-1 (e + w(q+) - b(q+, v*))
//
// the trapezoid: free fall is the parabola, and where nothing moves nothing changes. Then the base
// of a floating tree is moved as a whole so that linear momentum, and angular momentum about the
// centre of mass, are those before the step plus what acted from outside:
//
//   p = A(q) v* + h b_base(q, v)            A(q): the base's rows of M, the tree's momentum
//
// The whole moves rigidly in that correction, so that joint velocities, and with them limits, dry
// friction and self-contacts, do not notice it: trees with such rows only get the correction, too.
// What q+ costs here (kinematics, M, its factor) the next step finds done.
#include "engine/tree/lanes.h"
#include "engine/tree/tree.h"

// Whether a tree hangs on nothing: its first body moves freely in the world. A rotor on that joint
// would have momentum that is not the tree's.
static bool floats(const TriboModel* model, int t) {
  const TriboBody* root = &model->body[model->tree_body[t]];
  return root->type == TRIBO_JOINT_FREE && root->armature == 0;
}

static bool keeps_momentum(const TriboModel* model, const TriboTreeHold* hold, int t) {
  return hold[t] != TRIBO_TREE_HELD && floats(model, t);
}

// Momentum of a floating tree about its first body's origin, from the first six columns of M.
static TriboSpatial momentum_of(const TriboModel* model, const TriboTree* tree, int t,
                                const double* v) {
  int base = model->tree_dof[t];
  double p[6] = {0};
  for (int i = 0; i < 6; ++i) {
    const double* row = tree->M + model->dof_row[base + i];
    for (int j = 0; j < i; ++j) {
      p[i] += row[j] * v[base + j];
      p[j] += row[j] * v[base + i];
    }
    p[i] += row[i] * v[base + i];
  }
  for (int k = base + 6; k < model->tree_dof[t + 1]; ++k)
    tribo_lanes_subtract(6, 6, -v[k], tree->M + model->dof_row[k], p);
  const TriboVec3* axis = tree->axis + base;
  TriboSpatial P = tribo_spatial_zero();
  for (int i = 0; i < 3; ++i) {
    P.v = tribo_vec3_madd(P.v, p[i], axis[i]);
    P.w = tribo_vec3_madd(P.w, p[3 + i], axis[3 + i]);
  }
  return P;
}

// From the first body's origin to the tree's centre of mass.
static TriboVec3 center_of(const TriboInertia* A) { return tribo_vec3_scale(1 / A->m, A->h); }

static TriboSpatial about_center(TriboSpatial P, TriboVec3 c) {
  return tribo_spatial(tribo_vec3_sub(P.w, tribo_vec3_cross(c, P.v)), P.v);
}

// x = A^-1 b for the symmetric positive definite A = xx yy zz xy xz yz.
static TriboVec3 solve_symmetric(const double A[6], TriboVec3 b) {
  double l10 = A[3] / A[0], l20 = A[4] / A[0];
  double d1 = A[1] - l10 * A[3], s = A[5] - l20 * A[3];
  double l21 = s / d1, d2 = A[2] - l20 * A[4] - l21 * s;
  double y1 = b.y - l10 * b.x, z = (b.z - l20 * b.x - l21 * y1) / d2;
  double y = y1 / d1 - l21 * z;
  return tribo_vec3(b.x / A[0] - l10 * y - l20 * z, y, z);
}

// Moves the tree's base, and all that hangs on it, so that its momentum about its centre is P.
static void give_momentum(const TriboModel* model, const TriboTree* tree, int t, TriboSpatial P,
                          double* v) {
  const TriboInertia* A = &tree->composite[model->tree_body[t]];
  TriboVec3 c = center_of(A);
  TriboSpatial lack = tribo_spatial_sub(P, about_center(momentum_of(model, tree, t, v), c));
  double I[6];
  for (int i = 0; i < 6; ++i) I[i] = A->I[i];
  tribo_symmetric_add_point(I, -A->m, c);
  TriboVec3 turn = solve_symmetric(I, lack.w);
  TriboVec3 move = tribo_vec3_madd(tribo_vec3_cross(c, turn), 1 / A->m, lack.v);
  const TriboVec3* axis = tree->axis + model->tree_dof[t];
  v += model->tree_dof[t];
  for (int i = 0; i < 3; ++i) {
    v[i] += tribo_vec3_dot(axis[i], move);
    v[3 + i] += tribo_vec3_dot(axis[3 + i], turn);
  }
}

bool tribo_tree_coast(const TriboModel* model, TriboTree* tree, const TriboTreeHold* hold, double h,
                      const double* v0, const double* v1, double* displacement) {
  bool any = false;
  for (int t = 0; t < model->ntree; ++t) {
    int root = model->tree_body[t];
    if (keeps_momentum(model, hold, t)) {
      // F of the root: the bias of the whole tree, as a force and a moment about its origin.
      TriboSpatial P = tribo_spatial_madd(momentum_of(model, tree, t, v1), h, tree->F[root]);
      tree->momentum[t] = about_center(P, center_of(&tree->composite[root]));
      any = true;
    }
    if (hold[t] != TRIBO_TREE_FREE) continue;
    for (int k = model->tree_dof[t]; k < model->tree_dof[t + 1]; ++k) {
      displacement[k] = 0.5 * h * (v0[k] + v1[k]);
      tree->middle[k] = 0.5 * (v0[k] + v1[k]);
      tree->force[k] -= tree->weight[k];
    }
    any = true;
  }
  return any;
}

// v becomes (v0 + v1) / 2 + h/2 (M + implicit)^-1 (force + weight - bias) of one tree.
static void finish_kick(const TriboModel* model, TriboTree* tree, int t, double h, double* v) {
  int begin = model->tree_dof[t], end = model->tree_dof[t + 1];
  tribo_tree_bias(model, tree, model->tree_body[t], model->tree_body[t + 1], v, tree->bias);
  for (int k = begin; k < end; ++k)
    v[k] = 0.5 * h * (tree->force[k] + tree->weight[k] - tree->bias[k]);
  tribo_tree_solve_range(model, tree, begin, end, v);
  for (int k = begin; k < end; ++k) v[k] += tree->middle[k];
}

void tribo_tree_settle(const TriboModel* model, TriboTree* tree, const TriboTreeHold* hold,
                       double h, const double* q, double* v) {
  tribo_tree_kinematics(model, tree, q);
  tribo_tree_mass(model, tree);
  tribo_tree_factor(model, tree, tree->implicit);
  for (int t = 0; t < model->ntree; ++t) {
    if (hold[t] == TRIBO_TREE_FREE) finish_kick(model, tree, t, h, v);
    if (keeps_momentum(model, hold, t)) give_momentum(model, tree, t, tree->momentum[t], v);
  }
}
