// SPDX-License-Identifier: Apache-2.0
//
// Separating axes of two boxes. With R = Ra^T Rb and t the way from a's centre to b's in a's frame,
// a direction d (unit) shows the distance
//
//   |t . d| - sum_i ha_i |d . a_i| - sum_j hb_j |d . b_j|
//
// and the candidates for the largest are the normals a_i, b_j and the products a_i x b_j. For boxes
// that overlap the largest is minus the penetration depth: every face of the Minkowski difference
// has one of these normals.
//
// Many of the 15 agree when the boxes are flush or parallel. A later candidate must win by a
// definite amount: a's faces come before b's faces, and those before pairs of edges; of the faces
// the two across z come first, so that blocks of a wall, which touch their neighbours' edges in
// passing, are held up by them and not aside ([Drumwright], footnote 3).
//
// Two edges that lie on one line, as of two cards that lean on each other, have no one normal: a
// face of a and a face of b show the same distance 0, and so, because the distance is a concave
// function of a direction of any length, does every direction between them. An end of this fan
// would be the choice of one box, and pushes one card up and the other down; its middle is the same
// for both. Boxes whose faces are at right angles or parallel do not come here: they are the
// blocks of the wall.
//
// There is no memory, so the answer depends on the poses alone; rounding cannot make it flicker,
// and a turn of the boxes that makes b's face win turns the normal only by as much as b is turned.
#include "collision/box_box.h"

#include <math.h>

#include "collision/axis.h"
#include "engine/base/rotation.h"

// Edges more parallel than this sine span no direction of their own: what it would show differs
// from what the faces show by no more than this part of the size.
static const double kParallel = 1e-12;
// Faces whose normals differ by less than this, or are this close to right angles, span no fan that
// has a middle of its own (radians).
static const double kAligned = 1e-3;
// Below this sine the short formula for a pair of edges loses digits.
static const double kBlunt = 1e-3;

// The pair in a's frame.
typedef struct Pair {
  TriboMat3 R;  // of b
  double C[9];  // its absolute values
  double t[3];  // b's centre
  double ha[3], hb[3];
} Pair;

// The sign that points from a to b; + where the centres are level, up to rounding.
static double towards(double t, double level) { return t >= -level ? 1 : -1; }

static Pair make_pair(const TriboConvex* a, const TriboConvex* b) {
  Pair p;
  p.R = tribo_mat3_tmul(a->X.R, b->X.R);
  for (int k = 0; k < 9; ++k) p.C[k] = fabs(p.R.m[k]);
  tribo_vec3_store(tribo_mat3_tmul_vec(a->X.R, tribo_vec3_sub(b->X.p, a->X.p)), p.t);
  tribo_vec3_store(a->half, p.ha);
  tribo_vec3_store(b->half, p.hb);
  return p;
}

// Faces of a, then of b, which show `shown`. False where one shows more than `limit`.
static bool try_faces(const Pair* p, double limit, TriboAxis* best, double shown[6]) {
  const double *R = p->R.m, *C = p->C, *t = p->t, *ha = p->ha, *hb = p->hb;
  for (int turn = 0; turn < 3; ++turn) {
    const int i = (turn + 2) % 3;
    const double reach = ha[i] + hb[0] * C[3 * i] + hb[1] * C[3 * i + 1] + hb[2] * C[3 * i + 2];
    const double distance = shown[i] = fabs(t[i]) - reach;
    if (distance > limit) return false;
    if (distance <= best->distance + best->rounding) continue;
    const double sign = towards(t[i], best->prefer);
    const TriboVec3 d = tribo_vec3(i == 0 ? sign : 0, i == 1 ? sign : 0, i == 2 ? sign : 0);
    tribo_axis_offer(best, sign * t[i] - reach, d);
  }
  for (int turn = 0; turn < 3; ++turn) {
    const int j = (turn + 2) % 3;
    const double along = t[0] * R[j] + t[1] * R[3 + j] + t[2] * R[6 + j];
    const double reach = hb[j] + ha[0] * C[j] + ha[1] * C[3 + j] + ha[2] * C[6 + j];
    const double distance = shown[3 + j] = fabs(along) - reach;
    if (distance > limit) return false;
    if (distance <= best->distance + best->rounding) continue;
    const double sign = towards(along, best->prefer);
    tribo_axis_offer(best, sign * along - reach,
                     tribo_vec3_scale(sign, tribo_mat3_column(p->R, j)));
  }
  return true;
}

