// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <jansson.h>

#include <fstream>
#include <string>
#include <vector>

#include "solvers/capsule.h"
#include "tests/command.h"
#include "tools/tribo/matrix_market.h"

namespace {

using Numbers = std::vector<double>;

std::string path_of(const std::string& name) { return testing::TempDir() + "/" + name; }

// Writes numbers, row after row, and returns the file's path.
std::string write(const std::string& name, int rows, int columns, Numbers values) {
  const TriboMatrix matrix = {rows, columns, values.data()};
  TriboMessage message;
  EXPECT_EQ(tribo_matrix_write(path_of(name).c_str(), &matrix, &message), TRIBO_OK);
  return path_of(name);
}

Numbers read(const std::string& name) {
  TriboMatrix matrix;
  TriboMessage message;
  if (tribo_matrix_read(path_of(name).c_str(), &matrix, &message) != TRIBO_OK) return {};
  const Numbers values(matrix.value, matrix.value + matrix.rows * matrix.columns);
  tribo_matrix_free(&matrix);
  return values;
}

// Solves an LCP with --json and --out z.mtx.
CommandResult solve_lcp(int n, const Numbers& M, const Numbers& q) {
  std::remove(path_of("z.mtx").c_str());
  return run_command("tools/tribo/tribo solve --lcp --json --matrix " + write("M.mtx", n, n, M) +
                     " --q " + write("q.mtx", n, 1, q) + " --out " + path_of("z.mtx"));
}

std::string text_in(const CommandResult& result, const char* key) {
  json_t* object = json_loads(result.out.c_str(), 0, nullptr);
  const char* text = json_string_value(json_object_get(object, key));
  const std::string copy = text == nullptr ? "" : text;
  json_decref(object);
  return copy;
}

TEST(TriboSolve, AnLcpWithAKnownSolutionIsSolvedAndCertified) {
  const CommandResult result = solve_lcp(2, {2, 1, 1, 2}, {-5, -6});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Numbers z = read("z.mtx");
  ASSERT_EQ(z.size(), 2u);
  EXPECT_NEAR(z[0], 4.0 / 3, 1e-14);
  EXPECT_NEAR(z[1], 7.0 / 3, 1e-14);
  json_t* object = json_loads(result.out.c_str(), 0, nullptr);
  EXPECT_STREQ(json_string_value(json_object_get(object, "status")), "solved");
  EXPECT_STREQ(json_string_value(json_object_get(object, "solver")), "lemke");
  EXPECT_EQ(json_integer_value(json_object_get(object, "attempts")), 1);
  EXPECT_GE(json_integer_value(json_object_get(object, "pivots")), 2);
  EXPECT_TRUE(json_is_number(json_object_get(object, "seconds")));
  const json_t* worst = json_object_get(json_object_get(object, "certificate"), "worst");
  ASSERT_TRUE(json_is_number(worst));
  EXPECT_LE(json_number_value(worst), 1e-12);
  json_decref(object);
}

TEST(TriboSolve, AnInfeasibleLcpExitsWithOneAndItsProof) {
  const CommandResult result = solve_lcp(2, {-1, 0, 0, 1}, {-1, -1});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(text_in(result, "status"), "infeasible");
  const Numbers v = read("z.mtx");  // v >= 0, M^T v <= 0, q.v < 0
  ASSERT_EQ(v.size(), 2u);
  EXPECT_GE(v[0], 0);
  EXPECT_GE(v[1], 0);
  EXPECT_LE(-v[0], 0);
  EXPECT_LE(v[1], 0);
  EXPECT_LT(-v[0] - v[1], 0);
}

TEST(TriboSolve, AFeasibleLcpWithoutASolutionEndsInARay) {
  // w1 = z2 - 1 wants z2 > 0, so w2 = z1 + 1 would have to be 0; z = (0, 1) is feasible.
  const CommandResult result = solve_lcp(2, {0, 1, 1, 0}, {-1, 1});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(text_in(result, "status"), "ray");
  const Numbers z = read("z.mtx");  // z >= 0, (M z)_i <= 0 where z_i > 0
  ASSERT_EQ(z.size(), 2u);
  EXPECT_GT(z[0] + z[1], 0);
  EXPECT_EQ(z[0] * z[1], 0);
}

// Solves a contact problem with --json and --out r.mtx.
CommandResult solve_contact(int contacts, int size, const Numbers& W, const Numbers& q,
                            const Numbers& mu, const std::string& more = "") {
  const int n = contacts * size;
  std::remove(path_of("r.mtx").c_str());
  return run_command("tools/tribo/tribo solve --contact --json --matrix " +
                     write("W.mtx", n, n, W) + " --q " + write("q.mtx", n, 1, q) + " --mu " +
                     write("mu.mtx", contacts, 1, mu) + " --out " + path_of("r.mtx") + more);
}

TEST(TriboSolve, AContactSticksInsideItsConeAndSlidesAtIt) {
  const Numbers W = {2, 0, 0, 0, 2, 0, 0, 0, 2};
  CommandResult result = solve_contact(1, 3, W, {-2, 1, 0}, {0.6});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  Numbers r = read("r.mtx");
  ASSERT_EQ(r.size(), 3u);
  EXPECT_NEAR(r[0], 1, 1e-12);
  EXPECT_NEAR(r[1], -0.5, 1e-12);
  EXPECT_NEAR(r[2], 0, 1e-12);
  result = solve_contact(1, 3, W, {-2, 0, 4}, {0.6}, " --cone polygon:4");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  r = read("r.mtx");
  ASSERT_EQ(r.size(), 3u);
  EXPECT_NEAR(r[0], 1, 1e-12);
  EXPECT_NEAR(r[1], 0, 1e-12);
  EXPECT_NEAR(r[2], -0.6, 1e-12);
}

TEST(TriboSolve, APlanarContactWithALittleUnsymmetricMatrixMeetsThatMatrix) {
  const Numbers W = {2, 0.1, 0.1001, 1}, q = {-1, -0.1};
  const CommandResult result = solve_contact(1, 2, W, q, {1});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Numbers r = read("r.mtx");
  ASSERT_EQ(r.size(), 2u);
  EXPECT_NEAR(W[0] * r[0] + W[1] * r[1] + q[0], 0, 1e-11);
  EXPECT_NEAR(W[2] * r[0] + W[3] * r[1] + q[1], 0, 1e-11);
}

TEST(TriboSolve, ContactsThatRepeatEachOtherAreSolvedTogether) {
  const Numbers W = {1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1};
  const CommandResult result = solve_contact(2, 2, W, {-1, 0.1, -1, 0.1}, {0.5, 0.5});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Numbers r = read("r.mtx");
  ASSERT_EQ(r.size(), 4u);
  EXPECT_NEAR(r[0] + r[2], 1, 1e-12);
  EXPECT_NEAR(r[1] + r[3], -0.1, 1e-12);
}

TEST(TriboSolve, ContactsThatNoImpulseCanSeparateAreNotCalledSolved) {
  // The second contact is the first one turned around: both cannot open.
  const Numbers W = {1, 0, -1, 0, 0, 1, 0, -1, -1, 0, 1, 0, 0, -1, 0, 1};
  const CommandResult result = solve_contact(2, 2, W, {-1, 0, -1, 0}, {0.5, 0.5});
  EXPECT_EQ(result.exit_code, 1) << result.out;
  EXPECT_NE(text_in(result, "status"), "solved");
}

TEST(TriboSolve, AContactProblemThatMakesNoSenseExitsWithTwo) {
  const Numbers W = {1, 0, 0, 1};
  EXPECT_EQ(solve_contact(1, 2, W, {-1, 0}, {-1}).exit_code, 2);
  EXPECT_EQ(solve_contact(1, 2, {-1, 0, 0, 1}, {-1, 0}, {1}).exit_code, 2);
  EXPECT_EQ(solve_contact(2, 1, W, {-1, 0}, {1, 1}).exit_code, 2);
  for (const char* cone : {"square", "polygon:5", "polygon:2", "polygon:8x", "polygon:9999"}) {
    EXPECT_EQ(solve_contact(1, 2, W, {-1, 0}, {1}, std::string(" --cone ") + cone).exit_code, 2);
  }
  EXPECT_EQ(solve_contact(1, 2, W, {-1, 0}, {1}, " --lcp").exit_code, 2);
}

TEST(TriboSolve, TheRoundConeIsTheDefaultAndFrictionOpposesTheSlidingExactly) {
  const Numbers W = {2, 0, 0, 0, 2, 0, 0, 0, 2};
  const CommandResult result = solve_contact(1, 3, W, {-2, 3, 4}, {0.6});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Numbers r = read("r.mtx");
  ASSERT_EQ(r.size(), 3u);
  EXPECT_NEAR(r[1], -0.36, 1e-12);
  EXPECT_NEAR(r[2], -0.48, 1e-12);
  const CommandResult pivoted = solve_contact(1, 3, W, {-2, 3, 4}, {0.6}, " --cone polygon:8");
  EXPECT_EQ(text_in(pivoted, "solver"), "lemke");
  const CommandResult newton = solve_contact(1, 3, W, {-2, 3, 4}, {0.6}, " --solver newton");
  EXPECT_EQ(newton.exit_code, 0) << newton.err;
  EXPECT_EQ(text_in(newton, "solver"), "newton");
}

TEST(TriboSolve, ModelsOtherThanCoulombAreSolvedAndTheirSolversChecked) {
  const Numbers W = {2, 0, 0, 2};
  CommandResult result = solve_contact(1, 2, W, {-2, 4}, {0.6}, " --model noslip");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NEAR(read("r.mtx")[1], -2, 1e-12);
  result = solve_contact(1, 2, W, {-2, 4}, {0.6}, " --model viscous:0.5 --solver ppm");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NEAR(read("r.mtx")[1], -1, 1e-12);  // t = -0.5 u_t, u_t = 2 t + 4
  result = solve_contact(1, 2, W, {-2, 4}, {0.6}, " --model frictionless --solver dantzig");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NEAR(read("r.mtx")[1], 0, 1e-12);
  EXPECT_EQ(solve_contact(1, 2, W, {-2, 4}, {0.6}, " --model viscous").exit_code, 2);
  EXPECT_EQ(solve_contact(1, 2, W, {-2, 4}, {0.6}, " --solver dual").exit_code, 2);
  for (const char* form : {" --model noslip --solver lemke", " --solver dual",
                           " --model viscous:1 --solver dantzig"}) {
    result = solve_contact(1, 2, W, {-2, 4}, {0.6}, form);
    EXPECT_EQ(result.exit_code, 2) << form;
    EXPECT_NE(result.err.find("does not solve that --model"), std::string::npos) << result.err;
  }
}

TEST(TriboSolve, TheGlobalFormIsSolvedAndItsFilesAreChecked) {
  // A point of mass 2 on a plane: M v = H r + f.
  const std::string M = write("mass.mtx", 2, 2, {2, 0, 0, 2}),
                    H = write("H.mtx", 2, 2, {0, 1, 1, 0}), f = write("f.mtx", 2, 1, {1, -4}),
                    b = write("b.mtx", 2, 1, {0, 0}), mu = write("mu.mtx", 1, 1, {0.5});
  const std::string start = "tools/tribo/tribo solve --contact --json --out " + path_of("r.mtx");
  const CommandResult result = run_command(start + " --mass " + M + " --jacobian " + H + " --f " +
                                           f + " --b " + b + " --mu " + mu);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Numbers r = read("r.mtx");
  EXPECT_NEAR(r[0], 4, 1e-12);
  EXPECT_NEAR(r[1], -1, 1e-12);
  EXPECT_EQ(run_command(start + " --mass " + M + " --mu " + mu).exit_code, 2);
  EXPECT_EQ(run_command(start + " --mass " + H + " --jacobian " + H + " --f " + f + " --b " + b +
                        " --mu " + mu)
                .exit_code,
            2);
}

TEST(TriboSolve, ACapsuleIsReplayedOnEverySolver) {
  // A unit mass pressed onto a plane and pushed along it: it slides.
  int start[] = {0, 1, 2}, start_n[] = {0, 1}, index[] = {0, 1}, index_n[] = {2};
  double value[] = {1, 1, 1};
  const double k[] = {3, 4, -1}, b[] = {0, 0};
  const uint64_t id[] = {9};
  const TriboFrictionGroup group[] = {{0, 0, 2, 8, 0.5, 0}};
  TriboContactProblem problem = {};
  problem.ny = 3;
  problem.k = k;
  problem.N = {1, start_n, index_n, value};
  problem.b_N = b;
  problem.id_N = id;
  problem.T = {2, start, index, value};
  problem.b_T = b;
  problem.ng = 1;
  problem.group = group;
  const TriboCapsuleContent content = {&problem, tribo_contact_options_default(), nullptr, "test"};
  TriboMessage message;
  ASSERT_EQ(tribo_capsule_save(path_of("p.capsule").c_str(), &content, &message), TRIBO_OK);
  const std::string solve = "tools/tribo/tribo solve --capsule " + path_of("p.capsule");
  const CommandResult result = run_command(solve + " --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  json_t* object = json_loads(result.out.c_str(), 0, nullptr);
  const json_t* solvers = json_object_get(object, "solvers");
  ASSERT_GE(json_array_size(solvers), 4u);
  const json_t* ladder = json_array_get(solvers, 0);
  EXPECT_STREQ(json_string_value(json_object_get(ladder, "status")), "solved");
  EXPECT_LE(json_number_value(json_object_get(ladder, "certificate")), 1e-9);
  json_decref(object);
  EXPECT_NE(run_command(solve).out.find("lemke reduced"), std::string::npos);
  EXPECT_EQ(run_command(solve + " --lcp").exit_code, 2);
  EXPECT_EQ(run_command("tools/tribo/tribo solve --capsule " + write("q.mtx", 1, 1, {1})).exit_code,
            2);
}

TEST(TriboSolve, TheExampleFromCChecksItsOwnAnswer) {
  const CommandResult result = run_command("tools/examples/solve_contact_problem");
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("velocity"), std::string::npos);
}

TEST(TriboSolve, TheTableNamesStatusPivotsAndCertificate) {
  const CommandResult result =
      run_command("tools/tribo/tribo solve --lcp --matrix " + write("M.mtx", 1, 1, {2}) + " --q " +
                  write("q.mtx", 1, 1, {-1}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* word : {"status", "pivots", "certificate", "solved"}) {
    EXPECT_NE(result.out.find(word), std::string::npos) << result.out;
  }
}

TEST(TriboSolve, BadFilesExitWithTwoAndNameFileAndLine) {
  const std::string good = write("good.mtx", 2, 2, {1, 0, 0, 1});
  const std::string q = write("q.mtx", 2, 1, {1, 1});
  const std::string wide = write("wide.mtx", 2, 3, {1, 2, 3, 4, 5, 6});
  const std::string bad = path_of("bad.mtx");
  std::ofstream(bad) << "%%MatrixMarket matrix array real general\n2 1\n1\nnan\n";
  const std::string solve = "tools/tribo/tribo solve ";
  for (const std::string& arguments :
       {std::string(), std::string("--lcp"), "--lcp --matrix " + good,
        "--matrix " + good + " --q " + q, "--lcp --matrix nosuch --q " + q,
        "--lcp --matrix " + wide + " --q " + q, "--lcp --matrix " + good + " --q " + good,
        "--lcp --matrix " + good + " --q " + bad,
        "--lcp --solver magic --matrix " + good + " --q " + q,
        "--lcp --out no/such/folder --matrix " + good + " --q " + q}) {
    const CommandResult result = run_command(solve + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_NE(result.err, "") << arguments;
  }
  const CommandResult result = run_command(solve + "--lcp --matrix " + good + " --q " + bad);
  EXPECT_NE(result.err.find("bad.mtx, line 4: 'nan'"), std::string::npos) << result.err;
}

}  // namespace
