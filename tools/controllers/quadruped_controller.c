// SPDX-License-Identifier: Apache-2.0
//
// The trotting quadruped under its name.
#include <stdio.h>
#include <stdlib.h>

#include "tools/controllers/controllers.h"
#include "tools/controllers/quadruped.h"

typedef struct Trot {
  TriboQuadruped robot;
  double* memory;
} Trot;

static void destroy(void* self) {
  Trot* trot = self;
  if (trot != NULL) free(trot->memory);
  free(trot);
}

static bool read_setting(const char* setting, TriboQuadrupedOptions* o, TriboMessage* message) {
  struct {
    const char* key;
    double* value;
  } const table[] = {{"velocity", &o->velocity[0]},
                     {"sideways", &o->velocity[1]},
                     {"yaw_rate", &o->yaw_rate},
                     {"height", &o->height},
                     {"period", &o->period},
                     {"duty", &o->duty},
                     {"lift", &o->lift},
                     {"start", &o->start},
                     {"friction", &o->friction}};
  bool known = false;
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
    if (!tribo_setting_number(setting, table[i].key, table[i].value, &known, message)) return false;
  }
  if (!known)
    snprintf(message->text, sizeof message->text,
             "'%.200s' names neither a step option nor an option of the quadruped (velocity, "
             "sideways, yaw_rate, height, period, duty, lift, start, friction)",
             setting);
  return known;
}

static TriboStatus create(const TriboModel* model, const TriboState* state,
                          TriboWorkspace* workspace, const char* const* settings, void** self,
                          TriboMessage* message) {
  TriboQuadrupedOptions options = tribo_quadruped_options_default();
  for (; *settings != NULL; ++settings) {
    if (!read_setting(*settings, &options, message)) return TRIBO_ERROR_ARGUMENT;
  }
  Trot* trot = calloc(1, sizeof *trot);
  double* memory = calloc(tribo_quadruped_memory(model) + 1, sizeof(double));
  if (trot == NULL || memory == NULL) {
    free(trot), free(memory);
    return TRIBO_ERROR_MEMORY;
  }
  trot->memory = memory;
  TriboStatus status =
      tribo_quadruped_init(&trot->robot, &options, model, state, workspace, memory, message);
  if (status != TRIBO_OK) {
    destroy(trot);
    return status;
  }
  *self = trot;
  return TRIBO_OK;
}

static TriboStatus update(void* self, const TriboState* state, const TriboWorkspace* workspace,
                          TriboWorkspace* scratch, double* control) {
  return tribo_quadruped_update(&((Trot*)self)->robot, state, workspace, scratch, control);
}

const TriboController tribo_controller_quadruped = {
    .name = "quadruped",
    .summary = "trots: --set velocity=0.4, sideways, yaw_rate, height, period, duty, lift, start",
    .create = create,
    .destroy = destroy,
    .update = update,
};
