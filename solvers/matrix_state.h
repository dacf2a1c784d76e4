// SPDX-License-Identifier: Apache-2.0
//
// What the solvers of matrix_solve.h share: the problem and the best answer so far. Internal.
#ifndef TRIBO_SOLVERS_MATRIX_STATE_H_
#define TRIBO_SOLVERS_MATRIX_STATE_H_

#include <stdbool.h>
#include <string.h>

#include "solvers/matrix_solve.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboMatrixTask {
  const TriboDelassus* problem;
  const TriboMatrixOptions* options;
  const TriboAllocator* allocator;
  double* r;  // the best answer
  TriboMatrixInfo* info;
  double *trial, *scratch;
  bool rays;  // pivoting ended on a ray every time it was tried
} TriboMatrixTask;

static inline bool tribo_matrix_solved(const TriboMatrixTask* task) {
  return task->info->certificate.worst <= task->options->tolerance;
}

// Keeps an answer that is better than the best so far; says whether it is good enough.
static inline bool tribo_matrix_consider(TriboMatrixTask* task, const double* r,
                                         TriboCertificate certificate, TriboSolver solver,
                                         TriboRung rung) {
  if (certificate.worst < task->info->certificate.worst) {
    memcpy(task->r, r, sizeof(double) * (size_t)task->problem->W.count);
    task->info->certificate = certificate;
    task->info->solver = solver;
    task->info->rung = rung;
  }
  return certificate.worst <= task->options->tolerance;
}

// The models without Coulomb friction (matrix_psd.c): TRIBO_OK when answers were judged, good or
// not.
TriboStatus tribo_matrix_psd(TriboMatrixTask* task) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_MATRIX_STATE_H_
