// SPDX-License-Identifier: Apache-2.0
#include "engine/model/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>

#include "collision/height_field.h"
#include "collision/mesh.h"
#include "tests/failing_allocator.h"

namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

class Model : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(tribo_builder_create(nullptr, &builder_), TRIBO_OK); }
  void TearDown() override {
    tribo_model_destroy(model_);
    tribo_builder_destroy(builder_);
  }

  int AddLink(const char* name, const std::function<void(TriboLinkDesc*)>& change = {}) {
    TriboLinkDesc desc = tribo_link_default();
    desc.name = name;
    if (change) change(&desc);
    int link = -1;
    EXPECT_EQ(tribo_builder_add_link(builder_, &desc, &link), TRIBO_OK);
    return link;
  }

  int AddJoint(const char* name, TriboJointType type, int parent, int child,
               const std::function<void(TriboJointDesc*)>& change = {}) {
    TriboJointDesc desc = tribo_joint_default();
    desc.name = name;
    desc.type = type;
    desc.parent = parent;
    desc.child = child;
    if (change) change(&desc);
    int joint = -1;
    EXPECT_EQ(tribo_builder_add_joint(builder_, &desc, &joint), TRIBO_OK);
    return joint;
  }

  TriboStatus Create() { return tribo_model_create(builder_, nullptr, &model_, &message_); }

  // The model must be refused, with a message that names `element`.
  void ExpectRefused(const std::string& element) {
    EXPECT_EQ(Create(), TRIBO_ERROR_MODEL);
    EXPECT_EQ(model_, nullptr);
    EXPECT_NE(std::string(message_.text).find(element), std::string::npos) << message_.text;
  }

  TriboBuilder* builder_ = nullptr;
  TriboModel* model_ = nullptr;
  TriboMessage message_ = {};
};

TEST_F(Model, CoordinatesOfEveryJointTypeAddUp) {
  const TriboJointType types[] = {TRIBO_JOINT_FREE,  TRIBO_JOINT_BALL,   TRIBO_JOINT_HINGE,
                                  TRIBO_JOINT_SLIDE, TRIBO_JOINT_PLANAR, TRIBO_JOINT_FIXED};
  int parent = TRIBO_WORLD;
  for (TriboJointType type : types) {
    const std::string name = "link" + std::to_string(type);
    const int link = AddLink(name.c_str());
    AddJoint(nullptr, type, parent, link);
    parent = link;
  }
  ASSERT_EQ(Create(), TRIBO_OK) << message_.text;
  EXPECT_EQ(tribo_model_nq(model_), 7 + 4 + 1 + 1 + 3);
  EXPECT_EQ(tribo_model_nv(model_), 6 + 3 + 1 + 1 + 3);
  EXPECT_EQ(tribo_model_joint_q(model_, 2), 11);
  EXPECT_EQ(tribo_model_joint_v(model_, 2), 9);
  EXPECT_EQ(model_->nb, 5);
}

TEST_F(Model, ALinkWithoutAJointIsFree) {
  AddLink("loose");
  ASSERT_EQ(Create(), TRIBO_OK) << message_.text;
  EXPECT_EQ(tribo_model_nq(model_), 7);
  EXPECT_EQ(tribo_model_nv(model_), 6);
}

TEST_F(Model, NamesAreFoundByKind) {
  const int base = AddLink("base");
  const int arm = AddLink("arm");
  const int hinge = AddJoint("arm", TRIBO_JOINT_HINGE, base, arm);
  ASSERT_EQ(Create(), TRIBO_OK) << message_.text;
  EXPECT_EQ(tribo_model_find(model_, TRIBO_KIND_LINK, "arm"), arm);
  EXPECT_EQ(tribo_model_find(model_, TRIBO_KIND_JOINT, "arm"), hinge);
  EXPECT_EQ(tribo_model_find(model_, TRIBO_KIND_LINK, "leg"), -1);
  EXPECT_STREQ(tribo_model_name(model_, TRIBO_KIND_LINK, base), "base");
  EXPECT_STREQ(tribo_model_name(model_, TRIBO_KIND_LINK, 99), "");
}

