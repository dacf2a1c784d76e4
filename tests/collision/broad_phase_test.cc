// SPDX-License-Identifier: Apache-2.0
#include "collision/broad_phase.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "engine/base/random.h"

namespace {

using Pairs = std::vector<std::pair<int, int>>;

// A filter and a broad phase over it.
class Scene {
 public:
  Scene(const std::vector<TriboFilterShape>& shapes, int links,
        const std::vector<TriboLinkPair>& excluded, int capacity) {
    EXPECT_EQ(tribo_pair_filter_create(shapes.data(), (int)shapes.size(), links, excluded.data(),
                                       (int)excluded.size(), nullptr, &filter_, nullptr),
              TRIBO_OK);
    TriboArena arena = tribo_arena_measure();
    tribo_broad_phase_layout(&broad_, &arena, filter_, capacity);
    size_ = arena.used;
    memory_ = tribo_allocate(nullptr, size_);
    arena = tribo_arena_over(memory_, size_);
    tribo_broad_phase_layout(&broad_, &arena, filter_, capacity);
    EXPECT_FALSE(arena.overflowed);
  }
  ~Scene() {
    tribo_pair_filter_destroy(filter_);
    tribo_release(nullptr, memory_, size_);
  }
  TriboStatus Find(const std::vector<TriboAabb>& boxes, const std::vector<TriboHalfSpace>& planes) {
    return tribo_broad_phase_find(&broad_, filter_, boxes.data(), planes.data());
  }
  Pairs Found() const {
    Pairs pairs;
    for (int k = 0; k < broad_.pair_count; ++k) {
      pairs.emplace_back(broad_.pairs[k].shape[0], broad_.pairs[k].shape[1]);
    }
    return pairs;
  }
  int count() const { return broad_.pair_count; }
  long comparisons() const { return broad_.comparisons; }

 private:
  TriboPairFilter* filter_ = nullptr;
  TriboBroadPhase broad_;
  void* memory_ = nullptr;
  size_t size_ = 0;
};

bool Excluded(const std::vector<TriboLinkPair>& excluded, int a, int b) {
  for (const TriboLinkPair& pair : excluded) {
    if ((pair.link[0] == a && pair.link[1] == b) || (pair.link[0] == b && pair.link[1] == a)) {
      return true;
    }
  }
  return false;
}

bool Reaches(const TriboAabb& box, const TriboHalfSpace& plane) {
  for (int corner = 0; corner < 8; ++corner) {
    TriboVec3 p = tribo_vec3(corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y,
                             corner & 4 ? box.max.z : box.min.z);
    if (tribo_vec3_dot(plane.normal, p) <= plane.offset) return true;
  }
  return false;
}

// Every pair tried, written without looking at the code under test.
Pairs BruteForce(const std::vector<TriboFilterShape>& shapes,
                 const std::vector<TriboLinkPair>& excluded, const std::vector<TriboAabb>& boxes,
                 const std::vector<TriboHalfSpace>& planes) {
  std::vector<int> rank(shapes.size(), -1);
  int next = 0;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i].is_unbounded) rank[i] = next++;
  }
  Pairs pairs;
  for (size_t i = 0; i < shapes.size(); ++i) {
    for (size_t j = i + 1; j < shapes.size(); ++j) {
      const TriboFilterShape &a = shapes[i], &b = shapes[j];
      if (a.body == b.body || (!(a.group & b.mask) && !(b.group & a.mask))) continue;
      if (a.body >= 0 && a.body == b.parent) continue;
      if (b.body >= 0 && b.body == a.parent) continue;
      if (a.is_unbounded && b.is_unbounded) continue;
      if (Excluded(excluded, a.link, b.link)) continue;
      bool hit;
      if (a.is_unbounded || b.is_unbounded) {
        hit = a.is_unbounded ? Reaches(boxes[j], planes[rank[i]])
                             : Reaches(boxes[i], planes[rank[j]]);
      } else {
        hit =
            std::fmax(boxes[i].min.x, boxes[j].min.x) <=
                std::fmin(boxes[i].max.x, boxes[j].max.x) &&
            std::fmax(boxes[i].min.y, boxes[j].min.y) <=
                std::fmin(boxes[i].max.y, boxes[j].max.y) &&
            std::fmax(boxes[i].min.z, boxes[j].min.z) <= std::fmin(boxes[i].max.z, boxes[j].max.z);
      }
      if (hit) pairs.emplace_back((int)i, (int)j);
    }
  }
  return pairs;
}

TriboFilterShape Loose(int link) { return {link, -1, link, 1u, 1u, false}; }

TriboAabb BoxAt(TriboVec3 center, double half) {
  TriboAabb box = {center, center};
  return tribo_aabb_inflate(box, half);
}

