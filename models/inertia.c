// SPDX-License-Identifier: Apache-2.0
//
// A matrix I is the inertia of some mass distribution exactly where its second moments
//
//   S = tr(I)/2 1 - I  (= integral of x x^T dm)
//
// are positive semidefinite; for principal moments that is the triangle inequality. Mending clips
// the negative eigenvalues of S, which is the nearest such S in the Frobenius norm, and goes back
// by I = tr(S) 1 - S.
#include "models/inertia.h"

#include <math.h>

#include "engine/base/rotation.h"

static TriboMat3 to_matrix(const double v[6]) {
  TriboMat3 A = {{v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2]}};
  return A;
}

static void from_matrix(TriboMat3 A, double v[6]) {
  v[0] = A.m[0], v[1] = A.m[4], v[2] = A.m[8];
  v[3] = A.m[1], v[4] = A.m[2], v[5] = A.m[5];
}

static double trace(TriboMat3 A) { return A.m[0] + A.m[4] + A.m[8]; }

void tribo_inertia_rotate(TriboQuat q, double inertia[6]) {
  TriboMat3 R = tribo_quat_to_mat3(q);
  from_matrix(tribo_mat3_mult(tribo_mat3_mul(R, to_matrix(inertia)), R), inertia);
}

// Cyclic Jacobi: V^T A V becomes diagonal in place. Converges quadratically; eight sweeps of a 3x3
// matrix reach rounding.
static TriboMat3 diagonalize(TriboMat3* A) {
  TriboMat3 V = tribo_mat3_identity();
  for (int sweep = 0; sweep < 8; ++sweep) {
    for (int p = 0; p < 2; ++p) {
      for (int q = p + 1; q < 3; ++q) {
        double apq = A->m[3 * p + q];
        if (apq == 0) continue;
        double theta = (A->m[4 * q] - A->m[4 * p]) / (2 * apq);
        double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c;
        TriboMat3 G = tribo_mat3_identity();
        G.m[4 * p] = G.m[4 * q] = c;
        G.m[3 * p + q] = s;
        G.m[3 * q + p] = -s;
        *A = tribo_mat3_tmul(G, tribo_mat3_mul(*A, G));
        V = tribo_mat3_mul(V, G);
      }
    }
  }
  return V;
}

TriboQuat tribo_inertia_principal(const double inertia[6], double moments[3]) {
  TriboMat3 D = to_matrix(inertia);
  const TriboMat3 V = diagonalize(&D);
  for (int i = 0; i < 3; ++i) moments[i] = D.m[4 * i];
  return tribo_quat_from_mat3(V);
}

bool tribo_inertia_mend(double inertia[6]) {
  TriboMat3 I = to_matrix(inertia);
  TriboMat3 S = tribo_mat3_sub(tribo_mat3_scale(trace(I) / 2, tribo_mat3_identity()), I);
  TriboMat3 V = diagonalize(&S);
  double tolerance = 1e-9 * fabs(trace(I));
  if (S.m[0] >= -tolerance && S.m[4] >= -tolerance && S.m[8] >= -tolerance) return false;
  TriboMat3 D = tribo_mat3_diagonal(fmax(S.m[0], 0), fmax(S.m[4], 0), fmax(S.m[8], 0));
  TriboMat3 E = tribo_mat3_sub(tribo_mat3_scale(trace(D), tribo_mat3_identity()), D);
  from_matrix(tribo_mat3_mult(tribo_mat3_mul(V, E), V), inertia);
  return true;
}

bool tribo_inertia_balance(double inertia[6]) {
  TriboMat3 I = to_matrix(inertia);
  (void)diagonalize(&I);
  double a = I.m[0], b = I.m[4], c = I.m[8];
  if (a + b >= c && a + c >= b && b + c >= a) return false;
  inertia[0] = inertia[1] = inertia[2] = (a + b + c) / 3;
  inertia[3] = inertia[4] = inertia[5] = 0;
  return true;
}

void tribo_inertia_bound(double inertia[6], double least) {
  TriboMat3 D = to_matrix(inertia);
  TriboMat3 V = diagonalize(&D);
  if (D.m[0] >= least && D.m[4] >= least && D.m[8] >= least) return;
  TriboMat3 E = tribo_mat3_diagonal(fmax(D.m[0], least), fmax(D.m[4], least), fmax(D.m[8], least));
  from_matrix(tribo_mat3_mult(tribo_mat3_mul(V, E), V), inertia);
}