// The middle between a face of a and one of b that both show that the boxes touch.
static void try_between(const Pair* p, const double shown[6], TriboAxis* best) {
  const double *t = p->t, *ha = p->ha, *hb = p->hb;
  if (!(fabs(best->distance) <= best->prefer)) return;
  for (int k = 0; k < 9; ++k) {
    const int i = k / 3, j = k % 3;
    if (fmin(shown[i], shown[3 + j]) < best->distance - best->prefer) continue;
    if (p->C[k] < kAligned || p->C[k] > 1 - 0.5 * kAligned * kAligned) continue;
    TriboVec3 d = tribo_mat3_column(p->R, j);
    d = tribo_vec3_scale(towards(tribo_vec3_dot(d, tribo_vec3_from(t)), best->prefer), d);
    double sum[3];
    tribo_vec3_store(d, sum);
    sum[i] += towards(t[i], best->prefer);
    d = tribo_vec3_normalize_or(tribo_vec3_from(sum), best->d);
    const TriboVec3 in_b = tribo_mat3_tmul_vec(p->R, d);
    const double distance = tribo_vec3_dot(d, tribo_vec3_from(t)) -
                            (ha[0] * fabs(d.x) + ha[1] * fabs(d.y) + ha[2] * fabs(d.z)) -
                            (hb[0] * fabs(in_b.x) + hb[1] * fabs(in_b.y) + hb[2] * fabs(in_b.z));
    if (distance < best->distance - best->prefer) continue;
    best->distance = distance;
    best->d = d;
    return;
  }
}

// Edge i of a and edge j of b. False where they show more than `limit`.
static bool try_edges(const Pair* p, int i, int j, double limit, TriboAxis* best) {
  const double *R = p->R.m, *C = p->C, *t = p->t, *ha = p->ha, *hb = p->hb;
  const int k = (i + 1) % 3, l = (i + 2) % 3, m = (j + 1) % 3, o = (j + 2) % 3;
  const double sine2 = R[3 * k + j] * R[3 * k + j] + R[3 * l + j] * R[3 * l + j];
  if (sine2 <= kParallel * kParallel) return true;
  const double sine = sqrt(sine2);
  if (sine > kBlunt) {
    // Times the sine: |a_k . (a_i x b_j)| = |R_lj|, |b_m . (a_i x b_j)| = |R_io|.
    const double along = fabs(t[l] * R[3 * k + j] - t[k] * R[3 * l + j]);
    const double reach =
        ha[k] * C[3 * l + j] + ha[l] * C[3 * k + j] + hb[m] * C[3 * i + o] + hb[o] * C[3 * i + m];
    if (along - reach <= (best->distance + best->rounding) * sine) return true;
  }
  // Nearly parallel edges, and what looks like a winner: with the unit vector itself. Then even a
  // direction spoilt by rounding shows a true distance.
  const double dk = -R[3 * l + j] / sine, dl = R[3 * k + j] / sine;
  const double along = t[k] * dk + t[l] * dl;
  const double reach = ha[k] * fabs(dk) + ha[l] * fabs(dl) +
                       hb[m] * fabs(R[3 * k + m] * dk + R[3 * l + m] * dl) +
                       hb[o] * fabs(R[3 * k + o] * dk + R[3 * l + o] * dl);
  const double distance = fabs(along) - reach;
  if (distance > limit) return false;
  if (distance <= best->distance + best->rounding) return true;
  const double sign = towards(along, best->prefer);
  double d[3] = {0, 0, 0};
  d[k] = sign * dk;
  d[l] = sign * dl;
  tribo_axis_offer(best, sign * along - reach, tribo_vec3_from(d));
  return true;
}

bool tribo_box_box(const TriboConvex* a, const TriboConvex* b, double limit,
                   TriboSeparation* separation) {
  const Pair pair = make_pair(a, b);
  TriboAxis best = tribo_axis_none(a, b);  // in a's frame
  double shown[6];
  if (!try_faces(&pair, limit, &best, shown)) return false;
  try_between(&pair, shown, &best);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (!try_edges(&pair, i, j, limit, &best)) return false;
    }
  }
  separation->normal = tribo_mat3_mul_vec(a->X.R, best.d);
  separation->distance = best.distance;
  separation->has_points = false;
  return true;
}
