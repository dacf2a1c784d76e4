// SPDX-License-Identifier: Apache-2.0
#include "collision/triangle.h"

// By the Voronoi regions of the corners, edges and the face [Ericson2005, sec. 5.1.5]. d1 .. d6 are
// the products of the two edges at corner a with the ways from the three corners to p.
TriboVec3 tribo_triangle_closest(const TriboVec3 corner[3], TriboVec3 p, int* region) {
  const TriboVec3 a = corner[0], b = corner[1], c = corner[2];
  const TriboVec3 ab = tribo_vec3_sub(b, a), ac = tribo_vec3_sub(c, a);
  const TriboVec3 ap = tribo_vec3_sub(p, a);
  const double d1 = tribo_vec3_dot(ab, ap), d2 = tribo_vec3_dot(ac, ap);
  *region = TRIBO_TRIANGLE_CORNER;
  if (d1 <= 0 && d2 <= 0) return a;

  const TriboVec3 bp = tribo_vec3_sub(p, b);
  const double d3 = tribo_vec3_dot(ab, bp), d4 = tribo_vec3_dot(ac, bp);
  *region = TRIBO_TRIANGLE_CORNER + 1;
  if (d3 >= 0 && d4 <= d3) return b;

  const double vc = d1 * d4 - d3 * d2;
  *region = TRIBO_TRIANGLE_EDGE;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return tribo_vec3_madd(a, d1 / (d1 - d3), ab);

  const TriboVec3 cp = tribo_vec3_sub(p, c);
  const double d5 = tribo_vec3_dot(ab, cp), d6 = tribo_vec3_dot(ac, cp);
  *region = TRIBO_TRIANGLE_CORNER + 2;
  if (d6 >= 0 && d5 <= d6) return c;

  const double vb = d5 * d2 - d1 * d6;
  *region = TRIBO_TRIANGLE_EDGE + 2;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return tribo_vec3_madd(a, d2 / (d2 - d6), ac);

  const double va = d3 * d6 - d5 * d4;
  *region = TRIBO_TRIANGLE_EDGE + 1;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return tribo_vec3_madd(b, t, tribo_vec3_sub(c, b));
  }

  *region = TRIBO_TRIANGLE_FACE;
  const double sum = 1 / (va + vb + vc);
  return tribo_vec3_madd(tribo_vec3_madd(a, vb * sum, ab), vc * sum, ac);
}
