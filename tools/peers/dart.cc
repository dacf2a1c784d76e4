// SPDX-License-Identifier: Apache-2.0
//
// DART 6.12.1 adapter: Skeletons (Featherstone), boxed LCP contact at velocity level.
// options: solver=dantzig|pgs, det=ode|bullet|fcl|default (default = FCL with mesh primitives),
// erp, erv (max error reduction velocity)
//
// Not <dart/dart.hpp>: it includes IkFast.hpp, whose ikfast.h is in a package that Debian's
// libdart-all-dev does not depend on (libdart-external-ikfast-dev).
#include <dart/collision/bullet/bullet.hpp>
#include <dart/collision/fcl/fcl.hpp>
#include <dart/collision/ode/ode.hpp>
#include <dart/constraint/constraint.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PlaneShape.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

#include "common.h"
using namespace dart;
using namespace dart::dynamics;

struct Dart : Engine {
  simulation::WorldPtr w;
  std::vector<BodyNode*> bn;
  std::vector<dart::dynamics::Joint*> jt;
  std::string set;
  double dt = 0.001;
  std::vector<V3> prev;
  std::map<const BodyNode*, int> idx;
  static Eigen::Vector3d E(V3 a) { return {a.x, a.y, a.z}; }
  static V3 U(const Eigen::Vector3d& a) { return {a.x(), a.y(), a.z()}; }
  static Eigen::Isometry3d iso(V3 p, Q4 q) {
    Eigen::Isometry3d t = Eigen::Isometry3d::Identity();
    t.translation() = E(p);
    t.linear() = Eigen::Quaterniond(q.w, q.x, q.y, q.z).toRotationMatrix();
    return t;
  }
  std::string name() override { return "dart-6.12.1"; }
  std::string settings() override { return set; }
  void body(BodyNode* b, const ::Body& x, double mu) {
    b->setName(x.name + std::to_string(bn.size()));
    b->setInertia(Inertia(x.mass, Eigen::Vector3d::Zero(), E(x.I).asDiagonal()));
    ShapePtr s;
    if (x.shape == BOX)
      s = std::make_shared<BoxShape>(E(x.half) * 2);
    else if (x.shape == SPHERE)
      s = std::make_shared<SphereShape>(x.r);
    std::vector<V3> offs{x.off};
    offs.insert(offs.end(), x.more.begin(), x.more.end());
    if (s)
      for (auto& of : offs) {
        ShapeNode* n = b->createShapeNodeWith<CollisionAspect, DynamicsAspect>(s);
        n->setRelativeTranslation(E(of));
        n->getDynamicsAspect()->setFrictionCoeff(mu);
        n->getDynamicsAspect()->setRestitutionCoeff(0);
      }
    idx[b] = (int)bn.size();
    bn.push_back(b);
  }
  void build(const Scene& s, const Opt& o) override {
    dt = s.dt;
    bn.clear();
    jt.clear();
    idx.clear();
    w = std::make_shared<simulation::World>();
    w->setTimeStep(dt);
    w->setGravity(E(s.g));
    std::string det = str(o, "det", "ode"), so = str(o, "solver", "dantzig");
    set = so + " det=" + det;
    if (so == "pgs")
      w->setConstraintSolver(std::make_unique<constraint::BoxedLcpConstraintSolver>(
          std::make_shared<constraint::PgsBoxedLcpSolver>()));
    else
      w->setConstraintSolver(std::make_unique<constraint::BoxedLcpConstraintSolver>());
    auto* cs = w->getConstraintSolver();
    if (det == "ode") cs->setCollisionDetector(collision::OdeCollisionDetector::create());
    if (det == "bullet") cs->setCollisionDetector(collision::BulletCollisionDetector::create());
    if (det == "fcl") {
      auto d = collision::FCLCollisionDetector::create();
      d->setPrimitiveShapeType(collision::FCLCollisionDetector::PRIMITIVE);
      cs->setCollisionDetector(d);
    }
    cs->getCollisionOption().maxNumContacts = 10000;
    if (o.count("erp")) {
      constraint::ContactConstraint::setErrorReductionParameter(num(o, "erp", 0.01));
      set += " erp=" + str(o, "erp", "");
    }
    if (o.count("erv")) {
      constraint::ContactConstraint::setMaxErrorReductionVelocity(num(o, "erv", 1e-3));
      set += " erv=" + str(o, "erv", "");
    }
    char b[100];
    snprintf(b, 100, " (erp=%g erv=%g cfm=%g)",
             constraint::ContactConstraint::getErrorReductionParameter(),
             constraint::ContactConstraint::getMaxErrorReductionVelocity(),
             constraint::ContactConstraint::getConstraintForceMixing());
    set += b;
    for (auto& p : s.plane) {
      SkeletonPtr g = Skeleton::create("g" + std::to_string(w->getNumSkeletons()));
      auto pr = g->createJointAndBodyNodePair<WeldJoint>(nullptr);
      ShapePtr sh;
      Eigen::Vector3d off(0, 0, 0);
      bool gbox = str(o, "ground", det == "fcl" || det == "default" ? "box" : "plane") == "box";
      if (gbox) {
        sh = std::make_shared<BoxShape>(Eigen::Vector3d(20, 20, 1));
        off = E(p.n) * (p.d - 0.5);
      } else
        sh = std::make_shared<PlaneShape>(E(p.n), p.d);
      ShapeNode* n = pr.second->createShapeNodeWith<CollisionAspect, DynamicsAspect>(sh);
      n->getDynamicsAspect()->setFrictionCoeff(s.mu);
      n->getDynamicsAspect()->setRestitutionCoeff(0);
      if (gbox) {
        Eigen::Isometry3d t = Eigen::Isometry3d::Identity();
        t.translation() = off;
        t.linear() =
            Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), E(p.n)).toRotationMatrix();
        n->setRelativeTransform(t);
      }
      g->setMobile(false);
      w->addSkeleton(g);
    }
    SkeletonPtr tree;
    for (size_t i = 0; i < s.body.size(); i++) {
      const ::Body& x = s.body[i];
      const ::Joint* j = 0;
      for (auto& k : s.joint)
        if (k.child == (int)i) j = &k;
      SkeletonPtr sk = j && j->parent >= 0 ? tree : Skeleton::create("s" + std::to_string(i));
      if (!j) {
        auto pr = sk->createJointAndBodyNodePair<FreeJoint>(nullptr);
        body(pr.second, x, s.mu);
        pr.first->setPositions(FreeJoint::convertToPositions(iso(x.pos, x.q)));
        V3 wl = rot(conj(x.q), x.w), vl = rot(conj(x.q), x.v);
        Eigen::Matrix<double, 6, 1> v;
        v << wl.x, wl.y, wl.z, vl.x, vl.y, vl.z;
        pr.first->setVelocities(v);
        if (s.articulated) tree = sk;
      } else {
        BodyNode* P = j->parent >= 0 ? bn[j->parent] : nullptr;
        Eigen::Isometry3d X = iso(j->anchor, Q4()),
                          Xp = P ? iso(s.body[j->parent].pos, s.body[j->parent].q)
                                 : Eigen::Isometry3d::Identity(),
                          Xc = iso(x.pos, x.q);
        dart::dynamics::Joint* jn;
        BodyNode* bnn;
        if (j->kind == HINGE) {
          RevoluteJoint::Properties pr;
          pr.mName = "j" + std::to_string(i);
          pr.mAxis = E(j->axis);
          auto q = sk->createJointAndBodyNodePair<RevoluteJoint>(
              P, pr, BodyNode::AspectProperties("n" + std::to_string(i)));
          jn = q.first;
          bnn = q.second;
        } else {
          PrismaticJoint::Properties pr;
          pr.mName = "j" + std::to_string(i);
          pr.mAxis = E(j->axis);
          auto q = sk->createJointAndBodyNodePair<PrismaticJoint>(
              P, pr, BodyNode::AspectProperties("n" + std::to_string(i)));
          jn = q.first;
          bnn = q.second;
        }
        jn->setTransformFromParentBodyNode(Xp.inverse() * X);
        jn->setTransformFromChildBodyNode(Xc.inverse() * X);
        jn->setVelocity(0, j->qd0);
        body(bnn, x, s.mu);
        jt.push_back(jn);
      }
      if (sk != tree || i == 0)
        if (!w->hasSkeleton(sk)) w->addSkeleton(sk);
    }
    if (tree) {
      w->removeSkeleton(tree);
      w->addSkeleton(tree);
    }
    prev.resize(bn.size());
  }
  void destroy() override { w.reset(); }
  void joints(double* q, double* qd) override {
    for (size_t i = 0; i < jt.size(); i++)
      q[i] = jt[i]->getPosition(0), qd[i] = jt[i]->getVelocity(0);
  }
  void torque(const double* t) override {
    for (size_t i = 0; i < jt.size(); i++) jt[i]->setForce(0, t[i]);
  }
  void step() override { w->step(); }
  void pre() override {
    for (size_t i = 0; i < bn.size(); i++) prev[i] = U(bn[i]->getTransform().translation());
  }
  void state(int i, State& s) override {
    const Eigen::Isometry3d& t = bn[i]->getTransform();
    Eigen::Quaterniond q(t.linear());
    s.pos = U(t.translation());
    s.q = {q.w(), q.x(), q.y(), q.z()};
    s.v = U(bn[i]->getLinearVelocity());
    s.w = U(bn[i]->getAngularVelocity());
  }
  int ncontacts() override { return (int)w->getLastCollisionResult().getNumContacts(); }
  void contacts(std::vector<Contact>& c) override {
    auto& r = w->getLastCollisionResult();
    for (size_t i = 0; i < r.getNumContacts(); i++) {
      auto& k = r.getContact(i);
      Contact x;
      auto id = [&](collision::CollisionObject* o) {
        auto n = o->getShapeFrame()->asShapeNode();
        auto it = idx.find(n->getBodyNodePtr().get());
        return it == idx.end() ? -1 : it->second;
      };
      x.a = id(k.collisionObject1);
      x.b = id(k.collisionObject2);
      x.p = U(k.point);
      x.n = U(k.normal);
      x.f = U(k.force);
      x.fn = dot(x.f, x.n);
      if (x.a < 0) {
        std::swap(x.a, x.b);
        x.n = x.n * -1;
        x.f = x.f * -1;
      }
      auto vel = [&](int a) {
        if (a < 0) return V3();
        State s;
        state(a, s);
        return s.v + cross(s.w, x.p - prev[a]);
      };
      x.v = vel(x.a) - vel(x.b);
      c.push_back(x);
    }
  }
};
int main(int c, char** v) {
  Dart e;
  return run_main(e, c, v);
}
