// SPDX-License-Identifier: Apache-2.0
//
// The same bits at every optimization level and from both compilers (docs/determinism.md): one
// program, built as everything else is (gcc at -O2 unless a config says otherwise), with -O1, with
// -O3, and by the other compiler.
#include <algorithm>

#include "tests/command.h"

namespace {

// Feet that land, fingers that touch, a stack that stands and spheres that pile up, with each of
// four contact models.
const char kScenes[] = " 400 quadruped hand stack:n=5 pile:n=8";

std::string hashes(const std::string& program) {
  const CommandResult result = run_command("tests/engine/" + program + kScenes);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 4 * 4) << result.out;
  return result.out;
}

TEST(SameBits, AtEveryOptimizationLevel) {
  const std::string expected = hashes("scene_hashes");
  EXPECT_EQ(hashes("scene_hashes_O1"), expected);
  EXPECT_EQ(hashes("scene_hashes_O3"), expected);
}

std::string compiler_of(const std::string& program) {
  return run_command("tests/engine/" + program + " --compiler").out;
}

TEST(SameBits, FromGccAndClang) {
  const std::string own = compiler_of("scene_hashes"), other = compiler_of("scene_hashes_other");
  ASSERT_FALSE(own.empty());
  if (other == own) {
    GTEST_SKIP() << "only one compiler is installed: " << own
                 << "(on Debian: apt-get install clang)";
  }
  EXPECT_EQ(hashes("scene_hashes_other"), hashes("scene_hashes"));
}

}  // namespace
