// SPDX-License-Identifier: Apache-2.0
#include "models/number.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace {

TEST(Number, ReadsWhatTheCompilerReads) {
  struct {
    const char* text;
    double value;
  } cases[] = {{"0", 0},
               {"-1.5", -1.5},
               {"+.25", .25},
               {"3.", 3.},
               {" 0.1\n", 0.1},
               {"1e-3", 1e-3},
               {"12.345E1", 12.345E1},
               {"0.000000000000000000001234567890123456789", 1.234567890123456789e-21},
               {"1.7976931348623157e308", 1.7976931348623157e308},
               {"4.9e-324", 4.9e-324},
               {"1e-999999999999", 0}};
  for (const auto& c : cases) {
    double value = -7;
    EXPECT_TRUE(tribo_number_parse(c.text, &value)) << c.text;
    EXPECT_EQ(value, c.value) << c.text;
  }
}

TEST(Number, RefusesEverythingElseAndKeepsTheValue) {
  for (const char* text : {"", " ", "nan", "NaN", "inf", "-infinity", "1e999", "0x10", "1.2.3",
                           "1,5", "1m", "--1", "+", ".", "e5", "1e", "1e+", "1 2", "${mass}"}) {
    double value = -7;
    EXPECT_FALSE(tribo_number_parse(text, &value)) << text;
    EXPECT_EQ(value, -7) << text;
  }
  double value;
  EXPECT_FALSE(tribo_number_parse(std::string(5000, '9').c_str(), &value));
}

TEST(Number, ListsCountTheirNumbersAndRefuseTooMany) {
  double v[3];
  EXPECT_EQ(tribo_numbers_parse(" 1\t2\r\n3 ", 3, v), 3);
  EXPECT_EQ(v[0], 1);
  EXPECT_EQ(v[1], 2);
  EXPECT_EQ(v[2], 3);
  EXPECT_EQ(tribo_numbers_parse("1 2", 3, v), 2);
  EXPECT_EQ(tribo_numbers_parse("", 3, v), 0);
  EXPECT_EQ(tribo_numbers_parse("1 2 3 4", 3, v), -1);
  EXPECT_EQ(tribo_numbers_parse("1 2 nan", 3, v), -1);
}

TEST(Number, EveryPrintedDoubleComesBackWithTheSameBits) {
  double x = 1;
  for (int i = 0; i < 2000; ++i) {
    x = x * -1.37 + 1e-3 * i;
    if (x > 1e300 || x < -1e300) x = 1e-300;
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", x);
    double value;
    ASSERT_TRUE(tribo_number_parse(text, &value)) << text;
    EXPECT_EQ(value, x);
  }
}

}  // namespace
