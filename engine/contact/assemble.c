// SPDX-License-Identifier: Apache-2.0
//
// Counts first, rows second. Every island's rows are consecutive in the pools, joint rows before
// contacts, contacts in the order of the detection; so the problems do not depend on which island
// is assembled when.
#include "engine/contact/assemble.h"

#include <string.h>

#include "engine/base/hash.h"

// ---- memory

static void pool_layout(TriboRowPool* pool, TriboArena* arena, int rows, int islands, int entries) {
  pool->capacity = rows + islands;
  pool->start = tribo_arena_ints(arena, rows + islands);
  pool->index = tribo_arena_ints(arena, entries);
  pool->value = tribo_arena_doubles(arena, entries);
  pool->target = tribo_arena_doubles(arena, rows + islands);
  pool->impulse = tribo_arena_doubles(arena, rows + islands);
  pool->warm = tribo_arena_doubles(arena, rows + islands);
  pool->total = tribo_arena_doubles(arena, rows + islands);
}

static void look_at_surfaces(TriboProblemSet* set, const TriboModel* model) {
  const int materials = model->source->count[TRIBO_KIND_MATERIAL] + 1;
  set->has_spin = set->has_bounce = false;
  for (int i = 0; i < materials * (materials + 1) / 2; ++i) {
    const TriboSurface* surface = &model->surface[i];
    if (surface->torsional > 0 || surface->rolling > 0) set->has_spin = true;
    if (surface->restitution > 0) set->has_bounce = true;
  }
}

void tribo_problems_layout(TriboProblemSet* set, TriboArena* arena, const TriboModel* model,
                           int max_contacts) {
  const int trees = model->ntree;
  int deepest = 0;
  for (int k = 0; k < model->nv; ++k) {
    if (model->dof_depth[k] > deepest) deepest = model->dof_depth[k];
  }
  set->max_contacts = max_contacts;
  set->max_path = 2 * deepest < model->nv ? 2 * deepest : model->nv;
  look_at_surfaces(set, model);
  tribo_islands_layout(&set->islands, arena, trees);
  set->tree_shift = tribo_arena_ints(arena, trees);
  set->contact =
      (TriboContactRows*)tribo_arena_take(arena, (size_t)max_contacts, sizeof(TriboContactRows));
  set->contact_order = tribo_arena_ints(arena, max_contacts);
  tribo_joint_rows_layout(&set->joint, arena, model);
  set->joint_order = tribo_arena_ints(arena, set->joint.capacity);
  set->loops = model->source->count[TRIBO_KIND_LOOP];
  set->loop = (TriboLoopRows*)tribo_arena_take(arena, (size_t)set->loops, sizeof(TriboLoopRows));
  set->loop_order = tribo_arena_ints(arena, set->loops);
  set->bucket = tribo_arena_ints(arena, trees + 1);
  set->island =
      (TriboIslandProblem*)tribo_arena_take(arena, (size_t)trees, sizeof(TriboIslandProblem));

  const int joints = set->joint.capacity;
  const int tangents = set->has_spin ? 5 : 2;
  const int rows_N = max_contacts + joints, rows_T = tangents * max_contacts + joints;
  int rows_X = 0;
  for (int l = 0; l < set->loops; ++l) rows_X += tribo_loop_rows(model->source->loop[l].type);
  pool_layout(&set->X, arena, rows_X, trees, rows_X * (set->max_path + 1));
  pool_layout(&set->N, arena, rows_N, trees, rows_N * set->max_path);
  // A tangent of the viscous model has an entry of its own; a contact's normal is made behind its
  // tangents.
  pool_layout(&set->T, arena, rows_T, trees, (rows_T + 1) * (set->max_path + 1));
  set->id_N = (uint64_t*)tribo_arena_take(arena, (size_t)(rows_N + trees), sizeof(uint64_t));
  const int groups = (set->has_spin ? 3 : 1) * max_contacts + joints;
  set->max_groups = groups;
  set->group =
      (TriboFrictionGroup*)tribo_arena_take(arena, (size_t)groups, sizeof(TriboFrictionGroup));
  set->mode_N = (TriboMode*)tribo_arena_take(arena, (size_t)(rows_N + trees), sizeof(TriboMode));
  set->mode_g = (TriboMode*)tribo_arena_take(arena, (size_t)groups, sizeof(TriboMode));
  set->warm_mode_N =
      (TriboMode*)tribo_arena_take(arena, (size_t)(rows_N + trees), sizeof(TriboMode));
  set->warm_mode_g = (TriboMode*)tribo_arena_take(arena, (size_t)groups, sizeof(TriboMode));
  set->max_y = model->nv + rows_T + rows_X;
  set->k = tribo_arena_doubles(arena, set->max_y);
  set->y = tribo_arena_doubles(arena, set->max_y);
  set->y_total = tribo_arena_doubles(arena, set->max_y);
}

