// SPDX-License-Identifier: Apache-2.0
//
// What each stage of a step takes, for those who measure: a workspace with a clock (`stages` of
// engine/workspace.h) adds up the seconds of every stage. Without one, which is how workspaces are
// made, a stage costs one comparison. No result depends on the clock. Internal.
#ifndef TRIBO_ENGINE_STAGES_H_
#define TRIBO_ENGINE_STAGES_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TriboStage {
  TRIBO_STAGE_REST = 0,    // checks, results, sensors, commit
  TRIBO_STAGE_TREE,        // kinematics, mass matrix, free velocity, coasting
  TRIBO_STAGE_COLLISION,   // broad and narrow phase
  TRIBO_STAGE_ASSEMBLY,    // rows and islands
  TRIBO_STAGE_SOLVE,       // impulses, those of impacts too
  TRIBO_STAGE_PROJECTION,  // of positions
  TRIBO_STAGE_COUNT,
} TriboStage;

typedef struct TriboStageTimes {
  double (*clock)(void);  // s
  double seconds[TRIBO_STAGE_COUNT];
  TriboStage stage;  // the one that runs, ...
  double since;      // ... since when
} TriboStageTimes;

// The time since the last call is that of the stage that ran, and `stage` begins.
static inline void tribo_stage_begin(TriboStageTimes* times, TriboStage stage) {
  if (times == NULL) return;
  const double now = times->clock();
  times->seconds[times->stage] += now - times->since;
  times->stage = stage;
  times->since = now;
}

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_STAGES_H_
