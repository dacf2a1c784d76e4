// SPDX-License-Identifier: Apache-2.0
//
// A linear complementarity problem as it stands: find z with
//
//   w = M z + q,   0 <= z  _|_  w >= 0
//
// and the judge of its solutions. Internal.
#ifndef TRIBO_SOLVERS_LCP_H_
#define TRIBO_SOLVERS_LCP_H_

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboLcp {
  int n;
  const double* M;  // row-major, any matrix    (n x n)
  const double* q;  //                          (n)
} TriboLcp;

// Positive scales, powers of two so that nothing is rounded, that bring the largest entry of every
// row and column of diag(row) M diag(column) near 1 (Ruiz 2001). A row or column of zeros keeps 1.
// Both arrays hold n.
void tribo_lcp_scale(const TriboLcp* lcp, double* row, double* column);

// Largest violation of each condition, of the problem scaled as above, so that units do not matter:
// w over the largest sum_j |M_ij z_j| + |q_i|, z over the largest z.
typedef struct TriboLcpCertificate {
  double sign_z;           // -z where negative
  double sign_w;           // -w where negative
  double complementarity;  // min(z, w)
  double worst;            // the largest of them; infinite when z is not finite
} TriboLcpCertificate;

// scratch holds 2 n doubles.
TriboLcpCertificate tribo_lcp_certify(const TriboLcp* lcp, const double* z, double* scratch);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_LCP_H_
