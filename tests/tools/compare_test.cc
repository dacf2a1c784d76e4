// SPDX-License-Identifier: Apache-2.0
#include "tools/trajectory/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/small_scene.h"
#include "tools/trajectory/report.h"

namespace {

// A recorded run whose numbers a test may change.
class Recorded {
 public:
  explicit Recorded(const char* name, int steps = 200, double friction = 0.5, double h = 0.005) {
    const std::string path = testing::TempDir() + "/" + name;
    SmallScene scene(friction);
    scene.options.h = h;
    TriboRecordOptions options = tribo_record_options_default();
    options.energy = true;
    TriboRecorder* recorder = nullptr;
    TriboMessage message;
    EXPECT_EQ(tribo_recorder_create(path.c_str(), scene.model, scene.state, &scene.options,
                                    &options, &recorder, &message),
              TRIBO_OK);
    for (int k = 0; k < steps; ++k) {
      // The same torques at the same times, whatever the step.
      scene.step(static_cast<int>(std::floor(k * h / 0.005 + 1e-9)));
      EXPECT_EQ(tribo_recorder_step(recorder, &scene.input, scene.state, scene.workspace),
                TRIBO_OK);
    }
    EXPECT_EQ(tribo_recorder_close(recorder, &message), TRIBO_OK);
    EXPECT_EQ(tribo_trajectory_open(path.c_str(), &file_, &message), TRIBO_OK) << message.text;
    view = *file_;
    q.assign(view.q, view.q + view.rows * view.nq);
    event_type.assign(view.event_type, view.event_type + view.events);
    event_id.assign(view.event_id, view.event_id + view.events);
    event_shapes.assign(view.event_shapes, view.event_shapes + 2 * view.events);
    view.q = q.data();
    view.event_type = event_type.data();
    view.event_id = event_id.data();
    view.event_shapes = event_shapes.data();
  }
  ~Recorded() { tribo_trajectory_close(file_); }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;

  TriboTrajectory view;
  std::vector<double> q;
  std::vector<int8_t> event_type;
  std::vector<uint64_t> event_id;
  std::vector<int32_t> event_shapes;

