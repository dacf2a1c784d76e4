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
  int q, nq, v, nv;      // its coordinates
  TriboTransform X_PF;   // joint frame on the parent body (axis along z), at q = 0 the body's frame
  TriboInertia inertia;  // in the body frame about its origin, welded links included
  double damping, friction, armature, stiffness, rest;
  bool limited;
  double lower, upper;
} TriboBody;

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

  // Degrees of freedom. Row k of a tree-sparse symmetric matrix holds the entries of dof k with
  // its ancestors and itself: entry t, at row[k] + t, belongs to dof column[row[k] + t]; depth[k]
  // entries, ascending, the last one the diagonal. The path of an ancestor is a prefix of it.
  int* dof_body;    // nv
  int* dof_parent;  // nv: the dof before it on the path, -1 at a root [Featherstone2008, sec. 6.4]
  int* dof_depth;   // nv: entries of row k
  int* dof_row;     // nv + 1
  int* column;      // dof_row[nv]
  double* q_zero;   // nq: the zero configuration

  int* name_table;  // name_capacity[kind] slots per kind, element or -1
  int name_start[7], name_capacity[7];
};

// The allocator that a model was created with, NULL: the C library's.
const TriboAllocator* tribo_model_allocator(const TriboModel* model);

// The rules that need the whole model. On failure the message names the element and the remedy.
// Every link must already have its joint.
TriboStatus tribo_model_validate(const TriboBuilder* builder, TriboMessage* message) TRIBO_CHECKED;

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_MODEL_MODEL_H_
