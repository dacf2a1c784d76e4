// SPDX-License-Identifier: Apache-2.0
#include "tests/solvers/contact_scenes.h"

#include <cmath>

namespace tribo_scenes {
namespace {

const double kPi = 3.14159265358979323846;
const double kStep = 0.01, kGravity = 9.81;

void Cross(const double a[3], const double b[3], double out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

void Normalize(double v[3]) {
  const double length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int i = 0; i < 3; ++i) v[i] /= length;
}

// Two unit tangents of a unit normal.
void Tangents(const double n[3], double t1[3], double t2[3]) {
  const double pick[3] = {std::fabs(n[0]) < 0.6 ? 1.0 : 0.0, std::fabs(n[0]) < 0.6 ? 0.0 : 1.0, 0};
  Cross(n, pick, t1);
  Normalize(t1);
  Cross(n, t1, t2);
}

// `per_face` points around a horizontal square of half side r: 4 corners, then side midpoints, then
// quarters.
std::vector<std::pair<double, double>> FacePoints(int per_face, double r) {
  std::vector<std::pair<double, double>> points{{-r, -r}, {r, -r}, {r, r}, {-r, r}};
  if (per_face >= 8) points.insert(points.end(), {{0, -r}, {r, 0}, {0, r}, {-r, 0}});
  if (per_face >= 12) {
    points.insert(points.end(),
                  {{-r / 2, -r / 2}, {r / 2, -r / 2}, {r / 2, r / 2}, {-r / 2, r / 2}});
  }
  return points;
}

}  // namespace

int Scene::AddBody(double mass, double inertia, const double centre[3]) {
  mass_.push_back(mass);
  inertia_.push_back(inertia);
  centre_.insert(centre_.end(), centre, centre + 3);
  return bodies() - 1;
}

void Scene::AddContact(int a, int b, const double point[3], const double normal[3]) {
  Contact c{a, b, {point[0], point[1], point[2]}, {normal[0], normal[1], normal[2]}};
  Normalize(c.normal);
  contact_.push_back(c);
}

void Scene::AddJointRow(int a, int b, const double point[3], const double axis[3], double target) {
  joint_.push_back({a, b, {point[0], point[1], point[2]}, {axis[0], axis[1], axis[2]}, target});
}

void Scene::AddDryRow(int b, const double axis[3], double bound, double target) {
  dry_.push_back({b, {axis[0], axis[1], axis[2]}, bound, target});
}

TriboRows Scene::Rows::View() const {
  return {static_cast<int>(start.size()) - 1, const_cast<int*>(start.data()),
          const_cast<int*>(index.data()), const_cast<double*>(value.data())};
}

// G is diagonal here: sqrt of mass and inertia.
void Scene::AddRow(Rows* rows, int a, int b, const double point[3], const double axis[3]) const {
  const int low = a < b ? a : b, high = a < b ? b : a;
  for (int body : {low, high}) {
    if (body < 0) continue;
    const double sign = body == b ? 1 : -1;
    const double* c = &centre_[3 * body];
    const double arm[3] = {point[0] - c[0], point[1] - c[1], point[2] - c[2]};
    double moment[3];
    Cross(arm, axis, moment);
    for (int i = 0; i < 6; ++i) {
      const double value =
          i < 3 ? axis[i] / std::sqrt(mass_[body]) : moment[i - 3] / std::sqrt(inertia_[body]);
      if (value == 0) continue;
      rows->index.push_back(6 * body + i);
      rows->value.push_back(sign * value);
    }
  }
  rows->Close();
}

void Scene::Finish(const Options& options) {
  TriboRandom random = tribo_random(options.seed);
  if (options.mass_ratio != 1 && bodies() > 0) {
    mass_.back() *= options.mass_ratio;
    inertia_.back() *= options.mass_ratio;
  }
  for (const Joint& j : joint_) {
    AddRow(&X_, j.a, j.b, j.point, j.axis);
    b_X_.push_back(j.target);
  }
  for (const Contact& c : contact_) {
    double n[3], p[3], t1[3], t2[3];
    for (int i = 0; i < 3; ++i) {
      n[i] = c.normal[i] + options.misalignment * tribo_random_in(&random, -1, 1);
      p[i] = c.point[i] + options.misalignment * tribo_random_in(&random, -1, 1);
    }
    Normalize(n);
    Tangents(n, t1, t2);
    id_.push_back(id_.size() + 1);
    AddRow(&N_, c.a, c.b, p, n);
    const bool gap = options.gaps && tribo_random_unit(&random) < 0.5;
    b_N_.push_back(gap ? -tribo_random_in(&random, 0, 0.1) : 0);
    group_.push_back({static_cast<int>(b_N_.size()) - 1, static_cast<int>(b_T_.size()), 2,
                      options.facets, options.mu, 0});
    AddRow(&T_, c.a, c.b, p, t1);
    AddRow(&T_, c.a, c.b, p, t2);
    b_T_.insert(b_T_.end(), {0.0, 0.0});
  }
  for (const Dry& d : dry_) {
    group_.push_back({-1, static_cast<int>(b_T_.size()), 1, 2, 0, d.bound});
    AddRow(&T_, -1, d.b, &centre_[3 * d.b], d.axis);
    b_T_.push_back(d.target);
  }
  k_.assign(6 * bodies(), 0);
}

void Scene::Load(TriboRandom* random) {
  const int kind = tribo_random_index(random, 4);  // 0 gravity, 1 along an axis, 2 and 3 anything
  for (int b = 0; b < bodies(); ++b) {
    for (int i = 0; i < 6; ++i) k_[6 * b + i] = 0;
    k_[6 * b + 2] = -kGravity * kStep * std::sqrt(mass_[b]);
  }
  const int last = bodies() - 1;
  const double root_m = std::sqrt(mass_[last]), root_i = std::sqrt(inertia_[last]);
  if (kind == 1) {
    const int axis = tribo_random_index(random, 6);
    const double sign = tribo_random_unit(random) < 0.5 ? -1 : 1;
    k_[6 * last + axis] += sign * (axis < 3 ? root_m : root_i);
  } else if (kind >= 2) {
    for (int i = 0; i < 6; ++i) {
      k_[6 * last + i] += (i < 3 ? root_m : root_i) * tribo_random_in(random, -1, 1);
    }
  }
}

void Scene::Nudge(TriboRandom* random, double amount) {
  double square = 0;
  for (double v : k_) square += v * v;
  const double size = amount * std::sqrt(square / static_cast<double>(k_.size()));
  for (double& v : k_) v += size * tribo_random_in(random, -1, 1);
}

TriboContactProblem Scene::problem() const {
  TriboContactProblem p{};
  p.ny = static_cast<int>(k_.size());
  p.k = k_.data();
  p.X = X_.View();
  p.b_X = b_X_.data();
  p.N = N_.View();
  p.b_N = b_N_.data();
  p.id_N = id_.data();
  p.T = T_.View();
  p.b_T = b_T_.data();
  p.ng = static_cast<int>(group_.size());
  p.group = group_.data();
  return p;
}

Answer::Answer(const TriboContactProblem& problem)
    : y(problem.ny),
      x(problem.X.count),
      f(problem.N.count),
      t(problem.T.count),
      scratch(problem.ny),
      mode_N(problem.N.count),
      mode_g(problem.ng) {
  solution = {y.data(), x.data(), f.data(), t.data(), mode_N.data(), mode_g.data()};
}

Scene PegInHole(int contacts, const Options& options) {
  Scene scene;
  const double centre[3] = {0, 0, 0};
  const int peg = scene.AddBody(1, 0.1, centre);
  const int ring = contacts / 2;
  for (int i = 0; i < contacts; ++i) {
    const double a = 2 * kPi * (i % ring) / ring, z = i < ring ? 0.5 : -0.5;
    const double point[3] = {0.25 * std::cos(a), 0.25 * std::sin(a), z};
    const double normal[3] = {-std::cos(a), -std::sin(a), 0};
    scene.AddContact(-1, peg, point, normal);
  }
  scene.Finish(options);
  return scene;
}

Scene Stack(int blocks, int per_face, const Options& options) {
  Scene scene;
  TriboRandom random = tribo_random(options.seed + 77);
  double x = 0, y = 0;
  for (int b = 0; b < blocks; ++b) {
    const double dx = b == 0 ? 0 : tribo_random_in(&random, -0.1, 0.1);
    const double dy = b == 0 ? 0 : tribo_random_in(&random, -0.1, 0.1);
    const double centre[3] = {x + dx, y + dy, 0.5 + b};
    scene.AddBody(1, 1.0 / 6, centre);
    // The overlap of the two faces is a rectangle between both centres.
    const double hx = 0.5 - std::fabs(dx) / 2, hy = 0.5 - std::fabs(dy) / 2;
    for (auto [u, v] : FacePoints(per_face, 1)) {
      const double point[3] = {x + dx / 2 + u * hx, y + dy / 2 + v * hy, 1.0 * b};
      const double up[3] = {0, 0, 1};
      scene.AddContact(b - 1, b, point, up);
    }
    x += dx, y += dy;
  }
  scene.Finish(options);
  return scene;
}

Scene Grasp(int cubes, int per_face, const Options& options) {
  Scene scene;
  // Cubes in a row along x between a fixed jaw and a jaw of mass 10 that slides along x.
  for (int b = 0; b < cubes; ++b) {
    const double centre[3] = {0.5 + b, 0, 0};
    scene.AddBody(1, 1.0 / 6, centre);
  }
  const double jaw_centre[3] = {cubes + 0.5, 0, 0};
  const int jaw = scene.AddBody(10, 10.0 / 6, jaw_centre);
  for (int face = 0; face <= cubes; ++face) {
    for (auto [u, v] : FacePoints(per_face, 0.5)) {
      const double point[3] = {1.0 * face, u, v};
      const double along[3] = {1, 0, 0};
      scene.AddContact(face - 1, face, point, along);
    }
  }
  // The jaw only slides along x: five rows hold the rest of it.
  const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const double beside[3] = {cubes + 1.5, 0, 0}, above[3] = {cubes + 0.5, 0, 1};
  scene.AddJointRow(-1, jaw, jaw_centre, axes[1], 0);
  scene.AddJointRow(-1, jaw, jaw_centre, axes[2], 0);
  scene.AddJointRow(-1, jaw, beside, axes[1], 0);
  scene.AddJointRow(-1, jaw, beside, axes[2], 0);
  scene.AddJointRow(-1, jaw, above, axes[1], 0);
  scene.Finish(options);
  return scene;
}

const std::vector<std::string> kSingleBody = {
    "point on surface", "edge on surface", "triangle on surface", "face on surface",
    "face on face",     "block in groove", "ball in rim",         "block in corner",
    "wedge in slot",    "block in channel"};

Scene SingleBody(const std::string& name, const Options& options) {
  Scene scene;
  const double centre[3] = {0, 0, 0};
  const int body = scene.AddBody(1, 1.0 / 6, centre);
  const double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  // Contacts on the face of the unit block whose inward normal is `normal`.
  auto face = [&](const double normal[3], int per_face, double shift) {
    double t1[3], t2[3];
    Tangents(normal, t1, t2);
    for (auto [u, v] : FacePoints(per_face, 0.5)) {
      double point[3];
      for (int i = 0; i < 3; ++i) point[i] = -0.5 * normal[i] + (u + shift) * t1[i] + v * t2[i];
      scene.AddContact(-1, body, point, normal);
    }
  };
  auto bottom = [&](const std::vector<std::pair<double, double>>& points) {
    for (auto [u, v] : points) {
      const double point[3] = {u, v, -0.5};
      scene.AddContact(-1, body, point, axis[2]);
    }
  };
  if (name == "point on surface") bottom({{0, 0}});
  if (name == "edge on surface") bottom({{-0.5, 0}, {0.5, 0}});
  if (name == "triangle on surface") bottom({{-0.5, -0.3}, {0.5, -0.3}, {0, 0.5}});
  if (name == "face on surface") face(axis[2], 4, 0);
  if (name == "face on face") {  // the hexagon in which two turned squares overlap
    std::vector<std::pair<double, double>> points;
    for (int i = 0; i < 6; ++i) {
      points.push_back({0.5 * std::cos(kPi * i / 3), 0.5 * std::sin(kPi * i / 3)});
    }
    bottom(points);
  }
  if (name == "block in groove") {
    const double left[3] = {1, 0, 1}, right[3] = {-1, 0, 1};
    for (const double* side : {left, right}) {
      for (double v : {-0.5, 0.5}) {
        for (double depth : {0.2, 0.7}) {
          const double point[3] = {-depth * side[0], v, depth - 0.7};
          scene.AddContact(-1, body, point, side);
        }
      }
    }
  }
  if (name == "ball in rim") {
    for (int i = 0; i < 10; ++i) {
      const double a = 2 * kPi * i / 10;
      const double point[3] = {0.3 * std::cos(a), 0.3 * std::sin(a), -0.4};
      const double normal[3] = {-point[0], -point[1], -point[2]};
      scene.AddContact(-1, body, point, normal);
    }
  }
  if (name == "block in corner") {
    for (int i = 0; i < 3; ++i) face(axis[i], 4, 0);
  }
  if (name == "wedge in slot") {
    const double left[3] = {1, 0, 0.2}, right[3] = {-1, 0, 0.2};
    for (const double* side : {left, right}) {
      for (int i = 0; i < 7; ++i) {
        const double point[3] = {side == left ? -0.4 : 0.4, -0.5 + i / 6.0, i % 2 ? 0.2 : -0.2};
        scene.AddContact(-1, body, point, side);
      }
    }
  }
  if (name == "block in channel") {
    const double right[3] = {-1, 0, 0};
    face(axis[2], 8, 0);
    face(axis[0], 4, 0);
    face(right, 4, 0);
  }
  scene.Finish(options);
  return scene;
}

}  // namespace tribo_scenes
