// SPDX-License-Identifier: Apache-2.0
//
// Bodies become links. A body without a joint is welded to its parent; one with several hangs on a
// chain of links without mass. Position coordinates are MuJoCo's: a joint's `ref` is the position
// at which the body stands as the file places it, so the joint's frame is turned or moved back by
// it; a free joint's position is the body's pose in the world.
#include <math.h>
#include <string.h>

#include "engine/base/rotation.h"
#include "engine/base/spatial.h"
#include "models/inertia.h"
#include "models/mjcf.h"

// Radius of the sphere that stands for a missing inertia, m.
static const double POINT_RADIUS = 0.01;

static const int kNq[] = {7, 4, 1, 1, 3, 0};
static const int kNv[] = {6, 3, 1, 1, 3, 0};

static int add_link(TriboMjcf* r, const char* name) {
  TriboLinkDesc* link =
      tribo_mjcf_append(r, (void**)&r->links, &r->link_count, &r->link_capacity, sizeof *link);
  if (!link) return -1;
  link->name = name;
  return r->link_count - 1;
}

static TriboMjcfJoint* add_joint(TriboMjcf* r, TriboXmlElement* e, int parent, int child) {
  TriboMjcfJoint* joint =
      tribo_mjcf_append(r, (void**)&r->joints, &r->joint_count, &r->joint_capacity, sizeof *joint);
  if (!joint) return NULL;
  joint->element = e;
  joint->desc = tribo_joint_default();
  joint->desc.parent = parent;
  joint->desc.child = child;
  return joint;
}

// ---------------------------------------------------------------------------------------------------
// Joints
// ---------------------------------------------------------------------------------------------------

static double angle(const TriboMjcf* r, TriboJointType type, double value) {
  const bool turns = type == TRIBO_JOINT_HINGE || type == TRIBO_JOINT_BALL;
  return r->degrees && turns ? value * TRIBO_MJCF_DEGREE : value;
}

static void read_limits(TriboMjcf* r, TriboMjcfItem* item, TriboJointDesc* d) {
  double range[2] = {0, 0}, effort[2] = {0, 0};
  bool limited = tribo_mjcf_limited(r, item, "limited", "range", range);
  const bool ball = d->type == TRIBO_JOINT_BALL;
  if (limited && d->type != TRIBO_JOINT_FREE) {
    d->limited = true;
    d->lower = angle(r, d->type, range[0]);
    d->upper = angle(r, d->type, range[1]);
    if (ball && !(d->lower == 0 && d->upper > 0)) {
      tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, item->element,
                      "the range of a ball joint is 0 and the largest angle");
    } else if (!(d->lower <= d->upper)) {
      tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, item->element, "the range is reversed or missing");
    }
  }
  if (tribo_mjcf_limited(r, item, "actuatorfrclimited", "actuatorfrcrange", effort)) {
    d->effort_limit = fmax(fabs(effort[0]), fabs(effort[1]));
    if (effort[0] != -effort[1]) {
      tribo_mjcf_warn(r, item->element,
                      "actuatorfrcrange is taken as symmetric, by its larger side");
    }
  }
}

static void read_dynamics(TriboMjcf* r, TriboMjcfItem* item, TriboMjcfJoint* joint) {
  TriboJointDesc* d = &joint->desc;
  d->damping = tribo_mjcf_number(r, item, "damping", 0);
  d->friction = tribo_mjcf_number(r, item, "frictionloss", 0);
  d->armature = tribo_mjcf_number(r, item, "armature", 0);
  d->stiffness = tribo_mjcf_number(r, item, "stiffness", 0);
  d->rest = angle(r, d->type, tribo_mjcf_number(r, item, "springref", 0));
  joint->reference = angle(r, d->type, tribo_mjcf_number(r, item, "ref", 0));
  double spring[2] = {0, 0};
  tribo_mjcf_numbers(r, item, "springdamper", 2, 2, spring);
  if (spring[0] > 0 && spring[1] > 0) {
    tribo_mjcf_refuse(r, item->element,
                      "springdamper is not supported: give stiffness and damping");
  }
  if (d->damping < 0 || d->friction < 0 || d->armature < 0 || d->stiffness < 0) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, item->element,
                    "damping, frictionloss, armature and stiffness must be 0 or more");
  }
  if (d->type == TRIBO_JOINT_FREE && d->stiffness > 0) {
    tribo_mjcf_refuse(r, item->element, "springs of free joints are not supported");
    d->stiffness = 0;
  }
}

