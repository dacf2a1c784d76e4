// SPDX-License-Identifier: Apache-2.0
//
// The insides of TriboState: exactly what decides the next step. Internal.
#ifndef TRIBO_ENGINE_STATE_H_
#define TRIBO_ENGINE_STATE_H_

#include "engine/model/model.h"
#include "engine/tribo.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a step remembers of a contact, a limit, a dry joint or a loop, for the next one's first
// guess.
typedef struct TriboWarm {
  uint64_t id;        // stable from step to step; what kind of row it is of is part of it
  double impulse[6];  // normal, tangents, torsion, rolling; or up to six rows of a loop, N s, N m s
  int32_t mode;       // TriboMode; of a contact of its tangents
  int32_t spin;       // of a contact: mode of its torsion, and of its rolling << 2
  int32_t shown;      // of a contact: the mode that the results showed, for events
  int32_t zero;       // fills the struct, so that equal entries are equal bytes
  int32_t shape[2];   // of a contact, otherwise -1
} TriboWarm;

struct TriboState {
  TriboAllocator allocator;
  bool has_allocator;
  size_t block_size;
  uint64_t model_hash;
  int nq, nv;

  double time;
  double* q;  // (nq)
  double* v;  // (nv)
  int warm_count, warm_capacity;
  TriboWarm* warm;  // in the order the step wrote them                       (warm_capacity)
};

// How many contacts a model's workspaces hold when nobody says otherwise.
int tribo_model_default_contacts(const TriboModel* model);
// How many entries of warm start a model's states hold.
int tribo_state_warm_capacity(const TriboModel* model);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_STATE_H_
