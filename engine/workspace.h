// SPDX-License-Identifier: Apache-2.0
//
// The insides of TriboWorkspace: scratch memory, one block sized at creation. What it holds between
// two calls changes no bit of any result. Internal.
#ifndef TRIBO_ENGINE_WORKSPACE_H_
#define TRIBO_ENGINE_WORKSPACE_H_

#include "engine/base/pool.h"
#include "engine/contact/assemble.h"
#include "engine/contact/detect.h"
#include "engine/contact/project.h"
#include "engine/contact/results.h"
#include "engine/contact/solve_island.h"
#include "engine/contact/warm.h"
#include "engine/stages.h"
#include "engine/tree/tree.h"
#include "engine/tribo.h"

#ifdef __cplusplus
extern "C" {
#endif

// How an island went in one stage of the step.
typedef struct TriboIslandSolve {
  bool done;  // the stage had something to do
  TriboStatus status;
  TriboIslandInfo info;
} TriboIslandSolve;

struct TriboWorkspace {
  TriboAllocator allocator;
  bool has_allocator;
  size_t block_size;
  uint64_t model_hash;
  int max_contacts;
  int threads;
  TriboPool* pool;          // NULL with one thread
  TriboStageTimes* stages;  // of whoever measures; NULL: nobody does

  TriboTree tree;

  // one step, in its order (engine/step.c)
  bool* motor;               // actuators at their effort limit, taken as rows           (nu)
  double* u;                 // velocity without constraint impulses                     (nv)
  double* y;                 // the same in mass coordinates, then after the solve       (nv)
  TriboDetection detection;  // contacts
  TriboProblemSet problems;  // rows by island
  TriboWarmIndex warm_index;
  TriboDefects defects;     // what the projection has to repair
  TriboIslandSolve* solve;  // how every island went                                (trees)
  double* dy;               // velocity of an island, mass coordinates (engine/forward.c)
  double* shift;            // projection of all islands                                (nv)
  double* displacement;     // h v+ and the position projection                         (nv)
  double* lift;             // the position projection alone                            (nv)
  double* spin;             // what keeps the energy of spinning loose bodies, part of u       (nv)
  TriboTreeHold* hold;      // what the rows do to the trees                            (trees)
  double* v_next;           // (nv)
  double* q_next;           // (nq)
  double* q_unlifted;       // without the position projection                          (nq)
  TriboArena scratch[TRIBO_MAX_THREADS];  // memory of the solvers, of each thread

  // how the last step went
  TriboStepInfo info;
  TriboResults results;
  TriboStepOptions options;  // that it was asked for
  int capsule;               // island that a capsule shows, -1: none
  TriboRung capsule_rung;
  bool capsule_warm;  // it was solved from its warm start
};

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_WORKSPACE_H_
