// SPDX-License-Identifier: Apache-2.0
//
// ODE 0.16.2 adapter: maximal coordinates. solver=step (dWorldStep, Dantzig pivoting) or quick
// (dWorldQuickStep, SOR-PGS). options: solver, iters (quick), erp, cfm, cone=0|1 (dContactApprox1
// pyramid off/on), kmax contacts per pair
#include <ode/ode.h>
#include "common.h"

struct Ode : Engine {
  dWorldID w = 0;
  dSpaceID sp = 0;
  dJointGroupID cg = 0;
  std::vector<dBodyID> b;
  std::vector<dJointID> j;
  std::vector<JointKind> jk;
  bool quick = false, measure = false;
  int iters = 20, kmax = 8, nc = 0;
  double mu = 0.8, dt = 0.001, erp = -1, cfm = -1;
  bool approx = true;
  struct CR {
    int a, b;
    V3 p, n;
  };
  std::vector<CR> crec;
  std::vector<dJointFeedback> fb;
  std::vector<V3> prev;
  std::string name() override { return "ode-0.16.2"; }
  std::string settings() override {
    char s[160];
    if (quick)
      snprintf(s, 160, "dWorldQuickStep iters=%d", iters);
    else
      snprintf(s, 160, "dWorldStep");
    char t[240];
    snprintf(t, 240, "%s erp=%g cfm=%g%s", s, (double)dWorldGetERP(w), (double)dWorldGetCFM(w),
             approx ? "" : " mu-as-force");
    return t;
  }
  static void near_cb(void* d, dGeomID g1, dGeomID g2) {
    Ode* e = (Ode*)d;
    if (!dGeomGetBody(g1)) std::swap(g1, g2);
    dBodyID b1 = dGeomGetBody(g1), b2 = dGeomGetBody(g2);
    if (!b1) return;
    dContact c[16];
    int n = dCollide(g1, g2, e->kmax, &c[0].geom, sizeof(dContact));
    for (int i = 0; i < n; i++) {
      c[i].surface.mode = e->approx ? dContactApprox1 : 0;
      c[i].surface.mu = e->mu;
      dJointID j = dJointCreateContact(e->w, e->cg, &c[i]);
      dJointAttach(j, b1, b2);
      e->nc++;
      if (e->measure && e->fb.size() < e->fb.capacity()) {
        e->fb.emplace_back();
        dJointSetFeedback(j, &e->fb.back());
        const dReal *p = c[i].geom.pos, *m = c[i].geom.normal;
        e->crec.push_back({(int)(size_t)dBodyGetData(b1) - 1,
                           b2 ? (int)(size_t)dBodyGetData(b2) - 1 : -1,
                           {p[0], p[1], p[2]},
                           {m[0], m[1], m[2]}});
      }
    }
  }
  void build(const Scene& s, const Opt& o) override {
    dInitODE2(0);
    measure = false;
    quick = str(o, "solver", "step") == "quick";
    iters = (int)num(o, "iters", 20);
    kmax = (int)num(o, "kmax", 8);
    approx = num(o, "cone", 1) != 0;
    w = dWorldCreate();
    sp = s.name == "pile" ? dHashSpaceCreate(0) : dSimpleSpaceCreate(0);
    cg = dJointGroupCreate(0);
    dWorldSetGravity(w, s.g.x, s.g.y, s.g.z);
    dWorldSetQuickStepNumIterations(w, iters);
    if (o.count("erp")) dWorldSetERP(w, num(o, "erp", 0.2));
    if (o.count("cfm")) dWorldSetCFM(w, num(o, "cfm", 1e-10));
    mu = s.mu;
    dt = s.dt;
    b.clear();
    j.clear();
    jk.clear();
    for (auto& x : s.body) {
      dBodyID d = dBodyCreate(w);
      dMass m;
      dMassSetParameters(&m, x.mass, 0, 0, 0, x.I.x, x.I.y, x.I.z, 0, 0, 0);
      dBodySetMass(d, &m);
      dQuaternion q = {x.q.w, x.q.x, x.q.y, x.q.z};
      dBodySetPosition(d, x.pos.x, x.pos.y, x.pos.z);
      dBodySetQuaternion(d, q);
      dBodySetLinearVel(d, x.v.x, x.v.y, x.v.z);
      dBodySetAngularVel(d, x.w.x, x.w.y, x.w.z);
      dBodySetData(d, (void*)(b.size() + 1));
      b.push_back(d);
      std::vector<V3> offs{x.off};
      offs.insert(offs.end(), x.more.begin(), x.more.end());
      for (auto& of : offs) {
        dGeomID g = x.shape == BOX      ? dCreateBox(sp, 2 * x.half.x, 2 * x.half.y, 2 * x.half.z)
                    : x.shape == SPHERE ? dCreateSphere(sp, x.r)
                                        : 0;
        if (g) {
          dGeomSetBody(g, d);
          if (of.x || of.y || of.z) dGeomSetOffsetPosition(g, of.x, of.y, of.z);
          dGeomSetCategoryBits(g, 1);
          dGeomSetCollideBits(g, s.articulated ? 2 : 3);
        }
      }
    }
    for (auto& p : s.plane) {
      dGeomID g = dCreatePlane(sp, p.n.x, p.n.y, p.n.z, p.d);
      dGeomSetCategoryBits(g, 2);
      dGeomSetCollideBits(g, 1);
    }
    for (auto& x : s.joint) {
      dJointID k = x.kind == HINGE ? dJointCreateHinge(w, 0) : dJointCreateSlider(w, 0);
      dJointAttach(k, b[x.child], x.parent >= 0 ? b[x.parent] : 0);
      if (x.kind == HINGE) {
        dJointSetHingeAnchor(k, x.anchor.x, x.anchor.y, x.anchor.z);
        dJointSetHingeAxis(k, x.axis.x, x.axis.y, x.axis.z);
      } else
        dJointSetSliderAxis(k, x.axis.x, x.axis.y, x.axis.z);
      j.push_back(k);
      jk.push_back(x.kind);
    }
    fb.reserve(20000);
    prev.resize(b.size());
  }
  void destroy() override {
    dJointGroupDestroy(cg);
    dSpaceDestroy(sp);
    dWorldDestroy(w);
    dCloseODE();
  }
  void joints(double* q, double* qd) override {
    for (size_t i = 0; i < j.size(); i++)
      q[i] = dJointGetHingeAngle(j[i]), qd[i] = dJointGetHingeAngleRate(j[i]);
  }
  void torque(const double* t) override {
    for (size_t i = 0; i < j.size(); i++)
      if (jk[i] == HINGE)
        dJointAddHingeTorque(j[i], t[i]);
      else
        dJointAddSliderForce(j[i], t[i]);
  }
  void step() override {
    dJointGroupEmpty(cg);
    nc = 0;
    if (measure) fb.clear(), crec.clear();
    dSpaceCollide(sp, this, near_cb);
    if (quick)
      dWorldQuickStep(w, dt);
    else
      dWorldStep(w, dt);
  }
  void pre() override {
    measure = true;
    for (size_t i = 0; i < b.size(); i++) {
      const dReal* p = dBodyGetPosition(b[i]);
      prev[i] = {p[0], p[1], p[2]};
    }
  }
  void state(int i, State& s) override {
    const dReal *p = dBodyGetPosition(b[i]), *q = dBodyGetQuaternion(b[i]),
                *v = dBodyGetLinearVel(b[i]), *a = dBodyGetAngularVel(b[i]);
    s.pos = {p[0], p[1], p[2]};
    s.q = {q[0], q[1], q[2], q[3]};
    s.v = {v[0], v[1], v[2]};
    s.w = {a[0], a[1], a[2]};
  }
  int ncontacts() override { return nc; }
  void contacts(std::vector<Contact>& c) override {
    for (size_t i = 0; i < crec.size(); i++) {
      Contact k;
      k.a = crec[i].a;
      k.b = crec[i].b;
      k.p = crec[i].p;
      k.n = crec[i].n;
      k.f = {fb[i].f1[0], fb[i].f1[1], fb[i].f1[2]};
      k.fn = dot(k.f, k.n);
      auto vel = [&](int a) {
        State s;
        if (a < 0) return V3();
        state(a, s);
        return s.v + cross(s.w, k.p - prev[a]);
      };
      k.v = vel(k.a) - vel(k.b);
      c.push_back(k);
    }
  }
};
int main(int c, char** v) {
  Ode e;
  return run_main(e, c, v);
}
