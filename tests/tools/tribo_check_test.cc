// SPDX-License-Identifier: Apache-2.0
#include <jansson.h>

#include <fstream>
#include <string>

#include "tests/command.h"

namespace {

const char kTribo[] = "tools/tribo/tribo";

std::string Write(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path) << text;
  return path;
}

json_t* Check(const std::string& arguments, int* exit_code) {
  CommandResult result = run_command(std::string(kTribo) + " check --json " + arguments);
  *exit_code = result.exit_code;
  return json_loads(result.out.c_str(), 0, nullptr);
}

const char kRobot[] =
    "<robot name='arm'>\n<link name='world'/>\n"
    "<link name='a'><inertial><mass value='2'/><inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' "
    "ixz='0' iyz='0'/></inertial><collision><geometry><sphere radius='0.1'/></geometry></collision>"
    "</link>\n"
    "<link name='b'><inertial><mass value='1'/><inertia ixx='9' iyy='9' izz='9' ixy='0' "
    "ixz='0' iyz='0'/></inertial><collision><geometry><sphere radius='0.1'/></geometry></collision>"
    "</link>\n"
    "<joint name='j' type='revolute'><parent link='world'/><child link='a'/>"
    "<limit lower='-1' upper='1' effort='5' velocity='1'/></joint>\n"
    "<joint name='k' type='continuous'><parent link='a'/><child link='b'/></joint>\n"
    "%s</robot>\n";

std::string Robot(const std::string& more) {
  std::string text = kRobot;
  return text.replace(text.find("%s"), 2, more);
}

TEST(TriboCheck, ListsWhatIsThere) {
  int exit_code;
  json_t* all = Check(Write("arm.urdf", Robot("")), &exit_code);
  EXPECT_EQ(exit_code, 0);
  ASSERT_NE(all, nullptr);
  json_t* summary = json_object_get(all, "summary");
  EXPECT_STREQ(json_string_value(json_object_get(summary, "model")), "arm");
  EXPECT_EQ(json_integer_value(json_object_get(summary, "dofs")), 2);
  EXPECT_EQ(json_real_value(json_object_get(summary, "total_mass")), 3);
  EXPECT_EQ(json_array_size(json_object_get(all, "links")), 2u);
  EXPECT_EQ(json_array_size(json_object_get(all, "joints")), 2u);
  EXPECT_EQ(json_array_size(json_object_get(all, "shapes")), 2u);
  EXPECT_EQ(json_array_size(json_object_get(all, "report")), 0u);
  json_decref(all);
}

TEST(TriboCheck, SaysWhatLooksWrong) {
  int exit_code;
  json_t* all = Check(Write("arm.urdf", Robot("")), &exit_code);
  json_t* suspicions = json_object_get(all, "suspicions");
  ASSERT_EQ(json_array_size(suspicions), 1u);  // b weighs like a body of 3.7 m
  EXPECT_STREQ(json_string_value(json_object_get(json_array_get(suspicions, 0), "element")), "b");
  json_decref(all);
}

TEST(TriboCheck, StrictTurnsLossesIntoExitCodeTwo) {
  const std::string file = Write("gazebo.urdf", Robot("<gazebo/>"));
  int lax, strict;
  json_t* all = Check(file, &lax);
  EXPECT_EQ(lax, 0);
  ASSERT_EQ(json_array_size(json_object_get(all, "report")), 1u);
  json_t* entry = json_array_get(json_object_get(all, "report"), 0);
  EXPECT_EQ(json_integer_value(json_object_get(entry, "line")), 7);
  json_decref(all);
  json_decref(Check("--strict " + file, &strict));
  EXPECT_EQ(strict, 2);
}

TEST(TriboCheck, UnsupportedPhysicsIsExitCodeTwoUnlessAllowed) {
  const std::string file = Write(
      "muscle.xml",
      "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody><actuator>"
      "<muscle joint='j'/></actuator></mujoco>");
  int plain, allowed;
  json_decref(Check(file, &plain));
  json_decref(Check("--allow-unsupported " + file, &allowed));
  EXPECT_EQ(plain, 2);
  EXPECT_EQ(allowed, 0);
}

TEST(TriboCheck, BrokenFilesAreExitCodeTwoWithAPlace) {
  CommandResult result =
      run_command(std::string(kTribo) + " check " + Write("broken.xml", "<mujoco>\n<worldbody>"));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("broken.xml:2:"), std::string::npos) << result.err;
  EXPECT_EQ(run_command(std::string(kTribo) + " check none.xml").exit_code, 2);
  EXPECT_EQ(run_command(std::string(kTribo) + " check").exit_code, 2);
}

TEST(TriboCheck, EverySceneThatShipsIsFineAndStrict) {
  const std::string path = testing::TempDir() + "/scene.xml";
  for (const char* scene : {"quadruped", "quadruped-urdf", "grasp", "hand", "four-bar"}) {
    CommandResult written = run_command(std::string(kTribo) + " scene " + scene + " > " + path);
    ASSERT_EQ(written.exit_code, 0) << written.err;
    CommandResult checked = run_command(std::string(kTribo) + " check --strict " + path);
    EXPECT_EQ(checked.exit_code, 0) << scene << checked.out << checked.err;
    EXPECT_EQ(checked.out.find("what looks wrong"), std::string::npos) << scene << checked.out;
  }
}

TEST(TriboCheck, RepeatedLossesAreOneEntryWithEveryPlace) {
  int exit_code;
  json_t* all = Check(Write("odd.urdf", Robot("<odd/>\n<odd/>\n<odd/>\n")), &exit_code);
  json_t* report = json_object_get(all, "report");
  ASSERT_EQ(json_array_size(report), 1u);
  json_t* places = json_object_get(json_array_get(report, 0), "places");
  EXPECT_EQ(json_integer_value(json_object_get(json_array_get(report, 0), "times")), 3);
  ASSERT_EQ(json_array_size(places), 3u);
  const json_int_t first = json_integer_value(json_object_get(json_array_get(places, 0), "line"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(json_integer_value(json_object_get(json_array_get(places, i), "line")), first + i);
  }
  json_decref(all);
}

// The same coordinates, masses, inertias, joints and shapes, as `tribo check` prints them.
TEST(TriboConvert, AUrdfRobotIsTheSameAsMjcf) {
  const std::string urdf = testing::TempDir() + "/a.urdf", xml = testing::TempDir() + "/b.xml";
  ASSERT_EQ(run_command(std::string(kTribo) + " scene quadruped-urdf > " + urdf).exit_code, 0);
  CommandResult result = run_command(std::string(kTribo) + " convert " + urdf + " " + xml);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  int codes[2];
  json_t* before = Check(urdf, &codes[0]);
  json_t* after = Check(xml, &codes[1]);
  EXPECT_EQ(codes[0] + codes[1], 0);
  for (const char* section : {"links", "shapes", "actuators"}) {
    EXPECT_TRUE(json_equal(json_object_get(before, section), json_object_get(after, section)))
        << section;
  }
  for (const char* count : {"nq", "dofs", "joints", "loops", "total_mass"}) {
    EXPECT_TRUE(json_equal(json_object_get(json_object_get(before, "summary"), count),
                           json_object_get(json_object_get(after, "summary"), count)))
        << count;
  }
  json_decref(before);
  json_decref(after);
  EXPECT_EQ(run_command(std::string(kTribo) + " convert none.urdf " + xml).exit_code, 2);
  EXPECT_EQ(run_command(std::string(kTribo) + " convert " + urdf + " /no/such/b.xml").exit_code, 2);
}

}  // namespace
