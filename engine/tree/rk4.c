// SPDX-License-Identifier: Apache-2.0
//
// The classical Runge-Kutta method of order four, on the manifold of configurations
// [MuntheKaas1998]: with q(t) = q0 (+) u(t), the rate of u is v where coordinates add, and for
// rotations, R = R0 exp(u) with w in the body's axes,
//
//   du/dt = w + u x w / 2 + u x (u x w) / 12 + O(|u|^4)
//
// whose rest is beyond order four because u = O(h).
#include <string.h>

#include "engine/tree/tree.h"

// v, the velocity at q0 (+) u, becomes the rate of u.
static void rate_of_displacement(const TriboModel* model, const double* u, double* v) {
  for (int i = 0; i < model->nb; ++i) {
    const TriboBody* body = &model->body[i];
    if (body->nv - (body->turns - body->v) != 3) continue;  // not a ball
    int k = body->turns;
    TriboVec3 r = tribo_vec3_from(u + k), w = tribo_vec3_from(v + k);
    TriboVec3 rw = tribo_vec3_cross(r, w);
    w = tribo_vec3_madd(w, 0.5, rw);
    w = tribo_vec3_madd(w, 1.0 / 12, tribo_vec3_cross(r, rw));
    tribo_vec3_store(w, v + k);
  }
}

static TriboStatus acceleration(const TriboModel* model, TriboTree* tree, const TriboInput* input,
                                const double* q, const double* v, double* a) {
  size_t size = (size_t)model->nv * sizeof(double);
  tribo_tree_kinematics(model, tree, q);
  tribo_tree_mass(model, tree);  // which the limits of actuators look at
  memset(tree->force, 0, size);
  memset(tree->implicit, 0, size);
  tribo_tree_efforts(model, tree, input, q, v, 0, NULL);
  return tribo_tree_forward(model, tree, v, tree->force, input ? input->wrench : NULL, a);
}

TriboStatus tribo_tree_rk4(const TriboModel* model, TriboTree* tree, const TriboInput* input,
                           const double* q0, const double* v0, double h, double* q1, double* v1) {
  // How far each stage goes along the one before it, and its weight.
  static const double kReach[4] = {0, 0.5, 0.5, 1}, kWeight[4] = {1, 2, 2, 1};
  int nv = model->nv;
  double *u = tree->stage_v, *v = u + nv, *a = v + nv, *sum_u = a + nv, *sum_a = sum_u + nv;
  memset(u, 0, 5 * (size_t)nv * sizeof *u);
  for (int stage = 0; stage < 4; ++stage) {
    // v and a hold the rates of the stage before.
    double reach = h * kReach[stage];
    for (int k = 0; k < nv; ++k) {
      u[k] = reach * v[k];
      v[k] = v0[k] + reach * a[k];
    }
    tribo_tree_integrate(model, q0, u, 1, tree->stage_q);
    TriboStatus status = acceleration(model, tree, input, tree->stage_q, v, a);
    if (status != TRIBO_OK) return status;
    rate_of_displacement(model, u, v);
    for (int k = 0; k < nv; ++k) {
      sum_u[k] += h / 6 * kWeight[stage] * v[k];
      sum_a[k] += h / 6 * kWeight[stage] * a[k];
    }
  }
  tribo_tree_integrate(model, q0, sum_u, 1, q1);
  for (int k = 0; k < nv; ++k) v1[k] = v0[k] + sum_a[k];
  return TRIBO_OK;
}