// Random scenes with planes, groups, exclusions and sizes over several decades, moved step by step.
void CompareOverRandomMotion(uint64_t seed, int n, int steps, double decades) {
  TriboRandom random = tribo_random(seed);
  std::vector<TriboFilterShape> shapes;
  int links = n / 2 + 1;
  for (int i = 0; i < n; ++i) {
    TriboFilterShape shape;
    shape.link = tribo_random_index(&random, links + 1) - 1;
    shape.body = shape.link < 0 ? -1 : shape.link / 2;  // some links are welded in pairs
    shape.parent = tribo_random_index(&random, shape.body + 2) - 1;
    shape.group = 1u << tribo_random_index(&random, 3);
    shape.mask = (uint32_t)tribo_random_index(&random, 8);
    shape.is_unbounded = tribo_random_index(&random, 25) == 0;
    shapes.push_back(shape);
  }
  std::vector<TriboLinkPair> excluded;
  for (int k = 0; k < n / 3; ++k) {
    excluded.push_back(
        {{tribo_random_index(&random, links + 1) - 1, tribo_random_index(&random, links + 1) - 1}});
  }
  Scene scene(shapes, links, excluded, n * n);
  double world = std::cbrt((double)n);
  std::vector<TriboVec3> centers(n);
  std::vector<double> half(n);
  for (int i = 0; i < n; ++i) {
    centers[i] = tribo_vec3(tribo_random_in(&random, 0, world), tribo_random_in(&random, 0, world),
                            tribo_random_in(&random, 0, world));
    half[i] = 0.7 * std::pow(10.0, -tribo_random_in(&random, 0, decades));
  }
  for (int step = 0; step < steps; ++step) {
    std::vector<TriboAabb> boxes(n);
    std::vector<TriboHalfSpace> planes;
    for (int i = 0; i < n; ++i) {
      centers[i] = tribo_vec3_add(centers[i], tribo_vec3(tribo_random_in(&random, -0.2, 0.2),
                                                         tribo_random_in(&random, -0.2, 0.2),
                                                         tribo_random_in(&random, -0.2, 0.2)));
      boxes[i] = BoxAt(centers[i], half[i]);
      if (shapes[i].is_unbounded) {
        TriboVec3 normal = tribo_vec3(tribo_random_normal(&random), tribo_random_normal(&random),
                                      tribo_random_normal(&random));
        planes.push_back({tribo_vec3_normalize_or(normal, tribo_vec3(0, 0, 1)),
                          tribo_random_in(&random, -world, world)});
      }
    }
    ASSERT_EQ(scene.Find(boxes, planes), TRIBO_OK);
    ASSERT_EQ(scene.Found(), BruteForce(shapes, excluded, boxes, planes)) << "seed " << seed;
  }
}

TEST(BroadPhase, EqualsBruteForceOverRandomMotionOfFewShapes) {
  for (int n = 0; n <= TRIBO_PAIR_FILTER_LISTED_SHAPES; n += 6) {
    CompareOverRandomMotion(100 + n, n, 20, 1);
  }
}

TEST(BroadPhase, EqualsBruteForceOverRandomMotionOfManyShapes) {
  for (int n : {49, 50, 64, 127, 256, 700}) CompareOverRandomMotion(n, n, 10, 1);
}

TEST(BroadPhase, EqualsBruteForceForSizesFromMicrometresToMetres) {
  CompareOverRandomMotion(7, 400, 10, 6);
}

// Boxes spread evenly, as many to a place in each crowd: comparisons of boxes per step.
double Comparisons(int n) {
  TriboRandom random = tribo_random(11);
  std::vector<TriboFilterShape> shapes;
  for (int i = 0; i < n; ++i) shapes.push_back(Loose(i));
  Scene scene(shapes, n, {}, 16 * n);
  const double world = std::cbrt((double)n);
  double comparisons = 0;
  const int steps = 3;
  for (int step = 0; step < steps; ++step) {
    std::vector<TriboAabb> boxes;
    for (int i = 0; i < n; ++i) {
      boxes.push_back(
          BoxAt(tribo_vec3(tribo_random_in(&random, 0, world), tribo_random_in(&random, 0, world),
                           tribo_random_in(&random, 0, world)),
                0.4));
    }
    EXPECT_EQ(scene.Find(boxes, {}), TRIBO_OK);
    EXPECT_GT(scene.count(), n);
    comparisons += (double)scene.comparisons() / steps;
  }
  return comparisons;
}

// Building the tree is n log n whatever the boxes; this is the rest.
TEST(BroadPhase, ComparisonsGrowNoFasterThanTheNumberOfBoxesToThePower1_2) {
  const double hundred = Comparisons(100), thousand = Comparisons(1000);
  const double ten_thousand = Comparisons(10000);
  EXPECT_LE(std::log10(ten_thousand / thousand), 1.2);
  EXPECT_LE(std::log10(ten_thousand / hundred) / 2, 1.2);
  EXPECT_LT(ten_thousand, 100 * 10000.0);
  std::printf("comparisons of boxes a step: %.0f for 100, %.0f for 1000, %.0f for 10,000 boxes\n",
              hundred, thousand, ten_thousand);
}

