// SPDX-License-Identifier: Apache-2.0
//
// Contact points from a shared normal n. Seen along n, the faces of a and b that look at each other
// are two convex polygons; the contact points are the corners of what they have in common, and the
// gap at a corner is the height of b's face above a's there. Neither face is the reference: the
// corners and their names are the same whichever face n was taken from, so they stay while n turns
// a little from one to the other. A face may be tilted against n; its far corners then have larger
// gaps, and the margin decides about them.
//
// Where no face lies at right angles to n (corner or edge against edge or corner) one point is
// enough, or two where two edges run side by side.
#include "collision/manifold.h"

#include <math.h>
#include <stddef.h>

#include "collision/feature.h"
#include "collision/witness.h"
#include "engine/base/vec3.h"

// A face within this cosine of the normal is at right angles to it: an angle of 4e-5.
static const double kFlat = 1 - 1e-9;
// Two faces, or a face and an edge, this close to being at right angles to the normal: their
// overlap is worth more than the one point where two edges cross.
static const double kNearlyFlat = 0.95;
// A face steeper than this against the normal is of no use; then its sharp feature is taken.
static const double kSteep = 0.05;
// Edges run side by side up to this sine; round flanks up to more (below).
static const double kParallel = 1e-9;
// Corners this close to an edge lie on it, as part of the size: above all rounding, below all that
// matters.
static const double kOnEdge = 1e-9;

// The corners of the overlap while it is being clipped.
enum { CORNERS_MAX = 2 * TRIBO_FEATURE_POINTS };

typedef enum CornerKind { CORNER_SUBJECT, CORNER_CLIP, CORNER_CROSSING } CornerKind;

typedef struct Corner {
  TriboVec3 q;      // on the subject's plane
  CornerKind kind;  // a corner of the subject, of the clip polygon, or where two edges cross
  int subject;      // subject's corner or edge
  int clip;         // clip polygon's corner or edge
  int leaving;      // the edge that leaves: >= 0 of the subject, < 0 edge -1 - leaving of clip
} Corner;

typedef struct Overlap {
  int count;
  Corner corner[CORNERS_MAX];
} Overlap;

static double feature_tolerance(const TriboConvex* a, const TriboConvex* b) {
  const double sa = a->size + a->radius, sb = b->size + b->radius;
  // Rounding of the larger one must stay below.
  return kOnEdge * fmin(sa, sb) + 1e-14 * fmax(sa, sb);
}

// Where an edge of the overlap leaves through edge `side` of the clip polygon.
static Corner cross_side(const TriboSupportFeature* clip, int side, const Corner* from, TriboVec3 q,
                         int leaving) {
  Corner corner = {q, CORNER_CROSSING, from->leaving, side, leaving};
  if (from->leaving < 0) {
    // Two sides of the clip polygon meet: its own corner.
    const int other = -1 - from->leaving;
    corner.kind = CORNER_CLIP;
    corner.clip = (other + 1) % clip->count == side ? side : other;
  }
  return corner;
}

// Cuts off what lies outside side `side` of the clip polygon [SutherlandHodgman1974]. Corners
// within `tolerance` of the side are on it, and are neither cut nor doubled. Returns the overlap:
// `in` where nothing is cut, else `out`.
static Overlap* clip_by_side(const TriboSupportFeature* clip, int side, TriboVec3 n,
                             double tolerance, bool closed, Overlap* in, Overlap* out) {
  const TriboVec3 p = clip->point[side];
  const TriboVec3 end = clip->point[side + 1 < clip->count ? side + 1 : 0];
  const TriboVec3 m = tribo_vec3_cross(tribo_vec3_sub(end, p), n);
  const double length = tribo_vec3_norm(m);
  if (!(length > tolerance)) return in;
  const TriboVec3 outward = tribo_vec3_scale(1 / length, m);
  const double offset = tribo_vec3_dot(outward, p);
  double height[CORNERS_MAX];
  int outside = 0;
  for (int i = 0; i < in->count; ++i) {
    height[i] = tribo_vec3_dot(outward, in->corner[i].q) - offset;
    outside += height[i] > tolerance;
  }
  if (outside == 0) return in;
  out->count = 0;
  if (outside == in->count) return out;
  for (int i = 0; i < in->count; ++i) {
    const Corner* c = &in->corner[i];
    const bool inside = height[i] <= tolerance;
    if (inside && out->count < CORNERS_MAX) out->corner[out->count++] = *c;
    if (!closed && i + 1 == in->count) break;
    const int j = i + 1 < in->count ? i + 1 : 0;
    if (inside == (height[j] <= tolerance)) continue;
    // The inside end is on the side itself: it is the crossing.
    if (fabs(height[inside ? i : j]) <= tolerance) {
      if (inside) out->corner[out->count - 1].leaving = -1 - side;
      continue;
    }
    if (out->count == CORNERS_MAX) continue;
    const double t = height[i] / (height[i] - height[j]);
    const TriboVec3 q = tribo_vec3_madd(c->q, t, tribo_vec3_sub(in->corner[j].q, c->q));
    out->corner[out->count++] = cross_side(clip, side, c, q, inside ? -1 - side : c->leaving);
  }
  return out;
}

