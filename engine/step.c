// SPDX-License-Identifier: Apache-2.0
//
// One step, from (q, v) to (q+, v+). Start reading here; each call below is a file of its own, and
// engine/step_islands.c takes the islands through solve, projection and restitution.
//
//   free motion   u = v + h M^-1 f                        engine/tree
//   contacts      gaps and normals at q                   engine/contact/detect.c
//   rows          one contact problem per island          engine/contact/assemble.c
//   solve         impulses and v+, with a certificate     engine/contact/solve_island.c
//   projection    what still penetrates is moved apart    engine/contact/project.c
//   restitution   impacts at the end of the step          engine/contact/impact.c
//   coasting      free trees to second order, momentum     engine/tree/coast.c
//   commit        q+ = q (+) (h v+ + displacement)
//
// Nothing is written to the state before everything has succeeded.
#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/contact/project.h"
#include "engine/contact/warm.h"
#include "engine/stages.h"
#include "engine/step.h"
#include "engine/tree/lanes.h"
#include "solvers/capsule.h"

TriboStepInfo tribo_step_info(const TriboWorkspace* workspace) { return workspace->info; }

// ---- what may fail before anything is computed

static bool all_finite(const double* values, int count) {
  // Infinity and NaN both leave 0 * x different from 0.
  TriboLanes sum = tribo_lanes_fill(0);
  if (values == NULL) return true;
  for (int i = 0; i + 1 < count; i += 2) sum += 0 * tribo_lanes_load(values + i);
  if (count % 2 != 0) sum[0] += 0 * values[count - 1];
  return sum[0] + sum[1] == 0;
}

// Whether |x| <= limit, which NaN is not.
static bool all_within(const double* values, int count, double limit) {
  for (int i = 0; i < count; ++i) {
    if (!(fabs(values[i]) <= limit)) return false;
  }
  return true;
}

static TriboStatus check_input(const TriboStepCall* step) {
  const TriboModel* model = step->model;
  if (step->input == NULL) return TRIBO_OK;
  const int links = model->source->count[TRIBO_KIND_LINK];
  return all_finite(step->input->control, model->nu) &&
                 all_finite(step->input->effort, model->nv) &&
                 all_finite(step->input->wrench, 6 * links)
             ? TRIBO_OK
             : TRIBO_ERROR_NOT_FINITE;
}

TriboStatus tribo_step_fail(const TriboStepCall* step, TriboStatus status, TriboKind kind,
                            int element) {
  step->ws->info.kind = kind;
  step->ws->info.element = element;
  return status;
}

// ---- the stages

static TriboStatus move_freely(const TriboStepCall* step) {
  const TriboModel* model = step->model;
  TriboWorkspace* ws = step->ws;
  tribo_tree_free_velocity(model, &ws->tree, step->input, step->state->q, step->state->v,
                           step->options->h, ws->motor, ws->u);
  tribo_tree_keep_spin(model, &ws->tree, step->options->h, ws->u, ws->spin);
  if (all_finite(ws->u, model->nv)) return TRIBO_OK;
  int k = 0;
  while (isfinite(ws->u[k])) ++k;
  return tribo_step_fail(step, TRIBO_ERROR_NOT_FINITE, TRIBO_KIND_JOINT,
                         model->body[model->dof_body[k]].joint);
}

static TriboStatus find_contacts(const TriboStepCall* step) {
  TriboWorkspace* ws = step->ws;
  if (step->model->pair_filter->shape_count > 0) {
    tribo_tree_velocities(step->model, &ws->tree, step->state->v);
  }
  const TriboMotion motion = {ws->tree.X_WB, ws->tree.V};
  const TriboStatus status =
      tribo_detect(&ws->detection, step->model, motion, step->options->h, step->options->margin);
  memcpy(ws->results.X_WB, ws->tree.X_WB, (size_t)step->model->nb * sizeof(TriboTransform));
  TriboStepInfo* info = &ws->info;
  info->contacts = ws->detection.count;
  info->deepest = ws->detection.deepest;
  const size_t pairs = (size_t)ws->detection.broad.pair_count;
  if (pairs > info->peak_pairs) info->peak_pairs = pairs;
  if ((size_t)info->contacts > info->peak_contacts) info->peak_contacts = (size_t)info->contacts;
  return status == TRIBO_OK
             ? TRIBO_OK
             : tribo_step_fail(step, status, TRIBO_KIND_SHAPE, ws->detection.failed_shape);
}