// ---- islands

static int tree_of_shape(const TriboModel* model, int shape) {
  const int body = model->shape_body[shape];
  return body < 0 ? -1 : model->body[body].tree;
}

static void find_islands(TriboProblemSet* set, const TriboModel* model,
                         const TriboDetection* detection) {
  tribo_islands_clear(&set->islands);
  for (int c = 0; c < detection->count; ++c) {
    if (set->contact[c].normal < 0) continue;
    const TriboContact* contact = &detection->contact[c];
    tribo_islands_join(&set->islands, tree_of_shape(model, contact->shape0),
                       tree_of_shape(model, contact->shape1));
  }
  for (int j = 0; j < set->joint.count; ++j) {
    tribo_islands_join(&set->islands, set->joint.row[j].tree, -1);
  }
  for (int l = 0; l < set->loops; ++l) {
    int tree[2];
    tribo_loop_trees(model, l, tree);
    tribo_islands_join(&set->islands, tree[0], tree[1]);
  }
  tribo_islands_number(&set->islands);
}

// Where every tree's coordinates go in its island.
static void place_trees(TriboProblemSet* set, const TriboModel* model) {
  set->tree_dof = model->tree_dof;
  const TriboIslands* islands = &set->islands;
  for (int i = 0; i < islands->count; ++i) {
    int ny = 0;
    for (int t = islands->first[i]; t < islands->first[i + 1]; ++t) {
      const int tree = islands->tree[t];
      set->tree_shift[tree] = ny - set->tree_dof[tree];
      ny += set->tree_dof[tree + 1] - set->tree_dof[tree];
    }
    set->island[i].problem.ny = set->island[i].dofs = ny;
  }
}

// ---- contacts

// Whether a contact gets rows at all.
static bool takes_part(const TriboStepOptions* options, double gap) {
  return options->assembly == TRIBO_ASSEMBLY_STEWART_TRINKLE || gap <= options->touching;
}

// Which friction a contact gets.
static bool has_tangents(const TriboStepOptions* options, const TriboSurface* surface, double gap) {
  switch (options->model) {
    case TRIBO_MODEL_COULOMB:
      return surface->friction > 0;
    case TRIBO_MODEL_NOSLIP:
      return gap <= options->touching;
    case TRIBO_MODEL_VISCOUS:
      return gap <= options->touching && surface->viscosity > 0;
    default:
      return false;
  }
}

static uint64_t contact_id(const TriboContact* contact) {
  const uint64_t pair = (uint64_t)(uint32_t)contact->shape0 << 32 | (uint32_t)contact->shape1;
  return tribo_hash64_combine(pair, contact->feature);
}

// Two unit tangents, as tribo_vec3_tangents has them, but with the jump away from n.z = 0, where
// the normals of walls are: there rounding would turn the frame from step to step.
static void contact_tangents(TriboVec3 n, TriboVec3* t1, TriboVec3* t2) {
  const double sign = n.z > -0.6 ? 1 : -1;
  const double a = -1 / (sign + n.z), b = n.x * n.y * a;
  *t1 = tribo_vec3(1 + sign * n.x * n.x * a, sign * b, -sign * n.x);
  *t2 = tribo_vec3(b, sign + n.y * n.y * a, -n.y);
}

