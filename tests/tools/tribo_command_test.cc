// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <jansson.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/command.h"

namespace {

CommandResult tribo(const std::string& arguments) {
  return run_command("tools/tribo/tribo " + arguments);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(TriboCommand, HelpGoesToStdoutAndListsTheCommandsAndExitCodes) {
  CommandResult help = tribo("--help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.err, "");
  EXPECT_TRUE(contains(help.out, "\n  bench ")) << help.out;
  EXPECT_TRUE(contains(help.out, "Exit code: 0")) << help.out;
}

TEST(TriboCommand, VersionIsOneLineWithThreeNumbers) {
  CommandResult version = tribo("--version");
  EXPECT_EQ(version.exit_code, 0);
  int major, minor, patch, length = 0;
  EXPECT_EQ(sscanf(version.out.c_str(), "tribo %d.%d.%d\n%n", &major, &minor, &patch, &length), 3);
  EXPECT_EQ(static_cast<size_t>(length), version.out.size());
}

TEST(TriboCommand, BadUsageExitsWithTwoAndExplainsOnStderrOnly) {
  for (const char* arguments : {"", "nosuch", "bench nosuch", "bench --nosuch", "bench base -r 0",
                                "bench base --against nosuchfile"}) {
    CommandResult result = tribo(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_NE(result.err, "") << arguments;
  }
}

TEST(TriboCommand, EveryListedCommandHasHelp) {
  CommandResult help = tribo("--help");
  size_t at = help.out.find("Commands:\n") + 10;
  int commands = 0;
  while (help.out.compare(at, 2, "  ") == 0) {
    std::string name = help.out.substr(at + 2, help.out.find(' ', at + 2) - at - 2);
    CommandResult own = tribo(name + " --help");
    EXPECT_EQ(own.exit_code, 0) << name;
    EXPECT_TRUE(contains(own.out, "tribo " + name)) << own.out;
    at = help.out.find('\n', at) + 1;
    ++commands;
  }
  EXPECT_GE(commands, 1);
}

TEST(TriboBench, JsonHoldsEveryRowAsNumbersAndNoProgress) {
  CommandResult result = tribo("bench base --quick --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  json_error_t error;
  json_t* report = json_loads(result.out.c_str(), 0, &error);
  ASSERT_NE(report, nullptr) << error.text;
  json_t* benchmark = json_array_get(json_object_get(report, "benchmarks"), 0);
  EXPECT_STREQ(json_string_value(json_object_get(benchmark, "name")), "base");
  json_t* row = json_array_get(json_object_get(benchmark, "rows"), 0);
  EXPECT_STREQ(json_string_value(json_object_get(row, "row")), "sincos");
  EXPECT_GT(json_number_value(json_object_get(row, "tribo_ns")), 0);
  json_decref(report);
}

// The stages of a step share its time, and every scene answers within the tolerance.
TEST(TriboBench, StepHasTheShareOfEveryStage) {
  CommandResult result = tribo("bench step --quick --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  json_t* report = json_loads(result.out.c_str(), 0, nullptr);
  json_t* rows = json_object_get(json_array_get(json_object_get(report, "benchmarks"), 0), "rows");
  EXPECT_GE(json_array_size(rows), 10u);
  size_t i;
  json_t* row;
  json_array_foreach(rows, i, row) {
    const auto figure = [&](const std::string& name) {
      EXPECT_TRUE(json_is_number(json_object_get(row, name.c_str()))) << name;
      return json_number_value(json_object_get(row, name.c_str()));
    };
    double sum = 0;
    for (const char* stage : {"tree", "collision", "assembly", "solve", "projection", "rest"}) {
      const double share = figure(std::string("share_") + stage);
      EXPECT_GT(share, 0) << stage;
      sum += share;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_GT(figure("steps_per_s"), 0);
    EXPECT_GE(figure("pivots_warm"), 0);
    EXPECT_GE(figure("pivots_cold"), 0);
    EXPECT_LE(figure("certificate"), 1e-9);
    EXPECT_LE(figure("penetration_m"), 1e-9);
    EXPECT_LE(figure("slip_m_per_s"), 1e-9);
  }
  json_decref(report);
}

TEST(TriboBench, AgainstAnEarlierRunShowsTheRatioOfEveryFigure) {
  const std::string path = testing::TempDir() + "/earlier.json";
  std::ofstream(path) << R"({"benchmarks": [{"name": "base", "rows": [
      {"row": "sincos", "tribo_ns": 1e-3, "libm_ns": 1e9}]}]})";
  CommandResult result = tribo("bench base --quick --json --against " + path);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  json_t* report = json_loads(result.out.c_str(), 0, nullptr);
  json_t* benchmark = json_array_get(json_object_get(report, "benchmarks"), 0);
  json_t* row = json_array_get(json_object_get(benchmark, "rows"), 0);
  double now = json_number_value(json_object_get(row, "tribo_ns"));
  EXPECT_DOUBLE_EQ(json_number_value(json_object_get(row, "tribo_ns/then")), now / 1e-3);
  // A row that the earlier run does not have gets no ratio.
  json_t* other = json_array_get(json_object_get(benchmark, "rows"), 1);
  EXPECT_EQ(json_object_get(other, "tribo_ns/then"), nullptr);
  json_decref(report);
}

TEST(TriboBench, ReportHoldsEveryRowAndRatio) {
  const std::string path = testing::TempDir() + "/earlier.json",
                    page = testing::TempDir() + "/b.html";
  std::ofstream(path) << R"({"benchmarks": [{"name": "base", "rows": [
      {"row": "sincos", "tribo_ns": 1e-3}]}]})";
  CommandResult result = tribo("bench base --quick --against " + path + " --report " + page);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::ifstream in(page);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_TRUE(contains(text, "<h2>base</h2>")) << text;
  EXPECT_TRUE(contains(text, "<th>tribo_ns/then</th>")) << text;
  EXPECT_TRUE(contains(text, "<td>atan2</td>")) << text;
  EXPECT_EQ(tribo("bench base --quick --report /no/such/folder/b.html").exit_code, 2);
}

TEST(TriboBench, WhatIsNoEarlierRunIsRefused) {
  const std::string path = testing::TempDir() + "/other.json";
  for (const char* text : {"{}", "[1]", "PK", "{\"benchmarks\": 3}"}) {
    std::ofstream(path) << text;
    CommandResult result = tribo("bench base --quick --against " + path);
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_TRUE(contains(result.err, "other.json")) << result.err;
    EXPECT_EQ(result.out, "") << "nothing was measured";
  }
  std::ofstream(path) << R"({"benchmarks": []})";
  CommandResult result = tribo("bench base --quick --against " + path);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(contains(result.err, "base is not in")) << result.err;
}

TEST(TriboBench, TheListIsJsonWhereThatIsAskedFor) {
  CommandResult result = tribo("bench --json");
  json_t* list = json_loads(result.out.c_str(), 0, nullptr);
  EXPECT_GE(json_array_size(json_object_get(list, "benchmarks")), 11u) << result.out;
  json_decref(list);
}

TEST(TriboBench, TableHasOneLinePerRowUnderTheNamesOfTheFigures) {
  CommandResult result = tribo("bench base --quick");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(contains(result.out, "\nrow ")) << result.out;
  EXPECT_TRUE(contains(result.out, "tribo_ns")) << result.out;
  EXPECT_TRUE(contains(result.out, "\nsincos ")) << result.out;
  EXPECT_TRUE(contains(result.out, "\natan2 ")) << result.out;
}

}  // namespace
