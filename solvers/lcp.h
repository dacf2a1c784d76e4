// SPDX-License-Identifier: Apache-2.0
//
// The scaling of a linear complementarity problem, and the judge of its solutions. Internal.
#ifndef TRIBO_SOLVERS_LCP_H_
#define TRIBO_SOLVERS_LCP_H_

#include "solvers/tribo_solvers.h"

#ifdef __cplusplus
extern "C" {
#endif

// Positive scales, powers of two so that nothing is rounded, that bring the largest entry of every
// row and column of diag(row) M diag(column) near 1 (Ruiz 2001). A row or column of zeros keeps 1.
// Both arrays hold n.
void tribo_lcp_scale(const TriboLcp* lcp, double* row, double* column);

// scratch holds 2 n doubles.
TriboLcpCertificate tribo_lcp_certify(const TriboLcp* lcp, const double* z, double* scratch);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_LCP_H_
