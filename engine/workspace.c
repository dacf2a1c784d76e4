// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace.h"

#include <string.h>

#include "engine/base/arena.h"
#include "engine/contact/impact.h"
#include "engine/contact/project.h"
#include "engine/contact/solve_island.h"
#include "engine/state.h"

TriboWorkspaceOptions tribo_workspace_options_default(void) {
  TriboWorkspaceOptions options = {0};
  return options;
}

static void layout(TriboWorkspace* ws, TriboArena* arena, const TriboModel* model) {
  (void)tribo_arena_take(arena, 1, sizeof *ws);
  tribo_tree_layout(&ws->tree, arena, model);
  ws->motor = tribo_arena_take(arena, (size_t)model->nu, sizeof *ws->motor);
  ws->u = tribo_arena_doubles(arena, model->nv);
  ws->y = tribo_arena_doubles(arena, model->nv);
  tribo_detection_layout(&ws->detection, arena, model, ws->max_contacts);
  tribo_problems_layout(&ws->problems, arena, model, ws->max_contacts);
  tribo_warm_layout(&ws->warm_index, arena, model);
  tribo_defects_layout(&ws->defects, arena, &ws->problems);
  ws->solve = tribo_arena_take(arena, (size_t)model->ntree, sizeof *ws->solve);
  ws->dy = tribo_arena_doubles(arena, ws->problems.max_y);
  ws->shift = tribo_arena_doubles(arena, model->nv);
  ws->displacement = tribo_arena_doubles(arena, model->nv);
  ws->lift = tribo_arena_doubles(arena, model->nv);
  ws->spin = tribo_arena_doubles(arena, model->nv);
  ws->hold = tribo_arena_take(arena, (size_t)model->ntree, sizeof *ws->hold);
  ws->v_next = tribo_arena_doubles(arena, model->nv);
  ws->q_next = tribo_arena_doubles(arena, model->nq);
  ws->q_unlifted = tribo_arena_doubles(arena, model->nq);
  tribo_results_layout(&ws->results, arena, model, ws->max_contacts);
  // The solvers and the projection run one after the other in the same memory.
  const size_t solve = tribo_island_scratch(&ws->problems) + tribo_impact_scratch(&ws->problems);
  const size_t project = tribo_project_scratch(&ws->problems, model);
  const size_t size = solve > project ? solve : project;
  for (int i = 0; i < ws->threads; ++i) {
    ws->scratch[i] = tribo_arena_over(tribo_arena_take(arena, size, 1), size);
  }
}

TriboStatus tribo_workspace_create(const TriboModel* model, const TriboWorkspaceOptions* options,
                                   const TriboAllocator* allocator, TriboWorkspace** workspace) {
  TriboWorkspaceOptions o = options ? *options : tribo_workspace_options_default();
  if (!model || !workspace || o.max_contacts < 0) return TRIBO_ERROR_ARGUMENT;
  if (o.threads < 0 || o.threads > TRIBO_MAX_THREADS) return TRIBO_ERROR_ARGUMENT;
  TriboWorkspace ws;
  memset(&ws, 0, sizeof ws);
  ws.has_allocator = allocator != NULL;
  if (allocator) ws.allocator = *allocator;
  ws.model_hash = model->hash;
  ws.capsule = -1;
  ws.max_contacts = o.max_contacts > 0 ? o.max_contacts : tribo_model_default_contacts(model);
  ws.threads = o.threads > 1 ? o.threads : 1;
  TriboArena arena = tribo_arena_measure();
  layout(&ws, &arena, model);
  ws.block_size = arena.used;
  void* block = tribo_allocate(allocator, ws.block_size);
  if (!block) return TRIBO_ERROR_MEMORY;
  arena = tribo_arena_over(block, ws.block_size);
  layout(&ws, &arena, model);
  if (ws.threads > 1) {
    const TriboStatus status = tribo_pool_create(ws.threads, allocator, &ws.pool);
    if (status != TRIBO_OK) {
      tribo_release(allocator, block, ws.block_size);
      return status;
    }
  }
  *workspace = block;
  **workspace = ws;
  return TRIBO_OK;
}

void tribo_workspace_destroy(TriboWorkspace* workspace) {
  if (!workspace) return;
  tribo_pool_destroy(workspace->pool);
  TriboAllocator copy = workspace->allocator;
  tribo_release(workspace->has_allocator ? &copy : NULL, workspace, workspace->block_size);
}
