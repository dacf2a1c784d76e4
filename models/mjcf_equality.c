// SPDX-License-Identifier: Apache-2.0
//
// Equality constraints become loops. Where the file does not say it, the relative pose is the one
// that the bodies have as the file places them.
#include <math.h>
#include <string.h>

#include "engine/base/rotation.h"
#include "models/mjcf.h"

static TriboPose inverse(TriboPose X) {
  TriboQuat q = tribo_quat_conjugate(X.q);
  return (TriboPose){tribo_vec3_neg(tribo_quat_rotate(q, X.p)), q};
}

static TriboLoopDesc* add_loop(TriboMjcf* r, const char* name) {
  TriboLoopDesc* loop =
      tribo_mjcf_append(r, (void**)&r->loops, &r->loop_count, &r->loop_capacity, sizeof *loop);
  if (!loop) return NULL;
  *loop = tribo_loop_default();
  loop->name = name;
  return loop;
}

// Two sites that coincide.
static void read_sites(TriboMjcf* r, TriboXmlElement* e, TriboLoopType type, const char* name) {
  int a = tribo_mjcf_find(r, e, "site1", &r->site_names);
  int b = tribo_mjcf_find(r, e, "site2", &r->site_names);
  if (r->status != TRIBO_OK) return;
  TriboLoopDesc* loop = add_loop(r, name);
  if (!loop) return;
  loop->type = type;
  loop->link0 = r->frames[a].link, loop->pose0 = r->frames[a].pose;
  loop->link1 = r->frames[b].link, loop->pose1 = r->frames[b].pose;
}

static void read_bodies(TriboMjcf* r, TriboXmlElement* e, TriboMjcfItem* item, TriboLoopType type,
                        const char* name) {
  int a = tribo_mjcf_find(r, e, "body1", &r->body_names);
  int b = tribo_xml_attribute(e, "body2") ? tribo_mjcf_find(r, e, "body2", &r->body_names) : 0;
  if (r->status != TRIBO_OK) return;
  TriboPose X_AB = tribo_pose_mul(inverse(r->bodies[a].X_W), r->bodies[b].X_W);
  TriboPose frame0 = tribo_pose_identity();
  double anchor[3] = {0, 0, 0}, pose[7] = {0, 0, 0, 0, 0, 0, 0};
  int anchored = tribo_mjcf_numbers(r, item, "anchor", 3, 3, anchor);
  if (type == TRIBO_LOOP_CONNECT) {
    if (!anchored) tribo_mjcf_fail(r, TRIBO_ERROR_PARSE, e, "missing attribute 'anchor'");
    frame0.p = tribo_vec3(anchor[0], anchor[1], anchor[2]);  // in body1
  } else {
    // relpose is of body2 in body1; a quaternion of zeros stands for the pose in the file.
    TriboQuat q = tribo_quat_identity();
    if (tribo_mjcf_numbers(r, item, "relpose", 7, 7, pose)) {
      q = tribo_quat(pose[3], pose[4], pose[5], pose[6]);
      if (tribo_quat_norm2(q) > 0) {
        X_AB = (TriboPose){tribo_vec3(pose[0], pose[1], pose[2]), tribo_quat_normalize(q)};
      }
    }
    TriboPose in_second = {tribo_vec3(anchor[0], anchor[1], anchor[2]), tribo_quat_identity()};
    frame0 = tribo_pose_mul(X_AB, in_second);
  }
  TriboLoopDesc* loop = add_loop(r, name);
  if (!loop) return;
  loop->type = type;
  loop->link0 = r->bodies[a].link, loop->pose0 = frame0;
  loop->link1 = r->bodies[b].link, loop->pose1 = tribo_pose_mul(inverse(X_AB), frame0);
}

// q1 - ref1 = c0 + c1 (q2 - ref2)
static void read_joints(TriboMjcf* r, TriboXmlElement* e, TriboMjcfItem* item, const char* name) {
  double c[5] = {0, 1, 0, 0, 0};
  tribo_mjcf_numbers(r, item, "polycoef", 1, 5, c);
  int a = tribo_mjcf_find(r, e, "joint1", &r->joint_names);
  bool second = tribo_xml_attribute(e, "joint2") != NULL;
  int b = second ? tribo_mjcf_find(r, e, "joint2", &r->joint_names) : -1;
  if (r->status != TRIBO_OK) return;
  if (second && (c[2] != 0 || c[3] != 0 || c[4] != 0)) {
    tribo_mjcf_refuse(r, e, "a polynomial of degree 2 or more between joints is not supported");
    return;
  }
  for (int i = 0; i < (second ? 2 : 1); ++i) {
    TriboJointType type = r->joints[i == 0 ? a : b].desc.type;
    if (type == TRIBO_JOINT_HINGE || type == TRIBO_JOINT_SLIDE) continue;
    tribo_mjcf_fail(r, TRIBO_ERROR_MODEL, e, "both joints must be hinge or slide");
    return;
  }
  TriboLoopDesc* loop = add_loop(r, name);
  if (!loop) return;
  loop->type = TRIBO_LOOP_GEAR;
  loop->joint0 = b;
  loop->joint1 = a;
  loop->ratio = second ? c[1] : 0;
  loop->offset = r->joints[a].reference + c[0] - (second ? c[1] * r->joints[b].reference : 0);
}

void tribo_mjcf_read_equalities(TriboMjcf* r) {
  TriboXmlElement* section = tribo_xml_child(r->root, "equality");
  for (; section && r->status == TRIBO_OK; section = tribo_xml_sibling(section, "equality")) {
    for (TriboXmlElement* e = section->first_child; e && r->status == TRIBO_OK; e = e->next) {
      e->used = true;
      TriboMjcfItem item = tribo_mjcf_item(r, e, "equality", 0);
      const char* name = tribo_xml_attribute(e, "name");
      bool weld = strcmp(e->name, "weld") == 0, connect = strcmp(e->name, "connect") == 0;
      if (!tribo_mjcf_bool(r, &item, "active", true)) {
        tribo_mjcf_skip(r, e, "not active, left out: Tribo does not switch constraints");
        for (int i = 0; i < e->attribute_count; ++i) e->attributes[i].used = true;
      } else if (weld || connect) {
        TriboLoopType type = weld ? TRIBO_LOOP_WELD : TRIBO_LOOP_CONNECT;
        if (tribo_xml_attribute(e, "site1")) {
          read_sites(r, e, type, name);
        } else {
          read_bodies(r, e, &item, type, name);
        }
      } else if (strcmp(e->name, "joint") == 0) {
        read_joints(r, e, &item, name);
      } else {
        tribo_mjcf_refuse(r, e, "equality <%.40s> is not supported", e->name);
        for (int i = 0; i < e->attribute_count; ++i) e->attributes[i].used = true;
      }
    }
  }
}
