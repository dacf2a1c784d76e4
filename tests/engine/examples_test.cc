// SPDX-License-Identifier: Apache-2.0
#include "tests/command.h"

namespace {

TEST(Examples, TheBoxOfTheTenLinesLiesOnTheGround) {
  const CommandResult run = run_command("tools/examples/ten_lines");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "after 1.000 s the box is at z = 0.100000 m\n");
}

}  // namespace
