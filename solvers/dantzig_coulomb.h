// SPDX-License-Identifier: Apache-2.0
//
// Dantzig's algorithm [Baraff1994] for Coulomb's law on a velocity problem: where Baraff's static
// friction leaves the direction of sliding open, it is recorded from the answer and the problem
// solved again. Internal.
#ifndef TRIBO_SOLVERS_DANTZIG_COULOMB_H_
#define TRIBO_SOLVERS_DANTZIG_COULOMB_H_

#include "solvers/certificate.h"
#include "solvers/dantzig_friction.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboDantzigCoulomb TriboDantzigCoulomb;

typedef struct TriboDantzigCoulombInfo {
  int rounds;                    // solves, of which the first knows no directions
  int pivots;                    // changes of the index sets, all together
  TriboCertificate certificate;  // of the answer; worst infinite when there is none
} TriboDantzigCoulombInfo;

// For problems of up to that many coordinates, rows of X, N and T, and groups. NULL while measuring
// or when the arena is full.
TriboDantzigCoulomb* tribo_dantzig_coulomb_init(TriboArena* arena, int ny, int x, int n, int t,
                                                int groups);

// Solves until the certificate is at most `tolerance`. Fills all of the solution.
//   TRIBO_OK                the certificate holds;
//   TRIBO_ERROR_LIMIT       it does not: the solution is the best of all rounds, a start for
//   Newton's
//                           method; where certificate.worst is infinite it is as it was;
//   TRIBO_ERROR_INFEASIBLE  equality rows that contradict each other;
//   TRIBO_ERROR_CAPACITY    the problem is larger than the solver; nothing is written.
TriboStatus tribo_dantzig_coulomb_solve(TriboDantzigCoulomb* dantzig,
                                        const TriboContactProblem* problem, TriboCone cone,
                                        double tolerance, TriboContactSolution* solution,
                                        TriboDantzigCoulombInfo* info) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_DANTZIG_COULOMB_H_
