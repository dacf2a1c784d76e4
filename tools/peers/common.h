// SPDX-License-Identifier: Apache-2.0
//
// common.h - engine-neutral scene descriptions, control law, accuracy measures and driver.
// Every adapter (ode.cc, bullet.cc, mujoco.cc, dart.cc) builds the very same Scene.
// SI units, z up, quaternions (w,x,y,z), body frame = centre of mass, principal axes.
#ifndef TRIBO_TOOLS_PEERS_COMMON_H_
#define TRIBO_TOOLS_PEERS_COMMON_H_
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

struct V3 {
  double x = 0, y = 0, z = 0;
};
inline V3 operator+(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline V3 operator-(V3 a, V3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline V3 operator*(V3 a, double s) { return {a.x * s, a.y * s, a.z * s}; }
inline double dot(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline V3 cross(V3 a, V3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(V3 a) { return std::sqrt(dot(a, a)); }
struct Q4 {
  double w = 1, x = 0, y = 0, z = 0;
};
inline Q4 operator*(Q4 a, Q4 b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
inline Q4 conj(Q4 a) { return {a.w, -a.x, -a.y, -a.z}; }
inline V3 rot(Q4 q, V3 v) {
  V3 u{q.x, q.y, q.z};
  V3 t = cross(u, v) * 2;
  return v + t * q.w + cross(u, t);
}
inline Q4 axang(V3 a, double t) {
  double s = std::sin(t / 2);
  return {std::cos(t / 2), a.x * s, a.y * s, a.z * s};
}

enum ShapeKind { NOSHAPE, BOX, SPHERE };
struct Body {
  std::string name;
  ShapeKind shape = NOSHAPE;
  V3 half;               // box half extents
  double r = 0;          // sphere radius
  V3 off;                // shape centre in the body frame
  std::vector<V3> more;  // centres of further equal shapes
  double mass = 1;
  V3 I;  // principal inertia at the centre of mass
  V3 pos;
  Q4 q;     // initial pose
  V3 v, w;  // initial velocity, world frame
};
enum JointKind { FREE, HINGE, SLIDER };
struct Joint {  // joint i belongs to a child body; parent -1 = world
  JointKind kind = HINGE;
  int parent = -1, child = 0;
  V3 anchor, axis;  // world frame, at the initial pose; coordinate 0 = initial pose
  double qd0 = 0;
};
struct Plane {
  V3 n;
  double d;
};  // n.x >= d is free space
struct Scene {
  std::string name;
  std::vector<Body> body;
  std::vector<Joint> joint;  // ordered: parents first
  std::vector<Plane> plane;
  V3 g{0, 0, -9.81};
  double mu = 0.8, dt = 0.005, T = 1;
  bool articulated = false;  // bodies collide only with planes; tree of joints on body 0
  int ctl = 0;               // 0 none, 1 constant slider force, 2 PD stand, 3 PD trot
  double F = 0;              // gripper force
  double kp = 300, kd = 4, freq = 2.0, swing = 0.1, lift = 0.2;
};
struct State {
  V3 pos;
  Q4 q;
  V3 v, w;
};
struct Contact {
  int a = -1, b = -1;
  V3 p, n, f, v;
  double fn = 0;
};  // f, v: on/of a relative to b; n pushes a

typedef std::map<std::string, std::string> Opt;
inline double num(const Opt& o, const char* k, double d) {
  auto i = o.find(k);
  return i == o.end() ? d : atof(i->second.c_str());
}
inline std::string str(const Opt& o, const char* k, const char* d) {
  auto i = o.find(k);
  return i == o.end() ? d : i->second;
}

struct Engine {
  virtual ~Engine() {}
  virtual std::string name() = 0;
  virtual std::string settings() = 0;
  virtual void build(const Scene& s, const Opt& o) = 0;  // (re)creates the world
  virtual void destroy() = 0;
  virtual void joints(double* q, double* qd) = 0;
  virtual void torque(const double* tau) = 0;
  virtual void step() = 0;
  virtual void pre() {}  // called before step() in the measured run only
  virtual void state(int i, State& s) = 0;
  virtual int ncontacts() = 0;
  virtual void contacts(std::vector<Contact>& c) = 0;
};

inline V3 boxI(double m, double lx, double ly, double lz) {
  return {m * (ly * ly + lz * lz) / 12, m * (lx * lx + lz * lz) / 12, m * (lx * lx + ly * ly) / 12};
}

// ------------------------------------------------------------------ scenes
const double TH = 0.7, L1 = 0.25, L2 = 0.25,
             RF = 0.025;  // quadruped crouch angle, link lengths, foot radius
inline void quadruped(Scene& s) {
  s.articulated = true;
  double h = (L1 + L2) * std::cos(TH) + RF;
  Body t;
  t.name = "trunk";
  t.shape = BOX;
  t.half = {0.3, 0.15, 0.075};
  t.mass = 15;
  t.I = boxI(15, 0.6, 0.3, 0.15);
  t.pos = {0, 0, h};
  s.body.push_back(t);
  const char* nm[4] = {"FL", "FR", "RL", "RR"};
  for (int k = 0; k < 4; k++) {
    double sx = k < 2 ? 1 : -1, sy = k % 2 == 0 ? 1 : -1;
    V3 hip{0.25 * sx, 0.15 * sy, h};
    int b0 = (int)s.body.size();
    Body a;
    a.name = std::string(nm[k]) + "_hip";
    a.mass = 1.0;
    a.I = {0.003, 0.003, 0.003};
    a.pos = hip + V3{0, 0.04 * sy, 0};
    s.body.push_back(a);
    Joint j;
    j.parent = 0;
    j.child = b0;
    j.anchor = hip;
    j.axis = {1, 0, 0};
    s.joint.push_back(j);
    V3 sh = hip + V3{0, 0.08 * sy, 0};
    Q4 q1 = axang({0, 1, 0}, TH), q2 = axang({0, 1, 0}, -TH);
    Body b;
    b.name = std::string(nm[k]) + "_thigh";
    b.mass = 1.0;
    b.I = boxI(1.0, 0.05, 0.05, 0.3);
    b.q = q1;
    b.pos = sh + rot(q1, {0, 0, -L1 / 2});
    s.body.push_back(b);
    j.parent = b0;
    j.child = b0 + 1;
    j.anchor = sh;
    j.axis = {0, 1, 0};
    s.joint.push_back(j);
    V3 kn = sh + rot(q1, {0, 0, -L1});
    Body c;
    c.name = std::string(nm[k]) + "_shank";
    c.mass = 0.8;
    c.I = boxI(0.8, 0.05, 0.05, 0.3);
    c.q = q2;
    c.pos = kn + rot(q2, {0, 0, -L2 / 2});
    c.shape = SPHERE;
    c.r = RF;
    c.off = {0, 0, -L2 / 2};
    s.body.push_back(c);
    j.parent = b0 + 1;
    j.child = b0 + 2;
    j.anchor = kn;
    j.axis = {0, 1, 0};
    s.joint.push_back(j);
  }
}
inline void fk_velocity(
    Scene& s) {  // consistent world velocities from base velocity and joint rates
  for (auto& j : s.joint) {
    Body P;
    if (j.parent >= 0) P = s.body[j.parent];
    Body& c = s.body[j.child];
    c.w = P.w + j.axis * j.qd0;
    c.v = P.v + cross(P.w, j.anchor - P.pos) + cross(c.w, c.pos - j.anchor);
  }
}
inline Scene make_scene(const std::string& name, const Opt& o) {
  Scene s;
  s.name = name;
  s.dt = num(o, "dt", 0.005);
  const double ov = num(
      o, "overlap",
      1e-6);  // initial overlap of touching surfaces, so that every detector reports them at step 0
  auto cube = [](const char* n, double m, V3 half, V3 p) {
    Body b;
    b.name = n;
    b.shape = BOX;
    b.half = half;
    b.mass = m;
    b.I = boxI(m, 2 * half.x, 2 * half.y, 2 * half.z);
    b.pos = p;
    return b;
  };
  Plane ground{{0, 0, 1}, 0};
  if (name == "grasp") {
    int n = (int)num(o, "n", 2);
    s.T = num(o, "T", 10);
    s.mu = num(o, "mu", 0.8);
    s.dt = num(o, "dt", 0.01);
    s.F = num(o, "F", n <= 2 ? 50 : 400);
    s.ctl = 1;
    for (int i = 0; i < n; i++)
      s.body.push_back(
          cube("cube", 1.0, {0.05, 0.05, 0.05}, {(0.1 - ov) * (i - 0.5 * (n - 1)), 0, 1}));
    for (int k = 0; k < 2; k++) {
      double sg = k ? 1 : -1;
      Body b = cube("gripper", 1.0, {0.02, 0.06, 0.06},
                    {sg * (0.05 + 0.02 - ov + (0.1 - ov) * 0.5 * (n - 1)), 0, 1});
      Joint j;
      j.kind = SLIDER;
      j.parent = -1;
      j.child = (int)s.body.size();
      j.anchor = b.pos;
      j.axis = {1, 0, 0};
      s.body.push_back(b);
      s.joint.push_back(j);
    }
  } else if (name == "quadruped_stand" || name == "quadruped_trot") {
    quadruped(s);
    for (auto& b : s.body) b.pos.z -= ov;
    for (auto& j : s.joint) j.anchor.z -= ov;
    s.plane.push_back(ground);
    s.T = num(o, "T", 10);
    s.dt = num(o, "dt", 0.001);
    s.mu = num(o, "mu", 0.8);
    s.ctl = name == "quadruped_stand" ? 2 : 3;
    s.kp = num(o, "kp", 300);
    s.kd = num(o, "kd", 4);
    s.freq = num(o, "freq", 2);
    s.swing = num(o, "swing", 0.1);
    s.lift = num(o, "lift", 0.2);
  } else if (name == "energy") {
    quadruped(s);
    s.T = num(o, "T", 10);
    s.dt = num(o, "dt", 0.001);
    s.g = {0, 0, 0};
    for (auto& b : s.body) b.shape = NOSHAPE;
    s.body[0].v = {0.1, 0.2, 0.3};
    s.body[0].w = {0.5, 0.3, 0.7};
    for (size_t i = 0; i < s.joint.size(); i++) s.joint[i].qd0 = 2.0 * std::sin(1.0 + i);
    fk_velocity(s);
  } else if (name == "stack") {
    int n = (int)num(o, "n", 10);
    s.T = num(o, "T", 5);
    s.mu = num(o, "mu", 0.8);
    s.plane.push_back(ground);
    for (int i = 0; i < n; i++)
      s.body.push_back(
          cube("cube", 1.0, {0.05, 0.05, 0.05},
               {0.001 * std::sin(2.1 * i), 0.001 * std::cos(1.3 * i), 0.05 - ov + (0.1 - ov) * i}));
  } else if (name == "pile") {
    int n = (int)num(o, "n", 216), k = (int)std::lround(std::cbrt(n));
    s.T = num(o, "T", 3);
    s.mu = num(o, "mu", 0.5);
    double r = 0.05, sp = 0.11, wall = k * sp / 2 + 0.02;
    for (int i = 0; i < n; i++) {
      int ix = i % k, iy = (i / k) % k, iz = i / (k * k);
      Body b;
      b.name = "ball";
      b.shape = SPHERE;
      b.r = r;
      b.mass = 0.5236;
      double I = 0.4 * b.mass * r * r;
      b.I = {I, I, I};
      b.pos = {(ix - 0.5 * (k - 1)) * sp + 0.004 * std::sin(3.7 * i),
               (iy - 0.5 * (k - 1)) * sp + 0.004 * std::cos(2.3 * i), 0.06 + sp * iz};
      s.body.push_back(b);
    }
    s.plane = {
        ground, {{1, 0, 0}, -wall}, {{-1, 0, 0}, -wall}, {{0, 1, 0}, -wall}, {{0, -1, 0}, -wall}};
  } else if (name == "slide" || name == "incline") {
    s.mu = num(o, "mu", 0.5);
    s.plane.push_back(ground);
    s.dt = num(o, "dt", 0.001);
    double a = num(o, "dir", 0) * M_PI / 180;
    V3 d{std::cos(a), std::sin(a), 0};
    Body b = cube("box", 2.0, {0.1, 0.1, 0.05}, {0, 0, 0.05 - ov});
    if (name == "slide") {
      b.v = d * 2.0;
      s.T = num(o, "T", 2);
    } else {
      double al = num(o, "angle", 20) * M_PI / 180;
      s.g = d * (9.81 * std::sin(al)) + V3{0, 0, -9.81 * std::cos(al)};
      s.T = num(o, "T", 3);
    }
    s.body.push_back(b);
  } else if (name ==
             "peg") {  // one body on a ring of n sphere feet, gravity tilted 15 degrees: must stick
    int n = (int)num(o, "n", 16);
    s.mu = num(o, "mu", 0.5);
    s.plane.push_back(ground);
    s.dt = num(o, "dt", 0.001);
    s.T = num(o, "T", 2);
    Body b;
    b.name = "peg";
    b.shape = SPHERE;
    b.r = 0.01;
    b.mass = 2;
    b.I = {0.01, 0.01, 0.015};
    b.pos = {0, 0, 0.03 - ov};
    for (int i = 0; i < n; i++) {
      V3 p{0.1 * std::cos(2 * M_PI * i / n), 0.1 * std::sin(2 * M_PI * i / n), -0.02};
      if (i)
        b.more.push_back(p);
      else
        b.off = p;
    }
    double al = 15 * M_PI / 180;
    s.g = {9.81 * std::sin(al), 0, -9.81 * std::cos(al)};
    s.body.push_back(b);
  } else {
    fprintf(stderr, "unknown scene %s\n", name.c_str());
    exit(1);
  }
  return s;
}

// ------------------------------------------------------------------ control law, identical in
// every engine
inline void control(const Scene& s, double t, const double* q, const double* qd, double* tau) {
  if (s.ctl == 1) {
    tau[0] = s.F;
    tau[1] = -s.F;
    return;
  }
  for (int k = 0; k < 4; k++) {
    double d[3] = {0, 0, 0};
    if (s.ctl == 3) {
      double ph = 2 * M_PI * s.freq * t + ((k == 0 || k == 3) ? 0 : M_PI);  // diagonal pairs
      double ramp = t < 0.5 ? t / 0.5 : 1, c = std::cos(ph), lift = c > 0 ? c : 0;
      d[1] = ramp * (-s.swing * std::sin(ph) + s.lift * lift);
      d[2] = ramp * (-2 * s.lift * lift);
    }
    for (int i = 0; i < 3; i++)
      tau[3 * k + i] = s.kp * (d[i] - q[3 * k + i]) - s.kd * qd[3 * k + i];
  }
}

// ------------------------------------------------------------------ geometry measures (engine
// independent)
inline double sat_box(const State& A, V3 ha, const State& B,
                      V3 hb) {  // penetration depth of two boxes, <0 if apart
  V3 a[3] = {rot(A.q, {1, 0, 0}), rot(A.q, {0, 1, 0}), rot(A.q, {0, 0, 1})},
     b[3] = {rot(B.q, {1, 0, 0}), rot(B.q, {0, 1, 0}), rot(B.q, {0, 0, 1})};
  double ea[3] = {ha.x, ha.y, ha.z}, eb[3] = {hb.x, hb.y, hb.z}, best = 1e9;
  V3 d = B.pos - A.pos;
  auto test = [&](V3 ax) {
    double l = norm(ax);
    if (l < 1e-3) return;
    ax = ax * (1 / l);
    double r = 0;
    for (int i = 0; i < 3; i++)
      r += ea[i] * std::fabs(dot(a[i], ax)) + eb[i] * std::fabs(dot(b[i], ax));
    double p = r - std::fabs(dot(d, ax));
    if (p < best) best = p;
  };
  for (int i = 0; i < 3; i++) test(a[i]), test(b[i]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) test(cross(a[i], b[j]));
  return best;
}
inline double plane_depth(const Body& b, const State& s, const Plane& p) {
  if (b.shape == SPHERE) {
    double d = b.r - (dot(p.n, s.pos + rot(s.q, b.off)) - p.d);
    for (auto& c : b.more) d = std::max(d, b.r - (dot(p.n, s.pos + rot(s.q, c)) - p.d));
    return d;
  }
  V3 n = rot(conj(s.q), p.n);
  double e = b.half.x * std::fabs(n.x) + b.half.y * std::fabs(n.y) + b.half.z * std::fabs(n.z);
  return e - (dot(p.n, s.pos + rot(s.q, b.off)) - p.d);
}
inline V3 Iw(const Body& b, const State& s, V3 w) {
  V3 l = rot(conj(s.q), w);
  return rot(s.q, {l.x * b.I.x, l.y * b.I.y, l.z * b.I.z});
}

struct Json {
  std::string s = "{";
  void key(const char* k) {
    if (s.size() > 1) s += ",";
    s += "\"" + std::string(k) + "\":";
  }
  void add(const char* k, const std::string& v) {
    key(k);
    s += "\"" + v + "\"";
  }
  void add(const char* k, double v) {
    key(k);
    char b[64];
    if (std::isfinite(v))
      snprintf(b, 64, "%.6g", v);
    else
      snprintf(b, 64, "null");
    s += b;
  }
  void add(const char* k, bool v) {
    key(k);
    s += v ? "true" : "false";
  }
};

inline void dump(const Scene& s) {
  printf(
      "{\"scene\":\"%s\",\"dt\":%g,\"T\":%g,\"mu\":%g,\"gravity\":[%.12g,%.12g,%.12g],\"gripper_"
      "force\":%g,\"kp\":%g,\"kd\":%g,\n\"planes\":[",
      s.name.c_str(), s.dt, s.T, s.mu, s.g.x, s.g.y, s.g.z, s.F, s.kp, s.kd);
  for (size_t i = 0; i < s.plane.size(); i++)
    printf("%s{\"n\":[%g,%g,%g],\"d\":%.12g}", i ? "," : "", s.plane[i].n.x, s.plane[i].n.y,
           s.plane[i].n.z, s.plane[i].d);
  printf("],\n\"bodies\":[");
  for (size_t i = 0; i < s.body.size(); i++) {
    const Body& b = s.body[i];
    printf(
        "%s\n "
        "{\"name\":\"%s\",\"shape\":\"%s\",\"half\":[%g,%g,%g],\"radius\":%g,\"shape_offset\":[%g,%"
        "g,%g],\"mass\":%g,\"inertia\":[%.12g,%.12g,%.12g],\"pos\":[%.12g,%.12g,%.12g],\"quat_"
        "wxyz\":[%.12g,%.12g,%.12g,%.12g],\"vel\":[%.12g,%.12g,%.12g],\"omega\":[%.12g,%.12g,%.12g]"
        "}",
        i ? "," : "", b.name.c_str(),
        b.shape == BOX      ? "box"
        : b.shape == SPHERE ? "sphere"
                            : "none",
        b.half.x, b.half.y, b.half.z, b.r, b.off.x, b.off.y, b.off.z, b.mass, b.I.x, b.I.y, b.I.z,
        b.pos.x, b.pos.y, b.pos.z, b.q.w, b.q.x, b.q.y, b.q.z, b.v.x, b.v.y, b.v.z, b.w.x, b.w.y,
        b.w.z);
  }
  printf("],\n\"joints\":[");
  for (size_t i = 0; i < s.joint.size(); i++) {
    const Joint& j = s.joint[i];
    printf(
        "%s\n "
        "{\"kind\":\"%s\",\"parent\":%d,\"child\":%d,\"anchor\":[%.12g,%.12g,%.12g],\"axis\":[%g,%"
        "g,%g],\"rate0\":%.12g}",
        i ? "," : "", j.kind == HINGE ? "hinge" : "slider", j.parent, j.child, j.anchor.x,
        j.anchor.y, j.anchor.z, j.axis.x, j.axis.y, j.axis.z, j.qd0);
  }
  printf("]}\n");
}

inline void drive(Engine& e, const Scene& s, double t) {
  if (!s.ctl) {
    e.step();
    return;
  }
  double q[64], qd[64], tau[64];
  if (s.ctl > 1) e.joints(q, qd);
  control(s, t, q, qd, tau);
  e.torque(tau);
  e.step();
}

inline int run_main(Engine& e, int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s scene [key=value ...]\n", argv[0]);
    return 1;
  }
  Opt o;
  for (int i = 2; i < argc; i++) {
    char* eq = strchr(argv[i], '=');
    if (eq) o[std::string(argv[i], eq - argv[i])] = eq + 1;
  }
  Scene s = make_scene(argv[1], o);
  if (o.count("dump")) {
    dump(s);
    return 0;
  }
  int steps = (int)std::lround(s.T / s.dt), reps = (int)num(o, "reps", 3), nb = (int)s.body.size();
  double best = 1e30, spent = 0;
  for (int r = 0; r < reps || (reps >= 3 && spent < 0.5 && r < 30);
       r++) {  // timed runs: control + step only; short ones more often
    e.build(s, o);
    auto t0 = std::chrono::steady_clock::now();
    int done = 0;
    for (int i = 0; i < steps; i++) {
      drive(e, s, i * s.dt);
      done++;
      if (((i & 63) == 0 || nb > 8) &&
          std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count() >
              num(o, "limit", 40))
        break;
    }
    double w =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count() * steps / done;
    if (w < best) best = w;
    e.destroy();
    spent += w;
    if (done < steps || spent > 8) break;  // slow case: fewer repetitions
  }
  if (num(o, "measure", 1) == 0) {  // timing only
    printf(
        "{\"timing_only\":true,\"engine\":\"%s\",\"scene\":\"%s\",\"steps\":%d,\"wall_s\":%.6g,"
        "\"steps_per_second\":%.6g}\n",
        e.name().c_str(), s.name.c_str(), steps, best, steps / best);
    return 0;
  }
  // measured run
  e.build(s, o);
  double maxpen = 0, sumpen = 0, ncon = 0;
  long npen = 0;
  double fall1 = 0, slip = 0, slipmax = 0;
  long nslip = 0;
  double z1 = 0, fellT = -1, hmax = 0, x1 = 0, y1 = 0, x2 = 0, y2 = 0, stopT = -1;
  double compn = 0, compmax = 0, stick = 0, stickmax = 0, ang = 0, ratio = 0, conemax = 0,
         fnsum = 0;
  long nl = 0, nst = 0, nsl = 0;
  std::vector<State> st(nb), foot1(nb);
  std::vector<Contact> cs;
  V3 P0, L0;
  double E0 = 0, dE = 0, dP = 0, dL = 0, Eend = 0, va = 0, vb = 0;
  auto mech = [&](double& E, V3& P, V3& L) {
    E = 0;
    P = V3();
    L = V3();
    double M = 0;
    V3 c;
    for (int i = 0; i < nb; i++) {
      M += s.body[i].mass;
      c = c + st[i].pos * s.body[i].mass;
      P = P + st[i].v * s.body[i].mass;
    }
    c = c * (1 / M);
    for (int i = 0; i < nb; i++) {
      V3 l = Iw(s.body[i], st[i], st[i].w);
      E += 0.5 * s.body[i].mass * dot(st[i].v, st[i].v) + 0.5 * dot(st[i].w, l) -
           s.body[i].mass * dot(s.g, st[i].pos);
      L = L + l + cross(st[i].pos - c, st[i].v) * s.body[i].mass;
    }
  };
  for (int i = 0; i < nb; i++) e.state(i, st[i]);
  mech(E0, P0, L0);
  double z0 = st[0].pos.z;
  bool nan = false;
  int mdone = 0;
  auto w0 = std::chrono::steady_clock::now();
  for (int i = 0; i < steps; i++) {
    e.pre();
    drive(e, s, i * s.dt);
    mdone++;
    double t = (i + 1) * s.dt;
    for (int k = 0; k < nb; k++) {
      e.state(k, st[k]);
      if (!std::isfinite(st[k].pos.z)) nan = true;
    }
    if (nan) break;
    if (((i & 15) == 0 || nb > 8) &&
        std::chrono::duration<double>(std::chrono::steady_clock::now() - w0).count() >
            2 * num(o, "limit", 40))
      break;
    ncon += e.ncontacts();
    // contact condition residuals
    cs.clear();
    e.contacts(cs);
    std::vector<char> loaded(nb, 0);
    for (auto& c : cs) {
      if (c.fn < 1e-3) continue;
      if (c.fn > 5) {
        if (c.a >= 0) loaded[c.a] = 1;
        if (c.b >= 0) loaded[c.b] = 1;
      }
      V3 n = c.n, ft = c.f - n * dot(c.f, n), vt = c.v - n * dot(c.v, n);
      double vn = dot(c.v, n), f = norm(ft), sp = norm(vt);
      nl++;
      fnsum += c.fn;
      compn += std::fabs(vn) * c.fn;
      compmax = std::max(compmax, std::fabs(vn));
      double rr = f / (s.mu * c.fn);
      if (c.fn > 1) conemax = std::max(conemax, rr);
      if (rr < 0.95) {
        nst++;
        stick += sp;
        stickmax = std::max(stickmax, sp);
      }
      if (sp > 0.01 && c.fn > 0.1) {
        nsl++;
        ratio += rr;
        if (f > 1e-9)
          ang += std::acos(std::max(-1.0, std::min(1.0, -dot(ft, vt) / (f * sp)))) * 180 / M_PI;
      }
    }
    // geometric penetration
    auto pen = [&](double d) {
      if (d > maxpen) maxpen = d;
      if (d > 0) sumpen += d, npen++;
    };
    for (int k = 0; k < nb; k++)
      if (s.body[k].shape)
        for (auto& p : s.plane) pen(plane_depth(s.body[k], st[k], p));
    if (s.name == "stack")
      for (int k = 0; k + 1 < nb; k++)
        pen(sat_box(st[k], s.body[k].half, st[k + 1], s.body[k + 1].half));
    if (s.name == "grasp") {
      int n = nb - 2;
      for (int k = 0; k + 1 < n; k++)
        pen(sat_box(st[k], s.body[k].half, st[k + 1], s.body[k + 1].half));
      pen(sat_box(st[0], s.body[0].half, st[n], s.body[n].half));
      pen(sat_box(st[n - 1], s.body[n - 1].half, st[n + 1], s.body[n + 1].half));
      if (std::fabs(t - 1.0) < s.dt / 2) {
        fall1 = -1e9;
        for (int k = 0; k < n; k++) fall1 = std::max(fall1, 1 - st[k].pos.z);
      }
    }
    if (s.name == "pile" && (i % 10 == 9 || i == steps - 1))
      for (int k = 0; k < nb; k++)
        for (int l = k + 1; l < nb; l++) {
          V3 d = st[k].pos - st[l].pos;
          double dd = dot(d, d);
          if (dd < 0.01) pen(0.1 - std::sqrt(dd));
        }
    if (s.ctl >= 2) {
      for (int k = 0; k < nb; k++)
        if (s.body[k].shape == SPHERE) {
          V3 f = st[k].pos + rot(st[k].q, s.body[k].off);
          V3 v = st[k].v + cross(st[k].w, f + V3{0, 0, -RF} - st[k].pos);
          if (loaded[k] && t > 1) {
            double sp = std::hypot(v.x, v.y);
            slip += sp;
            nslip++;
            slipmax = std::max(slipmax, sp);
          }
          if (std::fabs(t - 1.0) < s.dt / 2) foot1[k].pos = f;
        }
      if (std::fabs(t - 1.0) < s.dt / 2) z1 = st[0].pos.z;
      V3 up = rot(st[0].q, {0, 0, 1});
      if (fellT < 0 && (st[0].pos.z < 0.2 || up.z < 0.5)) fellT = t;
    }
    if (s.name == "stack")
      for (int k = 0; k < nb; k++)
        hmax = std::max(hmax,
                        std::hypot(st[k].pos.x - s.body[k].pos.x, st[k].pos.y - s.body[k].pos.y));
    if (s.name == "energy") {
      double E;
      V3 P, L;
      mech(E, P, L);
      dE = std::max(dE, std::fabs(E / E0 - 1));
      dP = std::max(dP, norm(P - P0) / norm(P0));
      dL = std::max(dL, norm(L - L0) / norm(L0));
      Eend = E;
    }
    if (s.name == "slide" && stopT < 0 && std::hypot(st[0].v.x, st[0].v.y) < 1e-3) stopT = t;
    if (s.name == "incline" || s.name == "peg") {
      if (s.name == "peg" && std::fabs(t - 2.0) < s.dt / 2) x2 = st[0].pos.x, y2 = st[0].pos.y;
      if (std::fabs(t - 1.0) < s.dt / 2)
        x1 = st[0].pos.x, y1 = st[0].pos.y, va = std::hypot(st[0].v.x, st[0].v.y);
      if (std::fabs(t - 3.0) < s.dt / 2)
        x2 = st[0].pos.x, y2 = st[0].pos.y, vb = std::hypot(st[0].v.x, st[0].v.y);
    }
  }
  Json j;
  j.add("engine", e.name());
  j.add("settings", e.settings());
  j.add("scene", s.name);
  std::string var;
  for (auto& k : o)
    if (k.first != "reps") var += (var.empty() ? "" : " ") + k.first + "=" + k.second;
  j.add("options", var);
  j.add("dt", s.dt);
  j.add("mu", s.mu);
  j.add("steps", (double)steps);
  j.add("bodies", (double)nb);
  j.add("mean_contacts", ncon / std::max(1, mdone));
  j.add("wall_s", best);
  j.add("steps_per_second", steps / best);
  j.add("finite", !nan);
  if (mdone < steps) j.add("measured_steps", (double)mdone);
  if (s.name != "energy") {
    j.add("max_pen", maxpen);
    j.add("mean_pen", npen ? sumpen / npen : 0);
  }
  if (s.name == "grasp") {
    double f = -1e9;
    for (int k = 0; k < nb - 2; k++) f = std::max(f, 1 - st[k].pos.z);
    j.add("fall_1s", fall1);
    j.add("fall_end", f);
    j.add("dropped", f > 0.05 || nan);
  } else if (s.ctl >= 2) {
    double fd = 0;
    for (int k = 0; k < nb; k++)
      if (s.body[k].shape == SPHERE) {
        V3 f = st[k].pos + rot(st[k].q, s.body[k].off);
        fd = std::max(fd, std::hypot(f.x - foot1[k].pos.x, f.y - foot1[k].pos.y));
      }
    j.add("slip_mean", nslip ? slip / nslip : 0);
    j.add("slip_max", slipmax);
    if (s.ctl == 2) {
      j.add("foot_drift_1s_end", fd);
      j.add("height_drift_1s_end", st[0].pos.z - z1);
    }
    j.add("base_x", st[0].pos.x);
    j.add("base_y", st[0].pos.y);
    j.add("base_z", st[0].pos.z);
    j.add("fell", fellT >= 0 || nan);
    j.add("fell_at", fellT);
  } else if (s.name == "stack") {
    j.add("top_height_err", st[nb - 1].pos.z - (0.05 + 0.1 * (nb - 1)));
    j.add("max_drift", hmax);
  } else if (s.name == "pile") {
    double E;
    V3 P, L;
    mech(E, P, L);
    double ke = 0, zm = -1;
    int out = 0;
    for (int i = 0; i < nb; i++) {
      ke += 0.5 * s.body[i].mass * dot(st[i].v, st[i].v) +
            0.5 * dot(st[i].w, Iw(s.body[i], st[i], st[i].w));
      zm = std::max(zm, st[i].pos.z);
      if (st[i].pos.z < 0 || std::fabs(st[i].pos.x) > -s.plane[1].d ||
          std::fabs(st[i].pos.y) > -s.plane[1].d)
        out++;
    }
    double fp = 0, fs = 0;
    long fc = 0;
    for (int k = 0; k < nb; k++)
      for (int l = k + 1; l < nb; l++) {
        V3 d = st[k].pos - st[l].pos;
        double dd = 0.1 - norm(d);
        if (dd > 0) fs += dd, fc++, fp = std::max(fp, dd);
      }
    for (int k = 0; k < nb; k++)
      for (auto& p : s.plane) {
        double dd = plane_depth(s.body[k], st[k], p);
        if (dd > 0) fs += dd, fc++, fp = std::max(fp, dd);
      }
    j.add("energy_start", E0);
    j.add("energy_end", E);
    j.add("kinetic_end", ke);
    j.add("final_max_pen", fp);
    j.add("final_mean_pen", fc ? fs / fc : 0);
    j.add("top_z", zm);
    j.add("escaped", (double)out);
  } else if (s.name == "slide") {
    double d = std::hypot(st[0].pos.x, st[0].pos.y), ex = 4 / (2 * s.mu * 9.81);
    double xd = 0, vd = 2;
    while (vd > 0) {
      vd -= s.mu * 9.81 * s.dt;
      if (vd > 0) xd += vd * s.dt;
    }  // exact Coulomb law under semi-implicit Euler
    j.add("stop_distance", d);
    j.add("rel_err_vs_discrete_exact", d / xd - 1);
    j.add("exact", ex);
    j.add("rel_err", d / ex - 1);
    j.add("stop_time", stopT);
    j.add("heading_err_deg", std::atan2(st[0].pos.y, st[0].pos.x) * 180 / M_PI - num(o, "dir", 0));
    j.add("end_speed", std::hypot(st[0].v.x, st[0].v.y));
    j.add("yaw_end_deg", 2 * std::atan2(st[0].q.z, st[0].q.w) * 180 / M_PI);
  } else if (s.name == "incline") {
    double al = num(o, "angle", 20) * M_PI / 180, ex = 9.81 * (std::sin(al) - s.mu * std::cos(al));
    j.add("creep_velocity", std::hypot(x2 - x1, y2 - y1) / 2);
    j.add("accel", (vb - va) / 2);
    j.add("accel_exact", ex > 0 ? ex : 0);
    if (ex > 0) j.add("accel_rel_err", (vb - va) / 2 / ex - 1);
  } else if (s.name == "peg") {
    j.add("creep_velocity", std::hypot(x2 - x1, y2 - y1));
  } else if (s.name == "energy") {
    j.add("energy0", E0);
    j.add("energy_drift_max", dE);
    j.add("energy_end_rel", Eend / E0 - 1);
    j.add("linmom_drift_max", dP);
    j.add("angmom_drift_max", dL);
  }
  if (s.name != "energy" && nl) {
    j.add("res_normal_mean", compn / fnsum);
    j.add("res_normal_max", compmax);  // |v_n| weighted by f_n, m/s
    j.add("res_stick_mean", nst ? stick / nst : 0);
    j.add("res_stick_max", stickmax);  // |v_t| where |f_t| < 0.95 mu f_n
    j.add("slide_n", (double)nsl);
    if (nsl) {
      j.add("slide_dir_err_deg", ang / nsl);
      j.add("slide_ratio", ratio / nsl);
    }
    j.add("cone_max", conemax);
  }
  (void)z0;
  printf("%s}\n", j.s.c_str());
  e.destroy();
  return 0;
}

#endif  // TRIBO_TOOLS_PEERS_COMMON_H_
