// SPDX-License-Identifier: Apache-2.0
//
// The modified Principal Pivoting Method I of [Drumwright], Algorithm 1, for the LCP
//
//   w = N P N^T z + N u_X - b_N,   0 <= z  _|_  w >= 0,   P the projection that meets X y = b_X.
//
// In each round all z of the active rows are solved for (their w = 0) and all w follow. The
// smallest w, if negative, becomes active and the smallest z, if negative, leaves: at most one in
// and one out. Only active rows are ever in a matrix, and they are independent, so never more than
// m - rank X of them, m the number of coordinates: O(m^2) a round for the factor and O(m n) for w.
//
// The paper proves neither that the active set stays regular nor that no set comes back; redundant
// rows with targets b_N < 0 do reach singular sets. Where the factor refuses a row, or too many
// rounds have passed, the method goes on as the dual active set from where it stands.
#include "solvers/psd_state.h"

static TriboStatus go_on_as_dual(TriboPsdSolver* s, TriboContactSolution* solution) {
  s->info->fallback = true;
  tribo_psd_solve_active(s);
  tribo_psd_drop_negative(s);
  return tribo_psd_dual(s, solution);
}

TriboStatus tribo_psd_ppm(TriboPsdSolver* s, TriboContactSolution* solution) {
  // PPM I takes about as many rounds as rows that are active in the end; far more is a cycle.
  int rounds = 50 + 2 * s->problem->ny;
  for (int round = 0; round < rounds && s->info->pivots < s->limit; ++round) {
    int enters = tribo_psd_most_violated(s);
    int leaves = tribo_psd_most_negative(s, s->noise);
    if (enters < 0 && leaves < 0) return TRIBO_OK;
    // Out before in: the set between is smaller, never singular, and the result is the same.
    if (leaves >= 0) {
      tribo_factor_delete(s->factor, psd_slot(s, leaves));
      ++s->info->pivots;
    }
    if (enters >= 0) {
      int slot = psd_slot(s, enters);
      if (tribo_factor_add(s->factor, slot, psd_factor_row(s, slot), s->options->refuse) !=
          TRIBO_OK) {
        return go_on_as_dual(s, solution);
      }
      ++s->info->pivots;
    }
    tribo_psd_solve_active(s);
    (void)tribo_psd_count_active(s);
  }
  return go_on_as_dual(s, solution);
}
