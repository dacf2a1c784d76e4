// SPDX-License-Identifier: Apache-2.0
//
// Dantzig's algorithm for frictionless contact, f >= 0, a = N y - b >= 0, f a = 0, as [Baraff1994]
// section 4 has it, equality rows always clamped.
//
// Contacts are driven to a = 0 one at a time. C are the clamped contacts (the active rows of the
// factor, a = 0, f >= 0) and NC those that let go on the way (held: f = 0, a >= 0). Raising f_d by
// 1 moves f_C along -r, r = H^-1 W N_d (fdirection), and y along p = N_d - W^T r, so that a_C stays
// 0, a_d grows with |p|^2 and a_i of NC with N_i p. The step ends (maxstep) with the first of
//
//   f_j = 0, j in C        j goes to NC and d goes on
//   a_j = 0, j in NC       j goes to C and d goes on
//   a_d = 0                d goes to C: done
//
// ties to d and then to the smallest contact. That d wins ties matters between two walls: clamping
// the wall opposite to d would make d depend on C with a force of its own. A contact that has been
// driven is never violated again; that is the difference to the dual active set (dual.c), which
// leaves NC free.
//
// Redundant contacts: where N_d depends on C, p = 0 and only f_j = 0 ends the step; no such j is
// the proof that no solution exists. A contact of NC that the factor refuses is in C's span but for
// rounding: it is held no longer, and driven again should it be violated. Ties can in principle
// make steps of length 0 cycle; after options->zero_steps of them in a row nothing is held any
// more, which is the dual active set, where no set comes twice.
//
// Forces and y are summed up from the steps and solved afresh from the rows at the end, which is
// where the time against one elimination is won. Stops when every row holds to options->tolerance.
#include <math.h>
#include <string.h>

#include "solvers/psd_state.h"

// Where this share of a row's squared length, or less, is outside the span of the active rows,
// steps are long and sum up more than rounding: the active set is then solved afresh after the
// drive.
static const double kDependent = 1e-4;

// The held contact that bounds the step, its ratio in t3; -1 when none does. `speed` is |along|.
static int first_to_clamp(const TriboPsdSolver* s, double speed, double* t3) {
  const TriboRows* N = &s->problem->N;
  int clamps = -1;
  *t3 = INFINITY;
  for (int i = 0; i < N->count; ++i) {
    if (!s->held[i]) continue;
    double rate = tribo_row_dot(N, i, s->along);
    // Rates that are rounding must not become ratios.
    if (rate >= -1e-12 * s->length[i] * speed) continue;
    double a = tribo_row_dot(N, i, s->y) - s->problem->b_N[i];
    double ratio = fmax(a, 0) / -rate;
    if (ratio < *t3) {
      *t3 = ratio;
      clamps = i;
    }
  }
  return clamps;
}

static void advance(TriboPsdSolver* s, double t) {
  tribo_psd_step(s, t);
  for (int i = 0; i < s->problem->ny; ++i) s->y[i] += t * s->along[i];
}

// Nothing is held any more, now and later.
static void stop_holding(TriboPsdSolver* s) {
  s->holding = false;
  s->info->fallback = true;
  for (int i = 0; i < s->problem->N.count; ++i) s->held[i] = false;
}

// Clamps held contact j, t along the direction; false, and j free, when the factor refuses it.
static bool clamp(TriboPsdSolver* s, int j, double t) {
  int slot = psd_slot(s, j);
  s->held[j] = false;
  TriboStatus added =
      tribo_factor_add(s->factor, slot, psd_factor_row(s, slot), s->options->refuse);
  if (added != TRIBO_OK) return false;
  s->u[slot] = 0;
  s->r[slot] = 0;
  advance(s, t);
  return true;
}