// The overlap of subject (2 or more points) and clip (3 or more), seen along n.
static const Overlap* overlap(const TriboSupportFeature* subject, const TriboSupportFeature* clip,
                              TriboVec3 n, double tolerance, Overlap buffer[2]) {
  Overlap* in = &buffer[0];
  in->count = subject->count;
  for (int i = 0; i < subject->count; ++i) {
    in->corner[i] = (Corner){subject->point[i], CORNER_SUBJECT, i, -1, i};
  }
  for (int side = 0; side < clip->count && in->count > 0; ++side) {
    Overlap* other = in == &buffer[0] ? &buffer[1] : &buffer[0];
    in = clip_by_side(clip, side, n, tolerance, subject->count > 2, in, other);
  }
  return in;
}

// How far the face's plane is above p along n, where `slope` = 1 / (normal . n).
static double rise_to_face(const TriboSupportFeature* face, TriboVec3 p, double slope) {
  return tribo_vec3_dot(face->normal, tribo_vec3_sub(face->point[0], p)) * slope;
}

// The contact with a point pa of a, rounded by ra, and one of b, rounded by rb, that is `rise`
// above it along n.
static void set_contact(double ra, double rb, TriboVec3 n, TriboVec3 pa, double rise,
                        uint32_t name_a, uint32_t name_b, TriboContact* contact) {
  contact->shape0 = contact->shape1 = -1;
  contact->normal = n;
  contact->gap = rise - (ra + rb);
  contact->point = tribo_vec3_madd(pa, 0.5 * (rise + ra - rb), n);
  contact->feature = tribo_feature_pair(name_a, name_b);
}

typedef struct Query {
  const TriboConvex *a, *b;
  const TriboSeparation* separation;
  double margin, tolerance;
} Query;

// Contacts from the overlap of two features of which at least one is a face: at most
// TRIBO_CONTACTS_PER_PAIR. `deepest` is the smallest gap of all corners, whatever the margin.
static int overlap_contacts(const Query* query, const TriboSupportFeature* fa,
                            const TriboSupportFeature* fb, TriboContact* contacts,
                            double* deepest) {
  const TriboVec3 n = query->separation->normal;
  // a's face clips b's unless a has no face; the clip polygon runs counterclockwise about its
  // outward normal.
  const bool a_clips = fa->count > 2;
  const TriboSupportFeature *clip = a_clips ? fa : fb, *subject = a_clips ? fb : fa;
  Overlap buffer[2];
  const Overlap* found =
      overlap(subject, clip, a_clips ? n : tribo_vec3_neg(n), query->tolerance, buffer);
  TriboContact many[CORNERS_MAX];
  TriboContact* out = found->count > TRIBO_CONTACTS_PER_PAIR ? many : contacts;
  const double clip_slope = 1 / tribo_vec3_dot(clip->normal, n);
  const double subject_slope = subject->count > 2 ? 1 / tribo_vec3_dot(subject->normal, n) : 0;
  int count = 0;
  *deepest = INFINITY;
  for (int i = 0; i < found->count; ++i) {
    // From the corner up or down to the other face; from `clip` to `subject` it is `rise`.
    const Corner* corner = &found->corner[i];
    const bool own = corner->kind == CORNER_CLIP, crossing = corner->kind == CORNER_CROSSING;
    const bool round = corner->kind == CORNER_SUBJECT && corner->subject == subject->round_end &&
                       tribo_feature_holds(clip, subject->round_point, n, query->tolerance);
    const TriboVec3 p = own ? clip->point[corner->clip] : round ? subject->round_point : corner->q;
    const double rise =
        own ? rise_to_face(subject, p, subject_slope) : -rise_to_face(clip, p, clip_slope);
    const TriboVec3 on_clip = own ? p : tribo_vec3_madd(p, -rise, n);
    const uint32_t clip_name = own        ? clip->vertex[corner->clip]
                               : crossing ? clip->edge[corner->clip]
                                          : clip->name;
    const uint32_t subject_name = own        ? subject->name
                                  : crossing ? subject->edge[corner->subject]
                                             : subject->vertex[corner->subject];
    if (a_clips) {
      set_contact(fa->radius, fb->radius, n, on_clip, rise, clip_name, subject_name, &out[count]);
    } else {
      // From a, the subject, to b, the clip polygon: the same way back.
      set_contact(fa->radius, fb->radius, n, tribo_vec3_madd(on_clip, rise, n), -rise, subject_name,
                  clip_name, &out[count]);
    }
    *deepest = fmin(*deepest, out[count].gap);
    count += out[count].gap <= query->margin;
  }
  if (out == contacts) return count;
  count = tribo_manifold_reduce(many, count);
  for (int i = 0; i < count; ++i) contacts[i] = many[i];
  return count;
}

