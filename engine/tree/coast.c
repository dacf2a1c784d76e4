// SPDX-License-Identifier: Apache-2.0
//
// Trees that nothing holds, to second order and with their momentum kept.
//
// Semi-implicit Euler takes weight w and the velocity products b (Coriolis, centrifugal,
// gyroscopic) at the start of the step, and the position at its end's velocity. In generalized
// coordinates that is of order one and not symplectic: a tumbling robot gains or loses percents of
// its energy and momentum in seconds. A tree that no row holds in this step goes on from Euler's
// v* instead. What is stepped is its generalized momentum p = M v, whose rate has no accelerations
// in it: dp/dt = e + w + c, with c what the turning of the axes does (engine/tree/middle.c) and e
// the other forces (efforts, actuators, springs, damping, wrenches), held as they are. Damping,
// springs and gains add `implicit`, I, to M as in Euler's step:
//
//   q+                  = q (+) h (v + v*) / 2
//   (M(q+) + I) v+      = M(q) v + I v + h (e + (w(q) + w(q+)) / 2 + c)
//
// with c at the middle of the step. Free fall is the parabola, and where nothing moves nothing
// changes. The rows of a floating tree's base say how its linear momentum, and its angular momentum
// about its own origin, change; there the right-hand side is exact instead: linear momentum, and
// angular momentum about the centre of mass, are those before the step plus what acted from
// outside, h (e + w).
//
// A floating tree whose rows give no impulse from outside keeps Euler's v* but for its base, which
// is moved, with all that hangs on it, so that its momentum is right: joint velocities, and with
// them limits, dry friction and self-contacts, do not notice.
//
// What q+ costs here (kinematics, M, its factor) the next step finds done.
#include <string.h>

#include "engine/tree/lanes.h"
#include "engine/tree/tree.h"

