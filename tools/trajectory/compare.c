// SPDX-License-Identifier: Apache-2.0
#include "tools/trajectory/compare.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/message.h"
#include "tools/trajectory/meta.h"

static const char* const kNames[TRIBO_QUANTITY_COUNT] = {"q",      "v",        "control", "force",
                                                         "energy", "momentum", "time",    "events"};

const char* tribo_quantity_name(TriboQuantity quantity) { return kNames[quantity]; }

bool tribo_tolerances_parse(const char* text, TriboCompareOptions* options, const char** bad) {
  while (*text != '\0') {
    *bad = text;
    size_t name = strcspn(text, "=");
    int found = -1;
    for (int i = 0; i < TRIBO_QUANTITY_COUNT; ++i) {
      if (strlen(kNames[i]) == name && strncmp(text, kNames[i], name) == 0) found = i;
    }
    if (found < 0 || text[name] != '=') return false;
    TriboTolerance tolerance = {0, 0};
    char* end;
    const char* number = text + name + 1;
    tolerance.absolute = strtod(number, &end);
    if (end == number || !(tolerance.absolute >= 0)) return false;
    if (*end == ':') {
      number = end + 1;
      tolerance.relative = strtod(number, &end);
      if (end == number || !(tolerance.relative >= 0)) return false;
    }
    if (*end != '\0' && *end != ',') return false;
    options->tolerance[found] = tolerance;
    text = *end == ',' ? end + 1 : end;
  }
  return true;
}

// Where a joint's coordinates are.
typedef struct Joint {
  int q, nq, v, nv;
} Joint;

// What one comparison works with.
typedef struct Work {
  const TriboTrajectory *a, *b;
  const TriboCompareOptions* options;
  TriboComparison* c;
  TriboModel* joints;
  double* dv;  // nv
  int* q_of;   // nv: the position coordinate that a velocity coordinate moves, -1: a rotation
  int joint_count;
  Joint* joint;
} Work;

void tribo_comparison_destroy(TriboComparison* c) {
  if (c == NULL) return;
  free(c->q_worst), free(c->q_curve), free(c->v_worst), free(c->control_worst);
  free(c);
}

// The part of the time compared that `time` is in; -1: before it.
static int bin_of(const TriboComparison* c, double time) {
  const double span = c->end - c->start, part = (time - c->start) / span * TRIBO_COMPARE_BINS;
  if (!(span > 0)) return 0;
  if (!(part >= 0)) return -1;
  return part < TRIBO_COMPARE_BINS ? (int)part : TRIBO_COMPARE_BINS - 1;
}

int tribo_comparison_first(const TriboComparison* c) {
  int first = -1;
  for (int i = 0; i < TRIBO_QUANTITY_COUNT; ++i) {
    if (!c->quantity[i].exceeded) continue;
    if (first < 0 || c->quantity[i].first_time < c->quantity[first].first_time) first = i;
  }
  return first;
}

// Enters one difference. A NaN on one side only is infinitely far; on both it is the same.
static void note(Work* w, TriboQuantity quantity, double time, int index, int index2, double error,
                 double scale) {
  TriboDifference* d = &w->c->quantity[quantity];
  const TriboTolerance* tolerance = &w->options->tolerance[quantity];
  error = fabs(error);
  if (isnan(error)) error = INFINITY;
  double allowed = tolerance->absolute + tolerance->relative * scale;
  if (error > d->worst) {
    d->worst = error;
    d->worst_time = time;
    d->worst_index = index, d->worst_index2 = index2;
  }
  double ratio = error == 0 ? 0 : error / allowed;
  if (ratio > d->worst_ratio) d->worst_ratio = ratio;
  const int bin = bin_of(w->c, time);
  if (bin >= 0 && error > d->bin[bin]) d->bin[bin] = error;
  if (error <= allowed) return;
  // Of several that part at the same time, the one that goes farthest beyond.
  const bool farther =
      time == d->first_time &&
      (ratio > d->first_ratio || (ratio == d->first_ratio && error > d->first_error));
  if (!d->exceeded || farther) {
    d->exceeded = true;
    d->first_time = time;
    d->first_index = index, d->first_index2 = index2;
    d->first_error = error;
    d->first_ratio = ratio;
  }
}

