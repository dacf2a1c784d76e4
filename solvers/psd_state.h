// SPDX-License-Identifier: Apache-2.0
//
// What the methods of psd.h share while they pivot. Internal to psd.
#ifndef TRIBO_SOLVERS_PSD_STATE_H_
#define TRIBO_SOLVERS_PSD_STATE_H_

#include "solvers/psd.h"

struct TriboPsdSolver {
  int max_ny, max_X, max_N;
  TriboFactor* factor;
  double* u;             // multipliers by slot                                (max_X + max_N)
  double* r;             // a row's coefficients over the active rows, by slot (max_X + max_N)
  double* y;             // k + W^T u over the active rows                     (max_ny)
  double* length;        // |N_i|                                              (max_N)
  double* slack;         // the row's noise: tolerance (|N_i| size + |b_i|)    (max_N)
  bool* settled;         // contradicts within rounding: not looked at again   (max_N)
  bool* held;            // Dantzig: let go on the way, to stay met             (max_N)
  double* along;         // Dantzig: direction of y                            (max_ny)
  int* slots;            // rows to add at once, and those refused             (max_X + max_N)
  int* refused;          //                                                    (max_X + max_N)
  TriboFactorRow* rows;  //                                                    (max_X + max_N)

  // the problem being solved
  const TriboContactProblem* problem;
  const TriboPsdOptions* options;
  TriboPsdInfo* info;
  double size;   // velocity scale: |k|, or the largest target over its row
  double noise;  // rounding of a multiplier times its row's length
  int limit;     // pivots
  bool holding;  // Dantzig: rows that let go are held
};

// Slot of unilateral row i, and back.
static inline int psd_slot(const TriboPsdSolver* s, int i) { return s->problem->X.count + i; }
static inline int psd_row(const TriboPsdSolver* s, int slot) { return slot - s->problem->X.count; }

// Row and target in a slot. Here, because every pivot asks for all active ones several times.
static inline TriboFactorRow psd_factor_row(const TriboPsdSolver* s, int slot) {
  const int i = psd_row(s, slot);
  const TriboRows* rows = i < 0 ? &s->problem->X : &s->problem->N;
  const int row = i < 0 ? slot : i, start = rows->start[row];
  return (TriboFactorRow){rows->start[row + 1] - start, rows->index + start, rows->value + start};
}
static inline double psd_target(const TriboPsdSolver* s, int slot) {
  const int i = psd_row(s, slot);
  return i < 0 ? s->problem->b_X[slot] : s->problem->b_N[i];
}

// u and y of the active set, with one step of refinement against the rows.
void tribo_psd_solve_active(TriboPsdSolver* s);

// Number of active unilateral rows; also keeps the info's largest.
int tribo_psd_count_active(TriboPsdSolver* s);

// The inactive unilateral row that is violated most, relative to its length; -1 when all are met.
int tribo_psd_most_violated(const TriboPsdSolver* s);

// The active unilateral row with the most negative multiplier, relative to its length; -1 when none
// is below -threshold.
int tribo_psd_most_negative(const TriboPsdSolver* s, double threshold);

// Deletes unilateral rows with negative multipliers, the most negative first, until none is left
// but rounding. Leaves u and y solved.
void tribo_psd_drop_negative(TriboPsdSolver* s);

// The active unilateral row that bounds a step of the multipliers along -s->r, its ratio in t1; -1
// when none does. Ties to the smallest row.
int tribo_psd_first_to_leave(const TriboPsdSolver* s, double* t1);

// u <- u - t r over the active rows.
void tribo_psd_step(TriboPsdSolver* s, double t);

// Row p is at w < 0 and depends on active rows that cannot let go: settled, where that is rounding,
// and otherwise infeasible with the proof written.
TriboStatus tribo_psd_contradicted(TriboPsdSolver* s, int p, double w,
                                   TriboContactSolution* solution);

// The methods, from a solved active set. The dual one and Dantzig's need multipliers >= 0.
TriboStatus tribo_psd_dual(TriboPsdSolver* s, TriboContactSolution* solution);
TriboStatus tribo_psd_dantzig(TriboPsdSolver* s, TriboContactSolution* solution);
TriboStatus tribo_psd_ppm(TriboPsdSolver* s, TriboContactSolution* solution);

// Writes the proof that the problem has no solution: `slot` and the coefficients s->r of the active
// rows.
void tribo_psd_write_proof(TriboPsdSolver* s, int slot, double sign,
                           TriboContactSolution* solution);

#endif  // TRIBO_SOLVERS_PSD_STATE_H_
