// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace.h"

#include <string.h>

#include "engine/base/arena.h"
#include "engine/state.h"

TriboWorkspaceOptions tribo_workspace_options_default(void) {
  TriboWorkspaceOptions options = {0};
  return options;
}

static void layout(TriboWorkspace* ws, TriboArena* arena, const TriboModel* model) {
  (void)tribo_arena_take(arena, 1, sizeof *ws);
  tribo_tree_layout(&ws->tree, arena, model);
}

TriboStatus tribo_workspace_create(const TriboModel* model, const TriboWorkspaceOptions* options,
                                   const TriboAllocator* allocator, TriboWorkspace** workspace) {
  TriboWorkspaceOptions o = options ? *options : tribo_workspace_options_default();
  if (!model || !workspace || o.max_contacts < 0) return TRIBO_ERROR_ARGUMENT;
  TriboWorkspace ws;
  memset(&ws, 0, sizeof ws);
  ws.has_allocator = allocator != NULL;
  if (allocator) ws.allocator = *allocator;
  ws.model_hash = model->hash;
  ws.max_contacts = o.max_contacts > 0 ? o.max_contacts : tribo_model_default_contacts(model);
  TriboArena arena = tribo_arena_measure();
  layout(&ws, &arena, model);
  ws.block_size = arena.used;
  void* block = tribo_allocate(allocator, ws.block_size);
  if (!block) return TRIBO_ERROR_MEMORY;
  arena = tribo_arena_over(block, ws.block_size);
  layout(&ws, &arena, model);
  *workspace = block;
  **workspace = ws;
  return TRIBO_OK;
}

void tribo_workspace_destroy(TriboWorkspace* workspace) {
  if (!workspace) return;
  TriboAllocator copy = workspace->allocator;
  tribo_release(workspace->has_allocator ? &copy : NULL, workspace, workspace->block_size);
}
