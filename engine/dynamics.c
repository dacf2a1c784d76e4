// SPDX-License-Identifier: Apache-2.0
//
// The public questions about the tree: each places the bodies at the state's q and reads the answer
// off engine/tree.
#include <math.h>
#include <string.h>

#include "engine/state.h"
#include "engine/workspace.h"

// A frame fixed to a body, -1: to the world.
typedef struct Mount {
  int body;
  TriboTransform X;
} Mount;

static bool fits(const TriboModel* model, const TriboState* state, const TriboWorkspace* ws) {
  return model && state && ws && state->model_hash == model->hash && ws->model_hash == model->hash;
}

static bool mount_link(const TriboModel* model, int link, Mount* mount) {
  if (link < TRIBO_WORLD || link >= model->source->count[TRIBO_KIND_LINK]) return false;
  mount->body = link >= 0 ? model->link_body[link] : -1;
  mount->X = link >= 0 ? model->link_pose[link] : tribo_transform_identity();
  return true;
}

static bool mount_frame(const TriboModel* model, int frame, Mount* mount) {
  if (frame < 0 || frame >= model->source->count[TRIBO_KIND_FRAME]) return false;
  const TriboFrameDesc* d = &model->source->frame[frame];
  if (!mount_link(model, d->link, mount)) return false;
  mount->X = tribo_transform_mul(mount->X, tribo_transform_from_pose(d->pose));
  return true;
}

static TriboTransform world_pose(const TriboTree* tree, const Mount* mount) {
  return mount->body >= 0 ? tribo_transform_mul(tree->X_WB[mount->body], mount->X) : mount->X;
}

// From the body's origin to the frame's, world axes.
static TriboVec3 arm_of(const TriboTree* tree, const Mount* mount) {
  return tribo_mat3_mul_vec(tree->X_WB[mount->body].R, mount->X.p);
}

// ---- poses

static TriboStatus pose_of(const TriboModel* model, const TriboState* state, TriboWorkspace* ws,
                           const Mount* mount, TriboPose* pose) {
  if (!pose) return TRIBO_ERROR_ARGUMENT;
  tribo_tree_kinematics(model, &ws->tree, state->q);
  *pose = tribo_pose_from_transform(world_pose(&ws->tree, mount));
  return TRIBO_OK;
}

TriboStatus tribo_link_pose(const TriboModel* model, const TriboState* state,
                            TriboWorkspace* workspace, int link, TriboPose* pose) {
  Mount mount;
  if (!fits(model, state, workspace) || !mount_link(model, link, &mount))
    return TRIBO_ERROR_ARGUMENT;
  return pose_of(model, state, workspace, &mount, pose);
}

TriboStatus tribo_frame_pose(const TriboModel* model, const TriboState* state,
                             TriboWorkspace* workspace, int frame, TriboPose* pose) {
  Mount mount;
  if (!fits(model, state, workspace) || !mount_frame(model, frame, &mount))
    return TRIBO_ERROR_ARGUMENT;
  return pose_of(model, state, workspace, &mount, pose);
}

// ---- velocities and accelerations

static TriboStatus velocity_of(const TriboModel* model, const TriboState* state, TriboWorkspace* ws,
                               const Mount* mount, TriboVec3* linear, TriboVec3* angular) {
  if (!linear || !angular) return TRIBO_ERROR_ARGUMENT;
  *linear = *angular = tribo_vec3_zero();
  if (mount->body < 0) return TRIBO_OK;
  tribo_tree_kinematics(model, &ws->tree, state->q);
  tribo_tree_velocities(model, &ws->tree, state->v);
  TriboSpatial V = ws->tree.V[mount->body];
  *angular = V.w;
  *linear = tribo_vec3_add(V.v, tribo_vec3_cross(V.w, arm_of(&ws->tree, mount)));
  return TRIBO_OK;
}

TriboStatus tribo_link_velocity(const TriboModel* model, const TriboState* state,
                                TriboWorkspace* workspace, int link, TriboVec3* linear,
                                TriboVec3* angular) {
  Mount mount;
  if (!fits(model, state, workspace) || !mount_link(model, link, &mount))
    return TRIBO_ERROR_ARGUMENT;
  return velocity_of(model, state, workspace, &mount, linear, angular);
}

TriboStatus tribo_frame_velocity(const TriboModel* model, const TriboState* state,
                                 TriboWorkspace* workspace, int frame, TriboVec3* linear,
                                 TriboVec3* angular) {
  Mount mount;
  if (!fits(model, state, workspace) || !mount_frame(model, frame, &mount))
    return TRIBO_ERROR_ARGUMENT;
  return velocity_of(model, state, workspace, &mount, linear, angular);
}

