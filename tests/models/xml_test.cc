// SPDX-License-Identifier: Apache-2.0
#include "models/xml.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/failing_allocator.h"

namespace {

// Reads text, remembering status and message; owns the document.
struct Read {
  TriboXml* xml = nullptr;
  TriboMessage message;
  TriboStatus status;
  explicit Read(const std::string& text, const TriboAllocator* allocator = nullptr) {
    status = tribo_xml_create(text.data(), text.size(), "robot.urdf", allocator, &xml, &message);
  }
  ~Read() { tribo_xml_destroy(xml); }
};

TEST(Xml, KeepsElementsAttributesTextAndLines) {
  Read read(
      "<robot name='a &lt; b'>\n <link/>\n <link name='two'>\n  some <b/>text \n</link></robot>");
  ASSERT_EQ(read.status, TRIBO_OK) << read.message.text;
  TriboXmlElement* root = tribo_xml_root(read.xml);
  EXPECT_STREQ(root->name, "robot");
  EXPECT_STREQ(tribo_xml_attribute(root, "name"), "a < b");
  EXPECT_EQ(tribo_xml_attribute(root, "none"), nullptr);
  TriboXmlElement* one = tribo_xml_child(root, "link");
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->line, 2);
  EXPECT_STREQ(one->text, "");
  TriboXmlElement* two = tribo_xml_sibling(one, "link");
  ASSERT_NE(two, nullptr);
  EXPECT_EQ(two->line, 3);
  EXPECT_STREQ(two->text, "some text");
  EXPECT_EQ(tribo_xml_sibling(two, "link"), nullptr);
}

TEST(Xml, AskingMarksUsedAndNothingElseDoes) {
  Read read("<r><a x='1' y='2'/><b/></r>");
  ASSERT_EQ(read.status, TRIBO_OK);
  TriboXmlElement* a = tribo_xml_child(tribo_xml_root(read.xml), "a");
  tribo_xml_attribute(a, "y");
  EXPECT_TRUE(a->used);
  EXPECT_FALSE(a->attributes[0].used);
  EXPECT_TRUE(a->attributes[1].used);
  EXPECT_FALSE(a->next->used);
}

TEST(Xml, TruncationAtEveryByteIsAParseErrorWithThePlace) {
  const std::string text = "<robot name='r'>\n<link name='l'>text</link>\n</robot>";
  for (size_t n = 0; n < text.size(); ++n) {
    Read read(text.substr(0, n));
    EXPECT_EQ(read.status, TRIBO_ERROR_PARSE) << n;
    EXPECT_EQ(read.xml, nullptr);
    EXPECT_STREQ(read.message.file, "robot.urdf");
    EXPECT_GE(read.message.line, 1);
  }
}

TEST(Xml, EntityDeclarationsAreRefusedBeforeTheyExpand) {
  std::string bomb = "<!DOCTYPE r [<!ENTITY a0 'ha'>\n";
  for (int i = 1; i < 40; ++i) {
    std::string p = "&a" + std::to_string(i - 1) + ";";
    bomb += "<!ENTITY a" + std::to_string(i) + " '" + p + p + p + p + "'>\n";
  }
  Read read(bomb + "]><r>&a39;</r>");
  EXPECT_EQ(read.status, TRIBO_ERROR_PARSE);
  EXPECT_EQ(read.message.line, 1);
  EXPECT_NE(std::string(read.message.text).find("entity"), std::string::npos);
}

TEST(Xml, ExternalEntitiesAreNotRead) {
  EXPECT_EQ(Read("<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><r>&x;</r>").status,
            TRIBO_ERROR_PARSE);
  EXPECT_EQ(Read("<!DOCTYPE r [<!ENTITY % p SYSTEM 'http://x/y.dtd'> %p;]><r/>").status,
            TRIBO_ERROR_PARSE);
  EXPECT_EQ(Read("<!DOCTYPE r SYSTEM 'r.dtd'><r>&x;</r>").status, TRIBO_ERROR_PARSE);
  EXPECT_EQ(Read("<r>&x;</r>").status, TRIBO_ERROR_PARSE);
}

