// SPDX-License-Identifier: Apache-2.0
//
// Compiling descriptions into the arrays of model.h: number the moving bodies, fold fixed joints,
// lay out coordinates and tree-sparse rows.
#include "engine/model/model.h"

#include <string.h>

#include "engine/base/message.h"
#include "engine/base/random.h"

static const int kNq[] = {7, 4, 1, 1, 3, 0};
static const int kNv[] = {6, 3, 1, 1, 3, 0};
static const int kTranslations[] = {3, 0, 0, 1, 2, 0};

const TriboAllocator* tribo_model_allocator(const TriboModel* model) {
  return model->has_allocator ? &model->allocator : NULL;
}

// A link that no joint names gets a free joint to the world, numbered after the described ones.
static TriboStatus add_implicit_joints(TriboBuilder* b) {
  int described = b->count[TRIBO_KIND_JOINT];
  for (int link = 0; link < b->count[TRIBO_KIND_LINK]; ++link) {
    bool found = false;
    for (int i = 0; i < described && !found; ++i) found = b->joint[i].child == link;
    if (found) continue;
    TriboJointDesc d = tribo_joint_default();
    d.type = TRIBO_JOINT_FREE;
    d.child = link;
    TriboStatus status = tribo_builder_add_joint(b, &d, NULL);
    if (status != TRIBO_OK) return status;
  }
  return TRIBO_OK;
}

// Entries of all tree-sparse rows: every dof with its ancestors and itself.
static int count_entries(const TriboBuilder* b) {
  int entries = 0;
  for (int i = 0; i < b->count[TRIBO_KIND_JOINT]; ++i) {
    int own = kNv[b->joint[i].type], above = 0;
    int guard = b->count[TRIBO_KIND_JOINT];
    for (int link = b->joint[i].parent; own > 0 && link >= 0 && guard-- > 0;) {
      int j = 0;
      while (b->joint[j].child != link) ++j;
      above += kNv[b->joint[j].type];
      link = b->joint[j].parent;
    }
    entries += own * above + own * (own + 1) / 2;
  }
  return entries;
}

static void layout(TriboModel* m, TriboArena* arena, int entries) {
  const int* n = m->source->count;
  m->body = tribo_arena_take(arena, (size_t)m->nb, sizeof *m->body);
  m->link_body = tribo_arena_ints(arena, n[TRIBO_KIND_LINK]);
  m->link_pose = tribo_arena_take(arena, (size_t)n[TRIBO_KIND_LINK], sizeof *m->link_pose);
  m->link_joint = tribo_arena_ints(arena, n[TRIBO_KIND_LINK]);
  m->joint_body = tribo_arena_ints(arena, n[TRIBO_KIND_JOINT]);
  m->shape_body = tribo_arena_ints(arena, n[TRIBO_KIND_SHAPE]);
  m->shape_pose = tribo_arena_take(arena, (size_t)n[TRIBO_KIND_SHAPE], sizeof *m->shape_pose);
  m->shape = tribo_arena_take(arena, (size_t)n[TRIBO_KIND_SHAPE], sizeof *m->shape);
  m->shape_material = tribo_arena_ints(arena, n[TRIBO_KIND_SHAPE]);
  m->surface = tribo_arena_take(arena, tribo_model_surface_count(m->source), sizeof *m->surface);
  m->dof_body = tribo_arena_ints(arena, m->nv);
  m->dof_parent = tribo_arena_ints(arena, m->nv);
  m->dof_depth = tribo_arena_ints(arena, m->nv);
  m->dof_run = tribo_arena_ints(arena, m->nv);
  m->dof_row = tribo_arena_ints(arena, m->nv + 1);
  m->column = tribo_arena_ints(arena, entries);
  // At most one tree a body.
  m->tree_dof = tribo_arena_ints(arena, m->nb + 1);
  m->tree_body = tribo_arena_ints(arena, m->nb + 1);
  m->q_initial = tribo_arena_doubles(arena, m->nq);
  int slots = 0;
  for (int kind = 0; kind < TRIBO_KIND_COUNT; ++kind) {
    m->name_start[kind] = slots;
    m->name_capacity[kind] = 1;
    while (m->name_capacity[kind] < 2 * n[kind]) m->name_capacity[kind] *= 2;
    slots += m->name_capacity[kind];
  }
  m->name_table = tribo_arena_ints(arena, slots);
}

