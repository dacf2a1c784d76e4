// SPDX-License-Identifier: Apache-2.0
//
// Stands in for factor_cholmod.c where the library is built without CHOLMOD.
#include "solvers/factor_cholmod.h"

TriboFactor* tribo_factor_cholmod_create(int ny, int capacity) {
  (void)ny;
  (void)capacity;
  return NULL;
}

void tribo_factor_cholmod_destroy(TriboFactor* factor) { (void)factor; }

TriboStatus tribo_factor_cholmod_analyze(TriboFactor* factor, const TriboFactorRow* rows) {
  (void)factor;
  (void)rows;
  return TRIBO_ERROR_UNSUPPORTED;
}

long tribo_factor_cholmod_entries(const TriboFactor* factor) {
  (void)factor;
  return 0;
}
