// SPDX-License-Identifier: Apache-2.0
#include "tests/collision/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/base/rotation.h"

namespace reference {
namespace {

constexpr double kGolden = 0.6180339887498949;

double Sq(double x) { return x * x; }

// The directions in which polyhedra are faces or edges, in the world.
struct Features {
  std::vector<TriboVec3> normals, edges;
};

bool IsPolyhedron(const Body& body) {
  return body.shape.type == TRIBO_SHAPE_BOX || body.shape.type == TRIBO_SHAPE_HULL ||
         body.shape.type == TRIBO_SHAPE_SPHERE || body.shape.type == TRIBO_SHAPE_CAPSULE;
}

Features FeaturesOf(const Body& body) {
  Features f;
  auto turn = [&](TriboVec3 v) { return tribo_mat3_mul_vec(body.X.R, v); };
  if (body.shape.type == TRIBO_SHAPE_BOX) {
    for (TriboVec3 e : {TriboVec3{1, 0, 0}, TriboVec3{0, 1, 0}, TriboVec3{0, 0, 1}}) {
      f.normals.push_back(turn(e));
      f.edges.push_back(turn(e));
    }
  } else if (body.shape.type == TRIBO_SHAPE_CAPSULE) {
    if (body.shape.half_length > 0) f.edges.push_back(turn({0, 0, 1}));
  } else if (body.shape.type == TRIBO_SHAPE_HULL) {
    const TriboHull* h = body.shape.hull;
    for (int i = 0; i < h->nf; ++i) f.normals.push_back(turn(h->face_normals[i]));
    for (int i = 0; i < h->ne; ++i) {
      f.edges.push_back(turn(tribo_vec3_sub(h->vertices[h->edge_vertices[2 * i + 1]],
                                            h->vertices[h->edge_vertices[2 * i]])));
    }
  }
  return f;
}

// The maximum of f over [-w, w], which need have no derivative.
template <typename F>
double GoldenSection(double w, const F& f) {
  double low = -w, high = w;
  double x = high - kGolden * (high - low), y = low + kGolden * (high - low);
  double fx = f(x), fy = f(y), best = std::max(fx, fy);
  while (high - low > 2e-9) {
    if (fx >= fy) {
      high = y, y = x, fy = fx;
      x = high - kGolden * (high - low);
      fx = f(x);
      best = std::max(best, fx);
    } else {
      low = x, x = y, fx = fy;
      y = low + kGolden * (high - low);
      fy = f(y);
      best = std::max(best, fy);
    }
  }
  return best;
}

double RefinePeak(const Body& a, const Body& b, TriboVec3 d, double window) {
  TriboVec3 t1, t2;
  tribo_vec3_tangents(d, &t1, &t2);
  return GoldenSection(window, [&](double x) {
    return GoldenSection(window, [&](double y) {
      const TriboVec3 v = tribo_vec3_madd(tribo_vec3_madd(d, x, t1), y, t2);
      return DistanceAlong(a, b, tribo_vec3_scale(1 / tribo_vec3_norm(v), v));
    });
  });
}

// Evenly spread directions (Fibonacci's spiral), made once.
const std::vector<TriboVec3>& Sphere() {
  static const std::vector<TriboVec3> directions = [] {
    std::vector<TriboVec3> d;
    const int n = 600;
    for (int i = 0; i < n; ++i) {
      const double z = 1 - (2 * i + 1.0) / n, r = std::sqrt(1 - z * z), t = 2.399963229728653 * i;
      d.push_back({r * std::cos(t), r * std::sin(t), z});
    }
    return d;
  }();
  return directions;
}

double BestOfSweep(const Body& a, const Body& b) {
  std::vector<std::pair<double, TriboVec3>> all;
  for (TriboVec3 d : Sphere()) all.push_back({-DistanceAlong(a, b, d), d});
  std::sort(all.begin(), all.end(), [](auto& p, auto& q) { return p.first < q.first; });
  // The best peaks: each the best of its neighbourhood.
  const double window = 0.15;
  std::vector<TriboVec3> peaks;
  double best = -all[0].first;
  for (const auto& candidate : all) {
    bool near = false;
    for (TriboVec3 p : peaks) near = near || tribo_vec3_dot(p, candidate.second) > 1 - window;
    if (near) continue;
    peaks.push_back(candidate.second);
    best = std::max(best, RefinePeak(a, b, candidate.second, window));
    if (peaks.size() == 3) break;
  }
  return best;
}

}  // namespace

double Reach(const Body& body, TriboVec3 d) {
  const TriboShape& s = body.shape;
  const TriboVec3 l = tribo_mat3_tmul_vec(body.X.R, d);
  const double base = tribo_vec3_dot(d, body.X.p);
  switch (s.type) {
    case TRIBO_SHAPE_PLANE:
      return l.z > 0 && std::hypot(l.x, l.y) <= 1e-12 * l.z ? base : INFINITY;
    case TRIBO_SHAPE_SPHERE:
      return base + s.radius * tribo_vec3_norm(l);
    case TRIBO_SHAPE_CAPSULE:
      return base + s.radius * tribo_vec3_norm(l) + s.half_length * std::fabs(l.z);
    case TRIBO_SHAPE_BOX:
      return base + s.half.x * std::fabs(l.x) + s.half.y * std::fabs(l.y) +
             s.half.z * std::fabs(l.z);
    case TRIBO_SHAPE_CYLINDER:
      return base + s.radius * std::sqrt(l.x * l.x + l.y * l.y) + s.half_length * std::fabs(l.z);
    case TRIBO_SHAPE_ELLIPSOID:
      return base + std::sqrt(Sq(s.half.x * l.x) + Sq(s.half.y * l.y) + Sq(s.half.z * l.z));
    default: {
      double best = -INFINITY;
      for (int i = 0; i < s.hull->nv; ++i) {
        best = std::max(best, tribo_vec3_dot(l, s.hull->vertices[i]));
      }
      return base + best;
    }
  }
}

double DistanceAlong(const Body& a, const Body& b, TriboVec3 d) {
  return -Reach(b, tribo_vec3_neg(d)) - Reach(a, d);
}

double Level(const Body& body, TriboVec3 p) {
  const TriboShape& s = body.shape;
  const TriboVec3 l = tribo_mat3_tmul_vec(body.X.R, tribo_vec3_sub(p, body.X.p));
  switch (s.type) {
    case TRIBO_SHAPE_PLANE:
      return l.z;
    case TRIBO_SHAPE_SPHERE:
      return tribo_vec3_norm(l) - s.radius;
    case TRIBO_SHAPE_CAPSULE: {
      const double z = std::clamp(l.z, -s.half_length, s.half_length);
      return std::sqrt(l.x * l.x + l.y * l.y + Sq(l.z - z)) - s.radius;
    }
    case TRIBO_SHAPE_BOX:
      return std::max(
          {std::fabs(l.x) - s.half.x, std::fabs(l.y) - s.half.y, std::fabs(l.z) - s.half.z});
    case TRIBO_SHAPE_CYLINDER:
      return std::max(std::hypot(l.x, l.y) - s.radius, std::fabs(l.z) - s.half_length);
    case TRIBO_SHAPE_ELLIPSOID: {
      // A norm of the scaled point, in units of the shortest axis.
      const double scaled = std::sqrt(Sq(l.x / s.half.x) + Sq(l.y / s.half.y) + Sq(l.z / s.half.z));
      return (scaled - 1) * std::min({s.half.x, s.half.y, s.half.z});
    }
    default: {
      double level = -INFINITY;
      for (int f = 0; f < s.hull->nf; ++f) {
        level =
            std::max(level, tribo_vec3_dot(s.hull->face_normals[f], l) - s.hull->face_offsets[f]);
      }
      return level;
    }
  }
}

// All faces and pairs of edges: exact for polyhedra that overlap.
double FeatureDistance(const Body& a, const Body& b) {
  const Features fa = FeaturesOf(a), fb = FeaturesOf(b);
  double best = -INFINITY;
  auto attempt = [&](TriboVec3 d) {
    const double norm = tribo_vec3_norm(d);
    if (!(norm > 1e-12)) return;
    d = tribo_vec3_scale(1 / norm, d);
    best = std::max({best, DistanceAlong(a, b, d), DistanceAlong(a, b, tribo_vec3_neg(d))});
  };
  for (TriboVec3 n : fa.normals) attempt(n);
  for (TriboVec3 n : fb.normals) attempt(n);
  for (TriboVec3 e : fa.edges) {
    for (TriboVec3 g : fb.edges) {
      attempt(tribo_vec3_cross(tribo_vec3_scale(1 / tribo_vec3_norm(e), e),
                               tribo_vec3_scale(1 / tribo_vec3_norm(g), g)));
    }
  }
  return best;
}

double SweepDistance(const Body& a, const Body& b) {
  double best = -INFINITY;
  for (TriboVec3 d : Sphere()) best = std::max(best, DistanceAlong(a, b, d));
  return best;
}

double HullArea(std::vector<TriboVec3> points) {
  if (points.size() < 3) return 0;
  // Andrew's monotone chain, lower and upper part.
  std::sort(points.begin(), points.end(),
            [](TriboVec3 p, TriboVec3 q) { return p.x < q.x || (p.x == q.x && p.y < q.y); });
  std::vector<TriboVec3> hull;
  for (int pass = 0; pass < 2; ++pass) {
    const size_t start = hull.size();
    for (TriboVec3 p : points) {
      while (hull.size() >= start + 2 &&
             tribo_vec3_cross(tribo_vec3_sub(hull.back(), hull[hull.size() - 2]),
                              tribo_vec3_sub(p, hull.back()))
                     .z <= 0) {
        hull.pop_back();
      }
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  double area = 0;
  for (size_t k = 0; k < hull.size(); ++k) {
    area += 0.5 * tribo_vec3_cross(hull[k], hull[(k + 1) % hull.size()]).z;
  }
  return area;
}

double BestDistance(const Body& a, const Body& b) {
  if (!IsPolyhedron(a) || !IsPolyhedron(b)) return BestOfSweep(a, b);
  // Solids show by their faces and edges alone whether they overlap, and how deep.
  const double best = FeatureDistance(a, b);
  const bool solid = a.shape.radius == 0 && b.shape.radius == 0;
  return solid && best <= 0 ? best : std::max(best, BestOfSweep(a, b));
}

// ---- random bodies

namespace {

TriboHull* MakeHull(const std::vector<TriboVec3>& points) {
  TriboHull* hull = nullptr;
  TriboMessage message;
  EXPECT_EQ(
      tribo_hull_create(points.data(), static_cast<int>(points.size()), nullptr, &hull, &message),
      TRIBO_OK)
      << message.text;
  return hull;
}

}  // namespace

Sampler::Sampler(uint64_t seed) : random_(tribo_random(seed)) {
  // Random clouds, a cube, a tetrahedron, a wedge, a twelve-sided prism, a thin plate.
  for (int i = 0; i < 8; ++i) {
    std::vector<TriboVec3> points;
    for (int k = 0; k < 5 + 2 * i; ++k) points.push_back({In(-1, 1), In(-1, 1), In(-0.6, 0.6)});
    hulls_.push_back(MakeHull(points));
  }
  auto prism = [&](int sides, double r, double h) {
    std::vector<TriboVec3> points;
    for (int k = 0; k < sides; ++k) {
      const double t = 2 * M_PI * k / sides;
      for (double z : {-h, h}) points.push_back({r * std::cos(t), r * std::sin(t), z});
    }
    hulls_.push_back(MakeHull(points));
  };
  prism(4, 0.7, 0.5);
  prism(3, 0.8, 0.3);
  prism(12, 0.6, 0.4);
  prism(5, 1.0, 0.02);
  hulls_.push_back(MakeHull({{-1, -1, -0.5}, {1, -1, -0.5}, {0, 1, -0.5}, {0, 0, 0.7}}));
  std::vector<TriboVec3> cube;
  for (int i = 0; i < 8; ++i) {
    cube.push_back({i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5});
  }
  hulls_.push_back(MakeHull(cube));
}

Sampler::~Sampler() {
  for (TriboHull* hull : hulls_) tribo_hull_destroy(hull);
  for (TriboHull* hull : extra_) tribo_hull_destroy(hull);
}

TriboShape Sampler::Shape(TriboShapeType type, double scale) {
  auto size = [&] { return scale * (Index(4) == 0 ? 0.5 : In(0.1, 1)); };
  switch (type) {
    case TRIBO_SHAPE_PLANE:
      return tribo_shape_plane();
    case TRIBO_SHAPE_SPHERE:
      return tribo_shape_sphere(size());
    case TRIBO_SHAPE_CAPSULE:
      return tribo_shape_capsule(size(), size());
    case TRIBO_SHAPE_CYLINDER:
      return tribo_shape_cylinder(size(), size());
    case TRIBO_SHAPE_ELLIPSOID:
      return tribo_shape_ellipsoid({size(), size(), size()});
    case TRIBO_SHAPE_HULL:
      return tribo_shape_hull(hulls_[Index(static_cast<int>(hulls_.size()))]);
    default:
      return tribo_shape_box({size(), size(), size()});
  }
}

TriboShape Sampler::ManyCorners(int corners, TriboVec3 half) {
  std::vector<TriboVec3> points;
  while (static_cast<int>(points.size()) < corners) {
    const TriboVec3 p = {In(-1, 1), In(-1, 1), In(-1, 1)};
    const double norm = tribo_vec3_norm(p);
    if (norm > 1 || norm < 0.1) continue;
    points.push_back({half.x * p.x / norm, half.y * p.y / norm, half.z * p.z / norm});
  }
  extra_.push_back(MakeHull(points));
  return tribo_shape_hull(extra_.back());
}

TriboVec3 Sampler::Direction() {
  if (Index(4) == 0) {
    const double sign = Index(2) ? 1 : -1;
    const int axis = Index(3);
    return {axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
  }
  for (;;) {
    const TriboVec3 v = {In(-1, 1), In(-1, 1), In(-1, 1)};
    const double norm = tribo_vec3_norm(v);
    if (norm > 0.1 && norm < 1) return tribo_vec3_scale(1 / norm, v);
  }
}

TriboMat3 Sampler::Rotation() {
  const TriboVec3 any = tribo_vec3_scale(In(0, M_PI), Direction());
  if (Index(2) == 0) return tribo_quat_to_mat3(tribo_quat_exp(any));
  // Along the axes: a permutation of them with signs, exactly; or turned a little from there.
  const int shift = Index(3);
  TriboMat3 R = tribo_mat3_zero();
  const double sx = Index(2) ? 1 : -1, sy = Index(2) ? 1 : -1;
  R.m[3 * (shift % 3)] = sx;
  R.m[3 * ((shift + 1) % 3) + 1] = sy;
  R.m[3 * ((shift + 2) % 3) + 2] = sx * sy;
  if (Index(2) == 0) return R;
  const double tiny = std::pow(10, -In(1, 15));
  return tribo_mat3_mul(tribo_quat_to_mat3(tribo_quat_exp(tribo_vec3_scale(tiny, Direction()))), R);
}

void Sampler::Place(const Body& a, Body* b) {
  b->X.R = Rotation();
  b->X.p = tribo_vec3_zero();
  Body centred = a;
  centred.X.p = tribo_vec3_zero();
  const TriboVec3 u = Direction();
  const double touch = Reach(centred, u) + Reach(*b, tribo_vec3_neg(u));
  static const double kGaps[] = {0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3, 0.02};
  const double size = tribo_vec3_norm(b->shape.half);
  double gap = 0;
  switch (Index(4)) {
    case 0:
      gap = size * kGaps[Index(10)];
      break;
    case 1:
      gap = size * In(-0.05, 0.05);
      break;
    case 2:
      gap = size * In(0, 2);
      break;
    default:
      gap = -touch * (Index(5) == 0 ? 1 : In(0, 1));
  }
  b->X.p = tribo_vec3_madd(a.X.p, touch + gap, u);
  // Sideways too, as far as the size: flush faces that overlap in part.
  if (Index(2) == 0) {
    const TriboVec3 side = Direction();
    b->X.p = tribo_vec3_madd(b->X.p, 0.5 * size * In(0, 1),
                             tribo_vec3_madd(side, -tribo_vec3_dot(side, u), u));
  }
}

}  // namespace reference