static TriboStatus acceleration_of(const TriboModel* model, const TriboState* state,
                                   TriboWorkspace* ws, const Mount* mount, const double* a,
                                   TriboVec3* linear, TriboVec3* angular) {
  if (!linear || !angular) return TRIBO_ERROR_ARGUMENT;
  *linear = *angular = tribo_vec3_zero();
  if (mount->body < 0) return TRIBO_OK;
  TriboTree* tree = &ws->tree;
  tribo_tree_kinematics(model, tree, state->q);
  tribo_tree_inverse(model, tree, state->v, a, NULL, tribo_vec3_zero(), tree->scratch);
  TriboSpatial A = tree->A[mount->body];
  TriboVec3 omega = tree->omega[mount->body], arm = arm_of(tree, mount);
  *angular = A.w;
  *linear =
      tribo_vec3_add(A.v, tribo_vec3_add(tribo_vec3_cross(A.w, arm),
                                         tribo_vec3_cross(omega, tribo_vec3_cross(omega, arm))));
  return TRIBO_OK;
}

TriboStatus tribo_link_acceleration(const TriboModel* model, const TriboState* state,
                                    TriboWorkspace* workspace, int link, const double* a,
                                    TriboVec3* linear, TriboVec3* angular) {
  Mount mount;
  if (!fits(model, state, workspace) || !mount_link(model, link, &mount))
    return TRIBO_ERROR_ARGUMENT;
  return acceleration_of(model, state, workspace, &mount, a, linear, angular);
}

TriboStatus tribo_frame_acceleration(const TriboModel* model, const TriboState* state,
                                     TriboWorkspace* workspace, int frame, const double* a,
                                     TriboVec3* linear, TriboVec3* angular) {
  Mount mount;
  if (!fits(model, state, workspace) || !mount_frame(model, frame, &mount))
    return TRIBO_ERROR_ARGUMENT;
  return acceleration_of(model, state, workspace, &mount, a, linear, angular);
}

// ---- Jacobians

static TriboStatus jacobian_of(const TriboModel* model, const TriboState* state, TriboWorkspace* ws,
                               const Mount* mount, double* jacobian) {
  if (!jacobian) return TRIBO_ERROR_ARGUMENT;
  int nv = model->nv;
  memset(jacobian, 0, 6 * (size_t)nv * sizeof *jacobian);
  if (mount->body < 0) return TRIBO_OK;
  TriboTree* tree = &ws->tree;
  tribo_tree_kinematics(model, tree, state->q);
  TriboVec3 arm = arm_of(tree, mount);
  for (int b = mount->body; b >= 0; b = model->body[b].parent) {
    const TriboBody* body = &model->body[b];
    for (int k = body->v; k < body->v + body->nv; ++k) {
      bool turns = k >= body->turns;
      TriboVec3 linear = turns ? tribo_vec3_cross(tree->axis[k], arm) : tree->axis[k];
      TriboVec3 angular = turns ? tree->axis[k] : tribo_vec3_zero();
      for (int i = 0; i < 3; ++i) {
        jacobian[i * nv + k] = tribo_vec3_get(linear, i);
        jacobian[(i + 3) * nv + k] = tribo_vec3_get(angular, i);
      }
    }
    arm = tribo_vec3_add(arm, tree->offset[b]);
  }
  return TRIBO_OK;
}

TriboStatus tribo_link_jacobian(const TriboModel* model, const TriboState* state,
                                TriboWorkspace* workspace, int link, TriboVec3 point,
                                double* jacobian) {
  Mount mount;
  if (!fits(model, state, workspace) || !mount_link(model, link, &mount))
    return TRIBO_ERROR_ARGUMENT;
  if (!tribo_vec3_is_finite(point)) return TRIBO_ERROR_NOT_FINITE;
  mount.X.p = tribo_transform_point(mount.X, point);
  return jacobian_of(model, state, workspace, &mount, jacobian);
}

TriboStatus tribo_frame_jacobian(const TriboModel* model, const TriboState* state,
                                 TriboWorkspace* workspace, int frame, double* jacobian) {
  Mount mount;
  if (!fits(model, state, workspace) || !mount_frame(model, frame, &mount))
    return TRIBO_ERROR_ARGUMENT;
  return jacobian_of(model, state, workspace, &mount, jacobian);
}

// ---- dynamics

static bool all_finite(const double* x, int n) {
  for (int i = 0; x && i < n; ++i) {
    if (!isfinite(x[i])) return false;
  }
  return true;
}