static void assemble_rows(const TriboStepCall* step) {
  TriboWorkspace* ws = step->ws;
  const TriboStepOptions* options = step->options;
  tribo_joint_rows_find(&ws->problems.joint, step->model, step->state->q, step->state->v, ws->u,
                        options->h, options->margin);
  for (int i = 0; i < step->model->nu; ++i) {
    if (!ws->motor[i]) continue;
    const TriboServo servo = tribo_tree_servo(step->model, step->input, step->state->q, i);
    tribo_joint_rows_add_motor(&ws->problems.joint, step->model, &servo, i, options->h);
  }
  // The rows' free velocity is y = G^T u; without rows nobody asks for it.
  if (ws->detection.count > 0 || ws->problems.joint.count > 0 || ws->problems.loops > 0) {
    memcpy(ws->y, ws->u, (size_t)step->model->nv * sizeof(double));
    tribo_tree_to_mass(step->model, &ws->tree, ws->y);
  }
  tribo_assemble(&ws->problems, step->model, options, &ws->tree, &ws->detection, step->state->q,
                 ws->y);
}

// Servos that the last step left at their limit start as rows.
static void guess_motors(const TriboStepCall* step) {
  const TriboState* state = step->state;
  // A call for no bytes is not free: as a masked store to memory never written it costs as much as
  // a tenth of a smooth step.
  if (step->model->nu == 0) return;
  memset(step->ws->motor, 0, (size_t)step->model->nu * sizeof(bool));
  if (step->options->cold || step->options->integrator == TRIBO_INTEGRATOR_RK4) return;
  // The rows of joints come first.
  if (state->warm_count == 0 || state->warm[0].shape[0] >= 0) return;
  for (int i = 0; i < step->model->nu; ++i) {
    const uint64_t id = tribo_motor_id(i);
    for (int e = 0; e < state->warm_count && state->warm[e].shape[0] < 0; ++e) {
      if (state->warm[e].id == id) step->ws->motor[i] = true;
    }
  }
}

// Servos that the solution takes beyond their limit; with `all`, every one that has a limit. False:
// there are none that are not rows already.
static bool find_motors(const TriboStepCall* step, bool all) {
  TriboWorkspace* ws = step->ws;
  bool found = false;
  for (int i = 0; i < step->model->nu; ++i) {
    // An effort is within its limit from the beginning.
    if (step->model->source->actuator[i].type == TRIBO_ACTUATOR_EFFORT) continue;
    const TriboServo servo = tribo_tree_servo(step->model, step->input, step->state->q, i);
    const double gain = servo.kd + step->options->h * servo.kp;
    if (ws->motor[i] || isinf(servo.limit) || gain == 0) continue;
    const double effort = servo.effort - gain * ws->v_next[servo.dof];
    if (!(fabs(effort) > servo.limit * (1 + 1e-12))) continue;
    ws->motor[i] = found = true;
  }
  if (!found || !all) return found;
  for (int i = 0; i < step->model->nu; ++i) {
    const TriboServo servo = tribo_tree_servo(step->model, step->input, step->state->q, i);
    if (!isinf(servo.limit) && servo.kd + step->options->h * servo.kp > 0) ws->motor[i] = true;
  }
  return true;
}

// displacement = h v
static void move_by(const TriboStepCall* step, const double* v) {
  double* displacement = step->ws->displacement;
  const double h = step->options->h;
  const int nv = step->model->nv;
  TRIBO_SIMD for (int k = 0; k < nv; ++k) displacement[k] = h * v[k];
}

