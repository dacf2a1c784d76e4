// SPDX-License-Identifier: Apache-2.0
#include "engine/contact/warm.h"

#include <math.h>
#include <string.h>

void tribo_warm_layout(TriboWarmIndex* index, TriboArena* arena, const TriboModel* model) {
  const int entries = tribo_state_warm_capacity(model);
  int capacity = 16;
  while (capacity < 2 * entries) capacity *= 2;
  index->capacity = capacity;
  index->slot = tribo_arena_ints(arena, capacity);
}

// ---- finding

typedef struct Search {
  const TriboWarm* warm;
  int count;
  int next;  // where the search goes on when the order is the old one
  int size;  // slots in use, 0: the table is not built
  int* slot;
} Search;

static void build_table(Search* search) {
  search->size = 16;
  while (search->size < 2 * search->count) search->size *= 2;
  for (int s = 0; s < search->size; ++s) search->slot[s] = -1;
  for (int e = 0; e < search->count; ++e) {
    unsigned at = (unsigned)search->warm[e].id & (unsigned)(search->size - 1);
    while (search->slot[at] >= 0) at = (at + 1) & (unsigned)(search->size - 1);
    search->slot[at] = e;
  }
}

// The entry with this id, or NULL. Contacts mostly come in the order of the step before.
static const TriboWarm* find(Search* search, uint64_t id) {
  if (search->next < search->count && search->warm[search->next].id == id) {
    return &search->warm[search->next++];
  }
  if (search->size == 0) build_table(search);
  for (unsigned at = (unsigned)id & (unsigned)(search->size - 1); search->slot[at] >= 0;
       at = (at + 1) & (unsigned)(search->size - 1)) {
    const int entry = search->slot[at];
    if (search->warm[entry].id == id) {
      search->next = entry + 1;
      return &search->warm[entry];
    }
  }
  return NULL;
}

static void read_modes(const TriboContactRows* rows, const TriboWarm* entry,
                       TriboContactSolution* warm) {
  warm->mode_N[rows->normal] = TRIBO_MODE_STICK;
  if (rows->group < 0) return;
  int next = rows->group;
  warm->mode_g[next++] = (TriboMode)entry->mode;
  if (rows->torsion >= 0) warm->mode_g[next++] = (TriboMode)(entry->spin & 3);
  if (rows->rolling >= 0) warm->mode_g[next] = (TriboMode)(entry->spin >> 2);
}

static void write_modes(const TriboContactRows* rows, const TriboContactSolution* s,
                        TriboWarm* entry) {
  entry->mode = TRIBO_MODE_SLIDE;
  if (rows->group < 0) return;
  entry->mode = (int32_t)s->mode_g[rows->group];
  int next = rows->group + 1;
  if (rows->torsion >= 0) entry->spin |= (int32_t)s->mode_g[next++];
  if (rows->rolling >= 0) entry->spin |= (int32_t)s->mode_g[next] << 2;
}

int tribo_warm_load(TriboWarmIndex* index, TriboProblemSet* set, const TriboWarm* warm, int count) {
  for (int i = 0; i < set->islands.count; ++i) {
    TriboIslandProblem* island = &set->island[i];
    for (int r = 0; r < island->problem.N.count; ++r) island->warm.mode_N[r] = TRIBO_MODE_SEPARATE;
    for (int g = 0; g < island->problem.ng; ++g) island->warm.mode_g[g] = TRIBO_MODE_SEPARATE;
    memset(island->warm.x, 0, (size_t)island->problem.X.count * sizeof(double));
    memset(island->warm.f, 0, (size_t)island->problem.N.count * sizeof(double));
    memset(island->warm.t, 0, (size_t)island->problem.T.count * sizeof(double));
  }
  if (count == 0) return 0;
  Search search = {warm, count, 0, 0, index->slot};
  int found = 0;
  for (int j = 0; j < set->joint.count; ++j) {
    const TriboJointRow* row = &set->joint.row[j];
    const TriboWarm* entry = find(&search, row->id);
    if (entry == NULL) continue;
    TriboIslandProblem* island = &set->island[set->islands.of_tree[row->tree]];
    const bool is_friction = row->kind > TRIBO_JOINT_ROW_UPPER;
    (is_friction ? island->warm.t : island->warm.f)[row->row] = entry->impulse[0];
    if (is_friction) {
      island->warm.mode_g[row->group] = (TriboMode)entry->mode;
    } else {
      island->warm.mode_N[row->row] = TRIBO_MODE_STICK;
    }
    ++found;
  }
  for (int l = 0; l < set->loops; ++l) {
    const TriboLoopRows* loop = &set->loop[l];
    const TriboWarm* entry = loop->island >= 0 ? find(&search, loop->id) : NULL;
    if (entry == NULL) continue;
    double* x = set->island[loop->island].warm.x + loop->row;
    memcpy(x, entry->impulse, (size_t)loop->frame.rows * sizeof *x);
    ++found;
  }
  for (int i = 0; i < set->islands.count; ++i) {
    TriboIslandProblem* island = &set->island[i];
    for (int c = 0; c < island->contacts; ++c) {
      TriboContactRows* rows = &set->contact[set->contact_order[island->first_contact + c]];
      const TriboWarm* entry = find(&search, rows->id);
      if (entry == NULL) continue;
      rows->before = (int)(entry - warm);
      island->warm.f[rows->normal] = entry->impulse[0];
      for (int r = 0; r < 2; ++r) {
        if (rows->tangent >= 0) island->warm.t[rows->tangent + r] = entry->impulse[1 + r];
        if (rows->rolling >= 0) island->warm.t[rows->rolling + r] = entry->impulse[4 + r];
      }
      if (rows->torsion >= 0) island->warm.t[rows->torsion] = entry->impulse[3];
      read_modes(rows, entry, &island->warm);
      ++found;
    }
  }
  return found;
}

