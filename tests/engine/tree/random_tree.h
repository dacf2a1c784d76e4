// SPDX-License-Identifier: Apache-2.0
//
// Random articulated trees for tests: every joint type, branches and chains, welded links between.
#ifndef TRIBO_TESTS_ENGINE_TREE_RANDOM_TREE_H_
#define TRIBO_TESTS_ENGINE_TREE_RANDOM_TREE_H_

#include <vector>

#include "engine/base/random.h"
#include "engine/model/model.h"
#include "engine/tree/tree.h"

TriboVec3 RandomVec3(TriboRandom* random, double size);
TriboQuat RandomQuat(TriboRandom* random);
TriboPose RandomPose(TriboRandom* random, double size);

// Adds a link of random mass and inertia; the inertia is that of some mass distribution.
int AddRandomLink(TriboBuilder* builder, TriboRandom* random);

// A model with the tree arrays over it. Owns both.
class TreeModel {
 public:
  // Compiles the builder, which it takes over.
  explicit TreeModel(TriboBuilder* builder);
  TreeModel(const TreeModel&) = delete;
  TreeModel& operator=(const TreeModel&) = delete;
  ~TreeModel();

  const TriboModel* model() const { return model_; }
  TriboTree* tree() { return &tree_; }
  int nq() const { return model_->nq; }
  int nv() const { return model_->nv; }
  std::vector<double> RandomQ(TriboRandom* random) const;
  std::vector<double> RandomV(TriboRandom* random, double size = 1) const;
  // M as a full matrix, row-major. Reads tree()->M.
  std::vector<double> DenseM() const;

 private:
  TriboModel* model_ = nullptr;
  TriboTree tree_ = {};
  void* memory_ = nullptr;
};

struct RandomTreeOptions {
  int links = 10;
  double chain = 0.5;     // chance that a link hangs on the one before it and not on any
  double roots = 0.1;     // chance that a link starts a tree
  int limbs = 0;          // pairs of limbs alike: hinges in a chain, on one of the links before
  double length = 0.5;    // size of offsets, m
  bool armature = true;   // on some joints
  bool all_types = true;  // false: hinges only
  double gravity = 9.81;
};
TriboBuilder* RandomTreeBuilder(TriboRandom* random, const RandomTreeOptions& options);

#endif  // TRIBO_TESTS_ENGINE_TREE_RANDOM_TREE_H_
