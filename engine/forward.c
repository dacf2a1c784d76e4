// SPDX-License-Identifier: Apache-2.0
//
// The acceleration level: what forces and accelerations hold now.
//
//   M a = f - bias + N^T f_n + T^T t,     0 <= f_n  _|_  N a + c >= 0
//
// for the contacts that touch and do not separate. c is the second derivative of the gap at a = 0.
// It depends on the curvature of both surfaces and on how the point of contact travels, so it is
// measured on the gaps themselves: (gap(q (+) e v) - 2 gap(q) + gap(q (-) e v))/e^2.
#include <math.h>
#include <string.h>

#include "collision/narrow.h"
#include "engine/contact/solve_island.h"
#include "engine/state.h"
#include "engine/workspace.h"
#include "solvers/coping.h"
#include "solvers/dantzig_friction.h"
#include "solvers/energy.h"

// What the functions below share.
typedef struct Forward {
  const TriboModel* model;
  const TriboForwardOptions* options;
  const TriboInput* input;
  const TriboState* state;
  TriboWorkspace* ws;
  TriboStepOptions step;  // for the assembly: forces are impulses of a step of 1 s
  TriboForwardInfo* info;
} Forward;

TriboForwardOptions tribo_forward_options_default(void) {
  TriboForwardOptions options = {TRIBO_FORWARD_FRICTIONLESS, 1e-6, 1e-6, 1e-9, 1000};
  return options;
}

// ---- contacts

// Keeps the contacts that do not separate.
static void drop_separating(const Forward* f) {
  TriboDetection* d = &f->ws->detection;
  const TriboTree* tree = &f->ws->tree;
  int kept = 0;
  for (int c = 0; c < d->count; ++c) {
    const TriboContact* contact = &d->contact[c];
    double speed = 0;
    for (int side = 0; side < 2; ++side) {
      const int body = f->model->shape_body[side == 0 ? contact->shape0 : contact->shape1];
      if (body < 0) continue;
      const TriboVec3 arm = tribo_vec3_sub(contact->point, tree->X_WB[body].p);
      const TriboVec3 v = tribo_vec3_add(tree->V[body].v, tribo_vec3_cross(tree->V[body].w, arm));
      speed += (side == 0 ? -1 : 1) * tribo_vec3_dot(contact->normal, v);
    }
    if (speed <= f->options->still) d->contact[kept++] = *contact;
  }
  d->count = kept;
}

static TriboStatus find_contacts(const Forward* f) {
  TriboWorkspace* ws = f->ws;
  tribo_tree_kinematics(f->model, &ws->tree, f->state->q);
  tribo_tree_velocities(f->model, &ws->tree, f->state->v);
  memcpy(ws->results.X_WB, ws->tree.X_WB, (size_t)f->model->nb * sizeof(TriboTransform));
  const TriboMotion motion = {ws->tree.X_WB, ws->tree.V};
  const TriboStatus status =
      tribo_detect(&ws->detection, f->model, motion, 0, f->options->touching);
  if (status == TRIBO_OK) drop_separating(f);
  return status;
}

// Adds weight times the gap of every contact at the tree's present poses to `sum`. A contact that
// is not there any more counts as unchanged.
static void add_gaps(const Forward* f, double weight, double* sum) {
  const TriboModel* model = f->model;
  const TriboDetection* d = &f->ws->detection;
  for (int first = 0, next; first < d->count; first = next) {
    const TriboContact* contact = &d->contact[first];
    next = first + 1;
    while (next < d->count && d->contact[next].shape0 == contact->shape0 &&
           d->contact[next].shape1 == contact->shape1) {
      ++next;
    }
    TriboTransform X[2];
    const int shape[2] = {contact->shape0, contact->shape1};
    for (int s = 0; s < 2; ++s) {
      const int body = model->shape_body[shape[s]];
      X[s] = body < 0 ? model->shape_pose[shape[s]]
                      : tribo_transform_mul(f->ws->tree.X_WB[body], model->shape_pose[shape[s]]);
    }
    TriboContact moved[TRIBO_CONTACTS_PER_PAIR];
    int count = 0;
    // The margin covers the small way that the shapes went.
    if (tribo_collide(&model->shape[shape[0]], &X[0], &model->shape[shape[1]], &X[1], 1e-2, moved,
                      TRIBO_CONTACTS_PER_PAIR, &count) != TRIBO_OK) {
      count = 0;
    }
    for (int c = first; c < next; ++c) {
      double gap = NAN;
      for (int m = 0; m < count; ++m) {
        if (moved[m].feature == d->contact[c].feature) gap = moved[m].gap;
      }
      sum[c] += weight * gap;
    }
  }
}

