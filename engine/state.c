// SPDX-License-Identifier: Apache-2.0
//
// Creating, setting, copying and comparing states; state_bytes.c saves and restores them.
#include "engine/state.h"

#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/hash.h"
#include "engine/tree/tree.h"

int tribo_model_default_contacts(const TriboModel* model) {
  // A box in the middle of a pile touches six others with four points each; half of them are its
  // own.
  return 64 + 16 * model->source->count[TRIBO_KIND_SHAPE];
}

// Contacts, one limit or dry joint a dof, and loops.
int tribo_state_warm_capacity(const TriboModel* model) {
  return tribo_model_default_contacts(model) + 2 * model->nv +
         model->source->count[TRIBO_KIND_LOOP];
}

static void layout(TriboState* state, TriboArena* arena) {
  (void)tribo_arena_take(arena, 1, sizeof *state);
  state->q = tribo_arena_doubles(arena, state->nq);
  state->v = tribo_arena_doubles(arena, state->nv);
  state->warm = tribo_arena_take(arena, (size_t)state->warm_capacity, sizeof *state->warm);
}

TriboStatus tribo_state_create(const TriboModel* model, const TriboAllocator* allocator,
                               TriboState** state) {
  if (!model || !state) return TRIBO_ERROR_ARGUMENT;
  TriboState s;
  memset(&s, 0, sizeof s);
  s.has_allocator = allocator != NULL;
  if (allocator) s.allocator = *allocator;
  s.model_hash = model->hash;
  s.nq = model->nq, s.nv = model->nv;
  s.warm_capacity = tribo_state_warm_capacity(model);
  TriboArena arena = tribo_arena_measure();
  layout(&s, &arena);
  s.block_size = arena.used;
  void* block = tribo_allocate(allocator, s.block_size);
  if (!block) return TRIBO_ERROR_MEMORY;
  arena = tribo_arena_over(block, s.block_size);
  layout(&s, &arena);
  *state = block;
  **state = s;
  tribo_state_reset(model, *state);
  return TRIBO_OK;
}

void tribo_state_destroy(TriboState* state) {
  if (!state) return;
  TriboAllocator copy = state->allocator;
  tribo_release(state->has_allocator ? &copy : NULL, state, state->block_size);
}

void tribo_state_reset(const TriboModel* model, TriboState* state) {
  memcpy(state->q, model->q_initial, (size_t)state->nq * sizeof *state->q);
  memset(state->v, 0, (size_t)state->nv * sizeof *state->v);
  state->time = 0;
  state->warm_count = 0;
}

TriboStatus tribo_state_copy(const TriboState* from, TriboState* to) {
  if (!from || !to || from->model_hash != to->model_hash || from->nq != to->nq ||
      from->nv != to->nv) {
    return TRIBO_ERROR_ARGUMENT;
  }
  if (from->warm_count > to->warm_capacity) return TRIBO_ERROR_CAPACITY;
  if (from == to) return TRIBO_OK;
  to->time = from->time;
  memcpy(to->q, from->q, (size_t)to->nq * sizeof *to->q);
  memcpy(to->v, from->v, (size_t)to->nv * sizeof *to->v);
  to->warm_count = from->warm_count;
  memcpy(to->warm, from->warm, (size_t)to->warm_count * sizeof *to->warm);
  return TRIBO_OK;
}

double tribo_state_time(const TriboState* state) { return state->time; }
const double* tribo_state_q(const TriboState* state) { return state->q; }
const double* tribo_state_v(const TriboState* state) { return state->v; }

static bool all_finite(const double* x, int n) {
  for (int i = 0; i < n; ++i) {
    if (!isfinite(x[i])) return false;
  }
  return true;
}

// Where a body's quaternion starts among its coordinates, -1: it has none.
static int quaternion_of(const TriboBody* body) {
  return body->type == TRIBO_JOINT_FREE ? 3 : body->type == TRIBO_JOINT_BALL ? 0 : -1;
}

// Scales a quaternion to unit length; one that is unit to rounding keeps its bits.
static void normalize(double* q) {
  double largest = 0;
  for (int i = 0; i < 4; ++i) largest = fmax(largest, fabs(q[i]));
  double n2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  if (fabs(n2 - 1) <= 1e-15) return;
  // First to a size whose square neither overflows nor vanishes.
  for (int i = 0; i < 4; ++i) q[i] /= largest;
  double s = 1 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; ++i) q[i] *= s;
}

TriboStatus tribo_state_set_q(const TriboModel* model, TriboState* state, const double* q) {
  if (!model || !state || !q || state->model_hash != model->hash) return TRIBO_ERROR_ARGUMENT;
  if (!all_finite(q, model->nq)) return TRIBO_ERROR_NOT_FINITE;
  for (int i = 0; i < model->nb; ++i) {
    int at = quaternion_of(&model->body[i]);
    const double* x = q + model->body[i].q + at;
    if (at >= 0 && x[0] == 0 && x[1] == 0 && x[2] == 0 && x[3] == 0) return TRIBO_ERROR_ARGUMENT;
  }
  memmove(state->q, q, (size_t)state->nq * sizeof *q);
  for (int i = 0; i < model->nb; ++i) {
    int at = quaternion_of(&model->body[i]);
    if (at >= 0) normalize(state->q + model->body[i].q + at);
  }
  state->warm_count = 0;
  return TRIBO_OK;
}

