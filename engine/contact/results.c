// SPDX-License-Identifier: Apache-2.0
#include "engine/contact/results.h"

#include <math.h>
#include <string.h>

#include "engine/workspace.h"

void tribo_results_layout(TriboResults* results, TriboArena* arena, const TriboModel* model,
                          int max_contacts) {
  const size_t warm = (size_t)tribo_state_warm_capacity(model), contacts = (size_t)max_contacts;
  results->model = NULL;
  results->X_WB =
      (TriboTransform*)tribo_arena_take(arena, (size_t)model->nb, sizeof(TriboTransform));
  results->q = tribo_arena_doubles(arena, model->nq);
  results->v = tribo_arena_doubles(arena, model->nv);
  results->a = tribo_arena_doubles(arena, model->nv);
  results->wrench = tribo_arena_doubles(arena, 6 * model->source->count[TRIBO_KIND_LINK]);
  results->mode = (TriboMode*)tribo_arena_take(arena, contacts, sizeof(TriboMode));
  results->pair = tribo_arena_ints(arena, max_contacts);
  results->event = (TriboEvent*)tribo_arena_take(arena, contacts + warm, sizeof(TriboEvent));
  results->seen = (bool*)tribo_arena_take(arena, warm, sizeof(bool));
}

// The impulses of a contact's island; NULL: the contact had no rows.
static const TriboContactSolution* solution_of(const TriboProblemSet* set, int contact) {
  const TriboContactRows* rows = &set->contact[contact];
  return rows->normal < 0 ? NULL : &set->island[rows->island].reported;
}

static double normal_impulse(const TriboProblemSet* set, int contact) {
  const TriboContactSolution* solution = solution_of(set, contact);
  return solution == NULL ? 0 : solution->f[set->contact[contact].normal];
}

// ---- collected at the end of a step

static double norm(const double* values, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i] * values[i];
  return sqrt(sum);
}

// Whether a contact's tangential velocity is more than rounding. The solver's own modes do not say:
// a contact at the edge of its cone may stick.
static bool slides(const TriboContactProblem* problem, const double* y, int tangent, double noise) {
  double speed2 = 0, size2 = 0;
  for (int r = tangent; r < tangent + 2; ++r) {
    const double speed = tribo_row_dot(&problem->T, r, y) - problem->b_T[r];
    const int first = problem->T.start[r];
    const double size = norm(problem->T.value + first, problem->T.start[r + 1] - first);
    speed2 += speed * speed;
    size2 = fmax(size2, size * size);
  }
  return speed2 > noise * noise * size2;
}

static void collect_modes(TriboResults* results, const TriboProblemSet* set, int contacts,
                          double tolerance) {
  results->touching = 0;
  for (int c = 0; c < contacts; ++c) results->mode[c] = TRIBO_MODE_SEPARATE;
  for (int i = 0; i < set->islands.count; ++i) {
    const TriboIslandProblem* island = &set->island[i];
    // Velocities are relative to what the forces of the step alone would give.
    const double noise = tolerance * norm(island->problem.k, island->problem.ny);
    for (int c = 0; c < island->contacts; ++c) {
      const int contact = set->contact_order[island->first_contact + c];
      const TriboContactRows* rows = &set->contact[contact];
      if (!(island->reported.f[rows->normal] > 0)) continue;
      const bool sticks =
          rows->tangent >= 0 && !slides(&island->problem, island->reported.y, rows->tangent, noise);
      results->mode[contact] = sticks ? TRIBO_MODE_STICK : TRIBO_MODE_SLIDE;
      ++results->touching;
    }
  }
}

static void collect_pairs(TriboResults* results, const TriboProblemSet* set,
                          const TriboDetection* detection) {
  int shape0 = -1, shape1 = -1;
  results->pairs = 0;
  for (int c = 0; c < detection->count; ++c) {
    const TriboContact* contact = &detection->contact[c];
    if (contact->shape0 == shape0 && contact->shape1 == shape1) continue;
    if (!(normal_impulse(set, c) > 0)) continue;
    shape0 = contact->shape0;
    shape1 = contact->shape1;
    results->pair[results->pairs++] = c;
  }
}

static void add_event(TriboResults* results, TriboEventType type, uint64_t id, int shape0,
                      int shape1) {
  const TriboEvent event = {type, id, shape0, shape1};
  results->event[results->events++] = event;
}

