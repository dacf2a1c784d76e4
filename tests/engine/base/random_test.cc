// SPDX-License-Identifier: Apache-2.0
#include "engine/base/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace {

TEST(Random, HashIsSplitMix64) {
  // The first outputs of SplitMix64 for seed 0, as its authors' reference code gives them.
  EXPECT_EQ(tribo_hash64(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(tribo_hash64(0x9e3779b97f4a7c15u), 0x6e789e6aa1b965f4u);
}

TEST(Random, SameSeedSameNumbersOtherSeedOthers) {
  TriboRandom a = tribo_random(5), b = tribo_random(5), c = tribo_random(6);
  int equal = 0;
  for (int i = 0; i < 1000; ++i) {
    uint64_t x = tribo_random_u64(&a);
    EXPECT_EQ(x, tribo_random_u64(&b));
    equal += x == tribo_random_u64(&c);
  }
  EXPECT_EQ(equal, 0);
}

TEST(Random, NthNumberNeedsOnlyTheCounter) {
  TriboRandom walk = tribo_random(7);
  for (int i = 0; i < 99; ++i) tribo_random_u64(&walk);
  TriboRandom jump = tribo_random(7);
  jump.counter = 99;
  EXPECT_EQ(tribo_random_u64(&walk), tribo_random_u64(&jump));
}

// Over N samples a mean strays by more than 5 sigma/sqrt(N) once in two million seeds.
TEST(Random, UniformAndNormalHaveTheirMoments) {
  const int kCount = 200000;
  TriboRandom random = tribo_random(8);
  double sum = 0, normal = 0, normal2 = 0;
  for (int i = 0; i < kCount; ++i) {
    double u = tribo_random_unit(&random);
    ASSERT_TRUE(u >= 0 && u < 1);
    sum += u;
    double n = tribo_random_normal(&random);
    normal += n;
    normal2 += n * n;
  }
  double deviation = 5 / std::sqrt(kCount);
  EXPECT_NEAR(sum / kCount, 0.5, deviation * std::sqrt(1.0 / 12));
  EXPECT_NEAR(normal / kCount, 0, deviation);
  EXPECT_NEAR(normal2 / kCount, 1, deviation * std::sqrt(2.0));
}

TEST(Random, IndexMeetsEveryValueAndNoOther) {
  TriboRandom random = tribo_random(9);
  int seen[7] = {};
  for (int i = 0; i < 1000; ++i) {
    int k = tribo_random_index(&random, 7);
    ASSERT_TRUE(k >= 0 && k < 7);
    ++seen[k];
  }
  for (int count : seen) EXPECT_GT(count, 0);
}

}  // namespace