// displacement = h v+ and what the projection adds. Rigid loops are closed where the step ends, so
// they need the poses there, and a few rounds because they are not linear.
static TriboStatus project_positions(const TriboStepCall* step) {
  const TriboModel* model = step->model;
  TriboWorkspace* ws = step->ws;
  move_by(step, ws->v_next);
  memset(ws->lift, 0, (size_t)model->nv * sizeof(double));
  tribo_project_predict(&ws->problems, &ws->detection, step->options->h, &ws->defects);
  const bool loops = tribo_project_has_loops(&ws->problems);
  const int rounds = loops ? 8 : 1;
  for (int round = 0; round < rounds; ++round) {
    if (loops) {
      tribo_tree_integrate(model, step->state->q, ws->displacement, 1, ws->q_next);
      tribo_tree_kinematics(model, &ws->tree, ws->q_next);
      tribo_project_loops(&ws->problems, model, &ws->tree, ws->q_next, &ws->defects);
    }
    if (!tribo_step_repair(step)) break;
  }
  if (!loops) return TRIBO_OK;
  tribo_tree_kinematics(model, &ws->tree, step->state->q);
  return tribo_step_check_loops(step);
}

// Contacts as they were when the forces acted: coasting moves the bodies on.
static void collect_results(const TriboStepCall* step) {
  TriboWorkspace* ws = step->ws;
  tribo_results_collect(&ws->results, step->model, &ws->problems, &ws->detection, step->options,
                        step->state->warm, step->state->warm_count);
  ws->info.touching = ws->results.touching;
}

// Trees that nothing holds move on to second order, and floating ones keep their momentum.
static void coast(const TriboStepCall* step) {
  const TriboModel* model = step->model;
  TriboWorkspace* ws = step->ws;
  const TriboProblemSet* set = &ws->problems;
  for (int t = 0; t < model->ntree; ++t) {
    const int island = set->islands.of_tree[t];
    ws->hold[t] = island < 0                              ? TRIBO_TREE_FREE
                  : tribo_step_carries_force(set, island) ? TRIBO_TREE_HELD
                                                          : TRIBO_TREE_INTERNAL;
  }
  const double h = step->options->h;
  // Coasting begins with Euler's velocity.
  for (int t = 0; t < model->ntree; ++t) {
    if (ws->hold[t] == TRIBO_TREE_HELD || !tribo_tree_is_loose(model, t)) continue;
    for (int k = model->tree_dof[t]; k < model->tree_dof[t + 1]; ++k) {
      ws->v_next[k] -= ws->spin[k];
      ws->displacement[k] -= h * ws->spin[k];
    }
  }
  const bool settle =
      tribo_tree_coast(model, &ws->tree, ws->hold, h, step->state->v, ws->v_next, ws->displacement);
  tribo_tree_integrate(model, step->state->q, ws->displacement, 1, ws->q_next);
  if (settle) {
    tribo_tree_settle(model, &ws->tree, ws->hold, h, ws->q_next, ws->displacement, ws->v_next);
  }
}

static TriboStatus check_result(const TriboStepCall* step) {
  const TriboModel* model = step->model;
  const TriboWorkspace* ws = step->ws;
  const double limit = step->options->speed_limit;
  if (all_within(ws->v_next, model->nv, limit < DBL_MAX ? limit : DBL_MAX) &&
      all_finite(ws->displacement, model->nv)) {
    return TRIBO_OK;
  }
  for (int k = 0; k < model->nv; ++k) {
    const bool finite = isfinite(ws->v_next[k]) && isfinite(ws->displacement[k]);
    if (finite && fabs(ws->v_next[k]) <= limit) continue;
    return tribo_step_fail(step, finite ? TRIBO_ERROR_DIVERGED : TRIBO_ERROR_NOT_FINITE,
                           TRIBO_KIND_JOINT, model->body[model->dof_body[k]].joint);
  }
  return TRIBO_OK;
}

