// SPDX-License-Identifier: Apache-2.0
//
// Memory that runs out at every possible moment of a load: a status, a message, and nothing kept.
#include <cstdlib>
#include <string>
#include <vector>

#include "models/library/library.h"
#include "tests/failing_allocator.h"
#include "tests/models/load.h"

namespace {

std::string Scene(const char* name) {
  char* text = nullptr;
  size_t size = 0;
  FILE* out = open_memstream(&text, &size);
  EXPECT_EQ(tribo_library_write(name, 0, nullptr, out, nullptr), TRIBO_OK);
  fclose(out);
  std::string result(text, size);
  free(text);
  return result;
}

TEST(LoadMemory, EveryFailingAllocationIsAStatusAndLeaksNothing) {
  for (const char* name : {"quadruped-urdf", "hand", "four-bar"}) {
    const std::string text = Scene(name);
    TriboStatus status = TRIBO_ERROR_MEMORY;
    int n = 0;
    for (; n < 10000 && status != TRIBO_OK; ++n) {
      FailingAllocator failing(n);
      TriboLoadOptions options = tribo_load_options_default();
      options.allocator = &failing.allocator;
      TriboScene* scene = nullptr;
      TriboMessage message = {};
      status =
          tribo_scene_load_string(text.data(), text.size(), nullptr, &options, &scene, &message);
      if (status != TRIBO_OK) {
        EXPECT_EQ(status, TRIBO_ERROR_MEMORY) << name << " " << n << ": " << message.text;
        EXPECT_EQ(scene, nullptr);
        EXPECT_NE(message.text[0], '\0') << name << " " << n;
      }
      tribo_scene_destroy(scene);
      EXPECT_EQ(failing.live, 0) << name << " " << n;
    }
    EXPECT_EQ(status, TRIBO_OK) << name;
    EXPECT_GT(n, 10) << name;
  }
}

}  // namespace
