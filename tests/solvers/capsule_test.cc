// SPDX-License-Identifier: Apache-2.0
#include "solvers/capsule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/solvers/contact_scenes.h"

namespace {

std::string path() { return testing::TempDir() + "/problem.capsule"; }

std::string contents() {
  std::ifstream file(path(), std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void put(const std::string& text) {
  std::ofstream(path(), std::ios::binary | std::ios::trunc) << text;
}

// A stack with joint and dry rows, and a warm start of numbers that are hard to print.
struct Saved {
  tribo_scenes::Scene scene;
  std::vector<double> y, x, f, t;
  std::vector<TriboMode> mode_N, mode_g;
  TriboContactProblem problem;
  TriboContactSolution warm;

  Saved() {
    TriboRandom random = tribo_random(7);
    const double centre[3] = {0, 0, 0.5}, up[3] = {0, 0, 1}, along[3] = {1, 0, 0};
    const int body = scene.AddBody(2, 0.3, centre);
    for (int c = 0; c < 4; ++c) {
      const double point[3] = {c % 2 - 0.5, c / 2 - 0.5, 0};
      scene.AddContact(-1, body, point, up);
    }
    scene.AddJointRow(-1, body, centre, along, 1.0 / 3);
    scene.AddDryRow(body, along, 0.1, 0);
    scene.Finish({});
    scene.Load(&random);
    problem = scene.problem();
    y.resize(problem.ny);
    for (int i = 0; i < problem.X.count; ++i) x.push_back(-0.0);
    for (int i = 0; i < problem.N.count; ++i) f.push_back(0.1 * i + 5e-324);
    for (int i = 0; i < problem.T.count; ++i) t.push_back(-1e300 / (i + 3));
    mode_N.assign(problem.N.count, TRIBO_MODE_STICK);
    mode_g.assign(problem.ng, TRIBO_MODE_SLIDE);
    warm = {y.data(), x.data(), f.data(), t.data(), mode_N.data(), mode_g.data()};
  }

  TriboStatus save(bool with_warm = true) {
    TriboContactOptions options = tribo_contact_options_default();
    options.tolerance = 1e-9 / 3;
    options.cone = TRIBO_CONE_POLYGON;
    TriboMessage message;
    const TriboCapsuleContent content = {&problem, options, with_warm ? &warm : nullptr, "0.1.0"};
    return tribo_capsule_save(path().c_str(), &content, &message);
  }
};

template <typename T>
void expect_bits(const T* a, const T* b, int count) {
  if (count > 0) {
    EXPECT_EQ(std::memcmp(a, b, sizeof(T) * static_cast<size_t>(count)), 0);
  }
}

void expect_rows(const TriboRows& a, const TriboRows& b) {
  ASSERT_EQ(a.count, b.count);
  for (int i = 0; i < a.count; ++i) {
    const int count = a.start[i + 1] - a.start[i];
    ASSERT_EQ(count, b.start[i + 1] - b.start[i]);
    expect_bits(a.index + a.start[i], b.index + b.start[i], count);
    expect_bits(a.value + a.start[i], b.value + b.start[i], count);
  }
}

TEST(Capsule, EveryNumberComesBackToTheBit) {
  Saved saved;
  for (bool with_warm : {true, false}) {
    ASSERT_EQ(saved.save(with_warm), TRIBO_OK);
    TriboCapsule* capsule;
    TriboMessage message;
    ASSERT_EQ(tribo_capsule_load(path().c_str(), nullptr, &capsule, &message), TRIBO_OK)
        << message.text;
    const TriboCapsuleContent* content = tribo_capsule_content(capsule);
    const TriboContactProblem& p = saved.problem;
    const TriboContactProblem& q = *content->problem;
    EXPECT_STREQ(content->library, "0.1.0");
    EXPECT_EQ(content->options.cone, TRIBO_CONE_POLYGON);
    EXPECT_EQ(content->options.tolerance, 1e-9 / 3);
    ASSERT_EQ(p.ny, q.ny);
    expect_bits(p.k, q.k, p.ny);
    expect_rows(p.X, q.X);
    expect_rows(p.N, q.N);
    expect_rows(p.T, q.T);
    expect_bits(p.b_X, q.b_X, p.X.count);
    expect_bits(p.b_N, q.b_N, p.N.count);
    expect_bits(p.b_T, q.b_T, p.T.count);
    expect_bits(p.id_N, q.id_N, p.N.count);
    ASSERT_EQ(p.ng, q.ng);
    for (int g = 0; g < p.ng; ++g) {
      EXPECT_EQ(p.group[g].normal, q.group[g].normal);
      EXPECT_EQ(p.group[g].tangent, q.group[g].tangent);
      EXPECT_EQ(p.group[g].rows, q.group[g].rows);
      EXPECT_EQ(p.group[g].facets, q.group[g].facets);
      EXPECT_EQ(p.group[g].mu, q.group[g].mu);
      EXPECT_EQ(p.group[g].bound, q.group[g].bound);
    }
    ASSERT_EQ(content->warm != nullptr, with_warm);
    if (with_warm) {
      expect_bits(saved.warm.x, content->warm->x, p.X.count);
      expect_bits(saved.warm.f, content->warm->f, p.N.count);
      expect_bits(saved.warm.t, content->warm->t, p.T.count);
      expect_bits(saved.warm.mode_N, content->warm->mode_N, p.N.count);
      expect_bits(saved.warm.mode_g, content->warm->mode_g, p.ng);
    }
    tribo_capsule_destroy(capsule);
  }
}

TEST(Capsule, TruncatedAndDamagedFilesAreRefused) {
  Saved saved;
  ASSERT_EQ(saved.save(), TRIBO_OK);
  const std::string text = contents();
  TriboCapsule* capsule;
  TriboMessage message;
  for (size_t length = 0; length < text.size(); length += 7) {
    put(text.substr(0, length));
    EXPECT_EQ(tribo_capsule_load(path().c_str(), nullptr, &capsule, &message), TRIBO_ERROR_PARSE);
    EXPECT_STRNE(message.text, "");
  }
  for (size_t at = 0; at < text.size(); at += 11) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    put(damaged);
    EXPECT_EQ(tribo_capsule_load(path().c_str(), nullptr, &capsule, &message), TRIBO_ERROR_PARSE);
  }
  EXPECT_EQ(tribo_capsule_load("no/such/file", nullptr, &capsule, &message), TRIBO_ERROR_FILE);
}

// The text with a hash that fits.
std::string sealed(const std::string& body) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : body) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  char last[32];
  std::snprintf(last, sizeof last, "end %016llx\n", static_cast<unsigned long long>(hash));
  return body + last;
}

