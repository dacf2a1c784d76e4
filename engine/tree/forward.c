// SPDX-License-Identifier: Apache-2.0
//
// Forward dynamics by articulated bodies [Featherstone2008, ch. 7], O(n), in world axes with
// classical accelerations x = (angular, of the origin). From a parent to its child these go by
//
//   x_child = T x_parent + z + S a,   T x = (alpha, a + alpha x d),
//
// z the velocity products, and forces go back by T^T. 6 x 6 matrices are row-major, angular part
// first.
#include <string.h>

#include "engine/base/dense.h"
#include "engine/tree/tree.h"

static void rigid_inertia(const TriboInertia* I, double A[36]) {
  const double S[9] = {0, -I->h.z, I->h.y, I->h.z, 0, -I->h.x, -I->h.y, I->h.x, 0};
  const double* J = I->I;
  const double R[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      A[6 * i + j] = R[3 * i + j];
      A[6 * i + 3 + j] = S[3 * i + j];
      A[6 * (i + 3) + j] = -S[3 * i + j];
      A[6 * (i + 3) + 3 + j] = i == j ? I->m : 0;
    }
  }
}

static void multiply6(const double A[36], const double x[6], double y[6]) {
  for (int i = 0; i < 6; ++i) {
    y[i] = 0;
    for (int j = 0; j < 6; ++j) y[i] += A[6 * i + j] * x[j];
  }
}

static void store(TriboSpatial x, double y[6]) {
  tribo_vec3_store(x.w, y);
  tribo_vec3_store(x.v, y + 3);
}
static TriboSpatial load(const double y[6]) {
  return tribo_spatial(tribo_vec3_from(y), tribo_vec3_from(y + 3));
}
// T^T f
static TriboSpatial carry_back(TriboVec3 d, TriboSpatial f) {
  return tribo_spatial(tribo_vec3_add(f.w, tribo_vec3_cross(d, f.v)), f.v);
}
// T x
static TriboSpatial carry_out(TriboVec3 d, TriboSpatial x) {
  return tribo_spatial(x.w, tribo_vec3_add(x.v, tribo_vec3_cross(x.w, d)));
}

// A += T^T B T, by columns and then, B being symmetric, by rows.
static void add_carried(double A[36], const double B[36], TriboVec3 d) {
  double half[36], column[6];
  for (int j = 0; j < 6; ++j) {
    for (int i = 0; i < 6; ++i) column[i] = B[6 * i + j];
    store(carry_back(d, load(column)), column);
    for (int i = 0; i < 6; ++i) half[6 * i + j] = column[i];
  }
  for (int i = 0; i < 6; ++i) {
    store(carry_back(d, load(half + 6 * i)), column);
    for (int j = 0; j < 6; ++j) A[6 * i + j] += column[j];
  }
}

// Where the motion vector of dof k starts in (angular, linear): its axis fills three numbers.
static int part_of(const TriboBody* body, int k) { return k < body->turns ? 3 : 0; }

// z, and the body's velocity-product force.
static void start_body(const TriboModel* model, TriboTree* tree, int i, const double* v) {
  const TriboBody* body = &model->body[i];
  TriboArticulated* b = &tree->articulated[i];
  TriboVec3 slide = tribo_vec3_zero(), turn = slide, omega = slide;
  TriboSpatial z = tribo_spatial_zero();
  for (int k = body->v; k < body->v + body->nv; ++k) {
    TriboVec3* rate = k < body->turns ? &slide : &turn;
    *rate = tribo_vec3_madd(*rate, v[k], tree->axis[k]);
  }
  if (body->parent >= 0) {
    omega = tree->omega[body->parent];
    z.v = tribo_vec3_madd(tribo_vec3_cross(omega, tribo_vec3_cross(omega, tree->offset[i])), 2,
                          tribo_vec3_cross(omega, slide));
    z.w = tribo_vec3_cross(omega, turn);
  }
  omega = tree->omega[i] = tribo_vec3_add(omega, turn);
  store(z, b->z);
  const TriboInertia* I = &tree->inertia[i];
  rigid_inertia(I, b->A);
  tree->F[i] = tribo_spatial(tribo_vec3_cross(omega, tribo_symmetric_mul(I->I, omega)),
                             tribo_vec3_cross(omega, tribo_vec3_cross(omega, I->h)));
}

