// SPDX-License-Identifier: Apache-2.0
//
// Robots that benchmarks and tests share, made with the builder alone.
#ifndef TRIBO_TOOLS_TRIBO_BENCH_ROBOTS_H_
#define TRIBO_TOOLS_TRIBO_BENCH_ROBOTS_H_

#include "engine/tribo.h"

#ifdef __cplusplus
extern "C" {
#endif

// Each creates a builder that the caller destroys; gravity is 9.81 downwards.

// 18 dofs, 26.2 kg: a trunk of 15 kg and four legs of three hinges (hip about x, thigh and knee
// about y; FL FR RL RR). All joints are at 0 in a crouch of 0.7 rad, the trunk's frame is at its
// centre. `feet`: spheres of 25 mm at the ends of the shanks, the trunk's box, and the ground, with
// friction 0.8; the robot does not collide with itself.
TriboStatus tribo_bench_quadruped(bool feet, TriboBuilder** builder) TRIBO_CHECKED;

// An arm of seven hinges on the world, alternately about z and y, 0.2 m apart.
TriboStatus tribo_bench_arm(TriboBuilder** builder) TRIBO_CHECKED;

// A chain of hinges on the world, each at a right angle to the one before.
TriboStatus tribo_bench_chain(int links, TriboBuilder** builder) TRIBO_CHECKED;

// Bodies that hang on nothing, on a grid of 1 m.
TriboStatus tribo_bench_loose(int bodies, TriboBuilder** builder) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_TRIBO_BENCH_ROBOTS_H_
