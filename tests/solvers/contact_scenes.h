// SPDX-License-Identifier: Apache-2.0
//
// Contact problems for the tests and benchmarks of all solvers: rigid bodies with mass and inertia,
// contact points between them or against the ground, and the rows G^-1 J^T that follow. Every scene
// is a function of its numbers and a seed.
#ifndef TRIBO_TESTS_SOLVERS_CONTACT_SCENES_H_
#define TRIBO_TESTS_SOLVERS_CONTACT_SCENES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/random.h"
#include "solvers/problem.h"

namespace tribo_scenes {

struct Options {
  int facets = 8;
  double mu = 0.3;
  double misalignment = 0;  // normals tilted and points moved at random by up to this
  bool gaps = false;        // b_N < 0 at random on half of the contacts
  double mass_ratio = 1;    // of the topmost body over the others
  uint64_t seed = 1;
};

// A problem that owns its arrays.
class Scene {
 public:
  Scene() = default;
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  Scene(Scene&&) = default;
  Scene& operator=(Scene&&) = default;

  // Bodies have unit length scale; `inertia` is about the centre, the same for all axes. Body -1 is
  // the ground.
  int AddBody(double mass, double inertia, const double centre[3]);
  // The normal points from body `a` to body `b`; the impulse pushes b along it.
  void AddContact(int a, int b, const double point[3], const double normal[3]);
  // One equality row: the relative velocity along `axis` at `point` is `target`.
  void AddJointRow(int a, int b, const double point[3], const double axis[3], double target);
  // Dry friction of body `b` along `axis` at its centre, at most `bound`.
  void AddDryRow(int b, const double axis[3], double bound, double target);
  // Builds the rows. Called once, after everything is added.
  void Finish(const Options& options);

  // Free velocity from gravity (unless horizontal) plus wrenches drawn by `random`: half of them
  // aligned with an axis or nothing but gravity.
  void Load(TriboRandom* random);
  // The free velocity changed by a relative amount.
  void Nudge(TriboRandom* random, double amount);
  void set_free_velocity(const std::vector<double>& k) { k_ = k; }

  TriboContactProblem problem() const;
  int contacts() const { return static_cast<int>(b_N_.size()); }
  int bodies() const { return static_cast<int>(mass_.size()); }

 private:
  struct Contact {
    int a, b;
    double point[3], normal[3];
  };
  struct Joint {
    int a, b;
    double point[3], axis[3], target;
  };
  struct Dry {
    int b;
    double axis[3], bound, target;
  };
  struct Rows {
    std::vector<int> start{0};
    std::vector<int> index;
    std::vector<double> value;
    void Close() { start.push_back(static_cast<int>(index.size())); }
    TriboRows View() const;
  };
  void AddRow(Rows* rows, int a, int b, const double point[3], const double axis[3]) const;

  std::vector<double> mass_, inertia_;
  std::vector<double> centre_;
  std::vector<Contact> contact_;
  std::vector<Joint> joint_;
  std::vector<Dry> dry_;
  Rows X_, N_, T_;
  std::vector<double> k_, b_X_, b_N_, b_T_;
  std::vector<uint64_t> id_;
  std::vector<TriboFrictionGroup> group_;
};

// A solution with its memory.
struct Answer {
  explicit Answer(const TriboContactProblem& problem);
  Answer(const Answer&) = delete;
  std::vector<double> y, x, f, t, scratch;
  std::vector<TriboMode> mode_N, mode_g;
  TriboContactSolution solution;
};

// The single-body scenes of [Lloyd2005] section VII by name, the peg with n contacts, stacks,
// grasps.
Scene PegInHole(int contacts, const Options& options);
Scene Stack(int blocks, int per_face, const Options& options);  // per_face 4 or 8, random offsets
Scene Grasp(int cubes, int per_face,
            const Options& options);                // per_face 4, 8 or 12, jaws with mass
extern const std::vector<std::string> kSingleBody;  // ten names
Scene SingleBody(const std::string& name, const Options& options);

}  // namespace tribo_scenes

#endif  // TRIBO_TESTS_SOLVERS_CONTACT_SCENES_H_
