// SPDX-License-Identifier: Apache-2.0
//
// The ladder of solvers/solve.h with its memory, for the tests of what stands on it.
#ifndef TRIBO_TESTS_SOLVERS_LADDER_H_
#define TRIBO_TESTS_SOLVERS_LADDER_H_

#include <gtest/gtest.h>

#include "solvers/solve.h"
#include "tests/solvers/contact_scenes.h"

namespace tribo_scenes {

// For problems of one shape.
class Ladder {
 public:
  explicit Ladder(const TriboContactProblem& problem) {
    const TriboSolverCapacity capacity = tribo_solver_capacity_of(&problem);
    TriboArena measure = tribo_arena_measure();
    EXPECT_EQ(tribo_contact_solver_init(&measure, capacity), nullptr);
    size_ = measure.used;
    memory_ = tribo_allocate(nullptr, size_);
    TriboArena arena = tribo_arena_over(memory_, size_);
    solver_ = tribo_contact_solver_init(&arena, capacity);
    EXPECT_EQ(arena.used, size_);
  }
  ~Ladder() { tribo_release(nullptr, memory_, size_); }
  Ladder(const Ladder&) = delete;

  TriboStatus Solve(const TriboContactProblem& problem, const TriboContactSolution* warm,
                    Answer* answer, TriboContactOptions options = tribo_contact_options_default()) {
    return tribo_contact_solve(solver_, &problem, &options, warm, &answer->solution, &info);
  }
  TriboContactInfo info;

 private:
  size_t size_;
  void* memory_;
  TriboContactSolver* solver_;
};

}  // namespace tribo_scenes

#endif  // TRIBO_TESTS_SOLVERS_LADDER_H_