static double flank_radius(const TriboConvex* c) {
  return c->kind == TRIBO_CONVEX_CYLINDER ? c->half.x : c->radius;
}

// Two edges side by side: the ends of the stretch that they share. 0 where they are not.
static int edge_contacts(const Query* query, const TriboSupportFeature* fa,
                         const TriboSupportFeature* fb, TriboContact* contacts) {
  const TriboVec3 n = query->separation->normal;
  const TriboVec3 along_a = tribo_vec3_sub(fa->point[1], fa->point[0]);
  const TriboVec3 along_b = tribo_vec3_sub(fb->point[1], fb->point[0]);
  const double la = tribo_vec3_norm(along_a), lb = tribo_vec3_norm(along_b);
  // Between two round flanks, being off sideways by x moves the surface by x^2 / 2r only.
  const double r = fmin(flank_radius(query->a), flank_radius(query->b));
  const double sideways = kParallel * fmin(la, lb) + sqrt(2 * r * query->tolerance);
  const double cross = tribo_vec3_norm(tribo_vec3_cross(along_a, along_b));
  if (cross > sideways * fmax(la, lb)) return 0;

  // Places on a's edge, from 0 to la; b's ends in the same order.
  const TriboVec3 u = tribo_vec3_scale(1 / la, along_a), origin = fa->point[0];
  const int first = tribo_vec3_dot(along_b, u) < 0;
  const TriboVec3 b_end[2] = {fb->point[first], fb->point[!first]};
  const uint32_t b_name[2] = {fb->vertex[first], fb->vertex[!first]};
  const double sb[2] = {tribo_vec3_dot(tribo_vec3_sub(b_end[0], origin), u),
                        tribo_vec3_dot(tribo_vec3_sub(b_end[1], origin), u)};
  if (fmin(la, sb[1]) - fmax(0, sb[0]) <= query->tolerance) return 0;
  int count = 0;
  for (int end = 0; end < 2; ++end) {
    // The end of a counts unless the end of b cuts it off.
    const double sa = end == 0 ? 0 : la;
    const bool a_limits =
        end == 0 ? sb[0] <= sa + query->tolerance : sb[1] >= sa - query->tolerance;
    const TriboVec3 pa = a_limits ? fa->point[end] : tribo_vec3_madd(origin, sb[end], u);
    const double t = a_limits ? (sa - sb[0]) / (sb[1] - sb[0]) : end;
    const TriboVec3 pb = tribo_vec3_madd(b_end[0], t, tribo_vec3_sub(b_end[1], b_end[0]));
    set_contact(fa->radius, fb->radius, n, pa, tribo_vec3_dot(n, tribo_vec3_sub(pb, pa)),
                a_limits ? fa->vertex[end] : fa->name, a_limits ? fb->name : b_name[end],
                &contacts[count]);
    count += contacts[count].gap <= query->margin;
  }
  return count;
}

// Adds the one point where the separation is reached, between the sharp features fa and fb, unless
// a contact is as deep already.
static int with_deepest(const Query* query, const TriboSupportFeature* fa,
                        const TriboSupportFeature* fb, TriboContact* contacts, int count) {
  const TriboSeparation* s = query->separation;
  const double gap = s->distance - (query->a->radius + query->b->radius);
  if (gap > query->margin) return count;
  // In place of the contact of the same name, or else of the farthest where there is no room.
  const uint64_t name = tribo_feature_pair(fa->name, fb->name);
  int last = -1, same = -1;
  for (int i = 0; i < count; ++i) {
    if (contacts[i].gap <= gap + query->tolerance) return count;
    if (last < 0 || contacts[i].gap > contacts[last].gap) last = i;
    if (contacts[i].feature == name) same = i;
  }
  if (same >= 0) {
    last = same;
  } else if (count < TRIBO_CONTACTS_PER_PAIR) {
    last = count++;
  }
  TriboVec3 pa = s->point_a, pb = s->point_b;
  if (!s->has_points) {
    tribo_witness(query->a, query->b, fa, fb, s->normal, s->distance, &pa, &pb);
  }
  set_contact(fa->radius, fb->radius, s->normal, pa, s->distance, fa->name, fb->name,
              &contacts[last]);
  return count;
}