static void set_free_pose(TriboJointDesc* d, TriboPose pose) {
  const double q[7] = {pose.p.x, pose.p.y, pose.p.z, pose.q.w, pose.q.x, pose.q.y, pose.q.z};
  memcpy(d->initial, q, sizeof q);
}

// Where the joint's frame is on both sides. X_PB: the body as the file places it in its parent;
// anchor and axis in the frame of the body.
static void place_joint(TriboMjcfJoint* joint, TriboPose X_PB, TriboVec3 anchor, TriboVec3 axis) {
  TriboJointDesc* d = &joint->desc;
  d->axis = axis;
  TriboPose back = tribo_pose_identity(), at = {anchor, tribo_quat_identity()};
  if (d->type == TRIBO_JOINT_HINGE) back.q = tribo_quat_from_axis_angle(axis, -joint->reference);
  if (d->type == TRIBO_JOINT_SLIDE) back.p = tribo_vec3_scale(-joint->reference, axis);
  d->pose_parent = tribo_pose_mul(tribo_pose_mul(X_PB, at), back);
  d->pose_child = at;
  d->initial[0] = joint->reference;
}

// A joint of a body whose frame is `frame` in the body's own (identity outside of <frame>).
static void read_joint(TriboMjcf* r, TriboXmlElement* e, int inherited, int parent, int child,
                       TriboPose X_PB, TriboPose frame) {
  static const char* const TYPES[] = {"free", "ball", "hinge", "slide", NULL};
  e->used = true;
  bool free = strcmp(e->name, "freejoint") == 0;
  TriboMjcfJoint* joint = add_joint(r, e, parent, child);
  if (!joint) return;
  TriboMjcfItem item = free ? tribo_mjcf_plain_item(e) : tribo_mjcf_item(r, e, "joint", inherited);
  TriboJointDesc* d = &joint->desc;
  d->name = tribo_mjcf_name(r, e, &r->joint_names, r->joint_count - 1);
  d->type = free ? TRIBO_JOINT_FREE
                 : (TriboJointType)tribo_mjcf_word(r, &item, "type", TYPES, TRIBO_JOINT_HINGE);
  if (!free) {
    read_dynamics(r, &item, joint);
    read_limits(r, &item, d);
  }
  double p[3] = {0, 0, 0}, a[3] = {0, 0, 1};
  tribo_mjcf_numbers(r, &item, "pos", 3, 3, p);
  tribo_mjcf_numbers(r, &item, "axis", 3, 3, a);
  TriboVec3 axis = tribo_vec3_normalize_or(tribo_vec3(a[0], a[1], a[2]), tribo_vec3_zero());
  if (!(tribo_vec3_norm(axis) > 0.5) && d->type != TRIBO_JOINT_FREE) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, e, "the axis has no direction");
  }
  if (d->type == TRIBO_JOINT_FREE) {
    if (parent != TRIBO_WORLD) {
      tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, e, "a free joint must hang on the world");
    }
    set_free_pose(d, X_PB);
  } else {
    TriboVec3 anchor = tribo_vec3(p[0], p[1], p[2]);
    place_joint(joint, X_PB, tribo_vec3_add(frame.p, tribo_quat_rotate(frame.q, anchor)),
                tribo_quat_rotate(frame.q, axis));
    if (d->type == TRIBO_JOINT_BALL) d->initial[0] = 1;
  }
  joint->q = r->nq, joint->v = r->nv;
  r->nq += kNq[d->type], r->nv += kNv[d->type];
}

static bool is_joint(const TriboXmlElement* e) {
  return strcmp(e->name, "joint") == 0 || strcmp(e->name, "freejoint") == 0;
}

static int count_joints(const TriboXmlElement* e) {
  int count = 0;
  for (const TriboXmlElement* c = e->first_child; c; c = c->next) {
    if (is_joint(c)) ++count;
    if (strcmp(c->name, "frame") == 0) count += count_joints(c);
  }
  return count;
}

