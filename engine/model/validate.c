// SPDX-License-Identifier: Apache-2.0
//
// The rules of a model, each with a message that names the element and says what to do.
#include <math.h>
#include <string.h>

#include "engine/base/message.h"
#include "engine/model/model.h"

TriboLabel tribo_model_label(const TriboBuilder* b, TriboKind kind, int i) {
  static const char* const kinds[] = {"link",     "joint", "shape", "material",
                                      "actuator", "loop",  "frame"};
  TriboMessage m;
  const char* name = tribo_builder_name(b, kind, i);
  if (name[0])
    (void)tribo_message_set(&m, TRIBO_OK, "%s '%.60s'", kinds[kind], name);
  else
    (void)tribo_message_set(&m, TRIBO_OK, "%s number %d", kinds[kind], i);
  TriboLabel l;
  memcpy(l.text, m.text, sizeof l.text);
  l.text[sizeof l.text - 1] = 0;
  return l;
}

#define FAIL(message, ...) return tribo_message_set((message), TRIBO_ERROR_MODEL, __VA_ARGS__)

static bool link_exists(const TriboBuilder* b, int link) {
  return link >= TRIBO_WORLD && link < b->count[TRIBO_KIND_LINK];
}

// Positive definite, and no principal moment larger than the sum of the other two: J = tr(I)/2 - I,
// the second moment of the mass, must not have a negative eigenvalue. Rounding of model files is
// forgiven to 1e-6 of the trace, as flat bodies lie exactly on the border.
static const char* inertia_fault(const double I[6]) {
  double trace = I[0] + I[1] + I[2];
  double d2 = I[0] * I[1] - I[3] * I[3];
  double d3 = I[0] * (I[1] * I[2] - I[5] * I[5]) - I[3] * (I[3] * I[2] - I[5] * I[4]) +
              I[4] * (I[3] * I[5] - I[1] * I[4]);
  if (!(I[0] > 0 && d2 > 0 && d3 > 0)) return "is not positive definite";
  double a = trace / 2 - I[0] + 1e-6 * trace, b = trace / 2 - I[1] + 1e-6 * trace;
  double c = trace / 2 - I[2] + 1e-6 * trace;
  double det =
      a * (b * c - I[5] * I[5]) - I[3] * (I[3] * c + I[5] * I[4]) - I[4] * (I[3] * I[5] + b * I[4]);
  if (a < 0 || a * b - I[3] * I[3] < 0 || det < 0) return "breaks the triangle inequality";
  return NULL;
}

// The link that a chain of fixed joints ends at, or -1 for the world.
static int weld_root(const TriboBuilder* b, const int* joint_of, int link) {
  while (link >= 0 && b->joint[joint_of[link]].type == TRIBO_JOINT_FIXED)
    link = b->joint[joint_of[link]].parent;
  return link;
}

// Mass of all links that fixed joints weld to `root`, itself included.
static double weld_mass(const TriboBuilder* b, const int* joint_of, int root) {
  double mass = 0;
  for (int i = 0; i < b->count[TRIBO_KIND_LINK]; ++i) {
    if (weld_root(b, joint_of, i) == root) mass += b->link[i].mass;
  }
  return mass;
}

static TriboStatus check_joint(const TriboBuilder* b, int i, TriboMessage* message) {
  const TriboJointDesc* d = &b->joint[i];
  TriboLabel l = tribo_model_label(b, TRIBO_KIND_JOINT, i);
  if (!link_exists(b, d->parent) || d->child < 0 || !link_exists(b, d->child))
    FAIL(message, "%s joins links %d and %d, which are not both there: add the links first", l.text,
         d->parent, d->child);
  bool has_axis =
      d->type == TRIBO_JOINT_HINGE || d->type == TRIBO_JOINT_SLIDE || d->type == TRIBO_JOINT_PLANAR;
  if (has_axis && fabs(tribo_vec3_norm(d->axis) - 1) > 1e-6)
    FAIL(message, "%s has an axis of length %g: normalize it", l.text, tribo_vec3_norm(d->axis));
  bool one = d->type == TRIBO_JOINT_HINGE || d->type == TRIBO_JOINT_SLIDE;
  const bool ball = d->type == TRIBO_JOINT_BALL;
  if (d->limited && !one && !ball)
    FAIL(message, "%s has limits: only hinge, slide and ball may", l.text);
  if (d->limited && ball && !(d->lower == 0 && d->upper > 0))
    FAIL(message, "%s turns from %g to %g: a ball's lower limit is 0, its upper one above", l.text,
         d->lower, d->upper);
  if (d->limited && !(d->lower <= d->upper))
    FAIL(message, "%s has limits reversed, %g > %g: swap them", l.text, d->lower, d->upper);
  if (d->damping < 0 || d->friction < 0 || d->armature < 0 || d->stiffness < 0)
    FAIL(message, "%s has a negative damping, friction, armature or stiffness: make it 0 or more",
         l.text);
  if (d->velocity_limit < 0 || d->effort_limit < 0)
    FAIL(message, "%s has a negative velocity or effort limit: make it 0 or more", l.text);
  if (d->stiffness > 0 && d->type == TRIBO_JOINT_FREE)
    FAIL(message, "%s is free and has a spring: remove the stiffness", l.text);
  return TRIBO_OK;
}

