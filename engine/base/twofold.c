// SPDX-License-Identifier: Apache-2.0
#include "engine/base/twofold.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static void swap_rows(int n, TriboTwofold* a, TriboTwofold* b) {
  for (int j = 0; j < n; ++j) {
    const TriboTwofold held = a[j];
    a[j] = b[j];
    b[j] = held;
  }
}

// row -= by other, from column `begin` on.
static void eliminate(int begin, int n, TriboTwofold by, const TriboTwofold* other,
                      TriboTwofold* row) {
  for (int j = begin; j < n; ++j) {
    if (other[j].high != 0) row[j] = tribo_twofold_less(row[j], by, other[j]);
  }
}

TriboStatus tribo_twofold_factor(int n, TriboTwofold* a, int* swap, double refuse) {
  double largest = 0;
  for (int i = 0; i < n * n; ++i) largest = fmax(largest, fabs(a[i].high));
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i) {
      if (fabs(a[i * n + k].high) > fabs(a[best * n + k].high)) best = i;
    }
    if (!(fabs(a[best * n + k].high) > refuse * largest)) return TRIBO_ERROR_SINGULAR;
    swap[k] = best;
    TriboTwofold* pivot = a + (ptrdiff_t)k * n;
    if (best != k) swap_rows(n, pivot, a + (ptrdiff_t)best * n);
    for (int i = k + 1; i < n; ++i) {
      TriboTwofold* row = a + (ptrdiff_t)i * n;
      if (row[k].high == 0) continue;
      row[k] = tribo_twofold_quotient(row[k], pivot[k]);
      eliminate(k + 1, n, row[k], pivot, row);
    }
  }
  return TRIBO_OK;
}

void tribo_twofold_solve(int n, const TriboTwofold* a, const int* swap, TriboTwofold* b) {
  for (int k = 0; k < n; ++k) swap_rows(1, b + k, b + swap[k]);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) b[i] = tribo_twofold_less(b[i], a[i * n + j], b[j]);
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) b[i] = tribo_twofold_less(b[i], a[i * n + j], b[j]);
    b[i] = tribo_twofold_quotient(b[i], a[i * n + i]);
  }
}