TEST_F(Model, AWeldedLinkAddsItsMassToItsParent) {
  const int base = AddLink("base", [](TriboLinkDesc* d) { d->mass = 2; });
  const int tip = AddLink("tip", [](TriboLinkDesc* d) { d->mass = 3; });
  AddJoint(nullptr, TRIBO_JOINT_FIXED, base, tip,
           [](TriboJointDesc* d) { d->pose_parent.p.x = 1; });
  ASSERT_EQ(Create(), TRIBO_OK) << message_.text;
  EXPECT_EQ(model_->nb, 1);
  EXPECT_DOUBLE_EQ(tribo_model_total_mass(model_), 5);
  EXPECT_EQ(tribo_model_find(model_, TRIBO_KIND_LINK, "tip"), tip);
  EXPECT_EQ(model_->link_body[tip], model_->link_body[base]);
  EXPECT_DOUBLE_EQ(model_->link_pose[tip].p.x - model_->link_pose[base].p.x, 1);
}

TEST_F(Model, RowsOfTheTreeFollowThePathToTheRoot) {
  const int base = AddLink("base");
  const int left = AddLink("left"), right = AddLink("right");
  AddJoint(nullptr, TRIBO_JOINT_FREE, TRIBO_WORLD, base);
  AddJoint(nullptr, TRIBO_JOINT_HINGE, base, left);
  AddJoint(nullptr, TRIBO_JOINT_HINGE, base, right);
  ASSERT_EQ(Create(), TRIBO_OK) << message_.text;
  // The two legs do not see each other: both rows hold the six of the base and themselves.
  EXPECT_EQ(model_->dof_depth[6], 7);
  EXPECT_EQ(model_->dof_depth[7], 7);
  EXPECT_EQ(model_->dof_parent[6], 5);
  EXPECT_EQ(model_->dof_parent[7], 5);
  EXPECT_EQ(model_->column[model_->dof_row[7] + 6], 7);
  EXPECT_EQ(model_->dof_parent[0], -1);
}

TEST_F(Model, EqualModelsHaveEqualHashesAndChangedOnesDoNot) {
  AddLink("a");
  ASSERT_EQ(Create(), TRIBO_OK);
  const uint64_t first = tribo_model_hash(model_);
  tribo_model_destroy(model_);
  ASSERT_EQ(Create(), TRIBO_OK);
  EXPECT_EQ(tribo_model_hash(model_), first);
  tribo_model_destroy(model_);
  ASSERT_EQ(tribo_builder_set_gravity(builder_, {0, 0, -1.62}), TRIBO_OK);
  ASSERT_EQ(Create(), TRIBO_OK);
  EXPECT_NE(tribo_model_hash(model_), first);
}

TEST_F(Model, NonFiniteNumbersAreRefusedWhenAdded) {
  TriboLinkDesc link = tribo_link_default();
  link.mass = kNan;
  int index;
  EXPECT_EQ(tribo_builder_add_link(builder_, &link, &index), TRIBO_ERROR_NOT_FINITE);
  TriboJointDesc joint = tribo_joint_default();
  joint.damping = std::numeric_limits<double>::infinity();
  EXPECT_EQ(tribo_builder_add_joint(builder_, &joint, &index), TRIBO_ERROR_NOT_FINITE);
  EXPECT_EQ(tribo_builder_count(builder_, TRIBO_KIND_LINK), 0);
}

