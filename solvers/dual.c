// SPDX-License-Identifier: Apache-2.0
//
// The dual active set of Goldfarb and Idnani for  min 1/2 |y - k|^2,  X y = b_X,  N y >= b_N.
//
// y is always the nearest point for the active rows and their multipliers u are >= 0, so the
// distance from k only grows and no active set comes twice. Take the inactive row p that is
// violated most and raise its multiplier u_p from 0: with r = H^-1 W N_p, the active multipliers go
// along -r, the active rows keep holding, and w_p = N_p y - b_p grows with s = |N_p - W^T r|^2,
// what N_p has outside their span:
//
//   t1 = min u_j / r_j over r_j > 0     the first active row to let go
//   t2 = -w_p / s                       row p is met (never, when it depends on the active rows)
//
// t2 first: p becomes active. t1 first: j leaves, and p goes on. Neither: N_p is a combination of
// active rows that only pull it further in; the problem has no solution and r is the proof.
//
// Stops when every row holds to options->tolerance. Reference: [GoldfarbIdnani1983], algorithm 3
// with G = I, on a Cholesky factor of the active rows' Gram matrix instead of their QR.
#include <math.h>

#include "solvers/psd_state.h"

int tribo_psd_first_to_leave(const TriboPsdSolver* s, double* t1) {
  int n = tribo_factor_count(s->factor);
  const int* slots = tribo_factor_slots(s->factor);
  // Coefficients that are rounding must not become ratios.
  double largest = 0;
  for (int k = 0; k < n; ++k) largest = fmax(largest, fabs(s->r[slots[k]]));
  int leaves = -1;
  *t1 = INFINITY;
  for (int k = 0; k < n; ++k) {
    int slot = slots[k], i = psd_row(s, slot);
    if (i < 0 || s->r[slot] <= 1e-12 * largest) continue;
    double ratio = fmax(s->u[slot], 0) / s->r[slot];
    if (ratio < *t1 || (ratio == *t1 && i < leaves)) {
      *t1 = ratio;
      leaves = i;
    }
  }
  return leaves;
}

void tribo_psd_step(TriboPsdSolver* s, double t) {
  int n = tribo_factor_count(s->factor);
  const int* slots = tribo_factor_slots(s->factor);
  for (int k = 0; k < n; ++k) s->u[slots[k]] -= t * s->r[slots[k]];
}

TriboStatus tribo_psd_contradicted(TriboPsdSolver* s, int p, double w,
                                   TriboContactSolution* solution) {
  if (-w <= s->slack[p] / s->options->tolerance * s->options->contradiction) {
    s->settled[p] = true;
    tribo_psd_solve_active(s);
    return TRIBO_OK;
  }
  s->info->row = p;
  tribo_psd_write_proof(s, psd_slot(s, p), 1, solution);
  return TRIBO_ERROR_INFEASIBLE;
}

// Raises row p until it is met.
static TriboStatus take_up(TriboPsdSolver* s, int p, TriboContactSolution* solution) {
  int slot = psd_slot(s, p);
  TriboFactorRow row = psd_factor_row(s, slot);
  double length2 = s->length[p] * s->length[p];
  double w = tribo_row_dot(&s->problem->N, p, s->y) - s->problem->b_N[p];
  for (;;) {
    if (s->info->pivots >= s->limit) return TRIBO_ERROR_LIMIT;
    ++s->info->pivots;
    double outside = tribo_factor_project(s->factor, row, s->r, NULL);
    bool dependent = !(outside > s->options->refuse * length2);
    double t1, t2 = dependent ? INFINITY : -w / outside;
    int leaves = tribo_psd_first_to_leave(s, &t1);
    // The factor measures the same pivot a little less exactly: where it refuses, believe it.
    if (!dependent && t2 <= t1 &&
        tribo_factor_add_projected(s->factor, slot, row, 0.5 * s->options->refuse) != TRIBO_OK) {
      dependent = true;
      t2 = INFINITY;
    }
    if (!dependent && t2 <= t1) {
      tribo_psd_solve_active(s);
      (void)tribo_psd_count_active(s);
      return TRIBO_OK;
    }
    if (leaves < 0) return tribo_psd_contradicted(s, p, w, solution);
    tribo_psd_step(s, t1);
    if (!dependent) w += t1 * outside;
    tribo_factor_delete(s->factor, psd_slot(s, leaves));
  }
}

TriboStatus tribo_psd_dual(TriboPsdSolver* s, TriboContactSolution* solution) {
  for (int p = tribo_psd_most_violated(s); p >= 0; p = tribo_psd_most_violated(s)) {
    TriboStatus status = take_up(s, p, solution);
    if (status != TRIBO_OK) return status;
    // In exact arithmetic no multiplier is negative here.
    tribo_psd_drop_negative(s);
  }
  return TRIBO_OK;
}