static bool both_nan(double a, double b) { return isnan(a) && isnan(b); }

static void compare_plain(Work* w, TriboQuantity quantity, double time, const double* a,
                          const double* b, int n, double* worst) {
  w->c->quantity[quantity].compared = true;
  if (memcmp(a, b, (size_t)n * sizeof *a) == 0) return;
  for (int i = 0; i < n; ++i) {
    if (a[i] == b[i] || both_nan(a[i], b[i])) continue;
    double error = fabs(a[i] - b[i]);
    note(w, quantity, time, i, -1, error, fmax(fabs(a[i]), fabs(b[i])));
    if (worst != NULL && !(error <= worst[i])) worst[i] = error;
  }
}

static void compare_q(Work* w, double time, const double* a, const double* b) {
  w->c->quantity[TRIBO_QUANTITY_Q].compared = true;
  if (memcmp(a, b, (size_t)w->a->nq * sizeof *a) == 0) return;
  tribo_q_difference(w->joints, a, b, w->dv);
  // Two rotations of the same bits differ by rounding there.
  for (int k = 0; k < w->joint_count; ++k) {
    const Joint* j = &w->joint[k];
    if (memcmp(a + j->q, b + j->q, (size_t)j->nq * sizeof *a) == 0)
      memset(w->dv + j->v, 0, (size_t)j->nv * sizeof *w->dv);
  }
  const int bin = bin_of(w->c, time);
  for (int i = 0; i < w->a->nv; ++i) {
    if (w->dv[i] == 0) continue;
    int at = w->q_of[i];
    double scale = at >= 0 ? fmax(fabs(a[at]), fabs(b[at])) : 1;
    note(w, TRIBO_QUANTITY_Q, time, i, -1, w->dv[i], scale);
    if (!(fabs(w->dv[i]) <= w->c->q_worst[i])) w->c->q_worst[i] = fabs(w->dv[i]);
    double* curve = w->c->q_curve + (size_t)i * TRIBO_COMPARE_BINS;
    if (bin >= 0 && !(fabs(w->dv[i]) <= curve[bin])) curve[bin] = fabs(w->dv[i]);
  }
}

// The next pair of shapes in a row's contacts and the resultant on its shape 1; FALSE at the end.
// Contacts are sorted by pair.
static bool next_pair(const TriboTrajectory* t, int64_t* at, int64_t end, int32_t shapes[2],
                      double force[3]) {
  if (*at >= end) return false;
  memcpy(shapes, t->contact_shapes + 2 * *at, 2 * sizeof *shapes);
  force[0] = force[1] = force[2] = 0;
  for (; *at < end && memcmp(shapes, t->contact_shapes + 2 * *at, 2 * sizeof *shapes) == 0; ++*at) {
    for (int k = 0; k < 3; ++k) force[k] += t->contact_force[3 * *at + k];
  }
  return true;
}

static int order_of(bool a, const int32_t* pair_a, bool b, const int32_t* pair_b) {
  if (!a || !b) return a ? -1 : 1;
  for (int k = 0; k < 2; ++k) {
    if (pair_a[k] != pair_b[k]) return pair_a[k] < pair_b[k] ? -1 : 1;
  }
  return 0;
}

