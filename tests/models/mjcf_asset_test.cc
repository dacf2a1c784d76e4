// SPDX-License-Identifier: Apache-2.0
//
// MJCF, with values computed by hand: meshes, height fields, files within files.
#include <cmath>
#include <cstdint>
#include <string>

#include <sys/stat.h>

#include "tests/models/mjcf_text.h"

namespace {

// --- assets
// -----------------------------------------------------------------------------------------

// A right tetrahedron with legs 1 in the XML: hull of 4 points, volume 1/6, centre (1/4, 1/4, 1/4),
// scaled by 2.
TEST(Mjcf, MeshesInTheXmlAreHullsAndWeigh) {
  Load load(
      Mujoco("<asset><mesh name='t' vertex='0 0 0 1 0 0 0 1 0 0 0 1' "
             "face='0 2 1 0 1 3 0 3 2 1 2 3' scale='2 2 2'/></asset>"
             "<worldbody><body><freejoint/><geom type='mesh' mesh='t' density='6'/></body>"
             "</worldbody>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  EXPECT_EQ(load.builder->shape[0].type, TRIBO_SHAPE_HULL);
  ASSERT_EQ(load.builder->shape[0].vertex_count, 4);
  EXPECT_EQ(load.builder->shape[0].vertices[3], 2);
  const TriboLinkDesc& link = load.builder->link[0];
  EXPECT_NEAR(link.mass, 8, 1e-14);  // 6 * 2^3 / 6
  EXPECT_NEAR(link.com.x, 0.5, 1e-15);
  // About the corner: integral of x^2 = V a^2 / 10, so I_xx = m a^2 / 5; less m (0.5^2 + 0.5^2).
  EXPECT_NEAR(link.inertia[0], 8 * 4 / 5.0 - 8 * 0.5, 1e-13);
  // Integral of x y = V a^2 / 20; about the centre of mass it is -I_xy.
  EXPECT_NEAR(link.inertia[3], -(8 * 4 / 20.0 - 8 * 0.25), 1e-14);
}

// The tetrahedron of volume 1/6 with a dent in its base, up to (0.2, 0.2, 0.1): 1/2 * 0.1/3 less.
TEST(Mjcf, AMeshWeighsByItsVolumeOrItsHullAsTheFileSays) {
  auto mass = [](const std::string& compiler, const std::string& inertia) {
    Load load(Mujoco("<compiler " + compiler + "/><asset><mesh name='dented' " + inertia +
                     " vertex='0 0 0 1 0 0 0 1 0 0 0 1 0.2 0.2 0.1' "
                     "face='0 2 4 2 1 4 1 0 4 0 1 3 1 2 3 2 0 3'/></asset><worldbody><body>"
                     "<freejoint/><geom type='mesh' mesh='dented' density='600'/></body>"
                     "</worldbody>"));
    EXPECT_EQ(load.status, TRIBO_OK) << load.message.text;
    return load.status == TRIBO_OK ? load.builder->link[0].mass : 0;
  };
  EXPECT_NEAR(mass("", "inertia='exact'"), 90, 1e-10);
  EXPECT_NEAR(mass("", "inertia='convex'"), 100, 1e-10);
  EXPECT_NEAR(mass("exactmeshinertia='true'", ""), 90, 1e-10);
}

class MjcfFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = TestFolder();
    ASSERT_EQ(mkdir((folder_ + "/assets").c_str(), 0700), 0);
  }
  Load At(const std::string& text, TriboLoadOptions options = tribo_load_options_default()) {
    WriteFile(folder_ + "/m.xml", text);
    return Load::File(folder_ + "/m.xml", options);
  }
  std::string folder_;
};

TEST_F(MjcfFiles, MeshFilesAreFoundInMeshdirAndNamedByTheirFile) {
  WriteFile(folder_ + "/assets/thing.obj",
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const std::string rest =
      "<asset><mesh file='thing.obj' refpos='0 0 1'/></asset>"
      "<worldbody><geom type='mesh' mesh='thing'/></worldbody>";
  Load load = At(Mujoco("<compiler meshdir='assets'/>" + rest));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  double least = 1;
  for (int i = 0; i < 4; ++i) least = std::fmin(least, load.builder->shape[0].vertices[3 * i + 2]);
  EXPECT_EQ(least, -1);
  EXPECT_EQ(At(Mujoco("<compiler assetdir='assets'/>" + rest)).status, TRIBO_OK);
  Load missing = At(Mujoco(rest));
  EXPECT_EQ(missing.status, TRIBO_ERROR_FILE);
  EXPECT_EQ(missing.message.line, 2);
  EXPECT_EQ(At(Mujoco("<compiler meshdir='../x'/>" + rest)).status, TRIBO_ERROR_FILE);
  const std::string elsewhere =
      "<asset><mesh name='thing' file='elsewhere/thing.obj'/></asset>"
      "<worldbody><geom type='mesh' mesh='thing'/></worldbody>";
  EXPECT_EQ(At(Mujoco("<compiler meshdir='assets'/>" + elsewhere)).status, TRIBO_ERROR_FILE);
  EXPECT_EQ(At(Mujoco("<compiler meshdir='assets' strippath='true'/>" + elsewhere)).status,
            TRIBO_OK);
}

// Rows in the XML go from far (greatest y) to near; heights are normalized to the elevation.
TEST(Mjcf, HeightFieldsInTheXmlAreNormalizedAndTurnedRound) {
  Load load(
      Mujoco("<asset><hfield name='h' nrow='2' ncol='3' size='3 2 5 1' "
             "elevation='1 2 3  -1 0 1'/></asset>"
             "<worldbody><geom type='hfield' hfield='h' pos='0 0 7'/></worldbody>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const TriboShapeDesc& s = load.builder->shape[0];
  EXPECT_EQ(s.type, TRIBO_SHAPE_HEIGHT_FIELD);
  EXPECT_EQ(s.rows, 2);
  EXPECT_EQ(s.columns, 3);
  EXPECT_EQ(s.size[0], 3);
  EXPECT_EQ(s.size[1], 2);
  EXPECT_EQ(s.pose.p.z, 7);
  const double expected[] = {0, 1.25, 2.5, 2.5, 3.75, 5};
  for (int i = 0; i < 6; ++i) EXPECT_DOUBLE_EQ(s.heights[i], expected[i]) << i;
}

TEST_F(MjcfFiles, HeightFieldsInBinaryFilesHaveRowZeroNear) {
  std::string bytes;
  auto put = [&bytes](const void* p) { bytes.append((const char*)p, 4); };
  const int32_t size[2] = {2, 2};
  const float heights[4] = {0, 1, 2, 4};
  put(&size[0]), put(&size[1]);
  for (float h : heights) put(&h);
  WriteFile(folder_ + "/h.bin", bytes);
  const std::string text = Mujoco(
      "<asset><hfield name='h' file='h.bin' size='1 1 1 1'/></asset>"
      "<worldbody><geom type='hfield' hfield='h'/></worldbody>");
  {
    Load load = At(text);
    ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
    EXPECT_DOUBLE_EQ(load.builder->shape[0].heights[1], 0.25);
    EXPECT_DOUBLE_EQ(load.builder->shape[0].heights[2], 0.5);
  }
  WriteFile(folder_ + "/h.bin", bytes.substr(0, 20));
  EXPECT_EQ(At(text).status, TRIBO_ERROR_PARSE);
  WriteFile(folder_ + "/h.bin", "\x89PNG....");
  EXPECT_EQ(At(text).status, TRIBO_ERROR_PARSE);
}

// Reds 1 2 on top, 3 4 below: the top row is the far one.
TEST_F(MjcfFiles, HeightFieldsInImagesHaveTheFarRowOnTop) {
  const char image[] =
      "\211\120\116\107\015\012\032\012\000\000\000\015\111\110\104\122\000\000\000\002\000\000\000"
      "\002"
      "\010\002\000\000\000\375\324\232\163\000\000\000\007\111\104\101\124\170\234\143\141\144\140"
      "\000"
      "\213\136\006\360\000\000\000\007\111\104\101\124\042\026\046\116\116\040\005\156\133\227\132"
      "\000"
      "\000\000\005\111\104\101\124\000\000\331\000\040\365\272\167\276\000\000\000\000\111\105\116"
      "\104"
      "\256\102\140\202";
  WriteFile(folder_ + "/h.png", std::string(image, sizeof image - 1));
  Load load =
      At(Mujoco("<asset><hfield name='h' file='h.png' size='1 1 3 1'/></asset>"
                "<worldbody><geom type='hfield' hfield='h'/></worldbody>"));
  ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
  const double expected[] = {2, 3, 0, 1};
  for (int i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(load.builder->shape[0].heights[i], expected[i]);
}

TEST_F(MjcfFiles, IncludesStandInTheirPlaceOnceAndWithTheirOwnLines) {
  WriteFile(folder_ + "/part.xml",
            "<mujocoinclude>\n<body name='b'><geom size='1'/></body>\n"
            "<geom size='1' wrong='1'/></mujocoinclude>");
  const std::string twice = "<include file='part.xml'/>";
  {
    Load load = At(World(twice + "<geom name='after' size='1'/>"));
    ASSERT_EQ(load.status, TRIBO_OK) << load.message.text;
    EXPECT_STREQ(load.builder->link[0].name, "b");
    EXPECT_STREQ(load.builder->shape[2].name, "after");
    const TriboReportEntry* entry = load.Entry("geom@wrong");
    ASSERT_NE(entry, nullptr) << load.Report();
    EXPECT_EQ(entry->line, 3);
    EXPECT_NE(std::string(entry->file).find("part.xml"), std::string::npos);
  }
  EXPECT_EQ(At(World(twice + twice)).status, TRIBO_ERROR_MODEL);
  EXPECT_EQ(At(World("<include file='m.xml'/>")).status, TRIBO_ERROR_MODEL);  // a cycle
  EXPECT_EQ(At(World("<include file='none.xml'/>")).status, TRIBO_ERROR_FILE);
  EXPECT_EQ(At(World("<include file='../../etc/passwd'/>")).status, TRIBO_ERROR_FILE);
  EXPECT_EQ(At(World("<include/>")).status, TRIBO_ERROR_PARSE);
}

}  // namespace