// Joint frame as the recursions use it: z along the axis.
static TriboTransform axis_frame(const TriboJointDesc* d) {
  TriboTransform X = tribo_transform_identity();
  if (d->type == TRIBO_JOINT_HINGE || d->type == TRIBO_JOINT_SLIDE ||
      d->type == TRIBO_JOINT_PLANAR) {
    TriboVec3 z = tribo_vec3_normalize_or(d->axis, tribo_vec3(0, 0, 1)), x, y;
    tribo_vec3_tangents(z, &x, &y);
    X.R = tribo_mat3_from_columns(x, y, z);
  }
  return X;
}

// Adds a welded link's mass to its body.
static void add_mass(TriboBody* body, const TriboLinkDesc* d, TriboTransform X_BL) {
  TriboInertia I = {d->mass, tribo_vec3_zero(), {0}};
  TriboVec3 c = tribo_transform_point(X_BL, d->com);
  I.h = tribo_vec3_scale(d->mass, c);
  tribo_symmetric_rotate(X_BL.R, d->inertia, I.I);
  tribo_symmetric_add_point(I.I, d->mass, c);
  tribo_inertia_add(&body->inertia, &I);
}

// Places the child of joint j, whose parent link is placed already.
static void place(TriboModel* m, int j) {
  const TriboJointDesc* d = &m->source->joint[j];
  TriboTransform X_PL = tribo_transform_identity();
  int parent = -1;
  if (d->parent >= 0) {
    parent = m->link_body[d->parent];
    X_PL = m->link_pose[d->parent];
  }
  TriboTransform X_PJ = tribo_transform_mul(X_PL, tribo_transform_from_pose(d->pose_parent));
  TriboTransform X_CJ = tribo_transform_from_pose(d->pose_child);
  m->link_joint[d->child] = j;
  if (d->type == TRIBO_JOINT_FIXED) {
    m->joint_body[j] = -1;
    m->link_body[d->child] = parent;
    m->link_pose[d->child] = tribo_transform_mul(X_PJ, tribo_transform_inverse(X_CJ));
  } else {
    TriboTransform X_JF = axis_frame(d);
    TriboBody* body = &m->body[m->nb];
    memset(body, 0, sizeof *body);
    body->type = d->type;
    body->parent = parent;
    body->joint = j;
    body->tree = parent >= 0 ? m->body[parent].tree : m->ntree++;
    body->q = m->nq, body->nq = kNq[d->type];
    body->v = m->nv, body->nv = kNv[d->type];
    body->turns = body->v + kTranslations[d->type];
    body->X_PF = tribo_transform_mul(X_PJ, X_JF);
    body->damping = d->damping, body->friction = d->friction, body->armature = d->armature;
    body->stiffness = d->stiffness, body->rest = d->rest;
    body->limited = d->limited, body->lower = d->lower, body->upper = d->upper;
    m->joint_body[j] = m->link_body[d->child] = m->nb;
    m->link_pose[d->child] = tribo_transform_inverse(tribo_transform_mul(X_CJ, X_JF));
    m->nq += body->nq, m->nv += body->nv, ++m->nb;
  }
  int body = m->link_body[d->child];
  if (body >= 0) add_mass(&m->body[body], &m->source->link[d->child], m->link_pose[d->child]);
}

// Depth first without recursion: after joint j, its child's first joint, else the next sibling of
// the nearest ancestor. Siblings go by joint number.
static int next_joint(const TriboBuilder* b, int parent_link, int after) {
  for (int i = after + 1; i < b->count[TRIBO_KIND_JOINT]; ++i) {
    if (b->joint[i].parent == parent_link) return i;
  }
  return -1;
}

