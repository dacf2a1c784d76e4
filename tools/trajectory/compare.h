// SPDX-License-Identifier: Apache-2.0
//
// Two trajectories of one model: how far they are apart, where they first part, and whether that is
// within tolerances.
//
// Positions are compared on the manifold (tribo_q_difference), forces by the resultant per pair of
// shapes, because the split between redundant contacts is nobody's business. Contact events (begin,
// end, stick, slip) are compared as a sequence.
#ifndef TRIBO_TOOLS_TRAJECTORY_COMPARE_H_
#define TRIBO_TOOLS_TRAJECTORY_COMPARE_H_

#include "tools/trajectory/tribo_trajectory.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TriboQuantity {
  TRIBO_QUANTITY_Q = 0,     // m, rad; per velocity coordinate
  TRIBO_QUANTITY_V,         // m/s, rad/s
  TRIBO_QUANTITY_CONTROL,   // the actuators' units
  TRIBO_QUANTITY_FORCE,     // N; per pair of shapes
  TRIBO_QUANTITY_ENERGY,    // J; where both files have it
  TRIBO_QUANTITY_MOMENTUM,  // N s, N m s; where both files have it
  TRIBO_QUANTITY_TIME,      // s: shift between the same events
  TRIBO_QUANTITY_EVENTS,    // how many events may be there in one file only
  TRIBO_QUANTITY_COUNT,
} TriboQuantity;

const char* tribo_quantity_name(TriboQuantity quantity);

// A difference d between a and b is within where |d| <= absolute + relative max(|a|, |b|).
typedef struct TriboTolerance {
  double absolute, relative;
} TriboTolerance;

// Which rows of the two files belong together.
typedef enum TriboAlign {
  TRIBO_ALIGN_TIME = 0,  // those of the same time
  TRIBO_ALIGN_EVENTS,    // those at which the same contact event happens
} TriboAlign;

// What is looked at.
typedef enum TriboCompareBy {
  TRIBO_BY_POINTS = 0,  // every number at every time
  TRIBO_BY_INVARIANTS,  // energy and momentum at every time, events by their number, q and v at the
                        // end: what still means something where a motion is chaotic
} TriboCompareBy;

typedef struct TriboCompareOptions {
  TriboTolerance tolerance[TRIBO_QUANTITY_COUNT];  // all 0: the same numbers
  TriboAlign align;
  TriboCompareBy by;
} TriboCompareOptions;

// Reads "q=1e-9,v=1e-6:1e-3,force=0.1": quantity = absolute, or absolute:relative. FALSE with *bad
// at what makes no sense.
bool tribo_tolerances_parse(const char* text, TriboCompareOptions* options, const char** bad);

enum { TRIBO_COMPARE_BINS = 400, TRIBO_COMPARE_EDITS = 32 };

// One quantity over all rows that were compared.
typedef struct TriboDifference {
  bool compared;
  double worst;        // largest difference
  double worst_ratio;  // largest difference / what its tolerance allows; infinite where that is 0
  double worst_time;
  int worst_index;    // coordinate, or shape 0 of a force
  int worst_index2;   // shape 1 of a force
  bool exceeded;      // a difference is beyond its tolerance, first:
  double first_time;  //
  int first_index, first_index2;
  double first_error, first_ratio;  // the largest at that time; over what its tolerance allows
  double bin[TRIBO_COMPARE_BINS];   // largest difference in each part of the time compared
} TriboDifference;

// An event that is in one file only.
typedef struct TriboEventEdit {
  bool in_a;
  int64_t index;  // in its file
} TriboEventEdit;

typedef struct TriboComparison {
  bool same;
  char reason[256];  // why not
  int64_t rows;      // pairs of rows compared
  double start, end;
  TriboDifference quantity[TRIBO_QUANTITY_COUNT];
  double* q_worst;                           // per velocity coordinate                        (nv)
  double* q_curve;                           // largest in each bin     (nv x TRIBO_COMPARE_BINS)
  double* v_worst;                           //                                                (nv)
  double* control_worst;                     //                                                (nu)
  int64_t edits;                             // events in one file only
  TriboEventEdit edit[TRIBO_COMPARE_EDITS];  // the first of them
} TriboComparison;

// TRIBO_ERROR_VERSION: not of one model (other joints or actuators); TRIBO_ERROR_ARGUMENT: no two
// rows belong together; TRIBO_ERROR_MEMORY. The models' hashes may differ: comparing a changed
// model with the old one is what this is for.
TriboStatus tribo_trajectory_compare(const TriboTrajectory* a, const TriboTrajectory* b,
                                     const TriboCompareOptions* options,
                                     TriboComparison** comparison,
                                     TriboMessage* message) TRIBO_CHECKED;
void tribo_comparison_destroy(TriboComparison* comparison);

// The quantity that is beyond its tolerance first, or -1.
int tribo_comparison_first(const TriboComparison* comparison);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_TOOLS_TRAJECTORY_COMPARE_H_
