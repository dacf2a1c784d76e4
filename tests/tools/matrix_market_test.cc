// SPDX-License-Identifier: Apache-2.0
#include "tools/tribo/matrix_market.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace {

const std::string kArray = "%%MatrixMarket matrix array real general\n";
const std::string kCoordinate = "%%MatrixMarket matrix coordinate real general\n";

class MatrixMarket : public testing::Test {
 protected:
  ~MatrixMarket() override { tribo_matrix_free(&matrix_); }

  TriboStatus Read(const std::string& text) {
    tribo_matrix_free(&matrix_);
    path_ = testing::TempDir() + "/matrix.mtx";
    std::ofstream(path_, std::ios::binary) << text;
    return tribo_matrix_read(path_.c_str(), &matrix_, &message_);
  }
  std::vector<double> Values() const {
    return {matrix_.value, matrix_.value + matrix_.rows * matrix_.columns};
  }

  std::string path_;
  TriboMatrix matrix_ = {0, 0, nullptr};
  TriboMessage message_;
};

using Numbers = std::vector<double>;

TEST_F(MatrixMarket, AnArrayGoesDownTheColumns) {
  ASSERT_EQ(Read(kArray + "% comment\n\n2 3\n1\n2\n% another\n3 4\n5\n6e-3"), TRIBO_OK);
  EXPECT_EQ(matrix_.rows, 2);
  EXPECT_EQ(matrix_.columns, 3);
  EXPECT_EQ(Values(), (Numbers{1, 3, 5, 2, 4, 6e-3}));
}

TEST_F(MatrixMarket, CoordinatesFillAMatrixOfZerosAndAddUp) {
  ASSERT_EQ(Read(kCoordinate + "2 2 3\r\n2 1 -1.5\r\n1 2 4\r\n1 2 1\r\n"), TRIBO_OK);
  EXPECT_EQ(Values(), (Numbers{0, 5, -1.5, 0}));
}

TEST_F(MatrixMarket, ASymmetricFileGivesBothTriangles) {
  ASSERT_EQ(Read("%%matrixmarket MATRIX array Integer symmetric\n2 2\n1\n2\n3\n"), TRIBO_OK);
  EXPECT_EQ(Values(), (Numbers{1, 2, 2, 3}));
  ASSERT_EQ(Read("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 7\n2 1 5\n"),
            TRIBO_OK);
  EXPECT_EQ(Values(), (Numbers{7, 5, 5, 0}));
}

TEST_F(MatrixMarket, ABannerWithOnePercentSignIsUnderstood) {
  EXPECT_EQ(Read("%MatrixMarket matrix array real general\n1 1\n2\n"), TRIBO_OK);
}

TEST_F(MatrixMarket, BadFilesAreRefusedWithTheirLine) {
  struct Bad {
    std::string text;
    TriboStatus status;
    int line;
  };
  const Bad bad[] = {
      {"", TRIBO_ERROR_PARSE, 1},
      {"1 1\n2\n", TRIBO_ERROR_PARSE, 1},
      {"%%MatrixMarket matrix array real\n1 1\n2\n", TRIBO_ERROR_PARSE, 1},
      {std::string(1000, '%') + "\n", TRIBO_ERROR_PARSE, 1},
      {"%%MatrixMarket matrix array complex general\n1 1\n2 3\n", TRIBO_ERROR_UNSUPPORTED, 1},
      {"%%MatrixMarket matrix array real hermitian\n1 1\n2\n", TRIBO_ERROR_UNSUPPORTED, 1},
      {kArray, TRIBO_ERROR_PARSE, 2},
      {kArray + "0 1\n", TRIBO_ERROR_PARSE, 2},
      {kArray + "-1 1\n", TRIBO_ERROR_PARSE, 2},
      {kArray + "99999999999999999999 1\n", TRIBO_ERROR_PARSE, 2},
      {kArray + "1000000 1000000\n1\n", TRIBO_ERROR_UNSUPPORTED, 2},
      {kArray + "2 1\n1\n", TRIBO_ERROR_PARSE, 4},
      {kArray + "2 1\n1\nnan\n", TRIBO_ERROR_NOT_FINITE, 4},
      {kArray + "2 1\n1\n-inf\n", TRIBO_ERROR_NOT_FINITE, 4},
      {kArray + "2 1\n1\n1e999\n", TRIBO_ERROR_NOT_FINITE, 4},
      {kArray + "2 1\n1\n2x\n", TRIBO_ERROR_PARSE, 4},
      {kArray + "2 1\n1\n" + std::string("2\0x", 3) + "\n", TRIBO_ERROR_PARSE, 4},
      {kArray + "2 1\n1\n" + std::string(5000, '1') + "\n", TRIBO_ERROR_PARSE, 4},
      {kArray + "2 1\n1\n2\n3\n", TRIBO_ERROR_PARSE, 5},
      {kCoordinate + "2 2 -1\n", TRIBO_ERROR_PARSE, 2},
      {kCoordinate + "2 2 1\n3 1 1\n", TRIBO_ERROR_PARSE, 3},
      {kCoordinate + "2 2 1\n1 0 1\n", TRIBO_ERROR_PARSE, 3},
      {kCoordinate + "2 2 1\n1.5 1 1\n", TRIBO_ERROR_PARSE, 3},
      {kCoordinate + "2 2 2\n1 1 1e308\n1 1 1e308\n", TRIBO_ERROR_NOT_FINITE, 4},
      {"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", TRIBO_ERROR_PARSE, 2},
      {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", TRIBO_ERROR_PARSE, 3},
  };
  for (const Bad& file : bad) {
    EXPECT_EQ(Read(file.text), file.status) << file.text;
    EXPECT_EQ(message_.line, file.line) << file.text << message_.text;
    EXPECT_EQ(message_.file, path_);
    EXPECT_STRNE(message_.text, "");
    EXPECT_EQ(matrix_.value, nullptr) << file.text;
  }
}

TEST_F(MatrixMarket, EveryTruncationOfAFileWithoutItsLastNumberIsRefused) {
  const std::string text = kCoordinate + "% why\n3 2 2\n1 1 2.5\n3 2 7\n";
  ASSERT_EQ(Read(text), TRIBO_OK);
  for (size_t length = 0; length + 2 < text.size(); ++length) {
    EXPECT_NE(Read(text.substr(0, length)), TRIBO_OK) << text.substr(0, length);
  }
}

TEST_F(MatrixMarket, AFileThatIsNotThereOrAFolderIsAnError) {
  EXPECT_EQ(tribo_matrix_read("no/such/file", &matrix_, &message_), TRIBO_ERROR_FILE);
  EXPECT_NE(tribo_matrix_read(testing::TempDir().c_str(), &matrix_, &message_), TRIBO_OK);
}

TEST_F(MatrixMarket, WhatIsWrittenReadsBackToTheBit) {
  double values[] = {1.0 / 3, -2e-308, 5e-324, 1.7976931348623157e308, -0.1, 3};
  const TriboMatrix out = {3, 2, values};
  const std::string path = testing::TempDir() + "/out.mtx";
  ASSERT_EQ(tribo_matrix_write(path.c_str(), &out, &message_), TRIBO_OK);
  ASSERT_EQ(tribo_matrix_read(path.c_str(), &matrix_, &message_), TRIBO_OK);
  EXPECT_EQ(matrix_.rows, 3);
  EXPECT_EQ(Values(), Numbers(values, values + 6));
  EXPECT_EQ(tribo_matrix_write("no/such/folder/x", &out, &message_), TRIBO_ERROR_FILE);
}

}  // namespace
