// SPDX-License-Identifier: Apache-2.0
//
// Controls that stay: --set ACTUATOR=VALUE for each that is not 0.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/controllers/controllers.h"

typedef struct Constant {
  int nu;
  double control[];
} Constant;

static TriboStatus create(const TriboModel* model, const TriboState* state,
                          TriboWorkspace* workspace, const char* const* settings, void** self,
                          TriboMessage* message) {
  (void)state, (void)workspace;
  int nu = tribo_model_nu(model);
  Constant* constant = calloc(1, sizeof *constant + (size_t)nu * sizeof(double));
  if (constant == NULL) return TRIBO_ERROR_MEMORY;
  constant->nu = nu;
  for (; *settings != NULL; ++settings) {
    bool known = false, fine = true;
    for (int i = 0; i < nu && fine; ++i) {
      fine = tribo_setting_number(*settings, tribo_model_name(model, TRIBO_KIND_ACTUATOR, i),
                                  &constant->control[i], &known, message);
    }
    if (fine && !known)
      snprintf(message->text, sizeof message->text,
               "'%.200s' names neither a step option nor an actuator", *settings);
    if (fine && known) continue;
    free(constant);
    return TRIBO_ERROR_ARGUMENT;
  }
  *self = constant;
  return TRIBO_OK;
}

static TriboStatus update(void* self, const TriboState* state, const TriboWorkspace* workspace,
                          TriboWorkspace* scratch, double* control) {
  (void)state, (void)workspace, (void)scratch;
  const Constant* constant = self;
  memcpy(control, constant->control, (size_t)constant->nu * sizeof(double));
  return TRIBO_OK;
}

const TriboController tribo_controller_constant = {
    .name = "constant",
    .summary = "every actuator keeps its control: --set ACTUATOR=VALUE, 0 for the others",
    .create = create,
    .destroy = free,
    .update = update,
};
