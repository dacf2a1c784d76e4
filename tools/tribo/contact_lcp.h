// SPDX-License-Identifier: Apache-2.0
//
// The explicit matrix of Coulomb friction with polygons, as the papers write it: what solvers that
// know nothing of contacts are measured on.
#ifndef TRIBO_TOOLS_TRIBO_CONTACT_LCP_H_
#define TRIBO_TOOLS_TRIBO_CONTACT_LCP_H_

#include "solvers/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

// Unknowns, of a problem without equality rows: the normal impulses, those along the facets of
// every group, and a slip speed lambda for each group.
int tribo_contact_lcp_order(const TriboContactProblem* problem);

// M (order x order, row by row) and q. row (ny): scratch.
void tribo_contact_lcp_fill(const TriboContactProblem* problem, double* row, double* M, double* q);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_TRIBO_CONTACT_LCP_H_