// The second derivatives of the gaps along the present velocity, by contact.
static void measure_curvature(const Forward* f, double* c) {
  const TriboModel* model = f->model;
  TriboWorkspace* ws = f->ws;
  const int count = ws->detection.count;
  for (int i = 0; i < count; ++i) c[i] = 0;
  double speed = 0;
  for (int k = 0; k < model->nv; ++k) speed = fmax(speed, fabs(f->state->v[k]));
  if (speed == 0) return;
  // A way of 1e-4 m or rad: the cube of it is lost, and 1e-16/1e-8 of rounding.
  const double e = 1e-4 / speed;
  for (int side = -1; side <= 1; side += 2) {
    tribo_tree_integrate(model, f->state->q, f->state->v, side * e, ws->q_next);
    tribo_tree_kinematics(model, &ws->tree, ws->q_next);
    add_gaps(f, 1, c);
  }
  for (int i = 0; i < count; ++i) {
    c[i] = (c[i] - 2 * ws->detection.contact[i].gap) / (e * e);
    if (!isfinite(c[i])) c[i] = 0;
  }
}

// ---- the problem

// Free accelerations, to y in mass coordinates.
static TriboStatus accelerate_freely(const Forward* f) {
  const TriboModel* model = f->model;
  TriboTree* tree = &f->ws->tree;
  tribo_tree_kinematics(model, tree, f->state->q);
  tribo_tree_mass(model, tree);
  tribo_tree_forces(model, tree, f->input, f->state->q, f->state->v, 0, NULL);
  tribo_tree_factor(model, tree, NULL);
  tribo_tree_bias(model, tree, 0, model->nb, f->state->v, tree->bias);
  double* y = f->ws->y;
  for (int k = 0; k < model->nv; ++k) y[k] = tree->force[k] - tree->bias[k];
  tribo_tree_solve(model, tree, y);
  for (int k = 0; k < model->nv; ++k) {
    if (!isfinite(y[k])) return TRIBO_ERROR_NOT_FINITE;
  }
  tribo_tree_to_mass(model, tree, y);
  return TRIBO_OK;
}

// Rows; then the targets of accelerations in place of those of velocities.
static void assemble(const Forward* f, const double* c) {
  const TriboModel* model = f->model;
  TriboWorkspace* ws = f->ws;
  TriboProblemSet* set = &ws->problems;
  memset(ws->shift, 0, (size_t)model->nv * sizeof(double));
  tribo_joint_rows_find(&set->joint, model, f->state->q, ws->shift, ws->shift, 1,
                        f->options->touching);
  tribo_joint_rows_drop_leaving(&set->joint, f->state->v, f->options->still);
  tribo_assemble(set, model, &f->step, &ws->tree, &ws->detection, f->state->q, ws->y);
  for (int i = 0; i < set->islands.count; ++i) {
    TriboIslandProblem* island = &set->island[i];
    for (int j = 0; j < island->joints; ++j) {
      const TriboJointRow* row = &set->joint.row[set->joint_order[island->first_joint + j]];
      if (row->kind > TRIBO_JOINT_ROW_UPPER) continue;
      island->b_N[row->row] = -tribo_joint_row_curvature(row, model, f->state->q, f->state->v);
    }
    for (int n = 0; n < island->contacts; ++n) {
      const int contact = set->contact_order[island->first_contact + n];
      island->b_N[set->contact[contact].normal] = -c[contact];
    }
  }
}

