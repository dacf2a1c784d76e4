// SPDX-License-Identifier: Apache-2.0
#include "models/report.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace {

class Report : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(tribo_report_create(3, nullptr, &report_), TRIBO_OK); }
  void TearDown() override { tribo_report_destroy(report_); }
  TriboReport* report_ = nullptr;
};

TEST_F(Report, KeepsKindPlaceElementAndText) {
  tribo_report_add(report_, TRIBO_REPORT_WARNING, "a.urdf", 7, "link arm", "mass is %d", 0);
  ASSERT_EQ(tribo_report_count(report_), 1);
  const TriboReportEntry* entry = tribo_report_entry(report_, 0);
  EXPECT_EQ(entry->kind, TRIBO_REPORT_WARNING);
  EXPECT_STREQ(entry->file, "a.urdf");
  EXPECT_EQ(entry->line, 7);
  EXPECT_STREQ(entry->element, "link arm");
  EXPECT_STREQ(entry->text, "mass is 0");
  EXPECT_EQ(tribo_report_entry(report_, 1), nullptr);
  EXPECT_EQ(tribo_report_entry(report_, -1), nullptr);
}

TEST_F(Report, EqualFindingsAreCountedOnceWithTheFirstLine) {
  for (int line : {4, 9, 12}) {
    tribo_report_add(report_, TRIBO_REPORT_UNUSED, "f", line, "link/visual", "for viewing");
  }
  ASSERT_EQ(tribo_report_count(report_), 1);
  EXPECT_EQ(tribo_report_entry(report_, 0)->occurrences, 3);
  EXPECT_EQ(tribo_report_entry(report_, 0)->line, 4);
}

// Eight knees without limits are one line, and no place is lost.
TEST_F(Report, FindingsThatDifferByTheElementAreOneEntryWithAllPlaces) {
  for (int i = 0; i < 8; ++i) {
    tribo_report_add(report_, TRIBO_REPORT_WARNING, "f", 10 + i,
                     ("knee" + std::to_string(i)).c_str(), "no limits");
    tribo_report_add(report_, TRIBO_REPORT_WARNING, "f", 30 + i, "hip", "no mass");
  }
  ASSERT_EQ(tribo_report_count(report_), 2);
  EXPECT_EQ(tribo_report_entry(report_, 0)->occurrences, 8);
  EXPECT_STREQ(tribo_report_entry(report_, 0)->element, "knee0");
  TriboReportPlace place;
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(tribo_report_place(report_, 0, i, &place));
    EXPECT_EQ(place.line, 10 + i);
    EXPECT_EQ(place.element, "knee" + std::to_string(i));
    ASSERT_TRUE(tribo_report_place(report_, 1, i, &place));
    EXPECT_EQ(place.line, 30 + i);
  }
  EXPECT_FALSE(tribo_report_place(report_, 0, 8, &place));
  EXPECT_FALSE(tribo_report_place(report_, 0, -1, &place));
  EXPECT_FALSE(tribo_report_place(report_, 2, 0, &place));
}

// Without room for more places the count stays right.
TEST_F(Report, OccurrencesAreCountedBeyondThePlacesThatAreKept) {
  for (int i = 0; i < 1000; ++i) {
    tribo_report_add(report_, TRIBO_REPORT_WARNING, "f", i, "e", "again");
  }
  EXPECT_EQ(tribo_report_entry(report_, 0)->occurrences, 1000);
  TriboReportPlace place;
  EXPECT_TRUE(tribo_report_place(report_, 0, 3 * TRIBO_REPORT_PLACES - 1, &place));
  EXPECT_FALSE(tribo_report_place(report_, 0, 3 * TRIBO_REPORT_PLACES, &place));
}

TEST_F(Report, AFullListCountsWhatItDropsAndClearEmptiesIt) {
  for (int i = 0; i < 5; ++i) {
    tribo_report_add(report_, TRIBO_REPORT_WARNING, "f", i, "e", "%d", i);
  }
  EXPECT_EQ(tribo_report_count(report_), 3);
  EXPECT_EQ(tribo_report_dropped(report_), 2);
  tribo_report_clear(report_);
  EXPECT_EQ(tribo_report_count(report_), 0);
  EXPECT_EQ(tribo_report_dropped(report_), 0);
}

TEST_F(Report, LongTextsAreCut) {
  std::string text(10000, 'x');
  tribo_report_add(report_, TRIBO_REPORT_WARNING, text.c_str(), 1, text.c_str(), "%s",
                   text.c_str());
  const TriboReportEntry* entry = tribo_report_entry(report_, 0);
  EXPECT_EQ(std::strlen(entry->file), TRIBO_REPORT_FILE_SIZE - 1u);
  EXPECT_EQ(std::strlen(entry->element), TRIBO_REPORT_ELEMENT_SIZE - 1u);
  EXPECT_EQ(std::strlen(entry->text), TRIBO_REPORT_TEXT_SIZE - 1u);
}

const char* Reason(const TriboXmlElement* element, const char* attribute, TriboReportKind* kind) {
  if (attribute) return "unknown attribute";
  if (std::strcmp(element->name, "muscle") == 0) *kind = TRIBO_REPORT_UNSUPPORTED;
  return "unknown element";
}

TEST_F(Report, UnusedElementsAndAttributesAreListedInFileOrder) {
  const std::string text =
      "<robot>\n<link name='a' colour='red'>\n<x><deep/></x></link>\n<muscle/>\n</robot>";
  TriboXml* xml = nullptr;
  ASSERT_EQ(tribo_xml_create(text.data(), text.size(), "f", nullptr, &xml, nullptr), TRIBO_OK);
  TriboXmlElement* link = tribo_xml_child(tribo_xml_root(xml), "link");
  tribo_xml_attribute(link, "name");
  tribo_report_add_unused(report_, xml, Reason);
  tribo_xml_destroy(xml);
  ASSERT_EQ(tribo_report_count(report_), 3);
  EXPECT_STREQ(tribo_report_entry(report_, 0)->element, "link@colour");
  EXPECT_EQ(tribo_report_entry(report_, 0)->line, 2);
  EXPECT_STREQ(tribo_report_entry(report_, 1)->element, "link/x");
  EXPECT_EQ(tribo_report_entry(report_, 1)->line, 3);
  EXPECT_STREQ(tribo_report_entry(report_, 2)->element, "robot/muscle");
  EXPECT_EQ(tribo_report_entry(report_, 2)->kind, TRIBO_REPORT_UNSUPPORTED);
}

TEST(ReportCreate, RefusesNoRoom) {
  TriboReport* report = nullptr;
  EXPECT_EQ(tribo_report_create(0, nullptr, &report), TRIBO_ERROR_ARGUMENT);
  EXPECT_EQ(tribo_report_create(1, nullptr, nullptr), TRIBO_ERROR_ARGUMENT);
  tribo_report_destroy(nullptr);
}

}  // namespace
