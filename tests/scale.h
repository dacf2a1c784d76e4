// SPDX-License-Identifier: Apache-2.0
//
// How much a randomized test does. The quick suite runs every test with its own count; `tools/dev
// soak` runs the same tests with TRIBO_TEST_SCALE times as many cases.
#ifndef TRIBO_TESTS_SCALE_H_
#define TRIBO_TESTS_SCALE_H_

#include <algorithm>
#include <climits>
#include <cstdlib>

// n times the environment variable TRIBO_TEST_SCALE (a positive number, fractions allowed; 1 when
// it is unset or no number), at least 1.
inline int tribo_test_count(int n) {
  const char* text = std::getenv("TRIBO_TEST_SCALE");
  double scale = text != nullptr ? std::strtod(text, nullptr) : 1.0;
  if (!(scale > 0)) scale = 1.0;
  return static_cast<int>(std::clamp(n * scale, 1.0, static_cast<double>(INT_MAX)));
}

#endif  // TRIBO_TESTS_SCALE_H_
