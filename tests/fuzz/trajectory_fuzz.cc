// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a trajectory file: ZIP directory, deflated members, NumPy headers, JSON. What opens
// is read to its last element, compared with itself, which builds a model from its header, and
// drawn.
//
// Checksums would stop nearly every change at the door: the first byte chooses whether those of the
// input are made right before it is opened.
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tools/trajectory/compare.h"
#include "tools/trajectory/report.h"
#include "tools/trajectory/tribo_trajectory.h"
#include "tools/trajectory/zip.h"

// What the headers promise; a broken promise is a crash that the fuzzer sees.
static void Check(bool promise) {
  if (!promise) std::abort();
}

// Writes the checksum of each stored or deflated member into its entry of the directory, so that
// the numbers behind the checksums are reached.
static void MendChecksums(std::vector<uint8_t>* file) {
  TriboZipDirectory directory;
  TriboMessage message = {};
  if (tribo_zip_read_directory(file->data(), file->size(), &directory, &message) != TRIBO_OK)
    return;
  for (int i = 0; i < directory.count; ++i) {
    const TriboZipMember& m = directory.member[i];
    if (m.deflated && m.size > 1u << 20) continue;
    std::vector<uint8_t> bytes(m.size + 1);
    (void)tribo_zip_read_member(file->data(), &m, bytes.data());
    const uint32_t crc = (uint32_t)crc32(0, bytes.data(), (uInt)m.size);
    // An entry holds the old checksum 16 bytes in, and its name 46 bytes in.
    const size_t name = std::strlen(m.name);
    for (size_t at = 0; at + 46 + name <= file->size(); ++at) {
      if (std::memcmp(file->data() + at, "PK\x01\x02", 4) == 0 &&
          std::memcmp(file->data() + at + 46, m.name, name) == 0)
        for (int k = 0; k < 4; ++k) (*file)[at + 16 + k] = (uint8_t)(crc >> (8 * k));
    }
  }
}

template <typename T>
static double Sum(const T* elements, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; elements != nullptr && i < count; ++i) sum += (double)elements[i];
  return sum;
}

// Reads every element that the view says is there.
static double ReadAll(const TriboTrajectory& t) {
  return Sum(t.time, t.rows) + Sum(t.q, t.rows * t.nq) + Sum(t.v, t.rows * t.nv) +
         Sum(t.control, t.rows * t.nu) + Sum(t.effort, t.rows * t.nv) +
         Sum(t.certificate, t.rows * TRIBO_TRAJECTORY_CERTIFICATE) + Sum(t.energy, t.rows) +
         Sum(t.momentum, 6 * t.rows) + Sum(t.deepest, t.rows) +
         Sum(t.solver, t.rows * TRIBO_TRAJECTORY_SOLVER) + Sum(t.contact_end, t.rows) +
         Sum(t.contact_id, t.contacts) + Sum(t.contact_shapes, 2 * t.contacts) +
         Sum(t.contact_mode, t.contacts) + Sum(t.contact_point, 3 * t.contacts) +
         Sum(t.contact_normal, 3 * t.contacts) + Sum(t.contact_force, 3 * t.contacts) +
         Sum(t.contact_gap, t.contacts) + Sum(t.contact_slip, t.contacts) +
         Sum(t.event_time, t.events) + Sum(t.event_type, t.events) + Sum(t.event_id, t.events) +
         Sum(t.event_shapes, 2 * t.events) + Sum(t.wrench_row, t.wrenches) +
         Sum(t.wrench_link, t.wrenches) + Sum(t.wrench, 6 * t.wrenches) +
         Sum(t.initial_state, t.initial_size) + (double)std::strlen(t.meta);
}

// Compares a trajectory with itself, and draws the reports of both. What fails says why.
static void Draw(const TriboTrajectory* t) {
  const TriboCompareOptions same = {};
  TriboMessage message = {};
  TriboComparison* comparison = nullptr;
  TriboStatus status = tribo_report_write_run(t, "fuzzed", "/dev/null", &message);
  Check((status == TRIBO_OK) == (message.text[0] == '\0'));
  status = tribo_trajectory_compare(t, t, &same, &comparison, &message);
  Check((status == TRIBO_OK) == (message.text[0] == '\0'));
  if (status != TRIBO_OK) return;
  Check(tribo_report_write_comparison(t, "A", t, "B", &same, comparison, "/dev/null", &message) ==
        TRIBO_OK);
  tribo_comparison_destroy(comparison);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  std::vector<uint8_t> file(data + 1, data + size);
  if (data[0] & 1) MendChecksums(&file);
  const char* folder = std::getenv("TEST_TMPDIR");
  const std::string path = std::string(folder != nullptr ? folder : "/tmp") + "/trajectory_fuzz." +
                           std::to_string(getpid());
  std::FILE* out = std::fopen(path.c_str(), "wb");
  Check(out != nullptr);
  Check(std::fwrite(file.data(), 1, file.size(), out) == file.size());
  Check(std::fclose(out) == 0);
  TriboTrajectory* t = nullptr;
  TriboMessage message = {};
  const TriboStatus status = tribo_trajectory_open(path.c_str(), &t, &message);
  Check((status == TRIBO_OK) == (t != nullptr));
  Check((status == TRIBO_OK) == (message.text[0] == '\0'));
  if (t != nullptr) {
    volatile double sum = ReadAll(*t);
    (void)sum;
    if (t->rows < 10000) Draw(t);
  }
  tribo_trajectory_close(t);
  std::remove(path.c_str());
  return 0;
}