static void compare_forces(Work* w, double time, int64_t i, int64_t j) {
  const TriboTrajectory *ta = w->a, *tb = w->b;
  w->c->quantity[TRIBO_QUANTITY_FORCE].compared = true;
  int64_t at_a = i > 0 ? ta->contact_end[i - 1] : 0, end_a = ta->contact_end[i];
  int64_t at_b = j > 0 ? tb->contact_end[j - 1] : 0, end_b = tb->contact_end[j];
  size_t n = (size_t)(end_a - at_a);
  if (end_a - at_a == end_b - at_b &&
      memcmp(ta->contact_shapes + 2 * at_a, tb->contact_shapes + 2 * at_b, 8 * n) == 0 &&
      memcmp(ta->contact_force + 3 * at_a, tb->contact_force + 3 * at_b, 24 * n) == 0)
    return;
  int32_t pair_a[2] = {0, 0}, pair_b[2] = {0, 0};
  double fa[3] = {0, 0, 0}, fb[3] = {0, 0, 0};
  bool a = next_pair(ta, &at_a, end_a, pair_a, fa), b = next_pair(tb, &at_b, end_b, pair_b, fb);
  while (a || b) {
    int order = order_of(a, pair_a, b, pair_b);
    double error2 = 0, a2 = 0, b2 = 0;
    for (int k = 0; k < 3; ++k) {
      double x = order <= 0 ? fa[k] : 0, y = order >= 0 ? fb[k] : 0;
      error2 += (x - y) * (x - y), a2 += x * x, b2 += y * y;
    }
    const int32_t* pair = order <= 0 ? pair_a : pair_b;
    note(w, TRIBO_QUANTITY_FORCE, time, pair[0], pair[1], sqrt(error2), sqrt(fmax(a2, b2)));
    if (order <= 0) a = next_pair(ta, &at_a, end_a, pair_a, fa);
    if (order >= 0) b = next_pair(tb, &at_b, end_b, pair_b, fb);
  }
}

// One pair of rows. `whole`: positions, velocities, controls and forces too.
static void compare_rows(Work* w, int64_t i, int64_t j, bool whole) {
  const TriboTrajectory *a = w->a, *b = w->b;
  double time = a->time[i];
  ++w->c->rows;
  if (a->energy != NULL && b->energy != NULL)
    compare_plain(w, TRIBO_QUANTITY_ENERGY, time, a->energy + i, b->energy + j, 1, NULL);
  if (a->momentum != NULL && b->momentum != NULL)
    compare_plain(w, TRIBO_QUANTITY_MOMENTUM, time, a->momentum + 6 * i, b->momentum + 6 * j, 6,
                  NULL);
  if (!whole) return;
  compare_q(w, time, a->q + i * a->nq, b->q + j * b->nq);
  compare_plain(w, TRIBO_QUANTITY_V, time, a->v + i * a->nv, b->v + j * b->nv, a->nv,
                w->c->v_worst);
  if (w->options->by == TRIBO_BY_INVARIANTS) return;
  if (a->nu > 0)
    compare_plain(w, TRIBO_QUANTITY_CONTROL, time, a->control + i * a->nu, b->control + j * b->nu,
                  a->nu, w->c->control_worst);
  compare_forces(w, time, i, j);
}

// Times are the same within the rounding of a million additions.
static int order_times(double a, double b) {
  double slack = 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
  return a < b - slack ? -1 : a > b + slack ? 1 : 0;
}

static void compare_by_time(Work* w) {
  const TriboTrajectory *a = w->a, *b = w->b;
  bool points = w->options->by == TRIBO_BY_POINTS;
  int64_t last_i = -1, last_j = -1;
  for (int64_t i = 0, j = 0; i < a->rows && j < b->rows;) {
    int order = order_times(a->time[i], b->time[j]);
    if (order == 0) {
      compare_rows(w, i, j, points);
      last_i = i, last_j = j;
    }
    i += order <= 0, j += order >= 0;
  }
  // Of a chaotic motion only the end pose is looked at, once it has come to rest.
  if (!points && last_i >= 0) {
    --w->c->rows;
    compare_rows(w, last_i, last_j, true);
  }
  if (order_times(a->time[a->rows - 1], b->time[b->rows - 1]) != 0)
    snprintf(w->c->reason, sizeof w->c->reason, "one ends at %.9g s, the other at %.9g s",
             a->time[a->rows - 1], b->time[b->rows - 1]);
}

static bool same_event(const TriboTrajectory* a, int64_t i, const TriboTrajectory* b, int64_t j) {
  return i < a->events && j < b->events && a->event_type[i] == b->event_type[j] &&
         a->event_id[i] == b->event_id[j] &&
         memcmp(a->event_shapes + 2 * i, b->event_shapes + 2 * j, 2 * sizeof(int32_t)) == 0;
}

