// SPDX-License-Identifier: Apache-2.0
//
// An independent judge of the narrow phase: support functions, surface tests and distances of
// convex shapes, written from the definitions of the shapes and slow. It shares no code with the
// library but the vector type and the tables of a hull.
#ifndef TRIBO_TESTS_COLLISION_REFERENCE_H_
#define TRIBO_TESTS_COLLISION_REFERENCE_H_

#include <memory>
#include <vector>

#include "collision/hull.h"
#include "collision/shape.h"
#include "engine/base/random.h"
#include "engine/base/types.h"

namespace reference {

// A shape at a pose.
struct Body {
  TriboShape shape;
  TriboTransform X;
};

// How far the body reaches along d, any vector: max d . x.
double Reach(const Body& body, TriboVec3 d);

// The distance that the unit vector d from a to b shows: negative where they overlap along d.
double DistanceAlong(const Body& a, const Body& b, TriboVec3 d);

// 0 on the surface, negative inside, positive outside; in metres, no larger than the distance to
// the surface.
double Level(const Body& body, TriboVec3 p);

// The largest distance that any direction shows. Exact for two polyhedra that overlap (all faces
// and pairs of edges); otherwise a sweep over the sphere with the best peaks refined by nested
// golden sections: never more than the truth.
double BestDistance(const Body& a, const Body& b);

// The two parts of that: all faces and pairs of edges of polyhedra (spheres and capsules count as
// such), and 600 directions without refinement.
double FeatureDistance(const Body& a, const Body& b);
double SweepDistance(const Body& a, const Body& b);

// The area of the convex hull of points of the plane z = 0; 0 for fewer than 3.
double HullArea(std::vector<TriboVec3> points);

// Random shapes, sizes 0.1 to 1 times scale, and poses.
class Sampler {
 public:
  explicit Sampler(uint64_t seed);
  ~Sampler();
  TriboShape Shape(TriboShapeType type, double scale);
  // The hull of as many points on an ellipsoid.
  TriboShape ManyCorners(int corners, TriboVec3 half);
  // Any rotation, or one along the axes, or one that is nearly along the axes.
  TriboMat3 Rotation();
  TriboVec3 Direction();
  double In(double low, double high) { return tribo_random_in(&random_, low, high); }
  int Index(int count) { return tribo_random_index(&random_, count); }
  // A pair that touches, overlaps or is apart along a random direction.
  void Place(const Body& a, Body* b);

 private:
  TriboRandom random_;
  std::vector<TriboHull*> hulls_, extra_;
};

}  // namespace reference

#endif  // TRIBO_TESTS_COLLISION_REFERENCE_H_
