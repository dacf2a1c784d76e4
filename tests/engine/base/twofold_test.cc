// SPDX-License-Identifier: Apache-2.0
#include "engine/base/twofold.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/base/random.h"

namespace {

TEST(Twofold, SumOfProductsKeepsWhatCancels) {
  TriboTwofold sum = {0, 0};
  const double a = 1 + 0x1p-40, b = 1 - 0x1p-40;
  tribo_twofold_add_product(&sum, a, b);
  tribo_twofold_add(&sum, -1);
  EXPECT_EQ(tribo_twofold_value(sum), -0x1p-80);
}

TEST(Twofold, SumWithAProductIsThatWithTheOppositeTaken) {
  TriboRandom random = tribo_random(4);
  for (int i = 0; i < 1000; ++i) {
    const TriboTwofold a = {tribo_random_in(&random, -2, 2), 1e-17};
    const TriboTwofold b = {tribo_random_in(&random, 1, 2), -1e-17};
    const double c = tribo_random_in(&random, -2, 2);
    const TriboTwofold more = tribo_twofold_more(a, b, c), by = {-c, 0};
    TriboTwofold rest = tribo_twofold_less(a, by, b);
    tribo_twofold_add(&rest, -more.high);
    rest.low -= more.low;
    EXPECT_LE(std::fabs(tribo_twofold_value(rest)), 1e-30);
  }
}

TEST(Twofold, QuotientTimesDivisorIsTheNumber) {
  TriboRandom random = tribo_random(3);
  for (int i = 0; i < 1000; ++i) {
    const TriboTwofold a = {tribo_random_in(&random, 1, 2), 1e-17};
    const TriboTwofold b = {tribo_random_in(&random, -2, -1), -1e-17};
    const TriboTwofold rest = tribo_twofold_less(a, tribo_twofold_quotient(a, b), b);
    EXPECT_LE(std::fabs(tribo_twofold_value(rest)), 1e-30);
  }
}

// 1/(i + j + 1) of order 10 has condition 1.6e13, which leaves three digits to doubles.
TEST(Twofold, SolvesTheHilbertMatrixToTheLastDigit) {
  const int n = 10;
  std::vector<TriboTwofold> a, b(n, TriboTwofold{0, 0});
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const TriboTwofold one = {1, 0}, by = {static_cast<double>(i + j + 1), 0};
      a.push_back(tribo_twofold_quotient(one, by));
      tribo_twofold_add(&b[i], a.back().high);
      b[i].low += a.back().low;
    }
  }
  std::vector<int> swap(n);
  ASSERT_EQ(tribo_twofold_factor(n, a.data(), swap.data(), 1e-28), TRIBO_OK);
  tribo_twofold_solve(n, a.data(), swap.data(), b.data());
  for (int i = 0; i < n; ++i) EXPECT_NEAR(tribo_twofold_value(b[i]), 1, 1e-15);
}

TEST(Twofold, SingularMatrixIsRefused) {
  TriboTwofold a[4] = {{1, 0}, {2, 0}, {0.5, 0}, {1, 0}};
  int swap[2];
  EXPECT_EQ(tribo_twofold_factor(2, a, swap, 1e-28), TRIBO_ERROR_SINGULAR);
}

}  // namespace
