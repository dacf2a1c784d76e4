// SPDX-License-Identifier: Apache-2.0
//
// The golden workflow: record, verify, update; the Bazel rule on a model that was changed; replay.
#include <gtest/gtest.h>
#include <jansson.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/command.h"

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

CommandResult tribo(const std::string& arguments) {
  return run_command("tools/tribo/tribo " + arguments);
}

std::string path_of(const std::string& name) { return testing::TempDir() + "/" + name; }

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// Runs a test of the rule as Bazel does.
CommandResult run_rule(const std::string& name, const std::string& outputs) {
  return run_command("mkdir -p " + outputs + " && TEST_UNDECLARED_OUTPUTS_DIR=" + outputs +
                     " XML_OUTPUT_FILE=" + outputs + "/test.xml tests/golden/" + name);
}

TEST(TrajectoryRule, PassesOnTheModelThatWasRecorded) {
  const std::string outputs = path_of("unchanged");
  CommandResult result = run_rule("slide_from_file", outputs);
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  const std::string xml = read_file(outputs + "/test.xml");
  EXPECT_TRUE(contains(xml, "name=\"AllTests\"")) << xml;
  EXPECT_TRUE(contains(xml, "status=\"run\" result=\"completed\"")) << xml;
  EXPECT_FALSE(contains(xml, "<failure")) << xml;
}

TEST(TrajectoryRule, FailsOnAPerturbedModelWithAReadableLogAndAReport) {
  const std::string outputs = path_of("perturbed");
  CommandResult result = run_rule("slide_perturbed", outputs);
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_TRUE(contains(result.out, "slide.npz: different")) << result.out;
  EXPECT_TRUE(contains(result.out, "first beyond its tolerance at ")) << result.out;
  EXPECT_TRUE(contains(read_file(outputs + "/report.html"), "<svg")) << "there is no report";
  EXPECT_TRUE(contains(read_file(outputs + "/test.xml"), "<failure"));
}

class Golden : public ::testing::Test {
 protected:
  // A folder with one case of its own.
  void SetUp() override {
    folder_ = path_of(testing::UnitTest::GetInstance()->current_test_info()->name());
    ASSERT_EQ(run_command("mkdir -p " + folder_).exit_code, 0);
    write_manifest("incline:mu=0.2", "");
  }
  void write_manifest(const std::string& model, const std::string& tolerances) {
    std::ofstream(folder_ + "/cases.json")
        << R"({"cases": [{"name": "one", "model": ")" << model
        << R"(", "duration": 0.05, "tolerances": ")" << tolerances << "\"}]}";
  }
  std::string folder_;
};

TEST_F(Golden, WhatIsRecordedIsVerifiedUntilItChanges) {
  EXPECT_EQ(tribo("verify " + folder_).exit_code, 2) << "there is nothing to compare with";
  ASSERT_EQ(tribo("record " + folder_).exit_code, 0);
  EXPECT_EQ(tribo("verify " + folder_).exit_code, 0);
  write_manifest("incline:mu=0.25", "");
  CommandResult changed = tribo("verify " + folder_);
  EXPECT_EQ(changed.exit_code, 1);
  EXPECT_TRUE(contains(changed.out, "one: different")) << changed.out;
  // Recording again does not overwrite what is there.
  EXPECT_EQ(tribo("record " + folder_).exit_code, 0);
  EXPECT_EQ(tribo("verify " + folder_).exit_code, 1);
  CommandResult update = tribo("verify --update " + folder_);
  EXPECT_EQ(update.exit_code, 0) << update.err;
  EXPECT_TRUE(contains(update.out, "accepted as the new")) << update.out;
  EXPECT_TRUE(contains(update.out, "force ")) << "the summary says what changed\n" << update.out;
  EXPECT_EQ(tribo("verify " + folder_).exit_code, 0);
}

TEST_F(Golden, TolerancesAreSetFromTheMeasuredDifferenceWithAReason) {
  ASSERT_EQ(tribo("record " + folder_).exit_code, 0);
  write_manifest("incline:mu=0.2001", "");
  EXPECT_EQ(tribo("verify --update --widen " + folder_).exit_code, 2) << "a reason is needed";
  CommandResult result = tribo("verify --update --widen --reason 'another friction' " + folder_);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string manifest = read_file(folder_ + "/cases.json");
  EXPECT_TRUE(contains(manifest, "another friction")) << manifest;
  EXPECT_TRUE(contains(manifest, "v=")) << manifest;
  EXPECT_EQ(tribo("verify " + folder_).exit_code, 0);
  // Tolerances are not a licence.
  std::string worse = manifest;
  worse.replace(worse.find("0.2001"), 6, "0.25");
  std::ofstream(folder_ + "/cases.json") << worse;
  EXPECT_EQ(tribo("verify " + folder_).exit_code, 1);
}

// What was tolerated already stays tolerated as it was.
TEST_F(Golden, WideningNeverTightensATolerance) {
  ASSERT_EQ(tribo("record " + folder_).exit_code, 0);
  write_manifest("incline:mu=0.2001", "q=0.5,force=0:1e-12,time=0.25");
  CommandResult result = tribo("verify --update --widen --reason 'another friction' " + folder_);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string manifest = read_file(folder_ + "/cases.json");
  EXPECT_TRUE(contains(manifest, "\"q=0.5,v=")) << manifest;
  EXPECT_TRUE(contains(manifest, ":1e-12,")) << manifest;
  EXPECT_TRUE(contains(manifest, "time=0.25\"")) << manifest;
  EXPECT_EQ(tribo("verify " + folder_).exit_code, 0);
  CommandResult nobody = tribo("verify --case nobody " + folder_);
  EXPECT_EQ(nobody.exit_code, 2);
  EXPECT_TRUE(contains(nobody.err, "no such case")) << nobody.err;
}

TEST_F(Golden, AManifestThatMakesNoSenseIsRefused) {
  for (const char* text :
       {"{}", "{\"cases\": 1}", "not json", R"({"cases": [{"name": "one"}]})",
        R"({"cases": [{"name": "one", "model": "incline", "nosuch": 1}]})",
        R"({"cases": [{"name": "../one", "model": "incline"}]})",
        R"({"cases": [{"name": "one", "model": "incline", "tolerances": "x"}]})"}) {
    std::ofstream(folder_ + "/cases.json") << text;
    CommandResult result = tribo("verify " + folder_);
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_NE(result.err, "") << text;
  }
}

TEST_F(Golden, ReplayRepeatsEveryBitAndNoticesAChangedModel) {
  const std::string path = folder_ + "/run.npz";
  ASSERT_EQ(tribo("simulate quadruped -c quadruped -t 0.1 --energy -o " + path).exit_code, 0);
  CommandResult same = tribo("replay " + path);
  EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  CommandResult changed = tribo("replay " + path + " --model quadruped:mu=0.1 --json");
  EXPECT_EQ(changed.exit_code, 1) << changed.out << changed.err;
  EXPECT_TRUE(contains(changed.err, "has changed")) << changed.err;
  json_t* report = json_loads(changed.out.c_str(), 0, nullptr);
  EXPECT_FALSE(json_is_true(json_object_get(report, "same"))) << changed.out;
  json_decref(report);
  EXPECT_EQ(tribo("replay " + path + " --model incline").exit_code, 2);
  ASSERT_EQ(tribo("simulate incline -t 0.1 --every 5 -o " + path).exit_code, 0);
  CommandResult gaps = tribo("replay " + path);
  EXPECT_EQ(gaps.exit_code, 2);
  EXPECT_TRUE(contains(gaps.err, "every 5-th step")) << gaps.err;
}

}  // namespace