TEST_F(Model, ANanInAnyNumberOfALinkJointActuatorOrLoopIsRefused) {
  const int base = AddLink("base"), tip = AddLink("tip");
  const std::vector<std::function<double*(TriboLinkDesc*)>> of_link = {
      [](TriboLinkDesc* d) { return &d->mass; }, [](TriboLinkDesc* d) { return &d->com.y; },
      [](TriboLinkDesc* d) { return &d->inertia[0]; },
      [](TriboLinkDesc* d) { return &d->inertia[5]; }};
  for (const auto& field : of_link) {
    TriboLinkDesc d = tribo_link_default();
    *field(&d) = kNan;
    EXPECT_EQ(tribo_builder_add_link(builder_, &d, nullptr), TRIBO_ERROR_NOT_FINITE);
  }
  using Joint = TriboJointDesc;
  const std::vector<std::function<double*(Joint*)>> of_joint = {
      [](Joint* d) { return &d->pose_parent.p.x; }, [](Joint* d) { return &d->pose_parent.q.w; },
      [](Joint* d) { return &d->pose_child.p.z; },  [](Joint* d) { return &d->pose_child.q.y; },
      [](Joint* d) { return &d->axis.x; },          [](Joint* d) { return &d->lower; },
      [](Joint* d) { return &d->upper; },           [](Joint* d) { return &d->velocity_limit; },
      [](Joint* d) { return &d->effort_limit; },    [](Joint* d) { return &d->damping; },
      [](Joint* d) { return &d->friction; },        [](Joint* d) { return &d->armature; },
      [](Joint* d) { return &d->stiffness; },       [](Joint* d) { return &d->rest; },
      [](Joint* d) { return &d->initial[0]; }};
  for (size_t i = 0; i < of_joint.size(); ++i) {
    TriboJointDesc d = tribo_joint_default();
    d.parent = base;
    d.child = tip;
    d.limited = true;
    *of_joint[i](&d) = kNan;
    EXPECT_EQ(tribo_builder_add_joint(builder_, &d, nullptr), TRIBO_ERROR_NOT_FINITE) << i;
  }
  using Actuator = TriboActuatorDesc;
  const std::vector<std::function<double*(Actuator*)>> of_actuator = {
      [](Actuator* d) { return &d->gear; },
      [](Actuator* d) { return &d->kp; },
      [](Actuator* d) { return &d->kd; },
      [](Actuator* d) { return &d->effort_limit; },
      [](Actuator* d) { return &d->control_lower; },
      [](Actuator* d) { return &d->control_upper; },
      [](Actuator* d) { return &d->scale; },
      [](Actuator* d) { return &d->offset; }};
  for (size_t i = 0; i < of_actuator.size(); ++i) {
    TriboActuatorDesc d = tribo_actuator_default();
    *of_actuator[i](&d) = kNan;
    EXPECT_EQ(tribo_builder_add_actuator(builder_, &d, nullptr), TRIBO_ERROR_NOT_FINITE) << i;
  }
  using Loop = TriboLoopDesc;
  const std::vector<std::function<double*(Loop*)>> of_loop = {
      [](Loop* d) { return &d->pose0.p.x; }, [](Loop* d) { return &d->pose1.q.z; },
      [](Loop* d) { return &d->ratio; }, [](Loop* d) { return &d->offset; },
      [](Loop* d) { return &d->compliance; }};
  for (size_t i = 0; i < of_loop.size(); ++i) {
    TriboLoopDesc d = tribo_loop_default();
    *of_loop[i](&d) = kNan;
    EXPECT_EQ(tribo_builder_add_loop(builder_, &d, nullptr), TRIBO_ERROR_NOT_FINITE) << i;
  }
}

TEST_F(Model, NegativeMassIsRefused) {
  AddLink("ghost", [](TriboLinkDesc* d) { d->mass = -1; });
  ExpectRefused("ghost");
}

TEST_F(Model, AMovingLinkWithoutMassIsRefused) {
  AddLink("feather", [](TriboLinkDesc* d) { d->mass = 0; });
  ExpectRefused("feather");
}

TEST_F(Model, InertiaThatBreaksTheTriangleInequalityIsRefused) {
  AddLink("rod", [](TriboLinkDesc* d) {
    d->inertia[0] = 1;
    d->inertia[1] = 1;
    d->inertia[2] = 3;
  });
  ExpectRefused("rod");
}

TEST_F(Model, InertiaThatIsNotPositiveDefiniteIsRefused) {
  AddLink("odd", [](TriboLinkDesc* d) { d->inertia[3] = 10; });
  ExpectRefused("odd");
}

TEST_F(Model, ACycleOfJointsIsRefused) {
  const int a = AddLink("a"), b = AddLink("b");
  AddJoint("ab", TRIBO_JOINT_HINGE, a, b);
  AddJoint("ba", TRIBO_JOINT_HINGE, b, a);
  ExpectRefused("cycle");
}

TEST_F(Model, TwoJointsOnOneChildAreRefused) {
  const int a = AddLink("a"), b = AddLink("b");
  AddJoint("first", TRIBO_JOINT_HINGE, a, b);
  AddJoint("second", TRIBO_JOINT_HINGE, TRIBO_WORLD, b);
  ExpectRefused("link 'b'");
}

TEST_F(Model, ReversedLimitsAreRefused) {
  const int a = AddLink("a");
  AddJoint("elbow", TRIBO_JOINT_HINGE, TRIBO_WORLD, a, [](TriboJointDesc* d) {
    d->limited = true;
    d->lower = 1;
    d->upper = -1;
  });
  ExpectRefused("elbow");
}

