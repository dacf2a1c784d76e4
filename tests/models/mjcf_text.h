// SPDX-License-Identifier: Apache-2.0
//
// Pieces of MJCF that tests are put together from.
#ifndef TRIBO_TESTS_MODELS_MJCF_TEXT_H_
#define TRIBO_TESTS_MODELS_MJCF_TEXT_H_

#include <string>

#include "tests/models/load.h"

inline constexpr double kPi = 3.14159265358979323846;

inline std::string Mujoco(const std::string& inside) {
  return "<mujoco model='m'>\n" + inside + "</mujoco>";
}
inline std::string World(const std::string& inside) {
  return Mujoco("<worldbody>" + inside + "</worldbody>");
}
// A body of one kilogram with a joint.
inline std::string Simple(const std::string& name, const std::string& joint,
                          const std::string& more = "") {
  return "<body name='" + name + "'><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>" + joint +
         more + "</body>";
}
inline TriboLoadOptions Allowing() {
  TriboLoadOptions options = tribo_load_options_default();
  options.allow_unsupported = true;
  return options;
}
inline void ExpectQuat(TriboQuat q, double w, double x, double y, double z) {
  const double sign = q.w * w + q.x * x + q.y * y + q.z * z < 0 ? -1 : 1;
  EXPECT_NEAR(q.w, sign * w, 1e-15);
  EXPECT_NEAR(q.x, sign * x, 1e-15);
  EXPECT_NEAR(q.y, sign * y, 1e-15);
  EXPECT_NEAR(q.z, sign * z, 1e-15);
}

#endif  // TRIBO_TESTS_MODELS_MJCF_TEXT_H_
