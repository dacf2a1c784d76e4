// SPDX-License-Identifier: Apache-2.0
//
// Trajectory files: what a simulation did, step by step, in a form that NumPy reads without Tribo.
//
// A trajectory is a .npz file (a ZIP of NumPy arrays; docs/trajectories.md lists them). While it is
// recorded, its arrays grow in memory, of 32 MB as a rule, and in the folder FILE.part, each a .npy
// file of its own that is complete up to the last flush; closing packs them into FILE and removes
// the folder. A run that dies leaves
// the folder, and tribo_trajectory_open reads that as well.
//
// Row 0 is where the run started. Row k holds a state and what led to it: the inputs, contacts and
// certificate of the step that ended there. SI units; quaternions w x y z.
#ifndef TRIBO_TOOLS_TRAJECTORY_TRIBO_TRAJECTORY_H_
#define TRIBO_TOOLS_TRAJECTORY_TRIBO_TRAJECTORY_H_

#include "engine/tribo.h"

#ifdef __cplusplus
extern "C" {
#endif

// Of the file format; a reader reads all formats up to its own.
enum { TRIBO_TRAJECTORY_FORMAT = 1 };

// ---------------------------------------------------------------------------------------------------
// Recording
// ---------------------------------------------------------------------------------------------------

typedef struct TriboRecorder TriboRecorder;

typedef struct TriboRecordOptions {
  int every;               // a row for every n-th step, >= 1; events are kept of all steps. 1
  bool compress;           // deflate the arrays: smaller, slower to close and to read
  bool effort;             // keep TriboInput.effort too
  bool energy;             // keep energy and momentum too, which costs a pass over the tree
  int flush;               // rows between two flushes; 0: the first row that comes a second after
                           // the last flush makes the next. 0
  const char* source;      // where the model came from, for replay: a file or a scene
  const char* controller;  // who gave the inputs
  const char* settings;    // a JSON object of anything else worth keeping, or NULL
} TriboRecordOptions;
TRIBO_API TriboRecordOptions tribo_record_options_default(void);

// Begins a file at `path` with the present state as row 0. `step` is what the run uses. The model
// must outlive the recorder. TRIBO_ERROR_FILE, _MEMORY, _ARGUMENT.
TRIBO_API TriboStatus tribo_recorder_create(const char* path, const TriboModel* model,
                                            const TriboState* state, const TriboStepOptions* step,
                                            const TriboRecordOptions* options,
                                            TriboRecorder** recorder,
                                            TriboMessage* message) TRIBO_CHECKED;
// After every step that succeeded, with the input that it was given (NULL: none). Allocates
// nothing. TRIBO_ERROR_FILE when the disk is full; the rows up to the last flush are safe.
TRIBO_API TriboStatus tribo_recorder_step(TriboRecorder* recorder, const TriboInput* input,
                                          const TriboState* state,
                                          const TriboWorkspace* workspace) TRIBO_CHECKED;
// Makes all rows so far safe against the end of the process.
TRIBO_API TriboStatus tribo_recorder_flush(TriboRecorder* recorder) TRIBO_CHECKED;
// Packs the file and gives the recorder up, whatever the status. A path that ends in .csv gets
// comma-separated values instead, in four files.
TRIBO_API TriboStatus tribo_recorder_close(TriboRecorder* recorder,
                                           TriboMessage* message) TRIBO_CHECKED;

// ---------------------------------------------------------------------------------------------------
// Reading
// ---------------------------------------------------------------------------------------------------

enum { TRIBO_TRAJECTORY_CERTIFICATE = 9, TRIBO_TRAJECTORY_SOLVER = 8 };

// Everything that a file holds; the arrays are owned by it and mapped from the file where they can
// be. Row-major.
typedef struct TriboTrajectory {
  const char* meta;  // JSON: format, versions, model, names, options
  int nq, nv, nu;
  int64_t rows;
  const double* time;         // s                                                      (rows)
  const double* q;            //                                                        (rows x nq)
  const double* v;            //                                                        (rows x nv)
  const double* control;      // of the step that led here                              (rows x nu)
  const double* effort;       // likewise; NULL where not recorded                      (rows x nv)
  const double* certificate;  // dynamics, equality, penetration, sign, complementarity, cone,
                              // stick, direction, worst                                (rows x 9)
  const double* energy;       // kinetic and potential, J; NULL where not recorded      (rows)
  const double* momentum;     // linear, then angular about the centre of mass; NULL where not
                              // recorded                                               (rows x 6)
  const double* deepest;      // most negative gap before the step, m                   (rows)
  const int32_t* solver;      // contacts, touching, rows, islands, pivots, iterations, rung,
                              // stopped by budget                                      (rows x 8)
  // Contacts that carried force; those of row k are contact_end[k - 1] .. contact_end[k] - 1.
  const int64_t* contact_end;  //                                                       (rows)
  int64_t contacts;
  const uint64_t* contact_id;
  const int32_t* contact_shapes;  // (contacts x 2)
  const int8_t* contact_mode;     // TriboMode
  const double* contact_point;  // world, m                                           (contacts x 3)
  const double*
      contact_normal;           // from shape 0 to shape 1, world                     (contacts x 3)
  const double* contact_force;  // on shape 1, world, N                               (contacts x 3)
  const double* contact_gap;    // before the step, m
  const double* contact_slip;   // tangential speed after the step, m/s
  // Contacts that began, ended, stuck or slipped, of all steps.
  int64_t events;
  const double* event_time;  // at the end of the step, s
  const int8_t* event_type;  // TriboEventType
  const uint64_t* event_id;
  const int32_t* event_shapes;  // (events x 2)
  // Wrenches from outside (TriboInput.wrench) that are not zero; NULL in files of older versions.
  int64_t wrenches;
  const int64_t* wrench_row;   // whose step it acted in, rising
  const int32_t* wrench_link;  // rising within a row
  const double* wrench;  // force, then torque about the link frame's origin      (wrenches x 6)
  int64_t initial_size;  // bytes of
  const unsigned char* initial_state;  // tribo_state_save at the start
} TriboTrajectory;

// Opens a file, or the folder FILE.part of a run that died (named itself, or found where FILE is
// not there). The whole file is checked. TRIBO_ERROR_FILE, _PARSE, _VERSION, _MEMORY.
TRIBO_API TriboStatus tribo_trajectory_open(const char* path, TriboTrajectory** trajectory,
                                            TriboMessage* message) TRIBO_CHECKED;
TRIBO_API void tribo_trajectory_close(TriboTrajectory* trajectory);

// Writes comma-separated values: a row per recorded instant to `path`, and to the files of that
// name with "-contacts", "-events" and "-wrenches" before the ending one per contact, event and
// wrench.
TRIBO_API TriboStatus tribo_trajectory_write_csv(const TriboTrajectory* trajectory,
                                                 const char* path,
                                                 TriboMessage* message) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_TRAJECTORY_TRIBO_TRAJECTORY_H_
