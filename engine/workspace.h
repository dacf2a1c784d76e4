// SPDX-License-Identifier: Apache-2.0
//
// The insides of TriboWorkspace: scratch memory, one block sized at creation. What it holds between
// two calls changes no bit of any result. Internal.
#ifndef TRIBO_ENGINE_WORKSPACE_H_
#define TRIBO_ENGINE_WORKSPACE_H_

#include "engine/tree/tree.h"
#include "engine/tribo.h"

#ifdef __cplusplus
extern "C" {
#endif

struct TriboWorkspace {
  TriboAllocator allocator;
  bool has_allocator;
  size_t block_size;
  uint64_t model_hash;
  int max_contacts;

  TriboTree tree;
};

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_WORKSPACE_H_
