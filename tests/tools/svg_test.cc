// SPDX-License-Identifier: Apache-2.0
#include "tools/trajectory/svg.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

std::string draw(const TriboPlot& plot) {
  char* text = nullptr;
  size_t size = 0;
  FILE* out = open_memstream(&text, &size);
  tribo_plot_write(&plot, out);
  fclose(out);
  std::string result(text, size);
  free(text);
  return result;
}

struct Points {
  std::vector<double> x, y;
  explicit Points(int count) : x(count), y(count) {
    for (int i = 0; i < count; ++i) x[i] = i;
  }
  TriboCurve curve(const char* name) const {
    TriboCurve c = {};
    c.name = name;
    c.count = static_cast<int64_t>(x.size());
    c.x = x.data();
    c.y = y.data();
    c.x_stride = c.y_stride = 1;
    return c;
  }
};

// The heights of all points of all polylines, in pixels from the top.
std::vector<double> heights(const std::string& page) {
  std::vector<double> result;
  for (size_t at = 0; (at = page.find("points=\"", at)) != std::string::npos;) {
    at += 8;
    const std::string list = page.substr(at, page.find('"', at) - at);
    for (size_t comma = 0; (comma = list.find(',', comma)) != std::string::npos;)
      result.push_back(std::atof(list.c_str() + ++comma));
  }
  return result;
}

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(Plot, AMillionPointsFillNoMoreThanThePixelsAndKeepASingleSpike) {
  Points many(1000000);
  for (size_t i = 0; i < many.y.size(); ++i) many.y[i] = static_cast<double>(i * 7919 % 101);
  many.y[123457] = 1000;
  TriboPlot plot = {};
  plot.title = "noise", plot.unit = "m";
  tribo_plot_add(&plot, many.curve("many"));
  const std::string page = draw(plot);
  const std::vector<double> all = heights(page);
  EXPECT_LE(all.size(), 2u * TRIBO_PLOT_PIXELS);
  EXPECT_LT(page.size(), 2u * TRIBO_PLOT_PIXELS * sizeof "123.4,123.4" + 4000);
  int high = 0;
  for (double y : all) high += y < 60;  // the spike; the noise lies in the lowest tenth
  EXPECT_EQ(high, 1);
}

TEST(Plot, ALevelCurveIsTwoPoints) {
  Points p(500);
  TriboPlot plot = {};
  plot.title = "rest", plot.unit = "m";
  tribo_plot_add(&plot, p.curve("flat"));
  EXPECT_EQ(heights(draw(plot)).size(), 2u);
}

TEST(Plot, ALogarithmicCurveHasAGapWhereItIsZero) {
  Points p(30);
  for (int i = 0; i < 30; ++i) p.y[i] = i >= 10 && i < 20 ? 0 : 1e-6;
  TriboPlot plot = {};
  plot.title = "error", plot.unit = "m", plot.logarithmic = true;
  tribo_plot_add(&plot, p.curve("error"));
  EXPECT_EQ(count_of(draw(plot), "<polyline"), 2);
}

TEST(Plot, RarePeaksLeaveAClippedPlotWhichSaysSo) {
  Points p(1000);
  for (int i = 0; i < 1000; ++i) p.y[i] = 50 + i % 10;
  p.y[500] = 5000;
  TriboPlot plot = {};
  plot.title = "force", plot.unit = "N";
  tribo_plot_add(&plot, p.curve("foot"));
  EXPECT_EQ(draw(plot).find("peaks leave the plot"), std::string::npos);
  plot.clipped = true;
  const std::string page = draw(plot);
  EXPECT_NE(page.find("peaks leave the plot: up to 5000 N"), std::string::npos) << page;
  // Without the peak the curve fills a good part of the height.
  double lowest = 0;
  for (double y : heights(page)) lowest = std::max(lowest, y);
  EXPECT_LT(lowest, 250);
  EXPECT_GT(count_of(page, ">50<") + count_of(page, ">60<"), 0) << page;
}

TEST(Plot, FaintCurvesAreCountedAndNotNamed) {
  Points p(3);
  TriboPlot plot = {};
  plot.title = "many", plot.unit = "m";
  TriboCurve faint = p.curve("hidden");
  faint.faint = true;
  for (int i = 0; i < 5; ++i) tribo_plot_add(&plot, faint);
  tribo_plot_add(&plot, p.curve("a < b & c"));
  const std::string page = draw(plot), legend = page.substr(page.find("</svg>"));
  EXPECT_EQ(legend.find("hidden"), std::string::npos) << legend;
  EXPECT_NE(legend.find("5 more in grey"), std::string::npos) << legend;
  EXPECT_NE(legend.find("a &lt; b &amp; c"), std::string::npos) << legend;
  for (int i = 0; i < 300; ++i) tribo_plot_add(&plot, faint);
  EXPECT_NE(draw(plot).find("and 50 more, not drawn"), std::string::npos);
}

}  // namespace
