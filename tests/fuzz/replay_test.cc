// SPDX-License-Identifier: Apache-2.0
//
// Runs a fuzz target over the inputs that are kept for it (the arguments), without a fuzzer, and
// over small changes of each.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "engine/base/random.h"
#include "tests/scale.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

std::vector<std::string> files;

TEST(Replay, EveryKeptInputAndItsNeighboursKeepThePromises) {
  ASSERT_FALSE(files.empty());
  TriboRandom random = tribo_random(1);
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    std::ifstream stream(file, std::ios::binary);
    ASSERT_TRUE(stream.good()) << file;
    const std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(stream)), {});
    EXPECT_EQ(LLVMFuzzerTestOneInput(bytes.data(), bytes.size()), 0);
    for (int trial = 0; trial < tribo_test_count(200) && !bytes.empty(); ++trial) {
      std::vector<uint8_t> changed = bytes;
      for (int k = 0; k < 1 + trial % 4; ++k) {
        changed[tribo_random_index(&random, (int)changed.size())] =
            (uint8_t)tribo_random_index(&random, 256);
      }
      EXPECT_EQ(LLVMFuzzerTestOneInput(changed.data(), changed.size()), 0);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  files.assign(argv + 1, argv + argc);
  return RUN_ALL_TESTS();
}