TEST(Capsule, AFileThatLiesIsRefusedEvenWithAFittingHash) {
  const std::string start = "tribo-capsule 1\nlibrary x\n",
                    options = "options round 3e112e0be826d695 30 10000\n";
  const std::string nothing = "k 0\nX 0 0\nN 0 0\nT 0 0\ngroups 0\nwarm 0\n";
  TriboCapsule* capsule;
  TriboMessage message;
  put(sealed(start + options + nothing));
  ASSERT_EQ(tribo_capsule_load(path().c_str(), nullptr, &capsule, &message), TRIBO_OK)
      << message.text;
  tribo_capsule_destroy(capsule);
  const struct {
    std::string body;
    TriboStatus status;
    int line;
  } cases[] = {
      {"tribo-capsule 2\nlibrary x\n" + options + nothing, TRIBO_ERROR_VERSION, 1},
      {start + "options oval 3e112e0be826d695 30 1\n" + nothing, TRIBO_ERROR_PARSE, 3},
      {start + options + "k 67108864\n", TRIBO_ERROR_PARSE, 5},
      {start + options + "k 1\n7ff0000000000000\n", TRIBO_ERROR_NOT_FINITE, 5},
      {start + options + "k 0\nX 1 1\n0000000000000000 2 0 0000000000000000\n", TRIBO_ERROR_PARSE,
       6},
      // An index beyond ny, and a group on a normal that is not there.
      {start + options +
           "k 1\n0000000000000000\nX 1 1\n0000000000000000 1 5 3ff0000000000000\nN 0 0\nT 0 0\n"
           "groups 0\nwarm 0\n",
       TRIBO_ERROR_ARGUMENT, 11},
      {start + options + nothing + "more\n", TRIBO_ERROR_PARSE, 9},
  };
  for (const auto& c : cases) {
    put(sealed(c.body));
    EXPECT_EQ(tribo_capsule_load(path().c_str(), nullptr, &capsule, &message), c.status) << c.body;
    EXPECT_NEAR(message.line, c.line, 2) << c.body << message.text;
  }
}

TEST(Capsule, AProblemThatIsNotValidIsNotSaved) {
  Saved saved;
  const_cast<double*>(saved.problem.k)[0] = NAN;
  EXPECT_EQ(saved.save(), TRIBO_ERROR_NOT_FINITE);
}

}  // namespace
