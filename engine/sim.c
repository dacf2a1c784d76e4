// SPDX-License-Identifier: Apache-2.0
//
// TriboSim: a model, a state, a workspace, options and controls with one owner.
#include <string.h>

#include "engine/base/arena.h"
#include "engine/model/model.h"
#include "engine/tribo.h"

struct TriboSim {
  TriboModel* model;
  TriboState* state;
  TriboWorkspace* workspace;
  TriboStepOptions options;
  double* control;  // (nu)
  double* effort;   // (nv)
};

static TriboStatus fill(TriboSim* sim, const TriboBuilder* builder, TriboMessage* message) {
  TriboStatus status = tribo_model_create(builder, NULL, &sim->model, message);
  if (status == TRIBO_OK) status = tribo_state_create(sim->model, NULL, &sim->state);
  if (status == TRIBO_OK) {
    TriboWorkspaceOptions room = tribo_workspace_options_default();
    const int threads = sim->options.threads;
    room.threads = threads < TRIBO_MAX_THREADS ? threads : TRIBO_MAX_THREADS;
    status = tribo_workspace_create(sim->model, &room, NULL, &sim->workspace);
  }
  if (status != TRIBO_OK) return status;
  const size_t numbers = (size_t)sim->model->nu + (size_t)sim->model->nv;
  sim->control = (double*)tribo_allocate(NULL, (numbers + 1) * sizeof(double));
  if (sim->control == NULL) return TRIBO_ERROR_MEMORY;
  memset(sim->control, 0, (numbers + 1) * sizeof(double));
  sim->effort = sim->control + sim->model->nu;
  return TRIBO_OK;
}

TriboStatus tribo_sim_create(const TriboBuilder* builder, const TriboStepOptions* options,
                             TriboSim** sim, TriboMessage* message) {
  if (builder == NULL || sim == NULL) return TRIBO_ERROR_ARGUMENT;
  *sim = NULL;
  TriboSim* made = (TriboSim*)tribo_allocate(NULL, sizeof(TriboSim));
  if (made == NULL) return TRIBO_ERROR_MEMORY;
  memset(made, 0, sizeof *made);
  made->options = options != NULL ? *options : tribo_step_options_default();
  const TriboStatus status = fill(made, builder, message);
  if (status != TRIBO_OK) {
    tribo_sim_destroy(made);
    return status;
  }
  *sim = made;
  return TRIBO_OK;
}

void tribo_sim_destroy(TriboSim* sim) {
  if (sim == NULL) return;
  if (sim->control != NULL) {
    const size_t numbers = (size_t)sim->model->nu + (size_t)sim->model->nv;
    tribo_release(NULL, sim->control, (numbers + 1) * sizeof(double));
  }
  tribo_workspace_destroy(sim->workspace);
  tribo_state_destroy(sim->state);
  tribo_model_destroy(sim->model);
  tribo_release(NULL, sim, sizeof *sim);
}

TriboStatus tribo_sim_step(TriboSim* sim) {
  if (sim == NULL) return TRIBO_ERROR_ARGUMENT;
  TriboInput input = tribo_input_default();
  input.control = sim->control;
  input.effort = sim->effort;
  return tribo_step(sim->model, &sim->options, &input, sim->state, sim->workspace);
}

const TriboModel* tribo_sim_model(const TriboSim* sim) { return sim->model; }
TriboState* tribo_sim_state(TriboSim* sim) { return sim->state; }
TriboWorkspace* tribo_sim_workspace(TriboSim* sim) { return sim->workspace; }
TriboStepOptions* tribo_sim_options(TriboSim* sim) { return &sim->options; }
double* tribo_sim_control(TriboSim* sim) { return sim->control; }
double* tribo_sim_effort(TriboSim* sim) { return sim->effort; }