// The velocity of every tangential row of an island, to slip (T.count).
static void measure_slip(const Forward* f, const TriboIslandProblem* island, const double* y_now,
                         double* slip) {
  const TriboProblemSet* set = &f->ws->problems;
  const TriboRows* T = &island->problem.T;
  double* local = f->ws->dy;
  const int i = (int)(island - set->island);
  for (int t = set->islands.first[i]; t < set->islands.first[i + 1]; ++t) {
    const int tree = set->islands.tree[t], first = set->tree_dof[tree];
    for (int k = first; k < set->tree_dof[tree + 1]; ++k)
      local[k + set->tree_shift[tree]] = y_now[k];
  }
  for (int k = island->dofs; k < island->problem.ny; ++k) local[k] = 0;
  for (int r = 0; r < T->count; ++r) slip[r] = tribo_row_dot(T, r, local);
}

// ---- solves

// Viscous drag at the present velocity is a force like others; then only normals are left.
static void apply_drag(const Forward* f, TriboIslandProblem* island, const double* slip) {
  TriboProblemSet* set = &f->ws->problems;
  double* k = set->k + (island->problem.k - set->k);
  for (int n = 0; n < island->contacts; ++n) {
    const TriboContactRows* rows = &set->contact[set->contact_order[island->first_contact + n]];
    if (rows->tangent < 0) continue;
    for (int r = rows->tangent; r < rows->tangent + 2; ++r) {
      const double drag = -rows->surface->viscosity * slip[r];
      island->solution.t[r] = drag;
      tribo_row_axpy(&island->problem.T, r, drag, k);
    }
  }
}

static TriboStatus solve_normals(const Forward* f, TriboIslandProblem* island) {
  TriboContactProblem problem = island->problem;
  // Tangents of contacts take no part; those of joints come first.
  int joints = 0;
  while (joints < problem.ng && problem.group[joints].normal < 0) ++joints;
  problem.ng = problem.T.count = joints;
  TriboIslandInfo one;
  const TriboStatus status =
      tribo_island_solve(&f->step, &problem, NULL, &island->solution, &f->ws->scratch[0], &one);
  f->info->pivots += one.pivots;
  f->info->residual = fmax(f->info->residual, one.certificate.worst);
  return status;
}

static TriboStatus solve_coping(const Forward* f, TriboIslandProblem* island, const double* slip) {
  TriboArena* scratch = &f->ws->scratch[0];
  const TriboContactProblem* problem = &island->problem;
  TriboCoping* coping = tribo_coping_init(scratch, problem->X.count, problem->N.count, problem->ny);
  if (coping == NULL) return TRIBO_ERROR_CAPACITY;
  TriboCopingResult result;
  const TriboStatus status =
      tribo_coping_solve(coping, problem, slip, f->options->still, &island->solution, &result);
  if (status != TRIBO_OK) return status;
  f->info->pivots += result.pivots;
  f->info->inconsistent = f->info->inconsistent || result.kind == TRIBO_COPING_IMPULSE;
  return TRIBO_OK;
}

static int row_count(const TriboContactProblem* problem) {
  return problem->X.count + problem->N.count + problem->T.count;
}