TEST_F(Model, ABallsLimitIsFromZeroToAnAngle) {
  const int a = AddLink("a");
  AddJoint("hip", TRIBO_JOINT_BALL, TRIBO_WORLD, a, [](TriboJointDesc* d) {
    d->limited = true;
    d->lower = -1;
    d->upper = 1;
  });
  ExpectRefused("hip");
}

TEST_F(Model, APlanarJointHasNoLimits) {
  const int a = AddLink("a");
  AddJoint("table", TRIBO_JOINT_PLANAR, TRIBO_WORLD, a, [](TriboJointDesc* d) {
    d->limited = true;
    d->upper = 1;
  });
  ExpectRefused("table");
}

TEST_F(Model, AnAxisThatIsNotUnitIsRefused) {
  const int a = AddLink("a");
  AddJoint("long", TRIBO_JOINT_SLIDE, TRIBO_WORLD, a, [](TriboJointDesc* d) {
    d->axis = {0, 0, 2};
  });
  ExpectRefused("long");
}

TEST_F(Model, TwoLinksOfOneNameAreRefused) {
  AddLink("twin");
  AddLink("twin");
  ExpectRefused("twin");
}

class ModelShapes : public Model {
 protected:
  int AddShape(int link, const std::function<void(TriboShapeDesc*)>& change = {}) {
    TriboShapeDesc desc = tribo_shape_default();
    desc.link = link;
    if (change) change(&desc);
    int shape = -1;
    EXPECT_EQ(tribo_builder_add_shape(builder_, &desc, &shape), TRIBO_OK);
    return shape;
  }
  bool MayTouch(int a, int b) { return tribo_pair_filter_allows(model_->pair_filter, a, b); }
};

TEST_F(ModelShapes, EveryTypeIsCompiled) {
  const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const int triangles[] = {0, 2, 1, 0, 1, 3};
  const double heights[] = {0, 1, 2, 3, 4, 5};
  for (int type = TRIBO_SHAPE_PLANE; type <= TRIBO_SHAPE_MESH; ++type) {
    AddShape(TRIBO_WORLD, [&](TriboShapeDesc* d) {
      d->type = (TriboShapeType)type;
      d->size[0] = 0.1, d->size[1] = 0.2, d->size[2] = 0.3;
      d->vertex_count = 4;
      d->vertices = corners;
      d->triangle_count = 2;
      d->triangles = triangles;
      d->rows = 2;
      d->columns = 3;
      d->heights = heights;
    });
  }
  ASSERT_EQ(Create(), TRIBO_OK) << message_.text;
  for (int type = TRIBO_SHAPE_PLANE; type <= TRIBO_SHAPE_MESH; ++type) {
    EXPECT_EQ(model_->shape[type].type, type);
  }
  EXPECT_EQ(model_->shape[TRIBO_SHAPE_CAPSULE].half_length, 0.2);
  EXPECT_EQ(model_->shape[TRIBO_SHAPE_HULL].half.x, 0.5);
  EXPECT_EQ(model_->shape[TRIBO_SHAPE_MESH].mesh->nt, 2);
  EXPECT_EQ(model_->shape[TRIBO_SHAPE_HEIGHT_FIELD].height_field->heights[5], 5);
}

TEST_F(ModelShapes, NeighboursOverALinkWithoutMassDoNotTouch) {
  const int a = AddLink("a"), cross = AddLink("cross", [](TriboLinkDesc*d) { d->mass = 0; });
  const int b = AddLink("b"), c = AddLink("c");
  AddJoint("root", TRIBO_JOINT_FREE, TRIBO_WORLD, a);
  AddJoint("first", TRIBO_JOINT_HINGE, a, cross);
  AddJoint("second", TRIBO_JOINT_HINGE, cross, b, [](TriboJointDesc* d) { d->axis = {1, 0, 0}; });
  AddJoint("third", TRIBO_JOINT_HINGE, b, c);
  const int sa = AddShape(a), sb = AddShape(b), sc = AddShape(c);
  ASSERT_EQ(Create(), TRIBO_OK) << message_.text;
  EXPECT_FALSE(MayTouch(sa, sb));
  EXPECT_FALSE(MayTouch(sb, sc));
  EXPECT_TRUE(MayTouch(sa, sc));
}

TEST_F(ModelShapes, AFlatHullIsRefusedByName) {
  const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  AddShape(TRIBO_WORLD, [&](TriboShapeDesc* d) {
    d->name = "leaf";
    d->type = TRIBO_SHAPE_HULL;
    d->vertex_count = 4;
    d->vertices = corners;
  });
  ExpectRefused("leaf");
}

