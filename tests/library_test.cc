// SPDX-License-Identifier: Apache-2.0
//
// The library as others get it: what it exports, and programs built against the installed tree with
// nothing of Bazel.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "engine/tribo.h"
#include "tests/command.h"

namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void write_file(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// Lines of what `command` prints.
std::set<std::string> lines_of(const std::string& command) {
  CommandResult result = run_command(command);
  EXPECT_EQ(result.exit_code, 0) << command << "\n" << result.err;
  std::set<std::string> lines;
  std::istringstream in(result.out);
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

std::set<std::string> public_headers() {
  std::set<std::string> headers;
  std::istringstream in(PUBLIC_HEADERS);
  for (std::string header; in >> header;) headers.insert(header);
  return headers;
}

// Functions that a public header marks as exported.
std::set<std::string> declared_functions() {
  std::set<std::string> names;
  const std::regex declaration(R"(TRIBO_API[^;(]*?\b(tribo_\w+)\()");
  for (const std::string& header : public_headers()) {
    const std::string text = read_file(header);
    for (std::sregex_iterator it(text.begin(), text.end(), declaration), end; it != end; ++it) {
      names.insert((*it)[1]);
    }
  }
  return names;
}

const char kExported[] = "nm -D --defined-only libtribo.so | awk '{print $3}'";

TEST(SharedLibrary, ExportsNothingButFunctionsOfThePublicHeaders) {
  const std::set<std::string> declared = declared_functions();
  const std::set<std::string> exported = lines_of(kExported);
  EXPECT_GT(exported.size(), 40u);
  for (const std::string& name : exported) {
    EXPECT_EQ(name.rfind("tribo_", 0), 0u) << name;
    EXPECT_TRUE(declared.count(name)) << name << " is exported and in no public header";
  }
}

TEST(SharedLibrary, HasEveryFunctionOfThePublicHeaders) {
  const std::set<std::string> exported = lines_of(kExported);
  for (const std::string& name : declared_functions()) {
    EXPECT_TRUE(exported.count(name)) << name << " is declared and not in the library";
  }
}

TEST(SharedLibrary, SonameIsThatOfTheVersion) {
  const std::string soname = "libtribo.so." + std::to_string(TRIBO_VERSION_MAJOR) + "." +
                             std::to_string(TRIBO_VERSION_MINOR);
  CommandResult result = run_command("readelf -d libtribo.so");
  EXPECT_NE(result.out.find("Library soname: [" + soname + "]"), std::string::npos) << result.out;
}

TEST(SharedLibrary, NeedsNoCppLibrary) {
  CommandResult result = run_command("readelf -d libtribo.so");
  ASSERT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out.find("libstdc++"), std::string::npos) << result.out;
}

TEST(StaticLibrary, EveryGlobalSymbolIsPrefixed) {
  const std::set<std::string> defined =
      lines_of("nm --defined-only --extern-only libtribo.a | awk 'NF == 3 {print $3}'");
  EXPECT_GT(defined.size(), 100u);
  // The address sanitizer gives every variable a companion of this name.
  const std::string companion = "__odr_asan.";
  for (const std::string& name : defined) {
    const size_t begin = name.rfind(companion, 0) == 0 ? companion.size() : 0;
    EXPECT_EQ(name.compare(begin, 6, "tribo_"), 0) << name;
  }
}

#ifdef TRIBO_WITHOUT_CHOLMOD
TEST(Library, BuiltWithoutCholmodRefersToNothingOfIt) {
  CommandResult result = run_command("nm libtribo.a; nm -D libtribo.so; cat libtribo.link");
  // A symbol of CHOLMOD's, not one of ours that ends like it.
  EXPECT_EQ(result.out.find(" cholmod_"), std::string::npos);
  EXPECT_EQ(result.out.find("-lcholmod"), std::string::npos);
}
#endif

// What libccd allocates for is never called.
TEST(Library, TakesOfLibccdOnlyItsPortals) {
  const std::set<std::string> expected = {"ccdFirstDirDefault", "ccdMPRPenetration"};
  EXPECT_EQ(lines_of("nm -D --undefined-only libtribo.so | awk '{print $2}' | grep -i ccd"),
            expected);
  EXPECT_EQ(lines_of("nm --undefined-only libtribo.a | awk 'NF == 2 {print $2}' | grep -i ^ccd"),
            expected);
  EXPECT_NE(run_command("cat libtribo.link").out.find("-lccd"), std::string::npos);
}

// The program of the README, which is what users start from.
std::string readme_program() {
  const std::string text = read_file("README.md");
  size_t begin = text.find("```c\n");
  if (begin == std::string::npos) return "";
  begin += 5;
  return text.substr(begin, text.find("```", begin) - begin);
}

// Lays the library down in a folder of its own, once for all tests.
class Installed : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    prefix_ = new std::string(testing::TempDir() + "/prefix");
    CommandResult result = run_command("tools/install/install " + *prefix_ + " . " PUBLIC_HEADERS);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    write_file(folder() + "/program.c", readme_program());
    result = run_command("tools/tribo/tribo scene incline -o " + folder() + "/scene.xml");
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  static void TearDownTestSuite() { delete prefix_; }

  static std::string folder() { return testing::TempDir(); }
  static const std::string& prefix() { return *prefix_; }

  // The library may be built with a sanitizer, which the program must then bring along.
  static std::string flags() {
    const char* flags = std::getenv("TRIBO_SANITIZER_FLAGS");
    return flags != nullptr ? flags : "";
  }

  // A box rests on a slope.
  static void expect_answer(const std::string& program) {
    const std::string command = program + " " + folder() + "/scene.xml";
    CommandResult result = run_command(command);
    EXPECT_EQ(result.exit_code, 0) << command << "\n" << result.out << result.err;
    int contacts = 0;
    double certificate = 1;
    EXPECT_EQ(sscanf(result.out.c_str(), "%d contacts carry force, certificate %lf", &contacts,
                     &certificate),
              2)
        << result.out;
    EXPECT_GT(contacts, 0);
    EXPECT_LE(certificate, 1e-9);
  }

 private:
  static std::string* prefix_;
};
std::string* Installed::prefix_ = nullptr;