// Whether a tree hangs on nothing: its first body moves freely in the world. A rotor on that joint
// would have momentum that is not the tree's.
static bool floats(const TriboModel* model, int t) {
  const TriboBody* root = &model->body[model->tree_body[t]];
  return root->type == TRIBO_JOINT_FREE && root->armature == 0;
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

// Moves the tree's base, and all that hangs on it, so that its momentum about its centre is P.
static void give_momentum(const TriboModel* model, const TriboTree* tree, int t, TriboSpatial P,
                          double* v) {
  const TriboInertia* A = &tree->composite[model->tree_body[t]];
  TriboVec3 c = center_of(A);
  TriboSpatial lack = tribo_spatial_sub(P, about_center(momentum_of(model, tree, t, v), c));
  double I[6];
  for (int i = 0; i < 6; ++i) I[i] = A->I[i];
  tribo_symmetric_add_point(I, -A->m, c);
  TriboVec3 turn = tribo_symmetric_solve(I, lack.w);
  TriboVec3 move = tribo_vec3_madd(tribo_vec3_cross(c, turn), 1 / A->m, lack.v);
  const TriboVec3* axis = tree->axis + model->tree_dof[t];
  v += model->tree_dof[t];
  for (int i = 0; i < 3; ++i) {
    v[i] += tribo_vec3_dot(axis[i], move);
    v[3 + i] += tribo_vec3_dot(axis[3 + i], turn);
  }
}

// The momentum P, about the base's origin, that has the products p with the base's axes. A
// quaternion is a unit one to rounding only, and axes from it are orthogonal to rounding only: what
// that leaves would add up.
static TriboSpatial momentum_from(const TriboVec3* axis, const double* p) {
  TriboSpatial P = tribo_spatial_zero();
  for (int i = 0; i < 3; ++i) P.v = tribo_vec3_madd(P.v, p[i], axis[i]);
  for (int i = 3; i < 6; ++i) P.w = tribo_vec3_madd(P.w, p[i], axis[i]);
  TriboVec3 rest = tribo_vec3_zero();
  for (int i = 3; i < 6; ++i)
    rest = tribo_vec3_madd(rest, p[i] - tribo_vec3_dot(axis[i], P.w), axis[i]);
  P.w = tribo_vec3_add(P.w, rest);
  return P;
}

// v goes from v* to a free tree's impulse, the right-hand side without what needs q+.
static void start_free(const TriboModel* model, TriboTree* tree, int t, double h, const double* v0,
                       double* v, double* displacement) {
  int k = model->tree_dof[t], end = model->tree_dof[t + 1];
  const double *force = tree->force, *weight = tree->weight, *implicit = tree->implicit;
  double* p = tree->scratch;
  tribo_tree_multiply(model, tree, k, end, v0, p);
  if (floats(model, t)) {
    const int base = k;
    k += 6;
    TRIBO_SIMD for (int i = base; i < k; ++i) {
      p[i] += h * force[i] - implicit[i] * (v[i] - v0[i]);
      displacement[i] = h * (0.5 * (v0[i] + v[i]));
      v[i] *= implicit[i];
    }
    TriboSpatial P = momentum_from(tree->axis + base, p + base);
    tree->momentum[t] = about_center(P, center_of(&tree->composite[model->tree_body[t]]));
  }
  TRIBO_SIMD for (int i = k; i < end; ++i) {
    displacement[i] = h * (0.5 * (v0[i] + v[i]));
    v[i] = p[i] + implicit[i] * v0[i] + h * (force[i] - 0.5 * weight[i]);
  }
}

bool tribo_tree_coast(const TriboModel* model, TriboTree* tree, const TriboTreeHold* hold, double h,
                      const double* v0, double* v, double* displacement) {
  bool any = false;
  for (int t = 0; t < model->ntree; ++t) {
    if (hold[t] == TRIBO_TREE_FREE) {
      start_free(model, tree, t, h, v0, v, displacement);
      any = true;
    } else if (hold[t] == TRIBO_TREE_INTERNAL && floats(model, t)) {
      // F of the root: the bias of the whole tree, as a force and a moment about its origin.
      int root = model->tree_body[t];
      TriboSpatial P = tribo_spatial_madd(momentum_of(model, tree, t, v), h, tree->F[root]);
      tree->momentum[t] = about_center(P, center_of(&tree->composite[root]));
      any = true;
    }
  }
  return any;
}

// v goes from the impulse to the velocity of a free tree at the end.
static void finish_free(const TriboModel* model, TriboTree* tree, int t, bool moved, double h,
                        const double* displacement, double* v) {
  int begin = model->tree_dof[t], end = model->tree_dof[t + 1], root = model->tree_body[t];
  int k = begin, first = root;
  if (floats(model, t)) {
    TriboVec3 c = center_of(&tree->composite[root]);
    TriboSpatial P = about_center(tree->momentum[t], tribo_vec3_neg(c));
    for (; k < begin + 3; ++k) v[k] += tribo_vec3_dot(tree->axis[k], P.v);
    for (; k < begin + 6; ++k) v[k] += tribo_vec3_dot(tree->axis[k], P.w);
    first = root + 1;
  }
  const double half = 0.5 * h, *weight = tree->weight;
  TRIBO_SIMD for (int i = k; i < end; ++i) v[i] += half * weight[i];
  if (moved)
    tribo_tree_add_turning(model, tree, root, model->tree_body[t + 1], first, h, displacement, v);
  tribo_tree_solve_range(model, tree, begin, end, v);
}

void tribo_tree_settle(const TriboModel* model, TriboTree* tree, const TriboTreeHold* hold,
                       double h, const double* q, const double* displacement, double* v) {
  bool moved = memcmp(q, tree->q, (size_t)model->nq * sizeof *q) != 0;
  if (moved) tribo_tree_keep_start(tree);
  tribo_tree_kinematics(model, tree, q);
  tribo_tree_mass(model, tree);
  tribo_tree_factor(model, tree, tree->implicit);
  for (int t = 0; t < model->ntree; ++t) {
    if (hold[t] == TRIBO_TREE_FREE) {
      finish_free(model, tree, t, moved, h, displacement, v);
    } else if (hold[t] == TRIBO_TREE_INTERNAL && floats(model, t)) {
      give_momentum(model, tree, t, tree->momentum[t], v);
    }
  }
}
