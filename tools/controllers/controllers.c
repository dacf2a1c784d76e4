// SPDX-License-Identifier: Apache-2.0
//
// The table of controllers. To add one: write its file with a TriboController, name it here twice.
#include "tools/controllers/controllers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const TriboController tribo_controller_constant;
extern const TriboController tribo_controller_grasp_force;
extern const TriboController tribo_controller_hand_grasp;
extern const TriboController tribo_controller_quadruped;

const TriboController* const tribo_controllers[] = {
    &tribo_controller_constant,
    &tribo_controller_grasp_force,
    &tribo_controller_hand_grasp,
    &tribo_controller_quadruped,
    NULL,
};

const TriboController* tribo_controller_find(const char* name) {
  for (int i = 0; tribo_controllers[i] != NULL; ++i) {
    if (strcmp(tribo_controllers[i]->name, name) == 0) return tribo_controllers[i];
  }
  return NULL;
}

bool tribo_setting_number(const char* setting, const char* key, double* value, bool* known,
                          TriboMessage* message) {
  size_t length = strlen(key);
  if (strncmp(setting, key, length) != 0 || setting[length] != '=') return true;
  *known = true;
  const char* text = setting + length + 1;
  char* end;
  double number = strtod(text, &end);
  if (end == text || *end != '\0' || !isfinite(number)) {
    message->status = TRIBO_ERROR_ARGUMENT;
    snprintf(message->text, sizeof message->text, "%s wants a number, not '%s'", key, text);
    return false;
  }
  *value = number;
  return true;
}