// Where the forces of a contact act. The narrow phase gives the point midway between the surfaces;
// along the normal it may be moved without a change of the normal row. Points of one pair that lie
// at different heights would let a body stick at two of them only if it did not turn while their
// gaps close: sticking rows would contradict each other by gap/h times the slope. So the points of
// a fixed shape lie on its surface, where the gap will be closed, and those of two moving shapes in
// the plane of the pair's first.
static TriboVec3 force_point(const TriboProblemSet* set, const TriboModel* model,
                             const TriboDetection* detection, int c) {
  const TriboContact* contact = &detection->contact[c];
  const TriboVec3 p = contact->point, n = contact->normal;
  if (model->shape_body[contact->shape0] < 0) return tribo_vec3_madd(p, -0.5 * contact->gap, n);
  if (model->shape_body[contact->shape1] < 0) return tribo_vec3_madd(p, 0.5 * contact->gap, n);
  const TriboContact* last = c > 0 ? contact - 1 : NULL;
  if (last == NULL || last->shape0 != contact->shape0 || last->shape1 != contact->shape1) return p;
  const TriboVec3 plane = set->contact[c - 1].point;
  return tribo_vec3_madd(p, tribo_vec3_dot(n, tribo_vec3_sub(plane, p)), n);
}

static void describe_contacts(TriboProblemSet* set, const TriboModel* model,
                              const TriboStepOptions* options, const TriboDetection* detection) {
  for (int c = 0; c < detection->count; ++c) {
    const TriboContact* contact = &detection->contact[c];
    TriboContactRows* rows = &set->contact[c];
    rows->id = contact_id(contact);
    rows->point = force_point(set, model, detection, c);
    contact_tangents(contact->normal, &rows->t1, &rows->t2);
    rows->surface = tribo_model_surface(model, contact->shape0, contact->shape1);
    rows->island = -1;
    rows->normal = takes_part(options, contact->gap) ? 0 : -1;
    rows->tangent = rows->torsion = rows->rolling = rows->group = rows->before = -1;
  }
}

// ---- orders

// Lists `count` things by island, stably: order[first .. first + number) for each.
static void order_contacts(TriboProblemSet* set, const TriboModel* model,
                           const TriboDetection* detection) {
  const int islands = set->islands.count;
  for (int i = 0; i < islands; ++i) set->island[i].contacts = 0;
  for (int c = 0; c < detection->count; ++c) {
    TriboContactRows* rows = &set->contact[c];
    if (rows->normal < 0) continue;
    int tree = tree_of_shape(model, detection->contact[c].shape0);
    if (tree < 0) tree = tree_of_shape(model, detection->contact[c].shape1);
    rows->island = set->islands.of_tree[tree];
    ++set->island[rows->island].contacts;
  }
  int first = 0;
  for (int i = 0; i < islands; ++i) {
    set->island[i].first_contact = set->bucket[i] = first;
    first += set->island[i].contacts;
  }
  for (int c = 0; c < detection->count; ++c) {
    const int island = set->contact[c].island;
    if (island >= 0) set->contact_order[set->bucket[island]++] = c;
  }
}

static void order_joints(TriboProblemSet* set) {
  const int islands = set->islands.count;
  for (int i = 0; i < islands; ++i) set->island[i].joints = 0;
  for (int j = 0; j < set->joint.count; ++j) {
    ++set->island[set->islands.of_tree[set->joint.row[j].tree]].joints;
  }
  int first = 0;
  for (int i = 0; i < islands; ++i) {
    set->island[i].first_joint = set->bucket[i] = first;
    first += set->island[i].joints;
  }
  for (int j = 0; j < set->joint.count; ++j) {
    const int island = set->islands.of_tree[set->joint.row[j].tree];
    set->joint_order[set->bucket[island]++] = j;
  }
}

static void order_loops(TriboProblemSet* set, const TriboModel* model) {
  const int islands = set->islands.count;
  for (int i = 0; i < islands; ++i) set->island[i].loops = 0;
  for (int l = 0; l < set->loops; ++l) {
    int tree[2];
    tribo_loop_trees(model, l, tree);
    const int some = tree[0] >= 0 ? tree[0] : tree[1];
    set->loop[l].island = some < 0 ? -1 : set->islands.of_tree[some];
    if (some >= 0) ++set->island[set->loop[l].island].loops;
  }
  int first = 0;
  for (int i = 0; i < islands; ++i) {
    set->island[i].first_loop = set->bucket[i] = first;
    first += set->island[i].loops;
  }
  for (int l = 0; l < set->loops; ++l) {
    const int island = set->loop[l].island;
    if (island >= 0) set->loop_order[set->bucket[island]++] = l;
  }
}

