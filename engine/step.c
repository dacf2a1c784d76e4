// SPDX-License-Identifier: Apache-2.0
//
// One step, from (q, v) to (q+, v+). Start reading here; each call below is a file of its own.
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

#include "engine/base/pool.h"
#include "engine/contact/impact.h"
#include "engine/contact/project.h"
#include "engine/contact/solve_island.h"
#include "engine/contact/warm.h"
#include "engine/stages.h"
#include "engine/state.h"
#include "engine/tree/lanes.h"
#include "engine/workspace.h"
#include "solvers/capsule.h"

// What the functions below share.
typedef struct Step {
  const TriboModel* model;
  const TriboStepOptions* options;
  const TriboInput* input;
  TriboState* state;
  TriboWorkspace* ws;
} Step;

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

static bool is_between(double value, double low, double high) {
  return value >= low && value <= high;
}

static TriboStatus check_options(const TriboStepOptions* o) {
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

static TriboStatus check_input(const Step* step) {
  const TriboModel* model = step->model;
  if (step->input == NULL) return TRIBO_OK;
  const int links = model->source->count[TRIBO_KIND_LINK];
  return all_finite(step->input->control, model->nu) &&
                 all_finite(step->input->effort, model->nv) &&
                 all_finite(step->input->wrench, 6 * links)
             ? TRIBO_OK
             : TRIBO_ERROR_NOT_FINITE;
}

// A failure about one element of the model.
static TriboStatus fail(const Step* step, TriboStatus status, TriboKind kind, int element) {
  step->ws->info.kind = kind;
  step->ws->info.element = element;
  return status;
}

// A failure about an island: named by the loop that has the equality row `row`, or where that is -1
// by the link that moves its first tree.
static TriboStatus fail_island(const Step* step, TriboStatus status, int island, int row) {
  const TriboModel* model = step->model;
  const TriboProblemSet* set = &step->ws->problems;
  for (int l = 0; l < set->loops && row >= 0; ++l) {
    const TriboLoopRows* loop = &set->loop[l];
    if (loop->island != island || row < loop->row || row >= loop->row + loop->frame.rows) continue;
    return fail(step, status, TRIBO_KIND_LOOP, l);
  }
  const int tree = set->islands.tree[set->islands.first[island]];
  const TriboBody* root = &model->body[model->dof_body[model->tree_dof[tree]]];
  return fail(step, status, TRIBO_KIND_LINK, model->source->joint[root->joint].child);
}

// ---- the stages

// A stage of the step for every island: on the threads that the workspace has and the options
// allow. Islands share no row and no coordinate, a thread has its own solver memory, and what an
// island reports goes to its own place (ws->solve), to be summed in the order of islands.
static void for_each_island(const Step* step, TriboPoolTask* task) {
  tribo_pool_run(step->ws->pool, step->options->threads, step->ws->problems.islands.count, task,
                 (void*)step);
}

static TriboStatus move_freely(const Step* step) {
  const TriboModel* model = step->model;
  TriboWorkspace* ws = step->ws;
  tribo_tree_free_velocity(model, &ws->tree, step->input, step->state->q, step->state->v,
                           step->options->h, ws->motor, ws->u);
  tribo_tree_keep_spin(model, &ws->tree, step->options->h, ws->u, ws->spin);
  if (all_finite(ws->u, model->nv)) return TRIBO_OK;
  int k = 0;
  while (isfinite(ws->u[k])) ++k;
  return fail(step, TRIBO_ERROR_NOT_FINITE, TRIBO_KIND_JOINT,
              model->body[model->dof_body[k]].joint);
}

static TriboStatus find_contacts(const Step* step) {
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
  return status == TRIBO_OK ? TRIBO_OK
                            : fail(step, status, TRIBO_KIND_SHAPE, ws->detection.failed_shape);
}

static void assemble_rows(const Step* step) {
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
static void guess_motors(const Step* step) {
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
static bool find_motors(const Step* step, bool all) {
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

static void record_solve(TriboStepInfo* info, const TriboIslandProblem* island,
                         const TriboIslandInfo* solve) {
  const TriboContactProblem* problem = &island->problem;
  const int rows = problem->X.count + problem->N.count + problem->T.count;
  info->rows += rows;
  if (rows > info->largest_island) info->largest_island = rows;
  info->pivots += solve->pivots;
  info->iterations += solve->iterations;
  if (solve->rung > info->rung) info->rung = solve->rung;
  info->stopped_by_budget = info->stopped_by_budget || solve->stopped;
  info->relaxed = info->relaxed || solve->relaxed;
  tribo_certificate_worsen(&info->certificate, &solve->certificate);
}

// One island. Gaps that close at different speeds make sticking contacts contradict each other by
// about 1e-9 of the speeds, and then no solver may reach the tolerance. A contact that is almost
// closed may as well stay so for a step: its target is 0 then, and with all targets 0 sticking is
// consistent again.
static TriboStatus solve_one(const Step* step, TriboIslandProblem* island,
                             const TriboContactSolution* warm, TriboArena* scratch,
                             TriboIslandInfo* info) {
  static const double almost_closed[] = {1e-6, 1e-5, 1e-4};  // m
  TriboStatus status =
      tribo_island_solve(step->options, &island->problem, warm, &island->solution, scratch, info);
  for (int i = 0; i < 3 && (status == TRIBO_ERROR_LIMIT || status == TRIBO_ERROR_RAY); ++i) {
    bool changed = false;
    for (int r = 0; r < island->problem.N.count; ++r) {
      if (island->b_N[r] == 0 || -island->b_N[r] * step->options->h > almost_closed[i]) continue;
      island->b_N[r] = 0;
      changed = true;
    }
    if (!changed) continue;
    TriboIslandInfo again;
    status = tribo_island_solve(step->options, &island->problem, warm, &island->solution, scratch,
                                &again);
    again.pivots += info->pivots;
    again.iterations += info->iterations;
    again.relaxed = true;
    *info = again;
  }
  // The last resort is softness that gives way by no more than the contradiction.
  static const double compliance[] = {1e-9, 1e-7, 1e-6, 1e-5};
  const bool coulomb = step->options->model == TRIBO_MODEL_COULOMB && island->problem.ng > 0;
  for (int i = 0; i < 4 && coulomb && (status == TRIBO_ERROR_LIMIT || status == TRIBO_ERROR_RAY);
       ++i) {
    status = tribo_island_solve_softened(step->options, &island->problem, compliance[i],
                                         &island->solution, scratch, info);
  }
  return status;
}

static void solve_task(void* context, int index, int worker) {
  const Step* step = (const Step*)context;
  TriboWorkspace* ws = step->ws;
  TriboIslandProblem* island = &ws->problems.island[index];
  TriboIslandSolve* solve = &ws->solve[index];
  solve->status = solve_one(step, island, ws->capsule_warm ? &island->warm : NULL,
                            &ws->scratch[worker], &solve->info);
}

static TriboStatus solve_islands(const Step* step) {
  TriboWorkspace* ws = step->ws;
  TriboProblemSet* set = &ws->problems;
  const TriboState* state = step->state;
  const int known = tribo_warm_load(&ws->warm_index, set, state->warm, state->warm_count);
  ws->capsule_warm = known > 0 && !step->options->cold;
  TriboStepInfo* total = &ws->info;
  total->islands = set->islands.count;
  ws->capsule = -1;
  total->rows = total->largest_island = 0;
  memset(&total->certificate, 0, sizeof total->certificate);
  for_each_island(step, solve_task);
  for (int i = 0; i < set->islands.count; ++i) {
    const TriboIslandSolve* solve = &ws->solve[i];
    record_solve(&ws->info, &set->island[i], &solve->info);
    // The island that a capsule shows: the first that failed, or went farthest up the ladder.
    if (ws->capsule < 0 || solve->status != TRIBO_OK || solve->info.rung > ws->capsule_rung) {
      ws->capsule = i;
      ws->capsule_rung = solve->info.rung;
    }
    if (solve->status != TRIBO_OK) return fail_island(step, solve->status, i, solve->info.row);
  }
  const size_t size = (size_t)step->model->nv * sizeof(double);
  if (set->islands.count == 0) {
    memcpy(ws->v_next, ws->u, size);
    return TRIBO_OK;
  }
  tribo_problems_scatter(set, ws->y);
  memcpy(ws->v_next, ws->y, size);
  tribo_tree_from_mass(step->model, &ws->tree, ws->v_next);
  return TRIBO_OK;
}

static void bounce_task(void* context, int index, int worker) {
  const Step* step = (const Step*)context;
  TriboWorkspace* ws = step->ws;
  TriboProblemSet* set = &ws->problems;
  TriboIslandSolve* solve = &ws->solve[index];
  memset(solve, 0, sizeof *solve);
  solve->done = tribo_impact_happens(set, &ws->detection, step->options, index, ws->shift);
  if (!solve->done) return;
  solve->status = tribo_impact(set, &ws->detection, step->options, index, ws->shift,
                               &ws->scratch[worker], &solve->info);
}

// Restitution: v+ after the impacts at the end of the step. Positions have moved with the velocity
// before them.
static TriboStatus bounce(const Step* step) {
  const TriboModel* model = step->model;
  TriboWorkspace* ws = step->ws;
  TriboProblemSet* set = &ws->problems;
  if (!set->has_bounce) return TRIBO_OK;
  memcpy(ws->shift, step->state->v, (size_t)model->nv * sizeof(double));
  tribo_tree_to_mass(model, &ws->tree, ws->shift);
  bool any = false;
  for_each_island(step, bounce_task);
  for (int i = 0; i < set->islands.count; ++i) {
    const TriboIslandSolve* solve = &ws->solve[i];
    if (!solve->done) continue;
    any = true;
    if (solve->status != TRIBO_OK) return fail_island(step, solve->status, i, -1);
    ws->info.pivots += solve->info.pivots;
    ws->info.iterations += solve->info.iterations;
    if (solve->info.rung > ws->info.rung) ws->info.rung = solve->info.rung;
    ws->info.relaxed = ws->info.relaxed || solve->info.relaxed;
    tribo_certificate_worsen(&ws->info.certificate, &solve->info.certificate);
  }
  if (!any) return TRIBO_OK;
  tribo_problems_scatter_reported(set, ws->y);
  memcpy(ws->v_next, ws->y, (size_t)model->nv * sizeof(double));
  tribo_tree_from_mass(model, &ws->tree, ws->v_next);
  return TRIBO_OK;
}

static void repair_task(void* context, int index, int worker) {
  const Step* step = (const Step*)context;
  TriboWorkspace* ws = step->ws;
  TriboIslandSolve* solve = &ws->solve[index];
  solve->done = tribo_project_needed(&ws->problems, index, step->options, &ws->defects);
  if (!solve->done) return;
  // A projection that fails leaves the defect for the next step, but for loops that no step closes.
  solve->status = tribo_project(&ws->problems, index, step->options, &ws->defects,
                                &ws->scratch[worker], ws->shift, &solve->info.row);
}

// Adds the shortest way out of what is wrong at the end of the step. False: nothing was.
static bool repair(const Step* step) {
  const TriboModel* model = step->model;
  TriboWorkspace* ws = step->ws;
  const TriboProblemSet* set = &ws->problems;
  bool repaired = false;
  memset(ws->shift, 0, (size_t)model->nv * sizeof(double));
  for_each_island(step, repair_task);
  for (int i = 0; i < set->islands.count; ++i) repaired = repaired || ws->solve[i].done;
  if (!repaired) return false;
  tribo_tree_from_mass(model, &ws->tree, ws->shift);
  for (int k = 0; k < model->nv; ++k) {
    ws->displacement[k] += ws->shift[k];
    ws->lift[k] += ws->shift[k];
  }
  return true;
}

// displacement = h v
static void move_by(const Step* step, const double* v) {
  double* displacement = step->ws->displacement;
  const double h = step->options->h;
  const int nv = step->model->nv;
  TRIBO_SIMD for (int k = 0; k < nv; ++k) displacement[k] = h * v[k];
}

// Loops that still contradict each other where the rounds of the projection end.
static TriboStatus check_loops(const Step* step) {
  const TriboWorkspace* ws = step->ws;
  for (int i = 0; i < ws->problems.islands.count; ++i) {
    const TriboIslandSolve* solve = &ws->solve[i];
    if (!solve->done || solve->status != TRIBO_ERROR_INFEASIBLE) continue;
    return fail_island(step, solve->status, i, solve->info.row);
  }
  return TRIBO_OK;
}

// displacement = h v+ and what the projection adds. Rigid loops are closed where the step ends, so
// they need the poses there, and a few rounds because they are not linear.
static TriboStatus project_positions(const Step* step) {
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
    if (!repair(step)) break;
  }
  if (!loops) return TRIBO_OK;
  tribo_tree_kinematics(model, &ws->tree, step->state->q);
  return check_loops(step);
}

// Contacts as they were when the forces acted: coasting moves the bodies on.
static void collect_results(const Step* step) {
  TriboWorkspace* ws = step->ws;
  tribo_results_collect(&ws->results, step->model, &ws->problems, &ws->detection, step->options,
                        step->state->warm, step->state->warm_count);
  ws->info.touching = ws->results.touching;
}

// Whether some contact of an island carries force, or a loop may.
static bool carries_force(const TriboProblemSet* set, int island) {
  const TriboIslandProblem* p = &set->island[island];
  if (p->problem.X.count > 0) return true;
  for (int i = 0; i < p->contacts; ++i) {
    const TriboContactRows* rows = &set->contact[set->contact_order[p->first_contact + i]];
    if (rows->normal >= 0 && p->solution.f[rows->normal] > 0) return true;
  }
  return false;
}

// Trees that nothing holds move on to second order, and floating ones keep their momentum.
static void coast(const Step* step) {
  const TriboModel* model = step->model;
  TriboWorkspace* ws = step->ws;
  const TriboProblemSet* set = &ws->problems;
  for (int t = 0; t < model->ntree; ++t) {
    const int island = set->islands.of_tree[t];
    ws->hold[t] = island < 0                   ? TRIBO_TREE_FREE
                  : carries_force(set, island) ? TRIBO_TREE_HELD
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

static TriboStatus check_result(const Step* step) {
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
    return fail(step, finite ? TRIBO_ERROR_DIVERGED : TRIBO_ERROR_NOT_FINITE, TRIBO_KIND_JOINT,
                model->body[model->dof_body[k]].joint);
  }
  return TRIBO_OK;
}

// The energy, where somebody asked for it, that the projection added: the potential energy at the
// end of the step against that without its displacement.
static void weigh_lift(const Step* step) {
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
static void keep_motion(const Step* step) {
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

static void commit(const Step* step) {
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
static TriboStatus run_rk4(const Step* step) {
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
static TriboStatus solve_motion(const Step* step) {
  TriboStageTimes* times = step->ws->stages;
  for (int round = 1;; ++round) {
    tribo_stage_begin(times, TRIBO_STAGE_ASSEMBLY);
    assemble_rows(step);
    tribo_stage_begin(times, TRIBO_STAGE_SOLVE);
    TriboStatus status = solve_islands(step);
    if (status != TRIBO_OK) return status;
    if (!find_motors(step, round == 3)) return TRIBO_OK;
    tribo_stage_begin(times, TRIBO_STAGE_TREE);
    status = move_freely(step);
    if (status != TRIBO_OK) return status;
  }
}

static TriboStatus run(const Step* step) {
  TriboStatus status = check_options(step->options);
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
    status = bounce(step);
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
static double energy_of(const Step* step) {
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
  const Step step = {model, options, input, state, workspace};
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