static void number_bodies(TriboModel* m) {
  const TriboBuilder* b = m->source;
  m->nb = m->nq = m->nv = m->ntree = 0;
  for (int j = next_joint(b, TRIBO_WORLD, -1); j >= 0;) {
    place(m, j);
    int next = next_joint(b, b->joint[j].child, -1);
    while (next < 0 && j >= 0) {
      int parent = b->joint[j].parent;
      next = next_joint(b, parent, j);
      j = parent >= 0 ? m->link_joint[parent] : -1;
    }
    j = next;
  }
}

// Quaternions of about unit length; zeros stand for the identity.
static void set_initial(const TriboBody* body, const double* initial, double* q) {
  for (int k = 0; k < body->nq; ++k) q[k] = initial[k];
  int at = body->type == TRIBO_JOINT_FREE ? 3 : body->type == TRIBO_JOINT_BALL ? 0 : -1;
  if (at < 0) return;
  TriboQuat unit = tribo_quat_normalize(tribo_quat(q[at], q[at + 1], q[at + 2], q[at + 3]));
  q[at] = unit.w, q[at + 1] = unit.x, q[at + 2] = unit.y, q[at + 3] = unit.z;
}

// Hinges one after the other from body i, which hangs on another, to the end of the tree's branch;
// 0 where the branch has other joints or branches itself.
static int limb_length(const TriboModel* m, int i) {
  int n = 0;
  for (; i + n < m->nb && (n == 0 || m->body[i + n].parent >= i); ++n) {
    const TriboBody* body = &m->body[i + n];
    if (body->type != TRIBO_JOINT_HINGE || body->parent < 0) return 0;
    if (n > 0 && body->parent != i + n - 1) return 0;
  }
  return n;
}

// Pairs limbs of one length that hang on the same body.
static void find_twins(TriboModel* m) {
  for (int i = 0; i < m->nb; ++i) m->body[i].twin = -1;
  for (int i = 0; i < m->nb; ++i) {
    int length = m->body[i].twin < 0 ? limb_length(m, i) : 0, parent = m->body[i].parent;
    for (int j = i + length; length > 0 && j < m->nb && m->body[j].parent >= parent; ++j) {
      if (m->body[j].parent != parent || m->body[j].twin >= 0) continue;
      if (limb_length(m, j) != length) continue;
      for (int n = 0; n < length; ++n) m->body[i + n].twin = j + n, m->body[j + n].twin = i + n;
      break;
    }
  }
}

static void lay_out_dofs(TriboModel* m) {
  int entry = 0;
  for (int i = 0; i < m->nb; ++i) {
    const TriboBody* body = &m->body[i];
    set_initial(body, m->source->joint[body->joint].initial, m->q_initial + body->q);
    for (int k = 0; k < body->nv; ++k) {
      int dof = body->v + k;
      const TriboBody* above = body->parent >= 0 ? &m->body[body->parent] : NULL;
      int parent = k > 0 ? dof - 1 : above ? above->v + above->nv - 1 : -1;
      int depth = parent >= 0 ? m->dof_depth[parent] : 0;
      m->dof_body[dof] = i;
      m->dof_parent[dof] = parent;
      m->dof_depth[dof] = depth + 1;
      m->dof_run[dof] = parent >= 0 && parent == dof - 1 ? m->dof_run[parent] : dof;
      m->dof_row[dof] = entry;
      for (int t = 0; t < depth; ++t) m->column[entry + t] = m->column[m->dof_row[parent] + t];
      m->column[entry + depth] = dof;
      entry += depth + 1;
    }
  }
  m->dof_row[m->nv] = entry;
  for (int i = m->nb - 1; i >= 0; --i) {
    m->tree_body[m->body[i].tree] = i;
    m->tree_dof[m->body[i].tree] = m->body[i].v;
  }
  m->tree_body[m->ntree] = m->nb;
  m->tree_dof[m->ntree] = m->nv;
  find_twins(m);
}