TriboStatus tribo_mass_matrix(const TriboModel* model, const TriboState* state,
                              TriboWorkspace* workspace, double* M) {
  if (!fits(model, state, workspace) || !M) return TRIBO_ERROR_ARGUMENT;
  TriboTree* tree = &workspace->tree;
  tribo_tree_kinematics(model, tree, state->q);
  tribo_tree_mass(model, tree);
  size_t nv = (size_t)model->nv;
  memset(M, 0, nv * nv * sizeof *M);
  for (int k = 0; k < model->nv; ++k) {
    for (int e = model->dof_row[k]; e < model->dof_row[k + 1]; ++e) {
      size_t row = (size_t)k, column = (size_t)model->column[e];
      M[row * nv + column] = M[column * nv + row] = tree->M[e];
    }
  }
  return TRIBO_OK;
}

TriboStatus tribo_inverse_dynamics(const TriboModel* model, const TriboState* state,
                                   TriboWorkspace* workspace, const double* a, const double* wrench,
                                   double* tau) {
  if (!fits(model, state, workspace) || !tau) return TRIBO_ERROR_ARGUMENT;
  if (!all_finite(a, model->nv) || !all_finite(wrench, 6 * model->source->count[TRIBO_KIND_LINK]))
    return TRIBO_ERROR_NOT_FINITE;
  TriboTree* tree = &workspace->tree;
  tribo_tree_kinematics(model, tree, state->q);
  tribo_tree_inverse(model, tree, state->v, a, wrench, model->gravity, tree->scratch);
  memcpy(tau, tree->scratch, (size_t)model->nv * sizeof *tau);
  return TRIBO_OK;
}

TriboStatus tribo_forward_dynamics(const TriboModel* model, const TriboState* state,
                                   TriboWorkspace* workspace, const double* tau,
                                   const double* wrench, double* a) {
  if (!fits(model, state, workspace) || !a) return TRIBO_ERROR_ARGUMENT;
  if (!all_finite(tau, model->nv) || !all_finite(wrench, 6 * model->source->count[TRIBO_KIND_LINK]))
    return TRIBO_ERROR_NOT_FINITE;
  TriboTree* tree = &workspace->tree;
  tribo_tree_kinematics(model, tree, state->q);
  TriboStatus status = tribo_tree_forward(model, tree, state->v, tau, wrench, tree->scratch);
  if (status == TRIBO_OK) memcpy(a, tree->scratch, (size_t)model->nv * sizeof *a);
  return status;
}

// ---- energy and momentum

// Energy of the joint springs.
static double spring_energy(const TriboModel* model, const double* q) {
  double energy = 0;
  for (int i = 0; i < model->nb; ++i) {
    const TriboBody* body = &model->body[i];
    if (body->stiffness == 0) continue;
    for (int k = body->v; k < body->v + body->nv; ++k) {
      double stretch = tribo_tree_position(model, q, k) - body->rest;
      energy += 0.5 * body->stiffness * stretch * stretch;
    }
  }
  return energy;
}

TriboStatus tribo_energy(const TriboModel* model, const TriboState* state,
                         TriboWorkspace* workspace, TriboEnergy* energy) {
  if (!fits(model, state, workspace) || !energy) return TRIBO_ERROR_ARGUMENT;
  TriboTree* tree = &workspace->tree;
  tribo_tree_kinematics(model, tree, state->q);
  tribo_tree_velocities(model, tree, state->v);
  TriboEnergy e;
  memset(&e, 0, sizeof e);
  double mass = 0;
  for (int i = 0; i < model->nb; ++i) {
    const TriboInertia* I = &tree->inertia[i];
    TriboSpatial momentum = tribo_inertia_mul(I, tree->V[i]);
    e.kinetic += 0.5 * tribo_spatial_dot(momentum, tree->V[i]);
    e.linear_momentum = tribo_vec3_add(e.linear_momentum, momentum.v);
    e.com = tribo_vec3_add(e.com, tribo_vec3_madd(I->h, I->m, tree->X_WB[i].p));
    mass += I->m;
    // The rotor's spin, which the link's own motion does not hold.
    const TriboBody* body = &model->body[i];
    for (int k = body->v; body->armature != 0 && k < body->v + body->nv; ++k)
      e.kinetic += 0.5 * body->armature * state->v[k] * state->v[k];
  }
  e.potential = spring_energy(model, state->q) - tribo_vec3_dot(model->gravity, e.com);
  if (mass > 0) e.com = tribo_vec3_scale(1 / mass, e.com);
  // Moments about the centre of mass, body by body, so that distance from the origin costs nothing.
  for (int i = 0; i < model->nb; ++i) {
    TriboSpatial momentum = tribo_inertia_mul(&tree->inertia[i], tree->V[i]);
    TriboVec3 arm = tribo_vec3_sub(tree->X_WB[i].p, e.com);
    e.angular_momentum = tribo_vec3_add(
        e.angular_momentum, tribo_vec3_add(momentum.w, tribo_vec3_cross(arm, momentum.v)));
  }
  *energy = e;
  return TRIBO_OK;
}
