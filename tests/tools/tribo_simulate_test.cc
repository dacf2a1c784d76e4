// SPDX-License-Identifier: Apache-2.0
//
// `tribo simulate` and `tribo compare` as people use them.
#include <gtest/gtest.h>
#include <jansson.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/command.h"
#include "tools/trajectory/tribo_trajectory.h"

namespace {

CommandResult tribo(const std::string& arguments) {
  return run_command("tools/tribo/tribo " + arguments);
}

std::string path_of(const char* name) { return testing::TempDir() + "/" + name; }

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Decref {
  void operator()(json_t* object) const { json_decref(object); }
};
using Json = std::unique_ptr<json_t, Decref>;

double figure(const Json& report, const char* key) {
  return json_number_value(json_object_get(json_object_get(report.get(), "summary"), key));
}

TEST(TriboSimulate, TableSaysHowItWent) {
  CommandResult result = tribo("simulate incline -t 0.1");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* word : {"steps        100 of 0.001 s", "times real time",
                           "up to 4 that carry force", "certificate ", "penetration ", "slip ",
                           "energy ", "fallbacks    0", "warnings     0", "ended        done"}) {
    EXPECT_TRUE(contains(result.out, word)) << word << "\n" << result.out;
  }
}

// The scene's bodies overlap by 1e-6 m so that they touch at once; a step leaves nothing of it.
TEST(TriboSimulate, PenetrationOfTheSceneIsNotTakenForThatOfTheRun) {
  CommandResult result = tribo("simulate incline -t 0.1 --json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  Json report(json_loads(result.out.c_str(), 0, nullptr));
  EXPECT_NEAR(figure(report, "penetration_at_start_m"), 1e-6, 1e-12);
  EXPECT_LE(figure(report, "deepest_penetration_m"), 1e-12);  // rounding of metres
  EXPECT_EQ(figure(report, "most_contacts_with_force"), 4);
}

struct Combination {
  const char *model, *solver, *cone;
};

std::vector<Combination> combinations() {
  std::vector<Combination> all;
  for (const char* model : {"coulomb", "noslip", "viscous", "frictionless"}) {
    for (const char* solver : {"auto", "lemke", "dantzig", "energy", "pgs", "ppm", "dual"}) {
      for (const char* cone : {"round", "polygon"}) all.push_back({model, solver, cone});
    }
  }
  return all;
}

// As tribo simulate --help says: lemke for all; dantzig, energy, pgs for Coulomb; ppm, dual for the
// others; dantzig without friction too.
bool fits(const Combination& c) {
  const std::string model = c.model, solver = c.solver;
  if (solver == "auto" || solver == "lemke" || (solver == "dantzig" && model == "frictionless"))
    return true;
  return (model == "coulomb") == (solver != "ppm" && solver != "dual");
}

// Every contact model with every solver that fits it and both cones, on every scene that ships.
TEST(TriboSimulate, CertificateHoldsForEveryModelSolverAndConeOnEveryScene) {
  CommandResult list = tribo("scene --json");
  Json scenes(json_loads(list.out.c_str(), 0, nullptr));
  ASSERT_NE(scenes, nullptr) << list.out;
  size_t i;
  json_t* row;
  int runs = 0, relaxed = 0;
  json_array_foreach(json_object_get(scenes.get(), "scenes"), i, row) {
    if (json_object_get(row, "setting") != nullptr) continue;  // a parameter of the one before
    std::string scene = json_string_value(json_object_get(row, "scene"));
    if (scene == "pile") scene += ":n=27";
    for (const Combination& c : combinations()) {
      const std::string model = c.model, solver = c.solver, cone = c.cone;
      if (!fits(c) || (model != "coulomb" && cone == "polygon")) continue;
      SCOPED_TRACE(scene + " " + model + " " + solver + " " + cone);
      // Ten steps of whatever length the scene has.
      CommandResult result = tribo("simulate " + scene + " --dt 0.002 -t 0.02 --json --model " +
                                   model + " --solver " + solver + " --cone " + cone);
      ASSERT_EQ(result.exit_code, 0) << result.err;
      Json report(json_loads(result.out.c_str(), 0, nullptr));
      EXPECT_EQ(figure(report, "steps"), 10);
      EXPECT_LE(figure(report, "worst_certificate"), 1e-9);
      // Static and dynamic friction by Dantzig and sweeps fall back, down to a relaxed problem.
      if (model == "coulomb" && (solver == "dantzig" || solver == "pgs")) {
        relaxed += figure(report, "relaxed") > 0;
      } else {
        EXPECT_EQ(figure(report, "relaxed"), 0);
      }
      ++runs;
    }
  }
  EXPECT_GE(runs, 13 * 20);
  EXPECT_LE(relaxed, 8);
}

TEST(TriboSimulate, ASolverThatDoesNotFitTheModelIsNamedWithIt) {
  int refused = 0;
  for (const Combination& c : combinations()) {
    if (fits(c)) continue;
    const std::string model = c.model, solver = c.solver;
    CommandResult result =
        tribo("simulate incline --model " + model + " --solver " + solver + " --cone " + c.cone);
    EXPECT_EQ(result.exit_code, 2) << model << " " << solver;
    EXPECT_TRUE(contains(result.err, "solver " + solver)) << result.err;
    if (model != "coulomb") {
      EXPECT_TRUE(contains(result.err, "model " + model)) << result.err;
    }
    ++refused;
  }
  EXPECT_EQ(refused, 2 * (2 + 3 + 3 + 2));
}

// What the cube's weight of 0.2 kg makes of the lift of 0.1 m is the difference between a run that
// holds it and one that does not.
TEST(TriboSimulate, TheGripperLiftsWithTheForceThatItIsTold) {
  double gained[2];
  const char* const force[2] = {"10", "1.1"};  // above and below m g / (2 mu) = 1.23 N
  for (int i = 0; i < 2; ++i) {
    CommandResult result =
        tribo(std::string("simulate gripper --controller grasp-force -t 3 --json --set force=") +
              force[i]);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    Json report(json_loads(result.out.c_str(), 0, nullptr));
    EXPECT_LE(figure(report, "worst_certificate"), 1e-9);
    gained[i] = figure(report, "energy_end_J") - figure(report, "energy_start_J");
  }
  // The palm sags by another 1 mm, 8 mJ, under the cube.
  EXPECT_NEAR(gained[0] - gained[1], 0.2 * 9.81 * 0.1, 0.02);
}

// Somebody's robot from above: no step fails in any contact model, and where contacts hold it stays
// where it fell.
TEST(TriboSimulate, ARobotIsDroppedOnAFloor) {
  for (const char* height : {"0", "0.02", "0.1", "0.5", "1"}) {
    for (const std::string model : {"coulomb", "noslip", "viscous", "frictionless"}) {
      CommandResult result = tribo("simulate quadruped-urdf --floor " + std::string(height) +
                                   " -t 3 --json --model " + model);
      ASSERT_EQ(result.exit_code, 0) << height << " " << model << "\n" << result.err;
      Json report(json_loads(result.out.c_str(), 0, nullptr));
      EXPECT_LE(figure(report, "worst_certificate"), 1e-9) << height << " " << model;
      EXPECT_EQ(figure(report, "relaxed"), 0) << height << " " << model;
      EXPECT_LE(figure(report, "deepest_penetration_m"), 1e-4) << height << " " << model;
      EXPECT_GT(figure(report, "most_contacts_with_force"), 3) << height << " " << model;
      if (model == "noslip") {
        EXPECT_LE(figure(report, "speed_end"), 1e-6) << height;
      }
    }
  }
}

// What is recorded with a floor is replayed and verified with it.
TEST(TriboSimulate, TheFloorIsPartOfARecording) {
  const std::string path = path_of("floor.npz");
  ASSERT_EQ(tribo("simulate quadruped-urdf --floor 0.05 -t 0.3 -o " + path).exit_code, 0);
  for (const char* command : {"replay ", "verify "}) {
    CommandResult again = tribo(command + path);
    EXPECT_EQ(again.exit_code, 0) << command << again.out << again.err;
  }
}

TEST(TriboSimulate, AReportIsDrawnBesideATableWhichIsTheSameAsWithoutOne) {
  const std::string page = path_of("beside.html"), with = path_of("with.csv");
  const std::string without = path_of("without.csv"), run = "simulate incline -t 0.05 --energy -o ";
  CommandResult result = tribo(run + with + " --report " + page);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(tribo(run + without).exit_code, 0);
  EXPECT_EQ(run_command("cmp " + with + " " + without).exit_code, 0);
  EXPECT_EQ(run_command("test -s " + page + " -a ! -e " + page + ".npz").exit_code, 0);
}

TEST(TriboSimulate, NonsenseIsRefusedWithASentence) {
  const struct {
    const char* arguments;
    const char* word;
  } cases[] = {
      {"", "which MODEL"},
      {"nosuchscene", "neither a file nor a scene"},
      {"incline:nosuch=1", "nosuch"},
      {"incline -t 0", "--duration"},
      {"incline -t later", "--duration"},
      {"incline --dt -1", "--dt"},
      {"incline --model sticky", "coulomb|noslip|viscous|frictionless"},
      {"incline --solver simplex", "one of auto|lemke"},
      {"incline --set facets", "KEY=VALUE"},
      {"incline --set facets=many", "facets wants a number"},
      {"incline --set nosuch=1", "no step option 'nosuch'"},
      {"incline --controller nobody", "no controller 'nobody'"},
      {"incline --controller constant --set nosuch=1", "nosuch"},
      {"incline --controller quadruped", "trunk"},
      {"incline --controller grasp-force", "left"},
      {"incline --controller hand-grasp", "base0"},
      {"hand --controller hand-grasp --set nosuch=1", "nosuch"},
      {"hand --controller hand-grasp --set force=-1", "force"},
      {"gripper --controller grasp-force --set nosuch=1", "nosuch"},
      {"gripper --controller grasp-force --set force=-1", "force"},
      {"quadruped-urdf --floor below", "--floor"},
      {"incline --key nosuch", "no keyframe 'nosuch'"},
      {"incline --every 0", "--every"},
      {"incline -o /no/such/folder/x.npz", "/no/such/folder"},
      {"incline stack", "one MODEL"},
      {"incline --model noslip --solver pgs", "does not take model noslip with solver pgs"},
      {"incline --model coulomb --solver ppm", "does not take solver ppm"},
      {"incline --set facets=3 --cone polygon", "does not take facets 3"},
      {"incline --set tolerance=2", "does not take tolerance 2"},
      {"incline --set threads=0", "does not take threads 0"},
      {"incline --set margin=-1 --set slop=-1", "these options together: margin -1, slop -1"},
  };
  for (const auto& c : cases) {
    CommandResult result = tribo(std::string("simulate ") + c.arguments);
    EXPECT_EQ(result.exit_code, 2) << c.arguments << "\n" << result.out;
    EXPECT_TRUE(contains(result.err, c.word)) << c.arguments << "\n" << result.err;
  }
}

TEST(TriboSimulate, CtrlCLeavesAReadableTrajectoryAndExitsWith130) {
  const std::string path = path_of("interrupted.npz");
  CommandResult result = run_command("tools/tribo/tribo simulate incline -t 100000 -o " + path +
                                     " & child=$!; sleep 1; kill -INT $child; wait $child");
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_TRUE(contains(result.out, "interrupted")) << result.out;
  TriboTrajectory* t = nullptr;
  TriboMessage message;
  ASSERT_EQ(tribo_trajectory_open(path.c_str(), &t, &message), TRIBO_OK) << message.text;
  EXPECT_GT(t->rows, 10);
  tribo_trajectory_close(t);
}

TEST(TriboCompare, ExitCodeIsTheVerdict) {
  const std::string a = path_of("a.npz"), b = path_of("b.npz"), c = path_of("c.npz");
  ASSERT_EQ(tribo("simulate incline -t 0.2 -o " + a).exit_code, 0);
  ASSERT_EQ(tribo("simulate incline -t 0.2 --compress -o " + b).exit_code, 0);
  ASSERT_EQ(tribo("simulate incline -t 0.2 --model frictionless -o " + c).exit_code, 0);
  CommandResult same = tribo("compare " + a + " " + b);
  EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  EXPECT_TRUE(contains(same.out, "the same")) << same.out;
  CommandResult different = tribo("compare " + a + " " + c + " --json");
  EXPECT_EQ(different.exit_code, 1);
  Json report(json_loads(different.out.c_str(), 0, nullptr));
  ASSERT_NE(report, nullptr) << different.out;
  EXPECT_FALSE(json_is_true(json_object_get(report.get(), "same")));
  EXPECT_NE(json_object_get(report.get(), "first"), nullptr);
  EXPECT_EQ(
      tribo("compare " + a + " " + c + " --tol q=10,v=10,force=1000,energy=1000,time=1,events=100")
          .exit_code,
      0);
  for (const std::string& bad : {a, a + " nosuch.npz", a + " " + b + " --tol q",
                                 a + " " + b + " --align somehow", a + " README"}) {
    CommandResult result = tribo("compare " + bad);
    EXPECT_EQ(result.exit_code, 2) << bad;
    EXPECT_NE(result.err, "") << bad;
  }
}

// The text of the element with an id, in a page as a browser has understood it.
std::string element(const std::string& page, const std::string& id) {
  size_t at = page.find("id=\"" + id + "\"");
  if (at == std::string::npos) return "(no " + id + ")";
  at = page.find('>', at) + 1;
  return page.substr(at, page.find('<', at) - at);
}

std::string open_in_browser(const std::string& path) {
  CommandResult result = run_command(
      "chromium --headless --no-sandbox --disable-gpu --user-data-dir=" + path_of("chromium") +
      " --dump-dom file://" + path);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

class Report : public ::testing::Test {
 protected:
  void SetUp() override {
    if (run_command("command -v chromium").exit_code != 0)
      GTEST_SKIP() << "no browser here (Debian: chromium)";
  }
};

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

// Nothing comes from elsewhere, and nothing runs.
void expect_alone(const std::string& dom) {
  for (const char* word : {"http", "src=", "href=", "url(", "@import", "<script", "<link"})
    EXPECT_FALSE(contains(dom, word)) << word;
}

TEST_F(Report, ABrowserReadsTheNumbersOfARun) {
  const std::string page = path_of("run.html");
  CommandResult result = tribo("simulate quadruped -c quadruped -t 0.6 --json --report " + page);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  Json report(json_loads(result.out.c_str(), 0, nullptr));
  const std::string dom = open_in_browser(page);
  const struct {
    const char *id, *key;
  } same[] = {{"duration", "simulated_s"},
              {"most_contacts_found", "most_contacts_found"},
              {"most_contacts_with_force", "most_contacts_with_force"},
              {"worst_certificate", "worst_certificate"},
              {"penetration_at_start", "penetration_at_start_m"},
              {"deepest", "deepest_penetration_m"},
              {"stick_slip", "slip_of_sticking_m_per_s"},
              {"energy_start", "energy_start_J"},
              {"energy_end", "energy_end_J"},
              {"fallbacks", "fallbacks"},
              {"stopped", "stopped_by_budget"}};
  for (const auto& s : same) {
    const double expected = figure(report, s.key);
    EXPECT_NEAR(std::stod(element(dom, s.id)), expected, 1e-8 * std::abs(expected)) << s.id;
  }
  EXPECT_EQ(std::stod(element(dom, "rows")), figure(report, "steps") + 1);
  EXPECT_EQ(element(dom, "controller"), "quadruped");
  EXPECT_TRUE(contains(element(dom, "step_options"), "model coulomb, "));
  // 37 coordinates, 12 controls, 4 feet, certificate and energy.
  EXPECT_EQ(count_of(dom, "<title>") - 1, 37 + 12 + 4 + 2);
  for (const char* word : {"Joint angles, part 2 of 2 (rad)", "Controls, part 1 of 2 (N m)",
                           "ground / FL_foot", "time (s)", "dotted: the tolerance"})
    EXPECT_TRUE(contains(dom, word)) << word;
  EXPECT_TRUE(contains(dom, "id=\"modes\""));
  EXPECT_GE(count_of(dom, "<rect"), 8) << "feet that step";
  expect_alone(dom);
  // The passing trajectory is gone.
  EXPECT_NE(run_command("ls " + page + ".npz").exit_code, 0);
}

TEST_F(Report, ABrowserReadsTheVerdictOfAComparison) {
  const std::string a = path_of("ra.npz"), b = path_of("rb.npz"), page = path_of("diff.html");
  ASSERT_EQ(tribo("simulate incline -t 0.2 -o " + a).exit_code, 0);
  ASSERT_EQ(tribo("simulate incline -t 0.2 --model frictionless -o " + b).exit_code, 0);
  CommandResult result = tribo("compare " + a + " " + b + " --json --report " + page);
  EXPECT_EQ(result.exit_code, 1);
  Json report(json_loads(result.out.c_str(), 0, nullptr));
  const json_t* first = json_object_get(report.get(), "first");
  const std::string dom = open_in_browser(page);
  EXPECT_EQ(element(dom, "verdict"), "different");
  EXPECT_EQ(element(dom, "first_quantity"), json_string_value(json_object_get(first, "quantity")));
  EXPECT_EQ(element(dom, "first_where"), json_string_value(json_object_get(first, "where")));
  EXPECT_NEAR(std::stod(element(dom, "first_time")),
              json_number_value(json_object_get(first, "time")), 1e-9);
  EXPECT_EQ(element(dom, "option_differences"), "model coulomb in A and frictionless in B");
  size_t i;
  json_t* row;
  json_array_foreach(json_object_get(report.get(), "quantities"), i, row) {
    const std::string id =
        std::string("worst_") + json_string_value(json_object_get(row, "quantity"));
    const double worst = json_number_value(json_object_get(row, "worst"));
    EXPECT_NEAR(std::stod(element(dom, id)), worst, 1e-8 * worst) << id;
  }
  EXPECT_TRUE(contains(dom, "class=\"mark\""));
  EXPECT_TRUE(contains(dom, "first beyond tolerance"));
  EXPECT_TRUE(contains(dom, "Position differences by coordinate"));
  EXPECT_TRUE(contains(dom, "stroke-dasharray=\"5 4\"")) << "B over A";
  expect_alone(dom);
}

TEST_F(Report, ABrowserReadsTheFiguresOfABenchmark) {
  const std::string page = path_of("bench.html");
  CommandResult result = tribo("bench base --quick --json --report " + page);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  Json report(json_loads(result.out.c_str(), 0, nullptr));
  const json_t* benchmark = json_array_get(json_object_get(report.get(), "benchmarks"), 0);
  const json_t* row = json_array_get(json_object_get(benchmark, "rows"), 0);
  const std::string dom = open_in_browser(page);
  const size_t at = dom.find("<td>sincos</td>");
  ASSERT_NE(at, std::string::npos) << dom;
  const double shown = std::stod(dom.substr(dom.find("\"n\">", at) + 4));
  const double figure = json_number_value(json_object_get(row, "tribo_ns"));
  EXPECT_NEAR(shown, figure, 1e-3 * figure);  // printed with 4 digits
  expect_alone(dom);
}

}  // namespace
