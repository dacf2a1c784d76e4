// SPDX-License-Identifier: Apache-2.0
#include "engine/tribo.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char* tribo_version(void) {
  return TEXT(TRIBO_VERSION_MAJOR) "." TEXT(TRIBO_VERSION_MINOR) "." TEXT(TRIBO_VERSION_PATCH);
}
