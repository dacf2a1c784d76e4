// SPDX-License-Identifier: Apache-2.0
//
// The builder's insides: arrays of descriptions that own their strings. Internal.
#ifndef TRIBO_ENGINE_MODEL_BUILDER_H_
#define TRIBO_ENGINE_MODEL_BUILDER_H_

#include "engine/tribo.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TRIBO_KIND_COUNT = 7 };

typedef struct TriboMaterialPair {
  int material0, material1;
  TriboMaterialDesc desc;
} TriboMaterialPair;

typedef struct TriboExclusion {
  int link0, link1;
} TriboExclusion;

// Memory that a builder has taken, in a chain, the data after the header.
typedef struct TriboBuilderChunk {
  struct TriboBuilderChunk* next;
  size_t size;
} TriboBuilderChunk;

struct TriboBuilder {
  TriboAllocator allocator;
  bool has_allocator;
  TriboBuilderChunk* chunks;
  int count[TRIBO_KIND_COUNT], capacity[TRIBO_KIND_COUNT];
  TriboLinkDesc* link;
  TriboJointDesc* joint;
  TriboShapeDesc* shape;
  TriboMaterialDesc* material;
  TriboActuatorDesc* actuator;
  TriboLoopDesc* loop;
  TriboFrameDesc* frame;
  int pair_count, pair_capacity;
  TriboMaterialPair* pair;
  int exclusion_count, exclusion_capacity;
  TriboExclusion* exclusion;
  bool allow_parent_child;
  TriboVec3 gravity;
  TriboMessage message;  // why the last refused element was refused
};

// A copy of everything in `from`, through `allocator`.
TriboStatus tribo_builder_clone(const TriboBuilder* from, const TriboAllocator* allocator,
                                TriboBuilder** to) TRIBO_CHECKED;

// Name of an element, "" where it has none or the index is out of range.
const char* tribo_builder_name(const TriboBuilder* builder, TriboKind kind, int index);

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_MODEL_BUILDER_H_