// The energy, where somebody asked for it, that the projection added: the potential energy at the
// end of the step against that without its displacement.
static void weigh_lift(const TriboStepCall* step) {
  const TriboModel* model = step->model;
  TriboWorkspace* ws = step->ws;
  if (!step->options->energy) return;
  for (int k = 0; k < model->nv; ++k) ws->shift[k] = ws->displacement[k] - ws->lift[k];
  tribo_tree_integrate(model, step->state->q, ws->shift, 1, ws->q_unlifted);
  TriboState lifted = *step->state, unlifted = lifted;
  lifted.q = ws->q_next;
  unlifted.q = ws->q_unlifted;
  TriboEnergy with, without;
  if (tribo_energy(model, &lifted, ws, &with) != TRIBO_OK ||
      tribo_energy(model, &unlifted, ws, &without) != TRIBO_OK) {
    return;
  }
  ws->info.energy_lifted = with.potential - without.potential;
}

// What the sensors need of the step once the state has moved on.
static void keep_motion(const TriboStepCall* step) {
  const TriboModel* model = step->model;
  TriboResults* results = &step->ws->results;
  const size_t wrench = 6 * (size_t)model->source->count[TRIBO_KIND_LINK] * sizeof(double);
  memcpy(results->q, step->state->q, (size_t)model->nq * sizeof(double));
  memcpy(results->v, step->state->v, (size_t)model->nv * sizeof(double));
  const double *before = step->state->v, *after = step->ws->v_next, h = step->options->h;
  double* a = results->a;
  TRIBO_SIMD for (int k = 0; k < model->nv; ++k) a[k] = (after[k] - before[k]) / h;
  if (step->input != NULL && step->input->wrench != NULL) {
    memcpy(results->wrench, step->input->wrench, wrench);
  } else {
    memset(results->wrench, 0, wrench);
  }
}

static void commit(const TriboStepCall* step) {
  const TriboModel* model = step->model;
  TriboWorkspace* ws = step->ws;
  TriboState* state = step->state;
  keep_motion(step);
  memcpy(state->q, ws->q_next, (size_t)model->nq * sizeof(double));
  memcpy(state->v, ws->v_next, (size_t)model->nv * sizeof(double));
  state->warm_count = tribo_warm_store(&ws->problems, &ws->detection, ws->results.mode, state->warm,
                                       state->warm_capacity);
  state->time += step->options->h;
}

// Smooth motion, to fourth order; whatever has rows is not smooth.
static TriboStatus run_rk4(const TriboStepCall* step) {
  const TriboModel* model = step->model;
  TriboWorkspace* ws = step->ws;
  if (ws->problems.islands.count > 0) return TRIBO_ERROR_UNSUPPORTED;
  const TriboStatus status =
      tribo_tree_rk4(model, &ws->tree, step->input, step->state->q, step->state->v,
                     step->options->h, ws->q_next, ws->v_next);
  if (status != TRIBO_OK) return status;
  move_by(step, ws->v_next);
  return TRIBO_OK;
}

// Rows and their solution; again where a servo turns out to be at its limit: then it is a row and
// not part of M.
static TriboStatus solve_motion(const TriboStepCall* step) {
  TriboStageTimes* times = step->ws->stages;
  for (int round = 1;; ++round) {
    tribo_stage_begin(times, TRIBO_STAGE_ASSEMBLY);
    assemble_rows(step);
    tribo_stage_begin(times, TRIBO_STAGE_SOLVE);
    TriboStatus status = tribo_step_solve_islands(step);
    if (status != TRIBO_OK) return status;
    if (!find_motors(step, round == 3)) return TRIBO_OK;
    tribo_stage_begin(times, TRIBO_STAGE_TREE);
    status = move_freely(step);
    if (status != TRIBO_OK) return status;
  }
}