TEST(BroadPhase, BoxesThatOnlyTouchArePairs) {
  for (int n : {8, 64}) {
    std::vector<TriboFilterShape> shapes;
    std::vector<TriboAabb> boxes;
    Pairs expected;
    for (int i = 0; i < n; ++i) {
      shapes.push_back(Loose(i));
      boxes.push_back(BoxAt(tribo_vec3(i, 0, 0), 0.5));
      if (i > 0) expected.emplace_back(i - 1, i);
    }
    Scene scene(shapes, n, {}, n);
    ASSERT_EQ(scene.Find(boxes, {}), TRIBO_OK);
    EXPECT_EQ(scene.Found(), expected);
  }
}

TEST(BroadPhase, CoincidentBoxesGiveAllPairs) {
  const int n = 200;
  std::vector<TriboFilterShape> shapes;
  for (int i = 0; i < n; ++i) shapes.push_back(Loose(i));
  std::vector<TriboAabb> boxes(n, BoxAt(tribo_vec3(1, 2, 3), 1));
  Scene scene(shapes, n, {}, n * (n - 1) / 2);
  ASSERT_EQ(scene.Find(boxes, {}), TRIBO_OK);
  EXPECT_EQ(scene.Found(), BruteForce(shapes, {}, boxes, {}));
}

TEST(BroadPhase, FullPairBufferReportsCapacityAndTheNeededCount) {
  for (int n : {10, 100}) {
    std::vector<TriboFilterShape> shapes;
    for (int i = 0; i < n; ++i) shapes.push_back(Loose(i));
    std::vector<TriboAabb> boxes(n, BoxAt(tribo_vec3(0, 0, 0), 1));
    Scene scene(shapes, n, {}, 7);
    EXPECT_EQ(scene.Find(boxes, {}), TRIBO_ERROR_CAPACITY);
    EXPECT_EQ(scene.count(), n * (n - 1) / 2);
  }
}

TEST(BroadPhase, NotANumberInABoxOrAPlaneIsReported) {
  for (int n : {3, 60}) {
    std::vector<TriboFilterShape> shapes;
    for (int i = 0; i < n; ++i) shapes.push_back(Loose(i));
    shapes[0].is_unbounded = true;
    std::vector<TriboAabb> boxes(n, BoxAt(tribo_vec3(0, 0, 0), 1));
    std::vector<TriboHalfSpace> planes = {{tribo_vec3(0, 0, 1), 0}};
    Scene scene(shapes, n, {}, n * n);
    EXPECT_EQ(scene.Find(boxes, planes), TRIBO_OK);
    boxes[n - 1].max.y = NAN;
    EXPECT_EQ(scene.Find(boxes, planes), TRIBO_ERROR_NOT_FINITE);
    boxes[n - 1].max.y = 1;
    planes[0].offset = INFINITY;
    EXPECT_EQ(scene.Find(boxes, planes), TRIBO_ERROR_NOT_FINITE);
  }
}

TEST(PairFilter, OneDirectionOfGroupAndMaskIsEnough) {
  const TriboFilterShape shapes[] = {
      {0, -1, 0, 1, 0, false}, {1, -1, 1, 2, 1, false}, {2, -1, 2, 4, 0, false}};
  TriboPairFilter* filter = nullptr;
  ASSERT_EQ(tribo_pair_filter_create(shapes, 3, 3, nullptr, 0, nullptr, &filter, nullptr),
            TRIBO_OK);
  EXPECT_TRUE(tribo_pair_filter_allows(filter, 0, 1));
  EXPECT_TRUE(tribo_pair_filter_allows(filter, 1, 0));
  EXPECT_FALSE(tribo_pair_filter_allows(filter, 0, 2));
  EXPECT_FALSE(tribo_pair_filter_allows(filter, 1, 2));
  tribo_pair_filter_destroy(filter);
}

TEST(PairFilter, LinksThatDoNotExistAreRefusedByName) {
  TriboFilterShape shape = Loose(3);
  TriboPairFilter* filter = nullptr;
  TriboMessage message;
  EXPECT_EQ(tribo_pair_filter_create(&shape, 1, 3, nullptr, 0, nullptr, &filter, &message),
            TRIBO_ERROR_ARGUMENT);
  EXPECT_NE(std::string(message.text).find("link 3"), std::string::npos);
  EXPECT_EQ(filter, nullptr);
  TriboLinkPair pair = {{0, -2}};
  shape.link = 0;
  EXPECT_EQ(tribo_pair_filter_create(&shape, 1, 3, &pair, 1, nullptr, &filter, &message),
            TRIBO_ERROR_ARGUMENT);
  EXPECT_NE(std::string(message.text).find("link -2"), std::string::npos);
}

}  // namespace