static void place_shapes(TriboModel* m) {
  for (int i = 0; i < m->source->count[TRIBO_KIND_SHAPE]; ++i) {
    const TriboShapeDesc* d = &m->source->shape[i];
    TriboTransform X = tribo_transform_from_pose(d->pose);
    m->shape_body[i] = d->link >= 0 ? m->link_body[d->link] : -1;
    m->shape_pose[i] = d->link >= 0 ? tribo_transform_mul(m->link_pose[d->link], X) : X;
  }
}

static uint64_t hash_bytes(uint64_t hash, const void* bytes, size_t size) {
  const unsigned char* p = bytes;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ p[i]) * 0x100000001b3u;  // FNV-1a
  return hash;
}

static uint64_t hash_name(const char* name) {
  return tribo_hash64(hash_bytes(0xcbf29ce484222325u, name, strlen(name)));
}

// Enters every name into the table of its kind; a name that is there already is refused.
static TriboStatus fill_names(TriboModel* m, TriboMessage* message) {
  const TriboBuilder* b = m->source;
  for (int kind = 0; kind < TRIBO_KIND_COUNT; ++kind) {
    int* table = m->name_table + m->name_start[kind];
    int mask = m->name_capacity[kind] - 1;
    for (int i = 0; i <= mask; ++i) table[i] = -1;
    for (int i = 0; i < b->count[kind]; ++i) {
      const char* name = tribo_builder_name(b, (TriboKind)kind, i);
      if (name[0] == '\0') continue;
      int slot = (int)(hash_name(name) & (uint64_t)mask);
      for (; table[slot] >= 0; slot = (slot + 1) & mask) {
        if (strcmp(name, tribo_builder_name(b, (TriboKind)kind, table[slot])) != 0) continue;
        return tribo_message_set(
            message, TRIBO_ERROR_MODEL,
            "%s has the same name as number %d: give every element of a kind its own",
            tribo_model_label(b, (TriboKind)kind, i).text, table[slot]);
      }
      table[slot] = i;
    }
  }
  return TRIBO_OK;
}

// One number of the hash at a time, as a 64-bit value, so that padding and byte order do not count.
static void mix(uint64_t* hash, double x) {
  uint64_t bits;
  x += 0.0;  // -0 is 0
  memcpy(&bits, &x, sizeof bits);
  *hash = tribo_hash64_combine(*hash, bits);
}
static void mix_all(uint64_t* hash, const double* x, int n) {
  for (int i = 0; i < n; ++i) mix(hash, x[i]);
}
static void mix_transform(uint64_t* hash, const TriboTransform* X) {
  mix_all(hash, X->R.m, 9);
  mix_all(hash, &X->p.x, 3);
}
static void mix_material(uint64_t* hash, const TriboMaterialDesc* d) {
  const double x[] = {d->friction, d->restitution, d->viscosity, d->torsional, d->rolling};
  mix_all(hash, x, 5);
}

static void mix_elements(const TriboModel* m, uint64_t* h) {
  const TriboBuilder* b = m->source;
  for (int i = 0; i < b->count[TRIBO_KIND_MATERIAL]; ++i) mix_material(h, &b->material[i]);
  for (int i = 0; i < b->pair_count; ++i) {
    mix(h, b->pair[i].material0), mix(h, b->pair[i].material1);
    mix_material(h, &b->pair[i].desc);
  }
  for (int i = 0; i < b->exclusion_count; ++i)
    mix(h, b->exclusion[i].link0), mix(h, b->exclusion[i].link1);
  mix(h, b->allow_parent_child);
  for (int i = 0; i < b->count[TRIBO_KIND_ACTUATOR]; ++i) {
    const TriboActuatorDesc* d = &b->actuator[i];
    const double x[] = {d->type,  d->joint,        d->axis,          d->gear,          d->kp,
                        d->kd,    d->effort_limit, d->control_lower, d->control_upper, d->scale,
                        d->offset};
    mix_all(h, x, 11);
  }
  for (int i = 0; i < b->count[TRIBO_KIND_LOOP]; ++i) {
    const TriboLoopDesc* d = &b->loop[i];
    const double x[] = {d->type,   d->link0, d->link1,  d->joint0,
                        d->joint1, d->ratio, d->offset, d->compliance};
    mix_all(h, x, 8);
    mix_all(h, &d->pose0.p.x, 3), mix_all(h, &d->pose0.q.w, 4);
    mix_all(h, &d->pose1.p.x, 3), mix_all(h, &d->pose1.q.w, 4);
  }
}