TEST_F(ModelShapes, ASizeBeyondReasonIsRefusedByName) {
  AddShape(TRIBO_WORLD, [](TriboShapeDesc* d) { d->name = "grain", d->size[0] = 1e-12; });
  ExpectRefused("grain");
}

TEST_F(ModelShapes, NeighboursDoNotTouchUnlessAllowed) {
  const int floor = AddShape(TRIBO_WORLD);
  const int base = AddLink("base"), thigh = AddLink("thigh"), shank = AddLink("shank"),
            foot = AddLink("foot");
  AddJoint(nullptr, TRIBO_JOINT_FREE, TRIBO_WORLD, base);
  AddJoint(nullptr, TRIBO_JOINT_HINGE, base, thigh);
  AddJoint(nullptr, TRIBO_JOINT_HINGE, thigh, shank);
  AddJoint(nullptr, TRIBO_JOINT_FIXED, shank, foot);
  const int b = AddShape(base), t = AddShape(thigh), s = AddShape(shank), f = AddShape(foot);
  ASSERT_EQ(Create(), TRIBO_OK) << message_.text;
  for (int shape : {b, t, s, f}) EXPECT_TRUE(MayTouch(floor, shape));
  EXPECT_FALSE(MayTouch(b, t));
  EXPECT_FALSE(MayTouch(t, s));
  EXPECT_FALSE(MayTouch(t, f));  // the foot is welded to the shank
  EXPECT_FALSE(MayTouch(s, f));
  EXPECT_TRUE(MayTouch(b, s));
  EXPECT_TRUE(MayTouch(f, b));
  tribo_model_destroy(model_);
  tribo_builder_allow_parent_child(builder_, true);
  ASSERT_EQ(Create(), TRIBO_OK) << message_.text;
  EXPECT_TRUE(MayTouch(b, t));
  EXPECT_TRUE(MayTouch(t, f));
  EXPECT_FALSE(MayTouch(s, f));
}

TEST_F(ModelShapes, AFixedBaseDoesNotTouchTheLinkJoinedToItButTheFloorDoes) {
  const int base = AddLink("base"), arm = AddLink("arm"), hand = AddLink("hand");
  AddJoint(nullptr, TRIBO_JOINT_FIXED, TRIBO_WORLD, base);
  AddJoint(nullptr, TRIBO_JOINT_HINGE, base, arm);
  AddJoint(nullptr, TRIBO_JOINT_HINGE, arm, hand);
  const int floor = AddShape(TRIBO_WORLD), b = AddShape(base), a = AddShape(arm),
            h = AddShape(hand);
  ASSERT_EQ(Create(), TRIBO_OK) << message_.text;
  EXPECT_FALSE(MayTouch(b, a));
  EXPECT_FALSE(MayTouch(floor, b));
  EXPECT_TRUE(MayTouch(floor, a));
  EXPECT_TRUE(MayTouch(b, h));
}

TEST_F(ModelShapes, ExcludedLinksDoNotTouch) {
  const int a = AddLink("a"), b = AddLink("b"), c = AddLink("c");
  const int sa = AddShape(a), sb = AddShape(b), sc = AddShape(c);
  ASSERT_EQ(tribo_builder_exclude(builder_, b, a), TRIBO_OK);
  ASSERT_EQ(Create(), TRIBO_OK) << message_.text;
  EXPECT_FALSE(MayTouch(sa, sb));
  EXPECT_TRUE(MayTouch(sa, sc));
  tribo_model_destroy(model_);
  model_ = nullptr;
  ASSERT_EQ(tribo_builder_exclude(builder_, 0, 7), TRIBO_OK);
  ExpectRefused("excluded pair number 1");
}

