// SPDX-License-Identifier: Apache-2.0
//
// Sine, cosine and arctangent that are the same bits everywhere. The C library promises nothing
// about the last bit of these, and compilers fold calls with constant arguments by other code than
// runs later; a trajectory must not depend on either. They use only + - * / and sqrt, which IEEE
// 754 rounds correctly. Internal.
#ifndef TRIBO_ENGINE_BASE_TRIG_H_
#define TRIBO_ENGINE_BASE_TRIG_H_

#ifdef __cplusplus
extern "C" {
#endif

// sin and cos of x radians, absolute error below 2 ulp of 1 for |x| < 1e6; NaN for NaN and
// infinity.
void tribo_sincos(double x, double* sine, double* cosine);
double tribo_sin(double x);
double tribo_cos(double x);

// The angle of (x, y) in (-pi, pi]; error below 2 ulp.
double tribo_atan2(double y, double x);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_BASE_TRIG_H_
