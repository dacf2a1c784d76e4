// SPDX-License-Identifier: Apache-2.0
//
// Lemke's algorithm on an explicit matrix: for any LCP, and what the structured variants are
// compared with. Internal.
#ifndef TRIBO_SOLVERS_LEMKE_STANDARD_H_
#define TRIBO_SOLVERS_LEMKE_STANDARD_H_

#include "engine/base/arena.h"
#include "engine/base/status.h"
#include "solvers/lcp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboLemkeStandard TriboLemkeStandard;

typedef struct TriboLemkeStandardOptions {
  int pivots;        // limit of one attempt; 0: 50 (n + 1)
  double tolerance;  // largest certificate that is accepted, relative; 1e-9
} TriboLemkeStandardOptions;

typedef struct TriboLemkeStandardStats {
  int pivots;    // over all attempts
  int attempts;  // 1 when the first covering vector answered
  TriboLcpCertificate certificate;
} TriboLemkeStandardStats;

TriboLemkeStandardOptions tribo_lemke_standard_options_default(void);

// Memory for problems of n unknowns. NULL while measuring or when the arena is full.
TriboLemkeStandard* tribo_lemke_standard_init(TriboArena* arena, int n);

// lcp->n is the n of init. z (n) receives
//   TRIBO_OK                a solution, certified;
//   TRIBO_ERROR_INFEASIBLE  v >= 0 with M^T v <= 0 and q.v < 0, checked: no z >= 0 has M z + q >=
//   0; TRIBO_ERROR_RAY         the direction z of an unbounded ray: z >= 0, (M z)_i <= 0 where z_i
//   > 0;
//                           solutions may exist all the same unless M is copositive-plus;
//   TRIBO_ERROR_LIMIT       nothing of use: no attempt ended with an accepted answer.
TriboStatus tribo_lemke_standard_solve(TriboLemkeStandard* solver, const TriboLcp* lcp,
                                       const TriboLemkeStandardOptions* options, double* z,
                                       TriboLemkeStandardStats* stats) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_LEMKE_STANDARD_H_
