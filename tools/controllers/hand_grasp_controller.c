// SPDX-License-Identifier: Apache-2.0
//
// The hand that grasps with a force, under its name.
#include "tools/controllers/hand_grasp.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/controllers/controllers.h"

typedef struct Hand {
  TriboHandGrasp grasp;
  double memory[];
} Hand;

static TriboStatus create(const TriboModel* model, const TriboState* state,
                          TriboWorkspace* workspace, const char* const* settings, void** self,
                          TriboMessage* message) {
  (void)workspace;
  TriboHandGraspOptions o = tribo_hand_grasp_options_default();
  for (; *settings != NULL; ++settings) {
    bool known = false;
    if (!tribo_setting_number(*settings, "force", &o.force, &known, message) ||
        !tribo_setting_number(*settings, "integral", &o.integral, &known, message) ||
        !tribo_setting_number(*settings, "closing_speed", &o.closing_speed, &known, message) ||
        !tribo_setting_number(*settings, "shape", &o.shape, &known, message))
      return TRIBO_ERROR_ARGUMENT;
    if (known) continue;
    snprintf(message->text, sizeof message->text,
             "'%.200s' names neither a step option nor an option of the hand (force, integral, "
             "closing_speed, shape)",
             *settings);
    return TRIBO_ERROR_ARGUMENT;
  }
  Hand* hand = calloc(1, sizeof *hand + tribo_hand_grasp_memory(model) * sizeof(double));
  if (hand == NULL) return TRIBO_ERROR_MEMORY;
  TriboStatus status = tribo_hand_grasp_init(&hand->grasp, &o, model, state, hand->memory, message);
  if (status == TRIBO_OK)
    *self = hand;
  else
    free(hand);
  return status;
}

static TriboStatus update(void* self, const TriboState* state, const TriboWorkspace* workspace,
                          TriboWorkspace* scratch, double* control) {
  return tribo_hand_grasp_update(&((Hand*)self)->grasp, state, workspace, scratch, control);
}

const TriboController tribo_controller_hand_grasp = {
    .name = "hand-grasp",
    .summary = "three fingers close and press: --set force=2, integral, closing_speed, shape",
    .create = create,
    .destroy = free,
    .update = update,
};
