// SPDX-License-Identifier: Apache-2.0
//
// Restitution. The step's own solve is inelastic: it brings bodies that meet to touch, and its
// velocity moves them. Where contacts close faster than the impact speed, the impact then happens
// at the end of the step, in no time: from the free velocity on, the contacts that approach are
// compressed (an inelastic solve) and give back e times the impulse (Poisson), in rounds until none
// approaches any more. Only approaching contacts take part in a round, so an impact travels through
// a chain of balls as it should [Smith2012]. Internal.
//
// The speed of approach is the one at the moment of touching, interpolated between the velocity
// before the step and the free one: no energy is won from the rest of the step's gravity.
#ifndef TRIBO_ENGINE_CONTACT_IMPACT_H_
#define TRIBO_ENGINE_CONTACT_IMPACT_H_

#include "engine/contact/assemble.h"
#include "engine/contact/solve_island.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bytes of scratch memory beside that of the solver.
size_t tribo_impact_scratch(const TriboProblemSet* set);

// Whether contacts of a solved island meet faster than the impact speed and bounce. y_before: the
// velocity before the step in mass coordinates (nv).
bool tribo_impact_happens(const TriboProblemSet* set, const TriboDetection* detection,
                          const TriboStepOptions* options, int island, const double* y_before);

// Fills island->reported: total impulses and the velocity after the impact. info sums up all solves
// of it.
TriboStatus tribo_impact(TriboProblemSet* set, const TriboDetection* detection,
                         const TriboStepOptions* options, int island, const double* y_before,
                         TriboArena* scratch, TriboIslandInfo* info) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_CONTACT_IMPACT_H_