// Takes the joint's freedom out of the articulated inertia and hands the rest to the parent.
static TriboStatus eliminate(const TriboModel* model, TriboTree* tree, int i, const double* tau) {
  const TriboBody* body = &model->body[i];
  TriboArticulated* b = &tree->articulated[i];
  int n = body->nv;
  double p[6], column[6];
  store(tree->F[i], p);
  for (int c = 0; c < n; ++c) {
    int k = body->v + c, part = part_of(body, k);
    const double axis[3] = {tree->axis[k].x, tree->axis[k].y, tree->axis[k].z};
    for (int r = 0; r < 6; ++r) {
      b->U[6 * c + r] = b->A[6 * r + part] * axis[0] + b->A[6 * r + part + 1] * axis[1] +
                        b->A[6 * r + part + 2] * axis[2];
    }
    b->u[c] =
        (tau ? tau[k] : 0) - (axis[0] * p[part] + axis[1] * p[part + 1] + axis[2] * p[part + 2]);
  }
  for (int r = 0; r < n; ++r) {
    int k = body->v + r, part = part_of(body, k);
    for (int c = 0; c < n; ++c) {
      const double* U = b->U + 6 * c + part;
      b->D[n * r + c] = tree->axis[k].x * U[0] + tree->axis[k].y * U[1] + tree->axis[k].z * U[2];
    }
    b->D[n * r + r] += body->armature;
  }
  TriboStatus status = tribo_cholesky_factor(n, b->D, n, 0);
  if (status != TRIBO_OK || body->parent < 0) return status;
  // A - U D^-1 U^T, and p + (A - U D^-1 U^T) z + U D^-1 u.
  double x[6];
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < n; ++c) x[c] = b->U[6 * c + r];
    tribo_cholesky_solve(n, b->D, n, x);
    for (int j = 0; j < 6; ++j) {
      column[j] = 0;
      for (int c = 0; c < n; ++c) column[j] += b->U[6 * c + j] * x[c];
    }
    for (int j = 0; j < 6; ++j) b->rest[6 * r + j] = b->A[6 * r + j] - column[j];
    for (int c = 0; c < n; ++c) p[r] += x[c] * b->u[c];
  }
  multiply6(b->rest, b->z, column);
  for (int r = 0; r < 6; ++r) p[r] += column[r];
  TriboVec3 d = tree->offset[i];
  add_carried(tree->articulated[body->parent].A, b->rest, d);
  tree->F[body->parent] = tribo_spatial_add(tree->F[body->parent], carry_back(d, load(p)));
  return TRIBO_OK;
}

static void accelerate(const TriboModel* model, TriboTree* tree, int i, double* a) {
  const TriboBody* body = &model->body[i];
  TriboArticulated* b = &tree->articulated[i];
  TriboSpatial x = tribo_spatial(tribo_vec3_zero(), tribo_vec3_neg(model->gravity));
  if (body->parent >= 0) x = carry_out(tree->offset[i], tree->A[body->parent]);
  x = tribo_spatial_add(x, load(b->z));
  double y[6];
  store(x, y);
  for (int c = 0; c < body->nv; ++c) {
    double sum = b->u[c];
    for (int r = 0; r < 6; ++r) sum -= b->U[6 * c + r] * y[r];
    a[body->v + c] = sum;
  }
  tribo_cholesky_solve(body->nv, b->D, body->nv, a + body->v);
  for (int k = body->v; k < body->v + body->nv; ++k) {
    TriboVec3* part = k < body->turns ? &x.v : &x.w;
    *part = tribo_vec3_madd(*part, a[k], tree->axis[k]);
  }
  tree->A[i] = x;
}

TriboStatus tribo_tree_forward(const TriboModel* model, TriboTree* tree, const double* v,
                               const double* tau, const double* wrench, double* a) {
  for (int i = 0; i < model->nb; ++i) start_body(model, tree, i, v);
  if (wrench) tribo_tree_subtract_wrenches(model, tree, wrench);
  for (int i = model->nb - 1; i >= 0; --i) {
    TriboStatus status = eliminate(model, tree, i, tau);
    if (status != TRIBO_OK) return status;
  }
  for (int i = 0; i < model->nb; ++i) accelerate(model, tree, i, a);
  return TRIBO_OK;
}
