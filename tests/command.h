// SPDX-License-Identifier: Apache-2.0
//
// Runs a shell command from a test and keeps what it said.
#ifndef TRIBO_TESTS_COMMAND_H_
#define TRIBO_TESTS_COMMAND_H_

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

struct CommandResult {
  int exit_code;    // -1 when it did not end by itself
  std::string out;  // stdout
  std::string err;  // stderr
};

// Runs `command` with sh in the test's runfiles folder, where data is found by its path in the
// tree.
inline CommandResult run_command(const std::string& command) {
  const std::string base = testing::TempDir() + "/command";
  int status = std::system(("{ " + command + "\n} >" + base + ".out 2>" + base + ".err").c_str());
  auto read = [](const std::string& path) {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(base + ".out"), read(base + ".err")};
}

#endif  // TRIBO_TESTS_COMMAND_H_
