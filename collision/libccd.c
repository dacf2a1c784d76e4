// SPDX-License-Identifier: Apache-2.0
//
// Guards against what is known of libccd: its tests against zero are absolute (2e-16), so bodies
// are shown to it around a's centre and in units of their size, which also keeps their digits; two
// of its loops have no bound, so the support function has one. Past it every support point is the
// origin: a portal that touches the origin cannot be told from one that is done, so that each loop
// ends with it.
#include "collision/libccd.h"

#include <ccd/ccd.h>
#include <math.h>

#include "engine/base/vec3.h"

// libccd is built for single or double precision, and its header tells which.
_Static_assert(sizeof(ccd_real_t) == sizeof(double), "Tribo needs a libccd of double precision");

// A body as libccd sees it.
typedef struct View {
  const TriboConvex* convex;
  TriboVec3 origin;
  double scale;
  int* supports;  // that may still be asked for, of both bodies
} View;

static void show(const View* view, TriboVec3 p, ccd_vec3_t* out) {
  p = tribo_vec3_scale(view->scale, tribo_vec3_sub(p, view->origin));
  ccdVec3Set(out, p.x, p.y, p.z);
}

static void support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* point) {
  const View* view = object;
  if (*view->supports <= 0) {
    ccdVec3Set(point, 0, 0, 0);
    return;
  }
  --*view->supports;
  const TriboVec3 d = tribo_vec3(direction->v[0], direction->v[1], direction->v[2]);
  TriboVec3 p = tribo_convex_support(view->convex, d);
  if (view->convex->radius > 0) {
    p = tribo_vec3_madd(p, view->convex->radius, tribo_vec3_normalize_or(d, tribo_vec3(0, 0, 1)));
  }
  show(view, p, point);
}

static void center(const void* object, ccd_vec3_t* point) {
  const View* view = object;
  show(view, tribo_convex_center(view->convex), point);
}

bool tribo_libccd_overlap(const TriboConvex* a, const TriboConvex* b, double tolerance,
                          int supports, double* depth, TriboVec3* d) {
  const double size = a->size + a->radius + b->size + b->radius;
  const TriboVec3 origin = tribo_convex_center(a);
  const View view_a = {a, origin, 1 / size, &supports}, view_b = {b, origin, 1 / size, &supports};
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = support;
  ccd.center1 = ccd.center2 = center;
  ccd.max_iterations = (unsigned long)supports;
  ccd.mpr_tolerance = tolerance;
  ccd_real_t found;
  ccd_vec3_t direction, position;
  if (ccdMPRPenetration(&view_a, &view_b, &ccd, &found, &direction, &position) != 0) return false;
  if (depth != NULL) *depth = size * found;
  *d = tribo_vec3(direction.v[0], direction.v[1], direction.v[2]);
  return fabs(tribo_vec3_norm2(*d) - 1) < 1e-6;  // neither zero, where they touch, nor NaN
}
