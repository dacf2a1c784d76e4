// SPDX-License-Identifier: Apache-2.0
//
// What the turning of the axes does to generalized momenta. Along dof k, with a its axis and (L, P)
// the momentum of all that hangs on it about the body's origin, which moves at u, the generalized
// momentum is a . P of a translation and a . L of a rotation. Axes of translations turn with the
// parent, those of rotations with the body, both at some omega:
//
//   d(a . P)/dt = forces + (omega x a) . P               = forces + a . (P x omega)
//   d(a . L)/dt = forces + (omega x a) . L - a . (u x P) = forces + a . (L x omega + P x u)
//
// All is taken at the middle of the step, where the geometry is the mean of start's and end's to
// second order and the velocity is that of tree->middle. That takes one recursion outwards for the
// motion and one inwards for the momenta, and no acceleration.
#include "engine/tree/lanes.h"
#include "engine/tree/tree.h"

#define EXCHANGE(type, a, b) \
  do {                       \
    type kept = (a);         \
    (a) = (b), (b) = kept;   \
  } while (0)

void tribo_tree_keep_start(TriboTree* tree) {
  EXCHANGE(TriboVec3*, tree->offset, tree->middle_offset);
  EXCHANGE(TriboVec3*, tree->axis, tree->middle_axis);
  EXCHANGE(TriboInertia*, tree->inertia, tree->middle_inertia);
  tree->stage = TRIBO_TREE_NOTHING;
}

static inline TriboVec3 mean(TriboVec3 a, TriboVec3 b) {
  return tribo_vec3_scale(0.5, tribo_vec3_add(a, b));
}

// Below, axes and inertias are sums of start's and end's, and rates displacements over the step:
// motions are 2 h times what they are, momenta 4 h times.

static inline TriboSpatial momentum(const TriboInertia* start, const TriboInertia* end,
                                    TriboSpatial V) {
  TriboVec3 h = tribo_vec3_add(start->h, end->h);
  double I[6];
  for (int k = 0; k < 6; ++k) I[k] = start->I[k] + end->I[k];
  return tribo_spatial(tribo_vec3_add(tribo_symmetric_mul(I, V.w), tribo_vec3_cross(h, V.v)),
                       tribo_vec3_madd(tribo_vec3_cross(V.w, h), 2 * end->m, V.v));
}

// Motion of a body that is no hinge on another.
static TriboSpatial move_body(const TriboBody* body, TriboTree* tree, int i,
                              const double* displacement) {
  int k = body->v, turns = body->turns, end = k + body->nv;
  TriboVec3 *axis = tree->middle_axis, *d = &tree->middle_offset[i];
  for (int n = k; n < end; ++n) axis[n] = tribo_vec3_add(axis[n], tree->axis[n]);
  *d = mean(*d, tree->offset[i]);
  TriboSpatial V = tribo_spatial_zero();
  if (body->parent >= 0) {
    V = tree->A[body->parent];
    V.v = tribo_vec3_add(V.v, tribo_vec3_cross(V.w, *d));
  }
  for (; k < turns; ++k) V.v = tribo_vec3_madd(V.v, displacement[k], axis[k]);
  for (; k < end; ++k) V.w = tribo_vec3_madd(V.w, displacement[k], axis[k]);
  return V;
}

static void move_hinge(TriboTree* tree, int i, int parent, int k, const double* displacement) {
  TriboVec3 *a = &tree->middle_axis[k], *d = &tree->middle_offset[i];
  *a = tribo_vec3_add(*a, tree->axis[k]);
  *d = mean(*d, tree->offset[i]);
  TriboSpatial V = tree->A[parent];
  V.v = tribo_vec3_add(V.v, tribo_vec3_cross(V.w, *d));
  V.w = tribo_vec3_madd(V.w, displacement[k], *a);
  tree->A[i] = V;
  tree->F[i] = momentum(&tree->middle_inertia[i], &tree->inertia[i], V);
}

