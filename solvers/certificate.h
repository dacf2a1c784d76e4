// SPDX-License-Identifier: Apache-2.0
//
// The judge of all solvers: how well a solution meets the conditions of problem.h, from the
// original rows and not from any solver's own state. Internal.
#ifndef TRIBO_SOLVERS_CERTIFICATE_H_
#define TRIBO_SOLVERS_CERTIFICATE_H_

#include "solvers/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TriboCone {
  TRIBO_CONE_ROUND = 0,  // Coulomb's circle
  TRIBO_CONE_POLYGON,    // the group's facets
} TriboCone;

// Largest violation of each condition, relative. Both scales are norms in mass coordinates, so a
// velocity is divided by |row| V and an impulse by S/|row|:
//   V = max(|k|, |y+|, |b_i|/|row_i|)      S = max(V, |row_i| |f_i|)
// A number that is not finite makes every figure infinite.
typedef struct TriboCertificate {
  double dynamics;         // |y+ - (k + X^T x + N^T f + T^T t)|
  double equality;         // |X y+ - b|
  double penetration;      // -(N y+ - b) where negative
  double sign;             // -f where negative
  double complementarity;  // min(f, N y+ - b), both relative
  double cone;             // (|t| - R) where positive
  double stick;            // sliding although |t| < R: min of both, relative
  double direction;  // |t + R s/|s||, or |s| if that is smaller, relative. Polygon: R + t.s/lambda
  double worst;      // the largest of them
} TriboCertificate;

// y of the solution is recomputed from the impulses for every residual but `dynamics`.
// `scratch` holds ny doubles.
TriboCertificate tribo_certify(const TriboContactProblem* problem, TriboCone cone,
                               const TriboContactSolution* solution, double* scratch);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_CERTIFICATE_H_
