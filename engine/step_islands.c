// SPDX-License-Identifier: Apache-2.0
//
// The stages of a step that take one island after the other: impulses, impacts, projection. Islands
// share no row and no coordinate, so they may run on several threads; a thread has its own solver
// memory, and what an island reports goes to its own place (ws->solve), to be summed in the order
// of islands.
#include <string.h>

#include "engine/base/pool.h"
#include "engine/contact/impact.h"
#include "engine/contact/project.h"
#include "engine/contact/solve_island.h"
#include "engine/contact/warm.h"
#include "engine/step.h"

static void for_each_island(const TriboStepCall* step, TriboPoolTask* task) {
  tribo_pool_run(step->ws->pool, step->options->threads, step->ws->problems.islands.count, task,
                 (void*)step);
}

// A failure about an island: named by the loop that has the equality row `row`, or where that is -1
// by the link that moves its first tree.
static TriboStatus fail_island(const TriboStepCall* step, TriboStatus status, int island, int row) {
  const TriboModel* model = step->model;
  const TriboProblemSet* set = &step->ws->problems;
  for (int l = 0; l < set->loops && row >= 0; ++l) {
    const TriboLoopRows* loop = &set->loop[l];
    if (loop->island != island || row < loop->row || row >= loop->row + loop->frame.rows) continue;
    return tribo_step_fail(step, status, TRIBO_KIND_LOOP, l);
  }
  const int tree = set->islands.tree[set->islands.first[island]];
  const TriboBody* root = &model->body[model->dof_body[model->tree_dof[tree]]];
  return tribo_step_fail(step, status, TRIBO_KIND_LINK, model->source->joint[root->joint].child);
}

// ---- impulses

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
static TriboStatus solve_one(const TriboStepCall* step, TriboIslandProblem* island,
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
  const TriboStepCall* step = (const TriboStepCall*)context;
  TriboWorkspace* ws = step->ws;
  TriboIslandProblem* island = &ws->problems.island[index];
  TriboIslandSolve* solve = &ws->solve[index];
  solve->status = solve_one(step, island, ws->capsule_warm ? &island->warm : NULL,
                            &ws->scratch[worker], &solve->info);
}

TriboStatus tribo_step_solve_islands(const TriboStepCall* step) {
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

// ---- impacts

static void bounce_task(void* context, int index, int worker) {
  const TriboStepCall* step = (const TriboStepCall*)context;
  TriboWorkspace* ws = step->ws;
  TriboProblemSet* set = &ws->problems;
  TriboIslandSolve* solve = &ws->solve[index];
  memset(solve, 0, sizeof *solve);
  solve->done = tribo_impact_happens(set, &ws->detection, step->options, index, ws->shift);
  if (!solve->done) return;
  solve->status = tribo_impact(set, &ws->detection, step->options, index, ws->shift,
                               &ws->scratch[worker], &solve->info);
}

TriboStatus tribo_step_bounce(const TriboStepCall* step) {
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

// ---- projection

static void repair_task(void* context, int index, int worker) {
  const TriboStepCall* step = (const TriboStepCall*)context;
  TriboWorkspace* ws = step->ws;
  TriboIslandSolve* solve = &ws->solve[index];
  solve->done = tribo_project_needed(&ws->problems, index, step->options, &ws->defects);
  if (!solve->done) return;
  // A projection that fails leaves the defect for the next step, but for loops that no step closes.
  solve->status = tribo_project(&ws->problems, index, step->options, &ws->defects,
                                &ws->scratch[worker], ws->shift, &solve->info.row);
}

bool tribo_step_repair(const TriboStepCall* step) {
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

TriboStatus tribo_step_check_loops(const TriboStepCall* step) {
  const TriboWorkspace* ws = step->ws;
  for (int i = 0; i < ws->problems.islands.count; ++i) {
    const TriboIslandSolve* solve = &ws->solve[i];
    if (!solve->done || solve->status != TRIBO_ERROR_INFEASIBLE) continue;
    return fail_island(step, solve->status, i, solve->info.row);
  }
  return TRIBO_OK;
}

bool tribo_step_carries_force(const TriboProblemSet* set, int island) {
  const TriboIslandProblem* p = &set->island[island];
  if (p->problem.X.count > 0) return true;
  for (int i = 0; i < p->contacts; ++i) {
    const TriboContactRows* rows = &set->contact[set->contact_order[p->first_contact + i]];
    if (rows->normal >= 0 && p->solution.f[rows->normal] > 0) return true;
  }
  return false;
}
