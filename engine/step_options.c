// SPDX-License-Identifier: Apache-2.0
//
// The options of a step: their defaults, and what makes no sense.
#include <string.h>

#include "engine/contact/solve_island.h"
#include "engine/step.h"

TriboInput tribo_input_default(void) {
  const TriboInput input = {NULL, NULL, NULL};
  return input;
}

TriboStepOptions tribo_step_options_default(void) {
  TriboStepOptions options;
  memset(&options, 0, sizeof options);
  options.h = 1e-3;
  options.facets = 8;
  options.impact_speed = 0.01;
  options.margin = 1e-3;
  options.touching = 1e-4;
  options.repair_speed = 1;
  options.tolerance = 1e-9;
  options.speed_limit = 1e6;
  options.threads = 1;
  return options;
}

static bool is_between(double value, double low, double high) {
  return value >= low && value <= high;
}

TriboStatus tribo_step_check_options(const TriboStepOptions* o) {
  const bool sizes = is_between(o->h, 1e-12, 1e12) && is_between(o->margin, 0, 1e12) &&
                     is_between(o->touching, 0, 1e12) && is_between(o->slop, 0, 1e12) &&
                     is_between(o->repair_speed, 0, 1e12) && is_between(o->tolerance, 0, 1) &&
                     o->impact_speed >= 0 && o->speed_limit > 0;
  const bool choices = is_between(o->model, 0, TRIBO_MODEL_FRICTIONLESS) &&
                       is_between(o->assembly, 0, TRIBO_ASSEMBLY_ANITESCU_POTRA) &&
                       is_between(o->solver, 0, TRIBO_SOLVER_DUAL) &&
                       is_between(o->cone, 0, TRIBO_CONE_POLYGON) &&
                       is_between(o->restitution, 0, TRIBO_RESTITUTION_NEWTON) &&
                       is_between(o->integrator, 0, TRIBO_INTEGRATOR_RK4) && o->facets >= 4 &&
                       o->facets <= 32 && o->facets % 2 == 0 && o->budget >= 0 && o->threads >= 1;
  return sizes && choices && tribo_solver_fits(o->solver, o->model) ? TRIBO_OK
                                                                    : TRIBO_ERROR_ARGUMENT;
}
