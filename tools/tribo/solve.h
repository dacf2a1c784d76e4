// SPDX-License-Identifier: Apache-2.0
//
// What `tribo solve` has its solvers do: one function per kind of problem.
#ifndef TRIBO_TOOLS_TRIBO_SOLVE_H_
#define TRIBO_TOOLS_TRIBO_SOLVE_H_

#include <jansson.h>

#include "tools/tribo/matrix_market.h"

typedef struct TriboSolveReport {
  TriboStatus status;   // TRIBO_OK, or what the answer is instead
  const char* solver;   // that answered
  int attempts;         // of the solver, the first one included
  int pivots;           // over all attempts
  double seconds;       // without reading and writing files
  json_t* certificate;  // figures by name; NULL where there is no solution. The caller's
  TriboMatrix answer;   // solution, ray or proof; value NULL where there is none. The caller's
} TriboSolveReport;

// w = M z + q, 0 <= z _|_ w >= 0, M square and q of its size. Anything but TRIBO_OK says that
// nothing was tried, for lack of memory; report->status is the answer.
TriboStatus tribo_solve_lcp(const TriboMatrix* M, const TriboMatrix* q,
                            TriboSolveReport* report) TRIBO_CHECKED;

// u = W r + q with Coulomb's law on polygons of `facets` sides; W square, q of its size, and mu of
// half or a third of it. A certificate comes with an answer that did not reach the accepted one
// too; the status is then TRIBO_ERROR_LIMIT. TRIBO_ERROR_ARGUMENT: W has a negative diagonal, or a
// mu is negative.
TriboStatus tribo_solve_contact(const TriboMatrix* W, const TriboMatrix* q, const TriboMatrix* mu,
                                int facets, TriboSolveReport* report) TRIBO_CHECKED;

#endif  // TRIBO_TOOLS_TRIBO_SOLVE_H_