int tribo_manifold_point(const TriboConvex* a, const TriboConvex* b, const TriboSeparation* s,
                         double margin, TriboContact* contact) {
  const double gap = s->distance - (a->radius + b->radius);
  if (gap > margin) return 0;
  set_contact(a->radius, b->radius, s->normal, s->point_a, s->distance,
              tribo_convex_sharp_name(a, s->normal),
              tribo_convex_sharp_name(b, tribo_vec3_neg(s->normal)), contact);
  return 1;
}

int tribo_manifold(const TriboConvex* a, const TriboConvex* b, const TriboSeparation* separation,
                   double margin, bool* exact, TriboContact contacts[TRIBO_CONTACTS_PER_PAIR]) {
  const Query query = {a, b, separation, margin, feature_tolerance(a, b)};
  const TriboVec3 n = separation->normal, back = tribo_vec3_neg(n);
  TriboSupportFeature fa, fb;
  tribo_convex_face(a, n, &fa);
  tribo_convex_face(b, back, &fb);

  // Steep faces show no more than an edge or a corner.
  if (fa.count > 2 && fa.alignment < kSteep) tribo_convex_sharp(a, n, &fa);
  if (fb.count > 2 && fb.alignment < kSteep) tribo_convex_sharp(b, back, &fb);
  const bool flat =
      (fa.count > 2 && fa.alignment >= kFlat) || (fb.count > 2 && fb.alignment >= kFlat);
  const bool nearly_flat = fa.alignment >= kNearlyFlat && fb.alignment >= kNearlyFlat;
  int count = 0;
  double deepest = INFINITY;
  if ((flat || nearly_flat) && (fa.count > 2 || fb.count > 2)) {
    count = overlap_contacts(&query, &fa, &fb, contacts, &deepest);
  }
  const double gap = separation->distance - (a->radius + b->radius);
  const bool found = deepest <= gap + query.tolerance;
  if (exact != NULL) *exact = found;
  if (!found) {
    // Nothing at full depth yet: the sharp features that meet there.
    tribo_convex_sharp(a, n, &fa);
    tribo_convex_sharp(b, back, &fb);
    if (count == 0 && fa.count == 2 && fb.count == 2) {
      count = edge_contacts(&query, &fa, &fb, contacts);
    }
    count = with_deepest(&query, &fa, &fb, contacts, count);
  }
  return count;
}

// Twice the area of the triangle of three contacts, seen along their normal.
static double corner_area(const TriboContact* p, const TriboContact* q, const TriboContact* r) {
  const TriboVec3 cross =
      tribo_vec3_cross(tribo_vec3_sub(q->point, p->point), tribo_vec3_sub(r->point, q->point));
  return fabs(tribo_vec3_dot(cross, p->normal));
}

int tribo_manifold_reduce(TriboContact* contacts, int count) {
  if (count <= TRIBO_CONTACTS_PER_PAIR) return count;
  // Rounding must not choose the deepest of equals.
  const double level = kOnEdge * tribo_vec3_distance(contacts[0].point, contacts[count / 2].point);
  int deepest = 0;
  for (int i = 1; i < count; ++i) {
    if (contacts[i].gap < contacts[deepest].gap - level) deepest = i;
  }
  while (count > TRIBO_CONTACTS_PER_PAIR) {
    // The corner that adds least area goes; among equals (up to rounding) the last.
    int least = -1;
    double least_area = INFINITY;
    for (int i = 0; i < count; ++i) {
      if (i == deepest) continue;
      const double area =
          corner_area(&contacts[(i + count - 1) % count], &contacts[i], &contacts[(i + 1) % count]);
      if (area <= least_area * (1 + 1e-6)) {
        least = i;
        least_area = fmin(least_area, area);
      }
    }
    for (int i = least; i + 1 < count; ++i) contacts[i] = contacts[i + 1];
    --count;
    if (deepest > least) --deepest;
  }
  return count;
}