// ---- rows

// What one island's rows are written with.
typedef struct Writer {
  TriboProblemSet* set;
  const TriboModel* model;
  const TriboStepOptions* options;
  const TriboTree* tree;
  TriboIslandProblem* island;
} Writer;

static void open_rows(TriboRowPool* pool, TriboRows* rows) {
  rows->count = 0;
  rows->start = pool->start + pool->rows;
  rows->index = pool->index + pool->entries;
  rows->value = pool->value + pool->entries;
  rows->start[0] = 0;
}

static void close_rows(TriboRowPool* pool, const TriboRows* rows) {
  pool->rows += rows->count + 1;
  pool->entries += rows->start[rows->count];
}

// Coordinates of a path's entries in the island.
static void write_index(const Writer* w, const TriboTreePath* path, int* index) {
  tribo_tree_path_index(w->model, path, index);
  for (int side = 0, e = 0; side < 2; ++side) {
    if (path->end[side] < 0) continue;
    const int tree = w->model->body[w->model->dof_body[path->end[side]]].tree;
    const int shift = w->set->tree_shift[tree];
    const int end = side == 0 ? path->depth[0] : path->count;
    if (shift == 0) {
      e = end;
      continue;
    }
    for (; e < end; ++e) index[e] += shift;
  }
}

// Ends the row that was written after the last one of `rows`.
static int end_row(TriboRows* rows, int entries) {
  rows->start[rows->count + 1] = rows->start[rows->count] + entries;
  return rows->count++;
}

// Adds the private coordinate of a compliant row that ends at `at` entries.
static int add_compliance(const Writer* w, TriboRows* rows, int at, double compliance) {
  TriboContactProblem* problem = &w->island->problem;
  rows->index[rows->start[rows->count] + at] = problem->ny;
  rows->value[rows->start[rows->count] + at] = sqrt(compliance);
  w->set->k[w->set->used_y + problem->ny++] = 0;
  return at + 1;
}

static double target_of(double gap, double h) { return gap > kTriboClosedGap ? -gap / h : 0; }

static void add_group(const Writer* w, int normal, int tangent, int rows, double mu, double bound) {
  TriboContactProblem* problem = &w->island->problem;
  TriboFrictionGroup* group = &w->set->group[w->set->used_group + problem->ng++];
  group->normal = normal;
  group->tangent = tangent;
  group->rows = rows;
  group->facets = rows == 2 ? w->options->facets : 2;
  group->mu = mu;
  group->bound = bound;
}

// The rows of a loop.
static void write_loop(const Writer* w, const double* q, int loop) {
  const TriboModel* model = w->model;
  TriboContactProblem* problem = &w->island->problem;
  TriboLoopRows* out = &w->set->loop[loop];
  const double compliance = model->source->loop[loop].compliance, h = w->options->h;
  out->id = tribo_hash64_combine(16, (uint64_t)loop);
  out->rigid = !(compliance > 0);
  out->frame = tribo_loop_evaluate(model, w->tree, q, loop);
  out->row = problem->X.count;
  const TriboTreePath path = tribo_loop_path(model, loop);
  TriboRows* X = &problem->X;
  const int stride = path.count + (out->rigid ? 0 : 1);
  tribo_loop_write(model, w->tree, &path, loop, &out->frame, stride, X->value + X->start[X->count]);
  for (int r = 0; r < out->frame.rows; ++r) {
    write_index(w, &path, X->index + X->start[X->count]);
    w->set->X.target[w->set->X.rows + X->count] = out->rigid ? 0 : -out->frame.error[r] / h;
    end_row(X, out->rigid ? path.count : add_compliance(w, X, path.count, compliance / (h * h)));
  }
}

