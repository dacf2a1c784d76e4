// SPDX-License-Identifier: Apache-2.0
#include "models/library/library.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace {

// The text of a scene, or "" and the message where it is refused.
std::string text_of(const char* name, std::vector<const char*> settings, TriboMessage* message) {
  char* text = nullptr;
  size_t size = 0;
  FILE* out = open_memstream(&text, &size);
  TriboStatus status =
      tribo_library_write(name, (int)settings.size(), settings.data(), out, message);
  fclose(out);
  std::string result = status == TRIBO_OK ? std::string(text, size) : "";
  free(text);
  return result;
}

TEST(Library, EverySceneIsWrittenWithItsDefaultsAndAtTheEndsOfItsRanges) {
  int count = 0;
  for (const TriboLibraryScene* scene; (scene = tribo_library_scene(count)) != nullptr; ++count) {
    EXPECT_EQ(tribo_library_find(scene->name), scene);
    TriboMessage message;
    EXPECT_NE(text_of(scene->name, {}, &message), "") << message.text;
    for (const TriboLibraryParameter& p : scene->parameter) {
      if (p.name == nullptr) break;
      EXPECT_LE(p.low, p.value);
      EXPECT_LE(p.value, p.high);
      for (double value : {p.low, p.high}) {
        std::string setting = std::string(p.name) + "=" + std::to_string(value);
        if (value != 0 && std::stod(setting.substr(setting.find('=') + 1)) == 0) continue;
        EXPECT_NE(text_of(scene->name, {setting.c_str()}, &message), "") << message.text;
      }
    }
  }
  EXPECT_GE(count, 13);
}

TEST(Library, SettingsChangeTheScene) {
  TriboMessage message;
  EXPECT_NE(text_of("stack", {"n=3"}, &message).find("cube2"), std::string::npos);
  EXPECT_EQ(text_of("stack", {"n=3"}, &message).find("cube3"), std::string::npos);
  EXPECT_NE(text_of("quadruped", {"terrain=1"}, &message).find("elevation"), std::string::npos);
}

TEST(Library, WhatItDoesNotKnowIsRefusedWithWhatThereIs) {
  TriboMessage message;
  EXPECT_EQ(text_of("stak", {}, &message), "");
  EXPECT_NE(std::string(message.text).find("stack"), std::string::npos);
  for (const char* setting : {"n=2.5", "height=3", "n", "n=", "n=abc", "n=1e9", "n=nan", "=3"}) {
    EXPECT_EQ(text_of("stack", {setting}, &message), "") << setting;
    EXPECT_EQ(message.status, TRIBO_ERROR_ARGUMENT) << setting;
  }
}

}  // namespace
