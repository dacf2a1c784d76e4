// SPDX-License-Identifier: Apache-2.0
//
// Inertia matrices as model files have them: turned, checked, and mended where no body could have
// them. Order xx yy zz xy xz yz, kg m^2. Internal.
#ifndef TRIBO_MODELS_INERTIA_H_
#define TRIBO_MODELS_INERTIA_H_

#include <stdbool.h>

#include "engine/base/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// R I R^T, with R of the unit quaternion q: from the axes of a turned frame to those of its parent.
void tribo_inertia_rotate(TriboQuat q, double inertia[6]);

// Principal moments, and the rotation that takes their axes to those of `inertia`, to rounding.
TriboQuat tribo_inertia_principal(const double inertia[6], double moments[3]);

// Makes the nearest inertia of a mass distribution, where it is none by more than 1e-9 of its
// trace: negative second moments become 0. Returns whether it changed anything.
bool tribo_inertia_mend(double inertia[6]);

// MuJoCo's way of mending: all three principal moments become their mean. Returns whether it did.
bool tribo_inertia_balance(double inertia[6]);

// Raises principal moments to at least `least`.
void tribo_inertia_bound(double inertia[6], double least);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_MODELS_INERTIA_H_
