// SPDX-License-Identifier: Apache-2.0
//
// The compiled model: flat arrays in the order that the inner loops read them. Internal; public
// access is in engine/tribo.h.
//
// Moving bodies are numbered so that parents come before children (depth first, children in the
// order of their joints). Fixed joints are folded: a link is a pose on a moving body, or on the
// world (body -1). A body's frame is its joint's frame on the child's side, turned so that the axis
// of a hinge, slide or planar joint is its z axis.
#ifndef TRIBO_ENGINE_MODEL_MODEL_H_
#define TRIBO_ENGINE_MODEL_MODEL_H_

#include "collision/pair_filter.h"
#include "collision/shape.h"
#include "engine/base/arena.h"
#include "engine/base/rotation.h"
#include "engine/base/spatial.h"
#include "engine/model/builder.h"
#include "engine/tribo.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a moving body is to the recursions.
typedef struct TriboBody {
  TriboJointType type;
  int parent;            // body, -1: the world
  int joint;             // in the public numbering
  int tree;              // bodies hanging on the world by one joint are one tree
  int twin;              // of limbs alike, the other's body, to be taken together with it; or -1
  int q, nq, v, nv;      // its coordinates
  int turns;             // its dofs from v to before turns are translations, the others rotations
  TriboTransform X_PF;   // joint frame on the parent body (axis along z), at q = 0 the body's frame
  TriboInertia inertia;  // in the body frame about its origin, welded links included
  double damping, friction, armature, stiffness, rest;
  bool limited;
  double lower, upper;
} TriboBody;

// What two materials give together, by the rule in docs/materials.md.
typedef struct TriboSurface {
  double friction;     // Coulomb's mu
  double restitution;  // e
  double viscosity;    // mu_v, N s/m
  double torsional;    // m
  double rolling;      // m
} TriboSurface;

struct TriboModel {
  TriboAllocator allocator;
  bool has_allocator;
  void* block;
  size_t block_size;
  TriboBuilder* source;  // the descriptions, joints completed with the implicit free ones

  int nq, nv, nu, nb, ntree;
  TriboVec3 gravity;
  double total_mass;
  uint64_t hash;

  TriboBody* body;            // nb
  int* link_body;             // links: moving body, -1: fixed to the world
  TriboTransform* link_pose;  // links: of the link frame in its body (or the world)
  int* link_joint;            // links
  int* joint_body;            // joints: the moving body, -1 for fixed joints

  int* shape_body;             // shapes: moving body or -1
  TriboTransform* shape_pose;  // shapes: in the body or the world
  TriboShape* shape;           // shapes: what collides, in the frame of shape_pose
  int* shape_material;         // shapes: row of the table of surfaces
  TriboSurface*
      surface;  // materials and, last, the default one, by pair: read by tribo_model_surface
  TriboPairFilter* pair_filter;  // which shapes may touch

  // Degrees of freedom. Row k of a tree-sparse symmetric matrix holds the entries of dof k with
  // its ancestors and itself: entry t, at row[k] + t, belongs to dof column[row[k] + t]; depth[k]
  // entries, ascending, the last one the diagonal. The path of an ancestor is a prefix of it.
  int* dof_body;    // nv
  int* dof_parent;  // nv: the dof before it on the path, -1 at a root [Featherstone2008, sec. 6.4]
  int* dof_depth;   // nv: entries of row k
  int* dof_run;     // nv: first dof of the stretch of consecutive numbers that its path ends with
  int* dof_row;     // nv + 1
  int* column;      // dof_row[nv]
  int* tree_dof;    // ntree + 1: first dof of each tree; its dofs and bodies follow each other
  int* tree_body;   // ntree + 1
  double* q_initial;  // nq: where a new state starts

  int* name_table;  // name_capacity[kind] slots per kind, element or -1
  int name_start[7], name_capacity[7];
};

// The allocator that a model was created with, NULL: the C library's.
const TriboAllocator* tribo_model_allocator(const TriboModel* model);

// What the surfaces of two shapes give together.
static inline const TriboSurface* tribo_model_surface(const TriboModel* model, int shape0,
                                                      int shape1) {
  const int a = model->shape_material[shape0], b = model->shape_material[shape1];
  // The lower triangle of a symmetric table, row by row.
  return &model->surface[a > b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a];
}

// Fills shape, shape_material and surface, whose memory is there, and creates what shapes refer to
// and the pair filter. What was created before a failure belongs to the model all the same. Bodies
// and links must be placed already.
TriboStatus tribo_model_compile_shapes(TriboModel* model, TriboMessage* message) TRIBO_CHECKED;
void tribo_model_compile_surfaces(TriboModel* model);
// Entries of the table of surfaces.
size_t tribo_model_surface_count(const TriboBuilder* builder);
// Destroys what tribo_model_compile_shapes created.
void tribo_model_destroy_shapes(TriboModel* model);

// "shape 'name'" or "shape number i", for messages.
typedef struct TriboLabel {
  char text[80];
} TriboLabel;
TriboLabel tribo_model_label(const TriboBuilder* builder, TriboKind kind, int index);

// The rules that need the whole model. On failure the message names the element and the remedy.
// Every link must already have its joint.
TriboStatus tribo_model_validate(const TriboBuilder* builder, TriboMessage* message) TRIBO_CHECKED;

// Why a link of no mass, whose weld group has none, may not move; NULL where it may: the joints
// from it down to the next link with mass, which must be one chain, move that link in independent
// directions, or their rotors (armature) do. joint_of: per link the joint that it hangs on.
const char* tribo_massless_fault(const TriboBuilder* builder, const int* joint_of, int link);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_MODEL_MODEL_H_