static TriboStatus check_shape(const TriboBuilder* b, int i, TriboMessage* message) {
  const TriboShapeDesc* d = &b->shape[i];
  TriboLabel l = tribo_model_label(b, TRIBO_KIND_SHAPE, i);
  static const int sizes[] = {0, 1, 2, 3, 2, 3, 0, 2, 0};
  if (!link_exists(b, d->link))
    FAIL(message, "%s is on link %d, which is not there", l.text, d->link);
  if (d->material < -1 || d->material >= b->count[TRIBO_KIND_MATERIAL])
    FAIL(message, "%s has material %d, which is not there", l.text, d->material);
  for (int k = 0; k < sizes[d->type]; ++k) {
    if (!(d->size[k] > 0))
      FAIL(message, "%s has size[%d] = %g: make it positive", l.text, k, d->size[k]);
  }
  if (d->type == TRIBO_SHAPE_HULL && d->vertex_count < 4)
    FAIL(message, "%s is a hull of %d points: give at least 4", l.text, d->vertex_count);
  if (d->type == TRIBO_SHAPE_MESH && d->triangle_count < 1)
    FAIL(message, "%s is a mesh without triangles", l.text);
  for (int k = 0; k < 3 * d->triangle_count; ++k) {
    if (d->triangles[k] < 0 || d->triangles[k] >= d->vertex_count)
      FAIL(message, "%s: triangle %d names vertex %d of %d", l.text, k / 3, d->triangles[k],
           d->vertex_count);
  }
  if (d->type == TRIBO_SHAPE_HEIGHT_FIELD && (d->rows < 2 || d->columns < 2))
    FAIL(message, "%s is a height field of %d x %d: give at least 2 x 2", l.text, d->rows,
         d->columns);
  bool world_only = d->type == TRIBO_SHAPE_PLANE || d->type == TRIBO_SHAPE_HEIGHT_FIELD ||
                    d->type == TRIBO_SHAPE_MESH;
  if (world_only && d->link != TRIBO_WORLD)
    FAIL(message, "%s is a plane, height field or mesh on a link: put it on the world", l.text);
  return TRIBO_OK;
}

static TriboStatus check_loop(const TriboBuilder* b, int i, TriboMessage* message) {
  const TriboLoopDesc* d = &b->loop[i];
  TriboLabel l = tribo_model_label(b, TRIBO_KIND_LOOP, i);
  if (d->compliance < 0) FAIL(message, "%s has a negative compliance", l.text);
  if (d->type != TRIBO_LOOP_GEAR) {
    if (!link_exists(b, d->link0) || !link_exists(b, d->link1) || d->link0 == d->link1)
      FAIL(message, "%s needs two different links, not %d and %d", l.text, d->link0, d->link1);
    return TRIBO_OK;
  }
  const int joints[] = {d->joint0, d->joint1};
  for (int k = d->joint0 == -1 ? 1 : 0; k < 2; ++k) {
    int j = joints[k];
    if (j < 0 || j >= b->count[TRIBO_KIND_JOINT] ||
        (b->joint[j].type != TRIBO_JOINT_HINGE && b->joint[j].type != TRIBO_JOINT_SLIDE))
      FAIL(message, "%s names joint %d: a gear needs hinge or slide joints", l.text, j);
  }
  if (d->joint0 == d->joint1) FAIL(message, "%s gears a joint to itself", l.text);
  return TRIBO_OK;
}

static TriboStatus check_actuator(const TriboBuilder* b, int i, TriboMessage* message) {
  static const int nv[] = {6, 3, 1, 1, 3, 0};
  const TriboActuatorDesc* d = &b->actuator[i];
  TriboLabel l = tribo_model_label(b, TRIBO_KIND_ACTUATOR, i);
  if (d->joint < 0 || d->joint >= b->count[TRIBO_KIND_JOINT])
    FAIL(message, "%s drives joint %d, which is not there", l.text, d->joint);
  if (d->axis < 0 || d->axis >= nv[b->joint[d->joint].type])
    FAIL(message, "%s drives coordinate %d, which its joint does not have", l.text, d->axis);
  if (d->kp < 0 || d->kd < 0 || d->effort_limit < 0)
    FAIL(message, "%s has a negative gain or effort limit: make it 0 or more", l.text);
  if (d->control_lower > d->control_upper)
    FAIL(message, "%s has its control range reversed", l.text);
  return TRIBO_OK;
}

