// SPDX-License-Identifier: Apache-2.0
//
// MJCF, with values computed by hand: geoms and what touches what.
#include <string>

#include "tests/models/mjcf_text.h"

namespace {

// --- geoms
// ------------------------------------------------------------------------------------------

TEST(Mjcf, EveryPrimitiveBecomesItsShape) {
  Load load(
      World("<geom type='plane' size='0 0 1' pos='0 0 -1'/><geom type='sphere' size='1'/>"
            "<geom type='capsule' size='1 2'/><geom type='box' size='1 2 3'/>"
            "<geom type='cylinder' size='1 2'/><geom type='ellipsoid' size='1 2 3'/>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboShapeType types[] = {TRIBO_SHAPE_PLANE, TRIBO_SHAPE_SPHERE,   TRIBO_SHAPE_CAPSULE,
                                  TRIBO_SHAPE_BOX,   TRIBO_SHAPE_CYLINDER, TRIBO_SHAPE_ELLIPSOID};
  for (int i = 0; i < 6; ++i) {
    const TriboShapeDesc& s = load.builder->shape[i];
    EXPECT_EQ(s.type, types[i]);
    EXPECT_EQ(s.link, TRIBO_WORLD);
    if (i > 1) {
      EXPECT_EQ(s.size[1], 2);
    }
  }
  EXPECT_EQ(load.builder->shape[0].pose.p.z, -1);
}

TEST(Mjcf, FromToGivesPoseAndLength) {
  Load load(
      World("<geom type='capsule' size='0.1' fromto='0 0 0 0 0 2'/>"
            "<geom type='box' size='0.1' fromto='1 0 0 5 0 0'/>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboShapeDesc* s = load.builder->shape;
  EXPECT_EQ(s[0].size[0], 0.1);
  EXPECT_EQ(s[0].size[1], 1);
  EXPECT_EQ(s[0].pose.p.z, 1);
  EXPECT_EQ(s[1].size[0], 0.1);
  EXPECT_EQ(s[1].size[1], 0.1);
  EXPECT_EQ(s[1].size[2], 2);
  EXPECT_EQ(s[1].pose.p.x, 3);
  EXPECT_EQ(Load(World("<geom type='sphere' size='1' fromto='0 0 0 1 0 0'/>")).status,
            TRIBO_ERROR_MODEL);
  EXPECT_EQ(Load(World("<geom type='capsule' size='1' fromto='1 0 0 1 0 0'/>")).status,
            TRIBO_ERROR_MODEL);
}

TEST(Mjcf, ContypeAndConaffinityAreGroupAndMaskAndNeitherIsForViewing) {
  Load load(
      World("<geom size='1' contype='2' conaffinity='4'/>"
            "<geom size='1' contype='0' conaffinity='0' rgba='1 0 0 1'/>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  ASSERT_EQ(tribo_builder_count(load.builder, TRIBO_KIND_SHAPE), 1);
  EXPECT_EQ(load.builder->shape[0].group, 2u);
  EXPECT_EQ(load.builder->shape[0].mask, 4u);
  ASSERT_EQ(tribo_scene_visual_count(load.scene), 1);
  EXPECT_EQ(tribo_scene_visual(load.scene, 0)->rgba[0], 1);
}

// The friction of the pair of materials that two shapes have, as the builder was told.
double PairFriction(const TriboBuilder* b, int s0, int s1) {
  const int m0 = b->shape[s0].material, m1 = b->shape[s1].material;
  double friction = m0 == m1 ? b->material[m0].friction : -1;
  for (int i = 0; i < b->pair_count; ++i) {
    const TriboMaterialPair& p = b->pair[i];
    if ((p.material0 == m0 && p.material1 == m1) || (p.material0 == m1 && p.material1 == m0)) {
      friction = p.desc.friction;
    }
  }
  return friction;
}

TEST(Mjcf, FrictionCombinesByTheLargerOrByPriority) {
  Load load(
      World("<geom size='1' friction='0.2'/><geom size='1' friction='0.7'/>"
            "<geom size='1' friction='0.1' priority='1'/><geom size='1' condim='1'/>"
            "<geom size='1' friction='0.2'/>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(PairFriction(load.builder, 0, 1), 0.7);
  EXPECT_EQ(PairFriction(load.builder, 1, 2), 0.1);
  EXPECT_EQ(PairFriction(load.builder, 0, 3), 1);  // condim 3 of the two, friction 1 by default
  EXPECT_EQ(PairFriction(load.builder, 3, 3), 0);
  EXPECT_EQ(load.builder->shape[0].material, load.builder->shape[4].material);
}

TEST(Mjcf, PlanesOnStaticBodiesStandInTheWorldAndOthersAreRefused) {
  Load load(
      World("<body pos='0 0 1'><body pos='0 0 2'><geom type='plane' size='1 1 1'/></body></body>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(load.builder->shape[0].link, TRIBO_WORLD);
  EXPECT_EQ(load.builder->shape[0].pose.p.z, 3);
  EXPECT_EQ(Load(World("<body><joint/><geom type='plane' size='1 1 1'/></body>")).status,
            TRIBO_ERROR_MODEL);
}

// --- contact
// ----------------------------------------------------------------------------------------

TEST(Mjcf, ExclusionsNameBodies) {
  Load load(Mujoco("<worldbody>" + Simple("a", "<freejoint/>") + Simple("b", "<freejoint/>") +
                   "</worldbody><contact><exclude body1='a' body2='b'/>"
                   "<exclude body1='world' body2='b'/></contact>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  ASSERT_EQ(load.builder->exclusion_count, 2);
  EXPECT_EQ(load.builder->exclusion[0].link1, 1);
  EXPECT_EQ(load.builder->exclusion[1].link0, TRIBO_WORLD);
}

TEST(Mjcf, ParentsAndChildrenMayTouchWhereTheFilterIsOff) {
  const std::string bodies =
      "<worldbody>" + Simple("a", "<joint/>", Simple("b", "<joint/>")) + "</worldbody>";
  EXPECT_FALSE(Load(Mujoco(bodies)).builder->allow_parent_child);
  EXPECT_TRUE(Load(Mujoco("<option><flag filterparent='disable'/></option>" + bodies))
                  .builder->allow_parent_child);
}

TEST(Mjcf, RestitutionAndViscosityAreNumbersOfTheFile) {
  Load load(
      Mujoco("<custom><numeric name='tribo_restitution' data='0.25'/>"
             "<numeric name='tribo_viscosity' data='300'/></custom>"
             "<worldbody><geom type='plane' size='1 1 1'/></worldbody>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const int material = load.builder->shape[0].material;
  ASSERT_GE(material, 0);
  EXPECT_EQ(load.builder->material[material].restitution, 0.25);
  EXPECT_EQ(load.builder->material[material].viscosity, 300);
}

TEST(Mjcf, NamedPairsTouchWithTheirOwnFrictionAndNobodyElseDoes) {
  Load load(
      Mujoco("<worldbody><geom name='a' size='1' contype='0' conaffinity='0'/><body><freejoint/>"
             "<geom name='b' size='1' contype='0' conaffinity='0'/></body>"
             "<body><freejoint/><geom name='c' size='1'/></body></worldbody>"
             "<contact><pair geom1='a' geom2='b' friction='0.3' condim='3'/></contact>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboShapeDesc* s = load.builder->shape;
  ASSERT_EQ(tribo_builder_count(load.builder, TRIBO_KIND_SHAPE), 3);
  auto touch = [s](int i, int j) { return (s[i].group & s[j].mask) || (s[j].group & s[i].mask); };
  EXPECT_TRUE(touch(0, 1));
  EXPECT_FALSE(touch(0, 2));
  EXPECT_FALSE(touch(1, 2));
  EXPECT_EQ(PairFriction(load.builder, 0, 1), 0.3);
}

}  // namespace