TEST_F(ModelShapes, MaterialsCombineByTheRuleUnlessOverridden) {
  TriboMaterialDesc ice = tribo_material_default(), rubber = tribo_material_default();
  ice.friction = 0.04, ice.restitution = 0.5, ice.viscosity = 2, ice.torsional = 0.001;
  rubber.friction = 1, rubber.restitution = 0.2, rubber.viscosity = 8, rubber.rolling = 0.002;
  int i, r;
  ASSERT_EQ(tribo_builder_add_material(builder_, &ice, &i), TRIBO_OK);
  ASSERT_EQ(tribo_builder_add_material(builder_, &rubber, &r), TRIBO_OK);
  const int on_ice = AddShape(TRIBO_WORLD, [&](TriboShapeDesc* d) { d->material = i; });
  const int on_rubber = AddShape(TRIBO_WORLD, [&](TriboShapeDesc* d) { d->material = r; });
  const int plain = AddShape(TRIBO_WORLD);
  ASSERT_EQ(Create(), TRIBO_OK) << message_.text;
  const TriboSurface* both = tribo_model_surface(model_, on_ice, on_rubber);
  EXPECT_EQ(both, tribo_model_surface(model_, on_rubber, on_ice));
  EXPECT_DOUBLE_EQ(both->friction, 0.2);
  EXPECT_EQ(both->restitution, 0.5);
  EXPECT_DOUBLE_EQ(both->viscosity, 4);
  EXPECT_EQ(both->torsional, 0.001);
  EXPECT_EQ(both->rolling, 0.002);
  EXPECT_EQ(tribo_model_surface(model_, plain, plain)->friction, 0.8);
  EXPECT_EQ(tribo_model_surface(model_, on_ice, on_ice)->friction, 0.04);
  tribo_model_destroy(model_);
  model_ = nullptr;

  TriboMaterialDesc pair = tribo_material_default();
  pair.friction = 0.7, pair.restitution = 0.1;
  ASSERT_EQ(tribo_builder_set_material_pair(builder_, r, -1, &pair), TRIBO_OK);
  ASSERT_EQ(Create(), TRIBO_OK) << message_.text;
  EXPECT_EQ(tribo_model_surface(model_, plain, on_rubber)->friction, 0.7);
  EXPECT_EQ(tribo_model_surface(model_, plain, on_rubber)->restitution, 0.1);
  EXPECT_DOUBLE_EQ(tribo_model_surface(model_, on_ice, on_rubber)->friction, 0.2);
  tribo_model_destroy(model_);
  model_ = nullptr;
  ASSERT_EQ(tribo_builder_set_material_pair(builder_, r, 5, &pair), TRIBO_OK);
  ExpectRefused("material pair number 1");
}

// Slide x, slide y, hinge z, as one body on three joints is made of.
TEST_F(Model, LinksWithoutMassMayLieBetweenJointsThatMoveInDifferentDirections) {
  auto massless = [](TriboLinkDesc* d) { d->mass = 0; };
  const int a = AddLink("a", massless), b = AddLink("b", massless), c = AddLink("c");
  AddJoint("x", TRIBO_JOINT_SLIDE, TRIBO_WORLD, a, [](TriboJointDesc* d) { d->axis = {1, 0, 0}; });
  AddJoint("y", TRIBO_JOINT_SLIDE, a, b, [](TriboJointDesc* d) { d->axis = {0, 1, 0}; });
  AddJoint("turn", TRIBO_JOINT_HINGE, b, c);
  ASSERT_EQ(Create(), TRIBO_OK) << message_.text;
  EXPECT_EQ(tribo_model_nv(model_), 3);
}

TEST_F(Model, LinksWithoutMassBetweenJointsThatMoveTheSameWayAreRefused) {
  const int a = AddLink("a", [](TriboLinkDesc*d) { d->mass = 0; }), b = AddLink("b");
  AddJoint("first", TRIBO_JOINT_SLIDE, TRIBO_WORLD, a);
  AddJoint("second", TRIBO_JOINT_SLIDE, a, b);
  ExpectRefused("'a'");
}

TEST_F(Model, LinksWithoutMassWithoutOrWithSeveralLinksBelowAreRefusedUnlessTheirRotorHasInertia) {
  const int a = AddLink("a", [](TriboLinkDesc* d) { d->mass = 0; });
  const int first = AddJoint("first", TRIBO_JOINT_HINGE, TRIBO_WORLD, a);
  ExpectRefused("'a'");
  AddJoint("left", TRIBO_JOINT_SLIDE, a, AddLink("b"));
  AddJoint("right", TRIBO_JOINT_SLIDE, a, AddLink("c"));
  ExpectRefused("'a'");
  builder_->joint[first].armature = 0.1;
  EXPECT_EQ(Create(), TRIBO_OK) << message_.text;
}

TEST_F(Model, ALeafWithoutMassMayTurnWithARotor) {
  const int a = AddLink("a", [](TriboLinkDesc* d) { d->mass = 0; });
  AddJoint("j", TRIBO_JOINT_HINGE, TRIBO_WORLD, a, [](TriboJointDesc* d) { d->armature = 0.1; });
  EXPECT_EQ(Create(), TRIBO_OK) << message_.text;
}

