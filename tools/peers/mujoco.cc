// SPDX-License-Identifier: Apache-2.0
//
// MuJoCo 2.2.2 adapter: reduced coordinates, soft convex contact.
// options: solver=newton|cg|pgs, cone=elliptic|pyramidal, integrator=euler|rk4|implicit, impratio,
// noslip (iterations),
//          solref (time constant), solimp (d0=dmax when given), iters, tol
#include <mujoco/mujoco.h>
#include <cstdarg>
#include "common.h"

struct Mj : Engine {
  mjModel* m = 0;
  mjData* d = 0;
  std::string set;
  std::vector<int> bid, jq, jv;
  bool fwd = false;
  Scene sc;
  double it = 0;
  long nst = 0;
  std::string name() override { return "mujoco-2.2.2"; }
  std::string settings() override {
    char b[64];
    snprintf(b, 64, " mean_iters=%.1f", nst ? it / nst : 0);
    return set + b;
  }
  static std::string f(const char* fmt, ...) {
    char b[1024];
    va_list a;
    va_start(a, fmt);
    vsnprintf(b, 1024, fmt, a);
    va_end(a);
    return b;
  }
  std::string xml;
  void emit(int i, const Opt& o) {
    const Body& x = sc.body[i];
    int ji = -1;
    for (size_t k = 0; k < sc.joint.size(); k++)
      if (sc.joint[k].child == i) ji = (int)k;
    V3 p = x.pos;
    Q4 q = x.q;
    if (ji >= 0 && sc.joint[ji].parent >= 0) {
      const Body& P = sc.body[sc.joint[ji].parent];
      p = rot(conj(P.q), x.pos - P.pos);
      q = conj(P.q) * x.q;
    }
    xml += f("<body name='b%d' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>\n", i, p.x,
             p.y, p.z, q.w, q.x, q.y, q.z);
    xml += f("<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n", x.mass,
             x.I.x, x.I.y, x.I.z);
    if (ji < 0)
      xml += f("<freejoint name='f%d'/>\n", i);
    else {
      const Joint& j = sc.joint[ji];
      V3 a = rot(conj(x.q), j.axis), an = rot(conj(x.q), j.anchor - x.pos);
      xml +=
          f("<joint name='j%d' type='%s' axis='%.17g %.17g %.17g' pos='%.17g %.17g %.17g' "
            "damping='0' limited='false'/>\n",
            ji, j.kind == HINGE ? "hinge" : "slide", a.x, a.y, a.z, an.x, an.y, an.z);
    }
    const char* cf = sc.articulated ? "contype='1' conaffinity='2'" : "contype='3' conaffinity='3'";
    if (x.shape == BOX)
      xml += f("<geom type='box' size='%.17g %.17g %.17g' pos='%g %g %g' %s/>\n", x.half.x,
               x.half.y, x.half.z, x.off.x, x.off.y, x.off.z, cf);
    if (x.shape == SPHERE)
      xml += f("<geom type='sphere' size='%.17g' pos='%g %g %g' %s/>\n", x.r, x.off.x, x.off.y,
               x.off.z, cf);
    for (auto& c : x.more)
      xml += f("<geom type='sphere' size='%.17g' pos='%.17g %.17g %.17g' %s/>\n", x.r, c.x, c.y,
               c.z, cf);
    for (auto& j : sc.joint)
      if (j.parent == i) emit(j.child, o);
    xml += "</body>\n";
  }
  void build(const Scene& s, const Opt& o) override {
    sc = s;
    fwd = false;
    it = 0;
    nst = 0;
    std::string solver = str(o, "solver", "newton"), cone = str(o, "cone", "pyramidal"),
                integ = str(o, "integrator", "euler");
    set = solver + " " + cone + (integ == "euler" ? "" : " " + integ);
    std::string S = solver == "newton" ? "Newton"
                    : solver == "cg"   ? "CG"
                                       : "PGS",
                I = integ == "euler" ? "Euler"
                    : integ == "rk4" ? "RK4"
                                     : "implicit";
    xml =
        f("<mujoco><compiler boundmass='0' balanceinertia='false' inertiafromgeom='false'/><size "
          "njmax='%d' nconmax='%d'/>\n",
          (int)s.body.size() * (s.name == "pile" ? 14 : 32) + 600, (int)s.body.size() * 8 + 150);
    xml +=
        f("<option timestep='%.17g' gravity='%.17g %.17g %.17g' solver='%s' cone='%s' "
          "integrator='%s' impratio='%g' noslip_iterations='%d' iterations='%d' tolerance='%g'>",
          s.dt, s.g.x, s.g.y, s.g.z, S.c_str(), cone.c_str(), I.c_str(), num(o, "impratio", 1),
          (int)num(o, "noslip", 0), (int)num(o, "iters", 100), num(o, "tol", 1e-8));
    xml += "</option>\n";
    xml += f("<default><geom friction='%.17g 0.005 0.0001' condim='3'", s.mu);
    if (o.count("solref")) {
      xml += f(" solref='%g 1'", num(o, "solref", 0.02));
      set += " solref=" + str(o, "solref", "");
    }
    if (o.count("solimp")) {
      double x = num(o, "solimp", 0.95);
      xml += f(" solimp='%g %g 0.001'", x, x);
      set += " solimp=" + str(o, "solimp", "");
    }
    if (o.count("impratio")) set += " impratio=" + str(o, "impratio", "");
    if (o.count("noslip")) set += " noslip=" + str(o, "noslip", "");
    if (o.count("iters")) set += " iters=" + str(o, "iters", "");
    xml += "/></default>\n<worldbody>\n";
    for (auto& p : s.plane) {
      V3 pos = p.n * p.d;
      Q4 q;
      double c = p.n.z;  // rotate z to n
      if (c < 0.999) {
        V3 ax = cross({0, 0, 1}, p.n);
        double l = norm(ax);
        q = axang(ax * (1 / l), std::acos(c));
      }
      xml +=
          f("<geom type='plane' size='0 0 1' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g "
            "%.17g' contype='2' conaffinity='%d'/>\n",
            pos.x, pos.y, pos.z, q.w, q.x, q.y, q.z, s.articulated ? 1 : 3);
    }
    for (size_t i = 0; i < s.body.size(); i++) {
      bool child = false;
      for (auto& j : s.joint)
        if (j.child == (int)i && j.parent >= 0) child = true;
      if (!child) emit((int)i, o);
    }
    xml += "</worldbody></mujoco>\n";
    mjVFS* vfs = (mjVFS*)malloc(sizeof(mjVFS));
    mj_defaultVFS(vfs);
    if (mj_makeEmptyFileVFS(vfs, "scene.xml", (int)xml.size())) {
      fprintf(stderr, "vfs\n");
      exit(1);
    }
    memcpy(vfs->filedata[mj_findFileVFS(vfs, "scene.xml")], xml.data(), xml.size());
    char err[1000];
    m = mj_loadXML("scene.xml", vfs, err, 1000);
    mj_deleteVFS(vfs);
    free(vfs);
    if (!m) {
      fprintf(stderr, "mujoco: %s\n", err);
      exit(1);
    }
    d = mj_makeData(m);
    bid.clear();
    jq.clear();
    jv.clear();
    for (size_t i = 0; i < s.body.size(); i++) {
      bid.push_back(mj_name2id(m, mjOBJ_BODY, f("b%d", (int)i).c_str()));
      int fj = mj_name2id(m, mjOBJ_JOINT, f("f%d", (int)i).c_str());
      if (fj >= 0) {
        const Body& x = s.body[i];
        double* v = d->qvel + m->jnt_dofadr[fj];
        V3 wl = rot(conj(x.q), x.w);
        v[0] = x.v.x;
        v[1] = x.v.y;
        v[2] = x.v.z;
        v[3] = wl.x;
        v[4] = wl.y;
        v[5] = wl.z;
      }
    }
    for (size_t k = 0; k < s.joint.size(); k++) {
      int id = mj_name2id(m, mjOBJ_JOINT, f("j%d", (int)k).c_str());
      jq.push_back(m->jnt_qposadr[id]);
      jv.push_back(m->jnt_dofadr[id]);
      d->qvel[jv.back()] = s.joint[k].qd0;
    }
  }
  void destroy() override {
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  void joints(double* q, double* qd) override {
    for (size_t i = 0; i < jq.size(); i++) q[i] = d->qpos[jq[i]], qd[i] = d->qvel[jv[i]];
  }
  void torque(const double* t) override {
    for (size_t i = 0; i < jv.size(); i++) d->qfrc_applied[jv[i]] = t[i];
  }
  void step() override {
    mj_step(m, d);
    fwd = false;
  }
  void pre() override {}
  mjData* k2 = 0;
  void state(int i, State& s) override {  // kinematics of the new configuration in a scratch copy
                                          // (d keeps the step's contacts)
    if (!fwd) {
      it += d->solver_iter;
      nst++;
      if (!k2 || k2->buffer == 0 || k2n != m) {
        if (k2) mj_deleteData(k2);
        k2 = mj_makeData(m);
        k2n = m;
      }
      mju_copy(k2->qpos, d->qpos, m->nq);
      mju_copy(k2->qvel, d->qvel, m->nv);
      mj_kinematics(m, k2);
      mj_comPos(m, k2);
      mj_comVel(m, k2);
      fwd = true;
    }
    int b = bid[i];
    const double *p = k2->xpos + 3 * b, *q = k2->xquat + 4 * b;
    double r[6];
    mj_objectVelocity(m, k2, mjOBJ_BODY, b, r, 0);
    s.pos = {p[0], p[1], p[2]};
    s.q = {q[0], q[1], q[2], q[3]};
    s.w = {r[0], r[1], r[2]};
    s.v = {r[3], r[4], r[5]};
  }
  mjModel* k2n = 0;
  int ncontacts() override { return d->ncon; }
  void contacts(
      std::vector<Contact>& c) override {  // d still holds q_t kinematics; qvel is v_{t+1}
    std::vector<double> J(3 * m->nv);
    auto vel = [&](int b, const double* p) {
      V3 v;
      if (b <= 0) return v;
      mj_jac(m, d, J.data(), 0, p, b);
      for (int k = 0; k < m->nv; k++) v = v + V3{J[k], J[m->nv + k], J[2 * m->nv + k]} * d->qvel[k];
      return v;
    };
    for (int i = 0; i < d->ncon; i++) {
      const mjContact& x = d->contact[i];
      if (x.efc_address < 0) continue;
      double fr[6];
      mj_contactForce(m, d, i, fr);
      const double* R = x.frame;
      int b1 = m->geom_bodyid[x.geom1], b2 = m->geom_bodyid[x.geom2];
      Contact k;
      k.p = {x.pos[0], x.pos[1], x.pos[2]};
      k.n = {R[0], R[1], R[2]};  // normal points from geom1 to geom2
      k.f = V3{R[0], R[1], R[2]} * fr[0] + V3{R[3], R[4], R[5]} * fr[1] +
            V3{R[6], R[7], R[8]} * fr[2];
      k.fn = fr[0];
      for (size_t n = 0; n < bid.size(); n++) {
        if (bid[n] == b2) k.a = (int)n;
        if (bid[n] == b1) k.b = (int)n;
      }
      if (k.fn >= 1e-3) k.v = vel(b2, x.pos) - vel(b1, x.pos);
      c.push_back(k);
    }
  }
};
int main(int c, char** v) {
  Mj e;
  return run_main(e, c, v);
}
