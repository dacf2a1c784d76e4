// SPDX-License-Identifier: Apache-2.0
//
// Where friction may act: the nearest point of the disc |t| <= R, or of the polygon inscribed in
// it, with derivatives. Internal.
#ifndef TRIBO_SOLVERS_DISC_H_
#define TRIBO_SOLVERS_DISC_H_

#include <stdbool.h>

#include "engine/base/contact_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboDiscPoint {
  double t[2];     // the nearest point P(a)
  double A[2][2];  // dP/da
  double e[2];     // dP/dR
  bool inside;     // P(a) = a
} TriboDiscPoint;

// The point of the disc, or of the polygon of `facets` corners, of radius R >= 0 that is nearest to
// a. Fewer than 4 facets: the disc, which on a line (a[1] = 0) is the interval.
TriboDiscPoint tribo_disc_project(TriboCone cone, int facets, double radius, const double a[2]);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_DISC_H_
