// SPDX-License-Identifier: Apache-2.0
//
// Tribo's adapter: the scenes of common.h through the public API. Options: model=coulomb|noslip|
// viscous|frictionless, solver=auto|lemke|dantzig|energy|pgs|ppm|dual, cone=round|polygon,
// facets=D, integrator=semi|rk4, cold=1 (no warm start).
#include "engine/tribo.h"

#include "tools/peers/common.h"

namespace {

void check(TriboStatus status, const char* what, const TriboMessage* message = nullptr) {
  if (status == TRIBO_OK) return;
  fprintf(stderr, "tribo: %s: %s %s\n", what, tribo_status_text(status),
          message ? message->text : "");
  exit(1);
}

TriboVec3 vec(V3 a) { return {a.x, a.y, a.z}; }
V3 vec(TriboVec3 a) { return {a.x, a.y, a.z}; }
TriboQuat quat(Q4 q) { return {q.w, q.x, q.y, q.z}; }

template <typename T>
T choose(const Opt& options, const char* key, std::vector<std::pair<const char*, T>> values) {
  std::string given = str(options, key, values[0].first);
  for (auto& v : values)
    if (given == v.first) return v.second;
  fprintf(stderr, "tribo: %s=%s is not one of those in tribo.cc\n", key, given.c_str());
  exit(1);
}

struct Tribo : Engine {
  Scene scene;
  TriboModel* model = nullptr;
  TriboState *now = nullptr, *old = nullptr;
  TriboWorkspace *workspace = nullptr, *scratch = nullptr;
  TriboStepOptions options;
  std::vector<double> effort, q_before;
  std::vector<int> joint_q, joint_v, body_q, body_v;
  std::string set;
  double worst = 0, pivots = 0;
  long steps = 0, fallbacks = 0;
  bool failed = false;

  std::string name() override { return std::string("tribo-") + tribo_version(); }
  std::string settings() override {
    char text[160];
    snprintf(text, sizeof text, " worst_certificate=%.1e mean_pivots=%.2f fallbacks=%ld", worst,
             steps ? pivots / (double)steps : 0.0, fallbacks);
    return set + text;
  }

  void read_options(const Opt& o) {
    options = tribo_step_options_default();
    options.h = scene.dt;
    options.model = choose<TriboContactModel>(o, "model",
                                              {{"coulomb", TRIBO_MODEL_COULOMB},
                                               {"noslip", TRIBO_MODEL_NOSLIP},
                                               {"viscous", TRIBO_MODEL_VISCOUS},
                                               {"frictionless", TRIBO_MODEL_FRICTIONLESS}});
    options.solver = choose<TriboSolver>(o, "solver",
                                         {{"auto", TRIBO_SOLVER_AUTO},
                                          {"lemke", TRIBO_SOLVER_LEMKE},
                                          {"dantzig", TRIBO_SOLVER_DANTZIG},
                                          {"energy", TRIBO_SOLVER_ENERGY},
                                          {"pgs", TRIBO_SOLVER_PGS},
                                          {"ppm", TRIBO_SOLVER_PPM},
                                          {"dual", TRIBO_SOLVER_DUAL}});
    options.cone = choose<TriboCone>(
        o, "cone", {{"round", TRIBO_CONE_ROUND}, {"polygon", TRIBO_CONE_POLYGON}});
    options.facets = (int)num(o, "facets", options.facets);
    options.integrator = choose<TriboIntegrator>(
        o, "integrator", {{"semi", TRIBO_INTEGRATOR_SEMI_IMPLICIT}, {"rk4", TRIBO_INTEGRATOR_RK4}});
    options.cold = num(o, "cold", 0) != 0;
    set = str(o, "model", "coulomb") + " " + str(o, "solver", "auto") + " " +
          str(o, "cone", "round") + (options.cold ? " cold" : "") +
          (options.integrator == TRIBO_INTEGRATOR_RK4 ? " rk4" : "");
  }

