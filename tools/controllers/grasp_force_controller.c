// SPDX-License-Identifier: Apache-2.0
//
// The gripper that grasps with a force, under its name.
#include "tools/controllers/grasp_force.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/controllers/controllers.h"

static TriboStatus create(const TriboModel* model, const TriboState* state,
                          TriboWorkspace* workspace, const char* const* settings, void** self,
                          TriboMessage* message) {
  (void)workspace;
  TriboGraspForceOptions o = tribo_grasp_force_options_default();
  struct {
    const char* key;
    double* value;
  } const table[] = {{"force", &o.force},
                     {"integral", &o.integral},
                     {"closing_speed", &o.closing_speed},
                     {"lift", &o.lift},
                     {"lift_duration", &o.lift_duration}};
  for (; *settings != NULL; ++settings) {
    bool known = false;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
      if (!tribo_setting_number(*settings, table[i].key, table[i].value, &known, message))
        return TRIBO_ERROR_ARGUMENT;
    }
    if (known) continue;
    snprintf(message->text, sizeof message->text,
             "'%.200s' names neither a step option nor an option of the grasp (force, integral, "
             "closing_speed, lift, lift_duration)",
             *settings);
    return TRIBO_ERROR_ARGUMENT;
  }
  TriboGraspForce* grasp = calloc(1, sizeof *grasp);
  if (grasp == NULL) return TRIBO_ERROR_MEMORY;
  TriboStatus status = tribo_grasp_force_init(grasp, &o, model, state, message);
  if (status == TRIBO_OK)
    *self = grasp;
  else
    free(grasp);
  return status;
}

static TriboStatus update(void* self, const TriboState* state, const TriboWorkspace* workspace,
                          TriboWorkspace* scratch, double* control) {
  (void)scratch;
  tribo_grasp_force_update(self, state, workspace, control);
  return TRIBO_OK;
}

const TriboController tribo_controller_grasp_force = {
    .name = "grasp-force",
    .summary = "grasps and lifts: --set force=10, integral, closing_speed, lift, lift_duration",
    .create = create,
    .destroy = free,
    .update = update,
};
