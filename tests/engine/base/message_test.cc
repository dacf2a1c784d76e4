// SPDX-License-Identifier: Apache-2.0
#include "engine/base/message.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

namespace {

TEST(Message, SetReturnsTheStatusAndWritesTheSentence) {
  TriboMessage message;
  EXPECT_EQ(tribo_message_set(&message, TRIBO_ERROR_MODEL, "link '%s': mass %g", "arm", -1.0),
            TRIBO_ERROR_MODEL);
  EXPECT_EQ(message.status, TRIBO_ERROR_MODEL);
  EXPECT_STREQ(message.text, "link 'arm': mass -1");
  EXPECT_STREQ(message.file, "");
  EXPECT_EQ(message.line, 0);
}

TEST(Message, LongTextsAreCutAndStayTerminated) {
  const std::string text(5000, 'x');
  TriboMessage message;
  EXPECT_EQ(tribo_message_set(&message, TRIBO_ERROR_FILE, "%s", text.c_str()), TRIBO_ERROR_FILE);
  tribo_message_set_place(&message, text.c_str(), 12);
  EXPECT_EQ(strlen(message.text), size_t{TRIBO_MESSAGE_SIZE - 1});
  EXPECT_EQ(strlen(message.file), size_t{TRIBO_MESSAGE_FILE_SIZE - 1});
}

TEST(Message, PlaceKeepsTheSentence) {
  TriboMessage message;
  EXPECT_EQ(tribo_message_set(&message, TRIBO_ERROR_PARSE, "no such joint"), TRIBO_ERROR_PARSE);
  tribo_message_set_place(&message, "arm.urdf", 12);
  EXPECT_STREQ(message.text, "no such joint");
  EXPECT_STREQ(message.file, "arm.urdf");
  EXPECT_EQ(message.line, 12);
  tribo_message_set_place(&message, nullptr, 0);
  EXPECT_STREQ(message.file, "");
}

TEST(Message, ClearLeavesNothingOfAnEarlierFailure) {
  TriboMessage message;
  EXPECT_EQ(tribo_message_set(&message, TRIBO_ERROR_PARSE, "bad"), TRIBO_ERROR_PARSE);
  tribo_message_set_place(&message, "a", 1);
  tribo_message_clear(&message);
  EXPECT_EQ(message.status, TRIBO_OK);
  EXPECT_STREQ(message.text, "");
  EXPECT_STREQ(message.file, "");
  EXPECT_EQ(message.line, 0);
}

TEST(Message, NullMessageIsFine) {
  EXPECT_EQ(tribo_message_set(nullptr, TRIBO_ERROR_MEMORY, "x"), TRIBO_ERROR_MEMORY);
  tribo_message_set_place(nullptr, "a", 1);
  tribo_message_clear(nullptr);
}

TEST(Status, EveryStatusHasATextOfItsOwn) {
  std::set<std::string> texts;
  for (int status = TRIBO_OK; status <= TRIBO_ERROR_DIVERGED; ++status) {
    std::string text = tribo_status_text(static_cast<TriboStatus>(status));
    EXPECT_NE(text, "unknown status") << status;
    EXPECT_TRUE(texts.insert(text).second) << text;
  }
}

TEST(AssertDeathTest, BrokenInvariantNamesTheConditionAndTheFile) {
  EXPECT_DEATH(TRIBO_ASSERT(1 + 1 == 3), "message_test.cc:[0-9]+: assertion failed: 1 \\+ 1 == 3");
}

}  // namespace