TEST_F(Model, InitialPositionsFillTheQuaternionsThatAreLeftAtZero) {
  const int a = AddLink("a"), b = AddLink("b");
  AddJoint("free", TRIBO_JOINT_FREE, TRIBO_WORLD, a, [](TriboJointDesc* d) { d->initial[2] = 3; });
  AddJoint("hinge", TRIBO_JOINT_HINGE, a, b, [](TriboJointDesc* d) { d->initial[0] = 0.5; });
  ASSERT_EQ(Create(), TRIBO_OK) << message_.text;
  const double expected[] = {0, 0, 3, 1, 0, 0, 0, 0.5};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(model_->q_initial[i], expected[i]) << i;
}

TEST_F(Model, ARefusedElementIsNamedInTheBuildersMessage) {
  AddLink("first");
  EXPECT_STREQ(tribo_builder_message(builder_)->text, "");
  TriboLinkDesc link = tribo_link_default();
  link.name = "second";
  link.mass = kNan;
  EXPECT_EQ(tribo_builder_add_link(builder_, &link, nullptr), TRIBO_ERROR_NOT_FINITE);
  const TriboMessage* message = tribo_builder_message(builder_);
  EXPECT_EQ(message->status, TRIBO_ERROR_NOT_FINITE);
  EXPECT_STREQ(message->text,
               "link number 1 'second': its mass, com or inertia is NaN or infinite");
  TriboFrameDesc frame = tribo_frame_default();
  frame.pose.q = {0, 0, 0, 0};
  EXPECT_EQ(tribo_builder_add_frame(builder_, &frame, nullptr), TRIBO_ERROR_ARGUMENT);
  EXPECT_STREQ(message->text,
               "frame number 0: its pose's quaternion is not of unit length (w x y z)");
  TriboMaterialDesc material = tribo_material_default();
  EXPECT_EQ(tribo_builder_set_material_pair(builder_, -2, 0, &material), TRIBO_ERROR_ARGUMENT);
  EXPECT_NE(std::string(message->text).find("materials -2 and 0"), std::string::npos);
  EXPECT_EQ(tribo_builder_exclude(builder_, 0, -3), TRIBO_ERROR_ARGUMENT);
  EXPECT_NE(std::string(message->text).find("links 0 and -3"), std::string::npos);
}

// Every name was once compared with every other: this took a minute.
TEST_F(Model, ManyNamesAreChecked) {
  for (int i = 0; i < 50000; ++i) {
    TriboFrameDesc frame = tribo_frame_default();
    const std::string name = "frame" + std::to_string(i);
    frame.name = name.c_str();
    ASSERT_EQ(tribo_builder_add_frame(builder_, &frame, nullptr), TRIBO_OK);
  }
  AddLink("link");
  ASSERT_EQ(Create(), TRIBO_OK) << message_.text;
  EXPECT_EQ(tribo_model_find(model_, TRIBO_KIND_FRAME, "frame49999"), 49999);
}

TEST_F(ModelShapes, EveryFailingAllocationIsAStatusAndLeaksNothing) {
  const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const int triangles[] = {0, 2, 1, 0, 1, 3};
  const double heights[] = {0, 1, 2, 3};
  for (int type = TRIBO_SHAPE_HULL; type <= TRIBO_SHAPE_MESH; ++type) {
    AddShape(TRIBO_WORLD, [&](TriboShapeDesc* d) {
      d->type = (TriboShapeType)type;
      d->size[1] = 1;
      d->vertex_count = 4, d->vertices = corners;
      d->triangle_count = 2, d->triangles = triangles;
      d->rows = d->columns = 2, d->heights = heights;
    });
  }
  AddShape(AddLink("ball"));
  bool done = false;
  for (int n = 0; !done; ++n) {
    ASSERT_LT(n, 200);
    FailingAllocator failing(n);
    TriboModel* model = nullptr;
    const TriboStatus status = tribo_model_create(builder_, &failing.allocator, &model, &message_);
    done = status == TRIBO_OK;
    EXPECT_TRUE(done || status == TRIBO_ERROR_MEMORY) << n << ": " << message_.text;
    tribo_model_destroy(model);
    EXPECT_EQ(failing.live, 0) << n;
  }
}

}  // namespace
