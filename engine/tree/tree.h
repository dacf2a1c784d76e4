// SPDX-License-Identifier: Apache-2.0
//
// Kinematics and dynamics of articulated trees [Featherstone2008]. Internal.
//
// Everything is in world axes; moments and velocities of a body are about its own frame's origin,
// so that nothing cancels far from the world's origin or far down a chain. A body's dofs are first
// its translations along axes of the joint's frame on the parent, then, from body->turns on, its
// rotations about axes of the body.
//
// Order of use in a step: kinematics(q), mass, forces + factor, inverse or free_velocity, rows and
// half-solves, integrate. Each function reads what the ones above it wrote; engine/tree/README.md
// has the formulas.
#ifndef TRIBO_ENGINE_TREE_TREE_H_
#define TRIBO_ENGINE_TREE_TREE_H_

#include "engine/model/model.h"
#include "engine/tree/lanes.h"

#ifdef __cplusplus
extern "C" {
#endif

// What articulated-body dynamics keeps of a body; 6 x 6 matrices row-major, angular part first.
typedef struct TriboArticulated {
  double A[36];     // articulated inertia
  double U[36];     // A S, column by column: 6 numbers per dof
  double D[36];     // S^T A S + armature, factored
  double rest[36];  // A less what the joint lets go
  double u[6];      // effort less what the bias takes
  double z[6];      // velocity products of the acceleration
} TriboArticulated;

// Numbers of twins, bodies of limbs alike (TriboBody.twin), side by side: the tree's recursions
// work on both together. Kept with the first of the two.
typedef struct TriboTwins {
  TriboLanes3 axis, offset;
  TriboLanes3 w, v;      // motion
  TriboLanes3 alpha, a;  // acceleration
  TriboLanes field[9];   // acceleration within the body
  TriboLanes3 L, P;      // moment and force, or momenta, about the origins
} TriboTwins;

// How far the arrays have been computed for the q that they were computed for last. Asking again
// for what is there costs a comparison of q: a step's end and the next one's begin share the work.
typedef enum TriboTreeStage {
  TRIBO_TREE_NOTHING = 0,
  TRIBO_TREE_KINEMATICS,
  TRIBO_TREE_MASS,
  TRIBO_TREE_FACTOR,
} TriboTreeStage;

typedef struct TriboTree {
  TriboTreeStage stage;
  double* q;      // that the stage belongs to                                            (nq)
  double* added;  // diagonal that the factor belongs to                                  (nv)

  // computed by tribo_tree_kinematics
  TriboTransform* X_WB;   // bodies' poses                                                (nb)
  TriboVec3* offset;      // from the parent body's origin to the body's (world: 0)       (nb)
  TriboVec3* axis;        // unit vectors of the dofs                                     (nv)
  TriboInertia* inertia;  // of the bodies about their origins                            (nb)

  // computed by tribo_tree_velocities
  TriboSpatial* V;  // angular velocity; velocity of the origin                           (nb)

  // computed by tribo_tree_mass
  TriboInertia* composite;  // of each body with all that hangs on it, about its origin   (nb)
  double* M;                // mass matrix, armature included             (model->dof_row[nv])
  double* weight;           // generalized forces of gravity                              (nv)

  // computed by tribo_tree_forces
  double* force;     // generalized forces at the start of the step                       (nv)
  double* implicit;  // what implicit damping and springs add to the diagonal of M        (nv)

  // computed by tribo_tree_factor: M + implicit = L^T D L
  double* L;               // below the diagonal; diagonal entries hold D (model->dof_row[nv])
  double* D_inverse;       // (nv)
  double* D_sqrt;          // (nv)
  double* D_sqrt_inverse;  // (nv)

  // computed by tribo_tree_forward
  TriboArticulated* articulated;  // (nb)

  // computed by tribo_tree_coast
  TriboSpatial* momentum;  // about the tree's centre, that it must have after the step   (trees)

  // kept by tribo_tree_keep_start; tribo_tree_add_turning makes means with the end's out of them
  TriboVec3* middle_offset;      // (nb)
  TriboVec3* middle_axis;        // (nv)
  TriboInertia* middle_inertia;  // of the start                                           (nb)

  // scratch of tribo_tree_rk4: configuration; displacement, velocity, acceleration of a stage, and
  // the sums of the latter two
  double* stage_q;  // (nq)
  double* stage_v;  // (5 nv)

  // scratch of the recursions
  TriboTwins* twins;  // (nb)
  TriboVec3* omega;   // angular velocity                                                  (nb)
  TriboSpatial* A;    // angular acceleration; acceleration of the origin                  (nb)
  TriboMat3* field;   // alpha x . + omega x (omega x .), acceleration within the body      (nb)
  TriboSpatial* F;    // moment about the origin; force                                    (nb)
  double* bias;       // velocity-product forces                                           (nv)
  double* scratch;    // (nv)
} TriboTree;

// Carves the arrays from an arena; run it first over a measuring one.
void tribo_tree_layout(TriboTree* tree, TriboArena* arena, const TriboModel* model);

// The last dof on the path of a body, -1 for the world.
static inline int tribo_tree_body_dof(const TriboModel* model, int body) {
  return body < 0 ? -1 : model->body[body].v + model->body[body].nv - 1;
}

// Adds L and P of the twins i and its twin to those of their parents, about the parents' origins.
// The body that both limbs hang on gets them only if it is `first` or after it.
static inline void tribo_twins_hand_down(const TriboModel* model, TriboTree* tree, int i,
                                         int first) {
  const TriboTwins* twins = &tree->twins[i];
  const TriboBody* body = &model->body[i];
  TriboLanes3 P = twins->P;
  TriboLanes3 L = tribo_lanes3_add(twins->L, tribo_lanes3_cross(twins->offset, P));
  if (body->parent != model->body[body->twin].parent) {
    TriboTwins* above = &tree->twins[body->parent];
    above->L = tribo_lanes3_add(above->L, L);
    above->P = tribo_lanes3_add(above->P, P);
  } else if (body->parent >= first) {
    TriboSpatial sum = tribo_spatial(tribo_lanes3_sum(L), tribo_lanes3_sum(P));
    tree->F[body->parent] = tribo_spatial_add(tree->F[body->parent], sum);
  }
}

// ---- kinematics.c

// Poses, axes and inertias in the world.
void tribo_tree_kinematics(const TriboModel* model, TriboTree* tree, const double* q);
// V of all bodies. Reads kinematics.
void tribo_tree_velocities(const TriboModel* model, TriboTree* tree, const double* v);

// ---- mass.c

// M by composite rigid bodies, and weight from them. Reads kinematics.
void tribo_tree_mass(const TriboModel* model, TriboTree* tree);

// ---- factor.c

// M + diag(diagonal) = L^T D L along the tree, without fill; diagonal NULL: M alone. Reads M.
void tribo_tree_factor(const TriboModel* model, TriboTree* tree, const double* diagonal);
// The rest read the factor, G = L^T sqrt(D), M + implicit = G G^T. In place, over nv.
void tribo_tree_solve(const TriboModel* model, const TriboTree* tree, double* x);
void tribo_tree_to_mass(const TriboModel* model, const TriboTree* tree, double* v);    // y = G^T v
void tribo_tree_from_mass(const TriboModel* model, const TriboTree* tree, double* y);  // v = G^-T y
// The same over the dofs [begin, end) of whole trees.
void tribo_tree_solve_range(const TriboModel* model, const TriboTree* tree, int begin, int end,
                            double* x);
// out = M v over the dofs [begin, end) of whole trees. Reads M.
void tribo_tree_multiply(const TriboModel* model, const TriboTree* tree, int begin, int end,
                         const double* v, double* out);

// ---- rows.c

// The dofs that a row between two dofs' branches touches: those of the shared part of the two
// paths to the root, of the rest of branch 0, of the rest of branch 1; indices ascend. A row's
// values are in the same order.
typedef struct TriboTreePath {
  int end[2];      // last dof of each branch, -1: none (the world)
  int depth[2];    // dofs on each branch, the shared part included
  double sign[2];  // with which a wrench acts on each branch: +1 for `plus`, -1 for `minus`
  int shared;
  int count;  // depth[0] + depth[1] - shared
} TriboTreePath;

// The path of a row that is `plus` minus `minus`; either or both may be -1. For bodies, give
// tribo_tree_body_dof.
TriboTreePath tribo_tree_path(const TriboModel* model, int minus, int plus);
// The path's dofs, ascending (count).
void tribo_tree_path_index(const TriboModel* model, const TriboTreePath* path, int* index);
// Where dof k sits on the path, -1: nowhere.
int tribo_tree_path_find(const TriboModel* model, const TriboTreePath* path, int k);
// Jacobian rows of wrenches that act on the body of `plus`, and their opposite on that of `minus`,
// both taken by tribo_tree_body_dof: wrench[i] is a moment about `point` and a force, world axes.
// values: rows x count, row i at values + i * stride. Reads kinematics.
void tribo_tree_path_rows(const TriboModel* model, const TriboTree* tree, const TriboTreePath* path,
                          TriboVec3 point, int rows, const TriboSpatial* wrench, int stride,
                          double* values);
// G^-1 row^T, in place, for rows of the same path. Reads the factor.
void tribo_tree_half_solve(const TriboModel* model, const TriboTree* tree,
                           const TriboTreePath* path, int rows, int stride, double* values);

// ---- inverse.c

// tau = M a + bias(q, v) - external wrenches, by recursive Newton-Euler; armature included. a NULL:
// 0, which gives the bias. wrench: per link force, then torque about its frame's origin, world
// axes, or NULL. gravity: model->gravity, or 0 for what motion alone needs. Reads kinematics;
// leaves omega, A (gravity in it as an acceleration of the world upwards) and F (what the parent's
// side gives the body) behind.
void tribo_tree_inverse(const TriboModel* model, TriboTree* tree, const double* v, const double* a,
                        const double* wrench, TriboVec3 gravity, double* tau);

// What motion alone needs, tau of a = 0 without gravity and wrenches, of the bodies [begin, end) of
// whole trees.
void tribo_tree_bias(const TriboModel* model, TriboTree* tree, int begin, int end, const double* v,
                     double* bias);
// force += the generalized forces of the wrenches.
void tribo_tree_wrench_forces(const TriboModel* model, TriboTree* tree, const double* wrench,
                              double* force);
// F -= the wrenches, about the bodies' origins.
void tribo_tree_subtract_wrenches(const TriboModel* model, TriboTree* tree, const double* wrench);

// ---- forward.c

// a of tau = M a + bias - wrenches, by articulated bodies; tau NULL: 0. Reads kinematics; leaves
// omega and A behind as tribo_tree_inverse does. TRIBO_ERROR_SINGULAR where a massless part makes M
// singular.
TriboStatus tribo_tree_forward(const TriboModel* model, TriboTree* tree, const double* v,
                               const double* tau, const double* wrench, double* a) TRIBO_CHECKED;

// ---- forces.c

// Position along a dof as springs and servos see it: q for hinge, slide and planar and the
// translations of free joints; the component of the rotation vector for ball and free.
double tribo_tree_position(const TriboModel* model, const double* q, int dof);
// Adds efforts, actuators, springs and damping to force, and to implicit what they add to the
// diagonal. h = 0: as they are now. left_out: actuators (nu) that are not part of it; servos then
// have no effort limit. NULL: all are, and limits hold as far as the effort at the start tells.
// Reads mass.
void tribo_tree_efforts(const TriboModel* model, TriboTree* tree, const TriboInput* input,
                        const double* q, const double* v, double h, const bool* left_out);
// force: gravity, wrenches, efforts, actuators, springs and damping; implicit: what the latter add
// to the diagonal. Reads mass.
void tribo_tree_forces(const TriboModel* model, TriboTree* tree, const TriboInput* input,
                       const double* q, const double* v, double h, const bool* left_out);

// An actuator's law over the step: effort - (kd + h kp) v+, within +-limit.
typedef struct TriboServo {
  int dof;
  double effort;  // at v+ = 0; clamped already where the actuator is no servo (kp = kd = 0)
  double kp, kd;
  double limit;
} TriboServo;
TriboServo tribo_tree_servo(const TriboModel* model, const TriboInput* input, const double* q,
                            int actuator);

// u = v + h (M + implicit)^-1 (force - bias): kinematics, mass, forces, factor and bias in one.
void tribo_tree_free_velocity(const TriboModel* model, TriboTree* tree, const TriboInput* input,
                              const double* q, const double* v, double h, const bool* left_out,
                              double* u);

// ---- integrate.c

// q (+) h v on the manifold; q1 may be q0. At v = 0 not a bit changes.
void tribo_tree_integrate(const TriboModel* model, const double* q0, const double* v, double h,
                          double* q1);
// The velocity that leads from q0 to q1 in unit time.
void tribo_tree_difference(const TriboModel* model, const double* q0, const double* q1, double* dv);

// ---- rk4.c

// One step of the classical Runge-Kutta method on the manifold for what is smooth: everything of
// tribo_tree_forces, taken explicitly. q1 and v1 may be q0 and v0.
TriboStatus tribo_tree_rk4(const TriboModel* model, TriboTree* tree, const TriboInput* input,
                           const double* q0, const double* v0, double h, double* q1,
                           double* v1) TRIBO_CHECKED;

// ---- middle.c

// Puts the geometry of the start aside, before kinematics at the end's q.
void tribo_tree_keep_start(TriboTree* tree);
// impulse += h times what the turning of the axes does to the generalized momenta of the bodies
// [first, end) of the tree that begins with body `begin`, and that moves by `displacement` in the
// step. Once after each tribo_tree_keep_start, and kinematics.
void tribo_tree_add_turning(const TriboModel* model, TriboTree* tree, int begin, int end, int first,
                            double h, const double* displacement, double* impulse);

// ---- coast.c

// What the rows of a step do to a tree.
typedef enum TriboTreeHold {
  TRIBO_TREE_FREE = 0,  // there are none
  TRIBO_TREE_INTERNAL,  // none gives it an impulse from outside
  TRIBO_TREE_HELD,      // some do
} TriboTreeHold;

// Whether a tree is one body that moves freely, without a damper or a rotor on its joint.
bool tribo_tree_is_loose(const TriboModel* model, int t);
// Takes the energy that the explicit gyroscopic step of tribo_tree_free_velocity gave loose bodies
// out of their u again (spin.c). spin: what it added; untouched for other trees.
void tribo_tree_keep_spin(const TriboModel* model, const TriboTree* tree, double h, double* u,
                          double* spin);

// At the start's q, after the solve, where v0 went to v and displacement is h v: gives free trees
// their displacement, their impulse in place of v, and notes the momentum that floating ones must
// keep. FALSE: there is nothing to settle. Reads what tribo_tree_free_velocity left.
bool tribo_tree_coast(const TriboModel* model, TriboTree* tree, const TriboTreeHold* hold, double h,
                      const double* v0, double* v, double* displacement);
// At the end's q: v becomes the velocity after the step.
void tribo_tree_settle(const TriboModel* model, TriboTree* tree, const TriboTreeHold* hold,
                       double h, const double* q, const double* displacement, double* v);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_TREE_TREE_H_