// ---- storing

static TriboWarm* append(TriboWarm* warm, int* count, uint64_t id) {
  TriboWarm* entry = &warm[(*count)++];
  memset(entry, 0, sizeof *entry);
  entry->id = id;
  entry->shape[0] = entry->shape[1] = -1;
  return entry;
}

int tribo_warm_store(const TriboProblemSet* set, const TriboDetection* detection,
                     const TriboMode* shown, TriboWarm* warm, int capacity) {
  int count = 0;
  for (int j = 0; j < set->joint.count && count < capacity; ++j) {
    const TriboJointRow* row = &set->joint.row[j];
    const TriboContactSolution* s = &set->island[set->islands.of_tree[row->tree]].solution;
    const bool is_friction = row->kind > TRIBO_JOINT_ROW_UPPER;
    const TriboMode mode = is_friction ? s->mode_g[row->group] : s->mode_N[row->row];
    if (mode == TRIBO_MODE_SEPARATE) continue;
    // A motor that left its limit is no row in the next step.
    if (row->kind == TRIBO_JOINT_ROW_MOTOR && fabs(s->t[row->row]) < row->bound * (1 - 1e-9))
      continue;
    TriboWarm* entry = append(warm, &count, row->id);
    entry->impulse[0] = is_friction ? s->t[row->row] : s->f[row->row];
    entry->mode = (int32_t)mode;
  }
  for (int l = 0; l < set->loops && count < capacity; ++l) {
    const TriboLoopRows* loop = &set->loop[l];
    if (loop->island < 0) continue;
    const double* x = set->island[loop->island].solution.x + loop->row;
    TriboWarm* entry = append(warm, &count, loop->id);
    memcpy(entry->impulse, x, (size_t)loop->frame.rows * sizeof *x);
    entry->mode = TRIBO_MODE_STICK;
  }
  for (int i = 0; i < set->islands.count; ++i) {
    const TriboIslandProblem* island = &set->island[i];
    const TriboContactSolution* s = &island->solution;
    for (int c = 0; c < island->contacts && count < capacity; ++c) {
      const int contact = set->contact_order[island->first_contact + c];
      const TriboContactRows* rows = &set->contact[contact];
      if (s->mode_N[rows->normal] == TRIBO_MODE_SEPARATE) continue;
      TriboWarm* entry = append(warm, &count, rows->id);
      entry->shape[0] = detection->contact[contact].shape0;
      entry->shape[1] = detection->contact[contact].shape1;
      entry->shown = (int32_t)shown[contact];
      write_modes(rows, s, entry);
      entry->impulse[0] = s->f[rows->normal];
      for (int r = 0; r < 2; ++r) {
        if (rows->tangent >= 0) entry->impulse[1 + r] = s->t[rows->tangent + r];
        if (rows->rolling >= 0) entry->impulse[4 + r] = s->t[rows->rolling + r];
      }
      if (rows->torsion >= 0) entry->impulse[3] = s->t[rows->torsion];
    }
  }
  return count;
}
