// SPDX-License-Identifier: Apache-2.0
//
// From the poses and velocities of the bodies to the contacts of a step: boxes that cover what the
// step's speeds can reach, the broad phase, the narrow phase. Internal.
#ifndef TRIBO_ENGINE_CONTACT_DETECT_H_
#define TRIBO_ENGINE_CONTACT_DETECT_H_

#include "collision/broad_phase.h"
#include "collision/contact.h"
#include "engine/model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where the bodies are and how they move.
typedef struct TriboMotion {
  const TriboTransform* X_WB;  // poses                                                 (nb)
  const TriboSpatial* V;       // angular velocity, and velocity of the body frame's origin; world
                               // axes                                                  (nb)
} TriboMotion;

// Memory and result. Contacts are in ascending order of (shape0, shape1); those of one pair are in
// the order of the narrow phase, which depends on the shapes and not on rounding.
typedef struct TriboDetection {
  int capacity;           // contacts
  int count;              // computed by tribo_detect; more than capacity when it overflowed
  TriboContact* contact;  // (capacity)
  double deepest;         // most negative gap, 0 without penetration
  int failed_shape;       // after a failure: one of the shapes, or -1

  TriboTransform* X_WS;        // of the moving shapes                    (shapes)
  double* reach;               // how far a shape may come in this step   (shapes)
  TriboAabb* box;              // (shapes)
  TriboHalfSpace* half_space;  // (planes)
  TriboBroadPhase broad;
} TriboDetection;

void tribo_detection_layout(TriboDetection* detection, TriboArena* arena, const TriboModel* model,
                            int max_contacts);

// All contacts with a gap up to `margin` plus what both shapes can travel: 2 h (speed + h g).
// TRIBO_ERROR_CAPACITY: more contacts (count says how many) or pairs (broad.pair_count) than fit.
// TRIBO_ERROR_NOT_FINITE: a pose or velocity.
TriboStatus tribo_detect(TriboDetection* detection, const TriboModel* model, TriboMotion motion,
                         double h, double margin) TRIBO_CHECKED;

// Where a shape is; after tribo_detect.
static inline const TriboTransform* tribo_detection_pose(const TriboDetection* detection,
                                                         const TriboModel* model, int shape) {
  return model->shape_body[shape] < 0 ? &model->shape_pose[shape] : &detection->X_WS[shape];
}

#ifdef __cplusplus
}
#endif

#endif  // TRIBO_ENGINE_CONTACT_DETECT_H_
