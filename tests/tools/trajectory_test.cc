// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <jansson.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/random.h"
#include "tests/command.h"
#include "tests/scale.h"
#include "tests/tools/small_scene.h"
#include "tools/trajectory/tribo_trajectory.h"

namespace {

std::string path_of(const char* name) { return testing::TempDir() + "/" + name; }

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

struct Closer {
  void operator()(TriboTrajectory* t) const { tribo_trajectory_close(t); }
};
using Trajectory = std::unique_ptr<TriboTrajectory, Closer>;

Trajectory open(const std::string& path) {
  TriboTrajectory* t = nullptr;
  TriboMessage message;
  EXPECT_EQ(tribo_trajectory_open(path.c_str(), &t, &message), TRIBO_OK) << message.text;
  return Trajectory(t);
}

// What the run itself saw, to be found again in the file.
struct Seen {
  std::vector<double> time, q, v, control, worst, energy, momentum;
  std::vector<TriboContactResult> contacts;
  std::vector<int64_t> contact_end;
  std::vector<TriboEvent> events;
};

void look(const SmallScene& scene, Seen* seen) {
  seen->time.push_back(tribo_state_time(scene.state));
  const double *q = tribo_state_q(scene.state), *v = tribo_state_v(scene.state);
  seen->q.insert(seen->q.end(), q, q + tribo_model_nq(scene.model));
  seen->v.insert(seen->v.end(), v, v + tribo_model_nv(scene.model));
  TriboWorkspace* scratch = nullptr;
  TriboEnergy e;
  ASSERT_EQ(tribo_workspace_create(scene.model, nullptr, nullptr, &scratch), TRIBO_OK);
  ASSERT_EQ(tribo_energy(scene.model, scene.state, scratch, &e), TRIBO_OK);
  tribo_workspace_destroy(scratch);
  seen->energy.push_back(e.kinetic + e.potential);
  for (TriboVec3 p : {e.linear_momentum, e.angular_momentum}) {
    seen->momentum.insert(seen->momentum.end(), {p.x, p.y, p.z});
  }
}

Seen record(const std::string& path, int steps, TriboRecordOptions options) {
  SmallScene scene;
  Seen seen;
  TriboRecorder* recorder = nullptr;
  TriboMessage message;
  EXPECT_EQ(tribo_recorder_create(path.c_str(), scene.model, scene.state, &scene.options, &options,
                                  &recorder, &message),
            TRIBO_OK)
      << message.text;
  look(scene, &seen);
  seen.control.push_back(0), seen.worst.push_back(0), seen.contact_end.push_back(0);
  for (int k = 0; k < steps; ++k) {
    scene.step(k);
    EXPECT_EQ(tribo_recorder_step(recorder, &scene.input, scene.state, scene.workspace), TRIBO_OK);
    look(scene, &seen);
    TriboStepInfo info = tribo_step_info(scene.workspace);
    seen.control.push_back(scene.control[0]);
    seen.worst.push_back(info.certificate.worst);
    TriboContactResult contact;
    for (int i = 0; tribo_contact_get(scene.workspace, i, &contact); ++i) {
      if (contact.mode != TRIBO_MODE_SEPARATE) seen.contacts.push_back(contact);
    }
    seen.contact_end.push_back(static_cast<int64_t>(seen.contacts.size()));
    TriboEvent event;
    for (int i = 0; tribo_event_get(scene.workspace, i, &event); ++i) seen.events.push_back(event);
  }
  EXPECT_EQ(tribo_recorder_close(recorder, &message), TRIBO_OK) << message.text;
  return seen;
}

void expect_same_bits(const std::vector<double>& expected, const double* got, const char* what) {
  EXPECT_EQ(std::memcmp(expected.data(), got, expected.size() * sizeof(double)), 0) << what;
}

void expect_equal(const Seen& seen, const TriboTrajectory& t) {
  ASSERT_EQ(t.rows, static_cast<int64_t>(seen.time.size()));
  expect_same_bits(seen.time, t.time, "time");
  expect_same_bits(seen.q, t.q, "q");
  expect_same_bits(seen.v, t.v, "v");
  expect_same_bits(seen.control, t.control, "control");
  if (t.energy != nullptr) expect_same_bits(seen.energy, t.energy, "energy");
  if (t.momentum != nullptr) expect_same_bits(seen.momentum, t.momentum, "momentum");
  for (int64_t i = 0; i < t.rows; ++i) {
    EXPECT_EQ(t.certificate[9 * i + 8], seen.worst[i]);
    EXPECT_EQ(t.contact_end[i], seen.contact_end[i]);
  }
  ASSERT_EQ(t.contacts, static_cast<int64_t>(seen.contacts.size()));
  for (int64_t i = 0; i < t.contacts; ++i) {
    const TriboContactResult& c = seen.contacts[i];
    EXPECT_EQ(t.contact_id[i], c.id);
    EXPECT_EQ(t.contact_shapes[2 * i], c.shape0);
    EXPECT_EQ(t.contact_shapes[2 * i + 1], c.shape1);
    EXPECT_EQ(t.contact_mode[i], c.mode);
    EXPECT_EQ(t.contact_gap[i], c.gap);
    EXPECT_EQ(t.contact_point[3 * i + 1], c.point.y);
    EXPECT_EQ(t.contact_normal[3 * i + 2], c.frame.m[6]);
    EXPECT_EQ(t.contact_force[3 * i], c.force_W.x);
    EXPECT_EQ(t.contact_force[3 * i + 2], c.force_W.z);
    EXPECT_EQ(t.contact_slip[i], std::sqrt(c.slip[0] * c.slip[0] + c.slip[1] * c.slip[1]));
  }
  ASSERT_EQ(t.events, static_cast<int64_t>(seen.events.size()));
  for (int64_t i = 0; i < t.events; ++i) {
    EXPECT_EQ(t.event_type[i], seen.events[i].type);
    EXPECT_EQ(t.event_id[i], seen.events[i].id);
    EXPECT_EQ(t.event_shapes[2 * i + 1], seen.events[i].shape1);
  }
}

TEST(Trajectory, EveryFieldIsReadBackBitByBit) {
  for (bool compress : {false, true}) {
    TriboRecordOptions options = tribo_record_options_default();
    options.compress = compress;
    options.energy = true;
    const std::string path = path_of(compress ? "packed.npz" : "stored.npz");
    Seen seen = record(path, 200, options);
    Trajectory t = open(path);
    ASSERT_NE(t, nullptr);
    expect_equal(seen, *t);
    EXPECT_GT(t->contacts, 100);  // the box has landed
    EXPECT_GT(t->events, 0);
    EXPECT_NE(t->momentum, nullptr);
    EXPECT_NE(access((path + ".part").c_str(), F_OK), 0) << "the folder must be gone";
  }
  EXPECT_LT(bytes_of(path_of("packed.npz")).size(), bytes_of(path_of("stored.npz")).size());
}

TEST(Trajectory, HeaderNamesEveryCoordinateWithItsUnit) {
  TriboRecordOptions options = tribo_record_options_default();
  options.source = "small scene";
  options.settings = "{\"seed\": 7}";
  record(path_of("named.npz"), 1, options);
  Trajectory t = open(path_of("named.npz"));
  ASSERT_NE(t, nullptr);
  json_t* meta = json_loads(t->meta, 0, nullptr);
  auto name = [&](const char* key, size_t i) {
    const char* text = json_string_value(json_array_get(json_object_get(meta, key), i));
    return std::string(text != nullptr ? text : "(none)");
  };
  EXPECT_EQ(json_array_size(json_object_get(meta, "q")), static_cast<size_t>(t->nq));
  EXPECT_EQ(json_array_size(json_object_get(meta, "v_units")), static_cast<size_t>(t->nv));
  bool found = false;
  for (size_t i = 0; i < static_cast<size_t>(t->nq); ++i) {
    if (name("q", i) != "box.qw") continue;
    found = true;
    EXPECT_EQ(name("q_units", i), "1");
    EXPECT_EQ(name("q", i + 3), "box.qz");
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(name("controls", 0), "motor");
  EXPECT_EQ(name("shapes", 0), "ground");
  EXPECT_STREQ(json_string_value(json_object_get(meta, "source")), "small scene");
  EXPECT_EQ(json_integer_value(json_object_get(json_object_get(meta, "settings"), "seed")), 7);
  const json_t* step = json_object_get(meta, "step_options");
  EXPECT_STREQ(json_string_value(json_object_get(step, "model")), "coulomb");
  EXPECT_EQ(std::stod(json_string_value(json_object_get(step, "dt"))), 0.005);
  json_decref(meta);
}

TEST(Trajectory, EveryNthStepKeepsAllEvents) {
  TriboRecordOptions options = tribo_record_options_default();
  Seen all = record(path_of("all.npz"), 200, options);
  options.every = 10;
  record(path_of("every.npz"), 200, options);
  Trajectory t = open(path_of("every.npz"));
  ASSERT_NE(t, nullptr);
  ASSERT_EQ(t->rows, 21);
  EXPECT_EQ(t->time[3], all.time[30]);
  EXPECT_EQ(std::memcmp(t->q + 3 * t->nq, all.q.data() + 30 * t->nq, t->nq * sizeof(double)), 0);
  EXPECT_EQ(t->events, static_cast<int64_t>(all.events.size()));
}

// The system's Python, and where that has no NumPy the first one on the path.
std::string python_with_numpy() {
  for (const char* python : {"/usr/bin/python3", "python3"}) {
    if (run_command(std::string(python) + " -c 'import numpy'").exit_code == 0) return python;
  }
  return "";
}

TEST(Trajectory, NumpyReadsTheSameNumbers) {
  const std::string python = python_with_numpy();
  if (python.empty()) GTEST_SKIP() << "no NumPy here (Debian: python3-numpy)";
  for (bool compress : {false, true}) {
    TriboRecordOptions options = tribo_record_options_default();
    options.compress = compress;
    options.energy = true;
    Seen seen = record(path_of("numpy.npz"), 120, options);
    CommandResult result = run_command(python + R"( -c "
import numpy, json
f = numpy.load(')" + path_of("numpy.npz") +
                                       R"(')
meta = json.loads(f['meta'].item())
print(meta['format'], *f['q'].shape, *f['v'].shape, *f['control'].shape, *f['contact_force'].shape)
print(float(f['q'][-1, 2]).hex(), float(f['energy'][7]).hex(), int(f['contact_end'][-1]))
print(int(f['contact_id'].sum()), f['contact_mode'].dtype, f['event_type'].dtype, f['solver'].dtype)
print(all(f[name] is not None for name in f.files), len(f.files))
")");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    uint64_t ids = 0;
    for (const TriboContactResult& c : seen.contacts) ids += c.id;
    char expected[512], energy[64], height[64];
    const size_t nq = seen.q.size() / seen.time.size();
    snprintf(height, sizeof height, "%a", seen.q[nq * 120 + 2]);
    snprintf(energy, sizeof energy, "%a", seen.energy[7]);
    snprintf(expected, sizeof expected, "1 121 8 121 7 121 1 %zu 3\n", seen.contacts.size());
    EXPECT_EQ(result.out.rfind(expected, 0), 0u) << result.out;
    double q = 0, e = 0;
    long long end = 0;
    ASSERT_EQ(sscanf(result.out.c_str() + strlen(expected), "%la %la %lld", &q, &e, &end), 3);
    EXPECT_EQ(q, seen.q[nq * 120 + 2]);
    EXPECT_EQ(e, seen.energy[7]);
    EXPECT_EQ(end, static_cast<long long>(seen.contacts.size()));
    EXPECT_NE(result.out.find(std::to_string(ids) + " int8 int8 int32"), std::string::npos)
        << result.out;
    EXPECT_NE(result.out.find("True 27"), std::string::npos) << result.out;
  }
}

// Records `steps` steps in a process that kills itself without closing; the last one after a pause.
void record_and_die(const std::string& path, int steps, int flush, int pause_ms = 0) {
  pid_t child = fork();
  if (child == 0) {
    SmallScene scene;
    TriboRecordOptions options = tribo_record_options_default();
    options.flush = flush;
    TriboRecorder* recorder = nullptr;
    if (tribo_recorder_create(path.c_str(), scene.model, scene.state, &scene.options, &options,
                              &recorder, nullptr) != TRIBO_OK)
      _exit(1);
    for (int k = 0; k < steps; ++k) {
      scene.step(k);
      if (k == steps - 1) usleep(static_cast<useconds_t>(1000 * pause_ms));
      if (tribo_recorder_step(recorder, &scene.input, scene.state, scene.workspace) != TRIBO_OK)
        _exit(1);
    }
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(Trajectory, ARunThatDiesLeavesAllRowsUpToTheLastFlush) {
  const std::string path = path_of("died.npz");
  record_and_die(path, 150, 40);
  Seen seen = record(path_of("lived.npz"), 120, tribo_record_options_default());
  // Named as the file that never came to be, and as the folder that is there.
  for (const std::string& name : {path, path + ".part"}) {
    Trajectory t = open(name);
    ASSERT_NE(t, nullptr);
    expect_equal(seen, *t);  // 3 flushes of 40 steps
  }
  const std::string python = python_with_numpy();
  if (python.empty()) GTEST_SKIP() << "no NumPy here (Debian: python3-numpy)";
  CommandResult result = run_command(python + " -c \"import numpy; print(*numpy.load('" + path +
                                     ".part/q.npy').shape)\"");
  EXPECT_EQ(result.out, "121 8\n") << result.err;
}

TEST(Trajectory, ByDefaultTheFirstRowAfterASecondIsFlushedWithAllBeforeIt) {
  const std::string path = path_of("slow.npz");
  record_and_die(path, 30, tribo_record_options_default().flush, 1010);
  Trajectory t = open(path);
  ASSERT_NE(t, nullptr);
  expect_equal(record(path_of("quick.npz"), 30, tribo_record_options_default()), *t);
}

// What a flush has written comes from the folder, the rest from memory.
TEST(Trajectory, TheFileIsTheSameHoweverOftenItWasFlushed) {
  for (bool compress : {false, true}) {
    TriboRecordOptions options = tribo_record_options_default();
    options.compress = compress;
    std::string first;
    for (int flush : {0, 1, 7, 20}) {
      options.flush = flush;
      const std::string path = path_of("flushed.npz");
      record(path, 20, options);
      std::ifstream file(path, std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      // The header says the options, but not this one.
      if (flush == 0) first = bytes;
      ASSERT_FALSE(bytes.empty());
      EXPECT_TRUE(bytes == first) << flush;
    }
  }
}

TEST(Trajectory, WhereTheFileCannotBePackedTheFolderHoldsAllRows) {
  SmallScene scene;
  const std::string path = path_of("unpacked.npz");
  ASSERT_EQ(run_command("mkdir -p " + path + ".tmp").exit_code, 0);
  TriboRecorder* recorder = nullptr;
  ASSERT_EQ(tribo_recorder_create(path.c_str(), scene.model, scene.state, &scene.options, nullptr,
                                  &recorder, nullptr),
            TRIBO_OK);
  for (int k = 0; k < 50; ++k) {
    scene.step(k);
    ASSERT_EQ(tribo_recorder_step(recorder, &scene.input, scene.state, scene.workspace), TRIBO_OK);
  }
  TriboMessage message;
  EXPECT_EQ(tribo_recorder_close(recorder, &message), TRIBO_ERROR_FILE);
  Trajectory t = open(path);
  ASSERT_NE(t, nullptr);
  EXPECT_EQ(t->rows, 51);
}

// Killed anywhere: while the folder is made, between rows, in the middle of a flush.
TEST(Trajectory, ARunThatIsKilledAtAnyTimeLeavesWhatCanBeReadOrNothing) {
  const std::string path = path_of("killed.npz");
  int read = 0, nothing = 0;
  for (int i = 0; i < tribo_test_count(60); ++i) {
    run_command("rm -rf " + path + "*");
    pid_t child = fork();
    if (child == 0) {
      SmallScene scene;
      TriboRecordOptions options = tribo_record_options_default();
      options.flush = 3;
      TriboRecorder* recorder = nullptr;
      if (tribo_recorder_create(path.c_str(), scene.model, scene.state, &scene.options, &options,
                                &recorder, nullptr) != TRIBO_OK)
        _exit(1);
      for (int k = 0;; ++k) {
        scene.step(k);
        if (tribo_recorder_step(recorder, &scene.input, scene.state, scene.workspace) != TRIBO_OK)
          _exit(1);
      }
    }
    // Most of the times are in the first milliseconds, when the folder is made.
    usleep(static_cast<useconds_t>(i % 2 == 0 ? 50 * i : 1000 * i));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the recording failed";
    TriboTrajectory* t = nullptr;
    TriboMessage message;
    const TriboStatus opened = tribo_trajectory_open(path.c_str(), &t, &message);
    if (opened == TRIBO_OK) {
      ++read;
      EXPECT_GE(t->rows, 1);
      EXPECT_EQ(t->contacts, t->contact_end[t->rows - 1]);
      tribo_trajectory_close(t);
    } else {
      ++nothing;
      EXPECT_EQ(opened, TRIBO_ERROR_FILE) << message.text;
      EXPECT_NE(access((path + ".part").c_str(), F_OK), 0) << message.text;
    }
  }
  EXPECT_GT(read, 0);
  RecordProperty("nothing", nothing);
}

TEST(Trajectory, WrenchesAreKeptWhereTheyAct) {
  SmallScene scene;
  const std::string path = path_of("pushed.npz");
  TriboRecorder* recorder = nullptr;
  ASSERT_EQ(tribo_recorder_create(path.c_str(), scene.model, scene.state, &scene.options, nullptr,
                                  &recorder, nullptr),
            TRIBO_OK);
  std::vector<double> wrench(12);  // box and rod
  scene.input.wrench = wrench.data();
  for (int k = 0; k < 30; ++k) {
    std::fill(wrench.begin(), wrench.end(), 0);
    if (k == 4) wrench[7] = 1.5;
    if (k == 9) wrench[5] = -2, wrench[6] = 3;
    scene.step(k);
    ASSERT_EQ(tribo_recorder_step(recorder, &scene.input, scene.state, scene.workspace), TRIBO_OK);
  }
  TriboMessage message;
  ASSERT_EQ(tribo_recorder_close(recorder, &message), TRIBO_OK) << message.text;
  Trajectory t = open(path);
  ASSERT_NE(t, nullptr);
  ASSERT_EQ(t->wrenches, 3);
  const int64_t row[3] = {5, 10, 10};
  const int32_t link[3] = {1, 0, 1};
  const double number[3] = {1.5, -2, 3};
  const int place[3] = {1, 5, 0};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(t->wrench_row[i], row[i]);
    EXPECT_EQ(t->wrench_link[i], link[i]);
    for (int k = 0; k < 6; ++k) EXPECT_EQ(t->wrench[6 * i + k], k == place[i] ? number[i] : 0);
  }
}

TEST(Trajectory, ATruncatedFileIsAnErrorAtEveryLength) {
  record(path_of("whole.npz"), 30, tribo_record_options_default());
  const std::string whole = bytes_of(path_of("whole.npz"));
  const std::string path = path_of("cut.npz");
  for (size_t length = 0; length < whole.size(); length += length < whole.size() - 300 ? 97 : 1) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, length);
    TriboTrajectory* t = nullptr;
    TriboMessage message;
    ASSERT_EQ(tribo_trajectory_open(path.c_str(), &t, &message), TRIBO_ERROR_PARSE) << length;
    EXPECT_STRNE(message.text, "");
  }
}

// Bytes changed at random: an error, or where the bytes do not matter (padding, dates) a trajectory
// that can be read to its end. Never a crash; --config=asan looks closer.
TEST(Trajectory, ADamagedFileIsAnErrorOrHarmless) {
  for (bool compress : {false, true}) {
    TriboRecordOptions options = tribo_record_options_default();
    options.compress = compress;
    Seen seen = record(path_of("good.npz"), 30, options);
    const std::string whole = bytes_of(path_of("good.npz"));
    const std::string path = path_of("bad.npz");
    int refused = 0, cases = tribo_test_count(400);
    for (int i = 0; i < cases; ++i) {
      std::string bytes = whole;
      TriboRandom random = tribo_random(static_cast<uint64_t>(i));
      int changes = 1 + static_cast<int>(tribo_random_u64(&random) % 4);
      // Half of the cases hit the directory at the end, where lengths and places are.
      size_t from = i % 2 == 0 ? 0 : bytes.size() - 2500;
      for (int k = 0; k < changes; ++k) {
        size_t at = from + tribo_random_u64(&random) % (bytes.size() - from);
        bytes[at] = static_cast<char>(tribo_random_u64(&random));
      }
      std::ofstream(path, std::ios::binary) << bytes;
      TriboTrajectory* t = nullptr;
      TriboMessage message;
      if (tribo_trajectory_open(path.c_str(), &t, &message) != TRIBO_OK) {
        ++refused;
        continue;
      }
      expect_equal(seen, *t);
      tribo_trajectory_close(t);
    }
    EXPECT_GT(refused, cases / 2);
  }
}

TEST(Trajectory, WhatIsMissingOrNewerIsSaid) {
  TriboTrajectory* t = nullptr;
  TriboMessage message;
  EXPECT_EQ(tribo_trajectory_open("no such file", &t, &message), TRIBO_ERROR_FILE);
  EXPECT_STREQ(message.file, "no such file");
  std::ofstream(path_of("text.npz")) << "this is no trajectory, but long enough to look into it";
  EXPECT_EQ(tribo_trajectory_open(path_of("text.npz").c_str(), &t, &message), TRIBO_ERROR_PARSE);
  EXPECT_NE(std::string(message.text).find("no .npz file"), std::string::npos) << message.text;
  // A later format, written by NumPy.
  record(path_of("now.npz"), 2, tribo_record_options_default());
  const std::string python = python_with_numpy();
  if (python.empty()) GTEST_SKIP() << "no NumPy here (Debian: python3-numpy)";
  CommandResult result =
      run_command(python + " -c \"\nimport numpy\nf = dict(numpy.load('" + path_of("now.npz") +
                  "'))\nnumpy.savez('" + path_of("same.npz") +
                  "', **f)\nf['meta'] = numpy.bytes_(f['meta'].item().replace("
                  "b'format\\\":1', b'format\\\":99'))\nnumpy.savez('" +
                  path_of("newer.npz") + "', **f)\n\"");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(tribo_trajectory_open(path_of("newer.npz").c_str(), &t, &message), TRIBO_ERROR_VERSION);
  EXPECT_NE(std::string(message.text).find("format 99"), std::string::npos) << message.text;
  // What NumPy writes is read, too.
  Trajectory same = open(path_of("same.npz"));
  ASSERT_NE(same, nullptr);
  EXPECT_EQ(same->rows, 3);
}

TEST(Trajectory, CsvHasARowPerInstantAndOnePerContact) {
  const std::string path = path_of("sheet.csv");
  Seen seen = record(path, 100, tribo_record_options_default());
  std::ifstream rows(path), contacts(path_of("sheet-contacts.csv"));
  std::string line;
  ASSERT_TRUE(std::getline(rows, line));
  EXPECT_EQ(line.rfind("\"time (s)\",\"q pivot (rad)\",\"q box.x (m)\"", 0), 0u) << line;
  EXPECT_NE(line.find("\"v box.wz (rad/s)\",\"control motor (N m)\",\"certificate\""),
            std::string::npos)
      << line;
  size_t count = 0;
  for (; std::getline(rows, line); ++count) {
    double time = 0, x = 0;
    ASSERT_EQ(sscanf(line.c_str(), "%lf,%lf", &time, &x), 2);
    EXPECT_EQ(time, seen.time[count]);
    EXPECT_EQ(x, seen.q[count * (seen.q.size() / seen.time.size())]);
  }
  EXPECT_EQ(count, seen.time.size());
  size_t contact_lines = 0;
  while (std::getline(contacts, line)) ++contact_lines;
  EXPECT_EQ(contact_lines, 1 + seen.contacts.size());
  std::ifstream events(path_of("sheet-events.csv")), wrenches(path_of("sheet-wrenches.csv"));
  size_t event_lines = 0;
  while (std::getline(events, line)) ++event_lines;
  EXPECT_EQ(event_lines, 1 + seen.events.size());
  ASSERT_TRUE(std::getline(wrenches, line));
  EXPECT_EQ(line.rfind("\"time (s)\",\"link\",\"force x (N)\"", 0), 0u) << line;
}

TEST(Trajectory, AFolderThatCannotBeWrittenIsSaid) {
  SmallScene scene;
  TriboRecorder* recorder = nullptr;
  TriboMessage message;
  EXPECT_EQ(tribo_recorder_create("/no/such/folder/x.npz", scene.model, scene.state, &scene.options,
                                  nullptr, &recorder, &message),
            TRIBO_ERROR_FILE);
  EXPECT_NE(std::string(message.text).find("/no/such/folder"), std::string::npos) << message.text;
  // A folder or a device is never replaced by a file.
  const std::string folder = path_of("folder.npz");
  ASSERT_EQ(run_command("mkdir -p " + folder).exit_code, 0);
  for (const std::string& there : {folder, std::string("/dev/null")}) {
    EXPECT_EQ(tribo_recorder_create(there.c_str(), scene.model, scene.state, &scene.options,
                                    nullptr, &recorder, &message),
              TRIBO_ERROR_FILE);
    EXPECT_NE(std::string(message.text).find("no regular file"), std::string::npos) << message.text;
  }
}

// 10^6 steps under tools/dev soak.
TEST(Trajectory, MemoryDoesNotGrowWithTheNumberOfSteps) {
  SmallScene scene;
  TriboRecorder* recorder = nullptr;
  const std::string path = path_of("long.npz");
  ASSERT_EQ(tribo_recorder_create(path.c_str(), scene.model, scene.state, &scene.options, nullptr,
                                  &recorder, nullptr),
            TRIBO_OK);
  for (int k = 0; k < 100; ++k) scene.step(k);
  auto run = [&](int steps) {
    for (int k = 0; k < steps; ++k) {
      ASSERT_EQ(tribo_recorder_step(recorder, &scene.input, scene.state, scene.workspace),
                TRIBO_OK);
    }
  };
  auto peak = [] {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;  // KiB
  };
  const int full = 60000;  // rows after which all memory has been in use: 48 MB of them
  run(full);
  const long before = peak();
  const int steps = std::min(tribo_test_count(30000), 1000000);
  run(steps);
  const long after = peak();
  EXPECT_LT(after - before, 2048);  // 3 10^4 rows are 24 MB
  TriboMessage message;
  ASSERT_EQ(tribo_recorder_close(recorder, &message), TRIBO_OK) << message.text;
  EXPECT_LT(peak() - after, 8192);  // closing looks at 72 MB through a window
  Trajectory t = open(path);
  ASSERT_NE(t, nullptr);
  EXPECT_EQ(t->rows, steps + full + 1);
}

}  // namespace