static TriboStatus solve_dantzig(const Forward* f, TriboIslandProblem* island, const double* slip) {
  const TriboContactProblem* problem = &island->problem;
  TriboDantzig* solver = tribo_dantzig_init(&f->ws->scratch[0], row_count(problem), problem->ng);
  if (solver == NULL) return TRIBO_ERROR_CAPACITY;
  const TriboDantzigOptions choice = tribo_dantzig_options_default();
  TriboDantzigResult result;
  const TriboStatus status = tribo_dantzig_solve(solver, problem, slip, f->options->still, &choice,
                                                 &island->solution, &result);
  if (status != TRIBO_OK) return status;
  f->info->pivots += result.steps;
  f->info->residual = fmax(f->info->residual, result.residual);
  f->info->inconsistent = f->info->inconsistent || result.kind == TRIBO_DANTZIG_IMPULSE;
  return TRIBO_OK;
}

// Anytime: what the iterations leave is an answer, and the residual says how good.
static TriboStatus solve_energy(const Forward* f, TriboIslandProblem* island, const double* slip) {
  const TriboContactProblem* problem = &island->problem;
  TriboEnergySolver* solver =
      tribo_energy_init(&f->ws->scratch[0], row_count(problem), problem->ng);
  if (solver == NULL) return TRIBO_ERROR_CAPACITY;
  TriboEnergyOptions choice = tribo_energy_options_default();
  if (f->options->iterations > 0) choice.iterations = f->options->iterations;
  TriboEnergyResult result;
  const TriboStatus status = tribo_energy_solve(solver, problem, slip, f->options->still, &choice,
                                                &island->solution, &result);
  if (status != TRIBO_OK && status != TRIBO_ERROR_LIMIT) return status;
  f->info->iterations += result.iterations;
  f->info->residual = fmax(f->info->residual, result.correction);
  return TRIBO_OK;
}

static TriboStatus solve_by_model(const Forward* f, TriboIslandProblem* island,
                                  const double* slip) {
  switch (f->options->model) {
    case TRIBO_FORWARD_COPING:
      return solve_coping(f, island, slip);
    case TRIBO_FORWARD_DANTZIG:
      return solve_dantzig(f, island, slip);
    case TRIBO_FORWARD_ENERGY:
      return solve_energy(f, island, slip);
    case TRIBO_FORWARD_VISCOUS:
      apply_drag(f, island, slip);
      return solve_normals(f, island);
    default:
      return solve_normals(f, island);
  }
}

static TriboStatus solve_island(const Forward* f, int i, const double* y_now) {
  TriboIslandProblem* island = &f->ws->problems.island[i];
  TriboArena* scratch = &f->ws->scratch[0];
  const size_t mark = tribo_arena_mark(scratch);
  double* slip = tribo_arena_doubles(scratch, island->problem.T.count);
  memset(island->solution.t, 0, (size_t)island->problem.T.count * sizeof(double));
  for (int g = 0; g < island->problem.ng; ++g) island->solution.mode_g[g] = TRIBO_MODE_SEPARATE;
  TriboStatus status = TRIBO_ERROR_CAPACITY;
  if (!scratch->overflowed) {
    measure_slip(f, island, y_now, slip);
    status = solve_by_model(f, island, slip);
  }
  tribo_arena_reset(scratch, mark);
  return status;
}

static TriboStatus solve(const Forward* f) {
  TriboWorkspace* ws = f->ws;
  TriboProblemSet* set = &ws->problems;
  memcpy(ws->u, f->state->v, (size_t)f->model->nv * sizeof(double));
  tribo_tree_to_mass(f->model, &ws->tree, ws->u);
  for (int i = 0; i < set->islands.count; ++i) {
    const TriboStatus status = solve_island(f, i, ws->u);
    if (status != TRIBO_OK) return status;
  }
  return TRIBO_OK;
}

// An impulse in one island is one in all: elsewhere nothing changes in no time.
static void write_answer(const Forward* f, double* a) {
  TriboWorkspace* ws = f->ws;
  const TriboModel* model = f->model;
  if (f->info->inconsistent) memset(ws->y, 0, (size_t)model->nv * sizeof(double));
  tribo_problems_scatter(&ws->problems, ws->y);
  memcpy(a, ws->y, (size_t)model->nv * sizeof(double));
  tribo_tree_from_mass(model, &ws->tree, a);
  tribo_results_collect(&ws->results, model, &ws->problems, &ws->detection, &f->step, NULL, 0);
}