static void collect_events(TriboResults* results, const TriboProblemSet* set,
                           const TriboDetection* detection, const TriboWarm* before,
                           int before_count) {
  results->events = 0;
  // Not for nothing: where `seen` was never written that is slow (guess_motors in step.c).
  if (before_count > 0) memset(results->seen, 0, (size_t)before_count * sizeof *results->seen);
  for (int c = 0; c < detection->count; ++c) {
    const TriboContactRows* rows = &set->contact[c];
    if (!(normal_impulse(set, c) > 0)) continue;
    const TriboContact* contact = &detection->contact[c];
    const TriboMode mode = results->mode[c];
    const TriboWarm* old = rows->before >= 0 ? &before[rows->before] : NULL;
    if (old != NULL) results->seen[rows->before] = true;
    if (old == NULL || !(old->impulse[0] > 0)) {
      add_event(results, TRIBO_EVENT_BEGIN, rows->id, contact->shape0, contact->shape1);
    } else if ((TriboMode)old->shown != mode) {
      add_event(results, mode == TRIBO_MODE_STICK ? TRIBO_EVENT_STICK : TRIBO_EVENT_SLIP, rows->id,
                contact->shape0, contact->shape1);
    }
  }
  for (int e = 0; e < before_count; ++e) {
    const TriboWarm* old = &before[e];
    if (old->shape[0] < 0 || results->seen[e] || !(old->impulse[0] > 0)) continue;
    add_event(results, TRIBO_EVENT_END, old->id, old->shape[0], old->shape[1]);
  }
}

void tribo_results_collect(TriboResults* results, const TriboModel* model,
                           const TriboProblemSet* set, const TriboDetection* detection,
                           const TriboStepOptions* options, const TriboWarm* before,
                           int before_count) {
  results->model = model;
  results->h = options->h;
  collect_modes(results, set, detection->count, options->tolerance);
  collect_pairs(results, set, detection);
  collect_events(results, set, detection, before, before_count);
}

// ---- asked for afterwards

static int link_of(const TriboModel* model, int shape) { return model->source->shape[shape].link; }

static void read_impulses(const TriboContactRows* rows, const TriboContactSolution* s,
                          const TriboContactProblem* problem, TriboContactResult* out) {
  out->impulse[0] = s->f[rows->normal];
  for (int r = 0; r < 2; ++r) {
    if (rows->tangent >= 0) {
      out->impulse[1 + r] = s->t[rows->tangent + r];
      out->slip[r] = tribo_row_dot(&problem->T, rows->tangent + r, s->y);
    }
    if (rows->rolling >= 0) out->rolling[r] = s->t[rows->rolling + r];
  }
  if (rows->torsion >= 0) out->torsion = s->t[rows->torsion];
}

int tribo_contact_count(const TriboWorkspace* workspace) {
  return workspace == NULL || workspace->results.model == NULL ? 0 : workspace->detection.count;
}

bool tribo_contact_get(const TriboWorkspace* workspace, int c, TriboContactResult* out) {
  if (c < 0 || c >= tribo_contact_count(workspace) || out == NULL) return false;
  const TriboResults* results = &workspace->results;
  const TriboProblemSet* set = &workspace->problems;
  const TriboContact* contact = &workspace->detection.contact[c];
  const TriboContactRows* rows = &set->contact[c];
  memset(out, 0, sizeof *out);
  out->id = rows->id;
  out->shape0 = contact->shape0;
  out->shape1 = contact->shape1;
  out->link0 = link_of(results->model, contact->shape0);
  out->link1 = link_of(results->model, contact->shape1);
  out->point = rows->point;
  out->frame = tribo_mat3_from_columns(contact->normal, rows->t1, rows->t2);
  out->gap = contact->gap;
  out->mu = rows->surface->friction;
  if (rows->normal < 0) return true;
  const TriboIslandProblem* island = &set->island[rows->island];
  read_impulses(rows, &island->reported, &island->problem, out);
  out->mode = results->mode[c];
  out->impulse_W = tribo_mat3_mul_vec(out->frame, tribo_vec3_from(out->impulse));
  out->force_W = tribo_vec3_scale(1 / results->h, out->impulse_W);
  out->margin = out->mu * out->impulse[0] -
                sqrt(out->impulse[1] * out->impulse[1] + out->impulse[2] * out->impulse[2]);
  return true;
}

// Moment of a contact's own: torsion about the normal, rolling about the tangents.
static TriboVec3 spin_of(const TriboContactResult* contact) {
  const TriboVec3 spin = tribo_vec3(contact->torsion, contact->rolling[0], contact->rolling[1]);
  return tribo_mat3_mul_vec(contact->frame, spin);
}

int tribo_contact_pair_count(const TriboWorkspace* workspace) {
  return workspace == NULL || workspace->results.model == NULL ? 0 : workspace->results.pairs;
}

