// SPDX-License-Identifier: Apache-2.0
//
// Golden trajectories: a case is a simulation and the trajectory that it must repeat.
#ifndef TRIBO_TOOLS_TRIBO_GOLDEN_H_
#define TRIBO_TOOLS_TRIBO_GOLDEN_H_

#include <jansson.h>

#include "tools/trajectory/compare.h"
#include "tools/tribo/run.h"

// One case. Texts belong to the JSON object that it was read from.
typedef struct TriboCase {
  const char* name;
  TriboRunSpec spec;
  TriboCompareOptions options;
  char golden[4096];
} TriboCase;

// Reads an entry of a manifest, {"name", "model", "duration", "controller", "key", "set": [..],
// "every", "tolerances", "by", "energy"}, whose golden file is FOLDER/NAME.npz. A key that is
// unknown or makes no sense is TRIBO_ERROR_PARSE.
TriboStatus tribo_case_read(const json_t* entry, const char* folder, TriboCase* result,
                            TriboMessage* message) TRIBO_CHECKED;
// The case that a golden file holds in its own header; `meta` is that, parsed.
TriboStatus tribo_case_of_file(const char* path, const json_t* meta, TriboCase* result,
                               TriboMessage* message) TRIBO_CHECKED;

// What became of a case.
typedef struct TriboVerdict {
  bool same;
  TriboTrajectory *golden, *now;
  TriboComparison* comparison;
} TriboVerdict;

// Simulates the case to the file `now` and compares. A step that fails, or a golden file that is
// missing, is a status with a message.
TriboStatus tribo_case_verify(const TriboCase* c, const char* now, TriboVerdict* verdict,
                              TriboMessage* message) TRIBO_CHECKED;
void tribo_verdict_destroy(TriboVerdict* verdict);

// A folder of one's own for passing files; FALSE where none can be made. And its end, with all
// files in it.
bool tribo_scratch_create(char path[4096]);
void tribo_scratch_destroy(const char* path);

#endif  // TRIBO_TOOLS_TRIBO_GOLDEN_H_