TEST(Xml, ADoctypeWithoutEntitiesIsFine) { EXPECT_EQ(Read("<!DOCTYPE r><r/>").status, TRIBO_OK); }

std::string Nested(int depth) {
  std::string open, close;
  for (int i = 0; i < depth; ++i) open += "<a>", close += "</a>";
  return open + close;
}

TEST(Xml, DepthUpToTheBoundIsReadAndOneMoreIsRefused) {
  EXPECT_EQ(Read(Nested(256)).status, TRIBO_OK);
  EXPECT_EQ(Read(Nested(257)).status, TRIBO_ERROR_PARSE);
  EXPECT_EQ(Read(Nested(100000)).status, TRIBO_ERROR_PARSE);
}

TEST(Xml, HugeAttributesAreReadWholeAndHugeFilesAreRefused) {
  std::string value(4 << 20, 'x');
  Read read("<r a='" + value + "'/>");
  ASSERT_EQ(read.status, TRIBO_OK);
  EXPECT_EQ(tribo_xml_attribute(tribo_xml_root(read.xml), "a"), value);
  EXPECT_EQ(Read("<r>" + std::string(33 << 20, ' ') + "</r>").status, TRIBO_ERROR_CAPACITY);
}

TEST(Xml, TooManyElementsAreRefused) {
  std::string text = "<r>";
  for (int i = 0; i < TRIBO_XML_MAX_ELEMENTS; ++i) text += "<a/>";
  EXPECT_EQ(Read(text + "</r>").status, TRIBO_ERROR_PARSE);
}

TEST(Xml, DuplicateAttributesAndBadBytesAreParseErrors) {
  EXPECT_EQ(Read("<r a='1' a='2'/>").status, TRIBO_ERROR_PARSE);
  EXPECT_EQ(Read("<r>\xff\xfe</r>").status, TRIBO_ERROR_PARSE);
  EXPECT_EQ(Read(std::string("<r>\0</r>", 8)).status, TRIBO_ERROR_PARSE);
  EXPECT_EQ(Read("<r/><r/>").status, TRIBO_ERROR_PARSE);
}

TEST(Xml, MissingFilesAreFileErrorsThatNameTheFile) {
  TriboXml* xml = nullptr;
  TriboMessage message;
  EXPECT_EQ(tribo_xml_create_from_file("no/such.urdf", nullptr, &xml, &message), TRIBO_ERROR_FILE);
  EXPECT_EQ(xml, nullptr);
  EXPECT_STREQ(message.file, "no/such.urdf");
}

TEST(Xml, AFileReadsLikeItsBytes) {
  std::string file = std::string(std::getenv("TEST_TMPDIR")) + "/robot.xml";
  std::string value(200000, 'v');
  FILE* stream = std::fopen(file.c_str(), "wb");
  ASSERT_NE(stream, nullptr);
  std::fprintf(stream, "<r a='%s'/>", value.c_str());
  std::fclose(stream);
  TriboXml* xml = nullptr;
  TriboMessage message;
  ASSERT_EQ(tribo_xml_create_from_file(file.c_str(), nullptr, &xml, &message), TRIBO_OK);
  EXPECT_EQ(tribo_xml_attribute(tribo_xml_root(xml), "a"), value);
  EXPECT_EQ(tribo_xml_file(xml), file);
  tribo_xml_destroy(xml);
}

TEST(Xml, TheNthAllocationFailingIsAMemoryErrorWithoutALeak) {
  std::string text = "<r a='" + std::string(100000, 'x') + "'>" + std::string(200000, 'y') + "</r>";
  bool succeeded = false;
  for (int n = 0; n < 50 && !succeeded; ++n) {
    FailingAllocator failing(n);
    {
      Read read(text, &failing.allocator);
      succeeded = read.status == TRIBO_OK;
      if (!succeeded) {
        EXPECT_EQ(read.status, TRIBO_ERROR_MEMORY) << n;
      }
    }
    EXPECT_EQ(failing.live, 0) << n;
  }
  EXPECT_TRUE(succeeded);
}

}  // namespace