static TriboStatus run(const TriboStepCall* step) {
  TriboStatus status = tribo_step_check_options(step->options);
  if (status == TRIBO_OK) status = check_input(step);
  if (status != TRIBO_OK) return status;
  TriboStageTimes* times = step->ws->stages;
  tribo_stage_begin(times, TRIBO_STAGE_TREE);
  guess_motors(step);
  status = move_freely(step);
  if (status != TRIBO_OK) return status;
  tribo_stage_begin(times, TRIBO_STAGE_COLLISION);
  status = find_contacts(step);
  if (status != TRIBO_OK) return status;
  if (step->options->integrator == TRIBO_INTEGRATOR_RK4) {
    assemble_rows(step);
    collect_results(step);
    status = run_rk4(step);
    if (status != TRIBO_OK) return status;
  } else {
    status = solve_motion(step);
    if (status != TRIBO_OK) return status;
    tribo_stage_begin(times, TRIBO_STAGE_PROJECTION);
    status = project_positions(step);
    if (status != TRIBO_OK) return status;
    tribo_stage_begin(times, TRIBO_STAGE_SOLVE);
    status = tribo_step_bounce(step);
    if (status != TRIBO_OK) return status;
    tribo_stage_begin(times, TRIBO_STAGE_REST);
    collect_results(step);
    tribo_stage_begin(times, TRIBO_STAGE_TREE);
    coast(step);
    tribo_stage_begin(times, TRIBO_STAGE_REST);
    weigh_lift(step);
  }
  status = check_result(step);
  if (status != TRIBO_OK) return status;
  commit(step);
  return TRIBO_OK;
}

// Kinetic and potential energy of the state, or 0 where nobody asked.
static double energy_of(const TriboStepCall* step) {
  TriboEnergy energy;
  if (!step->options->energy ||
      tribo_energy(step->model, step->state, step->ws, &energy) != TRIBO_OK) {
    return 0;
  }
  return energy.kinetic + energy.potential;
}

TriboStatus tribo_step(const TriboModel* model, const TriboStepOptions* options,
                       const TriboInput* input, TriboState* state, TriboWorkspace* workspace) {
  if (model == NULL || state == NULL || workspace == NULL) return TRIBO_ERROR_ARGUMENT;
  if (state->model_hash != model->hash || workspace->model_hash != model->hash) {
    return TRIBO_ERROR_ARGUMENT;
  }
  TriboStepOptions defaults;
  if (options == NULL) {
    defaults = tribo_step_options_default();
    options = &defaults;
  }
  const TriboStepCall step = {model, options, input, state, workspace};
  TriboStepInfo* info = &workspace->info;
  const size_t peak_contacts = info->peak_contacts, peak_pairs = info->peak_pairs;
  memset(info, 0, sizeof *info);
  info->peak_contacts = peak_contacts;
  info->peak_pairs = peak_pairs;
  info->element = -1;
  workspace->results.model = NULL;
  workspace->capsule = -1;
  workspace->options = *step.options;
  if (workspace->stages != NULL) workspace->stages->since = workspace->stages->clock();
  info->energy_before = energy_of(&step);
  info->status = run(&step);
  tribo_stage_begin(workspace->stages, TRIBO_STAGE_REST);
  info->energy_after = energy_of(&step);
  if (info->status != TRIBO_OK) workspace->results.model = NULL;
  info->peak_bytes = 0;
  for (int i = 0; i < workspace->threads; ++i) {
    const size_t peak = workspace->scratch[i].peak;
    if (peak > info->peak_bytes) info->peak_bytes = peak;
  }
  return info->status;
}

TriboStatus tribo_capsule_write(const TriboWorkspace* workspace, const char* path) {
  if (workspace == NULL || path == NULL || workspace->capsule < 0) return TRIBO_ERROR_ARGUMENT;
  const TriboIslandProblem* island = &workspace->problems.island[workspace->capsule];
  TriboCapsuleContent content;
  memset(&content, 0, sizeof content);
  content.problem = &island->problem;
  content.options = tribo_contact_options_default();
  content.options.cone = workspace->options.cone;
  content.options.tolerance = workspace->options.tolerance;
  content.warm = workspace->capsule_warm ? &island->warm : NULL;
  content.library = tribo_version();
  return tribo_capsule_save(path, &content, NULL);
}