  void add_shapes(TriboBuilder* builder, int material) {
    TriboShapeDesc shape = tribo_shape_default();
    shape.material = material;
    int index;
    for (auto& p : scene.plane) {
      V3 axis = cross({0, 0, 1}, p.n);
      double sine = norm(axis);
      Q4 turn = sine > 0 ? axang(axis * (1 / sine), std::atan2(sine, p.n.z)) : Q4();
      shape.type = TRIBO_SHAPE_PLANE;
      shape.link = TRIBO_WORLD;
      shape.pose = {vec(p.n * p.d), quat(turn)};
      shape.group = 2;
      shape.mask = 1;
      check(tribo_builder_add_shape(builder, &shape, &index), "plane");
    }
    // The parts of a robot collide with planes only, loose bodies with everything.
    shape.group = 1;
    shape.mask = scene.articulated ? 2 : 1;
    for (size_t i = 0; i < scene.body.size(); ++i) {
      const Body& body = scene.body[i];
      if (body.shape == NOSHAPE) continue;
      shape.type = body.shape == BOX ? TRIBO_SHAPE_BOX : TRIBO_SHAPE_SPHERE;
      shape.link = (int)i;
      shape.size[0] = body.shape == BOX ? body.half.x : body.r;
      shape.size[1] = body.half.y;
      shape.size[2] = body.half.z;
      std::vector<V3> centers = body.more;
      centers.insert(centers.begin(), body.off);
      for (V3 center : centers) {
        shape.pose = {vec(center), {1, 0, 0, 0}};
        check(tribo_builder_add_shape(builder, &shape, &index), "shape");
      }
    }
  }

  TriboBuilder* describe() {
    TriboBuilder* builder = nullptr;
    check(tribo_builder_create(nullptr, &builder), "builder");
    check(tribo_builder_set_gravity(builder, vec(scene.g)), "gravity");
    int index;
    TriboMaterialDesc material = tribo_material_default();
    material.friction = scene.mu;
    int surface;
    check(tribo_builder_add_material(builder, &material, &surface), "material");
    for (auto& body : scene.body) {
      TriboLinkDesc link = tribo_link_default();
      link.mass = body.mass;
      link.com = {0, 0, 0};
      double inertia[6] = {body.I.x, body.I.y, body.I.z, 0, 0, 0};
      std::copy(inertia, inertia + 6, link.inertia);
      check(tribo_builder_add_link(builder, &link, &index), "link");
    }
    for (auto& j : scene.joint) {
      Body world;
      const Body& parent = j.parent < 0 ? world : scene.body[j.parent];
      const Body& child = scene.body[j.child];
      TriboJointDesc joint = tribo_joint_default();
      joint.type = j.kind == HINGE ? TRIBO_JOINT_HINGE : TRIBO_JOINT_SLIDE;
      joint.parent = j.parent < 0 ? TRIBO_WORLD : j.parent;
      joint.child = j.child;
      // The joint frame has world axes at the start.
      joint.pose_parent = {vec(rot(conj(parent.q), j.anchor - parent.pos)), quat(conj(parent.q))};
      joint.pose_child = {vec(rot(conj(child.q), j.anchor - child.pos)), quat(conj(child.q))};
      joint.axis = vec(j.axis);
      check(tribo_builder_add_joint(builder, &joint, &index), "joint");
    }
    add_shapes(builder, surface);
    return builder;
  }

  void build(const Scene& s, const Opt& o) override {
    scene = s;
    read_options(o);
    TriboBuilder* builder = describe();
    TriboMessage message;
    check(tribo_model_create(builder, nullptr, &model, &message), "model", &message);
    tribo_builder_destroy(builder);
    check(tribo_state_create(model, nullptr, &now), "state");
    check(tribo_state_create(model, nullptr, &old), "state");
    TriboWorkspaceOptions size = tribo_workspace_options_default();
    check(tribo_workspace_create(model, &size, nullptr, &workspace), "workspace");
    check(tribo_workspace_create(model, &size, nullptr, &scratch), "workspace");

    effort.assign((size_t)tribo_model_nv(model), 0.0);
    joint_q.clear();
    joint_v.clear();
    body_q.assign(s.body.size(), -1);
    body_v.assign(s.body.size(), -1);
    std::vector<double> v(effort.size(), 0.0);
    for (size_t i = 0; i < s.joint.size(); ++i) {
      joint_q.push_back(tribo_model_joint_q(model, (int)i));
      joint_v.push_back(tribo_model_joint_v(model, (int)i));
      v[(size_t)joint_v.back()] = s.joint[i].qd0;
    }
    for (size_t i = 0; i < s.body.size(); ++i) {
      int joint = tribo_model_link_joint(model, (int)i);
      if (joint >= 0 && joint < (int)s.joint.size()) continue;
      const Body& body = s.body[i];
      check(tribo_state_set_free_pose(model, now, (int)i, TriboPose{vec(body.pos), quat(body.q)}),
            "pose");
      body_q[i] = tribo_model_joint_q(model, joint);
      body_v[i] = tribo_model_joint_v(model, joint);
      V3 w = rot(conj(body.q), body.w);
      double twist[6] = {body.v.x, body.v.y, body.v.z, w.x, w.y, w.z};
      std::copy(twist, twist + 6, v.begin() + body_v[i]);
    }
    check(tribo_state_set_v(model, now, v.data()), "velocity");
    worst = pivots = 0;
    steps = fallbacks = 0;
    failed = false;
  }

