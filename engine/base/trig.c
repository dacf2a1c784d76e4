// SPDX-License-Identifier: Apache-2.0
//
// sin, cos: reduction to |r| <= pi/4 by Cody and Waite with pi/2 in three parts, then Taylor
// series, whose remainder (pi/4)^19/19! is 1e-19. atan: reduction to |r| <= 1/16 around the nearest
// eighth by atan t = atan c + atan((t - c)/(1 + t c)), then the series, remainder 16^-15/15 =
// 6e-20.
#include "engine/base/trig.h"

#include <math.h>

// pi/2 = P1 + P2 + P3; P1 and P2 have 33 bits, so that n P1 and n P2 are exact for |n| < 2^20.
static const double P1 = 0x1.921fb544p+0;
static const double P2 = 0x1.0b4611a6p-34;
static const double P3 = 0x1.3198a2e037073p-69;
static const double TWO_OVER_PI = 0x1.45f306dc9c883p-1;
static const double TWO_PI = 0x1.921fb54442d18p+2;
static const double HALF_PI = 0x1.921fb54442d18p+0;
static const double PI = 0x1.921fb54442d18p+1;

// Beyond this the reduction's products are no longer exact.
static const double REDUCTION_LIMIT = 1e6;

// Two numbers that the same operations are done on.
typedef double Pair __attribute__((vector_size(16)));

// Both series for |r| <= pi/4, side by side: their terms are as many.
static inline void series(double r, double* sine, double* cosine) {
  static const Pair term[] = {
      {1.0 / 355687428096000.0, -1.0 / 6402373705728000.0},
      {-1.0 / 1307674368000.0, 1.0 / 20922789888000.0},
      {1.0 / 6227020800.0, -1.0 / 87178291200.0},
      {-1.0 / 39916800.0, 1.0 / 479001600.0},
      {1.0 / 362880.0, -1.0 / 3628800.0},
      {-1.0 / 5040.0, 1.0 / 40320.0},
      {1.0 / 120.0, -1.0 / 720.0},
      {-1.0 / 6.0, 1.0 / 24.0},
  };
  const double z = r * r;
  const Pair zz = {z, z}, factor = {r * z, z * z};
  Pair sum = term[0];
  sum = sum * zz + term[1];
  sum = sum * zz + term[2];
  sum = sum * zz + term[3];
  sum = sum * zz + term[4];
  sum = sum * zz + term[5];
  sum = sum * zz + term[6];
  sum = sum * zz + term[7];
  sum = factor * sum;
  // 1 - z/2 loses up to half an ulp of 1; give it back with the rest of the series.
  const double half = 0.5 * z, head = 1.0 - half;
  *sine = r + sum[0];
  *cosine = head + ((1.0 - head - half) + sum[1]);
}

// fmod is exact, so this is deterministic; its error is that of 2 pi times the turns taken off.
static void sincos_far(double x, double* sine, double* cosine) {
  x = fmod(x, TWO_PI);
  if (isfinite(x)) {
    tribo_sincos(x, sine, cosine);
  } else {
    *sine = *cosine = NAN;
  }
}

void tribo_sincos(double x, double* sine, double* cosine) {
  if (!(fabs(x) < REDUCTION_LIMIT)) {
    sincos_far(x, sine, cosine);
    return;
  }
  // Round to the nearest quarter turn without lrint, whose rounding mode is global state.
  double turns = x * TWO_OVER_PI;
  int n = (int)(turns + (turns >= 0 ? 0.5 : -0.5));
  double r = ((x - n * P1) - n * P2) - n * P3;
  double s, c;
  series(r, &s, &c);
  switch (n & 3) {
    case 0:
      *sine = s;
      *cosine = c;
      break;
    case 1:
      *sine = c;
      *cosine = -s;
      break;
    case 2:
      *sine = -s;
      *cosine = -c;
      break;
    default:
      *sine = -c;
      *cosine = s;
      break;
  }
}

double tribo_sin(double x) {
  double s, c;
  tribo_sincos(x, &s, &c);
  return s;
}

double tribo_cos(double x) {
  double s, c;
  tribo_sincos(x, &s, &c);
  return c;
}

// atan t for 0 <= t <= 1.
static double atan_unit(double t) {
  // atan(i/8), correctly rounded.
  static const double table[9] = {
      0x0.0p+0,
      0x1.fd5ba9aac2f6ep-4,
      0x1.f5b75f92c80ddp-3,
      0x1.6f61941e4def1p-2,
      0x1.dac670561bb4fp-2,
      0x1.1e00babdefeb4p-1,
      0x1.4978fa3269ee1p-1,
      0x1.700a7c5784634p-1,
      0x1.921fb54442d18p-1,
  };
  int i = (int)(8.0 * t + 0.5);
  double c = 0.125 * i;
  double r = (t - c) / (1.0 + t * c);
  double z = r * r;
  double s = 1.0 / 13.0;
  s = s * z - 1.0 / 11.0;
  s = s * z + 1.0 / 9.0;
  s = s * z - 1.0 / 7.0;
  s = s * z + 1.0 / 5.0;
  s = s * z - 1.0 / 3.0;
  return table[i] + (r + r * z * s);
}

double tribo_atan2(double y, double x) {
  double ax = fabs(x), ay = fabs(y);
  if (isnan(x) || isnan(y)) return NAN;
  if (ax == 0 && ay == 0) return copysign(signbit(x) ? PI : 0.0, y);
  // The ratio of two infinities stands for 45 degrees, as in C.
  double t = (isinf(ax) && isinf(ay)) ? 1.0 : (ay < ax ? ay / ax : ax / ay);
  double a = ay < ax ? atan_unit(t) : HALF_PI - atan_unit(t);
  if (isinf(ax) && isinf(ay)) a = 0.5 * HALF_PI;
  if (signbit(x)) a = PI - a;
  return copysign(a, y);
}