static TriboStatus drive_to_zero(TriboPsdSolver* s, int d, TriboContactSolution* solution) {
  int slot = psd_slot(s, d), zero_steps = 0;
  TriboFactorRow row = psd_factor_row(s, slot);
  double length2 = s->length[d] * s->length[d];
  double a = tribo_row_dot(&s->problem->N, d, s->y) - s->problem->b_N[d];
  double pinched = s->slack[d] / s->options->tolerance * s->options->contradiction;
  double force = 0;  // f_d
  bool nearly_dependent = false;
  s->held[d] = false;
  for (;;) {
    if (s->info->pivots >= s->limit) return TRIBO_ERROR_LIMIT;
    ++s->info->pivots;
    double outside = tribo_factor_project(s->factor, row, s->r, s->along);
    bool dependent = !(outside > s->options->refuse * length2);
    nearly_dependent |= !(outside > kDependent * length2);
    double t1, t2 = INFINITY, t3 = INFINITY;
    int leaves = tribo_psd_first_to_leave(s, &t1), clamps = -1;
    if (!dependent) {
      t2 = -a / outside;
      clamps = first_to_clamp(s, sqrt(outside), &t3);
    }
    if (!dependent && t2 <= t1 && a + t3 * outside >= -pinched) {
      // The factor measures the same pivot a little less exactly: where it refuses, believe it.
      if (tribo_factor_add_projected(s->factor, slot, row, 0.5 * s->options->refuse) == TRIBO_OK) {
        s->u[slot] = 0;
        s->r[slot] = 0;
        advance(s, t2);
        s->u[slot] = force + t2;
        if (nearly_dependent) tribo_psd_solve_active(s);
        (void)tribo_psd_count_active(s);
        return TRIBO_OK;
      }
      dependent = true;
      clamps = -1;
    }
    if (leaves < 0 && clamps < 0) return tribo_psd_contradicted(s, d, a, solution);
    if (dependent) {
      tribo_psd_step(s, t1);
    } else if (clamps >= 0 && (t3 < t1 || (t3 == t1 && clamps < leaves))) {
      if (!clamp(s, clamps, t3)) continue;
      leaves = -1;
    } else {
      advance(s, t1);
    }
    double t = leaves < 0 ? t3 : t1;
    force += t;
    if (!dependent) a += t * outside;
    if (leaves >= 0) {
      tribo_factor_delete(s->factor, psd_slot(s, leaves));
      s->held[leaves] = s->holding;
    }
    zero_steps = t > 0 ? 0 : zero_steps + 1;
    if (s->holding && zero_steps > s->options->zero_steps) stop_holding(s);
  }
}

// Nearly dependent rows that are held can make a feasible problem look contradictory: without
// holding any, the dual active set decides.
static TriboStatus believe_dual(TriboPsdSolver* s, TriboContactSolution* solution) {
  stop_holding(s);
  s->info->row = -1;
  tribo_psd_solve_active(s);
  tribo_psd_drop_negative(s);
  return tribo_psd_dual(s, solution);
}

TriboStatus tribo_psd_dantzig(TriboPsdSolver* s, TriboContactSolution* solution) {
  s->holding = true;
  for (int i = 0; i < s->problem->N.count; ++i) s->held[i] = false;
  bool fresh = true;  // u and y are solved from the rows, not summed up from steps
  for (;;) {
    int d = tribo_psd_most_violated(s);
    if (d < 0 && fresh) return TRIBO_OK;
    if (d >= 0) {
      ++s->info->drives;
      TriboStatus status = drive_to_zero(s, d, solution);
      if (status == TRIBO_ERROR_INFEASIBLE) return believe_dual(s, solution);
      if (status != TRIBO_OK) return status;
      // In exact arithmetic no multiplier is negative here.
      tribo_psd_drop_negative(s);
      fresh = false;
      continue;
    }
    // Every contact is met: once more from the rows, which in exact arithmetic changes nothing.
    tribo_psd_solve_active(s);
    tribo_psd_drop_negative(s);
    fresh = true;
  }
}
