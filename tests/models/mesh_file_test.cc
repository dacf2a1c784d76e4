// SPDX-License-Identifier: Apache-2.0
#include "models/mesh_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "engine/base/random.h"
#include "tests/failing_allocator.h"

namespace {

// A cube of half length 1 as an OBJ with quadrilaterals.
const char kCubeObj[] = R"(# a cube
mtllib none.mtl
o cube
v -1 -1 -1
v 1 -1 -1
v 1 1 -1
v -1 1 -1
v -1 -1 1
v 1 -1 1
v 1 1 1
v -1 1 1
vn 0 0 1
f 4 3 2 1
f 5//1 6//1 7//1 8//1
f 1 2 6 5
f 2 3 7 6
f 3/1/1 4/1/1 \
  8/1/1 7/1/1
f -8 -4 -1 -5
)";

class MeshFile : public ::testing::Test {
 protected:
  ~MeshFile() override { tribo_mesh_data_destroy(mesh_); }
  TriboStatus Parse(const std::string& bytes, const char* name) {
    tribo_mesh_data_destroy(mesh_);
    return tribo_mesh_file_parse(bytes.data(), bytes.size(), name, &options_, &mesh_, &message_);
  }
  void ExpectRefused(const std::string& bytes, const char* name, TriboStatus status, int line,
                     const std::string& text) {
    EXPECT_EQ(Parse(bytes, name), status) << message_.text;
    EXPECT_EQ(mesh_, nullptr);
    EXPECT_EQ(message_.line, line) << message_.text;
    EXPECT_STREQ(message_.file, name);
    EXPECT_NE(std::string(message_.text).find(text), std::string::npos) << message_.text;
  }
  // Six times the signed volume within the triangles, by the divergence theorem.
  double SixVolumes() const {
    double sum = 0;
    for (int t = 0; t < mesh_->triangle_count; ++t) {
      const double* a = mesh_->vertices + 3 * mesh_->triangles[3 * t];
      const double* b = mesh_->vertices + 3 * mesh_->triangles[3 * t + 1];
      const double* c = mesh_->vertices + 3 * mesh_->triangles[3 * t + 2];
      sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
             a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum;
  }

  TriboMeshFileOptions options_ = tribo_mesh_file_options_default();
  TriboMeshData* mesh_ = nullptr;
  TriboMessage message_ = {};
};

void Append(std::string* bytes, const void* data, size_t size) {
  bytes->append(static_cast<const char*>(data), size);
}

std::string BinaryStl(const TriboMeshData& mesh, uint32_t count) {
  std::string bytes = "solid by a careless writer";
  bytes.resize(80, ' ');
  Append(&bytes, &count, 4);
  for (int t = 0; t < mesh.triangle_count; ++t) {
    const float normal[3] = {0, 0, 0};
    Append(&bytes, normal, 12);
    for (int k = 0; k < 3; ++k) {
      for (int axis = 0; axis < 3; ++axis) {
        const float x = static_cast<float>(mesh.vertices[3 * mesh.triangles[3 * t + k] + axis]);
        Append(&bytes, &x, 4);
      }
    }
    bytes.append(2, '\0');
  }
  return bytes;
}

std::string AsciiStl(const TriboMeshData& mesh) {
  std::string text = "solid cube\r\n";
  for (int t = 0; t < mesh.triangle_count; ++t) {
    text += "  facet normal nan nan nan\n    outer loop\n";
    for (int k = 0; k < 3; ++k) {
      const double* p = mesh.vertices + 3 * mesh.triangles[3 * t + k];
      text += "      VERTEX " + std::to_string(p[0]) + " " + std::to_string(p[1]) + " " +
              std::to_string(p[2]) + "\n";
    }
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid cube\n";
}

TEST_F(MeshFile, ObjCubeHasEightVerticesTwelveTrianglesAndItsVolume) {
  ASSERT_EQ(Parse(kCubeObj, "cube.OBJ"), TRIBO_OK) << message_.text;
  EXPECT_EQ(mesh_->vertex_count, 8);
  EXPECT_EQ(mesh_->triangle_count, 12);
  EXPECT_EQ(SixVolumes(), 48);
}

TEST_F(MeshFile, StlInBothFormsGivesTheSameCubeWelded) {
  ASSERT_EQ(Parse(kCubeObj, "cube.obj"), TRIBO_OK);
  const std::string binary = BinaryStl(*mesh_, 12), ascii = AsciiStl(*mesh_);
  for (const std::string& bytes : {binary, ascii, ascii + ascii}) {
    ASSERT_EQ(Parse(bytes, "cube.stl"), TRIBO_OK) << message_.text;
    EXPECT_EQ(mesh_->vertex_count, 8);
    EXPECT_EQ(mesh_->triangle_count % 12, 0);
    EXPECT_EQ(SixVolumes(), 48 * (mesh_->triangle_count / 12));
  }
}

TEST_F(MeshFile, AFileOnDiskIsReadAndAMissingOneIsNamed) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/cube.obj";
  FILE* file = std::fopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  std::fputs(kCubeObj, file);
  std::fclose(file);
  ASSERT_EQ(tribo_mesh_file_read(path.c_str(), nullptr, &mesh_, &message_), TRIBO_OK);
  EXPECT_EQ(mesh_->triangle_count, 12);
  TriboMeshData* none = mesh_;
  EXPECT_EQ(tribo_mesh_file_read("nowhere.obj", nullptr, &none, &message_), TRIBO_ERROR_FILE);
  EXPECT_EQ(none, nullptr);
  EXPECT_STREQ(message_.file, "nowhere.obj");
  EXPECT_EQ(tribo_mesh_file_read("/", nullptr, &none, &message_), TRIBO_ERROR_FILE);
}

TEST_F(MeshFile, ScaleStretchesAndAMirrorKeepsTheOutsideOutside) {
  options_.scale = {0.001, 0.002, 0.003};
  ASSERT_EQ(Parse(kCubeObj, "cube.obj"), TRIBO_OK);
  EXPECT_NEAR(SixVolumes(), 48 * 6e-9, 1e-22);
  options_.scale = {-1, 1, 1};
  ASSERT_EQ(Parse(kCubeObj, "cube.obj"), TRIBO_OK);
  EXPECT_EQ(SixVolumes(), 48);
  options_.scale = {1, 0, 1};
  ExpectRefused(kCubeObj, "cube.obj", TRIBO_ERROR_ARGUMENT, 0, "scale");
  options_.scale = {1e300, 1e300, 1e300};
  EXPECT_EQ(Parse("v 1e300 0 0\n", "far.obj"), TRIBO_ERROR_NOT_FINITE);
}

TEST_F(MeshFile, VerticesWithinTheWeldingDistanceBecomeOne) {
  const char text[] =
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1.0004 0 0\nv 0 1.0004 0\nv 1 1 0\n"
      "f 1 2 3\nf 4 6 5\nf 2 4 3\n";
  ASSERT_EQ(Parse(text, "a.obj"), TRIBO_OK);
  EXPECT_EQ(mesh_->vertex_count, 6);
  options_.weld = 1e-3;
  ASSERT_EQ(Parse(text, "a.obj"), TRIBO_OK);
  EXPECT_EQ(mesh_->vertex_count, 4);
  EXPECT_EQ(mesh_->triangle_count, 2);
  EXPECT_EQ(mesh_->dropped, 1);
}

TEST_F(MeshFile, WeldingEqualsTheSlowWay) {
  TriboRandom random = tribo_random(3);
  options_.weld = 0.05;
  std::string text;
  std::vector<std::vector<double>> points, kept;
  for (int i = 0; i < 600; ++i) {
    std::vector<double> p;
    for (int k = 0; k < 3; ++k) p.push_back(std::floor(tribo_random_in(&random, -256, 256)) / 512);
    points.push_back(p);
    char line[100];
    std::snprintf(line, sizeof line, "v %.17g %.17g %.17g\n", p[0], p[1], p[2]);
    text += line;
    bool found = false;
    for (const std::vector<double>& q : kept) {
      found = found || std::sqrt(std::pow(p[0] - q[0], 2) + std::pow(p[1] - q[1], 2) +
                                 std::pow(p[2] - q[2], 2)) <= 0.05;
    }
    if (!found) kept.push_back(p);
  }
  text += "f 1 2 3\n";
  ASSERT_EQ(Parse(text, "cloud.obj"), TRIBO_OK) << message_.text;
  ASSERT_EQ(mesh_->vertex_count, static_cast<int>(kept.size()));
  for (size_t i = 0; i < kept.size(); ++i) {
    for (int k = 0; k < 3; ++k) EXPECT_EQ(mesh_->vertices[3 * i + k], kept[i][k]);
  }
}

TEST_F(MeshFile, TheHullOfACubeWithADentIsTheCube) {
  options_.hull = true;
  ASSERT_EQ(Parse(std::string(kCubeObj) + "v 0 0 0.5\nf 5 6 -1\n", "dent.obj"), TRIBO_OK);
  EXPECT_EQ(mesh_->vertex_count, 8);
  EXPECT_EQ(mesh_->triangle_count, 12);
  EXPECT_EQ(SixVolumes(), 48);
  ExpectRefused("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\n", "flat.obj", TRIBO_ERROR_MODEL, 0,
                "thickness");
}

TEST_F(MeshFile, ADescriptionOfTheMeshCarriesItsArrays) {
  ASSERT_EQ(Parse(kCubeObj, "cube.obj"), TRIBO_OK);
  const TriboShapeDesc hull = tribo_mesh_data_shape(mesh_, TRIBO_SHAPE_HULL);
  EXPECT_EQ(hull.vertex_count, 8);
  EXPECT_EQ(hull.triangle_count, 0);
  const TriboShapeDesc mesh = tribo_mesh_data_shape(mesh_, TRIBO_SHAPE_MESH);
  EXPECT_EQ(mesh.triangle_count, 12);
  EXPECT_EQ(mesh.triangles, mesh_->triangles);
}

TEST_F(MeshFile, BrokenObjFilesAreRefusedWithTheirLine) {
  ExpectRefused("v 1 2\n", "a.obj", TRIBO_ERROR_PARSE, 1, "three");
  ExpectRefused("v 0 0 0\nv 1 nan 2\n", "a.obj", TRIBO_ERROR_PARSE, 2, "'nan'");
  ExpectRefused("v 0 0 0\nv 1 1e999 2\n", "a.obj", TRIBO_ERROR_PARSE, 2, "'1e999'");
  ExpectRefused("v 0 0 0\n\nf 1 1\n", "a.obj", TRIBO_ERROR_PARSE, 3, "2 corners");
  ExpectRefused("v 0 0 0\nf 1 2 3\n", "a.obj", TRIBO_ERROR_PARSE, 2, "'2'");
  ExpectRefused("v 0 0 0\nf 1 0 1\n", "a.obj", TRIBO_ERROR_PARSE, 2, "'0'");
  ExpectRefused("v 0 0 0\nf -2 1 1\n", "a.obj", TRIBO_ERROR_PARSE, 2, "'-2'");
  ExpectRefused("v 0 0 0\nf 99999999999999999999 1 1\n", "a.obj", TRIBO_ERROR_PARSE, 2, "'9999");
  ExpectRefused("v 0 0 0\nf 1x 1 1\n", "a.obj", TRIBO_ERROR_PARSE, 2, "'1x'");
  ExpectRefused("hello\n", "a.obj", TRIBO_ERROR_PARSE, 1, "'hello'");
  ExpectRefused("cstype bezier\n", "a.obj", TRIBO_ERROR_UNSUPPORTED, 1, "polygons");
  ExpectRefused("", "a.obj", TRIBO_ERROR_MODEL, 0, "no triangle");
  ExpectRefused("v 0 0 0\nf 1 1 1\n", "a.obj", TRIBO_ERROR_MODEL, 0, "1 are");
  ExpectRefused("v 0 0 0\n", "a.ply", TRIBO_ERROR_UNSUPPORTED, 0, ".stl");
}

TEST_F(MeshFile, BrokenStlFilesAreRefusedWithTheirPlace) {
  ASSERT_EQ(Parse(kCubeObj, "cube.obj"), TRIBO_OK);
  const std::string binary = BinaryStl(*mesh_, 12), ascii = AsciiStl(*mesh_);
  std::string plain = binary;
  plain[0] = 'x';
  ExpectRefused(plain.substr(0, 40), "a.stl", TRIBO_ERROR_PARSE, 0, "too few");
  ExpectRefused(plain.substr(0, plain.size() - 1), "a.stl", TRIBO_ERROR_PARSE, 0, "cut off");
  const uint32_t huge = 0xffffffffu;
  std::memcpy(&plain[80], &huge, 4);
  ExpectRefused(plain, "a.stl", TRIBO_ERROR_PARSE, 0, "4294967295");
  std::string infinite = binary;
  const float infinity = std::numeric_limits<float>::infinity();
  std::memcpy(&infinite[84 + 50 + 12], &infinity, 4);
  ExpectRefused(infinite, "a.stl", TRIBO_ERROR_NOT_FINITE, 0, "byte 146");
  ExpectRefused(ascii.substr(0, ascii.size() - 15), "a.stl", TRIBO_ERROR_PARSE, 85, "endsolid");
  ExpectRefused("solid a\n facet normal 0 0 1\n outer loop\n vertex 0 0 x\n", "a.stl",
                TRIBO_ERROR_PARSE, 4, "'x'");
  ExpectRefused("solid a\n facet normal 0 0 1\n outer hoop\n", "a.stl", TRIBO_ERROR_PARSE, 3,
                "'hoop'");
  ExpectRefused("solid a\nendsolid a", "a.stl", TRIBO_ERROR_MODEL, 0, "no triangle");
}

TEST_F(MeshFile, EveryFailingAllocationIsAStatus) {
  options_.hull = true;
  const std::string text = kCubeObj;
  bool done = false;
  for (int n = 0; !done; ++n) {
    ASSERT_LT(n, 100);
    FailingAllocator failing(n);
    options_.allocator = &failing.allocator;
    TriboMeshData* mesh = nullptr;
    const TriboStatus status =
        tribo_mesh_file_parse(text.data(), text.size(), "a.obj", &options_, &mesh, &message_);
    done = status == TRIBO_OK;
    EXPECT_TRUE(done || status == TRIBO_ERROR_MEMORY) << status;
    tribo_mesh_data_destroy(mesh);
    EXPECT_EQ(failing.live, 0);
  }
}

TEST_F(MeshFile, CutAndScrambledFilesNeverCrash) {
  ASSERT_EQ(Parse(kCubeObj, "cube.obj"), TRIBO_OK);
  const std::vector<std::string> files = {kCubeObj, BinaryStl(*mesh_, 12), AsciiStl(*mesh_)};
  TriboRandom random = tribo_random(9);
  for (int trial = 0; trial < 3000; ++trial) {
    std::string bytes = files[trial % 3];
    bytes.resize(tribo_random_index(&random, static_cast<int>(bytes.size()) + 1));
    for (int k = 0; k < 3 && !bytes.empty(); ++k) {
      bytes[tribo_random_index(&random, static_cast<int>(bytes.size()))] =
          static_cast<char>(tribo_random_index(&random, 256));
    }
    const TriboStatus status = Parse(bytes, trial % 3 == 0 ? "a.obj" : "a.stl");
    EXPECT_EQ(status == TRIBO_OK, mesh_ != nullptr);
  }
}

}  // namespace