bool tribo_contact_pair_get(const TriboWorkspace* workspace, int pair, TriboPairResult* out) {
  if (pair < 0 || pair >= tribo_contact_pair_count(workspace) || out == NULL) return false;
  const int first = workspace->results.pair[pair];
  TriboContactResult contact;
  memset(out, 0, sizeof *out);
  if (!tribo_contact_get(workspace, first, &contact)) return false;
  out->shape0 = contact.shape0;
  out->shape1 = contact.shape1;
  out->link0 = contact.link0;
  out->link1 = contact.link1;
  // Resultant about the first point, then about the centre of pressure.
  const TriboVec3 origin = contact.point;
  const double rate = 1 / workspace->results.h;
  double normal = 0;
  TriboVec3 center = tribo_vec3_zero();
  for (int c = first; tribo_contact_get(workspace, c, &contact) && contact.shape0 == out->shape0 &&
                      contact.shape1 == out->shape1;
       ++c) {
    if (!(contact.impulse[0] > 0)) continue;
    const TriboVec3 arm = tribo_vec3_sub(contact.point, origin);
    ++out->contacts;
    normal += contact.impulse[0];
    center = tribo_vec3_madd(center, contact.impulse[0], arm);
    out->force_W = tribo_vec3_add(out->force_W, contact.force_W);
    out->torque_W = tribo_vec3_add(out->torque_W, tribo_vec3_cross(arm, contact.force_W));
    out->torque_W = tribo_vec3_madd(out->torque_W, rate, spin_of(&contact));
  }
  center = tribo_vec3_scale(1 / normal, center);
  out->center = tribo_vec3_add(origin, center);
  out->torque_W = tribo_vec3_sub(out->torque_W, tribo_vec3_cross(center, out->force_W));
  return true;
}

TriboStatus tribo_contact_wrench(const TriboWorkspace* workspace, int link, TriboVec3* force,
                                 TriboVec3* torque) {
  if (workspace == NULL || force == NULL || torque == NULL) return TRIBO_ERROR_ARGUMENT;
  const TriboResults* results = &workspace->results;
  *force = *torque = tribo_vec3_zero();
  if (results->model == NULL) return TRIBO_OK;  // no step yet, so nothing touches
  const TriboModel* model = results->model;
  if (link < 0 || link >= model->source->count[TRIBO_KIND_LINK]) return TRIBO_ERROR_ARGUMENT;
  const int body = model->link_body[link];
  const TriboVec3 origin =
      body < 0 ? model->link_pose[link].p
               : tribo_transform_point(results->X_WB[body], model->link_pose[link].p);
  TriboContactResult contact;
  for (int c = 0; tribo_contact_get(workspace, c, &contact); ++c) {
    const double sign = (contact.link1 == link ? 1 : 0) - (contact.link0 == link ? 1 : 0);
    if (sign == 0 || !(contact.impulse[0] > 0)) continue;
    const TriboVec3 push = tribo_vec3_scale(sign, contact.force_W);
    *force = tribo_vec3_add(*force, push);
    *torque =
        tribo_vec3_add(*torque, tribo_vec3_cross(tribo_vec3_sub(contact.point, origin), push));
    *torque = tribo_vec3_madd(*torque, sign / results->h, spin_of(&contact));
  }
  return TRIBO_OK;
}

TriboStatus tribo_loop_reaction(const TriboWorkspace* workspace, int loop, TriboVec3* force,
                                TriboVec3* torque) {
  if (workspace == NULL || force == NULL || torque == NULL) return TRIBO_ERROR_ARGUMENT;
  const TriboResults* results = &workspace->results;
  const TriboProblemSet* set = &workspace->problems;
  if (results->model == NULL || loop < 0 || loop >= set->loops) return TRIBO_ERROR_ARGUMENT;
  *force = *torque = tribo_vec3_zero();
  const TriboLoopRows* rows = &set->loop[loop];
  if (rows->island < 0) return TRIBO_OK;
  const double* x = set->island[rows->island].reported.x + rows->row;
  if (results->model->source->loop[loop].type == TRIBO_LOOP_GEAR) {
    force->x = x[0] / results->h;
    return TRIBO_OK;
  }
  for (int r = 0; r < rows->frame.rows; ++r) {
    *force = tribo_vec3_madd(*force, x[r] / results->h, rows->frame.force[r].v);
    *torque = tribo_vec3_madd(*torque, x[r] / results->h, rows->frame.force[r].w);
  }
  return TRIBO_OK;
}

int tribo_event_count(const TriboWorkspace* workspace) {
  return workspace == NULL || workspace->results.model == NULL ? 0 : workspace->results.events;
}

bool tribo_event_get(const TriboWorkspace* workspace, int event, TriboEvent* out) {
  if (event < 0 || event >= tribo_event_count(workspace) || out == NULL) return false;
  *out = workspace->results.event[event];
  return true;
}
