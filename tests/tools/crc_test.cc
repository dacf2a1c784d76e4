// SPDX-License-Identifier: Apache-2.0
#include "tools/trajectory/crc.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <vector>

#include "engine/base/random.h"

namespace {

std::vector<unsigned char> random_bytes(size_t size) {
  TriboRandom random = tribo_random(size);
  std::vector<unsigned char> bytes(size);
  for (unsigned char& b : bytes) b = static_cast<unsigned char>(tribo_random_u64(&random));
  return bytes;
}

TEST(Crc, IsZlibsForEveryLengthAlignmentAndStart) {
  const std::vector<unsigned char> bytes = random_bytes(1200);
  for (size_t size = 0; size <= 1100; ++size) {
    for (size_t offset : {0, 1, 7}) {
      const uint32_t start = static_cast<uint32_t>(0x9e3779b9u * size);
      ASSERT_EQ(tribo_crc32(start, &bytes[offset], size),
                crc32(start, &bytes[offset], static_cast<uInt>(size)))
          << size << " bytes at " << offset;
    }
  }
  EXPECT_EQ(tribo_crc32(0, "123456789", 9), 0xcbf43926u);  // the check value of CRC-32
}

TEST(Crc, OfPiecesIsThatOfTheWhole) {
  const std::vector<unsigned char> bytes = random_bytes(5000);
  const uint32_t whole = tribo_crc32(0, bytes.data(), bytes.size());
  for (size_t cut : {0, 1, 63, 64, 4000, 5000}) {
    const uint32_t first = tribo_crc32(0, bytes.data(), cut);
    EXPECT_EQ(tribo_crc32(first, &bytes[0] + cut, bytes.size() - cut), whole) << cut;
    const uint32_t second = tribo_crc32(0, &bytes[0] + cut, bytes.size() - cut);
    EXPECT_EQ(tribo_crc32_join(first, second, bytes.size() - cut), whole) << cut;
  }
}

}  // namespace