// State of the walk over a body's joints, which may stand in frames.
typedef struct Chain {
  int parent, body, left;  // links; joints that are still to come
  TriboPose X_PB;
} Chain;

static int child_class(TriboMjcf* r, TriboXmlElement* e, int inherited) {
  const char* name = tribo_xml_attribute(e, "childclass");
  return name ? tribo_mjcf_class(r, e, name) : inherited;
}

static void read_joints(TriboMjcf* r, TriboXmlElement* e, int inherited, TriboPose frame,
                        Chain* chain) {
  for (TriboXmlElement* c = e->first_child; c && r->status == TRIBO_OK; c = c->next) {
    if (strcmp(c->name, "frame") == 0) {
      TriboMjcfItem item = tribo_mjcf_plain_item(c);
      read_joints(r, c, child_class(r, c, inherited),
                  tribo_pose_mul(frame, tribo_mjcf_pose(r, &item)), chain);
    }
    if (!is_joint(c)) continue;
    // All but the last joint move a link without mass that stands where the body stands.
    int child = --chain->left > 0 ? add_link(r, NULL) : chain->body;
    read_joint(r, c, inherited, chain->parent, child, chain->X_PB, frame);
    chain->parent = child;
    chain->X_PB = tribo_pose_identity();
  }
}

// ---------------------------------------------------------------------------------------------------
// Inertia
// ---------------------------------------------------------------------------------------------------

static void read_inertial(TriboMjcf* r, TriboXmlElement* e, TriboLinkDesc* link) {
  TriboMjcfItem item = tribo_mjcf_plain_item(e);
  TriboPose pose = tribo_mjcf_pose(r, &item);
  double diagonal[3] = {0, 0, 0};
  link->mass = tribo_mjcf_number(r, &item, "mass", -1);
  link->com = pose.p;
  if (!tribo_mjcf_numbers(r, &item, "fullinertia", 6, 6, link->inertia)) {
    tribo_mjcf_numbers(r, &item, "diaginertia", 3, 3, diagonal);
    memcpy(link->inertia, diagonal, sizeof diagonal);
  }
  if (!(link->mass >= 0)) {
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, e, "needs the attribute 'mass', not negative");
  }
  tribo_inertia_rotate(pose.q, link->inertia);
}

// From sums about the body frame's origin to the centre of mass.
static void sum_geoms(const TriboMjcfBody* body, TriboLinkDesc* link) {
  link->mass = body->mass;
  if (!(body->mass > 0)) return;
  link->com = tribo_vec3(body->moment[0] / body->mass, body->moment[1] / body->mass,
                         body->moment[2] / body->mass);
  memcpy(link->inertia, body->inertia, sizeof link->inertia);
  tribo_symmetric_add_point(link->inertia, -body->mass, link->com);
}

static void finish_inertia(TriboMjcf* r, const TriboMjcfBody* body, TriboLinkDesc* link) {
  const TriboXmlElement* e = body->element;
  link->mass = fmax(link->mass, r->bound_mass);
  if (r->bound_inertia > 0) tribo_inertia_bound(link->inertia, r->bound_inertia);
  if (!(link->mass > 0)) {
    memset(link->inertia, 0, sizeof link->inertia);
    return;
  }
  if (r->balance_inertia) {
    tribo_inertia_balance(link->inertia);
  } else if (tribo_inertia_mend(link->inertia)) {
    tribo_mjcf_warn(r, e,
                    "the inertia breaks the triangle inequality or is negative; negative second "
                    "moments set to 0");
  }
  if (!(link->inertia[0] + link->inertia[1] + link->inertia[2] > 0)) {
    link->inertia[0] = link->inertia[1] = link->inertia[2] =
        0.4 * link->mass * POINT_RADIUS * POINT_RADIUS;
    tribo_mjcf_warn(r, e, "mass without inertia; taken as a sphere of radius 0.01 m");
  }
}

