// SPDX-License-Identifier: Apache-2.0
//
// Bullet 3.24 adapter. Rigid scenes: btDiscreteDynamicsWorld; quadruped: btMultiBody
// (Featherstone). options: solver=si|nncg|dantzig|lemke|pgs (MLCP variants for the last three),
// iters, split=0|1, erp2, fric2=1 (two friction
//          directions), ground=plane|box, restol (least squares residual threshold)
#include <BulletDynamics/ConstraintSolver/btNNCGConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyMLCPConstraintSolver.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btLemkeSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <BulletDynamics/MLCPSolvers/btSolveProjectedGaussSeidel.h>
#include <btBulletDynamicsCommon.h>
#include "common.h"

struct Bul : Engine {
  btDefaultCollisionConfiguration* cc = 0;
  btCollisionDispatcher* disp = 0;
  btBroadphaseInterface* bp = 0;
  btMLCPSolverInterface* mlcp = 0;
  btConstraintSolver* sol = 0;
  btDiscreteDynamicsWorld* w = 0;
  btMultiBody* mb = 0;
  std::string set;
  Scene sc;
  double dt = 0.001;
  bool fresh = false, measure = false;
  std::vector<btRigidBody*> rb;
  std::vector<btCollisionShape*> shapes;
  std::vector<btCollisionObject*> objs;
  std::vector<btVector3> om, ve;
  std::vector<V3> prev;
  static btVector3 B(V3 a) { return btVector3(a.x, a.y, a.z); }
  static V3 U(const btVector3& a) { return {(double)a.x(), (double)a.y(), (double)a.z()}; }
  static btQuaternion B(Q4 q) { return btQuaternion(q.x, q.y, q.z, q.w); }
  std::string name() override {
    return sizeof(btScalar) == 8 ? "bullet-3.24-f64" : "bullet-3.24-f32";
  }
  std::string settings() override { return set; }
  btCollisionShape* shape(const Body& x) {
    btCollisionShape* c = x.shape == BOX ? (btCollisionShape*)new btBoxShape(B(x.half))
                                         : (btCollisionShape*)new btSphereShape(x.r);
    shapes.push_back(c);
    if (x.off.x || x.off.y || x.off.z) {
      auto* k = new btCompoundShape();
      k->addChildShape(btTransform(btQuaternion::getIdentity(), B(x.off)), c);
      for (auto& m : x.more) k->addChildShape(btTransform(btQuaternion::getIdentity(), B(m)), c);
      shapes.push_back(k);
      c = k;
    }
    return c;
  }
  void build(const Scene& s, const Opt& o) override {
    sc = s;
    dt = s.dt;
    fresh = false;
    measure = false;
    cc = new btDefaultCollisionConfiguration();
    disp = new btCollisionDispatcher(cc);
    bp = new btDbvtBroadphase();
    std::string so = str(o, "solver", "si");
    mlcp = so == "dantzig" ? (btMLCPSolverInterface*)new btDantzigSolver()
           : so == "lemke" ? (btMLCPSolverInterface*)new btLemkeSolver()
           : so == "pgs"   ? (btMLCPSolverInterface*)new btSolveProjectedGaussSeidel()
                           : 0;
    if (s.articulated) {
      auto* ms =
          mlcp ? new btMultiBodyMLCPConstraintSolver(mlcp) : new btMultiBodyConstraintSolver();
      sol = ms;
      w = new btMultiBodyDynamicsWorld(disp, bp, ms, cc);
    } else {
      sol = mlcp           ? (btConstraintSolver*)new btMLCPSolver(mlcp)
            : so == "nncg" ? (btConstraintSolver*)new btNNCGConstraintSolver()
                           : (btConstraintSolver*)new btSequentialImpulseConstraintSolver();
      w = new btDiscreteDynamicsWorld(disp, bp, sol, cc);
    }
    btContactSolverInfo& si = w->getSolverInfo();
    si.m_numIterations = (int)num(o, "iters", 10);
    if (o.count("split")) si.m_splitImpulse = (int)num(o, "split", 1);
    if (o.count("erp2")) si.m_erp2 = num(o, "erp2", 0.2);
    if (o.count("restol")) si.m_leastSquaresResidualThreshold = num(o, "restol", 0);
    if (num(o, "fric2", 0)) si.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    if (mlcp) si.m_minimumSolverBatchSize = 1;
    set = so + (s.articulated ? " multibody" : "") + " iters=" + std::to_string(si.m_numIterations);
    for (const char* k : {"split", "erp2", "fric2", "ground", "restol"})
      if (o.count(k)) set += std::string(" ") + k + "=" + str(o, k, "");
    w->setGravity(B(s.g));
    double fr = std::sqrt(
        s.mu);  // Bullet multiplies the two friction values (and clamps the product to 10)
    bool gbox =
        str(o, "ground", s.body[0].shape == BOX && !s.articulated ? "box" : "plane") == "box";
    for (auto& p : s.plane) {
      btCollisionShape* c;
      btTransform t;
      t.setIdentity();
      if (gbox) {
        c = new btBoxShape(btVector3(10, 10, 0.5));
        t.setOrigin(btVector3(0, 0, -0.5));
      } else
        c = new btStaticPlaneShape(B(p.n), p.d);
      shapes.push_back(c);
      btRigidBody* g = new btRigidBody(btRigidBody::btRigidBodyConstructionInfo(0, 0, c));
      g->setWorldTransform(t);
      g->setFriction(fr);
      g->setUserIndex(-1);
      w->addRigidBody(g, 2, 1);
      objs.push_back(g);
    }
    if (s.articulated) {
      const Body& x = s.body[0];
      mb = new btMultiBody((int)s.joint.size(), x.mass, B(x.I), false, false);
      mb->setBasePos(B(x.pos));
      mb->setWorldToBaseRot(B(x.q).inverse());
      for (size_t k = 0; k < s.joint.size(); k++) {
        const Joint& j = s.joint[k];
        const Body &P = s.body[j.parent], &C = s.body[j.child];
        Q4 rel = conj(P.q) * C.q;
        mb->setupRevolute((int)k, C.mass, B(C.I), j.parent - 1, B(conj(rel)),
                          B(rot(conj(C.q), j.axis)), B(rot(conj(P.q), j.anchor - P.pos)),
                          B(rot(conj(C.q), C.pos - j.anchor)), true);
      }
      mb->finalizeMultiDof();
      mb->setLinearDamping(0);
      mb->setAngularDamping(0);
      mb->setUseGyroTerm(true);
      mb->setHasSelfCollision(false);
      mb->setCanSleep(false);
      mb->setMaxCoordinateVelocity(1e6);
      mb->setMaxAppliedImpulse(1e6);
      mb->setBaseVel(B(x.v));
      mb->setBaseOmega(B(x.w));
      for (size_t k = 0; k < s.joint.size(); k++) mb->setJointVel((int)k, s.joint[k].qd0);
      ((btMultiBodyDynamicsWorld*)w)->addMultiBody(mb, 1, 2);
      for (size_t i = 0; i < s.body.size(); i++)
        if (s.body[i].shape) {
          auto* c = new btMultiBodyLinkCollider(mb, (int)i - 1);
          c->setCollisionShape(shape(s.body[i]));
          c->setFriction(fr);
          c->setUserIndex((int)i);
          c->setWorldTransform(btTransform(B(s.body[i].q), B(s.body[i].pos)));
          w->addCollisionObject(c, 1, 2);
          objs.push_back(c);
          if (i == 0)
            mb->setBaseCollider(c);
          else
            mb->getLink((int)i - 1).m_collider = c;
        }
      btAlignedObjectArray<btQuaternion> a;
      btAlignedObjectArray<btVector3> b;
      mb->forwardKinematics(a, b);
      mb->updateCollisionObjectWorldTransforms(a, b);
      om.resize(s.body.size());
      ve.resize(s.body.size());
    } else {
      for (size_t i = 0; i < s.body.size(); i++) {
        const Body& x = s.body[i];
        btRigidBody* r =
            new btRigidBody(btRigidBody::btRigidBodyConstructionInfo(x.mass, 0, shape(x), B(x.I)));
        r->setWorldTransform(btTransform(B(x.q), B(x.pos)));
        r->setInterpolationWorldTransform(r->getWorldTransform());
        r->setLinearVelocity(B(x.v));
        r->setAngularVelocity(B(x.w));
        r->setFriction(fr);
        r->setUserIndex((int)i);
        r->setActivationState(DISABLE_DEACTIVATION);
        w->addRigidBody(r, 1, 3);
        rb.push_back(r);
        objs.push_back(r);
      }
      for (auto& j : s.joint) {
        rb[j.child]->setLinearFactor(B(j.axis));
        rb[j.child]->setAngularFactor(btVector3(0, 0, 0));
        rb[j.child]->setGravity(btVector3(0, 0, 0));
      }  // gripper slides along x only
    }
    prev.resize(s.body.size());
  }
  void destroy() override {
    for (auto* o : objs) {
      w->removeCollisionObject(o);
    }
    if (mb) {
      ((btMultiBodyDynamicsWorld*)w)->removeMultiBody(mb);
      delete mb;
      mb = 0;
    }
    for (auto* o : objs) delete o;
    for (auto* c : shapes) delete c;
    objs.clear();
    shapes.clear();
    rb.clear();
    delete w;
    delete sol;
    delete bp;
    delete disp;
    delete cc;
    delete mlcp;
    mlcp = 0;
  }
  void joints(double* q, double* qd) override {
    for (size_t i = 0; i < sc.joint.size(); i++)
      q[i] = mb->getJointPos((int)i), qd[i] = mb->getJointVel((int)i);
  }
  void torque(const double* t) override {
    if (mb)
      for (size_t i = 0; i < sc.joint.size(); i++) mb->addJointTorque((int)i, t[i]);
    else
      for (size_t i = 0; i < sc.joint.size(); i++)
        rb[sc.joint[i].child]->applyCentralForce(B(sc.joint[i].axis * t[i]));
  }
  void step() override {
    w->stepSimulation(dt, 0);
    fresh = false;
  }
  void pre() override {
    measure = true;
    if (!mb)
      for (size_t i = 0; i < rb.size(); i++) prev[i] = U(rb[i]->getWorldTransform().getOrigin());
  }
  void state(int i, State& s) override {
    btTransform t;
    if (mb) {
      if (!fresh) {
        mb->compTreeLinkVelocities(&om[0], &ve[0]);
        fresh = true;
      }
      t = i == 0 ? mb->getBaseWorldTransform() : mb->getLink(i - 1).m_cachedWorldTransform;
      s.w = U(t.getBasis() * om[i]);
      s.v = U(t.getBasis() * ve[i]);
    } else {
      t = rb[i]->getWorldTransform();
      s.v = U(rb[i]->getLinearVelocity());
      s.w = U(rb[i]->getAngularVelocity());
    }
    btQuaternion q = t.getRotation();
    s.pos = U(t.getOrigin());
    s.q = {(double)q.w(), (double)q.x(), (double)q.y(), (double)q.z()};
  }
  int ncontacts() override {
    int n = 0;
    for (int i = 0; i < disp->getNumManifolds(); i++)
      n += disp->getManifoldByIndexInternal(i)->getNumContacts();
    return n;
  }
  void contacts(std::vector<Contact>& c) override {
    for (int i = 0; i < disp->getNumManifolds(); i++) {
      btPersistentManifold* m = disp->getManifoldByIndexInternal(i);
      for (int k = 0; k < m->getNumContacts(); k++) {
        btManifoldPoint& p = m->getContactPoint(k);
        Contact x;
        x.a = m->getBody0()->getUserIndex();
        x.b = m->getBody1()->getUserIndex();
        x.p = U(p.getPositionWorldOnB());
        x.n = U(p.m_normalWorldOnB);
        x.fn = p.m_appliedImpulse / dt;
        x.f = x.n * x.fn + U(p.m_lateralFrictionDir1) * (p.m_appliedImpulseLateral1 / dt) +
              U(p.m_lateralFrictionDir2) * (p.m_appliedImpulseLateral2 / dt);
        if (x.a < 0) {
          std::swap(x.a, x.b);
          x.n = x.n * -1;
          x.f = x.f * -1;
        }
        auto vel = [&](int a) {
          State s;
          if (a < 0) return V3();
          state(a, s);
          return s.v + cross(s.w, x.p - (mb ? s.pos : prev[a]));
        };
        x.v = vel(x.a) - vel(x.b);
        c.push_back(x);
      }
    }
  }
};
int main(int c, char** v) {
  Bul e;
  return run_main(e, c, v);
}