// The last row at or before a time.
static int64_t row_at(const TriboTrajectory* t, double time) {
  int64_t low = 0, high = t->rows;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if (order_times(t->time[middle], time) <= 0)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void note_edit(TriboComparison* c, bool in_a, int64_t index) {
  if (c->edits < TRIBO_COMPARE_EDITS) c->edit[c->edits] = (TriboEventEdit){in_a, index};
  ++c->edits;
}

// Where two sequences that differ at (i, j) go on together: the nearest place, counted in events
// left out, that has an event or the end in common.
static void find_common(const TriboTrajectory* a, const TriboTrajectory* b, int64_t* i,
                        int64_t* j) {
  enum { WINDOW = 64 };
  for (int64_t left_out = 1; left_out <= WINDOW; ++left_out) {
    for (int64_t k = 0; k <= left_out; ++k) {
      int64_t x = *i + k, y = *j + left_out - k;
      if ((x == a->events && y == b->events) || same_event(a, x, b, y)) {
        *i = x, *j = y;
        return;
      }
    }
  }
  *i = *i < a->events ? *i + 1 : *i;
  *j = *j < b->events ? *j + 1 : *j;
}

// The two sequences of events: what is in one only, and how far the others are apart in time.
static void compare_events(Work* w) {
  const TriboTrajectory *a = w->a, *b = w->b;
  TriboDifference* events = &w->c->quantity[TRIBO_QUANTITY_EVENTS];
  events->compared = w->c->quantity[TRIBO_QUANTITY_TIME].compared = true;
  int64_t i = 0, j = 0;
  while (i < a->events || j < b->events) {
    if (same_event(a, i, b, j)) {
      double time = a->event_time[i], shift = b->event_time[j] - time;
      if (order_times(time, b->event_time[j]) != 0)
        note(w, TRIBO_QUANTITY_TIME, time, a->event_shapes[2 * i], a->event_shapes[2 * i + 1],
             shift, 0);
      if (w->options->align == TRIBO_ALIGN_EVENTS)
        compare_rows(w, row_at(a, time), row_at(b, b->event_time[j]), true);
      ++i, ++j;
      continue;
    }
    int64_t next_i = i, next_j = j;
    find_common(a, b, &next_i, &next_j);
    for (; i < next_i; ++i) note_edit(w->c, true, i);
    for (; j < next_j; ++j) note_edit(w->c, false, j);
  }
  if (w->c->edits == 0) return;
  const TriboEventEdit* first = &w->c->edit[0];
  const TriboTrajectory* t = first->in_a ? a : b;
  note(w, TRIBO_QUANTITY_EVENTS, t->event_time[first->index], t->event_shapes[2 * first->index],
       t->event_shapes[2 * first->index + 1], (double)w->c->edits,
       (double)(a->events > b->events ? a->events : b->events));
}

// A motion that is chaotic has the same number of events, about, in another order.
static void compare_event_counts(Work* w) {
  TriboDifference* events = &w->c->quantity[TRIBO_QUANTITY_EVENTS];
  events->compared = true;
  double difference = fabs((double)(w->a->events - w->b->events));
  double scale = (double)(w->a->events > w->b->events ? w->a->events : w->b->events);
  if (difference > 0) note(w, TRIBO_QUANTITY_EVENTS, w->c->end, -1, -1, difference, scale);
}

static bool same_kind_of_model(const json_t* a, const json_t* b) {
  const json_t *ja = json_object_get(a, "joints"), *jb = json_object_get(b, "joints");
  if (!json_is_array(ja) || json_array_size(ja) != json_array_size(jb)) return false;
  size_t i;
  json_t* joint;
  json_array_foreach(ja, i, joint) {
    const json_t* other = json_array_get(jb, i);
    for (int k = 0; k < 2; ++k) {
      const char* key = k == 0 ? "name" : "type";
      if (!json_equal(json_object_get(joint, key), json_object_get(other, key))) return false;
    }
  }
  return json_equal(json_object_get(a, "controls"), json_object_get(b, "controls"));
}

static bool fill_joints(Work* w) {
  static const int nq[] = {7, 4, 1, 1, 3, 0}, nv[] = {6, 3, 1, 1, 3, 0};
  static const int straight[] = {3, 0, 1, 1, 3, 0};  // coordinates of q that v moves one by one
  const int joints = tribo_model_count(w->joints, TRIBO_KIND_JOINT);
  w->joint = calloc((size_t)joints + 1, sizeof *w->joint);
  if (w->joint == NULL) return false;
  for (int i = 0; i < w->a->nv; ++i) w->q_of[i] = -1;
  for (int i = 0; i < joints; ++i) {
    TriboJointDesc d;
    if (!tribo_model_joint(w->joints, i, &d) || d.type == TRIBO_JOINT_FIXED) continue;
    const int v = tribo_model_joint_v(w->joints, i), q = tribo_model_joint_q(w->joints, i);
    w->joint[w->joint_count++] = (Joint){q, nq[d.type], v, nv[d.type]};
    for (int k = 0; k < straight[d.type]; ++k) w->q_of[v + k] = q + k;
  }
  return true;
}

static TriboStatus prepare(Work* w, TriboMessage* message) {
  const TriboTrajectory *a = w->a, *b = w->b;
  json_t *ma = json_loads(a->meta, 0, NULL), *mb = json_loads(b->meta, 0, NULL);
  TriboStatus status = TRIBO_OK;
  if (a->nq != b->nq || a->nv != b->nv || a->nu != b->nu || !same_kind_of_model(ma, mb))
    status = tribo_message_set(message, TRIBO_ERROR_VERSION,
                               "the two are of different models: other joints or actuators");
  if (status == TRIBO_OK) status = tribo_meta_joints_model(ma, &w->joints, message);
  json_decref(ma), json_decref(mb);
  if (status != TRIBO_OK) return status;
  if (tribo_model_nq(w->joints) != a->nq || tribo_model_nv(w->joints) != a->nv)
    return tribo_message_set(message, TRIBO_ERROR_PARSE, "the header's joints and q do not agree");
  size_t nv = (size_t)a->nv + 1, nu = (size_t)a->nu + 1;
  w->dv = calloc(nv, sizeof(double));
  w->q_of = calloc(nv, sizeof(int));
  w->c->q_worst = calloc(nv, sizeof(double));
  w->c->q_curve = calloc(nv * TRIBO_COMPARE_BINS, sizeof(double));
  w->c->v_worst = calloc(nv, sizeof(double));
  w->c->control_worst = calloc(nu, sizeof(double));
  if (!w->dv || !w->q_of || !w->c->q_worst || !w->c->q_curve || !w->c->v_worst ||
      !w->c->control_worst || !fill_joints(w))
    return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory");
  if (a->rows == 0 || b->rows == 0)
    return tribo_message_set(message, TRIBO_ERROR_ARGUMENT, "a trajectory has no rows");
  w->c->start = fmax(a->time[0], b->time[0]);
  w->c->end = fmin(a->time[a->rows - 1], b->time[b->rows - 1]);
  return TRIBO_OK;
}

static void judge(Work* w) {
  TriboComparison* c = w->c;
  const int first = tribo_comparison_first(c);
  if (first >= 0)
    snprintf(c->reason, sizeof c->reason, "%s is beyond its tolerance from %.9g s on",
             kNames[first], c->quantity[first].first_time);
  c->same = c->reason[0] == '\0';
}

TriboStatus tribo_trajectory_compare(const TriboTrajectory* a, const TriboTrajectory* b,
                                     const TriboCompareOptions* options,
                                     TriboComparison** comparison, TriboMessage* message) {
  tribo_message_clear(message);
  Work w = {.a = a, .b = b, .options = options};
  w.c = calloc(1, sizeof *w.c);
  if (w.c == NULL) return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory");
  TriboStatus status = prepare(&w, message);
  if (status == TRIBO_OK) {
    if (options->align == TRIBO_ALIGN_TIME) compare_by_time(&w);
    if (options->by == TRIBO_BY_POINTS)
      compare_events(&w);
    else
      compare_event_counts(&w);
    if (w.c->rows == 0)
      status = tribo_message_set(message, TRIBO_ERROR_ARGUMENT, "no two rows belong together: %s",
                                 options->align == TRIBO_ALIGN_TIME
                                     ? "the times of the files have nothing in common"
                                     : "the files have no contact event in common");
  }
  judge(&w);
  tribo_model_destroy(w.joints);
  free(w.dv), free(w.q_of), free(w.joint);
  if (status != TRIBO_OK) {
    tribo_comparison_destroy(w.c);
    return status;
  }
  *comparison = w.c;
  return TRIBO_OK;
}