TEST_F(Installed, EveryHeaderCompilesAloneAsCAndAsCpp) {
  for (const std::string& header : public_headers()) {
    for (const char* compiler : {"cc -std=c11 -x c", "c++ -std=c++11 -x c++"}) {
      CommandResult result = run_command("echo '#include \"" + header + "\"' | " + compiler +
                                         " -Wall -Wextra -pedantic -Werror -fsyntax-only -I" +
                                         prefix() + "/include/tribo -");
      EXPECT_EQ(result.exit_code, 0) << compiler << " " << header << "\n" << result.err;
    }
  }
}

TEST_F(Installed, ProgramBuiltWithPkgConfigRuns) {
  expect_answer("export PKG_CONFIG_PATH=" + prefix() + "/lib/pkgconfig && cd " + folder() +
                " && cc -Wall -Werror " + flags() +
                " program.c $(pkg-config --cflags --libs tribo) -o shared && LD_LIBRARY_PATH=" +
                prefix() + "/lib ./shared");
}

TEST_F(Installed, ProgramBuiltStaticallyWithPkgConfigRunsWithoutTheSharedLibrary) {
  const std::string moved = folder() + "/static_prefix";  // pkg-config file works wherever it is
  expect_answer("cp -r " + prefix() + " " + moved + " && rm " + moved + "/lib/libtribo.so* && " +
                "export PKG_CONFIG_PATH=" + moved + "/lib/pkgconfig && cd " + folder() +
                " && cc -Wall -Werror " + flags() +
                " program.c $(pkg-config --static --cflags --libs tribo) -o static && ./static");
}

TEST_F(Installed, ProgramsBuiltWithCMakeRun) {
  write_file(folder() + "/CMakeLists.txt",
             "cmake_minimum_required(VERSION 3.10)\n"
             "project(user C)\n"
             "find_package(tribo 0.1 REQUIRED)\n"
             "add_executable(shared program.c)\n"
             "target_link_libraries(shared tribo::tribo)\n"
             "add_executable(static program.c)\n"
             "target_link_libraries(static tribo::static)\n");
  const std::string build = folder() + "/cmake";
  CommandResult result =
      run_command("cmake -S " + folder() + " -B " + build + " -DCMAKE_PREFIX_PATH=" + prefix() +
                  " -DCMAKE_C_FLAGS=" + flags() + " && cmake --build " + build);
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  expect_answer(build + "/shared");
  expect_answer(build + "/static");
}

TEST_F(Installed, CMakeRefusesAVersionThatMayNotFit) {
  ASSERT_EQ(run_command("mkdir -p " + folder() + "/other").exit_code, 0);
  write_file(folder() + "/other/CMakeLists.txt",
             "cmake_minimum_required(VERSION 3.10)\nproject(user C)\n"
             "find_package(tribo 0.9 REQUIRED)\n");
  CommandResult result = run_command("cmake -S " + folder() + "/other -B " + folder() +
                                     "/other/build -DCMAKE_PREFIX_PATH=" + prefix());
  EXPECT_NE(result.exit_code, 0);
  EXPECT_NE(result.err.find("version: 0.1.0"), std::string::npos) << result.err;
}

}  // namespace