static void set_inertia(TriboMjcf* r, int body) {
  TriboMjcfBody* b = &r->bodies[body];
  if (b->link < 0) return;
  TriboLinkDesc* link = &r->links[b->link];
  TriboXmlElement* given = tribo_xml_child(b->element, "inertial");
  if (r->inertia == TRIBO_MJCF_INERTIA_GEOMS || !given) {
    if (r->inertia != TRIBO_MJCF_INERTIA_GIVEN) sum_geoms(b, link);
    if (given) tribo_mjcf_skip(r, given, "inertiafromgeom is true; the geoms count");
  } else {
    read_inertial(r, given, link);
  }
  if (r->status == TRIBO_OK) finish_inertia(r, b, link);
}

// ---------------------------------------------------------------------------------------------------
// Bodies
// ---------------------------------------------------------------------------------------------------

static void read_site(TriboMjcf* r, TriboXmlElement* e, int body, int inherited, TriboPose frame) {
  TriboFrameDesc* site =
      tribo_mjcf_append(r, (void**)&r->frames, &r->frame_count, &r->frame_capacity, sizeof *site);
  if (!site) return;
  TriboMjcfItem item = tribo_mjcf_item(r, e, "site", inherited);
  site->name = tribo_mjcf_name(r, e, &r->site_names, r->frame_count - 1);
  site->link = r->bodies[body].link;
  TriboPose pose = tribo_mjcf_pose(r, &item);
  double ends[6];
  if (tribo_mjcf_numbers(r, &item, "fromto", 6, 6, ends)) {
    TriboVec3 a = tribo_vec3(ends[0], ends[1], ends[2]), b = tribo_vec3(ends[3], ends[4], ends[5]);
    pose.p = tribo_vec3_scale(0.5, tribo_vec3_add(a, b));
    pose.q = tribo_mjcf_quat_from_z(tribo_vec3_sub(a, b));
  }
  site->pose = tribo_pose_mul(frame, pose);
}

static void read_body(TriboMjcf* r, TriboXmlElement* e, int parent, int inherited, TriboPose frame);

// What stands in a body, or in a frame of it.
static void read_content(TriboMjcf* r, TriboXmlElement* e, int body, int inherited,
                         TriboPose frame) {
  static const char* const REFUSED[] = {"composite", "flexcomp", "attach",
                                        "replicate", "plugin",   NULL};
  for (TriboXmlElement* c = e->first_child; c && r->status == TRIBO_OK; c = c->next) {
    if (strcmp(c->name, "geom") == 0) {
      c->used = true;
      tribo_mjcf_read_geom(r, c, body, inherited, frame);
    } else if (strcmp(c->name, "site") == 0) {
      c->used = true;
      read_site(r, c, body, inherited, frame);
    } else if (strcmp(c->name, "body") == 0) {
      read_body(r, c, body, inherited, frame);
    } else if (strcmp(c->name, "frame") == 0) {
      c->used = true;
      tribo_xml_attribute(c, "name");
      TriboMjcfItem item = tribo_mjcf_plain_item(c);
      TriboPose inner = tribo_pose_mul(frame, tribo_mjcf_pose(r, &item));
      read_content(r, c, body, child_class(r, c, inherited), inner);
    }
    for (int i = 0; REFUSED[i]; ++i) {
      if (strcmp(c->name, REFUSED[i]) != 0) continue;
      c->used = true;
      tribo_mjcf_refuse(r, c, "<%s> is not supported", c->name);
    }
  }
}

static bool carries_joints(const TriboXmlElement* e) {
  for (const TriboXmlElement* c = e->first_child; c; c = c->next) {
    const bool inner = strcmp(c->name, "body") == 0 || strcmp(c->name, "frame") == 0;
    if (is_joint(c) || (inner && carries_joints(c))) return true;
  }
  return false;
}

// Where the caller wants free roots: what stands fixed in the world and carries joints.
static bool is_freed(const TriboMjcf* r, const TriboXmlElement* e, const TriboMjcfBody* b) {
  return r->options->root == TRIBO_ROOT_FREE && b->parent == 0 && carries_joints(e);
}