  void destroy() override {
    tribo_workspace_destroy(workspace);
    tribo_workspace_destroy(scratch);
    tribo_state_destroy(now);
    tribo_state_destroy(old);
    tribo_model_destroy(model);
  }

  void joints(double* q, double* qd) override {
    const double *position = tribo_state_q(now), *velocity = tribo_state_v(now);
    for (size_t i = 0; i < joint_q.size(); ++i) {
      q[i] = position[joint_q[i]];
      qd[i] = velocity[joint_v[i]];
    }
  }
  void torque(const double* tau) override {
    for (size_t i = 0; i < joint_v.size(); ++i) effort[(size_t)joint_v[i]] = tau[i];
  }
  void step() override {
    TriboInput input = tribo_input_default();
    input.effort = effort.data();
    TriboStatus status = tribo_step(model, &options, &input, now, workspace);
    if (status != TRIBO_OK && !failed) {
      failed = true;
      TriboStepInfo info = tribo_step_info(workspace);
      fprintf(stderr, "tribo: step at %.6g s: %s (certificate %.1e)\n", tribo_state_time(now),
              tribo_status_text(status), info.certificate.worst);
    }
  }

  // The measured run: the positions that the step's contacts belong to.
  void pre() override {
    const double* q = tribo_state_q(now);
    q_before.assign(q, q + tribo_model_nq(model));
  }
  int ncontacts() override { return tribo_step_info(workspace).touching; }
  void contacts(std::vector<Contact>& found) override {
    TriboStepInfo info = tribo_step_info(workspace);
    worst = std::max(worst, info.certificate.worst);
    pivots += info.pivots;
    ++steps;
    if (info.rung > TRIBO_RUNG_COLD) ++fallbacks;
    // Velocities after the step at the positions before it.
    check(tribo_state_set_q(model, old, q_before.data()), "positions");
    check(tribo_state_set_v(model, old, tribo_state_v(now)), "velocities");
    TriboContactResult c;
    for (int i = 0; i < tribo_contact_count(workspace) && tribo_contact_get(workspace, i, &c);
         ++i) {
      if (c.impulse[0] <= 0) continue;
      Contact k;
      k.a = c.link1;
      k.b = c.link0;
      k.p = vec(c.point);
      k.n = {c.frame.m[0], c.frame.m[3], c.frame.m[6]};
      k.f = vec(c.force_W);
      k.fn = dot(k.f, k.n);
      k.v = point_velocity(c.link1, k.p) - point_velocity(c.link0, k.p);
      found.push_back(k);
    }
  }
  V3 point_velocity(int link, V3 p) {
    if (link < 0) return {};
    State s;
    body_state(old, link, s);
    return s.v + cross(s.w, p - s.pos);
  }

  void state(int i, State& s) override { body_state(now, i, s); }
  void body_state(const TriboState* of, int i, State& s) {
    if (body_q[(size_t)i] >= 0) {  // a free body: its coordinates say it all
      const double *q = tribo_state_q(of) + body_q[(size_t)i],
                   *v = tribo_state_v(of) + body_v[(size_t)i];
      s.pos = {q[0], q[1], q[2]};
      s.q = {q[3], q[4], q[5], q[6]};
      s.v = {v[0], v[1], v[2]};
      s.w = rot(s.q, {v[3], v[4], v[5]});
      return;
    }
    TriboPose pose;
    TriboVec3 linear, angular;
    check(tribo_link_pose(model, of, scratch, i, &pose), "pose");
    check(tribo_link_velocity(model, of, scratch, i, &linear, &angular), "velocity");
    s.pos = vec(pose.p);
    s.q = {pose.q.w, pose.q.x, pose.q.y, pose.q.z};
    s.v = vec(linear);
    s.w = vec(angular);
  }
};

}  // namespace

int main(int argc, char** argv) {
  Tribo engine;
  return run_main(engine, argc, argv);
}
