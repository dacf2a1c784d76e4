// SPDX-License-Identifier: Apache-2.0
//
// Complementarity and contact problems given by matrices, without a simulator: for comparing
// solvers, and for those who assemble their own problems. `tribo solve` is this for files.
//
// Sizes of arrays stand in parentheses; matrices are the caller's and are only read. Every call
// allocates what it needs through the allocator given (NULL: the C library's) and releases it;
// calls share nothing and may run in parallel. The same problem gives the same bits.
#ifndef TRIBO_SOLVERS_TRIBO_SOLVERS_H_
#define TRIBO_SOLVERS_TRIBO_SOLVERS_H_

#include <stdbool.h>

#include "engine/base/contact_types.h"
#include "engine/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------
// Linear complementarity
// ---------------------------------------------------------------------------------------------------

// Find z with w = M z + q, 0 <= z _|_ w >= 0.
typedef struct TriboLcp {
  int n;
  const double* M;  // row-major, any matrix    (n x n)
  const double* q;  //                          (n)
} TriboLcp;

// Largest violation of each condition, of the problem scaled so that the
// largest entry of every row and column of M is near 1, so that units do not matter:
// w over the largest sum_j |M_ij z_j| + |q_i|, z over the largest z.
typedef struct TriboLcpCertificate {
  double sign_z;           // -z where negative
  double sign_w;           // -w where negative
  double complementarity;  // min(z, w)
  double worst;            // the largest of them; infinite when z is not finite
} TriboLcpCertificate;

typedef struct TriboLcpInfo {
  int attempts;     // covering vectors tried, the first one included
  int pivots;       // over all attempts
  bool enumerated;  // found, or found not to exist, by looking at every choice of signs
  TriboLcpCertificate certificate;  // of z after TRIBO_OK
} TriboLcpInfo;

// Solves by Lemke's algorithm; up to 14 unknowns, where every attempt ends on a ray, all choices of
// z_i = 0 or w_i = 0 are looked at. z (n) receives
//   TRIBO_OK                a solution, certified to 1e-9;
//   TRIBO_ERROR_INFEASIBLE  v >= 0 with M^T v <= 0 and q.v < 0: no z >= 0 has M z + q >= 0;
//   TRIBO_ERROR_RAY         the direction z of an unbounded ray: z >= 0, (M z)_i <= 0 where z_i >
//                           0; unless M is copositive-plus or `enumerated` is set, solutions may
//                           exist all the same;
//   TRIBO_ERROR_LIMIT       nothing of use.
// TRIBO_ERROR_ARGUMENT, TRIBO_ERROR_NOT_FINITE, TRIBO_ERROR_MEMORY: nothing was tried.
TRIBO_API TriboStatus tribo_lcp_solve(const TriboLcp* lcp, const TriboAllocator* allocator,
                                      double* z, TriboLcpInfo* info) TRIBO_CHECKED;

// ---------------------------------------------------------------------------------------------------
// Contact
// ---------------------------------------------------------------------------------------------------

// A matrix by rows: entries start[i] .. start[i + 1] - 1 of row i, columns increasing. start NULL:
// value holds all of it, row-major.
typedef struct TriboMatrixView {
  int rows, columns;
  const int* start;
  const int* index;
  const double* value;
} TriboMatrixView;

// u = W r + q, per contact the normal first, then one tangent (planar) or two. W may be
// rank-deficient and a little unsymmetric.
typedef struct TriboDelassusProblem {
  int contacts, size;  // size: rows per contact, 2 planar or 3 spatial
  TriboMatrixView W;   // contacts * size square, diagonal >= 0
  const double* q;     // contacts * size
  const double* mu;    // contacts, >= 0
} TriboDelassusProblem;

// M v = H r + f, u = H^T v + b, rows of u as above.
typedef struct TriboGlobalProblem {
  int contacts, size;
  // nv square, symmetric positive definite. One triangle alone stands for both, as some programs
  // write it.
  TriboMatrixView M;
  TriboMatrixView H;  // nv x contacts * size
  const double *f, *b, *mu;
} TriboGlobalProblem;

typedef struct TriboMatrixOptions {
  TriboContactModel model;  // COULOMB
  TriboSolver solver;       // AUTO
  TriboCone cone;           // ROUND
  int facets;               // of the polygon, even, 4 to 64; 8
  double viscosity;         // VISCOUS: t = -viscosity u_t, >= 0; 1
  double tolerance;         // largest certificate that counts as solved; 1e-8
} TriboMatrixOptions;

typedef struct TriboMatrixInfo {
  TriboSolver solver;  // that gave the answer
  TriboRung rung;      // of the ladder, where Lemke did; COMPLIANCE: tangents that contradict each
                       // other were softened on the way; otherwise TRIBO_RUNG_COLD
  int fallbacks;       // solvers and rungs tried without success before
  int pivots;          // of Lemke, Dantzig, PPM and the dual active set
  int iterations;      // of Newton and of the energy method
  int sweeps;          // of Gauss-Seidel
  TriboCertificate certificate;  // of r, from the matrices as given
} TriboMatrixInfo;

TRIBO_API TriboMatrixOptions tribo_matrix_options_default(void);

// Solves. r (contacts * size) receives the impulses.
//   TRIBO_OK                the certificate is within the tolerance;
//   TRIBO_ERROR_LIMIT       nothing certified: r is the best answer found, info its certificate;
//   TRIBO_ERROR_RAY         the same, and pivoting ended on a ray every time;
//   TRIBO_ERROR_INFEASIBLE  no-slip, viscous and frictionless: contacts that no impulse can keep
//                           apart.
// TRIBO_ERROR_ARGUMENT (sizes, ranges, a solver that does not fit the model),
// TRIBO_ERROR_NOT_FINITE, TRIBO_ERROR_SINGULAR (M is not positive definite), TRIBO_ERROR_MEMORY:
// nothing was tried.
TRIBO_API TriboStatus tribo_delassus_solve(const TriboDelassusProblem* problem,
                                           const TriboMatrixOptions* options,
                                           const TriboAllocator* allocator, double* r,
                                           TriboMatrixInfo* info) TRIBO_CHECKED;

// The same for the global form; v (M.rows) receives the velocity, or is NULL.
TRIBO_API TriboStatus tribo_global_solve(const TriboGlobalProblem* problem,
                                         const TriboMatrixOptions* options,
                                         const TriboAllocator* allocator, double* r, double* v,
                                         TriboMatrixInfo* info) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_TRIBO_SOLVERS_H_
