// SPDX-License-Identifier: Apache-2.0
//
// From contacts, joints and loops to contact problems in mass coordinates, one per island.
// Internal. engine/README.md has the formulas.
#ifndef TRIBO_ENGINE_CONTACT_ASSEMBLE_H_
#define TRIBO_ENGINE_CONTACT_ASSEMBLE_H_

#include "engine/contact/detect.h"
#include "engine/contact/islands.h"
#include "engine/contact/joint_rows.h"
#include "engine/contact/loop.h"
#include "engine/tree/tree.h"
#include "solvers/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

// A gap below this counts as closed, m. Where many contacts hold a body, gaps that second-order
// terms leave open differ by less; closed within one step they would contradict each other, and
// sticking contacts would creep at gap/h.
static const double kTriboClosedGap = 1e-8;

// What a contact has become. Row numbers are those of its island's problem; -1: none.
typedef struct TriboContactRows {
  uint64_t id;       // stable from step to step: a hash of the shapes and features
  TriboVec3 point;   // where its force acts: the contact's point, moved along the normal
  TriboVec3 t1, t2;  // tangents; the normal is the contact's
  const TriboSurface* surface;
  int island;
  int normal;   // row of N; -1: left out (Anitescu-Potra takes only what touches)
  int tangent;  // first of two rows of T, their group is `group`
  int torsion;  // row of T about the normal, its group comes next
  int rolling;  // first of two rows of T about the tangents, their group comes last
  int group;    // first group
  int before;   // its entry in the warm start, -1: it had no impulse in the step before
} TriboContactRows;

// What a loop has become.
typedef struct TriboLoopRows {
  uint64_t id;
  int island;            // -1: it joins nothing that moves
  int row;               // first row of X
  bool rigid;            // without compliance: the projection keeps it closed
  TriboLoopFrame frame;  // at the start of the step
} TriboLoopRows;

// One island: views into the arrays of the set. Rows of X are loops; in N and T joint rows
// come before contacts.
typedef struct TriboIslandProblem {
  int first_contact, contacts;  // in contact_order
  int first_joint, joints;      // in joint_order
  int first_loop, loops;        // in loop_order
  int dofs;                     // coordinates that are not private
  TriboContactProblem problem;
  TriboContactSolution solution;
  TriboContactSolution reported;  // what results show: the solution, or the total of an impact
  TriboContactSolution total;     // memory for it
  TriboContactSolution warm;      // impulses and modes to start from; y is not used
  double* b_N;                    // the targets that problem.b_N shows
} TriboIslandProblem;

// Rows of one kind, of all islands one after the other.
typedef struct TriboRowPool {
  int capacity;       // rows, and one more for every island
  int rows, entries;  // used so far; `rows` counts one more for every island (its last start)
  int* start;
  int* index;
  double* value;
  double* target;
  double* impulse;
  double* warm;
  double* total;  // of an impact
} TriboRowPool;

typedef struct TriboProblemSet {
  // sizes, from the layout
  int max_contacts, max_path;
  int max_y;  // coordinates of all islands, private ones included
  int max_groups;
  bool has_spin;    // some pair of materials has torsional or rolling friction
  bool has_bounce;  // some pair has restitution

  TriboIslands islands;
  const int* tree_dof;  // the model's
  int* tree_shift;      // from a dof of the tree to its island's coordinate (trees)

  TriboContactRows* contact;  // by contact of the detection                 (max_contacts)
  int* contact_order;         // contacts by island                          (max_contacts)
  TriboJointRows joint;
  int* joint_order;
  int loops;
  TriboLoopRows* loop;  // by loop of the model
  int* loop_order;
  int* bucket;  // scratch of the orders                                     (trees + 1)

  TriboIslandProblem* island;  // (trees)
  TriboRowPool X, N, T;
  uint64_t* id_N;
  TriboFrictionGroup* group;
  TriboMode *mode_N, *mode_g;
  TriboMode *warm_mode_N, *warm_mode_g;
  double *k, *y, *y_total;
  int used_group, used_y;
} TriboProblemSet;

void tribo_problems_layout(TriboProblemSet* set, TriboArena* arena, const TriboModel* model,
                           int max_contacts);

// Fills the set: islands, problems, no warm start yet. q is the configuration, k the free velocity
// in mass coordinates (nv). Reads the tree's kinematics and factor, the detection and the
// joint rows.
void tribo_assemble(TriboProblemSet* set, const TriboModel* model, const TriboStepOptions* options,
                    const TriboTree* tree, const TriboDetection* detection, const double* q,
                    const double* k);

// Velocities after, from the islands' solutions: y of all trees that have rows.
void tribo_problems_scatter(const TriboProblemSet* set, double* y);
// The same after impacts.
void tribo_problems_scatter_reported(const TriboProblemSet* set, double* y);
// The same for any vector that an island's y holds.
void tribo_island_scatter(const TriboProblemSet* set, int island, const double* local, double* y);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_CONTACT_ASSEMBLE_H_
