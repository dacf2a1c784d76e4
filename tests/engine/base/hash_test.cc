// SPDX-License-Identifier: Apache-2.0
#include "engine/base/hash.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace {

TEST(Hash, EveryBitOfADoubleChangesIt) {
  const double x = 0.1;
  std::set<uint64_t> seen = {tribo_hash_double(tribo_hash_begin(), x)};
  for (int bit = 0; bit < 64; ++bit) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits ^= uint64_t{1} << bit;
    double y;
    memcpy(&y, &bits, sizeof y);
    EXPECT_TRUE(seen.insert(tribo_hash_double(tribo_hash_begin(), y)).second) << bit;
  }
}

TEST(Hash, ZeroAndMinusZeroDiffer) {
  EXPECT_NE(tribo_hash_double(1, 0.0), tribo_hash_double(1, -0.0));
}

TEST(Hash, OrderMatters) {
  const double ab[] = {1, 2}, ba[] = {2, 1};
  EXPECT_NE(tribo_hash_doubles(1, ab, 2), tribo_hash_doubles(1, ba, 2));
}

TEST(Hash, MovingANumberToTheNextArrayIsSeen) {
  const double values[] = {1, 2, 3};
  uint64_t a = tribo_hash_doubles(tribo_hash_doubles(1, values, 1), values + 1, 2);
  uint64_t b = tribo_hash_doubles(tribo_hash_doubles(1, values, 2), values + 2, 1);
  EXPECT_NE(a, b);
}

TEST(Hash, TextsThatJoinToTheSameLettersDiffer) {
  uint64_t a = tribo_hash_text(tribo_hash_text(1, "ab"), "c");
  uint64_t b = tribo_hash_text(tribo_hash_text(1, "a"), "bc");
  EXPECT_NE(a, b);
}

TEST(Hash, AHundredThousandNeighboursDoNotCollide) {
  std::set<uint64_t> seen;
  double x = 1.0;
  for (int i = 0; i < 100000; ++i, x = std::nextafter(x, 2.0)) {
    seen.insert(tribo_hash_double(tribo_hash_begin(), x));
  }
  EXPECT_EQ(seen.size(), 100000u);
}

}  // namespace
