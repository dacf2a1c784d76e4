// SPDX-License-Identifier: Apache-2.0
//
// What a step tells of its contacts: forces, pairs, events. Sensors are in engine/sensors.c.
// Internal; the public functions are declared in engine/tribo.h.
#ifndef TRIBO_ENGINE_CONTACT_RESULTS_H_
#define TRIBO_ENGINE_CONTACT_RESULTS_H_

#include "engine/contact/assemble.h"
#include "engine/state.h"
#include "engine/tribo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboResults {
  const TriboModel* model;  // NULL: there are no results
  double h;                 // length of the step
  TriboTransform* X_WB;     // poses of the bodies when the forces acted             (nb)
  double* q;                // configuration then                                    (nq)
  double* v;                // velocity before the step                              (nv)
  double* a;                // (v+ - v)/h                                            (nv)
  double* wrench;           // the input's, per link                                 (6 links)
  TriboMode* mode;          // what holds at the end of the step                      (contacts)
  int touching;             // contacts that carry force
  int pairs;
  int* pair;  // first contact of each pair that carries force                      (contacts)
  int events;
  TriboEvent* event;  // (contacts + warm start)
  bool* seen;         // scratch: entries of the old warm start that go on          (warm start)
} TriboResults;

void tribo_results_layout(TriboResults* results, TriboArena* arena, const TriboModel* model,
                          int max_contacts);

// Collects what later queries could not know any more; X_WB was kept when contacts were found.
// `before` is the warm start that the step began with.
void tribo_results_collect(TriboResults* results, const TriboModel* model,
                           const TriboProblemSet* set, const TriboDetection* detection,
                           const TriboStepOptions* options, const TriboWarm* before,
                           int before_count);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_CONTACT_RESULTS_H_
