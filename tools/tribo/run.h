// SPDX-License-Identifier: Apache-2.0
//
// One simulation from its description to its summary: what simulate, record and verify share.
#ifndef TRIBO_TOOLS_TRIBO_RUN_H_
#define TRIBO_TOOLS_TRIBO_RUN_H_

#include <jansson.h>

#include "engine/tribo.h"
#include "models/tribo_models.h"
#include "tools/controllers/controllers.h"
#include "tools/tribo/load_options.h"

enum { TRIBO_RUN_SETTINGS = 64 };

// What to simulate. Strings are the caller's.
typedef struct TriboRunSpec {
  const char* model;        // a file, or SCENE or SCENE:KEY=VALUE,KEY=VALUE of the library
  TriboLoadArguments load;  // how a file is read
  const char* controller;   // or "none"
  const char* key;    // the file's keyframe to start from; NULL: the first, where there is one
  double duration;    // s
  int setting_count;  // KEY=VALUE: a step option, otherwise the controller's
  const char* setting[TRIBO_RUN_SETTINGS];
  const char* out;  // trajectory file, or NULL
  int every;        // rows of every n-th step
  bool compress, energy;
  bool progress;  // on stderr, where that is a terminal
} TriboRunSpec;
TriboRunSpec tribo_run_spec_default(void);

// A model with everything that a step needs.
typedef struct TriboRun {
  TriboScene* scene;
  TriboModel* model;
  TriboState* state;
  TriboWorkspace *workspace, *scratch;
  TriboStepOptions options;
  const TriboController* controller;  // NULL: none
  void* self;                         // of the controller
  double* control;                    // nu
  double* effort;                     // nv, the caller's, recorded too; NULL: none
  double* wrench;                     // 6 links, likewise
  int warnings;                       // of the model's reader
} TriboRun;

// Loads the model, puts it at its start and applies the settings. On failure the message says what
// is wrong and `run` needs no destroy.
TriboStatus tribo_run_create(const TriboRunSpec* spec, TriboRun* run,
                             TriboMessage* message) TRIBO_CHECKED;
void tribo_run_destroy(TriboRun* run);

// How a simulation went.
typedef struct TriboRunSummary {
  long steps;
  double simulated, wall;         // s
  int most_found, most_touching;  // contacts within the margin; those that carry force
  double worst_certificate;
  double deepest_start;  // most negative gap that the scene starts with, m
  double deepest;        // that a step has left, m
  double stick_slip;     // largest tangential speed of a contact that sticks, m/s
  double slide_speed;    // of one that slides
  double energy_start, energy_end;
  double speed_end;  // largest velocity coordinate at the end, m/s or rad/s
  long fallbacks;    // steps that needed more than a warm or cold solve
  long budget_stops;
  long relaxed;  // steps whose certificate is of a relaxed problem (TriboStepInfo)
  bool interrupted;
  int signal;
  TriboStatus status;  // of the step that ended it early
} TriboRunSummary;

// Simulates, records where the spec says so. A step that fails ends it: the summary has its status,
// the message the details, and the trajectory what there is. SIGINT and SIGTERM end it likewise.
// The returned status is that of files and controller.
TriboStatus tribo_run_simulate(const TriboRunSpec* spec, TriboRun* run, TriboRunSummary* summary,
                               TriboMessage* message) TRIBO_CHECKED;

// The summary as one JSON object, and as the table that people read.
json_t* tribo_run_summary_json(const TriboRun* run, const TriboRunSummary* summary);
void tribo_run_summary_print(const TriboRun* run, const TriboRunSummary* summary);

#endif  // TRIBO_TOOLS_TRIBO_RUN_H_