 private:
  TriboTrajectory* file_ = nullptr;
};

struct Destroyer {
  void operator()(TriboComparison* c) const { tribo_comparison_destroy(c); }
};
using Comparison = std::unique_ptr<TriboComparison, Destroyer>;

Comparison compare(const Recorded& a, const Recorded& b, const char* tolerances = "",
                   TriboAlign align = TRIBO_ALIGN_TIME, TriboCompareBy by = TRIBO_BY_POINTS) {
  TriboCompareOptions options = {};
  const char* bad = nullptr;
  EXPECT_TRUE(tribo_tolerances_parse(tolerances, &options, &bad)) << bad;
  options.align = align;
  options.by = by;
  TriboComparison* c = nullptr;
  TriboMessage message;
  EXPECT_EQ(tribo_trajectory_compare(&a.view, &b.view, &options, &c, &message), TRIBO_OK)
      << message.text;
  return Comparison(c);
}

std::string label(const Recorded& a, TriboQuantity quantity, int index, int index2) {
  char text[160];
  tribo_difference_label(&a.view, quantity, index, index2, text);
  return text;
}

TEST(Compare, TwoRunsOfOneThingAreTheSame) {
  Recorded a("a.npz"), b("b.npz");
  Comparison c = compare(a, b);
  EXPECT_TRUE(c->same) << c->reason;
  EXPECT_EQ(c->rows, 201);
  for (const TriboDifference& d : c->quantity) {
    EXPECT_TRUE(d.compared);
    EXPECT_EQ(d.worst, 0);
  }
}

TEST(Compare, AChangeOfOneJointAtOneStepIsFoundAndNamed) {
  Recorded a("a.npz"), b("b.npz");
  b.q[120 * b.view.nq + 0] += 1e-6;  // q[0] is the pivot
  Comparison c = compare(a, b);
  EXPECT_FALSE(c->same);
  const TriboDifference& d = c->quantity[TRIBO_QUANTITY_Q];
  EXPECT_TRUE(d.exceeded);
  EXPECT_EQ(d.first_time, a.view.time[120]);
  EXPECT_EQ(label(a, TRIBO_QUANTITY_Q, d.first_index, d.first_index2), "pivot");
  EXPECT_NEAR(d.first_error, 1e-6, 1e-15);  // rounding of a sum of numbers of size 1
  EXPECT_FALSE(c->quantity[TRIBO_QUANTITY_V].exceeded);
  // Told to tolerate it, and told to tolerate almost as much.
  EXPECT_TRUE(compare(a, b, "q=1.1e-6")->same);
  EXPECT_FALSE(compare(a, b, "q=0.9e-6")->same);
  EXPECT_TRUE(compare(a, b, "q=0:1e-3")->same);
}

// Rotations of the same bits are the same, also where another joint beside them is not: their
// difference by quaternions is rounding. And of two that part at one time, the farther is named.
TEST(Compare, OnlyTheJointThatChangedDiffers) {
  Recorded a("a.npz"), b("b.npz");
  for (int64_t row = 0; row < b.view.rows; ++row) b.q[row * b.view.nq] += 1e-9;
  Comparison c = compare(a, b);
  for (int i = 0; i < a.view.nv; ++i) {
    if (label(a, TRIBO_QUANTITY_Q, i, -1) == "pivot")
      EXPECT_NEAR(c->q_worst[i], 1e-9, 1e-15);  // rounding of numbers of size 1
    else
      EXPECT_EQ(c->q_worst[i], 0) << i;
  }
  b.q[2] += 1e-6;  // box.y, in the first row
  Comparison both = compare(a, b);
  const TriboDifference& d = both->quantity[TRIBO_QUANTITY_Q];
  EXPECT_EQ(d.first_time, 0);
  EXPECT_EQ(label(a, TRIBO_QUANTITY_Q, d.first_index, -1), "box.y");
}

TEST(Compare, RotationsAreComparedOnTheManifold) {
  Recorded a("a.npz"), b("b.npz");
  // q and -q are one orientation.
  for (int64_t row = 0; row < b.view.rows; ++row) {
    for (int k = 4; k < 8; ++k) b.q[row * b.view.nq + k] *= -1;
  }
  Comparison same = compare(a, b, "q=1e-15");
  EXPECT_TRUE(same->same) << same->reason;
  // Half an angle in a quaternion is a whole one in the world.
  double* w = &b.q[50 * b.view.nq + 4];
  const double angle = 1e-3, s = std::sin(angle / 2), c = std::cos(angle / 2);
  const double old[4] = {w[0], w[1], w[2], w[3]};
  w[0] = old[0] * c - old[1] * s, w[1] = old[0] * s + old[1] * c;  // times a turn about own x
  w[2] = old[2] * c + old[3] * s, w[3] = old[3] * c - old[2] * s;
  Comparison turned = compare(a, b);
  const TriboDifference& d = turned->quantity[TRIBO_QUANTITY_Q];
  EXPECT_NEAR(d.worst, angle, 1e-12);
  EXPECT_EQ(label(a, TRIBO_QUANTITY_Q, d.worst_index, -1), "box.wx");
}

TEST(Compare, OneSwappedContactEventIsFound) {
  Recorded a("a.npz"), b("b.npz");
  int64_t at = -1;
  for (int64_t i = 0; i + 1 < b.view.events && at < 0; ++i) {
    if (b.event_type[i] != b.event_type[i + 1] || b.event_id[i] != b.event_id[i + 1]) at = i;
  }
  ASSERT_GE(at, 0) << "the scene has two different events in a row";
  std::swap(b.event_type[at], b.event_type[at + 1]);
  std::swap(b.event_id[at], b.event_id[at + 1]);
  std::swap(b.event_shapes[2 * at], b.event_shapes[2 * at + 2]);
  std::swap(b.event_shapes[2 * at + 1], b.event_shapes[2 * at + 3]);
  Comparison c = compare(a, b);
  EXPECT_FALSE(c->same);
  EXPECT_EQ(c->edits, 2);  // one event, left out here and put in there
  EXPECT_EQ(c->quantity[TRIBO_QUANTITY_EVENTS].first_time, a.view.event_time[at]);
  EXPECT_TRUE(compare(a, b, "events=2,time=1")->same);
}

TEST(Compare, AnotherFrictionIsSeenInForcesEventsAndMotion) {
  Recorded a("a.npz"), b("b.npz", 200, 0.3);
  Comparison c = compare(a, b);
  EXPECT_FALSE(c->same);
  EXPECT_GT(c->quantity[TRIBO_QUANTITY_FORCE].worst, 0.1);
  EXPECT_GT(c->quantity[TRIBO_QUANTITY_Q].worst, 1e-3);
  EXPECT_EQ(label(a, TRIBO_QUANTITY_FORCE, c->quantity[TRIBO_QUANTITY_FORCE].first_index,
                  c->quantity[TRIBO_QUANTITY_FORCE].first_index2),
            "ground / cube");
  // The pendulum is none of the box's business.
  EXPECT_EQ(c->q_worst[0], 0);
}

TEST(Compare, AnotherStepIsComparedAtTheTimesInCommon) {
  Recorded a("a.npz"), b("b.npz", 400, 0.5, 0.0025);
  Comparison c = compare(a, b);
  EXPECT_EQ(c->rows, 201);
  EXPECT_FALSE(c->same);
  EXPECT_LT(c->quantity[TRIBO_QUANTITY_Q].worst, 0.2);
}

TEST(Compare, AShorterRunIsDifferent) {
  Recorded a("a.npz"), b("b.npz", 150);
  Comparison c = compare(a, b);
  EXPECT_FALSE(c->same);
  EXPECT_NE(std::string(c->reason).find("ends at"), std::string::npos) << c->reason;
}

TEST(Compare, AlignedByEventsALaterStartIsTheSame) {
  Recorded a("a.npz"), b("b.npz");
  // The same motion, begun 7 ms later.
  std::vector<double> time(b.view.time, b.view.time + b.view.rows);
  std::vector<double> event_time(b.view.event_time, b.view.event_time + b.view.events);
  for (double& t : time) t += 0.007;
  for (double& t : event_time) t += 0.007;
  b.view.time = time.data();
  b.view.event_time = event_time.data();
  EXPECT_FALSE(compare(a, b, "", TRIBO_ALIGN_EVENTS)->same);
  Comparison c = compare(a, b, "time=0.0071", TRIBO_ALIGN_EVENTS);
  EXPECT_TRUE(c->same) << c->reason;
  EXPECT_EQ(c->rows, a.view.events);
  EXPECT_NEAR(c->quantity[TRIBO_QUANTITY_TIME].worst, 0.007, 1e-9);
}

TEST(Compare, InvariantsForgiveAnotherPathToTheSameEnd) {
  Recorded a("a.npz"), b("b.npz");
  b.q[50 * b.view.nq + 1] += 0.3;  // somewhere on the way, the box was elsewhere
  EXPECT_FALSE(compare(a, b)->same);
  EXPECT_TRUE(compare(a, b, "", TRIBO_ALIGN_TIME, TRIBO_BY_INVARIANTS)->same);
  b.q[200 * b.view.nq + 1] += 0.3;  // at the end it counts
  Comparison c = compare(a, b, "", TRIBO_ALIGN_TIME, TRIBO_BY_INVARIANTS);
  EXPECT_FALSE(c->same);
  EXPECT_EQ(label(a, TRIBO_QUANTITY_Q, c->quantity[TRIBO_QUANTITY_Q].first_index, -1), "box.x");
}

TEST(Compare, NotANumberIsInfinitelyFar) {
  Recorded a("a.npz"), b("b.npz");
  b.q[30 * b.view.nq] = std::nan("");
  Comparison c = compare(a, b, "q=1e300");
  EXPECT_FALSE(c->same);
  EXPECT_EQ(c->quantity[TRIBO_QUANTITY_Q].first_time, a.view.time[30]);
}

TEST(Compare, OtherModelsAreRefused) {
  Recorded a("a.npz"), b("b.npz");
  std::string meta = b.view.meta;
  meta.replace(meta.find("\"name\":\"pivot\""), 14, "\"name\":\"other\"");
  b.view.meta = meta.c_str();
  TriboCompareOptions options = {};
  TriboComparison* c = nullptr;
  TriboMessage message;
  EXPECT_EQ(tribo_trajectory_compare(&a.view, &b.view, &options, &c, &message),
            TRIBO_ERROR_VERSION);
  EXPECT_NE(std::string(message.text).find("different models"), std::string::npos);
}

TEST(Tolerances, NonsenseIsRefusedAndPointedAt) {
  const char* bad = nullptr;
  TriboCompareOptions options = {};
  EXPECT_TRUE(tribo_tolerances_parse("q=1e-9,v=1e-6:1e-3", &options, &bad));
  EXPECT_EQ(options.tolerance[TRIBO_QUANTITY_V].absolute, 1e-6);
  EXPECT_EQ(options.tolerance[TRIBO_QUANTITY_V].relative, 1e-3);
  for (const char* text : {"x=1", "q", "q=", "q=-1", "q=nan", "q=1:", "q=1;v=2", "q=1,w=2"}) {
    EXPECT_FALSE(tribo_tolerances_parse(text, &options, &bad)) << text;
  }
  EXPECT_STREQ(bad, "w=2");
}

}  // namespace
