// SPDX-License-Identifier: Apache-2.0
//
// MJCF: sensors, keyframes, freed roots, losses, hostile files.
#include <cmath>
#include <string>

#include "tests/models/mjcf_text.h"

namespace {

// --- sensors, keyframes, losses
// ----------------------------------------------------------------------

TEST(Mjcf, SensorsThatTriboHasAreListed) {
  Load load(Mujoco("<worldbody>" +
                   Simple("a", "<joint name='j'/>", "<site name='s' pos='0 0 1'/>") +
                   "</worldbody><sensor><jointpos name='p' joint='j'/><gyro site='s'/>"
                   "<framepos objtype='xbody' objname='a'/><touch site='s'/>"
                   "<framequat objtype='site' objname='s' reftype='site' refname='s'/></sensor>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  ASSERT_EQ(tribo_scene_sensor_count(load.scene), 3);
  EXPECT_STREQ(tribo_scene_sensor(load.scene, 0)->name, "p");
  EXPECT_EQ(tribo_scene_sensor(load.scene, 0)->joint, 0);
  EXPECT_EQ(tribo_scene_sensor(load.scene, 1)->type, TRIBO_SENSOR_GYRO);
  EXPECT_EQ(tribo_scene_sensor(load.scene, 1)->frame, 0);
  EXPECT_EQ(tribo_scene_sensor(load.scene, 2)->frame, 1);
  EXPECT_EQ(load.builder->frame[1].link, 0);
  EXPECT_EQ(load.Count(TRIBO_REPORT_UNUSED), 2);
}

// A hinge about z at the origin, turned by 90 degrees at 2 rad/s; the site is at x = 1 of the body:
// at (0, 1, 0) of the world, moving along -x at 2 m/s, which is its own y.
TEST(Mjcf, SensorsSayWhatTheStateIs) {
  Load load(Mujoco("<compiler angle='radian'/><worldbody>" +
                   Simple("a", "<joint name='j' axis='0 0 1'/>", "<site name='s' pos='1 0 0'/>") +
                   Simple("b", "<joint name='k' type='ball'/>") +
                   "</worldbody><sensor><jointpos joint='j'/><jointvel joint='j'/>"
                   "<ballquat joint='k'/><ballangvel joint='k'/><gyro site='s'/>"
                   "<velocimeter site='s'/><framepos objtype='site' objname='s'/>"
                   "<framequat objtype='site' objname='s'/>"
                   "<framelinvel objtype='site' objname='s'/>"
                   "<frameangvel objtype='site' objname='s'/><accelerometer site='s'/></sensor>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  Compiled c(load.builder);
  c.Set({kPi / 2, 0, 1, 0, 0}, {2, 0.5, 0.25, 0});
  const double h = std::sqrt(0.5);
  const std::vector<std::vector<double>> expected = {
      {kPi / 2}, {2},       {0, 1, 0, 0}, {0.5, 0.25, 0}, {0, 0, 2},
      {0, 2, 0}, {0, 1, 0}, {h, 0, 0, h}, {-2, 0, 0},     {0, 0, 2}};
  ASSERT_EQ(tribo_scene_sensor_count(load.scene), 11);
  for (int i = 0; i < 10; ++i) {
    double values[4];
    int count = 0;
    ASSERT_EQ(tribo_sensor_read(tribo_scene_sensor(load.scene, i), c.model, c.state, c.workspace,
                                values, &count),
              TRIBO_OK)
        << i;
    ASSERT_EQ(count, (int)expected[(size_t)i].size()) << i;
    for (int k = 0; k < count; ++k) {
      EXPECT_NEAR(values[k], expected[(size_t)i][(size_t)k], 1e-15) << i << " " << k;
    }
  }
  double values[4];
  int count;
  // No step has been made whose acceleration it could tell.
  EXPECT_EQ(tribo_sensor_read(tribo_scene_sensor(load.scene, 10), c.model, c.state, c.workspace,
                              values, &count),
            TRIBO_ERROR_ARGUMENT);
  TriboSensor wrong = {"", TRIBO_SENSOR_JOINT_POSITION, 7, -1};
  EXPECT_EQ(tribo_sensor_read(&wrong, c.model, c.state, c.workspace, values, &count),
            TRIBO_ERROR_ARGUMENT);
}

// A hand that the file fixes to the world can fall; a table, which carries no joint, stays, and
// keys are the file's.
TEST(Mjcf, ARootThatIsFixedInTheFileCanBeFreed) {
  const std::string text = Mujoco(
      "<worldbody><body name='table'><geom size='1'/></body>"
      "<body name='palm' pos='1 2 3' quat='0 0 0 1'><geom size='0.1' mass='2'/>"
      "<body name='finger'><joint name='j'/><geom size='0.1' mass='1'/></body></body></worldbody>"
      "<keyframe><key qpos='0.5' qvel='0.25'/></keyframe>");
  TriboLoadOptions options = tribo_load_options_default();
  Load fixed(text, options);
  EXPECT_EQ(Compiled(fixed.builder).Mass().size(), 1u);
  options.root = TRIBO_ROOT_FREE;
  Load load(text, options);
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  Compiled c(load.builder);
  ASSERT_EQ(tribo_model_nq(c.model), 8);
  const TriboKeyframe* key = tribo_scene_key(load.scene, 0);
  const double q[] = {1, 2, 3, 0, 0, 0, 1, 0.5}, v[] = {0, 0, 0, 0, 0, 0, 0.25};
  ASSERT_EQ(key->nq, 8);
  ASSERT_EQ(key->nv, 7);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(key->q[i], q[i]) << i;
  for (int i = 0; i < 7; ++i) EXPECT_EQ(key->v[i], v[i]) << i;
  EXPECT_NEAR(c.Mass()[0], 3, 1e-12);  // palm and finger, but not the table
}

// The same hinge: its site is held on a circle of 1 m by -w^2 along its own x, and against gravity.
// The other body rests on its joint.
TEST(Mjcf, AccelerometersSayTheSpecificForceOfTheLastStep) {
  Load load(Mujoco("<worldbody>" +
                   Simple("a", "<joint name='j' axis='0 0 1'/>", "<site name='s' pos='1 0 0'/>") +
                   Simple("b", "<joint name='k' axis='0 0 1'/>", "<site name='r'/>") +
                   "</worldbody><sensor><accelerometer site='s'/><accelerometer site='r'/>"
                   "</sensor>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  Compiled c(load.builder);
  c.Set({kPi / 2, 0}, {2, 0});
  ASSERT_EQ(tribo_step(c.model, nullptr, nullptr, c.state, c.workspace), TRIBO_OK);
  const double expected[2][3] = {{-4, 0, 9.81}, {0, 0, 9.81}};
  for (int i = 0; i < 2; ++i) {
    double values[4];
    int count = 0;
    ASSERT_EQ(tribo_sensor_read(tribo_scene_sensor(load.scene, i), c.model, c.state, c.workspace,
                                values, &count),
              TRIBO_OK);
    ASSERT_EQ(count, 3);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(values[k], expected[i][k], 1e-12) << i << " " << k;
  }
}

TEST(Mjcf, KeyframesAreInTheModelsOrder) {
  const std::string model =
      "<compiler angle='radian'/><worldbody><body pos='0 0 1'><freejoint/><geom size='1'/>"
      "<body><joint name='j' ref='0.5'/><geom size='1'/></body></body></worldbody>"
      "<actuator><motor joint='j'/></actuator>";
  Load load(Mujoco(model + "<keyframe><key name='up' time='2' qpos='1 2 3 0 1 0 0 4' ctrl='5'/>"
                           "<key qvel='1 2 3 4 5 6 7'/></keyframe>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  ASSERT_EQ(tribo_scene_key_count(load.scene), 2);
  const TriboKeyframe* key = tribo_scene_key(load.scene, 0);
  EXPECT_STREQ(key->name, "up");
  EXPECT_EQ(key->time, 2);
  EXPECT_EQ(key->nq, 8);
  EXPECT_EQ(key->q[4], 1);
  EXPECT_EQ(key->q[7], 4);
  EXPECT_EQ(key->v[6], 0);
  EXPECT_EQ(key->control[0], 5);
  // What is left out is as the file places it.
  const TriboKeyframe* rest = tribo_scene_key(load.scene, 1);
  EXPECT_EQ(rest->q[2], 1);
  EXPECT_EQ(rest->q[3], 1);
  EXPECT_EQ(rest->q[7], 0.5);
  EXPECT_EQ(rest->v[6], 7);
  EXPECT_EQ(Load(Mujoco(model + "<keyframe><key qpos='1 2'/></keyframe>")).status,
            TRIBO_ERROR_MODEL);
}

TEST(Mjcf, EveryLossIsListedWithItsLineAndWhy) {
  const std::string text = Mujoco(
      "<visual/>\n<asset><material name='m'/></asset>\n"
      "<worldbody><light/>\n<geom size='1' solref='0.1 1' margin='0.1' whatever='1'/>"
      "</worldbody><custom><text name='x'/></custom><nonsense/>");
  Load load(text);
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(tribo_report_count(load.report), 8) << load.Report();
  const TriboReportEntry* soft = load.Entry("geom@solref");
  ASSERT_NE(soft, nullptr);
  EXPECT_EQ(soft->line, 5);
  EXPECT_NE(std::string(soft->text).find("rigid"), std::string::npos);
  ASSERT_NE(load.Entry("mujoco/nonsense"), nullptr);
  TriboLoadOptions strict = tribo_load_options_default();
  strict.strict = true;
  EXPECT_EQ(Load(text, strict).status, TRIBO_ERROR_UNSUPPORTED);
  EXPECT_EQ(Load(World("<geom size='1'/>"), strict).status, TRIBO_OK);
}

TEST(Mjcf, HostileFilesAreErrorsWithALine) {
  const struct {
    const char* what;
    std::string text;
    TriboStatus status;
  } cases[] = {
      {"truncated", "<mujoco><worldbody><body>", TRIBO_ERROR_PARSE},
      {"duplicate bodies", World("<body name='a'/><body name='a'/>"), TRIBO_ERROR_MODEL},
      {"duplicate geoms", World("<geom name='a' size='1'/><geom name='a' size='1'/>"),
       TRIBO_ERROR_MODEL},
      {"duplicate joints",
       World(Simple("a", "<joint name='j'/>") + Simple("b", "<joint name='j'/>")),
       TRIBO_ERROR_MODEL},
      {"NaN", World("<body pos='0 nan 0'/>"), TRIBO_ERROR_PARSE},
      {"infinity", World("<geom size='inf'/>"), TRIBO_ERROR_PARSE},
      {"text for a number", World("<geom size='big'/>"), TRIBO_ERROR_PARSE},
      {"two numbers for three", World("<body pos='0 1'/>"), TRIBO_ERROR_PARSE},
      {"four numbers for three", World("<body pos='0 1 2 3'/>"), TRIBO_ERROR_PARSE},
      {"no size", World("<geom type='box' size='1 1'/>"), TRIBO_ERROR_MODEL},
      {"negative size", World("<geom size='-1'/>"), TRIBO_ERROR_MODEL},
      {"negative mass", World("<body><inertial mass='-1' pos='0 0 0'/></body>"), TRIBO_ERROR_MODEL},
      {"negative density", World("<body><geom size='1' density='-1'/></body>"), TRIBO_ERROR_MODEL},
      {"negative friction", World("<geom size='1' friction='-1'/>"), TRIBO_ERROR_MODEL},
      {"condim", World("<geom size='1' condim='2'/>"), TRIBO_ERROR_MODEL},
      {"half a condim", World("<geom size='1' condim='3.5'/>"), TRIBO_ERROR_PARSE},
      {"no mesh", World("<geom type='mesh' mesh='m'/>"), TRIBO_ERROR_MODEL},
      {"flat mesh",
       Mujoco("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0' face='0 1 2'/></asset>"
              "<worldbody><body><freejoint/><geom type='mesh' mesh='m'/></body></worldbody>"),
       TRIBO_ERROR_MODEL},
      {"face beyond the vertices",
       Mujoco("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 9'/></asset>"
              "<worldbody><geom type='mesh' mesh='m'/></worldbody>"),
       TRIBO_ERROR_MODEL},
      {"huge height field",
       Mujoco("<asset><hfield name='h' nrow='100000' ncol='100000' size='1 1 1 1'/></asset>"),
       TRIBO_ERROR_PARSE},
      {"time step", Mujoco("<option timestep='0'/>"), TRIBO_ERROR_MODEL},
      {"unknown word", Mujoco("<compiler angle='gon'/>"), TRIBO_ERROR_PARSE},
      {"global coordinates", Mujoco("<compiler coordinate='global'/>"), TRIBO_ERROR_PARSE},
      {"unknown body", Mujoco("<contact><exclude body1='a' body2='b'/></contact>"),
       TRIBO_ERROR_MODEL},
      {"unknown geom", Mujoco("<contact><pair geom1='a' geom2='b'/></contact>"), TRIBO_ERROR_MODEL},
      {"unknown joint", Mujoco("<actuator><motor joint='j'/></actuator>"), TRIBO_ERROR_MODEL},
      {"unknown site", Mujoco("<sensor><gyro site='s'/></sensor>"), TRIBO_ERROR_MODEL},
      {"entity bomb", "<!DOCTYPE m [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><mujoco model='&b;'/>",
       TRIBO_ERROR_PARSE},
      {"external entity", "<!DOCTYPE m [<!ENTITY a SYSTEM '/etc/passwd'>]><mujoco model='&a;'/>",
       TRIBO_ERROR_PARSE},
  };
  for (const auto& c : cases) {
    Load load(c.text);
    EXPECT_EQ(load.status, c.status) << c.what << ": " << load.message.text;
    EXPECT_GE(load.message.line, 1) << c.what;
    EXPECT_NE(load.message.text[0], '\0') << c.what;
  }
}

TEST(Mjcf, BodiesNestedToTheBoundLoadAndBeyondAreRefused) {
  auto chain = [](int depth) {
    std::string open, close;
    for (int i = 0; i < depth; ++i) {
      open += "<body pos='0 0 1'><joint/><geom size='0.1'/>", close += "</body>";
    }
    return World(open + close);
  };
  Load load(chain(250));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(tribo_builder_count(load.builder, TRIBO_KIND_LINK), 250);
  EXPECT_EQ(Load(chain(1000)).status, TRIBO_ERROR_PARSE);
}

}  // namespace