// A limit, a dry joint or a motor.
static void write_joint(const Writer* w, TriboJointRow* joint) {
  TriboContactProblem* problem = &w->island->problem;
  const bool is_friction = joint->kind > TRIBO_JOINT_ROW_UPPER;
  TriboRows* rows = is_friction ? &problem->T : &problem->N;
  const int at = rows->start[rows->count];
  const TriboTreePath path = tribo_tree_path(w->model, -1, joint->dof);
  double* value = rows->value + at;
  memset(value, 0, (size_t)path.count * sizeof *value);
  memcpy(value + path.count - joint->dofs, &joint->direction.x,
         (size_t)joint->dofs * sizeof *value);
  tribo_tree_half_solve(w->model, w->tree, &path, 1, path.count, value);
  write_index(w, &path, rows->index + at);
  joint->row =
      end_row(rows, joint->compliance > 0 ? add_compliance(w, rows, path.count, joint->compliance)
                                          : path.count);
  if (is_friction) {
    w->set->T.target[w->set->T.rows + joint->row] = joint->target;
    joint->group = problem->ng;
    add_group(w, -1, joint->row, 1, 0, joint->bound);
  } else {
    w->island->b_N[joint->row] = target_of(joint->gap, w->options->h);
    w->set->id_N[w->set->N.rows + joint->row] = joint->id;
  }
}

// The normal row of a contact and the rows of its friction.
static void write_contact(const Writer* w, const TriboContact* contact, TriboContactRows* out) {
  TriboContactProblem* problem = &w->island->problem;
  const TriboModel* model = w->model;
  const TriboSurface* surface = out->surface;
  const TriboTreePath path =
      tribo_tree_path(model, tribo_tree_body_dof(model, model->shape_body[contact->shape0]),
                      tribo_tree_body_dof(model, model->shape_body[contact->shape1]));
  const TriboVec3 zero = tribo_vec3_zero();

  // Tangents, then spin about the normal and rolling about the tangents; the normal comes last. All
  // are made in one go where the tangents stay; the normal then goes to its own rows.
  TriboSpatial force[6];
  int rows = 0;
  const bool rubs = has_tangents(w->options, surface, contact->gap);
  const bool coulomb = rubs && w->options->model == TRIBO_MODEL_COULOMB;
  const bool spins = coulomb && surface->torsional > 0, rolls = coulomb && surface->rolling > 0;
  if (rubs) {
    force[rows++] = tribo_spatial(zero, out->t1);
    force[rows++] = tribo_spatial(zero, out->t2);
  }
  if (spins) force[rows++] = tribo_spatial(contact->normal, zero);
  if (rolls) {
    force[rows++] = tribo_spatial(out->t1, zero);
    force[rows++] = tribo_spatial(out->t2, zero);
  }
  force[rows] = tribo_spatial(zero, contact->normal);
  TriboRows *N = &problem->N, *T = &problem->T;
  const double viscous = rubs && w->options->model == TRIBO_MODEL_VISCOUS
                             ? 1 / (w->options->h * surface->viscosity)
                             : 0;
  const int stride = path.count + (viscous > 0 ? 1 : 0);
  double* value = T->value + T->start[T->count];
  tribo_tree_path_rows(model, w->tree, &path, out->point, rows + 1, force, stride, value);
  tribo_tree_half_solve(model, w->tree, &path, rows + 1, stride, value);
  memcpy(N->value + N->start[N->count], value + rows * stride, (size_t)path.count * sizeof *value);
  int* index = N->index + N->start[N->count];
  write_index(w, &path, index);
  out->normal = end_row(N, path.count);
  w->island->b_N[out->normal] = target_of(contact->gap, w->options->h);
  w->set->id_N[w->set->N.rows + out->normal] = out->id;

  if (!rubs) return;
  out->tangent = T->count;
  for (int r = 0; r < rows; ++r) {
    memcpy(T->index + T->start[T->count], index, (size_t)path.count * sizeof *index);
    w->set->T.target[w->set->T.rows + T->count] = 0;
    end_row(T, viscous > 0 ? add_compliance(w, T, path.count, viscous) : path.count);
  }
  out->group = problem->ng;
  add_group(w, out->normal, out->tangent, 2, surface->friction, 0);
  int next = out->tangent + 2;
  if (spins) {
    out->torsion = next++;
    add_group(w, out->normal, out->torsion, 1, surface->friction * surface->torsional, 0);
  }
  if (rolls) {
    out->rolling = next;
    add_group(w, out->normal, out->rolling, 2, surface->friction * surface->rolling, 0);
  }
}

