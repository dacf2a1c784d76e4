// SPDX-License-Identifier: Apache-2.0
#include "tests/scale.h"

#include <gtest/gtest.h>

#include <climits>
#include <cstdlib>

namespace {

TEST(Scale, MultipliesTheCountByTheEnvironmentVariable) {
  setenv("TRIBO_TEST_SCALE", "25", 1);
  EXPECT_EQ(tribo_test_count(40), 1000);
  setenv("TRIBO_TEST_SCALE", "0.1", 1);
  EXPECT_EQ(tribo_test_count(40), 4);
}

TEST(Scale, IsOneWhereTheVariableIsUnsetOrNoPositiveNumber) {
  unsetenv("TRIBO_TEST_SCALE");
  EXPECT_EQ(tribo_test_count(7), 7);
  for (const char* text : {"", "many", "-3", "0", "nan"}) {
    setenv("TRIBO_TEST_SCALE", text, 1);
    EXPECT_EQ(tribo_test_count(7), 7) << text;
  }
}

TEST(Scale, NeverLeavesATestWithoutCasesOrOverflowsInt) {
  setenv("TRIBO_TEST_SCALE", "0.001", 1);
  EXPECT_EQ(tribo_test_count(7), 1);
  setenv("TRIBO_TEST_SCALE", "1e12", 1);
  EXPECT_EQ(tribo_test_count(7), INT_MAX);
}

}  // namespace