static TriboStatus run(Forward* f, double* a) {
  TriboStatus status = find_contacts(f);
  if (status != TRIBO_OK) return status;
  f->info->contacts = f->ws->detection.count;
  TriboArena* scratch = &f->ws->scratch[0];
  const size_t mark = tribo_arena_mark(scratch);
  double* c = tribo_arena_doubles(scratch, f->ws->detection.count);
  if (scratch->overflowed) return TRIBO_ERROR_CAPACITY;
  measure_curvature(f, c);
  status = accelerate_freely(f);
  if (status == TRIBO_OK) {
    assemble(f, c);
    status = solve(f);
  }
  tribo_arena_reset(scratch, mark);
  if (status == TRIBO_OK) write_answer(f, a);
  return status;
}

TriboStatus tribo_forward(const TriboModel* model, const TriboForwardOptions* options,
                          const TriboInput* input, const TriboState* state,
                          TriboWorkspace* workspace, double* a, TriboForwardInfo* info) {
  if (model == NULL || state == NULL || workspace == NULL || a == NULL || info == NULL ||
      state->model_hash != model->hash || workspace->model_hash != model->hash) {
    return TRIBO_ERROR_ARGUMENT;
  }
  const TriboForwardOptions defaults = tribo_forward_options_default();
  if (options == NULL) options = &defaults;
  if (!(options->touching >= 0) || !(options->still >= 0) || !(options->tolerance > 0) ||
      options->model < TRIBO_FORWARD_FRICTIONLESS || options->model > TRIBO_FORWARD_VISCOUS) {
    return TRIBO_ERROR_ARGUMENT;
  }
  memset(info, 0, sizeof *info);
  workspace->results.model = NULL;
  workspace->capsule = -1;
  Forward forward = {model, options, input, state, workspace, tribo_step_options_default(), info};
  forward.step.h = 1;
  forward.step.tolerance = options->tolerance;
  forward.step.touching = options->touching;
  return run(&forward, a);
}

// ---- inverse

TriboStatus tribo_inverse(const TriboModel* model, const TriboState* state,
                          TriboWorkspace* workspace, const double* a, double* effort) {
  if (model == NULL || state == NULL || workspace == NULL || a == NULL || effort == NULL ||
      state->model_hash != model->hash || workspace->results.model != model) {
    return TRIBO_ERROR_ARGUMENT;
  }
  // What the contacts and loops do to the links, about their frames' origins now.
  TriboTree* tree = &workspace->tree;
  tribo_tree_kinematics(model, tree, state->q);
  double* wrench = workspace->results.wrench;
  const int links = model->source->count[TRIBO_KIND_LINK];
  memset(wrench, 0, 6 * (size_t)links * sizeof *wrench);
  TriboContactResult contact;
  for (int c = 0; tribo_contact_get(workspace, c, &contact); ++c) {
    for (int side = 0; side < 2; ++side) {
      const int link = side == 0 ? contact.link0 : contact.link1;
      const int body = link < 0 ? -1 : model->link_body[link];
      if (body < 0) continue;
      const TriboVec3 origin = tribo_transform_point(tree->X_WB[body], model->link_pose[link].p);
      const TriboVec3 push = tribo_vec3_scale(side == 0 ? -1 : 1, contact.force_W);
      const TriboVec3 moment = tribo_vec3_cross(tribo_vec3_sub(contact.point, origin), push);
      const double values[6] = {push.x, push.y, push.z, moment.x, moment.y, moment.z};
      for (int i = 0; i < 6; ++i) wrench[6 * link + i] += values[i];
    }
  }
  tribo_tree_inverse(model, tree, state->v, a, wrench, model->gravity, effort);
  return TRIBO_OK;
}