TriboStatus tribo_state_set_v(const TriboModel* model, TriboState* state, const double* v) {
  if (!model || !state || !v || state->model_hash != model->hash) return TRIBO_ERROR_ARGUMENT;
  if (!all_finite(v, model->nv)) return TRIBO_ERROR_NOT_FINITE;
  memmove(state->v, v, (size_t)state->nv * sizeof *v);
  state->warm_count = 0;
  return TRIBO_OK;
}

TriboStatus tribo_state_set_time(TriboState* state, double time) {
  if (!state) return TRIBO_ERROR_ARGUMENT;
  if (!isfinite(time)) return TRIBO_ERROR_NOT_FINITE;
  state->time = time;
  return TRIBO_OK;
}

TriboStatus tribo_state_set_free_pose(const TriboModel* model, TriboState* state, int link,
                                      TriboPose pose) {
  if (!model || !state || state->model_hash != model->hash || link < 0 ||
      link >= model->source->count[TRIBO_KIND_LINK]) {
    return TRIBO_ERROR_ARGUMENT;
  }
  int b = model->link_body[link];
  int joint = model->link_joint[link];
  if (b < 0 || model->body[b].joint != joint || model->body[b].type != TRIBO_JOINT_FREE ||
      model->body[b].parent >= 0) {
    return TRIBO_ERROR_ARGUMENT;
  }
  double quat[4] = {pose.q.w, pose.q.x, pose.q.y, pose.q.z};
  if (!tribo_vec3_is_finite(pose.p) || !all_finite(quat, 4)) return TRIBO_ERROR_NOT_FINITE;
  if (quat[0] == 0 && quat[1] == 0 && quat[2] == 0 && quat[3] == 0) return TRIBO_ERROR_ARGUMENT;
  normalize(quat);
  pose.q = (TriboQuat){quat[0], quat[1], quat[2], quat[3]};
  // q = X_WF^-1 X_WL X_LC, with F the joint frame on the world and C the one on the link.
  TriboPose X_WF = tribo_pose_from_transform(model->body[b].X_PF);
  TriboPose X_FW = {tribo_vec3_zero(), tribo_quat_conjugate(X_WF.q)};
  X_FW.p = tribo_vec3_neg(tribo_quat_rotate(X_FW.q, X_WF.p));
  pose = tribo_pose_mul(X_FW, tribo_pose_mul(pose, model->source->joint[joint].pose_child));
  double* q = state->q + model->body[b].q;
  tribo_vec3_store(pose.p, q);
  q[3] = pose.q.w, q[4] = pose.q.x, q[5] = pose.q.y, q[6] = pose.q.z;
  normalize(q + 3);
  state->warm_count = 0;
  return TRIBO_OK;
}

void tribo_q_difference(const TriboModel* model, const double* q0, const double* q1, double* dv) {
  tribo_tree_difference(model, q0, q1, dv);
}
void tribo_q_add(const TriboModel* model, const double* q0, const double* dv, double* q1) {
  tribo_tree_integrate(model, q0, dv, 1, q1);
}

uint64_t tribo_state_hash(const TriboState* state) {
  uint64_t hash = tribo_hash_begin();
  hash = tribo_hash_u64(hash, state->model_hash);
  hash = tribo_hash_double(hash, state->time);
  hash = tribo_hash_doubles(hash, state->q, state->nq);
  hash = tribo_hash_doubles(hash, state->v, state->nv);
  hash = tribo_hash_int(hash, state->warm_count);
  for (int i = 0; i < state->warm_count; ++i) {
    const TriboWarm* warm = &state->warm[i];
    hash = tribo_hash_u64(hash, warm->id);
    hash = tribo_hash_doubles(hash, warm->impulse, 6);
    hash = tribo_hash_int(hash, warm->mode);
    hash = tribo_hash_int(hash, warm->spin);
    hash = tribo_hash_int(hash, warm->shown);
    hash = tribo_hash_int(hash, warm->shape[0]);
    hash = tribo_hash_int(hash, warm->shape[1]);
  }
  return hash;
}

bool tribo_state_equal(const TriboState* a, const TriboState* b) {
  return a->model_hash == b->model_hash && a->nq == b->nq && a->nv == b->nv &&
         a->warm_count == b->warm_count && memcmp(&a->time, &b->time, sizeof a->time) == 0 &&
         memcmp(a->q, b->q, (size_t)a->nq * sizeof *a->q) == 0 &&
         memcmp(a->v, b->v, (size_t)a->nv * sizeof *a->v) == 0 &&
         memcmp(a->warm, b->warm, (size_t)a->warm_count * sizeof *a->warm) == 0;
}
