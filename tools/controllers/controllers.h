// SPDX-License-Identifier: Apache-2.0
//
// The controllers that `tribo simulate --controller NAME` knows. To add one: write its file with a
// TriboController, name it in controllers.c twice.
#ifndef TRIBO_TOOLS_CONTROLLERS_CONTROLLERS_H_
#define TRIBO_TOOLS_CONTROLLERS_CONTROLLERS_H_

#include "engine/tribo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboController {
  const char* name;
  const char* summary;  // one line, for `tribo simulate --help`

  // Makes a controller for a model and the state that it starts from; `workspace` is scratch.
  // `settings` are texts KEY=VALUE, the last one NULL; one that the controller does not know is
  // TRIBO_ERROR_ARGUMENT. The message says what is missing in the model or wrong in a setting.
  TriboStatus (*create)(const TriboModel* model, const TriboState* state, TriboWorkspace* workspace,
                        const char* const* settings, void** self, TriboMessage* message);
  void (*destroy)(void* self);  // NULL is fine

  // Controls (nu) for the next step, from the present state and the contacts of the last step in
  // `workspace`; `scratch` is another workspace, for kinematics.
  TriboStatus (*update)(void* self, const TriboState* state, const TriboWorkspace* workspace,
                        TriboWorkspace* scratch, double* control);
} TriboController;

// All controllers; the last entry is NULL.
extern const TriboController* const tribo_controllers[];

// The controller called `name`, or NULL.
const TriboController* tribo_controller_find(const char* name);

// For `create`: sets *value where a setting's key is `key`, which is then known. FALSE with a
// message where its value is no finite number.
bool tribo_setting_number(const char* setting, const char* key, double* value, bool* known,
                          TriboMessage* message);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_CONTROLLERS_CONTROLLERS_H_