static void write_island(const Writer* w, const TriboDetection* detection, const double* q,
                         const double* k) {
  TriboProblemSet* set = w->set;
  TriboIslandProblem* island = w->island;
  TriboContactProblem* problem = &island->problem;
  const int i = (int)(island - set->island);

  // Views: this island's rows start where the last one's ended.
  open_rows(&set->X, &problem->X);
  open_rows(&set->N, &problem->N);
  open_rows(&set->T, &problem->T);
  problem->b_X = set->X.target + set->X.rows;
  problem->b_N = island->b_N = set->N.target + set->N.rows;
  problem->b_T = set->T.target + set->T.rows;
  problem->id_N = set->id_N + set->N.rows;
  problem->group = set->group + set->used_group;
  problem->ng = 0;
  problem->k = set->k + set->used_y;
  island->solution = (TriboContactSolution){
      set->y + set->used_y,         set->X.impulse + set->X.rows, set->N.impulse + set->N.rows,
      set->T.impulse + set->T.rows, set->mode_N + set->N.rows,    set->mode_g + set->used_group};
  island->warm = island->reported = island->solution;
  island->warm.x = set->X.warm + set->X.rows;
  island->warm.f = set->N.warm + set->N.rows;
  island->warm.t = set->T.warm + set->T.rows;
  island->total = island->solution;
  island->total.y = set->y_total + set->used_y;
  island->total.x = set->X.total + set->X.rows;
  island->total.f = set->N.total + set->N.rows;
  island->total.t = set->T.total + set->T.rows;
  island->warm.mode_N = set->warm_mode_N + set->N.rows;
  island->warm.mode_g = set->warm_mode_g + set->used_group;

  double* local = set->k + set->used_y;
  for (int t = set->islands.first[i]; t < set->islands.first[i + 1]; ++t) {
    const int tree = set->islands.tree[t], first = set->tree_dof[tree];
    const size_t count = (size_t)(set->tree_dof[tree + 1] - first);
    memcpy(local + first + set->tree_shift[tree], k + first, count * sizeof(double));
  }
  for (int l = 0; l < island->loops; ++l) {
    write_loop(w, q, set->loop_order[island->first_loop + l]);
  }
  for (int j = 0; j < island->joints; ++j) {
    write_joint(w, &set->joint.row[set->joint_order[island->first_joint + j]]);
  }
  for (int c = 0; c < island->contacts; ++c) {
    const int contact = set->contact_order[island->first_contact + c];
    write_contact(w, &detection->contact[contact], &set->contact[contact]);
  }

  close_rows(&set->X, &problem->X);
  close_rows(&set->N, &problem->N);
  close_rows(&set->T, &problem->T);
  set->used_group += problem->ng;
  set->used_y += problem->ny;
}

void tribo_assemble(TriboProblemSet* set, const TriboModel* model, const TriboStepOptions* options,
                    const TriboTree* tree, const TriboDetection* detection, const double* q,
                    const double* k) {
  describe_contacts(set, model, options, detection);
  find_islands(set, model, detection);
  place_trees(set, model);
  order_contacts(set, model, detection);
  order_joints(set);
  order_loops(set, model);

  TriboRowPool* pools[] = {&set->X, &set->N, &set->T};
  for (int p = 0; p < 3; ++p) pools[p]->rows = pools[p]->entries = 0;
  set->used_group = set->used_y = 0;
  for (int i = 0; i < set->islands.count; ++i) {
    const Writer writer = {set, model, options, tree, &set->island[i]};
    write_island(&writer, detection, q, k);
  }
}

void tribo_island_scatter(const TriboProblemSet* set, int island, const double* local, double* y) {
  for (int t = set->islands.first[island]; t < set->islands.first[island + 1]; ++t) {
    const int tree = set->islands.tree[t], first = set->tree_dof[tree];
    const size_t count = (size_t)(set->tree_dof[tree + 1] - first);
    memcpy(y + first, local + first + set->tree_shift[tree], count * sizeof(double));
  }
}

void tribo_problems_scatter(const TriboProblemSet* set, double* y) {
  for (int i = 0; i < set->islands.count; ++i) {
    tribo_island_scatter(set, i, set->island[i].solution.y, y);
  }
}

void tribo_problems_scatter_reported(const TriboProblemSet* set, double* y) {
  for (int i = 0; i < set->islands.count; ++i) {
    tribo_island_scatter(set, i, set->island[i].reported.y, y);
  }
}
