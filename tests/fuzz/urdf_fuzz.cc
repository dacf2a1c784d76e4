// SPDX-License-Identifier: Apache-2.0
//
// The URDF reader on any bytes. The corpus starts it off as URDF; what is something else is fine
// too.
#include "tests/fuzz/scene_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return FuzzScene(data, size);
}