// move_hinge for the twins i and j, whose numbers are kept side by side.
static void move_twins(const TriboModel* model, TriboTree* tree, int i, int j,
                       const double* displacement) {
  const TriboBody *bi = &model->body[i], *bj = &model->body[j];
  TriboTwins* twins = &tree->twins[i];
  TriboLanes3 axis =
      tribo_lanes3_add(tribo_lanes3(&tree->middle_axis[bi->v], &tree->middle_axis[bj->v]),
                       tribo_lanes3(&tree->axis[bi->v], &tree->axis[bj->v]));
  TriboLanes3 offset = tribo_lanes3_scale(
      tribo_lanes_fill(0.5),
      tribo_lanes3_add(tribo_lanes3(&tree->middle_offset[i], &tree->middle_offset[j]),
                       tribo_lanes3(&tree->offset[i], &tree->offset[j])));
  TriboLanes3 w, v;
  if (bi->parent != bj->parent) {
    w = tree->twins[bi->parent].w, v = tree->twins[bi->parent].v;
  } else {
    const TriboSpatial* V = &tree->A[bi->parent];
    w = tribo_lanes3_fill(V->w), v = tribo_lanes3_fill(V->v);
  }
  v = tribo_lanes3_add(v, tribo_lanes3_cross(w, offset));
  w = tribo_lanes3_madd(w, tribo_lanes(displacement[bi->v], displacement[bj->v]), axis);
  twins->axis = axis, twins->offset = offset, twins->w = w, twins->v = v;
  const TriboInertia *si = &tree->middle_inertia[i], *sj = &tree->middle_inertia[j];
  const TriboInertia *ei = &tree->inertia[i], *ej = &tree->inertia[j];
  TriboLanes3 h = tribo_lanes3_add(tribo_lanes3(&si->h, &sj->h), tribo_lanes3(&ei->h, &ej->h));
  TriboLanes I[6];
  for (int k = 0; k < 6; ++k)
    I[k] = tribo_lanes(si->I[k], sj->I[k]) + tribo_lanes(ei->I[k], ej->I[k]);
  twins->L = tribo_lanes3_add(tribo_lanes3_symmetric_mul(I, w), tribo_lanes3_cross(h, v));
  twins->P = tribo_lanes3_madd(tribo_lanes3_cross(w, h), tribo_lanes(2 * ei->m, 2 * ej->m), v);
}

// Bodies before `first` need no momentum.
static void move_bodies(const TriboModel* model, TriboTree* tree, int begin, int end, int first,
                        const double* displacement) {
  for (int i = begin; i < end; ++i) {
    const TriboBody* body = &model->body[i];
    if (body->twin > i) {
      move_twins(model, tree, i, body->twin, displacement);
    } else if (body->twin >= 0) {
      continue;
    } else if (body->type == TRIBO_JOINT_HINGE && body->parent >= 0) {
      move_hinge(tree, i, body->parent, body->v, displacement);
    } else {
      tree->A[i] = move_body(body, tree, i, displacement);
      if (i >= first)
        tree->F[i] = momentum(&tree->middle_inertia[i], &tree->inertia[i], tree->A[i]);
    }
  }
}

// What a body's dofs get that is no hinge.
static void push_body(const TriboBody* body, const TriboTree* tree, double scale, TriboVec3 turn,
                      TriboVec3 p, double* impulse) {
  int k = body->v;
  if (k < body->turns && body->parent >= 0) {
    TriboVec3 slide = tribo_vec3_cross(p, tree->A[body->parent].w);
    for (; k < body->turns; ++k) impulse[k] += scale * tribo_vec3_dot(tree->middle_axis[k], slide);
  }
  for (k = body->turns; k < body->v + body->nv; ++k)
    impulse[k] += scale * tribo_vec3_dot(tree->middle_axis[k], turn);
}

static void push_twins(const TriboModel* model, TriboTree* tree, int i, int j, int first,
                       double scale, double* impulse) {
  const TriboTwins* twins = &tree->twins[i];
  TriboLanes3 L = twins->L, P = twins->P;
  TriboLanes3 turn =
      tribo_lanes3_add(tribo_lanes3_cross(L, twins->w), tribo_lanes3_cross(P, twins->v));
  TriboLanes along = tribo_lanes3_dot(twins->axis, turn);
  impulse[model->body[i].v] += scale * along[0];
  impulse[model->body[j].v] += scale * along[1];
  tribo_twins_hand_down(model, tree, i, first);
}

void tribo_tree_add_turning(const TriboModel* model, TriboTree* tree, int begin, int end, int first,
                            double h, const double* displacement, double* impulse) {
  move_bodies(model, tree, begin, end, first, displacement);
  double scale = 1 / (16 * h);
  for (int i = end - 1; i >= first; --i) {
    const TriboBody* body = &model->body[i];
    if (body->twin >= 0) {
      if (body->twin > i) push_twins(model, tree, i, body->twin, first, scale, impulse);
      continue;
    }
    TriboSpatial P = tree->F[i], V = tree->A[i];
    TriboVec3 turn = tribo_vec3_add(tribo_vec3_cross(P.w, V.w), tribo_vec3_cross(P.v, V.v));
    int k = body->v;
    if (body->type == TRIBO_JOINT_HINGE) {
      impulse[k] += scale * tribo_vec3_dot(tree->middle_axis[k], turn);
    } else {
      push_body(body, tree, scale, turn, P.v, impulse);
    }
    if (body->parent < first) continue;
    P.w = tribo_vec3_add(P.w, tribo_vec3_cross(tree->middle_offset[i], P.v));
    tree->F[body->parent] = tribo_spatial_add(tree->F[body->parent], P);
  }
}
