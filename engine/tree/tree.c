// SPDX-License-Identifier: Apache-2.0
#include "engine/tree/tree.h"

void tribo_tree_layout(TriboTree* tree, TriboArena* arena, const TriboModel* model) {
  size_t nb = (size_t)model->nb, nv = (size_t)model->nv;
  int entries = model->dof_row[model->nv];
  tree->stage = TRIBO_TREE_NOTHING;
  tree->q = tribo_arena_doubles(arena, model->nq);
  tree->added = tribo_arena_doubles(arena, model->nv);
  tree->X_WB = tribo_arena_take(arena, nb, sizeof *tree->X_WB);
  tree->offset = tribo_arena_take(arena, nb, sizeof *tree->offset);
  tree->axis = tribo_arena_take(arena, nv, sizeof *tree->axis);
  tree->inertia = tribo_arena_take(arena, nb, sizeof *tree->inertia);
  tree->V = tribo_arena_take(arena, nb, sizeof *tree->V);
  tree->composite = tribo_arena_take(arena, nb, sizeof *tree->composite);
  tree->M = tribo_arena_doubles(arena, entries);
  tree->weight = tribo_arena_doubles(arena, model->nv);
  tree->force = tribo_arena_doubles(arena, model->nv);
  tree->implicit = tribo_arena_doubles(arena, model->nv);
  tree->L = tribo_arena_doubles(arena, entries);
  tree->D_inverse = tribo_arena_doubles(arena, model->nv);
  tree->D_sqrt = tribo_arena_doubles(arena, model->nv);
  tree->D_sqrt_inverse = tribo_arena_doubles(arena, model->nv);
  tree->articulated = tribo_arena_take(arena, nb, sizeof *tree->articulated);
  tree->momentum = tribo_arena_take(arena, (size_t)model->ntree, sizeof *tree->momentum);
  tree->middle_offset = tribo_arena_take(arena, nb, sizeof *tree->middle_offset);
  tree->middle_axis = tribo_arena_take(arena, nv, sizeof *tree->middle_axis);
  tree->middle_inertia = tribo_arena_take(arena, nb, sizeof *tree->middle_inertia);
  tree->twins = tribo_arena_take(arena, nb, sizeof *tree->twins);
  tree->stage_q = tribo_arena_doubles(arena, model->nq);
  tree->stage_v = tribo_arena_doubles(arena, 5 * model->nv);
  tree->omega = tribo_arena_take(arena, nb, sizeof *tree->omega);
  tree->A = tribo_arena_take(arena, nb, sizeof *tree->A);
  tree->field = tribo_arena_take(arena, nb, sizeof *tree->field);
  tree->F = tribo_arena_take(arena, nb, sizeof *tree->F);
  tree->bias = tribo_arena_doubles(arena, model->nv);
  tree->scratch = tribo_arena_doubles(arena, model->nv);
}