// Pairs of materials and of links name what is there.
static TriboStatus check_pairs(const TriboBuilder* b, TriboMessage* message) {
  for (int i = 0; i < b->pair_count; ++i) {
    const TriboMaterialPair* p = &b->pair[i];
    int larger = p->material0 > p->material1 ? p->material0 : p->material1;
    if (larger >= b->count[TRIBO_KIND_MATERIAL])
      FAIL(message, "material pair number %d names material %d of %d: add the material first", i,
           larger, b->count[TRIBO_KIND_MATERIAL]);
  }
  for (int i = 0; i < b->exclusion_count; ++i) {
    const TriboExclusion* e = &b->exclusion[i];
    if (!link_exists(b, e->link0) || !link_exists(b, e->link1))
      FAIL(message, "excluded pair number %d names links %d and %d, which are not both there", i,
           e->link0, e->link1);
  }
  return TRIBO_OK;
}

// Every link hangs on the world in the end; masses are there where something moves.
static TriboStatus check_tree(const TriboBuilder* b, int* joint_of, TriboMessage* message) {
  int links = b->count[TRIBO_KIND_LINK];
  for (int i = 0; i < links; ++i) joint_of[i] = -1;
  for (int i = 0; i < b->count[TRIBO_KIND_JOINT]; ++i) {
    int child = b->joint[i].child;
    if (joint_of[child] >= 0)
      FAIL(message,
           "%s is the child of joints %d and %d: close the loop with tribo_builder_add_loop",
           tribo_model_label(b, TRIBO_KIND_LINK, child).text, joint_of[child], i);
    joint_of[child] = i;
  }
  for (int i = 0; i < links; ++i) {
    int steps = 0, up = i;
    while (up >= 0 && steps <= links) up = b->joint[joint_of[up]].parent, ++steps;
    if (up >= 0)
      FAIL(message, "%s hangs on itself in a cycle of joints: cut one and close it with a loop",
           tribo_model_label(b, TRIBO_KIND_LINK, i).text);
  }
  for (int i = 0; i < links; ++i) {
    const TriboLinkDesc* d = &b->link[i];
    TriboLabel l = tribo_model_label(b, TRIBO_KIND_LINK, i);
    int root = weld_root(b, joint_of, i);
    if (d->mass < 0) FAIL(message, "%s has mass %g: make it positive", l.text, d->mass);
    const char* fault = NULL;
    if (d->mass == 0 && root == i && !(weld_mass(b, joint_of, i) > 0))
      fault = tribo_massless_fault(b, joint_of, i);
    if (fault)
      FAIL(message, "%s moves and has mass 0, and %s: give it mass, or weld it by a fixed joint",
           l.text, fault);
    fault = d->mass > 0 ? inertia_fault(d->inertia) : NULL;
    if (fault)
      FAIL(message, "%s: its inertia %s; check units, axes and reference point", l.text, fault);
  }
  return TRIBO_OK;
}

TriboStatus tribo_model_validate(const TriboBuilder* b, TriboMessage* message) {
  TriboStatus s = TRIBO_OK;
  for (int i = 0; !s && i < b->count[TRIBO_KIND_JOINT]; ++i) s = check_joint(b, i, message);
  for (int i = 0; !s && i < b->count[TRIBO_KIND_SHAPE]; ++i) s = check_shape(b, i, message);
  for (int i = 0; !s && i < b->count[TRIBO_KIND_LOOP]; ++i) s = check_loop(b, i, message);
  for (int i = 0; !s && i < b->count[TRIBO_KIND_ACTUATOR]; ++i) s = check_actuator(b, i, message);
  for (int i = 0; !s && i < b->count[TRIBO_KIND_FRAME]; ++i) {
    if (!link_exists(b, b->frame[i].link))
      s = tribo_message_set(message, TRIBO_ERROR_MODEL, "%s is on link %d, which is not there",
                            tribo_model_label(b, TRIBO_KIND_FRAME, i).text, b->frame[i].link);
  }
  if (!s) s = check_pairs(b, message);
  if (s) return s;
  const TriboAllocator* allocator = b->has_allocator ? &b->allocator : NULL;
  size_t size = (size_t)(b->count[TRIBO_KIND_LINK] + 1) * sizeof(int);
  int* joint_of = tribo_allocate(allocator, size);
  if (!joint_of) return tribo_message_set(message, TRIBO_ERROR_MEMORY, "out of memory");
  s = check_tree(b, joint_of, message);
  tribo_release(allocator, joint_of, size);
  return s;
}