static void hang_without_joint(TriboMjcf* r, TriboXmlElement* e, int parent, int link, bool freed,
                               TriboPose X_PB) {
  TriboMjcfJoint* joint = add_joint(r, e, parent, link);
  if (!joint) return;
  joint->freed = freed;
  joint->desc.type = freed ? TRIBO_JOINT_FREE : TRIBO_JOINT_FIXED;
  if (!freed) {
    joint->desc.pose_parent = X_PB;
    return;
  }
  set_free_pose(&joint->desc, X_PB);
  joint->q = r->nq, joint->v = r->nv;
  r->nq += kNq[TRIBO_JOINT_FREE], r->nv += kNv[TRIBO_JOINT_FREE];
}

// How the body hangs on its parent: welded, freed, or on a chain of joints.
static void hang_body(TriboMjcf* r, TriboXmlElement* e, int body, int inherited, TriboPose X_PB) {
  TriboMjcfBody* b = &r->bodies[body];
  const TriboMjcfBody* parent = &r->bodies[b->parent];
  int joints = count_joints(e), link = b->link, parent_link = parent->link;
  const bool freed = joints == 0 && is_freed(r, e, b);
  b->is_static = joints == 0 && !freed && parent->is_static;
  if (joints == 0) {
    hang_without_joint(r, e, parent_link, link, freed, X_PB);
    return;
  }
  int first = r->joint_count;
  Chain chain = {parent_link, link, joints, X_PB};
  read_joints(r, e, inherited, tribo_pose_identity(), &chain);
  if (r->status != TRIBO_OK) return;
  for (int i = first; joints > 1 && i < r->joint_count; ++i) {
    if (r->joints[i].desc.type == TRIBO_JOINT_FREE) {
      tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, e, "a free joint must be a body's only joint");
    }
  }
}

static void read_body(TriboMjcf* r, TriboXmlElement* e, int parent, int inherited,
                      TriboPose frame) {
  e->used = true;
  TriboMjcfItem item = tribo_mjcf_plain_item(e);
  TriboPose X_PB = tribo_pose_mul(frame, tribo_mjcf_pose(r, &item));
  int body = r->body_count;
  TriboMjcfBody* made =
      tribo_mjcf_append(r, (void**)&r->bodies, &r->body_count, &r->body_capacity, sizeof *made);
  if (!made) return;
  made->element = e;
  made->parent = parent;
  made->X_W = tribo_pose_mul(r->bodies[parent].X_W, X_PB);
  made->link = -1;
  const char* name = tribo_mjcf_name(r, e, &r->body_names, body);
  int inner = child_class(r, e, inherited);
  if (tribo_mjcf_bool(r, &item, "mocap", false)) {
    tribo_mjcf_refuse(r, e, "mocap bodies are not supported: it stands still");
  }
  if (tribo_mjcf_number(r, &item, "gravcomp", 0) != 0) {
    tribo_mjcf_refuse(r, e, "gravcomp is not supported");
  }
  if (r->status != TRIBO_OK) return;

  int link = add_link(r, name);
  r->bodies[body].link = link;
  hang_body(r, e, body, inner, X_PB);
  read_content(r, e, body, inner, tribo_pose_identity());
  if (r->status == TRIBO_OK) set_inertia(r, body);
}

void tribo_mjcf_read_bodies(TriboMjcf* r) {
  TriboMjcfBody* world =
      tribo_mjcf_append(r, (void**)&r->bodies, &r->body_count, &r->body_capacity, sizeof *world);
  if (!world) return;
  world->element = r->root;
  world->link = TRIBO_WORLD;
  world->X_W = tribo_pose_identity();
  world->is_static = true;
  (void)tribo_names_add(&r->body_names, r->pool, "world", 0);
  TriboXmlElement* e = tribo_xml_child(r->root, "worldbody");
  for (; e && r->status == TRIBO_OK; e = tribo_xml_sibling(e, "worldbody")) {
    tribo_xml_attribute(e, "name");
    read_content(r, e, 0, child_class(r, e, 0), tribo_pose_identity());
  }

  double total = 0;
  for (int i = 0; i < r->link_count; ++i) total += r->links[i].mass;
  double scale = r->total_mass > 0 && total > 0 ? r->total_mass / total : 1;
  for (int i = 0; scale != 1 && i < r->link_count; ++i) {
    r->links[i].mass *= scale;
    for (int k = 0; k < 6; ++k) r->links[i].inertia[k] *= scale;
  }
}
