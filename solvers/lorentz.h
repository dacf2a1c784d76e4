// SPDX-License-Identifier: Apache-2.0
//
// The Lorentz cone x_0 >= |(x_1, x_2)| in one, two or three coordinates as interior point methods
// need it: its Jordan product, the scaling of Nesterov and Todd, and how far a step may go
// [AndersenRoosTerlaky2003]. Internal.
#ifndef TRIBO_SOLVERS_LORENTZ_H_
#define TRIBO_SOLVERS_LORENTZ_H_

#ifdef __cplusplus
extern "C" {
#endif

// W with W z = W^-1 u: beta (2 w w^T - J)^(1/2), J = diag(1, -1, -1), w of determinant 1.
typedef struct TriboLorentzScaling {
  double w[3];
  double beta;
} TriboLorentzScaling;

// x_0^2 - |x_1..|^2, without cancellation of the squares.
double tribo_lorentz_determinant(const double* x, int n);

// The product a o b = (a.b, a_0 b_1.. + b_0 a_1..), and x with l o x = r.
void tribo_lorentz_product(const double* a, const double* b, int n, double* product);
void tribo_lorentz_divide(const double* l, const double* r, int n, double* x);

// The scaling of two points inside the cone; y <- W x, and y <- W^-1 x.
TriboLorentzScaling tribo_lorentz_scaling(const double* u, const double* z, int n);
void tribo_lorentz_scale(const TriboLorentzScaling* scaling, const double* x, int n, double* y);
void tribo_lorentz_unscale(const TriboLorentzScaling* scaling, const double* x, int n, double* y);

// inverse <- (W^2 + shift I)^-1, rows of 3.
void tribo_lorentz_inverse(const TriboLorentzScaling* scaling, double shift, int n,
                           double inverse[9]);

// The largest a for which x + a step is in the cone; 1e30: all are.
double tribo_lorentz_reach(const double* x, const double* step, int n);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_LORENTZ_H_