static void mix_shapes(const TriboModel* m, uint64_t* h) {
  for (int i = 0; i < m->source->count[TRIBO_KIND_SHAPE]; ++i) {
    const TriboShapeDesc* d = &m->source->shape[i];
    const double x[] = {d->type,         d->link,           d->size[0], d->size[1],
                        d->size[2],      d->material,       d->group,   d->mask,
                        d->vertex_count, d->triangle_count, d->rows,    d->columns};
    mix_all(h, x, 12);
    mix_transform(h, &m->shape_pose[i]);
    mix_all(h, d->vertices, 3 * d->vertex_count);
    for (int k = 0; k < 3 * d->triangle_count; ++k) mix(h, d->triangles[k]);
    mix_all(h, d->heights, d->rows * d->columns);
  }
}

static uint64_t compute_hash(const TriboModel* m) {
  uint64_t h = 1;
  mix_all(&h, &m->gravity.x, 3);
  for (int i = 0; i < m->nb; ++i) {
    const TriboBody* b = &m->body[i];
    const double x[] = {b->type,
                        b->parent,
                        b->damping,
                        b->friction,
                        b->armature,
                        b->stiffness,
                        b->rest,
                        b->limited,
                        b->limited ? b->lower : 0,
                        b->limited ? b->upper : 0,
                        b->inertia.m};
    mix_all(&h, x, 11);
    mix(&h, m->source->joint[b->joint].effort_limit);
    mix_all(&h, &b->inertia.h.x, 3), mix_all(&h, b->inertia.I, 6);
    mix_transform(&h, &b->X_PF);
  }
  mix_elements(m, &h);
  mix_shapes(m, &h);
  return h;
}

static TriboStatus compile(TriboModel* m, TriboMessage* message) {
  const TriboBuilder* b = m->source;
  int entries = count_entries(b);
  for (int i = 0; i < b->count[TRIBO_KIND_JOINT]; ++i) {
    int type = b->joint[i].type;
    m->nq += kNq[type], m->nv += kNv[type], m->nb += type != TRIBO_JOINT_FIXED;
  }
  TriboArena arena = tribo_arena_measure();
  layout(m, &arena, entries);
  m->block_size = arena.used;
  m->block = tribo_allocate(tribo_model_allocator(m), m->block_size);
  if (!m->block) return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory");
  arena = tribo_arena_over(m->block, m->block_size);
  layout(m, &arena, entries);
  m->nu = b->count[TRIBO_KIND_ACTUATOR];
  m->gravity = b->gravity;
  number_bodies(m);
  lay_out_dofs(m);
  place_shapes(m);
  TriboStatus status = fill_names(m, message);
  if (status != TRIBO_OK) return status;
  tribo_model_compile_surfaces(m);
  for (int i = 0; i < b->count[TRIBO_KIND_LINK]; ++i) m->total_mass += b->link[i].mass;
  m->hash = compute_hash(m);
  return tribo_model_compile_shapes(m, message);
}

TriboStatus tribo_model_create(const TriboBuilder* builder, const TriboAllocator* allocator,
                               TriboModel** model, TriboMessage* message) {
  tribo_message_clear(message);
  if (!builder || !model)
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT, "builder and model must not be NULL");
  TriboModel* m = tribo_allocate(allocator, sizeof *m);
  if (!m) return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory");
  memset(m, 0, sizeof *m);
  m->has_allocator = allocator != NULL;
  if (allocator) m->allocator = *allocator;
  TriboStatus status = tribo_builder_clone(builder, allocator, &m->source);
  if (status == TRIBO_OK) status = add_implicit_joints(m->source);
  if (status != TRIBO_OK) (void)tribo_message_set(message, status, "%s", tribo_status_text(status));
  if (status == TRIBO_OK) status = tribo_model_validate(m->source, message);
  if (status == TRIBO_OK) status = compile(m, message);
  if (status != TRIBO_OK) {
    tribo_model_destroy(m);
    return status;
  }
  *model = m;
  return TRIBO_OK;
}

