// SPDX-License-Identifier: Apache-2.0
//
// What matrix_psd.c works on, and its rows (matrix_rows.c). Internal.
#ifndef TRIBO_SOLVERS_MATRIX_PSD_STATE_H_
#define TRIBO_SOLVERS_MATRIX_PSD_STATE_H_

#include "solvers/expand.h"
#include "solvers/matrix_state.h"
#include "solvers/noslip.h"

typedef struct Grazing {
  double place;  // log of the share, relative to 1/|T|^2
  double step, moved, last;
  int times;  // that it began
} Grazing;

// What a contact's tangents do while grazing contacts are looked for: all of their friction, none,
// or a share of it that is not known.
typedef enum Part { PART_NONE = 0, PART_WHOLE, PART_GRAZING } Part;

typedef struct Psd {
  TriboContactProblem problem;
  TriboContactSolution solution;
  TriboExpansion expansion;  // where the rows are not known
  double* W;                 // dense, for it
  TriboFactor* factor;
  TriboFactor* cholmod;  // the same, or NULL where the factor is dense
  TriboPsdSolver* solver;
  TriboNoslipSolver* noslip;
  double* targets;     // normals, then tangents; what the problem's b_N and b_T point to
  double* compliance;  // by group
  // computed by graze, by group
  Part* part;
  bool* kept;
  double* share;  // 1/c' of those that graze
  Grazing* grazing;
  double noise;     // of a balance
  double worst;     // certificate of the last solve
  double work;      // rows of all solves
  double* balance;  // f |J_n|^2 - u_n, a velocity: 0 where a contact grazes
  void* memory[2];
  size_t bytes[2];
} Psd;

// Rows as they are known, or from W; and the solver on a factor that fits their number: CHOLMOD's
// where rows are known, that is sparse, and many. To be closed whatever the status.
TriboStatus tribo_matrix_open_rows(const TriboMatrixTask* task, Psd* psd) TRIBO_CHECKED;
void tribo_matrix_close_rows(const TriboMatrixTask* task, Psd* psd);

#endif  // TRIBO_SOLVERS_MATRIX_PSD_STATE_H_
