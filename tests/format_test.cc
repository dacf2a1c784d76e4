// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>

#include "tests/command.h"

namespace {

TEST(Tree, IsFormatted) {
  CommandResult result = run_command("tools/format_tree --dry-run -Werror");
  EXPECT_EQ(result.exit_code, 0) << result.err << "\ntools/dev format mends it";
}

TEST(Tree, CheckFindsWhatIsNotFormatted) {
  const std::string path = testing::TempDir() + "/bad.c";
  std::ofstream(path) << "int   main( void ){return 0 ;}\n";
  EXPECT_NE(run_command("clang-format --dry-run -Werror " + path).exit_code, 0);
}

}  // namespace