void tribo_model_destroy(TriboModel* model) {
  if (!model) return;
  TriboAllocator copy = model->allocator;
  const TriboAllocator* allocator = model->has_allocator ? &copy : NULL;
  tribo_model_destroy_shapes(model);
  tribo_builder_destroy(model->source);
  if (model->block) tribo_release(allocator, model->block, model->block_size);
  tribo_release(allocator, model, sizeof *model);
}

int tribo_model_nq(const TriboModel* model) { return model->nq; }
int tribo_model_nv(const TriboModel* model) { return model->nv; }
int tribo_model_nu(const TriboModel* model) { return model->nu; }
int tribo_model_count(const TriboModel* model, TriboKind kind) {
  return tribo_builder_count(model->source, kind);
}
const char* tribo_model_name(const TriboModel* model, TriboKind kind, int index) {
  return tribo_builder_name(model->source, kind, index);
}
int tribo_model_find(const TriboModel* model, TriboKind kind, const char* name) {
  if (!name || !name[0] || kind < TRIBO_KIND_LINK || kind > TRIBO_KIND_FRAME) return -1;
  const int* table = model->name_table + model->name_start[kind];
  int mask = model->name_capacity[kind] - 1;
  int slot = (int)(hash_name(name) & (uint64_t)mask);
  for (int tries = 0; tries <= mask && table[slot] >= 0; ++tries, slot = (slot + 1) & mask) {
    if (strcmp(tribo_model_name(model, kind, table[slot]), name) == 0) return table[slot];
  }
  return -1;
}

#define DESCRIPTION(function, Type, KIND, array)                        \
  bool function(const TriboModel* model, int index, Type* desc) {       \
    if (index < 0 || index >= model->source->count[KIND]) return false; \
    *desc = model->source->array[index];                                \
    return true;                                                        \
  }
DESCRIPTION(tribo_model_link, TriboLinkDesc, TRIBO_KIND_LINK, link)
DESCRIPTION(tribo_model_joint, TriboJointDesc, TRIBO_KIND_JOINT, joint)
DESCRIPTION(tribo_model_shape, TriboShapeDesc, TRIBO_KIND_SHAPE, shape)
DESCRIPTION(tribo_model_material, TriboMaterialDesc, TRIBO_KIND_MATERIAL, material)
DESCRIPTION(tribo_model_actuator, TriboActuatorDesc, TRIBO_KIND_ACTUATOR, actuator)
DESCRIPTION(tribo_model_loop, TriboLoopDesc, TRIBO_KIND_LOOP, loop)
DESCRIPTION(tribo_model_frame, TriboFrameDesc, TRIBO_KIND_FRAME, frame)

static const TriboBody* body_of_joint(const TriboModel* model, int joint) {
  if (joint < 0 || joint >= model->source->count[TRIBO_KIND_JOINT]) return NULL;
  int body = model->joint_body[joint];
  return body >= 0 ? &model->body[body] : NULL;
}
int tribo_model_joint_q(const TriboModel* model, int joint) {
  const TriboBody* body = body_of_joint(model, joint);
  return body ? body->q : -1;
}
int tribo_model_joint_v(const TriboModel* model, int joint) {
  const TriboBody* body = body_of_joint(model, joint);
  return body ? body->v : -1;
}
int tribo_model_link_joint(const TriboModel* model, int link) {
  if (link < 0 || link >= model->source->count[TRIBO_KIND_LINK]) return -1;
  return model->link_joint[link];
}
double tribo_model_total_mass(const TriboModel* model) { return model->total_mass; }
TriboVec3 tribo_model_gravity(const TriboModel* model) { return model->gravity; }
uint64_t tribo_model_hash(const TriboModel* model) { return model->hash; }
