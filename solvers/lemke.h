// SPDX-License-Identifier: Apache-2.0
//
// Lemke's algorithm on the polygonal contact problem, using its structure ([Lloyd2005] sections V,
// VI). Internal; tribo_contact_solve (solve.h) is what the engine calls.
#ifndef TRIBO_SOLVERS_LEMKE_H_
#define TRIBO_SOLVERS_LEMKE_H_

#include "solvers/scaled.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TriboLemke TriboLemke;

typedef enum TriboLemkeForm {
  TRIBO_LEMKE_REDUCED = 0,  // friction of a contact exists only while it pushes (section VI)
  TRIBO_LEMKE_STRUCTURAL,   // the whole problem from the start (section V)
} TriboLemkeForm;

// Directions of friction of the groups with two rows, in place of the regular polygon's; they must
// surround the origin.
enum { TRIBO_LEMKE_EXTRA = 24 };  // beside those of the capacity
typedef struct TriboPolygons {
  int room;           // for each group: the capacity's facets and TRIBO_LEMKE_EXTRA
  int* count;         // by group
  double* direction;  // (cos, sin), room for each group
} TriboPolygons;

typedef struct TriboLemkeOptions {
  TriboLemkeForm form;
  uint64_t hash;      // seed of the covering vector
  double harris;      // slack of the ratio test, relative to the velocity scale; 1e-10
  double compliance;  // added to every unit normal row; 0, or 1e-12 on one rung of the ladder
  bool fine;          // in twice the precision from the start; otherwise where it turns out to need
                      // it, and on few coordinates only
  int max_pivots;     // at most 20 (normals + groups) + 200; 0: that many
  const TriboPolygons* polygons;  // NULL: regular ones, as the groups have them
  // A similar problem's answer by this algorithm, from which to begin instead of from nothing; may
  // be the solution itself (x is not read; y NULL: what its impulses make of k). NULL: cold.
  const TriboContactSolution* warm;
} TriboLemkeOptions;

typedef struct TriboLemkeResult {
  int pivots;
  int basis;  // largest system solved: unknowns beyond the eliminated ones
  int row;    // of X, where the status is TRIBO_ERROR_INFEASIBLE
} TriboLemkeResult;

// NULL while measuring or when the arena is full.
TriboLemke* tribo_lemke_init(TriboArena* arena, TriboSolverCapacity capacity);

// Solves a scaled problem and writes impulses in the problem's own units (y too). TRIBO_ERROR_RAY,
// TRIBO_ERROR_LIMIT (pivots), TRIBO_ERROR_SINGULAR (a basis lost to rounding, or a warm start whose
// impulses are not those of a basis),
// TRIBO_ERROR_CAPACITY, TRIBO_ERROR_INFEASIBLE (equality rows that contradict each other;
// result->row); the solution is then not written.
TriboStatus tribo_lemke_solve(TriboLemke* lemke, const TriboScaled* scaled,
                              const TriboLemkeOptions* options, TriboContactSolution* solution,
                              TriboLemkeResult* result) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_SOLVERS_LEMKE_H_
