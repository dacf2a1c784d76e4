// SPDX-License-Identifier: Apache-2.0
#include "engine/base/trig.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/base/random.h"

namespace {

const double kUlpOfOne = 0x1p-53;

TEST(Trig, SineAndCosineMatchTheCLibraryWithinTwoUlpOfOne) {
  TriboRandom random = tribo_random(1);
  for (int i = 0; i < 200000; ++i) {
    double range = std::pow(10.0, tribo_random_in(&random, -8, 6));
    double x = tribo_random_in(&random, -range, range);
    double s, c;
    tribo_sincos(x, &s, &c);
    // long double has 11 bits more, so it stands for the truth here.
    EXPECT_NEAR(s, static_cast<double>(sinl(x)), 2 * kUlpOfOne) << x;
    EXPECT_NEAR(c, static_cast<double>(cosl(x)), 2 * kUlpOfOne) << x;
  }
}

TEST(Trig, SmallSineIsRelativelyAccurate) {
  TriboRandom random = tribo_random(2);
  for (int i = 0; i < 10000; ++i) {
    double x = std::pow(10.0, tribo_random_in(&random, -300, -1));
    EXPECT_NEAR(tribo_sin(x) / static_cast<double>(sinl(x)), 1.0, 4 * kUlpOfOne) << x;
  }
}

TEST(Trig, SineOfNonFiniteIsNan) {
  for (double x :
       {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(tribo_sin(x)));
    EXPECT_TRUE(std::isnan(tribo_cos(x)));
  }
}

TEST(Trig, HugeAnglesStayOnTheUnitCircle) {
  for (double x : {1e7, -3e12, 1e300}) {
    double s, c;
    tribo_sincos(x, &s, &c);
    EXPECT_NEAR(s * s + c * c, 1.0, 1e-15);
  }
}

TEST(Trig, ArctangentMatchesTheCLibraryWithinTwoUlp) {
  TriboRandom random = tribo_random(3);
  for (int i = 0; i < 200000; ++i) {
    double y = tribo_random_in(&random, -1, 1) * std::pow(10.0, tribo_random_in(&random, -20, 20));
    double x = tribo_random_in(&random, -1, 1) * std::pow(10.0, tribo_random_in(&random, -20, 20));
    double a = tribo_atan2(y, x);
    double truth = static_cast<double>(atan2l(y, x));
    EXPECT_NEAR(a, truth, 4 * kUlpOfOne * std::fabs(truth)) << y << " " << x;
  }
}

TEST(Trig, ArctangentAgreesWithCOnTheAxes) {
  for (double y : {0.0, -0.0, 1.0, -1.0, HUGE_VAL, -HUGE_VAL}) {
    for (double x : {0.0, -0.0, 1.0, -1.0, HUGE_VAL, -HUGE_VAL}) {
      EXPECT_EQ(tribo_atan2(y, x), std::atan2(y, x)) << y << " " << x;
      EXPECT_EQ(std::signbit(tribo_atan2(y, x)), std::signbit(std::atan2(y, x))) << y << " " << x;
    }
  }
}

}  // namespace
